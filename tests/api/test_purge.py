# SPDX-License-Identifier: MIT
"""Every table of the schema has a row in lib/resource/resource.def, and what is
deleted is gone from all of them. And an export that nothing escapes."""

import json
import os
import re
import subprocess
import uuid

from embedders import peer  # noqa: F401: a fixture
from knowledge import base_of, embedded, write
from lab import COMMAND, wait_until
from samples import pdf
from tables import columns, fill, rows_of

def test_every_table_is_declared(lab):
    declared = {table for _, _, table, _ in rows_of(lab)}
    assert declared == {row[0] for row in columns(lab)} - {
        "ticket"}     # the lab's own


def test_every_reference_is_declared(lab):
    """A column whose comment begins with the id of what others belong to: its rows go
    with that, or lose the reference, or expire."""
    kinds = {}
    for kind, _, table, what in rows_of(lab):
        kinds.setdefault(table, []).append((kind, what))
    seen = 0
    for table, column, _, comment, _ in columns(lab):
        if not re.match(r"(conversation|turn|prompt|prompt_category)\.id\b", comment):
            continue
        assert any(kind in ("part", "root", "keep") or kind == "link" and
                   f"{column} = NULL" in what
                   for kind, what in kinds[table]), (table, column)
        seen += 1
    assert seen > 12


def left(lab, kinds, ids):
    """Tables and columns that still hold one of the ids."""
    wanted = ", ".join(f"UNHEX('{i.hex}')" for i in ids)
    held = " UNION ALL ".join(
        f"SELECT '{table}.{name}' AS at, COUNT(*) AS n FROM `{table}`"
        f" WHERE `{name}` IN ({wanted})"
        for table, name, kind, _, _ in kinds if kind == "binary(16)")
    return {at: int(n) for at, n in lab.sql(held) if n != "0"}


def test_deleting_leaves_nothing_in_any_table(make_lab):
    lab = make_lab()
    kinds = columns(lab)
    conversation = lab.post("/conversations", {"workspaceId": "lab"},
                            user="ada").json["conversationId"]
    ids = {"conversation": uuid.UUID(conversation), "turn": uuid.uuid4()}
    of_these = {table for table, _, _, comment, _ in kinds
                if re.match(r"(conversation|turn)\.id\b", comment)}
    parts = {table for kind, of, table, _ in rows_of(lab)
             if kind in ("part", "link") and of in ("CONVERSATION", "TURN")
             or kind == "keep" and table in of_these} - {"conversation"}
    assert len(parts) > 8
    # The turn itself has its own id, not a reference to it.
    lab.sql("INSERT INTO turn (id, conversation_id, status, lease_until_us,"
            f" user_seq, started_us) VALUES (UNHEX('{ids['turn'].hex}'),"
            f" UNHEX('{ids['conversation'].hex}'), 3, 1, 1, 1)")
    for table in parts - {"turn"}:
        fill(lab, table, kinds, ids)
    # A fork names where it came from.
    fork = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json
    lab.sql("UPDATE conversation SET forked_from = UNHEX("
            f"'{ids['conversation'].hex}') WHERE id = UNHEX("
            f"'{fork['conversationId'].replace('-', '')}')")
    before = left(lab, kinds, ids.values())
    assert {at.split(".")[0] for at in before} == parts | {"conversation"}, before

    assert lab.call("DELETE", f"/conversations/{conversation}",
                    user="ada").status == 204
    # A notice has the id, not the title, until its hour is over.
    wait_until("nothing is left", lambda: {
        at.split(".")[0] for at in left(lab, kinds, ids.values())
    } <= {"notification"})
    assert lab.sql("SELECT COUNT(*) FROM usage_record") == [["1"]]
    assert lab.get(f"/conversations/{fork['conversationId']}",
                   user="ada").status == 200


# What stays on purpose: sums, notices and changes of an hour, events until theirs is over, users.
STAYS = {"metric", "metric_gauge", "resource_change", "notification", "notification_topic",
         "turn_journal", "usage_record", "user", "site_key", "web_process"}


def without_jobs(lab, *users):
    """The jobs of these users wait until the database is told otherwise."""
    for user in users:
        lab.sign_in(user)
        lab.sql("INSERT INTO job (kind, subject, tenant_id, user_id, taken, due_us, created_us)"
                f" SELECT 'of-a-newer-program', CONCAT('{user}', seq), 'default', id, 1,"
                " 8000000000000000, 1 FROM user, seq_1_to_2"
                f" WHERE login = '{user}'")


def test_what_users_list_is_hidden(lab):
    """Whatever of a conversation has a list of its own."""
    rows = rows_of(lab)
    listed = {table for kind, _, table, what in rows
              if kind == "resource" and what.startswith("USER ")}
    parts = {table for kind, root, table, _ in rows if (kind, root) == ("part", "CONVERSATION")}
    hidden = {table for kind, _, table, _ in rows if kind == "hidden"}
    assert listed & parts == hidden
    assert hidden >= {"conversation_share", "plan", "rating"}


