# SPDX-License-Identifier: GPL-2.0-only
"""Test of what --explain expects of a run without loss: packet-hops and memory, beside what the run takes."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-fabric")
WORKLOAD_A = os.path.join(ROOT, "bench", "workload-a", "topology.txt")
# The largest ratio of the expectation to the outcome, and of the outcome to the expectation.
FACTOR = 1.3
FLOWS = {
    "ring.csv": [(host, (host + 1) % 128, 500_000) for host in range(128)],
    "all.csv": [(host, (host + step) % 64, 8000) for step in range(1, 64) for host in range(64)],
}
FAST = "--rate=400Gbps --uplinkRate=400Gbps --mtu=4096"
RUNS = {
    "web search": "--topology=fat-tree:8 --cc=dcqcn --load=0.3 --duration=100us",
    "storage": "--topology=fat-tree:8 --cc=dcqcn --load=0.3 --cdf=storage --duration=60us",
    "workload A": f"--topology=file:{WORKLOAD_A} --mtu=1000 --load=0.5 --duration=200us",
    "incast": "--topology=star:65 --workload=incast:64 --bytes=200KB",
    "incast of DCQCN": f"--topology=leaf-spine:4x16x4 --workload=incast:60 --bytes=100KB --cc=dcqcn {FAST}",
    # 64 x 2 MB wait for one port in frames of 1086 bytes, which take much more memory than the fabric.
    "long queue": "--topology=star:65 --workload=incast:64 --bytes=2MB --buffer=160MB",
    "permutation": f"--topology=fat-tree:8 --workload=permutation --bytes=500KB --cc=dcqcn {FAST}",
    "ring": f"--topology=fat-tree:8 --workload=file:ring.csv {FAST}",
    "few acknowledgements": f"--topology=fat-tree:8 --workload=file:ring.csv --transport=roce[AckInterval=16] {FAST}",
    "all to all": f"--topology=leaf-spine:4x16x4 --workload=file:all.csv --cc=dcqcn {FAST}",
    "IRN": "--topology=leaf-spine:2x8x2 --workload=permutation --bytes=1MB --transport=irn --pfc=off",
    # The queue pairs of 39000 flows take more memory than the fabric.
    "short flows": "--topology=star:64 --cdf=file:small.cdf --load=0.3 --duration=160us",
}


@unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
class RunCosts(unittest.TestCase):
    def run_one(self, arguments):
        """Expected and actual packet-hops and megabytes of a run, and the megabytes before the run."""
        with tempfile.TemporaryDirectory() as folder:
            for name, flows in FLOWS.items():
                lines = [f"{i},{src},{dst},{size},0\n" for i, (src, dst, size) in enumerate(flows)]
                with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                    handle.write("id,src,dst,bytes,start_ns\n" + "".join(lines))
            with open(os.path.join(folder, "small.cdf"), "w", encoding="utf-8") as handle:
                handle.write("1000 0\n1001 100\n")
            command = [PROGRAM, *arguments.split(), "--explain", "--out=out", "--progress=off"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as handle:
                summary = json.load(handle)
        self.assertEqual(summary["drops"], 0, arguments)
        hops = re.search(r"^Expected without loss: (\d+) packet-hops", done.stdout, re.M)
        memory = re.search(r"^Expected memory: (\d+) MB at most, .* has (\d+) MB now$", done.stdout, re.M)
        self.assertTrue(hops and memory, done.stdout)
        return {
            "hops": (int(hops[1]), summary["packet_hops"]),
            "MB": (int(memory[1]), summary["peak_rss_mb"]),
            "before": int(memory[2]),
        }

    def test_expectations(self):
        grown = 0
        for name, arguments in RUNS.items():
            with self.subTest(name):
                found = self.run_one(arguments)
                for what in ("hops", "MB"):
                    expected, actual = found[what]
                    self.assertLess(expected, FACTOR * actual, f"{name}: {what}")
                    self.assertGreater(expected, actual / FACTOR, f"{name}: {what}")
                grown += found["MB"][1] > FACTOR * found["before"]
        # Where the fabric takes all of the memory, the memory before the run would be an answer.
        self.assertGreaterEqual(grown, 2)

    def test_loss_free_ring_is_exact(self):
        # A ring in which nothing waits: all frames are known before the run.
        expected, actual = self.run_one(RUNS["ring"])["hops"]
        self.assertEqual(expected, actual)


if __name__ == "__main__":
    unittest.main()
