# SPDX-License-Identifier: MIT
"""GET /notifications: one stream per user, from every process, for nobody else."""

import json
import os
import signal
import threading
import time

import pytest

from lab import Stream, Twin, wait_until

pytestmark = pytest.mark.threads

ENDLESS = {"tokens": 20000, "rate": 50}


def listen(lab, query="", user="ada", headers=None, timeout_s=30):
    stream = Stream(*lab.open("GET", f"/notifications{query}", user=user,
                              headers=headers, timeout_s=timeout_s))
    assert stream.status == 200, stream.response.read()
    return stream


def opened(lab, query="", **kw):
    """A stream that is live: its first event has come. With its iterator."""
    stream = listen(lab, query, **kw)
    events = iter(stream)
    ready = next(events)
    assert ready.name == "ready" and ready.data == {}
    return stream, events, int(ready.id)


def poll(lab, query, user="ada"):
    answer = lab.get(f"/notifications?{query}", user=user)
    assert answer.status == 200, answer
    return answer.json


def task(lab, script, user="ada", **fields):
    answer = lab.post("/tasks", {"workspaceId": "lab", "content":
                                 "!script " + json.dumps(script), **fields},
                      user=user)
    assert answer.status == 202, answer
    return answer.json


def make(lab, user="ada", **fields):
    return lab.post("/conversations", {"workspaceId": "lab", **fields},
                    user=user).json["conversationId"]


def until(events, name, **data):
    """Reads on to an event; all that were read, it last."""
    seen = []
    for event in events:
        seen.append(event)
        if event.name == name and data.items() <= event.data.items():
            return seen
    raise AssertionError(f"no {name} {data} in {seen}")


def test_tells_what_turns_do(lab):
    stream, events, start = opened(lab)
    t = task(lab, {"text": "hello"})
    seen = until(events, "turn-status", turnId=t["turnId"], status="done")
    stream.close()
    told = [(e.name, e.data) for e in seen
            if e.data.get("conversationId") == t["conversationId"]]
    status = {"turnId": t["turnId"], "conversationId": t["conversationId"]}
    assert told == [
        ("conversation", {"conversationId": t["conversationId"], "change":
                          "created", "title": told[0][1]["title"]}),
        ("turn-status", {**status, "status": "running"}),
        ("turn-status", {**status, "status": "done"})]
    assert [int(e.id) for e in seen] == list(range(start + 1,
                                                   start + 1 + len(seen)))


@pytest.mark.parametrize("query", ["", "?events=all", "?events=all&dialect=forge"])
def test_retry_is_in_the_block_of_the_first_event(lab, query):
    """Some clients take a block of its own for an event."""
    stream = listen(lab, query)
    task(lab, {"text": "hello"})
    blocks = [[]]
    while len(blocks) < 4:
        line = stream.response.readline().decode().rstrip("\n")
        if line:
            blocks[-1].append(line)
        else:
            blocks.append([])
    stream.close()
    comment, first, second = ([line.partition(":")[0] for line in b] for b in blocks[:3])
    assert comment == [""]
    assert first[:2] == ["retry", "event"] and first[-1] == "data", blocks
    assert second[0] == "event", blocks


@pytest.mark.parametrize("script", [
    {"text": "hello"}, {"tokens": 400, "rate": 400},
    {"error": {"status": 401, "body": "no"}}])
def test_the_end_of_a_turn_is_told_behind_its_last_event(lab, script):
    stream, events, _ = opened(lab, "?events=all")
    for _ in range(4):
        turn = task(lab, script)["turnId"]
        ends = "error" if "error" in script else "done"
        seen = until(events, "turn-status", turnId=turn, status=ends)
        told = of_turn(seen, turn)
        assert told and told[-1][1] == ends, [name for _, name, _ in told]
        assert texts(told) == texts(alone(lab, turn))
    stream.close()


@pytest.mark.parametrize("script,last", [
    ({"text": "x"}, "Completed"), ({"error": {"status": 401, "body": "no"}}, "Failed")])
