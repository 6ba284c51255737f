# SPDX-License-Identifier: MIT
"""Calendars: events of users and of projects, what is repeated, time zones, single
occurrences, conflicts (C-T20 to C-T24, C-T57, C-T58). The oracle of repeated events is
python-dateutil, which shares nothing with libical."""

import datetime
import os
import pathlib
import random
import time
import uuid
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from lab import wait_until
from projects import Clerk, make, owner, signed_in  # noqa: F401

DAY = datetime.timedelta(days=1)


@pytest.fixture(name="project")
def project_of_the_test(lab, owner):
    return make(lab, "/projects", owner, name="Roof")["id"]


def event(lab, user, start, project=None, /, **body):
    return make(lab, f"/projects/{project}/events" if project else "/events", user,
                **{"title": "x", "start": start, **body})


def refused(lab, user, field, path="/events", /, **body):
    said = lab.post(path, {"title": "x", **body}, user=user)
    assert (said.status, said.json.get("field")) == (422, field), (body, said)
    return said.json["detail"]


def seen(lab, user, first, last, project=None, zone="UTC", **query):
    """What takes place: the answer."""
    path = f"/projects/{project}/calendar" if project else "/calendar"
    more = "".join(f"&{key}={value}" for key, value in query.items())
    said = lab.get(f"{path}?from={first}&to={last}&timeZone={zone}{more}", user=user)
    assert said.status == 200, said
    return said.json


def starts(lab, user, first, last, project=None, **more):
    return [one["start"] for one in seen(lab, user, first, last, project, **more)["items"]]


def change(lab, method, path, user, seen_, body=None):
    return lab.call(method, path, body, user=user,
                    headers={"If-Match": f'"{seen_["version"] - 1}"'})


# -- times and zones -----------------------------------------------------------------------

def test_the_forms_of_times(lab, owner):
    one = event(lab, owner, "2027-03-01T09:00", timeZone="Europe/Berlin")
    assert (one["start"], one["end"], one["timeZone"]) == (
        "2027-03-01T09:00", "2027-03-01T10:00", "Europe/Berlin")
    assert (one["startsAt"], one["endsAt"]) == (
        "2027-03-01T08:00:00.000Z", "2027-03-01T09:00:00.000Z")
    assert event(lab, owner, "2027-07-01T09:00:59.5", timeZone="Europe/Berlin")["startsAt"] == \
        "2027-07-01T07:00:00.000Z"
    for instant in ("2027-03-01T08:00:00Z", "2027-03-01T09:00+01:00", "2027-03-01t00:00-08:00"):
        assert event(lab, owner, instant, timeZone="Europe/Berlin")["start"] == \
            "2027-03-01T09:00"
    days = event(lab, owner, "2027-03-01", end="2027-03-03", timeZone="Europe/Berlin")
    assert (days["start"], days["end"], days["timeZone"]) == ("2027-03-01", "2027-03-03", None)
    assert (days["startsAt"], days["endsAt"]) == (
        "2027-03-01T00:00:00.000Z", "2027-03-04T00:00:00.000Z")
    assert event(lab, owner, "2027-03-01")["end"] == "2027-03-01"
    assert event(lab, owner, "2027-03-01T09:00")["timeZone"] == "UTC"
    for wrong in ("2027-02-29", "2027-13-01", "2027-03-01T25:00", "2027-03-01T09:00+25:00",
                  "1969-12-31", "2200-01-01", "next monday", "2027-3-1T09:00",
                  "2027-03-01T09:00 Berlin", "٢٠٢٧-٠٣-٠١"):
        assert "2027-03-01" in refused(lab, owner, "start", start=wrong)
    refused(lab, owner, "end", start="2027-03-01T09:00", end="2027-03-01")
    refused(lab, owner, "end", start="2027-03-01T09:00", end="2027-03-01T08:59")
    refused(lab, owner, "end", start="2027-03-02", end="2027-03-01")
    refused(lab, owner, "end", start="2027-03-01", end="2028-03-03")
    for zone in ("Mars/Base", "../../etc/passwd", "/etc/localtime", "Europe/Berlin "):
        assert lab.post("/events", {"title": "x", "start": "2027-03-01T09:00",
                                    "timeZone": zone}, user=owner).status == 422
    # The clocks go forward: 02:30 is not there, and read by the offset before; and back.
    assert event(lab, owner, "2027-03-28T02:30", timeZone="Europe/Berlin")["startsAt"] == \
        "2027-03-28T01:30:00.000Z"
    assert event(lab, owner, "2027-10-31T02:30", timeZone="Europe/Berlin")["startsAt"] == \
        "2027-10-31T00:30:00.000Z"


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                  "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu",
                                  "Africa/Casablanca", "America/Santiago"])
def test_nine_stays_nine_across_the_change(lab, owner, zone):
    one = event(lab, owner, "2027-03-01T09:00", timeZone=zone, recurrence="FREQ=WEEKLY")
    items = seen(lab, owner, "2027-03-01", "2027-12-31", zone=zone)["items"]
    assert len(items) == 44 and {item["eventId"] for item in items} == {one["id"]}
    for item in items:
        local = datetime.datetime.fromisoformat(item["start"]).replace(tzinfo=ZoneInfo(zone))
        assert item["start"].endswith("T09:00")
        assert item["startsAt"] == local.astimezone(ZoneInfo("UTC")).strftime(
            "%Y-%m-%dT%H:%M:%S.000Z")


def test_whole_days_have_no_zone(lab, owner):
    event(lab, owner, "2027-03-28", title="Day")
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"):
        assert starts(lab, owner, "2027-03-28", "2027-03-28", zone=zone) == ["2027-03-28"]
        assert starts(lab, owner, "2027-03-27", "2027-03-27", zone=zone) == []
        assert starts(lab, owner, "2027-03-29", "2027-03-29", zone=zone) == []


