#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source says its licence in its first line, or in the second after `#!`.
`spdx.py --add` writes the line where it is missing."""

import sys

from tree import ROOT, Tap, files, text_of

LINE = "SPDX-License-Identifier: MIT"
COMMENT = {
    **dict.fromkeys((".c", ".h", ".def", ".cc", ".css"), f"/* {LINE} */"),
    **dict.fromkeys((".js", ".mjs", ".ts"), f"// {LINE}"),
    **dict.fromkeys((".py", ".sh"), f"# {LINE}"),
    ".sql": f"-- {LINE}",
}
GENERATED = {"lib/resource/resource.sql"}
UNDER = ("lib", "fcgi-app", "sql", "conf", "www", "tests", "docs", "po", ".ci")


def comment_for(path, text):
    """The line that a file has; None: a file of another kind. Scripts need no suffix."""
    if path.suffix in COMMENT:
        return COMMENT[path.suffix]
    return f"# {LINE}" if text.startswith("#!") else None


def check_text(path, text):
    line = comment_for(path, text)
    at = text.startswith("#!")
    if line is None or text.split("\n")[at:at + 1] == [line]:
        return []
    return [f"{path}: no line {line!r}"]


def with_line(path, text):
    line, at = comment_for(path, text), text.startswith("#!")
    lines = text.split("\n")
    return "\n".join([*lines[:at], line, *lines[at:]])


def sources():
    for path in [*files("", under=UNDER), type(ROOT)("lamp")]:
        if str(path) not in GENERATED:
            yield path, text_of(path)


def main():
    if sys.argv[1:] == ["--add"]:
        for path, text in sources():
            if check_text(path, text):
                (ROOT / path).write_text(with_line(path, text))
        return
    tap = Tap()
    tap.clean("every source says its licence",
              [found for one in sources() for found in check_text(*one)])
    for name, text in (("a.c", "int a;\n"), ("b.py", "#!/usr/bin/python3\nimport os\n"),
                       ("c.sql", "SELECT 1;\n"), ("run", "#!/bin/sh\ntrue\n"),
                       ("d.js", "/* " + LINE + " */\n")):
        path = type(ROOT)(name)
        tap.finds(f"{name} without the line", check_text(path, text), f"{name}: no line")
        tap.clean(f"{name} with the line that --add writes",
                  check_text(path, with_line(path, text)))
    tap.clean("passes other files", check_text(type(ROOT)("a.yaml"), "a: b\n"))
    tap.finish()


if __name__ == "__main__":
    main()
