# SPDX-License-Identifier: MIT
"""docs/add-a-resource.md and docs/add-a-resource-below.md: a migration, rows, their case."""

import re
import sys

from copies import ROOT, Copy, blocks, run

def apply(copy, page):
    """The page's blocks at their places."""
    (row,), (sql,), (case,) = (blocks(page, x) for x in ("c", "sql", "python"))
    for text in (sql, case):
        (copy.root / re.search(r"^(?:--|#) (\S+)$", text, re.M)[1]).write_text(text)
    there = "/* -- rows that expire"
    copy.edit("lib/resource/resource.def", there, row + "\n" + there)


def test_notes_and_binders_in_three_files_each(tmp_path):
    copy = Copy(tmp_path)
    apply(copy, "add-a-resource.md")
    assert 1 < len(copy.touched()) <= 3, copy.touched()
    apply(copy, "add-a-resource-below.md")
    assert 3 < len(copy.touched()) <= 5, copy.touched()
    copy.make("lamplighter", "lamplighter.fcgi", "update-docs")
    assert "INSERT INTO note" in (copy.root / "lib/resource/resource.sql").read_text()
    run(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "tests/api/test_notes.py", "tests/api/test_binders.py", "tests/api/test_purge.py",
        "tests/api/test_tokens.py::test_every_statement_has_tenant_and_owner",
        "tests/api/test_openapi.py::test_the_resources_are_the_tables",
        "tests/api/test_openapi.py::test_paths_are_the_routes",
        cwd=copy.root, **copy.environment())
    # No code of the page knows notes.
    (copy.root / "tests/node_modules").symlink_to(ROOT / "tests/node_modules")
    run(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "tests/examples/page_of_note.py", "tests/examples/list_of_note.py", cwd=copy.root, **copy.environment())
