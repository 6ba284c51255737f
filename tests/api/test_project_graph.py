# SPDX-License-Identifier: MIT
"""Search in projects, links, and the tree of documents (C21, D30, D31, D45, D46, D68)."""

import os
import random
import threading
import uuid

import pytest

from lab import wait_until
from projects import make, owner, signed_in  # noqa: F401


def project_of(lab, owner, name="P"):
    return f"/projects/{make(lab, '/projects', owner, name=name)['id']}"


def found(lab, user, query, **params):
    more = "".join(f"&{key}={value}" for key, value in params.items())
    answer = lab.get(f"/entities/search?q={query}{more}", user=user)
    assert answer.status == 200, answer
    return [(item["kind"], item["title"]) for item in answer.json["items"]]


def rows_of(lab, project, table="search_document"):
    return lab.sql(f"SELECT 1 FROM {table} WHERE base_id = UNHEX('"
                   f"{project.split('/')[-1].replace('-', '')}')")


# -- search ------------------------------------------------------------------------------


def test_what_was_written_is_found_at_once(lab, owner):
    project = project_of(lab, owner, "Zeppelin hangar")
    make(lab, project + "/documents", owner, title="Notes", content="# Roof\n\nThe quokka sleeps.")
    make(lab, project + "/tasks", owner, title="Feed the quokka", stateKey="todo")
    make(lab, project + "/risks", owner, title="Rain", mitigation="Shelter for each quokka.")
    task = make(lab, project + "/tasks", owner, title="Wash the quokka", stateKey="done")
    assert sorted(found(lab, owner, "quokka")) == [
        ("document", "Notes"), ("risk", "Rain"), ("task", "Feed the quokka"),
        ("task", "Wash the quokka")]
    assert found(lab, owner, "zeppelin") == [("project", "Zeppelin hangar")]
    assert found(lab, owner, "quokka", kind="risk,document", projectId=project[10:]) in (
        [("document", "Notes"), ("risk", "Rain")], [("risk", "Rain"), ("document", "Notes")])
    assert found(lab, owner, "quokka", kind="task", stateKey="done") == [
        ("task", "Wash the quokka")]
    assert found(lab, owner, "quokka", kind="goal") == []
    # A phrase in a title, beside a text with a heading or without one.
    make(lab, project + "/tasks", owner, title="Draw the calibration curve", description="Soon.")
    make(lab, project + "/documents", owner, title="A calibration curve", content="# Of\n\nSalt")
    assert sorted(found(lab, owner, "%22calibration%20curve%22")) == [
        ("document", "A calibration curve"), ("task", "Draw the calibration curve")]
    assert found(lab, owner, "%22curve%20calibration%22") == []
    hit = lab.get("/entities/search?q=quokka&kind=document", user=owner).json["items"][0]
    assert "quokka" in hit["snippet"]["text"] and hit["projectId"] == project[10:]
    assert hit["project"] == "Zeppelin hangar" and hit["contentLength"] == 26
    # As it is now, not as it was.
    lab.call("PATCH", f"{project}/tasks/{task['id']}", {"title": "Wash the otter"}, user=owner,
             headers={"If-Match": "*"})
    assert ("task", "Wash the quokka") not in found(lab, owner, "quokka")
    assert found(lab, owner, "otter") == [("task", "Wash the otter")]
    lab.call("DELETE", f"{project}/tasks/{task['id']}", user=owner, headers={"If-Match": "*"})
    assert found(lab, owner, "otter") == []


def test_only_what_one_sees_is_found(lab, owner):
    project = project_of(lab, owner, "Secret axolotl")
    make(lab, project + "/goals", owner, title="An axolotl for all")
    other = signed_in(lab, "h")
    assert found(lab, other, "axolotl") == []
    one, none = (lab.get(f"/entities/search?q=axolotl&projectId={id}", user=other)
                 for id in (project[10:], uuid.uuid4()))
    assert one.status == none.status == 404
    member = make(lab, project + "/members", owner, user=other)
    assert len(found(lab, other, "axolotl")) == 2
    lab.call("DELETE", f"{project}/members/{member['id']}", user=owner)
    assert found(lab, other, "axolotl") == []


@pytest.mark.parametrize("params,field", [
    ("q=", "q"), ("", "q"), ("q=x&kind=nonsense", "kind"), ("q=x&kind=task,goals", "kind"),
    ("q=x&projectId=7", "projectId"), ("q=x&stateKey=" + "y" * 40, "stateKey")])
def test_bad_questions_name_the_field(lab, owner, params, field):
    answer = lab.get("/entities/search?" + params, user=owner)
    assert (answer.status, answer.json["field"]) == (422, field)


