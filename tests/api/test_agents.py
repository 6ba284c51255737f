# SPDX-License-Identifier: MIT
"""Workspaces and agents that people make: from their making to their end, who sees
and who changes them, what goes with them, and turns with them."""

import uuid

import pytest

from lab import Twin, wait_until

pytestmark = pytest.mark.usefixtures("tidy_agents")
IT = {"user": "root", "groups": ["it"]}      # may do everything
AGENT = ["workspaceId", "agentId", "name", "description", "systemPrompt", "userPrompt",
         "toolIds", "llmServiceId", "ragEnabled", "knowledgeBaseIds", "ragMaxResults",
         "ragMinScore", "rerankEnabled", "rerankingServiceId", "rerankMaxResults",
         "createdAt", "updatedAt"]           # B12


@pytest.fixture
def who():
    return "u" + uuid.uuid4().hex[:12]


def make(lab, workspace="lab", user="ada", groups=(), headers=None, **fields):
    answer = lab.post(f"/workspaces/{workspace}/agents", {"name": "A", **fields},
                      user=user, groups=groups, headers=headers)
    assert answer.status == 201, answer
    return answer.json


def make_workspace(lab, who=IT, **fields):
    answer = lab.post("/workspaces", {"name": "W", **fields}, **who)
    assert answer.status == 201, answer
    return answer.json


def at(agent):
    return f"/workspaces/{agent['workspaceId']}/agents/{agent['agentId']}"


def ids(lab, path, key, **who):
    out, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"{path}?pageSize=3{cursor and '&cursor=' + cursor}", **who).json
        out += [item[key] for item in page["items"]]
        cursor = page["nextCursor"]
    assert page["totalCount"] == len(out), (page["totalCount"], out)
    return out


def refused(answer, status, field=None):
    assert answer.status == status, answer
    assert answer.json.get("field") == field, answer
    return answer.json["detail"]


def test_an_agent_from_its_making_to_its_end(lab, who):
    body = {"agentId": who, "name": "Mine", "description": "For tests",
            "systemPrompt": "Be brief.", "userPrompt": "Hello?", "toolIds": ["query_data"],
            "maxToolIterations": 3, "ragEnabled": True, "ragMaxResults": 5,
            "ragMinScore": 0.7, "rerankEnabled": False, "rerankMaxResults": 2}
    answer = lab.post("/workspaces/lab/agents", body, user=who)
    made = answer.json
    assert answer.status == 201 and b'"ragMinScore":0.7,' in answer.body, answer
    assert answer.headers["Location"] == f"workspaces/lab/agents/{who}"
    assert set(AGENT) <= set(made)
    assert {key: made[key] for key in body} == body
    assert (made["workspaceId"], made["source"], made["visibility"], made["canEdit"],
            made["isDefault"], made["llmServiceId"], made["knowledgeBaseIds"]) == (
        "lab", "api", "private", True, False, None, [])
    assert made["resolvedLlmServiceId"] == "demo" and made["createdAt"]
    seen = lab.get(at(made), user=who)
    assert seen.json == made
    match = {"If-Match": seen.headers["ETag"]}
    changed = lab.call("PATCH", at(made), {"description": None, "toolIds": [],
                                           "name": "Yours"}, user=who, headers=match)
    assert changed.status == 200, changed
    assert (changed.json["description"], changed.json["toolIds"], changed.json["name"],
            changed.json["systemPrompt"]) == (None, [], "Yours", "Be brief.")
    refused(lab.call("PATCH", at(made), {"name": "x"}, user=who, headers=match), 412)
    refused(lab.call("PATCH", at(made), {"agentId": "x"}, user=who), 422, "agentId")
    assert lab.call("DELETE", at(made), user=who).status == 204
    refused(lab.get(at(made), user=who), 404)
    refused(lab.call("DELETE", at(made), user=who), 404)


