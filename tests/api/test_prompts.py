# SPDX-License-Identifier: MIT
"""The prompt catalogue: prompts of files, of the tenant, of groups and of users;
their categories, blanks, versions, shares and copies; and the list to choose
from. What holds for every resource is asked in test_tokens.py."""

import base64
import concurrent.futures
import json
import pathlib
import threading

import pytest

from lab import COMMAND, wait_until
from prompts import IT, NOBODY, make, names, refused, who  # noqa: F401


def test_a_prompt_from_its_making_to_its_end(lab, who):
    body = {"name": who, "description": "For tests", "icon": "star",
            "colour": "#AA00ff", "body": "Dear {{Customer}},\n{{Tone: choice: "
            "friendly | formal}} {{Until: date}} {{T: record: tickets}} "
            "\\{{no}} {{Customer}}"}
    answer = lab.post("/prompts", body, user=who)
    made = answer.json
    assert answer.status == 201, answer
    assert answer.headers["Location"] == f"prompts/{made['id']}"
    assert {key: made[key] for key in body} == body
    assert made["blanks"] == [
        {"name": "Customer", "type": "text", "choices": [], "dataset": None},
        {"name": "Tone", "type": "choice", "choices": ["friendly", "formal"],
         "dataset": None},
        {"name": "Until", "type": "date", "choices": [], "dataset": None},
        {"name": "T", "type": "record", "choices": [], "dataset": "tickets"}]
    assert (made["tier"], made["group"], made["source"], made["canEdit"],
            made["version"], made["copiedFrom"], made["categoryIds"]) == (
        "private", None, "api", True, 1, None, [])
    path = f"/prompts/{made['id']}"
    seen = lab.get(path, user=who)
    assert seen.json == made
    changed = lab.call("PATCH", path, {"name": who.upper(), "icon": None}, user=who,
                       headers={"If-Match": seen.headers["ETag"]})
    assert changed.status == 200, changed
    assert (changed.json["name"], changed.json["icon"], changed.json["version"]) == (
        who.upper(), None, 2)
    assert names(lab, who, user=who) == [who.upper()]
    stale = lab.call("PATCH", path, {"name": "x"}, user=who,
                     headers={"If-Match": seen.headers["ETag"]})
    assert stale.status == 412
    assert lab.call("DELETE", path, user=who).status == 204
    assert lab.get(path, user=who).status == 404
    assert names(lab, who, user=who) == []


def hex_of(uuid):
    return f"UNHEX('{uuid.replace('-', '')}')"


def age_versions(lab, prompt, seconds):
    lab.sql(f"UPDATE prompt_version SET created_us = created_us - {seconds} * 1000000,"
            f" replaced_us = replaced_us - {seconds} * 1000000"
            f" WHERE parent_id = {hex_of(prompt['id'])}")


def versions(lab, prompt, **who):
    path = f"/prompts/{prompt['id']}/versions"
    items = lab.get(path, **who).json["items"]
    assert not any("body" in v for v in items)      # long texts are in no list
    whole = [lab.get(f"{path}/{v['id']}", **who) for v in items]
    # One that housekeeping deletes meanwhile is in the list, and not there any more.
    return [(v.json["version"], v.json["body"], v.json["changedBy"]) for v in whole
            if v.status != 404]


def test_versions_are_kept(lab, who):
    lab.get("/me", user=who)
    one = make(lab, who, name=who, body="First")
    path = f"/prompts/{one['id']}"
    category = lab.post("/prompt-categories", {"name": who}, **IT).json
    lab.call("PATCH", path, {"body": "Second"}, user=who)
    age_versions(lab, one, 601)
    # Where it is filed is no version of it.
    lab.call("PATCH", path, {"categoryIds": [category["id"]]}, user=who)
    assert lab.call("PATCH", path, {"body": "Third"}, user=who).json["version"] == 4
    kept = lab.get(path + "/versions", user=who).json
    assert versions(lab, one, user=who) == [
        (4, "Third", who), (2, "Second", who), (1, "First", who)]
    assert kept["totalCount"] == 3
    first = f"{path}/versions/{kept['items'][2]['id']}"
    assert lab.get(first, user=who).json["body"] == "First"
    for method, at in (("POST", path + "/versions"), ("PATCH", first),
                       ("DELETE", first)):
        assert lab.call(method, at, {}, user=who).status == 405
    # Not for those who only see it, nor under another prompt.
    assert lab.get(first, user="eve").status == 404
    other = make(lab, who, name=who)
    assert lab.get(f"/prompts/{other['id']}/versions/{kept['items'][2]['id']}",
                   user=who).status == 404
    lab.call("DELETE", path, user=who)
    assert lab.sql("SELECT COUNT(*) FROM prompt_version WHERE parent_id ="
                   f" {hex_of(one['id'])}") == [["0"]]


