# SPDX-License-Identifier: MIT
"""The tools of an agent that names none (B21): all of its workspace that read, within
the workspace's list and the caller's permissions."""

import json
import uuid

import pytest

from knowledge import base_of, settled, write
from lab import ROOT, Lab
from labs import KEYS, WORKSPACES, writes

IT = {"user": "root", "groups": ["it"]}
READ = {"search_knowledge", "search", "list_knowledge_bases", "read_document",
        "summarize", "ask_user"}
ROLES = {"user": {"groups": ["*"], "permissions": ["AIChat.*", "AI.Chat.UseTool.*"]},
         "few": {"groups": ["few"], "permissions": ["AIChat.*"]},
         "admin": {"groups": ["it"], "permissions": ["*"]}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "log"
    with Lab(workspaces=WORKSPACES,
             config={"roles": ROLES, "tools": {"write_note": writes(log)},
                     "agent_templates_dir": str(ROOT / "conf/agent-templates.d"),
                     **KEYS}) as made:
        yield made


@pytest.fixture
def who():
    return "d" + uuid.uuid4().hex[:12]


def make(lab, path, body, **who):
    answer = lab.post(path, body, **who)
    assert answer.status == 201, answer
    return answer.json


def offered(lab, agent, workspace="lab", **who):
    content = "Hello " + uuid.uuid4().hex	# the title of the turn before may come late
    with_agent = lab.stream(f"/chat/{workspace}/stream",
                            {"content": content, "agentId": agent}, **who)
    assert with_agent.events()[-1].name == "done"
    asked = next(body for body in lab.sent() if content in json.dumps(body))
    return {t["function"]["name"] for t in asked.get("tools", [])}


@pytest.mark.parametrize("template", [None, "sage"])
@pytest.mark.parametrize("space", ["file", "row"])
def test_all_that_read(lab, who, template, space):
    me = {"user": who, "groups": ["it"]}
    workspace = "lab" if space == "file" else make(
        lab, "/workspaces", {"name": "W", "workspaceId": who}, **me)["workspaceId"]
    at = f"/workspaces/{workspace}/agents"
    agent = make(lab, f"{at}/from-template", {"templateId": template}, **me) if template \
        else make(lab, at, {"name": "A"}, **me)
    tools = offered(lab, agent["agentId"], workspace, **me)
    assert READ <= tools, READ - tools
    assert "write_note" not in tools
    # Named, it may write; and then has nothing else.
    lab.call("PATCH", f"{at}/{agent['agentId']}", {"toolIds": ["write_note"]}, **me)
    assert offered(lab, agent["agentId"], workspace, **me) == {"write_note"}


def test_the_agents_that_a_workspace_begins_with(lab, who):
    make(lab, "/workspaces", {"name": "W", "workspaceId": who}, **IT)
    items = lab.get(f"/workspaces/{who}/agents", **IT).json["items"]
    for agent in items:
        assert READ <= offered(lab, agent["agentId"], who, **IT), agent["name"]
    assert {"Bobby", "Maven"} <= {a["name"] for a in items}


def test_an_agent_of_a_file(lab):
    """Also what the files declare for it."""
    assert READ | {"write_note", "query_data"} <= offered(lab, "helper", user="ada")


def test_within_the_workspace_and_the_rights(lab, who):
    make(lab, "/workspaces", {"name": "W", "workspaceId": who, "visibleTo": ["*"],
                              "toolIds": ["search", "ask_user", "find_pii", "write_note"]},
         **IT)
    agent = make(lab, f"/workspaces/{who}/agents", {"name": "A"}, **IT)["agentId"]
    assert offered(lab, agent, who, **IT) == {"search", "ask_user", "find_pii"}
    lab.write_config({"roles": {**ROLES, "user": {"groups": ["*"], "permissions": [
        "AIChat.*", "AI.Chat.UseTool.ask_user"]}}})
    try:
        lab.stop("responder")
        lab.start_responder()
        assert offered(lab, agent, who, user="ada") == {"ask_user"}
    finally:
        lab.write_config()
        lab.stop("responder")
        lab.start_responder()


def test_sage_answers_from_the_handbook(lab, who):
    """Sage from the gallery, in a file's workspace, as it comes."""
    base = base_of(lab, who, name="Handbook", workspaceId="lab")
    write(lab, base, who, "# Leave\n\nEveryone has 30 days of leave.", title="Leave")
    settled(lab, base, who)
    sage = make(lab, "/workspaces/lab/agents/from-template", {"templateId": "sage"},
                user=who)["agentId"]
    events = lab.chat("!script " + json.dumps(
        {"tool_calls": [{"name": "search_knowledge", "args": {"query": "days of leave"}}],
         "then": {"text": "30 days [1]."}}), user=who, agentId=sage)
    assert events[-1].name == "done"
    result = next(e.data for e in events if e.name == "tool-result")["result"]
    assert "30 days of leave" in json.dumps(result)
    assert [e.data["title"] for e in events if e.name == "source"] == ["Leave"]
