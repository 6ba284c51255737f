# SPDX-License-Identifier: MIT
"""What one user stores is counted and limited: forks, texts of files, documents, the
index. And bytes that are in memory for one user's requests."""

import concurrent.futures
import pathlib
import re
import threading
import uuid

from fastcgi import Request
from lab import wait_until, without_quarantine

MIB = 1 << 20


def base_of(lab, user, groups=(), **fields):
    answer = lab.post("/knowledge-bases", {"name": "Handbook", "language": "en", **fields},
                      user=user, groups=groups)
    assert answer.status == 201, answer
    return f"/knowledge-bases/{answer.json['id']}"


def write(lab, base, user, text, **fields):
    answer = lab.post(f"{base}/documents", {"title": "T", "text": text, **fields}, user=user)
    assert answer.status == 201, answer
    return answer.json["id"]


def settled(lab, base, user):
    return wait_until("documents are indexed", lambda: lab.get(
        f"{base}/progress", user=user).json["queued"] == 0, 120)


def of(lab, user):
    items = lab.get("/me/limits", user=user).json["items"]
    return {i["key"]: i["used"] for i in items}, {i["key"]: i["limit"] for i in items}


def full(answer):
    """Refused, with what takes the room."""
    assert answer.status == 413 and answer.json["code"] == "too_large", answer
    assert re.match(r"You may store \d+ MiB\. You have: .*\d MiB", answer.json["detail"])
    return answer.json["detail"]


def talk(lab, user, chars=90000, turns=3):
    """A conversation of some size; the id of its last message."""
    id = None
    for _ in range(turns):
        more = {"conversationId": id} if id else {}
        id = lab.chat({"text": "Yes.", "pad": "x" * chars}, user=user,
                      **more)[0].data["conversationId"]
    last = lab.get(f"/conversations/{id}/messages", user=user).json["items"][0]
    return id, last["messageId"]


def test_forks_count(make_lab):
    """20 small requests made 755 MB."""
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    id, last = talk(lab, "ada")
    path = f"/conversations/{id}/fork"
    forks = []
    for _ in range(20):
        answer = lab.post(path, {"messageId": last}, user="ada")
        if answer.status != 201:
            break
        forks.append(answer.json["conversationId"])
    assert "conversations" in full(answer) and 1 <= len(forks) <= 3
    used, limits = of(lab, "ada")
    assert limits["stored"] == MIB and 0.6 * MIB < used["stored"] <= MIB
    assert used["stored"] == sum(used[k] for k in (
        "conversations", "files", "documents", "searchIndex", "agents", "settings",
        "projects", "versions"))
    # Others are others; and what is deleted makes room at once.
    assert of(lab, "bob")[0]["stored"] == 0
    assert lab.call("DELETE", f"/conversations/{forks[0]}", user="ada").status == 204
    assert lab.post(path, {"messageId": last}, user="ada").status == 201
    said = lab.command("stored", "--user", "ada").stdout.splitlines()
    assert said[0].split("\t")[0::2] == ["stored", str(MIB)] and len(said) == 9
    assert int(said[1].split("\t")[1]) == of(lab, "ada")[0]["conversations"]


