# SPDX-License-Identifier: MIT
"""lamplighter erase: of a user nothing is left in any table, and what others have is as
it was."""

import json
import os
import re
import signal
import subprocess
import uuid

import pytest

from embedders import peer  # noqa: F401: a fixture
from knowledge import base_of, embedded, write
from lab import COMMAND, wait_until
from labs import KEYS
from prompts import make as make_prompt
from samples import pdf
from tables import columns, fill, rows_of

WHO, IT = "erasmus", ["it"]
LATER = "of-a-newer-program"        # a kind of jobs that stay
# Columns that an OWNER of lib/resource/resource.def declares.
OF_OWNER = {"USER": ("user_id",), "TENANT": ("user_id",), "PARENT": ("user_id",),
            "BELOW": ("user_id",),
            "SHARED": ("user_id", "holder_id"), "MIXED": ("user_id", "holder_id")}
# Written at any time. The notices of others are told late.
MOVING = {"metric", "metric_gauge", "turn_journal", "site_key", "job", "schema_lock",
          "notification", "notification_topic", "web_process"}


def declared(lab):
    out = set()
    for kind, _, table, what in rows_of(lab):
        if kind == "resource":
            owner = what.split()[0]
            out |= {(table, column) for column in OF_OWNER[owner]}
            if owner == "SHARED":
                out.add((table + "_reader", "reader_id"))
        elif kind in ("erase", "forget", "goes"):
            out.add((table, what))
    return out


def test_every_users_id_is_declared(lab):
    named = {(table, column) for table, column, kind, comment, _ in columns(lab)
             if kind == "binary(16)" and (re.search(r"\buser\.id\b", comment) or re.fullmatch(
                 "user_id|holder_id|reader_id|decided_by", column))}
    assert len(named) > 25
    # The id of the user itself has no such comment.
    assert declared(lab) == named | {("user", "id")}


@pytest.fixture
def full(make_lab, peer, tmp_path):  # noqa: F811
    """A Lab in which bob has everything."""
    (tmp_path / "files").mkdir(mode=0o700)
    lab = make_lab(workspaces={"lab": {
        "workspace": "lab", "name": "Lab", "title_by_model": False,
        "agents": [{"id": "clerk", "tools": ["search_knowledge"]}]}},
        services={"vectors": {"provider": "openai_compatible", "url": peer.url + "/v1",
                              "model": "tiny", "capabilities": ["embed"]}},
        config={**KEYS, "knowledge": {"embedding_service": "vectors"},
                "file_store": "directory", "file_dir": str(tmp_path / "files"),
                "roles": {"admin": {"groups": IT, "permissions": ["*"]}}})
    lab.files = tmp_path / "files"
    live(lab, "bob")
    return lab


