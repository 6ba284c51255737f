# SPDX-License-Identifier: MIT
"""LLM services that the managers of a workspace make for it (B4, B50)."""

import uuid

import pytest

from any_provider import provider  # noqa: F401: a fixture
from lab import Lab, wait_until
from labs import KEYS, WORKSPACES

USER = ["AIChat.*", "AI.Chat.UseTool.*"]
ROLES = {"user": {"groups": ["*"], "permissions": USER},
         "keepers": {"groups": ["keepers"], "permissions": ["AI.Workspaces.Write"]},
         "readers": {"groups": ["readers"], "permissions": ["AI.Services.Read"]},
         "makers": {"groups": ["makers"], "permissions": ["AI.*", "AI.Tokens.*"]},
         "admin": {"groups": ["it"], "permissions": ["*"]}}
IT = {"user": "root", "groups": ["it"]}
# managers of a workspace each, and a member of both
ADA = {"user": "ada", "groups": ["keepers", "team"]}
BOB = {"user": "bob", "groups": ["keepers", "team"]}
EVE = {"user": "eve", "groups": ["team", "readers"]}


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces=WORKSPACES, config={"roles": ROLES, **KEYS}) as made:
        yield made


def slug():
    return "w" + uuid.uuid4().hex[:12]


def space(lab, who, visible=("team",)):
    made = lab.post("/workspaces", {"name": "W", "workspaceId": slug(),
                                    "visibleTo": list(visible)}, **who)
    assert made.status == 201, made
    return f"/workspaces/{made.json['workspaceId']}"


@pytest.fixture
def ours(lab):
    return space(lab, ADA)


@pytest.fixture
def theirs(lab):
    return space(lab, BOB)


def service(at, **more):
    return {"name": "Ours", "provider": "openai_compatible", "model": "small",
            "url": at.url, "apiKey": "sk-of-the-workspace", **more}


def make(lab, at, provider, who=ADA, **more):
    row = lab.post(f"{at}/services", service(provider, **more), **who)
    assert row.status == 201, row
    return row.json


def agent(lab, at, who=ADA, status=201, **more):
    answer = lab.post(f"{at}/agents", {"name": "A", **more}, **who)
    assert answer.status == status, answer
    return answer.json


def ids(answer):
    assert answer.status == 200, answer
    return {one["llmServiceId"] for one in answer.json["items"]}


# -- who manages it ---------------------------------------------------------------

def test_a_manager_makes_lists_changes_and_deletes_one(lab, ours, provider):
    row = make(lab, ours, provider, capabilities=["chat", "tools"])
    at = f"{ours}/services/{row['id']}"
    assert row["llmServiceId"] == row["id"] and row["apiKeySet"] and row["usable"]
    assert "sk-of-the-workspace" not in str(row) and "apiKey" not in row
    assert lab.get(at, **ADA).json == row
    assert lab.get(f"{ours}/services", **ADA).json["items"] == [row]
    changed = lab.call("PATCH", at, {"model": "large", "temperature": 0.5}, **ADA)
    assert (changed.status, changed.json["model"]) == (200, "large")
    assert lab.call("PATCH", at, {"temperature": 3}, **ADA).json["field"] == "temperature"
    assert lab.call("DELETE", at, **ADA).status == 204
    assert lab.get(at, **ADA).status == 404
    assert lab.get(f"{ours}/services", **ADA).json["items"] == []


def test_it_answers_for_the_workspace_and_its_agents(lab, ours, provider):
    id = make(lab, ours, provider)["llmServiceId"]
    assert lab.call("PATCH", ours, {"llmServiceId": id}, **ADA).status == 200
    for path in (ours.replace("/workspaces", "/chat") + "/complete",):
        answer = lab.post(path, {"input": "Hello"}, **EVE)
        assert answer.status == 200, answer
    assert provider.keys[-1] == "sk-of-the-workspace"
    wait_until("its usage", lambda: lab.sql(
        "SELECT DISTINCT payer FROM usage_record WHERE workspace_id = "
        f"'{ours.rsplit('/', 1)[1]}'") == [["4"]])
    lab.call("PATCH", ours, {"llmServiceId": None}, **ADA)
    one = agent(lab, ours, llmServiceId=id)["agentId"]
    before = len(provider.keys)
    turn = lab.post(f"{ours}/agents/{one}/conversations", {}, **EVE)
    answer = lab.post(f"{ours}/agents/{one}/conversations/{turn.json['conversationId']}"
                      "/messages", {"content": "Hello"}, **EVE)
    assert answer.status < 300, answer
    assert len(provider.keys) > before


