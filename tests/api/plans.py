# SPDX-License-Identifier: MIT
"""What plans are made of in tests: models, steps, and what came of them."""

import json

from lab import scripted
from projects import told

MAKE = {"name": "create_prompt", "args": {"name": "made", "body": "b"}}
SERVICES = {
    "reads": {"model": scripted({"text": "found it", "first_byte_ms": 300})},
    "writes": {"model": scripted({"tool_calls": [MAKE], "then": {
        "text": "made it", "first_byte_ms": 100}})},
    "pairs": {"model": scripted({"tool_calls": [
        {"name": "create_prompt", "args": {"name": n, "body": "b"}} for n in ("one", "two")],
        "then": {"text": "made both"}})},
    "founds": {"model": scripted({"tool_calls": [{"name": "create_onto_project", "args": {
        "name": "Roof"}}], "then": {"text": "founded it"}})},
    "bad": {"model": scripted({"text": "no plan"})},
    "plans": {"model": scripted({"text": json.dumps({"goal": "g", "stages": [
        {"name": "s", "mode": "parallel", "steps": [
            {"title": "t", "intent": "research", "executor": "research"}]}]})})},
}


def agent(service):
    return {"kind": "agent", "description": "x", "parameters": {"type": "object"},
            "agent": {"prompt": "Do it.", "llm_service": service}}


def step(title, executor="research", **more):
    return {"title": title, "intent": "research", "executor": executor, **more}


def stage(*steps, mode="parallel"):
    return {"name": "stage", "mode": mode, "steps": list(steps)}


def plan(lab, *stages, then="all done", workspace="lab", **args):
    args = {"goal": "the goal", **({"stages": list(stages)} if stages else {}), **args}
    return lab.chat(told({"tool_calls": [{"name": "plan", "args": args}],
                          "then": {"text": then}}), workspace=workspace)


def result(events):
    return next(e.data["result"] for e in events if e.name == "tool-result")


def forget(lab):
    """Deletes the plans, what they made, and their jobs; ends their turns."""
    lab.sql("DELETE FROM prompt_reader; DELETE FROM prompt; DELETE FROM plan;"
            " DELETE FROM plan_step; DELETE FROM plan_call; DELETE FROM turn_wait;"
            " DELETE FROM job; UPDATE turn SET status = 6 WHERE status < 3;"
            " UPDATE conversation SET running_turn_id = NULL")


def prompts(lab, name="made"):
    return int(lab.sql(f"SELECT COUNT(*) FROM prompt WHERE name = '{name}'")[0][0])
