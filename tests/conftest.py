# SPDX-License-Identifier: MIT
"""Parts of a suite that run side by side, each with its own database.

LAMPLIGHTER_SHARD=i/n takes the i-th (from 0) of n runs of consecutive tests, so
that fixtures of modules and sessions are made once or twice, not n times. The parts
take about as long as each other.
"""

import os

import pytest

# Seconds of one test, where it is not about one: most of them wait.
SECONDS = {
    "api/test_after.py": 3, "api/test_attachments.py": 3, "api/test_doctor.py": 4,
    "api/test_docs.py": 3, "api/test_erase.py": 15, "api/test_faults.py": 3,
    "api/test_followers.py": 6, "api/test_jobs.py": 5, "api/test_kill.py": 13,
    "api/test_mcp_pitfalls.py": 3, "api/test_places.py": 8, "api/test_purge.py": 5,
    "api/test_red_team_rows.py": 5, "api/test_scale_thread.py": 4,
    "api/test_scans.py": 4, "api/test_thread_faults.py": 4, "api/test_unstored.py": 6,
    "examples/test_context_part.py": 15, "examples/test_event_setting.py": 20,
    "examples/test_metric_dialect.py": 20, "examples/test_resource.py": 90,
    "examples/test_small_rows.py": 11, "examples/test_tool.py": 10,
    "examples/test_turn_option.py": 9,
    "security/test_files.py": 4, "security/test_hostile_pages.py": 5,
    "security/test_memory.py": 5, "security/test_share.py": 5,
    "servers/test_doctor.py": 12, "servers/test_idle_pages.py": 20,
    "servers/test_life.py": 3, "servers/test_pasted.py": 4, "servers/test_plain.py": 3,
    "servers/test_restart.py": 4,
}


def seconds(item):
    return SECONDS.get("/".join(item.path.parts[-2:]), 0.5)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    part, parts = map(int, os.environ.get("LAMPLIGHTER_SHARD", "0/1").split("/"))
    whole, before = sum(map(seconds, items)), 0
    mine, others = [], []
    for item in items:
        # The part in which the middle of its time lies.
        at = (before + seconds(item) / 2) * parts / whole
        (mine if int(at) == part else others).append(item)
        before += seconds(item)
    config.hook.pytest_deselected(items=others)
    items[:] = mine