def test_the_command_lists_and_tries_it(lab, ours, theirs, provider):
    id = make(lab, ours, provider)["llmServiceId"]
    workspace = ours.rsplit("/", 1)[1]
    other = theirs.rsplit("/", 1)[1]
    line = f"{workspace}/{id}\topenai_compatible\tsmall\tapi\n"
    assert line in lab.command("services", "list").stdout
    before = len(provider.keys)
    assert lab.command("services", "test", f"{workspace}/{id}").returncode == 0
    assert set(provider.keys[before:]) == {"sk-of-the-workspace"}
    assert lab.command("services", "models", f"{workspace}/{id}").returncode == 0
    before = len(provider.keys)
    for wrong in (id, f"{other}/{id}", f"{workspace}/x", "/", f"none/{id}"):
        tried = lab.command("services", "test", wrong, check=False)
        assert tried.returncode == 1 and "there is no LLM service" in tried.stderr, wrong
    assert len(provider.keys) == before


def test_without_a_key_none_is_sent(lab, ours, provider):
    """Not that of the installation, to an address of somebody else's choice."""
    id = make(lab, ours, provider, apiKey=None)["llmServiceId"]
    lab.call("PATCH", ours, {"llmServiceId": id}, **ADA)
    before = len(provider.keys)
    answer = lab.post(ours.replace("/workspaces", "/chat") + "/complete", {"input": "Hello"},
                      **EVE)
    assert answer.status == 200, answer
    assert set(provider.keys[before:]) == {""}, provider.keys[before:]


def test_titles_and_the_rest_after_a_turn_by_another_process(lab, ours, provider):
    """What is done after a turn finds the service by the workspace of its job."""
    id = make(lab, ours, provider)["llmServiceId"]
    lab.call("PATCH", ours, {"llmServiceId": id}, **ADA)
    answer = lab.post(ours.replace("/workspaces", "/chat") + "/stream",
                      {"content": "A first question"}, **EVE)
    assert answer.status == 200, answer
    wait_until("its title", lambda: lab.sql(
        "SELECT kind FROM usage_record WHERE payer = 4 AND workspace_id = "
        f"'{ours.rsplit('/', 1)[1]}' ORDER BY kind") == [["1"], ["3"]])


def test_lists_and_choices_are_those_of_the_workspace(lab, ours, theirs, provider):
    chats = make(lab, ours, provider)["llmServiceId"]
    ranks = make(lab, ours, provider, capabilities=["rerank"])["llmServiceId"]
    assert ids(lab.get(f"{ours}/llm-services", **ADA)) == {chats, ranks}
    assert ids(lab.get(f"{ours}/llm-services?can=rerank", **ADA)) == {ranks}
    assert {chats, ranks, "demo"} <= ids(lab.get(f"{ours}/llm-services", **EVE))
    assert not {chats, ranks} & ids(lab.get(f"{theirs}/llm-services", **EVE))
    assert ids(lab.get("/workspaces/lab/llm-services", **IT)).isdisjoint({chats, ranks})
    names = {one["name"] for one in lab.get(f"{ours}/llm-services", **ADA).json["items"]}
    assert names == {"Ours"}
    for who, status in ((ADA, 200), (EVE, 200), (BOB, 403)):
        assert lab.get(f"{ours}/llm-services/{chats}", **who).status == status
    assert lab.get(f"{theirs}/llm-services/{chats}", **IT).status == 404
    # without AI.Services.Read, only the workspace's own
    assert lab.get(f"{ours}/llm-services/demo", **ADA).status == 404
    # the tenant's list and the settings are not a workspace's
    listed = lab.get("/llm-services?pageSize=100", **IT).json["items"]
    assert not {chats, ranks} & {one["llmServiceId"] for one in listed}
    settings = {s["key"]: s for s in lab.get("/settings?level=tenant", **IT).json["items"]}
    assert chats not in {c["value"] for c in settings["llm_services"]["choices"]}


