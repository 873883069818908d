#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/check-capture, and with it the codec's bytes.

A capture with each kind of frame (capture_support.py) must pass, and each damaged copy must not.

Usage: test/check-capture-test.py DIR/rdma-frame-kinds.pcap (with a Python that has scapy)
"""

import importlib.util
import json
import os
import shutil
import struct
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import capture_support  # noqa: E402
from capture_support import (  # noqa: E402
    BTH_OPCODE,
    CLASS_VECTOR,
    DESTINATION,
    IP_CHECKSUM,
    IP_LENGTH,
    IRN_HEADERS,
    MAC_CONTROL_OPCODE,
    kind,
    mend_checksum,
    shorten,
    write_capture,
)

CHECK = os.path.join(HERE, "..", "tools", "check-capture")


def check(*arguments):
    """Run check-capture; give its exit status, its report and its error output."""
    done = subprocess.run(
        [sys.executable, CHECK, "--json", *arguments], capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout) if done.stdout else None
    return done.returncode, report, done.stderr


@unittest.skipUnless(
    importlib.util.find_spec("scapy") and shutil.which("tshark"), "tshark or scapy is not here"
)
class CheckCapture(capture_support.CaptureTest):
    """Captures good and bad."""

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

    def assert_fault(self, part, *frames):
        """Each frame of a capture of these has a fault whose text has that part."""
        write_capture(self.path, self.header, frames)
        status, report, error = check(self.path)
        self.assertEqual(status, 1, error)
        for number in range(1, len(frames) + 1):
            texts = [entry["fault"] for entry in report["faults"] if entry["frame"] == number]
            self.assertTrue(any(part in text for text in texts), f"no '{part}' in {texts}")

    def test_capture_of_all_kinds(self):
        status, report, error = check(
            self.capture, "--expect", "CNP,ACK,NAK,PFC_XOFF,PFC_XON,PAUSE,TCP,IRN_ACK,IRN_READ_NAK"
        )
        self.assertIsNotNone(report, error)
        self.assertEqual(report["faults"], [])
        self.assertEqual(report["warnings"], {})
        self.assertEqual(status, 0)
        self.assertEqual(report["frames"], len(self.frames))
        self.assertEqual(report["icrcs_checked"], 99)
        kinds = report["kinds"]
        self.assertEqual(sum(kinds.values()), len(self.frames))
        self.assertEqual(len(kinds), 58)
        for name in ("CNP", "ACK", "RDMA_WRITE_FIRST", "SEND_ONLY_WITH_INVALIDATE"):
            self.assertEqual(kinds[name], 2, name)
        for name in ("IRN_ACK", "IRN_READ_ACK", "IRN_WRITE_FIRST", "IRN_FETCH_ADD"):
            self.assertEqual(kinds[name], 2, name)
        self.assertEqual((kinds["IRN_NAK"], kinds["IRN_READ_NAK"]), (1, 1))
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
        frames = [self.find(opcode) for opcode in (0x0A, 0x11, 0x81, *IRN_HEADERS)]
        for frame in frames:
            frame[-1] ^= 1
        self.assert_fault("ICRC", *frames)

    def test_wrong_header_checksum(self):
        for wanted in (0x0A, "TCP"):
            frame = self.find(wanted)
            frame[IP_CHECKSUM] ^= 1
            self.assert_fault("IPv4 header checksum", frame)

    def test_unknown_opcode(self):
        frame = self.find(0x11)
        frame[BTH_OPCODE] = 0x1F
        self.assert_fault("unknown BTH opcode 0x1f", frame)
        frame[BTH_OPCODE] = 0xD5
        self.assert_fault("unknown BTH opcode 0xd5", frame)

    def test_cnp_with_something_in_its_reserved_bytes(self):
        frame = self.find(0x81)
        frame[60] = 1
        self.assert_fault("16 reserved bytes", frame)

    def test_malformed_packet(self):
        self.assert_fault("malformed packet", self.find(0x0C)[:50])
        self.assert_fault("malformed packet", self.find(0xCC)[:50])

    def test_irn_packet_that_ends_early(self):
        frame = self.find(0xD3)
        frames = [shorten(frame, length) for length in range(43, len(frame))]
        self.assert_fault("left before the ICRC", *frames)

    def test_irn_packet_of_another_length(self):
        self.assert_fault("accepted: a multiple of 4", shorten(self.find(0xC0), 101))
        frame = self.find(0xC9)
        frame[BTH_OPCODE] = 0xCC
        self.assert_fault("IRN_READ_REQUEST carries no payload; it has 1028 bytes", frame)
        frame = self.find(0xD1)
        frame[43] |= 0x10
        self.assert_fault("Pad count 1; accepted: at most 0", frame)
        frame = self.find(0xC6)
        frame[-5] = 1
        self.assert_fault("The pad is not zeros", frame)

    def test_irn_packet_with_something_in_its_reserved_bits(self):
        frames = []
        for opcode, at in ((0xC4, 46), (0xC4, 50), (0xC4, 54), (0xC9, 74)):
            frames.append(bytearray(self.find(opcode)))
            frames[-1][at] ^= 1
        self.assert_fault("Reserved bits are not zero", *frames)
        frame = self.find(0xC1)
        frame[43] |= 1
        self.assert_fault("header version", frame)

    def test_irn_packet_captured_in_part(self):
        write_capture(self.path, self.header, [self.find(o) for o in IRN_HEADERS], 60)
        status, report, error = check(self.path)
        self.assertEqual((status, error), (0, ""))
        self.assertEqual(report["faults"], [])
        self.assertEqual(report["icrcs_cut_off"], len(IRN_HEADERS))
        self.assertEqual(report["kinds"]["IRN_READ_ACK"], 1)

    def test_irn_packet_that_an_icmp_error_quotes(self):
        quote = self.find(0xD3)[14:70]
        icmp = bytes([11, 0, 0, 0, 0, 0, 0, 0]) + quote
        total = sum(struct.unpack(f">{len(icmp) // 2}H", icmp))
        checksum = ~(total % 0xFFFF) & 0xFFFF
        frame = self.find(0xD3)[:34] + icmp[:2] + struct.pack(">H", checksum) + icmp[4:]
        frame[23] = 1
        frame[IP_LENGTH : IP_LENGTH + 2] = struct.pack(">H", len(frame) - 14)
        mend_checksum(frame)
        self.assertEqual(self.faults([frame], "--expect", "ICMP"), [])

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
    capture_support.main(__doc__)