def test_prompts_agents_and_settings_count(make_lab):
    """200 agents of 160 KB in each of 50 workspaces, and nobody counted them."""
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    for user in ("ada", "bob"):
        assert of(lab, user)[0]["agents"] == of(lab, user)[0]["settings"] == 0
    agents, long = "/workspaces/lab/agents", "x" * 20000
    answer = lab.post(agents, {"name": "A", "systemPrompt": long, "userPrompt": long},
                      user="ada")
    assert answer.status == 201, answer
    assert 40000 < of(lab, "ada")[0]["agents"] < 40100
    assert lab.call("PATCH", "/settings", {"custom_context": "y" * 1000},
                    user="ada").status == 200
    assert 1000 < of(lab, "ada")[0]["settings"] < 1100
    made = []
    for i in range(40):
        answer = lab.post(agents, {"name": f"B{i}", "systemPrompt": long,
                                   "userPrompt": long}, user="ada")
        if answer.status != 201:
            break
        made.append(answer.json["agentId"])
        of(lab, "ada")			# counts now, not half a minute later
    # An agent is stored as it is, and as the first of its versions.
    assert "agents 0.5 MiB" in full(answer) and len(made) == 13
    assert of(lab, "ada")[0]["versions"] > 40000 * 13
    for method, path, body in (("POST", "/prompts", {"name": "P", "body": "x"}),
                               ("PATCH", f"{agents}/{made[0]}", {"systemPrompt": long})):
        full(lab.call(method, path, body, user="ada"))
        assert method == "PATCH" or lab.call(method, path, body, user="bob").status == 201
    assert lab.call("DELETE", f"{agents}/{made[0]}", user="ada").status == 204
    assert lab.post("/prompts", {"name": "P", "body": "x"}, user="ada").status == 201


def test_what_is_in_projects_counts(make_lab):
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    path = f"/projects/{lab.post('/projects', {'name': 'P'}, user='ada').json['id']}"
    made = lab.post(path + "/documents", {"title": "D", "content": "z" * 400000}, user="ada")
    assert made.status == 201 and 400000 < of(lab, "ada")[0]["projects"] < 400100
    assert lab.post(path + "/risks", {"title": "R", "mitigation": "m" * 3000},
                    user="ada").status == 201
    assert of(lab, "ada")[0]["projects"] > 403000
    # Its version counts, too, and a content that there is no room for is refused.
    full(lab.post(path + "/documents", {"title": "E", "content": "z" * 400000}, user="ada"))
    assert lab.call("DELETE", f"{path}/documents/{made.json['id']}", user="ada",
                    headers={"If-Match": "*"}).status == 204
    assert of(lab, "ada")[0]["projects"] < 4000


def test_what_is_beside_messages_counts(make_lab):
    """Tags of conversations, the tools of a page in each turn, what turns wait for."""
    lab = make_lab(config={"limits": {"stored_mb": 1}}, workspaces={
        "lab": {"workspace": "lab", "client_tools": "allow", "title_by_model": False}})
    tags = [f"{i:02}" + "€" * 38 for i in range(20)]
    id = lab.post("/conversations", {"workspaceId": "lab"}, user="ada").json["conversationId"]
    before = of(lab, "ada")[0]["conversations"]
    assert lab.call("PATCH", f"/conversations/{id}", {"tags": tags}, user="ada").status == 200
    assert of(lab, "ada")[0]["conversations"] > before + 2000
    tools = [{"name": f"t{i}", "description": "x" * 1000, "parameters": {"type": "object"}}
             for i in range(30)]
    for _ in range(3):
        before = of(lab, "ada")[0]["conversations"]
        lab.chat({"text": "Yes."}, user="ada", conversationId=id,
                 client={"mode": "page", "tools": tools})
        assert of(lab, "ada")[0]["conversations"] > before + 30000
    before = of(lab, "ada")[0]["conversations"]
    asked = lab.chat({"tool_calls": [{"name": "t1", "args": {"a": "z" * 9000}}]},
                     user="ada", conversationId=id,
                     client={"mode": "page", "tools": tools[:2]})
    assert asked[-1].data["for"]
    # The call is a message as well as what the turn waits for.
    assert of(lab, "ada")[0]["conversations"] > before + 2 * 9000


def test_turns_stop_at_the_limit(make_lab):
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    id, _ = talk(lab, "ada", turns=1)
    lab.sql("UPDATE message SET content = REPEAT('x', 2000000) WHERE conversation_id ="
            f" UNHEX('{id.replace('-', '')}') AND seq = 1")
    # Only whoever was counted since then is refused; a request for the list counts.
    assert of(lab, "ada")[0]["conversations"] > MIB
    body = {"content": "hello"}
    full(lab.post("/chat/lab/stream", body, user="ada"))
    assert lab.chat({"text": "Yes."}, user="bob")[-1].name == "done"
    assert lab.call("DELETE", f"/conversations/{id}", user="ada").status == 204
    assert lab.chat({"text": "Yes."}, user="ada")[-1].name == "done"


