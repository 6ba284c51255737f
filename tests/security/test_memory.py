# SPDX-License-Identifier: MIT
"""What a request or a server may make the process hold: an arena at its cap fails
the request, pages end by bytes as well as by rows, and no answer points at memory
that is gone."""

import json
import pathlib
import sys
import threading

import pytest

from lab import wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from hostile_mcp import HostileMcp  # noqa: E402

PAGE_BYTES = 4194304    # LIM_PAGE_BYTES
LIMIT_S = 60


def hex_of(id):
    return "UNHEX('" + id.replace("-", "") + "')"


def lives(lab):
    assert lab.processes["responder"].poll() is None, lab.log("responder")[-2000:]
    assert lab.get("/me", user="ada").status == 200


# -- an answer that could not be stored ----------------------------------------

def test_an_answer_that_is_lost_says_so(lab, conversation):
    """Sent without streaming, stopped and its conversation deleted before the first
    token: the answer was the text of an error in a stack frame that was gone."""
    path = f"/workspaces/lab/agents/helper/conversations/{conversation}"
    answers = []
    sender = threading.Thread(target=lambda: answers.append(lab.call(
        "POST", f"{path}/messages", {"content": "!script " + json.dumps(
            {"first_byte_ms": 600000, "text": "late"})}, user="ada")))
    sender.start()
    turn = wait_until("the turn", lambda: lab.get(path, user="ada").json[
        "runningTurnId"], LIMIT_S)
    # In one go, as another process may do it: the turn finds both together.
    lab.sql(f"DELETE FROM conversation WHERE id = {hex_of(conversation)};"
            f"UPDATE turn SET cancel_requested = 1 WHERE id = {hex_of(turn)}")
    sender.join(LIMIT_S)
    assert answers, "no answer came"
    said = answers[0].json["assistant"]     # valid UTF-8, valid JSON
    assert said["content"] == ("This turn was closed or its conversation deleted "
                               "meanwhile. The answer was not stored.")
    assert said["metadata"]["error"]["message"] == said["content"]


# -- pages ---------------------------------------------------------------------

def message_bytes(messages):
    return sum(len(m["content"].encode()) for m in messages)


@pytest.fixture
def edited(lab, conversation):
    """A conversation whose first message was said anew eleven times, each time with
    a megabyte, and its newest message."""
    lab.stream("/chat/lab/stream", {"content": "0 !script", "conversationId":
                                    conversation}, user="ada").events()
    for i in range(1, 12):
        rows = lab.get(f"/conversations/{conversation}/messages", user="ada").json
        first = rows["items"][-1]["messageId"]
        stream = lab.stream(f"/conversations/{conversation}/edit",
                            {"messageId": first, "content": str(i)}, user="ada")
        assert stream.events()[-1].name == "done"
    lab.sql("UPDATE message SET content = CONCAT(content, REPEAT('x', 1000000))"
            f" WHERE conversation_id = {hex_of(conversation)} AND role = 1")
    rows = lab.get(f"/conversations/{conversation}/messages", user="ada").json
    return conversation, rows["items"][-1]["messageId"]


def test_a_page_of_variants_ends_by_bytes(lab, edited):
    conversation, message = edited
    items, cursor, pages = [], "", 0
    while cursor is not None:
        page = lab.get(f"/conversations/{conversation}/variants?pageSize=100"
                       f"&messageId={message}&cursor={cursor}", user="ada").json
        size = sum(message_bytes(i["messages"]) for i in page["items"])
        assert 0 < size <= PAGE_BYTES and page["totalCount"] == 12
        items += page["items"]
        cursor, pages = page["nextCursor"], pages + 1
    assert pages >= 3
    assert len({i["variantId"] for i in items}) == len(items) == 12
    assert [i["messages"][0]["content"].rstrip("x").split()[0] for i in items] == [
        str(i) for i in range(12)]
    assert [i["messages"][0]["variantIndex"] for i in items if not
            i["messages"][0].get("step")] == list(range(1, 13))
    lives(lab)


@pytest.fixture
def long_thread(lab, conversation):
    """Twelve messages of a megabyte each, and two small ones."""
    for i in range(7):
        lab.stream("/chat/lab/stream", {
            "content": '!script {"text":"a%d"}' % i,
            "conversationId": conversation}, user="ada").events()
    lab.sql("UPDATE message SET content = CONCAT('m', seq, ' ', REPEAT('x', 1000000))"
            f" WHERE conversation_id = {hex_of(conversation)} AND seq <= 12")
    return conversation


@pytest.mark.parametrize("path", ["/conversations/%s/messages",
                                  "/workspaces/lab/agents/helper"
                                  "/conversations/%s/messages"])
def test_a_page_of_a_thread_ends_by_bytes(lab, long_thread, path):
    path %= long_thread
    items, cursor, pages = [], "", 0
    while cursor is not None:
        page = lab.get(f"{path}?pageSize=100&cursor={cursor}", user="ada").json
        assert 0 < message_bytes(page["items"]) <= PAGE_BYTES
        items += page["items"]
        cursor, pages = page["nextCursor"], pages + 1
    assert pages >= 3
    seqs = [int(i["messageId"].rsplit(".", 1)[1]) for i in items]
    assert sorted(seqs) == list(range(1, 15))
    assert seqs in (sorted(seqs), sorted(seqs, reverse=True))


