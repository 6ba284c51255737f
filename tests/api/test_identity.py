# SPDX-License-Identifier: MIT
"""Who calls, and what that allows (DESIGN 10, A49, A50)."""

import http.client
import json

import pytest

from lab import wait_until


def anonymous_off():
    return {"identity": {"chain": [
        {"kind": "api_token"},
        {"kind": "trusted_header", "user_header": "X-Test-User",
         "groups_header": "X-Test-Groups", "from": ["127.0.0.1"],
         "secret_header": "X-Test-Secret", "secret": "lab-secret-of-the-proxy"}]}}


@pytest.fixture(scope="module")
def closed(request):
    from conftest import WORKSPACES
    from lab import Lab
    with Lab(workspaces=WORKSPACES, config=anonymous_off()) as lab:
        yield lab


def test_me(lab):
    me = lab.get("/me", user="ada", groups=["finance", "it"]).json
    assert me["user"] == "ada" and me["tenantId"] == "default"
    assert set(me["groups"]) == {"finance", "it"}
    assert "user" in me["roles"]
    assert me["defaultWorkspaceId"] == "lab"
    assert me["identityKind"] == "trusted_header"
    assert me["notifications"] == "stream"


def test_managers_whose_logins_differ_in_case(make_lab):
    """However they were typed: who made a workspace goes on managing it."""
    lab = make_lab(config={
        "identity": {"login_case": "lower", **anonymous_off()["identity"]},
        "roles": {"user": {"groups": ["*"], "permissions": [
            "AIChat.*", "AI.Workspaces.Write"]}}})
    made = lab.post("/workspaces", {"name": "W", "workspaceId": "w",
                                    "managerUsers": ["JÖRG", "Mia"]}, user="MIA")
    assert made.status == 201 and made.json["managerUsers"] == ["jörg", "mia"], made
    assert lab.call("PATCH", "/workspaces/w", {"name": "X"}, user="mia").status == 200
    changed = lab.call("PATCH", "/workspaces/w", {"managerUsers": ["BOB", "mia"]}, user="Mia")
    assert changed.json["managerUsers"] == ["bob", "mia"]
    assert lab.call("PATCH", "/workspaces/w", {"name": "Y"}, user="Bob").status == 200


def test_people_whose_logins_differ_in_case(make_lab):
    """Members, owners and readers were looked for as they had been typed."""
    lab = make_lab(config={
        "identity": {"login_case": "lower", **anonymous_off()["identity"]},
        "groups": {"crew": ["ALICE"]},
        "roles": {"user": {"groups": ["*"], "permissions": [
            "AIChat.*", "AI.Projects.*", "AI.Tokens.Write"]}}})
    assert lab.get("/me", user="alice").json["groups"] == ["crew"]
    assert lab.get("/me", user="BOB").json["user"] == "bob"
    wait_until("both are known", lambda: lab.sql(
        "SELECT COUNT(*) FROM user WHERE login IN ('alice', 'bob')") == [["2"]])
    project = lab.post("/projects", {"name": "P"}, user="Bob").json["id"]
    member = lab.post(f"/projects/{project}/members", {"user": "Alice", "role": "editor"},
                      user="BOB")
    assert (member.status, member.json["user"]) == (201, "alice"), member
    tasks = f"/projects/{project}/tasks"
    task = lab.post(tasks, {"title": "T", "owner": "ALICE"}, user="alicE")
    assert (task.status, task.json["owner"]) == (201, "alice"), task
    task = lab.call("PATCH", f"{tasks}/{task.json['id']}", {"owner": "BOB"}, user="alice",
                    headers={"If-Match": "*"})
    assert task.json["owner"] == "bob", task
    said = lab.chat({"text": "Hi."}, user="BOB")[-1].data["conversationId"]
    share = {"conversationId": said, "user": "ALICE"}
    assert lab.post("/conversation-shares", share, user="bob").json["user"] == "alice"
    assert len(lab.get("/shared-conversations", user="Alice").json["items"]) == 1
    mine = lab.post("/conversation-shares", {**share, "user": "Bob"}, user="bob")
    assert mine.status == 422 and mine.json["detail"] == "It is yours.", mine
    stored = [lab.command("stored", "--user", who).stdout for who in ("BOB", "bob")]
    assert stored[0] == stored[1] and stored[0].split("\t")[1] != "0"
    token = lab.post("/tokens", {"name": "t"}, user="ALICE").json["secret"]
    assert lab.get("/me", headers={"Authorization": f"Bearer {token}"}).json["user"] == "alice"


def test_anonymous_is_off_by_default(closed):
    answer = closed.get("/me")
    assert answer.status == 401 and answer.json["code"] == "unauthenticated"


def test_every_route_refuses_anonymous_use(closed):
    """Walks the route table; only these are open."""
    open_routes = {"/health": 200, "/ready": 200, "/plain": 303, "/frame": 200,
                   "/plain/links/{link}": 404}
    seen = 0
    for line in closed.command("list", "routes").stdout.splitlines():
        method, path = line.split()[:2]
        if not path.startswith("/"):
            continue
        path = path.removeprefix("/api/v1")
        real = "/" + closed.base + path if path.startswith(
            ("/openai/", "/plain")) else path
        for name, value in (("{conversation}", "0192f000-0000-7000-8000-000000000000"),
                            ("{share}", "0192f000-0000-7000-8000-000000000000"),
                            ("{turn}", "0192f000-0000-7000-8000-000000000000"),
                            ("{change}", "0192f000-0000-7000-8000-000000000000"),
                            ("{folder}", "0192f000-0000-7000-8000-000000000000"),
                            ("{plan}", "0192f000-0000-7000-8000-000000000000"),
                            ("{project}", "0192f000-0000-7000-8000-000000000000"),
                            ("{kind}", "tasks"),
                            ("{day}", "2027-03-02"),
                            ("{response}", "resp_0192f000000070008000000000000000"),
                            ("{id}", "0192f000-0000-7000-8000-000000000000"),
                            ("{parent}", "0192f000-0000-7000-8000-000000000000"),
                            ("{service}", "demo"),
                            ("{workspace}", "lab"), ("{agent}", "helper"), ("{chat}", "c"),
                            ("{link}", "A" * 64), ("{tool}", "t")):
            real = real.replace(name, value)
        assert "{" not in real, line
        answer = closed.call(method, real, {} if method in ("POST", "PATCH")
                             else None)
        assert answer.status == open_routes.get(path, 401), line
        seen += 1
    assert seen > 20


