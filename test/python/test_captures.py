# SPDX-License-Identifier: GPL-2.0-only
"""Captures of all operations with both transports and with loss, judged by tshark and scapy
(tools/check-capture)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-perftest")
FABRIC = console.program("rdma-fabric")

try:
    import scapy  # noqa: F401
except ImportError:
    scapy = None

# The packets of each operation of 3000 bytes, without acknowledgements.
KINDS = {
    "write": ["RDMA_WRITE_FIRST", "RDMA_WRITE_MIDDLE", "RDMA_WRITE_LAST"],
    "write-imm": ["RDMA_WRITE_FIRST", "RDMA_WRITE_MIDDLE", "RDMA_WRITE_LAST_WITH_IMMEDIATE"],
    "send": ["SEND_FIRST", "SEND_MIDDLE", "SEND_LAST"],
    "send-imm": ["SEND_FIRST", "SEND_MIDDLE", "SEND_LAST_WITH_IMMEDIATE"],
    "read": [
        "RDMA_READ_REQUEST", "RDMA_READ_RESPONSE_FIRST", "RDMA_READ_RESPONSE_MIDDLE", "RDMA_READ_RESPONSE_LAST",
    ],
    "cas": ["COMPARE_SWAP", "ATOMIC_ACKNOWLEDGE"],
    "fadd": ["FETCH_ADD", "ATOMIC_ACKNOWLEDGE"],
}


def irn_name(name):
    """The name of an IRN packet in the report of check-capture."""
    return "IRN_" + name.replace("RDMA_", "")


@unittest.skipUnless(PROGRAM, "rdma-perftest is not built")
@unittest.skipUnless(scapy and shutil.which("tshark"), "tshark or scapy is not here")
class Captures(unittest.TestCase):
    """Each operation over each transport."""

    def check(self, capture):
        """The number of frames of each kind that check-capture finds in a capture."""
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "tools", "check-capture"), "--json", capture],
            check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["kinds"]

    def judge(self, transport, operation):
        """Runs an operation; returns how many frames of each kind the client's port has seen."""
        with tempfile.TemporaryDirectory() as folder:
            size = "8" if operation in ("cas", "fadd") else "3000"
            run = subprocess.run(
                [
                    PROGRAM, f"--op={operation}", f"--transport={transport}", "--loss=0.05", f"--size={size}",
                    "--iters=60", "--topology=star:2", "--pcap=run",
                ],
                cwd=folder, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            self.assertEqual(run.returncode, 0, run.stdout)
            return self.check(os.path.join(folder, "run-0-0.pcap"))

    def test_all_operations(self):
        for transport in ("roce", "irn"):
            for operation, expected in KINDS.items():
                with self.subTest(f"{operation} over {transport}"):
                    kinds = self.judge(transport, operation)
                    names = expected if transport == "roce" else [irn_name(name) for name in expected]
                    if transport == "irn":
                        names += ["IRN_READ_ACK", "IRN_READ_NAK"] if operation == "read" else ["IRN_ACK", "IRN_NAK"]
                    for name in names:
                        self.assertGreater(kinds.get(name, 0), 0, f"{name}: {kinds}")

    @unittest.skipUnless(FABRIC, "rdma-fabric is not built")
    def test_telemetry(self):
        """Packets with records of the switches, or a byte of telemetry, after the ICRC."""
        for control in ("hpcc", "hpcc-pint"):
            for transport, names in (("roce", ("RDMA_WRITE_MIDDLE", "ACK")), ("irn", ("IRN_WRITE_MIDDLE", "IRN_ACK"))):
                with self.subTest(f"{control} over {transport}"), tempfile.TemporaryDirectory() as folder:
                    run = subprocess.run(
                        [
                            FABRIC, f"--cc={control}", f"--transport={transport}", "--topology=star:3",
                            "--workload=incast:2", "--bytes=20KB", "--instruments=pcap:run", "--progress=off",
                        ],
                        cwd=folder, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    )
                    self.assertEqual(run.returncode, 0, run.stdout)
                    kinds = {}
                    for name in os.listdir(folder):
                        kinds.update(self.check(os.path.join(folder, name)))
                    for name in names:
                        self.assertGreater(kinds.get(name, 0), 0, f"{name}: {kinds}")


if __name__ == "__main__":
    unittest.main()
