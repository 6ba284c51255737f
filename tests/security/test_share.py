# SPDX-License-Identifier: MIT
"""One user does not take it all: turns, streams, and memory for what is not read."""

import json
import os
import pathlib

from fastcgi import Request
from lab import wait_until

LONG = {"content": "!script " + json.dumps({"tokens": 100000, "rate": 5})}


def counted(answer, kind="too_many_requests"):
    assert answer.status == 429 and answer.json["code"] == kind, answer
    assert int(answer.headers["Retry-After"]) > 0
    return answer


def test_followers_leave_turns_for_others(make_lab):
    """40 followers of a waiting turn took every turn there was."""
    lab = make_lab(config={"threads": {"max": 120, "max_turns": 40}})
    first = lab.stream("/chat/lab/stream", LONG, user="ada")
    turn = next(iter(first)).data["turnId"]
    followers = []
    for _ in range(40):
        connection, answer = lab.open("GET", f"/turns/{turn}/events", user="ada")
        if answer.status == 429:
            assert json.loads(answer.read())["code"] == "too_many_requests"
            assert answer.headers["Retry-After"] == "5"
            connection.close()
            break
        assert answer.status == 200
        followers.append((connection, answer))
    assert len(followers) == 40 // 8 - 1
    counted(lab.post("/chat/lab/stream", {"content": "x"}, user="ada"))
    # A person reads that it is too much, and others notice nothing.
    page = lab.post("/" + lab.base + "/openai/v1/chat/completions",
                    {"model": "lab/helper", "messages": [
                        {"role": "user", "content": "x"}]}, user="ada")
    assert page.status == 429 and "error" in page.json
    assert lab.get("/me", user="ada").status == 200
    assert lab.chat({"text": "hello"}, user="bob")[-1].name == "done"
    # What ends is given back.
    for connection, answer in followers:
        answer.close()
        connection.close()
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status == 202
    first.events()
    wait_until("ada's share", lambda: lab.post(
        "/chat/lab/complete", {"prompt": "x", "content": "x"},
        user="ada").status != 429, 60)


def test_streams_of_notices(make_lab):
    lab = make_lab(config={"limits": {"notification_streams": 48}})
    streams = []
    while True:
        connection, answer = lab.open("GET", "/notifications", user="ada")
        assert answer.status == 200
        if answer.headers["Retry-After"]:
            break
        streams.append((connection, answer))
    assert len(streams) == 48 // 8
    answer.read()		# it ends by itself
    connection.close()
    assert lab.get("/notifications?wait=1", user="ada").headers["Retry-After"]
    assert not lab.get("/notifications?wait=1", user="bob").headers["Retry-After"]
    for connection, answer in streams:
        answer.close()
        connection.close()
    wait_until("ada's share", lambda: not lab.get(
        "/notifications?wait=1", user="ada").headers["Retry-After"], 60)


def sending(lab, user):
    """A POST whose body does not come."""
    request = Request(lab, "POST", "/conversations", [
        ("HTTP_X_TEST_USER", user), ("HTTP_X_TEST_GROUPS", "-"),
        ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy"),
        ("HTTP_X_REQUESTED_WITH", "lab")], 100)
    request.send(b'{"workspaceId": ')
    return request


