# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the commit that rows of data name: that of the build, not that of the folder."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from runs_support import ROOT, contents, put  # noqa: E402

import built_program  # noqa: E402
from rdma_runs import programs  # noqa: E402

SCRIPT = os.path.join(ROOT, "cmake", "rdma-commit.cmake")


@unittest.skipUnless(shutil.which("git") and shutil.which("cmake"), "needs git and cmake")
class Commits(unittest.TestCase):
    """The record that a build leaves, and what a program's commit is."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)
        os.mkdir(os.path.join(self.folder, "model"))
        os.mkdir(os.path.join(self.folder, "bin"))
        self.program = os.path.join(self.folder, "bin", "fake")
        self.git("init", "-q")
        self.first = self.commit("model/a.cc", "one")

    def git(self, *words):
        """Calls git; returns its output."""
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder, check=True,
            capture_output=True, text=True,
        ).stdout.strip()

    def commit(self, name, text):
        """Commits a file; returns the commit."""
        put(self.folder, name, text)
        self.git("add", name)
        self.git("commit", "-qm", text)
        return self.git("log", "-1", "--abbrev=10", "--format=%h")

    def build(self, source=None):
        """Does what a build does as its first step."""
        record = os.path.join(self.folder, "bin", "COMMIT")
        subprocess.run(
            ["cmake", f"-DSOURCE_DIR={source or self.folder}", f"-DRECORDS={record}", "-P", SCRIPT],
            check=True,
        )
        return contents(record).decode() if os.path.exists(record) else None

    def test_a_later_commit_is_not_the_builds(self):
        self.assertEqual(self.build(), self.first + "\n")
        second = self.commit("model/a.cc", "two")
        self.assertNotEqual(second, self.first)
        self.assertEqual(programs.revision(self.program), self.first)
        self.build()
        self.assertEqual(programs.revision(self.program), second)

    def test_changes_at_the_time_of_the_build(self):
        put(self.folder, "model/a.cc", "changed")
        self.assertEqual(self.build(), self.first + "+\n")
        self.git("checkout", "-q", "model/a.cc")
        self.assertEqual(programs.revision(self.program), self.first + "+")
        put(self.folder, "notes.txt", "no source")
        self.assertEqual(self.build(), self.first + "\n")

    def test_without_a_record_the_folder_counts(self):
        self.assertEqual(programs.revision(self.program), self.first)
        self.build()
        with tempfile.TemporaryDirectory() as bare:
            self.assertIsNone(self.build(bare))
        second = self.commit("model/a.cc", "two")
        self.assertEqual(programs.revision(self.program), second)

    @unittest.skipUnless(built_program.find("rdma-fabric"), "needs a build")
    def test_the_build_at_hand_has_a_record(self):
        folder = os.path.dirname(os.path.realpath(built_program.find("rdma-fabric")))
        if os.path.basename(os.path.dirname(folder)) != "bin":
            self.skipTest("programs in ns-3's own tree have no record")
        if programs.git(ROOT, "rev-parse", "HEAD") is None:
            self.skipTest("the sources are in no git repository")
        self.assertRegex(contents(folder, "COMMIT").decode(), r"\A[0-9a-f]{7,}\+?\n\Z")


if __name__ == "__main__":
    unittest.main()
