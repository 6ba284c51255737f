# SPDX-License-Identifier: MIT
"""The MCP server (docs/mcp-server.md): both eras, rights, approvals. The official
clients: tests/clients/mcp.test.mjs."""

import json

import pytest

PATH = "/mcp/lab"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
TICKETS = """
CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80) NOT NULL);
INSERT INTO ticket SELECT seq, CONCAT('Ticket ', seq) FROM seq_1_to_20;
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    import conftest
    tool = {"kind": "command", "untrusted": True, "description": "Says.",
            "command": {"run": ["/bin/echo", "words"]}}
    with conftest.Lab(workspaces={"lab": {
            "workspace": "lab", "title_by_model": False,
            "agents": [{"id": "helper", "name": "Helper", "default": True,
                        "tools": ["say", "wipe", "free", "group:data"]},
                       {"id": "bare", "tools": ["none"]}],
            "datasets": {"tickets": {
                "database": "lab", "table": "ticket",
                "mention": {"key": "id", "label": "title"}}}}},
            config={
                "tools": {
                    "say": {**tool, "effect": "read"},
                    "wipe": {**tool, "effect": "destructive"},
                    "free": {**tool, "effect": "write", "confirm": "never"},
                    "secret": {**tool, "groups": ["board"]}},
                "roles": {
                    "user": {"groups": ["*"], "permissions":
                             ["AIChat.*", "AI.Chat.UseTool.*"]},
                    "decider": {"groups": ["deciders"], "permissions":
                                ["AIChat.Approvals.Decide"]}}}) as lab:
        lab.sql(TICKETS)
        yield lab


def rpc(lab, method, params=None, path=PATH, status=200, modern=True, user="ada",
        id=1, headers=None, can=None, token=None):
    sent = {"jsonrpc": "2.0", "id": id, "method": method, "params": dict(params or {})}
    if modern:
        sent["params"]["_meta"] = {META + "protocolVersion": MODERN,
                                   META + "clientCapabilities": can or {}}
        named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
        default = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if method in named:
            default["Mcp-Name"] = sent["params"].get(named[method], "")
        headers = {**default, **(headers or {})}
    headers = {k: v for k, v in (headers or {}).items() if v is not None}
    if token:
        headers["Authorization"] = f"Bearer {token}"
        user = None
    answer = lab.post(path, sent, user=user, headers=headers)
    assert answer.status == status, answer
    if status >= 400 and "jsonrpc" not in answer.json:
        return answer.json
    assert answer.json["id"] == id
    return answer.json["error" if "error" in answer.json else "result"]


def call(lab, name, args=None, **kw):
    more = kw.pop("more", {})
    return rpc(lab, "tools/call", {"name": name, "arguments": args or {}, **more}, **kw)


def text(result):
    return result["content"][0]["text"]


def token(lab, *options):
    made = lab.command("token", "create", "--user", "ada", "--name", "desk", *options)
    return next(w for w in made.stdout.split() if w.startswith("lamp"))


def test_both_eras(lab):
    new = rpc(lab, "server/discover")
    assert new["supportedVersions"] == [MODERN] and new["resultType"] == "complete"
    assert new["_meta"][META + "serverInfo"]["name"] == "lamplighter"
    for asked, got in (("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")):
        old = rpc(lab, "initialize", {"protocolVersion": asked, "capabilities": {}},
                  modern=False)
        assert old["protocolVersion"] == got and "_meta" not in old
    done = lab.post(PATH, {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    user="ada")
    assert done.status == 202 and not done.body
    assert rpc(lab, "ping", modern=False) == {}
    names = [[t["name"] for t in rpc(lab, "tools/list", modern=m)["tools"]]
             for m in (True, False)]
    assert names[0] == names[1]
    # Both see the same as a turn: what the agent has, not what others have.
    assert {"say", "wipe", "query_data", "ask_agent"} <= set(names[0])
    assert not {"secret", "read_result", "suggest_action", "ask_user"} & set(names[0])


def test_messages_that_are_refused(lab):
    def error(code, status=400, **kw):
        assert rpc(lab, status=status, **kw)["code"] == code

    error(-32601, 404, method="initialize")
    error(-32601, 200, method="server/discover", modern=False)
    error(-32601, 404, method="nope")
    error(-32020, method="tools/list", headers={"Mcp-Method": "tools/call"})
    error(-32020, method="tools/list", headers={"MCP-Protocol-Version": None})
    error(-32020, method="tools/call", params={"name": "say"},
          headers={"Mcp-Name": "wipe"})
    error(-32602, method="tools/list", modern=False,
          headers={"MCP-Protocol-Version": MODERN})
    error(-32022, method="tools/list", modern=False,
          headers={"MCP-Protocol-Version": "2031-01-01"})
    # Those that a client of the new protocol may choose, as server/discover has them.
    old = rpc(lab, "tools/list", {"_meta": {META + "protocolVersion": "2031-01-01"}}, status=400,
              modern=False, headers={"MCP-Protocol-Version": "2031-01-01"})
    assert (old["code"], old["data"]["supported"]) == (-32022, [MODERN])
    error(-32602, 200, method="tools/call", params={"name": "nope"})
    error(-32602, 200, method="tools/call", params={"name": "say", "arguments": []})
    error(-32602, 200, method="resources/read", params={"uri": "lamplighter:x"})
    assert rpc(lab, "resources/read", {"uri": "x:y"})["data"] == {"uri": "x:y"}
    error(-32002, 200, method="resources/read", params={"uri": "file:///etc/passwd"},
          modern=False)
    for body in ({}, {"id": 1}, {"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, {"jsonrpc": "2.0", "id": {}, "method": "ping"}):
        answer = lab.post(PATH, body, user="ada")
        assert (answer.status, answer.json["error"]["code"]) == (400, -32600)
    answer = lab.post(PATH, {"x": 1}, user="ada")
    assert answer.status == 422 and "jsonrpc method id" in answer.json["detail"]
    assert lab.get(PATH, user="ada").status == 405
    assert rpc(lab, "tools/list", path="/mcp/nope", status=404)["code"] == "not_found"
    assert call(lab, "say", headers={"Mcp-Name": "=?base64?c2F5?="})["content"]


def test_tools_as_in_a_turn(lab):
    got = call(lab, "query_data", {"dataset": "tickets", "select": ["id"], "limit": 2})
    assert not got["isError"] and "1" in text(got)
    assert text(call(lab, "say")) == "words"
    wrong = call(lab, "query_data", {"dataset": "nope"})
    assert wrong["isError"] and "tickets" in text(wrong)
    assert call(lab, "query_data", {"select": 5})["isError"]
    assert call(lab, "secret")["code"] == -32602
    listed = {t["name"]: t for t in rpc(lab, "tools/list")["tools"]}
    assert listed["wipe"]["annotations"]["destructiveHint"]
    assert listed["query_data"]["annotations"]["readOnlyHint"]
    assert listed["query_data"]["inputSchema"]["type"] == "object"
    bare = rpc(lab, "tools/list", path=PATH + "?agentId=bare")["tools"]
    assert [t["name"] for t in bare] == ["ask_agent"]
    data = rpc(lab, "tools/list", path=PATH + "?group=data,nope")["tools"]
    assert "query_data" in [t["name"] for t in data]
    assert "say" not in [t["name"] for t in data]
    rows = str(lab.sql("SELECT tools FROM usage_record WHERE kind = 10"))
    assert '"query_data"' in rows and '"ok":false' in rows


def test_a_change_needs_an_approval(lab):
    """What the client has read is not known: it counts as tainted."""
    lacks = call(lab, "wipe", status=400)
    assert lacks["code"] == -32021
    assert lacks["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
    assert text(call(lab, "free")) == "words"
    can = {"elicitation": {}}
    assert "tool_not_approved" in text(call(lab, "wipe", modern=False))
    for options in ((), ("--group", "deciders"), ("--approve",)):
        for has in can, {}:
            assert "may not give" in text(call(lab, "wipe", can=has,
                                               token=token(lab, *options)))
    may = token(lab, "--group", "deciders", "--approve")
    assert "requestState" in call(lab, "wipe", can=can, token=may)

    asked = call(lab, "wipe", can=can)
    assert asked["resultType"] == "input_required" and "wipe" in json.dumps(asked)
    answers = {"approval": {"action": "accept", "content": {"approve": True}}}
    yes = {"inputResponses": answers, "requestState": asked["requestState"]}

    def sent(name="wipe", args=None, **kw):
        more = {**yes, **kw.pop("changed", {})}
        return call(lab, name, args, can=can, more=more, **kw)

    def again(**kw):
        return text(sent(**kw))

    no = "tool_not_approved"
    assert no in again(changed={"inputResponses": {"approval": {"action": "decline"}}})
    assert no in again(changed={"inputResponses": {"approval": {
        "action": "accept", "content": {"approve": False}}}})
    # What was not signed for this call is an error of the protocol,
    wrong = [{"changed": {"requestState": s}} for s in (
        "A" * 75, 5, "", asked["requestState"] + "-TAMPERED")]
    for kw in (*wrong, {"user": "bob"}, {"changed": {"inputResponses": None}},
               {"changed": {"inputResponses": [1]}}):
        assert sent(**kw)["code"] == -32602, kw
    # and an answer to something else is asked for again.
    for said in ({}, {"other": answers["approval"]}, {"approval": 12345}):
        assert sent(changed={"inputResponses": said})["resultType"] == "input_required"
    del yes["requestState"]
    assert sent()["resultType"] == "input_required"
    yes["requestState"] = asked["requestState"]
    assert again() == "words"
    assert no in again()  # once


def test_what_a_token_is_limited_to(lab):
    def names(key, path=PATH):
        return {t["name"] for t in rpc(lab, "tools/list", path=path, token=key)["tools"]}

    assert {"wipe", "free", "say"} <= names(token(lab))
    reads = names(token(lab, "--read-only"))
    assert "say" in reads and not {"wipe", "free"} & reads
    key = token(lab, "--tool", "say", "--tool", "nope")
    assert names(key) == {"say", "ask_agent"}
    assert call(lab, "query_data", {"dataset": "tickets"}, token=key)["code"] == -32602
    # Through an agent, too: the tool is not there for this caller.
    say = "!script " + json.dumps({"tool_calls": [{"name": "query_data", "args": {
        "dataset": "tickets"}}], "then": {"text": "x"}})
    c = call(lab, "ask_agent", {"message": say}, token=key)["content"][1]["text"]
    rows = lab.get(f"/conversations/{c.split()[-1]}/messages?include=steps", user="ada")
    assert "tool_unknown" in str(rows.json)
    bare = token(lab, "--agent", "lab/bare")
    assert names(bare, PATH + "?agentId=bare") == {"ask_agent"}
    assert rpc(lab, "tools/list", token=bare, status=404)["code"] == "not_found"
    hello = "!script " + json.dumps({"text": "Hi."})
    assert text(call(lab, "ask_agent", {"message": hello, "agent": "bare"},
                     path=PATH + "?agentId=bare", token=bare)) == "Hi."
    assert call(lab, "ask_agent", {"message": hello, "agent": "helper"},
                path=PATH + "?agentId=bare", token=bare)["isError"]


def test_an_agent_as_a_tool(lab):
    say = "!script " + json.dumps({"text": "Good day."})
    got = call(lab, "ask_agent", {"message": say, "agent": "bare"})
    assert text(got) == "Good day." and not got["isError"]
    c = got["content"][1]["text"].removeprefix("conversationId: ")
    row = lab.get(f"/conversations/{c}", user="ada").json
    assert (row["agentId"], row["client"]) == ("bare", "Python-urllib") or row["client"]
    more = call(lab, "ask_agent", {"message": say, "conversationId": c})
    assert more["content"][1]["text"].endswith(c)
    wait = "!script " + json.dumps({"tool_calls": [{"name": "wipe", "args": {}}],
                                    "then": {"text": "x"}})
    assert "#/c/" in text(call(lab, "ask_agent", {"message": wait}))
    for args in ({}, {"message": " "}, {"message": "x", "agent": "nope"},
                 {"message": "x", "conversationId": "nope"},
                 {"message": "x", "conversationId": c[:-4] + "0000"}):
        assert call(lab, "ask_agent", args)["isError"], args
    assert call(lab, "ask_agent", {"message": "x", "conversationId": c},
                user="bob")["isError"]


def test_resources_and_prompts(lab):
    made = lab.post("/prompts", {"name": "Greet", "body": "Hello {{Who}} on {{Day: date}}"},
                    user="ada").json
    listed = rpc(lab, "prompts/list")["prompts"]
    greet = next(p for p in listed if p["name"] == "Greet")
    assert [a["name"] for a in greet["arguments"]] == ["Who", "Day"]
    values = {"Who": "Bob", "Day": "2026-01-01"}
    for name in ("Greet", made["id"]):
        got = rpc(lab, "prompts/get", {"name": name, "arguments": values})
        assert got["messages"][0]["content"]["text"] == "Hello Bob on 2026-01-01"
    for params in ({"name": "Greet"}, {"name": "Nope"}, {"name": ""}):
        assert rpc(lab, "prompts/get", params)["code"] == -32602
    assert rpc(lab, "prompts/get", {"name": "Greet", "arguments": values},
               user="bob")["code"] == -32602

    found = rpc(lab, "resources/list")["resources"]
    uris = [r["uri"] for r in found]
    assert "lamplighter:dataset:tickets" in uris
    read = rpc(lab, "resources/read", {"uri": "lamplighter:record:tickets/7"})
    assert "Ticket 7" in read["contents"][0]["text"]
    assert rpc(lab, "resources/templates/list")["resourceTemplates"]


def complete(lab, ref, name, value="", given=None, **kw):
    got = rpc(lab, "completion/complete", {
        "ref": ref, "argument": {"name": name, "value": value},
        **({"context": {"arguments": given}} if given else {})}, **kw)
    return got.get("completion", got)


def test_what_may_be_put_in_for_an_argument(lab):
    lab.post("/prompts", {"name": "Write", "body":
             "{{Tone: choice: friendly | formal | plain}} to {{Who}} on"
             " {{Ticket: record: tickets}}"}, user="ada")
    prompt = {"type": "ref/prompt", "name": "Write"}
    for modern in True, False:
        assert complete(lab, prompt, "Tone", "F", modern=modern) == {
            "values": ["friendly", "formal"], "hasMore": False}
    assert complete(lab, prompt, "Who", "x")["values"] == []
    assert complete(lab, prompt, "Nobody")["values"] == []
    assert complete(lab, prompt, "Ticket", "Ticket 7")["values"] == ["Ticket 7"]
    record = {"type": "ref/resource", "uri": "lamplighter:record:{dataset}/{key}"}
    assert complete(lab, record, "dataset")["values"] == ["tickets"]
    assert complete(lab, record, "key", "Ticket 7", {"dataset": "tickets"})["values"] == ["7"]
    name = {"type": "ref/resource", "uri": "lamplighter:dataset:{name}"}
    assert complete(lab, name, "name", "tick")["values"] == ["tickets"]
    for ref in ({"type": "ref/prompt", "name": "Nope"}, {"type": "x"}, {}, 5):
        assert complete(lab, ref, "Tone")["code"] == -32602
    assert complete(lab, prompt, "")["code"] == -32602
    assert complete(lab, prompt, "Tone", user="bob")["code"] == -32602
    # A token of single agents has these only.
    bare = token(lab, "--agent", "lab/bare")
    assert complete(lab, name, "name", path=PATH + "?agentId=bare", token=bare)["values"] == []
    assert complete(lab, prompt, "Tone", path=PATH + "?agentId=bare", token=bare
                    )["code"] == -32602
