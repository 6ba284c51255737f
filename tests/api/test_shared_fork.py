# SPDX-License-Identifier: MIT
"""Going on with what somebody shares, in a chat of one's own: what one may read of it, and
no more; and it stays somebody else's words."""

import json
import uuid

import pytest

from sharing import OWNER, RITA, fork, known, read, rows, say, script, share, talk


def test_a_chat_of_ones_own(lab):
    known(lab, "rita")
    theirs = talk(lab, "one", "two", title="Plans")
    made = fork(lab, share(lab, theirs, user="rita"))
    mine = made.json["conversationId"]
    assert made.headers["Location"] == f"../../conversations/{mine}"
    assert (made.json["title"], made.json["workspaceId"], made.json["agentId"]) == (
        "Plans", "lab", "helper")
    assert made.json.get("forkedFrom") is None		# ids of the owner's are not the reader's
    assert mine in [c["conversationId"] for c in lab.get("/conversations", **RITA).json["items"]]
    got = rows(lab, mine)
    assert [m["role"] for m in got] == ["user", "assistant"] * 2
    assert [m["content"] for m in got if m["role"] == "user"] == ["one", "two"]
    assert theirs not in json.dumps(got)
    # it goes on, alone
    say(lab, mine, "three", **RITA)
    assert len(rows(lab, mine)) == 6
    assert len(lab.get(f"/conversations/{theirs}/messages", **OWNER).json["items"]) == 4
    # all that one can do with one's own
    first = got[0]["messageId"]
    assert lab.post(f"/conversations/{mine}/edit", {"messageId": first, "content": "else"},
                    **RITA).status == 200
    assert lab.call("DELETE", f"/conversations/{mine}", **RITA).status == 204
    assert lab.get(f"/conversations/{theirs}", **OWNER).status == 200


def test_only_what_is_shared(lab):
    known(lab, "rita", "ron", "mallory")
    id = talk(lab)
    say(lab, id, script({"tool_calls": [{"name": "query_data", "args": {"dataset": "hidden words"}}],
                         "then": {"text": "Now."}}))
    bare, full = share(lab, id, user="rita"), share(lab, id, user="ron", tools=True)
    say(lab, id, "later")
    mine = fork(lab, bare).json["conversationId"]
    assert [m["role"] for m in rows(lab, mine, steps=True)] == ["user", "assistant"]
    assert "later" not in json.dumps(rows(lab, mine))
    theirs = fork(lab, full, user="ron").json["conversationId"]
    got = rows(lab, theirs, steps=True, user="ron")
    assert [m["role"] for m in got] == ["user", "assistant", "tool", "assistant"]
    assert got[2]["metadata"]["untrusted"] is True
    for m in got:
        assert [o["kind"] for o in m["metadata"]["origins"]] == ["share"]
        assert m["metadata"]["origins"][0]["name"] == "sara"
        assert not {"model", "usage", "sources", "reasoning"} & set(m["metadata"])
    # and goes on: the model gets the calls with their results
    say(lab, theirs, "go on", user="ron")
    # nobody else, and not once it is revoked
    fork(lab, bare, 404, user="mallory")
    fork(lab, bare, 404, user="sara")
    fork(lab, str(uuid.uuid4()), 404)
    assert lab.call("DELETE", f"/conversation-shares/{bare}", **OWNER).status == 204
    fork(lab, bare, 404)
    assert len(rows(lab, mine)) == 2		# what was copied is theirs


def test_superseded_messages_and_numbers(lab):
    known(lab, "rita")
    id = talk(lab, "one", "two", "three")
    at = lab.get(f"/conversations/{id}/messages", **OWNER).json["items"]
    third = at[1]["messageId"]
    assert lab.post(f"/conversations/{id}/edit", {"messageId": third, "content": "instead"},
                    **OWNER).status == 200
    mine = fork(lab, share(lab, id, user="rita", live=True)).json["conversationId"]
    got = rows(lab, mine)
    assert [m["content"] for m in got if m["role"] == "user"] == ["one", "two", "instead"]
    assert [m["messageId"] for m in got] == [f"{mine}.{n + 1}" for n in range(6)]
    say(lab, mine, "more", **RITA)
    assert len(rows(lab, mine)) == 8