def test_changes_within_minutes_are_one_version(lab, who):
    group = {"groups": [who, "it"]}
    for user in (who, "vic"):
        lab.sign_in(user)
    one = make(lab, who, name=who, body="First", tier="team", group=who, **group)
    path = f"/prompts/{one['id']}"

    def change(user, body):
        assert lab.call("PATCH", path, {"body": body}, user=user, **group).status == 200

    change(who, "2")
    change(who, "3")
    at_first = lab.get(path + "/versions", user=who, **group).json["items"][0]
    # What a colleague wrote in between is not lost, nor counted as one's own.
    change("vic", "4")
    change(who, "5")
    change(who, "6")
    assert versions(lab, one, user=who, **group) == [
        (6, "6", who), (4, "4", "vic"), (3, "3", who), (1, "First", who)]
    # The series began with its first change, however long it goes on.
    age_versions(lab, one, 599)
    change(who, "7")
    assert versions(lab, one, user=who, **group)[:2] == [(7, "7", who), (4, "4", "vic")]
    age_versions(lab, one, 2)
    change(who, "8")
    assert versions(lab, one, user=who, **group)[:3] == [
        (8, "8", who), (7, "7", who), (4, "4", "vic")]
    # A version that was replaced keeps its address.
    again = lab.get(f"{path}/versions/{at_first['id']}", user=who, **group).json
    assert (again["version"], again["body"]) == (3, "3")


def test_versions_have_the_order_of_the_changes(lab, who):
    """Whatever the clocks of nodes say, and however many change it at once."""
    group = {"groups": [who, "it"]}
    for user in (who, "vic"):
        lab.sign_in(user)
    one = make(lab, who, name=who, body="First", tier="team", group=who, **group)
    age_versions(lab, one, -3600)
    for user, body in ((who, "2"), ("vic", "3")):
        lab.call("PATCH", f"/prompts/{one['id']}", {"body": body}, user=user, **group)
    assert versions(lab, one, user=who, **group) == [
        (3, "3", "vic"), (2, "2", who), (1, "First", who)]

    def change(i):
        return lab.call("PATCH", f"/prompts/{one['id']}", {"body": f"at once {i}"},
                        user=(who, "vic")[i % 2], **group).status

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        said = list(pool.map(change, range(24)))
    assert set(said) <= {200, 412} and 200 in said
    now = lab.get(f"/prompts/{one['id']}", user=who, **group).json
    kept = versions(lab, one, user=who, **group)
    assert kept[0][:2] == (now["version"], now["body"]) == (3 + said.count(200), kept[0][1])
    numbers = [v[0] for v in kept]
    assert numbers == sorted(set(numbers), reverse=True)
    row = hex_of(one["id"])
    assert lab.sql("SELECT COUNT(*) FROM prompt_version WHERE replaced_us IS NULL"
                   f" AND parent_id = {row}") == [["1"]]


def test_only_so_many_versions_are_kept(lab, who):
    one = make(lab, who, body="0")
    row = hex_of(one["id"])
    number = f"SELECT COUNT(*), MIN(number) FROM prompt_version WHERE parent_id = {row}"
    lab.sql(f"UPDATE prompt SET version = 150 WHERE id = {row};"
            " UPDATE prompt_version SET created_us = created_us - 200000000000"
            f" WHERE parent_id = {row}")
    lab.sql("INSERT INTO prompt_version (id, tenant_id, user_id, version, created_us,"
            " updated_us, parent_id, number, name, body, replaced_us)"
            " SELECT UNHEX(MD5(CONCAT(HEX(id), seq))), tenant_id, user_id, 0,"
            " created_us + seq * 1000000000, 0, parent_id, seq, name, body, 1"
            f" FROM prompt_version, seq_2_to_151 WHERE parent_id = {row}")
    lab.call("PATCH", f"/prompts/{one['id']}", {"body": "1"}, user=who)
    assert lab.sql(number) == [["100", "53"]]


def test_only_so_much_of_versions_is_kept(lab, who):
    """100 of the longest are 6 MB, and 1,000 prompts of one user 6 GB."""
    one = make(lab, who, body="0")
    bodies = [chr(0x6771 + i) * 20000 for i in range(20)] + ["last"]	# 60,000 bytes each
    for body in bodies:
        age_versions(lab, one, 601)
        sent = json.dumps({"body": body}, ensure_ascii=False).encode()
        assert lab.call("PATCH", f"/prompts/{one['id']}", sent, user=who, headers={
            "Content-Type": "application/json"}).status == 200
    assert [v[1] for v in versions(lab, one, user=who)] == bodies[:-19:-1]


def test_old_versions_are_deleted_and_the_newest_stays(make_lab, who):
    lab = make_lab()
    one = make(lab, who, body="0")
    lab.call("PATCH", f"/prompts/{one['id']}", {"body": "1"}, user=who)
    age_versions(lab, one, 90 * 86400 - 60)
    lab.call("PATCH", f"/prompts/{one['id']}", {"body": "2"}, user=who)
    age_versions(lab, one, 120)
    # The rest ages beyond any limit, but has not been replaced for long.
    kept = make(lab, who, body="0")
    lab.sql("UPDATE prompt_version SET created_us = 1, updated_us = 1"
            f" WHERE parent_id IN ({hex_of(one['id'])}, {hex_of(kept['id'])})")
    # Housekeeping runs when a responder starts, and while there are turns.
    lab.stop("responder")
    lab.start_responder()
    wait_until("housekeeping", lambda: [v[0] for v in versions(lab, one, user=who)] == [3, 2])
    assert [v[0] for v in versions(lab, kept, user=who)] == [1]


def test_versions_are_what_a_user_stores(lab, who):
    def stored():
        return next(s["used"] for s in lab.get("/me/limits", user=who).json["items"]
                    if s["key"] == "versions")

    one = make(lab, who, name="ä", body="x" * 10000)
    assert stored() == 10002
    lab.call("PATCH", f"/prompts/{one['id']}", {"body": "y" * 5000}, user=who)
    assert stored() == 15004
    lab.call("DELETE", f"/prompts/{one['id']}", user=who)
    assert stored() == 0


