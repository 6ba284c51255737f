# SPDX-License-Identifier: MIT
"""What pickers ask for: titles with words that begin as somebody types."""

import pytest

from projects import lab, make, owner, signed_in  # noqa: F401


@pytest.fixture(name="project")
def project_of_the_test(lab, owner):
    return make(lab, "/projects", owner, name="Lighthouse repair")["id"]


def starting(lab, user, q, **more):
    query = "&".join(f"{k}={v}" for k, v in {"q": q, "match": "start", **more}.items())
    answer = lab.get(f"/entities/search?{query}", user=user)
    assert answer.status == 200, answer
    return [one["title"] for one in answer.json["items"]]


def test_the_beginning_of_a_word_is_enough(lab, owner, project):
    for title in ("Order the meters", "Reorder seals", "Über­gabe prüfen", "Meter-Ablesung"):
        make(lab, f"/projects/{project}/tasks", owner, title=title)
    make(lab, f"/projects/{project}/goals", owner, title="Order in the house")
    assert starting(lab, owner, "ord") == ["Order in the house", "Order the meters"]
    assert starting(lab, owner, "met") == ["Meter-Ablesung", "Order the meters"]
    assert starting(lab, owner, "met%20or") == ["Order the meters"]
    assert starting(lab, owner, "ORDER%20the%20MET") == ["Order the meters"]
    assert starting(lab, owner, "pr%C3%BC") == ["Über­gabe prüfen"]
    assert starting(lab, owner, "ligh") == ["Lighthouse repair"]
    assert starting(lab, owner, "ord", kind="goal") == ["Order in the house"]
    assert starting(lab, owner, "ord", projectId=project, pageSize=1) == ["Order in the house"]
    # Nothing that is typed is a pattern; one character is too few.
    for nothing in ("o", "%25", "or%25", "__", "rder", "%27%20or%201", "%F4%8F%BF%BF"):
        assert starting(lab, owner, nothing) == (
            ["Order in the house", "Order the meters"] if nothing == "or%25" else []), nothing
    wrong = lab.get("/entities/search?q=x&match=end", user=owner)
    assert (wrong.status, wrong.json["field"]) == (422, "match")


def test_who_does_not_see_it_finds_nothing(lab, owner, project):
    stranger, reader = signed_in(lab, "s"), signed_in(lab, "r")
    task = make(lab, f"/projects/{project}/tasks", owner, title="Secret tunnel")
    member = make(lab, f"/projects/{project}/members", owner, user=reader, role="viewer")
    assert starting(lab, stranger, "sec") == []
    assert lab.get(f"/entities/search?q=sec&match=start&projectId={project}",
                   user=stranger).status == 404
    assert starting(lab, reader, "sec") == ["Secret tunnel"]
    lab.call("DELETE", f"/projects/{project}/members/{member['id']}", None, user=owner)
    assert starting(lab, reader, "sec") == []
    # Another title, and none.
    path = f"/projects/{project}/tasks/{task['id']}"
    assert lab.call("PATCH", path, {"title": "Open road"}, user=owner,
                    headers={"If-Match": "*"}).status == 200
    assert starting(lab, owner, "sec") == [] and starting(lab, owner, "roa") == ["Open road"]
    assert lab.call("DELETE", path, None, user=owner, headers={"If-Match": "*"}).status == 204
    assert starting(lab, owner, "roa") == []
    assert lab.sql("SELECT COUNT(*) FROM entity_word w LEFT JOIN entity e ON e.id = w.row_id "
                   "WHERE e.id IS NULL AND w.row_id <> w.base_id") in ("0", "0\n", [["0"]])
