# SPDX-License-Identifier: MIT
"""webSearch (C30, A64) on every route that starts a turn, in its own words."""

import json
import uuid

import pytest

from plain_browser import Browser, ended as page_ended
from steps import follow
from web_site import site, web  # noqa: F401

pytestmark = pytest.mark.threads

OPENAI = "//chat/openai/v1/chat/completions"
SEARCH = {"tool_calls": [{"name": "web_search", "args": {"query": "q"}}],
          "then": {"text": "ok"}}
SAY = "!script " + json.dumps(SEARCH)


@pytest.fixture
def searches(web, site):  # noqa: F811
    """How often the engine was asked while a function ran."""
    site.pages["/search"] = (200, {"Content-Type": "application/json"},
                             json.dumps({"results": []}))

    def count(do):
        before = sum(path.startswith("/search") for path, _ in site.asked)
        do()
        return sum(path.startswith("/search") for path, _ in site.asked) - before

    return count


def new(lab):
    return lab.post("/conversations", {"workspaceId": "lab"},
                    user="ada").json["conversationId"]


def bodies(lab, name):
    """Path and body of a route, and where it asks for the web."""
    agent = f"/workspaces/lab/agents/all/conversations/{new(lab)}/messages"
    user = [{"role": "user", "id": uuid.uuid4().hex,
             "parts": [{"type": "text", "text": SAY}]}]
    return {
        "chat": ("/chat/lab/stream", {"content": SAY}, "webSearch"),
        "forge": ("/chat/lab/stream?dialect=forge", {"content": SAY},
                  "webSearch"),
        "messages": (agent, {"content": SAY}, "webSearch"),
        "messages-stream": (agent + "/stream", {"content": SAY}, "webSearch"),
        "tasks": ("/tasks", {"workspaceId": "lab", "content": SAY}, "webSearch"),
        "v2": ("/agent/stream", {"message": SAY, "workspaceId": "lab"},
               "webSearch"),
        "ai-sdk": ("/ai-sdk/lab", {"id": uuid.uuid4().hex, "messages": user},
                   "webSearch"),
        "ag-ui": ("/ag-ui/lab", {"threadId": uuid.uuid4().hex, "runId": "r",
                                 "messages": [{"role": "user", "id": "m",
                                               "content": SAY}]},
                  "forwardedProps"),
        "openai": (OPENAI, {"model": "lab", "messages": [
            {"role": "user", "content": SAY}]}, "web_search_options"),
        "openai-tools": (OPENAI, {"model": "lab", "stream": True, "messages": [
            {"role": "user", "content": SAY}]}, "tools"),
    }[name]


WISHES = {"webSearch": [(True, 1), (False, 0), (None, 0)],
          "forwardedProps": [({"webSearch": True, "other": [1]}, 1),
                             ({"webSearch": False}, 0), (None, 0)],
          "web_search_options": [({}, 1), ({"search_context_size": "low"}, 1),
                                 (None, 0)],
          "tools": [([{"type": "web_search"}], 1),
                    ([{"type": "web_search_preview"}], 1), ([], 0)]}


def ended(lab, answer):
    """The whole answer; of a task the end of its turn."""
    if answer.status == 202:
        follow(lab, answer.json["turnId"]).events()
    return answer


@pytest.mark.parametrize("name", [
    "chat", "forge", "messages", "messages-stream", "tasks", "v2", "ai-sdk",
    "ag-ui", "openai", "openai-tools"])
def test_each_route_takes_the_wish(web, searches, name):  # noqa: F811
    _, _, key = bodies(web, name)
    for value, times in [("absent", 0), *WISHES[key]]:
        path, body, key = bodies(web, name)
        if value != "absent":
            body[key] = value

        def send():
            answer = ended(web, web.post(path, body, user="ada"))
            assert answer.status in (200, 202), answer

        assert searches(send) == times, (name, value)


@pytest.mark.parametrize("name,value,field", [
    ("chat", "yes", "webSearch"), ("messages", 1, "webSearch"),
    ("tasks", "", "webSearch"), ("v2", {}, "webSearch"),
    ("ai-sdk", "true", "webSearch"), ("ag-ui", {"webSearch": 1}, "webSearch"),
    ("openai", True, "web_search_options"), ("openai", [], "web_search_options"),
    ("openai-tools", {"type": "web_search"}, "tools"),
    ("openai-tools", [{"type": "web_search"}, {"type": "function"}], "tools"),
    ("openai-tools", [{"type": "web"}], "tools")])
