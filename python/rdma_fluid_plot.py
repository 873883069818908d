#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the output of the example rdma-fluid: the fluid model over the packet simulation.

    rdma_fluid_plot.py TITLE=FILE.csv... -o PICTURE [--to=MS]

One column for each file, four side by side at most: above the queue, below the rates of the
flows. The queue's axis ends a little above what it has in the second half: bursts at the beginning
are cut off. PICTURE ends in .png, .svg or .pdf.
"""

import argparse
import csv
import os
import sys

from rdma_plot import COLOURS, FORMATS, matplotlib_figure, plain, save
from ns3_rdma.results import ResultsError

POINTS = 240  # on each line; more markers would overlap
WIDEST = 4  # columns side by side; more are too small in print


def read_columns(path):
    """The columns of a file of rdma-fluid, as lists of numbers by name."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as handle:
            rows = list(csv.reader(handle))
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: {error}") from None
    if not rows or rows[0][:3] != ["time_us", "fluid_queue_bytes", "packet_queue_bytes"]:
        raise ResultsError(f"{path}:1: not a file that rdma-fluid writes")
    columns = {name: [] for name in rows[0]}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            raise ResultsError(f"{path}:{number}: {len(row)} fields; accepted: {len(rows[0])}")
        for name, text in zip(rows[0], row):
            try:
                columns[name].append(float(text))
            except ValueError:
                raise ResultsError(f"{path}:{number}: {name}: \"{text}\" is no number") from None
    if not columns["time_us"]:
        raise ResultsError(f"{path}: no rows")
    return columns


def thin(values, count):
    """Means over consecutive values, at most count means."""
    size = -(-len(values) // count)
    parts = [values[first:first + size] for first in range(0, len(values), size)]
    return [sum(part) / len(part) for part in parts]


def draw(files, to_ms):
    """A picture of (title, columns) pairs up to a time; None: all of it."""
    # The fewest rows of panels, of equal length except the last row.
    lines = -(-len(files) // WIDEST)
    length = -(-len(files) // lines)
    figure = matplotlib_figure(1.5 + 1.9 * length, 4.0 * lines)
    panels = figure.subplots(2 * lines, length, squeeze=False)
    for unused in panels[2 * lines - 2:, (len(files) - 1) % length + 1:].flat:
        unused.set_axis_off()
    for number, (title, columns) in enumerate(files):
        line, place = divmod(number, length)
        end = len(columns["time_us"])
        if to_ms is not None:
            end = sum(time <= 1e3 * to_ms for time in columns["time_us"])
        times = thin([time / 1e3 for time in columns["time_us"][:end]], POINTS)
        queue, rates = panels[2 * line][place], panels[2 * line + 1][place]
        rates.sharex(queue)
        queue.tick_params(labelbottom=False)
        # The thin line of the packets lies upon the model's.
        for kind, colour in (("fluid", COLOURS[1]), ("packet", COLOURS[0])):
            what = {"packet": "packets", "fluid": "fluid model"}[kind]
            values = [value / 1e3 for value in columns[f"{kind}_queue_bytes"][:end]]
            width = {"packet": 0.6, "fluid": 2.0}[kind]
            queue.plot(times, thin(values, POINTS), color=colour, linewidth=width, label=what)
            names = [name for name in columns if name.startswith(f"{kind}_rate_")]
            for name in names:
                flow = [value / 1e9 for value in columns[name][:end]]
                rates.plot(times, thin(flow, POINTS), color=colour, linewidth=width)
        queue.set_title(title, fontsize="medium", loc="left")
        later = [value for line in queue.lines for value in line.get_ydata()[POINTS // 2:]]
        queue.set_ylim(0, 1.15 * max(later, default=0) or 1)
        rates.set_ylim(bottom=0)
        rates.set_xlabel("time (ms)")
        plain(queue)
        plain(rates)
        if place == 0:
            queue.set_ylabel("queue (kB)")
            rates.set_ylabel("flow rates (Gb/s)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", frameon=False, ncols=2)
    return figure


def main(arguments=None):
    """The whole program; returns its exit status: 0, or 2 if something could not be read."""
    parser = argparse.ArgumentParser(
        prog="rdma_fluid_plot.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
    )
    parser.add_argument("files", nargs="+", metavar="TITLE=FILE", help="files of rdma-fluid")
    parser.add_argument("-o", "--out", required=True, metavar="PICTURE", help="picture to write")
    parser.add_argument("--to", type=float, metavar="MS", help="draw up to this time (all)")
    options = parser.parse_args(arguments)
    try:
        if os.path.splitext(options.out)[1] not in FORMATS:
            raise ResultsError(f"--out: {options.out}; accepted: a name in {', '.join(FORMATS)}")
        if options.to is not None and not options.to > 0:
            raise ResultsError(f"--to: {options.to}; accepted: above 0")
        files = []
        for text in options.files:
            title, _, path = text.rpartition("=")
            files.append((title or os.path.basename(path), read_columns(path)))
        save(draw(files, options.to), options.out)
    except ResultsError as error:
        print(f"rdma_fluid_plot.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
