# SPDX-License-Identifier: MIT
"""What a token may do at most (docs/identity.md), and pages elsewhere that use one."""

import json

import pytest

PAGE = "https://app.example.org"
NONE = "0192f000-0000-7000-8000-000000000000"
HELLO = "!script " + json.dumps({"text": "Hello."})


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    import conftest
    wipe = {"kind": "command", "effect": "destructive", "description": "Wipes.",
            "command": {"run": ["/bin/echo", "wiped"]}}
    with conftest.Lab(workspaces={"lab": {
            "workspace": "lab", "title_by_model": False,
            "agents": [{"id": "helper", "default": True, "tools": ["wipe"]},
                       {"id": "other"}]},
            "second": {"workspace": "second", "title_by_model": False}},
            config={"server": {"cors_origins": [PAGE]}, "tools": {"wipe": wipe},
                    "roles": {"user": {"groups": ["*"], "permissions": [
                        "*", "AIChat.Approvals.Decide"]}}}) as lab:
        yield lab


def key(lab, **more):
    answer = lab.post("/tokens", {"name": "desk", **more}, user="ada")
    assert answer.status == 201, answer
    return {"Authorization": "Bearer " + answer.json["secret"]}, answer.json["id"]


def chat(lab, headers, workspace="lab", **more):
    return lab.post(f"/chat/{workspace}/stream", {"content": HELLO, **more},
                    headers=headers).status


def test_read_only(lab):
    headers, id = key(lab, readOnly=True)
    assert chat(lab, headers) == 200
    assert lab.get("/conversations", headers=headers).status == 200
    for method, path, body in (
            ("POST", "/conversations", {"workspaceId": "lab"}),
            ("PATCH", "/settings", {}), ("DELETE", f"/tokens/{id}", None),
            ("POST", "/prompts", {"name": "x", "body": "y"}),
            ("POST", f"/conversations/{NONE}/document", {"knowledgeBaseId": NONE}),
            ("POST", f"/conversations/{NONE}/memory/promote", {"id": "x"}),
            ("POST", f"/plans/{NONE}/skip", {"stepId": "x"}),
            ("POST", "/ratings", {"conversationId": NONE, "messageId": f"{NONE}.2",
                                  "value": "good"}),
            ("POST", "/doctor", {"measured": {}}),
            ("POST", "/workspaces/lab/llm-services/demo/test", {})):
        answer = lab.call(method, path, body, headers=headers)
        assert (answer.status, answer.json["code"]) == (403, "forbidden"), path
    # Nothing widens it: not its user by a change either, only a new token.
    assert lab.call("PATCH", f"/tokens/{id}", {"readOnly": False},
                    user="ada").status == 422


def test_agents(lab):
    headers, _ = key(lab, agents=["lab/other", "second"])
    assert chat(lab, headers, agentId="other") == 200
    assert chat(lab, headers, "second") == 200
    for more in ({}, {"agentId": "helper"}):
        assert chat(lab, headers, **more) == 404
    models = lab.get("//chat/openai/v1/models", headers=headers).json["data"]
    assert [m["id"] for m in models] == ["lab/other", "second", "second/default"]
    for model, status in (("lab", 404), ("lab/helper", 404), ("lab/other", 200)):
        body = {"model": model, "messages": [{"role": "user", "content": HELLO}]}
        assert lab.post("//chat/openai/v1/chat/completions", body,
                        headers=headers).status == status, model
    ids = [a["agentId"] for a in lab.get("/workspaces/lab/agents",
                                         user="ada").json["items"]]
    assert {"helper", "other"} <= set(ids)
    # What others said with its user is not for it.
    for path in ("/conversations", "/tokens", "/prompts", "/settings"):
        assert lab.get(path, headers=headers).status == 403, path
    c = lab.post("/conversations", {"workspaceId": "lab", "agentId": "helper"},
                 user="ada").json["conversationId"]
    assert chat(lab, headers, conversationId=c) == 404
    for client in ("/ai-sdk/lab", "/ag-ui/lab"):
        body = {"id": c, "threadId": c, "runId": "r", "messages": [
            {"id": "m", "role": "user", "content": HELLO,
             "parts": [{"type": "text", "text": HELLO}]}]}
        assert lab.post(client, body, headers=headers).status == 404, client


