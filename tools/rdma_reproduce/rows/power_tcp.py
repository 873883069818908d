# SPDX-License-Identifier: GPL-2.0-only
"""D6: PowerTCP against other congestion controls on the topology of its authors, with their traffic."""

import bisect
import functools
import itertools
import os
import random

from rdma_runs.results import summary

from ..expected import ratio, report
from ..fabric import read_flows
from ..row import Case, Row, quotient, value

TOPOLOGY, SIZES, FLOWS = "powertcp-256.txt", "powertcp-websearch.txt", "powertcp-flows.csv"
# The authors' websearch.txt: bytes, and the percentage of flows up to this size.
WEBSEARCH = (
    (0, 0), (2000, 0), (2100, 2), (2500, 5), (6000, 10), (10_000, 15), (20_000, 20), (30_000, 30),
    (50_000, 40), (80_000, 53), (200_000, 60), (1_000_000, 70), (2_000_000, 80), (5_000_000, 90),
    (10_000_000, 97), (30_000_000, 100),
)
# The authors' program has traffic in LEAF_COUNT racks of 32 hosts, which is 2 unless an option says
# otherwise, and none of their scripts does. A host of a rack sends to the hosts of its own rack and of
# later ones. A host sends 60% of its part of the rack's uplinks: two of 100 Gb/s for 32 hosts.
RACKS, RACK_HOSTS = 2, 32
HOST_BPS = 0.6 * 2 * 100e9 / RACK_HOSTS
# The experiment: all hosts send to all. A host sends 0.171 of 25 Gb/s; 224 of 255 destinations are behind
# another ToR. 32 hosts then fill 60% of the uplinks of a ToR with payload.
ALL_LOAD = 0.171
# Flows of the first milliseconds, which start in an emptier network, do not count. Runs end some
# milliseconds after the last arrivals, which short flows outlast in no case.
WARM_MS, END_MS, QUICK_END_MS, DRAIN_MS = 20, 500, 30, 10
ALL_WARM_MS, ALL_END_MS, ALL_QUICK_END_MS, ALL_DRAIN_MS = 5, 20, 8, 1
SHORT_BYTES = 10_000
# Parameters of the authors' config-workload.txt: RATE_AI 50 Mb/s is HPCC's W_AI of 181 B in 29 us and
# TIMELY's delta. Their receivers send a CNP for each mark; KMIN and KMAX are 100 and 400 KB at 25 Gb/s.
CONTROLS = {
    "powertcp": ("--cc=powertcp",),
    "powertcp-paper": ("--cc=powertcp-paper",),
    "powertcp-theta": ("--cc=powertcp-theta",),
    "hpcc": ("--cc=hpcc[AdditiveIncrease=181]",),
    "dcqcn": (
        "--cc=dcqcn-nic[G=0.00390625|InitialAlpha=1|IncreaseTimer=900us|ByteCounter=0|AiRate=50Mbps|"
        "HaiRate=100Mbps|MinRate=100Mbps|MinDecreaseFactor=0|ReleaseAtLineRate=Off]",
        "--ecn=160KB:640KB:0.2", "--ns3::RdmaNic::CnpInterval=1ps",
    ),
    "timely": ("--cc=timely[Delta=50Mbps|MaxDecrease=1]",),
}
TITLES = {
    "powertcp": "PowerTCP", "powertcp-paper": "PowerTCP, the paper's text", "powertcp-theta": "theta-PowerTCP",
    "hpcc": "HPCC", "dcqcn": "DCQCN", "timely": "TIMELY",
}


def links():
    """The links: 256 hosts at 25 Gb/s, 8 ToRs and 8 aggregation switches in four pods, 4 cores."""
    for host in range(256):
        yield host, 256 + host // 32, "25Gbps", "1us"
    for tor in range(8):
        for side in range(2):
            yield 256 + tor, 264 + tor // 2 * 2 + side, "100Gbps", "1us"
    for aggregation in range(8):
        for core in range(2):
            yield 264 + aggregation, 272 + aggregation % 2 * 2 + core, "100Gbps", "5us"


def write_inputs(_, folder):
    """Writes the topology and the sizes of flows."""
    lines = [f"{one} {other} {rate} {delay} 0" for one, other, rate, delay in links()]
    text = "\n".join([f"276 20 {len(lines)}", " ".join(map(str, range(256, 276))), *lines, ""])
    with open(os.path.join(folder, TOPOLOGY), "w", encoding="ascii") as handle:
        handle.write(text)
    with open(os.path.join(folder, SIZES), "w", encoding="ascii") as handle:
        handle.writelines(f"{size} {share}\n" for size, share in WEBSEARCH)


