# SPDX-License-Identifier: MIT
"""Sites as sources of knowledge bases: what pages and files of a sitemap become, what
is asked again, what leaves, and what a hostile or broken site does."""

import gzip
import os
import signal
import subprocess
import time

import pytest

from knowledge import Sources
from lab import COMMAND, Lab, wait_until
from web_site import Recorder

HTML = {"Content-Type": "text/html"}
DAY_US = 86_400_000_000


@pytest.fixture(scope="module")
def sources():
    with Lab(config={"roles": {"admin": {
            "groups": ["admins"], "permissions": ["AIChat.*", "AI.Admin.Knowledge"]}}}) as lab:
        yield Sources(lab)


def page(text, head="", **headers):
    return 200, {**HTML, **{k.replace("_", "-"): v for k, v in headers.items()}}, (
        f"<!doctype html><html><head>{head}</head><body><nav>Home Imprint</nav>"
        f"<main>{text}</main><footer>Imprint</footer></body></html>")


def sitemap(*urls, kind="url"):
    outer = {"url": "urlset", "sitemap": "sitemapindex"}[kind]
    rows = "".join(f"<{kind}><loc>{u[0] if isinstance(u, tuple) else u}</loc>"
                   + (f"<lastmod>{u[1]}</lastmod>" if isinstance(u, tuple) else "")
                   + f"</{kind}>" for u in urls)
    return 200, {"Content-Type": "application/xml"}, (
        f'<?xml version="1.0"?><{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"{rows}</{outer}>")


class Site(Recorder):
    def lists(self, *paths, **more):
        self.pages["/sitemap.xml"] = sitemap(*(
            (self.url + p[0], p[1]) if isinstance(p, tuple) else self.url + p
            for p in paths), **more)

    def asked(self):
        """The paths since the last time, but for what every run asks."""
        paths = sorted(r.path for r in self.seen
                       if r.path not in ("/robots.txt", "/sitemap.xml"))
        self.seen.clear()
        return paths


@pytest.fixture
def site():
    s = Site()
    yield s
    s.close()


def say(sources, name, site, what=None, **more):
    """The source, for the site's sitemap unless what says something else."""
    what = what or f"sitemap: '{site.url}/sitemap.xml'"
    said = {"allow_private": "['127.0.0.1']", "delay_ms": 0, **more}
    sources.say(f"    {name}: {{base: {name}, language: en, {what}"
                + "".join(f", {k}: {v}" for k, v in said.items()) + "}")


def test_pages_come_change_and_leave(sources, site):
    u = site.url
    site.pages |= {
        "/a": page("<h2>Kettles</h2><p>The quokka drinks tea.</p>", "<title>Tea &amp; more</title>"
                   "<link rel=canonical href='/tea'>"),
        "/b": page("<p>The second quokka.</p>"),
        "/c.md": (200, HTML, "# Third\n\nThe third quokka.\n"),
    }
    site.pages["/sitemap.xml"] = sitemap(f"{u}/a", f"{u}/b", f"{u}/c.md", "http://127.0.0.2/x")
    say(sources, "site", site)
    counts, faults = sources.sync("site")
    assert counts == [3, 0, 0, 0, 1]
    assert faults == [f"{u}/sitemap.xml: 1 of its addresses is not of this site (scheme, host"
                      " and port); it is skipped."]
    assert site.asked() == ["/a", "/b", "/c.md"]
    hits = {h["externalId"]: h for h in sources.finds("site", "quokka")}
    assert set(hits) == {f"site/{u}/a", f"site/{u}/b", f"site/{u}/c.md"}
    hit = hits[f"site/{u}/a"]
    assert (hit["title"], hit["url"], hit["heading"]) == ("Tea & more", f"{u}/tea", "Kettles")
    assert hits[f"site/{u}/b"]["url"] == f"{u}/b"
    assert sources.finds("site", "imprint") == []       # what stands on every page
    site.lists("/a", "/b")
    site.pages["/b"] = page("<p>The changed quokka.</p>")
    assert sources.sync("site") == ([0, 1, 1, 1, 0], [])
    assert "changed" in [h for h in sources.finds("site", "quokka")
                         if h["externalId"].endswith("/b")][0]["text"]
    assert sources.lab.command("kb", "list").stdout == (
        f"site\tsite\t{u}/sitemap.xml\tby command\n")


def test_what_is_as_it_was_is_not_read_again(sources, site):
    def etag(request):
        if request.headers.get("If-None-Match") == '"1"':
            return 304, {}, ""
        return page("<p>The tagged wombat.</p>", ETag='"1"')

    def modified(request):
        if request.headers.get("If-Modified-Since"):
            return 304, {}, ""
        return page("<p>The dated wombat.</p>", Last_Modified="Sun, 01 Nov 2026 08:00:00 GMT")

    site.pages |= {"/tag": etag, "/date": modified, "/mod": page("<p>The listed wombat.</p>")}
    site.lists("/tag", "/date", ("/mod", "2026-11-01"))
    say(sources, "again", site)
    assert sources.sync("again")[0] == [3, 0, 0, 0, 0]
    assert site.asked() == ["/date", "/mod", "/tag"]
    assert sources.sync("again")[0] == [0, 0, 3, 0, 0]
    assert site.asked() == ["/date", "/tag"]            # the sitemap says when /mod changed
    site.lists("/tag", "/date", ("/mod", "2026-11-02"))
    site.pages["/mod"] = page("<p>The wombat of today.</p>")
    assert sources.sync("again")[0] == [0, 1, 2, 0, 0]
    # Other groups: what answered 304 is read whole, and written.
    say(sources, "again", site, groups="[staff]")
    assert sources.sync("again")[0] == [0, 3, 0, 0, 0]
    assert sources.finds("again", "wombat") == []
    assert len(sources.finds("again", "wombat", ["staff"])) == 3


def test_of_pages_that_name_each_other_one_is_read(sources, site):
    # A pair, a ring of three, and a page outside of the ring that names one in it.
    names = {"/a": "/b", "/b": "/a", "/x": "/y", "/y": "/z", "/z": "/x", "/out": "/y"}
    site.pages |= {path: page("<p>The " + ("pair" if path < "/c" else "ring") + " of numbats.</p>",
                              f"<link rel=canonical href='{to}'>")
                   for path, to in names.items()}
    site.lists(*names)
    say(sources, "ring", site)
    assert sources.sync("ring") == ([2, 0, 0, 0, 0], [])
    pair, = sources.finds("ring", "pair")
    ring, = sources.finds("ring", "ring")
    assert pair["externalId"][-2:] in ("/a", "/b")
    assert ring["externalId"][-2:] in ("/x", "/y", "/z")
    # The same ones the next time.
    assert sources.sync("ring") == ([0, 0, 2, 0, 0], [])


def test_pages_that_fail(sources, site):
    for path in ("/gone", "/410", "/broken", "/refused", "/hidden"):
        site.pages[path] = page(f"<p>The numbat of {path[1:]}.</p>")
    site.lists("/gone", "/410", "/broken", "/refused", "/hidden")
    say(sources, "fails", site)
    assert sources.sync("fails")[0] == [5, 0, 0, 0, 0]
    site.pages |= {
        "/410": (410, {}, ""), "/broken": (500, {}, ""), "/refused": (403, {}, ""),
        "/hidden": page("<p>x</p>", "<meta name=robots content='NOINDEX, follow'>"),
    }
    del site.pages["/gone"]
    counts, faults = sources.sync("fails")
    assert counts == [0, 0, 0, 3, 4]
    u = site.url
    assert sorted(faults) == [
        f"{u}/410: The site answered 410.", f"{u}/broken: The site answered 500.",
        f"{u}/gone: The site answered 404.", f"{u}/refused: The site answered 403."]
    assert {h["externalId"].rsplit("/", 1)[1] for h in sources.finds("fails", "numbat")} == {
        "broken", "refused"}
    # A sitemap that cannot be read is no sitemap without addresses.
    for answer in ((500, {}, ""), (404, {}, ""), (200, HTML, "<html><p>Maintenance</html>"),
                   (200, {}, "<urlset><url><loc>http://x"), (200, {}, "")):
        site.pages["/sitemap.xml"] = answer
        assert sources.lab.command("kb", "sync", "fails", check=False).returncode == 1
    assert len(sources.finds("fails", "numbat")) == 2


def test_a_page_that_does_not_answer_keeps_its_document(sources, site):
    site.pages["/slow"] = page("<p>The slow numbat.</p>")
    said = {"what": f"urls: ['{site.url}/slow']", "robots": "ignore"}
    say(sources, "slow", site, **said)
    assert sources.sync("slow")[0] == [1, 0, 0, 0, 0]
    stop = []
    site.pages["/slow"] = lambda request: (
        wait_until("it was given up", lambda: stop), page("x"))[1]
    say(sources, "slow", site, timeout_ms=200, **said)
    try:
        assert sources.sync("slow") == (
            [0, 0, 0, 0, 1], [f"{site.url}/slow: The site did not answer in time."])
    finally:
        stop.append(True)
    assert len(sources.finds("slow", "numbat")) == 1


class Held:
    """A page that answers when it is let go, or to others."""

    def __init__(self, text):
        self.text, self.asked, self.go = text, 0, False

    def __call__(self, request):
        self.asked += 1
        if self.asked == 1:
            wait_until("it may answer", lambda: self.go)
        return page(self.text)


def begun(sources, name):
    return subprocess.Popen([COMMAND, "-c", sources.lab.config_file, "kb", "sync", name],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def documents(sources, name):
    (n,), = sources.lab.sql(
        f"SELECT COUNT(*) FROM document WHERE external_id LIKE '{name}/%'")
    return int(n)


EXPIRE = "UPDATE knowledge_source SET lease_until_us = 1 WHERE name = "


def test_one_run_at_a_time(sources, site):
    names = [f"/{i}" for i in range(5)]
    site.pages |= {n: page(f"<p>Number {n[1:]} of the dunnarts.</p>") for n in names}
    site.lists(*names)
    say(sources, "one", site)
    assert sources.sync("one")[0] == [5, 0, 0, 0, 0]
    held = site.pages["/3"] = Held("Number 3 of the dunnarts.")
    first = begun(sources, "one")
    wait_until("it is in a page", lambda: held.asked)
    result = sources.lab.command("kb", "sync", "one", check=False)
    assert result.returncode == 1 and "is being read by another process" in result.stderr
    # It was away for too long: another run has read the source meanwhile.
    sources.lab.sql(EXPIRE + "'one'")
    sources.sync("one")
    assert documents(sources, "one") == 5
    held.go = True
    out, err = first.communicate()
    assert first.returncode == 1 and "Another process is reading it now" in err, (out, err)
    assert documents(sources, "one") == 5
    assert sources.sync("one")[0][3:] == [0, 0]
    assert documents(sources, "one") == 5


def test_a_kill_forgets_no_sitemap_that_could_not_be_read(sources, site):
    u = site.url
    site.pages |= {n: page(f"<p>Page {n} of the kowari.</p>") for n in ("/a", "/b", "/c")}
    site.pages |= {"/sitemap.xml": sitemap(f"{u}/1.txt", f"{u}/2.txt", kind="sitemap"),
                   "/1.txt": (200, {}, f"{u}/a\n{u}/b\n"), "/2.txt": (200, {}, f"{u}/c\n")}
    say(sources, "killed", site, every=60)
    assert sources.sync("killed")[0][0] == 3
    site.pages["/1.txt"] = (500, {}, "")
    held = site.pages["/c"] = Held("Page c of the kowari.")
    run = begun(sources, "killed")
    wait_until("it is in a page", lambda: held.asked)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    held.go = True
    sources.lab.sql(EXPIRE + "'killed'")
    wait_until("the job has ended it", lambda: sources.lab.command("work") and
               "killed: read" in sources.lab.command("kb", "status").stdout)
    assert documents(sources, "killed") == 3


def test_what_is_listed_twice_counts_once(sources, site):
    names = [f"/{i}" for i in range(6)]
    site.pages |= {n: page(f"<p>Number {n[1:]} of the mulgaras.</p>") for n in names}
    site.lists(*names)
    say(sources, "twice", site, max_pages=7)
    assert sources.sync("twice")[0] == [6, 0, 0, 0, 0]
    site.lists(*(n + "#x" for n in names[:3]), *names[:3], *(n + "#y" for n in names), *names)
    assert sources.sync("twice") == ([0, 0, 6, 0, 0], [])
    say(sources, "twice", site, max_pages=6)
    assert sources.sync("twice") == ([0, 0, 6, 0, 0], [])


def test_a_sitemap_without_addresses_deletes_nothing(sources, site):
    site.pages["/a"] = page("<p>The empty bettong.</p>")
    site.lists("/a")
    say(sources, "none", site)
    assert sources.sync("none")[0] == [1, 0, 0, 0, 0]
    good, u = site.pages["/sitemap.xml"], site.url
    for text in ("<urlset/>", "<sitemapindex/>"):
        site.pages["/sitemap.xml"] = (200, {}, text)
        result = sources.lab.command("kb", "sync", "none", check=False)
        assert result.returncode == 1 and "has no addresses" in result.stderr
    site.pages["/sitemap.xml"] = (200, {}, "<urlset><url><loc>http://x/a b</loc></url></urlset>")
    sources.lab.command("kb", "sync", "none", check=False)
    assert documents(sources, "none") == 1
    # The same below an index.
    site.pages |= {"/sitemap.xml": sitemap(f"{u}/1.xml", kind="sitemap"),
                   "/1.xml": (200, {}, "<urlset/>")}
    counts, faults = sources.sync("none")
    assert counts == [0, 0, 0, 0, 1] and "has no addresses" in faults[0]
    assert documents(sources, "none") == 1
    site.pages["/sitemap.xml"] = (200, {}, good[2].replace(
        "</urlset>", "<url><loc>a b</loc></url></urlset>"))
    assert sources.sync("none") == ([0, 0, 1, 0, 1], [
        f"{u}/sitemap.xml: 1 of its entries has no valid address; it is skipped."])


def test_a_source_that_becomes_another_begins_anew(sources, site):
    site.pages |= {"/a": page("<p>The site's quoll.</p>"), "/b": page("<p>B.</p>")}
    site.lists("/a", "/b")
    say(sources, "kind", site, every=60, delay_ms=60000)
    wait_until("it is begun", lambda: sources.lab.command("work") and
               "2 of 3 addresses" in sources.lab.command("kb", "status").stdout)
    path = sources.directory("kind", every=60)
    for name in ("a", "z"):     # before and after the place in the site
        (path / f"{name}.md").write_text("A quoll of the directory.")
    sources.lab.sql("DELETE FROM job WHERE kind = 'knowledge-sync'")
    wait_until("the job has read it", lambda: sources.lab.command("work") and
               "kind: read" in sources.lab.command("kb", "status").stdout)
    assert documents(sources, "kind") == 2


def doctor(sources):
    """What it says of sources: the command's own look, since no address is given."""
    return sources.lab.command("doctor", check=False).stdout


def test_nothing_but_the_site_is_reached(sources, site):
    other = Recorder(host="127.0.0.3")
    other.pages["/secret"] = page("<p>A bilby secret.</p>")
    near = Recorder()
    site.pages |= {
        "/out": (302, {"Location": f"{other.url}/secret"}, ""),
        "/port": (302, {"Location": f"{near.url}/"}, ""),
        "/meta": (302, {"Location": "http://169.254.169.254/latest"}, ""),
        "/file": (302, {"Location": "file:///etc/passwd"}, ""),
        "/loop": (302, {"Location": "/loop"}, ""),
        "/moved": (301, {"Location": "/here"}, ""), "/here": page("<p>The bilby moved.</p>"),
    }
    site.lists("/out", "/port", "/meta", "/file", "/loop", "/moved")
    say(sources, "out", site, allow_private="['127.0.0.0/8', '169.254.0.0/16']",
        headers='["Authorization: Bearer hunter2"]')
    counts, faults = sources.sync("out")
    assert counts == [1, 0, 0, 0, 5] and not other.seen and not near.seen
    assert sum("outside of the site" in f for f in faults) == 4
    assert sum("redirects too often" in f for f in faults) == 1
    hit, = sources.finds("out", "bilby")
    assert hit["url"] == f"{site.url}/here"
    assert {r.headers.get("Authorization") for r in site.seen} == {"Bearer hunter2"}
    assert "hunter2" not in sources.lab.command("config", "print").stdout
    assert "out: The site answers." in doctor(sources)
    # Without its address in the list, not a byte goes there.
    site.seen.clear()
    say(sources, "shut", site, allow_private="[]")
    assert "shut: The site cannot be read" in doctor(sources)
    result = sources.lab.command("kb", "sync", "shut", check=False)
    assert result.returncode == 1 and "allow_private" in result.stderr and not site.seen
    other.close()
    near.close()


def test_robots_are_obeyed(sources, site):
    site.pages |= {
        "/robots.txt": (200, {}, "User-agent: *\nDisallow: /\n\nUser-agent: Lamplighter\n"
                        "Disallow: /private\nCrawl-delay: 0.2\n"),
        "/open": page("<p>The open dingo.</p>"), "/private/x": page("<p>The private dingo.</p>"),
        "/tagged": page("<p>The tagged dingo.</p>", X_Robots_Tag="otherbot: all, *: noindex"),
    }
    site.lists("/open", "/private/x", "/tagged")
    say(sources, "robots", site)
    begun = time.monotonic()
    counts, faults = sources.sync("robots")
    assert counts == [1, 0, 0, 0, 1] and time.monotonic() - begun > 0.2
    assert faults == [f"{site.url}/private/x: The site's robots.txt forbids reading this page."]
    assert site.asked() == ["/open", "/tagged"]
    site.pages["/robots.txt"] = (503, {}, "")
    counts, faults = sources.sync("robots")
    assert counts == [0, 0, 0, 0, 3] and site.asked() == []
    assert all(f.endswith("The site's robots.txt cannot be read.") for f in faults)
    say(sources, "robots", site, robots="ignore")
    assert sources.sync("robots")[0] == [2, 0, 1, 0, 0]
    assert "/robots.txt" not in [r.path for r in site.seen]


def test_sitemaps_of_sitemaps(sources, site):
    u = site.url
    site.pages |= {
        "/sitemap.xml": sitemap(f"{u}/1.xml.gz", f"{u}/2.txt", kind="sitemap"),
        "/1.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(
            sitemap(f"{u}/a?x=1&amp;y=2", f"{u}/b#part")[2].encode())),
        "/2.txt": (200, {}, f"\ufeff{u}/c\r\n\r\n{u}/a?x=1&y=2\n"),
        "/a": page("<p>The echidna.</p>"), "/b": page("<p>The echidna.</p>"),
        "/c": page("<p>The echidna.</p>"),
    }
    say(sources, "maps", site)
    assert sources.sync("maps") == ([3, 0, 0, 0, 0], [])
    assert site.asked() == ["/1.xml.gz", "/2.txt", "/a?x=1&y=2", "/b", "/c"]
    # One that cannot be read deletes nothing; nor does a bomb, of whatever kind.
    bombs = {
        "gzip": gzip.compress(b"<urlset>" + bytes(64 << 20)),
        "entities": '<!DOCTYPE u [<!ENTITY a "' + "x" * 9000 + '"><!ENTITY b "' + "&a;" * 9000
                    + f'">]><urlset><url><loc>{u}/&b;</loc></url></urlset>',
        "external": '<!DOCTYPE u [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url>'
                    f"<loc>{u}/&a;</loc></url>",
        "deep": "<urlset>" * 100000, "broken": sitemap(f"{u}/b")[2][:-9],
    }
    for name, bomb in bombs.items():
        site.pages["/1.xml.gz"] = (200, {}, bomb)
        counts, faults = sources.sync("maps")
        assert counts == [0, 0, 2, 0, 1], (name, counts, faults)
        assert faults[0].startswith(f"{u}/1.xml.gz: The sitemap "), (name, faults)
    # An index that names itself, and one page more than may be.
    site.pages["/sitemap.xml"] = sitemap(f"{u}/sitemap.xml", f"{u}/2.txt", kind="sitemap")
    site.pages["/2.txt"] = (200, {}, f"{u}/a\n{u}/b\n{u}/c\n")
    say(sources, "maps", site, max_pages=2)
    counts, faults = sources.sync("maps")
    assert len(faults) == 1 and "more addresses than max_pages" in faults[0]
    assert sources.lab.sql("SELECT COUNT(*) FROM document WHERE external_id LIKE 'maps/%'") == [
        ["2"]]


