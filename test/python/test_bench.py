# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the benchmark's table of cases and of its arithmetic, without a run."""

import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))

import run as bench  # noqa: E402
import walk  # noqa: E402
from cases import CASES  # noqa: E402


def summary(cpu_s):
    """The results of a run with ten packet-hops."""
    return {
        "packet_hops": 10,
        "events": 15,
        "digest": "d",
        "cpu_s": cpu_s,
        "peak_rss_mb": 20.0,
        "pipeline_event_ns": 50.0,
        "setup_s": 0.5,
        "setup_heap_bytes": 4000,
        "hosts": 4,
    }


class Bench(unittest.TestCase):
    """bench/cases.py and bench/run.py."""

    def call(self, *arguments):
        """Runs the script; returns its status and all of its output."""
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "bench", "run.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def test_cases(self):
        names = [case.name for case in CASES]
        self.assertEqual(len(set(names)), len(names))
        for case in CASES:
            self.assertIn(case.beside, ["", *names], case.name)
            self.assertIn(len(case.stops), (0, 2), case.name)

    def test_list_names_each_case(self):
        status, text = self.call("--list")
        self.assertEqual(status, 0)
        self.assertEqual(
            [line.split()[0] for line in text.splitlines()], [case.name for case in CASES]
        )

    def test_wrong_arguments(self):
        for arguments, answer in (
            (["--cases", "a,b"], "--cases: no case 'b'; accepted: a,dcqcn,"),
            (["--repeat", "0"], "--repeat: accepted: 1 and above"),
            (["--other", "/nowhere"], "--other: /nowhere is not a program"),
        ):
            status, text = self.call(*arguments)
            self.assertEqual(status, 2)
            self.assertIn(answer, text)

    def test_speed(self):
        cases = {case.name: case for case in CASES}
        # 100, 200 and 300 ns for each hop, and 200, 300 and 900 ns; the other build needs 400.
        results = {
            "k8": {"this": [summary(n * 1e-6) for n in (1, 2, 3)]},
            "k16": {
                "this": [summary(n * 1e-6) for n in (2, 3, 9)],
                "other": [summary(4e-6)] * 3,
            },
        }
        row = bench.speed(cases["k8"], results)
        self.assertEqual(row["hop_ns"], 200)
        self.assertEqual(row["packet_hops_per_cpu_s_median"], 5_000_000)
        self.assertEqual(row["hop_in_pipelines"], 2)
        self.assertEqual(row["events_per_packet_hop"], 1.5)
        self.assertEqual(row["setup_bytes_per_host"], 1000)
        self.assertNotIn("hop_beside", row)
        larger = bench.speed(cases["k16"], results)
        self.assertEqual(larger["hop_beside"], {"k8": 2})
        self.assertEqual(larger["ratio_to_other"], 1.333)
        lines = bench.table({"k8": row, "k16": larger}, "other")
        self.assertEqual(lines[1].split()[:4], ["k8", "5.000", "200", "2.00"])
        self.assertEqual(len(lines[0]), len(lines[2]))
        self.assertEqual(lines[3].split(), "k8 setup bytes per host: 1000".split())


class Walk(unittest.TestCase):
    """bench/walk.py without a program."""

    def test_classes_of_the_last_write(self):
        steps = [
            ("ns3::RdmaQueuePair::PostSend(ns3::RdmaSendRequest const&)", "model/transport/qp.cc"),
            ("ns3::RdmaFirst::Cold()", "model/transport/first.cc"),
            ("ns3::RdmaQueuePair::PostSend(ns3::RdmaSendRequest const&)", "model/transport/qp.cc"),
            ("void ns3::RdmaPaceHeap<ns3::RdmaPacketEngine>::Push(int)", "model/transport/heap.h"),
            ("ns3::RdmaRingBuffer<int>::Push(int&&)", "model/core/rdma-ring-buffer.h"),
            ("ns3::(anonymous namespace)::TimedSendPipeline::OnTimer()", "model/transport/nic.cc"),
            ("ns3::GetRdmaOpcodeInfo(ns3::RdmaOpcode)", "model/frame/opcode.cc"),
            ("ns3::QbbWire::IntTrailerBytes(unsigned int)", "model/frame/qbb-wire.h"),
            ("ns3::RdmaQueuePair::GetState() const", "model/transport/qp.h"),
            ("ns3::QbbLine::Transmit(int)", "model/link/qbb-line.h"),
            ("ns3::QbbChannel::Deliver()", "model/link/qbb-channel.cc"),
        ]
        self.assertEqual(
            walk.classes_of([(True, name, path) for name, path in steps]),
            {
                "RdmaQueuePair": ["PostSend", "GetState"],
                "RdmaPaceHeap": ["Push"],
                "TimedSendPipeline": ["OnTimer"],
            },
        )


if __name__ == "__main__":
    unittest.main()
