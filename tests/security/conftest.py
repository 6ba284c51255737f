# SPDX-License-Identifier: MIT
"""Fixtures of the security suite: one shared Lab, and a maker of special ones.

Run under tests/unit/with-mariadb (./lamp test security does).
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from labs import *  # noqa: E402, F401, F403


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "threads: also run with the thread sanitizer")
