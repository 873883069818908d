# SPDX-License-Identifier: GPL-2.0-only
"""Tests that the Python tables and plots show the figures that rdma-fabric prints, for the flows that
the run counts."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "doc")]

import console  # noqa: E402
import ns3_rdma  # noqa: E402
import rdma_plot  # noqa: E402
from ns3_rdma.results import read_run  # noqa: E402

PROGRAM = console.program("rdma-fabric")
HAVE_PANDAS = importlib.util.find_spec("pandas") is not None
WINDOW = ("--warmUp=100us", "--measure=300us")
# Arguments of the runs: name, whether a window leaves flows out, whether flows stay unfinished.
RUNS = {
    "dcqcn": (("--topology=leaf-spine:2x8x2", "--uplinkRate=100Gbps", "--load=0.4", "--cc=dcqcn", *WINDOW), True, False),
    "hpcc": (("--topology=fat-tree:4", "--workload=poisson[LoadOf=Wire]", "--load=0.6", "--cdf=storage", "--cc=hpcc", *WINDOW), True, False),
    "irn": (("--topology=star:8", "--transport=irn", "--pfc=off", "--cdf=hadoop", "--load=0.5", *WINDOW), True, False),
    "stopped": (("--topology=star:8", "--load=0.7", "--stop=350us", *WINDOW), True, True),
    "incast": (("--topology=star:9", "--workload=incast:8", "--bytes=200KB"), False, False),
    "unfinished": (("--topology=star:8", "--load=0.7", "--duration=300us", "--stop=310us"), False, True),
}


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class MeasuredResults(unittest.TestCase):
    """Each test is repeated for all runs, which are performed once."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.printed, cls.folders = {}, {}
        for name, (arguments, _, _) in RUNS.items():
            cls.folders[name] = os.path.join(holder.name, name)
            done = subprocess.run(
                [PROGRAM, *arguments, "--progress=off", f"--out={cls.folders[name]}"],
                capture_output=True, text=True, check=False,
            )
            assert done.returncode in (0, 1), done.stderr
            cls.printed[name] = done.stdout

    def figures(self, name):
        """What the run prints of all sizes: flows, completed, and the averages and percentiles."""
        line = re.search(r"^all +(\d+) +(\d+)(.*)$", self.printed[name], re.M)
        mean, _, p99, mean_slowdown, p99_slowdown = map(float, line[3].split())
        return int(line[1]), int(line[2]), mean, p99, mean_slowdown, p99_slowdown

    def test_what_the_runs_are_for(self):
        for name, (_, leaves_out, is_unfinished) in RUNS.items():
            with self.subTest(name):
                flows, completed, *_ = self.figures(name)
                run = read_run(self.folders[name])
                self.assertEqual(len(run.all_flows) > flows, leaves_out)
                self.assertEqual(flows > completed, is_unfinished)
                self.assertGreater(completed, 1)

    def test_table(self):
        for name in RUNS:
            with self.subTest(name):
                flows, completed, mean, p99, mean_slowdown, p99_slowdown = self.figures(name)
                text = rdma_plot.table([(name, read_run(self.folders[name]))])
                row = text.splitlines()[1].split()
                self.assertEqual(row[:3], [name, str(flows), str(completed)])
                for cell, figure, digit in zip(
                    row[3:7], (mean, p99, mean_slowdown, p99_slowdown), (0.01, 0.01, 0.001, 0.001)
                ):
                    self.assertAlmostEqual(float(cell), figure, delta=1.001 * digit)
                # The reader must know what the averages leave out.
                unfinished = f"{completed} of {flows} flows finished" in text
                self.assertEqual(unfinished, completed < flows, text)
                self.assertEqual("flows that start in the window" in text, RUNS[name][1], text)

    def test_all_flows_are_shown_on_request_and_labelled(self):
        for name, (_, leaves_out, _) in RUNS.items():
            with self.subTest(name):
                run = read_run(self.folders[name])
                text = rdma_plot.table([(name, run)], all_flows=True)
                self.assertEqual(text.splitlines()[1].split()[1], str(len(run.all_flows)))
                self.assertEqual("all flows, also outside of the window" in text, leaves_out)

    def test_plain_rows(self):
        for name in RUNS:
            with self.subTest(name):
                flows, completed, mean, *_ = self.figures(name)
                run = read_run(self.folders[name])
                times = [flow.fct_ns / 1e3 for flow in run.flows if flow.completed]
                self.assertEqual((len(run.flows), len(times)), (flows, completed))
                self.assertAlmostEqual(sum(times) / len(times), mean, delta=0.01)

    @unittest.skipUnless(HAVE_PANDAS, "pandas is not installed")
    def test_pandas_tables(self):
        for name in RUNS:
            with self.subTest(name):
                flows, completed, mean, p99, mean_slowdown, p99_slowdown = self.figures(name)
                tables = ns3_rdma.read_tables(self.folders[name])
                alone = ns3_rdma.read_flow_table(os.path.join(self.folders[name], "flows.csv"))
                for table in (tables.flows, alone):
                    self.assertEqual((len(table), table.fct_ns.count()), (flows, completed))
                    self.assertAlmostEqual(table.fct_ns.mean() / 1e3, mean, delta=0.01)
                    self.assertAlmostEqual(table.fct_ns.quantile(0.99) / 1e3, p99, delta=0.01)
                    self.assertAlmostEqual(table.slowdown.mean(), mean_slowdown, delta=0.001)
                    self.assertAlmostEqual(table.slowdown.quantile(0.99), p99_slowdown, delta=0.001)
                    self.assertNotIn("counted", table)
                everything = ns3_rdma.read_tables(self.folders[name], all_flows=True).flows
                self.assertEqual(len(everything), tables.summary.flows_total[0])
                self.assertEqual(everything.counted.sum(), flows)
                self.assertEqual(everything.counted.dtype, bool)

    def test_run_record(self):
        for name, (arguments, _, is_unfinished) in RUNS.items():
            with self.subTest(name):
                record = ns3_rdma.read_record(self.folders[name])
                self.assertEqual(record["command"][0], os.path.basename(PROGRAM))
                self.assertEqual(record["command"][1:-2], list(arguments))
                given = dict(word[2:].split("=", 1) for word in arguments if word != "--load=0.5")
                self.assertEqual(record["options"], given)
                self.assertEqual(record["state"], "cut" if is_unfinished else "complete")
                self.assertEqual(record["cut_by"], "stop" if is_unfinished else None)
                with open(os.path.join(self.folders[name], "summary.json"), encoding="ascii") as file:
                    summary = json.load(file)
                self.assertEqual(record["counts"]["flows_completed"], summary["flows_completed"])
                self.assertEqual(record["files"]["flows.csv"], summary["digest"])
                self.assertEqual(record["seed"], 1)

    def test_where_a_run_was_cut(self):
        self.assertEqual(read_run(self.folders["stopped"]).cut, "cut at 350 us")
        self.assertEqual(read_run(self.folders["dcqcn"]).cut, "")


if __name__ == "__main__":
    unittest.main()