def test_ids_are_made_and_are_unique(lab, who):
    one = make(lab, user=who, name="Über Büro 7!")
    assert one["agentId"].startswith("ber-b-ro-7-"), one["agentId"]
    assert make(lab, user=who, name="Über Büro 7!")["agentId"] != one["agentId"]
    for taken in (one["agentId"], "helper"):
        answer = lab.post("/workspaces/lab/agents", {"name": "x", "agentId": taken},
                          user=who)
        assert "agentId" in refused(answer, 409, "agentId")
    # The same id in another workspace, and another's private one, are no matter.
    for user, groups, workspace in ((who, ["staff"], "staff"), ("b" + who, [], "lab")):
        lab_agent = make(lab, workspace, user, groups, agentId=one["agentId"])
        assert lab_agent["agentId"] == one["agentId"]
    # A repeated key is the same agent; with other values it is refused.
    key = {"Idempotency-Key": who}
    twice = [make(lab, user=who, headers=key, name="K")["agentId"] for _ in range(2)]
    assert twice[0] == twice[1]
    refused(lab.post("/workspaces/lab/agents", {"name": "L"}, user=who, headers=key),
            422, "Idempotency-Key")


@pytest.mark.parametrize("bad, field", [
    ({"name": None}, "name"), ({"name": " "}, "name"), ({"name": "a\nb"}, "name"),
    ({"name": "x" * 101}, "name"), ({"name": 1}, "name"), ({"nmae": "x"}, "nmae"),
    ({"agentId": "Big"}, "agentId"), ({"agentId": "a b"}, "agentId"),
    ({"agentId": "-a"}, "agentId"), ({"agentId": "x" * 65}, "agentId"),
    ({"visibility": "public"}, "visibility"), ({"visibility": 1}, "visibility"),
    ({"description": "x" * 2001}, "description"), ({"systemPrompt": ""}, "systemPrompt"),
    ({"systemPrompt": "x" * 20001}, "systemPrompt"), ({"userPrompt": 1}, "userPrompt"),
    ({"llmServiceId": "nowhere"}, "llmServiceId"), ({"llmServiceId": 1}, "llmServiceId"),
    ({"llmServiceId": "plain"}, "llmServiceId"),        # without AI.Services.Read
    ({"toolIds": "query_data"}, "toolIds"), ({"toolIds": ["no_such"]}, "toolIds"),
    ({"toolIds": [1]}, "toolIds"), ({"toolIds": ["x"] * 201}, "toolIds"),
    ({"toolIds": ["group:none_such"]}, "toolIds"), ({"toolIds": {}}, "toolIds"),
    ({"maxToolIterations": 0}, "maxToolIterations"),
    ({"maxToolIterations": 26}, "maxToolIterations"),
    ({"ragEnabled": 1}, "ragEnabled"), ({"ragEnabled": None}, "ragEnabled"),
    ({"knowledgeBaseIds": ["x"]}, "knowledgeBaseIds"), ({"ragMinScore": 2}, "ragMinScore"),
    ({"ragMinScore": "x"}, "ragMinScore"), ({"ragMaxResults": -1}, "ragMaxResults"),
    ({"rerankingServiceId": "nowhere"}, "rerankingServiceId"),
    ({"createdAt": "x"}, "createdAt"), ({"holder": "x"}, "holder")])
def test_what_an_agent_must_be(lab, bad, field, who):
    refused(lab.post("/workspaces/lab/agents", {"name": "A", **bad}, user=who), 422, field)
    assert who not in [a["agentId"] for a in lab.get(
        "/workspaces/lab/agents?pageSize=100", user=who).json["items"]]
    one = make(lab, user=who, agentId=who)
    refused(lab.call("PATCH", at(one), bad, user=who), 422, field)
    assert lab.get(at(one), user=who).json == one


def test_a_binding_is_set_and_cleared(lab, who):
    groups = ["it"]
    one = make(lab, user=who, groups=groups, llmServiceId="plain", name=who)
    assert (one["llmServiceId"], one["resolvedLlmServiceId"]) == ("plain", "plain")
    cleared = lab.call("PATCH", at(one), {"llmServiceId": None}, user=who, groups=groups).json
    assert (cleared["llmServiceId"], cleared["resolvedLlmServiceId"]) == (None, "demo")


