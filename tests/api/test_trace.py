# SPDX-License-Identifier: MIT
"""lamplighter trace turn: what a turn did when, by stage and thread."""

import re
import subprocess

import pytest

from lab import COMMAND

MARK = re.compile(r"^ *(\d+) {1,9}(\d*) +(\d+)  ( *)(\S+)(?: (.*))?$")
SUM = re.compile(r"^ *(\d+) +(\d+) +(\d+)  (\w+): ")
STAGES = {"turn", "start", "context", "model", "http", "tools", "finish",
          "after", "connect", "database", "batch", "flush", "sent", "byte",
          "token"}


def run(lab, *argv):
    return subprocess.run([COMMAND, "-c", lab.config_file, "trace", *argv],
                          capture_output=True, text=True, timeout=60)


def trace(lab, *argv):
    """Marks [(at, took or None, thread, depth, stage, what)], and sums."""
    done = run(lab, "turn", "--user", "ada", "--workspace", "lab", *argv)
    assert done.returncode == 0, done.stderr
    head, _, tail = done.stdout.partition("\n\n")
    marks = []
    for line in head.splitlines()[1:]:
        at, took, thread, blanks, stage, what = MARK.match(line).groups()
        marks.append((int(at), int(took) if took else None, int(thread),
                      len(blanks) // 2, stage, what))
    sums = {m[4]: (int(m[1]), int(m[2]), int(m[3]))
            for m in map(SUM.match, tail.splitlines()[1:])}
    return marks, sums


def test_stages_of_a_plain_turn(lab):
    marks, sums = trace(lab, "!script {\"tokens\": 5, \"rate\": 1000}")
    assert set(sums) <= STAGES
    assert {"turn", "start", "context", "model", "http", "finish", "after",
            "database", "batch", "flush", "sent", "byte", "token"} <= set(sums)
    assert "tools" not in sums and "connect" not in sums	# it was warm
    first = {stage: mark for mark in reversed(marks) for stage in [mark[4]]}
    # As it happens, and all within the turn.
    order = [first[s][0] for s in ("turn", "start", "context", "model", "http",
                                   "sent", "byte", "token", "finish", "after")]
    assert order == sorted(order)
    at, took, thread, depth, _, _ = first["turn"]
    assert thread == 1 and depth == 0
    for stage in ("start", "context", "model", "finish", "after"):
        begun, lasted = first[stage][:2]
        assert first[stage][2:4] == (1, 1)
        assert at <= begun and begun + lasted <= at + took + 2	# rounded
    assert first["http"][3] == 2
    assert first["batch"][2] != 1	# the relay's thread
    assert any(m[4] == "database" and m[5] for m in marks)
    # What is within is not counted twice.
    for times, total, own in sums.values():
        assert times >= 1 and 0 <= own <= total
    main = [m for m in marks if m[2] == 1 and m[1] is not None]
    assert sums["turn"][1] == took
    assert abs(sum(own_of(main, i) for i in range(len(main))) - took) <= len(main)


def own_of(marks, i):
    """What a span took but for those directly in it."""
    at, took, _, depth, _, _ = marks[i]
    own = took
    for mark in marks[i + 1:]:
        if mark[3] <= depth:
            break
        if mark[3] == depth + 1:
            own -= mark[1]
    return own


def test_tools_and_a_cold_start(lab):
    marks, sums = trace(
        lab, "--warm", "0", '!script {"tool_calls": [{"name": "query_data", '
        '"args": {"dataset": "tickets", "limit": 1}}], "then": {"text": "So."}}')
    assert sums["model"][0] == sums["http"][0] == 2
    assert sums["tools"][0] == 1 and sums["connect"][0] >= 1
    assert any(m[4] == "database" and m[5] == "prepare" for m in marks)


def test_turn_that_fails_is_said(lab):
    done = run(lab, "turn", "--user", "ada", "--workspace", "lab", "--warm", "0",
               '!script {"status": 400}')
    assert done.returncode == 1 and not done.stdout
    assert "the turn ended as error" in done.stderr


@pytest.mark.parametrize("argv,said", [
    ([], "must be turn"),
    (["page"], "must be turn"),
    (["turn", "Hi"], "--user is missing"),
    (["turn", "--user", "ada"], "the message is missing"),
    (["turn", "--user", "ada", "--warm", "-1", "Hi"], "--warm is a number"),
    (["turn", "--user", "ada", "Hi", "there"], "unexpected argument \"there\""),
])
def test_usage(lab, argv, said):
    done = run(lab, *argv)
    assert done.returncode == 2 and said in done.stderr