def test_a_copy_is_ones_own(lab, who):
    shipped = lab.get("/prompts?q=minutes", user=who).json["items"][0]
    copied = lab.post(f"/prompts/{shipped['id']}/copy", {"name": who}, user=who)
    copy = copied.json
    assert copied.status == 201
    assert copied.headers["Location"] == f"prompts/{copy['id']}"
    assert (copy["name"], copy["body"], copy["colour"], copy["tier"],
            copy["copiedFrom"], copy["copiedVersion"], copy["canEdit"]) == (
        who, shipped["body"], "#2f6f4f", "private", shipped["id"], 3, True)
    lab.call("PATCH", f"/prompts/{copy['id']}", {"body": "Mine"}, user=who)
    assert lab.get(f"/prompts/{shipped['id']}", user=who).json == shipped
    # Without a body it keeps its name; of what one does not see there is none.
    assert lab.call("POST", f"/prompts/{shipped['id']}/copy", user=who
                    ).json["name"] == shipped["name"]
    refused(lab.post(f"/prompts/{copy['id']}/copy", {}, user="eve"), 404)
    refused(lab.post(f"/prompts/{NOBODY}/copy", {}, user=who), 404)
    refused(lab.post(f"/prompts/{shipped['id']}/copy", {"body": "x"}, user=who),
            422, "body")
    key = {"Idempotency-Key": who}
    twice = [lab.post(f"/prompts/{shipped['id']}/copy", {}, user=who, headers=key)
             .json["id"] for _ in range(2)]
    assert twice[0] == twice[1]


def test_shipped_ones_are_read_only(lab, who):
    [one] = lab.get("/prompts?q=MINUTES", user=who).json["items"]
    assert (one["tier"], one["source"], one["canEdit"], one["version"],
            one["createdAt"]) == ("shipped", "config", False, 3, None)
    assert one["blanks"][0]["name"] == "Meeting"
    path = f"/prompts/{one['id']}"
    assert lab.get(path, user=who).json == one
    for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
        answer = lab.call(method, path, body, **IT)
        assert (answer.status, answer.json["code"]) == (409, "managed_by_config")
    assert lab.get(path + "/versions", **IT).json["code"] == "managed_by_config"


def test_tiers(lab, who):
    """A team's prompt is its group's, the tenant's everyone's; each is changed by
    those who may."""
    team, other = who + "-team", who + "-other"
    one = make(lab, who, [team], name=who + " team", tier="team", group=team)
    all_ = make(lab, **IT, name=who + " tenant", tier="tenant")
    make(lab, who, name=who + " mine")
    assert names(lab, who, user=who, groups=[team]) == [
        who + " mine", who + " team", who + " tenant"]
    assert names(lab, who, user="eve", groups=[other, team]) == [
        who + " team", who + " tenant"]
    assert names(lab, who, user="eve", groups=[other]) == [who + " tenant"]
    # A colleague may change the team's, nobody but the admin the tenant's.
    path = f"/prompts/{one['id']}"
    assert lab.get(path, user="bob", groups=[team]).json["canEdit"]
    assert lab.call("PATCH", path, {"description": "By Bob"}, user="bob",
                    groups=[team]).status == 200
    refused(lab.call("PATCH", path, {"description": "x"}, user=who), 404)
    path = f"/prompts/{all_['id']}"
    assert not lab.get(path, user=who).json["canEdit"]
    for method, body in (("PATCH", {"name": "x"}), ("DELETE", None)):
        refused(lab.call(method, path, body, user=who), 403)
    assert lab.call("DELETE", path, **IT).status == 204


@pytest.mark.parametrize("fields,status,field", [
    ({"tier": "tenant"}, 403, None), ({"tier": "shipped"}, 422, "tier"),
    ({"tier": "everyone"}, 422, "tier"), ({"tier": "team"}, 422, "group"),
    ({"tier": "team", "group": "it"}, 403, None),
    ({"group": "staff"}, 422, "group"),
    ({"tier": "tenant", "group": "staff"}, 422, "group")])
def test_nobody_writes_into_a_tier_above_their_own(lab, who, fields, status, field):
    answer = lab.post("/prompts", {"name": who, "body": "x", **fields}, user=who,
                      groups=["staff"])
    refused(answer, status, field)
    assert names(lab, who, **IT) == names(lab, who, user=who) == []


def test_sharing_and_taking_it_back(lab, who):
    team, other = who + "-team", who + "-other"
    one = make(lab, who, name=who)
    path = f"/prompts/{one['id']}"
    eve = {"user": "eve", "groups": [team]}
    refused(lab.get(path, **eve), 404)
    shared = lab.post(path + "/shares", {"group": team}, user=who, groups=[team])
    assert shared.status == 201, shared
    assert shared.headers["Location"] == path[1:] + "/shares/" + shared.json["id"]
    assert lab.get(path + "/shares", user=who).json["items"] == [shared.json]
    # They see and copy it, and no more.
    assert names(lab, who, **eve) == names(lab, who, "/prompt-picker", **eve) == [who]
    assert not lab.get(path, **eve).json["canEdit"]
    assert lab.post(path + "/copy", {"name": "E"}, **eve).status == 201
    for method, at, body in (("PATCH", path, {"name": "x"}), ("DELETE", path, None),
                             ("GET", path + "/shares", None),
                             ("GET", path + "/versions", None),
                             ("POST", path + "/shares", {"group": team})):
        refused(lab.call(method, at, body, **eve), 403)
    # Its new name is found by both.
    lab.call("PATCH", path, {"name": who + " two"}, user=who)
    assert names(lab, who + "%20two", **eve) == [who + " two"]
    twice = lab.post(path + "/shares", {"group": team}, user=who, groups=[team])
    assert "group" in refused(twice, 409, "group")
    assert "one of your groups" in refused(lab.post(
        path + "/shares", {"group": other}, user=who, groups=[team]), 422, "group")
    share = f"{path}/shares/{shared.json['id']}"
    refused(lab.call("DELETE", share, user="bob"), 404)
    assert lab.call("DELETE", share, user=who).status == 204
    refused(lab.get(path, **eve), 404)
    assert names(lab, who + "%20two", **eve) == []
    assert names(lab, who, user=who) == [who + " two"]
    refused(lab.call("DELETE", share, user=who), 404)


