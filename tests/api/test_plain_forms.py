# SPDX-License-Identifier: MIT
"""Plain pages: forms that change the thread, and forms that are sent twice."""

import re
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from lab import wait_until
from plain_browser import (NOBODY, Browser, Page, at_once, ended, script,
                           start, talk)


@pytest.fixture
def browser(lab):
    return Browser(lab)


# -- forms that are sent twice --------------------------------------------------------


def sent_again(browser, page, action, times=4, **values):
    """The same form at once and once more, as an impatient finger does it, and
    a reload later; where it leads, which is one place."""
    with ThreadPoolExecutor(times) as pool:
        replies = list(pool.map(lambda _: browser.submit(page, action, **values),
                                range(times)))
    replies.append(browser.submit(page, action, **values))
    form = urllib.parse.urljoin("/" + page.url, page.form(action)["action"])[1:]
    [there] = {browser.follow(r, form) for r in replies}
    thread = ended(browser, there)
    replies = browser.submit(page, action, **values)
    assert browser.follow(replies, form) == there
    return there, thread


def rows(lab, thread, user):
    return lab.get(f"/conversations/{thread.split('/')[-1]}/messages?include=steps&pageSize=100",
                   user=user).json["items"]


def test_a_form_starts_one_turn(lab):
    browser = Browser(lab, "twice")
    page = browser.get("plain/new")
    first, thread = sent_again(browser, page, "new", agent="lab/helper",
                               content=at_once(text="one"))
    assert lab.get("/conversations", user="twice").json["totalCount"] == 1
    assert len(rows(lab, thread, "twice")) == 2
    # Another text from the same page is another message.
    start = browser.submit(page, "new", agent="lab/helper",
                           content=at_once(text="other"))
    assert browser.follow(start, "plain/new") != first
    assert lab.get("/conversations", user="twice").json["totalCount"] == 2
    # And so is the same text from a page that was loaded again.
    start = browser.submit(browser.get("plain/new"), "new", agent="lab/helper",
                           content=at_once(text="one"))
    assert browser.follow(start, "plain/new") != first
    # So it is within a conversation.
    page = browser.get(thread)
    sent_again(browser, page, thread.split("/")[-1], content=at_once(text="two"))
    assert len(rows(lab, thread, "twice")) == 4


def test_forms_of_an_answer_act_once(lab):
    browser = Browser(lab, "twice2")
    page, thread = talk(browser, at_once(text="one"))
    sent_again(browser, page, "/regenerate")
    page = browser.get(thread)
    assert numbers(page)[1] == ["2 of 2"]
    change = browser.get(next(urllib.parse.urljoin("/" + thread, link)[1:]
                              for link in page.links if "/change" in link))
    sent_again(browser, change, "/change", content=at_once(text="anew"))
    page = browser.get(thread)
    assert numbers(page)[1] == ["2 of 2"]
    for _ in range(2):
        assert browser.submit(page, "/version").status == 303
        assert numbers(browser.get(thread))[1] == ["1 of 2", "2 of 2"]
    assert len(rows(lab, thread, "twice2")) == 2


def test_going_on_acts_once(lab, browser):
    turn = start(browser, script(tokens=5000, rate=50))
    lab.post(f"/turns/{turn.split('/')[-1]}/cancel", {}, user="ada")
    thread = ended(browser, turn)
    page = browser.get(thread)
    replies = [browser.submit(page, "continue") for _ in range(2)]
    [there] = {browser.follow(r, turn + "/continue") for r in replies}
    lab.post(f"/turns/{there.split('/')[-1]}/cancel", {}, user="ada")
    ended(browser, there)


# -- editing of the thread -------------------------------------------------------


def numbers(page):
    """Of the messages on the page, and what it says of their versions."""
    return [int(n) for n in re.findall(r'<div id="m([0-9]+)">', page.text)], \
        re.findall(r"version ([0-9]+ of [0-9]+)", page.text)


