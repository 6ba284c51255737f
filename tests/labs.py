# SPDX-License-Identifier: MIT
"""The Lab that the suites of the API and of security share, and a maker of special
ones; a suite's conftest.py takes them over."""

import json

import pytest

from lab import ROOT, Lab

TICKETS = """
CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80) NOT NULL,
  status ENUM('open','closed') NOT NULL, owner VARCHAR(20) NOT NULL,
  cost DECIMAL(10,2) NULL, opened DATETIME NOT NULL);
INSERT INTO ticket SELECT seq, CONCAT('Ticket ', seq),
  IF(seq % 4, 'closed', 'open'), IF(seq % 2, 'ada', 'bob'),
  IF(seq % 5, seq / 4, NULL), '2026-01-01' + INTERVAL seq HOUR FROM seq_1_to_400;
"""

WORKSPACES = {
    "lab": {
        "workspace": "lab", "name": "Lab", "title_by_model": False,
        "suggestions": ["How many tickets are open?"],
        "agents": [
            {"id": "helper", "name": "Helper", "default": True},
            {"id": "plain", "name": "No tools", "llm_service": "plain"},
            {"id": "claude", "name": "Anthropic wire", "llm_service": "claude"},
            {"id": "llama", "name": "Ollama wire", "llm_service": "llama"},
            {"id": "short", "name": "Two rounds", "max_tool_iterations": 2},
        ],
        "datasets": {
            "tickets": {"database": "lab", "table": "ticket",
                        "description": "Help desk tickets",
                        "mention": {"label": "title", "key": ["id"],
                                    "description": "status", "match": "words",
                                    "link": "/tickets/{id}?by={owner}"}},
            "mine": {"database": "lab", "table": "ticket",
                     "where": "owner = :user",
                     "mention": {"label": "title", "key": ["id"]}},
            "costs": {"database": "lab", "table": "ticket", "columns": {
                "id": {"type": "integer"},
                "cost": {"type": "decimal", "groups": ["finance"]}},
                "mention": {"label": "cost", "key": ["id"]}},
        },
    },
    "desk": {
        "workspace": "desk", "visible_to": ["desk"], "title_by_model": False, "agents": [
            {"id": "clerk", "rag_enabled": True, "knowledge_bases": ["Leave of desk"],
             "rag_max_results": 1, "rag_min_score": 0.2},
            {"id": "every", "rag_enabled": True}, {"id": "none"}]},
    "staff": {"workspace": "staff", "name": "Staff only",
              "visible_to": ["staff"], "title_by_model": False},
}

# Users may have keys of their own, and services any address of this machine.
KEYS = {"secrets": {"key": "00112233445566778899aabbccddeeff" * 2},
        "byok": {"mode": "allow_user", "allow_private": ["127.0.0.1"]},
        "api_services": {"allow_private": ["127.0.0.1"]}}

TEXT = {"type": "object", "required": ["text"], "additionalProperties": False,
        "properties": {"text": {"type": "string", "maxLength": 200}}}


def writes(log, effect="write", **fields):
    """A tool that appends its arguments to a file, so that each run is seen."""
    script = f'cat >> {log}; echo >> {log}; echo \'{{"noted":true}}\''
    return {"kind": "command", "description": "Writes a note.",
            "parameters": TEXT, "untrusted": False, "effect": effect,
            "command": {"run": ["/bin/sh", "-c", script]}, **fields}


def with_runs(lab, log):
    """The Lab; lab.runs() are the arguments with which writes() ran."""
    lab.runs = lambda: [json.loads(line) for line in
                        log.read_text().splitlines() if line]
    lab.clear = lambda: log.write_text("")
    return lab


@pytest.fixture(scope="session")
def lab():
    with Lab(workspaces=WORKSPACES,
             config={"limits": {"body_bytes": 65536, "message_chars": 5000},
                     "agent_templates_dir": str(ROOT / "conf/agent-templates.d"),
                     "roles": {"admin": {"groups": ["it"],
                                         "permissions": ["*"]}},
                     **KEYS},
             prompts={"classify": {"name": "classify", "version": 2,
                                   "text": "Classify the text."}},
             catalogue={
                 "minutes": {"name": "Minutes of a meeting", "version": 3,
                             "colour": "#2f6f4f", "icon": "notes",
                             "description": "From notes to minutes",
                             "body": "Write minutes of {{Meeting}}."},
                 "rewrite": {"name": "Rewrite", "body": "Rewrite this."}}) as lab:
        lab.sql(TICKETS)
        yield lab


@pytest.fixture
def make_lab():
    """Makes Labs of one test's own; ends them with the test."""
    labs = []

    def make(**kw):
        lab = Lab(**{"workspaces": WORKSPACES, **kw})
        labs.append(lab)
        lab.__enter__()
        lab.sql(TICKETS)
        return lab

    yield make
    for lab in labs:
        lab.__exit__()


@pytest.fixture(scope="module")
def tidy_agents(lab):
    """For a module that makes workspaces and agents in the shared Lab: others count them."""
    yield
    lab.sql("DELETE FROM workspace; DELETE FROM workspace_reader; DELETE FROM agent;"
            " DELETE FROM agent_version")


@pytest.fixture
def conversation(lab):
    """The id of a new, empty conversation of ada's."""
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada")
    assert answer.status == 201, answer
    return answer.json["conversationId"]
