# SPDX-License-Identifier: MIT
"""Order in many conversations: pinned, archived, tagged, in folders."""

import uuid


def make(lab, title, user="olga", **fields):
    made = lab.post("/conversations", {"workspaceId": "lab", "title": title, **fields},
                    user=user)
    assert made.status == 201, made
    return made.json["conversationId"]


def patch(lab, id, body, user="olga", **more):
    return lab.call("PATCH", f"/conversations/{id}", body, user=user, **more)


def listed(lab, query="", user="olga"):
    answer = lab.get(f"/conversations?workspaceId=lab{query}", user=user)
    assert answer.status == 200, answer
    return [c["title"] for c in answer.json["items"]]


def folder(lab, name, parent=None, user="olga"):
    made = lab.post("/conversation-folders", {"name": name, "parentId": parent}, user=user)
    assert made.status == 201, made
    return made.json["id"]


def test_pinned_and_archived(lab):
    user = "olga-shelf"
    one, two, three = (make(lab, t, user) for t in ("one", "two", "three"))
    before = lab.get(f"/conversations/{one}", user=user).json["updatedAt"]
    done = patch(lab, one, {"pinned": True}, user)
    assert done.status == 200 and done.json["pinned"] is True
    assert done.json["updatedAt"] == before      # it keeps its place
    assert patch(lab, two, {"pinned": True}, user).status == 200
    assert listed(lab, "&pinned=true", user) == ["two", "one"]
    # again: it keeps its place among them
    assert patch(lab, one, {"pinned": True}, user).status == 200
    assert listed(lab, "&pinned=true", user) == ["two", "one"]
    assert listed(lab, "", user) == ["three", "two", "one"]

    assert patch(lab, one, {"archived": True}, user).json["archived"] is True
    assert listed(lab, "", user) == ["three", "two"]
    assert listed(lab, "&archived=true", user) == ["one"]
    assert listed(lab, "&pinned=true", user) == ["two"]
    total = lab.get("/conversations?archived=true", user=user).json["totalCount"]
    assert total == 1
    # it can still be read, found and taken back, and is pinned again
    assert lab.get(f"/conversations/{one}", user=user).json["archived"] is True
    assert patch(lab, one, {"archived": False}, user).status == 200
    assert listed(lab, "&pinned=true", user) == ["two", "one"]
    assert patch(lab, two, {"pinned": False}, user).json["pinned"] is False
    assert listed(lab, "&pinned=true", user) == ["one"]
    assert three


def test_tags(lab):
    user = "olga-tags"
    one = make(lab, "one", user)
    make(lab, "two", user)
    said = patch(lab, one, {"tags": [" Budget ", "2027", "Budget", 'a"b\\']}, user)
    assert said.json["tags"] == ["Budget", "2027", 'a"b\\']
    assert listed(lab, "&tag=Budget", user) == ["one"]
    assert listed(lab, '&tag=a%22b%5C', user) == ["one"]
    assert listed(lab, "&tag=budge", user) == []
    assert listed(lab, "&tag=%25", user) == []
    assert lab.get("/conversations?tag=2027", user=user).json["totalCount"] == 1
    for tags in (["x" * 41], ["a\nb"], [7], "x", ["t"] * 21):
        wrong = patch(lab, one, {"tags": tags}, user)
        assert wrong.status == 422 and wrong.json["field"].startswith("tags"), tags
    assert patch(lab, one, {"tags": None}, user).json["tags"] == []


def test_folders(lab):
    top = folder(lab, "Work")
    inner = folder(lab, "2027", top)
    names = [f["name"] for f in lab.get("/conversation-folders", user="olga").json["items"]]
    assert names == ["2027", "Work"]
    # nested once, and not in circles
    other = folder(lab, "Other")
    for id, parent in ((None, inner), (top, other), (other, other), (None, str(uuid.uuid4()))):
        body = {"name": "x", "parentId": parent}
        answer = (lab.call("PATCH", f"/conversation-folders/{id}", body, user="olga") if id
                  else lab.post("/conversation-folders", body, user="olga"))
        assert answer.status == 422 and answer.json["field"] == "parentId", answer

    one = make(lab, "in a folder")
    assert patch(lab, one, {"folderId": inner}).json["folderId"] == inner
    assert listed(lab, f"&folderId={inner}") == ["in a folder"]
    assert listed(lab, f"&folderId={top}") == []

    # archived ones are in no list of a folder; deleting it deletes nothing else
    assert patch(lab, one, {"archived": True}).status == 200
    assert listed(lab, f"&folderId={inner}") == []
    assert lab.call("DELETE", f"/conversation-folders/{top}", user="olga").status == 204
    assert lab.get(f"/conversation-folders/{inner}", user="olga").json["parentId"] is None
    assert lab.get(f"/conversations/{one}", user="olga").json["folderId"] == inner
    assert lab.call("DELETE", f"/conversation-folders/{inner}", user="olga").status == 204
    now = lab.get(f"/conversations/{one}", user="olga").json
    assert now["folderId"] is None and now["archived"] is True


def test_those_of_others(lab):
    mine, theirs = folder(lab, "mine"), folder(lab, "theirs", user="eve")
    one = make(lab, "one")
    wrong = patch(lab, one, {"folderId": theirs})
    assert wrong.status == 422 and wrong.json["field"] == "folderId"
    assert lab.get(f"/conversations/{one}", user="olga").json["folderId"] is None
    for body in ({"pinned": True}, {"archived": True}, {"tags": ["x"]}, {"folderId": mine}):
        assert patch(lab, one, body, "eve").status in (404, 422)
    now = lab.get(f"/conversations/{one}", user="olga").json
    assert (now["pinned"], now["archived"], now["tags"]) == (False, False, [])
    assert listed(lab, f"&folderId={mine}", "eve") == []
    assert lab.post("/conversation-folders", {"name": "x", "parentId": theirs},
                    user="olga").status == 422
    assert lab.call("DELETE", f"/conversation-folders/{mine}", user="eve").status == 404


def test_versions_and_bad_queries(lab):
    one = make(lab, "one")
    tag = lab.get(f"/conversations/{one}", user="olga").headers["ETag"]
    assert patch(lab, one, {"pinned": True}, headers={"If-Match": tag}).status == 200
    assert patch(lab, one, {"pinned": False}, headers={"If-Match": tag}).status == 412
    for query in ("pinned=1", "archived=yes", "folderId=x", "pinned=true&tag=x"):
        wrong = lab.get(f"/conversations?{query}", user="olga")
        assert wrong.status == 422, query
