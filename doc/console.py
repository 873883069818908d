#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the commands in the documentation and compares their output with the documented output.

    tools/with-ns3 exec doc/console.py             ends with 1 if something differs
    tools/with-ns3 exec doc/console.py --update    writes the new output into the documentation

The documentation is the blocks of the language "console" in README.md and doc/*.rst. In a block, a
line that begins with "$ " is a command. Lines that begin with "> " or follow a backslash continue
the command. The lines up to the next command are its output. A line of three dots stands for any
lines.

Only commands that begin with one of RUN are run. The commands of a file are run in turn in one
folder, which is deleted afterwards. Commands that need tshark or matplotlib are run only where
these are installed.
"""

import difflib
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tools"))

import built_program  # noqa: E402

RUN = ("tools/with-ns3 run ", "tools/sweep --seeds", "python3 python/", "head ", "sha256sum ", "for ", "tshark ")
NO_DRAWING = "drawing needs matplotlib"
MARKDOWN = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# The block's lines are those that are indented, with empty ones between.
RST = re.compile(r"^( *)\.\. code-block:: console\n\n((?:\1 +.*\n|\n)+)", re.M)


def files():
    """The files with console blocks."""
    return [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(HERE, "*.rst")))]


def program(name):
    """The path of one of the build's programs, or None."""
    return built_program.find(name)


def make_folder(folder):
    """Makes the names that the commands use work in a folder without tools/with-ns3's builds."""
    os.mkdir(os.path.join(folder, "tools"))
    stub = os.path.join(folder, "tools", "with-ns3")
    with open(stub, "w", encoding="utf-8") as handle:
        handle.write("#!/bin/sh\nshift\nname=$1\nshift\ncase $name in\n")
        for source in sorted(glob.glob(os.path.join(ROOT, "examples", "*.cc"))):
            name = os.path.basename(source)[:-len(".cc")]
            path = program(name)
            if path is None:
                raise RuntimeError(f"{name} is not on the PATH; run this by tools/with-ns3 exec")
            handle.write(f'{name}) exec {shlex.quote(path)} "$@" ;;\n')
        handle.write("esac\necho no program $name >&2\nexit 2\n")
    os.chmod(stub, 0o755)
    os.symlink(os.path.join(ROOT, "tools", "sweep"), os.path.join(folder, "tools", "sweep"))
    for name in ("examples", "python"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def same(expected, actual):
    """Whether lines agree; an expected line "..." stands for any lines."""
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else re.escape(line + "\n") for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def updated(expected, actual):
    """The new output; "..." stays where the lines on both sides of it have not changed."""
    if "..." not in expected:
        return actual
    first = expected.index("...")
    rest = expected[first + 1:]
    keep = len(rest) if "..." not in rest else 0
    return actual[:first] + ["..."] + (actual[len(actual) - keep:] if keep else [])


def commands(lines):
    """Splits a block into parts: (command lines, output lines)."""
    parts = []
    for line in lines:
        if line.startswith("$ "):
            parts.append(([line], []))
        elif parts and not parts[-1][1] and goes_on(parts[-1][0], line):
            parts[-1][0].append(line)
        elif parts:
            parts[-1][1].append(line)
    return parts


def goes_on(command, line):
    """Whether a line belongs to the command before it."""
    return line.startswith("> ") or command[-1].endswith("\\")


class Checker:
    """Runs the blocks of one file."""

    def __init__(self, folder):
        self.folder = folder
        self.differences = []

    def block(self, lines):
        """Runs a block's commands; returns its lines with the output as it is now."""
        result = []
        for command, expected in commands(lines):
            result += command
            trailing = []
            while expected and not expected[-1]:
                trailing.append(expected.pop())
            text = "\n".join(re.sub(r"^[$>] ", "", line) for line in command)
            if not text.startswith(RUN) or text.startswith("tshark ") and not shutil.which("tshark"):
                result += expected + trailing
                continue
            env = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
            done = subprocess.run(
                ["sh", "-c", text], cwd=self.folder, env=env, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False,
            )
            actual = [line.rstrip() for line in done.stdout.splitlines()]
            if expected and not same(expected, actual):
                self.differences.append(
                    f"$ {text}\n" + "\n".join(difflib.ndiff(expected, actual))
                )
                expected = updated(expected, actual)
            elif not expected and done.returncode not in (0, 1) and NO_DRAWING not in done.stdout:
                self.differences.append(f"$ {text}\nended with {done.returncode}:\n{done.stdout}")
            result += expected + trailing
        return result

    def markdown(self, match):
        """A block of Markdown."""
        lines = self.block(match[1].splitlines())
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"

    def rst(self, match):
        """A block of reStructuredText."""
        lines = match[2].splitlines()
        indent = min(len(line) - len(line.lstrip()) for line in lines if line)
        lines = self.block([line[indent:] for line in lines])
        text = "".join((" " * indent + line if line else "") + "\n" for line in lines)
        return f"{match[1]}.. code-block:: console\n\n{text}"


def check(path):
    """Runs the blocks of a file; returns the differences and the text as it should be."""
    with open(path, encoding="utf-8") as handle:
        text = handle.read()
    with tempfile.TemporaryDirectory() as folder:
        make_folder(folder)
        checker = Checker(folder)
        if path.endswith(".md"):
            text = MARKDOWN.sub(checker.markdown, text)
        else:
            text = RST.sub(checker.rst, text)
    return checker.differences, text


def main(arguments):
    """Checks or updates all files; returns the exit status."""
    if arguments not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for path in files():
        try:
            differences, text = check(path)
        except (OSError, RuntimeError) as error:
            print(f"console.py: {error}", file=sys.stderr)
            return 2
        for difference in differences:
            print(f"{os.path.relpath(path, ROOT)}:\n{difference}\n")
        if differences and arguments:
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
        elif differences:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
