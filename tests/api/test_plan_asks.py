# SPDX-License-Identifier: MIT
"""What a step of a plan waits for is asked while the other steps run, and its answer lets
that step go on beside them, whichever process gets it."""

import concurrent.futures
import json
import re
import signal

import pytest

from lab import Event, Lab, Stream, Twin, scripted, wait_until
from plans import SERVICES, agent, prompts, result, stage, step

MODELS = {
    **SERVICES,
    "slow": {"model": scripted({"text": "late", "first_byte_ms": 60000})},
    "asks": {"model": scripted({"tool_calls": [{"name": "ask_user", "args": {
        "question": "Which?", "options": ["This", "That"]}}], "then": {"text": "asked"}})},
}
CONFIG = {"tools": {"plan_writer": agent("slow"), "plan_tooling": agent("writes"),
                    "plan_editor": agent("asks"), "plan_research": agent("reads")}}
ASKED = ("approval-request", "clarification", "client-tool-call")


@pytest.fixture(scope="module")
def lab():
    with Lab(services=MODELS, config=CONFIG, workspaces={"lab": {
            "workspace": "lab", "title_by_model": False, "confirm": "always",
            "agents": [{"id": "boss", "tools": ["plan", "create_prompt", "ask_user"]}]}}) as lab:
        yield lab


def begin(lab, *stages):
    """A plan whose step "slow" runs on, as it was approved; its events."""
    events = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}})}, user="ada").events()
    request = asked(iter(events)).data
    return iter(lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": "approve"}, user="ada"))


def asked(events):
    return next(e for e in events if e.name in ASKED)


def board(events, at, status):
    return next(e.data for e in events if e.name == "plan"
                and e.data["progress"][at]["status"] == status)


def decide(lab, request, decision="approve"):
    """Without reading what comes then."""
    stream = lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": decision}, user="ada")
    assert stream.status == 200, stream
    stream.close()


def status(lab, plan_id):
    return [s["status"] for s in lab.get(f"/plans/{plan_id}", user="ada").json["progress"]]


WRITE = step("w", "tooling", id="w", tools=["create_prompt"])
SLOW = step("slow", "writer", id="slow")


def end(lab, events, plan_id):
    assert lab.post(f"/plans/{plan_id}/skip", {"stepId": "slow"}, user="ada").status == 200
    events = list(events)
    assert events[-1].name == "done", events[-1]
    return events


@pytest.mark.parametrize("node", ["here", "there"])
def test_an_approval_while_others_run(lab, node):
    before = prompts(lab)
    events = begin(lab, stage(WRITE, SLOW), stage(step("after", id="after")))
    request = asked(events).data
    turn, plan_id = request["turnId"], request["toolCallId"][5:41]
    assert lab.get(f"/turns/{turn}", user="ada").json["waitingFor"] == [request]
    assert lab.get("/approvals", user="ada").json["items"][0]["approvalId"] == \
        request["approvalId"]
    assert status(lab, plan_id)[:2] == ["waiting", "running"] and prompts(lab) == before
    if node == "here":
        decide(lab, request)
    else:
        with Twin(lab, services=MODELS, config=CONFIG) as other:
            decide(other, request)
    progress = board(events, 0, "done")["progress"]
    assert [s["status"] for s in progress] == ["done", "running", "ready"]
    assert prompts(lab) == before + 1
    assert "waitingFor" not in lab.get(f"/turns/{turn}", user="ada").json
    rest = end(lab, events, plan_id)
    assert not [e for e in rest if e.name in ASKED] and prompts(lab) == before + 1
    assert [s["status"] for s in result(rest)["steps"]] == ["done", "skipped", "done"]


def test_a_question_while_others_run(lab):
    events = begin(lab, stage(step("q", "editor", id="q", tools=["ask_user"]), SLOW))
    request = asked(events).data
    assert request["question"] == "Which?"
    lab.stream(f"/turns/{request['turnId']}/tool-results", {"results": [
        {"toolCallId": request["toolCallId"], "result": {"choice": "B"}}]}, user="ada").close()
    plan_id = board(events, 0, "done")["planId"]
    steps = result(end(lab, events, plan_id))["steps"]
    assert [s["result"] for s in steps][0] == "asked"


def test_a_refusal_and_a_second_answer(lab):
    before = prompts(lab)
    events = begin(lab, stage(WRITE, SLOW))
    request = asked(events).data
    decide(lab, request, "deny")
    plan_id = board(events, 0, "done")["planId"]
    again = lab.post(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": "approve"}, user="ada")
    assert again.status == 409, again
    end(lab, events, plan_id)
    assert prompts(lab) == before


def test_what_waits_is_skipped_while_others_run(lab):
    """What needs it is not run then, without waiting for the others."""
    events = begin(lab, stage({**WRITE, "outputs": ["o"]}, SLOW,
                              step("needs", id="needs", inputs=["o"])))
    request = asked(events).data
    plan_id = request["toolCallId"][5:41]
    assert lab.post(f"/plans/{plan_id}/skip", {"stepId": "w"}, user="ada").status == 200
    assert [s["status"] for s in board(events, 2, "skipped")["progress"]] == \
        ["skipped", "running", "skipped"]
    assert lab.get("/approvals", user="ada").json["items"] == []
    end(lab, events, plan_id)


def test_once_in_each_stream(lab):
    """Asked early and not answered: not asked again by the stream that has said so; one that
    begins later says it, too."""
    events = begin(lab, stage(WRITE, SLOW))
    request = asked(events).data
    turn, plan_id = request["turnId"], request["toolCallId"][5:41]
    connection, response = lab.open("GET", f"/turns/{turn}/events", user="ada")
    late = iter(Stream(connection, response))
    assert asked(late).data == request
    assert lab.post(f"/plans/{plan_id}/skip", {"stepId": "slow"}, user="ada").status == 200
    for stream in (events, late):
        rest = [next(stream)]
        while rest[-1].name != "waiting":	# the second stays open
            rest.append(next(stream))
        assert rest[-1].name == "waiting" and rest[-1].data["for"] == [request]
        assert not [e for e in rest if e.name in ASKED]
    events = lab.stream(f"/turns/{turn}/approvals", {
        "approvalId": request["approvalId"], "decision": "approve"}, user="ada").events()
    assert events[-1].name == "done"


def test_its_process_dies_while_it_asks(lab):
    """What was asked can be answered, and what was cut goes on before that."""
    before = prompts(lab)
    events = begin(lab, stage(WRITE, step("r", id="r"), SLOW))
    request = asked(events).data
    turn, plan_id = request["turnId"], request["toolCallId"][5:41]
    lab.stop("responder", sig=signal.SIGKILL)
    lab.start_responder()
    wait_until("the web server", lambda: lab.get("/health").status == 200)
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    now = lab.get(f"/turns/{turn}", user="ada").json
    assert (now["status"], now["waitingFor"]) == ("waiting", [request])
    page = lab.get(f"/{lab.base.rstrip('/')}/plain/turns/{turn}?steps=1", user="ada")
    assert f"turns/{turn}/continue" in page.body.decode(), page
    events = iter(lab.stream(f"/turns/{turn}/continue", {}, user="ada"))
    board(events, 2, "running")
    decide(lab, request)
    board(events, 0, "done")
    end(lab, events, plan_id)
    assert prompts(lab) == before + 1


def test_on_the_plain_pages(lab):
    before = prompts(lab)
    events = begin(lab, stage(WRITE, SLOW))
    request = asked(events).data
    base = f"/{lab.base.rstrip('/')}/plain/turns/{request['turnId']}"
    text = lab.get(base + "?steps=1", user="ada").body.decode()
    assert "Allow this action?" in text and "refresh" not in text.lower(), text
    fields = {name: re.search(f'name="{name}" value="([^"]*)"', text)[1]
              for name in ("wait", "digest")}
    moved = lab.call("POST", base + "/decide", "&".join(
        f"{k}={v}" for k, v in {**fields, "approve": "Allow"}.items()), user="ada", headers={
            "Content-Type": "application/x-www-form-urlencoded"})
    assert moved.status == 303, moved
    plan_id = board(events, 0, "done")["planId"]
    end(lab, events, plan_id)
    assert prompts(lab) == before + 1


def two(lab, *more):
    """A plan with two steps that ask, and what they ask."""
    events = begin(lab, stage(WRITE, {**WRITE, "id": "v"}, *more))
    requests = [asked(events).data, asked(events).data]
    return events, sorted(requests, key=lambda one: int(one["toolCallId"].rsplit("-", 1)[1]))


def test_in_any_order(lab):
    """The second of two is answered first (mastra 19435, 20529): it goes on alone."""
    before = prompts(lab)
    events, (first, second) = two(lab, SLOW)
    decide(lab, second)
    progress = board(events, 1, "done")["progress"]
    assert [s["status"] for s in progress] == ["waiting", "done", "running"]
    assert prompts(lab) == before + 1
    decide(lab, first)
    plan_id = board(events, 0, "done")["planId"]
    end(lab, events, plan_id)
    assert prompts(lab) == before + 2


@pytest.mark.parametrize("more", [[SLOW], []], ids=["running", "waiting"])
def test_both_at_once(lab, more):
    """Two answers at the same moment left a workflow paused (dify 42103)."""
    before = prompts(lab)
    events, requests = two(lab, *more)
    if not more:
        assert next(e for e in events if e.name == "waiting")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: decide(lab, one), requests))
    turn, plan_id = requests[0]["turnId"], requests[0]["toolCallId"][5:41]
    wait_until("both writes", lambda: prompts(lab) == before + 2)
    if more:
        end(lab, events, plan_id)
    wait_until("the turn to end", lambda: lab.get(f"/turns/{turn}", user="ada").json[
        "status"] == "done")
    assert prompts(lab) == before + 2


