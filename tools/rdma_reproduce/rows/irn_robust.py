# SPDX-License-Identifier: GPL-2.0-only
"""B10: the default case with one parameter changed at a time, first without congestion control.

The source derives three parameters from others (section 4.1): IRN's cap is the bandwidth-delay
product of the network, buffers have twice that product, and RTO_high is the longest round trip if the
buffers of one congested link are full. The cap follows the rate of the links in all runs. Buffers and
RTO_high follow the changed parameter in B10, and stay at their defaults in B10a.
"""

from ..expected import ratio
from ..fabric import GBPS, case
from ..row import Row, quotient
from .irn_basic import METRICS

BUFFER_KB = 240
RTO_HIGH_US, RTO_LOW_US = 320, 100
# Round trip of the longest path in an empty network: six cables of 2 us there and back.
ROUND_TRIP_US = 24


def rto_high_us(buffer_kb, gbps):
    """RTO_high by the source's rule: the time of full buffers grows with size over rate."""
    full = (RTO_HIGH_US - ROUND_TRIP_US) * buffer_kb / BUFFER_KB * GBPS / gbps
    return max(RTO_LOW_US, round(ROUND_TRIP_US + full))


def rate(gbps, buffer_kb=BUFFER_KB):
    """The options for the rate of all links."""
    words = (f"--rate={gbps}Gbps", f"--uplinkRate={gbps}Gbps")
    return words if buffer_kb == BUFFER_KB else (*words, f"--buffer={buffer_kb}KB")


# Title, options, options of IRN without PFC alone (with PFC there is no timer), load, servers, Gb/s.
SCENARIOS = (
    ("load 30%", (), (), 0.3, 54, 40),
    ("load 50%", (), (), 0.5, 54, 40),
    ("load 90%", (), (), 0.9, 54, 40),
    ("128 servers", ("--topology=fat-tree:8",), (), 0.7, 128, 40),
    ("250 servers", ("--topology=fat-tree:10",), (), 0.7, 250, 40),
    ("uniform sizes", ("--cdf=irn-uniform",), (), 0.7, 54, 40),
)
RATES = tuple(
    (f"{gbps} Gb/s, buffers of {buffer_kb} KB", rate(gbps, buffer_kb), (), 0.7, 54, gbps)
    for gbps, buffer_kb in ((10, 60), (100, 600))
)
BUFFERS = tuple(
    (f"buffers of {kb} KB, RTO_high {rto_high_us(kb, GBPS)} us", (f"--buffer={kb}KB",),
     (f"--ns3::IrnTransport::RtoHigh={rto_high_us(kb, GBPS)}us",), 0.7, 54, 40)
    for kb in (60, 120, 480)
)
UNDERIVED = (
    *((f"{gbps} Gb/s, buffers of {BUFFER_KB} KB", rate(gbps), (), 0.7, 54, gbps) for gbps in (10, 100)),
    *((f"buffers of {kb} KB, RTO_high {RTO_HIGH_US} us", (f"--buffer={kb}KB",), (), 0.7, 54, 40)
      for kb in (60, 120, 480)),
)
# Options of IRN alone.
IRN_DEVIATIONS = (
    ("RTO_high 1280 us", ("--ns3::IrnTransport::RtoHigh=1280us",)),
    ("N = 10", ("--ns3::IrnTransport::RtoLowPackets=10",)),
    ("N = 15", ("--ns3::IrnTransport::RtoLowPackets=15",)),
)
# 6% to 83% better.
BETTER = ratio(1 / 0.94, 1 / 0.17, "1.06 to 5.9")
# PFC degrades IRN by up to 2.4. The paper reports no case in which PFC helps IRN.
DEGRADES = ratio(1, 2.4, "1 to 2.4")


def compare(scenarios, setting):
    """The comparisons of figures 1 and 2 in some scenarios."""
    result = []
    for title, options, timers, load, hosts, gbps in scenarios:
        irn, irn_pfc, roce = (
            case(network, "none", setting, (*options, *more), load, hosts=hosts, rate=gbps)
            for network, more in (("irn", timers), ("irn-pfc", ()), ("roce-pfc", ()))
        )
        for name, label in METRICS:
            result.append(quotient(f"{title}: RoCE with PFC / IRN", roce, irn, name, BETTER, label))
        for name, label in METRICS:
            result.append(quotient(f"{title}: IRN with PFC / IRN", irn_pfc, irn, name, DEGRADES, label))
    return result


def deviations(setting):
    """All scenarios, with the parameters that the source derives."""
    result = compare((*SCENARIOS, *RATES, *BUFFERS), setting)
    roce, irn_pfc = (case(network, "none", setting) for network in ("roce-pfc", "irn-pfc"))
    for title, options in IRN_DEVIATIONS:
        irn = case("irn", "none", setting, options)
        for name, label in METRICS:
            result.append(quotient(f"{title}: RoCE with PFC / IRN", roce, irn, name, BETTER, label))
        # IRN with PFC has no timer, so its RTO and N do not matter.
        for name, label in METRICS:
            result.append(quotient(f"{title}: IRN with PFC / IRN", irn_pfc, irn, name, DEGRADES, label))
    return result


def underived(setting):
    """Rates and buffers alone."""
    return compare(UNDERIVED, setting)


ROWS = (
    Row("B10", "robustness: IRN is better than RoCE with PFC by 6% to 83% always, PFC degrades IRN by up "
        "to 2.4", deviations, seeds=2, read=True),
    Row("B10a", "as B10, with buffers of 240 KB at all rates and RTO_high 320 us with all buffers",
        underived, seeds=2, read=True),
)
