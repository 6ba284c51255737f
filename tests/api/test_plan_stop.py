# SPDX-License-Identifier: MIT
"""A step of a plan that the user stops while it runs: its model ends, a write of it does not,
and nothing happens twice."""

import contextlib
import json
import os
import pathlib
import signal
import tempfile

import pytest

from lab import Lab, Twin, scripted, wait_until
from plans import SERVICES, agent, result, stage, step

NOTES = pathlib.Path(tempfile.mkdtemp()) / "notes"
GO = NOTES.parent / "go"	# a write waits there until the test writes into it
os.mkfifo(GO)
MODELS = {
    **SERVICES,
    "slow": {"model": scripted({"text": "late", "first_byte_ms": 30000})},
    "notes": {"model": scripted({"tool_calls": [{"name": "note"}], "then": {
        "tool_calls": [{"name": "note", "args": {"n": 2}}], "then": {"text": "noted"}}})},
    "never": {"model": scripted({"text": "late", "first_byte_ms": 600000})},
    "hands": {"model": scripted({"tool_calls": [{"name": "helper", "args": {}}],
                                 "then": {"text": "helped"}})},
    "scribes": {"model": scripted({"tool_calls": [{"name": "scribe", "args": {}}],
                                   "then": {"text": "written"}})},
}


NOTE = {"kind": "command", "description": "Notes, slowly.", "effect": "write",
        "confirm": "never", "untrusted": False, "parameters": {"type": "object"},
        "command": {"run": ["/bin/sh", "-c", f"echo begun >>{NOTES}; read -r _ <{GO};"
                            f" echo ended >>{NOTES}"]}}
CONFIG = {"tools": {"plan_research": agent("reads"), "plan_writer": agent("slow"),
                    "plan_tooling": agent("notes"), "note": NOTE,
                    "plan_editor": agent("hands"), "helper": agent("never"),
                    "plan_planner": agent("scribes"),
                    "scribe": {**agent("notes"), "agent": {**agent("notes")["agent"],
                                                          "tools": ["note"]}}}}


@pytest.fixture(scope="module")
def lab():
    with Lab(services=MODELS, config=CONFIG, workspaces={"lab": {
            "workspace": "lab", "title_by_model": False,
            "agents": [{"id": "boss", "tools": ["plan", "note", "helper", "scribe"]}]}},
             ) as lab:
        yield lab


def begin(lab, *stages):
    """A running plan: its events, and its board once the step "a" runs."""
    NOTES.write_text("")
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}})}, user="ada")
    events = iter(stream)
    board = next(e.data for e in events if e.name == "plan"
                 and e.data["progress"][0]["status"] == "running")
    return events, board["planId"]


def stop(lab, plan_id, step_id="a", user="ada"):
    return lab.post(f"/plans/{plan_id}/skip", {"stepId": step_id}, user=user)


def test_its_model_is_cut_off(lab):
    """From another process, too; what does not need it goes on."""
    events, plan_id = begin(lab, stage(step("a", "writer", id="a", outputs=["o"]), step("b")),
                            stage(step("c", inputs=["o"]), step("d")))
    with Twin(lab, services=MODELS, config=CONFIG) as other:
        assert stop(other, plan_id, user="eve").status == 404
        for _ in range(2):
            answer = stop(other, plan_id)
            assert answer.json["status"] == "stopping", answer
            assert answer.json["turnStatus"] == "running"
    events = list(events)
    boards = [[s["status"] for s in e.data["progress"]] for e in events if e.name == "plan"]
    assert any(b[0] == "stopping" for b in boards), boards
    done = result(events)
    assert done["status"] == "partial"
    assert [s["status"] for s in done["steps"]] == ["skipped", "done", "skipped", "done"]
    assert "stopped this step" in done["steps"][0]["result"]
    assert events[-1].name == "done" and events[-1].data["content"] == "all done"
    assert stop(lab, plan_id).status == 409


