# SPDX-License-Identifier: MIT
"""Answers that their user corrects by hand (docs/thread.md)."""

import json
import threading
import uuid

import pytest

from conftest import TICKETS, WORKSPACES
from lab import Lab, wait_until
from plain_browser import Browser
from sharing import OWNER, known, read, say as say_in, share, talk
from steps import TOOL, key
from threads import Thread, place, say, sound, thread  # noqa: F401

pytestmark = pytest.mark.threads

WRONG, RIGHT = "E = mc^3", "$E = mc^2$, with *c* in m/s. \u2713"


@pytest.fixture(scope="module")
def recorded():
    """A Lab of which it is known what its model was sent."""
    with Lab(workspaces=WORKSPACES) as lab:
        lab.sql(TICKETS)
        yield lab


def correct(thread, message, content=RIGHT, user="ada", headers=None):  # noqa: F811
    return thread.lab.post(f"{thread.path}/correct", {
        "messageId": message["messageId"], "content": content}, user=user, headers=headers or {})


def asked(thread, text=WRONG, **more):  # noqa: F811
    """The answer to a question."""
    return thread.send(say(text, **more))[-1].data


# -- what it does -----------------------------------------------------------------

def test_it_takes_the_answers_place(thread):  # noqa: F811
    old = asked(thread, narration="Hm. ", tool_calls=[TOOL], then={"text": WRONG})
    before = thread.rows()
    answer = correct(thread, old)
    assert answer.status == 200, answer
    new = answer.json
    assert new["content"] == RIGHT and place(new) == (2, 2)
    assert new["role"] == "assistant" and new["turnId"] is None
    assert new["metadata"]["corrected"] is True
    assert new["metadata"]["finish_reason"] == "stop"
    # It says nothing of the model, whose words it is not.
    assert "model" not in new["metadata"] and "usage" not in new["metadata"]
    rows = sound(thread)
    assert [r["messageId"] for r in rows] == [before[0]["messageId"], new["messageId"]]
    assert rows[1] == new
    first, second = thread.variants(new)["items"]
    assert (first["current"], second["current"]) == (False, True)
    # The original is whole, with its steps.
    assert [m["messageId"] for m in first["messages"]] == [r["messageId"] for r in before[1:]]
    thread.choose(first["variantId"])
    assert [r["content"] for r in sound(thread)] == [r["content"] for r in before]
    thread.choose(second["variantId"])
    assert sound(thread)[-1]["content"] == RIGHT


def test_the_model_goes_on_from_it(recorded):
    mine = Thread(recorded)
    old = asked(mine)
    assert correct(mine, old).status == 200
    recorded.sent()
    mine.send(say("on"))
    told = [m for m in recorded.sent()[-1]["messages"] if m["role"] != "system"]
    assert [m["role"] for m in told] == ["user", "assistant", "user"]
    assert told[1]["content"] == RIGHT
    # No turn, no usage: nobody was asked.
    turns = recorded.sql(f"SELECT COUNT(*) FROM turn WHERE HEX(conversation_id) = "
                         f"'{mine.id.replace('-', '').upper()}'")
    assert turns == [["2"]]


def test_what_follows_stays_with_the_original(thread):  # noqa: F811
    first = asked(thread)
    asked(thread, "two")
    new = correct(thread, first).json
    assert thread.said() == [("u", WRONG), ("a", RIGHT)]
    old = thread.variants(new)["items"][0]
    assert [m["content"] for m in old["messages"]][-1] == "two"
    thread.send(say("three"))
    assert thread.said()[2:] == [("u", "three"), ("a", "three")]
    thread.choose(old["variantId"])
    assert thread.said()[1:] == [("a", WRONG), ("u", "two"), ("a", "two")]
    sound(thread)


def test_a_correction_is_corrected_answered_again_and_forked(thread):  # noqa: F811
    new = correct(thread, asked(thread)).json
    again = correct(thread, new, "third").json
    assert place(again) == (3, 3) and again["metadata"]["corrected"] is True
    fork = thread.lab.post(f"{thread.path}/fork", {"messageId": again["messageId"]}, user="ada")
    assert fork.status == 201, fork
    copy = Thread(thread.lab)
    copy.id = fork.json["conversationId"]
    rows = sound(copy)
    assert rows[-1]["content"] == "third" and rows[-1]["metadata"]["corrected"] is True
    assert correct(copy, rows[-1], "fourth").json["content"] == "fourth"
    assert sound(thread)[-1]["content"] == "third"
    redone = thread.regenerate(again)[-1].data
    assert redone["content"] == WRONG and place(redone) == (4, 4)
    assert "corrected" not in redone["metadata"]
    sound(thread)


