#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a verb on a resource means is below HTTP (lib/resource/call.h): requests come
from a web server only, lib knows none of them, only the dispatcher runs a handler;
and no code but a row of resource.def says which resource is special."""

import pathlib
import re
import tempfile

from tree import ROOT, Tap, code_only, files, text_of

# Where a request is made, from a connection; and where its handler is called.
MADE_IN = ("fcgi-app/worker.c", "fcgi-app/request.c")
RUN_IN = "fcgi-app/route.c"

HTTP = re.compile(r"\bstruct (request|response|route|app)\b")
MADE = re.compile(r"\bstruct request \w+\s*[=;,\[]|\bstruct request \w+\)?\s*\{"
                  r"|\(struct request\)\s*\{|sizeof\(struct request\)"
                  r"|,\s*struct request\)")
RUN = re.compile(r"->handler\s*\(|\.handler\s*\(")
# The pointers of a file to the rows of one resource.
NAMED = re.compile(r"\bstruct resource \*const (\w+)\s*=\s*&resources\[RESOURCE_[A-Z]")
ONE = r"(?:&?resources\[RESOURCE_[A-Z]\w*\]|RESOURCE_[A-Z]\w*{})"
LISTED = re.compile(r"(?:^|[{,])\s*\[RESOURCE_[A-Z]\w*\]\s*=", re.M)


def special(code):
    """Matches of code that asks which resource it has, or has a list of them."""
    one = ONE.format("".join(rf"|\b{name}\b" for name in NAMED.findall(code)))
    return [*re.finditer(rf"[=!]=\s*{one}|{one}\s*[=!]=|\?\s*{one}\s*:", code),
            *LISTED.finditer(code)]


def check(root):
    for path in files(".c", ".h", ".def", root=root, under=("lib", "fcgi-app")):
        if "demo-llm" in path.parts:
            continue
        code, name = code_only(text_of(path, root)), str(path)

        def found(matches, what):
            return [f"{name}:{code.count(chr(10), 0, m.start()) + 1}: {what}"
                    for m in matches]

        if name.startswith("lib/"):
            yield from found(HTTP.finditer(code), "lib knows no requests and routes")
        if name not in MADE_IN:
            yield from found(MADE.finditer(code), "a request that no web server sent")
        if name != RUN_IN:
            yield from found(RUN.finditer(code), "a handler that is not run by its route")
        yield from found(special(code), "which resource it is belongs into a row HOOKS")


def sample(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return list(check(pathlib.Path(folder)))


def main():
    tap = Tap()
    tap.clean("resources are served below HTTP", list(check(ROOT)))
    tap.clean("passes what is allowed", sample(
        "lib/domain/a.c", "/* struct request r; */ static const struct resource *const us"
        " = &resources[RESOURCE_AGENT];\nint f(void) { return g(us) == 0; }\n")
        + sample(MADE_IN[0], "struct request rq;\n")
        + sample("fcgi-app/b.c", "int f(struct request *rq, struct response *rs);\n"))
    for name, text in (("a handler's type in lib", "int f(struct request *rq);\n"),
                       ("the program in lib", "struct app *a;\n")):
        tap.finds(name, sample("lib/tool/a.c", text), "lib/tool/a.c:1: lib knows no")
    for text in ("struct request rq = { .body = j };\n", "struct request r;\n",
                 "f(&(struct request){ 0 });\n", "p = arena_new(a, struct request);\n",
                 "p = xmalloc(sizeof(struct request));\n"):
        tap.finds("a request of our own: " + text.strip(),
                  sample("fcgi-app/cli/a.c", text), "a request that no web server sent")
    tap.finds("a handler that is run elsewhere", sample(
        "fcgi-app/api/a.c", "rc = row->handler(rq, rs, e);\n"), "a handler that is not")
    for text in ("if (r == &resources[RESOURCE_API_TOKEN]) f();\n",
                 "static int f[] = {\n[RESOURCE_AGENT] = 1 };\n", "i != RESOURCE_PROMPT &&\n",
                 "a = own ? &resources[RESOURCE_A] : &resources[RESOURCE_B];\n",
                 "static const struct resource *const us = &resources[RESOURCE_AGENT];\n"
                 "if (r == us) f();\n"):
        tap.finds("a special resource: " + text.strip().splitlines()[-1],
                  sample("lib/resource/a.c", text), "belongs into a row HOOKS")
    tap.finish()


if __name__ == "__main__":
    main()
