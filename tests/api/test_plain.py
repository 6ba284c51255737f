# SPDX-License-Identifier: MIT
"""Plain pages: by hand, with curl, and in the text browsers lynx and w3m."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import urllib.parse

import pytest

from lab import Lab, wait_until
from plain_browser import (ANSWER, NOBODY, Browser, Page, at_once, ended,
                           open_raw, script, start, talk)


@pytest.fixture
def browser(lab):
    return Browser(lab)


# -- going round -----------------------------------------------------------------


def test_enter(browser):
    reply = browser.call("GET", "plain")
    assert browser.follow(reply, "plain") == "plain/"
    page = browser.get("plain/")
    assert "Conversations" in page.text and "New conversation" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "same-origin"


def test_links_stay_inside(lab, browser):
    """Every link of every kind of page leads somewhere, under any base."""
    page, thread = talk(browser, at_once(text="hello"))
    for path in ("plain/", "plain/new", thread, thread + "/edit"):
        page = browser.get(path)
        for link in page.links:
            there = urllib.parse.urljoin("/" + path, link)[1:]
            assert browser.call("GET", there).status == 200, (path, link)
        css = re.search(r'href="([^"]+\.css)"', page.text)[1]
        there = urllib.parse.urljoin("/" + path, css)[1:]
        assert browser.call("GET", there).status == 200, (path, css)


def test_conversation(browser):
    """New, answer, answer again; a reload sends nothing again."""
    turn = start(browser, script(text="The **first** answer."))
    page = browser.get(turn)		# streamed to its end
    assert "The **first** answer." in page.text.partition(ANSWER)[2]
    again = browser.call("GET", turn)
    thread = browser.follow(again, turn)
    thread, _, fragment = thread.partition("#")
    page = browser.get(thread)
    assert "<p>The <strong>first</strong> answer.</p>" in page.text
    assert f'id="{fragment}"' in page.text
    reply = browser.submit(page, thread.split("/")[-1],
                           content=script(text="The second."))
    turn = browser.follow(reply, thread)
    assert "The second." in browser.get(turn).text.partition(ANSWER)[2]
    page = browser.get(thread)
    assert page.text.count('<section class="user">') == 2
    assert browser.get(thread).text.count('<section class="user">') == 2


def test_agent_is_chosen(browser):
    page = browser.get("plain/new")
    assert '<option value="lab/helper" selected>Helper</option>' in page.text
    assert "staff/" not in page.text
    page, _ = talk(browser, at_once(text="x"), agent="lab/claude")
    assert "<h2>Anthropic wire</h2>" in page.text


def test_text_is_text(browser):
    """What people, models and tools say never becomes markup."""
    evil = '<script>alert(1)</script> "q" \'a\' &amp; <img src=x onerror=y>'
    markdown = ("<b onclick=x>bold</b>\n\n[a](javascript:alert(1)) "
                "![i](http://example.org/i.png) [j](java&#115;cript:x) "
                "[ok](https://example.org/?a=1&b=\"2\")\n\n"
                "```\n</code><script>x</script>\n```\n\n"
                "| h | i |\n|---|---|\n| <i>c</i> | d |\n")
    turn = start(browser, evil + " !")
    talked, path = talk(browser, at_once(text=markdown))
    for page in (talked, browser.get(ended(browser, turn))):
        assert "<script" not in page.text
        assert not re.search(r"<[^>]*\son\w+=", page.text)
        assert "<img" not in page.text
        assert "javascript:" not in "".join(page.links)
    assert "&lt;b onclick=x&gt;bold&lt;/b&gt;" in talked.text
    assert 'href="http://example.org/i.png"' in talked.text
    assert 'href="https://example.org/?a=1&amp;b=%222%22"' in talked.text or \
        'href="https://example.org/?a=1&amp;b=&quot;2&quot;"' in talked.text
    assert "<td>&lt;i&gt;c&lt;/i&gt;</td>" in talked.text
    assert "&lt;/code&gt;&lt;script&gt;x" in talked.text


def test_tools_and_reasoning(browser):
    content = script(reasoning="Think <first>.", narration="Let me look.",
                     tool_calls=[{"name": "query_data", "args": {
                         "dataset": "tickets", "limit": 2}}],
                     then={"text": "Two tickets."})
    turn = start(browser, content)
    streamed = browser.get(turn).text
    stored = browser.get(ended(browser, turn)).text
    for text in (streamed, stored):
        assert "<summary>Reasoning</summary>" in text
        assert "Think &lt;first&gt;." in text and "Let me look." in text
        assert "<summary>Look up data</summary>" in text
        assert re.search(r"<summary>Look up data \([0-9]+ ms\)</summary>",
                         text)
        assert "&quot;dataset&quot;" in text and "Ticket 1" in text
        assert text.rindex("Let me look") < text.index("Look up data") \
            < text.rindex("Two tickets.")


def test_list_pages_and_search(lab):
    browser = Browser(lab, "pagina")
    for i in range(33):
        lab.post("/conversations", {"workspaceId": "lab",
                                    "title": f"Topic {i} & <more>"},
                 user="pagina")
    page = browser.get("plain/")
    assert page.text.count("<li>") == 30 and "&amp; &lt;more&gt;" in page.text
    older = next(link for link in page.links if "before=" in link)
    rest = browser.get(urllib.parse.urljoin("/plain/", older)[1:])
    assert rest.text.count("<li>") == 3 and "before=" not in rest.text
    found = browser.get("plain/?q=" + urllib.parse.quote("TOPIC 3"))
    assert found.text.count("<li>") == 4	# 3, 30, 31, 32
    assert 'value="TOPIC 3"' in found.text
    assert "No conversations were found" in browser.get("plain/?q=nothing").text


def test_thread_pages(lab):
    browser = Browser(lab, "longa")
    page, thread = talk(browser, at_once(text="answer 0"))
    for i in range(1, 17):
        ended(browser, browser.follow(browser.submit(
            page, thread.split("/")[-1], content=at_once(text=f"answer {i}")),
            thread))
    page = browser.get(thread)
    assert "<p>answer 16<" in page.text and "<p>answer 0<" not in page.text
    older = next(link for link in page.links if "before=" in link)
    first = browser.get(urllib.parse.urljoin("/" + thread, older)[1:])
    assert "<p>answer 0<" in first.text and "<p>answer 16<" not in first.text
    assert "before=0" in "".join(first.links)	# back to the newest
    # An old turn's page leads to where its answer is.
    turn = lab.get(f"/conversations/{thread.split('/')[-1]}/messages?include=steps&pageSize=100",
                   user="longa").json["items"][-1]["turnId"]
    there = browser.follow(browser.call("GET", f"plain/turns/{turn}"),
                           f"plain/turns/{turn}")
    assert "<p>answer 0<" in browser.get(there.split("#")[0]).text


def test_rename_and_delete(lab, browser):
    _, thread = talk(browser, at_once(text="x"))
    page = browser.get(thread + "/edit")
    reply = browser.submit(page, "rename", title=" Of <cats> & dogs ")
    assert browser.follow(reply, thread + "/rename") == thread
    assert "<h1>Of &lt;cats&gt; &amp; dogs</h1>" in browser.get(thread).text
    reply = browser.submit(page, "rename", title="x" * 201)
    assert reply.status == 422 and b"200 characters" in reply.body
    reply = browser.submit(page, "delete")
    assert browser.follow(reply, thread + "/delete") == "plain/"
    assert browser.call("GET", thread).status == 404


# -- a running turn ----------------------------------------------------------------


def answer_words(text, word="word"):
    """How often it is in the answer, which may be there in part."""
    return text.partition(ANSWER)[2].count(word)


def measure_words(lab, browser):
    """curl -N on an answer of 40 words at 20 a second: when there were how
    many."""
    turn = start(browser, script(text="word " * 40, rate=20))
    headers = [f for name, value in lab.identity("ada").items()
               for f in ("-H", f"{name}: {value}")]
    curl = subprocess.Popen(["curl", "-sN", *headers, f"{lab.url}/{turn}"],
                            stdout=subprocess.PIPE)
    times, text = [], b""
    while part := os.read(curl.stdout.fileno(), 65536):
        text += part
        times.append((time.monotonic(), answer_words(text.decode())))
    assert curl.wait() == 0
    assert answer_words(text.decode()) == 40 and text.rstrip().endswith(b"</html>")
    return times


def test_streams_as_it_is_made(lab, browser):
    """The parts of the answer arrive in the time they are made in; on a busy
    machine not each time."""
    for _ in range(3):
        times = measure_words(lab, browser)
        first, half, last = (next(at for at, words in times if words >= n)
                             for n in (1, 20, 40))
        # neither at the end nor at the beginning
        if half - first > 0.5 and last - half > 0.5 and len(times) > 15:
            return
    raise AssertionError(times)


def test_two_readers_and_stop(lab, browser):
    turn = start(browser, script(tokens=5000, rate=50))
    connection, response = open_raw(lab, "GET", turn, None, {}, "ada")
    head = b""
    while b"Stop" not in head:
        head += response.read1()
    page = Page(type("", (), {"status": 200, "headers": {}, "body": (
        head[:head.index(b"</form>")] + b"</form></main></body></html>")}), turn)
    reply = browser.submit(page, "stop")
    assert browser.follow(reply, turn + "/stop") == turn
    rest = response.read()
    connection.close()
    assert b"Stopped." in rest and rest.rstrip().endswith(b"</html>")
    # And what was cut short can be continued.
    page = browser.get(ended(browser, turn))
    assert "Stopped." in page.text
    again = browser.submit(page, "continue")
    there = browser.follow(again, turn + "/continue")
    assert there != turn and "plain/turns/" in there
    wait_until("the turn", lambda: lab.get(
        "/turns/" + turn.split("/")[-1], user="ada").json["status"] != "running")
    lab.post("/turns/" + there.split("/")[-1] + "/cancel", {}, user="ada")


def test_running_conversation(lab, browser):
    """It says so, a second message leads to the running answer."""
    turn = start(browser, script(tokens=5000, rate=50))
    id = turn.split("/")[-1]
    conversation = lab.get(f"/turns/{id}", user="ada").json["conversationId"]
    thread = f"plain/conversations/{conversation}"
    page = browser.get(thread)
    assert "An answer is being written" in page.text
    assert any(f"turns/{id}" in link for link in page.links)
    assert "<b>answering</b>" in browser.get("plain/").text
    token = page.forms[0]["fields"]["token"]
    reply = browser.post(thread, {"token": token, "content": "and <this>?"})
    assert reply.status == 409
    refused = Page(reply, thread)
    assert f"turns/{id}" in refused.links[-1]
    assert refused.forms[-1]["fields"]["content"] == "and <this>?"
    assert browser.submit(page, "stop").status == 303
    wait_until("the turn's end", lambda: lab.get(
        f"/turns/{id}", user="ada").json["status"] == "cancelled")
    # What was refused is sent by its own page.
    reply = browser.submit(refused, conversation)
    assert reply.status == 303, reply


def test_in_steps(lab, browser):
    """For servers that hold answers back: whole pages that ask again."""
    turn = start(browser, script(text="word " * 60, rate=15), steps="1")
    assert turn.endswith("?steps=1")
    counts, began = [], time.monotonic()
    while True:
        reply = browser.call("GET", turn)
        if reply.status != 200:
            break
        page = Page(reply, turn)
        assert page.headers["Content-Length"]
        assert '<meta http-equiv="refresh" content="1">' in page.text
        assert all(link.endswith("?steps=1") for link in page.links
                   if "conversations/" in link)		# and it stays chosen
        counts.append(answer_words(page.text))
        assert time.monotonic() - began < 30
    thread = browser.follow(reply, turn)
    assert "?steps=1" in thread
    assert counts == sorted(counts) and 0 < counts[0] < 60, counts
    page = browser.get(thread.split("#")[0])
    assert " checked" in page.text		# and it stays chosen


def test_turn_outlives_its_page(lab, browser):
    turn = start(browser, script(text="word " * 30, rate=30))
    connection, response = open_raw(lab, "GET", turn, None, {}, "ada")
    response.read1()
    connection.close()
    page = browser.get(turn)
    assert answer_words(page.text) == 30


def test_errors_of_the_model(browser):
    turn = start(browser, script(error={"status": 400, "body": "no <b>way</b>"}))
    page = browser.get(turn)
    assert "The answer failed." in page.text and "<b>way" not in page.text
    page = browser.get(ended(browser, turn))
    assert "The answer failed." in page.text
    assert page.form("continue")


# -- who may ------------------------------------------------------------------------


def test_errors_are_pages(lab, browser):
    for path, status in ((f"plain/conversations/{NOBODY}", 404),
                         (f"plain/turns/{NOBODY}", 404),
                         ("plain/nothing", 404), ("plain/?x=1", 422),
                         ("plain/?before=x", 422), ("plain/?before=1&id=2", 422),
                         (f"plain/conversations/{NOBODY}?before=-1", 422)):
        page = browser.get(path)
        assert page.status == status, path
        assert 'class="error"' in page.text
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    reply = browser.call("POST", "plain/")
    assert reply.status == 405 and "GET" in reply.headers["Allow"]
    reply = browser.call("POST", "plain/new", "{}",
                         **{"Content-Type": "application/json"})
    assert reply.status == 415 and b"<html" in reply.body
    page = browser.get("plain/new")
    reply = browser.submit(page, "new", agent="lab/helper", content=" \n")
    assert reply.status == 422 and b"must not be empty" in reply.body
    reply = browser.submit(page, "new", agent="lab/helper", content="x" * 5001)
    assert reply.status == 422 and b"5000 characters" in reply.body
    assert b"x" * 5001 in reply.body		# nothing typed is lost
    reply = browser.submit(page, "new", content="x")
    assert reply.status == 404
    reply = browser.submit(page, "new", agent="staff/helper", content="x")
    assert reply.status == 404
    reply = browser.submit(page, "new", agent="lab/helper", content="x" * 70000)
    assert reply.status == 413 and b"<html" in reply.body
    reply = browser.post("plain/new", [("a", "b")] * 33)
    assert reply.status == 400 and b"too many fields" in reply.body
    reply = browser.call("POST", "plain/new", "content=%ff", **{
        "Content-Type": "application/x-www-form-urlencoded"})
    assert reply.status == 400


def test_others_see_nothing(lab, browser):
    turn = start(browser, at_once(text="secret"))
    thread = ended(browser, turn)
    bob = Browser(lab, "bob")
    for path in (turn, thread, thread + "/edit"):
        assert bob.call("GET", path).status == 404
    token = bob.get("plain/new").forms[0]["fields"]["token"]
    for path in (thread, thread + "/rename", thread + "/delete", turn + "/stop",
                 turn + "/continue"):
        assert bob.post(path, {"token": token, "content": "x",
                               "title": "x"}).status == 404, path


def test_sign_in_needed(make_lab):
    lab = make_lab(config={"identity": {"chain": [{"kind": "api_token"}]}})
    reply = Browser(lab, None).call("GET", "plain/")
    assert reply.status == 401 and b"Sign in first." in reply.body
    assert reply.headers["WWW-Authenticate"] == "Bearer"


# -- forms of other sites --------------------------------------------------------------


def test_a_form_needs_its_token(lab, browser):
    """Nothing says where it comes from: the token decides."""
    page = browser.get("plain/new")
    token = page.forms[0]["fields"]["token"]
    fields = {"agent": "lab/helper", "content": "hello &amp; you"}
    bob = Browser(lab, "bob").get("plain/new").forms[0]["fields"]["token"]
    flipped = token[:-1] + ("A" if token[-1] != "A" else "B")
    for wrong in (None, "", "x", token[:-4], flipped, bob, "A" * 54):
        sent = fields if wrong is None else {**fields, "token": wrong}
        reply = browser.post("plain/new", sent)
        assert reply.status == 403, wrong
        # The same form once more, with its text and a token.
        again = Page(reply, "plain/new")
        assert again.forms[-1]["fields"]["content"] == "hello &amp; you"
        assert again.forms[-1]["fields"]["agent"] == "lab/helper"
    assert browser.submit(again, "new").status == 303
    assert browser.post("plain/new", {**fields, "token": token}).status == 303


@pytest.mark.parametrize("headers,status", [
    ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
    ({"Sec-Fetch-Site": "same-origin"}, 303)])
def test_what_the_browser_says_counts_more(lab, browser, headers, status):
    token = browser.get("plain/new").forms[0]["fields"]["token"]
    reply = browser.post("plain/new", {"agent": "lab/helper", "content": "x",
                                       "token": token}, **headers)
    assert reply.status == status


def test_guests_and_bearers(lab, browser):
    """A guest's form needs its token too; a bearer token is proof enough."""
    fields = {"agent": "lab/helper", "content": "x"}
    guest = Browser(lab, None)
    assert guest.post("plain/new", fields).status == 403
    assert guest.submit(guest.get("plain/new"), "new", **fields).status == 303
    token = lab.command("token", "create", "--user", "tora").stdout.split()[-1]
    bearer = Browser(lab, None, {"Authorization": f"Bearer {token}"})
    assert bearer.post("plain/new", fields).status == 303


