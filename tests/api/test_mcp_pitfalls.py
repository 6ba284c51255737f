# SPDX-License-Identifier: MIT
"""MCP: what servers of either era do to a client, by the number of the pitfall
(tests/check/cited.py), and the corners of the protocol that real servers do
not show (test_mcp.py has those)."""

import json
import pathlib
import subprocess
import sys
import threading
import time

import pytest

from lab import wait_until
from mcp_steps import (  # noqa: F401: fixtures
    DUAL, NODE, ask, bad, chat_without_end, hostile)
from hostile_mcp import event

pytestmark = pytest.mark.long

ODD = str(pathlib.Path(__file__).resolve().parent.parent / "peers/mcp_stdio.py")
BOTH = "application/json, text/event-stream"


@pytest.fixture(params=["session", "modern"])
def era(request, hostile):
    hostile.modern = request.param == "modern"
    return request.param


def headers_of(hostile, method):
    return [h for _, h, m in hostile.requests if m and m.get("method") == method]


def methods(hostile):
    return [m["method"] for _, _, m in hostile.requests if m and "method" in m]


# -- eras ---------------------------------------------------------------------

def test_the_era_is_remembered(bad, hostile, era):
    """P-G1: asked for once, however many calls come."""
    lab = bad()
    for _ in range(3):
        assert ask(lab, "bad_look")[0]["result"] == "found"
    asked = ["server/discover"] + (["initialize", "notifications/initialized"]
                                   if era == "session" else [])
    assert methods(hostile) == asked + ["tools/list"] + ["tools/call"] * 3
    # No session where there is none, and the other way round.
    for h in headers_of(hostile, "tools/call"):
        assert ("Mcp-Session-Id" in h) == (era == "session")
        assert ("Mcp-Method" in h) == (era == "modern")
        assert h["MCP-Protocol-Version"] == (
            "2025-06-18" if era == "session" else "2026-07-28")


def test_a_server_that_moves_to_the_other_era(bad, hostile, era):
    """P-G1: when what was remembered fails, it is found out again."""
    lab = bad()
    assert ask(lab, "bad_look")[0]["result"] == "found"
    for modern in (era == "session", era != "session"):
        hostile.modern = modern
        hostile.requests.clear()
        assert ask(lab, "bad_look")[0]["result"] == "found"
        assert methods(hostile).count("server/discover") == 1
        assert hostile.calls("initialize") == [] if modern \
            else len(hostile.calls("initialize")) == 1


def test_both_types_are_accepted(bad, hostile, era):
    """P-G8: in whatever is posted."""
    assert ask(bad(), "bad_look")[0]["result"] == "found"
    posted = [h for verb, h, _ in hostile.requests if verb == "POST"]
    assert len(posted) >= 3 and {h["Accept"] for h in posted} == {BOTH}
    assert {h["Content-Type"] for h in posted} == {"application/json"}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-11-25"])
def test_older_versions_are_spoken(bad, hostile, version):
    hostile.version = version
    assert ask(bad(), "bad_look")[0]["result"] == "found"
    assert hostile.calls("initialize")[0]["params"]["protocolVersion"] \
        == "2025-11-25"
    assert headers_of(hostile, "tools/call")[0]["MCP-Protocol-Version"] == version


def test_versions_that_nobody_speaks(bad, hostile):
    hostile.version = "2031-01-01"
    said = bad(accept=False).command("mcp", "list", check=False)
    assert said.returncode == 1 and '2031-01-01' in said.stderr
    # A stateless server of a later time says which versions it has.
    hostile.modern = True
    for method in ("server/discover", "initialize"):
        hostile.handlers[method] = lambda m, _: (
            400, {"Content-Type": "application/json"}, json.dumps({
                "jsonrpc": "2.0", "id": m["id"], "error": {
                    "code": -32022, "message": "Which version?",
                    "data": {"supported": ["2031-01-01"]}}}).encode())
    said = bad(accept=False).command("mcp", "list", check=False)
    assert said.returncode == 1 and "Which version?" in said.stderr


def test_an_empty_answer_to_discover_is_of_the_session_era(bad, hostile):
    """Servers exist that answer {} to what they do not know."""
    hostile.handlers["server/discover"] = lambda m, _: {"result": {}}
    assert ask(bad(), "bad_look")[0]["result"] == "found"
    assert hostile.calls("initialize")


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_of_http_and_sse_only_is_told_so(bad, hostile, status):
    for method in ("server/discover", "initialize"):
        hostile.handlers[method] = lambda m, _: (status, {}, b"")
    said = bad(accept=False).command("mcp", "list", check=False)
    assert said.returncode == 1 and "speaks only HTTP+SSE" in said.stderr


