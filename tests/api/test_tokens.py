# SPDX-License-Identifier: MIT
"""API tokens: the first resource whose routes, statements and bodies come from a
row of lib/resource/resource.def. What is asked here holds for all of them."""

import base64
import json
import pathlib
import re
import time
import uuid

import pytest

from lab import Twin, wait_until

NOBODY = "0192f000-0000-7000-8000-000000000000"
LATER = "2099-12-31T23:59:59.250Z"


def make(lab, user="ada", **kw):
    answer = lab.post("/tokens", kw, user=user)
    assert answer.status == 201, answer
    return answer


@pytest.fixture
def someone():
    """A user of this test alone."""
    return "u" + uuid.uuid4().hex[:12]


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_a_token_from_its_making_to_its_end(lab, someone):
    answer = lab.post("/tokens", {"name": "backup", "expiresAt": LATER},
                      user=someone, groups=["it", 'a"b'])
    made = answer.json
    assert answer.status == 201
    assert answer.headers["Location"] == f"tokens/{made['id']}"
    assert set(made) == {"id", "name", "expiresAt", "groups", "createdAt", "agents",
                         "tools", "readOnly", "approve", "lastUsedAt",
                         "updatedAt", "secret"}
    assert made["expiresAt"] == LATER and made["groups"] == ["it", 'a"b']
    assert re.fullmatch(r"lamp_[\w-]{43}", made["secret"])
    me = lab.get("/me", headers=bearer(made["secret"])).json
    assert me["user"] == someone and set(me["groups"]) == {"it", 'a"b'}

    # Its secret is shown this once, its hash never.
    seen = lab.get(f"/tokens/{made['id']}", user=someone)
    shown = {**made, "lastUsedAt": seen.json["lastUsedAt"]}
    assert seen.json == {k: v for k, v in shown.items() if k != "secret"}
    assert lab.get("/tokens", user=someone).json == {
        "items": [seen.json], "totalCount": 1, "nextCursor": None}

    tag = seen.headers["ETag"]
    again = lab.get(f"/tokens/{made['id']}", user=someone,
                    headers={"If-None-Match": tag})
    assert again.status == 304 and not again.body
    changed = lab.call("PATCH", f"/tokens/{made['id']}", {"name": "restore"},
                       user=someone, headers={"If-Match": tag})
    assert changed.status == 200 and changed.json["name"] == "restore"
    assert changed.headers["ETag"] != tag
    stale = lab.call("PATCH", f"/tokens/{made['id']}", {"name": "x"},
                     user=someone, headers={"If-Match": tag})
    assert (stale.status, stale.json["code"]) == (412, "precondition_failed")
    # null takes away, nothing said leaves.
    assert lab.call("PATCH", f"/tokens/{made['id']}", {}, user=someone
                    ).json["name"] == "restore"
    assert lab.call("PATCH", f"/tokens/{made['id']}", {"name": None},
                    user=someone).json["name"] is None

    assert lab.call("DELETE", f"/tokens/{made['id']}", user=someone).status == 204
    assert lab.call("DELETE", f"/tokens/{made['id']}", user=someone).status == 404
    assert lab.get(f"/tokens/{made['id']}", user=someone).status == 404
    assert lab.get("/tokens", user=someone).json["totalCount"] == 0
    assert lab.get("/me", headers=bearer(made["secret"])).status == 401
    # The admin still sees that it was there.
    assert [line.split("\t")[1] for line in lab.command("token", "list")
            .stdout.splitlines() if made["id"] in line] == ["revoked"]


def executes(lab):
    return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])


