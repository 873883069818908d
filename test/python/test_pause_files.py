# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the files that rdma-fabric writes about pauses: the timeline of pause-trace, by the rules of
the Trace Event Format, and the tree of pause-tree."""

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

PROGRAM = console.program("rdma-fabric")
STOP_US = 3000
# A storm that is stopped by the end of the run, a slow receiver, a watchdog, marks.
ARGUMENTS = (
    "--topology=fat-tree:4", "--rate=40Gbps", "--uplinkRate=40Gbps", "--workload=permutation", "--bytes=5MB",
    "--buffer=2MiB", "--ecn=5KB:200KB:0.5", "--storm=0:50us", "--slowReceiver=3:20Gbps:256KB:100us:50us:200us",
    "--watchdog=alert", "--ns3::QbbPfcWatchdog::DetectionTime=200us",
    "--ns3::QbbPfcWatchdog::RestorationTime=200us", "--ns3::QbbPfcWatchdog::PollInterval=20us", f"--stop={STOP_US}us",
    "--progress=off", "--instruments=pause-trace:trace.json,pause-tree:tree.csv",
)


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class PauseFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [PROGRAM, *ARGUMENTS], cwd=folder, check=False, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            assert done.returncode == 1 and "did not finish" in done.stdout, done.stderr
            with open(os.path.join(folder, "trace.json"), encoding="ascii") as handle:
                cls.trace = json.load(handle)
            with open(os.path.join(folder, "tree.csv"), encoding="ascii") as handle:
                cls.pauses = list(csv.DictReader(handle))

    def of_phase(self, phase):
        return [event for event in self.trace["traceEvents"] if event["ph"] == phase]

    def test_every_event_has_what_its_phase_needs(self):
        self.assertEqual(sorted(self.trace), ["displayTimeUnit", "traceEvents"])
        self.assertIn(self.trace["displayTimeUnit"], ("ms", "ns"))
        needs = {
            "M": {"ph", "pid", "name", "args"},
            "X": {"ph", "pid", "tid", "name", "ts", "dur"},
            "i": {"ph", "pid", "tid", "name", "ts", "s"},
            "C": {"ph", "pid", "name", "ts", "args"},
        }
        for event in self.trace["traceEvents"]:
            self.assertEqual(set(event) - {"tid"}, needs[event["ph"]] - {"tid"}, event)
            self.assertGreater(event["pid"], 0)
            self.assertGreaterEqual(event.get("ts", 0), 0)
            self.assertLessEqual(event.get("ts", 0) + event.get("dur", 0), STOP_US)
            if event["ph"] == "C":
                self.assertEqual([type(value) for value in event["args"].values()], [int])
        for phase in needs:
            self.assertTrue(self.of_phase(phase), phase)

    def test_tracks_are_named_once_and_before_they_are_used(self):
        processes, tracks = {}, {}
        for event in self.trace["traceEvents"]:
            if event["name"] == "process_name":
                self.assertNotIn(event["pid"], processes)
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                self.assertNotIn(event["tid"], tracks)
                tracks[event["tid"]] = event["pid"]
            else:
                self.assertIn(event["pid"], processes)
                if "tid" in event:
                    self.assertEqual(tracks[event["tid"]], event["pid"])
        self.assertEqual(len(set(processes.values())), len(processes))

    def test_pauses_of_a_track_do_not_overlap(self):
        ends = {}
        for span in self.of_phase("X"):
            self.assertEqual(span["name"], "paused")
            self.assertGreater(span["dur"], 0)
            # Microseconds to the picosecond.
            start = round(span["ts"] * 1e6)
            self.assertGreaterEqual(start, ends.get(span["tid"], 0), span)
            ends[span["tid"]] = start + round(span["dur"] * 1e6)

    def test_counters_and_instants(self):
        names = {event["name"] for event in self.of_phase("C")}
        for what in ("priority 3 queue", "priority 3 ECN marks", "receive buffer"):
            self.assertTrue([name for name in names if name.endswith(what)], what)
        latest = {}
        for event in self.of_phase("C"):
            key = event["pid"], event["name"]
            value = next(iter(event["args"].values()))
            if key in latest:
                self.assertGreaterEqual(event["ts"], latest[key][0])
                if event["name"].endswith("marks"):
                    self.assertGreater(value, latest[key][1])
            latest[key] = event["ts"], value
        self.assertIn("PFC storm detected", {event["name"] for event in self.of_phase("i")})

    def test_tree(self):
        depths = set()
        for number, pause in enumerate(self.pauses):
            self.assertEqual(int(pause["pause"]), number)
            self.assertEqual(pause["port_name"].split(" to ")[0], pause["node_name"])
            self.assertEqual(pause["parent"] == "", pause["depth"] == "0")
            self.assertEqual(pause["cause"] == "pause", pause["parent"] != "")
            if pause["end_ns"]:
                self.assertGreaterEqual(float(pause["end_ns"]), float(pause["start_ns"]))
            if pause["parent"]:
                parent = self.pauses[int(pause["parent"])]
                self.assertEqual(int(pause["depth"]), int(parent["depth"]) + 1)
                self.assertEqual(pause["root"], parent["root"])
                self.assertEqual(parent["peer"], pause["node"])
                self.assertEqual(parent["peer_port"], pause["cause_port"])
                self.assertLess(float(parent["start_ns"]), float(pause["start_ns"]))
                self.assertGreater(int(pause["cause_bytes"]), 0)
            depths.add(int(pause["depth"]))
        self.assertGreaterEqual(max(depths), 2)
        self.assertTrue([pause for pause in self.pauses if pause["node"] == "0" and pause["cause"] == "host"])


if __name__ == "__main__":
    unittest.main()
