# SPDX-License-Identifier: MIT
"""A name in the configuration is the name of something: `lamplighter check` names file,
line and the nearest one, also where the name may be that of a row."""

import pytest

from lab import Lab
from labs import KEYS, WORKSPACES

IT = {"user": "root", "groups": ["it"]}
AGENT = {"kind": "agent", "description": "Asks."}
SEES = {"kind": "image_text", "description": "Sees."}
GROUPED = {"kind": "command", "description": "D.", "group": "stock",
           "command": {"run": ["/bin/true"]}}


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces=WORKSPACES, config={
            "roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}, **KEYS}) as made:
        made.post("/workspaces", {"name": "Attic", "workspaceId": "attic"}, **IT)
        made.post("/workspaces/attic/agents", {"name": "Moth", "agentId": "moth"}, **IT)
        made.post("/llm-services", {
            "llmServiceId": "spare", "name": "S", "provider": "openai_compatible",
            "model": "m", "url": f"{made.model_url}/v1", "apiKey": "sk-x",
            "capabilities": ["chat", "embed"]}, **IT)
        yield made
        made.write_config()


def check(lab, at, **config):
    """(exit code, what it says), with the line of `at` as LINE."""
    lab.write_config(config)
    said = lab.command("check", check=False)
    [line] = [n for n, text in enumerate(lab.config_file.read_text().splitlines(), 1)
              if at in text]
    return said.returncode, said.stderr.replace(f"{lab.config_file}:{line}: ", "LINE ")


NO_DATABASE = {"database": {"socket": "/nowhere/mysql.sock"}}
WRONG = [
    ("settings", {"default_workspace": "dsk"}, '"dsk"', '"desk"'),
    ("settings", {"Chat.DefaultWorkspace": "stuff"}, '"stuff"', '"staff"'),
    ("settings", {"default_agent": "hepler"}, '"hepler"', '"helper"'),
    ("settings", {"default_workspace": "desk", "default_agent": "clrk"}, '"clrk"',
     '"clerk"'),
    ("settings", {"llm_services": ["claud"]}, '"llm_services": [', '"claude"'),
    ("knowledge", {"embedding_service": "clude"}, '"clude"', '"claude"'),
    ("tools", {"t": {**AGENT, "agent": {"prompt": "P", "tools": ["serch"]}}}, '"serch"',
     '"search"'),
    ("tools", {"t": {**AGENT, "agent": {"prompt": "P", "tools": ["group:stok"]}},
               "d": GROUPED}, '"group:stok"', '"group:stock"'),
    ("tools", {"t": {**AGENT, "agent": {"prompt": "P", "llm_service": "pln"}}}, '"pln"',
     '"plain"'),
    ("tools", {"t": {**SEES, "image_text": {"llm_service": "pln"}}}, '"pln"', '"plain"'),
]


@pytest.mark.parametrize("without", [{}, NO_DATABASE], ids=["rows", "files"])
@pytest.mark.parametrize("block,value,at,meant", WRONG)
def test_an_unknown_name(lab, block, value, at, meant, without):
    key = next(iter(value)) if block == "settings" and "default_agent" not in value \
        else at
    if block == "settings" and at.startswith('"llm'):
        key = '  "llm_services"'		# not the services themselves
    code, said = check(lab, key, **{block: value}, **without)
    assert code == 1 and f"Did you mean {meant}?" in said, said
    assert "LINE " in said, said


@pytest.mark.parametrize("block,value,only_a_row", [
    ("settings", {"default_workspace": "Auto"}, False),
    ("settings", {"default_workspace": "desk", "default_agent": "every"}, False),
    ("settings", {"default_agent": "clerk"}, False),
    ("settings", {"llm_services": ["claude", "auto"]}, False),
    ("tools", {"t": {**AGENT, "agent": {"prompt": "P", "tools": ["group:stock", "none"]}},
               "d": GROUPED}, False),
    ("settings", {"default_workspace": "attic"}, True),
    ("settings", {"default_workspace": "attic", "default_agent": "moth"}, True),
    ("settings", {"default_agent": "moth"}, True),
    ("settings", {"llm_services": ["spare"]}, True),
    ("knowledge", {"embedding_service": "spare"}, True)])
def test_a_known_name(lab, block, value, only_a_row):
    code, said = check(lab, '"database": {', **{block: value})
    assert code == 0 and "warning" not in said, said
    code, said = check(lab, '"database": {', **{block: value}, **NO_DATABASE)
    assert (code, "cannot be asked" in said) == (int(only_a_row), only_a_row), said


def test_a_tool_of_one_workspace_is_known(lab):
    """To the agents of the main file, which all workspaces have."""
    lab.workspaces = {**WORKSPACES, "w2": {"workspace": "w2", "tools": {"stock": GROUPED}}}
    try:
        code, said = check(lab, '"database": {', tools={
            "t": {**AGENT, "agent": {"prompt": "P", "tools": ["stock"]}}})
        assert code == 0, said
    finally:
        lab.workspaces = WORKSPACES


def test_a_permission_for_an_unknown_tool(lab):
    roles = {"u": {"groups": ["*"], "permissions": ["AI.Chat.UseTool.serch",
                                                    "AI.Chat.UseTool.query_data",
                                                    "AI.Chat.UseTool.*"]}}
    code, said = check(lab, '"database": {', roles=roles)
    assert code == 0
    assert said == 'warning: role u: there is no tool "serch". Did you mean "search"?\n'


def test_an_unknown_permission(lab):
    code, said = check(lab, '"database": {', roles={
        "u": {"groups": ["*"], "permissions": ["AIChat.Conversatoins.Read"]}})
    assert code == 0
    assert said == ('warning: role u: there is no permission "AIChat.Conversatoins.Read". '
                    'Did you mean "AIChat.Conversations.Read"?\n')


def test_an_unknown_key_column(lab):
    data = {"orders": {"table": "orders", "key": ["numbr"], "columns": {"number": {}}}}
    lab.workspaces = {"w2": {"workspace": "w2", "datasets": data}}
    try:
        code, said = check(lab, '"database": {')
        assert code == 1
        assert 'key numbr is not one of its columns. Did you mean "number"?' in said
    finally:
        lab.workspaces = WORKSPACES


def test_a_group_that_is_nearly_one_of_the_files(lab):
    """Others come from the web server."""
    lab.workspaces = {"w2": {"workspace": "w2", "visible_to": ["salse", "hr", "sales"]}}
    try:
        code, said = check(lab, '"database": {', groups={"it": ["alice"], "sales": ["bob"]},
                           roles={"admin": {"groups": ["itt"], "permissions": ["*"]},
                                  "user": {"groups": ["*", "staff"], "permissions": ["AIChat.*"]}})
    finally:
        lab.workspaces = WORKSPACES
    assert code == 0
    assert said.splitlines() == [
        'warning: role admin: groups: has no group "itt". Did you mean "it"?',
        'warning: workspace w2: groups: has no group "salse". Did you mean "sales"?']
