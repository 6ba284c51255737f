# SPDX-License-Identifier: MIT
"""Conversations and messages as resources (A45-A54, B28-B33, E20)."""

import uuid

import pytest

from lab import decode_cursor, wait_until


def make(lab, user="ada", **fields):
    answer = lab.post("/conversations", {"workspaceId": "lab", **fields},
                      user=user)
    assert answer.status == 201, answer
    return answer.json


def test_record_fields(lab):
    c = make(lab, title="First")
    assert {"workspaceId", "agentId", "conversationId", "title",
            "knowledgeBaseIds", "createdAt", "updatedAt", "messageCount",
            "runningTurnId"} <= set(c)
    assert c["agentId"] == "helper"       # the default one
    assert c["knowledgeBaseIds"] == [] and c["runningTurnId"] is None and not c["waiting"]
    assert uuid.UUID(c["conversationId"]).version == 7


def test_created_answer_says_where(lab):
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada")
    assert answer.headers["Location"].endswith(answer.json["conversationId"])


def test_rename_and_delete(lab):
    c = make(lab, title="Old")
    path = f"/conversations/{c['conversationId']}"
    renamed = lab.call("PATCH", path, {"title": "Neu ✨"}, user="ada")
    assert renamed.status == 200 and renamed.json["title"] == "Neu ✨"
    assert lab.get(path, user="ada").json["title"] == "Neu ✨"
    gone = lab.call("DELETE", path, user="ada")
    assert gone.status == 204 and gone.body == b""
    assert lab.get(path, user="ada").status == 404
    assert lab.call("DELETE", path, user="ada").status == 404


def test_knowledge_bases_are_named_but_not_there(lab):
    """B29, B31: what a record has may be sent back; an id is an unknown one."""
    agent = "/workspaces/lab/agents/helper/conversations"
    c = lab.post(agent, {"title": "K", "knowledgeBaseIds": []}, user="ada")
    assert c.status == 201 and c.json["knowledgeBaseIds"] == []
    for form in "/conversations", agent:
        path = f"{form}/{c.json['conversationId']}"
        for ids in [], None:
            same = lab.call("PATCH", path, {"knowledgeBaseIds": ids}, user="ada")
            assert same.status == 200 and same.json["title"] == "K"
        for ids, detail in ((["kb"], 'There is no knowledge base "kb".'),
                            ("kb", "knowledgeBaseIds must be a list of strings."),
                            ([7], "knowledgeBaseIds must be a list of strings.")):
            for answer in (lab.call("PATCH", path, {"knowledgeBaseIds": ids}, user="ada"),
                           lab.post(agent, {"knowledgeBaseIds": ids}, user="ada")):
                assert answer.status == 422 and answer.json["field"] == "knowledgeBaseIds"
                assert answer.json["detail"] == detail


def test_delete_leaves_nothing(lab):
    """B48: counted in every table that knows the conversation."""
    events = lab.chat({"tool_calls": [{"name": "list_datasets", "args": {}}],
                       "then": {"text": "x"}})
    id = events[0].data["conversationId"]
    key, turn = id.replace("-", ""), events[0].data["turnId"].replace("-", "")
    assert lab.call("DELETE", f"/conversations/{id}", user="ada").status == 204
    for table, column, value in [("message", "conversation_id", key),
                                 ("turn", "id", turn),
                                 ("turn_event", "turn_id", turn),
                                 ("conversation", "id", key)]:
        wait_until(f"nothing is left in {table}", lambda: lab.sql(
            f"SELECT COUNT(*) FROM {table} WHERE {column} ="
            f" UNHEX('{value}')") == [["0"]])


def test_list_is_keyset_newest_first(make_lab):
    lab = make_lab()
    ids = [make(lab, title=f"c{n}")["conversationId"] for n in range(7)]
    seen, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"/conversations?pageSize=3{cursor}", user="ada").json
        assert len(page["items"]) <= 3
        seen += [c["conversationId"] for c in page["items"]]
        cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
    assert seen == ids[::-1]


