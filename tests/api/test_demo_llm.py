# SPDX-License-Identifier: MIT
"""The stand-in model: its three wire formats, every feature of its scripts, its
HTTP, and thousands of paced streams at once.
"""

import json
import select
import socket
import time

import pytest

from demo_model import (Model, PATHS, decode, events, replay, request, scripted,
                        tool)
from lab import wait_until

pytestmark = pytest.mark.long

WIRES = ["openai", "anthropic", "ollama"]


@pytest.fixture(scope="module")
def model():
    m = Model("--talk-rate", "0", "--record", "20")
    yield m
    m.stop()


def run(model, wire, script, stream=True, **more):
    """The decoded outcome of a script that goes well."""
    r = model.post(wire, scripted(wire, script, stream, **more))
    body = r.read()
    assert r.status == 200, body
    return decode(wire, body, stream)


# Sequences of the streams

def test_openai_sequence(model):
    r = model.post("openai", scripted("openai", {
        "reasoning": "hm", "narration": "Let me see", "tool_calls": [
            {"name": "one", "args": {"city": "Köln", "n": 12345}},
            {"name": "two"}]}, stream_options={"include_usage": True}))
    assert r.getheader("Content-Type").startswith("text/event-stream")
    assert r.getheader("Transfer-Encoding") == "chunked"
    chunks = [e for _, e in events("openai", r.read())]
    assert chunks.pop() == "[DONE]"
    for c in chunks:
        assert set(c) >= {"id", "object", "created", "model", "choices"}
        assert c["object"] == "chat.completion.chunk"
        assert c["id"] == chunks[0]["id"] and c["model"] == "demo"
    usage = chunks.pop()
    assert usage["choices"] == [] and usage["usage"]["completion_tokens"] > 4
    assert all(c["usage"] is None for c in chunks)
    choices = [c["choices"][0] for c in chunks]
    assert all(c["index"] == 0 and c["logprobs"] is None for c in choices)
    deltas = [c["delta"] for c in choices]
    assert deltas[0]["role"] == "assistant" and deltas[0]["content"] == ""
    assert not any("role" in d for d in deltas[1:])
    assert [d["reasoning_content"] for d in deltas
            if "reasoning_content" in d] == ["hm"]
    assert [d["content"] for d in deltas[1:] if "content" in d] == \
        ["Let", " me", " see"]
    calls = [d["tool_calls"][0] for d in deltas if "tool_calls" in d]
    first = [c for c in calls if "id" in c]
    assert [(c["index"], c["type"], c["function"]["name"],
             c["function"]["arguments"]) for c in first] == \
        [(0, "function", "one", ""), (1, "function", "two", "")]
    rest = [c for c in calls if "id" not in c]
    assert all(set(c) == {"index", "function"} and
               set(c["function"]) == {"arguments"} for c in rest)
    args = [c["function"]["arguments"] for c in rest if c["index"] == 0]
    assert len(args) > 3
    assert json.loads("".join(args)) == {"city": "Köln", "n": 12345}
    assert [c["finish_reason"] for c in choices[:-1]] == \
        [None] * (len(choices) - 1)
    assert choices[-1]["finish_reason"] == "tool_calls"
    assert choices[-1]["delta"] == {}


def test_openai_without_usage(model):
    r = model.post("openai", scripted("openai", {"text": "Hi"}))
    chunks = [e for _, e in events("openai", r.read())]
    assert chunks[-1] == "[DONE]" and len(chunks) == 4
    assert not any("usage" in c for c in chunks[:-1])


