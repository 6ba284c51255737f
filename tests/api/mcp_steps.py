# SPDX-License-Identifier: MIT
"""Servers of tools that misbehave, and a call of one of theirs."""

import itertools
import pathlib
import sys
import threading
import time

import pytest

from lab import ROOT, node

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from hostile_mcp import HostileMcp  # noqa: E402

NODE = [node()]
DUAL = str(ROOT / "tests/peers/mcp-dual.mjs")


def ask(lab, name, args=None, **kw):
    """The model calls one tool; its result event, and the operations before."""
    events = lab.chat({"tool_calls": [{"name": name, "args": args or {}}],
                       "then": {"text": "ok"}}, **kw)
    assert events[-1].name == "done", events
    return (next(e.data for e in events if e.name == "tool-result"),
            [e.data for e in events if e.name == "tool-progress"])


def chat_without_end(lab, hostile, say, pause_s):
    """A call whose answer is what say(message, n) returns, again and again; how long
    the client had patience. It has hung up then."""
    left = threading.Event()

    def call(message, _):
        def stream(out):
            try:
                for n in itertools.count():
                    out.write(say(message, n))
                    out.flush()
                    left.wait(pause_s)
            finally:
                left.set()
        return stream
    hostile.handlers["tools/call"] = call
    start = time.monotonic()
    result, _ = ask(lab, "bad_look")
    took_s = time.monotonic() - start
    assert result["result"]["error"]["code"] == "tool_timeout"
    assert left.wait(20)
    return took_s


@pytest.fixture
def hostile():
    server = HostileMcp()
    yield server
    server.close()


@pytest.fixture
def bad(make_lab, hostile):
    """A Lab that uses the hostile server, whose tools were accepted."""
    def make(accept=True, **options):
        lab = make_lab(config={"mcp_servers": {"bad": {
            "url": hostile.url, "allow_private": ["127.0.0.1"], "effect": "read",
            "tools": {"*": {"effect": "read"}}, **options}}})
        if accept:
            lab.command("mcp", "accept", "bad")
            hostile.requests.clear()
        return lab
    return make
