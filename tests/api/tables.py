# SPDX-License-Identifier: MIT
"""What tests need of every table: its columns, what lib/resource/resource.def says of it,
and a row in it."""

import uuid

ROOTS = ("conversation", "turn")


def rows_of(lab):
    return [line.split("\t") for line in
            lab.command("list", "resources").stdout.splitlines()]


def columns(lab):
    return lab.sql("SELECT table_name, column_name, column_type, column_comment,"
                   " is_nullable = 'YES' OR column_default IS NOT NULL"
                   " FROM information_schema.columns"
                   " WHERE table_schema = DATABASE() ORDER BY 1, ordinal_position")


def fill(lab, table, kinds, ids):
    """A row of the table that belongs to the ids, whatever columns it has."""
    names, values = [], []
    for _, name, kind, comment, optional in (c for c in kinds if c[0] == table):
        root = next((r for r in ROOTS if comment.startswith(r + ".id")), None)
        if optional == "1" and not root:
            continue
        if root:
            value = f"UNHEX('{ids[root].hex}')"
        elif kind.startswith("binary"):
            size = int(kind[7:-1])
            value = f"UNHEX('{(uuid.uuid4().hex * 2)[:2 * size]}')"
        elif "int" in kind or kind == "double":
            value = "1"
        else:
            value = "'[]'"
        names.append(f"`{name}`")
        values.append(value)
    lab.sql(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(values)})")
