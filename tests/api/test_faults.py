# SPDX-License-Identifier: MIT
"""Databases that are down, configurations that break, processes that die."""

import json
import os
import signal
import socket
import subprocess
import threading

import pytest

from lab import RESPONDER, Lab, wait_until
from steps import dead_database

pytestmark = [pytest.mark.threads, pytest.mark.long]


def test_a_port_that_another_took():
    """The Lab's own: runs beside each other are given the same free port."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        lab = Lab(workspaces={"lab": {"workspace": "lab"}})
        lab.port = other.getsockname()[1]
        with lab:
            assert lab.port != other.getsockname()[1]
            assert lab.get("/health").status == 200


def test_database_down_at_start(make_lab):
    lab = make_lab()
    lab.stop("responder")
    lab.write_config(dead_database())
    lab.start_responder()
    assert lab.get("/health").status == 200
    ready = lab.get("/ready")
    assert ready.status == 503 and ready.json["checks"]["database"]["ok"] is False
    answer = lab.get("/conversations", user="ada")
    assert answer.status == 503 and answer.json["code"] == "database_unavailable"
    assert answer.headers["Retry-After"]
    answer = lab.post("/chat/lab/stream", {"content": "x"}, user="ada")
    assert answer.status == 503
    # The admin mends the file; nothing is restarted.
    lab.write_config()
    wait_until("recovery", lambda: lab.get("/ready").status == 200)
    assert lab.chat({"text": "back"})[-1].name == "done"


def test_a_database_that_cannot_be_written_to(make_lab):
    """As on a replica or a full disk: reading works, and nothing is stored."""
    lab = make_lab()
    assert lab.get("/ready").status == 200
    lab.sql("SET GLOBAL read_only = 1")
    try:
        answer = wait_until("the word", lambda: (
            a := lab.get("/ready")).status == 503 and a)
    finally:
        lab.sql("SET GLOBAL read_only = 0")
    assert answer.json["status"] == "unavailable"
    assert answer.json["checks"]["database"]["detail"] == "The database cannot be written to."
    assert lab.get("/conversations", user="ada").status == 200
    wait_until("recovery", lambda: lab.get("/ready").status == 200)


def test_an_answer_waits_for_a_full_disk(make_lab):
    """Error 1114 was one that no retry helps: the answer was lost."""
    lab = make_lab()
    full = ("DELIMITER //\nCREATE TRIGGER no_room BEFORE INSERT ON {} FOR EACH ROW IF {} THEN SIGNAL"
            " SQLSTATE 'HY000' SET MYSQL_ERRNO = 1114,"
            " MESSAGE_TEXT = 'The table is full'; END IF //")
    lab.sql(full.format("prompt", "TRUE"))
    refused = lab.post("/prompts", {"name": "P", "body": "x"}, user="ada")
    assert (refused.status, refused.json["code"]) == (503, "database_unavailable"), refused
    lab.sql("DROP TRIGGER no_room")
    assert lab.post("/prompts", {"name": "P", "body": "x"}, user="ada").status == 201
    lab.sql(full.format("message", "NEW.role = 2"))
    stream = lab.stream("/chat/lab/stream", {"content": "Hello"}, user="ada", timeout_s=60)
    events = iter(stream)
    delayed = next(e for e in events if e.name == "warning")
    assert delayed.data["code"] == "storing_delayed", delayed.data
    lab.sql("DROP TRIGGER no_room")
    end = list(events)[-1]
    stream.close()
    assert end.name == "done" and end.data["content"], end.data
    talk = lab.get(f"/conversations/{end.data['conversationId']}/messages", user="ada")
    assert [m["role"] for m in talk.json["items"]] == ["assistant", "user"]


def kill_links(lab):
    """The responder's, some of which end by themselves at any moment."""
    ids = lab.sql("SELECT ID FROM information_schema.PROCESSLIST"
                  f" WHERE DB = '{lab.database}'"
                  f" AND USER = '{os.environ['LAMPLIGHTER_TEST_DB_USER']}'")
    assert ids
    for [id] in ids:
        try:
            lab.sql(f"KILL {id}", database="")
        except AssertionError as e:
            assert "Unknown thread id" in str(e)


def test_lost_connections_heal(make_lab):
    lab = make_lab()
    lab.chat({"text": "one"})
    for _ in range(3):
        kill_links(lab)
        assert lab.get("/conversations", user="ada").status == 200
        assert lab.chat({"text": "two"})[-1].name == "done"


def test_links_cut_in_mid_stream(make_lab):
    """The turn is stored all the same: the end is a new transaction."""
    lab = make_lab()
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 40, "rate": 40})}, user="ada")
    events = iter(stream)
    next(events)
    kill_links(lab)
    rest = list(events)
    stream.close()
    assert rest[-1].name == "done"
    page = lab.get(f"/conversations/{rest[-1].data['conversationId']}/messages",
                   user="ada").json
    assert page["items"][0]["content"] == rest[-1].data["content"]