def test_a_team_keeps_its_prompt_whatever_is_shared(lab, who):
    one = make(lab, who, [who], name=who, tier="team", group=who)
    path = f"/prompts/{one['id']}/shares"
    refused(lab.post(path, {"group": who}, user=who, groups=[who]), 422, "group")
    assert names(lab, who, user="eve", groups=[who]) == [who]


def test_deleting_leaves_nothing(lab, who):
    category = lab.post("/prompt-categories", {"name": who}, **IT).json
    one = make(lab, who, name=who, categoryIds=[category["id"]])
    path = f"/prompts/{one['id']}"
    lab.post(path + "/shares", {"group": who}, user=who, groups=[who])
    ids = [one["id"].replace("-", ""), category["id"].replace("-", "")]
    columns = lab.sql("SELECT table_name, column_name FROM information_schema.columns"
                      " WHERE table_schema = DATABASE() AND column_type = 'binary(16)'"
                      " AND table_name LIKE 'prompt%'")
    held = " UNION ALL ".join(
        f"SELECT COUNT(*) FROM {table} WHERE {column} IN"
        f" (UNHEX('{ids[0]}'), UNHEX('{ids[1]}'))" for table, column in columns)

    def count():
        return sum(int(n) for [n] in lab.sql(held))

    assert count() >= 8
    assert lab.call("DELETE", f"/prompt-categories/{category['id']}", **IT
                    ).status == 204
    assert lab.get(path, user=who).json["categoryIds"] == []
    assert lab.call("DELETE", path, user=who).status == 204
    assert count() == 0


def test_categories(lab, who):
    made = [lab.post("/prompt-categories", {"name": f"{who} {n}"}, **IT).json
            for n in ("B", "a")]
    ids = sorted(category["id"] for category in made)
    assert names(lab, who, "/prompt-categories", user=who) == [
        f"{who} a", f"{who} B"]
    one = make(lab, who, name=who, categoryIds=[*ids, ids[0]])
    assert one["categoryIds"] == ids
    path = f"/prompts/{one['id']}"
    assert lab.get("/prompts?q=" + who, user=who).json["items"] == [one]
    for some in (ids[1:], [], ids):
        assert lab.call("PATCH", path, {"categoryIds": some}, user=who
                        ).json["categoryIds"] == some
        assert lab.get(path, user=who).json["categoryIds"] == some
    for bad in ([NOBODY], ["x"], [1], "x", None, {}, [ids[0]] * 21):
        refused(lab.call("PATCH", path, {"categoryIds": bad}, user=who), 422,
                "categoryIds")
        refused(lab.post("/prompts", {"name": "x", "body": "x", "categoryIds": bad},
                         user=who), 422, "categoryIds")
    # Nothing of that was saved by half.
    assert lab.get(path, user=who).json["categoryIds"] == ids
    assert names(lab, "x", user=who) == []


def test_a_name_that_is_taken_is_named(lab, who):
    path = "/prompt-categories"
    one = lab.post(path, {"name": who}, **IT).json
    two = lab.post(path, {"name": who + "2"}, **IT).json
    taken = f"Another prompt category has this name."
    assert refused(lab.post(path, {"name": who.upper()}, **IT), 409, "name") == taken
    assert refused(lab.call("PATCH", f"{path}/{two['id']}", {"name": who}, **IT),
                   409, "name") == taken
    # Its own name in other letters is free.
    assert lab.call("PATCH", f"{path}/{one['id']}", {"name": who.upper()}, **IT
                    ).status == 200
    for method, at, body in (("POST", path, {"name": "x"}),
                             ("PATCH", f"{path}/{one['id']}", {"name": "x"}),
                             ("DELETE", f"{path}/{one['id']}", None)):
        refused(lab.call(method, at, body, user=who), 403)


@pytest.mark.parametrize("body,what", [
    ("a\nbc {{", "body, line 2, column 4: this blank has no end"),
    ("{{}}", "line 1, column 1: a blank must have a name"),
    ("ä {{ : date}}", "line 1, column 3: a blank must have a name"),
    ("{{a\nb}}", "must have a name"), ("{{a{{b}}", "must have a name"),
    ("{{" + "x" * 61 + "}}", "1 to 60 characters"),
    ("{{a:dat}}", "the type of a blank is"), ("{{a:}}", "the type of a blank is"),
    ("{{a:choice}}", "a choice needs its choices"),
    ("{{a:choice:x||y}}", "each choice must have"),
    ("{{a:choice:" + "|".join("x" * 51) + "}}", "at most 50 choices"),
    ("{{a:record}}", "a record needs its dataset"),
    ("{{a:record:tick ets}}", "a record needs its dataset"),
    ("{{a:date:x}}", "nothing may follow"),
    ("{{a:date}} {{a:text}}", "column 12: this blank has another type"),
    ("".join("{{%d}}" % n for n in range(31)), "at most 30 blanks")])
