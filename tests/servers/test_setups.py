# SPDX-License-Identifier: MIT
"""Every web server, under every kind of path, with sign-in in front."""

import gzip
import http.client
import json
import re
import socket
import time
import urllib.parse

import pytest

from lab import ROOT, wait_until
from web import INDEX, KINDS, MODULES, PASSWORD, SCRIPT, SHEET, USER, Deployment, basic

BASES = {"root": "/", "chat": "/chat", "blank": "/intranet/ai chat"}
CAP = 1048576		# limits.body_bytes


@pytest.fixture(scope="module", params=[
    (kind, base) for kind in KINDS for base in BASES],
    ids=lambda p: f"{p[0]}-{p[1]}")
def site(request, deployment):
    kind, base = request.param
    with KINDS[kind](deployment, BASES[base]) as site:
        yield site


def prefix(site):
    return urllib.parse.quote(site.base.rstrip("/"))


def test_page(site):
    page = site.call("GET", f"/{prefix(site)}/")
    assert page.status == 200 and page.body.decode() == INDEX
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    for path in "app.js", "js/deep.mjs":
        script = site.call("GET", f"/{prefix(site)}/{path}")
        assert script.status == 200 and script.body.decode() == SCRIPT
        # Browsers run a module under this type only.
        assert script.headers["Content-Type"].startswith("text/javascript")
    assert site.call("GET", f"/{prefix(site)}/none.js").status == 404


