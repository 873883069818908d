# SPDX-License-Identifier: GPL-2.0-only
"""Tests of jobs in rdma-collective: the time line for Perfetto, the tables, and refused options. Times are
worked out by hand: the first byte of a message takes 1000 ns, each further one 1 ns."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-collective")
NETWORK = "--network=ideal[Delay=1us|Rate=8Gbps]"
# Rank 0 computes 2 us, sends 1001 B and computes 4 us beside a second unit, which computes 1 us. Rank 1
# receives until 4 us, and then computes 0.5 us.
JOB = {"jobs": [{"name": "pair", "ranks": 2, "step": [
    {"compute": "2us", "name": "first", "if": "rank == 0"},
    {"send": 1001, "to": 1, "if": "rank == 0", "stream": "out", "after": ["first"]},
    {"compute": "4us", "if": "rank == 0"},
    {"compute": "1us", "if": "rank == 0", "stream": "other", "unit": 1, "after": ["first"], "name": "beside"},
    {"receive": 1001, "from": 0, "if": "rank == 1"},
    {"compute": "0.5us", "if": "rank == 1", "name": "last"},
]}]}


@unittest.skipUnless(PROGRAM, "rdma-collective is not on the PATH")
class TimeLine(unittest.TestCase):
    """One run, and what it writes."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = holder.name
        cls.job = os.path.join(cls.folder, "pair.json")
        with open(cls.job, "w", encoding="utf-8") as handle:
            json.dump(JOB, handle)
        cls.line = os.path.join(cls.folder, "line.json")
        cls.out = os.path.join(cls.folder, "out")
        cls.done = cls.run_program(f"--timeLine={cls.line}", f"--out={cls.out}", "--criticalPath=2")
        with open(cls.line, encoding="utf-8") as handle:
            cls.events = json.load(handle)["traceEvents"]

    @classmethod
    def run_program(cls, *arguments):
        """Runs the job."""
        return subprocess.run(
            [PROGRAM, f"--job={cls.job}", NETWORK, *arguments], capture_output=True, text=True, check=False
        )

    def of(self, phase):
        """The events of a phase."""
        return [event for event in self.events if event["ph"] == phase]

    def test_operations_are_spans_of_tracks(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        tracks = {e["tid"]: e["args"]["name"] for e in self.of("M") if e["name"] == "thread_name"}
        processes = [e["args"]["name"] for e in self.of("M") if e["name"] == "process_name"]
        self.assertEqual(processes, ["job pair"])
        spans = sorted((tracks[e["tid"]], e["name"], e["ts"], e["dur"]) for e in self.of("X"))
        self.assertEqual(spans, [
            ("rank 0 communicates", "send", 2, 1),
            ("rank 0 computes", "beside", 2, 1),
            ("rank 0 computes", "first", 0, 2),
            ("rank 0 computes 2", "compute", 2, 4),
            ("rank 1 communicates", "receive", 0, 4),
            ("rank 1 computes", "last", 4, 0.5),
        ])

    def test_spans_of_a_track_do_not_overlap(self):
        ends = {}
        for event in sorted(self.of("X"), key=lambda e: e["ts"]):
            self.assertGreaterEqual(event["ts"], ends.get(event["tid"], 0))
            ends[event["tid"]] = event["ts"] + event["dur"]

    def test_arrows_lead_from_send_to_receive(self):
        (start,), (end,) = self.of("s"), self.of("f")
        self.assertEqual((start["id"], start["ts"]), (end["id"], 2))
        self.assertEqual((end["ts"], end["bp"]), (4, "e"))
        self.assertNotEqual(start["tid"], end["tid"])

    def test_tables(self):
        with open(os.path.join(self.out, "steps.csv"), encoding="ascii") as handle:
            (step,) = csv.DictReader(handle)
        # Rank 0 computes all the time until 6 us; rank 1 waits 4 us, and computes 0.5 us.
        self.assertEqual(
            step,
            {"job": "pair", "step": "0", "begin_ns": "0.000", "end_ns": "6000.000", "step_ns": "6000.000",
             "compute_ns": "3250.000", "exposed_ns": "2000.000", "max_exposed_ns": "4000.000", "max_exposed_rank": "1"},
        )
        with open(os.path.join(self.out, "calls.csv"), encoding="ascii") as handle:
            self.assertEqual(len(list(csv.DictReader(handle))), 0)
        with open(os.path.join(self.out, "path.csv"), encoding="ascii") as handle:
            path = [(row["begin_ns"], row["end_ns"], row["rank"], row["operation"]) for row in csv.DictReader(handle)]
        self.assertEqual(path, [("0.000", "2000.000", "0", "first"), ("2000.000", "6000.000", "0", "compute")])
        with open(os.path.join(self.out, "run.json"), encoding="utf-8") as handle:
            self.assertEqual(json.load(handle)["state"], "complete")

    def test_critical_path_in_words(self):
        self.assertIn("critical path of job pair, step 0: 2 parts in 6.000 us", self.done.stdout)
        self.assertIn("66.7%  at 2.000 us: rank 0 computed compute for 4.000 us", self.done.stdout)
        self.assertIn("33.3%  at 0.000 us: rank 0 computed first for 2.000 us", self.done.stdout)

    def test_a_job_that_does_not_end_says_why(self):
        wrong = os.path.join(self.folder, "wrong.json")
        with open(wrong, "w", encoding="utf-8") as handle:
            json.dump({"jobs": [{"ranks": 2, "step": [{"receive": 1, "from": 0, "if": "rank == 1"}]}]}, handle)
        done = subprocess.run([PROGRAM, f"--job={wrong}"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("rank 1: operation 0, a receive of 1 B from rank 0", done.stderr)


FABRIC = console.program("rdma-fabric")


@unittest.skipUnless(FABRIC, "rdma-fabric is not on the PATH")
class ExitStatus(unittest.TestCase):
    """A script must be able to tell a schedule that has ended from one that has not."""

    def run_fabric(self, *arguments):
        command = [FABRIC, "--topology=leaf-spine:2x2x2", "--bytes=100KB", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).returncode

    def test_status(self):
        workload = "--workload=all-reduce-ring"
        self.assertEqual(self.run_fabric(workload), 0)
        self.assertEqual(self.run_fabric(workload, "--stop=10us"), 1)


if __name__ == "__main__":
    unittest.main()
