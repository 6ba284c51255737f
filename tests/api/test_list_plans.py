# SPDX-License-Identifier: MIT
"""How MariaDB carries out the generated lists (lib/resource/resource.sql) on filled tables:
each by ranges of an index in the order of the list, so that a page costs what it shows."""

import json
import pathlib
import re

import pytest

from lab import Lab

SQL = pathlib.Path(__file__).parents[2] / "lib/resource/resource.sql"
ROWS = 1000
OWNERS = 20	# each has this part of the rows
KEYS = {"id", "row_id", "change_id"}	# of one row each
EMPTY = {"revoked_us", "deleted_us", "purge_us"}
# What is sorted: the heads of a list for each reader, what one workspace or project has, and
# what a search finds among the rows of several readers.
SORTED = {"AGENT_LIST", "PROJECT_MEMBER_LIST", "AGENT_FIND", "PROMPT_FIND", "WORKSPACE_FIND",
          "KNOWLEDGE_BASE_FIND", "PROJECT_FIND"}


def lists():
    """The generated lists and searches: name, types of the parameters, text."""
    lines = SQL.read_text().splitlines()
    return [(m[1], m[2], text.rstrip(";")) for head, text in zip(lines, lines[1:])
            if (m := re.fullmatch(r"-- (\w+_(?:LIST|LISTED|FIND|FOUND)) \((\w+)\) -> \(\w+\)", head))]


def id_of(n):
    return f"LPAD({n}, 16, '0')"	# 16 bytes, which a plan shows


def value(name, kind, kinds):
    """What a column of row number `seq` has."""
    if name in EMPTY:
        return "NULL"
    if name == "tenant_id":
        return "'default'"
    if name == "kind" and kinds:
        return f"ELT(seq % {len(kinds)} + 1, {', '.join(kinds)})"
    if kind == "binary":
        return id_of("seq" if name in KEYS else f"seq % {OWNERS} + 1")
    if "int" in kind:
        return "seq * 1000" if name.endswith("_us") else "seq % 100"
    if kind in ("date", "datetime", "time", "decimal", "double", "float"):
        return "'2026-01-01'" if kind.startswith("date") else "0"
    return "'{}'" if "text" in kind else "CONCAT('x', LPAD(seq, 6, '0'))"


def fill(lab, table, kinds):
    columns = lab.sql("SELECT column_name, data_type FROM information_schema.columns WHERE"
                      f" table_schema = DATABASE() AND table_name = '{table}'"
                      " AND generation_expression IS NULL")
    names = ", ".join(f"`{name}`" for name, _ in columns)
    values = ", ".join(value(name, kind, kinds) for name, kind in columns)
    lab.sql(f"SET SESSION sql_mode = '', check_constraint_checks = 0;"
            f" INSERT IGNORE INTO {table} ({names}) SELECT {values} FROM seq_1_to_{ROWS};"
            f" ANALYZE TABLE {table}")


def literal(before, letter):
    """A parameter that the list may have at this place."""
    if letter == "u":
        return id_of(7)
    if letter == "i":
        return "31" if before.endswith("LIMIT ") else str(10**15 if before.endswith("< ") else 5)
    if before.endswith("JSON_TABLE("):
        return f"'[\"{b'0000000000000007'.hex()}\"]'"
    return "'default'" if before.endswith("tenant_id = ") else \
        "'zz'" if before.endswith("<= ") else "''" if before.endswith(">= ") else "'x1'"


def filled_in(text, types):
    parts, out = text.split("?"), ""
    assert len(parts) == len(types) + 1
    for part, letter in zip(parts, types):
        out += part
        out += literal(out, letter.lower())
    return out + parts[-1]


def nodes(plan):
    if isinstance(plan, dict):
        yield plan
    for child in plan.values() if isinstance(plan, dict) else plan:
        if isinstance(child, (dict, list)):
            yield from nodes(child)


@pytest.fixture(scope="module")
def lab():
    with Lab() as lab:
        tables, kinds = set(), {}
        for _, _, text in lists():
            mine = set(re.findall(r"(?:FROM|JOIN) (\w+)", text)) - {"JSON_TABLE", "DUAL"}
            tables |= mine
            for one in mine:
                kinds.setdefault(one, set()).update(re.findall(r"kind` ?= ('\w+')|kind = ('\w+')",
                                                              text))
        for table in sorted(tables):
            fill(lab, table, sorted({a or b for a, b in kinds[table]}))
        yield lab


