# SPDX-License-Identifier: MIT
"""Sources of knowledge bases: what a directory and a SELECT become, what a second run
costs, what leaves, who finds it, and what hostile names and rows do."""

import os
import re
import signal
import subprocess
import sys

import pytest

from knowledge import Sources
from lab import COMMAND, ROOT, Lab, wait_until

DOCS = """
CREATE TABLE page_of_app (id INT NULL, title VARCHAR(300), body TEXT, link VARCHAR(200),
  changed DATETIME, who VARCHAR(200));
"""

# As the applications make them, with the columns that count here.
WORDPRESS = """
CREATE TABLE wp_posts (ID BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY,
  post_author BIGINT UNSIGNED NOT NULL DEFAULT 0,
  post_content LONGTEXT NOT NULL, post_title TEXT NOT NULL,
  post_status VARCHAR(20) NOT NULL DEFAULT 'publish', post_password VARCHAR(255) NOT NULL DEFAULT '',
  post_modified_gmt DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00', guid VARCHAR(255) NOT NULL DEFAULT '',
  post_type VARCHAR(20) NOT NULL DEFAULT 'post') COLLATE utf8mb4_unicode_520_ci;
INSERT INTO wp_posts (post_title, post_content, post_status, post_type, post_password,
  post_modified_gmt) VALUES
 ('Harvest', '<h2>Apples</h2><p>The orchard opens in September.</p>', 'publish', 'post', '', '2026-01-02'),
 ('Draft', '<p>orchard secrets</p>', 'draft', 'post', '', '2026-01-02'),
 ('Locked', '<p>orchard secrets</p>', 'publish', 'page', 'pw', '2026-01-02'),
 ('Harvest', '<p>orchard before</p>', 'inherit', 'revision', '', '2026-01-02');
"""

DRUPAL = """
CREATE TABLE node_field_data (nid INT UNSIGNED NOT NULL, vid INT UNSIGNED NOT NULL,
  type VARCHAR(32) CHARACTER SET ascii NOT NULL, langcode VARCHAR(12) CHARACTER SET ascii NOT NULL,
  status TINYINT NOT NULL, uid INT UNSIGNED NOT NULL, title VARCHAR(255) NOT NULL, created INT NOT NULL,
  changed INT NOT NULL, PRIMARY KEY (nid, langcode));
CREATE TABLE node__body (bundle VARCHAR(128) CHARACTER SET ascii NOT NULL DEFAULT '',
  deleted TINYINT NOT NULL DEFAULT 0, entity_id INT UNSIGNED NOT NULL, revision_id INT UNSIGNED NOT NULL,
  langcode VARCHAR(32) CHARACTER SET ascii NOT NULL DEFAULT '', delta INT UNSIGNED NOT NULL,
  body_value LONGTEXT NOT NULL, body_summary LONGTEXT, body_format VARCHAR(255) CHARACTER SET ascii,
  PRIMARY KEY (entity_id, deleted, delta, langcode));
INSERT INTO node_field_data VALUES (1, 1, 'page', 'en', 1, 1, 'Ferry', 0, 100),
 (1, 1, 'page', 'de', 1, 1, 'Fähre', 0, 100), (2, 2, 'page', 'en', 0, 1, 'Hidden', 0, 100);
INSERT INTO node__body VALUES
 ('page', 0, 1, 1, 'en', 0, '<p>The harbour ferry leaves hourly.</p>', '', 'basic_html'),
 ('page', 0, 1, 1, 'de', 0, '<p>Die Hafenfähre fährt stündlich.</p>', '', 'basic_html'),
 ('page', 0, 2, 2, 'en', 0, '<p>harbour secrets</p>', '', 'basic_html');
"""


def wiki():
    """The demo's wiki: eight articles, redirects to them, in the tables of MediaWiki."""
    return subprocess.run([sys.executable, "-B", ROOT / "conf/demo/sample_wiki.py"], check=True,
                          capture_output=True, text=True).stdout


def recipes():
    """The sample's sources, on the Lab's database."""
    text = (ROOT / "conf/knowledge-sources.yaml.in").read_text()
    text = re.sub(r"database: (wiki|blog|site)", "database: lab", text)
    text = re.sub(r"every: \d+", "every: 0", text)
    return text[text.index("    # MediaWiki"):]


@pytest.fixture(scope="module")
def sources():
    with Lab(config={"roles": {"admin": {
            "groups": ["admins"], "permissions": ["AIChat.*", "AI.Admin.Knowledge"]}}}) as lab:
        lab.sql(DOCS + WORDPRESS + DRUPAL + wiki())
        yield Sources(lab)


