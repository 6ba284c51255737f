# SPDX-License-Identifier: MIT
"""What went wrong in comparable programs, by their public reports, with projects: trees,
what was deleted and restored, two who write at once, and what is repeated."""

import random

import pytest

from projects import lab, make, owner, project, signed_in  # noqa: F401


def delete(lab, path, user):
    answer = lab.call("DELETE", path, user=user, headers={"If-Match": "*"})
    assert answer.status == 204, answer


def restore(lab, owner, project, id, status=200):
    changes = lab.get(f"/projects/{project}/changes?verb=delete&canUndo=true&rowId={id}",
                      user=owner).json["items"]
    answer = lab.post(f"/projects/{project}/changes/{changes[0]['id']}/undo", None, user=owner)
    assert answer.status == status, answer


def parents(lab, owner, project):
    """Of each document in the tree, by title, the title of the one above it."""
    out, todo = {}, [(None, n) for n in lab.get(f"/projects/{project}/tree", user=owner)
                     .json["root"]]
    while todo:
        above, node = todo.pop()
        assert node["title"] not in out     # in two places
        out[node["title"]] = above
        todo += [(node["title"], n) for n in node["children"]]
    return out


def document(lab, owner, project, title, under=None):
    return make(lab, f"/projects/{project}/documents", owner, title=title, parentId=under)["id"]


def test_a_child_is_restored_before_its_parent(lab, owner, project):
    """suitenumerique/docs #1489, #2130; pleisto/mashcard #162: it was nowhere then."""
    path = f"/projects/{project}/documents"
    top = document(lab, owner, project, "parent")
    child = document(lab, owner, project, "child", top)
    delete(lab, f"{path}/{child}", owner)
    delete(lab, f"{path}/{top}", owner)
    restore(lab, owner, project, child)
    assert parents(lab, owner, project) == {"child": None}
    restore(lab, owner, project, top)
    assert parents(lab, owner, project) == {"child": None, "parent": None}


def test_what_was_deleted_before_its_parent_stays_deleted(lab, owner, project):
    """AntonioErdeljac/notion-clone-tutorial #1: it came back with it."""
    path = f"/projects/{project}/documents"
    top = document(lab, owner, project, "parent")
    unwanted = document(lab, owner, project, "unwanted", top)
    document(lab, owner, project, "wanted", top)
    delete(lab, f"{path}/{unwanted}", owner)
    delete(lab, f"{path}/{top}", owner)
    # luckydye/vektor #117: children were left below what is deleted.
    assert parents(lab, owner, project) == {"wanted": None}
    restore(lab, owner, project, top)
    assert parents(lab, owner, project) == {"parent": None, "wanted": "parent"}
    assert lab.get(f"{path}/{unwanted}", user=owner).status == 404


def test_a_chain_is_restored_in_any_order(lab, owner, project):
    """apostrophecms/apostrophe #2194, etrepat/baum #23: what was below it was lost."""
    path = f"/projects/{project}/documents"
    a = document(lab, owner, project, "a")
    b = document(lab, owner, project, "b", a)
    document(lab, owner, project, "c", b)
    delete(lab, f"{path}/{b}", owner)
    delete(lab, f"{path}/{a}", owner)
    restore(lab, owner, project, a)
    restore(lab, owner, project, b)
    assert parents(lab, owner, project) == {"a": None, "b": "a", "c": "b"}


def test_no_circle_by_moving_while_something_is_deleted(lab, owner, project):
    """Devlaner/devlane #379, open-webui/open-webui #17603, opf/openproject #19297."""
    path, tree = f"/projects/{project}/documents", f"/projects/{project}/tree"
    a = document(lab, owner, project, "a")
    b = document(lab, owner, project, "b", a)
    c = document(lab, owner, project, "c", b)
    delete(lab, f"{path}/{b}", owner)
    assert lab.post(tree, {"documentId": a, "parentId": c}, user=owner).status == 422
    assert lab.post(tree, {"documentId": c}, user=owner).status == 200
    assert lab.post(tree, {"documentId": a, "parentId": c}, user=owner).status == 200
    restore(lab, owner, project, b)
    assert parents(lab, owner, project) == {"c": None, "a": "c", "b": "a"}