def version(browser, page, index):
    """Presses "Show version INDEX"."""
    form = next(f for f in page.forms if "/version" in f["action"]
                and f["fields"]["index"] == str(index))
    path = urllib.parse.urljoin("/" + page.url, form["action"])[1:]
    there = browser.follow(browser.post(path, form["fields"]), path)
    page = browser.get(there.split("#")[0])
    assert f'id="{there.split("#")[1]}"' in page.text
    return page


def test_answering_again(lab, browser):
    """The old answer stays, as a version that can be had again."""
    fails = {"id": "plain-redo", "fail_times": 1, "text": "The second.",
             "error": {"status": 400, "body": "no"}}
    page, thread = talk(browser, at_once(**fails))
    assert "The answer failed." in page.text and numbers(page)[1] == []
    reply = browser.submit(page, "regenerate")
    turn = browser.follow(reply, thread + "/regenerate")
    assert "plain/turns/" in turn
    assert ended(browser, turn) == thread
    page = browser.get(thread)
    assert "The second." in page.text and "failed" not in page.text
    assert numbers(page) == ([1, 3], ["2 of 2"])
    page = version(browser, page, 1)
    assert "The answer failed." in page.text
    assert numbers(page) == ([1, 2], ["1 of 2"])
    page = version(browser, page, 2)
    assert "The second." in page.text
    # In steps it stays so.
    page = browser.get(thread + "?steps=1")
    turn = browser.follow(browser.submit(page, "regenerate"),
                          thread + "/regenerate")
    assert turn.endswith("?steps=1") and "steps=1" in ended(browser, turn)
    assert numbers(browser.get(thread))[1] == ["3 of 3"]


def test_changing_a_message(lab, browser):
    page, thread = talk(browser, at_once(text="one"))
    ended(browser, browser.follow(browser.submit(
        page, thread.split("/")[-1], content=at_once(text="two")), thread))
    page = browser.get(thread)
    links = [link for link in page.links if "change?message=" in link]
    assert len(links) == 4      # of two messages and two answers
    there = urllib.parse.urljoin("/" + thread, links[2])[1:]
    form = browser.get(there)
    assert form.form("change")["fields"]["content"] == at_once(text="two")
    assert "kept as an earlier version" in form.text
    # What is refused is not lost, and can be sent from the error's page.
    reply = browser.submit(form, "change", content=" ")
    assert reply.status == 422 and b"must not be empty" in reply.body
    reply = browser.submit(form, "change", content="x" * 5001)
    assert reply.status == 422
    refused = Page(reply, there.split("?")[0])
    reply = browser.submit(refused, "change",
                           content=at_once(text="Of <b>three</b>"))
    ended(browser, browser.follow(reply, thread + "/change"))
    page = browser.get(thread)
    assert numbers(page) == ([1, 2, 5, 6], ["2 of 2"])
    assert "Of &lt;b&gt;three&lt;/b&gt;" in page.text
    page = version(browser, page, 1)
    assert numbers(page) == ([1, 2, 3, 4], ["1 of 2"])
    # An earlier one takes all behind it with it.
    form = browser.get(urllib.parse.urljoin("/" + thread, links[0])[1:])
    reply = browser.submit(form, "change", content=at_once(text="four"))
    ended(browser, browser.follow(reply, thread + "/change"))
    assert numbers(browser.get(thread)) == ([7, 8], ["2 of 2"])
    # It is the same thread for the API.
    rows = lab.get("/conversations/" + thread.split("/")[-1] + "/messages",
                   user="ada").json["items"]
    assert [r["content"] for r in rows] == ["four", at_once(text="four")]