def test_files_count_with_their_texts(make_lab):
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    def upload(text, user="ada"):
        return lab.call("POST", f"/attachments?name={uuid.uuid4().hex}.txt", text, user=user,
                        headers={"Content-Type": "application/octet-stream"})
    one = upload(b"a word " * 60000)        # 420 kB, and as much text
    assert one.status == 201, one
    assert 840000 <= of(lab, "ada")[0]["files"] < 850000
    assert "files" in full(upload(b"b word " * 60000))
    assert upload(b"b word " * 60000, "bob").status == 201
    assert lab.call("DELETE", f"/attachments/{one.json['id']}", user="ada").status == 204
    assert of(lab, "ada")[0]["files"] == 0
    assert upload(b"b word " * 60000).status == 201


def test_bodies_of_unknown_length_count_while_they_come(make_lab):
    """Ten files without a Content-Length were 117 MB, of which one may store 1 MiB."""
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    base = base_of(lab, "ada")
    first = lab.call("POST", "/attachments?name=part.bin", b"x", user="ada", headers={
        "Content-Type": "application/octet-stream", "Upload-Complete": "?0"}).json["id"]
    for method, path, more in (
            ("POST", "/attachments?name=a.bin", []),
            ("PATCH", f"/attachments/{first}", [("HTTP_UPLOAD_OFFSET", "1")]),
            ("POST", f"{base}/documents?name=a.txt", [])):
        request = Request(lab, method, path, [
            ("HTTP_X_TEST_USER", "ada"), ("HTTP_X_TEST_GROUPS", "-"),
            ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy"),
            ("HTTP_X_REQUESTED_WITH", "lab"), ("CONTENT_TYPE", "application/octet-stream"),
            *more])
        for _ in range(64):
            if not request.send(b"word " * 13000):
                break
        request.send(b"")
        status, body = request.answer()
        assert status == 413 and b"You may store 1 MiB." in body, (path, status, body)
        assert of(lab, "ada")[0]["stored"] < 3 * MIB
        if method == "PATCH":
            assert lab.call("DELETE", path, user="ada").status == 204
    assert of(lab, "ada")[0]["stored"] == 0


def test_documents_count_for_who_writes_them(make_lab):
    lab = make_lab(config={"limits": {"stored_mb": 1}})
    mine = base_of(lab, "ada")
    ours = base_of(lab, "bob", ["team"], name="Ours", tier="team", group="team")
    text = "".join(f"Word{i % 100} and another one.\n\n" for i in range(16000))
    id = write(lab, mine, "ada", text)
    settled(lab, mine, "ada")
    used, _ = of(lab, "ada")
    assert used["documents"] >= len(text)
    assert len(text) / 2 < used["searchIndex"] < 3 * len(text)
    answer = lab.post(f"{ours}/documents", {"title": "T", "text": text}, user="ada",
                      groups=["team"])
    assert "documents" in full(answer)
    assert lab.post(f"{ours}/documents", {"title": "T", "text": text}, user="bob",
                    groups=["team"]).status == 201
    assert lab.call("DELETE", f"{mine}/documents/{id}", user="ada").status == 204
    assert of(lab, "ada")[0]["documents"] == 0


