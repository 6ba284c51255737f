#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No function that lib/base/banned.h poisons, nor one of the rest that have no
safe use in a threaded server. The header stops them where it is included; this
finds the file that forgot it. In the program, JSON is parsed in one place, which
has the caps (lib/base/json.h), and patterns of POSIX, which have none, nowhere;
a condition variable gets its clock in one place, too (lib/base/clock.h). A model is
called by the loop of a turn and by prompt_ask only, which stamp and count the call.
Nor is a view of a local error or buffer kept: what it points at is gone when the
function returns. Nor is there a BUG of which docs/security-bugs.md does not say
why no outside bytes lead there. Nor is JSON searched as text, in C or in SQL: it
holds texts of others, which look like whatever is searched for."""

import re

from tree import TOKEN, Tap, code_only, files, text_of

POISON = re.compile(r"^#pragma GCC poison (.*)$", re.M)
MORE = {"vsprintf", "strtok_r", "gethostbyname", "gethostbyaddr", "inet_ntoa",
        "getpwnam", "getpwuid", "readdir_r", "system", "popen", "alloca", "setjmp",
        "longjmp", "vfork", "usleep", "tempnam", "putenv"}
# In what runs, not in the tests, which parse what they wrote themselves.
PROGRAM = {"json_loads", "json_loadb", "json_loadf", "json_loadfd",
           "json_load_file", "json_load_callback", "regcomp", "regexec",
           "pthread_condattr_setclock", "llm_stream"}
BODY = """static void f(struct l *l)
{
\tstruct err e = ERR_INIT, why = ERR_INIT; struct buf b = BUF_INIT(9);
%s
}
"""
# Where a banned function is right, and why.
ALLOWED = {("lib/llm/llm.h", "llm_stream"): "its declaration",
           ("lib/llm/stream.c", "llm_stream"): "its definition",
           ("lib/turn/loop.c", "llm_stream"): "the loop of a turn",
           ("lib/prompt/ask.c", "llm_stream"): "every single question",
           ("lib/base/json.c", "json_loadb"): "behind the caps",
           ("lib/base/clock.c", "pthread_condattr_setclock"): "clock_cond_init"}


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


# A text of an error that is a local variable, by whichever way.
LOCAL_ERR = re.compile(r"\berr_message\(&(\w+)\)|(?<![\w.>)\]])(\w+)\.(?:text|public)\b")
# What of a local buffer is handed to somebody else.
LOCAL_BUF = re.compile(r"(?:->\w+(?:\.\w+)*\s*=|\breturn)\s*buf_str\(&(\w+)\)")
VIEWS = {"str_of", "err_message", "str_trim", "STR_ARG"}


def callers(code, at):
    """Names of the calls around a place, from the inside out, up to the start of
    its statement."""
    names, depth = [], 0
    for i in range(at - 1, -1, -1):
        if code[i] == ")":
            depth += 1
        elif code[i] == "(":
            if depth:
                depth -= 1
                continue
            m = re.search(r"(\w+)\s*$", code[:i])
            names.append(m.group(1) if m else "")
        elif code[i] in ";{}" and not depth:
            if code[i] == "{" and re.search(r"\)\s*$|=\s*$", code[:i]):
                # A compound literal or an initializer, or a function's body.
                m = re.search(r"\(struct \w+\)\s*$", code[:i])
                if m:
                    return names + callers(code, m.start())
            break
    return names


def body_of(code, at):
    """The function around a place: from the line that opens it."""
    start = code.rfind("\n{", 0, at)
    return code[max(start, 0):at]


def check_views(path, text):
    code = code_only(text)
    found = []

    def problem(m, what):
        line = code.count("\n", 0, m.start()) + 1
        found.append(f"{path}:{line}: a view of {what} is kept")

    for m in LOCAL_ERR.finditer(code):
        name = m.group(1) or m.group(2)
        if (re.search(rf"\bstruct err [^;*]*\b{name}\b", body_of(code, m.start()))
                and not set(callers(code, m.start())) - VIEWS - {""}
                and not re.match(r"\s*\[", code[m.end():])
                and re.search(r"(?:[=:?]|\breturn)[^;{}]*$", code[:m.start()])):
            problem(m, f"the local error {name}")
    for m in LOCAL_BUF.finditer(code):
        if re.search(rf"\bstruct buf [^;*]*\b{m.group(1)}\b\s*(?:=|,|;)",
                     body_of(code, m.start())):
            problem(m, f"the local buffer {m.group(1)}")
    return found


SEARCH = re.compile(r"(?<![\w.>])(memmem|strstr|strcasestr)\s*\(")
# Files that search in texts, and what those are. JSON's members are parsed.
SEARCHED = {
    "fcgi-app/extract/file.c": "an office document, for its encryption; names of tables",
    "fcgi-app/extract/kind.c": "a foreign file, for what it is",
    "fcgi-app/extract/mail.c": "a mail, for its boundaries",
    "fcgi-app/extract/mail_head.c": "a field of a mail, for encoded words",
    "fcgi-app/extract/pdf.c": "a line of text, for the end of a direction",
    "fcgi-app/extract/plain.c": "a foreign text, for its charset",
    "fcgi-app/extract/office.c": "a foreign file, names of files in it",
    "fcgi-app/extract/office_docx.c": "types of titles and notes",
    "fcgi-app/extract/office_epub.c": "a foreign file, names of files in it",
    "fcgi-app/extract/office_odf.c": "a foreign file",
    "fcgi-app/extract/office_walk.c": "names of XML namespaces",
    "fcgi-app/extract/rtf.c": "an instruction of a field, for its font",
    "fcgi-app/extract/tags.c": "XML or HTML, for ends of tags",
    "fcgi-app/multipart.c": "a body, for its boundaries",
    "fcgi-app/api/echo.c": "a foreign text, for the ends of reasoning",
    "fcgi-app/api/notification.c": "frames, for their ends",
    "fcgi-app/api/metric.c": "a content type",
    "fcgi-app/cli/doctor.c": "an address; a content type",
    "lib/doctor/judge.c": "a header",
    "lib/doctor/look.c": "a version, an address",
    "lib/base/blank.c": "a prompt, for its blanks",
    "lib/base/str.c": "texts, for one that somebody must have said (lib/context/text_origin.c)",
    "lib/conf/load.c": "an address", "lib/conf/rules.c": "a path",
    "lib/llm/repair.c": "what a model calls arguments, for the end of a comment",
    "lib/file/scan.c": "the text of a file, for the marks of its pages",
    "lib/conf/text.c": "a line of YAML, for ${NAME}",
    "lib/intake/site.c": "a page, for what it is",
    "lib/llm/build.c": "the form of a header",
    "lib/llm/decoder.c": "a content type; an event, for the text that was parsed "
                         "out of it, and what follows is proven by parsing",
    "lib/llm/emit.c": "the text of an answer, for <think>",
    "lib/llm/openai.c": "a reason to finish",
    "lib/llm/retrieval.c": "a sentence of a server, for the key",
    "lib/llm/toolname.c": "a name, for a control token",
    "lib/prompt/ask.c": "the text of an answer, for <think>",
    "lib/llm/probe.c": "an address", "lib/llm/stream.c": "a text, for a key",
    "lib/resource/write.c": "an error of the database, for the name of a key",
    "lib/context/intent.c": "what users say, for the ends of quotes",
    "lib/tool/text/analyse_log.c": "a line of a log",
    "lib/tool/http/http_answer.c": "a content type", "lib/tool/http/kind_http.c": "a header",
    "lib/tool/web/kind_web.c": "an address",
    "lib/tool/mcp/mcp_peer.c": "the words of a server that refuses",
    "lib/tool/http/openapi.c": "a path", "lib/tool/text/pii.c": "a text, for what is personal",
    "lib/tool/core/secret.c": "a text, for a secret",
    "lib/memory/fold.c": "what a model was sent, for an id that it names",
    "lib/memory/state.c": "what a model was sent, for an id that it names",
    "lib/net/robots.c": "a path",
    "lib/resource/words.c": "what rows are found by, for the words of a search",
    "lib/net/url.c": "a host, for a label in Punycode",
    "lib/context/quote.c": "a text, for words that the answer quotes",
    "lib/context/text_origin.c": "texts, for one that somebody must have said",
}
# A statement asks columns; what people typed is searched, with ESCAPE or folded, and the
# binary list of turns in a row of the journal. JSON_TABLE makes rows of a list that
# is a parameter or stands there; that of a column would be a search.
SQL_ELSEWHERE = {
    "lib/db/link.c": "SHOW, for a variable",
    "lib/tool/data/query.c": "a filter of a dataset, whose columns an admin named",
}
SQL_SEARCH = re.compile(r"\b(?:(?:NOT )?R?LIKE|REGEXP|LOCATE|POSITION|INSTR|REPLACE|"
                        r"SUBSTR(?:ING)?(?:_INDEX)?|JSON_\w+)\b(?! INTO)")
SQL_TEXT = re.compile(r"\b(?:c\.title|c\.tags|name|login) LIKE \? ESCAPE '\|'|\bLOCATE\((?:t\.id, i\.turns|\?, folded)\)|"
                      r"\bSUBSTRING_INDEX(?=\(folded, )|"
                      r"\bSUBSTR(?=\((?:i\.turns|j\.data), )|\bJSON_TABLE(?=\((?:\?|'\[[\d,]+\]'), )")


def check_search(path, text):
    code, found = code_only(text), []
    for m in SEARCH.finditer(code):
        if str(path) not in SEARCHED:
            line = code.count("\n", 0, m.start()) + 1
            found.append(f"{path}:{line}: {m.group(1)}() in a text that SEARCHED "
                         "does not name")
    if str(path).startswith("lib/") and str(path) not in SQL_ELSEWHERE:
        for m in TOKEN.finditer(text):
            bad = m.group()[0] == '"' and SQL_SEARCH.search(SQL_TEXT.sub("", m.group()))
            if bad:
                line = text.count("\n", 0, m.start()) + 1
                found.append(f"{path}:{line}: {bad.group()} in a statement")
    return found


BUG_TABLE = "docs/security-bugs.md"
BUG = re.compile(r"\bBUG\((?:\"([^\"]*)\"|([^\")]+))\)")
BUG_ROW = re.compile(r"^\| ((?:lib|fcgi-app)/\S+) \| ([^|]+) \| ([^|]+) \|$", re.M)


def bug_sites(path, text):
    """(file, text) of each BUG that is no comment."""
    code = TOKEN.sub(lambda m: "" if m.group()[0] == "/" else m.group(), text)
    return {(str(path), m.group(1) or m.group(2)) for m in BUG.finditer(code)}


def check_bugs(sites, table):
    rows = {(file, text.strip()) for file, text, why in BUG_ROW.findall(table)
            if why.strip()}
    return ([f"{file}: BUG({text!r}) has no row in {BUG_TABLE}"
             for file, text in sorted(sites - rows)] +
            [f"{BUG_TABLE}: no BUG({text!r}) in {file} any more"
             for file, text in sorted(rows - sites)])


def main():
    tap = Tap()
    names = banned_names()
    problems = []
    for path in files(".c", ".h", under=("lib", "fcgi-app", "tests")):
        problems += check_text(path, text_of(path), names)
    views = []
    for path in files(".c", under=("lib", "fcgi-app")):
        views += check_views(path, text_of(path))
    tap.clean("no banned function is called", problems)
    tap.clean("no view of a local error or buffer is kept", views)
    searches = []
    for path in files(".c", ".h", ".def", under=("lib", "fcgi-app")):
        if "demo-llm" not in path.parts:
            searches += check_search(path, text_of(path))
    tap.clean("no JSON is searched as text", searches)
    sites = set()
    for path in files(".c", under=("lib", "fcgi-app")):
        if "demo-llm" not in path.parts:
            sites |= bug_sites(path, text_of(path))
    tap.clean("every BUG is explained", check_bugs(sites, text_of(BUG_TABLE)))
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
    for name, line in (
            ("a kept text of a local error", "\tp->answer = str_of(err_message(&why));"),
            ("one of a conditional", "\tp->text = ok ? other : err_message(&why);"),
            ("one in a literal", "\tt->a = (struct m){\n\t\t.role = 1,\n"
                                 "\t\t.text = str_of(err_message(&why)),\n\t};"),
            ("a returned one", "\treturn why.public;"),
            ("a kept buffer", "\tu->prompts = buf_str(&b);"),
            ("a returned buffer", "\treturn buf_str(&b);")):
        tap.finds(name, check_views("a.c", BODY % line), "a.c:4: a view of"
                  if "\n" not in line else "a.c:6: a view of")
    tap.clean("passes copies, members and errors of others", sum((
        check_views("a.c", BODY % line) for line in (
            "\tp->answer = arena_str(a, str_of(err_message(&why)));",
            "\tp->answer = (struct m){ .t = arena_strdup(a, why.text) };",
            "\tfail(l, \"%s\", why.public[0] ? why.public : why.text);",
            "\tif (why.public[0])\n\t\tbuf_adds(&b, why.text);",
            "\tp->answer = str_of(err_message(&l->err));",
            "\tp->answer = arena_str(a, buf_str(&b));",
            "\tjw_str(&w, buf_str(&b));")), []))
    for name in ("memmem", "strstr", "strcasestr"):
        tap.finds(f"{name}() in metadata", check_search(
            "lib/turn/a.c", f"\n\treturn {name}(m.p, m.n, said, n);\n"),
            f"lib/turn/a.c:2: {name}()")
    for sql in ("m.meta LIKE '%x%'", "LOCATE(?, m.meta) = 1", "REPLACE(meta, ?, ?)",
                "JSON_VALUE(meta, '$.x') = ?", "c.title LIKE ?", "JSON_TABLE(meta, '$')"):
        tap.finds(f"{sql} in a statement", check_search(
            "lib/store/stmt.def", f'STMT(A, "s", "", " AND {sql}")\n'),
            "lib/store/stmt.def:1:")
    tap.finds("a condition of a resource that searches", check_search(
        "lib/resource/resource.def", 'KEEP(A, "a", "b", 1, " AND meta LIKE \'%x%\'")\n'),
        "lib/resource/resource.def:1: LIKE")
    tap.clean("passes a search in what people typed, and REPLACE INTO", check_search(
        "lib/store/stmt.def", 'STMT(A, "S", "", " c.title LIKE ? ESCAPE \'|\')")\n'
                              'STMT(B, "s", "", "REPLACE INTO t (a) VALUES (?)")\n'
                              'STMT(C, "", "", "JSON_TABLE(\'[0,2]\', \'$\')")\n'
                              "/* LOCATE(?, meta) */\n"))
    site = bug_sites("lib/a.c", '/* BUG("no") */\n\tBUG("why");\n')
    row = "| lib/a.c | why | a reason |\n"
    tap.finds("a BUG without a row", check_bugs(site, ""), "lib/a.c: BUG('why')")
    tap.finds("a row without a BUG", check_bugs(set(), row), "no BUG('why')")
    tap.clean("passes a BUG with its row", check_bugs(site, row))
    tap.finish()


if __name__ == "__main__":
    main()
