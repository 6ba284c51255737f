# SPDX-License-Identifier: MIT
"""lamplighter prompt and category: YAML out and in again."""

import pytest

from prompts import IT, make, who  # noqa: F401


def test_prompts_out_and_in_again(lab, who):
    """lamplighter prompt: what is exported is the same when it is imported."""
    filed = [lab.post("/prompt-categories", {"name": f"{who} {n}"}, **IT).json
             for n in ("b", "Ü: #")]
    group = f"g{who}"
    mine = {"user": "root", "groups": ["it", group]}
    tricky = "Dear {{Name}},\n  \\{{no}} # \"x\"\n\n{{Tone: choice: kind | cold}}\n"
    made = [lab.post("/prompts", {"name": f"{who}: 1", "tier": "team", "group": group,
                                  "body": body, **more}, **mine).json
            for body, more in ((tricky, {"categoryIds": [c["id"] for c in filed],
                                         "colour": "#aabbcc", "icon": "no"}),
                               ("Second of the name", {}))]
    text = lab.command("prompt", "export", "--group", group).stdout
    assert text.index("Dear {{Name}}") < text.index("Second of the name")
    assert all(word not in text for word in (filed[0]["id"], made[0]["id"], "copied"))
    everything = lab.command("prompt", "export").stdout
    assert text.split("\n", 1)[1] in everything
    same = lab.command("prompt", "import", "-", stdin=everything).stdout.splitlines()
    assert same and all(line.endswith("\tunchanged") for line in same), same
    listed = lab.command("prompt", "list", "--group", group).stdout
    assert listed.count(f"{group}/{who}: 1\t") == 2
    # After they are gone they are made again, with their first version.
    for one in made:
        assert lab.call("DELETE", f"/prompts/{one['id']}", **mine).status == 204
    answer = lab.command("prompt", "import", "-", stdin=text).stdout
    assert answer == f"{group}/{who}: 1\tcreated\n" * 2
    assert lab.command("prompt", "export", "--group", group).stdout == text
    now = lab.get(f"/prompts?q={who}", **mine).json["items"]
    assert {p["body"]: sorted(p["categoryIds"]) for p in now} == {
        tricky: sorted(c["id"] for c in filed), "Second of the name": []}
    one = next(p for p in now if p["body"] == tricky)
    [kept] = lab.get(f"/prompts/{one['id']}/versions", **mine).json["items"]
    assert lab.get(f"/prompts/{one['id']}/versions/{kept['id']}",
                   **mine).json["body"] == tricky
    # What a file does not say is not set; of two of a name the first is the first.
    changed = lab.command("prompt", "import", "-", "--group", group, stdin=(
        f"prompts:\n  - name: '{who}: 1'\n    tier: team\n    group: {group}\n"
        "    body: Other\n")).stdout
    assert changed.endswith("\tchanged\n")
    one = lab.get(f"/prompts/{one['id']}", **mine).json
    assert (one["body"], one["colour"], one["categoryIds"], one["version"]) == (
        "Other", None, [], 2)


def test_private_prompts_and_set(lab, who):
    one = make(lab, who, name=who, body="Mine {{A}}")
    assert who not in lab.command("prompt", "list").stdout
    text = lab.command("prompt", "export", "--user", who).stdout
    assert lab.command("prompt", "show", who, "--user", who).stdout == text
    answer = lab.command("prompt", "import", "-", stdin=text, check=False)
    assert answer.returncode == 1 and "--user" in answer.stderr, answer.stderr
    done = lab.command("prompt", "set", who, "description", "12", "--user", who)
    assert done.stdout == f"{who}\tchanged\n"
    path = f"/prompts/{one['id']}"
    assert lab.get(path, user=who).json["description"] == "12"
    lab.command("prompt", "set", who, "description", "null", "--user", who)
    assert lab.command("prompt", "export", "--user", who).stdout == text
    # No text of it was another, so it has one version.
    for key, value, words in (("name", "x", "name cannot be changed"),
                              ("tier", "tenant", "tier cannot be changed"),
                              ("body", "null", "body is missing"),
                              ("bdoy", "x", "did you mean \"body\""),
                              ("body", "{{", "line 1"),
                              ("categories", '["nix"]', "no category \"nix\"")):
        answer = lab.command("prompt", "set", who, key, value, "--user", who,
                         check=False)
        assert answer.returncode == 1 and words in answer.stderr, answer.stderr
    assert lab.command("prompt", "export", "--user", who).stdout == text