# -- directories ---------------------------------------------------------------


def test_files_come_change_and_leave(sources):
    path = sources.directory("notes")
    (path / "deep").mkdir()
    (path / "leave.md").write_text("# Leave\n\nNine days of leave carry over.\n")
    (path / "deep/tea.html").write_text("<h1>Tea</h1><p>The kettle is in the pantry.</p>")
    assert sources.sync("notes") == ([2, 0, 0, 0, 0], [])
    hit, = sources.finds("notes", "kettle pantry")
    assert (hit["externalId"], hit["title"]) == ("notes/deep/tea.html", "tea")
    documents = sources.lab.sql("SELECT HEX(id), version FROM document ORDER BY id")
    # At once again: nothing is written. Touched, but the same: nothing either.
    assert sources.sync("notes") == ([0, 0, 2, 0, 0], [])
    os.utime(path / "leave.md", (1, 1))
    assert sources.sync("notes") == ([0, 0, 2, 0, 0], [])
    assert sources.lab.sql("SELECT HEX(id), version FROM document ORDER BY id") == documents
    (path / "leave.md").write_text("# Leave\n\nTen days of leave carry over.\n")
    assert sources.sync("notes") == ([0, 1, 1, 0, 0], [])
    assert "Ten days" in sources.finds("notes", "leave days")[0]["text"]
    (path / "deep/tea.html").unlink()
    assert sources.sync("notes") == ([0, 0, 1, 1, 0], [])
    assert sources.finds("notes", "kettle pantry") == []
    shown = sources.lab.command("kb", "status").stdout
    assert "notes: read 20" in shown and "0 new, 0 changed, 1 unchanged, 1 deleted" in shown
    assert sources.lab.command("kb", "list").stdout == f"notes\tnotes\t{path}\tby command\n"


def test_groups_of_a_source_are_rights(sources):
    path = sources.directory("board", groups="[board]")
    (path / "pay.md").write_text("The quokka budget is 70 crowns.")
    assert sources.sync("board")[0] == [1, 0, 0, 0, 0]
    assert len(sources.finds("board", "quokka budget", ["board"])) == 1
    assert sources.finds("board", "quokka budget", ["staff"]) == []
    sources.directory("board", groups="[staff]")    # said again: nothing of the file changed
    assert sources.sync("board")[0] == [0, 1, 0, 0, 0]
    assert sources.finds("board", "quokka budget", ["board"]) == []
    assert len(sources.finds("board", "quokka budget", ["staff"])) == 1


def test_hostile_names(sources):
    secret = sources.dir / "secret.md"
    secret.write_text("quokka secrets")
    path = sources.directory("hostile")
    (path / "out.md").symlink_to(secret)
    (path / "up").symlink_to("..")
    (path / ".hidden.md").write_text("quokka")
    (path / ".git").mkdir()
    (path / ".git/config.md").write_text("quokka")
    os.mkfifo(path / "pipe.md")
    (path / "a..%2f..md").write_text("Dots are a name.")
    (path / "empty.md").write_text("")
    (path / ("n" * 100)).mkdir()
    (path / ("n" * 100) / ("é" * 100 + ".md")).write_text("A long name.")
    raw = os.fsencode(path) + b"/caf\xe9 \xe2\x80\xae\x1b[31m.md"
    with open(raw, "wb") as f:
        f.write(b"Not a name of UTF-8.")
    counts, faults = sources.sync("hostile")
    assert counts == [3, 0, 0, 0, 1]
    assert faults == ["empty.md: The file is empty."]
    assert sources.finds("hostile", "quokka secrets") == []
    assert sources.finds("hostile", "dots name")[0]["externalId"] == "hostile/a..%2f..md"
    one = sources.finds("hostile", "UTF-8 name")[0]
    assert re.fullmatch("hostile/#[0-9a-f]{64}", one["externalId"])
    assert "\x1b" not in one["title"] and "‮" not in one["title"]
    long = sources.finds("hostile", "long name")[0]
    assert re.fullmatch("hostile/#[0-9a-f]{64}", long["externalId"])
    assert sources.sync("hostile") == ([0, 0, 3, 0, 1], faults)


