# SPDX-License-Identifier: GPL-2.0-only
"""E1, E2: published measurements of hardware."""

from rdma_runs.results import matches, summary
from with_ns3.places import ROOT

from ..expected import at_least, at_most, between, exactly, report, within
from ..row import Case, Quantity, Row, value

NIC = "--ns3::RdmaNic::"
# Message sizes with the points of the source in GB/s. The source gives a range for the first.
SIZES = {"32KiB": (27, 30), "64KiB": (45, 45), "128KiB": (50, 50), "256KiB": (50, 50)}
TOLERANCE = 0.1
# A packet of 4096 B takes 4178 B of a line of 50 GB/s.
FRAMING = 50 * 4096 / 4178
# Title and options of each model of the NIC; the first is the row's.
MODELS = {
    "1 WQE ahead, 1631 ns": ("WqeFetchDelay=1631ns",),
    "no times": (),
    "0 WQEs ahead, 481 ns": ("WqeFetchDelay=481ns", "WqePrefetch=0"),
    "2 WQEs ahead, 2781 ns": ("WqeFetchDelay=2781ns", "WqePrefetch=2"),
    "3 WQEs ahead, 3930 ns": ("WqeFetchDelay=3930ns", "WqePrefetch=3"),
    "gap of 481 ns": ("MessageGap=481ns",),
    "1 WQE ahead, 1758 ns (27 GB/s)": ("WqeFetchDelay=1758ns",),
    "1 WQE ahead, 1516 ns (30 GB/s)": ("WqeFetchDelay=1516ns",),
}
# The models of the figure, without the gap, whose line would hide behind "0 WQEs ahead".
SHOWN_MODELS = tuple(MODELS)[:5]
MODEL = next(iter(MODELS))


def bandwidth(outcome):
    """The goodput that rdma-perftest prints for a size."""
    return matches(outcome, {"gbps": r"^ *\d+ +\d+ +([\d.]+) +[\d.]+$"})


def messages(model, size, setting):
    """Messages of a size between two hosts at 400 Gb/s, 16 at a time."""
    options = (
        "--topology=star:2", "--rate=400Gbps", "--mtu=4096", "--depth=16",
        f"--iters={200 if setting.quick else 2000}", f"--size={size}",
        *(NIC + option for option in MODELS[model]),
    )
    return Case(f"{model}, {size}", "rdma-perftest", options, bandwidth, 0.5)


def point(size):
    """The value that the source gives for a message size."""
    low, high = SIZES[size]
    return between(low, high) if low < high else within(low, TOLERANCE)


def goodput(setting):
    """E1: the model and the source, and the limit by framing."""
    cases = {size: messages(MODEL, size, setting) for size in SIZES}
    result = [
        value(size, case, "gbps", point(size), "goodput, GB/s", scale=1 / 8)
        for size, case in cases.items()
    ]
    return [*result, Quantity(
        "all sizes", "largest goodput, GB/s", tuple(cases.values()),
        lambda *rows: max(row["gbps"] for row in rows) / 8,
        at_most(FRAMING, f"at most {FRAMING:.2f}, which framing leaves"),
    )]


def forms(setting):
    """E1: other forms of the model, each with the time that fits the first point."""
    return [
        value(model, messages(model, size, setting), "gbps", report(), size, scale=1 / 8)
        for model in MODELS for size in SIZES
    ]


XOFFS = (1_000_000, 1_200_000)
DELAYS = ("0us", "25us", "40us", "50us", "55us", "60us")
CONTROLS = ("dcqcn", "dcqcn-nic")


def step(control, xoff, delay):
    """Two messages of 50 MB from a port of 100 Gb/s to a port of 25 Gb/s."""
    options = (
        "--topology=file:doc/validation/hardware/step.txt",
        "--workload=file:doc/validation/hardware/step.csv", f"--cc={control}",
        "--buffer=trident3", "--ecn=102400:416000:0.2", "--ns3::QbbEcnMarker::ScaleWithRate=0",
        f"--ns3::QbbSharedBuffer::XoffBytes={xoff}", f"{NIC}CnpDelay={delay}", "--progress=off",
    )
    return Case(
        f"{control}, XOFF of {xoff} B, {delay}", "rdma-fabric", options, summary, 0.3, seeded=True,
        results=("--out={folder}",), directory=ROOT,
    )


def pauses(setting):
    """E2: no pauses without a delay, pauses with 55 us, at an XOFF that the source does not give."""
    del setting
    claims = (("0us", exactly(0)), ("55us", at_least(1, "above 0")))
    result = [
        value(case.name, case, "pause_frames", expected, "pause frames", 1)
        for control in CONTROLS for delay, expected in claims
        for case in (step(control, XOFFS[0], delay),)
    ]
    every = tuple(
        step(control, xoff, delay) for control in CONTROLS for xoff in XOFFS for delay in DELAYS
    )
    return [*result, Quantity(
        "all cases", "frames lost", every, lambda *rows: sum(row["drops"] for row in rows), exactly(0), 0,
    )]


def delays(setting):
    """E2: pause frames for each delay of CNPs."""
    del setting
    return [
        value(f"{control}, XOFF of {xoff} B", step(control, xoff, delay), "pause_frames", report(),
              delay, 0)
        for control in CONTROLS for xoff in XOFFS for delay in DELAYS
    ]


ROWS = (
    Row("E1", "goodput by message size at 400 Gb/s, one queue pair: within 10% of the source, with the "
        "fetch time from its first point", goodput, seeds=1, shown=forms),
    Row("E2", "pauses behind a step from 100 to 25 Gb/s: none without a delay of CNPs, some with 55 us; "
        "on the assumption of an XOFF of 1 MB", pauses, shown=delays),
)
