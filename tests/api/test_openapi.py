# SPDX-License-Identifier: MIT
"""docs/openapi.yaml against the route table and against real answers."""

import json
import pathlib
import re

import jsonschema
import pytest

from described import SPEC, check, deref
from knowledge import settled
from sharing import DAY, allow, at

METHODS = {"get", "post", "patch", "put", "delete"}


def test_paths_are_the_routes(lab):
    declared = {(method.upper(), path) for path, item in SPEC["paths"].items()
                for method in item if method in METHODS}
    routes = {tuple(line.split()[:2])
              for line in lab.command("list", "routes").stdout.splitlines()}
    assert declared == routes and len(routes) > 20


def test_summaries_are_the_routes(lab):
    routes = {tuple(line.split()[:2]): line.split("  ")[-1]
              for line in lab.command("list", "routes").stdout.splitlines()}
    assert routes == {(method.upper(), path): item[method]["summary"]
                      for path, item in SPEC["paths"].items()
                      for method in item if method in METHODS}


def test_error_codes_are_the_tables(lab):
    """Every code that the description names exists in the error table."""
    known = set()
    for line in lab.command("list", "errors").stdout.splitlines():
        known |= set(line.split())
    text = (pathlib.Path(__file__).parents[2] / "docs" / "api.md").read_text()
    for code in ("conversation_busy", "chat_disabled", "csrf_failed",
                 "llm_provider_unsupported", "llm_credential_missing",
                 "unknown_field", "database_unavailable", "overloaded"):
        assert code in known and code in text


def test_turn_options_are_the_tables():
    rows = (pathlib.Path(__file__).parents[2] / "lib/store" /
            "turn_options.def").read_text()
    assert list(SPEC["components"]["schemas"]["TurnOptions"]["properties"]) == \
        re.findall(r'ROW\(F, SEP, \w+, "(\w+)"', rows) != []


@pytest.fixture(scope="module")
def links(lab):
    allow(lab, 30)
    yield
    allow(lab, None)


@pytest.fixture(scope="module")
def ids(lab, tidy_agents, links):
    events = lab.chat({"tool_calls": [{"name": "list_datasets", "args": {}}],
                       "then": {"text": "x"}})
    again = lab.stream(f"/conversations/{events[0].data['conversationId']}"
                       "/regenerate", {}, user="ada").events()
    assert again[-1].name == "done"
    variants = lab.get(f"/conversations/{again[0].data['conversationId']}/variants"
                       f"?messageId={again[-1].data['messageId']}", user="ada")
    return {"{workspace}": "lab", "{agent}": "helper",
            "{variant}": variants.json["items"][0]["variantId"],
            "{conversation}": events[0].data["conversationId"],
            "{message}": events[0].data["messageId"],
            "{corrected}": lab.chat("Hello.")[-1].data["messageId"],
            "{turn}": events[0].data["turnId"],
            "{service}": "demo",
            "{id}": lab.post("/tokens", {}, user="ada").json["id"],
            "{model}": lab.model_url, **agent_ids(lab), **prompt_ids(lab),
            "/attachments": lab.post("/attachments", b"text", user="ada").json["id"],
            **share_ids(lab, events[0].data["conversationId"]), **rating_ids(lab),
            "/plans": plan_id(lab, events[0].data["turnId"]),
            "{plan}": events[0].data["turnId"],
            **service_ids(lab)}


def plan_id(lab, turn):
    """A plan of the turn, which its agent cannot make."""
    lab.sql("INSERT INTO plan (id, tenant_id, user_id, version, created_us, updated_us,"
            " conversation_id, turn_id, call_id, goal, status, plan, progress, origins) SELECT t.id, c.tenant_id, c.user_id, 1, 1, 1, c.id, t.id, 'c', 'g',"
            """ 'running', '{"goal":"g","stages":[{"name":"s","mode":"parallel","steps":["""
            """{"id":"s","title":"s"}]}]}', '[{"id":"s","status":"ready"}]', NULL FROM turn t"""
            " JOIN conversation c ON c.id = t.conversation_id"
            f" WHERE t.id = UNHEX('{turn.replace('-', '')}');"
            " INSERT INTO plan_step (plan_id, number, conversation_id, status, tokens)"
            " SELECT id, 0, conversation_id, 1, 0 FROM plan")
    return turn


