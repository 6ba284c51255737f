# SPDX-License-Identifier: MIT
"""Files and knowledge through every web server and, for plain CGI, without any process
that lives longer than a request."""

import json

import pytest

from lab import wait_until
from samples import pdf
from web import KINDS, Deployment

TICKETS = "CREATE TABLE ticket (id INT PRIMARY KEY, title VARCHAR(80))"
RAW = {"Content-Type": "application/octet-stream"}


def upload(site, path, data):
    answer = site.call("POST", path, data, headers={"Sec-Fetch-Site": "same-origin", **RAW})
    assert answer.status == 201, answer
    return answer.json


def use(site):
    """A PDF in a base is found at its page, another is sent with a message, and what was
    said is found; then all of it goes."""
    base = site.post("/knowledge-bases", {"name": f"Rules {site.kind}", "language": "en"}).json
    base = f"/knowledge-bases/{base['id']}"
    upload(site, f"{base}/documents?name=rules.pdf", pdf(
        ["Travel is by train.", "Five days of leave carry over."]))
    hit, = wait_until("the document is found", lambda: site.post(
        f"{base}/search", {"query": "leave carrying over"}).json["items"])
    assert (hit["title"], hit["page"]) == ("rules", 2)
    assert site.get(f"{base}/documents/{hit['documentId']}/content").body.startswith(b"%PDF")
    sent = upload(site, "/attachments?name=car.pdf", pdf(["A zebra parks for 45 euros."]))
    said = json.dumps({"text": "It is \"a zebra parks for 45 euros\" [1]."})
    events = site.stream("/chat/lab/stream", {
        "content": f"!script {said}\nWhat does the quokka pay?",
        "attachments": [sent["id"]]}).events()
    assert events[-1].name == "done", events
    assert events[-1].data["metadata"]["citations"] == {
        "cited": [1], "unknown": [], "notFound": []}
    conversation = events[0].data["conversationId"]
    found = wait_until("what was said is found", lambda: site.get(
        "/conversations/search?q=quokka").json["items"])
    assert [item["conversationId"] for item in found] == [conversation]
    for path in base, f"/conversations/{conversation}":
        assert site.call("DELETE", path, headers={
            "Sec-Fetch-Site": "same-origin"}).status == 204
    assert site.get("/conversations/search?q=quokka").json["items"] == []


def left(site):
    """Rows by table, after a request, behind which jobs run."""
    assert site.get("/ready").status == 200
    return {table: n for table in (
        "search_chunk", "search_post", "search_document", "stored_file", "file_piece",
        "attachment", "attachment_use", "message", "turn_source") if (
            n := int(site.sql(f"SELECT COUNT(*) FROM {table}")[0][0]))}


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "apache-cgi"])
def test_files_and_knowledge(make_site, kind):
    use(make_site(kind))


def test_files_and_knowledge_by_plain_cgi(deployment):
    """Nobody else runs the jobs: there is no responder."""
    with Deployment(workspaces=deployment.workspaces) as own:
        own.sql(TICKETS)
        own.stop("responder")
        with KINDS["apache-cgi"](own) as site:
            use(site)
            wait_until("nothing is left", lambda: left(site) == {})