@pytest.mark.parametrize("headers", [
    {"X-Test-User": "ada"},
    {"X-Test-User": "ada", "X-Test-Secret": "wrong"},
    {"Remote-User": "ada"}, {"X-Remote-User": "ada"},
    {"Authorization": "Basic YWRhOng="},
])
def test_spoofed_headers_do_not_sign_in(closed, headers):
    assert closed.get("/me", headers=headers).status == 401


def test_wrong_token_never_falls_through_to_anonymous(lab):
    assert lab.get("/me").json["identityKind"] == "anonymous"
    answer = lab.get("/me", headers={"Authorization": "Bearer lamp_wrong"})
    assert answer.status == 401
    assert answer.json["detail"] == "The credential is not valid."


def token(lab, *argv):
    out = lab.command("token", "create", *argv).stdout
    return next(w for w in out.split() if w.startswith("lamp_"))


def test_token_signs_in_and_is_revoked(closed):
    secret = token(closed, "--user", "robot", "--group", "staff", "--name", "ci")
    headers = {"Authorization": f"Bearer {secret}", "Sec-Fetch-Site": "cross-site"}
    me = closed.get("/me", headers=headers).json
    assert me["user"] == "robot" and me["groups"] == ["staff"]
    # No cookie, no ambient authority: no same-origin proof needed.
    assert closed.post("/conversations", {"workspaceId": "lab"},
                       headers=headers).status == 201
    listed = closed.command("token", "list").stdout
    assert secret not in listed
    line = next(li for li in listed.splitlines() if "robot" in li)
    closed.command("token", "revoke", line.split()[0])
    # The responder remembers it for a second.
    wait_until("the revocation to be seen",
               lambda: closed.get("/me", headers=headers).status == 401)
    answer = closed.get("/me", headers=headers)
    assert answer.status == 401
    assert answer.json["detail"] == "The credential is not valid."
    assert closed.get("/me").json["detail"] == "Sign in first."
    assert secret not in "".join(map(str, closed.sql("SELECT * FROM api_token")))
    assert secret not in closed.log("responder")


@pytest.mark.parametrize("headers,status", [
    ({"Sec-Fetch-Site": "same-origin"}, 201),
    ({"Sec-Fetch-Site": "none"}, 201),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Sec-Fetch-Site": "", "Origin": "https://evil.example"}, 403),
    ({"Sec-Fetch-Site": "", "Origin": "null"}, 403),
])
def test_csrf(closed, headers, status):
    headers = {k: v for k, v in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", closed.port)
    headers = {k: v for k, v in headers.items() if v}
    connection.request("POST", f"{closed.base}/api/v1/conversations",
                       json.dumps({"workspaceId": "lab"}),
                       {"Content-Type": "application/json",
                        **closed.identity("ada"), **headers})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert response.status == status, body
    if status == 403:
        assert json.loads(body)["code"] == "csrf_failed"


def test_own_origin_is_proof_enough(closed):
    connection = http.client.HTTPConnection("127.0.0.1", closed.port)
    connection.request("POST", f"{closed.base}/api/v1/conversations",
                       json.dumps({"workspaceId": "lab"}),
                       {"Content-Type": "application/json",
                        "Origin": f"http://127.0.0.1:{closed.port}",
                        **closed.identity("ada")})
    assert connection.getresponse().status == 201
    connection.close()


def test_workspace_of_a_group(lab):
    assert lab.get("/workspaces/staff", user="ada").status == 404
    ids = [w["workspaceId"] for w in lab.get("/workspaces", user="ada").json["items"]]
    assert ids == ["lab"]
    assert lab.post("/chat/staff/stream", {"content": "x"},
                    user="ada").status == 404
    assert lab.get("/workspaces/staff", user="ada", groups=["staff"]).status == 200


def test_permission_gates_the_read(make_lab):
    """A50."""
    lab = make_lab(config={"roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.Conversations.Write", "AIChat.Chat.*", "AIChat.Workspaces.Read"]}}})
    made = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    answer = lab.get(f"/conversations/{made['conversationId']}/messages",
                     user="ada")
    assert answer.status == 403 and answer.json["code"] == "forbidden"


def test_tool_permission(make_lab):
    """A25: without AI.Chat.UseTool.query_data it is not even offered."""
    lab = make_lab(config={"roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.*", "AI.Chat.UseTool.list_datasets"]}}})
    events = lab.chat({"tool_calls": [
        {"name": "query_data", "args": {"dataset": "tickets"}},
        {"name": "list_datasets", "args": {}}], "then": {"text": "x"}})
    results = {e.data["toolName"]: e.data["isError"] for e in events
               if e.name == "tool-result"}
    assert results == {"query_data": True, "list_datasets": False}


def test_users_do_not_see_each_other(lab):
    lab.chat({"text": "secret of ada"}, user="carol")
    page = lab.get("/conversations", user="dave").json
    assert page["items"] == []
