# SPDX-License-Identifier: MIT
"""Pages that keep a parser busy: they cost their call, never the process.

libxml2's HTML parser compares each attribute of a tag with all others; a page of
1 MB held a worker for 246 s. Such a tag is refused now (fcgi-app/extract/tags.h), but
there may be others: pages are read in a child process (lib/file/extract.c), which ends
with the time of its tool and with its turn. Here a reader is slow because it is stopped
while it reads.
"""

import contextlib
import itertools
import json
import os
import pathlib
import re
import signal
import string
import subprocess
import sys

import pytest

from lab import EXTRACT, RESPONDER, Lab, wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from recorder import Recorder  # noqa: E402

pytestmark = pytest.mark.threads

HTML = {"Content-Type": "text/html"}


def attributes(n):
    """One tag with that many."""
    letters = string.ascii_lowercase
    names = itertools.product(letters, *[letters + string.digits] * 3)
    return "<p " + " ".join("".join(t) for t in itertools.islice(names, n)) + ">x"


# As much work as is allowed: long enough for the reader to be seen.
BUSY = attributes(1000) * 240


@pytest.fixture(scope="module")
def site():
    pages = {"/slow": (200, HTML, BUSY), "/many": (200, HTML, attributes(250_000)),
             "/fine": (200, HTML, "<title>T</title><p>caf\u00e9"),
             "/latin": (200, {"Content-Type": "text/html; charset=iso-8859-1"},
                        "<p>caf\u00e9".encode("latin-1"))}
    with contextlib.closing(Recorder(pages=pages)) as recorder:
        yield recorder


@pytest.fixture(scope="module")
def lab(site):
    visit = {"kind": "web_visit", "description": "Reads a page.",
             "web_visit": {"allow_private": ["127.0.0.1"]}}
    wiki = {"kind": "http", "description": "Reads the wiki.", "timeout_ms": 12000,
            "effect": "read",
            "http": {"url": site.url + "/slow", "allow_private": ["127.0.0.1"]}}
    tools = {"visit": visit, "short": {**visit, "timeout_ms": 12000}, "wiki": wiki}
    with Lab(config={"tools": tools}, workspaces={"lab": {
            "workspace": "lab", "name": "Lab", "title_by_model": False}}) as made:
        yield made


def script(tool, url):
    return "!script " + json.dumps(
        {"tool_calls": [{"name": tool, "args": {"url": url} if tool != "wiki"
                         else {}}], "then": {"text": "ok"}}) + " " + url


def ask(lab, tool, url):
    events = lab.chat(script(tool, url), webSearch=True)
    assert events[-1].name == "done", events
    return next(e.data for e in events if e.name == "tool-result")


