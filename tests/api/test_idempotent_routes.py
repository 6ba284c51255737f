# SPDX-License-Identifier: MIT
"""Idempotency-Key on the routes of other clients, and of continuations."""

import json
import threading
import uuid

import pytest

from decisions import asks, call, lab as decisions_lab  # noqa: F401
from steps import texts
from steps import conversations, key, stream
from threads import say, sound, thread, Thread  # noqa: F401

pytestmark = pytest.mark.threads

OPENAI = "//chat/openai/v1/chat/completions"


def user_part(text, name="m1"):
    return {"role": "user", "id": name, "parts": [{"type": "text", "text": text}]}


def request(name, text, thread_id):
    """Path and body of a route."""
    return {
        "v2": ("/agent/stream", {"message": text, "workspaceId": "lab",
                                 "sessionId": thread_id}),
        "ai-sdk": ("/ai-sdk/lab", {"id": thread_id,
                                   "messages": [user_part(text)]}),
        "ag-ui": ("/ag-ui/lab", {"threadId": thread_id, "runId": "run-7",
                                 "messages": [{"role": "user", "id": "m1",
                                               "content": text}]}),
        "openai": (OPENAI, {"model": "lab", "stream": True,
                            "stream_options": {"include_usage": True},
                            "messages": [{"role": "user", "content": text}]}),
    }[name]


def told(events):
    """The text, and how it ends: a replay joins deltas and repeats no status."""
    text, ends = "", []
    for e in events:
        data = e.data if isinstance(e.data, dict) else {}
        if data.get("choices"):
            text += data["choices"][0]["delta"].get("content") or ""
            ends.append(data["choices"][0]["finish_reason"])
        elif "delta" in data:
            text += data["delta"]
        else:
            ends.append(data.get("type", e.name))
    return text, ends[-1]


@pytest.mark.parametrize("name", ["v2", "ai-sdk", "ag-ui", "openai"])
def test_other_clients_send_once(lab, name):
    mine = Thread(lab)
    headers = key()
    path, body = request(name, say("one two three"), mine.id)
    before = conversations(lab)
    first = stream(lab, path, body, headers)
    assert first.status == 200, first.response.read()
    first = first.events()
    made = conversations(lab) - before
    assert made == (name == "openai")
    again = stream(lab, path, body, headers).events()
    assert told(again) == told(first)
    assert conversations(lab) == before + made
    if name != "openai":
        assert [r["role"] for r in sound(mine)] == ["user", "assistant"]
    if name == "ag-ui":         # the run is the client's own
        assert again[0].data["runId"] == "run-7"
        assert again[0].data["threadId"] == mine.id
    if name == "openai":        # the same completion, with its usage
        assert again[-1].data == "[DONE]"
        assert {e.data["id"] for e in again[:-1]} == {first[0].data["id"]}
        assert again[-2].data["usage"] == first[-2].data["usage"]
        assert again[-2].data["model"] == "lab"
    path, other = request(name, say("two"), mine.id)
    answer = lab.post(path, other, user="ada", headers=headers)
    if name == "openai":
        assert answer.status == 400
        assert answer.json["error"]["param"] == "Idempotency-Key"
    else:
        assert answer.status == 422
        assert answer.json["field"] == "Idempotency-Key"
    # The same words at another time are another message.
    events = stream(lab, *request(name, say("one two three"), mine.id),
                    key()).events()
    assert told(events) == told(first)
    if name != "openai":
        assert len(sound(mine)) == 4


@pytest.mark.parametrize("name", ["v2", "ai-sdk", "ag-ui", "openai"])
def test_they_wait_for_the_first(lab, name):
    """A repeat while the first is at work tells the same, and begins nothing."""
    mine = Thread(lab)
    headers = key()
    path, body = request(name, say("one", first_byte_ms=300), mine.id)
    first = stream(lab, path, body, headers)
    events = iter(first)
    seen = [next(events)]
    again = stream(lab, path, body, headers).events()
    seen += list(events)
    first.close()
    assert told(again) == told(seen)


