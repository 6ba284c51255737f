# SPDX-License-Identifier: MIT
"""GET /forms: what a client needs to draw a list and a form of a resource, out of
lib/resource/resource.def; and the check of a prompt that is being written."""

import pathlib

import pytest
import yaml

IT = {"user": "root", "groups": ["it"]}      # may do everything
OPENAPI = pathlib.Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


def forms(lab, **who):
    answer = lab.get("/forms", **who)
    assert answer.status == 200, answer
    return {form["name"]: form for form in answer.json["items"]}


def fields(form):
    return {field["key"]: field for field in form["fields"]}


def test_every_resource_has_a_form_with_what_its_bodies_take(lab):
    api = yaml.safe_load(OPENAPI.read_text())
    seen = forms(lab, **IT)
    assert len(seen) == len(lab.command("list", "resources").stdout.split(
        "resource\t")) - 1
    for name, form in seen.items():
        path = api["paths"]["/" + form["path"]]
        # What is uploaded has a POST, but no form.
        assert form["readOnly"] == ("post" not in path or "application/json" not in
                                    path["post"]["requestBody"]["content"]), name
        assert form["canWrite"] == (not form["readOnly"]), name
        assert form["parent"] is None or form["parent"] in seen
        assert form["search"] == any(
            p.get("$ref") == "#/components/parameters/q" for p in path["get"]["parameters"]), name
        asked = [f for f in form["fields"] if f["mode"] in ("edit", "once")]
        assert not (form["readOnly"] and asked), name
        if form["readOnly"]:
            continue
        ref = path["post"]["requestBody"]["content"]["application/json"]["schema"]
        body = api["components"]["schemas"][ref["$ref"].rsplit("/", 1)[1]]
        # In place of props there are its members: none are declared here.
        assert [f["key"] for f in asked] == [
            key for key in body["properties"] if key != "props"], name
        assert [f["key"] for f in asked if f["required"]] == body["required"]
        for f in asked:
            known = body["properties"][f["key"]]
            assert f["label"] and f["help"] == known["description"]
            assert f["nullable"] == ("null" in known.get("type", ())) or (
                f["type"] in ("json", "lines") or
                (f["type"] == "ids" and "type" not in known)), f
            if f["choices"] and "enum" in known:
                assert [c["value"] for c in f["choices"]] == [
                    v for v in known["enum"] if v is not None]
            if f["type"] in ("text", "colour", "person"):
                assert (f["min"], f["max"]) == (known.get("minLength"),
                                                known.get("maxLength")), f


def test_a_prompt(lab):
    form = forms(lab, user="ada", groups=["sales"])["prompts"]
    assert (form["title"], form["what"], form["parent"], form["labelKey"],
            form["idKey"], form["order"], form["canWrite"]) == (
        "Prompts", "prompt", None, "name", "id", "name", True)
    field = fields(form)
    assert field["body"] == {
        "key": "body", "label": "Text", "help": (
            "Use {{Name}}, {{When: date}}, {{Tone: choice: formal | friendly}} or "
            "{{Ticket: record: tickets}} for blanks that people fill in"),
        "type": "text", "mode": "edit", "required": True, "nullable": False,
        "min": 1, "max": 20000, "multiline": True, "markdown": False, "choices": None,
        "default": None, "only": None, "of": None,
        "example": "Dear {{Name}}, thank you for your letter of {{Date: date}}."}
    # The blanks of the hint are what it says.
    made = lab.post("/prompts", {"name": "hint", "body": field["body"]["help"].split(" or ")[0]},
                    user="ada")
    assert [(b["name"], b["type"], b["choices"]) for b in made.json["blanks"]] == [
        ("Name", "text", []), ("When", "date", []), ("Tone", "choice", ["formal", "friendly"])]
    assert lab.call("DELETE", f"/prompts/{made.json['id']}", user="ada").status == 204
    assert field["tier"]["choices"] == [
        {"value": "private", "label": "Only me"}, {"value": "team", "label": "A group"},
        {"value": "tenant", "label": "Everyone"}]
    assert field["group"]["choices"] == [{"value": "sales", "label": "sales"}]
    assert field["group"]["only"] == {"key": "tier", "value": "team"}
    assert (field["categoryIds"]["of"], field["categoryIds"]["type"]) == (
        "prompt-categories", "ids")
    assert not field["name"]["multiline"]
    assert (field["colour"]["type"], field["colour"]["choices"]) == ("colour", None)
    share = forms(lab, user="ada")["prompts/shares"]
    assert (share["path"], share["parent"]) == ("prompts/{parent}/shares", "prompts")
    assert fields(share)["group"]["choices"] == []


def test_what_a_choice_begins_with_and_which_texts_are_markdown(lab):
    seen = forms(lab, user="ada")
    task, document = fields(seen["projects/tasks"]), fields(seen["projects/documents"])
    assert (task["stateKey"]["default"], task["priority"]["default"]) == ("todo", None)
    assert [key for key, field in document.items() if field["markdown"]] == ["content"]
    assert document["content"]["type"] == "text" and document["content"]["multiline"]
    assert (document["owner"]["type"], fields(seen["projects/members"])["user"]["type"]) == (
        "person", "person")


def test_rows_are_known_by_their_names(lab):
    seen = forms(lab, **IT)
    known = {name: seen[name]["labelKey"] for name in (
        "agents", "workspaces", "prompts", "tokens", "attachments", "llm-services",
        "knowledge-bases")}
    assert set(known.values()) == {"name"}, known


