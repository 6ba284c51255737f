# SPDX-License-Identifier: MIT
"""Chores (tests/examples/chore): all that their rows in resource.def bring along, and no
line of code."""

import json
import time

from lab import Stream, wait_until


def project(lab, user="ada", name="House"):
    made = lab.post("/projects", {"name": name}, user=user)
    assert made.status == 201, made
    return made.json["id"]


def helper(lab):
    """An agent that everybody sees."""
    return "lab/" + lab.get("/workspaces/lab/agents", user="ada").json["items"][0]["agentId"]


def add(lab, chores, user="ada", **body):
    made = lab.post(chores, body, user=user)
    assert made.status == 201, made
    return made


def change(lab, at, user="ada", **body):
    tag = lab.get(at, user=user).headers["ETag"]
    return lab.call("PATCH", at, body, user=user, headers={"If-Match": tag})


def titles(lab, path, user="ada"):
    page = lab.get(path, user=user)
    assert page.status == 200, page
    return "".join(c["title"] for c in page.json["items"])


def test_the_routes(lab):
    id = project(lab)
    chores = f"/projects/{id}/chores"
    made = add(lab, chores, title="Sweep", tags=["floor", "daily"], due="2027-03-01",
               agent=helper(lab), text="# How\r\n\r\n- with a *broom*\r")
    chore = made.json
    at = f"{chores}/{chore['id']}"
    assert {k: chore[k] for k in ("title", "stateKey", "due", "tags", "agent", "text", "version")} \
        == {"title": "Sweep", "stateKey": "open", "due": "2027-03-01", "tags": ["floor", "daily"],
            "agent": helper(lab), "text": "# How\n\n- with a *broom*\n", "version": 1}
    assert lab.get(at, user="ada").json == chore
    assert lab.call("PATCH", at, {"stateKey": "closed"}, user="ada").status == 428
    changed = change(lab, at, stateKey="waiting", tags=[], agent=None).json
    assert (changed["stateKey"], changed["tags"], changed["agent"]) == ("waiting", None, None)
    for body, field in (({"stateKey": "x"}, "stateKey"), ({"due": "2027-02-30"}, "due"),
                        ({"tags": ["a"] * 6}, "tags"),
                        ({"text": "a\x00b"}, None), ({"agent": "lab/nobody"}, "agent"),
                        ({"agent": "nowhere/default"}, "agent"), ({"agent": "default"}, "agent"),
                        ({"agent": ""}, "agent"), ({"agent": helper(lab) + "\n"}, "agent")):
        refused = change(lab, at, **body)
        assert refused.status in (400, 422) and refused.json.get("field") == field, (body, refused)
    assert lab.get(at, user="eve").status == 404
    gone = lab.call("DELETE", at, user="ada",
                    headers={"If-Match": lab.get(at, user="ada").headers["ETag"]})
    assert gone.status == 204 and titles(lab, chores) == ""


def test_an_agent_that_one_does_not_see(lab):
    id = project(lab, "zoe", "Hers")
    mine = lab.post("/workspaces/lab/agents", {"name": "Private one", "visibility": "private"},
                    user="zoe").json["agentId"]
    add(lab, f"/projects/{id}/chores", "zoe", title="x", agent=f"lab/{mine}")
    other = project(lab, "ada", "His")
    refused = lab.post(f"/projects/{other}/chores", {"title": "x", "agent": f"lab/{mine}"},
                       user="ada")
    assert (refused.status, refused.json["field"]) == (422, "agent")


def test_filters_orders_and_the_search(lab):
    chores = f"/projects/{project(lab, name='Lists')}/chores"
    for title, due, state, tags, text in (
            ("A", "2027-02-01", "open", ["Küche"], None),
            ("B", None, "closed", ["garden"], "Mow the *lawn* in the kuchen garden"),
            ("C", "2027-01-01", "open", ["garden"], "# Lawn\n\nRake.")):
        add(lab, chores, title=title, due=due, stateKey=state, tags=tags, text=text)
    for query, wanted in (("", "CBA"), ("?order=due", "CAB"), ("?order=-due", "ACB"),
                          ("?stateKey=open", "CA"), ("?stateKey=!open", "B"),
                          ("?dueFrom=2027-01-15", "A"), ("?q=law", "CB"), ("?q=kuche", "BA"),
                          ("?q=garden%20rak", "C"), ("?q=garden&order=due", "CB"),
                          ("?q=garden&stateKey=closed", "B"), ("?q=nothing", "")):
        assert titles(lab, chores + query) == wanted, query
        assert lab.get(chores + query, user="eve").status == 404


