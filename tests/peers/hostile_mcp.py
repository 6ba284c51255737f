# SPDX-License-Identifier: MIT
"""An MCP server that does what none should: scripted, in a thread.

Every request is answered by handler(message, request) when a test sets one for
its method; what it returns is sent:
  dict      the message (its id is filled in when it has none)
  bytes     the whole answer as text/event-stream
  (status, headers, bytes)   as it is
  callable  is called with the connection's wfile after headers of a stream
Without a handler it is a decent server with self.tools: of the session era, or
of the stateless one (2026-07-28) while self.modern is set.
"""

import base64
import http.server
import json
import threading


MODERN = "2026-07-28"


class HostileMcp:
    def __init__(self):
        self.tools = [{"name": "look", "description": "Looks something up.",
                       "inputSchema": {"type": "object", "properties": {
                           "q": {"type": "string"}}}}]
        self.result = {"content": [{"type": "text", "text": "found"}]}
        self.handlers = {}
        self.requests = []       # (method of HTTP, headers, message)
        self.session = "session-1"
        self.version = "2025-06-18"
        self.modern = False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.serve(self, json.loads(body))

            def do_GET(self):
                outer.serve(self, None)

            def do_DELETE(self):
                outer.serve(self, None)

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        # A test each: its end is seen at once.
        self.thread = threading.Thread(target=self.http.serve_forever,
                                       args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http.server_port}/mcp"

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def calls(self, method):
        """Messages of this method that came, in order."""
        return [m for _, _, m in self.requests
                if m and m.get("method") == method]

    def decent(self, message, headers):
        method = message.get("method")
        if method == "initialize":
            return (200, {"Mcp-Session-Id": self.session}, {
                "protocolVersion": self.version, "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"}})
        if method is None or method.startswith("notifications/"):
            return 202, {}, None
        if headers.get("Mcp-Session-Id") != self.session:
            return 404 if headers.get("Mcp-Session-Id") else 400, {}, None
        if method == "tools/list":
            return 200, {}, {"tools": self.tools}
        if method == "tools/call":
            return 200, {}, self.result
        return 404, {}, None

    def stateless(self, message, headers):
        """As decent(), in the modern era; a fault is {"code", "message"}."""
        method, meta = message["method"], message["params"].get("_meta", {})
        version = "io.modelcontextprotocol/protocolVersion"
        if headers.get("MCP-Protocol-Version") != MODERN:
            return 400, {"code": -32022, "message": "Which version?",
                         "data": {"supported": [MODERN]}}
        if (headers.get("Mcp-Method") != method or meta.get(version) != MODERN
                or "io.modelcontextprotocol/clientCapabilities" not in meta
                or plain(headers.get("Mcp-Name")) != message["params"].get("name")
                or "Mcp-Session-Id" in headers):
            return 400, {"code": -32020, "message": "Headers do not fit."}
        if method == "server/discover":
            return 200, {"supportedVersions": [MODERN], "capabilities": {}}
        if method == "tools/list":
            return 200, {"tools": self.tools, "ttlMs": 60000}
        if method == "tools/call":
            return 200, self.result
        return 404, {"code": -32601, "message": "Unknown method."}

    def send(self, h, status, headers, body):
        h.send_response(status)
        for name, value in headers.items():
            h.send_header(name, value)
        h.send_header("Content-Length", str(len(body)))
        h.end_headers()
        h.wfile.write(body)

    def serve(self, h, message):
        self.requests.append((h.command, dict(h.headers), message))
        key = (message or {}).get("method") or h.command
        handler = self.handlers.get(key)
        if handler is None and message is None:
            return self.send(h, 405, {}, b"")
        if handler is None and self.modern:
            status, said = self.stateless(message, h.headers)
            return self.send(h, status, {"Content-Type": "application/json"},
                             json.dumps({
                                 "jsonrpc": "2.0", "id": message.get("id"),
                                 "result" if status == 200 else "error": said,
                             }).encode())
        if handler is None:
            status, headers, result = self.decent(message, h.headers)
            body = b"" if result is None else json.dumps(
                {"jsonrpc": "2.0", "id": message.get("id"),
                 "result": result}).encode()
            return self.send(h, status, {"Content-Type": "application/json",
                                         **headers}, body)
        answer = handler(message, h)
        if answer is None:
            h.close_connection = True
            return None
        if callable(answer):
            h.send_response(200)
            h.send_header("Content-Type", "text/event-stream")
            h.send_header("Connection", "close")
            h.end_headers()
            h.close_connection = True
            try:
                answer(h.wfile)
            except OSError:
                pass             # it was left
            return None
        if isinstance(answer, tuple):
            return self.send(h, *answer)
        if isinstance(answer, bytes):
            return self.send(h, 200, {"Content-Type": "text/event-stream"},
                             answer)
        return self.send(h, 200, {"Content-Type": "application/json"},
                         json.dumps({"jsonrpc": "2.0",
                                     "id": message.get("id"),
                                     **answer}).encode())


def plain(value):
    """What a header says, wrapped or not."""
    if value and value.startswith("=?base64?") and value.endswith("?="):
        return base64.b64decode(value[9:-2]).decode()
    return value


def event(message, id=None):
    """One event of a stream."""
    head = f"id: {id}\n" if id else ""
    return f"{head}data: {json.dumps(message)}\n\n".encode()
