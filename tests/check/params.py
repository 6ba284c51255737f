#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A parameter that has the same constant value in all calls of its function is none. Calls of
tests count: they may give what nobody else does. Functions that are used otherwise than
by a call (rows of tables, callbacks) have the parameters that all of their kind have."""

import collections
import re

from tree import TOKEN, Tap, files, text_of

# Parameters of the engine whose other values only other rows of resource.def would need.
ALLOWED = {("resource_set", "unsigned stmt"): "lib/resource knows the statements of no row"}

DEFINED = re.compile(r"^(?P<head>[a-z][^;={}()#]*?[\s*])(?P<name>\w+)\(", re.M)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
CONSTANT = re.compile(r"-?\d\w*|NULL|true|false|[A-Z][A-Z0-9_]*|(?:STR\()?\".*\"\)?|'.*'"
                      r"|\(struct str\)\{ NULL, 0 \}")


def without_comments(text, hide_strings):
    """Every character stays in place."""
    def blank(m):
        token = m.group()
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token[0] + "x" * (len(token) - 2) + token[0] if hide_strings else token
    return TOKEN.sub(blank, text)


def parts(code, shape, start):
    """What stands between the parentheses that open at start, and where they close."""
    depth, begin, out = 0, start + 1, []
    for at in range(start, len(shape)):
        if shape[at] in "([{":
            depth += 1
        elif shape[at] in ")]}":
            depth -= 1
            if not depth:
                return [*out, code[begin:at].strip()], at
        elif shape[at] == "," and depth == 1:
            out.append(code[begin:at].strip())
            begin = at + 1
    return None, len(shape)


def functions(sources):
    """{name: [(file, parameters, static)]}"""
    found = collections.defaultdict(list)
    for path, (code, shape) in sources.items():
        if path.endswith(".c") and not path.startswith("tests/"):
            for m in DEFINED.finditer(shape):
                params, end = parts(code, shape, m.end() - 1)
                if params and shape[end + 1:].lstrip()[:1] == "{":
                    found[m["name"]].append((path, params, "static" in m["head"].split()))
    return found


def calls(sources, names):
    """{name: [(file, arguments)]}; None for the arguments of what is no call."""
    found = collections.defaultdict(list)
    for path, (code, shape) in sources.items():
        for m in NAME.finditer(shape):
            before = shape[shape.rfind("\n", 0, m.start()) + 1:m.start()]
            if m.group() not in names or before.endswith((".", "->")):
                continue
            after = shape[m.end():].lstrip() if m.end() < len(shape) else ""
            if not after.startswith("("):
                found[m.group()].append((path, None))
            elif not re.match(r"[a-z]", before):	# no definition or declaration
                found[m.group()].append(
                    (path, parts(code, shape, shape.index("(", m.end()))[0]))
    return found


def same(texts):
    sources = {path: (without_comments(text, False), without_comments(text, True))
               for path, text in texts.items()}
    # A constant of one file is another one in the next file.
    own = {path: set(re.findall(r"\b([A-Z][A-Z0-9_]*)\s*=", shape))
           for path, (_, shape) in sources.items() if path.endswith(".c")}
    there = functions(sources)
    used = calls(sources, there)
    for name, definitions in sorted(there.items()):
        of_files = {path for path, _, static in definitions if static}
        for path, params, static in definitions:
            found = [(at, args) for at, args in used[name]
                     if (at == path if static else at not in of_files)]
            if sum(not at.startswith("tests/") for at, _ in found) < 2 or any(
                    args is None or len(args) != len(params) for _, args in found):
                continue
            for i, param in enumerate(params):
                values = {(args[i], at if args[i] in own.get(at, ()) else "")
                          for at, args in found}
                param = " ".join(param.split())
                if len(values) == 1 and CONSTANT.fullmatch(args := values.pop()[0]) and (
                        name, param) not in ALLOWED:
                    yield f"{path}: {name}(): {param} is always {args}"


def main():
    tap = Tap()
    tap.clean("parameters differ", list(same(
        {str(path): text_of(path) for path in files(".c", ".h", ".def", ".cc",
                                                    under=("lib", "fcgi-app", "tests"))
         if "demo-llm" not in path.parts})))
    f = "static int f(int a, const char *b)\n{\n\treturn a;\n}\n"
    g = "int g(int a)\n{\n\treturn a;\n}\n"
    tap.finds("a constant", list(same({"lib/a.c": f + 'int h(int x)\n{\n\treturn f(x, "y") +'
                                       '\n\t\tf(2, "y");\n}\n'})), 'const char *b is always "y"')
    tap.finds("one of an export", list(same({
        "lib/a.c": g, "lib/b.c": "int h(void)\n{\n\treturn g(A_MAX) + g(A_MAX);\n}\n"})),
        "int a is always A_MAX")
    tap.clean("passes others", list(same({
        "lib/a.c": f + g + 'int h(void)\n{\n\treturn f(1, "y") + f(2, "z");\n}\n',
        "lib/b.c": "enum { N = 1 };\nint i(void)\n{\n\treturn g(N) /* g(N) */;\n}\n",
        "lib/c.c": "enum { N = 2 };\nint j(void)\n{\n\treturn g(N);\n}\n"})))
    tap.clean("passes what a test gives, callbacks and single calls", list(same({
        "lib/a.c": g, "lib/b.c": "int h(void)\n{\n\treturn g(1) + g(1);\n}\n",
        "tests/unit/a.c": "int t(void)\n{\n\treturn g(2);\n}\n",
        "lib/c.c": f + "static int (*const p)(int, const char *) = f;\nint i(void)\n{\n"
        "\treturn f(1, \"\") + f(1, \"\");\n}\n",
        "lib/d.c": "static int k(int a)\n{\n\treturn a;\n}\nint l(void)\n{\n\treturn k(1);\n}\n"})))
    tap.finish()


if __name__ == "__main__":
    main()