# -- who does not ----------------------------------------------------------------------

def test_others_cannot(lab, ours, theirs, provider):
    row = make(lab, ours, provider)
    at = f"{ours}/services/{row['id']}"
    hidden = space(lab, ADA, visible=())
    secret = make(lab, hidden, provider)
    for who in (BOB, EVE):
        for method, path, body in (
                ("GET", f"{ours}/services", None), ("GET", at, None),
                ("POST", f"{ours}/services", service(provider)),
                ("PATCH", at, {"name": "Mine"}), ("DELETE", at, None),
                ("GET", f"{at}/models", None), ("POST", f"{at}/test", {}),
                ("POST", f"{ours}/services/test", service(provider))):
            answer = lab.call(method, path, body, **who)
            assert answer.status == 403, (who, method, path, answer)
        assert lab.get(f"{hidden}/services/{secret['id']}", **who).status in (403, 404)
    assert lab.get(f"{hidden}/services", **BOB).status == 404
    # an id of another workspace below one's own
    for method, body in (("GET", None), ("PATCH", {"name": "Mine"}), ("DELETE", None)):
        answer = lab.call(method, f"{theirs}/services/{row['id']}", body, **BOB)
        assert answer.status == 404, (method, answer)
    assert lab.get(at, **ADA).json == row


def test_it_stays_in_its_workspace(lab, ours, theirs, provider):
    row = make(lab, ours, provider)
    at = f"{ours}/services/{row['id']}"
    for body in ({"workspaceId": theirs}, {"parentId": "x"}, {"llmServiceId": "demo"},
                 {"tenantId": "x"}, {"quirks": {}}, {"fallbacks": ["demo"]},
                 {"totalTimeoutMs": 86400000}):
        answer = lab.call("PATCH", at, body, **ADA)
        assert answer.status == 422, (body, answer)
        answer = lab.post(f"{ours}/services", service(provider, **body), **ADA)
        assert answer.status == 422, (body, answer)
    assert lab.get(at, **ADA).json == row


def test_no_other_workspace_binds_it(lab, ours, theirs, provider):
    id = make(lab, ours, provider)["llmServiceId"]
    ranks = make(lab, ours, provider, capabilities=["rerank"])["llmServiceId"]
    for who in (BOB, IT):
        for method, path, body, field in (
                ("PATCH", theirs, {"llmServiceId": id}, "llmServiceId"),
                ("POST", "/workspaces", {"name": "X", "llmServiceId": id}, "llmServiceId"),
                ("POST", f"{theirs}/agents", {"name": "A", "llmServiceId": id},
                 "llmServiceId"),
                ("POST", f"{theirs}/agents", {"name": "A", "rerankingServiceId": ranks},
                 "rerankingServiceId")):
            answer = lab.call(method, path, body, **who)
            assert (answer.status, answer.json.get("field")) == (422, field), (path, answer)
            assert "There is no LLM service" in answer.json["detail"]
    one = agent(lab, theirs, BOB)["agentId"]
    assert lab.call("PATCH", f"{theirs}/agents/{one}", {"llmServiceId": id},
                    **BOB).status == 422
    for path, body, field in (
            ("/settings?level=tenant", {"llm_service": id}, "llm_service"),
            ("/settings?level=tenant", {"llm_services": [id]}, "llm_services")):
        answer = lab.call("PATCH", path, body, **IT)
        assert (answer.status, answer.json.get("field")) == (422, field), answer
    assert lab.call("PATCH", "/settings", {"llm_service": id}, **ADA).status == 422
    assert lab.post("/llm-services", {
        "name": "S", "provider": "ollama", "model": "m", "url": "http://127.0.0.1:9",
        "fallbacks": [id]}, **IT).json["field"] == "fallbacks"
    # what another way has bound is not used either
    lab.sql(f"UPDATE workspace SET llm_service_id = '{id}' WHERE workspace_id = "
            f"'{theirs.rsplit('/', 1)[1]}'")
    before = len(provider.keys)
    answer = lab.post(theirs.replace("/workspaces", "/chat") + "/complete",
                      {"input": "x"}, **BOB)
    assert answer.json["code"] == "chat_disabled" and len(provider.keys) == before


