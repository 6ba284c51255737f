# SPDX-License-Identifier: MIT
"""Tools that YAML declares, end to end: a scripted model calls them, real
programs and a real web service answer. Also long results and read_result."""

import contextlib
import http.server
import json
import os
import pathlib
import pty
import re
import subprocess
import threading

import pytest

from lab import COMMAND, Lab, results, wait_until


class Service(http.server.ThreadingHTTPServer):
    """A web service of the intranet: tickets, and an echo of what it got."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.stalled = threading.Event()
        self.together = threading.Barrier(8, timeout=30)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append((self.command, self.path, dict(self.headers)))
        if self.path.startswith("/stall"):
            self.server.stalled.set()
            self.rfile.read(1)          # until the other side goes away
            return
        if self.path.startswith("/together"):
            self.server.together.wait()
        body = json.dumps({"path": self.path, "headers": dict(self.headers),
                           "items": [{"id": n} for n in range(3)]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def tool(kind, own, parameters=None, **more):
    return {"kind": kind, "description": "A test.", kind: own, **more,
            **({"parameters": {"type": "object", **parameters}}
               if parameters else {})}


def script(code):
    return {"run": ["/bin/sh", "-c", code], "env": ["API_KEY=hunter2-secret"]}


@pytest.fixture(scope="module")
def service():
    server = Service()
    yield server
    server.shutdown()


@pytest.fixture(scope="module")
def lab(service):
    url = f"http://127.0.0.1:{service.server_port}"
    tools = {
        "tickets": tool("http", {"url": url + "/tickets/{who}",
                                 "select": "/items"},
                        {"properties": {"who": {"type": "string"}},
                         "required": ["who"]}, group="desk"),
        "echo_service": tool("http", {"url": url + "/echo", "auth": "bearer",
                                      "secret": "hunter2-secret"}),
        "closed": tool("http", {"url": url + "/", "allow_private": ["10.0.0.0/8"]}),
        "together": tool("http", {"url": url + "/together", "select": "/path"},
                         {"properties": {"n": {"type": "integer"}}}),
        "stall": tool("http", {"url": url + "/stall"}, timeout_ms=50000),
        "echo": tool("command", script("cat"), {"properties": {"x": {}}}),
        "who": tool("command", script("env | sort")),
        "long": tool("command", script(
            "i=0; while [ $i -lt 20000 ]; do echo \"line $i of the report\";"
            " i=$((i+1)); done; echo the very end"), effect="read"),
        "sleep": tool("command", script("exec sleep 77"), timeout_ms=60000),
        "php": tool("command", {"run": ["/usr/bin/php", "-r", """
            $a = json_decode(file_get_contents('php://stdin'), true);
            echo json_encode(['sum' => array_sum($a['numbers']),
                              'for' => getenv('LAMPLIGHTER_USER')]);"""],
                            "memory_mb": 0},
                    {"properties": {"numbers": {"type": "array"}}}),
        "few": tool("command", script("echo secret"), groups=["few"]),
    }
    with Lab(config={"tools": tools, "net": {"allow_private": ["127.0.0.1"]}},
             workspaces={"lab": {
                 "workspace": "lab", "name": "Lab", "max_parallel_tools": 8,
                 "agents": [
                     {"id": "all", "default": True},
                     {"id": "desk", "tools": ["group:desk"]}]}}) as lab:
        yield lab


def run(lab, name, args=None, **kw):
    """The result of one call, as the client sees it."""
    events = lab.chat({"tool_calls": [{"name": name, "args": args or {}}],
                       "then": {"text": "done"}}, **kw)
    return results(events)[0]


def text_of(result):
    value = result["result"]
    return value if isinstance(value, str) else json.dumps(value)


def test_a_web_service_answers(lab, service):
    result = run(lab, "tickets", {"who": "ada lovelace"})
    assert result["result"] == [{"id": 0}, {"id": 1}, {"id": 2}]
    assert service.seen[-1][1] == "/tickets/ada%20lovelace"


@pytest.mark.parametrize("who", ["../admin", "..", "a/../../b", "x\r\nHost: y", ""])
def test_a_value_cannot_leave_its_place(lab, service, who):
    before = len(service.seen)
    result = run(lab, "tickets", {"who": who})
    assert result["isError"]
    assert len(service.seen) == before


def test_secrets_are_never_shown(lab):
    for name in ("echo_service", "who"):
        text = text_of(run(lab, name))
        assert "***" in text and "hunter2" not in text
    assert "hunter2" not in lab.log("responder")


def test_private_addresses_need_the_list(lab):
    result = run(lab, "closed")
    assert result["isError"] and "may not be reached" in text_of(result)


def test_programs_answer(lab):
    assert run(lab, "echo", {"x": "$(id) `id` \"; rm -rf /"})["result"] == {
        "x": "$(id) `id` \"; rm -rf /"}
    who = text_of(run(lab, "who", user="bob"))
    assert "LAMPLIGHTER_USER=bob" in who and "LAMPLIGHTER_TENANT=default" in who
    assert run(lab, "php", {"numbers": [1, 2, 39]})["result"] == {
        "sum": 42, "for": "ada"}


def test_eight_calls_run_at_once(lab):
    """The service answers none before all eight are there."""
    calls = [{"name": "together", "args": {"n": n}} for n in range(8)]
    got = results(lab.chat({"tool_calls": calls, "then": {"text": "x"}}))
    assert [r["result"] for r in got] == [f"/together?n={n}" for n in range(8)]


def test_groups_bound_tools(lab):
    assert "no tool" in text_of(run(lab, "few"))
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tool_calls": [{"name": "few", "args": {}}], "then": {"text": "x"}})},
        user="eve", groups=["few"])
    assert results(stream.events())[0]["result"] == "secret"


def test_an_agent_has_its_group(lab):
    assert "no tool" in text_of(run(lab, "echo", agentId="desk"))
    assert not run(lab, "tickets", {"who": "x"}, agentId="desk").get("isError")


def alive(command):
    """Whether some process was started with this command line."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes() == command:
                return True
    return False


