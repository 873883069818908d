#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the module's speed and memory on fixed cases.

    tools/with-ns3 bench                     all cases, as a table and, with --json, as JSON
    tools/with-ns3 bench --list              the cases
    tools/with-ns3 bench --cases a,k8        some cases
    tools/with-ns3 bench --cc dcqcn,hpcc     workload A without and with congestion control
    tools/with-ns3 bench --other PROGRAM     in addition, the ratio to another build's rdma-fabric

The runs of all cases and of both builds take turns, so that a noisy machine hits all alike. Columns:

    Mhops/s    packet-hops (one frame over one link) per second of CPU time of the simulation alone
    ns/hop     CPU time of a packet-hop in ns
    pipelines  the time of a hop over that of a bare pipeline of two events, measured in the same
               process; it compares machines
    beside     the time of a hop over that of another case
    ev/hop     events of the simulator for each packet-hop
    instr/hop  instructions for each packet-hop, counted by callgrind as the difference between two
               lengths of the same run, so that start-up and reports do not count
    peak MB    greatest resident memory of the process
    setup s    CPU time that the fabric and its flows take before the simulation
    other      speed over that of the other build

Bytes for each host, pair and flow follow the table.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import built_program  # noqa: E402
from with_ns3.arguments import Arguments  # noqa: E402
from cases import CASES, control_case  # noqa: E402

COLUMNS = [
    ("Mhops/s", 8, "packet_hops_per_cpu_s_median", lambda value: f"{value / 1e6:.3f}"),
    ("ns/hop", 7, "hop_ns", "{:.0f}".format),
    ("pipelines", 9, "hop_in_pipelines", "{:.2f}".format),
    ("beside", 10, "hop_beside", lambda value: " ".join(f"{v:.2f} {k}" for k, v in value.items())),
    ("ev/hop", 6, "events_per_packet_hop", "{:.3f}".format),
    ("instr/hop", 9, "instructions_per_packet_hop", str),
    ("peak MB", 7, "peak_rss_mb", "{:.1f}".format),
    ("setup s", 7, "setup_s", "{:.3f}".format),
    ("other", 5, "ratio_to_other", "{:.3f}".format),
]


def find(program):
    """The path of one of the build's programs."""
    path = built_program.find(program)
    if path:
        return path
    sys.exit(f"bench: {program} is not on the PATH; run it through tools/with-ns3 bench")


