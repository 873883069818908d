#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/check-capture and tools/irn.lua, and with them the codec's bytes.

Takes the capture that the unit test QbbFrameCapture writes (RDMA_CAPTURE_DIR=DIR rdma-unit-tests
--gtest_filter=QbbFrameCapture.*): it must pass, and each damaged copy of it must not.

Usage: test/check-capture-test.py DIR/rdma-frame-kinds.pcap (with a Python that has scapy)
"""

import importlib.util
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))

import tshark_user  # noqa: E402

CHECK = os.path.join(HERE, "..", "tools", "check-capture")
DISSECTOR = os.path.join(HERE, "..", "tools", "irn.lua")
CAPTURE = ""

# Offsets in an untagged frame.
DESTINATION = 0
IP_LENGTH = 16
IP_CHECKSUM = 24
BTH_OPCODE = 42
MAC_CONTROL_OPCODE = 14
CLASS_VECTOR = 16
UDP_LENGTH = 38

# The extended headers of IRN's opcodes, and what the fields of each are in the capture.
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
IRN_NO_PAYLOAD = (0xCC, 0xD1, 0xD2, 0xD3, 0xD4, 0xE0)
IRN_FIELDS = {
    RETH: {
        "irn.reth.va": 0x7F0000001000, "irn.reth.r_key": 0x1234, "irn.reth.dma_length": 4096,
    },
    "atomiceth": {
        "irn.atomiceth.va": 0x7F0000001000, "irn.atomiceth.r_key": 0x1234,
        "irn.atomiceth.swap_or_add": 0x1111111122222222,
        "irn.atomiceth.compare": 0x3333333344444444,
    },
    "aeth": {"irn.aeth.syndrome": 0x1F, "irn.aeth.msn": 0x70809},
    "atomicack": {"irn.atomicack.original": 0x3333333344444444},
    "immdt": {"irn.immdt": 0xCAFEF00D},
    "ieth": {"irn.ieth": 0xCAFEF00D},
    MESSAGE: {"irn.message.reserved": 0, "irn.wqe_sn": 0x10203, "irn.offset": 2048},
    SELECTIVE: {"irn.selective.reserved": 0, "irn.selective_psn": 0x40506},
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


def tshark(path, *arguments, irn=True):
    """What tshark writes of a capture."""
    with tshark_user.readable(DISSECTOR, path) as ((script, capture), keywords):
        options = ["-X", f"lua_script:{script}"] if irn else []
        done = subprocess.run(
            ["tshark", "-n", *options, "-r", capture, *arguments],
            capture_output=True, text=True, check=True, **keywords,
        )
    return done.stdout


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


@unittest.skipUnless(importlib.util.find_spec("scapy"), "scapy is not here")
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
            CAPTURE, "--expect", "CNP,ACK,NAK,PFC_XOFF,PFC_XON,PAUSE,TCP,IRN_ACK,IRN_READ_NAK"
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
        for opcode, at in ((0xC4, 46), (0xC4, 50), (0xC4, 54), (0xC9, 74), (0xD1, 58), (0xE0, 58)):
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


class Dissector(unittest.TestCase):
    """tools/irn.lua, apart from check-capture."""

    def setUp(self):
        self.header, self.frames = read_capture(CAPTURE)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "capture.pcap")

    def test_fields(self):
        bth = ["opcode", "se", "mig_req", "pad_count", "version", "p_key", "fecn", "becn"]
        bth += ["dest_qp", "ack_req", "psn"]
        names = [f"irn.{name}" for name in bth]
        names += [name for fields in IRN_FIELDS.values() for name in fields]
        names += ["irn.payload_length", "irn.pad", "irn.icrc"]
        options = [word for name in ["_ws.col.Info", *names] for word in ("-e", name)]
        output = tshark(CAPTURE, "-T", "fields", "-E", "separator=/t", *options)
        lines = output.rstrip("\n").split("\n")
        self.assertEqual(len(lines), len(self.frames))
        seen = set()
        for number, (line, frame) in enumerate(zip(lines, self.frames), 1):
            info, *texts = line.split("\t")
            opcode = kind(frame)
            if opcode not in IRN_HEADERS:
                if frame[12:14] != b"\x81\x00":
                    self.assertEqual(set(texts), {""}, f"{number}: {line}")
                continue
            if opcode in seen:
                continue  # the NAKs
            seen.add(opcode)
            payload = opcode not in IRN_NO_PAYLOAD
            request = opcode < 0xCD or opcode in (0xD3, 0xD4, 0xD6, 0xD7, 0xE0)
            last = opcode not in (0xC0, 0xC1, 0xC6, 0xC7)
            values = [opcode, 0, 1, 3 if payload else 0, 0, 0xFFFF, 0, 0, 0x12]
            values += [int(request and last), number]
            expected = dict(zip(names, values))
            for header in IRN_HEADERS[opcode]:
                expected.update(IRN_FIELDS[header])
            expected["irn.payload_length"] = 1021 if payload else 0
            expected["irn.icrc"] = int.from_bytes(frame[-4:], "big")
            if payload:
                expected["irn.pad"] = 0
            # tshark writes flags as 1 and 0, and from release 4.4 on as True and False.
            flags = {"True": "1", "False": "0"}
            shown = {
                name: int(flags.get(text, text), 0) for name, text in zip(names, texts) if text
            }
            self.assertEqual(shown, expected, info)
            self.assertIn(f"QP=0x000012 PSN={number}", info)
        self.assertEqual(seen, set(IRN_HEADERS))

    def test_filters_and_info(self):
        def infos(display_filter):
            arguments = ["-Y", display_filter, "-T", "fields", "-e", "_ws.col.Info"]
            return tshark(CAPTURE, *arguments).splitlines()

        self.assertEqual(len(infos("irn")), 2 * len(IRN_HEADERS) + 2)
        self.assertEqual(len(infos("irn.wqe_sn == 66051 && irn.offset == 2048")), 36)
        self.assertEqual(
            infos("irn.aeth.syndrome == 0x60"),
            [
                "IRN_ACKNOWLEDGE QP=0x000000 PSN=0 NAK, PSN sequence error MSN=0 BY=7",
                "IRN_READ_ACKNOWLEDGE QP=0x000000 PSN=0 NAK, PSN sequence error MSN=0 BY=7",
            ],
        )
        self.assertEqual(len(infos("infiniband")), 49)

    def test_damaged_packets(self):
        source = random.Random(1)
        frames = []
        for _ in range(3000):
            frame = bytearray(source.choice(self.frames))
            if not isinstance(kind(frame), int):
                continue
            for _ in range(source.randrange(3)):
                at = source.randrange(UDP_LENGTH, min(len(frame), 100))
                frame[at] ^= 1 << source.randrange(8)
            how = source.randrange(4)
            if how == 0:
                frame = shorten(frame, source.randrange(42, min(len(frame), 120)))
            elif how == 1:
                frame = frame[: source.randrange(42, min(len(frame), 120))]
            mend_checksum(frame)
            frames.append(frame)
        for captured in (65535, 80):
            write_capture(self.path, self.header, frames, captured)
            parts = []
            for irn in (True, False):
                # All that the script may leave on other packets is its name among the protocols.
                output = tshark(self.path, "-V", irn=irn).replace(":irn", "")
                parts.append(re.split(r"(?m)^(?=Frame \d+:)", output)[1:])
            self.assertEqual([len(parts[0]), len(parts[1])], [len(frames)] * 2)
            others = 0
            for frame, ours, theirs in zip(frames, *parts):
                self.assertNotIn("Lua Error", ours)
                if len(frame) > BTH_OPCODE and frame[BTH_OPCODE] in IRN_HEADERS:
                    continue
                others += 1
                self.assertEqual(ours, theirs)
            self.assertGreater(others, 500)
            self.assertGreater(len(frames) - others, 500)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CAPTURE = sys.argv.pop(1)
    unittest.main()
