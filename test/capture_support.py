# SPDX-License-Identifier: GPL-2.0-only
"""Tests on the capture that the unit test QbbFrameCapture writes: its frames, and how to damage them.

RDMA_CAPTURE_DIR=DIR rdma-unit-tests --gtest_filter=QbbFrameCapture.* writes the capture.
"""

import os
import struct
import sys
import tempfile
import unittest

# Offsets in an untagged frame.
DESTINATION = 0
IP_LENGTH = 16
IP_CHECKSUM = 24
BTH_OPCODE = 42
MAC_CONTROL_OPCODE = 14
CLASS_VECTOR = 16
UDP_LENGTH = 38

# The extended headers of IRN's opcodes.
MESSAGE, SELECTIVE, RETH = "message", "selective", "reth"
IRN_HEADERS = {
    0xC0: [MESSAGE],
    0xC1: [MESSAGE],
    0xC2: [MESSAGE],
    0xC3: ["immdt", MESSAGE],
    0xC4: [MESSAGE],
    0xC5: ["immdt", MESSAGE],
    0xC6: [RETH],
    0xC7: [RETH],
    0xC8: [RETH],
    0xC9: [RETH, "immdt", MESSAGE],
    0xCA: [RETH],
    0xCB: [RETH, "immdt", MESSAGE],
    0xCC: [RETH, MESSAGE],
    0xCD: ["aeth", MESSAGE],
    0xCE: [MESSAGE],
    0xCF: ["aeth", MESSAGE],
    0xD0: ["aeth", MESSAGE],
    0xD1: ["aeth", SELECTIVE],
    0xD2: ["aeth", "atomicack", MESSAGE],
    0xD3: ["atomiceth", MESSAGE],
    0xD4: ["atomiceth", MESSAGE],
    0xD6: ["ieth", MESSAGE],
    0xD7: ["ieth", MESSAGE],
    0xE0: ["aeth", SELECTIVE],
}


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


def write_capture(path, header, frames, captured=65535):
    """Write frames a microsecond apart, at most the first bytes of each."""
    with open(path, "wb") as file:
        file.write(header)
        for i, frame in enumerate(frames):
            part = frame[:captured]
            file.write(struct.pack("=IIII", 0, i, len(part), len(frame)))
            file.write(part)


def mend_checksum(frame):
    """Make an untagged frame's IPv4 header checksum right again."""
    frame[IP_CHECKSUM : IP_CHECKSUM + 2] = b"\0\0"
    total = sum(struct.unpack(">10H", frame[14:34]))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    frame[IP_CHECKSUM : IP_CHECKSUM + 2] = struct.pack(">H", ~total & 0xFFFF)


def shorten(frame, length):
    """An untagged RoCE frame that ends early and whose IPv4 and UDP lengths say so."""
    frame = frame[:length]
    frame[IP_LENGTH : IP_LENGTH + 2] = struct.pack(">H", length - 14)
    frame[UDP_LENGTH : UDP_LENGTH + 2] = struct.pack(">H", length - 34)
    mend_checksum(frame)
    return frame


def kind(frame):
    """Enough of a frame's kind to find one by."""
    if frame[12:14] == b"\x88\x08":
        return "PFC" if frame[15:16] == b"\x01" and frame[14] == 1 else "PAUSE"
    if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7":
        return frame[BTH_OPCODE]
    return "TCP" if frame[12:14] == b"\x08\x00" and frame[23] == 6 else "OTHER"


class CaptureTest(unittest.TestCase):
    """Base of tests that read the capture, and write damaged copies to a file of their own."""

    capture = ""

    def setUp(self):
        self.header, self.frames = read_capture(self.capture)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "capture.pcap")


def main(usage):
    """Runs the tests of the program, on the capture that its first argument names."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    CaptureTest.capture = sys.argv.pop(1)
    unittest.main()
