# SPDX-License-Identifier: GPL-2.0-only
"""Tests of runs of rdma-fabric that a signal ends: their results say so, and nothing that is left
looks like a whole result."""

import csv
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "doc"), os.path.join(ROOT, "tools")]

import console  # noqa: E402
import rdma_plot  # noqa: E402
import rdma_plot_time  # noqa: E402
from ns3_rdma.results import (  # noqa: E402
    ResultsError, is_cut, read_flows, read_monitor, read_record, read_run,
)

PROGRAM = console.program("rdma-fabric")
HAVE_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
# Flows that end early and flows that last for hours.
FLOWS = "id,src,dst,bytes,start_ns\n" + "".join(
    f"{number},{number % 3},3,{10**13 if number % 5 == 4 else 20_000},{50_000 * number}\n"
    for number in range(200)
)
ARGUMENTS = ("--topology=star:4", "--workload=file:flows.csv", "--stop=9000s", "--progress=off")
STREAMS = "--instruments=monitor:ports.csv,timeseries:series.csv[Flows={flows}|Period=100us]," \
    "pause-tree:tree.csv,pause-trace:trace.json"
STREAM_FILES = ("ports.csv", "series.csv", "tree.csv", "trace.json")
# No test waits longer for a program; a slow machine needs seconds.
PATIENCE_S = 120


def replaced(*words):
    """The words, of which later ones are in place of earlier ones with the same name."""
    return list({word.partition("=")[0]: word for word in words}.values())


def read(path):
    """The text of a file."""
    with open(path, encoding="utf-8") as handle:
        return handle.read()


