# SPDX-License-Identifier: MIT
"""Projects as files: one JSON, and a folder of Markdown in a ZIP archive. What goes out
comes in as the same; what is hostile or wrong makes nothing."""

import copy
import io
import json
import stat
import warnings
import zipfile

import pytest

from projects import make, owner, signed_in  # noqa: F401

FORMATS = ["json", "markdown"]
LINE = 'Größe "2" \\ 漢 \ufeff: # [x] {y}'
ODD = LINE + ' \u2028\u0085\x7f'


def export(lab, user, project, form="json", status=200):
    said = lab.call("GET", f"/projects/{project}/export?format={form}", user=user)
    assert said.status == status, said
    return said


def send(lab, user, data, name=None):
    return lab.call("POST", "/projects/import" + (f"?name={name}" if name else ""),
                    data if isinstance(data, bytes) else json.dumps(data).encode(), user=user,
                    headers={"Content-Type": "application/octet-stream"})


def archive(files, links=()):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z, warnings.catch_warnings():
        warnings.simplefilter("ignore")     # of two files of one name
        for path, text in files:
            z.writestr(path, text)
        for path, to in links:
            info = zipfile.ZipInfo(path)
            info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            z.writestr(info, to)
    return out.getvalue()


def count(lab, user):
    return lab.get("/projects?pageSize=100", user=user).json["totalCount"]


def big(lab, user):
    """A project with all there is."""
    p = make(lab, "/projects", user, name="Roof / " + LINE, description="Two\n\nparagraphs: yes",
             typeKey="event", stateKey="active", startDate="2027-01-02")["id"]
    at = f"/projects/{p}"
    texts = ["", "---\nkey: value\n---\nbody\n", "\n\n  # " + ODD + "\r\n```\n---\n```\n\n", "x"]
    docs = []
    for i, text in enumerate(texts):
        docs.append(make(lab, f"{at}/documents", user, title=f"{i} " + LINE, content=text,
                         description="no: " + ODD, parentId=docs[0] if i % 2 else None)["id"])
    docs.append(make(lab, f"{at}/documents", user, title="deep", parentId=docs[1])["id"])
    # Not in the order in which they were made.
    moved = lab.post(f"{at}/tree", {"documentId": docs[2], "position": 0}, user=user)
    assert moved.status == 200, moved
    task = make(lab, f"{at}/tasks", user, title="true", stateKey="done", doneDate="2026-02-03",
                priority="high", owner=user, description=" null")["id"]
    for kind in ("goals", "plans", "milestones"):
        make(lab, f"{at}/{kind}", user, title=kind + " 1.10")
    risk = make(lab, f"{at}/risks", user, title="..", likelihood="low",
                mitigation="a\tb\n" + ODD)["id"]
    make(lab, f"{at}/requirements", user, title="- x", priority="must", acceptance="'")
    make(lab, f"{at}/edges", user, fromId=task, toId=docs[3], relation="documents")
    make(lab, f"{at}/edges", user, fromId=task, toId=risk, relation="mitigates")
    make(lab, f"{at}/calendars", user, name="Ours", colour="#123456", timeZone="Asia/Tokyo")
    event = make(lab, f"{at}/events", user, title="Weekly", start="2027-03-01T09:00",
                 recurrence="FREQ=WEEKLY;COUNT=5", skipped=["2027-03-08"])
    changed = lab.call("PATCH", f"{at}/events/{event['id']}/occurrences/2027-03-15",
                       {"title": "Moved"}, user=user, headers={"If-Match": "*"})
    assert changed.status == 200, changed
    return p


def plain(data):
    """Without what is another one each time: ids are numbers in the order of the file."""
    data = copy.deepcopy(data)
    del data["exportedAt"]
    ids = {}
    parts = [data["project"], *(one for part in data.values() if isinstance(part, list)
                                for one in part)]
    for one in parts:
        ids[one.pop("id")] = len(ids)
    for one in parts:
        for key in ("parentId", "fromId", "toId", "seriesId"):
            if one.get(key):
                one[key] = ids[one[key]]
        # A file cannot tell an empty text from none.
        if one.get("content") == "":
            one["content"] = None
    data["edges"].sort(key=str)
    return data


@pytest.mark.parametrize("form", FORMATS)
def test_what_goes_out_comes_in_as_the_same(lab, owner, form):
    project = big(lab, owner)
    before = json.loads(export(lab, owner, project).body)
    out = export(lab, owner, project, form)
    assert f".{'json' if form == 'json' else 'zip'}\"" in out.headers["Content-Disposition"]
    made = send(lab, owner, out.body if isinstance(out.body, bytes) else out.body.encode())
    assert made.status == 201, made
    assert made.json["made"] == {"documents": 5, "tasks": 1, "goals": 1, "plans": 1,
                                 "milestones": 1, "risks": 1, "requirements": 1,
                                 "calendars": 1, "events": 2, "edges": 2}
    assert made.headers["Location"] == f"projects/{made.json['projectId']}"
    after = json.loads(export(lab, owner, made.json["projectId"]).body)
    assert plain(after) == plain(before)
    # Another name, by the command, for another user: whom nobody knows is left out.
    other = signed_in(lab, "g")
    before["tasks"][0]["owner"] = "nobody-" + other
    run = lab.command("project", "import", "-", "--user", other, "--name", "Second",
                      stdin=json.dumps(before))
    assert "Second" in run.stdout and "documents\t5" in run.stdout
    assert "tasks[0]: its owner is left out" in run.stderr
    shown = lab.command("project", "export", run.stdout.split("\t")[0], "--user", other)
    assert json.loads(shown.stdout)["project"]["name"] == "Second"


