# SPDX-License-Identifier: MIT
"""A provider that takes almost any key, and says which keys came."""

import contextlib
import http.server
import json
import threading

import pytest


class Answering(http.server.BaseHTTPRequestHandler):
    """A handler that answers with a whole body, and says nothing."""

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Provider:
    """Speaks OpenAI's chat for any key that does not begin with "bad"; notes the
    keys. The answer is the model's name. before(sent) may hold up an answer, and
    refuse it with the status that it returns."""

    def __init__(self, before=lambda sent: None):
        self.keys = keys = []

        class Handler(Answering):
            def key(self):
                key = self.headers.get("Authorization", "").removeprefix("Bearer ")
                keys.append(key)
                if key.startswith("bad"):
                    self.answer(401, json.dumps({"error": {
                        "message": f"no key {key}", "code": "invalid_api_key"}}).encode())
                return not key.startswith("bad")

            def do_GET(self):
                if self.key():
                    self.answer(200, b'{"data": [{"id": "big"}, {"id": "small"}]}')

            def do_POST(self):
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.key():
                    return
                status = before(sent)
                if status:
                    return self.answer(status, b"{}")
                if self.path.startswith("/moved"):
                    self.send_response(307)
                    self.send_header("Location", "/v1/chat/completions")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if self.path.startswith("/down"):
                    return self.answer(503, b"{}")
                text = json.dumps(f"This is {sent['model']}.")
                if not sent.get("stream"):
                    return self.answer(200, (
                        '{"id":"1","model":"m","choices":[{"index":0,"message":{"role":'
                        f'"assistant","content":{text}}},"finish_reason":"stop"}}]}}'
                    ).encode())
                self.answer(200, (
                    'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"role":'
                    f'"assistant","content":{text}}}}}]}}\n\n'
                    'data: {"id":"1","model":"m","choices":[{"index":0,"delta":{},'
                    '"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n').encode(),
                    "text/event-stream")

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Eyes(Provider):
    """Writes out every page as "This is eyes."; refuses the first with a status, or all
    until it is let."""

    def __init__(self):
        self.asked, self.let = threading.Event(), threading.Event()
        self.one_by_one = False
        self.refusals = []
        super().__init__(self.before)

    def before(self, sent):
        self.asked.set()
        self.let.wait(60)
        if self.one_by_one:
            self.let.clear()
        return self.refusals.pop(0) if self.refusals else None


def refusal(message, status=400, **more):
    """What a script gives to refuse: OpenAI's form."""
    return status, {"error": {"message": message, "type": "invalid_request_error", **more}}


class Scripted:
    """A provider whose answers a script makes from what was sent: scripts[NAME] is that
    of the services under .url(NAME). It gives a text, a list of OpenAI's deltas, or
    (status, document); .sent[NAME] are the bodies. Speaks OpenAI's, Anthropic's and
    Ollama's wire, by the path."""

    def __init__(self):
        self.scripts, self.sent = {}, {}
        provider = self

        class Handler(Answering):
            def do_POST(self):
                name, _, path = self.path[1:].partition("/")
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                provider.sent.setdefault(name, []).append(body)
                said = provider.scripts[name](body)
                if isinstance(said, tuple):
                    return self.answer(said[0], json.dumps(said[1]).encode())
                if path.endswith("messages"):
                    return self.answer(200, anthropic_wire(said), "text/event-stream")
                if path.endswith("api/chat"):
                    return self.answer(200, json.dumps({"model": "m", "done": True, "message": {
                        "role": "assistant", "content": said}}).encode() + b"\n",
                        "application/x-ndjson")
                self.answer(200, openai_wire(said), "text/event-stream")

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, name, path="/v1"):
        return f"http://127.0.0.1:{self.http.server_port}/{name}{path}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def openai_wire(said):
    deltas = [{"content": said}] if isinstance(said, str) else said
    calls = any("tool_calls" in d for d in deltas)
    chunks = [{"delta": d, "finish_reason": None} for d in deltas]
    chunks.append({"delta": {}, "finish_reason": "tool_calls" if calls else "stop"})
    return "".join("data: " + json.dumps({"id": "1", "model": "m", "choices": [
        {"index": 0, **c}]}) + "\n\n" for c in chunks).encode() + b"data: [DONE]\n\n"


def anthropic_wire(said):
    return "".join("data: " + json.dumps(e) + "\n\n" for e in [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 9}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 3}}, {"type": "message_stop"}]).encode()


@pytest.fixture(scope="module")
def provider():
    with contextlib.closing(Provider()) as made:
        yield made
