#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the results of rdma-fabric.

    rdma_plot.py table    RUN...            flow completion times as a table, no picture
    rdma_plot.py fct-cdf  RUN... -o FILE    distribution of flow completion times
    rdma_plot.py slowdown RUN... -o FILE    median and 99th percentile of the slowdown by flow size
    rdma_plot.py pauses   RUN -o FILE       how long each port was paused
    rdma_plot.py fabric   RUN -o FILE       the nodes, and the links coloured by load, pause time or NIC
    rdma_plot.py timeseries CSV -o FILE     rate, window, round trip of flows in time
    rdma_plot.py monitor    CSV -o FILE     queues and pauses of ports in time
    rdma_plot.py busbw  TABLE... -o FILE    bus bandwidth of collectives by size

RUN is a folder that rdma-fabric --out=DIR wrote, or LABEL=FOLDER; CSV is a file that its
instrument timeseries or monitor wrote; TABLE is a file with the output of rdma-collective or
nccl-tests, or LABEL=FILE. FILE ends in .png, .svg or .pdf.

The flows are those that the run counts: with --measure, those that start in the window. --all-flows
shows all flows that started, and says so. Results of a run that was cut say so.
"""

import argparse
import os
import sys

import rdma_plot_busbw
import rdma_plot_fabric
import rdma_plot_style
import rdma_plot_time
from ns3_rdma.results import (
    ResultsError, is_cut, quantile, read_monitor, read_run, read_time_series, size_groups,
)
from rdma_arguments import Arguments
from rdma_plot_style import COLOURS, matplotlib_figure, plain, title_of

FORMATS = tuple(rdma_plot_style.FORMATS)


def save(figure, path):
    """Writes a picture, in the format of the file's name."""
    try:
        rdma_plot_style.save(figure, path)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None


def legend(figure):
    """Puts the legend above the picture, where the legend hides no line."""
    labels = figure.axes[0].get_legend_handles_labels()[1]
    # Two columns of long labels are wider than the picture.
    columns = 1 if any(len(label) > 32 for label in labels) else 2
    figure.legend(loc="outside upper left", frameon=False, ncols=columns)


def logarithmic(axis, low, high, write="{x:g}"):
    """A logarithmic axis with plain numbers: at 1, 2 and 5, or at 1 alone over many decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,), numticks=20))
    axis.set_major_formatter(write)
    axis.set_minor_formatter(NullFormatter())


def human_bytes(value, _position=None):
    """A size with its unit: 1000 is 1 KB."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g} B"


def flows_of(run, all_flows):
    """The flows that the run counts, or all flows that started."""
    return run.all_flows if all_flows else run.flows


def remarks(run, flows):
    """What a reader must know: whether the run was cut, and how many flows finished if not all did.

    Averages over the flows that finished lack the slowest flows.
    """
    notes = [run.cut] if run.cut else []
    if any(not flow.counted for flow in flows):
        notes.append("all flows, also outside of the window")
    done = sum(flow.completed for flow in flows)
    if done < len(flows):
        notes.append(f"{done} of {len(flows)} flows finished")
    return notes


def label_of(name, run, flows):
    """The run's name with the remarks."""
    notes = remarks(run, flows)
    return f"{name} ({', '.join(notes)})" if notes else name


def draw_fct_cdf(runs, all_flows=False):
    """Share of the flows that finished within a time; below 1 at the right end if some did not."""
    figure = matplotlib_figure(6.4, 4.0)
    axes = figure.subplots()
    finished = []
    for index, (name, run) in enumerate(runs):
        flows = flows_of(run, all_flows)
        times = sorted(flow.fct_ns / 1e3 for flow in flows if flow.completed)
        finished += times
        shares = [(rank + 1) / len(flows) for rank in range(len(times))]
        # From 0 upwards at the first completion.
        axes.step(
            times[:1] + times, [0.0, *shares] if times else [], where="post",
            color=COLOURS[index % len(COLOURS)], label=label_of(name, run, flows),
        )
    if finished:
        logarithmic(axes.xaxis, min(finished), max(finished))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("flow completion time (us)")
    axes.set_ylabel("share of flows")
    plain(axes)
    legend(figure)
    return figure


def draw_slowdown(runs, groups, all_flows=False):
    """Median and 99th percentile of the slowdown, over groups of flows of similar size."""
    figure = matplotlib_figure(6.4, 4.0)
    axes = figure.subplots()
    smallest = None
    sizes_seen, slowdowns_seen = [], []
    for index, (name, run) in enumerate(runs):
        flows = flows_of(run, all_flows)
        parts = size_groups(flows, groups)
        sizes = [quantile([flow.bytes for flow in part], 0.5) for part in parts]
        sizes_seen += sizes
        for fraction, line, what in ((0.99, "--", "99%"), (0.5, "-", "median")):
            slowdowns = [quantile([flow.slowdown for flow in part], fraction) for part in parts]
            slowdowns_seen += slowdowns
            axes.plot(
                sizes, slowdowns, line, marker="o", markersize=3.5,
                color=COLOURS[index % len(COLOURS)], label=f"{label_of(name, run, flows)}: {what}",
            )
        if parts:
            count = min(len(part) for part in parts)
            smallest = count if smallest is None else min(smallest, count)
    if smallest:
        logarithmic(axes.xaxis, min(sizes_seen), max(sizes_seen), human_bytes)
        logarithmic(axes.yaxis, min(slowdowns_seen), max(slowdowns_seen))
        axes.set_xlabel(f"flow size (groups of at least {smallest} flows)")
    else:
        axes.set_xlabel("flow size")
    axes.set_ylabel("completion time / ideal")
    plain(axes)
    legend(figure)
    return figure


