# SPDX-License-Identifier: GPL-2.0-only
"""Reads the file of a sweep: its runs, metrics and pictures."""

import dataclasses
import itertools
import os
import re

from . import yaml_file
from .results import chosen, matched
from .run import KEY, Run

FIELDS = ("program", "options", "grid", "seeds", "seed_option", "metrics", "out", "plots", "cpu_s")
PLOT_FIELDS = ("file", "x", "y", "line", "panel")
PICTURES = (".png", ".svg", ".pdf")
MOST_SEEDS = 100_000
OPTION = re.compile(r"[A-Za-z][\w:.-]*\Z")


@dataclasses.dataclass(frozen=True)
class Plot:
    """A picture: y over x, a line for each value of one option, a panel for each of another."""

    file: str
    x: str
    y: str
    line: str = ""
    panel: str = ""


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A grid of runs."""

    path: str
    program: str
    options: dict
    grid: dict
    seeds: tuple
    seed_option: str
    names: tuple
    patterns: dict
    out: str
    plots: tuple
    cpu_s: float = None

    def cells(self):
        """The combinations of the grid, as mappings of option to value."""
        for values in itertools.product(*self.grid.values()):
            yield dict(zip(self.grid, values))

    def runs(self):
        """All runs."""
        folder = os.path.dirname(self.path)
        for values in self.cells():
            options = {**self.options, **values}
            words = tuple(f"--{name}={value}" for name, value in options.items())
            for seed in self.seeds or ("",):
                metrics = matched(self.patterns, seed) if self.patterns else chosen(self.names, seed)
                yield Run(
                    self.program, words, (seed,), metrics, self.seed_option if self.seeds else None,
                    () if self.patterns else ("--out={folder}",), None, folder, self.cpu_s,
                    tuple(values.items()), tuple(self.patterns or self.names),
                )


def read(path):
    """The sweep in a file."""
    path = os.path.abspath(path)
    whole = yaml_file.read(path)
    fields = whole.mapping(FIELDS)
    for name in ("program", "grid", "metrics", "out"):
        if name not in fields:
            raise whole.wrong(", ".join(FIELDS), f"{name} is missing")
    folder = os.path.dirname(path)
    options = _options(fields.get("options"))
    grid = _grid(fields["grid"], options)
    names, patterns = _metrics(fields["metrics"])
    program = fields["program"].text("the name of a program")
    if os.sep in program:
        program = os.path.normpath(os.path.join(folder, program))
    out = fields["out"].text("a name in .csv")
    if not out.endswith(".csv"):
        raise fields["out"].wrong("a name in .csv")
    seed_option = fields["seed_option"].text("an option") if "seed_option" in fields else "seed"
    if seed_option in options or seed_option in grid:
        raise fields["grid"].wrong("seeds: N", f"{seed_option} stands among the options")
    plots = fields["plots"].items("a list of plots") if "plots" in fields else ()
    return Sweep(
        path, program, options, grid, _seeds(fields.get("seeds")), seed_option, names, patterns,
        os.path.join(folder, out),
        tuple(_plot(plot, grid, names or tuple(patterns), folder) for plot in plots),
        float(fields["cpu_s"].whole(1, 10**7)) if "cpu_s" in fields else None,
    )


def _named(value):
    """The values of a mapping whose names are options."""
    result = value.mapping()
    for name, each in result.items():
        if not OPTION.match(name):
            raise each.wrong("the name of an option, without dashes", "no option")
    return result


def _options(value):
    """The options that all runs have."""
    return {} if value is None else {
        name: each.text("one value; lists stand under grid") for name, each in _named(value).items()
    }


def _grid(value, options):
    """The options that vary, each with its values."""
    result = {}
    for name, each in _named(value).items():
        if name in options:
            raise each.wrong("an option either here or under options", "given twice")
        if name in KEY:
            raise each.wrong(f"any name but {', '.join(KEY)}", "a column of its own")
        values = [item.text() for item in each.items("a list with one value or more")]
        if len(set(values)) < len(values):
            raise each.wrong("each value once", "a value comes twice")
        result[name] = values
    if not result:
        raise value.wrong("options with lists of values", "there are no options")
    return result


def _seeds(value):
    """The seeds as texts: those of a list, or the first N; none: the program has no seeds."""
    if value is None:
        return ()
    if not value.is_list():
        return tuple(str(seed) for seed in range(1, value.whole(1, MOST_SEEDS) + 1))
    seeds = [str(item.whole(1, 2**32 - 1)) for item in value.items()]
    if len(set(seeds)) < len(seeds):
        raise value.wrong("each seed once", "a seed comes twice")
    return tuple(seeds)


def _metrics(value):
    """Names of numbers in summary.json, or regular expressions for the program's output."""
    if not value.is_mapping():
        accepted = "a list of numbers in summary.json, or NAME: EXPRESSION for printed numbers"
        return tuple(dict.fromkeys(item.text() for item in value.items(accepted))), {}
    patterns = {}
    for name, each in value.mapping().items():
        accepted = "a regular expression with one group"
        try:
            groups = re.compile(each.text(accepted)).groups
        except re.error as error:
            raise each.wrong(accepted, str(error)) from None
        if groups != 1:
            raise each.wrong(accepted)
        patterns[name] = each.text()
    return (), patterns


def _plot(value, grid, metrics, folder):
    """A picture."""
    fields = value.mapping(PLOT_FIELDS)
    for name in ("file", "x", "y"):
        if name not in fields:
            raise value.wrong(", ".join(PLOT_FIELDS), f"{name} is missing")
    file = fields["file"].text()
    if os.path.splitext(file)[1] not in PICTURES:
        raise fields["file"].wrong(f"a name in {', '.join(PICTURES)}")
    used = {name: fields[name].choice(tuple(grid)) for name in ("x", "line", "panel") if name in fields}
    for name, option in used.items():
        if list(used.values()).count(option) > 1:
            raise fields[name].wrong("an option once in a plot", f"{option} stands twice")
    free = [name for name in grid if len(grid[name]) > 1 and name not in used.values()]
    if free:
        raise value.wrong("each option of the grid", f"{free[0]} is neither x, line nor panel")
    return Plot(os.path.join(folder, file), y=fields["y"].choice(metrics), **used)