HELD = ("SELECT COUNT(*) > 0 FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'"
        " AND TIME_MS > ")
HOLD = ("CREATE TRIGGER hold BEFORE INSERT ON knowledge_source_page FOR EACH ROW"
        " DO IF(NEW.url REGEXP '/(100|600)$', GET_LOCK(SUBSTRING_INDEX(NEW.url, '/', -1), 60),"
        " 0)")


class Locks:
    """A session that has the locks for which HOLD waits."""

    def __init__(self, *names):
        env = os.environ
        self.session = subprocess.Popen(
            ["mariadb", "--socket", env["LAMPLIGHTER_TEST_DB_SOCKET"], "--user",
             env["LAMPLIGHTER_TEST_DB_ROOT"], "--batch", "--skip-column-names",
             "--unbuffered"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in names:
            assert self.says(f"SELECT GET_LOCK('{name}', 0)") == "1"

    def says(self, query):
        self.session.stdin.write(query + ";\n")
        self.session.stdin.flush()
        return self.session.stdout.readline().strip()

    def close(self):
        self.session.communicate()


def test_a_long_sitemap_is_listed_in_parts(sources, site):
    """Of 500: a run that is late ends in it, and after a kill the next one continues in it."""
    lab, sql = sources.lab, sources.lab.sql
    names = [f"/{i}" for i in range(1200)]
    site.lists(*names)
    locks = Locks(100, 600)
    server = lab.processes["responder"].pid
    os.kill(server, signal.SIGSTOP)     # so that the command has the job
    sql(HOLD)
    say(sources, "parts", site, every=60, delay_ms=60000, max_pages=2000)

    def listed(where="depth = 0"):
        (n,), = sql(f"SELECT COUNT(*) FROM knowledge_source_page WHERE source = 'parts'"
                    f" AND {where}")
        return int(n)

    def work():
        sql("UPDATE knowledge_source SET next_us = 1, lease_until_us = NULL"
            " WHERE name = 'parts'; DELETE FROM job WHERE kind = 'knowledge-sync'")
        return subprocess.Popen([COMMAND, "-c", lab.config_file, "work"])

    def is_listed(n):
        return work().wait() == 0 and (listed(), listed("todo = 2")) == (n, 0)
    try:
        run = work()
        wait_until("it is late, in the first part", lambda: sql(HELD + "4000") == [["1"]])
        assert locks.says("SELECT RELEASE_LOCK('100')") == "1"
        wait_until("it has ended", lambda: run.poll() is not None)
        assert (listed(), listed("listed = 500")) == (500, 1)
        run = work()
        wait_until("it is in the second part", lambda: sql(HELD + "0") == [["1"]])
        run.kill()
        run.wait()
        locks.close()
        sql("DROP TRIGGER hold")
        sql("UPDATE knowledge_source_page SET lastmod = 'seen' WHERE source = 'parts'")
        wait_until("all are listed", lambda: is_listed(1200))
        assert listed("depth = 0 AND lastmod = 'seen'") == 500
        # One that has changed since its first part is listed from its beginning.
        site.lists("/new", *names)
        sql("UPDATE knowledge_source_page SET todo = 2, listed = 500 WHERE source = 'parts'"
            " AND depth = 1")
        wait_until("the new one is listed, too", lambda: is_listed(1201))
    finally:
        os.kill(server, signal.SIGCONT)
        locks.close()
        sql("DROP TRIGGER IF EXISTS hold")


def test_files_and_hostile_pages(sources, site):
    site.pages |= {
        "/doc/Caf%C3%A9%20plan.csv": (200, {"Content-Type": "text/html"}, "who,what\nAda,tea\n"),
        "/deep": (200, HTML, "<html><body>" + "<div>" * 60000 + "cassowary</div>"),
        "/script": page("<p>The cassowary <script>alert(1)</script>&lt;b&gt;.</p>\n\x1b[31m",
                        "<title>\x1b[2JA\ntitle</title><link rel=canonical "
                        "href='javascript:alert(1)'>"),
        "/elsewhere": page("<p>The cassowary elsewhere.</p>",
                           "<link rel=canonical href='https://evil.example/'>"),
        "/print": page("<p>The cassowary.</p>", "<link rel=canonical href='/script'>"),
        "/blank": page("<script>x</script>"), "/empty": (200, HTML, ""),
        "/big": page("x" * 70000),
    }
    site.lists("/doc/Caf%C3%A9%20plan.csv", "/deep", "/script", "/elsewhere", "/print", "/blank",
               "/empty", "/big")
    say(sources, "odd", site, page_bytes=65536)
    counts, faults = sources.sync("odd")
    u = site.url
    assert counts[1:4] == [0, 0, 0]
    assert {f.split(": ", 1)[0].removeprefix(u): f.split(": ", 1)[1] for f in faults
            if "/deep" not in f} == {
        "/big": "It is too large: at most 65536 bytes are read.",
        "/blank": "The page has no text.", "/empty": "The page is empty."}
    hits = {h["externalId"].removeprefix(f"odd/{u}"): h
            for h in sources.finds("odd", "cassowary")}
    assert "/print" not in hits         # another address of /script
    assert (hits["/script"]["title"], hits["/script"]["url"]) == ("[2JA title", f"{u}/script")
    assert "alert" not in hits["/script"]["text"] and "\x1b" not in hits["/script"]["text"]
    assert hits["/elsewhere"]["url"] == f"{u}/elsewhere"
    hit, = sources.finds("odd", "ada tea")
    assert (hit["title"], hit["url"]) == ("Café plan.csv", f"{u}/doc/Caf%C3%A9%20plan.csv")


def test_the_job_goes_on_where_it_was(sources, site):
    names = [f"/{i}" for i in range(5)]
    site.pages |= {n: page(f"<p>Number {n[1:]} of the possums.</p>") for n in names}
    site.lists(*names)
    say(sources, "job", site, every=60, delay_ms=60000)

    def status():
        sources.lab.command("work")
        return sources.lab.command("kb", "status").stdout
    # The sitemap is read; the next request has to wait, and keeps no job waiting.
    wait_until("it is begun", lambda: "5 of 6 addresses to read" in status())
    say(sources, "job", site, every=60)

    def run():
        # Again if a run that has the old configuration still ends meanwhile.
        sources.lab.sql("UPDATE knowledge_source SET next_us = 1 WHERE name = 'job';"
                        " DELETE FROM job WHERE kind = 'knowledge-sync'")
        return status()
    wait_until("all are read", lambda: "5 new" in run())
    assert site.asked() == sorted(names)        # none of them twice
    # urls instead, and a budget for one run: what it does not reach stays.
    say(sources, "job", site, what=f"urls: ['{site.url}/1', '{site.url}/2']", run_mb=1)
    site.pages["/1"] = site.pages["/2"] = page("<p>" + "Many possums. " * 80000 + "</p>")
    counts, faults = sources.sync("job")
    assert counts == [0, 1, 0, 3, 1] and "has read run_mb" in faults[0]


def test_headers_are_for_one_site(sources, site):
    other = Site()
    for one in (site, other):
        one.pages["/a"] = page("<p>The numbat.</p>")
    try:
        say(sources, "two", site, what=f"urls: ['{site.url}/a', '{other.url}/a']",
            headers='["Authorization: Bearer hunter2"]')
        assert sources.sync("two")[0] == [2, 0, 0, 0, 0]
        told = [{r.headers.get("Authorization") for r in s.seen} for s in (site, other)]
        assert told == [{"Bearer hunter2"}, {None}]
    finally:
        other.close()


def test_a_source_that_is_not_configured_any_more(sources, site):
    site.pages["/a"] = page("<p>The potoroo.</p>")
    sql, lab = sources.lab.sql, sources.lab
    say(sources, "old", site, what=f"urls: ['{site.url}/a']")
    assert sources.sync("old")[0] == [1, 0, 0, 0, 0]
    base = sources.base("old")
    left = "SELECT COUNT(*) FROM knowledge_source WHERE name = 'old' AND left_us IS NOT NULL"

    def run():
        lab.command("work")
        return True
    sources.say("    other: {base: other, directory: /srv, every: 0}")
    assert "old: not configured any more" in lab.command("kb", "status").stdout
    assert sql(left) == [["0"]]
    lab.command("kb", "sync", "other", check=False)      # of one source alone: nothing leaves
    assert sql(left) == [["0"]]
    wait_until("it is noted", lambda: run() and sql(left) == [["1"]])
    assert "documents are deleted after 20" in lab.command("kb", "status").stdout
    # A configuration with an error deletes nothing, whatever the time. The server still
    # has the one before, which would.
    server = lab.processes["responder"].pid
    os.kill(server, signal.SIGSTOP)
    sql(f"UPDATE knowledge_source SET left_us = left_us - {DAY_US} - 1 WHERE name = 'old'")
    good = lab.config_file.read_text()
    lab.config_file.write_text(good + "nonsense: [")
    assert lab.command("kb", "sync", check=False).returncode == 1
    assert lab.command("work", check=False).returncode == 1
    # It is back: nothing is deleted either.
    say(sources, "old", site, what=f"urls: ['{site.url}/a']")
    wait_until("it counts as there", lambda: run() and sql(left) == [["0"]])
    os.kill(server, signal.SIGCONT)
    assert sql("SELECT COUNT(*) FROM document WHERE external_id LIKE 'old/%'") == [["1"]]
    lab.config_file.write_text(good)
    wait_until("it is noted", lambda: run() and sql(left) == [["1"]])
    sql(f"UPDATE knowledge_source SET left_us = left_us - {DAY_US} - 1 WHERE name = 'old'")
    wait_until("all has gone", lambda: run() and sql(
        "SELECT (SELECT COUNT(*) FROM knowledge_source WHERE name = 'old')"
        " + (SELECT COUNT(*) FROM knowledge_source_item WHERE source = 'old')"
        " + (SELECT COUNT(*) FROM knowledge_source_page WHERE source = 'old')"
        " + (SELECT COUNT(*) FROM document WHERE external_id LIKE 'old/%')") == [["0"]])
    assert lab.get(base, user="ada").status == 200      # the base itself stays


def test_configuration_is_checked(sources, site):
    for said, why in (("urls: ['http://a/'], sitemap: 'http://a/'", "one of directory, select,"),
                      ("sitemap: 'ftp://a/'", "must start with http"),
                      ("urls: ['http://u:p@a/']", "must not have a login"),
                      ("sitmap: 'http://a/'", "sitemap"),
                      ("sitemap: 'http://a/', robots: maybe", "obey"),
                      ("sitemap: 'http://a/', allow_private: ['no host']", "allow_private"),
                      ("sitemap: 'http://a/', headers: [nonsense]", "headers")):
        sources.refuses(f"base: b, {said}", why)