def test_a_call_by_hand_starts_its_own_server_only(make_lab, hostile, tmp_path):
    lab = make_lab(config={"mcp_servers": {
        "bad": {"url": hostile.url, "allow_private": ["127.0.0.1"],
                "pin": "first-use"},
        "other": {"command": ["/bin/sh", "-c", f"echo >> {tmp_path}/started"],
                  "pin": "first-use"}}})
    done = lab.command("tools", "call", "bad_look", "--user", "ada",
                       "--workspace", "lab")
    assert "found" in done.stdout and not (tmp_path / "started").exists()
    missing = lab.command("tools", "call", "bad_nix", "--user", "ada",
                          "--workspace", "lab", check=False)
    assert missing.returncode != 0 and "bad_look" in missing.stderr
    assert not (tmp_path / "started").exists()
    lab.command("tools", "list", "--user", "ada", "--workspace", "lab")
    assert (tmp_path / "started").exists()


def test_endless_pages_end(bad, hostile, era):
    """P-G10: a new cursor each time, for ever."""
    def page(message, _):
        n = int(message["params"].get("cursor") or 0)
        return {"result": {"tools": [{"name": f"t{n}", "inputSchema": {}}],
                           "nextCursor": str(n + 1)}}
    hostile.handlers["tools/list"] = page
    said = bad(accept=False).command("mcp", "list")
    assert len(hostile.calls("tools/list")) == 50
    assert "too many pages" in said.stderr and "bad_t49 " in said.stdout


def test_states_are_sent_back(bad, hostile):
    """8.2: byte for byte, in a request of its own; and not for ever."""
    hostile.modern = True
    state = 'é"\\\u2028{} '
    seen = []

    def call(message, _):
        seen.append((message["id"], message["params"].get("requestState")))
        return {"result": hostile.result if len(seen) == 4 else {
            "resultType": "input_required", "requestState": state}}
    hostile.handlers["tools/call"] = call
    lab = bad()
    assert ask(lab, "bad_look", {"q": "1"})[0]["result"] == "found"
    assert [s for _, s in seen] == [None, state, state, state]
    assert len({id for id, _ in seen}) == 4
    hostile.handlers["tools/call"] = lambda m, _: {"result": {
        "resultType": "input_required", "requestState": "s"}}
    result, _ = ask(lab, "bad_look", {"q": "2"})
    assert "did not come to an end" in result["result"]["error"]["message"]
    assert len(hostile.calls("tools/call")) == 4 + 5


# -- ends ---------------------------------------------------------------------

def stopped_call(lab, hostile):
    """A call in whose middle the user stops; when the server saw us leave."""
    left, begun = threading.Event(), threading.Event()

    def call(message, _):
        def stream(out):
            begun.set()
            try:
                while not left.wait(0.01):
                    out.write(b": alive\n\n")
                    out.flush()
            finally:
                left.set()
        return stream

    hostile.handlers["tools/call"] = call
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tool_calls": [{"name": "bad_look", "args": {}}],
         "then": {"text": "never"}})}, user="ada")
    events = iter(stream)
    turn = next(e.data["turnId"] for e in events if e.name == "user-message")
    assert begun.wait(20)
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    assert list(events)[-1].data["metadata"]["finish_reason"] == "cancelled"
    stream.close()
    assert left.wait(20)


def test_a_stop_cancels_as_the_era_wants(bad, hostile, era):
    """P-G4: a notice within a session; else leaving is the notice."""
    stopped_call(bad(), hostile)
    [asked] = hostile.calls("tools/call")
    if era == "session":
        wait_until("the notice", lambda: hostile.calls(
            "notifications/cancelled"))
    assert [m["params"]["requestId"] for m in
            hostile.calls("notifications/cancelled")] == (
        [asked["id"]] if era == "session" else [])


