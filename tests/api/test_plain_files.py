# SPDX-License-Identifier: MIT
"""Plain pages: files with a message, without a script."""

import urllib.parse
import uuid

import pytest

from plain_browser import Browser, Page, at_once, ended


@pytest.fixture
def browser(lab):
    return Browser(lab, "p" + uuid.uuid4().hex[:10])


def send(browser, page, action, files=(), fields=None, **values):
    """As a browser without a script sends the form: fields, then files."""
    form = page.form(action)
    path = urllib.parse.urljoin("/" + page.url, form["action"])[1:]
    assert 'enctype="multipart/form-data"' in page.text
    parts = [(k, None, v) for k, v in {**form["fields"], **values}.items() if k != "file"]
    parts += [(k, None, v) for k, v in fields or []]
    parts += [("file", *f) for f in files or [("", "")]]
    body = "".join(
        f'--Bnd\r\nContent-Disposition: form-data; name="{name}"'
        + (f'; filename="{filename}"\r\nContent-Type: text/plain' if filename is not None else "")
        + f"\r\n\r\n{value}\r\n" for name, filename, value in parts) + "--Bnd--\r\n"
    return path, browser.call("POST", path, body, **{
        "Content-Type": "multipart/form-data; boundary=Bnd"})


def attached(lab, browser):
    return [i["name"] for i in lab.get("/attachments", user=browser.user).json["items"]]


def test_a_file_with_a_message(lab, browser):
    page = browser.get("plain/new")
    text = at_once(text="Ten days.")
    lab.sent()
    path, reply = send(browser, page, "new", [("policy.txt", "Ten days carry over.\n")],
                       agent="lab/helper", content=text + "\r\n")
    thread = ended(browser, browser.follow(reply, path))
    said = [m["content"] for m in lab.sent()[0]["messages"] if m["role"] == "user"][-1]
    assert "Ten days carry over." in said
    page = browser.get(thread)
    link, = [at for at in page.links if "/attachments/" in at]
    assert ">policy.txt</a>" in page.text
    got = browser.call("GET", urllib.parse.urljoin("/" + page.url, link)[1:])
    assert (got.status, got.body) == (200, b"Ten days carry over.\n")
    assert got.headers["Content-Disposition"].startswith("attachment; ")
    # Editing keeps it, unless its box is cleared.
    change = next(at for at in page.links if "/change?" in at)
    edit = browser.get(urllib.parse.urljoin("/" + page.url, change)[1:])
    id = link.split("/")[-2]
    assert f'name="attachments" checked value="{id}"' in edit.text
    lab.sent()
    path, reply = send(browser, edit, "change", fields=[("attachments", id)])
    ended(browser, browser.follow(reply, path))
    assert "Ten days carry over." in str(lab.sent()[0]["messages"][-1]["content"])


def test_no_file_is_no_error(lab, browser):
    page = browser.get("plain/new")
    path, reply = send(browser, page, "new", agent="lab/helper", content=at_once(text="x"))
    assert reply.status == 303 and attached(lab, browser) == []


def test_a_form_with_a_file_that_is_sent_twice(lab, browser):
    page = browser.get("plain/new")
    values = dict(agent="lab/helper", content=at_once(text="x"))
    path, one = send(browser, page, "new", [("a.txt", "a")], **values)
    path, two = send(browser, page, "new", [("a.txt", "a")], **values)
    assert browser.follow(one, path) == browser.follow(two, path)
    ended(browser, browser.follow(one, path))


def test_errors_by_file_keep_the_message(make_lab):
    lab = make_lab(config={"attachments": {"file_bytes": 2000, "message_files": 3}})
    browser = Browser(lab, "ada")
    page = browser.get("plain/new")
    path, reply = send(browser, page, "new", [
        ("big.bin", "x" * 3000), ("good.txt", "Good."), ("huge.bin", "y" * 2001)],
        agent="lab/helper", content="Look at <these>")
    assert reply.status == 422
    page = Page(reply, path)
    assert "big.bin: The file is too large" in page.text
    assert "huge.bin: The file is too large" in page.text
    assert page.form("new")["fields"]["content"].strip() == "Look at <these>"
    assert "good.txt</label>" in page.text and attached(lab, browser) == ["good.txt"]
    id = lab.get("/attachments", user="ada").json["items"][0]["id"]
    assert f'name="attachments" checked value="{id}"' in page.text
    lab.sent()
    path, reply = send(browser, page, "new", fields=[("attachments", id)])
    ended(browser, browser.follow(reply, path))
    said = lab.sent()[0]["messages"][-1]["content"]
    assert said.startswith("Look at <these>") and "Good." in said
    # Far more than all files together is refused before it is read.
    page = browser.get("plain/new")
    big = "z" * (3 * 2000 + 1048576 + 8388608)
    _, reply = send(browser, page, "new", [("big", big)], agent="lab/helper", content="x")
    assert reply.status == 413
    assert "bytes" in reply.body.decode()


def test_a_foreign_form_stores_nothing(lab, browser):
    page = browser.get("plain/new")
    for values in ({"token": ""}, {"token": "x" * 54}):
        _, reply = send(browser, page, "new", [("a.txt", "a")], agent="lab/helper",
                        content="x", **values)
        assert reply.status == 403
    _, reply = send(Browser(lab, "mallory"), page, "new", [("a.txt", "a")],
                    agent="lab/helper", content="x")
    assert reply.status == 403
    assert attached(lab, browser) == [] and attached(lab, Browser(lab, "mallory")) == []
    # Nor somebody else's file.
    record = lab.post("/attachments", b"secret", user="ada", headers={
        "Content-Type": "application/octet-stream"}).json
    path, reply = send(browser, page, "new", agent="lab/helper", content="x",
                       fields=[("attachments", record["id"])])
    assert reply.status == 422 and "attachments[0]" in reply.body.decode()


@pytest.mark.parametrize("body", [
    b"", b"--Bnd", b"--Bnd\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\n\xff\r\n--Bnd--",
    b"--Bnd\r\nContent-Disposition: form-data; name=\"content\"\r\n\r\na\0b\r\n--Bnd--"])
def test_broken_forms(lab, browser, body):
    reply = browser.call("POST", "plain/new", body.decode("latin-1"), **{
        "Content-Type": "multipart/form-data; boundary=Bnd"})
    assert reply.status in (400, 403), reply


def test_without_attachments_there_is_no_field(make_lab):
    lab = make_lab(config={"attachments": {"message_files": 0}})
    page = Browser(lab).get("plain/new")
    assert "enctype" not in page.text and 'type="file"' not in page.text
