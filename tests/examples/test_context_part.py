# SPDX-License-Identifier: MIT
"""docs/add-a-context-part.md: rows (a block behind "row in `FILE`", put behind the
last row of that kind) and a file (a block of C whose first line names it)."""

import json
import pathlib
import re

import pytest

from copies import ROOT, Copy

TEXT = (ROOT / "docs/add-a-context-part.md").read_text()
ROW = re.compile(r"row in `([^`]+)`[^`]*?\n *```\n(.*?)^ *```$", re.M | re.S)
FILE = re.compile(r"^```c\n(/\* (\S+\.[ch]) \*/\n.*?)^```$", re.M | re.S)


def add_rows(path, rows):
    lines = path.read_text().splitlines(keepends=True)
    for row in (r.strip() + "\n" for r in rows.splitlines()):
        kind = row[:row.index("(") + 1]
        at = max(i for i, line in enumerate(lines) if line.startswith(kind))
        lines.insert(at + 1, row)
    path.write_text("".join(lines))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("part"))
    for name, rows in ROW.findall(TEXT):
        add_rows(made.root / name, rows)
    for code, name in FILE.findall(TEXT):
        (made.root / name).write_text(code)
        makefile = made.root / pathlib.Path(name).parent / "local.mk"
        makefile.write_text(makefile.read_text().replace(
            "_SOURCES += \\\n", f"_SOURCES += \\\n\t{name} \\\n", 1))
    assert 1 < len(made.touched()) <= 3, made.touched()
    made.make("lamplighter")
    return made


def test_the_row_is_listed(copy):
    assert "menu\tdata\t20\t200\t3\t" in copy.command("list", "parts")


def test_the_model_is_sent_it(copy):
    shown = json.loads(copy.command("preview", "--user", "ada",
                                    "What is for lunch?"))
    menu, = (p for p in shown["parts"] if p["part"] == "menu")
    # It is counted, and stamped.
    assert menu["name"] == "canteen"
    assert menu["tokens"] == -(-len(menu["text"]) // 4) <= 200
    # Others' text is in the envelope.
    assert menu["text"].startswith("[UNTRUSTED-DATA ")
    assert "Monday: soup." in menu["text"] and "<|im_start|>" not in menu["text"]
    # What is stable is in front of it.
    system = shown["request"]["messages"][0]["content"]
    assert system.rstrip().endswith(menu["text"].rstrip())
