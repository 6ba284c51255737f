"""Nodes that go away under streaming turns with tools. With a list of hosts no
turn is lost, no answer is wrong, and no tool runs twice."""

import concurrent.futures
import json
import uuid

import pytest

from conftest import STORMS
from lab import wait_until

STREAMS = 12


def sums(cluster, database):
    text = "; ".join(f"CHECKSUM TABLE {t}" for t in
                     ("conversation", "message", "turn", "turn_event",
                      "usage_record"))
    return [node.sql(text, database) for node in cluster.nodes]


def turn(lab, text):
    script = {"tool_calls": [{"name": "note", "args": {"text": text}}],
              "then": {"tokens": 160, "rate": 20}}
    events = lab.chat(script)
    assert events[-1].name == "done", events[-3:]
    told = "".join(e.data["delta"] if "delta" in e.data else
                   e.data.get("text", "") for e in events if e.name == "token")
    return events[-1].data, told


def frozen(node):
    node.freeze()


def killed(node):
    node.kill()


def stopped(node):
    node.stop()


def read_only(node):
    node.sql("SET GLOBAL read_only=1")


# A planned stop is the mildest; with ./lamp soak cluster it has its turn too.
@pytest.mark.parametrize("what", [killed, frozen, read_only,
                                  *([stopped] if STORMS > 1 else [])])
@pytest.mark.parametrize("number", range(STORMS))
def test_a_node_goes_away(whole, listed, what, number):
    # The first responder prefers the node that goes.
    before = len(listed[0].runs())
    texts = [f"s{i}-{uuid.uuid4().hex[:8]}" for i in range(STREAMS)]
    with concurrent.futures.ThreadPoolExecutor(STREAMS) as pool:
        turns = [pool.submit(turn, listed[i % 3], t)
                 for i, t in enumerate(texts)]
        wait_until("the tools to run", lambda: len(listed[0].runs()) >=
                   before + STREAMS // 2, 60)
        what(whole[0])
        ends = [t.result(timeout=240) for t in turns]
    assert sorted(listed[0].runs()[before:]) == sorted(texts)
    # New ones go on, on each of them.
    for lab in listed:
        turn(lab, "after")
    whole.heal()
    for (end, told), lab in zip(ends, listed * STREAMS):
        items = lab.get(f"/conversations/{end['conversationId']}/messages",
                        user="ada").json["items"] \
            if "conversationId" in end else []
        for m in items:
            if m.get("messageId") == end.get("messageId") and told:
                assert m["content"] == told
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
