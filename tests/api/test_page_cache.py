# SPDX-License-Identifier: MIT
"""The newest page of a thread is kept as it was written (fcgi-app/page_cache.h):
nobody may ever see an old one, or somebody else's."""


def page(lab, conversation, user="ada", size=None):
    query = f"?pageSize={size}" if size else ""
    answer = lab.get(f"/conversations/{conversation}/messages{query}", user=user)
    return [m["content"] for m in answer.json["items"]] \
        if answer.status == 200 else answer.status


def talk(lab, text, conversation=None):
    events = lab.chat({"text": text}, **({"conversationId": conversation}
                                         if conversation else {}))
    return events[0].data["conversationId"]


def test_every_change_is_seen(lab):
    c = talk(lab, "one")
    first = page(lab, c)
    assert first[0] == "one" and len(first) == 2
    assert page(lab, c) == first
    talk(lab, "two", c)
    assert page(lab, c)[0] == "two" and len(page(lab, c)) == 4
    assert page(lab, c, size=1) == ["two"] == page(lab, c, size=1)
    assert len(page(lab, c)) == 4
    stream = lab.stream(f"/conversations/{c}/regenerate", {}, user="ada")
    assert stream.status == 200
    stream.events()
    items = lab.get(f"/conversations/{c}/messages", user="ada").json["items"]
    assert len(items) == 4 and items[0]["variantIndex"] == 2
    last_user = next(m for m in items if m["role"] == "user")
    stream = lab.stream(f"/conversations/{c}/edit",
                        {"messageId": last_user["messageId"],
                         "content": "!script {\"text\":\"three\"}"}, user="ada")
    assert stream.status == 200
    stream.events()
    assert page(lab, c)[0] == "three" and len(page(lab, c)) == 4


def test_a_running_turn_is_seen(lab):
    c = talk(lab, "one")
    page(lab, c)
    with_turn = lab.stream("/chat/lab/stream", {
        "content": "!script {\"tokens\":200,\"rate\":100}",
        "conversationId": c}, user="ada")
    next(iter(with_turn))
    assert len(page(lab, c)) == 3
    with_turn.events()
    assert len(page(lab, c)) == 4


def test_a_copy_is_nobody_elses(lab):
    c = talk(lab, "mine")
    assert page(lab, c) == page(lab, c)
    assert page(lab, c, user="bob") == 404
    assert page(lab, c)[0] == "mine"


def test_another_process_changes_the_thread(lab):
    c = talk(lab, "one")
    page(lab, c)
    key = f"UNHEX('{c.replace('-', '')}')"
    lab.sql(f"START TRANSACTION; UPDATE message SET content = 'changed'"
            f" WHERE conversation_id = {key} AND seq = 2;"
            f" UPDATE conversation SET version = version + 1 WHERE id = {key};"
            " COMMIT")
    assert page(lab, c)[0] == "changed"


def test_deleted_and_made_again_under_the_same_id(lab):
    body = {"id": "one-thread", "messages": [
        {"id": "m1", "role": "user",
         "parts": [{"type": "text", "text": "!script {\"text\":\"old\"}"}]}]}

    def ask(text):
        body["messages"][0]["parts"][0]["text"] = \
            "!script {\"text\":\"%s\"}" % text
        stream = lab.stream("/ai-sdk/lab", body, user="ada")
        assert stream.status == 200, stream.response.read()
        stream.events()
        rows = lab.get("/conversations", user="ada").json["items"]
        return rows[0].get("conversationId") or rows[0]["id"]

    c = ask("old")
    assert page(lab, c)[0] == "old" == page(lab, c)[0]
    assert lab.call("DELETE", f"/conversations/{c}", user="ada").status == 204
    assert page(lab, c) == 404
    assert ask("new") == c
    assert page(lab, c)[0] == "new"