def test_lists_of_agents(lab):
    """As at their own routes: what it has not is not there."""
    def made(name):
        where = lab.post("/workspaces", {"name": name}, user="ada").json["workspaceId"]
        return where, [lab.post(f"/workspaces/{where}/agents", {
            "name": n, "systemPrompt": n}, user="ada").json["agentId"] for n in ("A", "B")]

    (where, (mine, _)), (hidden, _) = made("Made"), made("Hidden")
    headers, _ = key(lab, agents=["lab/other", f"{where}/{mine}"])

    def listed(path, name, **who):
        answer = lab.get(path, **who).json
        assert answer["totalCount"] == len(answer["items"])
        return [item[name] for item in answer["items"]]

    assert listed("/workspaces", "workspaceId", headers=headers) == ["lab", where]
    assert listed(f"/workspaces/{where}/agents", "agentId", headers=headers) == [mine]
    assert listed("/workspaces/lab/agents", "agentId", headers=headers) == ["other"]
    me = lab.get("/me?include=agents,workspaces&workspaceId=lab", headers=headers).json
    assert [a["agentId"] for a in me["agents"]["items"]] == ["other"]
    assert len(me["workspaces"]["items"]) == 2
    page = lab.get("/workspaces/lab/agents?pageSize=1", user="ada").json
    page = lab.get(f"/workspaces/lab/agents?pageSize=1&cursor={page['nextCursor']}",
                   headers=headers).json
    assert page["nextCursor"] is None or page["items"]
    whole, _ = key(lab, agents=["lab", hidden])
    assert listed("/workspaces/lab/agents", "agentId", headers=whole) == ["helper", "other"]
    assert len(listed(f"/workspaces/{hidden}/agents", "agentId", headers=whole)) >= 2


def waiting(lab):
    """A turn of helper that waits for an approval: (conversation, the wait)."""
    c = lab.post("/conversations", {"workspaceId": "lab", "agentId": "helper"},
                 user="ada").json["conversationId"]
    lab.post(f"/workspaces/lab/agents/helper/conversations/{c}/messages", {
        "content": "!script " + json.dumps({
            "tool_calls": [{"name": "wipe", "args": {}}], "then": {"text": "done"}})},
             user="ada")
    return c, [w for w in lab.get("/approvals", user="ada").json["items"]
               if w["conversationId"] == c][0]


