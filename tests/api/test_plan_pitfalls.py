# SPDX-License-Identifier: MIT
"""What went wrong with long work of agents elsewhere, tried with plans. Leases are two seconds
here, as in test_plan_wakes.py."""

import json
import os
import signal
import uuid

import pytest

from lab import Lab, Stream, Twin, scripted, wait_until
from plans import MAKE, SERVICES, agent, forget, prompts, stage, step

LEASE = {"LAMPLIGHTER_TURN_LEASE_MS": "2000"}
ASK = {"name": "ask_user", "args": {"question": "?", "options": ["This", "That"]}}
MODELS = {
    **SERVICES,
    "long": {"model": scripted({"text": "late", "first_byte_ms": 7000})},
    "asks": {"model": scripted({"tool_calls": [ASK], "then": {"text": "asked"}})},
    "twice": {"model": scripted({"tool_calls": [ASK, ASK], "then": {"text": "both"}})},
    "then": {"model": scripted({"tool_calls": [MAKE], "then": {"tool_calls": [ASK], "then": {
        "text": "both"}}})},
}
CONFIG = {"threads": {"grace_s": 0}, "tools": {
    "plan_research": agent("long"), "plan_tooling": agent("writes"),
    "plan_editor": agent("asks"), "plan_writer": agent("twice"), "plan_planner": agent("then")}}
WORKSPACES = {"lab": {"workspace": "lab", "title_by_model": False, "agents": [
    {"id": "boss", "tools": ["plan", "create_prompt", "ask_user"]}]}}
WRITES = [step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(6)]


@pytest.fixture(scope="module")
def lab():
    with Lab(services=MODELS, config=CONFIG, workspaces=WORKSPACES,
             responder_env=LEASE) as lab:
        yield lab


@pytest.fixture(autouse=True)
def empty(lab):
    yield
    forget(lab)


def twin(lab):
    return Twin(lab, services=MODELS, config=CONFIG, responder_env=LEASE)


def begin(lab, *stages):
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}}) + "\nDo it."}, user="ada")
    return next(e for e in iter(stream) if e.name == "user-message").data["turnId"]


def turn_of(lab, turn, columns="status"):
    row = lab.sql(f"SELECT {columns} FROM turn WHERE id = UNHEX('{turn.replace('-', '')}')")[0]
    return row[0] if len(row) == 1 else row


def ended(lab, turn):
    wait_until("the turn to end", lambda: int(turn_of(lab, turn)) > 2, 90)
    return lab.sql("SELECT status FROM plan")[0][0]


def waits(lab):
    return lab.sql("SELECT call_id, status FROM turn_wait ORDER BY position")


def answer(lab, turn, *call_ids):
    stream = lab.stream(f"/turns/{turn}/tool-results", {"results": [
        {"toolCallId": c, "result": {"choice": "AB"[i]}} for i, c in enumerate(call_ids)]},
        user="ada")
    assert stream.status == 200, stream
    return stream


def test_a_long_step_keeps_its_lease(lab):
    """Abilityai/trinity issue 2846, Tracer-Cloud/opensre issue 6082: work that was taken up
    outlived its lease, and was taken up again while it ran."""
    turn = begin(lab, stage(step("l", id="l"), *WRITES))
    wait_until("writes", lambda: prompts(lab) > 0)
    lab.stop("responder", sig=signal.SIGKILL)
    lab.start_responder()
    assert ended(lab, turn) == "done"
    assert turn_of(lab, turn, "resumes") == "1" and prompts(lab) == 6


def test_a_frozen_process_wakes_up(lab):
    """aegra/aegra pull request 547: a worker that lost its lease while it hung went on."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    wait_until("writes", lambda: prompts(lab) > 0)
    frozen = lab.processes["responder"].pid
    os.kill(frozen, signal.SIGSTOP)
    try:
        with twin(lab):
            assert ended(lab, turn) == "done"
            os.kill(frozen, signal.SIGCONT)
            wait_until("the frozen one", lambda: lab.get("/health").status == 200)
            wait_until("its end", lambda: "a turn ended" in lab.log("responder"))
    finally:
        os.kill(frozen, signal.SIGCONT)
    # What it held when it froze may have kept others from writing, which their models are told.
    [[landed, most, failed]] = lab.sql("SELECT SUM(landed), MAX(landed), SUM(flags & 2 > 0)"
                                       " FROM plan_call")
    assert prompts(lab) == int(landed) and most == "1" and int(landed) + int(failed) >= 12
    assert lab.sql("SELECT COUNT(*) FROM plan_call WHERE landed AND flags & 2") == [["0"]]
    assert turn_of(lab, turn) == "3"
    events = Stream(*lab.open("GET", f"/turns/{turn}/events?after=0", user="ada")).events()
    assert [e.name for e in events].count("done") == 1 and events[-1].name == "done"


def test_a_job_of_a_dead_worker(lab):
    """vercel/eve issue 535: the job of a turn stayed locked by the process that had died."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    wait_until("writes", lambda: prompts(lab) > 0)
    lab.stop("responder", sig=signal.SIGKILL)
    hexed = turn.replace("-", "")
    lab.sql("INSERT INTO job (kind, subject, tenant_id, user_id, due_us, attempts, taken,"
            f" created_us) SELECT 'plan-wake', '{turn}', p.tenant_id, p.user_id,"
            " UNIX_TIMESTAMP(NOW(6)) * 1000000 + 4000000, 1, 1, 1 FROM plan p"
            f" WHERE p.turn_id = UNHEX('{hexed}')")
    lab.start_responder()
    assert ended(lab, turn) == "done" and prompts(lab) == 12


