# SPDX-License-Identifier: GPL-2.0-only
"""The cases of the benchmark: one entry each."""

import dataclasses
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Case:
    """A run that is measured."""

    name: str
    about: str
    arguments: tuple  # arguments of the program
    program: str = "rdma-bench-fabric"  # or a program that prints a JSON object of bytes
    beside: str = ""  # the case whose cost of a hop is the reference
    # Callgrind counts two runs that end at these times, with these arguments; none: no count.
    stops: tuple = ()
    counting: tuple = ()
    few_flows: tuple = ()  # arguments of the run whose memory is subtracted; none: no count
    counts_hosts: bool = False  # the heap after the set-up is reported for each host


# All queue pairs are created before the first of the two stops, so that their cost is not counted.
KEEP = "--ns3::RdmaFlowRunner::KeepQueuePairs=true"

WORKLOAD_A = (
    f"--topology=file:{HERE}/workload-a/topology.txt",
    f"--workload=file:{HERE}/workload-a/flow.txt",
    "--mtu=1000",
)


def case_a(name, about, *arguments):
    """A case with workload A; the case a is the reference of the others."""
    return Case(
        name,
        about,
        (*WORKLOAD_A, *arguments),
        beside="" if name == "a" else "a",
        stops=("2000100us", "2000400us"),
        counting=(KEEP,),
    )


def fat_tree(k, duration, **more):
    """A fat-tree case. All have equal loads, and durations for about equal numbers of packet-hops."""
    return Case(
        f"k{k}",
        f"fat-tree of {k}-port switches, {k**3 // 4} hosts, storage flows at 30% load, DCQCN",
        (
            f"--topology=fat-tree:{k}",
            "--workload=poisson",
            "--cdf=storage",
            "--load=0.3",
            "--cc=dcqcn",
            f"--duration={duration}",
        ),
        beside="" if k == 8 else "k8",
        counts_hosts=True,
        **more,
    )


CASES = [
    case_a("a", "workload A (bench/workload-a), RoCE without congestion control"),
    case_a("dcqcn", "workload A with DCQCN", "--cc=dcqcn"),
    case_a("irn", "workload A with IRN, without PFC", "--transport=irn", "--pfc=off"),
    fat_tree(8, "600us", stops=("20us", "60us"), counting=("--duration=70us", KEEP)),
    fat_tree(16, "75us"),
    fat_tree(32, "10us"),
    Case(
        "incast",
        "64 hosts send 10 MB each to one host at their switch, with PFC",
        ("--topology=star:65", "--workload=incast:64", "--bytes=10MB"),
        stops=("1ms", "4ms"),
        counting=(KEEP,),
    ),
    Case(
        "flows",
        "10^6 flows of 64 B to 10 KB over 64 hosts at one switch, at 50% load",
        (
            "--topology=star:64",
            "--workload=poisson",
            f"--cdf=file:{HERE}/short-flows.txt",
            "--load=0.5",
            "--duration=7720us",
        ),
        stops=("20us", "70us"),
        counting=("--duration=77us",),
        few_flows=("--duration=77us",),
    ),
    Case(
        "pairs",
        "10^5 pairs of queue pairs, idle and in use; hosts and installed flows: heap bytes",
        ("--queuePairs=200000",),
        program="rdma-bench-memory",
    ),
]


def control_case(name):
    """Workload A with a value of rdma-fabric's --cc."""
    return case_a(f"cc-{name}", f"workload A with --cc={name}", f"--cc={name}")
