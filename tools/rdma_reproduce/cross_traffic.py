# SPDX-License-Identifier: GPL-2.0-only
"""A file of flows: an incast, and Poisson arrivals between all hosts at the same time.

rdma-fabric has one workload for a run; a file of flows can hold two. Python guarantees the numbers
of random.random() for a seed, so the files are equal on all machines.
"""

import csv
import math
import os
import random

HOSTS = 54
RATE_BPS = 40e9
# The CDF irn-heavy-tail: bytes and the share of flows up to this size.
SIZES = ((32, 0.0), (1000, 0.5), (200_000, 0.85), (3_000_000, 1.0))


def size(draw):
    """The size of a flow, for a number from 0 to 1."""
    for (low, below), (high, share) in zip(SIZES, SIZES[1:]):
        if draw <= share:
            return max(1, round(low + (high - low) * (draw - below) / (share - below)))
    return SIZES[-1][0]


def mean_size():
    """The mean size of a flow."""
    return sum(
        (high_share - low_share) * (low + high) / 2
        for (low, low_share), (high, high_share) in zip(SIZES, SIZES[1:])
    )


def flows(seed, senders, total_bytes, start_ns, load, end_ns):
    """The flows by start: (start in ns, source, destination, bytes)."""
    draw = random.Random(seed)
    receiver = int(draw.random() * HOSTS)
    others = [host for host in range(HOSTS) if host != receiver]
    chosen = []
    for _ in range(senders):
        chosen.append(others.pop(int(draw.random() * len(others))))
    result = [(float(start_ns), host, receiver, total_bytes // senders) for host in chosen]
    # Flows per nanosecond in the whole fabric.
    rate = load * HOSTS * RATE_BPS / 8e9 / mean_size()
    now = 0.0
    while load > 0:
        now += -math.log(1 - draw.random()) / rate
        if now >= end_ns:
            break
        source = int(draw.random() * HOSTS)
        target = int(draw.random() * (HOSTS - 1))
        target += target >= source
        result.append((now, source, target, size(draw.random())))
    return sorted(result)


def write(seed, folder, name, **parameters):
    """Writes the file of a seed."""
    with open(os.path.join(folder, name), "w", newline="", encoding="ascii") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(["id", "src", "dst", "bytes", "start_ns"])
        for number, (start, source, target, count) in enumerate(flows(seed, **parameters)):
            writer.writerow([number, source, target, count, f"{start:.3f}"])
