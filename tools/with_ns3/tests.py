# SPDX-License-Identifier: GPL-2.0-only
"""The verb test: builds what the tests need, runs them side by side, and counts."""

import argparse
import ast
import glob
import os
import re
import subprocess
import sys

from . import packages, venv
from .build import Build, library_targets, listed_programs, run_cmake, run_ninja
from .jobs import (
    Job, count_fuzzer, count_program, count_python, count_suite, count_units, run_jobs,
)
from .places import ROOT, WORK, lock
from .say import Phases, Stop, note, usage_error

GROUPS = {
    "unit": "unit tests (GoogleTest); unit:PATTERN for some, as in --gtest_filter",
    "examples": "the examples of test/examples-to-run.py",
    "captures": "tools/check-capture on what the unit tests write (tshark and scapy)",
    "python": "tests of the Python parts (test/python/test_*.py)",
    "fuzz": "a short run of each fuzzer (with --sanitize)",
}


def parser():
    """The options of the verb."""
    groups = "\n".join(f"  {name:10}{text}" for name, text in GROUPS.items())
    result = argparse.ArgumentParser(
        prog="tools/with-ns3 test",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs all tests, or those named, and ends with one line that counts them.",
        epilog=f"NAME is an ns-3 suite (see --list), an example, or a group:\n{groups}",
    )
    result.add_argument("names", nargs="*", metavar="NAME")
    result.add_argument("--list", action="store_true", help="print the names and run nothing")
    result.add_argument("--full", action="store_true", help="long-running test cases as well")
    result.add_argument(
        "--sanitize", action="store_true",
        help="unit tests, suites and fuzzers with the address and undefined sanitizers",
    )
    result.add_argument(
        "--fuzz-seconds", type=int, default=10, metavar="N", help="time for a fuzzer (default 10)"
    )
    result.add_argument(
        "--fuzz-runs", type=int, default=0, metavar="N", help="inputs for a fuzzer in place of time"
    )
    result.add_argument(
        "--timeout", type=int, default=900, metavar="N", help="seconds for one test (default 900)"
    )
    return result


def has_unit_tests():
    """Whether there is a unit test, and so the target rdma-unit-tests."""
    return bool(glob.glob(os.path.join(ROOT, "test", "unit", "*-test.cc")))


def has_suites():
    """Whether there is an ns-3 suite, and so the target rdma-test-runner."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as handle:
        listed = re.search(r"set\(rdma_test_sources([^)]*)\)", handle.read())
    return bool(listed and ".cc" in re.sub(r"#.*", "", listed[1]))


def fuzzers():
    """The names of the fuzzers."""
    paths = glob.glob(os.path.join(ROOT, "test", "fuzz", "*.cc"))
    return sorted(os.path.splitext(os.path.basename(path))[0] for path in paths)


def python_tests():
    """The files of Python tests."""
    return sorted(glob.glob(os.path.join(ROOT, "test", "python", "test_*.py")))


def example_runs():
    """The runs that test/examples-to-run.py asks for: lists of program and arguments."""
    path = os.path.join(ROOT, "test", "examples-to-run.py")
    with open(path, encoding="utf-8") as handle:
        tree = ast.parse(handle.read(), path)
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "cpp_examples":
            entries = ast.literal_eval(node.value)
            return [entry[0].split() for entry in entries if entry[1] == "True"]
    raise Stop(f"{path} has no list cpp_examples")


def test_programs():
    """The targets that hold the tests."""
    result = ["rdma-unit-tests"] if has_unit_tests() else []
    return result + (["rdma-test-runner"] if has_suites() else [])


def targets(build):
    """What a run of all tests needs of ns-3's build."""
    return test_programs() + listed_programs("examples") or library_targets(build.tree)