def draw_pauses(name, run, top):
    """How long each port was paused, the longest first."""
    paused = sorted(
        (port for port in run.ports if port.paused_ns > 0),
        key=lambda port: (-port.paused_ns, port.node, port.port, port.priority),
    )
    shown = paused[:top]
    figure = matplotlib_figure(6.4, 1.2 + 0.22 * max(4, len(shown)))
    axes = figure.subplots()
    places = range(len(shown))
    axes.barh(places, [port.paused_ns / 1e3 for port in shown], color=COLOURS[0], height=0.7)
    axes.set_yticks(
        places, [f"{port.port_name}, priority {port.priority}" for port in shown]
    )
    axes.set_ylim(max(3.5, len(shown) - 0.5), -0.5)
    if run.active_us:
        axes.set_xlabel(f"time paused (us), of {run.active_us:.1f} us since the first flow's start")
    else:
        axes.set_xlabel("time paused (us)")
    name = title_of(name, run)
    if not paused:
        title = f"{name}: no port was paused"
    elif len(shown) < len(paused):
        title = f"{name}: the {len(shown)} longest of {len(paused)} paused ports"
    else:
        title = f"{name}: all paused ports"
    axes.set_title(title, fontsize="medium", loc="left")
    plain(axes)
    axes.grid(False, axis="y")
    return figure


def table(runs, all_flows=False):
    """Flow completion times of all runs, as text, and a line for each run with remarks."""
    lines = [
        f"{'run':24} {'flows':>7} {'finished':>8} {'avg FCT us':>11} {'p99 FCT us':>11} "
        f"{'avg slowd.':>10} {'p99 slowd.':>10} {'drops':>9} {'pauses':>9}"
    ]
    notes = []
    for name, run in runs:
        flows = flows_of(run, all_flows)
        done = [flow for flow in flows if flow.completed]
        numbers = ["-"] * 4
        if done:
            times = [flow.fct_ns / 1e3 for flow in done]
            slowdowns = [flow.slowdown for flow in done]
            numbers = [
                f"{sum(times) / len(times):.2f}", f"{quantile(times, 0.99):.2f}",
                f"{sum(slowdowns) / len(slowdowns):.3f}", f"{quantile(slowdowns, 0.99):.3f}",
            ]
        drops, pauses = (str(run.summary.get(key, "-")) for key in ("drops", "pause_frames"))
        lines.append(
            f"{name:24} {len(flows):7} {len(done):8} {numbers[0]:>11} {numbers[1]:>11} "
            f"{numbers[2]:>10} {numbers[3]:>10} {drops:>9} {pauses:>9}"
        )
        if len(run.flows) < len(run.all_flows) and not all_flows:
            notes.append(
                f"{name}: the {len(run.flows)} of {len(run.all_flows)} flows that start in the window"
            )
        notes += [f"{name}: {note}" for note in remarks(run, flows)]
    return "\n".join(lines + notes)


