# SPDX-License-Identifier: MIT
"""Parts of a suite that run side by side, each with its own database.

LAMPLIGHTER_SHARD=i/n takes the i-th (from 0) of n runs of consecutive tests, so
that fixtures of modules and sessions are made once or twice, not n times.
"""

import os

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    i, n = map(int, os.environ.get("LAMPLIGHTER_SHARD", "0/1").split("/"))
    first, end = (len(items) * k // n for k in (i, i + 1))
    config.hook.pytest_deselected(items=items[:first] + items[end:])
    items[:] = items[first:end]
