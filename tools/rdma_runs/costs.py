# SPDX-License-Identifier: GPL-2.0-only
"""Expected CPU-seconds of runs, from those of earlier runs on this machine.

The times are kept in the folder of the builds, and not in the committed rows, because they differ
from run to run.
"""

import collections
import csv
import os
import statistics

from with_ns3.places import WORK

PATH = os.path.join(WORK, "runs", "cpu-seconds.csv")


class Costs:
    """CPU-seconds of finished runs, by program, options and seed."""

    def __init__(self, path=PATH):
        self.path = path
        self.known = {}
        # CPU time of runs of a program on this machine, in units of their estimates.
        self.paces = {}
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as handle:
                for row in csv.reader(handle):
                    # A killed writer may have left half a line.
                    if len(row) == 4:
                        self.known.setdefault((row[0], row[1]), {})[row[2]] = float(row[3])

    def note(self, run, seconds):
        """Remembers the CPU time of a run."""
        seed = run.seeds[0]
        self.known.setdefault((run.program, run.text()), {})[seed] = seconds
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "a", newline="", encoding="utf-8") as handle:
            csv.writer(handle).writerow([run.program, run.text(), seed, f"{seconds:.3f}"])

    def learn(self, runs):
        """Determines the pace of each program from those of the runs that were performed here."""
        taken, estimated = collections.Counter(), collections.Counter()
        for run in runs:
            if run.cost and (run.program, run.text()) in self.known:
                taken[run.program] += self.of(run)
                estimated[run.program] += run.cost
        self.paces = {program: taken[program] / estimated[program] for program in taken}

    def of(self, run):
        """The expected CPU-seconds of a run, or None."""
        seeds = self.known.get((run.program, run.text()))
        if not seeds:
            return run.cost and run.cost * self.paces.get(run.program, 1.0)
        return seeds.get(run.seeds[0], statistics.mean(seeds.values()))

    def of_all(self, runs):
        """The expected CPU-seconds of each run; the mean for runs of which nothing is known."""
        each = [self.of(run) for run in runs]
        known = [cost for cost in each if cost is not None]
        mean = statistics.mean(known) if known else 1.0
        return [mean if cost is None else cost for cost in each]


def hours(seconds):
    """CPU-hours as text."""
    return f"{seconds / 3600:.2f}" if seconds >= 36 else f"{seconds / 3600:.4f}"
