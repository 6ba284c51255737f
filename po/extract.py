#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Collects every text that people read into po/lamplighter.pot: those of the page, with
their keys as contexts (www/js/strings*.js), those of tables (labels and helps of forms and
settings), and those that C code marks, by xgettext. Prints it.

tests/check/lang.py compares the file with this output; `make update-po` writes it and
merges it into the catalogues."""

import pathlib
import re
import subprocess
import sys

PAGE = ("www/js/strings-page.js", "www/js/strings-dialogs.js", "www/js/strings-making.js")
FORMS = "lib/resource/resource.def"
SETTINGS = "lib/setting/setting.def"
# Functions and macros whose argument of that number is a text: lang.h, err.h, plain.h.
MARKS = ("N_:1", "lang_text:2", "err_public:3", "err_field:4", "ERR:4", "SHARE:5", "KIND:3", "STORED:4", "plain_say:2",
         "plain_sayf:2", "plain_text:2", "plain_submit:3")
FORMATS = ("err_public:3:c-format", "err_field:4:c-format", "plain_sayf:2:c-format")

HEADER = '''# Texts of Lamplighter, as docs/translating.md says.
msgid ""
msgstr ""
"Project-Id-Version: lamplighter\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Language: \\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

'''


def quoted(text):
    return '"%s"' % (text.replace("\\", "\\\\").replace('"', '\\"')
                     .replace("\t", "\\t").replace("\n", "\\n"))


# -- the page ---------------------------------------------------------------------

JS_TEXT = r"'(?:[^'\\\n]|\\.)*'(?:\s*\+\s*'(?:[^'\\\n]|\\.)*')*"
ENTRY = re.compile(r"\s*(?://[^\n]*\n\s*)*'([^'\n]+)':\s*(?:(%s)|\{\s*one:\s*(%s),\s*other:\s*(%s),?\s*\}),"
                   % (JS_TEXT, JS_TEXT, JS_TEXT))


def js_text(literal):
    text = "".join(re.findall(r"'((?:[^'\\\n]|\\.)*)'", literal))
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def of_page(root, path):
    """Entries of the table that is exported or assigned in the file."""
    text = (root / path).read_text(encoding="utf-8")
    begin = re.search(r"^(?:export )?const \w+ = \{\n(?:\t\.\.\.\w+,\n)*", text, re.M).end()
    end = text.index("\n};", begin)
    at = begin
    while at < end and text[at:end].strip():
        m = ENTRY.match(text, at)
        if not m:
            line = text.count("\n", 0, at) + 1
            sys.exit(f"{path}:{line}: not 'key': 'text' or {{ one: 'text', other: 'text' }}")
        key, one, singular, plural = m.groups()
        yield entry(path, js_text(one or singular), plural and js_text(plural), key)
        at = m.end()


def entry(path, text, plural=None, context=None, fmt=None):
    flag = "python-brace-format" if re.search(r"\{\w+\}", text + (plural or "")) else fmt
    out = f"#: {path}\n"
    if flag and context is not None:
        out += f"#, {flag}\n"
    if context is not None:
        out += f"msgctxt {quoted(context)}\n"
    out += f"msgid {quoted(text)}\n"
    if plural is None:
        return out + 'msgstr ""\n\n'
    return out + f'msgid_plural {quoted(plural)}\nmsgstr[0] ""\nmsgstr[1] ""\n\n'


# -- tables -----------------------------------------------------------------------

def arguments(text, at):
    """Those of a macro whose parenthesis opens at that place; adjacent literals are one."""
    out, depth, one = [], 0, ""
    for m in re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|.', re.S).finditer(text, at):
        token = m.group()
        if token.startswith("/*"):
            continue
        depth += (token == "(") - (token == ")")
        if depth == 0 or (depth == 1 and token == ","):
            out.append(one.strip())
            one = ""
            if depth == 0:
                return out
        elif not (depth == 1 and token == "("):
            one += token
    sys.exit("a row without its end")


def literal(argument):
    parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', argument)
    return "".join(parts).replace('\\"', '"').replace("\\\\", "\\")


def rows(text, name):
    """Rows NAME(…) of a .def, not its definitions."""
    for m in re.finditer(rf"^(?:#define [^\n]*\n)?[ \t]*{name}\(", text, re.M):
        if not m.group().startswith("#"):
            yield arguments(text, m.end() - 1)


def words_of(key):
    """"expiresAt" as "Expires at": form.c's write_words."""
    text = re.sub(r"(?<=.)([A-Z])", lambda m: " " + m[1].lower(), key)
    text = re.sub(r"[-_]", " ", text)
    return text[:1].upper() + text[1:]


