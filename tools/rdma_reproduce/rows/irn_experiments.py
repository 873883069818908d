# SPDX-License-Identifier: GPL-2.0-only
"""Experiments: the rows of section B that differ from their source, with one thing changed in each."""

import dataclasses

from ..expected import at_most, ratio
from ..fabric import TITLES, case
from ..readings import MAIN
from ..row import Row, quotient
from .irn_basic import METRICS
from .irn_factors import iwarp
from .irn_incast import beside, crossed, incast
from .irn_robust import DEGRADES, rate

# TIMELY as --cc=timely-acks, but with rates that grow in steps of 80 Mb/s. timely-acks has 40 Mb/s.
TIMELY_80 = "ns3::RdmaTimely[Events=Acks|Alpha=0.02|TLow=0us|THigh=1ms|LineDelta=0.002]"
NAK_EACH = ("--ns3::RoceTransport::NakEachPacket=true",)
MARK_BY_PORT = ("--ns3::QbbEcnMarker::MarkBy=Port",)
# TCP with a first window of one segment, which is INET's default, and a receiver's window of 110 kB, which
# is as much as BDP-FC allows IRN.
INET_WINDOWS = ("--ns3::RdmaTcpFlowRunner::InitialCwnd=1", "--ns3::RdmaTcpFlowRunner::BufferSize=110000")


def at(setting, reading=MAIN):
    """The setting with a reading."""
    return dataclasses.replace(setting, reading=reading)


def three(what, worse, better, expected):
    """The paper's three metrics of one case over those of another."""
    return [quotient(what, worse, better, name, expected, label) for name, label in METRICS]


def collapse(setting):
    """B3: flows that have not ended when the window ends do not count."""
    cut = at(setting, "cut")
    roce_pfc, what = case("roce-pfc", "none", cut), f"{TITLES['roce']} / {TITLES['roce-pfc']}, reading cut"
    return [
        *three(what, case("roce", "none", cut), roce_pfc, ratio(1.5, 3)),
        *three(f"{what}, a NAK for each packet", case("roce", "none", cut, NAK_EACH), roce_pfc, ratio(1.5, 3)),
    ]


def steps(setting):
    """B4: rates grow in larger steps."""
    main = at(setting)
    return three(
        "RoCE with PFC / IRN, TIMELY with steps of 80 Mb/s", case("roce-pfc", TIMELY_80, main),
        case("irn", TIMELY_80, main), ratio(1.5, 2.2),
    )


def marks(setting):
    """B5: ECN marks by all queues of the port."""
    main = at(setting)
    irn_pfc, irn = (case(network, "dcqcn", main, MARK_BY_PORT) for network in ("irn-pfc", "irn"))
    return three("IRN with PFC / IRN, DCQCN, marks by port", irn_pfc, irn, ratio(0.99, 1.034))


def buffers(setting):
    """B10: the source's PFC threshold for a buffer of 120 KB, and flows of the first half of the window.

    The source pauses 20 KB below the end of a buffer. The module's headroom takes 29 KB, so that 129 KB
    are paused at the source's 100 KB.
    """
    main, result = at(setting), []
    whole, half = ("", ""), ("half1_", ", first half")
    for what, more, other, hosts, parts in (
        ("buffers of 120 KB, RTO_high 320 us, paused at 100 KB", ("--buffer=120KB",),
         ("--buffer=129KB",), 54, (whole, half)),
        ("250 servers", ("--topology=fat-tree:10",), ("--topology=fat-tree:10",), 250, (half,)),
    ):
        irn = case("irn", "none", main, more, hosts=hosts)
        irn_pfc = case("irn-pfc", "none", main, other, hosts=hosts)
        result += [
            quotient(f"{what}: IRN with PFC / IRN", irn_pfc, irn, prefix + name, DEGRADES, label + suffix)
            for prefix, suffix in parts for name, label in METRICS
        ]
    return result


