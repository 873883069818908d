# SPDX-License-Identifier: GPL-2.0-only
"""Runs one command with several seeds, and prints statistics of the numbers of summary.json."""

import contextlib
import json
import os
import re
import tempfile
import types

from with_ns3.places import ROOT
from with_ns3.say import Stop

from . import matrix, programs, record
from .costs import Costs
from .files import replace
from .results import summary
from .run import FOLDER, KEY, Run
from .store import Store
from .student import estimate

# Largest seed: ns-3's generator (MRG32k3a) takes seeds below its second modulus.
LAST_SEED = 4_294_944_442
# Options and instruments with a file that a run writes.
WRITES = re.compile(
    r"--instruments=(.*,)?(monitor|pause-tree|pause-trace|timeseries|pcap)[:[]"
)
# Numbers that are equal for all seeds, and half of an interval: their means say nothing.
UNAVERAGED = re.compile(r"window_(begin|end)_us|slice\d_(flows|completed)|fct_trend_error")


def numbers(seed, kept):
    """A function that takes the numbers of a run with a seed. kept: the folder that keeps its results."""
    def metrics(outcome):
        if kept:
            replace(os.path.join(kept, "stdout.txt"), outcome.stdout)
            outcome = types.SimpleNamespace(folder=kept)
        return {seed: {
            name: value for name, value in summary(outcome).items()
            if value is None or type(value) in (int, float)
        }}

    return metrics


class Command:
    """A program and its arguments, which have the first seed (--seed) and the folder (--out)."""

    def __init__(self, program, words, count):
        self.program = program
        given = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
        first = given.get("seed", "1")
        if not first.isascii() or not first.isdigit() or not 1 <= int(first) <= LAST_SEED - count + 1:
            raise Stop(f'--seed: "{first}"; accepted: 1 to {LAST_SEED - count + 1} with --seeds={count}', 2)
        for word in words:
            if WRITES.match(word) and FOLDER not in word:
                raise Stop(f"{word}: all runs would write it; accepted: {FOLDER}/NAME, in the folder of each run", 2)
        self.seeds = range(int(first), int(first) + count)
        self.named = given.get("out", "")
        self.out = os.path.abspath(self.named) if self.named else ""
        self.words = tuple(word for word in words if not re.match("--(seed|out)=", word))

    def run(self, seed):
        """The run with a seed."""
        kept = os.path.join(self.out, f"seed-{seed}") if self.out else ""
        inner = {path for word in self.words for path in re.findall(FOLDER + r"/([^,\]]*)/", word)}

        def prepare(folder):
            for path in ("", *inner):
                os.makedirs(os.path.join(kept or folder, path), exist_ok=True)

        return Run(
            self.program, tuple(word.replace(FOLDER, kept or FOLDER) for word in self.words), (str(seed),),
            numbers(str(seed), kept), "seed", (f"--out={kept or FOLDER}",), prepare, os.getcwd(),
        )

    def left(self, store, model, again):
        """The runs to perform: those without a row, or all if they have rows or the file has rows of others."""
        runs = [self.run(seed) for seed in self.seeds]
        keys = {key for run in runs for key in run.keys()}
        _, rows = store.read()
        pending = store.pending(runs)
        if again or not pending or any(key not in keys or row["model"] != model for key, row in rows.items()):
            for path in (store.path, os.path.join(self.out, "seeds.csv")):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
            return runs
        return pending

    def rows(self, store):
        """The numbers of each run as texts, by seed: {seed: {name: text}}."""
        _, rows = store.read()
        return {
            seed: {name: text for name, text in rows[self.run(seed).keys()[0]].items() if name not in KEY}
            for seed in self.seeds
        }


def statistics(rows):
    """Rows of the table and of seeds.csv: (name, unit, count, mean, half of the interval, least, greatest).

    First come the numbers that columns.json describes, in its order, then those of other programs.
    """
    with open(os.path.join(ROOT, "python", "ns3_rdma", "columns.json"), encoding="utf-8") as handle:
        tables = json.load(handle)
    known = {column["name"]: column for table in ("summary", "measured-summary") for column in tables[table]}
    present = {name for row in rows for name in row}
    found = []
    for name in [*(name for name in known if name in present), *sorted(present - set(known))]:
        column = known.get(name, {"unit": "", "subject": "network"})
        if column["subject"] != "network" or UNAVERAGED.fullmatch(name):
            continue
        values = [float(row[name]) for row in rows if row.get(name)]
        mean = estimate(values)
        found.append((name, column["unit"], len(values), mean and mean.mean, mean and mean.half,
                      min(values, default=None), max(values, default=None)))
    return found


def shortest(value):
    """A number as the module writes it: the fewest digits from 15 on that read back exactly."""
    texts = (f"{value:.{digits}g}" for digits in (15, 16, 17))
    return next(text for text in texts if float(text) == value)


def table(title, found):
    """The lines of the table."""
    def line(name, cells, unit):
        text = f"{name:<22}" + "".join(f" {cell:>{width}}" for cell, width in zip(cells, (5, 14, 14, 14, 14)))
        return f"{text} {unit}" if unit else text

    return [line(title, ("runs", "mean", "+- (95%)", "least", "greatest"), "")] + [
        line(name, (count, *("-" if value is None else f"{value:.3f}" for value in values)), unit)
        for name, unit, count, *values in found
    ]


def csv_text(found):
    """The text of seeds.csv."""
    lines = ["metric,unit,seeds,mean,error,least,greatest"]
    for name, unit, count, *values in found:
        cells = ("" if value is None else shortest(value) for value in values)
        lines.append(",".join((name, unit, str(count), *cells)))
    return "\n".join(lines) + "\n"


def unfinished(rows):
    """A line for each seed with flows that did not finish."""
    lines = []
    for seed, row in rows.items():
        names, word = ("flows_total", "flows_completed"), ""
        if row.get("counted_flows"):
            names, word = ("counted_flows", "counted_completed"), " counted"
        total, done = (int(row.get(name) or 0) for name in names)
        if done < total:
            lines.append(f"seed {seed}: {total - done} of {total}{word} flows did not finish")
    return lines


def obey(options):
    """Executes the command line; returns the exit status."""
    command = Command(options.file, options.words, options.seeds)
    path = programs.locate([command.program], options.programs)
    model = programs.revision(path[command.program])
    with tempfile.TemporaryDirectory(prefix="rdma-seeds-") as temporary:
        store = Store(os.path.join(command.out or temporary, "rows.csv"))
        if options.list:
            print("\n".join(command.run(seed).command() for seed in command.seeds))
            return 0
        runs = command.left(store, model, options.again)
        sweep = types.SimpleNamespace(
            path="", out=store.path, program=command.program, options=list(command.words), grid={},
            seeds=list(command.seeds),
        )
        with record.kept(sweep, model, store, [command.run(seed) for seed in command.seeds]):
            failures = matrix.perform(
                runs, path, model, Costs(), lambda run: store, options.jobs, options.scheduler
            )
        if failures:
            return matrix.report(failures)
        rows = command.rows(store)
    found, late = statistics(rows.values()), unfinished(rows)
    first, last = command.seeds[0], command.seeds[-1]
    print("\n".join([*late, *([""] if late else []), *table(f"seeds {first} to {last}", found)]))
    if command.out:
        replace(os.path.join(command.out, "seeds.csv"), csv_text(found))
        print(f"wrote seeds.csv and seed-{first} to seed-{last} to {command.named}")
    return 1 if late else 0