def test_broken_blanks(lab, who, body, what):
    said = refused(lab.post("/prompts", {"name": who, "body": body}, user=who), 422,
                   "body")
    assert what in said, said
    one = make(lab, who, name=who)
    refused(lab.call("PATCH", f"/prompts/{one['id']}", {"body": body}, user=who), 422,
            "body")
    assert lab.get(f"/prompts/{one['id']}", user=who).json == one


@pytest.mark.parametrize("fields,field", [
    ({"name": None}, "name"), ({"name": " "}, "name"), ({"name": "x" * 101}, "name"),
    ({"name": "a\nb"}, "name"), ({"name": 1}, "name"), ({"body": None}, "body"),
    ({"body": ""}, "body"), ({"body": "x" * 20001}, "body"), ({"body": []}, "body"),
    ({"icon": "x" * 33}, "icon"), ({"colour": "red"}, "colour"),
    ({"colour": "#12345g"}, "colour"), ({"colour": "#12345678"}, "colour"),
    ({"description": "x" * 201}, "description"), ({"nam": "x"}, "nam"),
    ({"copiedFrom": NOBODY}, "copiedFrom"), ({"holder": NOBODY}, "holder"),
    ({"tier": 1}, "tier"), ({"source": "config"}, "source")])
def test_bad_bodies(lab, who, fields, field):
    body = {"name": who, "body": "x", **fields}
    refused(lab.post("/prompts", body, user=who), 422, field)
    one = make(lab, who, name=who)
    path = f"/prompts/{one['id']}"
    refused(lab.call("PATCH", path, fields, user=who), 422, field)
    assert lab.get(path, user=who).json == one


def test_what_is_fixed_stays(lab, who):
    one = make(lab, who, name=who)
    for field in ("tier", "group", "copiedFrom", "copiedVersion"):
        refused(lab.call("PATCH", f"/prompts/{one['id']}", {field: None}, user=who),
                422, field)


def test_others_prompts_are_not_there(lab, who):
    """By id, ETag, copy, child, cursor or error: the same answer as for none."""
    one = make(lab, who, name=who)
    tag = lab.get(f"/prompts/{one['id']}", user=who).headers["ETag"]
    bodies = set()
    for method, rest, body in (
            ("GET", "", None), ("PATCH", "", {"name": "x"}), ("DELETE", "", None),
            ("POST", "/copy", {}), ("GET", "/versions", None), ("GET", "/shares", None),
            ("POST", "/shares", {"group": "g"})):
        for id in (one["id"], NOBODY):
            answer = lab.call(method, f"/prompts/{id}{rest}", body, user="eve",
                              groups=["g"], headers={"If-None-Match": tag}
                              if method == "GET" else {"If-Match": tag})
            assert answer.status == 404, (method, rest, answer)
            bodies.add(json.dumps({k: v for k, v in answer.json.items()
                                   if k not in ("instance", "requestId")},
                                  sort_keys=True))
    assert len(bodies) == 1, bodies
    place = base64.urlsafe_b64encode(json.dumps(
        {"k": who[:-1], "id": NOBODY}).encode()).decode().rstrip("=")
    for route in ("/prompts", "/prompt-picker"):
        page = lab.get(f"{route}?cursor={place}", user="eve")
        assert page.status == 200 and who not in page.body.decode()
    # A group named as a user, a user named as a group.
    assert names(lab, who, user="eve", groups=[who]) == []
    team = make(lab, who, ["eve"], name=who, tier="team", group="eve")
    refused(lab.get(f"/prompts/{team['id']}", user="eve"), 404)