def choices_of(text):
    for one in text.split("|"):
        value, _, label = one.partition(":")
        value, label = value.strip(), label.strip()
        if value and not value.startswith(("{", "@")):
            yield label or words_of(value)


def of_forms(root):
    text = (root / FORMS).read_text(encoding="utf-8")
    text = text[text.rindex("#ifndef GOES"):].replace("\\\n", "\n")
    labels = {}
    for m in re.finditer(r"\bINPUT\(", text):
        args = arguments(text, m.end() - 1)
        if len(args) == 5:
            labels[literal(args[1])] = literal(args[2])
            yield literal(args[2])
            yield from choices_of(literal(args[3]))
    for m in re.finditer(r'\bF\((?="|\w+,)', text):
        args = arguments(text, m.end() - 1)
        if len(args) >= 8 and args[3] not in ("HIDDEN", "STAMP"):
            yield words_of(literal(args[0]))
            if '"' in args[7] and re.search(r"\w", re.sub(r'"[^"]*"', "", args[7])):
                sys.exit(f"{FORMS}: a sentence in pieces: {args[7]}")
            yield literal(args[7])
            if len(args) > 8 and args[2] == "TEXT" and " " in literal(args[8]):	# no name, no id
                yield literal(args[8])
    for m in re.finditer(r"\b\w+_FIELDS\(F, ", text):	# a help that the row above is given
        yield from (literal(one) for one in arguments(text, m.end() - 4)
                    if re.fullmatch(r'("(?:[^"\\\n]|\\.)*"\s*)+', one) and " " in one)
    for m in re.finditer(r"\bGROUP\(", text):
        args = arguments(text, m.end() - 1)
        if len(args) == 4:
            yield literal(args[1])
    kinds = r"RESOURCE|RETIRED|RECORD|NAMED|BELOW|BELOW_RECORD|UPLOAD"
    for m in re.finditer(rf"^(?:{kinds})\(", text, re.M):
        args = arguments(text, m.end() - 1)
        yield literal(args[-1])
        for path in (literal(a) for a in args[:8] if re.fullmatch(r'"[^"]*"', a)):
            yield words_of(path.rpartition("/")[2])


def of_settings(root):
    text = (root / SETTINGS).read_text(encoding="utf-8")
    for args in rows(text, "SETTING"):
        yield literal(args[5])
        yield literal(args[6])
        if args[2].startswith("ONE_OF"):
            yield from choices_of(literal(args[2]))


# -- all ----------------------------------------------------------------------------

def of_code(root):
    """What xgettext finds in C and in the rows of err.def."""
    sources = sorted(str(p.relative_to(root)) for top in ("lib", "fcgi-app")
                     for p in (root / top).rglob("*.[ch]")
                     if "demo-llm" not in p.parts and "cli" not in p.parts
                     and p.name != "lang_made.def")
    command = ["xgettext", "--language=C", "--from-code=UTF-8", "--omit-header",
               "--add-location=file", "--sort-by-file", "--no-wrap", "--keyword", "-cTRANSLATORS",
               "-o", "-"]
    command += [f"--keyword={mark}" for mark in MARKS] + [f"--flag={flag}" for flag in FORMATS]
    return subprocess.run(command + ["lib/base/err.def", "lib/hold/share.def",
                                     "lib/hold/stored.def", "lib/prompt/origin.def", *sources], cwd=root, check=True,
                          capture_output=True, text=True).stdout


def pot(root):
    parts = [HEADER]
    for path in PAGE:
        parts += of_page(root, path)
    for path, texts in ((FORMS, of_forms(root)), (SETTINGS, of_settings(root))):
        parts += [entry(path, text) for text in dict.fromkeys(t for t in texts if t)]
    parts.append(of_code(root))
    return subprocess.run(["msgcat", "--use-first", "--no-wrap", "--add-location=file", "-"],
                          cwd=root, check=True, capture_output=True, text=True,
                          input="".join(joined(parts))).stdout


def joined(parts):
    """Without a second entry of the same text: a table may have what the code has."""
    seen, out = set(), []
    for block in "".join(parts).split("\n\n"):
        if not block.strip():
            continue
        m = re.search(r'(?:^msgctxt (.*)\n)?^msgid ((?:".*"\n?)+)', block, re.M)
        letters = re.sub(r"%[-.*\d]*[a-z]+|\\.", "", m[2])
        said = m[1] or not out or re.search("[A-Za-z]", letters)
        if said and m.groups() not in seen:
            seen.add(m.groups())
            out.append(block.strip("\n") + "\n\n")
    return out


if __name__ == "__main__":
    sys.stdout.write(pot(pathlib.Path(__file__).resolve().parents[1]))
