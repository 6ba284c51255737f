# SPDX-License-Identifier: MIT
"""Where the user is: context types, the project and the focus of a message (C5 to C24, D4
to D9, D45 to D51)."""

import json

import pytest

from lab import Lab, Twin
from projects import make, owner, signed_in, told  # noqa: F401

ID = "0192f000-0000-7000-8000-000000000000"


@pytest.fixture(name="lab", scope="module")
def lab_with_projects():
    task = {"type": "object", "properties": {"task": {"type": "string"}}}
    with Lab(config={"tools": {"inner": {
            "kind": "agent", "description": "Does it.", "parameters": task,
            "agent": {"prompt": "Do the task.", "tools": ["analyse_log"]}}}}, workspaces={
        "office": {"workspace": "office", "name": "Office", "projects": True, "title_by_model": False,
                 "agents": [{"id": "helper"}, {"id": "mute", "tools": ["none"]}]},
        "lab": {"workspace": "lab", "name": "Lab", "title_by_model": False}}) as lab:
        yield lab


@pytest.fixture(name="project")
def project_of_the_test(lab, owner):
    made = make(lab, "/projects", owner, name="Lighthouse", description="A tower by the sea.")
    path = f"/projects/{made['id']}"
    task = make(lab, path + "/tasks", owner, title="Paint the door", dueDate="2027-02-01",
                priority="high")
    make(lab, path + "/tasks", owner, title="Long done", stateKey="done")
    document = make(lab, path + "/documents", owner, title="Lamp", description="What burns.",
                    content="# Lamp\n\nWhale oil was used.")
    make(lab, path + "/edges", owner, fromId=document["id"], toId=task["id"],
         relation="documents")
    return {"id": made["id"], "task": task["id"], "document": document["id"]}


def asked(lab, owner, workspace="office", content="Hello", **options):
    """What the model was sent: its instructions as one text, and the names of its tools."""
    lab.sent()
    lab.chat(content, workspace=workspace, user=owner, **options)
    sent = lab.sent()[0]
    text = "\n".join(m["content"] for m in sent["messages"] if m["role"] == "system")
    return text, {tool["function"]["name"] for tool in sent.get("tools", [])}


def test_a_project_is_told_in_few_words(lab, owner, project):
    text, tools = asked(lab, owner, projectId=project["id"])
    for words in ('the project "Lighthouse"', project["id"], "A tower by the sea.",
                  "Paint the door (todo, high, due 2027-02-01)", "tasks (2 in all",
                  "Lamp (draft)", "What burns.", "works in one project"):
        assert words in text, words
    assert "Long done" not in text and "Whale oil" not in text
    given = {line.split()[0] for line in lab.command(
        "list", "tools", "--context", "project").stdout.splitlines()}
    assert given <= tools and "create_onto_risk" not in tools and "web_search" not in tools


def test_what_one_looks_at_is_told_whole(lab, owner, project):
    text, _ = asked(lab, owner, projectId=project["id"], focusId=project["document"])
    for words in ('They look at this document: "Lamp"', "Whale oil was used.", "version 1",
                  "- documents: - Paint the door"):
        assert words in text, (words, text)


def test_without_a_project_the_projects_are_told(lab, owner, project):
    text, tools = asked(lab, owner)
    assert "Projects of the user" in text and "Lighthouse" in text and "Paint" not in text
    assert {"list_onto_projects", "search_ontology"} <= tools
    assert "create_onto_task" not in tools
    text, tools = asked(lab, owner, contextType="project_create")
    assert {"create_onto_project", "search_onto_projects", "get_field_info"} <= tools
    assert "list_onto_tasks" not in tools and "wants a new project" in text
    # A workspace without projects pays for none of it.
    text, tools = asked(lab, owner, workspace="lab")
    assert "Lighthouse" not in text and not any("onto" in name for name in tools)
    text, tools = asked(lab, owner, agentId="mute", projectId=project["id"])
    assert "Lighthouse" in text and not tools


