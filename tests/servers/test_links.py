# SPDX-License-Identifier: MIT
"""Chats that are read by a link without sign-on, where people sign in at the web server:
by the lines of docs/deploy-*.md, and nothing else is let through."""

import json
import re
import time
import urllib.parse

import pytest

from pages import block
from web import KINDS, Deployment

BASE = "/intranet/chat"
# What of the sample the lines of the page replace; None: they come below it.
LINES = {"lighttpd": ("docs/deploy-lighttpd.md", '$HTTP["url"] =~ "^/intranet/chat(/(?!plain',
                      r'^\$HTTP\["url"\] =~ "\^/intranet/chat\(/\|\$\)" \{\n'),
         "apache-proxy": ("docs/deploy-apache.md", "\t<If \"%{HTTP:Authorization} !~",
                          r'^\t<If "%\{HTTP:Authorization\} !~ /\^Bearer /">\n'),
         "nginx": ("docs/deploy-nginx.md", "location ^~ ", None)}


@pytest.fixture(scope="module")
def linking():
    with Deployment(config={"settings": {"public_link_days": 7}}, workspaces={"lab": {
            "workspace": "lab", "name": "Lab", "title_by_model": False}}) as deployment:
        yield deployment


def allowed(kind, deployment):
    page, begins, line = LINES[kind]
    lines = block(page, begins)
    for old, new in (("/run/lamplighter/fcgi.sock", deployment.responder_socket),
                     ("/usr/share/lamplighter", str(deployment.dir / "share"))):
        lines = lines.replace(old, new)

    def edit(text):
        if not line:
            return text + lines
        text, n = re.subn(line, lambda _: lines, text, flags=re.M)
        assert n == 1
        return text
    return edit


@pytest.mark.parametrize("kind", LINES)
def test_a_link_is_let_through_and_nothing_else(make_site, linking, kind):
    assert kind in KINDS
    site = make_site(kind, BASE, deployment=linking, edit=allowed(kind, linking))
    talk = site.post("/conversations", {"workspaceId": "lab"}).json
    id = talk["conversationId"]
    said = site.post(f"/workspaces/lab/agents/{talk['agentId']}/conversations/{id}/messages",
                     {"content": "!script " + json.dumps({"text": "Of the **link**."})})
    assert said.status < 300, said
    made = site.post("/conversation-shares", {
        "conversationId": id, "kind": "link", "expiresAt":
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86400))})
    assert made.status == 201, made
    link = f"{BASE}/{made.json['link']}"
    shown = site.call("GET", f"/{link}", user=None)
    text = shown.body.decode()
    assert shown.status == 200 and "Of the " in text
    # What the page loads asks for no password either.
    loaded = re.findall(r'<link [^>]*href="([^"]+)"', text)
    assert len(loaded) == 3
    for path in loaded:	# the style sheets are not in this installation
        status, _ = site.raw(urllib.parse.urljoin(link, path), user=None)
        assert status == (200 if path.endswith(".svg") else 404), path
    wrong = site.call("GET", f"/{link}", user=None, headers={"Authorization": "Basic YWRhOng="})
    assert wrong.status == 200
    for path in ("/plain/", "/api/v1/me", "/api/v1/conversations", "/plain/linksx", "/index.html",
                 "/plain/links/../", "/plain/links/../../api/v1/me", "/css/../api/v1/me",
                 "/plain/links/%2e%2e/%2e%2e/api/v1/me", "/plain/links/..%2f..%2fapi/v1/me",
                 "//api/v1/me", "/plain/links//../../api/v1/me"):
        status, body = site.raw(BASE + path, user=None)
        assert status in (301, 400, 401, 403, 404), (path, status)
        assert b'"permissions"' not in body and b"<form" not in body, path
