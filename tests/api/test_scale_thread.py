# SPDX-License-Identifier: MIT
"""Long threads: what an edit, a fork and a page cost does not grow with what is
superseded or copied. Rows that the server reads and writes are counted."""

import signal
import time
import uuid

import pytest

from lab import Lab, wait_until
from scaling import N, rows

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def lab():
    # Without tools, for which the stand-in would look something up.
    with Lab(workspaces={"lab": {"workspace": "lab", "title_by_model": False,
                                 "allow_tools": ["none"]}}) as lab:
        yield lab


def hexed(conversation):
    return f"x'{conversation.replace('-', '')}'"


def long_thread(lab, id=None):
    """N messages, in turns: user, answer. id: of one that has two already."""
    first = 3 if id else 1
    id = id or lab.post("/conversations", {"workspaceId": "lab"},
                        user="ada").json["conversationId"]
    lab.sql("INSERT INTO message (conversation_id, seq, role, created_us,"
            f" content, meta, kind) SELECT {hexed(id)}, seq, 2 - seq % 2, seq,"
            " CONCAT('m', seq), IF(seq % 2, NULL,"
            " '{\"finish_reason\":\"stop\"}'), IF(seq % 2, 1, 3)"
            f" FROM seq_{first}_to_{N}; UPDATE conversation SET last_seq = {N},"
            f" turns = {N} DIV 2, title = 'long' WHERE id = {hexed(id)};"
            "ANALYZE TABLE message")
    return id


def message(id, seq):
    return f"{id}.{seq}"


def page(lab, id, query=""):
    r = lab.get(f"/conversations/{id}/messages{query}", user="ada")
    assert r.status == 200, r
    return r.json


def oldest(lab, id, size=100):
    """What an agent's list of messages begins with: the oldest first."""
    [[agent]] = lab.sql(f"SELECT agent_id FROM conversation WHERE id = {hexed(id)}")
    r = lab.get(f"/workspaces/lab/agents/{agent}/conversations/{id}/messages"
                f"?pageSize={size}", user="ada")
    assert r.status == 200, r
    return r.json


def said(items):
    return [m["content"] for m in items]


def stream(lab, id, what, body):
    s = lab.stream(f"/conversations/{id}/{what}", body, user="ada")
    assert s.status == 200
    events = s.events()
    assert events[-1].name == "done", events
    return events[-1].data


def changed(lab, fn):
    """What fn gives, and how many rows were written, updated and deleted; without those
    of the index, which a job writes whenever it comes to it."""
    lab.sql("SET GLOBAL userstat = 1; FLUSH TABLE_STATISTICS")
    got = fn()
    n = int(lab.sql("SELECT COALESCE(SUM(rows_changed), 0) FROM"
                    " information_schema.table_statistics"
                    " WHERE table_name NOT LIKE 'search\\_%'")[0][0])
    print(f"{fn.__name__}: {n} rows changed")
    return got, n


def test_an_edit_and_what_follows_do_not_grow_with_the_tail(lab):
    id = long_thread(lab)

    def regenerate():
        return stream(lab, id, "regenerate", {"messageId": message(id, 1)})
    done, n = changed(lab, regenerate)
    assert n < 2000, n

    def newest():
        return page(lab, id)
    got, n = rows(lab, newest)
    assert said(got["items"])[-1] == "m1" and len(got["items"]) == 2
    assert n < 3000, n

    def history():
        return lab.chat({"text": "next"}, conversationId=id)
    _, n = rows(lab, history)
    assert n < 6000, n

    def first():
        return oldest(lab, id, 3)
    got, n = rows(lab, first)
    assert said(got["items"])[0] == "m1" and len(got["items"]) == 3
    assert n < 3000, n

    # And back: the tail is as it was, and what was said since is kept.
    def choose():
        return lab.post(f"/conversations/{id}/variants",
                        {"variantId": message(id, 2)}, user="ada")
    r, n = changed(lab, choose)
    assert r.status == 200 and r.json["messageCount"] == N
    assert n < 2000, n
    assert said(page(lab, id, "?pageSize=2")["items"]) == [f"m{N}", f"m{N - 1}"]
    variants = lab.get(f"/conversations/{id}/variants?messageId={message(id, 2)}",
                       user="ada").json["items"]
    assert [len(v["messages"]) for v in variants] == [20, 5]
    assert variants[1]["messages"][0]["id"] == done["messageId"]


