# SPDX-License-Identifier: MIT
"""The chores of chore/ in a browser. test_whole_resource.py runs it in the copy to which
they were added."""

import pathlib

from copies import run
from lab import node, program

HERE = pathlib.Path(__file__).resolve().parent


def test_a_chore_in_the_page(lab):
    run(node(), "--test", "chore.test.mjs", cwd=HERE, CHROMIUM=program("chromium-headless-shell"),
        LAMPLIGHTER_URL=lab.url + "/")
