# SPDX-License-Identifier: GPL-2.0-only
"""Tests of tools/sweep with a program made up for it, and its example with rdma-fabric."""

import csv
import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from runs_support import (  # noqa: E402
    HAS_PACKAGES, ROOT, command, contents, make_program, needs_packages, put,
)

import built_program  # noqa: E402

if HAS_PACKAGES:
    from rdma_runs import cluster, matrix, programs, sweep_file
    from rdma_runs.costs import Costs
    from rdma_runs.run import RunError
    from with_ns3.say import Stop

FILE = """\
program: ./fake
grid:
  a: [1, 2]
  switch: [on, off]
seeds: 3
metrics: [value]
out: rows.csv
plots:
  - {file: one.png, x: a, y: value, line: switch}
"""
EXAMPLE = os.path.join(ROOT, "examples", "sweep.yaml")


@needs_packages
class Sweeps(unittest.TestCase):
    """The whole tool."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = os.path.realpath(temporary.name)
        make_program(self.folder)
        self.file = put(self.folder, "sweep.yaml", FILE)

    def sweep(self, *words, status=0):
        """Runs the tool; returns its output and its messages."""
        done = subprocess.run(
            command("sweep", self.file, *words), capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def rows(self):
        """The rows of data."""
        return list(csv.DictReader(contents(self.folder, "rows.csv").decode().splitlines()))

    def starts(self):
        """How often the program was started."""
        return contents(self.folder, "log").count(b"\n")

    def waits(self):
        """Whether a program waits; a waiting program holds a lock."""
        with open(os.path.join(self.folder, "held"), "rb") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def test_rows_and_means(self):
        printed, _ = self.sweep()
        rows = self.rows()
        self.assertEqual(len(rows), 12)
        self.assertEqual(rows[0]["switch"], "off")
        self.assertEqual(
            [row["value"] for row in rows if row["a"] == "2" and row["switch"] == "on"],
            ["21.0", "22.0", "23.0"],
        )
        program = os.path.join(self.folder, "fake")
        self.assertEqual({row["model"] for row in rows}, {programs.revision(program)})
        # 22 +- 4.3027 * 1 / sqrt(3)
        self.assertIn("a 2, switch on; value 22 +- 2.48", printed)
        self.assertEqual(contents(self.folder, "one.png")[:4], b"\x89PNG")

    def record(self):
        """The record beside the rows."""
        return json.loads(contents(self.folder, "rows.run.json"))

    def test_record(self):
        self.sweep("--jobs=1")
        record = self.record()
        self.assertEqual((record["state"], record["cut_by"]), ("complete", None))
        self.assertEqual(record["counts"], {"rows": 12, "rows_total": 12})
        self.assertEqual(record["command"], ["sweep", self.file, "--jobs=1"])
        self.assertEqual(record["grid"], {"a": ["1", "2"], "switch": ["on", "off"]})
        self.assertEqual(record["sweep"]["sha256"], hashlib.sha256(FILE.encode()).hexdigest())

    def test_a_run_that_a_signal_has_cut_is_no_row(self):
        # The program has results and the status of unfinished flows, as if the signal came to it alone.
        for record, said in (
            ({"state": "cut", "cut_by": "SIGTERM"}, "the run was cut by SIGTERM"),
            ({"state": "running"}, "the run did not end"),
        ):
            put(self.folder, "record.json", json.dumps(record))
            _, errors = self.sweep("--jobs=1", status=1)
            self.assertIn(said, errors)
            self.assertIn("12 runs failed", errors)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "rows.csv")))
            self.assertEqual(self.record()["counts"], {"rows": 0, "rows_total": 12})
            self.assertEqual(self.record()["state"], "cut")
        # --stop and deadlocks are the outcome that the options ask for.
        for by in ("stop", "deadlock"):
            put(self.folder, "record.json", json.dumps({"state": "cut", "cut_by": by}))
            self.sweep("--again")
            self.assertEqual(len(self.rows()), 12)

    def test_the_same_bytes_again_and_nothing_is_run_twice(self):
        self.sweep("--jobs=1")
        first = [contents(self.folder, name) for name in ("rows.csv", "one.png")]
        self.sweep()
        self.assertEqual(self.starts(), 12)
        self.sweep("--again", "--jobs=4")
        self.assertEqual(self.starts(), 24)
        self.assertEqual([contents(self.folder, name) for name in ("rows.csv", "one.png")], first)

    def test_killed_and_resumed(self):
        self.sweep()
        whole = contents(self.folder, "rows.csv")
        for signal_number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            os.unlink(os.path.join(self.folder, "rows.csv"))
            put(self.folder, "stop", "")
            with subprocess.Popen(
                command("sweep", self.file, "--jobs=2"), stderr=subprocess.PIPE, text=True
            ) as process:
                while not os.path.exists(os.path.join(self.folder, "waiting")):
                    time.sleep(0.05)
                # The kill may come before or after another run has written its row. The sweep resumes from both.
                time.sleep(0.3)
                process.send_signal(signal_number)
                if signal_number != signal.SIGKILL:
                    self.assertIn("interrupted; the same command goes on", process.stderr.read())
                    self.assertEqual(self.record()["state"], "cut")
                else:
                    self.assertEqual(self.record()["state"], "running")
            for name in ("stop", "waiting"):
                os.unlink(os.path.join(self.folder, name))
            if os.path.exists(os.path.join(self.folder, "rows.csv")):
                for line in contents(self.folder, "rows.csv").splitlines():
                    self.assertIn(line, whole.splitlines())
            self.sweep()
            self.assertEqual(contents(self.folder, "rows.csv"), whole)
            self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".")], [])

    @unittest.skipUnless(sys.platform.startswith("linux"), "Linux alone tells a program of its parent's end")
    def test_no_program_outlives_a_killed_sweep(self):
        put(self.folder, "stop", "")
        with subprocess.Popen(
            command("sweep", self.file, "--jobs=1"), stderr=subprocess.DEVNULL
        ) as process:
            while not os.path.exists(os.path.join(self.folder, "waiting")):
                time.sleep(0.05)
            self.assertTrue(self.waits())
            process.kill()
        until = time.monotonic() + 20
        while self.waits() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertFalse(self.waits())

    def start_workers(self):
        """Starts a Dask scheduler with two workers of one thread each, and returns its address."""
        file = os.path.join(self.folder, "scheduler.json")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)

        def start(*words):
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, f"--scheduler-file={file}", "--no-dashboard",
                 "--dashboard-address=127.0.0.1:0"],
                cwd=scratch.name, stderr=subprocess.DEVNULL,
            )
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)

        start("scheduler", "--host=127.0.0.1", "--port=0")
        for _ in range(2):
            start("worker", "--nthreads=1", "--no-nanny", f"--local-directory={scratch.name}")

        def read():
            # The scheduler creates its file before it writes into it.
            try:
                with open(file, encoding="utf-8") as handle:
                    return json.load(handle)["address"]
            except (FileNotFoundError, ValueError):
                return None

        return self.wait_until(read)

    def wait_until(self, condition):
        """Waits for a condition that has to come true, and returns its value."""
        until = time.monotonic() + 60
        while not (value := condition()):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        return value

    def kill_in_the_middle(self, *words):
        """Kills a sweep of 24 runs when it has some rows and both of its runs wait, and resumes it."""
        put(self.folder, "sweep.yaml", FILE.replace("seeds: 3", "seeds: 6"))
        self.sweep("--jobs=2")
        whole = contents(self.folder, "rows.csv")
        os.unlink(os.path.join(self.folder, "rows.csv"))
        os.unlink(os.path.join(self.folder, "log"))
        put(self.folder, "stop", "")
        with subprocess.Popen(command("sweep", self.file, *words), stderr=subprocess.DEVNULL) as process:
            log = os.path.join(self.folder, "log")
            self.wait_until(
                lambda: os.path.exists(log) and contents(log).count(b"--seed=2 ") == 2 and self.waits()
            )
            process.kill()
        os.unlink(os.path.join(self.folder, "stop"))
        # The runs under way end, also where the sweep did not start them itself.
        self.wait_until(lambda: not self.waits())
        lines = contents(self.folder, "rows.csv").splitlines()
        self.assertTrue(1 < len(lines) < 25, lines)
        self.assertLessEqual(set(lines), set(whole.splitlines()))
        self.sweep(*words)
        self.assertEqual(contents(self.folder, "rows.csv"), whole)
        self.assertFalse([name for name in os.listdir(self.folder) if "dask" in name])

    def test_24_runs_killed_in_the_middle_and_resumed(self):
        self.kill_in_the_middle("--jobs=2")

    def test_24_runs_on_two_workers_of_a_scheduler(self):
        self.kill_in_the_middle(f"--scheduler={self.start_workers()}")

    def test_schedulers_that_cannot_serve(self):
        with unittest.mock.patch.object(cluster, "PATIENCE_S", 0.2), self.assertRaisesRegex(
            Stop, "^--scheduler=tcp://127.0.0.1:1: no Dask scheduler answers there$"
        ), cluster.connected("tcp://127.0.0.1:1", 1):
            pass
        versions = {"client": {"packages": {"python": "3.11"}}, "scheduler": {"packages": {"python": "3.9"}},
                    "workers": {}}
        with unittest.mock.patch("distributed.Client") as client, self.assertRaisesRegex(
            Stop, "^--scheduler=tcp://a:1: python is 3.9 there and 3.11 here; accepted: "
        ):
            client.return_value.get_versions.return_value = versions
            with cluster.connected("tcp://a:1", 1):
                pass

    def test_workers_that_lack_a_file(self):
        run = next(sweep_file.read(self.file).runs())
        with unittest.mock.patch.object(matrix, "TOOLS", "/nowhere/tools"), self.assertRaisesRegex(
            Stop, "^/nowhere/tools: the worker on .* does not have it; accepted: workers with the files"
        ):
            matrix.perform([run], {run.program: "/bin/true"}, "", Costs(os.devnull), None, 1)

    def test_a_failed_run_stops_nothing_and_is_tried_again(self):
        put(self.folder, "sweep.yaml", FILE.replace("grid:", "options: {fail: 2}\ngrid:"))
        _, said = self.sweep(status=1)
        self.assertEqual(len(self.rows()), 8)
        self.assertIn("--seed=2 --out=results", said)
        self.assertIn("fake: --fail: cannot be done", said)
        self.assertIn("4 runs failed", said)
        printed, _ = self.sweep("--list")
        self.assertIn("4 of 12 runs are left", printed)

    def test_printed_metrics(self):
        text = FILE.replace("[value]", r"{printed: 'value ([\d.]+)'}").replace("y: value", "y: printed")
        put(self.folder, "sweep.yaml", text)
        self.sweep()
        self.assertEqual({row["printed"] for row in self.rows()},
                         {"11.0", "12.0", "13.0", "21.0", "22.0", "23.0"})

    def test_more_metrics_run_again(self):
        self.sweep()
        put(self.folder, "sweep.yaml", FILE.replace("[value]", "[value, half]"))
        self.assertIn("12 of 12 runs are left", self.sweep("--list")[0])

    def test_wrong_files(self):
        for text, line, words in (
            (FILE.replace("seeds: 3", "seeds: 0"), 5, 'seeds: "0"; accepted: a whole number from 1'),
            (FILE.replace("seeds:", "sedes:"), 5, "no such field; accepted: program, options"),
            (FILE.replace("[1, 2]", "1"), 3, 'grid.a: "1"; accepted: a list'),
            (FILE.replace("[1, 2]", "[1, 1]"), 3, "a value comes twice; accepted: each value once"),
            (FILE.replace("out: rows.csv", "out: rows.txt"), 7, 'out: "rows.txt"; accepted: a name in'),
            (FILE.replace("x: a", "x: b"), 9, 'x: "b"; accepted: a, switch'),
            (FILE.replace("y: value", "y: drops"), 9, 'y: "drops"; accepted: value'),
            (FILE.replace(", line: switch", ""), 9, "switch is neither x, line nor panel"),
            (FILE.replace("one.png", "one.gif"), 9, "accepted: a name in .png, .svg, .pdf"),
            (FILE.replace("grid:", "options: {a: 3}\ngrid:"), 4, "grid.a: given twice"),
            (FILE.replace("  a:", "  --a:"), 3, "grid.--a: no option; accepted"),
            (FILE.replace("[value]", "{v: 'x'}"), 6, "a regular expression with one group"),
            (FILE.replace("[1, 2]", "[1, 2"), 4, "not YAML"),
            ("", 1, "the file is empty"),
            (FILE.replace("program: ./fake\n", ""), 1, "program is missing"),
        ):
            put(self.folder, "sweep.yaml", text)
            with self.assertRaises(RunError) as caught:
                sweep_file.read(self.file)
            said = str(caught.exception)
            self.assertRegex(said, rf"^{re.escape(self.file)}:{line}: ", text)
            self.assertIn(words, said)
            self.assertEqual(said.count("\n"), 0, said)
        _, said = self.sweep(status=2)
        self.assertRegex(said, rf"^sweep: {re.escape(self.file)}:1: program is missing; [^\n]*\n$")

    def test_rows_of_another_tool(self):
        put(self.folder, "rows.csv", "x,y\n1,2\n")
        _, said = self.sweep(status=2)
        self.assertIn("rows.csv:1: program: there is no such column", said)

    @unittest.skipUnless(built_program.find("rdma-fabric"), "rdma-fabric is not on the PATH")
    def test_the_example_in_small(self):
        with open(EXAMPLE, encoding="utf-8") as handle:
            text = handle.read()
        self.assertLessEqual(len([line for line in text.splitlines() if not line.startswith("#")]), 20)
        for long, short in (("duration: 2ms", "duration: 20us"), ("seeds: 5", "seeds: 2"),
                            ("leaf-spine:4x8x4", "leaf-spine:2x2x1")):
            self.assertIn(long, text)
            text = text.replace(long, short)
        put(self.folder, "sweep.yaml", text)
        self.sweep()
        out = re.search("^out: (.*)$", text, re.M)[1]
        rows = contents(self.folder, out)
        self.assertEqual(rows.count(b"\n"), 1 + 27 * 2)
        os.unlink(os.path.join(self.folder, out))
        self.sweep("--jobs=1")
        self.assertEqual(contents(self.folder, out), rows)


if __name__ == "__main__":
    unittest.main()
