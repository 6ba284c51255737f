#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What comments, tests and pages refer to exists: the pitfalls of docs/pitfalls.md
(P-A1), each of which a test names; the requirements of docs/requirements.md (A1,
C-T1) in comments of the sources; no document outside of this tree; every page of
docs within two clicks of README.md.

    tests/check/cited.py --list    prints which tests name which pitfall
"""

import pathlib
import re
import sys

from tree import TOKEN, Tap, files, text_of

# What cannot happen here, and why.
ABSENT = {"P-F6": "no endpoint speaks Anthropic's protocol to clients"}
PITFALL = re.compile(r"\bP-[A-G]\d+\b")
REQUIREMENT = re.compile(r"(?<=[(, ])(?:[A-EU]\d{1,2}|C-T\d{1,2})(?=[),;:])")
BRACKETS = re.compile(r"\(((?:[A-EU]\d{1,2}|C-T\d{1,2})\b[^()]*)\)")
OUTSIDE = re.compile(r"\b(?:DESIGN|house-style|protocols|platform-web|platform-db)\.md\b"
                     r"|\b[Pp]itfalls? [A-G]\d")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def rows(page, form):
    """First cells of the tables of a page that have this form."""
    return re.findall(rf"(?:^|\|) ?({form}) \|", text_of(page), re.M)


def where():
    """Pitfall -> the tests' files that name it."""
    out = {}
    for path in files(".c", ".h", ".py", ".mjs", under=("tests",)):
        if path.parts[1] != "check":
            for number in PITFALL.findall(text_of(path)):
                out.setdefault(number, set()).add(str(path))
    return out


def required(text):
    """The requirements that comments of C cite in brackets."""
    text = " ".join(m.group() for m in TOKEN.finditer(text) if m.group()[0] == "/")
    for inner in BRACKETS.findall(text):
        yield from REQUIREMENT.findall(f"({inner})")


def reachable(clicks):
    """The pages that so many clicks lead to, beginning at README.md."""
    seen = {pathlib.Path("README.md")}
    edge = set(seen)
    for _ in range(clicks):
        edge = {pathlib.Path(*norm((page.parent / to).parts)) for page in edge
                if page.suffix == ".md" for to in LINK.findall(text_of(page))} - seen
        seen |= edge
    return seen


def norm(parts):
    out = []
    for part in parts:
        if part == "..":
            out.pop()
        elif part != ".":
            out.append(part)
    return out


def main():
    found = where()
    pitfalls = rows("docs/pitfalls.md", r"P-[A-G]\d+")
    if sys.argv[1:] == ["--list"]:
        for number in pitfalls:
            print(f"{number:6} " + (", ".join(sorted(found.get(number, ()))) or
                                    ABSENT.get(number, "NOWHERE")))
        return
    requirements = set(rows("docs/requirements.md", r"[A-EU]\d+|C-T\d+"))
    sources = [(path, text_of(path)) for path in files(
        ".c", ".h", ".def", ".sql", under=("lib", "fcgi-app", "sql"))]
    tap = Tap()
    tap.clean("every pitfall has a test that names it", [
        n for n in pitfalls if n not in found and n not in ABSENT])
    tap.clean("what is absent has no test", [
        f"{n}: {sorted(found[n])}" for n in ABSENT if n in found])
    tap.clean("every cited pitfall is one", [
        f"{path}: {n}" for path, text in sources
        for n in PITFALL.findall(text) if n not in pitfalls] + [
        f"{n}: {sorted(paths)}" for n, paths in found.items() if n not in pitfalls])
    tap.clean("every cited requirement is one", [
        f"{path}: {n}" for path, text in sources
        for n in required(text) if n not in requirements])
    tap.clean("no document outside of this tree is cited", [
        f"{path}: {m.group()}" for path in files(
            ".c", ".h", ".def", ".sql", ".py", ".mjs", ".js", ".md", ".yaml", ".sh")
        if path.parts[:2] != ("tests", "check") for m in OUTSIDE.finditer(text_of(path))])
    near = reachable(2)
    tap.clean("every page is within two clicks of README.md", [
        str(path) for path in files(".md", under=("docs",)) if path not in near])
    tap.result(list(required("/* of x (A1, C-T2; B3), not (see A9 there) or C4 */ (B5) //(B6: y)")) ==
               ["A1", "C-T2", "B3", "B6"], "citations are found")
    tap.finish()


if __name__ == "__main__":
    main()
