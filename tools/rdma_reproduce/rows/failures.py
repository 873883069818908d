# SPDX-License-Identifier: GPL-2.0-only
"""C5 to C8: deadlock, NIC pause storm, slow receiver, victims."""

import re

from rdma_runs.results import matches

from .. import texts
from ..expected import above, at_least, at_most, exactly, report
from ..row import Case, Quantity, Row, value


def deadlocks(outcome):
    """The deadlocks that rdma-deadlock found, and how many flows finished."""
    result = matches(outcome, {
        "finished": r"us: (\d+) of \d+ flows finished", "flows": r"us: \d+ of (\d+) flows finished",
        "deadlocks": r"(\d+) deadlocks",
    })
    result["static_cycles"] = texts.count(outcome, "^cyclic buffer dependency")
    result["named"] = texts.count(outcome, r"us: deadlock: .*->")
    return result


def unfinished(case, expected):
    """How many flows have not finished."""
    return Quantity(
        case.name, "flows unfinished", (case,), lambda row: row["flows"] - row["finished"], expected, 0
    )


def deadlock(setting):
    """C5: a deadlock happens, is predicted and named; watchdogs break and up-down routes prevent it."""
    del setting
    values = []
    for name, options in (
        ("ring", ("--scenario=ring",)), ("failure", ("--scenario=failure",)),
        ("failure, 2 MB", ("--scenario=failure", "--bytes=2MB")),
    ):
        plain = Case(name, "rdma-deadlock", options, deadlocks, 1.0)
        values += [
            value(name, plain, "static_cycles", at_least(1), "cycles foreseen", 0),
            value(name, plain, "named", at_least(1), "deadlocks named", 0),
            unfinished(plain, at_least(1)),
        ]
    for name, options in (
        ("ring, watchdog", ("--scenario=ring", "--watchdog=1ms", "--stop=1s")),
        ("failure, 2 MB, watchdog", ("--scenario=failure", "--watchdog=1ms", "--stop=1s", "--bytes=2MB")),
    ):
        dog = Case(name, "rdma-deadlock", options, deadlocks, 40.0)
        values += [
            value(name, dog, "deadlocks", at_least(1), "deadlocks found", 0), unfinished(dog, exactly(0)),
        ]
    free = Case("ring, up-down", "rdma-deadlock", ("--scenario=ring", "--routes=up-down"), deadlocks, 1.0)
    return values + [value(free.name, free, "static_cycles", exactly(0), "cycles foreseen", 0),
                     value(free.name, free, "deadlocks", exactly(0), "deadlocks found", 0)]


STORMS = ("NIC watchdog", "watchdog: drop", "watchdog: drop at servers", "watchdog: forward")


def storms(outcome):
    """Goodput of the victims after the detection, in percent of the fair share, for each run."""
    result = matches(outcome, {
        f"{run}_fair": rf"^{run} +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)%" for run in ("storm", *STORMS)
    })
    return {name.replace(" ", "_").replace(":", ""): each for name, each in result.items()}


def storm(setting):
    """C6: one NIC stops the fabric; watchdogs give the victims 90% of their fair share."""
    quick = ("--detection=1ms", "--start=1ms") if setting.quick else ()
    result = []
    for buffer in ("2MiB",) if setting.quick else ("12MiB", "2MiB"):
        case = Case(f"buffers of {buffer}", "rdma-pause-storm", (f"--buffer={buffer}", *quick), storms,
                    30.0 if setting.quick else 250.0)
        result.append(value(f"{case.name}, no watchdog", case, "storm_fair", at_most(1, "0"),
                            "victims' goodput of fair", 1, unit="%"))
        result += [
            value(f"{case.name}, {run}", case, f"{run.replace(' ', '_').replace(':', '')}_fair",
                  at_least(90), "victims' goodput of fair", 1, unit="%") for run in STORMS
        ]
    return result


