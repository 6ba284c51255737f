# SPDX-License-Identifier: MIT
"""What the checks share: a walk over the sources, TAP, and C without its
comments and strings."""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(os.environ.get("LAMPLIGHTER_SRCDIR",
                                   pathlib.Path(__file__).parents[2])).resolve()
SKIP = {".git", "build", "build-aux", "autom4te.cache", "node_modules", "var",
        "vendor", "dist", "fixtures", "corpus", "__pycache__"}


def files(*suffixes, root=ROOT, under=("",)):
    """Sources of the tree, as paths relative to it, in order."""
    found = []
    for top in under:
        for folder, folders, names in os.walk(root / top):
            folders[:] = [f for f in folders if f not in SKIP
                          and not (pathlib.Path(folder) / f / "config.status").exists()]
            found += [pathlib.Path(folder, n).relative_to(root) for n in names
                      if n.endswith(suffixes)]
    return sorted(found)


def text_of(path, root=ROOT):
    return (root / path).read_text(encoding="utf-8", errors="replace")


TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*\'''',
                   re.S)


def uncommented(text):
    """C text with comments blanked; every character stays in place."""
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group())
                     if m.group()[0] == "/" else m.group(), text)


def code_only(text):
    """C text with comments blanked and strings emptied; lines stay in place."""
    def blank(m):
        token = m.group()
        return re.sub(r"[^\n]", " ", token) if token[0] == "/" else token[0] * 2
    return TOKEN.sub(blank, text)


class Tap:
    """Results in the Test Anything Protocol; finish() gives the exit status."""

    def __init__(self):
        self.count = self.failed = 0

    def result(self, ok, name, details=()):
        self.count += 1
        self.failed += not ok
        print("ok" if ok else "not ok", self.count, "-", name)
        for line in details:
            print("#", line)

    def clean(self, name, problems):
        """Passes when the list of problems is empty."""
        self.result(not problems, name, problems)

    def finds(self, name, problems, expected):
        """Passes when some problem mentions what was expected."""
        self.result(any(expected in p for p in problems), "finds " + name, problems)

    def finish(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)
