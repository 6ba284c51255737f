# SPDX-License-Identifier: MIT
"""What the user does to a plan: skips a step, and runs a step or all of it again; also on the
plain pages."""

import json
import threading
import urllib.parse

import pytest

from lab import Lab, wait_until
from plain_browser import NOBODY, Browser, ended
from plans import SERVICES, agent, plan, prompts, result, stage, step


@pytest.fixture(scope="module")
def lab():
    tools = {"plan_research": agent("reads"), "plan_tooling": agent("writes"),
             "plan_writer": agent("pairs")}
    with Lab(services=SERVICES, config={"tools": tools}, workspaces={
            "lab": {"workspace": "lab", "title_by_model": False, "agents": [
                {"id": "boss", "tools": ["plan", "create_prompt"]}]},
            "strict": {"workspace": "strict", "title_by_model": False, "confirm": "always",
                       "agents": [{"id": "boss", "tools": ["plan", "create_prompt"]}]}},
             ) as lab:
        yield lab


def writes(name, **more):
    return step(name, "tooling", tools=["create_prompt"], id=name, **more)


def approvals(events):
    return [e.data for e in events if e.name == "approval-request"]


def decide(lab, request, decision="approve"):
    return lab.stream(f"/turns/{request['turnId']}/approvals", {
        "approvalId": request["approvalId"], "decision": decision}, user="ada").events()


def skip(lab, plan_id, step_id, user="ada"):
    return lab.post(f"/plans/{plan_id}/skip", {"stepId": step_id}, user=user)


def statuses(lab, plan_id):
    return [s["status"] for s in lab.get(f"/plans/{plan_id}", user="ada").json["progress"]]


def waiting(lab, *stages):
    """A plan whose writes wait, its id and its turn."""
    asked, = approvals(plan(lab, *stages, workspace="strict"))
    events = decide(lab, asked)
    assert events[-1].name == "waiting"
    row = lab.get("/plans", user="ada").json["items"][0]
    return events, row["id"], row["turnId"]


def again(lab, plan_id, workspace="lab", conversation=None, **options):
    conversation = conversation or lab.get(f"/plans/{plan_id}", user="ada").json["conversationId"]
    return lab.chat({"text": "x", "then": {"text": "once more"}}, workspace=workspace, conversationId=conversation,
                    planAgain=plan_id, **options)


def test_steps_that_wait_are_skipped(lab):
    """What they wait for is dropped, what needs them is not run, and the rest goes on."""
    before = prompts(lab)
    _, plan_id, turn = waiting(lab, stage(writes("w", outputs=["o"]), writes("x"), step("r")),
                               stage(step("n", inputs=["o"]), step("m")))
    assert skip(lab, plan_id, "w", user="eve").status == 404
    assert skip(lab, plan_id, "nope").status == 404
    assert skip(lab, plan_id, "step3").json["code"] == "conflict"
    for _ in range(2):
        answer = skip(lab, plan_id, "w")
        assert answer.status == 200 and answer.json["turnStatus"] == "waiting", answer
    assert statuses(lab, plan_id)[0] == "skipped"
    open_, = [w for w in lab.get(f"/turns/{turn}", user="ada").json["waitingFor"]]
    assert skip(lab, plan_id, "x").status == 200
    assert lab.get(f"/turns/{turn}", user="ada").json["waitingFor"] == [], open_
    events = lab.stream(f"/turns/{turn}/continue", {}, user="ada").events()
    assert events[-1].name == "done", events[-1]
    assert result(events)["status"] == "partial"
    assert [s["status"] for s in result(events)["steps"]] == [
        "skipped", "skipped", "done", "skipped", "done"]
    assert prompts(lab) == before
    assert skip(lab, plan_id, "w").json["code"] == "conflict"


def test_a_plan_ends_while_a_step_is_skipped(lab):
    """What its runner stores meanwhile is not set back by what was read before."""
    _, plan_id, _ = waiting(lab, stage(writes("w"), writes("x")))
    row = f"id = UNHEX('{plan_id.replace('-', '')}')"
    answers = []
    thread = threading.Thread(target=lambda: answers.append(skip(lab, plan_id, "w")))
    with lab.locked("plan", row, then=f"UPDATE plan SET status = 'done' WHERE {row}"):
        thread.start()
        wait_until("the skip to wait", lambda: lab.waits_for_lock("FOR UPDATE"))
    thread.join()
    assert answers[0].json["code"] == "conflict", answers[0]
    assert lab.get(f"/plans/{plan_id}", user="ada").json["status"] == "done"


