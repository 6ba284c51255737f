# SPDX-License-Identifier: MIT
"""Suggestions after an answer: off unless switched on, in the last answer only, and never
more than a text that the user may send."""

import contextlib
import json
import threading

import pytest

from any_provider import Scripted
from lab import Lab, wait_until


class Model(Scripted):
    """Answers, and proposes `proposes` as text once it `may`."""

    def __init__(self):
        super().__init__()
        self.scripts = {"chat": self.answer}
        self.proposes, self.may = "", threading.Event()
        self.may.set()

    def answer(self, body):
        if "Propose what the user may want to say next" not in json.dumps(body["messages"]):
            return "An answer."
        self.may.wait(60)
        return self.proposes


@pytest.fixture(scope="module")
def model():
    with contextlib.closing(Model()) as made:
        yield made


@pytest.fixture(scope="module")
def lab(model):
    with Lab(services={"chat": {"url": model.url("chat"), "model": "chat"}},
             workspaces={"lab": {"workspace": "lab", "name": "Lab", "llm_service": "chat",
                                 "title_by_model": False}}) as lab:
        yield lab


def propose(model, *texts):
    model.proposes = json.dumps({"messages": texts})


def switch_on(lab, user):
    got = lab.call("PATCH", "/settings", {"follow_ups": True}, user=user)
    assert got.status == 200, got


def ask(lab, user, text, conversation=None):
    events = lab.chat(text, user=user,
                      **({"conversationId": conversation} if conversation else {}))
    assert events[-1].name == "done"
    return events[-1].data["conversationId"]


def messages(lab, conversation, user):
    """The newest first."""
    return lab.get(f"/conversations/{conversation}/messages", user=user).json["items"]


def kept(lab, conversation, user):
    return messages(lab, conversation, user)[0]["metadata"].get("followUps")


def calls(lab, conversation):
    return lab.sql("SELECT finish_reason FROM usage_record WHERE kind = 12 AND"
                   f" conversation_id = UNHEX(REPLACE('{conversation}', '-', ''))")


def settled(lab):
    wait_until("work after turns", lambda: lab.sql(
        "SELECT COUNT(*) FROM job WHERE kind = 'after-turn'") == [["0"]])


def test_off_by_default(lab, model):
    propose(model, "More?")
    conversation = ask(lab, "off", "hello")
    settled(lab)
    assert kept(lab, conversation, "off") is None and calls(lab, conversation) == []


def test_kept_with_the_last_answer(lab, model):
    """One line each, without what cannot be seen, none twice, none too long, three at most."""
    propose(model, "  What about\nMay? ", "What about May?", "x" * 121, "",
            "Say it\u202e again", "One", "Two")
    switch_on(lab, "on")
    conversation = ask(lab, "on", "What about June?")
    wait_until("suggestions", lambda: kept(lab, conversation, "on"))
    newest = messages(lab, conversation, "on")[0]
    assert newest["metadata"]["followUps"] == ["What about May?", "Say it again", "One"]
    assert newest["content"] == "An answer." and newest["metadata"]["finish_reason"] == "stop"
    assert calls(lab, conversation) == [["stop"]]
    [sent] = [b for b in model.sent["chat"] if "Propose what" in json.dumps(b)][-1:]
    assert sent["messages"][-1]["content"] == "User: What about June?\n\nAssistant: An answer.\n\n"


def test_what_was_asked_is_not_proposed(lab, model):
    propose(model, "One", "Two")
    switch_on(lab, "same")
    conversation = ask(lab, "same", " One ")
    wait_until("suggestions", lambda: kept(lab, conversation, "same"))
    assert kept(lab, conversation, "same") == ["Two"]


@pytest.mark.parametrize("said", [
    "Sorry, I cannot.", "[1]", '{"messages": "One"}', '{"messages": []}', '{"messages": [1]}',
    '{"messages": ["' + "y" * 500 + '"]}', ""])
def test_answers_that_are_not_usable(lab, model, said):
    model.proposes = said
    switch_on(lab, "bad")
    conversation = ask(lab, "bad", "hello")
    wait_until("a call", lambda: calls(lab, conversation))
    settled(lab)
    assert kept(lab, conversation, "bad") is None


def test_the_next_message_is_not_delayed_and_later_ones_have_none(lab, model):
    """What comes when the user has gone on is for nobody."""
    propose(model, "More?")
    switch_on(lab, "fast")
    model.may.clear()
    try:
        conversation = ask(lab, "fast", "first")
        ask(lab, "fast", "second", conversation)
    finally:
        model.may.set()
    wait_until("suggestions", lambda: kept(lab, conversation, "fast"))
    settled(lab)
    assert [m["metadata"].get("followUps") for m in messages(lab, conversation, "fast")
            if m["role"] != "user"] == [["More?"], None]


def test_the_tenant_forbids_it(lab, model):
    propose(model, "More?")
    lab.command("setting", "set", "follow_ups", "false", "--tenant")
    try:
        switch_on(lab, "forbidden")
        conversation = ask(lab, "forbidden", "hello")
        settled(lab)
        assert calls(lab, conversation) == []
    finally:
        lab.command("setting", "set", "follow_ups", "null", "--tenant")


def test_readers_of_a_shared_chat_get_none(lab, model):
    propose(model, "More?")
    switch_on(lab, "sharer")
    conversation = ask(lab, "sharer", "hello")
    wait_until("suggestions", lambda: kept(lab, conversation, "sharer"))
    lab.sign_in("reader")
    made = lab.post("/conversation-shares", {
        "conversationId": conversation, "user": "reader"}, user="sharer")
    assert made.status == 201, made
    got = lab.get(f"/shared-conversations/{made.json['id']}/messages", user="reader")
    assert got.status == 200 and "More?" not in got.body.decode()
