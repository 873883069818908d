# SPDX-License-Identifier: GPL-2.0-only
"""Runs other simulators beside the module, on one core, in turns. Their programs are the user's: nothing here fetches or
builds them.

    htsim    csg-htsim's htsim_roce. Of the original, flows must start at the times of the connection matrix, and the check
             that refuses uplinks that are faster than the links of hosts must be left out.
    hpcc     HPCC's simulator, build/scratch/third, with its libraries in build/.

The cases: the flows of workload A that start in its first 2 ms, to the end of the last flow; and 2 MB from each of 1024
hosts to another, which csg-htsim's RoCE sends over one path. Both sides are measured as whole processes."""

import dataclasses
import os
import pathlib
import sys
from typing import Callable

from measure import ratio, spread
from workloads import WORKLOAD_A

# Leaf-spine of workload A for csg-htsim.
HTSIM_A = """\
Nodes 64
Tiers 2
Podsize 64
Tier 0
Downlink_speed_Gbps 100
Radix_Down 16
Radix_Up 4
Downlink_Latency_ns 1000
Oversubscribed 1
Tier 1
Downlink_speed_Gbps 400
Radix_Down 4
Downlink_Latency_ns 1000
"""
# The parameters that run.py of HPCC's simulator has for dcqcn at 100 Gb/s, without traces and monitors of queues.
HPCC_A = """\
ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE {topology}
FLOW_FILE a-2ms.txt
TRACE_FILE trace.txt
TRACE_OUTPUT_FILE trace.tr
FCT_OUTPUT_FILE fct.txt
PFC_OUTPUT_FILE pfc.txt
SIMULATOR_STOP_TIME 2.10
CC_MODE 1
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 20Mb/s
RATE_HAI 200Mb/s
MIN_RATE 1000Mb/s
DCTCP_RATE_AI 1000Mb/s
ERROR_RATE_PER_LINK 0.0000
L2_CHUNK_SIZE 4000
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
HAS_WIN 0
GLOBAL_T 1
VAR_WIN 0
FAST_REACT 0
U_TARGET 0.95
MI_THRESH 0
INT_MULTI 1
MULTI_RATE 0
SAMPLE_FEEDBACK 0
PINT_LOG_BASE 1.01
PINT_PROB 1.0
RATE_BOUND 1
ACK_HIGH_PRIO 1
LINK_DOWN 0 0 0
ENABLE_TRACE 0
KMAX_MAP 2 100000000000 1600 400000000000 6400
KMIN_MAP 2 100000000000 400 400000000000 1600
PMAX_MAP 2 100000000000 0.20 400000000000 0.20
BUFFER_SIZE 32
QLEN_MON_FILE qlen.txt
QLEN_MON_START 4000000000
QLEN_MON_END 4000000001
"""


@dataclasses.dataclass(frozen=True)
class Beside:
    """A run of another simulator and the run of the module that has the same flows."""

    name: str
    about: str
    peer: str  # name of the simulator
    arguments: tuple
    own: tuple
    flows: int
    completed: Callable  # the number of completed flows, from the folder and the simulator's output


def finished(folder, text):
    """Flows that csg-htsim reports as finished."""
    return text.count(" finished at ")


def fct_lines(folder, text):
    """Flows in the result file of HPCC's simulator."""
    return len(pathlib.Path(folder, "fct.txt").read_text().splitlines())


PFC = ("-q", "5000", "-pfc_thresholds", "900", "1000", "-queue_type", "lossless_input")
OWN_A = (f"--topology=file:{WORKLOAD_A}/topology.txt", "--workload=file:a-2ms.txt", "--mtu=1000")
CASES = [
    Beside("a, csg-htsim", "workload A, the flows of 2 ms, RoCE and PFC without congestion control", "htsim",
           ("-nodes", "64", "-topo", "a.topo", "-tm", "a-2ms.cm", "-strat", "ecmp_host", "-paths", "64", "-mtu", "1000",
            "-linkspeed", "100000", "-end", "100000", *PFC),
           OWN_A, 488, finished),
    Beside("a, HPCC's simulator", "workload A, the flows of 2 ms, DCQCN", "hpcc", ("hpcc.txt",),
           (*OWN_A, "--cc=dcqcn"), 488, fct_lines),
    Beside("permutation, csg-htsim", "2 MB from each of 1024 hosts to another over one path, RoCE and PFC", "htsim",
           ("-nodes", "1024", "-tm", "permutation.cm", "-strat", "ecmp_host", "-paths", "1", "-mtu", "4096",
            "-linkspeed", "400000", "-end", "100000", *PFC),
           ("--topology=fat-tree:16", "--rate=400Gbps", "--uplinkRate=400Gbps", "--mtu=4096",
            "--workload=file:permutation.csv"),
           1024, finished),
]
PEERS = {"htsim": "csg-htsim", "hpcc": "HPCC's simulator"}


def write_files(folder):
    """Writes what the other simulators read besides flows."""
    files = {"a.topo": HTSIM_A, "hpcc.txt": HPCC_A.format(topology=WORKLOAD_A / "topology.txt"), "trace.txt": "0\n"}
    for name, text in files.items():
        pathlib.Path(folder, name).write_text(text)


def environment(program):
    """The environment of another simulator, whose libraries are in its folder or in one above it."""
    folders = [str(folder) for folder in pathlib.Path(program).resolve().parents][:2]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def run_peer(place, case, program):
    """CPU seconds of a run of another simulator."""
    out = os.path.join(place.folder, "peer.log")
    with open(out, "w", encoding="utf-8") as log:
        done = place.finish([program, *case.arguments], {place.core}, environment(program), log)
    text = pathlib.Path(out).read_text(encoding="utf-8", errors="replace")
    completed = case.completed(place.folder, text) if done["status"] == 0 else -1
    if completed != case.flows:
        sys.exit(f"bench: {case.name}: {completed} of {case.flows} flows are completed\n{text[-500:]}{done['errors']}")
    return done["process_s"]


def run_own(place, case):
    """CPU seconds of a run of the module."""
    out = os.path.join(place.folder, "out")
    done = place.finish([place.this.program, *case.own, "--progress=off", f"--out={out}"], {place.core}, place.this.env)
    if done["status"] != 0:
        sys.exit(f"bench: {case.name} failed:\n{done['errors']}")
    return done["process_s"]


def compare(place, programs, repeat):
    """The rows of all cases whose simulators are given."""
    write_files(place.folder)
    cases = [case for case in CASES if case.peer in programs]
    found = {case.name: ([], []) for case in cases}
    for turn in range(repeat):
        for case in cases:
            print(f"bench: {case.name}, run {turn + 1} of {repeat}", file=sys.stderr)
            found[case.name][0].append(run_own(place, case))
            found[case.name][1].append(run_peer(place, case, os.path.abspath(programs[case.peer])))
    return {
        case.name: {
            "about": case.about,
            "own_s": spread(found[case.name][0], 2),
            "peer_s": spread(found[case.name][1], 2),
            "peer_to_own": ratio(found[case.name][1], found[case.name][0]),
            "ratios": spread([b / a for a, b in zip(*found[case.name])], 2),
        }
        for case in cases
    }
