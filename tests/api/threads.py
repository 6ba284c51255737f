# SPDX-License-Identifier: MIT
"""A conversation whose answers are replaced, and what must hold of it."""

import json

import pytest


def say(text, **more):
    return "!script " + json.dumps({"text": text, **more})


class Thread:
    """One conversation, and what a client does with it."""

    def __init__(self, lab, user="ada"):
        self.lab, self.user = lab, user
        self.id = lab.post("/conversations", {"workspaceId": "lab"},
                           user=user).json["conversationId"]

    @property
    def path(self):
        return f"/conversations/{self.id}"

    def send(self, content):
        events = self.lab.stream("/chat/lab/stream", {
            "content": content, "conversationId": self.id},
            user=self.user).events()
        assert events[-1].name in ("done", "error"), events
        return events

    def redo(self, what, body, user=None, query=""):
        return self.lab.stream(f"{self.path}/{what}{query}", body,
                               user=user or self.user)

    def regenerate(self, message=None, **body):
        if message:
            body["messageId"] = message["messageId"]
        return told(self.redo("regenerate", body))

    def edit(self, message, content):
        return told(self.redo("edit", {"messageId": message["messageId"],
                                       "content": content}))

    def choose(self, variant):
        answer = self.lab.post(f"{self.path}/variants", {"variantId": variant},
                               user=self.user)
        assert answer.status == 200, answer
        return answer.json

    def variants(self, message, query=""):
        answer = self.lab.get(f"{self.path}/variants?messageId="
                              f"{message['messageId']}{query}", user=self.user)
        assert answer.status == 200, answer
        return answer.json

    def rows(self, size=100):
        items, cursor = [], ""
        while cursor is not None:
            page = self.lab.get(f"{self.path}/messages?include=steps"
                                f"&pageSize={size}&cursor="
                                + cursor, user=self.user).json
            items += page["items"]
            cursor = page["nextCursor"]
        return items[::-1]

    def oldest_first(self, size=100):
        items, cursor = [], ""
        while cursor is not None:
            page = self.lab.get(
                f"/workspaces/lab/agents/helper{self.path}/messages"
                f"?include=steps&pageSize={size}&cursor={cursor}", user=self.user).json
            items += page["items"]
            cursor = page["nextCursor"]
        return items

    def said(self):
        """(role, text) of the thread; a script stands for its text."""
        return [(r["role"][0], plain(r["content"])) for r in self.rows()]

    @property
    def record(self):
        return self.lab.get(self.path, user=self.user).json


def told(stream):
    assert stream.status == 200, stream.response.read()
    return stream.events()


def plain(content):
    if content.startswith("!script "):
        return json.loads(content.removeprefix("!script "))["text"]
    return content


def place(message):
    return message.get("variantIndex"), message.get("variantCount")


def sound(thread):
    """What must hold of a conversation whatever was done to it."""
    record = thread.record      # a dead turn is closed by it
    rows = thread.rows()
    assert record["messageCount"] == len(rows)
    assert record["runningTurnId"] is None
    assert [r["messageId"] for r in thread.rows(2)] == [
        r["messageId"] for r in rows]
    assert [r["messageId"] for r in thread.oldest_first(2)] == [
        r["messageId"] for r in rows]
    seqs = [int(r["messageId"].rsplit(".", 1)[1]) for r in rows]
    assert seqs == sorted(set(seqs))
    for row in rows:
        if "variantCount" in row:
            listed = thread.variants(row)
            assert listed["totalCount"] == row["variantCount"]
            current = [i for i, v in enumerate(listed["items"], 1)
                       if v["current"]]
            assert current == [row["variantIndex"]]
    return rows


@pytest.fixture
def thread(lab):
    return Thread(lab)