def test_nothing_of_a_deleted_project_is_left(lab, owner):
    project = project_of(lab, owner)
    id = project[10:].replace("-", "")
    one = make(lab, project + "/tasks", owner, title="A wombat")
    two = make(lab, project + "/documents", owner, title="Wombats", content="wombat")
    make(lab, project + "/edges", owner, fromId=one["id"], toId=two["id"])
    assert len(found(lab, owner, "wombat")) >= 1
    assert rows_of(lab, project)
    make(lab, project + "/tasks", owner, title="Another wombat")
    assert lab.call("DELETE", project, user=owner, headers={"If-Match": "*"}).status == 204
    assert found(lab, owner, "wombat") == []
    assert lab.call("DELETE", "/projects/deleted/" + project[10:], user=owner).status == 204
    tables = [table for table, in lab.sql(
        "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema ="
        " DATABASE() AND data_type = 'binary'")]

    def left():
        out = set()
        for table in tables:
            for column, in lab.sql(
                    "SELECT column_name FROM information_schema.columns WHERE table_schema ="
                    f" DATABASE() AND table_name = '{table}' AND column_type = 'binary(16)'"):
                if lab.sql(f"SELECT 1 FROM `{table}` WHERE `{column}` IN (UNHEX('{id}'), UNHEX('"
                           f"{one['id'].replace('-', '')}'), UNHEX('"
                           f"{two['id'].replace('-', '')}')) LIMIT 1"):
                    out.add(table)
        return out
    wait_until("nothing is left", lambda: not left() or (lab.command("work"), False)[1])


# -- links -------------------------------------------------------------------------------


def test_links(lab, owner):
    project, other = project_of(lab, owner), project_of(lab, owner)
    task = make(lab, project + "/tasks", owner, title="Task")["id"]
    goal = make(lab, project + "/goals", owner, title="Goal")["id"]
    foreign = make(lab, other + "/goals", owner, title="Foreign")["id"]
    edge = make(lab, project + "/edges", owner, fromId=task, toId=goal, relation="supports")
    assert lab.post(project + "/edges", {"fromId": task, "toId": goal, "relation": "supports"},
                    user=owner).status == 409
    make(lab, project + "/edges", owner, fromId=task, toId=goal, relation="part_of")
    for a, b, field in ((task, foreign, "toId"), (foreign, goal, "fromId"),
                        (task, str(uuid.uuid4()), "toId"), (task, task, "toId"),
                        (task, project[10:], "toId"), ("x", goal, "fromId")):
        answer = lab.post(project + "/edges", {"fromId": a, "toId": b}, user=owner)
        assert (answer.status, answer.json["field"]) == (422, field), (a, b)
    links = lab.get(f"/entities/{task}/links", user=owner).json["items"]
    assert [(one["relation"], one["direction"], one["entity"]["title"]) for one in links] == [
        ("supports", "out", "Goal"), ("part_of", "out", "Goal")]
    assert [(one["direction"], one["entity"]["kind"]) for one in lab.get(
        f"/entities/{goal}/links", user=owner).json["items"]] == [("in", "task")] * 2
    assert lab.call("DELETE", f"{project}/edges/{edge['id']}", user=owner).status == 204
    assert len(lab.get(f"/entities/{task}/links", user=owner).json["items"]) == 1
    lab.call("DELETE", f"{project}/goals/{goal}", user=owner, headers={"If-Match": "*"})
    assert lab.get(f"/entities/{task}/links", user=owner).json["items"] == []
    assert lab.get(project + "/edges", user=owner).json["items"] == []
    assert lab.get(f"/entities/{goal}", user=owner).status == 404
    got = lab.get(f"/entities/{task}", user=owner).json
    assert (got["kind"], got["projectId"], got["title"]) == ("task", project[10:], "Task")
    got = lab.get(f"/entities/{project[10:]}", user=owner).json
    assert (got["kind"], got["name"]) == ("project", "P")


def test_strangers_and_unknown_ids_are_the_same(lab, owner):
    project = project_of(lab, owner)
    task = make(lab, project + "/tasks", owner, title="Task")["id"]
    other = "s" + uuid.uuid4().hex[:10]
    for path in ("/entities/{}", "/entities/{}/links"):
        answers = [lab.get(path.format(id), user=other) for id in (task, uuid.uuid4())]
        assert [a.status for a in answers] == [404, 404]
        bodies = [{k: v for k, v in a.json.items() if k != "requestId"} for a in answers]
        assert bodies[0] == bodies[1]
    assert lab.get(project + "/tree", user=other).status == 404
    assert lab.post(project + "/tree", {"documentId": task}, user=other).status == 404


