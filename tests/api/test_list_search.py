# SPDX-License-Identifier: MIT
"""The search in lists (q=): words and parts of words in any order, for every resource that
declares FOUND fields, and only in what the caller may read."""

import json
import urllib.parse
import uuid

import pytest

IT = {"user": "root", "groups": ["it"]}
ADMIN = {"roles": {"admin": {"groups": ["it"], "permissions": ["*"]}}}


@pytest.fixture
def who():
    return "u" + uuid.uuid4().hex[:12]


def find(lab, path, q, size=100, **who):
    """What all pages of a search have, in their order."""
    items, cursor = [], ""
    while cursor is not None:
        page = lab.get(f"{path}{'&' if '?' in path else '?'}q={urllib.parse.quote(q)}"
                       f"&pageSize={size}&cursor={cursor}", **who)
        assert page.status == 200, page
        assert len(page.json["items"]) <= size
        items += page.json["items"]
        cursor = page.json["nextCursor"]
    assert page.json["totalCount"] == (len(items) if len(items) <= 1000 else None)
    return items


def names(lab, q, path="/prompts", size=100, **who):
    return [one.get("name") or one.get("title") for one in find(lab, path, q, size, **who)]


def prompt(lab, user, groups=(), **fields):
    made = lab.post("/prompts", {"name": "P", "body": "Do it.", **fields}, user=user,
                    groups=groups)
    assert made.status == 201, made
    return made.json


def project(lab, user, name):
    made = lab.post("/projects", {"name": name}, user=user)
    assert made.status == 201, made
    return made.json["id"]


def member(lab, owner, project, user, role):
    lab.sign_in(user)
    made = lab.post(f"/projects/{project}/members", {"user": user, "role": role}, user=owner)
    assert made.status == 201, made
    return made.json["id"]


def test_parts_of_words_in_any_order(lab, who):
    for name, body in (("Minutes of the meeting", "Summarise the decisions."),
                       ("Letter", "Write a meeting invitation."),
                       ("Inclinometer", "Nothing.")):
        prompt(lab, who, name=name, body=body)
    for q, found in (("meeting", ["Minutes of the meeting", "Letter"]),
                     ("eeting minut", ["Minutes of the meeting"]),
                     ("MEETING  decisions", ["Minutes of the meeting"]),
                     ("invit lett", ["Letter"]), ("clino", ["Inclinometer"]),
                     ("meeting zebra", []), ("meeting meeting", ["Minutes of the meeting",
                                                                 "Letter"])):
        mine = [n for n in names(lab, q, user=who) if n in ("Letter", "Inclinometer",
                                                           "Minutes of the meeting")]
        assert mine == found, q


def test_names_before_texts(lab, who):
    word = uuid.uuid4().hex[:8]
    for name, body in (("D text", f"about {word}"), (f"C in{word}side", "x"),
                       (f"B the {word}", "x"), (f"{word} A", "x"), (f"A b {word}s", "x")):
        prompt(lab, who, name=name, body=body)
    ranked = [f"{word} A", f"A b {word}s", f"B the {word}", f"C in{word}side", "D text"]
    for size in (1, 2, 3, 100):
        assert names(lab, word, size=size, user=who) == ranked


@pytest.mark.parametrize("text, q", [
    ("Überprüfung", "uberpruf"), ("Uberprufung", "ÜBERPRÜF"), ("STRASSE", "straße"),
    ("Straße", "STRASS"), ("Café", "cafe\u0301"), ("Cafe\u0301", "café"), ("łódź", "lodz"),
    ("Ærø", "aero"), ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"), ("Ёлка", "ёлк"), ("İstanbul", "istanbul"),
    ("東京都庁", "京都"), ("ｱｲｳ Ｆｕｌｌ", "アイ full"), ("한국어", "한국"), ("ﬁnance", "fin"),
    ("soft\u00adware", "software"), ("กรุงเทพ", "งเท"), ("foo_bar", "o_b"), ("50% off", "0%"),
    ("C:\\temp", "\\t"), ("x'; DROP TABLE", "';"), ("a\u00a0b", "a b"), ("😀 fun", "😀")])
