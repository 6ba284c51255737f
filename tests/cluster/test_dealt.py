# SPDX-License-Identifier: MIT
"""Files of tests/api whose requests are dealt over three responders on three
nodes: what one has written the next one reads."""

import os
import subprocess
import sys

import pytest

from lab import ROOT

FILES = ["conversations", "chat", "etag", "idempotent", "continue"]
MORE = ["thread", "waiting", "approvals", "followers", "notifications", "events", "tasks",
        "plain_forms", "plain_waits"]
SOAK = int(os.environ.get("LAMPLIGHTER_STORMS", "1")) > 1


@pytest.mark.parametrize("name", FILES + (MORE if SOAK else []))
def test_the_api_is_the_same(cluster, name):
    r = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "-p", "dealt", ROOT / "tests/api" / f"test_{name}.py"],
        capture_output=True, text=True, timeout=900, cwd=ROOT,
        env={**os.environ, **cluster.environment(),
             "PYTHONPATH": f"{ROOT}/tests/cluster:{ROOT}/tests"})
    assert r.returncode == 0, r.stdout[-6000:] + r.stderr[-2000:]
