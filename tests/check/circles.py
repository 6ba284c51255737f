#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No circles of files: files whose functions call each other, in a circle, are one
file, or a part of one belongs in another. Computed from the objects of the build. A table
may name its rows: what only data refer to is not counted."""

import collections
import os
import pathlib
import re
import subprocess

from tree import ROOT, Tap

BUILD = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ROOT / "build"))

def tool(*arguments):
    return subprocess.run(arguments, cwd=BUILD, capture_output=True, text=True,
                          check=True).stdout.splitlines()


def in_code(objects):
    """For each object: what its functions refer to, not its tables."""
    code = collections.defaultdict(set)
    path = section = None
    for line in tool("readelf", "-rW", *objects):
        if line.startswith("File: "):
            path = line[len("File: "):]
        elif line.startswith("Relocation section"):
            section = re.search(r"'\.rela?(\.[^']*)'", line).group(1)
        elif section.startswith(".text") if section else False:
            parts = line.split()
            if len(parts) >= 5 and parts[2].startswith("R_"):
                code[path].add(parts[4])
    return code


def calls(objects):
    """For each object: the objects that have what its functions refer to."""
    owner, wanted, code = {}, collections.defaultdict(set), in_code(objects)
    for line in tool("nm", "-A", "-g", "-P", *objects):
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind in "Uw":
            wanted[path].add(name)
        else:
            owner.setdefault(name, path)
    return {path: {owner[name] for name in wanted[path] & code[path] if name in owner}
            for path in objects}


def circles(graph):
    """The strongly connected sets of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def problems(found):
    return ["these call each other: " + " ".join(sorted(one)) for one in found]


def main():
    tap = Tap()
    # not those of a source that is no longer there
    objects = [path for path in sorted(str(one.relative_to(BUILD)) for top in ("lib", "fcgi-app")
                                       for one in (BUILD / top).rglob("*.o"))
               if any((ROOT / path).with_suffix(kind).exists() for kind in (".c", ".cc"))]
    graph = {path[:-2]: {other[:-2] for other in others}
             for path, others in calls(objects).items()} if objects else {}
    tap.result(len(graph) > 300, "the objects of the build are read", [f"{len(graph)} objects"])
    tap.clean("there are no circles of files", problems(circles(graph)))
    chain = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}
    tap.result(circles(chain) == [{"b", "c"}], "finds a circle, and only what is in it")
    tap.finds("a circle", problems(circles(chain)), "these call each other: b c")
    tap.clean("passes a chain", problems(circles({"a": {"b"}, "b": {"c"}, "c": set()})))
    tap.finish()


if __name__ == "__main__":
    main()