def test_anthropic_sequence(model):
    r = model.post("anthropic", scripted("anthropic", {
        "reasoning": "a b", "text": "Hello you",
        "tool_calls": [{"name": "f", "args": {"x": "y" * 20}}]}))
    got = events("anthropic", r.read())
    assert all(name == e["type"] for name, e in got)
    start = got[0][1]["message"]
    assert start["content"] == [] and start["usage"]["input_tokens"] > 0
    assert "cache_read_input_tokens" in start["usage"]
    names = [name for name, _ in got]
    assert names.count("ping") == 1
    squeezed = [n for i, n in enumerate(names)
                if n != "ping" and (i == 0 or n != names[i - 1])]
    block = ["content_block_start", "content_block_delta",
             "content_block_stop"]
    assert squeezed == ["message_start"] + block * 3 + \
        ["message_delta", "message_stop"]
    kinds = [e["content_block"]["type"] for n, e in got
             if n == "content_block_start"]
    assert kinds == ["thinking", "text", "tool_use"]
    deltas = [(e["index"], e["delta"]["type"]) for n, e in got
              if n == "content_block_delta"]
    assert deltas[:3] == [(0, "thinking_delta")] * 2 + \
        [(0, "signature_delta")]
    assert deltas[3:5] == [(1, "text_delta")] * 2
    assert set(deltas[5:]) == {(2, "input_json_delta")} and len(deltas) > 8
    end = got[-2][1]
    assert end["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
    assert end["usage"]["output_tokens"] > 4


def test_ollama_sequence(model):
    r = model.post("ollama", scripted("ollama", {
        "reasoning": "a", "text": "b c", "tool_calls": [
            {"name": "f", "args": {"x": [1, {"y": None}]}}, {"name": "g"}]}))
    assert r.getheader("Content-Type") == "application/x-ndjson"
    lines = [e for _, e in events("ollama", r.read())]
    assert [e["done"] for e in lines] == [False] * 5 + [True]
    assert [e["message"].get("thinking") for e in lines[:2]] == ["a", None]
    assert [e["message"]["content"] for e in lines[1:3]] == ["b", " c"]
    calls = [e["message"]["tool_calls"][0]["function"] for e in lines[3:5]]
    assert calls == [{"index": 0, "name": "f", "arguments":
                      {"x": [1, {"y": None}]}},
                     {"index": 1, "name": "g", "arguments": {}}]
    assert lines[-1]["done_reason"] == "stop" and lines[-1]["eval_count"] > 0
    # streaming is Ollama's default
    body = scripted("ollama", {"text": "x"})
    del body["stream"]
    assert len(events("ollama", model.post("ollama", body).read())) == 2


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_the_same_outcome_in_each_form(model, wire, stream):
    text = 'Quotes " and \\ and\ttabs,\n\nlines, \u0001, ünïcödé 🙂, <a>&.'
    o = run(model, wire, {"text": text, "reasoning": "so\nso", "tool_calls": [
        {"name": "f", "args": {"q": text}, "id": "call_mine"}]}, stream,
        stream_options={"include_usage": True})
    assert o.text == text and o.reasoning == "so\nso"
    assert o.calls == [("call_mine", "f", {"q": text})]
    assert o.finish == {"openai": "tool_calls", "anthropic": "tool_use",
                        "ollama": "stop"}[wire]
    assert o.usage
    assert run(model, wire, {"text": ""}, stream).text == ""
    long = "".join(chr(0x4e00 + i % 5000) for i in range(3000))
    assert run(model, wire, {"text": long}, stream).text == long


# Features of scripts

@pytest.mark.parametrize("wire", WIRES)
def test_generated_tokens(model, wire):
    r = model.post(wire, scripted(wire, {"tokens": 1000}))
    data = r.read()
    n = {"openai": data.count(b'"content":"') - 1,
         "anthropic": data.count(b'"text_delta"'),
         "ollama": data.count(b'"done":false')}[wire]
    assert n == 1000
    assert len(decode(wire, data).text.split()) > 700
    whole = run(model, wire, {"tokens": 1000}, False)
    assert whole.text == decode(wire, data).text


@pytest.mark.parametrize("wire,finish,want", [
    ("openai", "length", "length"), ("openai", "odd", "odd"),
    ("openai", "content_filter", "content_filter"),
    ("anthropic", "stop", "end_turn"), ("anthropic", "length", "max_tokens"),
    ("anthropic", "content_filter", "refusal"),
    ("anthropic", "pause_turn", "pause_turn"),
    ("ollama", "length", "length"), ("ollama", "load", "load")])
def test_finish(model, wire, finish, want):
    for stream in True, False:
        assert run(model, wire, {"text": "x", "finish": finish},
                   stream).finish == want


def test_usage(model):
    ask = {"stream_options": {"include_usage": True}}
    u = run(model, "openai", {"text": "x", "usage": {
        "input": 100, "cached": 30, "output": 7, "reasoning": 2}}, **ask).usage
    assert u["prompt_tokens"] == 100 and u["completion_tokens"] == 7
    assert u["prompt_tokens_details"]["cached_tokens"] == 30
    assert u["completion_tokens_details"]["reasoning_tokens"] == 2
    assert run(model, "openai", {"text": "x", "usage": {"prompt_tokens": 9}},
               **ask).usage == {"prompt_tokens": 9}
    assert run(model, "openai", {"text": "x", "usage": False},
               **ask).usage is None
    assert run(model, "anthropic", {"text": "x", "usage": {"output": 5}}) \
        .usage == {"output_tokens": 5}
    assert run(model, "anthropic", {"text": "x", "usage": False}).usage is None
    u = run(model, "anthropic", {"text": "x", "usage": {
        "input": 4, "cached": 5, "cache_write": 6}}, False).usage
    assert (u["input_tokens"], u["cache_read_input_tokens"],
            u["cache_creation_input_tokens"]) == (4, 5, 6)
    u = run(model, "ollama", {"text": "x", "usage": {"input": 4}}).usage
    assert u["prompt_eval_count"] == 4
    assert "eval_count" not in run(model, "ollama",
                                   {"text": "x", "usage": False}).usage


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_error_before_the_stream(model, wire, stream):
    r = model.post(wire, scripted(wire, {"error": {
        "status": 429, "retry_after": 1.5}}, stream))
    assert r.status == 429 and r.getheader("Retry-After") == "1.5"
    e = json.loads(r.read())
    if wire == "openai":
        assert e["error"]["code"] == "rate_limit_exceeded"
    elif wire == "anthropic":
        assert e["type"] == "error" and \
            e["error"]["type"] == "rate_limit_error"
    else:
        assert isinstance(e["error"], str)
    r = model.post(wire, scripted(wire, {"error": {
        "status": 529, "body": {"mine": True},
        "retry_after": "Fri, 31 Dec 2027 23:59:59 GMT"}}, stream))
    assert r.status == 529 and json.loads(r.read()) == {"mine": True}
    assert r.getheader("Retry-After").startswith("Fri")
    r = model.post(wire, scripted(wire, {"error": {"body": "plain"}}, stream))
    assert r.status == 500 and r.read() == b"plain"
    assert r.getheader("Content-Type").startswith("text/plain")


@pytest.mark.parametrize("wire", WIRES)
def test_error_in_the_stream(model, wire):
    r = model.post(wire, scripted(wire, {
        "text": "one two three", "error": {"status": 529, "after_tokens": 2}}))
    assert r.status == 200
    got = events(wire, r.read())
    name, e = got[-1]
    assert "error" in e
    if wire == "anthropic":
        assert name == "error" and e["error"]["type"] == "overloaded_error"
    text = decode(wire, b"") if not got[:-1] else None
    assert text is None
    data = "".join(json.dumps(e) for _, e in got)
    assert "two" in data and "three" not in data
    assert "[DONE]" not in data and "message_stop" not in data
    # with a body of its own
    r = model.post(wire, scripted(wire, {
        "text": "one", "error": {"after_tokens": 0, "body": {"object": "error",
                                 "message": "m"}}}))
    assert events(wire, r.read())[-1][1] == {"object": "error", "message": "m"}


@pytest.mark.parametrize("wire", WIRES)
def test_garbage_goes_on(model, wire):
    r = model.post(wire, scripted(wire, {"text": "one two",
                                         "garbage_after": 1}))
    broken = 0
    for line in r.read().decode().splitlines():
        line = line[6:] if line.startswith("data: ") else line
        if line.startswith("{"):
            try:
                json.loads(line)
            except ValueError:
                broken += 1
    assert broken == 1
    r = model.post(wire, scripted(wire, {"text": "x", "garbage_after": 0},
                                  False))
    with pytest.raises(ValueError):
        json.loads(r.read())


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("stream", [True, False])
def test_cut_closes_the_connection(model, wire, stream):
    body = json.dumps(scripted(wire, {"text": "one two three",
                                      "cut_after": 2}, stream))
    got = model.raw(f"POST {PATHS[wire]} HTTP/1.1\r\nHost: x\r\nContent-Length:"
                    f" {len(body)}\r\n\r\n{body}".encode())
    head, _, rest = got.partition(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0]
    if stream:
        assert b"two" in rest and b"three" not in rest
        assert not rest.endswith(b"0\r\n\r\n")
    else:
        size = int(head.lower().split(b"content-length: ")[1].split(b"\r")[0])
        assert 0 < len(rest) < size


@pytest.mark.parametrize("wire", WIRES)
def test_stall_keeps_the_connection(model, wire):
    c = model.connect()
    r = model.post(wire, scripted(wire, {"text": "one two three",
                                         "stall_after": 2}), connection=c)
    data = b""
    while b"two" not in data:
        data += r.read1()
    # nothing comes, neither data nor an end
    assert not select.select([c.sock], [], [], 0.05)[0]
    before = model.get("/demo/stats")[1]["aborted"]
    c.sock.close()
    c.close()
    r.close()
    wait_until("it is seen that the client left",
               lambda: model.get("/demo/stats")[1]["aborted"] > before)


def test_whole_page_instead_of_an_answer(model):
    r = model.post("openai", scripted("openai", {"html": True}))
    assert r.status == 200 and r.getheader("Content-Type") == "text/html"
    assert b"<html>" in r.read()
    r = model.post("openai", scripted("openai", {
        "html": True, "error": {"status": 502}}))
    assert r.status == 502 and b"Bad Gateway" in r.read()


@pytest.mark.parametrize("wire", WIRES)
def test_empty_and_no_done(model, wire):
    for stream in True, False:
        r = model.post(wire, scripted(wire, {"empty": True}, stream))
        assert r.status == 200 and r.read() == b""
    r = model.post(wire, scripted(wire, {"text": "x", "no_done": True}))
    got = events(wire, r.read())
    if wire == "openai":
        assert got[-1][1]["choices"][0]["finish_reason"] == "stop"
    elif wire == "anthropic":
        assert got[-1][0] == "message_delta"
    else:
        assert got[-1][1]["done"] is False


@pytest.mark.parametrize("wire", WIRES)
def test_chunk_bytes_splits_writes(model, wire):
    c = model.connect()
    body = json.dumps(scripted(wire, {"text": "grüße an 🙂 alle",
                                      "chunk_bytes": 3}))
    c.request("POST", PATHS[wire], body)
    raw = b""
    while not raw.endswith(b"\r\n0\r\n\r\n"):
        raw += c.sock.recv(65536)
    c.close()
    rest, data = raw.partition(b"\r\n\r\n")[2], b""
    sizes = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        sizes.append(int(size, 16))
        data += rest[:sizes[-1]]
        rest = rest[sizes[-1] + 2:]
    assert set(sizes[:-2]) == {3} and sizes[-1] == 0
    assert decode(wire, data).text == "grüße an 🙂 alle"


@pytest.mark.parametrize("wire", WIRES)
def test_then_follows_the_rounds(model, wire):
    script = {"tool_calls": [{"name": "a"}, {"name": "b"}], "reasoning": "why",
              "then": {"narration": "More.", "tool_calls": [{"name": "c"}],
                       "then": {"text": "Done."}}}
    messages = [{"role": "user", "content": "!script " + json.dumps(script)
                 + " and some words"}]
    tools = [tool(wire, "a")]
    seen = []
    for _ in range(3):
        o = decode(wire, model.post(wire, request(wire, messages,
                                                  tools=tools)).read())
        seen.append((o.text, [c[1] for c in o.calls]))
        messages += replay(wire, o, ["r"] * len(o.calls)) if o.calls else []
    assert seen == [("", ["a", "b"]), ("More.", ["c"]), ("Done.", [])]
    # a new question starts again
    messages += [{"role": "assistant", "content": "Done."},
                 {"role": "user", "content": '!script {"text":"new"}'}]
    assert decode(wire, model.post(wire, request(wire, messages)).read()) \
        .text == "new"


@pytest.mark.parametrize("wire", WIRES)
def test_results_without_then_are_quoted(model, wire):
    first = {"role": "user", "content":
             '!script {"tool_calls":[{"name":"f"}]}'}
    o = decode(wire, model.post(wire, request(wire, [first])).read())
    text = decode(wire, model.post(wire, request(wire, [first] + replay(
        wire, o, ['{"rows":[[42]]}']))).read()).text
    assert text == 'f answered: {"rows":[[42]]}'


def test_broken_arguments(model):
    r = model.post("openai", scripted("openai", {"tool_calls": [
        {"name": "f", "args": '{"a": tru'}]}))
    args = "".join(c["choices"][0]["delta"]["tool_calls"][0]["function"]
                   ["arguments"] for _, c in events("openai", r.read())
                   if c != "[DONE]" and
                   "tool_calls" in c["choices"][0]["delta"])
    assert args == '{"a": tru'


def test_fail_times(model):
    def status(script):
        return model.post("openai", scripted("openai", script)).status
    two = {"text": "x", "id": "t1", "fail_times": 2}
    assert [status(two) for _ in range(4)] == [500, 500, 200, 200]
    assert status({**two, "id": "t2", "error": {"status": 429}}) == 429
    cut = {"text": "a b", "id": "t3", "fail_times": 1,
           "error": {"after_tokens": 1}}
    got = [model.post("openai", scripted("openai", cut)).read()
           for _ in range(2)]
    assert b'"error"' in got[0] and b"[DONE]" in got[1]


def test_where_scripts_come_from(model):
    r = model.post("openai", request("openai", "hello"),
                   {"X-Demo-Script": '{"text": "by header"}'})
    assert decode("openai", r.read()).text == "by header"
    r = model.post("openai", request("openai", "hello",
                                     model='script:{"text":"by model"}'))
    assert decode("openai", r.read()).text == "by model"
    parts = [{"role": "user", "content": [
        {"type": "text", "text": '!script {"text":"by part"}'}]}]
    for wire in "openai", "anthropic":
        r = model.post(wire, request(wire, parts))
        assert decode(wire, r.read()).text == "by part"


@pytest.mark.parametrize("script,name", [
    ({"txet": "x"}, "txet"), ({"text": 1}, "text"),
    ({"rate": -1}, "rate"), ({"rate": "fast"}, "rate"),
    ({"tokens": 1, "text": "x"}, "exclude"), ({"tokens": 1.5}, "tokens"),
    ({"first_byte_ms": True}, "first_byte_ms"), ({"html": 1}, "html"),
    ({"usage": 3}, "usage"), ({"tool_calls": {}}, "tool_calls"),
    ({"tool_calls": [{"args": {}}]}, "name"),
    ({"tool_calls": [{"name": "f", "arguments": {}}]}, "arguments"),
    ({"error": 429}, "error"), ({"error": {"code": 429}}, "code"),
    ({"error": {"status": 99}}, "status"),
    ({"then": {"then": {"oops": 1}}}, "oops"), ({"then": []}, "object"),
    ({"fail_times": 1}, "id"), ([], "object")])
@pytest.mark.parametrize("wire", WIRES)
def test_wrong_scripts_are_refused(model, wire, script, name):
    r = model.post(wire, scripted(wire, script))
    body = r.read().decode()
    assert r.status == 400 and name in json.dumps(json.loads(body)), body


def test_script_that_is_no_json(model):
    for text in "!script {", '!script {"text":"a","text":"b"}', "!script hi":
        r = model.post("openai", request("openai", text))
        assert r.status == 400
        assert "not a JSON object" in json.loads(r.read())["error"]["message"]


# Time

@pytest.mark.parametrize("wire", WIRES)
def test_pace_is_kept(model, wire):
    for stream in True, False:
        start = time.monotonic()
        run(model, wire, {"tokens": 21, "rate": 100}, stream)
        assert time.monotonic() - start >= 0.19


def test_each_token_has_its_own_time(model):
    """Written at once, they come so each time; on a busy machine, now and then."""
    for _ in range(5):
        r = model.post("openai", scripted("openai", {"tokens": 10, "rate": 50}))
        times = []
        while part := r.read1():
            times += [time.monotonic()] * part.count(b'"content":" ')
        gaps = [b - a for a, b in zip(times, times[1:])]
        if len([g for g in gaps if g > 0.005]) >= 5:
            return
    raise AssertionError(gaps)


def test_first_byte(model):
    for script in {"text": "x"}, {"error": {"status": 500}}, {"html": True}:
        start = time.monotonic()
        r = model.post("openai", scripted("openai",
                                          {**script, "first_byte_ms": 120}))
        assert time.monotonic() - start >= 0.12
        r.read()


def test_two_thousand_paced_streams(model):
    body = json.dumps(scripted("openai", {"tokens": 40, "rate": 40}))
    data = (f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: "
            f"close\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
    poll = select.epoll()
    got, most = {}, 0
    start = time.monotonic()
    for i in range(2000):
        s = socket.create_connection(("127.0.0.1", model.port), 30)
        s.sendall(data)
        poll.register(s, select.EPOLLIN)
        got[s.fileno()] = [s, 0, b""]
        if i == 999:
            most = model.get("/demo/stats")[1]["open"]
    assert most > 100
    left = len(got)
    while left:
        assert time.monotonic() - start < 60
        for fd, _ in poll.poll(1):
            entry = got[fd]
            part = entry[0].recv(65536)
            entry[1] += part.count(b'"finish_reason":null')
            entry[2] = (entry[2] + part)[-40:]
            if not part:
                poll.unregister(fd)
                entry[0].close()
                left -= 1
    poll.close()
    assert time.monotonic() - start >= 39 / 40
    for _, n, tail in got.values():
        assert n == 41 and tail.endswith(b"[DONE]\n\n\r\n0\r\n\r\n")


# HTTP

def test_keep_alive_and_pipelining(model):
    c = model.connect()
    for n in range(5):
        r = model.post("openai", scripted("openai", {"text": f"n{n}"}),
                       connection=c)
        assert decode("openai", r.read()).text == f"n{n}"
    c.close()
    one = json.dumps(scripted("ollama", {"text": "p"}, False))
    post = f"POST /api/chat HTTP/1.1\r\nContent-Length: {len(one)}\r\n"
    got = model.raw((f"{post}\r\n{one}{post}Connection: close\r\n\r\n{one}")
                    .encode())
    assert got.count(b"HTTP/1.1 200 OK") == 2


def test_chunked_request_split_at_every_byte(model):
    body = json.dumps(scripted("openai", {"text": "ok"}, False)).encode()
    half = len(body) // 2
    wire = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" +
            b"%x\r\n%b\r\n%X;ext=1\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" %
            (half, body[:half], len(body) - half, body[half:]))
    with socket.create_connection(("127.0.0.1", model.port), 30) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(wire)):
            s.send(wire[i:i + 1])
        got = b""
        while part := s.recv(65536):
            got += part
    assert got.startswith(b"HTTP/1.1 200") and b'"content":"ok"' in got