def flows(seed, end_ms):
    """The authors' traffic: (start in seconds, source, destination, bytes) in the order of the starts."""
    draw = random.Random(seed)
    sizes, shares = zip(*WEBSEARCH)
    parts = list(zip(itertools.pairwise(sizes), itertools.pairwise(shares)))
    mean = sum((low + high) / 2 * (until - begun) / 100 for (low, high), (begun, until) in parts)
    made = []
    for host in range(RACKS * RACK_HOSTS):
        first = host // RACK_HOSTS * RACK_HOSTS
        others = [other for other in range(first, RACKS * RACK_HOSTS) if other != host]
        start = draw.expovariate(HOST_BPS / 8 / mean)
        while start < end_ms / 1e3:
            share = draw.random() * 100
            (low, high), (begun, until) = parts[bisect.bisect_right(shares, share) - 1]
            size = int(low + (high - low) * (share - begun) / (until - begun))
            made.append((start, host, draw.choice(others), max(size, 1)))
            start += draw.expovariate(HOST_BPS / 8 / mean)
    return sorted(made)


def write_flows(end_ms, seed, folder):
    """Writes the topology and the authors' traffic."""
    write_inputs(seed, folder)
    with open(os.path.join(folder, FLOWS), "w", encoding="ascii") as handle:
        handle.write("id,src,dst,bytes,start_ns\n")
        for number, (start, host, other, size) in enumerate(flows(seed, end_ms)):
            handle.write(f"{number},{host},{other},{size},{start * 1e9:.3f}\n")


def metrics(warm_ms, outcome):
    """Tails of the flows up to 10 KB that start after the warm-up."""
    result = {name: count for name, count in summary(outcome).items() if isinstance(count, int)}
    table = read_flows(outcome)
    short = table[(table.bytes <= SHORT_BYTES) & (table.start_ns >= warm_ms * 1e6)]
    done = short.dropna(subset=["fct_ns"])
    result["short_flows"] = len(short)
    result["short_completed"] = len(done)
    for name, share in (("p50", 0.5), ("p99", 0.99), ("p99_9", 0.999)):
        result[f"short_{name}_us"] = done.fct_ns.quantile(share) / 1e3 if len(done) else None
    result["short_p99_slowdown"] = done.slowdown.quantile(0.99) if len(done) else None
    return result


def case(control, warm_ms, end_ms, words, cost, prepare):
    """A run with a congestion control."""
    options = (
        f"--topology=file:{TOPOLOGY}", *words, *CONTROLS[control], "--progress=off",
    )
    return Case(
        TITLES[control], "rdma-fabric", options, functools.partial(metrics, warm_ms), cost * end_ms, seeded=True,
        results=("--out={folder}",), prepare=prepare,
    )


def run(control, setting):
    """The authors' traffic with a congestion control."""
    end = QUICK_END_MS if setting.quick else END_MS
    words = (f"--workload=file:{FLOWS}", "--mtu=1000", "--buffer=4MiB", f"--stop={end + DRAIN_MS}ms")
    return case(control, WARM_MS, end, words, 0.05, functools.partial(write_flows, end))


def run_all(control, setting):
    """All hosts send to all with a congestion control."""
    end = ALL_QUICK_END_MS if setting.quick else ALL_END_MS
    words = (
        f"--cdf=file:{SIZES}", f"--load={ALL_LOAD}", "--mtu=1000", "--buffer=4MiB", f"--duration={end}ms",
        f"--stop={end + ALL_DRAIN_MS}ms",
    )
    return case(control, ALL_WARM_MS, end, words, 0.4, write_inputs)


def abstract(made, setting):
    """The abstract's reductions of the tail of short flows, as ratios: 80% is 5, 33% is 1.49.

    The tail of the paper's figures is the 99.9% value.
    """
    claims = {
        "dcqcn": ratio(4, 6, "5 (-80%) +- 20%"), "timely": ratio(4, 6, "5 (-80%) +- 20%"),
        "hpcc": ratio(1.19, 1.79, "1.49 (-33%) +- 20%"),
    }
    return [
        quotient(f"{TITLES[other]} / PowerTCP", made(other, setting), made("powertcp", setting),
                 "short_p99_9_us", expected, "99.9% FCT of flows up to 10 KB")
        for other, expected in claims.items()
    ]


def times(made, setting):
    """The tails themselves."""
    return [
        value(TITLES[control], made(control, setting), f"short_{name}_us", report(),
              f"{label} FCT of flows up to 10 KB, us", 1)
        for control in CONTROLS for name, label in (("p50", "50%"), ("p99", "99%"), ("p99_9", "99.9%"))
    ]


ROWS = (
    Row("D6", "PowerTCP: tails of short flows below those of DCQCN, TIMELY and HPCC",
        functools.partial(abstract, run), seeds=5, shown=functools.partial(times, run)),
    Row("D6x", "all 256 hosts send to all", functools.partial(abstract, run_all), seeds=5,
        shown=functools.partial(times, run_all), experiment=True),
)
