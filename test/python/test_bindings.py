#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the module in Python: examples/rdma-incast.py, the tables of ns3_rdma, and what pip
install . has installed. They need an interpreter in which this repository is installed by pip:

    tools/with-ns3 python test/python/test_bindings.py
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples", "rdma-incast.py")
# The digest that tools/with-ns3 run rdma-fabric --topology=leaf-spine:2x8x2 --workload=incast:12
# --bytes=100KB prints.
DIGEST = "7bc187817aa8498676d7a8d05f4436b296677d68e3bec2658f55842609320dc2"

try:
    DISTRIBUTION = importlib.metadata.distribution("ns3-rdma")
except importlib.metadata.PackageNotFoundError:
    DISTRIBUTION = None

# A script with the objects of a run and their files. ns-3 cannot start twice in a
# process, and a process that loads it takes half a minute, so there is one for all tests.
SCRIPT = """
import pickle
import sys

import ns3_rdma
from ns import ns

helper = ns.RdmaFabricHelper()
rates = ns.RdmaTopologyRates()
rates.hostRate = rates.uplinkRate = ns.ParseRdmaRate("100Gbps")
rates.delay = ns.ParseRdmaTime("1us")
topology = ns.MakeRdmaDumbbell(2, rates)
fabric = helper.Install(topology)
flows = ns.MakeRdmaFlows("incast:3[Bytes=200000]", topology)
late = ns.RdmaFlow(flows[0])
late.id = 3
late.start = ns.RdmaPs(10**12)  # never starts: the run is stopped before
flows.push_back(late)
runner = ns.RdmaFlowRunner.Make(fabric, flows)
ns.Simulator.Stop(ns.MilliSeconds(1))
ns.Simulator.Run()
tables = (
    ns3_rdma.flow_table(runner), ns3_rdma.port_table(fabric), ns3_rdma.summary_table(fabric, runner)
)
summary = ns.MakeRdmaSummary(runner.GetResults(), fabric.GetTotals())
ns.WriteRdmaReport(sys.argv[1], runner.GetResults(), fabric.GetPortResults(), summary)
with open(sys.argv[2], "wb") as handle:
    pickle.dump(tables, handle)
ns.Simulator.Destroy()
"""

# A fabric whose hosts spread packets over paths that reorder them, with NICs that stand this, and
# with a switch that fails; and the files of the run.
FAILURES = "spine-1:down:20us:60us,leaf-0/spine-0:rate=50%:10us"
SPREAD = """
import pickle
import sys

import ns3_rdma
from ns import ns

helper = ns.RdmaFabricHelper()
helper.SetTransport("roce")
helper.SetTransportAttribute("OutOfOrder", ns.BooleanValue(True))
helper.SetEntropy("turn")
helper.SetDeviceAttribute("FlowControl", ns.StringValue("None"))
rates = ns.RdmaTopologyRates()
rates.hostRate = rates.uplinkRate = ns.ParseRdmaRate("100Gbps")
rates.delay = ns.ParseRdmaTime("1us")
topology = ns.MakeRdmaLeafSpine(2, 4, 2, rates)
fabric = helper.Install(topology)
fabric.InstallFailures(ns.RdmaFailurePlan.Parse(sys.argv[3]))
runner = ns.RdmaFlowRunner.Make(fabric, ns.MakeRdmaFlows("permutation[Bytes=400000]", topology))
ns.Simulator.Run()
tables = (ns3_rdma.flow_table(runner), ns3_rdma.summary_table(fabric, runner))
columns = ns.RdmaResultTables()
ns.AddRdmaReorderingColumns(columns)
results = runner.GetResults()
summary = ns.MakeRdmaSummary(results, fabric.GetTotals(), columns)
ns.WriteRdmaReport(sys.argv[1], results, fabric.GetPortResults(), summary, columns)
with open(sys.argv[2], "wb") as handle:
    pickle.dump(tables, handle)
ns.Simulator.Destroy()
"""
# The same run, as rdma-fabric would make it.
OPTIONS = """
import sys

import ns3_rdma
from ns import ns

options = ns.RdmaFabricOptions()
options.topology = "leaf-spine:2x4x2"
options.rate = options.uplinkRate = "100Gbps"
options.workload = "permutation"
options.bytes = "400KB"
options.transport = "roce[OutOfOrder=true]"
options.entropy = "turn"
options.pfc = "off"
options.failures = sys.argv[1]
run = ns.RdmaFabricRun(options)
run.Run()
outcome = run.GetOutcome()
print(outcome.summary.digest)
ns.Simulator.Destroy()
"""


