# SPDX-License-Identifier: MIT
"""The samples of the docs that test_docs.py does not run in a turn, as an admin copies
them: each configuration is checked, each command and request is run."""

import json
import re
import shlex
import subprocess
import uuid

import pytest
import yaml

from lab import COMMAND, ROOT, Twin, as_yaml

PAGES = ("agents", "deploy-shared-hosting", "keys", "knowledge", "mentions", "metrics",
         "prompt-builder", "prompts", "providers", "scale", "settings")
OF_WORKSPACE = {"agents", "datasets"}
# Not a configuration of this program, by their first key.
OTHERS = {"scrape_configs", "tenant"}
# What the samples name and the page does not show.
SERVICES = ("able", "long", "local", "cheap", "night", "main", "spare")
SPACES = ("help",)
SECRETS = ("KEY", "KEY2", "LAMPLIGHTER_DB_PASSWORD", "LAMPLIGHTER_SEAL")
ADMIN = {"user": "ada", "groups": ["it"]}


def blocks(language, pages=PAGES):
    """All of a language: [(page:line, text)]."""
    return [(f"{page}:{text.count(chr(10), 0, match.start()) + 1}", match[1])
            for page in pages
            for text in [(ROOT / "docs" / f"{page}.md").read_text()]
            for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)]


def merged(base, more):
    """Sections are put together, everything else is replaced."""
    return {**base, **{k: merged(base[k], v) if isinstance(v, dict) and
                       isinstance(base.get(k), dict) else v for k, v in more.items()}}


def moved(text, folder):
    """The sample with files that are there."""
    def file(match):
        path = folder / match[1].replace("/", "_")
        path.write_text("00112233445566778899aabbccddeeff" * 2)
        path.chmod(0o600)
        return f"file:{path}"
    (folder / "policies").mkdir(exist_ok=True)
    return re.sub(r"file:(/[\w./-]+)", file, text).replace(
        "/srv/policies", str(folder / "policies"))


def checked(lab, folder, sample):
    """`lamplighter check` of the lab's configuration with a sample in it."""
    main = yaml.safe_load(lab.config_file.read_text())
    space = {"workspace": "sample", "name": "Sample"}
    if "database" in sample:
        del main["database"]
    one = next(iter(main["llm_services"].values()))
    main["llm_services"] |= {name: one for name in SERVICES}
    main["databases"] = {**main["databases"], "help": next(iter(main["databases"].values()))}
    main |= {"workspaces_dir": str(folder / "workspaces.d")}
    space = merged(space, {k: v for k, v in sample.items() if k in OF_WORKSPACE})
    main = merged(main, {k: v for k, v in sample.items() if k not in OF_WORKSPACE})
    (folder / "workspaces.d").mkdir()
    (folder / "workspaces.d/sample.yaml").write_text(as_yaml(space))
    for name in SPACES:
        (folder / f"workspaces.d/{name}.yaml").write_text(as_yaml({"workspace": name}))
    (folder / "lamplighter.yaml").write_text(as_yaml(main))
    return subprocess.run(
        [COMMAND, "-c", folder / "lamplighter.yaml", "check"], capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", **lab.responder_env,
             **{name: "00112233445566778899aabbccddeeff" * 2 for name in SECRETS}})


SAMPLES = [(at, text) for at, text in blocks("yaml")
           if next(iter(yaml.safe_load(text))) not in OTHERS]


def test_there_are_samples():
    assert len(SAMPLES) > 12, SAMPLES


@pytest.mark.parametrize("at, text", SAMPLES, ids=[at for at, _ in SAMPLES])
def test_a_sample_of_configuration_is_accepted(lab, tmp_path, at, text):
    result = checked(lab, tmp_path, yaml.safe_load(moved(text, tmp_path)))
    assert result.returncode == 0, result.stdout + result.stderr
    # The check does check: a key that nobody knows is found.
    broken = yaml.safe_load(moved(text, tmp_path))
    broken["no_such_key"] = 1
    (tmp_path / "again").mkdir()
    assert checked(lab, tmp_path / "again", broken).returncode != 0


def test_settings_go_in_as_the_page_shows(lab, tmp_path):
    [(_, text)] = [(at, t) for at, t in blocks("yaml", ["settings"])
                   if t.startswith("tenant:")]
    (tmp_path / "settings.yaml").write_text(text)
    assert lab.command("setting", "import", tmp_path / "settings.yaml").returncode == 0
    try:
        exported = yaml.safe_load(lab.command("setting", "export").stdout)
        wanted = yaml.safe_load(text)
        assert exported["tenant"]["history_messages"] == 50
        assert merged(exported, wanted) == exported
    finally:
        for key, *how in (("history_messages", "--tenant"), ("theme", "--user", "ada"),
                          ("answer_language", "--team", "sales")):
            lab.command("setting", "set", *how, key, "null")


