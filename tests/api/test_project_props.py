# SPDX-License-Identifier: MIT
"""What YAML adds to what is in projects (entities:): fields, types and states. They are
checked, described and kept as those that are built in."""

import io
import json
import re
import subprocess
import zipfile

import pytest

from lab import COMMAND, Lab, wait_until
from plain_forms import Browser, form_to
from projects import OFFICE, Clerk, make, signed_in, told

ENTITIES = {
    "task": {
        "types": ["bug", "chore"],
        "states": {"waiting": "Waiting for others",
                   "verified": {"label": "Verified <it>", "counts": "done"},
                   "parked": {"counts": "closed"}, "done": "Finished"},
        "props": {
            "effort": {"type": "integer", "label": "Effort <h>", "min": 0, "max": 100,
                       "example": 8, "description": "Hours of work"},
            "cost": {"type": "number", "min": 0.5},
            "billable": {"type": "boolean"},
            "stage": {"type": "choice", "choices": {"design": "Design phase", "build": "Build"}},
            "due_at": {"type": "date"},
            "tags": {"type": "list", "max_chars": 20},
            "customer": {"type": "text", "max_chars": 12},
        }},
    "goal": {"props": {
        "phase": {"type": "choice", "choices": {"a": "A", "b": "B", "a,b": "Both",
                                                "!a": "Not A"}},
        "points": {"type": "number"}}},
    "risk": {"props": {"source": {"type": "text", "required": True,
                                  "description": "Who has told it"}}},
    "project": {"props": {"code": {"type": "id"}}, "types": {"tender": "Tender"}},
}


@pytest.fixture(name="lab", scope="module")
def lab_with_props():
    with Lab(config={"entities": ENTITIES}, workspaces={
            "office": OFFICE, "lab": {"workspace": "lab", "name": "Lab"}}) as lab:
        yield lab


@pytest.fixture(name="owner")
def owner_of_the_test(lab):
    return signed_in(lab, "p")


@pytest.fixture(name="tasks")
def tasks_of_the_test(lab, owner):
    """The path of the tasks of a project of theirs."""
    return f"/projects/{make(lab, '/projects', owner, name='Props')['id']}/tasks"


def change(lab, user, path, **body):
    return lab.call("PATCH", path, body, user=user, headers={"If-Match": "*"})


def send(lab, user, data):
    return lab.call("POST", "/projects/import", data if isinstance(data, bytes)
                    else json.dumps(data).encode(), user=user,
                    headers={"Content-Type": "application/octet-stream"})


ALL = {"effort": 8, "cost": 0.5, "billable": False, "stage": "build", "due_at": "2027-02-28",
       "tags": ["a", "b c"], "customer": "Zoë & Söhne"}


def test_members_are_kept_merged_and_removed(lab, owner, tasks):
    made = make(lab, tasks, owner, title="x", props=ALL)
    assert made["props"] == ALL
    assert make(lab, tasks, owner, title="without")["props"] == {}
    at = f"{tasks}/{made['id']}"
    assert change(lab, owner, at, props={"effort": 9, "tags": None}).json["props"] == {
        **{k: v for k, v in ALL.items() if k != "tags"}, "effort": 9}
    assert change(lab, owner, at, title="y").json["props"]["effort"] == 9
    assert {one["id"]: one["props"].get("effort") for one in
            lab.get(tasks, user=owner).json["items"]}[made["id"]] == 9
    assert change(lab, owner, at, props=None).json["props"] == {}
    # What an undo takes back is all of it, not merged.
    page = lab.get(tasks.replace("tasks", "changes"), user=owner).json["items"]
    assert page[0]["fields"] == ["props"]
    undone = lab.call("POST", tasks.replace("tasks", f"changes/{page[0]['id']}/undo"), {},
                      user=owner)
    assert undone.status in (200, 201), undone
    assert lab.get(at, user=owner).json["props"]["effort"] == 9


