# SPDX-License-Identifier: MIT
"""What is left of a plan that was cut: by the end of its process, by the user, by the end of
its conversation; and what is too long for it."""

import json
import signal
import tempfile

import pytest

from lab import Lab, scripted, wait_until
from plans import SERVICES, agent, plan, prompts, result, stage, step

NOTES = tempfile.NamedTemporaryFile()  # pylint: disable=consider-using-with
TASK = {"type": "object", "properties": {"task": {"type": "string"}}}
MODELS = {
    **SERVICES,
    "long": {"model": scripted({"tokens": 90000})},
    "makes": {"model": scripted({"tool_calls": [{"name": "note"}], "then": {
        "text": "made it", "first_byte_ms": 20000}})},
    "unsure": {"model": scripted({"tool_calls": [{"name": "ask_user", "args": {
        "question": "?", "options": ["a", "b"]}}], "then": {"first_byte_ms": 2000, "tool_calls": [
            {"name": "create_onto_project", "args": {"name": "R"}}]}})},
    "asks": {"model": scripted({"tool_calls": [{"name": "maker", "args": {"task": "x"}}],
                                "then": {"text": "asked it"}})},
}


@pytest.fixture(scope="module")
def lab():
    tools = {"plan_research": agent("reads"), "plan_tooling": agent("writes"),
             "plan_writer": agent("long"), "plan_editor": agent("asks"),
             "plan_planner": agent("unsure"),
             "maker": {**agent("makes"), "untrusted": False,
                       "parameters": TASK, "agent": {
                           "prompt": "Make it.", "llm_service": "makes",
                           "tools": ["note"]}},
             "note": {"kind": "command", "description": "Notes.", "effect": "write",
                      "confirm": "never", "untrusted": False,
                      "parameters": {"type": "object"},
                      "command": {"run": ["/bin/sh", "-c", f"echo x >>{NOTES.name}"]}}}
    with Lab(services=MODELS, config={"tools": tools, "threads": {"grace_s": 0}}, workspaces={
            "lab": {"workspace": "lab", "title_by_model": False, "agents": [
                {"id": "boss", "tools": ["plan", "create_prompt", "maker", "note", "ask_user",
                                         "create_onto_project"]}]},
            "strict": {"workspace": "strict", "title_by_model": False, "confirm": "always",
                       "agents": [{"id": "boss", "tools": ["plan", "create_prompt"]}]}},
             ) as lab:
        yield lab


