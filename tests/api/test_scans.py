# SPDX-License-Identifier: MIT
"""Scanned pages and images: their text is recognised by Tesseract, or read by a model
that sees, when a turn or a knowledge base needs it (A11, A21)."""

import contextlib
import json
import signal
import uuid

import pytest

from any_provider import Eyes
from knowledge import base_of, found, settled
from lab import Lab, Twin, wait_until
from samples import picture, scan, tiff

LEAVE = "Nine days of leave carry over\nuntil the end of March."
WOMBAT = "The wombat sleeps in the\nsouthern office."
# One run may be too slow on a busy machine; the next is half a minute later.
TESSERACT_S = 120
PAGES = [LEAVE, ("Parking is free.",), "", WOMBAT]


@pytest.fixture
def who():
    return "s" + uuid.uuid4().hex[:12]


def attached(lab, data, name, user):
    answer = lab.call("POST", f"/attachments?name={name}", data, user=user,
                      headers={"Content-Type": "application/octet-stream"})
    assert answer.status == 201, answer
    return answer.json


def sent_with(lab, record, user, **said):
    """What the model is sent of it, and the events."""
    lab.sent()
    events = lab.chat("What is it?", user=user, attachments=[record["id"]], **said)
    assert events[-1].name == "done", events
    asked = next(b["messages"][-1]["content"] for b in lab.sent()
                 if "What is it?" in json.dumps(b["messages"][-1]))
    return asked, events


def uploaded(lab, base, user, data, name):
    answer = lab.call("POST", f"{base}/documents?name={name}", data, user=user,
                      headers={"Content-Type": "application/octet-stream"})
    assert answer.status == 201, answer
    return f"{base}/documents/{answer.json['id']}"


def text_of(lab, record, user):
    return lab.get(f"/attachments/{record['id']}/text", user=user).body.decode()


def test_a_scan_in_a_message(lab, who):
    """Its text comes with the turn, in the envelope, and is there from then on."""
    record = attached(lab, scan(PAGES), "scan.pdf", who)
    assert (record["pages"], record["problem"]) == (
        4, "Pages 1, 3-4 have no text: they are images or empty, as in a scan.")
    said, events = sent_with(lab, record, who)
    assert "executing" in [e.data["status"] for e in events if e.name == "status"]
    inside = said.split("[UNTRUSTED-DATA ", 1)[1].split("[/UNTRUSTED-DATA", 1)[0]
    places = [inside.index(s) for s in (
        "<!-- page 1 -->", "until the end of March", "<!-- page 2 -->",
        "Parking is free", "<!-- page 4 -->", "southern office")]
    assert places == sorted(places)
    now = lab.get(f"/attachments/{record['id']}", user=who).json
    assert now["problem"] is None and now["textChars"] > record["textChars"]
    before = text_of(lab, record, who)
    assert sent_with(lab, record, who)[0].count("southern office") == 1
    assert text_of(lab, record, who) == before
    # The same content again is known already.
    again = attached(lab, scan(PAGES), "again.pdf", who)
    assert (again["problem"], again["textChars"]) == (None, now["textChars"])


def test_images_in_a_message(lab, who):
    for name, data, words in (("page.png", picture(LEAVE), ["Nine days"]),
                              ("fax.tif", tiff([LEAVE, WOMBAT]), ["March", "wombat"])):
        record = attached(lab, data, name, who)
        assert record["problem"] is None
        said, _ = sent_with(lab, record, who)
        assert all(word in said for word in words), said
        assert "cannot see images" not in said


def test_a_scan_in_a_knowledge_base(lab, who):
    base = base_of(lab, who)
    paths = [uploaded(lab, base, who, data, name) for name, data in (
        ("scan.pdf", scan(PAGES)), ("page.png", picture("The quokka answers the phone.")),
        ("none.png", picture(" ")))]
    assert settled(lab, base, who, deadline_s=TESSERACT_S)["ready"] == 2
    assert [(h["page"], h["title"]) for h in found(lab, base, "wombat", who)] == [
        (4, "scan")]
    assert found(lab, base, "quokka", who)[0]["title"] == "page"
    assert found(lab, base, "parking", who)[0]["page"] == 2
    assert lab.get(paths[2], user=who).json["error"] == (
        "No text was found in the images of this file.")