def test_what_was_answered_is_not_asked_again(lab):
    """langchain-ai/langgraph issue 5952: resolved interrupts of parallel nodes fired again."""
    turn = begin(lab, stage(step("a", "editor", id="a", tools=["ask_user"]),
                            step("b", "editor", id="b", tools=["ask_user"]), *WRITES))
    wait_until("both questions", lambda: len(waits(lab)) == 2)
    wait_until("the rest", lambda: turn_of(lab, turn) == "2")
    first, second = (row[0] for row in waits(lab))
    answer(lab, turn, first).events()
    lab.stop("responder", sig=signal.SIGKILL)
    lab.start_responder()
    assert [row[0] for row in waits(lab)] == [first, second]
    assert answer(lab, turn, second).events()[-1].name == "done"
    assert [row[0] for row in waits(lab)] == [first, second] and prompts(lab) == 6


def test_each_answer_comes_to_its_call(lab):
    """langchain-ai/langgraph issues 6533 and 6208: answers of one node went to the wrong tool,
    or the node ran again after the first of two."""
    turn = begin(lab, stage(step("two", "writer", id="two", tools=["ask_user"])))
    wait_until("both questions", lambda: len(waits(lab)) == 2 and turn_of(lab, turn) == "2")
    first, second = (row[0] for row in waits(lab))
    lab.sent()
    stream = lab.stream(f"/turns/{turn}/tool-results", {"results": [
        {"toolCallId": second, "result": {"choice": "B"}}]}, user="ada")
    assert stream.events()[-1].name == "waiting"
    assert lab.sent() == [], "no model before the other answer"
    stream = lab.stream(f"/turns/{turn}/tool-results", {"results": [
        {"toolCallId": first, "result": {"choice": "A"}}]}, user="ada")
    assert stream.events()[-1].name == "done"
    told = next(b["messages"] for b in lab.sent() if "ask_user" in json.dumps(b["messages"])
                and b["messages"][-1]["role"] == "tool")
    results = [json.loads(m["content"]) for m in told if m["role"] == "tool"]
    assert "This" in json.dumps(results[0]) and "That" in json.dumps(results[1]), results


def test_what_was_done_before_a_question_is_not_done_again(lab):
    """langchain-ai/langgraph pull request 6603: a node ran from its start after its question."""
    turn = begin(lab, stage(step("t", "planner", id="t", tools=["create_prompt", "ask_user"])))
    wait_until("the question", lambda: waits(lab) and turn_of(lab, turn) == "2")
    with twin(lab) as other:
        assert answer(other, turn, waits(lab)[0][0]).events()[-1].name == "done"
    assert prompts(lab) == 1


def test_killed_as_soon_as_it_is_stored(lab):
    """The rights of its user are stored with it, not after it."""
    turn = begin(lab, stage(step("l", id="l")))
    wait_until("the plan", lambda: lab.sql("SELECT rights IS NOT NULL, asked_us > 0 FROM plan")
               == [["1", "1"]])
    assert turn_of(lab, turn) == "1"
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")


def test_it_ended_but_nobody_was_told(lab):
    """What was done was done again where its result was lost (letta, crewAI: a finished task
    that ran again after a restart)."""
    turn = begin(lab, stage(*WRITES, step("l", id="l")))
    wait_until("writes", lambda: prompts(lab) == 6)
    wait_until("six steps", lambda: lab.sql(
        "SELECT COUNT(*) FROM plan_step WHERE status = 4") == [["6"]])
    lab.stop("responder", sig=signal.SIGKILL)
    # The moment between the end of the plan and that of its call.
    lab.sql("UPDATE plan SET status = 'done';"
            " UPDATE plan_step SET status = 4, result = 'late' WHERE status < 4")
    lab.start_responder()
    assert ended(lab, turn) == "done" and prompts(lab) == 6
    assert turn_of(lab, turn) == "3"
    assert "late" in lab.sql("SELECT content FROM message WHERE kind = 4")[-1][0]


def test_stopped_while_it_sleeps(lab):
    """A plan that its user stops while nobody runs it is not woken (n8n, Temporal: cancelled
    work that a recovering worker started anyway)."""
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    wait_until("writes", lambda: prompts(lab) > 0)
    lab.stop("responder", sig=signal.SIGKILL)
    before = prompts(lab)
    lab.start_responder()
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    assert turn_of(lab, turn, "cancel_requested") == "1"
    wait_until("it is over", lambda: int(turn_of(lab, turn)) > 2)
    lab.command("work", "--for", "4")
    assert lab.sql("SELECT status FROM plan") == [["stopped"]]
    assert prompts(lab) == before and turn_of(lab, turn, "resumes") == "0"


def test_deleted_while_it_sleeps(lab):
    turn = begin(lab, stage(*WRITES), stage(*WRITES))
    wait_until("writes", lambda: prompts(lab) > 0)
    lab.stop("responder", sig=signal.SIGKILL)
    [[conversation]] = lab.sql("SELECT LOWER(HEX(conversation_id)) FROM turn WHERE id ="
                               f" UNHEX('{turn.replace('-', '')}')")
    lab.start_responder()
    assert lab.call("DELETE", f"/conversations/{uuid.UUID(conversation)}",
                    user="ada").status == 204
    lab.command("work", "--for", "6")
    assert lab.sql("SELECT 1 FROM job WHERE kind = 'plan-wake'") == []
    assert lab.sql("SELECT COUNT(*) FROM plan, plan_step, plan_call") == [["0"]]