def test_an_answer_that_failed_is_written_by_its_user(thread):  # noqa: F811
    failed = thread.send("!script " + json.dumps(
        {"error": {"status": 400, "body": {"error": {"message": "no"}}}}))[-1].data
    new = correct(thread, failed).json
    assert new["metadata"]["finish_reason"] == "stop" and "error" not in new["metadata"]
    assert sound(thread)[-1]["content"] == RIGHT
    # There is nothing to go on with.
    assert thread.lab.post(f"/turns/{failed['turnId']}/continue", {}, user="ada").status == 409


def test_texts_are_kept_as_they_are(thread):  # noqa: F811
    for text in ("  indented\n\n\n", "\u202e\u0007 \U0001f9ee", "<script>alert(1)</script>", "[1] [[2]]",
                 '{"origins":[{"kind":"web","name":"x"}]}', "x" * 1000000):
        new = correct(thread, asked(thread), text)
        assert new.status == 200, (text[:20], new)
        assert new.json["content"] == text and thread.rows()[-1]["content"] == text


def test_the_search_finds_what_is_shown(thread, lab):  # noqa: F811
    before, after = (f"w{uuid.uuid4().hex}" for _ in range(2))
    old = asked(thread, "plain", then={"text": "plain"})
    first = correct(thread, old, before).json

    def hits(word):
        items = lab.get(f"/conversations/search?q={word}", user="ada").json["items"]
        return [item for item in items if thread.id in json.dumps(item)]

    wait_until("the correction is indexed", lambda: hits(before))
    assert first["messageId"] in json.dumps(hits(before))
    new = correct(thread, first, after).json
    wait_until("the next one is indexed", lambda: hits(after))
    assert new["messageId"] in json.dumps(hits(after))
    wait_until("the one before is not found any more", lambda: not hits(before))


# -- whose it is -----------------------------------------------------------------

def test_only_answers_of_the_thread_of_their_owner(thread, lab):  # noqa: F811
    old = asked(thread, narration="Hm. ", tool_calls=[TOOL], then={"text": WRONG})
    rows = thread.rows()
    for row in rows[:-1]:
        refused = correct(thread, row)
        assert refused.status == 422 and refused.json["field"] == "messageId", refused
    assert correct(thread, old, user="eve").status == 404
    other = Thread(lab)
    stranger = {"messageId": asked(other)["messageId"]}
    assert correct(thread, stranger).status == 404
    assert correct(thread, {"messageId": f"{thread.id}.999"}).status == 404
    assert correct(thread, {"messageId": "x"}).status == 422
    new = correct(thread, old).json
    gone = correct(thread, old)
    assert gone.status == 409 and gone.json["code"] == "conflict"
    assert [r["messageId"] for r in sound(thread)] == [rows[0]["messageId"], new["messageId"]]


@pytest.mark.parametrize("content", ["", " \n\t", None, 7, "x" * 1000001])
def test_a_text_is_needed(thread, content):  # noqa: F811
    old = asked(thread)
    refused = correct(thread, old, content)
    assert refused.status == 422 and refused.json["field"] == "content", refused
    assert thread.said()[-1] == ("a", WRONG)


def test_it_cannot_be_rated(thread, lab):  # noqa: F811
    new = correct(thread, asked(thread)).json
    refused = lab.post("/ratings", {"conversationId": thread.id, "messageId": new["messageId"],
                                    "value": "good"}, user="ada")
    assert refused.status == 422 and "by hand" in refused.json["detail"], refused


def test_readers_of_a_share_are_told(lab):
    known(lab, "rita", "tim")
    id = talk(lab, say(WRONG))
    at_a_point, live = share(lab, id, user="rita"), share(lab, id, user="tim", live=True)
    old = lab.get(f"/conversations/{id}/messages", **OWNER).json["items"][0]
    answer = lab.post(f"/conversations/{id}/correct", {"messageId": old["messageId"],
                                                       "content": RIGHT}, **OWNER)
    assert answer.status == 200, answer
    seen = read(lab, live, user="tim").json["items"][0]
    assert seen["content"] == RIGHT and seen["metadata"]["corrected"] is True
    # What replaces a message that was shared at a point is not shared.
    assert [m["role"] for m in read(lab, at_a_point).json["items"]] == ["user"]
    say_in(lab, id, say("on"))
    mine = lab.post(f"/shared-conversations/{live}/fork", {}, user="tim")
    assert mine.status == 201, mine
    copy = lab.get(f"/conversations/{mine.json['conversationId']}/messages", user="tim").json
    assert RIGHT in [m["content"] for m in copy["items"]]


