# SPDX-License-Identifier: MIT
"""Who sees what of knowledge bases: neither passages nor titles, counts or scores of
what they may not see."""

import concurrent.futures
import uuid

import pytest
from lab import wait_until

HEAD = {"user": "ada", "groups": ["staff", "board"]}
CLERK = {"user": "bob", "groups": ["staff"]}


@pytest.fixture(scope="module")
def base(lab):
    """A base of the group staff, with a document for all and one for the board."""
    made = lab.post("/knowledge-bases", {"name": "Plans " + uuid.uuid4().hex,
                                         "tier": "private", "language": "en"}, **HEAD)
    assert made.status == 201, made
    path = f"/knowledge-bases/{made.json['id']}"
    shared = lab.post(f"{path}/shares", {"group": "staff"}, **HEAD)
    assert shared.status == 201, shared
    ids = {}
    for name, groups in (("lunch", []), ("merger", ["board"])):
        answer = lab.post(f"{path}/documents", {
            "title": f"The {name} plan", "text": f"A plan for the {name}.",
            "externalId": name, "groups": groups}, **HEAD)
        assert answer.status == 201, answer
        ids[name] = answer.json["id"]
    wait_until("they are indexed", lambda: lab.get(
        f"{path}/progress", **HEAD).json["queued"] == 0)
    return path, ids


def texts(lab, path, query, who, **fields):
    answer = lab.post(f"{path}/search", {"query": query, **fields}, **who)
    assert answer.status == 200, answer
    return {hit["text"]: hit["score"] for hit in answer.json["items"]}


def test_passages_are_of_what_one_sees(lab, base):
    path, ids = base
    assert len(texts(lab, path, "plan", HEAD)) == 2
    assert list(texts(lab, path, "plan merger", CLERK)) == ["A plan for the lunch."]
    assert texts(lab, path, '"plan for the merger"', CLERK) == {}
    assert texts(lab, path, "merger", CLERK, documentIds=[ids["merger"]]) == {}


def test_titles_and_counts_are_not_told(lab, base):
    path, ids = base
    page = lab.get(f"{path}/documents", **CLERK).json
    assert [item["id"] for item in page["items"]] == [ids["lunch"]]
    assert page["totalCount"] is None
    hidden = lab.get(f"{path}/documents/{ids['merger']}", **CLERK)
    missing = lab.get(f"{path}/documents/{uuid.UUID(int=1)}", **CLERK)
    assert (hidden.status, missing.status) == (404, 404)
    assert hidden.json["detail"] == missing.json["detail"]
    assert lab.get(f"{path}/progress", **CLERK).status == 403


def test_scores_do_not_move_by_what_is_hidden(lab, base):
    path, _ = base
    before = texts(lab, path, "plan", CLERK)
    for i in range(5):
        lab.post(f"{path}/documents", {"title": "plan", "text": f"plan plan {i}",
                                       "groups": ["board"], "externalId": f"b{i}"}, **HEAD)
    wait_until("they are indexed", lambda: lab.get(
        f"{path}/progress", **HEAD).json["queued"] == 0)
    assert texts(lab, path, "plan", CLERK) == before


def test_a_share_changes_the_row_of_its_base(lab):
    """So that it cannot pass a deletion on another node of a cluster."""
    one = lab.post("/knowledge-bases", {"name": "Shared"}, **HEAD).json
    path = f"/knowledge-bases/{one['id']}"

    def moved():
        return int(lab.sql("SELECT shared FROM knowledge_base WHERE id = UNHEX('"
                           + one["id"].replace("-", "") + "')")[0][0])
    made = lab.post(f"{path}/shares", {"group": "staff"}, **HEAD)
    assert made.status == 201 and moved() == 1, made
    assert lab.get(path, **CLERK).json["version"] == one["version"]
    gone = lab.call("DELETE", f"{path}/shares/{made.json['id']}", **HEAD)
    assert gone.status == 204 and moved() == 2, gone
    assert lab.get(path, **CLERK).status == 404


def test_nothing_stays_of_a_base_deleted_while_it_is_shared(lab):
    groups = [f"g{n}" for n in range(4)]
    who = {"user": "ada", "groups": groups}
    for _ in range(4):
        id = lab.post("/knowledge-bases", {"name": "Short"}, **who).json["id"]
        path = f"/knowledge-bases/{id}"
        calls = [lambda: lab.call("DELETE", path, **who),
                 lambda: lab.call("PATCH", path, {"name": "Brief"}, **who)]
        calls += [lambda g=g: lab.post(f"{path}/shares", {"group": g}, **who)
                  for g in groups]
        with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
            answers = list(pool.map(lambda call: call(), calls))
        assert {a.status for a in answers} <= {200, 201, 204, 404, 412}, answers
        assert answers[0].status == 204
        key = "UNHEX('" + id.replace("-", "") + "')"
        assert lab.sql(
            f"SELECT COUNT(*) FROM knowledge_base_reader WHERE row_id = {key} UNION ALL"
            f" SELECT COUNT(*) FROM knowledge_base_share WHERE parent_id = {key}"
        ) == [["0"]] * 2


def test_readers_do_not_write(lab, base):
    path, ids = base
    body = {"title": "T", "text": "x"}
    assert lab.post(f"{path}/documents", body, **CLERK).status == 403
    assert lab.call("DELETE", f"{path}/documents/{ids['lunch']}", **CLERK).status == 403
    assert lab.call("DELETE", path, **CLERK).status == 403
    for who in ({"user": "eve", "groups": []}, {"user": "eve", "groups": ["other"]}):
        for answer in (lab.get(path, **who), lab.get(f"{path}/documents", **who),
                       lab.get(f"{path}/documents/{ids['lunch']}", **who),
                       lab.post(f"{path}/search", {"query": "plan"}, **who),
                       lab.post(f"{path}/documents", body, **who),
                       lab.call("DELETE", path, **who)):
            assert answer.status == 404, answer


def test_a_narrower_audience_holds_at_once(lab, base):
    path, _ = base
    lab.call("PATCH", path, {"paused": True}, **HEAD)
    write = {"title": "T", "text": "Zebras graze.", "externalId": "z"}
    lab.call("PATCH", path, {"paused": False}, **HEAD)
    lab.post(f"{path}/documents", write, **HEAD)
    wait_until("it is indexed", lambda: texts(lab, path, "zebra", CLERK))
    lab.call("PATCH", path, {"paused": True}, **HEAD)
    answer = lab.post(f"{path}/documents", {**write, "groups": ["board"]}, **HEAD)
    assert answer.status == 200, answer
    assert texts(lab, path, "zebra", CLERK) == {}
    lab.call("PATCH", path, {"paused": False}, **HEAD)
    wait_until("it is indexed again", lambda: texts(lab, path, "zebra", HEAD))
    assert texts(lab, path, "zebra", CLERK) == {}


def test_a_document_of_another_base_is_none_of_this(lab, base):
    path, ids = base
    other = lab.post("/knowledge-bases", {"name": "Mine"}, **CLERK).json["id"]
    mine = f"/knowledge-bases/{other}"
    assert lab.get(f"{mine}/documents/{ids['merger']}", **CLERK).status == 404
    assert lab.call("DELETE", f"{mine}/documents/{ids['merger']}", **CLERK).status == 404
    assert texts(lab, mine, "merger", CLERK, documentIds=[ids["merger"]]) == {}
    assert len(texts(lab, path, "plan for the merger", HEAD)) >= 2
