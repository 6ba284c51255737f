# SPDX-License-Identifier: MIT
"""Faults of other systems whose work spans many steps, tried here: resuming with several
waits, loops in a step, what comes beside a call that waits."""

import pytest

from lab import Lab, scripted
from plans import SERVICES, agent, plan, prompts, result, stage, step

MAKE = {"name": "create_prompt", "args": {"name": "made", "body": "b"}}
LOOP = {"tool_calls": [{"name": "look"}]}
for _ in range(3):
    LOOP = {"tool_calls": [{"name": "look"}], "then": LOOP}
MODELS = {
    **SERVICES,
    "loops": {"model": scripted(LOOP)},
    "both": {"model": scripted({"tool_calls": [MAKE, {"name": "look"}],
                                "then": {"text": "both"}})},
    "empty": {"model": scripted({"empty": True})},
}


@pytest.fixture(scope="module")
def lab():
    tools = {"plan_research": agent("reads"), "plan_tooling": agent("writes"),
             "plan_writer": agent("loops"), "plan_editor": agent("both"),
             "plan_planner": agent("empty"),
             "look": {"kind": "command", "description": "Looks.", "effect": "read",
                      "parameters": {"type": "object"}, "untrusted": False,
                      "confirm": "never", "command": {"run": ["/bin/echo", "nothing"]}}}
    with Lab(services=MODELS, config={"tools": tools}, workspaces={"strict": {
            "workspace": "strict", "title_by_model": False, "confirm": "always",
            "agents": [{"id": "boss", "tools": ["plan", "create_prompt", "look"]}]}},
             ) as lab:
        yield lab


def approvals(events):
    return [e.data for e in events if e.name == "approval-request"]


def decide(lab, request, decision="approve"):
    return lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": decision}, user="ada")


def running(lab, *stages):
    """A plan that was approved; the events of its run."""
    asked, = approvals(plan(lab, *stages, workspace="strict"))
    return decide(lab, asked).events()


def test_what_is_resumed_asks_once(lab):
    """Of two steps that wait one is answered: the other is neither run nor asked again
    (LangGraph 5952, 6208), and a second answer changes nothing (LangGraph 6663)."""
    before = prompts(lab)
    one, two = approvals(running(lab, stage(step("first wish", "tooling", tools=["create_prompt"]),
                                            step("second wish", "tooling", tools=["create_prompt"]))))
    other = ("first", "second")[int(two["toolCallId"].rsplit("-", 1)[1]) >> 20]
    lab.sent()
    left, = approvals(decide(lab, one).events())
    assert left["approvalId"] == two["approvalId"]
    sent = [str(body["messages"]) for body in lab.sent()]
    assert sent and not any(f"{other} wish" in text for text in sent)
    assert decide(lab, one, "deny").status == 409
    assert decide(lab, two, "deny").events()[-1].name == "done"
    assert prompts(lab) == before + 1


def test_a_step_that_loops_ends(lab):
    """Its model repeats a call for ever (CrewAI 737, 3847)."""
    done = result(running(lab, stage(step("w", "writer", tools=["look"]), step("r"))))
    assert done["steps"][1]["status"] == "done"
    assert done["steps"][0]["status"] in ("done", "failed")
    rows = lab.sql("SELECT COUNT(*) FROM plan_call WHERE tool = 'look'")
    assert int(rows[0][0]) <= 12


def test_what_comes_beside_a_call_that_waits(lab):
    """It runs, and the call that waits is not left out (openai-agents-js 1768)."""
    before = prompts(lab)
    events = running(lab, stage(step("e", "editor", tools=["create_prompt", "look"])))
    asked, = approvals(events)
    calls = lab.sql("SELECT tool, result IS NULL FROM plan_call WHERE number >> 20 = 0"
                    f" AND HEX(plan_id) = '{asked['toolCallId'][5:41].replace('-', '').upper()}'"
                    " ORDER BY number")
    assert calls == [["create_prompt", "1"], ["look", "0"]]
    assert decide(lab, asked).events()[-1].name == "done" and prompts(lab) == before + 1


def test_a_model_that_says_nothing_fails_its_step_alone(lab):
    """An empty answer is no result that others could need (CrewAI, "None or empty")."""
    done = result(running(lab, stage(step("p", "planner", outputs=["o"]), step("r")),
                          stage(step("n", inputs=["o"]))))
    assert [s["status"] for s in done["steps"]] == ["failed", "done", "skipped"]
    assert done["status"] == "partial" and done["steps"][0]["result"]
