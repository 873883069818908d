# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the layout: includes, and names of test cases."""

import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# The arguments of test case constructors, and of classes named ...TestCase that pass the name on.
TEST_CASE = re.compile(r"\w*TestCase\(([^;{]*)")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Folders whose files each folder of model/ may include, in addition to its own.
MAY_INCLUDE = {
    "core": set(),
    "frame": {"core"},
    "congestion": {"core", "frame"},
    "link": {"core", "frame"},
    "switch": {"core", "frame", "link", "congestion"},
    "transport": {"core", "frame", "link", "congestion", "switch"},
    "threads": {"core", "frame", "link", "congestion", "switch", "transport"},
    "app": {"core", "frame", "link", "congestion", "switch", "transport"},
}


def rooms():
    """The folder below model/ of each header and source, and the names that it includes, by path."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "model", "**", "*.[ch]*"), recursive=True):
        with open(path, encoding="utf-8") as handle:
            names = INCLUDE.findall(handle.read())
        folder = os.path.dirname(os.path.relpath(path, os.path.join(ROOT, "model")))
        found[os.path.basename(path)] = (folder, names)
    return found


class Rooms(unittest.TestCase):
    """The includes of model/."""

    def test_directions(self):
        found = rooms()
        self.assertEqual({folder.split(os.sep)[0] for folder, _ in found.values()}, set(MAY_INCLUDE))
        for name, (folder, included) in found.items():
            room = folder.split(os.sep)[0]
            for header in included:
                self.assertIn(header, found, f"{name}, in model/, includes a header from elsewhere")
                other = found[header][0].split(os.sep)[0]
                self.assertIn(other, MAY_INCLUDE[room] | {room}, f"{name} includes {header}")

    def test_verbs_do_not_know_the_nic(self):
        found = rooms()
        verbs, nic = os.path.join("transport", "verbs"), os.path.join("transport", "nic")
        self.assertTrue(verbs in {folder for folder, _ in found.values()})
        for name, (folder, included) in found.items():
            if folder.startswith(verbs):
                self.assertEqual([h for h in included if found[h][0].startswith(nic)], [], name)


class PublicHeaders(unittest.TestCase):
    """Headers that programs include: all but those in a folder "private"."""

    def test_none_includes_a_private_one(self):
        paths = [path for top in ("model", "helper")
                 for path in glob.glob(os.path.join(ROOT, top, "**", "*.h"), recursive=True)]
        private = {path for path in paths if f"{os.sep}private{os.sep}" in path}
        names = {os.path.basename(path) for path in private}
        self.assertGreater(len(names), 10)
        for path in set(paths) - private:
            with open(path, encoding="utf-8") as handle:
                included = set(INCLUDE.findall(handle.read()))
            self.assertEqual(included & names, set(), f"{path} includes a private header")


class TestCaseNames(unittest.TestCase):
    """ns-3 prints "Invalid test name" for a name that no file could have."""

    def test_characters(self):
        names = set()
        for path in glob.glob(os.path.join(ROOT, "test", "suite", "**", "*.cc"), recursive=True):
            with open(path, encoding="utf-8") as handle:
                for arguments in TEST_CASE.findall(handle.read()):
                    names.update(LITERAL.findall(arguments))
        self.assertGreater(len(names), 150)
        self.assertEqual([name for name in names if re.search(r'[\\/|?]', name)], [])


if __name__ == "__main__":
    unittest.main()