def test_what_cannot_be_read_says_so(lab, who):
    """Damaged, and far more pixels than there is memory for."""
    base = base_of(lab, who)
    bomb = bytearray(picture(" "))
    bomb[16:24] = (1).to_bytes(4, "big") + (10 ** 9).to_bytes(4, "big")
    whole = picture(LEAVE)
    for data, says in ((bytes(bomb), ("too many pixels", "cannot be read")),
                       (whole[:len(whole) // 3], ("cannot be read",)),
                       (b"\x89PNG\r\n\x1a\n" + bytes(90), ("cannot be read", "no text"))):
        path = uploaded(lab, base, who, data, "bad.png")
        settled(lab, base, who, deadline_s=TESSERACT_S)
        seen = lab.get(path, user=who).json
        assert seen["status"] == "failed"
        assert any(s in seen["error"] for s in says), seen["error"]


# -- a model that sees ------------------------------------------------------------------

SEES = {"capabilities": ["chat", "tools", "vision"]}


@pytest.fixture(scope="module")
def seeing():
    """A place without Tesseract, whose admin has named a service."""
    with Lab(services={"eyes": SEES}, config={
            "scans": {"tesseract": False, "llm_service": "eyes", "pages": 3}}) as lab:
        yield lab


def test_a_service_reads_the_pages(seeing, who):
    """One call a page, on the user's bill; a blank page costs none."""
    lab = seeing
    record = attached(lab, scan(PAGES[:3] + [WOMBAT] + [WOMBAT]), "scan.pdf", who)
    said, _ = sent_with(lab, record, who)
    assert said.count("I am the demo model and cannot see") == 1
    assert "<!-- page 1 -->" in said and "Parking is free" in said
    # scans.pages: the others are left out, with a sentence.
    assert "on the first 3 pages of a file only" in said
    bill = ("SELECT COUNT(*), MIN(input_tokens) > 0 FROM usage_record r JOIN user u"
            f" ON u.id = r.user_id WHERE r.kind = 8 AND u.name = '{who}'")
    wait_until("the user's row is written, and it is one call",
               lambda: lab.sql(bill) == [["1", "1"]])
    [[stamps]] = lab.sql("SELECT r.prompts FROM usage_record r JOIN user u ON u.id ="
                         f" r.user_id WHERE r.kind = 8 AND u.name = '{who}'")
    assert [(s["layer"], s["name"]) for s in json.loads(stamps)] == [
        ("guardrails", "guardrails"), ("scan", "image-text")]
    assert all(s["version"] > 0 and len(s["hash"]) >= 8 for s in json.loads(stamps))


def test_a_service_reads_a_document(seeing, who):
    lab = seeing
    base = base_of(lab, who)
    uploaded(lab, base, who, picture(LEAVE), "page.png")
    fax = uploaded(lab, base, who, tiff([LEAVE]), "fax.tif")
    settled(lab, base, who)
    assert "image/png, 876 x 280 pixels" in found(lab, base, "demo", who)[0]["text"]
    # TIFF is nothing that models take.
    assert lab.get(fax, user=who).json["error"] == "The file is an image. It has no text."
    assert lab.sql("SELECT COUNT(*) FROM usage_record r JOIN knowledge_base k ON"
                   " k.user_id = r.user_id WHERE r.kind = 8 AND HEX(k.id) ="
                   f" '{base.rsplit('/', 1)[1].replace('-', '').upper()}'") == [["1"]]


@pytest.fixture(scope="module")
def eyes():
    with contextlib.closing(Eyes()) as made:
        yield made
        made.let.set()


@pytest.fixture(scope="module")
def asking(eyes):
    with Lab(services={"eyes": {**SEES, "model": "eyes", "url": eyes.url,
                                "api_key": "sk-ours"}},
             config={"scans": {"tesseract": False, "llm_service": "eyes"},
                     "threads": {"grace_s": 0}}) as lab:
        yield lab


def test_a_page_that_is_refused(asking, eyes, who):
    """It is left out and not asked for again; where the key is wrong, nothing is noted."""
    lab = asking
    eyes.let.set()
    eyes.refusals[:] = [400]
    record = attached(lab, scan([LEAVE, WOMBAT]), "scan.pdf", who)
    sent_with(lab, record, who)
    assert lab.get(f"/attachments/{record['id']}", user=who).json["problem"] is None
    text = text_of(lab, record, who)
    assert "<!-- page 2 -->" in text and "<!-- page 1 -->" not in text
    eyes.refusals[:] = [401]
    other = attached(lab, scan([WOMBAT, LEAVE]), "other.pdf", who)
    sent_with(lab, other, who)
    assert "<!-- page" not in json.dumps(text_of(lab, other, who))
    sent_with(lab, other, who)
    assert text_of(lab, other, who).count("This is eyes") == 2
    eyes.refusals[:] = [400]
    base = base_of(lab, who)
    path = uploaded(lab, base, who, picture(LEAVE), "page.png")
    settled(lab, base, who)
    assert "service that reads images could not read it" in lab.get(
        path, user=who).json["error"]


def begun(lab, record, user):
    """A turn that needs its text: its events from then on."""
    stream = lab.stream("/chat/lab/stream", {
        "content": "What is it?", "attachments": [record["id"]]}, user=user)
    events = iter(stream)
    assert any(e.name == "status" and e.data["status"] == "executing" for e in events)
    return events


def told(lab):
    return [b["messages"][-1]["content"] for b in lab.sent()
            if "What is it?" in json.dumps(b["messages"][-1])]


@pytest.fixture(scope="module")
def elsewhere(asking):
    """Another node on the same database, which asks the same service."""
    with Twin(asking, services=asking.services, config=asking.overrides) as lab:
        yield lab


@pytest.mark.threads
def test_of_turns_that_need_the_same_page_one_asks(asking, eyes, who):
    """The other waits, and has the page, too."""
    lab = asking
    eyes.let.clear()
    eyes.asked.clear()
    before = len(eyes.keys)
    lab.sent()
    # The same content twice is one file.
    turns = [begun(lab, attached(lab, picture(LEAVE + who), "a.png", who), who)]
    assert eyes.asked.wait(30)
    turns.append(begun(lab, attached(lab, picture(LEAVE + who), "b.png", who), who))
    eyes.let.set()
    assert [list(t)[-1].name for t in turns] == ["done", "done"]
    assert len(eyes.keys) == before + 1
    assert ["This is eyes" in said for said in told(lab)].count(True) == 2


@pytest.mark.threads
def test_of_nodes_that_need_the_same_page_one_asks(asking, elsewhere, eyes, who):
    eyes.let.clear()
    eyes.asked.clear()
    before = len(eyes.keys)
    asking.sent()
    record = attached(asking, scan([LEAVE + who, WOMBAT]), "a.pdf", who)
    turns = [begun(lab, record, who) for lab in (asking, elsewhere, asking, elsewhere)]
    assert eyes.asked.wait(30)
    eyes.let.set()
    assert [list(t)[-1].name for t in turns] == ["done"] * 4
    assert len(eyes.keys) == before + 2     # of two pages
    assert [said.count("This is eyes") for said in told(asking)].count(2) == 4


def test_of_processes_of_plain_cgi_one_asks(asking, eyes, who):
    """The second one waits, even if the web server has ended the first: that one's turn
    continues in a process that the server does not know."""
    eyes.let.clear()
    eyes.asked.clear()
    before = len(eyes.keys)
    asking.sent()
    record = attached(asking, picture(LEAVE + who), "a.png", who)
    body = {"content": "What is it?", "attachments": [record["id"]]}
    with asking.cgi("/chat/lab/stream", body, who) as first:
        assert eyes.asked.wait(30)
        with asking.cgi("/chat/lab/stream", body, who) as second:
            wait_until("it is there", lambda: b"executing" in second.stdout.readline())
            eyes.let.set()
            assert b"event: done" in first.stdout.read()
            assert b"event: done" in second.stdout.read()
    assert len(eyes.keys) == before + 1
    assert ["This is eyes" in said for said in told(asking)].count(True) == 2
    eyes.let.clear()
    eyes.asked.clear()
    record = attached(asking, picture(WOMBAT + who), "b.png", who)
    body["attachments"] = [record["id"]]
    with asking.cgi("/chat/lab/stream", body, who) as first:
        assert eyes.asked.wait(30)
        first.kill()
    with asking.cgi("/chat/lab/stream", body, who) as second:
        wait_until("it is there", lambda: b"executing" in second.stdout.readline())
        eyes.let.set()
        assert b"event: done" in second.stdout.read()
    assert len(eyes.keys) == before + 2


@pytest.mark.threads
def test_a_killed_reader_of_a_page_is_replaced(asking, eyes, who):
    lab = asking
    eyes.let.clear()
    eyes.asked.clear()
    before = len(eyes.keys)
    record = attached(lab, picture(WOMBAT + who), "page.png", who)
    begun(lab, record, who)
    assert eyes.asked.wait(30)
    lab.stop("responder", sig=signal.SIGKILL)
    eyes.let.set()
    lab.start_responder()
    wait_until("it answers", lambda: lab.get("/me", user=who).status == 200)
    lab.sent()
    turn = begun(lab, record, who)
    assert len(eyes.keys) == before + 1     # it waits for the one that is gone
    lab.sql("UPDATE stored_file SET scan_until_us = 1 WHERE scan_until_us IS NOT NULL")
    assert list(turn)[-1].name == "done"
    assert len(eyes.keys) == before + 2
    assert any("This is eyes" in said for said in told(lab))


def test_a_process_that_is_stopped_does_not_wait_for_a_page(asking, eyes, who):
    lab = asking
    eyes.let.clear()
    eyes.asked.clear()
    base = base_of(lab, who)
    uploaded(lab, base, who, picture(WOMBAT), "page.png")
    assert eyes.asked.wait(30)
    lab.stop("responder", sig=signal.SIGTERM)
    job = "SELECT attempts, error IS NOT NULL FROM job WHERE kind = 'knowledge-index'"
    assert lab.sql(job) == [["0", "0"]]
    eyes.let.set()
    lab.command("work")
    lab.start_responder()
    assert settled(lab, base, who)["ready"] == 1


def test_a_document_says_how_many_pages_are_read(asking, eyes, who):
    eyes.let.clear()
    eyes.asked.clear()
    eyes.one_by_one = True
    base = base_of(asking, who)
    path = uploaded(asking, base, who, scan([LEAVE, WOMBAT]), "scan.pdf")

    def seen():
        return [asking.get(path, user=who).json[k] for k in ("status", "pages", "pagesRead")]
    assert eyes.asked.wait(30)
    assert seen() == ["queued", 2, 0]
    eyes.let.set()
    wait_until("one page is read", lambda: seen() == ["queued", 2, 1])
    listed, = asking.get(f"{base}/documents", user=who).json["items"]
    assert (listed["pages"], listed["pagesRead"]) == (2, 1)
    eyes.one_by_one = False
    eyes.let.set()
    assert settled(asking, base, who)["ready"] == 1
    assert seen() == ["ready", 2, None]


# -- pages of a TIFF ---------------------------------------------------------------------

def test_a_page_that_cannot_be_decoded(lab, who):
    """The pages behind it are read."""
    data = bytearray(tiff([LEAVE, WOMBAT]))
    width = data.index(b"\x01\x01\x04\0\x01\0\0\0")    # the height of the first page
    data[width + 8:width + 12] = (10 ** 8).to_bytes(4, "little")
    record = attached(lab, bytes(data), "fax.tif", who)
    said, _ = sent_with(lab, record, who)
    assert "wombat" in said and "March" not in said, said
    assert lab.get(f"/attachments/{record['id']}", user=who).json["problem"] is None
