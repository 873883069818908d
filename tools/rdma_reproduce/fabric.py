# SPDX-License-Identifier: GPL-2.0-only
"""Runs of rdma-fabric in the IRN paper's default case, and the metrics that they yield."""

import math
import os

import pandas
from rdma_runs.results import summary

from .readings import READINGS
from .row import Case

# The rate of all links in the default case, and its bandwidth-delay product in packets as the source has
# it: 120 KB are "~110" packets (section 4.1).
GBPS, BDP_PACKETS = 40, 110
# Networks by the paper's names. With PFC there are no timeouts (section 4.1), as by default.
NETWORKS = {
    "irn": ("--transport=irn", "--pfc=off"),
    "irn-pfc": ("--transport=irn", "--pfc=on"),
    "roce-pfc": ("--transport=roce", "--pfc=on"),
    "roce": ("--transport=roce", "--pfc=off"),
    "irn-go-back-n": ("--transport=irn", "--pfc=off", "--ns3::IrnTransport::LossRecovery=GoBackN"),
    "irn-no-bdp-fc": ("--transport=irn", "--pfc=off", "--ns3::IrnTransport::BdpFc=false"),
    "irn-no-sack": ("--transport=irn", "--pfc=off", "--ns3::IrnTransport::LossRecovery=SelectiveWithoutSack"),
    "iwarp": ("--transport=iwarp", "--pfc=off"),
}
TITLES = {
    "irn": "IRN", "irn-pfc": "IRN with PFC", "roce-pfc": "RoCE with PFC", "roce": "RoCE without PFC",
    "irn-go-back-n": "IRN with go-back-N", "irn-no-bdp-fc": "IRN without BDP-FC",
    "irn-no-sack": "IRN without SACK", "iwarp": "iWARP",
}
CONTROLS = {"none": "", "timely": "TIMELY", "dcqcn": "DCQCN", "aimd": "AIMD", "dctcp-window": "DCTCP"}
# The IRN paper runs TIMELY in the NIC, with an ACK or NACK for each packet.
CONTROL_NAMES = {"timely": "timely-acks"}
# Simulated milliseconds until the last counted flow has ended, measured at a load of 0.65.
TAILS = {"roce": 250, "irn-go-back-n": 250, "roce-pfc": 60, "irn-pfc": 50, "iwarp": 90}
TAIL_MS = 40
# CPU-seconds for a millisecond of arrivals at 54 servers and 40 Gb/s, at a load of 0.65.
SECONDS_PER_MS = 0.8
# CPU-seconds for a millisecond of such arrivals with ns-3's TCP.
TCP_SECONDS_PER_MS = 13
# The percentiles of figure 8.
PERCENTILES = (90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 99.5, 99.9)
MTU = 1000
UNITS_NS = {"ms": 1e6, "us": 1e3, "ns": 1.0, "s": 1e9}


def time_ns(text):
    """A time of an option in ns."""
    number = text.rstrip("smnu")
    return float(number) * UNITS_NS[text[len(number):]]


def window(options):
    """Begin and end, in ns, of the window in which counted flows start."""
    given = dict(word[2:].partition("=")[::2] for word in options)
    if "measure" not in given:
        return 0.0, math.inf
    begin = time_ns(given.get("warmUp", "0ns"))
    return begin, begin + time_ns(given["measure"])


def averages(flows, prefix):
    """The paper's three metrics of some flows."""
    done = flows.dropna(subset=["fct_ns"])
    if done.empty:
        return {f"{prefix}_{name}": None for name in ("avg_slowdown", "avg_fct_us", "p99_fct_us")}
    return {
        f"{prefix}_avg_slowdown": done.slowdown.mean(), f"{prefix}_avg_fct_us": done.fct_ns.mean() / 1e3,
        f"{prefix}_p99_fct_us": done.fct_ns.quantile(0.99) / 1e3,
    }


def read_flows(outcome):
    """flows.csv as a table."""
    return pandas.read_csv(os.path.join(outcome.folder, "flows.csv"))


def metrics(outcome):
    """The metrics of summary.json and of flows.csv: tails, halves of the window, packets, RCT."""
    result = summary(outcome)
    flows = read_flows(outcome)
    given = dict(word[2:].partition("=")[::2] for word in outcome.options)
    mtu = int(given.get("mtu", MTU))
    result["packets"] = int((-(-flows.bytes // mtu)).sum() + flows.retransmitted_packets.sum())
    result["retransmitted_packets"] = int(flows.retransmitted_packets.sum())
    result["timeouts"] = int(flows.timeouts.sum())
    done = flows.dropna(subset=["fct_ns"])
    result["last_completion_us"] = (done.start_ns + done.fct_ns).max() / 1e3 if len(done) else None
    begin, end = window(outcome.options)
    counted = flows[(flows.start_ns >= begin) & (flows.start_ns < end)]
    result["counted_flows"] = len(counted)
    result["counted_completed"] = int(counted.fct_ns.notna().sum())
    single = counted[counted.bytes <= mtu].dropna(subset=["fct_ns"])
    for percentile in PERCENTILES:
        name = f"single_p{percentile:g}_us".replace(".", "_")
        result[name] = single.fct_ns.quantile(percentile / 100) / 1e3 if len(single) else None
    # Flows of the first and of the second half of the window show whether the run was stationary.
    middle = (begin + end) / 2 if math.isfinite(end) else (counted.start_ns.max() if len(counted) else 0) / 2
    result.update(averages(counted[counted.start_ns < middle], "half1"))
    result.update(averages(counted[counted.start_ns >= middle], "half2"))
    return result


def network_words(network, gbps=GBPS):
    """The options for a network. IRN's BDP-FC has the bandwidth-delay product of the links' rate."""
    words = NETWORKS[network]
    if "--transport=irn" not in words or "--ns3::IrnTransport::BdpFc=false" in words:
        return words
    return (*words, f"--ns3::IrnTransport::BdpCap={BDP_PACKETS * gbps // GBPS}")


def cc(control):
    """The option that selects a congestion control by its name here or in rdma-fabric."""
    return f"--cc={CONTROL_NAMES.get(control, control)}"


def cost(network, control, setting, hosts=54, rate=GBPS, load=0.7):
    """Expected CPU-seconds of a run of Poisson arrivals."""
    reading = READINGS[setting.reading]
    tail = TAILS.get(network, TAIL_MS)
    # The run of a short window is cut after 8 ms.
    milliseconds = 6 if setting.quick else setting.arrivals_ms() + (tail if reading.tail else 0)
    seconds = TCP_SECONDS_PER_MS if network == "iwarp" else SECONDS_PER_MS
    return seconds * milliseconds * hosts / 54 * rate / GBPS * load / 0.7


def case(network, control, setting, more=(), load=0.7, title=None, hosts=54, rate=GBPS):
    """A case of the preset irn with a network, a congestion control and deviating options.

    The congestion control is a key of CONTROLS or a value of rdma-fabric's option --cc.
    """
    name = title or TITLES[network]
    if CONTROLS.get(control, control):
        name += f" + {CONTROLS.get(control, control)}"
    options = (
        "--preset=irn", *network_words(network, rate), cc(control), *more, *setting.load(load),
        "--progress=off",
    )
    return Case(
        name, "rdma-fabric", options, metrics, round(cost(network, control, setting, hosts, rate, load), 1),
        seeded=True, results=("--out={folder}",),
    )
