#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/with-ns3: what it does without building anything."""

import contextlib
import functools
import hashlib
import http.server
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from with_ns3 import build, cli, fetch, ns3, packages, source  # noqa: E402
from with_ns3.say import Phases, Stop  # noqa: E402

PROGRAM = os.path.join(ROOT, "tools", "with-ns3")


def write(path, text=""):
    """Makes a file and its folders."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


def make_ns3(path, version):
    """A folder that looks like an ns-3 tree."""
    write(os.path.join(path, "VERSION"), version + "\n")
    write(os.path.join(path, "CMakeLists.txt"))
    write(os.path.join(path, "src/core/CMakeLists.txt"))
    write(os.path.join(path, "contrib/other/CMakeLists.txt"))
    write(os.path.join(path, "build/lib/something"))
    write(os.path.join(path, "build-support/macros.cmake"))
    write(os.path.join(path, "cmake-cache/CMakeCache.txt"))


def listing(path):
    """All files and links below path."""
    found = []
    for folder, folders, files in os.walk(path):
        found += [os.path.join(folder, name) for name in folders + files]
    return sorted(found)


class Ranged(http.server.SimpleHTTPRequestHandler):
    """A server of files that knows ranges, and can break off."""

    break_after = None
    ranges = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        with open(self.translate_path(self.path), "rb") as handle:
            data = handle.read()
        wanted = self.headers.get("Range")
        start = int(wanted[len("bytes="):-1]) if wanted else 0
        self.ranges.append(start)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start:self.break_after])


class Scratch(unittest.TestCase):
    """A folder for each test, and no messages."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        silence = contextlib.redirect_stderr(io.StringIO())
        self.messages = silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class CommandLine(unittest.TestCase):
    """A wrong command line ends with one message that lists what exists, and status 2."""

    def check(self, words, *expected, env=None):
        result = subprocess.run(
            [PROGRAM, *words], capture_output=True, text=True, check=False,
            env={**os.environ, **(env or {})},
        )
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for text in expected:
            self.assertIn(text, result.stderr)

    def test_verb(self):
        self.check(["frobnicate"], "no verb 'frobnicate'", "run test build exec bench mpirun python")

    def test_program(self):
        self.check(["run", "rdma-nothing"], "no program 'rdma-nothing'", "rdma-fabric")
        self.check(["run"], "needs a program")

    def test_script(self):
        self.check(["python", "nowhere.py"], "no script 'nowhere.py'")

    def test_mpirun(self):
        self.check(["mpirun", "rdma-fabric"], "mpirun is followed by -n N PROGRAM")
        self.check(["mpirun", "-n", "0", "rdma-fabric"], "mpirun -n 0; accepted: 1 to 4096 ranks")
        self.check(["mpirun", "-n", "2", "rdma-nothing"], "no program 'rdma-nothing'", "rdma-fabric")
        self.check(["--ns3=package", "mpirun", "-n", "2", "rdma-fabric"], "from source with MPI")

    def test_build_has_no_arguments(self):
        self.check(["build", "all"], "takes no arguments")

    def test_ns3_dir(self):
        self.check(["run", "rdma-fabric"], "NS3_DIR=/nowhere", "3.37", env={"NS3_DIR": "/nowhere"})

    def test_choice_of_ns3(self):
        self.check(["--ns3=mine", "run", "rdma-fabric"], "--ns3=package, --ns3=source")
        self.check(["run", "--ns3"], "--ns3=package, --ns3=source")
        self.check(["--ns3=source"], "stands before a verb")
        self.check(["--ns3=package", "bench"], "built from source")
        self.check(["--ns3=package", "test", "--asserts"], "--asserts goes neither")

    def test_choice_stands_before_or_after_the_verb(self):
        for words in (["--ns3=source", "run", "x"], ["run", "--ns3=source", "x"]):
            self.assertEqual((cli.take_wish(words), words), ("source", ["run", "x"]))
        words = ["run", "x", "--ns3=source"]  # an argument of the program
        self.assertEqual((cli.take_wish(words), len(words)), (None, 3))

    def test_help(self):
        result = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
        for verb in ("run", "test", "build", "exec", "bench", "python"):
            self.assertIn(f"\n  {verb} ", result.stdout)


