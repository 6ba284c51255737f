# SPDX-License-Identifier: MIT
"""Turns that were cut short are continued: POST /turns/{t}/continue."""

import json
import signal

import pytest

from lab import wait_until
from steps import TOOL, follow, rising, start, texts

pytestmark = pytest.mark.threads

FAILS_ONCE = {"narration": "Looking. ", "tool_calls": [TOOL], "then": {
    "id": "continue-once", "fail_times": 1, "text": "Two tickets.",
    "error": {"status": 400, "body": {"error": {"message": "no"}}}}}


def go_on(lab, turn, user="ada"):
    return lab.stream(f"/turns/{turn}/continue", None, user=user)


def thread(lab, conversation):
    items = lab.get(f"/conversations/{conversation}/messages?include=steps&pageSize=100",
                    user="ada").json["items"]
    return items[::-1]


def test_goes_on_from_the_last_step(lab):
    """Its tool calls are not made again."""
    told = start(lab, FAILS_ONCE).events()
    assert told[-1].name == "error"
    first = told[0].data
    events = go_on(lab, first["turnId"]).events()
    assert events[-1].name == "done"
    assert events[-1].data["content"] == "Two tickets."
    assert not [e for e in events if e.name == "tool-call"]
    rising(events)
    again = events[0]
    assert again.name == "user-message"
    assert again.data["messageId"] == first["messageId"]
    assert again.data["turnId"] == events[-1].data["turnId"] != first["turnId"]
    rows = thread(lab, first["conversationId"])
    assert [r["role"] for r in rows] == ["user", "assistant", "tool",
                                         "assistant", "assistant"]
    assert rows[4]["metadata"]["continues"] == rows[3]["messageId"]
    assert rows[3]["metadata"]["finish_reason"] == "error"
    # The new turn can be read back like any other.
    assert texts(follow(lab, again.data["turnId"]).events()) == texts(events)
    state = lab.get(f"/turns/{again.data['turnId']}", user="ada").json
    assert state["status"] == "done"


def test_goes_on_after_cancel_in_mid_text(lab):
    stream = start(lab, {"tokens": 1000, "rate": 50})
    events, seen = iter(stream), []
    while sum(e.name == "token" for e in seen) < 5:
        seen.append(next(events))
    turn = seen[0].data["turnId"]
    busy = lab.post(f"/turns/{turn}/continue", {}, user="ada")
    assert busy.status == 409 and busy.json["turnId"] == turn
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    old = list(events)[-1].data
    stream.close()
    assert old["metadata"]["finish_reason"] == "cancelled"
    end = go_on(lab, turn).events()[-1]
    assert end.name == "done" and end.data["content"]
    assert end.data["metadata"]["continues"] == old["messageId"]
    rows = thread(lab, old["conversationId"])
    assert rows[1]["content"] == old["content"]
    assert rows[-1]["content"] == end.data["content"]
    assert [r["role"] for r in rows].count("user") == 1
    # It was continued: not a second time, and not a turn that ended well.
    for ended in (turn, end.data["turnId"]):
        answer = lab.post(f"/turns/{ended}/continue", {}, user="ada")
        assert answer.status == 409 and answer.json["code"] == "conflict"
    assert lab.chat({"text": "next"}, conversationId=old["conversationId"]
                    )[-1].name == "done"


def test_others_turns_do_not_go_on(lab):
    told = start(lab, {"text": "x"}).events()
    answer = lab.post(f"/turns/{told[0].data['turnId']}/continue", {}, user="bob")
    assert answer.status == 404


def test_goes_on_after_the_process_died(make_lab):
    lab = make_lab()
    stream = start(lab, {"narration": "Looking. ", "tool_calls": [TOOL],
                         "then": {"first_byte_ms": 1500, "text": "Found."}})
    events, seen = iter(stream), []
    while not seen or seen[-1].name != "token-reset":
        seen.append(next(events))
    turn = seen[0].data["turnId"]
    # A step that only read is stored while the model is asked.
    wait_until("the step", lambda: lab.sql(
        "SELECT COUNT(*) FROM message WHERE role = 4") == [["1"]])
    lab.stop("responder", sig=signal.SIGKILL)
    stream.close()
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)
    end = go_on(lab, turn).events()[-1]
    assert end.name == "done", json.dumps(end.data)
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "interrupted"
    rows = thread(lab, end.data["conversationId"])
    assert [r["role"] for r in rows][:4] == ["user", "assistant", "tool",
                                             "assistant"]
    assert rows[-1]["metadata"]["continues"] == rows[3]["messageId"]
