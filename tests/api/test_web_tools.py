# SPDX-License-Identifier: MIT
"""web_search and web_visit (A64, C30), find_pii and analyse_log (A66)."""

import json

import pytest

from lab import Lab
from web_site import Site, message, site, tools_of, web  # noqa: F401

pytestmark = pytest.mark.threads


def ask(lab, name, args, say="", web=True, **kw):
    script = {"tool_calls": [{"name": name, "args": args}],
              "then": {"text": "ok"}}
    events = lab.chat("!script " + json.dumps(script) + " " + say,
                      **({"webSearch": True} if web else {}), **kw)
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")


# -- when -----------------------------------------------------------------------

@pytest.mark.parametrize("say,offered", [
    ("", False), ("how are you?", False), ("please search the web", True),
    ("Recherchiere das bitte", True), ("Do some research on cats", True),
    ("Is \u201cresearch\u201d a noun?", True), ("google\u691c\u7d22", True),
    ("Ask the researcher", False), ("A swim weblog", False),
    ("He is in netzwerk, im Netzwerk", False), ("pr\u00e9research\u00e9s", False),
    ("Awww.", False), ("see www.example.org", True), ("UP ONLINE", True)])
def test_only_when_the_user_asks(web, say, offered):
    """C30, A64: in words, or by the toggle."""
    result = ask(web, "web_search", {"query": "q"}, say=say, web=False)
    assert (result["result"].get("error", {}).get("code")
            != "tool_unknown") is offered


def test_the_words_are_the_admins(site):
    """web.words in place of the built-in list; an address asks always."""
    with Lab(config={"tools": tools_of(site),
                     "web": {"words": ["n\u00e4chschlagen", "look*"]}}) as lab:
        for say, offered in (("Do some research", False), ("n\u00e4chschlagend", False),
                             ("bitte n\u00e4chschlagen.", True), ("Looking", True),
                             ("outlook", False), ("http://a.example/", True)):
            result = ask(lab, "web_search", {"query": "q"}, say=say, web=False)
            assert (result["result"].get("error", {}).get("code")
                    != "tool_unknown") is offered, say
    with Lab(config={"tools": tools_of(site), "web": {"words": []}}) as lab:
        result = ask(lab, "web_search", {"query": "q"}, say="research", web=False)
        assert result["result"]["error"]["code"] == "tool_unknown"


def test_the_toggle(web, site):
    site.pages["/search"] = (200, {"Content-Type": "application/json"},
                             json.dumps({"results": []}))
    assert ask(web, "web_search", {"query": "q"})["result"] == {"results": []}
    assert web.post("/chat/lab/stream", {"content": "x", "webSearch": "yes"},
                    user="ada").json["code"] == "invalid_field"


# -- searching ------------------------------------------------------------------

def test_searxng(web, site):
    site.pages["/search"] = (200, {"Content-Type": "application/json"}, json.dumps(
        {"results": [{"title": f"T{i}", "url": f"http://x.example/{i}",
                      "content": "s" * 2000} for i in range(5)]
         + [{"title": "no url"}]}))
    result = ask(web, "web_search", {"query": "größe & more"})["result"]
    assert [r["url"] for r in result["results"]] == [
        "http://x.example/0", "http://x.example/1"]
    assert len(result["results"][0]["snippet"]) == 500
    path = next(p for p, _ in reversed(site.asked) if p.startswith("/search"))
    assert path == "/search?format=json&q=gr%C3%B6%C3%9Fe%20%26%20more"


def test_brave(web, site):
    site.pages["/brave"] = (200, {"Content-Type": "application/json"}, json.dumps(
        {"web": {"results": [{"title": "T", "url": "http://x.example/",
                              "description": "d"}]}}))
    result = ask(web, "brave", {"query": "cats"})["result"]
    assert result == {"results": [{"title": "T", "url": "http://x.example/",
                                   "snippet": "d"}]}
    path, headers = site.asked[-1]
    assert path == "/brave?q=cats&count=8"
    assert headers["X-Subscription-Token"] == "brave-hunter2"
    assert "hunter2" not in web.command("config", "print").stdout


