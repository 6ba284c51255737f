# SPDX-License-Identifier: MIT
"""The tools of group `knowledge` that look at what there is: what they give, and that
a document of others is like one that is not there (A18, B21, D32)."""

import json
import uuid

import pytest

from knowledge import NOBODY, base_of, settled, write
from lab import wait_until


@pytest.fixture(scope="module")
def agent(lab):
    """Its owner, who has a base with two documents: one is for the board."""
    user = "k" + uuid.uuid4().hex[:12]
    answer = lab.post("/workspaces/lab/agents", {
        "agentId": user, "name": "Clerk", "toolIds": ["group:knowledge"]}, user=user)
    assert answer.status == 201, answer
    base = base_of(lab, user, name="Handbook", description="What holds here")
    pages = "\f".join(f"# Part {i}\n\nRule {i} says \"{'ä' * i}\"." for i in range(1, 7))
    seen = write(lab, base, user, pages, title="Rules", url="https://in.example/r")
    hidden = lab.post(f"{base}/documents", {"title": "Secret", "groups": ["board"],
                                            "text": "Ten days for the board."}, user=user)
    assert hidden.status == 201, hidden
    settled(lab, base, user)
    return {"user": user, "base": base.rsplit("/", 1)[1], "seen": seen["id"],
            "hidden": hidden.json["id"], "text": pages}


def call(lab, agent, tool, groups=(), **args):
    """What the tool gives in a turn."""
    events = lab.chat("!script " + json.dumps(
        {"tool_calls": [{"name": tool, "args": args}], "then": {"text": "ok"}}),
        user=agent["user"], groups=groups, agentId=agent["user"])
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")["result"]


def attached(lab, agent, name, data):
    answer = lab.call("POST", f"/attachments?name={name}", data, user=agent["user"],
                      headers={"Content-Type": "application/octet-stream"})
    assert answer.status == 201, answer
    return answer.json


def error(answer):
    return answer["error"]["message"]


def test_bases_are_listed_without_counts(lab, agent):
    assert call(lab, agent, "list_knowledge_bases") == {"knowledge_bases": [
        {"id": agent["base"], "name": "Handbook", "description": "What holds here",
         "language": "en"}]}


def test_metadata_says_nothing_of_the_content(lab, agent):
    ids = [agent["hidden"], agent["seen"], NOBODY, "x", agent["seen"]]
    got, = call(lab, agent, "get_document_metadata", document_ids=ids)["documents"]
    assert set(got) == {"id", "title", "description", "content_length", "updated_at"}
    assert (got["id"], got["title"], got["description"], got["content_length"]) == (
        agent["seen"], "Rules", None, len(agent["text"].encode()))
    both = call(lab, agent, "get_document_metadata", groups=["board"], document_ids=ids,
                project_id=agent["base"])["documents"]
    assert [d["title"] for d in both] == ["Secret", "Rules"]
    assert call(lab, agent, "get_document_metadata", document_ids=ids,
                project_id="Other") == {"documents": []}
    assert "document_ids" in error(call(lab, agent, "get_document_metadata",
                                        document_ids=[NOBODY] * 51))


def test_a_document_is_read_by_pages(lab, agent):
    got = call(lab, agent, "read_document", document_id=agent["seen"], from_page=2,
               to_page=3)
    assert (got["base"], got["title"], got["url"], got["pages"], got["page"]) == (
        "Handbook", "Rules", "https://in.example/r", 6, 2)
    assert got["text"] == "\f".join(agent["text"].split("\f")[1:3])
    then = call(lab, agent, "read_document", document_id=agent["seen"],
                cursor=got["next_cursor"])
    assert (then["page"], then["text"]) == (4, "\f".join(agent["text"].split("\f")[3:]))
    assert "next_cursor" not in then
    last = call(lab, agent, "read_document", document_id=agent["seen"], from_page=6,
                to_page=9)
    assert last["text"].startswith("# Part 6") and "next_cursor" not in last


def test_a_long_document_is_read_in_parts(lab, agent):
    base = "/knowledge-bases/" + agent["base"]
    text = '"\n\u2028ä' * 9000 + "."
    long = write(lab, base, agent["user"], text, title="Long")["id"]
    parts, cursor = [], {}
    while cursor is not None:
        got = call(lab, agent, "read_document", document_id=long, **cursor)
        assert got["offset"] == len("".join(parts).encode())
        parts.append(got["text"])
        cursor = {"cursor": got["next_cursor"]} if "next_cursor" in got else None
    assert "".join(parts) == text and len(parts) > 2
    short = call(lab, agent, "read_document", document_id=long, max_bytes=1024)
    assert 500 < len(short["text"].encode()) <= 1024 and text.startswith(short["text"])
    for bad in ("x", "1", "0.-1", "0.99999999", "9" * 60, "0.1.1"):
        assert "next_cursor of an earlier" in error(call(
            lab, agent, "read_document", document_id=long, cursor=bad)), bad
    assert "has changed" in error(call(lab, agent, "read_document", document_id=long,
                                       cursor="7.1"))


