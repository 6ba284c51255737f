# SPDX-License-Identifier: MIT
"""Prompts: what a repetition and a client with an ETag see, their categories, and
shares at the same moment."""

import concurrent.futures

import pytest

from prompts import IT, NOBODY, make, names, refused, who  # noqa: F401


def test_a_copy_is_the_same_after_the_original_changed(lab, who):
    one = make(lab, who, name=who, body="First")
    path, key = f"/prompts/{one['id']}", {"Idempotency-Key": who}
    copy = lab.post(path + "/copy", {}, user=who, headers=key)
    assert copy.status == 201, copy
    lab.call("PATCH", path, {"body": "Second"}, user=who)
    again = lab.post(path + "/copy", {}, user=who, headers=key)
    assert (again.status, again.json) == (201, copy.json)
    assert again.headers["Location"] == copy.headers["Location"]
    assert lab.call("DELETE", path, user=who).status == 204
    gone = lab.post(path + "/copy", {}, user=who, headers=key)
    assert (gone.status, gone.json) == (201, copy.json)
    other = make(lab, who, name=who + "2")
    refused(lab.post(f"/prompts/{other['id']}/copy", {}, user=who, headers=key), 422,
            "Idempotency-Key")
    refused(lab.post(path + "/copy", {"name": "Another"}, user=who, headers=key), 422,
            "Idempotency-Key")


def test_a_deleted_category_leaves_no_tag_behind(lab, who):
    category = lab.post("/prompt-categories", {"name": who}, **IT).json
    one = make(lab, who, name=who, categoryIds=[category["id"]])
    path = f"/prompts/{one['id']}"
    tag = {"If-None-Match": lab.get(path, user=who).headers["ETag"]}
    assert lab.get(path, user=who, headers=tag).status == 304
    assert lab.call("DELETE", f"/prompt-categories/{category['id']}", **IT).status == 204
    now = lab.get(path, user=who, headers=tag)
    assert (now.status, now.json["categoryIds"]) == (200, [])


@pytest.mark.parametrize("route", ["/prompts", "/prompt-picker"])
def test_the_prompts_of_a_category(lab, who, route):
    category = lab.post("/prompt-categories", {"name": who}, **IT).json["id"]
    other = lab.post("/prompt-categories", {"name": who + "2"}, **IT).json["id"]
    for i in range(5):
        make(lab, who, name=f"{who}{i}", categoryIds=[category] if i % 2 else [other])
    make(lab, "else" + who, name=who + "hidden", categoryIds=[category])
    make(lab, **IT, name=who + "9", tier="tenant", categoryIds=[category, other])
    page = lab.get(f"{route}?category={category}&pageSize=2", user=who).json
    assert [i["name"] for i in page["items"]] == [who + "1", who + "3"]
    rest = lab.get(f"{route}?category={category}&pageSize=2&cursor="
                   + page["nextCursor"], user=who).json
    assert [i["name"] for i in rest["items"]] == [who + "9"]
    assert rest["nextCursor"] is None
    if route == "/prompts":
        assert page["totalCount"] == rest["totalCount"] == 3
    assert names(lab, f"{who}3&category={category}", route, user=who) == [who + "3"]
    assert names(lab, f"&category={NOBODY}", route, user=who) == []
    refused(lab.get(f"{route}?category=x", user=who), 422, "category")


def test_a_share_changes_the_row_of_its_prompt(lab, who):
    """So that it cannot pass a deletion on another node of a cluster."""
    one = make(lab, who, ["g" + who], name=who)
    path = f"/prompts/{one['id']}"

    def moved():
        return int(lab.sql("SELECT shared FROM prompt WHERE id = UNHEX('"
                           + one["id"].replace("-", "") + "')")[0][0])
    made = lab.post(path + "/shares", {"group": "g" + who}, user=who,
                    groups=["g" + who])
    assert made.status == 201 and moved() == 1
    assert lab.get(path, user=who).json["version"] == 1
    assert lab.call("DELETE", f"{path}/shares/{made.json['id']}", user=who,
                    groups=["g" + who]).status == 204
    assert moved() == 2


def test_shares_at_once_all_hold(lab, who):
    groups = [f"{who}{i}" for i in range(6)]
    path = f"/prompts/{make(lab, who, groups, name=who)['id']}"
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda group: lab.post(
            path + "/shares", {"group": group}, user=who, groups=groups), groups))
    assert [a.status for a in answers] == [201] * 6, answers
    assert all(names(lab, who, user="reader", groups=[g]) == [who] for g in groups)
