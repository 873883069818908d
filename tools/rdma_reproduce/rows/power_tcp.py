# SPDX-License-Identifier: GPL-2.0-only
"""D6: PowerTCP against other congestion controls on the topology of its authors."""

import os

from rdma_runs.results import summary

from ..expected import ratio, report
from ..fabric import read_flows
from ..row import Case, Row, quotient, value

TOPOLOGY, SIZES = "powertcp-256.txt", "powertcp-websearch.txt"
# The authors' websearch.txt: bytes, and the percentage of flows up to this size.
WEBSEARCH = (
    (0, 0), (2000, 0), (2100, 2), (2500, 5), (6000, 10), (10_000, 15), (20_000, 20), (30_000, 30),
    (50_000, 40), (80_000, 53), (200_000, 60), (1_000_000, 70), (2_000_000, 80), (5_000_000, 90),
    (10_000_000, 97), (30_000_000, 100),
)
# A host sends 0.171 of 25 Gb/s; 224 of 255 destinations are behind another ToR. 32 hosts then fill 60% of
# the two uplinks of a ToR, 200 Gb/s, with payload.
LOAD = 0.171
# Flows of the first milliseconds, which start in an emptier network, do not count. Runs end a millisecond
# after the last arrivals, which short flows outlast in no case.
WARM_MS, END_MS, QUICK_END_MS = 5, 20, 8
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


def metrics(outcome):
    """Tails of the flows up to 10 KB that start after the warm-up."""
    result = {name: count for name, count in summary(outcome).items() if isinstance(count, int)}
    flows = read_flows(outcome)
    short = flows[(flows.bytes <= SHORT_BYTES) & (flows.start_ns >= WARM_MS * 1e6)]
    done = short.dropna(subset=["fct_ns"])
    result["short_flows"] = len(short)
    result["short_completed"] = len(done)
    for name, share in (("p50", 0.5), ("p99", 0.99), ("p99_9", 0.999)):
        result[f"short_{name}_us"] = done.fct_ns.quantile(share) / 1e3 if len(done) else None
    result["short_p99_slowdown"] = done.slowdown.quantile(0.99) if len(done) else None
    return result


def run(control, setting):
    """WebSearch with a congestion control."""
    end = QUICK_END_MS if setting.quick else END_MS
    options = (
        f"--topology=file:{TOPOLOGY}", f"--cdf=file:{SIZES}", f"--load={LOAD}", "--mtu=1000", "--buffer=4MiB",
        f"--duration={end}ms", f"--stop={end + 1}ms", *CONTROLS[control], "--progress=off",
    )
    return Case(
        TITLES[control], "rdma-fabric", options, metrics, 0.4 * end, seeded=True, results=("--out={folder}",),
        prepare=write_inputs,
    )


def abstract(setting):
    """The abstract's reductions of the tail of short flows, as ratios: 80% is 5, 33% is 1.49."""
    claims = {
        "dcqcn": ratio(4, 6, "5 (-80%) +- 20%"), "timely": ratio(4, 6, "5 (-80%) +- 20%"),
        "hpcc": ratio(1.19, 1.79, "1.49 (-33%) +- 20%"),
    }
    return [
        quotient(f"{TITLES[other]} / PowerTCP", run(other, setting), run("powertcp", setting),
                 f"short_{name}_us", expected, f"{label} FCT of flows up to 10 KB")
        for name, label in (("p99_9", "99.9%"), ("p99", "99%")) for other, expected in claims.items()
    ]


def times(setting):
    """The tails themselves."""
    return [
        value(TITLES[control], run(control, setting), f"short_{name}_us", report(),
              f"{label} FCT of flows up to 10 KB, us", 1)
        for control in CONTROLS for name, label in (("p50", "50%"), ("p99", "99%"), ("p99_9", "99.9%"))
    ]


ROWS = (
    Row("D6", "PowerTCP: tails of short flows below those of DCQCN, TIMELY and HPCC", abstract, seeds=5,
        shown=times),
)
