# SPDX-License-Identifier: GPL-2.0-only
"""B8, B9, B11, B14 to B16: factor analysis, tails, windows, Resilient RoCE, iWARP."""

from ..expected import above, between, ratio
from ..fabric import CONTROLS, case
from ..row import Quantity, Row, quotient
from .irn_basic import METRICS

CONTROLLED = ("none", "timely", "dcqcn")
TAIL = (("single_p90_us", "90%"), ("single_p99_us", "99%"), ("single_p99_9_us", "99.9%"))


def named(what, control):
    """The name of a comparison, with the congestion control of both sides."""
    return f"{what}, {CONTROLS[control]}" if CONTROLS[control] else what


def factors(setting):
    """B8: go-back-N and no BDP-FC against IRN, and the first against the second."""
    result = []
    for control in CONTROLLED:
        irn, without = case("irn", control, setting), case("irn-no-bdp-fc", control, setting)
        back = case("irn-go-back-n", control, setting)
        for what, worse, better in (
            ("go-back-N / IRN", back, irn), ("no BDP-FC / IRN", without, irn),
            ("go-back-N / no BDP-FC", back, without),
        ):
            result.append(quotient(
                named(what, control), worse, better, "avg_fct_us", above(1), "average FCT"
            ))
    return result


def no_sack(setting):
    """B9: the source has from less than 1% to 75%."""
    return [
        quotient(
            named("no SACK / IRN", control), case("irn-no-sack", control, setting),
            case("irn", control, setting), "avg_fct_us", ratio(1, 1.75), "average FCT", 3,
        ) for control in CONTROLLED
    ]


def tails(setting):
    """B11: IRN without PFC is the best at every percentile."""
    result = []
    for control in CONTROLLED:
        irn = case("irn", control, setting)
        for network, title in (("roce-pfc", "RoCE with PFC"), ("irn-pfc", "IRN with PFC")):
            other = case(network, control, setting)
            result += [
                quotient(named(f"{title} / IRN", control), other, irn, name, above(1), f"{label} FCT")
                for name, label in TAIL
            ]
    return result


def windows(setting):
    """B14: the trends of B1 to B3 with window-based congestion control."""
    result = []
    for control in ("aimd", "dctcp-window"):
        irn = case("irn", control, setting)
        with_pfc = case("irn-pfc", control, setting)
        result += [
            quotient(named("IRN with PFC / IRN", control), with_pfc, irn, name, at_least_as_good(), label)
            for name, label in METRICS
        ]
        roce = case("roce-pfc", "none", setting)
        result += [
            quotient(f"RoCE with PFC / IRN and {CONTROLS[control]}", roce, irn, name, above(1), label)
            for name, label in METRICS
        ]
    return result


def at_least_as_good():
    """IRN needs no PFC: adding PFC gains at most the 5% of the paper's best case."""
    return ratio(0.95, float("inf"), "PFC gains 5% at most")


def resilient(setting):
    """B15."""
    roce, irn = case("roce", "dcqcn", setting), case("irn", "none", setting)
    return [
        quotient("RoCE and DCQCN without PFC / IRN", roce, irn, name, above(1), label)
        for name, label in METRICS
    ]


def iwarp(setting, options=()):
    """B16, with options of TCP: 21% and 44% smaller slowdowns are ratios of 1.27 and 1.79, 11% is 1.12."""
    tcp, irn = case("iwarp", "none", setting, options), case("irn", "none", setting)
    aimd = case("irn", "aimd", setting)
    # The paper says "comparable": within 10%.
    similar = between(0.9, 1.1, "about 1 (0.9 to 1.1)")
    about = lambda value: ratio(0.9 * value, 1.1 * value, f"{value:g} +- 10%")  # noqa: E731
    return [
        quotient("iWARP / IRN", tcp, irn, "avg_slowdown", about(1.27), "average slowdown"),
        quotient("iWARP / IRN", tcp, irn, "avg_fct_us", similar, "average FCT"),
        quotient("iWARP / IRN", tcp, irn, "p99_fct_us", similar, "99% FCT"),
        quotient("iWARP / IRN and AIMD", tcp, aimd, "avg_slowdown", about(1.79), "average slowdown"),
        quotient("iWARP / IRN and AIMD", tcp, aimd, "avg_fct_us", about(1.12), "average FCT"),
    ]


ROWS = (
    Row("B8", "go-back-N in IRN and IRN without BDP-FC are both worse, go-back-N generally more "
        "(figure 7)", factors, read=True),
    Row("B9", "selective retransmission without SACK has less than 1% to 75% worse average FCT", no_sack,
        read=True),
    Row("B11", "tails of single-packet messages: IRN without PFC is the best (figure 8)", tails,
        read=True),
    Row("B14", "AIMD and DCTCP as windows over IRN: the trends of B1 and B2", windows, read=True),
    Row("B15", "Resilient RoCE is worse than IRN without congestion control (figure 10)", resilient,
        read=True),
    Row("B16", "IRN has 21% smaller slowdown than iWARP and comparable FCTs; with AIMD 44% and 11% "
        "(figure 11)", iwarp, read=True),
)