def begin(lab, *stages, workspace="lab"):
    """A running plan: its stream, and what its first event says."""
    stream = lab.stream(f"/chat/{workspace}/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}}) + "\nDo it."}, user="ada")
    return stream, next(e for e in iter(stream) if e.name == "user-message").data


def restart(lab, sig):
    lab.stop("responder", sig=sig)
    lab.start_responder()
    wait_until("the web server", lambda: lab.get("/health").status == 200)
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")


def go_on(lab, turn):
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "waiting"
    return lab.stream(f"/turns/{turn}/continue", {}, user="ada").events()


def test_told_to_stop_in_the_middle(lab):
    """A process that ends in order leaves each write to be done, like one that is killed."""
    before = prompts(lab)
    steps = [step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(6)]
    _, first = begin(lab, stage(*steps), stage(*steps))
    for stop in range(3):
        wait_until("the plan to move", lambda: prompts(lab) > before + 2 * stop)
        restart(lab, signal.SIGTERM)
        if stop < 2:
            stream = lab.stream(f"/turns/{first['turnId']}/continue", {}, user="ada")
            assert stream.status == 200, stream
    events = go_on(lab, first["turnId"])
    assert events[-1].name == "done", events[-1]
    assert [s["status"] for s in result(events)["steps"]] == ["done"] * 12
    assert prompts(lab) == before + 12


def test_an_agent_in_a_step_is_killed(lab):
    """Nobody knows what an agent that a step calls has done: the user is asked."""
    _, first = begin(lab, stage(step("a", "editor", tools=["maker"])))
    wait_until("the agent's write", lambda: NOTES.read() == b"x\n")
    restart(lab, signal.SIGKILL)
    events = go_on(lab, first["turnId"])
    asked, = (e.data for e in events if e.name == "approval-request")
    assert (asked["tool"], asked["reason"]) == ("maker", "unknown")
    events = lab.stream(f"/turns/{first['turnId']}/approvals", {
        "approvalId": asked["approvalId"], "decision": "deny"}, user="ada").events()
    assert events[-1].name == "done"
    assert NOTES.read() == b""


def test_its_conversation_is_deleted(lab):
    """Nothing of a plan stays that ran while its conversation was deleted."""
    steps = [step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(40)]
    for wait in range(4):
        before = prompts(lab)
        _, first = begin(lab, stage(*steps))
        wait_until("the plan to move", lambda: prompts(lab) > before + 3 * wait)
        conversation = first["conversationId"]
        assert lab.call("DELETE", f"/conversations/{conversation}",
                           user="ada").status == 204
        wait_until("its turn to end", lambda: lab.sql(
            "SELECT COUNT(*) FROM turn WHERE status = 1")[0][0] == "0")
        wait_until("it is purged", lambda: lab.sql(
            f"SELECT COUNT(*) FROM conversation WHERE id = UNHEX('{conversation.replace('-', '')}')"
            )[0][0] == "0")
        for table in ("plan", "plan_step", "plan_call"):
            assert lab.sql(f"SELECT COUNT(*) FROM {table} x WHERE NOT EXISTS (SELECT 1 FROM"
                           " conversation c WHERE c.id = x.conversation_id)") == [["0"]], table


def test_stopped_while_it_waits(lab):
    events = plan(lab, stage(step("w", "tooling", tools=["create_prompt"])), workspace="strict")
    turn = events[-1].data["turnId"]
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status < 300
    assert lab.get("/plans", user="ada").json["items"][0]["status"] == "stopped"


def test_refused(lab):
    events = plan(lab, stage(step("r")), workspace="strict")
    asked, = (e.data for e in events if e.name == "approval-request")
    lab.stream(f"/turns/{asked['turnId']}/approvals", {
        "approvalId": asked["approvalId"], "decision": "deny"}, user="ada").events()
    assert lab.get("/plans", user="ada").json["items"][0]["status"] == "stopped"


def test_long_results_are_inputs(lab):
    """Results that are too long together for a step's model are cut, each to its share."""
    events = plan(lab, stage(*(step(f"l{n}", "writer", outputs=[f"o{n}"]) for n in range(3))),
                  stage(step("all", inputs=["o0", "o1", "o2"])))
    assert result(events)["status"] == "done"
    said = [b["messages"][-1]["content"] for b in lab.sent()]
    inputs = json.loads(next(s for s in said if '"inputs":{"o0"' in s))["inputs"]
    assert all(len(inputs[f"o{n}"]) > 200000 for n in range(3))


def test_a_no_in_a_step_is_not_forgotten(lab):
    """A change that the user's answer has made unclear still asks after a restart."""
    stream, first = begin(lab, stage(step("n", "planner", tools=["ask_user",
                                                                "create_onto_project"])))
    [wait] = stream.events()[-1].data["for"]
    turn = first["turnId"]
    stream = lab.stream(f"/turns/{turn}/tool-results", {"results": [{
        "toolCallId": wait["toolCallId"], "result": {"answer": "No, not now."}}]}, user="ada")
    wait_until("the next round", lambda: any("not now" in json.dumps(b) for b in lab.sent()))
    restart(lab, signal.SIGKILL)
    events = go_on(lab, turn)
    asked, = (e.data for e in events if e.name == "approval-request")
    assert (asked["tool"], asked["reason"]) == ("create_onto_project", "intent")
