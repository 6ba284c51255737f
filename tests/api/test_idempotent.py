# SPDX-License-Identifier: MIT
"""Idempotency-Key: a repeated key gives the first answer."""

import json
import threading
import uuid

import pytest

from steps import conversations, follow, key, stream, texts
from threads import Thread, place, say, sound, thread  # noqa: F401

pytestmark = pytest.mark.threads


@pytest.mark.parametrize("path,body", [
    ("/conversations", {"workspaceId": "lab", "title": "T"}),
    ("/workspaces/lab/agents/helper/conversations", {"title": "T"})])
def test_a_conversation_is_made_once(lab, path, body):
    headers = key()
    first = lab.post(path, body, user="ada", headers=headers)
    before = conversations(lab)
    again = lab.post(path, body, user="ada", headers=headers)
    assert first.status == again.status == 201
    assert first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    assert conversations(lab) == before
    # As it is now.
    id = first.json["conversationId"]
    lab.call("PATCH", f"/conversations/{id}", {"title": "U"}, user="ada")
    assert lab.post(path, body, user="ada", headers=headers).json["title"] == "U"
    # Another's key is another key; and so is one for another thing.
    assert lab.post(path, body, user="bob",
                    headers=headers).json["conversationId"] != id
    other = lab.post("/conversations", {"workspaceId": "lab",
                                        "agentId": "plain"}, user="ada",
                     headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"
    # One that is gone is made again.
    lab.call("DELETE", f"/conversations/{id}", user="ada")
    assert lab.post(path, body, user="ada", headers=headers).status == 201
    # With an id of the client's, that is the one.
    own = str(uuid.uuid4())
    headers = key()
    for _ in range(2):
        made = lab.post(path, {**body, "conversationId": own}, user="ada",
                        headers=headers)
        assert made.status == 201 and made.json["conversationId"] == own
    taken = lab.post(path, {**body, "conversationId": own}, user="ada")
    assert taken.status == 409


@pytest.mark.parametrize("value", ["", " ", "a b", "x" * 256, "\u00e4"])
def test_bad_keys_are_refused(lab, value):
    headers = {"Idempotency-Key": value.encode("latin-1").decode("latin-1")}
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada",
                      headers=headers)
    if value.strip():
        assert answer.status == 422, answer
        assert answer.json["field"] == "Idempotency-Key"
    else:           # an empty header may not arrive as one
        assert answer.status in (201, 422)


