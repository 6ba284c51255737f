#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plans whose processes are killed (-9) at random moments, with leases of two seconds that end
by themselves: nobody ends them, and nobody continues a plan. Two responders and a worker run on
one database; whichever is killed comes back. Some plans are followed from the other node, some
ask a question that is answered there, and nobody looks at the rest. Every plan ends, each of its
twelve writes happened once, and its events can be read to their end from both nodes.

  LAMPLIGHTER_BUILD=... tests/unit/with-mariadb leases.py [KILLS]"""

import collections
import contextlib
import http.client
import json
import pathlib
import random
import signal
import sys
import threading
import time

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "api")]

# pylint: disable=wrong-import-position
from lab import COMMAND, Lab, Stream, Twin, scripted, wait_until
from plans import MAKE, SERVICES, agent, stage, step

LEASE = {"LAMPLIGHTER_TURN_LEASE_MS": "2000"}
TOOLS = {"plan_tooling": agent("writes"), "plan_planner": agent("asks")}
# Each write is 0.3 s from the model, and so is what it says then.
SLOWLY = {"tool_calls": [MAKE], "first_byte_ms": 300, "then": {"text": "made", "first_byte_ms": 300}}
MODELS = {**SERVICES, "writes": {"model": scripted(SLOWLY)}, "asks": {"model": scripted({"tool_calls": [{"name": "ask_user", "args": {
    "question": "Which?", "options": ["This", "That"]}}], "then": {"text": "asked"}})}}
WORKSPACES = {"lab": {"workspace": "lab", "title_by_model": False,
                      "agents": [{"id": "boss", "tools": ["plan", "create_prompt", "ask_user"]}]}}
WRITES = 12
END_S = 240		# a plan ends by then, though its processes are killed
BROKEN = (OSError, http.client.HTTPException, AssertionError, ValueError)


def script(asks):
    stages = [stage(*(step(f"w{n}", "tooling", tools=["create_prompt"]) for n in range(3)))
              for _ in range(WRITES // 3)]
    if asks:
        stages[0]["steps"].append(step("q", "planner", tools=["ask_user"]))
    return "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}}) + "\nDo it."


class Storm:
    def __init__(self, labs, kills):
        self.labs, self.wanted = labs, kills
        self.lock = threading.Lock()
        self.told = collections.Counter(
            {"plans": 0, "ended": 0, "kills": 0, "resumes": 0, "answers cut": 0})
        self.wrong = []
        self.users = 0

    @property
    def over(self):
        return self.told["kills"] >= self.wanted

    def sql(self, text):
        return self.labs[0].sql(text)

    def turn(self, turn, columns="status"):
        return self.sql(f"SELECT {columns} FROM turn WHERE id ="
                        f" UNHEX('{turn.replace('-', '')}')")[0]

    # -- one plan ---------------------------------------------------------------

    def begin(self, user, asks):
        """The id of its turn; None: its process died before it was stored."""
        key = {"Idempotency-Key": f"{user}-1"}
        with contextlib.suppress(*BROKEN):
            stream = Stream(*random.choice(self.labs).open("POST", "/chat/lab/stream", {
                "content": script(asks)}, headers=key, user=user))
            with contextlib.closing(stream):
                for event in stream:
                    if event.name == "user-message":
                        return event.data["turnId"]
        return None

    def answer(self, user, turn):
        rows = self.sql("SELECT call_id FROM turn_wait WHERE status = 1 AND turn_id ="
                        f" UNHEX('{turn.replace('-', '')}')")
        for [call] in rows:
            with contextlib.suppress(*BROKEN):
                random.choice(self.labs).stream(f"/turns/{turn}/tool-results", {"results": [
                    {"toolCallId": call, "result": {"choice": "A"}}]}, user=user).close()

    def follow(self, user, turn):
        """Its events to the end, from whichever node answers; what is wrong with them."""
        seen, last, end = [], 0, time.monotonic() + END_S
        while time.monotonic() < end:
            with contextlib.suppress(*BROKEN):
                stream = Stream(*random.choice(self.labs).open(
                    "GET", f"/turns/{turn}/events?after={last}", user=user))
                with contextlib.closing(stream):
                    if stream.status == 204:
                        break
                    for event in stream:
                        seen.append(event.name)
                        if int(event.id) <= last:
                            return f"event {event.id} after {last}"
                        last = int(event.id)
            if seen and seen[-1] in ("done", "error"):
                return "" if seen.count("done") == 1 else f"it ended with {seen[-1]}"
            self.answer(user, turn)
        return f"no end after {seen[-3:]}"

    def read(self, lab, user, turn):
        """What is wrong with its events, read from one node."""
        def answered():
            with contextlib.suppress(*BROKEN):
                events = Stream(*lab.open("GET", f"/turns/{turn}/events?after=0",
                                          user=user)).events()
                ids = [int(e.id) for e in events]
                names = [e.name for e in events]
                if ids != sorted(set(ids)):
                    return "numbers that do not grow"
                return names[-1:] == ["done"] and names.count("done") == 1
            return False

        try:
            wrong = wait_until("the end of its events", answered, 30)
        except AssertionError:
            return "its events have no end"
        return "" if wrong is True else wrong

    def check(self, user, turn):
        [status, resumes] = self.turn(turn, "status, resumes")
        self.told["resumes"] += int(resumes)
        [[made]] = self.sql("SELECT COUNT(*) FROM prompt WHERE holder_id IN (SELECT user_id FROM"
                            f" plan WHERE turn_id = UNHEX('{turn.replace('-', '')}'))")
        rows = self.sql("SELECT p.status, (SELECT COUNT(*) FROM plan_step s WHERE s.plan_id ="
                        " p.id AND s.status = 4), (SELECT MAX(c.landed) FROM plan_call c WHERE"
                        " c.plan_id = p.id), p.wakes FROM plan p WHERE p.turn_id ="
                        f" UNHEX('{turn.replace('-', '')}')")
        if status == "6" and not rows:	# its process died before the plan was stored
            return "" if made == "0" else f"{made} writes without a plan"
        whole = made == str(WRITES) and rows[0][0] == "done" and rows[0][2] == "1"
        # What the model says to the end of its plan may be cut, as any answer.
        self.told["answers cut"] += whole and status == "6"
        why = "" if whole and status in "36" else f"status {status}, {made} writes, plan {rows}"
        for lab in self.labs:
            why = why or self.read(lab, user, turn)
        return why

    def one(self):
        with self.lock:
            self.users += 1
            user = f"u{self.users}"
        asks, watched = random.random() < 0.25, random.random() < 0.5
        turn = self.begin(user, asks)
        if not turn:
            return
        with self.lock:
            self.told["plans"] += 1
        why = self.follow(user, turn) if watched else ""

        def over():
            if asks:
                self.answer(user, turn)
            return int(self.turn(turn)[0]) > 2

        with contextlib.suppress(AssertionError):	# check says what is wrong
            wait_until("the end of the plan", over, END_S)
        why = self.check(user, turn) or why
        with self.lock:
            self.told["ended"] += int(self.turn(turn)[0]) > 2
            if why:
                self.wrong.append(f"{user} {turn}: {why}")
                print("wrong:", self.wrong[-1], flush=True)

    def plan_on(self):
        while not self.over:
            try:
                self.one()
            except Exception as e:  # pylint: disable=broad-exception-caught
                with self.lock:
                    self.wrong.append(repr(e))
                    print("wrong:", repr(e), flush=True)

    # -- kills ------------------------------------------------------------------

    def kill(self):
        lab, name = random.choice([(lab, "responder") for lab in self.labs]
                                  + [(self.labs[0], "work")])
        runs = self.sql("SELECT COUNT(*) FROM turn WHERE status = 1 AND lease_until_us >"
                        " UNIX_TIMESTAMP(NOW(6)) * 1000000")[0][0]
        lab.stop(name, sig=signal.SIGKILL)
        # Not a wait for anything: how long it is gone, which others must bear.
        time.sleep(random.random() / 2)
        start_worker(lab) if name == "work" else lab.start_responder()
        if runs != "0":
            self.told["kills"] += 1
            if self.told["kills"] % 50 == 0:
                print(dict(self.told), flush=True)

    def run(self, plans_at_once):
        threads = [threading.Thread(target=self.plan_on) for _ in range(plans_at_once)]
        for t in threads:
            t.start()
        while not self.over:
            # Not a wait for anything: it is the moment of the kill, a random one.
            time.sleep(0.1 + random.random())
            self.kill()
        for t in threads:
            t.join()
        return {**self.told, "wrong": self.wrong}


def start_worker(lab):
    lab.spawn("work", [COMMAND, "-c", lab.config_file, "work", "--for", "86400"], env=LEASE)


def run(kills, plans_at_once=8):
    """What came of it: plans, ended, kills, resumes, and what is wrong."""
    with Lab(services=MODELS, config={"tools": TOOLS}, workspaces=WORKSPACES,
             responder_env=LEASE) as lab, \
            Twin(lab, services=MODELS, config={"tools": TOOLS}, responder_env=LEASE) as twin:
        start_worker(lab)
        for one in (lab, twin):
            wait_until("the web server", lambda one=one: one.get("/health").status == 200)
        return Storm([lab, twin], kills).run(plans_at_once)


def main():
    start = time.monotonic()
    told = run(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
    print(f"{told['plans']} plans, {told['ended']} ended, {told['kills']} kills,"
          f" {told['resumes']} resumed, {told['answers cut']} answers cut,"
          f" {len(told['wrong'])} wrong,"
          f" {time.monotonic() - start:.0f} s")
    return len(told["wrong"]) > 0


if __name__ == "__main__":
    sys.exit(main())