@pytest.mark.parametrize("props,field,says", [
    ({"efort": 8}, "props.efort", "effort"),
    ({"effort": "8"}, "props.effort", "whole number"),
    ({"effort": 8.5}, "props.effort", "whole number"),
    ({"effort": 101}, "props.effort", "0 to 100"),
    ({"cost": 0.25}, "props.cost", "0.5"),
    ({"cost": True}, "props.cost", "a number"),
    ({"billable": "yes"}, "props.billable", "true or false"),
    ({"stage": "Build"}, "props.stage", "design or build"),
    ({"due_at": "2027-02-29"}, "props.due_at", "a day"),
    ({"tags": "a"}, "props.tags", "a list"),
    ({"tags": ["a\nb"]}, "props.tags", "one line"),
    ({"tags": ["x" * 15, "y" * 15]}, "props.tags", "20 characters"),
    ({"customer": "x" * 13}, "props.customer", "at most 12"),
    ({"customer": {"name": "x"}}, "props.customer", "a text"),
    ("text", "props", "object"),
    ([1], "props", "object"),
])
def test_what_does_not_fit_is_refused_by_name(lab, owner, tasks, props, field, says):
    path = tasks + "/" + make(lab, tasks, owner, title="x", props={"effort": 1})["id"]
    for said in (lab.post(tasks, {"title": "x", "props": props}, user=owner),
                 change(lab, owner, path, props=props)):
        assert (said.status, said.json["field"]) == (422, field), said
        assert says in said.json["detail"], said.json
    assert lab.get(path, user=owner).json["version"] == 1


def test_what_is_required_is_there(lab, owner, tasks):
    risks = tasks.replace("tasks", "risks")
    for body in ({}, {"props": {}}, {"props": {"source": None}}):
        said = lab.post(risks, {"title": "x", **body}, user=owner)
        assert (said.status, said.json["field"]) == (422, "props.source"), said
    one = make(lab, risks, owner, title="x", props={"source": "Ada"})
    for props in ({"source": None}, None):
        said = change(lab, owner, f"{risks}/{one['id']}", props=props)
        assert (said.status, said.json["field"]) == (422, "props.source"), said
    assert change(lab, owner, f"{risks}/{one['id']}", title="y").status == 200


def test_types_and_states_are_choices_everywhere(lab, owner, tasks):
    one = make(lab, tasks, owner, title="Crack", typeKey="bug", stateKey="waiting")
    at = f"{tasks}/{one['id']}"
    assert change(lab, owner, at, stateKey="verified").json["doneDate"] is not None
    assert change(lab, owner, at, stateKey="parked").json["doneDate"] is None
    said = change(lab, owner, at, stateKey="waitng")
    assert said.status == 422 and 'did you mean "waiting"' in said.json["detail"]
    # Those of tasks are no others'.
    assert lab.post(tasks.replace("tasks", "goals"), {"title": "x", "stateKey": "waiting"},
                    user=owner).json["field"] == "stateKey"

    def titles(query):
        return [item["title"] for item in lab.get(f"{tasks}?{query}", user=owner).json["items"]]
    make(lab, tasks, owner, title="Open")
    assert titles("stateKey=parked,verified") == ["Crack"]
    assert titles("stateKey=!parked,verified") == ["Open"]
    assert titles("typeKey=!bug&stateKey=todo") == ["Open"]
    assert lab.get(f"{tasks}?stateKey=nonsense", user=owner).json["field"] == "stateKey"

    forms = {form["name"]: form for form in lab.get("/forms", user=owner).json["items"]}
    fields = {field["key"]: field for field in forms["projects/tasks"]["fields"]}
    states = {c["value"]: (c["label"], c["closed"]) for c in fields["stateKey"]["choices"]}
    assert list(states)[0] == "todo" and states["todo"] == ("To do", False)
    assert states["done"] == ("Finished", True) and states["parked"] == ("Parked", True)
    assert states["waiting"] == ("Waiting for others", False)
    assert states["verified"] == ("Verified <it>", True)
    assert fields["props.effort"] == {
        "key": "props.effort", "label": "Effort <h>", "help": "Hours of work",
        "type": "integer", "mode": "edit", "required": False, "nullable": True, "min": 0,
        "max": 100, "multiline": False, "markdown": False, "choices": None, "default": None,
        "only": None, "of": None, "example": "8"}
    assert fields["props.stage"]["choices"] == [
        {"value": "design", "label": "Design phase"}, {"value": "build", "label": "Build"}]
    assert "props" not in fields
    required = {f["key"]: f["required"] for f in forms["projects/risks"]["fields"]}
    assert required["props.source"] and "props.effort" not in required


