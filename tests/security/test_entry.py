# SPDX-License-Identifier: MIT
"""What the door lets in: who a request is from, what it may say about itself, how
slowly it may come, under which name (issue: headers that come twice, options in a
URL, any Host, slow bodies, core dumps)."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from fastcgi import Request
from lab import COMMAND, RESPONDER, wait_until

SECRET = ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy")
ADA = [("HTTP_X_TEST_USER", "ada"), ("HTTP_X_TEST_GROUPS", "-"), SECRET]


def ask(lab, params, method="GET", path="/me", body=None):
    request = Request(lab, method, path, params,
                      None if body is None else len(body))
    if body:
        request.send(body)
    request.send(b"")
    status, text = request.answer()
    return status, json.loads(text) if text else None


# -- what decides comes once ---------------------------------------------------------

def test_asked_straight(lab):
    status, me = ask(lab, ADA)
    assert status == 200 and me["user"] == "ada" and me["groups"] == []


@pytest.mark.parametrize("name, value", [
    ("HTTP_X_TEST_USER", "root"), ("HTTP_X-TEST-USER", "root"),
    ("HTTP_x_test_user", "root"), ("HTTP_X_TEST_GROUPS", "it"),
    ("HTTP_X_TEST-GROUPS", "it"), SECRET,
    *[(name, "x") for name in (
        "HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_HOST", "HTTP_ORIGIN",
        "HTTP_SEC_FETCH_SITE", "HTTP_IDEMPOTENCY_KEY", "HTTP_IF_MATCH",
        "HTTP_IF_NONE_MATCH", "HTTP_LAST_EVENT_ID", "HTTP_X_API_TOKEN",
        "HTTP_X_REQUESTED_WITH", "HTTP_TRANSFER_ENCODING")],
    ("CONTENT_LENGTH", "0"), ("CONTENT_TYPE", "application/json"),
])
def test_what_decides_comes_once(lab, name, value):
    """Whichever comes first: what a client smuggles in must not depend on it."""
    plain = name.upper().replace("-", "_")
    there = any(plain == known for known, _ in ADA)
    first = [] if there or plain == "HTTP_SEC_FETCH_SITE" else [(plain, value)]
    for params in (ADA + first + [(name, value)], first + [(name, value)] + ADA):
        status, problem = ask(lab, params)
        assert status == 400 and problem["code"] == "bad_request", params
        assert "twice" in problem["detail"]


def test_groups_that_no_token_can_hold(lab):
    """They are kept as JSON, which doubles each backslash."""
    groups = ",".join(f"{i}" + 10000 * "\\" for i in range(4))
    carl = [("HTTP_X_TEST_USER", "carl"), ("HTTP_X_TEST_GROUPS", groups), SECRET]
    status, problem = ask(lab, carl, "POST", "/tokens", b"{}")
    assert (status, problem["code"]) == (413, "too_large"), problem
    assert "groups" in problem["detail"]


def test_what_the_server_alone_can_set_may_come_twice(lab):
    """nginx: stock parameters, and behind them the admin's."""
    status, me = ask(lab, ADA + [("REMOTE_ADDR", "203.0.113.1"),
                                 ("REMOTE_ADDR", "127.0.0.1"),
                                 ("HTTP_ACCEPT", "a"), ("HTTP_ACCEPT", "b")])
    assert status == 200 and me["user"] == "ada"


@pytest.mark.parametrize("smuggled", ["X_Test_User: root", "X_Test_User:root",
                                      "x_TEST-user: root",
                                      "X_Test_Groups: it"])
def test_a_name_with_underscores_through_lighttpd(lab, smuggled):
    """A proxy sets X-Test-User, and takes that one away only."""
    import socket
    head = "".join(f"{k}: {v}\r\n" for k, v in lab.identity("ada").items())
    for lines in (head + smuggled + "\r\n", smuggled + "\r\n" + head):
        with socket.create_connection(("127.0.0.1", lab.port), 60) as s:
            s.sendall((f"GET {lab.base}/api/v1/me HTTP/1.1\r\nHost: localhost\r\n"
                       f"{lines}Connection: close\r\n\r\n").encode())
            answer = b""
            while piece := s.recv(65536):
                answer += piece
        assert b" 400 " in answer.split(b"\r\n", 1)[0] + b" ", answer
        assert b'"root"' not in answer and b'"it"' not in answer