def test_its_tools(lab):
    agent = lab.post("/workspaces/lab/agents", {
        "name": "Keeper", "toolIds": ["group:chores"]}, user="zoe").json["agentId"]
    id = project(lab, "zoe")

    def ask(tool, **args):
        events = lab.chat("!script " + json.dumps(
            {"tool_calls": [{"name": tool, "args": args}], "then": {"text": "ok"}}),
            user="zoe", agentId=agent)
        found = [e for e in events if e.name == "tool-result"]
        return found[0].data["result"] if found else [
            e.name for e in events if e.name == "approval-request"]

    made = ask("create_chore", project_id=id, title="Roof", text="# A\n\none\n\n# B\n\ntwo\n",
               tags=["up"], agent=helper(lab))
    at = f"/projects/{id}/chores/{made['id']}"
    assert made == lab.get(at, user="zoe").json
    assert ask("get_chore", chore_id=made["id"]) == made
    assert ask("list_chores", project_id=id, q="roo up")["items"][0]["title"] == "Roof"
    changed = ask("change_chore", chore_id=made["id"], version=1, text="three", text_mode="section",
                  text_section="B")
    assert changed["text"].split() == ["#", "A", "one", "#", "B", "three"]
    added = ask("change_chore", chore_id=made["id"], text="# C", text_mode="append")
    assert added["text"].endswith("# C")
    assert "version" in json.dumps(ask("change_chore", chore_id=made["id"], title="x", version=1))
    assert ask("list_chore_versions", choreId=made["id"])["items"]
    assert ask("delete_chore", chore_id=made["id"], version=3) == ["approval-request"]


def test_another_window_is_told(lab):
    id = project(lab, name="Told")
    stream = Stream(*lab.open("GET", "/notifications", user="ada", timeout_s=20))
    events = iter(stream)
    assert next(events).name == "ready"
    chore = add(lab, f"/projects/{id}/chores", title="Seen").json
    told = next(e.data for e in events
                if e.name == "entity-patch" and e.data["entityId"] == chore["id"])
    stream.close()
    assert (told["projectId"], told["entityType"], told["action"], told["version"]) == (
        id, "chore", "create", 1)


def test_history_undo_and_versions(lab):
    id = project(lab, name="Kept")
    chores = f"/projects/{id}/chores"
    chore = add(lab, chores, title="Old", text="first").json
    at = f"{chores}/{chore['id']}"
    assert change(lab, at, title="New", text="second").status == 200

    def history():
        return [(c["verb"], c["kind"], c["title"], c["fields"]) for c in
                lab.get(f"/projects/{id}/changes", user="ada").json["items"]
                if c["kind"] == "chore"]

    def undo():
        last = lab.get(f"/projects/{id}/changes", user="ada").json["items"][0]
        assert lab.post(f"/projects/{id}/changes/{last['id']}/undo", {},
                        user="ada").status in (200, 201)

    assert history()[0] == ("update", "chore", "New", ["title", "text"])
    kept = lab.get(f"/chores/{chore['id']}/versions", user="ada").json["items"]
    assert [v["title"] for v in kept] == ["New", "Old"]
    undo()
    now = lab.get(at, user="ada")
    assert (now.json["title"], now.json["text"]) == ("Old", "first")
    assert titles(lab, chores + "?q=first") == "Old"
    assert lab.call("DELETE", at, user="ada",
                    headers={"If-Match": now.headers["ETag"]}).status == 204
    undo()
    again = lab.get(at, user="ada").json
    assert (again["title"], again["text"], again["id"]) == ("Old", "first", chore["id"])
    assert titles(lab, chores + "?q=first") == "Old"


def hex_of(uuid):
    return f"UNHEX('{uuid.replace('-', '')}')"


