#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test tools/irn.lua, tshark's dissector of IRN packets, and with it the codec's bytes.

Usage: test/irn-dissector-test.py DIR/rdma-frame-kinds.pcap (see capture_support.py)
"""

import os
import random
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "..", "tools")
sys.path[:0] = [HERE, TOOLS]

import capture_support  # noqa: E402
import tshark_user  # noqa: E402
from capture_support import (  # noqa: E402
    BTH_OPCODE,
    IRN_HEADERS,
    MESSAGE,
    RETH,
    SELECTIVE,
    UDP_LENGTH,
    kind,
    mend_checksum,
    shorten,
    write_capture,
)

DISSECTOR = os.path.join(TOOLS, "irn.lua")
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
    SELECTIVE: {"irn.selective.arrived": 0, "irn.selective_psn": 0x40506},
}


def tshark(path, *arguments, irn=True):
    """The output of tshark for a capture."""
    with tshark_user.readable(DISSECTOR, path) as ((script, capture), keywords):
        options = ["-X", f"lua_script:{script}"] if irn else []
        done = subprocess.run(
            ["tshark", "-n", *options, "-r", capture, *arguments],
            capture_output=True, text=True, check=True, **keywords,
        )
    return done.stdout


@unittest.skipUnless(shutil.which("tshark"), "tshark is not here")
class Dissector(capture_support.CaptureTest):
    """tools/irn.lua, apart from check-capture."""

    def test_fields(self):
        bth = ["opcode", "se", "mig_req", "pad_count", "version", "p_key", "fecn", "becn"]
        bth += ["dest_qp", "ack_req", "psn"]
        names = [f"irn.{name}" for name in bth]
        names += [name for fields in IRN_FIELDS.values() for name in fields]
        names += ["irn.payload_length", "irn.pad", "irn.icrc"]
        options = [word for name in ["_ws.col.Info", *names] for word in ("-e", name)]
        output = tshark(self.capture, "-T", "fields", "-E", "separator=/t", *options)
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
            return tshark(self.capture, *arguments).splitlines()

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
    capture_support.main(__doc__)
