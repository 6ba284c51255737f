# SPDX-License-Identifier: MIT
"""Documents of knowledge bases that are files: how they come in, what is found of
them, who gets them back, and that nothing of them is left."""

import pathlib
import sys
import uuid

import pytest

from cases_text import lines as file_lines, page as file_page
from described import check
from knowledge import base_of, found, left, settled, write
from lab import wait_until
from samples import docx, pdf

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "conf/demo"))
from sample_handbook import pdf as handbook_pdf  # noqa: E402

SCRIPT = (b"<h1>Leave</h1><p>Nine days carry over.</p>"
          b"<script>alert('quokka')</script><p onclick='quokka()'>Ask early.</p>")


@pytest.fixture
def who():
    """A user of this test alone."""
    return "u" + uuid.uuid4().hex[:12]


def upload(lab, base, user, data, name, member=(), **said):
    query = "&".join(f"{key}={value}" for key, value in {"name": name, **said}.items())
    return lab.call("POST", f"{base}/documents?{query}", data, user=user, groups=member,
                    headers={"Content-Type": "application/octet-stream"})


def form(fields, name, data):
    """A multipart body and its type."""
    parts = [f'--xYx\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
             for key, value in fields.items()]
    head = (f'--xYx\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: text/html\r\n\r\n")
    return ("".join(parts) + head).encode() + data + b"\r\n--xYx--\r\n", \
        "multipart/form-data; boundary=xYx"


def of_base(lab, base):
    """Rows of its files, wherever they are."""
    key = "UNHEX('" + base.rsplit("/", 1)[1].replace("-", "") + "')"
    return {"attachment": int(lab.sql(
        f"SELECT COUNT(*) FROM attachment WHERE user_id = {key}")[0][0]),
        "stored_file": int(lab.sql(
            f"SELECT COUNT(*) FROM stored_file WHERE user_id = {key}")[0][0]),
        "file_piece": int(lab.sql(
            "SELECT COUNT(*) FROM file_piece p JOIN stored_file f ON f.id = p.file_id"
            f" WHERE f.user_id = {key}")[0][0])}


def nothing_left(lab, base, but=0):
    lab.command("work")
    return sum(of_base(lab, base).values()) + sum(left(lab, base).values()) == but


def test_a_pdf_is_found_by_its_pages_and_given_back(lab, who):
    base = base_of(lab, who)
    data = pdf(["Rules of the house", "Nine days of leave carry over"])
    answer = upload(lab, base, who, data, "house-rules.pdf", externalId="hr-1")
    made = answer.json
    assert answer.status == 201, answer
    check("/knowledge-bases/{parent}/documents", "POST", answer)
    assert (made["title"], made["fileName"], made["status"], made["size"],
            made["mediaType"], made["pages"]) == (
        "house-rules", "house-rules.pdf", "queued", len(data), None, None)
    assert settled(lab, base, who)["ready"] == 1
    seen = lab.get(f"{base}/documents/{made['id']}", user=who)
    check("/knowledge-bases/{parent}/documents/{id}", "GET", seen)
    assert (seen.json["mediaType"], seen.json["pages"], seen.json["error"]) == (
        "application/pdf", 2, None)
    hit, = found(lab, base, "how many days carry over", who)
    assert (hit["page"], hit["title"]) == (2, "house-rules")
    got = lab.get(f"{base}/documents/{made['id']}/content", user=who)
    assert (got.status, got.body) == (200, data)
    assert got.headers["Content-Disposition"].startswith("attachment;")
    assert got.headers["X-Content-Type-Options"] == "nosniff"
    assert got.headers["Content-Security-Policy"].startswith("sandbox")
    # Nobody has it among their own attachments.
    assert lab.get("/attachments", user=who).json["items"] == []
    # Written again under its name, as text: the file goes, the id stays.
    again = lab.post(f"{base}/documents", {
        "title": "Rules", "text": "Ten days.", "externalId": "hr-1"}, user=who)
    assert (again.status, again.json["id"], again.json["fileName"]) == (
        200, made["id"], None)
    settled(lab, base, who)
    assert lab.get(f"{base}/documents/{made['id']}/content", user=who).status == 404
    wait_until("its file is gone", lambda: nothing_left(lab, base, sum(
        left(lab, base).values())))
    assert lab.call("DELETE", f"{base}/documents/{made['id']}", user=who).status == 204
    wait_until("nothing is left", lambda: nothing_left(lab, base, 1))


def test_words_that_are_broken_at_line_ends_are_found(lab, who):
    """Justified text breaks words; who searches for them does not."""
    base = base_of(lab, who, language="de")
    data = file_page(file_lines("Der jaehrliche Urlaubs-", "anspruch und die Reisekosten-",
                                "abrechnung regelt das Haus, Hin-", "und Rueckweg auch."))
    assert upload(lab, base, who, data, "hyphen.pdf").status == 201
    settled(lab, base, who)
    for word in ("Urlaubsanspruch", "Reisekostenabrechnung"):
        assert len(found(lab, base, word, who)) == 1, word


def test_headings_of_a_pdf_are_no_part_of_a_sentence(lab, who):
    """A PDF as the demo's handbook: what is larger or bold stands above the text."""
    base = base_of(lab, who)
    data = handbook_pdf([("Leave", ["Five days carry over to the next year, if they are"
                                    " not taken until the end of December at the latest.",
                                    "Ask early."]),
                         ("Travel", ["Second class is paid."])])
    upload(lab, base, who, data, "handbook.pdf")
    settled(lab, base, who)
    hit, = found(lab, base, "days carry over", who)
    assert (hit["page"], hit["heading"]) == (1, "Leave")
    assert hit["text"].startswith("Five days carry over"), hit["text"]
    assert "\n\nAsk early." in hit["text"] and "Travel" not in hit["text"]


def test_headings_come_from_the_file_and_scripts_do_not(lab, who):
    base = base_of(lab, who)
    body, kind = form({"title": "Leave", "externalId": "x", "groups": "[]",
                       "url": "https://intranet.example/leave"},
                      "../../etc/leave.html", SCRIPT)
    made = lab.call("POST", f"{base}/documents", body, user=who,
                    headers={"Content-Type": kind})
    assert made.status == 201, made
    assert (made.json["title"], made.json["fileName"], made.json["externalId"]) == (
        "Leave", "leave.html", "x")
    settled(lab, base, who)
    hit, = found(lab, base, "days", who)
    assert (hit["heading"], hit["url"]) == ("Leave", "https://intranet.example/leave")
    assert found(lab, base, "quokka", who) == []
    rows = docx("<w:p><w:r><w:t>Wombats are welcome.</w:t></w:r></w:p>")
    assert upload(lab, base, who, rows, "..%2F..%2Fa.docx").json["fileName"] == "a.docx"
    settled(lab, base, who)
    assert len(found(lab, base, "wombats", who)) == 1


def test_a_file_that_has_no_text_says_why_and_can_be_tried_again(lab, who):
    base = base_of(lab, who)
    for name, data, word in (("a.pdf", b"%PDF-1.4\nnothing more\n", "damaged"),
                             ("b.bin", bytes(range(256)) * 9, "no text"),
                             ("c.txt", b" \n\n", "empty")):
        assert upload(lab, base, who, data, name, externalId=name).status == 201
        settled(lab, base, who)
        bad, = [d for d in lab.get(f"{base}/documents?status=failed", user=who).json["items"]
                if d["externalId"] == name]
        assert word in bad["error"] and bad["error"].endswith("."), bad
    again = lab.post(f"{base}/documents/{bad['id']}/retry", None, user=who)
    assert (again.status, again.json["status"], again.json["error"]) == (200, "queued", None)
    assert settled(lab, base, who) == {"queued": 0, "ready": 0, "failed": 3}
    fine = upload(lab, base, who, b"It is well.", "c.txt", externalId="c.txt").json
    assert settled(lab, base, who)["ready"] == 1
    refused = lab.post(f"{base}/documents/{fine['id']}/retry", None, user=who)
    assert (refused.status, "failed" in refused.json["detail"]) == (409, True)


@pytest.mark.parametrize("harm, tries, word", [
    ("DELETE FROM file_piece WHERE file_id IN"
     " (SELECT id FROM stored_file WHERE size = 11 AND user_id = {})", 0, "missing"),
    ("UPDATE stored_file SET place = 'tmp/0' WHERE size = 11 AND user_id = {}", 9,
     "at the moment")])
def test_a_file_that_cannot_be_read_does_not_hold_up_the_others(lab, who, harm, tries,
                                                                word):
    base = base_of(lab, who)
    key = base.rsplit("/", 1)[1]
    assert lab.call("PATCH", base, {"paused": True}, user=who).status == 200
    bad = upload(lab, base, who, b"It is lost.", "bad.txt").json
    upload(lab, base, who, b"It is kept here.", "good.txt")
    write(lab, base, who, "It is written.")
    lab.sql(harm.format(f"UNHEX('{key.replace('-', '')}')"))
    assert lab.call("PATCH", base, {"paused": False}, user=who).status == 200
    wait_until("the others are ready", lambda: lab.get(
        f"{base}/progress", user=who).json["ready"] == 2)
    if tries:
        # It is tried a few times, and later each time.
        assert lab.get(f"{base}/progress", user=who).json["queued"] == 1
        wait_until("it has failed", lambda: lab.sql(
            f"SELECT 1 FROM job WHERE subject = '{key}' AND error IS NOT NULL"))
        lab.sql(f"UPDATE job SET attempts = {tries}, due_us = 0 WHERE subject = '{key}'"
                " AND kind = 'knowledge-index'")
        lab.command("work")
    assert settled(lab, base, who) == {"queued": 0, "ready": 2, "failed": 1}
    assert word in lab.get(f"{base}/documents/{bad['id']}", user=who).json["error"]


def test_files_are_of_the_groups_that_they_name(lab, who):
    base = base_of(lab, who)
    reader = who + "r"
    lab.post(f"{base}/shares", {"group": "staff"}, user=who, groups=["staff"])
    secret = upload(lab, base, who, b"The numbat budget is nine.", "numbat.txt",
                    groups='%5B%22board%22%5D', externalId="n").json
    settled(lab, base, who)
    seen = {"user": reader, "groups": ["staff"]}
    for path in ("", "/content"):
        assert lab.get(f"{base}/documents/{secret['id']}{path}", **seen).status == 404
    assert lab.get(f"{base}/documents", **seen).json["items"] == []
    assert lab.post(f"{base}/search", {"query": "numbat"}, **seen).json["items"] == []
    assert lab.get(f"{base}/progress", **seen).status == 403
    member = {"user": who + "b", "groups": ["staff", "board"]}
    assert lab.get(f"{base}/documents/{secret['id']}/content", **member).status == 200
    # They read; they neither write nor try again.
    assert upload(lab, base, member["user"], b"x", "x.txt").status == 404
    answer = upload(lab, base, member["user"], b"x", "x.txt", member["groups"])
    assert answer.status == 403, answer
    assert lab.post(f"{base}/documents/{secret['id']}/retry", None, **member).status == 403


def test_what_does_not_fit_is_refused(lab, who):
    base = base_of(lab, who)
    for said, field in (({"externalId": ""}, "externalId"), ({"title": "%20"}, "title"),
                        ({"groups": "board"}, "groups"), ({"groups": "%7B%7D"}, "groups")):
        answer = upload(lab, base, who, b"x", "x.txt", **said)
        assert (answer.status, answer.json["field"]) == (422, field), answer
    body, kind = form({"colour": "red"}, "x.txt", b"x")
    answer = lab.call("POST", f"{base}/documents", body, user=who,
                      headers={"Content-Type": kind})
    assert (answer.status, answer.json["field"]) == (422, "colour"), answer
    answer = lab.call("POST", f"{base}/documents",
                      b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx'
                      b"\r\n--b--\r\n", user=who,
                      headers={"Content-Type": "multipart/form-data; boundary=b"})
    assert (answer.status, answer.json["field"]) == (422, "file"), answer
    assert of_base(lab, base) == {"attachment": 0, "stored_file": 0, "file_piece": 0}


def test_nothing_does_not_replace_a_document(lab, who):
    """mod_fcgid passes on an empty body in place of one that is too long for Apache."""
    base = base_of(lab, who)
    upload(lab, base, who, b"Wombats are welcome.", "x.txt", externalId="x")
    settled(lab, base, who)
    body, kind = form({"externalId": "x"}, "x.txt", b"")
    for answer in (upload(lab, base, who, b"", "x.txt", externalId="x"),
                   lab.call("POST", f"{base}/documents", body, user=who,
                            headers={"Content-Type": kind})):
        assert (answer.status, answer.json["field"]) == (422, "file"), answer
        assert "No bytes came" in answer.json["detail"]
    assert settled(lab, base, who) == {"queued": 0, "ready": 1, "failed": 0}
    assert len(found(lab, base, "wombats", who)) == 1
    assert of_base(lab, base)["attachment"] == 1


def test_a_repeated_request_is_one_document(lab, who):
    base = base_of(lab, who)
    ids = {lab.call("POST", f"{base}/documents?name=a.txt", b"Once.", user=who, headers={
        "Content-Type": "text/plain", "Idempotency-Key": "k1"}).json["id"] for _ in range(2)}
    assert len(ids) == 1
    settled(lab, base, who)
    wait_until("one file is there", lambda: (
        lab.command("work"), of_base(lab, base)["attachment"])[1] == 1)


def test_a_base_takes_its_files_along(lab, who):
    base = base_of(lab, who, paused=True)
    for i in range(3):
        assert upload(lab, base, who, b"Number %d." % i, f"{i}.txt").status == 201
    assert lab.get(f"{base}/progress", user=who).json["queued"] == 3
    assert of_base(lab, base)["file_piece"] == 3
    assert lab.call("DELETE", base, user=who).status == 204
    wait_until("nothing is left", lambda: nothing_left(lab, base))