def test_the_groups_header_must_be_there(lab):
    """Where a proxy leaves it out, a client's own would be believed."""
    status, problem = ask(lab, [p for p in ADA if "GROUPS" not in p[0]])
    assert status == 401 and problem["code"] == "unauthenticated"
    assert "the groups header is missing" in lab.log("responder")
    for none in ("", "-", " - "):
        status, me = ask(lab, [ADA[0], ("HTTP_X_TEST_GROUPS", none), SECRET])
        assert status == 200 and me["groups"] == [], none
    status, me = ask(lab, [ADA[0], ("HTTP_X_TEST_GROUPS", "a,-,-b"), SECRET])
    assert status == 200 and me["groups"] == ["a", "-b"]


# -- the anonymous user has hosts -----------------------------------------------------

@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil",
    "127.0.0.2", "", "[::2]:80", "[::1]evil", "a:localhost", "localhost:80:80",
    "*", "127.0.0.1@evil.example",
])
def test_a_strange_name_has_no_guest(lab, host):
    """A page anywhere can bind its name to 127.0.0.1 and read what we answer."""
    status, problem = ask(lab, [("HTTP_HOST", host)])
    assert status == 421 and problem["code"] == "misdirected_request"
    # Who says who they are may come under any name.
    assert ask(lab, ADA + [("HTTP_HOST", host)])[0] == 200


def test_no_name_has_no_guest(lab):
    assert ask(lab, [])[0] == 421


@pytest.mark.parametrize("host", [
    "localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]",
    "[::1]:8080", "localhost.",
])
def test_names_of_this_host_have_one(lab, host):
    status, me = ask(lab, [("HTTP_HOST", host)])
    assert status == 200 and me["identityKind"] == "anonymous"


def test_hosts_are_configured(make_lab):
    lab = make_lab(config={"identity": {"chain": [
        {"kind": "anonymous", "hosts": ["chat.example.org", "*.intra.example"]}]}},
        web=False)
    for host, status in (("chat.example.org", 200), ("CHAT.example.org:8", 200),
                         ("a.b.intra.example", 200), ("intra.example", 421),
                         (".intra.example", 421), ("xintra.example", 421),
                         ("127.0.0.1", 421), ("localhost", 421)):
        assert ask(lab, [("HTTP_HOST", host)])[0] == status, host


@pytest.mark.parametrize("hosts", [[], ["http://x"], ["x:80"], ["*.*"], ["a b"],
                                   ["[::1"], ["[x]"], [""]])
def test_hosts_that_are_none(lab, tmp_path, hosts):
    config = tmp_path / "lamplighter.yaml"
    config.write_text(json.dumps({"identity": {"chain": [
        {"kind": "anonymous", "hosts": hosts}]}}))
    out = subprocess.run([COMMAND, "-c", config, "check"], capture_output=True,
                         text=True, check=False)
    assert out.returncode and "hosts" in out.stdout + out.stderr


def test_doctor_says_so(make_lab):
    lab = make_lab(config={"identity": {"chain": [
        {"kind": "anonymous", "hosts": ["*"]}]}}, web=False)
    for hosts, want in ((["*"], "warning"), (["localhost", "::"], None),
                        (["a.example", "[::1]"], "ok")):
        lab.write_config({"identity": {"chain": [
            {"kind": "anonymous", "hosts": hosts}]}})
        out = lab.command("doctor", "--json", check=False).stdout
        found = [i for i in json.loads(out or "{}").get("items", ())
                 if i["check"] == "hosts"]
        assert [i["result"] for i in found] == ([want] if want else []), out
        if want == "ok":
            assert "limited to a.example, [::1]." in found[0]["text"]


@pytest.mark.parametrize("value, is_open", [
    ("${LAB_SECRET}", False), ("Bearer-of-${LAB_SECRET}", False),
    ("a-secret-in-the-file", True), ("${LAB_SECRET:-a-secret-in-the-file}", True),
    ("$${LAB_SECRET}-in-the-file", True)])
