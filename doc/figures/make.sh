#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the pictures of this folder, from runs of rdma-fabric.
#
#     doc/figures/make.sh                                    programs built by tools/with-ns3
#     RDMA_FABRIC=PATH PYTHON=PATH doc/figures/make.sh       this program, this interpreter
#
# The interpreter needs what python/requirements.txt lists.

set -eu

cd "$(dirname "$0")/../.."
fabric=${RDMA_FABRIC:-tools/with-ns3 run rdma-fabric}
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