def test_a_member_binds_it_who_may_know_of_it(lab, ours, provider):
    """A private agent is an agent of the workspace; its maker sees the list, or not."""
    id = make(lab, ours, provider)["llmServiceId"]
    private = {"visibility": "private", "llmServiceId": id}
    agent(lab, ours, EVE, **private)
    answer = agent(lab, ours, {"user": "sue", "groups": ["team"]}, 422, **private)
    assert answer["field"] == "llmServiceId"


# -- its address and its key --------------------------------------------------------

@pytest.mark.parametrize("url", [
    "http://10.1.2.3/v1", "https://10.1.2.3", "https://192.168.0.1",
    "https://169.254.169.254", "https://0x7f000002", "https://[::1]", "ftp://x"])
def test_private_addresses_are_refused(lab, ours, provider, url):
    """As for keys of users: byok.allow_private, not that of administrators."""
    for answer in (lab.post(f"{ours}/services", service(provider, url=url), **ADA),
                   lab.post(f"{ours}/services/test", service(provider, url=url), **ADA),
                   lab.post(f"{ours}/services", service(provider, url=url), **IT)):
        assert (answer.status, answer.json.get("field")) == (422, "url"), answer


def test_addresses_of_administrators_are_not_for_managers(provider):
    config = {"roles": ROLES, **KEYS, "byok": {"mode": "off"}}
    with Lab(workspaces=WORKSPACES, config=config) as lab:
        at = space(lab, ADA)
        assert lab.post("/llm-services", service(provider), **IT).status == 201
        answer = lab.post(f"{at}/services", service(provider), **ADA)
        assert (answer.status, answer.json["field"]) == (422, "url"), answer
        # and one that was stored when it was allowed is not called
        row = lab.post(f"{at}/services", service(provider, url="https://example.com"),
                       **ADA).json
        lab.sql("UPDATE workspace_service SET url = "
                f"'{provider.url}' WHERE service_id = '{row['id']}'")
        before = len(provider.keys)
        tried = lab.post(f"{at}/services/{row['id']}/test", {}, **ADA)
        assert not tried.json["works"] and len(provider.keys) == before


def test_a_key_goes_only_where_it_was_entered_for(lab, ours, provider):
    row = make(lab, ours, provider)
    at = f"{ours}/services/{row['id']}"
    moved = lab.call("PATCH", at, {"url": "https://example.com"}, **ADA)
    assert (moved.status, moved.json["field"]) == (422, "apiKey")
    moved = lab.call("PATCH", at, {"url": "https://example.com", "apiKey": "sk-new"}, **ADA)
    assert moved.status == 200, moved


def test_the_key_is_sealed(lab, ours, provider):
    row = make(lab, ours, provider)
    assert lab.sql("SELECT COUNT(*) FROM workspace_service WHERE api_key LIKE "
                   "'%of-the-workspace%'") == [["0"]]
    # of another row or table, it does not open
    other = make(lab, ours, provider)
    lab.sql("UPDATE workspace_service a JOIN workspace_service b SET a.api_key = b.api_key "
            f"WHERE a.service_id = '{row['id']}' AND b.service_id = '{other['id']}'")
    answer = lab.post(f"{ours}/services/{row['id']}/test", {}, **ADA)
    assert answer.json["code"] == "secrets_unavailable", answer
    assert lab.post(f"{ours}/services/{other['id']}/test", {}, **ADA).json["works"]
    assert lab.command("secret", "rotate", check=False).returncode in (0, 1)


def test_it_is_tried_before_it_is_stored(lab, ours, provider):
    assert lab.post(f"{ours}/services/test", service(provider), **ADA).json["works"]
    assert lab.get(f"{ours}/services", **ADA).json["items"] == []