def test_all_scripts(lab, who, text, q):
    one = prompt(lab, who, name=f"{who} {text}")
    assert [p["id"] for p in find(lab, "/prompts", f"{who} {q}", user=who)] == [one["id"]]
    assert one["name"] == f"{who} {text}"


def test_what_is_like_a_pattern_is_a_text(lab, who):
    prompt(lab, who, name=f"{who} plain")
    for q in ("%", "_", "\\", "'", '"', "*", "?", "--", "/*", "\\0"):
        assert names(lab, f"{who} {q}", user=who) == [], q


def test_q_is_capped(lab, who):
    prompt(lab, who, name=f"{who} one two three four five six seven eight nine ten")
    refused = lab.get("/prompts?q=" + "x" * 201, user=who)
    assert (refused.status, refused.json["field"]) == (422, "q")
    assert lab.get("/prompts?q=" + urllib.parse.quote("é" * 200), user=who).status == 200
    assert len(names(lab, f"{who} ten nine eight seven six five four", user=who)) == 1
    # What follows the first seven words is one, as it stands.
    assert len(names(lab, f"{who} one two three four five six seven eight nine", user=who)) == 1
    assert names(lab, f"{who} one two three four five six nine eight", user=who) == []
    everything = lab.get("/prompts", user=who).json["totalCount"]
    for nothing in ("", "%20", "%E2%80%8B", "%20%C2%A0"):
        assert lab.get(f"/prompts?q={nothing}", user=who).json["totalCount"] == everything
    assert lab.get("/prompts?q=%ff", user=who).status == 400


def test_cursors_are_of_their_search(lab, who):
    for n in range(4):
        prompt(lab, who, name=f"{who} {n}")
    plain = lab.get("/prompts?pageSize=1", user=who).json["nextCursor"]
    searched = lab.get(f"/prompts?pageSize=1&q={who}", user=who).json["nextCursor"]
    for cursor, q in ((plain, f"&q={who}"), (searched, "")):
        refused = lab.get(f"/prompts?pageSize=1{q}&cursor={cursor}", user=who)
        assert (refused.status, refused.json["code"]) == (400, "invalid_cursor")


def test_a_change_is_found_at_once(lab, who):
    one = prompt(lab, who, name=f"{who} old", body="first text")
    at = f"/prompts/{one['id']}"

    def found(q):
        return bool(find(lab, "/prompts", f"{who} {q}", user=who))

    def change(**body):
        assert lab.call("PATCH", at, body, user=who).status == 200

    assert found("old first")
    change(body="second text")
    assert found("old second") and not found("first")
    change(name=f"{who} new")
    assert found("new second") and not found("old")
    change(icon="🙂")       # nothing that is searched
    assert found("new second")
    change(description="about it")
    assert found("about new second")
    change(description=None)
    assert not found("about")
    assert lab.call("DELETE", at, user=who).status == 204
    assert not found("")


def test_only_what_the_reader_sees(lab, who):
    word = uuid.uuid4().hex[:8]
    prompt(lab, who, name="mine", body=word)
    prompt(lab, who, ["g1"], name="group", body=word, tier="team", group="g1")
    other = prompt(lab, "o" + who, name="theirs", body=word)
    assert names(lab, word, user=who, groups=["g1"]) == ["group", "mine"]
    assert names(lab, word, user=who) == ["mine"]
    assert names(lab, word, user="eve", groups=["g1"]) == ["group"]
    assert names(lab, word, user="eve") == []
    shared = lab.post(f"/prompts/{other['id']}/shares", {"group": "g1"}, user="o" + who,
                      groups=["g1"])
    assert shared.status == 201, shared
    # Who reads it in two ways has it once.
    assert names(lab, word, user="o" + who, groups=["g1"], size=1) == ["group", "theirs"]


