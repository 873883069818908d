# SPDX-License-Identifier: GPL-2.0-only
"""C1 to C4: headroom, DSCP and VLAN, isolation, livelock."""

import functools

from rdma_runs.results import matches, summary

from ..expected import Expected, at_least, at_most, exactly, within
from ..row import Case, Quantity, Row, quotient, value

RATES = ("10Gbps", "40Gbps", "100Gbps", "400Gbps")
LENGTHS = (2, 20, 300)


def headrooms(outcome):
    """The ratio of the smallest loss-free headroom over the computed one for each rate and cable."""
    return {
        f"{rate}_{length}m": matches(
            outcome, {"ratio": rf"^{rate} +{length} m +\d+ B +\d+ B +([\d.]+)"}
        )["ratio"] for rate in RATES for length in LENGTHS
    }


def headroom(setting):
    """C1: the bisection."""
    del setting
    return [
        value(f"MTU {mtu}, {rate}, {length} m",
              Case(f"MTU {mtu}", "rdma-headroom", (f"--mtu={mtu}",), headrooms, 1.5),
              f"{rate}_{length}m", Expected("0.85 to 1", 0.85, 1.0, slack=0.0), "smallest / computed", 4)
        for mtu in (1024, 4096) for rate in RATES for length in LENGTHS
    ]


def deployments(setting):
    """C2: PFC by DSCP and by VLAN, within a subnet and across IP routing."""
    del setting

    def run(name, topology, senders, trust):
        options = (
            f"--topology={topology}", f"--workload=incast:{senders}", "--bytes=500KB", "--buffer=3MB",
            "--ns3::RoceTransport::RetransmissionTimeout=320us", f"--trust={trust}", "--progress=off",
        )
        return Case(name, "rdma-fabric", options, summary, 1.0, True, results=("--out={folder}",))

    one = [run(f"one switch, {trust}", "star:8", 7, trust) for trust in ("dscp", "vlan")]
    two = [run(f"two leaves, {trust}", "leaf-spine:2x8x1", 15, trust) for trust in ("dscp", "vlan")]
    return [
        value(case.name, case, "drops", exactly(0), "frames lost", 0) for case in (*one, two[0])
    ] + [
        value(two[1].name, two[1], "drops", at_least(1, "above 0"), "frames lost", 0),
        quotient("one switch, vlan / dscp", one[1], one[0], "pause_frames", within(1, 0.05),
                 "pause frames", 3),
        quotient("one switch, vlan / dscp", one[1], one[0], "avg_fct_us", within(1, 0.02),
                 "average FCT", 4),
    ]


def isolation(setting):
    """C3: shares of TCP, loss of RDMA, pauses of real time."""
    options = ("--duration=4ms",) if setting.quick else ()
    columns = ("tcp", "bulk", "rt", "tcp_lost", "rdma_lost", "bulk_pauses", "rt_pauses")

    def metrics(outcome):
        result = {}
        for line in outcome.stdout.splitlines()[2:]:
            words = line.split()
            if len(words) < 10:
                continue
            name = "".join("1" if word == "yes" else "0" for word in words[:3])
            result.update({
                f"{name}_{column}": float(word) for column, word in zip(columns, words[3:10])
            })
        return result

    case = Case("isolation", "rdma-isolation", options, metrics, 40.0)
    # Of the bandwidth that real time leaves, TCP's weight is 3 of 7 and bulk's 4 of 7.
    share = Quantity(
        "all three", "TCP / (TCP + bulk)", (case,),
        lambda row: row["111_tcp"] / (row["111_tcp"] + row["111_bulk"]), within(3 / 7, 0.01, "3/7 +- 1%"), 3,
    )
    two = Quantity(
        "TCP and bulk", "TCP / (TCP + bulk)", (case,),
        lambda row: row["110_tcp"] / (row["110_tcp"] + row["110_bulk"]), within(3 / 7, 0.01, "3/7 +- 1%"), 3,
    )
    lost = Quantity(
        "all sets", "RDMA frames lost", (case,),
        lambda row: sum(row[f"{name}_rdma_lost"] for name in (
            "100", "010", "110", "001", "101", "011", "111")), exactly(0), 0,
    )
    return [
        two, share, lost, value("all three", case, "111_rt_pauses", exactly(0), "real-time pauses", 0),
        quotient("real time, all three / alone", case, case, "111_rt", within(1, 0.01), "Gb/s", 3),
    ]


def livelock(setting):
    """C4: goodput in percent of the line rate. Full packets of 1024 B could reach 92.6%."""
    options = ("--duration=10ms",) if setting.quick else ()
    patterns = {
        f"{operation}_{recovery}": rf"^{operation} +{recovery} +([\d.]+)%"
        for operation in ("SEND", "WRITE", "READ") for recovery in ("GoBack0", "GoBackN")
    }
    case = Case("livelock", "rdma-livelock", options,
                functools.partial(matches, patterns=patterns), 5.0)
    zero, full = at_most(1, "about 0"), at_least(80, "close to line rate (80% and more)")
    return [
        value(name.replace("_", ", "), case, name, zero if name.endswith("0") else full, "goodput", 1,
              unit="%") for name in patterns
    ]


ROWS = (
    Row("C1", "headroom: no loss at the computed size; the smallest loss-free one is 85% of it or more",
        headroom, seeds=1),
    Row("C2", "PFC by DSCP and by VLAN: equal within a subnet; only DSCP survives IP routing",
        deployments),
    Row("C3", "two lossless classes and TCP: TCP keeps its share, RDMA loses nothing", isolation,
        seeds=1),
    Row("C4", "livelock: goodput about 0 with go-back-0, close to line rate with go-back-N", livelock,
        seeds=1),
)
