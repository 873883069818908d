# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/golden with a program made up for it, and the golden set itself."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

GOLDEN = os.path.join(ROOT, "tools", "golden")
PROGRAM = console.program("rdma-fabric")
RUNS = """\
# Two runs of one program.
one: fake a
    "b c"  # the rest of the command
two: fake module/README.md
"""
# Prints its arguments, and executes the Python code in FAKE, which makes files and may exit.
FAKE = """\
#!{python}
import os, sys
print(*sys.argv[1:], sep="|")
print("9 packet-hops, 7 events in {cpu} s of CPU time ({cpu} M packet-hops/s), {cpu:.0f} MB")
with open("summary.json", "w") as file:
    file.write('{{\\n  "drops": {drops},\\n  "cpu_s": {cpu},\\n')
    file.write('  "peak_rss_mb": {cpu},\\n  "x": 1\\n}}\\n')
{more}
"""


class Golden(unittest.TestCase):
    """The modes check, update and list."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("runs.txt", RUNS)
        self.fake()
        done = self.golden("update")
        self.assertEqual(
            (done.returncode, done.stdout),
            (0, "one: 2 new sums\ntwo: 2 new sums\n2 passed, 0 failed, 0 skipped\n"), done.stderr,
        )
        self.sums = self.read("sums.txt")

    def write(self, name, text):
        """Writes a file."""
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)

    def read(self, *names):
        """The text of a file."""
        with open(os.path.join(self.folder, *names), encoding="utf-8") as handle:
            return handle.read()

    def fake(self, drops=0, cpu=1, more=""):
        """Writes the program."""
        path = os.path.join(self.folder, "fake")
        self.write("fake", FAKE.format(python=sys.executable, drops=drops, cpu=cpu, more=more))
        os.chmod(path, 0o755)

    def golden(self, *words, **more):
        """Runs tools/golden."""
        folders = [f"--golden={self.folder}", f"--programs={self.folder}"]
        env = {key: value for key, value in os.environ.items() if key != "NS3_VERSION"}
        return subprocess.run(
            [sys.executable, GOLDEN, *folders, *words], env={**env, **more}, check=False, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def check(self, status, *expected, words=(), **more):
        """Runs the mode check; its output must have lines that match."""
        done = self.golden("check", *words, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for pattern in expected:
            self.assertRegex(done.stdout, re.compile(pattern, re.M))
        return done.stdout

    def test_time_and_memory_do_not_count(self):
        self.fake(cpu=23.5)
        self.assertEqual(self.check(0), "2 passed, 0 failed, 0 skipped\n")
        self.fake(cpu=23)
        self.assertEqual(self.check(0, words=["--jobs=1"]), "2 passed, 0 failed, 0 skipped\n")

    def test_time_and_memory_do_not_count_in_folders(self):
        more = """
os.mkdir("seed-1")
with open("seed-1/summary.json", "w") as file:
    file.write('  "drops": DROPS,\\n  "cpu_s": CPU,\\n')
