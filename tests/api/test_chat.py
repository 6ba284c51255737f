# SPDX-License-Identifier: MIT
"""A turn, as a client sees it (DESIGN 4; B35-B47, E1)."""

import json
import re
import threading

import pytest

from lab import DEADLINE_S, wait_until

pytestmark = pytest.mark.threads

COUNT_OPEN = {"name": "query_data", "args": {
    "dataset": "tickets", "aggregates": [{"fn": "count", "as": "n"}],
    "filters": [{"column": "status", "op": "eq", "value": "open"}]}}


def names(events):
    """Event names in order without the notices, neighbours joined."""
    out = []
    for e in events:
        if not out or out[-1] != e.name:
            out.append(e.name)
    return [n for n in out if n not in ("context-usage", "status", "title")]


def text_of(events):
    text = ""
    for e in events:
        if e.name == "token-reset":
            text = ""
        elif e.name == "token":
            text += e.data["delta"]
    return text


@pytest.fixture(params=["helper", "claude", "llama"])
def agent(request):
    """The same loop over three providers' wire formats."""
    return request.param


def test_text_streams_and_is_stored(lab, agent):
    events = lab.chat({"text": "Hello wörld 👋 out there."}, agentId=agent)
    assert names(events) == ["user-message", "token", "done"]
    assert text_of(events) == "Hello wörld 👋 out there."
    done = events[-1].data
    assert done["content"] == "Hello wörld 👋 out there."
    assert done["metadata"]["finish_reason"] == "stop"
    assert done["metadata"]["model"]
    assert done["metadata"]["context_document_ids"] == []
    page = lab.get(f"/conversations/{done['conversationId']}/messages",
                   user="ada").json
    assert [m["role"] for m in page["items"]] == ["assistant", "user"]
    assert page["items"][0]["messageId"] == done["messageId"]
    assert page["items"][0]["content"] == done["content"]
    assert page["totalCount"] is None and page["nextCursor"] is None


def test_message_fields_are_those_of_b47(lab):
    events = lab.chat({"text": "x"})
    for e in (events[0], events[-1]):
        m = e.data
        assert {"workspaceId", "agentId", "conversationId", "turnId", "role",
                "content", "messageId", "messageTs", "metadata"} <= set(m)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                            m["messageTs"])
    assert events[0].data["turnId"] == events[-1].data["turnId"]


def test_a_tool_reads_real_rows(lab, agent):
    events = lab.chat({"tool_calls": [COUNT_OPEN],
                       "then": {"text": "There are 100."}}, agentId=agent)
    assert names(events) == ["user-message", "tool-call", "tool-result",
                             "token", "done"]
    call = next(e.data for e in events if e.name == "tool-call")
    result = next(e.data for e in events if e.name == "tool-result")
    assert call["toolName"] == result["toolName"] == "query_data"
    assert call["callId"] == result["callId"] != ""
    assert call["args"]["dataset"] == "tickets"
    assert result["result"]["rows"] == [[100]]
    assert result["isError"] is False
    # Reload: the step and the tool row are there, in order (E4).
    said = lab.get(f"/conversations/{events[0].data['conversationId']}/messages",
                   user="ada").json["items"]		# A51
    assert [m["role"] for m in said] == ["assistant", "user"]
    page = lab.get(f"/conversations/{events[0].data['conversationId']}"
                   "/messages?include=steps", user="ada").json["items"][::-1]
    assert [m["role"] for m in page] == ["user", "assistant", "tool",
                                         "assistant"]
    assert page[1]["metadata"]["step"] is True
    assert page[1]["metadata"]["toolCalls"][0]["callId"] == call["callId"]
    assert json.loads(page[2]["content"])["rows"] == [[100]]


def test_parallel_calls_keep_their_order(lab, agent):
    calls = [{"name": "query_data", "args": {
        "dataset": "tickets", "select": ["id"], "filters": [
            {"column": "id", "op": "eq", "value": n}]}} for n in (5, 6, 7)]
    events = lab.chat({"tool_calls": calls, "then": {"text": "ok"}},
                      agentId=agent)
    results = {e.data["callId"]: e.data["result"]["rows"]
               for e in events if e.name == "tool-result"}
    order = [e.data["callId"] for e in events if e.name == "tool-call"]
    assert [results[c] for c in order] == [[[5]], [[6]], [[7]]]


