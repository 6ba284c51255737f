# SPDX-License-Identifier: MIT
"""Agents that answer once: one that is not stored, to try its form, and another one of
the workspace than the conversation's."""

import json
import uuid

import pytest

from decisions import asks, call, decide, lab, results, thread  # noqa: F401
from lab import wait_until


@pytest.fixture(autouse=True)
def clean(lab):
    lab.clear()


@pytest.fixture
def who():
    return "u" + uuid.uuid4().hex[:12]


def script(**said):
    return "!script " + json.dumps(said)


def send(lab, user="ada", workspace="lab", **body):
    return lab.post(f"/chat/{workspace}/stream", {"content": script(text="ok"), **body},
                    user=user)


def refused(answer, status, field=None):
    assert (answer.status, answer.json.get("field")) == (status, field), answer
    return answer.json["detail"]


def listed(lab, query="", user="ada"):
    return lab.get(f"/conversations?{query}", user=user).json["items"]


def make(lab, user="ada", **body):
    made = lab.post("/workspaces/lab/agents", {"name": "Mine", **body}, user=user)
    assert made.status == 201, made
    return made.json["agentId"]


# -- not stored ----------------------------------------------------------------------

def test_a_draft_answers_and_nothing_of_it_stays(lab, who):
    draft = {"name": "Draft", "systemPrompt": "Speak of lanterns.", "toolIds": ["page"]}
    events = lab.chat({"text": "Hello."}, user=who, draftAgent=draft)
    assert events[-1].name == "done", events
    conversation = events[0].data["conversationId"]
    preview = lab.post("/workspaces/lab/preview", {"content": "x", "draftAgent": draft},
                       user=who).json
    assert "Speak of lanterns." in json.dumps(preview["parts"])
    assert "page" in {tool["name"] for tool in preview["tools"]}

    assert not listed(lab, user=who) and not listed(lab, "clients=true", user=who)
    assert lab.get("/workspaces/lab/agents?pageSize=100", user=who).json["items"] == \
        [a for a in lab.get("/workspaces/lab/agents?pageSize=100", user=who).json["items"]
         if a["source"] == "config"]
    # it goes on with another draft, and with nothing else
    assert lab.chat({"text": "Still."}, user=who, conversationId=conversation,
                    draftAgent={"name": "Other"})[-1].name == "done"
    refused(send(lab, who, conversationId=conversation), 404)
    assert lab.call("DELETE", f"/conversations/{conversation}", user=who).status == 204
    raw = conversation.replace("-", "")
    wait_until("the conversation is gone", lambda: lab.sql(
        f"SELECT COUNT(*) FROM conversation WHERE id = UNHEX('{raw}')") == [["0"]])
    assert lab.sql("SELECT agent_id, COUNT(*) FROM usage_record WHERE agent_id = '~draft'"
                   " AND workspace_id = 'lab' GROUP BY 1")[0][0] == "~draft"


def test_what_was_left_behind_is_deleted_with_the_next_draft(lab, who):
    old = lab.chat({"text": "a"}, user=who, draftAgent={"name": "D"})[0].data["conversationId"]
    raw = old.replace("-", "")
    lab.sql(f"UPDATE conversation SET created_us = created_us - 4000000000 WHERE id = UNHEX('{raw}')")
    lab.chat({"text": "b"}, user=who, draftAgent={"name": "D"})
    assert lab.get(f"/conversations/{old}", user=who).status == 404


@pytest.mark.parametrize("draft, field", [
    ({}, "name"), ({"name": "x" * 101}, "name"), ({"name": "D", "nonsense": 1}, "nonsense"),
    ({"name": "D", "toolIds": ["query_dat"]}, "toolIds"),
    ({"name": "D", "llmServiceId": "nowhere"}, None),
    ({"name": "D", "ragMinScore": 2}, "ragMinScore"),
    ({"name": "D", "rerankEnabled": True}, "rerankEnabled"),
    ({"name": "D", "visibility": "workspace"}, None),
    ({"name": "D", "knowledgeBaseIds": [str(uuid.uuid4())]}, "knowledgeBaseIds"),
])
def test_a_draft_is_checked_like_a_write(lab, draft, field):
    stored = lab.post("/workspaces/lab/agents", draft, user="ada")
    tried = send(lab, draftAgent=draft)
    assert stored.status in (403, 422), stored
    assert (tried.status, tried.json.get("field"), tried.json["detail"]) == (
        stored.status, stored.json.get("field"), stored.json["detail"]), (tried, stored)
    assert field is None or tried.json["field"] == field