def cut_name(name):
    """The name of a file of a run that was cut."""
    return ".cut".join(os.path.splitext(name))


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class CutRuns(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        with open(self.path("flows.csv"), "w", encoding="ascii") as handle:
            handle.write(FLOWS)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def start(self, *more):
        """A program at work."""
        process = subprocess.Popen(
            [PROGRAM, *replaced(*ARGUMENTS, *more)], cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        """Ends a program that a failed test has left."""
        if process.poll() is None:
            process.kill()
            process.communicate()

    def wait_until(self, condition, process=None):
        """Waits for a condition, as long as the program is at work."""
        for _ in range(10 * PATIENCE_S):
            if condition():
                return
            if process and process.poll() is not None:
                self.fail(process.communicate())
            time.sleep(0.1)
        self.fail("the condition does not come true")

    def simulates(self, process, *names):
        """Waits until a run has begun to simulate."""
        path = self.path(*names)

        self.wait_until(lambda: os.path.exists(path) and '"running"' in read(path), process)
        # The simulation begins after run.json has been written; signals before it end the program.
        status = f"/proc/{process.pid}/status"
        if os.path.exists(status):
            mask = 1 << (signal.SIGINT - 1)

            def catches():
                return int(re.search(r"^SigCgt:\s*(\w+)", read(status), re.M)[1], 16) & mask

            self.wait_until(catches, process)
        else:
            time.sleep(1)

    def interrupt(self, number, seconds=0.0, *more):
        """Starts a run, ends it by a signal; returns what it printed on standard error."""
        process = self.start("--out=out", *more)
        self.simulates(process, "out", "run.json")
        time.sleep(seconds)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 128 + number, errors)
        return errors

    def test_three_moments(self):
        times = []
        for seconds in (0.0, 0.3, 1.0):
            with self.subTest(seconds):
                errors = self.interrupt(signal.SIGINT, seconds, STREAMS.format(flows=4))
                said = re.search(
                    r"^rdma: interrupted by SIGINT at ([0-9.e+]+)us, (\d+) of 200 flows have ended$",
                    errors, re.M,
                )
                self.assertTrue(said, errors)
                run = read_run(self.path("out"))
                self.assertAlmostEqual(run.summary["sim_time_us"], float(said[1]))
                times.append(float(said[1]))
                done = sum(flow.completed for flow in run.flows)
                self.assertEqual(done, int(said[2]))
                self.assertEqual(len(run.flows), 200)
                self.assertEqual((run.record["state"], run.record["cut_by"]), ("cut", "SIGINT"))
                self.assertRegex(
                    run.summary["ended"], rf"^cut by SIGINT at .*us: {200 - done} of 200 flows unfinished$"
                )
                self.assertRegex(run.cut, "^cut by SIGINT at .* us$")
                self.check_streams()
                self.check_pictures(run)
        self.assertEqual(times, sorted(times))

    def check_streams(self):
        """The files that grow during a run have a name that says that the run was cut."""
        names = set(os.listdir(self.folder))
        self.assertEqual(
            names, {"flows.csv", "out", *(cut_name(name) for name in STREAM_FILES)}
        )
        self.assertTrue(read_monitor(self.path("ports.cut.csv")))
        with self.assertRaisesRegex(ResultsError, "the run was cut and wrote .*ports.cut.csv"):
            read_monitor(self.path("ports.csv"))
        with open(self.path("trace.cut.json"), encoding="ascii") as handle:
            json.load(handle)
        with open(self.path("tree.cut.csv"), encoding="ascii") as handle:
            self.assertTrue(csv.DictReader(handle).fieldnames)

    def check_pictures(self, run):
        """Tables and pictures say that the run was cut, and how many flows finished."""
        text = rdma_plot.table([("mine", run)])
        self.assertIn("mine: cut by SIGINT at ", text)
        self.assertRegex(text, r"mine: \d+ of 200 flows finished")
        label = rdma_plot.label_of("mine", run, run.flows)
        self.assertRegex(label, r"^mine \(cut by SIGINT at .* us, \d+ of 200 flows finished\)$")
        self.assertRegex(rdma_plot.title_of("mine", run), r"^mine \(cut by SIGINT at .* us\)$")
        if not HAVE_MATPLOTLIB:
            return
        for figure in (rdma_plot.draw_fct_cdf([("mine", run)]), rdma_plot.draw_slowdown([("mine", run)], 3)):
            (legend,) = figure.legends
            self.assertIn("cut by SIGINT", legend.get_texts()[0].get_text())
        pauses = rdma_plot.draw_pauses("mine", run, 5)
        self.assertIn("cut by SIGINT", pauses.axes[0].get_title(loc="left"))
        path = self.path("ports.cut.csv")
        self.assertTrue(is_cut(path))
        figure = rdma_plot.mark_cut(rdma_plot_time.draw_monitor(read_monitor(path), 3), path)
        self.assertIn("the run was cut", figure.get_suptitle())

    def test_sigterm_and_a_window(self):
        errors = self.interrupt(
            signal.SIGTERM, 0.3, "--workload=poisson", "--load=0.5", "--warmUp=100us", "--measure=200ms"
        )
        self.assertRegex(errors, r"interrupted by SIGTERM at .*us, \d+ of \d+ counted flows have ended")
        run = read_run(self.path("out"))
        self.assertEqual((run.record["state"], run.record["cut_by"]), ("cut", "SIGTERM"))
        self.assertRegex(run.summary["ended"], "^cut by SIGTERM at .* counted flows unfinished$")
        self.assertLess(len(run.flows), len(run.all_flows))

    def test_threads(self):
        self.interrupt(signal.SIGINT, 0.3, "--threads=3")
        self.assertEqual(read_run(self.path("out")).record["globals"]["threads"], "3")

    def test_a_whole_run_after_a_cut_one(self):
        self.interrupt(signal.SIGINT, 0.0, STREAMS.format(flows=4))
        done = subprocess.run(
            [PROGRAM, "--topology=star:4", "--workload=incast:3", "--out=out",
             STREAMS.format(flows=0)],
            cwd=self.folder, check=False, capture_output=True, text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read_run(self.path("out")).cut, "")
        self.assertEqual(
            set(os.listdir(self.folder)), {"flows.csv", "out", *STREAM_FILES}, "no file of the cut run"
        )

    def test_a_killed_run_leaves_nothing_that_looks_like_a_result(self):
        self.interrupt(signal.SIGINT, 0.0, STREAMS.format(flows=4))
        process = self.start("--out=out", STREAMS.format(flows=4))
        self.simulates(process, "out", "run.json")
        with self.assertRaisesRegex(ResultsError, f"still going on .process {process.pid}."):
            read_record(self.path("out"))
        process.kill()
        process.communicate()
        self.assertEqual(os.listdir(self.path("out")), ["run.json"])
        for name in STREAM_FILES:
            self.assertFalse(os.path.exists(self.path(name)), name)
            self.assertFalse(os.path.exists(self.path(cut_name(name))), name)
        with self.assertRaisesRegex(ResultsError, "the run did not end"):
            read_run(self.path("out"))

    def test_files_of_two_runs(self):
        for out, size in (("one", "10KB"), ("two", "20KB")):
            subprocess.run(
                [PROGRAM, "--topology=star:4", "--workload=incast:3", f"--bytes={size}", f"--out={out}"],
                cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
            )

        def swap(name):
            os.rename(self.path("one", name), self.path("kept"))
            os.rename(self.path("two", name), self.path("one", name))
            os.rename(self.path("kept"), self.path("two", name))

        for name in ("flows.csv", "ports.csv", "summary.json", "run.json"):
            swap(name)
            for out in ("one", "two"):
                with self.assertRaisesRegex(ResultsError, "not of the same run as run.json"):
                    read_run(self.path(out))
            if name == "flows.csv":
                with self.assertRaisesRegex(ResultsError, "flows.csv: not of the same run"):
                    read_flows(self.path("one", "flows.csv"))
            swap(name)
        self.assertEqual(len(read_run(self.path("one")).flows), 3)

    def test_two_runs_into_one_folder(self):
        process = self.start("--out=out")
        self.simulates(process, "out", "run.json")
        second = subprocess.run(
            [PROGRAM, *replaced(*ARGUMENTS, "--out=out")], cwd=self.folder, check=False, capture_output=True, text=True,
        )
        self.assertEqual((second.returncode, second.stdout), (2, ""))
        self.assertRegex(second.stderr, "^rdma-fabric: out: another run is writing its results there")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(read_record(self.path("out"))["process"], process.pid)

    def test_a_second_signal_ends_the_program_at_once(self):
        process = self.start("--out=out", "--instruments=monitor:ports.csv[Period=1us]")
        self.simulates(process, "out", "run.json")
        os.kill(process.pid, signal.SIGSTOP)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        # Both would be one signal while the process is stopped.
        process.send_signal(signal.SIGTERM)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=PATIENCE_S)
        self.assertLess(process.returncode, 0)
        with self.assertRaisesRegex(ResultsError, "the run did not end"):
            read_run(self.path("out"))

    def test_a_deadlock(self):
        # All hosts of a ring of five switches send to the switch after the next one.
        with open(self.path("ring.csv"), "w", encoding="ascii") as handle:
            handle.write("id,src,dst,bytes,start_ns\n")
            for host in range(10):
                handle.write(f"{host},{host},{(host + 4) % 10},10000000,0\n")
        done = subprocess.run(
            [PROGRAM, "--topology=ring:5x2", "--rate=100Gbps", "--uplinkRate=100Gbps", "--out=out",
             "--workload=file:ring.csv", "--buffer=1MB", "--stop=3ms"],
            cwd=self.folder, check=False, capture_output=True, text=True,
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rdma: deadlock at", done.stderr)
        run = read_run(self.path("out"))
        self.assertEqual((run.record["state"], run.record["cut_by"]), ("cut", "deadlock"))
        self.assertRegex(run.summary["ended"], "^cut at 3000us in a deadlock: 10 of 10 flows unfinished")
        self.assertIn("cut at 3000us in a deadlock: ", done.stdout)
        self.assertEqual(run.cut, "cut at 3000 us in a deadlock")


if __name__ == "__main__":
    unittest.main()
