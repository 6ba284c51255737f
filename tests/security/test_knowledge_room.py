# SPDX-License-Identifier: MIT
"""What one user can put into knowledge bases has an end: text and documents of a base,
and bases. It is counted exactly, whatever happens at once."""

import concurrent.futures
import uuid

import pytest

MIB = 1 << 20
ROOM = {"private": (100, 10000), "team": (1024, 200000)}    # MiB, documents


@pytest.fixture
def who():
    name = "u" + uuid.uuid4().hex[:12]
    return {"user": name, "groups": [name]}


def base_of(lab, who, tier="private"):
    """The path and the key of a new base, which waits with its index."""
    group = {"group": who["user"]} if tier == "team" else {}
    made = lab.post("/knowledge-bases", {"name": "Room", "tier": tier, "paused": True,
                                         **group}, **who)
    assert made.status == 201, made
    id = made.json["id"]
    return f"/knowledge-bases/{id}", "UNHEX('" + id.replace("-", "") + "')"


def write(lab, base, who, text="x", **fields):
    return lab.post(f"{base}/documents", {"title": "T", "text": text, **fields}, **who)


def taken(lab, key):
    """What is kept of a base, which is what there is."""
    kept, there = lab.sql(
        f"SELECT documents, document_bytes FROM search_base WHERE id = {key} UNION ALL"
        f" SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM document WHERE base_id = {key}")
    assert kept == there
    return [int(n) for n in kept]


def pretend(lab, key, documents=0, more=0):
    """As if it had that many others."""
    lab.sql(f"UPDATE search_base SET documents = documents + {documents},"
            f" document_bytes = document_bytes + {more} WHERE id = {key}")


@pytest.mark.parametrize("tier", ROOM)
def test_text_of_a_base_has_an_end(lab, who, tier):
    base, key = base_of(lab, who, tier)
    most, _ = ROOM[tier]
    assert write(lab, base, who, "a" * 1000, externalId="a").status == 201
    pretend(lab, key, more=most * MIB - 1000 - 50)
    full = write(lab, base, who, "b" * 51)
    assert full.status == 413 and f"{most} MiB" in full.json["detail"], full
    assert write(lab, base, who, "b" * 50).status == 201
    # What is replaced does not count twice, and may always become shorter.
    assert write(lab, base, who, "A" * 1000, externalId="a").status == 200
    assert write(lab, base, who, "A" * 1001, externalId="a").status == 413
    pretend(lab, key, more=5000)
    one = write(lab, base, who, "A" * 999, externalId="a")
    assert one.status == 200
    assert write(lab, base, who).status == 413
    pretend(lab, key, more=1000 - most * MIB + 50 - 5000)
    assert taken(lab, key) == [2, 1049]
    assert lab.call("DELETE", f"{base}/documents/{one.json['id']}", **who).status == 204
    assert taken(lab, key) == [1, 50]


@pytest.mark.parametrize("tier", ROOM)
def test_documents_of_a_base_have_an_end(lab, who, tier):
    base, key = base_of(lab, who, tier)
    most = ROOM[tier][1]
    one = write(lab, base, who, externalId="a")
    pretend(lab, key, documents=most - 1)
    full = write(lab, base, who)
    assert full.status == 409 and str(most) in full.json["detail"], full
    assert write(lab, base, who, "y", externalId="a").status == 200
    assert lab.call("DELETE", f"{base}/documents/{one.json['id']}", **who).status == 204
    assert write(lab, base, who).status == 201
    assert write(lab, base, who).status == 409


def test_it_is_counted_exactly_at_once(lab, who):
    base, key = base_of(lab, who)

    def work(n):
        ids = [write(lab, base, who, "x" * (n + i + 1), externalId=f"{(n + i) % 5}").json["id"]
               for i in range(4)]
        return lab.call("DELETE", f"{base}/documents/{ids[0]}", **who).status
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert set(pool.map(work, range(6))) <= {204, 404}
    assert taken(lab, key)[0] <= 5
    # Of writers at once only as many are let in as there is room for.
    documents, size = taken(lab, key)
    pretend(lab, key, more=100 * MIB - size - 30)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        said = list(pool.map(lambda _: write(lab, base, who, "z" * 10).status, range(6)))
    assert sorted(said) == [201] * 3 + [413] * 3
    pretend(lab, key, more=30 + size - 100 * MIB)
    assert taken(lab, key) == [documents + 3, size + 30]
    # The same request once more takes nothing more.
    for _ in range(2):
        again = lab.post(f"{base}/documents", {"title": "K", "text": "12345"}, **who,
                         headers={"Idempotency-Key": "k1"})
        assert again.status == 201 or again.status == 200, again
    assert taken(lab, key) == [documents + 4, size + 35]


def test_private_bases_have_an_end(lab, who):
    for _ in range(20):
        base_of(lab, who)
    full = lab.post("/knowledge-bases", {"name": "Room"}, **who)
    assert full.status == 409 and "already 20" in full.json["detail"], full
    base_of(lab, who, "team")
