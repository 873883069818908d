# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the list scheduler, which is the reference for the module's schedules."""

import csv
import os
import unittest

import list_scheduler

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class ListScheduler(unittest.TestCase):
    """Cases with known ends, and the file that the unit test of schedules reads."""

    def test_known_ends(self):
        # LogGOPSim: -L 2500 -o 0 -g 0 -G 1, 1 MiB, 8 ranks; 919 997 is 7 x 131 071 + 2500.
        for name, end in (("ring_all_reduce", 1869994), ("halving_doubling_all_reduce", 1850002), ("all_to_all", 919997)):
            s = list_scheduler.Scheduler(8, list_scheduler.Network(2500, 0, 0, 0, 8 * 10**9))
            getattr(s, name)(list(range(8)), 1 << 20, [[]] * 8)
            self.assertEqual(s.run(), [end] * 8, name)

    def test_units_and_overheads(self):
        s = list_scheduler.Scheduler(2, list_scheduler.Network(2500, 1500, 1500, 1000, 8 * 10**9))
        first = s.compute(0, 100, (), 0)
        s.compute(0, 50, (), 0)
        s.send(0, 1, 1, ("a",), [first])
        s.send(0, 1, 1, ("b",), [first])  # behind the gap
        s.receive(1, 1, 0, ("a",))
        s.receive(1, 1, 0, ("b",))
        # The first message is in memory at 100 + 1500 + 2500 + 1500 = 5600. The second one begins at 1100, and
        # would be in memory at 6600, but the receiver is busy with the first one until 5600.
        self.assertEqual(s.run(), [2600, 7100])

    def test_file_of_the_step(self):
        with open(os.path.join(ROOT, "test", "unit", "collective", "step-of-128.csv"), encoding="ascii") as handle:
            ends = [int(row["end_ns"]) for row in csv.DictReader(handle)]
        self.assertEqual(list_scheduler.run_step(), ends)


if __name__ == "__main__":
    unittest.main()