def readers(lab):
    """The reading processes of this responder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if EXTRACT.name.encode() in (path / "cmdline").read_bytes() and \
                    f"\nPPid:\t{lab.processes['responder'].pid}\n" in \
                    (path / "status").read_text():
                found.append(path.name)
    return found


def stopped(lab):
    """The reader that is at work, which does not go on. @return its pid"""
    pid, = wait_until("the reader", lambda: readers(lab))
    os.kill(int(pid), signal.SIGSTOP)
    return pid


def works(lab, site):
    assert "caf\u00e9" in ask(lab, "visit", site.url + "/fine")["result"]
    assert "caf\u00e9" in ask(lab, "visit", site.url + "/latin")["result"]
    assert lab.processes["responder"].poll() is None


@pytest.mark.parametrize("tool", ["short", "wiki"])
def test_a_slow_page_is_given_up(lab, site, tool):
    stream = lab.stream("/chat/lab/stream", {
        "content": script(tool, site.url + "/slow"), "webSearch": True}, user="ada")
    stopped(lab)
    events = stream.events()
    assert events[-1].name == "done", events
    result = next(e.data for e in events if e.name == "tool-result")
    assert result["isError"]
    assert result["result"]["error"]["code"] == "tool_timeout"
    assert "page takes too long to be read" in result["result"]["error"]["message"]
    assert readers(lab) == []
    works(lab, site)


def test_a_tag_with_too_many_attributes_is_not_read(lab, site):
    result = ask(lab, "visit", site.url + "/many")
    assert result["isError"] and result["result"]["error"]["code"] == "tool_failed"
    works(lab, site)


def test_stop_ends_the_reading(lab, site):
    stream = lab.stream("/chat/lab/stream", {
        "content": script("visit", site.url + "/slow"), "webSearch": True},
        user="ada")
    events = iter(stream)
    seen = list(itertools.takewhile(lambda e: e.name != "tool-call", events))
    turn = next(e.data["turnId"] for e in seen if "turnId" in e.data)
    stopped(lab)
    works(lab, site)	# others do not wait for it
    assert lab.post(f"/turns/{turn}/cancel", {}, user="ada").status in (200, 202, 204)
    rest = list(events)
    stream.close()
    assert "too long" not in json.dumps([e.data for e in rest])
    wait_until("its end", lambda: not readers(lab))
    works(lab, site)


def test_a_reader_that_is_killed_costs_its_call(lab, site):
    stream = lab.stream("/chat/lab/stream", {
        "content": script("visit", site.url + "/slow"), "webSearch": True},
        user="ada")
    events = iter(stream)
    for event in events:
        if event.name == "tool-call":
            break
    pid = stopped(lab)
    # A sanitizer takes SEGV, and names its frames for as long as that takes.
    subprocess.run(["kill", "-ABRT", pid], check=True)
    os.kill(int(pid), signal.SIGCONT)
    rest = list(events)
    stream.close()
    result = next(e.data for e in rest if e.name == "tool-result")
    assert result["result"]["error"]["message"] == "The page cannot be read."
    assert rest[-1].name == "done"
    works(lab, site)


def test_plain_cgi_reads_pages_too(lab, site):
    """One request, one process; it finds its reader all the same."""
    body = json.dumps({"content": script("visit", site.url + "/fine"),
                       "webSearch": True}).encode()
    headers = {**lab.identity("ada"), "Sec-Fetch-Site": "same-origin"}
    env = {"GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "POST",
           "REQUEST_URI": lab.base + "/api/v1/chat/lab/stream",
           "LAMPLIGHTER_BASE": lab.base, "SERVER_PROTOCOL": "HTTP/1.1",
           "REMOTE_ADDR": "127.0.0.1", "CONTENT_TYPE": "application/json",
           "CONTENT_LENGTH": str(len(body)),
           "LAMPLIGHTER_CONFIG": str(lab.config_file),
           **{"HTTP_" + k.upper().replace("-", "_"): v
              for k, v in headers.items()},
           **{k: v for k, v in os.environ.items()
              if k.startswith(("LAMPLIGHTER_", "ASAN_", "TSAN_", "UBSAN_"))}}
    done = subprocess.run([RESPONDER], env=env, input=body, capture_output=True,
                          timeout=120)
    text = done.stdout.decode()
    assert text.startswith("Status: 200") or "text/event-stream" in text, text
    assert "# T" in text and "caf\u00e9" in text, (text, done.stderr)


def of_pages(doctor):
    """What it says of the reader of pages, beside that of files."""
    finding, = [i for i in json.loads(doctor)["items"] if i["check"] == "extract"
                and not re.search(r"extract-file\b", i["text"])]
    return finding


def test_doctor_tries_the_reader(lab):
    finding = of_pages(lab.command("doctor", "--json", check=False).stdout)
    assert finding["result"] in ("ok", "warning"), finding
    assert "lamplighter-extract works" in finding["text"]


def test_without_the_program_there_is_a_sentence(site, lab):
    with Lab(config={"tools": lab.overrides["tools"]}, workspaces=lab.workspaces,
             responder_env={"LAMPLIGHTER_LIBEXEC_DIR": "/nonexistent"}) as other:
        result = ask(other, "visit", site.url + "/fine")
        assert result["result"]["error"]["message"].startswith(
            "The page cannot be read: the program for it")
        assert "/nonexistent/lamplighter-extract" in other.log("responder")
        finding = of_pages(other.command("doctor", "--json", check=False).stdout)
        assert finding["result"] == "problem"
