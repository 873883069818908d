# SPDX-License-Identifier: GPL-2.0-only
"""Tests of all programs and tools with wrong input: one line on standard error that names what is wrong, status 2, and no
file. (test_wrong_input.py has the files and the combinations of rdma-fabric.)"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from runs_support import ROOT, command, contents, needs_packages, put  # noqa: E402

import built_program  # noqa: E402

EXAMPLES = (
    "rdma-coexistence rdma-collective rdma-deadlock rdma-fabric rdma-first rdma-fluid rdma-headroom rdma-isolation rdma-livelock "
    "rdma-own-buffer rdma-own-column rdma-own-control rdma-own-entropy rdma-own-instrument rdma-own-marker rdma-own-path-selector rdma-own-placement "
    "rdma-own-topology rdma-own-transport rdma-own-workload rdma-parking-lot rdma-pause-storm rdma-perftest rdma-victim"
).split()
BENCHMARKS = ("rdma-bench-fabric", "rdma-bench-memory")

# Arguments that every program refuses.
EVERYWHERE = [
    ("--bogus=1", r"--bogus: there is no such option; --help lists the options$"),
    ("--verson", r"--verson: there is no such option; did you mean --version\?$"),
    ("word", r"'word' is no option; accepted: --NAME=VALUE, in quotes if VALUE has blanks$"),
    ("--RngRun=1.5", r"--RngRun: '1.5'; accepted: 0 to 18446744073709551615$"),
    ("RngRun=2", r"'RngRun=2' is no option; did you mean --RngRun=2\?$"),
    ("--ns3::QbbSwitch::EcmpSed=7", r"there is no such attribute; did you mean --ns3::QbbSwitch::EcmpSeed\?$"),
    ("--ns3::QbbSwitch::EcmpSeed=-1", r"EcmpSeed: EcmpSeed '-1'; accepted: 0 to 4294967295$"),
]

# Program, arguments, end of the message. The files are in the folder where the program runs.
FILES = {
    "t.txt": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
    "twice.conf": "--load=0.4\n--load=0.5\n",
    "list.conf": "--list=cc\n",
    "typo.conf": "# a comment\n--topolgy=star:4\n",
    "number.conf": "--mtu=1024abc\n",
    "preset.conf": "--bufferPreset=trident2\n--buffer=4MB\n",
}
CASES = [
    # Numbers.
    ("rdma-fabric", "--load=50%", r"--load: '50%' is not a number; accepted: 1e-12 to 1e12$"),
    ("rdma-fabric", "--load=0,5", r"--load: '0,5' has a comma; a number has a decimal point and no other separator; accepted: "),
    ("rdma-fabric", "--load=nan", r"--load: 'nan' does not begin with a digit; accepted: "),
    ("rdma-fabric", "--load=inf", r"--load: 'inf' does not begin with a digit; accepted: "),
    ("rdma-fabric", "--load=-0.5", r"--load: '-0.5' is negative; accepted: "),
    ("rdma-fabric", "--loss=0,01", r"--loss: '0,01' has a comma; a number has a decimal point and no other separator; accepted: 0 to 0.999999$"),
    ("rdma-fabric", "--loss=0.01abc", r"--loss: '0.01abc' is not a number; accepted: "),
    ("rdma-fabric", "--loss=nan", r"--loss: 'nan' does not begin with a digit; accepted: "),
    ("rdma-fabric", "--mtu=1024abc", r"--mtu: '1024abc' is not a whole number; accepted: 256 to 4096$"),
    ("rdma-fabric", "--mtu=1024.5", r"--mtu: '1024.5' .*accepted: 256 to 4096$"),
    ("rdma-fabric", "--seed=1.9", r"--seed: '1.9' .*accepted: 1 to 4294944442$"),
    ("rdma-fabric", "--seed=3x", r"--seed: '3x' .*accepted: 1 to 4294944442$"),
    ("rdma-fabric", "--seed=-1", r"--seed: '-1' is negative; accepted: 1 to 4294944442$"),
    ("rdma-fabric", "--seed -1", r"--seed: '-1' is negative; accepted: 1 to 4294944442$"),
    ("rdma-fabric", "--seed=4294967295", r"--seed: 4294967295; accepted: 1 to 4294944442$"),
    ("rdma-fabric", "--seed=99999999999999999999", r"--seed: '9+' is too large; accepted: 1 to 4294944442$"),
    ("rdma-fabric", "'--transport=roce[AckInterval=16x]'", r"AckInterval '16x'; accepted: 1 to \d+$"),
    ("rdma-fabric", "--ns3::QbbSwitch::EcmpSeed=7x", r"EcmpSeed '7x'; accepted: 0 to 4294967295$"),
    ("rdma-fabric", "--ns3::QbbInputPortBuffer::CellBytes=1.5", r"CellBytes '1.5'; accepted: 1 to 65536$"),
    ("rdma-fabric", "'--buffer=shared[BufferSize=4 MB]'", r"BufferSize '4 MB'; accepted: 1 to \d+$"),
    ("rdma-fabric", "--explain=maybe", r"--explain: 'maybe'; accepted: true, false$"),
    ("rdma-fabric", "--duration=0s", r"--duration: 0s; accepted: auto, or a time above 0$"),
    ("rdma-fabric", "--duration=1h", r"--duration: '1h' has the unknown unit 'h'; accepted: "),
    ("rdma-fabric", "--delay=0s", r"--delay: 0s; accepted: 1ps to 1s$"),
    ("rdma-fabric", "--delay=2s", r"--delay: 2s; accepted: 1ps to 1s$"),
    # Options.
    ("rdma-fabric", "topology=star:4 workload=incast:3", r"'topology=star:4' is no option; did you mean --topology=star:4\?$"),
    ("rdma-fabric", "positional", r"'positional' is no option; accepted: "),
    ("rdma-fabric", "--out=my dir/run", r"'dir/run' is no option; accepted: --NAME=VALUE, in quotes"),
    ("rdma-fabric", "--topolgy=star:4", r"--topolgy: there is no such option; did you mean --topology\?$"),
    ("rdma-fabric", "--topo=star:4", r"--topo: there is no such option; did you mean --topology\?$"),
    ("rdma-fabric", "--pfc", r"--pfc has no value; accepted: on, off$"),
    ("rdma-fabric", "--pfc --load=0.5", r"--pfc has no value; accepted: on, off$"),
    ("rdma-fabric", "--topology=", r"--topology has no value; accepted: hosts, switches, links"),
    ("rdma-fabric", "--out=", r"--out has no value; accepted: directory for flows.csv"),
    ("rdma-fabric", "--load=0.5 --load=0.5", r"--load is given twice; accepted: once$"),
    ("rdma-fabric", "--load=0.5 --load 0.6", r"--load is given twice; accepted: once$"),
    ("rdma-fabric", "--", r"'--' is no option; accepted: "),
    ("rdma-fabric", "''", r"'' is no option; accepted: "),
    ("rdma-fabric", "--list=load", r'--list: unknown value "load"; accepted: transport, cc, '),
    ("rdma-fabric", "--progress=maybe", r'--progress: unknown value "maybe"; accepted: auto, on, off$'),
    ("rdma-fabric", "--ns3::QbbSwich::EcmpSeed=7", r"there is no class ns3::QbbSwich; did you mean ns3::QbbSwitch\?$"),
    ("rdma-fabric", "--ns3::RdmaClient::StartTime=1s", r"no such attribute; did you mean --ns3::Application::StartTime\?$"),
    ("rdma-fabric", "--ns3::TcpSocket::SegmentSize=14abc", r"SegmentSize '14abc'; accepted: 0 to 4294967295$"),
    ("rdma-fabric", "--ns3::QbbSwitch=7", r"--ns3::QbbSwitch names no attribute; accepted: "),
    ("rdma-fabric", "--ns3::QbbSwitch::EcmpSeed", r"--ns3::QbbSwitch::EcmpSeed has no value; accepted: "),
    ("rdma-fabric", "--PrintAttributes=ns3::QbbSwich", r"--PrintAttributes: there is no class .*did you mean ns3::QbbSwitch\?$"),
    ("rdma-fabric", "--PrintAttributes", r"--PrintAttributes has no value; accepted: a class"),
    ("rdma-fabric", "--help=all", r"--help has a value; accepted: without a value$"),
    ("rdma-fabric", "--SimulatorImplementationType=ns3::Node", r"'ns3::Node'; accepted: ns3::DefaultSimulatorImpl, "),
    ("rdma-fabric", "--SimulatorImplementationType=ns3::DefaultSimulatorImpl", r"accepted: --simulator=default$"),
    ("rdma-fabric", "--SchedulerType=ns3::MapScheduler", r"--SchedulerType: the program sets this value; accepted: "),
    ("rdma-fabric", "--RngSeed=4", r"--RngSeed: the program sets this value; accepted: --seed$"),
    # Options that contradict each other, or mean nothing.
    ("rdma-fabric", "--threads=2 --simulator=default", r"--threads with --simulator=default; accepted: with --simulator=own$"),
    ("rdma-fabric", "--cdf=hadoop --workload=incast:2", r"--cdf means nothing with --workload=incast:2$"),
    ("rdma-fabric", "--load=0.7 --workload=permutation", r"--load means nothing with --workload=permutation$"),
    ("rdma-fabric", "--bytes=1MB", r"--bytes means nothing with --workload=poisson$"),
    ("rdma-fabric", "--load=0.7 '--workload=poisson[Load=0.5]'", r"--load with --workload=poisson\[.*; accepted: Load by one of"),
    ("rdma-fabric", "--rate=40Gbps --topology=file:t.txt", r"--rate means nothing with --topology=file:t.txt, which has rates"),
    ("rdma-fabric", "--delay=2us --topology=file:t.txt", r"--delay means nothing with --topology=file:t.txt, which has"),
    ("rdma-fabric", "--uplinkRate=40Gbps --topology=star:4", r"--uplinkRate means nothing with --topology=star:4, which has no"),
    ("rdma-fabric", "--checkDeadlock --out=x", r"--out means nothing with --checkDeadlock$"),
    ("rdma-fabric", "--checkDeadlock --instruments=monitor:x.csv", r"--instruments means nothing with --checkDeadlock$"),
    ("rdma-fabric", "--instruments=monitor:x,pause-tree:x", r"pause-tree:x: another instrument writes x; accepted: another file$"),
    ("rdma-fabric", "--buffer=4MB --ns3::QbbSharedBuffer::BufferSize=5000000", r"--buffer=4MB with --ns3::QbbSharedBuffer::Bu"),
    ("rdma-fabric", "--ecn=5KB:6KB:1 --ns3::QbbEcnMarker::Kmin=1000", r"--ecn: 5KB:6KB:1 with --ns3::QbbEcnMarker::Kmin; accep"),
    ("rdma-fabric", "--out=. --instruments=monitor:./flows.csv", r"--instruments: \./flows.csv, which --out writes; accepted: another file$"),
    # Files of options.
    ("rdma-fabric", "--config=none.conf", r"none.conf: cannot be opened"),
    ("rdma-fabric", "--config=twice.conf", r"twice.conf:2: load: is given twice; accepted: once in a file$"),
    ("rdma-fabric", "--config=list.conf", r"list.conf:1: --list is for the command line, not for a file$"),
    ("rdma-fabric", "--config=typo.conf", r"typo.conf:2: --topolgy: there is no such option; did you mean --topology\?$"),
    ("rdma-fabric", "--config=number.conf", r"number.conf:1: --mtu: '1024abc' .*accepted: 256 to 4096$"),
    ("rdma-fabric", "--config=preset.conf", r"preset.conf:1: --bufferPreset: there is no such option; --help lists the options$"),
    # The other programs.
    ("rdma-coexistence", "--loss=1%", r"--loss: '1%' is not a number; accepted: 0 to 0.999999$"),
    ("rdma-coexistence", "--loss=1", r"--loss: 1; accepted: 0 to 0.999999$"),
    ("rdma-coexistence", "--weights=3", r"--weights: '3'; accepted: 2 whole numbers from 1 to 1000, as in 1:1$"),
    ("rdma-coexistence", "--weights=3:x", r"--weights: '3:x'; accepted: 2 whole numbers"),
    ("rdma-coexistence", "--weights=0:1", r"--weights: '0:1'; accepted: 2 whole numbers"),
    ("rdma-coexistence", "--flowControl=None", r'--flowControl: unknown value "None"; accepted: Pfc, Pause$'),
    ("rdma-coexistence", "--duration=0s", r"--duration: 0s; accepted: a time, 1us and above$"),
    ("rdma-coexistence", "--connections=4x", r"--connections: '4x' .*accepted: 1 to 1000$"),
    ("rdma-coexistence", "--rate=10", r"--rate: '10' has no unit; accepted: a rate, "),
    ("rdma-deadlock", "--scenario=square", r'--scenario: unknown value "square"; accepted: ring, failure$'),
    ("rdma-deadlock", "--switch=x", r'--switch: unknown value "x"; accepted: shared, input-queued, crossbar$'),
    ("rdma-deadlock", "--routes=x", r'--routes: unknown value "x"; accepted: shortest, up-down$'),
    ("rdma-deadlock", "--watchdog=soon", r"--watchdog: 'soon' .*accepted: "),
    ("rdma-deadlock", "--watchdog=0s", r"--watchdog: 0s; accepted: off, or a time of 1ns or more$"),
    ("rdma-deadlock", "--bytes=0", r"--bytes: 0; accepted: bytes, 1 and above$"),
    ("rdma-deadlock", "--buffer=8GB", r"--buffer: 8GB; accepted: bytes, 1 to 4294967295$"),
    ("rdma-deadlock", "--delay=0s", r"--delay: 0s; accepted: a time, 1ps to 1s$"),
    ("rdma-fluid", "--flows=0", r"--flows: 0; accepted: 1 to 400$"),
    ("rdma-fluid", "--seeds=x", r"--seeds: 'x' .*accepted: 1 to 10000$"),
    ("rdma-fluid", "--model=x", r'--model: unknown value "x"; accepted: dcqcn, timely, patched-timely$'),
    ("rdma-fluid", "--ecn=5KB:200KB", r'--ecn: "5KB:200KB"; accepted: KMIN:KMAX:PMAX'),
    ("rdma-fluid", "--ecn=6KB:5KB:0.1", r'--ecn: "6KB:5KB:0.1"; accepted: KMIN below KMAX'),
    ("rdma-fluid", "--model=timely --ecn=1KB:2KB:1", r"--ecn means nothing with --model=timely$"),
    ("rdma-fluid", "--startRates=1Gbps", r"--startRates means nothing with --model=dcqcn$"),
    ("rdma-fluid", "--model=timely --startRates=1Gbps", r"--startRates: 1Gbps; accepted: a rate for each of the 4 flows$"),
    ("rdma-fluid", "--sample=1500ns", r"--sample: 1500ns; accepted: whole microseconds$"),
    ("rdma-fluid", "--duration=15us", r"--duration: 15000ns; accepted: twice the time of --sample and more$"),
    ("rdma-collective", "--collective=x", r"--collective: 'x' is no ns3::RdmaCollective; accepted: "),
    ("rdma-collective", "--collective=all-reduce-hierarchical:3", r"--collective: .*: 8 ranks in groups of 3; accepted: "),
    ("rdma-collective", "--network=ideal[Rate=x]", r"--network: .*Rate"),
    ("rdma-collective", "--network=ideal[Delay=10ps]", r"Delay is 10 ps; accepted: whole nanoseconds$"),
    ("rdma-collective", "--network=scale-up[Latency=1ps]", r"Latency is 1 ps; accepted: 2 ps or more$"),
    ("rdma-collective", "--network=scale-up[Rate=1bps]", r"Rate is 1 bit/s; accepted: 1000000 bit/s or more$"),
    ("rdma-collective", "--network=scale-up[Efficiency=0]", r"--network: .*Efficiency"),
    ("rdma-collective", "--network=scale-up[Outer=x]", r"--network: .*'x' is no ns3::RdmaScheduleNetwork"),
    ("rdma-collective", "--collective=all-reduce-in-switch",
     r"in a switch: ns3::RdmaIdealNetwork has no switch that reduces; accepted: --network=scale-up"),
    ("rdma-collective", "--collective=all-reduce-in-switch --network=scale-up --gpus=4",
     r"in a switch with rank 0 of host 0 and rank 4 of host 1; accepted: ranks of one host$"),
    ("rdma-collective", "--collective=all-reduce-in-switch[EagerBytes=1]", r"--collective: .*EagerBytes; accepted: none"),
    ("rdma-collective", "--gpus=0", r"--gpus: 0; accepted: 1 to 65534$"),
    ("rdma-collective", "--maxBytes=100", r"--maxBytes: 100; accepted: 1024 or more"),
    ("rdma-collective", "--topology=star:4", r"--topology means nothing with --network=ideal, which has no packets$"),
    ("rdma-collective", "--network=packets --topology=star:4 --ranks=5", r"--ranks: 5 with --topology=star:4; accepted: 4"),
    ("rdma-collective", "--network=packets --gpus=4", r"--gpus means nothing with packets, whose topology says that$"),
    ("rdma-collective", "--job=module.json", r"module.json: "),
    ("rdma-collective", "--job=x.json --ranks=4", r"--ranks means nothing with --job, whose file says that$"),
    ("rdma-collective", "--timeLine=x.json", r"--timeLine means nothing without --job$"),
    ("rdma-fabric", "--job=x.json --workload=incast:3", r"--workload means nothing with --job$"),
    ("rdma-fabric", "--workload=barrier --load=0.3", r"--load means nothing with --workload=barrier$"),
    ("rdma-fabric", "--workload=all-to-all --transport=iwarp", r"--transport: iwarp with --workload=all-to-all; accepted: "),
    ("rdma-fabric", "--workload=all-to-all --network=ideal", r"--network: ideal, which uses no fabric; accepted: packets"),
    ("rdma-fabric", "--workload=all-to-all --progress=on", r"--progress means nothing with a schedule$"),
    ("rdma-fabric", "--timeLine=x.json", r"--timeLine means nothing with --workload=poisson$"),
    ("rdma-collective", "--type=x", r"--type: .*accepted: int8, half, float, double$"),
    ("rdma-headroom", "--mtu=1024x", r"--mtu: '1024x' is not a whole number; accepted: 256 to 4096$"),
    ("rdma-headroom", "--rates=10Gbps,x", r"--rates: 'x' does not begin with a digit; accepted: "),
    ("rdma-headroom", "--lengths=2,,20", r"--lengths: '' is empty; accepted: "),
    ("rdma-headroom", "--reaction=100", r"--reaction: '100' has no unit; accepted: a time, "),
    ("rdma-isolation", "--weights=3:4", r"--weights: '3:4'; accepted: 3 whole numbers from 1 to 1000, as in 3:4:3$"),
    ("rdma-isolation", "--duration=0s", r"--duration: 0s; accepted: a time, 1us and above$"),
    ("rdma-livelock", "--every=x", r"--every: 'x' .*accepted: 0 and above$"),
    ("rdma-livelock", "--bytes=0", r"--bytes: 0; accepted: bytes, 1 to 2147483648$"),
    ("rdma-livelock", "--duration=0s", r"--duration: 0s; accepted: a time, 1us and above$"),
    ("rdma-own-buffer", "--senders=0", r"--senders: 0; accepted: 1 to 1000$"),
    ("rdma-own-buffer", "--buffer=5GB", r"--buffer: 5GB; accepted: bytes, 1 to 4294967295$"),
    ("rdma-own-column", "--workload=incast:x", r"--workload: .*'x'; accepted: "),
    ("rdma-own-control", "--control=ns3::Nope", r"--control: 'ns3::Nope' is no ns3::RdmaCongestionControl; accepted: "),
    ("rdma-own-control", "--step=foo", r"--step: 'foo' does not begin with a digit; accepted: a rate, "),
    ("rdma-own-control", "--control=ns3::RdmaDcqcn --step=1Mbps", r"--step means nothing with --control=ns3::RdmaDcqcn$"),
    ("rdma-own-instrument", "--instruments=x", r"--instruments: 'x' is no ns3::RdmaInstrument; accepted: "),
    ("rdma-own-marker", "--senders=0", r"--senders: 0; accepted: 1 to 1000$"),
    ("rdma-own-marker", "--target=-1us", r"--target: '-1us' is negative; accepted: a time, "),
    ("rdma-own-marker", "--duration=0s", r"--duration: 0s; accepted: a time, 1us and above$"),
    ("rdma-own-entropy", "--entropy=x", r"--entropy: 'x' is no ns3::RdmaEntropy; accepted: "),
    ("rdma-own-placement", "--placement=x", r"--placement: 'x' is no ns3::RdmaPlacement; accepted: "),
    ("rdma-own-path-selector", "--paths=x", r"--paths: 'x' is no ns3::QbbPathSelector; accepted: "),
    ("rdma-own-topology", "--topology=tours:4x4", r"--topology: 'tours:4x4' .*did you mean torus\?; accepted: "),
    ("rdma-own-transport", "--window=0", r"--window: 0; accepted: 1 to 1000000$"),
    ("rdma-own-workload", "--workload=rnig:16", r"--workload: .*did you mean ring\?; accepted: "),
    ("rdma-parking-lot", "--period=1us", r"--period means nothing without --csv$"),
    ("rdma-parking-lot", "--duration=0s", r"--duration: 0s; accepted: a time, 1ns and above$"),
    ("rdma-parking-lot", "--csv=x.csv --period=0s", r"--period: 0s; accepted: a time, 1ns and above$"),
    ("rdma-parking-lot", "--cc=dcqn", r"--cc: 'dcqn' .*did you mean dcqcn\?; accepted: "),
    ("rdma-pause-storm", "--scenario=x", r'--scenario: unknown value "x"; accepted: storm, receiver$'),
    ("rdma-pause-storm", "--stall=1us", r"--stall means nothing with --scenario=storm$"),
    ("rdma-pause-storm", "--scenario=receiver --start=1ms", r"--start means nothing with --scenario=receiver$"),
    ("rdma-pause-storm", "--start=10us", r"--start: 10us; accepted: a time, 100us and above$"),
    ("rdma-pause-storm", "--poll=30ms", r"--poll: above --detection; accepted: up to --detection$"),
    ("rdma-pause-storm", "--message=1MBx", r"--message: '1MBx' has the unknown unit 'MBx'; accepted: bytes, "),
    ("rdma-perftest", "--iters=100x", r"--iters: '100x' .*accepted: 1 and above$"),
    ("rdma-perftest", "--op=x", r'--op: unknown value "x"; accepted: cas, fadd, read, '),
    ("rdma-perftest", "--op=cas --size=64", r"--size: 64 with --op=cas; accepted: 8$"),
    ("rdma-perftest", "--response=1KB", r"--response means nothing with --pattern=bulk$"),
    ("rdma-perftest", "--size=3GiB", r"--size: 3GiB; accepted: 0 to 2GiB, or all$"),
    ("rdma-perftest", "--depth=0", r"--depth: 0; accepted: 1 to 1048576$"),
    ("rdma-perftest", "--delay=0s", r"--delay: 0s; accepted: 1ps to 1s$"),
    ("rdma-victim", "--runs=0", r"--runs: 0; accepted: 1 to 10000$"),
    ("rdma-victim", "--duration=0s", r"--duration: 0s; accepted: a time, 1us and above$"),
    ("rdma-bench-fabric", "--load=0.5", r"--out: empty; accepted: a directory$"),
    ("rdma-bench-memory", "--queuePairs=999", r"--queuePairs: 999; accepted: 1000 to 100000000$"),
]

# Tools that need nothing but Python and the programs.
TOOLS = [
    ("with-ns3", "nope", r"there is no verb 'nope'; verbs: run test build"),
    ("with-ns3", "run", r"run needs a program; programs: "),
    ("with-ns3", "run nope", r"there is no program 'nope'; programs: "),
    ("with-ns3", "--ns3=1.0 run rdma-fabric", r"--ns3=1.0; accepted: --ns3=package, --ns3=source$"),
    ("with-ns3", "build extra", r"build takes no arguments, not 'extra'$"),
    ("with-ns3", "exec", r"exec needs a command$"),
    ("with-ns3", "bench nope", r"unrecognized arguments: nope; bench --help lists the arguments$"),
    ("with-ns3", "bench --repat=3", r"unrecognized arguments: --repat=3; did you mean --repeat\?$"),
    ("with-ns3", "test --sanitise", r"unrecognized arguments: --sanitise; did you mean --sanitize\?$"),
    ("golden", "", r"the following arguments are required: mode"),
    ("golden", "nope", r"invalid choice: 'nope'"),
    ("golden", "check nope", r"there is no run 'nope'; tools/golden list prints the names$"),
    ("golden", "check --jobs=0", r"--jobs: accepted: 1 and above$"),
    ("golden", "check --jobs=x", r"argument --jobs: invalid int value: 'x'"),
    ("golden", "check --golden=none", r"none/runs.txt: No such file or directory$"),
    ("golden", "check --job=2", r"unrecognized arguments: --job=2; did you mean --jobs\?$"),
    ("check-capture", "", r"the following arguments are required: PCAP"),
    ("check-all", "--frsh", r"unrecognized arguments: --frsh; did you mean --fresh\?$"),
    ("check-all", "nope", r"there is no check 'nope'; checks: "),
]

# Tools and scripts that need the packages of tools/rdma_runs.
GRID = "program: rdma-fabric\nmetrics: [avg_fct_us]\nout: o.csv\ngrid:\n"
PACKAGED = [
    ("tools/sweep", "", r"the following arguments are required: FILE.yaml"),
    ("tools/sweep", "none.yaml", r"none.yaml: No such file or directory$"),
    ("tools/sweep", "empty.yaml", r"empty.yaml:5: grid.cc: an empty list; accepted: a list with one value or more$"),
    ("tools/sweep", "scalar.yaml", r'scalar.yaml:5: grid.cc: "dcqcn"; accepted: a list with one value or more$'),
    ("tools/sweep", "typo.yaml", r"typo.yaml:6: sedes: no such field; accepted: program, "),
    ("tools/sweep", "seeds.yaml", r'seeds.yaml:6: seeds: "-1"; accepted: '),
    ("tools/sweep", "broken.yaml", r"broken.yaml:\d: not YAML: "),
    ("tools/sweep", "--jobs=0 empty.yaml", r'argument --jobs: "0"; accepted: 1 to 1024$'),
    ("tools/sweep", "--scheduler=host:8786 empty.yaml", r'"host:8786"; accepted: tcp://HOST:PORT$'),
    ("tools/sweep", "--scheduler=tcp://host:0 empty.yaml", r'"tcp://host:0"; accepted: tcp://HOST:PORT$'),
    ("tools/sweep", "--scheduler=tcp://host:1 --jobs=2 empty.yaml", r"--jobs: not allowed with argument --scheduler"),
    ("tools/sweep", "--agian empty.yaml", r"unrecognized arguments: --agian; did you mean --again\?$"),
    ("tools/reproduce", "nope", r"there is no page 'nope'; accepted: parking-lot, irn, "),
    ("tools/reproduce", "irn --jobs=x", r'argument --jobs: "x"; accepted: 1 to 1024$'),
    ("tools/reproduce", "irn --row=a", r"unrecognized arguments: --row=a; did you mean --rows\?$"),
    ("python/rdma_plot.py", "", r"the following arguments are required: table\|"),
    ("python/rdma_plot.py", "nope", r"invalid choice: 'nope'"),
    ("python/rdma_plot.py", "slowdown", r"the following arguments are required: RUN, -o/--out"),
    ("python/rdma_plot.py", "slowdown none -o x.png", r"none: there is no such folder; accepted: "),
    ("python/rdma_plot.py", "slowdown . -o x.png", r"\./flows.csv: No such file or directory$"),
    ("python/rdma_plot.py", "fabric . -o x.png --colour=red", r"argument --colour: invalid choice: 'red'"),
    ("python/rdma_plot.py", "monitor none.csv -o x.png", r"none.csv: No such file or directory$"),
    ("python/rdma_fluid_plot.py", "none.csv", r"the following arguments are required: -o/--out"),
    ("python/rdma_fluid_plot.py", "A=none.csv -o x.png", r"none.csv: No such file or directory$"),
    ("python/rdma_cc_table.py", "--bogus", r"unrecognized arguments: --bogus"),
    ("python/rdma_cc_table.py", "--program=false --cc=none", r"no message$"),
    ("bench/run.py", "--repeat=0", r"--repeat: accepted: 1 and above$"),
    ("bench/run.py", "--cases=none", r"--cases: no case 'none'; accepted: "),
]
SWEEPS = {
    "empty.yaml": GRID + "  cc: []\n",
    "scalar.yaml": GRID + "  cc: dcqcn\n",
    "typo.yaml": GRID + "  cc: [none]\nsedes: 2\n",
    "seeds.yaml": GRID + "  cc: [none]\nseeds: -1\n",
    "broken.yaml": GRID + "  cc: [none\n",
}


class WrongArguments(unittest.TestCase):
    """Each case runs in a folder with some files."""

    def check(self, words, pattern, files):
        """Runs a command; returns what is wrong with its answer, or nothing."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                put(folder, name, text)
            done = subprocess.run(
                words, cwd=folder, check=False, text=True, capture_output=True, timeout=120, stdin=subprocess.DEVNULL
            )
            lines = done.stderr.splitlines()
            if done.returncode != 2 or done.stdout or len(lines) != 1 or not re.search(pattern, lines[0]):
                return f"status {done.returncode}, {done.stdout[:200]!r}, {done.stderr[:800]!r}, not /{pattern}/"
            if sorted(os.listdir(folder)) != sorted(files):
                return f"files: {sorted(os.listdir(folder))}"
            return None

    def check_all(self, cases, files):
        """Checks many cases at a time: (title, words, pattern)."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = pool.map(lambda case: self.check(case[1], case[2], files), cases)
        for (title, _, _), answer in zip(cases, answers):
            with self.subTest(title):
                self.assertIsNone(answer)

    @unittest.skipUnless(built_program.find("rdma-fabric"), "the examples are not built")
    def test_programs(self):
        cases = list(CASES)
        cases += [(name, arguments, pattern) for name in (*EXAMPLES, *BENCHMARKS) for arguments, pattern in EVERYWHERE]
        self.check_all(
            [
                (f"{name} {arguments}", [built_program.find(name), *shlex.split(arguments)], rf"\A{name}: .*{pattern}")
                for name, arguments, pattern in cases if name in EXAMPLES or built_program.find(name)
            ],
            FILES,
        )

    @unittest.skipUnless(built_program.find("rdma-fabric"), "the examples are not built")
    def test_every_program_prints_its_help_and_its_version(self):
        for name in EXAMPLES:
            for argument, pattern in (
                ("-h", r"Program Options|General Arguments"), ("--help", r"--PrintAttributes="),
                ("--version", r"\Ardma [0-9.]+ .*ns-3 \S+\n\Z"), ("--PrintAttributes=ns3::QbbSwitch", r"EcmpSeed"),
            ):
                with self.subTest(f"{name} {argument}"):
                    done = subprocess.run(
                        [built_program.find(name), argument], check=False, text=True, capture_output=True, timeout=60
                    )
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertRegex(done.stdout, pattern)

    def test_tools(self):
        self.check_all(
            [(f"{tool} {arguments}", command(tool, *shlex.split(arguments)) if tool != "with-ns3" else
              [os.path.join(ROOT, "tools", tool), *shlex.split(arguments)], pattern)
             for tool, arguments, pattern in TOOLS],
            {},
        )

    @needs_packages
    def test_scripts_with_packages(self):
        self.check_all(
            [(f"{script} {arguments}", [sys.executable, os.path.join(ROOT, script), *shlex.split(arguments)], pattern)
             for script, arguments, pattern in PACKAGED],
            SWEEPS,
        )

    def test_there_is_a_program_for_each_example(self):
        sources = [*os.listdir(os.path.join(ROOT, "examples")), *os.listdir(os.path.join(ROOT, "examples", "own"))]
        self.assertEqual(sorted(EXAMPLES), sorted(name[:-3] for name in sources if name.endswith(".cc")))


@unittest.skipUnless(built_program.find("rdma-fabric"), "the examples are not built")
class RightArguments(unittest.TestCase):
    """Arguments that must not be refused, cut or mistaken."""

    SMALL = ("--topology=star:4", "--workload=incast:3", "--bytes=10KB")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def run_fabric(self, *arguments, stderr=""):
        """Runs rdma-fabric in the folder; returns what it prints."""
        done = subprocess.run(
            [built_program.find("rdma-fabric"), *arguments], cwd=self.folder, check=False, text=True,
            capture_output=True, timeout=120,
        )
        self.assertEqual((done.returncode, done.stderr), (0, stderr))
        return re.sub(r"(?<= packet-hops), .*", "", done.stdout)

    def files(self):
        """All files below the folder."""
        return sorted(
            os.path.relpath(os.path.join(where, name), self.folder)
            for where, _, names in os.walk(self.folder) for name in names
        )

    def test_blanks_and_umlauts_in_paths(self):
        printed = self.run_fabric(
            *self.SMALL, "--out=my dir/Übung 1", "--instruments", "monitor:my ports.csv", "--save-config=a b.conf"
        )
        results = [f"my dir/Übung 1/{name}" for name in ("flows.csv", "ports.csv", "run.json", "summary.json")]
        self.assertEqual(self.files(), sorted(["a b.conf", "my ports.csv", *results]))
        for name in ("my ports.csv", *results):
            os.remove(os.path.join(self.folder, name))
        again = self.run_fabric("--config=a b.conf", "--save-config", "c d.conf")
        self.assertEqual(again, printed)
        self.assertEqual(self.files(), sorted(["a b.conf", "c d.conf", "my ports.csv", *results]))
        self.assertEqual(contents(self.folder, "a b.conf"), contents(self.folder, "c d.conf"))

    def test_an_experiment_is_one_file(self):
        put(
            self.folder, "my experiment.conf",
            "--topology=star:4\n--workload=incast:3\n--bytes=10KB\n--out=my dir\n"
            "--instruments=monitor:my ports.csv\n--threads=2\n",
        )
        self.run_fabric("--config", "my experiment.conf")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "my ports.csv")))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "my dir", "summary.json")))

    def test_the_command_line_overrides_a_file(self):
        put(self.folder, "a.conf", "--buffer=trident2\n--cdf=hadoop\n--load=0.3\n--switch=shared\n")
        both = self.run_fabric("--config=a.conf", *self.SMALL, "--buffer=4MB")
        self.assertEqual(both, self.run_fabric(*self.SMALL, "--buffer=4MB"))
        other = self.run_fabric("--config=a.conf", *self.SMALL, "--switch=input-queued")
        self.assertEqual(other, self.run_fabric(*self.SMALL, "--switch=input-queued"))
        self.run_fabric("--preset=irn", *self.SMALL, "--save-config=irn.conf")
        self.assertIn(b"--ns3::IrnTransport::WriteHeaders=Roce\n", contents(self.folder, "irn.conf"))
        put(self.folder, "b.conf", "--ns3::RdmaNic::CnpInterval=9us\n--transport=roce[AckInterval=4]\n")
        self.run_fabric("--config=b.conf", *self.SMALL, "--ns3::RdmaNic::CnpInterval=7us", "--save-config=c.conf")
        self.assertIn(b"--ns3::RdmaNic::CnpInterval=7us\n", contents(self.folder, "c.conf"))
        self.assertIn(b"--transport=roce[AckInterval=4]\n", contents(self.folder, "c.conf"))

    def test_forms_of_an_argument(self):
        usual = self.run_fabric(*self.SMALL, "--explain=true", "--mtu=512")
        self.assertEqual(usual, self.run_fabric(*self.SMALL, "-explain", "-mtu", "512"))
        self.assertEqual(usual, self.run_fabric("--mtu", "512", *self.SMALL, "--explain", "1"))

    def test_a_load_above_the_line_rate_is_noted(self):
        self.run_fabric(
            "--topology=star:4", "--load=50", "--duration=100ns",
            stderr="rdma: note: a load of 50 is 50 times the line rate of the hosts\n",
        )

    @needs_packages
    def test_sweeps_pass_blanks_on(self):
        put(self.folder, "my topology.txt", FILES["t.txt"])
        put(self.folder, "my sweep.yaml", """\
            program: rdma-fabric
            options: {topology: "file:my topology.txt", workload: permutation}
            grid: {cc: [none, dcqcn]}
            metrics: [avg_fct_us]
            out: my results.csv
        """)
        done = subprocess.run(
            [*command("sweep"), "my sweep.yaml", f"--programs={os.path.dirname(built_program.find('rdma-fabric'))}"],
            cwd=self.folder, check=False, text=True, capture_output=True, timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("my results.csv", self.files())


if __name__ == "__main__":
    unittest.main()