def test_http_1_0_and_expect(model):
    body = json.dumps(scripted("openai", {"text": "old"}))
    got = model.raw(f"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: "
                    f"{len(body)}\r\n\r\n{body}".encode())
    assert b"chunked" not in got and got.endswith(b"data: [DONE]\n\n")
    with socket.create_connection(("127.0.0.1", model.port), 30) as s:
        s.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue"
                  f"\r\nConnection: close\r\nContent-Length: {len(body)}\r\n"
                  "\r\n".encode())
        assert s.recv(100).startswith(b"HTTP/1.1 100 ")
        s.sendall(body.encode())
        got = b""
        while part := s.recv(65536):
            got += part
    assert got.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("data,status", [
    (b"GARBAGE\r\n\r\n", 400), (b"GET / HTTP/2.0\r\n\r\n", 505),
    (b"GET / HTTP/1.1\r\nbad line\r\n\r\n", 400),
    (b"POST /api/chat HTTP/1.1\r\nContent-Length: 1x\r\n\r\n", 400),
    (b"POST /api/chat HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
    (b"POST /api/chat HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    (b"POST /api/chat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
     400),
    (b"POST /api/chat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
     b"7fffffff\r\n", 413),
    (b"GET / HTTP/1.1\r\nx: " + b"y" * 70000 + b"\r\n\r\n", 431),
    (b"GET /" + b"y" * 600 + b" HTTP/1.1\r\n\r\n", 414)])
def test_bad_requests_are_answered_and_closed(model, data, status):
    assert model.raw(data).startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b'"x"', b'{"messages": []}', b'{"messages": 3}',
    b'{"messages": [{"role": "user", "content": "\xff"}]}',
    b'{"messages": [{"role": "nobody", "content": "x"}]}',
    b'{"messages": [1, null]}', b"[" * 5000,
    b'{"model": 5, "messages": [{"role": "assistant", "tool_calls": [7]}]}'])