def test_a_fork_is_made_once(thread, lab):
    thread.send(say("one"))
    thread.send(say("two"))
    rows = thread.rows()
    headers, path = key(), f"{thread.path}/fork"
    body = {"messageId": rows[1]["messageId"]}
    first = lab.post(path, body, user="ada", headers=headers)
    before = conversations(lab)
    again = lab.post(path, body, user="ada", headers=headers)
    assert first.status == again.status == 201 and first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    assert conversations(lab) == before
    other = lab.post(path, {"messageId": rows[3]["messageId"]}, user="ada",
                     headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"


def test_a_message_is_sent_once(thread, lab):
    """Its stream comes again, whole: while it runs, and when it is over."""
    headers = key()
    body = {"content": "!script " + json.dumps({"tokens": 40, "rate": 40}),
            "conversationId": thread.id}
    first = stream(lab, "/chat/lab/stream", body, headers)
    events = iter(first)
    told = [next(events), next(events)]
    second = stream(lab, "/chat/lab/stream", body, headers)
    assert second.status == 200
    again = second.events()
    told += list(events)
    first.close()
    assert texts(again) == texts(told)
    third = stream(lab, "/chat/lab/stream", body, headers).events()
    assert texts(third) == texts(told)
    assert [r["role"] for r in sound(thread)] == ["user", "assistant"]
    other = lab.post("/chat/lab/stream", {**body, "content": "x"}, user="ada",
                     headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"
    other = lab.post("/chat/lab/stream", {
        **body, "conversationId": Thread(lab).id}, user="ada", headers=headers)
    assert other.status == 422
    # In another dialect it is the same turn.
    events = stream(lab, "/chat/lab/stream?dialect=ai-sdk", body,
                    headers).events()
    assert events[0].data["messageId"] == told[0].data["turnId"]


def test_a_message_with_a_file_is_sent_once(thread, lab):
    """Even if the file was deleted meanwhile; but with another one it is another
    message."""
    def attached(name):
        return lab.call("POST", f"/attachments?name={name}", b"x", user="ada", headers={
            "Content-Type": "application/octet-stream"}).json["id"]

    headers, ids = key(), [attached("a.txt"), attached("b.txt")]
    body = {"content": "What is it?", "conversationId": thread.id,
            "attachments": ids[:1]}
    first = stream(lab, "/chat/lab/stream", body, headers).events()
    stored = sound(thread)
    for again in (ids[0], ids[0].upper()):
        told = stream(lab, "/chat/lab/stream", {**body, "attachments": [again]},
                      headers).events()
        assert texts(told) == texts(first)
    other = lab.post("/chat/lab/stream", {**body, "attachments": ids[1:]}, user="ada",
                     headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"
    assert lab.call("DELETE", f"/attachments/{ids[0]}", user="ada").status == 204
    told = stream(lab, "/chat/lab/stream", body, headers)
    assert told.status == 200 and texts(told.events()) == texts(first)
    assert len(sound(thread)) == len(stored)


def test_a_new_conversation_by_message_is_made_once(lab):
    headers, body = key(), {"content": say("one")}
    first = stream(lab, "/chat/lab/stream", body, headers).events()
    before = conversations(lab)
    again = stream(lab, "/chat/lab/stream", body, headers).events()
    assert texts(again) == texts(first)
    assert conversations(lab) == before
    # Others with the same key have a turn of their own.
    other = stream(lab, "/chat/lab/stream", body, headers, user="bob").events()
    assert other[0].data["turnId"] != first[0].data["turnId"]


def test_waiting_for_the_answer_twice(thread, lab):
    path = f"/workspaces/lab/agents/helper{thread.path}/messages"
    headers, body = key(), {"content": say("one", first_byte_ms=400)}
    got = []
    first = threading.Thread(target=lambda: got.append(
        lab.post(path, body, user="ada", headers=headers)))
    first.start()
    while not thread.rows():
        pass
    again = lab.post(path, body, user="ada", headers=headers)
    first.join()
    assert got[0].status == again.status == 200
    assert got[0].json == again.json
    assert again.json["assistant"]["role"] == "agent"
    assert len(thread.rows()) == 2
    # Streamed it is the same, in that route's records.
    events = stream(lab, path + "/stream", body, headers).events()
    assert events[-1].data == again.json["assistant"]


def test_a_task_is_submitted_once(thread, lab):
    headers = key()
    body = {"workspaceId": "lab", "conversationId": thread.id,
            "content": say("one", first_byte_ms=300)}
    first = lab.post("/tasks", body, user="ada", headers=headers)
    again = lab.post("/tasks", body, user="ada", headers=headers)
    assert first.status == again.status == 202
    assert first.json == again.json
    assert first.headers["Location"] == again.headers["Location"]
    end = follow(lab, first.json["turnId"]).events()[-1]
    assert end.name == "done"
    assert lab.post("/tasks", body, user="ada",
                    headers=headers).json == first.json
    assert [r["role"] for r in sound(thread)] == ["user", "assistant"]
    other = lab.post("/tasks", {**body, "content": "x"}, user="ada",
                     headers=headers)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"


def test_editing_once(thread, lab):
    thread.send(say("one"))
    rows = thread.rows()
    headers = key()
    for _ in range(3):
        events = stream(lab, f"{thread.path}/regenerate", {}, headers).events()
        assert place(events[-1].data) == (2, 2)
    headers = key()
    body = {"messageId": rows[0]["messageId"], "content": say("two")}
    for _ in range(3):
        events = stream(lab, f"{thread.path}/edit", body, headers).events()
        assert events[-1].data["content"] == "two"
        assert place(events[0].data) == (2, 2)
    sound(thread)


def test_many_at_once_make_one(lab):
    headers = key()
    body = {"content": say("one", first_byte_ms=300)}
    got = []
    gate = threading.Barrier(6)

    def send():
        gate.wait()
        s = stream(lab, "/chat/lab/stream", body, headers)
        if s.status == 200:
            got.append(s.events()[-1].data["messageId"])
        else:
            got.append(json.load(s.response)["code"])
            s.close()

    before = conversations(lab)
    senders = [threading.Thread(target=send) for _ in range(6)]
    for t in senders:
        t.start()
    for t in senders:
        t.join()
    ids = {g for g in got if g not in ("conflict", "conversation_busy")}
    assert len(ids) == 1, got
    assert conversations(lab) == before + 1
    again = stream(lab, "/chat/lab/stream", body, headers).events()
    assert again[-1].data["messageId"] in ids


@pytest.mark.parametrize("path,body,other", [
    ("/chat/lab/stream", {}, {"agentId": "plain"}),
    ("/tasks", {"workspaceId": "lab"}, {"workspaceId": "staff"}),
    ("/agent/stream", {"workspaceId": "lab", "agentId": "helper"},
     {"agentId": "plain"}),
    ("//chat/openai/v1/chat/completions", {"model": "lab"},
     {"model": "lab/plain"}),
    ("//chat/openai/v1/chat/completions", {"model": "lab", "stream": True},
     {"model": "lab/plain"})])
def test_another_agents_is_another_request(lab, path, body, other):
    headers, text = key(), say("one")
    said = {"messages": [{"role": "user", "content": text}]} if "openai" in path \
        else {"message": text} if "agent" in path else {"content": text}
    answer = lab.post(path, {**body, **said}, user="eve", groups=["staff"],
                      headers=headers)
    assert answer.status in (200, 202), answer
    again = lab.post(path, {**body, **said}, user="eve", groups=["staff"],
                     headers=headers)
    assert again.status == answer.status
    answer = lab.post(path, {**body, **said, **other}, user="eve",
                      groups=["staff"], headers=headers)
    assert answer.status in (400, 422), answer
    assert b"was used for another request" in answer.body


def test_a_refused_request_leaves_the_key_free(thread, lab):
    headers = key()
    body = {"content": say("one"), "conversationId": thread.id}
    answer = lab.post("/chat/staff/stream", body, user="ada", headers=headers)
    assert answer.status == 404
    events = stream(lab, "/chat/lab/stream", body, headers).events()
    assert events[-1].name == "done"