def test_many_versions(lab, browser):
    """More than a page of them, and steps in an answer."""
    page, thread = talk(browser, at_once(tool_calls=[
        {"name": "list_datasets", "args": {}}], then={"text": "0"}))
    assert browser.submit(page, "regenerate").status == 303
    id = thread.split("/")[-1]
    wait_until("the end", lambda: not lab.get(
        f"/conversations/{id}", user="ada").json["runningTurnId"])
    seq = numbers(browser.get(thread))[0]
    lab.sql("INSERT INTO variant SELECT conversation_id, after_seq, seq + 1000, 1,"
            " created_us FROM variant JOIN seq_1_to_110 WHERE conversation_id ="
            f" UNHEX('{id.replace('-', '')}') AND last_seq IS NOT NULL")
    page = browser.get(thread)
    token = page.form("regenerate")["fields"]["token"]
    path = thread + "/version"
    reply = browser.post(path, {"token": token, "message": seq[-1], "index": 1})
    page = browser.get(browser.follow(reply, path).split("#")[0])
    assert page.text.count("version 1 of") == 1 and "<p>0</p>" in page.text
    for index in ("", "0", "113", "-1", "x", "99999999999"):
        reply = browser.post(path, {"token": token, "message": seq[0],
                                    "index": index})
        assert reply.status == 404, index


def test_editing_is_bounded(lab, browser):
    page, thread = talk(browser, at_once(text="one"))
    other, _ = talk(browser, at_once(text="x"))
    token = page.form("regenerate")["fields"]["token"]
    sent = {"token": token, "content": at_once(text="y")}
    for path, fields, status in (
            (thread + "/change", {**sent, "message": "9"}, 404),
            (thread + "/change", {**sent, "message": "2"}, 422),
            (thread + "/correct", {**sent, "message": "1"}, 422),
            (thread + "/correct", {**sent, "message": "9"}, 404),
            (thread + "/correct", {**sent, "message": ""}, 404),
            (thread + "/correct", {**sent, "message": "2", "content": " "}, 422),
            (thread + "/correct", {"content": "x", "message": "2"}, 403),
            (f"plain/conversations/{NOBODY}/correct", {**sent, "message": "2"}, 404),
            (thread + "/change", {**sent, "message": ""}, 404),
            (thread + "/change", {**sent, "message": "1x"}, 404),
            (thread + "/version", {**sent, "message": "1", "index": "2"}, 404),
            (thread + "/version", {**sent, "message": "9", "index": "1"}, 404),
            (f"plain/conversations/{NOBODY}/regenerate", sent, 404),
            (thread + "/regenerate", {"content": "x"}, 403),
            (thread + "/change", {"content": "x", "message": "1"}, 403),
            (thread + "/version", {"message": "1", "index": "1"}, 403)):
        reply = browser.post(path, fields)
        assert reply.status == status, (path, fields, reply)
        assert b'class="error"' in reply.body
    for query, status in (("", 404), ("?message=9", 404), ("?message=2", 200),
                          ("?message=x", 422), ("?message=-1", 404)):
        assert browser.call("GET", thread + "/change" + query).status == status
    bob = Browser(lab, "bob")
    assert bob.call("GET", thread + "/change?message=1").status == 404
    token = bob.get("plain/new").forms[0]["fields"]["token"]
    for path in ("/regenerate", "/change", "/correct", "/version"):
        reply = bob.post(thread + path, {"token": token, "message": "1",
                                         "index": "1", "content": "x"})
        assert reply.status == 404, path
    assert numbers(browser.get(thread)) == ([1, 2], [])


def test_a_running_thread_is_not_changed(lab, browser):
    page, thread = talk(browser, at_once(text="one"))
    turn = browser.follow(browser.submit(
        page, thread.split("/")[-1], content=script(tokens=5000, rate=50)), thread)
    running = browser.get(thread)
    assert not any("change?" in link for link in running.links)
    assert not any("regenerate" in f["action"] for f in running.forms)
    token = page.form("regenerate")["fields"]["token"]
    reply = browser.post(thread + "/regenerate", {"token": token})
    assert reply.status == 409
    assert turn.split("/")[-1] in Page(reply, thread).links[-1]
    lab.post("/turns/" + turn.split("/")[-1] + "/cancel", {}, user="ada")
