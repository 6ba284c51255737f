#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The JavaScript of the page and of the tests: the types of its comments are right
(www/jsconfig.json), and the linter finds no fault (eslint.config.mjs)."""

import json
import os
import pathlib
import subprocess
import tempfile

from tree import ROOT, Tap, files

NPM = ROOT / "tests/node_modules"
LINTED = ("www/js", "www/build", "tests")


def run(script, *arguments, cwd=ROOT):
    """The lines that a tool of npm prints; it has its own Node.js."""
    node = next(NPM.glob("node-linux-*/bin/node"))
    done = subprocess.run([node, NPM / script, *map(str, arguments)], cwd=cwd,
                          capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    return lines or ([f"{script} failed"] if done.returncode else [])


def types(config):
    return run("typescript/bin/tsc", "-p", config)


def lint(paths, cwd=ROOT):
    """One line for each fault in files below cwd."""
    lines = run("eslint/bin/eslint.js", "--no-config-lookup", "-c",
                ROOT / "tests/check/eslint.config.mjs", "-f", "json", *paths, cwd=cwd)
    try:
        found = json.loads(lines[0])
    except ValueError:
        return lines
    return [f"{one['filePath']}:{fault.get('line', 0)}: {fault['message']} ({fault['ruleId']})"
            for one in found for fault in one["messages"]]


def main():
    tap = Tap()
    if not (NPM / "typescript").exists() or not (NPM / "eslint").exists():
        tap.result(os.environ.get("CI") != "true",
                   "# SKIP the packages of tests/package.json are not installed")
        tap.finish()
    tap.clean("the page's types are right", types(ROOT / "www/jsconfig.json"))
    tap.clean("the linter finds no fault", lint(files(".js", ".mjs", under=LINTED)))
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        (folder / "a.js").write_text(
            "/** @param {number} n */\nfunction half(n)\n{\n\treturn n / 2;\n}\nhalf('a');\n"
            "document.querySelector('p').focuss();\nconst x = 1;\n\nif (y == x)\n\tz = half();\n"
            "new RegExp(`(?<!${x})b`);\n/(?<=a)b/.test('(?<!a)b');\n/(?<a>b)/.test('');\n")
        (folder / "jsconfig.json").write_text(json.dumps(
            {"extends": str(ROOT / "www/jsconfig.json"), "include": ["a.js"]}))
        found = types(folder / "jsconfig.json")
        tap.finds("an argument of another type", found, "a.js(6,6): error TS2345")
        tap.finds("a method that elements do not have", found, "a.js(7,29): error TS2551")
        found = lint(["a.js"], cwd=folder)
        tap.finds("a name that nobody declares", found, "'y' is not defined")
        tap.finds("a comparison that converts", found, "(eqeqeq)")
        tap.result([one.split(":")[1] for one in found if "a look behind" in one] == ["12", "13", "13"],
                   "finds what older browsers lack in a pattern", found)
    tap.finish()


if __name__ == "__main__":
    main()
