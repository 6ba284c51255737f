# SPDX-License-Identifier: MIT
"""What the user wants (C31, D10, D35, D57): changes in projects run only where the model and
the user's own words say so; the sentences are in tests/unit/test_intent.c."""

import json
import uuid

import pytest

from decisions import decide
from projects import lab, make, owner, project, signed_in, told  # noqa: F401


def task(project, **more):
    return ("create_onto_task", {"project_id": project, "title": "Polish", **more})


def calls(*named):
    return {"tool_calls": [{"name": name, "args": args} for name, args in named],
            "then": {"text": "ok"}}


def say(lab, owner, project, words, *named, **more):
    return lab.chat(told(calls(*named), words), workspace="office", user=owner,
                    projectId=project, **more)


def reasons(events):
    return [e.data["reason"] for e in events if e.name == "approval-request"]


def modes(events):
    return [e.data["mode"] for e in events if e.name == "agent-state" and "mode" in e.data]


def titles(lab, owner, project):
    return [one["title"] for one in
            lab.get(f"/projects/{project}/tasks", user=owner).json["items"]]


@pytest.mark.parametrize("words,declared,mode", [
    ("Create a task for that.", "act", "act"), ("Create a task for that.", None, "act"),
    ("Create a task for that.", "clarify", "clarify"),
    ("Create a task for that.", "inform", "inform"),
    ("Maybe we should have a task for that.", "act", "clarify"),
    ("What is open?", "act", "inform"), ("What is open?", None, "inform"),
    ("Leg dafür eine Aufgabe an.", "act", "act"),
    ("Man könnte dafür eine Aufgabe anlegen.", "act", "clarify"),
    ("What is meant by this?\n> Create a task for that. Go ahead.", "act", "inform")])
def test_both_must_say_so(lab, owner, project, words, declared, mode):
    more = {"mode": declared} if declared else {}
    events = say(lab, owner, project, words, task(project, **more))
    assert modes(events) == [mode]
    runs = mode == "act"
    assert reasons(events) == ([] if runs else ["intent"])
    assert titles(lab, owner, project) == (["Polish"] if runs else [])
    if runs:
        rows = lab.get(f"/conversations/{events[-1].data['conversationId']}/messages",
                       user=owner).json["items"]
        assert [m["metadata"].get("mode") for m in rows] in ([None, "act"], ["act", None])
        return
    # What is held runs when it is approved, once.
    wait = next(e.data for e in events if e.name == "approval-request")
    done = decide(lab, wait, user=owner).events()
    assert done[-1].name == "done" and titles(lab, owner, project) == ["Polish"]


def test_the_mode_is_no_news_of_the_agent_state(lab, owner, project):
    """AG-UI clients get a STATE_DELTA only if there is something new in it."""
    events = [e.data for e in lab.stream("/ag-ui/office", {
        "threadId": uuid.uuid4().hex, "runId": "r", "forwardedProps": {"projectId": project},
        "messages": [{"id": "m", "role": "user",
                      "content": told(calls(task(project)), "What is open?")}]},
        user=owner).events()]
    assert [e["value"]["mode"] for e in events
            if e["type"] == "CUSTOM" and e["name"] == "agent-state"] == ["inform"]
    assert "STATE_DELTA" not in [e["type"] for e in events]


def test_the_model_is_offered_it_and_the_tool_is_not_given_it(lab, owner, project):
    lab.sent()
    say(lab, owner, project, "Do it.", task(project, mode="act"))
    tools = {tool["function"]["name"]: tool["function"]["parameters"]["properties"]
             for tool in lab.sent()[0]["tools"]}
    assert tools["create_onto_task"]["mode"] == {"enum": ["act", "inform", "clarify"]}
    assert "mode" in tools["link_onto_entities"] and "mode" in tools["move_document_in_tree"]
    assert "mode" not in tools["list_onto_tasks"] and "mode" not in tools["delete_onto_task"]
    events = say(lab, owner, project, "Do it.", task(project, mode="always"))
    assert "mode" in next(e for e in events if e.name == "tool-result").data["result"][
        "error"]["message"]
    assert titles(lab, owner, project) == ["Polish"]


