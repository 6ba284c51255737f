# SPDX-License-Identifier: MIT
"""Projects, who works on them, and the seven kinds of what is in them (D6, D29, C21): rows
of lib/resource/resource.def with lib/entity."""

import datetime
import json
import threading
import uuid

import pytest

from lab import wait_until
from projects import make, owner, signed_in  # noqa: F401

KINDS = {
    "documents": {"content": "# Roof\n\nRed tiles."},
    "tasks": {"priority": "high", "startDate": "2027-01-01", "dueDate": "2027-01-31"},
    "goals": {"targetDate": "2027-06-30"},
    "plans": {"startDate": "2027-01-01", "targetDate": "2027-06-30"},
    "milestones": {"dueDate": "2027-03-01"},
    "risks": {"likelihood": "low", "impact": "critical", "mitigation": "Ask twice."},
    "requirements": {"priority": "must", "acceptance": "It is dry."},
}


def patch(lab, path, user, seen, **body):
    return lab.call("PATCH", path, body, user=user,
                    headers={"If-Match": f'"{seen["version"] - 1}"'})


def delete(lab, path, user, match="*"):
    return lab.call("DELETE", path, user=user, headers={"If-Match": match})


def test_a_project_and_all_that_is_in_it(lab, owner):
    project = make(lab, "/projects", owner, name="Roof", description="A new one.")
    assert (project["typeKey"], project["stateKey"], project["tier"],
            project["version"], project["canEdit"]) == ("general", "planning", "private", 1, True)
    for kind, more in KINDS.items():
        path = f"/projects/{project['id']}/{kind}"
        made = make(lab, path, owner, title=f"First of {kind}", owner=owner, **more)
        one = lab.get(f"{path}/{made['id']}", user=owner).json
        assert one == made
        assert {key: one[key] for key in more} == more
        assert one["owner"] == owner and one["version"] == 1
        changed = patch(lab, f"{path}/{made['id']}", owner, one, title="Changed")
        assert (changed.status, changed.json["title"], changed.json["version"]) == \
            (200, "Changed", 2)
        assert {key: changed.json[key] for key in more} == more
        page = lab.get(path, user=owner).json
        assert [item["id"] for item in page["items"]] == [made["id"]]
        assert "content" not in page["items"][0]
        assert lab.post(path, {"title": "x", "stateKey": "nonsense"},
                        user=owner).json["code"] == "invalid_field"
        assert lab.post(path, {"title": "x", "owner": "nobody-here"},
                        user=owner).json["field"] == "owner"
        assert delete(lab, f"{path}/{made['id']}", owner).status == 204
        assert lab.get(f"{path}/{made['id']}", user=owner).status == 404


@pytest.mark.parametrize("kind,done,other", [("tasks", "done", "todo"),
                                             ("milestones", "reached", "pending")])
def test_what_is_done_has_its_day(lab, owner, kind, done, other):
    path = f"/projects/{make(lab, '/projects', owner, name='Days')['id']}/{kind}"
    today = {str(datetime.date.today() + datetime.timedelta(days=n)) for n in (-1, 0, 1)}
    one = make(lab, path, owner, title="x")
    assert one["doneDate"] is None
    at, any_ = f"{path}/{one['id']}", {"If-Match": "*"}

    def change(**body):
        return lab.call("PATCH", at, body, user=owner, headers=any_).json["doneDate"]
    assert change(stateKey=done) in today
    assert change(title="y") in today
    assert change(stateKey=other) is None
    assert change(stateKey=done, doneDate="2026-01-02") == "2026-01-02"
    assert change(stateKey=done) == "2026-01-02"
    assert change(doneDate=None) is None
    assert make(lab, path, owner, title="z", stateKey=done)["doneDate"] in today


@pytest.mark.parametrize("kind,end", [("", "dueDate"), ("/tasks", "dueDate"),
                                      ("/plans", "targetDate")])