def share_ids(lab, conversation):
    """A share of the caller's, and one with them."""
    who = {"user": "ada", "groups": ["staff"]}
    mine = lab.post("/conversation-shares", {"conversationId": conversation, "group": "staff"},
                    **who).json["id"]
    theirs = lab.chat({"text": "Hi."}, user="bob")[-1].data["conversationId"]
    link = lab.post("/conversation-shares", {"conversationId": conversation, "kind": "link",
                                             "expiresAt": at(DAY)}, **who).json
    return {"/public-links": link["id"], "{link}": link["link"].rsplit("/", 1)[1],
            "/conversation-shares": mine, "{share}": lab.post("/conversation-shares", {
        "conversationId": theirs, "user": "ada"}, user="bob").json["id"]}


def rating_ids(lab):
    """An answer that is rated, and one that is not."""
    said, other = (lab.chat({"text": "Hi."}, user="ada")[-1].data for _ in range(2))
    made = lab.post("/ratings", {"conversationId": said["conversationId"], "value": "bad",
                                 "messageId": said["messageId"]}, user="ada").json["id"]
    return {"/ratings": made, "/rated-answers": made, "{talk}": other["conversationId"],
            "{answer}": other["messageId"]}


def service_ids(lab):
    """The same of services in rows."""
    body = {path: json.loads(filled(json.dumps(BODIES["POST", path]),
                                    {"{model}": lab.model_url}))
            for path in ("/llm-services", "/provider-instances")}
    return {path: lab.post(path, b, user="ada", groups=["it"]).json["id"]
            for path, b in body.items()}


def agent_ids(lab):
    """By the path of a change: those that are of no file."""
    admin = {"user": "ada", "groups": ["it"]}
    made = lab.post("/workspaces", {"name": "Of ada"}, **admin).json
    space = f"/workspaces/{made['workspaceId']}"
    service = lab.post(space + "/services", json.loads(filled(
        json.dumps(SERVICE), {"{model}": lab.model_url})), **admin).json["id"]
    version = lab.get(space + "/versions", **admin).json["items"][0]["id"]
    agent = lab.post("/workspaces/lab/agents", {"name": "Versions"}, user="ada").json["agentId"]
    was = lab.get(f"/workspaces/lab/agents/{agent}/versions", user="ada").json["items"][0]["id"]
    return {"/workspaces/{workspace}": space,
            SPACE: made["workspaceId"], SPACE + "/services": service,
            SPACE + "/versions": version, AGENT: agent, AGENT + "/versions": was,
            "/workspaces/{workspace}/agents/{agent}": space + "/agents/maven"}


def prompt_ids(lab):
    """Ids by the path that has them: a category, a prompt and what is below it."""
    admin = {"user": "ada", "groups": ["it"]}
    [shares, versions] = ["/prompts/{parent}/shares", "/prompts/{parent}/versions"]
    made = {path: lab.post(path, body, **admin).json["id"] for path, body in (
        ("/prompt-categories", {"name": "T"}), ("/prompts", BODIES["POST", "/prompts"]),
        ("/conversation-folders", {"name": "T"}), ("/memories", {"text": "T"}))}
    made["{parent}"] = made["/prompts"]
    made[shares] = lab.post(filled(shares, made), {"group": "it"}, **admin).json["id"]
    made[versions] = lab.get(filled(versions, made), **admin).json["items"][0]["id"]
    return {**made, **knowledge_ids(lab, admin), **project_ids(lab)}