def test_a_token_needs_the_permission_by_name(lab, ours, provider):
    lab.call("PATCH", ours, {"managerGroups": ["makers"], "managerUsers": ["ada"]}, **IT)
    made = lab.post("/tokens", {"name": "t"}, user="mia", groups=["makers", "team"])
    bearer = {"Authorization": f"Bearer {made.json['secret']}"}
    answer = lab.call("POST", f"{ours}/services", service(provider), headers=bearer)
    assert answer.status == 403 and "by name" in answer.json["detail"], answer


# -- with what it belongs to -----------------------------------------------------------

def test_a_used_one_stays(lab, ours, provider):
    """B50."""
    row = make(lab, ours, provider, capabilities=["chat", "tools", "rerank"])
    at = f"{ours}/services/{row['id']}"
    one = agent(lab, ours, llmServiceId=row["id"], rerankingServiceId=row["id"])["agentId"]
    assert lab.call("DELETE", at, **ADA).status == 409
    lost = lab.call("PATCH", at, {"capabilities": ["chat"]}, **ADA)
    assert (lost.status, lost.json["field"]) == (409, "capabilities")
    lab.call("PATCH", f"{ours}/agents/{one}", {"rerankingServiceId": None}, **ADA)
    lab.call("PATCH", f"{ours}/agents/{one}", {"llmServiceId": None}, **ADA)
    lab.call("PATCH", ours, {"llmServiceId": row["id"]}, **ADA)
    assert lab.call("DELETE", at, **ADA).status == 409
    lab.call("PATCH", ours, {"llmServiceId": None}, **ADA)
    assert lab.call("DELETE", at, **ADA).status == 204


def test_a_base_of_the_workspace(lab, ours, theirs, provider):
    id = make(lab, ours, provider, capabilities=["embed"])["llmServiceId"]
    body = {"name": "B", "embeddingServiceId": id}
    name = ours.rsplit("/", 1)[1]
    for workspace in (None, theirs.rsplit("/", 1)[1]):
        refused = lab.post("/knowledge-bases", {**body, **(
            {"workspaceId": workspace} if workspace else {})}, **BOB)
        assert (refused.status, refused.json["field"]) == (422, "embeddingServiceId")
    base = lab.post("/knowledge-bases", {**body, "workspaceId": name}, **ADA)
    assert base.status == 201, base
    at = f"{ours}/services/{id}"
    assert lab.call("DELETE", at, **ADA).status == 409
    assert lab.call("DELETE", f"/knowledge-bases/{base.json['id']}", **ADA).status == 204
    assert lab.call("DELETE", at, **ADA).status == 204


def test_it_goes_with_the_workspace(lab, ours, provider):
    id = make(lab, ours, provider)["llmServiceId"]
    lab.call("PATCH", ours, {"llmServiceId": id}, **ADA)
    assert lab.call("DELETE", ours, **ADA).status == 204
    wait_until("its services are gone", lambda: lab.sql(
        f"SELECT COUNT(*) FROM workspace_service WHERE service_id = '{id}'") == [["0"]])


def test_it_goes_with_the_erased_user(lab, provider):
    who = {"user": "leaver", "groups": ["keepers"]}
    own = space(lab, who, visible=())
    id = make(lab, own, provider, who)["llmServiceId"]
    lab.command("erase", "--user", "leaver", "--yes")
    wait_until("its services are gone", lambda: lab.sql(
        f"SELECT COUNT(*) FROM workspace_service WHERE service_id = '{id}'") == [["0"]])


def test_of_files_there_are_none(lab, provider):
    answer = lab.post("/workspaces/lab/services", service(provider), **IT)
    assert (answer.status, answer.json["code"]) == (409, "managed_by_config")


def test_no_more_than_the_maximum(lab, ours, provider):
    for _ in range(20):
        make(lab, ours, provider)
    answer = lab.post(f"{ours}/services", service(provider), **ADA)
    assert answer.status == 409 and "already 20" in answer.json["detail"]
