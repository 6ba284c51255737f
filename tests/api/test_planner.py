# SPDX-License-Identifier: MIT
"""The model that makes plans, played well and badly: a plan that is wrong is sent back once;
then the tool fails, the turn goes on without it, and nothing of it is stored or run."""

import contextlib
import json

import pytest

from any_provider import Scripted
from lab import Lab
from plans import SERVICES, agent, result, stage, step

CALL = [{"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": {
    "name": "plan", "arguments": '{"goal": "the goal"}'}}]}]


class Planner(Scripted):
    """`boss` asks for a plan and then answers; `plans` says what `says` has, in turn."""

    def __init__(self):
        super().__init__()
        self.says, self.given = [], []
        self.scripts = {"boss": self.boss, "plans": self.plans}

    @staticmethod
    def boss(body):
        return "went on" if body["messages"][-1]["role"] == "tool" else CALL

    def plans(self, body):
        self.given.append(body["messages"][-1]["content"])
        return self.says[min(len(self.given), len(self.says)) - 1]


@pytest.fixture(scope="module")
def model():
    with contextlib.closing(Planner()) as made:
        yield made


@pytest.fixture(scope="module")
def lab(model):
    services = {**SERVICES, **{one: {"url": model.url(one), "model": one}
                               for one in ("boss", "plans")}}
    with Lab(services=services, config={"tools": {
            "plan_planner": agent("plans"), "plan_research": agent("reads")}},
            workspaces={"lab": {"workspace": "lab", "title_by_model": False,
                                "llm_service": "boss",
                                "agents": [{"id": "boss", "tools": ["plan"]}]}}) as lab:
        yield lab


def told(lab, model, *says):
    model.says, model.given = list(says), []
    return lab.stream("/chat/lab/stream", {"content": "Do it."}, user="ada").events()


def plans(lab):
    return len(lab.get("/plans", user="ada").json["items"])


def text(*stages):
    return json.dumps({"goal": "another goal", "stages": list(stages)})


GOOD = text(stage(step("a")))
CIRCLE = text(stage(step("a", inputs=["x"], outputs=["y"]),
                    step("b", inputs=["y"], outputs=["x"])))


@pytest.mark.parametrize("says", [
    "no plan at all", '{"goal": "g", "stages": [', '{"stages": "many"}', text(),
    text(stage()), text(stage(step("a", tools=["invented"]))),
    text(stage(step("a", inputs=["invented"]))), CIRCLE,
    text(*(stage(*(step(f"s{n}") for n in range(21))) for _ in range(2))),
    "I can't help with that.", "x" * 600000,
], ids=["prose", "broken", "type", "no-stages", "no-steps", "tool", "input", "circle", "many",
        "refuses", "endless"])
def test_a_bad_one(lab, model, says):
    before = plans(lab)
    events = told(lab, model, says)
    error = result(events)["error"]
    assert error["code"] == "tool_failed" and "No plan could be made" in error["message"]
    assert events[-1].name == "done" and events[-1].data["content"] == "went on"
    assert plans(lab) == before and not [e for e in events if e.name == "plan"]
    assert len(model.given) <= 4


def test_one_that_mends_its_plan(lab, model):
    """It is told what was wrong; the goal is the caller's."""
    events = told(lab, model, text(stage(step("a", tools=["invented"]))), GOOD)
    done = result(events)
    assert done["status"] == "done" and done["goal"] == "the goal", done
    assert "wrongWithYourLastPlan" in model.given[1] and "invented" in model.given[1]
    assert len(model.given) == 2
