# SPDX-License-Identifier: MIT
"""What web servers do to turns: leave them, restart, stop, kill, fall silent."""

import http.client
import json
import os
import signal
import time
from datetime import datetime, timezone

import pytest

from lab import Stream, wait_until
from web import KINDS, Deployment

SHORT = {"tokens": 40, "rate": 20}	# two seconds
LONG = {"tokens": 2000, "rate": 20}
SPAWNS = [kind for kind, cls in KINDS.items() if cls.spawns]


def begin(site, script, workspace="lab"):
    """A stream that has brought its first token, its ids and its events."""
    stream = site.stream(f"/chat/{workspace}/stream",
                         {"content": "!script " + json.dumps(script)})
    assert stream.status == 200, stream.response.read()
    events = iter(stream)
    first = next(events)
    for event in events:
        if event.name == "token":
            return stream, first.data, events
    raise AssertionError("no token")


def rest(stream, events):
    """The last event, or None when the stream was cut."""
    last = None
    try:
        for last in events:
            pass
    except (OSError, ValueError, http.client.HTTPException):
        last = None
    stream.close()
    return last if last and last.name in ("done", "error") else None


def free_again(site, first):
    """The conversation takes the next message."""
    assert site.chat({"text": "next"}, conversationId=first["conversationId"]
                     )[-1].name == "done"


def is_whole(text):
    """Whether it is all of SHORT, and not a part."""
    return len(text) > 150


@pytest.mark.parametrize("kind", KINDS)
def test_turn_outlives_its_client(make_site, ended, kind):
    site = make_site(kind)
    stream, first, _ = begin(site, SHORT)
    stream.close()
    status, text = ended(first)
    assert status == "done" and is_whole(text), (status, text)
    free_again(site, first)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_leaves_is_seen(make_site, ended, kind):
    """By streams of OpenAI clients, which end with theirs."""
    site = make_site(kind)
    stream = site.stream("//chat/openai/v1/chat/completions", {
        "model": "lab", "stream": True, "messages": [{
            "role": "user", "content": "!script " + json.dumps(LONG)}]})
    assert stream.status == 200, stream.response.read()
    first = next(event.data for event in stream)
    stream.close()
    # By itself it would take 100 seconds.
    status, _ = ended({"turnId": first["id"].removeprefix("chatcmpl-")})
    assert status == "cancelled"


@pytest.mark.parametrize("kind", KINDS)
def test_task_runs_on_behind_its_answer(make_site, ended, kind):
    site = make_site(kind)
    answer = site.post("/tasks", {"workspaceId": "lab", "content":
                                  "!script " + json.dumps(SHORT)})
    answered = datetime.now(timezone.utc)
    assert answer.status == 202, answer
    status, text = ended(answer.json)
    assert status == "done" and is_whole(text), (status, text)
    end = site.get(f"/turns/{answer.json['taskId']}").json["endedAt"]
    assert answered < datetime.fromisoformat(end)
    free_again(site, answer.json)


@pytest.mark.parametrize("kind", KINDS)
def test_notifications_come_as_they_are_made(make_site, kind):
    site = make_site(kind)
    stream = Stream(*site.open("GET", "/notifications"))
    events = iter(stream)
    ready = next(events)
    assert ready.name == "ready"
    if kind in ("apache-fcgid", "apache-cgi"):
        # It would keep a process: it ends, and says when to come again.
        assert list(events) == [] and stream.response.headers["Retry-After"] == "20"
        site.post("/conversations", {"workspaceId": "lab"})
        wait_until("the notice", lambda: site.get(
            f"/notifications?wait=20&after={ready.id}").json["items"])
        return
    for _ in range(3):
        began = time.monotonic()
        made = site.post("/conversations", {"workspaceId": "lab"}).json
        for event in events:	# others of this user's may come as well
            if event.data.get("conversationId") == made["conversationId"]:
                break
        assert time.monotonic() - began < 10	# held back: a comment's 15 s
    last = int(event.id)
    stream.close()
    page = site.get(f"/notifications?wait=0&after={last - 1}").json
    assert page["items"][0]["data"] == event.data
    made = site.post("/conversations", {"workspaceId": "lab"}).json
    told, give_up = [], time.monotonic() + 20
    while made["conversationId"] not in told:   # nor need it be the first here
        assert time.monotonic() < give_up
        page = site.get(f"/notifications?wait=20&after={page['lastId']}").json
        told = [item["data"].get("conversationId") for item in page["items"]]


