# SPDX-License-Identifier: MIT
"""POST /tasks: an answer at once, the turn behind it."""

import json
import signal
import uuid

import pytest

from lab import Stream, wait_until

pytestmark = pytest.mark.threads

SLOW = {"tokens": 40, "rate": 40}
ENDLESS = {"tokens": 20000, "rate": 50}


def script(s):
    return "!script " + json.dumps(s)


def submit(lab, content, user="ada", **fields):
    if isinstance(content, dict):
        content = script(content)
    return lab.post("/tasks", {"workspaceId": "lab", "content": content, **fields},
                    user=user)


def follow(lab, turn, query="", user="ada"):
    return Stream(*lab.open("GET", f"/turns/{turn}/events{query}", user=user))


def ended(lab, turn, user="ada"):
    def status():
        turn_now = lab.get(f"/turns/{turn}", user=user).json
        return turn_now if turn_now["status"] != "running" else None
    return wait_until("the turn's end", status)


def test_answers_at_once_and_runs_on(lab):
    answer = submit(lab, {"text": "late", "first_byte_ms": 5000})
    assert answer.status == 202, answer
    task = answer.json
    assert set(task) == {"taskId", "turnId", "conversationId", "messageId"}
    assert task["taskId"] == task["turnId"]
    assert task["messageId"] == task["conversationId"] + ".1"
    assert answer.headers["Location"] == f"turns/{task['turnId']}/events"
    record = lab.get(f"/conversations/{task['conversationId']}", user="ada").json
    assert record["runningTurnId"] == task["turnId"]	# and nobody waited
    assert record["participants"] == [
        {"kind": "user", "id": lab.get("/me", user="ada").json["userId"]},
        {"kind": "agent", "id": "helper"}]
    events = follow(lab, task["turnId"]).events()
    assert events[0].name == "user-message"
    assert events[0].data["messageId"] == task["messageId"]
    assert events[-1].name == "done" and events[-1].data["content"] == "late"
    assert lab.get(f"/turns/{task['turnId']}", user="ada").json["status"] == "done"
    rows = lab.get(f"/conversations/{task['conversationId']}/messages",
                   user="ada").json["items"]
    assert [r["role"] for r in rows] == ["assistant", "user"]


def test_goes_on_in_a_conversation_with_its_agent(lab):
    first = submit(lab, {"text": "one"}, agentId="plain").json
    ended(lab, first["turnId"])
    second = submit(lab, {"text": "two"}, conversationId=first["conversationId"])
    assert second.status == 202, second
    assert second.json["conversationId"] == first["conversationId"]
    assert second.json["messageId"] == first["conversationId"] + ".3"
    ended(lab, second.json["turnId"])
    record = lab.get(f"/conversations/{first['conversationId']}", user="ada").json
    assert record["agentId"] == "plain" and record["messageCount"] == 4


def test_every_dialect_follows_it(lab):
    task = submit(lab, {"text": "Hello there."}).json
    events = follow(lab, task["turnId"], "?dialect=forge").events()
    assert {e.name for e in events} >= {"AITaskStatusChanged", "AIMessageDelta",
                                        "AIMessageComplete"}
    assert all(e.data["Fields"][:2] == [task["taskId"], task["conversationId"]]
               for e in events)


def test_busy_names_the_task(lab):
    task = submit(lab, ENDLESS).json
    again = submit(lab, "me too", conversationId=task["conversationId"])
    assert again.status == 409 and again.json["code"] == "conversation_busy"
    assert again.json["turnId"] == task["turnId"]
    assert lab.post(f"/turns/{task['turnId']}/cancel", {}, user="ada").status == 202
    assert ended(lab, task["turnId"])["status"] == "cancelled"


def test_dead_process_shows_no_running_turn(make_lab):
    lab = make_lab()
    task = submit(lab, ENDLESS).json

    def running():
        rows = lab.get("/conversations", user="ada").json["items"]
        return {r["conversationId"]: r["runningTurnId"] for r in rows}

    assert running() == {task["conversationId"]: task["turnId"]}
    lab.stop("responder", sig=signal.SIGKILL)
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)
    assert running() == {task["conversationId"]: task["turnId"]}
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    assert running() == {task["conversationId"]: None}
    record = lab.get(f"/conversations/{task['conversationId']}", user="ada").json
    assert record["runningTurnId"] is None
    assert ended(lab, task["turnId"])["status"] == "interrupted"


def test_model_failure_is_the_turns(lab):
    task = submit(lab, {"error": {"status": 401, "body": "nope"}})
    assert task.status == 202
    turn = ended(lab, task.json["turnId"])
    assert turn["status"] == "error" and turn["error"]["code"] == "upstream_auth"