def test_a_write_ends_and_no_other_begins(lab):
    events, plan_id = begin(lab, stage(step("a", "tooling", id="a", tools=["note"])))
    wait_until("the write to begin", lambda: NOTES.read_text() == "begun\n")
    assert stop(lab, plan_id).json["status"] == "stopping"
    assert any(e.data["progress"][0]["status"] == "stopping" for e in events if e.name == "plan")
    GO.write_text("go\n")
    done = result(list(events))
    assert [s["status"] for s in done["steps"]] == ["skipped"]
    assert NOTES.read_text() == "begun\nended\n"
    assert lab.sql("SELECT COUNT(*), COUNT(result) FROM plan_call WHERE HEX(plan_id) = "
                   f"'{plan_id.replace('-', '')}'") == [["1", "1"]]


def test_no_write_begins_after_the_answer(lab):
    """Its process hears of it within a second; the next write comes before that."""
    events, plan_id = begin(lab, stage(step("a", "tooling", id="a", tools=["note"])))
    wait_until("the write to begin", lambda: NOTES.read_text() == "begun\n")
    assert stop(lab, plan_id).json["status"] == "stopping"
    GO.write_text("go\n")
    list(events)
    assert NOTES.read_text() == "begun\nended\n"


def test_an_agent_that_it_calls_is_cut_off(lab):
    """From another process; its model would have said nothing for minutes."""
    events, plan_id = begin(lab, stage(step("a", "editor", id="a", tools=["helper"])))
    wait_until("the agent to begin", lambda: lab.sql(
        "SELECT tries FROM plan_call WHERE tool = 'helper'") == [["1"]])
    with Twin(lab, services=MODELS, config=CONFIG) as other:
        assert stop(other, plan_id).json["status"] == "stopping"
    done = result(list(events))
    assert [s["status"] for s in done["steps"]] == ["skipped"]
    assert "stopped this step" in done["steps"][0]["result"]


def test_a_write_of_an_agent_that_it_calls_ends(lab):
    events, plan_id = begin(lab, stage(step("a", "planner", id="a", tools=["scribe"])))
    wait_until("the write to begin", lambda: NOTES.read_text() == "begun\n")
    assert stop(lab, plan_id).json["status"] == "stopping"
    GO.write_text("go\n")
    assert [s["status"] for s in result(list(events))["steps"]] == ["skipped"]
    assert NOTES.read_text() == "begun\nended\n"


def test_its_process_is_killed(lab):
    """Before the write has ended: nobody knows of it, it is not run again."""
    events, plan_id = begin(lab, stage(step("a", "tooling", id="a", tools=["note"]), step("b")))
    wait_until("the write to begin", lambda: NOTES.read_text() == "begun\n")
    assert stop(lab, plan_id).json["status"] == "stopping"
    turn = lab.get(f"/plans/{plan_id}", user="ada").json["turnId"]
    lab.stop("responder", sig=signal.SIGKILL)
    lab.start_responder()
    wait_until("the web server", lambda: lab.get("/health").status == 200)
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "waiting"
    done = result(lab.stream(f"/turns/{turn}/continue", {}, user="ada").events())
    assert [s["status"] for s in done["steps"]] == ["skipped", "done"]
    assert "unknown whether" in done["steps"][0]["result"]
    assert NOTES.read_text().count("begun") == 1
    # If the command has outlived its process, it ends now.
    with contextlib.suppress(OSError):
        os.close(os.open(GO, os.O_WRONLY | os.O_NONBLOCK))


def test_the_whole_turn_is_stopped_then(lab):
    events, plan_id = begin(lab, stage(step("a", "writer", id="a"), step("b", "writer")))
    assert stop(lab, plan_id).status == 200
    turn = lab.get(f"/plans/{plan_id}", user="ada").json["turnId"]
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    assert list(events)[-1].data["metadata"]["finish_reason"] == "cancelled"
    assert lab.get(f"/plans/{plan_id}", user="ada").json["status"] == "stopped"


def test_on_the_plain_pages(lab):
    events, plan_id = begin(lab, stage(step("a", "writer", id="a")))
    page = f"/{lab.base.rstrip('/')}/plain/plans/{plan_id}"
    assert "Stop this step" in lab.get(page, user="ada").body.decode()
    moved = lab.call("POST", page + "/skip", "step=a", user="ada", headers={
        "Content-Type": "application/x-www-form-urlencoded"})
    assert moved.status == 303, moved
    text = lab.get(page, user="ada").body.decode()
    assert "Stop this step" not in text
    assert [s["status"] for s in result(list(events))["steps"]] == ["skipped"]
