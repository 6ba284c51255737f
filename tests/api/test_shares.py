# SPDX-License-Identifier: MIT
"""Conversations that others may read: who, how much, until when, and no longer."""

import time
import uuid

import pytest

from lab import wait_until
from sharing import OWNER, at, known, read, say, script, share, talk


def said(answer):
    assert answer.status == 200, answer
    return [m["content"] for m in answer.json["items"] if m["role"] == "user"][::-1]


def test_named_people_read_it_and_nobody_else(lab):
    known(lab, "rita", "mallory")
    id = talk(lab, "one")
    s = share(lab, id, user="rita")
    assert said(read(lab, s)) == ["one"]
    got = read(lab, s, path="").json
    assert (got["title"], got["owner"], got["live"], got["updatedAt"]) == ("T", "sara", False, None)
    assert s in [i["id"] for i in lab.get("/shared-conversations", user="rita").json["items"]]
    for path in "", "/messages":
        assert read(lab, s, "mallory", path).status == 404
        assert read(lab, s, "sara", path).status == 404      # it is theirs anyway
        assert read(lab, str(uuid.uuid4()), path=path).status == 404
    assert lab.get("/shared-conversations", user="mallory").json["items"] == []
    # the conversation itself is still the owner's alone, and read-only
    for method, path, body in (("GET", "", None), ("GET", "/messages", None),
                               ("PATCH", "", {"title": "x"}), ("DELETE", "", None),
                               ("POST", "/fork", {"messageId": f"{id}.2"})):
        assert lab.call(method, f"/conversations/{id}{path}", body, user="rita").status == 404
    # ids of rows are those of the share
    assert id not in read(lab, s).body.decode()


def test_ones_own_is_not_shared_with_oneself(lab):
    """Also if one is of the group that may read it."""
    reader = f"u{uuid.uuid4().hex}"
    known(lab, reader)
    s = share(lab, talk(lab, "one"), group="staff")

    def listed(**who):
        return [i["id"] for i in lab.get("/shared-conversations?pageSize=100", **who).json["items"]]

    assert s in listed(user=reader, groups=["staff"])
    assert s not in listed(**OWNER)
    assert lab.call("DELETE", f"/conversation-shares/{s}", **OWNER).status == 204


def test_revoked_at_once(lab):
    known(lab, "rita")
    s = share(lab, talk(lab, "one"), user="rita")
    assert read(lab, s).status == 200
    assert lab.call("DELETE", f"/conversation-shares/{s}", user="rita").status == 404
    assert lab.call("DELETE", f"/conversation-shares/{s}", **OWNER).status == 204
    assert read(lab, s).status == 404
    assert read(lab, s, path="").status == 404


def test_a_page_is_told_that_there_are_any(lab):
    reader = f"u{uuid.uuid4().hex}"
    known(lab, reader)

    def told(user):
        return lab.get("/me?include=shared", user=user).json["shared"]

    assert told(reader) is False and "shared" not in lab.get("/me", user=reader).json
    s = share(lab, talk(lab, "one"), user=reader)
    assert told(reader) is True
    assert lab.call("DELETE", f"/conversation-shares/{s}", **OWNER).status == 204
    assert told(reader) is False
    share(lab, talk(lab, "one"), user=reader, expiresAt=at(1))
    wait_until("the share has ended", lambda: told(reader) is False)


def test_at_this_point_or_live(lab):
    known(lab, "rita", "ron")
    id = talk(lab, "one")
    then, live = share(lab, id, user="rita"), share(lab, id, user="ron", live=True)
    say(lab, id, "two")
    assert said(read(lab, then)) == ["one"]
    assert said(read(lab, live, "ron")) == ["one", "two"]
    # a cursor beyond the point shows no more
    page = lab.get(f"/conversations/{id}/messages?pageSize=1", **OWNER).json
    assert said(read(lab, then, path=f"/messages?cursor={page['nextCursor']}")) == ["one"]
    # pages: all, once
    seen, cursor = [], ""
    while cursor is not None:
        page = read(lab, live, "ron", f"/messages?pageSize=1{cursor and '&cursor=' + cursor}").json
        seen += page["items"]
        cursor = page["nextCursor"]
    assert [m["role"] for m in seen] == ["assistant", "user"] * 2
    # what takes the place of what was shared is not shared
    first = lab.get(f"/conversations/{id}/messages", **OWNER).json["items"][-1]["messageId"]
    assert lab.post(f"/conversations/{id}/edit", {"messageId": first, "content": "secret"},
                    **OWNER).status == 200
    assert said(read(lab, then)) == []
    assert said(read(lab, live, "ron")) == ["secret"]