def test_folders_of_others_are_documents(lab, owner):
    data = archive([
        ("vault/.obsidian/app.md", "x"), ("vault/a.png", b"\x89PNG"), ("vault/Zebra.md", "z"),
        ("vault/Notes/02 Second.md", "---\ntags: [a, 1]\nstatus: open\n---\ntext"),
        ("vault/Notes/01 First.md", "---\ntitle: 2027\n---\n\n# Hi"),
        ("vault/Notes/Deep/er/x.markdown", b"caf\xe9"), ("vault/Notes.md", "all notes"),
        ("vault/tasks/1 Buy.md", "---\nstateKey: done\nlinks:\n- {toId: n1}\n---\n"),
        ("vault/tasks/2.md", "---\nid: n1\n---\n")],
        links=[("vault/evil.md", "/etc/passwd")])
    made = send(lab, owner, data)
    assert made.status == 201, made
    assert made.json["name"] == "vault"
    assert made.json["made"]["documents"] == 7 and made.json["made"]["tasks"] == 2
    got = json.loads(export(lab, owner, made.json["projectId"]).body)
    titles = {one["id"]: one["title"] for one in got["documents"]}
    assert [(one["title"], titles.get(one["parentId"])) for one in got["documents"]] == [
        ("Notes", None), ("2027", "Notes"), ("Second", "Notes"), ("Deep", "Notes"),
        ("er", "Deep"), ("x", "er"), ("Zebra", None)]
    assert [one["title"] for one in got["tasks"]] == ["Buy", "2"]
    assert got["documents"][5]["content"] == "caf\ufffd"


def test_names_of_other_systems(lab, owner):
    """Dots within them, letters of other scripts, and those of a charset of old."""
    data = archive([("notes/01. Größe v1.2/漢字.md", "x"), ("notes/1990 A.b.md", "y"),
                    ("notes/caf_.md", "z")]).replace(b"caf_.md", b"caf\xe9.md")
    made = send(lab, owner, data)
    assert made.status == 201, made
    got = json.loads(export(lab, owner, made.json["projectId"]).body)["documents"]
    assert [one["title"] for one in got] == ["01. Größe v1.2", "漢字", "A.b", "caf\ufffd"]


def test_names_that_begin_with_a_dot(lab, owner):
    """A project's name is that of a folder, which then is none that is hidden."""
    for name, folder in ((".NET", "-NET"), ("..", "-")):
        project = make(lab, "/projects", owner, name=name)["id"]
        make(lab, f"/projects/{project}/documents", owner, title=".x")
        out = export(lab, owner, project, "markdown").body
        assert zipfile.ZipFile(io.BytesIO(out)).namelist() == [
            f"{folder}/project.md", f"{folder}/documents/01 -x.md"]
        made = send(lab, owner, out)
        assert made.status == 201, made
        assert (made.json["name"], made.json["made"]["documents"]) == (name, 1)
    made = send(lab, owner, archive([("./vault/a.md", "x"), (".\\vault\\b\\c.md", "y"),
                                     ("././vault/d.md", "z"), ("./vault/.e/f.md", "w"),
                                     ("./vault/g.png", "")]))
    assert made.status == 201, made
    assert (made.json["name"], made.json["made"]["documents"]) == ("vault", 4)


def test_one_file_is_the_project(lab, owner):
    made = send(lab, owner, archive([
        ("project.md", "---\nname: Roof\n---\n"), ("project.markdown", "---\nname: x\n---\n"),
        ("tasks/project.md", ""), ("documents/project.md", "")]))
    assert made.status == 201, made
    assert count(lab, owner) == 1
    assert (made.json["made"]["tasks"], made.json["made"]["documents"]) == (1, 2)


def bomb():
    return archive([("a.md", b"\0" * (17 << 20))])


