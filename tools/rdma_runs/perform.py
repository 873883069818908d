# SPDX-License-Identifier: GPL-2.0-only
"""Performs one run in a folder of its own."""

import os
import subprocess
import tempfile
import threading

from .parent import end_with_parent
from .run import Outcome, RunError

# Length of the end of a failed run's output that is shown.
LAST = 600


class Performer:
    """Runs programs, and can end those that are running."""

    def __init__(self, paths):
        self.paths = paths
        self.children = set()
        self.stopped = False
        self.lock = threading.Lock()

    def stop(self):
        """Ends the programs that are under way, and starts no more."""
        with self.lock:
            self.stopped = True
            for child in self.children:
                child.kill()

    def __call__(self, run):
        """The metrics of a run, {seed: {metric: value}}, and its CPU-seconds."""
        with tempfile.TemporaryDirectory(prefix="rdma-run-") as folder:
            if run.prepare:
                run.prepare(folder)
            command = [self.paths[run.program], *run.arguments(folder)]
            stdout, stderr, status, seconds = self.call(command, run.directory or folder)
            # A run with unfinished flows ends with status 1, and has results.
            if status in (0, 1):
                try:
                    metrics = run.metrics(Outcome(folder, stdout, run.options))
                    return {seed: metrics[seed] for seed in run.seeds}, seconds
                except (RunError, OSError, ValueError, KeyError) as error:
                    reason = f"{type(error).__name__}: {error}"
            else:
                reason = f"ended with status {status}"
            said = (stderr.strip() or stdout.strip())[-LAST:]
            raise RunError(f"{run.command()}\n    {reason}" + "".join(
                f"\n    {line}" for line in said.splitlines()
            ))

    def call(self, command, directory):
        """Standard output and error, status and CPU-seconds of a command."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("NS_")}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            with self.lock:
                if self.stopped:
                    raise RunError("stopped")
                try:
                    child = subprocess.Popen(
                        command, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                        env={**env, "LC_ALL": "C"}, preexec_fn=end_with_parent(),
                    )
                except OSError as error:
                    raise RunError(f"{command[0]}: {error.strerror}") from None
                self.children.add(child)
            # The usage of this child alone: that of all children would include parallel runs.
            _, status, usage = os.wait4(child.pid, 0)
            with self.lock:
                child.returncode = os.waitstatus_to_exitcode(status)
                self.children.discard(child)
            texts = []
            for file in (out, errors):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        return (*texts, child.returncode, usage.ru_utime + usage.ru_stime)