def test_tokens_hold_across_processes(make_lab):
    """Any node knows another's token; without the key it is worth nothing."""
    lab = make_lab()
    browser = Browser(lab)
    page = browser.get("plain/new")
    fields = {"agent": "lab/helper", "content": "x"}
    lab.stop("responder")
    lab.start_responder()
    assert browser.submit(page, "new", **fields).status == 303
    lab.sql("DELETE FROM site_key")
    lab.stop("responder")
    lab.start_responder()
    assert browser.submit(page, "new", **fields).status == 403


def test_old_tokens(lab, browser):
    """Two days, by the clock that the token was made with."""
    import base64
    import hmac
    browser.get("plain/new")  # makes the key
    [[key]] = lab.sql("SELECT HEX(secret) FROM site_key WHERE purpose = 'form'")
    lab.chat("hello", user="ada")
    [[user]] = wait_until("the row of the user", lambda: lab.sql(
        "SELECT DISTINCT HEX(user_id) FROM conversation c JOIN user u ON u.id = c.user_id"
        " WHERE u.login = 'ada'"))
    user = "-".join(re.fullmatch("(.{8})(.{4})(.{4})(.{4})(.{12})",
                                 user.lower()).groups())

    def token(age_s):
        made = (int(time.time() - age_s) * 10 ** 6).to_bytes(8, "big")
        # crypto_auth is HMAC-SHA512-256: the first half of HMAC-SHA-512
        mac = hmac.digest(bytes.fromhex(key), made + b"default\0" + user.encode(),
                          "sha512")[:32]
        return base64.urlsafe_b64encode(made + mac).decode().rstrip("=")

    fields = {"agent": "lab/helper", "content": "x"}
    for age_s, status in ((0, 303), (172000, 303), (173000, 403), (-600, 403)):
        reply = browser.post("plain/new", {**fields, "token": token(age_s)})
        assert reply.status == status, age_s
    assert b"too old" in reply.body