def test_broken_config_keeps_the_old_one(make_lab):
    lab = make_lab()
    good = lab.config_file.read_text()
    lab.config_file.write_text(good + "\nthraeds: {max: 5}\n"
                               if not good.startswith("{") else
                               good[:-2] + ',"thraeds": {"max": 5}}\n')
    degraded = wait_until("the change to be seen", lambda: (
        r := lab.get("/ready")).json["status"] == "degraded" and r)
    check = degraded.json["checks"]["config"]
    assert check["ok"] is False and "thraeds" in check["detail"]
    assert "threads" in check["detail"]
    assert lab.chat({"text": "still here"})[-1].name == "done"
    # Anybody may ask: a wrong value is in the log only, a password not even there.
    broken = json.loads(good)
    broken["llm_services"]["demo"]["url"] = "http://me:hunter2@h"
    lab.config_file.write_text(json.dumps(broken, indent=1))
    check = wait_until("the next change", lambda: (
        c := lab.get("/ready").json["checks"]["config"])
        and "thraeds" not in c["detail"] and c)
    assert check["detail"].endswith(": url: the value must not have a login in its host")
    assert check["detail"].startswith(lab.config_file.name + ":")
    assert "url: the value must not" in lab.log("responder")
    assert "hunter2" not in lab.log("responder")
    lab.config_file.write_text(good)
    wait_until("health", lambda: lab.get("/ready").json["status"] == "ready")


def test_changed_config_is_picked_up(make_lab):
    lab = make_lab()
    path = lab.dir / "workspaces.d" / "second.yaml"
    path.write_text("workspace: second\nname: Second\n")
    wait_until("the new workspace", lambda:
               lab.get("/workspaces/second", user="ada").status == 200)
    path.unlink()
    wait_until("it to go", lambda:
               lab.get("/workspaces/second", user="ada").status == 404)


def test_broken_config_at_start_is_said(make_lab):
    lab = make_lab()
    bad = lab.dir / "bad.yaml"
    bad.write_text("database:\n  soket: /x\n")
    for argv in ([RESPONDER, "-c", bad, "-s", str(lab.dir / "x.sock")],):
        run = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        assert run.returncode != 0
        assert "bad.yaml:2:3" in run.stderr and "socket" in run.stderr
    run = lab.command("-c", str(bad), "check", check=False)
    assert run.returncode == 1 and "bad.yaml:2:3" in run.stderr + run.stdout


def test_no_llm_is_chat_disabled(make_lab):
    """B19."""
    lab = make_lab(config={"chat": None, "llm_services": {}},
                   workspaces={"lab": {"workspace": "lab", "name": "Lab"}})
    answer = lab.post("/chat/lab/stream", {"content": "x"}, user="ada")
    assert answer.status == 503 and answer.json["code"] == "chat_disabled"
    assert lab.get("/workspaces/lab", user="ada").json["chatEnabled"] is False
    assert lab.get("/workspaces/lab/agents", user="ada").status == 200


def test_unsupported_provider_and_missing_key(make_lab):
    """B17, B18."""
    lab = make_lab(config={"llm_services": {
        "odd": {"provider": "smoke_signals", "model": "x"},
        "keyless": {"provider": "openai", "model": "x"}}},
        workspaces={"lab": {"workspace": "lab", "name": "Lab", "agents": [
            {"id": "odd", "name": "Odd", "llm_service": "odd", "default": True},
            {"id": "keyless", "name": "Keyless", "llm_service": "keyless"}]}})
    for agent, code in (("odd", "llm_provider_unsupported"),
                        ("keyless", "llm_credential_missing")):
        answer = lab.post("/chat/lab/stream", {"content": "x", "agentId": agent},
                          user="ada")
        assert answer.status == 422 and answer.json["code"] == code


def test_overload_is_said_at_once(make_lab):
    lab = make_lab(config={"threads": {"max": 20, "max_turns": 3}})
    streams = [lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 100000, "rate": 10})}, user=f"u{n}") for n in range(3)]
    firsts = [next(iter(s)).data for s in streams]
    answer = lab.post("/chat/lab/stream", {"content": "x"}, user="ada")
    assert answer.status == 503 and answer.json["code"] == "overloaded"
    assert answer.headers["Retry-After"]
    assert lab.get("/me", user="ada").status == 200
    for n, (stream, first) in enumerate(zip(streams, firsts)):
        lab.post(f"/turns/{first['turnId']}/cancel", {}, user=f"u{n}")
        stream.events()