@pytest.mark.parametrize("kind", ("apache-fcgid", "apache-cgi"))
def test_a_process_that_is_one_too_many_is_given_back(make_site, kind):
    """The store knows how many answers are open; it is asked after the first token."""
    with Deployment(workspaces={"lab": {"workspace": "lab", "name": "Lab"}},
                    config={"server": {"workers": 2}}) as own:
        site = make_site(kind, deployment=own)
        stays, one, _ = begin(site, LONG)
        leaves, two, events = begin(site, LONG)
        began = time.monotonic()
        assert "done" not in [event.name for event in events]
        assert time.monotonic() - began < 30		# of the 100 s of its turn
        for turn in one, two:
            assert site.get(f"/turns/{turn['turnId']}").json["status"] == "running"
            site.post(f"/turns/{turn['turnId']}/cancel", {})
        stays.close()
        leaves.close()
        site.__exit__()


@pytest.mark.parametrize("kind", KINDS)
def test_who_comes_back_misses_nothing(make_site, ended, kind):
    """A stream that is cut and continued, and long polls of all of it; where
    each request is a process, all of them read what the turn's has stored."""
    site = make_site(kind)
    task = site.post("/tasks", {"workspaceId": "lab", "content":
                                "!script " + json.dumps(SHORT)}).json
    path = f"/turns/{task['turnId']}/events"
    streamed, last = "", 0
    while last is not None:
        stream = Stream(*site.open("GET", path, headers={
            "Last-Event-ID": str(last)}))
        assert stream.status == 200
        for event in stream:
            assert int(event.id) > last
            last = int(event.id)
            if event.name == "done":
                last = None
                break
            if event.name == "token":
                streamed += event.data["delta"]
                if len(streamed) % 3 == 0:
                    break
        stream.close()
    polled, after, page = "", 0, {"done": False}
    while not page["done"]:
        page = site.get(f"{path}?wait=5&after={after}").json
        for item in page["items"]:
            assert item["id"] > after
            after = item["id"]
            polled += item["data"]["delta"] if item["event"] == "token" else ""
    status, text = ended(task)
    assert status == "done" and streamed == polled == text, (streamed, polled)
    assert site.get(f"{path}?after={after}").status == 204


@pytest.mark.parametrize("kind", KINDS)
def test_stop_takes_effect_at_once(make_site, ended, kind):
    """The request to stop may meet another process than the turn's."""
    site = make_site(kind)
    stream, first, events = begin(site, LONG)
    assert site.post(f"/turns/{first['turnId']}/cancel", {}).status == 202
    last = rest(stream, events)
    assert last.data["metadata"]["finish_reason"] == "cancelled"
    status, text = ended(first)
    assert status == "cancelled" and text == last.data["content"] and text
    free_again(site, first)


@pytest.mark.parametrize("kind", KINDS)
def test_title_comes_after_the_answer(make_site, kind):
    """The answer's end waits for nothing; what comes after it is done as well."""
    site = make_site(kind)
    words = "Where does the lamp burn"
    done = site.chat(words, workspace="titled")[-1]
    conversation = f"/conversations/{done.data['conversationId']}"
    # The model takes a while for a title: it cannot be there yet.
    assert site.get(conversation).json["title"] == words
    try:
        wait_until("the model's title",
                   lambda: site.get(conversation).json["title"] != words)
    except AssertionError:
        print(site.log("web"), site.responders())
        raise


@pytest.mark.parametrize("kind", KINDS)
def test_graceful_restart(make_site, ended, kind):
    """Running turns finish; mod_fcgid ends them, then what there is is kept."""
    site = make_site(kind)
    stream, first, events = begin(
        site, LONG if kind == "apache-fcgid" else SHORT)
    site.signal(site.reload_signal)
    last = rest(stream, events)
    status, text = ended(first)
    if kind == "apache-fcgid":
        assert status == "interrupted" and text, status
    else:
        assert last and last.name == "done" and last.data["content"] == text
        assert status == "done" and is_whole(text)
    wait_until("requests after it", lambda: answers(site))
    free_again(site, first)


