# SPDX-License-Identifier: MIT
"""Bad input gets a clear answer and leaves a correct state."""

import socket

import pytest

PROBLEM = "application/problem+json"


def check(answer, status, code, field=None):
    assert answer.status == status, answer
    assert answer.headers["Content-Type"].startswith(PROBLEM)
    problem = answer.json
    assert problem["status"] == status and problem["code"] == code, problem
    assert problem["title"] and problem["detail"] and problem["requestId"]
    assert problem["retryable"] is False
    if field:
        assert problem["field"] == field
    return problem


JSON = {"Content-Type": "application/json"}
BODIES = [
    (b"", JSON, 400, "invalid_json", None),
    (b"{", JSON, 400, "invalid_json", None),
    (b"[]", JSON, 400, "invalid_json", None),
    (b'{"content":"a","content":"b"}', JSON, 400, "invalid_json", None),
    (b'{"content":"\xff"}', JSON, 400, "invalid_utf8", None),
    (b'{"content":"\\ud800"}', JSON, 400, "invalid_json", None),
    (b"[" * 5000, JSON, 400, "invalid_json", None),
    (b"{}", JSON, 422, "invalid_field", "content"),
    (b'{"content":7}', JSON, 422, "invalid_field", "content"),
    (b'{"content":null}', JSON, 422, "invalid_field", "content"),
    (b'{"content":""}', JSON, 422, "invalid_field", "content"),
    (b'{"content":"   "}', JSON, 422, "invalid_field", "content"),
    (b'{"content":"' + b"x" * 5001 + b'"}', JSON, 422, "invalid_field", "content"),
    (b'{"contents":"x"}', JSON, 422, "unknown_field", "contents"),
    (b'{"content":"x","conversationId":"1"}', JSON, 422, "invalid_field",
     "conversationId"),
    (b'{"content":"x","conversationId":7}', JSON, 422, "invalid_field",
     "conversationId"),
    (b'{"content":"x","agentId":"no/such"}', JSON, 422, "invalid_field", "agentId"),
    (b'{"content":"x","agentId":"nobody"}', JSON, 404, "not_found", None),
    (b'{"content":"' + b"x" * 70000 + b'"}', JSON, 413, "too_large", None),
    (b'{"content":"x"}', {"Content-Type": "text/plain"}, 415,
     "unsupported_media_type", None),
    (b"content=x", {"Content-Type": "application/x-www-form-urlencoded"}, 415,
     "unsupported_media_type", None),
    (b'{"content":"x"}', {}, 415, "unsupported_media_type", None),
]


@pytest.mark.parametrize("body,headers,status,code,field", BODIES)
def test_bodies(lab, body, headers, status, code, field):
    before = lab.sql("SELECT COUNT(*) FROM conversation")
    check(lab.post("/chat/lab/stream", body, headers=headers, user="ada"),
          status, code, field)
    assert lab.sql("SELECT COUNT(*) FROM conversation") == before


@pytest.mark.parametrize("body,detail", [
    (b"", "There is no JSON: it is empty."),
    (b'{"content":"a\\u0000b"}', "Not valid JSON (line 1, column 21): \\u0000 is not allowed"),
    (b'{"contents":"x"}', 'There is no field "contents"; did you mean "content"?'),
    (b'{"text":"x"}', 'There is no field "text"; there are: content promptId client webSearch contextType projectId focusId mentions module pageContext attachments timeZone answerAgentId draftAgent tryTool ....'),
])
def test_bodies_are_told_what_is_wrong(lab, body, detail):
    answer = lab.post("/chat/lab/stream", body, headers=JSON, user="ada")
    assert answer.json["detail"].startswith(detail), answer.json


def test_a_byte_order_mark_is_ignored(lab):
    """In front of a body, once; some clients on Windows write one."""
    json_body = '{"title": "x"}'.encode()
    for mark, status in ((b"\xef\xbb\xbf", 201), (b"\xef\xbb\xbf" * 2, 400),
                         (b"\xef\xbb", 400)):
        answer = lab.call("POST", "/conversations", mark + json_body, user="ada",
                          headers={"Content-Type": "application/json"})
        assert answer.status == status, (mark, answer)


def test_unknown_field_names_the_nearest(lab):
    problem = check(lab.post("/chat/lab/stream", {"contnet": "x"}, user="ada"),
                    422, "unknown_field", "contnet")
    assert "content" in problem["detail"]


@pytest.mark.parametrize("path", [
    "/nothing", "/conversations/", "/conversations/x", "//chat/api", "/",
    "/workspaces/UPPER", "/workspaces/lab/agents/", "/%2e%2e/x",
    "/conversations/%00", "/workspaces/lab%2Fagents", "/../health",
    "/health/", "//chat/api/v1//health", "//chat/api/v2/health",
])
def test_unknown_paths(lab, path):
    answer = lab.get(path, user="ada")
    if answer.headers.get("Content-Type", "").startswith(PROBLEM):
        check(answer, 404, "not_found")
    else:
        assert answer.status in (400, 404)      # the web server's own


@pytest.mark.parametrize("method,path,allow", [
    ("PUT", "/me", {"GET"}), ("POST", "/health", {"GET"}),
    ("GET", "/chat/lab/stream", {"POST"}),
    ("DELETE", "/workspaces", {"GET"}),
    ("PUT", "/conversations", {"GET", "POST"}),
])
def test_wrong_methods(lab, method, path, allow):
    answer = lab.call(method, path, user="ada")
    check(answer, 405, "method_not_allowed")
    assert allow <= {m.strip() for m in answer.headers["Allow"].split(",")}


def test_head_has_no_body(lab):
    answer = lab.call("HEAD", "/me", user="ada")
    assert answer.status == 200 and answer.body == b""


@pytest.mark.parametrize("query", ["a=%ff", "q=%ff", "q=%zz", "q=" + "x" * 3000])
def test_bad_queries(lab, query):
    answer = lab.get(f"/conversations?{query}", user="ada")
    assert answer.status in (400, 422) or answer.json["items"] == []


def test_unknown_query_parameter_is_refused(lab):
    check(lab.get("/conversations?pagesize=3", user="ada"), 422,
          "unknown_field", "pagesize")


def test_too_long_target(lab):
    assert lab.get("/conversations?q=" + "x" * 20000,
                   user="ada").status in (400, 413, 414, 422, 431)


def raw(lab, data):
    with socket.create_connection(("127.0.0.1", lab.port), timeout=20) as s:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        out = b""
        while piece := s.recv(65536):
            out += piece
        return out


def test_garbage_does_not_hurt(lab):
    for data in (b"\0\1\2garbage\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"POST /chat/api/v1/chat/lab/stream HTTP/1.1\r\nHost: x\r\n"
                 b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{}"):
        raw(lab, data)
    assert lab.get("/health").status == 200


def test_garbage_on_the_fastcgi_socket(lab):
    for data in (b"", b"\0" * 8, b"\xff" * 4096,
                 b"\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0\1\4\0\1\xff\xff\0\0abc"):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(lab.responder_socket)
            s.sendall(data)
    assert lab.get("/health").status == 200


def test_problem_does_not_leak(lab):
    answer = lab.get("/conversations/0192f000-0000-7000-8000-000000000000",
                     user="ada")
    text = answer.body.decode()
    assert "SELECT" not in text and str(lab.dir) not in text
