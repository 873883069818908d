# SPDX-License-Identifier: GPL-2.0-only
"""Input of csg-htsim and uet-htsim: matrices, topologies, slow links, and the closed form of a lone flow."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import console  # noqa: E402
import htsim_support  # noqa: E402

PROGRAM = console.program("rdma-fabric")
MATRIX = """\
Nodes 16
Connections 2

0->15 id 1 start 0 size 200000
3->1 start 1.5 size 4096 prio 2
"""
# The 16 hosts that both programs take without a topology: K = 4.
TOPOLOGY = """\
Nodes 16
Tiers 3
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 1000
"""


class Matrices(unittest.TestCase):
    """Connection matrices."""

    def test_flows(self):
        """Each connection is a flow; starts are in microseconds."""
        self.assertEqual(htsim_support.flows(MATRIX), [(0, 15, 200000, 0.0), (3, 1, 4096, 1.5)])
        self.assertEqual(
            htsim_support.flow_list(MATRIX),
            "id,src,dst,bytes,start_ns\n0,0,15,200000,0.000\n1,3,1,4096,1500.000\n",
        )

    def test_refused(self):
        """What a flow list cannot say."""
        for before, after, message in (
            ("start 0", "trigger 1", "line 4"),
            ("Connections 2", "Connections 3", "2 connections; accepted: 3"),
            ("Nodes 16", "Nodes 15", "a node above 14"),
            ("Nodes 16", "Hosts 16", "line 1: Hosts"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                htsim_support.flows(MATRIX.replace(before, after))

    def test_slow_links(self):
        """The links of -failed: down links of the first agg switch; with two tiers the first spines."""
        self.assertEqual(htsim_support.failed(1, 3, 8), "core-0->agg-0:rate=25%:0us")
        self.assertEqual(
            htsim_support.failed(3, 3, 2),
            "core-0->agg-0:rate=25%:0us,core-2->agg-0:rate=25%:0us,core-1->agg-1:rate=25%:0us",
        )
        self.assertEqual(htsim_support.failed(2, 2, 8), "agg-0:rate=25%:0us,agg-1:rate=25%:0us")


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class Runs(unittest.TestCase):
    """Runs of rdma-fabric."""

    def run_matrix(self, matrix, *arguments):
        """Completion times in us of the flows, and the summary."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("t.topo", TOPOLOGY), ("flows.csv", htsim_support.flow_list(matrix))):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                    handle.write(text)
            done = subprocess.run(
                [PROGRAM, "--topology=file:t.topo", "--workload=file:flows.csv", "--mtu=4096", "--out=out", "--progress=off",
                 "--ns3::QbbNetDevice::LineOverhead=false", *arguments],
                cwd=folder, capture_output=True, text=True, check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "out", "flows.csv"), encoding="utf-8") as handle:
                rows = list(csv.DictReader(handle))
            with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as handle:
                return [float(row["fct_ns"]) / 1000 for row in rows], json.load(handle)

    def test_lone_flow(self):
        """htsim's own closed form, with the sizes of RoCE: six links of 1 us, five switches that store and forward."""
        one = MATRIX.replace("Connections 2", "Connections 1").rsplit("\n", 2)[0] + "\n"
        (fct,), _ = self.run_matrix(one)
        # 49 packets. The first has a RETH of 16 bytes and holds up the others at each switch: 6 times its time.
        first, other, last = 4096 + 62 + 16, 4096 + 62, 200000 - 48 * 4096 + 62
        self.assertAlmostEqual(fct, (6 * first + 47 * other + last) * 0.00008 + 6, places=6)

    def test_slow_link_takes_four_times_as_long(self):
        """A flow over a link of a quarter of the rate."""
        one = MATRIX.replace("Connections 2", "Connections 1").rsplit("\n", 2)[0] + "\n"
        (fct,), _ = self.run_matrix(one, "--failures=tor-7->host-15:rate=25%:0us")
        first, other, last = 4096 + 62 + 16, 4096 + 62, 200000 - 48 * 4096 + 62
        self.assertAlmostEqual(fct, (5 * first + 4 * (first + 47 * other + last)) * 0.00008 + 6, places=6)


if __name__ == "__main__":
    unittest.main()