def test_in_a_category_and_among_files(lab, who):
    shipped = lab.get("/prompts?q=minutes", user=who).json["items"]
    assert shipped and shipped[0]["source"] == "config"
    made = lab.post("/prompt-categories", {"name": who}, **IT)
    assert made.status == 201, made
    category = made.json["id"]
    one = prompt(lab, who, name=f"Minutes {who}", categoryIds=[category])
    two = prompt(lab, who, name=f"Minutes too {who}")
    found = [p["id"] for p in find(lab, "/prompts", "minutes", size=1, user=who)]
    assert {one["id"], two["id"], shipped[0]["id"]} <= set(found)
    found = [p["id"] for p in find(lab, f"/prompts?category={category}", "minutes", size=1,
                                   user=who)]
    assert found == [one["id"]]
    picked = lab.get(f"/prompt-picker?q={who}&category={category}", user=who).json
    assert [p["name"] for p in picked["items"]] == [one["name"]]


def test_agents_of_files_and_rows(make_lab):
    lab = make_lab(config=ADMIN)
    for body in ({"name": "Roof helper", "systemPrompt": "You know about slates."},
                 {"name": "Other", "description": "For SLATE orders"},
                 {"name": "Mine", "systemPrompt": "slate", "visibility": "private"}):
        made = lab.post("/workspaces/lab/agents", {"visibility": "workspace", **body}, **IT)
        assert made.status == 201, made
    assert names(lab, "slate", "/workspaces/lab/agents", size=1, **IT) == [
        "Roof helper", "Other", "Mine"]
    assert names(lab, "slate", "/workspaces/lab/agents", user="eve") == [
        "Roof helper", "Other"]
    assert names(lab, "help slates", "/workspaces/lab/agents", **IT) == ["Roof helper"]
    files = lab.get("/workspaces/lab/agents", **IT).json["items"]
    name = next(a["name"] for a in files if a["source"] == "config")
    assert name in names(lab, name.upper(), "/workspaces/lab/agents", size=1, **IT)


def test_who_made_it_is_a_word_of_it(make_lab):
    """Prompts and agents are found by who wrote them, as records show it; not a row longer
    than its author's login is known."""
    lab = make_lab(config=ADMIN)
    it = {"user": "Zoe.Quill", "groups": ["it"]}
    there = "/workspaces/lab/agents"
    for body in ({"name": "Roofer", "systemPrompt": "Slates."}, {"name": "Wordless"}):
        made = lab.post(there, {"visibility": "workspace", **body}, **it)
        assert made.status == 201, made
    one = prompt(lab, it["user"], it["groups"], name="Slates", body="Count.", tier="tenant")
    prompt(lab, "eve", name="Mine", body="Count.")
    assert one["promptAuthor"] == it["user"]
    for q in ("zoë", "QUILL", "quill count", "zoe.qu"):
        assert names(lab, q, user="eve") == ["Slates"], q
    assert names(lab, "eve count", user="eve") == ["Mine"]
    assert names(lab, "quill", there, user="eve") == ["Roofer"]
    assert names(lab, "quill slates", there, size=1, user="eve") == ["Roofer"]
    # Who changes the text is its author; another field does not change that.
    at = f"/prompts/{one['id']}"
    assert lab.call("PATCH", at, {"description": "About roofs"}, **IT).status == 200
    assert names(lab, "quill roofs", user="eve") == ["Slates"]
    assert lab.call("PATCH", at, {"body": "Count them."}, **IT).status == 200
    assert names(lab, "quill", user="eve") == []
    assert names(lab, IT["user"] + " roofs", user="eve") == ["Slates"]
    assert "Slates" in lab.command("prompt", "list", IT["user"]).stdout
    lab.command("erase", "--user", it["user"], "--yes")
    assert names(lab, "quill", there, user="eve") == []
    assert names(lab, "slates", there, user="eve") == ["Roofer"]
    assert lab.sql("SELECT COUNT(*) FROM agent WHERE LOCATE('quill', folded)") == [["0"]]


