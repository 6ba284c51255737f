# SPDX-License-Identifier: MIT
"""The form of the note of docs/add-a-resource.md, in a browser. test_resource.py runs
it in the copy to which the page was applied."""

import pathlib

from copies import run
from lab import node, program

HERE = pathlib.Path(__file__).resolve().parent


def test_a_note_in_the_page(lab):
    run(node(), "--test", "note.test.mjs", cwd=HERE, CHROMIUM=program("chromium-headless-shell"),
        LAMPLIGHTER_URL=lab.url + "/")
