#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes point downwards only (docs: the modules and their order), and a
foreign library's header is included in one room only."""

import pathlib
import re
import tempfile

from tree import ROOT, Tap, code_only, files, text_of, uncommented

# Each module may include those of the lines below its own; modules of one line
# may include each other, but not in a circle.
LAYERS = [
    {"fcgi-app"},
    {"doctor"},
    {"turn"},
    {"context"},
    {"event"},
    {"tool", "prompt", "entity", "calendar", "bundle", "job", "file", "intake", "memory",
     "plan"},
    {"knowledge"},
    {"domain"},
    {"setting"},
    {"llm"},
    {"search"},
    {"hold"},
    {"store"},
    {"resource"},
    {"auth"},
    {"net", "db", "conf", "secret"},
    {"metric", "schema"},
    {"base"},
]
RANK = {module: i for i, layer in enumerate(LAYERS) for module in layer}

# Header (as written in the include, by its beginning) and where it may be.
FOREIGN = [
    (r"fcgi(app|_stdio|os|misc)", "fcgi-app/"),
    (r"md4c", "fcgi-app/"),
    (r"curl/", "lib/net/"),
    (r"(mysql|mariadb)/|mysql|errmsg\.h|mysqld_error", "lib/db/"),
    (r"yaml\.h", ("lib/conf/", "fcgi-app/extract/")),
    (r"pcre2", "lib/schema/"),
    (r"libical/", "lib/calendar/"),
    # Foreign formats are parsed in the child only.
    (r"libxml/", "fcgi-app/extract/"),
    (r"uni(str|norm|case|ctype)\.h|libstemmer", "lib/base/unicode"),
    (r"(seccomp|poppler|archive|archive_entry|magic|uchardet)", "fcgi-app/extract/"),
]

