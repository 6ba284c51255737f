# SPDX-License-Identifier: MIT
"""docs/add-a-route.md, add-a-provider.md, add-an-option.md and add-a-job.md, in one
copy. What a command writes (`make update-docs`, LAMPLIGHTER_GOLDEN) is not counted,
nor is who reads the option or asks for the job.
"""

import json
import re
import sys

import pytest

from copies import CONFIG, Copy, run

PAGES = {		# files at most, languages of the blocks that are whole files
    "add-a-route.md": (4, ["python"]),
    "add-a-provider.md": (3, []),
    "add-an-option.md": (2, []),
    "add-a-job.md": (3, ["c"]),
}
GOLDEN = ["tests/unit/test_conf", "tests/unit/test_llm_fixtures"]
PROGRAMS = ["lamplighter", "lamplighter.fcgi", "tests/unit/test_route", *GOLDEN]
LAB = """
import json, sys
sys.path.insert(0, "tests")
from lab import Lab
with Lab(config={"limits": {"search_chars": 3}}) as lab:
    made = lab.post("/conversations", {"workspaceId": "lab", "title": "ä" * 60},
                    user="ada").json["conversationId"]
    user = lab.sql("SELECT LOWER(HEX(user_id)) FROM conversation")[0][0]
    user = "-".join(user[a:b] for a, b in
                    ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
    worked = []
    for _ in range(2):
        lab.sql("INSERT INTO job (kind, subject, tenant_id, args, due_us,"
                f" created_us) VALUES ('title-trim', '{made}', 'default',"
                f" '{json.dumps({'user': user})}', 1, 1)")
        lab.command("work")
        worked.append(lab.sql("SELECT COUNT(*) FROM job"
                              " WHERE kind = 'title-trim'")[0][0])
    print(json.dumps({
        "worked": worked,
        "title": lab.get(f"/conversations/{made}", user="ada").json["title"],
        "searched": [[a.status, a.json.get("detail")] for a in (
            lab.get("/conversations?q=" + "a" * n, user="ada") for n in (3, 4))],
    }))
"""


def unit(copy, *names, **env):
    for name in names:
        run(copy.build / name, cwd=copy.build, **copy.environment(), **env)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("rows"))
    for page, (most, languages) in PAGES.items():
        files = made.apply(page, *languages)
        assert 1 < len(files) <= most, files
    made.apply("add-an-option.md", example=1)
    made.make(*PROGRAMS)
    made.make("update-docs")
    unit(made, *GOLDEN, LAMPLIGHTER_GOLDEN="write")
    return made


@pytest.fixture(scope="module")
def seen(copy):
    return json.loads(run(sys.executable, "-B", "-c", LAB, cwd=copy.root,
                          **copy.environment()))


def test_the_tables_hold(copy):
    """The tests of the tables accept the new rows."""
    unit(copy, "tests/unit/test_route", *GOLDEN)
    run(sys.executable, "-B", str(copy.root / "tests/check/tables.py"),
        cwd=copy.build, **copy.environment())


def test_the_route_answers(copy):
    assert "/conversations/{conversation}/echo" in copy.command("list", "routes")
    told = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "tests/api/test_echo.py", "tests/api/test_openapi.py", "-k",
               "echo or paths_are_the_routes", cwd=copy.root, **copy.environment())
    # The page's case, the paths, and the answer in the form that is declared.
    assert "3 passed" in told


def test_the_provider_is_decoded(copy):
    assert re.search("^acme\topenai\tkey\t", copy.command("list", "providers"), re.M)
    golden = copy.root / "tests/fixtures/providers/acme/tool-call.events.jsonl"
    events = [json.loads(line) for line in golden.read_text().splitlines()]
    assert events[0]["event"] == "reasoning"
    call, = (e for e in events if e["event"] == "tool-call")
    assert json.loads(call["args"]) == {"city": "Oslo"}
    assert events[-1]["stop"] == "tool_calls"


def test_the_provider_is_sent_its_quirk(copy):
    config = copy.build / "acme.yaml"
    config.write_text(CONFIG.replace(
        "provider: ollama", "provider: acme, api_key: k, max_output_tokens: 7"))
    shown = json.loads(copy.command("-c", config, "preview", "--user", "ada", "Hi"))
    assert shown["request"]["max_completion_tokens"] == 7


def test_the_option_is_listed_and_checked(copy):
    assert "limits.search_chars\t" in copy.command("list", "options")
    for page in "configuration.md", "lamplighter.yaml.5":
        assert "limits.search_chars" in (copy.root / "docs" / page).read_text()
    assert "  search_chars: 200\n" in copy.command("config", "print")


def test_the_option_is_read(seen):
    assert seen["searched"] == [[200, None],
                                [422, "q may have at most 3 characters."]]


def test_the_job_is_done_twice(copy, seen):
    assert "title-trim\t60 s\t5 attempts\t" in copy.command("list", "jobs")
    assert seen["worked"] == ["0", "0"]
    assert seen["title"] == "ä" * 40
