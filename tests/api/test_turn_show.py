# SPDX-License-Identifier: MIT
"""lamplighter turn show: what answered a turn; and what the log says of it (A43, A44)."""

import json
import re
import uuid

import pytest

from lab import wait_until
from knowledge import NOBODY


@pytest.fixture
def who():
    return "t" + uuid.uuid4().hex[:12]


def show(lab, id):
    return lab.command("turn", "show", id).stdout


@pytest.fixture
def turn(lab, who):
    events = lab.chat("!script " + json.dumps(
        {"tool_calls": [{"name": "query_data", "args": {"dataset": "tickets", "limit": 1}}],
         "then": {"text": "One secret-word."}}), user=who)
    assert events[-1].name == "done", events[-1].data
    return {**events[0].data, "answer": events[-1].data["messageId"]}


def test_by_turn_message_and_conversation(lab, turn):
    text = show(lab, turn["turnId"])
    assert show(lab, turn["answer"]) == show(lab, turn["conversationId"]) == text
    assert f"turn          {turn['turnId']}" in text
    assert "service demo, provider openai_compatible, model demo" in text
    assert re.search(r"prompt      guardrails: guardrails, version \d+, [0-9a-f]{32}", text)
    assert re.search(r"prompt      tool-definitions: tools, version \d+, [0-9a-f]{32}", text)
    assert re.search(r"tool        query_data: \d+ ms, ok", text)
    assert re.search(r"tokens      .*output \d+", text)
    assert re.search(r"stages      .*whole ms \d+ model calls 2", text)
    assert "secret-word" not in text and "version 0" not in text


@pytest.mark.parametrize("prices,ends", [
    ({"prices": {"currency": "EUR"}}, "EUR"), ({}, "(prices.currency is not set)")])
def test_the_cost_has_a_currency(make_lab, prices, ends):
    lab = make_lab(services={"paid": {"model": "demo", "input_price": 5000,
                                      "output_price": 9000}},
                   config={"chat": {"llm_service": "paid"}, **prices})
    text = show(lab, lab.chat("Hello", user="ada")[0].data["turnId"])
    assert re.search(r"^  cost        \d+\.\d{6} " + re.escape(ends) + "$", text, re.M), text


def test_what_is_not_a_turn(lab):
    for id, says in (("x", "is not the id of"), (NOBODY, "there is no turn of")):
        answer = lab.command("turn", "show", id, check=False)
        assert answer.returncode == 1 and says in answer.stderr
    assert lab.command("turn", check=False).returncode == 2


def test_versions_are_never_0(make_lab, who):
    """A43: of agents, of files and rows, and of chat.system_prompt."""
    lab = make_lab(config={"chat": {"system_prompt": "Be kind.", "version": 4}},
                   workspaces={"lab": {"workspace": "lab", "title_by_model": False, "agents": [
                       {"id": "own", "system_prompt": "Be brief.", "version": 7},
                       {"id": "uncounted", "system_prompt": "Be brief."},
                       {"id": "chat"}]}})
    made = lab.post("/workspaces/lab/agents", {"name": "R", "agentId": who,
                                               "systemPrompt": "Be rude."}, user="ada").json
    at = f"/workspaces/lab/agents/{made['agentId']}"
    lab.call("PATCH", at, {"systemPrompt": "Be polite."}, user="ada")

    def stamp(agent):
        talk = lab.chat("Hello", user="ada", agentId=agent)[0].data["conversationId"]
        rows = lab.sql("SELECT prompts FROM usage_record WHERE conversation_id ="
                       f" UNHEX(REPLACE('{talk}', '-', ''))")
        stamps = json.loads(rows[0][0])
        assert all(s["version"] > 0 for s in stamps), stamps
        return [(s["name"], s["version"]) for s in stamps if s["layer"] == "agent"]
    assert stamp("own") == [("agent:own", 7)]
    assert stamp("uncounted") == [("agent:uncounted", 1)]
    assert stamp("chat") == [("chat", 4)]
    assert stamp(who) == [(f"agent:{who}", 2)]


def test_the_log_has_ids_and_no_logins(lab, who, turn):
    user = lab.get("/me", user=who).json["userId"]

    def line():
        return next((text for text in lab.log("responder").splitlines()
                     if 'msg="a turn ended"' in text and turn["turnId"] in text), None)
    text = wait_until("the line of the turn", line)
    for field in (f"user={user}", "service=demo", "workspace=lab", "status=done",
                  f"conversation={turn['conversationId']}", "client=trusted_header"):
        assert field in text, (field, text)
    assert who not in lab.log("responder")
