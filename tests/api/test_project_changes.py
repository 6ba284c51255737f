# SPDX-License-Identifier: MIT
"""Changes in projects: what the user follows (D21 to D25), what other windows are told, and
taking back (the `change` row of each)."""

import json
import time

import pytest

from lab import Stream, wait_until
from projects import lab, make, owner, project, signed_in, told  # noqa: F401

ID = "0192f000-0000-7000-8000-000000000000"


def changes(lab, owner, project, query=""):
    answer = lab.get(f"/projects/{project}/changes{query}", user=owner)
    assert answer.status == 200, answer
    return answer.json["items"]


def undo(lab, owner, project, change, status=200):
    answer = lab.post(f"/projects/{project}/changes/{change}/undo", None, user=owner)
    assert answer.status == status, answer
    return answer.json


def patch(lab, path, owner, /, **body):
    version = lab.get(path, user=owner).json["version"]
    answer = lab.call("PATCH", path, body, user=owner, headers={"If-Match": f'"{version - 1}"'})
    if answer.status == 412:    # an ETag is the client's to copy
        tag = dict(lab.get(path, user=owner).headers)["ETag"]
        answer = lab.call("PATCH", path, body, user=owner, headers={"If-Match": tag})
    assert answer.status == 200, answer
    return answer.json


def said(lab, owner, project, script, dialect="", **more):
    """The events of a turn in the project that have to do with it."""
    return [e for e in lab.chat(told(script), workspace="office", user=owner, projectId=project,
                                **more) if e.name in ("operation", "entity-patch")]


def calls(*named):
    return {"tool_calls": [{"name": name, "args": args} for name, args in named],
            "then": {"text": "ok"}}


# -- the user follows ------------------------------------------------------------------------

def test_a_call_is_an_operation_and_a_patch(lab, owner, project):
    events = said(lab, owner, project, calls(("create_onto_task", {
        "project_id": project, "title": "Paint the door", "due_date": "2027-02-01"})))
    assert [(e.name, e.data.get("status", e.data["action"])) for e in events] == [
        ("operation", "start"), ("entity-patch", "create"), ("operation", "success")]
    start, patched, end = [e.data for e in events]
    assert start == {"action": "create", "entityType": "task", "entityName": "Paint the door",
                     "status": "start"}
    assert end == {**start, "status": "success", "entityId": patched["entityId"]}
    task = lab.get(f"/entities/{patched['entityId']}", user=owner).json
    record = {key: task[key] for key in task if key not in ("kind", "projectId")}
    assert patched["patch"] == record       # what the database has after it
    assert patched["projectId"] == project and patched["version"] == record["version"] == 1
    # A read names what is read, with its id, and changes nothing.
    events = said(lab, owner, project, calls(
        ("get_onto_task_details", {"task_id": task["id"]})))
    assert [(e.data["action"], e.data["entityName"], e.data.get("entityId")) for e in events] \
        == [("read", "Paint the door", task["id"])] * 2


def test_a_change_names_first_what_is_changed(lab, owner, project):
    task = make(lab, f"/projects/{project}/tasks", owner, title="Old")
    events = said(lab, owner, project, calls(("update_onto_task", {
        "task_id": task["id"], "title": "New", "version": 1})))
    assert events[0].data == {"action": "update", "entityType": "task", "entityName": "Old",
                              "status": "start", "entityId": task["id"]}
    assert events[1].data["patch"]["title"] == "New" and events[1].data["version"] == 2
    # One that fails says so, and nothing is patched; arguments that do not fit do nothing.
    events = said(lab, owner, project, calls(("update_onto_task", {
        "task_id": task["id"], "title": "Late", "version": 1})))
    assert [(e.name, e.data["status"]) for e in events] == [
        ("operation", "start"), ("operation", "error")]
    assert said(lab, owner, project, calls(("update_onto_task", {
        "task_id": task["id"], "title": ["x"], "version": 2}))) == []
    # Of what is not the user's, nothing is named.
    other = signed_in(lab, "s")
    hidden = make(lab, "/projects", other, name="Hidden")["id"]
    goal = make(lab, f"/projects/{hidden}/goals", other, title="Secret")["id"]
    for id in (goal, ID):
        events = said(lab, owner, project, calls(("get_onto_goal_details", {"goal_id": id})))
        assert [(e.data["entityName"], e.data.get("entityId"), e.data["status"])
                for e in events] == [("", None, "start"), ("", None, "error")]


