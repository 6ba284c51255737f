# SPDX-License-Identifier: MIT
"""Three nodes, and a responder on each: `labs`. Run by ./lamp test cluster.

The storms are repeated LAMPLIGHTER_STORMS times (./lamp soak cluster).
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import sys
import threading
from unittest.mock import patch

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "api"))

import galera  # noqa: E402
from lab import Lab, Twin  # noqa: E402

STORMS = int(os.environ.get("LAMPLIGHTER_STORMS", "1"))
TEXT = {"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}}}


@pytest.fixture(scope="session")
def cluster():
    with galera.Cluster() as c, patch.dict(os.environ, c.environment()):
        yield c


@pytest.fixture
def whole(cluster):
    """The cluster, whole again afterwards."""
    yield cluster
    cluster.heal()


def tool(log, **fields):
    """Appends its argument to a file: a run that should not be is seen."""
    # One write, so that lines of several runs do not mix.
    script = (f'line=$(cat); printf "%s\\n" "$line" >> {log};'
              " echo '{\"noted\":true}'")
    return {"kind": "command", "description": "Writes a note.",
            "parameters": TEXT, "untrusted": False,
            "command": {"run": ["/bin/sh", "-c", script]}, **fields}


def at_once(labs, fn):
    """fn(lab) on each, as near to one moment as threads can."""
    gate = threading.Barrier(len(labs))

    def one(lab):
        gate.wait()
        return fn(lab)

    with concurrent.futures.ThreadPoolExecutor(len(labs)) as pool:
        return list(pool.map(one, labs))


def new_conversation(lab):
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada")
    assert answer.status == 201, answer
    return answer.json["conversationId"]


def long_thread(lab, n):
    """A conversation of n messages, user and answer in turn: m1, m2, ..."""
    id = new_conversation(lab)
    there = f"x'{id.replace('-', '')}'"
    lab.sql("INSERT INTO message (conversation_id, seq, role, created_us,"
            f" content, kind) SELECT {there}, seq, 2 - seq % 2, seq,"
            " CONCAT('m', seq), IF(seq % 2, 1, 3)"
            f" FROM seq_1_to_{n}; UPDATE conversation SET last_seq = {n},"
            f" turns = {n} DIV 2, title = 'long' WHERE id = {there}")
    return id


class OnNode:
    """A responder whose database is a node, or a list that begins with it."""

    def default_config(self):
        config = super().default_config()
        for db in (config["database"], *config["databases"].values()):
            del db["socket"]
            db["hosts" if self.spread else "host"] = (
                [f"127.0.0.1:{p}" for p in self.ports] if self.spread
                else "127.0.0.1")
            if not self.spread:
                db["port"] = self.ports[0]
        return config

    def at(self, ports, spread, log):
        self.ports, self.spread, self.runs_log = ports, spread, log
        return self

    def runs(self):
        """What `tool` has written to the log."""
        return [json.loads(line)["text"] for line in
                self.runs_log.read_text().splitlines() if line]


class FirstLab(OnNode, Lab):
    pass


class OtherLab(OnNode, Twin):
    pass


@contextlib.contextmanager
def three_labs(cluster, tmp_path_factory, spread, services=None, config=None,
               workspaces=None):
    log = tmp_path_factory.mktemp("runs") / "runs"
    log.touch()
    ports = [n.port for n in cluster.nodes]
    parts = {
        "workspaces": workspaces or {"lab": {"workspace": "lab", "title_by_model": False}},
        "config": {"tools": {"note": tool(log, effect="read"),
                             "drop": tool(log, effect="destructive")}, **(config or {})},
        "services": services,
    }
    with contextlib.ExitStack() as stack:
        first = FirstLab(**parts).at(ports, spread, log)
        labs = [stack.enter_context(first)]
        for i in (1, 2):
            other = OtherLab(first, config=parts["config"], services=services)
            labs.append(stack.enter_context(
                other.at(ports[i:] + ports[:i], spread, log)))
        yield labs


@pytest.fixture(scope="module")
def labs(cluster, tmp_path_factory):
    """Each on its own node, and on no other."""
    with three_labs(cluster, tmp_path_factory, spread=False) as labs:
        yield labs


@pytest.fixture(scope="module")
def listed(cluster, tmp_path_factory):
    """Each with the list of all nodes, its own in front."""
    with three_labs(cluster, tmp_path_factory, spread=True) as labs:
        yield labs
