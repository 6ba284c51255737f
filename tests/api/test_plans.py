# SPDX-License-Identifier: MIT
"""Plans (D52 to D58): steps in parallel, results by name, waits, kills, and what is refused."""

import json
import signal
import time

import pytest

from lab import Lab, wait_until
from plans import SERVICES, agent, plan, prompts, result, stage, step


@pytest.fixture(scope="module")
def lab():
    tools = {"plan_research": agent("reads"), "plan_tooling": agent("writes"),
             "plan_planner": agent("plans"), "plan_editor": agent("founds")}
    with Lab(services=SERVICES, config={"tools": tools}, workspaces={
            "lab": {"workspace": "lab", "title_by_model": False, "agents": [
                {"id": "boss", "tools": ["plan", "create_prompt", "create_onto_project"]}]},
            "strict": {"workspace": "strict", "title_by_model": False, "confirm": "always",
                       "agents": [{"id": "boss", "tools": ["plan", "create_prompt",
                                                           "create_onto_project"]}]}},
             ) as lab:
        yield lab


def test_parallel_steps_by_name(lab):
    """Eight steps of 0.3 s take less than two of them, the ninth gets their results."""
    start = time.monotonic()
    events = plan(lab, stage(*(step(f"s{n}", outputs=[f"o{n}"]) for n in range(8))),
                  stage(step("last", inputs=["o0", "o7"])))
    took = time.monotonic() - start
    assert events[-1].name == "done", events[-1]
    done = result(events)
    assert done["status"] == "done", done
    assert [s["result"] for s in done["steps"]] == ["found it"] * 9
    assert took < 9 * 0.3
    boards = [e.data for e in events if e.name == "plan"]
    assert boards[-1]["status"] == "done" and len(boards) > 3
    assert any(sum(s["status"] == "running" for s in b["progress"]) == 8 for b in boards)
    turn = events[-1].data["turnId"]
    one = lab.get(f"/plans/{done['planId']}", user="ada").json
    assert (one["turnId"], one["status"], len(one["progress"])) == (turn, "done", 9)
    assert lab.get("/plans", user="ada").json["items"][0] == one
    assert lab.get(f"/plans/{done['planId']}", user="eve").status == 404


def test_a_model_makes_the_plan(lab):
    done = result(plan(lab))
    assert done["status"] == "done" and done["goal"] == "the goal"


@pytest.mark.parametrize("wrong, says", [
    ([stage(step("a", inputs=["x"]))], "no step has"),
    ([stage(step("a", inputs=["x"], outputs=["y"]), step("b", inputs=["y"], outputs=["x"]))],
     "circle"),
    ([stage(step("a", inputs=["x"])), stage(step("b", outputs=["x"]))], "later stage"),
    ([stage(step("a", tools=["nope"]))], "nope"),
    ([stage(step("a", tools=["plan"]))], "part of a plan"),
    ([stage(step("a", id="1"), step("b", id="1"))], "Two steps"),
    ([stage(*(step(f"s{n}") for n in range(21))) for _ in range(2)], "more than 40"),
])
def test_what_is_no_plan(lab, wrong, says):
    error = result(plan(lab, *wrong))["error"]
    assert error["code"] == "tool_arguments_invalid" and says in error["message"], error


def approvals(events):
    return [e.data for e in events if e.name == "approval-request"]


def decide(lab, request, decision="approve"):
    return lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": decision}, user="ada").events()


def test_the_plan_and_a_step_wait(lab):
    """Policy asks for the plan, then for the writes of two steps; the third runs on."""
    before = prompts(lab)
    events = plan(lab, stage(step("w", "tooling", tools=["create_prompt"]),
                             step("x", "tooling", tools=["create_prompt"]), step("r")),
                  workspace="strict")
    asked, = approvals(events)
    assert asked["tool"] == "plan" and events[-1].name == "waiting"
    events = decide(lab, asked)
    one, two = approvals(events)
    assert {one["tool"], two["tool"]} == {"create_prompt"}
    assert events[-1].name == "waiting" and prompts(lab) == before
    row = lab.get("/plans", user="ada").json["items"][0]
    assert row["status"] == "waiting"
    assert sorted(s["status"] for s in row["progress"]) == ["done", "waiting", "waiting"]
    events = decide(lab, one)
    assert events[-1].name == "waiting" and prompts(lab) == before + 1
    events = decide(lab, two, "deny")
    assert events[-1].name == "done" and prompts(lab) == before + 1
    assert result(events)["status"] == "done"


def test_what_steps_changed_is_told(lab):
    """Clients get the patches of what the steps change, also while the plan waits."""
    steps = [step(f"p{n}", "editor", tools=["create_onto_project"]) for n in range(2)]
    events = plan(lab, stage(*steps))
    patches = [e.data for e in events if e.name == "entity-patch"]
    assert [(p["action"], p["entityType"]) for p in patches] == [("create", "project")] * 2
    assert {p["entityId"] for p in patches} == {
        p["id"] for p in lab.get("/projects", user="ada").json["items"]}
    asked, = approvals(plan(lab, stage(*steps), workspace="strict"))
    one, two = approvals(decide(lab, asked))
    for request, decision, last, n in ((one, "approve", "waiting", 1), (two, "deny", "done", 0)):
        events = decide(lab, request, decision)
        assert events[-1].name == last
        assert [e.name for e in events].count("entity-patch") == n


def test_a_change_is_told_while_its_plan_runs(lab):
    """It came when the plan ended: after the other steps, or never, if its process died."""
    events = plan(lab, stage(step("p", "editor", tools=["create_onto_project"]), mode="sequence"),
                  stage(step("r")))
    names = [(e.name, e.data["progress"][1]["status"] if e.name == "plan" else None)
             for e in events]
    assert names.index(("entity-patch", None)) < names.index(("plan", "running"))
    assert [e.name for e in events].count("entity-patch") == 1


def test_killed_in_the_middle(lab):
    """Twelve steps that write: each write happens once, and the plan ends."""
    before = prompts(lab)
    stages = [stage(*(step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(6)))
              for _ in range(2)]
    body = {"content": "!script " + json.dumps({"tool_calls": [
        {"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}})}
    stream = lab.stream("/chat/lab/stream", body, user="ada")
    events = iter(stream)
    turn = next(e for e in events if e.name == "user-message").data["turnId"]
    for kill in range(3):
        wait_until("the plan to move", lambda: prompts(lab) > before + 3 * kill)
        lab.stop("responder", sig=signal.SIGKILL)
        lab.start_responder()
        wait_until("the web server", lambda: lab.get("/health").status == 200)
        lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
        assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "waiting"
        page = lab.get(f"/{lab.base.rstrip('/')}/plain/turns/{turn}?steps=1", user="ada")
        assert f"turns/{turn}/continue" in page.body.decode(), page
        stream = lab.stream(f"/turns/{turn}/continue", {}, user="ada")
        assert stream.status == 200, stream
    events = stream.events()
    assert events[-1].name == "done" and events[-1].data["content"] == "all done"
    assert result(events)["status"] == "done"
    assert prompts(lab) == before + 12