def test_agents_within_agents_have_only_what_they_list(lab, owner, project):
    lab.sent()
    lab.chat({"tool_calls": [{"name": "inner", "args": {"task": "go"}}],
              "then": {"text": "ok"}}, workspace="office", user=owner, projectId=project["id"])
    first, inner = lab.sent()[:2]
    assert any("onto" in tool["function"]["name"] for tool in first["tools"])
    assert "Do the task." in json.dumps(inner["messages"])
    assert {tool["function"]["name"] for tool in inner["tools"]} <= {
        "analyse_log", "read_result"}
    assert "Lighthouse" not in json.dumps(inner["messages"])


@pytest.mark.parametrize("options,field", [
    ({"contextType": "nonsense"}, "contextType"), ({"contextType": "project"}, "projectId"),
    ({"contextType": "ontology"}, "projectId"), ({"projectId": "7"}, "projectId"),
    ({"projectId": ID}, "projectId"), ({"focusId": ID}, "focusId"),
    ({"projectId": "{id}", "focusId": ID}, "focusId"),
    ({"projectId": "{id}", "focusId": "{foreign}"}, "focusId"),
    ({"projectId": "{id}", "focusId": "x"}, "focusId")])
def test_what_is_not_there_is_refused(lab, owner, project, options, field):
    other = make(lab, "/projects", owner, name="Other")["id"]
    foreign = make(lab, f"/projects/{other}/goals", owner, title="F")["id"]
    body = {key: value.format(id=project["id"], foreign=foreign)
            for key, value in options.items()}
    answer = lab.post("/chat/office/stream", {"content": "x", **body}, user=owner)
    assert (answer.status, answer.json["field"]) == (422, field), answer
    assert lab.get("/conversations", user=owner).json["items"] == []


def test_of_others_as_of_nothing(lab, owner, project):
    answers = [lab.post("/chat/office/stream", {"content": "x", "projectId": id},
                        user="stranger") for id in (project["id"], ID)]
    assert [a.status for a in answers] == [422, 422]
    assert answers[0].json["detail"] == answers[1].json["detail"]


def test_text_of_others_taints_and_ones_own_does_not(lab, owner, project):
    write = {"tool_calls": [{"name": "create_onto_goal", "args": {
        "project_id": project["id"], "title": "Shine"}}], "then": {"text": "ok"}}

    def events():
        return [(e.name, e.data.get("reason")) for e in lab.chat(
            told(write), workspace="office", user=owner, projectId=project["id"])
            if e.name in ("approval-request", "tool-result")]
    assert events() == [("tool-result", None)]
    other = signed_in(lab, "d")
    make(lab, f"/projects/{project['id']}/members", owner, user=other, role="editor")
    assert events() == [("approval-request", "tainted")]
    text, _ = asked(lab, owner, projectId=project["id"])
    assert "UNTRUSTED" in text and "Lighthouse" in text


def test_it_stays_with_the_message(lab, owner, project):
    done = lab.chat("Hello", workspace="office", user=owner, projectId=project["id"])[-1].data
    [message] = [m for m in lab.get(f"/conversations/{done['conversationId']}/messages",
                                    user=owner).json["items"] if m["role"] == "user"]
    assert message["metadata"]["projectId"] == project["id"]
    lab.sent()
    again = lab.stream(f"/conversations/{done['conversationId']}/regenerate", {}, user=owner)
    assert again.events()[-1].name == "done"
    text = json.dumps(lab.sent()[0]["messages"])
    assert "Lighthouse" in text
    # Deleted since then: it is left out, and the answer comes.
    lab.call("DELETE", f"/projects/{project['id']}", user=owner, headers={"If-Match": "*"})
    again = lab.stream(f"/conversations/{done['conversationId']}/regenerate", {}, user=owner)
    assert again.events()[-1].name == "done"
    assert "A tower" not in json.dumps(lab.sent()[0]["messages"])


def test_the_agents_stream_has_contexts(lab, owner, project):
    events = lab.stream("/agent/stream", {
        "message": "Hello", "workspaceId": "office", "contextType": "project_audit",
        "projectId": project["id"]}, user=owner).events()
    assert events[-1].name == "done", events
    assert "wants this project to be examined" in json.dumps(lab.sent()[-1]["messages"])


