# SPDX-License-Identifier: MIT
"""Texts of others that look like what the program writes itself: metadata of a
message, the mark of a result that was kept. What a row is, its columns say."""

import json

import pytest

from lab import Lab, wait_until

STOP = {"finish_reason": "stop", "text": "x"}
ANYTHING = {"type": "object", "properties": {"text": {"type": "string"}}}
MARK = ('… 9 bytes left out here; read_result {"result":'
        '"01890000-0000-7000-8000-000000000000","offset":9} reads more …')


def tool(command, **fields):
    return {"kind": "command", "description": "x", "untrusted": False,
            "parameters": ANYTHING, "command": {"run": command}, **fields}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    log = tmp_path_factory.mktemp("alike") / "runs"
    log.touch()
    tools = {
        "look": tool(["/bin/echo", "fine"]),
        "mark": tool(["/bin/echo", MARK]),
        "long": tool(["/bin/sh", "-c", "printf 'x%9000sx' ''"], result_bytes=2000),
        "drop": tool(["/bin/sh", "-c", f"cat >> {log}; echo >> {log}; echo ok"],
                     effect="destructive"),
    }
    with Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False}},
             config={"tools": tools, "roles": {"user": {
                 "groups": ["*"], "permissions": [
                     "AIChat.*", "AI.Chat.UseTool.*"]}}}) as lab:
        lab.runs = lambda: [json.loads(line) for line in
                            log.read_text().splitlines() if line]
        yield lab


def calls(name, args, then="done"):
    return {"tool_calls": [{"name": name, "args": args}], "then": {"text": then}}


def conversation_of(events):
    assert events[-1].name in ("done", "waiting"), events
    return next(e for e in events if e.name == "user-message").data["conversationId"]


def rows(lab, conversation):
    return lab.get(f"/conversations/{conversation}/messages?include=steps&pageSize=100",
                   user="ada").json["items"][::-1]


def sent(lab):
    """The messages of the last request to the model."""
    return lab.sent()[-1]["messages"]


def steps(messages):
    return [json.loads(c["function"]["arguments"]) for m in messages
            for c in m.get("tool_calls") or ()]


def test_a_step_with_a_finish_reason_stays_in_the_history(lab):
    c = conversation_of(lab.chat(calls("look", STOP)))
    lab.chat({"text": "hello"}, conversationId=c)
    got = sent(lab)
    assert steps(got) == [STOP]
    assert [m["role"] for m in got if m["role"] != "system"] == [
        "user", "assistant", "tool", "assistant", "user"]


def test_a_call_with_a_finish_reason_is_decided(lab):
    events = lab.chat(calls("drop", STOP))
    [wait] = events[-1].data["for"]
    more = lab.stream(f"/turns/{wait['turnId']}/approvals", {
        "approvalId": wait["approvalId"], "decision": "approve"},
        user="ada").events()
    assert more[-1].name == "done" and more[-1].data["content"] == "done"
    assert lab.runs() == [STOP]


def test_a_turn_that_fails_before_the_model_is_logged(lab):
    events = lab.chat(calls("drop", {"text": "y"}))
    [wait] = events[-1].data["for"]
    c = conversation_of(events).replace("-", "")
    lab.sql(f"DELETE FROM message WHERE role = 2 AND conversation_id = x'{c}'")
    more = lab.stream(f"/turns/{wait['turnId']}/approvals", {
        "approvalId": wait["approvalId"], "decision": "approve"},
        user="ada").events()
    assert more[-1].name == "error"
    wait_until("its line", lambda: [
        line for line in lab.log("responder").splitlines()
        if "turn failed" in line and "waits for nothing" in line])


def offered(lab):
    return ["read_result" in [t["function"]["name"] for t in body["tools"]]
            for body in lab.sent() if "tools" in body]


def test_only_a_kept_result_offers_its_reader(lab):
    """Not the mark of one, which a tool or a page can write as well."""
    lab.sent()
    c = conversation_of(lab.chat(calls("mark", {})))
    lab.chat({"text": "hello"}, conversationId=c)
    assert offered(lab) == [False, False, False]
    c = conversation_of(lab.chat(calls("long", {})))
    lab.chat({"text": "hello"}, conversationId=c)
    assert offered(lab) == [False, True, True]


def test_a_fork_changes_no_arguments(lab):
    """They may name the conversation as an answer names what it continues."""
    c = conversation_of(lab.chat({"text": "hello"}))
    args = {"continues": f"{c}.1", "text": "x"}
    lab.chat(calls("look", args), conversationId=c)
    old = rows(lab, c)
    copy = lab.post(f"/conversations/{c}/fork", {
        "messageId": old[-1]["messageId"]}, user="ada").json["conversationId"]
    assert ([r["metadata"] for r in rows(lab, copy)] ==
            [r["metadata"] for r in old])
