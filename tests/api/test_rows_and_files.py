# SPDX-License-Identifier: MIT
"""What stands in files and what is made over the API: reports on other systems, rebuilt
small. Where a case has no number, it is our own."""

import json

import pytest

from lab import Lab

IT = {"user": "root", "groups": ["it"]}
ROLES = {"roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}}
WIDE = "Überprüfungsanfrage " * 4 + "東京都庁"	# more than 100 bytes, fewer than 100 characters


@pytest.fixture(scope="module")
def lab():
    with Lab(config=ROLES, catalogue={"wide": {
            "name": WIDE, "icon": "é" * 32, "categories": ["Ämter"],
            "body": "Count {{Things}}."}}) as lab:
        yield lab


def shipped(lab, **who):
    return [p for p in lab.get("/prompts?pageSize=100", **who).json["items"]
            if p["source"] == "config"]


def test_a_file_counts_characters_as_a_row_does(lab):
    """XiovV/calich#244, cdimascio/express-openapi-validator#1052: a limit in bytes."""
    made = lab.post("/prompts", {"name": WIDE, "body": "x"}, user="ada")
    assert made.status == 201, made
    one = next(p for p in shipped(lab, user="ada") if p["name"] == WIDE)
    assert one["icon"] == "é" * 32 and one["tier"] == "shipped" and one["version"] == 1
    assert one["promptAuthor"] is None and one["promptTrusted"] and not one["canEdit"]
    assert [b["name"] for b in one["blanks"]] == ["Things"]


def test_what_is_in_a_file_is_not_deleted_here(lab):
    """grafana/grafana#44900, #16130: it vanished from the page, and came back."""
    one = next(p for p in shipped(lab, **IT) if p["name"] == WIDE)
    at = f"/prompts/{one['id']}"
    for verb, body in (("DELETE", None), ("PATCH", {"name": "Mine"})):
        refused = lab.call(verb, at, body, **IT)
        assert (refused.status, refused.json["code"]) == (409, "managed_by_config")
    refused = lab.command("resource", "delete", at, "--user", "root", "--group", "it",
                          check=False)
    assert refused.returncode == 1 and refused.stderr
    assert lab.get(at, user="ada").json == lab.get(at, user="ada").json
    assert WIDE in [p["name"] for p in shipped(lab, user="ada")]
    mine = lab.post(f"{at}/copy", {}, user="ada")
    assert mine.status == 201 and mine.json["categoryIds"] == one["categoryIds"]
    assert mine.json["body"] == one["body"] and mine.json["tier"] == "private"


def test_null_is_the_same_in_all_ways(lab):
    """kubernetes/kubernetes#129456, #123304: null meant another thing in a first call."""
    body = {"name": "Nulls", "body": "x", "description": None, "categoryIds": []}
    made = lab.post("/prompts", body, user="ada").json
    by_hand = json.loads(lab.command("resource", "create", "prompts", "-", "--user", "ada",
                                     stdin=json.dumps(body)).stdout)
    same = ("name", "body", "description", "categoryIds", "icon", "tier")
    assert [made[k] for k in same] == [by_hand[k] for k in same]
    at = f"prompts/{by_hand['id']}"
    for text in ("once", None, None):
        changed = json.loads(lab.command("resource", "change", at, "-", "--user", "ada",
                                         stdin=json.dumps({"description": text})).stdout)
        assert changed["description"] == text


def test_a_version_is_all_that_the_row_was(lab):
    """teppokoivula/VersionControl#14, beberlei/DoctrineExtensions#32: a version had only
    what was changed in it, so going back mixed two."""
    at = "/prompts/" + lab.post("/prompts", {"name": "A1", "body": "B1"},
                                user="vera").json["id"]
    for who, body in (("vera", {"name": "A2"}), ("vera", {"body": "B2"})):
        lab.sql("UPDATE prompt_version SET created_us = created_us - 3600000000")
        assert lab.call("PATCH", at, body, user=who).status == 200
    versions = lab.get(at + "/versions", user="vera").json["items"]
    full = [lab.get(f"{at}/versions/{v['id']}", user="vera").json for v in versions]
    assert [(v["name"], v["body"]) for v in full] == [("A2", "B2"), ("A2", "B1"), ("A1", "B1")]


def test_equal_names_are_paged_once_each(lab):
    """tokio-rs/toasty#1141, woowabros/nestjs-library-crud#593: a cursor on what is not
    unique left rows out."""
    for _ in range(5):
        assert lab.post("/prompts", {"name": "Same", "body": "x"}, user="paul").status == 201
    for query in ("", "&q=same"):
        cursor, seen = "", []
        while cursor is not None:
            page = lab.get(f"/prompts?pageSize=2{query}" + (f"&cursor={cursor}" if cursor else ""),
                           user="paul").json
            seen += [p["id"] for p in page["items"] if p["name"] == "Same"]
            cursor = page["nextCursor"]
        assert len(seen) == len(set(seen)) == 5, query


def test_an_unknown_field_is_named(lab):
    """kubernetes/kubernetes#41685 and the like: what is unknown is not just left out."""
    refused = lab.command("resource", "create", "prompts", "-", "--user", "ada", check=False,
                          stdin=json.dumps({"nmae": "x", "body": "x"}))
    assert refused.returncode == 1 and "nmae" in refused.stderr and "name" in refused.stderr
    refused = lab.command("resource", "create", "provider-instances", "-", "--user", "ada",
                          check=False, stdin=json.dumps({
                              "displayName": "x", "providerId": "openai", "model": "m",
                              "apiKey": "sk-secret"}))
    assert refused.returncode == 1 and "sk-secret" not in refused.stderr
    assert "apiKey" in refused.stderr


@pytest.mark.parametrize("verb, at, meant", [
    ("list", "promts", "prompts"), ("list", "/Prompts", "prompts"),
    ("show", "promtps/x", "prompts/x"),
    ("list", "project/x/tasks", "projects/x/tasks"),
    ("create", "prompt-categorys", "prompt-categories")])
def test_the_nearest_path_is_named(lab, verb, at, meant):
    """pulumi/pulumi-yaml#544, anomalyco/ion#159: an unknown type, and no hint."""
    refused = lab.command("resource", verb, at, *(["-"] if verb == "create" else []),
                          "--user", "ada", check=False, stdin="{}")
    assert refused.returncode == 1 and f'Did you mean "{meant}"?' in refused.stderr


def test_no_path_is_invented(lab):
    """What is near to nothing has no hint."""
    for verb, at in (("list", "kettles"), ("list", "prompts/x/y/z"), ("show", "prompts")):
        refused = lab.command("resource", verb, at, "--user", "ada", check=False)
        assert refused.returncode == 1 and "Did you mean" not in refused.stderr, at


def test_the_nearest_parameter_is_named(lab):
    """vshulcz/deja-vu#755, kubeshop/tracetest#2976: a typo, and not what there is."""
    for given, text in (("pagesize=5", 'Did you mean "pageSize"?'),
                        ("curser=x", 'Did you mean "cursor"?'),
                        ("catgory=x", 'Did you mean "category"?'),
                        ("zzzzzzzz=1", "there are: pageSize, cursor, q, category"),
                        ("q", "q needs a value: q=VALUE")):
        refused = lab.command("resource", "list", "prompts", given, "--user", "ada", check=False)
        assert refused.returncode == 1 and text in refused.stderr, refused.stderr
    assert "Did you mean" not in lab.command("resource", "list", "prompts", "zzzzzzzz=1",
                                             "--user", "ada", check=False).stderr


@pytest.mark.parametrize("text, why", [
    ('{"name": "x",}', "line 1, column"), ("", "it is empty"), ("\xff", "UTF-8")])
def test_broken_json_names_its_file(lab, tmp_path, text, why):
    """composer/composer#347, trentm/json#50: a syntax error of no file."""
    path = tmp_path / "broken.json"
    path.write_bytes(text.encode("latin-1"))
    refused = lab.command("resource", "create", "prompts", str(path), "--user", "ada", check=False)
    assert refused.returncode == 1 and why in refused.stderr, refused.stderr
    assert f"lamplighter: {path}: " in refused.stderr


def test_a_command_is_a_user(lab):
    """Its rights are the user's, not the operator's."""
    made = lab.post("/prompts", {"name": "Hers", "body": "x"}, user="zoe").json
    at = f"prompts/{made['id']}"
    for verb, *more in (("show",), ("delete",), ("change", "-")):
        refused = lab.command("resource", verb, at, *more, "--user", "eve", check=False,
                              stdin="{}")
        assert refused.returncode == 1 and not refused.stdout, verb
    refused = lab.command("resource", "create", "prompt-categories", "-", "--user", "eve",
                          check=False, stdin='{"name": "x"}')
    assert refused.returncode == 1 and "permission" in refused.stderr
    assert lab.get("/" + at, user="zoe").json == made