def test_other_values_are_refused(web, name, value, field):  # noqa: F811
    path, body, key = bodies(web, name)
    answer = web.post(path, {**body, key: value}, user="ada")
    if name.startswith("openai"):
        assert answer.status == 400 and answer.json["error"]["param"] == field
    else:
        assert answer.status == 422 and answer.json["field"] == field


def test_a_model_without_web_says_so(web):  # noqa: F811
    """An answer of another kind than was asked for is refused."""
    _, body, _ = bodies(web, "openai")
    for more in ({"web_search_options": {}}, {"tools": [{"type": "web_search"}]}):
        answer = web.post(OPENAI, {**body, "model": "lab/text", **more},
                          user="ada")
        assert answer.status == 400
        assert answer.json["error"]["param"] == next(iter(more))
        assert "no web search" in answer.json["error"]["message"]


def test_agents_say_whether_they_have_it(web):  # noqa: F811
    agents = web.get("/workspaces/lab/agents", user="ada").json["items"]
    assert {a["agentId"]: a["webSearch"] for a in agents} == {
        "all": True, "rogue": True, "text": False}


def chat(web, **fields):  # noqa: F811
    events = web.chat(SEARCH, **fields)
    assert events[-1].name == "done"
    return f"/conversations/{events[0].data['conversationId']}", events


def test_answering_again_is_as_the_message_was_sent(web, searches):  # noqa: F811
    path, _ = chat(web, webSearch=True)
    redo = lambda **body: searches(lambda: web.stream(  # noqa: E731
        path + "/regenerate", body, user="ada").events())
    assert redo() == 1
    assert redo(webSearch=False) == 0
    # That was for the one answer.
    assert redo() == 1
    path, _ = chat(web)
    assert redo() == 0
    assert redo(webSearch=True) == 1
    assert redo(webSearch=None) == 0
    answer = web.post(path + "/regenerate", {"webSearch": "x"}, user="ada")
    assert answer.status == 422 and answer.json["field"] == "webSearch"


def test_an_edited_message_has_its_own(web, searches):  # noqa: F811
    path, events = chat(web, webSearch=True)
    id = events[0].data["messageId"]

    def edit(**more):
        nonlocal id
        told = []
        n = searches(lambda: told.extend(web.stream(path + "/edit", {
            "messageId": id, "content": SAY, **more}, user="ada").events()))
        id = told[0].data["messageId"]
        return n

    assert edit() == 0
    assert edit(webSearch=True) == 1
    # It is the message's now.
    assert searches(lambda: web.stream(path + "/regenerate", {}, user="ada")
                    .events()) == 1


def cut(web, path, body):  # noqa: F811
    """A turn that fails once, before it calls anything."""
    script = {"id": uuid.uuid4().hex, "fail_times": 1, **SEARCH,
              "error": {"status": 400, "body": {"error": {"message": "no"}}}}
    events = web.stream(path, {"content": "!script " + json.dumps(script),
                               **body}, user="ada").events()
    assert events[-1].name == "error"
    return events[0].data


def test_what_goes_on_does_as_it_began(web, searches):  # noqa: F811
    go_on = lambda turn, body=None: searches(lambda: web.stream(  # noqa: E731
        f"/turns/{turn}/continue", body, user="ada").events())
    for began, body, times in [
            (True, None, 1), (True, {}, 1), (True, {"webSearch": False}, 0),
            (False, None, 0), (False, {"webSearch": True}, 1)]:
        first = cut(web, "/chat/lab/stream", {"webSearch": began})
        assert go_on(first["turnId"], body) == times, (began, body)


def test_what_goes_on_twice_does_too(web, searches):  # noqa: F811
    """What an answer was made again with is not its message's to say."""
    script = {"id": uuid.uuid4().hex, "fail_times": 3, **SEARCH,
              "error": {"status": 400, "body": {"error": {"message": "no"}}}}
    first = web.chat(script)[0].data
    path = f"/conversations/{first['conversationId']}"
    turn = web.stream(path + "/regenerate", {"webSearch": True},
                      user="ada").events()[0].data["turnId"]
    turn = web.stream(f"/turns/{turn}/continue", None,
                      user="ada").events()[0].data["turnId"]
    assert searches(lambda: web.stream(f"/turns/{turn}/continue", None,
                                       user="ada").events()) == 1