@pytest.mark.parametrize("name", ["sleep", "stall"])
def test_stop_ends_a_running_tool(lab, service, name):
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tool_calls": [{"name": name, "args": {}}], "then": {"text": "x"}})},
        user="ada")
    events = iter(stream)
    turn = None
    for event in events:
        turn = turn or event.data.get("turnId")
        if event.name == "tool-call":
            break
    if name == "sleep":
        wait_until("the program", lambda: alive(b"sleep\x0077\x00"))
    else:
        assert service.stalled.wait(20)
    conversations = lab.get("/conversations", user="ada").json["items"]
    turn = turn or conversations[0]["runningTurnId"]
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status in (200, 202, 204)
    list(events)
    stream.close()
    if name == "sleep":
        wait_until("its end", lambda: not alive(b"sleep\x0077\x00"))


def offered(lab):
    """The tools of each request to the model since the last time."""
    return [[t["function"]["name"] for t in body["tools"]]
            for body in lab.sent() if "tools" in body]


def test_a_long_result_is_read_page_by_page(lab):
    events = lab.chat({"tool_calls": [{"name": "long", "args": {}}],
                       "then": {"text": "I have seen the beginning"}})
    cut = results(events)[0]["result"]
    assert len(cut) < 66000
    assert cut.startswith("line 0 of") and cut.endswith("the very end")
    mark = re.search(r'read_result (\{"result":"([0-9a-f-]{36})","offset":\d+\})', cut)
    conversation = events[0].data["conversationId"]
    ask = [{"name": "read_result", "args": json.loads(mark[1])},
           {"name": "read_result", "args": {"result": mark[2], "offset": 0,
                                            "limit": 100}},
           {"name": "read_result", "args": {"result": mark[2],
                                            "search": "LINE 1234"}},
           {"name": "read_result", "args": {"result": mark[2].replace(
               mark[2][:8], "00000000")}}]
    got = [text_of(r) for r in results(lab.chat(
        {"tool_calls": ask, "then": {"text": "ok"}},
        conversationId=conversation))]
    assert re.match(r"\[bytes \d+ to \d+ of \d+; continue with offset \d+\]\n", got[0])
    assert got[1].startswith("[bytes 0 to 100 of ") and "line 0 of the report\n" in got[1]
    assert "line 1234 of the report" in got[2] and "[11 of 11 places" in got[2]
    assert "There is no such result" in got[3]
    # nobody else's, and nobody's after the conversation is gone
    other = lab.chat({"tool_calls": [{"name": "long", "args": {}}], "then": {
        "tool_calls": [ask[1]], "then": {"text": "x"}}}, user="mallory")
    assert "There is no such result" in text_of(results(other)[1])
    def kept():
        return int(lab.sql("SELECT COUNT(*) FROM tool_output")[0][0])
    before = kept()
    # unreadable from the answer on, while its rows are still there
    with lab.locked("message", f"conversation_id = UNHEX('{conversation.replace('-', '')}')"):
        lab.call("DELETE", f"/conversations/{conversation}", user="ada")
        after = lab.chat({"tool_calls": [{"name": "long", "args": {}}], "then": {
            "tool_calls": [ask[1]], "then": {"text": "x"}}})
        assert "There is no such result" in text_of(results(after)[1])
        assert kept() == before + 1
    wait_until("one is gone", lambda: kept() == before)