def test_categories_out_and_in_again(lab, who):
    row = lab.post("/prompt-categories", {"name": who, "colour": "#112233"}, **IT).json
    text = lab.command("category", "export").stdout
    assert lab.command("category", "import", "-", stdin=text).stdout.count(
        "\tunchanged\n") == text.count("  - name:")
    lab.call("DELETE", f"/prompt-categories/{row['id']}", **IT)
    assert f"{who}\tcreated" in lab.command("category", "import", "-", stdin=text).stdout
    assert lab.command("category", "export").stdout == text
    lab.command("category", "set", who, "icon", "star")
    assert "icon: \"star\"" in lab.command("category", "show", who).stdout


@pytest.mark.parametrize("lines, place, words", [
    ("name: q\n    tier: tenant\n    bdoy: x", "4:5", "body"),
    ("name: q\n    tier: tenant", "2:5", "body is missing"),
    ("name: q\n    tier: tenant\n    body: '{{a'", "4:5", ""),
    ("name: q\n    tier: nobody\n    body: a", "3:5", "tenant"),
    ("name: q\n    body: a", "2:5", "--user"),
    ("name: q\n    tier: team\n    body: a", "2:5", "group"),
    ("name: q\n    tier: tenant\n    group: x\n    body: a", "4:5", "group"),
    ("name: q\n    tier: tenant\n    body: a\n    colour: red", "5:5", "#rrggbb"),
    ("name: q\n    tier: tenant\n    body: a\n    categories: [nix]", "5:5", "nix"),
    ("name: q\n    tier: tenant\n    body: a\n    categories: nix", "5:5", "list"),
    ("name: q\n    tier: tenant\n    body: a\n    categoryIds: []", "5:5", "categories"),
    ("tier: tenant\n    body: a", "2:5", "name is missing")])
def test_a_bad_file_of_prompts_says_where(lab, tmp_path, lines, place, words):
    file = tmp_path / "prompts.yaml"
    file.write_text(f"prompts:\n  - {lines}\n")
    answer = lab.command("prompt", "import", str(file), check=False)
    assert answer.returncode == 1
    assert f"{file}:{place}" in answer.stderr and words in answer.stderr, answer.stderr
    assert "q\t" not in lab.command("prompt", "list").stdout.splitlines()


def test_a_file_that_cannot_be_read_is_no_empty_one(lab, tmp_path):
    for args in (["setting"], ["prompt", "--user", "ada"], ["project", "--user", "ada"]):
        answer = lab.command(args[0], "import", str(tmp_path), *args[1:], check=False)
        assert answer.returncode == 1 and "directory" in answer.stderr, (args, answer)


@pytest.mark.parametrize("argv,says", [
    (("list", "promts"), 'no resource with the path "promts"'),
    (("show", "prompts"), "which must end with an id"),
    (("list", "prompts", "foo=1"),
     '"foo" is not a parameter of prompts; there are: pageSize, cursor, q, category.\n'),
    (("list", "prompts", "pageSize=0"), "pageSize must be a whole number from 1 to"),
    (("list", "prompts", "pageSize"), "pageSize must be a whole number from 1 to"),
    (("delete", "prompts/nope"), "no such row of prompts")])
def test_a_resource_by_a_wrong_command(lab, who, argv, says):
    answer = lab.command("resource", *argv, "--user", who, check=False)
    assert answer.returncode == 1 and says in answer.stderr, answer
