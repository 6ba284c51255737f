# SPDX-License-Identifier: MIT
"""What doctor says of a site."""

import json
import os
import subprocess

from lab import COMMAND
from web import PASSWORD, USER


def doctor(site, *argv, user=USER, url=None):
    """Its report, and findings by check: [(result, subject, text, advice)]."""
    env = {**os.environ, "LAMPLIGHTER_PASSWORD": PASSWORD}
    run = subprocess.run(
        [COMMAND, "-c", site.config_file, "doctor", "--json",
         *(["--user", user] if user else []), *argv, url or site.url],
        capture_output=True, text=True, env=env)
    assert run.stdout, run.stderr
    report = json.loads(run.stdout)
    assert run.returncode == ["ok", "warning", "problem"].index(report["result"])
    found = {}
    for item in report["items"]:
        found.setdefault(item["check"], []).append(item)
    return report, found


def the(found, check):
    assert len(found[check]) == 1, found[check]
    return found[check][0]
