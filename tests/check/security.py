#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/security.md is true as far as names go: the tests, caps and options that it
names exist."""

import pathlib
import re
import tempfile

from tree import ROOT, Tap, files, text_of


def check(root):
    text = text_of(pathlib.Path("docs/security.md"), root)
    limits = text_of(pathlib.Path("lib/base/limits.h"), root)
    options = "".join(text_of(path, root)
                      for path in files("option.def", "resource.def", root=root, under=("lib",)))
    tables = "\n".join(line for line in text.splitlines()
                       if line.startswith("|"))
    quoted = re.findall(r"`([^`\n]+)`", text)
    found = [f"there is no {name}" for name in quoted
             if name.startswith("tests/") and not (root / name).exists()]
    found += [f"limits.h has no {name}"
              for name in sorted(set(re.findall(r"\bLIM_[A-Z_]+[A-Z]\b", text)))
              if not re.search(rf"#define {name}\b", limits)]
    found += [f"there is no option {name}"
              for name in re.findall(r"`([a-z]+(?:[._][a-z]+)+)`", tables)
              if name not in ("trusted_header", "remote_user")
              and f'"{name}"' not in options]
    entries = tables[tables.find("| entry |"):].splitlines()[2:]
    found += [f"no test: {line.split('|')[1].strip()}" for line in entries
              if "`tests/" not in line]
    return found, len(entries)


def main():
    tap = Tap()
    found, n = check(ROOT)
    tap.clean("docs/security.md names what exists", found)
    tap.result(n >= 12, "every entry of outside bytes has a row", [] if n >= 12 else [str(n)])
    with tempfile.TemporaryDirectory() as d:
        root = pathlib.Path(d)
        for name in ("docs", "lib/base", "lib/conf"):
            (root / name).mkdir(parents=True)
        (root / "docs/security.md").write_text(
            "| entry | cap | tests |\n|---|---|---|\n"
            "| a | `LIM_A_BYTES`, `limits.no_such` | `tests/no_such.py` |\n"
            "| b | `limits.some` | none |\n")
        (root / "lib/base/limits.h").write_text("#define LIM_B 1\n")
        (root / "lib/conf/option.def").write_text('"limits.some"\n')
        seen, _ = check(root)
        tap.finds("a test that is not there", seen, "there is no tests/no_such.py")
        tap.finds("a cap that is not there", seen, "limits.h has no LIM_A_BYTES")
        tap.finds("an option that is not there", seen,
                  "there is no option limits.no_such")
        tap.finds("an entry without a test", seen, "no test: b")
        tap.result(len(seen) == 4, "passes what is there",
                   [] if len(seen) == 4 else seen)
    tap.finish()


main()