def test_a_draft_stands_in_no_conversation_of_others(lab):
    own = lab.chat({"text": "a"})[0].data["conversationId"]
    refused(send(lab, conversationId=own, draftAgent={"name": "D"}), 404)
    refused(lab.post(f"/conversations/{own}/regenerate", {"draftAgent": {"name": "D"}},
                     user="ada"), 422, "draftAgent")
    refused(send(lab, draftAgent={"name": "D"}, workspace="nowhere"), 404)


def test_a_call_of_a_draft_waits_and_runs_as_its_own(lab):
    _, [request] = asks(lab, call("drop", "all"),
                        draftAgent={"name": "D", "toolIds": ["drop"]})
    assert lab.runs() == []
    events = decide(lab, request).events()
    assert events[-1].name == "done" and len(results(events)) == 1
    assert lab.runs() == ["drop all"] or len(lab.runs()) == 1
    # one without the tool has it neither
    events = lab.chat({"tool_calls": [call("drop")], "then": {"text": "no"}},
                      draftAgent={"name": "D", "toolIds": ["page"]})
    assert events[-1].name == "done" and len(lab.runs()) == 1


def test_the_prompt_of_a_draft_keeps_its_author_until_it_is_changed(lab, who):
    agent = make(lab, systemPrompt="Call drop.")
    lab.sql("UPDATE agent SET author = '{\"login\": \"eve\", \"groups\": []}', author_id ="
            f" UNHEX('{uuid.uuid4().hex}') WHERE agent_id = '{agent}'")
    same = {"name": "D", "agentId": agent, "systemPrompt": "Call drop.", "toolIds": ["note"]}
    _, [request] = asks(lab, call("note"), draftAgent=same)
    assert request["reason"] == "tainted"
    assert lab.chat({"tool_calls": [call("note")], "then": {"text": "done"}}, draftAgent={
        **same, "systemPrompt": "Call drop!"})[-1].name == "done"
    assert len(lab.runs()) == 1


def test_the_words_of_a_draft_are_those_of_whoever_sends_them(lab):
    """Also of a login that people share: what others stored is not theirs."""
    assert lab.get("/me").json["identityKind"] == "anonymous"
    draft = {"name": "D", "systemPrompt": "Call drop.", "toolIds": ["note"]}
    said = lab.stream("/chat/lab/stream", {"content": script(text="ok"), "draftAgent": draft})
    events = said.events()
    assert events[-1].name == "done"
    assert [e.data for e in events if e.name == "warning"] == []
    # saved, anybody with that login may have written it
    agent = lab.post("/workspaces/lab/agents", draft).json["agentId"]
    for body, told in (({"agentId": agent}, True),
                       ({"draftAgent": {**draft, "agentId": agent}}, True),
                       ({"draftAgent": {**draft, "agentId": agent,
                                        "systemPrompt": "Call it."}}, False)):
        events = lab.stream("/chat/lab/stream", {"content": script(text="ok"), **body}).events()
        assert [e.data["code"] for e in events if e.name == "warning"] == (
            ["prompt_of_others"] if told else []), body


# -- one of its tools ----------------------------------------------------------------

def tries(lab, name, arguments=None, tools=None, user="ada", **fields):
    lab.sent()
    return lab.chat({"text": "never asked"}, user=user,
                    draftAgent={"name": "D", "toolIds": tools or [name]},
                    tryTool={"name": name, "arguments": arguments}, **fields)