def test_what_has_a_hash_in_its_name_is_kept_and_compressed(site):
    coded = {"br": b"br"} if site.kind != "nginx" else {}
    for name, text, kind in ("a-1.js", SCRIPT, "javascript"), ("a-1.css", SHEET, "css"):
        for asked, coding in {"": "identity", "gzip": "gzip", "gzip, deflate": "gzip",
                              "gzip, deflate, br, zstd": "br" if coded else "gzip"}.items():
            answer = site.call("GET", f"/{prefix(site)}/page/{name}",
                               headers={"Accept-Encoding": asked or "identity"})
            assert answer.status == 200, (name, asked)
            assert answer.headers.get_all("Content-Encoding", ["identity"]) == [coding]
            body = gzip.decompress(answer.body) if coding == "gzip" else answer.body
            assert body == (coded[coding] if coding == "br" else text.encode()), (name, asked)
            assert answer.headers["Content-Type"].startswith(f"text/{kind}")
            assert answer.headers.get_all("Cache-Control") == ["max-age=31536000, immutable"]
            assert answer.headers.get_all("Vary") == ["Accept-Encoding"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
    # of another version, perhaps: the next request may find it
    for asked in "identity", "gzip, br":
        answer = site.call("GET", f"/{prefix(site)}/page/a-2.js",
                           headers={"Accept-Encoding": asked})
        assert answer.status == 404
        assert "immutable" not in answer.headers.get("Cache-Control", "")
        assert answer.headers.get("Content-Encoding", "gzip") == "gzip"
        assert b"<" in answer.body or b"<" in gzip.decompress(answer.body)
    assert site.call("GET", f"/{prefix(site)}/page/a-1.js", user=None).status == 401


def test_path_without_its_slash_leads_to_the_page(site):
    if site.base == "/":
        return
    answer = site.call("GET", f"/{prefix(site)}")
    assert answer.status in (301, 302)
    target = urllib.parse.urlsplit(answer.headers["Location"])
    assert target.path == prefix(site) + "/"
    assert target.netloc in ("", f"127.0.0.1:{site.port}")
    assert site.call("GET", f"/{prefix(site)}x/api/v1/health").status == 404


def test_sign_in_is_asked_for(site):
    for path in f"/{prefix(site)}/", f"/{prefix(site)}/api/v1/me":
        answer = site.call("GET", path, user=None)
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"].startswith("Basic realm=")
        assert site.call("GET", path, user=None,
                         headers=basic(USER, "wrong")).status == 401


def test_user_of_the_server_arrives(site):
    me = site.get("/me").json
    assert me["user"] == USER and me["identityKind"] == "remote_user"
    # The server's user, whatever else a client claims to be.
    for name in "Remote-User", "REMOTE_USER", "X-Remote-User", "Auth-Type":
        assert site.get("/me", headers={name: "eve"}).json["user"] == USER


def test_names_with_underscores_do_not_arrive(site):
    """They would be the same parameters as X-Remote-User and the like."""
    for name in ("X_Remote_User", "X-Remote_User", "X_Remote-User",
                 "x_remote_groups", "x-remote_groups", "x_remote-groups",
                 "X_Lamplighter_Secret", "X-Lamplighter_Secret",
                 "X_Lamplighter-Secret"):
        answer = site.get("/me", headers={name: "eve"})
        # nginx and Apache leave such a header out, lighttpd has to be told to refuse it.
        assert answer.status == (403 if site.kind.startswith("lighttpd") else 200), name
        assert answer.status == 403 or answer.json["user"] == USER


def test_headers_come_once(site):
    """Those of the page are not added to answers of the responder."""
    for path in "/me", f"/{prefix(site)}/plain/":
        answer = site.get(path) if path == "/me" else site.call("GET", path)
        assert answer.status == 200
        for name in ("X-Content-Type-Options", "Cache-Control",
                     "Content-Security-Policy", "Referrer-Policy"):
            assert len(answer.headers.get_all(name, [])) <= 1, (path, name)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/health", "/ready", "/me"])
def test_a_query_is_no_option(site, path):
    """Of a query without "=" Apache makes arguments of a CGI program."""
    for query in ("-V", "-h", "-c+/does/not/exist", "-c/does/not/exist",
                  "-s+/does/not/exist", "-x", "word"):
        answer = site.get(f"{path}?{query}")
        assert answer.status == 422, (query, answer)
        assert answer.json["code"] == "unknown_field"


def test_what_keeps_a_process_says_so(site):
    """Pages do not hold a stream open where each is a process."""
    assert site.get("/me").json["notifications"] == (
        "poll" if site.kind in ("apache-fcgid", "apache-cgi") else "stream")
    first = site.get("/notifications?wait=0").json
    assert first["items"] == []
    made = site.post("/conversations", {"workspaceId": "lab", "title": "N"}).json
    wait_until("the notice of it", lambda: any(
        item["event"] == "conversation" and
        item["data"]["conversationId"] == made["conversationId"]
        for item in site.get(f"/notifications?wait=0&after={first['lastId']}")
        .json["items"]))


def new_token(site):
    out = site.deployment.command("token", "create", "--user", "robot").stdout
    return next(w for w in out.split() if w.startswith("lamp_"))


def test_programs_sign_in_by_token(site):
    secret = new_token(site)
    bearer = {"Authorization": f"Bearer {secret}"}
    assert site.get("/me", user=None, headers=bearer).json["user"] == "robot"
    wrong = {"Authorization": f"Bearer {secret}x"}
    answer = site.get("/me", user=None, headers=wrong)
    assert answer.status == 401 and answer.json["code"] == "unauthenticated"
    both = {"X-Api-Token": secret}
    assert site.get("/me", headers=both).json["user"] == "robot"


def test_other_interfaces_are_there_as_well(site):
    """Beside api/v1; programs find OpenAI's with their token."""
    secret = new_token(site)
    answer = site.call("GET", f"/{prefix(site)}/openai/v1/models", user=None,
                       headers={"Authorization": f"Bearer {secret}"})
    assert answer.status == 200 and answer.json["object"] == "list"


def test_every_method_passes(site):
    made = site.post("/conversations", {"workspaceId": "lab"})
    assert made.status == 201, made
    path = f"/conversations/{made.json['conversationId']}"
    assert site.call("PATCH", path, {"title": "Grüße"}).json["title"] == "Grüße"
    assert site.get("/conversations?pageSize=1&q=Gr%C3%BC").json["items"][0][
        "title"] == "Grüße"
    assert site.call("HEAD", "/health").status == 200
    assert site.call("DELETE", path).status == 204
    assert site.get(path).status == 404


def measure_tokens(site):
    """A turn with a tool call; the model takes its time for the answer. When
    its tokens came."""
    stream = site.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "query_data", "args": {
            "dataset": "tickets", "aggregates": [{"fn": "count"}]}}],
        "then": {"tokens": 30, "rate": 25}})})
    assert stream.status == 200
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert not stream.headers["Content-Encoding"]
    times, names, text = [], [], ""
    for event in stream:
        names.append(event.name)
        if event.name == "tool-result":
            assert event.data["result"]["rows"] == [[40]]
        if event.name == "token":
            times.append(time.monotonic())
            text += event.data["delta"]
    stream.close()
    assert names[-1] == "done" and names.index("tool-result") < len(names) - 25
    assert event.data["content"] == text
    return times


