# SPDX-License-Identifier: MIT
"""lamplighter eval: conversations of files, and what is checked of them (docs/eval.md)."""

import contextlib
import pathlib

import pytest
import yaml

from lab import Lab
from remembering import Memory, tool

SUITE = pathlib.Path(__file__).parents[1] / "eval"


@pytest.fixture(scope="module")
def lab():
    with contextlib.closing(Memory()) as model, Lab(
            services={"chat": {"url": model.url("chat"), "model": "chat"},
                      "other": {"url": model.url("chat"), "model": "other"},
                      "sum": {"url": model.url("sum"), "model": "sum"}},
            config={"settings": {"summary_service": "sum", "rolling_summary": True}, "tools": {
                "look": tool('"seen"', effect="read"),
                "pay": tool("{}", effect="write", confirm="always")}},
            workspaces={"lab": {"workspace": "lab", "llm_service": "chat",
                                "title_by_model": False}}) as lab:
        lab.model = model
        yield lab


def tried(lab, tmp_path, turns, *options, check=False):
    file = tmp_path / "one.yaml"
    file.write_text(turns if isinstance(turns, str) else yaml.safe_dump(
        {"what": "a test", "turns": turns}, sort_keys=False))
    return lab.command("eval", "--user", "ada", *options, str(file), check=check)


def test_what_is_said_called_and_remembered(lab, tmp_path):
    out = tried(lab, tmp_path, [
        {"say": "The number is 48213."},
        {"say": "Filler {n} " + "x" * 600, "times": 9, "has": ["filler"], "lacks": ["{n}"]},
        {"say": "call look {}", "calls": ["look"], "spares": ["pay", "loo"], "has": ["DONE"]},
        {"say": "And?", "remembers": ["48213"], "spares": ["look"]}], "--service", "other")
    assert (out.returncode, out.stderr) == (0, ""), out.stdout
    assert out.stdout.startswith("ok      24 of  24 checks,  12 turns,"), out.stdout
    assert {body["model"] for body in lab.model.sent["chat"]} == {"other"}
    assert lab.get("/conversations", user="ada").json["items"] == []    # deleted again
    out = tried(lab, tmp_path, [
        {"say": "hello", "has": ["bye"], "lacks": ["HELLO"], "calls": ["look"]},
        {"say": "hello", "remembers": ["hello"]},
        {"say": "call pay {}", "spares": ["pay"]}], "--keep")
    assert out.returncode == 1
    assert [line.split(": ", 2)[2].split(":")[0] for line in out.stdout.splitlines()[:-1]] == [
        "the answer lacks bye", "the answer has HELLO", "it did not call look",
        "it does not remember hello", "the turn ended as waiting", "it called pay"], out.stdout
    assert out.stdout.splitlines()[-1].startswith("FAILED   0 of   6 checks,   3 turns,")
    assert len(lab.get("/conversations", user="ada").json["items"]) == 1


@pytest.mark.parametrize("text,said", [
    ("turns: 1", 'no list "turns"'), ("", 'no list "turns"'), ("turn: []", 'no list "turns"'),
    ("turns: [x]", ":1: a step is a map"), ("turns:\n- {has: [a]}", ":2: a step is a map"),
    ("turns:\n- {say: a, has: b}", ":2: this is a list"),
    ("turns:\n- say: a\n  has: [[b]]", ":3: this is a text"),
    ("turns:\n- {say: a, times: 501}", "times is a number"),
    ("turns:\n- {say: a, hass: [b]}", "a step has say"), ("turns: []\nx: 1", ":2: a file has"),
    ("a: b: c", "one.yaml:1"),
])
def test_wrong_files(lab, tmp_path, text, said):
    out = tried(lab, tmp_path, text)
    assert out.returncode == 1 and said in out.stderr, out.stderr


def test_the_suite_is_right(lab):
    """Its files are read; no model is asked, since there is nobody of that name."""
    for file in sorted(SUITE.glob("*.yaml")):
        out = lab.command("eval", "--user", "ada", "--service", "none", str(file), check=False)
        assert 'no LLM service "none"' in out.stderr
        for step in yaml.safe_load(file.read_text())["turns"]:
            assert set(step) <= {"say", "times", "has", "lacks", "calls", "spares", "remembers"}
