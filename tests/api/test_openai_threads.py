# SPDX-License-Identifier: MIT
"""Conversations of programs that send the whole thread with each request: one
conversation, recognised by what it begins with (docs/openai-server.md)."""

import concurrent.futures
import json
import time
import uuid

import pytest

from lab import wait_until
from wire_cases import script

CHAT = "//chat/openai/v1/chat/completions"
@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    import conftest
    with conftest.Lab(workspaces={"lab": {
            "workspace": "lab", "client_tools": "allow", "title_by_model": True,
            "agents": [{"id": "helper", "default": True},
                       {"id": "claude", "llm_service": "claude"}]}},
            config={"roles": {
                "user": {"groups": ["*"], "permissions": [
                    "AIChat.Chat.Send", "AIChat.Conversations.*", "AIChat.Turns.*",
                    "AIChat.Workspaces.Read", "AI.Chat.UseTool.*"]},
                "pages": {"groups": ["pages"], "permissions": [
                    "AIChat.Chat.Complete"]}}}) as lab:
        yield lab


TOOL = {"type": "function", "function": {"name": "read_file", "parameters": {
    "type": "object", "properties": {"path": {"type": "string"}}}}}


def say(text, **more):
    return "!script " + json.dumps({"text": text, **more})


class Client:
    """A program: its messages, and what it does with the answers."""

    def __init__(self, lab, user=None, title=None, model="lab/helper", stream=False,
                 keep=lambda message: message):
        self.lab, self.user = lab, user or "p" + uuid.uuid4().hex[:12]
        self.model, self.stream, self.keep = model, stream, keep
        self.headers = {"User-Agent": "Probe/1.2 (test)"}
        if title:
            self.headers["X-Title"] = title
        self.messages = []
        self.turn = None

    def post(self, messages, **more):
        body = {"model": self.model, "messages": messages, **more}
        if not self.stream:
            answer = self.lab.post(CHAT, body, user=self.user, groups=["pages"],
                                   headers=self.headers)
            assert answer.status == 200, answer
            self.turn = answer.json["id"].removeprefix("chatcmpl-")
            return answer.json["choices"][0]["message"]
        events = self.lab.stream(CHAT, {**body, "stream": True}, user=self.user,
                                 headers=self.headers).events()
        self.turn = events[0].data["id"].removeprefix("chatcmpl-")
        deltas = [c["delta"] for e in events[:-1] for c in e.data["choices"]]
        got = {"role": "assistant",
               "content": "".join(d.get("content", "") for d in deltas)}
        calls = [c for d in deltas for c in d.get("tool_calls", [])]
        return {**got, "tool_calls": calls} if calls else got

    def ask(self, text, **more):
        self.messages.append({"role": "user", "content": text})
        answer = self.post(self.messages, **more)
        self.messages.append(self.keep(answer))
        return answer

    def conversation(self):
        return self.lab.get(f"/turns/{self.turn}", user=self.user).json["conversationId"]

    def all(self, **query):
        more = "&".join(f"{k}={v}" for k, v in query.items())
        return self.lab.get("/conversations?clients=true&" + more,
                            user=self.user).json["items"]

    def stored(self, conversation=None):
        page = self.lab.get(f"/conversations/{conversation or self.conversation()}"
                            "/messages?pageSize=100", user=self.user).json["items"]
        return page[::-1]