def test_tools_know_them(lab):
    clerk = Clerk(lab)
    [effort] = clerk("get_field_info", entity_type="task", field_name="props.effort")["task"]
    assert effort == {"field": "props.effort", "meaning": "Hours of work", "type": "integer",
                      "min": 0, "max": 100, "example": 8}
    names = [one["field"] for one in
             clerk("get_field_info", entity_type="task", field_name="props")["task"]]
    assert names == [f"props.{name}" for name in ENTITIES["task"]["props"]]
    everything = clerk("get_field_info")
    assert {"props.code"} <= {one["field"] for one in everything["project"]}
    [state] = clerk("get_field_info", entity_type="task", field_name="state_key")["task"]
    assert state["values"][-3:] == ["waiting", "verified", "parked"]
    project = clerk("create_onto_project", name="By tools", type_key="tender",
                    props={"code": "A.1"}, entities=[
                        {"kind": "task", "title": "One", "state_key": "waiting",
                         "props": {"effort": 3}}])
    [task] = project["entitiesCreated"]
    read = clerk("get_onto_task_details", task_id=task["id"])
    assert (read["stateKey"], read["props"]) == ("waiting", {"effort": 3})
    changed = clerk("update_onto_task", task_id=task["id"], version=1,
                    props={"effort": None, "stage": "build"})
    assert changed["props"] == {"stage": "build"}
    assert "props.efort" in clerk.refused("update_onto_task", task_id=task["id"], version=2,
                                          props={"efort": 1})
    assert "props.source" in clerk.refused("create_onto_risk",
                                           project_id=project["projectId"], title="x", props={})


def test_models_see_one_object_and_what_is_open(lab, owner, tasks):
    project = tasks.split("/")[2]
    make(lab, tasks, owner, title="Waits", stateKey="waiting")
    make(lab, tasks, owner, title="Was verified", stateKey="verified")
    one = make(lab, tasks, owner, title="Focus", props={"effort": 77})
    assert change(lab, owner, f"/projects/{project}", props={"code": "K-9"}).status == 200
    lab.sent()
    events = lab.chat("Hello", workspace="office", user=owner, projectId=project,
                      focusId=one["id"])
    assert events
    sent = lab.sent()[0]
    text = "\n".join(m["content"] for m in sent["messages"] if m["role"] == "system")
    assert "Waits (waiting" in text and "Was verified" not in text
    assert '"effort":77' in text and '"code":"K-9"' in text
    schemas = {tool["function"]["name"]: tool["function"]["parameters"]["properties"]
               for tool in sent["tools"]}
    assert schemas["create_onto_task"]["props"] == {
        "type": "object", "description": "Further fields: effort, cost, billable, stage, "
        "due_at, tags, customer"}
    assert "waiting" in schemas["update_onto_task"]["state_key"]["enum"]
    # Where nothing is declared, it costs nothing.
    assert "props" not in schemas["create_onto_plan"]


def fill(lab, owner, tasks):
    """Makes five tasks with what is declared, in this order."""
    for n, (title, props) in enumerate({
            "small": {"effort": 2, "stage": "design", "billable": True, "due_at": "2027-01-05",
                      "tags": ["red", "dry"], "cost": 0.5},
            "middle": {"effort": 10, "stage": "build", "billable": False,
                       "due_at": "2027-03-01", "tags": ["red"], "customer": "Ada"},
            "large": {"effort": 90, "stage": "build", "due_at": "2026-12-31", "cost": 12.25},
            "none": {},
            "text": {"customer": "Eve", "tags": ['"stage":"design"']}}.items()):
        make(lab, tasks, owner, title=title, props=props, dueDate=f"2027-05-0{5 - n}",
             stateKey="todo" if n % 2 else "waiting")


@pytest.fixture(name="sifted")
def tasks_with_props(lab, owner, tasks):
    fill(lab, owner, tasks)
    return tasks


def titles(lab, owner, path, query):
    answer = lab.get(f"{path}?{query}", user=owner)
    assert answer.status == 200, (query, answer)
    assert answer.json["totalCount"] == len(answer.json["items"]), (query, answer)
    return [one["title"] for one in answer.json["items"]]