def test_what_is_deleted_is_unreadable_before_its_job(make_lab):
    """Ratings with their text, plans and shares were listed until the job had run."""
    lab = make_lab(config={"roles": {
        "user": {"groups": ["*"], "permissions": ["AIChat.*"]},
        "quality": {"groups": ["quality"], "permissions": ["AI.Ratings.Read"]}}})
    said = lab.chat({"text": "A secret."}, user="ada")[-1].data
    id, turn = said["conversationId"], said["turnId"].replace("-", "")
    rating = lab.post("/ratings", {
        "conversationId": id, "messageId": said["messageId"], "value": "bad",
        "comment": "A secret.", "withText": True}, user="ada").json["id"]
    lab.sign_in("bob")
    assert lab.post("/conversation-shares", {"conversationId": id, "user": "bob"},
                    user="ada").status == 201
    lab.sql("INSERT INTO plan (id, tenant_id, user_id, version, created_us, updated_us,"
            " conversation_id, turn_id, call_id, goal, status, plan, progress) SELECT t.id,"
            " c.tenant_id, c.user_id, 1, 1, 1, c.id, t.id, 'c', 'A secret.', 'running', '{}',"
            " '[]' FROM turn t JOIN conversation c ON c.id = t.conversation_id"
            f" WHERE t.id = UNHEX('{turn}')")
    lists = [("/ratings", "ada", []), ("/plans", "ada", []),
             ("/conversation-shares", "ada", []), ("/rated-answers", "zoe", ["quality"])]
    for path, user, groups in lists:
        assert lab.get(path, user=user, groups=groups).json["totalCount"] == 1, path
    assert len(lab.get("/shared-conversations", user="bob").json["items"]) == 1
    without_jobs(lab, "ada")
    assert lab.call("DELETE", f"/conversations/{id}", user="ada").status == 204
    assert lab.sql("SELECT COUNT(*) FROM rating") == [["1"]]       # the job has not run
    for path, user, groups in lists:
        page = lab.get(path, user=user, groups=groups)
        assert (page.json["items"], page.json["totalCount"]) == ([], 0), path
    assert lab.get("/shared-conversations", user="bob").json["items"] == []
    assert lab.get(f"/ratings/{rating}", user="ada").status == 404
    assert lab.get(f"/plans/{said['turnId']}", user="ada").status == 404
    used = {i["key"]: i["used"] for i in lab.get("/me/limits", user="ada").json["items"]}
    assert used["stored"] == 0
    lab.sql("DELETE FROM job WHERE kind = 'of-a-newer-program'")
    lab.command("work")
    assert lab.sql("SELECT COUNT(*) FROM rating UNION ALL SELECT COUNT(*) FROM plan UNION ALL"
                   " SELECT COUNT(*) FROM conversation_share") == [["0"]] * 3


def test_conversations_go_with_what_they_are_in(make_lab):
    """They were readable until the job of the agent or workspace had run."""
    lab = make_lab(config={"roles": {
        "user": {"groups": ["*"], "permissions": ["AIChat.*"]},
        "admin": {"groups": ["it"], "permissions": ["*"]}}})
    root = {"user": "root", "groups": ["it"]}
    made = lab.post("/workspaces", {"name": "W", "visibleTo": ["*"]}, **root).json
    path = f"/workspaces/{made['workspaceId']}"
    agent = lab.post(path + "/agents", {"name": "A"}, **root).json["agentId"]
    talks = {}
    for user in ("ada", "bob"):
        for of in ({}, {"agentId": agent}):
            for _ in range(3):
                answer = lab.post("/conversations", {"workspaceId": made["workspaceId"], **of},
                                  user=user)
                assert answer.status == 201, answer
                talks.setdefault("agent" if of else "workspace", []).append(
                    (user, answer.json["conversationId"]))
    without_jobs(lab, "root")
    for what, address in (("agent", f"{path}/agents/{agent}"), ("workspace", path)):
        assert lab.call("DELETE", address, **root).status == 204
        for user, id in talks[what]:
            assert lab.get(f"/conversations/{id}", user=user).status == 404
            assert lab.get(f"/conversations/{id}/messages", user=user).status == 404
        if what == "agent":
            assert len(lab.get("/conversations", user="ada").json["items"]) == 3
    assert lab.get("/conversations", user="bob").json["items"] == []