HOSTILE = [
    ("a path that leads out", lambda: archive([("../../a.md", "x")]), "../../a.md"),
    ("one within", lambda: archive([("a/../../b.md", "x")]), "a/../../b.md"),
    ("an absolute path", lambda: archive([("/etc/a.md", "x")]), "/etc/a.md"),
    ("a drive", lambda: archive([("C:\\a.md", "x")]), "C:"),
    ("two files of one path", lambda: archive([("a.md", "x"), ("a.md", "y")]), "two files"),
    ("a bomb", bomb, "expands"),
    ("too many files", lambda: archive([(f"{i}.txt", "") for i in range(20001)]), "expands"),
    ("only links", lambda: archive([], [("a.md", "b")]), "no Markdown"),
    ("no archive", lambda: b"PK\3\4" + b"x" * 100, "archive"),
    ("cut off", lambda: archive([("a.md", "x" * 9999), ("b.md", "y")])[:80], "archive"),
    ("an alias", lambda: archive([("a.md", "---\na: &x [1]\nb: *x\n---\n")]), "front matter"),
    ("no mapping", lambda: archive([("a.md", "---\n- 1\n---\n")]), "front matter"),
    ("deep front matter", lambda: archive([("a.md", "---\na: " + "[" * 50 + "]" * 50 +
                                            "\n---\n")]), "front matter"),
    ("no text", lambda: archive([("b/a.md", b"x\0y"), ("b/c.md", "z")]), "b/a.md: "),
    ("a value that is no text", lambda: archive([("b/a.md", '---\na: "x\\0"\n---\n')]),
     "b/a.md: "),
    ("a name that is none", lambda: archive([("b/a.md", '---\n"x\\0": 1\n---\n')]), "b/a.md: "),
    ("a state that is none", lambda: archive([("tasks/x.md", "---\nstateKey: nope\n---\n")]),
     "tasks/x.md: stateKey"),
    ("a link to nothing", lambda: archive([("a.md", "---\nlinks: [{toId: b}]\n---\n")]),
     "a.md: one of its ids"),
    ("two of one id", lambda: archive([("a.md", "---\nid: i\n---\n"),
                                       ("b.md", "---\nid: i\n---\n")]), "b.md"),
    ("no JSON", lambda: b"{", "JSON"),
    ("other JSON", lambda: b"{}", "exported"),
]


@pytest.mark.parametrize("data,word", [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_hostile_archives_make_nothing(lab, owner, data, word):
    refused = send(lab, owner, data())
    assert refused.status in (400, 422), refused
    assert word in refused.json["detail"]
    assert count(lab, owner) == 0


def test_a_fault_anywhere_makes_nothing(lab, owner):
    good = json.loads(export(lab, owner, make(lab, "/projects", owner, name="x")["id"]).body)
    doc = {"id": "a", "title": "A"}
    # Whose it is, whoever imports it says.
    for key, value in (("tier", "tenant"), ("tier", "team"), ("group", "x")):
        refused = send(lab, owner, {**good, "project": {**good["project"], key: value}})
        assert refused.status == 422 and f"project: {key} " in refused.json["detail"], refused
    for part, items, word in [
            ("tasks", [{"title": "ok"}, {"title": "x" * 201}], "tasks[1]: title"),
            ("tasks", [{"title": "ok", "nonsense": 1}], "nonsense"),
            ("documents", [doc, {"title": "b", "parentId": "zz"}], "documents[1]"),
            ("documents", [{**doc, "parentId": "b"}, {"id": "b", "title": "b", "parentId": "a"}],
             "leads back"),
            ("edges", [{"fromId": "a", "toId": "a"}], "edges[0]"),
            ("events", [{"title": "e", "start": "later"}], "events[0]: start"),
            ("events", [{"title": "e", "start": "2027-01-01", "occurrence": "x"}], "occurrence"),
            ("nonsense", [], "nonsense"), ("tasks", {}, "array"), ("tasks", [1], "object"),
            ("documents", [{"id": str(i), "title": "x", "parentId": str(i - 1) if i else None}
                           for i in range(17)], "documents[16]")]:
        refused = send(lab, owner, {**good, "documents": [doc], part: items})
        assert refused.status == 422 and refused.json["field"] == "body", (part, refused)
        assert word in refused.json["detail"], refused
    assert count(lab, owner) == 1
    # More than a page of a list.
    many = [{"title": str(i)} for i in range(250)]
    made = send(lab, owner, {**good, "tasks": many})
    after = json.loads(export(lab, owner, made.json["projectId"]).body)["tasks"]
    assert [one["title"] for one in after] == [str(i) for i in range(250)]
    # A child before what is above it is no fault.
    good["documents"] = [{"title": "b", "parentId": "a"}, doc]
    assert send(lab, owner, good).status == 201
    assert send(lab, owner, {**good, "version": 2}).status == 422
    assert lab.get("/projects/00000000-0000-7000-8000-000000000000/export",
                   user=owner).status == 404


def test_who_may(lab, owner):
    project = make(lab, "/projects", owner, name="x")["id"]
    viewer = signed_in(lab, "v")
    export(lab, viewer, project, status=404)
    make(lab, f"/projects/{project}/members", owner, user=viewer, role="viewer")
    make(lab, f"/projects/{project}/calendars", owner, visibility="editor")
    make(lab, f"/projects/{project}/events", owner, title="secret", start="2027-01-01")
    seen = json.loads(export(lab, viewer, project).body)
    assert seen["events"] == [] and len(json.loads(export(lab, owner, project).body)["events"])
    said = lab.call("GET", f"/projects/{project}/export?format=pdf", user=owner)
    assert (said.status, said.json["field"]) == (422, "format")
    run = lab.command("project", "export", project, "--user", "nobody", check=False)
    assert run.returncode == 1
    for args in (["x"], ["export", project], ["import"], ["export", project, "--format", "pdf"]):
        assert lab.command("project", *args, check=False).returncode == 2