def test_forge_tells_each_status_once(lab, script, last):
    events = iter(stream := listen(lab, "?events=all&dialect=forge"))
    turn = task(lab, script)["turnId"]
    after, said = None, []
    while not after or not said or said[-1][1][0] != after:
        event = next(events)
        said.append((event.name, event.data["Fields"]))
        if event.name in ("AIMessageComplete", "AIStreamError") and not after:
            after = task(lab, {"text": "next"})["turnId"]
    stream.close()
    statuses = [fields[2] for name, fields in said
                if name == "AITaskStatusChanged" and fields[0] == turn]
    assert statuses.count("Running") == 1 and statuses.count(last) == 1, statuses


def test_forge_tells_no_wait_that_is_over(lab):
    """What a page answers at once has run before the stream looks again."""
    events = iter(stream := listen(lab, "?events=all&dialect=forge"))
    for _ in range(5):
        turn = lab.chat({"tool_calls": [{"name": "ask_user", "args": {
            "question": "Which?", "options": ["one", "two"]}}],
            "then": {"text": "fine"}})
        [ask] = [e.data for e in turn if e.name == "clarification"]
        lab.stream(f"/turns/{ask['turnId']}/tool-results", {"results": [
            {"toolCallId": ask["toolCallId"], "result": {"choice": "A"}}]},
            user="ada").events()
        said = []
        while not said or said[-1] != "Completed":
            event = next(events)
            if event.name == "AITaskStatusChanged" and \
                    event.data["Fields"][0] == ask["turnId"]:
                said.append(event.data["Fields"][2])
        assert said in (["Running", "Completed"],
                        ["Running", "Waiting", "Running", "Completed"]), said
    stream.close()


def of_turn(seen, turn):
    """The events of a turn in a stream with events=all, as (id, name, data)."""
    return [(e.data["id"], e.data["event"], e.data["data"]) for e in seen
            if e.name == "turn-event" and e.data["turnId"] == turn]


def ends(events, *turns):
    """Reads on to the last event of each of the turns."""
    seen, open_turns = [], set(turns)
    while open_turns:
        event = next(events)
        seen.append(event)
        if event.name == "turn-event" and event.data["event"] in ("done", "error"):
            open_turns.discard(event.data["turnId"])
    return seen


def alone(lab, turn):
    """The same turn in a stream of its own."""
    page = lab.get(f"/turns/{turn}/events?wait=0", user="ada").json
    assert page["done"]
    return [(i["id"], i["event"], i["data"]) for i in page["items"]]


def texts(told):
    """Neighbouring tokens may come as one."""
    return "".join(d["delta"] for _, name, d in told if name == "token"), \
        [t for t in told if t[1] != "token"]


def test_all_events_of_all_turns(lab):
    """One that runs already, two that begin, and no other user's."""
    before, events, _ = opened(lab)
    first = task(lab, {"tokens": 40, "rate": 20})
    until(events, "turn-status", turnId=first["turnId"], status="running")
    before.close()
    stream, events, _ = opened(lab, "?events=all")
    other = task(lab, {"text": "not ada's"}, user="bob")
    look = {"tool_calls": [{"name": "list_datasets", "args": {}}],
            "then": {"text": "two"}}
    more = [task(lab, s) for s in (look, {"tokens": 3000})]
    turns = [t["turnId"] for t in [first, *more]]
    seen = ends(events, *turns)
    stream.close()
    for turn in turns:
        told = of_turn(seen, turn)
        assert texts(told) == texts(alone(lab, turn))
        assert [t[0] for t in told] == sorted({t[0] for t in told})
    # They have no ids of their own: the position is the notices'.
    ids = [int(e.id) for e in seen]
    assert ids == sorted(ids) and ids[-1] - ids[0] <= len(
        [e for e in seen if e.name != "turn-event"])
    assert not of_turn(seen, other["turnId"])
    assert (first["turnId"], "running") not in [
        (e.data["turnId"], e.data["status"]) for e in seen if e.name == "turn-status"]
    assert {e.data["status"] for e in seen if e.name == "turn-status"} >= {
        "running", "done"}


def test_all_events_of_a_turn_of_another_process(lab):
    with Twin(lab) as twin:
        stream, events, _ = opened(lab, "?events=all")
        t = task(twin, {"tokens": 60, "rate": 60})
        seen = until(events, "turn-status", turnId=t["turnId"], status="done")
        told = of_turn(seen, t["turnId"])
        stream.close()
        assert told[-1][1] == "done"
        assert texts(told) == texts(alone(lab, t["turnId"]))


