# SPDX-License-Identifier: MIT
"""A plan that was cut goes on without its page: a job wakes it, in any process that runs
jobs, with the rights of its user, once. Leases are two seconds here, and end by themselves."""

import concurrent.futures
import json
import signal
import sys
import uuid

import pytest

from lab import ROOT, Lab, Stream, Twin, scripted, wait_until
from plans import SERVICES, agent, forget, prompts, result, stage, step

sys.path.append(str(ROOT / "tests/soak"))

# pylint: disable=wrong-import-position
import leases

LEASE = {"LAMPLIGHTER_TURN_LEASE_MS": "2000"}
MODELS = {
    **SERVICES,
    "slow": {"model": scripted({"text": "late", "first_byte_ms": 60000})},
    "asks": {"model": scripted({"tool_calls": [{"name": "ask_user", "args": {
        "question": "Which?", "options": ["This", "That"]}}], "then": {"text": "asked"}})},
}
WRITES = [step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(6)]
CONFIG = {
    "threads": {"grace_s": 0},
    "tools": {"plan_research": agent("slow"), "plan_tooling": agent("writes"),
              "plan_editor": agent("asks"), "plan_writer": agent("reads")},
    "roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.*", "AI.Tokens.*", "AI.Chat.UseTool.plan", "AI.Chat.UseTool.ask_user"]},
        "makers": {"groups": ["makers"], "permissions": ["AI.Chat.UseTool.*"]}},
}
WORKSPACES = {"lab": {"workspace": "lab", "title_by_model": False, "agents": [
    {"id": "boss", "tools": ["plan", "create_prompt", "ask_user"]}]}}


@pytest.fixture(scope="module")
def lab():
    with Lab(services=MODELS, config=CONFIG, workspaces=WORKSPACES,
             responder_env=LEASE) as lab:
        yield lab


@pytest.fixture(autouse=True)
def empty(lab):
    yield
    forget(lab)
    if "responder" not in lab.processes:
        lab.start_responder()


def begin(lab, *stages, headers=None, wait=1):
    """A running plan with at least one write; the id of its turn. Nobody reads on."""
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}}) + "\nDo it."}, user=None if headers else "ada",
        groups=["makers"], headers=headers)
    turn = next(e for e in iter(stream) if e.name == "user-message").data["turnId"]
    wait_until("the plan to move", lambda: prompts(lab) >= wait)
    return turn


def kill(lab, again=True):
    lab.stop("responder", sig=signal.SIGKILL)
    if again:
        lab.start_responder()


def status(lab, turn):
    return int(lab.sql("SELECT status FROM turn WHERE id ="
                       f" UNHEX('{turn.replace('-', '')}')")[0][0])


def ended(lab, turn):
    wait_until("the turn to end", lambda: status(lab, turn) > 2, 60)
    [[how]] = lab.sql("SELECT status FROM plan WHERE turn_id ="
                      f" UNHEX('{turn.replace('-', '')}')")
    return how


def test_nobody_looks(lab):
    """The responder is killed, and its successor goes on by itself."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab)
    assert ended(lab, turn) == "done" and status(lab, turn) == 3
    assert prompts(lab) == 12
    events = Stream(*lab.open("GET", f"/turns/{turn}/events?after=0", user="ada")).events()
    assert events[-1].name == "done" and [e.name for e in events].count("done") == 1
    assert [s["status"] for s in result(events)["steps"]] == ["done"] * 12
    assert lab.sql("SELECT 1 FROM job WHERE kind = 'plan-wake'") == []
    assert "a plan goes on without its user" in lab.log("responder")


def test_only_cron(lab):
    """Where there is only plain CGI, `lamplighter work` does it."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab, again=False)
    for _ in range(20):
        lab.command("work")
        if status(lab, turn) > 2:
            break
        wait_until("the next minute of cron", lambda: lab.sql(
            "SELECT 1 FROM job WHERE due_us < UNIX_TIMESTAMP(NOW(6)) * 1000000 UNION SELECT 1"
            " FROM turn WHERE status = 1 AND lease_until_us + 2000000"
            " < UNIX_TIMESTAMP(NOW(6)) * 1000000"))
    assert ended(lab, turn) == "done" and prompts(lab) == 12


def test_an_orderly_end(lab):
    turn = begin(lab, stage(step("r", id="r"), *WRITES))
    lab.stop("responder")
    assert status(lab, turn) == 2
    lab.sql("UPDATE plan SET plan = REPLACE(plan, '\"research\"', '\"writer\"')")
    lab.start_responder()
    assert ended(lab, turn) == "done" and prompts(lab) == 6