# What clients do to an answer before they send it again.
KEPT = {
    "as it is": lambda m: m,
    "only role and content": lambda m: {"role": m["role"], "content": m["content"]},
    "trimmed": lambda m: {"role": "assistant", "content": m["content"].strip()},
    "other line ends": lambda m: {"role": "assistant",
                                  "content": m["content"].replace("\n", "\r\n") + "\n"},
    "parts": lambda m: {"role": "assistant", "content": [
        {"type": "text", "text": m["content"]}]},
    "reasoning in it": lambda m: {"role": "assistant", "content":
                                  "<think>Hm, <b>.</think>\n\n" + m["content"]},
    "reasoning as details": lambda m: {
        "role": "assistant", "content": '<details type="reasoning" done="true">'
        "\n<summary>Thought</summary>\n> Hm.\n</details>\n" + m["content"]},
    "empty calls": lambda m: {**m, "tool_calls": [], "refusal": None},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kept", KEPT)
def test_a_chat_is_one_conversation(lab, kept, stream):
    client = Client(lab, stream=stream, keep=KEPT[kept])
    ids = set()
    for i in range(4):
        client.ask(say(f" Answer {i}:\n\n- one\n- two \n"))
        ids.add(client.conversation())
    assert len(ids) == 1
    assert [m["role"] for m in client.stored()] == ["user", "assistant"] * 4
    assert not any("given" in m["metadata"] for m in client.stored())
    assert [c["conversationId"] for c in client.all()] == list(ids)


def test_it_is_marked_and_in_a_list_of_its_own(lab):
    client = Client(lab, title="Some UI")
    client.ask(say("One."))
    own = lab.chat({"text": "mine"}, user=client.user)
    mine = [e.data for e in own if e.name == "user-message"][0]
    items = client.all()
    assert [c["client"] for c in items] == ["Some UI"]
    assert client.all(q="One", workspaceId="lab") == items
    assert client.all(q="Two") == []
    assert lab.get("/conversations?clients=true", user=client.user).json["totalCount"] == 1
    page = lab.get("/conversations", user=client.user).json
    assert [c["conversationId"] for c in page["items"]] == [mine["conversationId"]]
    assert page["totalCount"] == 1 and "client" not in page["items"][0]
    assert lab.get("/conversations?clients=yes", user=client.user).status == 422


def test_whose_program_it_is(lab):
    """What it calls itself, else its token, else its User-Agent."""
    user = "p" + uuid.uuid4().hex[:12]
    made = lab.command("token", "create", "--user", user, "--name", "laptop")
    token = next(w for w in made.stdout.split() if w.startswith("lamp"))
    for headers, name in (
            ({"Authorization": f"Bearer {token}", "X-Title": " A\tb c ", }, "Ab c"),
            ({"Authorization": f"Bearer {token}"}, "laptop"),
            ({}, "Probe")):
        client = Client(lab, user=user)
        client.headers.update(headers)
        if "Authorization" in headers:
            answer = lab.post(CHAT, {"model": "lab/helper", "messages": [
                {"role": "user", "content": say("x")}]}, headers=client.headers)
            assert answer.status == 200, answer
        else:
            client.ask(say("x"))
        assert client.all()[0]["client"] == name


def test_the_model_sees_the_whole_thread(lab):
    """More than the setting says: the client decides how much it sends."""
    client = Client(lab)
    client.messages.append({"role": "system", "content": "Be brief. " * 20})
    for i in range(15):
        client.ask(say(f"Answer number {i}."))
    sent = lab.sent()[-1]["messages"]
    assert [m["content"] for m in sent if m["role"] == "assistant"] == [
        f"Answer number {i}." for i in range(14)]
    assert sum("Be brief. " * 20 in m["content"] for m in sent) == 1
    assert len({c["conversationId"] for c in client.all()}) == 1
    given = [m for m in client.stored() if "given" in m["metadata"]]
    assert len(given) == 1 and given[0]["metadata"]["given"] == [
        {"role": "system", "content": "Be brief. " * 20}]


def test_instructions_that_change_continue_the_chat(lab):
    client = Client(lab)
    client.messages.append({"role": "system", "content": "It is 10:00."})
    client.ask(say("One."))
    first = client.conversation()
    client.messages[0]["content"] = "It is 10:01."
    client.ask(say("Two."))
    assert client.conversation() == first
    assert [m["metadata"].get("given") for m in client.stored()
            if m["role"] == "user"] == [
        [{"role": "system", "content": "It is 10:00."}],
        [{"role": "system", "content": "It is 10:01."}]]


def test_regenerated_and_edited(lab):
    client = Client(lab)
    client.ask(say("One."))
    client.ask(say("Two."))
    first = client.conversation()
    client.messages.pop()
    client.messages.append(client.post(client.messages))
    assert client.conversation() == first
    assert len(client.stored()) == 4
    assert client.stored()[-1]["variantCount"] == 2
    # The other answer, as a client with branches sends it, is no end of this thread.
    client.messages[-2:] = [{"role": "user", "content": say("Edited.")}]
    client.messages.append(client.post(client.messages))
    assert client.conversation() == first
    assert client.stored()[-1]["content"] == "Edited."
    assert len(client.stored()) == 4
    client.ask(say("Three."))
    assert client.conversation() == first


def test_further_up_it_forks(lab):
    client = Client(lab)
    for i in range(4):
        client.ask(say(f"Number {i}."))
    first = client.conversation()
    client.messages = client.messages[:2]
    client.ask(say("Elsewhere."))
    fork = client.conversation()
    assert fork != first
    assert [m["content"] for m in client.stored() if m["role"] == "assistant"] == [
        "Number 0.", "Elsewhere."]
    assert len(client.stored(first)) == 8
    record = lab.get(f"/conversations/{fork}", user=client.user).json
    assert record["forkedFrom"]["conversationId"] == first
    assert record["client"] == "Probe"
    client.ask(say("And on."))
    assert client.conversation() == fork


def test_what_the_page_added_is_not_replaced(lab):
    client = Client(lab)
    client.ask(say("One."))
    first = client.conversation()
    lab.chat({"text": "from the page"}, user=client.user, conversationId=first)
    client.ask(say("Two."))
    assert client.conversation() != first
    assert len(client.stored(first)) == 4


def test_an_edited_answer_is_not_ours(lab):
    client = Client(lab)
    client.ask(say("One."))
    first = client.conversation()
    client.messages[-1] = {"role": "assistant", "content": "One, they say."}
    client.ask(say("Two."))
    assert client.conversation() != first
    assert client.stored()[0]["metadata"]["given"][-1]["content"] == "One, they say."


@pytest.mark.parametrize("other", ["user", "model", "title"])
def test_of_another_it_is_never_found(lab, other):
    client = Client(lab, title="A")
    client.ask(say("One."))
    first = client.conversation()
    twin = Client(lab, user=None if other == "user" else client.user,
                  title="B" if other == "title" else "A",
                  model="lab/claude" if other == "model" else "lab/helper")
    twin.messages = list(client.messages)
    twin.ask(say("Two."))
    assert twin.conversation() != first
    assert len(client.stored(first)) == 2


def test_examples_are_no_conversation(lab):
    """The same beginning, that no answer of ours ends, with other questions."""
    shots = [{"role": "user", "content": "2+2"}, {"role": "assistant", "content": "4"}]
    client = Client(lab)
    ids = set()
    for i in range(3):
        client.post([*shots, {"role": "user", "content": say(f"n {i}")}])
        ids.add(client.conversation())
    assert len(ids) == 3


def test_at_the_same_time(lab):
    """Many answers to one thread at once: one is in it, the others are copies."""
    client = Client(lab)
    client.ask(say("One."))
    before = list(client.messages)

    def one(i):
        twin = Client(lab, user=client.user)
        twin.messages = list(before)
        twin.ask("!script " + json.dumps({"tokens": 20 + i, "rate": 100}))
        return len(twin.stored()), twin.conversation()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = list(pool.map(one, range(4)))
    assert [n for n, _ in made] == [4] * 4
    assert len({c for _, c in made}) == 4 == len(client.all())


def test_a_deleted_one_is_not_continued(lab):
    client = Client(lab)
    client.ask(say("One."))
    first = client.conversation()
    assert lab.call("DELETE", f"/conversations/{first}", user=client.user).status == 204
    client.ask(say("Two."))
    assert client.conversation() != first
    assert len(client.stored()[0]["metadata"]["given"]) == 2


def test_a_key_repeats_a_request_of_a_thread(lab):
    client = Client(lab)
    client.ask(say("One."))
    for text, again in (("Two.", False), ("Three.", True)):
        client.headers["Idempotency-Key"] = uuid.uuid4().hex
        if again:	# further up: a fork
            client.messages = client.messages[:2]
        client.ask(say(text))
        turn, conversation = client.turn, client.conversation()
        assert client.post(client.messages[:-1])["content"] == text
        assert (client.turn, client.conversation()) == (turn, conversation)
    del client.headers["Idempotency-Key"]


def test_an_answer_that_was_stopped_continues(lab):
    """The client leaves the stream, keeps what it has, and asks the next question."""
    client = Client(lab, stream=True)
    client.ask(say("One."))
    first = client.conversation()
    client.messages.append({"role": "user", "content": "!script " + json.dumps(
        {"tokens": 100000, "rate": 100})})
    stream = lab.stream(CHAT, {"model": "lab/helper", "stream": True,
                               "messages": client.messages}, user=client.user,
                        headers=client.headers)
    got, turn = "", None
    for event in stream:
        turn = event.data["id"].removeprefix("chatcmpl-")
        got += event.data["choices"][0]["delta"].get("content", "")
        if len(got) > 40:
            break
    stream.close()
    wait_until("the turn is stopped", lambda: lab.get(f"/turns/{turn}", user=client.user).json["status"]
               != "running")
    client.messages.append({"role": "assistant", "content": got})
    client.ask(say("Two."))
    assert client.conversation() == first


def test_no_model_writes_its_title(lab):
    client = Client(lab)
    lab.sent()
    client.ask(say("One."))
    client.ask(say("Two."))
    assert len(lab.sent()) == 2
    assert client.all()[0]["title"].startswith("!script")


@pytest.mark.parametrize("how", ["plain", "stream"])
def test_tools_of_the_client_in_it(lab, how):
    client = Client(lab, stream=how == "stream", model="lab/helper")
    answer = client.ask("!script " + json.dumps({
        "narration": "Let me look.",
        "tool_calls": [{"name": "read_file", "args": {"path": "a"}}],
        "then": {"text": "It is a."}}), tools=[TOOL])
    first = client.conversation()
    client.messages.append({"role": "tool", "content": "text",
                            "tool_call_id": answer["tool_calls"][0]["id"]})
    client.messages.append(client.post(client.messages, tools=[TOOL]))
    assert client.conversation() == first
    client.messages[2]["content"] = "[cleared]"
    client.ask(say("Two."), tools=[TOOL])
    assert client.conversation() == first
    assert "given" not in client.stored()[-2]["metadata"]


def test_it_is_stored_once(lab):
    """Sixty messages take the space of sixty, not of 1830."""
    client = Client(lab)
    for i in range(30):
        client.ask(say("word " * 200 + str(i)))
    ((n, size),) = lab.sql(
        "SELECT COUNT(*), SUM(LENGTH(content) + COALESCE(LENGTH(meta), 0)) FROM message"
        f" WHERE conversation_id = UNHEX('{client.conversation().replace('-', '')}')")
    assert int(n) == 60 and int(size) < 60 * 2500


HELPERS = [
    [{"role": "user", "content": "### Task:\nGenerate a concise, 3-5 word title with an"
      " emoji summarizing the chat history.\n### Output:\n" + say("A title")}],
    [{"role": "system", "content": "You are a title generator. You output ONLY a thread"
      " title. Nothing else.\n\n<task>"},
     {"role": "user", "content": "Generate a title for this conversation:\n"},
     {"role": "user", "content": "hello"}],
]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("messages", HELPERS, ids=["open-webui", "opencode"])
def test_a_helper_of_a_page_leaves_usage_only(lab, messages, stream):
    client = Client(lab, stream=stream)
    client.ask(say("One."))
    lab.sent()
    body = {"model": "lab/helper", "messages": messages, "max_tokens": 99}
    if stream:
        events = lab.stream(CHAT, {**body, "stream": True, "stream_options": {
            "include_usage": True}}, user=client.user, groups=["pages"]).events()
        assert events[-1].data == "[DONE]" and events[-2].data["usage"]["total_tokens"]
        chunks = [c for e in events[:-1] for c in e.data["choices"]]
        assert chunks[0]["delta"]["role"] == "assistant"
        assert chunks[-1]["finish_reason"] == "stop"
        text = "".join(c["delta"].get("content", "") for c in chunks)
    else:
        answer = lab.post(CHAT, body, user=client.user, groups=["pages"]).json
        assert answer["object"] == "chat.completion" and answer["usage"]["total_tokens"]
        text = answer["choices"][0]["message"]["content"]
    assert text
    (sent,) = lab.sent()
    assert sent["max_tokens"] == 99 and "tools" not in sent
    assert len(client.all()) == 1
    assert [c["title"][:7] for c in client.all()] == ["!script"]
    wait_until("the usage is recorded", lambda: lab.sql(
        "SELECT 1 FROM usage_record u JOIN user p ON p.id = u.user_id WHERE"
        f" p.login = '{client.user}' AND u.kind = 2 AND u.conversation_id IS NULL"
        " AND u.agent_id = 'helper'"))


def test_what_only_looks_like_a_helper(lab):
    """A long chat that begins so, one with tools, and one who may not."""
    client = Client(lab)
    client.messages = [{"role": "assistant", "content": "x"}]
    client.ask(HELPERS[0][0]["content"])
    assert len(client.all()) == 1
    other = Client(lab)
    other.ask(HELPERS[0][0]["content"], tools=[TOOL])
    assert len(other.all()) == 1
    answer = lab.post(CHAT, {"model": "lab/helper", "messages": HELPERS[0]},
                      user=client.user + "x")
    assert answer.status == 200
    assert len(Client(lab, user=client.user + "x").all()) == 1


def test_they_are_deleted_after_a_time(lab):
    old, young, longer = Client(lab), Client(lab), Client(lab)
    for client in old, young, longer:
        client.ask(say("One."))
    longer.ask(say("Two."))
    month = 31 * 86400 * 1000000

    def age(client, what):
        key = client.conversation().replace("-", "")
        lab.sql(f"UPDATE client_prefix SET created_us = created_us - {month}"
                f" WHERE conversation_id = UNHEX('{key}')")
        if what == "all":
            lab.sql(f"UPDATE conversation SET updated_us = updated_us - {month}"
                    f" WHERE id = UNHEX('{key}')")
    age(old, "all")
    age(longer, "rows")
    mine = lab.chat({"text": "mine"}, user=old.user)
    mine = [e.data for e in mine if e.name == "user-message"][0]["conversationId"]
    lab.command("work")
    assert not old.all()
    assert len(young.all()) == len(longer.all()) == 1
    assert lab.get(f"/conversations/{mine}", user=old.user).status == 200
    key = longer.conversation().replace("-", "")
    assert lab.sql("SELECT COUNT(*) FROM client_prefix WHERE conversation_id ="
                   f" UNHEX('{key}') AND created_us < UNIX_TIMESTAMP() * 1000000"
                   f" - {month} + 3600000000") == [["0"]]
    wait_until("its rows are gone", lambda: lab.sql(
        "SELECT COUNT(*) FROM client_prefix p LEFT JOIN conversation c"
        " ON c.id = p.conversation_id WHERE c.id IS NULL OR c.tenant_id = ''")
        == [["0"]])


@pytest.mark.parametrize("content", [
    [{"type": "text", "text": "shot"}, {"type": "image_url", "image_url": {
        "url": "data:image/png;base64,AA=="}}],
    [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]])
def test_an_image_of_a_tool_does_not_block_the_thread(lab, content):
    """OpenHands issue 7700: each later request was 400."""
    client = Client(lab)
    answer = client.ask("!script " + json.dumps({
        "tool_calls": [{"name": "read_file", "args": {"path": "a"}}],
        "then": {"text": "Seen."}}), tools=[TOOL])
    client.messages.append({"role": "tool", "content": content,
                            "tool_call_id": answer["tool_calls"][0]["id"]})
    client.messages.append(client.post(client.messages, tools=[TOOL]))
    assert client.messages[-1]["content"] == "Seen."
    assert client.ask(say("On."), tools=[TOOL])["content"] == "On."


def test_a_refusal_in_the_history(lab):
    client = Client(lab)
    client.messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [
        {"type": "refusal", "refusal": "I will not."}]}]
    client.ask(say("On."))
    assert client.stored()[0]["metadata"]["given"][1]["content"] == "I will not."


def test_many_open_tags_are_linear(lab):
    """What is left out of a text is looked for once (echo.c)."""
    client = Client(lab)
    client.messages = [{"role": "user", "content": "x"}, {
        "role": "assistant", "content": "<think>" * 200000}]
    begun = time.monotonic()
    lab.post(CHAT, {"model": "lab/helper", "messages": [
        *client.messages, {"role": "user", "content": say("On.")}]}, user=client.user)
    assert time.monotonic() - begun < 10