def test_a_page_is_one_query(lab, someone):
    """Its version; the token is remembered, a second at most."""
    secret = make(lab, someone).json["secret"]
    chat = lab.chat({"text": "Hello."}, user=someone)
    path = f"/conversations/{chat[0].data['conversationId']}/messages"
    assert lab.get(path, headers=bearer(secret)).status == 200
    pages = 100

    def more_than_pages():
        before, start = executes(lab), time.monotonic()
        for _ in range(pages):
            assert lab.get(path, headers=bearer(secret)).status == 200
        # Housekeeping asks now and then, and the token each second; it was two a page.
        return executes(lab) - before - pages - 4 * (time.monotonic() - start)
    # Jobs that run beside it do not always do so.
    assert min(more_than_pages() for _ in range(3)) <= 20


def test_a_revocation_is_seen_everywhere(lab, someone):
    made = make(lab, someone).json
    with Twin(lab) as other:
        for where in (lab, other):
            assert where.get("/me", headers=bearer(made["secret"])).status == 200
        assert lab.call("DELETE", f"/tokens/{made['id']}", user=someone).status == 204
        # At once where it was revoked; elsewhere when what is remembered ends.
        assert lab.get("/me", headers=bearer(made["secret"])).status == 401
        wait_until("the other process to see it", lambda: other.get(
            "/me", headers=bearer(made["secret"])).status == 401)


def test_those_of_the_command_are_the_users(lab, someone):
    secret = lab.command("token", "create", "--user", someone, "--name", "cron",
                         "--group", "it").stdout.strip()
    [token] = lab.get("/tokens", user=someone).json["items"]
    assert (token["name"], token["groups"], token["expiresAt"]) == (
        "cron", ["it"], None)
    # With the token itself they can be seen and revoked, but none made.
    [seen] = lab.get("/tokens", headers=bearer(secret)).json["items"]
    assert seen == {**token, "lastUsedAt": seen["lastUsedAt"]}
    refused = lab.post("/tokens", {}, headers=bearer(secret))
    assert (refused.status, refused.json["code"]) == (403, "forbidden")
    assert lab.call("DELETE", f"/tokens/{token['id']}",
                    headers=bearer(secret)).status == 204
    assert lab.get("/me", headers=bearer(secret)).status == 401