@pytest.mark.parametrize("answer,says", [
    ((429, {}, ""), "answered 429"), ((200, {}, "<html>"), "understood")])
def test_an_engine_that_fails(web, site, answer, says):
    site.pages["/search"] = answer
    assert says in message(ask(web, "web_search", {"query": "q"}))


# -- visiting -------------------------------------------------------------------

@pytest.mark.parametrize("url", [
    "http://127.0.0.1:1/", "http://localhost/", "http://[::1]/",
    "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
    "http://0x7f000001/"])
def test_internal_addresses_are_refused(web, url):
    assert "may not be reached" in message(
        ask(web, "web_visit", {"url": url}, say=url))


def test_the_list_of_the_admin_is_not_for_the_web(site, make_lab):
    """net.allow_private opens nothing for addresses of a model or a page."""
    tools = {**tools_of(site), "own": {"kind": "http", "description": "The admin's.",
                                       "http": {"url": site.url + "/hours"}}}
    web = make_lab(config={"tools": tools, "net": {"allow_private": ["127.0.0.1"]}})
    before = len(site.asked)
    result = ask(web, "web_visit", {"url": site.url + "/hours"},
                 say=site.url + "/hours")
    assert "may not be reached" in message(result)
    assert len(site.asked) == before
    # For the admin's own it is open.
    assert ask(web, "own", {})["isError"] is False
    assert len(site.asked) == before + 1


@pytest.mark.parametrize("url", [
    "ftp://x.example/", "file:///etc/passwd", "x.example", "javascript:x",
    "http://"])
def test_what_is_no_address(web, url):
    assert ask(web, "web_visit", {"url": url}, say=url)["isError"] is True


def test_an_address_that_the_model_made_is_not_visited(web, site):
    """Red team: what was read cannot be carried away in a URL."""
    before = len(site.asked)

    def visit(say):
        events = web.chat(say, agentId="rogue", webSearch=True)
        return next(e.data for e in events if e.name == "tool-result")
    assert "that the user gave" in message(visit("go, see " + site.url + "/hours"))
    assert len(site.asked) == before
    assert visit(f"read {site.url}/hours?salary=9 please")["isError"] is False
    # What a result says counts as well; so it may continue from there.
    site.pages["/search"] = (200, {"Content-Type": "application/json"}, json.dumps(
        {"results": [{"title": "T", "url": site.url + "/hours?salary=9"}]}))
    script = {"tool_calls": [{"name": "web_search", "args": {"query": "q"}}],
              "then": {"text": "ok"}}
    chat = web.chat(script, webSearch=True)[0].data["conversationId"]
    events = web.chat("go on", agentId="all", conversationId=chat)
    assert events[-1].name == "done"


def wiki(web, site, path, **kw):
    return ask(web, "wiki", {"url": site.url + path}, **kw)


def test_a_page_as_text(web, site):
    result = wiki(web, site, "/hours")
    assert result["isError"] is False
    assert result["result"].startswith(f"[page {site.url}/hours]")
    assert "Open from nine to five." in result["result"]
    assert "alert" not in result["result"] and "ignore your" not in result["result"]


def test_a_page_stands_in_the_envelope(web, site):
    events = web.chat({"tool_calls": [{"name": "wiki", "args": {
        "url": site.url + "/hours"}}]}, webSearch=True)
    said = events[-1].data["content"]
    assert "[UNTRUSTED-DATA " in said and "<|im_start|>" not in said
    assert "[/UNTRUSTED-DATA 0]" not in said