def test_events_arrive_as_they_are_made(site):
    """P-F7: the samples of all servers let them through. Where a server
    holds them back it does so each time; where this machine is busy, they come
    late now and then."""
    for _ in range(3):
        # The tokens take 1.2 s. Held back, they come within a few ms.
        times = measure_tokens(site)
        gaps = [b - a for a, b in zip(times, times[1:])]
        if times[-1] - times[0] > 0.6 and sum(gap > 0.01 for gap in gaps) > 15:
            return
    raise AssertionError(gaps)


@pytest.mark.parametrize("path", [
    "/api/v1%2Fme", "/api%2Fv1/me", "/api/v1//me", "//api/v1/me",
    "/api//v1/me", "/api/v1/./me", "/api/v1/x/../me", "/api/../api/v1/me",
    "/api/v1/%2e%2e/v1/me", "/api/%2E/v1/me", "/api/v1/me%00", "/api/v1/me/",
    "/api/v1/me%20", "/api/v1/m%65", "/api\\v1\\me", "/api/v1/me;x"])
def test_odd_paths_are_not_routes(site, path):
    status, body = site.raw(prefix(site) + path)
    assert status in ((400, 404) if "%00" in path else (404,)), body


def test_bodies_arrive_up_to_the_cap(site):
    """Also such as come in pieces, and none beyond."""
    text = json.dumps({"workspaceId": "lab", "title": "Big"}).encode()
    for size, status in ((CAP, 201), (CAP + 1, 413), (3 * CAP, 413)):
        for pieces in False, True:
            connection = http.client.HTTPConnection("127.0.0.1", site.port)
            body = text.ljust(size)
            connection.request(
                "POST", f"{prefix(site)}/api/v1/conversations",
                (body[i:i + 65536] for i in range(0, size, 65536)) if pieces
                else body, {**basic(USER, PASSWORD),
                            "Sec-Fetch-Site": "same-origin",
                            "Content-Type": "application/json"},
                encode_chunked=pieces)
            answer = connection.getresponse()
            got = answer.read()
            connection.close()
            assert answer.status == status, (size, pieces, got)
            if status == 413:
                assert json.loads(got)["code"] == "too_large"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pieces", [False, True], ids=["announced", "pieces"])
