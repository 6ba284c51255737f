# SPDX-License-Identifier: MIT
"""What a message through the doors for other programs costs the database, beside one
through the native route (docs/performance.md, docs/dialects.md)."""

import json
import uuid

import pytest

from lab import Lab

SAID = "!script " + json.dumps({"tokens": 3})
BEGIN, MEMORY, PREFIX, NOTED = "BEGIN", "memory", "prefix", "prefix noted"
NAMES = (("FROM conversation_memory", MEMORY), ("FROM client_prefix", PREFIX),
         ("INTO client_prefix", NOTED), ("BEGIN NOT ATOMIC", BEGIN))


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False}},
             config={"settings": {"rolling_summary": True}}) as lab:
        lab.chat("hello")       # what a process does once
        lab.sql("SET GLOBAL log_output = 'TABLE'")
        yield lab
        lab.sql("SET GLOBAL log_output = 'FILE'")


def statements(lab, path, body, user):
    """The events, and the statements in their order, without those of notifications, the
    sum of what the user stores, which comes behind any of a user's answers, and what a
    process reads and writes of its turns every 250 ms or 5 s, which a slow machine gets to. What
    follows the answer before, a summary for one, is over."""
    lab.settled()
    lab.sql("SET GLOBAL general_log = 1; TRUNCATE mysql.general_log")
    try:
        events = lab.stream(path, body, user=user).events()
    finally:
        lab.sql("SET GLOBAL general_log = 0")
    known = " ".join(f"WHEN argument LIKE '%{text}%' THEN '{name}'" for text, name in NAMES)
    return events, [row[0] for row in lab.sql(
        f"SELECT CASE {known} ELSE REGEXP_REPLACE(LEFT(argument, 80), '[^ -~]', '?') END"
        " FROM mysql.general_log WHERE command_type = 'Execute' AND argument NOT LIKE"
        " '%notification%' AND argument NOT LIKE '%SUM(%' AND argument NOT LIKE"
        " 'SELECT id,status,cancel_requested%' AND argument NOT LIKE '%INTO turn_journal%'"
        " AND argument NOT LIKE 'UPDATE turn SET journal%'"
        " AND argument NOT LIKE 'UPDATE turn SET lease_until_us%'"
        " ORDER BY event_time, thread_id")]


def user_message(id):
    return {"id": id, "role": "user", "content": SAID, "parts": [{"type": "text", "text": SAID}]}


def ai_sdk(name, n):
    return "/ai-sdk/lab", {"id": name, "trigger": "submit-message",
                           "messages": [user_message(f"m{i}") for i in range(n)]}


def ag_ui(name, n):
    return "/ag-ui/lab", {"threadId": name, "runId": f"r{n}", "state": {}, "tools": [],
                          "context": [], "forwardedProps": {},
                          "messages": [user_message(f"m{i}") for i in range(n)]}


def chat(lab, who, send, name, n):
    for i in range(1, n):
        lab.stream(*send(name, i), user=who).events()
    return statements(lab, *send(name, n), who)[1]


def native(lab, who, n):
    where, got = None, None
    for _ in range(n):
        events, got = statements(lab, "/chat/lab/stream", {
            "content": SAID, "conversationId": where}, who)
        where = events[0].data["conversationId"]
    return got


def openai(lab, who, n, said=()):
    """The last of n messages of a chat behind `said`, as its program sends it."""
    said, got = list(said), None
    for _ in range(n):
        said.append({"role": "user", "content": SAID})
        events, got = statements(lab, "//chat/openai/v1/chat/completions", {
            "model": "lab", "stream": True, "messages": said}, who)
        said.append({"role": "assistant", "content": "".join(
            e.data["choices"][0]["delta"].get("content") or ""
            for e in events if e.data != "[DONE]" and e.data["choices"])})
    return got


def threads(lab, who):
    return len(lab.get("/conversations?clients=true", user=who).json["items"]) + len(
        lab.get("/conversations", user=who).json["items"])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_message_costs_what_one_of_the_page_costs(lab, n):
    """Before the first token as many round trips as there; OpenAI's clients, which send
    no name of the thread, one more to find it, and one behind the answer to note it."""
    who = "d" + uuid.uuid4().hex[:12]
    want = [BEGIN] + [MEMORY] * (n > 2) + [BEGIN]
    native(lab, who, 1)     # notes the user
    assert native(lab, who, n) == want
    for send in (ai_sdk, ag_ui):
        for name in ("chat-" + who, str(uuid.uuid4())):
            assert chat(lab, who, send, name, n) == want, send
    assert threads(lab, who) == 6
    assert openai(lab, who, n) == [PREFIX] * (n > 1) + want + [NOTED]
    assert threads(lab, who) == 7


def test_a_long_chat_costs_no_more(lab):
    """The thread is found by the hash of its beginning, and stored once."""
    who = "d" + uuid.uuid4().hex[:12]
    native(lab, who, 1)
    long = [{"role": ("user", "assistant")[i % 2], "content": f"message {i}"}
            for i in range(10000)]
    assert openai(lab, who, 4, long) == openai(lab, who, 4) == [
        PREFIX, BEGIN, MEMORY, BEGIN, NOTED]
    assert threads(lab, who) == 3


def test_a_chat_that_its_client_has_forgotten(lab):
    """One that seems to be new is there, and one that seems to be old is not."""
    who = "d" + uuid.uuid4().hex[:12]
    for send in (ai_sdk, ag_ui):
        for order in ((1, 1, 3), (5, 1)):
            before, name = threads(lab, who), uuid.uuid4().hex
            for n in order:
                last = lab.stream(*send(name, n), user=who).events()[-1]
                assert last.data == "[DONE]" or last.data["type"] == "RUN_FINISHED"
            assert threads(lab, who) == before + 1


@pytest.mark.parametrize("send", [ai_sdk, ag_ui])
def test_a_conversation_of_the_page_by_its_id(lab, send):
    who = "d" + uuid.uuid4().hex[:12]
    native(lab, who, 1)
    where = lab.stream("/chat/lab/stream", {"content": SAID}, user=who).events()[
        0].data["conversationId"]
    assert statements(lab, *send(where, 3), who)[1] == [BEGIN, BEGIN]
    assert threads(lab, who) == 2
    # Of others it is a name like any other.
    assert lab.stream(*send(where, 3), user=who + "x").events()
    assert (threads(lab, who), threads(lab, who + "x")) == (2, 1)