def test_as_plain_cgi(lab):
    """Each request is a process of its own: the answer comes to another one than that which
    asks and runs the other steps."""
    before = prompts(lab)
    lab.stop("responder")

    def read(reply):
        name = None
        for line in reply.stdout:
            key, _, value = line.decode().rstrip("\r\n").partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                yield Event(name, json.loads(value), None)

    def drop(reply):
        reply.stdout.close()
        reply.wait(30)

    try:
        first = lab.cgi("/chat/lab/stream", {"content": "!script " + json.dumps({
            "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": [
                stage(WRITE, SLOW)]}}], "then": {"text": "all done"}})})
        proposal = asked(read(first)).data
        drop(first)
        turn = proposal["turnId"]
        runs = lab.cgi(f"/turns/{turn}/approvals", {
            "approvalId": proposal["approvalId"], "decision": "approve"})
        events = read(runs)
        request = next(e.data for e in events if e.name in ASKED
                       and e.data["approvalId"] != proposal["approvalId"])
        drop(lab.cgi(f"/turns/{turn}/approvals", {
            "approvalId": request["approvalId"], "decision": "approve"}))
        plan_id = board(events, 0, "done")["planId"]
        drop(lab.cgi(f"/plans/{plan_id}/skip", {"stepId": "slow"}))
        assert list(events)[-1].name == "done"
        drop(runs)
    finally:
        lab.start_responder()
        wait_until("it answers", lambda: lab.get("/me", user="ada").status == 200)
    assert prompts(lab) == before + 1
