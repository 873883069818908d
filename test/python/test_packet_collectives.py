# SPDX-License-Identifier: GPL-2.0-only
"""Collectives on packets, beside the list scheduler of packet_scheduler.py, on an idle star that does not block."""

import os
import random
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import console  # noqa: E402
import packet_scheduler  # noqa: E402
from packet_scheduler import Lane, Message, Star, lanes_of  # noqa: E402

PROGRAM = console.program("rdma-collective")
KIB, MIB = 1 << 10, 1 << 20
# The memory of the switch holds what two ranks send to a third one, so that no port is paused.
CONFIG = "--mtu=4096\n--buffer=1GB\n"

BLOCKING, PIPELINED, MANY = {}, {"chunks": 4, "pipelined": True}, {"chunks": 16, "pipelined": True}
# Collective, ranks, bytes, form, accepted difference.
CASES = (
    ("all-reduce-ring", 8, KIB, BLOCKING, 0.002),
    ("all-reduce-ring", 64, MIB, BLOCKING, 0.002),
    ("all-reduce-ring", 8, 64 * MIB, PIPELINED, 0.002),
    ("all-reduce-halving-doubling", 8, MIB, PIPELINED, 0.002),
    ("all-reduce-halving-doubling", 64, MIB, BLOCKING, 0.002),
    ("all-reduce-recursive-doubling", 16, MIB, MANY, 0.002),
    ("all-reduce-double-tree", 8, KIB, BLOCKING, 0.01),
    ("all-reduce-double-tree", 9, MIB, MANY, 0.01),
    ("all-reduce-double-tree", 24, MIB, PIPELINED, 0.01),
    ("all-reduce-double-tree", 64, 64 * KIB, BLOCKING, 0.01),
    ("all-reduce-double-tree", 64, MIB, MANY, 0.01),
    ("all-reduce-double-tree", 64, 64 * MIB, BLOCKING, 0.01),
    ("all-reduce-double-tree", 64, 64 * MIB, PIPELINED, 0.01),
    ("broadcast-tree", 8, KIB, BLOCKING, 0.01),
    ("broadcast-tree", 63, 256 * KIB, PIPELINED, 0.01),
    ("broadcast-tree", 16, 64 * MIB, BLOCKING, 0.01),
    ("broadcast-ring", 64, MIB, BLOCKING, 0.01),
    ("broadcast-ring", 8, 64 * MIB, MANY, 0.01),
    ("all-to-all", 9, 9 * KIB, BLOCKING, 0.01),
    ("all-to-all", 64, MIB, PIPELINED, 0.01),
    ("all-to-all", 16, 64 * MIB, BLOCKING, 0.01),
    ("reduce-scatter-ring", 8, MIB, BLOCKING, 0.01),
    ("all-gather-ring", 32, MIB, PIPELINED, 0.01),
    ("all-reduce-hierarchical:8", 64, MIB, BLOCKING, 0.01),
    ("all-reduce-hierarchical:4", 16, 4 * MIB, PIPELINED, 0.01),
)


def uneven_matrix(ranks, size, seed):
    """Bytes by sender and receiver: some receivers are in demand, some pairs have nothing."""
    draw = random.Random(seed)
    demand = [draw.paretovariate(1.5) for _ in range(ranks)]
    return [[int(size * weight / sum(demand) * draw.choice((0, 1, 2))) for weight in demand] for _ in range(ranks)]


