# SPDX-License-Identifier: MIT
"""How users rate answers, and who sees it."""

import pytest

from lab import Lab, wait_until

ROLES = {"user": {"groups": ["*"], "permissions": ["AIChat.*"]},
         "quality": {"groups": ["quality"], "permissions": ["AI.Ratings.Read"]}}


@pytest.fixture(scope="module")
def lab():
    with Lab(config={"roles": ROLES}) as lab:
        yield lab


def answer(lab, text="Hello there", user="ada"):
    """The ids of a conversation, of its question and of its answer."""
    events = lab.chat(text, user=user)
    conversation = events[-1].data["conversationId"]
    items = lab.get(f"/conversations/{conversation}/messages", user=user).json["items"]
    ids = {row["role"]: row["messageId"] for row in items}
    return conversation, ids["user"], ids["assistant"]


def rate(lab, conversation, message, user="ada", **more):
    return lab.post("/ratings", {"conversationId": conversation, "messageId": message,
                                 "value": "good", **more}, user=user)


def seen(lab, query=""):
    return lab.get(f"/rated-answers?pageSize=100{query}", user="zoe", groups=["quality"])


def test_an_answer_is_rated(lab):
    conversation, _, message = answer(lab, "Why is the sky blue?")
    made = rate(lab, conversation, message)
    row = made.json
    assert (made.status, row["value"], row["reasons"], row["comment"]) == (201, "good", None, None)
    meta = lab.get(f"/conversations/{conversation}/messages", user="ada").json["items"]
    meta = next(one for one in meta if one["messageId"] == message)
    assert (row["workspaceId"], row["turnId"]) == (meta["workspaceId"], meta["turnId"])
    assert (row["model"], row["finishReason"]) == (
        meta["metadata"]["model"], meta["metadata"]["finish_reason"])
    again = rate(lab, conversation, message, value="bad")
    assert (again.status, again.json["field"]) == (409, "messageId")
    path = f"/ratings/{row['id']}"
    bad = lab.call("PATCH", path, {"value": "bad", "reasons": ["wrong", "slow"],
                                   "comment": "It is not.", "withText": True}, user="ada").json
    assert (bad["value"], bad["reasons"], bad["question"]) == (
        "bad", ["wrong", "slow"], "Why is the sky blue?")
    assert bad["answer"] == meta["content"]
    assert lab.get(f"/ratings?conversationId={conversation}&value=bad",
                   user="ada").json["totalCount"] == 1
    other = wait_until("the user is noted, behind the answer", lambda: next(
        (one for one in seen(lab).json["items"] if one["messageId"] == message and one["user"]),
        None))
    assert (other["user"], other["comment"]) == ("ada", "It is not.")
    one = lab.get(f"/rated-answers/{other['id']}", user="zoe", groups=["quality"]).json
    assert (one["question"], one["answer"]) == ("Why is the sky blue?", meta["content"])
    hidden = lab.call("PATCH", path, {"withText": False}, user="ada").json
    assert (hidden["question"], hidden["answer"]) == (None, None)
    one = lab.get(f"/rated-answers/{other['id']}", user="zoe", groups=["quality"]).json
    assert (one["question"], one["answer"]) == (None, None)
    assert lab.call("DELETE", path, user="ada").status == 204
    assert message not in str(seen(lab).json)


def test_what_is_no_answer(lab):
    conversation, question, message = answer(lab)
    other, _, elsewhere = answer(lab)
    for given, field in (({"messageId": question}, "messageId"),
                         ({"messageId": elsewhere}, "messageId"),
                         ({"messageId": "x"}, "messageId"),
                         ({"messageId": f"{conversation}.999"}, "messageId"),
                         ({"messageId": f"{conversation}.0"}, "messageId"),
                         ({"value": "godo"}, "value"), ({"value": None}, "value"),
                         ({"reasons": ["wrnog"]}, "reasons"), ({"reasons": "wrong"}, "reasons"),
                         ({"comment": 2001 * "x"}, "comment"), ({"withText": 1}, "withText"),
                         ({"answer": "x"}, "answer"), ({"model": "x"}, "model")):
        made = rate(lab, conversation, given.pop("messageId", message), **given)
        assert (made.status, made.json.get("field")) == (422, field), made
    # Nobody else's, also not with ids of one's own.
    for ids in ((conversation, message), (other, message)):
        assert rate(lab, *ids, user="eve").status == 404
    mine, _, _ = answer(lab, user="eve")
    assert rate(lab, mine, message, user="eve").json["field"] == "messageId"
    row = rate(lab, conversation, message).json
    for method in ("GET", "PATCH", "DELETE"):
        body = {"value": "bad"} if method == "PATCH" else None
        assert lab.call(method, f"/ratings/{row['id']}", body, user="eve").status == 404
    assert lab.get("/ratings", user="eve").json["items"] == []


def test_who_sees_all(lab):
    conversation, _, message = answer(lab, "Something private")
    row = rate(lab, conversation, message, value="bad", comment="Mine.").json
    for path in ("/rated-answers", f"/rated-answers/{row['id']}"):
        assert lab.get(path, user="ada").status == 403
    assert "private" not in str(seen(lab).json)
    assert seen(lab, "&value=good,bad").json["totalCount"] >= 1
    assert all(one["value"] == "bad" for one in seen(lab, "&value=bad").json["items"])
    for method in ("PATCH", "DELETE"):
        assert lab.call(method, f"/rated-answers/{row['id']}", {}, user="zoe",
                        groups=["quality"]).status in (404, 405)
    assert "Mine." in lab.command("export", "--user", "ada").stdout
    assert lab.call("DELETE", f"/conversations/{conversation}", user="ada").status == 204
    wait_until("it is gone", lambda: message not in str(seen(lab).json), deadline_s=90)


def test_a_copied_answer(lab):
    conversation, _, message = answer(lab, "Copy this")
    copy = lab.post(f"/conversations/{conversation}/fork", {"messageId": message},
                    user="ada").json["conversationId"]
    copied = wait_until("it is copied", lambda: [
        one for one in lab.get(f"/conversations/{copy}/messages", user="ada").json["items"]
        if one["role"] == "assistant"])[0]["messageId"]
    row = rate(lab, copy, copied, withText=True).json
    assert (row["turnId"], row["question"]) == (None, None) and row["answer"]