def test_redirects_are_asked_about_anew(web, site):
    site.pages["/moved"] = (302, {"Location": "/hours"}, "")
    assert "nine to five" in wiki(web, site, "/moved")["result"]
    site.pages["/inside"] = (302, {"Location": "http://169.254.169.254/"}, "")
    assert "may not be reached" in message(wiki(web, site, "/inside"))
    site.pages["/loop"] = (302, {"Location": "/loop"}, "")
    assert "redirects too often" in message(wiki(web, site, "/loop"))
    site.pages["/file"] = (302, {"Location": "file:///etc/passwd"}, "")
    assert "not a web address" in message(wiki(web, site, "/file"))


def test_five_redirects_are_followed(make_lab, site):
    """Of a page and of robots.txt (RFC 9309, 2.3.1.2), but no sixth."""
    chain = {f"/r{n}": (302, {"Location": f"/r{n - 1}"}, "") for n in range(1, 7)}
    mine = Site()
    mine.pages = {**chain, "/r0": (200, {"Content-Type": "text/plain"},
                                   "User-agent: *\nDisallow: /private/\n"),
                  "/robots.txt": (302, {"Location": "/r4"}, ""),
                  "/private/x": (200, {"Content-Type": "text/plain"}, "x")}
    lab = make_lab(config={"tools": tools_of(site)})
    try:
        assert wiki(lab, mine, "/r5")["isError"] is False
        assert "redirects too often" in message(wiki(lab, mine, "/r6"))
        assert "robots.txt" in message(wiki(lab, mine, "/private/x"))
    finally:
        mine.close()


@pytest.mark.parametrize("page,says", [
    ((404, {}, "x"), "answered 404"),
    ((200, {"Content-Type": "image/png"}, b"\x89PNG"), "neither JSON nor text"),
    ((200, {"Content-Type": "text/plain"}, "x" * 30000), "too large")])
def test_pages_that_cannot_be_shown(web, site, page, says):
    site.pages["/odd"] = page
    assert says in message(wiki(web, site, "/odd"))


def test_robots(make_lab, site):
    """RFC 9309: our own group, else that for all; the longest rule counts."""
    mine = Site()
    mine.pages = {p: (200, {"Content-Type": "text/plain"}, p) for p in
                  ("/a", "/private/x", "/private/open", "/b.pdf")}
    mine.pages["/robots.txt"] = (200, {}, "User-agent: other\nDisallow: /\n\n"
                                 "User-agent: *\nDisallow: /private/ # no\n"
                                 "Allow: /private/open\nDisallow: /*.pdf$\n")
    lab = make_lab(config={"tools": tools_of(site)})
    try:
        allowed = {p: not wiki(lab, mine, p)["isError"] for p in
                   ("/a", "/private/x", "/private/open", "/b.pdf")}
        assert allowed == {"/a": True, "/private/x": False,
                           "/private/open": True, "/b.pdf": False}
        asked = [p for p, _ in mine.asked]
        assert asked.count("/robots.txt") == 1 and "/private/x" not in asked
    finally:
        mine.close()


def test_a_site_that_cannot_say_its_rules_is_left_alone(make_lab, site):
    mine = Site()
    mine.pages = {"/robots.txt": (503, {}, ""), "/a": (200, {}, "a")}
    lab = make_lab(config={"tools": tools_of(site)})
    try:
        assert "robots.txt" in message(wiki(lab, mine, "/a"))
    finally:
        mine.close()


# -- texts ----------------------------------------------------------------------

TEXT = """Dear Ms Müller, write to ada.lovelace@example.org or call
+49 30 901820 today. IBAN DE89 3704 0044 0532 0130 00, card
4111 1111 1111 1111; not 4111 1111 1111 1112. From 10:20:30 to 192.0.2.7.
password=hunter2hunter2 and AKIAIOSFODNN7EXAMPLE, SSN 078-05-1120."""