@pytest.mark.parametrize("query,found", [
    ("props.stage=design", "small"),
    ("props.stage=build,design", "large middle small"),
    ("props.stage=!build", "text none small"),
    ("props.billable=true", "small"),
    ("props.billable=false", "middle"),
    ("props.effortFrom=10", "large middle"),
    ("props.effortTo=10", "middle small"),
    ("props.effortFrom=3&props.effortTo=10", "middle"),
    ("props.costFrom=12.25", "large"),
    ("props.due_atFrom=2027-01-01&props.due_atTo=2027-01-31", "small"),
    ("props.tags=red", "middle small"),
    ("props.tags=dry,wet", "small"),
    ("props.tags=!red", "text none large"),
    ("props.stage=build&stateKey=waiting", "large"),
    ("props.stage=build&dueDateTo=2027-05-03", "large"),
    ("order=props.effort", "small middle large none text"),
    ("order=-props.effort", "large middle small none text"),
    ("order=props.due_at", "large small middle none text"),
    ("order=-props.cost&props.effortFrom=0", "large small middle"),
    ("order=dueDate&props.effortFrom=0", "large middle small"),
    ("order=-updated&props.effortFrom=0", "large middle small"),
])
def test_lists_are_limited_and_ordered_by_them(lab, owner, sifted, query, found):
    assert titles(lab, owner, sifted, query) == found.split(), query
    # Page by page it is the same list.
    seen, cursor = [], ""
    for _ in range(6):
        page = lab.get(f"{sifted}?{query}&pageSize=1{cursor}", user=owner).json
        seen += [one["title"] for one in page["items"]]
        if not page["nextCursor"]:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == found.split(), query


@pytest.mark.parametrize("query,field,says", [
    ("props.stage=Build", "props.stage", "design or build"),
    ("props.stage=design,,", "props.stage", "design or build"),
    ("props.billable=yes", "props.billable", "true or false"),
    ("props.effortFrom=much", "props.effortFrom", "a number"),
    ("props.effortFrom=nan", "props.effortFrom", "a number"),
    ("props.due_atTo=2027-02-30", "props.due_atTo", "a date"),
    ("order=props.stage", "order", "-props.effort"),
    ("order=props.colour", "order", "-props.effort"),
])
def test_what_a_list_cannot_be_asked_for_is_said(lab, owner, sifted, query, field, says):
    answer = lab.get(f"{sifted}?{query}", user=owner)
    assert (answer.status, answer.json["field"]) == (422, field), answer
    assert says in answer.json["detail"], answer


def test_parameters_are_those_that_are_declared(lab, owner, sifted):
    for query in ("props.colour=red", "props.effort=3", "props.customer=Ada", "props=x",
                  "effortFrom=3"):
        answer = lab.get(f"{sifted}?{query}", user=owner)
        assert (answer.status, answer.json["code"]) == (422, "unknown_field"), (query, answer)
    goals = sifted.replace("tasks", "goals")
    assert lab.get(f"{goals}?props.effortFrom=3", user=owner).status == 422
    # A cursor of another order, and of what is not in the list any more.
    page = lab.get(f"{sifted}?order=props.effort&pageSize=1", user=owner).json
    for order in ("-props.effort", "props.cost", "dueDate", ""):
        answer = lab.get(f"{sifted}?order={order}&cursor={page['nextCursor']}", user=owner)
        assert answer.status == 400, (order, answer)
    lab.call("DELETE", f"{sifted}/{page['items'][0]['id']}", user=owner,
             headers={"If-Match": "*"})
    left = lab.get(f"{sifted}?order=props.effort&cursor={page['nextCursor']}", user=owner).json
    assert [one["title"] for one in left["items"]] == ["middle", "large", "none", "text"]
    # Nobody else sees any of it.
    other = signed_in(lab, "x")
    assert lab.get(f"{sifted}?props.stage=build", user=other).status == 404


def test_tools_limit_lists_by_them(lab):
    clerk = Clerk(lab)
    project = make(lab, "/projects", clerk.user, name="Of a clerk")["id"]
    fill(lab, clerk.user, f"/projects/{project}/tasks")

    def listed(**more):
        return [one["title"] for one in
                clerk("list_onto_tasks", project_id=project, **more)["items"]]
    assert listed(props={"stage": "build"}) == ["large", "middle"]
    assert listed(props={"stage": ["build", "design"], "effort_to": 10}) == ["middle", "small"]
    assert listed(props={"due_at_from": "2027-02-01"}) == ["middle"]
    assert listed(props={"billable": True}) == ["small"]
    assert listed(order="-props.effort")[0] == "large"
    assert "description of props" in clerk.refused("list_onto_tasks", project_id=project,
                                                   props={"efort": 1})
    assert "design or build" in clerk.refused("list_onto_tasks", project_id=project,
                                              props={"stage": "deploy"})


