# SPDX-License-Identifier: GPL-2.0-only
"""Runs the commands of a check of tools/check-all, keeps their logs and counts their tests."""

import os
import re
import shlex
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


class Fail(Exception):
    """Ends a check with one message."""


class Missing(Fail):
    """Ends a check that cannot begin, and is not recorded."""


def first(pattern, text, otherwise):
    """The text that the group of the pattern matches, or otherwise."""
    match = re.search(pattern, text, re.M)
    return match[1] if match else otherwise


def text_of(*path):
    """The text of a file."""
    with open(os.path.join(*path), encoding="utf-8", errors="replace") as handle:
        return handle.read()


def output_of(*command):
    """The output of a short command; empty if there is no such program."""
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout


def compiler(program):
    """A compiler's name and release."""
    if not shutil.which(program):
        raise Missing(f"there is no {program}")
    return program + " " + first(r"(\d+\.\d+)", output_of(program, "--version"), "?")


class Steps:
    """The commands of a check, each with a log in the check's folder."""

    def __init__(self, folder):
        self.folder = folder
        self.row = {}  # the check's line of a table, by column
        self.failed = []  # messages

    def path(self, *names):
        """A path in the check's folder."""
        return os.path.join(self.folder, *names)

    def run(self, log, *command, cwd=ROOT, env=None, must=False):
        """Runs a command, with its output in LOG.log. If must is set, a failure ends the check."""
        path = self.path("log", log + ".log")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # ns-3's scripts refuse to run where USER is root.
        env = {**os.environ, "USER": "check-all", **(env or {})}
        with open(path, "w", encoding="utf-8") as handle:
            print(shlex.join(command), file=handle, flush=True)
            try:
                done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                                      stdout=handle, stderr=handle, check=False)
            except OSError as error:
                raise Missing(f"cannot run {command[0]}: {error.strerror}") from error
        done.stdout = text_of(path)
        if done.returncode and must:
            last = "\n".join(done.stdout.splitlines()[-5:])
            raise Fail(f"{shlex.join(command)} failed; the last lines of {path}:\n{last}")
        return done

    def step(self, log, *command, **keywords):
        """Prints the command and runs it, as run()."""
        print("   " + shlex.join(command), flush=True)
        return self.run(log, *command, **keywords)

    def count(self, column, passed, failed):
        """Notes how many tests have passed."""
        self.row[column] = f"{passed} passed" + (f", **{failed} failed**" if failed else "")
        if failed or not passed:
            self.failed.append(f"{column}: {self.row[column]}")
