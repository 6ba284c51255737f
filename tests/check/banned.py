#!/usr/bin/env python3
"""No function that lib/base/banned.h poisons, nor one of the rest that have no
safe use in a threaded server. The header stops them where it is included; this
finds the file that forgot it. In the program, JSON is parsed in one place, which
has the caps (lib/base/json.h), and patterns of POSIX, which have none, nowhere."""

import re

from tree import Tap, code_only, files, text_of

POISON = re.compile(r"^#pragma GCC poison (.*)$", re.M)
MORE = {"vsprintf", "strtok_r", "gethostbyname", "gethostbyaddr", "inet_ntoa",
        "getpwnam", "getpwuid", "readdir_r", "system", "popen", "alloca", "setjmp",
        "longjmp", "vfork", "usleep", "tempnam", "putenv"}
# In what runs, not in the tests, which parse what they wrote themselves.
PROGRAM = {"json_loads", "json_loadb", "json_loadf", "json_loadfd",
           "json_load_file", "json_load_callback", "regcomp", "regexec"}
# Where a banned function is right, and why.
ALLOWED = {("lib/base/json.c", "json_loadb"): "behind the caps"}


def banned_names():
    names = set(MORE)
    for row in POISON.findall(text_of("lib/base/banned.h")):
        names.update(row.split())
    return names


def check_text(path, text, names):
    code = code_only(text)
    found = []
    for m in re.finditer(r"(?<![\w.>])(\w+)\s*\(", code):
        name = m.group(1)
        line = code.count("\n", 0, m.start()) + 1
        banned = name in names or (name in PROGRAM and
                                   not str(path).startswith("tests/"))
        if banned and (str(path), name) not in ALLOWED:
            found.append(f"{path}:{line}: {name}() is banned")
    return found


def main():
    tap = Tap()
    names = banned_names()
    problems = []
    for path in files(".c", ".h", under=("lib", "fcgi-app", "tests")):
        problems += check_text(path, text_of(path), names)
    tap.clean("no banned function is called", problems)
    tap.result(len(names) > len(MORE), "lib/base/banned.h is read")
    for name in ("strcpy", "sprintf", "atoi", "localtime", "system"):
        tap.finds(f"{name}()", check_text(
            "a.c", f"int main(void)\n{{\n\t{name} (0);\n}}\n", names),
            f"a.c:3: {name}()")
    for name in sorted(PROGRAM):
        tap.finds(f"{name}() in the program", check_text(
            "lib/x/y.c", f"\tj = {name}(p, n, 0, NULL);\n", names),
            f"lib/x/y.c:1: {name}()")
    tap.clean("passes the one place that parses JSON, and the tests", check_text(
        "lib/base/json.c", "j = json_loadb(p, n, 0, &e);\n", names) + check_text(
        "tests/unit/test_x.c", "j = json_loads(p, 0, &e);\n", names))
    tap.clean("passes a comment, a string, a member and a longer name", check_text(
        "a.c", '/* strcpy(a, b) */\nchar *s = "atoi(x)"; // gets(x)\n'
               "p->system(1); q.signal(2); my_strcpy(3); gmtime_r(0, 0);\n", names))
    tap.finish()


if __name__ == "__main__":
    main()
