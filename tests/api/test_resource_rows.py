# SPDX-License-Identifier: MIT
"""All that people can make, out of GET /forms (lib/resource/resource.def): every field
of every resource with bad values, and rows of others by every way to them. A new
resource needs a row in GOOD, which a test asks for."""

import json
import uuid

import pytest

IT = {"user": "root", "groups": ["it", "staff"]}      # may do everything
OTHER = {"user": "eve", "groups": ["sales"]}
NOWHERE = str(uuid.UUID(int=0x0192f00000007000 << 64 | 1 << 63))

# A body that is stored, by the name of the form. What belongs to another row is
# below {parent}, which is one of the form that its form names.
GOOD = {
    "prompt-categories": {},
    "prompts": {"body": "Write to {{Customer}}."},
    "prompts/shares": {"group": "staff"},
    "provider-instances": {"providerId": "openai_compatible", "model": "demo",
                           "url": "https://93.184.216.34/v1", "active": False},
    "llm-services": {"provider": "openai_compatible", "model": "demo",
                     "url": "https://93.184.216.34/v1"},
    "workspaces/services": {"provider": "openai_compatible", "model": "demo",
                            "url": "https://93.184.216.34/v1"},
    "workspaces": {}, "agents": {}, "tokens": {},
    "knowledge-bases": {}, "knowledge-bases/shares": {"group": "staff"},
    "projects": {}, "projects/members": {"group": "staff"},
    **{f"projects/{kind}": {} for kind in ("documents", "tasks", "goals", "plans",
                                           "milestones", "risks", "requirements")},
    "events": {"start": "2027-03-01T09:00"}, "projects/events": {"start": "2027-03-01"},
    "projects/calendars": {}, "conversation-folders": {},
    "memories": {},
}
SLUGS = {"agents", "workspaces"}        # addressed by their own id
ALL_SEE = {"prompt-categories"}         # the tenant's, which everyone reads
BODY_CHARS = 60000                      # longer ones are 413, whatever the field

# Of a wrong type, by the type of the field.
WRONG = {
    "text": [7, True, [], {}], "person": [7, True, [], {}, "nobody-here"],
    "colour": [7, "red", "#12345", "#12345g"],
    "date": [7, "never", "2026-02-30", "2026-13-01", "", True],
    "integer": ["7", 1.5, True, [], 1 << 62], "number": ["7", True, [], {}], "boolean": ["true", 1, "", []],
    "time": [7, "never", "2026-13-01T00:00:00Z", True], "secret": [7, [], {}],
    "ids": ["x", {}, [7], ["x"], [NOWHERE]], "lines": [7, {}, [7], [[]], "x"],
    "id": ["x", 7, [], NOWHERE], "json": ["\u0001", True, []],
}


def forms(lab):
    return {form["name"]: form for form in lab.get("/forms", **IT).json["items"]}


def asked(form, modes=("edit", "once")):
    return [field for field in form["fields"] if field["mode"] in modes]


def good(form):
    """A body with a name that no other row has."""
    name = {form["labelKey"]: "N" + uuid.uuid4().hex[:12]} if any(
        f["key"] == form["labelKey"] for f in asked(form)) else {}
    return {**name, **GOOD[form["name"]]}


def made(lab, form, who, parent=None):
    """A row. @return its record, the path of its list, its own path and its ETag"""
    path = "/" + form["path"].replace("{workspace}", "lab")
    if form["parent"]:
        above = forms(lab)[form["parent"]]
        parent = parent or made(lab, above, who)[0][above["idKey"]]
        path = path.replace("{parent}", parent)
    answer = lab.post(path, good(form), **who)
    assert answer.status == 201, answer
    record = {k: v for k, v in answer.json.items() if k != "secret"}
    return record, path, f"{path}/{record[form['idKey']]}", answer.headers.get("ETag")