def test_what_cannot_be_read_leaves_or_stays(sources):
    path = sources.directory("shut")
    (path / "a.md").write_text("An open file.")
    (path / "b.md").write_text("A numbat file.")
    (path / "big.bin").write_bytes(b"x")
    assert sources.sync("shut")[0] == [3, 0, 0, 0, 0]
    os.truncate(path / "big.bin", 1 << 31)      # sparse; larger than allowed
    counts, faults = sources.sync("shut")
    assert counts == [0, 0, 2, 0, 1]
    assert faults[0].startswith("big.bin: The file is too large: it may have at most")
    (path / "big.bin").unlink()
    (path / "b.md").chmod(0)
    counts, faults = sources.sync("shut")
    if os.access(path / "b.md", os.R_OK):       # root reads everything
        assert counts == [0, 0, 2, 1, 0]
    else:
        assert (counts, faults[0][:24]) == ([0, 0, 1, 2, 1], "b.md: It cannot be read ")
    (path / "b.md").chmod(0o600)
    sources.sync("shut")
    before = sources.sync("shut")[0]
    assert before == [0, 0, 2, 0, 0]
    path.rename(path.with_name("away"))         # an unmounted disk deletes nothing
    result = sources.lab.command("kb", "sync", "shut", check=False)
    assert result.returncode == 1 and "cannot be opened" in result.stderr
    path.with_name("away").rename(path)
    assert sources.sync("shut")[0] == before


def test_a_killed_run_is_completed_by_the_next(sources):
    path = sources.directory("many")
    (path / "010.md").write_text("The one in the middle.")
    assert sources.sync("many")[0] == [1, 0, 0, 0, 0]
    (middle,), = sources.lab.sql("SELECT HEX(id) FROM document WHERE external_id LIKE 'many/%'")
    for i in range(20):
        (path / f"{i:03}.md").write_text(f"Number {i} of many.")
    (path / "one").mkdir()
    (path / "one/last.md").write_text("The last of many.")
    # it waits at that one, until it is killed there
    with sources.lab.locked("document", f"id = UNHEX('{middle}')"):
        run = subprocess.Popen([COMMAND, "-c", sources.lab.config_file, "kb", "sync", "many"],
                               stdout=subprocess.DEVNULL)
        wait_until("it waits", lambda: sources.lab.waits_for_lock("document"))
        run.send_signal(signal.SIGKILL)
        run.wait()
    result = sources.lab.command("kb", "sync", "many", check=False)
    assert result.returncode == 1 and "is being read by another process" in result.stderr
    sources.lab.sql("UPDATE knowledge_source SET lease_until_us = 1 WHERE name = 'many'")
    count = "SELECT COUNT(*) FROM knowledge_source_item WHERE source = 'many'"
    there = int(sources.lab.sql(count)[0][0])
    assert 1 < there < 21
    assert sources.sync("many")[0] == [21 - there, 1, there - 1, 0, 0]
    assert sources.sync("many")[0] == [0, 0, 21, 0, 0]
    assert sources.lab.sql("SELECT COUNT(*) FROM document WHERE external_id LIKE 'many/%'") == [
        ["21"]]


def test_the_job_reads_what_is_due(sources):
    path = sources.directory("due", every=60)
    (path / "a.md").write_text("The wombat is due.")
    for i in range(5):
        (path / f"b{i}.md").write_text(f"Number {i} of them.")
    wait_until("the job has read it", lambda: sources.lab.command("work") and "6 new" in
               sources.lab.command("kb", "status").stdout)
    assert len(sources.finds("due", "wombat")) == 1
    (path / "a.md").write_text("The wombat was changed.")
    sources.lab.command("work")     # not due yet
    assert "6 new" in sources.lab.command("kb", "status").stdout
    sources.lab.sql("UPDATE knowledge_source SET begun_us = 1 WHERE name = 'due'")
    wait_until("the job has read it again", lambda: sources.lab.command("work") and
               "1 changed, 5 unchanged" in sources.lab.command("kb", "status").stdout)


def test_a_source_that_moves_to_another_base_takes_its_documents(sources):
    path = sources.directory("moves")
    (path / "a.md").write_text("The bilby moved.")
    sources.sync("moves")
    assert len(sources.finds("moves", "bilby")) == 1
    sources.say(f"    moves: {{base: elsewhere, directory: '{path}'}}")
    assert sources.sync("moves")[0] == [1, 0, 0, 0, 0]
    assert sources.finds("moves", "bilby") == []
    assert len(sources.finds("elsewhere", "bilby")) == 1
    # A base that is deleted leaves nothing of its sources; the next run creates it again.
    assert sources.lab.call("DELETE", sources.base("elsewhere"), user="root",
                            groups=["admins"]).status == 204
    wait_until("nothing is left", lambda: sources.lab.command("work") and sources.lab.sql(
        "SELECT (SELECT COUNT(*) FROM knowledge_source WHERE name = 'moves')"
        " + (SELECT COUNT(*) FROM knowledge_source_item WHERE source = 'moves')") == [["0"]])
    assert sources.sync("moves")[0] == [1, 0, 0, 0, 0]
    assert len(sources.finds("elsewhere", "bilby")) == 1


