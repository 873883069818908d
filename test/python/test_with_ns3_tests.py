#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/with-ns3: the choice of tests, the count of results and the output of builds."""

import contextlib
import glob
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from with_ns3 import build, counts, packages, tests  # noqa: E402
from with_ns3.say import Phases, Stop  # noqa: E402


class Selection(unittest.TestCase):
    """Which of CTest's entries a name stands for."""

    KNOWN = {"unit-0": "unit", "unit-1": "unit", "rdma-link": "suite", "example-rdma-first": "example"}

    def test_names_and_groups(self):
        self.assertEqual(tests.select([], self.KNOWN), (sorted(self.KNOWN), None))
        self.assertEqual(tests.select(["rdma-link"], self.KNOWN), (["rdma-link"], None))
        self.assertEqual(
            tests.select(["suite", "unit:Qbb*"], self.KNOWN), (["rdma-link", "unit-0", "unit-1"], "Qbb*")
        )

    def test_bindings_run_only_if_named(self):
        known = {**self.KNOWN, "python-bindings": "bindings"}
        self.assertEqual(tests.select([], known), (sorted(self.KNOWN), None))
        for name in ("bindings", "python-bindings"):
            self.assertEqual(tests.select([name], known), (["python-bindings"], None))

    def test_suites_that_use_several_threads(self):
        chosen = tests.tests_of_threads()
        for name in ("rdma-packet-network", "rdma-threads", "rdma-determinism", "golden-threads"):
            self.assertIn(name, chosen)
        self.assertNotIn("rdma-link", chosen)
        # A suite that sets the number of threads in another way would not be found.
        for path in glob.glob(os.path.join(ROOT, "test", "suite", "**", "*-test-suite.cc"), recursive=True):
            with open(path, encoding="utf-8") as source:
                self.assertNotRegex(source.read(), r'SetAttribute\("Threads"', path)

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
            "[ RUN      ] A.three\na.cc:3: Skipped\nbuilt without\nasserts\n\n[  SKIPPED ] A.three (0 ms)\n"
            "[ RUN      ] A.four\n[  SKIPPED ] A.four (0 ms)\n"
            "[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.three\n"
            "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.two\n"
        )
        result = counts.count_units(output, False)
        self.assertEqual(self.tuple(result), (1, 1, 2))
        self.assertEqual(result.names, ("A.two",))
        self.assertEqual(result.skips, (("A.three", "built without asserts"), ("A.four", "")))

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
        result = counts.count_suite("PASS rdma-x 0.1 s\n  SKIP long 0.0 s\n  PASS b 0.1 s\n", True)
        self.assertEqual(self.tuple(result), (1, 0, 1))
        self.assertEqual([name for name, _ in result.skips], ["rdma-x: long"])

    def test_python(self):
        output = (
            "test_a (t.A) ... ok\ntest_b (t.A) ... FAIL\ntest_c (t.A) ... skipped 'no'\n"
            "FAIL: test_b (t.A)\n"
        )
        result = counts.count_python(output, False)
        self.assertEqual((self.tuple(result), result.names), ((1, 1, 1), ("test_b",)))
        self.assertEqual(result.skips, (("t.A.test_c", "no"),))
        self.assertEqual(self.tuple(counts.count_python("SyntaxError", False)), (0, 1, 0))

    def test_skips_of_python(self):
        output = (
            "test_a (t.A.test_a) ... ok\n"
            "test_b (t.A.test_b)\nA sentence. ... skipped 'needs b'\n"
            "test_c (t.A.test_c)\nA sentence. ... ok\n"
            "test_d (t.A.test_d) (number=3) ... skipped \"it's 3\"\n"
            "setUpClass (t.B) ... skipped 'needs c'\n"
            "strange line ... skipped 'x'\n"
        )
        result = counts.count_python(output, True)
        self.assertEqual(self.tuple(result), (2, 0, 4))
        counts.name_skips(result, "python-t")
        self.assertEqual(result.skips, (
            ("t.A.test_b", "needs b"), ("t.A.test_d", "it's 3"), ("t.B.setUpClass", "needs c"),
            ("python-t", "see its output"),
        ))

    def test_lines_of_python_that_are_broken_up(self):
        output = (
            "test_a (t.A.test_a) ... a: message\nok\ntest_b (t.A.test_b) ... noise\nskipped 'no'\n"
            "test_c (t.A.test_c) ... noise\nFAIL\n\nFAIL: test_c (t.A.test_c)\n\n"
            "Ran 3 tests in 0.1s\n\nFAILED (failures=1, skipped=1)\n"
        )
        result = counts.count_python(output, False)
        self.assertEqual((self.tuple(result), result.names), ((1, 1, 1), ("test_c",)))
        counts.name_skips(result, "python-t")
        self.assertEqual(result.skips, (("python-t", "see its output"),))
        output = "test_a (t.A.test_a) ... noise\nok\n---\nRan 1 test in 0.1s\n\nOK\n"
        self.assertEqual(self.tuple(counts.count_python(output, True)), (1, 0, 0))

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
            + entry(5, "golden", "a: skipped: no sums\n30 passed, 1 failed, 1 skipped\n", "Test Failed.")
            + entry(6, "python-x", "test_a (t.A) ... skipped 'no'\nodd ... skipped 'x'\n", "Test Passed.")
        )
        results = counts.count_log(text)
        self.assertEqual(results["golden"].skips, (("golden a", "no sums"),))
        self.assertEqual(
            results["python-x"].skips, (("t.A.test_a", "no"), ("python-x", "see its output"))
        )
        found = {name: self.tuple(result) for name, result in results.items()}
        self.assertEqual(found, {
            "unit-0": (1, 0, 0), "rdma-link": (2, 0, 0), "example-rdma-first": (0, 1, 0),
            "golden": (30, 1, 1), "python-x": (0, 0, 2),
        })