def test_those_of_files_are_listed_first_and_are_read_only(lab, who):
    mine = [make(lab, user=who, name=f"{who} {i}")["agentId"] for i in range(4)]
    files = ["helper", "plain", "claude", "llama", "short"]
    listed = ids(lab, "/workspaces/lab/agents", "agentId", user=who)
    assert listed[:5] == files and listed[-4:] == mine
    helper = lab.get("/workspaces/lab/agents/helper", user=who).json
    assert (helper["source"], helper["visibility"], helper["canEdit"],
            helper["isDefault"], helper["createdAt"]) == (
        "config", "workspace", False, True, None)
    for who_ in ({"user": who}, IT):
        for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
            answer = lab.call(method, "/workspaces/lab/agents/helper", body, **who_)
            assert (answer.status, answer.json["code"]) == (409, "managed_by_config")
            answer = lab.call(method, "/workspaces/lab", body, **IT)
            assert (answer.status, answer.json["code"]) == (409, "managed_by_config")
    refused(lab.post("/workspaces", {"name": "x", "workspaceId": "lab"}, **IT), 409,
            "workspaceId")


def test_templates(lab, who):
    shown = lab.get("/workspaces/lab/agent-templates", user=who).json
    assert shown == lab.get("/agent-templates", user=who).json
    by_id = {t["templateId"]: t for t in shown["items"]}
    assert list(by_id) == ["bobby", "maven", "quill", "sage"]
    assert [t for t in by_id if by_id[t]["defaultOnNewWorkspace"]] == ["bobby", "maven"]
    assert all(t["useCase"] and t["systemPrompt"] and t["description"] for t in by_id.values())
    made = lab.post("/workspaces/lab/agents/from-template", {"templateId": "sage"}, user=who)
    assert made.status == 201, made
    agent, sage = made.json, by_id["sage"]
    assert made.headers["Location"] == f"workspaces/lab/agents/{agent['agentId']}"
    assert [agent[k] for k in ("name", "description", "systemPrompt")] == [
        sage[k] for k in ("name", "description", "systemPrompt")]
    assert (agent["visibility"], agent["llmServiceId"], agent["ragEnabled"]) == (
        "private", None, False)
    # a form that was filled from it stores the same words, which are the installation's
    filled = lab.post("/workspaces/lab/agents", {
        k: sage[k] for k in ("name", "description", "systemPrompt")}, user=who).json
    assert [filled[k] for k in ("promptAuthor", "promptTrusted")] == [
        agent[k] for k in ("promptAuthor", "promptTrusted")] == [None, True]
    assert make(lab, user=who, systemPrompt=sage["systemPrompt"] + " More.")["promptAuthor"] == who
    named = lab.post("/workspaces/lab/agents/from-template", {
        "templateId": "quill", "agentId": who, "name": "Q"}, user=who).json
    assert (named["agentId"], named["name"]) == (who, "Q")
    for body, field in (({"templateId": "none-such"}, "templateId"), ({}, "templateId"),
                        ({"templateId": "sage", "systemPrompt": "x"}, "systemPrompt")):
        refused(lab.post("/workspaces/lab/agents/from-template", body, user=who), 422, field)
    refused(lab.post("/workspaces/nowhere/agents/from-template", {"templateId": "sage"},
                     user=who), 404)
    refused(lab.get("/workspaces/staff/agent-templates", user=who), 404)


