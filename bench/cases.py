# SPDX-License-Identifier: GPL-2.0-only
"""The cases of the benchmark: one entry each."""

import dataclasses

from workloads import WORKLOAD_A

# The script of the benchmark puts the folder of the files that workloads.py makes in place of this.
FOLDER = "{folder}"


@dataclasses.dataclass(frozen=True)
class Case:
    """A run that is measured."""

    name: str
    about: str
    arguments: tuple  # arguments of the program
    # What the table shows: the time of a hop, of a flow (the whole process), or of the whole process
    # ("setup"); "memory" for rdma-bench-memory, which prints bytes.
    kind: str = "hop"
    # Instructions and cache misses are counted between these two simulated times, with these
    # arguments; none: no count.
    stops: tuple = ()
    counting: tuple = ()
    threads: bool = False  # two threads are compared with two processes


# All queue pairs are created before the first of the two stops, so that their cost is not counted.
KEEP = "--ns3::RdmaFlowRunner::KeepQueuePairs=true"


def fast(topology, workload, *more):
    """Arguments of a fabric at 400 Gb/s."""
    return (f"--topology={topology}", "--rate=400Gbps", "--uplinkRate=400Gbps", "--mtu=4096",
            f"--workload={workload}", *more)


def poisson(k, duration, *more):
    """Arguments of a fat-tree at 100 Gb/s and 30% load, with DCQCN."""
    return (f"--topology=fat-tree:{k}", "--rate=100Gbps", "--uplinkRate=100Gbps", "--cc=dcqcn",
            "--workload=poisson", "--load=0.3", f"--duration={duration}", *more)


def case_a(name, about, *arguments, **more):
    """A case with workload A. The first 4 ms of 10 ms of arrivals, so that flows come until the end."""
    stops = {} if name == "a-irn" else {"stops": ("2000100us", "2000400us"), "counting": (KEEP,)}
    return Case(
        name,
        about,
        (f"--topology=file:{WORKLOAD_A}/topology.txt", f"--workload=file:{WORKLOAD_A}/flow.txt",
         "--mtu=1000", *arguments, "--stop=2004ms"),
        **stops,
        **more,
    )


def neighbours(pairs):
    """Pairs of neighbours: always the same fabric and number of hops."""
    return Case(
        f"neighbours-{pairs}",
        f"fat-tree:16, {pairs} flows of equal size, each to a host at the same leaf, without queues",
        ("--topology=fat-tree:16", "--rate=100Gbps", "--uplinkRate=100Gbps",
         f"--workload=file:{FOLDER}/neighbours-{pairs}.csv"),
        stops=("10us", "20us") if pairs == 1024 else ("100us", "700us") if pairs == 16 else (),
        counting=(KEEP,),
    )


def storage(k, duration, **more):
    """Storage flows to the end of the last flow, and to the end of arrivals."""
    about = f"fat-tree:{k}, {k**3 // 4} hosts, storage flows, DCQCN"
    whole = poisson(k, duration, "--cdf=storage")
    return [
        Case(f"storage-{k}", f"{about}, to the end of the last flow", whole, **more),
        Case(f"storage-{k}-cut", f"{about}, cut at the end of arrivals", (*whole, f"--stop={duration}")),
    ]


def web_search(k, duration):
    """Web search flows to the end of arrivals."""
    return Case(
        f"web-search-{k}-cut",
        f"fat-tree:{k}, web search flows, DCQCN, cut at the end of arrivals",
        poisson(k, duration, f"--stop={duration}"),
    )


def setup(k):
    """Everything before the first packet, in a process of its own."""
    return Case(
        f"setup-{k}",
        f"fat-tree:{k}, {k**3 // 4} hosts: the process from its start to the first packet",
        (*poisson(k, "3us", "--cdf=storage"), "--checkDeadlock"),
        kind="setup",
        threads=k == 48,
    )


CASES = [
    *(neighbours(pairs) for pairs in (16, 64, 256, 1024)),
    Case("ring-sync", "fat-tree:16, 2 MB from each of 1024 hosts to the next, all at one instant",
         fast("fat-tree:16", f"file:{FOLDER}/ring.csv"), stops=("10us", "15us"), counting=(KEEP,),
         threads=True),
    Case("ring-spread", "fat-tree:16, 2 MB from each of 1024 hosts to the next, starts spread over 1 us",
         fast("fat-tree:16", f"file:{FOLDER}/ring-spread.csv")),
    Case("permutation", "fat-tree:16, 1 MB from each of 1024 hosts to another, DCQCN",
         fast("fat-tree:16", "permutation", "--bytes=1MB", "--cc=dcqcn"), stops=("10us", "15us"),
         counting=(KEEP,)),
    Case("all-to-all", "leaf-spine:16x16x16, 16 KB from each of 256 hosts to each other, DCQCN",
         fast("leaf-spine:16x16x16", f"file:{FOLDER}/all-to-all.csv", "--cc=dcqcn")),
    Case("incast", "fat-tree:16, 100 KB from 1000 hosts to one", fast("fat-tree:16", f"file:{FOLDER}/incast.csv")),
    *storage(8, "600us", threads=True),
    *storage(16, "75us", threads=True),
    *storage(32, "10us"),
    web_search(8, "1000us"),
    web_search(16, "150us"),
    case_a("a", "workload A (bench/workload-a), 64 hosts, RoCE without congestion control"),
    case_a("a-dcqcn", "workload A with DCQCN", "--cc=dcqcn", threads=True),
    case_a("a-irn", "workload A with IRN, without PFC", "--transport=irn", "--pfc=off"),
    Case("short", "fat-tree:8, 144000 flows of 1 KB: the whole process",
         poisson(8, "300us", f"--cdf=file:{FOLDER}/short.cdf"), kind="flow"),
    setup(16),
    setup(32),
    setup(48),
    Case("memory", "heap bytes of hosts, installed flows and queue pairs", ("--queuePairs=200000",), kind="memory"),
]


def find_cases(name):
    """The cases of a name: one, those of a group as "storage", or workload A with a congestion control as "a-hpcc"."""
    found = [case for case in CASES if case.name == name]
    found = found or [case for case in CASES if case.name.startswith(f"{name}-")]
    if not found and name.startswith("a-"):
        found = [case_a(name, f"workload A with --cc={name[2:]}", f"--cc={name[2:]}")]
    return found