def test_a_page_of_many_small_gaps_takes_few_statements(lab):
    id = long_thread(lab)
    # Each fourth number is out of the thread, as where every second answer was
    # regenerated.
    lab.sql("INSERT INTO thread_gap SELECT"
            f" {hexed(id)}, 0, 4 * seq, 4 * seq FROM seq_1_to_{N // 4 - 1};"
            f" UPDATE conversation SET superseded = {N // 4 - 1}"
            f" WHERE id = {hexed(id)}")
    there = [f"m{s}" for s in range(N, 0, -1) if s % 4 or s == N]

    def newest():
        return page(lab, id, "?pageSize=100")

    def statements():
        return sum(int(n) for _, n in lab.sql("SHOW GLOBAL STATUS WHERE"
                   " Variable_name IN ('Com_stmt_execute', 'Com_select')"))
    def taken():
        before = statements()
        newest()
        return statements() - before
    newest()
    wait_until("few statements: jobs of earlier tests may ask beside a try",
               lambda: taken() < 40)
    got = newest()
    assert said(got["items"]) == there[:100]
    got = page(lab, id, "?pageSize=100&cursor=" + got["nextCursor"])
    assert said(got["items"]) == there[100:200]
    assert said(oldest(lab, id)["items"]) == there[::-1][:100]


def copied(lab, id):
    return int(lab.sql("SELECT COUNT(*) FROM message WHERE"
                       f" conversation_id = {hexed(id)}")[0][0])


def fork(lab, id, seq, status=201):
    r = lab.post(f"/conversations/{id}/fork", {"messageId": message(id, seq)},
                 user="ada")
    assert r.status == status, r
    return r.json.get("conversationId")


def is_whole(lab, id, upto=N):
    wait_until("the fork to have all its messages",
               lambda: copied(lab, id) == upto and not lab.sql(
                   f"SELECT 1 FROM job WHERE subject = '{id}'"))
    assert lab.sql("SELECT copy_of IS NULL, copy_seq IS NULL FROM conversation"
                   f" WHERE id = {hexed(id)}") == [["1", "1"]]


def pending_fork(lab, of):
    """As a process leaves it that is killed behind its answer, whatever of the
    job it had done."""
    id = fork(lab, of, N)
    is_whole(lab, id)
    lab.sql(f"DELETE FROM message WHERE conversation_id = {hexed(id)}"
            f" AND seq <= {N - 1000}; UPDATE conversation SET"
            f" copy_of = {hexed(of)}, copy_seq = {N - 1000}"
            f" WHERE id = {hexed(id)}")
    return id


def test_a_fork_is_there_at_once_and_copied_behind_the_answer(lab):
    of = long_thread(lab)
    id = fork(lab, of, N)
    assert said(page(lab, id)["items"]) == [f"m{s}" for s in range(N, N - 30, -1)]
    assert said(oldest(lab, id, 30)["items"]) == [f"m{s}" for s in range(1, 31)]
    assert lab.get(f"/conversations/{id}", user="ada").json["messageCount"] == N
    is_whole(lab, id)
    assert lab.sql("SELECT COUNT(*), MIN(seq), MAX(seq) FROM message m JOIN"
                   " message o USING (seq, content) WHERE"
                   f" m.conversation_id = {hexed(id)} AND"
                   f" o.conversation_id = {hexed(of)}") == [
        [str(N), "1", str(N)]]


def test_a_batch_of_a_fork_is_small(lab):
    """What a fork writes in one transaction, so what other nodes wait for."""
    id = pending_fork(lab, long_thread(lab))
    lab.sql("INSERT INTO job (kind, subject, tenant_id, due_us, created_us)"
            f" VALUES ('fork-copy', '{id}', 'default', 1, 1)")

    def commits():
        return int(lab.sql("SHOW GLOBAL STATUS LIKE 'Com_commit'")[0][1])
    before = commits()
    lab.command("work")
    assert commits() - before >= (N - 1000) // 1000
    is_whole(lab, id)


@pytest.mark.parametrize("read", ["page", "oldest", "edit", "variants", "fork",
                                  "purge"])