def knowledge_ids(lab, admin):
    """The same for a knowledge base."""
    base = lab.post("/knowledge-bases", {"name": "T"}, **admin).json["id"]
    made = {"/knowledge-bases": base, BASE: base, "{base}": base}
    for below, body in (("shares", {"group": "it"}), ("documents", DOCUMENT)):
        made[f"/knowledge-bases/{{parent}}/{below}"] = lab.post(
            f"/knowledge-bases/{base}/{below}", body, **admin).json["id"]
    # One that has a file, and has failed: it can be downloaded, and tried again.
    empty = lab.call("POST", f"/knowledge-bases/{base}/documents?name=x", b" \n",
                     headers={"Content-Type": "text/plain"}, **admin).json["id"]
    settled(lab, f"/knowledge-bases/{base}", **admin)
    made["/knowledge-bases/{parent}/documents"] = empty
    return made


def project_ids(lab):
    """The same for a project and all kinds of what is in it."""
    made = {"/projects": lab.post("/projects", {"name": "T"}, user="ada").json["id"]}
    made[PROJECT] = made["{project}"] = made["/projects"]
    for kind in KINDS:
        path = f"{PROJECT}/{kind}"
        made[path] = lab.post(path.replace("{parent}", made[PROJECT]), KINDS[kind],
                              user="ada", groups=["it"]).json["id"]
    made["/entities"] = made[PROJECT + "/tasks"]
    made["{task}"], made["{goal}"] = made[PROJECT + "/tasks"], made[PROJECT + "/goals"]
    made["{document}"] = made[PROJECT + "/documents"]
    made[PROJECT + "/edges"] = lab.post(f"/projects/{made[PROJECT]}/edges", {
        "fromId": made["{task}"], "toId": made["{goal}"]}, user="ada").json["id"]
    for path in ("/events", PROJECT + "/events"):
        made[path] = lab.post(path.replace("{parent}", made[PROJECT]), EVENT,
                              user="ada").json["id"]
    # A change that can be taken back.
    lab.post(f"/projects/{made[PROJECT]}/goals", {"title": "T"}, user="ada")
    made["{change}"] = made[PROJECT + "/changes"] = lab.get(
        f"/projects/{made[PROJECT]}/changes", user="ada").json["items"][0]["id"]
    made["{kind}"] = "tasks"
    made["/projects/{project}/{kind}"] = made["{task}"]
    gone = lab.post("/projects", {"name": "Gone"}, user="ada").json["id"]
    lab.call("DELETE", f"/projects/{gone}", user="ada", headers={"If-Match": "*"})
    made["/projects/deleted"] = gone
    # Each project has one calendar.
    made[CALENDAR] = lab.post("/projects", {"name": "T"}, user="ada").json["id"]
    made[PROJECT + "/calendars"] = lab.post(f"/projects/{made[CALENDAR]}/calendars", {
        "name": "T"}, user="ada").json["id"]
    made["/documents/{parent}"] = made[PROJECT + "/documents"]
    versions = "/documents/{parent}/versions"
    made[versions] = lab.get(versions.replace("{parent}", made["/documents/{parent}"]),
                             user="ada").json["items"][0]["id"]
    return made


SERVICE = {"name": "T", "provider": "openai_compatible", "model": "demo",
           "url": "{model}/v1", "apiKey": "k"}
INSTANCE = {"displayName": "T", "providerId": "openai_compatible", "model": "demo",
            "url": "{model}/v1", "apiKey": "k", "active": False}
BASE = "/knowledge-bases/{parent}"
SPACE = "/workspaces/{parent}"
AGENT = "/workspaces/{workspace}/agents/{parent}"
PROJECT = "/projects/{parent}"
CALENDAR = PROJECT + "/calendars/"
EVENT = {"title": "T", "start": "2027-03-01T09:00", "recurrence": "FREQ=DAILY"}
KINDS = {"members": {"group": "it"}, "documents": {"title": "T", "content": "# T"},
         **{kind: {"title": "T"} for kind in ("tasks", "goals", "plans", "milestones",
                                              "risks", "requirements")}}
ABOVE = (BASE, SPACE, AGENT, CALENDAR, PROJECT, "/documents/{parent}")
DOCUMENT = {"title": "T", "text": "# Leave\n\nFive days carry over.", "externalId": "x"}


