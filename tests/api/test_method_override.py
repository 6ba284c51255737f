# SPDX-License-Identifier: MIT
"""POST with X-HTTP-Method-Override, for hosts that let only GET and POST through."""

import pytest


def override(lab, path, method, body=None, **kw):
    headers = {"X-HTTP-Method-Override": method, **kw.pop("headers", {})}
    return lab.call("POST", path, body, headers=headers, **kw)


@pytest.fixture
def path(lab):
    made = lab.post("/conversations", {"workspaceId": "lab"}, user="ada")
    assert made.status == 201, made
    return f"/conversations/{made.json['conversationId']}"


def test_rename_and_delete(lab, path):
    answer = override(lab, path, "PATCH", {"title": "Renamed"}, user="ada")
    assert answer.status == 200 and answer.json["title"] == "Renamed"
    assert lab.get(path, user="ada").json["title"] == "Renamed"
    assert override(lab, path, "DELETE", user="ada").status == 204
    assert lab.get(path, user="ada").status == 404


def test_parts_of_an_upload(lab):
    def part(path, method, offset, last, data):
        headers = {"Content-Type": "application/octet-stream", "Upload-Length": "6",
                   "Upload-Complete": "?1" if last else "?0", "Upload-Offset": str(offset)}
        return override(lab, path, method, data, user="ada", headers=headers)

    made = lab.call("POST", "/attachments?name=a.txt", b"abc", user="ada", headers={
        "Content-Type": "application/octet-stream", "Upload-Length": "6",
        "Upload-Complete": "?0"})
    assert made.status == 201, made
    answer = part(f"/attachments/{made.json['id']}", "PATCH", 3, True, b"def")
    assert answer.status == 200 and answer.json["size"] == 6, answer


def test_the_gates_of_the_other_method(lab, path):
    """It is no way round them: other people's rows, other sites, other methods."""
    assert override(lab, path, "DELETE", user="bob").status == 404
    assert override(lab, path, "DELETE", user="ada", headers={
        "Sec-Fetch-Site": "cross-site"}).status == 403
    for method in ("GET", "HEAD", "OPTIONS", "TRACE", "delete", "DELETE, DELETE"):
        assert override(lab, path, method, user="ada").status == 400, method
    assert override(lab, path, "POST", user="ada").status == 405
    # Only a POST may mean another.
    answer = lab.get(path, user="ada", headers={"X-HTTP-Method-Override": "DELETE"})
    assert answer.status == 200
    assert lab.get(path, user="ada").status == 200