def test_a_large_project_is_cut(lab, owner, project):
    for n in range(60):
        make(lab, f"/projects/{project['id']}/documents", owner, title=f"Document {n:03}",
             description="d" * 400)
    text, _ = asked(lab, owner, projectId=project["id"])
    pack = text[text.index("The user is in the project"):]
    assert "documents (61 in all" in pack and len(pack) < 4000 * 4 + 500
    assert "(21 more are left out here" in pack and "(0 more" not in pack


def test_projects_with_the_newest_changes_are_told_first(lab, owner, project):
    for n in range(21):
        make(lab, "/projects", owner, name=f"Newer {n:02}")
    text, _ = asked(lab, owner)
    assert "Lighthouse" not in text and "Newer 01" in text
    make(lab, f"/projects/{project['id']}/tasks", owner, title="Today")
    text, _ = asked(lab, owner)
    told = text[text.index("Projects of the user"):]
    assert told.index("Lighthouse") < told.index("Newer 20") and "Newer 01" not in told
    assert told.count("- ") >= 20


# What a client that knows only C1 and D21 to D24 expects of each event.
RECORDED = {
    "session": {"session_id": str, "turn_id": str, "context_type": str, "project_id": str},
    "context_usage": {"input_tokens": int},
    "agent_state": {"state": str},
    "text_delta": {"delta": str},
    "tool_call": {"call_id": str, "tool_name": str, "args": dict},
    "tool_result": {"call_id": str, "tool_name": str, "is_error": bool},
    "operation": {"action": str, "entity_type": str, "entity_name": str, "status": str},
    "entity_patch": {"entity_type": str, "entity_id": str, "patch": dict},
    "done": {"session_id": str, "finish_reason": str},
}


def test_a_client_that_knows_only_the_designs_names(lab, owner, project):
    script = told({"tool_calls": [{"name": "create_onto_task", "args": {
        "project_id": project["id"], "title": "Polish the lens"}}], "then": {"text": "Made."}})
    body = {"message": script, "session_id": "my-chat", "context_type": "project",
            "project_id": project["id"], "stream_run_id": "run-1", "workspace_id": "office",
            "focus": {"entity_type": "document", "entity_id": project["document"]}}
    events = lab.stream("/agent/stream", body, user=owner).events()
    got = {}
    for event in events:
        assert event.data["type"] == event.name
        for key, kind in RECORDED.get(event.name, {}).items():
            assert isinstance(event.data[key], kind), (event.name, key, event.data)
        got.setdefault(event.name, []).append(event.data)
    assert set(RECORDED) <= set(got), got["tool_result"]
    assert [events[0].name, events[-1].name] == ["session", "done"]
    assert [(o["action"], o["status"]) for o in got["operation"]] == [
        ("create", "start"), ("create", "success")]
    assert got["entity_patch"][0]["entity_id"] == got["operation"][1]["entity_id"]
    assert "".join(d["delta"] for d in got["text_delta"]) == "Made."
    session = got["session"][0]
    assert (session["scope"], session["focus_id"]) == ("entity", project["document"])
    # The same run again is that run; its session is found by the client's own name.
    again = lab.stream("/agent/stream", body, user=owner).events()
    assert again[-1].data["turn_id"] == got["done"][0]["turn_id"]
    later = lab.stream("/agent/stream", {"message": "Hello", "session_id": "my-chat"},
                       user=owner).events()[0].data
    assert later["session_id"] == session["session_id"] and not later["created"]
    assert later["focus_id"] == project["document"] and later["scope"] == "entity"
    wrong = lab.post("/agent/stream", {**body, "session_id": "other", "stream_run_id": "2",
                     "focus": {"entity_type": "task", "entity_id": project["document"]}},
                     user=owner)
    assert (wrong.status, wrong.json["field"]) == (422, "entity_type")


def place_of(record):
    return [record[key] for key in ("contextType", "projectId", "focusId")]