def test_tools_files_and_other_metadata(lab):
    known(lab, "rita", "ron")
    id = talk(lab)
    say(lab, id, script({"tool_calls": [{"name": "query_data", "args": {"dataset": "hidden words"}}],
                         "then": {"text": "Now."}}))
    mine = lab.get(f"/conversations/{id}/messages", **OWNER).json["items"]
    assert {"model", "usage"} <= set(mine[0]["metadata"])
    bare = share(lab, id, user="rita")
    full = share(lab, id, user="ron", tools=True)
    shown = read(lab, bare)
    assert [m["role"] for m in shown.json["items"]] == ["assistant", "user"]
    assert shown.json["items"][0]["content"] == "Now."
    assert set().union(*(m["metadata"] for m in shown.json["items"])) <= {
        "finish_reason", "error", "continues", "capped"}
    roles = [m["role"] for m in read(lab, full, "ron").json["items"]]
    assert roles.count("tool") == 1 and len(roles) == 4
    assert b"hidden words" in read(lab, full, "ron").body
    # the owner changes what is in it
    assert lab.call("PATCH", f"/conversation-shares/{full}", {"tools": False},
                    **OWNER).status == 200
    assert len(read(lab, full, "ron").json["items"]) == 2


def test_groups(lab):
    id = talk(lab, "one")
    s = share(lab, id, group="staff")
    assert said(read(lab, s, "gil", groups=["staff"])) == ["one"]
    assert read(lab, s, "gil").status == 404            # no longer in it
    assert read(lab, s, "gil", groups=["it"]).status == 404
    wrong = share(lab, id, 422, group="it")
    assert wrong["field"] == "group"


@pytest.mark.parametrize("fields, field", [
    ({}, "user"), ({"user": "rita", "group": "staff"}, "user"), ({"user": "sara"}, "user"),
    ({"user": "nobody-we-know"}, "user"), ({"user": "rita", "uptoMessage": 9}, "uptoMessage"),
    ({"user": "rita", "reader": str(uuid.uuid4())}, "reader")])
def test_what_is_refused(lab, fields, field):
    known(lab, "rita", "sara")
    assert share(lab, talk(lab, "x"), 422, **fields)["field"] == field


def test_only_ones_own_and_once(lab):
    known(lab, "rita")
    theirs = talk(lab, "x", user="otto")
    assert lab.post("/conversation-shares", {"conversationId": theirs, "user": "rita"},
                    **OWNER).status in (404, 422)
    mine = talk(lab, "x")
    s = share(lab, mine, user="rita")
    share(lab, mine, 409, user="rita")
    assert [i["id"] for i in lab.get(f"/conversation-shares?conversationId={mine}",
                                     **OWNER).json["items"]] == [s]
    assert lab.get(f"/conversation-shares?conversationId={mine}", user="rita").json["items"] == []


def test_expired_and_deleted(lab):
    known(lab, "rita", "ron")
    id = talk(lab, "one")
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    s = share(lab, id, user="rita", expiresAt=soon)
    live = share(lab, id, user="ron", live=True)
    assert read(lab, s).status == 404
    assert lab.get("/shared-conversations", user="rita").json["items"] == [] or s not in [
        i["id"] for i in lab.get("/shared-conversations", user="rita").json["items"]]
    assert read(lab, live, "ron").status == 200
    assert lab.call("DELETE", f"/conversations/{id}", **OWNER).status == 204
    assert read(lab, live, "ron").status == 404
    assert live not in [i["id"] for i in lab.get("/shared-conversations", user="ron").json["items"]]
