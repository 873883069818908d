# SPDX-License-Identifier: GPL-2.0-only
"""The verb test: builds what the tests need, has CTest run them side by side, and counts cases."""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from . import bindings, counts, ns3, packages, venv
from .arguments import Arguments
from .build import Module, listed_programs
from .places import ROOT, WORK, lock
from .say import Phases, Stop, note, usage_error

GROUPS = {
    "unit": "unit tests (GoogleTest); unit:PATTERN for some, as in --gtest_filter",
    "suite": "all ns-3 suites",
    "example": "the examples of test/examples-to-run.py",
    "python": "tests of the Python parts and of captures (tshark and scapy)",
    "golden": "the golden set: runs whose output files are known by their checksums",
    "bindings": "tests of the module in Python, which pip compiles first; run only if named",
    "fuzz": "a short run of each fuzzer (with --sanitize)",
}
# Suites that run nodes on several threads include this header.
THREADS_HEADER = '#include "rdma-test-threads.h"'
TESTS = {"RDMA_UNIT_TESTS": "ON", "RDMA_TEST_RUNNER": "ON"}
# Numbers of patterns for the random test of loss recovery, unless the environment sets the number.
# The test's own default, which tools/check-all uses, is a million.
PATTERNS, PATTERNS_SANITIZED = "200000", "40000"
# How the sanitizers report.
SANITIZERS = {
    "UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_stack_use_after_return=1"
}


