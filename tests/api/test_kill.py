# SPDX-License-Identifier: MIT
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
import time

import pytest

from lab import Stream, Twin, wait_until

pytestmark = [pytest.mark.threads, pytest.mark.long]

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
    # goes; the rest follows.
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
    # The parts of a turn in a journal: 32 bytes each, the numbers behind the id.
    assert lab.sql("SELECT COUNT(*) FROM (SELECT last, LEAD(first) OVER"
                   " (PARTITION BY process, turn ORDER BY number) AS follower FROM"
                   " (SELECT process, number, SUBSTR(turns, 32 * seq + 1, 16) AS turn,"
                   " CONV(HEX(SUBSTR(turns, 32 * seq + 17, 4)), 16, 10) + 0 AS first,"
                   " CONV(HEX(SUBSTR(turns, 32 * seq + 21, 4)), 16, 10) + 0 AS last"
                   " FROM turn_journal JOIN seq_0_to_99"
                   " ON 32 * seq < LENGTH(turns)) parts) e"
                   " WHERE follower <= last") == [["0"]]
    assert int(lab.sql("SELECT COUNT(*) FROM turn_journal")[0][0]) > 0

    # What each cost is there once; who closed a dead one has estimated it.
    assert lab.sql("SELECT COUNT(*) FROM turn t WHERE (SELECT COUNT(*) FROM"
                   " usage_record u WHERE u.turn_id = t.id AND u.kind = 1)"
                   " <> 1") == [["0"]]
    assert lab.sql("SELECT COUNT(*) FROM turn t JOIN usage_record u"
                   " ON u.turn_id = t.id AND u.kind = 1"
                   " WHERE (t.status = 6) <> u.estimated") == [["0"]]
    assert lab.sql("SELECT COUNT(*) FROM usage_record WHERE estimated AND"
                   " (input_tokens < 1 OR iterations < 1 OR output_tokens IS"
                   " NULL OR provider <> 'openai_compatible')") == [["0"]]


class Watch(Client):
    """A client that notes when what came, and what came in the end."""

    def run(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            stream = self.lab.stream("/chat/lab/stream", {
                "content": "!script " + json.dumps(self.script)}, user="ada")
            with contextlib.closing(stream):
                for event in stream:
                    event.at_s = time.monotonic()
                    self.events.append(event)

    def tokens(self):
        return [e for e in list(self.events) if e.name == "token"]


def close_dead(lab, turn):
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "interrupted"


def usage_of(lab, turn):
    return lab.sql("SELECT kind, estimated, input_tokens, output_tokens,"
                   " iterations, provider, model, finish_reason FROM"
                   " usage_record WHERE turn_id = UNHEX('%s')"
                   % turn.replace("-", ""))


def test_what_was_seen_and_not_stored(make_lab):
    """At most 500 ms of text (DESIGN): what came in front of that is there. A
    busy machine stores late, so the best of some kills is what counts."""
    lab = make_lab()
    answer, lost_s = " ".join(f"word{n}" for n in range(3000)), []
    for n in range(6):
        client = Watch(lab, {"text": answer, "rate": 60})
        wait_until("text to come", lambda: len(client.tokens()) > 70 + 9 * n)
        lab.stop("responder", sig=signal.SIGKILL)
        client.join()
        lab.start_responder()
        wait_until("the web server to see it",
                   lambda: lab.get("/health").status == 200)
        turn = next(e for e in client.events if e.name == "user-message"
                    ).data["turnId"]
        close_dead(lab, turn)
        stored = said(follow(lab, turn))
        assert stored and answer.startswith(stored)
        came, first = 0, None
        for event in client.tokens():
            came += len(event.data["delta"])
            if came > len(stored) and first is None:
                first = event.at_s
        lost_s.append(client.tokens()[-1].at_s - first if first else 0)
        # The model was asked once; it cost about what is stored.
        [[kind, estimated, sent, said_n, calls, provider, model, why]] = \
            usage_of(lab, turn)
        assert (kind, estimated, calls, why) == ("1", "1", "1", "interrupted")
        assert lab.sql("SELECT payer FROM usage_record WHERE estimated AND turn_id ="
                       f" x'{turn.replace('-', '')}'") == [["1"]]
        assert (provider, model) == ("openai_compatible", "demo")
        assert int(sent) > 3000		# the thread as it stands, the script
        assert int(said_n) == len(stored) // 4
        lab.get(f"/turns/{turn}", user="ada")
        assert len(usage_of(lab, turn)) == 1
    assert min(lost_s) <= 0.5, lost_s


def test_a_dead_turn_is_closed_once(make_lab):
    """By many at once, by its cancel, by a message, by a delete."""
    lab = make_lab()
    turns, conversations = [], []
    script = {"tool_calls": [TOOL], "then": {"text": ANSWER, "rate": 20}}
    clients = [Watch(lab, script) for _ in range(4)]
    wait_until("text to come", lambda: all(len(c.tokens()) > 20
                                           for c in clients))
    lab.stop("responder", sig=signal.SIGKILL)
    for client in clients:
        client.join()
        begun = next(e for e in client.events if e.name == "user-message").data
        turns.append(begun["turnId"])
        conversations.append(begun["conversationId"])
    lab.start_responder()
    wait_until("the web server to see it",
               lambda: lab.get("/health").status == 200)
    # One whose lease still runs is deleted: its process might live.
    assert lab.call("DELETE", f"/conversations/{conversations[3]}", user="ada"
                    ).status == 204
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    racers = [threading.Thread(target=lab.get, args=(f"/turns/{turns[0]}",),
                               kwargs={"user": "ada"}) for _ in range(8)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert lab.post(f"/turns/{turns[1]}/cancel", {}, user="ada"
                    ).json["status"] == "interrupted"
    assert lab.chat({"text": "next"}, conversationId=conversations[2]
                    )[-1].data["content"] == "next"
    for turn in turns[:3]:
        [[kind, estimated, sent, said_n, calls, *_]] = usage_of(lab, turn)
        assert (kind, estimated, calls) == ("1", "1", "2")
        assert int(sent) > 0 and int(said_n) > 0
    wait_until("the deleted one to lose its link",
               lambda: usage_of(lab, turns[3]) == [])
    assert lab.sql("SELECT COUNT(*) FROM usage_record WHERE estimated"
                   ) == [["4"]]


def test_a_deleted_conversation_still_cost_something(make_lab):
    """Its process lives and puts the true figures in place of the estimate."""
    lab = make_lab()
    client = Watch(lab, {"text": ANSWER, "rate": 20})
    wait_until("text to come", lambda: len(client.tokens()) > 5)
    conversation = client.events[0].data["conversationId"]
    assert lab.call("DELETE", f"/conversations/{conversation}", user="ada"
                    ).status == 204
    client.join()
    [[kind, ttft]] = wait_until("the figures", lambda: lab.sql(
        "SELECT kind, ttft_ms FROM usage_record WHERE ttft_ms IS NOT NULL"))
    assert kind == "1" and int(ttft) >= 0
    wait_until("the record to lose its link", lambda: lab.sql(
        "SELECT COUNT(*), COUNT(turn_id) FROM usage_record") == [["1", "0"]])


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
    """Turns continue without it; what they did meanwhile is there afterwards."""
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
