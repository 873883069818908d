# SPDX-License-Identifier: GPL-2.0-only
"""The rows: every file here has a tuple ROWS. A row's letter says on which page the row stands."""

import importlib
import pkgutil
import re


def key(row):
    """The order of rows: by letter, number, and variant of a row; the experiments of a page come last."""
    letter, number, variant = re.fullmatch(r"([A-Z])(\d+)([a-z]*)", row.name).groups()
    return letter, row.experiment, int(number), variant


def all_rows():
    """All rows by name, in order."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        found += importlib.import_module(f"{__name__}.{module.name}").ROWS
    names = [row.name for row in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"there are two rows {twice[0]}")
    return {row.name: row for row in sorted(found, key=key)}
