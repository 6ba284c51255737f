# SPDX-License-Identifier: MIT
"""What the tests of prompts share."""

import uuid

import pytest

NOBODY = "0192f000-0000-7000-8000-000000000000"
IT = {"user": "root", "groups": ["it"]}      # may do everything


@pytest.fixture
def who():
    """A user of this test alone, and a word that names of its prompts begin with."""
    return "u" + uuid.uuid4().hex[:12]


def make(lab, user, groups=(), **fields):
    answer = lab.post("/prompts", {"name": "P", "body": "Do it.", **fields},
                      user=user, groups=groups)
    assert answer.status == 201, answer
    return answer.json


def names(lab, q, route="/prompts", **who):
    page = lab.get(f"{route}?q={q}&pageSize=100", **who).json
    return [item["name"] for item in page["items"]]


def refused(answer, status, field=None):
    assert answer.status == status, answer
    assert answer.json.get("field") == field, answer
    return answer.json["detail"]