def test_slow_bodies(make_lab):
    """They were nobody's: one user's held all workers."""
    lab = make_lab(config={"threads": {"max": 48, "max_turns": 40}})
    requests = [sending(lab, "ada") for _ in range(48 // 8)]
    wait_until("ada's bodies", lambda: lab.post(
        "/conversations", {"workspaceId": "lab"}, user="ada").status == 429, 60)
    counted(lab.post("/conversations", {"workspaceId": "lab"}, user="ada"))
    assert lab.get("/me", user="ada").status == 200
    assert lab.post("/conversations", {"workspaceId": "lab"},
                    user="bob").status == 201
    for request in requests:
        request.socket.close()
    wait_until("ada's share", lambda: lab.post(
        "/conversations", {"workspaceId": "lab"}, user="ada").status == 201, 60)


def test_unread_downloads(make_lab):
    """They held a worker each, until none was left."""
    lab = make_lab(config={"threads": {"max": 48, "max_turns": 40}})
    made = lab.call("POST", "/attachments?name=x.bin", os.urandom(4 << 20), user="ada",
                    headers={"Content-Type": "application/octet-stream"})
    assert made.status == 201, made
    path = f"/attachments/{made.json['id']}/content"
    requests = [unread(lab, path, "ada") for _ in range(48 // 8)]
    assert [status for _, status in requests] == [200] * 6
    counted(lab.get(path, user="ada"))
    assert lab.get("/me", user="ada").status == 200
    for request, _ in requests:
        request.socket.close()
    wait_until("ada's share", lambda: lab.get(path, user="ada").status == 200, 60)


def test_users_see_their_jobs(make_lab):
    """Counted in the database, whatever process runs them."""
    lab = make_lab(config={"limits": {"user_jobs": 3}})

    def of(user):
        items = {i["key"]: i for i in lab.get("/me/limits", user=user).json["items"]}
        return {key: (items[key]["used"], items[key]["limit"])
                for key in ("jobs", "waitingJobs")}

    assert of("ada") == of("bob") == {"jobs": (0, 3), "waitingJobs": (0, None)}
    assert lab.get("/me", user="ada").status == 200
    id = wait_until("ada is known", lambda: lab.sql(
        "SELECT HEX(id) FROM user WHERE login = 'ada'"))[0][0]
    lab.sql("INSERT INTO job (kind, subject, tenant_id, user_id, taken, due_us, created_us)"
            f" SELECT 'of-a-newer-program', seq, 'default', UNHEX('{id}'), seq < 3,"
            " IF(seq = 10, 9223372036854775807, IF(seq < 3, 8000000000000000, 1)), 1"
            " FROM seq_1_to_10")
    assert of("ada") == {"jobs": (2, 3), "waitingJobs": (7, None)}
    assert of("bob") == {"jobs": (0, 3), "waitingJobs": (0, None)}


def test_no_share(make_lab):
    lab = make_lab(config={"limits": {"notification_streams": 16, "user_share": 1}})
    streams = [lab.open("GET", "/notifications", user="ada") for _ in range(16)]
    assert {answer.status for _, answer in streams} == {200}
    assert lab.get("/notifications?wait=1", user="ada").headers["Retry-After"]
    for connection, answer in streams:
        answer.close()
        connection.close()


def peak_mb(lab):
    pid = lab.processes["responder"].pid
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmHWM")


def unread(lab, path, user):
    """A request whose answer is not read beyond its status. Without a web server,
    which might read it all and keep it."""
    request = Request(lab, "GET", path, [
        ("HTTP_X_TEST_USER", user), ("HTTP_X_TEST_GROUPS", "-"),
        ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy")])
    request.send(b"")
    head = request.read(8 + len("Status: 200"))
    return request, int(head[-3:])


def large_page(lab, messages):
    """The address of a new conversation's messages, of 400 KB each."""
    row = lab.post("/conversations", {"workspaceId": "lab"},
                   user="ada").json["conversationId"]
    key = row.replace("-", "")
    lab.sql(f"INSERT INTO message (conversation_id, seq, role, created_us, kind, content)"
            f" SELECT UNHEX('{key}'), seq, 1, 1, 1, REPEAT('x', 400000)"
            f" FROM seq_1_to_{messages}; UPDATE conversation SET last_seq = {messages},"
            f" version = version + 1 WHERE id = UNHEX('{key}')")
    return f"/conversations/{row}/messages?pageSize=20"


def test_unread_pages_are_not_kept(make_lab):
    """40 of them, of messages of 400 KB, took 1.5 GB."""
    lab = make_lab(config={"limits": {"unsent_bytes": 16 << 20}})
    path = large_page(lab, 20)
    assert lab.get(path, user="ada").status == 200
    open_pages, refused = [], 0
    for _ in range(40):
        request, status = unread(lab, path, "ada")
        if status == 429:
            with request.socket.makefile("rb") as rest:
                assert b'"too_many_requests"' in rest.read()
            request.socket.close()
            refused += 1
        else:
            assert status == 200
            open_pages.append(request)
            # The first is always answered, further ones as long as they fit.
            assert len(open_pages) - refused <= 2
    assert open_pages
    assert lab.get("/conversations", user="bob").status == 200
    # A page takes its rows, its text, and what that grew through.
    assert peak_mb(lab) < 600
    for request in open_pages:
        request.socket.close()
    wait_until("the memory", lambda: lab.get(path, user="ada").status == 200, 60)


def test_unread_events_are_counted(make_lab):
    """A stream of the events of all turns keeps what its client does not read."""
    lab = make_lab(config={"limits": {"unsent_bytes": 1 << 20}})
    streams = [unread(lab, "/notifications?events=all", "ada") for _ in range(4)]
    assert {status for _, status in streams} == {200}
    # In one event more than its socket keeps, and than a stream may keep uncounted: of
    # small ones a stream takes no more until its client reads.
    asked = lab.stream("/chat/lab/stream", {"content": 90000 * "€"}, user="ada")
    assert asked.status == 200

    def refused():
        return [line for line in lab.log("responder").splitlines()
                if "is not read" in line and "the user has" in line]
    # The first of them may keep what it has, others beside it may not.
    wait_until("the others are ended", lambda: len(refused()) == 3)
    assert lab.get("/conversations", user="bob").status == 200
    asked.close()
    for request, _ in streams:
        request.socket.close()


def test_what_was_done_is_answered(make_lab):
    """A refusal behind the work would be sent again, and the work done again."""
    lab = make_lab(config={"limits": {"unsent_bytes": 1 << 20}})
    path = large_page(lab, 3)
    request, status = unread(lab, path, "ada")
    assert status == 200
    assert lab.get(path, user="ada").status == 429
    answer = lab.post("/chat/lab/complete", {
        "input": "!script " + json.dumps({"tokens": 40000, "rate": 0})}, user="ada")
    assert answer.status == 200 and len(answer.body) > 65536, answer
    request.socket.close()