def test_a_name_is_no_open_password(make_lab, value, is_open):
    lab = make_lab(web=False, services={"claude": {"api_key": value}},
                   responder_env={"LAB_SECRET": "of-sixteen-characters"},
                   config={"identity": {"chain": [{"kind": "api_token"}]}})
    password = os.environ["LAMPLIGHTER_TEST_DB_PASSWORD"]
    text = lab.config_file.read_text().replace(
        f'"password": "{password}"', '"password": "${LAMPLIGHTER_TEST_DB_PASSWORD}"')
    lab.config_file.write_text(text)
    lab.config_file.chmod(0o644)
    out = lab.command("doctor", "--json", check=False).stdout
    found = [i for i in json.loads(out)["items"]
             if i["subject"].endswith("lamplighter.yaml")]
    assert len(found) == is_open, found
    if is_open:
        assert "contains passwords" in found[0]["text"]


# -- plain CGI reads no options -------------------------------------------------------

def cgi(lab, *argv, target="/me", env=None, **kw):
    return subprocess.run(
        [RESPONDER, *argv], capture_output=True, timeout=60, check=False,
        stdin=subprocess.DEVNULL, **kw, env={
            **os.environ, "LAMPLIGHTER_CONFIG": str(lab.config_file),
            "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET",
            "REQUEST_URI": f"{lab.base}/api/v1{target}", "HTTP_HOST": "localhost",
            "LAMPLIGHTER_BASE": lab.base, "REMOTE_ADDR": "127.0.0.1",
            **(env or {})})


@pytest.fixture
def evil(lab, tmp_path):
    """The deployment's configuration, but everybody is an admin."""
    config = json.loads(lab.config_file.read_text())
    config["identity"] = {"chain": [{"kind": "anonymous", "user": "root",
                                     "hosts": ["*"]}]}
    (tmp_path / "workspaces.d").mkdir()
    (tmp_path / "prompts.d").mkdir()
    path = tmp_path / "evil.yaml"
    path.write_text(json.dumps(config))
    return path


@pytest.mark.parametrize("target", ["/me", "/health", "/ready"])
@pytest.mark.parametrize("variables", [("GATEWAY_INTERFACE",), ("REQUEST_METHOD",),
                                       ()])
def test_a_url_gives_no_options(lab, evil, tmp_path, target, variables):
    """Apache passes the query ?-c+/path as the arguments -c and /path."""
    there = cgi(lab, target=target)
    for argv in (("-c", evil), (f"-c{evil}",), ("-V",), ("-h",), ("-x",), ("word",),
                 ("-s", tmp_path / "socket"), ("-c", "/does/not/exist"),
                 ("--", "x")):
        out = cgi(lab, *argv, target=target)
        head, _, body = out.stdout.partition(b"\r\n\r\n")
        assert head.startswith(b"Status: 200"), (argv, out)
        assert b'"root"' not in body
        assert len(body) == len(there.stdout.partition(b"\r\n\r\n")[2])
        assert not (tmp_path / "socket").exists()
    for name in variables:		# one of them is enough
        env = {k: v for k, v in os.environ.items()}
        env.update({"LAMPLIGHTER_CONFIG": str(lab.config_file), name: "GET"})
        out = subprocess.run([RESPONDER, "-V"], env=env, capture_output=True,
                             stdin=subprocess.DEVNULL, timeout=60, check=False)
        assert b"lamplighter " not in out.stdout.split(b"\n", 1)[0]


def test_options_on_a_shell(lab):
    out = subprocess.run([RESPONDER, "-V"], capture_output=True, check=True)
    assert out.stdout.startswith(b"lamplighter ")


def test_the_command_is_no_cgi(lab):
    out = subprocess.run(
        [COMMAND, "-c", lab.config_file, "token", "create", "--user", "root"],
        env={**os.environ, "GATEWAY_INTERFACE": "CGI/1.1"}, capture_output=True,
        text=True, check=False)
    assert out.stdout.startswith("Status: 403") and "lamp_" not in out.stdout
    assert not lab.sql("SELECT * FROM api_token WHERE login = 'root'")


# -- slow bodies ------------------------------------------------------------------------

@pytest.fixture(scope="module")
def slow():
    from lab import Lab
    from labs import WORKSPACES
    with Lab(workspaces=WORKSPACES, web=False, config={
            "limits": {"body_s": 3, "body_bytes": 65536}}) as lab:
        yield lab


def drip(request, n):
    """A byte now and then, until the responder has had enough."""
    import select
    request.send(b'{"content": "')
    for _ in range(n):
        if select.select([request.socket], [], [], 0.25)[0]:
            return
        if not request.send(b"x"):
            return