def test_read_result_is_offered_only_then(lab):
    lab.sent()
    lab.chat({"tool_calls": [{"name": "echo", "args": {}}], "then": {
        "tool_calls": [{"name": "long", "args": {}}], "then": {"text": "x"}}})
    assert ["read_result" in tools for tools in offered(lab)][:3] == [
        False, False, True]


# -- lamplighter tools --------------------------------------------------------

def test_the_command_lists_what_a_user_has(lab):
    rows = [line.split("\t") for line in lab.command(
        "tools", "list", "--user", "ada").stdout.splitlines()]
    names = [row[0] for row in rows]
    assert names == sorted(names) and "echo" in names and "few" not in names
    assert ["tickets", "http", "read", "desk"] in [row[:4] for row in rows]
    few = lab.command("tools", "list", "--user", "ada", "--group", "few").stdout
    assert "few\tcommand" in few
    desk = lab.command("tools", "list", "--user", "ada", "--agent", "desk").stdout
    assert [line.split("\t")[0] for line in desk.splitlines()] == ["tickets"]


def test_the_command_shows_and_calls(lab):
    shown = lab.command("tools", "show", "tickets", "--user", "ada").stdout
    assert "permission: AI.Chat.UseTool.tickets" in shown
    assert '"required": [' in shown
    done = lab.command("tools", "call", "echo", "--user", "ada",
                       "--args", '{"x": [1, "ü"]}')
    assert json.loads(done.stdout) == {"x": [1, "ü"]}
    assert done.stderr.startswith("done in ")
    failed = lab.command("tools", "call", "tickets", "--user", "ada",
                         "--args", '{"who": ".."}', check=False)
    assert failed.returncode == 1 and "tool_arguments_invalid" in failed.stdout
    for argv in (("call", "few", "--user", "ada"), ("show", "nix", "--user", "ada")):
        refused = lab.command("tools", *argv, check=False)
        assert refused.returncode == 1 and "ada has no tool" in refused.stderr
    for argv in ((), ("call",), ("call", "echo"), ("list", "--dry-run", "--user", "a"),
                 ("list", "--user", "ada", "x")):
        assert lab.command("tools", *argv, check=False).returncode == 2


def test_a_dry_run_sends_nothing(lab, service):
    before = len(service.seen)
    shown = lab.command("tools", "call", "tickets", "--user", "ada", "--dry-run",
                        "--args", '{"who": "a b"}').stdout
    assert shown.startswith(f"GET http://127.0.0.1:{service.server_port}/tickets/a%20b\n")
    shown = lab.command("tools", "call", "echo_service", "--user", "ada",
                        "--dry-run").stdout
    assert "Authorization: Bearer ***" in shown and "hunter2" not in shown
    assert len(service.seen) == before
    shown = lab.command("tools", "call", "who", "--user", "ada", "--dry-run").stdout
    assert 'run: "/bin/sh" "-c" "env | sort"' in shown
    assert "env: API_KEY=***" in shown and "env: LAMPLIGHTER_USER=ada" in shown
    assert "stdin: {}" in shown


def test_tools_of_the_page_are_listed(make_lab):
    """They can be seen by hand, though only a page can carry them out."""
    with_page = make_lab(config={"tools": {"touch": {
        "kind": "client", "description": "Touches.", "parameters": {
            "type": "object", "properties": {"x": {"type": "integer"}}}}}})
    argv = "--user", "ada", "--workspace", "lab"
    assert "touch\tclient\tread" in with_page.command("tools", "list", *argv).stdout
    assert '"x"' in with_page.command("tools", "show", "touch", *argv).stdout
    refused = with_page.command("tools", "call", "touch", *argv, check=False)
    assert refused.returncode == 1 and "there is none here" in refused.stderr


def test_a_terminal_gets_no_control_characters(lab):
    """What tools say is text of others; a pipe gets it as it is."""
    argv = [COMMAND, "-c", lab.config_file, "tools", "call", "echo", "--user", "ada",
            "--args", json.dumps({"x": "a\u009b31mb\u202e"})]
    assert "\u009b" in subprocess.run(argv, capture_output=True, text=True,
                                      check=True).stdout
    ours, theirs = pty.openpty()
    try:
        subprocess.run(argv, stdout=theirs, stderr=subprocess.DEVNULL, check=True)
        assert os.read(ours, 4096).decode().strip() == '{"x":"a31mb"}'
    finally:
        os.close(ours)
        os.close(theirs)