def cursor_of(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize("place", [
    {}, {"c": 1, "id": NOBODY}, {"k": "", "id": NOBODY}, {"k": 1, "id": NOBODY},
    {"k": "x"}, {"k": "x", "id": 1}, []])
def test_hostile_cursors(lab, place):
    for route in ("/prompts", "/prompt-picker", "/prompt-categories"):
        answer = lab.get(f"{route}?cursor={cursor_of(place)}", user="ada")
        assert (answer.status, answer.json["code"]) == (400, "invalid_cursor"), answer


@pytest.mark.parametrize("route", ["/prompts", "/prompt-picker"])
def test_pages_by_name(make_lab, route):
    """Of several holders and of files, each once, in one order; whatever q is."""
    lab = make_lab(catalogue={name: {"name": f"Q {name}", "body": "x"}
                              for name in ("b", "k", "z")},
                   config={"roles": {"admin": {"groups": ["it"],
                                               "permissions": ["*"]}}})
    groups = [f"g{n}" for n in range(20)]
    expected = ["Q b", "Q k", "Q z"]
    for n in range(12):
        made = make(lab, "ada", groups, name=f"q {n:02}", **(
            {} if n % 3 else {"tier": "team", "group": groups[n]}))
        if n % 2:
            for group in groups[15:18]:
                lab.post(f"/prompts/{made['id']}/shares", {"group": group},
                         user="ada", groups=groups)
        expected.append(made["name"])
    expected = sorted(expected, key=str.lower)
    make(lab, "ada", name="Other")
    for q, wanted in (("q", expected), ("Q%200", [n for n in expected if "0" in n]), ("", None),
                      ("%C3%9D", []), ("q%25", []), ("Q%20Z", ["Q z"])):
        for size in (1, 2, 4, 5, 15, 16):
            seen, cursor = [], ""
            while cursor is not None:
                page = lab.get(f"{route}?q={q}&pageSize={size}&cursor={cursor}",
                               user="ada", groups=groups).json
                assert len(page["items"]) <= size
                seen += [item["name"] for item in page["items"]]
                cursor = page["nextCursor"]
                if route == "/prompts" and wanted is not None:
                    assert page["totalCount"] == len(wanted)
            assert seen == (wanted if wanted is not None else
                            ["Other", *expected]), (q, size)


def test_letters_of_all_languages(lab, who):
    for name in ("Übersicht", "ÉTAT", "ИТОГ"):
        make(lab, who, name=name)
    for q, name in (("%C3%BCBER", "Übersicht"), ("%C3%A9t", "ÉTAT"),
                    ("%D0%B8%D1%82", "ИТОГ")):
        assert names(lab, q, user=who)[0] == name


def test_the_picker_reads_what_it_shows(make_lab):
    """At 20,000 prompts a page of the picker reads as few rows as at none: each
    reader's range of the key, as far as the page is long."""
    lab = make_lab()
    groups = ["g1", "g2"]
    make(lab, "ada", name="mine")
    for group in groups:
        make(lab, "ada", groups, name="seed", tier="team", group=group)
    lab.sql("""
      CREATE TEMPORARY TABLE many AS SELECT RANDOM_BYTES(16) AS id, p.tenant_id,
        p.user_id, p.holder_id, CONCAT('many ', LPAD(seq, 6, '0')) AS name
        FROM prompt p JOIN seq_1_to_10000 WHERE p.name = 'seed';
      INSERT INTO prompt (id, tenant_id, user_id, version, created_us, updated_us,
        holder_id, sort_key, name, body, tier) SELECT id, tenant_id, user_id, 0, 1, 1,
        holder_id, name, name, 'x', 'team' FROM many;
      INSERT INTO prompt_reader (tenant_id, reader_id, sort_key, row_id)
        SELECT tenant_id, holder_id, name, id FROM many;
      ANALYZE TABLE prompt, prompt_reader;""")

    def rows_read():
        return sum(int(n) for _, n in lab.sql(
            "SHOW GLOBAL STATUS LIKE 'Handler_read%'"))

    asking = -rows_read() + rows_read()
    for path in ("?pageSize=10",
                 f"?pageSize=10&cursor={cursor_of({'k': 'many 005', 'id': NOBODY})}"):
        lab.get("/prompt-picker" + path, user="ada", groups=groups)
        before = rows_read()
        for _ in range(10):
            page = lab.get("/prompt-picker" + path, user="ada", groups=groups)
            assert page.status == 200 and len(page.json["items"]) == 10
        # Two arms of eleven, what they make in memory, and the ten rows, some
        # more for who is calling; a scan would be 200,000.
        assert rows_read() - before - asking < 10 * 400, path
    everything = lab.get("/prompts?pageSize=1", user="ada", groups=groups).json
    assert everything["totalCount"] is None


def test_what_several_readers_see_is_counted_once(make_lab):
    lab = make_lab()
    groups = ["g1", "g2", "g3"]
    for group in groups:
        make(lab, "ada", groups, name="seed", tier="team", group=group)
    lab.sql("""
      SET @g1 = (SELECT holder_id FROM prompt WHERE team = 'g1');
      SET @g2 = (SELECT holder_id FROM prompt WHERE team = 'g2');
      SET @g3 = (SELECT holder_id FROM prompt WHERE team = 'g3');
      INSERT INTO prompt_reader SELECT 'default', @g1, 'x', UNHEX(LPAD(seq, 32, 0)), 3
        FROM seq_1_to_990;
      INSERT INTO prompt_reader SELECT tenant_id, @g2, sort_key, row_id, 1
        FROM prompt_reader WHERE reader_id = @g1 AND sort_key = 'x';""")

    def count():
        return lab.get("/prompts?pageSize=1", user="ada", groups=groups
                       ).json["totalCount"]

    assert count() == 993
    lab.sql("INSERT INTO prompt_reader SELECT 'default', holder_id, 'x',"
            " UNHEX(LPAD(seq + 5000, 32, 0)), 3 FROM prompt JOIN seq_1_to_8"
            " WHERE team = 'g3'")
    assert count() is None


def test_the_shipped_ones_are_whole(make_lab):
    files = pathlib.Path(__file__).parents[2] / "conf/catalogue.d"
    lab = make_lab(config={"catalogue_dir": str(files)})
    page = lab.get("/prompts?pageSize=100", user="ada").json
    assert page["totalCount"] == len(page["items"]) == len(list(files.iterdir())) >= 15
    filed = lab.get("/prompt-categories", user="ada").json["items"]
    assert {c["source"] for c in filed} == {"config"} and len(filed) > 3
    assert {c["id"] for c in filed} == {
        i for prompt in page["items"] for i in prompt["categoryIds"]}
    for prompt in page["items"]:
        assert prompt["description"] and prompt["icon"] and prompt["colour"]
        assert prompt["categoryIds"]
        assert prompt["blanks"] and "record" not in {
            blank["type"] for blank in prompt["blanks"]}   # no dataset is everywhere


def test_categories_of_files(make_lab):
    """They are as those of the tenant: listed, searched, and for everybody's prompts;
    only the files change them (A14, A59)."""
    lab = make_lab(
        config={"roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}},
        catalogue={"a": {"name": "A", "body": "x", "categories": ["Work", "home"]},
                   "b": {"name": "B", "body": "x", "categories": ["WORK", "Work"]},
                   "c": {"name": "C", "body": "x"}})
    own = lab.post("/prompt-categories", {"name": "Letters"}, **IT).json
    rows = lab.get("/prompt-categories", user="ada").json
    assert rows["totalCount"] == 3
    assert [(c["name"], c["source"]) for c in rows["items"]] == [
        ("home", "config"), ("Letters", "api"), (rows["items"][2]["name"], "config")]
    home, _, work = (c["id"] for c in rows["items"])
    shipped = {p["name"]: p for p in lab.get("/prompts", user="ada").json["items"]}
    assert [sorted(shipped[name]["categoryIds"]) for name in "ABC"] == [
        sorted([home, work]), [work], []]
    # a copy keeps them, and own prompts can be filed there
    copy = lab.post(f"/prompts/{shipped['A']['id']}/copy", {"name": "Mine"},
                    user="ada").json
    assert sorted(copy["categoryIds"]) == sorted([home, work])
    assert lab.call("PATCH", f"/prompts/{copy['id']}", {"categoryIds": [
        work, own["id"]]}, user="ada").status == 200
    for route in ("/prompts", "/prompt-picker"):
        assert names(lab, f"&category={work}", route, user="ada") == ["A", "B", "Mine"]
        assert names(lab, f"&category={home}", route, user="ada") == ["A"]
        assert names(lab, f"&category={own['id']}", route, user="ada") == ["Mine"]
    assert lab.get(f"/prompts?category={work}", user="ada").json["totalCount"] == 3
    # read only, and no second one of the name
    path = f"/prompt-categories/{work}"
    assert lab.get(path, user="ada").json["id"] == work
    for method, body in (("PATCH", {"icon": "star"}), ("DELETE", None)):
        answer = lab.call(method, path, body, **IT)
        assert (answer.status, answer.json["code"]) == (409, "managed_by_config")
    refused(lab.post("/prompt-categories", {"name": "wORK"}, **IT), 409, "name")
    refused(lab.call("PATCH", f"/prompt-categories/{own['id']}", {"name": "Home"},
                     **IT), 409, "name")
    # on the command line by name
    text = lab.command("prompt", "export", "--user", "ada").stdout
    assert "Letters" in text and "WORK" in text.upper()
    lab.call("DELETE", f"/prompts/{copy['id']}", user="ada")
    lab.command("prompt", "import", "--user", "ada", "-", stdin=text)
    assert names(lab, f"&category={work}", user="ada") == ["A", "B", "Mine"]


def test_there_is_room_for_so_many(make_lab):
    lab = make_lab()
    one = make(lab, "ada")
    lab.sql("INSERT INTO prompt (id, tenant_id, user_id, version, created_us,"
            " updated_us, holder_id, sort_key, name, body, tier) SELECT"
            " RANDOM_BYTES(16), tenant_id, user_id, 0, 1, 1, holder_id, seq, seq, 'x',"
            " 'private' FROM prompt JOIN seq_1_to_999")
    answer = lab.post("/prompts", {"name": "x", "body": "x"}, user="ada")
    assert "1000" in refused(answer, 409)
    assert make(lab, "bob")
    assert lab.call("DELETE", f"/prompts/{one['id']}", user="ada").status == 204
    assert make(lab, "ada")


def test_roles_say_who_may(make_lab):
    lab = make_lab(config={"roles": {"user": {"groups": ["*"], "permissions": [
        "AIChat.Prompts.Read"]}, "writer": {"groups": ["writer"], "permissions": [
            "AIChat.Prompts.Write"]}}})
    writer = {"user": "ada", "groups": ["writer"]}
    body = {"name": "x", "body": "x"}
    refused(lab.post("/prompts", body, user="ada"), 403)
    one = lab.post("/prompts", body, **writer).json
    path = f"/prompts/{one['id']}"
    assert not lab.get(path, user="ada").json["canEdit"]
    refused(lab.call("PATCH", path, {"name": "y"}, user="ada"), 403)
    refused(lab.post(path + "/shares", {"group": "writer"}, **writer), 403)
    refused(lab.post("/prompts", {**body, "tier": "team", "group": "writer"},
                     **writer), 403)
    refused(lab.post("/prompt-categories", {"name": "x"}, **writer), 403)


def test_the_same_key_below_two_prompts(lab, who):
    key = {"Idempotency-Key": who}
    made = [lab.post(f"/prompts/{make(lab, who)['id']}/shares", {"group": who},
                     user=who, groups=[who], headers=key) for _ in range(2)]
    assert [answer.status for answer in made] == [201, 201]
    assert made[0].json["id"] != made[1].json["id"]


def test_take_out(make_lab):
    """lamplighter export: all that is a user's, nothing that is not, no secret."""
    lab = make_lab()
    talks = {}
    for n in range(2):
        events = lab.chat({"text": f"answer {n}"})
        talks[events[0].data["conversationId"]] = f"answer {n}"
    lab.chat({"text": "of bob"}, user="bob")
    secret = lab.post("/tokens", {"name": "t"}, user="ada").json.pop("secret")
    mine = {make(lab, "ada", name=f"p{n:03}")["id"] for n in range(105)}
    one = min(mine)
    lab.call("PATCH", f"/prompts/{one}", {"body": "Second"}, user="ada")
    lab.post(f"/prompts/{one}/shares", {"group": "g"}, user="ada", groups=["g"])
    make(lab, "ada", ["g"], name="team's", tier="team", group="g")
    make(lab, "bob", name="bob's")
    for user in ("ada", "bob"):
        lab.post("/workspaces/lab/agents", {"name": f"of {user}", "agentId": "x"}, user=user)
    out = lab.command("export", "--user", "ada").stdout
    assert secret not in out and "hash" not in out and "of bob" not in out
    assert "team's" not in out and "bob's" not in out
    all_ = json.loads(out)
    assert set(all_) == {"tenant", "user", "exportedAt", "settings", "conversations",
                         "tokens", "provider-instances", "prompts", "workspaces",
                         "agents", "knowledge-bases", "projects", "attachments",
                         "events", "conversation-folders", "conversation-shares",
                         "memories", "plans", "ratings"}
    assert all_["settings"] == {}
    assert (all_["tenant"], all_["user"]) == ("default", "ada")
    assert {talk["conversation"]["conversationId"]: talk["messages"][-1]["content"]
            for talk in all_["conversations"]} == talks
    assert [m["role"] for m in all_["conversations"][0]["messages"]] == [
        "user", "assistant"]
    assert [token["name"] for token in all_["tokens"]] == ["t"]
    assert {prompt["id"] for prompt in all_["prompts"]} == mine
    assert [(agent["workspaceId"], agent["name"]) for agent in all_["agents"]] == [
        ("lab", "of ada")]
    [kept] = [prompt for prompt in all_["prompts"] if prompt["id"] == one]
    assert sorted(v["body"] for v in kept["versions"]) == ["Do it.", "Second"]
    assert [share["group"] for share in kept["shares"]] == ["g"]
    nobody = json.loads(lab.command("export", "--user", "nobody").stdout)
    assert not (nobody["conversations"] or nobody["tokens"] or nobody["prompts"])
    assert lab.command("export", check=False).returncode == 2


def at_once(*calls):
    """Their answers' statuses, all called at the same time."""
    start = threading.Barrier(len(calls))

    def run(call):
        start.wait()
        return call()

    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(run, c) for c in calls]]