def test_a_plain_completion_is_made_once(lab):
    headers = key()
    _, body = request("openai", say("one", first_byte_ms=200), "")
    body = {**body, "stream": False, "stream_options": None}
    before = conversations(lab)
    first = lab.post(OPENAI, body, user="ada", headers=headers)
    again = lab.post(OPENAI, body, user="ada", headers=headers)
    assert first.status == again.status == 200
    assert first.json == again.json and conversations(lab) == before + 1
    # What was said before belongs to the request too.
    other = {**body, "messages": [{"role": "user", "content": "before"},
                                  *body["messages"]]}
    answer = lab.post(OPENAI, other, user="ada", headers=headers)
    assert answer.status == 400
    # One that failed has failed; a new key tries again.
    headers = key()
    broken = {**body, "messages": [{"role": "user", "content": "!script " +
                                    json.dumps({"error": {"status": 401,
                                                          "body": "no"}})}]}
    failed = lab.post(OPENAI, broken, user="ada", headers=headers)
    assert failed.status >= 500
    again = lab.post(OPENAI, broken, user="ada", headers=headers)
    assert (again.status, again.json) == (failed.status, failed.json)


def test_a_completion_with_a_key_outlives_its_client(lab):
    """Without one it is stopped, since nobody could fetch it any more."""
    headers = key()
    path, body = request("openai", "!script " + json.dumps(
        {"tokens": 30, "rate": 30}), "")
    first = stream(lab, path, body, headers)
    next(iter(first))
    first.close()
    events = stream(lab, path, body, headers).events()
    assert events[-1].data == "[DONE]"
    assert events[-3].data["choices"][0]["finish_reason"] == "stop"
    turn = events[0].data["id"].removeprefix("chatcmpl-")
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "done"


def test_ai_sdk_edits_once(lab):
    chat, headers = uuid.uuid4().hex, key()
    stream(lab, "/ai-sdk/lab", {"id": chat, "messages": [
        user_part(say("one"))]}, key()).events()
    redo = {"id": chat, "trigger": "regenerate-message", "messageId": "m1",
            "messages": [user_part(say("one"))]}
    edit = {"id": chat, "messageId": "m1", "messages": [user_part(say("two"))]}
    for body in (redo, edit):
        headers = key()
        first = stream(lab, "/ai-sdk/lab", body, headers).events()
        again = stream(lab, "/ai-sdk/lab", body, headers).events()
        assert told(first) == told(again)
        turn = first[0].data["messageMetadata"]
        assert again[0].data["messageMetadata"]["turnId"] == turn["turnId"]
    rows = lab.get(f"/conversations/{turn['conversationId']}/messages",
                   user="ada").json["items"]
    assert [r["content"] for r in rows[::-1]] == [say("two"), "two"]
    assert rows[1]["variantCount"] == 2


def cut(mine):
    script = {"id": uuid.uuid4().hex, "fail_times": 1, "text": "Now it does.",
              "error": {"status": 400, "body": {"error": {"message": "no"}}}}
    return mine.send("!script " + json.dumps(script))[0].data


def test_going_on_once(thread, lab):  # noqa: F811
    first = cut(thread)
    headers, path = key(), f"/turns/{first['turnId']}/continue"
    told_first = stream(lab, path, None, headers).events()
    assert told_first[-1].data["content"] == "Now it does."
    for _ in range(2):
        again = stream(lab, path, None, headers).events()
        assert texts(again) == texts(told_first)
        assert again[0].data["turnId"] == told_first[0].data["turnId"]
    assert [r["role"] for r in sound(thread)] == ["user", "assistant",
                                                  "assistant"]
    # Without the key it says that the turn was continued.
    assert lab.post(path, {}, user="ada").status == 409
    # The key is this turn's; for another's it is another request.
    other = cut(thread)
    answer = lab.post(f"/turns/{other['turnId']}/continue", {}, user="ada",
                      headers=headers)
    assert answer.status == 422 and answer.json["field"] == "Idempotency-Key"


# -- what waits ------------------------------------------------------------------

@pytest.fixture
def waits(decisions_lab):  # noqa: F811
    decisions_lab.clear()
    return decisions_lab


def decide(lab, wait, headers, **more):
    return stream(lab, f"/turns/{wait['turnId']}/approvals",
                  {"approvalId": wait["approvalId"], "decision": "approve",
                   **more}, headers)