BODIES = {
    **{("POST", path): body for at, body in (("/llm-services", SERVICE),
                                             (SPACE + "/services", SERVICE),
                                             ("/provider-instances", INSTANCE))
       for path in (at, f"{at}/models", f"{at}/test")},
    ("PATCH", "/llm-services/{id}"): {"temperature": 0.5, "capabilities": ["chat"]},
    ("PATCH", SPACE + "/services/{id}"): {"temperature": 0.5},
    ("POST", SPACE + "/services/{id}/test"): {},
    ("PATCH", "/provider-instances/{id}"): {"model": "other"},
    ("POST", "/provider-instances/{id}/test"): {},
    ("POST", "/conversations"): {"workspaceId": "lab", "title": "T"},
    ("PATCH", "/conversations/{conversation}"): {"title": "T", "contextType": "project",
                                                 "projectId": "{project}"},
    ("PATCH", "/conversations/{conversation}/memory"): {
        "summary": "S", "agent_state_item_updates": [
            {"op": "add", "item": {"kind": "task", "title": "Roof"}}]},
    ("POST", "/conversations/{conversation}/document"): {"knowledgeBaseId": "{base}"},
    ("POST", "/conversations/{conversation}/memory/promote"): {"id": "i1"},
    ("POST", "/workspaces/{workspace}/agents/{agent}/conversations"): {},
    ("PATCH", "/workspaces/{workspace}/agents/{agent}/conversations"
     "/{conversation}"): {"title": "T"},
    ("POST", "/workspaces/{workspace}/agents/{agent}/conversations"
     "/{conversation}/messages"): {"content": '!script {"text": "x"}'},
    ("POST", "/chat/{workspace}/complete"): {"input": "x"},
    ("POST", "/turns/{turn}/cancel"): {},
    ("POST", "/plans/{plan}/skip"): {"stepId": "s"},
    ("POST", "/workspaces/{workspace}/preview"): {"content": "x"},
    ("POST", "/tokens"): {"name": "T"},
    ("PATCH", "/tokens/{id}"): {"name": None},
    ("POST", "/workspaces"): {"name": "W", "visibleTo": ["it"]},
    ("PATCH", "/workspaces/{workspace}"): {"description": "d", "toolIds": None},
    ("POST", "/workspaces/{workspace}/agents"): {"name": "A"},
    ("PATCH", "/workspaces/{workspace}/agents/{agent}"): {"ragMinScore": 0.5},
    ("POST", "/workspaces/{workspace}/agents/from-template"): {"templateId": "sage"},
    ("PATCH", "/settings"): {"density": "compact"},
    ("POST", "/prompt-categories"): {"name": "U", "colour": "#2f6f4f"},
    ("POST", "/conversation-folders"): {"name": "Work"},
    ("POST", "/memories"): {"text": "The user likes tea."},
    ("PATCH", "/memories/{id}"): {"state": "refused"},
    ("POST", "/conversation-shares"): {"conversationId": "{conversation}", "user": "bob"},
    ("PATCH", "/conversation-shares/{id}"): {"tools": True},
    ("POST", "/ratings"): {"conversationId": "{talk}", "messageId": "{answer}",
                           "value": "good"},
    ("PATCH", "/ratings/{id}"): {"reasons": ["slow"]},
    ("PATCH", "/conversation-folders/{id}"): {"name": "Other work"},
    ("PATCH", "/prompt-categories/{id}"): {"icon": "star"},
    ("POST", "/prompts"): {"name": "T", "body": "Write to {{Customer}}."},
    ("PATCH", "/prompts/{id}"): {"description": None},
    ("POST", "/prompts/{parent}/shares"): {"group": "staff"},
    ("PATCH", "/prompts/{parent}/shares/{id}"): {},
    ("POST", "/knowledge-bases"): {"name": "U", "language": "en"},
    ("PATCH", "/knowledge-bases/{id}"): {"paused": True},
    ("POST", "/knowledge-bases/{parent}/shares"): {"group": "staff"},
    ("PATCH", "/knowledge-bases/{parent}/shares/{id}"): {},
    ("POST", "/conversations/{conversation}/variants"):
        {"variantId": "{variant}"},
    ("POST", "/conversations/{conversation}/fork"): {"messageId": "{message}"},
    ("POST", "/conversations/{conversation}/correct"): {"messageId": "{corrected}", "content": "x"},
    ("POST", "/tasks"): {"workspaceId": "lab", "content": '!script {"text": "x"}'},
    ("POST", "/projects"): {"name": "U", "dueDate": "2027-01-31"},
    ("PATCH", "/projects/{id}"): {"stateKey": "active"},
    **{("POST", f"{PROJECT}/{kind}"): body for kind, body in KINDS.items()},
    **{("PATCH", f"{PROJECT}/{kind}/{{id}}"): {"description": "D"} for kind in KINDS},
    ("POST", "/projects/import"): {"format": "lamplighter-project", "version": 1,
                                   "project": {"name": "From a file"}},
    ("POST", PROJECT + "/members"): {"group": "staff"},
    ("POST", PROJECT + "/edges"): {"fromId": "{document}", "toId": "{goal}"},
    ("PATCH", PROJECT + "/edges/{id}"): {},
    ("POST", "/projects/{id}/tree"): {"documentId": "{document}"},
    ("PATCH", PROJECT + "/members/{id}"): {"role": "editor"},
    ("POST", PROJECT + "/calendars"): {"name": "T", "colour": "#336699"},
    ("PATCH", CALENDAR + "{id}"): {"timeZone": "Europe/Berlin"},
    **{key: body for at in ("/events", PROJECT + "/events") for key, body in (
        (("POST", at), EVENT), (("PATCH", at + "/{id}"), {"location": "Here"}),
        (("PATCH", at + "/{id}/occurrences/{day}"), {"title": "Alone"}))},
    ("POST", "/doctor"): {"measured": {}}, ("POST", "/doctor/body"): {},
    ("POST", "/openai/v1/responses"): {"model": "lab", "input": "Hello"},
    ("POST", "/openai/v1/chat/completions"): {"model": "lab", "messages": [
        {"role": "user", "content": '!script {"text": "x"}'}]},
}
CALLS = [(method.upper(), path) for path, item in SPEC["paths"].items()
         for method in item if method in METHODS
         and set(deref(item[method]["responses"].get("200", {}))
                 .get("content", {})) != {"text/event-stream"}]