# -- tables -----------------------------------------------------------------------


def test_rows_come_change_and_leave(sources):
    sql = sources.lab.sql
    sources.select("app")
    sql("INSERT INTO page_of_app VALUES (1, 'One', 'The first echidna.', 'https://x.test/1',"
        " '2026-01-01', NULL), (2, 'Two', 'The second echidna.', 'javascript:alert(1)',"
        " '2026-01-01', NULL), (3, '', 'The third.', NULL, NULL, NULL)")
    assert sources.sync("app") == ([3, 0, 0, 0, 0], [])
    urls = {h["title"]: h["url"] for h in sources.finds("app", "echidna")}
    assert urls == {"One": "https://x.test/1", "Two": None}
    assert sources.finds("app", "third")[0]["title"] == "3"
    assert sources.sync("app") == ([0, 0, 3, 0, 0], [])
    # Of what has the time that it had, the text is not even read.
    sql("UPDATE page_of_app SET body = 'The first platypus.' WHERE id = 1")
    assert sources.sync("app")[0] == [0, 0, 3, 0, 0]
    sql("UPDATE page_of_app SET changed = '2026-01-02' WHERE id = 1;"
        " UPDATE page_of_app SET changed = '2026-01-03' WHERE id = 2;"
        " DELETE FROM page_of_app WHERE id = 3;"
        " INSERT INTO page_of_app VALUES (9, 'Late', 'From a backup.', NULL, '2020-01-01', NULL)")
    assert sources.sync("app") == ([1, 1, 1, 1, 0], [])
    assert len(sources.finds("app", "platypus")) == 1
    sql("UPDATE page_of_app SET body = ' ', changed = '2026-01-04' WHERE id = 1")
    assert sources.sync("app") == ([0, 0, 2, 1, 0], [])
    sql("DELETE FROM page_of_app")
    assert sources.sync("app")[0] == [0, 0, 0, 2, 0]


def test_groups_of_a_row_are_rights(sources):
    sql = sources.lab.sql
    sources.select("rights")
    sql("DELETE FROM page_of_app; INSERT INTO page_of_app VALUES"
        " (1, 'A', 'Dingo one.', NULL, '2026-01-01', 'staff, board'),"
        " (2, 'B', 'Dingo two.', NULL, '2026-01-01', '[\"board\"]'),"
        " (3, 'C', 'Dingo three.', NULL, '2026-01-01', '[\"board\"'),"
        " (4, 'D', 'Dingo four.', NULL, '2026-01-01', '')")
    counts, faults = sources.sync("rights")
    assert counts == [3, 0, 0, 0, 1]
    assert faults == ["3: Its groups are neither names separated by commas nor a JSON list of"
                      " names; it is skipped."]

    def titles(*groups):
        return {h["title"] for h in sources.finds("rights", "dingo", groups)}
    assert titles("staff") == {"A", "D"} and titles("board") == {"A", "B", "D"}
    assert titles() == {"D"}
    # The time stays, the groups change; and what they cannot be read from leaves.
    sql("UPDATE page_of_app SET who = 'board' WHERE id = 1;"
        " UPDATE page_of_app SET who = '[1]' WHERE id = 2")
    assert sources.sync("rights")[0] == [0, 1, 1, 1, 2]
    assert titles("staff") == {"D"} and titles("board") == {"A", "D"}


def test_rows_without_an_id_and_without_a_time(sources):
    sql = sources.lab.sql
    sources.select("odd", "NULLIF(id, 1) AS id, title, body AS text")
    sql("DELETE FROM page_of_app; INSERT INTO page_of_app SELECT seq, CONCAT('T', seq),"
        " CONCAT('Text ', seq), NULL, NULL, NULL FROM seq_1_to_210;"
        " INSERT INTO page_of_app VALUES (7, 'T7', 'Another', NULL, NULL, NULL)")
    counts, faults = sources.sync("odd")
    assert counts == [209, 0, 0, 0, 2]
    assert faults == ["odd: 1 row has no id.",
                      "7: There are several rows with this id; the first is used."]
    sql("UPDATE page_of_app SET body = 'New' WHERE id = 205")
    assert sources.sync("odd")[0] == [0, 1, 208, 0, 2]