def test_a_workspace_is_not_found_by_what_is_hidden(make_lab):
    """Its instructions are for those who may change it: nobody else finds out, word by
    word, what they are."""
    lab = make_lab(config=ADMIN)
    made = lab.post("/workspaces", {"name": "Gearbox", "description": "for all",
                                    "prompt": "secretword", "visibleTo": ["*"]}, **IT)
    assert made.status == 201, made
    assert names(lab, IT["user"], "/workspaces", user="eve") == []
    for user in (IT, {"user": "eve"}):
        assert names(lab, "gear all", "/workspaces", **user) == ["Gearbox"]
        assert names(lab, "secretword", "/workspaces", **user) == []


def test_rows_of_a_project(lab, who):
    id = project(lab, who, f"Orchard {who}")
    tasks = f"/projects/{id}/tasks"
    for body in ({"title": "Prune the apple tree", "description": "in winter"},
                 {"title": "Buy a ladder", "description": "for the apples",
                  "dueDate": "2027-02-01", "stateKey": "in_progress"},
                 {"title": "Ladder check", "dueDate": "2027-01-01"}):
        assert lab.post(tasks, body, user=who).status == 201
    lab.post(f"/projects/{id}/goals", {"title": "Apples"}, user=who)
    assert names(lab, "apple", tasks, user=who) == ["Prune the apple tree", "Buy a ladder"]
    assert names(lab, "ladder", tasks, size=1, user=who) == ["Ladder check", "Buy a ladder"]
    assert names(lab, "ladder", f"{tasks}?order=-dueDate", size=1, user=who) == [
        "Buy a ladder", "Ladder check"]
    assert names(lab, "ladder", f"{tasks}?stateKey=in_progress", user=who) == ["Buy a ladder"]
    assert names(lab, "ladder", f"{tasks}?dueDateTo=2027-01-15", user=who) == ["Ladder check"]
    assert names(lab, "winter", f"/projects/{id}/goals", user=who) == []
    assert names(lab, who, "/projects", user=who) == [f"Orchard {who}"]
    assert lab.get(f"{tasks}?q=apple", user="eve").status == 404


def test_members_find_as_long_as_they_are(lab, who):
    id = project(lab, who, f"Shared {who}")
    tasks = f"/projects/{id}/tasks"
    assert lab.post(tasks, {"title": "Weld"}, user=who).status == 201
    seat = member(lab, who, id, "m" + who, "viewer")
    assert names(lab, "wel", tasks, user="m" + who) == ["Weld"]
    assert names(lab, "shared", "/projects", user="m" + who) == [f"Shared {who}"]
    assert lab.call("DELETE", f"/projects/{id}/members/{seat}", user=who).status == 204
    assert lab.get(f"{tasks}?q=wel", user="m" + who).status == 404
    assert names(lab, "shared", "/projects", user="m" + who) == []


def test_undo_and_restore_bring_it_back(lab, who):
    id = project(lab, who, f"Kept {who}")
    tasks = f"/projects/{id}/tasks"
    task = lab.post(tasks, {"title": "Weld"}, user=who)
    at = f"{tasks}/{task.json['id']}"
    etag = {"If-Match": task.headers["ETag"]}
    changed = lab.call("PATCH", at, {"title": "Solder"}, user=who, headers=etag)
    assert changed.status == 200 and names(lab, "weld", tasks, user=who) == []

    def undo():
        last = lab.get(f"/projects/{id}/changes", user=who).json["items"][0]
        answer = lab.post(f"/projects/{id}/changes/{last['id']}/undo", {}, user=who)
        assert answer.status in (200, 201, 204), answer

    undo()
    assert names(lab, "weld", tasks, user=who) == ["Weld"]
    etag = {"If-Match": lab.get(at, user=who).headers["ETag"]}
    assert lab.call("DELETE", at, user=who, headers=etag).status == 204
    assert names(lab, "weld", tasks, user=who) == []
    undo()
    assert names(lab, "weld", tasks, user=who) == ["Weld"]


