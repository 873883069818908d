#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the pictures of this folder, from runs of rdma-fabric and rdma-collective.
#
#     doc/figures/make.sh                                    programs built by tools/with-ns3
#     RDMA_FABRIC=PATH RDMA_COLLECTIVE=PATH PYTHON=PATH doc/figures/make.sh
#                                                            these programs, this interpreter
#
# The interpreter needs what python/requirements.txt lists.

set -eu

cd "$(dirname "$0")/../.."
fabric=${RDMA_FABRIC:-tools/with-ns3 run rdma-fabric}
collective=${RDMA_COLLECTIVE:-tools/with-ns3 run rdma-collective}
plot="${PYTHON:-python3} python/rdma_plot.py"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

$fabric --out="$results/fabric"
$fabric --pfc=off --out="$results/fabric-lossy"
$plot slowdown "PFC on=$results/fabric" "PFC off=$results/fabric-lossy" \
    -o doc/figures/fabric-slowdown.png

$fabric --workload=incast:32 --out="$results/incast"
$fabric --workload=incast:32 --pfc=off --out="$results/incast-lossy"
$plot fct-cdf "PFC on=$results/incast" "PFC off=$results/incast-lossy" \
    -o doc/figures/incast-fct.png
$plot pauses "32-to-1 incast=$results/incast" -o doc/figures/incast-pauses.png

# NAME and FORM: draws a topology.
draw_topology() {
    $fabric --topology="$2" --uplinkRate=100Gbps --workload=incast:1 --bytes=1000 --out="$results/$1"
    $plot fabric "$results/$1" --colour=nic -o "doc/figures/topology-$1.png"
}
draw_topology rail rail:2x3x4x2
draw_topology rail-only 'rail:2x3x4x1[CrossRails=false]'
draw_topology dual-tor dual-tor:2x3x2x2
draw_topology dual-plane dual-plane:2x3x2x2
draw_topology pods pods:3x2x2x1x2

$fabric --topology=dual-tor:2x4x2x2 --uplinkRate=100Gbps --workload=permutation --bytes=2MB --pfc=off \
    --transport=irn --failures=leaf-0-0-0:down:20us --ns3::RdmaNic::FailoverDelay=20us \
    --ns3::QbbRouting::ConvergenceDelay=10us --out="$results/dead-leaf"
$plot fabric "a leaf dies=$results/dead-leaf" -o doc/figures/dual-tor-dead-leaf.png

# NAME and COLLECTIVE: a table of 64 ranks on packets, 1 KiB to 64 MiB.
run_collective() {
    $collective --network=packets --config="$results/packets.conf" --ranks=64 --collective="$2" > "$results/$1.txt"
}
printf '%s\n' --mtu=4096 --buffer=1GB > "$results/packets.conf"
run_collective ring all-reduce-ring
run_collective ring-pipelined 'all-reduce-ring[Chunks=4|Steps=Pipelined]'
run_collective halving all-reduce-halving-doubling
run_collective doubling all-reduce-recursive-doubling
run_collective tree 'all-reduce-double-tree[Chunks=16|Steps=Pipelined]'
run_collective hierarchical all-reduce-hierarchical:8
$plot busbw "ring=$results/ring.txt" "ring, 4 chunks, pipelined=$results/ring-pipelined.txt" \
    "halving-doubling=$results/halving.txt" "recursive doubling=$results/doubling.txt" \
    "double tree, 16 chunks, pipelined=$results/tree.txt" "hierarchical, groups of 8=$results/hierarchical.txt" \
    -o doc/figures/collectives-busbw.png
