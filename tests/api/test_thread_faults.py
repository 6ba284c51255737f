# SPDX-License-Identifier: MIT
"""Editing of threads when something else happens: running turns, two tabs, a
database that refuses, a process that dies."""

import json
import signal
import threading

import pytest

from lab import Stream, wait_until
from steps import TOOL
from threads import Thread, place, say, sound, thread  # noqa: F401

pytestmark = pytest.mark.threads


def killed(lab, stream):
    """The responder dies in a turn whose lease has run out; a new one takes over."""
    lab.stop("responder", sig=signal.SIGKILL)
    stream.close()
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)


def test_a_running_turn_is_not_disturbed(thread, lab):
    thread.send(say("one"))
    thread.regenerate()
    rows = thread.rows()
    heads = [v["variantId"] for v in thread.variants(rows[1])["items"]]
    stream = lab.stream("/chat/lab/stream", {
        "content": "!script " + json.dumps({"tokens": 1000, "rate": 50}),
        "conversationId": thread.id}, user="ada")
    events = iter(stream)
    turn = next(events).data["turnId"]
    for what, body in (("regenerate", {}),
                       ("edit", {"messageId": rows[0]["messageId"],
                                 "content": "x"}),
                       ("variants", {"variantId": heads[0]})):
        answer = lab.post(f"{thread.path}/{what}", body, user="ada")
        assert answer.status == 409, (what, answer)
        assert answer.json["code"] == "conversation_busy"
        assert answer.json["turnId"] == turn
    # Reading and forking what is there already does no harm.
    assert thread.variants(rows[1])["totalCount"] == 2
    assert lab.post(f"{thread.path}/fork", {
        "messageId": rows[1]["messageId"]}, user="ada").status == 201
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    assert list(events)[-1].name == "done"
    stream.close()
    sound(thread)


def test_two_tabs_that_edit_at_once_have_one_winner(thread, lab):
    thread.send(say("one"))
    row = thread.rows()[0]
    got = []
    gate = threading.Barrier(6)

    def edit(n):
        gate.wait()
        stream = thread.redo("edit", {
            "messageId": row["messageId"],
            "content": say(f"tab {n}", first_byte_ms=700)})
        if stream.status == 200:
            got.append((200, stream.events()[-1].data["content"]))
        else:
            got.append((stream.status, json.load(stream.response)["code"]))
            stream.close()

    tabs = [threading.Thread(target=edit, args=(n,)) for n in range(6)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(s for s, _ in got) == [200] + [409] * 5, got
    winner = next(text for status, text in got if status == 200)
    assert {code for status, code in got if status == 409} == {
        "conversation_busy"}
    assert thread.said() == [("u", winner), ("a", winner)]
    assert thread.variants(thread.rows()[0])["totalCount"] == 2
    sound(thread)


def count(lab, conversation):
    return [int(lab.sql(f"SELECT COUNT(*) FROM {table} WHERE {where}")[0][0])
            for table, where in (
                ("conversation", f"id = {conversation}"),
                ("conversation", f"forked_from = {conversation}"),
                ("message", f"conversation_id = {conversation}"),
                ("variant", f"conversation_id = {conversation}"),
                ("turn", f"conversation_id = {conversation}"),
                ("usage_record", f"conversation_id = {conversation}"))]


def test_deleting_leaves_nothing_of_variants(thread, lab):
    thread.send(say("one"))
    thread.send(say("two"))
    thread.regenerate()
    thread.edit(thread.rows()[0], say("three"))
    lab.post(f"{thread.path}/fork", {
        "messageId": thread.rows()[0]["messageId"]}, user="ada")
    id = f"UNHEX(REPLACE('{thread.id}','-',''))"
    assert count(lab, id) == [1, 1, 7, 4, 4, 4]
    records = lab.sql("SELECT COUNT(*) FROM usage_record")
    assert lab.call("DELETE", thread.path, user="ada").status == 204
    wait_until("nothing is left", lambda: count(lab, id) == [0] * 6)
    assert lab.sql("SELECT COUNT(*) FROM usage_record") == records


def test_a_commit_that_is_refused_supersedes_nothing(make_lab):
    """The cut and the turn are one transaction."""
    lab = make_lab()
    thread = Thread(lab)
    thread.send(say("one"))
    before = [r["messageId"] for r in thread.rows()]
    lab.sql("CREATE TRIGGER no_more BEFORE INSERT ON turn FOR EACH ROW"
            " SIGNAL SQLSTATE '45000'")
    for what, body in (("regenerate", {}),
                       ("edit", {"messageId": before[0], "content": "x"})):
        answer = lab.post(f"{thread.path}/{what}", body, user="ada")
        assert answer.status == 500, (what, answer)
        assert [r["messageId"] for r in sound(thread)] == before
    assert lab.sql("SELECT COUNT(*) FROM variant") == [["0"]]
    lab.sql("DROP TRIGGER no_more")
    thread.regenerate()
    sound(thread)


@pytest.mark.parametrize("script", [
    {"text": "late", "first_byte_ms": 20000},
    {"narration": "Hm. ", "tool_calls": [TOOL],
     "then": {"text": "late", "first_byte_ms": 20000}},
    {"text": " ".join("word" for _ in range(500)), "rate": 50}])
def test_killed_in_mid_regenerate(make_lab, script):
    """The old answer is not lost, and the thread is not busy for ever."""
    lab = make_lab()
    thread = Thread(lab)
    thread.send(say("one"))
    rows = thread.rows()
    wanted = {"late": "token-reset"} if "tool_calls" in script else {}
    stream = thread.redo("edit", {"messageId": rows[0]["messageId"],
                                  "content": "!script " + json.dumps(script)})
    events = iter(stream)
    next(events)
    if wanted:
        while next(events).name != wanted["late"]:
            pass
    killed(lab, stream)
    answers = sound(thread)
    assert answers[-1]["metadata"]["finish_reason"] == "interrupted"
    # Now the regenerate itself dies.
    stream = thread.redo("regenerate", {})
    next(iter(stream))
    killed(lab, stream)
    got = sound(thread)
    assert got[-1]["metadata"]["finish_reason"] == "interrupted"
    assert place(got[-1]) == (2, 2)
    first = thread.variants(got[-1])["items"][0]
    assert [m["messageId"] for m in first["messages"]] == [
        r["messageId"] for r in answers[1:]]
    thread.choose(first["variantId"])
    assert [r["messageId"] for r in sound(thread)] == [
        r["messageId"] for r in answers]
    # What was cut short in it can be continued: it is the last again.
    turn = answers[-1]["turnId"]
    stream = Stream(*lab.open("POST", f"/turns/{turn}/continue", None,
                              user="ada"))
    assert stream.status == 200
    assert next(iter(stream)).name == "user-message"
    stream.close()