def test_it_goes_with_its_project(lab):
    id = project(lab, name="Ends")
    chore = add(lab, f"/projects/{id}/chores", title="x").json
    assert lab.call("DELETE", f"/projects/{id}", user="ada", headers={
        "If-Match": lab.get(f"/projects/{id}", user="ada").headers["ETag"]}).status == 204
    assert lab.get(f"/projects/{id}/chores?q=x", user="ada").status == 404
    # What is deleted can be brought back for a while.
    lab.sql(f"UPDATE project SET deleted_us = 1 WHERE id = {hex_of(id)};"
            " UPDATE job SET due_us = 1, created_us = 1 WHERE kind = 'below-purge'")

    def left():
        return lab.sql(f"SELECT 1 FROM chore WHERE id = {hex_of(chore['id'])}")

    deadline = time.monotonic() + 60
    while left() and time.monotonic() < deadline:
        lab.command("work")
        lab.sql("UPDATE job SET due_us = 1, created_us = 1 WHERE kind = 'below-purge'")
    assert not left()


def test_export_and_erasure(lab):
    id = project(lab, "mia", "Hers")
    add(lab, f"/projects/{id}/chores", "mia", title="Take me out", text="all of it",
        tags=["t"], agent=helper(lab))
    out = lab.command("export", "--user", "mia").stdout
    assert "Take me out" in out and "all of it" in out and "folded" not in out
    lab.command("erase", "--user", "mia", "--yes")
    wait_until("it is gone", lambda: not lab.sql(
        "SELECT 1 FROM chore WHERE title = 'Take me out'"))


def test_the_command(lab):
    id = project(lab, name="By hand")
    path = f"projects/{id}/chores"

    def ask(verb, *args, body=None, user="ada", check=True):
        done = lab.command("resource", verb, *args, "--user", user, check=check,
                           stdin=json.dumps(body) if body else None)
        return json.loads(done.stdout) if check and done.stdout else done

    made = ask("create", path, "-", body={"title": "Sweep", "due": "2027-03-01",
                                          "tags": ["floor"], "agent": helper(lab)})
    at = f"{path}/{made['id']}"
    assert made == lab.get("/" + at, user="ada").json == ask("show", at)
    ask("create", "/" + path, "-", body={"title": "Mop", "stateKey": "closed"})
    for params, wanted in (([], "Mop Sweep"), (["q=FLOO"], "Sweep"), (["stateKey=!open"], "Mop"),
                           (["order=due", "pageSize=1"], "Sweep")):
        assert " ".join(c["title"] for c in ask("list", path, *params)["items"]) == wanted
    changed = ask("change", at, "-", body={"tags": None, "title": "Sweep well"})
    assert (changed["title"], changed["tags"], changed["version"]) == ("Sweep well", None, 2)
    assert [v["title"] for v in ask("list", f"chores/{made['id']}/versions")["items"]] == [
        "Sweep well", "Sweep"]
    for args, body, user, says in (
            (("show", at), None, "eve", "no such"), (("change", at, "-"), {"titel": "x"}, "ada", "title"),
            (("create", path, "-"), {"title": "x", "due": "soon"}, "ada", "due"),
            (("list", path, "colour=red"), None, "ada", '"colour" is not a parameter'),
            (("list", "chores"), None, "ada", "list resources"),
            (("show", path), None, "ada", "list resources")):
        refused = ask(*args, body=body, user=user, check=False)
        assert refused.returncode == 1 and says in refused.stderr, refused
    assert ask("delete", at).stdout == ""
    assert titles(lab, "/" + path) == "Mop"


def test_the_description(lab):
    rows = lab.command("list", "resources").stdout.splitlines()
    assert "resource\tCHORE\tchore\tBELOW projects/{parent:uuid}/chores" in rows
    [form] = [f for f in lab.get("/forms", user="ada").json["items"]
              if f["path"] == "projects/{parent}/chores"]
    field = {f["key"]: f for f in form["fields"]}
    assert form["search"] and field["text"]["markdown"] and field["text"]["multiline"]
    assert [c["value"] for c in field["stateKey"]["choices"]] == ["open", "waiting", "closed"]