def test_the_list_of_an_agent_is_by_creation(make_lab):
    """B28: neither a new name nor a message moves a conversation in it."""
    lab = make_lab()
    ids = [make(lab, title=f"c{n}")["conversationId"] for n in range(5)]
    agent = make(lab)["agentId"]
    make(lab, agentId="claude")
    lab.call("PATCH", f"/conversations/{ids[1]}", {"title": "c1 new"}, user="ada")
    lab.chat("hello", conversationId=ids[0])
    path = f"/workspaces/lab/agents/{agent}/conversations"
    seen, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"{path}?q=c&pageSize=2{cursor}", user="ada").json
        seen += [c["conversationId"] for c in page["items"]]
        cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
    assert seen == ids[::-1]
    created = [c["createdAt"] for c in lab.get(path, user="ada").json["items"]]
    assert len(created) == 6 and created == sorted(created, reverse=True)
    other = lab.get("/conversations?pageSize=2", user="ada").json
    assert [c["conversationId"] for c in other["items"]][0] == ids[0]
    # The cursor of one list is none of the other.
    assert lab.get(f"{path}?cursor={other['nextCursor']}", user="ada").status == 400


def test_title_search_takes_wildcards_literally(make_lab):
    lab = make_lab()
    for title in ("100% sure", "100 percent", "under_score", "underXscore",
                  "Größe"):
        make(lab, title=title)

    def found(q):
        page = lab.get(f"/conversations?q={q}", user="ada").json
        return sorted(c["title"] for c in page["items"])

    assert found("100%25") == ["100% sure"]
    assert found("r_s") == ["under_score"]
    assert found("gr%C3%B6sse") in ([], ["Größe"])
    assert found("GR%C3%96%C3%9FE") == ["Größe"]


def test_foreign_ids_look_like_unknown_ones(lab):
    """A49: the same status and body."""
    mine = make(lab)["conversationId"]
    unknown = str(uuid.uuid4())
    for method, tail, body in [("GET", "", None), ("GET", "/messages", None),
                               ("PATCH", "", {"title": "x"}),
                               ("DELETE", "", None)]:
        answers = [lab.call(method, f"/conversations/{id}{tail}", body,
                            user="bob") for id in (mine, unknown)]
        assert [a.status for a in answers] == [404, 404], (method, tail)
        bodies = [{**a.json, "requestId": ""} for a in answers]
        assert bodies[0] == bodies[1]
    answers = [lab.post("/chat/lab/stream", {"content": "x",
                                             "conversationId": id}, user="bob")
               for id in (mine, unknown)]
    assert [a.status for a in answers] == [404, 404]


def test_conversation_of_another_agent_is_404(lab, conversation):
    """B36."""
    path = f"/workspaces/lab/agents/claude/conversations/{conversation}"
    assert lab.get(path, user="ada").status == 404
    assert lab.post(f"{path}/messages", {"content": "x"},
                    user="ada").status == 404


def test_agent_scoped_crud(lab):
    base = "/workspaces/lab/agents/helper/conversations"
    own = "0192f000-0000-7000-8000-" + uuid.uuid4().hex[:12]
    made = lab.post(base, {"conversationId": own, "title": "T"}, user="ada")
    assert made.status == 201 and made.json["conversationId"] == own
    assert lab.post(base, {"conversationId": own}, user="ada").status == 409
    assert lab.get(f"{base}/{own}", user="ada").json["title"] == "T"
    listed = lab.get(base, user="ada").json
    assert listed["items"][0]["conversationId"] == own
    assert lab.call("PATCH", f"{base}/{own}", {"title": "U"},
                    user="ada").json["title"] == "U"
    assert lab.call("DELETE", f"{base}/{own}", user="ada").status == 204
    assert lab.post("/workspaces/lab/agents/nobody/conversations", {},
                    user="ada").status == 404


@pytest.fixture(scope="module")
def long_thread(lab):
    events = lab.chat({"text": "answer 0"})
    id = events[0].data["conversationId"]
    for n in range(1, 35):
        lab.chat({"text": f"answer {n}"}, conversationId=id)
    return id


def pages(lab, path, size):
    out, cursor = [], ""
    while cursor is not None:
        answer = lab.get(f"{path}?pageSize={size}{cursor}", user="ada")
        assert answer.status == 200, answer
        out.append([m["content"] for m in answer.json["items"]])
        cursor = answer.json["nextCursor"]
        cursor = cursor and f"&cursor={cursor}"
    return out


def test_newest_first_pages(lab, long_thread):
    """A45-A48."""
    got = pages(lab, f"/conversations/{long_thread}/messages", 30)
    assert [len(p) for p in got] == [30, 30, 10]
    flat = sum(got, [])
    assert flat[0] == "answer 34" and flat[-2] == "answer 0"


