# SPDX-License-Identifier: GPL-2.0-only
"""Tests of python/rdma_fluid_plot.py and python/rdma_cc_table.py."""

import importlib.util
import os
import shlex
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_cc_table  # noqa: E402
import rdma_fluid_plot  # noqa: E402
from ns3_rdma.results import ResultsError  # noqa: E402

HAVE_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
HEADER = "time_us,fluid_queue_bytes,packet_queue_bytes,fluid_rate_1_bps,packet_rate_1_bps\n"
SUMMARY = {
    "flows_completed": 63, "flows_total": 64, "pause_frames": 5, "drops": 6, "ecn_marks": 7,
    "peak_queue_bytes": 1_234_567, "avg_fct_us": 1500.0, "p99_fct_us": None,
}


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "a.csv")
        with open(path, "w", encoding="ascii") as handle:
            handle.write(text)
        return path

    def test_columns(self):
        columns = rdma_fluid_plot.read_columns(self.write(HEADER + "0,1,2,3,4\n10,5,6,7,8\n"))
        self.assertEqual(columns["time_us"], [0, 10])
        self.assertEqual(columns["packet_rate_1_bps"], [4, 8])

    def test_wrong_files(self):
        for text, message in (
            ("", "a.csv:1: not a file that rdma-fluid writes"),
            ("id,src\n", "a.csv:1: not a file"),
            (HEADER, "a.csv: no rows"),
            (HEADER + "0,1\n", "a.csv:2: 2 fields; accepted: 5"),
            (HEADER + "0,1,2,3,x\n", 'a.csv:2: packet_rate_1_bps: "x" is no number'),
        ):
            with self.assertRaisesRegex(ResultsError, message):
                rdma_fluid_plot.read_columns(self.write(text))
        with self.assertRaisesRegex(ResultsError, "none.csv"):
            rdma_fluid_plot.read_columns("none.csv")

    def test_means_of_runs(self):
        self.assertEqual(rdma_fluid_plot.thin([1, 3, 5, 7, 9], 3), [2, 6, 9])
        self.assertEqual(rdma_fluid_plot.thin([1, 3], 3), [1, 3])

    @unittest.skipUnless(HAVE_MATPLOTLIB, "needs matplotlib")
    def test_picture(self):
        rows = "".join(f"{10 * i},{i},{2 * i},{i}e9,{i}e9\n" for i in range(1000))
        path = self.write(HEADER + rows)
        figure = rdma_fluid_plot.draw([("one", rdma_fluid_plot.read_columns(path))], 5)
        queue, rates = figure.axes
        self.assertEqual(queue.get_title(loc="left"), "one")
        self.assertLessEqual(max(queue.lines[0].get_xdata()), 5)
        self.assertEqual(len(rates.lines), 2)
        columns = rdma_fluid_plot.read_columns(path)
        for count, drawn, width in ((4, 8, 9.1), (6, 12, 7.2), (5, 10, 7.2)):
            figure = rdma_fluid_plot.draw([(str(i), columns) for i in range(count)], None)
            self.assertEqual(sum(len(axes.lines) > 0 for axes in figure.axes), drawn)
            self.assertEqual(sum(axes.axison for axes in figure.axes), drawn)
            self.assertAlmostEqual(figure.get_figwidth(), width)
        picture = os.path.join(self.folder.name, "a.png")
        self.assertEqual(rdma_fluid_plot.main([path, "-o", picture]), 0)
        self.assertGreater(os.path.getsize(picture), 1000)
        self.assertEqual(rdma_fluid_plot.main([path, "-o", "a.txt"]), 2)


class Table(unittest.TestCase):
    def test_line(self):
        self.assertEqual(
            rdma_cc_table.line_of("x", SUMMARY), "| x | 63 of 64 | 5 | 6 | 7 | 1.23 | 1.50 | - |"
        )

    def test_names_are_those_that_the_program_lists(self):
        listed = "printf '%s\\n' --cc '  dcqcn  ns3::RdmaDcqcn  text' '  rcm  ns3::RdmaRcm  text'"
        self.assertEqual(
            rdma_cc_table.names_of(f"sh -c {shlex.quote(listed)}"),
            ["none", "dcqcn", "rcm", "none/irn", "aimd/irn"],
        )
        with self.assertRaisesRegex(rdma_cc_table.RunError, "--list=cc"):
            rdma_cc_table.names_of("false")

    def test_a_run_that_fails_says_so(self):
        with self.assertRaisesRegex(rdma_cc_table.RunError, "--cc=dcqcn"):
            rdma_cc_table.summary_of("false", "dcqcn", [])
        with self.assertRaisesRegex(rdma_cc_table.RunError, "--transport=irn --pfc=off"):
            rdma_cc_table.summary_of("false", "aimd/irn", ["--seed=2"])


if __name__ == "__main__":
    unittest.main()
