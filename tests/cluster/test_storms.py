# SPDX-License-Identifier: MIT
"""Nodes that go away under streaming turns with tools. With a list of hosts no
turn is lost, no answer is wrong, and no tool runs twice."""

import concurrent.futures
import contextlib
import json
import time
import uuid

import pytest

from conftest import STORMS
from lab import wait_until

STREAMS = 50 if STORMS > 1 else 12


def sums(cluster, database):
    text = "; ".join(f"CHECKSUM TABLE {t}" for t in
                     ("conversation", "message", "turn", "turn_event",
                      "turn_journal", "usage_record"))
    return [node.sql(text, database) for node in cluster.nodes]


def turn(lab, text, tokens=160):
    """The stored answer, the text that was streamed, the longest pause between two
    events of the stream in seconds."""
    script = {"tool_calls": [{"name": "note", "args": {"text": text}}],
              "then": {"tokens": tokens, "rate": 20}}
    last, longest, events = time.monotonic(), 0, []
    with contextlib.closing(lab.stream("/chat/lab/stream", {
            "content": "!script " + json.dumps(script)}, user="ada")) as stream:
        assert stream.status == 200, stream.response.read()
        for event in stream:
            now = time.monotonic()
            longest, last = max(longest, now - last), now
            events.append(event)
    assert events[-1].name == "done", events[-3:]
    told = "".join(e.data["delta"] if "delta" in e.data else
                   e.data.get("text", "") for e in events if e.name == "token")
    return events[-1].data, told, longest


def frozen(node):
    node.freeze()


def killed(node):
    node.kill()


def stopped(node):
    node.stop()


def read_only(node):
    node.sql("SET GLOBAL read_only=1")


def isolated(node):
    node.isolate()


def restarted_one_by_one(node):
    """A planned update of all: each is back before the next one goes."""
    for one in node.cluster.nodes:
        one.stop()
        one.start()
        node.cluster.wait_synced()


def two_killed(node):
    """The last one has no quorum until the admin says that it counts."""
    *gone, left = node.cluster.nodes
    for one in gone:
        one.kill()
    wait_until("the last node to notice", lambda:
               left.status("wsrep_cluster_status") == "non-Primary", 60)
    left.count_for_all()
    wait_until("the last node to serve", left.synced, 60)


# A planned stop is the mildest; with ./lamp soak cluster it has its turn too.
# Each takes most of a minute: one run has those in which a node hangs, is cut off
# and is killed, the soak has all.
@pytest.mark.parametrize("what", [frozen, isolated, two_killed,
                                  *([killed, read_only, restarted_one_by_one,
                                     stopped] if STORMS > 1 else [])])
@pytest.mark.parametrize("number", range(STORMS))
def test_a_node_goes_away(whole, listed, what, number):
    # The first responder prefers the node that goes.
    before = len(listed[0].runs())
    texts = [f"s{i}-{uuid.uuid4().hex[:8]}" for i in range(STREAMS)]
    with concurrent.futures.ThreadPoolExecutor(STREAMS + 1) as pool:
        turns = [pool.submit(turn, listed[i % 3], t)
                 for i, t in enumerate(texts)]
        # Without a quorum a request that comes then is refused (503), so all must
        # have begun; else some begin in the midst of it.
        begun = STREAMS if what is two_killed else STREAMS // 2
        wait_until("the tools to run", lambda: len(listed[0].runs()) >=
                   before + begun, 60)
        storm = pool.submit(what, whole[0])
        # There is a quorum all the time: turns are begun meanwhile, too.
        while what is restarted_one_by_one and not storm.done():
            texts.append(f"m-{uuid.uuid4().hex[:8]}")
            turn(listed[len(texts) % 3], texts[-1], tokens=20)
        storm.result()
        ends = [t.result(timeout=240) for t in turns]
    assert sorted(listed[0].runs()[before:]) == sorted(texts)
    # New ones go on, on each of them.
    for lab in listed:
        turn(lab, "after")
    whole.heal()
    print(f"{what.__name__}: {len(ends)} streams, longest wait"
          f" {max(longest for *_, longest in ends):.1f} s")
    for (end, told, _), lab in zip(ends, listed * STREAMS):
        conversation = end["messageId"].rpartition(".")[0]
        items = lab.get(f"/conversations/{conversation}/messages",
                        user="ada").json["items"]
        assert [m["content"] for m in items
                if m["messageId"] == end["messageId"]] == [told]
    wait_until("the same rows on all nodes", lambda: len({
        json.dumps(s) for s in sums(whole, listed[0].database)}) == 1, 60)
    # And the first one goes back to the node that it prefers.
    wait_until("the preferred node to be used again", lambda: (
        turn(listed[0], "back"),
        int(whole[0].sql("SELECT COUNT(*) FROM information_schema.processlist"
                         f" WHERE db = '{listed[0].database}'")[0][0]))[1], 90)


def test_ready_and_doctor_name_the_hosts(whole, listed):
    whole[1].freeze()
    r = listed[0].command("doctor", check=False)
    name = f"127.0.0.1:{whole[1].port}"
    line = [x for x in r.stdout.splitlines() if name in x]
    assert line and "does not answer" in " ".join(line), r.stdout
    whole[1].thaw()
    ready = listed[0].get("/ready")
    assert ready.status == 200
    hosts = ready.json["checks"]["database"]["hosts"]
    assert len(hosts) == 3 and all(isinstance(h["ok"], bool) for h in hosts)
