# SPDX-License-Identifier: MIT
"""Editing of threads: regenerate, edit, variants, fork (docs/thread.md)."""

import json

import pytest

from conftest import TICKETS, WORKSPACES
from lab import Lab, Stream
from steps import TOOL, follow, texts
from threads import Thread, place, plain, say, sound, thread, told  # noqa: F401

pytestmark = pytest.mark.threads


@pytest.fixture(scope="module")
def recorded():
    """A Lab of which it is known what its model was sent."""
    with Lab(workspaces=WORKSPACES) as lab:
        lab.sql(TICKETS)
        yield lab


def last_request(lab):
    return [m for m in lab.sent()[-1]["messages"] if m["role"] != "system"]


# -- regenerate ---------------------------------------------------------------

def test_regenerate_takes_the_answers_place(thread):
    thread.send(say("one"))
    old = thread.send(say("two", narration="Hm. ", tool_calls=[TOOL],
                          then={"text": "two"}))[-1].data
    before = thread.rows()
    assert "variantIndex" not in old and len(before) == 6
    events = thread.regenerate()
    new = events[-1].data
    assert events[0].name == "user-message"
    assert events[0].data["messageId"] == before[2]["messageId"]
    assert events[0].data["turnId"] == new["turnId"] != old["turnId"]
    assert new["content"] == "two" and place(new) == (2, 2)
    rows = sound(thread)
    assert [r["messageId"] for r in rows[:3]] == [
        r["messageId"] for r in before[:3]]
    assert [r["role"] for r in rows] == [r["role"] for r in before]
    # Only the answer is numbered, not the steps before it.
    assert [place(r) for r in rows] == [(None, None)] * 5 + [(2, 2)]
    listed = thread.variants(new)
    assert listed["totalCount"] == 2 and listed["nextCursor"] is None
    first, second = listed["items"]
    assert not first["current"] and second["current"]
    assert first["variantId"] == before[3]["messageId"]
    assert [m["messageId"] for m in first["messages"]] == [
        r["messageId"] for r in before[3:]]
    assert [place(m) for m in first["messages"]] == [
        (None, None), (None, None), (1, 2)]
    assert second["messages"] == rows[3:]
    # The turn that was superseded can still be read, but not be continued.
    replay = follow(thread.lab, old["turnId"]).events()
    assert replay[-1].data["messageId"] == old["messageId"]
    answer = thread.lab.post(f"/turns/{old['turnId']}/continue", {}, user="ada")
    assert answer.status == 409 and answer.json["code"] == "conflict"


def test_regenerate_of_an_earlier_answer_supersedes_all_behind_it(thread):
    for text in ("one", "two", "three"):
        thread.send(say(text))
    rows = thread.rows()
    new = thread.regenerate(rows[1])[-1].data
    assert thread.said() == [("u", "one"), ("a", "one")]
    assert place(new) == (2, 2)
    first = thread.variants(new)["items"][0]
    assert [m["messageId"] for m in first["messages"]] == [
        r["messageId"] for r in rows[1:]]
    sound(thread)
    # Named by the user message it is the same.
    thread.regenerate(rows[0])
    assert place(thread.rows()[-1]) == (3, 3)
    thread.send(say("four"))
    assert thread.said()[2:] == [("u", "four"), ("a", "four")]
    sound(thread)


def test_the_model_does_not_see_what_was_superseded(recorded):
    thread = Thread(recorded)
    thread.send(say("keep"))
    thread.send(say("wrong", tool_calls=[TOOL], then={"text": "wrong"}))
    thread.send(say("gone"))
    rows = thread.rows()
    thread.regenerate(rows[2])
    sent = last_request(recorded)
    # The script continues where tool results are: its second request.
    assert [m["role"] for m in sent] == ["user", "assistant", "user",
                                         "assistant", "tool"]
    assert "gone" not in json.dumps(sent)
    thread.edit(thread.rows()[2], say("right"))
    sent = last_request(recorded)
    assert [plain(m["content"]) for m in sent] == ["keep", "keep", "right"]
    thread.send(say("next"))
    sent = last_request(recorded)
    assert [plain(m["content"]) for m in sent] == ["keep", "keep", "right",
                                                   "right", "next"]
    # And what is chosen again it sees again.
    item = thread.variants(thread.rows()[2])["items"][0]
    thread.choose(item["variantId"])
    thread.send(say("last"))
    sent = last_request(recorded)
    assert [m["role"] for m in sent] == ["user", "assistant", "user",
                                         "assistant", "tool", "assistant",
                                         "user"]


