# SPDX-License-Identifier: MIT
"""doctor against web servers that are set up wrong: it names what and how."""

import json
import os
import re
import subprocess

import pytest

from lab import COMMAND
from report import doctor, the
from web import KINDS, PASSWORD, USER


def drop(line):
    """Takes a line of the sample away, as an admin might have."""
    def edit(text):
        changed = re.sub(rf"(?m)^\s*{line}.*\n", "", text)
        assert changed != text, line
        return changed
    return edit


@pytest.fixture
def site_of(make_site, deployment):
    """A site whose responder finds the schema, as an installed one does."""
    line = f'LAMPLIGHTER_SQL_DIR "{deployment.dir}/share/sql"\n'
    front = {"apache-fcgid": "FcgidInitialEnv " + line}

    def make(kind, base="/chat", edit=str, **kw):
        return make_site(kind, base, edit=lambda text: front.get(kind, "") +
                         edit(text), **kw)
    return make


NAMES = {"lighttpd": "lighttpd", "lighttpd-spawn": "lighttpd, which starts the responder",
         "apache-proxy": "Apache with mod_proxy_fcgi",
         "apache-fcgid": "Apache with mod_fcgid",
         "apache-cgi": "Apache with plain CGI", "nginx": "nginx"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_samples_are_fine(site_of, kind):
    site = site_of(kind, "/intranet/ai chat")
    report, found = doctor(site)
    assert report["server"] == NAMES[kind]
    assert report["base"] == "/intranet/ai chat"
    for check in ("reach", "page", "token", "identity", "spoof", "stream",
                  "compression", "body", "base", "database", "schema"):
        assert the(found, check)["result"] == "ok", found[check]
    assert "The user arrives as ada, by remote_user" in the(found, "identity")["text"]
    assert all(f["result"] == "ok" for f in found["clock"] + found["datasets"])
    assert not [f for f in report["items"] if f["result"] == "problem"]


BROKEN = [
    ("lighttpd", drop("server.stream-response-body"), "stream",
     "server.stream-response-body = 1"),
    ("lighttpd-spawn", drop("server.stream-response-body"), "stream",
     "server.stream-response-body = 1"),
    ("apache-proxy", drop("ProxySet flushpackets"), "stream",
     "ProxySet flushpackets=on"),
    ("apache-fcgid", drop("FcgidOutputBufferSize"), "stream",
     "FcgidOutputBufferSize 0"),
    ("nginx", lambda text: drop("fastcgi_buffering off")(text).replace(
        "fastcgi_pass ", "fastcgi_ignore_headers X-Accel-Buffering;\nfastcgi_pass "),
     "stream", "fastcgi_buffering off;"),
    ("apache-fcgid", drop("CGIPassAuth"), "token", "CGIPassAuth On"),
    ("apache-proxy", drop("CGIPassAuth"), "token", "CGIPassAuth On"),
    ("apache-fcgid", drop("FcgidMaxRequestLen"), "body",
     "FcgidMaxRequestLen 50331648"),
    ("apache-proxy", lambda text: text.replace("-gt 16777216", "-gt 64000"), "body",
     '<If "%{HTTP:Content-Length} -gt 16777216">'),
    ("nginx", lambda text: re.sub("client_max_body_size .*?;",
                                  "client_max_body_size 64k;", text), "body",
     "client_max_body_size 16m;"),
    ("lighttpd", lambda text: re.sub(
        "server.max-request-size = .*", "server.max-request-size = 64", text),
     "body", "server.max-request-size = 16384"),
]


@pytest.mark.parametrize("kind,edit,check,line", BROKEN,
                         ids=[f"{k}-{c}" for k, _, c, _ in BROKEN])
def test_a_broken_one_is_named(site_of, kind, edit, check, line):
    """Exactly what is wrong is a problem, and the line mends it."""
    report, found = doctor(site_of(kind, edit=edit))
    finding = the(found, check)
    assert finding["result"] == "problem", finding
    assert line in finding["advice"]
    problems = {f["check"] for f in report["items"] if f["result"] == "problem"}
    assert problems == {check}


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_base(site_of, kind):
    """The responder is reached, but waits for another path."""
    site = site_of(kind, edit=lambda text: re.sub(
        r'(LAMPLIGHTER_BASE(?:"? (?:=> )?|=))"?[^";)\n ]*"?', r'\1"/elsewhere"', text))
    _, found = doctor(site)
    finding = the(found, "reach")
    assert finding["result"] == "problem" and "base" in finding["text"]
    assert "LAMPLIGHTER_BASE" in finding["advice"]
    assert "/chat" in finding["advice"]


def test_a_wrong_address(site_of):
    site = site_of("lighttpd")
    _, found = doctor(site, url=f"http://127.0.0.1:{site.port}/other")
    finding = the(found, "reach")
    assert finding["result"] == "problem" and "404" in finding["text"]
    assert "/other/(api|openai|plain)" in finding["advice"]


def test_a_responder_that_is_down(site_of, deployment):
    site = site_of("nginx", edit=lambda text: text.replace(
        deployment.responder_socket, deployment.responder_socket + ".gone"))
    _, found = doctor(site)
    finding = the(found, "reach")
    assert finding["result"] == "problem" and "502" in finding["text"]
    assert "socket" in finding["text"] and "fastcgi_pass" in finding["advice"]


def test_a_name_that_is_believed(site_of):
    """nginx without a sign-in, told to vouch for whatever the client says."""
    site = site_of("nginx", sign_in=False, edit=lambda text: text.replace(
        "fastcgi_param REMOTE_USER $remote_user;",
        "fastcgi_param REMOTE_USER $remote_user;\nfastcgi_param AUTH_TYPE Basic;"))
    _, found = doctor(site, user=None)
    finding = the(found, "spoof")
    assert finding["result"] == "problem"
    assert "believed (by remote_user)" in finding["text"]
    assert "auth_basic" in finding["advice"]


def test_a_name_that_nobody_vouches_for(site_of):
    _, found = doctor(site_of("nginx", sign_in=False), user=None)
    assert the(found, "spoof")["result"] == "ok"


def test_programs_are_asked_for_a_password(site_of):
    """The sign-in does not let bearer tokens through."""
    site = site_of("lighttpd", edit=lambda text: text.replace(
        '$REQUEST_HEADER["Authorization"] !~ "^Bearer "',
        '$REQUEST_HEADER["Authorization"] !~ "^Nothing "'))
    _, found = doctor(site)
    finding = the(found, "token")
    assert finding["result"] == "problem"
    assert '!~ "^Bearer "' in finding["advice"]


def test_a_wrong_password(site_of):
    site = site_of("lighttpd")
    run = subprocess.run([COMMAND, "-c", site.config_file, "doctor", "--json",
                          "--user", USER, site.url], capture_output=True,
                         text=True, env={**os.environ,
                                         "LAMPLIGHTER_PASSWORD": "wrong"})
    found = {f["check"]: f for f in json.loads(run.stdout)["items"]}
    assert found["identity"]["result"] == "problem"
    assert "401" in found["identity"]["text"]