def test_a_conversation_has_a_place_of_its_own(lab, owner, project):
    """Set by the first turn, changed by a later one and by PATCH, used by those without."""
    first = lab.chat("Hello", workspace="office", user=owner, contextType="project_audit",
                     projectId=project["id"])[-1].data
    path = f"/conversations/{first['conversationId']}"

    def record():
        return lab.get(path, user=owner).json

    def next_turn(**options):
        return asked(lab, owner, conversationId=first["conversationId"], **options)[0]

    assert place_of(record()) == ["project_audit", project["id"], None]
    text = next_turn()
    assert "wants this project to be examined" in text and "Lighthouse" in text
    assert "Whale oil" not in text
    assert "Whale oil" in next_turn(projectId=project["id"], focusId=project["document"])
    assert place_of(record()) == [None, project["id"], project["document"]]
    assert "Whale oil" in next_turn()
    # An answer made anew, an edited question and a copy have it, too.
    for verb, body in (("regenerate", {}), ("edit", {"content": "Again"})):
        [said, *_] = [m for m in lab.get(path + "/messages", user=owner).json["items"]
                      if m["role"] == "user"]
        body = {**body, "messageId": said["messageId"]} if body else {}
        lab.sent()
        assert lab.stream(f"{path}/{verb}", body, user=owner).events()[-1].name == "done"
        assert "Whale oil" in json.dumps(lab.sent()[0]["messages"]), verb
    said = lab.get(path + "/messages", user=owner).json["items"][0]
    fork = lab.post(path + "/fork", {"messageId": said["messageId"]}, user=owner).json
    assert place_of(fork) == place_of(record())
    preview = lab.post("/workspaces/office/preview", {
        "content": "x", "conversationId": first["conversationId"]}, user=owner).json
    assert "Whale oil" in json.dumps(preview["parts"])

    def patch(**body):
        return lab.call("PATCH", path, body, user=owner, headers={"If-Match": "*"})
    for body, field in (
            ({"projectId": ID}, "projectId"), ({"contextType": "nope"}, "contextType"),
            ({"focusId": ID}, "focusId"), ({"projectId": "x"}, "projectId"),
            ({"projectId": None, "contextType": "ontology"}, "projectId")):
        answer = patch(**body)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    assert place_of(patch(focusId=None).json) == [None, project["id"], None]
    assert place_of(patch(contextType="ontology").json) == ["ontology", project["id"], None]
    assert place_of(patch(projectId=None).json) == [None, None, None]
    assert "Projects of the user" in next_turn()
    assert place_of(patch(projectId=project["id"], focusId=project["task"]).json) == [
        None, project["id"], project["task"]]
    # A turn that says where it is leaves the project.
    assert "Projects of the user" in next_turn(contextType="global")
    made = make(lab, "/conversations", owner, workspaceId="office", projectId=project["id"])
    assert place_of(made) == [None, project["id"], None]


def test_a_place_that_is_gone_is_told(lab, owner, project):
    other = signed_in(lab, "d")
    member = make(lab, f"/projects/{project['id']}/members", owner, user=other)
    said = lab.chat("Hello", workspace="office", user=other, projectId=project["id"],
                    focusId=project["task"])[-1].data

    def again():
        lab.sent()
        events = lab.chat("Again", workspace="office", user=other,
                          conversationId=said["conversationId"])
        assert events[-1].name == "done", events
        return ([e.data["message"] for e in events if e.name == "warning"],
                json.dumps(lab.sent()[0]["messages"]))
    warnings, text = again()
    assert not warnings and "Paint the door" in text
    lab.call("DELETE", f"/projects/{project['id']}/tasks/{project['task']}", user=owner,
             headers={"If-Match": "*"})
    [warning], text = again()
    assert "What this conversation is about was deleted" in warning and "Lighthouse" in text
    lab.call("DELETE", f"/projects/{project['id']}/members/{member['id']}", user=owner,
             headers={"If-Match": "*"})
    [warning], text = again()
    assert "project of this conversation was deleted" in warning and "Lighthouse" not in text


