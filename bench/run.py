#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the module's speed and memory on fixed cases.

    tools/with-ns3 bench                      the time of all cases, on one core
    tools/with-ns3 bench --list               the cases
    tools/with-ns3 bench --cases a,storage    some cases: by name, or by the begin of their names
    tools/with-ns3 bench --cases a,a-hpcc     workload A without and with a congestion control
    tools/with-ns3 bench --other PATH         beside another build: its rdma-fabric, or its folder
    tools/with-ns3 bench --parts threads      two threads beside two processes, on two cores
    tools/with-ns3 bench --parts counts       instructions and cache misses, counted by valgrind
    tools/with-ns3 bench --parts peers --peers hpcc=PATH
                                              beside another simulator (bench/peers.py)

The runs of all cases and builds take turns, so that a noisy machine hits all alike. --page FILE
writes the tables into a page of the manual, and --json FILE keeps all numbers. Columns:

    ns/hop     CPU time of a packet-hop (one frame over one link) in the event loop: the median, and
               the least and the most
    us/flow    CPU time of a flow in the whole process, from its start to the files of results
    ev/hop     events of the simulator for each packet-hop
    process s  CPU time of the process, set-up and files of results included
    wall s     time of the process on a clock
    MB         greatest resident memory of the process
    other      time over that of the other build: the median of the ratios of what ran in one turn
"""

import argparse
import json
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tools"), str(HERE)]

import measure  # noqa: E402
import peers  # noqa: E402
import tables  # noqa: E402
from cases import CASES, find_cases  # noqa: E402
from counts import count, instructions  # noqa: E402, F401
from with_ns3.arguments import Arguments  # noqa: E402

PARTS = ("times", "threads", "counts", "peers")


def choose(parser, names):
    """The cases of the option --cases."""
    chosen = {}
    for name in names.split(",") if names else [case.name for case in CASES]:
        found = find_cases(name)
        if not found:
            known = ",".join(case.name for case in CASES)
            parser.error(f"--cases: no case '{name}'; accepted: {known}")
        chosen.update((case.name, case) for case in found)
    return list(chosen.values())


def choose_peers(parser, text):
    """The programs of the option --peers, by the names of simulators."""
    chosen = dict(word.partition("=")[::2] for word in text.split(",")) if text else {}
    for name, path in chosen.items():
        if name not in peers.PEERS:
            parser.error(f"--peers: no simulator '{name}'; accepted: {','.join(peers.PEERS)}")
        if not os.access(path, os.X_OK) or os.path.isdir(path):
            parser.error(f"--peers: {name}={path} is not a program")
    return chosen


def parse(words):
    """The command line, and the cases and the programs of other simulators that it names."""
    parser = Arguments(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", metavar="NAMES", help="cases to run, with commas (all)")
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("--parts", metavar="NAMES", default="times", help=f"{', '.join(PARTS)} (times)")
    parser.add_argument("--peers", metavar="NAME=PATH", help="programs of other simulators, with commas")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each case (5)")
    parser.add_argument("--other", metavar="PATH", help="another build of the module")
    parser.add_argument("--core", type=int, default=-1, help="core that runs all (the last one)")
    parser.add_argument("--json", metavar="FILE", help="keep the numbers there, beside those of other parts")
    parser.add_argument("--page", metavar="FILE", help="write the tables into this page of the manual")
    options = parser.parse_args(words)
    if options.repeat < 1:
        parser.error("--repeat: accepted: 1 and above")
    cores = sorted(os.sched_getaffinity(0))
    options.core = cores[-1] if options.core < 0 else options.core
    if options.core not in cores:
        parser.error(f"--core: {options.core}; accepted: {','.join(map(str, cores))}")
    options.parts = options.parts.split(",")
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"--parts: no part '{part}'; accepted: {','.join(PARTS)}")
    if "threads" in options.parts and len(cores) < 2:
        parser.error("--parts: threads, on a machine with one core; accepted: with two cores")
    if "counts" in options.parts and not shutil.which("valgrind"):
        parser.error("--parts: counts, without valgrind; accepted: with valgrind on the PATH")
    if ("peers" in options.parts) != bool(options.peers):
        parser.error("--peers and the part peers of --parts: one without the other; accepted: both or none")
    if options.other and not measure.Build.exists(options.other):
        parser.error(f"--other: {options.other} is not a program, nor the folder of a build")
    return options, choose(parser, options.cases), choose_peers(parser, options.peers)


def main():
    options, cases, programs = parse(sys.argv[1:])
    if options.list:
        width = max(len(case.name) for case in CASES)
        for case in CASES:
            print(f"{case.name:{width}}  {case.about}")
        return
    results = {}
    if options.json and os.path.exists(options.json):
        results = json.loads(pathlib.Path(options.json).read_text())
    with measure.Workplace(options.core, options.other) as place:
        if "times" in options.parts:
            results["times"] = measure.times(place, cases, options.repeat)
        if "threads" in options.parts:
            results["threads"] = measure.threads(place, cases, options.repeat)
        if "counts" in options.parts:
            results["counts"] = {
                case.name: count(case, place.this.program, place.folder) for case in cases if case.stops
            }
        if "peers" in options.parts:
            results["peers"] = peers.compare(place, programs, options.repeat)
        # The machine of the last part; results of two machines do not belong into one file.
        results["machine"] = place.describe(options.repeat)
    print(tables.as_text(results))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")
    if options.page:
        tables.write_page(pathlib.Path(options.page), results)


if __name__ == "__main__":
    main()
