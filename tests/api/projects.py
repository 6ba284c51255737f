# SPDX-License-Identifier: MIT
"""What the tests of projects share."""

import uuid

from lab import wait_until


def make(lab, path, user, /, **body):
    """Creates a row; @return its record"""
    made = lab.post(path, body, user=user)
    assert made.status == 201, made
    return made.json


def signed_in(lab, begin="q"):
    """The login of a new user, who is known: that is noted after the answer."""
    login = begin + uuid.uuid4().hex[:10]
    assert lab.get("/me", user=login).status == 200
    wait_until("the user is known", lambda: lab.sql(
        f"SELECT 1 FROM user WHERE login = '{login}'"))
    return login