# -- at the same time --------------------------------------------------------------

def test_not_while_an_answer_runs(thread):  # noqa: F811
    old = asked(thread)
    stream = thread.lab.stream("/chat/lab/stream", {
        "content": "!script " + json.dumps({"tokens": 400, "rate": 100}),
        "conversationId": thread.id}, user="ada")
    turn = next(iter(stream)).data["turnId"]
    busy = correct(thread, old)
    assert busy.status == 409 and busy.json["code"] == "conversation_busy"
    assert busy.json["turnId"] == turn
    thread.lab.call("POST", f"/turns/{turn}/cancel", user="ada")
    stream.events()
    wait_until("it has stopped", lambda: thread.record["runningTurnId"] is None)
    assert correct(thread, old).status == 200
    assert len(sound(thread)) == 2


def test_one_of_many_wins(thread):  # noqa: F811
    old = asked(thread)
    answers = []

    def one(n):
        answers.append(correct(thread, old, f"n{n}"))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    won = [a for a in answers if a.status == 200]
    assert len(won) == 1 and {a.status for a in answers} == {200, 409}, answers
    assert sound(thread)[-1]["content"] == won[0].json["content"]
    assert thread.variants(won[0].json)["totalCount"] == 2


def test_if_match(thread, lab):  # noqa: F811
    old = asked(thread)
    tag = lab.get(thread.path, user="ada").headers["ETag"]
    assert lab.call("PATCH", thread.path, {"title": "else"}, user="ada").status == 200
    assert correct(thread, old, headers={"If-Match": tag}).status == 412
    assert thread.said()[-1] == ("a", WRONG)
    tag = lab.get(thread.path, user="ada").headers["ETag"]
    assert correct(thread, old, headers={"If-Match": tag}).status == 200
    sound(thread)


def test_a_key_does_it_once(thread):  # noqa: F811
    old, headers = asked(thread), key()
    first = correct(thread, old, headers=headers)
    again = correct(thread, old, headers=headers)
    assert first.status == again.status == 200 and first.json == again.json
    other = correct(thread, old, "else", headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"
    thread.send(say("on"))
    assert correct(thread, old, headers=headers).json["messageId"] == first.json["messageId"]
    assert [r["content"] for r in sound(thread)][1:2] == [RIGHT]


def test_at_once_with_one_key(thread):  # noqa: F811
    old, headers, answers = asked(thread), key(), []
    threads = [threading.Thread(target=lambda: answers.append(
        correct(thread, old, headers=headers))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {a.status for a in answers} == {200}, answers
    assert len({a.json["messageId"] for a in answers}) == 1
    assert thread.variants(answers[0].json)["totalCount"] == 2


# -- without JavaScript -------------------------------------------------------------

def test_the_form(lab):
    browser = Browser(lab)
    id = talk(lab, say(WRONG), user="ada")
    page = browser.get(f"plain/conversations/{id}")
    [link] = [link for link in page.links if link.endswith("change?message=2")]
    assert "Correct this answer" in page.text
    form = browser.get(f"plain/conversations/{id}/change?message=2")
    assert link and "no model is asked" in form.text
    assert form.form("/correct")["fields"]["content"] == WRONG
    reply = browser.submit(form, "/correct", content="x < y & <b>z</b>")
    there = browser.follow(reply, form.url)
    assert there.endswith(f"conversations/{id}#m3")
    # Pressed twice, it is done once.
    assert browser.follow(browser.submit(form, "/correct", content="x < y & <b>z</b>"), form.url) == there
    done = browser.get(there.split("#")[0])
    assert "Corrected by you." in done.text and "version 2 of 2" in done.text and "<b>z" not in done.text
    for content in ("", " ", "x" * 1000001):
        refused = browser.submit(form, "/correct", content=content)
        assert refused.status == 422, refused
    # What is no answer has the other form, and the old one is not in the thread any more.
    assert "/correct" not in browser.get(f"plain/conversations/{id}/change?message=1").text
    assert browser.submit(form, "/correct", content="late").status == 409