"""
        self.fake(more=more.replace("DROPS", "0").replace("CPU", "1"))
        self.assertEqual(self.golden("update").returncode, 0)
        self.fake(more=more.replace("DROPS", "0").replace("CPU", "2"))
        self.assertEqual(self.check(0), "2 passed, 0 failed, 0 skipped\n")
        self.fake(more=more.replace("DROPS", "1").replace("CPU", "2"))
        self.check(1, r"^one: seed-1/summary\.json: was [0-9a-f]{64}, now [0-9a-f]{64}$")

    def test_records_of_runs_do_not_count(self):
        self.fake(more="os.mkdir('f'); [open(name, 'w') for name in ('run.json', 'f/run.json')]")
        self.assertEqual(self.check(0), "2 passed, 0 failed, 0 skipped\n")

    def test_all_else_counts(self):
        self.fake(drops=1)
        output = self.check(
            1, r"^one: summary\.json: was [0-9a-f]{64}, now [0-9a-f]{64}$",
            rf"^one: command: {self.folder}/fake a 'b c'$",
            rf"^two: command: {self.folder}/fake {ROOT}/README\.md$",
            r"^0 passed, 2 failed, 0 skipped$",
        )
        self.assertNotIn("stdout", output)
        for more in ("print('9 events in 1 s')", "print('  \"cpu_s\": 1,')"):
            self.fake(more=more)
            self.check(1, r"^two: stdout: was ", r"^0 passed, 2 failed, 0 skipped$")

    def test_files_come_and_go(self):
        self.fake(more="os.mkdir('f'); open('f/a', 'w'); os.remove('summary.json')")
        self.check(
            1, r"^one: f/a: was \(not there\), now e3b0",
            r"^one: summary\.json: was .*, now \(not there\)$",
        )
        self.fake(more="print('oh', file=sys.stderr)")
        self.check(1, r"^one: stderr: was \(not there\)")

    def test_exit_status_counts(self):
        self.fake(more="sys.exit(1)")
        self.check(1, r"^one: stdout: was ")
        self.fake(more="sys.exit('no such thing') if 'a' in sys.argv else os.abort()")
        self.assertEqual(self.golden("update", "one").returncode, 0)
        done = self.golden("update", "two")
        self.assertEqual(done.returncode, 1)
        self.assertIn("two: ended with status -6", done.stdout)
        self.assertIn("0 passed, 1 failed, 0 skipped", done.stdout)

    def test_update_of_one_run(self):
        self.fake(drops=2)
        done = self.golden("update", "two")
        self.assertRegex(done.stdout, r"^two: summary\.json: was \w+, now \w+\n1 passed, 0 failed")
        old, new = self.sums.splitlines(), self.read("sums.txt").splitlines()
        moved = [line for line, other in zip(old, new) if line != other]
        self.assertEqual([line.split()[0] for line in moved], ["two/summary.json"])
        self.check(1, r"^1 passed, 1 failed, 0 skipped$")
        self.write("runs.txt", RUNS.split("two")[0])
        self.golden("update")
        self.assertNotIn("two/", self.read("sums.txt"))

    def test_nothing_of_the_machine_in_the_sums(self):
        self.assertNotIn(self.folder, self.sums)
        self.assertNotIn(ROOT, self.sums)
        self.fake(more="print(sorted(key for key in os.environ if key.startswith('NS_')))")
        self.golden("update")
        self.check(0, NS_LOG="*")

    def test_keep(self):
        kept = os.path.join(self.folder, "kept")
        self.check(0, words=["one", f"--keep={kept}"])
        summary = self.read("kept", "one", "summary.json")
        self.assertEqual(summary, '{\n  "drops": 0,\n  "x": 1\n}\n')
        self.assertEqual(self.read("kept", "one", "stdout"), "a|b c\n9 packet-hops\n")
        done = self.golden("check", f"--keep={kept}")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"golden: --keep: {kept} is not empty\n")

    def test_sums_for_ranges_of_releases(self):
        old = re.sub(r"^(one/.*)", r"\1 ns3<3.44", self.sums, flags=re.M)
        self.write("sums.txt", old)
        self.check(0, words=["--ns3-version=3.43"])
        self.check(
            0, r"^one: .* nothing for ns-3 dev$", r"^1 passed, 0 failed, 1 skipped$",
            NS3_VERSION="dev",
        )
        self.fake(drops=3)
        self.assertEqual(self.golden("update", "one").returncode, 1)
        added = old + re.sub("^(one/.* )0* ", r"\1", old, flags=re.M).replace("<", ">=")
        self.write("sums.txt", "".join(line for line in added.splitlines(True) if "one/" in line))
        self.assertEqual(self.golden("update", "one", "--ns3-version=3.44").returncode, 0)
        self.check(0, words=["one", "--ns3-version=3.100"])
        self.check(0, words=["one"])
        self.check(1, words=["one", "--ns3-version=3.9"])

    def test_sums_for_releases_between_two(self):
        both = re.sub(r"^(one/.*)", r"\1 ns3>=3.43,ns3<3.49", self.sums, flags=re.M)
        other = re.sub(r"^(one/.* )\w", r"\1f", self.sums, flags=re.M)
        other = re.sub(r"^(one/.*)", r"\1 ns3>=3.49", other, flags=re.M)
        self.write("sums.txt", both + "".join(
            line for line in other.splitlines(True) if line.startswith("one/")
        ))
        self.check(0, words=["one", "--ns3-version=3.43"])
        self.check(0, words=["one", "--ns3-version=3.48"])
        self.check(1, words=["one", "--ns3-version=3.49"])
        self.check(1, words=["one", "--ns3-version=dev"])
        self.check(
            0, r"^one: .* nothing for ns-3 3.42$", r"^0 passed, 0 failed, 1 skipped$",
            words=["one", "--ns3-version=3.42"],
        )

    def test_wrong_input(self):
        cases = {
            "three": "there is no run 'three'; tools/golden list prints the names",
            "--jobs=0": "--jobs: accepted: 1 and above",
            "--programs=/nowhere": "fake is not in /nowhere; --programs=DIR says where it is",
        }
        for word, message in cases.items():
            done = self.golden("check", word)
            output = (done.returncode, done.stdout, done.stderr)
            self.assertEqual(output, (2, "", f"golden: {message}\n"))
        for name, text in (
            ("sums.txt", "one/a 12\n"), ("runs.txt", "one: a\none: b\n"), ("runs.txt", "  a\n"),
            ("runs.txt", "one:\n  a\n"),
        ):
            self.write(name, text)
            self.assertRegex(self.golden("check").stderr, rf"^golden: .*/{name}:\d: expected .*\n$")

    def test_decorated_names(self):
        os.rename(os.path.join(self.folder, "fake"), os.path.join(self.folder, "ns3-fake-debug"))
        self.check(0, RDMA_PROGRAM_PATTERN="ns3-%s-debug")

    def test_list(self):
        self.assertEqual(self.golden("list", "one").stdout, "one: fake a 'b c'\n")


class Runs(unittest.TestCase):
    """The golden set itself."""

    def test_every_example_has_a_run(self):
        with open(os.path.join(ROOT, "test", "golden", "runs.txt"), encoding="utf-8") as handle:
            programs = set(re.findall(r"^[a-z0-9-]+: (\S+)", handle.read(), re.M))
        sources = pathlib.Path(ROOT, "examples").rglob("*.cc")
        self.assertEqual(programs, {source.stem for source in sources})

    def ask(self, mode):
        """Runs tools/golden; its output."""
        done = subprocess.run(
            [sys.executable, GOLDEN, mode], check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    @unittest.skipUnless(PROGRAM, "rdma-fabric is not on the PATH")
    def test_every_option_and_value_has_a_run(self):
        self.assertEqual(self.ask("coverage"), "every option and every value has a run\n")


if __name__ == "__main__":
    unittest.main()
