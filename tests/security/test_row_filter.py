# SPDX-License-Identifier: MIT
"""A row filter compares byte for byte, whatever collation the admin's column has."""

ROWS = """
CREATE TABLE mail (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL)
  CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;
INSERT INTO mail VALUES (1, 'ada'), (2, 'Ada'), (3, 'ADA'), (4, 'ada '),
  (5, 'adá'), (6, 'bob');
CREATE TABLE old (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL)
  CHARACTER SET latin1;
INSERT INTO old SELECT id, owner FROM mail;
"""


def test_rows_of_a_name_that_only_looks_alike(make_lab):
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "title_by_model": False, "datasets": {
            "mail": {"database": "lab", "table": "mail",
                     "where": "owner = :user"},
            "old": {"database": "lab", "table": "old",
                    "where": "owner IN (:user, :tenant)"}}}})
    lab.sql(ROWS)
    for user, own in (("ada", 1), ("Ada", 2), ("bob", 6)):
        for name in ("mail", "old"):
            events = lab.chat({"tool_calls": [{
                "name": "query_data", "args": {"dataset": name,
                                               "select": ["id"]}}],
                "then": {"text": "done"}}, user=user)
            [result] = [e.data for e in events if e.name == "tool-result"]
            assert result["result"].get("rows") == [[own]], (name, result)
