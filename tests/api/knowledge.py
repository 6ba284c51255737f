# SPDX-License-Identifier: MIT
"""Knowledge bases for tests: made, filled, and waited for."""

import json
import re

from lab import wait_until

NOBODY = "0192f000-0000-7000-8000-000000000000"
TABLES = ("document", "document_text", "search_document", "search_chunk", "search_heading",
          "search_post", "search_vector", "search_bits", "search_audience")


def base_of(lab, user, groups=(), **fields):
    answer = lab.post("/knowledge-bases", {"name": "Handbook", "language": "en", **fields},
                      user=user, groups=groups)
    assert answer.status == 201, answer
    return f"/knowledge-bases/{answer.json['id']}"


def write(lab, base, user, text, groups=(), status=201, **fields):
    answer = lab.post(f"{base}/documents", {"title": "T", "text": text, **fields},
                      user=user, groups=groups)
    assert answer.status == status, answer
    return answer.json


def settled(lab, base, user, groups=(), **wait):
    """The progress when nothing is queued any more."""
    def done():
        progress = lab.get(f"{base}/progress", user=user, groups=groups).json
        progress.pop("embedding")   # of vectors, which test_embeddings.py asks about
        return progress if not progress["queued"] else None
    return wait_until("documents are indexed", done, **wait)


def found(lab, base, query, user, groups=(), **fields):
    answer = lab.post(f"{base}/search", {"query": query, **fields}, user=user,
                      groups=groups)
    assert answer.status == 200, answer
    return answer.json["items"]


def left(lab, base):
    key = "UNHEX('" + base.rsplit("/", 1)[1].replace("-", "") + "')"
    rows = {table: int(lab.sql(f"SELECT COUNT(*) FROM {table} WHERE base_id = {key}")[0][0])
            for table in TABLES}
    rows["search_base"] = int(lab.sql(
        f"SELECT COUNT(*) FROM search_base WHERE id = {key}")[0][0])
    return rows


def embedded(lab, base, user, until=None, groups=()):
    def done():
        progress = lab.get(f"{base}/progress", user=user, groups=groups).json
        e = progress["embedding"]
        return e if not progress["queued"] and (
            until(e) if until else e["vectors"] == e["passages"] > 0) else None
    return wait_until("the vectors are there", done)


class Sources:
    """The configuration of a Lab with its sources, and what becomes of them."""

    def __init__(self, lab):
        self.lab = lab
        # Block style, so that the recipes fit below it.
        config = json.loads(lab.config_file.read_text())
        self.config = "".join(f"{key}: {json.dumps(value)}\n"
                              for key, value in config.items())
        self.dir = lab.dir / "docs"
        self.dir.mkdir()

    def say(self, *lines):
        self.lab.config_file.write_text(
            self.config + "knowledge:\n  sources:\n" + "\n".join(lines) + "\n")

    def refuses(self, source, why):
        """A source that is no configuration: the file is named, and why."""
        self.say(f"    s: {{{source}}}")
        result = self.lab.command("check", check=False)
        said = result.stdout + result.stderr
        assert result.returncode == 1 and why in said, result
        assert str(self.lab.config_file) in said

    def directory(self, name, **said):
        path = self.dir / name
        path.mkdir(exist_ok=True)
        self.say(f"    {name}: {{base: {name}, language: en, directory: '{path}'"
                 + "".join(f", {k}: {v}" for k, v in said.items()) + "}")
        return path

    def select(self, name, columns="id, title, body AS text, link AS url, changed,"
               " who AS `groups`", where="1", database="lab"):
        self.say(f"    {name}:", f"      base: {name}", f"      database: {database}",
                 "      select: |", f"        SELECT {columns} FROM page_of_app WHERE {where}")

    def sync(self, name, check=True):
        """Its numbers (new, changed, unchanged, deleted, failed) and the sentences."""
        result = self.lab.command("kb", "sync", name, check=check)
        head, *faults = result.stdout.splitlines()
        assert head.startswith(f"{name}: "), result
        return [int(n) for n in re.findall(r"\d+", head.split(": ", 1)[1])], faults

    def base(self, name):
        items = self.lab.get("/knowledge-bases?pageSize=100", user="ada").json["items"]
        one, = (b for b in items if b["name"] == name)
        assert one["tier"] == "tenant"
        return f"/knowledge-bases/{one['id']}"

    def finds(self, name, query, groups=()):
        self.lab.command("work")
        base = self.base(name)
        key = base.rsplit("/", 1)[1].replace("-", "")
        wait_until("documents are indexed", lambda: self.lab.sql(    # by whoever has the job
            f"SELECT 1 FROM document WHERE base_id = UNHEX('{key}') AND status = 0"
            " LIMIT 1") == [])
        return found(self.lab, base, query, "ada", groups)