def test_turns_of_other_agents(lab):
    """No door shows, changes or uses what the user does with an agent it has not."""
    headers, _ = key(lab, agents=["lab/other"], approve=True)
    c, wait = waiting(lab)
    t = f"/turns/{wait['turnId']}"
    response = f"//chat/openai/v1/responses/resp_{wait['turnId'].replace('-', '')}"
    plain = f"//chat/plain{t}"
    parts = [{"type": "text", "text": HELLO}]
    one = [{"id": "m", "role": "user", "content": HELLO, "parts": parts}]

    def rpc(method, **params):
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    for path in (t, f"{t}/events", f"{t}/events?wait=0", f"{t}/sources", f"{t}/approvals",
                 plain, f"/ai-sdk/lab/{c}/stream", f"/ai-sdk/lab/{c}/stream?agentId=other",
                 f"/workspaces/lab/agents/other/preview?content=x&conversationId={c}",
                 response, response + "/input_items"):
        assert lab.get(path, headers=headers).status == 404, path
    for path, body in (
            (f"{t}/cancel", None), (response + "/cancel", None), (f"{t}/continue", {}),
            (f"{t}/store", {"unstored": "x"}),
            (f"{t}/approvals", {"approvalId": wait["approvalId"], "decision": "approve"}),
            (f"{t}/tool-results", {"results": [{"toolCallId": wait["toolCallId"],
                                                "result": 1}]}),
            (f"/conversations/{c}/regenerate", {}),
            (f"/conversations/{c}/edit", {"messageId": f"{c}.1", "content": "x"}),
            ("/chat/lab/stream", {"content": HELLO, "agentId": "other",
                                  "conversationId": c}),
            ("/agent/stream", {"message": HELLO, "agent_id": "other", "session_id": c}),
            ("/tasks", {"content": HELLO, "workspaceId": "lab", "agentId": "other",
                        "conversationId": c}),
            ("/ai-sdk/lab?agentId=other", {"id": c, "messages": one}),
            ("/ag-ui/lab?agentId=other", {"threadId": c, "runId": "r", "messages": one}),
            ("/workspaces/lab/preview", {"content": "x", "agentId": "other",
                                         "conversationId": c}),
            ("//chat/openai/v1/responses", {"model": "lab/other", "input": HELLO,
                                            "previous_response_id": wait["turnId"]}),
            ("/mcp/lab?agentId=helper", rpc("tools/list"))):
        assert lab.post(path, body, headers=headers).status == 404, path
    for path, body in (
            ("/chat/lab/complete", {"input": HELLO}), ("/doctor", {"measured": {}}),
            ("/llm-services/models", {"name": "x", "provider": "openai"}),
            ("/workspaces/lab/llm-services/demo/test", {}),
            (f"/knowledge-bases/{NONE}/search", {"query": "x"}),
            (f"/conversations/{c}/document", {"knowledgeBaseId": NONE}),
            (f"/conversations/{c}/memory/promote", {"id": "x"}),
            (f"/conversations/{c}/correct", {"messageId": f"{c}.2", "content": "x"}),
            (f"/plans/{NONE}/skip", {"stepId": "x"}),
            ("/ratings", {"conversationId": c, "messageId": f"{c}.2", "value": "good"})):
        assert lab.post(path, body, headers=headers).status == 403, path
    for path in ("/approvals", f"/plans?conversationId={c}", "/ratings", "/rated-answers"):
        assert lab.get(path, headers=headers).status == 403, path
    assert lab.post("/conversation-folders", {"name": "Secret"}, user="ada").status == 201
    me = lab.get("/me?include=settings,workspaces,folders,shared", headers=headers).json
    assert me["folders"] is None and me["shared"] is False and "settings" not in me and me["workspaces"]["items"]
    assert lab.get("/me?include=folders", user="ada").json["folders"]["items"]
    prompt = lab.post("/prompts", {"name": "mine", "body": "secret"}, user="ada").json
    assert lab.post("/mcp/lab", rpc("prompts/list"), user="ada").json["result"]["prompts"]
    for method in ("prompts", "resources"):
        answer = lab.post("/mcp/lab?agentId=other", rpc(method + "/list"), headers=headers)
        assert answer.json["result"][method] == []
    for name in ("mine", prompt["id"]):
        answer = lab.post("/mcp/lab?agentId=other", rpc("prompts/get", name=name),
                          headers=headers)
        assert answer.json["error"]["code"] == -32602
    for more in ({"agent": "helper"}, {"conversationId": c}):
        answer = lab.post("/mcp/lab?agentId=other", rpc(
            "tools/call", name="ask_agent", arguments={"message": HELLO, **more}),
                          headers=headers)
        assert answer.json["result"]["isError"], more


def test_own_turns(lab):
    """It follows and stops the turns of its own agents."""
    headers, _ = key(lab, agents=["lab/other"])
    c = lab.post("/conversations", {"workspaceId": "lab", "agentId": "other"},
                 user="ada").json["conversationId"]
    assert chat(lab, headers, agentId="other", conversationId=c) == 200
    turn = lab.sql(f"SELECT HEX(id) FROM turn WHERE HEX(conversation_id)="
                   f"'{c.replace('-', '').upper()}'")[0][0].lower()
    turn = "-".join((turn[:8], turn[8:12], turn[12:16], turn[16:20], turn[20:]))
    assert lab.get(f"/turns/{turn}", headers=headers).json["status"] == "done"
    assert lab.get(f"/turns/{turn}/events?wait=0", headers=headers).json["items"]
    assert lab.post(f"/turns/{turn}/cancel", None, headers=headers).status == 202


def test_approvals_of_limited_tokens(lab):
    """What a token may not use, or only reads, it does not let run, or remember."""
    for limit in ({"tools": ["other"]}, {"readOnly": True}):
        headers, _ = key(lab, approve=True, **limit)
        c, wait = waiting(lab)
        answer = lab.post(f"/turns/{wait['turnId']}/approvals", {
            "approvalId": wait["approvalId"], "decision": "approve",
            "digest": wait["digest"]}, headers=headers)
        assert (answer.status, answer.json["code"]) == (403, "forbidden"), limit
        assert lab.get(f"/turns/{wait['turnId']}", user="ada").json["status"] == "waiting"
        assert lab.post(f"/turns/{wait['turnId']}/cancel", None, headers=headers).status == 202
    headers, _ = key(lab, approve=True, tools=["wipe"])
    c, wait = waiting(lab)
    answer = lab.post(f"/turns/{wait['turnId']}/approvals", {
        "approvalId": wait["approvalId"], "decision": "approve"}, headers=headers)
    assert answer.status == 200 and b"wiped" in answer.body


