# SPDX-License-Identifier: GPL-2.0-only
"""A1 to A7: the parking lot of the OMNeT++ paper."""

import functools

from rdma_runs.results import matches

from ..expected import at_least, exactly, report, within
from ..row import Case, Quantity, Row, value

HOSTS = ("A", "B", "C", "D")
PATTERNS = {
    **{host: rf"^{host} ([\d.]+) Gb/s" for host in HOSTS}, "sum": r"^sum ([\d.]+) Gb/s",
    "jain": r"Jain's index ([\d.]+)", "drops": r"(\d+) drops", "pause_frames": r"(\d+) pause frames",
}
RCM_1A = {"A": 9.37, "B": 9.42, "C": 9.51, "D": 9.72}
RCM_1B = {"A": 9.29, "B": 9.35, "C": 9.43, "D": 9.69}


def run(name, *options, setting=None):
    """A run of rdma-parking-lot; nothing in it is random."""
    if setting is not None and setting.quick:
        options += ("--warmUp=2ms", "--duration=2ms")
    return Case(
        name, "rdma-parking-lot", options, functools.partial(matches, patterns=PATTERNS), 1.5
    )


def plain(setting):
    """PFC alone."""
    return run("PFC alone", setting=setting)


def rcm(marking, setting):
    """RCM with a detector."""
    return run(f"RCM, {marking}", "--cc=rcm", f"--marking={marking}", setting=setting)


def rates(hosts, wanted, what, setting):
    """Rates of hosts under PFC alone."""
    case = plain(setting)
    return [value(what, case, host, within(wanted, 0.02), f"{host}, Gb/s") for host in hosts]


def shares(marking, wanted, setting):
    """Rates and Jain's index under RCM."""
    case = rcm(marking, setting)
    result = [
        value(f"RCM, {marking}", case, host, within(wanted[host], 0.04), f"{host}, Gb/s")
        for host in HOSTS
    ]
    jain = value(f"RCM, {marking}", case, "jain", at_least(0.999), "Jain's index", 4)
    return [*result, jain]


def ratio(setting):
    """D, and D over A."""
    case = plain(setting)
    times = Quantity(
        "PFC alone", "D / A", (case,), lambda row: row["D"] / row["A"], within(3.0, 0.02), 2
    )
    return [*rates("D", 18.9, "PFC alone", setting), times]


def drops(setting):
    """Nothing is lost."""
    return [
        value(case.name, case, "drops", exactly(0), "frames lost", 0)
        for case in (plain(setting), rcm("root", setting), rcm("threshold", setting))
    ]


def shared(setting):
    """The output-queued switch."""
    case = run("output-queued, PFC alone", "--switch=shared", setting=setting)
    return [value(case.name, case, host, report(), f"{host}, Gb/s") for host in HOSTS]


ROWS = (
    Row("A1", "PFC alone: A, B and C get a sixth each (figure 4)",
        functools.partial(rates, "ABC", 6.3, "PFC alone"), seeds=1),
    Row("A2", "PFC alone: D gets a half (figure 4)", ratio, seeds=1),
    Row("A3", "PFC alone: the sum at R", lambda setting: [
        value("PFC alone", plain(setting), "sum", within(37.8, 0.02), "sum, Gb/s")], seeds=1),
    Row("A4", "RCM-1a (table II)", functools.partial(shares, "root", RCM_1A), seeds=1),
    Row("A5", "RCM-1b (table II)", functools.partial(shares, "threshold", RCM_1B), seeds=1),
    Row("A6", "no packet is lost", drops, seeds=1),
    Row("A7", "an output-queued shared-buffer switch in place of the input-queued one", shared, seeds=1),
)
