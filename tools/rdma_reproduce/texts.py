# SPDX-License-Identifier: GPL-2.0-only
"""Numbers from the tables that the module's programs print."""

import re

from rdma_runs.run import RunError

NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")


def number(word):
    """The number of a word such as 12, 83.2%, or 3520, or None."""
    word = word.rstrip("%")
    return float(word) if NUMBER.match(word) else None


def table(outcome, columns, labels=1, start=0):
    """The lines that are some words of a label and then as many numbers as there are columns.

    Fields are separated by two blanks or more. Returns {"label_column": number}; a column called
    "" is left out. start is where in a line the label begins.
    """
    result = {}
    for line in outcome.stdout.splitlines():
        fields = re.split(r"\s{2,}", line[start:].strip())
        words = fields[:labels]
        values = [number(field.split()[0]) if field else None for field in fields[labels:]]
        if len(fields) != labels + len(columns) or all(value is None for value in values):
            continue
        name = "_".join(re.sub(r"\W+", "_", word).strip("_") for word in words)
        for column, value in zip(columns, values):
            if column:
                result[f"{name}_{column}"] = value
    if not result:
        raise RunError(f"no line has {labels + len(columns)} fields")
    return result


def count(outcome, pattern):
    """How many lines match."""
    return len(re.findall(pattern, outcome.stdout, re.M))