def test_a_place_is_read_in_advance(lab, owner, project):
    stranger = signed_in(lab, "s")
    for body in ({}, {"context_type": "global"}, {"project_id": project["id"]},
                 {"context_type": "project_audit", "project_id": project["id"]},
                 {"projectId": project["id"], "focusId": project["task"]},
                 {"project_id": project["id"], "focus": {
                     "entity_type": "document", "entity_id": project["document"]}}):
        answer = lab.post("/agent/prewarm", body, user=owner)
        assert (answer.status, answer.body) == (204, b""), (body, answer)
    for body, field in (({"project_id": ID}, "project_id"), ({"project_id": "x"}, "project_id"),
                        ({"projectId": ID}, "projectId"),
                        ({"context_type": "project"}, "project_id"),
                        ({"contextType": "project"}, "projectId"),
                        ({"context_type": "never"}, "context_type"),
                        ({"contextType": "never"}, "contextType"),
                        ({"focusId": project["task"]}, "focusId"),
                        ({"project_id": project["id"], "focusId": ID}, "focusId"),
                        ({"project_id": project["id"], "focus": {
                            "entity_type": "boat", "entity_id": ID}}, "entity_type"),
                        ({"project": ID}, "project")):
        answer = lab.post("/agent/prewarm", body, user=owner)
        assert (answer.status, answer.json["field"]) == (422, field), (body, answer)
    # What a stranger may not see is as what there is not.
    seen = [lab.post("/agent/prewarm", {"project_id": id}, user=stranger)
            for id in (project["id"], ID)]
    assert [(a.status, a.json["detail"]) for a in seen] == [(422, seen[0].json["detail"])] * 2


def test_nothing_stale_is_told_after_a_change_elsewhere(lab, owner, project):
    """Also of what was read in advance a moment ago; the change is another process's."""
    at = f"/projects/{project['id']}"

    def change(lab, path, **body):
        answer = lab.call("PATCH", at + path, body, user=owner, headers={"If-Match": "*"})
        assert answer.status == 200, answer
    with Twin(lab) as other:
        for n in range(3):
            for node in (lab, other):
                assert node.post("/agent/prewarm", {"project_id": project["id"]},
                                 user=owner).status == 204
            assert f"Door {n}" not in asked(lab, owner, projectId=project["id"])[0]
            change(other, f"/tasks/{project['task']}", title=f"Door {n}")
            assert f"Door {n} (" in asked(lab, owner, projectId=project["id"])[0]
        change(other, f"/documents/{project['document']}", content="# Lamp\n\nGas is used.")
        focus = {"projectId": project["id"], "focusId": project["document"]}
        assert "Gas is used" in asked(lab, owner, **focus)[0]
        change(other, f"/documents/{project['document']}", content="# Lamp\n\nLight is used.")
        assert "Light is used" in asked(lab, owner, **focus)[0]
        change(other, "", description="A tower on a rock.")
        assert "A tower on a rock." in asked(lab, owner, **focus)[0]
        [link] = other.get(at + "/edges", user=owner).json["items"]
        assert "It is linked with" in asked(lab, owner, **focus)[0]
        other.call("DELETE", f"{at}/edges/{link['id']}", user=owner)
        assert "It is linked with" not in asked(lab, owner, **focus)[0]
        # Who works on it: it is told as a text of others, and to nobody who left.
        member = signed_in(lab, "m")
        made = make(other, at + "/members", owner, user=member)
        assert "Door 2" in asked(lab, member, projectId=project["id"])[0]
        other.call("DELETE", f"{at}/members/{made['id']}", user=owner)
        answer = lab.post("/chat/office/stream", {
            "content": "Hello", "projectId": project["id"]}, user=member)
        assert (answer.status, answer.json["field"]) == (422, "projectId"), answer
        # What is looked at is deleted, and is there again.
        other.call("DELETE", f"{at}/documents/{project['document']}", user=owner,
                   headers={"If-Match": "*"})
        assert lab.post("/chat/office/stream", {"content": "Hello", **focus},
                        user=owner).status == 422
        [gone] = other.get(f"{at}/changes?verb=delete&kind=document", user=owner).json["items"]
        assert other.post(f"{at}/changes/{gone['id']}/undo", {}, user=owner).status < 300
        assert "Light is used" in asked(lab, owner, **focus)[0]


