#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs say of events, settings and errors is what their tables say: blocks that
`make update-docs` writes, the native events of docs/api.md with their members, and
the v2 events of docs/dialects.md, which are compared with the golden streams."""

import json
import os
import pathlib
import re
import subprocess

from tree import ROOT, Tap

COMMAND = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ".")) / "lamplighter"
BLOCKS = (("dialects.md", "EVENTS", "events", "--markdown"),
          ("openapi.yaml", "EVENTS", "events", "--openapi"),
          ("metrics.md", "METRICS", "metrics", "--markdown"),
          ("configuration.md", "SETTINGS", "settings", "--markdown"),
          ("api.md", "ERRORS", "errors", "--markdown"))
# Members of a record or of what a turn waits for: its own page has them.
ELSEWHERE = {"message", "approval", "call", "question", "action", "source"}

tap = Tap()


def rows(*form):
    return subprocess.run([COMMAND, "list", *form], check=True, text=True,
                          capture_output=True).stdout


def undocumented(table, events):
    """Native events that docs/api.md lacks, or that lack a member there; and
    events of the page that do not exist."""
    problems = []
    shown = {}
    for line in table:
        cells = line.split("|")
        for name in re.findall(r"`([a-z-]+)`", cells[1]):
            shown[name] = cells[2]
    native = set()
    for event in events:
        name, keys = event[3], event[2].split()
        if name == "-":
            continue
        native.add(name)
        if name not in shown:
            problems.append(f"docs/api.md: no event {name}")
            continue
        problems += [f"docs/api.md: {name} has no {key}" for key in keys
                     if key.rstrip("?") not in ELSEWHERE
                     and not re.search(rf"\b{re.escape(key)}", shown[name])]
    return problems + [f"docs/api.md: there is no event {name}"
                       for name in sorted(set(shown) - native)]


def sent(streams, dialect):
    """Events of a dialect in the golden streams: the members that each can have."""
    events = {}
    for stream in re.split(r"^== ", streams, flags=re.M):
        if not stream.startswith(dialect + ","):
            continue
        for name, data in re.findall(r"^event: (\w+)\n(?:id: .*\n)?data: (.*)$", stream,
                                     re.M):
            events.setdefault(name, set()).update(set(json.loads(data)) - {"type"})
    return events


def other(table, events):
    """Events or members that docs/dialects.md has and the streams have not, or
    the other way round."""
    shown = {cells[1].strip(" `"): set(re.findall(r"\w+", cells[2].replace("null", "")))
             for cells in (line.split("|") for line in table)}
    return [f"docs/dialects.md: {name} has {sorted(shown.get(name, []))}, "
            f"sent are {sorted(events.get(name, []))}"
            for name in sorted({*shown, *events}) if shown.get(name) != events.get(name)]


def later(names, changes):
    """Files of sql/ that a schema has of which no version was released."""
    if not re.search(r"^0\.1\.0 \(unreleased\)", changes, re.M):
        return []
    return [f"sql/{name}: 0.1.0 is not released, so this belongs into 0001-schema.sql "
            "(docs/database.md)" for name in names if name != "0001-schema.sql"]


def main():
    for page, mark, *form in BLOCKS:
        text = (ROOT / "docs" / page).read_text()
        block = re.search(rf"BEGIN {mark}\b[^\n]*\n(.*?)[^\n]*END {mark}\b", text, re.S)
        tap.result(block and block[1] == rows(*form),
                   f"docs/{page} has the {form[0]} (make update-docs)")
    events = [line.split("\t") for line in rows("events").splitlines()]
    text = (ROOT / "docs/api.md").read_text()
    table = re.search(r"^\| event \| data \|.*?\n\|-.*?\n(.*?)^$", text,
                      re.M | re.S)[1].splitlines()
    tap.clean("docs/api.md has the native events", undocumented(table, events))
    tap.finds("an event without its row", undocumented(
        [line for line in table if "`title`" not in line], events), "no event title")
    tap.finds("a member that is not told of", undocumented(
        [line.replace("durationMs", "") for line in table], events),
        "tool-result has no durationMs")
    tap.finds("an event that is not there", undocumented(
        ["| `tick` | {} | |"] + table, events), "there is no event tick")
    text = (ROOT / "docs/dialects.md").read_text()
    table = re.search(r"^## v2\n.*?^\|---.*?\n(.*?)^$", text, re.M | re.S)[1].splitlines()
    events = sent((ROOT / "tests/fixtures/dialects/streams.txt").read_text(), "v2")
    tap.clean("docs/dialects.md has the v2 events", other(table, events))
    tap.finds("a v2 event without its row", other(
        [line for line in table if "`warning`" not in line], events), "warning has []")
    files = sorted(path.name for path in (ROOT / "sql").glob("*.sql"))
    changes = (ROOT / "CHANGES").read_text()
    tap.clean("the schema is one file until the first release", later(files, changes))
    tap.finds("a file of the schema before the first release", later(
        ["0001-schema.sql", "0002-x.sql"], "0.1.0 (unreleased): the first version\n"), "0002-x.sql")
    tap.clean("passes files after it", later(
        ["0001-schema.sql", "0002-x.sql"], "0.1.1 (unreleased)\n\n0.1.0: the first version\n"))
    tap.finds("a v2 member that is not sent", other(
        [line.replace("is_error", "failed") for line in table], events), "tool_result has")
    tap.finish()


main()
