# SPDX-License-Identifier: MIT
"""Search over one's own conversations (U28): what is found and where, that a change of
a thread or a title is a change of what is found, and that nothing stays of what was
deleted."""

import json
import urllib.parse
import uuid

import pytest

from described import check
from lab import wait_until

INDEX = ("search_document", "search_chunk", "search_post")


@pytest.fixture
def who():
    """A user of this test alone."""
    return "s" + uuid.uuid4().hex[:12]


def search(lab, user, q, status=200, **more):
    answer = lab.get("/conversations/search?" + urllib.parse.urlencode({"q": q, **more}),
                     user=user)
    assert answer.status == status, answer
    check("/conversations/search", "GET", answer)
    return answer.json


def found(lab, user, q, **more):
    return search(lab, user, q, **more)["items"]


def said(lab, user, text, answer="ok", **more):
    """A turn whose question has the text; its conversation."""
    script = "!script " + json.dumps({"text": answer}) + "\n" + text
    return lab.chat(script, user=user, **more)[0].data["conversationId"]


def indexed(lab, user):
    """As a user has it who searches at once: the search asks for what is missing."""
    def done():
        found(lab, user, "x")
        return not lab.sql("SELECT 1 FROM conversation c JOIN user u ON u.id = c.user_id"
                           f" WHERE u.login = '{user}' AND c.unindexed = 1")
    wait_until("all is indexed", done)


def marked(item):
    chars = list(item["snippet"]["text"])
    return ["".join(chars[m["start"]:m["start"] + m["length"]])
            for m in item["snippet"]["marks"]]


def key(conversation):
    return f"UNHEX('{conversation.replace('-', '')}')"


def test_what_was_said_is_found(lab, who):
    one = said(lab, who, "Tell me about 🦩 Flämingos in the Camargue. " + "Filler. " * 80)
    said(lab, who, "Nothing of it.", answer="An answer about the camargue and its salt.")
    other = said(lab, who + "x", "The Camargue of somebody else.")
    indexed(lab, who)
    items = found(lab, who, "flamingos camargue")
    assert len(items) == 2 and items[0]["conversationId"] == one
    assert items[0]["messageId"].startswith(one + ".")
    assert marked(items[0]) == ["Flämingos", "Camargue"]
    assert items[0]["snippet"]["text"].endswith("…")
    assert len(items[0]["snippet"]["text"]) <= 202
    assert marked(items[1]) == ["camargue"] and not found(lab, who, "flamingo-free")
    indexed(lab, who + "x")
    assert [i["conversationId"] for i in found(lab, who + "x", "camargue")] == [other]
    message = lab.get(f"/conversations/{one}/messages", user=who).json["items"]
    assert items[0]["messageId"] in [m["messageId"] for m in message]


def test_a_search_says_that_it_is_not_complete(lab, who):
    """A message of a minute ago was not found, and nothing said that it would be."""
    said(lab, who, "The ibis wades.")
    assert search(lab, who, "ibis")["pending"]
    wait_until("it is indexed", lambda: not search(lab, who, "ibis")["pending"])
    assert len(found(lab, who, "ibis")) == 1


def test_a_phrase_and_a_filter(lab, who):
    one = said(lab, who, "The blue whale sings.")
    two = said(lab, who, "A whale that is blue.")
    indexed(lab, who)
    assert {i["conversationId"] for i in found(lab, who, "blue whale")} == {one, two}
    assert [i["conversationId"] for i in found(lab, who, '"blue whale"')] == [one]
    lab.sql(f"UPDATE conversation SET created_us = 1000000, updated_us = 86400000000"
            f" WHERE id = {key(one)}")
    for more, want in (({"to": "1970-01-01"}, [one]), ({"to": "1970-01-01T00:00:00Z"}, []),
                       ({"from": "1970-01-02", "to": "1971-01-01"}, [one]),
                       ({"from": "1971-01-01T00:00:00Z"}, [two]),
                       ({"agentId": "nobody"}, []), ({"workspaceId": "other"}, [])):
        items = found(lab, who, "whale", **more)
        assert [i["conversationId"] for i in items] == want, more
    agent = found(lab, who, "whale")[0]["agentId"]
    assert len(found(lab, who, "whale", agentId=agent, workspaceId="lab")) == 2


def test_pages(lab, who):
    for i in range(5):
        lab.post("/conversations", {"workspaceId": "lab", "title": f"Osprey {i}"}, user=who)
    said(lab, who, "Unrelated.")
    indexed(lab, who)
    seen, cursor = [], {}
    for _ in range(3):
        page = search(lab, who, "osprey", pageSize=2, **cursor)
        seen += [i["title"] for i in page["items"]]
        cursor = {"cursor": page["nextCursor"]}
    assert sorted(seen) == [f"Osprey {i}" for i in range(5)] and page["nextCursor"] is None
    item = found(lab, who, "osprey")[0]
    assert item["messageId"] is None and marked(item) == ["Osprey"]


def test_changes_of_a_thread_are_changes_of_what_is_found(lab, who):
    talk = said(lab, who, "About quokkas.", answer="Quokkas smile.")
    indexed(lab, who)
    assert found(lab, who, "quokkas")
    # Behind what is there.
    said(lab, who, "And numbats?", conversationId=talk)
    indexed(lab, who)
    assert [i["conversationId"] for i in found(lab, who, "numbats")] == [talk]
    assert found(lab, who, "quokkas smile")
    # Another title.
    assert lab.call("PATCH", f"/conversations/{talk}", {"title": "Marsupials"},
                    user=who).status == 200
    wait_until("the title is found", lambda: found(lab, who, "marsupials"))
    assert found(lab, who, "quokkas smile")
    # What was superseded is not found any more.
    last = lab.get(f"/conversations/{talk}/messages", user=who).json["items"]
    asked = [m["messageId"] for m in last if "numbats" in m["content"]][0]
    stream = lab.stream(f"/conversations/{talk}/edit", {
        "messageId": asked, "content": "And bilbies?"}, user=who)
    assert stream.status == 200
    stream.events()
    indexed(lab, who)
    wait_until("the new one is found", lambda: found(lab, who, "bilbies"))
    assert not found(lab, who, "numbats") and found(lab, who, "quokkas")


