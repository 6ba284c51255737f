#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a file exports is used by others: a function of which only its own file knows is
static, and one that only functions of a neighbour in its folder use is a sign that a
subject was cut (a table may name its rows). Computed from the objects of the build; tests
count as users."""

import pathlib
import re

from circles import BUILD, in_code, tool
from tree import ROOT, Tap, files, text_of

# Functions that only a neighbour uses: fewer are welcome. Nearly all are of an interface that
# others use, too; 26 files serve a single neighbour, each a subject of its own (a socket, a
# transport, a walk through folders), and half of these would have over 1,000 lines with it.
NEIGHBOURS = 423
# What nobody calls by name here: callbacks of libraries.
CALLED_FROM_OUTSIDE = {"__asan_default_options", "main"}
# What a table names, whose rows are in the same file.
ROWS = re.compile(r"job_\w+")


def words_of_tests():
    found = set()
    for path in files(".c", ".h", ".py", under=("tests",)):
        found |= set(re.findall(r"\w+", text_of(path)))
    return found


def exports(objects):
    """{name: (object that has it, objects that use it)}"""
    owner, users = {}, {}
    for line in tool("nm", "-A", "-g", "-P", *objects):
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if name.startswith("_Z"):  # of C++
            continue
        if kind in "Uw":
            users.setdefault(name, set()).add(path)
        else:
            owner.setdefault(name, path)
    return {name: (path, users.get(name, set()) - {path}) for name, path in owner.items()}


def unused(found, elsewhere):
    return [f"{path[:-2]}: only its own file uses {name}()"
            for name, (path, others) in sorted(found.items())
            if not others and name not in elsewhere | CALLED_FROM_OUTSIDE
            and not ROWS.fullmatch(name)]


def of_neighbours(found, elsewhere, code):
    return [name for name, (path, others) in found.items() if name not in elsewhere
            and len(others) == 1 and name in code.get(*others, ())
            and pathlib.Path(*others).parent == pathlib.Path(path).parent]


def main():
    tap = Tap()
    objects = [path for path in sorted(str(one.relative_to(BUILD)) for top in ("lib", "fcgi-app")
                                       for one in (BUILD / top).rglob("*.o"))
               if any((ROOT / path).with_suffix(kind).exists() for kind in (".c", ".cc"))]
    found, tests = exports(objects) if objects else {}, words_of_tests()
    tap.result(len(found) > 1000, "the objects of the build are read", [f"{len(found)} exports"])
    tap.clean("what is exported is used", unused(found, tests))
    n = len(of_neighbours(found, tests, in_code(objects) if objects else {}))
    tap.result(n <= NEIGHBOURS, "no more exports for one neighbour than there were",
               [f"{n}, at most {NEIGHBOURS}"])
    sample = {"a_x": ("lib/a/x.o", {"lib/a/y.o"}), "a_z": ("lib/a/z.o", {"lib/b/y.o"}),
              "a_n": ("lib/a/n.o", set()), "a_t": ("lib/a/t.o", set()),
              "a_r": ("lib/a/x.o", {"lib/a/y.o"})}
    code = {"lib/a/y.o": {"a_x"}, "lib/b/y.o": {"a_z"}}
    tap.result(of_neighbours(sample, set(), code) == ["a_x"],
               "finds one for a neighbour, which no row is")
    tap.finds("one that nobody uses", unused(sample, {"a_t"}), "only its own file uses a_n()")
    tap.clean("what a test uses is used", unused({"a_t": sample["a_t"]}, {"a_t"}))
    tap.finish()


if __name__ == "__main__":
    main()
