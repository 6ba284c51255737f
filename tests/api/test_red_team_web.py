# SPDX-License-Identifier: MIT
"""The red team: addresses of the inside, and ways to carry something away. See
test_red_team.py."""

import contextlib
import json
import re
import socket

import pytest

from red_team import (  # noqa: F401
    JSON, LAUNDRIES, Recorder, bare, call, changed, clean, inside, lab, mcp, one,
    results, say, web)

pytestmark = pytest.mark.threads


# -- addresses of the inside ---------------------------------------------------------

def ways_in(port):
    """All the ways that we know to write 127.0.0.1."""
    hosts = ["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "x.localhost",
             "intranet.localhost.", "127.1", "127.0.1", "0", "0.0.0.0",
             "2130706433", "0x7f.1", "0x7f000001", "017700000001",
             "0177.0.0.01", "[::1]", "[::]", "[::ffff:127.0.0.1]",
             "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
             "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]",
             "[::1%25lo]", "\uff11\uff12\uff17.0.0.1", "\u2460\u2461\u2466.0.0.1",
             "127\u30020\u30020\u30021", "\uff4c\uff4f\uff43alhost",
             "%31%32%37.0.0.1", "127.0.0.1%00.example.org",
             "user@127.0.0.1", "evil.example@127.0.0.1", "a:b@127.0.0.1",
             socket.gethostname()]
    for host in hosts:
        yield f"http://{host}:{port}/"
    yield from (f"http:127.0.0.1:{port}/", f"http:/127.0.0.1:{port}/",
                f"http:///127.0.0.1:{port}/", f"HTTP://127.0.0.1:{port}/",
                f"http://127.0.0.1:{port}\\@example.org/",
                f"http://example.org\\@127.0.0.1:{port}/",
                f"http://127.0.0.1:{port}#@example.org/",
                f"http://\t127.0.0.1:{port}/", f"//127.0.0.1:{port}/",
                f"gopher://127.0.0.1:{port}/_x", f"ftp://127.0.0.1:{port}/",
                f"dict://127.0.0.1:{port}/x", f"telnet://127.0.0.1:{port}",
                "file:///etc/passwd", "file://127.0.0.1/etc/passwd")


def test_no_way_of_writing_an_address_leads_inside(lab, inside):
    """As the user might paste it: only the guard is in between."""
    ways = list(ways_in(inside.port))
    for start in range(0, len(ways), 8):
        part = ways[start:start + 8]
        events = say(lab, {"tool_calls": [call("visit", url=u) for u in part],
                           "then": {"text": "x"}}, " ".join(part))
        found = results(events)
        assert len(found) == len(part)
        for url, result in zip(part, found):
            assert result["isError"], (url, result)
            assert "INSIDE" not in json.dumps(result)
    assert inside.connections == 0 and inside.seen == []


def test_no_redirect_leads_inside(lab, web, inside):
    """Of pages and of robots.txt, from an address that may be reached."""
    for url in ways_in(inside.port):
        if not url.isascii() or "\t" in url:
            continue
        web.pages["/hop"] = (302, {"Location": url}, "")
        result = one(lab, "wiki", words=web.url + "/hop", url=web.url + "/hop")
        assert "INSIDE" not in json.dumps(result), url
    assert inside.connections == 0
    other = Recorder("127.0.0.3", {
        "/robots.txt": (302, {"Location": inside.url + "/"}, ""),
        "/": (200, {"Content-Type": "text/plain"}, "hello")})
    url = other.url + "/"
    with changed(lab, {"wiki": bare("web_visit", {
            "allow_private": ["127.0.0.3"]})}), contextlib.closing(other):
        assert one(lab, "wiki", words=url, url=url)["isError"]
    assert [r.path for r in other.seen] == ["/robots.txt"]
    assert inside.connections == 0


def test_a_warm_connection_is_no_way_in(lab, web):
    """One tool may go there; the other may not use its open connection."""
    web.pages["/warm"] = (200, {"Content-Type": "text/plain"}, "warm")
    url = web.url + "/warm"
    assert "warm" in json.dumps(one(lab, "wiki", words=url, url=url))
    before = len(web.seen)
    assert one(lab, "visit", words=url, url=url)["isError"]
    assert len(web.seen) == before


