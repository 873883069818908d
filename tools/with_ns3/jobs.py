# SPDX-License-Identifier: GPL-2.0-only
"""Runs tests side by side, each in a process and a folder of its own, and counts the results."""

import concurrent.futures
import dataclasses
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from .places import WORK
from .say import Progress


@dataclasses.dataclass
class Result:
    """What a job came to."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: tuple = ()


@dataclasses.dataclass
class Job:
    """A test program, and how its output is counted: count(output) gives a Result."""

    name: str
    command: list
    count: object
    env: dict

    @staticmethod
    def python(interpreter, path, env):
        """A file of Python unit tests."""
        folder, name = os.path.split(path)
        command = [interpreter, "-m", "unittest", "discover", "-v", "-s", folder, "-p", name]
        return Job(f"python {name}", command, count_python, env)

    @staticmethod
    def skip(name, why, env):
        """A test that cannot run here."""
        return Job(name, ["echo", why], lambda _output, _status: Result(skipped=1), env)


def count_units(output, status):
    """GoogleTest's output. A test that was begun and not ended is the one that crashed."""
    ok = re.findall(r"^\[       OK \] (\S+)", output, re.M)
    skipped = re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.M)
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? .*\(\d+ ms\)", output, re.M)
    ended = {*ok, *skipped, *failed}
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    crashed = [name for name in begun if name not in ended]
    if status and not failed and not crashed:
        crashed = ["after the last test"]
    return Result(len(ok), len(failed) + len(crashed), len(skipped), (*failed, *crashed))


def count_suite(output, status):
    """The test cases of an ns-3 suite: the lines that have no deeper line under them."""
    lines = re.findall(r"^( *)(PASS|FAIL|CRASH|SKIP) (.*?) \S+ s$", output, re.M)
    result = Result()
    failed = []
    for index, (indent, outcome, name) in enumerate(lines):
        below = len(lines[index + 1][0]) if index + 1 < len(lines) else 0
        if below > len(indent):
            continue
        if outcome == "PASS":
            result.passed += 1
        elif outcome == "SKIP":
            result.skipped += 1
        else:
            result.failed += 1
            failed.append(name)
    if status and not result.failed:
        result.failed += 1
        failed.append("ended before its report")
    result.names = tuple(failed)
    return result


def count_program(_output, status):
    """A program that has passed if it ends with status 0."""
    return Result(failed=1, names=("exit status",)) if status else Result(passed=1)


def count_fuzzer(output, status):
    """A fuzzer; the input it failed with is kept."""
    kept = re.findall(r"Test unit written to (\S+)", output)
    return Result(failed=1, names=tuple(kept) or ("exit status",)) if status else Result(passed=1)


def count_python(output, status):
    """unittest's output."""
    result = Result(
        len(re.findall(r"\.\.\. ok$", output, re.M)),
        len(re.findall(r"\.\.\. (?:FAIL|ERROR)$", output, re.M)),
        len(re.findall(r"\.\.\. skipped", output, re.M)),
    )
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", output, re.M)
    if status and not result.failed:
        result.failed = 1
    result.names = tuple(failed)
    return result


def run_one(job, timeout):
    """Runs a job in a folder that goes afterwards; returns its result, output and duration."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rdma-test-") as folder:
        env = {**job.env, "TMPDIR": folder}
        with subprocess.Popen(
            job.command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, _ = process.communicate()
                output += f"\nended after {timeout} s\n"
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
    status = process.returncode
    if status < 0:
        output += f"\nended by {signal.Signals(-status).name}\n"
    return job.count(output, status), output, time.monotonic() - begun


def times(update=None):
    """How long jobs took the last time, so that the longest start first."""
    path = os.path.join(WORK, "test-times.json")
    try:
        with open(path, encoding="utf-8") as handle:
            known = json.load(handle)
    except (OSError, ValueError):
        known = {}
    if update:
        known.update(update)
        with open(path + ".part", "w", encoding="utf-8") as handle:
            json.dump(known, handle, indent=0, sort_keys=True)
        os.replace(path + ".part", path)
    return known


def run_jobs(jobs, timeout):
    """Runs all jobs on all cores and reports each; returns the counts."""
    known = times()
    jobs = sorted(jobs, key=lambda job: -known.get(job.name, 0))
    total = Result()
    failures = []
    took = {}
    progress = Progress()
    workers = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(run_one, job, timeout): job for job in jobs}
        try:
            for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                job = running[future]
                result, output, seconds = future.result()
                took[job.name] = round(seconds, 2)
                total.passed += result.passed
                total.failed += result.failed
                total.skipped += result.skipped
                progress.clear()
                word = "FAIL" if result.failed else "PASS" if result.passed else "SKIP"
                counts = f"{result.passed} passed" + "".join(
                    f", {count} {kind}"
                    for kind, count in (("failed", result.failed), ("skipped", result.skipped))
                    if count
                )
                print(f"{word}  {job.name}  ({counts}, {seconds:.1f} s)", flush=True)
                if result.failed:
                    failures.append((job, result, output))
                progress.show(f"{done} of {len(jobs)} done")
        except BaseException:
            pool.shutdown(cancel_futures=True, wait=False)
            raise
    progress.clear()
    times(took)
    for job, result, output in failures:
        print(f"\n==== {job.name}: " + " ".join(result.names or ("failed",)))
        print(" ".join(job.command))
        lines = output.splitlines()
        if len(lines) > 200:
            print(f"... ({len(lines) - 200} lines left out)")
        print("\n".join(lines[-200:]))
    if failures:
        print("\nfailed: " + "; ".join(job.name for job, _, _ in failures))
    return total.passed, total.failed, total.skipped