def test_who_needs_what_is_not_copied_has_it(lab, read):
    """Without any process that does jobs."""
    of = long_thread(lab)
    id = pending_fork(lab, of)
    if read == "page":
        cursor, n = "", 0
        while cursor is not None:
            p = page(lab, id, "?pageSize=100" + (f"&cursor={cursor}" if cursor
                                                 else ""))
            n += len(p["items"])
            cursor = p["nextCursor"]
        assert n == N
    elif read == "oldest":
        start = time.monotonic()
        assert said(oldest(lab, id, 2)["items"]) == ["m1", "m2"]
        print(f"read while it is copied: {time.monotonic() - start:.2f} s")
    elif read == "edit":
        stream(lab, id, "edit", {"messageId": message(id, 3), "content": "x"})
        items = page(lab, id)["items"]
        assert said(items)[1:] == ["x", "m2", "m1"]
    elif read == "variants":
        r = lab.get(f"/conversations/{id}/variants?messageId={message(id, 2)}",
                    user="ada")
        assert said(r.json["items"][0]["messages"])[0] == "m2"
    elif read == "fork":
        again = fork(lab, id, N - 1)
        assert said(oldest(lab, again, 2)["items"]) == ["m1", "m2"]
    else:
        assert lab.call("DELETE", f"/conversations/{of}",
                        user="ada").status == 204
        wait_until("the original to be purged", lambda: copied(lab, of) == 0)
    assert copied(lab, id) >= N


def test_a_fork_that_is_deleted_is_not_copied_on(lab):
    id = pending_fork(lab, long_thread(lab))
    assert lab.call("DELETE", f"/conversations/{id}", user="ada").status == 204
    lab.sql("INSERT INTO job (kind, subject, tenant_id, due_us, created_us)"
            f" VALUES ('fork-copy', '{id}', 'default', 1, 1)")
    lab.command("work")
    wait_until("nothing of it is left", lambda: copied(lab, id) == 0)


def test_a_process_killed_behind_the_answer(make_lab):
    lab = make_lab(workspaces={"lab": {"workspace": "lab",
                                       "title_by_model": False}})
    id = fork(lab, long_thread(lab), N)
    lab.stop("responder", signal.SIGKILL)
    assert 1000 <= copied(lab, id) <= N
    lab.sql(f"UPDATE job SET due_us = 1 WHERE subject = '{id}'")	# its lease is over
    lab.start_responder()
    assert said(oldest(lab, id, 2)["items"]) == ["m1", "m2"]
    lab.command("work")
    is_whole(lab, id)


def test_a_client_id_is_looked_for_in_the_newest_only(lab):
    chat = str(uuid.uuid4())
    body = {"id": chat, "trigger": "regenerate-message", "messages": []}
    s = lab.stream("/ai-sdk/lab", {"id": chat, "messages": [
        {"id": "c0", "role": "user", "parts": [{"type": "text", "text": "x"}]}]},
        user="ada")
    assert s.status == 200 and s.events()
    id = long_thread(lab, lab.sql("SELECT HEX(conversation_id) FROM message"
                                  " WHERE client_id = 'c0'")[0][0])
    lab.sql(f"UPDATE message SET client_id = 'c9' WHERE conversation_id = x'{id}'"
            f" AND seq = {N - 1}")

    def too_old():
        s = lab.stream("/ai-sdk/lab", {**body, "messageId": "c0"}, user="ada")
        s.close()
        assert s.status == 422
    # Not of other tables: their few rows may be scanned as a whole.
    lab.sql("SET GLOBAL userstat = 1")

    def messages_read():
        return int(lab.sql("SELECT COALESCE(SUM(ROWS_READ), 0) FROM"
                           " information_schema.TABLE_STATISTICS"
                           " WHERE TABLE_NAME = 'message'")[0][0])

    def few():
        before = messages_read()
        too_old()
        return 4000 < messages_read() - before < 7000
    wait_until("few rows: jobs of earlier tests may read beside a try", few)
    lab.sql("SET GLOBAL userstat = 0")
    s = lab.stream("/ai-sdk/lab", {**body, "messageId": "c9"}, user="ada")
    assert s.status == 200 and s.events()
    assert lab.sql(f"SELECT last_seq, superseded FROM conversation WHERE id = x'{id}'"
                   ) == [[str(N + 1), "1"]]
