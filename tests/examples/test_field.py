# SPDX-License-Identifier: MIT
"""docs/add-a-field.md: a member of agents, for files, API, form and command. What a command
writes (`make update-docs`) is not counted."""

import json
import sys

import pytest

from copies import Copy, run

FILES = {"lib/resource/resource.def", "lib/conf/agent.h", "sql/0999-greeting.sql",
         "docs/openapi.yaml"}
LAB = """
import json, sys
sys.path.insert(0, "tests")
from lab import Lab
with Lab(workspaces={"lab": {"name": "Lab", "agents": [
        {"id": "plain"}, {"id": "kind", "greeting": "Hello!"}]}}) as lab:
    there = "/workspaces/lab/agents"
    made = lab.post(there, {"name": "Made", "greeting": "Hi"}, user="admin").json
    at = f"{there}/{made['agentId']}"
    text = lab.command("agent", "export", "--user", "admin").stdout
    form = [f for f in lab.get("/forms", user="admin").json["items"]
            if f["path"].endswith("/agents")][0]
    print(json.dumps({
        "of files": [lab.get(f"{there}/{a}", user="admin").json["greeting"]
                     for a in ("plain", "kind")],
        "made": made["greeting"],
        "changed": lab.call("PATCH", at, {"greeting": None}, user="admin").json["greeting"],
        "too long": lab.call("PATCH", at, {"greeting": "x" * 501}, user="admin").json,
        "form": [f["help"] for f in form["fields"] if f["key"] == "greeting"],
        "command": text,
    }))
"""
TOO_LONG = """
workspace: w
agents:
  - {id: a, greeting: "%s"}
""" % ("x" * 501)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("field"))
    assert made.apply("add-a-field.md") == FILES
    assert set(made.touched()) == FILES
    made.make("lamplighter", "lamplighter.fcgi", "update-docs")
    return made


def test_it_is_in_api_form_and_command(copy):
    seen = json.loads(run(sys.executable, "-B", "-c", LAB, cwd=copy.root,
                          **copy.environment()))
    assert seen["of files"] == [None, "Hello!"]
    assert seen["made"] == "Hi" and seen["changed"] is None
    assert "greeting" in str(seen["too long"]["detail"])
    assert seen["form"] == ["What it says in an empty conversation"]
    assert "greeting" in seen["command"]


def test_it_is_checked_in_files(copy):
    copy.command("check")
    (copy.build / "workspaces.d/w.yaml").write_text(TOO_LONG)
    said = run(copy.build / "lamplighter", "-c", copy.build / "example.yaml", "check",
               cwd=copy.build, fails=True)
    assert "greeting is longer than 500 characters" in said
    assert "greeting" in (copy.root / "docs/configuration.md").read_text()