def test_lists_are_checked(lab):
    for wrong in ({"agents": ["x"] * 51}, {"tools": ["x" * 65]}, {"agents": "lab"},
                  {"readOnly": "yes"}, {"lastUsedAt": "2026-01-01T00:00:00Z"}):
        answer = lab.post("/tokens", wrong, user="ada")
        assert answer.status == 422, wrong
    assert key(lab, agents=[], tools=[])


def test_use_is_shown(lab):
    headers, id = key(lab)
    assert lab.get(f"/tokens/{id}", user="ada").json["lastUsedAt"] is None
    lab.get("/me", headers=headers)
    seen = lab.get(f"/tokens/{id}", user="ada").json["lastUsedAt"]
    assert seen.startswith("20")


def cors(answer):
    headers = {k.lower(): v for k, v in answer.headers.items()}
    assert "access-control-allow-credentials" not in headers
    return headers.get("access-control-allow-origin")


def test_pages_elsewhere(lab):
    """A named page with a token; nothing for others, or with the web server's sign-in."""
    headers, _ = key(lab)

    def get(path="/me", origin=PAGE, user=None, **more):
        return lab.get(path, headers={"Origin": origin, **more}, user=user)

    assert cors(get(**headers)) == PAGE
    assert cors(get(f"/conversations/{NONE}", **headers)) == PAGE
    assert cors(get("//chat/openai/v1/models", **headers)) == PAGE
    assert cors(get(Authorization="Bearer lamp_wrong")) == PAGE
    assert cors(get(user="ada")) is None
    # A cache keeps answers for pages, and for others, apart.
    for answer in (get(**headers), get(user="ada"), get(origin="https://evil.example")):
        assert answer.headers.get_all("Vary") == ["Origin"]
    for evil in ("https://evil.example", "null", PAGE + ".evil.example", PAGE + "/",
                 PAGE.upper(), "http://app.example.org", ""):
        assert cors(get(origin=evil, **headers)) is None, evil
    assert cors(get("//chat/plain/", user="ada", **headers)) is None
    # A write with the web server's sign-in is refused, as before.
    foreign = {"Origin": PAGE, "Sec-Fetch-Site": "cross-site"}
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada",
                      headers=foreign)
    assert (answer.status, cors(answer)) == (403, None)
    done = lab.post("/chat/lab/stream", {"content": HELLO}, headers={**foreign, **headers})
    assert (done.status, cors(done)) == (200, PAGE)


def test_preflights(lab):
    def ask(origin, wanted="authorization, x-stainless-os"):
        return lab.call("OPTIONS", "/chat/lab/stream", headers={
            "Origin": origin, "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": wanted})

    yes = ask(PAGE)
    assert yes.status == 204 and cors(yes) == PAGE
    assert "POST" in yes.headers["Access-Control-Allow-Methods"]
    assert yes.headers["Access-Control-Allow-Headers"] == "authorization, x-stainless-os"
    assert "Origin" in yes.headers["Vary"]
    for no in (ask("https://evil.example"), ask("")):
        assert no.status == 204 and cors(no) is None
        assert "Access-Control-Allow-Methods" not in no.headers


def test_agents_that_are_lent_or_drafts(lab):
    bound, _ = key(lab, agents=["lab/helper"])
    assert chat(lab, bound) == 200
    assert chat(lab, bound, answerAgentId="other") == 422
    assert chat(lab, bound, draftAgent={"name": "D"}) == 403
    reader, _ = key(lab, readOnly=True)
    assert chat(lab, reader, answerAgentId="other") == 200
    assert chat(lab, reader, draftAgent={"name": "D"}) == 403
    whole, _ = key(lab, agents=["lab"])
    assert chat(lab, whole, draftAgent={"name": "D"}) == \
        lab.post("/workspaces/lab/agents", {"name": "D"}, headers=whole).status