def body_of(method, path):
    """A body that is good: BODIES', or the example of the operation."""
    operation = SPEC["paths"][path][method.lower()]
    content = deref(operation.get("requestBody", {})).get("content", {})
    return BODIES.get((method, path),
                      content.get("application/json", {}).get("example"))


def filled(text, ids):
    for name, value in ids.items():
        if name.startswith("{"):
            text = text.replace(name, value)
    return text


@pytest.mark.parametrize("method,path", sorted(
    CALLS, key=lambda c: (c[0] == "DELETE", c)))
def test_answers_are_as_declared(lab, ids, method, path):
    real = path
    if path.startswith(("/openai/", "/plain")):     # beside our API
        real = "/" + lab.base + path
    ids = {**ids, "{id}": ids.get(path.split("/{id}")[0].removeprefix("/plain"),
                                 ids["{id}"]),
           "{parent}": next((ids[at] for at in ABOVE if path.startswith(at)),
                            ids["{parent}"])}
    if path.endswith("{conversation}/correct"):     # others read the thread as it was
        ids["{conversation}"] = ids["{corrected}"].split(".")[0]
    if method in ("PATCH", "DELETE"):
        real = ids.get(real, real)
    real = filled(real.replace("{response}", "resp_" + ids["{turn}"].replace("-", "")),
                  ids)
    real = real.replace("{day}", "2027-03-02")
    if path.endswith("/calendar"):
        real += "?from=2027-03-01&to=2027-03-31"
    if path.endswith(("{turn}/events", "/notifications")):  # the form that is JSON
        real += "?wait=0"
    if path in ("/conversations/search", "/entities/search"):
        real += "?q=Hello"
    if method == "GET" and path.endswith(("/variants", "{conversation}/sources")):
        real += "?messageId=" + ids["{message}"]
    if path.endswith("{share}/sources"):
        real += f"?messageId={ids['{share}']}." + ids["{message}"].split(".")[1]
    if (method, path.rsplit("/", 1)[1]) == ("GET", "change"):
        real += "?message=" + ids["{message}"].rsplit(".", 1)[1]
    body = json.loads(filled(json.dumps(body_of(method, path)), ids))
    # Deleting comes last, and once; what forms do is test_plain's, and what is
    # stored late test_unstored's, what is uploaded test_attachments' and
    # test_calendar's, what services give test_openai_services'.
    if method != "DELETE" and not (method == "POST" and (
            "/plain" in path or path.endswith("/store"))) and not (
            method != "GET" and (path.startswith("/attachments") or
                                 path.endswith(("/calendar/import", "/v1/embeddings",
                                                "/v1/rerank", "/v1/audio/transcriptions")))):
        answer = lab.call(method, real, body, user="ada", headers={"If-Match": "*"}
                          if method == "PATCH" else {}, groups=["it", "staff"] if path.startswith(
                              ("/doctor", "/metrics", "/prompt", "/knowledge", "/project",
                                  "/rated-answers", "/public-links"))
                          or path in ("/workspaces", *ids)
                          or "services" in path else [])
        assert answer.status < 400, answer
        check(path, method, answer)
    # Nobody, nothing and nonsense are declared too.
    wrong = real.replace(ids["{conversation}"],
                         "0192f000-0000-7000-8000-000000000000")
    for user, target, sent in (("bob", real, body), ("ada", wrong, body),
                               ("ada", real, {"nonsense": 1})):
        if sent == {"nonsense": 1} and method not in ("POST", "PATCH"):
            continue
        check(path, method, lab.call(method, target, sent, user=user))