def test_a_deletion_is_always_asked_about(lab, owner, project):
    one = make(lab, f"/projects/{project}/tasks", owner, title="Old")
    events = say(lab, owner, project, "Delete the task. Do it now.", ("delete_onto_task", {
        "task_id": one["id"], "version": 1}))
    assert reasons(events) == ["policy"] and titles(lab, owner, project) == ["Old"]


def test_text_of_others_still_asks(lab, owner, project):
    other = signed_in(lab, "x")
    make(lab, f"/projects/{project}/members", owner, user=other, role="editor")
    assert reasons(say(lab, owner, project, "Do it.", task(project, mode="act"))) == ["tainted"]


def test_an_answer_is_the_last_word(lab, owner, project):
    def asked(answer):
        script = {"tool_calls": [{"name": "ask_user", "args": {
            "question": "Create it?", "options": ["Yes, please", "No"]}}],
            "then": calls(task(project, mode="act"))}
        events = lab.chat(told(script, "There is much to polish."), workspace="office",
                          user=owner, projectId=project)
        [wait] = events[-1].data["for"]
        return lab.stream(f"/turns/{wait['turnId']}/tool-results", {"results": [
            {"toolCallId": wait["toolCallId"], "result": {"answer": answer}}]}, user=owner).events()
    assert reasons(asked("No")) == ["intent"]
    assert titles(lab, owner, project) == []
    assert reasons(asked("Yes, please")) == []
    assert titles(lab, owner, project) == ["Polish"]


def test_an_answer_counts_after_a_new_offer_of_tools(lab, owner, project):
    """A long result brings read_result, so that the tools are offered again."""
    long = make(lab, f"/projects/{project}/documents", owner, title="Long",
                content="line of the log\n" * 9000)
    script = {"tool_calls": [{"name": "ask_user", "args": {
        "question": "Really?", "options": ["Yes", "No"]}}],
        "then": {"tool_calls": [{"name": "get_onto_document_details", "args": {
            "document_id": long["id"]}}], "then": calls(task(project, mode="act"))}}
    events = lab.chat(told(script, "Create a task for that."), workspace="office", user=owner,
                      projectId=project)
    [wait] = events[-1].data["for"]
    lab.sent()
    events = lab.stream(f"/turns/{wait['turnId']}/tool-results", {"results": [
        {"toolCallId": wait["toolCallId"], "result": {"answer": "No"}}]}, user=owner).events()
    offers = [{t["function"]["name"] for t in body["tools"]} for body in lab.sent()]
    assert "read_result" not in offers[0] and "read_result" in offers[-1]
    assert modes(events) == ["clarify"] and titles(lab, owner, project) == []


def test_an_answer_counts_after_another_wait(lab, owner, project):
    script = {"tool_calls": [{"name": "ask_user", "args": {
        "question": "Really?", "options": ["Yes", "No"]}}],
        "then": {**calls(task(project)), "then": calls(task(project))}}
    events = lab.chat(told(script, "Create a task for that."), workspace="office", user=owner,
                      projectId=project)
    [wait] = events[-1].data["for"]
    events = lab.stream(f"/turns/{wait['turnId']}/tool-results", {"results": [
        {"toolCallId": wait["toolCallId"], "result": {"answer": "No"}}]}, user=owner).events()
    assert reasons(events) == ["intent"]
    events = decide(lab, next(e.data for e in events if e.name == "approval-request"),
                    user=owner).events()
    assert reasons(events) == ["intent"] and titles(lab, owner, project) == ["Polish"]


def test_a_permission_for_the_conversation_counts(lab, owner, project):
    events = say(lab, owner, project, "Hm.", task(project))
    wait = next(e.data for e in events if e.name == "approval-request")
    assert wait["rememberable"]
    decide(lab, wait, user=owner, remember="conversation").events()
    events = say(lab, owner, project, "Hm.", task(project),
                 conversationId=wait["conversationId"])
    assert reasons(events) == [] and modes(events) == ["clarify"]
    assert titles(lab, owner, project) == ["Polish"] * 2


def test_v2_shows_it_in_the_agent_state(lab, owner, project):
    stream = lab.stream("/chat/office/stream?dialect=v2", {
        "content": told(calls(task(project)), "Do it."), "projectId": project}, user=owner)
    states = [e.data for e in stream.events() if e.name == "agent_state"]
    assert [s["mode"] for s in states if "mode" in s] == ["act"]
    assert all(s["state"] in ("thinking", "executing") for s in states), json.dumps(states)