RECEIVER_COLUMNS = ("host", "leaf", "spines", "further", "p99", "drops", "unfinished")


def receivers(outcome):
    """Pauses by place and the 99% slowdown of messages to others, for each threshold."""
    found = texts.table(outcome, RECEIVER_COLUMNS)
    return {re.sub(r"^static.*_", "static_", name): each for name, each in found.items()}


def receiver(setting):
    """C7: the 99% slowdown of messages to others is smaller with a large dynamic share."""
    del setting
    case = Case("stalls of 800 us", "rdma-pause-storm", (
        "--scenario=receiver", "--stall=800us", "--period=3ms"), receivers, 400.0)
    return [
        Quantity(case.name, f"99% slowdown of others, static / alpha {name.replace('_', '/')}", (case,),
                 lambda row, name=name: row["static_p99"] / row[f"dynamic_alpha_{name}_p99"], above(1), 1)
        for name in ("1_8", "1_4", "1")
    ]


VICTIMS = ("victim", "victim, 1 sender at T3", "victim, 2 senders at T3")
FLOWS = ("H1", "H2", "H3", "H4")


def victims(outcome):
    """Medians in Gb/s and pauses by scenario, congestion control and flow."""
    result = {}
    for control in ("none", "dcqcn"):
        for scenario, flow in (*(("unfairness", flow) for flow in FLOWS), *((v, "VS") for v in VICTIMS)):
            line = rf"^{scenario} +{control} +{flow} +[\d.]+ +"
            found = matches(outcome, {
                "median": line + r"([\d.]+)", "pauses": line + r"[\d.]+ +[\d.]+ +(\d+)",
            })
            name = f"{control}_{VICTIMS.index(scenario) if flow == 'VS' else flow}"
            result.update({f"{name}_{column}": each for column, each in found.items()})
    return result


def victim(setting):
    """C8."""
    options = ("--runs=2", "--duration=10ms") if setting.quick else ("--runs=5", "--duration=80ms")
    case = Case("victims", "rdma-victim", options, victims, 10.0 if setting.quick else 150.0)

    def spread(row, control):
        return max(row[f"{control}_{flow}_median"] for flow in FLOWS) / min(
            row[f"{control}_{flow}_median"] for flow in FLOWS)

    def pauses(row, control):
        return row[f"{control}_H1_pauses"] + sum(row[f"{control}_{n}_pauses"] for n in range(3))

    return [
        Quantity("PFC alone", "H4 / H1, medians", (case,),
                 lambda row: row["none_H4_median"] / row["none_H1_median"], above(1.5)),
        Quantity("PFC alone", "victim: nobody / two senders at T3", (case,),
                 lambda row: row["none_0_median"] / row["none_2_median"], above(1)),
        Quantity("DCQCN", "largest / smallest of H1 to H4", (case,),
                 lambda row: spread(row, "dcqcn"), at_most(1.25)),
        Quantity("DCQCN", "victim: two senders at T3 / nobody", (case,),
                 lambda row: row["dcqcn_2_median"] / row["dcqcn_0_median"], at_least(0.95)),
        Quantity("DCQCN / PFC alone", "pauses", (case,),
                 lambda row: pauses(row, "dcqcn") / pauses(row, "none"), at_most(0.1), 3),
        Quantity("PFC alone", "victim without senders at T3, Gb/s", (case,),
                 lambda row: row["none_0_median"], report()),
    ]


ROWS = (
    Row("C5", "deadlock on a cyclic buffer dependency: happens, is named, the watchdog breaks it",
        deadlock, seeds=1),
    Row("C6", "a NIC's pause storm stops the fabric; with watchdogs victims have 90% of what is fair",
        storm, seeds=1),
    Row("C7", "slow receiver: dynamic thresholds reduce how far pauses spread", receiver, seeds=1),
    Row("C8", "unfairness and victims under PFC; DCQCN removes most pauses", victim, seeds=1),
)
