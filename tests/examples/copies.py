# SPDX-License-Identifier: MIT
"""A copy of the tree and of what was built of it. What an example does not touch
is not compiled again."""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess

import lab

ROOT, BUILD = lab.ROOT, lab.BUILD.resolve()

LEAVE = {".git", "node_modules", "autom4te.cache", "__pycache__", "var"}
SOURCES = (".c", ".h", ".def", ".mk", ".sql", ".yaml", ".json", ".js", ".py")
CONFIG = """\
database: {socket: /nonexistent/db.sock, password: "x"}
llm_services:
  main: {provider: ollama, model: m, capabilities: [chat]}
chat: {llm_service: main}
"""


def run(*argv, cwd, fails=False, **env):
    """What a program prints on stdout; with fails also when it does."""
    kept = {k: v for k, v in os.environ.items()
            if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    result = subprocess.run(argv, cwd=cwd, capture_output=True, text=True,
                            errors="replace", env={**kept, **env})
    assert fails or result.returncode == 0, \
        f"{argv}: {result.stdout[-4000:]}{result.stderr[-4000:]}"
    return result.stdout + (result.stderr if fails else "")


def blocks(page, language):
    """The blocks of one language of a page of docs."""
    return re.findall(rf"^```{language}\n(.*?)^```$",
                      (ROOT / "docs" / page).read_text(), re.M | re.S)


def places(page, example=0):
    """[(file, old, new)] of one of a page's examples: blocks of diff without
    numbers. `--- FILE`, then lines of that file that occur there once, with + and
    -; `@@` begins the next place. A file that is new has only + lines."""
    found = []
    for part in re.split(r"^--- ", blocks(page, "diff")[example], flags=re.M)[1:]:
        name, text = part.split("\n", 1)
        for lines in re.split(r"^@@\n", text, flags=re.M):
            lines = lines.splitlines(keepends=True)
            found.append((name, *("".join(line[1:] for line in lines
                                          if line[0] in kept)
                                  for kept in (" -", " +"))))
    return found


def whole_files(page, *languages):
    """[(file, text)] of a page's blocks whose first line names a file."""
    return [(named[1], text) for language in languages
            for text in blocks(page, language)
            if (named := re.match(r"(?:/\*|#|--) (\S+\.\w+)(?: \*/)?\n", text))]


class Copy:
    """Of the tree (root) and of its build, in folder."""

    def __init__(self, folder):
        self.root = folder / "tree"
        # Within the tree the one may be named relative to the other.
        self.build = (self.root / BUILD.relative_to(ROOT)
                      if BUILD.is_relative_to(ROOT) else folder / "build")
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=lambda d, names: [
            n for n in names if n in LEAVE
            or (pathlib.Path(d) / n / "config.status").exists()])
        shutil.copytree(BUILD, self.build, symlinks=True,
                        ignore=lambda d, names: [
                            n for n in names if n.endswith((".log", ".trs"))
                            or n in ("corpus", "test", "asan", "tsan")])
        # What the build wrote down of where it is. Times stay, so that only what
        # an example changes is built.
        for top, _, names in os.walk(self.build):
            for path in (pathlib.Path(top, n) for n in names
                         if n in ("Makefile", "config.status") or n.endswith(".Po")):
                text, stat = path.read_text(), path.stat()
                path.write_text(text.replace(str(BUILD), str(self.build))
                                .replace(str(ROOT), str(self.root)))
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def edit(self, name, old, new):
        """Puts new in the place of old, which is there once."""
        path = self.root / name
        text = path.read_text()
        assert text.count(old) == 1, f"{name} has not once:\n{old}"
        path.write_text(text.replace(old, new))

    def apply(self, page, *languages, example=0):
        """Applies one of a page's examples, and the whole files that its blocks of
        these languages are. Returns the names of the files."""
        edits, files = places(page, example), whole_files(page, *languages)
        for name, old, new in edits:
            if old:
                self.edit(name, old, new)
            else:
                files.append((name, new))
        for name, text in files:
            path = self.root / name
            assert not path.exists(), name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return {name for name, *_ in edits + files}

    def touched(self):
        """Sources that are new or differ from the tree's."""
        files = [p for p in self.root.rglob("*") if p.is_file() and
                 p.suffix in SOURCES and not p.is_relative_to(self.build)
                 and "vendor" not in p.parts]
        return [str(p.relative_to(self.root)) for p in files
                if not (ROOT / p.relative_to(self.root)).exists() or not
                filecmp.cmp(p, ROOT / p.relative_to(self.root), shallow=False)]

    def make(self, *targets):
        """What is compiled again is not optimised: it is tried, not measured."""
        run("make", "-s", "-j2", "CFLAGS=-O0", *targets, cwd=self.build)

    def environment(self):
        """For tests that are run from the copy."""
        return {"LAMPLIGHTER_BUILD": str(self.build), "LAMPLIGHTER_SHARD": "0/1",
                "LAMPLIGHTER_SRCDIR": str(self.root),
                "LAMPLIGHTER_SQL_DIR": str(self.root / "sql")}

    def command(self, *argv, **how):
        """What its command prints, with a configuration of one workspace."""
        config = self.build / "example.yaml"
        config.write_text(CONFIG)
        (self.build / "workspaces.d").mkdir(exist_ok=True)
        (self.build / "workspaces.d/w.yaml").write_text("workspace: w\nname: W\n")
        return run(self.build / "lamplighter", "-c", config, *argv, cwd=self.build,
                   **how)