def test_a_list_of_others_costs_nothing(lab, owner):
    """The rows of a project that one does not see are not looked at one by one."""
    said = lab.post("/projects/import", {
        "format": "lamplighter-project", "version": 1, "project": {"name": "P"},
        "tasks": [{"title": str(n)} for n in range(150)]}, user=owner)
    path, other = f"/projects/{said.json['projectId']}/tasks", "s" + uuid.uuid4().hex[:10]

    def read():
        return sum(int(lab.sql(f"SHOW GLOBAL STATUS LIKE 'Handler_read_{way}'")[0][1])
                   for way in ("next", "prev"))
    wait_until("the job has indexed them", lambda: not lab.sql("SELECT 1 FROM entity_due"))
    costs = []
    for _ in range(9):      # the least: jobs read, too
        before = read()
        assert lab.get(path, user=other).status == 404
        costs.append(read() - before)
    assert min(costs) < 75, costs


# -- the tree ----------------------------------------------------------------------------


def tree_of(lab, project, user):
    """{title: [titles below it]} in order, and the version."""
    tree = lab.get(project + "/tree", user=user).json

    def walk(nodes):
        assert [node["order"] for node in nodes] == list(range(len(nodes)))
        return [(node["title"], walk(node["children"])) for node in nodes]
    return walk(tree["root"]), tree["version"]


def test_the_tree(lab, owner):
    project = project_of(lab, owner)
    assert tree_of(lab, project, owner) == ([], 1)
    ids = {}
    for title, under in (("A", None), ("B", None), ("A1", "A"), ("A2", "A"), ("A1x", "A1")):
        made = make(lab, project + "/documents", owner, title=title,
                    **({"parentId": ids[under]} if under else {}))
        assert made["parentId"] == ids.get(under)
        ids[title] = made["id"]
    assert tree_of(lab, project, owner) == (
        [("A", [("A1", [("A1x", [])]), ("A2", [])]), ("B", [])], 6)

    def move(title, under=None, position=None):
        body = {"documentId": ids[title], "parentId": ids.get(under)}
        return lab.post(project + "/tree", {**body, **({} if position is None else
                                                      {"position": position})}, user=owner)
    before = lab.get(f"{project}/documents/{ids['B']}", user=owner)
    assert move("B", "A", 0).json == {"version": 7, "documentId": ids["B"], "parentId": ids["A"]}
    after = lab.get(f"{project}/documents/{ids['B']}", user=owner)
    assert (after.json["parentId"], after.headers["ETag"]) == (ids["A"], before.headers["ETag"])
    assert move("A2", "A", 1).status == 200
    assert tree_of(lab, project, owner)[0] == [
        ("A", [("B", []), ("A2", []), ("A1", [("A1x", [])])])]
    for title, under in (("A", "A"), ("A", "A1"), ("A", "A1x")):
        assert move(title, under).json["field"] == "parentId"
    assert move("A1").status == 200
    assert tree_of(lab, project, owner)[0] == [
        ("A", [("B", []), ("A2", [])]), ("A1", [("A1x", [])])]
    # Who says which tree they have read moves nothing in another one.
    read = lab.get(project + "/tree", user=owner).json["version"]
    body = {"documentId": ids["A1"], "parentId": ids["A"], "version": read - 1}
    refused = lab.post(project + "/tree", body, user=owner)
    assert (refused.status, "rearranged" in refused.json["detail"]) == (412, True)
    assert lab.post(project + "/tree", {**body, "version": -1}, user=owner).json["field"] == "version"
    assert tree_of(lab, project, owner) == (
        [("A", [("B", []), ("A2", [])]), ("A1", [("A1x", [])])], read)
    assert lab.post(project + "/tree", {"documentId": ids["A1"], "parentId": None, "version": read},
                    user=owner).json["version"] == read + 1
    # What is under one that is deleted moves up.
    lab.call("DELETE", f"{project}/documents/{ids['A']}", user=owner, headers={"If-Match": "*"})
    assert sorted(tree_of(lab, project, owner)[0]) == [
        ("A1", [("A1x", [])]), ("A2", []), ("B", [])]
    other = project_of(lab, owner)
    foreign = make(lab, other + "/documents", owner, title="F")["id"]
    assert lab.post(project + "/tree", {"documentId": ids["B"], "parentId": foreign},
                    user=owner).json["field"] == "parentId"
    assert lab.post(project + "/tree", {"documentId": foreign}, user=owner).status == 404
    assert lab.post(project + "/documents", {"title": "x", "parentId": foreign},
                    user=owner).json["field"] == "parentId"


