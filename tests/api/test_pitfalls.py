# SPDX-License-Identifier: MIT
"""Known pitfalls of the wire protocols, through whole turns.

A comment or docstring in the tests that says "P-B4" proves the one of that number in
docs/pitfalls.md.
The decoders and builders alone are in tests/unit/test_llm_*.c.
"""

import http.server
import json
import threading
import urllib.request

import pytest

pytestmark = pytest.mark.threads

LOOK = {"name": "query_data", "args": {"dataset": "tickets", "limit": 1,
                                       "select": ["id"]}}
WIRES = ["helper", "claude", "llama"]      # OpenAI's, Anthropic's, Ollama's


def results(events):
    return [e.data for e in events if e.name == "tool-result"]


def calls(events):
    return [e.data for e in events if e.name == "tool-call"]


def requests_of_model(lab):
    with urllib.request.urlopen(lab.model_url + "/demo/stats") as answer:
        return json.load(answer)["requests"]


def history(lab, events):
    page = lab.get(f"/conversations/{events[0].data['conversationId']}"
                   "/messages", user="ada").json
    return page["items"][::-1]


# -- tool calls ---------------------------------------------------------------

@pytest.mark.parametrize("agent", WIRES)
def test_calls_without_ids_get_one(lab, agent):
    """P-B4, P-B5: the stand-in refuses a history whose ids are empty or
    do not meet."""
    events = lab.chat({"tool_calls": [{**LOOK, "id": ""}, {**LOOK, "id": ""}],
                       "then": {"text": "ok"}}, agentId=agent)
    assert events[-1].name == "done" and events[-1].data["content"] == "ok"
    ids = [c["callId"] for c in calls(events)]
    assert len(set(ids)) == 2 and all(ids)
    assert sorted(r["callId"] for r in results(events)) == sorted(ids)


@pytest.mark.parametrize("agent", WIRES)
def test_ids_that_are_used_again(lab, agent):
    """P-B3: gateways that count from call_0 in each answer, and twice in
    one. A client keeps parts by these ids: none may stand for two calls."""
    step = {"tool_calls": [{**LOOK, "id": "call_0"}, {"name": "query_data",
            "args": {"dataset": "tickets", "limit": 2}, "id": "call_0"}]}
    script = {**step, "then": {"tool_calls": [
        {"name": "query_data", "args": {"dataset": "tickets", "limit": n},
         "id": "call_0"} for n in (3, 4)], "then": {"text": "ok"}}}
    events = lab.chat(script, agentId=agent)
    assert events[-1].name == "done" and events[-1].data["content"] == "ok"
    ids = [c["callId"] for c in calls(events)]
    assert ids[0] == "call_0" and len(set(ids)) == 4
    rows = {r["callId"]: len(r["result"]["rows"]) for r in results(events)}
    assert [rows[i] for i in ids] == [1, 2, 3, 4]
    # The same over turns, and what is stored can be continued.
    more = lab.chat(script, agentId=agent,
                    conversationId=events[0].data["conversationId"])
    assert more[-1].name == "done"
    assert not set(ids) & {c["callId"] for c in calls(more)}


@pytest.mark.parametrize("agent", ["helper", "claude"])
@pytest.mark.parametrize("finish,args,says", [
    ("length", '{"dataset": "tick', "cut off"), ("length", "", "cut off"),
    ("content_filter", "", "cut off"),
    ("tool_calls", '{"dataset": "tick', "not valid JSON")])
def test_arguments_that_were_cut(lab, agent, finish, args, says):
    """P-A6: such a call is not run; the model is told, and continues.
    Nor is one that was cut off before the first byte of its arguments."""
    events = lab.chat({"tool_calls": [{"name": "query_data", "args": args}],
                       "finish": finish, "then": {"text": "shorter"}},
                      agentId=agent)
    [result] = results(events)
    assert result["isError"] is True
    assert result["result"]["error"]["code"] == "tool_arguments_invalid"
    assert says in result["result"]["error"]["message"]
    assert events[-1].name == "done" and events[-1].data["content"] == "shorter"


def test_invented_tools_end(lab):
    """P-B17: an error for the model, counted against the limit."""
    script = {"text": "final"}
    for n in range(8):
        script = {"tool_calls": [{"name": f"invented_{n}", "args": {}}],
                  "then": script}
    events = lab.chat(script, agentId="short")
    assert [r["result"]["error"]["code"] for r in results(events)] == [
        "tool_unknown"] * 2
    assert events[-1].name == "done" and events[-1].data["metadata"]["capped"]


# -- outcomes -----------------------------------------------------------------

@pytest.mark.parametrize("agent", ["helper", "claude"])
@pytest.mark.parametrize("text", ["I will not.", ""])
def test_refusals_are_kept_and_gone_on_from(lab, agent, text):
    """P-C5: one request, an outcome of its own, and a history that the
    next request may carry: Anthropic's wire refuses empty texts."""
    before = requests_of_model(lab)
    events = lab.chat({"text": text, "finish": "refusal"}, agentId=agent)
    assert requests_of_model(lab) == before + 1
    assert events[-1].data["metadata"]["finish_reason"] == "refusal"
    assert [m["role"] for m in history(lab, events)] == ["user", "assistant"]
    again = lab.chat({"text": "gladly"}, agentId=agent,
                     conversationId=events[0].data["conversationId"])
    assert again[-1].name == "done" and again[-1].data["content"] == "gladly"


@pytest.mark.parametrize("agent", WIRES)
def test_no_end_mark(lab, agent):
    """P-A1, P-A2: [DONE] missing is no failure where a finish_reason
    came; message_stop and done:true are the only marks of their wires."""
    events = lab.chat({"text": "all of it", "no_done": True}, agentId=agent)
    if agent == "helper":
        assert events[-1].data["metadata"]["finish_reason"] == "stop"
    else:
        error = events[-1].data["metadata"]["error"]
        assert error["code"] == "upstream_ended_early"
    # The text so far is kept, and marked.
    kept = history(lab, events)[-1]
    assert "all of it" in json.dumps(kept)


def test_losses_are_logged(lab):
    """P-C11: an unreadable event ends nothing, but somebody is told."""
    before = lab.log("responder").count("unreadable")
    assert lab.chat({"text": "one two three", "garbage_after": 1}
                    )[-1].name == "done"
    assert lab.log("responder").count("unreadable") == before + 1


@pytest.mark.parametrize("provider,header", [
    ("openai", "Authorization"), ("anthropic", "X-Api-Key")])
def test_redirects_take_no_key_along(make_lab, provider, header):
    """P-E14: libcurl sends an x-api-key of ours on to another host."""
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            asked.append((self.path, self.headers[header]))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(307)
            self.send_header("Location", f"http://localhost:{port}/other")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    port = server.server_port
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        lab = make_lab(config={"llm_services": {"moved": {
            "provider": provider, "model": "m", "api_key": "sk-moved",
            "url": f"http://127.0.0.1:{port}"}}},
            workspaces={"lab": {"workspace": "lab", "title_by_model": False,
                                "llm_service": "moved"}})
        events = lab.chat("hello")
    finally:
        server.shutdown()
        server.server_close()
    assert events[-1].data["metadata"]["error"]["code"] == "upstream_error"
    assert len(asked) == 1 and asked[0][0] != "/other"
    assert asked[0][1].endswith("sk-moved")