def test_narration_is_reset(lab):
    """B40: text before a tool call is narration, not the answer."""
    events = lab.chat({"narration": "Let me look.", "tool_calls": [COUNT_OPEN],
                       "then": {"text": "Done."}})
    assert "token-reset" in names(events)
    assert text_of(events) == "Done." == events[-1].data["content"]


def test_tool_cap_still_answers(lab):
    """B46: at the cap one last call without tools ends the turn."""
    script = {"text": "final"}
    for n in range(8):
        script = {"tool_calls": [{"name": "query_data", "args": {
            "dataset": "tickets", "limit": n + 1}}], "then": script}
    events = lab.chat(script, agentId="short")
    assert sum(e.name == "tool-call" for e in events) == 2
    assert events[-1].name == "done"
    assert events[-1].data["metadata"]["capped"] is True


def test_same_call_a_third_time_is_refused(lab):
    script = {"text": "gave up"}
    for _ in range(3):
        script = {"tool_calls": [COUNT_OPEN], "then": script}
    results = [e.data for e in lab.chat(script) if e.name == "tool-result"]
    assert [r["isError"] for r in results] == [False, False, True]


@pytest.mark.parametrize("call,says", [
    ({"name": "no_such_tool", "args": {}}, "no_such_tool"),
    ({"name": "query_data", "args": {"dataset": "nope"}}, "tickets"),
    ({"name": "query_data", "args": {"dataset": "tickets", "select": ["titel"]}},
     "title"),
    ({"name": "query_data", "args": {}}, "dataset"),
    ({"name": "query_data", "args": {"dataset": "costs", "select": ["cost"]}},
     "cost"),
])
def test_wrong_calls_give_the_model_an_error(lab, call, says):
    events = lab.chat({"tool_calls": [call], "then": {"text": "sorry"}})
    result = next(e.data for e in events if e.name == "tool-result")
    assert result["isError"] is True
    assert says in json.dumps(result["result"])
    assert events[-1].name == "done"


def test_row_filter_binds_the_caller(lab):
    query = {"name": "query_data", "args": {
        "dataset": "mine", "group_by": ["owner"],
        "aggregates": [{"fn": "count", "as": "n"}]}}
    for user in ("ada", "bob"):
        events = lab.chat({"tool_calls": [query], "then": {"text": "ok"}},
                          user=user)
        result = next(e.data for e in events if e.name == "tool-result")
        assert result["result"]["rows"] == [[user, 200]]


def test_column_groups(lab):
    query = {"name": "query_data", "args": {
        "dataset": "costs", "aggregates": [{"fn": "sum", "column": "cost",
                                            "as": "s"}]}}
    script = {"tool_calls": [query], "then": {"text": "ok"}}
    stream = lab.stream("/chat/lab/stream",
                        {"content": "!script " + json.dumps(script)},
                        user="ada", groups=["finance"])
    result = next(e.data for e in stream.events() if e.name == "tool-result")
    assert result["isError"] is False and result["result"]["rows"][0][0] > 0


def test_dataset_of_a_table_that_is_not_there(make_lab):
    """The first mistake with one's own table: said as such, to the log too."""
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False, "datasets": {
            "orders": {"database": "lab", "table": "no_orders"}}}})
    text = "The dataset's table no_orders does not exist"
    for _ in range(2):      # what is remembered says the same
        events = lab.chat({"tool_calls": [{"name": "query_data", "args": {
            "dataset": "orders"}}], "then": {"text": "ok"}})
        result = next(e.data for e in events if e.name == "tool-result")
        assert result["isError"] is True
        assert result["result"]["error"]["message"].startswith(text)
    lines = [li for li in lab.log("responder").splitlines() if "tool_failed" in li]
    assert lines and all("level=warn" in li and text in li for li in lines), lines


def test_model_without_tools_answers(lab):
    """B21: the tool lane is skipped."""
    events = lab.chat("How many tickets are open?", agentId="plain")
    assert "tool-call" not in names(events)
    assert events[-1].name == "done"


