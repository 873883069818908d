# SPDX-License-Identifier: GPL-2.0-only
"""A run: a program, its options and its seed, and the metrics read from its results."""

import dataclasses
import shlex
from typing import Callable, Optional

# The columns of every row before its metrics.
KEY = ("program", "options", "seed", "model")
# In an option: the run's own folder.
FOLDER = "{folder}"


class RunError(Exception):
    """A run that failed: its command and its output."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The results of a program: the folder of its files, and its output."""

    folder: str
    stdout: str
    options: tuple


@dataclasses.dataclass(frozen=True)
class Run:
    """A run to perform. Two runs are equal if their programs, options and seeds are equal."""

    program: str
    options: tuple
    # The seeds whose metrics the run yields: one for a program with a seed option, several for a
    # program that repeats its simulation itself, "" for a program without random numbers.
    seeds: tuple = ("",)
    # Outcome to {seed: {metric: value}}.
    metrics: Optional[Callable] = dataclasses.field(default=None, compare=False)
    # The name of the program's seed option, or None.
    seed_option: Optional[str] = dataclasses.field(default=None, compare=False)
    # Options that say where results go.
    results: tuple = dataclasses.field(default=(), compare=False)
    # Makes input files in the run's own folder.
    prepare: Optional[Callable] = dataclasses.field(default=None, compare=False)
    # The folder that the program runs in; None: the run's own one.
    directory: Optional[str] = dataclasses.field(default=None, compare=False)
    # Expected CPU-seconds; None: unknown.
    cost: Optional[float] = dataclasses.field(default=None, compare=False)
    # Further columns of the row: pairs of name and value.
    labels: tuple = dataclasses.field(default=(), compare=False)
    # Metrics without which a row is not complete.
    wanted: tuple = dataclasses.field(default=(), compare=False)

    def text(self):
        """The options as one word of a table."""
        return shlex.join(self.options)

    def keys(self):
        """The keys of the rows that the run yields."""
        return [(self.program, self.text(), seed) for seed in self.seeds]

    def arguments(self, folder):
        """The words after the program's name."""
        seed = [f"--{self.seed_option}={self.seeds[0]}"] if self.seed_option else []
        return [word.replace(FOLDER, folder) for word in (*self.options, *seed, *self.results)]

    def command(self):
        """The command as a person would type it."""
        return shlex.join([self.program, *self.arguments("results")])
