# SPDX-License-Identifier: MIT
"""What two and three nodes do to one conversation at once."""

import json
import os
import subprocess
import uuid

from conftest import at_once, long_thread, new_conversation
from lab import BUILD, COMMAND, ROOT, Stream, wait_until


def test_a_transaction_that_a_node_aborts_is_run_again(cluster):
    """lib/db against a conflicting commit of another node, in the middle of a
    statement."""
    program = BUILD / "tests/unit/test_db_abort"
    if not program.exists():
        subprocess.run(["make", "-C", BUILD, "tests/unit/test_db_abort"],
                       check=True, capture_output=True)
    r = subprocess.run([program], capture_output=True, text=True, timeout=300,
                       env={**os.environ, "LAMPLIGHTER_SRCDIR": str(ROOT)})
    assert r.returncode == 0, r.stdout + r.stderr


def test_followed_and_stopped_on_other_nodes(labs):
    conversation = new_conversation(labs[0])
    stream = labs[0].stream("/chat/lab/stream", {
        "conversationId": conversation,
        "content": "!script " + json.dumps({"tokens": 4000, "rate": 40})},
        user="ada", timeout_s=120)
    events = iter(stream)
    first = next(events)
    turn = first.data["turnId"]
    connection, response = labs[1].open("GET", f"/turns/{turn}/events",
                                        user="ada", timeout_s=120)
    follower = Stream(connection, response)
    assert follower.status == 200
    told = iter(follower)
    assert next(e for e in told if e.name == "token")
    assert labs[2].post(f"/turns/{turn}/cancel", {}, user="ada").status < 300
    mine = [*events][-1]
    theirs = [*told][-1]
    stream.close()
    follower.close()
    assert mine.name == theirs.name == "done"
    assert mine.data["messageId"] == theirs.data["messageId"]


def test_a_fork_is_read_and_its_original_deleted_on_other_nodes(cluster, labs):
    """While its older messages are copied by whoever comes to it."""
    n = 5000
    of = long_thread(labs[0], n)
    r = labs[0].post(f"/conversations/{of}/fork", {"messageId": f"{of}.{n}"},
                     user="ada")
    assert r.status == 201, r
    id = r.json["conversationId"]
    path = f"/workspaces/lab/agents/{r.json['agentId']}/conversations/{id}/messages"

    def work(lab):
        if lab is labs[2]:
            return lab.call("DELETE", f"/conversations/{of}", user="ada").status
        return [m["content"] for m in lab.get(path + "?pageSize=2", user="ada"
                                              ).json["items"]]
    assert at_once(labs, work) == [["m1", "m2"], ["m1", "m2"], 204]
    count = ("SELECT COUNT(*) FROM message WHERE conversation_id ="
             " x'{}'".format)
    for node in cluster.nodes:
        wait_until("the copy", lambda: node.sql(
            count(id.replace("-", "")), labs[0].database) == [[str(n)]])
        wait_until("the purge", lambda: node.sql(
            count(of.replace("-", "")), labs[0].database) == [["0"]])


def test_one_of_three_nodes_edits_a_long_thread(cluster, labs):
    n = 5000
    id = long_thread(labs[0], n)

    def edit(lab):
        s = lab.stream(f"/conversations/{id}/edit", {
            "messageId": f"{id}.1", "content": "again"}, user="ada",
            timeout_s=120)
        if s.status == 200:
            s.events()
        else:
            s.close()
        return s.status
    statuses = at_once(labs, edit)
    assert sorted(statuses) == [200, 409, 409], statuses
    for lab, node in zip(labs, cluster.nodes):
        items = lab.get(f"/conversations/{id}/messages", user="ada").json["items"]
        assert [m["content"] for m in items][1:] == ["again"]
        assert node.sql("SET SESSION wsrep_sync_wait=1; SELECT from_seq, to_seq"
                        " FROM thread_gap WHERE head_seq = 0 AND conversation_id ="
                        f" x'{id.replace('-', '')}'", lab.database) == [
            ["1", str(n)]]


def test_a_deleted_conversation_is_gone_on_all(labs):
    for _ in range(5):
        key = {"Idempotency-Key": str(uuid.uuid4())}
        made = labs[0].post("/conversations", {"workspaceId": "lab"},
                            user="ada", headers=key)
        id = made.json["conversationId"]
        statuses = at_once(labs, lambda lab: lab.call(
            "DELETE", f"/conversations/{id}", user="ada").status)
        assert statuses.count(204) >= 1, statuses
        assert set(statuses) <= {204, 404}, statuses
        assert labs[1].get(f"/conversations/{id}", user="ada").status == 404
        again = labs[2].post("/conversations", {"workspaceId": "lab"},
                             user="ada", headers=key)
        assert again.status == 201, again


def test_nine_starters_migrate_once(cluster, labs, tmp_path):
    """Each statement of the schema once, and every starter ends well."""
    database = "lab_nine_" + uuid.uuid4().hex[:8]
    cluster[0].sql(f"CREATE DATABASE {database} CHARACTER SET utf8mb4"
                   " COLLATE utf8mb4_bin")
    cluster.wait_synced()
    files = []
    for lab in labs:
        config = json.loads(lab.config_file.read_text())
        config["database"]["name"] = database
        file = tmp_path / f"{len(files)}.yaml"
        file.write_text(json.dumps(config))
        for folder in ("workspaces.d", "prompts.d"):
            (tmp_path / folder).mkdir(exist_ok=True)
        files.append(file)
    started = [subprocess.Popen([COMMAND, "-c", files[i % 3], "migrate"],
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
               for i in range(9)]
    outs = [p.communicate(timeout=300)[0] for p in started]
    assert [p.returncode for p in started] == [0] * 9, outs
    for node in cluster.nodes:
        steps = node.sql("SELECT COUNT(*), COUNT(DISTINCT version, step)"
                         " FROM schema_step", database)
        assert steps[0][0] == steps[0][1] != "0"
    cluster[0].sql(f"DROP DATABASE {database}")


def test_a_project_deleted_on_one_node_is_restored_on_another(labs):
    made = labs[0].post("/projects", {"name": "Pier"}, user="ada")
    assert made.status == 201, made
    at = f"/projects/{made.json['id']}"
    task = labs[1].post(at + "/tasks", {"title": "Paint"}, user="ada")
    assert task.status == 201, task
    gone = at_once(labs, lambda lab: lab.call(
        "DELETE", at, user="ada", headers={"If-Match": "*"}).status)
    assert gone.count(204) >= 1 and set(gone) <= {204, 404, 412}, gone
    assert [lab.get(at, user="ada").status for lab in labs] == [404] * len(labs)
    listed = [[p["id"] for p in lab.get("/projects/deleted", user="ada").json["items"]]
              for lab in labs]
    assert listed == [[at.rsplit("/", 1)[1]]] * len(labs), listed
    back = at_once(labs, lambda lab: lab.post(
        at.replace("/projects/", "/projects/deleted/") + "/restore", {}, user="ada").status)
    assert any(status < 300 for status in back), back
    assert set(back) <= {200, 201, 204, 404, 409}, back
    for lab in labs:
        assert lab.get(f"{at}/tasks/{task.json['id']}", user="ada").json["title"] == "Paint"
        assert lab.get("/projects/deleted", user="ada").json["items"] == []
