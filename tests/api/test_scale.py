# SPDX-License-Identifier: MIT
"""What grows with one user's data is flat, or bounded: rows that the server reads
for a request, not times. LAMPLIGHTER_SCALE=100000 is the heavy form; the times
it prints (-s) are those of docs/scale.md."""

import pytest

from lab import Lab
from scaling import N, rows

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def lab():
    with Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False}}
             ) as lab:
        events = lab.chat({"text": "x"})
        like = events[0].data["conversationId"].replace("-", "")
        lab.sql("INSERT INTO conversation (id, tenant_id, user_id, workspace_id,"
                " agent_id, title, created_us, updated_us) SELECT"
                " UNHEX(LPAD(HEX(seq), 32, '0')), tenant_id, user_id,"
                " workspace_id, agent_id,"
                f" IF(seq = 1, 'needle', CONCAT('title ', seq)), seq, seq"
                f" FROM conversation, seq_1_to_{N} WHERE id = x'{like}'")
        lab.like = like
        lab.sql("ANALYZE TABLE conversation")
        yield lab


def page(lab, query):
    r = lab.get("/conversations" + query, user="ada")
    assert r.status == 200, r
    return r.json


def test_the_newest_page_is_not_counted_to_its_end(lab):
    def newest():
        return page(lab, "")
    got, n = rows(lab, newest)
    assert got["totalCount"] is None and len(got["items"]) == 30
    assert got["nextCursor"]
    # That there are many is known for a while, and not counted again.
    assert n < 500, n


def test_a_workspace_is_as_flat(lab):
    def of_workspace():
        return page(lab, "?workspaceId=lab")
    got, n = rows(lab, of_workspace)
    assert len(got["items"]) == 30 and got["totalCount"] is None
    assert n < 6000, n


def test_few_are_counted(lab):
    assert page(lab, "?q=needle")["totalCount"] in (None, 0)
    lab.post("/conversations", {"workspaceId": "lab"}, user="carl")
    for _ in range(3):
        lab.post("/conversations", {"workspaceId": "lab"}, user="carl")
    r = lab.get("/conversations?pageSize=2", user="carl").json
    assert r["totalCount"] == 4 and len(r["items"]) == 2


def test_a_rare_title_is_found_in_bounded_steps(lab):
    def first():
        return page(lab, "?q=needle")
    got, n = rows(lab, first)
    assert got["items"] == [] and got["nextCursor"]
    assert n < 15000, n
    pages = 1
    while not got["items"]:
        got = page(lab, "?q=needle&cursor=" + got["nextCursor"])
        pages += 1
    assert [c["title"] for c in got["items"]] == ["needle"]
    assert pages == (N + 1) // 5000 + 1
    # None twice, none left out.
    seen, cursor = [], ""
    while cursor is not None:
        p = page(lab, f"?q=title 1{'0' * (len(str(N)) - 3)}&pageSize=100"
                 .replace(" ", "%20") + (f"&cursor={cursor}" if cursor else ""))
        seen += [c["conversationId"] for c in p["items"]]
        cursor = p["nextCursor"]
    assert len(seen) == len(set(seen)) == int(lab.sql(
        "SELECT COUNT(*) FROM conversation WHERE title LIKE"
        f" '%title 1{'0' * (len(str(N)) - 3)}%'")[0][0])


def test_approvals_that_expired_are_not_read(lab):
    lab.sql("INSERT INTO turn (id, conversation_id, status, lease_until_us,"
            " user_seq, started_us) SELECT UNHEX(CONCAT('A', LPAD(HEX(seq), 31, '0'))),"
            f" x'{lab.like}', 2, 0, 1, 1 FROM seq_1_to_{N};"
            "INSERT INTO turn_wait (turn_id, position, id, conversation_id,"
            " tenant_id, user_id, kind, status, call_id, tool, effect, flags,"
            " reason, args, digest, created_us, expires_us)"
            " SELECT UNHEX(CONCAT('A', LPAD(HEX(seq), 31, '0'))), 1,"
            " UNHEX(CONCAT('B', LPAD(HEX(seq), 31, '0'))), c.id, c.tenant_id, c.user_id, 1, 1,"
            " 'c', 't', 3, 0, '', '{}', REPEAT('x', 32), seq, seq + 1"
            f" FROM conversation c, seq_1_to_{N} WHERE c.id = x'{lab.like}';"
            "ANALYZE TABLE turn_wait")

    def approvals():
        return lab.get("/approvals", user="ada").json
    got, n = rows(lab, approvals)
    assert got["items"] == []
    assert n < 3000, n


def test_a_search_in_an_agents_list_is_bounded_too(lab):
    [[agent]] = lab.sql("SELECT agent_id FROM conversation WHERE"
                        f" id = x'{lab.like}'")
    lists = f"/workspaces/lab/agents/{agent}/conversations"

    def first():
        return lab.get(f"{lists}?q=needle", user="ada").json
    got, n = rows(lab, first)
    assert got["items"] == [] and got["nextCursor"]
    assert n < 15000, n
    pages = 1
    while not got["items"]:
        got = lab.get(f"{lists}?q=needle&cursor=" + got["nextCursor"],
                      user="ada").json
        pages += 1
    assert [c["title"] for c in got["items"]] == ["needle"]
    assert pages == (N + 1) // 5000 + 1
    # Its pages without a search are as flat, and have all of them.
    def newest():
        return lab.get(lists, user="ada").json
    got, n = rows(lab, newest)
    assert len(got["items"]) == 30 and n < 6000, n