def test_one_of_many_gets_the_name(lab, who):
    def create():
        return lab.post("/prompt-categories", {"name": who}, **IT)

    answers = at_once(*[create] * 8)
    assert sorted(answer.status for answer in answers) == [201] + [409] * 7
    assert {answer.json["field"] for answer in answers if answer.status == 409} == {
        "name"}


def test_nothing_stays_of_a_prompt_deleted_while_it_is_shared(lab, who):
    groups = [f"{who}-{n}" for n in range(6)]
    for _ in range(10):
        one = make(lab, who, groups, name=who)
        path = f"/prompts/{one['id']}"
        answers = at_once(
            lambda: lab.call("DELETE", path, user=who),
            lambda: lab.call("PATCH", path, {"name": who + "2"}, user=who),
            *[lambda g=g: lab.post(path + "/shares", {"group": g}, user=who,
                                   groups=groups) for g in groups])
        assert {answer.status for answer in answers} <= {200, 201, 204, 404, 412}
        assert answers[0].status == 204
        id = one["id"].replace("-", "")
        assert lab.sql(f"""
          SELECT COUNT(*) FROM prompt_reader WHERE row_id = UNHEX('{id}') UNION ALL
          SELECT COUNT(*) FROM prompt_share WHERE parent_id = UNHEX('{id}') UNION ALL
          SELECT COUNT(*) FROM prompt_version WHERE parent_id = UNHEX('{id}')
          """) == [["0"]] * 3