def test_a_step_is_skipped_before_it_begins(lab):
    """While others run: of two in a sequence the second is skipped in time."""
    stream = lab.stream("/chat/lab/stream", {"content": "!script " + json.dumps({
        "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": [
            stage(step("a", id="a"), step("b", id="b"), step("c", id="c"), mode="sequence")]}}],
        "then": {"text": "all done"}})}, user="ada")
    for event in iter(stream):
        if event.name == "plan":
            assert skip(lab, event.data["planId"], "c").status == 200
            break
    events = stream.events()
    assert [s["status"] for s in result(events)["steps"]] == ["done", "done", "skipped"]


def test_decisions_go_where_they_belong(lab):
    """Two calls of one round of a step (LangGraph issue 6626), and a decision about what has
    ended (Mastra issue 24796)."""
    events, plan_id, turn = waiting(lab, stage(step("p", "writer", tools=["create_prompt"])))
    one, two = sorted(approvals(events), key=lambda a: a["arguments"]["name"])
    assert one["toolCallId"] != two["toolCallId"]
    assert decide(lab, two)[-1].name == "waiting"
    assert (prompts(lab, "one"), prompts(lab, "two")) == (0, 1)
    assert decide(lab, one, "deny")[-1].name == "done"
    for request in (one, two):
        late = lab.post(f"/turns/{turn}/approvals", {
            "approvalId": request["approvalId"], "decision": "approve"}, user="ada")
        assert late.status == 409, late
    assert skip(lab, plan_id, "step1").status == 409
    assert (prompts(lab, "one"), prompts(lab, "two")) == (0, 1)


def test_a_plan_runs_again(lab):
    """What is done stays, unless it is asked for; what needs it runs with it."""
    before = prompts(lab)
    events, plan_id, _ = waiting(lab, stage(writes("w"), writes("x", outputs=["o"])),
                                 stage(step("r", id="r", inputs=["o"])))
    one, two = approvals(events)
    assert decide(lab, one)[-1].name == "waiting"
    done = decide(lab, two, "deny")
    assert [s["status"] for s in result(done)["steps"]] == ["done"] * 3
    events = again(lab, plan_id, "strict", planSteps=["x"])
    asked, = approvals(events)
    assert asked["tool"] == "plan" and not asked.get("editable")
    events = decide(lab, asked)
    asked, = approvals(events)
    assert asked["tool"] == "create_prompt"
    events = decide(lab, asked)
    assert events[-1].name == "done" and events[-1].data["content"] == "once more"
    fresh = result(events)["planId"]
    assert fresh != plan_id and statuses(lab, fresh) == ["done"] * 3
    assert prompts(lab) == before + 2
    assert lab.sql("SELECT number FROM plan_call WHERE HEX(plan_id) = "
                   f"'{fresh.replace('-', '')}'") == [[str(1 << 20)]]
    error = result(again(lab, plan_id, "strict", planSteps=["nope"]))["error"]
    assert "no step" in error["message"]
    assert lab.get(f"/plans/{plan_id}", user="ada").json["status"] == "done"
    other = plan(lab, stage(step("r")))[0].data["conversationId"]
    error = result(again(lab, plan_id, conversation=other))["error"]
    assert "no such plan" in error["message"]


def test_what_is_kept_keeps_its_origins(lab):
    """Text of others in a result that is kept counts in the plan that runs again."""
    first = plan(lab, stage(step("r", id="r", outputs=["o"])),
                 stage(writes("w", inputs=["o"])))
    plan_id = result(first)["planId"]
    lab.sql("UPDATE plan_step SET origins = '[{\"kind\":\"tool-result\",\"name\":\"web\"}]'"
            f" WHERE number = 0 AND HEX(plan_id) = '{plan_id.replace('-', '')}'")
    events = again(lab, plan_id, planSteps=["w"])
    asked, = approvals(events)
    assert asked["tool"] == "create_prompt" and asked["reason"] == "tainted", asked


