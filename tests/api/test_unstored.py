# SPDX-License-Identifier: MIT
"""A turn whose database is away for longer than its end waits for it: the client
is handed what stores it later."""

import concurrent.futures
import json
import os
import uuid

import pytest

from lab import Lab, wait_until
from steps import dead_database
from described import check

pytestmark = [pytest.mark.threads, pytest.mark.long]

TEXT = {"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}}}


def begin(lab, script):
    s = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(script)},
                   user="ada", timeout_s=120)
    events = iter(s)
    return s, events, next(e for e in events if e.name == "user-message").data


def call(text):
    return {"tool_calls": [{"name": "held", "args": {"text": text}}],
            "then": {"text": "after " + text}}


@pytest.fixture(scope="module")
def handed(tmp_path_factory):
    """Four turns that ended while there was no database, and their ends."""
    gate = tmp_path_factory.mktemp("gate") / "gate"
    os.mkfifo(gate)
    with Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False}},
             config={"tools": {"held": {
                 "kind": "command", "description": "Waits.",
                 "parameters": TEXT, "untrusted": False, "effect": "read",
                 "command": {"run": ["/bin/sh", "-c",
                                     f"cat {gate} >/dev/null; echo '{{\"ok\":1}}'"]}}}}
             ) as lab:
        scripts = {"plain": call("plain"), "closed": call("closed"),
                   "passed": call("passed")}
        # A gate of a tool is opened once for all that wait at it.
        begun = {name: begin(lab, s) for name, s in scripts.items()}
        begun["words"] = begin(lab, {"tokens": 60, "rate": 30})
        for name in ("plain", "closed", "passed"):
            next(e for e in begun[name][1] if e.name == "tool-call")
        lab.write_config(dead_database())
        wait_until("no database", lambda: lab.get("/ready").status == 503)
        with open(gate, "w", encoding="ascii") as f:
            f.write("go")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ends = dict(zip(begun, pool.map(
                lambda b: list(b[1])[-1], begun.values())))
        lab.write_config()
        wait_until("the database", lambda: lab.get("/ready").status == 200)
        for s, _, _ in begun.values():
            s.close()
        yield lab, {name: (begun[name][2], end) for name, end in ends.items()}


def store(lab, turn, unstored, user="ada"):
    return lab.post(f"/turns/{turn}/store", {"unstored": unstored}, user=user)


def thread(lab, said):
    page = lab.get(f"/conversations/{said['conversationId']}/messages?include=steps",
                   user="ada").json
    return page["items"][::-1]


def close(lab, turn):
    """As if nobody had come back in time."""
    lab.sql("UPDATE turn SET lease_until_us = 0 WHERE id ="
            f" x'{turn.replace('-', '')}'")
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "interrupted"


def test_the_end_is_handed_to_the_client(handed):
    _, turns = handed
    for said, end in turns.values():
        assert end.name == "error", end
        meta = end.data["metadata"]
        assert meta["stored"] is False and meta["unstored"]
        assert "gone after a reload" not in meta["error"]["message"]
        # It is sealed: nothing of it can be read, or made.
        assert end.data["content"][:20] not in meta["unstored"]
        assert end.data["turnId"] == said["turnId"]


def test_only_what_was_handed_is_stored(handed):
    lab, turns = handed
    said, end = turns["plain"]
    text = end.data["metadata"]["unstored"]
    other = turns["words"][1].data["metadata"]["unstored"]
    for wrong in ("", "x", text[:-4], text[:40] + ("A" if text[40] != "A" else "B")
                  + text[41:], other, "{}"):
        r = store(lab, said["turnId"], wrong)
        assert r.status == 422 and r.json["field"] == "unstored", wrong[:50]
    assert store(lab, said["turnId"], text, user="bob").status == 404
    assert store(lab, str(uuid.uuid4()), text).status == 404
    assert len(thread(lab, said)) == 1


def test_it_is_stored_once_with_its_steps(handed):
    lab, turns = handed
    said, end = turns["plain"]
    text = end.data["metadata"]["unstored"]
    first = store(lab, said["turnId"], text)
    assert first.status == 200, first
    check("/turns/{turn}/store", "POST", first)
    assert first.json["status"] == "done"
    again = store(lab, said["turnId"], text)
    assert again.status == 200 and again.json == first.json
    rows = thread(lab, said)
    assert [r["role"] for r in rows] == ["user", "assistant", "tool", "assistant"]
    assert rows[3]["content"] == "after plain" == end.data["content"]
    assert rows[3]["messageId"] == first.json["messageId"]
    assert rows[3]["metadata"]["finish_reason"] == "stop"
    assert "stored" not in rows[3]["metadata"]
    assert lab.sql("SELECT COUNT(*), MAX(finish_reason) FROM usage_record WHERE"
                   f" turn_id = x'{said['turnId'].replace('-', '')}'") == [["1", "stop"]]
    # The conversation is free.
    r = lab.post("/chat/lab/stream", {"content": "next",
                 "conversationId": said["conversationId"]}, user="ada")
    assert r.status == 200
    again = store(lab, said["turnId"], text)
    assert again.status == 200 and again.json == first.json


@pytest.mark.parametrize("name", ["closed", "words"])
def test_it_takes_the_place_of_what_was_saved_meanwhile(handed, name):
    lab, turns = handed
    said, end = turns[name]
    close(lab, said["turnId"])
    assert thread(lab, said)[-1]["metadata"]["finish_reason"] == "interrupted"
    if name == "words":	# and something was said after it
        r = lab.post("/chat/lab/stream", {"content": "!script {\"text\":\"n\"}",
                     "conversationId": said["conversationId"]}, user="ada")
        assert r.status == 200
    r = store(lab, said["turnId"], end.data["metadata"]["unstored"])
    assert r.status == 200, r
    rows = thread(lab, said)
    mine = [m for m in rows if m["turnId"] == said["turnId"]]
    assert mine[-1]["content"] == end.data["content"]
    assert [m["role"] for m in mine] == (
        ["user", "assistant", "tool", "assistant"] if name == "closed"
        else ["user", "assistant"])
    assert len(rows) == len(mine) + (2 if name == "words" else 0)
    turn = lab.get(f"/turns/{said['turnId']}", user="ada").json
    assert turn["status"] == "done" and "error" not in turn
    count = lab.get(f"/conversations/{said['conversationId']}", user="ada").json
    assert count["runningTurnId"] is None
    assert lab.sql("SELECT COUNT(*), MAX(finish_reason) FROM usage_record WHERE"
                   f" turn_id = x'{said['turnId'].replace('-', '')}'") == [["1", "stop"]]


def test_where_the_thread_has_gone_on_there_is_no_place(handed):
    lab, turns = handed
    said, end = turns["passed"]
    close(lab, said["turnId"])
    r = lab.post("/chat/lab/stream", {"content": "!script {\"text\":\"n\"}",
                 "conversationId": said["conversationId"]}, user="ada")
    assert r.status == 200
    before = thread(lab, said)
    r = store(lab, said["turnId"], end.data["metadata"]["unstored"])
    assert r.status == 409 and r.json["code"] == "conflict"
    assert thread(lab, said) == before