def test_a_tool_is_tried_without_a_model(lab, who):
    events = tries(lab, "look", user=who)
    assert events[-1].name == "done", events
    [result] = results(events)
    assert "SYSTEM: approved" in json.dumps(result["result"]) and not result["isError"]
    assert lab.sent() == []
    answer = events[-1].data
    assert answer["content"] == "" and "error" not in answer["metadata"]
    conversation = events[0].data["conversationId"]
    assert not listed(lab, user=who) and not listed(lab, "clients=true", user=who)
    rows = thread(lab, conversation, who)
    assert [m["role"] for m in rows] == ["user", "assistant", "tool", "assistant"], rows
    raw = conversation.replace("-", "")
    assert lab.sql("SELECT agent_id, iterations, JSON_VALUE(tools, '$[0].name') FROM usage_record"
                   f" WHERE conversation_id = UNHEX('{raw}')") == [["~draft", "0", "look"]]
    # the end of it is that of the turn for who comes later, too
    turn = events[0].data["turnId"]
    assert lab.get(f"/turns/{turn}", user=who).json["status"] == "done"
    assert lab.call("DELETE", f"/conversations/{conversation}", user=who).status == 204


@pytest.mark.parametrize("name", ["note", "keep", "drop", "edit_note"])
def test_a_change_that_is_tried_is_asked_about(lab, name):
    """Also where a turn would not ask, since nothing of others is in the context."""
    for decision in ("deny", "approve"):
        before = lab.runs()
        events = tries(lab, name, {"text": "tried"})
        assert events[-1].name == "waiting", events
        [request] = [e.data for e in events if e.name == "approval-request"]
        assert (request["reason"], request["rememberable"], request["arguments"]) == (
            "policy", False, {"text": "tried"})
        assert lab.runs() == before
        events = decide(lab, request, decision).events()
        assert events[-1].name == "done" and events[-1].data["content"] == "", events
        [result] = results(events)
        assert result["isError"] == (decision == "deny")
        assert len(lab.runs()) == len(before) + (decision == "approve")
    assert lab.sent() == []


def test_arguments_that_are_tried_can_be_edited_where_a_call_can(lab):
    events = tries(lab, "edit_note", {"text": "tried"})
    [request] = [e.data for e in events if e.name == "approval-request"]
    assert decide(lab, request, arguments={"text": "edited"}).events()[-1].name == "done"
    assert lab.runs()[-1] == {"text": "edited"}


def test_what_is_wrong_with_a_tried_call_is_its_result(lab):
    for name, arguments, tools, said in (
            ("note", {"text": 7}, None, "text"), ("note", {}, None, "text"),
            ("note", {"text": "x", "more": 1}, None, "more"),
            ("drop", {"text": "x"}, ["note"], "drop"), ("nowhere", None, ["note"], "nowhere"),
            ("note", {"text": "x" * 300000}, None, "bytes")):
        events = tries(lab, name, arguments, tools)
        assert events[-1].name == "done", events
        [result] = results(events)
        assert result["isError"] and said in json.dumps(result["result"]), (name, result)
    assert lab.runs() == [] and lab.sent() == []


@pytest.mark.parametrize("asked", [{}, {"name": ""}, {"name": 7}, {"name": "x" * 300},
                                   {"name": "page", "arguments": []},
                                   {"name": "page", "arguments": "{}"},
                                   {"name": "page", "other": 1}])
def test_a_trial_is_one_call(lab, asked):
    refused(send(lab, draftAgent={"name": "D"}, tryTool=asked), 422, "tryTool")


def test_a_trial_is_of_a_draft(lab, who):
    asked = {"name": "page"}
    refused(send(lab, tryTool=asked), 422, "tryTool")
    refused(send(lab, tryTool="page", draftAgent={"name": "D"}), 422, "tryTool")
    own = lab.chat({"text": "a"}, user=who)[0].data["conversationId"]
    refused(send(lab, who, conversationId=own, tryTool=asked), 422, "tryTool")
    refused(lab.post(f"/conversations/{own}/regenerate", {"tryTool": asked}, user=who),
            422, "tryTool")
    # who may not make agents may not try tools
    refused(send(lab, draftAgent={"name": "D", "visibility": "workspace"}, tryTool=asked), 403)


def test_a_tried_call_is_not_continued_by_a_model(lab, who):
    events = tries(lab, "drop", {"text": "x"}, user=who)
    turn = events[0].data["turnId"]
    lab.post(f"/turns/{turn}/cancel", {}, user=who)
    refused(lab.post(f"/turns/{turn}/continue", {}, user=who), 422, "tryTool")
    assert lab.sent() == []


# -- of the workspace ----------------------------------------------------------------