def test_all_events_of_a_turn_that_waits(make_lab):
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False,
        "agents": [{"id": "a", "tools": ["group:dialog"]}]}})
    stream, events, _ = opened(lab, "?events=all")
    question = {"tool_calls": [{"name": "ask_user", "args": {
        "question": "Which?", "options": ["one", "two"]}}],
        "then": {"text": "fine"}}
    t = task(lab, question)
    seen = []
    while not any(name == "waiting" for _, name, _ in of_turn(seen, t["turnId"])):
        seen.append(next(events))
    [ask] = [d for _, name, d in of_turn(seen, t["turnId"]) if name == "clarification"]
    lab.stream(f"/turns/{t['turnId']}/tool-results", {"results": [
        {"toolCallId": ask["toolCallId"], "result": {"choice": "A"}}]},
        user="ada").events()
    seen += ends(events, t["turnId"])
    stream.close()
    told = of_turn(seen, t["turnId"])
    assert [i for i, _, _ in told] == sorted({i for i, _, _ in told})
    assert [name for _, name, _ in told].count("done") == 1


def test_all_events_of_a_turn_that_is_stopped_while_it_waits(make_lab):
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False,
        "agents": [{"id": "a", "tools": ["group:dialog"]}]}})
    stream, events, _ = opened(lab, "?events=all")
    t = task(lab, {"tool_calls": [{"name": "ask_user", "args": {
        "question": "Which?", "options": ["one", "two"]}}]})["turnId"]
    seen = []
    while not any(name == "waiting" for _, name, _ in of_turn(seen, t)):
        seen.append(next(events))
    assert lab.post(f"/turns/{t}/cancel", {}, user="ada").status == 202
    # What comes first of the next turn comes behind the end of this one.
    seen += until(events, "turn-status", turnId=t, status="cancelled")
    last = task(lab, {"text": "hello"})["turnId"]
    seen += ends(events, last)
    stream.close()
    assert [name for _, name, _ in of_turn(seen, t)].count("done") == 1


def test_all_events_in_forges_words(lab):
    stream = listen(lab, "?events=all&dialect=forge")
    events = iter(stream)
    t = task(lab, {"text": "hello"})
    event = next(e for e in events if e.name == "AIMessageComplete")
    assert event.data["Fields"][:2] == [t["turnId"], t["conversationId"]]
    stream.close()


def test_all_events_have_no_poll(lab):
    for query in ("events=some", "events=all&wait=0"):
        answer = lab.get(f"/notifications?{query}", user="ada")
        assert (answer.status, answer.json["field"]) == (422, "events")


def test_tells_how_far_a_task_is(lab):
    stream, events, _ = opened(lab)
    look = {"name": "list_datasets", "args": {}}
    t = task(lab, {"tool_calls": [look], "then": {
        "tool_calls": [look, look], "then": {"text": "hello"}}})
    seen = until(events, "turn-status", turnId=t["turnId"], status="done")
    stream.close()
    assert [e.data for e in seen if e.name == "job-progress"] == [
        {"jobId": t["taskId"], "status": "running", "done": n, "total": None}
        for n in (1, 2)]


def test_tells_what_becomes_of_conversations(lab):
    stream, events, _ = opened(lab)
    c = make(lab)
    lab.call("PATCH", f"/conversations/{c}", {"title": "Größe 📏"}, user="ada")
    # Deleting takes the title out of what nobody was told yet.
    seen = until(events, "conversation", change="renamed")
    lab.call("DELETE", f"/conversations/{c}", user="ada")
    seen += until(events, "conversation", change="deleted")
    assert [e.data for e in seen] == [
        {"conversationId": c, "change": "created", "title": None},
        {"conversationId": c, "change": "renamed", "title": "Größe 📏"},
        {"conversationId": c, "change": "deleted"}]
    # Its first message gives a conversation its title.
    c = make(lab)
    task(lab, {"text": "x"}, conversationId=c)
    assert until(events, "title")[-1].data["conversationId"] == c
    stream.close()