def test_what_an_agent_was(lab, who):
    for user in (who, "vic", "root"):
        lab.sign_in(user, groups=["it"] if user == "root" else [])
    one = make(lab, user=who, name=who, systemPrompt="First", userPrompt="Hi")

    def change(path, user=who, groups=(), **body):
        answer = lab.call("PATCH", path, body, user=user, groups=groups)
        assert answer.status == 200, answer

    def versions(path, user=who, groups=()):
        answer = lab.get(path + "/versions", user=user, groups=groups)
        if answer.status != 200:
            return answer.status
        items = answer.json["items"]
        assert not any("systemPrompt" in v for v in items)
        whole = [lab.get(f"{path}/versions/{v['id']}", user=user, groups=groups).json
                 for v in items]
        return [(v["version"], v["systemPrompt"], v["userPrompt"], v["changedBy"])
                for v in whole]

    change(at(one), systemPrompt="Second")
    change(at(one), maxToolIterations=3)       # which is no version of it
    change(at(one), userPrompt=None)           # a minute later: one version with the second
    assert versions(at(one)) == [(4, "Second", None, who), (1, "First", "Hi", who)]
    lab.sql("UPDATE agent_version SET created_us = created_us - 601000000")
    change(at(one), name="Other")
    assert [v[0] for v in versions(at(one))] == [5, 4, 1]
    # A private agent's are seen by its owner alone, not even by an admin.
    assert (versions(at(one), "vic"), versions(at(one), "root", ["it"])) == (404, 404)
    first = lab.get(at(one) + "/versions", user=who).json["items"][-1]["id"]
    for method, path in (("POST", "/versions"), ("PATCH", f"/versions/{first}"),
                         ("DELETE", f"/versions/{first}")):
        assert lab.call(method, at(one) + path, {}, user=who).status == 405
    other = make(lab, user=who, name=who + "2")
    assert lab.get(f"{at(other)}/versions/{first}", user=who).status == 404
    assert lab.get("/workspaces/lab/agents/helper/versions",
                   user=who).json["code"] == "managed_by_config"
    assert lab.get("/workspaces/lab/agents/none/versions", user=who).status == 404
    assert lab.get("/workspaces/none/agents/helper/versions", user=who).status == 404
    # That of a workspace is seen by those who may change it.
    space = make_workspace(lab, IT, name=who, visibleTo=["*"])
    public = make(lab, space["workspaceId"], "root", ["it"], name="P", systemPrompt="Old")
    change(at(public), "root", ["it"], systemPrompt="New")
    assert [v[1] for v in versions(at(public), "root", ["it"])] == ["New", "Old"]
    assert versions(at(public)) == 403
    # They go with it, also if its workspace goes.
    count = ("SELECT COUNT(*) FROM agent_version v WHERE NOT EXISTS"
             " (SELECT 1 FROM agent a WHERE a.id = v.parent_id)")
    assert lab.call("DELETE", at(one), user=who).status == 204
    assert lab.call("DELETE", f"/workspaces/{space['workspaceId']}", **IT).status == 204
    assert lab.sql(count) == [["0"]]
    assert lab.call("DELETE", at(other), user=who).status == 204
    assert lab.sql(count) == [["0"]]


def test_what_a_workspace_was(lab, who):
    managers = [who, "vic"]
    for user in (*managers, "root"):
        lab.sign_in(user)
    lab.sql("DELETE FROM workspace_version")
    one = make_workspace(lab, IT, name=who, prompt="First", managerUsers=managers,
                         visibleTo=["*"])
    path = f"/workspaces/{one['workspaceId']}"

    def change(user, **body):
        answer = lab.call("PATCH", path, body, user=user, groups=["it"])
        assert answer.status == 200, answer

    def versions(user, groups=("it",)):
        answer = lab.get(path + "/versions", user=user, groups=groups)
        if answer.status != 200:
            return answer.status
        whole = [lab.get(f"{path}/versions/{v['id']}", user=user, groups=groups).json
                 for v in answer.json["items"] if "prompt" not in v]
        return [(v["version"], v["prompt"], v["changedBy"]) for v in whole]

    change(who, prompt="Second")
    change(who, maxToolIterations=3)
    change("vic", prompt=None)
    assert versions(who) == [(4, None, "vic"), (2, "Second", who), (1, "First", "root")]
    # Who only sees the workspace does not see what it was; nobody writes it.
    assert versions("eve", ()) == 403
    assert lab.get("/workspaces/none/versions", **IT).status == 404
    assert lab.post(path + "/versions", {}, **IT).status == 405
    assert lab.get("/workspaces/lab/versions", **IT).json["code"] == "managed_by_config"
    assert lab.call("DELETE", path, **IT).status == 204
    assert lab.sql("SELECT COUNT(*) FROM workspace_version") == [["0"]]