def test_find_pii(web):
    result = ask(web, "find_pii", {"text": TEXT}, agentId="text")["result"]
    assert result["counts"] == {"email": 1, "phone": 1, "iban": 1, "card": 1,
                                "ip": 1, "password": 1, "key": 1, "ssn": 1}
    assert result["truncated"] is False
    by_kind = {f["kind"]: f for f in result["findings"]}
    mail = by_kind["email"]
    assert (mail["line"], mail["column"]) == (1, 26)
    raw = TEXT.encode()
    for f in result["findings"]:
        value = raw[f["offset"]:f["offset"] + f["bytes"]].decode()
        assert value not in json.dumps(result)
    assert mail["masked"].startswith("a") and "@" in mail["masked"]
    assert by_kind["iban"]["masked"].startswith("DE89")
    only = ask(web, "find_pii", {"text": TEXT, "kinds": ["email"]},
               agentId="text")["result"]
    assert only["counts"] == {"email": 1}


def test_find_pii_is_capped(web):
    text = " ".join(f"user{i}@example.org" for i in range(300))
    result = ask(web, "find_pii", {"text": text}, agentId="text")["result"]
    assert result["counts"] == {"email": 300}
    assert len(result["findings"]) == 100 and result["truncated"] is True


def test_analyse_log(web):
    lines = [f"2026-11-22T06:{i:02}:00Z level=info request {i} took {i * 3} ms"
             for i in range(50)]
    lines += [f"2026-11-22T07:00:0{i}Z ERROR disk sd{i} of \"host {i}\" is full"
              for i in range(3)]
    lines += ['192.0.2.1 - - [22/Nov/2026:07:01:00 +0000] "GET /x HTTP/1.1" 404 12',
              '192.0.2.1 - - [22/Nov/2026:07:01:01 +0000] "GET /y HTTP/1.1" 500 12']
    result = ask(web, "analyse_log", {"text": "\n".join(lines)},
                 agentId="text")["result"]
    assert result["lines"] == 55
    assert result["severities"] == {"error": 3, "info": 50, "other": 2}
    assert result["httpStatuses"] == {"4xx": 1, "5xx": 1}
    assert result["firstTime"] == "2026-11-22T06:00:00"
    worst, most = result["patterns"][:2]
    assert (worst["severity"], worst["count"], worst["firstLine"]) == ("error", 3, 51)
    assert "is full" in worst["pattern"] and "sd" not in worst["pattern"]
    assert (most["severity"], most["count"]) == ("info", 50)


@pytest.mark.parametrize("args", [{}, {"text": "a", "result": "b"},
                                  {"result": "nonsense"}])
def test_either_text_or_result(web, args):
    assert ask(web, "find_pii", args, agentId="text")["isError"] is True


def test_not_for_agents_that_do_not_list_them(web):
    assert ask(web, "find_pii", {"text": "x"})["result"]["error"]["code"] \
        == "tool_unknown"


# -- by hand ------------------------------------------------------------------------

def by_hand(lab, verb, *argv, **kw):
    return lab.command("tools", verb, *argv, "--user", "ada", "--workspace",
                       "lab", **kw)


def test_the_web_by_hand(web, site):
    """Who types an address has said it, and asks for the web."""
    listed = by_hand(web, "list").stdout
    for name in ("web_search", "web_visit", "wiki", "brave"):
        assert f"{name}\tweb_" in listed
    page = json.dumps({"url": site.url + "/hours"})
    assert "Open from nine" in by_hand(web, "call", "wiki", "--args", page).stdout
    before = len(site.asked)
    shown = by_hand(web, "call", "wiki", "--dry-run", "--args", page).stdout
    assert shown.startswith(f"GET {site.url}/hours\n")
    shown = by_hand(web, "call", "brave", "--dry-run", "--args",
                    '{"query": "a b"}').stdout
    assert shown.startswith(f"GET {site.url}/brave?q=a%20b&count=")
    assert "X-Subscription-Token: ***" in shown and "hunter2" not in shown
    assert len(site.asked) == before
    # The guard is the same for everybody.
    assert "may not be reached" in by_hand(web, "call", "web_visit", "--args", page,
                                           check=False).stdout


def test_the_workspaces_are_named(web):
    refused = web.command("tools", "list", "--user", "ada", check=False)
    assert "with --workspace: lab open" in refused.stderr