def test_nothing_ends_before_it_begins(lab, owner, kind, end):
    top = make(lab, "/projects", owner, name="Order")
    path = f"/projects/{top['id']}{kind}" if kind else "/projects"
    label = {"title": "x"} if kind else {"name": "x"}
    refused = lab.post(path, {**label, "startDate": "2027-02-02", end: "2027-02-01"}, user=owner)
    assert (refused.status, refused.json["field"]) == (422, end)
    assert refused.json["detail"] == f"{end} must not be before startDate (2027-02-02)."
    one = make(lab, path, owner, **label, startDate="2027-02-02", **{end: "2027-02-02"})

    def change(**body):
        return lab.call("PATCH", f"{path}/{one['id']}", body, user=owner,
                        headers={"If-Match": "*"})
    assert change(**{end: "2027-02-01"}).json["field"] == end
    assert change(startDate="2027-02-03").json["field"] == end
    assert change(startDate="2027-02-03", **{end: "2027-02-04"}).status == 200
    assert change(**{end: None}).status == 200


def test_who_comes_for_the_first_time_may_be_responsible(lab):
    """A caller is known, though no page of theirs has noted them yet."""
    new = "n" + uuid.uuid4().hex[:10]
    project = make(lab, "/projects", new, name="First")
    assert make(lab, f"/projects/{project['id']}/tasks", new, title="T",
                owner=new)["owner"] == new


def test_an_export_has_all_of_a_project(lab, owner):
    project = make(lab, "/projects", owner, name="Taken out")
    for kind, more in KINDS.items():
        make(lab, f"/projects/{project['id']}/{kind}", owner, title=f"One of {kind}", **more)
    make(lab, f"/projects/{project['id']}/members", owner, user=signed_in(lab))
    [out] = json.loads(lab.command("export", "--user", owner).stdout)["projects"]
    assert out["documents"][0]["content"] == KINDS["documents"]["content"]
    assert out["documents"][0]["versions"][0]["content"] == KINDS["documents"]["content"]
    assert {kind: [one["title"] for one in out[kind]] for kind in KINDS} == {
        kind: [f"One of {kind}"] for kind in KINDS}
    assert len(out["members"]) == 1 and out["edges"] == []


def test_a_change_says_what_it_has_read(lab, owner):
    project = make(lab, "/projects", owner, name="Guarded")
    task = make(lab, f"/projects/{project['id']}/tasks", owner, title="One")
    for path, body in ((f"/projects/{project['id']}", {"name": "Other"}),
                       (f"/projects/{project['id']}/tasks/{task['id']}", {"title": "Two"})):
        refused = lab.call("PATCH", path, body, user=owner)
        assert (refused.status, refused.json["code"], refused.json["title"]) == (
            428, "precondition_required", "Precondition Required")
        assert lab.call("DELETE", path, user=owner).status == 428
        seen = lab.get(path, user=owner)
        assert seen.headers["ETag"] == f'"{seen.json["version"] - 1}"'
        assert patch(lab, path, owner, seen.json, **body).status == 200
        assert patch(lab, path, owner, seen.json, **body).status == 412
        assert delete(lab, path, owner, seen.headers["ETag"]).status == 412
        assert lab.get(path, user=owner).status == 200
    assert lab.call("PATCH", path, {"title": "Three"}, user=owner,
                    headers={"If-Match": "*"}).status == 200
    path = f"/projects/{project['id']}"
    assert delete(lab, path, owner, lab.get(path, user=owner).headers["ETag"]).status == 204


