#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/check-capture, and with it the codec's bytes.

Takes the capture that the unit test QbbFrameCapture writes (RDMA_CAPTURE_DIR=DIR rdma-unit-tests
--gtest_filter=QbbFrameCapture.*): it must pass, and each damaged copy of it must not.

Usage: test/check-capture-test.py DIR/rdma-frame-kinds.pcap (with a Python that has scapy)
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "tools", "check-capture")
CAPTURE = ""

# Offsets in an untagged frame.
DESTINATION = 0
IP_LENGTH = 16
IP_CHECKSUM = 24
BTH_OPCODE = 42
MAC_CONTROL_OPCODE = 14
CLASS_VECTOR = 16


def read_capture(path):
    """The header and the frames of a capture in this machine's byte order."""
    with open(path, "rb") as file:
        data = file.read()
    header, at, frames = data[:24], 24, []
    while at < len(data):
        length = struct.unpack_from("=I", data, at + 8)[0]
        frames.append(bytearray(data[at + 16 : at + 16 + length]))
        at += 16 + length
    return header, frames


def write_capture(path, header, frames):
    """Write frames a microsecond apart."""
    with open(path, "wb") as file:
        file.write(header)
        for i, frame in enumerate(frames):
            file.write(struct.pack("=IIII", 0, i, len(frame), len(frame)))
            file.write(frame)


def check(*arguments):
    """Run check-capture; give its exit status, its report and its error output."""
    done = subprocess.run(
        [sys.executable, CHECK, "--json", *arguments], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout) if done.stdout else None
    return done.returncode, report, done.stderr


def kind(frame):
    """Enough of a frame's kind to find one by."""
    if frame[12:14] == b"\x88\x08":
        return "PFC" if frame[15:16] == b"\x01" and frame[14] == 1 else "PAUSE"
    if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7":
        return frame[BTH_OPCODE]
    return "TCP" if frame[12:14] == b"\x08\x00" and frame[23] == 6 else "OTHER"


class CheckCapture(unittest.TestCase):
    """Captures good and bad."""

    def setUp(self):
        self.header, self.frames = read_capture(CAPTURE)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "capture.pcap")

    def find(self, wanted):
        """The first frame of a kind."""
        return next(f for f in self.frames if kind(f) == wanted)

    def faults(self, frames, *arguments):
        """The texts of the faults that a capture of these frames has."""
        write_capture(self.path, self.header, frames)
        status, report, error = check(self.path, *arguments)
        self.assertIsNotNone(report, error)
        texts = [entry["fault"] for entry in report["faults"]]
        self.assertEqual(status, 1 if texts else 0)
        return texts

    def assert_fault(self, part, frame):
        """A capture of this frame alone has a fault whose text has that part."""
        texts = self.faults([frame])
        self.assertTrue(any(part in text for text in texts), f"no '{part}' in {texts}")

    def test_capture_of_all_kinds(self):
        status, report, error = check(
            CAPTURE, "--expect", "CNP,ACK,NAK,PFC_XOFF,PFC_XON,PAUSE,TCP"
        )
        self.assertIsNotNone(report, error)
        self.assertEqual(report["faults"], [])
        self.assertEqual(report["warnings"], {})
        self.assertEqual(status, 0)
        self.assertEqual(report["frames"], len(self.frames))
        self.assertEqual(report["icrcs_checked"], 49)
        kinds = report["kinds"]
        self.assertEqual(sum(kinds.values()), len(self.frames))
        self.assertEqual(len(kinds), 32)
        for name in ("CNP", "ACK", "RDMA_WRITE_FIRST", "SEND_ONLY_WITH_INVALIDATE"):
            self.assertEqual(kinds[name], 2, name)
        for name in ("NAK", "PFC_XOFF", "PFC_XON", "PAUSE", "ARP", "ICMP", "TCP", "UDP"):
            self.assertEqual(kinds[name], 1, name)
        self.assertEqual(
            report["pauses"],
            {
                "PFC vector 0x0018 (class 3: 65535 quanta, class 4: 32768 quanta)": 1,
                "PFC vector 0x0008 (class 3: 0 quanta)": 1,
                "PAUSE: 4660 quanta": 1,
            },
        )

    def test_writer_of_this_test(self):
        self.assertEqual(self.faults(self.frames), [])

    def test_wrong_icrc(self):
        for opcode in (0x0A, 0x11, 0x81):
            frame = self.find(opcode)
            frame[-1] ^= 1
            self.assert_fault("ICRC", frame)

    def test_wrong_header_checksum(self):
        for wanted in (0x0A, "TCP"):
            frame = self.find(wanted)
            frame[IP_CHECKSUM] ^= 1
            self.assert_fault("IPv4 header checksum", frame)

    def test_unknown_opcode(self):
        frame = self.find(0x11)
        frame[BTH_OPCODE] = 0x1F
        self.assert_fault("unknown BTH opcode 0x1f", frame)

    def test_cnp_with_something_in_its_reserved_bytes(self):
        frame = self.find(0x81)
        frame[60] = 1
        self.assert_fault("16 reserved bytes", frame)

    def test_malformed_packet(self):
        self.assert_fault("malformed packet", self.find(0x0C)[:50])

    def test_pause_frames_not_as_the_standard_has_them(self):
        frame = self.find("PFC")
        frame[CLASS_VECTOR] = 1
        self.assert_fault("class-enable vector", frame)
        frame[CLASS_VECTOR] = 0
        frame[DESTINATION + 5] = 7
        self.assert_fault("expert", frame)
        frame[DESTINATION + 5] = 1
        self.assertEqual(self.faults([frame]), [])
        frame[MAC_CONTROL_OPCODE + 1] = 9
        self.assert_fault("MAC control opcode", frame)
        self.assert_fault("70 bytes", self.find("PAUSE") + bytes(10))

    def test_expected_kind_is_missing(self):
        texts = self.faults([self.find("TCP")], "--expect", "TCP,CNP")
        self.assertEqual(texts, ["no CNP frame; the capture has: TCP"])

    def test_no_frames(self):
        self.assertEqual(self.faults([]), ["no frames"])

    def test_count(self):
        self.frames[-1][IP_CHECKSUM] ^= 1
        self.assertEqual(self.faults(self.frames, "--count", str(len(self.frames) - 1)), [])
        self.assertEqual(len(self.faults(self.frames)), 1)

    def test_not_a_capture(self):
        with open(self.path, "wb") as file:
            file.write(b"hello")
        status, report, error = check(self.path)
        self.assertEqual((status, report), (2, None))
        self.assertIn("check-capture: ", error)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CAPTURE = sys.argv.pop(1)
    unittest.main()
