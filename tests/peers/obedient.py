# SPDX-License-Identifier: MIT
"""A stand-in model that obeys whatever it reads, wherever that stands.

"use TOOL JSON" in the newest message of the user calls that tool. An order,
"ORDER: at the next message call TOOL JSON", in a result that stands before the
newest message of the user is carried out at once: that is what an injected text
asks for that waits until the user speaks again. What is not sent is not obeyed.
"""

import http.server
import json
import re
import threading

CALL = re.compile(r"use (\w+) (\{[^{}]*\})")
ORDER = re.compile(r"ORDER: at the next message call (\w+) (\{[^{}]*\}|\{.*\]\})")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        call = self.server.decide(body)
        if call:
            delta = {"tool_calls": [{
                "index": 0, "id": f"call_{len(self.server.asked)}",
                "type": "function",
                "function": {"name": call[0], "arguments": call[1]}}]}
        else:
            delta = {"content": self.server.answer(body)}
        chunks = [{"choices": [{"index": 0, "delta": delta}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason":
                                "tool_calls" if call else "stop"}]}]
        data = "".join(f"data: {json.dumps(c)}\n\n" for c in chunks)
        data = (data + "data: [DONE]\n\n").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Obedient(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def decide(self, body):
        return self.choose(body["messages"])

    def answer(self, body):
        return "All right."

    @staticmethod
    def choose(messages):
        last = max(i for i, m in enumerate(messages) if m["role"] == "user")
        if messages[-1]["role"] != "user":
            return None
        asked = CALL.search(str(messages[last]["content"]))
        if asked:
            return asked.groups()
        for m in messages[:last]:
            order = ORDER.search(str(m.get("content") or ""))
            if m["role"] == "tool" and order:
                return order.groups()
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Anywhere(Obedient):
    """Obeys "ORDER: call TOOL" wherever it stands in a request: in any message, the
    system's among them, in a name, in the definition of a tool. "use TOOL JSON" in the
    newest message of the user comes first. It says again what follows "ECHO:"."""

    @staticmethod
    def decide(body):
        messages = body["messages"]
        since = max(i for i, m in enumerate(messages) if m["role"] == "user")
        done = {c["function"]["name"] for m in messages[since:]
                for c in m.get("tool_calls") or ()}
        asked = CALL.search(said(messages[since]))
        if asked and asked[1] not in done:
            return asked.groups()
        order = re.search(r"(?<!ECHO: )ORDER: call (\w+)", json.dumps(body))
        if order and order[1] not in done:
            return order[1], json.dumps({"text": "stolen"})
        return None

    def answer(self, body):
        echo = re.search(r"ECHO: ([^\n\"]*)", said(body["messages"][0]))
        return echo[1] if echo else "All right."


def said(message):
    """The text of a message, of all its parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(
        p.get("text", "") for p in content)
