"""A provider that takes almost any key, and says which keys came."""

import http.server
import json
import threading


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