def test_a_workspace_from_its_making_to_its_end(lab, who):
    body = {"workspaceId": who, "name": "Ours", "description": "d", "prompt": "Be kind.",
            "llmServiceId": "demo", "toolIds": ["query_data"], "maxToolIterations": 2,
            "suggestions": ["Hi?"], "managerUsers": [who], "visibleTo": ["sales"]}
    answer = lab.post("/workspaces", body, **IT)
    made = answer.json
    assert answer.status == 201, answer
    assert answer.headers["Location"] == f"workspaces/{who}"
    assert {key: made[key] for key in body} == body
    assert (made["source"], made["canEdit"], made["defaultAgentId"], made["model"] is None,
            made["managerGroups"]) == ("api", True, "bobby", False, None)
    path = f"/workspaces/{who}"
    # B3: it begins with Bobby and Maven, for all who see it.
    assert ids(lab, path + "/agents", "agentId", user="s", groups=["sales"]) == [
        "bobby", "maven"]
    seen = lab.get(path, user="s", groups=["sales"]).json
    assert (seen["canEdit"], seen["prompt"], seen["managerUsers"], seen["visibleTo"]) == (
        False, None, None, None)
    for user in ("eve", "sales"):
        refused(lab.get(path, user=user), 404)
        assert who not in ids(lab, "/workspaces", "workspaceId", user=user)
    assert who in ids(lab, "/workspaces", "workspaceId", user="s", groups=["sales"])
    # A manager needs the permission, which the role of this Lab's users does not have.
    refused(lab.call("PATCH", path, {"name": "x"}, user=who), 403)
    tag = {"If-Match": lab.get(path, **IT).headers["ETag"]}
    changed = lab.call("PATCH", path, {"visibleTo": ["it"], "llmServiceId": None},
                       headers=tag, **IT)
    assert changed.status == 200, changed
    assert (changed.json["visibleTo"], changed.json["llmServiceId"]) == (["it"], None)
    refused(lab.call("PATCH", path, {"name": "x"}, headers=tag, **IT), 412)
    refused(lab.get(path, user="s", groups=["sales"]), 404)
    assert who not in ids(lab, "/workspaces", "workspaceId", user="s", groups=["sales"])
    refused(lab.post("/workspaces", {"name": "x", "workspaceId": who}, **IT), 409,
            "workspaceId")
    assert lab.call("DELETE", path, **IT).status == 204
    refused(lab.get(path, **IT), 404)


@pytest.mark.parametrize("bad, field", [
    ({"name": None}, "name"), ({"workspaceId": "No"}, "workspaceId"), ({"x": 1}, "x"),
    ({"managerUsers": []}, "managerUsers"), ({"managerUsers": None}, "managerUsers"),
    ({"managerUsers": "ada"}, "managerUsers"), ({"managerUsers": [1]}, "managerUsers"),
    ({"managerUsers": ["a"] * 51}, "managerUsers"), ({"managerGroups": ["*"]}, "managerGroups"),
    ({"visibleTo": [""]}, "visibleTo"), ({"visibleTo": [1]}, "visibleTo"),
    ({"suggestions": ["x" * 501]}, "suggestions"), ({"suggestions": 1}, "suggestions"),
    ({"llmServiceId": "nowhere"}, "llmServiceId"), ({"toolIds": ["no_such"]}, "toolIds"),
    ({"defaultAgentId": "No"}, "defaultAgentId"), ({"prompt": "x" * 20001}, "prompt"),
    ({"maxToolIterations": "x"}, "maxToolIterations"), ({"holder": 1}, "holder")])
def test_what_a_workspace_must_be(lab, bad, field, who):
    if bad.get("managerUsers", 1) is not None:
        refused(lab.post("/workspaces", {"name": "W", **bad}, **IT), 422, field)
    one = make_workspace(lab, workspaceId=who)
    path = f"/workspaces/{who}"
    refused(lab.call("PATCH", path, bad, **IT), 422, field)
    assert lab.get(path, **IT).json == one
    lab.call("DELETE", path, **IT)


def test_many_are_listed_with_as_many_statements_as_one(lab, who):
    """Each of them with its own default agent."""
    mine = {"user": who, "groups": ["it"]}

    def listed():
        return {w["workspaceId"]: w["defaultAgentId"] for w in lab.get(
            "/workspaces?pageSize=100", **mine).json["items"]}

    def statements():
        return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])

    def taken():
        before = statements()
        listed()
        return statements() - before

    def wanted(n):
        made = make_workspace(lab, mine, name=f"{who} {n}")["workspaceId"]
        agent = make(lab, made, who, ["it"], visibility="workspace")["agentId"]
        assert lab.call("PATCH", f"/workspaces/{made}", {"defaultAgentId": agent},
                        **mine).status == 200
        return made, agent
    first = dict([wanted(0)])
    assert first.items() <= listed().items()
    # jobs of earlier tests may ask beside some of them
    alone = min(taken() for _ in range(5))
    all_of_them = {**first, **dict(wanted(n) for n in range(1, 13))}
    assert all_of_them.items() <= listed().items()
    wait_until("as few statements", lambda: taken() <= alone)