def test_regenerate_answers_a_message_without_an_answer(thread):
    """As a fork at a user message has; nothing is superseded then."""
    thread.send(say("one"))
    rows = thread.rows()
    fork = thread.lab.post(f"{thread.path}/fork",
                           {"messageId": rows[0]["messageId"]}, user="ada").json
    thread.id = fork["conversationId"]
    assert [r["role"] for r in thread.rows()] == ["user"]
    new = thread.regenerate()[-1].data
    assert place(new) == (None, None)
    assert thread.variants(new)["totalCount"] == 1
    assert [r["role"] for r in sound(thread)] == ["user", "assistant"]


def test_regenerate_of_an_empty_thread_is_refused(thread):
    answer = thread.lab.post(f"{thread.path}/regenerate", {}, user="ada")
    assert answer.status == 409 and answer.json["code"] == "conflict"
    assert thread.record["runningTurnId"] is None


def test_regenerate_by_another_agent(thread):
    thread.send(say("one"))
    events = thread.regenerate(agentId="claude")
    assert events[-1].data["metadata"]["provider"] == "anthropic"
    assert thread.record["agentId"] == "helper"
    answer = thread.lab.post(f"{thread.path}/regenerate",
                             {"agentId": "nobody"}, user="ada")
    assert answer.status == 404
    sound(thread)


def test_a_failed_regenerate_leaves_the_old_answer_a_variant(thread):
    thread.send(say("good", id=thread.id, fail_times=0))
    rows = thread.rows()
    # The same message, but by an agent whose model is told to fail.
    events = thread.edit(rows[0], say("bad", error={
        "status": 400, "body": {"error": {"message": "no"}}}))
    assert events[-1].name == "error"
    events = thread.regenerate()
    assert events[-1].name == "error" and place(events[-1].data) == (2, 2)
    sound(thread)
    user = thread.rows()[0]
    assert place(user) == (2, 2)
    thread.choose(thread.variants(user)["items"][0]["variantId"])
    assert thread.said() == [("u", "good"), ("a", "good")]
    sound(thread)


# -- edit ---------------------------------------------------------------------

def test_edit_says_it_anew(thread):
    thread.send(say("one"))
    thread.send(say("two"))
    rows = thread.rows()
    events = thread.edit(rows[2], say("second"))
    assert events[0].name == "user-message"
    assert place(events[0].data) == (2, 2)
    assert place(events[-1].data) == (None, None)
    assert events[0].data["messageId"] != rows[2]["messageId"]
    assert thread.said() == [("u", "one"), ("a", "one"), ("u", "second"),
                             ("a", "second")]
    sound(thread)


def test_variants_of_an_edited_message_that_were_edited(thread):
    """A tree of tries; each comes back as it was when it was left."""
    thread.send(say("a1"))
    thread.send(say("b1"))
    thread.regenerate()
    first = [r["messageId"] for r in thread.rows()]
    thread.edit(thread.rows()[0], say("a2"))
    thread.send(say("b2"))
    thread.edit(thread.rows()[2], say("b3"))
    second = [r["messageId"] for r in thread.rows()]
    thread.edit(thread.rows()[0], say("a3"))
    heads = [v["variantId"] for v in
             thread.variants(thread.rows()[0])["items"]]
    assert len(heads) == 3
    for _ in range(2):
        thread.choose(heads[0])
        rows = sound(thread)
        assert [r["messageId"] for r in rows] == first
        assert [place(r) for r in rows] == [(1, 3), (None, None),
                                            (None, None), (2, 2)]
        thread.choose(heads[1])
        rows = sound(thread)
        assert [r["messageId"] for r in rows] == second
        assert [place(r) for r in rows] == [(2, 3), (None, None), (2, 2),
                                            (None, None)]
    # Within it the other try is where it was.
    inner = thread.variants(rows[2])["items"][0]
    assert plain(inner["messages"][0]["content"]) == "b2"
    thread.choose(inner["variantId"])
    assert thread.said()[2] == ("u", "b2")
    sound(thread)
    # Another's inner variant has no place in this thread.
    thread.choose(heads[2])
    answer = thread.lab.post(f"{thread.path}/variants",
                             {"variantId": inner["variantId"]}, user="ada")
    assert answer.status == 409 and answer.json["code"] == "conflict"
    assert thread.said() == [("u", "a3"), ("a", "a3")]


