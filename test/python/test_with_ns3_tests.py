#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/with-ns3: the choice of tests, the count of results and the output of builds."""

import contextlib
import io
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from with_ns3 import build, counts, tests  # noqa: E402
from with_ns3.say import Stop  # noqa: E402


class Selection(unittest.TestCase):
    """Which of CTest's entries a name stands for."""

    KNOWN = {"unit-0": "unit", "unit-1": "unit", "rdma-link": "suite", "example-rdma-first": "example"}

    def test_names_and_groups(self):
        self.assertEqual(tests.select([], self.KNOWN), (sorted(self.KNOWN), None))
        self.assertEqual(tests.select(["rdma-link"], self.KNOWN), (["rdma-link"], None))
        self.assertEqual(
            tests.select(["suite", "unit:Qbb*"], self.KNOWN), (["rdma-link", "unit-0", "unit-1"], "Qbb*")
        )

    def test_wrong_name(self):
        with self.assertRaisesRegex(Stop, "no test 'rdma-lnk'; tests: example suite unit unit-0"):
            tests.select(["rdma-lnk"], self.KNOWN)


class Counting(unittest.TestCase):
    """Counts from the output of test programs."""

    def tuple(self, result):
        return (result.passed, result.failed, result.skipped)

    def test_units(self):
        output = (
            "[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n"
            "[ RUN      ] A.two\nfile:1: Failure\n[  FAILED  ] A.two (3 ms)\n"
            "[ RUN      ] A.three\n[  SKIPPED ] A.three (0 ms)\n"
            "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.three\n"
            "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.two\n"
        )
        result = counts.count_units(output, False)
        self.assertEqual(self.tuple(result), (1, 1, 1))
        self.assertEqual(result.names, ("A.two",))

    def test_units_with_parameters(self):
        output = (
            "[ RUN      ] P/A.one/0\n[  FAILED  ] P/A.one/0, where GetParam() = 5 (0 ms)\n"
        )
        self.assertEqual(counts.count_units(output, False).names, ("P/A.one/0",))

    def test_units_that_crash(self):
        result = counts.count_units("[ RUN      ] A.one\n", False)
        self.assertEqual((self.tuple(result), result.names), ((0, 1, 0), ("A.one",)))
        result = counts.count_units("[ RUN      ] A.one\n[       OK ] A.one (0 ms)\n", False)
        self.assertEqual(self.tuple(result), (1, 1, 0))

    def test_suite(self):
        output = (
            "FAIL rdma-x 0.010 s\n  PASS first case 0.000 s\n  FAIL second 0.010 s\n"
            "    Test failed in line 3\n"
        )
        result = counts.count_suite(output, False)
        self.assertEqual((self.tuple(result), result.names), ((1, 1, 0), ("second",)))
        self.assertEqual(self.tuple(counts.count_suite("", False)), (0, 1, 0))

    def test_python(self):
        output = (
            "test_a (t.A) ... ok\ntest_b (t.A) ... FAIL\ntest_c (t.A) ... skipped 'no'\n"
            "FAIL: test_b (t.A)\n"
        )
        result = counts.count_python(output, False)
        self.assertEqual((self.tuple(result), result.names), ((1, 1, 1), ("test_b",)))
        self.assertEqual(self.tuple(counts.count_python("SyntaxError", False)), (0, 1, 0))

    def test_log(self):
        def entry(number, name, output, end):
            line = "-" * 58
            return (
                f"{number}/9 Testing: {name}\n{number}/9 Test: {name}\nCommand: \"x\"\n"
                f"\"{name}\" start time: now\nOutput:\n{line}\n{output}<end of output>\n"
                f"Test time =   0.00 sec\n{line}\n{end}\n\"{name}\" end time: now\n{line}\n\n"
            )

        text = (
            entry(1, "unit-0", "[       OK ] A.one (0 ms)\n", "Test Passed.")
            + entry(2, "rdma-link", "PASS rdma-link 0 s\n  PASS a 0 s\n  PASS b 0 s\n", "Test Passed.")
            + entry(3, "example-rdma-first", "", "Test Failed.")
            + entry(4, "captures-write", "", "Test Passed.")
            + entry(5, "golden", "30 passed, 1 failed, 0 skipped\n", "Test Failed.")
        )
        found = {name: self.tuple(result) for name, result in counts.count_log(text).items()}
        self.assertEqual(found, {
            "unit-0": (1, 0, 0), "rdma-link": (2, 0, 0), "example-rdma-first": (0, 1, 0),
            "golden": (30, 1, 0),
        })


class Output(unittest.TestCase):
    """A build that succeeds shows only messages on this repository's files."""

    def shown(self, *lines):
        with contextlib.redirect_stderr(io.StringIO()) as text:
            output = build.Output()
            for line in lines:
                output.line(line)
            output.flush()
        return text.getvalue()

    def test_warnings(self):
        self.assertEqual(self.shown("../src/core/model/x.cc:1: warning: w\n"), "")
        for folder in ("../../contrib/rdma/model", "../../../../../model", "/ns3/contrib/rdma/test"):
            line = f"{folder}/frame/qbb-frame.cc:1: warning: w\n"
            self.assertEqual(self.shown(line), line)

    def test_errors(self):
        lines = ("FAILED: src/core/x.o\n", "../src/core/model/x.cc:1: error: e\n")
        self.assertEqual(self.shown(*lines), "".join(lines))


if __name__ == "__main__":
    unittest.main()