def test_a_slow_body_ends(slow):
    """Each byte came in time; all together did not."""
    began = time.monotonic()
    request = Request(slow, "POST", "/chat/lab/complete", ADA, 60000)
    drip(request, 400)
    status, text = request.answer()
    assert status == 408 and json.loads(text)["code"] == "request_timeout"
    assert time.monotonic() - began >= 2.9


def test_a_silent_body_ends(slow):
    request = Request(slow, "POST", "/chat/lab/complete", ADA, 60000)
    assert request.answer()[0] == 408


def test_a_slow_body_that_nobody_wants_ends(slow):
    """It is refused before it is read, and what is left of it is not waited for
    longer than a body may take."""
    request = Request(slow, "POST", "/chat/lab/complete", [], 60000)
    drip(request, 400)
    assert request.answer()[0] in (401, 421)


def test_a_refused_body_is_not_waited_for(make_lab):
    """As long as a wanted one may take: a worker for five minutes."""
    lab = make_lab(config={"limits": {"body_s": 300, "body_rate_bytes": 0}},
                   web=False)
    began = time.monotonic()
    request = Request(lab, "POST", "/chat/lab/complete", [], 60000)
    drip(request, 400)
    assert request.answer()[0] in (401, 421)
    assert time.monotonic() - began < 30


def test_a_body_in_pieces_arrives(slow):
    body = json.dumps({"workspaceId": "lab"}).encode()
    request = Request(slow, "POST", "/conversations", ADA, len(body))
    for i in range(len(body)):
        request.send(body[i:i + 1])
    request.send(b"")
    assert request.answer()[0] == 201
    # Without a length too, to its end.
    request = Request(slow, "POST", "/conversations",
                      ADA + [("CONTENT_TYPE", "application/json")])
    request.send(body[:5])
    request.send(body[5:])
    request.send(b"")
    assert request.answer()[0] == 201


def test_a_slow_body_of_plain_cgi_ends(slow):
    process = subprocess.Popen(
        [RESPONDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={
            **os.environ, "LAMPLIGHTER_CONFIG": str(slow.config_file),
            "REQUEST_METHOD": "POST", "CONTENT_LENGTH": "60000",
            "CONTENT_TYPE": "application/json", **dict(ADA),
            "REQUEST_URI": f"{slow.base}/api/v1/conversations",
            "LAMPLIGHTER_BASE": slow.base, "REMOTE_ADDR": "127.0.0.1",
            "HTTP_SEC_FETCH_SITE": "same-origin"})
    process.stdin.write(b"{")
    process.stdin.flush()
    head = process.stdout.read()
    process.stdin.close()
    process.wait(60)
    assert head.startswith(b"Status: 408"), head


# -- memory -----------------------------------------------------------------------------

@pytest.mark.parametrize("allowed", [False, True])
def test_no_core_dumps(make_lab, allowed):
    """The files of a process that may not be dumped are root's, whoever runs it."""
    lab = make_lab(config={"core_dumps": allowed} if allowed else {}, web=False)
    root = os.geteuid() == 0
    account = 65534 if root else os.geteuid()
    path = lab.dir / "other" / "fcgi.sock"
    path.parent.mkdir()
    # The build may be in a directory that the account cannot enter.
    program = shutil.copy(RESPONDER, lab.dir / "other")
    if root:		# whose own files are no sign
        os.chown(path.parent, account, account)
        lab.dir.chmod(0o755)
        for file in lab.dir.rglob("*"):
            if file.is_dir() or file.suffix == ".yaml":
                file.chmod(0o755)
    # Nor can the account write where the reports of sanitizers go.
    reports = path.parent / "report"
    env = {key: re.sub("log_path=[^:]*", f"log_path={reports}", value)
           for key, value in os.environ.items()}
    process = subprocess.Popen(
        [program, "-c", lab.config_file, "-s", path], stdin=subprocess.DEVNULL, env=env,
        **({"user": account, "group": account} if root else {}))
    try:
        wait_until("its socket", lambda: path.exists() or
                   process.poll() is not None, 60)
        assert process.poll() is None
        owner = os.stat(f"/proc/{process.pid}/environ").st_uid
        assert owner == (account if allowed else 0)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert not list(path.parent.glob("report.*"))
