# SPDX-License-Identifier: GPL-2.0-only
"""Writes pages and figures from the rows of data."""

import os

from rdma_runs import style
from rdma_runs.run import RunError

from . import catalogue, figures, pages, tables
from .readings import READINGS
from .row import Setting

# Pages of --quick have the prose of the others.
QUICK_NOTE = (
    "`--quick`: short windows, one seed, runs that are cut. The tables and figures of this copy show what "
    "the tool makes. Their values and verdicts are not those of the paper's case, of which the text tells."
)
COLUMNS = {
    "irn": (
        ("counted_flows", "flows", 1, 0), ("counted_completed", "finished", 1, 0),
        ("avg_slowdown", "average slowdown", 1, 2), ("avg_fct_us", "average FCT, ms", 1e-3, 3),
        ("p99_fct_us", "99% FCT, ms", 1e-3, 2), ("half1_avg_fct_us", "FCT of the first half, ms", 1e-3, 3),
        ("half2_avg_fct_us", "of the second", 1e-3, 3), ("drops", "frames lost", 1, 0),
        ("pause_frames", "pause frames", 1, 0),
    ),
}


def seeds_in(data):
    """The seeds that any row of data has."""
    seeds = {seed for _, _, seed in data if seed.isdigit()}
    return sorted(seeds, key=int) or ["1"]


def commits(data):
    """The commits of the model that produced the rows."""
    counts = {}
    for row in data.values():
        counts[row["model"]] = counts.get(row["model"], 0) + 1
    if not counts:
        return "No row of data."
    text = ", ".join(f"{counts[name]} of {name}" for name in sorted(counts))
    return f"Rows of data by commit of the model (+: with changes): {text}."


class Tables:
    """The tables of a page."""

    def __init__(self, page, data, quick):
        self.page, self.data, self.quick = page, data, quick
        self.rows = {row.name: row for row in catalogue.rows_of(page)}
        self.setting = Setting(quick=quick)
        seeds = seeds_in(data)
        self.seeds = lambda row: seeds

    def __call__(self, words):
        """The table that the words of a comment name."""
        kind, *rest = words or [""]
        chosen = [self.rows[name] for name in pages.names(rest, self.rows, self.page)]
        chosen = chosen or [row for row in self.rows.values() if not row.experiment]
        if kind == "rows":
            return tables.row_table(chosen, self.data, self.setting, self.seeds)
        if kind == "summary":
            return tables.summary_table(chosen, self.data, self.setting, self.seeds)
        if kind == "grid":
            return "\n\n".join(
                tables.grid_table(row, self.data, self.setting, self.seeds) for row in chosen if row.shown
            )
        if kind == "readings":
            settings = [Setting(name, self.quick) for name in READINGS]
            rows = [row for row in chosen if row.read]
            return tables.reading_table(rows, self.data, settings, self.seeds)
        if kind == "reading-list":
            return "\n".join(
                ["| reading | what it is | options |", "|---|---|---|"] + [
                    f"| {one.name} | {one.title} | `{' '.join(one.words(0.7, self.quick))}` |"
                    for one in READINGS.values()
                ])
        if kind == "cases":
            cases = dict.fromkeys(case for row in chosen for case in row.cases(self.setting))
            return tables.case_table(cases, COLUMNS[self.page], self.data, self.seeds(None))
        if kind == "commits":
            return commits(self.data)
        raise RunError(
            f"{self.page}: no table '{kind}'; accepted: rows, summary, grid, readings, reading-list, "
            "cases, commits"
        )


def write(request, work, doc):
    """Writes the pages and figures of a request; returns their paths."""
    written = []
    for page in request.pages:
        name = catalogue.PAGES[page][1]
        _, data = work.store_of(page).read()
        quick = work.options.quick
        pages.write(
            os.path.join(doc, name), os.path.join(work.out, name), Tables(page, data, quick),
            QUICK_NOTE if quick else "",
        )
        written.append(os.path.join(work.out, name))
        known = figures.FIGURES.get(page, {})
        shown = figures.Data(data, tuple(seeds_in(data)), Setting(quick=quick))
        for figure in request.figures:
            if figure in known:
                path = os.path.join(work.out, "figures", f"{figure}.png")
                # For print.
                style.save(known[figure](shown), path, dpi=200)
                written.append(path)
    return written