def test_any_order_of_moves_deletions_and_restorations_loses_nothing(lab, owner, project):
    path, rng = f"/projects/{project}/documents", random.Random(27)
    ids, gone = {}, set()
    for n in range(12):
        ids[str(n)] = document(lab, owner, project, str(n),
                               ids.get(str(rng.randrange(n))) if n else None)
    for _ in range(80):
        here = sorted(set(ids) - gone)
        one, verb = rng.choice(here or sorted(ids)), rng.choice("mdr")
        if verb == "r" and gone:
            one = rng.choice(sorted(gone))
            restore(lab, owner, project, ids[one])
            gone.remove(one)
        elif verb == "d" and len(here) > 3:
            delete(lab, f"{path}/{ids[one]}", owner)
            gone.add(one)
        else:
            moved = lab.post(f"/projects/{project}/tree", {
                "documentId": ids[one], "parentId": ids[rng.choice(here)]}, user=owner)
            assert moved.status in (200, 422), moved
        assert set(parents(lab, owner, project)) == set(ids) - gone


def test_who_has_it_open_does_not_overwrite_what_was_restored(lab, owner, project):
    """makeplane/plane #5370: a page that stayed open wrote over the work of others."""
    path = f"/projects/{project}/documents"
    id = document(lab, owner, project, "Plan")
    tag = dict(lab.get(f"{path}/{id}", user=owner).headers)["ETag"]
    delete(lab, f"{path}/{id}", owner)
    restore(lab, owner, project, id)
    late = lab.call("PATCH", f"{path}/{id}", {"content": "old"}, user=owner,
                    headers={"If-Match": tag})
    assert late.status == 412, late
    late = lab.call("DELETE", f"{path}/{id}", user=owner, headers={"If-Match": tag})
    assert late.status == 412, late


def test_what_is_deleted_is_in_no_picker(lab, owner, project):
    """AppFlowy-IO/AppFlowy #7702, #5754: it could still be linked."""
    id = document(lab, owner, project, "Xylophone")
    task = make(lab, f"/projects/{project}/tasks", owner, title="Tune")["id"]

    def found():
        return [[f["id"] for f in lab.get(f"/entities/search?q=xylo{more}", user=owner)
                 .json["items"]] for more in ("&match=start", "phone")]
    assert found() == [[id], [id]]
    delete(lab, f"/projects/{project}/documents/{id}", owner)
    assert found() == [[], []]
    link = lab.post(f"/projects/{project}/edges", {"fromId": task, "toId": id}, user=owner)
    assert (link.status, link.json["field"]) == (422, "toId")
    restore(lab, owner, project, id)
    assert found() == [[id], [id]]


@pytest.mark.parametrize("zone,first,last", [
    ("Pacific/Auckland", "2026-09-25", "2026-09-29"),       # tasks/tasks #1634
    ("Australia/Sydney", "2026-10-03", "2026-10-06"),       # obsidian-tasks #2309
    ("America/Santiago", "2026-09-04", "2026-09-08"),       # tasks/tasks #2239: at midnight
    ("Europe/Berlin", "2026-10-23", "2026-10-27"),          # taskwarrior #1880
])
def test_each_day_is_there_once_when_clocks_change(lab, owner, project, zone, first, last):
    made = lab.post(f"/projects/{project}/events", {
        "title": "Watch", "start": f"{first}T00:30", "end": f"{first}T00:45", "timeZone": zone,
        "recurrence": "FREQ=DAILY"}, user=owner)
    assert made.status == 201, made
    days = lab.get(f"/projects/{project}/calendar?from={first}&to={last}&timeZone={zone}",
                   user=owner)
    assert days.status == 200, days
    wanted = [f"{first[:8]}{day:02d}" for day in range(int(first[8:]), int(last[8:]) + 1)]
    starts = [e["start"] for e in days.json["items"]]
    assert [s[:10] for s in starts][:len(wanted) - 1] == wanted[:-1], starts
    assert len(set(s[:10] for s in starts)) == len(starts)
