# SPDX-License-Identifier: GPL-2.0-only
"""Expected values, as a source gives them, and the verdict on a measured value."""

import dataclasses
import math
from typing import Optional

HIT, NEAR, MISS, NOT_RUN, REPORT = "hit", "near miss", "miss", "not run", "-"
# The worst first.
ORDER = (NOT_RUN, MISS, NEAR, HIT, REPORT)


@dataclasses.dataclass(frozen=True)
class Expected:
    """A range of values, and the neutral value, which means no effect.

    A value in the range is a hit. A value outside, but on the same side of the neutral value, is a
    near miss. Without a neutral value, as with an absolute value and its tolerance, a near miss is at
    most the slack away from the range. The default slack is half the width of the range.
    """

    text: str
    low: float = -math.inf
    high: float = math.inf
    neutral: Optional[float] = None
    reported: bool = False
    slack: Optional[float] = None

    def verdict(self, value):
        """The verdict on a value. The value is None if there was no run."""
        if value is None:
            return NOT_RUN
        if self.reported:
            return REPORT
        if self.low <= value <= self.high:
            return HIT
        if self.neutral is not None:
            above = self.low >= self.neutral
            below = self.high <= self.neutral
            wrong = (above and value <= self.neutral) or (below and value >= self.neutral)
            return MISS if wrong else NEAR
        slack = self.slack
        if slack is None:
            slack = (self.high - self.low) / 2 if math.isfinite(self.high - self.low) else 0.0
        return NEAR if self.low - slack <= value <= self.high + slack else MISS


def ratio(low, high, text=None):
    """A ratio of the worse over the better in a range; 1 is no effect."""
    return Expected(text or f"{low:g} to {high:g}", low, high, 1.0)


def above(bound, text=None):
    """More than a bound, which is no hit itself."""
    return Expected(text or f"above {bound:g}", math.nextafter(bound, math.inf), math.inf, bound)


def within(value, tolerance, text=None):
    """A value and a relative tolerance."""
    return Expected(
        text or f"{value:g} +- {100 * tolerance:g}%", value * (1 - tolerance), value * (1 + tolerance)
    )


def between(low, high, text=None):
    """An absolute range."""
    return Expected(text or f"{low:g} to {high:g}", low, high)


def exactly(value, text=None):
    """One value."""
    return Expected(text or f"{value:g}", value, value)


def at_least(bound, text=None):
    """A bound that is a hit itself."""
    return Expected(text or f"at least {bound:g}", bound)


def at_most(bound, text=None, slack=None):
    """A bound that is a hit itself."""
    return Expected(text or f"at most {bound:g}", -math.inf, bound, slack=slack)


def report(text="-"):
    """No claim: the value is reported."""
    return Expected(text, reported=True)


def worst(verdicts):
    """The verdict on a row of several values; REPORT where none has a claim."""
    return min(verdicts, key=ORDER.index, default=NOT_RUN)