def test_tells_that_turns_wait(make_lab):
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False,
        "agents": [{"id": "a", "tools": ["group:dialog"]}]}})
    stream, events, _ = opened(lab)
    question = {"tool_calls": [{"name": "ask_user", "args": {
        "question": "Which?", "options": ["red", "blue"]}}], "then": {"text": "ok"}}
    for end in ("done", "cancelled"):
        t = task(lab, question)
        until(events, "turn-status", turnId=t["turnId"], status="waiting")
        # It still holds its conversation.
        assert lab.get(f"/conversations/{t['conversationId']}", user="ada"
                       ).json["runningTurnId"] == t["turnId"]
        if end == "done":
            wait = lab.get(f"/turns/{t['turnId']}/events?wait=0", user="ada").json[
                "items"][-1]["data"]["for"][0]
            lab.stream(f"/turns/{t['turnId']}/tool-results", {"results": [{
                "toolCallId": wait["toolCallId"], "result": {"answer": "red"}}]},
                user="ada").events()
            until(events, "turn-status", turnId=t["turnId"], status="running")
        else:
            lab.post(f"/turns/{t['turnId']}/cancel", {}, user="ada")
        until(events, "turn-status", turnId=t["turnId"], status=end)
    stream.close()


def test_tells_of_forks_and_variants(lab):
    stream, events, _ = opened(lab)
    first = lab.chat({"text": "one"})[-1].data
    c = first["conversationId"]
    fork = lab.post(f"/conversations/{c}/fork", {"messageId": first["messageId"]},
                    user="ada").json
    made = until(events, "conversation", conversationId=fork["conversationId"])
    assert made[-1].data["title"] == fork["title"]
    again = lab.stream(f"/conversations/{c}/regenerate", {}, user="ada")
    turn = again.events()[-1].data["turnId"]
    until(events, "turn-status", turnId=turn, status="running")
    until(events, "turn-status", turnId=turn, status="done")
    assert lab.post(f"/conversations/{c}/variants", {"variantId": first["messageId"]},
                    user="ada").status == 200
    assert until(events, "refresh")[-1].data == {"what": "messages",
                                                 "conversationId": c}
    stream.close()