def test_what_people_read_is_written_for_them(lab):
    """No words of the API in what stands at a field, and the name comes first."""
    for name, form in forms(lab, **IT).items():
        for field in form["fields"]:
            said = f"{field['label']} {field['help']}"
            for word in ("null", "array", "GET ", "JSON", "boolean"):
                assert word not in said, (name, field["key"], said)
        assert "rag" not in form["what"] and not any(
            word in f" {field['label'].lower()} " for field in form["fields"]
            for word in (" rag ", " rerank ")), name
    for name in ("agents", "llm-services", "workspaces", "provider-instances"):
        asked = [f for f in forms(lab, **IT)[name]["fields"] if f["mode"] != "given"]
        assert asked[0]["label"] == "Name", name
        assert not any(f["required"] for f in asked if f["label"] == "Id")


def test_settings_have_words_for_their_values(lab):
    items = {one["key"]: one for one in lab.get("/settings", user="ada").json["items"]}
    assert list(items)[:3] == ["language", "theme", "density"]
    assert list(items)[-6:] == ["history_messages", "history_tokens", "rolling_summary",
                                "summary_turns", "summary_characters", "summary_service"]
    for one in items.values():
        for choice in one.get("choices", ()):
            assert choice["label"], one
    assert {"value": "tainted", "label": "After reading untrusted text"} in (
        items["confirm"]["choices"])


def test_the_language_of_a_base_is_chosen(lab):
    known = fields(forms(lab, **IT)["knowledge-bases"])
    assert known["workspaceId"]["of"] == "workspaces"
    for choice in known["language"]["choices"]:
        made = lab.post("/knowledge-bases", {"name": f"In {choice['label']}",
                                             "language": choice["value"]}, **IT)
        assert made.status == 201, made
        assert lab.call("DELETE", f"/knowledge-bases/{made.json['id']}", **IT).status == 204
    refused = lab.post("/knowledge-bases", {"name": "x", "language": "xx"}, **IT)
    assert refused.status == 422 and refused.json["field"] == "language"
    # none that the server has is missing
    assert all(f" {choice['value']}," in " " + refused.json["detail"].replace(" or ", ", ")
               .replace(".", ",") for choice in known["language"]["choices"])


def test_secrets_are_in_no_form(lab):
    field = fields(forms(lab, user="ada")["tokens"])
    assert set(field) == {"name", "expiresAt", "groups", "readOnly", "approve",
                          "agents", "tools", "lastUsedAt"}
    assert (field["expiresAt"]["mode"], field["expiresAt"]["label"],
            field["groups"]["mode"]) == ("once", "Expires", "given")


def test_only_what_the_caller_may_read_and_whether_they_may_write(make_lab):
    lab = make_lab(config={"roles": {
        "user": {"groups": ["*"], "permissions": ["AIChat.Prompts.Read"]},
        "none": {"groups": ["writer"], "permissions": ["AIChat.Prompts.Write"]}}})
    seen = forms(lab, user="ada")
    assert set(seen) == {"prompts", "prompt-categories", "prompts/versions",
                         "prompts/shares"}
    assert not any(form["canWrite"] for form in seen.values())
    seen = forms(lab, user="ada", groups=["writer"])
    assert [name for name in seen if seen[name]["canWrite"]] == ["prompts"]
    answer = lab.post("/prompts/check", {"body": "x"}, user="ada")
    assert answer.status == 403


def test_a_choice_that_there_is_not(lab):
    answer = lab.post("/prompts", {"name": "x", "body": "x", "tier": "shipped"},
                      user="ada")
    assert (answer.status, answer.json["field"], answer.json["detail"]) == (
        422, "tier", "tier must be private, team or tenant.")


@pytest.mark.parametrize("wrong, meant", [
    ("Team", "team"), ("tenants", "tenant"), ("privat", "private"), ("", None),
    ("everybody", None), ("t" * 500, None), ("two\nlines", None),
    ("team\n", "team"), ("privately", "private")])
def test_the_choice_that_was_probably_meant(lab, wrong, meant):
    answer = lab.post("/prompts", {"name": "x", "body": "x", "tier": wrong}, user="ada")
    assert (answer.status, answer.json["field"]) == (422, "tier"), answer
    if meant:
        assert answer.json["detail"] == (
            f'tier must be private, team or tenant; did you mean "{meant}"?')
    else:
        assert answer.json["detail"] == "tier must be private, team or tenant.", answer


@pytest.mark.parametrize("body, found", [
    ("", []), ("Write.", []), ("Dear {{Customer}} {{Customer}}", ["Customer"]),
    ("{{Tone: choice: a | b}}", ["Tone"])])
def test_the_blanks_of_a_text(lab, body, found):
    answer = lab.post("/prompts/check", {"body": body}, user="ada")
    assert answer.status == 200, answer
    assert [blank["name"] for blank in answer.json["blanks"]] == found


@pytest.mark.parametrize("body, field, says", [
    ({"body": "a\nb {{Customer"}, "body", "line 2, column 3"),
    ({"body": 1}, "body", "body"), ({}, "body", "body"),
    ({"body": "x" * 20001}, "body", "20"), ({"body": "x", "name": "x"}, "name", "name")])
def test_a_text_that_does_not_fit(lab, body, field, says):
    answer = lab.post("/prompts/check", body, user="ada")
    assert (answer.status, answer.json["field"]) == (422, field), answer
    assert says in answer.json["detail"]