def live(lab, user):
    """Makes one of everything. Returns the user's id and what others keep of it."""
    own = f"team {len(user)}"
    who = {"user": user, "groups": [*IT, "staff", own]}
    name = f"made {len(user)}"      # that has nothing of the user

    def made(path, body):
        answer = lab.post(path, body, **who)
        assert answer.status == 201, answer
        return answer.json

    assert lab.get("/notifications?after=0&wait=0", user=user).status == 200
    assert lab.call("PATCH", "/settings", {"density": "compact"}, user=user).status == 200
    assert lab.call("PATCH", f"/settings?level=team&group={own.replace(' ', '%20')}", {
        "team_prompt": "Be brief."}, **who).status == 200
    lab.sign_in("root")
    made("/tokens", {"name": "t"})
    made("/conversation-folders", {"name": "f"})
    made("/memories", {"text": "m"})
    made("/provider-instances", {"displayName": "Mine", "providerId": "openai_compatible",
                                 "model": "demo", "url": "https://93.184.216.34/v1",
                                 "active": False})
    made("/llm-services", {"name": name, "provider": "openai_compatible", "model": "demo",
                           "url": "https://93.184.216.34/v1"})
    made("/prompt-categories", {"name": name})
    mine = make_prompt(lab, user)
    made(f"/prompts/{mine['id']}/shares", {"group": "it"})
    ours = make_prompt(lab, user, IT, tier="team", group="it")
    made(f"/prompts/{ours['id']}/shares", {"group": "staff"})
    seen = made("/workspaces", {"name": f"seen {name}", "visibleTo": ["*"], "prompt": "Be kind.",
                                "managerUsers": ["root", user]})
    hidden = made("/workspaces", {"name": f"hidden {name}"})
    for one in (seen, hidden):
        made(f"/workspaces/{one['workspaceId']}/services", {
            "name": "S", "provider": "openai_compatible", "model": "demo",
            "url": "https://example.com/v1", "apiKey": "sk-s"})
    for one in (seen, hidden):
        made(f"/workspaces/{one['workspaceId']}/agents", {"name": "A", "systemPrompt": "Help."})
    made("/workspaces/lab/agents", {"name": "A", "agentId": f"own-{user}",
                                    "visibility": "private"})
    base = base_of(lab, user, groups=IT)
    write(lab, base, user, "Five days of leave carry over.", externalId="x")
    lab.call("POST", f"{base}/documents?name=rules.pdf", pdf([f"Nine days for {len(user)}"]),
             user=user, headers={"Content-Type": "application/octet-stream"})
    made(f"{base}/shares", {"group": "it"})
    team = base_of(lab, user, groups=IT, tier="team", group="it")
    write(lab, team, user, "Tea is at four.", groups=IT)
    for one, passages in ((base, 2), (team, 1)):
        embedded(lab, one, user, lambda e, n=passages: e["vectors"] == e["passages"] == n,
                 groups=IT)
    for tier in ({}, {"tier": "team", "group": "it"}):
        project = f"/projects/{made('/projects', {'name': name, **tier})['id']}"
        made(f"{project}/members", {"user": "root"})
        document = made(f"{project}/documents", {"title": "D", "content": "# D", "owner": user})
        made(f"{project}/edges", {"fromId": document["id"],
                                  "toId": made(f"{project}/tasks", {"title": "T"})["id"]})
        made(f"{project}/events", {"title": "E", "start": "2027-03-01"})
        made(f"{project}/calendars", {"name": "C"})
        if tier:
            made(f"{project}/members", {"user": user, "role": "owner"})
    gone = made("/projects", {"name": name})["id"]
    made(f"/projects/{gone}/documents", {"title": "D", "content": "# D"})
    assert lab.call("DELETE", f"/projects/{gone}", user=user,
                    headers={"If-Match": "*"}).status == 204
    made("/events", {"title": "E", "start": "2027-03-01"})
    attachment = lab.post("/attachments?name=note.txt", b"Nine days carry over.",
                          user=user).json["id"]
    lab.post("/attachments?name=unsent.txt", b"Not sent.", user=user)
    calls = {"tool_calls": [{"name": "search_knowledge", "args": {"query": "leave days"}}],
             "then": {"text": "Nine [1]."}}
    done = lab.chat("!script " + json.dumps(calls), user=user, agentId="clerk",
                    attachments=[attachment])[-1].data
    assert done["metadata"]["sources"], done
    made("/ratings", {"conversationId": done["conversationId"], "value": "good",
                      "messageId": done["messageId"]})
    made(f"/conversations/{done['conversationId']}/fork", {"messageId": done["messageId"]})
    for reader in {"user": "root"}, {"group": "staff"}:
        made("/conversation-shares", {"conversationId": done["conversationId"], **reader})
    lab.chat({"text": "Mine."}, workspace=hidden["workspaceId"], user=user,
             promptId=mine["id"])
    assert lab.post("//chat/openai/v1/chat/completions", {"model": "lab/clerk", "messages": [
        {"role": "user", "content": '!script {"text": "Said."}'}]}, user=user).status == 200
    wait_until("what was said is found", lambda: len(lab.get(
        "/conversations/search?q=nine", user=user).json["items"]) == 2)
    id = lab.sql(f"SELECT HEX(id) FROM user WHERE login = '{user}'")[0][0]
    # As one that somebody else shares with them.
    lab.sql(f"UPDATE conversation_share SET member_id = UNHEX('{id}'), reader_id = UNHEX('{id}')"
            f" WHERE user_id = UNHEX('{id}') AND group_name IS NULL")
    # What needs a tool that asks or answers at length.
    kinds, talk = columns(lab), uuid.UUID(done["conversationId"])
    for table in ("plan", "turn_wait", "tool_output"):
        fill(lab, table, kinds, {"conversation": talk, "turn": uuid.UUID(done["turnId"])})
        lab.sql(f"UPDATE {table} SET user_id = UNHEX('{id}') WHERE conversation_id ="
                f" UNHEX('{talk.hex}')")
    lab.sql("UPDATE tool_output SET created_us = UNIX_TIMESTAMP() * 1000000 WHERE created_us"
            f" = 1; UPDATE turn_wait SET decided_by = UNHEX('{id}') WHERE user_id = UNHEX('{id}')")
    wait_until("a notice is stored", lambda: lab.sql(
        f"SELECT 1 FROM notification WHERE user_id = UNHEX('{id}') LIMIT 1"))
    wait_until("no job is left", lambda: not (lab.command("work"), lab.sql(
        f"SELECT 1 FROM job WHERE kind <> '{LATER}' AND (kind <> 'below-purge' OR due_us <"
        " (UNIX_TIMESTAMP() + 86400) * 1000000) LIMIT 1"))[1])
    lab.sql("INSERT INTO job (kind, subject, tenant_id, user_id, due_us, created_us) VALUES"
            f" ('{LATER}', '{id}', 'default', UNHEX('{id}'), 1, 1)")
    return id, {"seen": seen["workspaceId"], "team": team, "prompt": f"/prompts/{ours['id']}",
                "project": project}