def parser():
    """The command line."""
    result = Arguments(
        prog="rdma_plot.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
    )
    verbs = result.add_subparsers(
        dest="verb", required=True,
        metavar="table|fct-cdf|slowdown|pauses|fabric|timeseries|monitor|busbw",
    )

    def add(name, text, several):
        verb = verbs.add_parser(name, help=text, description=text)
        verb.add_argument(
            "runs", nargs="+" if several else 1, metavar="RUN",
            help="a folder that rdma-fabric --out=DIR wrote, or LABEL=FOLDER",
        )
        return verb

    def add_flows(verb):
        verb.add_argument(
            "--all-flows", action="store_true",
            help="all flows that started, also those outside of the window of --measure",
        )
        return verb

    def add_out(verb):
        verb.add_argument(
            "-o", "--out", required=True, metavar="FILE",
            help="picture to write: .png, .svg or .pdf",
        )
        return verb

    def add_picture(name, text, several):
        return add_out(add(name, text, several))

    def add_file(name, text):
        verb = verbs.add_parser(name, help=text, description=text)
        verb.add_argument("csv", metavar="CSV", help=f"a file that rdma-fabric --instruments={name}:FILE wrote")
        return add_out(verb)

    def at_least_one(text):
        if not text.isascii() or not text.isdigit() or int(text) < 1:
            raise argparse.ArgumentTypeError(f'"{text}"; accepted: 1 and above')
        return int(text)

    add_flows(add("table", "flow completion times as a table, no picture", True))
    add_flows(add_picture("fct-cdf", "distribution of flow completion times", True))
    slowdown = add_flows(add_picture("slowdown", "slowdown by flow size", True))
    slowdown.add_argument(
        "--groups", type=at_least_one, default=10, metavar="N",
        help="groups of flows, of equal number, from small flows to large ones (10)",
    )
    pauses = add_picture("pauses", "how long each port was paused", False)
    pauses.add_argument(
        "--top", type=at_least_one, default=20, metavar="N", help="ports to show at most (20)"
    )
    fabric = add_picture(
        "fabric", "the nodes, and the links coloured; traffic in a link keeps to the right", False
    )
    fabric.add_argument(
        "--colour", choices=("load", "pause", "drops", "marks", "nic"), default="load",
        help="what colours a link: load in the run, time paused, drops or ECN marks of the sending "
        "port; or the number of the NIC below the link, for a picture of the topology (load)",
    )
    series = add_file("timeseries", "rate, window, round trip of flows in time")
    series.add_argument(
        "--flows", type=at_least_one, metavar="N", help="show the first N flows of the file (all)"
    )
    monitor = add_file("monitor", "queues and pauses of ports in time")
    monitor.add_argument(
        "--top", type=at_least_one, default=6, metavar="N", help="ports to show at most (6)"
    )
    text = "bus bandwidth of collectives by size"
    busbw = verbs.add_parser("busbw", help=text, description=text)
    busbw.add_argument(
        "tables", nargs="+", metavar="TABLE",
        help="a file with the output of rdma-collective or nccl-tests, or LABEL=FILE",
    )
    add_out(busbw)
    return result


def human_binary(value, _position=None):
    """A size in powers of two with its unit: 1024 is 1 KiB."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g} B"


def read_table(text):
    """A pair of label and points, from "LABEL=FILE" or "FILE"."""
    if os.path.exists(text) or "=" not in text:
        return os.path.basename(text), rdma_plot_busbw.read_busbw(text)
    label, _, path = text.partition("=")
    return label, rdma_plot_busbw.read_busbw(path)


def read_named(text):
    """A pair of label and run, from "LABEL=FOLDER" or "FOLDER"."""
    if os.path.isdir(text) or "=" not in text:
        return os.path.basename(os.path.normpath(text)), read_run(text)
    label, _, folder = text.partition("=")
    return label, read_run(folder)


def mark_cut(figure, path):
    """The picture of a file, with a title if a signal has cut the run."""
    if is_cut(path):
        figure.suptitle(f"{os.path.basename(path)}: the run was cut", fontsize="medium")
    return figure


def draw_file(options):
    """The picture of a file of rows in time."""
    if options.verb == "monitor":
        readings = read_monitor(options.csv)
        if not readings:
            raise ResultsError(f"{options.csv}: there are no rows")
        return mark_cut(rdma_plot_time.draw_monitor(readings, options.top), options.csv)
    samples = read_time_series(options.csv)
    if not samples:
        raise ResultsError(f"{options.csv}: there are no rows")
    if options.flows is not None:
        first = sorted({sample.flow for sample in samples})[: options.flows]
        samples = [sample for sample in samples if sample.flow in first]
    return mark_cut(rdma_plot_time.draw_time_series(samples), options.csv)


def main(arguments=None):
    """The whole program; returns its exit status: 0, or 2 if something could not be read."""
    options = parser().parse_args(arguments)
    try:
        if options.verb != "table" and os.path.splitext(options.out)[1] not in FORMATS:
            raise ResultsError(f"--out: {options.out}; accepted: a name in {', '.join(FORMATS)}")
        if options.verb in ("timeseries", "monitor"):
            save(draw_file(options), options.out)
            return 0
        if options.verb == "busbw":
            tables = [read_table(text) for text in options.tables]
            save(rdma_plot_busbw.draw_busbw(tables, human_binary), options.out)
            return 0
        runs = [read_named(text) for text in options.runs]
        for name, run in runs:
            if not flows_of(run, getattr(options, "all_flows", False)):
                counted = " that count; accepted: with --all-flows" if run.all_flows else ""
                raise ResultsError(f"{name}: flows.csv has no flows{counted}")
        if options.verb == "table":
            print(table(runs, options.all_flows))
            return 0
        if options.verb == "fct-cdf":
            figure = draw_fct_cdf(runs, options.all_flows)
        elif options.verb == "slowdown":
            figure = draw_slowdown(runs, options.groups, options.all_flows)
        elif options.verb == "fabric":
            figure = rdma_plot_fabric.draw_fabric(*runs[0], options.colour)
        else:
            figure = draw_pauses(*runs[0], options.top)
        save(figure, options.out)
    except ResultsError as error:
        print(f"rdma_plot.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