def test_errors_of_sql_are_for_admins(sources):
    sources.select("wrong", columns="id, title, no_such_column_xyz AS text")
    result = sources.lab.command("kb", "sync", "wrong", check=False)
    assert result.returncode == 1 and "no_such_column_xyz" in result.stderr
    assert "no_such_column_xyz" in sources.lab.command("kb", "status").stdout
    for path in ("", "/documents"):
        answer = sources.lab.get(sources.base("wrong") + path, user="ada")
        assert answer.status == 200 and b"no_such_column" not in answer.body
    sources.select("wrong", columns="id, body AS text")
    result = sources.lab.command("kb", "sync", "wrong", check=False)
    assert "must give the columns id, title, and either text or html" in result.stderr


def test_configuration_is_checked(sources):
    for said, why in (("base: b", "needs one of directory, select, urls and sitemap"),
                      ("base: b, directory: docs", "must be an absolute path"),
                      ("base: b, select: SELECT 1, database: nil", "nil"),
                      ("base: b, directory: /srv, groups: ['']", "names of 1 to 200")):
        sources.refuses(said, why)
    sources.say("    s: {base: b, directory: /srv}")
    assert sources.lab.command("kb", "sync", "t", check=False).returncode == 2


# -- recipes -----------------------------------------------------------------------


def change(lab, title, text):
    """A new revision of an article."""
    lab.sql(f"INSERT INTO text VALUES (101, '{text}', 'utf-8');"
            " INSERT INTO content VALUES (101, 1, '', 1, 'tt:101');"
            " INSERT INTO slots VALUES (101, 1, 101, 101);"
            f" INSERT INTO revision SELECT 101, page_id, 1, '20261001000000', 0, 1 FROM page"
            f" WHERE page_title = '{title}';"
            f" UPDATE page SET page_latest = 101 WHERE page_title = '{title}'")


def test_the_recipe_of_mediawiki(sources):
    lab = sources.lab
    lab.sql("UPDATE page SET page_title = 'Why_VPN?' WHERE page_title = 'VPN'")
    sources.say(recipes())
    assert sources.sync("mediawiki") == ([8, 0, 0, 0, 0], [])
    hit = sources.finds("Wiki", "install Harbour from the shelf")[0]
    assert (hit["title"], hit["url"], hit["heading"]) == (
        "Why VPN?", "https://wiki.example.org/wiki/Why_VPN%3F", "Setting it up")
    assert "the code of your key." in hit["text"]
    hit = sources.finds("Wiki", "water of the bench")[0]
    assert hit["heading"] == "Order of steps > Water"
    assert sources.finds("Wiki", "redirect") == []
    change(lab, "Printers", "Printers are gone.")
    assert sources.sync("mediawiki") == ([0, 1, 7, 0, 0], [])
    assert "gone" in sources.finds("Wiki", "printers")[0]["text"]
    # The demo has the same select, with its own address.
    sample, demo = ((ROOT / path).read_text() for path in (
        "conf/knowledge-sources.yaml.in", "conf/demo/lamplighter.yaml"))
    select = re.search(r"select: \|\n( {8}SELECT p.page_id.*\n( {8}.*\n)+)", sample)[1]
    assert select.replace("wiki.example.org/wiki", "wiki.brightwater.example") in demo


def test_recipes_of_wordpress_and_drupal(sources):
    lab = sources.lab
    sources.say(recipes())
    assert sources.sync("wordpress") == ([1, 0, 0, 0, 0], [])
    hit, = sources.finds("Blog", "orchard")
    assert (hit["title"], hit["heading"], hit["url"]) == (
        "Harvest", "Apples", "https://blog.example.org/?p=1")
    assert sources.sync("drupal") == ([2, 0, 0, 0, 0], [])
    assert [h["title"] for h in sources.finds("Site", "harbour")] == ["Ferry"]
    assert [h["externalId"] for h in sources.finds("Site", "Hafenfähre")] == ["drupal/1-de"]
    lab.sql("UPDATE node_field_data SET status = 0 WHERE langcode = 'de'")
    assert sources.sync("drupal") == ([0, 0, 1, 1, 0], [])
