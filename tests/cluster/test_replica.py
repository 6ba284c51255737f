# SPDX-License-Identifier: MIT
"""A primary with a replica: who is read, and what an admin's steps of docs/scale.md
do to turns that run."""

import concurrent.futures
import contextlib
import json
import os
import uuid
from unittest.mock import patch

import pytest

import replica
from conftest import FirstLab, tool
from lab import wait_until

STREAMS = 6


@pytest.fixture(scope="module")
def pair():
    """For one test after the other: each leaves it with a replica that follows."""
    with replica.Pair() as pair, patch.dict(os.environ, pair.environment()):
        yield pair


@contextlib.contextmanager
def responder(pair, log, order=(0, 1)):
    ports = [pair[i].port for i in order]

    class Replicated(FirstLab):
        """Datasets are read from the second server, if it is there."""

        def default_config(self):
            config = super().default_config()
            config["databases"]["lab"]["hosts"] = [
                f"127.0.0.1:{pair[i].port}" for i in (1, 0)]
            return config

    parts = {
        "workspaces": {"lab": {
            "workspace": "lab", "title_by_model": False,
            "datasets": {"people": {"database": "lab", "table": "people"}}}},
        "config": {"tools": {"note": tool(log, effect="read")}},
    }
    with Replicated(**parts).at(ports, True, log) as lab:
        yield lab


@pytest.fixture
def log(tmp_path):
    log = tmp_path / "runs"
    log.touch()
    return log


def turn(lab, text, tokens=60):
    events = lab.chat({"tool_calls": [{"name": "note", "args": {"text": text}}],
                       "then": {"tokens": tokens, "rate": 20}})
    assert events[-1].name == "done", events[-3:]
    told = "".join(e.data["delta"] for e in events if e.name == "token")
    return events[-1].data, told, events[0].data["conversationId"]


def during(lab, what):
    """Turns with tools that stream while the admin does what; none is lost."""
    before = len(lab.runs())
    texts = [f"r{i}-{uuid.uuid4().hex[:8]}" for i in range(STREAMS)]
    with concurrent.futures.ThreadPoolExecutor(STREAMS) as pool:
        turns = [pool.submit(turn, lab, t) for t in texts]
        wait_until("the tools to run",
                   lambda: len(lab.runs()) >= before + STREAMS, 60)
        what()
        ends = [t.result(timeout=120) for t in turns]
    assert sorted(lab.runs()[before:]) == sorted(texts)
    return ends


def are_stored(lab, ends):
    for done, told, conversation in ends:
        [answer] = [m for m in lab.get(
            f"/conversations/{conversation}/messages", user="ada").json["items"]
            if m["id"] == done["messageId"]]
        assert told.endswith(answer["content"]) and answer["content"]


def same(pair, database):
    text = "; ".join(f"CHECKSUM TABLE {t}" for t in
                     ("conversation", "message", "turn", "usage_record"))
    wait_until("the same rows on both", lambda: len({
        json.dumps(server.sql(text, database)) for server in pair.nodes}) == 1, 60)


def names(lab):
    """What the dataset says."""
    events = lab.chat({"tool_calls": [{"name": "query_data", "args": {
        "dataset": "people"}}], "then": {"text": "x"}})
    [result] = [e.data for e in events if e.name == "tool-result"]
    return json.dumps(result)


def test_only_datasets_may_be_behind(pair, log):
    # The replica is the first of the list, and still not used for our own data.
    with responder(pair, log, order=(1, 0)) as lab:
        lab.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));"
                "INSERT INTO people VALUES (1, 'early')")
        pair.follow_up(pair[0], pair[1])
        pair[1].sql("STOP SLAVE SQL_THREAD")
        lab.sql("INSERT INTO people VALUES (2, 'late')")
        id = lab.chat("hello")[0].data["conversationId"]
        assert [m["content"] for m in lab.get(
            f"/conversations/{id}/messages", user="ada").json["items"]][-1] == "hello"
        said = names(lab)
        assert "early" in said and "late" not in said
        assert not pair[1].sql("SELECT 1 FROM conversation WHERE id ="
                               f" x'{id.replace('-', '')}'", lab.database)
        pair[1].sql("START SLAVE SQL_THREAD")
        wait_until("the dataset to be up to date", lambda: "late" in names(lab))


def test_the_admin_hands_over_and_back(pair, log):
    with responder(pair, log) as lab:
        turn(lab, "before", tokens=5)
        ends = during(lab, lambda: pair.run("Hand over", pair[0], pair[1]))
        are_stored(lab, ends)
        same(pair, lab.database)
        # The old primary is left alone: it has no connection to its data.
        assert pair[0].sql("SELECT COUNT(*) FROM information_schema.processlist"
                           f" WHERE db = '{lab.database}' AND user ="
                           " 'lamplighter'") == [["0"]]
        hosts = lab.get("/ready").json["checks"]["database"]["hosts"]
        assert [h["ok"] for h in hosts] == [False, True]
        r = lab.command("doctor", check=False)
        assert "read-only" in r.stdout
        wait_until("the old primary to follow", pair[0].replicates)
        ends = during(lab, lambda: pair.run("Hand over", pair[1], pair[0]))
        are_stored(lab, ends)
        same(pair, lab.database)


def test_the_primary_is_lost_and_the_replica_promoted(pair, log, monkeypatch):
    with responder(pair, log) as lab:
        turn(lab, "before", tokens=5)

        def lose():
            pair[0].kill()
            pair.run("Promote", pair[0], pair[1])
        # For lab.sql.
        monkeypatch.setenv("LAMPLIGHTER_TEST_DB_SOCKET", pair[1].socket)
        ends = during(lab, lose)
        are_stored(lab, ends)
        # It comes back read-only, and nobody uses it.
        pair[0].start()
        turn(lab, "after", tokens=5)
        assert pair[0].sql("SELECT @@global.read_only") == [["1"]]
        pair.run("Take the old primary back", pair[0], pair[1])
        wait_until("the old primary to follow, or why not", lambda: pair[0].replicates()
                   or pair[0].has_more())
        if pair[0].has_more():
            # It was killed between its own commit and the replica's receipt, so no client
            # was told of that commit.
            pair[0].copy(pair[1])
            pair.run("Take the old primary back", pair[0], pair[1])
            wait_until("the copy to follow", pair[0].replicates)
        same(pair, lab.database)