def python(*arguments):
    """Runs this interpreter in an empty folder, because ns searches the current folder."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False,
            timeout=600,
        )


@unittest.skipUnless(DISTRIBUTION, "pip install . has not been done for this Python")
class Bindings(unittest.TestCase):
    """A Python script that uses the bindings."""

    @classmethod
    def setUpClass(cls):
        import pickle

        import ns3_rdma

        with tempfile.TemporaryDirectory() as folder:
            pickled = os.path.join(folder, "tables")
            result = python("-c", SCRIPT, os.path.join(folder, "out"), pickled)
            if result.returncode != 0:
                raise AssertionError(result.stdout + result.stderr)
            with open(pickled, "rb") as handle:
                cls.flows, cls.ports, cls.summary = pickle.load(handle)
            cls.files = ns3_rdma.read_tables(os.path.join(folder, "out"))

    def dtypes(self, table):
        return {name: str(dtype) for name, dtype in table.dtypes.items()}

    def test_example(self):
        result = python(EXAMPLE)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(
            lines[0].split(), "src dst bytes fct_ns ideal_fct_ns slowdown status".split()
        )
        self.assertEqual(len(lines), 15, result.stdout)
        for line in lines[1:13]:
            self.assertRegex(line, r"^ *\d+ +\d+ +100000 .* IBV_WC_SUCCESS$")
        self.assertRegex(lines[13], r"^0 drops, \d+ pause frames$")
        self.assertEqual(lines[14], f"digest {DIGEST}")

    def test_flow_table(self):
        self.assertEqual(
            self.dtypes(self.flows),
            {
                "id": "int64", "src": "int64", "dst": "int64", "bytes": "int64",
                "start_ns": "float64", "fct_ns": "float64", "cqe_ns": "float64",
                "ideal_fct_ns": "float64", "slowdown": "float64", "retransmitted_packets": "int64",
                "timeouts": "int64", "status": "string",
            },
        )
        self.assertEqual(list(self.flows.id), [0, 1, 2, 3])
        self.assertEqual(list(self.flows.bytes), [200_000] * 4)
        self.assertEqual(list(self.flows.status[:3]), ["IBV_WC_SUCCESS"] * 3)
        self.assertEqual(list(self.flows.slowdown.isna()), [False, False, False, True])
        self.assertEqual(list(self.flows.fct_ns.isna()), [False, False, False, True])
        # Three senders share a link: each byte of the last one has waited for two others.
        self.assertGreater(self.flows.slowdown.max(), 2.5)

    def test_port_table(self):
        self.assertEqual(
            self.dtypes(self.ports),
            {
                "node": "int64", "node_name": "string", "port": "int64", "port_name": "string",
                "priority": "int64", "tx_frames": "int64", "tx_bytes": "int64",
                "rx_frames": "int64", "rx_bytes": "int64", "drops": "int64", "ecn_marks": "int64",
                "xoff_sent": "int64", "xon_sent": "int64", "xoff_received": "int64",
                "xon_received": "int64", "paused_ns": "float64", "peak_queue_bytes": "int64",
                "line_rate_bps": "int64", "role": "string", "peer": "int64", "peer_port": "int64",
            },
        )
        # Four links to hosts and one between the switches, with two ends and eight priorities.
        self.assertEqual(len(self.ports), 5 * 2 * 8)
        self.assertGreater(self.ports.tx_bytes.sum(), 3 * 200_000)
        self.assertEqual(self.ports.drops.sum(), self.summary.drops[0])
        # The summary covers only the queues of switches.
        self.assertLessEqual(self.summary.peak_queue_bytes[0], self.ports.peak_queue_bytes.max())

    def test_summary_table(self):
        self.assertEqual(
            self.dtypes(self.summary),
            {
                "flows_total": "int64", "flows_completed": "int64", "avg_slowdown": "float64",
                "p99_slowdown": "float64", "avg_fct_us": "float64", "p99_fct_us": "float64",
                "drops": "int64", "pause_frames": "int64", "ecn_marks": "int64",
                "peak_queue_bytes": "int64", "packet_hops": "int64", "digest": "string",
            },
        )
        self.assertEqual(len(self.summary), 1)
        row = self.summary.iloc[0]
        self.assertEqual((row.flows_total, row.flows_completed), (4, 3))
        self.assertAlmostEqual(row.avg_fct_us, self.flows.fct_ns.mean() / 1000, places=3)
        self.assertRegex(row.digest, "^[0-9a-f]{64}$")

    def test_tables_equal_those_of_files(self):
        import pandas

        pandas.testing.assert_frame_equal(self.flows, self.files.flows)
        pandas.testing.assert_frame_equal(self.ports, self.files.ports)
        common = self.files.summary[list(self.summary.columns)]
        pandas.testing.assert_frame_equal(self.summary, common)
        self.assertEqual(
            [name for name in self.files.summary if name not in self.summary],
            ["events", "sim_time_us", "cpu_s", "peak_rss_mb"],
        )

    def test_a_run_with_spread_packets_and_failures(self):
        import pickle

        import ns3_rdma

        with tempfile.TemporaryDirectory() as folder:
            pickled = os.path.join(folder, "tables")
            result = python("-c", SPREAD, os.path.join(folder, "out"), pickled, FAILURES)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            with open(pickled, "rb") as handle:
                flows, summary = pickle.load(handle)
            files = ns3_rdma.read_tables(os.path.join(folder, "out"))
        self.assertEqual(list(flows.status), ["IBV_WC_SUCCESS"] * 8)
        # Links go down with frames on them, and the packets are sent again.
        self.assertGreater(summary.drops[0], 0)
        self.assertGreater(flows.retransmitted_packets.sum(), 0)
        self.assertGreater(flows.early_packets.sum(), 0)
        self.assertEqual(list(flows.columns), list(files.flows.columns))
        self.assertEqual(list(flows.reorder_distance), list(files.flows.reorder_distance))
        options = python("-c", OPTIONS, FAILURES)
        self.assertEqual(options.returncode, 0, options.stdout + options.stderr)
        self.assertEqual(options.stdout.split()[-1], summary.digest[0])

    def test_files_of_two_runs(self):
        import ns3_rdma

        with self.assertRaisesRegex(ns3_rdma.ResultsError, "there is no such folder"):
            ns3_rdma.read_tables(os.path.join(ROOT, "nowhere"))


@unittest.skipUnless(DISTRIBUTION, "pip install . has not been done for this Python")
class Installed(unittest.TestCase):
    """The files that pip has installed."""

    def setUp(self):
        self.files = {str(path): path.locate() for path in DISTRIBUTION.files}

    def test_nothing_of_others(self):
        others = {str(path) for path in importlib.metadata.distribution("ns3").files}
        self.assertEqual(sorted(others & set(self.files)), [])
        folders = {"/".join(name.split("/")[:-1]) for name in self.files if "ns3/" in name}
        self.assertEqual(
            folders - {"ns3/lib64", "ns3/include/ns3"}, set(), "only beside what ns-3 has"
        )

    def test_library_can_be_moved(self):
        path = next(path for name, path in self.files.items() if name.endswith("-rdma.so"))
        with open(path, "rb") as handle:
            content = handle.read()
        self.assertIn(b"\0$ORIGIN\0", content)
        for name in (ROOT, os.path.dirname(os.path.dirname(path)), tempfile.gettempdir() + "/pip"):
            self.assertNotIn(os.fsencode(name), content)
        needed = set(re.findall(rb"\0(lib[\w.+-]+\.so[\d.]*)(?=\0)", content))
        self.assertEqual([name for name in needed if b"gsl" in name or b"python" in name], [])


if __name__ == "__main__":
    unittest.main()
