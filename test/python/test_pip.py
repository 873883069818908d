#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of pip install . and tools/with-ns3 python on machines where they cannot work: one message
that names what is missing. Nothing is downloaded or compiled."""

import glob
import importlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BACKEND = os.path.join(ROOT, "python", "backend")
sys.path.insert(0, os.path.join(ROOT, "tools"))

from with_ns3 import bindings, venv  # noqa: E402
from with_ns3.say import Stop  # noqa: E402

# A machine on which there is a wheel of ns-3.
MACHINE = (
    "import platform, sys; sys.platform = 'linux'; platform.machine = lambda: 'x86_64'; "
    "platform.libc_ver = lambda: ('glibc', '2.36'); "
)
ASK = "import rdma_backend; rdma_backend.get_requires_for_build_wheel()"


class Machine(unittest.TestCase):
    """python/backend/rdma_backend.py, as pip calls it before anything else."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compiler(self, name, script):
        """Makes a program that passes for a compiler."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as handle:
            handle.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)

    def says(self, *texts, machine=MACHINE, **variables):
        """Checks that the answer is one line that contains the texts."""
        env = {**os.environ, "PATH": self.folder, "PYTHONPATH": BACKEND, **variables}
        if "CXX" not in variables:
            env.pop("CXX", None)
        result = subprocess.run(
            [sys.executable, "-c", machine + ASK], env=env, capture_output=True, text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        lines = [line for line in result.stderr.splitlines() if line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("ns3-rdma: "), lines[0])
        for text in texts:
            self.assertIn(text, lines[0])

    def test_no_compiler(self):
        self.says("no C++ compiler was found; looked for c++, g++, clang++ in PATH",
                  "apt install g++ python3-dev")

    def test_compiler_of_the_environment_is_missing(self):
        self.compiler("c++", "exit 0")
        self.says("looked for g++-99 in PATH", CXX="g++-99 -m64")

    def test_old_compiler(self):
        self.compiler("g++", "exit 1")
        self.says("g++ does not compile C++20", "g++ 10 or newer does")

    def test_no_python_header(self):
        self.compiler("c++", "read -r line; case $line in *Python.h*) exit 1;; esac")
        self.says("there is no Python.h in", "apt install g++ python3-dev")

    def test_no_wheel_for_the_machine(self):
        arm = MACHINE.replace("x86_64", "aarch64")
        self.says("for Linux on x86_64 with glibc 2.28 or newer; this is linux on aarch64",
                  machine=arm)
        old = MACHINE.replace("2.36", "2.27")
        self.says("this is linux on x86_64 with glibc 2.27", machine=old)
        musl = MACHINE.replace("('glibc', '2.36')", "('', '')")
        self.says("this is linux on x86_64.", machine=musl)


class Ahead(unittest.TestCase):
    """python/backend/rdma_ns3.py: ns-3 without its dependencies, which are built in parallel."""

    def setUp(self):
        with mock.patch.object(sys, "path", [BACKEND, *sys.path]):
            self.module = importlib.import_module("rdma_ns3")
        self.commands = []
        patch = mock.patch.dict(
            os.environ, PIP_BUILD_TRACKER="/tmp/tracker", _PYPROJECT_HOOKS_BACKEND_PATH="/tmp",
            PYTHONPATH="/tmp", PIP_INDEX_URL="https://example.org",
        )
        patch.start()
        self.addCleanup(patch.stop)

    def installed(self, **requirements):
        """Packages that the environment of the build has, with their requirements."""

        def distribution(name):
            if name not in requirements:
                raise importlib.metadata.PackageNotFoundError(name)
            found = mock.Mock(requires=requirements[name])
            found.locate_file = lambda path: "/tmp/environment"
            return found

        return mock.patch.object(self.module.importlib.metadata, "distribution", distribution)

    def started(self, returncode=0):
        """The command to run; its environment has pip's settings and none of the hook's."""

        def start(command, env, **_):
            self.commands.append(command)
            self.assertEqual(env["PIP_INDEX_URL"], "https://example.org")
            for name in ("PIP_BUILD_TRACKER", "_PYPROJECT_HOOKS_BACKEND_PATH", "PYTHONPATH"):
                self.assertNotIn(name, env)
            process = mock.MagicMock(returncode=returncode)
            process.__enter__.return_value = process
            process.wait.return_value = returncode
            return process

        return mock.patch.multiple(self.module.subprocess, run=start, Popen=start)

    def test_ns3_comes_without_its_dependencies(self):
        with self.installed(**{"scikit-build-core": []}), self.started():
            self.assertTrue(self.module.fetch("ns3==1.0"))
        (command,) = self.commands
        self.assertIn("--no-deps", command)
        self.assertEqual(command[-3:], ["--target", "/tmp/environment", "ns3==1.0"])
        with self.installed(**{"scikit-build-core": []}), self.started(returncode=1):
            self.assertFalse(self.module.fetch("ns3==1.0"), "then pip does it")

    def test_other_programs_than_pip_do_it_themselves(self):
        del os.environ["PIP_BUILD_TRACKER"]
        with self.installed(ns3=["cppyy==2.0"]), self.started():
            self.assertFalse(self.module.fetch("ns3==1.0"))
            with self.module.dependencies_compiled():
                pass
        self.assertEqual(self.commands, [])

    def test_what_ns3_needs_is_compiled_beside(self):
        with self.installed(ns3=["cppyy==2.0", "x; extra == 'y'"]), self.started():
            with self.module.dependencies_compiled():
                self.assertEqual(len(self.commands), 2, "it has begun")
        self.assertEqual(self.commands[0][-2:], ["cache", "dir"])
        self.assertIn("wheel", self.commands[1])
        self.assertEqual(self.commands[1][-1], "cppyy==2.0")
        with self.installed(ns3=["cppyy==2.0"]), self.started(returncode=1):
            with self.module.dependencies_compiled():
                pass
        self.assertEqual(len(self.commands), 3, "pip keeps no wheels")
        with self.installed(ns3=["cppyy==2.0"], cppyy=[]), self.started():
            with self.module.dependencies_compiled():
                pass
        self.assertEqual(len(self.commands), 4, "nothing to do where it is installed")


class WithNs3(unittest.TestCase):
    """tools/with-ns3 python."""

    def test_versions_of_python(self):
        for version in ((3, 8, 1), (3, 14, 0)):
            with mock.patch.object(bindings, "sys") as fake:
                fake.version_info = mock.Mock(minor=version[1])
                fake.version = ".".join(map(str, version)) + " (main)"
                fake.executable = "/usr/bin/python3"
                with self.assertRaisesRegex(Stop, r"from 3\.9 to 3\.13.* is 3\.(8|14)\.[01]\."):
                    bindings.check_python()
        bindings.project("dependencies").index("ns3==3.44.post0")

    def run_that_fails(self, text):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            code = f"import sys; print({text!r}); sys.exit(1)"
            with self.assertRaises(Stop) as caught, open(os.devnull, "w") as null:
                with mock.patch("sys.stderr", null):
                    venv.run([sys.executable, "-c", code], log)
            with open(log, encoding="utf-8") as handle:
                self.assertEqual(handle.read(), text + "\n")
        return str(caught.exception)

    def test_failures_of_pip(self):
        self.assertEqual(
            self.run_that_fails("error:\n      ns3-rdma: no compiler.\n  note:"), "no compiler."
        )
        self.assertIn(
            "PyPI cannot be reached", self.run_that_fails("WARNING: ... NewConnectionError(...)")
        )
        self.assertRegex(self.run_that_fails("something else"), r"^failed \(above; all of it in ")

    def test_failures_of_pip_with_a_log(self):
        # pip appends the output of a build to that file, with the time before each line, instead of
        # printing the output.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pip.log")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write("2026-01-01T00:00:00,000   ns3-rdma: of an earlier run.\n")
            code = (
                "import os, sys; "
                "open(os.environ['PIP_LOG'], 'a').write("
                "'2026-01-01T00:00:01,000   ns3-rdma: no compiler.\\n'); "
                "print('See above for output.'); sys.exit(1)"
            )
            with mock.patch.dict(os.environ, PIP_LOG=path), self.assertRaises(Stop) as caught:
                venv.run([sys.executable, "-c", code], os.path.join(folder, "log"))
        self.assertEqual(str(caught.exception), "no compiler.")

    def test_fingerprint(self):
        before = bindings.fingerprint()
        self.assertEqual(before, bindings.fingerprint())
        with mock.patch.object(bindings, "SOURCES", ("CMakeLists.txt",)):
            self.assertNotEqual(before, bindings.fingerprint())
        for pattern in bindings.SOURCES:
            found = glob.glob(os.path.join(ROOT, pattern), recursive=True)
            self.assertTrue(found, pattern)


if __name__ == "__main__":
    unittest.main()