def test_what_belongs_together_comes_together_or_not_at_all(lab, owner, project):
    events = said(lab, owner, project, calls(("create_onto_project", {
        "name": "Pier", "context_document": {"content": "# Why"},
        "entities": [{"kind": "task", "ref": "a", "title": "Drive piles"},
                     {"kind": "risk", "ref": "b", "title": "Storm"}],
        "relationships": [{"from": "b", "to": "a", "relation": "blocks"}]})),
        contextType="project_create", )
    kinds = [e.data["entityType"] for e in events if e.name == "entity-patch"]
    assert kinds == ["project", "document", "task", "risk", "edge"]
    assert "content" not in events[2].data["patch"]
    assert events[-1].data["entityId"] == events[1].data["entityId"]
    events = said(lab, owner, project, calls(("create_onto_project", {
        "name": "Quay", "entities": [{"kind": "task", "title": "x"},
                                     {"kind": "task", "title": "y", "priority": "never"}]})),
        contextType="project_create")
    assert [e.data["status"] for e in events] == ["start", "error"]


def test_every_reader_has_them_in_its_own_words(lab, owner, project):
    script = calls(("create_onto_goal", {"project_id": project, "title": "Shine"}))
    body = {"content": told(script), "projectId": project}
    stream = lab.stream("/chat/office/stream?dialect=v2", body, user=owner)
    events = [e for e in stream.events() if e.name in ("operation", "entity_patch")]
    assert set(events[0].data) - {"type"} == {"action", "entity_type", "entity_name", "status"}
    assert set(events[1].data) - {"type"} == {
        "action", "entity_type", "entity_id", "project_id", "version", "change_id", "call_id",
        "patch"}


def test_the_message_says_what_was_changed(lab, owner, project):
    done = lab.chat(told(calls(("create_onto_task", {"project_id": project, "title": "Sweep"}))),
                    workspace="office", user=owner, projectId=project)[-1].data
    rows = lab.get(f"/conversations/{done['conversationId']}/messages?include=steps",
                   user=owner).json["items"]
    [tool] = [m for m in rows if m["role"] == "tool"]
    [change] = tool["metadata"]["changes"]
    [stored] = changes(lab, owner, project, "?kind=task")
    assert (change["changeId"], change["entityId"], change["title"], change["action"],
            change["version"], change["projectId"]) == (
        stored["id"], stored["rowId"], "Sweep", "create", 1, project)
    assert stored["turnId"] == done["turnId"] and stored["changedBy"] == owner
    assert changes(lab, owner, project, f"?turnId={done['turnId']}") == [stored]


# -- what happened ---------------------------------------------------------------------------

