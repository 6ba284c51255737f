#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The admin command without a database: usage, exit codes, what goes to stdout
and what to stderr, lists, check, config print, decode."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

from tree import ROOT, Tap

COMMAND = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ".")) / "lamplighter"
LISTS = ("routes", "options", "errors", "tools", "permissions", "providers",
         "quirks", "statements", "parts", "resources", "settings", "events")
CONFIG = """\
database: {socket: /nonexistent/db.sock, password: hunter2}
llm_services:
  main: {provider: openai, model: m, api_key: "${TEST_KEY}"}
chat: {llm_service: main}
roles:
  user: {groups: ["*"], permissions: [AIChat.*, AIChat.Chat.Snd]}
"""
WORKSPACE = """\
agents:
  - {id: one, tools: [query_data]}
  - {id: two, tools: none}
"""

tap = Tap()


def run(*argv, stdin="", env=None, stdout=subprocess.PIPE):
    return subprocess.run([COMMAND, *map(str, argv)], input=stdin, text=True,
                          stdout=stdout, stderr=subprocess.PIPE, timeout=60,
                          env={**os.environ, "LAMPLIGHTER_CONFIG": "",
                               "TEST_KEY": "sk-hunter2", **(env or {})})


def expect(name, result, code, out="", err=""):
    """Exit code, and what the outputs must have."""
    ok = (result.returncode == code and out in (result.stdout or "")
          and err in result.stderr)
    tap.result(ok, name, [] if ok else
               [f"exit {result.returncode}, wanted {code}"]
               + (result.stdout or "").splitlines()[:20] + result.stderr.splitlines()[:20])
    return result


def usage():
    expect("no command is a usage error", run(), 2, err="usage: lamplighter")
    expect("an unknown command names the nearest", run("chekc"), 2,
           err='did you mean "check"?')
    expect("an unknown option is a usage error", run("-x"), 2, err="usage:")
    expect("-h prints the overview", run("-h"), 0, out="usage: lamplighter")
    expect("so does --help", run("--help"), 0, out="usage: lamplighter")
    expect("-V prints the version", run("-V"), 0, out="lamplighter ")
    expect("so does --version", run("--version"), 0, out="lamplighter ")
    answer = subprocess.run([COMMAND.with_suffix(".fcgi"), "--version"],
                            capture_output=True, text=True)
    expect("of the responder, too", answer, 0, out="lamplighter ")
    expect("and its commit", run("-V"), 0, out="\ncommit ")
    newest = sorted(p.name for p in (ROOT / "sql").glob("[0-9]*.sql"))[-1]
    expect("and the schema", run("-V"), 0, out=f"\nschema {newest[:4]}\n")
    expect("version", run("version"), 0, out="lamplighter ")
    overview = run("help").stdout
    for line in overview.splitlines():
        if line.startswith("  "):
            name = line.split()[0]
            expect(f"help {name}", run("help", name), 0,
                   out=f"usage: lamplighter [-c CONFIG] {name}")
    for argv in (("check", "x"), ("config",), ("config", "show"), ("token",),
                 ("token", "create"), ("token", "create", "--user"),
                 ("token", "create", "--user", "a", "--days", "0"),
                 ("token", "create", "--user", "a", "--group", "*"),
                 ("token", "create", "--user", "a", "--name", "a\nb"),
                 ("token", "create", "--user", "a", "b"),
                 ("token", "list", "x"), ("token", "revoke"),
                 ("token", "revoke", "12"), ("erase",), ("erase", "--yes"),
                 ("erase", "--user", "a"), ("erase", "--user", "a", "--yes", "b"), ("list",), ("list", "nope"),
                 ("list", "options", "--html"), ("list", "resources", "--html"), ("migrate", "x"),
                 ("migrate", "--wait", "0"), ("decode",),
                 ("decode", "openai", "x"), ("decode", "--quirks", "[]", "openai"),
                 ("help", "a", "b"), ("version", "x")):
        expect(" ".join(argv).replace("\n", "\\n") + " is a usage error",
               run(*argv), 2, err="lamplighter")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            expect("a full disk is no success", run("version", stdout=full), 1,
                   err="No space left")


def lists():
    for name in LISTS:
        result = expect(f"list {name}", run("list", name), 0)
        lines = result.stdout.splitlines()
        tap.result(len(lines) > 1 and not result.stderr, f"list {name} has rows")
    expect("list options --man", run("list", "options", "--man"), 0, out=".TP\n")