def test_tells_what_the_plain_pages_do(lab):
    stream, events, _ = opened(lab)
    c = make(lab)

    def form(what, body):
        answer = lab.call("POST", f"/{lab.base}/plain/conversations/{c}/{what}",
                          body, user="ada", headers={
                              "Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status == 303, answer

    form("rename", "title=Plain")
    assert until(events, "conversation", change="renamed")[-1].data["title"] == "Plain"
    form("delete", "")
    until(events, "conversation", conversationId=c, change="deleted")
    stream.close()


@pytest.mark.parametrize("script,status", [
    ({"error": {"status": 401, "body": "no"}}, "error"), (ENDLESS, "cancelled")])
def test_tells_how_turns_end(lab, script, status):
    stream, events, _ = opened(lab)
    t = task(lab, script)
    until(events, "turn-status", turnId=t["turnId"], status="running")
    if status == "cancelled":
        lab.post(f"/turns/{t['turnId']}/cancel", {}, user="ada")
    until(events, "turn-status", turnId=t["turnId"], status=status)
    stream.close()


def test_tells_the_title_of_a_model(make_lab):
    lab = make_lab(workspaces={"lab": {"workspace": "lab", "name": "Lab",
                                       "title_by_model": True}})
    stream, events, _ = opened(lab)
    lab.post("/tasks", {"workspaceId": "lab", "content": "Where is the lamp"},
             user="ada")
    first = until(events, "conversation", change="created")[-1].data
    title = until(events, "title")[-1].data
    stream.close()
    assert title["conversationId"] == first["conversationId"]
    record = lab.get(f"/conversations/{first['conversationId']}", user="ada").json
    assert title["title"] == record["title"] != first["title"]


def delays_of(lab, events, n):
    """Medians, in seconds: from a change until it is told, and what the request
    for the change took, which is the machine's pace now."""
    told, made = [], []
    for _ in range(n):
        began = time.monotonic()
        c = make(lab)
        made.append(time.monotonic() - began)
        until(events, "conversation", conversationId=c)
        told.append(time.monotonic() - began - made[-1])
    return sorted(told)[n // 2], sorted(made)[n // 2]


def test_comes_at_once_in_the_same_process(lab):
    """Not with the next look at the store, which is 250 ms away at worst."""
    stream, events, _ = opened(lab)
    told, pace = delays_of(lab, events, 12)
    stream.close()
    assert told < 0.05 + 4 * pace, (told, pace)


def test_comes_from_other_processes(lab):
    with Twin(lab) as other:
        stream, events, start = opened(other)
        told, pace = delays_of(lab, events, 8)
        stream.close()
        assert told < 0.5 + 20 * pace, (told, pace)
        # The same numbers everywhere.
        page = poll(lab, f"after={start}&wait=0")
        assert len(page["items"]) == 8 and page["lastId"] == start + 8


def test_goes_on_after_any_number(lab):
    stream, events, start = opened(lab)
    told = []
    for _ in range(5):
        make(lab)
        told += until(events, "conversation")
    stream.close()
    for i, event in enumerate(told):
        for again in (listen(lab, f"?after={event.id}"),
                      listen(lab, headers={"Last-Event-ID": event.id})):
            rest = iter(again)
            assert next(rest).id == event.id
            for want in told[i + 1:]:
                got = next(rest)
                assert (got.id, got.data) == (want.id, want.data)
            again.close()
    page = poll(lab, f"wait=0&after={start}")
    assert [(str(i["id"]), i["event"], i["data"]) for i in page["items"]] == [
        (e.id, e.name, e.data) for e in told]


def test_many_are_told_in_pages(lab):
    _, _, start = opened(lab)
    user = lab.get("/me", user="ada").json["userId"].replace("-", "")
    lab.sql(f"""
        INSERT INTO notification (user_id, seq, kind, word, created_us)
        SELECT x'{user}', {start} + seq, 5, 'x', 9e15 FROM seq_1_to_500;
        UPDATE notification_topic SET last_seq = last_seq + 500
        WHERE user_id = x'{user}'""")
    stream = listen(lab, f"?after={start}")
    ids = [int(e.id) for _, e in zip(range(501), stream)]
    stream.close()
    assert ids == list(range(start, start + 501))
    told, pages = [], 0
    while len(told) < 500:
        page = poll(lab, f"after={told[-1] if told else start}&wait=0")
        told += [i["id"] for i in page["items"]]
        assert page["lastId"] == told[-1]
        pages += 1
    assert told == ids[1:] and pages < 10


@pytest.mark.parametrize("gone", ["some", "all"])
def test_what_has_expired_is_said(make_lab, gone):
    lab = make_lab()
    _, _, start = opened(lab)
    for _ in range(4):
        make(lab)
    wait_until("the notices", lambda: len(poll(
        lab, f"after={start}&wait=0")["items"]) == 4)
    lab.sql("DELETE FROM notification" + (" WHERE seq < 4" if gone == "some" else ""))
    items = poll(lab, f"after={start}&wait=0")["items"]
    assert items[0]["event"] == "refresh" and items[0]["data"] == {"what": "all"}
    assert [i["id"] for i in items] == ([3, 4] if gone == "some" else [4])
    # Nothing is missed by who was there.
    assert poll(lab, "after=4&wait=0") == {"items": [], "lastId": 4}


def test_number_from_elsewhere_is_a_refresh(lab):
    stream = listen(lab, "?after=999999999")
    events = iter(stream)
    ready, lost = next(events), next(events)
    assert lost.name == "refresh" and lost.data == {"what": "all"}
    assert int(lost.id) == int(ready.id) < 999999999
    stream.close()


def test_long_poll(lab):
    last = poll(lab, "wait=0")["lastId"]
    assert poll(lab, f"wait=0&after={last}") == {"items": [], "lastId": last}
    began = time.monotonic()
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(poll(lab, f"wait=20&after={last}")))
    thread.start()
    c = make(lab)
    thread.join(30)
    assert answers and time.monotonic() - began < 15
    assert answers[0]["items"][0]["data"]["conversationId"] == c
    assert answers[0]["lastId"] == last + 1
    began = time.monotonic()
    assert poll(lab, "wait=1")["items"] == []
    assert 0.9 < time.monotonic() - began < 15	# 20 s when nothing is said


def test_forge_has_its_one_case(lab):
    stream = listen(lab, "?dialect=forge")
    events = iter(stream)
    t = task(lab, {"text": "x"})
    seen = [next(events), next(events)]
    stream.close()
    assert [e.name for e in seen] == ["AITaskStatusChanged"] * 2
    assert [e.data for e in seen] == [
        {"Case": "AITaskStatusChanged",
         "Fields": [t["taskId"], t["conversationId"], status]}
        for status in ("Running", "Completed")]


@pytest.mark.parametrize("query,field", [
    ("after=-1", "after"), ("after=x", "after"), ("wait=26", "wait"),
    ("wait=-2", "wait"), ("dialect=v2", "dialect"), ("dialect=x", "dialect")])
def test_bad_queries(lab, query, field):
    answer = lab.get(f"/notifications?{query}", user="ada")
    assert answer.status == 422 and answer.json["field"] == field


def test_head_and_methods(lab):
    assert lab.call("HEAD", "/notifications", user="ada").status == 200
    assert lab.post("/notifications", {}, user="ada").status == 405


# -- nobody else's ------------------------------------------------------------------


def test_scopes_see_nothing_of_each_other(lab):
    """Another user, the same login of another tenant, another team."""
    with Twin(lab, config={"identity": {**lab.default_config()["identity"],
                                        "tenant": "other"}}) as other:
        streams = {}
        for name, where, user, groups in (
                ("ada", lab, "ada", ()), ("bob", lab, "bob", ()),
                ("tenant", other, "ada", ()), ("team", lab, "cyd", ("staff",))):
            stream = Stream(*where.open("GET", "/notifications", user=user,
                                        groups=groups, timeout_s=30))
            events = iter(stream)
            assert next(events).name == "ready"
            streams[name] = stream, events
        makers = (("ada", lab, "ada", ()), ("bob", lab, "bob", ()),
                  ("tenant", other, "ada", ()), ("team", lab, "cyd", ("staff",)))
        mine = {}
        for round_ in range(3):
            for name, where, user, groups in makers:
                answer = where.post("/conversations", {"workspaceId": "lab"},
                                    user=user, groups=groups)
                mine.setdefault(name, []).append(answer.json["conversationId"])
        for name, (stream, events) in streams.items():
            seen = [next(events).data["conversationId"] for _ in range(3)]
            assert seen == mine[name]
            stream.close()
        # Nothing further is on its way to anybody.
        for name, where, user, groups in makers:
            told, page = set(), {"lastId": 0, "items": [1]}
            while page["items"]:
                page = where.get(f"/notifications?wait=0&after={page['lastId']}",
                                 user=user, groups=groups).json
                told |= {i["data"].get("conversationId") for i in page["items"]}
            for other_name, ids in mine.items():
                assert (name == other_name) == bool(told & set(ids))


def test_needs_the_permission(make_lab):
    lab = make_lab(config={"roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.Workspaces.Read"]}}})
    assert lab.get("/notifications?wait=0", user="ada").status == 403


