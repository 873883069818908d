#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/with-ns3 run FILE.cc, with small modules in place of those of ns-3."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from with_ns3 import build, cli, ns3, source, userprogram  # noqa: E402
from with_ns3.say import Phases, Stop  # noqa: E402

COMPILER = os.environ.get("CXX", "c++")
# Two modules, of which a header of near includes a header of far, and one whose name begins alike.
HEADERS = {
    "near-module.h": "#include <ns3/near-helper.h>\n#include <ns3/near.h>\n",
    "near-helper.h": '#pragma once\n#include "ns3/far.h"\nint NearHelper();\n',
    "near.h": "int Near();\n",
    "far-module.h": '#include "far.h"\n',
    "far.h": "#pragma once\nint Far();\n",
    "near-layout-module.h": "#include <ns3/near-layout.h>\n",
    "near-layout.h": "int Layout();\n",
}
FUNCTIONS = {
    "near": "int NearHelper() { return 40; }\nint Near() { return 2; }\n",
    "far": "int Far() { return 100; }\n",
    "near-layout": "int Layout() { return 1000; }\n",
}


def write(path, text):
    """Makes a file and its folders."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


class Programs(unittest.TestCase):
    """Source files of a user."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)
        silence = contextlib.redirect_stderr(io.StringIO())
        self.messages = silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)
        self.module = types.SimpleNamespace(
            folder=self.path("build"), ns3=types.SimpleNamespace(version="3.37", tree="")
        )
        for name, text in HEADERS.items():
            write(self.path("build/ns-3/include/ns3", name), text)
        command = f"ccache {COMPILER} -I{self.path('build/ns-3/include')} -o x.o -c x.cc"
        write(self.path("build/compile_commands.json"),
              json.dumps([{"file": "/x/examples/rdma-first.cc", "command": command}]))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def make_library(self, name):
        """Compiles a module, with the name that a build of an ns-3 tree gives to its library."""
        library = self.path(f"build/ns-3/lib/libns3.37-{name}-default.so")
        write(self.path(f"{name}.cc"), FUNCTIONS[name])
        os.makedirs(os.path.dirname(library), exist_ok=True)
        subprocess.run(
            [COMPILER, "-shared", "-fPIC", "-o", library, self.path(f"{name}.cc")], check=True
        )

    def run_program(self, includes, result):
        """Compiles a program that prints an expression; returns what the program prints."""
        text = "".join(f'#include "{name}"\n' for name in includes)
        write(self.path("own.cc"), f"{text}#include <iostream>\nint main() {{ std::cout << {result}; }}\n")
        program = userprogram.make(self.path("own.cc"), self.module)
        return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout

    def test_modules_whose_headers_are_read_are_linked(self):
        self.make_library("near")
        self.make_library("far")
        self.assertEqual(self.run_program(["ns3/near-module.h"], "NearHelper() + Near()"), "42")
        # A single header, and one that another header includes.
        self.assertEqual(self.run_program(["ns3/near-helper.h"], "NearHelper() + Far()"), "140")
        write(self.path("mine.h"), '#include "ns3/far-module.h"\n')
        self.assertEqual(self.run_program(["mine.h"], "Far()"), "100")

    def test_a_module_is_not_one_with_a_longer_name(self):
        self.make_library("near-layout")
        with self.assertRaisesRegex(Stop, "3.37 as it is here has headers of near, but no library"):
            self.run_program(["ns3/near.h"], "Near()")
        self.assertEqual(self.run_program(["ns3/near-layout-module.h"], "Layout()"), "1000")

    def test_names_of_libraries(self):
        for path, name in (
            ("/lib/libns3-bridge.so", "bridge"), ("libns3.37-bridge-default.so", "bridge"),
            ("libns3.36.1-core.so", "core"), ("libns3-dev-core-release.so", "core"),
            ("libns3.48-csma-layout-debug.so", "csma-layout"),
        ):
            self.assertTrue(userprogram._is_module(path, name), path)
        for path, name in (
            ("libns3-tap-bridge.so", "bridge"), ("libns3.37-tap-bridge-default.so", "bridge"),
            ("libns3-csma-layout.so", "csma"), ("libns3-dev-virtual-net-device.so", "device"),
        ):
            self.assertFalse(userprogram._is_module(path, name), path)

    def test_a_module_that_is_not_there(self):
        for name in ("gone-module.h", "gone.h"):
            with self.assertRaises(userprogram.MissingModule) as caught:
                self.run_program(["ns3/near.h", f"ns3/{name}"], "0")
            self.assertEqual(
                str(caught.exception), f"{self.path('own.cc')}:2: ns-3 3.37 as it is here has no ns3/{name}; "
                "its modules: far near near-layout"
            )
            self.assertEqual(caught.exception.header, name)
        self.assertEqual(self.messages.getvalue(), "")

    def test_other_errors_are_shown(self):
        with self.assertRaisesRegex(Stop, "does not compile"):
            self.run_program(["iostream", "nowhere.h"], "0")
        self.assertIn("nowhere.h", self.messages.getvalue())

    def test_what_clang_says(self):
        found = userprogram.NO_HEADER.search("a b.cc:7:10: fatal error: 'ns3/x-y.h' file not found\n")
        self.assertEqual(found.groups(), ("a b.cc:7", "x-y.h"))


class SourceTree(unittest.TestCase):
    """A module that a source tree has, and that is not among those that are usually built."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.tree = temporary.name
        for path in ("src/wifi/model/wifi-phy.h", "src/lte/helper/deep/lte-helper.h",
                     "contrib/mine/model/mine.h"):
            write(os.path.join(self.tree, path), "")

    def test_module_of_a_header(self):
        for header, module in {
            "wifi-module.h": "wifi", "wifi-phy.h": "wifi", "lte-helper.h": "lte", "mine.h": "mine",
            "mine-module.h": "mine", "csma-module.h": None, "phy.h": None,
        }.items():
            self.assertEqual(source.module_of(header, self.tree), module, header)

    def test_the_module_is_built(self):
        wanted = []

        def choose(_wish, _wanted, _phases, modules):
            wanted.append(modules[len(build.MODULES + build.MORE_MODULES):])
            return ns3.Ns3("3.37", "key", {}, "here", self.tree)

        def make(_path, _module):
            if "wifi" not in wanted[-1]:
                raise userprogram.MissingModule("no wifi-phy.h", "wifi-phy.h")
            if header:
                raise userprogram.MissingModule(f"no {header}", header)
            return "program"

        with mock.patch.object(ns3, "choose", choose), mock.patch.object(userprogram, "make", make):
            with mock.patch.object(build.Module, "make", lambda *_: None):
                header = ""
                self.assertEqual(cli.own_program("a.cc", None, Phases()), "program")
                self.assertEqual(wanted, [[], ["wifi"]])
                for header in ("wifi-mac.h", "csma-module.h"):
                    with self.assertRaisesRegex(Stop, header):
                        cli.own_program("a.cc", None, Phases())

    def test_a_configuration_keeps_its_modules(self):
        usual = ";".join(build.MODULES + build.MORE_MODULES)
        self.assertEqual(build.enabled_modules(["core"], self.tree), usual)
        settings = {"NS3_ENABLED_MODULES": f"{usual};wifi"}
        write(os.path.join(self.tree, "with-ns3.json"), json.dumps(["x", settings, ""]))
        self.assertEqual(build.enabled_modules(["lte"], self.tree), f"{usual};lte;wifi")
        self.assertEqual(build.enabled_modules([], self.tree), f"{usual};wifi")


if __name__ == "__main__":
    unittest.main()
