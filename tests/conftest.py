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
    "api/test_attachments.py": 1, "api/test_demo_projects.py": 3, "api/test_docs.py": 2,
    "api/test_doctor.py": 2, "api/test_erase.py": 8, "api/test_fallbacks.py": 2,
    "api/test_faults.py": 2, "api/test_followers.py": 5, "api/test_jobs.py": 2,
    "api/test_kill.py": 6, "api/test_left.py": 2, "api/test_mcp_pitfalls.py": 2,
    "api/test_places.py": 8, "api/test_plan_reports.py": 2, "api/test_plan_stop.py": 2,
    "api/test_project_tools_bad.py": 9, "api/test_purge.py": 2,
    "api/test_red_team_rows.py": 3, "api/test_red_team_web.py": 2,
    "api/test_retrieval.py": 2, "api/test_scans.py": 3, "api/test_shutdown.py": 3,
    "api/test_slow_reader.py": 5, "api/test_thread_faults.py": 3,
    "api/test_unstored.py": 6,
    "examples/test_context_part.py": 5, "examples/test_event_setting.py": 9,
    "examples/test_metric_dialect.py": 8, "examples/test_resource.py": 50,
    "examples/test_small_rows.py": 11, "examples/test_tool.py": 2,
    "examples/test_turn_option.py": 2,
    "security/test_files.py": 1, "security/test_hostile_pages.py": 4,
    "security/test_memory.py": 2, "security/test_share.py": 2,
    "servers/test_doctor.py": 11, "servers/test_idle_pages.py": 11,
    "servers/test_life.py": 2, "servers/test_pasted.py": 3, "servers/test_plain.py": 2,
    "servers/test_proxies.py": 15, "servers/test_restart.py": 2,
    "servers/test_setups.py": 0.2,
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
