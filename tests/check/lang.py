#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts for people come from catalogues (docs/translating.md): the template has all that
are in the code, translations have the same placeholders, and markup of plain pages has no
words of its own."""

import pathlib
import re
import subprocess
import sys
import tempfile

from tree import ROOT, Tap, files, text_of, uncommented

sys.path.insert(0, str(ROOT / "po"))
import extract  # noqa: E402  (po/extract.py)

TEMPLATE = "po/lamplighter.pot"
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Words between tags, and words that people are shown in attributes.
BARE = (re.compile(r">[^<]*?[A-Za-z]{2}"),
        re.compile(r'\b(?:value|title|placeholder|aria-label|alt)=\\"[^\\%]*[A-Za-z]{2}'))
# Values that no person reads.
UNSHOWN = re.compile(r'type=\\"(?:hidden|checkbox)\\"|<option')


def outdated(root):
    there, now = text_of(TEMPLATE, root).split("\n\n"), extract.pot(root).split("\n\n")
    return [f"{TEMPLATE}: run `make update-po`: {what}: {block.splitlines()[-2:]}"
            for what, blocks in (("not in the sources", [b for b in there if b not in now]),
                                 ("missing", [b for b in now if b not in there]))
            for block in blocks[:10]]


def wrong_catalogue(path):
    """What msgfmt says: wrong placeholders, conversions or header."""
    got = subprocess.run(["msgfmt", "-c", "--check-accelerators=_", "-o", "/dev/null", path],
                         capture_output=True, text=True, check=False)
    return got.stderr.splitlines() if got.returncode else []


def bare_words(path, text):
    """Literals of C that are markup with words in it."""
    problems = []
    for number, line in enumerate(uncommented(text).split("\n"), 1):
        for literal in STRING.findall(line):
            shown = re.sub(r"%[-.*\d]*[a-z]+|\\n|&\w+;", "", literal)
            if UNSHOWN.search(literal):
                shown = re.sub(r'\bvalue=\\"[^\\]*', "", shown)
            if "<" in literal and any(bare.search(shown) for bare in BARE):
                problems.append(f"{path}:{number}: words in markup: {literal[:60]}")
    return problems


def sample(translation):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "de.po")
        path.write_text(
            'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n' + translation,
            encoding="utf-8")
        return wrong_catalogue(path)


def main():
    tap = Tap()
    tap.clean("the template has the texts of the sources", outdated(ROOT))
    for path in sorted((ROOT / "po").glob("*.po")):
        tap.clean(f"{path.name} is whole", wrong_catalogue(path))
    tap.clean("plain pages have no words in their markup",
              [p for path in files(".c", under=("fcgi-app/plain",))
               for p in bare_words(path, text_of(path))])
    tap.finds("another conversion", sample(
        '#, c-format\nmsgid "%d bytes"\nmsgstr "%s Bytes"\n'), "fatal error")
    tap.finds("a lost placeholder", sample(
        '#, python-brace-format\nmsgctxt "a"\nmsgid "By {name}"\nmsgstr "Von {nmae}"\n'),
        "fatal error")
    tap.clean("passes another order", sample(
        '#, c-format\nmsgid "%s of %d"\nmsgstr "%2$d: %1$s"\n'))
    tap.finds("a heading", bare_words("x.c", 'buf_adds(b, "<h2>Old chats</h2>");'), "x.c:1")
    tap.finds("a button", bare_words("x.c", r'f("<input type=\"submit\" value=\"Go on\">");'),
              "x.c:1")
    tap.clean("passes markup, values and comments", bare_words("x.c", '\n'.join((
        r'f("<p class=\"small\">%s</p>\n&nbsp;"); /* "<p>Words" */',
        r'f("<input type=\"hidden\" name=\"steps\" value=\"on\">");'))))
    tap.finish()


if __name__ == "__main__":
    main()
