# SPDX-License-Identifier: GPL-2.0-only
"""Makes the numbers of published papers again, and writes them into doc/validation.

    tools/reproduce PAGE                      performs the runs that have no row of data yet
    tools/reproduce irn --rows=B1,B10         some rows
    tools/reproduce irn --figures=irn-1       the rows of some figures
    tools/reproduce irn --experiments         the experiments that explain differences
    tools/reproduce irn --quick               short windows and one seed, into results/reproduce-quick
    tools/reproduce all --list                the rows, their runs and CPU-hours

PAGE is parking-lot, irn, scale, cc, hardware or all. Each finished run is a row of
doc/validation/data/PAGE.csv, so the matrix may be interrupted and goes on, here or on another
machine. Tables and figures are written from the rows of data that there are.
"""

import argparse
import os

from rdma_runs import sweep
from with_ns3.arguments import Arguments
from with_ns3.places import ROOT
from with_ns3.say import usage_error

DOC = os.path.join(ROOT, "doc", "validation")
QUICK = os.path.join(ROOT, "results", "reproduce-quick")


def seeds_in(text):
    """Seeds from N or N,N,...: a single number is the number of seeds."""
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and 0 < int(word) < 2**32 for word in words):
        raise argparse.ArgumentTypeError(f'"{text}"; accepted: a number of seeds, or seeds with commas')
    if len(words) == 1 and "," not in text:
        if int(text) > 1000:
            raise argparse.ArgumentTypeError(f'"{text}"; accepted: 1000 seeds at most')
        return list(range(1, int(text) + 1))
    return sorted({int(word) for word in words})


def parser():
    """The command line."""
    result = Arguments(
        prog="tools/reproduce", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument("target", metavar="PAGE", help="the page whose rows are made")
    result.add_argument("--rows", metavar="NAMES", help="rows, with commas (all of the page)")
    result.add_argument(
        "--experiments", action="store_true",
        help="the page's experiments in place of its rows; --rows=B12x names one of them",
    )
    result.add_argument("--figures", metavar="NAMES", help="figures, with commas (all of the page)")
    result.add_argument(
        "--readings", metavar="NAMES",
        help="readings of the load and the window, with commas, or all (the main one)",
    )
    result.add_argument("--quick", action="store_true", help="short windows, one seed, own folder")
    result.add_argument(
        "--seeds", type=seeds_in, metavar="N", help="how many seeds, or seeds with commas (by row)"
    )
    result.add_argument(
        "--pages", action="store_true",
        help="perform no run: write pages and figures from the rows of data there are",
    )
    result.add_argument("--out", metavar="DIR", help="where pages, data and figures go (doc/validation)")
    sweep.add_common(result)
    return result


class Work:
    """Paths of data and pages, and the seeds of rows."""

    def __init__(self, options):
        from rdma_runs.store import Store

        self.options = options
        self.out = os.path.abspath(options.out or (QUICK if options.quick else DOC))
        self.store = {}
        self.make = lambda page: Store(os.path.join(self.out, "data", f"{page}.csv"))

    def store_of(self, page):
        """The rows of data of a page."""
        return self.store.setdefault(page, self.make(page))

    def seeds_of(self, row):
        """The seeds to run for a row."""
        return self.options.seeds or list(range(1, (1 if self.options.quick else row.seeds) + 1))

    def more_runs(self, row, settings, costs):
        """The runs of further seeds of a row; none where the command line says how many seeds."""
        from . import catalogue, report, wide

        if self.options.seeds or self.options.quick or row.experiment:
            return []
        _, data = self.store_of(catalogue.page_of(row)).read()
        seeds = report.seeds_in(data)
        return [run for setting in settings for run in wide.runs(row, setting, data, seeds, costs)]


def print_list(table, costs):
    """Prints rows with their runs and CPU-hours, done and left."""
    from rdma_runs.costs import hours

    print(f"{'row':5} {'runs':>5} {'left':>5} {'CPU-hours left':>15}  claim")
    total = count = 0
    for row, runs, left in table:
        seconds = sum(costs.of_all(left)) if left else 0
        total += seconds
        count += len(left)
        print(f"{row.name:5} {len(runs):5} {len(left):5} {hours(seconds):>15}  {row.claim}")
    print(f"{count} runs are left: {hours(total)} CPU-hours; a run is counted with its first row")


def runs_left(request, work, costs):
    """Rows with their runs and those that are left, and the store of each run."""
    from . import catalogue

    table, stores, seen = [], {}, set()
    rows = list(request.runs(work.seeds_of))
    costs.learn([run for _, runs in rows for run in runs])
    for row, runs in rows:
        settings = request.settings if row.read else request.settings[:1]
        runs = [run for run in (*runs, *work.more_runs(row, settings, costs)) if run not in seen]
        runs = list(dict.fromkeys(runs))
        seen.update(runs)
        store = work.store_of(catalogue.page_of(row))
        stores.update({run: store for run in runs})
        table.append((row, runs, runs if work.options.again else store.pending(runs)))
    return table, stores


def obey(options):
    """Executes the command line; returns the exit status."""
    from rdma_runs import matrix, programs
    from rdma_runs.costs import Costs

    from . import catalogue, report

    request = catalogue.request(options)
    work = Work(options)
    costs = Costs()
    failures, performed = [], set()
    # The runs of a row may show that it needs further seeds.
    while not failures:
        table, stores = runs_left(request, work, costs)
        if options.list:
            print_list(table, costs)
            return 0
        left = [run for _, _, runs in table for run in runs if run not in performed]
        if not left or options.pages:
            break
        paths = programs.locate([run.program for run in left], options.programs)
        model = programs.revision(paths[left[0].program])
        failures = matrix.perform(
            left, paths, model, costs, stores.__getitem__, options.jobs, options.scheduler
        )
        performed.update(left)
    for path in report.write(request, work, DOC):
        print(path)
    return matrix.report(failures)


def main(arguments=None):
    """The whole program; returns its exit status: 1 if a run failed, 2 if nothing could be run."""
    options = parser().parse_args(arguments)
    options.tool = "reproduce"
    if options.quick and options.out and os.path.realpath(options.out) == os.path.realpath(DOC):
        options.out = None
        return sweep.guarded(_refuse, options)
    return sweep.guarded(obey, options)


def _refuse(options):
    """Refuses --quick with doc/validation: numbers of short windows do not belong in the pages."""
    del options
    raise usage_error("--quick writes anywhere but into doc/validation")
