# SPDX-License-Identifier: GPL-2.0-only
"""The rows of finished runs, as a CSV file that is complete at every instant."""

import contextlib
import csv
import fcntl
import io
import os
import re

from .files import replace
from .run import KEY, RunError


def natural(text):
    """A key that sorts numbers in texts by value."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in re.split(r"(\d+)", text) if part]


def cell(value):
    """The text of a value: empty for none, the shortest that reads back equal for a number."""
    return "" if value is None else str(value)


class Store:
    """A CSV file with one row for each finished run and seed.

    The file is replaced as a whole, so that no reader and no killed writer leaves half a row. Rows
    are sorted: the same runs give the same bytes in whatever order they end.
    """

    def __init__(self, path, labels=()):
        self.path = os.path.abspath(path)
        self.labels = tuple(labels)

    def read(self):
        """Columns and rows: {key: {column: text}}."""
        try:
            with open(self.path, newline="", encoding="utf-8-sig") as handle:
                reader = csv.DictReader(handle, strict=True)
                columns = list(reader.fieldnames or ())
                lacking = [name for name in KEY if columns and name not in columns]
                if lacking:
                    raise RunError(
                        f"{self.path}:1: {lacking[0]}: there is no such column; accepted: a file of "
                        "rows that this tool wrote"
                    )
                rows = {}
                for row in reader:
                    if None in row or None in row.values():
                        raise RunError(f"{self.path}:{reader.line_num}: not {len(columns)} fields")
                    rows[row["program"], row["options"], row["seed"]] = row
        except FileNotFoundError:
            return [], {}
        except (csv.Error, UnicodeDecodeError) as error:
            raise RunError(f"{self.path}: not a CSV file: {error}") from None
        return columns, rows

    def has(self, run, columns, rows):
        """Whether all rows of a run are there, with the metrics that are wanted."""
        return set(run.wanted) <= set(columns) and all(key in rows for key in run.keys())

    def pending(self, runs):
        """The runs that have no row yet."""
        columns, rows = self.read()
        return [run for run in runs if not self.has(run, columns, rows)]

    def add(self, run, model, metrics):
        """Adds the rows of a run, in place of older ones: {seed: {metric: value}}."""
        with self.locked():
            columns, rows = self.read()
            labels = dict(run.labels)
            for (program, options, seed) in run.keys():
                values = {"program": program, "options": options, "seed": seed, "model": model}
                values.update(labels)
                values.update(metrics[seed])
                rows[program, options, seed] = {name: cell(value) for name, value in values.items()}
                columns += [name for name in values if name not in columns]
            self.write(self.ordered(columns), rows)

    def ordered(self, columns):
        """The columns: labels, key, metrics by name."""
        first = [*self.labels, *KEY]
        return [name for name in first if name in columns] + sorted(set(columns) - set(first))

    def write(self, columns, rows):
        """Replaces the file."""
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for _, row in sorted(
            rows.items(), key=lambda item: [natural(part) for part in item[0]]
        ))
        replace(self.path, text.getvalue())

    @contextlib.contextmanager
    def locked(self):
        """Keeps others from writing the file; the lock is on its folder and leaves no file."""
        folder = os.path.dirname(self.path)
        os.makedirs(folder, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
