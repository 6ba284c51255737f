# SPDX-License-Identifier: MIT
"""What the stand-in model says about projects: what the demo's page suggests, with the real
tools."""

import pytest

from projects import lab, make, owner  # noqa: F401


@pytest.fixture(name="project")
def project_of_the_test(lab, owner):
    made = make(lab, "/projects", owner, name="Pilot: flow meters")["id"]
    path = f"/projects/{made}"
    tasks = {title: make(lab, path + "/tasks", owner, title=title, **more)["id"]
             for title, more in {"Firmware": {"dueDate": "2027-03-01"},
                                 "Read the west hall": {"stateKey": "blocked"},
                                 "Unpack": {"stateKey": "done"}}.items()}
    risk = make(lab, path + "/risks", owner, title="The permit comes late")["id"]
    for one, other in ((tasks["Firmware"], tasks["Read the west hall"]),
                       (risk, tasks["Read the west hall"]), (tasks["Unpack"], tasks["Firmware"])):
        make(lab, path + "/edges", owner, fromId=one, toId=other, relation="blocks")
    return made

def ask(lab, owner, content, /, **more):
    events = lab.stream("/chat/office/stream", {"content": content, **more}, user=owner).events()
    return events, events[-1].data

def approve_all(lab, owner, events):
    """Approves what is asked for, as long as something is; the last events."""
    while events[-1].name == "waiting":
        one = events[-1].data["for"][0]
        events = lab.stream(f"/turns/{one['turnId']}/approvals", {
            "approvalId": one["approvalId"], "digest": one["digest"],
            "decision": "approve"}, user=owner).events()
    assert events[-1].name == "done", events[-1]
    return events


def test_what_is_open_and_what_blocks_it(lab, owner, project):
    question = "What is open for the pilot, and what blocks it?"
    _, done = ask(lab, owner, question, projectId=project)
    text = done["content"]
    assert "Open in **Pilot: flow meters**: 2 tasks." in text, text
    assert "- **Firmware** (todo, due 2027-03-01)\n" in text and "Unpack" not in text
    assert "Blocked by **Firmware**" in text and "Blocked by **The permit comes late**" in text
    # Without a project in view it is found by its name.
    _, done = ask(lab, owner, question)
    assert "Open in **Pilot: flow meters**" in done["content"]
    # That becomes tasks, after an approval: what was read is text of others.
    _, done = ask(lab, owner, question, projectId=project)
    events, _ = ask(lab, owner, "Turn that into tasks", projectId=project,
                    conversationId=done["conversationId"])
    approve_all(lab, owner, events)
    found = {row["title"] for row in
             lab.get(f"/projects/{project}/tasks", user=owner).json["items"]}
    assert {"Resolve: Firmware", "Resolve: The permit comes late"} <= found


def test_a_task_a_move_and_a_project(lab, owner, project):
    events, done = ask(lab, owner, "Add a task to order the seals", projectId=project)
    assert "Task: **Order the seals**" in done["content"], done
    assert [e.name for e in events].count("entity-patch") == 1
    path = f"/projects/{project}/documents"
    plan = make(lab, path, owner, title="Installation plan")["id"]
    where = make(lab, path, owner, title="Context")["id"]
    events = approve_all(lab, owner, ask(lab, owner, "Move the installation plan under Context",
                                         projectId=project)[0])
    [moved] = [e.data["patch"] for e in events if e.name == "entity-patch"]
    assert moved == {"parentId": where, "position": 0, "title": "Installation plan"}
    assert lab.get(f"{path}/{plan}", user=owner).json["parentId"] == where
    events, _ = ask(lab, owner, "I want a new project called Winter tyres, to have all cars "
                    "ready by November.", contextType="project_create")
    assert "**Winter tyres** is there" in approve_all(lab, owner, events)[-1].data["content"]
    [made] = lab.get("/projects?q=winter", user=owner).json["items"]
    [context] = lab.get(f"/projects/{made['id']}/documents", user=owner).json["items"]
    assert context["typeKey"] == "context" and context["contentLength"] > 20
    _, done = ask(lab, owner, "I want a new project", contextType="project_create")
    assert "What shall the project be called?" in done["content"]
