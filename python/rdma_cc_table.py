#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs rdma-fabric once with each congestion control, and prints a Markdown table.

    rdma_cc_table.py [--program=COMMAND] [--cc=NAME,NAME...] [-- OPTION...]

The run is an incast of 64 hosts at one switch, 100 Gb/s, 10 MB each, unless OPTIONs of rdma-fabric
say otherwise. A name may end in "/irn": over IRN without PFC instead of RoCE with PFC.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

from rdma_arguments import Arguments

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCAST = ("--topology=star:65", "--workload=incast:64", "--bytes=10MB")


class RunError(Exception):
    """A run that failed, with its output."""


def names_of(program):
    """All congestion controls, as rdma-fabric lists them, and two runs over IRN."""
    words = [*shlex.split(program), "--list=cc"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RunError(f"{shlex.join(words)}: {last_line(result)}")
    lines = result.stdout.splitlines()
    listed = lines[lines.index("--cc") + 1:]
    return ["none", *(line.split()[0] for line in listed), "none/irn", "aimd/irn"]


def last_line(result):
    """What a program has said at last: its error, behind the notes of a build."""
    return (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()[-1]


def summary_of(program, name, options):
    """The summary of one run."""
    control, _, transport = name.partition("/")
    words = [*shlex.split(program), *INCAST, f"--cc={control}", "--progress=off"]
    if transport:
        words += [f"--transport={transport}", "--pfc=off"]
    with tempfile.TemporaryDirectory() as folder:
        words += [f"--out={folder}", *options]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        path = os.path.join(folder, "summary.json")
        # Status 1: some flows did not finish, as the table shows.
        if result.returncode not in (0, 1) or not os.path.exists(path):
            raise RunError(f"{shlex.join(words)}: {last_line(result)}")
        with open(path, encoding="ascii") as handle:
            return json.load(handle)


def line_of(name, summary):
    """A line of the table."""
    def milliseconds(key):
        return "-" if summary[key] is None else f"{summary[key] / 1e3:.2f}"

    # With a window, the averages cover the counted flows.
    done = summary.get("counted_completed", summary["flows_completed"])
    flows = summary.get("counted_flows", summary["flows_total"])
    cells = (
        name, f"{done} of {flows}",
        summary["pause_frames"], summary["drops"], summary["ecn_marks"],
        f"{summary['peak_queue_bytes'] / 1e6:.2f}", milliseconds("avg_fct_us"),
        milliseconds("p99_fct_us"),
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main(arguments=None):
    """The whole program; returns its exit status: 0, or 2 if a run failed."""
    parser = Arguments(
        prog="rdma_cc_table.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__,
    )
    parser.add_argument(
        "--program", default=f"{os.path.join(ROOT, 'tools', 'with-ns3')} run rdma-fabric",
        metavar="COMMAND", help="what runs rdma-fabric (tools/with-ns3 run rdma-fabric)",
    )
    parser.add_argument("--cc", metavar="NAMES", help="which (all)")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="options of rdma-fabric")
    options = parser.parse_args(arguments)
    head = (
        "| congestion control | flows done | pause frames | drops | marks | peak queue (MB) "
        "| mean FCT (ms) | 99% FCT (ms) |\n|---|---|---|---|---|---|---|---|"
    )
    try:
        for name in options.cc.split(",") if options.cc else names_of(options.program):
            line = line_of(name, summary_of(options.program, name, options.options))
            print(head + "\n" + line if head else line, flush=True)
            head = ""
    except RunError as error:
        print(f"rdma_cc_table.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