@pytest.mark.parametrize("script,code,retryable", [
    ({"error": {"status": 400, "body": {"error": {"message": "no", "type":
      "invalid_request_error"}}}}, "upstream_bad_request", False),
    ({"error": {"status": 401, "body": "nope"}}, "upstream_auth", False),
    ({"error": {"status": 402}}, "upstream_quota", False),
    ({"error": {"status": 404}}, "upstream_model_unknown", False),
    ({"error": {"status": 429, "retry_after": 0}}, "upstream_rate_limited", True),
    ({"error": {"status": 500, "body": "boom"}}, "upstream_error", True),
    ({"html": True}, "upstream_protocol", False),
    ({"empty": True}, "upstream_ended_early", True),
    ({"text": ""}, "upstream_protocol", False),
    ({"text": "one two three four five six", "cut_after": 3},
     "upstream_ended_early", True),
    ({"text": "one two three four", "error": {"status": 529, "body": {
        "error": {"message": "overloaded", "type": "overloaded_error"}},
        "after_tokens": 2}}, "upstream_overloaded", True),
])
def test_provider_failures_are_stored_and_readable(lab, script, code, retryable):
    """B44: one error event, last, with a stored, readable message."""
    events = lab.chat(script)
    assert [e.name for e in events].count("error") == 1
    error = events[-1]
    assert error.name == "error"
    meta = error.data["metadata"]
    assert meta["finish_reason"] == "error"
    assert meta["error"]["code"] == code
    assert meta["error"]["retryable"] is retryable
    assert error.data["content"]
    assert "127.0.0.1" not in json.dumps(error.data)
    page = lab.get(f"/conversations/{error.data['conversationId']}/messages",
                   user="ada").json
    assert page["items"][0]["content"] == error.data["content"]
    # The conversation is free again.
    again = lab.chat({"text": "better"},
                     conversationId=error.data["conversationId"])
    assert again[-1].name == "done"


def test_garbage_does_not_end_the_answer(lab):
    """P-C11: one odd line is counted and passed over."""
    events = lab.chat({"text": "one two three four", "garbage_after": 2})
    assert events[-1].name == "done"
    assert text_of(events).split() == ["one", "two", "three", "four"]


def test_retry_before_the_first_delta(lab):
    """P-A7: a failing provider is asked again while nothing was sent."""
    events = lab.chat({"id": "retry-1", "fail_times": 1, "error": {
        "status": 503, "body": "busy", "retry_after": 0}, "text": "at last"})
    assert text_of(events) == "at last" and events[-1].name == "done"


def test_finish_reasons(lab):
    events = lab.chat({"text": "cut of", "finish": "length"})
    assert events[-1].data["metadata"]["finish_reason"] == "length"


def test_stop_keeps_the_text(lab):
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 100000, "rate": 50})}, user="ada")
    events, turn = [], None
    for event in stream:
        events.append(event)
        if event.name == "user-message":
            turn = event.data["turnId"]
        if event.name == "token" and sum(e.name == "token" for e in events) == 3:
            answer = lab.post(f"/turns/{turn}/cancel", {}, user="ada")
            assert answer.status == 202, answer
    stream.close()
    assert events[-1].name in ("done", "error")
    message = events[-1].data
    assert message["metadata"]["finish_reason"] == "cancelled"
    assert message["content"].startswith(text_of(events)[:10])
    assert lab.get(f"/turns/{turn}", user="ada").json["status"] == "cancelled"


def test_busy_names_the_running_turn(lab):
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"tokens": 100000, "rate": 20})}, user="ada")
    first = next(iter(stream))
    ids = first.data
    answer = lab.post("/chat/lab/stream", {
        "content": "x", "conversationId": ids["conversationId"]}, user="ada")
    assert answer.status == 409
    assert answer.json["code"] == "conversation_busy"
    assert answer.json["retryable"] is True
    assert answer.json["turnId"] == ids["turnId"]
    lab.post(f"/turns/{ids['turnId']}/cancel", {}, user="ada")
    assert stream.events()[-1].data["metadata"]["finish_reason"] == "cancelled"