def test_their_texts_are_found(lab, owner, sifted):
    project = sifted.split("/")[2]

    def found(q):
        return [one["title"] for one in lab.get(
            f"/entities/search?q={q}&projectId={project}", user=owner).json["items"]]
    wait_until("the texts are in the index", lambda: found("Ada") == ["middle"])
    assert found("dry") == ["small"]


# -- what others have reported of lists by fields of one's own ----------------------------

def test_values_with_commas_and_marks(lab, owner, tasks):
    """An option with a comma fell apart (nocodb 1282)."""
    goals = tasks.replace("tasks", "goals")
    for phase in ("a", "b", "a,b", "!a"):
        make(lab, goals, owner, title=phase, props={"phase": phase})
    for query, found in (("a", ["a"]), ("a,b", ["a,b"]), ("b,a", ["b", "a"]), ("!a", ["!a"]),
                         ("!b", ["!a", "a,b", "a"]), ("!a,b", ["!a", "b", "a"]), ("!b,a", ["!a", "a,b"])):
        assert titles(lab, owner, goals, f"props.phase={query}") == found, query
    make(lab, tasks, owner, title="x", props={"tags": ["red, dry", "wet"]})
    assert titles(lab, owner, tasks, "props.tags=red,%20dry") == ["x"]
    assert titles(lab, owner, tasks, "props.tags=wet,soft") == ["x"]
    assert titles(lab, owner, tasks, "props.tags=dry") == []


def test_what_matches_is_behind_the_first_page(lab, owner, tasks):
    """A filter saw one page and said that there was nothing (vikunja-mcp 83); equal values
    were in two pages or none (silverstripe 7249, emdash 2699)."""
    project = tasks.split("/")[2].replace("-", "")
    for n in range(3):
        make(lab, tasks, owner, title=f"old {n}", props={"stage": "build", "effort": 5})
    for part in range(2):       # 1,400 newer ones
        lab.sql("INSERT INTO entity (id, tenant_id, user_id, version, created_us, updated_us,"
                " parent_id, top_id, kind, title, type_key, state_key, props) SELECT"
                " UNHEX(MD5(CONCAT(HEX(e.id), s.seq))), e.tenant_id, e.user_id, 0,"
                " e.created_us + s.seq DIV 3, e.updated_us, e.parent_id, e.top_id, e.kind,"
                f" CONCAT('new ', s.seq), e.type_key, e.state_key, IF({part}, NULL,"
                " CONCAT('{\"effort\":', s.seq MOD 4, ',\"stage\":\"design\"}'))"
                f" FROM entity e JOIN seq_1_to_700 s WHERE e.parent_id = UNHEX('{project}')"
                f" AND e.title = 'old {part}'")
    assert titles(lab, owner, tasks, "props.stage=build") == ["old 2", "old 1", "old 0"]
    for order in ("props.effort", "-props.effort", "-updated", ""):
        seen, cursor = [], ""
        for _ in range(20):
            page = lab.get(f"{tasks}?order={order}&props.stage=design,build&pageSize=100"
                           f"{cursor}", user=owner).json
            assert page["totalCount"] == 703
            seen += [one["id"] for one in page["items"]]
            if not page["nextCursor"]:
                break
            cursor = f"&cursor={page['nextCursor']}"
        assert len(seen) == len(set(seen)) == 703, order
    everything, cursor = [], ""
    for _ in range(20):
        page = lab.get(f"{tasks}?order=-props.effort&pageSize=100{cursor}", user=owner).json
        everything += [(one["props"].get("effort", -1), one["id"]) for one in page["items"]]
        if not page["nextCursor"]:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert len(everything) == 1403 and len(set(everything)) == 1403
    assert [one[0] for one in everything] == sorted((one[0] for one in everything), reverse=True)


def test_values_of_another_type_than_is_declared_now(lab, owner, tasks):
    """A field was a text once: its values are no numbers, and no fault (strato-db 14)."""
    goals = tasks.replace("tasks", "goals")
    for n, points in enumerate(("9", "10", '"many"', "true", '["1"]', "null", "-1.5")):
        one = make(lab, goals, owner, title=f"{n}")
        lab.sql(f"UPDATE entity SET props = '{{\"phase\":7,\"points\":{points}}}'"
                f" WHERE id = UNHEX('{one['id'].replace('-', '')}')")
    assert titles(lab, owner, goals, "order=props.points") == list("6012345")
    assert titles(lab, owner, goals, "order=-props.points") == list("1062345")
    assert titles(lab, owner, goals, "props.pointsTo=9") == ["6", "0"]
    assert titles(lab, owner, goals, "props.phase=a") == []
    assert len(titles(lab, owner, goals, "props.phase=!b")) == 7


