#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One prefix, one room: what a header exports begins with a word that no header of
another room uses, so that a name says where it is declared.

The prefix is what stands before the first _ of the name of a function or variable
that a header declares. A room is a folder of lib with all below it (lib/tool and
its families), a folder of fcgi-app, or fcgi-app itself. Names without a _, types
and macros are not looked at; static inline functions are.

And names say what things are in the terms of the field (docs/style.md): no identifier has
one of the words PLAINER, and no file calls a static function by one of the verbs that tell
only with their object what is done (VAGUE)."""

import pathlib
import re
import tempfile

from tree import ROOT, Tap, code_only, files, text_of

# A prefix that is split on purpose: why, and the rooms that it is in. None yet.
SPLIT = {}

# Words for which the field has a plainer term.
PLAINER = {"said", "told", "unsaid", "chosen", "choose", "made", "odd", "wish", "doom", "doomed"}
# What is checked, stored, ... ? Many files would have one of these.
VAGUE = {"check", "prepare", "place", "choose", "keep", "store", "gone", "changed", "record",
         "find", "take", "look", "tell", "load", "put", "run"}
WORD = re.compile(r"[A-Za-z_]\w*")
# A static function of one file, which stands at the beginning of a line.
STATIC = re.compile(r"^static\s[^;={}()]*?[\s*](\w+)\(", re.M)

DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)"
                       r"|\b[A-Z][A-Z0-9_]+\s*\([^()]*\)")
FUNCTION = re.compile(r"\b([a-z]\w*)\s*\(")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)")


def exported(text):
    """Names of the functions and variables that a header declares."""
    out, depth = [], 0
    for c in DIRECTIVE.sub("", code_only(text)):
        depth += (c == "{") - (c == "}")
        if depth == 0:
            out.append(";" if c == "}" else c)
    for part in "".join(out).split(";"):
        part = ATTRIBUTE.sub(" ", part).strip()
        if part.startswith("typedef"):
            continue
        m = FUNCTION.search(part)
        if m:
            yield m.group(1)
        elif re.match(r"extern\b", part):
            yield from VARIABLE.findall(part)


def room_of(path):
    parts = pathlib.PurePath(path).parts
    return "/".join(parts[:min(2, len(parts) - 1)])


def check(root):
    rooms = {}
    for path in files(".h", root=root, under=("lib", "fcgi-app")):
        for name in exported(text_of(path, root)):
            if "_" in name:
                rooms.setdefault(name.split("_")[0], {}).setdefault(
                    room_of(path), []).append(f"{name} ({path})")
    return [f"{prefix}_ is of {len(found)} rooms: "
            + ", ".join(names[0] for names in found.values())
            for prefix, found in sorted(rooms.items())
            if len(found) > 1 and set(found) != set(SPLIT.get(prefix, ()))]


def unclear(root):
    """Names with words of PLAINER, and static functions that are called VAGUE."""
    out = []
    for path in files(".c", ".h", ".def", ".cc", root=root, under=("lib", "fcgi-app")):
        if "demo-llm" in path.parts:
            continue
        code = code_only(text_of(path, root))
        out += [f"{path}: {name}: there is a plainer term" for name in
                sorted(set(WORD.findall(code)))
                if set(name.lower().split("_")) & PLAINER]
        if path.suffix == ".c":
            out += [f"{path}: {name}() does not say what it does" for name in
                    sorted(set(STATIC.findall(code)) & VAGUE)]
    return out


def sample(looked_for=check, **written):
    """The problems of a small tree; names use __ for /, _h for .h and _c for .c."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in written.items():
            path = pathlib.Path(folder, re.sub("_([ch])$", r".\1", name.replace("__", "/"))
                                .replace("fcgi_app", "fcgi-app"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return looked_for(pathlib.Path(folder))


def main():
    tap = Tap()
    tap.clean("a prefix is of one room", check(ROOT))
    one = "int row_get(struct row *r);\n"
    tap.finds("a function of another room's prefix", sample(
        lib__store__a_h=one, lib__turn__b_h="struct x *row_put(int a,\n\tint b) MUST_CHECK;\n"),
        "row_ is of 2 rooms: row_get (lib/store/a.h), row_put (lib/turn/b.h)")
    tap.finds("a variable", sample(
        lib__store__a_h=one, fcgi_app__api__b_h="extern const int one, row_n[4];\n"),
        "row_n (fcgi-app/api/b.h)")
    tap.finds("an inline function", sample(
        lib__store__a_h=one, fcgi_app__b_h="static inline int row_x(void)\n{\n\treturn 1;\n}\n"),
        "row_x (fcgi-app/b.h)")
    tap.finds("a folder of fcgi-app and fcgi-app itself", sample(
        fcgi_app__api__a_h=one, fcgi_app__b_h="void row_x(void);\n"), "row_ is of 2 rooms")
    tap.clean("passes families of one room, types, members, comments and macros", sample(
        lib__store__a_h=one, lib__store__b_h="int row_put(void);\n",
        lib__tool__data__c_h="int kind_a(void);\n", lib__tool__web__d_h="int kind_b(void);\n",
        lib__turn__e_h="struct row_x {\n\tint (*row_f)(int row_a);\n};\n/* row_get(x); */\n"
        "#define ROW(x) \\\n\trow_get(x);\nenum row_kind { ROW_A };\nint rows(void);\n"))
    tap.clean("names are plain, and functions say what they do", unclear(ROOT))
    for text in ("int is_said(void);\n", "struct x { bool told; };\n", "enum { SAID_MAX = 1 };\n"):
        tap.finds("a word: " + text.strip(), sample(unclear, lib__store__a_h=text), "plainer term")
    for text in ("static int check(int a)\n{\n\treturn a;\n}\n",
                 "static const struct row *find(const struct x *x,\n\tint b)\n{\n}\n"):
        tap.finds("a verb: " + text.split("(")[0], sample(unclear, lib__store__a_c=text),
                  "does not say what it does")
    tap.clean("passes what is said in texts and comments, and members", sample(
        unclear, lib__store__a_c="/* what was said */\nstatic int check_row(struct x *x)\n{\n"
        "\tx->check(\"said\");\n\treturn store(x);\n}\n"))
    tap.finish()


if __name__ == "__main__":
    main()
