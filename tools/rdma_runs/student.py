# SPDX-License-Identifier: GPL-2.0-only
"""Means with 95% confidence intervals by Student's t."""

import math
from typing import NamedTuple, Optional

# The 97.5% quantile of Student's t for 1, 2, ... 30 degrees of freedom.
T975 = (
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788,
    2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
    2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
)
Z975 = 1.959964


def quantile(freedom):
    """The 97.5% quantile of Student's t."""
    if freedom < 1:
        raise ValueError("degrees of freedom: 1 or more")
    if freedom <= len(T975):
        return T975[freedom - 1]
    # The first terms of Cornish and Fisher's expansion; the error is below 0.0001 here.
    z = Z975
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


class Estimate(NamedTuple):
    """A mean, half the width of its 95% interval (None for one value), and how many values."""

    mean: float
    half: Optional[float]
    count: int


def estimate(values):
    """The estimate from the values of several seeds; None without values."""
    values = [float(value) for value in values]
    count = len(values)
    if not count:
        return None
    # Distances from one value, so that the mean of equal values is exact.
    mean = values[0] + math.fsum(value - values[0] for value in values) / count
    if count == 1:
        return Estimate(mean, None, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return Estimate(mean, quantile(count - 1) * math.sqrt(variance / count), count)
