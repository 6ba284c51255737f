# SPDX-License-Identifier: MIT
"""The model is asked while the begin of a turn is being committed (turn/commit.h)."""

import contextlib
import os
import subprocess
import threading

import pytest

from lab import wait_until

pytestmark = pytest.mark.threads


@contextlib.contextmanager
def commits_held():
    """Until the end the server commits nothing, as with a disk that does not answer."""
    client = subprocess.Popen(
        ["mariadb", "--socket", os.environ["LAMPLIGHTER_TEST_DB_SOCKET"],
         "--user", os.environ["LAMPLIGHTER_TEST_DB_ROOT"],
         "--batch", "--skip-column-names", "--unbuffered"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        client.stdin.write("BACKUP STAGE START; BACKUP STAGE BLOCK_COMMIT;"
                           " SELECT 'held';\n")
        client.stdin.flush()
        assert client.stdout.readline() == "held\n"
        yield
    finally:
        client.stdin.close()
        client.wait()


class Sending(threading.Thread):
    """A message whose answer is read by a thread; only its status is waited for."""

    def __init__(self, lab, body):
        super().__init__()
        self.lab, self.body = lab, body
        self.status, self.events = None, []
        self.start()

    def run(self):
        stream = self.lab.stream("/chat/lab/stream", self.body, user="ada")
        self.status = stream.status
        self.events = stream.events()


def asked(lab, text):
    """Waits until the model has been asked this."""
    got = []

    def look():
        got.extend(lab.sent())
        return any(text in str(r["messages"][-1]) for r in got)
    wait_until("the model is asked", look)


def committing(lab):
    """Ids of the connections whose COMMIT does not end."""
    return [id for [id] in lab.sql(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE DB ="
        f" '{lab.database}' AND STATE LIKE 'Waiting for backup lock%'")]


def thread_of(lab, conversation):
    return [m["content"] for m in lab.get(f"/conversations/{conversation}/messages",
                                          user="ada").json["items"]]


@pytest.mark.parametrize("again", [False, True])
def test_nothing_is_sent_before_the_commit(lab, again):
    """... but the model has been asked: of a new conversation and of an old one."""
    body = {"content": "Is this kept?"}
    first = lab.chat("First.")[-1].data
    if again:
        body["conversationId"] = first["conversationId"]
    lab.sent()
    with commits_held():
        sending = Sending(lab, body)
        asked(lab, "Is this kept?")
        assert committing(lab)
        assert sending.status is None
    sending.join()
    assert [e.name for e in sending.events][-1] == "done"
    assert "user-message" in [e.name for e in sending.events]
    thread = thread_of(lab, sending.events[-1].data["conversationId"])
    assert thread[1] == "Is this kept?" and len(thread) == (4 if again else 2)


def test_an_answer_whose_question_is_not_kept_is_an_error(lab):
    first = lab.chat("First.")[-1].data
    conversation = first["conversationId"]
    with commits_held():
        sending = Sending(lab, {"content": "Is this kept?",
                                "conversationId": conversation})
        asked(lab, "Is this kept?")
        ids = wait_until("the commit waits", lambda: committing(lab))
        for id in ids:
            lab.sql(f"KILL {id}", database="")
        # The turn's end waits like its begin did.
        wait_until("they are gone", lambda: not set(ids) & set(committing(lab)))
    sending.join()
    assert sending.events[-1].name == "error"
    assert sending.events[-1].data["content"] != first["content"]
    # What the model has said is taken back.
    tokens = [e.name for e in sending.events if e.name.startswith("token")]
    assert not tokens or tokens[-1] == "token-reset"
    assert len(thread_of(lab, conversation)) == 2
    # The conversation is free.
    assert lab.chat("Next.", conversationId=conversation)[-1].name == "done"
    assert len(thread_of(lab, conversation)) == 4