def answers(site):
    try:
        return site.get("/health").status == 200
    except OSError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_stop_of_the_web_server_loses_nothing(make_site, ended, kind):
    """The client is cut off; the turn ends by itself."""
    site = make_site(kind)
    stream, first, events = begin(site, SHORT)
    site.stop("web")
    rest(stream, events)
    status, text = ended(first)
    if kind == "apache-fcgid":	# which kills what does not end at once
        assert status in ("done", "interrupted") and text
    else:
        assert status == "done" and is_whole(text)
    site.start_web()
    free_again(site, first)


def test_killed_web_server_loses_nothing(make_site, ended):
    """SIGKILL, in the middle of a turn with a tool call."""
    site = make_site("lighttpd")
    call = {"name": "query_data", "args": {"dataset": "tickets", "limit": 1}}
    stream, first, events = begin(site, {
        "narration": "Let me look.", "tool_calls": [call], "then": SHORT})
    site.stop("web", signal.SIGKILL)
    assert rest(stream, events) is None
    site.start_web()
    last = Stream(*site.open(
        "GET", f"/turns/{first['turnId']}/events")).events()[-1]
    status, text = ended(first)
    assert status == "done" and is_whole(text)
    assert last.data["content"] == text
    free_again(site, first)


@pytest.mark.parametrize("kind", KINDS)
def test_gentle_stop_lets_turns_finish(make_site, ended, kind):
    site = make_site(kind)
    stream, first, events = begin(site, SHORT)
    site.signal(site.gentle_signal)
    last = rest(stream, events)
    status, text = ended(first)
    if kind != "apache-fcgid":
        assert last and last.name == "done"
        assert status == "done" and is_whole(text)
    assert status in ("done", "interrupted") and text


@pytest.mark.parametrize("kind", ["nginx"])
def test_responder_that_is_stopped_drains(make_site, kind):
    with Deployment(workspaces={"lab": {"workspace": "lab", "name": "Lab"}}
                    ) as own:
        site = make_site(kind, deployment=own)
        stream, first, events = begin(site, SHORT)
        assert own.stop("responder", deadline_s=30) == 0
        assert rest(stream, events).name == "done"
        assert site.get("/health").status == 502
        own.start_responder()
        free_again(site, first)
        site.__exit__()


@pytest.mark.parametrize("kind", SPAWNS)
def test_terminated_responder_stores_what_there_is(make_site, ended, kind):
    """SIGTERM to the process itself, as a host does that wants it gone."""
    site = make_site(kind)
    stream, first, events = begin(site, LONG)
    wait_until("some text", lambda: next(events).name == "token")
    for pid in site.responders():
        os.kill(pid, signal.SIGTERM)
    last = rest(stream, events)
    status, text = ended(first)
    assert status == "interrupted" and text
    if last:
        assert last.data["content"] == text
    wait_until("requests after it", lambda: answers(site))
    free_again(site, first)


@pytest.mark.parametrize("kind", SPAWNS)
def test_killed_responder_blocks_nothing(make_site, deployment, kind):
    site = make_site(kind)
    stream, first, events = begin(site, LONG)
    for pid in site.responders():
        os.kill(pid, signal.SIGKILL)
    rest(stream, events)
    # The lease runs out; the test need not wait for the clock.
    deployment.sql("UPDATE turn SET lease_until_us = 1 WHERE id = 0x"
                   + first["turnId"].replace("-", ""))
    wait_until("requests after it", lambda: answers(site))
    turn = site.get(f"/turns/{first['turnId']}").json
    assert turn["status"] == "interrupted"
    free_again(site, first)


@pytest.mark.parametrize("kind", KINDS)
def test_quiet_stream_is_kept_alive(quiet, kind):
    """P-F3: comments, through whatever stands in between."""
    stream = quiet[kind]
    stream.join(120)
    if stream.trouble:
        raise stream.trouble
    assert stream.events and stream.events[-1].name == "done"
    assert stream.events[-1].data["content"] == "at last"
    assert stream.took_s > 40
    # ": ok" at once, then one sign of life every 15 s.
    assert len(stream.comments) >= 3, stream.comments