def test_a_fork_is_found_with_what_it_copied(lab, who):
    talk = said(lab, who, "Of tapirs.")
    last = lab.get(f"/conversations/{talk}/messages", user=who).json["items"][0]
    answer = lab.post(f"/conversations/{talk}/fork", {"messageId": last["messageId"]},
                      user=who)
    assert answer.status == 201, answer
    fork = answer.json["conversationId"]
    said(lab, who, "On.", conversationId=fork)
    indexed(lab, who)
    assert {i["conversationId"] for i in found(lab, who, "tapirs")} == {talk, fork}


def test_nothing_is_left_of_a_deleted_conversation(lab, who):
    talk = said(lab, who, "The secret of axolotls.")
    said(lab, who, "Axolotls stay.")
    indexed(lab, who)
    rows = {t: f"SELECT COUNT(*) FROM {t} WHERE base_id = (SELECT id FROM user"
               f" WHERE login = '{who}')" for t in INDEX}
    before = {t: int(lab.sql(q)[0][0]) for t, q in rows.items()}
    assert lab.call("DELETE", f"/conversations/{talk}", user=who).status == 204
    assert [marked(i) for i in found(lab, who, "axolotls")] == [["Axolotls"]]
    wait_until("its rows are gone", lambda: lab.sql(
        f"SELECT COUNT(*) FROM search_document WHERE document_id = {key(talk)}") == [["0"]])
    after = {t: int(lab.sql(q)[0][0]) for t, q in rows.items()}
    assert all(0 < after[t] < before[t] for t in INDEX), (before, after)
    assert lab.sql("SELECT COUNT(*) FROM search_chunk WHERE text LIKE"
                   " '%secret of axolotls%'") == [["0"]]
    # An id that is used again has nothing of what it had.
    lab.post("/conversations", {"workspaceId": "lab", "conversationId": talk}, user=who)
    assert len(found(lab, who, "axolotls")) == 1


def test_what_was_there_before_the_index(lab, who):
    talk = said(lab, who, "Of pangolins.")
    indexed(lab, who)
    lab.sql("DELETE FROM search_document WHERE base_id = (SELECT id FROM user WHERE"
            f" login = '{who}'); UPDATE conversation SET unindexed = 1, indexed = 0"
            f" WHERE id = {key(talk)}")
    lab.command("work")
    assert lab.sql(f"SELECT unindexed FROM conversation WHERE id = {key(talk)}") == [["NULL"]]
    assert [i["conversationId"] for i in found(lab, who, "pangolins")] == [talk]


def test_what_changes_while_it_is_indexed_waits(lab, who):
    """A run takes what was there when it began: it does not follow each turn."""
    later = said(lab, who, "Of wolverines, later.")
    hour = "3600 * 1000000"
    lab.sql(f"UPDATE conversation SET updated_us = updated_us + {hour} WHERE id = {key(later)}")
    now = said(lab, who, "Of wolverines, now.")
    wait_until("one is found", lambda: found(lab, who, "wolverines"))
    assert [i["conversationId"] for i in found(lab, who, "wolverines")] == [now]
    lab.sql(f"UPDATE conversation SET updated_us = updated_us - {hour} WHERE id = {key(later)}")
    indexed(lab, who)
    assert {i["conversationId"] for i in found(lab, who, "wolverines")} == {later, now}


@pytest.mark.parametrize("query, field", [
    ("q=", "q"), ("q=%20", "q"), ("", "q"), ("q=" + "x" * 2001, "q"),
    ("q=x&from=yesterday", "from"), ("q=x&to=2026-13-01", "to"),
    ("q=x&agentId=A%20B", "agentId"), ("q=x&workspaceId=..", "workspaceId"),
    ("q=x&pageSize=0", "pageSize"), ("q=x&limit=1", "limit")])
def test_a_bad_query_is_named(lab, query, field):
    answer = lab.get("/conversations/search?" + query, user="ada")
    assert answer.status in (400, 422) and answer.json["field"] == field, answer


def test_a_cursor_of_another_list_is_refused(lab):
    for cursor in ("e30", "eyJuIjoyMDF9", "eyJuIjotMX0"):
        assert lab.get(f"/conversations/search?q=x&cursor={cursor}",
                       user="ada").status == 400


def test_somebody_new_finds_nothing(lab, who):
    assert search(lab, who, "anything") == {"items": [], "nextCursor": None, "pending": False}


def test_the_plain_page_shows_what_messages_say(lab, who):
    talk = said(lab, who, "A <b>wombat</b> & its burrow.")
    indexed(lab, who)
    answer = lab.get(f"/{lab.base}/plain/?q=wombat", user=who)
    page = answer.body.decode()
    assert answer.status == 200 and "<h2>In messages</h2>" in page
    assert "A &lt;b&gt;<b>wombat</b>&lt;/b&gt; &amp; its burrow." in page
    seq = int(page.split(f"conversations/{talk}?before=")[1].split('"')[0])
    shown = lab.get(f"/{lab.base}/plain/conversations/{talk}?before={seq}", user=who)
    assert shown.status == 200 and b"burrow" in shown.body
    assert "In messages" not in lab.get(f"/{lab.base}/plain/?q=zzz",
                                        user=who).body.decode()
