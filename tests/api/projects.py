# SPDX-License-Identifier: MIT
"""What the tests of projects share."""

import json
import uuid

import pytest

from lab import Lab

# A workspace whose chats know projects.
OFFICE = {"workspace": "office", "name": "Office", "projects": True, "title_by_model": False}


def office():
    return Lab(workspaces={"office": OFFICE})


GROUPS = ["group:base", "group:global", "group:project", "group:project_create",
          "group:entity_more", "get_document_metadata"]


def told(script, words="Do it."):
    """A message with which a user tells the model to do what the script says."""
    return "!script " + json.dumps(script) + "\n" + words


def make(lab, path, user, /, **body):
    """Creates a row; @return its record"""
    made = lab.post(path, body, user=user)
    assert made.status == 201, made
    return made.json


def signed_in(lab, begin="q"):
    """The login of a new user, who is known."""
    login = begin + uuid.uuid4().hex[:10]
    lab.sign_in(login)
    return login


@pytest.fixture(scope="module")
def lab():
    with office() as one:
        yield one


@pytest.fixture
def owner(lab):
    """The login of a user who is new in each test."""
    return signed_in(lab, "o")


@pytest.fixture
def project(lab, owner):
    """The id of a project of theirs."""
    return make(lab, "/projects", owner, name="Lighthouse")["id"]


class Clerk:
    """Calls tools as a new user."""

    def __init__(self, lab, workspace="lab"):
        self.lab, self.user = lab, "t" + uuid.uuid4().hex[:12]
        self.workspace = workspace
        agent = lab.post(f"/workspaces/{workspace}/agents", {
            "name": "Clerk", "visibility": "private", "toolIds": GROUPS}, user=self.user)
        assert agent.status == 201, agent
        self.agent = agent.json["agentId"]

    def raw(self, name, /, **args):
        return self.lab.command(
            "tools", "call", name, "--user", self.user, "--workspace", self.workspace,
            "--agent", self.agent, "--args", json.dumps(args), check=False)

    def __call__(self, name, /, **args):
        run = self.raw(name, **args)
        assert run.returncode == 0, (name, args, run.stdout, run.stderr)
        return json.loads(run.stdout)

    def refused(self, name, /, **args):
        run = self.raw(name, **args)
        assert run.returncode != 0, (name, args, run.stdout)
        return run.stdout + run.stderr
