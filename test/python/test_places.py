# SPDX-License-Identifier: GPL-2.0-only
"""Tests of places where programs cannot write, of disks that become full, and of too little memory: one line that names
the file, status 2, and nothing left behind."""

import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

PROGRAM = console.program("rdma-fabric")
SMALL = ["--topology=star:3", "--workload=incast:2", "--progress=off"]
INSTRUMENTS = ("monitor", "timeseries", "pause-trace", "pause-tree", "pcap")
FILES = (*(f"instruments={name}:" for name in INSTRUMENTS), "save-config=")
# A folder that is a file, one that does not exist, names that no file system takes.
PLACES = ("plain/x", "none/x", "/proc/none/x", "n" * 300)


def limit_files():
    """No file of the process may have more than 20 bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))


LIBC = ctypes.CDLL(None)
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # <linux/prctl.h>, <linux/capability.h>


def obey_permissions():
    """The program that follows heeds the permissions of folders, even if root runs the test."""
    LIBC.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


class PlacesTest(unittest.TestCase):
    def run_program(self, folder, arguments, **options):
        given = {argument.split("=")[0] for argument in arguments}
        return subprocess.run(
            [PROGRAM, *(word for word in SMALL if word.split("=")[0] not in given), *arguments], cwd=folder, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )

    def check_refused(self, done, name):
        self.assertEqual(done.returncode, 2, (name, done.stderr))
        self.assertEqual(done.stdout, "", "nothing ran")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], r"\Ardma-fabric: ")
        return lines[0]

    def test_files_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plain"), "w", encoding="utf-8"):
                pass
            for option in FILES:
                for place in PLACES:
                    with self.subTest(option=option, place=place[:20]):
                        done = self.run_program(folder, [f"--{option}{place}"])
                        line = self.check_refused(done, option)
                        self.assertIn(place[:40], line)
                        self.assertEqual(os.listdir(folder), ["plain"])

    def test_folders_that_cannot_be_made(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "plain"), "w", encoding="utf-8"):
                pass
            for place in ("plain", "plain/x", "/dev/null", "/proc/none/x", "n" * 300):
                with self.subTest(place=place[:20]):
                    done = self.run_program(folder, [f"--out={place}"])
                    self.assertIn(place[:40], self.check_refused(done, place))
                    self.assertEqual(os.listdir(folder), ["plain"])

    def test_a_refused_run_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for wrong in ("--cc=timely[TLow=1s]", "--buffer=input-port[XoffBytes=2]",
                          "--ns3::QbbSwitch::CrossbarEgressBytes=8", "--ns3::QbbNetDevice::PauseQuanta=1"):
                files = ["--instruments=" + ",".join(f"{name}:f.{name}" for name in INSTRUMENTS)]
                with self.subTest(wrong=wrong):
                    done = self.run_program(folder, ["--out=o/p", *files, wrong])
                    self.check_refused(done, wrong)
                    self.assertEqual([n for n in os.listdir(folder) if n != "o"], [])
                    self.assertEqual(os.listdir(os.path.join(folder, "o")) if os.path.exists(
                        os.path.join(folder, "o")) else [], [])

    def test_a_folder_without_permission(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o555)
            for option in (*FILES, "out="):
                with self.subTest(option=option):
                    done = self.run_program(folder, [f"--{option}{folder}/x"], preexec_fn=obey_permissions)
                    self.assertIn("Permission denied", self.check_refused(done, option))
                    self.assertEqual(os.listdir(folder), [])
            os.chmod(folder, 0o755)

    def test_a_full_disk(self):
        for option in (*FILES, "out="):
            with self.subTest(option=option), tempfile.TemporaryDirectory() as folder:
                done = self.run_program(folder, [f"--{option}x"], preexec_fn=limit_files)
                self.assertEqual(done.returncode, 2, (option, done.stderr))
                lines = [line for line in done.stderr.splitlines() if not line.startswith("rdma: note")]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertRegex(lines[0], r"could not be written|cannot be written|File too large")
                self.assertEqual([name for name in os.listdir(folder) if re.search(r"\.part$|pcap$", name)], [])

    def test_a_topology_that_needs_more_than_the_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            limit = 600 * 10**6
            done = self.run_program(
                folder, ["--topology=fat-tree:64"],
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            )
            self.assertRegex(
                self.check_refused(done, "fat-tree:64"),
                r"--topology: 70656 nodes and 196608 links need \d+ MB of memory and more; accepted: at most the 600 MB",
            )

    def test_a_full_standard_output(self):
        with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, *SMALL], cwd=folder, check=False, text=True, stdout=full,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"\Ardma-fabric: standard output: .*\n\Z")


if __name__ == "__main__":
    unittest.main()