def bad_values(field):
    """Values that a field must refuse."""
    kind, least, most = {"icon": "text", "tools": "lines"}.get(
        field["type"], field["type"]), field["min"], field["max"]
    bad = list(WRONG[kind])
    if kind == "json" and field["nullable"]:
        bad.remove([])          # a list of nothing may be one
    if kind in ("ids", "lines") and most:
        bad += [[NOWHERE] * (most + 1), ["two\nlines"], [" "], ["x" * 501]]
    if not field["nullable"]:
        bad.append(None)
    if kind in ("integer", "number") and least is not None:
        bad += [least - 1, most + 1]
    if kind in ("text", "person", "secret") and most and most < BODY_CHARS:
        bad.append("x" * (most + 1))
    if kind in ("text", "person") and (least or field["choices"] and field["key"] != "group"):
        bad.append("")
    if kind in ("text", "person") and not field["multiline"]:
        bad.append("two\nlines")
    if field["choices"] and kind == "text" and not field["key"] == "group":
        bad.append("none-of-them")
    return bad


def changed(lab, method, own, body, who):
    """A change of the row as it is now; @return the answer"""
    return lab.call(method, own, body, headers={"If-Match": "*"}, **who)


def refused(answer, key, value):
    assert answer.status == 422, (key, value, answer)
    problem = answer.json
    assert problem["field"].split(".")[0].split("[")[0] == key, (value, problem)
    assert problem["code"] in ("invalid_field", "unknown_field"), problem
    assert problem["detail"].endswith((".", "?")) or '"' in problem["detail"], problem
    for word in ("SELECT", "ERR_", ".c:", "/tmp"):
        assert word not in problem["detail"], problem


def count(lab, path, who):
    return lab.get(path, **who).json["totalCount"]


def names():
    return sorted(GOOD)


def test_every_resource_is_tried(lab):
    assert {name for name, form in forms(lab).items() if form["canWrite"]} == {
        # Of other rows, whose tests they are in: test_project_graph.py, test_shares.py,
        # test_ratings.py.
        *GOOD, "projects/edges", "conversation-shares", "ratings"}


@pytest.mark.parametrize("name", names())
def test_a_bad_value_of_each_field_is_named_and_nothing_is_stored(lab, name, tidy_agents):
    form = forms(lab)[name]
    record, path, own, etag = made(lab, form, IT)
    before, tried = count(lab, path, IT), 0
    for field in asked(form):
        key = field["key"]
        for value in bad_values(field):
            refused(lab.post(path, {**good(form), key: value}, **IT), key, value)
            tried += 1
            if asked(form, ("edit",)):
                refused(changed(lab, "PATCH", own, {key: value}, IT), key, value)
        if field["required"]:
            body = good(form)
            del body[key]
            refused(lab.post(path, body, **IT), key, "nothing")
        if field["mode"] == "once" and asked(form, ("edit",)):
            refused(changed(lab, "PATCH", own, {key: "other"}, IT), key, "other")
        refused(lab.post(path, {**good(form), key + "x": 1}, **IT), key + "x", 1)
    assert tried > len(asked(form))
    assert count(lab, path, IT) == before
    same = lab.get(own, **IT)
    assert same.json == record and same.headers.get("ETag") == etag
    assert changed(lab, "DELETE", own, None, IT).status == 204


def without_ids(answer):
    """An answer as a stranger can compare it."""
    body = answer.json if answer.body else {}
    return answer.status, {k: v for k, v in body.items() if k != "requestId"}