def test_services_do_not_lead_inside(lab, web, inside, mcp):
    """Redirects, next pages and links of an API and of an MCP server."""
    links = [inside.url + "/", f"//127.0.0.1:{inside.port}/",
             f"http://127.0.0.2:{web.port}@127.0.0.1:{inside.port}/",
             f"http://127.0.0.2:{web.port}\\@127.0.0.1:{inside.port}/"]
    allow = {"allow_private": ["127.0.0.0/8"]}
    pages = {"url": web.url + "/pages", "select": "/items", **allow}
    with changed(lab, {
            "moved": bare("http", {"url": web.url + "/hop", **allow}),
            "pages": bare("http", {**pages, "page": {"max": 3,
                                                     "next": "/next"}}),
            "linked": bare("http", {**pages, "page": {"max": 3,
                                                      "next": "link"}})}):
        for url in links:
            web.pages["/hop"] = (307, {"Location": url}, "")
            web.pages["/pages"] = (200, {**JSON, "Link":
                                         f'<{url}>; rel="next"'}, json.dumps(
                {"items": [1], "next": url}))
            for name in ("moved", "pages", "linked"):
                assert "INSIDE" not in json.dumps(one(lab, name)), (name, url)
        mcp.result = {"content": [
            {"type": "resource_link", "uri": inside.url + "/", "name": "x",
             "icons": [{"src": inside.url + "/icon.png"}]},
            {"type": "resource", "resource": {"uri": inside.url + "/"}},
            {"type": "text", "text": f"![x]({inside.url}/pixel.png)"}],
            "_meta": {"ui": {"resourceUri": inside.url + "/"}}}
        one(lab, "bad_rich")
    assert "/hop" in {r.path for r in web.seen} and mcp.calls("tools/call")
    assert inside.connections == 0


# -- carrying it away ------------------------------------------------------------------

@pytest.mark.parametrize("laundry", LAUNDRIES)
def test_an_address_is_not_laundered(lab, inside, laundry):
    """A result that repeats what the model said first does not bless it."""
    events = lab.chat("Please do it.", agentId=laundry, webSearch=True)
    last = results(events)[-1]
    assert last["toolName"] == "go", last
    assert "that the user gave" in last["result"]["error"]["message"], last
    assert [r.path for r in inside.seen] == []


def test_what_a_result_says_first_may_be_visited(lab, inside, web):
    """Even where the model has repeated it since; and what the user says."""
    url = f"{inside.url}/?7d1f"
    web.pages["/links"] = (200, JSON, json.dumps({"see": url}))
    events = lab.chat("Please do it.", agentId="found", webSearch=True)
    assert not results(events)[-1]["isError"], events
    events = lab.chat(f"Please read {url} now.", agentId="dataset",
                      webSearch=True)
    assert not results(events)[-1]["isError"], events
    assert {r.path for r in inside.seen} == {"/robots.txt", "/?7d1f"}


@pytest.mark.parametrize("extra", [
    {"fixed": "you"}, {"admin": "1"}, {"text[]": "x"}, {"a&fixed=you": "x"}])
def test_arguments_that_nobody_declared(lab, web, extra):
    """A parameter that the admin wrote is not said a second time."""
    result = one(lab, "echo", text="x", **extra)
    assert result["isError"], result
    assert web.seen == []


def test_a_value_stays_a_value(lab, web):
    """What is in a query cannot become a parameter of its own."""
    for text in ("x&fixed=you", "x#y", "x\r\nHost: evil", "%26fixed=you", "x;y=z",
                 "\uff06fixed=you"):
        assert not one(lab, "echo", text=text)["isError"]
        assert web.seen[-1].path.count("&") == 1 and "#" not in web.seen[-1].path
        assert web.seen[-1].path.startswith("/echo?fixed=me&text=x") or \
            text[0] != "x"


