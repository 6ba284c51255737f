# SPDX-License-Identifier: MIT
"""doctor: the routes that it measures with, its judgement, and the command."""

import http.client
import http.server
import json
import os
import socket
import pathlib
import shutil
import subprocess
import sys
import threading
import time

import pytest

from lab import COMMAND, EXTRACT, RESPONDER, Stream

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from hostile_mcp import HostileMcp  # noqa: E402

pytestmark = pytest.mark.long

ADMIN = {"roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}}


@pytest.fixture(scope="module")
def lab():
    from conftest import TICKETS, WORKSPACES
    from lab import Lab
    with Lab(workspaces=WORKSPACES, config=ADMIN) as lab:
        lab.sql(TICKETS)
        yield lab


def ask(lab, measured=None, **kw):
    answer = lab.post("/doctor", {"measured": measured or {}}, user="root", groups=["it"], **kw)
    assert answer.status == 200, answer
    found = {}
    for item in answer.json["items"]:
        assert item["result"] in ("ok", "warning", "problem")
        found.setdefault(item["check"], []).append(item)
    return answer.json, found


def run(lab, *argv, env=None):
    return subprocess.run([COMMAND, "-c", lab.config_file, "doctor", *argv],
                          capture_output=True, text=True,
                          env={**os.environ, **(env or {})})


# -- the routes ----------------------------------------------------------------------


def test_only_admins(lab):
    for method, path, body in (("GET", "/doctor/request", None),
                               ("GET", "/doctor/probe", None),
                               ("POST", "/doctor/body", {}),
                               ("POST", "/doctor", {})):
        answer = lab.call(method, path, body, user="ada")
        assert answer.status == 403 and "AI.Admin.Doctor" in answer.json["detail"]


def test_everybodys_role_is_no_admin(lab):
    """AIChat.*, which samples give to everybody, is not enough."""
    assert not [p for p in lab.get("/me", user="ada").json["permissions"]
                if "Doctor" in p]


def test_what_arrives(lab):
    began = int(time.time() * 1000)
    answer = lab.get("/doctor/request", user="root", groups=["it"], headers={
        "Authorization": "Basic eDp5"}).json
    assert answer["user"] == "root" and answer["kind"] == "trusted_header"
    assert answer["authorization"] == "basic" and answer["https"] is False
    assert answer["base"] == "/chat" and answer["server"] == "lighttpd"
    assert began <= answer["timeMs"] <= time.time() * 1000


def test_the_probe_streams(lab):
    began = time.monotonic()
    assert lab.get("/me", user="root", groups=["it"]).status == 200
    pace, began = time.monotonic() - began, time.monotonic()
    stream = Stream(*lab.open("GET", "/doctor/probe", user="root", groups=["it"]))
    assert stream.headers["X-Accel-Buffering"] == "no"
    times = [(time.monotonic() - began, e.data["n"]) for e in stream]
    stream.close()
    assert [n for _, n in times] == list(range(8))
    assert times[-1][0] - times[0][0] > 1
    assert times[0][0] < 0.5 + 10 * pace, (times, pace)


def test_a_body_is_counted(lab):
    answer = lab.post("/doctor/body", "{}" + " " * 5000, user="root", groups=["it"],
                      headers={"Content-Type": "application/json"})
    assert answer.status == 200 and answer.json["bytes"] == 5002


@pytest.mark.parametrize("headers,origin", [
    ({}, "none"), ({"Origin": "http://127.0.0.1:{port}"}, "own"),
    ({"Origin": "http://elsewhere.example"}, "foreign"),
    ({"Origin": "http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}, "own")])
def test_where_a_write_seems_to_come_from(lab, headers, origin):
    token = lab.command("token", "create", "--user", "root", "--group", "it").stdout.strip()
    answer = lab.call("POST", "/doctor/body", {}, user=None, headers={
        "Authorization": f"Bearer {token}", "Sec-Fetch-Site": "",
        **{k: v.format(port=lab.port) for k, v in headers.items()}})
    assert answer.json["origin"] == origin, answer
    assert answer.json["host"] == f"127.0.0.1:{lab.port}"


# -- what it sees from inside -----------------------------------------------------------


def test_inside(lab):
    report, found = ask(lab)
    assert report["server"] == "lighttpd" and report["base"] == "/chat"
    order = [item["check"] for item in report["items"]]
    assert order == sorted(order, key=[
        "hosts", "clock", "base", "places", "restart", "database", "schema", "workspace", "provider", "datasets", "tool",
        "extract", "scans", "files", "file-store"].index)
    assert "MariaDB answers within" in found["database"][0]["text"] or \
        "MariaDB" in found["database"][0]["text"]
    assert found["schema"][0]["result"] == "ok"
    assert found["clock"][0]["subject"] == "the database"
    assert {p["subject"] for p in found["provider"]} == {
        "demo", "claude", "llama", "plain"}
    # The stand-in lists its own model, and lab calls it something else.
    assert all(p["result"] == "warning" and "does not contain demo" in p["text"]
               for p in found["provider"])
    assert [d["subject"] for d in found["datasets"]] == ["lab"]
    assert "stream" not in found		# not measured, not judged
    # Both programs are run, each on what it is for.
    assert [e["result"] for e in found["extract"]] == ["ok", "ok"], found["extract"]
    assert "lamplighter-extract-file works" in found["extract"][1]["text"]
    assert [e["text"] for e in found["scans"]] == [
        "Tesseract recognises the text of scanned pages and images (eng)."]
    assert "database" in found["file-store"][0]["text"]


def test_services(make_lab):
    """Each way in which a service can be wrong, and nothing spent on it."""
    lab = make_lab(config=ADMIN)
    url = lab.model_url
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        nobody = s.getsockname()[1]
    refuses = server(lambda path: (401, b'{"error": "no"}'))
    bare = server(lambda path: (404, b"nothing"))
    sick = server(lambda path: (500, b"oops"))
    vast = server(lambda path: (200, json.dumps({"data": [
        {"id": f"model-{i}"} for i in range(2001)]}).encode()))
    base = {"provider": "openai_compatible", "model": "lamplighter-demo",
            "capabilities": ["chat"]}
    lab.write_config({"llm_services": {
        "vast": {**base, "url": vast.url, "model": "model-2000"},
        "fine": {**base, "url": url + "/v1"},
        "ollama": {**base, "provider": "ollama", "url": url},
        "claude": {**base, "provider": "anthropic", "url": url, "api_key": "x"},
        "away": {**base, "url": f"http://127.0.0.1:{nobody}"},
        "refused": {**base, "url": refuses.url, "api_key": "very-secret"},
        "bare": {**base, "url": bare.url}, "sick": {**base, "url": sick.url},
        "keyless": {**base, "provider": "openai", "api_key": ""},
    }, "chat": {"llm_service": "fine"}})
    lab.stop("responder")
    lab.start_responder()
    report, found = ask(lab)
    got = {p["subject"]: (p["result"], p["text"]) for p in found["provider"]}
    assert got["fine"][0] == "ok" and "has the model" in got["fine"][1]
    assert got["ollama"][0] == "ok" and "/api/tags" in got["ollama"][1]
    assert got["claude"][0] == "ok" and "/v1/models" in got["claude"][1]
    assert got["away"][0] == "problem" and "reached" in got["away"][1]
    assert got["refused"][0] == "problem" and "refused" in got["refused"][1]
    assert got["bare"][0] == "ok" and "not checked" in got["bare"][1]
    assert got["sick"][0] == "warning" and "500" in got["sick"][1]
    # What is behind the part of the list that is read is not missing.
    assert got["vast"][0] == "ok" and "contain" not in got["vast"][1]
    assert got["keyless"][0] == "problem" and "api_key" in got["keyless"][1]
    assert "very-secret" not in json.dumps(report)
    assert refuses.paths == ["/models"]		# once, and no chat


class server:
    """An HTTP server that answers by path."""

    def __init__(self, answer):
        import http.server
        self.paths = paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                paths.append(self.path)
                status, body = answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{http.server_port}"
        threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True).start()


def test_broken_inside(make_lab):
    lab = make_lab(config=ADMIN)
    secret = lab.dir / "password"
    secret.write_text("pw")
    secret.chmod(0o644)
    lab.write_config({
        "databases": {"gone": {"socket": str(lab.dir / "none.sock"),
                               "name": "x", "user": "x", "password": "x"}},
        "llm_services": {"demo": {
            "provider": "openai_compatible", "model": "m",
            "url": lab.model_url + "/v1", "api_key": f"file:{secret}",
            "capabilities": ["chat"]}}})
    for name in ("lab", "staff"):
        (lab.dir / "workspaces.d" / f"{name}.yaml").unlink()
    (lab.dir / "workspaces.d/w.yaml").write_text(
        '{"workspace": "w", "name": "W", "datasets": {"orders": '
        '{"database": "lab", "table": "no_orders"}}}')
    (lab.dir / "workspaces.d").chmod(0o777)
    lab.config_file.chmod(0o644)
    lab.sql("DROP TABLE site_key; DELETE FROM schema_step"
            " ORDER BY step DESC LIMIT 1")
    lab.stop("responder")
    lab.start_responder()
    _, found = ask(lab)
    got = {f["subject"]: f for f in found["datasets"]}
    assert got["gone"]["result"] == "problem" and got["lab"]["result"] == "ok"
    assert "gone" in got["gone"]["advice"]
    assert got["lab orders"]["result"] == "problem"
    assert "no_orders" in got["lab orders"]["text"]
    assert "w.yaml" in got["lab orders"]["advice"]
    assert found["schema"][0]["result"] == "problem"
    assert found["schema"][0]["advice"] == "lamplighter migrate"
    files = {os.path.basename(f["subject"]): f for f in found["files"]}
    assert files["password"]["result"] == "problem"
    assert files["password"]["advice"] == f"chmod o-r {secret}"
    assert files["lamplighter.yaml"]["result"] == "warning"
    assert files["workspaces.d"]["advice"].startswith("chmod o-w ")
    assert lab.dir.name not in files
    lab.dir.chmod(0o777)		# then the main file can be replaced
    _, found = ask(lab)
    files = {os.path.basename(f["subject"]): f for f in found["files"]}
    assert files[lab.dir.name]["result"] == "problem"
    assert files[lab.dir.name]["advice"] == f"chmod o-w {lab.dir}"
    lab.dir.chmod(0o1777)
    _, found = ask(lab)
    assert lab.dir.name not in [os.path.basename(f["subject"])
                                for f in found["files"]]
    lab.dir.chmod(0o700)


def test_keys_whose_seal_is_lost(make_lab):
    old, new = "a" * 64, "b" * 64
    lab = make_lab(config={**ADMIN, "secrets": {"key": old}, "byok": {"mode": "allow_user"}})
    made = lab.post("/provider-instances", {
        "displayName": "Mine", "providerId": "openai_compatible", "model": "m",
        "url": "https://llm.example.org/v1", "apiKey": "very-secret"}, user="root", groups=["it"])
    assert made.status == 201, made
    _, found = ask(lab)
    assert found["secrets"][0]["result"] == "ok" and "1 stored" in found["secrets"][0]["text"]

    def with_keys(keys):
        lab.overrides["secrets"] = {"key": keys}
        lab.write_config()
        lab.stop("responder")
        lab.start_responder()
        return ask(lab)[1]["secrets"][0]

    lost = with_keys(new)
    assert lost["result"] == "problem" and "1 stored keys cannot be opened" in lost["text"]
    assert "rotate" in lost["advice"]
    assert with_keys(f"{new} {old}")["result"] == "ok"


def test_a_schema_that_is_newer(make_lab):
    """A running process goes on; one that is older does not start, or migrate."""
    lab = make_lab(config=ADMIN)
    assert lab.get("/ready").status == 200
    lab.sql("INSERT INTO schema_step VALUES (9000, 1, REPEAT('x', 32), NOW(6))")
    _, found = ask(lab)
    assert found["schema"][0]["result"] == "problem"
    assert "newer version (migration 9000)" in found["schema"][0]["text"]
    assert lab.get("/ready").status == 200
    for out in (subprocess.run([COMMAND, "-c", lab.config_file, "migrate"],
                               capture_output=True, text=True),
                subprocess.run([RESPONDER, "-c", lab.config_file, "-s",
                                lab.dir / "other.sock"], capture_output=True, text=True,
                               timeout=60)):
        assert out.returncode == 1 and "migration 9000" in out.stderr, out


def test_no_workspace(make_lab):
    lab = make_lab(config=ADMIN)
    for file in (lab.dir / "workspaces.d").glob("*.yaml"):
        file.unlink()
    lab.stop("responder")
    lab.start_responder()
    _, found = ask(lab)
    assert found["workspace"][0]["result"] == "problem"
    assert "help.yaml.sample" in found["workspace"][0]["advice"]
    assert lab.post("/workspaces", {"name": "Mine"}, user="root", groups=["it"]).status == 201
    _, found = ask(lab)
    assert found["workspace"][0]["result"] == "ok"


def test_files_beside_the_main_one(make_lab):
    lab = make_lab(config=ADMIN)
    for name in ("htpasswd", "env"):
        (lab.dir / name).write_text("x")
        (lab.dir / name).chmod(0o644)
    (lab.dir / "workspaces.d/key.yaml").write_text(json.dumps({
        "workspace": "key", "name": "K", "tools": {"t": {
            "kind": "command", "description": "d", "command": {
                "run": ["/bin/true"], "env": ["API_KEY=s3cret"]}}}}))
    (lab.dir / "workspaces.d/key.yaml").chmod(0o644)
    lab.stop("responder")
    lab.start_responder()
    _, found = ask(lab)
    files = {os.path.basename(f["subject"]): f for f in found["files"]}
    assert files["htpasswd"]["result"] == files["env"]["result"] == "problem", files
    assert files["key.yaml"]["result"] == "warning"
    for name in ("htpasswd", "env"):
        (lab.dir / name).chmod(0o640)
    _, found = ask(lab)
    assert not {"htpasswd", "env"} & {os.path.basename(f["subject"]) for f in found["files"]}


def test_the_directory_of_uploads(make_lab):
    lab = make_lab(config={**ADMIN, "file_store": "directory", "file_dir": "/nowhere"})

    def store(path):
        lab.stop("responder")
        lab.overrides["file_dir"] = str(path)
        lab.write_config()
        lab.start_responder()
        return ask(lab)[1]["file-store"][0]

    mine = lab.dir / "uploads"
    missing = store(mine)
    assert missing["result"] == "problem" and "No such file" in missing["text"]
    assert missing["advice"].startswith("install -d -m 0700 ")
    answer = lab.post("/attachments", b"x", user="root", groups=["it"])
    assert (answer.status, answer.json["code"]) == (503, "file_store_unavailable")
    mine.mkdir()
    mine.chmod(0o755)
    _, found = ask(lab)
    assert found["file-store"][0]["advice"] == f"chmod 0700 {mine}"
    mine.chmod(0o700)
    _, found = ask(lab)
    assert found["file-store"][0]["result"] == "ok"
    assert not list(mine.glob("*/*"))		# the try leaves nothing
    served = lab.dir / "docroot" / "uploads"
    served.mkdir(0o700)
    below = store(served)
    assert below["result"] == "problem" and "document root" in below["text"]


def test_a_reader_that_is_missing(make_lab, tmp_path):
    shutil.copy(EXTRACT, tmp_path)
    lab = make_lab(config=ADMIN, responder_env={"LAMPLIGHTER_LIBEXEC_DIR": str(tmp_path)})
    _, found = ask(lab)
    assert [e["result"] for e in found["extract"]] == ["ok", "problem"]
    assert found["extract"][1]["text"].startswith("Uploaded files cannot be read")


def test_tools_that_cannot_run(make_lab):
    lab = make_lab(config=ADMIN)
    program = lab.dir / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    lab.write_config({"tools": {
        "works": {"kind": "command", "description": "d",
                  "command": {"run": [str(program)]}},
        "broken": {"kind": "command", "description": "d",
                   "command": {"run": [str(program) + "x"]}}}})
    (lab.dir / "programx").write_text("#!/bin/sh\n")
    (lab.dir / "programx").chmod(0o755)
    lab.stop("responder")
    lab.start_responder()
    (lab.dir / "programx").chmod(0o644)
    _, found = ask(lab)
    got = {t["subject"]: t for t in found["tool"]}
    assert got["works"]["result"] == "ok"
    assert got["broken"]["result"] == "problem"
    assert got["broken"]["advice"] == f"chmod 0755 {program}x"
    (lab.dir / "programx").unlink()
    _, found = ask(lab)
    got = {t["subject"]: t for t in found["tool"]}
    assert got["broken"]["result"] == "problem"
    assert f"cannot find {program}x" in got["broken"]["text"]
    assert "broken: {command: {run:" in got["broken"]["advice"]


def test_http_tools(make_lab):
    """Whether the server is there; not the resource, not the credential."""
    away = server(lambda path: (404, b"nothing"))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        nobody = s.getsockname()[1]
    http = {"kind": "http", "description": "d"}
    private = {"allow_private": ["127.0.0.1"]}
    lab = make_lab(config={**ADMIN, "tools": {
        "there": {**http, "http": {"url": away.url + "/secret/x", **private}},
        "closed": {**http, "http": {"url": away.url + "/y"}},
        "gone": {**http, "http": {"url": f"http://127.0.0.1:{nobody}/z",
                                  **private}}}})
    _, found = ask(lab)
    got = {t["subject"]: t["result"] for t in found["tool"]}
    assert got == {"there": "ok", "closed": "problem", "gone": "problem"}
    assert away.paths == ["/"]


def test_mcp_servers(make_lab):
    """One that answers, with what is not accepted yet, and one that does not."""
    server = HostileMcp()
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        nobody = s.getsockname()[1]
    private = {"allow_private": ["127.0.0.1"]}
    lab = make_lab(config={**ADMIN, "mcp_servers": {
        "here": {"url": server.url, **private},
        "away": {"url": f"http://127.0.0.1:{nobody}/mcp", **private}}})
    _, found = ask(lab)
    got = {t["subject"]: t for t in found["tool"]}
    assert got["away"]["result"] == "problem"
    assert got["here"]["result"] == "warning"
    assert "lamplighter mcp accept here" in got["here"]["advice"]
    lab.command("mcp", "accept", "here")
    out = run(lab, "--json")
    got = {t["subject"]: t for t in json.loads(out.stdout)["items"]
           if t["check"] == "tool"}
    assert got["here"]["result"] == "ok" and "1 tools" in got["here"]["text"]
    server.close()


# -- what was measured -------------------------------------------------------------------


GAP, N = 250, 8
STREAMED = [GAP * i for i in range(N)]


@pytest.mark.parametrize("measured,check,result,word", [
    ({"stream": {"status": 200, "arrivalsMs": STREAMED}}, "stream", "ok", ""),
    ({"stream": {"status": 200, "arrivalsMs": [1750] * 8}}, "stream", "problem",
     "server.stream-response-body = 1"),
    ({"stream": {"status": 200, "arrivalsMs": [1750]}}, "stream", "problem", ""),
    ({"stream": {"status": 200, "arrivalsMs": [0, 900, 1750]}}, "stream",
     "warning", "3 pieces"),
    ({"stream": {"status": 503, "arrivalsMs": []}}, "stream", "warning", "503"),
    ({"compressed": {"status": 200, "encoding": "gzip", "arrivalsMs": STREAMED}},
     "compression", "warning", "gzip"),
    ({"compressed": {"status": 200, "arrivalsMs": [5]}, "stream": {
        "status": 200, "arrivalsMs": STREAMED}}, "compression", "problem", "HTTP/2"),
    ({"compressed": {"status": 200, "arrivalsMs": [5]}}, "compression", "ok", ""),
    ({"compressed": {"status": 200, "encoding": "br", "arrivalsMs": [5]}},
     "compression", "problem", "br"),
    ({"protocol": "h2"}, "http", "ok", "h2"),
    ({"protocol": "http/1.1"}, "http", "ok", "six"),
    ({"body": {"sent": 100, "status": 200, "bytes": 100}}, "body", "ok", ""),
    ({"body": {"sent": 100, "status": 413}}, "body", "problem", "413"),
    ({"body": {"sent": 100, "status": 200, "bytes": 7}}, "body", "problem", ""),
    ({"reach": {"status": 0, "error": "no route"}}, "reach", "problem", "no route"),
    ({"reach": {"status": 404, "ours": False, "problem": True}}, "reach",
     "problem", "LAMPLIGHTER_BASE"),
    ({"reach": {"status": 503}}, "reach", "problem", "fastcgi.server"),
    ({"reach": {"status": 503, "problem": True, "detail": "No database."}}, "reach",
     "problem", "is reached and answers 503: No database."),
    ({"reach": {"status": 500, "problem": True, "detail": "The configuration is not valid."}},
     "reach", "problem", "The configuration is not valid."),
    ({"token": {"status": 401, "ours": True, "unknown": True}}, "token", "problem",
     "another instance"),
    ({"token": {"status": 503, "ours": True, "detail": "No database."}}, "token",
     "problem", "with 503: No database."),
    ({"identity": {"status": 503, "ours": True, "signedIn": True, "detail": "No database."}},
     "identity", "problem", "with 503: No database."),
    ({"writes": [{"version": "1.1", "status": 200, "ours": True, "origin": "own"}]}, "origin",
     "ok", ""),
    ({"writes": [{"version": "2", "status": 200, "ours": True, "origin": "foreign",
                  "sent": "https://a.example", "host": "b:8080"}]}, "origin", "problem",
     'server: {origin: "https://a.example"}'),
    ({"writes": [{"version": "2", "status": 403, "ours": True, "code": "csrf_failed"}]},
     "origin", "problem", "another site"),
    ({"writes": [{"version": "1.1", "status": 403}]}, "origin", "problem",
     "not the responder that answered"),
    ({"methods": [{"method": "PATCH", "status": 405, "ours": True}]}, "methods", "ok", ""),
    ({"methods": [{"method": "PUT", "status": 405, "ours": True},
                  {"method": "DELETE", "status": 403}]}, "methods", "warning",
     "blocks DELETE (the status was 403)"),
    ({"quiet": {"status": 200, "ms": 16010, "ended": True}}, "quiet", "ok", "15 s"),
    ({"quiet": {"status": 200, "ms": 10040, "ended": False}}, "quiet", "problem",
     "cut off after 10.0 s"),
    ({"server": "nginx", "compressed": {"status": 200, "encoding": "br", "arrivalsMs": [5]}},
     "compression", "problem", "# nginx, in front:\nbrotli off;\n# lighttpd:"),
    ({"server": "Apache/2.4.66", "body": {"sent": 100, "status": 413}}, "body", "problem",
     "# Apache, in front:\nLimitRequestBody"),
    ({"server": "cloudflare\u0007", "stream": {"status": 200, "arrivalsMs": [1750] * 8}},
     "stream", "problem", "# cloudflare , in front:\nSwitch off buffering"),
    ({"reach": {"status": 301, "location": "https://a/chat/"}}, "reach",
     "problem", "https://a/chat/"),
    ({"reach": {"status": 401}}, "reach", "ok", ""),
    ({"page": {"status": 200, "type": "text/html; charset=utf-8"}}, "page", "ok", ""),
    ({"page": {"status": 404, "type": "text/html"}}, "page", "warning", "alias.url"),
    ({"token": {"status": 401, "ours": False}}, "token", "problem", "Bearer"),
    ({"token": {"status": 200, "ours": True, "kind": "remote_user"}}, "token",
     "problem", "do not arrive"),
    ({"identity": {"status": 200, "ours": True, "signedIn": True, "user": "g",
                   "kind": "anonymous"}}, "identity", "problem", "guest"),
    ({"identity": {"status": 401, "ours": True, "signedIn": True}}, "identity",
     "problem", "REMOTE_USER"),
    ({"identity": {"status": 401, "ours": True, "signedIn": True}}, "identity",
     "problem", "identity: {chain: [{kind: remote_user}"),
    ({"spoof": [{"header": "X", "status": 200, "user": "lamplighter-doctor-spoof",
                 "kind": "remote_user"}]}, "spoof", "problem", "sends X"),
    ({"spoof": [{"header": "X-Auth", "user": "lamplighter-doctor-spoof"}]},
     "spoof", "problem", 'setenv.set-request-header = ("X-Auth" => "")'),
    ({"spoof": [{"header": "Authorization: Basic with a wrong password",
                 "user": "lamplighter-doctor-spoof"}]}, "spoof", "problem",
     "where the password was checked"),
    ({"spoof": [{"header": "X", "status": 401, "user": ""}]}, "spoof", "ok", ""),
])
def test_judgement(lab, measured, check, result, word):
    _, found = ask(lab, measured)
    assert len(found[check]) == 1
    assert found[check][0]["result"] == result, found[check]
    assert word in found[check][0]["text"] + found[check][0]["advice"]


def test_clocks(lab):
    now = int(time.time() * 1000)
    _, found = ask(lab, {"clock": {"clientMs": now - 20000, "processMs": now,
                                   "rttMs": 3, "dateMs": now + 4000}})
    got = {c["subject"]: c["result"] for c in found["clock"]}
    assert got == {"this client": "problem", "the web server": "warning",
                   "the database": "ok"}


@pytest.mark.parametrize("measured", [
    {"stream": {"status": 200, "arrivalsMs": ["x", None, {}, -5, 10**18]}},
    {"stream": [], "reach": 7, "spoof": {"a": 1}, "clock": "x", "page": None},
    {"spoof": [None, 7, {"user": ["x"]}] * 300},
    {"reach": {"status": 0, "error": "\u0001\u0007" + "\u00e4" * 5000}},
    {"reach": {"status": -1, "error": "<script>"}, "server": "\u202e" * 1000},
    {"clock": {"clientMs": -2**63, "processMs": 2**63 - 1, "rttMs": -1,
               "dateMs": 1}},
    {"stream": {"status": 200, "arrivalsMs": list(range(100000))}},
    {"unknown": {"x": 1}},
])
def test_odd_measurements(lab, measured):
    report, _ = ask(lab, measured)
    for item in report["items"]:
        assert len(item["text"]) < 1024 and "\u0007" not in item["text"]


def test_a_body_that_is_wrong(lab):
    for body, status in (({"measured": [1]}, 422), ({}, 422),
                         ({"measured": {}, "other": 1}, 422),
                         ("[", 400)):
        assert lab.post("/doctor", body, user="root", groups=["it"], headers={
            "Content-Type": "application/json"}).status == status


# -- the command --------------------------------------------------------------------------


def test_command_through_the_url(lab):
    out = run(lab, lab.url + "/")
    assert out.returncode == 1, out			# the model's name
    assert f"{lab.url}  (lighttpd)" in out.stdout
    assert "ok       stream: Events arrive as they are sent." in out.stdout
    assert "WARNING  provider demo:" in out.stdout
    tokens = lab.command("token", "list").stdout.splitlines()
    assert tokens and all("revoked" in t for t in tokens if "doctor" in t)


@pytest.mark.parametrize("dropped, believed", [
    (["x-test-user"], ["X_Test_User", "X_Test-User", "X-Test_User"]),
    (["x-test-user", "x_test_user"], ["X_Test-User", "X-Test_User"]),
])
def test_a_proxy_that_drops_some_spellings_only(lab, dropped, believed):
    """It vouches for what it lets through: for X_Test_User of a client."""
    class Proxy(http.server.BaseHTTPRequestHandler):
        def pass_on(self):
            headers = [(k, v) for k, v in self.headers.items()
                       if k.lower() not in (*dropped, "host", "connection")]
            c = http.client.HTTPConnection("127.0.0.1", lab.port, timeout=30)
            c.request(self.command, self.path,
                      self.rfile.read(int(self.headers.get("Content-Length") or 0)),
                      {**dict(headers), "X-Test-Secret": "lab-secret-of-the-proxy"})
            answer = c.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding",
                                        "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = pass_on

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        out = run(lab, "--json", lab.url.replace(str(lab.port), str(proxy.server_port)))
        proxy.shutdown()
    bad = [i["text"] for i in json.loads(out.stdout)["items"]
           if i["check"] == "spoof" and i["result"] == "problem"]
    assert len(bad) == len(believed), out.stdout
    for text, name in zip(bad, believed):
        assert f"sends {name} is believed" in text


class Proxied(http.server.BaseHTTPRequestHandler):
    """A proxy in front that is set up wrong: bad says how."""

    server_version = "nginx"
    sys_version = ""

    def pass_on(self):
        bad, port = self.server.bad, self.server.to
        if bad == "methods" and self.command not in ("GET", "POST"):
            self.send_error(405)
            return
        host = "backend:8080" if bad == "host" else self.headers["Host"]
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        c.request(self.command, self.path,
                  self.rfile.read(int(self.headers.get("Content-Length") or 0)),
                  {**dict(self.headers), "Host": host, "X-Forwarded-For": "192.0.2.1"})
        answer = c.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length",
                                    "server", "date"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        if bad == "quiet" and "quiet" in self.path:
            self.wfile.write(answer.read1())
            return		# as after a read timeout
        while part := answer.read1(65536):
            self.wfile.write(part)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = pass_on

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("bad,check,result,word", [
    ("", "origin", "ok", ""), ("host", "origin", "problem", "proxy_set_header Host $http_host;"),
    ("methods", "methods", "warning", "X-HTTP-Method-Override"),
    ("quiet", "quiet", "problem", "proxy_read_timeout 120s;")])
def test_a_proxy_in_front(lab, bad, check, result, word):
    """The outermost server is named, and what it does to a browser."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxied) as proxy:
        proxy.bad, proxy.to = bad, lab.port
        threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
        out = run(lab, "--json", lab.url.replace(str(lab.port), str(proxy.server_port)))
        proxy.shutdown()
    report = json.loads(out.stdout)
    assert report["front"] == "nginx" and report["server"] == "lighttpd"
    found = {i["check"]: i for i in report["items"]}
    assert found[check]["result"] == result, found[check]
    assert word in found[check]["text"] + found[check]["advice"]
    assert {c for c in ("origin", "methods", "quiet", "stream", "body")
            if found[c]["result"] != "ok"} == ({check} if bad else set())


def test_a_token_of_another_instance(lab, make_lab):
    """Its configuration is not the one that the command reads."""
    other = make_lab(config=ADMIN)
    out = run(other, "--json", lab.url)
    found = {i["check"]: i for i in json.loads(out.stdout)["items"]}
    assert found["token"]["result"] == "problem"
    assert "another instance" in found["token"]["text"] and not found["token"]["advice"]
    assert "could not be reached" not in found["base"]["text"]


def test_socket_that_ends_with_its_process(make_lab):
    """The responder has -r here; without it requests are refused meanwhile."""
    lab = make_lab(config=ADMIN)
    _, found = ask(lab)
    assert found["restart"][0]["result"] == "ok"
    lab.stop("responder")
    lab.responder_argv = lambda: [RESPONDER, "-c", lab.config_file, "-s",
                                  lab.responder_socket]
    lab.start_responder()
    _, found = ask(lab)
    [finding] = found["restart"]
    assert finding["result"] == "warning" and "refused" in finding["text"]
    assert "lamplighter.socket" in finding["advice"]


def test_command_exit_codes(make_lab):
    lab = make_lab(config=ADMIN)
    services = lab.default_config()["llm_services"]
    lab.write_config({"workspaces_dir": "w2", "llm_services": {
        id: {**service, "model": "lamplighter-demo"}
        for id, service in services.items()}})
    (lab.dir / "w2").mkdir()
    (lab.dir / "w2/w.yaml").write_text('{"workspace": "w", "name": "W"}')
    lab.config_file.chmod(0o600)
    lab.stop("responder")
    lab.start_responder()
    out = run(lab, "--json", lab.url)
    assert out.returncode == 0, out.stdout
    assert json.loads(out.stdout)["result"] == "ok"
    out = run(lab)
    assert out.returncode == 0 and "from this machine" in out.stdout
    lab.stop("responder")
    out = run(lab, "--json", lab.url)
    assert out.returncode == 2
    items = {i["check"]: i for i in json.loads(out.stdout)["items"]}
    assert items["reach"]["result"] == "problem" and "503" in items["reach"]["text"]
    assert items["database"]["result"] == "ok"	# looked at from here
    assert "could not be reached" in items["base"]["text"]
    lab.start_responder()


def test_command_without_a_role(make_lab):
    lab = make_lab()
    out = run(lab, "--json", lab.url)
    items = {i["check"]: i for i in json.loads(out.stdout)["items"]}
    assert "AI.Admin.Doctor" in items["token"]["advice"]
    assert items["reach"]["result"] == "ok"


@pytest.mark.parametrize("argv", [
    ["ftp://x"], ["--user", "a"], ["--nonsense"], ["http://a", "http://b"],
    ["--user", "a:b", "http://x"], ["http://x/chat?a"], ["http://x/#a"],
    ["--user", "a", "http://x"]])
def test_command_line(lab, argv):
    out = run(lab, *argv)
    assert out.returncode == 2 and "usage: lamplighter" in out.stderr


def test_command_with_a_broken_configuration(make_lab):
    lab = make_lab()
    lab.config_file.write_text("nonsense: 1\n")
    out = run(lab)
    assert out.returncode == 2 and "nonsense" in out.stderr


def test_command_against_odd_servers(lab):
    """Whatever answers there: findings, no crash."""
    for status, body in ((200, b"{}"), (302, b""), (200, b"<html>" * 100000),
                         (500, b"\xff\xfe"), (404, b'{"status":"ok"}')):
        odd = server(lambda path, s=status, b=body: (s, b))
        out = run(lab, "--json", odd.url)
        items = {i["check"]: i for i in json.loads(out.stdout)["items"]}
        assert items["reach"]["result"] == "problem", (status, body[:20])
