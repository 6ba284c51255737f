# SPDX-License-Identifier: MIT
"""How much there is in the tests of what grows, and how its cost is counted."""

import os
import time

N = int(os.environ.get("LAMPLIGHTER_SCALE", "12000"))


def rows(lab, fn):
    """What fn gives, and how many rows were read meanwhile."""
    def read():
        return sum(int(n) for name, n in lab.sql(
            "SHOW GLOBAL STATUS LIKE 'Handler_read%'"))
    fn()	# statements are prepared
    before, start = read(), time.monotonic()
    got = fn()
    ms = (time.monotonic() - start) * 1000
    n = read() - before
    print(f"{fn.__name__}: {n} rows, {ms:.1f} ms")
    return got, n