def test_overload_keeps_the_text(make_lab):
    lab = make_lab(config={"threads": {"max": 8, "max_turns": 1}})
    browser = Browser(lab)
    page = browser.get("plain/new")
    turn = start(browser, script(tokens=5000, rate=20))
    reply = browser.submit(page, "new", agent="lab/helper", content="patience")
    assert reply.status == 503 and reply.headers["Retry-After"]
    assert Page(reply, "plain/new").forms[-1]["fields"]["content"] == "patience"
    lab.post("/turns/" + turn.split("/")[-1] + "/cancel", {}, user="ada")


# -- text browsers -------------------------------------------------------------------


@pytest.fixture(scope="module")
def spaced():
    """Guests under a base with a blank."""
    from conftest import TICKETS, WORKSPACES
    with Lab(base="/intranet/ai chat", workspaces=WORKSPACES) as lab:
        lab.sql(TICKETS)
        yield lab


def need(name):
    path = shutil.which(name)
    assert path, f"{name} is not installed"
    return path


def type_into(argv, steps, env=None, deadline_s=40):
    """
    Runs a program on a terminal. steps: (text to wait for, keys to type); the
    screen so far is what it returns.
    """
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "vt100", "LINES": "60", "COLUMNS": "100",
                           "LANG": "C.UTF-8", **(env or {})})
        os.execv(argv[0], argv)
    screen, seen, end = "", 0, time.monotonic() + deadline_s
    try:
        for wanted, keys in steps:
            while wanted not in plain_screen(screen[seen:]):
                if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
                    raise AssertionError(f"no {wanted!r} in {screen!r}")
                try:
                    part = os.read(fd, 65536)
                except OSError:
                    part = b""
                if not part:
                    raise AssertionError(f"no {wanted!r} before the end: {screen!r}")
                screen += part.decode(errors="replace")
            seen = len(screen)
            os.write(fd, keys.encode())
        while True:
            try:
                part = os.read(fd, 65536)
            except OSError:
                break
            if not part:
                break
            screen += part.decode(errors="replace")
    finally:
        os.close(fd)
        os.waitpid(pid, 0)
    return plain_screen(screen)