def test_turns_use_what_is_stored(lab, who):
    made = make_workspace(lab, workspaceId=who, prompt="House rule: " + who,
                          visibleTo=["*"])
    assert made["chatEnabled"]
    events = lab.chat("Hello", workspace=who, user="ada")
    assert events[-1].name == "done", events
    system = str(lab.sent())
    assert "House rule: " + who in system and "You are Bobby" in system
    # The user's own agent in it, which a change reaches at the next turn.
    mine = make(lab, who, systemPrompt="First " + who, visibility="private")
    lab.chat("Hello", workspace=who, user="ada", agentId=mine["agentId"])
    assert "First " + who in str(lab.sent())
    lab.call("PATCH", at(mine), {"systemPrompt": "Second " + who}, user="ada")
    talk = lab.chat("Hello", workspace=who, user="ada", agentId=mine["agentId"])
    assert "Second " + who in str(lab.sent())
    # The conversation continues with its agent if none is named.
    conversation = talk[0].data["conversationId"]
    assert lab.get(f"/conversations/{conversation}", user="ada"
                   ).json["agentId"] == mine["agentId"]
    lab.chat("More", workspace=who, user="ada", conversationId=conversation)
    assert "Second " + who in str(lab.sent())


def stored(lab, table, where):
    return int(lab.sql(f"SELECT COUNT(*) FROM {table} WHERE {where}")[0][0])


def test_what_goes_with_an_agent(lab, who):
    one, other = (make(lab, user=who, agentId=name + who) for name in "ab")
    talks = [lab.post("/conversations", {"workspaceId": "lab", "agentId": a["agentId"]},
                      user=who).json["conversationId"] for a in (one, other, one)]
    assert lab.call("DELETE", at(one), user=who).status == 204
    wait_until("its conversations are gone", lambda: [
        lab.get(f"/conversations/{c}", user=who).status for c in talks] == [404, 200, 404])
    assert lab.get(at(other), user=who).status == 200
    refused(lab.post("/conversations", {"workspaceId": "lab", "agentId": one["agentId"]},
                     user=who), 404)


def test_what_goes_with_a_workspace(lab, who):
    make_workspace(lab, workspaceId=who, visibleTo=["*"])
    make(lab, who, "ada", agentId="mine")
    talk = lab.post("/conversations", {"workspaceId": who, "agentId": "mine"},
                    user="ada").json["conversationId"]
    key = lab.sql(f"SELECT HEX(id) FROM workspace WHERE workspace_id = '{who}'")[0][0]
    below = (("agent", f"parent_id = UNHEX('{key}')"), ("workspace", f"id = UNHEX('{key}')"),
             ("workspace_reader", f"row_id = UNHEX('{key}')"))
    assert [stored(lab, *b) for b in below] == [3, 1, 3]
    assert lab.call("DELETE", f"/workspaces/{who}", **IT).status == 204
    assert [stored(lab, *b) for b in below] == [0, 0, 0]
    wait_until("its conversations are gone", lambda: lab.get(
        f"/conversations/{talk}", user="ada").status == 404)
    # Another of the same name has none of it.
    make_workspace(lab, workspaceId=who, visibleTo=["*"])
    assert ids(lab, f"/workspaces/{who}/agents", "agentId", user="ada") == ["bobby", "maven"]


def test_a_conversation_whose_agent_is_gone_says_so(lab, who):
    make_workspace(lab, workspaceId=who, visibleTo=["staff"])
    staff = {"user": "s", "groups": ["staff"]}
    first = lab.stream(f"/chat/{who}/stream", {"content": "Hello", "agentId": "maven"},
                       **staff).events()
    assert first[-1].name == "done"
    talk = first[-1].data["conversationId"]
    lab.call("PATCH", f"/workspaces/{who}", {"visibleTo": None}, **IT)
    for path, body in ((f"/conversations/{talk}/regenerate", {}),
                       (f"/chat/{who}/stream", {"content": "x", "conversationId": talk})):
        detail = refused(lab.post(path, body, **staff), 404)
        assert "maven" in detail and "new conversation" in detail
    assert len(lab.get(f"/conversations/{talk}/messages", **staff).json["items"]) == 2
    # Its default agent may go: a built-in one takes its place.
    make(lab, who, **IT, agentId="extra")
    for agent in ("bobby", "maven", "extra"):
        assert lab.call("DELETE", f"/workspaces/{who}/agents/{agent}", **IT).status == 204
    left = lab.get(f"/workspaces/{who}/agents", **IT).json["items"]
    assert [(a["agentId"], a["source"], a["isDefault"]) for a in left] == [
        ("default", "api", True)]
    stream = lab.stream(f"/chat/{who}/stream", {"content": "Hello"}, **IT)
    assert stream.events()[-1].name == "done"