def timers(setting):
    """B10a: timeouts grow with the time that a full buffer takes to send."""
    main, result = at(setting), []
    for what, options, longer, gbps in (
        ("10 Gb/s, buffers of 240 KB, timeouts of 1280 and 400 us", rate(10),
         ("--ns3::IrnTransport::RtoHigh=1280us", "--ns3::IrnTransport::RtoLow=400us"), 10),
        ("buffers of 480 KB, timeouts of 640 and 200 us", ("--buffer=480KB",),
         ("--ns3::IrnTransport::RtoHigh=640us", "--ns3::IrnTransport::RtoLow=200us"), 40),
    ):
        irn = case("irn", "none", main, (*options, *longer), rate=gbps)
        irn_pfc = case("irn-pfc", "none", main, options, rate=gbps)
        result += three(f"{what}: IRN with PFC / IRN", irn_pfc, irn, DEGRADES)
    return result


def alone(setting):
    """B12: timers, packets, starts and steps of the rates."""
    result = []
    limit = at_most(1.025, slack=0.025)

    def add(what, senders, irn, other, title="IRN / IRN with PFC"):
        result.append(quotient(
            f"{senders} senders, {what}: {title}", irn, other, "last_completion_us", limit, "RCT", 3
        ))

    for what, options in (
        ("RTO_high 240 us", ("--ns3::IrnTransport::RtoHigh=240us",)),
        ("RTO_high 640 us", ("--ns3::IrnTransport::RtoHigh=640us",)),
        ("dynamic timeouts", ("--ns3::IrnTransport::DynamicRto=true",)),
    ):
        for senders in (10, 20, 30):
            add(what, senders, incast("irn", "none", senders, setting, options),
                incast("irn-pfc", "none", senders, setting))
    for what, options, jitter in (
        ("packets of 1069 B", ("--mtu=1069",), ""), ("starts within 1 us", (), "1us"),
        ("starts within 10 us", (), "10us"), ("starts within 100 us", (), "100us"),
    ):
        add(what, 20, *(
            incast(network, "none", 20, setting, options, jitter) for network in ("irn", "irn-pfc")
        ))
    for senders in (10, 20, 30):
        irn, irn_pfc, roce = (
            incast(network, TIMELY_80, senders, setting) for network in ("irn", "irn-pfc", "roce-pfc")
        )
        what = "TIMELY with steps of 80 Mb/s"
        add(what, senders, irn, irn_pfc)
        add(what, senders, irn, roce, "IRN / RoCE with PFC")
    return result


def background(setting):
    """B13: arrivals of 600 ms, of which all flows count; and larger steps of TIMELY."""
    irn, roce = (beside(network, TIMELY_80, setting) for network in ("irn", "roce-pfc"))
    return [
        *crossed(setting, ("none", "timely"), 6 if setting.quick else 600),
        quotient(
            "RoCE with PFC / IRN, TIMELY with steps of 80 Mb/s, arrivals of 60 ms", roce, irn, "incast_rct_us",
            ratio(1.04, 1.43), "RCT", 3,
        ),
    ]


def windows(setting):
    """B16: TCP with a first window of one segment and a receiver's window as large as IRN's cap."""
    return iwarp(at(setting), INET_WINDOWS)


def experiment(name, claim, quantities, seeds=1):
    """An experiment, named after the row that it explains."""
    return Row(name, claim, quantities, seeds, experiment=True)


ROWS = (
    experiment("B3x", "flows that have not ended when the window ends do not count", collapse),
    experiment("B4x", "TIMELY with steps of 80 Mb/s", steps, 3),
    experiment("B5x", "ECN marks by all queues of a port", marks, 3),
    experiment("B10x", "the source's PFC threshold, and flows of the first half of the window", buffers, 2),
    experiment("B10ax", "timeouts as long as full buffers ask for", timers),
    experiment("B12x", "other timers, packets, starts, and steps of TIMELY", alone, 30),
    experiment("B13x", "arrivals of 600 ms, of which all flows count; steps of TIMELY", background),
    experiment("B16x", "TCP with the first window of INET and a receiver's window of 110,000 B", windows, 3),
)