def test_headings_make_no_index(make_lab):
    """80 MB of index came from 335 KB: each passage had all its headings."""
    lab = make_lab()
    base = base_of(lab, "ada")
    long = "".join("#" * level + " " + " ".join(
        f"heading{level}x{i}" for i in range(14)) + "\n\n" for level in range(1, 6))
    texts = {"sections": long + "".join(f"###### s{i}\n\nw\n\n" for i in range(15000)),
             "pages": long + "".join(f"<!-- page {i} -->\nw\n" for i in range(1, 15000))}
    for title, text in texts.items():
        write(lab, base, "ada", text, title=title)
    settled(lab, base, "ada")
    size = sum(map(len, texts.values()))
    chunks, headings, posts, terms = (int(lab.sql(
        f"SELECT COALESCE(SUM(LENGTH({what})), 0) FROM {table}")[0][0]) for what, table in (
        ("text", "search_chunk"), ("text", "search_heading"),
        ("data", "search_post"), ("terms", "search_document")))
    assert chunks < size and headings < 2 * size and posts < 6 * size, (
        size, chunks, headings, posts, terms)
    assert of(lab, "ada")[0]["searchIndex"] < 20 * size
    # What headings are for still works.
    write(lab, base, "ada", "# Leave\n\n## Parents\n\nTwelve weeks.\n\nMore on it: zebra.",
          title="Handbook")
    settled(lab, base, "ada")
    found = lab.post(f"{base}/search", {"query": "zebra"}, user="ada").json["items"]
    assert found[0]["heading"] == "Leave > Parents"
    found = lab.post(f"{base}/search", {"query": "parents leave"}, user="ada").json["items"]
    assert found[0]["title"] == "Handbook"


# -- in memory ----------------------------------------------------------------------

def sending(lab, user, path, bytes, sent):
    """A POST of which `sent` bytes of the body have come."""
    request = Request(lab, "POST", path, [
        ("HTTP_X_TEST_USER", user), ("HTTP_X_TEST_GROUPS", "-"),
        ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy"),
        ("HTTP_X_REQUESTED_WITH", "lab")], bytes)
    data = b'{"title": "T", "text": "' + b"x" * sent
    for at in range(0, len(data), 65535):
        request.send(data[at:at + 65535])
    return request


