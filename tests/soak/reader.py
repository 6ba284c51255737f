#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Readers of a turn of 10,000 events that stop reading for a while: its own client, one more of
the same process, one of another process, and one behind the web server. Each gets every change,
operation, plan, call and result once and in order, by reading on or by resuming in another
process; the processes stay small.

  LAMPLIGHTER_BUILD=... tests/unit/with-mariadb reader.py [SECONDS [TOKENS]]"""

import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "api")]

# pylint: disable=wrong-import-position
from slow_reader import stall


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    got = stall(seconds, int(sys.argv[2]) if len(sys.argv) > 2 else 10000)
    print(json.dumps(got))
    return max(got["kib"], got["twin_kib"]) > 16384


if __name__ == "__main__":
    sys.exit(main())
