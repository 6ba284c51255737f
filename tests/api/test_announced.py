# SPDX-License-Identifier: MIT
"""What was changed of resources is told to those who read it: by rows of the change's own
transaction (lib/resource/change.h), so that nothing is lost with a process."""

import contextlib
import pathlib
import re
import signal
import threading
import uuid

import pytest

from lab import Lab, Stream, Twin, wait_until

pytestmark = pytest.mark.threads

ROOT = pathlib.Path(__file__).parents[2]
IT = ["it"]


@contextlib.contextmanager
def heard(lab, user, groups=()):
    """The words of `refresh` that come of what the block changes."""
    words = []
    # A listener is told what was changed within the last seconds.
    lab.sql("UPDATE resource_change SET created_us = created_us - 10000000")
    stream = Stream(*lab.open("GET", "/notifications", user=user, groups=groups, timeout_s=30))
    events = iter(stream)
    assert next(events).name == "ready"
    yield words
    folder = lab.post("/conversation-folders", {"name": uuid.uuid4().hex}, user=user,
                      groups=groups)
    assert folder.status == 201, folder
    for event in events:
        if event.data.get("what") == "conversation-folders":
            break
        if event.name == "refresh":
            words.append(event.data["what"])
    stream.close()


def prompt(lab, user, groups=(), **fields):
    answer = lab.post("/prompts", {"name": uuid.uuid4().hex[:20], "body": "x", **fields},
                      user=user, groups=groups)
    assert answer.status == 201, answer
    return answer.json["id"]


def test_every_resource_is_told_of():
    text = (ROOT / "lib/resource/resource.def").read_text()
    rows = re.findall(r'^(?:RESOURCE|RETIRED|NAMED|BELOW)\(([^\n]*)', text, re.M)
    ids = {re.search(r'\b([A-Z][A-Z_]+), "', row).group(1) for row in rows}
    told = set(re.findall(r'^(?:TRACKED|ANNOUNCED)\((\w+),', text, re.M))
    assert len(ids) > 20 and ids == told


def test_a_private_row_is_told_to_its_user_alone(lab):
    with heard(lab, "ida") as mine, heard(lab, "ivo") as theirs:
        one = prompt(lab, "ida")
        assert lab.call("PATCH", f"/prompts/{one}", {"name": "B"}, user="ida").status == 200
        assert lab.call("DELETE", f"/prompts/{one}", user="ida").status == 204
        assert lab.post("/memories", {"text": "likes tea"}, user="ida").status == 201
        assert lab.post("/tokens", {"name": "t"}, user="ida").status == 201
    assert set(mine) == {"prompts", "memories", "tokens"}
    assert theirs == []
    # What nobody could read is not told: a change that was refused.
    with heard(lab, "ida") as mine:
        assert lab.post("/prompts", {"name": ""}, user="ida").status == 422
    assert mine == []


def test_a_group_is_told_of_what_it_reads(lab):
    one = prompt(lab, "ida", IT)
    with heard(lab, "ivo", IT) as inside, heard(lab, "eve") as outside:
        share = lab.post(f"/prompts/{one}/shares", {"group": "it"}, user="ida", groups=IT)
        assert share.status == 201, share
    assert inside == ["prompts"] and outside == []
    with heard(lab, "ivo", IT) as inside:
        lab.call("PATCH", f"/prompts/{one}", {"name": "B"}, user="ida", groups=IT)
    assert inside == ["prompts"]
    # Those who lose it, too: of a share, and of all of it.
    with heard(lab, "ivo", IT) as inside:
        assert lab.call("DELETE", f"/prompts/{one}/shares/{share.json['id']}", user="ida",
                        groups=IT).status == 204
    assert inside == ["prompts"]
    with heard(lab, "ivo", IT) as inside:
        lab.call("PATCH", f"/prompts/{one}", {"name": "C"}, user="ida", groups=IT)
    assert inside == []
    lab.post(f"/prompts/{one}/shares", {"group": "it"}, user="ida", groups=IT)
    with heard(lab, "ivo", IT) as inside, heard(lab, "eve") as outside:
        assert lab.call("DELETE", f"/prompts/{one}", user="ida", groups=IT).status == 204
    assert inside == ["prompts"] and outside == []


def test_a_change_says_by_whom_and_how(lab):
    one = prompt(lab, "ada")
    lab.call("PATCH", f"/prompts/{one}", {"name": "B"}, user="ada")
    lab.call("DELETE", f"/prompts/{one}", user="ada")
    rows = lab.sql("SELECT c.verb, c.number, c.kind, c.title, c.user_id = c.readers FROM"
                   f" resource_change c WHERE c.row_id = UNHEX('{one.replace('-', '')}')"
                   " ORDER BY c.created_us")
    assert rows == [["create", "1", "prompts", "", "1"], ["update", "2", "prompts", "", "1"],
                    ["delete", "2", "prompts", "", "1"]]


def test_it_costs_no_round_trip(lab):
    """The row goes with the COMMIT, which nobody sends alone."""
    def sent():
        return {name: int(n) for name, n in lab.sql(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_execute',"
            " 'Questions')")}

    def taken():
        before = sent()
        answer = lab.call("PATCH", f"/memories/{one}", {"text": uuid.uuid4().hex}, user="ada")
        assert answer.status == 200
        after = sent()
        # this asks, too: its own connection, and the statement
        return {name: after[name] - before[name] for name in after}
    one = lab.post("/memories", {"text": "x"}, user="ada").json["id"]
    for _ in range(3):
        taken()
    # jobs may ask beside some of them
    least = min((taken() for _ in range(9)), key=lambda d: d["Questions"])
    # the read, the change, and its row with the COMMIT; and two of the test's own
    assert least == {"Com_stmt_execute": 3, "Questions": 5}


def test_killed_between_commit_and_notice():
    """Another process tells it; and the listener whose own process ended gets it from the
    next one."""
    with Lab() as lab, Twin(lab) as twin:
        stream = Stream(*twin.open("GET", "/notifications", user="ida", timeout_s=30))
        events = iter(stream)
        last = next(events).id
        id = str(uuid.uuid4())
        thread = threading.Thread(target=quietly, args=(lab, id))
        thread.start()
        wait_until("the row is committed", lambda: lab.sql(
            "SELECT COUNT(*) FROM resource_change WHERE kind = 'prompts'")[0][0] == "1")
        lab.stop("responder", signal.SIGKILL)
        thread.join()
        assert next(event for event in events if event.name == "refresh").data == {
            "what": "prompts"}
        stream.close()
        # A stream that was open at the dead one resumes at its successor, later than a round.
        lab.sql("UPDATE resource_change SET created_us = created_us - 30000000")
        lab.start_responder()
        stream = Stream(*lab.open("GET", f"/notifications?after={last}", user="ida",
                                  timeout_s=30))
        events = iter(stream)
        assert next(event for event in events if event.name == "refresh").data == {
            "what": "prompts"}
        stream.close()
        # One who comes for the first time reads all lists anyway.
        with heard(lab, "ida") as words:
            pass
        assert words == []


def quietly(lab, name):
    with contextlib.suppress(Exception):
        lab.post("/prompts", {"name": name, "body": "x"}, user="ida")


def test_they_expire(lab):
    prompt(lab, "ada")
    lab.sql("UPDATE resource_change SET announced_us = announced_us - 3700000000")
    lab.command("work")
    assert lab.sql("SELECT COUNT(*) FROM resource_change WHERE readers IS NOT NULL") == [["0"]]