def test_bad_bodies(model, wire, body):
    c = model.connect()
    c.request("POST", PATHS[wire], body)
    r = c.getresponse()
    text = r.read()
    c.close()
    if wire == "ollama" and b"tool_calls" in body:
        return
    assert r.status == 400 and "error" in json.loads(text)


def test_refusal_of_a_large_body_can_be_read(model):
    data = (b"POST /api/chat HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n" +
            b"x" * 3000000)
    assert model.raw(data).startswith(b"HTTP/1.1 413 ")


def test_routes(model):
    assert model.get("/v1/models")[1]["data"][0]["id"] == "lamplighter-demo"
    assert model.get("/api/tags")[1]["models"][0]["name"] == "lamplighter-demo"
    assert model.get("/openai/v1/models?x=1")[0] == 200
    assert model.get("/nothing")[0] == 404
    assert model.get("/v1/chat/completions")[0] == 405
    assert model.get("/v1/models", "PUT")[0] == 405


def test_requests_are_recorded(model):
    assert model.get("/demo/requests", "DELETE")[0] == 200
    run(model, "openai", {"text": "a"})
    run(model, "anthropic", {"text": "b"}, system="be kind")
    got = model.get("/demo/requests")[1]
    assert [r["path"] for r in got] == [PATHS["openai"], PATHS["anthropic"]]
    assert got[1]["body"]["system"] == "be kind"
    # A request that arrives after a GET is not lost: DELETE answers it.
    run(model, "openai", {"text": "c"})
    assert len(model.get("/demo/requests", "DELETE")[1]) == 3
    assert model.get("/demo/requests")[1] == []