@pytest.mark.parametrize("effect", ["read", "write"])
def test_a_stream_that_broke(bad, hostile, era, effect):
    """P-G5: only what does no harm is sent twice."""
    lab = bad(effect=effect, tools={})
    answers = iter([b": begun\n\n", None])

    def call(message, _):
        broken = next(answers)
        return {"result": hostile.result} if broken is None else broken
    hostile.handlers["tools/call"] = call
    result, _ = ask(lab, "bad_look")
    if effect == "read" and era == "modern":
        assert result["result"] == "found"
    else:
        assert result["isError"] is True
        assert "ended its answer early" in result["result"]["error"]["message"]
    assert len(hostile.calls("tools/call")) == (
        2 if effect == "read" and era == "modern" else 1)


def test_a_connection_that_broke(bad, hostile, era):
    """P-G5: the model is told that the outcome is not known."""
    hostile.handlers["tools/call"] = lambda m, _: None
    result, _ = ask(bad(effect="write", tools={}), "bad_look")
    assert "not known" in result["result"]["error"]["message"]
    assert len(hostile.calls("tools/call")) == 1


def test_progress_has_an_end(bad, hostile, era):
    """Progress ends a silence, but not for ever: five times the time."""
    def progress(message, n):
        return event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": message["params"]["_meta"]["progressToken"],
            "progress": n}})
    assert 0.9 < chat_without_end(bad(timeout_ms=200), hostile, progress, 0.02) < 15


# -- results ------------------------------------------------------------------

def test_unknown_tools_are_errors_of_the_tool(bad, hostile, era):
    """P-G7: -32602 as the text has it, isError as the first SDK does."""
    lab = bad()
    hostile.handlers["tools/call"] = lambda m, _: {"error": {
        "code": -32602, "message": "Unknown tool: look"}}
    result, _ = ask(lab, "bad_look")
    assert result["isError"] is True
    assert result["result"] == \
        "The server answered with the error -32602: Unknown tool: look"
    hostile.handlers["tools/call"] = lambda m, _: (
        400, {"Content-Type": "application/json"}, json.dumps({
            "jsonrpc": "2.0", "id": m["id"], "error": {
                "code": -32602, "message": "Unknown tool"}}).encode())
    result, _ = ask(lab, "bad_look", {"q": "2"})
    assert result["isError"] is True and "Unknown tool" in result["result"]
    hostile.handlers["tools/call"] = lambda m, _: {"result": {
        "isError": True, "content": [{"type": "text", "text": "Unknown tool"}]}}
    result, _ = ask(lab, "bad_look", {"q": "3"})
    assert (result["isError"], result["result"]) == (True, "Unknown tool")
    assert len(hostile.calls("tools/call")) == 3


IMAGE = {"type": "image", "data": "QUJD" * 100, "mimeType": "image/png"}


CONTENTS = [
    ({"content": [{"type": "audio", "data": "QUJD" * 100,
                   "mimeType": "audio/wav"}]},
     "[audio, audio/wav, about 300 bytes, not shown]"),
    ({"content": [IMAGE, {"type": "text", "text": "a chart"}]},
     "[image, image/png, about 300 bytes, not shown]\n\na chart"),
    ({"content": [{"type": "image", "data": ""}]},
     "[image, unknown type, about 0 bytes, not shown]"),
    ({"content": [{"type": "hologram", "data": "x"}]},
     '[content of the type "hologram", not shown]'),
    ({"content": [{"type": "resource_link", "uri": "file:///a", "name": "A",
                   "description": "the first"}]},
     "[link to A: file:///a, the first]"),
    ({"content": [{"type": "resource", "resource": {
        "uri": "file:///a", "text": "inside"}}]},
     "[resource file:///a]\ninside"),
    ({"content": []}, "(no content)"),
    ({}, "(no content)"),
    ({"content": "text"}, "(no content)"),
    ({"content": [None, 7, {"text": "typeless"}]},
     "\n\n".join(['[content of the type "", not shown]'] * 3)),
    # Structured: an object once, any JSON since 2026-07-28; sent once.
    ({"content": [{"type": "text", "text": "{}"}],
      "structuredContent": {"n": 1}}, {"n": 1}),
    ({"content": [], "structuredContent": [1, 2]}, [1, 2]),
    ({"content": [], "structuredContent": "word"}, "word"),
    ({"content": [], "structuredContent": 0}, 0),
    ({"content": [{"type": "text", "text": "t"}], "structuredContent": None},
     "t"),
    ({"content": [IMAGE], "structuredContent": {"n": 1}},
     "[image, image/png, about 300 bytes, not shown]"),
]