# -- many, idle, gone ---------------------------------------------------------------


def threads(lab):
    return len(os.listdir(f"/proc/{lab.processes['responder'].pid}/task"))


def test_idle_streams_take_no_thread(make_lab):
    """More of them than there are threads, and the chat continues."""
    lab = make_lab(config={"threads": {"max": 6, "max_turns": 4, "idle_s": 1}})
    streams = [opened(lab, user=f"u{i % 10}") for i in range(300)]
    assert threads(lab) < 12
    assert lab.chat({"text": "still here"})[-1].data["content"] == "still here"
    ids = {user: make(lab, user=user) for user in (f"u{i}" for i in range(10))}
    for i, (stream, events, _) in enumerate(streams):
        assert next(events).data["conversationId"] == ids[f"u{i % 10}"]
        stream.close()


def test_cap_of_their_own(make_lab):
    lab = make_lab(config={"limits": {"notification_streams": 3}})
    streams = [opened(lab) for _ in range(3)]
    brief = lab.get("/notifications?wait=25", user="ada")
    assert brief.status == 200 and brief.json["items"] == []
    assert int(brief.headers["Retry-After"]) >= 10
    streams[0][0].close()
    # The one that left is noticed by itself.
    wait_until("its place", lambda: not lab.get(
        "/notifications?wait=1", user="ada").headers["Retry-After"], 10)
    for stream, _, _ in streams[1:]:
        stream.close()


def test_holds_no_connection(make_lab):
    lab = make_lab(config={"database": {"pool": 2}})
    streams = [opened(lab, user=f"u{i}") for i in range(12)]
    assert len(lab.sql("SELECT id FROM information_schema.processlist WHERE db ="
                       f" '{lab.database}' AND command = 'Sleep'")) <= 4
    assert lab.chat({"text": "x"})[-1].name == "done"
    for stream, _, _ in streams:
        stream.close()


