# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the pictures of python/rdma_plot.py; they need matplotlib, and no display."""

import dataclasses
import importlib.util
import os
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_plot  # noqa: E402
from ns3_rdma.results import Flow, Port, ResultsError, Run  # noqa: E402

HAVE_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def flow(number, size, fct_us, slowdown):
    """A flow, unfinished if fct_us is None."""
    fct = None if fct_us is None else fct_us * 1e3
    return Flow(number, 0, 1, size, 0.0, fct, fct, 1.0, slowdown, 0, 0, "x")


def port(node, paused):
    """Priority 3 of the one port of a host at a switch, node 9."""
    name = f"host-{node}"
    return Port(
        node, name, 0, f"{name} to leaf-0", 3, *[0] * 10, paused, 0, 100_000_000_000, "host", 9, node
    )


def run_of(flows, ports=(), record=None):
    return Run("folder", tuple(flows), tuple(ports), {"sim_time_us": 50.0}, record or {})


class WithoutMatplotlib(unittest.TestCase):
    def test_says_what_to_install(self):
        # None in sys.modules: an import fails, whether the package is installed or not.
        absent = dict.fromkeys([name for name in sys.modules if name.startswith("matplotlib")])
        message = "pip install -r python/requirements.txt"
        with mock.patch.dict(sys.modules, {**absent, "matplotlib": None}):
            with self.assertRaisesRegex(ResultsError, message):
                rdma_plot.draw_fct_cdf([("a", run_of([flow(0, 1, 1, 1)]))])

    def test_sizes_as_people_write_them(self):
        self.assertEqual(
            [rdma_plot.human_bytes(value) for value in (1, 999, 1000, 2e6, 1.5e9)],
            ["1 B", "999 B", "1 KB", "2 MB", "1.5 GB"],
        )


