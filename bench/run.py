#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the module's speed and memory on fixed workloads.

    tools/with-ns3 bench                     speed, instructions and memory, as a table and as JSON
    tools/with-ns3 bench --other PROGRAM     the same, and the ratio to another build's rdma-fabric,
                                             run in turns so that a noisy machine hits both alike
    tools/with-ns3 bench --cc dcqcn,hpcc     what congestion control costs: CPU time per packet-hop,
                                             as a ratio to none, run in turns

Speed is packet-hops (one frame over one link) per second of CPU time, of the simulation alone.
Instructions per packet-hop come from callgrind, as the difference between two lengths of the same
run, so that start-up and reports do not count.
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

WORKLOAD_A = [
    f"--topology=file:{HERE}/workload-a/topology.txt",
    f"--workload=file:{HERE}/workload-a/flow.txt",
    "--mtu=1000",
    "--progress=off",
]


def find(program):
    """The path of one of the build's programs."""
    path = built_program.find(program)
    if path:
        return path
    sys.exit(f"bench: {program} is not on the PATH; run it through tools/with-ns3 bench")


def summary_of(program, arguments, prefix=()):
    """Runs rdma-fabric and returns its summary.json."""
    with tempfile.TemporaryDirectory() as out:
        command = [*prefix, program, *arguments, f"--out={out}"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        path = pathlib.Path(out) / "summary.json"
        if not path.exists():
            sys.exit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
        return json.loads(path.read_text()), done.stderr


def speed(commands, repeat):
    """Packet-hops per CPU second of each command (program, arguments), run in turns."""
    rates = {name: [] for name in commands}
    last = {}
    for _ in range(repeat):
        for name, (program, arguments) in commands.items():
            summary, _ = summary_of(program, [*WORKLOAD_A, *arguments])
            rates[name].append(summary["packet_hops"] / summary["cpu_s"])
            last[name] = summary
    return rates, last


def control_cost(program, algorithms, repeat):
    """CPU time per packet-hop with each algorithm, as a ratio to none."""
    commands = {name: (program, [f"--cc={name}"]) for name in ["none", *algorithms]}
    rates, _ = speed(commands, repeat)
    return {
        f"cost_of_{name}": round(
            statistics.median(none / own for none, own in zip(rates["none"], rates[name])), 3
        )
        for name in algorithms
    }


def instructions(program):
    """Instructions per packet-hop, by callgrind, from runs that stop at two simulated times."""
    # All queue pairs are made before the first of them, so that no packet-hop pays for one.
    arguments = [*WORKLOAD_A, "--ns3::RdmaFlowRunner::KeepQueuePairs=true"]
    points = []
    for stop in ("2000100us", "2000400us"):
        with tempfile.TemporaryDirectory() as folder:
            prefix = [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
            ]
            summary, log = summary_of(program, [*arguments, f"--stop={stop}"], prefix)
        match = re.search(r"Collected : (\d+)", log)
        if not match:
            sys.exit(f"bench: callgrind printed no count:\n{log}")
        points.append((int(match.group(1)), summary["packet_hops"]))
    (first_count, first_hops), (second_count, second_hops) = points
    return (second_count - first_count) / (second_hops - first_hops)


def main():
    parser = argparse.ArgumentParser(prog="bench", description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of workload A (5)")
    parser.add_argument("--other", metavar="PROGRAM", help="rdma-fabric of another build")
    parser.add_argument("--cc", metavar="NAMES", help="values of rdma-fabric's --cc, with commas")
    parser.add_argument("--no-callgrind", action="store_true", help="do not count instructions")
    parser.add_argument("--json", metavar="FILE", help="write the result there as well")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error("--repeat: accepted: 1 and above")
    if options.other and not os.access(options.other, os.X_OK):
        parser.error(f"--other: {options.other} is not a program")

    this = find("rdma-fabric")
    memory_program = find("rdma-bench-memory")
    commands = {"this": (this, [])}
    if options.other:
        commands["other"] = (options.other, [])
    rates, last = speed(commands, options.repeat)
    result = {
        "workload": "A",
        "packet_hops": last["this"]["packet_hops"],
        "events": last["this"]["events"],
        "digest": last["this"]["digest"],
        "packet_hops_per_cpu_s": [round(rate) for rate in rates["this"]],
        "packet_hops_per_cpu_s_median": round(statistics.median(rates["this"])),
        "peak_rss_mb": last["this"]["peak_rss_mb"],
    }
    if options.other:
        result["ratio_to_other"] = round(
            statistics.median(a / b for a, b in zip(rates["this"], rates["other"])), 3
        )
        result["same_digest"] = last["this"]["digest"] == last["other"]["digest"]
    if options.cc:
        result.update(control_cost(this, options.cc.split(","), options.repeat))
    if not options.no_callgrind:
        if shutil.which("valgrind"):
            result["instructions_per_packet_hop"] = round(instructions(this))
            if options.other:
                result["instructions_per_packet_hop_other"] = round(
                    instructions(options.other)
                )
        else:
            print("bench: valgrind is not installed; instructions are not counted")
    memory = subprocess.run([memory_program], stdout=subprocess.PIPE, check=True)
    result.update(json.loads(memory.stdout))

    width = max(len(key) for key in result)
    for key, value in result.items():
        print(f"{key:{width}}  {value}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
