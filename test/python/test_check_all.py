# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/check-all, without a build."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "tools", "check-all")
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.dont_write_bytecode = True

import fresh_root  # noqa: E402
import ns3_tree  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("check_all", PROGRAM)
check_all = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_all", LOADER))
LOADER.exec_module(check_all)


def run(*arguments):
    """Runs tools/check-all."""
    return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)


def write(path, text=""):
    """Makes a file and its folders."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


class CommandLine(unittest.TestCase):
    """Wrong input ends with one message, and nothing is recorded."""

    def test_list(self):
        """The checks, one per line."""
        names = [line.split()[0] for line in run("--list").stdout.splitlines()]
        self.assertEqual(names, list(check_all.CHECKS))

    def test_unknown(self):
        """An unknown check, one without its argument, and one with an argument too many."""
        for name in ("chess", "tree", "tree:", "package:3.37"):
            result = run(name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"there is no check '{name}'; checks: tree:PATH", result.stdout)
        self.assertIn("name a check", run().stdout)

    def test_no_tree(self):
        """A folder that is not an ns-3 tree, and a further check, which runs."""
        before = check_all.text_of(check_all.RECORD)
        with tempfile.TemporaryDirectory() as folder:
            result = run(f"tree:{folder}", f"tree:{folder}/none")
            self.assertEqual(result.returncode, 1)
            lines = result.stdout.splitlines()
            self.assertEqual(lines[1], f"FAIL tree:{folder}: {folder} is not an ns-3 source tree "
                                       "that is built with ./ns3")
            self.assertIn(f"{folder}/none is not an ns-3 source tree", lines[3])
        self.assertEqual(check_all.text_of(check_all.RECORD), before)


class Record(unittest.TestCase):
    """The tables."""

    def test_tables(self):
        """doc/validation/builds.md has both tables, and each line has a cell for each column."""
        text = check_all.text_of(check_all.RECORD)
        for columns in (check_all.BUILDS, check_all.ROOTS):
            title = "| " + " | ".join(columns) + " |\n"
            self.assertIn(title, text)
            for line in text.split(title)[1].split("\n\n")[0].splitlines():
                self.assertEqual(line.count("|"), len(columns) + 1, line)

    def test_put(self):
        """A line replaces the line of its check and release; the others stay."""
        columns = ("check", "ns-3", "result")
        head = "text\n\n| check | ns-3 | result |\n|---|---|---|\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "record.md")
            write(path, head + "\nafter\n")
            for version, result in (("3.48", "bad"), ("3.37", "good"), ("3.48", "good")):
                check_all.put({"check": "tree", "ns-3": version, "result": result}, columns, path)
            check_all.put({"check": "package"}, columns, path)
            lines = "| package | - | - |\n| tree | 3.37 | good |\n| tree | 3.48 | good |\n"
            self.assertEqual(check_all.text_of(path), head + lines + "\nafter\n")
            with self.assertRaisesRegex(check_all.Missing, "has no table with the line"):
                check_all.put({}, ("other",), path)


class CopyTree(unittest.TestCase):
    """The copy of an ns-3 tree."""

    def test_copy(self):
        """A copy has no builds and no other modules, and is renewed only if a file has changed."""
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "ns-3"), os.path.join(folder, "copy")
            for name in ("VERSION", "src/core/log.cc", "build-support/macros.cmake", "build/lib/x",
                         "cmake-cache/x", "contrib/other/x", ".lock-ns3_linux_build"):
                write(os.path.join(source, name))
            ns3_tree.copy(source, target, ROOT)
            wanted = ["VERSION", "build-support", "contrib", "src"]
            self.assertEqual(sorted(os.listdir(target)), wanted)
            self.assertEqual(os.listdir(os.path.join(target, "contrib")), ["rdma"])
            self.assertTrue(os.path.samefile(os.path.join(target, "contrib", "rdma"), ROOT))
            write(os.path.join(target, "build", "kept"))
            ns3_tree.copy(source, target, ROOT)
            self.assertTrue(os.path.exists(os.path.join(target, "build", "kept")))
            write(os.path.join(source, "VERSION"), "3.48\n")
            ns3_tree.copy(source, target, ROOT)
            self.assertFalse(os.path.exists(os.path.join(target, "build", "kept")))
            self.assertTrue(os.path.exists(os.path.join(ROOT, "tools", "check-all")))


class FreshRoot(unittest.TestCase):
    """The settings of a fresh root of Debian."""

    def test_downloads(self):
        """Seconds of downloads by apt, and by pip according to the times in its log."""
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "root"))
            command = fresh_root.command(root, "/root/rdma", "true")
            self.assertEqual(command[0], "unshare")
            self.assertEqual(fresh_root.downloads(root), 0)
            write(os.path.join(root, fresh_root.APT_SECONDS), "1.5\n2.25\n")
            write(os.path.join(root, fresh_root.PIP_LOG),
                  "2026-01-01T00:00:00,000 Using pip 23.0.1\n"
                  "2026-01-01T00:00:01,000 Getting page https://pypi.org/simple/numpy/\n"
                  "2026-01-01T00:00:01,500   Found link https://example.org/numpy.whl\n"
                  "2026-01-01T00:00:02,000   Downloading numpy.whl (17.3 MB)\n"
                  "2026-01-01T00:00:05,750 Installing collected packages: numpy\n"
                  "2026-01-01T00:00:09,000 Successfully installed numpy-1.26.4\n")
            self.assertEqual(fresh_root.downloads(root), 3.75 + 0.5 + 3.75)


if __name__ == "__main__":
    unittest.main()
