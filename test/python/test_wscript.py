# SPDX-License-Identifier: GPL-2.0-only
"""Tests that wscript, for trees of ns-3 that are built with waf, finds all files.

The functions of wscript run with a stand-in for waf's build context, which records their requests.
"""

import glob
import os
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Folder:
    """A node of waf: a folder of this repository."""

    def __init__(self, path):
        self.path = path

    def find_node(self, name):
        """The file called name."""
        def read():
            with open(os.path.join(self.path, name), encoding="utf-8") as handle:
                return handle.read()
        return types.SimpleNamespace(read=read)

    def ant_glob(self, patterns):
        """The files that match, as waf's nodes."""
        return [
            types.SimpleNamespace(path_from=lambda folder, path=path: os.path.relpath(path, folder.path))
            for pattern in patterns
            for path in glob.glob(os.path.join(self.path, pattern), recursive=True)
        ]

    def find_dir(self, name):
        """The folder called name, or None."""
        path = os.path.join(self.path, name)
        return types.SimpleNamespace(abspath=lambda: path) if os.path.isdir(path) else None


class Context:
    """The build context of waf: everything that it makes is kept by name."""

    def __init__(self, gsl):
        self.path = Folder(ROOT)
        self.made = {}
        self.env = {
            "ENABLE_GSL": gsl,
            "ENABLE_EXAMPLES": True,
            "NS3_ENABLED_MODULES": ["ns3-core", "ns3-network", "ns3-internet", "ns3-applications"],
            "NS3_ENABLED_CONTRIBUTED_MODULES": ["ns3-rdma"],
        }

    def _make(self, name):
        self.made[name] = types.SimpleNamespace(use=[])
        return self.made[name]

    def create_ns3_module(self, name, modules):
        """The module's library."""
        self.modules = modules
        return self._make(name)

    def create_ns3_module_test_library(self, name):
        """The library of its test suites."""
        return self._make(f"{name}-test")

    def create_ns3_program(self, name, _modules):
        """An example."""
        return self._make(f"examples/{name}")

    def __call__(self, features):
        return self._make(features)

    def recurse(self, folder):
        """Runs the wscript of a folder."""
        outer, self.path = self.path, Folder(os.path.join(self.path.path, folder))
        run(self)
        self.path = outer


def run(context):
    """Runs build() of the wscript in context's folder."""
    names = {}
    exec(compile(context.path.find_node("wscript").read(), "wscript", "exec"), names)
    names["build"](context)


def files(*patterns):
    """The files that match any of the patterns, as paths in the repository."""
    found = [path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)]
    return {os.path.relpath(path, ROOT) for path in found}


class Wscript(unittest.TestCase):
    """wscript against the files of the repository."""

    def setUp(self):
        self.context = Context(gsl=True)
        run(self.context)
        self.made = self.context.made

    def check(self, listed, wanted):
        """Each wanted file once, and no other."""
        self.assertEqual(sorted(listed), sorted(wanted))

    def test_library(self):
        """With and without GSL, all sources except the counterparts for the other case; none for MPI."""
        every = files("model/**/*.cc", "helper/**/*.cc") - files("**/*-mpi.cc")
        with_gsl = {path for path in every if path.endswith("-gsl.cc")}
        without = {path.replace("-gsl.cc", ".cc") for path in with_gsl}
        self.assertTrue(with_gsl and without <= every)
        self.check(self.made["rdma"].source, every - without)
        context = Context(gsl=False)
        run(context)
        self.check(context.made["rdma"].source, every - with_gsl)

    def test_headers(self):
        """All headers but private ones are exposed, and every folder that has one is searched."""
        headers = files("model/**/*.h", "helper/**/*.h")
        self.check(self.made["ns3header"].source, [path for path in headers if "/private/" not in path])
        folders = {os.path.join(ROOT, os.path.dirname(path)) for path in headers}
        self.check(self.made["rdma"].includes, folders)

    def test_suites(self):
        """All test suites, and every folder with a header for them is searched."""
        self.check(self.made["rdma-test"].source, files("test/**/*-test-suite.cc"))
        headers = files("model/**/*.h", "helper/**/*.h", "test/**/*.h")
        folders = {os.path.join(ROOT, os.path.dirname(path)) for path in headers}
        self.check(self.made["rdma-test"].includes, folders)

    def test_examples(self):
        """All examples."""
        sources = [
            os.path.join("examples", source)
            for name, made in self.made.items() if name.startswith("examples/")
            for source in made.source
        ]
        self.check(sources, files("examples/*.cc", "examples/own/*.cc"))


if __name__ == "__main__":
    unittest.main()
