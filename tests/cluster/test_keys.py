# SPDX-License-Identifier: MIT
"""One key or one decision, sent to three nodes at once: it counts once.

./lamp soak cluster-keys sends LAMPLIGHTER_KEYS=1000 and LAMPLIGHTER_DECISIONS=2000.
"""

import concurrent.futures
import json
import os
import time
import uuid

from conftest import at_once, new_conversation

KEYS = int(os.environ.get("LAMPLIGHTER_KEYS", "40"))
DECISIONS = int(os.environ.get("LAMPLIGHTER_DECISIONS", "12"))
SIDE_BY_SIDE = 4	# conversations
REFUSED = ("conflict", "conversation_busy")


def send(lab, conversation, text, key):
    """The end of the stream, or the code of the refusal."""
    script = {"tool_calls": [{"name": "note", "args": {"text": text}}],
              "then": {"text": "noted " + text}}
    s = lab.stream("/chat/lab/stream", {
        "conversationId": conversation,
        "content": "!script " + json.dumps(script)}, user="ada",
        headers={"Idempotency-Key": key}, timeout_s=120)
    if s.status != 200:
        code = json.load(s.response)["code"]
        s.close()
        return code
    events = s.events()
    assert events[-1].name == "done", events
    return events[-1].data


def answers(node, database, conversation):
    """By message id as a node has them, once it has what the others have."""
    return {f"{conversation}.{seq}": content for seq, content in node.sql(
        "SET SESSION wsrep_sync_wait=1; SELECT seq, content FROM message WHERE"
        f" conversation_id = x'{conversation.replace('-', '')}' AND role = 2"
        " AND content <> '' ORDER BY seq", database)}


def side_by_side(n, fn):
    """fn(part, numbers): the numbers 0 to n - 1 dealt over some threads."""
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        got = list(pool.map(lambda k: fn(k, range(k, n, SIDE_BY_SIDE)),
                            range(SIDE_BY_SIDE)))
    print(f"{fn.__name__}: {n} in {time.monotonic() - start:.0f} s")
    return got


def test_one_key_to_three_nodes_runs_its_tool_once(cluster, labs):
    def keys(part, numbers):
        """The ends of all streams of a conversation."""
        conversation = new_conversation(labs[part % 3])
        ends, refused = [], 0
        for i in numbers:
            text, key = f"k{i}", str(uuid.uuid4())
            got = at_once(labs, lambda lab: send(lab, conversation, text, key))
            codes = [g for g in got if isinstance(g, str)]
            assert all(c in REFUSED for c in codes) and len(codes) < 3, got
            # Who was refused finds the turn of the one who was not.
            got.append(send(labs[i % 3], conversation, text, key))
            told = [g for g in got if not isinstance(g, str)]
            assert len({g["messageId"] for g in told}) == 1, got
            assert {g["content"] for g in told} == {"noted " + text}, got
            ends += told
            refused += len(codes)
        return conversation, ends, refused

    parts = side_by_side(KEYS, keys)
    runs = labs[0].runs()
    assert sorted(runs) == sorted(f"k{i}" for i in range(KEYS))
    for node in cluster.nodes:
        for conversation, ends, _ in parts:
            stored = answers(node, labs[0].database, conversation)
            assert stored == {g["messageId"]: g["content"] for g in ends}
    print(f"{sum(len(e) for _, e, _ in parts)} streams,"
          f" {sum(r for *_, r in parts)} refused")


def test_of_several_decisions_one_counts(labs):
    def decisions(part, numbers):
        for i in numbers:
            text = f"d{i}-{uuid.uuid4().hex[:8]}"
            events = labs[i % 3].chat({
                "tool_calls": [{"name": "drop", "args": {"text": text}}],
                "then": {"text": "dropped"}})
            [request] = [e.data for e in events if e.name == "approval-request"]

            def decide(lab):
                s = lab.stream(f"/turns/{request['turnId']}/approvals", {
                    "approvalId": request["approvalId"], "decision": "approve"},
                    user="ada", timeout_s=120)
                if s.status == 200:
                    s.events()
                else:
                    s.close()
                return s.status

            # Two at once, each time from other nodes; every tenth time all three.
            nodes = labs if i % 10 == 0 else [labs[i % 3], labs[(i + 1) % 3]]
            statuses = at_once(nodes, decide)
            assert sorted(statuses) == [200] + [409] * (len(nodes) - 1), statuses
            texts[part].append(text)

    texts = [[] for _ in range(SIDE_BY_SIDE)]
    before = len(labs[0].runs())
    side_by_side(DECISIONS, decisions)
    assert sorted(labs[0].runs()[before:]) == sorted(sum(texts, []))
