# SPDX-License-Identifier: GPL-2.0-only
"""Counts instructions and cache misses of a packet-hop, as the difference of two lengths of a run, so that the set-up and
the results do not count."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# A second-level cache of 2 MB in the place of the last cache that cachegrind simulates.
CACHES = ("--cache-sim=yes", "--LL=2097152,16,64")
LINES = {"instructions": r"I\s+refs:", "first": r"(?:I1|D1)\s+misses:", "second": r"LL misses:"}


def read_log(log):
    """The numbers of cachegrind's standard error: sums of the lines of each kind."""
    found = {}
    for name, pattern in LINES.items():
        numbers = re.findall(rf"{pattern}\s+([\d,]+)", log)
        if numbers:
            found[name] = sum(int(number.replace(",", "")) for number in numbers)
    return found


def run(case, program, stop, caches, folder):
    """The numbers of a run that ends at a simulated time, with its packet-hops and events."""
    with tempfile.TemporaryDirectory() as out:
        command = ["valgrind", "--tool=cachegrind", f"--cachegrind-out-file={out}/counts", *caches, program]
        words = [word for word in (*case.arguments, *case.counting) if not word.startswith("--stop=")]
        words = [word.replace("{folder}", folder) for word in words]
        done = subprocess.run(
            [*command, *words, f"--stop={stop}", "--progress=off", f"--out={out}/run"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, env=os.environ,
        )
        summary = pathlib.Path(out) / "run" / "summary.json"
        numbers = read_log(done.stderr)
        if not summary.exists() or "instructions" not in numbers:  # a run that ends at --stop has status 1
            sys.exit(f"bench: {' '.join(command)} failed:\n{done.stderr}")
        result = json.loads(summary.read_text())
        return {**numbers, "hops": result["packet_hops"], "events": result["events"]}


def per_hop(short, long):
    """The numbers of a packet-hop, from those of two lengths of a run."""
    hops = long["hops"] - short["hops"]
    return {name: (long[name] - short[name]) / hops for name in long if name != "hops"}


def count(case, program, folder="", caches=CACHES):
    """Instructions, events, and misses of the first and of the second cache, for a packet-hop of a case."""
    print(f"bench: {case.name}, counts", file=sys.stderr)
    return per_hop(*(run(case, program, stop, caches, folder) for stop in case.stops))


def instructions(case, program):
    """Instructions for a packet-hop of a case."""
    return round(count(case, program, caches=())["instructions"])
