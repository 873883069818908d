# SPDX-License-Identifier: GPL-2.0-only
"""The pages, and which rows a command line asks for."""

import dataclasses

from with_ns3.say import usage_error

from .readings import MAIN, READINGS
from .row import Setting
from .rows import all_rows

# Letter of the rows, file of the page.
PAGES = {
    "parking-lot": ("A", "parking-lot.md"), "irn": ("B", "irn.md"), "scale": ("C", "scale.md"),
    "cc": ("D", "congestion.md"), "hardware": ("E", "hardware.md"),
}
# Row that holds the cases of each figure.
FIGURE_ROWS = {
    "irn-1": "B1", "irn-2": "B2", "irn-3": "B3", "irn-4": "B4", "irn-5": "B5", "irn-6": "B6",
    "irn-7": "B8", "irn-8": "B11", "irn-9": "B12", "irn-10": "B15", "irn-11": "B16",
    "parking-lot-4": "A1", "parking-lot-rcm-1a": "A4", "parking-lot-rcm-1b": "A5",
    "hardware-1": "E1",
}


def rows_of(page):
    """The rows of a page."""
    letter = PAGES[page][0]
    return [row for name, row in all_rows().items() if name[0] == letter]


def pages():
    """The pages that have rows."""
    return [page for page in PAGES if rows_of(page)]


def page_of(row):
    """The page of a row."""
    return next(page for page, (letter, _) in PAGES.items() if letter == row.name[0])


def listed(text, known, option):
    """The names of a list with commas."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise usage_error(f"--{option}={text}: '{name}'; accepted: {', '.join(known)}")
    return names


@dataclasses.dataclass(frozen=True)
class Request:
    """A request: rows, pages, figures (None: all figures of the pages), settings."""

    rows: tuple
    pages: tuple
    figures: tuple
    settings: tuple

    def runs(self, seeds_of):
        """The runs of each row. A run that several rows share belongs to the first of them."""
        seen = set()
        for row in self.rows:
            runs = []
            for setting in self.settings if row.read else self.settings[:1]:
                for case in row.cases(setting):
                    runs += [run for run in case.runs(seeds_of(row)) if run not in seen]
                    seen.update(runs)
            yield row, runs


def request(options):
    """The request of a command line."""
    known = pages()
    chosen = known if options.target == "all" else [options.target]
    if options.target not in (*known, "all"):
        raise usage_error(f"there is no page '{options.target}'; accepted: {', '.join(known)}, all")
    rows = {row.name: row for page in chosen for row in rows_of(page)}
    figures = [name for name in FIGURE_ROWS if FIGURE_ROWS[name] in rows]
    wanted = []
    if options.experiments:
        wanted += [name for name, row in rows.items() if row.experiment]
        if not wanted:
            having = [page for page in known if any(row.experiment for row in rows_of(page))]
            raise usage_error(
                f"{options.target} has no experiments; accepted: --experiments with {', '.join(having)} or all")
    if options.rows:
        wanted += listed(options.rows, rows, "rows")
    if options.figures:
        figures = listed(options.figures, figures, "figures")
        wanted += [FIGURE_ROWS[name] for name in figures]
    usual = [name for name, row in rows.items() if not row.experiment]
    readings = [MAIN]
    if options.readings:
        readings = list(READINGS) if options.readings == "all" else listed(
            options.readings, (*READINGS, "all"), "readings")
    return Request(
        tuple(row for name, row in rows.items() if name in (wanted or usual)), tuple(chosen),
        tuple(figures), tuple(Setting(name, options.quick) for name in readings),
    )