def parser():
    """The options of the verb."""
    groups = "\n".join(f"  {name:10}{text}" for name, text in GROUPS.items())
    result = Arguments(
        prog="tools/with-ns3 test",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs all tests, or those named, and ends with one line that counts the cases.",
        epilog=f"NAME is a suite, an example or a Python test (see --list), or a group:\n{groups}",
    )
    result.add_argument("names", nargs="*", metavar="NAME")
    result.add_argument("--list", action="store_true", help="print the names and run nothing")
    result.add_argument(
        "--asserts", action="store_true",
        help="against an ns-3 with asserts and logs, which is built from source",
    )
    result.add_argument(
        "--sanitize", action="store_true",
        help="unit tests, suites and fuzzers with the address and undefined sanitizers",
    )
    result.add_argument(
        "--sanitize-threads", action="store_true",
        help="suites and the golden set on three threads with the thread sanitizer, and with an "
             "ns-3 that is built with it from source",
    )
    result.add_argument(
        "--strict", action="store_true",
        help="a program or package that a test can use and that cannot be installed is an error, and "
             "a skipped test that test/skips.txt does not list fails",
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


def fuzzers():
    """The names of the fuzzers."""
    paths = glob.glob(os.path.join(ROOT, "test", "fuzz", "*.cc"))
    return sorted(os.path.splitext(os.path.basename(path))[0] for path in paths)


def ensure_tools(strict, phases):
    """Installs the programs that some tests use. Without them these tests are skipped."""
    try:
        packages.ensure(packages.TEST_TOOLS, phases)
    except Stop as stop:
        if strict:
            raise
        note(f"tests that need {', '.join(packages.missing(packages.TEST_TOOLS))} are skipped: {stop}")


def python_with_requirements(strict, phases):
    """A Python with the packages of the Python tests, or this one if PyPI cannot be reached."""
    path = os.path.join(os.path.realpath(ROOT), "test", "python", "requirements.txt")
    try:
        return venv.environment("tests", ["-r", path], "import scapy", phases)
    except Stop as stop:
        if strict:
            raise
        note(f"tests that need packages of PyPI are skipped: {stop}")
        return sys.executable


def configure_plain(options, wish, phases):
    """Configures a build for all tests."""
    wanted = {**packages.BUILD, **packages.TEST}
    profile = "asserts" if options.asserts else "release"
    module = Module(ns3.choose(wish, wanted, phases, profile))
    ensure_tools(options.strict, phases)
    python = python_with_requirements(options.strict, phases)
    module.configure(phases, {**TESTS, "RDMA_TEST_PYTHON": python})
    return module


def configure_sanitized(wish, phases):
    """Configures a build with sanitizers, on ns-3's libraries as they are.

    One build by clang serves tests and fuzzers, because only clang has libFuzzer.
    """
    wanted = {**packages.BUILD, **packages.TEST, **packages.FUZZ}
    module = Module(ns3.choose(wish, wanted, phases), "sanitize", {
        "CMAKE_BUILD_TYPE": "None", "RDMA_SANITIZE": "ON", "RDMA_FUZZ": "ON",
        "CMAKE_CXX_COMPILER": "clang++",
        # Asserts of this module's own sources hold, too.
        "CMAKE_CXX_FLAGS": "-O1 -DNS3_ASSERT_ENABLE",
        **TESTS,
    })
    module.configure(phases)
    return module


def configure_threads(phases):
    """Configures a build with the thread sanitizer, on an ns-3 that has it, too."""
    wanted = {**packages.BUILD, **packages.TEST}
    module = Module(ns3.choose("source", wanted, phases, "threads"))
    module.configure(phases, {"RDMA_SANITIZE_THREADS": "ON", **TESTS})
    return module


def tests_of_threads():
    """What --sanitize-threads runs, unless names are given: all that uses several threads."""
    ending = "-test-suite.cc"
    names = []
    for path in glob.glob(os.path.join(ROOT, "test", "suite", "**", "*" + ending), recursive=True):
        with open(path, encoding="utf-8") as source:
            if THREADS_HEADER in source.read():
                names.append(os.path.basename(path)[:-len(ending)])
    return [*sorted(names), "golden-threads"]


def targets(chosen, known):
    """The programs that the entries run."""
    labels = {known[name] for name in chosen}
    result = []
    if "unit" in labels or any(name.startswith("captures-") for name in chosen):
        result.append("rdma-unit-tests")
    if "suite" in labels:
        result.append("rdma-test-runner")
    if "fuzz" in labels:
        result += fuzzers()
    if labels & {"example", "golden", "python"}:
        result += listed_programs("examples")
    return result


def entries(module, phases):
    """The labels of CTest's entries, by name."""
    # CTest lists the entries of the last configuration.
    module.build(["build.ninja"], phases)
    done = subprocess.run(
        ["ctest", "--show-only=json-v1"], cwd=module.folder, capture_output=True, text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Stop(f"ctest failed in {module.folder}:\n{done.stderr}")
    labels = {}
    for entry in json.loads(done.stdout)["tests"]:
        properties = {item["name"]: item["value"] for item in entry["properties"]}
        labels[entry["name"]] = properties.get("LABELS", [""])[0]
    return {name: label for name, label in labels.items() if label != "setup"}


def select(names, known):
    """The entries that are asked for by name, group or pattern, and GoogleTest's pattern."""
    pattern = None
    chosen = set()
    for name in names:
        if name.startswith("unit:"):
            pattern = name[len("unit:"):]
            name = "unit"
        found = {entry for entry, label in known.items() if name in (entry, label)}
        if not found:
            groups = sorted(set(known.values()))
            raise usage_error(f"there is no test '{name}'; tests: {' '.join([*groups, *known])}")
        chosen |= found
    chosen = chosen or {entry for entry, label in known.items() if label != "bindings"}
    return sorted(chosen), pattern


def run(module, chosen, pattern, options):
    """Has CTest run the entries; returns their results by name."""
    env = module.environment()
    env.setdefault("RDMA_RANDOM_PATTERNS", PATTERNS_SANITIZED if options.sanitize else PATTERNS)
    if options.sanitize:
        env.update(SANITIZERS)
    if pattern:
        env["GTEST_FILTER"] = pattern
    expression = "^(" + "|".join(re.escape(name) for name in chosen) + ")$"
    log = os.path.join(module.folder, "Testing", "Temporary", "LastTest.log")
    if os.path.exists(log):
        os.unlink(log)
    # ns-3's test runner leaves the files of a suite in a folder in TMP, gigabytes of captures.
    temporary = tempfile.mkdtemp(prefix="rdma-tests-")
    env.update(TMP=temporary, TMPDIR=temporary)
    try:
        subprocess.run(
            [
                "ctest", "-j", str(len(os.sched_getaffinity(0))), "-R", expression,
                "--output-on-failure", "--timeout", str(options.timeout),
            ],
            cwd=module.folder, env=env, check=False,
        )
        results = read_results(log, chosen)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    if any(result.failed for result in results.values()) and os.listdir(temporary):
        note(f"the files of the tests are in {temporary}")
    else:
        shutil.rmtree(temporary, ignore_errors=True)
    return results


def read_results(log, chosen):
    """Reads CTest's log; returns the results of the chosen entries by name."""
    try:
        with open(log, encoding="utf-8", errors="replace") as handle:
            results = counts.count_log(handle.read())
    except OSError as error:
        raise Stop(f"ctest left no log: {error}") from error
    for name in chosen:
        results.setdefault(name, counts.Result(failed=1, names=("did not run",)))
    return results


def run_fuzzer(module, name, options):
    """Runs a fuzzer; returns its name, its result and its output.

    It starts from the seeds in test/fuzz/seeds/NAME, and keeps what it learns in .ns3/.
    """
    corpus = os.path.join(WORK, "fuzz", name)
    os.makedirs(corpus, exist_ok=True)
    seeds = os.path.join(os.path.realpath(ROOT), "test", "fuzz", "seeds", name)
    limit = (
        f"-runs={options.fuzz_runs}"
        if options.fuzz_runs else f"-max_total_time={options.fuzz_seconds}"
    )
    command = [
        os.path.join(module.folder, "bin", "fuzz", name), limit, "-timeout=20",
        "-rss_limit_mb=2048", f"-artifact_prefix={corpus}-", "-print_final_stats=1", corpus,
        *([seeds] if os.path.isdir(seeds) else []),
    ]
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    )
    return name, counts.count_program(done.stdout, done.returncode == 0), done.stdout


def run_fuzzers(module, options):
    """Runs the fuzzers, as many at a time as there are cores; returns their results by name."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, result, output in pool.map(
            lambda name: run_fuzzer(module, name, options), fuzzers()
        ):
            if result.failed:
                print("\n".join(output.splitlines()[-60:]))
            print(f"{'FAIL' if result.failed else 'PASS'}  {name}", flush=True)
            results[f"fuzz-{name}"] = result
    return results


def run_bindings(interpreter):
    """Runs the tests of the module in Python, with the interpreter that pip has installed it for."""
    script = os.path.join(os.path.realpath(ROOT), "test", "python", "test_bindings.py")
    done = subprocess.run(
        [interpreter, script, "-v"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )
    print(done.stdout, flush=True)
    result = counts.count_python(done.stdout, done.returncode == 0)
    # As a script, the module is called __main__.
    result.skips = tuple((name.replace("__main__", "test_bindings"), why) for name, why in result.skips)
    counts.name_skips(result, "python-bindings")
    return result


def report(results, strict):
    """Prints failures, skips and the line that counts the cases; returns the exit status."""
    with open(os.path.join(ROOT, "test", "skips.txt"), encoding="utf-8") as handle:
        listed = counts.SkipList(handle.read())
    if strict:
        listed.enforce(results)
    for result in results.values():
        for name, reason in result.skips:
            print(f"skipped: {name}: {reason}" + (" (listed)" if listed.reason(name) else ""))
    failures = [f"{name}: {' '.join(result.names)}" for name, result in results.items() if result.failed]
    if failures:
        print("failed: " + "; ".join(failures))
    total = [sum(getattr(result, kind) for result in results.values()) for kind in
             ("passed", "failed", "skipped")]
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped", flush=True)
    return 1 if total[1] or not total[0] else 0


def main(arguments, wish):
    """test [OPTIONS] [NAME...]"""
    options = parser().parse_args(arguments)
    if options.asserts:
        if wish == "package" or options.sanitize:
            raise usage_error("--asserts goes neither with --ns3=package nor with --sanitize")
        wish = "source"
    if options.sanitize_threads and (wish == "package" or options.sanitize or options.asserts):
        raise usage_error(
            "--sanitize-threads goes neither with --ns3=package nor with --sanitize or --asserts"
        )
    phases = Phases()
    phases.expect(8)
    with lock(WORK):
        if options.sanitize_threads:
            module = configure_threads(phases)
        elif options.sanitize:
            module = configure_sanitized(wish, phases)
        else:
            module = configure_plain(options, wish, phases)
        known = entries(module, phases)
        # These tests need another interpreter than CTest's entry has.
        known["python-bindings"] = "bindings"
        if options.sanitize:
            # Programs are not built with sanitizers here.
            known = {name: label for name, label in known.items() if label in ("unit", "suite")}
            known["fuzz"] = "fuzz"
        if options.sanitize_threads:
            of_threads = tests_of_threads()
            known = {name: label for name, label in known.items()
                     if label == "suite" or name in of_threads}
            options.names = options.names or of_threads
        chosen, pattern = select(options.names, known)
        if options.list:
            print("\n".join(dict.fromkeys([*sorted(set(known.values())), *known])))
            return 0
        interpreter = None
        if "python-bindings" in chosen:
            phases.expect(3)
            interpreter = bindings.interpreter_with_module(phases)
        if programs := targets(chosen, known):
            module.build(programs, phases)
    results = {}
    tests = [name for name in chosen if name not in ("python-bindings", "fuzz")]
    if tests:
        results = run(module, tests, pattern, options)
    if "fuzz" in chosen:
        results.update(run_fuzzers(module, options))
    if "python-bindings" in chosen:
        results["python-bindings"] = run_bindings(interpreter)
    return report(results, options.strict)
