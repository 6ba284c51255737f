# SPDX-License-Identifier: MIT
"""Mentions with @: what is found, what a model is told, what is stored, and that
nobody sees by them what they could not see otherwise (docs/mentions.md)."""

import json
import re

import pytest

from lab import Lab, wait_until


def find(lab, q="", user="ada", groups=(), **more):
    query = "&".join(f"{k}={v}" for k, v in
                     {"workspaceId": "lab", "q": q, **more}.items())
    answer = lab.get("/mentions?" + query, user=user, groups=groups)
    assert answer.status == 200, answer
    return answer.json


def refs(found):
    return [item["ref"] for item in found["items"]]


def known(lab, login):
    """A user who has been here, which is noted behind an answer."""
    lab.chat("hello", user=login)
    wait_until("the user is noted", lambda: lab.sql(
        f"SELECT 1 FROM user WHERE login = '{login}'"))


def system_of(lab):
    """What the model was told of mentions, of its last request."""
    text = "".join(m["content"] for m in lab.sent()[-1]["messages"]
                   if m["role"] == "system")
    part = re.search(r'source="mentions"\]\n(.*?)\n\[/UNTRUSTED', text, re.S)
    return part.group(1) if part else None


def refused(lab, mentions, user="ada", **more):
    answer = lab.post("/chat/lab/stream", {"content": "x", "mentions": mentions,
                                           **more}, user=user)
    assert answer.status == 422, answer
    assert answer.json["field"] == "mentions", answer
    return answer.json["detail"]


# -- finding ---------------------------------------------------------------------


def test_records_by_key_and_by_words(lab):
    found = find(lab, "17", dataset="tickets")
    assert found["items"][0] == {
        "ref": "record:tickets/17", "type": "record", "handle": "tickets/17",
        "label": "Ticket 17", "description": "closed", "source": "tickets",
        "href": "/tickets/17?by=ada"}
    assert "record:tickets/170" in refs(found)
    assert refs(find(lab, "et%20399%20Tick", dataset="tickets")) == [
        "record:tickets/399"]
    assert refs(find(lab, dataset="tickets", pageSize=2)) == [
        "record:tickets/400", "record:tickets/399"]
    assert find(lab, dataset="tickets", pageSize=2)["more"]
    assert find(lab, "%25", dataset="tickets") == {"items": [], "more": False}


def test_words_find_what_is_current_first(lab):
    """The newest, not the first by name: "projector" means the one that is broken now."""
    assert refs(find(lab, "Ticket", dataset="tickets", pageSize=2)) == [
        "record:tickets/400", "record:tickets/399"]
    # Beginnings are looked up as in a list of names.
    assert refs(find(lab, "Ticket", dataset="mine", pageSize=2)) == [
        "record:mine/1", "record:mine/101"]


def test_each_source_has_a_share(lab):
    known(lab, "Tim")
    found = find(lab, "Ti", user="Tim")
    types = [item["type"] for item in found["items"]]
    assert types == sorted(types, key=["record", "person", "dataset"].index)
    assert set(types) == {"record", "person", "dataset"}
    assert "dataset:tickets" in refs(found) and "person:Tim" in refs(found)
    # Without a letter nobody lists the people.
    assert "person" not in {i["type"] for i in find(lab, user="Tim")["items"]}
    assert len(find(lab, "Ti", pageSize=3)["items"]) == 3


def test_only_what_the_caller_may_see(lab):
    assert "record:mine/2" not in refs(find(lab, "2", dataset="mine"))
    assert "record:mine/2" in refs(find(lab, "2", "bob", dataset="mine"))
    # The label is a column of finance.
    assert refs(find(lab, "4", dataset="costs")) == []
    assert "record:costs/4" in refs(find(lab, "4", dataset="costs",
                                         groups=["finance"]))
    assert lab.get("/mentions?workspaceId=staff&q=x", user="ada").status == 404


@pytest.mark.parametrize("query, field", [
    ("q=" + "x" * 101, "q"), ("pageSize=0", "pageSize"), ("qq=1", "qq"),
    ("pageSize=x", "pageSize")])
def test_a_bad_query_is_named(lab, query, field):
    answer = lab.get("/mentions?" + query, user="ada")
    assert answer.status in (400, 422) and answer.json["field"] == field, answer


# -- in a message ----------------------------------------------------------------


def test_a_message_with_mentions(lab):
    events = lab.chat("What about @tickets/17?",
                      mentions=["record:tickets/17", "dataset:tickets"])
    message = events[0].data
    assert events[-1].name == "done"
    assert [(m["ref"], m["label"], m["href"]) for m in
            message["metadata"]["mentions"]] == [
        ("record:tickets/17", "Ticket 17", "/tickets/17?by=ada"),
        ("dataset:tickets", "tickets", None)]
    told = system_of(lab)
    assert "@tickets/17 (record of the dataset tickets):" in told
    assert '"title":"Ticket 17"' in told and '"owner":"ada"' in told
    stored = lab.get(f"/conversations/{message['conversationId']}/messages",
                     user="ada").json["items"][-1]
    assert stored["metadata"] == message["metadata"]
    # It is looked up again when the message is answered again.
    lab.sql("UPDATE ticket SET title = 'Now other' WHERE id = 17")
    try:
        lab.stream(f"/conversations/{message['conversationId']}/regenerate", {},
                   user="ada").events()
        assert '"title":"Now other"' in system_of(lab)
        lab.sql("UPDATE ticket SET id = 1017 WHERE id = 17")
        lab.stream(f"/conversations/{message['conversationId']}/regenerate", {},
                   user="ada").events()
        assert "@tickets/17 (is not there, or the user may not see it)" in \
            system_of(lab)
    finally:
        lab.sql("UPDATE ticket SET id = 17, title = 'Ticket 17'"
                " WHERE id IN (17, 1017)")
    # The next message mentions nothing.
    lab.chat("And now?", conversationId=message["conversationId"])
    assert system_of(lab) is None