@pytest.mark.parametrize("reader", ["GET", "cancel"])
def test_killed_responder_leaves_no_busy_conversation(make_lab, reader):
    """Who meets the dead turn closes it; there is nothing to stop any more."""
    lab = make_lab()
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 100000, "rate": 50})}, user="ada")
    ids = next(iter(stream)).data
    lab.stop("responder", sig=signal.SIGKILL)
    stream.close()
    # The lease runs out; the test need not wait for the clock.
    lab.sql("UPDATE turn SET lease_until_us = 1")
    lab.start_responder()
    path = f"/turns/{ids['turnId']}"
    if reader == "cancel":
        answer = lab.post(path + "/cancel", {}, user="ada")
        assert answer.status == 202 and answer.json["status"] == "interrupted"
    assert lab.get(path, user="ada").json["status"] == "interrupted"
    assert lab.chat({"text": "again"}, conversationId=ids["conversationId"]
                    )[-1].name == "done"


def test_sigterm_drains(make_lab):
    lab = make_lab()
    done = []

    def run():
        done.extend(lab.chat({"tokens": 30, "rate": 30}))

    thread = threading.Thread(target=run)
    thread.start()
    wait_until("the turn", lambda: lab.sql(
        "SELECT 1 FROM turn WHERE status = 1"))
    assert lab.stop("responder", deadline_s=60) == 0
    thread.join()
    assert done[-1].name == "done"


def test_decode_prints_events(lab):
    body = ('data: {"choices":[{"index":0,"delta":{"content":"hi"},'
            '"finish_reason":null}]}\n\ndata: {"choices":[{"index":0,"delta":{},'
            '"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    out = lab.command("decode", "openai", stdin=body).stdout
    events = [json.loads(line) for line in out.splitlines()]
    assert events[0]["event"] == "text" and events[0]["text"] == "hi"
    assert events[-1]["event"] == "done" and events[-1]["stop"] == "stop"


def test_complete_is_typed(lab):
    """A1, A4."""
    schema = {"type": "object", "required": ["mood"], "additionalProperties": False,
              "properties": {"mood": {"type": "string", "enum": ["good", "bad"]}}}
    answer = lab.post("/chat/lab/complete", {"input": "what a day",
                                             "prompt": "classify",
                                             "schema": schema}, user="ada")
    assert answer.status == 200, answer
    assert answer.json["output"]["mood"] in ("good", "bad")
    assert answer.json["model"] and answer.json["finishReason"] == "stop"
    assert answer.json["usage"]["outputTokens"] > 0


def test_what_complete_used_is_stamped(lab):
    """A43: layer, name, version and hash of each instruction, never its text."""
    def stamps():
        return [json.loads(row[0]) for row in lab.sql(
            "SELECT prompts FROM usage_record WHERE kind = 2 ORDER BY id")]
    before = len(stamps())
    for n, extra in enumerate(({}, {"prompt": "classify"},
                               {"schema": {"type": "object"}}), 1):
        assert lab.post("/chat/lab/complete", {"input": "what a day", **extra},
                        user="ada").status == 200
        wait_until("the record", lambda: len(stamps()) == before + n)
    none, named, typed = stamps()[before:]
    assert none == []
    assert [(s["layer"], s["name"], s["version"]) for s in named + typed] == [
        ("complete", "classify", 2), ("schema", "typed-answer", 1)]
    for s in named + typed:
        assert set(s) == {"layer", "name", "version", "hash"}
        assert len(s["hash"]) == 32


def test_complete_refuses_what_it_cannot_check(lab):
    for body, field in (({"input": "x", "prompt": "nope"}, "prompt"),
                        ({"input": "x", "schema": {"type": "objekt"}}, "schema"),
                        ({"input": "x", "schema": {"frobnicate": 1}}, "schema"),
                        ({"prompt": "classify"}, "input")):
        answer = lab.post("/chat/lab/complete", body, user="ada")
        assert answer.status == 422 and answer.json["field"] == field, answer


def test_complete_that_fails_has_cost_something(lab):
    """A43: what was sent before the answer was cut off is recorded."""
    def failed():
        return int(lab.sql("SELECT COUNT(*) FROM usage_record WHERE kind = 2 AND"
                           " finish_reason = 'error' AND input_tokens > 0"
                           " AND estimated")[0][0])
    before = failed()
    answer = lab.post("/chat/lab/complete", {"input": "!script " + json.dumps(
        {"text": "one two three four five six", "cut_after": 3})}, user="ada")
    assert answer.status == 502, answer
    wait_until("the record", lambda: failed() == before + 1)


def test_answer_that_does_not_fit_the_schema(lab):
    answer = lab.post("/chat/lab/complete", {
        "input": '!script {"text": "not json"}',
        "schema": {"type": "string", "minLength": 5, "maxLength": 2}}, user="ada")
    assert answer.status == 502 and answer.json["code"] == "upstream_protocol"