def memory(lab):
    text = pathlib.Path(f"/proc/{lab.processes['responder'].pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024


def test_bodies_in_memory(make_lab):
    """100 bodies of 10 MB of one user were 2.2 GB, of which 1.6 GB stayed."""
    lab = make_lab(responder_env=without_quarantine())
    base = base_of(lab, "ada")
    path = f"{base}/documents"
    size = 10 * MIB
    before = memory(lab)
    requests = [sending(lab, "ada", path, size, size - 100) for _ in range(6)]
    def held():
        return {i["key"]: i for i in lab.get("/me/limits", user="ada").json["items"]}[
            "bodyBytes"]
    wait_until("they are in memory", lambda: held()["used"] == 6 * size, 60)
    assert held()["limit"] == 64 * MIB
    more = lab.post(path, {"title": "T", "text": "x" * (5 * MIB)}, user="ada")
    assert more.status == 429 and more.json["code"] == "too_many_requests"
    assert int(more.headers["Retry-After"]) > 0
    assert lab.post("/conversations", {"workspaceId": "lab"}, user="ada").status == 201
    assert lab.post(path.replace(base, base_of(lab, "bob")), {
        "title": "T", "text": "x" * (5 * MIB)}, user="bob").status == 201
    for request in requests:
        request.socket.close()
    wait_until("they are given back", lambda: held()["used"] == 0, 60)
    wait_until("their memory as well", lambda: memory(lab) < before + 24 * MIB, 60)


READER = """#!/bin/sh
cd {dir}
cat >/dev/null
n=1
until mkdir run.$n 2>/dev/null; do n=$((n + 1)); done
until [ -e go ]; do sleep 0.05; done
rmdir run.$n
printf 'type: text/plain\\n\\nread\\n'
"""


def test_places_of_the_reader_are_the_users(make_lab, tmp_path):
    """They were the knowledge base's: with several, one user took all four."""
    reader = tmp_path / "lamplighter-extract-file"
    reader.write_text(READER.format(dir=tmp_path))
    reader.chmod(0o755)
    lab = make_lab(responder_env={"LAMPLIGHTER_LIBEXEC_DIR": str(tmp_path)})
    def running():
        assert lab.get("/ready").status == 200      # jobs run behind a request
        return sorted(p.name for p in tmp_path.glob("run.*"))
    def used(user):
        return of(lab, user)[0]["fileReaders"]
    bases = [base_of(lab, "ada", name=f"Base {i}") for i in range(4)]
    for base in bases:
        answer = lab.call("POST", f"{base}/documents?name=a.bin", b"file", user="ada",
                          headers={"Content-Type": "application/octet-stream"})
        assert answer.status == 201, answer
    wait_until("two are read", lambda: len(running()) == 2, 60)
    bob = Request(lab, "POST", "/attachments?name=a.bin", [
        ("HTTP_X_TEST_USER", "bob"), ("HTTP_X_TEST_GROUPS", "-"),
        ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy"),
        ("HTTP_X_REQUESTED_WITH", "lab"), ("CONTENT_TYPE", "application/octet-stream"),
        ("CONTENT_LENGTH", "4")])
    bob.send(b"bobs")
    bob.send(b"")
    wait_until("bob's as well", lambda: used("bob") == 1 and len(running()) == 3, 60)
    assert used("ada") == 2
    (tmp_path / "go").touch()
    for base in bases:
        settled(lab, base, "ada")
    bob.socket.close()
    wait_until("all is given back", lambda: used("ada") == used("bob") == 0)


def test_uploads_that_break_off_leave_nothing(make_lab, tmp_path):
    """Neither rows nor pieces nor files, and nothing that counts; nor for long."""
    lab = make_lab(config={"file_store": "directory", "file_dir": str(tmp_path)})
    base = base_of(lab, "ada")
    for path in "/attachments?name=a.bin", f"{base}/documents?name=a.bin":
        request = Request(lab, "POST", path, [
            ("HTTP_X_TEST_USER", "ada"), ("HTTP_X_TEST_GROUPS", "-"),
            ("HTTP_X_TEST_SECRET", "lab-secret-of-the-proxy"),
            ("HTTP_X_REQUESTED_WITH", "lab"), ("CONTENT_TYPE", "application/octet-stream"),
            ("CONTENT_LENGTH", str(4 * MIB))])
        for _ in range(32):
            request.send(b"x" * 65535)
        wait_until("pieces are there", lambda: list(tmp_path.glob("tmp/*")), 60)
        assert of(lab, "ada")[0]["storingBytes"] >= 4 * MIB
        request.socket.close()
        wait_until("nothing counts", lambda: of(lab, "ada")[0]["storingBytes"] == 0 and
                   of(lab, "ada")[0]["stored"] == 0, 60)
        assert lab.get("/attachments", user="ada").json["items"] == []
        wait_until("nothing is left", lambda: lab.command("work") and lab.sql(
            "SELECT (SELECT COUNT(*) FROM stored_file) + (SELECT COUNT(*) FROM attachment)"
            " + (SELECT COUNT(*) FROM file_piece)") == [["0"]]
            and not list(tmp_path.glob("tmp/*")), 60)


def test_turns_that_end_together_are_followed_by_one_sum(lab):
    """Each of them summed: of a user with 90,000 conversations 12 s, seven at a time."""
    def sums():
        return int(lab.sql("SELECT COUNT(*) FROM information_schema.processlist WHERE"
                           " command = 'Execute' AND info LIKE '%stored_file%'"
                           " AND info LIKE '%turn_source%'")[0][0])

    locked = threading.Thread(target=lab.sql, args=(
        "LOCK TABLES event WRITE; DO SLEEP(8); UNLOCK TABLES",))
    locked.start()
    wait_until("the table is locked", lambda: lab.sql(
        "SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(8)'"))
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        ends = [t[-1].name for t in pool.map(
            lambda n: lab.chat({"text": "Yes."}, user="together"), range(6))]
    assert ends == ["done"] * 6
    seen = []
    while locked.is_alive():
        seen.append(sums())
    locked.join()
    assert max(seen) == 1