def test_shutdown_ends_them_and_they_come_back(make_lab):
    lab = make_lab(config={"threads": {"grace_s": 600}})
    stream, events, _ = opened(lab)
    c = make(lab)
    seen = until(events, "conversation", conversationId=c)
    assert lab.stop("responder", deadline_s=60) == 0	# not the grace of turns
    assert list(events) == []
    stream.close()
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)
    later = make(lab)
    stream = listen(lab, headers={"Last-Event-ID": seen[-1].id})
    assert until(iter(stream), "conversation")[-1].data["conversationId"] == later
    stream.close()


def test_dead_process_is_told_by_who_closes_its_turn(make_lab):
    lab = make_lab()
    stream, events, start = opened(lab)
    t = task(lab, ENDLESS)
    until(events, "turn-status", turnId=t["turnId"], status="running")
    lab.stop("responder", sig=signal.SIGKILL)
    stream.close()
    lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
    lab.start_responder()
    wait_until("health", lambda: lab.get("/health").status == 200)
    stream = listen(lab, f"?after={start}")
    assert lab.get(f"/turns/{t['turnId']}", user="ada").json["status"] \
        == "interrupted"
    until(iter(stream), "turn-status", turnId=t["turnId"], status="interrupted")
    stream.close()


@pytest.mark.parametrize("how", ["send", "regenerate", "plain", "choose"])
def test_a_turn_that_another_takes_the_place_of_is_told(lab, how):
    """One whose process died, by the request that begins the next one, or changes
    the thread."""
    c = make(lab)
    lab.stream("/chat/lab/stream", {"content": "x", "conversationId": c},
               user="ada").events()
    if how == "choose":
        lab.stream(f"/conversations/{c}/regenerate", {}, user="ada").events()
    [turn] = wait_until("its end", lambda: lab.sql(
        "SELECT LOWER(HEX(id)) FROM turn WHERE status = 3 AND conversation_id ="
        f" x'{c.replace('-', '')}' ORDER BY id DESC"))[0]
    lab.sql("UPDATE turn SET status = 1, answer_seq = NULL, ended_us = NULL,"
            f" lease_until_us = 1 WHERE id = x'{turn}'")
    lab.sql(f"UPDATE conversation SET running_turn_id = x'{turn}'"
            f" WHERE id = x'{c.replace('-', '')}'")
    stream, events, _ = opened(lab)
    if how == "plain":
        assert lab.call("POST", f"/{lab.base}/plain/conversations/{c}", "content=y",
                        user="ada", headers={"Content-Type":
                        "application/x-www-form-urlencoded"}).status == 303
    elif how == "send":
        assert lab.post("/chat/lab/stream", {"content": "y", "conversationId": c},
                        user="ada").status == 200
    elif how == "choose":
        assert lab.post(f"/conversations/{c}/variants", {"variantId": f"{c}.2"},
                        user="ada").status == 200
    else:
        assert lab.post(f"/conversations/{c}/regenerate", {}, user="ada").status == 200
    seen = (until(events, "refresh") if how == "choose" else
            until(events, "turn-status", conversationId=c, status="running"))
    assert (turn, "interrupted") in [
        (e.data["turnId"].replace("-", ""), e.data["status"])
        for e in seen if e.name == "turn-status"]
    stream.close()


def test_store_that_was_away_is_waited_for(make_lab):
    """What was made meanwhile is not lost, and streams stay open."""
    lab = make_lab()
    stream, events, _ = opened(lab)
    lab.sql("RENAME TABLE notification_topic TO elsewhere")
    c = make(lab)
    wait_until("a failed try", lambda: "notices" in lab.log("responder"))
    lab.sql("RENAME TABLE elsewhere TO notification_topic")
    assert until(events, "conversation")[-1].data["conversationId"] == c
    stream.close()


def test_nothing_is_kept_for_who_never_listens(make_lab):
    lab = make_lab()
    make(lab)
    lab.chat({"text": "x"})
    stream, events, start = opened(lab, user="bob")
    c = make(lab, user="bob")
    assert until(events, "conversation")[-1].data["conversationId"] == c
    stream.close()
    assert lab.sql("SELECT COUNT(*), COUNT(DISTINCT user_id) FROM notification"
                   ) == [["1", "1"]]
    assert start == 0
