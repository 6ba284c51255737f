# SPDX-License-Identifier: MIT
"""Fixtures of the API suite: one shared Lab, and a maker of special ones.

Run under tests/unit/with-mariadb (./lamp test api does).
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from labs import *  # noqa: E402, F401, F403
from sharing import allow  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "threads: also run with the thread sanitizer")
    config.addinivalue_line(
        "markers", "long: left out where CI runs the suite with a sanitizer")


@pytest.fixture
def public_links(lab):
    """Links without sign-on are allowed in the shared Lab."""
    allow(lab, 30)
    yield
    allow(lab, None)
