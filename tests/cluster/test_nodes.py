"""What two and three nodes do to one conversation at once."""

import concurrent.futures
import json
import os
import subprocess
import threading
import uuid

from lab import BUILD, COMMAND, ROOT, Stream

KEYS = int(os.environ.get("LAMPLIGHTER_KEYS", "40"))
REFUSED = ("conflict", "conversation_busy")


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


def at_once(labs, fn):
    """fn(lab) on each, as near to one moment as threads can."""
    gate = threading.Barrier(len(labs))

    def one(lab):
        gate.wait()
        return fn(lab)

    with concurrent.futures.ThreadPoolExecutor(len(labs)) as pool:
        return list(pool.map(one, labs))


def send(lab, conversation, text, key):
    script = {"tool_calls": [{"name": "note", "args": {"text": text}}],
              "then": {"text": "noted " + text}}
    s = lab.stream("/chat/lab/stream", {
        "conversationId": conversation,
        "content": "!script " + json.dumps(script)}, user="ada",
        headers={"Idempotency-Key": key}, timeout_s=120)
    if s.status != 200:
        code = json.load(s.response)["code"]
        s.close()
        return code
    events = s.events()
    assert events[-1].name == "done", events
    return events[-1].data


def new_conversation(lab):
    answer = lab.post("/conversations", {"workspaceId": "lab"}, user="ada")
    assert answer.status == 201, answer
    return answer.json["conversationId"]


def answers(node, database, conversation):
    """As a node has them, once it has what the others have."""
    return [row[0] for row in node.sql(
        "SET SESSION wsrep_sync_wait=1; SELECT content FROM message WHERE"
        f" conversation_id = x'{conversation.replace('-', '')}' AND role = 2"
        " AND content <> '' ORDER BY seq", database)]


def test_one_key_to_three_nodes_runs_its_tool_once(cluster, labs):
    conversation = new_conversation(labs[0])
    for i in range(KEYS):
        text, key = f"k{i}", str(uuid.uuid4())
        got = at_once(labs, lambda lab: send(lab, conversation, text, key))
        codes = [g for g in got if isinstance(g, str)]
        assert all(c in REFUSED for c in codes) and len(codes) < 3, got
        # Who was refused finds the turn of the one who was not.
        again = send(labs[i % 3], conversation, text, key)
        ids = {g["messageId"] for g in [*got, again] if not isinstance(g, str)}
        assert len(ids) == 1, got
    runs = labs[0].runs()
    assert sorted(runs) == sorted(f"k{i}" for i in range(KEYS))
    for node in cluster.nodes:
        assert answers(node, labs[0].database, conversation) == [
            f"noted k{i}" for i in range(KEYS)]


def test_two_decide_and_one_wins(labs):
    for i in range(max(KEYS // 4, 5)):
        text = f"d{i}-{uuid.uuid4().hex[:8]}"
        events = labs[i % 3].chat({
            "tool_calls": [{"name": "drop", "args": {"text": text}}],
            "then": {"text": "dropped"}})
        [request] = [e.data for e in events if e.name == "approval-request"]

        def decide(lab):
            s = lab.stream(f"/turns/{request['turnId']}/approvals", {
                "approvalId": request["approvalId"], "decision": "approve"},
                user="ada", timeout_s=120)
            if s.status == 200:
                s.events()
            else:
                s.close()
            return s.status

        statuses = at_once(labs, decide)
        assert sorted(statuses) == [200, 409, 409], statuses
        assert labs[0].runs().count(text) == 1


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