def test_oldest_first_pages(lab, long_thread):
    """B33."""
    got = pages(lab, "/workspaces/lab/agents/helper/conversations/"
                f"{long_thread}/messages", 30)
    assert [len(p) for p in got] == [30, 30, 10]
    assert sum(got, [])[1] == "answer 0" and got[-1][-1] == "answer 34"


AGENT = {"workspaceId", "agentId", "name", "description", "systemPrompt",
         "userPrompt", "toolIds", "llmServiceId", "ragEnabled",
         "knowledgeBaseIds", "ragMaxResults", "ragMinScore", "rerankEnabled",
         "rerankingServiceId", "rerankMaxResults", "createdAt", "updatedAt"}


def test_an_agents_record_has_every_field(lab):
    """B12: null where it is not set; llmServiceId is the agent's own."""
    path = "/workspaces/lab/agents"
    agents = {i["agentId"]: i for i in lab.get(path, user="ada").json["items"]}
    for id, agent in agents.items():
        assert AGENT <= set(agent), id
        assert agent == lab.get(f"{path}/{id}", user="ada").json
    helper, claude = agents["helper"], agents["claude"]
    assert helper["llmServiceId"] is None
    assert helper["resolvedLlmServiceId"] == "demo"
    assert claude["llmServiceId"] == claude["resolvedLlmServiceId"] == "claude"
    for field in ("userPrompt", "ragMaxResults", "ragMinScore",
                  "rerankingServiceId", "rerankMaxResults"):
        assert claude[field] is None
    assert None in [agent["systemPrompt"] for agent in agents.values()]


@pytest.mark.parametrize("path,key,want", [
    ("/workspaces/lab/agents", "agentId",
     ["helper", "plain", "claude", "llama", "short"]),
    ("/workspaces", "workspaceId", ["lab", "staff"]),
])
def test_lists_of_the_configuration_are_paged(lab, path, key, want):
    seen, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"{path}?pageSize=2{cursor}", user="ada",
                       groups=["staff"]).json
        assert len(page["items"]) <= 2 and page["totalCount"] == len(want)
        seen += [i[key] for i in page["items"]]
        cursor = page["nextCursor"] and "&cursor=" + page["nextCursor"]
    assert seen == want
    assert lab.get(f"{path}?cursor=e30", user="ada").status == 400


def test_page_size_default_and_clamp(lab, long_thread):
    """A47."""
    path = f"/conversations/{long_thread}/messages"
    assert len(lab.get(path, user="ada").json["items"]) == 30
    assert len(lab.get(f"{path}?pageSize=500", user="ada").json["items"]) == 70


def test_cursor_is_base64url_json(lab, long_thread):
    """A51."""
    page = lab.get(f"/conversations/{long_thread}/messages", user="ada").json
    assert "id" in decode_cursor(page["nextCursor"])


@pytest.mark.parametrize("cursor", ["x", "bm9wZQ", "e30", "eyJpZCI6Ii0xIn0",
                                    "A" * 2000, "eyJpZCI6e319"])
def test_bad_cursor(lab, long_thread, cursor):
    answer = lab.get(f"/conversations/{long_thread}/messages?cursor={cursor}",
                     user="ada")
    assert answer.status == 400 and answer.json["code"] == "invalid_cursor"


@pytest.mark.parametrize("path", ["/conversations/{}/messages",
                                  "/workspaces/lab/agents/helper/conversations/{}/messages"])
def test_only_steps_can_be_included(lab, long_thread, path):
    """Rows of a thread (A51)."""
    path = path.format(long_thread)
    answer = lab.get(f"{path}?include=tools", user="ada")
    assert answer.status == 422 and answer.json["field"] == "include", answer
    for query in ("", "?include=", "?include=steps"):
        assert lab.get(path + query, user="ada").status == 200


@pytest.mark.parametrize("size", ["0", "-1", "x", "1e3", "99999999999999999999"])
def test_bad_page_size(lab, long_thread, size):
    answer = lab.get(f"/conversations/{long_thread}/messages?pageSize={size}",
                     user="ada")
    assert answer.status == 422 and answer.json["field"] == "pageSize"


def test_activity_moves_a_conversation_up(lab):
    first = make(lab)["conversationId"]
    make(lab)
    lab.chat({"text": "x"}, conversationId=first)
    top = lab.get("/conversations?pageSize=1", user="ada").json["items"][0]
    assert top["conversationId"] == first and top["messageCount"] == 2
