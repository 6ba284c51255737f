#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The form of the sources: tabs, no trailing blanks, at most 100 columns of C
(rows of tables and long strings excepted), at most 1,000 lines a file, no
promises left in comments."""

import re

from tree import Tap, code_only, files, text_of

COLUMNS = 100
LINES = 1000
C = (".c", ".h", ".def")
SOURCES = C + (".py", ".js", ".mjs", ".css", ".html", ".sh", ".sql", ".mk", ".yaml", ".am",
               ".ac", "/lamp", ".ci/run")
# Steps that tests share stand beside them, in files that are no tests.
FROM_TEST = re.compile(r"""^\s*(?:from|import)\s+test_\w+|from ["'][^"']*\.test\.mjs["']""")
PROMISE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")     # check-format: the words


def is_row(line):
    """A row of a table, or a line that is long by a string: left as it is."""
    return '"' in line or re.match(r"\s*(\{|\[\w+\] *=|[A-Z][A-Z0-9_]*\()", line)


def check_text(path, text):
    name, found = str(path), []
    in_c = name.endswith(C)
    lines = text.split("\n")
    code = code_only(text).split("\n") if in_c else lines
    if text and not text.endswith("\n"):
        found.append(f"{name}: no newline at the end")
    if len(lines) - 1 > LINES and not name.endswith((".def", ".sql")):
        found.append(f"{name}: {len(lines) - 1} lines, more than {LINES}")
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        if "\r" in line:
            found.append(f"{where}: carriage return")
        elif line != line.rstrip():
            found.append(f"{where}: trailing blanks")
        if name.startswith("tests/") and FROM_TEST.search(line):
            found.append(f"{where}: a test that imports a test")
        if PROMISE.search(line) and "check-format" not in line:
            found.append(f"{where}: a promise instead of the work")
        if not in_c:
            continue
        blanks = code[number - 1][:len(line) - len(line.lstrip())]
        if code[number - 1].strip() == "":
            pass                                # a comment may be laid out freely
        elif " \t" in blanks or "        " in blanks or (
                blanks.startswith("  ") and "\t" not in blanks):
            found.append(f"{where}: indented with blanks instead of tabs")
        if len(line.expandtabs(8)) > COLUMNS and not is_row(line):
            found.append(f"{where}: {len(line.expandtabs(8))} columns")
    return found


def main():
    tap = Tap()
    problems = []
    for path in files("", under=("lib", "fcgi-app", "sql", "conf", "www", "tests", "po", ".ci")):
        if ("/" + str(path)).endswith(SOURCES):
            problems += check_text(path, text_of(path))
    for path in ("lamp", "configure.ac", "Makefile.am"):
        problems += check_text(path, text_of(path))
    tap.clean("the sources have the right form", problems)
    for name, text, expected in (
            ("trailing blanks", "int a; \n", "a.c:1: trailing blanks"),
            ("blanks for tabs", "{\n        int a;\n", "a.c:2: indented with blanks"),
            ("four blanks for a tab", "{\n    int a;\n", "a.c:2: indented with blanks"),
            ("a blank before a tab", "{\n \tint a;\n", "a.c:2: indented with blanks"),
            ("a long line", "\t" + "x + " * 25 + "y;\n", "a.c:1: 110 columns"),
            ("a long file", "int a;\n" * (LINES + 1), f"{LINES + 1} lines"),
            ("a carriage return", "int a;\r\n", "a.c:1: carriage return"),
            ("a missing last newline", "int a;", "no newline at the end"),
            ("a promise", "/* TO" + "DO: later */\n", "a.c:1: a promise")):
        tap.finds(name, check_text("a.c", text), expected)
    for line in ("from test_b import say\n", "import { a } from './b.te" "st.mjs';\n"):
        tap.finds("a test that imports a test", check_text("tests/a.py", line),
                  "tests/a.py:1: a test that imports a test")
    tap.clean("passes tabs, comments, long rows and strings", check_text(
        "a.c", "/*\n * a\n   b */\nint f(int a,\n\t  int b);\n"
        '\tfail("' + "x" * 120 + '");\n\tROW(A, ' + "x" * 100 + "),\n"))
    tap.finish()


if __name__ == "__main__":
    main()