def suites_of(runner):
    """The suites that the runner holds."""
    if not has_suites():
        return []
    result = subprocess.run([runner, "--list"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Stop(f"{runner} --list failed:\n{result.stdout}{result.stderr}")
    return sorted(result.stdout.split())


class Plan:
    """What was asked for, checked against what exists."""

    def __init__(self, names, suites, sanitize):
        self.unit_filter = None
        examples = sorted({run[0] for run in example_runs()})
        groups = ["unit", "fuzz"] if sanitize else ["unit", "captures", "examples", "python"]
        known = groups + suites + ([] if sanitize else examples)
        wanted = names or groups + suites
        for name in wanted:
            if name.startswith("unit:"):
                self.unit_filter = name[len("unit:"):]
            elif name not in known:
                raise usage_error(f"there is no test '{name}'; tests: {' '.join(known)}")
        self.known = known
        self.unit = "unit" in wanted or self.unit_filter is not None
        self.fuzz = "fuzz" in wanted
        self.python = "python" in wanted
        self.captures = "captures" in wanted
        self.suites = [name for name in suites if name in wanted]
        self.examples = [name for name in examples if name in wanted or "examples" in wanted]


def unit_jobs(program, pattern, env):
    """The unit tests, in as many shards as there are cores."""
    if not has_unit_tests():
        return []
    shards = len(os.sched_getaffinity(0))
    command = [program] + ([f"--gtest_filter={pattern}"] if pattern else [])
    return [
        Job(
            f"unit {index + 1}/{shards}", command, count_units,
            {**env, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(index)},
        )
        for index in range(shards)
    ]


def suite_jobs(runner, names, full, env):
    """One process for each suite."""
    fullness = ["--fullness=TAKES_FOREVER"] if full else []
    return [
        Job(name, [runner, f"--suite={name}", "--verbose", *fullness], count_suite, env)
        for name in names
    ]


def python_with_requirements(phases):
    """A Python that has what the Python tests need, or None where PyPI cannot be had."""
    path = os.path.join(os.path.realpath(ROOT), "test", "python", "requirements.txt")
    try:
        return venv.environment("tests", ["-r", path], "import scapy", phases)
    except Stop as stop:
        note(f"tests that need packages of PyPI are skipped: {stop}")
        return None


def capture_jobs(program, interpreter, env):
    """The unit tests write a capture, and the test of tools/check-capture judges it."""
    script = os.path.join(os.path.realpath(ROOT), "test", "check-capture-test.py")
    if not os.path.exists(script) or not has_unit_tests():
        return []
    command = (
        'RDMA_CAPTURE_DIR=$PWD "$0" --gtest_filter="QbbFrameCapture.*" >captures.log || '
        '{ cat captures.log; exit 1; }; exec "$1" "$2" "$PWD/rdma-frame-kinds.pcap" -v'
    )
    words = ["sh", "-c", command, program, interpreter, script]
    return [Job("captures", words, count_python, env)]


def plain(options, prepare, phases):
    """Builds with asserts; returns the jobs, or the names with --list."""
    tree = prepare({**packages.BUILD, **packages.TEST}, phases, 3)
    build = Build(tree, "assert")
    build.configure(phases)
    build.make(targets(build), phases)
    runner = build.own("test", "rdma-test-runner")
    plan = Plan(options.names, suites_of(runner), False)
    if options.list:
        return plan.known
    from .cli import program_environment

    env = program_environment(build)
    jobs = []
    if plan.unit:
        jobs += unit_jobs(build.own("test", "rdma-unit-tests"), plan.unit_filter, env)
    jobs += suite_jobs(runner, plan.suites, options.full, env)
    for name, *arguments in example_runs():
        if name in plan.examples:
            command = [build.program("examples", name), *arguments]
            jobs.append(Job(" ".join([name, *arguments]), command, count_program, env))
    if plan.captures or plan.python:
        interpreter = python_with_requirements(phases)
    if plan.captures:
        if interpreter:
            jobs += capture_jobs(build.own("test", "rdma-unit-tests"), interpreter, env)
        else:
            jobs.append(Job.skip("captures", "scapy is not here", env))
    if plan.python:
        jobs += [Job.python(interpreter or sys.executable, path, env) for path in python_tests()]
    return jobs


def sanitized(options, prepare, phases):
    """Builds this repository's own sources with sanitizers, on ns-3's libraries as they are."""
    fuzz = bool(fuzzers()) and (not options.names or "fuzz" in options.names)
    others = not options.names or any(name != "fuzz" for name in options.names)
    wanted = {**packages.BUILD, **packages.TEST, **(packages.FUZZ if fuzz else {})}
    tree = prepare(wanted, phases, 2 + 2 * others + 2 * fuzz)
    build = Build(tree, "assert")
    build.configure(phases)
    build.make(library_targets(tree), phases)
    common = {"RDMA_NS3_BUILD": build.output, "CMAKE_BUILD_TYPE": "None", "RDMA_SANITIZE": "ON"}
    jobs = []
    env = dict(
        os.environ, UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS="detect_stack_use_after_return=1"
    )
    runner, plan = None, None
    if others:
        folder = build.beside("sanitize")
        settings = {
            **common, "CMAKE_CXX_FLAGS": "-O1", "RDMA_UNIT_TESTS": "ON", "RDMA_TEST_RUNNER": "ON"
        }
        run_cmake(
            os.path.realpath(ROOT), folder, settings, build.log("sanitize-cmake"), phases,
            "this module with sanitizers",
        )
        run_ninja(
            folder, test_programs() or ["rdma"], build.log("sanitize-ninja"), phases,
            "this module with sanitizers",
        )
        runner = os.path.join(folder, "bin", "test", "rdma-test-runner")
    plan = Plan(options.names, suites_of(runner) if runner else [], True)
    if options.list:
        return plan.known
    if plan.unit:
        program = os.path.join(os.path.dirname(runner), "rdma-unit-tests")
        jobs += unit_jobs(program, plan.unit_filter, env)
    if runner:
        jobs += suite_jobs(runner, plan.suites, options.full, env)
    if fuzz:
        folder = build.beside("fuzz")
        settings = {
            **common, "CMAKE_CXX_FLAGS": "-O1", "RDMA_FUZZ": "ON", "CMAKE_CXX_COMPILER": "clang++"
        }
        run_cmake(
            os.path.realpath(ROOT), folder, settings, build.log("fuzz-cmake"), phases, "the fuzzers"
        )
        run_ninja(folder, fuzzers(), build.log("fuzz-ninja"), phases, "the fuzzers")
        jobs += [fuzz_job(folder, name, options, env) for name in fuzzers()]
    return jobs


def fuzz_job(folder, name, options, env):
    """One fuzzer: starts from the seeds in test/fuzz/seeds/NAME, keeps what it learns in .ns3/."""
    corpus = os.path.join(WORK, "fuzz", name)
    os.makedirs(corpus, exist_ok=True)
    limit = (
        f"-runs={options.fuzz_runs}"
        if options.fuzz_runs
        else f"-max_total_time={options.fuzz_seconds}"
    )
    seeds = os.path.join(os.path.realpath(ROOT), "test", "fuzz", "seeds", name)
    command = [
        os.path.join(folder, "bin", "fuzz", name), limit, "-timeout=20", "-rss_limit_mb=2048",
        f"-artifact_prefix={corpus}-", "-print_final_stats=1", corpus,
    ]
    return Job(name, command + ([seeds] if os.path.isdir(seeds) else []), count_fuzzer, env)


def main(arguments, prepare):
    """test [OPTIONS] [NAME...]"""
    options = parser().parse_args(arguments)
    phases = Phases()
    with lock(WORK):
        jobs = (sanitized if options.sanitize else plain)(options, prepare, phases)
    if options.list:
        print("\n".join(jobs))
        return 0
    if not jobs:
        note("there is nothing to run")
    timeout = max(options.timeout, 2 * options.fuzz_seconds)
    passed, failed, skipped = run_jobs(jobs, None if options.fuzz_runs else timeout)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or not passed else 0