class Download(Scratch):
    """Downloads go on where they stopped, and only the expected file is accepted."""

    DATA = bytes(range(256)) * 1000

    def setUp(self):
        super().setUp()
        Ranged.break_after = None
        Ranged.ranges = []
        handler = functools.partial(Ranged, directory=self.path("www"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/file"
        write(self.path("www", "x"))
        with open(self.path("www", "file"), "wb") as handle:
            handle.write(self.DATA)

    def content(self, name):
        with open(self.path(name), "rb") as handle:
            return handle.read()

    def release(self, digest, *urls):
        return fetch.Release("9.9", "file.tar", digest, urls, "none", "none")

    def test_goes_on_after_a_broken_connection(self):
        Ranged.break_after = 100_000
        with self.assertRaises(OSError):
            fetch.by_http(self.url, self.path("got"))
        self.assertFalse(os.path.exists(self.path("got")))
        Ranged.break_after = None
        fetch.by_http(self.url, self.path("got"))
        self.assertEqual(Ranged.ranges, [0, 100_000])
        self.assertEqual(self.content("got"), self.DATA)

    def test_takes_the_first_source_that_has_it(self):
        digest = hashlib.sha256(self.DATA).hexdigest()
        release = self.release(digest, self.url + "-not-there", self.url)
        with mock.patch.object(fetch, "by_apt", return_value=None):
            path = fetch.tarball(release, self.path("cache"), Phases())
            self.assertEqual(fetch.sha256(path), digest)
            count = len(Ranged.ranges)
            fetch.tarball(release, self.path("cache"), Phases())
        self.assertEqual(len(Ranged.ranges), count)

    def test_refuses_another_file(self):
        release = self.release("0" * 64, self.url)
        with mock.patch.object(fetch, "by_apt", return_value=None):
            with self.assertRaisesRegex(Stop, "NS3_DIR"):
                fetch.tarball(release, self.path("cache"), Phases())
        self.assertIn("refused", self.messages.getvalue())
        self.assertEqual(
            [name for name in os.listdir(self.path("cache")) if name != "lock"], []
        )


class Trees(Scratch):
    """A user's tree is used through links and stays unchanged."""

    def setUp(self):
        super().setUp()
        for name, value in (("WORK", self.path("work")), ("ROOT", self.path("repository"))):
            patch = mock.patch.object(source, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        write(self.path("repository", "CMakeLists.txt"))
        patch = mock.patch.dict(os.environ, {"NS3_DIR": self.path("ns3")})
        patch.start()
        self.addCleanup(patch.stop)

    def test_linked(self):
        make_ns3(self.path("ns3"), "3.45")
        before = listing(self.path("ns3"))
        tree = source.get(Phases())
        self.assertEqual(listing(self.path("ns3")), before)
        self.assertEqual((tree.version, tree.numbers()), ("3.45", (3, 45)))
        self.assertEqual(
            sorted(os.listdir(tree.path)),
            ["CMakeLists.txt", "VERSION", "build-support", "contrib", "src"],
        )
        self.assertEqual(sorted(os.listdir(os.path.join(tree.path, "contrib"))), ["other", "rdma"])
        link = os.path.join(tree.path, "contrib", "rdma")
        self.assertEqual(os.readlink(link), os.path.realpath(self.path("repository")))

    def test_follows_changes(self):
        make_ns3(self.path("ns3"), "3-dev")
        tree = source.get(Phases())
        self.assertGreater(tree.numbers(), (3, 48))
        write(self.path("ns3", "new"))
        os.rename(self.path("ns3", "contrib/other"), self.path("ns3", "contrib/another"))
        tree = source.get(Phases())
        self.assertTrue(os.path.exists(os.path.join(tree.path, "new")))
        self.assertEqual(sorted(os.listdir(os.path.join(tree.path, "contrib"))), ["another", "rdma"])

    def test_too_old(self):
        make_ns3(self.path("ns3"), "3.36.1")
        with self.assertRaisesRegex(Stop, "3.36.1.*3.37 or newer"):
            source.get(Phases())

    def test_tree_around_the_repository(self):
        make_ns3(self.path("around"), "3.40")
        os.symlink(self.path("repository"), self.path("around", "contrib", "rdma"))
        del os.environ["NS3_DIR"]
        with mock.patch.object(source, "ROOT", self.path("around", "contrib", "rdma")):
            path, _ = source.users_tree()
        self.assertEqual(path, self.path("around"))


class Choice(Scratch):
    """Which ns-3 is used, and what is said of it."""

    def setUp(self):
        super().setUp()
        self.patch(os.environ, "NS3_DIR", None)
        self.patch(source, "ROOT", self.path("repository"))
        self.patch(ns3, "PREFIXES", (self.path("usr"),))
        self.patch(ns3, "build_ns3", lambda tree, profile, modules, phases: f"{tree.path}/out")
        self.patch(packages, "ensure", lambda wanted, phases: self.wanted.append(sorted(wanted)))
        self.patch(packages, "update", lambda: None)
        self.patch(source, "get", lambda phases: mock.Mock(path="/ns-3.37", version="3.37", origin="tree"))
        self.wanted = []

    def patch(self, place, name, value):
        if place is os.environ:
            patch = mock.patch.dict(os.environ)
            patch.start()
            os.environ.pop(name, None)
        else:
            patch = mock.patch.object(place, name, value)
            patch.start()
        self.addCleanup(patch.stop)

    def install(self, version):
        write(self.path("usr/include/ns3/core-module.h"))
        for name in build.MODULES:
            write(self.path(f"usr/lib/x86_64-linux-gnu/libns3.{version}-{name}.so"))

    def choose(self, wish=None, profile="release"):
        found = ns3.choose(wish, {"g++": None}, Phases(), profile)
        return found.version, found.key, self.messages.getvalue()

    def offer(self, version):
        self.patch(ns3, "offered", lambda: version)
        self.patch(ns3, "half_installed", lambda: False)

    def test_installed(self):
        self.install("43")
        version, key, said = self.choose()
        self.assertEqual((version, key), ("3.43", "package-3.43"))
        self.assertIn("installed in", said)
        self.assertEqual(self.wanted, [["g++"]])

    def test_soname_has_the_release(self):
        self.install("43")
        folder = self.path("usr/lib/x86_64-linux-gnu")
        for name in build.MODULES:
            os.rename(f"{folder}/libns3.43-{name}.so", f"{folder}/libns3-{name}.so.37")
            os.symlink(f"libns3-{name}.so.37", f"{folder}/libns3-{name}.so")
        self.assertEqual(ns3.installed(), (self.path("usr"), "3.37"))

    def test_package_is_installed_where_the_system_has_it(self):
        self.offer("3.37-2")
        with mock.patch.object(packages, "ensure", lambda wanted, phases: self.install("37")):
            self.assertEqual(self.choose()[:2], ("3.37", "package-3.37"))

    def test_source_where_the_package_is_too_old_or_missing(self):
        for version in ("3.35+dfsg-1", None):
            self.offer(version)
            found, key, said = self.choose()
            self.assertEqual((found, key), ("3.37", "ns-3.37-release"))
            self.assertIn("no package libns3-dev of 3.37 or newer", said)
            with self.assertRaisesRegex(Stop, "--ns3=package: this system has"):
                self.choose("package")

    def test_source_on_demand(self):
        self.install("43")
        self.assertEqual(self.choose("source")[1], "ns-3.37-release")
        self.assertEqual(self.choose("source", "asserts")[1], "ns-3.37-asserts")
        os.environ["NS3_DIR"] = self.path("tree")
        make_ns3(self.path("tree"), "3.45")
        self.assertIn("(NS3_DIR)", self.choose()[2])

    def test_half_installed_package(self):
        self.install("37")
        os.unlink(self.path("usr/lib/x86_64-linux-gnu/libns3.37-applications.so"))
        self.patch(ns3, "half_installed", lambda: True)
        with self.assertRaisesRegex(Stop, "--reinstall libns3-dev"):
            self.choose()


class Packages(Scratch):
    """Without root and sudo, without a network, without apt: one message that says what to do."""

    def test_no_rights(self):
        def which(name):
            return None if name == "sudo" else f"/usr/bin/{name}"

        with mock.patch("os.geteuid", return_value=1000), mock.patch("shutil.which", which):
            with self.assertRaisesRegex(Stop, "sudo apt-get install -y .*ninja-build ccache"):
                packages.install(["ninja-build", "ccache"], Phases())

    def test_no_apt(self):
        with mock.patch("shutil.which", return_value=None):
            with self.assertRaisesRegex(Stop, "ninja-build.*no apt-get"):
                packages.install(["ninja-build"], Phases())

    def test_no_network(self):
        def apt_get(_prefix, *words):
            return 100, "Reading...\nE: Failed to fetch http://x  Could not connect\n"

        with mock.patch.object(packages, "apt_get", apt_get):
            with mock.patch.object(packages, "sudo_prefix", return_value=[]):
                with self.assertRaisesRegex(Stop, "no network.*sudo apt-get install -y .*ninja-build"):
                    packages.install(["ninja-build"], Phases())
        self.assertIn("E: Failed to fetch", self.messages.getvalue())
        self.assertNotIn("Reading...", self.messages.getvalue())

    def test_no_room(self):
        with mock.patch.object(build.shutil, "disk_usage", return_value=mock.Mock(free=5_000_000)):
            with mock.patch.object(build, "WORK", self.folder):
                with self.assertRaisesRegex(Stop, "5 MB are free on this disk; .* needs 600 MB"):
                    build.check_room("module")

    def test_no_compiler(self):
        with mock.patch("shutil.which", return_value=None):
            self.assertIn("g++", packages.missing(packages.BUILD))


class ClosedPipe(unittest.TestCase):
    """A reader that takes only the first lines, as head does."""

    def test_no_traceback(self):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run(
                [sys.executable, os.path.join(ROOT, "tools", "with_ns3"), "--help"], check=False,
                stdout=writer, stderr=subprocess.PIPE, text=True,
            )
        finally:
            os.close(writer)
        self.assertEqual((done.stderr, done.returncode), ("", 128 + signal.SIGPIPE))


if __name__ == "__main__":
    unittest.main()