def test_edit_of_the_first_message_titles_anew(thread):
    thread.send("What is the capital of France?")
    assert thread.record["title"] == "What is the capital of France?"
    events = thread.edit(thread.rows()[0], "What is the capital of Spain?")
    assert [e.data["title"] for e in events if e.name == "title"] == [
        "What is the capital of Spain?"]
    assert thread.record["title"] == "What is the capital of Spain?"
    thread.lab.call("PATCH", thread.path, {"title": "Mine"}, user="ada")
    events = thread.edit(thread.rows()[0], "And of Italy?")
    assert not [e for e in events if e.name == "title"]
    assert thread.record["title"] == "Mine"


def test_only_user_messages_can_be_edited(thread):
    thread.send(say("one"))
    for body, status in (
            ({"messageId": thread.rows()[1]["messageId"]}, 422),
            ({"messageId": thread.id + ".99"}, 404),
            ({"messageId": thread.id + ".0"}, 422),
            ({"messageId": thread.id + ".01"}, 422),
            ({"messageId": thread.id + ".4294967296"}, 422),
            ({"messageId": thread.id + "."}, 422),
            ({"messageId": thread.id}, 422),
            ({"messageId": "x"}, 422), ({}, 422),
            ({"messageId": "0192f000-0000-7000-8000-000000000000.1"}, 404)):
        answer = thread.lab.post(f"{thread.path}/edit",
                                 {"content": "x", **body}, user="ada")
        assert answer.status == status, (body, answer)
        if status == 422:
            assert answer.json["field"] == "messageId"
    answer = thread.lab.post(f"{thread.path}/edit", {
        "content": " ", "messageId": thread.rows()[0]["messageId"]}, user="ada")
    assert answer.status == 422 and answer.json["field"] == "content"
    assert thread.said() == [("u", "one"), ("a", "one")]


def test_superseded_messages_are_not_edited_again(thread):
    thread.send(say("one"))
    old = thread.rows()
    thread.edit(old[0], say("two"))
    for what, body in (("edit", {"content": "x"}), ("regenerate", {}),
                       ("fork", {})):
        answer = thread.lab.post(f"{thread.path}/{what}", {
            "messageId": old[0]["messageId"], **body}, user="ada")
        assert answer.status == 409, (what, answer)
        assert answer.json["code"] == "conflict"
    answer = thread.lab.get(f"{thread.path}/variants?messageId="
                            + old[1]["messageId"], user="ada")
    assert answer.status == 409
    sound(thread)


# -- variants -----------------------------------------------------------------

def test_choosing_keeps_later_turns_with_the_variant(thread):
    thread.send(say("one"))
    thread.regenerate()
    thread.send(say("two"))
    rows = thread.rows()
    heads = [v["variantId"] for v in thread.variants(rows[1])["items"]]
    before = thread.record
    record = thread.choose(heads[0])
    assert record["messageCount"] == 2
    assert record["updatedAt"] > before["updatedAt"]
    assert thread.said() == [("u", "one"), ("a", "one")]
    sound(thread)
    # The old tail continues by itself.
    thread.send(say("three"))
    assert thread.said()[2:] == [("u", "three"), ("a", "three")]
    assert thread.choose(heads[1])["messageCount"] == 4
    assert [r["messageId"] for r in sound(thread)] == [
        r["messageId"] for r in rows]
    # It is the thread already: nothing happens.
    again = thread.choose(heads[1])
    assert again == thread.record


def test_cursors_of_superseded_messages_still_lead_on(thread):
    for text in ("one", "two", "three"):
        thread.send(say(text))
    page = thread.lab.get(f"{thread.path}/messages?pageSize=2",
                          user="ada").json
    oldest = thread.lab.get(f"/workspaces/lab/agents/helper{thread.path}"
                            "/messages?pageSize=3", user="ada").json
    thread.edit(thread.rows()[2], say("new"))
    rest = thread.lab.get(f"{thread.path}/messages?cursor="
                          + page["nextCursor"], user="ada").json
    assert [plain(m["content"]) for m in rest["items"]] == ["one", "one"]
    below = thread.lab.get(f"{thread.path}/messages?before=3", user="ada").json
    assert below["items"] == rest["items"] and below["nextCursor"] is None
    rest = thread.lab.get(f"/workspaces/lab/agents/helper{thread.path}"
                          f"/messages?cursor={oldest['nextCursor']}",
                          user="ada").json
    assert [plain(m["content"]) for m in rest["items"]] == ["new", "new"]