def test_once(lab):
    """Of many processes that run jobs, one goes on with it."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab, again=False)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: lab.command("work", "--for", "8"), range(4)))
    assert ended(lab, turn) == "done" and prompts(lab) == 12
    [[resumes]] = lab.sql("SELECT resumes FROM turn WHERE id ="
                          f" UNHEX('{turn.replace('-', '')}')")
    assert resumes == "1"


def test_what_others_wait_for_is_asked_on(lab):
    """A step that waits stays asked, the others go on; then its answer ends the plan, though
    the process that gets it dies."""
    turn = begin(lab, stage(step("q", "editor", id="q", tools=["ask_user"]), *WRITES),
                 stage(*WRITES))
    wait_until("the question", lambda: lab.sql("SELECT 1 FROM turn_wait WHERE status = 1"))
    kill(lab)
    wait_until("the others", lambda: prompts(lab) == 6 and status(lab, turn) == 2, 60)
    wait_until("the plan to wait", lambda: lab.sql("SELECT status FROM plan") == [["waiting"]])
    [[call]] = lab.sql("SELECT call_id FROM turn_wait WHERE status = 1")
    with Twin(lab, services=MODELS, config=CONFIG, responder_env=LEASE) as twin:
        stream = twin.stream(f"/turns/{turn}/tool-results", {"results": [
            {"toolCallId": call, "result": {"choice": "A"}}]}, user="ada", groups=["makers"])
        assert stream.status == 200, stream
        twin.stop("responder", sig=signal.SIGKILL)
    assert ended(lab, turn) == "done" and prompts(lab) == 12


def test_the_rights_are_those_of_now(lab):
    """What the user may not do any more, a plan that goes on without them may not either."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab, again=False)
    before = prompts(lab)
    assert before < 12
    roles = {**CONFIG["roles"], "makers": {"groups": ["others"],
                                           "permissions": ["AI.Chat.UseTool.*"]}}
    lab.write_config({"roles": roles})
    try:
        lab.start_responder()
        ended(lab, turn)
    finally:
        lab.write_config()
        kill(lab)
    # A call that had begun may have landed.
    assert before <= prompts(lab) < 12


def test_who_may_not_chat_any_more(lab):
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab, again=False)
    before = prompts(lab)
    lab.write_config({"roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.Turns.*", "AI.Chat.UseTool.*"]}}})
    try:
        lab.start_responder()
        wait_until("the job to leave it", lambda: "may not chat" in lab.log("responder"))
    finally:
        lab.write_config()
        kill(lab)
    assert status(lab, turn) == 2 and prompts(lab) == before


def test_a_token_is_asked_again(lab):
    made = lab.post("/tokens", {"name": "t"}, user="ada", groups=["makers"])
    assert made.status == 201, made
    turn = begin(lab, stage(*WRITES), stage(*WRITES), headers={
        "Authorization": f"Bearer {made.json['secret']}"})
    kill(lab)
    wait_until("the job to leave it", lambda: "no rights were kept" in lab.log("responder"))
    assert status(lab, turn) == 2
    events = lab.stream(f"/turns/{turn}/continue", {}, user="ada", groups=["makers"]).events()
    assert events[-1].name == "done" and prompts(lab) == 12


@pytest.mark.parametrize("column,why", [
    ("wakes = 5, woken_at = (SELECT (SELECT COUNT(*) FROM plan_step s WHERE s.status >= 4) +"
     " (SELECT COUNT(*) FROM plan_call c WHERE c.result IS NOT NULL))", "did not get on"),
    ("asked_us = 1", "too old"),
    ("rights = '{\"kind\":\"remote_user\",\"login\":\"ada\"}'", "does not know its user"),
    ("rights = REPLACE(rights, '\"ada\"', '\"bob\"')", "does not know its user"),
])
def test_it_is_left_to_its_user(lab, column, why):
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    kill(lab, again=False)
    lab.sql(f"UPDATE plan SET {column}")
    lab.command("work", "--for", "8")
    lab.start_responder()
    assert status(lab, turn) == 2
    assert lab.sql("SELECT 1 FROM job WHERE kind = 'plan-wake'") == []
    events = lab.stream(f"/turns/{turn}/continue", {}, user="ada", groups=["makers"]).events()
    assert events[-1].name == "done" and prompts(lab) == 12, why
    assert lab.sql("SELECT wakes FROM plan") == [["0"]]


def test_continue_follows_what_goes_on(lab):
    """The user asks a moment after the job."""
    turn = begin(lab, stage(*WRITES, step("slow", id="slow")))
    kill(lab)
    wait_until("the job", lambda: "goes on without its user" in
               lab.log("responder").rsplit("serving", 1)[-1])
    plan_id = str(uuid.UUID(lab.sql("SELECT HEX(id) FROM plan")[0][0]))
    stream = lab.stream(f"/turns/{turn}/continue", {}, user="ada", groups=["makers"])
    assert stream.status == 200, stream
    assert lab.post(f"/plans/{plan_id}/skip", {"stepId": "slow"}, user="ada",
                    groups=["makers"]).status == 200
    events = stream.events()
    assert events[-1].name == "done" and prompts(lab) == 6


def test_it_is_asked_for_but_was_continued(lab):
    """The job finds nothing to do, and a plan without a turn does not keep it."""
    turn = begin(lab, stage(*WRITES))
    kill(lab, again=False)
    lab.start_responder()
    wait_until("it sleeps", lambda: lab.get(f"/turns/{turn}", user="ada").json["status"]
               == "waiting")
    events = lab.stream(f"/turns/{turn}/continue", {}, user="ada", groups=["makers"]).events()
    assert events[-1].name == "done"
    lab.command("work", "--for", "2")
    assert lab.sql("SELECT 1 FROM job WHERE kind = 'plan-wake'") == []
    assert prompts(lab) == 6


@pytest.mark.long
def test_killed_again_and_again():
    """A short form of ./lamp soak leases."""
    told = leases.run(kills=12, plans_at_once=3)
    assert not told["wrong"], told
    assert told["kills"] >= 12 and told["ended"] == told["plans"]