STRUCT = re.compile(r"^(?:static )?(?:const )?struct (\w+)\s*\{", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


# What stands beside its subject, and is of the room that includes it: rows and structs of
# lib/conf beside kinds of tools, statements of lib/store beside those whose they are.
BESIDE = [(re.compile(r"lib/tool/\w+/option\.(def|h)"), "conf"),
          (re.compile(r"lib/resource/resource\.def"), "conf"),
          (re.compile(r"lib/(?!resource/)\w+/stmt\.def"), "store")]


def module_of(path):
    """The module a file belongs to: a folder of lib, or fcgi-app."""
    for pattern, room in BESIDE:
        if pattern.fullmatch(str(path)):
            return room
    parts = pathlib.PurePath(path).parts
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    return parts[0]


def resolve(path, name, root):
    """The file of the tree that an include names, or None."""
    for folder in (path.parent, pathlib.Path("lib"), pathlib.Path("fcgi-app"),
                   pathlib.Path()):
        if (root / folder / name).is_file():
            return pathlib.Path(*[p for p in (folder / name).parts if p != "."])
    return None


def includes(root):
    for path in files(".c", ".h", ".def", root=root, under=("lib", "fcgi-app")):
        text = uncommented(text_of(path, root))
        for m in INCLUDE.finditer(text):
            line = text.count("\n", 0, m.start()) + 1
            yield path, line, m.group(1), m.group(2)


def twice(root):
    """Structs of one name in two files. The stand-in model is on its own."""
    seen = {}
    for path in files(".c", ".h", root=root, under=("lib", "fcgi-app")):
        if "demo-llm" in path.parts:
            continue
        for m in STRUCT.finditer(code_only(text_of(path, root))):
            other = seen.setdefault(m.group(1), path)
            if other != path:
                yield f"{path}: struct {m.group(1)} is one of {other}, too"


def circles(edges):
    """Circles among modules of one layer: the sideways includes they are of."""
    def reaches(a, b, seen):
        return a == b or any(reaches(c, b, seen | {c}) for c in edges.get(a, {})
                             if c not in seen)
    return [f"{where}: {a} and {b} include each other"
            for a in edges for b, where in edges[a].items() if reaches(b, a, {b})]


def check(root):
    problems, sideways = [], {}
    for path, line, bracket, name in includes(root):
        where = f"{path}:{line}"
        for pattern, room in FOREIGN:
            if re.match(pattern, name) and bracket == "<" and (
                    not str(path).startswith(room)
                    or str(path).startswith("fcgi-app/demo-llm/")):
                problems.append(f"{where}: <{name}> belongs in {room} only")
        target = resolve(path, name, root) if bracket == '"' else None
        if target is None:
            continue
        a, b = module_of(path), module_of(target)
        if a not in RANK or b not in RANK:
            problems.append(f"{where}: {a if a not in RANK else b} is in no layer")
        elif RANK[b] < RANK[a]:
            problems.append(f"{where}: upward include of {name} ({a} is below {b})")
        elif RANK[b] == RANK[a] and a != b:
            sideways.setdefault(a, {}).setdefault(b, where)
        if str(path).startswith("fcgi-app/demo-llm/") and b != "base" and \
                not str(target).startswith("fcgi-app/demo-llm/"):
            problems.append(f"{where}: the stand-in model may use lib/base only")
    return problems + circles(sideways) + list(twice(root))


def sample(**written):
    """The problems of a small tree; names use __ for / and _h, _c for a dot."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("lib/base/err.h", "lib/store/turn.h", "lib/auth/who.h",
                     "lib/turn/loop.h", "fcgi-app/worker.h"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("")
        for name, text in written.items():
            path = root / name.replace("__", "/").replace("demo_llm", "demo-llm") \
                .replace("fcgi_app", "fcgi-app").replace("_def", ".def") \
                .replace("_c", ".c").replace("_h", ".h")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(root)


def main():
    tap = Tap()
    tap.clean("includes point downwards", check(ROOT))
    tap.clean("passes what is allowed", sample(
        lib__store__a_c='#include "base/err.h"\n#include "store/turn.h"\n'
                        '#include "auth/who.h"\n/* #include "turn/loop.h" */\n',
        fcgi_app__b_c='#include <fcgiapp.h>\n#include "turn/loop.h"\n',
        lib__net__c_c="#include <curl/curl.h>\n", lib__db__d_c="#include <mysql.h>\n"))
    tap.finds("an upward include", sample(
        lib__store__a_c='#include "turn/loop.h"\n'), "lib/store/a.c:1: upward include")
    tap.finds("an include behind long strings", sample(
        lib__store__a_c='static const char s[] = "%s";\n#include "turn/loop.h"\n'
                        % ("x" * 90)), "lib/store/a.c:2: upward include")
    tap.finds("an include of the program", sample(
        lib__turn__a_c='\n#include "worker.h"\n'), "lib/turn/a.c:2: upward include")
    tap.finds("two modules in a circle", sample(
        lib__tool__a_h='#include "prompt/b.h"\n',
        lib__prompt__b_h='#include "tool/a.h"\n'), "include each other")
    tap.clean("options of kinds are of lib/conf", sample(
        lib__tool__web__option_h='#include "base/err.h"\n',
        lib__conf__a_c='#include "tool/web/option.h"\n'))
    tap.clean("statements beside their room are of lib/store", sample(
        lib__turn__stmt_def="", lib__store__a_c='#include "turn/stmt.def"\n'))
    tap.finds("options of kinds that ask for more", sample(
        lib__tool__web__option_h='#include "store/turn.h"\n'),
        "lib/tool/web/option.h:1: upward include of store/turn.h")
    for header, folder in (("fcgiapp.h", "lib__net"), ("curl/curl.h", "fcgi_app"),
                           ("mysql.h", "lib__store"), ("yaml.h", "lib__base"),
                           ("fcgiapp.h", "fcgi_app__demo_llm"),
                           ("libxml/HTMLparser.h", "lib__tool"),
                           ("seccomp.h", "fcgi_app")):
        tap.finds(f"<{header}> outside its room", sample(
            **{folder + "__a_c": f"#include <{header}>\n"}), f"<{header}> belongs in")
    tap.finds("the stand-in model using more than the base", sample(
        fcgi_app__demo_llm__a_c='#include "store/turn.h"\n'), "may use lib/base only")
    tap.finds("two structs of one name", sample(
        lib__store__a_c="struct row {\n};\n",
        lib__turn__b_c="static const struct row {\n} r;\n"),
        "struct row is one of lib/store/a.c, too")
    tap.finds("an unknown module", sample(
        lib__misc__a_c='#include "base/err.h"\n'), "misc is in no layer")
    tap.finish()


if __name__ == "__main__":
    main()