def holding(lab, id):
    """The columns that have the id."""
    held = " UNION ALL ".join(
        f"SELECT '{table}', '{name}', COUNT(*) FROM `{table}` WHERE `{name}` = UNHEX('{id}')"
        for table, name, kind, _, _ in columns(lab) if kind == "binary(16)")
    return {(table, name) for table, name, n in lab.sql(held) if n != "0"}


def naming(lab, user):
    """The columns whose texts have the login."""
    held = " UNION ALL ".join(
        f"SELECT '{table}', '{name}', COUNT(*) FROM `{table}` WHERE `{name}` LIKE '%{user}%'"
        for table, name, kind, _, _ in columns(lab) if re.match("varchar|.*text", kind))
    return {(table, name) for table, name, n in lab.sql(held) if n != "0"}


def orphans(lab):
    """Tables with rows whose root is gone."""
    roots = {root: table for kind, root, table, _ in rows_of(lab) if kind == "root"}
    parts = [(roots.get(of, of.lower()), table, column)
             for kind, of, table, column in rows_of(lab) if kind == "part"]
    # The agents of workspaces of files have no row above them.
    parts = [part for part in parts if part[1] != "agent"] + [
        ("stored_file", "file_piece", "file_id"), ("stored_file", "attachment", "file_id"),
        ("attachment", "attachment_use", "attachment_id")]
    assert len(parts) > 25
    found = lab.sql(" UNION ALL ".join(
        f"SELECT '{table}', COUNT(*) FROM `{table}` WHERE `{column}` IS NOT NULL AND"
        f" `{column}` NOT IN (SELECT id FROM `{root}`)" for root, table, column in parts))
    return {table for table, n in found if n != "0"}


def rows(lab):
    """All rows, as a number for each, by table."""
    by = {}
    for table, column, *_ in columns(lab):
        by.setdefault(table, []).append(f"COALESCE(HEX(`{column}`), '-')")
    return {table: {row for row, in lab.sql(
        f"SELECT MD5(CONCAT_WS('|', {', '.join(all_)})) FROM `{table}`")}
        for table, all_ in by.items() if table not in MOVING}


def files(lab):
    return len(list(lab.files.glob("*/*")))


