# SPDX-License-Identifier: MIT
"""translate and summarize, which need no declaration (A19, A57)."""

import json

import pytest

from knowledge import NOBODY, base_of, settled, write
from lab import Lab, scripted, wait_until

pytestmark = pytest.mark.threads

READY = {"translate": {"text": "Haus", "language": "English"},
         "summarize": {"text": "A long story.", "sentences": 1}}
OURS = {"kind": "agent", "description": "Ours.", "agent": {
    "prompt": "Do it.", "llm_service": "own"}, "parameters": {
        "type": "object", "properties": {"task": {"type": "string"}}}}


@pytest.fixture(scope="module")
def ready():
    small = {"context_tokens": 4096, "max_output_tokens": 1024}
    with Lab(services={
            "own": {"model": scripted({"text": "ours"})},
            "small": {"model": scripted({"text": "part"}), **small},
            "slow": {"model": scripted({"text": "part", "first_byte_ms": 60000}), **small},
            "cut": {"model": scripted({"text": "part", "finish": "length"}), **small},
            }, workspaces={
            "lab": {"workspace": "lab", "title_by_model": False, "agents": [
                {"id": "all", "default": True},
                {"id": "some", "tools": ["group:knowledge"]},
                {"id": "one", "tools": ["summarize"]},
                {"id": "none", "tools": ["none"]},
                {"id": "small", "llm_service": "small"},
                {"id": "slow", "llm_service": "slow"},
                {"id": "cut", "llm_service": "cut"}]},
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


# -- long texts ------------------------------------------------------------------

LONG = "\n\n".join(f"# Section {i}\n\n" + f"Rule {i} holds everywhere. " * 60
                   for i in range(1, 5))


@pytest.fixture(scope="module")
def handbook(ready):
    """Two documents of ada's: one of them is for the board."""
    base = base_of(ready, "ada")
    seen = write(ready, base, "ada", LONG, title="Rules")["id"]
    hidden = ready.post(f"{base}/documents", {"title": "Secret", "groups": ["board"],
                                              "text": LONG}, user="ada").json["id"]
    endless = write(ready, base, "ada", LONG * 25, title="Endless")["id"]
    settled(ready, base, "ada")
    return {"seen": seen, "hidden": hidden, "endless": endless}


def call_long(ready, name, agent="small", **args):
    """The events of the turn, and what the model was asked for each part."""
    ready.sent()
    events = ready.chat({"tool_calls": [{"name": name, "args": args}],
                         "then": {"text": "ok"}}, agentId=agent)
    assert events[-1].name == "done", events
    asked = [r["messages"][-1]["content"] for r in ready.sent()
             if "[UNTRUSTED-DATA" in str(r["messages"][-1]["content"])
             and r["messages"][-1]["role"] == "user"]
    result, = [e.data for e in events if e.name == "tool-result"]
    told = [e.data["text"] for e in events if e.name == "tool-progress"]
    return result, asked, told, events


def text_of(asked):
    """What is in the envelope."""
    inside = asked.split("[UNTRUSTED-DATA", 1)[1].split("]", 1)[1]
    return inside.rsplit("[/UNTRUSTED-DATA", 1)[0].strip()


@pytest.mark.parametrize("source", ["text", "document_id"])
def test_a_long_text_is_translated_in_parts(ready, handbook, source):
    """A57: parts end where chunks end, in their order, nothing is lost."""
    given = {"text": LONG, "document_id": handbook["seen"]}[source]
    result, asked, told, events = call_long(ready, "translate", language="Latin",
                                            **{source: given})
    n = len(asked)
    assert n >= 4 and not result["isError"], result
    assert all(a.startswith(f"Language: Latin\nPart {i} of {n}.\n")
               for i, a in enumerate(asked, 1)), asked
    assert "".join("".join(map(text_of, asked)).split()) == "".join(LONG.split())
    assert all(len(text_of(a).encode()) <= 2046 for a in asked)
    assert result["result"].split() == ["part"] * n
    assert told and set(told) <= {f"Part {i} of {n}" for i in range(1, n + 1)}
    usage = next(e.data for e in events if e.name == "done")
    records = int(ready.sql("SELECT COUNT(*) FROM usage_record WHERE agent_id = "
                            "'translate' AND turn_id = UNHEX('"
                            + usage["turnId"].replace("-", "") + "')")[0][0])
    assert records == n


def test_summaries_of_parts_are_summarised(ready, handbook):
    result, asked, told, _ = call_long(
        ready, "summarize", document_id=handbook["seen"], sentences=2, focus="rules")
    assert result["result"] == "part" and len(asked) >= 3
    assert [a.split("\n")[1] for a in asked[:-1]] == [
        f"Part {i} of {len(asked) - 1}." for i in range(1, len(asked))]
    assert asked[-1].startswith("At most 2 sentences.\nFocus: rules\n")
    assert text_of(asked[-1]).split() == " ".join(
        f"# Part {i} part" for i in range(1, len(asked))).split()
    assert told[-1] == "Summary of the parts"


def test_what_comes_of_a_document_is_untrusted(ready, handbook):
    def told(**args):
        ready.sent()
        call_ready(ready, "summarize", args, agentId="small")
        return json.dumps([m for m in ready.sent()[-1]["messages"]
                           if m["role"] == "tool"])
    assert "UNTRUSTED" in told(document_id=handbook["seen"])
    assert "UNTRUSTED" not in told(text=LONG)


def test_an_error_of_a_part_says_which(ready, handbook):
    result, asked, _, _ = call_long(ready, "translate", agent="cut", language="Latin",
                                    document_id=handbook["seen"])
    assert result["isError"] and len(asked) == 1
    message = result["result"]["error"]["message"]
    assert message.startswith("Part 1 of ") and "cut off" in message, message


def test_too_long_a_text_is_refused_before_the_first_call(ready, handbook):
    result, asked, _, _ = call_long(ready, "translate", language="Latin",
                                    document_id=handbook["endless"])
    assert "too long" in result["result"]["error"]["message"] and not asked


@pytest.mark.parametrize("args,why", [
    ({}, "Give one of text"), ({"text": "x", "attachment": "y"}, "Give one of text"),
    ({"attachment": "y"}, "No file with this name"),
    ({"document_id": NOBODY}, "no document with this id")])
def test_what_is_to_be_summarised_is_named_once(ready, args, why):
    result = call_ready(ready, "summarize", args, agentId="small")
    assert why in result["result"]["error"]["message"]


def test_a_document_of_others_is_missing(ready, handbook):
    """B21: as in read_document."""
    answers = [call_ready(ready, "summarize", {"document_id": i}, agentId="small")[
        "result"] for i in (NOBODY, handbook["hidden"])]
    assert answers[0] == answers[1]
    assert not call_ready(ready, "summarize", {"document_id": handbook["hidden"]},
                          agentId="small", groups=["board"])["isError"]


def test_an_attached_file_is_summarised(ready):
    sent = ready.call("POST", "/attachments?name=rules.txt", LONG.encode(), user="ada",
                      headers={"Content-Type": "application/octet-stream"}).json
    result = call_ready(ready, "summarize", {"attachment": "rules.txt"},
                        agentId="small", attachments=[sent["id"]])
    assert result["result"] == "part", result


def test_no_part_follows_a_stop(ready, handbook):
    ready.sent()
    parts = []

    def asked():
        parts.extend(r for r in ready.sent() if "Part 1 of" in json.dumps(r)
                     or "Part 2 of" in json.dumps(r))
        return parts
    stream = ready.stream("/chat/lab/stream", {"agentId": "slow", "content": "!script "
        + json.dumps({"tool_calls": [{"name": "summarize", "args": {
            "document_id": handbook["seen"]}}]})}, user="ada")
    for e in stream:
        if e.name == "user-message":
            turn = e.data["turnId"]
        if e.name == "tool-progress" and not parts:
            wait_until("the first part", asked)
            assert ready.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    stream.close()
    assert e.name == "done" and e.data["metadata"]["finish_reason"] == "cancelled"
    assert len(asked()) == 1
