# SPDX-License-Identifier: MIT
"""What went wrong with shared chats elsewhere, as their public bug reports tell it, rebuilt
small: LibreChat, Open WebUI, chat-ui, DIAL and others."""

import re
import time
import urllib.parse
import uuid

import pytest

from sharing import (OWNER, RITA, fork, known, link, outside, rows, say, script, share,
                     stranger, talk)

pytestmark = pytest.mark.usefixtures("public_links")


def test_a_link_that_is_made_again_shows_what_was_said_since(lab):
    """LibreChat 11205, Open WebUI 7003: it still showed the old state."""
    id = talk(lab, "one")
    first = link(lab, id)
    say(lab, id, "two")
    second = link(lab, id)
    assert first["link"] != second["link"]
    assert "two" not in stranger(lab, first["link"]).text
    assert "two" in stranger(lab, second["link"]).text


def test_a_fork_is_another_chat(lab):
    """LibreChat 10007: the link always led to the last fork."""
    id = talk(lab, "one", "two")
    made = link(lab, id)
    first = lab.get(f"/conversations/{id}/messages", **OWNER).json["items"][-2]["messageId"]
    forked = lab.post(f"/conversations/{id}/fork", {"messageId": first}, **OWNER)
    assert forked.status == 201, forked
    say(lab, forked.json["conversationId"], "only in the fork", **OWNER)
    page = stranger(lab, made["link"])
    assert "two" in page.text and "only in the fork" not in page.text
    other = stranger(lab, link(lab, forked.json["conversationId"])["link"])
    assert "only in the fork" in other.text and ">two<" not in other.text


def test_the_page_asks_for_nothing_that_needs_a_sign_on(lab):
    """LibreChat 4887, 12890: it was shown, then led to the sign-on."""
    path = link(lab, talk(lab, "one"))["link"]
    page = stranger(lab, path)
    parts = re.findall(r'(?:href|src|action)="([^"]+)"', page.text)
    assert parts, page.text
    for part in parts:
        there = urllib.parse.urljoin("/" + path, part)[1:]
        assert re.fullmatch(r"css/\w+\.css|favicon\.svg", there), there
        assert outside(lab).call("GET", there).status == 200
    assert "refresh" not in page.text and "Location" not in page.headers


def test_the_id_of_a_share_is_no_key(lab):
    """DoubtDesk 468: ids of shared chats could be tried one after the other."""
    made = link(lab, talk(lab, "one"))
    for text in (made["id"], made["id"].replace("-", ""), made["conversationId"], "1", "0" * 64):
        assert stranger(lab, f"plain/links/{text}").status == 404, text


def test_nothing_keeps_a_copy(lab):
    """ai_mindmaps 185, Ente 12859: a revoked page was still in a cache."""
    made = link(lab, talk(lab, "one"))
    page = stranger(lab, made["link"])
    assert page.headers["Cache-Control"] == "no-store"
    assert not {"ETag", "Last-Modified", "Expires"} & set(page.headers)
    assert lab.call("DELETE", f"/conversation-shares/{made['id']}", **OWNER).status == 204
    reply = outside(lab).call(
        "GET", made["link"], None, **{"If-Modified-Since": "Thu, 01 Jan 2037 00:00:00 GMT",
                                      "If-None-Match": "*"})
    assert reply.status == 404


@pytest.mark.parametrize("offset", ["+02:00", "-11:00", "Z"])
def test_the_end_is_a_moment_not_a_day(lab, offset):
    """Dawarich 3112: it held until the end of somebody's day."""
    id = talk(lab, "one")
    shift = 0 if offset == "Z" else int(offset[:3]) * 3600
    soon = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 600 + shift)) + offset
    answer = lab.post("/conversation-shares", {"conversationId": id, "kind": "link",
                                               "expiresAt": soon}, **OWNER)
    if answer.status == 422:        # then it says so, and takes no other time for it
        assert answer.json["field"] == "expiresAt"
        return
    kept = answer.json["expiresAt"]
    left = time.mktime(time.strptime(kept[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone - time.time()
    assert 500 < left < 700, (soon, kept)


def test_one_made_of_a_copy_cannot_be_told_from_ones_own(lab):
    """DIAL 8495, chat-ui 270: a copy of a shared chat could not be answered, shared, copied."""
    known(lab, "rita", "ron")
    mine = fork(lab, share(lab, talk(lab, "one"), user="rita")).json["conversationId"]
    say(lab, mine, "two", **RITA)
    last = rows(lab, mine)[-1]["messageId"]
    again = lab.post(f"/conversations/{mine}/fork", {"messageId": last}, **RITA)
    assert again.status == 201, again
    answered = lab.post(f"/conversations/{mine}/regenerate", {}, **RITA)
    assert answered.status == 200, answered
    shared = lab.post("/conversation-shares", {"conversationId": mine, "user": "ron"}, **RITA)
    assert shared.status == 201, shared
    theirs = fork(lab, shared.json["id"], user="ron").json["conversationId"]
    got = rows(lab, theirs, user="ron")
    assert [m["content"] for m in got if m["role"] == "user"] == ["one", "two"]
    assert {o["name"] for m in got for o in m["metadata"]["origins"]} == {"rita"}
    # the owner has no use for a copy of their own share
    assert lab.post(f"/shared-conversations/{shared.json['id']}/fork", {}, **RITA).status == 404


def test_an_answer_that_failed_is_no_end(lab):
    """suitenumerique/conversations 99: after an error a chat could not be continued."""
    known(lab, "rita")
    id = talk(lab, "one")
    lab.post(f"/workspaces/lab/agents/helper/conversations/{id}/messages",
             {"content": script({"error": 500})}, **OWNER)
    mine = fork(lab, share(lab, id, user="rita", live=True)).json["conversationId"]
    say(lab, mine, "and now?", **RITA)


def test_a_link_that_leads_nowhere_tells_nothing(lab):
    """LibreChat 5917: the same words, whether it ever was."""
    made = link(lab, talk(lab, "one"))
    assert lab.call("DELETE", f"/conversation-shares/{made['id']}", **OWNER).status == 204

    def told(path):
        page = stranger(lab, path)
        return page.status, re.sub(r"Request \S+", "", page.text)

    assert told(made["link"]) == told("plain/links/" + "A" * 64) == told(f"plain/links/{uuid.uuid4()}")


def test_what_messengers_do_with_a_link(lab):
    """They look with HEAD, and some ask twice, with a body or another Accept."""
    path = link(lab, talk(lab, "one"))["link"]
    browser = outside(lab)
    assert browser.call("HEAD", path).body == b""
    for headers in ({"Accept": "application/json"}, {"User-Agent": "Slackbot-LinkExpanding"},
                    {"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"},
                    {"Cookie": "a=b"}, {"Authorization": "Bearer nonsense"}):
        reply = browser.call("GET", path, None, **headers)
        assert reply.status == 200 and b"Question" in reply.body, headers
        assert "Access-Control-Allow-Origin" not in reply.headers
