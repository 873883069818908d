# SPDX-License-Identifier: GPL-2.0-only
"""Parses the sources of a build as CMake would compile them, and writes no code."""

import json
import os
import shlex
import subprocess

# Targets of CMakeLists.txt whose sources it compiles in units.
TARGETS = ("rdma", "rdma-test-runner")


def commands(build):
    """The commands that parse the sources of the targets: {source: (folder, words)}.

    build is a build that has been configured.
    """
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as handle:
        entries = json.load(handle)
    result = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        output = words.index("-o")
        if words[output + 1].split("/")[1] in [f"{target}.dir" for target in TARGETS]:
            words[output:output + 2] = ["-fsyntax-only"]
            # Without ccache, which compiles.
            compiler = next(i for i, word in enumerate(words) if os.path.basename(word).endswith("++"))
            result[entry["file"]] = entry["directory"], words[compiler:]
    return result


def parse(command):
    """Runs one of the commands; returns its messages, which are empty if the source is correct."""
    folder, words = command
    done = subprocess.run(words, cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr if done.returncode else ""