def test_each_by_an_index(lab):
    for name, types, text in lists():
        plan = lab.sql("EXPLAIN FORMAT=JSON " + filled_in(text, types))
        plan = list(nodes(json.loads("\n".join(row[0] for row in plan).replace("\\n", "\n"),
                                     strict=False)))
        full = [n["table_name"] for n in plan if n.get("access_type") in ("ALL", "index")
                and "table_function" not in n and "materialized" not in n
                and "query_specifications" not in n]
        assert not full, (name, full, plan[0])
        sorts = [n["filesort"].get("table", {}).get("table_name", "") for n in plan
                 if "filesort" in n]
        assert name in SORTED or all(t.startswith("<derived") for t in sorts), (name, plan[0])


def test_what_one_has_to_do_by_its_index(lab):
    """Of a user who is responsible for everything, in all projects, a page reads a page."""
    text, types = statement(lab, "ENTITY_OF_OWNER")
    me = id_of(7)
    lab.sql(f"UPDATE entity SET owner_id = {me}, kind = 'task', state_key = 'todo', due_date ="
            " IF(seen % 2, '2027-01-01' + INTERVAL seen DAY, NULL)"
            .replace("seen", "CAST(RIGHT(title, 6) AS INT)"))
    lab.sql("ANALYZE TABLE entity")
    readers = "'[\"" + b"0000000000000007".hex().upper() + "\"]'"
    one = ["'default'", me]
    rest = ["'task'", "'done'", "'done'", "0", readers, "31"]
    values = ["1", *one, "'1000-01-01'", "'9999-12-31'", "'1000-01-01'", id_of(0), *rest,
              "1", *one, id_of(0), *rest, "31"]
    parts = text.split("?")
    assert len(parts) == len(values) + 1 == len(types) + 1
    whole = "".join(part + value for part, value in zip(parts, values + [""]))
    lab.sql("FLUSH STATUS")
    plan = lab.sql("EXPLAIN FORMAT=JSON " + whole)
    plan = list(nodes(json.loads("\n".join(row[0] for row in plan).replace("\\n", "\n"),
                                 strict=False)))
    tables = [n for n in plan if n.get("table_name") == "e"]
    assert [n["key"] for n in tables] == ["entity_owner"] * 2, plan
    sorts = [n["filesort"].get("table", {}).get("table_name", "") for n in plan
             if "filesort" in n]
    assert "e" not in sorts and "p" not in sorts, plan


def statement(lab, name):
    """Its text, and the types of its parameters."""
    rows = lab.command("list", "statements").stdout
    m = re.search(rf"^{name} \((\w+)\) -> \(\w+\)\n +(.*)$", rows, re.M)
    return m[2], m[1]


def test_workspaces_take_as_many_statements(make_lab):
    """A page that is full of those that were made as one with one of them."""
    root = {"user": "root", "groups": ["it"]}

    def executed():
        return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])

    def listed():
        page = lab.get("/workspaces?pageSize=100", **root)
        assert page.status == 200, page
        return len(page.json["items"])

    def taken():
        before = executed()
        listed()
        return executed() - before

    def cost():
        n = listed()	# statements are prepared, and what is cached is read
        # jobs of other tests may ask beside some of them
        return n, min(taken() for _ in range(5))

    lab = make_lab(config={"roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}})
    made = lab.post("/workspaces", {"name": "W"}, **root)
    assert made.status == 201, made
    few, one = cost()
    for table, key in (("workspace", "id"), ("workspace_reader", "row_id")):
        columns = [name for name, in lab.sql(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE()"
            f" AND table_name = '{table}' AND generation_expression IS NULL")]
        own = {key: id_of("seq"), "workspace_id": "CONCAT('w', seq)",
               "sort_key": "CONCAT('w', seq)"}
        lab.sql(f"INSERT INTO {table} ({', '.join(columns)}) SELECT "
                + ", ".join(own.get(name, name) for name in columns)
                + f" FROM (SELECT * FROM {table}) t, seq_1_to_95")
    many, hundred = cost()
    assert many == few + 95
    assert hundred == one