@pytest.mark.parametrize("value,where", [
    ("7", "/tickets/7/edit"), ("a/b", "/tickets/a%2Fb/edit"),
    ("//evil.example", "/tickets/%2F%2Fevil.example/edit"),
    ("javascript:alert(1)", "/tickets/javascript%3Aalert%281%29/edit"),
    ("7?x=" + "s" * 50, "/tickets/7%3Fx%3D" + "s" * 50 + "/edit"),
    ("..", None), (".", None), ("", None)])
def test_a_suggested_link_stays_where_it_is(lab, value, where):
    """The admin wrote where it leads; a part of the path is no step in it."""
    events = say(lab, {"tool_calls": [call(
        "suggest_action", action="ticket", values={"id": value})],
        "then": {"text": "x"}})
    shown = [e.data["url"] for e in events if e.name == "suggested-action"]
    assert shown == ([where] if where else [])


def test_a_plain_page_asks_nobody(lab, web):
    """Without scripts: nothing of another host is loaded or looked up."""
    poison = ("![x](http://evil.example/1.png) <img src=//evil.example/2.png>"
              "\n\n[c](http://7d1f.evil.example/) <http://evil.example/3>"
              "<link rel=prefetch href=//evil.example/4>"
              "<style>@import '//evil.example/5'</style>")
    web.pages["/links"] = (200, JSON, json.dumps({poison: poison}))
    events = say(lab, {"narration": poison, "tool_calls": [call("links")],
                       "then": {"tool_calls": [call("drop", text=poison)]}})
    assert events[-1].name == "waiting"
    conversation = events[0].data["conversationId"]
    page = lab.get(f"//chat/plain/conversations/{conversation}", user="ada")
    text = page.body.decode()
    assert page.status == 200 and "evil.example" in text
    assert page.headers["X-DNS-Prefetch-Control"] == "off"
    assert "img-src 'self'" in page.headers["Content-Security-Policy"]
    for loads in re.findall(r"<(?:img|script|iframe|style|meta|link|base|form)"
                            r"\b[^>]*", text):
        assert "evil.example" not in loads, loads


BOMBS = {
    "nested": ("text/html", "<div>" * 150000 + "x"),
    "mixed": ("text/html", "<table><tr><td><ul><li><b><p>" * 20000),
    "attributes": ("text/html", "<a " + "a=b " * 150000 + ">x</a>"),
    "entities": ("text/html", "&amp;" * 150000 + "&#x10ffff;&#0;&#xd800;"),
    "open": ("text/html", "<" * 600000),
    "comment": ("text/html", "<!--" * 150000),
    "doctype": ("text/html", "<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '"
                + "&a;" * 100 + "'>" + "]>" + "&b;" * 1000),
    "external": ("application/xhtml+xml", "<!DOCTYPE a [<!ENTITY x SYSTEM "
                 "'{inside}/x'>]><html><p>&x;</p></html>"),
    "base": ("text/html", "<base href='{inside}/'><link rel=stylesheet "
             "href=x.css><img src=i.png><script src=s.js></script>"
             "<meta http-equiv=refresh content='0;url={inside}/'>text"),
    "JSON": ("application/json", "[" * 300000),
    "objects": ("application/json", '{"a":' * 150000),
    "charset": ("text/html; charset=utf-7", "+ADw-script+AD4-" * 1000),
    "utf-16": ("text/html; charset=utf-16", b"\xff\xfe" + b"<\0" * 300000),
    "no text": ("text/plain", bytes(range(256)) * 2000),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_page_that_wants_to_break_us(lab, web, inside, bomb):
    """It costs its call at most: the process is the same, and asks nobody."""
    kind, body = BOMBS[bomb]
    if isinstance(body, str):
        body = body.replace("{inside}", inside.url)
    web.pages["/bomb"] = (200, {"Content-Type": kind}, body)
    process = lab.processes["responder"]
    url = web.url + "/bomb"
    say(lab, {"tool_calls": [call("wiki", url=url), call("bomb")],
              "then": {"text": "ok"}}, url, webSearch=True)
    assert process.poll() is None
    assert inside.connections == 0
    for text in (m["content"] for b in lab.sent() for m in b["messages"]
                 if m["role"] == "tool"):
        assert len(text) < 90000 and "\0" not in text