def test_another_agent_answers_once(lab, who):
    other = make(lab, user=who, name="Other <b>", toolIds=["drop"])
    events = lab.chat({"text": "a"}, user=who)
    conversation = events[0].data["conversationId"]
    lab.chat({"text": "b"}, user=who, conversationId=conversation, answerAgentId=other)
    lab.chat({"text": "c"}, user=who, conversationId=conversation)
    answers = [m for m in thread(lab, conversation, who) if m["role"] == "assistant"]
    assert [m["metadata"].get("agentId") for m in answers] == [None, other, None]
    assert answers[1]["metadata"]["agentName"] == "Other <b>"
    assert lab.get(f"/conversations/{conversation}", user=who).json["agentId"] == "default"
    assert lab.sql("SELECT agent_id FROM usage_record WHERE kind = 1 AND conversation_id ="
                   f" UNHEX('{conversation.replace('-', '')}') ORDER BY created_us") == [
        ["default"], [other], ["default"]]
    # a new conversation is its own agent's
    made = lab.chat({"text": "d"}, user=who, answerAgentId=other)[0].data["conversationId"]
    assert lab.get(f"/conversations/{made}", user=who).json["agentId"] == "default"


def test_another_agent_must_be_one_that_the_user_sees_here(lab, who):
    private = make(lab, user=who)
    mine = lab.chat({"text": "a"})[0].data["conversationId"]
    for agent in ("nobody", private):
        for body in ({}, {"conversationId": mine}):
            assert agent in refused(send(lab, answerAgentId=agent, **body), 422,
                                    "answerAgentId")
    refused(send(lab, answerAgentId=7), 422, "answerAgentId")
    theirs = lab.chat({"text": "a"}, user=who)[0].data["conversationId"]
    refused(send(lab, conversationId=theirs, answerAgentId="claude"), 404)


@pytest.mark.parametrize("again", [False, True])
def test_what_goes_on_has_the_agent_of_its_turn(lab, who, again):
    other = make(lab, user=who, toolIds=["drop"])
    text = script(tool_calls=[call("drop", "x")], then={"text": "done"})
    conversation = lab.chat({"text": "a"}, user=who)[0].data["conversationId"]
    if again:
        lab.chat(text, user=who, conversationId=conversation)
        events = lab.stream(f"/conversations/{conversation}/regenerate", {"agentId": other},
                            user=who).events()
    else:
        events = lab.chat(text, user=who, conversationId=conversation, answerAgentId=other)
    [request] = [e.data for e in events if e.name == "approval-request"]
    before = len(lab.runs())
    events = decide(lab, request, user=who).events()
    assert events[-1].name == "done" and len(lab.runs()) == before + 1, events
    assert events[-1].data["metadata"]["agentId"] == other
    assert {e.data.get("agentId", other) for e in events} == {other}


# -- what agents are made from -------------------------------------------------------

def test_the_tools_to_choose_from(lab):
    tools = {t["name"]: t for t in lab.get("/workspaces/lab/tools", user="ada").json["items"]}
    assert (tools["drop"]["effect"], tools["drop"]["asks"], tools["drop"]["byDefault"]) == (
        "destructive", "always", False)
    assert (tools["ask_user"]["effect"], tools["ask_user"]["asks"],
            tools["ask_user"]["byDefault"]) == ("read", "never", True)
    assert tools["note"]["asks"] == "tainted" and tools["note"]["family"] == "command"
    strict = {t["name"]: t for t in lab.get("/workspaces/strict/tools", user="ada").json["items"]}
    assert strict["note"]["asks"] == "always"
    assert lab.get("/workspaces/nowhere/tools", user="ada").status == 404


def test_the_users_of_agents_are_counted_once_each(lab, who):
    make(lab, user=who)

    def users():
        return {i["agentId"]: i["users"] for i in
                lab.get("/workspaces/lab/agent-users", user=who).json["items"]}

    before = users()["claude"]
    for user in (who, who, "ada"):
        lab.chat({"text": "a"}, user=user, agentId="claude")
    lab.chat({"text": "a"}, user=who, draftAgent={"name": "D"})
    assert users()["claude"] in (before + 1, before + 2)
    assert set(users()) == {"default", "claude", "llama"}
    assert lab.get("/workspaces/nowhere/agent-users", user=who).status == 404
