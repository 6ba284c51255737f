#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Caps on what comes from outside stand in lib/base/limits.h.

Two rules can be asked of the text. A LIM_ is defined there only, once, and used.
And what a refusal as too large (ERR_TOO_BIG) compares with, where it compares
with a constant, is a LIM_: the condition of the if before it names no other
constant and no number above 1."""

import pathlib
import re
import tempfile

from tree import ROOT, Tap, code_only, files, text_of

LIMITS = pathlib.Path("lib/base/limits.h")
DEFINE = re.compile(r"^#define (LIM_\w+)", re.M)
REFUSAL = re.compile(r"\b(?:err_set|err_public|err_field|dec_fail)\([^;]*?\bERR_TOO_BIG\b")
COMPARED = re.compile(r"(?:[<>]=?|==)\s*\(?(?:\(\w+\)\s*)?(?!ERR_|NULL\b)"
                      r"([A-Z][A-Z0-9_]{2,}|[2-9]|[1-9][0-9]+)\b(?! \*)")


def condition_before(code, at):
    """Of the if (…) whose statement or block a place is in; or nothing."""
    begin = code.rfind("if (", max(0, at - 400), at)
    if begin < 0 or re.search(r"^}", code[begin:at], re.M):
        return ""
    depth = 0
    for i in range(begin + 3, at):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            between = code[i + 1:at].lstrip()
            inside = "}" not in between if between.startswith("{") else ";" not in between
            return code[begin:i + 1] if inside else ""
    return ""


def check(root):
    problems, used = [], ""
    defined = DEFINE.findall(text_of(LIMITS, root))
    problems += [f"{LIMITS}: {name} is there twice" for name in sorted(set(defined))
                 if defined.count(name) > 1]
    for path in files(".c", ".h", ".def", root=root, under=("lib", "fcgi-app")):
        if "demo-llm" in path.parts:
            continue
        text = text_of(path, root)
        code = code_only(text)
        if path != LIMITS:
            problems += [f"{path}: {name} belongs in {LIMITS}"
                         for name in DEFINE.findall(code)]
        used += re.sub(r"#define LIM_\w+", "", code)
        for m in REFUSAL.finditer(code):
            for constant in COMPARED.findall(condition_before(code, m.start())):
                if not constant.startswith("LIM_"):
                    line = code.count("\n", 0, m.start()) + 1
                    problems.append(f"{path}:{line}: {constant} is a cap on what comes "
                                    f"from outside; it belongs in {LIMITS}")
    words = set(re.findall(r"\bLIM_\w+", used))
    return problems + [f"{LIMITS}: {name} is not used"
                       for name in defined if name not in words]


def sample(text):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, content in ((LIMITS, "#define LIM_A 100\t/* of a */\n"),
                              (pathlib.Path("lib/tool/a.c"), text)):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
        return check(root)


def main():
    tap = Tap()
    tap.clean("caps on sizes from outside are in limits.h", check(ROOT))
    head = "int f(struct str s)\n{\n\t"
    tail = "\n\t\treturn err_set(e, ERR_TOO_BIG, \"x\");\n\treturn LIM_A;\n}\n"
    tap.finds("a constant of its own", sample(head + "if (s.n > A_BYTES)" + tail),
              "lib/tool/a.c:4: A_BYTES is a cap")
    tap.finds("a bare number", sample(head + "if (ok && s.n >= 4096)" + tail), "4096 is a cap")
    tap.finds("a limit elsewhere", sample("#define LIM_B 7\nint a = LIM_A + LIM_B;\n"),
              "lib/tool/a.c: LIM_B belongs in")
    tap.finds("a limit that nothing uses", sample("int a;\n"), "LIM_A is not used")
    tap.clean("passes limits, options and buffers", sample(
        head + "if (s.n > 4 * LIM_A || n > conf->cap || rc == 0 || !buf_ok(&b))" + tail +
        "int g(void)\n{\n\tif (x > 900)\n\t\treturn 0;\n}\n"
        "int h(void)\n{\n\treturn err_set(e, ERR_TOO_BIG, \"y\");\n}\n"))
    tap.finish()


if __name__ == "__main__":
    main()