def test_bodies_of_continue(web):  # noqa: F811
    """None, an object, and nothing else."""
    turn = cut(web, "/chat/lab/stream", {})["turnId"]
    path = f"/turns/{turn}/continue"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert web.post(path, "a=1", user="ada", headers=form).status == 415
    assert web.post(path, "{}", user="ada",
                    headers={"Content-Type": "text/plain"}).status == 415
    answer = web.post(path, {"content": "x"}, user="ada")
    assert answer.status == 422 and answer.json["code"] == "unknown_field"
    answer = web.post(path, {"webSearch": 1}, user="ada")
    assert answer.status == 422 and answer.json["field"] == "webSearch"
    # What an empty form's type says does not count.
    assert web.stream(path, "", user="ada", headers=form).events()[-1].name == \
        "done"


def test_the_wish_survives_a_wait(web, searches):  # noqa: F811
    """It is stored with the turn, so whoever wakes it has it."""
    script = {"tool_calls": [{"name": "set_field", "args": {}}], "then": SEARCH}
    say = "!script " + json.dumps(script)
    client = {"mode": "page", "tools": [
        {"name": "set_field", "description": "Sets it."}]}
    first = web.stream("/chat/open/stream", {
        "content": say, "client": client}, user="ada").events()
    assert first[-1].name == "waiting"
    path = f"/conversations/{first[0].data['conversationId']}"
    events = web.stream(path + "/regenerate", {
        "client": client, "webSearch": True}, user="ada").events()
    assert events[-1].name == "waiting"
    wait = events[-1].data["for"][0]
    assert wait["tool"] == "set_field"
    assert searches(lambda: web.stream(
        f"/turns/{wait['turnId']}/tool-results", {"results": [
            {"toolCallId": wait["toolCallId"], "result": 1}]},
        user="ada").events()) == 1


def test_ai_sdk_finds_its_messages_with_a_wish(web, searches):  # noqa: F811
    chat, name = uuid.uuid4().hex, uuid.uuid4().hex
    messages = [{"role": "user", "id": name,
                 "parts": [{"type": "text", "text": SAY}]}]
    send = lambda **more: web.stream("/ai-sdk/lab", {  # noqa: E731
        "id": chat, "messages": messages, **more}, user="ada")
    assert searches(lambda: send(webSearch=True).events()) == 1
    assert searches(lambda: send(
        trigger="regenerate-message", messageId=name).events()) == 1
    assert searches(lambda: send(messageId=name).events()) == 0
    assert searches(lambda: send(messageId=name, webSearch=True).events()) == 1
    # A name that only begins alike is another's, and one that is no name nobody's.
    for other in (name[:-1], "x" * 300):
        stream = send(trigger="regenerate-message", messageId=other)
        assert stream.status == 422
        stream.close()


def test_the_box_of_plain_pages(web, searches):  # noqa: F811
    """{base}/plain: for a message, and for one that is changed."""
    browser = Browser(web)

    def send(page, action, **fields):
        """Submits the form; the path of its conversation and how often asked."""
        there = []

        def do():
            turn = browser.follow(browser.submit(page, action, content=SAY,
                                                 **fields), page.url)
            there.append(page_ended(browser, turn))

        return searches(do), there[0]

    new = browser.get("plain/new")
    assert 'name="web" value="1">' in new.text
    assert send(new, "new", agent="lab/all")[0] == 0
    times, thread = send(new, "new", agent="lab/all", web="1")
    assert times == 1
    id = thread.split("/")[-1]
    page = browser.get(thread)
    assert send(page, id)[0] == 0 and send(page, id, web="1")[0] == 1
    for seq, checked in ((1, True), (5, False)):
        page = browser.get(f"{thread}/change?message={seq}")
        assert ('name="web" value="1" checked>' in page.text) is checked, seq
    assert send(browser.get(f"{thread}/change?message=1"), "change")[0] == 0
    page = browser.get(f"{thread}/change?message="
                       + browser.get(thread).text.split('<div id="m')[1].split('"')[0])
    assert send(page, "change", web="1")[0] == 1
    # Answered again it is as it was sent.
    page = browser.get(thread)
    assert searches(lambda: page_ended(browser, browser.follow(
        browser.submit(page, "regenerate"), thread + "/regenerate"))) == 1
    # Where the agent has no tools for it there is no box.
    _, thread = send(new, "new", agent="lab/text")
    assert 'name="web"' not in browser.get(thread).text
