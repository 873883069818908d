# SPDX-License-Identifier: GPL-2.0-only
"""B12, B13, B17: incasts alone and with other traffic, and the authors' published trace."""

import functools
import json

from rdma_runs.results import summary

from .. import cross_traffic
from ..expected import at_most, exactly, ratio, within
from ..fabric import CONTROLS, TITLES, averages, cc, metrics, network_words, read_flows
from ..row import Case, Row, quotient, value

TOTAL, QUICK_TOTAL = 150_000_000, 15_000_000
SENDERS = (10, 20, 30, 40, 50)
CONTROLLED = ("none", "timely", "dcqcn")
# Cross traffic: half of the wire as in the main reading. 1000 B of payload take 1082 B of the line in
# RoCE's framing, and their acknowledgement takes 86 B.
CROSS_SENDERS, CROSS_LOAD = 30, 0.5 * 1000 / (1082 + 86)
# Times in ms; when the incast starts, the queues of the cross traffic have settled.
CROSS_START, CROSS_END, QUICK_CROSS = 10, 60, (1, 6)


def incast(network, control, senders, setting, more=(), jitter=""):
    """An incast alone, with deviating options, and with starts within a time."""
    total = QUICK_TOTAL if setting.quick else TOTAL
    starts = f"[Jitter={jitter}]" if jitter else ""
    options = (
        "--preset=irn", *network_words(network), cc(control), *more, f"--workload=incast:{senders}{starts}",
        f"--bytes={total // senders}", "--progress=off",
    )
    return Case(
        f"{TITLES[network]}, {senders} senders", "rdma-fabric", options, metrics,
        0.1 if setting.quick else 0.5, seeded=True,
        results=("--out={folder}",),
    )


def alone(setting):
    """B12: request completion times."""
    result = []
    for control in CONTROLLED:
        suffix = f", {CONTROLS[control]}" if CONTROLS[control] else ""
        for senders in SENDERS:
            irn, irn_pfc, roce = (
                incast(network, control, senders, setting) for network in ("irn", "irn-pfc", "roce-pfc")
            )
            for other, title in ((irn_pfc, "IRN / IRN with PFC"), (roce, "IRN / RoCE with PFC")):
                expected = at_most(1.025, slack=0.025)
                result.append(quotient(
                    f"{senders} senders: {title}{suffix}", irn, other, "last_completion_us", expected,
                    "RCT", 3,
                ))
    return result


def cross_metrics(incast_bytes, whole, outcome):
    """The RCT of the incast, and the paper's metrics of the other flows.

    The other flows are those of the whole run, or those that start while the incast lasts.
    """
    flows = read_flows(outcome)
    one = flows[flows.bytes == incast_bytes]
    rest = flows[flows.bytes != incast_bytes]
    start = one.start_ns.min()
    finished = one.fct_ns.notna().all()
    result = {
        name: count for name, count in summary(outcome).items() if isinstance(count, int)
    }
    result["incast_rct_us"] = one.fct_ns.max() / 1e3 if finished else None
    if not whole:
        # The window has the length of the ideal time, so that all cases count the same flows.
        ideal = incast_bytes * len(one) * 8e9 / cross_traffic.RATE_BPS
        rest = rest[(rest.start_ns >= start) & (rest.start_ns < start + ideal)]
    result.update(averages(rest, "background"))
    result["background_flows"] = len(rest)
    return result


