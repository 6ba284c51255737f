# SPDX-License-Identifier: MIT
"""Clients whose Stop only leaves their stream: AI SDK, AG-UI (docs/dialects.md). The server
cannot tell it from a reload: the turn runs on for clients.left_s, and stops then, unless
somebody watches it."""

import json
import time
import uuid

import pytest

from fastcgi import Request
from lab import Stream, Twin, wait_until

LEFT_S = 1


@pytest.fixture(scope="module")
def lab():
    import conftest
    with conftest.Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False}},
                      config={"clients": {"left_s": LEFT_S}}) as lab:
        yield lab


def script(**what):
    return "!script " + json.dumps(what)


ENDLESS = script(tokens=100000, rate=50)
LONG = script(tokens=150, rate=50)     # three times LEFT_S


def body_of(name, text):
    return {"id": name, "threadId": name, "runId": "r", "messages": [
        {"id": "m1", "role": "user", "content": text,
         "parts": [{"type": "text", "text": text}]}]}


def begin(lab, door, text):
    """Sends it and reads until there is text: (stream, name, turn)."""
    name = uuid.uuid4().hex
    stream = lab.stream(f"/{door}/lab", body_of(name, text), user="ada")
    turn = None
    for event in stream:
        data = event.data
        if data["type"] == "start":
            turn = data["messageMetadata"]["turnId"]
        elif data["type"] == "CUSTOM" and data["name"] == "session":
            turn = data["value"]["turnId"]
        elif data["type"] in ("text-delta", "TEXT_MESSAGE_CONTENT"):
            return stream, name, turn
    raise AssertionError("no text")


def status(lab, turn):
    return lab.get(f"/turns/{turn}", user="ada").json["status"]


def ends(lab, turn):
    wait_until("the turn's end", lambda: status(lab, turn) != "running")
    return status(lab, turn)


@pytest.mark.parametrize("door", ["ai-sdk", "ag-ui"])
def test_a_left_turn_stops_in_time(lab, door):
    stream, _, turn = begin(lab, door, ENDLESS)
    stream.close()
    left = time.monotonic()
    assert ends(lab, turn) == "cancelled"
    assert time.monotonic() - left > LEFT_S - 0.5
    where = lab.get(f"/turns/{turn}", user="ada").json["conversationId"]
    [answer, _] = lab.get(f"/conversations/{where}/messages", user="ada").json["items"]
    assert len(answer["content"].split()) > LEFT_S * 25


def test_that_it_was_left_is_stored_later(lab):
    """The database refuses it at first."""
    stream, _, turn = begin(lab, "ai-sdk", ENDLESS)
    lab.sql("CREATE TRIGGER no_end BEFORE UPDATE ON turn FOR EACH ROW"
            " SET NEW.id = IF(NEW.stop_us IS NULL, NEW.id, NULL)")
    stream.close()
    wait_until("it could not be stored", lambda: "a turn that was left" in lab.log("responder"))
    lab.sql("DROP TRIGGER no_end")
    assert ends(lab, turn) == "cancelled"


def test_one_who_left_before_a_silence(lab):
    """What cannot be passed on says it, not the next comment, 15 s later."""
    body = json.dumps(body_of(uuid.uuid4().hex, script(tokens=9, rate=2, stall_after=2))).encode()
    client = Request(lab, "POST", "/ai-sdk/lab", [
        ("HTTP_" + name.upper().replace("-", "_"), value)
        for name, value in lab.identity("ada").items()], len(body))
    client.send(body)
    client.send(b"")
    said = b""
    while b'"text-delta"' not in said:
        said += client.read(1)
    client.socket.close()
    left = time.monotonic()
    turn = said.split(b'"turnId":"')[1].split(b'"')[0].decode()
    assert ends(lab, turn) == "cancelled"
    assert time.monotonic() - left < 10


def resume(lab, name):
    return Stream(*lab.open("GET", f"/ai-sdk/lab/{name}/stream", user="ada"))


def test_who_resumes_keeps_it(lab):
    """In any process."""
    with Twin(lab) as other:
        stream, name, turn = begin(lab, "ai-sdk", LONG)
        stream.close()
        events = resume(other, name).events()
    assert events[-2].data["type"] == "finish"
    assert events[-2].data["messageMetadata"]["finishReason"] == "stop"
    assert status(lab, turn) == "done"


def test_a_resumed_stream_with_the_query_of_its_chat(lab):
    """Newer transports keep the query behind the address that they make, older ones in it."""
    stream, name, _ = begin(lab, "ai-sdk", LONG)
    stream.close()
    for path in (f"/ai-sdk/lab/{name}/stream?sdk=6",
                 f"/ai-sdk/lab?sdk=6/{name}/stream"):
        again = Stream(*lab.open("GET", path, user="ada"))
        assert again.status == 200, path
        assert next(iter(again)).data["type"] == "start"
        again.close()
    wrong = lab.get(f"/ai-sdk/lab/{name}/stream?sdk=x", user="ada")
    assert wrong.status == 422 and wrong.json["field"] == "sdk"


def test_a_reload_whose_old_stream_ends_late(lab):
    """The new stream is there before the server knows that the old one was left."""
    stream, name, turn = begin(lab, "ai-sdk", LONG)
    again = resume(lab, name)
    next(iter(again))
    stream.close()
    assert again.events()[-2].data["messageMetadata"]["finishReason"] == "stop"
    assert status(lab, turn) == "done"


def test_a_resumed_stream_that_is_left(lab):
    stream, name, turn = begin(lab, "ai-sdk", ENDLESS)
    stream.close()
    again = resume(lab, name)
    for _, event in zip(range(20), again):
        pass
    again.close()
    assert ends(lab, turn) == "cancelled"


def test_anybody_who_watches_keeps_it(lab):
    stream, name, turn = begin(lab, "ag-ui", LONG)
    stream.close()
    after, done = 0, False
    while not done:
        page = lab.get(f"/turns/{turn}/events?wait=5&after={after}", user="ada").json
        after, done = max([after] + [i["id"] for i in page["items"]]), page["done"]
    assert status(lab, turn) == "done"


def test_other_clients_leave_as_they_like(lab):
    stream = lab.stream("/chat/lab/stream", {"content": LONG}, user="ada")
    turn = next(iter(stream)).data["turnId"]
    stream.close()
    assert ends(lab, turn) == "done"


def test_the_next_message_does_not_wait(lab):
    stream, name, turn = begin(lab, "ai-sdk", ENDLESS)
    stream.close()
    begun = time.monotonic()
    events = lab.stream("/ai-sdk/lab", body_of(name, script(text="Next.")),
                        user="ada").events()
    assert events[-2].data["messageMetadata"]["finishReason"] == "stop"
    assert time.monotonic() - begun < LEFT_S
    assert status(lab, turn) == "cancelled"
