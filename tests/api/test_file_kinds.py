# SPDX-License-Identifier: MIT
"""What people have in their files, format by format: characters that are elements, names
that are relations, charsets that nobody said. The reader of files alone, without a server:
each case is a file and what its text must have, or must not."""

import os
import re
import subprocess

import pytest

import cases_mail
import cases_office
import cases_text

READER = os.path.join(os.environ["LAMPLIGHTER_BUILD"], "lamplighter-extract-file")
CASES = {**cases_office.CASES, **cases_mail.CASES, **cases_text.CASES}


def read(data):
    done = subprocess.run([READER, "--type", "file"], input=data, capture_output=True,
                          check=False)
    head, _, text = done.stdout.decode().partition("\n\n")
    return done.returncode, dict(line.split(": ", 1) for line in head.split("\n")), text


def has(text, wanted):
    return wanted.search(text) if isinstance(wanted, re.Pattern) else wanted in text


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_there(name):
    data, wanted, unwanted = CASES[name]
    code, _, text = read(data)
    assert code == 0
    assert [w for w in wanted if not has(text, w)] == [], text
    assert [w for w in unwanted if has(text, w)] == [], text


def test_a_page_with_characters_that_nobody_knows_is_not_whole():
    """What is left out of a page is told, and read as an image."""
    code, head, text = read(cases_text.east("", "Nothing-H", "Japan1", b"\x21\x21"))
    assert (code, head["scanned"], head["unread"]) == (0, "1", "1")
    assert "Plan B" in text


@pytest.mark.parametrize("name", cases_office.TYPES)
def test_the_type_is_the_one_that_is_declared(name):
    data, media_type = cases_office.TYPES[name]
    assert read(data)[1]["type"] == media_type
