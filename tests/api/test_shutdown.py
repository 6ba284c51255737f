# SPDX-License-Identifier: MIT
"""A responder that is told to stop: what still runs when the grace is over."""

import http.client
import json
import os
import pathlib
import signal
import threading

import pytest

from lab import wait_until

pytestmark = pytest.mark.threads

LONG = {"tokens": 20000, "rate": 50}


@pytest.fixture
def hasty(make_lab):
    """A Lab whose responder gives no grace."""
    return make_lab(config={"threads": {"grace_s": 0}})


def begin(lab, script=LONG):
    """A stream that has brought a token, and what its first event says."""
    stream = lab.stream("/chat/lab/stream",
                        {"content": "!script " + json.dumps(script)}, user="ada")
    events = iter(stream)
    first = next(events)
    for event in events:
        if event.name == "token":
            return stream, events, first.data
    raise AssertionError("no token")


def restart(lab):
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)


def test_turn_is_interrupted_and_can_go_on(hasty):
    lab = hasty
    stream, events, first = begin(lab)
    assert lab.stop("responder") == 0
    last = list(events)[-1]
    stream.close()
    assert last.name == "done"
    assert last.data["metadata"]["finish_reason"] == "interrupted"
    assert last.data["content"]
    restart(lab)
    turn = lab.get(f"/turns/{first['turnId']}", user="ada").json
    assert turn["status"] == "interrupted"
    record = lab.get(f"/conversations/{first['conversationId']}", user="ada").json
    assert record["runningTurnId"] is None
    rows = lab.get(f"/conversations/{first['conversationId']}/messages",
                   user="ada").json["items"]
    assert rows[0]["content"] == last.data["content"]
    again = lab.stream(f"/turns/{first['turnId']}/continue", {}, user="ada")
    assert again.status == 200
    told = iter(again)
    new = next(told).data["turnId"]
    assert lab.post(f"/turns/{new}/cancel", {}, user="ada").status == 202
    assert list(told)[-1].data["metadata"]["finish_reason"] == "cancelled"
    again.close()


@pytest.mark.parametrize("dialect,sign", [
    ("ai-sdk", '{"type":"abort"}'), ("forge", "Interrupted"),
    ("v2", '"finish_reason":"interrupted"'), ("ag-ui", "interrupted")])
def test_dialects_say_that_it_was_cut_short(hasty, dialect, sign):
    stream = hasty.stream(f"/chat/lab/stream?dialect={dialect}",
                          {"content": "!script " + json.dumps(LONG)}, user="ada")
    lines = []
    while len(lines) < 40:
        lines.append(stream.response.readline().decode())
    hasty.stop("responder")
    rest = stream.response.read().decode()
    stream.close()
    assert sign in rest.replace(" ", ""), rest[-600:]


def test_stopped_by_its_user_stays_cancelled(hasty):
    lab = hasty
    stream, events, first = begin(lab)
    assert lab.post(f"/turns/{first['turnId']}/cancel", {}, user="ada"
                    ).status == 202
    lab.stop("responder")
    assert list(events)[-1].data["metadata"]["finish_reason"] == "cancelled"
    stream.close()
    restart(lab)
    assert lab.get(f"/turns/{first['turnId']}", user="ada"
                   ).json["status"] == "cancelled"


def test_single_completion_is_let_go(hasty):
    """It would hold the process for as long as the model takes."""
    lab, answers = hasty, []

    def ask():
        try:
            answers.append(lab.post("/chat/lab/complete", {
                "input": '!script {"text": "late", "first_byte_ms": 600000}'},
                user="ada", timeout_s=60))
        except (OSError, http.client.HTTPException) as e:
            answers.append(e)

    thread = threading.Thread(target=ask)
    thread.start()
    wait_until("the call", lambda: running(lab))
    assert lab.stop("responder", sig=signal.SIGTERM) == 0
    thread.join(20)
    assert answers[0].status == 503, answers
    assert answers[0].json["code"] == "overloaded"
    assert answers[0].headers["Retry-After"]
    assert "did not end in time" not in lab.log("responder")


def test_a_database_that_does_not_answer_holds_up_no_end(hasty):
    """Its statements fail after 30 s, one after the other."""
    for _ in range(3):		# so that it has links of all kinds
        assert hasty.post("/conversations", {"workspaceId": "lab"},
                          user="ada").status == 201
    # No worker waits for it: that is what the grace is for.
    wait_until("the work after the answer", lambda: hasty.sql(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE db ="
        f" '{hasty.database}' AND command <> 'Sleep' AND id <> CONNECTION_ID()") == [["0"]])
    pid = int(pathlib.Path(os.environ["LAMPLIGHTER_TEST_DB_DIR"], "db.pid").read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        assert hasty.stop("responder") == 0
    finally:
        os.kill(pid, signal.SIGCONT)


def running(lab):
    """Whether the stand-in model has a connection of the responder's."""
    port = f":{lab.model_port:04X} "
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(port in line and line.split()[3] == "01" for line in table)