def configuration(folder):
    main = folder / "lamplighter.yaml"
    main.write_text(CONFIG)
    workspace = folder / "workspaces.d" / "demo.yaml"
    workspace.parent.mkdir()
    workspace.write_text(WORKSPACE)
    fine = expect("check", run("-c", main, "check"), 0,
                  out="valid; workspaces: 1, datasets: 0, LLM services: 1")
    tap.result('"AIChat.Chat.Snd"' in fine.stderr, "check warns of a permission",
               fine.stderr.splitlines())
    typo = folder / "typo.yaml"
    typo.write_text(CONFIG.replace("provider: openai", "provider: openia"))
    expect("check names the nearest provider", run("-c", typo, "check"), 1,
           err='typo.yaml:3: llm_services.main: The LLM provider "openia" is not '
               'supported; did you mean "openai"?')
    expect("decode too", run("decode", "antropic"), 1, err='did you mean "anthropic"?')
    expect("$LAMPLIGHTER_CONFIG", run("check", env={"LAMPLIGHTER_CONFIG": main}), 0,
           out="valid;")
    expect("the last -c counts", run("-c", "/nonexistent", "-c", main, "check"), 0)
    printed = expect("config print", run("-c", main, "config", "print"), 0,
                     out='password: "***"')
    tap.result("hunter2" not in printed.stdout + printed.stderr,
               "config print masks secrets")
    expect("a command without its database fails", run("-c", main, "token", "list"), 1,
           err="lamplighter: ")
    expect("a missing file", run("-c", folder / "no.yaml", "check"), 1,
           err="No such file or directory")
    expect("a service that cannot be used", run("-c", main, "check",
                                                env={"TEST_KEY": ""}), 1,
           err="lamplighter.yaml:3: llm_services.main: ")
    workspace.write_text(WORKSPACE.replace("query_data", "query_dta"))
    expect("an agent's tool that does not exist", run("-c", main, "check"), 1,
           err="there is no tool query_dta")
    workspace.write_text(WORKSPACE)
    main.write_text(CONFIG + "databse: {}\nthreads: {max: x}\n")
    result = expect("errors of check", run("-c", main, "check"), 1,
                    err='lamplighter.yaml:7:1: unknown key "databse"; '
                        'did you mean "database"?\n')
    tap.result(len(result.stderr.splitlines()) == 2 and not result.stdout,
               "check says every error", result.stderr.splitlines())
    for argv in (("config", "print"), ("migrate",), ("token", "list")):
        expect(" ".join(argv) + " refuses a broken configuration",
               run("-c", main, *argv), 1, err="lamplighter.yaml:7:1: ")


def decode():
    body = ('data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n'
            'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
            "data: [DONE]\n\n")
    result = expect("decode", run("decode", "openai", stdin=body), 0)
    events = [json.loads(line) for line in result.stdout.splitlines()]
    tap.result([e["event"] for e in events] == ["text", "done"],
               "decode prints a JSON object per event", result.stdout.splitlines())
    expect("decode of an unknown provider", run("decode", "nope"), 1, err="nope")
    expect("decode with an unknown quirk",
           run("decode", "--quirks", '{"nope": 1}', "openai", stdin=body), 1,
           err="nope")


def entries(page):
    """The words of each entry of the man page: the line after .TP, without macros and fonts."""
    for line in re.findall(r"^\.TP\n\.[A-Z]+ (.*)$", page.replace("\\-", "-"), re.M):
        yield re.findall(r"[A-Za-z-]+", re.sub(r"\\f[A-Z]", "", line))


def man_page():
    page = (ROOT / "docs" / "lamplighter.8").read_text(encoding="utf-8")
    found = list(entries(page))
    missing = []
    for line in run("help").stdout.splitlines():
        if not line.startswith("  "):
            continue
        name = line.split()[0]
        use = run("help", name).stdout.splitlines()[0].split(" " + name, 1)[1]
        use = re.sub(r"\(.*?\)|\[.*?\]", "", use)
        parts = [part.split()[0] for part in re.split(r"[|;]", use) if part.split()]
        known = {word for words in found if words[:1] == [name] for word in words}
        missing += [name] if not known else []
        missing += [f"{name} {part}" for part in parts
                    if known and part.isalpha() and part.islower() and part not in known]
    missing += [name for name in LISTS if name not in page]
    tap.clean("lamplighter(8) has an entry for every command", missing)


def main():
    usage()
    lists()
    with tempfile.TemporaryDirectory() as folder:
        configuration(pathlib.Path(folder))
    decode()
    man_page()
    tap.finish()


if __name__ == "__main__":
    main()