def test_one_item_may_be_larger_than_a_page(lab, long_thread):
    """Else nobody would ever see it, nor what is behind it."""
    lab.sql("UPDATE message SET content = REPEAT('y', 6000000) WHERE seq = 13"
            f" AND conversation_id = {hex_of(long_thread)}")
    path = f"/conversations/{long_thread}/messages?include=steps&pageSize=100"
    first = lab.get(path, user="ada").json
    assert len(first["items"]) == 1     # the small one ends where the large begins
    second = lab.get(f"{path}&cursor={first['nextCursor']}", user="ada").json
    assert [len(i["content"]) for i in second["items"]] == [6000000]
    third = lab.get(f"{path}&cursor={second['nextCursor']}", user="ada").json
    assert third["items"][0]["messageId"].endswith(".12")


def test_a_turn_reads_no_more_history_than_it_may(lab, long_thread):
    """The history of a turn is a page too; what does not fit is older."""
    lab.sql("UPDATE message SET content = REPEAT('z', 10000000)"
            f" WHERE conversation_id = {hex_of(long_thread)} AND seq < 12")
    events = lab.stream("/chat/lab/stream", {
        "content": '!script {"text":"there"}', "conversationId": long_thread},
        user="ada").events()
    assert events[-1].name == "done" and events[-1].data["content"] == "there"
    lives(lab)


def test_the_rest_of_a_large_result_is_left_unread(lab, conversation):
    """80 rows of 4 MB: once an abort. What is left out is read past or given up
    with its connection; the pool goes on."""
    lab.stream("/chat/lab/stream", {"content": '!script {"text":"a"}',
                                    "conversationId": conversation},
               user="ada").events()
    lab.sql("INSERT INTO message (conversation_id, seq, role, created_us, kind, content)"
            f" SELECT {hex_of(conversation)}, seq + 2, 1, 1, 1, REPEAT('x', 4000000)"
            " FROM seq_1_to_80")
    for _ in range(3):
        page = lab.get(f"/conversations/{conversation}/messages?include=steps&pageSize=100",
                       user="ada")
        assert page.status == 200 and len(page.json["items"]) == 1
    lives(lab)


# -- lists of MCP servers --------------------------------------------------------

@pytest.fixture
def hostile():
    server = HostileMcp()
    yield server
    server.close()


def pages_of(hostile, n_pages, tools):
    """tools/list has so many pages; tools(number) gives the JSON of one's."""
    def page(message, _):
        n = int(message["params"].get("cursor", "0"))
        more = b',"nextCursor":"%d"' % (n + 1) if n + 1 < n_pages else b""
        body = b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]%s}}' % (
            json.dumps(message["id"]).encode(), tools(n), more)
        return 200, {"Content-Type": "application/json"}, body
    hostile.handlers["tools/list"] = page


def tool(name, bytes=8000):
    return json.dumps({"name": name, "description": "d" * bytes,
                       "inputSchema": {"type": "object"}}).encode()


@pytest.fixture
def bad(make_lab, hostile):
    return lambda **options: make_lab(config={"mcp_servers": {"bad": {
        "url": hostile.url, "allow_private": ["127.0.0.1"], "effect": "read",
        "pin": "first-use", **options}}})


def test_tools_outside_allow_cost_nothing_that_stays(bad, hostile):
    """Fifty pages of 8 MiB, none of it allowed: each description was kept, and at
    256 MiB the process ended."""
    other = b",".join([tool("other")] * 1000)
    pages_of(hostile, 50, lambda n: other)
    lab = bad(allow=["wanted_*"])
    listed = lab.command("mcp", "list", check=False)
    assert listed.returncode in (0, 1)      # no signal
    assert "lists more than 10000 tools" in listed.stdout + listed.stderr
    events = lab.chat({"text": "still here"})
    assert events[-1].name == "done"
    lives(lab)


def test_a_tool_behind_many_that_are_not_allowed(bad, hostile):
    other = b",".join([tool("other")] * 1000)
    pages_of(hostile, 3, lambda n: other if n < 2 else tool("wanted_one"))
    lab = bad(allow=["wanted_*"])
    listed = lab.command("mcp", "list").stdout
    assert "bad_wanted_one" in listed and "bad_other" not in listed


@pytest.mark.parametrize("tools,says", [
    (lambda n: b",".join(tool(f"t{n}_{i}", 60000) for i in range(90)),
     "defines its tools in more than 8388608 bytes"),
    (lambda n: b'{"name":"t%d"}' % n, None)])
def test_what_a_server_says_in_all_is_bounded(bad, hostile, tools, says):
    pages_of(hostile, 4, tools)
    lab = bad()
    listed = lab.command("mcp", "list", check=False)
    assert listed.returncode in (0, 1)
    if says:
        assert says in listed.stdout + listed.stderr
    else:
        assert all(f"bad_t{n}" in listed.stdout for n in range(4))
    assert lab.chat({"text": "still here"})[-1].name == "done"
    lives(lab)


def test_a_cursor_is_short(bad, hostile):
    hostile.handlers["tools/list"] = lambda message, _: {"result": {
        "tools": [], "nextCursor": f"{len(hostile.requests)}" + "c" * 5000}}
    lab = bad()
    listed = lab.command("mcp", "list", check=False)
    assert "names the next page of its tools in more than 4096 bytes" in (
        listed.stdout + listed.stderr)
    assert len(hostile.calls("tools/list")) == 1