def test_contents(bad, hostile):
    """8.5: every form of content, and what is none."""
    lab = bad()
    for n, (result, want) in enumerate(CONTENTS):
        hostile.result = result
        got, _ = ask(lab, "bad_look", {"q": str(n)})
        assert got["isError"] is False, result
        assert got["result"] == want, result


def test_results_of_unknown_types(bad, hostile, era):
    """8.2: what is neither complete nor a state to send back is an error."""
    lab = bad()
    for n, type in enumerate(("input_required", "task", 7, {})):
        hostile.handlers["tools/call"] = lambda m, _, t=type: {"result": {
            "resultType": t, **hostile.result}}
        result, _ = ask(lab, "bad_look", {"q": str(n)})
        assert result["isError"] is True, type
        assert "not possible here" in result["result"]["error"]["message"]
        assert len(hostile.calls("tools/call")) == n + 1


# -- headers of arguments -----------------------------------------------------

def param(type="string", **more):
    return {"type": type, "x-mcp-header": "P", **more}


WRONG = [
    {"a": param("number")}, {"a": param(["string", "null"])},
    {"a": param("object")}, {"a": {"x-mcp-header": "P"}},
    {"a": param(), "b": {"type": "string", "x-mcp-header": "p"}},
    {"a": {"type": "string", "x-mcp-header": "a b"}},
    {"a": {"type": "string", "x-mcp-header": ""}},
    {"a": {"type": "string", "x-mcp-header": "A\r\nHost: b"}},
    {"a": {"type": "string", "x-mcp-header": 7}},
    {"a": {"type": "array", "items": param()}},
    {"a": {"anyOf": [param()]}},
    {f"a{n}": {"type": "string", "x-mcp-header": f"P{n}"} for n in range(25)},
]


def test_wrong_marks_leave_a_tool_out(bad, hostile):
    """8.2: with a warning, and without its neighbours."""
    hostile.modern = True
    hostile.tools = [
        {"name": f"wrong{n}", "inputSchema": {"type": "object",
                                              "properties": properties}}
        for n, properties in enumerate(WRONG)] + [
        {"name": "right", "inputSchema": {"type": "object", "properties": {
            "o": {"type": "object", "properties": {"a": param()}}}}}]
    lab = bad()
    listed = [x.split(None, 2) for x in lab.command("mcp", "list").stdout
              .splitlines() if "bad_wrong" in x]
    assert len(listed) == len(WRONG)
    assert {state for _, state, _ in listed} == {"refused"}
    assert all("x-mcp-header" in why for _, _, why in listed)
    assert ask(lab, "bad_wrong0")[0]["result"]["error"]["code"] == "tool_unknown"
    assert ask(lab, "bad_right", {"o": {"a": "deep"}})[0]["result"] == "found"
    assert headers_of(hostile, "tools/call")[0]["Mcp-Param-P"] == "deep"


B64 = "=?base64?%s?="
VALUES = [
    ("string", "plain text", "plain text"), ("string", "a\tb", "a\tb"),
    ("string", "", B64 % ""), ("string", " a", B64 % "IGE="),
    ("string", "a\r\nHost: b", B64 % "YQ0KSG9zdDogYg=="),
    ("string", "=?base64?eA==?=", B64 % "PT9iYXNlNjQ/ZUE9PT89"),
    ("integer", 42, "42"), ("integer", -7, "-7"), ("integer", 3.0, "3"),
    ("integer", 2 ** 53 - 1, "9007199254740991"), ("integer", 2 ** 53, None),
    ("integer", -2 ** 53, None), ("boolean", True, "true"),
    ("boolean", False, "false"),
]


@pytest.mark.parametrize("name", ["plain.name", "naïve", " blank", "=?base64?eA==?="])
def test_names_in_headers(bad, hostile, name):
    """8.2: Mcp-Name, which the server compares."""
    hostile.modern = True
    hostile.tools[0]["name"] = name
    lab = bad()
    offered = next(line.split()[0] for line in lab.command("mcp", "list").stdout
                   .splitlines() if line.startswith("  bad_"))
    assert ask(lab, offered)[0]["result"] == "found"
    sent = headers_of(hostile, "tools/call")[0]["Mcp-Name"]
    assert sent.isascii() and (sent == name) is (name == "plain.name")