@pytest.fixture
def known(lab, tidy_agents):
    """What the commands of the pages name: services and prompts."""
    made = [*(("/llm-services", {"llmServiceId": one, "name": one, "model": "m",
                                 "provider": "openai"}) for one in ("house", "main", "small")),
            ("/prompts", {"name": "Reply to a complaint", "body": "Reply.", "tier": "team",
                          "group": "sales"}),
            ("/prompts", {"name": "Of ada", "body": "x"}),
            ("/prompt-categories", {"name": "Letters"})]
    rows = [(path, lab.post(path, body, user="ada", groups=["it", "sales"]).json["id"])
            for path, body in made]
    yield
    for key, *how in (("llm_services", "--tenant"), ("answer_language", "--team", "sales")):
        lab.command("setting", "set", *how, key, "null")
    for path, one in rows:
        lab.call("DELETE", f"{path}/{one}", user="ada", groups=["it", "sales"])


COMMANDS = [(at, text) for at, text in blocks("sh") if re.match(r"lamplighter \w+ \w+", text)]


@pytest.mark.parametrize("at, text", COMMANDS, ids=[at for at, _ in COMMANDS])
def test_commands_run_as_they_are_written(lab, known, tmp_path, at, text):
    program = f"lamplighter() {{ {shlex.quote(str(COMMAND))} -c " \
              f"{shlex.quote(str(lab.config_file))} \"$@\"; }}\nset -e\n"
    result = subprocess.run(["bash", "-c", program + text], cwd=tmp_path, text=True,
                            capture_output=True, env={"PATH": "/usr/bin:/bin",
                                                      **lab.responder_env})
    assert result.returncode == 0, result.stdout + result.stderr


def key_requests():
    """Method, path and body of each request of the keys page."""
    for _, text in blocks("sh", ["keys"]):
        if text.startswith("curl"):
            method, path, body = re.match(
                r"curl -X (\w+) …/api/v1(\S+) .*? -d '(.*)'\n$", text, re.S).groups()
            yield method, path, json.loads(body)


def test_the_requests_of_the_keys_page(lab):
    (method, path, body), (of_workspace, below, inner) = key_requests()
    body["llmServiceId"] += uuid.uuid4().hex[:6]
    made = lab.call(method, path, body, **ADMIN)
    assert made.status == 201 and made.json["apiKeySet"] is True, made
    assert body["apiKey"] not in made.body.decode()
    space = lab.post("/workspaces", {"name": "Legal"}, **ADMIN).json["workspaceId"]
    below = below.replace("/legal/", f"/{space}/")
    its = lab.call(of_workspace, below, inner, **ADMIN)
    assert its.status == 201 and its.json["apiKeySet"] is True, its
    assert lab.call("DELETE", f"/workspaces/{space}", **ADMIN).status == 204
    own = f"{path}/{made.json['id']}"
    # A change of the address must include the key again.
    moved_to = lab.call("PATCH", own, {"url": "https://93.184.216.34/v1"}, **ADMIN)
    assert (moved_to.status, moved_to.json["field"]) == (422, "apiKey")
    assert lab.call("PATCH", own, {"apiKey": None}, **ADMIN).json["apiKeySet"] is False
    assert lab.call("DELETE", own, **ADMIN).status == 204


def test_the_module_of_the_prompt_builder_page(lab):
    [text] = [t for _, t in blocks("yaml", ["prompt-builder"]) if t.startswith("modules:")]
    [(_, body)] = blocks("json", ["prompt-builder"])
    with Twin(lab, config=yaml.safe_load(text)) as twin:
        module_as_shown(twin, json.loads(body))


def module_as_shown(lab, body):
    asked = {**body, "content": '!script {"text": "Ada."}'}
    answer = lab.stream("/chat/lab/stream", asked, user="ada", groups=["support"])
    events = answer.events()
    assert answer.status == 200 and events[-1].name == "done", events
    module = events[0].data["metadata"]["module"]
    assert module == asked["module"]
    refused = lab.post("/chat/lab/stream", asked, user="ada", groups=["sales"])
    assert (refused.status, refused.json["field"]) == (422, "module.name")
    asked["module"]["parameters"]["state"] = "lost"
    refused = lab.post("/chat/lab/stream", asked, user="ada", groups=["support"])
    assert (refused.status, refused.json["field"]) == (422, "module.parameters.state")
