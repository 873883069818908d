# SPDX-License-Identifier: GPL-2.0-only
"""B10: the default case with one parameter changed at a time, first without congestion control."""

from ..expected import ratio
from ..fabric import case
from ..row import Row, quotient
from .irn_basic import METRICS

# Title, options, load, servers, Gb/s.
DEVIATIONS = (
    ("load 30%", (), 0.3, 54, 40),
    ("load 50%", (), 0.5, 54, 40),
    ("load 90%", (), 0.9, 54, 40),
    ("10 Gb/s", ("--rate=10Gbps", "--uplinkRate=10Gbps"), 0.7, 54, 10),
    ("100 Gb/s", ("--rate=100Gbps", "--uplinkRate=100Gbps"), 0.7, 54, 100),
    ("128 servers", ("--topology=fat-tree:8",), 0.7, 128, 40),
    ("250 servers", ("--topology=fat-tree:10",), 0.7, 250, 40),
    ("uniform sizes", ("--cdf=irn-uniform",), 0.7, 54, 40),
    ("buffers of 60 KB", ("--portBuffer=60KB",), 0.7, 54, 40),
    ("buffers of 120 KB", ("--portBuffer=120KB",), 0.7, 54, 40),
    ("buffers of 480 KB", ("--portBuffer=480KB",), 0.7, 54, 40),
)
# Options of IRN alone.
IRN_DEVIATIONS = (
    ("RTO_high 1280 us", ("--rto=1280us",)),
    ("N = 10", ("--rtoLowPackets=10",)),
    ("N = 15", ("--rtoLowPackets=15",)),
)
# 6% to 83% better.
BETTER = ratio(1 / 0.94, 1 / 0.17, "1.06 to 5.9")
# PFC degrades IRN by up to 2.4. The paper reports no case in which PFC helps IRN.
DEGRADES = ratio(1, 2.4, "1 to 2.4")


def deviations(setting):
    """The comparisons of figures 1 and 2 at each deviation."""
    result = []
    for title, options, load, hosts, rate in DEVIATIONS:
        irn, irn_pfc, roce = (
            case(network, "none", setting, options, load, hosts=hosts, rate=rate)
            for network in ("irn", "irn-pfc", "roce-pfc")
        )
        for name, label in METRICS:
            result.append(quotient(f"{title}: RoCE with PFC / IRN", roce, irn, name, BETTER, label))
        for name, label in METRICS:
            result.append(quotient(f"{title}: IRN with PFC / IRN", irn_pfc, irn, name, DEGRADES, label))
    roce, irn_pfc = (case(network, "none", setting) for network in ("roce-pfc", "irn-pfc"))
    for title, options in IRN_DEVIATIONS:
        irn = case("irn", "none", setting, options)
        for name, label in METRICS:
            result.append(quotient(f"{title}: RoCE with PFC / IRN", roce, irn, name, BETTER, label))
        # IRN with PFC has no timer, so its RTO and N do not matter.
        for name, label in METRICS:
            result.append(quotient(f"{title}: IRN with PFC / IRN", irn_pfc, irn, name, DEGRADES, label))
    return result


ROWS = (Row(
    "B10", "robustness: IRN is better than RoCE with PFC by 6% to 83% always, PFC degrades IRN by up to "
    "2.4", deviations, seeds=2, read=True,
),)