def plain_screen(text):
    return re.sub(r"\x1b(\[[0-9;?]*[a-zA-Z]|[()][A-B0]|[=>78DM])|[\x0e\x0f]", "", text)


def test_lynx(spaced):
    """A new conversation, typed and sent in lynx, and its answer read there."""
    page = Browser(spaced, None).call("GET", "plain/new").body.decode()
    navigation = page[:page.index("<form")].count("<a ")
    screen = type_into([need("lynx"), "-accept_all_cookies", "-nopause",
                        f"{spaced.url}/plain/new"], [
        ("New conversation", "\t" * navigation),
        ("", "\t"), ("", "How many tickets are open in lynx?"),
        ("", "\t"), ("", "\r"),			# Send
        ("The answer with its formatting", "q"), ("", "y")])
    assert "How many tickets are open in lynx?" in screen
    [[n]] = spaced.sql("SELECT COUNT(*) FROM message WHERE role = 1 AND"
                       " content = 'How many tickets are open in lynx?'")
    assert n == "1"


def test_w3m(spaced):
    """The same page in w3m: read, its form sent, and the answer read."""
    w3m = need("w3m")
    page = subprocess.run([w3m, "-dump", f"{spaced.url}/plain/new"], text=True,
                          capture_output=True, check=True).stdout
    assert "New conversation" in page and "Message" in page and "[Send]" in page
    fields = {"agent": "lab/helper", "content": "Is this w3m? äöü",
              "token": Page(Browser(spaced, None).call("GET", "plain/new"))
              .forms[0]["fields"]["token"]}
    post = spaced.dir / "post"
    post.write_text(urllib.parse.urlencode(fields))
    answer = subprocess.run([w3m, "-dump", "-post", post,
                             f"{spaced.url}/plain/new"], text=True,
                            capture_output=True, check=True).stdout
    assert "Is this w3m? äöü" in answer
    assert "The answer with its formatting" in answer


def test_under_a_base_with_a_blank(spaced):
    browser = Browser(spaced, None)
    page, thread = talk(browser, at_once(text="fine"))
    assert "fine" in page.text
    for link in page.links:
        there = urllib.parse.urljoin("/" + thread, link)[1:]
        assert browser.call("GET", there).status == 200, link