def test_files_are_named_not_given(lab):
    known(lab, "rita")
    file = lab.call("POST", "/attachments?name=plan.txt", b"secret text",
                    headers={"Content-Type": "application/octet-stream"}, **OWNER).json["id"]
    id = talk(lab)
    assert lab.post(f"/workspaces/lab/agents/helper/conversations/{id}/messages",
                    {"content": "read", "attachments": [file]}, **OWNER).status < 300
    mine = fork(lab, share(lab, id, user="rita", files=True)).json["conversationId"]
    got = rows(lab, mine)
    assert got[0]["metadata"]["attachments"] == [{"name": "plan.txt"}]
    assert file not in json.dumps(got)
    assert lab.get(f"/attachments/{file}/content", **RITA).status == 404
    say(lab, mine, "what is in it?", **RITA)


def test_an_agent_that_one_does_not_see(lab):
    """Then it goes on with one's own default one."""
    known(lab, "rita")
    who = {"user": "sara", "groups": ["staff", "desk"]}
    made = lab.post("/conversations", {"workspaceId": "desk", "title": "Leave"}, **who)
    id = made.json["conversationId"]
    answer = lab.post(f"/workspaces/desk/agents/clerk/conversations/{id}/messages",
                      {"content": "one"}, **who)
    assert answer.status < 300, answer
    made = fork(lab, share(lab, id, user="rita"))
    assert made.json["workspaceId"] != "desk"
    say(lab, made.json["conversationId"], "two", **RITA)


def test_nothing_to_go_on_with(lab):
    known(lab, "rita")
    fork(lab, share(lab, talk(lab), user="rita"), 409)


def test_the_same_key_makes_one(lab):
    known(lab, "rita")
    a, b = (share(lab, talk(lab, text), user="rita") for text in ("one", "two"))
    key = {"Idempotency-Key": uuid.uuid4().hex}
    first = fork(lab, a, **key).json["conversationId"]
    assert fork(lab, a, **key).json["conversationId"] == first
    assert fork(lab, b, **key).json["conversationId"] != first


def fill(lab, id, n, content):
    """n messages, by turns of the user and the assistant; content: SQL, of seq."""
    raw = id.replace("-", "")
    lab.sql("INSERT INTO message (conversation_id, seq, role, created_us, content, kind,"
            f" finish_reason) SELECT UNHEX('{raw}'), seq, IF(seq % 2, 1, 2), seq, {content},"
            f" IF(seq % 2, 1, 3), IF(seq % 2, NULL, 'stop') FROM seq_1_to_{n};"
            f" UPDATE conversation SET last_seq = {n} WHERE id = UNHEX('{raw}')")


def test_a_long_one(lab):
    """The newest part, beginning with what somebody said."""
    known(lab, "rita")
    id = talk(lab)
    fill(lab, id, 1200, "CONCAT('text ', seq)")
    mine = fork(lab, share(lab, id, user="rita", live=True)).json["conversationId"]
    [[n, first, last]] = lab.sql(
        "SELECT COUNT(*), MIN(seq), MAX(seq) FROM message WHERE conversation_id ="
        f" UNHEX('{mine.replace('-', '')}')")
    assert (int(n), int(first), int(last)) == (1000, 1, 1000)
    assert rows(lab, mine)[-1]["content"] == "text 1200"
    say(lab, mine, "more", **RITA)


def test_the_sum_of_what_one_stores(make_lab):
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    known(lab, "rita")
    id = talk(lab)
    fill(lab, id, 12, "REPEAT('x', 100000)")
    s = share(lab, id, user="rita", live=True)
    assert read(lab, s).status == 200
    fork(lab, s, 413)
    assert lab.get("/conversations", **RITA).json["items"] == []


@pytest.mark.parametrize("body", [{"agentId": "short"}, {"messageId": "x"}])
def test_takes_nothing(lab, body):
    known(lab, "rita")
    s = share(lab, talk(lab, "one"), user="rita")
    assert lab.post(f"/shared-conversations/{s}/fork", body, **RITA).status == 422


def test_needs_to_write(make_lab):
    lab = make_lab(config={"roles": {
        "user": {"groups": ["staff"], "permissions": ["AIChat.*"]},
        "reader": {"groups": ["*"], "permissions": ["AIChat.Conversations.Share"]},
        "writer": {"groups": ["writers"], "permissions": ["AIChat.Conversations.Write"]}}})
    known(lab, "rita", "will")
    id = talk(lab, "one")
    s = share(lab, id, user="rita")
    assert read(lab, s).status == 200
    fork(lab, s, 403)
