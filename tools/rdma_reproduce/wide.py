# SPDX-License-Identifier: GPL-2.0-only
"""Further seeds for values with a wide or undecided interval, where runs are short."""

# An interval is wide if half of it exceeds this fraction of the mean.
WIDE = 0.15
# Longest run, in CPU-seconds, that gets further seeds.
SHORT_S = 15.0
# A value has no more seeds than these.
MOST = 30


def is_wide(found):
    """Whether half of an interval is more than 15% of the mean; one value has no interval."""
    return found is not None and found.half is not None and found.half > WIDE * abs(found.mean)


def is_undecided(expected, found):
    """Whether the ends of an interval have different verdicts; one value has no interval."""
    if found is None or found.half is None:
        return False
    return expected.verdict(found.mean - found.half) != expected.verdict(found.mean + found.half)


def seeds_for(found):
    """The further seeds for a value: twice the number of its present seeds."""
    return range(1, min(2 * found.count, MOST) + 1)


def runs(row, setting, data, seeds, costs):
    """The runs for further seeds of a row's wide and undecided values, from its present data."""
    result = {}
    for quantity in row.quantities(setting):
        found = quantity.estimate(data, seeds)
        lacks = is_wide(found) or is_undecided(quantity.expected, found)
        if not lacks or not all(case.seeded for case in quantity.cases):
            continue
        more = [run for case in quantity.cases for run in case.runs(seeds_for(found))]
        if all(costs.of(run) is not None and costs.of(run) <= SHORT_S for run in more):
            result.update(dict.fromkeys(more))
    return list(result)