def test_words_of_values_that_were_replaced_are_gone(lab, owner, tasks):
    """Of two with the same value only the one edited last was found (ggrc-core 5221)."""
    project = tasks.split("/")[2]

    def found(q):
        return {one["title"] for one in lab.get(
            f"/entities/search?q={q}&projectId={project}", user=owner).json["items"]}
    both = [make(lab, tasks, owner, title=title, props={"customer": "Zebra"})["id"]
            for title in ("one", "two")]
    wait_until("both are found", lambda: found("zebra") == {"one", "two"})
    assert change(lab, owner, f"{tasks}/{both[0]}", props={"customer": "Quagga"}).status == 200
    wait_until("what it is now", lambda: found("quagga") == {"one"})
    assert found("zebra") == {"two"}


def test_a_field_that_is_declared_now_needs_no_restart(owner):
    """A new field could not be searched by until the next start (TheHive 1550)."""
    fields = {"effort": {"type": "integer"}}
    with Lab(config={"entities": {"task": {"props": fields}}},
             workspaces={"office": OFFICE}) as lab:
        user = signed_in(lab, "n")
        project = make(lab, "/projects", user, name="New")["id"]
        tasks = f"/projects/{project}/tasks"

        def schema():
            lab.sent()
            lab.chat("Hello", workspace="office", user=user, projectId=project)
            return {tool["function"]["name"]: tool["function"]["parameters"]["properties"]
                    for tool in lab.sent()[0]["tools"]}["list_onto_tasks"]
        assert "effort_from" in schema()["props"]["description"]
        assert lab.get(f"{tasks}?props.stage=a", user=user).status == 422
        lab.write_config({"entities": {"task": {"props": {
            "stage": {"type": "choice", "choices": ["a", "b"]}}}}})
        wait_until("the field is known", lambda: lab.get(
            f"{tasks}?props.stage=a", user=user).status == 200)
        assert schema()["props"]["description"].count("stage") == 1
        assert "effort" not in schema()["props"]["description"]
        assert lab.get(f"{tasks}?props.effortFrom=1", user=user).status == 422


def test_patches_have_them(lab, owner, tasks):
    script = {"tool_calls": [{"name": "create_onto_task", "args": {
        "project_id": tasks.split("/")[2], "title": "By a model", "mode": "act",
        "props": {"effort": 5}}}], "then": {"text": "ok"}}
    events = lab.chat(told(script, "Please create that task."), workspace="office",
                      user=owner, projectId=tasks.split("/")[2])
    patches = [e.data for e in events if e.name == "entity-patch"]
    assert patches and patches[0]["patch"]["props"] == {"effort": 5}, events


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_files_carry_them(lab, owner, tasks, form):
    project = tasks.split("/")[2]
    make(lab, tasks, owner, title="x", props=ALL, stateKey="waiting")
    out = lab.call("GET", f"/projects/{project}/export?format={form}", user=owner)
    data = out.body if isinstance(out.body, bytes) else out.body.encode()
    made = send(lab, owner, data)
    assert made.status == 201, made
    [one] = lab.get(f"/projects/{made.json['projectId']}/tasks", user=owner).json["items"]
    assert (one["props"], one["stateKey"]) == (ALL, "waiting")
    if form == "json":
        file = json.loads(data)
        file["tasks"][0]["props"]["colour"] = "red"
        made = send(lab, owner, file)
        assert made.status == 201 and "props.colour" in made.json["notes"][0], made
        file["tasks"][0]["props"]["effort"] = "much"
        said = send(lab, owner, file)
        assert said.status == 422 and "props.effort" in said.json["detail"], said
    else:
        text = zipfile.ZipFile(io.BytesIO(data)).read(
            "Props/tasks/01 x.md").decode()
        assert '"effort":8' in text