def test_values_in_headers(bad, hostile):
    """8.2: what is plain, what is wrapped, and what has no header."""
    hostile.modern = True
    hostile.tools = [{"name": t, "inputSchema": {"type": "object", "properties": {
        "p": param(t), "q": {}}}} for t in ("string", "integer", "boolean")]
    lab = bad()
    for type, value, header in VALUES:
        hostile.requests.clear()
        assert ask(lab, "bad_" + type, {"p": value})[0]["result"] == "found"
        [sent] = headers_of(hostile, "tools/call")
        assert sent.get("Mcp-Param-P") == header, (type, value)
        hostile.requests.clear()
        ask(lab, "bad_" + type, {"q": "without"})
        assert "Mcp-Param-P" not in headers_of(hostile, "tools/call")[0]


def test_values_that_no_header_holds(bad, hostile):
    hostile.modern = True
    hostile.tools[0]["inputSchema"]["properties"]["p"] = param()
    result, _ = ask(bad(), "bad_look", {"p": "x" * 5000})
    assert result["result"]["error"]["code"] == "tool_arguments_invalid"
    assert "p" in result["result"]["error"]["message"]
    assert not hostile.calls("tools/call")


def test_headers_that_do_not_fit_any_more(bad, hostile):
    """8.2: -32020 means that our list is old; the next turn has a new one,
    in which what changed waits for an admin (G11)."""
    hostile.modern = True
    lab = bad()
    assert ask(lab, "bad_look")[0]["result"] == "found"
    hostile.requests.clear()
    hostile.tools[0]["inputSchema"]["properties"]["q"]["x-mcp-header"] = "Q"
    hostile.handlers["tools/call"] = lambda m, h: (
        400, {"Content-Type": "application/json"}, json.dumps({
            "jsonrpc": "2.0", "id": m["id"], "error": {
                "code": -32020, "message": "Mcp-Param-Q is missing"}}).encode())
    result, _ = ask(lab, "bad_look", {"q": "1"})
    assert result["isError"] is True and "Mcp-Param-Q" in result["result"]
    assert len(hostile.calls("tools/call")) == 1
    result, _ = ask(lab, "bad_look", {"q": "2"})
    assert result["result"]["error"]["code"] == "tool_unknown"
    assert len(hostile.calls("tools/call")) == 1


# -- authorization ------------------------------------------------------------

NEEDS = ('Bearer resource_metadata="https://idp.example/meta", '
         'scope="files:read \u202eevil"')


@pytest.mark.parametrize("status", [401, 403])
def test_what_a_refusal_asks_for_is_told(bad, hostile, era, status):
    """8.6: the admin reads what the server wants, in the log and from the
    command; the model only that it was refused."""
    lab = bad()
    refusal = (status, {"WWW-Authenticate": NEEDS.encode().decode("latin-1")},
               b"")
    hostile.handlers["tools/call"] = lambda m, _: refusal
    result, _ = ask(lab, "bad_look")
    said = result["result"]["error"]["message"]
    assert "administrator" in said and "idp.example" not in said
    assert "idp.example/meta" in lab.log("responder")
    assert "files:read" in lab.log("responder")
    for method in ("server/discover", "initialize", "tools/list"):
        hostile.handlers[method] = lambda m, _: refusal
    listed = lab.command("mcp", "list", check=False)
    assert listed.returncode == 1
    assert f"{status}" in listed.stderr and "idp.example/meta" in listed.stderr
    assert "files:read" in listed.stderr and "\u202e" not in listed.stderr
    assert "headers" in listed.stderr       # where a credential belongs


def test_credentials_are_in_no_log(make_lab, hostile, era):
    """Not at any level, not when the server repeats them."""
    hostile.handlers["tools/call"] = lambda m, h: (
        500, {"Content-Type": "text/plain"},
        h.headers["Authorization"].encode())
    lab = make_lab(config={"log": {"level": "debug"}, "mcp_servers": {"bad": {
        "url": hostile.url, "allow_private": ["127.0.0.1"], "pin": "first-use",
        "headers": ["Authorization: Bearer hunter2"], "effect": "read",
        "token": {"audience": "mcp", "key": "k" * 32}, "token_header": "X-User",
        "tools": {"*": {"effect": "read"}}}}})
    result, _ = ask(lab, "bad_look")
    assert result["isError"] is True and "hunter2" not in json.dumps(result)
    sent = headers_of(hostile, "tools/call")[0]
    assert sent["Authorization"] == "Bearer hunter2"
    log = lab.log("responder")
    assert "hunter2" not in log and sent["X-User"] not in log


# -- stdio --------------------------------------------------------------------

