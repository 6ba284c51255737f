#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source is part of the release tarball: a makefile has its name, a pattern
that it matches, or a directory that it is in."""

import fnmatch
import pathlib
import re
import tempfile

from tree import ROOT, Tap, files, text_of

KINDS = (".c", ".h", ".def", ".mk", ".py", ".mjs", ".js", ".ts", ".css", ".html", ".svg",
         ".sh", ".sql", ".md", ".yaml", ".in", ".conf", ".cnf")
# By automake itself.
OWN = re.compile(r"(^|/)(Makefile\.in|config\.h\.in|local\.mk|README\.md)$")


def check(root):
    named = set()
    for path in [pathlib.Path("Makefile.am"), *files(".mk", root=root)]:
        text = re.sub(r"#.*", "", text_of(path, root))
        named |= {name.lstrip("/") for name in re.findall(r"[\w.@+/*-]+", text)}
    patterns = [name for name in named if "/" in name and "*" in name]
    return [f"{path} is in no makefile" for path in files(*KINDS, root=root)
            if not OWN.search(str(path)) and str(path) not in named
            and not any("/" in str(p) and str(p) in named for p in path.parents)
            and not any(fnmatch.fnmatch(str(path), p) for p in patterns)
            # made from its .in, which the list of samples stands for
            and str(path)[:-3] + ".sample" not in named]


def main():
    tap = Tap()
    tap.clean("every source is in the tarball", check(ROOT))
    with tempfile.TemporaryDirectory() as d:
        root = pathlib.Path(d)
        (root / "lib").mkdir()
        (root / "Makefile.am").write_text("include lib/local.mk\n")
        (root / "lib/local.mk").write_text("x_SOURCES = lib/a.c\nEXTRA_DIST = lib/data\n"
                                         "x_DATA = $(srcdir)/lib/*.sql\n")
        (root / "lib/data").mkdir()
        for name in ("lib/a.c", "lib/b.h", "lib/d.sql", "lib/data/c.py"):
            (root / name).write_text("")
        found = check(root)
        tap.finds("a file that is in no makefile", found, "lib/b.h is in")
        tap.result(len(found) == 1, "passes what is named, and what is in a named directory",
                   found)
    tap.finish()


main()
