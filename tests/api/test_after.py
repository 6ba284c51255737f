# SPDX-License-Identifier: MIT
"""Work after a turn is a job: the title that a model gives is made by the process
that answered, and by another one if that dies in between."""

import contextlib
import signal
import threading

import pytest

from any_provider import Provider
from lab import Lab, wait_until
from labs import KEYS

SAID = "Where is the lamp of the projector"
MADE = "This is titler"		# what the provider says, without its period
JOB = "SELECT attempts, error IS NOT NULL FROM job WHERE kind = 'after-turn'"
DUE = "UPDATE job SET due_us = 1 WHERE kind = 'after-turn'"
NEVER = str(2 ** 63 - 1)


class Titler(Provider):
    """Answers when it is let; `asked` says that a title was asked for."""

    def __init__(self):
        self.asked, self.let = threading.Event(), threading.Event()
        self.status = None
        self.titles = 0
        super().__init__(self.before)

    def before(self, sent):
        if not sent["messages"][-1]["content"].startswith("User: "):
            return None
        self.titles += 1
        self.asked.set()
        self.let.wait(60)
        return self.status

    def hold(self):
        self.asked.clear()
        self.let.clear()


@pytest.fixture(scope="module")
def titler():
    with contextlib.closing(Titler()) as made:
        yield made
        made.let.set()


@pytest.fixture(scope="module")
def lab(titler):
    services = {"titler": {"model": "titler", "url": titler.url, "api_key": "sk-ours"}}
    with Lab(services=services, config={**KEYS, "threads": {"grace_s": 0}, "chat": {
            "llm_service": "auto", "auto": [{"service": "titler", "tasks": ["title"]},
                                            {"service": "demo"}]}}) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(titler, lab):
    titler.status, titler.titles = None, 0
    titler.let.set()
    yield
    titler.let.set()
    lab.sql("DELETE FROM job")


def where(path):
    return f"id = UNHEX('{path.rsplit('/', 1)[1].replace('-', '')}')"


def say(lab, user="ada"):
    [made] = [e.data for e in lab.chat(SAID, user=user) if e.name == "user-message"]
    return f"/conversations/{made['conversationId']}"


def title(lab, path, user="ada"):
    return lab.get(path, user=user).json["title"]


def settled(lab):
    wait_until("no job is there", lambda: lab.sql(JOB) == [])


def resume(lab):
    """The lease is over. Where a responder runs, it may be faster than the command."""
    lab.sql(DUE)
    lab.command("work")
    settled(lab)


@contextlib.contextmanager
def killed(lab, titler, user="ada", sig=signal.SIGKILL):
    """A conversation whose process ends while the model is asked for its title."""
    titler.hold()
    path = say(lab, user)
    assert title(lab, path, user) == SAID
    assert titler.asked.wait(30)
    lab.stop("responder", sig=sig)
    titler.let.set()
    try:
        yield path
    finally:
        if "responder" not in lab.processes:
            lab.start_responder()


def payers(lab, path):
    return lab.sql("SELECT payer FROM usage_record WHERE kind = 3 AND "
                   + where(path).replace("id", "conversation_id", 1))


def test_who_answered_makes_it(lab):
    path = say(lab)
    wait_until("the title is made", lambda: title(lab, path) == MADE)
    settled(lab)
    assert payers(lab, path) == [["1"]]


def test_another_process_makes_it(lab, titler):
    with killed(lab, titler) as path:
        lab.command("work")		# the lease is not over
        assert lab.sql(JOB) == [["1", "0"]]
        assert lab.sql(f"SELECT title FROM conversation WHERE {where(path)}") == [[SAID]]
        resume(lab)
        lab.start_responder()
        assert title(lab, path) == MADE
        # What the first attempt cost is not known.
        assert payers(lab, path) == [["1"]]


def test_a_process_that_is_stopped_hands_it_over(lab, titler):
    with killed(lab, titler, sig=signal.SIGTERM) as path:
        assert lab.sql(JOB) == [["0", "0"]]
        lab.command("work")
        settled(lab)
        lab.start_responder()
        assert title(lab, path) == MADE


def test_a_title_of_a_person_stays(lab, titler):
    with killed(lab, titler) as path:
        lab.start_responder()
        lab.call("PATCH", path, {"title": "Mine"}, user="ada")
        resume(lab)
        assert title(lab, path) == "Mine" and titler.titles == 1


def test_a_deleted_conversation_has_none(lab, titler):
    with killed(lab, titler) as path:
        lab.start_responder()
        assert lab.call("DELETE", path, user="ada").status == 204
        resume(lab)
        assert titler.titles == 1


def test_the_key_that_paid_for_the_turn_pays(lab, titler):
    made = lab.post("/provider-instances", {
        "displayName": "Mine", "providerId": "openai_compatible", "model": "titler",
        "url": titler.url, "apiKey": "sk-of-eve"}, user="eve")
    assert made.status == 201, made
    at = f"/provider-instances/{made.json['id']}"
    with killed(lab, titler, "eve") as path:
        titler.keys.clear()
        resume(lab)
        lab.start_responder()
        assert title(lab, path, "eve") == MADE
        assert titler.keys == ["sk-of-eve"]
        assert payers(lab, path) == [["3"]]
    with killed(lab, titler, "eve") as path:
        lab.start_responder()
        lab.call("DELETE", at, user="eve")
        titler.keys.clear()
        resume(lab)
        assert titler.keys == []
        assert title(lab, path, "eve") == SAID


def test_a_model_that_fails_is_asked_three_times(lab, titler):
    titler.status = 503
    path = say(lab)
    for attempt in range(1, 4):
        wait_until("it is put back", lambda: lab.sql(JOB) == [[str(attempt), "1"]])
        if attempt < 3:
            lab.sql(DUE)
            lab.command("work")
    # The error of the second attempt stays until the third has ended.
    wait_until("it is given up", lambda: lab.sql(
        "SELECT due_us FROM job WHERE kind = 'after-turn'") == [[NEVER]])
    assert title(lab, path) == SAID and titler.titles == 3


def test_a_model_that_refuses_is_not_asked_again(lab, titler):
    titler.status = 401
    path = say(lab)
    wait_until("it was asked", lambda: titler.titles == 1)
    settled(lab)
    assert title(lab, path) == SAID


def cgi(lab):
    return lab.cgi("/chat/lab/stream", {"content": SAID})


def newest(lab):
    return lab.sql("SELECT title FROM conversation ORDER BY created_us DESC LIMIT 1")


def test_plain_cgi(lab, titler):
    with cgi(lab) as process:
        said = process.stdout.read()
    assert b"event: done" in said, said
    settled(lab)
    assert newest(lab) == [[MADE]]
    titler.hold()
    with cgi(lab) as process:
        assert titler.asked.wait(30)
        process.kill()
    assert lab.sql(JOB) == [["1", "0"]] and newest(lab) == [[SAID]]
    titler.let.set()
    resume(lab)
    assert newest(lab) == [[MADE]]
