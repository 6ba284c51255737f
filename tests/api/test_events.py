# SPDX-License-Identifier: MIT
"""Turns that are read from outside: replay, following, long poll."""

import http.client
import json
import threading
import time

import pytest

from lab import Twin
from steps import TOOL, follow, rising, start, texts

pytestmark = pytest.mark.threads

LONG = {"reasoning": "first think", "narration": "Let me look. ",
        "tool_calls": [TOOL], "then": {"tokens": 60, "rate": 60}}


def test_finished_turn_replays(lab):
    told = start(lab, LONG).events()
    turn = told[0].data["turnId"]
    again = follow(lab, turn).events()
    assert texts(again) == texts(told)
    rising(again)
    assert again[-1].id == told[-1].id
    assert len(again) < len(told) / 2      # joined


def test_every_number_can_be_gone_on_from(lab):
    """Also those inside a batch, and those that are not stored."""
    told = start(lab, {**LONG, "then": {"tokens": 12}}).events()
    turn = told[0].data["turnId"]
    for i, event in enumerate(told[:-1]):
        rest = follow(lab, turn, event.id).events()
        assert texts(rest) == texts(told[i + 1:]), event
        rising(rest)
    assert lab.get(f"/turns/{turn}/events?after={told[-1].id}",
                   user="ada").status == 204