def test_plain_pages_have_them(lab, owner, tasks):
    browser = Browser(lab, owner)
    page = browser.open(tasks)
    form = [f for f in page.forms if f["action"].endswith("/tasks")][0]
    assert "props.effort" in form["fields"] and "Effort &lt;h&gt;" in page.text
    page = browser.send(page, form, title="Plain", **{
        "props.effort": "8", "props.billable": "true", "props.tags": "a\r\nb c\r\n",
        "props.stage": "build", "props.customer": "<Zoë>"})
    assert page.status == 200, page.text
    [made] = lab.get(tasks, user=owner).json["items"]
    assert made["props"] == {"effort": 8, "billable": True, "tags": ["a", "b c"],
                             "stage": "build", "customer": "<Zoë>"}
    form = form_to(page, made["id"])
    assert form["fields"]["props.tags"].splitlines() == ["a", "b c"]
    page = browser.send(page, form, **{"props.billable": "", "props.effort": "9"})
    one = lab.get(f"{tasks}/{made['id']}", user=owner).json
    assert one["props"]["effort"] == 9 and "billable" not in one["props"]
    bad = browser.send(page, form_to(page, made["id"]), **{"props.effort": "much"})
    assert bad.status == 422 and "props.effort" in bad.text


def test_what_was_declared_once_stays_readable():
    user = "later"
    with Lab(config={"entities": ENTITIES}) as lab:
        signed = signed_in(lab, user)
        project = make(lab, "/projects", signed, name="Then", typeKey="tender")
        tasks = f"/projects/{project['id']}/tasks"
        one = make(lab, tasks, signed, title="x", stateKey="waiting", typeKey="bug", props=ALL)
        gone = make(lab, tasks, signed, title="gone", stateKey="waiting", props=ALL)
        at = f"{tasks}/{one['id']}"
        lab.overrides["entities"] = {"task": {"props": {"effort": {"type": "text"}}}}
        lab.write_config()
        lab.stop("responder")
        lab.start_responder()
        now = lab.get(at, user=signed).json
        assert (now["stateKey"], now["typeKey"], now["props"]) == ("waiting", "bug", ALL)
        assert lab.get("/projects", user=signed).json["items"][0]["typeKey"] == "tender"
        # They stay with other changes, also of one that has the same values in its body.
        changed = change(lab, signed, at, title="y", stateKey="waiting",
                         props={"effort": "much"})
        assert changed.status == 200, changed
        assert changed.json["props"] == {**ALL, "effort": "much"}
        said = change(lab, signed, at, props={"stage": "design"})
        assert (said.status, said.json["field"]) == (422, "props.stage")
        assert change(lab, signed, at, props={"stage": None}).json["props"].get("stage") is None
        assert change(lab, signed, at, stateKey="parked").json["field"] == "stateKey"
        # All but the known ones: what a board shows besides its columns.
        rest = lab.get(f"{tasks}?stateKey=!todo,in_progress,blocked,done,cancelled",
                       user=signed).json
        assert sorted(i["title"] for i in rest["items"]) == ["gone", "y"]
        assert rest["totalCount"] == 2
        # What was deleted comes back as it was.
        assert lab.call("DELETE", f"{tasks}/{gone['id']}", user=signed,
                        headers={"If-Match": "*"}).status == 204
        last = lab.get(f"/projects/{project['id']}/changes", user=signed).json["items"][0]
        undone = lab.call("POST", f"/projects/{project['id']}/changes/{last['id']}/undo", {},
                          user=signed)
        assert undone.status in (200, 201), undone
        back = lab.get(f"{tasks}/{gone['id']}", user=signed).json
        assert (back["stateKey"], back["props"]) == ("waiting", ALL)