def test_migrate_folds_what_is_older(make_lab):
    lab = make_lab()
    prompt(lab, "ada", name="Éclair one", body="Brühe")
    id = project(lab, "ada", "Café")
    lab.post(f"/projects/{id}/tasks", {"title": "Prüfen"}, user="ada")
    for table in ("prompt", "project", "entity"):
        lab.sql(f"UPDATE {table} SET folded = NULL")
    assert names(lab, "eclair", user="ada") == []
    answer = lab.command("migrate")
    assert "3 rows can be searched now" in answer.stdout
    assert names(lab, "eclair bruhe", user="ada") == ["Éclair one"]
    assert names(lab, "cafe", "/projects", user="ada") == ["Café"]
    assert names(lab, "prufen", f"/projects/{id}/tasks", user="ada") == ["Prüfen"]
    assert "can be searched" not in lab.command("migrate").stdout


def test_a_thousand_matches_are_paged_once_each(make_lab):
    lab = make_lab()
    prompt(lab, "ada", name="seed")
    lab.sql("""
      CREATE TEMPORARY TABLE many AS SELECT RANDOM_BYTES(16) AS id, p.tenant_id, p.user_id,
        p.holder_id, CONCAT('same ', seq MOD 7) AS name FROM prompt p JOIN seq_1_to_1200;
      INSERT INTO prompt (id, tenant_id, user_id, version, created_us, updated_us, holder_id,
        sort_key, name, body, tier, folded) SELECT id, tenant_id, user_id, 0, 1, 1, holder_id,
        name, name, 'x', 'private', CONCAT(name, '\\n\\nx') FROM many;
      INSERT INTO prompt_reader (tenant_id, reader_id, sort_key, row_id, role)
        SELECT tenant_id, holder_id, name, id, 3 FROM many""")
    found = find(lab, "/prompts", "same", user="ada")
    assert len({p["id"] for p in found}) == len(found) == 1200
    keys = [p["name"] for p in found]
    assert keys == sorted(keys)


def test_a_tool_searches(make_lab):
    lab = make_lab()
    agent = lab.post("/workspaces/lab/agents", {
        "name": "Keeper", "toolIds": ["list_prompts"]}, user="zoe").json["agentId"]
    prompt(lab, "zoe", name="Quokka facts", body="About marsupials.")
    prompt(lab, "eve", name="Quokka of eve")
    events = lab.chat("!script " + json.dumps({"tool_calls": [
        {"name": "list_prompts", "args": {"q": "supial quok"}}], "then": {"text": "ok"}}),
        user="zoe", agentId=agent)
    result = next(e.data["result"] for e in events if e.name == "tool-result")
    assert [p["name"] for p in result["items"]] == ["Quokka facts"]


def test_the_command_searches(make_lab):
    lab = make_lab(config=ADMIN)
    prompt(lab, "root", ["it"], name="Café rules", body="Open at nine.", tier="tenant")
    prompt(lab, "root", ["it"], name="Other", tier="tenant")
    assert lab.command("prompt", "list", "NINE cafe").stdout.splitlines()[0].startswith(
        "Café rules")
    assert len(lab.command("prompt", "list", "NINE cafe").stdout.splitlines()) == 1
    assert len(lab.command("prompt", "list").stdout.splitlines()) == 2


def test_every_searched_list_takes_q(lab, who):
    forms = lab.get("/forms", user=who).json
    assert forms
    for path in ("/prompts", "/prompt-categories", "/knowledge-bases", "/projects",
                 "/conversation-folders", "/workspaces", "/workspaces/lab/agents"):
        assert lab.get(f"{path}?q=x", user=who).status == 200, path
    assert lab.get("/tokens?q=x", user=who).json["code"] == "unknown_field"
