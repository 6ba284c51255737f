# SPDX-License-Identifier: MIT
"""Work that outlives a response: what belongs to a deleted conversation."""

import contextlib
import re
import signal
import uuid

from lab import wait_until

TABLES = ("message", "turn", "conversation_allow", "turn_wait", "tool_output")


def left(lab, conversation):
    there = "UNHEX('" + conversation.replace("-", "") + "')"
    counts = [lab.sql(f"SELECT COUNT(*) FROM {table} WHERE conversation_id = {there}")
              for table in TABLES]
    counts.append(lab.sql(f"SELECT COUNT(*) FROM conversation WHERE id = {there}"))
    return sum(int(rows[0][0]) for rows in counts)


def talk(lab, times=2):
    conversation = None
    for i in range(times):
        fields = {"conversationId": conversation} if conversation else {}
        events = lab.chat(f"Say {i}", **fields)
        conversation = next(e.data["conversationId"] for e in events
                            if "conversationId" in e.data)
    return conversation


def test_a_deleted_conversation_leaves_nothing(lab):
    conversation = talk(lab)
    assert left(lab, conversation) > 3
    assert lab.call("DELETE", f"/conversations/{conversation}", user="ada").status == 204
    assert lab.get(f"/conversations/{conversation}", user="ada").status == 404
    # Behind the answer, by the thread that gave it.
    wait_until("nothing is left", lambda: left(lab, conversation) == 0)
    wait_until("the job is gone", lambda: not lab.sql(
        f"SELECT 1 FROM job WHERE subject = '{conversation}'"))


def test_what_a_dead_process_left_is_done_by_the_command(make_lab):
    lab = make_lab()
    conversation = talk(lab)
    hexed = conversation.replace("-", "")
    # A turn asks for no job: its mark says that it is not indexed.
    lab.stop("responder")
    assert lab.sql("SELECT unindexed FROM conversation") == [["1"]]
    assert lab.sql("SELECT kind FROM job") == []
    lab.command("work")
    assert lab.sql("SELECT unindexed FROM conversation") == [["NULL"]]
    lab.sql("UPDATE conversation SET tenant_id = '', user_id = REPEAT(CHAR(0), 16)"
            f" WHERE id = UNHEX('{hexed}'); INSERT INTO job (kind, subject,"
            f" tenant_id, due_us, created_us) VALUES ('conversation-purge',"
            f" '{conversation}', 'default', 1, 1)")
    lines = lab.command("work", "--list").stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["conversation-purge", conversation]]
    assert lab.command("work").stderr == "2 done\n"	# and out of the index
    assert left(lab, conversation) == 0
    assert lab.command("work", "--list").stdout == ""
    assert lab.command("work").stderr == "0 done\n"


def test_one_that_fails_is_listed_with_the_reason(make_lab):
    lab = make_lab()
    lab.sql("INSERT INTO job (kind, subject, tenant_id, due_us, created_us)"
            f" VALUES ('conversation-purge', 'not-{uuid.UUID(int=1)}', 'default', 1, 1)")
    lab.command("work")
    [line] = lab.command("work", "--list").stdout.splitlines()
    assert re.search(r"\t1\tconversation-purge not-.*: its subject is no id$", line)


def test_a_turn_whose_process_died_is_closed_unread(make_lab):
    lab = make_lab()
    with contextlib.closing(lab.stream("/chat/lab/stream", {
            "content": '!script {"tokens": 20000, "rate": 50}'}, user="ada")) as stream:
        first = next(e.data for e in stream if e.name == "user-message")
        lab.stop("responder", sig=signal.SIGKILL)
    lab.command("work")		# what was said is indexed
    assert lab.command("work").stderr == "0 done\n"	# its lease is not over
    lab.sql("UPDATE turn SET lease_until_us = 1")
    assert lab.command("work").stderr == "1 done\n"
    turn = f"UNHEX('{first['turnId'].replace('-', '')}')"
    assert lab.sql(f"SELECT status FROM turn WHERE id = {turn}")[0][0] == "6"
    assert lab.sql(f"SELECT estimated FROM usage_record WHERE turn_id = {turn}")
    assert not lab.sql("SELECT 1 FROM conversation WHERE running_turn_id IS NOT NULL")


def test_bad_calls_of_the_command(lab):
    for argv, said in ((("--for", "0"), "1 to 86400"), (("--for", "x"), "1 to 86400"),
                       (("--now",), "invalid option"), (("all",), '"all"')):
        answer = lab.command("work", *argv, check=False)
        assert answer.returncode == 2 and said in answer.stderr, answer