def test_two_nodes(lab, who):
    """What is changed on one node is used by the next turn on the other."""
    mine = make(lab, user=who, systemPrompt="One " + who)
    with Twin(lab, config={"agent_templates_dir": "agent-templates.d"}) as other:
        lab.chat("Hello", user=who, agentId=mine["agentId"])
        for text in ("Two ", "Three "):
            changed = lab.call("PATCH", at(mine), {"systemPrompt": text + who}, user=who)
            assert changed.status == 200
            lab.sent()
            other.chat("Hello", user=who, agentId=mine["agentId"])
            assert text + who in str(lab.sent())
        lab.call("DELETE", at(mine), user=who)
        refused(other.post("/chat/lab/stream", {"content": "x", "agentId": mine["agentId"]},
                           user=who), 404)


def test_every_way_to_an_agent(lab, who):
    """The plain pages, OpenAI's list and turns, and the commands have stored ones, too."""
    make_workspace(lab, workspaceId=who, name="Space " + who, visibleTo=["*"])
    mine = make(lab, who, who, name="Own " + who, systemPrompt="Only " + who,
                visibility="private")
    model = f"{who}/{mine['agentId']}"
    for user, there in ((who, True), ("eve", False)):
        models = [m["id"] for m in lab.get(f"/{lab.base}/openai/v1/models", user=user
                                           ).json["data"]]
        assert {who, f"{who}/bobby", f"{who}/maven"} <= set(models)
        assert (model in models) is there
        page = lab.get(f"/{lab.base}/plain/new", user=user).body.decode()
        assert "Space " + who in page and ("Own " + who in page) is there
    lab.sent()
    answer = lab.post(f"/{lab.base}/openai/v1/chat/completions", {
        "model": model, "messages": [{"role": "user", "content": "Hello"}]}, user=who)
    assert answer.status == 200 and "Only " + who in str(lab.sent())
    seen = lab.command("preview", "--user", who, "--workspace", who, "--agent",
                       mine["agentId"], "Hello").stdout
    assert "Only " + who in seen
    assert lab.command("preview", "--user", "eve", "--workspace", who, "--agent",
                       mine["agentId"], "Hello", check=False).returncode == 1


def test_a_repeated_key_is_the_same_workspace(lab, who):
    key = {"Idempotency-Key": who}
    body = {"name": "K " + who, "suggestions": ["Hi?"]}
    made = [lab.post("/workspaces", body, headers=key, **IT) for _ in range(2)]
    assert [m.status for m in made] == [201, 201] and made[0].json == made[1].json
    assert made[0].json["workspaceId"].startswith("k-" + who)
    refused(lab.post("/workspaces", {**body, "name": "x"}, headers=key, **IT), 422,
            "Idempotency-Key")
    bots = lab.get(made[0].headers["Location"].join(["/", "/agents"]), **IT).json["items"]
    assert [b["agentId"] for b in bots] == ["bobby", "maven"]


# -- the command ----------------------------------------------------------------