def beside(network, control, setting, whole_ms=None):
    """An incast with cross traffic. With whole_ms, arrivals last so long and all flows count."""
    total = QUICK_TOTAL if setting.quick else TOTAL
    start, end = QUICK_CROSS if setting.quick else (CROSS_START, whole_ms or CROSS_END)
    name = f"incast{CROSS_SENDERS}-{total // 10**6}MB-at-{start}ms-cross{CROSS_LOAD:.3f}-to-{end}ms.csv"
    prepare = functools.partial(
        write_cross, name=name, senders=CROSS_SENDERS, total_bytes=total, start_ns=start * 1_000_000,
        load=CROSS_LOAD, end_ns=end * 1_000_000,
    )
    options = (
        "--preset=irn", *network_words(network), cc(control), f"--workload=file:{name}",
        "--progress=off",
    )
    return Case(
        f"{TITLES[network]} beside cross traffic", "rdma-fabric", options,
        functools.partial(cross_metrics, total // CROSS_SENDERS, bool(whole_ms)), 0.6 * end, seeded=True,
        results=("--out={folder}",), prepare=prepare,
    )


def write_cross(seed, folder, **parameters):
    """Writes the flows of a seed."""
    cross_traffic.write(seed, folder, **parameters)


def crossed(setting, controls=CONTROLLED, whole_ms=None):
    """B13: 4% to 30% lower RCT are ratios of 1.04 to 1.43, 32% to 87% better 1.47 to 7.7."""
    result = []
    background = (
        ("background_avg_slowdown", "background slowdown"), ("background_avg_fct_us", "background FCT"),
        ("background_p99_fct_us", "background 99% FCT"),
    )
    for control in controls:
        suffix = f", {CONTROLS[control]}" if CONTROLS[control] else ""
        irn, irn_pfc, roce = (
            beside(network, control, setting, whole_ms) for network in ("irn", "irn-pfc", "roce-pfc")
        )
        what = f"RoCE with PFC / IRN{suffix}"
        result.append(quotient(what, roce, irn, "incast_rct_us", ratio(1.04, 1.43), "RCT", 3))
        result += [
            quotient(what, roce, irn, name, ratio(1.47, 7.7), label) for name, label in background
        ]
        what = f"IRN with PFC / IRN{suffix}"
        low = 0.9887 if control == "dcqcn" else 1.01
        result.append(quotient(what, irn_pfc, irn, "incast_rct_us", ratio(low, 1.75), "RCT", 3))
        result += [
            quotient(what, irn_pfc, irn, name, ratio(1.01, 1.75), label) for name, label in background
        ]
    return result


def arrivals(setting):
    """B17: the arrivals at the receiver of the published incast, a short run that is never cut."""
    del setting
    trace = Case(
        "IRN, 150 MB from 50 senders", "tools/rdma_reproduce/programs/irn-arrivals.cc", (),
        lambda outcome: json.loads(outcome.stdout), 0.7, seeded=True,
    )
    what = "IRN"
    return [
        value(what, trace, "early_packets", within(83321, 0.05, "83321 +- 5%"), "early packets", 0),
        value(what, trace, "duplicates_percent", at_most(0.1, "11, under 0.1%"),
              "duplicates in percent of the packets", 4, unit="%"),
        value(what, trace, "packets", exactly(140350, "140350"), "packets accepted", 0),
        value(what, trace, "largest_distance", at_most(110), "largest distance from the expected packet", 0),
        # The trace is a single run. Single runs of the module have a standard deviation of about 4.5%, and the
        # tolerance is twice as much.
        value(what, trace, "late_packets", within(50015, 0.09, "50015 +- 9%"), "late packets", 0),
        value(what, trace, "stops", within(1630, 0.09, "1630 +- 9%"), "stops by timeouts", 0),
        # The trace has no packet length: a payload of 1000 B in place of 1069 B makes 6%.
        value(what, trace, "stop_arrivals", within(2171, 0.06, "2171 +- 6%"),
              "other arrivals in a stop, median", 0),
    ]


ROWS = (
    Row("B12", "incast of 150 MB striped over M senders: the RCT of IRN without PFC is within 2.5% "
        "(figure 9)", alone),
    Row("B13", "incast of 30 senders beside 50% cross traffic: RCT 4% to 30% lower with IRN, background "
        "32% to 87% better; PFC added to IRN costs 1% to 75%", crossed),
    Row("B17", "the receiver trace of the authors' simulator: 50 x 2807 packets, cap 110", arrivals),
)
