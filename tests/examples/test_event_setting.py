# SPDX-License-Identifier: MIT
"""docs/add-an-event.md and add-a-setting.md, in one copy. What `make update-docs`
writes is not counted.
"""

import json
import sys

import pytest

from copies import Copy, run

PAGES = {"add-an-event.md": 4, "add-a-setting.md": 3}	# files at most
PROGRAMS = ["lamplighter", "lamplighter.fcgi", "lamplighter-extract",
            "fcgi-app/demo-llm/lamplighter-demo-llm", "tests/unit/test_dialect",
            "tests/unit/test_turn_log", "tests/unit/test_agent"]
CHAT = """
import json, sys
sys.path.insert(0, "tests")
from lab import Lab, Stream
with Lab() as lab:
    told = lab.chat({"text": "Hello."})
    turn = told[0].data["turnId"]
    again = Stream(*lab.open("GET", f"/turns/{turn}/events", user="ada")).events()
    print(json.dumps([[[e.name, e.data, e.id] for e in events]
                      for events in (told, again)]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("examples"))
    for page, most in PAGES.items():
        assert 0 < len(made.apply(page)) <= most
    made.make(*PROGRAMS)
    made.make("update-docs")
    return made


def test_the_tables_hold(copy):
    """The tests of the tables accept the new rows as they are."""
    tree, build, env = copy.root, copy.build, copy.environment()
    for name in ("test_dialect", "test_turn_log", "test_agent"):
        run(str(build / "tests/unit" / name), cwd=build, **env)
    run(sys.executable, "-B", str(tree / "tests/check/tables.py"), cwd=build, **env)


def test_the_event_is_told_live_and_again(copy):
    tree = copy.root
    live, again = json.loads(run(sys.executable, "-B", "-c", CHAT, cwd=tree,
                                 **copy.environment()))
    told = [e for e in live if e[0] == "recall"]
    assert told and told[0][1]["messages"] >= 1
    assert [e for e in again if e[0] == "recall"] == told
    table = (tree / "docs/dialects.md").read_text()
    assert "| `recall` | `recall` | | `data-recall` | CUSTOM `recall` | |" in table
    assert "recall" in (tree / "docs/openapi.yaml").read_text()


def test_the_setting_is_listed(copy):
    assert ("max_parallel_tools\tworkspace, tenant, installation\tthe smallest\t"
            in copy.command("list", "settings"))
    assert "| max_parallel_tools |" in (copy.root / "docs/configuration.md").read_text()