def test_the_tree_has_sixteen_levels(lab, owner):
    project = project_of(lab, owner)
    top = under = make(lab, project + "/documents", owner, title="1")["id"]
    for n in range(2, 17):
        under = make(lab, project + "/documents", owner, title=str(n), parentId=under)["id"]
    assert lab.post(project + "/documents", {"title": "17", "parentId": under},
                    user=owner).json["field"] == "parentId"
    one = make(lab, project + "/documents", owner, title="one")["id"]
    refused = lab.post(project + "/tree", {"documentId": top, "parentId": one}, user=owner)
    assert refused.json["field"] == "parentId" and "16 levels" in refused.json["detail"]


def test_a_hundred_pages_keep_their_order(lab, owner):
    """One that moves up from below another among many, and back and forth with its own."""
    project = project_of(lab, owner)
    ids = {str(n): make(lab, project + "/documents", owner, title=str(n))["id"]
           for n in range(110)}
    order = list(ids)
    for title in ("70", "71"):
        assert lab.post(project + "/tree", {"documentId": ids[title], "parentId": ids["100"]},
                        user=owner).status == 200
        order.remove(title)
    for _ in range(3):      # in under a sibling, and out again
        for under, position in ((ids["3"], 0), (None, order.index("100"))):
            assert lab.post(project + "/tree", {"documentId": ids["100"], "parentId": under,
                                                "position": position}, user=owner).status == 200
    assert lab.post(project + "/tree", {"documentId": ids["71"], "parentId": None,
                                        "position": 1}, user=owner).status == 200
    order.insert(1, "71")
    assert tree_of(lab, project, owner)[0] == [
        (title, [("70", [])] if title == "100" else []) for title in order]


def test_a_viewer_moves_nothing(lab, owner):
    project = project_of(lab, owner)
    document = make(lab, project + "/documents", owner, title="D")["id"]
    other = signed_in(lab, "v")
    member = make(lab, project + "/members", owner, user=other)
    assert lab.post(project + "/tree", {"documentId": document}, user=other).status == 403
    lab.call("PATCH", f"{project}/members/{member['id']}", {"role": "editor"}, user=owner)
    assert lab.post(project + "/tree", {"documentId": document}, user=other).status == 200


def test_places_without_room_are_numbered_anew(lab, owner):
    project = project_of(lab, owner)
    for n in range(4):
        make(lab, project + "/documents", owner, title=str(n))
    ids = {item["title"]: item["id"] for item in lab.get(project + "/documents",
                                                         user=owner).json["items"]}
    order = list("0123")
    for n in range(80):     # each halves the room before the second one
        title = order.pop(-1)
        order.insert(1, title)
        assert lab.post(project + "/tree", {"documentId": ids[title], "position": 1},
                        user=owner).status == 200
        assert [one for one, _ in tree_of(lab, project, owner)[0]] == order, n


def test_four_writers_lose_and_double_nothing(lab, owner):
    """A property: whatever is created, moved and deleted at the same time, the tree has
    each document once."""
    steps = int(os.environ.get("LAMPLIGHTER_TREE_STEPS", "240")) // 4
    project = project_of(lab, owner)
    ids, gone, lock, failed = [], set(), threading.Lock(), []
    for n in range(12):
        ids.append(make(lab, project + "/documents", owner, title=str(n))["id"])

    def work(seed):
        rng = random.Random(seed)
        for n in range(steps):
            with lock:
                all_ = [id for id in ids if id not in gone]
            one, under = rng.choice(all_), rng.choice(all_ + [None])
            what = rng.random()
            if what < 0.2:
                answer = lab.post(project + "/documents", {
                    "title": f"{seed}.{n}", "parentId": under}, user=owner)
                if answer.status == 201:
                    with lock:
                        ids.append(answer.json["id"])
                allowed = (201, 422)
            elif what < 0.3:
                answer = lab.call("DELETE", f"{project}/documents/{one}", user=owner,
                                  headers={"If-Match": "*"})
                if answer.status == 204:
                    with lock:
                        gone.add(one)
                allowed = (204, 404)
            else:
                answer = lab.post(project + "/tree", {
                    "documentId": one, "parentId": under, "position": rng.randrange(9)},
                    user=owner)
                allowed = (200, 404, 409, 422)
            if answer.status not in allowed:
                failed.append(answer)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed[:3]
    seen = []

    def walk(nodes):
        for node in nodes:
            seen.append(node["id"])
            walk(node["children"])
    walk(lab.get(project + "/tree", user=owner).json["root"])
    assert len(seen) == len(set(seen))
    assert set(seen) == set(ids) - gone