def test_a_moved_event_is_as_long_as_before(lab, owner):
    one = event(lab, owner, "2027-03-01T09:00", end="2027-03-01T11:30", timeZone="Europe/Berlin")
    path = f"/events/{one['id']}"
    moved = change(lab, "PATCH", path, owner, one, {"start": "2027-03-28T22:00"}).json
    assert (moved["start"], moved["end"]) == ("2027-03-28T22:00", "2027-03-29T00:30")
    assert lab.call("PATCH", path, {"title": "y"}, user=owner).status == 428
    late = change(lab, "PATCH", path, owner, one, {"title": "late"})
    assert late.status == 412
    zone = change(lab, "PATCH", path, owner, moved, {"timeZone": "America/New_York"}).json
    assert (zone["start"], zone["startsAt"]) == ("2027-03-28T22:00", "2027-03-29T02:00:00.000Z")
    days = change(lab, "PATCH", path, owner, zone, {"start": "2027-05-01"}).json
    assert (days["start"], days["end"], days["timeZone"]) == ("2027-05-01", "2027-05-01", None)
    assert lab.call("DELETE", path, user=owner).status == 428
    assert change(lab, "DELETE", path, owner, zone).status == 412
    assert change(lab, "DELETE", path, owner, days).status == 204
    assert lab.get(path, user=owner).status == 404


# -- what is repeated -----------------------------------------------------------------------

