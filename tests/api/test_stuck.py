# SPDX-License-Identifier: MIT
"""A model that does not get on: it repeats rounds of calls, or only says what it will do."""

import contextlib
import json

import pytest

from any_provider import Scripted
from lab import Lab
from remembering import tool


class Loop(Scripted):
    """Calls the tools of `plan` one after the other (a list: at once), then says `text`,
    or the texts one after the other."""

    def __init__(self):
        super().__init__()
        self.scripts = {"chat": self.answer}

    def begin(self, plan=(), text="Done."):
        self.plan, self.text = list(plan), text if isinstance(text, list) else [text]
        self.sent.clear()

    def answer(self, body):
        offered = body.get("tools") and body.get("tool_choice") != "none"
        if self.plan and offered:
            names = self.plan.pop(0)
            names = [names] if isinstance(names, str) else names
            return [{"tool_calls": [{
                "index": i, "id": f"c{len(self.sent['chat'])}_{i}", "type": "function",
                "function": {"name": n.split()[0],
                             "arguments": n.partition(" ")[2] or "{}"}}]}
                for i, n in enumerate(names)]
        return self.text.pop(0) if len(self.text) > 1 else self.text[0]


@pytest.fixture(scope="module")
def model():
    with contextlib.closing(Loop()) as made:
        yield made


@pytest.fixture(scope="module")
def lab(model):
    clock = {"kind": "command", "description": "The time.", "untrusted": False,
             "effect": "read", "command": {"run": ["/bin/date", "+%N"]}}
    with Lab(services={"chat": {"url": model.url("chat"), "model": "chat"}},
             config={"tools": {"clock": clock, "w": tool("{}", effect="write"),
                               **{n: tool(f'"{n}"', effect="read") for n in "abcd"}}},
             workspaces={"lab": {"workspace": "lab", "llm_service": "chat",
                                 "max_tool_iterations": 20, "title_by_model": False}}) as lab:
        yield lab


def refused(events):
    """The names of the calls whose results say that they repeat others."""
    return "".join(e.data["toolName"] for e in events if e.name == "tool-result" and
                   "same arguments before" in json.dumps(e.data["result"]))


@pytest.mark.parametrize("plan,wrong,capped", [
    ("aaaaaa", "aa", True), ("abababab", "ba", True), ("abcabcabc", "ca", True),
    ("abcdabcdabcd", "da", True),
    ("abab" + "cd", "b", False),                # told once, it gets on
    ("ab" + "w" + "ab" + "c", "", False),       # something was changed between them
    ("abcbad", "", False), ("aabb", "", False),
])
def test_rounds_of_calls(lab, model, plan, wrong, capped):
    model.begin(plan)
    events = lab.chat("go")
    done = events[-1]
    assert (done.name, done.data["content"]) == ("done", "Done.")
    assert (refused(events), done.data["metadata"].get("capped", False)) == (wrong, capped)
    if capped:      # it may not call any more, and knows it
        assert "No more tool calls" in json.dumps(model.sent["chat"][-1]["messages"])


def test_what_changes_may_be_asked_again(lab, model):
    """Polling: the results differ; and calls that change something are no round."""
    model.begin(["clock", "a", "clock", "a", "b"])
    assert refused(lab.chat("go")) == ""
    model.begin(["w", "a", "w", "a", "b"])
    assert refused(lab.chat("go")) == ""
    model.begin([["a", "b"], ["a", "b"], ["a", "c"], "d"])
    assert refused(lab.chat("go")) == "a"


ANNOUNCED = [
    "Let me look that up.", "I'll check the list now…", "Sure! First, I will search the wiki:",
    "Good question.\n\nNow I'm going to query the tickets.", "Ich werde das jetzt nachsehen.",
    "Okay, I’ll just fetch it.",
]
ANSWERED = [
    "Let me know if you need more.", "There are 12. I'll look again if you like.",
    "I will not search the web.", "You can check it.", "I'll be glad to help.",
    "Ich werde das nicht nachsehen.", "Let me check? No: it is 5.", "Let me look. " + "x" * 700,
]


def test_a_model_that_only_announces(lab, model):
    for text in ANNOUNCED:
        model.begin(text=[text, "It is 5."])
        events = lab.chat("how many?")
        assert events[-1].data["content"] == "It is 5.", text
        [_, again] = model.sent["chat"]
        assert again["messages"][-2]["content"] == text
        assert "called no tool" in again["messages"][-1]["content"]
        assert "token-reset" in [e.name for e in events]
    for text in ANSWERED:
        model.begin(text=text)
        assert lab.chat("how many?")[-1].data["content"] == text
        assert len(model.sent["chat"]) == 1, text
    # Told once, it acts; and one that goes on like that ends with what it said.
    model.begin(text=["Let me look that up.", "It is 5."])
    script, model.scripts["chat"] = model.scripts["chat"], lambda body: (
        model.plan.append("a") if len(model.sent["chat"]) == 2 else None, script(body))[1]
    events = lab.chat("how many?")
    model.scripts["chat"] = script
    assert [e.name for e in events].count("tool-result") == 1
    assert events[-1].data["content"] == "It is 5." and len(model.sent["chat"]) == 3
    model.begin(text="Let me look that up.")
    events = lab.chat("how many?")
    assert [e.data["code"] for e in events if e.name == "warning"] == ["only_announced"]
    assert events[-1].data["content"] == "Let me look that up."
    assert len(model.sent["chat"]) == 2