def test_last_event_id_header(lab):
    told = start(lab, {"text": "a b c d e f"}).events()
    turn = told[0].data["turnId"]
    middle = told[len(told) // 2]
    rest = follow(lab, turn, after=1,
                  headers={"Last-Event-ID": middle.id}).events()
    assert texts(rest) == texts(told[told.index(middle) + 1:])


def test_running_turn_is_followed(lab):
    """The reload in mid-stream: nothing lost, nothing twice."""
    stream = start(lab, LONG)
    seen, events = [], iter(stream)
    while sum(e.name == "token" for e in seen) < 15:
        seen.append(next(events))
    stream.close()
    turn = seen[0].data["turnId"]
    rest = follow(lab, turn, seen[-1].id).events()
    assert rest[-1].name == "done"
    rising(seen + rest)
    whole = follow(lab, turn).events()
    assert texts(seen + rest) == texts(whole)
    text = "".join(t for kind, t in texts(whole)[-2:-1])
    assert text == whole[-1].data["content"]


def test_many_followers_of_one_turn(lab):
    stream = start(lab, LONG)
    first = next(iter(stream))
    got = [None] * 8

    def read(i):
        got[i] = follow(lab, first.data["turnId"]).events()

    threads = [threading.Thread(target=read, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    told = [first, *stream.events()]
    for t in threads:
        t.join()
    for events in got:
        assert texts(events) == texts(told)


def test_long_poll(lab):
    stream = start(lab, LONG)
    turn = next(iter(stream)).data["turnId"]
    stream.close()
    items, polls, done = [], 0, False
    while not done:
        after = items[-1]["id"] if items else 0
        answer = lab.get(f"/turns/{turn}/events?wait=20&after={after}",
                         user="ada")
        assert answer.status == 200, answer
        page = answer.json
        assert page["items"] or page["done"]
        items += page["items"]
        done = page["done"]
        polls += 1
    assert polls > 2
    whole = follow(lab, turn).events()
    ids = [i["id"] for i in items]
    assert ids == sorted(set(ids)) and items[-1]["event"] == "done"
    assert "".join(i["data"]["delta"] for i in items if i["event"] == "token") \
        == "".join(e.data["delta"] for e in whole if e.name == "token")
    page = lab.get(f"/turns/{turn}/events?wait=20&after={ids[-1]}",
                   user="ada").json
    assert page == {"items": [], "done": True}


def test_poll_without_news_is_empty(lab):
    stream = start(lab, {"text": "late", "first_byte_ms": 3000})
    turn = next(iter(stream)).data["turnId"]
    page = lab.get(f"/turns/{turn}/events?wait=0", user="ada").json
    last = page["items"][-1]["id"]
    page = lab.get(f"/turns/{turn}/events?wait=0&after={last}", user="ada").json
    assert page == {"items": [], "done": False}
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    assert stream.events()[-1].name == "done"


@pytest.mark.parametrize("query,field", [
    ("after=-1", "after"), ("after=x", "after"), ("wait=26", "wait"),
    ("wait=-1", "wait"), ("wait=-2", "wait"), ("wait=soon", "wait")])
def test_bad_queries(lab, query, field):
    turn = start(lab, {"text": "x"}).events()[0].data["turnId"]
    answer = lab.get(f"/turns/{turn}/events?{query}", user="ada")
    assert answer.status == 422 and answer.json["field"] == field


def test_others_turns_are_not_there(lab):
    turn = start(lab, {"text": "mine"}).events()[0].data["turnId"]
    for path in (f"/turns/{turn}/events", f"/turns/{turn}/events?wait=0"):
        assert lab.get(path, user="bob").json["code"] == "not_found"
    unknown = turn[:-4] + "0000"
    assert lab.get(f"/turns/{unknown}/events", user="ada").status == 404


def test_old_turn_has_its_end(lab):
    told = start(lab, LONG).events()
    turn = told[0].data["turnId"]
    lab.sql(f"DELETE FROM turn_event WHERE turn_id = UNHEX('{turn.replace('-', '')}')")
    lab.sql("DELETE FROM turn_journal")
    again = follow(lab, turn).events()
    assert [e.name for e in again] == ["done"]
    assert again[0].data == told[-1].data


def test_followed_in_another_process(lab):
    with Twin(lab) as other:
        stream = start(lab, LONG)
        seen, events = [], iter(stream)
        while sum(e.name == "token" for e in seen) < 10:
            seen.append(next(events))
        turn = seen[0].data["turnId"]
        rest = follow(other, turn, seen[-1].id).events()
        told = seen + list(events)
        stream.close()
        assert texts(seen + rest) == texts(told)
        rising(seen + rest)
        assert texts(follow(other, turn).events()) == texts(told)
        # Stopped from the other process.
        stream = start(lab, {"tokens": 10000, "rate": 50})
        turn = next(iter(stream)).data["turnId"]
        assert other.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
        assert follow(other, turn).events()[-1].data["metadata"][
            "finish_reason"] == "cancelled"
        stream.close()


def test_a_poll_does_not_keep_a_process(lab):
    """One that is told to stop answers what it has, and the client asks again."""
    with Twin(lab, config={"threads": {"grace_s": 600}}) as other:
        stream = start(lab, {"text": "late", "first_byte_ms": 600000})
        turn = next(iter(stream)).data["turnId"]
        connection = http.client.HTTPConnection("127.0.0.1", other.port)
        connection.request("GET", f"/chat/api/v1/turns/{turn}/events?wait=25"
                           "&after=100", headers=lab.identity("ada"))
        assert other.get("/health").status == 200	# it is behind the poll
        began = time.monotonic()
        assert other.stop("responder", deadline_s=60) == 0
        assert time.monotonic() - began < 20	# the poll's own wait is 25 s
        answer = connection.getresponse()
        assert answer.status == 200
        assert json.load(answer) == {"items": [], "done": False}
        connection.close()
        lab.post(f"/turns/{turn}/cancel", {}, user="ada")
        stream.close()


@pytest.mark.parametrize("dialect", ["v2", "forge", "ai-sdk", "ag-ui", "openai"])
def test_replays_in_every_dialect(lab, dialect):
    turn = start(lab, LONG).events()[0].data["turnId"]
    answer = lab.get(f"/turns/{turn}/events?dialect={dialect}", user="ada")
    assert answer.status == 200 and b"data: " in answer.body, answer
    bad = lab.get(f"/turns/{turn}/events?dialect=klingon", user="ada")
    assert bad.status == 422 and bad.json["field"] == "dialect"


def first_blocks(lab, method, path, body=None):
    """The first blocks of a stream as they came, up to the first event's."""
    connection, response = lab.open(method, path, body, user="ada")
    blocks, block = [], []
    while not blocks or not any(line.startswith("event:") for line in blocks[-1]):
        line = response.readline().decode()
        assert line, blocks
        if line == "\n":
            blocks, block = [*blocks, block], []
        else:
            block.append(line.rstrip("\n"))
    response.close()
    connection.close()
    return blocks


@pytest.mark.parametrize("dialect", ["native", "v2", "forge"])
def test_retry_stands_in_the_first_events_block(lab, dialect):
    """In a block of its own some clients take it for an event."""
    sent = first_blocks(lab, "POST", f"/chat/lab/stream?dialect={dialect}",
                        {"content": "Hello."})
    turn = lab.chat("Hello.")[0].data["turnId"]
    replayed = first_blocks(lab, "GET", f"/turns/{turn}/events?dialect={dialect}")
    for blocks in (sent, replayed):
        assert blocks[0] == [": ok"]
        assert blocks[-1][0] == "retry: 2000"
        assert not any("retry" in line for block in blocks[:-1] for line in block)


def test_retry_of_notifications_as_well(lab):
    blocks = first_blocks(lab, "GET", "/notifications")
    assert blocks[0] == [": ok"]
    assert blocks[-1][:2] == ["retry: 2000", "event: ready"]
