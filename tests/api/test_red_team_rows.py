# SPDX-License-Identifier: MIT
"""The red team: rows of others, whatever arguments an agent sends. See
test_red_team.py."""

import json
import random

import pytest

from red_team import (  # noqa: F401
    NOTES, call, changed, clean, inside, lab, mcp, results, say, web)

pytestmark = pytest.mark.threads


# -- rows of others ----------------------------------------------------------------

COLUMNS = ["id", "owner", "public", "text", "amount", "secret", "made", "other",
           "ID", "note.owner", "`owner`", "*", "count(*)", "m.text", "owner`",
           "(SELECT secret FROM note LIMIT 1)", "owner = 'bob' OR owner", "",
           "id) UNION SELECT secret FROM note -- ", "database()", "\u0000id"]
VALUES = ["bob", "ada", "BOB", "bob ", "' OR '1'='1", "' OR 1=1 -- ", "%", "_",
          "\\", "\\'", "\"", "`", "text", "bob' UNION SELECT 1 #", ":user",
          "?", "${user}", None, True, False, 0, -1, 1, 90, 1007, 2 ** 63,
          -2 ** 63, 1e308, 1.5, "1e3", "0x626f62", "2026-01-02", "9999-99-99",
          "2026-01-01T00:00:00+25:00", "", "x" * 5000, ["bob"], ["bob", None],
          [], [["bob"]], {"column": "owner"}, {"$ne": None}, "\u0000",
          "\U0001d553\U0001d560\U0001d553", "b\u00f6b", "'; DROP TABLE note; --"]
OPS = ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with",
       "is_null", "not_null", "between", "regexp", "or", "= 1 OR 1", ""]
FNS = ["count", "sum", "avg", "min", "max", "count_distinct", "group_concat",
       "load_file", "count(*),(select 1)"]


KNOWN = {"mine": COLUMNS[:7], "shared": ["id", "owner", "text", "amount", "made"],
         "pairs": ["id", "other"]}
FITTING = {"id": [1, 4, 45, 90], "public": [0, 1], "amount": [1007, 1300, 0],
           "made": ["2026-01-02", "2026-01-03 04:00:00"]}


def hostile_query(r):
    """Arguments as an attacker would dictate them; a good part makes sense."""
    dataset = r.choice(["books", "guests;", "mine` m, note", "note", "nosuch",
                        "information_schema"] if r.random() < .1
                       else list(KNOWN))

    def some(what, most=3):
        return [what() for _ in range(r.randint(1, most))]

    def column():
        return r.choice(KNOWN.get(dataset, COLUMNS) if r.random() < .9
                        else COLUMNS)

    def where():
        name, op = column(), r.choice(OPS[:12] if r.random() < .9 else OPS)
        values = FITTING.get(name, VALUES[:12]) if r.random() < .8 else VALUES
        value = r.choice(values)
        if op in ("in", "between"):
            value = [r.choice(values) for _ in range(2)]
        return {"column": name, "op": op, "value": value}

    def sort():
        return {"column": column(), "direction": r.choice(
            ["asc", "desc", "asc, owner"][:2 + (r.random() < .1)])}

    def made(**parts):
        return {k: v() for k, v in parts.items() if r.random() < .5}

    q = {"dataset": dataset, **made(
        filters=lambda: some(where, 2), limit=lambda: r.choice(
            [1, 5, 100, 10 ** 9, -1, "1 OFFSET 5"][:3 + 3 * (r.random() < .1)]))}
    if r.random() < .4:
        q |= {"aggregates": [{"fn": r.choice(FNS[:6 + 3 * (r.random() < .1)]),
                              "column": column()}], **made(
            group_by=lambda: [column()])}
    else:
        q |= made(select=lambda: some(column), sort=lambda: some(sort, 2))
    if r.random() < .2:
        q["search"] = r.choice(["text", "bob", "%", "' OR 1", "\\", "2026"])
    if r.random() < .05:
        q[r.choice(["where", "user", "offset", "cursor", "having", "owner"])] = \
            r.choice(VALUES)
    return q


def answers(lab, calls):
    """What ada's agent gets for these calls, in their order, without times."""
    out = []
    for at in range(0, len(calls), 48):
        script = part = {}
        for i in range(at, min(at + 48, len(calls)), 8):
            part["tool_calls"] = [{**c, "args": json.dumps(c["args"])}
                                  for c in calls[i:i + 8]]
            part["then"] = {}
            part = part["then"]
        part["text"] = "x"
        events = say(lab, script, agentId="long")
        assert events[-1].name == "done", events[-1]
        found = results(events)
        assert len(found) == min(48, len(calls) - at)
        out += [f["result"] for f in found]
    return out


