# SPDX-License-Identifier: MIT
"""docs/add-a-tool.md: a schema, a row and its function."""

import json
import re
import textwrap

import pytest

from copies import ROOT, Copy, run

PAGE = (ROOT / "docs/add-a-tool.md").read_text()
CALL = ("tools", "call", "count_words", "--user", "ada", "--args")


def block(start):
    """The first block of the page that begins so."""
    return textwrap.dedent(re.search(
        rf"^( *)```\w+\n((?: *){re.escape(start)}.*?)^\1```$", PAGE, re.M | re.S)[2])


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("tool"))
    schema = re.search(r"^ *`(\S+\.schema\.json)`:$", PAGE, re.M)[1]
    (made.root / schema).write_text(block("{"))
    made.edit("lib/tool/local.mk", "TOOL_SCHEMAS = \\\n",
              f"TOOL_SCHEMAS = \\\n\t{schema} \\\n")
    table = "static const struct tool tools[] = {\n"
    made.edit(re.search(r"its row, in `(\S+)`", PAGE)[1], table,
              block("/* Counts") + "\n" + table
              + textwrap.indent(block("\t{"), "\t"))
    assert 1 < len(made.touched()) <= 3, made.touched()
    made.make("lamplighter", "tests/unit/test_tool_rows")
    return made


def test_its_schema_passes(copy):
    run(copy.build / "tests/unit/test_tool_rows", cwd=copy.build,
        **copy.environment())


def test_it_is_there(copy):
    assert "AI.Chat.UseTool.count_words\n" in copy.command("list", "tools")
    assert '"Id of a long result that was cut off' in copy.command(
        "tools", "show", "count_words", "--user", "ada")


def test_it_counts(copy):
    assert json.loads(copy.command(*CALL, '{"text": "one two\\n three"}')) == {
        "words": 3}
    wrong = copy.command(*CALL, '{"txt": "one"}', fails=True)
    assert "txt" in wrong and '"words"' not in wrong