@pytest.mark.parametrize("body,status,code", [
    ({"workspaceId": "nope", "content": "x"}, 404, "not_found"),
    ({"workspaceId": "staff", "content": "x"}, 404, "not_found"),
    ({"workspaceId": "lab", "content": "x", "agentId": "nope"}, 404, "not_found"),
    ({"workspaceId": "lab", "content": "x",
      "conversationId": "0192f000-0000-7000-8000-000000000000"}, 404, "not_found"),
    ({"content": "x", "agentId": "nope"}, 404, "not_found"),
    ({}, 422, "invalid_field"),
    ({"workspaceId": "lab"}, 422, "invalid_field"),
    ({"workspaceId": "lab", "content": " \n"}, 422, "invalid_field"),
    ({"workspaceId": "lab", "content": "x", "dialect": "v2"}, 422, "unknown_field"),
])
def test_gates_answer_plainly(lab, body, status, code):
    before = lab.sql("SELECT COUNT(*) FROM turn")
    answer = lab.post("/tasks", body, user="ada")
    assert answer.status == status and answer.json["code"] == code, answer
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert lab.sql("SELECT COUNT(*) FROM turn") == before


def test_must_come_from_our_site(lab):
    answer = lab.post("/tasks", {"workspaceId": "lab", "content": "x"}, user="ada",
                      headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 403 and answer.json["code"] == "csrf_failed"


def test_no_model_is_said_before(make_lab):
    lab = make_lab(config={"chat": {"llm_service": ""}})
    answer = submit(lab, "x")
    assert answer.status == 503 and answer.json["code"] == "chat_disabled"


def test_tasks_count_as_turns(make_lab):
    """A task holds its place until its turn has ended, not until the 202."""
    lab = make_lab(config={"threads": {"max": 8, "max_turns": 1}})
    task = submit(lab, ENDLESS).json
    answer = submit(lab, "no room")
    assert answer.status == 503 and answer.json["code"] == "overloaded"
    assert answer.headers["Retry-After"]
    # So does what waits for an embedding service.
    answer = lab.post(f"/knowledge-bases/{uuid.UUID(int=1)}/search", {"query": "x"},
                      user="ada")
    assert answer.status == 503 and answer.json["code"] == "overloaded"
    lab.post(f"/turns/{task['turnId']}/cancel", {}, user="ada")
    ended(lab, task["turnId"])
    wait_until("room", lambda: submit(lab, {"text": "x"}).status == 202)


def test_stop_of_the_responder_waits_for_it(make_lab):
    lab = make_lab()
    task = submit(lab, SLOW).json
    assert lab.stop("responder") == 0
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)
    assert ended(lab, task["turnId"])["status"] == "done"


# -- a second tab ---------------------------------------------------------------


def joined(events):
    return "".join(e.data["delta"] for e in events if e.name == "token")


def begin(lab, path="/chat/lab/stream", tokens=8):
    """A stream in mid-answer: its first event and those that it has told."""
    stream = lab.stream(path, {"content": script({"tokens": 80, "rate": 60})},
                        user="ada")
    events, seen = iter(stream), []
    while sum(e.name == "token" for e in seen) < tokens:
        seen.append(next(events))
    return stream, events, seen


def busy(lab, conversation):
    answer = lab.stream("/chat/lab/stream", {"content": "and me?",
                        "conversationId": conversation}, user="ada")
    assert answer.status == 409
    problem = json.loads(answer.response.read())
    answer.close()
    assert problem["code"] == "conversation_busy"
    return problem["turnId"]


def test_second_tab_attaches(lab):
    stream, events, seen = begin(lab)
    turn = busy(lab, seen[0].data["conversationId"])
    assert turn == seen[0].data["turnId"]
    whole = follow(lab, turn)
    rest = follow(lab, turn, f"?after={seen[-1].id}")
    told = seen + list(events)
    stream.close()
    final = told[-1].data["content"]
    assert joined(told) == final
    assert joined(whole.events()) == final
    assert joined(seen) + joined(rest.events()) == final


def test_second_tab_attaches_in_the_ai_sdk_dialect(lab):
    stream, events, seen = begin(lab)
    turn = busy(lab, seen[0].data["conversationId"])
    parts = [e.data for e in follow(lab, turn, "?dialect=ai-sdk").events()]
    final = list(events)[-1].data["content"]
    stream.close()
    assert parts[0]["type"] == "start" and parts[-1] == "[DONE]"
    kinds = [p["type"] for p in parts[:-1]]
    assert kinds.count("text-start") == kinds.count("text-end") == 1
    assert "".join(p["delta"] for p in parts[:-1]
                   if p["type"] == "text-delta") == final
    assert kinds[-1] == "finish"
