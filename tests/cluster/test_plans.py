# SPDX-License-Identifier: MIT
"""A plan on three nodes: each decision comes to another one, and each goes on with it."""

import signal

import pytest

from conftest import three_labs
from lab import Stream, wait_until
from plans import SERVICES, agent, plan, prompts, result, stage, step


@pytest.fixture(scope="module")
def planners(cluster, tmp_path_factory):
    with three_labs(cluster, tmp_path_factory, spread=False, services=SERVICES, config={
            "tools": {"plan_research": agent("reads"), "plan_tooling": agent("writes")}},
            workspaces={"lab": {"workspace": "lab", "title_by_model": False,
                                "confirm": "always", "agents": [
                                    {"id": "boss", "tools": ["plan", "create_prompt"]}]}},
            ) as labs:
        yield labs


def decide(lab, request):
    return lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": "approve"}, user="ada",
        timeout_s=120).events()


def approvals(events):
    assert events[-1].name == "waiting", events[-1]
    return [e.data for e in events if e.name == "approval-request"]


def test_each_node_goes_on(planners):
    one, two, three = planners
    steps = [step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(2)]
    asked, = approvals(plan(one, stage(*steps), stage(step("r"))))
    turn = asked["turnId"]
    first, second = approvals(decide(two, asked))
    events = decide(three, first)
    assert events[-1].name == "waiting" and prompts(three) == 1
    # The third node dies with the turn's last run; the first one ends it.
    three.stop("responder", sig=signal.SIGKILL)
    try:
        events = decide(one, second)
        assert events[-1].name == "done" and result(events)["status"] == "done"
        assert prompts(one) == 2
    finally:
        three.start_responder()
        wait_until("the third node", lambda: three.get("/health").status == 200)
    connection, response = two.open("GET", f"/turns/{turn}/events", user="ada", timeout_s=120)
    events = Stream(connection, response).events()
    assert events[-1].name == "done"
    assert [e.data["status"] for e in events if e.name == "plan"][-1] == "done"
