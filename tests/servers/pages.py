# SPDX-License-Identifier: MIT
"""The lines that are pasted from README and docs/."""

from lab import ROOT


def block(page, begins):
    """The lines between two fences whose first begins so."""
    parts = (ROOT / page).read_text().split("```\n")
    [found] = [part for part in parts if part.startswith(begins)]
    return found
