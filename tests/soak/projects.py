#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a stranger learns of projects from the time that an answer takes: ids of somebody else's
and of nothing are asked for in any order. The answers are the same, and the times overlap: the
middle four fifths of both have a part in common.

  LAMPLIGHTER_BUILD=... tests/unit/with-mariadb projects.py [TRIES]"""

import bisect
import os
import pathlib
import random
import statistics
import sys
import time
import uuid

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "api")]

from projects import make, office, signed_in        # pylint: disable=wrong-import-position


def asked(lab, method, path, user):
    begin = time.perf_counter()
    answer = lab.call(method, path, user=user, headers={"If-Match": "*"})
    took = time.perf_counter() - begin
    return took, answer.status, {k: v for k, v in answer.json.items() if k != "requestId"}


def share_longer(some, others):
    """Of pairs, the share in which the first is longer."""
    others = sorted(others)
    return sum(bisect.bisect_left(others, one) + bisect.bisect_right(others, one)
               for one in some) / (2 * len(some) * len(others))


def main():
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    bad = 0
    with office() as lab:
        owner, stranger = signed_in(lab), signed_in(lab)
        project = make(lab, "/projects", owner, name="P")["id"]
        ids = {"project": project}
        for kind in ("task", "document"):
            for _ in range(50):
                ids[kind] = make(lab, f"/projects/{project}/{kind}s", owner, title="T")["id"]
        for method, path, of in (
                ("GET", "/projects/{}", "project"), ("GET", "/projects/{}/tasks", "project"),
                ("GET", "/projects/{}/tree", "project"), ("DELETE", "/projects/{}", "project"),
                ("GET", "/projects/{}/export", "project"), ("GET", "/entities/{}", "task"),
                ("GET", "/entities/{}/links", "document"),
                ("GET", "/documents/{}/versions", "document")):
            times = {True: [], False: []}
            order = [n < tries for n in range(2 * tries)]
            random.shuffle(order)
            for n, foreign in enumerate(order):
                took, *said = asked(lab, method, path.format(
                    ids[of] if foreign else uuid.uuid4()), stranger)
                times[foreign].append(took)
                if n == 0:
                    first = said
                if said != first or said[0] != 404:
                    bad += 1
                    print("other answers:", method, path, first, said)
                    break
            share = share_longer(times[True], times[False])
            some, others = (statistics.quantiles(times[which], n=10) for which in (True, False))
            bad += some[0] > others[-1] or others[0] > some[-1]
            print(f"{method} {path}: {some[0] * 1e3:.2f} to {some[-1] * 1e3:.2f} ms of somebody "
                  f"else's, {others[0] * 1e3:.2f} to {others[-1] * 1e3:.2f} ms of nothing; the "
                  f"former is longer in {share:.0%} of pairs")
    print(f"{tries} tries of each: {bad or 'no'} differences")
    return bad > 0


if __name__ == "__main__":
    os.environ.setdefault("LAMPLIGHTER_BUILD", "build")
    sys.exit(main())
