# SPDX-License-Identifier: MIT
"""Steps that several tests of the API take: streams and what they say, keys, and
a configuration without a database."""

import json
import uuid

from lab import Stream

TOOL = {"name": "query_data", "args": {"dataset": "tickets", "limit": 2}}
STORED = {"user-message", "token", "token-reset", "reasoning", "tool-call",
          "tool-result", "title", "warning", "done", "error"}


def start(lab, script, **kw):
    return lab.stream("/chat/lab/stream",
                      {"content": "!script " + json.dumps(script)},
                      user="ada", **kw)


def stopped(lab, name, args):
    """The turn is cancelled as soon as it calls the tool, and ends so."""
    stream = start(lab, {"tool_calls": [{"name": name, "args": args}],
                         "then": {"text": "never"}})
    for e in stream:
        if e.name == "user-message":
            turn = e.data["turnId"]
        if e.name == "tool-call":
            assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    stream.close()
    assert e.name == "done" and e.data["metadata"]["finish_reason"] == "cancelled"


def follow(lab, turn, after=None, user="ada", headers=None):
    query = "" if after is None else f"?after={after}"
    return Stream(*lab.open("GET", f"/turns/{turn}/events{query}", user=user,
                            headers=headers))


def texts(events):
    """What a client would show: (kind, text) with deltas joined."""
    out = []
    for e in events:
        if e.name in ("token", "reasoning"):
            if out and out[-1][0] == e.name:
                out[-1][1] += e.data["delta"]
            else:
                out.append([e.name, e.data["delta"]])
        elif e.name in STORED:
            out.append([e.name, e.data])
    return out


def rising(events):
    ids = [int(e.id) for e in events]
    assert ids == sorted(set(ids)), ids


def key(name=None):
    return {"Idempotency-Key": name or uuid.uuid4().hex}


def stream(lab, path, body, headers, user="ada"):
    return Stream(*lab.open("POST", path, body, user=user, headers=headers))


def conversations(lab, user="ada"):
    """The user's own, and those of programs."""
    return sum(lab.get(f"/conversations?clients={clients}", user=user).json["totalCount"]
               for clients in ("false", "true"))


def dead_database(config=None):
    return {"database": {"socket": f"/nonexistent/{uuid.uuid4().hex}.sock"},
            **(config or {})}
