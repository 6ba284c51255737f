# SPDX-License-Identifier: MIT
"""Readers of a turn that stop reading in the middle (D26 to D28), and what they miss: nothing
that changed, while their process stays small."""

import json
import re
import struct
import threading
import time

from fastcgi import END, STDOUT, Request
from lab import Event, Lab, Twin, scripted, without_quarantine
from plans import agent, stage, step
from projects import OFFICE, make, told
from steps import follow

ROUNDS, CALLS, STEPS = 12, 8, 6
ONCE = ("operation", "entity-patch", "plan", "tool-call", "tool-result")


class Reader:
    """Takes the events of a turn from the responder's socket, beside any web server."""

    def __init__(self, lab, user, method, path, body=None):
        self.request = Request(lab, method, path, [
            ("HTTP_" + k.upper().replace("-", "_"), v) for k, v in lab.identity(user).items()],
            length=None if body is None else len(body))
        self.request.send(body or b"")
        if body:
            self.request.send(b"")
        self.text, self.ended = b"", False

    def _more(self):
        try:
            _, kind, _, n, padding, _ = struct.unpack(">BBHHBB", self.request.read(8))
            data = self.request.read(n + padding)[:n]
        except (EOFError, ConnectionError):
            kind = END
        if kind == STDOUT:
            self.text += data
        self.ended = kind == END

    def __iter__(self):
        while True:
            whole, found, rest = self.text.partition(b"\n\n")
            if found:
                self.text = rest
                fields = dict(line.split(": ", 1) for line in whole.decode().splitlines()
                              if ": " in line and not line.startswith(":"))
                if "data" in fields:
                    yield Event(fields.get("event"), json.loads(fields["data"]),
                                fields.get("id"))
            elif self.ended:
                return
            else:
                self._more()


class Kept:
    """What one client has: read, then nothing for a while, then the rest from where it was."""

    def __init__(self, name, events):
        self.name, self.source, self.events = name, iter(events), []
        self.resumed = 0

    def take(self, n):
        while len(self.events) < n:
            self.events.append(next(self.source))

    def rest(self, resume):
        self.events += self.source
        while self.events[-1].name not in ("done", "error", "waiting"):
            self.resumed += 1
            self.events += resume(self.events[-1].id)


def once(events):
    return [(e.id, e.name, e.data) for e in events if e.name in ONCE]


def said(events):
    return "".join(e.data["delta"] for e in events if e.name == "token")


def peak_kib(lab):
    status = open(f"/proc/{lab.processes['responder'].pid}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def script(project, n_tokens):
    """Rounds of text and of tasks that are made, and a plan whose steps make some."""
    def tasks(r):
        return [{"name": "create_onto_task", "args": {"project_id": project,
                 "title": f"t{r}.{n}"}} for n in range(CALLS)]

    each = n_tokens // (ROUNDS + 1)
    play = {"tokens": each}
    for r in range(ROUNDS):
        calls = tasks(r) if r != ROUNDS // 2 else [{"name": "plan", "args": {
            "goal": "g", "stages": [stage(*(step(f"s{n}", "tooling", tools=[
                "create_onto_task"]) for n in range(STEPS)))]}}]
        play = {"narration": " ".join(["word"] * each), "tool_calls": calls, "then": play}
    return play


def make_lab():
    return Lab(
        responder_env=without_quarantine(), config={"tools": {"plan_tooling": agent("adds")}},
        services={"adds": {}}, workspaces={"office": {
            **OFFICE, "max_tool_iterations": 25, "agents": [
                {"id": "boss", "tools": ["plan", "create_onto_task"]}]}})


def add_project(lab):
    """The id of a project, to which the steps of plans add a task each."""
    project = make(lab, "/projects", "ada", name="Lighthouse")["id"]
    lab.services["adds"] = {"model": scripted({"tool_calls": [{"name": "create_onto_task",
        "args": {"project_id": project, "title": "s"}}], "then": {"text": "added it"}})}
    lab.write_config()
    lab.stop("responder")
    lab.start_responder()
    return project


def stall(seconds, n_events):
    """Four readers of one turn stop for so long; figures, after all has been checked."""
    with make_lab() as lab, Twin(lab) as other:
        project = add_project(lab)
        body = json.dumps({"content": told(script(project, n_events)),
                           "projectId": project}).encode()
        lab.chat("hello", workspace="office")		# all is warm
        before, twin = peak_kib(lab), peak_kib(other)
        start = time.monotonic()
        own = Kept("own stream", Reader(lab, "ada", "POST", "/chat/office/stream", body))
        own.take(4)
        turn = next(e for e in own.events if e.name == "user-message").data["turnId"]
        path = f"/turns/{turn}/events"
        kept = [own, Kept("same process", Reader(lab, "ada", "GET", path)),
                Kept("other process", Reader(other, "ada", "GET", path)),
                Kept("web server", follow(other, turn))]
        for one in kept:
            one.take(10)
        time.sleep(seconds)	# not a wait for anything: it is what is tried
        threads = [threading.Thread(target=one.rest, args=[
            lambda after, node=node: follow(node, turn, headers={"Last-Event-ID": after})])
            for one, node in zip(kept, (other, other, lab, lab))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - start
        whole = follow(lab, turn, after=0).events()
        check(lab, turn, kept, whole)
        return {"seconds": round(took, 1), "kib": peak_kib(lab) - before,
                "twin_kib": peak_kib(other) - twin,
                "numbered": int(whole[-1].id),
                "told": {one.name: len(one.events) for one in kept},
                "resumed": {one.name: one.resumed for one in kept}}


def check(lab, turn, kept, whole):
    assert whole[-1].name == "done", whole[-1]
    rows = lab.sql("SELECT HEX(id) FROM resource_change WHERE turn_id = UNHEX('"
                   + turn.replace("-", "") + "')")
    patches = [e.data["changeId"].replace("-", "").upper() for e in whole
               if e.name == "entity-patch"]
    assert sorted(patches) == sorted(row[0] for row in rows)
    assert len(patches) == (ROUNDS - 1) * CALLS + STEPS
    operations = [e for e in whole if e.name == "operation"]
    assert len(operations) == 2 * ((ROUNDS - 1) * CALLS + STEPS), len(operations)
    for one in kept:
        assert once(one.events) == once(whole), one.name
        assert said(one.events) == said(whole), one.name
        ids = [int(e.id) for e in one.events if e.id]
        assert ids == sorted(set(ids)), one.name