def test_variants_have_pages(thread):
    thread.send(say("one"))
    for _ in range(6):
        thread.regenerate()
    answer = thread.rows()[1]
    assert place(answer) == (7, 7)
    page = thread.variants(answer, "&pageSize=4")
    assert len(page["items"]) == 4 and page["totalCount"] == 7
    rest = thread.variants(answer, f"&pageSize=4&cursor={page['nextCursor']}")
    assert len(rest["items"]) == 3 and rest["nextCursor"] is None
    places = [place(v["messages"][0]) for v in page["items"] + rest["items"]]
    assert places == [(n, 7) for n in range(1, 8)]
    thread.choose(page["items"][3]["variantId"])
    assert place(thread.rows()[1]) == (4, 7)
    sound(thread)


def test_long_variants_are_shown_in_part(thread):
    for n in range(12):
        thread.send(say(f"n{n}"))
    new = thread.regenerate(thread.rows()[1])[-1].data
    first = thread.variants(new)["items"][0]
    assert len(first["messages"]) == 20
    assert thread.choose(first["variantId"])["messageCount"] == 24


def test_variants_of_nothing(thread, lab):
    thread.send(say("one"))
    row = thread.rows()[0]
    listed = thread.variants(row)
    assert listed["totalCount"] == 1
    assert listed["items"][0]["variantId"] == row["messageId"]
    assert listed["items"][0]["current"] is True
    assert listed["items"][0]["messages"] == thread.rows()
    answer = lab.get(f"{thread.path}/variants", user="ada")
    assert answer.status == 422 and answer.json["field"] == "messageId"
    answer = lab.get(f"{thread.path}/variants?messageId={thread.id}.99",
                     user="ada")
    assert answer.status == 404
    answer = lab.post(f"{thread.path}/variants",
                      {"variantId": row["messageId"]}, user="ada")
    assert answer.status == 404
    answer = lab.post(f"{thread.path}/variants", {"variantId": "x"}, user="ada")
    assert answer.status == 422 and answer.json["field"] == "variantId"


# -- fork ---------------------------------------------------------------------

def test_fork_copies_up_to_a_message(thread):
    thread.send(say("one", tool_calls=[TOOL], then={"text": "one"}))
    thread.send(say("two"))
    thread.regenerate()
    thread.send(say("three"))
    rows = thread.rows()
    answer = thread.lab.post(f"{thread.path}/fork",
                             {"messageId": rows[5]["messageId"]}, user="ada")
    assert answer.status == 201, answer
    fork = answer.json
    assert answer.headers["Location"] == "../" + fork["conversationId"]
    assert fork["forkedFrom"] == {"conversationId": thread.id,
                                  "messageId": rows[5]["messageId"]}
    assert fork["messageCount"] == 6 and fork["title"] == thread.record["title"]
    copy = Thread(thread.lab)
    copy.id = fork["conversationId"]
    got = sound(copy)
    for old, new in zip(rows, got, strict=False):
        assert new["messageId"].startswith(copy.id + ".")
        assert new["turnId"] is None
        for key in ("role", "content", "createdAt", "metadata"):
            assert new[key] == old[key]
    assert len(got) == 6 and "variantCount" not in got[5]
    # Both continue by themselves.
    copy.send(say("other"))
    copy.regenerate(got[5])
    assert copy.said()[-1] == ("a", "two")
    assert thread.said()[-1] == ("a", "three")
    sound(copy)
    sound(thread)
    # A fork outlives its original, and does not name it any more.
    assert thread.lab.call("DELETE", thread.path, user="ada").status == 204
    assert "forkedFrom" not in copy.record
    sound(copy)


def test_fork_of_a_continued_answer_names_its_own(thread):
    stream = thread.lab.stream("/chat/lab/stream", {
        "content": "!script " + json.dumps({"tokens": 1000, "rate": 50}),
        "conversationId": thread.id}, user="ada")
    events = iter(stream)
    turn = next(events).data["turnId"]
    while next(events).name != "token":
        pass
    thread.lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    list(events)
    stream.close()
    Stream(*thread.lab.open("POST", f"/turns/{turn}/continue", None,
                            user="ada")).events()
    rows = thread.rows()
    assert rows[-1]["metadata"]["continues"] == rows[1]["messageId"]
    copy = Thread(thread.lab)
    copy.id = thread.lab.post(f"{thread.path}/fork", {
        "messageId": rows[-1]["messageId"]}, user="ada").json["conversationId"]
    got = copy.rows()
    assert len(got) == len(rows)
    assert got[-1]["metadata"]["continues"] == got[1]["messageId"]
    # Regenerating takes both parts of the answer away.
    new = thread.regenerate()[-1].data
    assert sound(thread)[-1]["messageId"] == new["messageId"]
    assert rows[1]["messageId"] not in [r["messageId"] for r in thread.rows()]


