# SPDX-License-Identifier: MIT
"""What readers of a turn cost the process that they read in."""

import json
import os
import re

from lab import Twin
from steps import follow


def resident_kib(lab):
    status = open(f"/proc/{lab.processes['responder'].pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def test_followers_keep_no_copies_of_the_turn(make_lab):
    """Its row is read four times a second, with all that its page has said."""
    tools = [{"name": f"t{i}", "description": "d" * 2000, "parameters": {
        "type": "object", "properties": {}}} for i in range(28)]
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "name": "Lab", "title_by_model": False,
        "client_tools": "allow"}})
    # A sanitizer keeps what is freed, and stacks.
    sanitizer = (os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"
                 ":thread_local_quarantine_size_kb=0:detect_stack_use_after_return=0")
    with Twin(lab, responder_env={"ASAN_OPTIONS": sanitizer}) as other:
        stream = lab.stream("/chat/lab/stream", {
            "content": "!script " + json.dumps({"tokens": 300, "rate": 50}),
            "client": {"mode": "page", "tools": tools}}, user="ada")
        events = iter(stream)
        turn = next(events).data["turnId"]
        followers = [follow(other, turn) for _ in range(16)]
        seen = [iter(f) for f in followers]
        for follower in seen:		# a third of it: all is warm
            while int(next(follower).id) < 100:
                pass
        before = resident_kib(other)
        ends = [list(follower)[-1].name for follower in seen]
        assert ends == ["done"] * 16
        assert resident_kib(other) - before < 4096	# it was 7 MiB
        assert list(events)[-1].name == "done"


def test_a_deleted_conversation_ends_its_streams(lab):
    """Here and in another process; they were cut off, and clients came back."""
    with Twin(lab) as other:
        stream = lab.stream("/chat/lab/stream", {
            "content": "!script " + json.dumps({"tokens": 5000, "rate": 20})},
            user="ada")
        events = iter(stream)
        first = next(events).data
        followers = [iter(follow(where, first["turnId"])) for where in (lab, other)]
        for follower in followers:
            next(follower)
        assert lab.call("DELETE", f"/conversations/{first['conversationId']}",
                        user="ada").status == 204
        for follower in followers:
            last = list(follower)[-1]
            assert last.name == "done", last
            assert last.data["metadata"]["finish_reason"] == "cancelled"
        list(events)
        for where in (lab, other):
            assert where.get(f"/turns/{first['turnId']}/events",
                             user="ada").status == 404