def counted(lab):
    """Rows of every table there is."""
    tables = [name for name, in lab.sql(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")]
    # The index of a user's conversations has its row as long as the user has theirs.
    but = {"search_base": " WHERE id NOT IN (SELECT id FROM user)"}
    sums = lab.sql(" UNION ALL ".join(
        f"SELECT '{t}', COUNT(*) FROM `{t}`{but.get(t, '')}" for t in tables))
    return {table: int(n) for table, n in sums if table not in STAYS}


def test_every_table_is_as_before(make_lab, peer, tmp_path):  # noqa: F811
    """Bases, documents of text and of files, from a directory too, vectors, attachments,
    conversations with sources, their forks and their index: each deleted by its own route."""
    (tmp_path / "files").mkdir(mode=0o700)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "tea.md").write_text("# Tea\n\nThe kettle is in the pantry.\n")
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "name": "Lab", "title_by_model": False,
        "agents": [{"id": "clerk", "tools": ["search_knowledge"]}]}},
        services={"vectors": {"provider": "openai_compatible", "url": peer.url + "/v1",
                              "model": "tiny", "capabilities": ["embed"]}}, config={
        "file_store": "directory", "file_dir": str(tmp_path / "files"), "roles": {"admin": {
            "groups": ["it"], "permissions": ["AIChat.*", "AI.*"]}},
        "knowledge": {"embedding_service": "vectors", "sources": {"docs": {"base": "docs", "directory": str(tmp_path / "docs"),
                                           "every": 0}}}})

    def idle():
        lab.command("work")
        return not counted(lab)["job"]

    wait_until("no job is there", idle)
    before = counted(lab)
    assert not before["job"]

    base = base_of(lab, "ada", groups=["it"])
    write(lab, base, "ada", "Five days of leave carry over.", externalId="x")
    document = lab.call("POST", f"{base}/documents?name=rules.pdf", pdf(["Nine days of leave"]),
                        user="ada", headers={"Content-Type": "application/octet-stream"}).json
    assert lab.post(f"{base}/shares", {"group": "it"}, user="ada", groups=["it"]).status == 201
    embedded(lab, base, "ada", lambda e: e["vectors"] == e["passages"] == 2, groups=["it"])
    lab.command("kb", "sync", "docs")
    attachment = lab.post("/attachments?name=note.txt", b"Nine days carry over.",
                          user="ada").json["id"]
    calls = {"tool_calls": [{"name": "search_knowledge", "args": {"query": "leave days"}}],
             "then": {"text": "Nine [1]."}}
    done = lab.chat("!script " + json.dumps(calls), user="ada", agentId="clerk",
                    attachments=[attachment])[-1].data
    assert done["metadata"]["sources"], done
    fork = lab.post(f"/conversations/{done['conversationId']}/fork",
                    {"messageId": done["messageId"]}, user="ada").json["conversationId"]
    wait_until("what was said is found", lambda: len(lab.get(
        "/conversations/search?q=nine", user="ada").json["items"]) == 2)
    full = counted(lab)
    held = {table for table in full if full[table] > before.get(table, 0)}
    assert held >= {
        "attachment", "attachment_use", "conversation", "document", "document_text",
        "knowledge_base", "knowledge_base_reader", "knowledge_base_share", "knowledge_source",
        "knowledge_source_item", "message", "search_audience", "search_base", "search_bits",
        "search_chunk", "search_document", "search_post", "search_vector", "stored_file", "turn",
        "turn_source"}, held
    assert len(list((tmp_path / "files").glob("*/*"))) == 3

    # One by one: a document, the bases, the conversations.
    assert lab.call("DELETE", f"{base}/documents/{document['id']}", user="ada").status == 204
    # Under another name first: the responder may look at it at any time.
    config = lab.config_file.with_suffix(".new")
    config.write_text(json.dumps(
        {**json.loads(lab.config_file.read_text()), "knowledge": {}}))
    config.rename(lab.config_file)
    lab.command("work")
    for one in lab.get("/knowledge-bases", user="ada", groups=["it"]).json["items"]:
        assert lab.call("DELETE", f"/knowledge-bases/{one['id']}", user="ada",
                        groups=["it"]).status == 204
    for id in (done["conversationId"], fork):
        assert lab.call("DELETE", f"/conversations/{id}", user="ada").status == 204

    def clean():
        lab.command("work")
        return counted(lab) == before

    wait_until("every table is as before", clean)
    assert list((tmp_path / "files").glob("*/*")) == []


def test_take_out_while_it_is_written(lab):
    """What moves in the list meanwhile, since somebody writes, is not missed."""
    talk = lab.chat({"tokens": 5}, user="exporter")[0].data["conversationId"]
    who = f"tenant_id, user_id FROM conversation WHERE id = x'{talk.replace('-', '')}'"
    lab.sql("INSERT INTO conversation (id, workspace_id, agent_id, created_us,"
            " updated_us, title, tenant_id, user_id) SELECT UNHEX(LPAD(HEX(seq), 32,"
            " '0')), 'lab', 'helper', seq, seq, REPEAT('t', 200), t.* FROM"
            f" seq_1_to_1500 JOIN (SELECT {who}) t")
    with subprocess.Popen([COMMAND, "-c", lab.config_file, "export", "--user",
                           "exporter"], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **lab.responder_env}) as export:
        head = export.stdout.read(1000)	# it waits, since the pipe is full
        lab.sql("UPDATE conversation SET updated_us = 4000000000000000 WHERE title ="
                " REPEAT('t', 200) AND created_us IN (1, 1500)")
        all_ = json.loads(head + export.stdout.read())
    ids = [talk["conversation"]["conversationId"] for talk in all_["conversations"]]
    assert len(ids) == len(set(ids)) == 1501
