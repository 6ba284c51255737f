# SPDX-License-Identifier: MIT
"""What was deleted in the last 30 days comes back as it was, for those who might delete it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from lab import wait_until
from projects import lab, make, owner, project, signed_in  # noqa: F401

DAY_US = 86400 * 1000000


def delete(lab, path, user):
    return lab.call("DELETE", path, user=user, headers={"If-Match": "*"})


def binned(lab, user):
    answer = lab.get("/projects/deleted", user=user)
    assert answer.status == 200, answer
    return answer.json["items"]


def restore(lab, project, user, status=200):
    answer = lab.post(f"/projects/deleted/{project}/restore", None, user=user)
    assert answer.status == status, answer


def deleted(lab, owner, project):
    return lab.get(f"/projects/{project}/changes?verb=delete&canUndo=true", user=owner) \
        .json["items"]


def take_back(lab, owner, project, title):
    [change] = [c for c in deleted(lab, owner, project) if c["title"] == title]
    answer = lab.post(f"/projects/{project}/changes/{change['id']}/undo", None, user=owner)
    assert answer.status == 200, answer


def tree(lab, owner, project):
    """Titles, each with those below it."""
    def shape(nodes):
        return [(n["title"], shape(n["children"])) if n["children"] else n["title"]
                for n in nodes]
    return shape(lab.get(f"/projects/{project}/tree", user=owner).json["root"])


def hexed(id):
    return f"UNHEX('{id.replace('-', '')}')"


def readers(lab, project):
    return int(lab.sql("SELECT COUNT(*) FROM project_reader WHERE row_id ="
                       f" {hexed(project)}")[0][0])


# -- projects ----------------------------------------------------------------------------------

def test_a_project_comes_back_with_all_that_was_in_it(lab, owner, project):
    editor, co_owner, stranger = (signed_in(lab) for _ in range(3))
    make(lab, f"/projects/{project}/members", owner, user=editor, role="editor")
    make(lab, f"/projects/{project}/members", owner, user=co_owner, role="owner")
    document = make(lab, f"/projects/{project}/documents", owner, title="Log", content="Storm")
    task = make(lab, f"/projects/{project}/tasks", owner, title="Paint", owner=editor)
    make(lab, f"/projects/{project}/edges", owner, fromId=document["id"], toId=task["id"])
    make(lab, f"/projects/{project}/events", owner, title="Visit", start="2027-03-01")
    before = lab.get(f"/projects/{project}", user=owner).json
    counts = lab.get("/projects", user=owner).json["totalCount"]
    assert delete(lab, f"/projects/{project}", owner).status == 204
    # It is hidden at once, in every list and by every path.
    assert lab.get("/projects", user=owner).json["totalCount"] == counts - 1
    for user in (owner, editor, co_owner):
        for path in (f"/projects/{project}", f"/projects/{project}/documents",
                     f"/projects/{project}/documents/{document['id']}",
                     f"/documents/{document['id']}/versions", f"/projects/{project}/tree",
                     f"/projects/{project}/changes", f"/projects/{project}/calendar?"
                     "from=2027-03-01&to=2027-03-02", f"/projects/{project}/export",
                     f"/entities/{task['id']}", f"/entities/{task['id']}/links"):
            assert lab.get(path, user=user).status == 404, path
        assert lab.get("/entities/search?q=storm", user=user).json["items"] == []
    assert lab.get("/entities", user=editor).json["items"] == []
    for path, body in ((f"/projects/{project}/tasks", {"title": "x"}),
                       (f"/projects/{project}/members", {"user": stranger})):
        assert lab.post(path, body, user=owner).status == 404
    assert lab.call("PATCH", f"/projects/{project}", {"name": "x"}, user=owner,
                    headers={"If-Match": "*"}).status == 404
    # Those who might delete it see it, and nobody else.
    for user, n in ((owner, 1), (co_owner, 1), (editor, 0), (stranger, 0)):
        assert len([p for p in binned(lab, user) if p["id"] == project]) == n
    [one] = binned(lab, owner)
    assert one["name"] == "Lighthouse" and one["deletedAt"] < one["keptUntil"]
    for user in (editor, stranger):
        restore(lab, project, user, 404)
        assert lab.call("DELETE", f"/projects/deleted/{project}", user=user).status == 404
    restore(lab, project, co_owner)
    restore(lab, project, owner, 404)
    assert binned(lab, owner) == []
    now = lab.get(f"/projects/{project}", user=owner).json
    assert now["version"] > before["version"] and now["createdAt"] == before["createdAt"]
    assert {k: now[k] for k in ("name", "stateKey", "tier", "isOwner", "canEdit")} == \
        {k: before[k] for k in ("name", "stateKey", "tier", "isOwner", "canEdit")}
    assert lab.get(f"/projects/{project}/documents/{document['id']}", user=editor) \
        .json["content"] == "Storm"
    assert [m["user"] for m in lab.get(f"/projects/{project}/members", user=owner)
            .json["items"]] == [editor, co_owner]
    assert len(lab.get(f"/entities/{task['id']}/links", user=editor).json["items"]) == 1
    assert [f["title"] for f in lab.get("/entities/search?q=storm", user=owner)
            .json["items"]] == ["Log"]
    assert [c["verb"] for c in lab.get(f"/projects/{project}/changes?kind=project", user=owner)
            .json["items"]] == ["create", "delete", "create"]
    # An ETag from before is not of what there is now.
    assert lab.call("PATCH", f"/projects/{project}", {"name": "x"}, user=owner,
                    headers={"If-Match": '"0"'}).status == 412


def test_a_project_is_deleted_for_good_after_30_days(lab, owner, project):
    make(lab, f"/projects/{project}/documents", owner, title="Log", content="Storm")
    assert delete(lab, f"/projects/{project}", owner).status == 204
    row = hexed(project)

    def work():
        lab.sql("UPDATE job SET due_us = 1 WHERE kind = 'below-purge'")
        lab.command("work")
        return lab.sql(f"SELECT (SELECT COUNT(*) FROM project WHERE id = {row}) +"
                       f" (SELECT COUNT(*) FROM project_bin WHERE row_id = {row}) +"
                       f" (SELECT COUNT(*) FROM entity WHERE top_id = {row}) +"
                       f" (SELECT COUNT(*) FROM search_base WHERE id = {row})")[0][0]
    assert int(work()) >= 3
    lab.sql(f"UPDATE project SET deleted_us = deleted_us - {29 * DAY_US} WHERE id = {row}")
    assert int(work()) >= 3
    assert len(binned(lab, owner)) == 1
    lab.sql(f"UPDATE project SET deleted_us = deleted_us - {DAY_US} WHERE id = {row}")
    wait_until("it is gone for good", lambda: int(work()) == 0)
    assert binned(lab, owner) == []
    restore(lab, project, owner, 404)


def test_a_full_list_has_no_room_for_it(lab, owner, project):
    """And what is deleted does not count in it."""
    assert delete(lab, f"/projects/{project}", owner).status == 204
    lab.sql("INSERT INTO project (id, tenant_id, user_id, version, created_us, updated_us,"
            " holder_id, sort_key, name, type_key, state_key, tier)"
            " SELECT UNHEX(MD5(CONCAT(HEX(p.id), s.seq))), p.tenant_id, p.user_id, 0, 1, 1,"
            " p.holder_id, 'x', 'x', 'general', 'active', 'private' FROM project p"
            f" JOIN seq_1_to_499 s WHERE p.id = {hexed(project)}")
    made = make(lab, "/projects", owner, name="The last one")
    restore(lab, project, owner, 409)
    assert len(binned(lab, owner)) == 1
    assert delete(lab, f"/projects/{made['id']}", owner).status == 204
    restore(lab, project, owner)
    restore(lab, made["id"], owner, 409)


def test_of_two_who_restore_one_does(lab, owner, project):
    assert delete(lab, f"/projects/{project}", owner).status == 204
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: lab.post(
            f"/projects/deleted/{project}/restore", None, user=owner).status, range(4)))
    assert sorted(answers) == [200, 404, 404, 404]
    assert readers(lab, project) == 1
    assert lab.get(f"/projects/{project}", user=owner).status == 200


def test_an_erased_user_leaves_no_deleted_project(lab, owner, project):
    other = signed_in(lab)
    theirs = make(lab, "/projects", other, name="Theirs")["id"]
    make(lab, f"/projects/{theirs}/members", other, user=owner, role="owner")
    make(lab, f"/projects/{project}/documents", owner, title="Log", content="Storm")
    assert delete(lab, f"/projects/{project}", owner).status == 204
    assert delete(lab, f"/projects/{theirs}", other).status == 204
    lab.command("erase", "--user", owner, "--yes")
    row = hexed(project)
    for table, column in (("project", "id"), ("project_bin", "row_id"), ("entity", "top_id"),
                          ("entity_content", "top_id"), ("resource_change", "top_id"),
                          ("search_base", "id")):
        assert not lab.sql(f"SELECT 1 FROM {table} WHERE {column} = {row} LIMIT 1"), table
    # What was not theirs stays, without them.
    restore(lab, theirs, other)
    assert readers(lab, theirs) == 1
    assert lab.get(f"/projects/{theirs}/members", user=other).json["items"] == []


# -- what is in projects ---------------------------------------------------------------------

def test_a_document_comes_back_to_its_place_in_the_tree(lab, owner, project):
    path = f"/projects/{project}/documents"
    ids = {}
    for title, under in (("A", None), ("B", None), ("C", None), ("B1", "B"), ("B2", "B"),
                         ("B2a", "B2"), ("B3", "B")):
        ids[title] = make(lab, path, owner, title=title, parentId=ids.get(under))["id"]
    before = ["A", ("B", ["B1", ("B2", ["B2a"]), "B3"]), "C"]
    assert tree(lab, owner, project) == before
    assert lab.call("PATCH", f"{path}/{ids['B']}", {"description": "x"}, user=owner,
                    headers={"If-Match": "*"}).status == 200
    was = lab.get(f"{path}/{ids['B']}", user=owner).json
    assert delete(lab, f"{path}/{ids['B']}", owner).status == 204
    assert sorted(map(str, tree(lab, owner, project))) == sorted(map(str, [
        "A", "B1", ("B2", ["B2a"]), "B3", "C"]))
    take_back(lab, owner, project, "B")
    assert tree(lab, owner, project) == before
    # As old as it was, at its next version, with its versions.
    now = lab.get(f"{path}/{ids['B']}", user=owner).json
    assert (now["createdAt"], now["version"]) == (was["createdAt"], was["version"] + 1)
    assert len(lab.get(f"/documents/{ids['B']}/versions", user=owner).json["items"]) >= 2
    assert deleted(lab, owner, project) == []
    # What was moved meanwhile stays where somebody wants it.
    assert delete(lab, f"{path}/{ids['B']}", owner).status == 204
    assert lab.post(f"/projects/{project}/tree", {"documentId": ids["B1"],
                                                  "parentId": ids["A"]}, user=owner).status == 200
    assert delete(lab, f"{path}/{ids['B3']}", owner).status == 204
    take_back(lab, owner, project, "B")
    assert tree(lab, owner, project) == [("A", ["B1"]), ("B", [("B2", ["B2a"])]), "C"]
    take_back(lab, owner, project, "B3")


def test_a_tree_does_not_become_too_deep(lab, owner, project):
    path = f"/projects/{project}/documents"
    chain = [None]
    for i in range(16):
        chain.append(make(lab, path, owner, title=f"D{i}", parentId=chain[-1])["id"])
    assert delete(lab, f"{path}/{chain[1]}", owner).status == 204
    make(lab, path, owner, title="deepest", parentId=chain[-1])
    take_back(lab, owner, project, "D0")
    assert {node if isinstance(node, str) else node[0]
            for node in tree(lab, owner, project)} == {"D0", "D1"}


@pytest.mark.parametrize("kind", ["tasks", "goals", "plans", "milestones", "risks",
                                  "requirements", "events"])
def test_each_kind_comes_back(lab, owner, project, kind):
    path = f"/projects/{project}/{kind}"
    more = {"start": "2027-03-01"} if kind == "events" else {}
    one = make(lab, path, owner, title="One", description="Why", **more)
    assert delete(lab, f"{path}/{one['id']}", owner).status == 204
    assert lab.get(f"{path}/{one['id']}", user=owner).status == 404
    assert [c["title"] for c in deleted(lab, owner, project)] == ["One"]
    take_back(lab, owner, project, "One")
    now = lab.get(f"{path}/{one['id']}", user=owner).json
    assert (now["title"], now["description"]) == ("One", "Why")
    assert deleted(lab, owner, project) == []


def test_an_old_change_is_not_taken_back_from_what_was_restored(lab, owner, project):
    """Its number is not that of another change after it came back."""
    path = f"/projects/{project}/tasks"
    one = make(lab, path, owner, title="One")

    def rename(title):
        assert lab.call("PATCH", f"{path}/{one['id']}", {"title": title}, user=owner,
                        headers={"If-Match": "*"}).status == 200
    rename("Two")
    change = lab.get(f"/projects/{project}/changes", user=owner).json["items"][0]
    assert delete(lab, f"{path}/{one['id']}", owner).status == 204
    take_back(lab, owner, project, "Two")
    rename("Three")
    answer = lab.post(f"/projects/{project}/changes/{change['id']}/undo", None, user=owner)
    assert answer.status == 412, answer
    assert lab.get(f"{path}/{one['id']}", user=owner).json["title"] == "Three"