class Skips(unittest.TestCase):
    """Skipped tests, and the list of those that may be skipped."""

    LIST = "# comment\n\nA.one | no kernel\nB.* | C | D\n"

    def results(self):
        skips = (("A.one", "x"), ("B.two", "y"), ("C.three", "z"))
        return {"unit-0": counts.Result(passed=4, skipped=3, skips=skips)}

    def report(self, strict):
        """The status and the lines of a report."""
        with mock.patch("builtins.open", mock.mock_open(read_data=self.LIST)):
            with contextlib.redirect_stdout(io.StringIO()) as text:
                status = tests.report(self.results(), strict)
        return status, text.getvalue().splitlines()

    def test_skips_are_printed_with_their_reasons(self):
        self.assertEqual(self.report(False), (0, [
            "skipped: A.one: x (listed)", "skipped: B.two: y (listed)", "skipped: C.three: z",
            "4 passed, 0 failed, 3 skipped",
        ]))

    def test_a_skip_that_is_not_listed_fails(self):
        self.assertEqual(self.report(True), (1, [
            "skipped: A.one: x (listed)", "skipped: B.two: y (listed)",
            "failed: unit-0: C.three (skipped: z; not in test/skips.txt)",
            "4 passed, 1 failed, 2 skipped",
        ]))

    def test_a_line_needs_a_reason(self):
        self.assertEqual(counts.SkipList(self.LIST).reason("B.x"), "C | D")
        for line in ("A.one", "A.one |", "A.one | "):
            with self.assertRaisesRegex(ValueError, "is not NAME | REASON"):
                counts.SkipList(line)

    def test_the_list_can_be_read(self):
        with open(os.path.join(ROOT, "test", "skips.txt"), encoding="utf-8") as handle:
            self.assertTrue(counts.SkipList(handle.read()).reasons)


class Tools(unittest.TestCase):
    """Programs that some tests use, on a machine that cannot install them."""

    def setUp(self):
        def ensure(_wanted, _phases):
            raise Stop("no network")

        for name, value in (("ensure", ensure), ("missing", lambda _wanted: ["doxygen"])):
            patch = mock.patch.object(packages, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_tests_are_skipped(self):
        with contextlib.redirect_stderr(io.StringIO()) as text:
            tests.ensure_tools(False, None)
        self.assertIn("tests that need doxygen are skipped: no network", text.getvalue())

    def test_strict(self):
        with self.assertRaisesRegex(Stop, "no network"):
            tests.ensure_tools(True, None)


class TemporaryFiles(unittest.TestCase):
    """Where programs of a test write, and what stays there."""

    def run_with(self, log, folder):
        """Runs tests with a CTest that writes a file and this log; returns the files and messages."""
        module = mock.Mock(folder=folder)
        module.environment = dict
        os.makedirs(os.path.join(folder, "Testing", "Temporary"))
        places = []

        def ctest(command, env, **_):
            self.assertEqual(command[0], "ctest")
            places.extend([env["TMP"], env["TMPDIR"]])
            with open(os.path.join(env["TMP"], "run.pcap"), "w", encoding="utf-8") as handle:
                handle.write("packets")
            with open(os.path.join(folder, "Testing", "Temporary", "LastTest.log"), "w",
                      encoding="utf-8") as handle:
                handle.write(log)

        options = mock.Mock(sanitize=False, timeout=1)
        stderr = io.StringIO()
        with mock.patch.object(tests.subprocess, "run", ctest), \
                mock.patch.object(tests.tempfile, "tempdir", folder), \
                contextlib.redirect_stderr(stderr):
            results = tests.run(module, ["rdma-link"], None, options)
        self.assertEqual(places[0], places[1])
        self.assertEqual(os.path.dirname(places[0]), folder)
        return results, os.path.exists(places[0]), stderr.getvalue()

    def test_go_after_a_passed_run(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(tests.counts, "count_log",
                                  lambda _: {"rdma-link": tests.counts.Result(passed=1)}):
            _, stays, said = self.run_with("", folder)
        self.assertFalse(stays)
        self.assertEqual(said, "")

    def test_stay_after_a_failure(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(tests.counts, "count_log",
                                  lambda _: {"rdma-link": tests.counts.Result(failed=1)}):
            _, stays, said = self.run_with("", folder)
        self.assertTrue(stays)
        self.assertRegex(said, f"^with-ns3: the files of the tests are in {folder}/rdma-tests-")


class MovedBuild(unittest.TestCase):
    """A build in a clone that was copied to another path."""

    def test_says_why_everything_is_built(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("with-ns3.json", '["/old/clone", {}, ""]'), ("build.ninja", "")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                    handle.write(text)
            done = subprocess.CompletedProcess([], 0, stdout="")
            with mock.patch.object(build.subprocess, "run", return_value=done):
                with contextlib.redirect_stderr(io.StringIO()) as text:
                    for _ in range(2):
                        build.run_cmake(
                            "/new", folder, {}, os.path.join(folder, "log"), Phases(), "this module"
                        )
        lines = text.getvalue().splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("was built from /old/clone", lines[0])
        self.assertIn("configuring this module", lines[1])


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
