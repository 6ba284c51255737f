# SPDX-License-Identifier: MIT
"""docs/add-a-metric.md and add-a-dialect.md, in one copy. What `make update-docs`
writes is not counted.
"""

import json
import re
import sys

import pytest

from copies import Copy, blocks, run

PAGES = {"add-a-metric.md": 2, "add-a-dialect.md": 6}	# files at most
UNITS = ["tests/unit/test_metric", "tests/unit/test_dialect"]
LAB = """
import json, sys
sys.path.insert(0, "tests")
from lab import Lab
with Lab(config={"roles": {"all": {"groups": ["*"], "permissions": ["*"]}}}) as lab:
    events = lab.stream("/chat/lab/stream?dialect=words",
        {"content": '!script {"text": "One two three."}'}, user="ada").events()
    lab.command("work")
    metrics = lab.get("/metrics", user="ada").body.decode()
    print(json.dumps([[[e.name, e.data] for e in events], metrics]))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("examples"))
    for command in blocks("add-a-dialect.md", "sh"):
        run("sh", "-ec", command, cwd=made.root)
    for page, most in PAGES.items():
        assert 0 < len(made.apply(page)) <= most
    made.make("lamplighter", "lamplighter.fcgi", "lamplighter-extract",
              "fcgi-app/demo-llm/lamplighter-demo-llm", *UNITS)
    made.make("update-docs")
    return made


@pytest.fixture(scope="module")
def seen(copy):
    return json.loads(run(sys.executable, "-B", "-c", LAB, cwd=copy.root,
                          **copy.environment()))


def test_the_tables_hold(copy):
    """The tests of the tables accept the new rows as they are."""
    run(str(copy.build / UNITS[1]), cwd=copy.build, LAMPLIGHTER_GOLDEN="write",
        **copy.environment())
    for name in UNITS:
        run(str(copy.build / name), cwd=copy.build, **copy.environment())
    run(sys.executable, "-B", str(copy.root / "tests/check/tables.py"),
        cwd=copy.build, **copy.environment())


def test_the_dialect_is_spoken(copy, seen):
    *words, end = seen[0]
    assert {name for name, _ in words} == {"word"}
    assert [data["n"] for _, data in words] == list(range(1, len(words) + 1))
    assert "".join(data["text"] for _, data in words) == "One two three."
    assert end[0] == "done" and end[1]["content"] == "One two three."
    assert "| words |" in (copy.root / "docs/dialects.md").read_text()


def test_the_metric_is_told(copy, seen):
    assert re.search(r'^lamplighter_looks_total\{found="(nothing|jobs)"\} [1-9]$',
                     seen[1], re.M)
    assert "lamplighter_looks_total\tcounter\tfound\t" in copy.command("list", "metrics")
    assert "| lamplighter_looks_total |" in (copy.root / "docs/metrics.md").read_text()