def test_out_and_in_again(lab, who, tmp_path):
    """lamplighter agent and workspace: what is exported is the same when it is imported."""
    tricky = "First line\n  indented: \"x\" # no comment\n\n- last\n"
    make_workspace(lab, workspaceId=who, name="Ü: #1", prompt=tricky, visibleTo=["*", "a b"],
                   toolIds=["query_data"])
    make(lab, who, **IT, agentId="yes", name="no", systemPrompt=tricky.strip(), ragMinScore=1,
         maxToolIterations=7, ragEnabled=False, description="a\x85b\u2028c\nd")
    before = {kind: lab.command(kind, "export", "--workspace", who).stdout
              for kind in ("workspace", "agent")}
    assert tricky.splitlines()[1].strip() in before["agent"]
    shown = lab.command("agent", "show", f"{who}/yes").stdout
    assert shown.startswith("agents:\n  - workspaceId: ") and shown.count("workspaceId") == 1
    assert f"{who}/maven\tMaven" in lab.command("agent", "list").stdout.splitlines()
    assert f"{who}\tÜ: #1" in lab.command("workspace", "list").stdout.splitlines()
    for kind, text in before.items():
        same = lab.command(kind, "import", "-", stdin=text).stdout.splitlines()
        assert same and all(line.endswith("\tunchanged") for line in same), same
    # Elsewhere, or after they are gone, they are made again.
    was = lab.get(f"/workspaces/{who}/agents", **IT).json["items"]
    assert lab.call("DELETE", f"/workspaces/{who}", **IT).status == 204
    for kind, text in before.items():
        lab.command(kind, "import", "-", stdin=text)
        assert lab.command(kind, "export", "--workspace", who).stdout == text
    now = lab.get(f"/workspaces/{who}/agents", **IT).json["items"]
    # The command is the installation's: it has not the author of what it replaces.
    assert [a["promptAuthor"] for a in was if a["agentId"] == "yes"] == ["root"]
    assert [a["promptTrusted"] for a in now] == [True] * len(now)
    assert [{**a, "createdAt": 0, "updatedAt": 0} for a in now] == [
        {**a, "createdAt": 0, "updatedAt": 0, "promptAuthor": None} for a in was]
    # What it does not say is not set; the version moves with a change alone.
    changed = lab.command("agent", "import", "-", stdin=(
        f"agents:\n  - workspaceId: {who}\n    agentId: yes\n    name: Only this\n")).stdout
    assert changed == f"{who}/yes\tchanged\n"
    one = lab.get(f"/workspaces/{who}/agents/yes", **IT).json
    assert (one["name"], one["systemPrompt"], one["maxToolIterations"]) == (
        "Only this", None, None)


def test_private_ones_are_exported_by_name_only(lab, who):
    mine = make(lab, user=who, agentId=who, systemPrompt="Secret " + who)
    assert who not in lab.command("agent", "export").stdout
    text = lab.command("agent", "export", "--user", who).stdout
    assert "visibility: \"private\"" in text and "Secret " + who in text
    lab.call("DELETE", at(mine), user=who)
    answer = lab.command("agent", "import", "-", stdin=text, check=False)
    assert answer.returncode == 1 and "--user" in answer.stderr
    lab.command("agent", "import", "-", "--user", who, stdin=text)
    assert lab.get(at(mine), user=who).json["systemPrompt"] == "Secret " + who
    assert lab.get(at(mine), user="eve").status == 404


@pytest.mark.parametrize("text, place, words", [
    ("agents:\n  - workspaceId: lab\n    agentId: q\n    nmae: x\n", "4:5", "name"),
    ("agents:\n  - workspaceId: lab\n    agentId: q\n", "2:5", "name"),
    ("agents:\n  - workspaceId: lab\n    name: q\n", "2:5", "agentId"),
    ("agents:\n  - workspaceId: nowhere\n    agentId: q\n    name: q\n", "2:5", "nowhere"),
    ("agents:\n  - workspaceId: lab\n    agentId: helper\n    name: q\n", "3:5", "agentId"),
    ("agents:\n  - workspaceId: lab\n    agentId: q\n    name: q\n    toolIds: [nix]\n",
     "5:5", "nix"),
    ("agents:\n  - workspaceId: lab\n    agentId: q\n    name: q\n"
     "  - workspaceId: lab\n    agentId: r\n    name: q\n    maxToolIterations: x\n",
     "8:5", "maxToolIterations"),
    ("agents: x\n", "1:9", "agents"), ("workspaces: []\n", "1:1", "agents"),
    ("agents:\n  - x\n", "2:5", "list of maps"), ("", "", "empty"),
    ("agents: [\n", "2:1", "")])
def test_a_bad_file_says_where(lab, tmp_path, text, place, words):
    file = tmp_path / "agents.yaml"
    file.write_text(text)
    answer = lab.command("agent", "import", str(file), check=False)
    assert answer.returncode == 1
    assert f"{file}:{place}" in answer.stderr and words in answer.stderr, answer.stderr
    # Nothing is stored by half.
    assert "lab/q" not in lab.command("agent", "list").stdout