RULES = [
    ("2027-01-04", "FREQ=DAILY"),
    ("2027-01-04", "FREQ=DAILY;INTERVAL=10;COUNT=5"),
    ("2027-01-05", "FREQ=WEEKLY;BYDAY=TU,TH"),
    ("2027-01-05", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO"),
    ("2027-01-05", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU"),
    ("2027-01-29", "FREQ=MONTHLY;BYDAY=-1FR"),
    ("2027-01-31", "FREQ=MONTHLY"),
    ("2027-01-31", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("2027-01-13", "FREQ=MONTHLY;BYDAY=WE;BYMONTHDAY=8,9,10,11,12,13,14"),
    ("2027-01-29", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
    ("2027-08-13", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13"),
    ("2027-01-01", "FREQ=YEARLY;BYYEARDAY=1,100,200"),
    ("2027-05-17", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO"),
    ("2028-02-29", "FREQ=YEARLY"),
    ("2028-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
    ("2027-11-25", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"),
    ("2027-01-01", "FREQ=DAILY;BYMONTH=1,7;BYDAY=MO,FR"),
    ("2027-01-18", "FREQ=YEARLY;BYDAY=3MO;BYMONTH=1"),
    ("2027-05-17", "FREQ=YEARLY;BYDAY=20MO"),
    ("2027-01-04", "FREQ=DAILY;UNTIL=20270201"),
    ("2027-01-04", "FREQ=DAILY;INTERVAL=3;UNTIL=20270110T230000Z"),
    ("2027-03-31", "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=31"),
]
RANGES = [("2027-01-01", "2027-12-31"), ("2028-01-15", "2028-03-15"), ("2031-02-01", "2032-02-28"),
          ("2096-01-01", "2097-01-15")]


def oracle(start, rule, first, last):
    begin = datetime.datetime.fromisoformat(start)
    rule = rule.replace("T230000Z", "")
    found = rrulestr(rule, dtstart=begin).between(
        datetime.datetime.fromisoformat(first), datetime.datetime.fromisoformat(last), inc=True)
    return [str(one.date()) for one in found]


@pytest.mark.parametrize("start,rule", RULES)
def test_repeated_as_dateutil_says(lab, owner, start, rule):
    event(lab, owner, start, recurrence=rule)
    for first, last in RANGES:
        assert starts(lab, owner, first, last) == oracle(start, rule, first, last), (first, rule)
    timed = signed_in(lab, "c")
    event(lab, timed, start + "T09:00", recurrence=rule, timeZone="Europe/Berlin")
    for first, last in RANGES[:2]:
        assert [one[:10] for one in starts(lab, timed, first, last, zone="Europe/Berlin")] == \
            oracle(start, rule, first, last), (first, rule)


def random_rule(dice):
    freq = dice.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = [f"FREQ={freq}"]
    if dice.random() < 0.6:
        parts.append(f"INTERVAL={dice.randint(1, 6)}")
    if freq == "WEEKLY" and dice.random() < 0.8:
        parts.append("BYDAY=" + ",".join(dice.sample(["MO", "TU", "WE", "TH", "FR", "SA", "SU"],
                                                     dice.randint(1, 3))))
        parts.append("WKST=" + dice.choice(["MO", "SU", "TH"]))
    if freq == "MONTHLY":
        parts.append(dice.choice([f"BYDAY={dice.choice([1, 2, 3, 4, 5, -1, -2])}TU",
                                  f"BYMONTHDAY={dice.choice([1, 15, 29, 30, 31, -1, -31])}",
                                  "BYDAY=SA,SU;BYSETPOS=1", "BYDAY=MO;BYMONTHDAY=1,2,3,4,5,6,7"]))
    if freq == "YEARLY":
        parts.append(dice.choice(["BYMONTH=3,9;BYDAY=-1SU", "BYMONTHDAY=29;BYMONTH=2",
                                  "BYYEARDAY=-1,60", "BYWEEKNO=1,53;BYDAY=TH", "BYMONTH=5"]))
    if dice.random() < 0.3:
        parts.append(f"COUNT={dice.randint(1, 30)}")
    return ";".join(parts)


def test_many_rules_as_dateutil_says(lab):
    """With a start that is a day of the rule, at any place of the calendar."""
    dice = random.Random(20270301)
    for _ in range(60):
        user, rule = "r" + uuid.uuid4().hex[:10], random_rule(dice)
        begin = datetime.datetime(2027, 1, 1) + dice.randint(0, 700) * DAY
        begin = next(iter(rrulestr(rule, dtstart=begin)), None)
        if not begin:
            continue
        start = str(begin.date())
        event(lab, user, start, recurrence=rule)
        for first, last in [RANGES[0], RANGES[1], RANGES[2]]:
            assert starts(lab, user, first, last) == oracle(start, rule, first, last), \
                (start, rule, first)


def cpu_s(lab):
    """What the responder has worked: on a busy machine, a short work may take long."""
    stat = pathlib.Path(f"/proc/{lab.processes['responder'].pid}/stat").read_text()
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("rule,word", [
    ("FREQ=SECONDLY;COUNT=1000000000", "once a day"),
    ("FREQ=MINUTELY", "once a day"), ("FREQ=HOURLY;INTERVAL=6", "once a day"),
    ("FREQ=DAILY;BYHOUR=9,17", "once a day"), ("FREQ=DAILY;BYHOUR=10", "time of the start"),
    ("FREQ=DAILY;COUNT=1000000000", "COUNT"), ("FREQ=DAILY;COUNT=0", "COUNT"),
    ("FREQ=DAILY;COUNT=-1", "COUNT"), ("FREQ=DAILY;COUNT=99999999999999999999", "COUNT"),
    ("FREQ=DAILY;INTERVAL=0", "INTERVAL"), ("FREQ=DAILY;INTERVAL=99999", "INTERVAL"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "no day matches"),
    ("FREQ=MONTHLY;BYMONTH=2,4;BYMONTHDAY=31", "no day matches"),
    ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "no day matches"),
    ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "no day matches"),
    ("FREQ=YEARLY;BYDAY=53MO;BYMONTH=1", "no day matches"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "no day matches"),
    ("FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2", "BYSETPOS"), ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY"),
    ("FREQ=MONTHLY;BYDAY=6MO", "BYDAY"), ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY"),
    ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY"), ("FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO"),
    ("FREQ=MONTHLY;BYMONTH=13", "BYMONTH"), ("FREQ=MONTHLY;BYMONTH=-1", "BYMONTH"),
    ("FREQ=DAILY;UNTIL=20260101", "before the start"), ("FREQ=DAILY;UNTIL=soon", "UNTIL"),
    ("FREQ=DAILY;COUNT=2;UNTIL=20271231", "not both"), ("FREQ=WEEKLY;BYDAY=TU", "2027-03-02"),
    ("FREQ=DAILY;FREQ=WEEKLY", "twice"), ("FREQ=DAILY;X-BAD=1", "part of a rule"),
    ("RSCALE=CHINESE;FREQ=YEARLY", "part of a rule"), ("COUNT=3", "FREQ"), ("weekly", "part"),
    ("FREQ=DAILY;BYDAY=" + ",".join(["MO"] * 100), "BYDAY"), ("FREQ=DAILY;;;", None),
    ("RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0", None), ("FREQ=DAILY;BYDAY=", "no value"),
])
def test_rules_that_are_refused(lab, owner, rule, word):
    before = cpu_s(lab)
    said = lab.post("/events", {"title": "x", "start": "2027-03-01T09:00", "recurrence": rule},
                    user=owner)
    if word:
        assert (said.status, said.json["field"]) == (422, "recurrence"), said
        assert word in said.json["detail"]
    else:
        assert said.status == 201 and said.json["recurrence"] == "FREQ=DAILY"
    assert cpu_s(lab) - before < 5


def test_an_answer_is_bounded(lab, owner):
    for n in range(4):
        event(lab, owner, f"2027-01-0{n + 1}", title=str(n), recurrence="FREQ=DAILY")
    page = seen(lab, owner, "2027-01-01", "2028-01-30")
    assert page["truncated"] and len(page["items"]) == 1000
    order = [one["startsAt"] for one in page["items"]]
    assert order == sorted(order) and page["items"][-1]["start"] == "2027-09-09"
    said = lab.get("/calendar?from=2027-01-01&to=2029-01-01", user=owner)
    assert (said.status, said.json["field"]) == (422, "to")
    for query in ("", "?from=2027-01-01", "?from=x&to=2027-01-01", "?from=2027-01-02&to=2027-01-01",
                  "?from=2027-01-01&to=2027-01-02&timeZone=Nowhere",
                  "?from=2027-01-01&to=2027-01-02&calendars=mine"):
        assert lab.get("/calendar" + query, user=owner).status == 422, query


def test_until_is_an_instant_or_a_day(lab, owner):
    """UNTIL in UTC: 09:00 in Berlin is 08:00Z in winter."""
    for until, n in (("20270305T075959Z", 4), ("20270305T080000Z", 5), ("20270305", 5),
                     ("20270305T090000", 5), ("20270305T085900", 4)):
        user = signed_in(lab, "c")
        event(lab, user, "2027-03-01T09:00", timeZone="Europe/Berlin",
              recurrence=f"FREQ=DAILY;UNTIL={until}")
        assert len(starts(lab, user, "2027-01-01", "2027-12-31")) == n, until


# -- one occurrence, and those that follow ----------------------------------------------------

def test_an_occurrence_that_is_moved_is_as_long_as_before(lab, owner):
    one = event(lab, owner, "2027-03-01T09:00", end="2027-03-01T12:30",
                timeZone="Europe/Berlin", recurrence="FREQ=DAILY;COUNT=9")
    for day, start, zone, ends in (
            ("2027-03-02", "2027-03-02T14:00", "Europe/Berlin", "2027-03-02T17:30"),
            ("2027-03-03", "2027-03-03T14:00+01:00", "Europe/Berlin", "2027-03-03T17:30"),
            ("2027-03-04", "2027-03-04T22:00Z", "Asia/Tokyo", "2027-03-05T10:30")):
        moved = change(lab, "PATCH", f"/events/{one['id']}/occurrences/{day}", owner, one,
                       {"start": start, "timeZone": zone})
        assert (moved.status, moved.json["end"]) == (200, ends), moved
        one = lab.get(f"/events/{one['id']}", user=owner).json


def test_one_occurrence_alone(lab, owner):
    one = event(lab, owner, "2027-03-01T09:00", timeZone="Europe/Berlin", title="Stand-up",
                recurrence="FREQ=WEEKLY;COUNT=4")
    path = f"/events/{one['id']}"
    assert lab.call("PATCH", f"{path}/occurrences/2027-03-08", {"title": "x"},
                    user=owner).status == 428
    assert change(lab, "PATCH", f"{path}/occurrences/2027-03-09", owner, one,
                  {"title": "x"}).status == 404
    alone = change(lab, "PATCH", f"{path}/occurrences/2027-03-08", owner, one,
                   {"start": "2027-03-09T14:00"})
    assert alone.status == 200, alone
    alone = alone.json
    assert (alone["seriesId"], alone["occurrence"], alone["recurrence"], alone["title"]) == (
        one["id"], "2027-03-08", None, "Stand-up")
    assert (alone["start"], alone["end"]) == ("2027-03-09T14:00", "2027-03-09T15:00")
    now = lab.get(path, user=owner).json
    assert (now["skipped"], now["version"]) == (["2027-03-08"], 2)
    days = ["2027-03-01T09:00", "2027-03-09T14:00", "2027-03-15T09:00", "2027-03-22T09:00"]
    assert starts(lab, owner, "2027-03-01", "2027-12-31") == days
    # It is changed as itself from now on, and is no occurrence any more.
    assert change(lab, "PATCH", f"{path}/occurrences/2027-03-08", owner, now,
                  {"title": "x"}).status == 404
    assert change(lab, "DELETE", f"{path}/occurrences/2027-03-15?scope=this", owner,
                  now).status == 204
    now = lab.get(path, user=owner).json
    assert starts(lab, owner, "2027-03-01", "2027-12-31") == [days[0], days[1], days[3]]
    # A change of the time of all leaves what was deleted deleted.
    now = change(lab, "PATCH", path, owner, now, {"start": "2027-03-01T10:00"}).json
    assert starts(lab, owner, "2027-03-01", "2027-12-31") == [
        "2027-03-01T10:00", days[1], "2027-03-22T10:00"]
    refused_ = change(lab, "PATCH", f"/events/{alone['id']}", owner, alone,
                      {"recurrence": "FREQ=DAILY"})
    assert (refused_.status, refused_.json["field"]) == (422, "recurrence")
    assert change(lab, "DELETE", path, owner, now).status == 204
    assert starts(lab, owner, "2027-01-01", "2027-12-31") == []
    assert lab.get(f"/events/{alone['id']}", user=owner).status == 404


def test_those_that_follow(lab, owner):
    one = event(lab, owner, "2027-03-01T09:00", title="Course", recurrence="FREQ=WEEKLY;COUNT=5")
    path = f"/events/{one['id']}"
    alone = change(lab, "PATCH", f"{path}/occurrences/2027-03-22", owner, one, {"title": "Exam"})
    now = lab.get(path, user=owner).json
    new = change(lab, "PATCH", f"{path}/occurrences/2027-03-15?scope=following", owner, now,
                 {"start": "2027-03-15T11:00", "title": "Later"})
    assert new.status == 200, new
    new = new.json
    assert new["id"] != one["id"] and new["recurrence"] == "FREQ=WEEKLY;COUNT=3"
    assert [(i["title"], i["start"]) for i in seen(lab, owner, "2027-03-01", "2027-12-31")
            ["items"]] == [
        ("Course", "2027-03-01T09:00"), ("Course", "2027-03-08T09:00"),
        ("Later", "2027-03-15T11:00"), ("Exam", "2027-03-22T09:00"),
        ("Later", "2027-03-29T11:00")]
    assert lab.get(f"/events/{alone.json['id']}", user=owner).json["seriesId"] == new["id"]
    assert change(lab, "DELETE", f"/events/{new['id']}/occurrences/2027-03-22?scope=following",
                  owner, new).status == 404
    assert change(lab, "DELETE", f"/events/{new['id']}/occurrences/2027-03-29?scope=following",
                  owner, new).status == 204
    assert len(starts(lab, owner, "2027-03-01", "2027-12-31")) == 4
    # From the first one on it is the event itself.
    now = lab.get(path, user=owner).json
    same = change(lab, "PATCH", f"{path}/occurrences/2027-03-01?scope=following", owner, now,
                  {"title": "All"}).json
    assert (same["id"], same["title"]) == (one["id"], "All")
    assert change(lab, "PATCH", f"{path}/occurrences/2027-03-08?scope=some", owner, same,
                  {}).json["field"] == "scope"


# -- projects ----------------------------------------------------------------------------------

def test_who_sees_and_who_writes(lab, owner, project):
    viewer, editor, stranger = (signed_in(lab, "c") for _ in range(3))
    for user, role in ((viewer, "viewer"), (editor, "editor")):
        make(lab, f"/projects/{project}/members", owner, user=user, role=role)
    path = f"/projects/{project}/events"
    one = event(lab, owner, "2027-03-01T09:00", project, recurrence="FREQ=DAILY;COUNT=3")
    at = f"{path}/{one['id']}"
    for user in (viewer, editor):
        assert len(starts(lab, user, "2027-03-01", "2027-03-31")) == 3
        assert len(starts(lab, user, "2027-03-01", "2027-03-31", project)) == 3
    assert lab.post(path, {"title": "x", "start": "2027-03-01"}, user=viewer).status == 403
    assert change(lab, "PATCH", at, viewer, one, {"title": "y"}).status == 403
    assert change(lab, "DELETE", at, viewer, one).status == 403
    for method in ("PATCH", "DELETE"):
        assert change(lab, method, f"{at}/occurrences/2027-03-02", viewer, one,
                      {"title": "y"} if method == "PATCH" else None).status == 403
    assert lab.get(at, user=viewer).json["version"] == 1
    answers = {lab.get(p, user=stranger).status for p in (
        path, at, f"/projects/{project}/calendar?from=2027-03-01&to=2027-03-31",
        f"/projects/{project}/calendars", f"/events/{one['id']}")}
    assert answers == {404}
    assert starts(lab, stranger, "2027-03-01", "2027-03-31") == []
    assert change(lab, "PATCH", f"{at}/occurrences/2027-03-02", stranger, one,
                  {"title": "y"}).status == 404
    assert lab.post(path, {"title": "x", "start": "2027-03-01"}, user=stranger).status == 404
    # A user's own event is nobody else's, whatever the path.
    own = event(lab, owner, "2027-03-05")
    assert lab.get(f"/events/{own['id']}", user=editor).status == 404
    assert lab.get(f"{path}/{own['id']}", user=owner).status == 404
    assert change(lab, "DELETE", f"/events/{own['id']}", editor, own).status == 404
    assert change(lab, "PATCH", f"{at}/occurrences/2027-03-02", editor, one,
                  {"title": "y"}).status == 200


def test_a_calendar_that_only_some_see(lab, owner, project):
    viewer, editor = signed_in(lab, "c"), signed_in(lab, "c")
    for user, role in ((viewer, "viewer"), (editor, "editor")):
        make(lab, f"/projects/{project}/members", owner, user=user, role=role)
    path = f"/projects/{project}/calendars"
    calendar = make(lab, path, editor, name="Site", colour="#3366cc", timeZone="Europe/Berlin")
    assert calendar["visibility"] == "viewer"
    one = event(lab, editor, "2027-03-01T09:00", project)
    assert one["timeZone"] == "Europe/Berlin"
    assert lab.post(path, {"name": "x"}, user=owner).status == 409
    for body, field in (({"timeZone": "x"}, "timeZone"), ({"colour": "red"}, "colour"),
                        ({"visibility": "me"}, "visibility")):
        said = lab.call("PATCH", f"{path}/{calendar['id']}", body, user=owner)
        assert (said.status, said.json["field"]) == (422, field)
    hide = {"visibility": "editor"}
    assert lab.call("PATCH", f"{path}/{calendar['id']}", hide, user=editor).status == 403
    assert lab.call("PATCH", f"{path}/{calendar['id']}", hide, user=owner).status == 200
    at = f"/projects/{project}/events"

    def sees(user):
        return (len(starts(lab, user, "2027-03-01", "2027-03-31")),
                len(starts(lab, user, "2027-03-01", "2027-03-31", project)),
                lab.get(at, user=user).json["totalCount"],
                lab.get(at + "?order=startsAt", user=user).json["totalCount"],
                lab.get(f"{at}/{one['id']}", user=user).status)
    assert sees(viewer) == (0, 0, 0, 0, 404)
    assert sees(editor) == sees(owner) == (1, 1, 1, 1, 200)
    assert lab.call("PATCH", f"{path}/{calendar['id']}", {"visibility": "owner"},
                    user=owner).status == 200
    assert sees(editor) == (0, 0, 0, 0, 404)
    assert lab.post(at, {"title": "x", "start": "2027-03-01"}, user=editor).status in (403, 404)
    assert change(lab, "PATCH", f"{at}/{one['id']}", editor, one, {"title": "x"}).status == 404
    assert change(lab, "DELETE", f"{at}/{one['id']}", editor, one).status == 404
    assert sees(owner) == (1, 1, 1, 1, 200)


def conflicts(lab, user, one, project=None):
    path = f"/projects/{project}/events" if project else "/events"
    said = lab.get(f"{path}/{one['id']}/conflicts", user=user)
    assert said.status == 200, said
    return [(c["title"], c["start"]) for c in said.json["items"]]


def test_conflicts(lab, owner, project):
    zone = {"timeZone": "Europe/Berlin"}
    meeting = event(lab, owner, "2027-03-01T09:00", title="Meeting", **zone,
                    recurrence="FREQ=WEEKLY;COUNT=10")
    assert conflicts(lab, owner, meeting) == []
    day = event(lab, owner, "2027-03-08", title="Holiday")
    off = event(lab, owner, "2027-03-08T09:00", title="Off", stateKey="cancelled", **zone)
    assert conflicts(lab, owner, off) == conflicts(lab, owner, day) == []
    new = event(lab, owner, "2027-03-08T08:30", project, end="2027-03-08T09:30",
                recurrence="FREQ=WEEKLY;COUNT=2", **zone)
    assert conflicts(lab, owner, new, project) == [
        ("Meeting", "2027-03-08T09:00"), ("Meeting", "2027-03-15T09:00")]
    # What ends when it begins is none; nor is what somebody else does not see.
    assert conflicts(lab, owner, event(lab, owner, "2027-03-08T10:00", **zone)) == []
    other = signed_in(lab, "c")
    assert conflicts(lab, other, event(lab, other, "2027-03-08T08:00")) == []
    assert lab.get(f"/events/{meeting['id']}/conflicts", user=other).status == 404


def test_the_list_has_filters_and_orders(lab, owner):
    for day in (3, 1, 2):
        event(lab, owner, f"2027-03-0{day}", title=f"e{day}", typeKey="travel" if day == 2
              else "meeting")
    titles = lambda query: [one["title"] for one in lab.get("/events" + query, user=owner).json
                            ["items"]]
    assert titles("") == ["e2", "e1", "e3"]
    assert titles("?order=startsAt") == ["e1", "e2", "e3"]
    assert titles("?order=-startsAt&pageSize=2") == ["e3", "e2"]
    assert titles("?typeKey=travel") == ["e2"]
    assert titles("?order=startsAt&startsAtFrom=2027-03-02T00:00:00Z") == ["e2", "e3"]
    items = lambda **query: [one["title"] for one in seen(
        lab, owner, "2027-03-01", "2027-03-31", **query)["items"]]
    assert items(q="E3") == ["e3"] and items(calendars="projects") == []
    assert items(calendars="own") == ["e1", "e2", "e3"]


# -- what becomes of them --------------------------------------------------------------------

def stored(lab, user):
    return next(one["used"] for one in lab.get("/me/limits", user=user).json["items"]
                if one["key"] == "projects")


def test_their_texts_count_as_stored(lab, owner, project):
    before = stored(lab, owner)
    event(lab, owner, "2027-03-01", description="d" * 1000)
    event(lab, owner, "2027-03-01", project, location="here")
    assert stored(lab, owner) - before == 1001 + 5


def test_a_deleted_project_leaves_no_events(lab, owner, project):
    event(lab, owner, "2027-03-01", project)
    own = event(lab, owner, "2027-03-02")
    make(lab, f"/projects/{project}/calendars", owner, name="x")
    assert lab.call("DELETE", f"/projects/{project}", user=owner,
                    headers={"If-Match": "*"}).status == 204
    assert starts(lab, owner, "2027-03-01", "2027-03-31") == ["2027-03-02"]
    assert lab.call("DELETE", f"/projects/deleted/{project}", user=owner).status == 204
    lab.command("work", check=False)
    hex_ = project.replace("-", "")
    wait_until("nothing is left", lambda: not lab.sql(
        f"SELECT 1 FROM event WHERE top_id = UNHEX('{hex_}') UNION ALL"
        f" SELECT 1 FROM project_calendar WHERE top_id = UNHEX('{hex_}')"))
    assert lab.get(f"/events/{own['id']}", user=owner).status == 200


# -- by tools ------------------------------------------------------------------------------------

@pytest.fixture(name="clerk")
def clerk_of_the_test(lab, tidy_agents):
    return Clerk(lab)


def test_the_seven_tools(lab, clerk):
    project = clerk("create_onto_project", name="Garden")["projectId"]
    assert clerk("get_project_calendar", project_id=project) == {
        "projectId": project, "name": "Garden", "timeZone": "UTC", "visibility": "viewer"}
    assert clerk("set_project_calendar", project_id=project, name="Beds", colour="#00aa00",
                 time_zone="Europe/Berlin", visibility="editor")["name"] == "Beds"
    assert clerk("set_project_calendar", project_id=project, name=None)["name"] == "Garden"
    assert clerk("get_project_calendar", project_id=project) == {
        "projectId": project, "name": "Garden", "colour": "#00aa00",
        "timeZone": "Europe/Berlin", "visibility": "editor"}
    made = clerk("create_calendar_event", project_id=project, title="Water",
                 start="2027-03-01T09:00", recurrence="FREQ=WEEKLY;COUNT=3",
                 type_key="appointment")
    assert (made["timeZone"], made["version"], made["conflicts"]) == ("Europe/Berlin", 1, [])
    own = clerk("create_calendar_event", title="Own", start="2027-03-08T08:30:00Z")
    assert [c["title"] for c in own["conflicts"]] == ["Water"]
    listed = clerk("list_calendar_events", **{"from": "2027-03-01", "to": "2027-03-31"})
    assert [(e["title"], e["start"], e.get("occurrence")) for e in listed["events"]] == [
        ("Water", "2027-03-01T09:00", "2027-03-01"), ("Own", "2027-03-08T08:30", None),
        ("Water", "2027-03-08T09:00", "2027-03-08"), ("Water", "2027-03-15T09:00", "2027-03-15")] \
        or listed["events"][1]["title"] == "Water"
    assert len(clerk("list_calendar_events", project_id=project, limit=2, **{
        "from": "2027-03-01", "to": "2027-03-31"})["events"]) == 2
    assert clerk("list_calendar_events", query="own", **{
        "from": "2027-03-01", "to": "2027-03-31"})["events"][0]["title"] == "Own"
    alone = clerk("update_calendar_event", event_id=made["id"], version=1,
                  occurrence="2027-03-08", title="Water twice")
    assert (alone["seriesId"], alone["title"]) == (made["id"], "Water twice")
    said = clerk.refused("update_calendar_event", event_id=made["id"], version=1, title="x")
    assert "version 2" in said and "Read it again" in said
    assert clerk("get_calendar_event_details", event_id=made["id"])["skipped"] == ["2027-03-08"]
    assert clerk("update_calendar_event", event_id=made["id"], version=2, scope="all",
                 occurrence="2027-03-15", location="Shed")["location"] == "Shed"
    assert clerk("delete_calendar_event", event_id=made["id"], version=3, scope="following",
                 occurrence="2027-03-15") == {"deleted": True}
    assert [e["title"] for e in clerk("list_calendar_events", project_id=project, **{
        "from": "2027-03-01", "to": "2027-03-31"})["events"]] == ["Water", "Water twice"]
    assert clerk("delete_calendar_event", event_id=own["id"], version=1) == {"deleted": True}
    assert clerk("get_field_info", entity_type="event", field_name="recurrence")["event"][0][
        "field"] == "recurrence"


def test_tools_that_are_called_wrongly(lab, clerk):
    project = clerk("create_onto_project", name="Garden")["projectId"]
    own = clerk("create_calendar_event", title="Own", start="2027-03-08T09:00")
    other = Clerk(lab)
    for name, args, word in (
            ("create_calendar_event", {"title": "x", "start": "tomorrow"}, "2027-03-01"),
            ("create_calendar_event", {"title": "x" * 201, "start": "2027-03-01"}, "title"),
            ("create_calendar_event", {"title": "x", "start": "2027-03-01",
                                       "project_id": str(uuid.uuid4())}, "not_found"),
            ("create_calendar_event", {"title": "x", "start": 5}, "start"),
            ("create_calendar_event", {"title": "x", "start": "2027-03-01", "seriesId": "x"},
             "seriesId"),
            ("list_calendar_events", {"from": "soon"}, "2027-03-01"),
            ("list_calendar_events", {"from": "2027-01-01", "to": "2031-01-01"}, "400"),
            ("list_calendar_events", {"project_id": own["id"]}, "not_found"),
            ("update_calendar_event", {"event_id": own["id"], "version": 1,
                                       "scope": "following"}, "occurrence"),
            ("update_calendar_event", {"event_id": own["id"], "version": 1,
                                       "occurrence": "2027-03-09"}, "2027-03-09"),
            ("get_calendar_event_details", {"event_id": "own"}, "event_id"),
            ("set_project_calendar", {"project_id": project, "colour": "red"}, "colour")):
        assert word in clerk.refused(name, **args), (name, args)
    for name in ("get_calendar_event_details", "update_calendar_event",
                 "delete_calendar_event"):
        more = {} if name.startswith("get") else {"version": 1}
        assert "not_found" in other.refused(name, event_id=own["id"], **more)
    for name in ("get_project_calendar", "set_project_calendar"):
        assert "not_found" in other.refused(name, project_id=project)
    assert clerk("get_calendar_event_details", event_id=own["id"])["version"] == 1


# -- files -----------------------------------------------------------------------------------------

def ics(*events, more=""):
    return ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + more + "".join(
        f"BEGIN:VEVENT\r\n{one}\r\nEND:VEVENT\r\n" for one in events) + "END:VCALENDAR\r\n").encode()


def read_in(lab, user, body, path="/calendar"):
    return lab.call("POST", f"{path}/import", body, user=user,
                    headers={"Content-Type": "text/calendar"})


def test_a_file_out_and_in(lab, owner, project):
    zone = {"timeZone": "Europe/Berlin"}
    one = event(lab, owner, "2027-03-01T09:00", project, title="Roof; tiles, red", **zone,
                description="Line 1\nLine 2 \\ äöü " + "ü" * 100, location="Shed",
                recurrence="FREQ=WEEKLY;COUNT=5")
    path = f"/projects/{project}/events/{one['id']}"
    change(lab, "PATCH", f"{path}/occurrences/2027-03-08", owner, one,
           {"start": "2027-03-09T10:00"})
    change(lab, "DELETE", f"{path}/occurrences/2027-03-22", owner,
           lab.get(path, user=owner).json)
    event(lab, owner, "2027-04-01", project, end="2027-04-03", stateKey="tentative")
    before = [(e["title"], e["start"], e["end"], e["startsAt"], e["stateKey"]) for e in seen(
        lab, owner, "2027-03-01", "2027-12-31", project)["items"]]
    said = lab.get(f"/projects/{project}/calendar.ics", user=owner)
    assert said.status == 200 and said.headers["Content-Type"].startswith("text/calendar")
    text = said.body
    assert all(len(line) <= 76 for line in text.split(b"\r\n"))
    plain = text.replace(b"\r\n ", b"").decode()
    assert "DTSTART;VALUE=DATE:20270401" in plain and "DTEND;VALUE=DATE:20270404" in plain
    assert "EXDATE;TZID=Europe/Berlin:20270322T090000" in plain
    assert "RECURRENCE-ID;TZID=Europe/Berlin:20270308T090000" in plain
    assert "SUMMARY:Roof\\; tiles\\, red" in plain and "BEGIN:VTIMEZONE" in plain
    assert plain.count("EXDATE") == 1
    other = signed_in(lab, "c")
    report = read_in(lab, other, text)
    assert report.status == 200, report
    assert report.json == {"made": 3, "known": 0, "refused": 0, "truncated": False,
                           "problems": []}
    assert [(e["title"], e["start"], e["end"], e["startsAt"], e["stateKey"]) for e in seen(
        lab, other, "2027-03-01", "2027-12-31")["items"]] == before
    again = read_in(lab, other, text).json
    assert (again["made"], again["known"]) == (0, 3)
    assert lab.get("/calendar.ics", user=other).body.count(b"BEGIN:VEVENT") == 3


def test_what_files_of_others_have(lab, owner):
    """Zones by other names, floating times, durations, UTC, alarms, folded lines."""
    body = ics(
        "UID:1\r\nSUMMARY:Windows\r\nDTSTART;TZID=W. Europe Standard Time:20270301T090000\r\n"
        "DTEND;TZID=W. Europe Standard Time:20270301T100000",
        "UID:2\r\nSUMMARY:Loc\r\nDTSTART;TZID=\"Custom; zone\":20270301T090000\r\nDURATION:PT90M",
        "UID:3\r\nSUMMARY:Floating\r\nDTSTART:20270301T090000",
        "UID:4\r\nSUMMARY:U\r\n TC\r\nDTSTART:20270301T090000Z\r\nBEGIN:VALARM\r\n"
        "SUMMARY:no\r\nDTSTART:20200101\r\nEND:VALARM\r\nLOCATION:after",
        "UID:5\r\nSUMMARY:Path\r\n"
        "DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20270301T090000",
        "UID:6\r\nSUMMARY:Days\r\nDTSTART;VALUE=DATE:20270301\r\nDTEND;VALUE=DATE:20270303",
        "UID:7\r\nSUMMARY:Shifted\r\nDTSTART:20270301T090000Z\r\nRRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=2",
        "UID:8\r\nSUMMARY:Bomb\r\nDTSTART:20270301T090000Z\r\nRRULE:FREQ=SECONDLY;COUNT=1000000000",
        "UID:9\r\nSUMMARY:Born\r\nDTSTART;VALUE=DATE:19400229\r\nRRULE:FREQ=YEARLY",
        "UID:10\r\nSUMMARY:No start",
        more="BEGIN:VTIMEZONE\r\nTZID:Custom; zone\r\nX-LIC-LOCATION:America/New_York\r\n"
             "BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:-0500\r\n"
             "TZOFFSETTO:-0500\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n")
    report = read_in(lab, owner, body).json
    assert (report["made"], report["refused"]) == (8, 2), report
    assert {p["title"] for p in report["problems"]} == {"Bomb", "No start"}
    at = {e["title"]: e for e in seen(lab, owner, "2027-03-01", "2027-03-31")["items"]}
    assert at["Windows"]["startsAt"] == at["Path"]["startsAt"] == "2027-03-01T08:00:00.000Z"
    assert (at["Loc"]["startsAt"], at["Loc"]["endsAt"]) == (
        "2027-03-01T14:00:00.000Z", "2027-03-01T15:30:00.000Z")
    assert at["Floating"]["startsAt"] == at["UTC"]["startsAt"] == "2027-03-01T09:00:00.000Z"
    assert at["UTC"]["location"] == "after"
    assert (at["Days"]["start"], at["Days"]["end"]) == ("2027-03-01", "2027-03-02")
    assert at["Shifted"]["start"] == "2027-03-10T09:00"
    assert starts(lab, owner, "2028-02-01", "2028-03-01") == ["2028-02-29"]


@pytest.mark.parametrize("body", [b"", b"hello", b"BEGIN:VCARD\r\nEND:VCARD\r\n", b"\xff\xfe\x00"])
def test_what_is_no_calendar(lab, owner, body):
    said = read_in(lab, owner, body)
    assert said.status in (400, 422), said
    assert starts(lab, owner, "2027-01-01", "2027-12-31") == []


def test_each_line_of_exdate_has_its_own_zone(lab, owner):
    body = ics("UID:x\r\nSUMMARY:Daily\r\nDTSTART;TZID=Europe/Berlin:20270301T010000\r\n"
               "RRULE:FREQ=DAILY;COUNT=6\r\nEXDATE:20270302T000000Z\r\n"
               "EXDATE;TZID=America/New_York:20270302T190000,20270303T190000\r\n"
               "EXDATE;TZID=Europe/Berlin:20270305T010000")
    assert read_in(lab, owner, body).json["made"] == 1
    assert [e["start"][:10] for e in seen(lab, owner, "2027-03-01", "2027-03-31")["items"]] == [
        "2027-03-01", "2027-03-06"]


def test_an_event_conflicts_with_another_once(lab, owner):
    """The other one lasts for several occurrences of it."""
    event(lab, owner, "2027-03-01T08:00", end="2027-03-05T20:00", title="Fair")
    one = event(lab, owner, "2027-03-01T09:00", title="Round", recurrence="FREQ=DAILY;COUNT=4")
    found = lab.get(f"/events/{one['id']}/conflicts", user=owner).json["items"]
    assert [e["title"] for e in found] == ["Fair"]


def test_hostile_files(lab, owner, project):
    began = time.monotonic()
    many = ics(*(f"UID:{n}\r\nSUMMARY:{n}\r\nDTSTART:20270301" for n in range(1100)))
    report = read_in(lab, owner, many).json
    assert report["truncated"] and report["made"] <= 1000
    for body in (b"BEGIN:VCALENDAR\r\n" * 5000,
                 ics("SUMMARY:" + "x" * 200000 + "\r\nDTSTART:20270301"),
                 ics("SUMMARY:a\x00b\tc\x1b[0m\r\nDTSTART:20270301\r\nX:EVENT\nEVENT\tx"),
                 ics("DTSTART;TZID=../../etc/passwd:20270301T090000\r\nSUMMARY:z"),
                 ics("DTSTART:99991231T235959Z"), ics("DTSTART:00010101"),
                 ics("DTSTART:20270301\r\nDURATION:P99999999999W"),
                 ics("DTSTART:20270301\r\nRRULE:FREQ=DAILY\r\n" + "EXDATE:20270302\r\n" * 3000)):
        assert read_in(lab, owner, body).status in (200, 422), body[:80]
    assert read_in(lab, owner, b"BEGIN:VCALENDAR\r\n" + b"x" * 2200000).status == 413
    viewer, stranger = signed_in(lab, "c"), signed_in(lab, "c")
    make(lab, f"/projects/{project}/members", owner, user=viewer, role="viewer")
    path, one = f"/projects/{project}/calendar", ics("SUMMARY:x\r\nDTSTART:20270301")
    assert read_in(lab, viewer, one, path).status == 403
    assert read_in(lab, stranger, one, path).status == 404
    assert lab.get(path + ".ics", user=stranger).status == 404
    assert lab.get(path + ".ics", user=viewer).status == 200
    assert time.monotonic() - began < 60
