# SPDX-License-Identifier: MIT
"""Turns that every dialect must tell, and what a client of OpenAI's sees of them."""

import json

TOOL = {"narration": "Let me look.", "tool_calls": [
    {"name": "query_data", "args": {"dataset": "tickets", "limit": 1,
                                    "select": ["id"]}},
    {"name": "query_data", "args": {"dataset": "nope"}}],
    "then": {"reasoning": "Hm.", "text": "It is ticket 1."}}
SCENARIOS = {
    "text": {"reasoning": "Think.", "text": "Hello wörld 👋 out there."},
    "tool": TOOL,
    "error": {"error": {"status": 401, "body": "nope"}},
    "broken": {"text": "one two three four five six", "cut_after": 3},
    "length": {"text": "cut of", "finish": "length"},
    "cancel": {"tokens": 100000, "rate": 100},
}


def script(name):
    return "!script " + json.dumps(SCENARIOS[name])


def check_openai(events, name):
    """P-F5: the role first, a finish_reason last; calls are not told."""
    assert events.pop().data == "[DONE]"
    chunks = [e.data for e in events]
    failed = name in ("error", "broken")
    if failed:
        error = chunks.pop()["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["code"].startswith("upstream_")
    assert {c["object"] for c in chunks} == {"chat.completion.chunk"}
    assert len({(c["id"], c["created"], c["model"]) for c in chunks}) == 1
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant",
                                                "content": ""}
    reasons = [c["choices"][0]["finish_reason"] for c in chunks]
    assert all(r is None for r in reasons[:-1])
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks)
    assert not any("tool_calls" in c["choices"][0]["delta"] for c in chunks)
    if failed:
        assert reasons[-1] is None
        return text, "error"
    assert reasons[-1] in ("stop", "length")
    if name == "tool":
        assert text.startswith("Let me look.\n\n")
        text = text.removeprefix("Let me look.\n\n")
    return text, "cancelled" if name == "cancel" else reasons[-1]
