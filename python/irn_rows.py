#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the default case of the IRN paper and compares ratios of metrics with the paper's.

    tools/with-ns3 exec python/irn_rows.py --seeds 1,2,3 --duration 10ms --out irn-results

Each case is a run of rdma-fabric --preset=irn for each seed; its summary.json and flows.csv stay
below --out, and what is there already is not run again. The tables are Markdown, on standard
output: the metrics of each case, and the rows B1 to B9, B15 and B16 of doc/validation/irn.md as
ratios, the mean over the seeds with the smallest and the largest.
"""

import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import built_program  # noqa: E402

# No timeouts with PFC (section 4.1); IRN always has a timer, so its timers are longer than a run.
IRN_WITH_PFC = ["--transport=irn", "--pfc=on"]
NETWORKS = {
    "irn": ["--transport=irn", "--pfc=off"],
    "irn-pfc": IRN_WITH_PFC,
    "roce-pfc": ["--transport=roce", "--pfc=on"],
    "roce": ["--transport=roce", "--pfc=off"],
}
CASES = {f"{name}+{cc}": [*arguments, f"--cc={cc}"] for cc in ("none", "timely", "dcqcn")
         for name, arguments in NETWORKS.items()}
CASES.update({
    f"irn-{name}+{cc}": [*NETWORKS["irn"], argument, f"--cc={cc}"] for cc in ("none", "timely", "dcqcn")
    for name, argument in (("go-back-n", "--recovery=go-back-n"), ("no-bdp-fc", "--bdpCap=off"),
                           ("no-sack", "--recovery=selective"))
})
CASES["iwarp+none"] = ["--transport=iwarp", "--pfc=off"]
CASES["irn+aimd"] = [*NETWORKS["irn"], "--cc=aimd"]

# row, the case that the paper has as the worse one, the better one, what the paper says of the ratio
ROWS = [
    ("B1", "roce-pfc+none", "irn+none", "2.8..3.7"),
    ("B2", "irn-pfc+none", "irn+none", "1.5..2"),
    ("B3", "roce+none", "roce-pfc+none", "1.5..3"),
    ("B4", "roce-pfc+timely", "irn+timely", "up to 1.5..2.2"),
    ("B4", "roce-pfc+dcqcn", "irn+dcqcn", "up to 1.5..2.2"),
    ("B5", "irn-pfc+timely", "irn+timely", "0.99..1.034"),
    ("B5", "irn-pfc+dcqcn", "irn+dcqcn", "0.99..1.034"),
    ("B6", "roce+timely", "roce-pfc+timely", "1.35..3.5"),
    ("B6", "roce+dcqcn", "roce-pfc+dcqcn", "1.35..3.5"),
    ("B8", "irn-go-back-n+none", "irn+none", "above 1"),
    ("B8", "irn-no-bdp-fc+none", "irn+none", "above 1"),
    ("B8", "irn-go-back-n+timely", "irn+timely", "above 1"),
    ("B8", "irn-no-bdp-fc+timely", "irn+timely", "above 1"),
    ("B8", "irn-go-back-n+dcqcn", "irn+dcqcn", "above 1"),
    ("B8", "irn-no-bdp-fc+dcqcn", "irn+dcqcn", "above 1"),
    ("B9", "irn-no-sack+none", "irn+none", "1.01..1.75 (average FCT)"),
    ("B9", "irn-no-sack+timely", "irn+timely", "1.01..1.75 (average FCT)"),
    ("B9", "irn-no-sack+dcqcn", "irn+dcqcn", "1.01..1.75 (average FCT)"),
    ("B15", "roce+dcqcn", "irn+none", "above 1"),
    ("B16", "iwarp+none", "irn+none", "1.27 (slowdown), about 1 (FCTs)"),
    ("B16", "iwarp+none", "irn+aimd", "1.79 (slowdown), 1.12 (average FCT)"),
]
METRICS = (("average slowdown", "avg_slowdown"), ("average FCT", "avg_fct_us"), ("99% FCT", "p99_fct_us"))
PACKET_BYTES = 1000


def find(program):
    """The path of one of the build's programs."""
    path = built_program.find(program)
    if path:
        return path
    sys.exit(f"irn_rows: {program} is not on the PATH; run it through tools/with-ns3 exec")


def run(program, case, seed, duration, out):
    """The summary of a run, from --out if it is there; sent and lost packets are added to it."""
    folder = out / f"{case}-{duration}-{seed}"
    path = folder / "summary.json"
    if not path.exists():
        command = [program, "--preset=irn", *CASES[case], f"--duration={duration}", f"--seed={seed}",
                   "--progress=off", f"--out={folder}"]
        print(" ".join(["rdma-fabric", *command[1:]]), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not path.exists():
            sys.exit(f"irn_rows: {case} failed:\n{done.stderr}")
    summary = json.loads(path.read_text())
    packets = 0
    with open(folder / "flows.csv", newline="", encoding="utf-8") as handle:
        for row in csv.DictReader(handle):
            packets += -(-int(row["bytes"]) // PACKET_BYTES) + int(row["retransmitted_packets"])
    summary["packets"] = packets
    return summary


def span(values, digits=2):
    """Mean and range of some values, as text."""
    text = f"{statistics.mean(values):.{digits}f}"
    if len(values) > 1:
        text += f" ({min(values):.{digits}f}..{max(values):.{digits}f})"
    return text


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="rdma-fabric; by default the one that tools/with-ns3 built")
    parser.add_argument("--seeds", default="1,2,3", help="seeds, separated by commas")
    parser.add_argument("--duration", default="10ms", help="flows start in this simulated time")
    parser.add_argument("--rows", default="B1,B2,B3,B4,B5,B6", help="rows, separated by commas")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("irn-results"))
    options = parser.parse_args()
    program = options.program or find("rdma-fabric")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    wanted = options.rows.split(",")
    unknown = set(wanted) - {row for row, *_ in ROWS}
    if unknown:
        parser.error(f"no row {', '.join(sorted(unknown))}")
    rows = [row for row in ROWS if row[0] in wanted]
    results = {}
    for seed in seeds:
        for _, worse, better, _ in rows:
            for case in (worse, better):
                if (case, seed) not in results:
                    results[case, seed] = run(program, case, seed, options.duration, options.out)

    print("| case | flows | unfinished | average slowdown | average FCT ms | 99% FCT ms | drops / packets | pause frames |")
    print("|---|---|---|---|---|---|---|---|")
    for case in dict.fromkeys(case for case, _ in results):
        runs = [results[case, seed] for seed in seeds]
        print(f"| {case} | {sum(r['flows_total'] for r in runs)} "
              f"| {sum(r['flows_total'] - r['flows_completed'] for r in runs)} "
              f"| {span([r['avg_slowdown'] for r in runs])} "
              f"| {span([r['avg_fct_us'] / 1000 for r in runs], 3)} "
              f"| {span([r['p99_fct_us'] / 1000 for r in runs])} "
              f"| {span([100 * r['drops'] / r['packets'] for r in runs], 1)}% "
              f"| {statistics.mean(r['pause_frames'] for r in runs):.0f} |")
    print()
    print("| row | ratio | paper | average slowdown | average FCT | 99% FCT |")
    print("|---|---|---|---|---|---|")
    for row, worse, better, paper in rows:
        cells = [span([results[worse, seed][key] / results[better, seed][key] for seed in seeds])
                 for _, key in METRICS]
        print(f"| {row} | {worse} / {better} | {paper} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