def test_deciding_once(waits):
    events, [wait] = asks(waits, call("edit_note"))
    headers = key()
    args = {"text": "changed"}
    first = decide(waits, wait, headers, arguments=args)
    first_events = first.events()
    assert first_events[-1].name == "done"
    for given in (args, {"text": "changed"}):
        again = decide(waits, wait, headers, arguments=given)
        assert again.status == 200
        again = again.events()
        # What the first answer was, and nothing of before the decision.
        assert again[-1].data == first_events[-1].data
        assert told(again) == told(first_events)
        assert {e.name for e in again} <= {e.name for e in first_events}
        assert int(again[0].id) > int(events[-1].id)
    assert [r["text"] for r in waits.runs()] == ["changed"]
    # What the client has seen it can leave out.
    seen = next(e.id for e in first_events if e.name == "tool-result")
    again = decide(waits, wait, {**headers, "Last-Event-ID": seen},
                   arguments=args).events()
    assert texts(again) == texts(first_events)[1:]
    # Another decision is refused, and so is the same one without a key.
    for more in ({}, {"arguments": {"text": "x"}}, {"decision": "deny"}):
        answer = decide(waits, wait, headers, **more)
        assert answer.status == 409
        answer.close()
    answer = decide(waits, wait, {}, arguments=args)
    assert answer.status == 409
    answer.close()
    answer = decide(waits, wait, {"Idempotency-Key": "a b"}, arguments=args)
    assert answer.status == 422
    answer.close()
    assert len(waits.runs()) == 1


def test_deciding_many_times_at_once(waits):
    _, [wait] = asks(waits, call("edit_note"))
    headers, got = key(), []
    gate = threading.Barrier(5)

    def send():
        gate.wait()
        s = decide(waits, wait, headers)
        assert s.status == 200, s.response.read()
        got.append(s.events()[-1].data)

    senders = [threading.Thread(target=send) for _ in range(5)]
    for t in senders:
        t.start()
    for t in senders:
        t.join()
    assert len(got) == 5 and all(g == got[0] for g in got)
    assert len(waits.runs()) == 1


def test_denying_once(waits):
    _, [wait] = asks(waits, call("edit_note"))
    headers = key()
    ends = [decide(waits, wait, headers, decision="deny").events()[-1].data
            for _ in range(2)]
    assert ends[0] == ends[1] and waits.runs() == []


def test_other_users_do_not_decide_with_a_key(waits):
    _, [wait] = asks(waits, call("edit_note"))
    headers = key()
    decide(waits, wait, headers).events()
    answer = stream(waits, f"/turns/{wait['turnId']}/approvals", {
        "approvalId": wait["approvalId"], "decision": "approve"}, headers,
        user="bob")
    assert answer.status == 404
    answer.close()


QUESTION = {"tool_calls": [{"name": "ask_user", "args": {
    "question": "Which?", "options": ["One", "Two"]}}],
    "then": {"text": "Chosen."}}


def test_results_once(waits, make_lab):
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False, "agents": [{"id": "a", "tools": ["ask_user", "go"]}]}},
        config={"tools": {"go": {"kind": "client", "description": "Goes."}}})
    go = {"tool_calls": [{"name": "go", "args": {}}], "then": {"text": "Went."}}
    for script, result, other in (
            (QUESTION, {"result": {"choice": "B"}}, {"result": {"choice": "A"}}),
            (go, {"result": {"x": [1, 2]}}, {"result": {"x": [2, 1]}}),
            (go, {"error": "cannot"}, {"error": "could not"})):
        events = lab.chat(script, client={"mode": "page", "tools": ["go"]})
        wait = events[-1].data["for"][0]
        path, headers = f"/turns/{wait['turnId']}/tool-results", key()
        send = lambda r: stream(lab, path, {"results": [  # noqa: E731
            {"toolCallId": wait["toolCallId"], **r}]}, headers)
        first = send(result).events()
        assert first[-1].name == "done"
        again = send(result).events()
        assert again[-1].data == first[-1].data
        assert len([e for e in again if e.name == "tool-result"]) == 1
        refused = send(other)
        assert refused.status == 409
        refused.close()