def test_of_two_who_delete_at_once_one_finds_nothing(lab, owner):
    """Not that it has changed."""
    project = make(lab, "/projects", owner, name="Twice")
    for n in range(8):
        task = make(lab, f"/projects/{project['id']}/tasks", owner, title=str(n))
        path, answers = f"/projects/{project['id']}/tasks/{task['id']}", []
        threads = [threading.Thread(target=lambda at=path, to=answers: to.append(
            delete(lab, at, owner).status)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == [204, 404, 404, 404], n


def test_members_and_their_roles(lab, owner):
    other, third = signed_in(lab), signed_in(lab)
    project = make(lab, "/projects", owner, name="Shared")
    path = f"/projects/{project['id']}"
    task = make(lab, f"{path}/tasks", owner, title="One")
    at = f"{path}/tasks/{task['id']}"

    def may():
        """What the other one is answered."""
        seen = lab.get(path, user=other)
        answers = [seen.status, lab.get(at, user=other).status,
                   lab.get(f"{path}/members", user=other).status,
                   lab.post(f"{path}/tasks", {"title": "x"}, user=other).status,
                   lab.call("PATCH", at, {"title": "x"}, user=other,
                            headers={"If-Match": "*"}).status,
                   lab.call("PATCH", path, {"name": "Shared"}, user=other,
                            headers={"If-Match": "*"}).status,
                   lab.post(f"{path}/members", {"user": third, "role": "owner"},
                            user=other).status]
        if seen.status == 200:
            assert seen.json["canEdit"] == (answers[4] == 200)
            assert seen.json["isOwner"] == (answers[6] == 201)
            assert [item["canEdit"] for item in lab.get("/projects?q=shared", user=other)
                    .json["items"]] == [answers[4] == 200]
        return answers

    assert may() == [404] * 7
    assert lab.get("/projects", user=other).json["totalCount"] == 0
    member = make(lab, f"{path}/members", owner, user=other)
    assert (member["user"], member["group"], member["role"]) == (other, None, "viewer")
    assert may() == [200, 200, 200, 403, 403, 403, 403]
    changed = lab.call("PATCH", f"{path}/members/{member['id']}", {"role": "editor"},
                       user=owner)
    assert changed.json["role"] == "editor"
    assert may() == [200, 200, 200, 201, 200, 200, 403]
    for method, body in (("PATCH", {"role": "owner"}), ("DELETE", None)):
        assert lab.call(method, f"{path}/members/{member['id']}", body,
                        user=other).status in (403, 409)
    assert delete(lab, path, other).status == 403
    assert lab.call("PATCH", f"{path}/members/{member['id']}", {"role": "owner"},
                    user=owner).status == 200
    assert may() == [200, 200, 200, 201, 200, 200, 201]
    assert lab.get(path, user=third).status == 200
    for body, field in (({}, "user"), ({"user": other, "group": "g1"}, "user"),
                        ({"user": owner}, "user"), ({"group": "not-mine"}, "group"),
                        ({"user": "nobody-here"}, "user")):
        refused = lab.post(f"{path}/members", body, user=owner)
        assert (refused.status, refused.json["field"]) == (422, field), body
    assert lab.post(f"{path}/members", {"user": other}, user=owner).status == 409
    assert lab.call("DELETE", f"{path}/members/{member['id']}", user=owner).status == 204
    assert may() == [404] * 7


def test_a_group_works_on_a_project(lab, owner):
    project = make(lab, "/projects", owner, name="Of a group")
    path = f"/projects/{project['id']}"
    added = lab.post(f"{path}/members", {"group": "g1", "role": "editor"}, user=owner,
                     groups=["g1"])
    assert (added.status, added.json["user"], added.json["group"]) == (201, None, "g1")
    other = signed_in(lab)
    assert lab.get(path, user=other).status == 404
    assert lab.get(path, user=other, groups=["g1"]).json["canEdit"] is True
    assert lab.post(f"{path}/goals", {"title": "Dry"}, user=other, groups=["g1"]).status == 201
    assert lab.get(f"{path}/goals", user=other, groups=["g2"]).status == 404


def test_kinds_do_not_mix(lab, owner):
    one, two = (make(lab, "/projects", owner, name=name)["id"] for name in ("One", "Two"))
    task = make(lab, f"/projects/{one}/tasks", owner, title="A task")["id"]
    for path in (f"/projects/{one}/goals/{task}", f"/projects/{two}/tasks/{task}",
                 f"/projects/{task}/tasks/{task}"):
        assert lab.get(path, user=owner).status == 404
        assert lab.call("PATCH", path, {"title": "x"}, user=owner,
                        headers={"If-Match": "*"}).status == 404
        assert delete(lab, path, owner).status == 404
    assert lab.get(f"/documents/{task}/versions", user=owner).status == 404


def test_lists_by_state_and_date(lab, owner):
    path = f"/projects/{make(lab, '/projects', owner, name='Lists')['id']}/tasks"
    for title, state, due in (("a", "todo", "2027-03-01"), ("b", "blocked", "2027-01-01"),
                              ("c", "done", None), ("d", "todo", "2027-02-01")):
        make(lab, path, owner, title=title, stateKey=state, dueDate=due)
    for query, titles in (("", "dcba"), ("?stateKey=todo", "da"),
                          ("?stateKey=todo,blocked&order=dueDate", "bda"),
                          ("?order=-dueDate", "adbc"), ("?dueDateTo=2027-02-01", "db"),
                          ("?stateKey=done&priority=high", "")):
        page = lab.get(path + query, user=owner).json
        assert "".join(item["title"] for item in page["items"]) == titles, query
        assert page["totalCount"] == len(titles)
    refused = lab.get(path + "?stateKey=todoo", user=owner)
    assert (refused.status, refused.json["field"]) == (422, "stateKey")
    assert "todo" in refused.json["detail"]


def test_documents_keep_what_they_were(lab, owner):
    project = make(lab, "/projects", owner, name="Papers")["id"]
    path = f"/projects/{project}/documents"
    long = "Zeile mit Ä und 語.\n" * 40000
    document = make(lab, path, owner, title="Long", content=long)
    assert document["contentLength"] == len(long)
    one = lab.get(f"{path}/{document['id']}", user=owner).json
    assert one["content"] == long
    assert lab.get(path, user=owner).json["items"][0]["contentLength"] == len(long)
    # What does not concern the content leaves it.
    one = patch(lab, f"{path}/{document['id']}", owner, one, stateKey="ready").json
    assert one["content"] == long
    one = patch(lab, f"{path}/{document['id']}", owner, one, content="Short").json
    assert (one["content"], one["contentLength"]) == ("Short", 5)
    one = patch(lab, f"{path}/{document['id']}", owner, one, content=None).json
    assert (one["content"], one["contentLength"]) == (None, 0)
    # What it was: a list leaves long texts out, however many versions there are.
    kept = f"/documents/{document['id']}/versions"
    listed = lab.get(kept, user=owner)
    assert len(listed.body) < 2000 and "content" not in listed.json["items"][0]
    whole = [lab.get(f"{kept}/{v['id']}", user=owner).json for v in listed.json["items"]]
    assert [(v["version"], v["content"], v["changedBy"]) for v in whole] == \
        [(4, None, owner), (1, long, owner)]
    refused = lab.post(path, {"title": "x", "content": "x" * 1000001}, user=owner)
    assert (refused.status, refused.json["field"]) == (422, "content")


def dropped(lab, project, owner):
    """Deletes a deleted project for good."""
    assert lab.call("DELETE", f"/projects/deleted/{project}", user=owner).status == 204


def left(lab, project):
    hexed = f"UNHEX('{project.replace('-', '')}')"
    return sum(int(lab.sql(f"SELECT COUNT(*) FROM {table} WHERE {column} = {hexed}")[0][0])
               for table, column in (("project", "id"), ("project_reader", "row_id"),
                                     ("project_member", "top_id"), ("entity", "top_id"),
                                     ("entity_content", "top_id"),
                                     ("entity_version", "top_id")))


def filled(lab, owner):
    project = make(lab, "/projects", owner, name="To go")["id"]
    for kind, more in KINDS.items():
        for title in "ab":
            make(lab, f"/projects/{project}/{kind}", owner, title=title, **more)
    make(lab, f"/projects/{project}/members", owner, user=signed_in(lab))
    return project


def test_a_deleted_project_leaves_nothing(lab, owner):
    project = filled(lab, owner)
    assert left(lab, project) == 1 + 2 + 1 + 14 + 2 + 2
    document = lab.get(f"/projects/{project}/documents", user=owner).json["items"][0]["id"]
    assert delete(lab, f"/projects/{project}/documents/{document}", owner).status == 204
    # Its versions stay as long as it can be restored.
    wait_until("it is gone", lambda: left(lab, project) == 1 + 2 + 1 + 13 + 1 + 2)
    lab.sql("UPDATE job SET due_us = 1 WHERE kind = 'below-purge'")
    lab.command("work")
    assert left(lab, project) == 1 + 2 + 1 + 13 + 1 + 1
    assert delete(lab, f"/projects/{project}", owner).status == 204
    assert lab.get(f"/projects/{project}/tasks", user=owner).status == 404
    dropped(lab, project, owner)
    wait_until("nothing is left", lambda: left(lab, project) == 0)


def test_a_person_leaves_nothing(lab, owner):
    project = filled(lab, owner)
    other = signed_in(lab)
    theirs = make(lab, "/projects", other, name="Theirs")["id"]
    make(lab, f"/projects/{theirs}/members", other, user=owner, role="editor")
    task = make(lab, f"/projects/{theirs}/tasks", owner, title="Mine", owner=owner)["id"]
    taken = json.loads(lab.command("export", "--user", owner).stdout)
    assert [p["name"] for p in taken["projects"]] == ["To go"]
    assert {kind: len(taken["projects"][0][kind]) for kind in KINDS} == dict.fromkeys(KINDS, 2)
    assert taken["projects"][0]["documents"][0]["content"] == KINDS["documents"]["content"]
    lab.command("erase", "--user", owner, "--yes")
    assert left(lab, project) == 0
    seen = lab.get(f"/projects/{theirs}/tasks/{task}", user=other).json
    assert (seen["title"], seen["owner"]) == ("Mine", None)
    assert lab.get(f"/projects/{theirs}/members", user=other).json["items"] == []


def test_what_one_has_to_do_in_all_projects(lab):
    """By the day that it is due, what has none last; only where one still sees it."""
    me, boss = signed_in(lab, "m"), signed_in(lab, "m")
    mine, shared, left = (make(lab, "/projects", user, name="P")["id"]
                          for user in (me, boss, boss))
    for project in (shared, left):
        member = make(lab, f"/projects/{project}/members", boss, user=me, role="viewer")
    for project, user, kind, title, due in [
            (mine, me, "tasks", "c", "2027-03-01"), (shared, boss, "tasks", "a", "2027-01-01"),
            (mine, me, "tasks", "e", None), (shared, boss, "milestones", "b", "2027-02-01"),
            (left, boss, "tasks", "hidden", "2027-01-01"), (mine, me, "tasks", "d", None)]:
        make(lab, f"/projects/{project}/{kind}", user, title=title, dueDate=due, owner=me)
    make(lab, f"/projects/{mine}/goals", me, title="goal", owner=me)
    make(lab, f"/projects/{mine}/tasks", me, title="of nobody", dueDate="2027-01-01")
    assert lab.call("DELETE", f"/projects/{left}/members/{member['id']}",
                    user=boss).status == 204
    got, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"/entities?pageSize=2{cursor and '&cursor=' + cursor}", user=me)
        assert page.status == 200 and len(page.json["items"]) <= 2, page
        got += [one["title"] for one in page.json["items"]]
        cursor = page.json["nextCursor"]
    assert got[:3] == ["a", "b", "c"] and sorted(got[3:]) == ["d", "e"]
    assert [one["title"] for one in lab.get("/entities?kind=goal", user=me).json["items"]] == [
        "goal"]
    assert lab.get("/entities?stateKey=done,blocked", user=me).json["items"] == []
    def titles(query):
        page = lab.get("/entities?" + query, user=me)
        assert page.status == 200, page
        return [one["title"] for one in page.json["items"]]
    assert titles("stateKey=!done,todo,x") == ["b"] and len(titles("stateKey=!done")) == 5
    assert titles("dueDateFrom=2027-01-02&dueDateTo=2027-03-01") == ["b", "c"]
    assert titles("dueDateTo=2027-01-01") == ["a"] and titles("dueDateFrom=2027-03-02") == []
    assert titles("dueDateFrom=2027-02-01&stateKey=todo") == ["c"]
    for query, code in (("kind=x", 422), ("pageSize=0", 422), ("cursor=x", 400),
                        ("dueDateTo=2027-02-30", 422), ("dueDateFrom=2027-1-1", 422)):
        assert lab.get("/entities?" + query, user=me).status == code, query


def test_the_last_day_is_not_the_end_of_what_has_one(lab):
    """A page ends at any place: among those of one day, the last there is, and without one."""
    me = signed_in(lab, "m")
    project = make(lab, "/projects", me, name="P")["id"]
    days = ["9999-12-31", "9999-12-31", None, "1000-01-01", None, "9999-12-31"]
    for day in days:
        make(lab, f"/projects/{project}/tasks", me, title=str(day), dueDate=day, owner=me)
    for query in ("", "&dueDateFrom=1000-01-01"):
        got, cursor = [], ""
        while cursor is not None:
            page = lab.get(f"/entities?pageSize=1{query}{cursor and '&cursor=' + cursor}",
                           user=me).json
            got += page["items"]
            cursor = page["nextCursor"]
        assert len({one["id"] for one in got}) == len(got)
        assert [one["title"] for one in got] == [
            "1000-01-01", *["9999-12-31"] * 3] + (["None"] * 2 if not query else [])
