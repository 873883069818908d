# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the benchmark's cases, of its arithmetic and of its tables, without a run."""

import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))

import counts  # noqa: E402
import run as bench  # noqa: E402, F401
import measure  # noqa: E402
import tables  # noqa: E402
import walk  # noqa: E402
import workloads  # noqa: E402
from cases import CASES, find_cases  # noqa: E402


def summary(cpu_s, **more):
    """The results of a run with ten packet-hops of two flows."""
    return {
        "packet_hops": 10,
        "events": 15,
        "flows_total": 2,
        "digest": "d",
        "cpu_s": cpu_s,
        "process_s": 2 * cpu_s,
        "wall_s": 3 * cpu_s,
        "peak_rss_mb": 20.0,
        **more,
    }


class Bench(unittest.TestCase):
    """The files of bench/ that make the table."""

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
            self.assertIn(len(case.stops), (0, 2), case.name)
            for word in case.arguments:
                if "{folder}/" in word:
                    self.assertIn(word.partition("{folder}/")[2], workloads.FILES, case.name)

    def test_names_of_cases(self):
        self.assertEqual([case.name for case in find_cases("a")], ["a"])
        self.assertEqual([case.name for case in find_cases("ring")], ["ring-sync", "ring-spread"])
        self.assertIn("--cc=hpcc", find_cases("a-hpcc")[0].arguments)
        self.assertEqual(find_cases("none"), [])

    def test_list_names_each_case(self):
        status, text = self.call("--list")
        self.assertEqual(status, 0)
        self.assertEqual(
            [line.split()[0] for line in text.splitlines()], [case.name for case in CASES]
        )

    def test_wrong_arguments(self):
        for arguments, answer in (
            (["--cases", "a,b"], "--cases: no case 'b'; accepted: neighbours-16,"),
            (["--repeat", "0"], "--repeat: accepted: 1 and above"),
            (["--core", "1000"], "--core: 1000; accepted: "),
            (["--parts", "times,all"], "--parts: no part 'all'; accepted: times,threads,counts,peers"),
            (["--peers", "htsim=/bin/true"], "--peers and the part peers of --parts: one without the other"),
            (["--parts=peers", "--peers", "ns2=/bin/true"], "--peers: no simulator 'ns2'; accepted: htsim,hpcc"),
            (["--parts=peers", "--peers", "htsim=/nowhere"], "--peers: htsim=/nowhere is not a program"),
            (["--other", "/nowhere"], "--other: /nowhere is not a program, nor the folder of a build"),
        ):
            status, text = self.call(*arguments)
            self.assertEqual(status, 2, text)
            self.assertIn(answer, text)

    def test_workloads(self):
        # Four hosts at a leaf: the first hosts of both leaves, each to its neighbour.
        self.assertEqual(workloads.neighbours(8, 4, 2, 100), [(0, 1, 50, 0), (4, 5, 50, 7)])
        # With a pair for each host, the last host of a leaf sends to the first.
        self.assertEqual(workloads.neighbours(8, 4, 8, 80)[3][:3], (3, 0, 10))
        self.assertEqual(workloads.ring(3, 9), [(0, 1, 9, 0), (1, 2, 9, 0), (2, 0, 9, 0)])
        self.assertEqual(len({start for *_, start in workloads.ring(900, 9, 1000)}), 900)
        for rows, count in ((workloads.all_to_all(4, 1), 12), (workloads.permutation(8, 1), 8)):
            self.assertEqual(len(set(rows)), count)
            self.assertTrue(all(src != dst for src, dst, *_ in rows))
        self.assertEqual(workloads.csv([(1, 2, 3, 4)]), "id,src,dst,bytes,start_ns\n0,1,2,3,4\n")
        self.assertEqual(
            workloads.htsim(2, [(0, 1, 5, 2.0)]), "Nodes 2\nConnections 1\n0->1 id 1 start 2000 size 5\n"
        )
        self.assertEqual(len(workloads.workload_a(0.002)), 488)

    def test_row(self):
        case = find_cases("storage-8")[0]
        # 100, 200 and 300 ns for each hop; the other build needs 400.
        row = measure.row(case, [summary(n * 1e-6) for n in (1, 2, 3)], [summary(4e-6)] * 3)
        self.assertEqual(row["cost"], [200, 100, 300])
        self.assertEqual(row["events_per_hop"], 1.5)
        self.assertEqual(row["to_other"], 0.5)
        self.assertTrue(row["same_digest"])
        differs = measure.row(case, [summary(1.0)], [summary(1.0, digest="e")])
        self.assertFalse(differs["same_digest"])
        # Two flows in 8 us of the process.
        self.assertEqual(measure.row(find_cases("short")[0], [summary(4e-6)], None)["cost"], [4, 4, 4])
        set_up = {"wall_s": 1.5, "process_s": 1.25, "peak_rss_mb": 60.0}
        self.assertEqual(measure.row(find_cases("setup-16")[0], [set_up], None)["cost"], [1.5, 1.5, 1.5])

    def test_threads_row(self):
        turn = {"one": 3.0, "two": 2.0, "processes": 3.6, "busy_one": 3.0, "busy_two": 3.3}
        row = measure.threads_row(find_cases("ring-sync")[0], [turn])
        self.assertEqual(row["speed_up"][0], 1.5)
        self.assertEqual(row["to_processes"][0], 0.9)
        self.assertEqual(row["busy"][0], 1.1)

    def test_counts(self):
        log = ("==1== I   refs:      1,100\n==1== I1  misses:         10\n==1== LLi misses:          1\n"
               "==1== D   refs:        500  (300 rd   + 200 wr)\n==1== D1  misses:         40  ( 30 rd   +  10 wr)\n"
               "==1== LLd misses:          5  (  3 rd   +   2 wr)\n==1== LL refs:            50  ( 40 rd)\n"
               "==1== LL misses:           6  (  4 rd   +   2 wr)\n==1== LL miss rate:      0.4%\n")
        found = counts.read_log(log)
        self.assertEqual(found, {"instructions": 1100, "first": 50, "second": 6})
        per_hop = counts.per_hop({**found, "hops": 1, "events": 2},
                                 {"instructions": 2100, "first": 70, "second": 8, "hops": 3, "events": 5})
        self.assertEqual(per_hop, {"instructions": 500, "first": 10, "second": 1, "events": 1.5})

    def test_tables(self):
        results = {
            "times": {
                "storage-8": measure.row(find_cases("storage-8")[0], [summary(2e-6)], [summary(4e-6)]),
                "setup-16": measure.row(
                    find_cases("setup-16")[0], [{"wall_s": 1.5, "process_s": 1.25, "peak_rss_mb": 60.0}], None),
                "memory": {"kind": "memory", "about": "", "bytes": {"bytes_per_host": 4000.0}},
            },
            "machine": {"cpu": "a CPU", "cores": 2, "caches": "1K L1d", "core": 1, "load": [0.1, 0.5], "rounds": 5,
                        "version": "rdma 1", "date": "2026-01-01"},
        }
        text = tables.as_text(results)
        self.assertRegex(text, r"storage-8 +200 \(200 to 200\)")
        self.assertRegex(text, r"setup-16 +1\.50 \(1\.50 to 1\.50\)")
        self.assertRegex(text, r"host +4000")
        self.assertIn("core 1, load 0.1 to 0.5, 5 rounds", text)
        page = "before\n\n.. bench: times\nold\n.. end of bench\n\n.. bench: peers\nkept\n.. end of bench\n"
        filled = tables.fill_page(page, results)
        self.assertNotIn("old", filled)
        # The manual knows one build.
        self.assertRegex(text, r"(?m)^case .* ratio ")
        self.assertNotIn("ratio", filled)
        self.assertRegex(filled, r"(?m)^\.\. bench: times\n\n=+ =+.*\ncase +ns/hop")
        # Results without a part leave its table, and a page with its tables does not change again.
        self.assertIn(".. bench: peers\nkept\n", filled)
        self.assertEqual(tables.fill_page(filled, results), filled)

    def test_page(self):
        with open(os.path.join(ROOT, "doc", "costs.rst"), encoding="utf-8") as page:
            text = page.read()
        for name in ("machine", "times", "flows", "set-up", "memory", "threads", "counts", "peers"):
            self.assertIn(f"\n.. bench: {name}\n", text)


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
