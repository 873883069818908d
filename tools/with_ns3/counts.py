# SPDX-License-Identifier: GPL-2.0-only
"""Counts the cases that CTest's entries ran, from the output of the test programs."""

import dataclasses
import fnmatch
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
    # Name and reason of each skipped case.
    skips: tuple = ()


def count_units(output, passed):
    """Counts the tests in GoogleTest's output. A test that begins and does not end has crashed."""
    ok = re.findall(r"^\[       OK \] (\S+)", output, re.M)
    # The reason stands between the lines of the test's begin and end.
    reasons = dict(re.findall(
        r"^\[ RUN      \] (\S+)\n(?:(?!\[ ).*\n)*?.*: Skipped\n((?:(?!\[ ).*\n)*)", output, re.M
    ))
    skipped = re.findall(r"^\[  SKIPPED \] (\S+) \(", output, re.M)
    failed = re.findall(r"^\[  FAILED  \] (\S+?),? .*\(\d+ ms\)", output, re.M)
    ended = {*ok, *skipped, *failed}
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    crashed = [name for name in begun if name not in ended]
    if not passed and not failed and not crashed:
        crashed = ["after the last test"]
    skips = tuple((name, " ".join(reasons.get(name, "").split())) for name in skipped)
    return Result(len(ok), len(failed) + len(crashed), len(skipped), (*failed, *crashed), skips)


def count_suite(output, passed):
    """The test cases of an ns-3 suite: the lines that no line with more indentation follows."""
    lines = re.findall(r"^( *)(PASS|FAIL|CRASH|SKIP) (.*?) \S+ s$", output, re.M)
    result = Result()
    failed, skips = [], []
    suite = lines[0][2] if lines else ""
    for index, (indent, outcome, name) in enumerate(lines):
        below = len(lines[index + 1][0]) if index + 1 < len(lines) else 0
        if below > len(indent):
            continue
        if outcome == "PASS":
            result.passed += 1
        elif outcome == "SKIP":
            result.skipped += 1
            skips.append((f"{suite}: {name}", "longer than the tests that run by default"))
        else:
            result.failed += 1
            failed.append(name)
    result.skips = tuple(skips)
    if not passed and not result.failed:
        result.failed += 1
        failed.append("ended before its report")
    result.names = tuple(failed)
    return result


def count_program(_output, passed):
    """A program that has passed if it ends with status 0."""
    return Result(passed=1) if passed else Result(failed=1, names=("exit status",))


def count_python(output, passed):
    """unittest's output.

    A test's line begins with "test_a (module.Class.test_a)", before Python 3.11 "test_a (module.Class)".
    The result of a test with a docstring stands on the docstring's line.
    """
    skips = []
    for method, place, reason in re.findall(
        r"^(\w+) \(([\w.]+)\)[^\n]*?(?:\n(?!\w+ \([\w.]+\))[^\n]*?)?\.\.\. skipped (.*)$", output, re.M
    ):
        name = place if place.endswith(f".{method}") else f"{place}.{method}"
        skips.append((name, reason.strip("'\"")))
    result = Result(
        len(re.findall(r"\.\.\. ok$", output, re.M)),
        len(re.findall(r"\.\.\. (?:FAIL|ERROR)$", output, re.M)),
        len(re.findall(r"\.\.\. skipped", output, re.M)),
    )
    # unittest's own numbers also have the tests whose line was broken up by what they print.
    closing = re.search(r"^Ran (\d+) tests? in .*\n+(?:OK|FAILED)(.*)$", output, re.M)
    if closing:
        numbers = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", closing[2])}
        result.failed = numbers.get("failures", 0) + numbers.get("errors", 0)
        result.skipped = numbers.get("skipped", 0)
        result.passed = max(0, int(closing[1]) - result.failed - result.skipped)
    result.skips = tuple(skips)
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", output, re.M)
    if not passed and not result.failed:
        result.failed = 1
    result.names = tuple(failed)
    return result


def count_closing_line(output, passed):
    """A program whose last line is "N passed, N failed, N skipped"."""
    match = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.M)
    result = Result(*map(int, match.groups())) if match else Result()
    result.skips = tuple(re.findall(r"^([\w.-]+): skipped: (.*)$", output, re.M))
    if not passed and not result.failed:
        result.failed = 1
    return result


def name_skips(result, entry):
    """Makes the names of skips unique among all entries, and gives a name to those that have none."""
    # Names of runs of the golden set are unique within an entry alone.
    named = [
        (case if "." in case or ":" in case else f"{entry} {case}", reason)
        for case, reason in result.skips
    ]
    unnamed = [(entry, "see its output")] * (result.skipped - len(named))
    result.skips = (*named, *unnamed)


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
            results[name] = result = counter(name)(output, passed)
            name_skips(result, name)
    return results


class SkipList:
    """The tests that may be skipped where all programs and packages are installed, and why.

    A line of the file is NAME | REASON. NAME may have the wildcards of file names; lines that begin
    with # are comments.
    """

    def __init__(self, text):
        self.reasons = {}
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                pattern, _, reason = line.partition(" | ")
                if not reason.strip():
                    raise ValueError(f"test/skips.txt: '{line}' is not NAME | REASON")
                self.reasons[pattern.strip()] = reason.strip()

    def reason(self, name):
        """Why this test may be skipped, or None."""
        return next(
            (why for pattern, why in self.reasons.items() if fnmatch.fnmatchcase(name, pattern)), None
        )

    def enforce(self, results):
        """Turns skips that are not listed into failures."""
        for result in results.values():
            unlisted = [(name, why) for name, why in result.skips if self.reason(name) is None]
            result.skipped -= len(unlisted)
            result.failed += len(unlisted)
            result.skips = tuple(skip for skip in result.skips if skip not in unlisted)
            result.names += tuple(
                f"{name} (skipped: {why}; not in test/skips.txt)" for name, why in unlisted
            )
