# SPDX-License-Identifier: MIT
"""Projects and what is in them on the pages without JavaScript."""

import pytest

from plain_forms import Browser, form_to
from projects import lab, make, owner, project, signed_in  # noqa: F401

KINDS = ["documents", "tasks", "goals", "plans", "milestones", "risks", "requirements"]


def test_a_project_is_made_changed_deleted_and_restored(lab, owner):
    browser = Browser(lab, owner)
    page = browser.open("/projects")
    assert page.status == 200 and "New project" in page.text
    page = browser.send(page, form_to(page, "projects"), name="Pier <1>",
                        description="Why\r\nand how", stateKey="active")
    assert page.status == 200 and "Pier &lt;1&gt;" in page.text
    [made] = lab.get("/projects", user=owner).json["items"]
    assert (made["name"], made["description"], made["stateKey"]) == (
        "Pier <1>", "Why\nand how", "active")
    old = form_to(page, made["id"])
    assert old["fields"]["description"] == "Why\nand how"
    page = browser.send(page, old, name="Pier", description="", typeKey="event", stateKey="done")
    now = lab.get(f"/projects/{made['id']}", user=owner).json
    assert (now["name"], now["description"], now["typeKey"], now["version"]) == (
        "Pier", None, "event", 2)
    # A form that is older than the row changes nothing, and says so.
    late = browser.send(page, old, name="Late")
    assert late.status == 412 and "Somebody has changed it" in late.text
    gone = browser.send(page, [f for f in page.forms if f["fields"].get("delete")][0])
    assert gone.status == 200 and "Recently deleted" in gone.text
    assert lab.get("/projects", user=owner).json["items"] == []
    back = browser.send(gone, form_to(gone, "restore"))
    assert back.status == 200 and lab.get(f"/projects/{made['id']}", user=owner).status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_list_and_forms(lab, owner, project, kind):
    browser = Browser(lab, owner)
    page = browser.open(f"/projects/{project}")
    assert any(link.endswith(f"{project}/{kind}") for link in page.links)
    page = browser.open(f"/projects/{project}/{kind}")
    page = browser.send(page, form_to(page, kind), title='A "new" <one>', owner=owner)
    assert page.status == 200
    [row] = lab.get(f"/projects/{project}/{kind}", user=owner).json["items"]
    assert (row["title"], row["owner"]) == ('A "new" <one>', owner)
    form = next(f for f in lab.get("/forms", user=owner).json["items"]
                if f["name"] == "projects/" + kind)
    state = next(f for f in form["fields"] if f["key"] == "stateKey")["choices"][1]["value"]
    page = browser.send(page, form_to(page, row["id"]), title="Other", owner="", stateKey=state)
    now = lab.get(f"/projects/{project}/{kind}/{row['id']}", user=owner).json
    assert (now["title"], now["owner"], now["stateKey"]) == ("Other", None, state)
    bad = browser.send(page, form_to(page, row["id"]), title="Other", stateKey="never")
    assert bad.status == 422 and "stateKey must be" in bad.text
    page = browser.send(page, [f for f in page.forms if f["fields"].get("delete")][0])
    assert page.status == 200 and "Other" not in page.text
    page = browser.open(f"/projects/{project}")
    assert "Recently deleted" in page.text
    page = browser.send(page, form_to(page, "undo"))
    assert page.status == 200 and "Recently deleted" not in page.text
    assert lab.get(f"/projects/{project}/{kind}/{row['id']}", user=owner).json["title"] == "Other"


def test_a_viewer_reads_and_a_stranger_finds_nothing(lab, owner, project):
    one = make(lab, f"/projects/{project}/documents", owner, title="Log", content="# Storm")
    viewer, stranger = signed_in(lab, "v"), signed_in(lab, "s")
    make(lab, f"/projects/{project}/members", owner, user=viewer)
    at = f"/projects/{project}/documents"
    page = Browser(lab, viewer).open(f"{at}/{one['id']}")
    assert page.status == 200 and "# Storm" in page.text and not page.forms
    assert not Browser(lab, viewer).open(at).forms
    for path in (f"/projects/{project}", at, f"{at}/{one['id']}", f"/projects/{project}/boats"):
        assert Browser(lab, stranger).open(path).status == 404
    assert Browser(lab, owner).open(f"/projects/{project}/boats").status == 404