# What the real services refuse

def test_replayed_thinking_must_be_verbatim(model):
    question = {"role": "user", "content": "!script " + json.dumps({
        "reasoning": "deep", "tool_calls": [{"name": "f"}],
        "then": {"text": "ok"}})}
    o = decode("anthropic", model.post("anthropic", request(
        "anthropic", [question])).read())
    good = replay("anthropic", o, ["r"])
    assert model.post("anthropic", request(
        "anthropic", [question] + good)).status == 200
    good[0]["content"][0]["thinking"] += "er"
    r = model.post("anthropic", request("anthropic", [question] + good))
    assert r.status == 400 and b"Invalid `signature`" in r.read()


def test_calls_and_results_must_pair(model):
    call = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function":
         {"name": "f", "arguments": "{}"}}]}
    user = {"role": "user", "content": "hi"}
    result = {"role": "tool", "tool_call_id": "c1", "content": "r"}
    for messages in ([user, call, user], [user, result],
                     [user, call, user, result]):
        assert model.post("openai", request("openai", messages)).status == 400
    assert model.post("openai", request(
        "openai", [user, call, result])).status == 200


def test_anthropic_rules(model):
    def refused(**more):
        body = {"model": "m", "max_tokens": 9,
                "messages": [{"role": "user", "content": "hi"}], **more}
        body = {k: v for k, v in body.items() if v is not None}
        r = model.post("anthropic", body)
        return r.status == 400 and json.loads(r.read())["error"]["message"]
    assert "max_tokens" in refused(max_tokens=None)
    mark = {"type": "text", "text": "x",
            "cache_control": {"type": "ephemeral"}}
    assert not refused(system=[mark] * 4)
    assert "maximum of 4" in refused(system=[mark] * 5)
    assert "non-empty" in refused(messages=[
        {"role": "user", "content": [{"type": "text", "text": ""}]}])
    assert "non-empty" in refused(messages=[
        {"role": "user", "content": "x"}, {"role": "assistant",
                                           "content": []}])