def test_changes_are_listed_with_their_fields(lab, owner, project):
    path = f"/projects/{project}/documents"
    one = make(lab, path, owner, title="Lamp", content="Oil")
    patch(lab, f"{path}/{one['id']}", owner, title="Lens", content="Glass")
    two = make(lab, path, owner, title="Stair")
    lab.post(f"/projects/{project}/tree", {"documentId": two["id"], "parentId": one["id"]},
             user=owner)
    assert lab.call("DELETE", f"{path}/{two['id']}", user=owner,
                    headers={"If-Match": "*"}).status == 204
    seen = [(c["kind"], c["verb"], c["title"], c["number"], c["fields"])
            for c in changes(lab, owner, project)]
    assert seen == [
        ("document", "delete", "Stair", 1, []),
        ("document", "move", "Stair", 1, ["parentId", "position"]),
        ("document", "create", "Stair", 1, []),
        ("document", "update", "Lens", 2, ["title", "content", "contentLength"]),
        ("document", "create", "Lamp", 1, []), ("project", "create", "Lighthouse", 1, [])]
    assert all(c["turnId"] is None and c["changedBy"] == owner
               for c in changes(lab, owner, project))
    assert len(changes(lab, owner, project, f"?rowId={one['id']}")) == 2
    # A stranger finds nothing; a viewer sees them, and takes nothing back.
    stranger, viewer = signed_in(lab, "x"), signed_in(lab, "v")
    assert lab.get(f"/projects/{project}/changes", user=stranger).status == 404
    make(lab, f"/projects/{project}/members", owner, user=viewer, role="viewer")
    newest = changes(lab, viewer, project)[0]["id"]
    undo(lab, viewer, project, newest, 403)
    undo(lab, stranger, project, newest, 404)
    undo(lab, owner, project, ID, 404)
    # What it was before is in no answer.
    assert "Oil" not in json.dumps(changes(lab, owner, project))


def test_nothing_is_left_of_a_deleted_project(lab, owner, project):
    make(lab, f"/projects/{project}/tasks", owner, title="Gone")
    row = project.replace("-", "").upper()
    assert lab.call("DELETE", f"/projects/{project}", user=owner,
                    headers={"If-Match": "*"}).status == 204
    assert lab.call("DELETE", f"/projects/deleted/{project}", user=owner).status == 204
    wait_until("the changes have gone", lambda: not lab.sql(
        f"SELECT 1 FROM resource_change WHERE HEX(top_id) = '{row}' LIMIT 1"))


def test_erased_logins_are_not_in_what_was_before(lab, owner, project):
    other = signed_in(lab, "p")
    path = f"/projects/{project}/tasks"
    task = make(lab, path, owner, title="Ask", owner=other)
    patch(lab, f"{path}/{task['id']}", owner, owner=None)
    assert not lab.sql(f"SELECT 1 FROM resource_change WHERE before_json LIKE '%{other}%'")
    change = changes(lab, owner, project)[0]
    undo(lab, owner, project, change["id"])
    assert lab.get(f"{path}/{task['id']}", user=owner).json["owner"] == other


# -- taking back -----------------------------------------------------------------------------

def test_each_kind_of_change_is_taken_back(lab, owner, project):
    path = f"/projects/{project}/documents"
    one = make(lab, path, owner, title="Lamp", content="Oil", description="Old")
    before = lab.get(f"{path}/{one['id']}", user=owner).json
    patch(lab, f"{path}/{one['id']}", owner, content="Glass", description=None)
    done = undo(lab, owner, project, changes(lab, owner, project)[0]["id"])
    now = lab.get(f"{path}/{one['id']}", user=owner).json
    assert (now["content"], now["description"], now["contentLength"]) == ("Oil", "Old", 3)
    assert done["version"] == now["version"] == 3 and done["action"] == "update"
    assert changes(lab, owner, project)[0]["undoes"] is not None
    # A deletion: the id, the content and the links are there again.
    task = make(lab, f"/projects/{project}/tasks", owner, title="Light it")
    make(lab, f"/projects/{project}/edges", owner, fromId=one["id"], toId=task["id"],
         relation="documents")
    assert lab.call("DELETE", f"{path}/{one['id']}", user=owner,
                    headers={"If-Match": "*"}).status == 204
    deleted = changes(lab, owner, project)[0]["id"]
    undo(lab, owner, project, deleted)
    now = lab.get(f"{path}/{one['id']}", user=owner).json
    assert {key: now[key] for key in ("title", "content", "description", "typeKey")} == \
        {key: before[key] for key in ("title", "content", "description", "typeKey")}
    links = lab.get(f"/entities/{one['id']}/links", user=owner).json["items"]
    assert [(link["relation"], link["entity"]["id"]) for link in links] == [
        ("documents", task["id"])]
    undo(lab, owner, project, deleted, 409)
    # What was made goes; a link too; a move goes back.
    created = [c for c in changes(lab, owner, project, "?kind=task")][0]["id"]
    undo(lab, owner, project, created)
    assert lab.get(f"/entities/{task['id']}", user=owner).status == 404
    two = make(lab, path, owner, title="Stair")
    lab.post(f"/projects/{project}/tree", {"documentId": two["id"], "parentId": one["id"]},
             user=owner)
    undo(lab, owner, project, changes(lab, owner, project)[0]["id"])
    root = lab.get(f"/projects/{project}/tree", user=owner).json["root"]
    assert sorted(node["title"] for node in root) == ["Lamp", "Stair"]