@pytest.mark.parametrize("name", names())
def test_a_row_of_others_is_as_none(lab, name, tidy_agents):
    """By id, with its ETag, in lists and by their cursors."""
    form = forms(lab)[name]
    owner = {"user": "o" + uuid.uuid4().hex[:12], "groups": ["it", "staff"]}
    rows = [made(lab, form, owner)]
    if not form["parent"]:
        rows.append(made(lab, form, owner))
    record, path, own, etag = rows[0]
    none = f"{path}/{'no-such-row' if name in SLUGS else NOWHERE}"
    patch = {f["key"]: f"by eve {f['key']}" for f in asked(form, ("edit",))[:1]}
    calls = [("GET", None, {}), ("GET", None, {"If-None-Match": etag or '"1"'}),
             ("DELETE", None, {}), ("DELETE", None, {"If-Match": etag or '"1"'})]
    if patch:
        calls += [("PATCH", patch, {}), ("PATCH", patch, {"If-Match": etag or '"1"'}),
                  ("PATCH", {"nonsense": 1}, {})]
    for method, body, headers in calls:
        if method == "GET" and name in ALL_SEE:
            continue
        real, nothing = (lab.call(method, at, body, headers=headers, **OTHER)
                         for at in (own, none))
        assert real.status in (403, 404, 422), (method, headers, real)
        assert without_ids(real) == without_ids(nothing), (method, body, headers)
    listed = lab.get(path + "?pageSize=100", **OTHER)
    if name not in ALL_SEE and listed.status == 200:
        assert record[form["idKey"]] not in json.dumps(listed.json), name
    page = lab.get(path + "?pageSize=1", **owner).json
    if page["nextCursor"] and name not in ALL_SEE:
        theirs = lab.get(f"{path}?pageSize=100&cursor={page['nextCursor']}", **OTHER)
        assert theirs.status in (400, 403, 404, 422) or not {
            row[form["idKey"]] for row in theirs.json["items"]} & {
                row[0][form["idKey"]] for row in rows}
    assert record[form["idKey"]] not in lab.command("export", "--user", "eve",
                                                    check=False).stdout
    # It is as it was.
    assert lab.get(own, **owner).json == record
    for row in rows:
        assert changed(lab, "DELETE", row[2], None, owner).status == 204


@pytest.mark.parametrize("key", ["apiKey"])
@pytest.mark.parametrize("name", ["llm-services", "provider-instances"])
def test_a_sealed_key_is_in_no_answer(lab, name, key):
    form = forms(lab)[name]
    secret = "sk-" + uuid.uuid4().hex
    answer = lab.post("/" + form["path"], {**good(form), key: secret}, **IT)
    own = f"/{form['path']}/{answer.json['id']}"
    seen = [answer, lab.get(own, **IT), lab.get("/" + form["path"], **IT),
            lab.call("PATCH", own, {"model": "other"}, **IT),
            lab.call("PATCH", own, {key: secret, "model": 7}, **IT),
            lab.call("PATCH", own, {"url": "https://93.184.216.34/v2"}, **IT)]
    assert not any(secret in one.body.decode() for one in seen)
    assert answer.json[key + "Set"] is True
    assert secret not in lab.command("export", "--user", "root", check=False).stdout
    assert lab.call("DELETE", own, **IT).status == 204


# What their values name is not there, or is not the caller's.
NAMES = {"user", "owner", "group", "categoryIds", "workspaceId", "llmServiceId", "agents",
         "rerankingServiceId", "embeddingServiceId", "knowledgeBaseIds", "fallbacks",
         "defaultAgentId", "parentId", "managerGroups", "toolIds", "tools", "providerId",
         "visibleTo", "rerankEnabled"}


def value_of(field):
    """The example of a form's field as clients send it."""
    text, kind = field["example"], field["type"]
    if kind in ("lines", "ids", "tools"):
        return text.split("\n")
    return json.loads(text) if kind in ("integer", "number", "boolean", "json") else text


@pytest.mark.parametrize("name", names())
def test_each_field_has_an_example_that_is_taken(lab, name, tidy_agents):
    form = forms(lab)[name]
    _, path, own, _ = made(lab, form, IT)
    for field in asked(form):
        key = field["key"]
        if field["choices"] is not None and key != "group" and not field["example"]:
            continue
        assert field["example"], key
        body = {key: value_of(field)}
        answer = (changed(lab, "PATCH", own, body, IT) if field["mode"] == "edit"
                  else lab.post(path, {**good(form), **body}, **IT))
        assert answer.status in (200, 201) or key in NAMES, (body, answer)