def test_nobody_makes_tokens_without_signing_in(lab):
    answer = lab.post("/tokens", {}, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status == 403, answer


def test_not_yours_is_not_there(lab, someone):
    token = make(lab, someone).json
    path = f"/tokens/{token['id']}"
    bodies = set()
    for method, body in (("GET", None), ("PATCH", {"name": "mine"}),
                         ("DELETE", None)):
        for user, at in (("eve", path), (someone, f"/tokens/{NOBODY}")):
            answer = lab.call(method, at, body, user=user)
            assert answer.status == 404
            bodies.add(json.dumps({k: v for k, v in answer.json.items()
                                   if k not in ("instance", "requestId")},
                                  sort_keys=True))
    assert len(bodies) == 1, bodies
    assert token["id"] not in lab.get("/tokens", user="eve").body.decode()
    assert lab.get(path, user=someone).json["name"] is None


def test_every_statement_has_tenant_and_owner(lab):
    # By table; a conversation is a user's, an index the tenant's.
    owners = {"SEARCH_BASE": "TENANT"}
    for line in lab.command("list", "resources").stdout.splitlines():
        kind, name, table, what = line.split("\t")
        if kind == "resource":
            owners[name] = what.split()[0]
    text = (pathlib.Path(__file__).parents[2] / "lib/resource/resource.sql").read_text()
    asks = {"USER": "user_id = ?", "PARENT": "parent_id = ?", "TENANT": "tenant_id = ?"}
    seen = set()
    lists = ("LIST", "TOTAL", "FILED", "FILEDTOTAL", "LISTED", "LISTEDTOTAL", "UP", "DOWN",
             "REST")	# the last three are followed by a column
    for name, verb, sql in re.findall(r"^-- ([A-Z_]+)_([A-Z]+)\w* .*\n(.*);$", text, re.M):
        if verb not in (*lists, "COUNT", "GET", "UPDATE", "DELETE", "HOLD"):
            continue
        owner = owners.get(name, "USER")
        reads = verb in (*lists, "GET")
        assert "tenant_id = ?" in sql, (name, sql)
        asks["SHARED"] = "reader_id" if reads else "holder_id = ?"
        asks["MIXED"] = "parent_id = ? AND holder_id IN (?, ?)" if reads \
            else "holder_id = ?"
        asks["BELOW"] = "_reader s ON s.row_id" if reads else "parent_id = ?"
        if owner == "BELOW" and verb in ("UPDATE", "DELETE"):
            asks["BELOW"] = "s.role BETWEEN 2 AND m"
        assert asks[owner] in sql, (name, sql)
        seen.add((owner, verb))
    assert len(seen) > 20


@pytest.mark.parametrize("body,code,field", [
    ({"nam": "x"}, "unknown_field", "nam"),
    ({"hash": "x"}, "unknown_field", "hash"),
    ({"login": "root"}, "unknown_field", "login"),
    ({"groups": ["admins"]}, "unknown_field", "groups"),
    ({"id": NOBODY}, "unknown_field", "id"),
    ({"name": 1}, "invalid_field", "name"),
    ({"name": ["x"]}, "invalid_field", "name"),
    ({"name": ""}, "invalid_field", "name"),
    ({"name": "  "}, "invalid_field", "name"),
    ({"name": "a\nb"}, "invalid_field", "name"),
    ({"name": "ä" * 101}, "invalid_field", "name"),
    ({"expiresAt": 1}, "invalid_field", "expiresAt"),
    ({"expiresAt": "tomorrow"}, "invalid_field", "expiresAt"),
    ({"expiresAt": "2099-02-30T00:00:00Z"}, "invalid_field", "expiresAt"),
    ({"expiresAt": "2099-01-01T00:00:00"}, "invalid_field", "expiresAt"),
    ({"expiresAt": "2099-01-01T00:00:00.Z"}, "invalid_field", "expiresAt"),
    ({"expiresAt": "2001-01-01T00:00:00Z"}, "invalid_field", "expiresAt"),
])
def test_bad_bodies(lab, someone, body, code, field):
    answer = lab.post("/tokens", body, user=someone)
    assert (answer.status, answer.json["code"], answer.json["field"]) == (
        422, code, field), answer
    assert lab.get("/tokens", user=someone).json["totalCount"] == 0


def test_the_words_of_the_other_routes(lab, someone):
    assert lab.post("/tokens", {"nam": "x"}, user=someone).json["detail"] == \
        'There is no field "nam"; did you mean "name"?'
    assert lab.post("/tokens", {"name": "ä" * 100}, user=someone).status == 201
    path = f"/tokens/{make(lab, someone).json['id']}"
    for field in ("expiresAt", "groups"):
        answer = lab.call("PATCH", path, {field: None}, user=someone)
        assert (answer.status, answer.json["detail"]) == (
            422, f"{field} cannot be changed.")
    assert lab.call("PATCH", path, [], user=someone).status == 400


def test_a_repeated_key_makes_one(lab, someone):
    key = {"Idempotency-Key": "k-" + someone}
    first = lab.post("/tokens", {"name": "one"}, user=someone, headers=key)
    again = lab.post("/tokens", {"name": "one"}, user=someone, headers=key)
    assert (first.status, again.status) == (201, 201)
    # What was shown once is not shown again, and still works.
    assert again.json == {k: v for k, v in first.json.items() if k != "secret"}
    assert lab.get("/me", headers=bearer(first.json["secret"])).status == 200
    other = lab.post("/tokens", {"name": "two"}, user=someone, headers=key)
    assert (other.status, other.json["field"]) == (422, "Idempotency-Key")
    less = lab.post("/tokens", {}, user=someone, headers=key)
    assert (less.status, less.json["field"]) == (422, "Idempotency-Key")
    assert lab.get("/tokens", user=someone).json["totalCount"] == 1
    # Another user's key of that name is another key.
    assert lab.post("/tokens", {"name": "two"}, user="eve", headers=key
                    ).json["id"] != first.json["id"]


def test_a_user_has_so_many_at_most(lab, someone):
    limits = (pathlib.Path(__file__).parents[2] / "lib/base/limits.h").read_text()
    most = int(re.search(r"#define LIM_TOKENS\s+(\d+)", limits)[1])
    key = {"Idempotency-Key": "last-" + someone}
    for _ in range(most - 1):
        make(lab, someone)
    last = lab.post("/tokens", {}, user=someone, headers=key)
    refused = lab.post("/tokens", {}, user=someone)
    assert (refused.status, refused.json["code"]) == (409, "conflict"), refused
    assert str(most) in refused.json["detail"]
    assert lab.get("/tokens", user=someone).json["totalCount"] == most
    # What was made is found again; and what is deleted makes room.
    again = lab.post("/tokens", {}, user=someone, headers=key)
    assert (again.status, again.json["id"]) == (201, last.json["id"])
    assert lab.call("DELETE", f"/tokens/{last.json['id']}",
                    user=someone).status == 204
    make(lab, someone)


def test_pages(lab, someone):
    ids = [make(lab, someone, name=str(i)).json["id"] for i in range(7)][::-1]
    seen, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"/tokens?pageSize=3&cursor={cursor}", user=someone).json
        assert page["totalCount"] == 7 and len(page["items"]) <= 3
        seen += [item["id"] for item in page["items"]]
        cursor = page["nextCursor"]
    assert seen == ids
    first = lab.get("/tokens?pageSize=3", user=someone).json["nextCursor"]
    # Of another user it shows nothing of theirs.
    assert lab.get(f"/tokens?cursor={first}", user=someone + "x").json["items"] == []


