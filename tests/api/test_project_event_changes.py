# SPDX-License-Identifier: MIT
"""Changes of events of projects: listed, told and taken back like others, and never known to
whom the calendar hides them."""

import json

import pytest

from lab import Stream
from projects import lab, make, owner, project, signed_in  # noqa: F401


EVENT = {"title": "Sale of the tower", "start": "2027-03-01T09:00", "timeZone": "Europe/Berlin"}


def changes(lab, user, project, query=""):
    answer = lab.get(f"/projects/{project}/changes{query}", user=user)
    assert answer.status == 200, answer
    return answer.json


def undo(lab, user, project, change):
    return lab.post(f"/projects/{project}/changes/{change}/undo", None, user=user)


def drop(lab, path, user):
    answer = lab.call("DELETE", path, None, user=user, headers={"If-Match": "*"})
    assert answer.status == 204, answer


def hide(lab, owner, project, visibility):
    [row] = lab.get(f"/projects/{project}/calendars", user=owner).json["items"] or [None]
    if row:
        answer = lab.call("PATCH", f"/projects/{project}/calendars/{row['id']}",
                          {"visibility": visibility}, user=owner, headers={"If-Match": "*"})
        assert answer.status == 200, answer
    else:
        make(lab, f"/projects/{project}/calendars", owner, visibility=visibility)


def test_a_change_of_an_event_is_a_change(lab, owner, project):
    path = f"/projects/{project}/events"
    one = make(lab, path, owner, **EVENT)
    answer = lab.call("PATCH", f"{path}/{one['id']}", {"title": "Sale"}, user=owner,
                      headers={"If-Match": "*"})
    assert answer.status == 200
    drop(lab, f"{path}/{one['id']}", owner)
    listed = changes(lab, owner, project, "?kind=event")["items"]
    assert [(c["verb"], c["title"]) for c in listed] == [
        ("delete", "Sale"), ("update", "Sale"), ("create", EVENT["title"])]
    assert undo(lab, owner, project, listed[0]["id"]).status == 200
    again = lab.get(f"{path}/{one['id']}", user=owner).json
    assert (again["title"], again["start"], again["timeZone"]) == (
        "Sale", EVENT["start"], EVENT["timeZone"])
    assert undo(lab, owner, project, listed[0]["id"]).status == 409
    # An own event is nobody's project.
    make(lab, "/events", owner, **EVENT)
    assert changes(lab, owner, project, "?kind=event")["totalCount"] == 4


def test_a_series_comes_back_with_what_was_changed_alone(lab, owner, project):
    path = f"/projects/{project}/events"
    one = make(lab, path, owner, **EVENT, recurrence="FREQ=WEEKLY;COUNT=5")
    changed = lab.call("PATCH", f"{path}/{one['id']}/occurrences/2027-03-08",
                       {"title": "In the rain"}, user=owner, headers={"If-Match": "*"})
    assert changed.status == 200, changed

    def shown():
        items = lab.get(f"/projects/{project}/calendar?from=2027-03-01&to=2027-04-30",
                        user=owner)
        assert items.status == 200, items
        return sorted((e["title"], e["start"]) for e in items.json["items"])
    before = shown()
    assert ("In the rain", "2027-03-08T09:00") in before and len(before) == 5
    drop(lab, f"{path}/{one['id']}", owner)
    assert shown() == []
    last = changes(lab, owner, project, "?kind=event")["items"][0]
    assert undo(lab, owner, project, last["id"]).status == 200
    assert shown() == before
    [alone] = [e for e in lab.get(path, user=owner).json["items"] if e["title"] == "In the rain"]
    assert (alone["seriesId"], alone["occurrence"]) == (one["id"], "2027-03-08")
    # And one of them alone: into the series.
    drop(lab, f"{path}/{alone['id']}", owner)
    last = changes(lab, owner, project, "?kind=event")["items"][0]
    assert undo(lab, owner, project, last["id"]).status == 200
    assert lab.get(f"{path}/{alone['id']}", user=owner).json["seriesId"] == one["id"]


@pytest.mark.parametrize("role,visibility,sees", [
    ("viewer", "viewer", True), ("viewer", "editor", False), ("editor", "editor", True),
    ("editor", "owner", False), ("owner", "owner", True)])
def test_who_may_not_see_an_event_sees_no_change_of_it(lab, owner, project, role, visibility,
                                                       sees):
    reader = signed_in(lab, "r")
    make(lab, f"/projects/{project}/members", owner, user=reader, role=role)
    hide(lab, owner, project, visibility)
    path = f"/projects/{project}/events"
    stream = Stream(*lab.open("GET", "/notifications", user=reader, timeout_s=20))
    one = make(lab, path, owner, **EVENT)
    drop(lab, f"{path}/{one['id']}", owner)
    last = make(lab, f"/projects/{project}/tasks", owner, title="The last one")["id"]
    told = []
    for event in stream:
        told.append(event)
        if event.name == "entity-patch" and event.data["entityId"] == last:
            break
    stream.close()
    listed = changes(lab, reader, project)
    kinds = [c["kind"] for c in listed["items"]]
    assert kinds.count("event") == (2 if sees else 0)
    assert listed["totalCount"] == len(kinds)
    assert changes(lab, reader, project, "?kind=event")["totalCount"] == (2 if sees else 0)
    assert changes(lab, reader, project, f"?rowId={one['id']}")["totalCount"] == (2 if sees else 0)
    everything = json.dumps([e.data for e in told]) + json.dumps(listed)
    assert (one["id"] in everything) == sees
    assert ("Sale" in everything) == sees
    gone = changes(lab, owner, project, "?kind=event")["items"][0]["id"]
    assert lab.get(f"/projects/{project}/changes/{gone}", user=reader).status == (
        200 if sees else 404)
    answer = undo(lab, reader, project, gone)
    assert (answer.status == 404) == (not sees), answer
    # Hidden later, it is hidden with all that was.
    if sees and visibility != "owner":
        hide(lab, owner, project, "owner")
        assert "Sale" not in json.dumps(changes(lab, reader, project))
