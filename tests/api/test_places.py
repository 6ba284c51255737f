# SPDX-License-Identifier: MIT
"""Answers that stay open take only a part of what the web server has."""

import json
import threading
import time

import pytest

from lab import Stream, Twin, wait_until

ENDLESS = "!script " + json.dumps({"tokens": 100000, "rate": 20})


def brief(answer):
    return answer.headers["Retry-After"]


def listen(lab, query="", **kw):
    stream = Stream(*lab.open("GET", f"/notifications{query}", user=kw.get("user", "ada")))
    assert stream.status == 200
    return stream


def begin(lab, content, user="ada"):
    """A turn's stream, and its first event."""
    stream = lab.stream("/chat/lab/stream", {"content": content}, user=user)
    events = iter(stream)
    return stream, next(events).data


def test_a_quarter_for_notifications(make_lab):
    """Beyond it, a client gets what there is and comes again."""
    lab = make_lab(config={"server": {"workers": 8}})
    kept = [listen(lab, user=user) for user in ("ada", "bob")]
    for stream in kept:
        assert next(iter(stream)).name == "ready" and not brief(stream.response)
    began = time.monotonic()
    late = listen(lab)
    lines = late.response.read().decode()
    assert brief(late.response) == "20" and "retry: 20000\nevent: ready\n" in lines
    assert time.monotonic() - began < 10
    after = lines.partition("id: ")[2].partition("\n")[0]
    # What happens until it comes again is there, in a stream and in a poll.
    made = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    wait_until("the notice", lambda: made["conversationId"] in listen(
        lab, f"?after={after}").response.read().decode())
    page = lab.get(f"/notifications?wait=25&after={after}", user="ada")
    assert brief(page) == "20"
    assert page.json["items"][-1]["data"]["conversationId"] == made["conversationId"]
    # A poll that does not wait takes nothing.
    assert not brief(lab.get("/notifications?wait=0", user="ada"))
    # With events=all, too; the turns are followed one by one then.
    assert "ready" in listen(lab, "?events=all").response.read().decode()
    kept[0].close()
    wait_until("a place", lambda: not brief(lab.get("/notifications?wait=1",
                                                    user="ada")))
    kept[1].close()


def test_none_for_notifications(make_lab):
    lab = make_lab(config={"server": {"notification_percent": 0}})
    assert lab.get("/me", user="ada").json["notifications"] == "poll"
    assert listen(lab).response.read().count(b"event: ready") == 1


def test_processes_of_a_machine_share_them(make_lab):
    lab = make_lab(config={"server": {"workers": 16}})
    held = [listen(lab) for _ in range(4)]
    assert not [1 for s in held if brief(s.response)]
    with Twin(lab, config={"server": {"workers": 16}}) as twin:
        more = [listen(twin) for _ in range(3)]
        assert [bool(brief(s.response)) for s in more] == [False, False, True]
        # The first process notices that there are two now, and gives up its half.
        ended = []
        readers = [threading.Thread(target=lambda s=s: ended.append(list(s)))
                   for s in held]
        for reader in readers:
            reader.start()
        wait_until("its half", lambda: len(ended) == 2, 60)
        for stream in more:
            stream.close()
    lab.stop("responder")	# ends the others
    for reader in readers:
        reader.join()
    for stream in held:
        stream.close()


@pytest.fixture
def full(make_lab):
    """A lab whose web server has a place for one answer, which is taken."""
    lab = make_lab(config={"server": {"workers": 2}})
    stream, first = begin(lab, ENDLESS, user="bob")
    yield lab
    lab.post(f"/turns/{first['turnId']}/cancel", {}, user="bob")
    stream.close()


@pytest.mark.parametrize("before", (0, 2))
def test_a_turn_without_a_place_runs_on(full, before):
    """The first of a process is refused while its begin is committed, later ones by
    the thread that reads the model's answer."""
    for _ in range(before):
        full.stream("/chat/lab/stream", {"content": "one"}, user="ada").events()
    stream = full.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"text": "one two three " * 400, "rate": 120})}, user="ada")
    assert brief(stream.response) == "1"
    events = stream.events()	# to the end of the stream, not of the turn
    assert "done" not in [e.name for e in events]
    [turn] = {e.data["turnId"] for e in events if e.name == "user-message"}
    # Long polls do not wait, and a stream of events ends.
    path = f"/turns/{turn}/events"
    page = full.get(f"{path}?wait=25", user="ada")
    assert brief(page) == "1" and not page.json["done"]
    again = Stream(*full.open("GET", path, user="ada"))
    assert brief(again.response) == "1"
    assert "done" not in [e.name for e in again.events()]
    wait_until("the end", lambda: full.get(f"{path}?wait=0", user="ada").json["done"], 60)
    items = full.get(f"{path}?wait=0", user="ada").json["items"]
    assert items[-1]["event"] == "done"
    assert items[-1]["data"]["content"].startswith("one two three")
    # A turn that follows has a key as before.
    assert full.get(f"/turns/{turn}", user="ada").json["status"] == "done"


def test_who_cannot_poll_is_refused_before_the_turn(full):
    chat = full.post("/" + full.base + "/openai/v1/chat/completions", {
        "model": "lab/helper", "stream": True,
        "messages": [{"role": "user", "content": "x"}]}, user="ada")
    whole = full.post("/chat/lab/complete", {"input": "x"}, user="ada")
    for answer in chat, whole:
        assert answer.status == 503 and int(brief(answer)) > 0, answer
    assert full.get("/conversations", user="ada").json["items"] == []


def test_a_plain_page_comes_in_steps(full):
    task = full.post("/tasks", {"workspaceId": "lab", "content": ENDLESS}, user="ada").json
    began = time.monotonic()
    page = full.call("GET", f"/{full.base}/plain/turns/{task['turnId']}", user="ada")
    assert page.status == 200 and b'http-equiv="refresh"' in page.body.lower()
    assert time.monotonic() - began < 3
    full.post(f"/turns/{task['turnId']}/cancel", {}, user="ada")


def test_a_place_is_free_again(make_lab):
    lab = make_lab(config={"server": {"workers": 2}})
    for _ in range(3):
        stream = lab.stream("/chat/lab/stream", {"content": "x"}, user="ada")
        assert not brief(stream.response)
        assert stream.events()[-1].name == "done"
