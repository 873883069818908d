# SPDX-License-Identifier: GPL-2.0-only
"""Builds a user's own source file against the build, for run FILE.cc."""

import glob
import hashlib
import json
import os
import shlex
import subprocess

from .build import environment
from .say import Stop


def flags(build):
    """The compiler and the options that the module's own programs are compiled with."""
    path = os.path.join(build.folder, "compile_commands.json")
    with open(path, encoding="utf-8") as handle:
        for entry in json.load(handle):
            if "/contrib/rdma/examples/" in entry["file"]:
                words = shlex.split(entry["command"])
                at = words.index("-o")
                return words[:at]
    raise Stop(f"{path} has no example of this module to take the compiler's options from")


def call(command, build):
    """Runs a compiler; what it says is the user's to read."""
    if subprocess.run(command, cwd=build.folder, env=environment(), check=False).returncode != 0:
        raise Stop("it does not compile (above): " + command[-1])


def make(source, build):
    """Compiles and links source; returns the program. Its folder is searched for its headers."""
    path = os.path.realpath(source)
    key = hashlib.sha256(path.encode()).hexdigest()[:8]
    name = f"{os.path.splitext(os.path.basename(path))[0]}-{key}"
    folder = os.path.join(build.beside("own"), name)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
    new, old = program + ".new.o", program + ".o"
    # ccache knows whether anything that the file includes has changed.
    launcher = ["ccache"] if "ccache" not in flags(build)[0] else []
    call([*launcher, *flags(build), "-o", new, "-c", path], build)
    libraries = sorted(
        path for path in glob.glob(os.path.join(build.output, "lib", "libns3*.so"))
        if "-test-" not in path
    )
    if os.path.exists(program) and _same(new, old):
        os.unlink(new)
        return program
    os.replace(new, old)
    compiler = next(word for word in flags(build) if os.path.basename(word) != "ccache")
    lib = os.path.join(build.output, "lib")
    command = [compiler, old, "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{lib}", "-o", program]
    call(command, build)
    return program


def _same(one, other):
    if not os.path.exists(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()
