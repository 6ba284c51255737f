"""Kill tests: the responder dies (SIGKILL) in the middle of streams.

Whatever the moment: every turn ends in a final status, what is stored is a
prefix of what the model sent, no event is doubled, no conversation stays busy.
"""

import contextlib
import http.client
import json
import os
import random
import signal
import subprocess
import threading

import pytest

from lab import Stream, wait_until
from test_events import Twin

pytestmark = pytest.mark.threads

FINAL = {"done", "error", "cancelled", "interrupted"}
TOOL = {"name": "query_data", "args": {"dataset": "tickets", "limit": 3}}
NARRATION = "Let me look at the tickets first, one moment please. "
ANSWER = " ".join(f"word{n}" for n in range(60))
SCRIPTS = [
    {"text": ANSWER, "rate": 60},
    {"narration": NARRATION, "tool_calls": [TOOL, TOOL], "rate": 60,
     "then": {"text": ANSWER, "rate": 60}},
    {"tool_calls": [TOOL], "then": {"narration": NARRATION, "rate": 80,
     "tool_calls": [{**TOOL, "args": {**TOOL["args"], "limit": 4}}],
     "then": {"text": ANSWER, "rate": 200}}},
    {"text": ANSWER},
]
# When the responder dies, after the first event of each stream.
MOMENTS_S = [0.0, 0.03, 0.1, 0.25, 0.4, 0.7, 1.1]


class Client(threading.Thread):
    """Reads one stream as far as it comes."""

    def __init__(self, lab, script):
        super().__init__()
        self.lab, self.script, self.events = lab, script, []
        self.start()

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            stream = self.lab.stream("/chat/lab/stream", {
                "content": "!script " + json.dumps(self.script)}, user="ada")
            with contextlib.closing(stream):
                if stream.status == 200:
                    for event in stream:
                        self.events.append(event)


def follow(lab, turn, after=0):
    return Stream(*lab.open("GET", f"/turns/{turn}/events?after={after}",
                            user="ada")).events()


def said(events):
    """The text since the last reset."""
    text = ""
    for e in events:
        if e.name == "token":
            text += e.data["delta"]
        elif e.name == "token-reset":
            text = ""
    return text


def check_turn(lab, client):
    first = next(e for e in client.events if e.name == "user-message").data
    turn, conversation = first["turnId"], first["conversationId"]
    events = follow(lab, turn)
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] in FINAL
    ids = [int(e.id) for e in events]
    assert ids == sorted(set(ids)), ids
    assert [e.name in ("done", "error") for e in events] == \
        [False] * (len(events) - 1) + [True]
    # Each call once, each answered at most once.
    for name in ("tool-call", "tool-result"):
        calls = [e.data["callId"] for e in events if e.name == name]
        assert len(calls) == len(set(calls))
    answer = events[-1].data["content"]
    assert ANSWER.startswith(answer) or NARRATION.startswith(answer), answer
    assert said(events) == answer
    # What the client saw is the beginning of what is there, as far as that
    # goes; what it goes on with is the rest.
    seen = [int(e.id) for e in client.events if e.id]
    rest = follow(lab, turn, seen[-1]) if seen[-1] < ids[-1] else []
    assert all(int(e.id) > seen[-1] for e in rest)
    if client.events[-1].name == "done":
        assert client.events[-1].data == events[-1].data
    rows = lab.get(f"/conversations/{conversation}/messages",
                   user="ada").json["items"]
    assert rows[0]["content"] == answer and rows[0]["role"] == "assistant"
    assert lab.get(f"/conversations/{conversation}",
                   user="ada").json["runningTurnId"] is None
    assert lab.chat({"text": "next"}, conversationId=conversation
                    )[-1].data["content"] == "next"
    return events[-1].data["metadata"]["finish_reason"]


def test_responder_killed_in_mid_stream(make_lab):
    lab = make_lab()
    ends = []
    for moment_s in MOMENTS_S:
        clients = [Client(lab, script) for script in SCRIPTS]
        wait_until("all streams", lambda: all(
            any(e.name == "user-message" for e in c.events) for c in clients))
        late = threading.Event()
        late.wait(moment_s + random.random() / 20)
        lab.stop("responder", sig=signal.SIGKILL)
        for client in clients:
            client.join()
        lab.start_responder()
        wait_until("the web server to see it",
                   lambda: lab.get("/health").status == 200)
        # Their leases run out; the test need not wait for the clock.
        lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
        ends += [check_turn(lab, client) for client in clients]
    assert "interrupted" in ends and "stop" in ends, ends
    assert lab.sql("SELECT COUNT(*) FROM turn WHERE status IN (1, 2)") == [["0"]]
    assert lab.sql("SELECT COUNT(*) FROM conversation"
                   " WHERE running_turn_id IS NOT NULL") == [["0"]]
    assert lab.sql("SELECT COUNT(*) FROM (SELECT turn_id, seq, seq + n AS next,"
                   " LEAD(seq) OVER (PARTITION BY turn_id ORDER BY seq) AS follower"
                   " FROM turn_event) e WHERE follower < next") == [["0"]]


def database(*argv):
    subprocess.run([os.environ["LAMPLIGHTER_TEST_DB_DIR"] + "/restart", *argv],
                   check=True)


def database_answers(lab):
    try:
        return lab.sql("SELECT 1")
    except AssertionError:
        return False


@pytest.mark.parametrize("sig", ["KILL", "TERM"])
def test_database_killed_in_mid_stream(make_lab, sig):
    """Turns go on without it; what they did meanwhile is there afterwards."""
    lab = make_lab()
    for moment_s in MOMENTS_S[:5]:
        clients = [Client(lab, script) for script in SCRIPTS]
        wait_until("all streams", lambda: all(
            any(e.name == "user-message" for e in c.events) for c in clients))
        late = threading.Event()
        late.wait(moment_s + random.random() / 20)
        database("stop", sig)
        try:
            late.wait(random.random())
        finally:
            database("start")
        wait_until("the database", lambda: database_answers(lab))
        for client in clients:
            client.join()
            # All of it reached the client, whatever the database did.
            assert client.events[-1].name in ("done", "error"), client.events
            if client.events[-1].name == "done":
                assert client.events[-1].data["content"] == ANSWER
        wait_until("health", lambda: lab.get("/ready").status == 200)
        # One that the database was away for too long for is left as it is.
        lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
        for client in clients:
            check_turn(lab, client)
    assert lab.sql("SELECT COUNT(*) FROM turn WHERE status IN (1, 2)") == [["0"]]


def test_follower_in_another_process_sees_the_death(make_lab):
    lab = make_lab()
    with Twin(lab) as other:
        client = Client(lab, {"text": ANSWER, "rate": 20})
        wait_until("text", lambda: sum(e.name == "token"
                                       for e in client.events) > 5)
        turn = client.events[0].data["turnId"]
        rest = []
        reader = threading.Thread(target=lambda: rest.extend(
            follow(other, turn, client.events[-1].id)))
        reader.start()
        lab.stop("responder", sig=signal.SIGKILL)
        client.join()
        lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
        reader.join(timeout=20)
        assert rest[-1].name == "done"
        assert rest[-1].data["metadata"]["finish_reason"] == "interrupted"
        assert ANSWER.startswith(rest[-1].data["content"])
        assert int(rest[-1].id) > int(client.events[-1].id)
