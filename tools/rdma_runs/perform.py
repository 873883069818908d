# SPDX-License-Identifier: GPL-2.0-only
"""Performs one run in a folder of its own."""

import os
import signal
import subprocess
import tempfile
import threading

from .parent import end_with_parent
from .run import Outcome, RunError

# Length of the end of a failed run's output that is shown.
LAST = 600
# Seconds between two questions whether a program's results are still wanted.
ASK_EVERY = 0.2


def perform(run, program, wanted):
    """The metrics of a run, {seed: {metric: value}}, and its CPU-seconds.

    program is the path of the run's program. wanted() says whether somebody waits for the results;
    the program ends when nobody does.
    """
    with tempfile.TemporaryDirectory(prefix="rdma-run-") as folder:
        if run.prepare:
            run.prepare(folder)
        command = [program, *run.arguments(folder)]
        stdout, stderr, status, seconds = _call(command, run.directory or folder, wanted)
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


def _call(command, directory, wanted):
    """Standard output and error, status and CPU-seconds of a command."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NS_")}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        try:
            child = subprocess.Popen(
                command, cwd=directory, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                env={**env, "LC_ALL": "C"}, preexec_fn=end_with_parent(),
            )
        except OSError as error:
            raise RunError(f"{command[0]}: {error.strerror}") from None
        ended = threading.Event()
        guard = threading.Thread(target=_kill_if_unwanted, args=(child.pid, ended, wanted), daemon=True)
        guard.start()
        # The child keeps its number until wait4(), so that the guard kills no other process.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        ended.set()
        guard.join()
        # The usage of this child alone: that of all children would include parallel runs.
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return (*texts, child.returncode, usage.ru_utime + usage.ru_stime)


def _kill_if_unwanted(process, ended, wanted):
    """Kills a process as soon as nobody wants its results; returns when it has ended."""
    while not ended.wait(ASK_EVERY):
        if not wanted():
            os.kill(process, signal.SIGKILL)
            return
