# SPDX-License-Identifier: GPL-2.0-only
"""Makes the files of the benchmark's cases: flows as CSV, distributions of sizes, and the first part of workload A."""

import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
WORKLOAD_A = HERE / "workload-a"
A_BEGIN_S = 2  # the first flow of workload A


def neighbours(hosts, leaf, pairs, total):
    """Pairs of hosts at one leaf of a number of hosts, spread over the fabric, which send a number of bytes together."""
    rows = []
    for number in range(pairs):
        host = number * (hosts // pairs)
        base = host // leaf * leaf
        rows.append((host, base + (host + 1) % leaf, total // pairs, number * 7 % 97))
    return rows


def ring(hosts, size, spread_ns=1):
    """A flow from each host to the next one. Starts are spread over a time."""
    return [(host, (host + 1) % hosts, size, host * 389 % spread_ns) for host in range(hosts)]


def all_to_all(hosts, size):
    """A flow from each host to each other one, to the nearest first."""
    return [(host, (host + step) % hosts, size, 0) for step in range(1, hosts) for host in range(hosts)]


def incast(senders, size):
    """A flow from each of the hosts after host 0 to host 0."""
    return [(host, 0, size, 0) for host in range(1, senders + 1)]


def permutation(hosts, size):
    """A flow from each host to another one, which has no second flow to it."""
    order = list(range(hosts))
    random.Random(5).shuffle(order)
    return [(src, dst, size, 0) for src, dst in zip(order, order[1:] + order[:1])]


def csv(rows):
    """The rows as a file of flows."""
    lines = (f"{i},{src},{dst},{size},{start}\n" for i, (src, dst, size, start) in enumerate(rows))
    return "id,src,dst,bytes,start_ns\n" + "".join(lines)


def workload_a(seconds):
    """The flows of workload A that start in its first seconds: (source, destination, bytes, start in s)."""
    flows = []
    for line in (WORKLOAD_A / "flow.txt").read_text().splitlines()[1:]:
        src, dst, _, _, size, start = line.split()
        if float(start) < A_BEGIN_S + seconds:
            flows.append((int(src), int(dst), int(size), float(start)))
    return flows


def hpcc(flows):
    """Flows as a file of HPCC's simulator."""
    lines = (f"{src} {dst} 3 100 {size} {start:.9f}\n" for src, dst, size, start in flows)
    return f"{len(flows)}\n" + "".join(lines)


def htsim(hosts, rows):
    """The rows as a connection matrix of htsim, with starts in ps."""
    lines = (f"{src}->{dst} id {i + 1} start {start * 1000:.0f} size {size}\n"
             for i, (src, dst, size, start) in enumerate(rows))
    return f"Nodes {hosts}\nConnections {len(rows)}\n" + "".join(lines)


FILES = {
    **{f"neighbours-{pairs}.csv": lambda pairs=pairs: csv(neighbours(1024, 8, pairs, 600_000_000))
       for pairs in (16, 64, 256, 1024)},
    "ring.csv": lambda: csv(ring(1024, 2_000_000)),
    "ring-spread.csv": lambda: csv(ring(1024, 2_000_000, 1000)),
    "all-to-all.csv": lambda: csv(all_to_all(256, 16_000)),
    "incast.csv": lambda: csv(incast(1000, 100_000)),
    "permutation.csv": lambda: csv(permutation(1024, 2_000_000)),
    "short.cdf": lambda: "1000 0\n1001 100\n",
    "a-2ms.txt": lambda: hpcc(workload_a(0.002)),
    "a-2ms.cm": lambda: htsim(64, [(src, dst, size, (start - A_BEGIN_S) * 1e9)
                                   for src, dst, size, start in workload_a(0.002)]),
    "permutation.cm": lambda: htsim(1024, permutation(1024, 2_000_000)),
}
