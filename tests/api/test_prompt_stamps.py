# SPDX-License-Identifier: MIT
"""What usage records say of the prompt that a message was made from (A43)."""

import json
import uuid

import pytest

NOBODY = "0192f000-0000-7000-8000-000000000000"


@pytest.fixture
def who():
    """A user of this test alone."""
    return "u" + uuid.uuid4().hex[:12]


def make(lab, user, **fields):
    answer = lab.post("/prompts", {"name": "P", "body": "Do it.", **fields}, user=user)
    assert answer.status == 201, answer
    return answer.json


def stamps(lab, conversation):
    """What the usage records of a conversation say of the catalogue."""
    rows = lab.sql("SELECT prompts FROM usage_record WHERE conversation_id ="
                   f" UNHEX(REPLACE('{conversation}', '-', '')) ORDER BY created_us")
    return [[(s["name"], s["version"], len(s["hash"])) for s in json.loads(row[0])
             if s["layer"] == "catalogue"] for row in rows]


def test_the_used_prompt_is_stamped(lab, who):
    """By name and version, also of an answer that is made again, never by text."""
    mine = make(lab, who, name="Bees", body="Tell me of bees.")
    lab.call("PATCH", f"/prompts/{mine['id']}", {"body": "Of bees."}, user=who)
    shipped = next(p for p in lab.get("/prompts?pageSize=100", user=who).json["items"]
                   if p["name"] == "Minutes of a meeting")
    events = lab.chat({"text": "Buzz."}, user=who, promptId=mine["id"])
    talk = events[0].data["conversationId"]
    lab.stream(f"/conversations/{talk}/regenerate", {}, user=who).events()
    lab.chat({"text": "x"}, user=who, conversationId=talk, promptId=shipped["id"])
    lab.chat({"text": "x"}, user=who, conversationId=talk)
    of_mine = [("Bees", 2, 32)]
    assert stamps(lab, talk) == [of_mine, of_mine, [("Minutes of a meeting", 3, 32)], []]
    assert lab.get(f"/conversations/{talk}/messages", user=who).json["items"][-1][
        "metadata"]["promptId"] == mine["id"]
    # Gone since: the answer is made all the same.
    again = lab.chat({"text": "x"}, user=who, promptId=mine["id"])
    talk = again[0].data["conversationId"]
    lab.call("DELETE", f"/prompts/{mine['id']}", user=who)
    assert lab.stream(f"/conversations/{talk}/regenerate", {}, user=who
                      ).events()[-1].name == "done"
    assert stamps(lab, talk) == [of_mine, []]


@pytest.mark.parametrize("wrong", ["{bob's}", NOBODY, "x", "", "y" * 37, 7])
def test_no_such_prompt(lab, who, wrong):
    """Another's is as one that there is not; nothing is stored."""
    if wrong == "{bob's}":
        wrong = make(lab, who + "b")["id"]
    answer = lab.post("/chat/lab/stream", {"content": "x", "promptId": wrong}, user=who)
    assert (answer.status, answer.json["field"]) == (422, "promptId"), answer
    assert lab.get("/conversations", user=who).json["items"] == []