def test_deleting_is_as_declared(lab):
    for path in ("/conversations/{conversation}",
                 "/workspaces/{workspace}/agents/{agent}/conversations"
                 "/{conversation}"):
        made = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
        real = (path.replace("{conversation}", made["conversationId"])
                .replace("{workspace}", "lab").replace("{agent}", "helper"))
        check(path, "DELETE", lab.call("DELETE", real, user="ada"))


def test_deleting_a_token_is_as_declared(lab):
    made = lab.post("/tokens", {}, user="ada").json
    check("/tokens/{id}", "DELETE",
          lab.call("DELETE", f"/tokens/{made['id']}", user="ada"))


def test_the_resources_are_the_tables(lab):
    """Paths, schemas and statements of resource.def: make update-docs."""
    root = pathlib.Path(__file__).parents[2]
    text = (root / "docs/openapi.yaml").read_text()
    for mark, form in (("PATHS", "--paths"), ("SCHEMAS", "--schemas")):
        part = re.search(f"BEGIN RESOURCE {mark} .*\n((?:.*\n)*?) *# END", text).group(1)
        assert part == lab.command("list", "resources", form).stdout
    assert (root / "lib/resource/resource.sql").read_text() == lab.command(
        "list", "resources", "--sql").stdout


def test_fields_of_resources_have_a_type():
    """What is a number, a list or a text says so; what is left are objects and lists of them.
    Nothing is limited to nothing."""
    root = pathlib.Path(__file__).parents[2]
    part = re.search("BEGIN RESOURCE SCHEMAS .*\n((?:.*\n)*?) *# END",
                     (root / "docs/openapi.yaml").read_text()).group(1)
    untyped = set()
    for name in re.findall(r"^    (\w+):$", part, re.M):
        for key, field in SPEC["components"]["schemas"][name]["properties"].items():
            if not {"type", "$ref", "enum", "anyOf"} & set(field):
                untyped.add(key)
            for of in (field, field.get("items") or {}):
                assert of.get("maxLength") != 0 and of.get("maxItems") != 0, (name, key)
    assert untyped == {"quirks", "plan", "progress", "origins"}


def test_stream_records_are_as_declared(lab):
    events = lab.chat({"text": "x"})
    schema = {"$ref": "#/components/schemas/Message",
              "components": SPEC["components"]}
    for event in (events[0], events[-1]):
        jsonschema.Draft202012Validator(schema).validate(
            json.loads(json.dumps(event.data)))