def test_forks_end_with_whole_messages(thread):
    thread.send(say("one", tool_calls=[TOOL], then={"text": "one"}))
    rows = thread.rows()
    for row in rows[1:3]:
        answer = thread.lab.post(f"{thread.path}/fork",
                                 {"messageId": row["messageId"]}, user="ada")
        assert answer.status == 422 and answer.json["field"] == "messageId"
    answer = thread.lab.post(f"{thread.path}/fork",
                             {"messageId": thread.id + ".99"}, user="ada")
    assert answer.status == 404


# -- others -------------------------------------------------------------------

def test_others_threads_are_not_there(thread, lab):
    thread.send(say("one"))
    thread.regenerate()
    row = thread.rows()[1]["messageId"]
    for what, body in (("regenerate", {}), ("edit", {"messageId": row,
                                                     "content": "x"}),
                       ("variants", {"variantId": row}),
                       ("fork", {"messageId": row})):
        answer = lab.post(f"{thread.path}/{what}", body, user="bob")
        assert answer.status == 404, (what, answer)
    assert lab.get(f"{thread.path}/variants?messageId={row}",
                   user="bob").status == 404
    sound(thread)


# -- dialects -------------------------------------------------------------------

def test_every_dialect_streams_them(thread):
    thread.send(say("one"))
    for dialect in ("native", "v2", "forge", "ai-sdk", "ag-ui", "openai"):
        stream = thread.redo("regenerate", {}, query=f"?dialect={dialect}")
        assert stream.status == 200
        assert "one" in json.dumps([e.data for e in stream.events()])
        row = thread.rows()[0]
        stream = thread.redo("edit", {"messageId": row["messageId"],
                                      "content": say(dialect)},
                             query=f"?dialect={dialect}")
        assert dialect in json.dumps([e.data for e in stream.events()])
        thread.edit(thread.rows()[0], say("one"))
        sound(thread)
    stream = thread.redo("regenerate", {}, query="?dialect=x")
    assert stream.status == 422
    stream.close()


def test_replay_of_a_regenerated_turn(thread):
    thread.send(say("one"))
    first = thread.regenerate()
    again = follow(thread.lab, first[0].data["turnId"]).events()
    assert texts(again) == texts(first)


# -- AI SDK -----------------------------------------------------------------------

def ai_sdk(lab, chat, content, id="m", **more):
    return lab.stream("/ai-sdk/lab", {
        "id": chat, "messages": [{"id": id, "role": "user", "parts": [
            {"type": "text", "text": content}]}], **more}, user="ada")


def test_ai_sdk_regenerates_and_edits(thread, lab):
    def send(content, **more):
        events = told(ai_sdk(lab, thread.id, content, **more))
        return events[0].data["messageId"]

    first = send(say("one"), id="m1")
    send(say("two"), id='m"2', trigger="submit-message")
    send("", trigger="regenerate-message", messages=[])
    assert place(sound(thread)[-1]) == (2, 2)
    # By the client's id of a user message, to answer it again or to edit it.
    send("", trigger="regenerate-message", messageId='m"2')
    assert place(thread.rows()[-1]) == (3, 3)
    send(say("three"), id='m"2', messageId='m"2')
    send(say("four"), id='m"2', messageId='m"2')
    assert place(sound(thread)[2]) == (3, 3)
    assert thread.said()[2:] == [("u", "four"), ("a", "four")]
    # By the turn's id, or the stored message's.
    send(say("five"), id="x", messageId=thread.rows()[2]["messageId"])
    assert thread.said()[2:] == [("u", "five"), ("a", "five")]
    send("", trigger="regenerate-message", messageId=first)
    assert thread.said() == [("u", "one"), ("a", "one")]
    assert place(sound(thread)[1]) == (2, 2)


def test_ai_sdk_refuses_what_is_not_there(thread, lab):
    told(ai_sdk(lab, thread.id, say("one"), id="m1"))
    other = Thread(lab)
    turn = other.send(say("one"))[0].data
    for id in ("m2", turn["turnId"], turn["messageId"]):
        for trigger in ("regenerate-message", "submit-message"):
            stream = ai_sdk(lab, thread.id, "x", messageId=id, trigger=trigger)
            assert stream.status == 422
            assert json.load(stream.response)["field"] == "messageId"
            stream.close()
    stream = ai_sdk(lab, "nothing there", "x", trigger="regenerate-message")
    assert stream.status == 404
    stream.close()
    sound(thread)
    assert thread.said() == [("u", "one"), ("a", "one")]
