# SPDX-License-Identifier: MIT
"""Plain pages of turns that wait: approvals, questions, calls of the page."""

import pytest

from lab import Lab, wait_until
from plain_browser import NOBODY, Browser, at_once, ended, start

TEXT = {"type": "object", "required": ["text"], "additionalProperties": False,
        "properties": {"text": {"type": "string"}}}


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """A Lab with a tool that always asks, and one that only a page can run."""
    log = tmp_path_factory.mktemp("plain") / "runs"
    log.touch()
    lab = {"workspace": "lab", "title_by_model": False, "agents": [
        {"id": "helper", "tools": ["group:dialog", "note", "here"]}]}
    with Lab(workspaces={"lab": lab}, config={"tools": {
            "note": {"kind": "command", "description": "Writes a note.",
                     "parameters": TEXT, "effect": "write", "confirm": "always",
                     "command": {"run": ["/bin/sh", "-c", f"cat >> {log}"]}},
            "here": {"kind": "client", "description": "On the page.",
                     "parameters": TEXT}}}) as lab:
        lab.runs = log.read_text
        yield lab


def wait_page(browser, turn):
    """The turn's page once it waits."""
    return wait_until("the turn to wait", lambda: (
        page := browser.get(turn)) and "Waiting for you." in page.text and page)


@pytest.mark.parametrize("steps", [{}, {"steps": "1"}])
@pytest.mark.parametrize("decision,ran", [("approve", True), ("deny", False)])
def test_approval(waiting, decision, ran, steps):
    browser = Browser(waiting)
    text = f"<{decision}> & {len(steps)}"
    turn = start(browser, at_once(tool_calls=[{"name": "note", "args": {
        "text": text}}], then={"text": "all done"}), **steps)
    page = wait_page(browser, turn)
    assert "Allow this action?" in page.text and '"refresh"' not in page.text
    assert "&lt;" + decision in page.text and text not in waiting.runs()
    thread = "plain/conversations/" + waiting.get(
        "/turns/" + turn.split("/")[-1].split("?")[0],
        user="ada").json["conversationId"]
    # Neither there nor in the list does it look as if it were being written.
    listed = browser.get("plain/").text
    row = listed[listed.index(thread.removeprefix("plain/")):].split("</li>")[0]
    for text_of in (browser.get(thread).text, row):
        assert "waiting for you" in text_of
        assert "answering" not in text_of and "being written" not in text_of
    reply = browser.submit(page, "decide", **{decision: "x"})
    assert browser.follow(reply, turn.split("?")[0] + "/decide") == turn
    assert "all done" in browser.get(ended(browser, turn)).text
    assert (text in waiting.runs()) == ran
    # Once is once; the same again, of a double click, leads there again.
    reply = browser.submit(page, "decide", **{decision: "x"})
    assert browser.follow(reply, turn.split("?")[0] + "/decide") == turn
    other = {"approve": "deny", "deny": "approve"}[decision]
    reply = browser.submit(page, "decide", **{other: "x"})
    assert reply.status == 409 and b"This was already decided" in reply.body
    assert waiting.runs().count(text) == ran


def test_nothing_hides_in_what_is_approved(waiting):
    """Red team: no character that nobody sees, or that turns what one sees."""
    browser = Browser(waiting)
    hidden = "a\u202eb\u200dc\U000e0041d\u2028e\u3164f\ufe0f"
    turn = start(browser, at_once(tool_calls=[{"name": "note", "args": {
        "text": hidden}}], then={"text": "x"}))
    page = wait_page(browser, turn)
    assert "This changes data." in page.text
    pre = page.text[page.text.index("Allow this action?"):]
    pre = pre[pre.index("<pre>"):pre.index("</pre>")]
    assert "a⟨U+202E⟩b⟨U+200D⟩c⟨U+E0041⟩d⟨U+2028⟩e⟨U+3164⟩f⟨U+FE0F⟩" in pre
    assert not [c for c in hidden if ord(c) > 127 and c in pre]
    browser.submit(page, "decide", approve="x")
    browser.get(ended(browser, turn))
    assert hidden in waiting.runs()


def test_approval_of_something_else(waiting):
    """Only what was shown, only by its owner, only with a token."""
    browser = Browser(waiting)
    turn = start(browser, at_once(tool_calls=[{"name": "note", "args": {
        "text": "not this"}}], then={"text": "x"}))
    page = wait_page(browser, turn)
    fields = page.form("decide")["fields"]
    for wrong, status in (({"digest": "00" * 32}, 409), ({"digest": "zz"}, 400),
                          ({"wait": NOBODY}, 404), ({"wait": "x"}, 404),
                          ({"deny": "x"}, 400), ({"token": "x"}, 403)):
        reply = browser.post(turn + "/decide", {
            **fields, "approve": "x", **wrong})
        assert reply.status == status, (wrong, reply)
    assert browser.post(turn + "/decide", {
        k: v for k, v in fields.items() if k not in ("approve", "deny")}
        ).status == 400
    assert browser.post(turn + "/answer", {**fields, "choice": "A"}).status == 404
    bob = Browser(waiting, "bob")
    token = bob.get("plain/new").forms[0]["fields"]["token"]
    assert bob.post(turn + "/decide", {**fields, "approve": "x",
                                       "token": token}).status == 404
    assert "not this" not in waiting.runs()
    # Stop works on a turn that no process has.
    assert browser.submit(page, "stop").status == 303
    page = browser.get(ended(browser, turn))
    assert "waiting for you" not in page.text and page.form("conversations/")
    assert "not this" not in waiting.runs()


@pytest.mark.parametrize("answer,said", [
    ({"choice": "B"}, "green &amp; blue"), ({"answer": "neither"}, "neither")])
def test_question(waiting, answer, said):
    browser = Browser(waiting)
    turn = start(browser, at_once(tool_calls=[{"name": "ask_user", "args": {
        "question": "Which <colour>?", "options": ["red", "green & blue"]}}],
        then={"text": "as you like"}))
    page = wait_page(browser, turn)
    assert "Which &lt;colour&gt;?" in page.text
    assert "green &amp; blue" in page.text
    assert browser.submit(page, "answer", answer="", choice="Z").status == 422
    for _ in range(2):		# a double click
        reply = browser.submit(page, "answer", **{"answer": "", **answer})
        assert reply.status == 303
    text = browser.get(ended(browser, turn)).text
    assert "as you like" in text and said in text


def test_what_only_a_page_can_run(waiting):
    """Begun on the page, looked at here."""
    browser = Browser(waiting)
    events = waiting.chat({"tool_calls": [{"name": "here", "args": {
        "text": "x"}}], "then": {"text": "without it"}},
        client={"mode": "page", "tools": ["here"]})
    turn = "plain/turns/" + events[0].data["turnId"]
    page = wait_page(browser, turn)
    assert "needs the page with JavaScript" in page.text
    assert browser.submit(page, "answer").status == 303
    text = browser.get(ended(browser, turn)).text
    assert "without it" in text and "has no JavaScript" in text
