# SPDX-License-Identifier: MIT
"""A web service that notes every request, for tests that look at what was
really sent: pages by path, each (status, headers, body) or a function of the
request that gives one; anything else is answered 404. Connections are kept."""

import http.server
import threading


class Request:
    """connection: a page that answers late sees there whether the client is gone."""

    def __init__(self, handler, body):
        self.connection = handler.connection
        self.method, self.path = handler.command, handler.path
        self.headers, self.body = dict(handler.headers), body

    def __repr__(self):
        return f"{self.method} {self.path} {self.body!r}"


class Recorder:
    def __init__(self, host="127.0.0.1", pages=None):
        self.pages, self.seen, self.connections = dict(pages or {}), [], 0
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                request = Request(self, self.rfile.read(length))
                recorder.seen.append(request)
                page = recorder.pages.get(
                    self.path, recorder.pages.get(self.path.split("?")[0],
                                                  (404, {}, "")))
                status, headers, body = page(request) if callable(page) else page
                body = body if isinstance(body, bytes) else body.encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = do_DELETE = answer

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def process_request(self, *args):
                recorder.connections += 1
                super().process_request(*args)

        self.http = Server((host, 0), Handler)
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self):
        return self.http.server_port

    @property
    def url(self):
        return f"http://{self.http.server_address[0]}:{self.port}"

    def close(self):
        self.http.shutdown()
        self.http.server_close()
