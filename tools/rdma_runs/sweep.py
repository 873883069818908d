# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program of the module with each combination of some options and seeds.

    tools/sweep FILE.yaml             performs the runs that have no row yet, and draws
    tools/sweep FILE.yaml --list      prints the runs that are left, with their CPU-seconds
    tools/sweep --seeds=10 rdma-fabric --workload=incast:16 --out=results
                                      performs one command with ten seeds, and prints statistics

Each finished run is a row of a CSV file, the one that FILE.yaml names or rows.csv in the folder of
--out, so a sweep may be interrupted and goes on when it is started again. doc/rdma.rst, sections
"Several seeds" and "Sweeps", explains the table and the file.
"""

import argparse
import signal
import sys

from with_ns3.arguments import Arguments
from with_ns3.say import Stop, note

from . import bootstrap


def parser():
    """The command line."""
    result = Arguments(
        prog="tools/sweep", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    result.add_argument("file", metavar="FILE.yaml", help="what is to be run, measured and drawn")
    result.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    result.add_argument(
        "--seeds", type=count_seeds, metavar="N",
        help="perform the command that follows, a program and its arguments, with N seeds",
    )
    add_common(result)
    return result


def count_seeds(text):
    """A number of seeds."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f'"{text}"; accepted: 1 to 10000')
    return int(text)


def count(text):
    """A number of jobs."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f'"{text}"; accepted: 1 to 1024')
    return int(text)


def add_common(result):
    """The options that tools/sweep and tools/reproduce share."""
    result.add_argument(
        "--list", "--dry-run", action="store_true", dest="list",
        help="print what would be run and its CPU-hours, and run nothing",
    )
    result.add_argument(
        "--jobs", type=count, metavar="N", help="runs side by side (as many as there are cores)"
    )
    result.add_argument(
        "--again", action="store_true", help="perform runs that have a row as well"
    )
    result.add_argument(
        "--programs", metavar="DIR",
        help="folder of the programs (else those on the PATH, else they are built)",
    )


def print_list(sweep, runs, costs):
    """Prints the runs that are left."""
    from .costs import hours

    for run in runs:
        cost = costs.of(run)
        print(f"{'?' if cost is None else format(cost, '.1f'):>8} s  {run.command()}")
    total = sum(1 for _ in sweep.runs())
    known = [costs.of(run) for run in runs]
    unknown = sum(cost is None for cost in known)
    text = f"; {unknown} runs have no estimate yet" if unknown else ""
    print(
        f"{len(runs)} of {total} runs are left: {hours(sum(cost or 0 for cost in known))} CPU-hours"
        f"{text}"
    )


def obey(options):
    """Executes the command line; returns the exit status."""
    from . import matrix, programs, record, seeds, sweep_file
    from .costs import Costs
    from .store import Store

    if options.seeds:
        return seeds.obey(options)
    sweep = sweep_file.read(options.file)
    store = Store(sweep.out, sweep.grid)
    every = list(sweep.runs())
    runs = every if options.again else store.pending(every)
    costs = Costs()
    if options.list:
        print_list(sweep, runs, costs)
        return 0
    failures = []
    if runs:
        paths = programs.locate([sweep.program], options.programs)
        model = programs.revision(paths[sweep.program])
        with record.kept(sweep, model, store, every):
            failures = matrix.perform(runs, paths, model, costs, lambda run: store, options.jobs)
    # Imported after the runs, because pandas and matplotlib load slowly.
    from . import sweep_plot

    _, rows = store.read()
    print("\n".join(sweep_plot.means(sweep, rows)) if rows else "there are no rows")
    print(f"rows: {sweep.out}")
    if rows:
        for name in sweep_plot.draw_all(sweep, rows):
            print(f"picture: {name}")
    return matrix.report(failures)


def guarded(work, options):
    """Calls work(options); turns errors into one message and an exit status."""
    from .run import RunError

    # SIGTERM acts like an interrupt, which ends the programs under way.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        bootstrap.ensure()
        return work(options)
    except (Stop, RunError) as error:
        note_of(options, str(error))
        return getattr(error, "status", 2)
    except KeyboardInterrupt:
        note_of(options, "interrupted; the same command goes on from here")
        return 130


def note_of(options, text):
    """Prints one line that begins with the name of the tool instead of with-ns3's."""
    name = getattr(options, "tool", None)
    print(f"{name}: {text}", file=sys.stderr) if name else note(text)


def main(arguments=None):
    """The whole program; returns its exit status: 1 if a run failed, 2 if nothing could be run."""
    options = parser().parse_args(arguments)
    if options.seeds is None and options.words:
        # The words after FILE.yaml are options of this tool, not of a program.
        file, words = options.file, options.words
        options = parser().parse_args([*words, file], options)
        if options.file != file:
            parser().error(f"unrecognized arguments: {options.file}")
    options.tool = "sweep"
    return guarded(obey, options)