def test_a_long_address_takes_nothing_of_the_text(lab, agent):
    """The loop cuts a result out of its middle where it is too long."""
    base = "/knowledge-bases/" + agent["base"]
    url = "https://x.example/" + "ä" * 1900
    long = write(lab, base, agent["user"], "word " * 20000, title='"' * 200, url=url)["id"]
    got = call(lab, agent, "read_document", document_id=long, max_bytes=200000)
    assert got["url"] == url and got["title"] == '"' * 200
    assert len(got["text"]) > 1024 and got["text"] in "word " * 20000
    more = call(lab, agent, "read_document", document_id=long, cursor=got["next_cursor"])
    assert more["offset"] == len(got["text"])


@pytest.mark.parametrize("args, why", [
    ({}, "either document_id or attachment"),
    ({"document_id": NOBODY, "attachment": "x"}, "either document_id or attachment"),
    ({"attachment": "x"}, "No file with this name"),
    ({"document_id": "SEEN", "from_page": 7}, "only 6 pages"),
    ({"document_id": "SEEN", "from_page": 3, "to_page": 2}, "to_page must not")])
def test_what_cannot_be_read_says_why(lab, agent, args, why):
    args = {k: agent["seen"] if v == "SEEN" else v for k, v in args.items()}
    assert why in error(call(lab, agent, "read_document", **args))


def test_a_hidden_document_is_like_a_missing_one(lab, agent):
    answers = [call(lab, agent, "read_document", document_id=i)
               for i in (agent["hidden"], NOBODY, "x", "../" * 10)]
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert "no document with this id" in error(answers[0])
    assert call(lab, agent, "read_document", groups=["board"],
                document_id=agent["hidden"])["text"] == "Ten days for the board."
    assert "board" not in json.dumps(call(lab, agent, "search", query="days board"))


def test_a_file_of_the_conversation_is_read(lab, agent):
    script = "!script " + json.dumps({"tool_calls": [
        {"name": "read_document", "args": {"attachment": "policy.txt"}}],
        "then": {"text": "ok"}})
    sent = attached(lab, agent, "policy.txt", b"Ten days carry over.\n")
    events = lab.chat(script, user=agent["user"], agentId=agent["user"],
                      attachments=[sent["id"]])
    got = next(e.data for e in events if e.name == "tool-result")
    assert (got["result"]["title"], got["result"]["text"]) == (
        "policy.txt", "Ten days carry over.\n")
    assert "UNTRUSTED" in json.dumps(lab.sent()[-1])
    # Another conversation does not have it.
    assert "No file with this name" in error(call(
        lab, agent, "read_document", attachment="policy.txt"))
    empty = attached(lab, agent, "x.bin", b"\0\1\2\3" * 99)
    events = lab.chat(script.replace("policy.txt", "x.bin"), user=agent["user"],
                      agentId=agent["user"], attachments=[empty["id"]])
    got = next(e.data for e in events if e.name == "tool-result")
    assert "no text in this file" in error(got["result"])


def test_one_search_over_all(lab, agent):
    got = call(lab, agent, "search", query="what does rule 3 say", max_results=4)["results"]
    assert got[0]["kind"] == "passage" and got[0]["document_id"] == agent["seen"]
    got = call(lab, agent, "search", query="Ticket 17", max_results=20)["results"]
    things = [r for r in got if r["kind"] == "record"]
    assert "record:tickets/17" in [r["ref"] for r in things], got
    assert {r["dataset"] for r in things} == {"tickets"}
    assert not [r for r in got if r["kind"] == "person"]


def test_earlier_conversations_are_found(lab, agent):
    lab.chat("My bicycle is a Brompton.", user=agent["user"])
    lab.chat("Her bicycle is a Brompton.", user="somebody-else")
    wait_until("it is found", lambda: lab.get(
        "/conversations/search?q=brompton", user=agent["user"]).json["items"])
    got, = call(lab, agent, "search_conversations", query="brompton")["conversations"]
    assert "My bicycle" in got["text"] and got["title"]
    in_all = call(lab, agent, "search", query="brompton")["results"]
    assert [r["kind"] for r in in_all] == ["conversation"] * len(in_all) and in_all
    assert call(lab, agent, "search_conversations", query="brompton",
                to="1999-12-31") == {"conversations": []}
    assert "must be a date" in error(call(lab, agent, "search_conversations", query="x",
                                          to="soon"))


def test_results_taint_the_conversation(lab, agent):
    for tool, args in (("list_knowledge_bases", {}), ("search", {"query": "rule"}),
                       ("get_document_metadata", {"document_ids": [agent["seen"]]}),
                       ("read_document", {"document_id": agent["seen"]})):
        call(lab, agent, tool, **args)
        told = [m for m in lab.sent()[-1]["messages"] if m["role"] == "tool"]
        assert "UNTRUSTED" in json.dumps(told), tool
