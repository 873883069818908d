# SPDX-License-Identifier: GPL-2.0-only
"""Tests of rdma-fabric with wrong input: one message that names what is wrong and what is accepted,
and status 2. (test_wrong_arguments.py has the other programs, test/unit has the errors that no command line can cause.)"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-fabric")

# Two hosts at switch 2.
GOOD_TOPOLOGY = "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n"

SONIC_POOL = '{"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "%s"}}%s}'

# Arguments, files, and the expected parts of the message.
CASES = {
    "SONiC lookup file alone": (
        ["--sonicPgLookup=pg.ini"], {}, r"--sonicPgLookup: pg\.ini without --sonicBuffers; accepted: with it"
    ),
    "SONiC buffers beside a part": (
        ["--sonicBuffers=b.json", "--buffer=trident2"], {}, r"--sonicBuffers means nothing with --buffer=trident2$"
    ),
    "SONiC buffers without a port": (
        ["--sonicBuffers=b.json"], {"b.json": SONIC_POOL % ("3000000", "")},
        r"b\.json: BUFFER_PG: names no port; accepted: at least one",
    ),
    "SONiC size with a unit": (
        ["--sonicBuffers=b.json"], {"b.json": SONIC_POOL % ("3MB", "")},
        r"b\.json:1: BUFFER_POOL\|ingress_lossless_pool: size: '3MB'; accepted: a whole number, 0 to",
    ),
    "SONiC tables without one that counts": (
        ["--sonicQos=q.json"], {"q.json": "{}"}, r"q\.json: neither BUFFER_POOL nor PORT_QOS_MAP is there"
    ),
    "unknown option": (["--bogus=1"], {}, "--bogus: there is no such option; --help lists the options$"),
    "attribute that an option sets": (
        ["--ns3::RdmaQueuePair::PathMtu=512"], {}, r"--ns3::RdmaQueuePair::PathMtu: .*; accepted: --mtu"
    ),
    "attribute that the topology sets": (
        ["--ns3::QbbChannel::Delay=2us"], {}, r"--ns3::QbbChannel::Delay: .*; accepted: --delay, or a topology"
    ),
    "unknown transport": (["--transport=tcp"], {}, r"--transport: 'tcp' is no ns3::RdmaTransport; accepted: iwarp, irn, roce, ns3::IrnTransport"),
    "unknown congestion control": (["--cc=x"], {}, r"--cc: 'x' is no ns3::RdmaCongestionControl; accepted: none, aimd, dcqcn"),
    "DCQCN without marks": (
        ["--cc=dcqcn", "--ecn=off"], {}, r"--ecn: off with --cc=dcqcn; accepted: auto, on, or KMIN:KMAX:PMAX"
    ),
    "HPCC with few acknowledgements": (
        ["--cc=hpcc", "--transport=roce[AckInterval=4]"], {},
        r"--cc: ns3::RdmaHpcc looks at each acknowledgement, and ns3::RoceTransport::AckInterval is 4; accepted: 1"
    ),
    "congestion control with TCP": (
        ["--cc=dcqcn", "--transport=iwarp"], {}, r"--cc: dcqcn with --transport=iwarp; accepted: none"
    ),
    "explanation of TCP": (
        ["--explain=1", "--transport=iwarp", "--pfc=off"], {},
        r"--explain: flows of this transport have no queue pairs; accepted: with roce or irn",
    ),
    "explanation without a run": (
        ["--explain=1", "--checkDeadlock=1"], {}, r"--explain means nothing with --checkDeadlock"
    ),
    "unknown attribute of the explanation": (
        ["--instruments=explain[Bursts=1]"], {}, r"--instruments: 'Bursts' is no attribute of ns3::RdmaExplainReport"
    ),
    "unknown PFC": (["--pfc=maybe"], {}, r'--pfc: unknown value "maybe"; accepted: on, off'),
    "unknown switch": (["--switch=x"], {}, r'--switch: unknown value "x"; accepted: shared'),
    "unknown ECN": (["--ecn=5KB"], {}, r'--ecn: "5KB"; accepted: auto, on, off, or KMIN:KMAX:PMAX'),
    "ECN thresholds reversed": (["--ecn=6KB:5KB:1"], {}, r"--ecn: .*accepted: KMIN at most KMAX"),
    "unknown topology": (["--topology=torus:4"], {}, r"--topology: .*'torus:4'.*fat-tree:K"),
    "odd fat-tree": (
        ["--topology=fat-tree:5"], {}, r"--topology: fat-tree: k: 5; accepted: an even number from 2 to 128"
    ),
    "topology without a number": (["--topology=star"], {}, r"--topology: 'star' .*accepted: star:Hosts"),
    "topology file without a name": (["--topology=file:"], {}, r"--topology: .*Path ''; accepted: .*file:PATH"),
    "loss with a topology file": (
        ["--topology=ns3::RdmaTopologyFile[Path=t]", "--loss=0.1"], {},
        r"--loss: 0\.1; accepted: .*0 with --topology=file",
    ),
    "rails that do not divide the NICs": (
        ["--topology=rail:2x2x4x2[Rails=3]"], {},
        r"--topology: rail: rails: 3 with 4 NICs of a host; accepted: a number that divides 4, or 0 for all of them$",
    ),
    "bond of one port": (
        ["--topology=rail:2x2x4x2[Bonded=true]"], {},
        r"--topology: rail: bonded: true where a NIC has one port; accepted: true with Planes=2 or more, or with "
        r"LeavesPerNic=2$",
    ),
    "pods with half a spine": (
        ["--topology=pods:2x2x3", "--rate=100Gbps", "--uplinkRate=200Gbps"], {},
        r"--topology: pods: leaf ratio: 1 takes 1.5 links up; accepted: a ratio of bit/s down to bit/s up",
    ),
    "unknown placement": (
        ["--placement=x"], {}, r"--placement: 'x' is no ns3::RdmaPlacement; accepted: blocks\[:Hosts\], file\[:Path\], "
    ),
    "job of too many hosts": (
        ["--topology=star:4", "--placement=random:9"], {},
        r"--placement: ns3::RdmaRandomPlacement: for 1 job 9 hosts; accepted: at most 4, which the placement has$",
    ),
    "placement file without a name": (["--placement=file:"], {}, r"--placement: .*Path ''; accepted: .*file:PATH"),
    "placement on no host": (
        ["--topology=star:4", "--placement=file:p"], {"p": "job,host\n0,host-9\n"},
        r"p:2: host: 'host-9' is no host of the topology; accepted: the id or the name of one of the 4 hosts$",
    ),
    "incast of more than the job": (
        ["--topology=star:8", "--placement=blocks:4", "--workload=incast:4"], {},
        r"--workload: .*Senders 4; accepted: 1 to 3",
    ),
    "unknown workload": (
        ["--workload=x"], {}, r"--workload: .*'x'.*accepted: file\[:Path\], incast:Senders, permutation, poisson, ns3::"
    ),
    "incast of nobody": (["--workload=incast"], {}, r"--workload: 'incast' .*accepted: incast:Senders"),
    "value for permutation": (
        ["--workload=permutation:2"], {}, r"--workload: 'permutation:2' .*accepted: permutation$"
    ),
    "file without a name": (["--workload=file:"], {}, r"--workload: .*Path ''; accepted: .*file:PATH"),
    "attribute of another workload": (
        ["--workload=poisson[Bytes=1]"], {},
        r"--workload: 'Bytes' is no attribute of ns3::RdmaPoissonWorkload.*accepted: Cdf",
    ),
    "flows of 0 bytes": (["--workload=incast:2", "--bytes=0"], {}, r"--bytes: ns3::RdmaIncastWorkload: Bytes '0'; accepted: 1 to"),
    "incast of too many": (["--topology=star:4", "--workload=incast:4"], {}, r"--workload: .*4.*3"),
    "unknown distribution": (["--cdf=x"], {}, r"--cdf: .*'x'.*accepted: irn-heavy-tail, .*file:PATH"),
    "unknown distribution beside another workload": (
        ["--workload=incast:2", "--cdf=nonsense"], {}, r"--cdf: .*'nonsense'.*accepted: irn-heavy-tail"
    ),
    "unknown chip": (
        ["--buffer=trident9"], {}, r"--buffer: 'trident9' is no ns3::QbbBufferManager; did you mean trident"
    ),
    "captures in no folder": (
        ["--workload=incast:2", "--instruments=pcap:none/x"], {},
        r"--instruments: none/x: there is no folder none; accepted: a prefix"
    ),
    "stop beyond the clock": (
        ["--workload=incast:2", "--stop=9224s"], {}, r"--stop: '9224s' is too large; accepted: .*9223"
    ),
    "load of something else": (
        ["--workload=poisson[LoadOf=x]"], {},
        r"--workload: ns3::RdmaPoissonWorkload: LoadOf 'x'; accepted: Payload, Wire, WireAcks$"
    ),
    "option that is an attribute": (
        ["--loadOf=wire"], {}, r"--loadOf: there is no such option; accepted: --workload=poisson\[LoadOf=\.\.\.\]$"
    ),
    "option that is an attribute of no part": (
        ["--ecmpSeed=7"], {}, r"--ecmpSeed: there is no such option; accepted: --ns3::QbbSwitch::EcmpSeed=\.\.\.$"
    ),
    "option that is a part": (
        ["--pauseTree=x"], {}, r"--pauseTree: there is no such option; accepted: --instruments=pause-tree:File$"
    ),
    "window of an incast": (
        ["--workload=incast:2", "--measure=1ms"], {}, r"--measure means nothing with --workload=incast:2$"
    ),
    "window without a unit": (["--duration=auto", "--measure=10"], {}, r"--measure: '10' has no unit; accepted"),
    "window of 0": (["--duration=auto", "--measure=0ms"], {}, r"--measure: 0ms; accepted: off, or a time above 0$"),
    "warm-up without a window": (
        ["--warmUp=1ms"], {}, r"--warmUp: 1ms without --measure; accepted: with --measure$"
    ),
    "window and duration": (
        ["--measure=1ms"], {}, r"--duration=1us with a measured window; accepted: --warmUp and --measure without a"
    ),
    "window and duration of the workload": (
        ["--duration=auto", "--workload=poisson[Duration=1ms]", "--measure=1ms"], {},
        r"--workload=poisson\[Duration=1ms\] with a measured window; accepted: --warmUp and --measure without",
    ),
    "window twice": (
        ["--duration=auto", "--workload=poisson[Measure=1ms]", "--measure=1ms"], {},
        r"--measure with --workload=poisson\[Measure=1ms\]; accepted: Measure by one of the two$",
    ),
    "window without flows": (
        ["--duration=auto", "--measure=1ps"], {}, r"--measure: no flow starts from 0ns to 1ps; accepted: a longer time"
    ),
    "no load": (["--load=0"], {}, r"--load: 0; accepted: 1e-12 to 1e12$"),
    "rate of 0": (["--rate=0Gbps"], {}, r"--rate: '0Gbps' is too small; accepted: 1bps to 8Tbps"),
    "uplink rate of 0": (["--uplinkRate=0bps"], {}, r"--uplinkRate: '0bps' is too small; accepted"),
    "rate without unit": (["--rate=100"], {}, r"--rate: '100' has no unit; accepted"),
    "delay of 0": (["--delay=0us"], {}, r"--delay: 0us; accepted: 1ps to 1s$"),
    "small MTU": (["--mtu=255"], {}, r"--mtu: 255; accepted: 256 to 4096"),
    "large MTU": (["--mtu=4097"], {}, r"--mtu: 4097; accepted: 256 to 4096"),
    "no such simulator": (["--simulator=fast"], {}, r"--simulator: 'fast'; accepted: own, default, mpi"),
    "threads as a word": (["--threads=two"], {}, r"--threads: 'two'; accepted: 1 to 256$"),
    "no threads": (["--threads=0"], {}, r"--threads: '0'; accepted: 1 to 256$"),
    "too many threads": (["--threads=300"], {}, r"--threads: '300'; accepted: 1 to 256$"),
    "no seed": (["--seed=0"], {}, r"--seed: 0; accepted: 1 to 4294944442$"),
    "seed that the generator does not take": (
        ["--seed=4294944443"], {}, r"--seed: 4294944443; accepted: 1 to 4294944442$"
    ),
    "no acknowledgements": (
        ["--transport=roce[AckInterval=0]"], {}, r"--transport: ns3::RoceTransport: AckInterval '0'; accepted: 1 to"
    ),
    "timeout without unit": (
        ["--transport=irn[RtoHigh=5]"], {}, r"--transport: ns3::IrnTransport: RtoHigh '5'; accepted: a time"
    ),
    "unknown attribute of TCP": (
        ["--transport=iwarp[Rto=1ms]"], {}, r"--transport: 'Rto' is no attribute of ns3::RdmaTcpFlowRunner that can be set"
    ),
    "no timeout where frames get lost": (
        ["--transport=irn[RtoHigh=0s]", "--pfc=off", "--workload=incast:2"], {},
        r"--transport: irn\[RtoHigh=0s\] without a timeout; frames of class 3 may get lost .*; accepted: a time above 0"
    ),
    "acknowledgement interval with IRN": (
        ["--transport=irn[AckInterval=2]"], {}, r"--transport: 'AckInterval' is no attribute of ns3::IrnTransport"
    ),
    "BDP cap without a number": (
        ["--transport=irn[BdpCap=many]"], {}, r"--transport: ns3::IrnTransport: BdpCap 'many'; accepted: 0 to \d+$"
    ),
    "BDP cap with RoCE": (
        ["--transport=roce[BdpCap=10]"], {}, r"--transport: 'BdpCap' is no attribute of ns3::RoceTransport"
    ),
    "SACK with RoCE": (
        ["--transport=roce[LossRecovery=Sack]"], {},
        r"--transport: ns3::RoceTransport: LossRecovery 'Sack'; accepted: GoBackN"
    ),
    "back-off with SACK": (
        ["--transport=irn[BackOffOnLoss=true]", "--workload=incast:2"], {},
        r"IrnTransport: BackOffOnLoss is on; accepted: only with LossRecovery GoBackN"
    ),
    "certain loss": (["--loss=1"], {}, r"--loss: 1; accepted: 0 to 0.999999$"),
    "unknown entropy": (
        ["--entropy=x"], {},
        r"--entropy: 'x' is no ns3::RdmaEntropy; accepted: none, random\[:Entropies\], reps\[:Entropies\], turn\[:Entropies\]"
    ),
    "entropies of TCP": (
        ["--entropy=turn", "--transport=iwarp"], {},
        r"--entropy: turn with --transport=iwarp; accepted: none, for a connection of TCP"
    ),
    "entropy without marks": (
        ["--entropy=reps", "--ecn=off"], {},
        r"--ecn: off with --entropy=reps; accepted: auto, on, or KMIN:KMAX:PMAX"
    ),
    "too many entropies": (
        ["--entropy=turn:20000"], {},
        r"--entropy: ns3::RdmaTurnEntropy: Entropies '20000'; accepted: .*1 to 16384"
    ),
    "unknown paths": (
        ["--paths=x"], {},
        r"--paths: 'x' is no ns3::QbbPathSelector; accepted: ecmp, adaptive, conga.*, flowlet\[:Gap\], spray, spray-in-turn, wcmp"
    ),
    "unknown routes": (
        ["--ns3::QbbRouting::Algorithm=x"], {}, r"--ns3::QbbRouting::Algorithm: .*'x'; accepted: ShortestPath, UpDown"
    ),
    "flowlet gap": (
        ["--paths=flowlet:x"], {},
        r"--paths: ns3::QbbFlowletPathSelector: Gap 'x'; accepted: a time, 0ns to"
    ),
    "attribute of a part": (
        ["--cc=dcqcn[Gee=1]"], {},
        r"--cc: 'Gee' is no attribute of ns3::RdmaDcqcn that can be set; accepted: AiRate, AlphaPeriod"
    ),
    "value of an enumeration": (
        ["--cc=hpcc[IntFormat=Short]"], {}, r"--cc: ns3::RdmaHpcc: IntFormat 'Short'; accepted: Auto, Paper, Exact"
    ),
    "brackets of a part": (["--cc=dcqcn[G=1"], {}, r"--cc: 'dcqcn\[G=1' has a '\[' without its '\]'"),
    "list of nothing": (["--list=load"], {}, r'--list: unknown value "load"; accepted: transport, cc'),
    "enumeration of an attribute": (
        ["--ns3::RdmaHpcc::IntFormat=Short"], {}, r"--ns3::RdmaHpcc::IntFormat: .*'Short'; accepted: Auto, Paper, Exact"
    ),
    "nearly the name of a part": (["--cc=dcqn"], {}, r"--cc: 'dcqn' .*did you mean dcqcn\?"),
    "an option and an attribute": (
        ["--workload=poisson[Load=0.5]", "--load=0.6"], {},
        r"--load with --workload=poisson\[Load=0.5\]; accepted: Load by one of the two"
    ),
    "unknown marker": (["--marker=x"], {}, r"--marker: 'x' is no ns3::QbbMarker; accepted: none"),
    "unknown buffer": (["--buffer=x"], {}, r"--buffer: 'x' is no ns3::QbbBufferManager; accepted: input-port, shared, tomahawk3"),
    "deadlock check without PFC": (
        ["--checkDeadlock", "--pfc=off"], {}, r"--checkDeadlock with --pfc=off; accepted: with --pfc=on"
    ),
    "ring of two": (["--topology=ring:2"], {}, r"--topology: ns3::RdmaRing: Switches '2'; accepted: 3 to"),
    "retries": (
        ["--transport=roce[RetryCount=-1]"], {}, r"--transport: ns3::RoceTransport: RetryCount '-1'; accepted: 0 to"
    ),
    "failure of no node": (
        ["--failures=spine-7:down:1us"], {}, r"--failures: 'spine-7:down:1us': there is no node 'spine-7'; accepted: a name such as"
    ),
    "failure of no link": (
        ["--failures=host-0/spine-0:down:1us"], {}, r"there is no link between host-0 and spine-0; accepted: a neighbour of host-0: leaf-0$"
    ),
    "failure that ends before it begins": (
        ["--failures=spine-0:down:2us:1us"], {}, r"the stop is not after the start; accepted: a stop after 2us$"
    ),
    "recovery without a failure": (
        ["--failures=spine-0:up:1us"], {}, r"spine-0 comes up at 1000ns and has not gone down before; accepted: an up after a down"
    ),
    "failure to a rate of 0": (
        ["--failures=leaf-0/spine-0:rate=0bps:1us"], {}, r"rate '0bps'; accepted: 1Mbps to 400Gbps, the link's own rate"
    ),
    "failure in a file": (
        ["--failures=f.csv"], {"f.csv": "where,event,start\nspine-0,down,1\n"}, r"--failures: f.csv:2: start: '1' has no unit"
    ),
    "failures without columns": (
        ["--failures=file:f.txt"], {"f.txt": "spine-0,down,1us\n"}, r"f.txt:1: spine-0: an unknown column; accepted: the columns where"
    ),
    "topology of htsim with an unknown key": (
        ["--topology=file:t.topo"], {"t.topo": "Nodes 4\nTires 2\n"}, r"t.topo:2: Tires: an unknown key; accepted: Nodes, Tiers, Podsize"
    ),
    "storm at a switch": (
        ["--storm=64", "--workload=incast:2"], {}, r"--storm: node 64 is not a host; accepted: the id of one of the 64"
    ),
    "storm that ends before it begins": (
        ["--storm=0:2ms:1ms", "--workload=incast:2"], {}, r"--storm: \"0:2ms:1ms\"; accepted: .*a stop after the start"
    ),
    "storm without PFC": (["--storm=0", "--pfc=off"], {}, r"--storm with --pfc=off; accepted: with --pfc=on"),
    "unknown watchdog": (["--watchdog=x"], {}, r'--watchdog: unknown value "x"; accepted: off, drop, forward, alert'),
    "detection time without unit": (
        ["--watchdog=drop", "--ns3::QbbPfcWatchdog::DetectionTime=1"], {},
        r"--ns3::QbbPfcWatchdog::DetectionTime: DetectionTime '1'; accepted: a time"
    ),
    "watchdog that polls seldom": (
        ["--watchdog=drop", "--ns3::QbbPfcWatchdog::PollInterval=1s"], {},
        r"--watchdog: ns3::QbbPfcWatchdog::PollInterval is 1000000000ns; accepted: at most DetectionTime"
    ),
    "receiver without rate": (["--slowReceiver=0"], {}, r'--slowReceiver: "0"; accepted: HOST:RATE'),
    "receiver without headroom": (
        ["--slowReceiver=0:1Gbps:1KB", "--workload=incast:2"], {}, r"--slowReceiver: 1KB; accepted: more than \d+B, which"
    ),
    "trace in no folder": (["--instruments=pause-trace:none/t.json"], {}, r"none/t\.json: cannot be written"),
    "two writers of a file": (
        ["--instruments=pause-trace:t,monitor:t"], {},
        r"--instruments: monitor:t: another instrument writes t; accepted: another file"
    ),
    "instrument without its file": (
        ["--instruments=pause-tree"], {}, r"--instruments: 'pause-tree' .*accepted: pause-tree:File"
    ),
    "interval of 0": (
        ["--instruments=pause-trace:t[Period=0s]"], {}, r"--instruments: ns3::RdmaPauseTrace: Period '0s'; accepted"
    ),
    # A leaf has 20 ports with a headroom and 8 reserves of 1248 B each.
    "buffer too small for its headroom": (
        ["--buffer=1MB", "--workload=incast:2"], {}, r"--buffer: 1MB; accepted: more than \d+B, which the headroom"
    ),
    "buffer of 0": (["--buffer=0B"], {}, r"--buffer: 0B; accepted: 1 byte to 1 TiB, or auto"),
    "unknown preset": (["--preset=x"], {}, r'--preset: unknown value "x"; accepted: none, irn, parking-lot'),
    "unknown switch": (["--switch=x"], {}, r'--switch: unknown value "x"; accepted: shared, input-queued'),
    "SONiC with input queues": (
        ["--sonicBuffers=b.json", "--switch=input-queued"], {}, r"--sonicBuffers means nothing with --switch=input-queued$"
    ),
    "crossbar of a shared buffer": (
        ["--ns3::QbbSwitch::Crossbar=true", "--workload=incast:2"], {}, r"Crossbar.*InputQueued"
    ),
    "shared buffer of input queues": (
        ["--switch=input-queued", "--buffer=shared"], {},
        r"--buffer: 'shared' is no ns3::QbbInputPortBuffer; accepted: input-port"
    ),
    "port buffer too small for its headroom": (
        ["--switch=input-queued", "--buffer=20KB", "--workload=incast:2"], {},
        r"--buffer: 20KB; accepted: at least \d+B, for a port of switch \S+ with its headroom"
    ),
    "slow crossbar": (
        ["--ns3::QbbSwitch::CrossbarSpeedup=0.5"], {}, r"CrossbarSpeedup '0.5'; accepted: 1 to 1000$"
    ),
    "cells of nothing": (
        ["--switch=input-queued", "--buffer=input-port[CellBytes=0]"], {},
        r"--buffer: ns3::QbbInputPortBuffer: CellBytes '0'; accepted: 1 to"
    ),
    "unknown marking": (
        ["--marking=x"], {}, r"--marking: 'x' is no ns3::QbbCongestionDetector; accepted: curve, root, root-victim, threshold"
    ),
    "detector without ECN": (
        ["--marking=root"], {}, r"--marking: root with --ecn=auto and --cc=none; accepted: curve, or"
    ),
    "detector and curve": (
        ["--marking=root", "--cc=rcm", "--ecn=5KB:200KB:0.01"], {},
        r"--ecn: 5KB:200KB:0.01 with --marking=root; accepted: auto or on"
    ),
    "detector with an attribute of another": (
        ["--marking=root[Kmin=5000]"], {}, r"--marking: 'Kmin' is no attribute of ns3::QbbRootDetector"
    ),
    "topology that does not exist": (["--topology=file:none.txt"], {}, r"none\.txt: cannot be opened"),
    "topology with a missing node": (
        ["--topology=file:t.txt"],
        {"t.txt": GOOD_TOPOLOGY.replace("1 2 100", "1 3 100")},
        r"t\.txt:4: node: '3' is too large; accepted: 0 to 2",
    ),
    "topology with a missing link": (
        ["--topology=file:t.txt"],
        {"t.txt": "\n".join(GOOD_TOPOLOGY.splitlines()[:-1]) + "\n"},
        r"t\.txt:.*link",
    ),
    "topology with a host that has no link": (
        ["--topology=file:t.txt"],
        {"t.txt": "4 1 3\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n0 2 100Gbps 1us 0\n"},
        r"t\.txt: .*3.*link",
    ),
    "topology with a rate of 0": (
        ["--topology=file:t.txt"],
        {"t.txt": GOOD_TOPOLOGY.replace("0 2 100Gbps", "0 2 0Gbps")},
        r"t\.txt:3: rate: '0Gbps' is too small; accepted: 1bps to 8Tbps",
    ),
    "distribution that does not end at 1": (
        ["--cdf=file:c.txt"],
        {"c.txt": "1000 0\n2000 50\n3000 99\n"},
        r"c\.txt: share: the last one is 99; accepted: 100, or 1",
    ),
    "flow to itself": (
        ["--workload=file:f.txt"],
        {"f.txt": "1\n0 0 3 100 1000 2.0\n"},
        r"f\.txt:2: a flow from host 0 to itself; accepted: two different hosts",
    ),
    "flow to a switch": (
        ["--workload=file:f.txt"],
        {"f.txt": "1\n0 64 3 100 1000 2.0\n"},
        r"f\.txt:2: .*'?64'?.*accepted: ",
    ),
    "flow of 0 bytes": (
        ["--workload=file:f.txt"],
        {"f.txt": "1\n0 1 3 100 0 2.0\n"},
        r"f\.txt:2: .*'0' is too small; accepted: 1 to",
    ),
}


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class WrongInput(unittest.TestCase):
    def run_program(self, folder, arguments):
        # Short runs. Other workloads have no duration.
        if not any(word.startswith(("--duration=", "--workload=")) for word in arguments):
            arguments = ["--duration=1us", *arguments]
        return subprocess.run(
            [PROGRAM, *arguments], cwd=folder, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def test_messages(self):
        for name, (arguments, files, pattern) in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                for file_name, text in files.items():
                    with open(os.path.join(folder, file_name), "w", encoding="utf-8") as handle:
                        handle.write(text)
                done = self.run_program(folder, arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                messages = done.stderr.splitlines()
                self.assertEqual(done.stdout, "", "nothing ran")
                self.assertRegex(done.stderr, r"\Ardma-fabric: ")
                self.assertEqual(len(messages), 1, done.stderr)
                self.assertRegex(messages[0], pattern)

    def test_right_input(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "t.txt"), "w", encoding="utf-8") as handle:
                handle.write(GOOD_TOPOLOGY)
            done = self.run_program(folder, ["--topology=file:t.txt", "--workload=permutation"])
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
            # The buffer of the message above, and one byte more.
            done = self.run_program(folder, ["--workload=incast:2", "--buffer=1MB"])
            least = int(re.search(r"more than (\d+)B", done.stderr)[1])
            for size, status in ((least, 2), (least + 1, 0)):
                done = self.run_program(folder, ["--workload=incast:2", f"--buffer={size}B"])
                self.assertEqual(done.returncode, status, done.stderr)

    def test_pause_storm(self):
        done = subprocess.run(
            [console.program("rdma-pause-storm"), "--scenario=receiver", "--topology=leaf-spine:2x4x2"],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Ardma-pause-storm: --topology: leaf-spine:2x4x2 with .*; accepted: leaves of 16")

    def test_declared_lines_of_a_topology_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "t.txt"), "w", encoding="utf-8") as handle:
                handle.write(GOOD_TOPOLOGY + "\nFirst line: total node #, switch node #, link #\n")
            done = self.run_program(folder, ["--topology=file:t.txt", "--workload=permutation"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                done.stderr,
                "rdma: warning: t.txt, line 6: 1 line left out after link 2 of 2; the first begins with 'First'\n",
            )

    def test_times_below_a_nanosecond(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--topology=star:3", "--workload=incast:2", "--cc=dcqcn"]
            done = self.run_program(folder, [*arguments, "--ns3::RdmaNic::CnpInterval=1ps"])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = self.run_program(folder, [*arguments, "--ns3::RdmaNic::CnpInterval=0s"])
            self.assertRegex(done.stderr, r"\Ardma: warning: ns3::RdmaDcqcn needs CNPs")

    def test_times_of_a_nic(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, value in [
                ("DoorbellDelay", "-1ns"),
                ("WqeFetchDelay", "soon"),
                ("WqePrefetch", "-1"),
                ("MessageGap", "-1us"),
                ("AckTurnaround", "-1ps"),
                ("CnpDelay", "-55us"),
            ]:
                arguments = ["--topology=star:2", "--workload=permutation", f"--ns3::RdmaNic::{name}={value}"]
                done = self.run_program(folder, arguments)
                self.assertNotEqual(done.returncode, 0, name)
                self.assertIn(f"--ns3::RdmaNic::{name}", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
