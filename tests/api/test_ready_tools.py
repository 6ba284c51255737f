"""translate and summarize, which need no declaration (A19, A57)."""

import json

import pytest

from lab import Lab, scripted

pytestmark = pytest.mark.threads

READY = {"translate": {"text": "Haus", "language": "English"},
         "summarize": {"text": "A long story.", "sentences": 1}}
OURS = {"kind": "agent", "description": "Ours.", "agent": {
    "prompt": "Do it.", "llm_service": "own"}, "parameters": {
        "type": "object", "properties": {"task": {"type": "string"}}}}


@pytest.fixture(scope="module")
def ready():
    with Lab(services={"own": {"model": scripted({"text": "ours"})}}, workspaces={
            "lab": {"workspace": "lab", "title_by_model": False, "agents": [
                {"id": "all", "default": True},
                {"id": "some", "tools": ["group:knowledge"]},
                {"id": "one", "tools": ["summarize"]},
                {"id": "none", "tools": ["none"]}]},
            "own": {"workspace": "own", "title_by_model": False,
                    "tools": {"translate": OURS}}}) as lab:
        yield lab


def call_ready(lab, name, args, **kw):
    script = {"tool_calls": [{"name": name, "args": args}],
              "then": {"text": "ok"}}
    events = lab.chat("!script " + json.dumps(script), **kw)
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")


@pytest.mark.parametrize("name", READY)
@pytest.mark.parametrize("agent_id,offered", [
    ("all", True), ("some", True), ("one", None), ("none", False)])
def test_ready_tools_are_on(ready, name, agent_id, offered):
    """A19, A57: translate and summarize work without a word of the admin."""
    if offered is None:
        offered = name == "summarize"
    result = call_ready(ready, name, READY[name], agentId=agent_id)
    assert result["isError"] is not offered, result
    if not offered:
        assert result["result"]["error"]["code"] == "tool_unknown"


def test_a_ready_tool_is_asked_with_its_text(ready):
    """The model of the turn gets the instruction and the arguments."""
    ready.sent()
    call_ready(ready, "translate", READY["translate"])
    asked = [text for text in map(json.dumps, ready.sent())
             if "Translate its `text`" in text]
    assert len(asked) == 1 and "Haus" in asked[0] and "script" not in asked[0]


def test_a_declaration_takes_the_place_of_a_ready_tool(ready):
    result = call_ready(ready, "translate", {"task": "x"}, workspace="own")
    assert result["result"] == "ours", result
    assert not call_ready(ready, "summarize", READY["summarize"],
                          workspace="own")["isError"]


def test_ready_tools_can_be_left_out():
    with Lab(config={"ready_tools": ["summarize"]}) as lab:
        assert call_ready(lab, "translate", READY["translate"])[
            "result"]["error"]["code"] == "tool_unknown"
        assert not call_ready(lab, "summarize", READY["summarize"])["isError"]
    with Lab(config={"ready_tools": []}) as lab:
        assert call_ready(lab, "summarize", READY["summarize"])["isError"]
