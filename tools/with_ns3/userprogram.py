# SPDX-License-Identifier: GPL-2.0-only
"""Builds a user's own source file against the build, for run FILE.cc."""

import glob
import hashlib
import json
import os
import shlex
import subprocess

from .build import MODULES, MORE_MODULES, environment
from .say import Stop


def flags(module):
    """The compiler and the options that the module's own programs are compiled with."""
    path = os.path.join(module.folder, "compile_commands.json")
    with open(path, encoding="utf-8") as handle:
        for entry in json.load(handle):
            if "/examples/rdma-first.cc" in entry["file"]:
                words = shlex.split(entry["command"])
                words = words[next(i for i, word in enumerate(words) if word.endswith("++")):]
                return words[:words.index("-o")]
    raise Stop(f"{path} has no example of this module to take the compiler's options from")


def libraries(module):
    """The libraries of this module and of ns-3 that a program may use."""
    found = glob.glob(os.path.join(module.folder, "lib", "libns3*-rdma*.so"))
    for name in (*MODULES, *MORE_MODULES):
        pattern = os.path.join(module.folder, "ns-3", "lib", f"libns3*-{name}*.so")
        exact = [path for path in glob.glob(pattern) if _is_module(path, name)]
        found += exact[:1]
    return found


def _is_module(path, name):
    """Whether a file is the library of this module, and not of a module with a longer name."""
    _, _, rest = os.path.basename(path).partition(f"-{name}")
    return rest.split(".so")[0] in ("", "-default", "-debug", "-optimized", "-release")


def up_to_date(target, depends):
    """Whether target is newer than all files that the compiler read for it."""
    if not os.path.exists(target) or not os.path.exists(depends):
        return False
    with open(depends, encoding="utf-8", errors="replace") as handle:
        _, _, names = handle.read().replace("\\\n", " ").partition(":")
    built = os.path.getmtime(target)
    return all(os.path.exists(name) and os.path.getmtime(name) <= built for name in shlex.split(names))


def call(command, module):
    """Runs a compiler; its output goes to the user."""
    done = subprocess.run(command, cwd=module.folder, env=environment(), check=False)
    if done.returncode != 0:
        raise Stop("it does not compile (above)")


def make(source, module):
    """Compiles and links source; returns the program. Its folder is searched for its headers."""
    path = os.path.realpath(source)
    compiler, *options = flags(module)
    key = hashlib.sha256(shlex.join([path, *options]).encode()).hexdigest()[:8]
    folder = os.path.join(os.path.dirname(module.folder), "own", key)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
    depends = program + ".d"
    found = libraries(module)
    if up_to_date(program, depends) and all(
        os.path.getmtime(each) <= os.path.getmtime(program) for each in found
    ):
        return program
    call([compiler, *options, "-MMD", "-MF", depends, "-o", program + ".o", "-c", path], module)
    places = [os.path.join(module.folder, "lib"), os.path.realpath(f"{module.folder}/ns-3/lib")]
    command = [compiler, program + ".o", "-Wl,--no-as-needed", *found]
    command += [f"-Wl,-rpath,{place}" for place in places]
    call([*command, "-o", program], module)
    return program


def in_tree_environment(found):
    """The environment of scripts for a build of this module inside an ns-3 tree."""
    env = dict(os.environ)
    output = found.settings["RDMA_NS3_BUILD"]
    folders = [os.path.join(output, "contrib", "rdma", name) for name in ("examples", "bench")]
    env["PATH"] = os.pathsep.join([*folders, env.get("PATH", "")])
    # ns-3 calls programs ns3.37-rdma-fabric.
    env["RDMA_PROGRAM_PATTERN"] = f"ns{found.version}-%s"
    return env