class Reference(unittest.TestCase):
    """The list scheduler, beside times worked out by hand."""

    def test_one_message(self):
        # 5000 B are packets of 4096 + 82 + 16 and 904 + 82 + 4 B: 83880 and 19800 ps on each link. The second one
        # follows the first one out of the switch. Then comes the acknowledgement, of 86 B: twice 1720 ps and 1 us. Each
        # packet has arrived 240 ps before the gap behind it ends.
        self.assertEqual(Star(3).run([Lane([Message(1, 2, 5000)], 8)]), 4191000 - 4 * 240)
        # Without bytes: 102 B.
        self.assertEqual(Star(2).run([Lane([Message(0, 1, 0)], 8)]), 4007520 - 4 * 240)

    def test_two_senders(self):
        # Both send 4096 B, 83960 ps; the second packet waits in the switch for the first one. Its acknowledgement is
        # alone on its way.
        lanes = [Lane([Message(rank, 2, 4096)], 8) for rank in (0, 1)]
        self.assertEqual(Star(3).run(lanes), 3 * 83960 + 4 * 10**6 + 2 * 1720 - 4 * 240)

    def test_parts_and_turns(self):
        # Two connections take turns: each sends 256 packets in 2 parts. The other one has the last turn.
        data = 256 * (4096 + 82) + 2 * 20
        lanes = [Lane([Message(0, to, MIB)], 8) for to in (1, 2)]
        last = (4096 + 86) * 20
        star = Star(3)
        self.assertEqual(star.run(lanes), 2 * data * 20 + last + 4 * 10**6 + 2 * 1720 - 4 * 240)
        self.assertEqual(star.burst, 1)

    def test_closed_forms(self):
        """What all ranks do alike has a closed form."""
        for collective in ("all-reduce-ring", "all-reduce-halving-doubling", "all-reduce-recursive-doubling", "all-to-all"):
            for ranks in (8, 16):
                for size in (KIB, 256 * KIB, 8 * MIB):
                    time = Star(ranks).run(lanes_of(collective, ranks, size))
                    expected = packet_scheduler.closed_form(collective, ranks, size)
                    self.assertLess(abs(time / expected - 1), 0.001, (collective, ranks, size))

    def test_bursts(self):
        """With several packets in a burst, times differ little."""
        times = []
        for bursts in (packet_scheduler.BURSTS, 4000):
            with unittest.mock.patch.object(packet_scheduler, "BURSTS", bursts):
                times.append([Star(8).run(lanes_of(name, 8, 4 * MIB, **form))
                              for name in ("all-reduce-ring", "all-to-all", "all-reduce-double-tree")
                              for form in (BLOCKING, PIPELINED)])
        for exact, rough in zip(*times):
            self.assertLess(abs(rough / exact - 1), 0.01)

    def test_trees(self):
        """All ranks but one have a parent in a tree; a rank has children in one tree only."""
        self.assertEqual(packet_scheduler.binary_tree(8), [None, 2, 4, 2, 0, 6, 4, 6])
        self.assertEqual(packet_scheduler.binary_tree(7), [None, 2, 4, 2, 0, 6, 4])
        for ranks in (8, 24, 64):
            parents = packet_scheduler.binary_tree(ranks)
            inner = {parent for parent in parents if parent}
            self.assertFalse(inner & {ranks - 1 - parent for parent in inner})
            edges = [(lane.messages[0].source, lane.messages[0].target) for lane in packet_scheduler.double_tree(ranks, MIB)]
            self.assertEqual(len(edges), 4 * (ranks - 1))
            self.assertEqual(sorted(edges), sorted((b, a) for a, b in edges))


@unittest.skipUnless(PROGRAM, "rdma-collective is not on the PATH")
class Runs(unittest.TestCase):
    """Runs of rdma-collective."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("config", CONFIG)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)

    def measure(self, collective, ranks, size, attributes):
        """The time of a call in us."""
        part = collective + (f"[{'|'.join(attributes)}]" if attributes else "")
        done = subprocess.run(
            [PROGRAM, "--network=packets", "--config=config", f"--collective={part}", f"--ranks={ranks}",
             f"--minBytes={size}", f"--maxBytes={size}"],
            cwd=self.folder, capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
        return float(row.split()[5])

    @staticmethod
    def attributes(form):
        return [f"Chunks={form['chunks']}", "Steps=Pipelined"] if form else []

    def test_collectives(self):
        for collective, ranks, size, form, accepted in CASES:
            with self.subTest(collective=collective, ranks=ranks, size=size, form=form):
                time = self.measure(collective, ranks, size, self.attributes(form))
                expected = Star(ranks).run(lanes_of(collective, ranks, size, **form)) / 1e6
                self.assertLess(abs(time / expected - 1), accepted, f"{time} us; expected {expected} us")

    def test_uneven_all_to_all(self):
        for ranks, size, form in ((8, 64 * KIB, BLOCKING), (16, 4 * MIB, PIPELINED), (64, MIB, BLOCKING), (64, MIB, PIPELINED)):
            with self.subTest(ranks=ranks, size=size, form=form):
                matrix = uneven_matrix(ranks, size, ranks)
                self.write("matrix.csv", "".join(",".join(map(str, row)) + "\n" for row in matrix))
                time = self.measure("all-to-all-v", ranks, MIB, ["File=matrix.csv", *self.attributes(form)])
                expected = Star(ranks).run(packet_scheduler.all_to_all(matrix, **form)) / 1e6
                self.assertLess(abs(time / expected - 1), 0.01, f"{time} us; expected {expected} us")


if __name__ == "__main__":
    unittest.main()
