# SPDX-License-Identifier: GPL-2.0-only
"""Metrics from the results of a program: summary.json, or lines that it prints.

The run.json beside a summary.json says whether a signal has cut the run: such a run has no metrics.
"""

import json
import os
import re

from .run import RunError

# Keys that differ from run to run, or are no numbers.
MACHINE = ("cpu_s", "events", "peak_rss_mb", "digest")


def check_ended(folder):
    """Raises an error if run.json says that the run did not come to its end."""
    try:
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as handle:
            record = json.load(handle)
    except FileNotFoundError:
        return  # a program that writes no such file
    state, by = record.get("state"), record.get("cut_by")
    if state == "running" or by in ("SIGINT", "SIGTERM"):
        raise RunError(f"the run was cut by {by}" if by else "the run did not end")


def summary(outcome):
    """The numbers of summary.json."""
    check_ended(outcome.folder)
    path = os.path.join(outcome.folder, "summary.json")
    try:
        with open(path, encoding="utf-8") as handle:
            values = json.load(handle)
    except FileNotFoundError:
        raise RunError("there is no summary.json") from None
    return {name: value for name, value in values.items() if name not in MACHINE}


def chosen(names, seed):
    """A function that takes some numbers of summary.json."""
    def metrics(outcome):
        values = summary(outcome)
        lacking = [name for name in names if name not in values]
        if lacking:
            raise RunError(
                f"metrics: {lacking[0]}: not in summary.json; accepted: {', '.join(values)}"
            )
        return {seed: {name: values[name] for name in names}}

    return metrics


def matches(outcome, patterns):
    """The first group of each expression in a program's output, as a number, by name."""
    result = {}
    for name, pattern in patterns.items():
        found = re.search(pattern, outcome.stdout, re.M)
        if not found:
            raise RunError(f"metrics: {name}: no line matches {pattern}")
        result[name] = float(found[1])
    return result


def matched(patterns, seed):
    """A function that takes the first groups of regular expressions from a program's output."""
    return lambda outcome: {seed: matches(outcome, patterns)}