@unittest.skipUnless(HAVE_MATPLOTLIB, "matplotlib is not installed")
class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            os.environ.pop(name, None)

    def axes(self, figure):
        (axes,) = figure.axes
        return axes

    def labels(self, figure):
        return [text.get_text() for legend in figure.legends for text in legend.get_texts()]

    def test_fct_cdf_counts_flows_that_did_not_finish(self):
        times = (30, 10, None, 20)
        run = run_of([flow(index, 1, time, time and 1) for index, time in enumerate(times)])
        figure = rdma_plot.draw_fct_cdf([("mine", run)])
        (line,) = self.axes(figure).get_lines()
        self.assertEqual(list(line.get_xdata()), [10, 10, 20, 30])
        self.assertEqual(list(line.get_ydata()), [0, 0.25, 0.5, 0.75])
        self.assertEqual(self.labels(figure), ["mine (3 of 4 flows finished)"])

    def test_flows_outside_of_the_window(self):
        flows = [flow(0, 1, 10, 1), flow(1, 1, 20, 1), flow(2, 1, 1000, 50)]
        flows[2] = dataclasses.replace(flows[2], counted=False)
        run = run_of(flows)
        for draw in (rdma_plot.draw_fct_cdf, lambda runs, *more: rdma_plot.draw_slowdown(runs, 1, *more)):
            (line, *_) = self.axes(draw([("mine", run)])).get_lines()
            self.assertLess(max(line.get_ydata()), 2)
            figure = draw([("mine", run)], True)
            self.assertIn("mine (all flows, also outside of the window)", self.labels(figure)[0])
        (line,) = self.axes(rdma_plot.draw_fct_cdf([("mine", run)])).get_lines()
        self.assertEqual(list(line.get_xdata()), [10, 10, 20])
        (line,) = self.axes(rdma_plot.draw_fct_cdf([("mine", run)], True)).get_lines()
        self.assertEqual(list(line.get_xdata()), [10, 10, 20, 1000])
        figure = rdma_plot.draw_pauses("mine", run_of(flows, [port(1, 1000.0)]), 2)
        self.assertEqual(
            self.axes(figure).get_title(loc="left"),
            "mine (whole run, also outside of the window): all paused ports",
        )

    def test_a_cut_run(self):
        run = run_of([flow(0, 1, 1, 1), flow(1, 1, None, None)], (), {"state": "cut", "cut_by": "SIGTERM"})
        label = "mine (cut by SIGTERM at 50 us, 1 of 2 flows finished)"
        self.assertEqual(self.labels(rdma_plot.draw_fct_cdf([("mine", run)])), [label])
        self.assertEqual(
            self.labels(rdma_plot.draw_slowdown([("mine", run)], 1)), [f"{label}: 99%", f"{label}: median"]
        )
        self.assertEqual(rdma_plot.title_of("mine", run), "mine (cut by SIGTERM at 50 us)")

    def test_fct_cdf_of_nothing_finished(self):
        figure = rdma_plot.draw_fct_cdf([("mine", run_of([flow(0, 1, None, None)]))])
        self.assertEqual(self.labels(figure), ["mine (0 of 1 flows finished)"])

    def test_slowdown_by_size(self):
        run = run_of([flow(i, size, 1, slowdown) for i, (size, slowdown) in enumerate(
            [(100, 1), (100, 3), (100, 2), (5000, 10), (5000, 20), (5000, 30)]
        )])
        figure = rdma_plot.draw_slowdown([("mine", run)], 2)
        high, median = self.axes(figure).get_lines()
        self.assertEqual(list(median.get_xdata()), [100, 5000])
        self.assertEqual(list(median.get_ydata()), [2, 20])
        self.assertEqual([round(y, 9) for y in high.get_ydata()], [2.98, 29.8])
        self.assertEqual(self.labels(figure), ["mine: 99%", "mine: median"])
        self.assertIn("at least 3 flows", self.axes(figure).get_xlabel())

    def test_slowdown_of_two_runs_and_of_none_finished(self):
        runs = [("a", run_of([flow(0, 1, 1, 2)])), ("b", run_of([flow(0, 1, None, None)]))]
        figure = rdma_plot.draw_slowdown(runs, 10)
        self.assertEqual(len(self.axes(figure).get_lines()), 4)
        rdma_plot.draw_slowdown(runs[1:], 10)

    def test_pauses_longest_first(self):
        ports = [
            port(node, paused) for node, paused in ((1, 1000.0), (2, 0.0), (3, 4000.0), (4, 2000.0))
        ]
        figure = rdma_plot.draw_pauses("mine", run_of([flow(0, 1, 1, 1)], ports), 2)
        axes = self.axes(figure)
        self.assertEqual([bar.get_width() for bar in axes.patches], [4.0, 2.0])
        self.assertEqual(
            [text.get_text() for text in axes.get_yticklabels()],
            ["host-3 to leaf-0, priority 3", "host-4 to leaf-0, priority 3"],
        )
        self.assertEqual(axes.get_title(loc="left"), "mine: the 2 longest of 3 paused ports")
        self.assertIn("50.0 us since the first flow's start", axes.get_xlabel())

    def test_times_paused_count_from_the_first_flow(self):
        flows = [dataclasses.replace(flow(i, 1, 1, 1), start_ns=start) for i, start in ((0, 3e4), (1, 2e4))]
        run = run_of(flows, [port(1, 1000.0)])
        self.assertEqual(run.active_us, 30.0)
        axes = self.axes(rdma_plot.draw_pauses("mine", run, 2))
        self.assertIn("of 30.0 us since the first flow's start", axes.get_xlabel())

    def test_pauses_without_any(self):
        figure = rdma_plot.draw_pauses("mine", run_of([flow(0, 1, 1, 1)]), 20)
        self.assertEqual(self.axes(figure).get_title(loc="left"), "mine: no port was paused")

    def test_files(self):
        figure = rdma_plot.draw_fct_cdf([("mine", run_of([flow(0, 1, 1, 1), flow(1, 1, 2, 1)]))])
        begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}
        self.assertEqual(tuple(begins), rdma_plot.FORMATS)
        with tempfile.TemporaryDirectory() as folder:
            for extension, begin in begins.items():
                path = os.path.join(folder, "x" + extension)
                rdma_plot.save(figure, path)
                with open(path, "rb") as handle:
                    self.assertEqual(handle.read(len(begin)), begin)
            with self.assertRaisesRegex(ResultsError, "No such file"):
                rdma_plot.save(figure, os.path.join(folder, "none", "x.png"))


if __name__ == "__main__":
    unittest.main()
