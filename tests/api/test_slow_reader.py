# SPDX-License-Identifier: MIT
"""The short form of `./lamp soak reader`."""

import pytest

from slow_reader import stall


@pytest.mark.long	# its memory is measured, which a sanitizer adds to
def test_readers_that_stop_reading_miss_nothing():
    got = stall(3, 2000)
    assert got["numbered"] > 2000, got
    # Low priority is merged for who comes behind; that is what fewer events are.
    assert all(got["told"][name] < got["numbered"] for name in ("same process", "other process"))
    assert got["kib"] < 16384 and got["twin_kib"] < 16384, got
