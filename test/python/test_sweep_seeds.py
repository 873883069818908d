# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/sweep --seeds: its table, its files, and what it refuses."""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from runs_support import HAS_PACKAGES, command, contents, make_program, needs_packages, put  # noqa: E402

import built_program  # noqa: E402

if HAS_PACKAGES:
    from rdma_runs import seeds

HAS_FABRIC = built_program.find("rdma-fabric")
# What a program printed that performed the runs itself, one after the other, in C++.
STORAGE = """\
seeds 3 to 5            runs           mean       +- (95%)          least       greatest
flows_total                3         62.000         21.656         56.000         72.000 flows
flows_completed            3         62.000         21.656         56.000         72.000 flows
avg_slowdown               3          1.214          0.263          1.109          1.321
p99_slowdown               3          2.276          1.070          1.920          2.755
avg_fct_us                 3          9.542         10.388          6.759         14.350 us
p99_fct_us                 3        170.047        328.426         83.650        322.244 us
drops                      3          0.000          0.000          0.000          0.000 frames
pause_frames               3          0.000          0.000          0.000          0.000 frames
ecn_marks                  3          0.000          0.000          0.000          0.000 packets
peak_queue_bytes           3      38156.000      79323.418       9216.000      72412.000 bytes
packet_hops                3      13601.333       9873.342       9984.000      17856.000 frames
wrote seeds.csv and seed-3 to seed-5 to results
"""
WINDOW = """\
seeds 1 to 2            runs           mean       +- (95%)          least       greatest
flows_total                2        359.500       2458.650        166.000        553.000 flows
flows_completed            2        328.000       2160.054        158.000        498.000 flows
avg_slowdown               2          2.040          3.683          1.750          2.330
p99_slowdown               2         16.801         75.333         10.872         22.730
avg_fct_us                 2          9.056         45.634          5.464         12.647 us
p99_fct_us                 2         87.148        762.889         27.107        147.189 us
drops                      2          0.000          0.000          0.000          0.000 frames
pause_frames               2          3.000         38.119          0.000          6.000 frames
ecn_marks                  2          0.000          0.000          0.000          0.000 packets
peak_queue_bytes           2    1197847.000   11916954.387     259962.000    2135732.000 bytes
packet_hops                2      52879.500     463477.704      16403.000      89356.000 frames
counted_flows              2         84.000         25.412         82.000         86.000 flows
counted_completed          2         84.000         25.412         82.000         86.000 flows
slice1_avg_fct_us          2          6.594         37.920          3.610          9.578 us
slice1_avg_slowdown        2          1.450          1.367          1.343          1.558
slice2_avg_fct_us          2          5.783          5.850          5.322          6.243 us
slice2_avg_slowdown        2          1.700          4.717          1.329          2.071
slice3_avg_fct_us          2         13.443        109.179          4.850         22.036 us
slice3_avg_slowdown        2          1.990          2.070          1.827          2.153
slice4_avg_fct_us          2          8.559         20.282          6.963         10.155 us
slice4_avg_slowdown        2          2.841          6.691          2.315          3.368
fct_trend                  2          0.662          0.988          0.584          0.739
wrote seeds.csv and seed-1 to seed-2 to .
"""
WINDOW_CSV = """\
metric,unit,seeds,mean,error,least,greatest
flows_total,flows,2,359.5,2458.6497,166,553
flows_completed,flows,2,328,2160.054,158,498
avg_slowdown,,2,2.0403154826541323,3.6833653737528644,1.7504282328270506,2.330202732481214
p99_slowdown,,2,16.80077507785181,75.33266558721958,10.871963506554367,22.729586649149255
avg_fct_us,us,2,9.055552194554739,45.6340272339584,5.464075023255814,12.647029365853664
p99_fct_us,us,2,87.14786341999971,762.8892607617789,27.107154100000123,147.1885727399993
drops,frames,2,0,0,0,0
pause_frames,frames,2,3,38.1186,0,6
ecn_marks,packets,2,0,0,0,0
peak_queue_bytes,bytes,2,1197847,11916954.387,259962,2135732
packet_hops,frames,2,52879.5,463477.70430000004,16403,89356
counted_flows,flows,2,84,25.4124,82,86
counted_completed,flows,2,84,25.4124,82,86
slice1_avg_fct_us,us,2,6.593904791666668,37.92030121912502,3.6095112499999993,9.578298333333336
slice1_avg_slowdown,,2,1.4500937983581275,1.366596367988821,1.3425402915670475,1.5576473051492075
slice2_avg_fct_us,us,2,5.782842740740741,5.849591883199991,5.322469703703705,6.2432157777777775
slice2_avg_slowdown,,2,1.700119995903186,4.716700597776247,1.3289074699098722,2.0713325218965
slice3_avg_fct_us,us,2,13.442931267857144,109.17924730370359,4.850334952380952,22.035527583333334
slice3_avg_slowdown,,2,1.9896204705202771,2.069692855779486,1.8267320494518628,2.1525088915886914
slice4_avg_fct_us,us,2,8.559043718531468,20.282289187704546,6.962792346153846,10.15529509090909
slice4_avg_slowdown,,2,2.841365781296389,6.690811499895506,2.3147872999333137,3.367944262659464
fct_trend,,2,0.661713748785915,0.9879549114559283,0.5839599820062383,0.7394675155655918
"""
CUT = """\
seed 1: 3 of 3 flows did not finish
seed 2: 3 of 3 flows did not finish

seeds 1 to 2            runs           mean       +- (95%)          least       greatest
flows_total                2          3.000          0.000          3.000          3.000 flows
flows_completed            2          0.000          0.000          0.000          0.000 flows
avg_slowdown               0              -              -              -              -
p99_slowdown               0              -              -              -              -
avg_fct_us                 0              -              -              -              - us
p99_fct_us                 0              -              -              -              - us
drops                      2          0.000          0.000          0.000          0.000 frames
pause_frames               2          0.000          0.000          0.000          0.000 frames
ecn_marks                  2          0.000          0.000          0.000          0.000 packets
peak_queue_bytes           2      98826.000          0.000      98826.000      98826.000 bytes
packet_hops                2        269.000          0.000        269.000        269.000 frames
"""


