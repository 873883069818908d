# SPDX-License-Identifier: GPL-2.0-only
"""Counts the cases that CTest's entries ran, from the output of the test programs."""

import dataclasses
import re

# An entry of CTest's log: its name, its output, and how it ended.
ENTRY = re.compile(
    r"^\d+/\d+ Test: (\S+)\n.*?^Output:\n-+\n(.*?)^<end of output>\n(.*?)^\"\1\" end time", re.M | re.S
)


@dataclasses.dataclass
class Result:
    """The result of an entry of CTest."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    names: tuple = ()


def count_units(output, passed):
    """Counts the tests in GoogleTest's output. A test that begins and does not end has crashed."""
    ok = re.findall(r"^\[       OK \] (\S+)", output, re.M)
    skipped = re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.M)
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? .*\(\d+ ms\)", output, re.M)
    ended = {*ok, *skipped, *failed}
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    crashed = [name for name in begun if name not in ended]
    if not passed and not failed and not crashed:
        crashed = ["after the last test"]
    return Result(len(ok), len(failed) + len(crashed), len(skipped), (*failed, *crashed))


def count_suite(output, passed):
    """The test cases of an ns-3 suite: the lines that no line with more indentation follows."""
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
    if not passed and not result.failed:
        result.failed += 1
        failed.append("ended before its report")
    result.names = tuple(failed)
    return result


def count_program(_output, passed):
    """A program that has passed if it ends with status 0."""
    return Result(passed=1) if passed else Result(failed=1, names=("exit status",))


def count_python(output, passed):
    """unittest's output."""
    result = Result(
        len(re.findall(r"\.\.\. ok$", output, re.M)),
        len(re.findall(r"\.\.\. (?:FAIL|ERROR)$", output, re.M)),
        len(re.findall(r"\.\.\. skipped", output, re.M)),
    )
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", output, re.M)
    if not passed and not result.failed:
        result.failed = 1
    result.names = tuple(failed)
    return result


def count_closing_line(output, passed):
    """A program whose last line is "N passed, N failed, N skipped"."""
    match = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.M)
    result = Result(*map(int, match.groups())) if match else Result()
    if not passed and not result.failed:
        result.failed = 1
    return result


def counter(name):
    """The function that counts the output of an entry, by the entry's name."""
    if name.startswith("unit-"):
        return count_units
    if name.startswith("example-") or name.startswith("fuzz-") or name.endswith("-write"):
        return count_program
    if name.startswith(("python-", "captures-")):
        return count_python
    return count_closing_line if name.startswith("golden") else count_suite


def count_log(text):
    """The results of all entries in CTest's log, by name. Fixtures do not count."""
    results = {}
    for name, output, end in ENTRY.findall(text):
        passed = re.search(r"^Test Passed\.$", end, re.M) is not None
        if not (passed and name.endswith("-write")):
            results[name] = counter(name)(output, passed)
    return results
