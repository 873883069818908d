# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the pictures of python/rdma_plot_time.py and of the readers of their files."""

import importlib.util
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_plot  # noqa: E402
import rdma_plot_time  # noqa: E402
from ns3_rdma.results import ResultsError, read_monitor, read_time_series  # noqa: E402

SAMPLES = """\
time_ns,node,node_name,qp,flow,rate_bps,target_rate_bps,window_bytes,alpha,rtt_ns,in_flight_bytes,\
acknowledged_packets
0.000,0,host-0,2,7,100000000000,,,0.5,,1106,0
1000.000,0,host-0,2,7,50000000000,75000000000,,0.25,4186.880,2212,5
1000.000,1,host-1,2,8,25000000000,,,,,0,0
"""
READINGS = """\
time_ns,node,node_name,port,port_name,priority,tx_frames,tx_bytes,rx_frames,rx_bytes,drops,ecn_marks,\
xoff_sent,xon_sent,xoff_received,xon_received,paused_ns,peak_queue_bytes,queue_bytes,ingress_bytes,\
peak_ingress_bytes,headroom_bytes,peak_headroom_bytes
1000.000,4,leaf-0,1,leaf-0 to host-1,3,1,1086,0,0,0,0,0,0,0,0,0.000,5000,0,0,0,0,0
1000.000,0,host-0,0,host-0 to leaf-0,3,1,1086,0,0,0,0,0,0,1,0,250.000,0,0,,,,
2000.000,4,leaf-0,1,leaf-0 to host-1,3,2,2172,0,0,0,0,0,0,0,0,0.000,0,0,0,0,0,0
4000.000,4,leaf-0,1,leaf-0 to host-1,3,3,3258,0,0,0,0,0,0,0,0,0.000,2000,0,0,0,0,0
"""


class Files(unittest.TestCase):
    def read(self, reader, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
            return reader(path)

    def test_time_series(self):
        first, second, third = self.read(read_time_series, SAMPLES)
        self.assertEqual((first.flow, first.rate_bps, first.alpha, first.rtt_ns), (7, 1e11, 0.5, None))
        self.assertEqual((second.time_ns, second.rtt_ns, second.target_rate_bps), (1000.0, 4186.88, 7.5e10))
        self.assertIsNone(third.alpha)

    def test_monitor(self):
        rows = self.read(read_monitor, READINGS)
        self.assertEqual(rows[0].peak_queue_bytes, 5000)
        self.assertIsNone(rows[1].ingress_bytes)
        self.assertEqual(rows[1].paused_ns, 250.0)

    def test_wrong_files(self):
        with self.assertRaisesRegex(ResultsError, "time_ns: there are 0 columns"):
            self.read(read_time_series, SAMPLES.replace("time_ns", "time"))
        with self.assertRaisesRegex(ResultsError, ':2: alpha: "x"; accepted: a decimal number'):
            self.read(read_time_series, SAMPLES.replace("0.5", "x"))
        with self.assertRaisesRegex(ResultsError, "No such file"):
            read_monitor("/no/such/file.csv")


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
class Pictures(Files):
    def labels(self, figure):
        return [text.get_text() for legend in figure.legends for text in legend.get_texts()]

    def test_flows_in_time(self):
        figure = rdma_plot_time.draw_time_series(self.read(read_time_series, SAMPLES))
        names = [axes.get_ylabel() for axes in figure.axes]
        self.assertEqual(names, ["rate (Gb/s)", "in flight (KB)", "alpha", "round trip (us)"])
        rate, other = figure.axes[0].get_lines()
        self.assertEqual((list(rate.get_xdata()), list(rate.get_ydata())), ([0, 1], [100, 50]))
        self.assertEqual((list(other.get_xdata()), list(other.get_ydata())), ([1], [25]))
        self.assertEqual(list(figure.axes[3].get_lines()[0].get_ydata()), [4.18688])
        self.assertEqual(self.labels(figure), ["flow 7", "flow 8"])

    def test_ports_in_time(self):
        figure = rdma_plot_time.draw_monitor(self.read(read_monitor, READINGS), 6)
        queue = figure.axes[0].get_lines()[0]
        # There is no row at 3 us, because nothing had changed since 2 us.
        self.assertEqual(list(queue.get_xdata()), [0, 1, 2, 3, 4])
        self.assertEqual(list(queue.get_ydata()), [0, 5, 0, 0, 2])
        (paused,) = figure.axes[1].get_lines()
        self.assertEqual(list(paused.get_ydata()), [0, 25])
        self.assertEqual(self.labels(figure), ["leaf-0 to host-1, priority 3", "host-0 to leaf-0, priority 3"])

    def test_shares_of_a_run_whose_flows_start_late(self):
        late = re.sub("(?m)^([1-4])000.000", r"200\g<1>000.000", READINGS)
        figure = rdma_plot_time.draw_monitor(self.read(read_monitor, late), 6)
        (paused,) = figure.axes[1].get_lines()
        self.assertEqual(list(paused.get_xdata()), [2000, 2001])
        self.assertEqual(list(paused.get_ydata()), [0, 25])

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for verb, text in (("timeseries", SAMPLES), ("monitor", READINGS)):
                source = os.path.join(folder, f"{verb}.csv")
                picture = os.path.join(folder, f"{verb}.png")
                with open(source, "w", encoding="utf-8") as handle:
                    handle.write(text)
                self.assertEqual(rdma_plot.main([verb, source, "-o", picture]), 0)
                self.assertGreater(os.path.getsize(picture), 5000)
                with open(source, "w", encoding="utf-8") as handle:
                    handle.write(text.split("\n")[0] + "\n")
                self.assertEqual(rdma_plot.main([verb, source, "-o", picture]), 2)


if __name__ == "__main__":
    unittest.main()
