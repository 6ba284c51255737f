# SPDX-License-Identifier: MIT
"""What steps of a plan, and agents that they call, do in projects is told like what the turn
does itself: operations, patches, what is known of the conversation."""

import json

import pytest

from lab import Lab, Stream, scripted, wait_until
from plans import SERVICES, agent, plan, result, stage, step
from projects import told

LIST = {"name": "list_onto_projects", "args": {}}
FOUND = {"name": "create_onto_project", "args": {"name": "Roof"}}
MODELS = {**SERVICES, "lists": {"model": scripted({"tool_calls": [LIST],
                                                    "then": {"text": "none"}})},
          "half": {"input_price": 2.0, "output_price": 8.0, "model": scripted({
              "tool_calls": [LIST], "then": {"text": "late", "first_byte_ms": 60000}})},
          "hands": {"model": scripted({"tool_calls": [{"name": "helper", "args": {}}],
                                       "then": {"text": "helped"}})}}


@pytest.fixture(scope="module")
def lab():
    tools = {"plan_editor": agent("founds"), "plan_research": agent("reads"),
             "plan_tooling": agent("hands"), "plan_writer": agent("half"),
             "helper": {**agent("lists"), "agent": {**agent("lists")["agent"],
                                                    "tools": ["list_onto_projects"]}}}
    with Lab(services=MODELS, config={"tools": tools, "settings": {
            "rolling_summary": True}}, workspaces={"lab": {
            "workspace": "lab", "title_by_model": False,
            "agents": [{"id": "boss", "tools": ["plan", "create_onto_project", "list_onto_projects",
                                              "helper"]}]}},
             ) as lab:
        yield lab


EDITOR = step("p", "editor", tools=["create_onto_project"])
HELPED = step("h", "tooling", tools=["helper"])


def in_projects(events):
    return [(e.name, e.data.get("status") or e.data["action"]) for e in events
            if e.name in ("operation", "entity-patch")]


def test_as_a_call_of_the_turn(lab):
    """The same events in the same order, of a step and of an agent within one."""
    once = [("operation", "start"), ("entity-patch", "create"), ("operation", "success")]
    events = lab.chat(told({"tool_calls": [FOUND], "then": {"text": "done"}}))
    assert in_projects(events) == once
    keys = [set(e.data) for e in events if e.name in ("operation", "entity-patch")]
    events = plan(lab, stage(EDITOR))
    assert in_projects(events) == once, in_projects(events)
    mine = [e.data for e in events if e.name in ("operation", "entity-patch")]
    assert [set(e) for e in mine] == keys
    assert {e["entityId"] for e in mine[1:]} == {mine[1]["entityId"]}
    assert (mine[2]["action"], mine[2]["entityType"]) == ("create", "project")
    names = [e.name for e in events]
    assert names.index("operation") < names.index("tool-result")
    events = plan(lab, stage(HELPED))
    assert [(e.data["action"], e.data["status"]) for e in events if e.name == "operation"] == \
        [("list", "start"), ("list", "success")]


def test_read_again(lab):
    """From what is stored, and by clients of v2."""
    live = plan(lab, stage(EDITOR))
    turn = live[-1].data["turnId"]
    connection, response = lab.open("GET", f"/turns/{turn}/events", user="ada")
    assert in_projects(Stream(connection, response).events()) == in_projects(live)
    connection, response = lab.open("GET", f"/turns/{turn}/events?dialect=v2", user="ada")
    frames = [e.data for e in Stream(connection, response)]
    assert [f["status"] for f in frames if f["type"] == "operation"] == ["start", "success"]
    assert [f["type"] for f in frames].count("entity_patch") == 1


def test_what_it_costs_while_it_runs(lab):
    """By the prices of its service, before its step has ended."""
    stages = [stage(step("w", "writer", id="w", tools=["list_onto_projects"]))]
    events = iter(lab.stream("/chat/lab/stream", {"content": told({"tool_calls": [
        {"name": "plan", "args": {"goal": "g", "stages": stages}}], "then": {"text": "x"}})},
        user="ada"))
    board = next(e.data for e in events if e.name == "plan"
                 and e.data["progress"][0].get("tokens"))
    now = board["progress"][0]
    assert now["status"] == "running" and now["cost"] > 0, now
    assert lab.post(f"/plans/{board['planId']}/skip", {"stepId": "w"}, user="ada").status == 200
    assert [s["status"] for s in result(list(events))["steps"]] == ["skipped"]


def known(events):
    """The ids of what the deltas of the agent state name."""
    return [one["id"] for e in events if e.name == "agent-state"
            for one in e.data["agentStateUpdates"].get("current_understanding", {})
            .get("entities", [])]


def test_what_is_known_of_the_conversation(lab):
    """The delta of each change comes at once; steps are nothing that is in projects."""
    events = plan(lab, stage(EDITOR, step("r")))
    ids = [e.data["entityId"] for e in events if e.name == "entity-patch"]
    assert known(events) == ids and len(ids) == 1, known(events)


def test_facts_have_what_steps_changed(lab):
    """The plan's result does not name it (D15)."""
    events = plan(lab, stage(EDITOR, step("r")))
    changed, = [e.data for e in events if e.name == "entity-patch"]
    assert changed["entityId"] not in json.dumps(result(events))
    conversation = events[-1].data["conversationId"]
    path = f"/conversations/{conversation}"
    wait_until("the memory", lambda: lab.get(f"{path}/memory", user="ada").json["version"])
    fact, = lab.get(f"{path}/memory/facts", user="ada").json["items"]
    assert [c["entityId"] for c in fact["fact"]["changes"]] == [changed["entityId"]]
    state = lab.get(f"{path}/memory", user="ada").json["agentState"]
    assert [(e["id"], e["kind"], e["name"]) for e in state["current_understanding"]["entities"]
            ] == [(changed["entityId"], "project", "Roof")]
