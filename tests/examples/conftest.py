# SPDX-License-Identifier: MIT
"""The examples of the pages "add a …" (docs): each is applied to a copy of the
tree as it is written, built and tried, and touches no more files than
it may. Run by ./lamp test examples.
"""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parent.parent)]

from labs import *  # noqa: E402, F401, F403


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "threads: also run with the thread sanitizer")