def test_of_many_at_once_one_asks_the_model(lab):
    conversation = lab.chat("hello")[0].data["conversationId"]
    lab.sent()
    gate, refused = threading.Barrier(100), threading.Semaphore(0)
    streams, codes = [], []

    def send():
        gate.wait()
        stream = lab.stream("/chat/lab/stream", {
            "content": "!script " + json.dumps({"tokens": 100000, "rate": 20}),
            "conversationId": conversation}, user="ada")
        if stream.status == 200:
            streams.append(stream)
        else:
            codes.append(json.load(stream.response)["code"])
            stream.close()
            refused.release()

    senders = [threading.Thread(target=send) for _ in range(100)]
    for sender in senders:
        sender.start()
    for _ in range(99):
        assert refused.acquire(timeout=DEADLINE_S), (len(streams), codes)
    for sender in senders:
        sender.join()
    [stream] = streams
    assert set(codes) == {"conversation_busy"}
    turn = next(iter(stream)).data["turnId"]
    assert len(lab.sent()) == 1
    lab.post(f"/turns/{turn}/cancel", {}, user="ada")
    stream.events()
    assert len(lab.get(f"/conversations/{conversation}/messages",
                       user="ada").json["items"]) == 4


def test_client_that_leaves_does_not_end_the_turn(lab):
    """P-F9: a closed tab is no stop; that is a request of its own."""
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"text": "word " * 60, "rate": 60})}, user="ada")
    ids = next(iter(stream)).data
    stream.close()
    turn = wait_until("the turn to end", lambda: (
        t := lab.get(f"/turns/{ids['turnId']}", user="ada").json)
        ["status"] != "running" and t)
    assert turn["status"] == "done"
    page = lab.get(f"/conversations/{ids['conversationId']}/messages",
                   user="ada").json
    assert len(page["items"][0]["content"].split()) == 60


def test_sync_post_answers_user_and_assistant(lab, conversation):
    """B34; the agent-scoped routes say "agent" (B6)."""
    answer = lab.post(
        f"/workspaces/lab/agents/helper/conversations/{conversation}/messages",
        {"content": '!script {"text": "hello"}'}, user="ada")
    assert answer.status == 200, answer
    assert answer.json["user"]["role"] == "user"
    assert answer.json["assistant"]["role"] == "agent"
    assert answer.json["assistant"]["content"] == "hello"


def test_agent_scoped_stream(lab, conversation):
    """P-F7: the headers that keep proxies from collecting a stream."""
    stream = lab.stream(
        f"/workspaces/lab/agents/helper/conversations/{conversation}"
        "/messages/stream", {"content": '!script {"text": "hello"}'}, user="ada")
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert stream.headers["X-Accel-Buffering"] == "no"
    assert "no-cache" in stream.headers["Cache-Control"]
    events = stream.events()
    assert names(events) == ["user-message", "token", "done"]
    assert events[-1].data["role"] == "agent"


def test_event_ids_rise(lab):
    ids = [int(e.id) for e in lab.chat({"tokens": 20}) if e.id]
    assert ids == sorted(set(ids)) and len(ids) >= 20


def test_title_comes_from_the_first_message(lab):
    events = lab.chat("What is the   meaning of the word lamplighter, "
                      "and who used to be one in the towns of old?")
    title = lab.get(f"/conversations/{events[0].data['conversationId']}",
                    user="ada").json["title"]
    assert title.startswith("What is the meaning of the word lamplighter")
    assert len(title) <= 61 and not title.endswith(" ")


def test_model_writes_the_title(make_lab):
    lab = make_lab(workspaces={"lab": {"workspace": "lab", "name": "Lab",
                                       "title_by_model": True}})
    events = lab.chat("hello there")
    path = f"/conversations/{events[0].data['conversationId']}"
    wait_until("a model's title", lambda: lab.get(path, user="ada").json["title"]
               not in (None, "hello there"))


def test_200_streams_with_a_pool_of_4(make_lab):
    """No connection is held while a model streams."""
    lab = make_lab(config={"database": {"pool": 4},
                           "threads": {"max": 600, "max_turns": 500}})
    results = []

    def one(n):
        events = lab.chat({"text": f"number {n} " + "word " * 40, "rate": 15},
                          user=f"user{n}")
        results.append((n, events[-1].name, text_of(events)))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(200)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 200
    for n, last, text in results:
        assert last == "done" and text.startswith(f"number {n} word")


def test_secrets_never_show(lab):
    """Keys are in no answer and in no log line."""
    lab.chat({"text": "x"}, agentId="claude")
    assert "lab-secret-of-the-proxy" not in lab.log("responder")
    printed = lab.command("config", "print").stdout
    assert "lab-secret-of-the-proxy" not in printed