def run(command):
    """Runs a command; returns its output and its standard error as text."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
    return done.stdout, done.stderr


def summary_of(program, arguments, prefix=()):
    """Runs a program that writes results to --out; returns its summary.json and standard error."""
    with tempfile.TemporaryDirectory() as out:
        command = [*prefix, program, *arguments, f"--out={out}"]
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        path = pathlib.Path(out) / "summary.json"
        # A run that ends at --stop has status 1.
        if not path.exists():
            sys.exit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
        return json.loads(path.read_text()), done.stderr


def take_turns(cases, other, repeat):
    """The summaries of all runs, by case and build ("this", "other")."""
    programs = {"this": None, **({"other": other} if other else {})}
    results = {case.name: {build: [] for build in programs} for case in cases}
    for turn in range(repeat):
        for case in cases:
            print(f"bench: {case.name}, run {turn + 1} of {repeat}", file=sys.stderr)
            # The second build profits from a warm machine, so the order changes.
            for build, program in list(programs.items())[:: -1 if turn % 2 else 1]:
                summary, _ = summary_of(program or find(case.program), case.arguments)
                if summary["flows_completed"] != summary["flows_total"]:
                    sys.exit(f"bench: {case.name} ({build}): not all flows are completed")
                results[case.name][build].append(summary)
    return results


def hop_ns(summary):
    """CPU time of a packet-hop."""
    return 1e9 * summary["cpu_s"] / summary["packet_hops"]


def ratio(numbers, others):
    """The median of the ratios of two programs, each from runs in one turn."""
    return round(statistics.median(a / b for a, b in zip(numbers, others)), 3)


def speed(case, results):
    """The row of a case that measures speed, from the summaries of all cases."""
    these = results[case.name]["this"]
    others = results[case.name].get("other")
    last = these[-1]
    times = [hop_ns(each) for each in these]
    row = {
        "packet_hops": last["packet_hops"],
        "events": last["events"],
        "digest": last["digest"],
        "packet_hops_per_cpu_s": [round(1e9 / each) for each in times],
        "packet_hops_per_cpu_s_median": round(1e9 / statistics.median(times)),
        "hop_ns": round(statistics.median(times), 1),
        "pipeline_event_ns": round(statistics.median(s["pipeline_event_ns"] for s in these), 2),
        "hop_in_pipelines": ratio(times, [2 * each["pipeline_event_ns"] for each in these]),
        "events_per_packet_hop": round(last["events"] / last["packet_hops"], 4),
        "peak_rss_mb": max(each["peak_rss_mb"] for each in these),
        "setup_s": round(statistics.median(each["setup_s"] for each in these), 4),
    }
    if case.beside in results:
        beside = [hop_ns(each) for each in results[case.beside]["this"]]
        row["hop_beside"] = {case.beside: ratio(times, beside)}
    if others:
        row["ratio_to_other"] = ratio([hop_ns(each) for each in others], times)
        row["same_digest"] = last["digest"] == others[-1]["digest"]
    if case.counts_hosts:
        row["setup_bytes_per_host"] = round(last["setup_heap_bytes"] / last["hosts"])
    if case.few_flows:
        few, _ = summary_of(find(case.program), [*case.arguments, *case.few_flows])
        flows = last["flows_total"] - few["flows_total"]
        row["peak_bytes_per_flow"] = round((row["peak_rss_mb"] - few["peak_rss_mb"]) * 1e6 / flows)
    return row


def instructions(case, program):
    """Instructions per packet-hop, by callgrind, from runs that stop at two simulated times."""
    points = []
    for stop in case.stops:
        with tempfile.TemporaryDirectory() as folder:
            prefix = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
            arguments = [*case.arguments, *case.counting, f"--stop={stop}"]
            summary, log = summary_of(program, arguments, prefix)
        match = re.search(r"Collected : (\d+)", log)
        if not match:
            sys.exit(f"bench: callgrind printed no count:\n{log}")
        points.append((int(match.group(1)), summary["packet_hops"]))
    (first_count, first_hops), (second_count, second_hops) = points
    return round((second_count - first_count) / (second_hops - first_hops))


def add_instructions(rows, cases, other):
    """Adds the counts of the cases that have two stops."""
    if not shutil.which("valgrind"):
        print("bench: valgrind is not installed; instructions are not counted", file=sys.stderr)
        return
    for case in cases:
        if case.stops:
            print(f"bench: {case.name}, instructions", file=sys.stderr)
            row = rows[case.name]
            row["instructions_per_packet_hop"] = instructions(case, find("rdma-fabric"))
            if other:
                row["instructions_per_packet_hop_other"] = instructions(case, other)


def heap(case):
    """The row of a case whose program prints heap bytes."""
    print(f"bench: {case.name}", file=sys.stderr)
    text, _ = run([find(case.program), *case.arguments])
    return json.loads(text)


def table(rows, other):
    """The lines of all results."""
    columns = [column for column in COLUMNS if other or column[2] != "ratio_to_other"]
    width = max(len(name) for name in ["case", *rows])
    lines = []
    if any("hop_ns" in row for row in rows.values()):
        lines.append(f"{'case':{width}}" + "".join(f"  {head:>{w}}" for head, w, _, _ in columns))
    for name, row in rows.items():
        if "hop_ns" in row:
            cells = [
                f"  {show(row[key]) if key in row else '-':>{w}}" for _, w, key, show in columns
            ]
            lines.append(f"{name:{width}}" + "".join(cells))
    for name, row in rows.items():
        if row.get("same_digest") is False:
            lines.append(f"{name:{width}}  results differ from those of the other build")
        for key, value in row.items():
            if "bytes_per" in key:
                lines.append(f"{name:{width}}  {key.replace('_', ' ')}: {value:.0f}")
    return lines


def choose(parser, options):
    """The cases that the options name."""
    controls = [control_case(name) for name in options.cc.split(",")] if options.cc else []
    known = {case.name: case for case in CASES}
    names = options.cases.split(",") if options.cases else [] if controls else list(known)
    for name in names:
        if name not in known:
            parser.error(f"--cases: no case '{name}'; accepted: {','.join(known)}")
    if controls:
        names.insert(0, "a")
    return [known[name] for name in dict.fromkeys(names)] + controls


def main():
    parser = Arguments(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", metavar="NAMES", help="cases to run, with commas (all)")
    parser.add_argument("--list", action="store_true", help="print the cases")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each case (3)")
    parser.add_argument("--other", metavar="PROGRAM", help="rdma-fabric of another build")
    parser.add_argument(
        "--cc", metavar="NAMES", help="workload A with these values of --cc; with commas"
    )
    parser.add_argument(
        "--no-instructions", action="store_true", help="do not count instructions"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results there as well")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat: accepted: 1 and above")
    if options.other and not os.access(options.other, os.X_OK):
        parser.error(f"--other: {options.other} is not a program")
    cases = choose(parser, options)
    if options.list:
        width = max(len(case.name) for case in CASES)
        for case in CASES:
            print(f"{case.name:{width}}  {case.about}")
        return

    fabric_cases = [case for case in cases if case.program == "rdma-bench-fabric"]
    results = take_turns(fabric_cases, options.other, options.repeat)
    rows = {
        case.name: speed(case, results) if case in fabric_cases else heap(case) for case in cases
    }
    if not options.no_instructions:
        add_instructions(rows, fabric_cases, options.other)
    print("\n".join(table(rows, options.other)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
