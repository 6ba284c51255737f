# SPDX-License-Identifier: MIT
"""A resource with all that the engine has (chore/): its rows, a migration and their case."""

import pathlib
import re
import sys

from copies import ROOT, Copy, run

HERE = pathlib.Path(__file__).resolve().parent / "chore"


def test_chores_in_three_files(tmp_path):
    copy = Copy(tmp_path)
    there = "/* -- order in conversations"
    copy.edit("lib/resource/resource.def", there, (HERE / "chore.def").read_text() + "\n" + there)
    for name, to in (("0997-chore.sql", "sql/0997-chore.sql"),
                     ("chores.py", "tests/api/test_chores.py")):
        (copy.root / to).write_text((HERE / name).read_text())
    assert 1 < len(copy.touched()) <= 3, copy.touched()
    copy.make("lamplighter", "lamplighter.fcgi", "update-docs")
    api = (copy.root / "docs/openapi.yaml").read_text()
    for path in ("/projects/{parent}/chores:", "/projects/{parent}/chores/{id}:",
                 "/chores/{parent}/versions:"):
        assert path in api, path
    schema = api[api.index("    ChoreNew:"):]
    assert re.search(r"text: \{type: \[string, \"null\"\], contentMediaType: text/markdown", schema)
    run(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "tests/api/test_chores.py", "tests/api/test_list_plans.py", "tests/api/test_purge.py",
        "tests/api/test_tokens.py::test_every_statement_has_tenant_and_owner",
        "tests/api/test_openapi.py::test_the_resources_are_the_tables",
        "tests/api/test_openapi.py::test_paths_are_the_routes",
        cwd=copy.root, **copy.environment())
    (copy.root / "tests/node_modules").symlink_to(ROOT / "tests/node_modules")
    run(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
        "tests/examples/page_of_chore.py", cwd=copy.root, **copy.environment())