def test_a_plan_counts_as_stored(lab):
    """Its texts, the results of its steps, and what their calls were and gave."""
    def used():
        return next(one["used"] for one in lab.get("/me/limits", user="bo").json["items"]
                    if one["key"] == "conversations")

    lab.chat({"tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": [
        stage(writes("w"))]}}], "then": {"text": "x"}}, user="bo")
    for change in ("plan SET goal = REPEAT('g', 10001)",
                   "plan_step SET result = CONCAT(result, REPEAT('r', 10000))",
                   "plan_call SET result = CONCAT(result, REPEAT('r', 10000))"):
        before = used()
        lab.sql(f"UPDATE {change} WHERE conversation_id IN (SELECT id FROM conversation"
                " WHERE user_id = (SELECT id FROM user WHERE login = 'bo'))"
                if "plan_" in change else f"UPDATE {change} WHERE goal = 'g' AND user_id ="
                " (SELECT id FROM user WHERE login = 'bo')")
        assert used() == before + 10000, change


def test_as_plain_cgi(lab):
    """Each request is a process of its own, that of a decision and of a skip, too."""
    before = prompts(lab)
    lab.stop("responder")

    def call(path, body):
        reply = lab.cgi(path, body)
        said = reply.stdout.read().decode()
        reply.stdout.close()
        assert reply.wait(30) == 0
        return [json.loads(line[6:]) for line in said.splitlines()
                if line.startswith("data: {")] or [json.loads(said.split("\r\n\r\n", 1)[1])]

    try:
        events = call("/chat/strict/stream", {"content": "!script " + json.dumps({
            "tool_calls": [{"name": "plan", "args": {"goal": "g", "stages": [
                stage(writes("w"), writes("x")), stage(step("r"))]}}],
            "then": {"text": "all done"}})})
        for _ in range(2):
            wait = events[-1]["for"][0]
            turn = wait["turnId"]
            events = call(f"/turns/{turn}/approvals", {
                "approvalId": wait["approvalId"], "decision": "approve"})
        plan_id = next(e["planId"] for e in events if "planId" in e)
        [wait] = events[-1]["for"]
        left = "wx"[int(wait["toolCallId"].split(plan_id + "-")[1]) >> 20]
        assert call(f"/plans/{plan_id}/skip", {"stepId": left})[0]["status"] == "skipped"
        events = call(f"/turns/{turn}/continue", {})
    finally:
        lab.start_responder()
        wait_until("it answers", lambda: lab.get("/me", user="ada").status == 200)
    assert events[-1]["content"] == "all done"
    assert sorted(statuses(lab, plan_id)) == ["done", "done", "skipped"]
    assert prompts(lab) == before + 1


def test_plain_pages(lab):
    """The plan is read, its steps are skipped and run again, without JavaScript."""
    before = prompts(lab)
    _, plan_id, turn = waiting(lab, stage(writes("w"), writes("x")), stage(step("r<b>", id="r")))
    browser = Browser(lab)

    def submit(page, action, fields):
        form = next(f for f in page.forms if action in f["action"]
                    and fields.items() <= f["fields"].items())
        url = urllib.parse.urljoin("/" + page.url, form["action"])[1:]
        return browser.follow(browser.post(url, form["fields"]), url)

    path = f"plain/turns/{turn}?steps=1"
    for name in ("w", "x"):
        page = browser.get(path)
        assert "r&lt;b&gt; (ready)" in page.text and f"{name} (waiting)" in page.text
        path = submit(page, f"plans/{plan_id}/skip", {"step": name})
    page = browser.get(path)
    assert page.text.count("(skipped)") == 2
    path = submit(page, f"turns/{turn}/continue", {})
    conversation = ended(browser, path)
    page = browser.get(conversation)
    assert any(f"plans/{plan_id}" in link for link in page.links)
    page = browser.get(f"plain/plans/{plan_id}")
    assert "found it" in page.text and "The plan is partial." in page.text
    path = submit(page, "conversations/", {"planSteps": "r"})
    assert "Allow this action" in browser.get(path).text
    assert prompts(lab) == before
    assert browser.call("GET", f"plain/plans/{NOBODY}").status == 404
