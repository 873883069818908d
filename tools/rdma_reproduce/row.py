# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a row: cases, which are runs with any seed, and quantities of their metrics."""

import dataclasses
import functools
from typing import Callable, Optional

from rdma_runs.run import Run
from rdma_runs.student import estimate

from .expected import Expected
from .readings import MAIN, READINGS


@dataclasses.dataclass(frozen=True)
class Setting:
    """A reading, and whether windows are short."""

    reading: str = MAIN
    quick: bool = False

    def load(self, load=0.7):
        """The options of the reading for a load."""
        return READINGS[self.reading].words(load, self.quick)

    def arrivals_ms(self):
        """Simulated milliseconds with arrivals."""
        return READINGS[self.reading].arrivals(self.quick)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program with options; its seeds are those of the row, or its own (inner), or none."""

    name: str
    program: str
    options: tuple
    # Outcome to {metric: value}, or with inner seeds to {seed: {metric: value}}.
    metrics: Callable = dataclasses.field(compare=False)
    cost: float = 1.0
    seeded: bool = False
    inner: tuple = ()
    results: tuple = ()
    # Makes input files for a seed in a folder.
    prepare: Optional[Callable] = dataclasses.field(default=None, compare=False)
    # The folder that the program runs in, for options that name files; None: one of the run's own.
    directory: Optional[str] = dataclasses.field(default=None, compare=False)

    def seeds(self, wanted):
        """The seeds of the case's rows."""
        return [str(seed) for seed in wanted] if self.seeded else list(self.inner or ("",))

    def runs(self, wanted):
        """The runs for some seeds."""
        if not self.seeded:
            metrics = self.metrics if self.inner else lambda outcome: {"": self.metrics(outcome)}
            return [Run(
                self.program, self.options, self.inner or ("",), metrics, results=self.results,
                directory=self.directory, cost=self.cost,
            )]
        return [
            Run(
                self.program, self.options, (seed,),
                lambda outcome, seed=seed: {seed: self.metrics(outcome)}, "seed", self.results,
                self.prepare and functools.partial(self.prepare, int(seed)),
                directory=self.directory, cost=self.cost,
            ) for seed in self.seeds(wanted)
        ]


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A value of a row: a function of the metrics of one seed of each case."""

    what: str
    metric: str
    cases: tuple
    of: Callable = dataclasses.field(compare=False)
    expected: Expected
    digits: int = 2
    unit: str = ""

    def values(self, rows, wanted):
        """The value for each seed of which all cases have a row: {seed: value}."""
        result = {}
        seeds = dict.fromkeys(seed for case in self.cases for seed in case.seeds(wanted))
        for seed in seeds:
            keys = [
                (case.program, run.text(), seed if seed in run.seeds else run.seeds[0])
                for case in self.cases for run in case.runs([seed] if case.seeded else wanted)
            ]
            if all(key in rows for key in keys):
                try:
                    result[seed] = self.of(*(numbers(rows[key]) for key in keys))
                except (KeyError, TypeError, ZeroDivisionError):
                    # A metric that the row lacks, or that has no value in this run.
                    continue
        return result

    def estimate(self, rows, wanted):
        """The mean over the seeds with its interval, or None."""
        return estimate(list(self.values(rows, wanted).values()))


@dataclasses.dataclass(frozen=True)
class Row:
    """A row: its name, the claim, and its quantities in a setting."""

    name: str
    claim: str
    quantities: Callable = dataclasses.field(compare=False)
    seeds: int = 3
    # Whether the row depends on the reading.
    read: bool = False
    # Values for a separate table, about which the source makes no claim; or None.
    shown: Optional[Callable] = dataclasses.field(default=None, compare=False)
    # Whether the row changes one thing of another row, to explain a difference. Experiments run where they
    # are asked for, at the main reading, with their own number of seeds.
    experiment: bool = False

    def cases(self, setting):
        """All cases, each once."""
        quantities = [*self.quantities(setting), *(self.shown(setting) if self.shown else ())]
        return list(dict.fromkeys(case for quantity in quantities for case in quantity.cases))


def numbers(row):
    """The numbers among the texts of a row of data."""
    result = {}
    for name, text in row.items():
        try:
            result[name] = float(text)
        except (TypeError, ValueError):
            continue
    return result


def value(what, case, metric, expected, label=None, digits=2, scale=1.0, unit=""):
    """The quantity that is one metric of one case."""
    return Quantity(
        what, label or metric, (case,), lambda row: row[metric] * scale, expected, digits, unit
    )


def quotient(what, worse, better, metric, expected, label=None, digits=2):
    """The quantity that is a metric of one case over that of another, seed by seed."""
    return Quantity(
        what, label or metric, (worse, better), lambda one, other: one[metric] / other[metric],
        expected, digits,
    )