def test_what_ended_is_read_no_more(make_lab, someone):
    """The list reads none of those that were revoked, however many there are."""
    lab = make_lab()
    make(lab, someone, name="kept")
    at = "FROM seq_1_to_5000"
    columns = ("id, tenant_id, user_id, login, name, hash, `groups`, version,"
               " created_us, updated_us, expires_us, revoked_us")
    who = lab.sql("SELECT HEX(user_id) FROM api_token")[0][0]
    now = "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"
    row = ("RANDOM_BYTES(16), 'default', UNHEX('{who}'), '{login}', NULL,"
           " RANDOM_BYTES(32), '[]', 0, {now} - seq, {now},")
    row = row.format(who=who, login=someone, now=now)
    lab.sql(f"INSERT INTO api_token ({columns}) SELECT {row} NULL, {now} {at}")

    def rows_read():
        return sum(int(n) for _, n in lab.sql(
            "SHOW GLOBAL STATUS WHERE Variable_name IN"
            " ('Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd_next')"))

    before = rows_read()
    for _ in range(10):
        assert lab.get("/tokens?pageSize=1", user=someone).json["totalCount"] == 1
    nothing = rows_read()
    assert rows_read() - nothing < 2000     # what asking itself reads
    assert nothing - before < 10 * 500 + 2 * (rows_read() - nothing)

    assert len(lab.command("token", "list").stdout.splitlines()) == 5001


def cursor_of(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


@pytest.mark.parametrize("cursor", [
    "!", "e30", cursor_of([]), cursor_of(b"\xff"), cursor_of({"c": 1}),
    cursor_of({"c": -1, "id": NOBODY}), cursor_of({"c": "1", "id": NOBODY}),
    cursor_of({"c": 2 ** 70, "id": NOBODY}),
    cursor_of({"c": 1, "id": "' OR 1=1 --"}), cursor_of({"u": 1, "id": NOBODY}),
    "A" * 4000])
def test_hostile_cursors(lab, cursor):
    answer = lab.get(f"/tokens?cursor={cursor}", user="ada")
    assert (answer.status, answer.json["code"]) == (400, "invalid_cursor"), answer