@needs_packages
class Seeds(unittest.TestCase):
    """The tool with a program made up for it, and with rdma-fabric."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)
        self.fake = make_program(self.folder)

    def sweep(self, *words, status=0):
        """Runs the tool; returns its output and its messages."""
        done = subprocess.run(
            command("sweep", *words), cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def starts(self):
        """How often the made-up program was started."""
        return contents(self.folder, "log").count(b"\n")

    @unittest.skipUnless(HAS_FABRIC, "rdma-fabric is not on the PATH")
    def test_the_table_of_flow_sizes(self):
        printed, _ = self.sweep(
            "--seeds=3", "--jobs=2", f"--programs={os.path.dirname(HAS_FABRIC)}", "rdma-fabric", "--topology=star:4",
            "--cdf=storage", "--duration=100us", "--seed=3", "--instruments=monitor:{folder}/series/ports.csv", "--out=results",
        )
        self.assertEqual(printed, STORAGE)
        for seed in (3, 4, 5):
            folder = os.path.join(self.folder, "results", f"seed-{seed}")
            with open(os.path.join(folder, "run.json"), encoding="utf-8") as handle:
                self.assertEqual(json.load(handle)["seed"], seed)
            self.assertTrue(os.path.getsize(os.path.join(folder, "series", "ports.csv")))
            self.assertIn(b"flows", contents(folder, "stdout.txt"))

    @unittest.skipUnless(HAS_FABRIC, "rdma-fabric is not on the PATH")
    def test_the_table_of_a_window(self):
        printed, _ = self.sweep(
            "--seeds=2", f"--programs={os.path.dirname(HAS_FABRIC)}", "rdma-fabric", "--topology=star:6",
            "--cdf=storage", "--ns3::RdmaPoissonWorkload::LoadOf=Wire", "--warmUp=50us", "--measure=100us", "--out=.",
        )
        self.assertEqual(printed, WINDOW)
        self.assertEqual(contents(self.folder, "seeds.csv").decode(), WINDOW_CSV)

    @unittest.skipUnless(HAS_FABRIC, "rdma-fabric is not on the PATH")
    def test_the_table_of_runs_that_are_cut(self):
        printed, _ = self.sweep(
            "--seeds=2", f"--programs={os.path.dirname(HAS_FABRIC)}", "rdma-fabric", "--topology=star:4",
            "--workload=incast:3", "--bytes=1MB", "--stop=5us", status=1,
        )
        self.assertEqual(printed, CUT)

    def test_numbers_that_the_module_does_not_know(self):
        printed, _ = self.sweep("--seeds=3", self.fake, "--a=2", "--out=o")
        # 22 +- 4.3027 * 1 / sqrt(3)
        line = "value                      3         22.000          2.484         21.000         23.000\n"
        self.assertIn(line, printed)
        rows = list(csv.DictReader(contents(self.folder, "o", "seeds.csv").decode().splitlines()))
        self.assertEqual([row["metric"] for row in rows], ["half", "value"])
        self.assertEqual((rows[1]["mean"], rows[1]["least"], rows[1]["greatest"]), ("22", "21", "23"))

    def test_a_finished_command_is_made_anew_and_an_interrupted_one_goes_on(self):
        words = ("--seeds=3", "--jobs=1", self.fake, "--out=o")
        first, _ = self.sweep(*words)
        self.assertEqual(self.sweep(*words)[0], first)
        self.assertEqual(self.starts(), 6)
        put(self.folder, "stop", "")
        with subprocess.Popen(command("sweep", *words), cwd=self.folder, stderr=subprocess.PIPE, text=True) as process:
            while not os.path.exists(os.path.join(self.folder, "waiting")):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            self.assertIn("interrupted; the same command goes on", process.stderr.read())
        self.assertEqual(process.returncode, 130)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "o", "seeds.csv")))
        record = json.loads(contents(self.folder, "o", "rows.run.json"))
        self.assertEqual((record["state"], record["counts"]["rows_total"]), ("cut", 3))
        done = record["counts"]["rows"]
        os.unlink(os.path.join(self.folder, "stop"))
        before = self.starts()
        self.assertEqual(self.sweep(*words)[0], first)
        self.assertEqual(self.starts() - before, 3 - done)
        # Another command into the folder takes no row of the first one.
        self.sweep("--seeds=3", self.fake, "--a=7", "--out=o")
        self.assertEqual(contents(self.folder, "o", "rows.csv").count(b"\n"), 4)

    def test_a_failed_run(self):
        printed, said = self.sweep("--seeds=3", self.fake, "--fail=2", "--out=o", status=1)
        self.assertEqual(printed, "")
        self.assertIn("fake: --fail: cannot be done", said)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "o", "seeds.csv")))

    def test_what_is_refused(self):
        for words, message in (
            (("--seeds=0", "x"), '--seeds: "0"; accepted: 1 to 10000'),
            (("--seeds=x", "x"), '--seeds: "x"; accepted: 1 to 10000'),
            (("--seeds=10001", "x"), '--seeds: "10001"; accepted: 1 to 10000'),
            (("--seeds=2", "--jobs=0", "x"), '--jobs: "0"; accepted: 1 to 1024'),
            (("--seeds=4", "x", "--seed=4294944440"), '--seed: "4294944440"; accepted: 1 to 4294944439 with --seeds=4'),
            (("--seeds=2", "x", "--instruments=monitor:p.csv"), "monitor:p.csv: all runs would write it; accepted: {folder}/"),
            (("--seeds=2", "x", "--instruments=explain,pause-tree:t.csv"), "all runs would write it"),
            (("--seeds=2", "x", "--instruments=pcap[Prefix=p]"), "all runs would write it"),
        ):
            _, said = self.sweep(*words, status=2)
            self.assertIn(message, said)
            self.assertEqual(said.count("\n"), 1, said)

    def test_equal_values_have_no_spread(self):
        rows = [{"x": "1384.6463440000002", "y": ""}] * 3
        self.assertEqual(seeds.statistics(rows), [
            ("x", "", 3, 1384.6463440000002, 0.0, 1384.6463440000002, 1384.6463440000002),
            ("y", "", 0, None, None, None, None),
        ])


if __name__ == "__main__":
    unittest.main()