def test_pitfalls_of_custom_fields_elsewhere():
    """Zero and false are values (business-forms 280, budibase 11857, gombit 147); a choice
    can be emptied (nocodb 261); a value whose choice is removed, and added again, or has
    another label, is still there (nocodb 12402, otm-core 2657), and its row can be saved
    (tmdm-server-se 78); a field of a name that was there, with another type (Orchard 6048);
    one that is required since then does not block older rows, also on a form that sends all
    (support 30), one that is gone blocks nothing (steedos-platform 3034)."""
    with Lab(config={"entities": ENTITIES}) as lab:
        user = signed_in(lab, "q")
        project = make(lab, "/projects", user, name="Pitfalls")["id"]
        tasks, risks = (f"/projects/{project}/{kind}" for kind in ("tasks", "risks"))
        one = make(lab, tasks, user, title="x", stateKey="waiting",
                   props={"effort": 0, "billable": False, "stage": "build"})
        at = f"{tasks}/{one['id']}"
        assert one["props"] == {"effort": 0, "billable": False, "stage": "build"}
        browser = Browser(lab, user)
        form = form_to(browser.open(at), one["id"])
        assert (form["fields"]["props.effort"], form["fields"]["props.billable"]) == ("0", "false")
        page = browser.send(browser.open(at), form, title="y")
        assert lab.get(at, user=user).json["props"] == one["props"], page.text
        browser.send(page, form_to(page, one["id"]), **{"props.stage": ""})
        assert lab.get(at, user=user).json["props"] == {"effort": 0, "billable": False}
        assert change(lab, user, at, props={"stage": "design"}).status == 200

        def declare(**entities):
            lab.overrides["entities"] = entities
            lab.write_config()
            lab.stop("responder")
            lab.start_responder()
        props = ENTITIES["task"]["props"]
        declare(task={"props": {**props, "stage": {"type": "choice", "choices": ["build"]},
                                "effort": {"type": "text"},
                                "asked": {"type": "text", "required": True}}})
        # No field is required of risks any more; of older tasks one that they lack.
        assert make(lab, risks, user, title="x")["props"] == {}
        page = browser.open(at)
        form = form_to(page, one["id"])
        assert (form["fields"]["stateKey"], form["fields"]["props.stage"]) == (
            "waiting", "design")
        said = browser.send(page, form, title="z", **{"props.stage": ""})
        assert said.status == 200, said.text
        now = lab.get(at, user=user).json
        assert (now["title"], now["stateKey"], now["props"]["effort"]) == ("z", "waiting", "0")
        assert lab.post(tasks, {"title": "new"}, user=user).json["field"] == "props.asked"
        assert change(lab, user, at, props={"asked": "Ada"}).status == 200
        for gone in ({"asked": None}, None):
            assert change(lab, user, at, props=gone).json["field"] == "props.asked"
        declare(task={"states": {"waiting": "On hold"}, "props": props})
        assert lab.get(at, user=user).json["stateKey"] == "waiting"
        fields = {f["key"]: f for form in lab.get("/forms", user=user).json["items"]
                  if form["name"] == "projects/tasks" for f in form["fields"]}
        assert {"value": "waiting", "label": "On hold", "closed": False} in \
            fields["stateKey"]["choices"]


@pytest.mark.parametrize("entities,where,says", [
    ({"taks": {}}, 1, '"taks" must be project'),
    ({"task": {"prop": {}}}, 2, 'did you mean "props"'),
    ({"task": {"props": {"effort": {"typ": "integer"}}}}, 4, 'did you mean "type"'),
    ({"task": {"props": {"effort": {"type": "int"}}}}, 4, "integer"),
    ({"task": {"props": {"a b": {}}}}, 3, "letters"),
    ({"task": {"props": {"stage": {"type": "choice"}}}}, 3, "choices must be set"),
    ({"task": {"props": {"effort": {"type": "integer", "example": "much"}}}}, 5,
     "example must be a whole number"),
    ({"task": {"props": {"effort": {"type": "integer", "min": 3, "max": 2}}}}, 5,
     "min is greater"),
    ({"task": {"states": {"In progress": "x"}}}, 3, "a-z"),
    ({"task": {"types": {"In progress": "x"}}}, 3, "a-z"),
    ({"task": {"states": {"a": {"counts": "finished"}}}}, 4, "open, closed or done"),
    ({"task": {"states": {"a": "x | y"}}}, 3, "|"),
    ({"task": {"types": ["a", "a"]}}, 2, "twice"),
])
def test_faults_of_yaml_have_their_place(tmp_path, entities, where, says):
    """where: the line below `entities:`."""
    lines = ["entities:"]

    def put(value, depth):
        for key, one in value.items():
            if isinstance(one, dict) and one:
                lines.append("  " * depth + f"{json.dumps(key)}:")
                put(one, depth + 1)
            else:
                lines.append("  " * depth + f"{json.dumps(key)}: {json.dumps(one)}")
    put(entities, 1)
    file = tmp_path / "lamplighter.yaml"
    file.write_text("\n".join(lines) + "\n")
    run = subprocess.run([COMMAND, "-c", file, "check"], capture_output=True, text=True,
                         check=False)
    said = run.stdout + run.stderr
    assert run.returncode != 0 and says in said, said
    assert re.search(rf"lamplighter\.yaml:{where + 1}:\d+: ", said), said
