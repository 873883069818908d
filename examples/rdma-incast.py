#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An incast over a leaf-spine fabric, with ns-3's Python bindings.

    pip install .
    python examples/rdma-incast.py
    python examples/rdma-incast.py --senders=15 --bytes=200000

Without your own virtual environment:

    tools/with-ns3 python examples/rdma-incast.py

The script builds the fabric step by step, as your own script would. The C++ program prints the same
digest with these options:

    tools/with-ns3 run rdma-fabric --topology=leaf-spine:2x8x2 --workload=incast:12 --bytes=100KB
"""

import argparse

import ns3_rdma
from ns import ns


def main():
    # Without its usage, argparse answers a wrong argument by one line.
    parser = argparse.ArgumentParser(
        description="RoCE incast over a leaf-spine fabric.", usage=argparse.SUPPRESS
    )
    parser.add_argument("--leaves", type=int, default=2, help="leaf switches (2)")
    parser.add_argument("--hosts", type=int, default=8, help="hosts on each leaf (8)")
    parser.add_argument("--spines", type=int, default=2, help="spine switches (2)")
    parser.add_argument("--senders", type=int, default=12, help="hosts that send (12)")
    parser.add_argument("--bytes", type=int, default=100_000, help="bytes from each sender (100000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choice of hosts (1)")
    options = parser.parse_args()
    for name in ("leaves", "hosts", "spines", "bytes", "seed"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: {getattr(options, name)}; accepted: 1 and above")
    if not 0 < options.senders < options.leaves * options.hosts:
        parser.error(f"--senders: {options.senders}; accepted: 1 to the number of hosts less one")

    helper = ns.RdmaFabricHelper()  # before anything else: it sets ns-3's time resolution
    ns.RngSeedManager.SetSeed(options.seed)

    rates = ns.RdmaTopologyRates()
    rates.hostRate = ns.ParseRdmaRate("100Gbps")
    rates.uplinkRate = ns.ParseRdmaRate("400Gbps")
    rates.delay = ns.ParseRdmaTime("1us")
    topology = ns.MakeRdmaLeafSpine(options.leaves, options.hosts, options.spines, rates)
    fabric = helper.Install(topology)

    flows = ns.MakeRdmaFlows(f"incast:{options.senders}[Bytes={options.bytes}]", topology)
    runner = ns.RdmaFlowRunner.Make(fabric, flows)
    ns.Simulator.Run()

    table = ns3_rdma.flow_table(runner)
    columns = ["src", "dst", "bytes", "fct_ns", "ideal_fct_ns", "slowdown", "status"]
    print(table[columns].to_string(index=False))
    summary = ns3_rdma.summary_table(fabric, runner).iloc[0]
    print(f"{summary.drops} drops, {summary.pause_frames} pause frames")
    print(f"digest {summary.digest}")
    ns.Simulator.Destroy()


if __name__ == "__main__":
    main()