def test_a_message_that_is_edited_mentions_what_it_says(lab):
    first = lab.chat("x", mentions=["record:tickets/3"])[0].data
    events = lab.stream(f"/conversations/{first['conversationId']}/edit",
                        {"messageId": first["messageId"], "content": "y", "mentions": ["record:tickets/5"]},
                        user="ada").events()
    assert [m["ref"] for m in events[0].data["metadata"]["mentions"]] == [
        "record:tickets/5"]
    assert "Ticket 5" in system_of(lab)


def test_a_person(lab):
    known(lab, "p%rson")
    lab.chat("x", mentions=["person:p%25rson"])
    assert '"login":"p%rson"' in system_of(lab)


def test_other_dialects_mention_too(lab):
    lab.stream("/ag-ui/lab", {
        "threadId": "t", "runId": "r", "state": {}, "tools": [], "context": [],
        "messages": [{"id": "1", "role": "user", "content": "hi"}],
        "forwardedProps": {"mentions": ["record:tickets/8"]}}, user="ada").events()
    assert "Ticket 8" in system_of(lab)
    lab.stream("/ai-sdk/lab", {
        "id": "c", "trigger": "submit-message", "messages": [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": "x"}]}],
        "mentions": ["record:tickets/9"]}, user="ada").events()
    assert "Ticket 9" in system_of(lab)


def test_what_is_not_there_is_refused_alike(lab):
    gone = "It does not exist, or you may not see it."
    for ref in ("record:mine/2", "record:mine/9999", "record:mine/x",
                "record:costs/4", "record:nosuch/1", "record:tickets/1/2",
                "record:tickets", "record:tickets/", "person:nobody",
                "dataset:nosuch", "record:tickets/%00", "record:tickets/%zz"):
        assert refused(lab, ["record:tickets/1", ref]) == f"mentions[1]: {gone}"
    assert lab.chat("x", mentions=["record:mine/1"])[-1].name == "done"


@pytest.mark.parametrize("mentions, says", [
    (["nosuch:1"], "mentions[0]: This is not a reference of GET /mentions."),
    (["record:a b/1"], "mentions[0]: This is not"),
    (["record:tickets/" + "1" * 300], "mentions[0]: This is not"),
    (["person:a\nb"], "mentions[0]: This is not"),
    (["record:tickets/1"] * 11, "mentions may have at most 10 items."),
    ([1], "mentions must be a list of strings."),
    ("record:tickets/1", "mentions must be a list of strings."),
    ({"a": 1}, "mentions must be a list of strings.")])
def test_bad_mentions_are_named(lab, mentions, says):
    assert refused(lab, mentions).startswith(says)


def test_the_same_request_twice_is_one_message(lab):
    key = {"Idempotency-Key": "mention-once"}
    body = {"content": "x", "mentions": ["record:tickets/21"]}
    first = lab.stream("/chat/lab/stream", body, user="ada", headers=key).events()
    lab.sql("UPDATE ticket SET title = 'Renamed' WHERE id = 21")
    again = lab.stream("/chat/lab/stream", body, user="ada", headers=key).events()
    lab.sql("UPDATE ticket SET title = 'Ticket 21' WHERE id = 21")
    assert again[0].data["messageId"] == first[0].data["messageId"]
    other = lab.post("/chat/lab/stream",
                     {**body, "mentions": ["record:tickets/22"]}, user="ada",
                     headers=key)
    assert other.status == 422 and other.json["field"] == "Idempotency-Key"


# -- what an admin wrote ---------------------------------------------------------


COLUMNS = {"id": {}, "title": {}}
DATASET = {"table": "t", "columns": COLUMNS}


@pytest.mark.parametrize("dataset, says", [
    ({"mention": {"label": "titel", "key": ["id"]}},
     'unknown column "titel"; did you mean "title"?'),
    ({"mention": {"label": "title", "key": ["ids"]}},
     'unknown column "ids"; did you mean "id"?'),
    ({"mention": {"label": "title", "key": ["id"], "link": "/t/{idd}"}},
     'unknown column "idd"; did you mean "id"?'),
    ({"mention": {"label": "title"}}, "mention needs key"),
    ({"mention": {"key": ["id"]}}, '"label" is missing'),
    ({"mention": {"label": "title", "keys": ["id"]}},
     'unknown key "keys"; did you mean "key"?'),
    ({"mention": {"label": "title", "key": ["id"], "link": "javascript:x"}},
     "must be a path from / or start with http:// or https://"),
    ({"mention": {"label": "title", "key": ["id"], "match": "all"}}, "match"),
    ({"mention": "title"}, "must be a map")])
def test_a_wrong_declaration_names_its_place(tmp_path, dataset, says):
    lab = Lab(web=False, workspaces={"w": {
        "workspace": "w", "datasets": {"t": {**DATASET, **dataset}}}})
    lab.model_port = 1
    lab.write_config()
    out = lab.command("check", check=False)
    text = out.stdout + out.stderr
    assert out.returncode and says in text, text
    assert re.search(r"workspaces\.d/w\.yaml:\d+:\d+: ", text), text