@pytest.mark.parametrize("seed", range(4))
def test_nothing_depends_on_rows_of_others(lab, seed):
    """
    The same calls give the same answers, to the last byte of their errors,
    whatever is in the rows that this user may not see: not a count, an
    order, a sum or an error tells of them.
    """
    r = random.Random(seed)
    calls = [{"name": "query_data", "args": hostile_query(r)}
             for _ in range(144)]
    calls += [call("describe_dataset", dataset=d) for d in
              ("mine", "shared", "pairs", "books", "note")]
    calls += [call("list_datasets")]
    before = answers(lab, calls)
    mine = lab.sql("SELECT * FROM note WHERE owner = 'ada' ORDER BY id")
    lab.sql("UPDATE note SET text = CONCAT('changed ', id), amount = -amount,"
            " secret = 'other', made = made - INTERVAL 9 YEAR"
            " WHERE owner <> 'ada'; DELETE FROM note WHERE owner = 'eve'")
    try:
        after = answers(lab, calls)
    finally:
        lab.sql("DROP TABLE note, guest_book;" + NOTES)
        lab.sql("INSERT INTO guest_book VALUES (1, 'again')")
    fine = [c["args"] for c, a in zip(calls, before) if "error" not in a]
    assert len(fine) > 50, "most are refused: the test tests little"
    for c, a, b in zip(calls, before, after):
        assert a == b, (seed, c)
        assert not isinstance(a, dict) or "rows" not in a or \
            a["rowCount"] <= len(mine), c
    secrets = {row[5] for row in mine}		# a column for auditors only
    books = json.dumps([a for c, a in zip(calls, before)
                        if c["args"].get("dataset") == "shared"])
    assert not any(s in books for s in secrets)


def test_kept_results_of_others(lab):
    """Their ids are of no use to anybody else, in whatever tool."""
    say(lab, {"tool_calls": [call("dump")], "then": {"text": "x"}}, user="bob")
    [[kept]] = lab.sql("SELECT LOWER(HEX(id)) FROM tool_output LIMIT 1")
    kept = "-".join((kept[:8], kept[8:12], kept[12:16], kept[16:20], kept[20:]))
    tries = [call("read_result", result=kept), call("find_pii", result=kept),
             call("analyse_log", result=kept),
             call("read_result", result=kept, search="a"),
             call("read_result", result=kept.upper()),
             call("read_result", result="{" + kept + "}")]
    # ada has a long result of her own, so that read_result is there.
    events = say(lab, {"tool_calls": [call("dump")], "then": {
        "tool_calls": tries, "then": {"text": "x"}}}, agentId="talks")
    for result in results(events)[1:]:
        assert result["isError"], result
        assert "no" in json.dumps(result["result"]), result
    bob = say(lab, {"tool_calls": [call("dump")], "then": {
        "tool_calls": tries[:1], "then": {"text": "x"}}}, user="bob")
    assert not results(bob)[1]["isError"]


def test_pages_of_others(lab):
    """A cursor says where to continue, never whose rows."""
    for _ in range(3):
        say(lab, {"text": "of bob"}, user="bob")
    theirs = lab.get("/conversations?pageSize=1", user="bob").json
    c = theirs["items"][0]["conversationId"]
    own = lab.get("/conversations?pageSize=100", user="ada").json["items"]
    page = lab.get("/conversations?pageSize=100&cursor="
                   + theirs["nextCursor"], user="ada")
    if page.status == 200:
        assert {i["conversationId"] for i in page.json["items"]} <= {
            i["conversationId"] for i in own}
    for i in range(3):
        say(lab, {"text": "more"}, user="bob", conversationId=c)
    theirs = lab.get(f"/conversations/{c}/messages?pageSize=2", user="bob").json
    for path in (f"/conversations/{c}", f"/conversations/{c}/messages",
                 f"/conversations/{c}/messages?cursor=" + theirs["nextCursor"]):
        assert lab.get(path, user="ada").status == 404
    mine = own[0]["conversationId"]
    page = lab.get(f"/conversations/{mine}/messages?cursor="
                   + theirs["nextCursor"], user="ada")
    assert page.status == 400 or all(
        m["conversationId"] == mine for m in page.json["items"])


def test_a_login_that_looks_alike(lab):
    """Collations that take letters for equal: how docs/datasets.md says it."""
    lab.sql("CREATE TABLE loose (owner VARCHAR(20) CHARSET utf8mb4 COLLATE"
            " utf8mb4_general_ci, text TEXT, KEY (owner));"
            "INSERT INTO loose VALUES ('ada', 'hers')")
    umlaut = "\u00e1da".encode().decode("latin-1")	# as a header has it
    with changed(lab, datasets={"loose": {
            "database": "lab", "table": "loose",
            "where": "owner = :user AND BINARY owner = :user"}}):
        script = {"tool_calls": [call("query_data", dataset="loose")],
                  "then": {"text": "x"}}
        seen = {user: results(say(lab, script, user=user))[0]["result"]["rows"]
                for user in ("ada", "ADA", "Ada", umlaut)}
    assert {user: len(rows) for user, rows in seen.items()} == {
        "ada": 1, "ADA": 0, "Ada": 0, umlaut: 0}