def erased(lab, id, before, n_files, kept):
    """What must be so when the user is gone."""
    assert holding(lab, id) == set()
    assert naming(lab, WHO) == set()
    assert orphans(lab) == set()
    assert files(lab) == n_files
    after = rows(lab)
    assert {t: n for t in before if (n := len(before[t] - after[t]))} == {}
    more = {t for t in after if after[t] - before[t]}
    assert more == {
        "llm_service", "prompt_category",
        "prompt", "prompt_reader", "prompt_version", "prompt_share",
        "workspace", "workspace_reader", "workspace_version", "workspace_service",
        "agent", "agent_version", "setting", "usage_record",
        "project", "project_reader", "project_member", "entity", "entity_content",
        "entity_version", "entity_word", "entity_edge", "event", "project_calendar",
        "resource_change",
        "search_heading",
        "knowledge_base", "knowledge_base_reader", "document", "document_text", "search_base",
        "search_audience", "search_document", "search_chunk", "search_post", "search_vector",
        "search_bits"}
    bob = {"user": "bob", "groups": IT}
    assert lab.get(kept["prompt"], **bob).status == 200
    assert [(one["title"], one["owner"]) for one in lab.get(
        f"{kept['project']}/documents", **bob).json["items"]] == [("D", None)]
    assert [one["title"] for one in lab.get(f"{kept['project']}/events", **bob)
            .json["items"]] == ["E"]
    assert [one["user"] for one in lab.get(f"{kept['project']}/members", **bob)
            .json["items"]] == ["root"]
    assert lab.get(f"{kept['team']}/documents", **bob).json["items"][0]["title"] == "T"
    seen = lab.get(f"/workspaces/{kept['seen']}", user="root", groups=IT).json
    assert seen["managerUsers"] == ["root"]
    assert lab.call("PATCH", f"/workspaces/{kept['seen']}", {"description": "x"},
                    user="root", groups=IT).status == 200
    assert holding(lab, id) == set()


def test_nothing_is_left(full):
    before, n_files = rows(full), files(full)
    id, kept = live(full, WHO)
    held = holding(full, id)
    assert held >= declared(full), declared(full) - held
    assert orphans(full) == set()
    # A turn that runs is cancelled, and its process writes no id afterwards.
    running = full.stream("/chat/lab/stream", {"content": "!script " + json.dumps(
        {"text": "late", "first_byte_ms": 60000})}, user=WHO)
    assert next(iter(running)).data["turnId"]
    said = {tuple(line.split("\t")[::2]): int(line.split("\t")[1]) for line in
            full.command("erase", "--user", WHO, "--yes").stdout.splitlines()}
    assert running.events()[-1].name in ("done", "error")
    assert full.stop("responder") == 0
    full.start_responder()
    # The other file went with its conversation.
    assert said["conversation", "deleted"] == 5 and said["attachment", "deleted"] == 1
    assert said["knowledge_base", "deleted"] == said["api_token", "deleted"] == 1
    assert said["workspace", "deleted"] == 1 and said["workspace", "kept"] >= 1
    erased(full, id, before, n_files, kept)
    # Once more there is nothing to do, and who comes back starts anew.
    assert full.command("erase", "--user", WHO, "--yes").stdout == ""
    for path in ("/conversations", "/attachments", "/tokens", "/provider-instances"):
        assert full.get(path, user=WHO).json["items"] == [], path
    assert full.get("/settings", user=WHO).status == 200
    assert full.chat({"text": "Hello."}, user=WHO)[-1].data["conversationId"]


@pytest.mark.parametrize("table", ["knowledge_base", "message", "attachment"])
def test_one_that_was_killed_is_run_again(full, table):
    before, n_files = rows(full), files(full)
    id, kept = live(full, WHO)
    full.stop("responder")
    where = {"message": "conversation_id IN (SELECT id FROM conversation WHERE user_id ="
                        f" UNHEX('{id}'))",
             "knowledge_base": f"holder_id = UNHEX('{id}')"}
    with full.locked(table, where.get(table, f"user_id = UNHEX('{id}')")):
        with subprocess.Popen([COMMAND, "-c", full.config_file, "erase", "--user", WHO,
                               "--yes"], env={**os.environ, **full.responder_env}) as run:
            wait_until("it waits for the lock", lambda: full.sql(
                "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")[0][1] != "0")
            run.send_signal(signal.SIGKILL)
    assert holding(full, id)
    full.sql("UPDATE job SET due_us = 0")   # as when the lease of the dead one is over
    full.command("erase", "--user", WHO, "--yes")
    full.start_responder()
    erased(full, id, before, n_files, kept)


def test_a_job_that_fails_is_named(lab):
    lab.sql("INSERT INTO job (kind, subject, tenant_id, due_us, attempts, created_us)"
            " VALUES ('conversation-purge', 'x', 'default', 0, 2, 0)")
    run = lab.command("erase", "--user", "nobody", "--yes", check=False)
    lab.sql("DELETE FROM job WHERE subject = 'x'")
    assert run.returncode == 1 and run.stdout == ""
    assert "the job conversation-purge x fails: " in run.stderr