def test_a_copy_is_told_until_something_is_committed(lab, owner, project):
    """Also by a transaction that began before others which were committed first."""
    row, at = (project[key].replace("-", "") for key in ("task", "id"))

    def rename(title):
        lab.sql(f"UPDATE entity SET title = '{title}' WHERE id = UNHEX('{row}')")
    assert "Paint the door" in asked(lab, owner, projectId=project["id"])[0]
    # Nothing changes so, and it shows that a copy is told.
    rename("Unseen")
    assert "Unseen" not in asked(lab, owner, projectId=project["id"])[0]
    make(lab, f"/projects/{project['id']}/goals", owner, title="Newer")
    assert "Unseen" in asked(lab, owner, projectId=project["id"])[0]
    rename("Late")
    lab.sql("INSERT INTO resource_change (id, tenant_id, user_id, version, created_us, updated_us,"
            " parent_id, top_id, kind, row_id, title, verb, number, fields)"
            " SELECT UNHEX(REPLACE(UUID(), '-', '')), tenant_id, user_id, 0, created_us - 60000000,"
            " updated_us, parent_id, top_id, kind, row_id, title, verb, number, fields"
            f" FROM resource_change WHERE parent_id = UNHEX('{at}')"
            " ORDER BY created_us DESC LIMIT 1")
    assert "Late" in asked(lab, owner, projectId=project["id"])[0]
    # Another user's, another place's and an older one's are others.
    rename("Own")
    member = signed_in(lab, "m")
    make(lab, f"/projects/{project['id']}/members", owner, user=member)
    assert "Own" in asked(lab, member, projectId=project["id"])[0]
    assert "Late" in asked(lab, owner, projectId=project["id"])[0]
    assert "Own" in asked(lab, owner, projectId=project["id"], focusId=project["task"])[0]


def test_a_pack_has_each_member_that_it_has_to_have(lab, owner, project):
    """D5, member by member; docs/projects.md says what is different."""
    at = f"/projects/{project['id']}"
    make(lab, at + "/goals", owner, title="Ships are warned")
    kept = lab.call("PATCH", "/settings", {"custom_context": "I am the keeper."}, user=owner)
    assert kept.status == 200, kept
    said = lab.chat("Hello", workspace="office", user=owner, **{
        "projectId": project["id"], "focusId": project["document"]})[-1].data
    preview = lab.post("/workspaces/office/preview", {
        "content": "x", "conversationId": said["conversationId"]}, user=owner).json
    parts = {part["part"]: part for part in preview["parts"]}
    place = parts["place-own"]["text"]
    # systemInstructions, scope
    assert parts["guardrails"]["tokens"] > 0 and "works in one project" in parts["scope"]["text"]
    # userPreferences
    assert "I am the keeper." in parts["user-context"]["text"]
    # focus, projectSummary, docStructure, entityDetails, linkedEntities
    for words in ('the project "Lighthouse"', project["id"], 'document: "Lamp"',
                  project["document"], "A tower by the sea.", "tasks (2 in all", "goals (1 in all",
                  "documents (1 in all", "What burns.", "Whale oil was used.",
                  "- documents: - Paint the door"):
        assert words in place, words
    # budgets
    assert 0 < parts["place-own"]["tokens"] <= 4000 and parts["place-own"]["cut"] is False
    rows = {line.split("\t")[0]: line for line in
            lab.command("list", "parts").stdout.splitlines()}
    assert {"place", "place-own", "user-context", "agent-state", "agent-state-own", "remembered",
            "knowledge", "mentions", "memory", "history"} <= set(rows)
    assert "4000" in rows["place"]
    # focus and scope as the client of a stream is told
    first = lab.stream("/agent/stream", {
        "message": "Hello", "workspace_id": "office", "project_id": project["id"],
        "focus": {"entity_type": "document", "entity_id": project["document"]}},
        user=owner).events()
    session = first[0].data
    assert (session["scope"], session["project_id"], session["focus_id"]) == (
        "entity", project["id"], project["document"])
    assert [e for e in first if e.name == "context_usage"]
