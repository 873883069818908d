# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the picture of bus bandwidths and of the reader of tables."""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

import rdma_plot  # noqa: E402
from ns3_rdma.results import ResultsError  # noqa: E402
from rdma_plot_busbw import read_busbw  # noqa: E402

# Rows as rdma-collective prints them, with a share, and as nccl-tests 2.13 prints them, without.
OURS = """\
# ranks 8
       65536         16384     float     sum      -1    16.28    4.03    7.04    N/A    16.28    4.03    7.04    N/A     14.09
     1048576        262144     float     sum      -1    50.69   20.68   36.20    N/A    50.69   20.68   36.20    N/A     72.40
# Avg bus bandwidth    : 21.62
"""
THEIRS = """\
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    85.10   12.32   21.56      0    84.20   12.45   21.79      0
"""


class Busbw(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(text)
        return path

    def test_tables(self):
        self.assertEqual(read_busbw(self.write("ours", OURS)), [(65536, 7.04), (1048576, 36.2)])
        self.assertEqual(read_busbw(self.write("theirs", THEIRS)), [(1048576, 21.56)])

    def test_wrong_files(self):
        for text, error in (
            (OURS.replace("7.04", "x", 1), ":2: no row of a table"),
            ("1 2 3\n", ":1: no row of a table"),
            ("# nothing\n", "there are no rows with a size"),
        ):
            with self.assertRaisesRegex(ResultsError, error):
                read_busbw(self.write("wrong", text))
        with self.assertRaisesRegex(ResultsError, "No such file"):
            read_busbw(os.path.join(self.folder, "absent"))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_picture(self):
        ours = self.write("ours.txt", OURS)
        theirs = self.write("theirs.txt", THEIRS)
        picture = os.path.join(self.folder, "busbw.svg")
        self.assertEqual(
            rdma_plot.main(["busbw", f"packets={ours}", f"measured={theirs}", "-o", picture]), 0
        )
        with open(picture, encoding="utf-8") as handle:
            text = handle.read()
        for word in ("packets", "measured", "bus bandwidth"):
            self.assertIn(word, text)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(rdma_plot.main(["busbw", ours, "-o", "x.doc"]), 2)
        self.assertIn("x.doc; accepted", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