def test_the_users_of_prompts_are_counted_once_each(lab, who):
    mine = make(lab, who, body="Sum up.")
    team = make(lab, who, ["g-" + who], tier="team", group="g-" + who, body="Sum up.")

    def use(prompt, user, groups=()):
        lab.chat({"text": "a"}, user=user, groups=groups, promptId=prompt)

    def users(user, groups=()):
        items = lab.get("/prompt-users", user=user, groups=groups).json["items"]
        return {i["promptId"]: i["users"] for i in items}

    assert users(who) == {k: v for k, v in users(who).items() if k != mine["id"]}
    for _ in range(2):
        use(mine["id"], who)
    for user in (who, who + "b", who + "b"):
        use(team["id"], user, ["g-" + who])
    assert users(who, ["g-" + who])[mine["id"]] == 1
    assert users(who + "b", ["g-" + who])[team["id"]] == 2
    # Only of what one sees; one of a file is everybody's.
    seen = users("nobody-of-them")
    assert mine["id"] not in seen and team["id"] not in seen
    shipped = lab.get("/prompts?q=Minutes", user=who).json["items"][0]["id"]
    use(shipped, who)
    assert users("nobody-of-them")[shipped] >= 1
    # A message without a prompt, and one that is refused, count nothing.
    lab.chat({"text": "a"}, user=who)
    assert lab.post("/chat/lab/stream", {"content": "x", "promptId": mine["id"]},
                    user="nobody-of-them").status == 422
    assert users(who)[mine["id"]] == 1
    assert lab.call("DELETE", f"/prompts/{mine['id']}", user=who).status == 204
    assert lab.sql("SELECT COUNT(*) FROM prompt_use WHERE prompt_id = UNHEX(REPLACE("
                   f"'{mine['id']}', '-', ''))") == [["0"]]