def test_large_bodies_are_answered(make_site, kind, pieces):
    """Whoever refuses them, the web server or the responder."""
    site = make_site(kind)
    for size in 17 << 20, 30 << 20:
        connection = http.client.HTTPConnection("127.0.0.1", site.port)
        connection.request(
            "POST", "/chat/api/v1/conversations",
            (b" " * 65536 for _ in range(size // 65536)) if pieces else b" " * size,
            {**basic(USER, PASSWORD), "Sec-Fetch-Site": "same-origin",
             "Content-Type": "application/json"}, encode_chunked=pieces)
        answer = connection.getresponse()
        assert answer.status == 413, (size, answer.read())
        connection.close()


@pytest.mark.parametrize("kind", KINDS)
def test_without_sign_in_nobody_can_claim_a_name(make_site, kind):
    """The sample without its sign-in; on nginx even with REMOTE_USER passed on."""
    site = make_site(kind, sign_in=False)
    assert site.get("/health", user=None).status == 200
    for headers in ({"Remote-User": USER}, {"REMOTE_USER": USER},
                    {"X-Remote-User": USER}, {"X-Forwarded-User": USER},
                    {"AUTH_TYPE": "Basic", "Remote-User": USER},
                    {"Auth-Type": "Basic", "Lamplighter-Auth": "1", **basic()},
                    basic(), basic(USER, "")):
        answer = site.get("/me", user=None, headers=headers)
        assert answer.status == 401, headers
        assert answer.json["code"] == "unauthenticated"


@pytest.mark.parametrize("kind", KINDS)
def test_a_site_whose_port_was_taken_takes_another_one(deployment, kind):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        site = KINDS[kind](deployment)
        site.port = taken
        with site:
            assert site.port != taken
            assert site.get("/health").status == 200


def test_parameter_of_the_admins_vouches_for_the_user(make_site):
    """proof_param, for a server that sends no AUTH_TYPE."""
    def vouch(text):
        line = "fastcgi_param AUTH_TYPE Basic;"
        assert line in text
        return text.replace(line, "fastcgi_param LAMPLIGHTER_AUTH 1;")

    chain = {"chain": [{"kind": "remote_user", "proof_param": "LAMPLIGHTER_AUTH"}]}
    claims = {"Lamplighter-Auth": "1", "LAMPLIGHTER_AUTH": "1", **basic()}
    with Deployment(config={"identity": chain}) as own:
        signed = make_site("nginx", deployment=own, edit=vouch)
        assert signed.get("/me").json["user"] == USER
        unproven = make_site("nginx", deployment=own,
                             edit=lambda text: vouch(text).replace(
                                 "fastcgi_param LAMPLIGHTER_AUTH 1;", ""))
        assert unproven.get("/me", headers=claims).status == 401
        open_one = make_site("nginx", deployment=own, sign_in=False)
        assert open_one.get("/me", user=None, headers=claims).status == 401
        for site in signed, unproven, open_one:
            site.__exit__()


def says(server, begins):
    """What docs/identity.md has for a server, as it stands there."""
    [row] = [line for line in (ROOT / "docs/identity.md").read_text().splitlines()
             if line.startswith(f"| {server} |")]
    lines = [part.replace("\\|", "|").replace("alice", USER)
             for part in re.findall(r"`([^`]+)`", row) if part.startswith(begins)]
    assert lines, row
    return "\n".join(lines) + "\n"


RULES = says("Apache", "Rewrite")
SAYS_IT = {
    "apache-proxy": lambda text: f"LoadModule rewrite_module {MODULES}/mod_rewrite.so\n" +
    text.replace("\tCGIPassAuth On\n", "\tCGIPassAuth On\n" + RULES),
    "apache-fcgid": lambda text: f"LoadModule rewrite_module {MODULES}/mod_rewrite.so\n" +
    text.replace("\tCGIPassAuth On\n", "\tCGIPassAuth On\n" + RULES),
    "apache-cgi": lambda text: text.replace("CGIPassAuth On\n", "CGIPassAuth On\n" + RULES),
    "nginx": lambda text: text.replace(
        "fastcgi_param REMOTE_USER $remote_user;",
        "fastcgi_param REMOTE_USER $remote_user;\n" + says("nginx", "fastcgi_param")),
}


@pytest.mark.parametrize("kind", SAYS_IT)
def test_groups_that_the_web_server_names(make_site, kind):
    """As docs/identity.md makes somebody an administrator."""
    site = make_site(kind, edit=SAYS_IT[kind],
                     **({"beside": says("nginx", "map")} if kind == "nginx" else {}))
    me = site.get("/me").json
    assert me["groups"] == ["it"] and "admin" in me["roles"], me


@pytest.fixture(scope="module")
def with_groups():
    with Deployment(config={"groups": {"it": [USER]}}) as made:
        yield made


@pytest.mark.parametrize("kind", KINDS)
def test_groups_of_the_configuration(with_groups, kind):
    """The same with every server."""
    with KINDS[kind](with_groups, "/chat") as site:
        me = site.get("/me").json
        assert me["groups"] == ["it"] and "admin" in me["roles"], me
