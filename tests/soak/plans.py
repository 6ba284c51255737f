#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long plans take, and what is left of them when their process is killed (-9) at random
moments, two to five times each, and the user skips or stops some of their steps, and answers
what one of them asks while the others run, or between two kills: every plan ends or goes on,
and each of its twelve writes happened once, or not at all if its step was skipped. A plan whose
process died before it was stored wrote nothing.

  LAMPLIGHTER_BUILD=... tests/unit/with-mariadb plans.py [SECONDS]"""

import json
import pathlib
import random
import signal
import sys
import time

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "api")]

# pylint: disable=wrong-import-position
from lab import Lab, scripted, wait_until
from plans import SERVICES, agent, plan, prompts, result, stage, step

TOOLS = {"plan_research": agent("slow"), "plan_tooling": agent("writes"),
         "plan_editor": agent("fast"), "plan_planner": agent("asks")}
MODELS = {**SERVICES, "fast": {"model": scripted({"text": "x"})},
          "slow": {"model": scripted({"text": "found it", "first_byte_ms": 1000})},
          "asks": {"model": scripted({"tool_calls": [{"name": "ask_user", "args": {
              "question": "Which?", "options": ["This", "That"]}}], "then": {"text": "asked"}})}}
WRITES = 12
QUESTION = WRITES // 2		# the number of the step that asks


def took(lab, n, executor, mode):
    start = time.monotonic()
    events = plan(lab, stage(*(step(f"s{i}", executor) for i in range(n)), mode=mode))
    assert result(events)["status"] == "done", events[-1]
    return time.monotonic() - start


def begin(lab):
    stages = [stage(*(step(f"w{n}", "tooling", tools=["create_prompt"])
                      for n in range(WRITES // 2))) for _ in range(2)]
    stages[0]["steps"].append(step("q", "planner", tools=["ask_user"]))
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": stages}}],
        "then": {"text": "all done"}})}, user="ada")
    return stream, next(e for e in iter(stream) if e.name == "user-message").data["turnId"]


def skip_some(lab, turn):
    """Skips or stops one of its steps, if it is stored and has not ended."""
    for row in lab.get("/plans", user="ada").json["items"][:1]:
        if row["turnId"] == turn:
            lab.post(f"/plans/{row['id']}/skip", {
                "stepId": f"step{random.randint(1, WRITES + 1)}"}, user="ada")


def answer(lab, turn):
    """Answers what the turn asks: the stream of its rest; None: it asks for nothing."""
    waits = lab.get(f"/turns/{turn}", user="ada").json.get("waitingFor")
    stream = waits and lab.stream(f"/turns/{turn}/tool-results", {"results": [
        {"toolCallId": one["toolCallId"], "result": {"choice": "A"}} for one in waits]},
        user="ada")
    return stream if stream and stream.status == 200 else None


def wrong(lab, turn, made, status):
    """What is wrong with what came of a plan, or ''."""
    rows = lab.sql("SELECT SUM(s.status = 4), SUM(s.status = 6), MAX(n.landed) FROM plan p"
                   " JOIN plan_step s ON s.plan_id = p.id LEFT JOIN (SELECT plan_id,"
                   " number >> 20 AS step, SUM(landed) AS landed FROM plan_call GROUP BY 1, 2) n"
                   " ON n.plan_id = p.id AND n.step = s.number"
                   f" WHERE s.number <> {QUESTION} AND p.turn_id = "
                   f"UNHEX('{turn.replace('-', '')}')")
    done, skipped, most = (0 if n == "NULL" else int(n) for n in rows[0])
    if status == "interrupted" and made == 0:
        return ""
    if done + skipped == WRITES and done <= made <= WRITES and most <= 1:
        return ""
    return f"{made} writes, {done} done, {skipped} skipped, {most} in one step, {status}"


def killed(lab):
    """One plan; how many kills it took, and what is wrong with its end, or ''."""
    before = prompts(lab)
    stream, turn = begin(lab)
    kills, status = 0, "waiting"
    for _ in range(random.randint(2, 5)):
        # Not a wait for anything: it is the moment of the kill, which is to be a random one.
        time.sleep(random.random() * 0.35)
        if random.random() < 0.4:
            skip_some(lab, turn)
        if random.random() < 0.4:
            answer(lab, turn)
        lab.stop("responder", sig=signal.SIGKILL)
        kills += 1
        lab.start_responder()
        wait_until("the web server", lambda: lab.get("/health").status == 200)
        lab.sql("UPDATE turn SET lease_until_us = 1 WHERE status = 1")
        status = lab.get(f"/turns/{turn}", user="ada").json["status"]
        if status != "waiting":
            break
        stream = lab.stream(f"/turns/{turn}/continue", {}, user="ada")
        if stream.status == 409:	# only the question is left
            stream = answer(lab, turn)
    if status == "waiting":
        while (last := stream.events()[-1].name) == "waiting":
            stream = answer(lab, turn)
            if not stream:
                break
        if last != "done":
            return kills, f"it ended with {last}"
    return kills, wrong(lab, turn, prompts(lab) - before, status)


def main():
    until = time.monotonic() + (float(sys.argv[1]) if len(sys.argv) > 1 else 300)
    kills = plans = bad = skipped = 0
    with Lab(services=MODELS, config={"tools": TOOLS}, workspaces={"lab": {
            "workspace": "lab", "title_by_model": False,
            "agents": [{"id": "boss", "tools": ["plan", "create_prompt", "ask_user"]}]}}) as lab:
        print(f"8 steps of 1 s in parallel: {took(lab, 8, 'research', 'parallel'):.2f} s")
        print(f"40 steps in sequence: {took(lab, 40, 'editor', 'sequence') * 25:.1f} ms each")
        while time.monotonic() < until:
            n, why = killed(lab)
            kills += n
            plans += 1
            skipped += int(lab.sql("SELECT COUNT(*) FROM plan_step WHERE status = 6")[0][0])
            if why:
                bad += 1
                print("wrong:", why, flush=True)
            lab.sql("DELETE FROM prompt_reader; DELETE FROM prompt; DELETE FROM plan;"
                    " DELETE FROM plan_step; DELETE FROM plan_call")
    print(f"{plans} plans, {kills} kills, {skipped} steps skipped or stopped, {bad} wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