def test_what_was_changed_again_is_not_taken_back(lab, owner, project):
    path = f"/projects/{project}/goals"
    goal = make(lab, path, owner, title="One")
    patch(lab, f"{path}/{goal['id']}", owner, title="Two")
    change = changes(lab, owner, project)[0]["id"]
    patch(lab, f"{path}/{goal['id']}", owner, title="Three")
    problem = undo(lab, owner, project, change, 412)
    assert "changed again" in problem["detail"]
    assert lab.get(f"{path}/{goal['id']}", user=owner).json["title"] == "Three"


def test_under_what_is_gone_it_is_at_the_top(lab, owner, project):
    path = f"/projects/{project}/documents"
    top = make(lab, path, owner, title="Top")
    leaf = make(lab, path, owner, title="Leaf", parentId=top["id"])
    for one in (leaf, top):
        assert lab.call("DELETE", f"{path}/{one['id']}", user=owner,
                        headers={"If-Match": "*"}).status == 204
    [change] = [c for c in changes(lab, owner, project, f"?rowId={leaf['id']}")
                if c["verb"] == "delete"]
    undo(lab, owner, project, change["id"])
    assert lab.get(f"{path}/{leaf['id']}", user=owner).json["parentId"] is None


# -- other windows ---------------------------------------------------------------------------

def listen(lab, user):
    stream = Stream(*lab.open("GET", "/notifications", user=user, timeout_s=20))
    events = iter(stream)
    assert next(events).name == "ready"
    return stream, events


def next_patch(events, id=None):
    """The next one, of that row: what was changed just before they listen is told, too."""
    return next((e.data for e in events if e.name == "entity-patch" and
                 id in (None, e.data["entityId"])), None)


@pytest.mark.threads
def test_everyone_who_reads_it_is_told_within_a_second(lab, owner, project):
    viewer, stranger = signed_in(lab, "v"), signed_in(lab, "x")
    make(lab, f"/projects/{project}/members", owner, user=viewer, role="viewer")
    streams = [listen(lab, user) for user in (owner, viewer, stranger)]
    began = time.monotonic()
    task = make(lab, f"/projects/{project}/tasks", owner, title="See it")
    for _, events in streams[:2]:
        assert next_patch(events, task["id"]) == {
            "projectId": project, "entityType": "task", "entityId": task["id"],
            "action": "create", "version": 1}
        assert time.monotonic() - began < 2
    for title in ("b", "c", "d"):
        patch(lab, f"/projects/{project}/tasks/{task['id']}", owner, title=title)
    assert [next_patch(streams[1][1], task["id"])["version"] for _ in range(3)] == [2, 3, 4]
    # The stranger's own is the first that they hear of.
    own = make(lab, "/projects", stranger, name="Mine")["id"]
    heard = next_patch(streams[2][1])
    assert (heard["projectId"], heard["entityType"]) == (own, "project")
    for stream, _ in streams:
        stream.close()


@pytest.mark.threads
def test_a_poll_is_told_too(lab, owner, project):
    first = lab.get("/notifications?wait=0", user=owner).json
    make(lab, f"/projects/{project}/risks", owner, title="Fog")
    answer = lab.get(f"/notifications?wait=10&after={first['lastId']}", user=owner).json
    assert [i["data"]["entityType"] for i in answer["items"]
            if i["event"] == "entity-patch"][-1] == "risk"