@pytest.fixture(params=["session", "modern"])
def odd(request, make_lab):
    return make_lab(config={"mcp_servers": {"odd": {
        "command": [sys.executable, "-B", ODD, request.param], "timeout_ms": 2000,
        "pin": "first-use", "tools": {"*": {"effect": "read"}}}}})


def test_stdio_servers_of_both_eras(odd):
    """P-G1, P-G3: requests of the server in the middle of ours; prints,
    batches and others' answers between them; a list that changes."""
    assert json.loads(ask(odd, "odd_ask")[0]["result"]) == ["p", {}, 7, -32601]
    assert ask(odd, "odd_chatter")[0]["result"] == "in words"
    assert ask(odd, "odd_batch")[0]["result"] == "in a batch"
    assert ask(odd, "odd_change")[0]["result"] == "changed"
    assert ask(odd, "odd_late")[0]["result"] == "late"


def test_stdio_servers_are_told_to_stop(odd):
    """P-G4: there is no stream to close here."""
    result, _ = ask(odd, "odd_hang")
    assert result["result"]["error"]["code"] == "tool_timeout"
    assert len(json.loads(ask(odd, "odd_cancelled")[0]["result"])) == 1


@pytest.mark.parametrize("said,title", [
    ({"title": "Look it up"}, "Look it up"),
    ({"annotations": {"title": "Look it up"}}, "Look it up"),
    ({"title": "Mine", "annotations": {"title": "Other"}}, "Mine"),
    ({"title": " a\n<|im_start|>b\u202e " + "\u00fc" * 100},
     "a < |im_start| >b " + "\u00fc" * 62),
    ({"title": ""}, None), ({"title": 5}, None), ({}, None)])
def test_titles_are_for_people(bad, hostile, said, title):
    """In the event, and in the row of the thread; the model gets the name."""
    hostile.tools[0].update(said)
    lab = bad()
    events = lab.chat({"tool_calls": [{"name": "bad_look", "args": {}}],
                       "then": {"text": "ok"}})
    [call] = [e.data for e in events if e.name == "tool-call"]
    assert (call["toolName"], call.get("title")) == ("bad_look", title)
    rows = lab.get(f"/conversations/{events[-1].data['conversationId']}"
                   "/messages?include=steps", user="ada").json["items"]
    [[stored]] = [row["metadata"]["toolCalls"] for row in rows
                  if row["metadata"].get("step")]
    assert (stored["toolName"], stored.get("title")) == ("bad_look", title)
    replay = lab.get(f"/turns/{events[-1].data['turnId']}/events?after=0&wait=1",
                     user="ada").json["items"]
    assert [e["data"].get("title") for e in replay if e["event"] == "tool-call"] == [title]


# -- programs -----------------------------------------------------------------

def test_a_child_has_limits(make_lab):
    """As commands have, but wide enough for Node (issue 8)."""
    server = {"command": [*NODE, DUAL, "stdio"], "pin": "first-use",
              "tools": {"*": {"effect": "read"}}}
    lab = make_lab(config={"mcp_servers": {
        "wide": server, "tight": {**server, "files": 200, "file_mb": 3,
                                  "cpu_s": 1000, "memory_mb": 1 << 18}}})
    parent = str(lab.processes["responder"].pid)

    def limits():
        out = subprocess.run(["ps", "-o", "pid=", "--ppid", parent], text=True,
                             capture_output=True).stdout
        found = []
        for pid in out.split():
            lines = pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines()
            found.append({line[:26].strip(): line[26:].split()[:2]
                          for line in lines[1:]})
        return found
    assert ask(lab, "wide_add", {"a": 1, "b": 1})[0]["result"] == "2"
    assert ask(lab, "tight_add", {"a": 1, "b": 1})[0]["result"] == "2"
    wide, tight = sorted(limits(), key=lambda of: -int(of["Max open files"][1]))
    assert wide["Max core file size"] == tight["Max core file size"] == ["0", "0"]
    assert int(wide["Max open files"][1]) == 1024
    assert wide["Max file size"] == [str(1 << 30)] * 2
    assert wide["Max address space"] == wide["Max cpu time"] == ["unlimited"] * 2
    assert tight["Max open files"] == ["200"] * 2
    assert tight["Max file size"] == [str(3 << 20)] * 2
    assert tight["Max cpu time"] == ["1000"] * 2
    assert tight["Max address space"] == [str(1 << 38)] * 2
