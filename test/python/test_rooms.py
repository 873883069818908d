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
# Types and functions that a header declares.
TYPE = re.compile(r"^\s*(?:class|struct|enum class|using) (\w+)", re.M)
FUNCTION = re.compile(r"\b(\w*(?:Qbb|Rdma|Irn|Roce)\w*)\(")
# What users read: programs, snippets and hand-written pages.
PAGES = ("examples/**/*.*", "bench/*.*", "python/**/*.py", "doc/*.rst", "doc/*.cc", "doc/validation/*.md", "*.md",
         "tools/rdma_reproduce/programs/*.cc")
WRITTEN = ("attributes.rst", "traces.rst", "columns.rst")  # by doc/introspect.py
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


def words_of_users():
    """All words in what users read."""
    words = set()
    for pattern in PAGES:
        for path in glob.glob(os.path.join(ROOT, pattern), recursive=True):
            if os.path.basename(path) not in WRITTEN:
                with open(path, encoding="utf-8") as handle:
                    words.update(re.findall(r"\w+", handle.read()))
    return words


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


    def test_none_is_for_one_source_alone(self):
        """A header that one other source includes is private, a part's, or has what users name."""
        texts = {}
        for top in ("model", "helper"):
            for path in glob.glob(os.path.join(ROOT, top, "**", "*.[ch]*"), recursive=True):
                with open(path, encoding="utf-8") as handle:
                    texts[path] = handle.read()
        users = {}
        for path, text in texts.items():
            for name in INCLUDE.findall(text):
                if os.path.splitext(os.path.basename(path))[0] != os.path.splitext(name)[0]:
                    users.setdefault(name, []).append(path)
        named = words_of_users()
        alone = []
        for path, text in texts.items():
            name = os.path.basename(path)
            found = users.get(name, [])
            private = f"{os.sep}private{os.sep}" in path
            if private or not name.endswith(".h") or len(found) != 1 or not found[0].endswith(".cc"):
                continue
            if "const RdmaPartName " in texts.get(path[:-2] + ".cc", ""):
                continue
            code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
            if not named & {*TYPE.findall(code), *FUNCTION.findall(code)}:
                alone.append(f"{os.path.relpath(path, ROOT)}, for {os.path.basename(found[0])}")
        self.assertEqual(alone, [])


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
