# SPDX-License-Identifier: GPL-2.0-only
"""Builds a user's own source file against the build, for run FILE.cc."""

import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

from .build import MODULES, MORE_MODULES, environment
from .say import Stop

INCLUDE = re.compile(r'^\s*#\s*include\s+["<](?:ns3/)?([\w.-]+)[">]', re.M)
# How gcc and clang report a header of ns-3 that does not exist.
NO_HEADER = re.compile(
    r"^(.+?:\d+):\d+: fatal error: '?ns3/([\w.-]+)(?:: No such file|' file not found)", re.M
)


class MissingModule(Stop):
    """A header or a library of ns-3 that the ns-3 at hand does not have."""

    def __init__(self, message, header):
        super().__init__(message)
        self.header = header


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


def modules_of_headers(module):
    """The module of each header of the ns-3 at hand, which a header X-module.h lists for the module X."""
    found = {}
    for path in sorted(glob.glob(os.path.join(module.folder, "ns-3", "include", "ns3", "*-module.h"))):
        name = os.path.basename(path)
        owner = name[:-len("-module.h")]
        if owner == "rdma":
            continue  # this repository's, and not one that is installed
        with open(path, encoding="utf-8", errors="replace") as handle:
            found.update(dict.fromkeys([name, *INCLUDE.findall(handle.read())], owner))
    return found


def modules_read(depends, module):
    """The modules of ns-3 whose headers the compiler has read."""
    owners = modules_of_headers(module)
    headers = {
        os.path.basename(name) for name in dependencies(depends)
        if os.path.basename(os.path.dirname(name)) == "ns3"
    }
    return sorted({owners[name] for name in headers if name in owners})


def libraries(module, names):
    """The libraries of this module and of these modules of ns-3, and of those that programs often use."""
    found = glob.glob(os.path.join(module.folder, "lib", "libns3*-rdma*.so"))
    for name in dict.fromkeys([*MODULES, *MORE_MODULES, *names]):
        pattern = os.path.join(module.folder, "ns-3", "lib", f"libns3*-{name}*.so")
        exact = [path for path in glob.glob(pattern) if _is_module(path, name)]
        found += exact[:1]
        if not exact and name in names:
            raise MissingModule(
                f"ns-3 {module.ns3.version} as it is here has headers of {name}, but no library of it "
                f"({pattern})", f"{name}-module.h"
            )
    return found


def _is_module(path, name):
    """Whether a file is the library of this module, and not of tap-bridge or csma-layout."""
    profile = "(?:-(?:default|debug|optimized|release|relwithdebinfo|minsizerel))?"
    release = r"(?:\.\d[\d.]*(?:-rc\d+)?|-dev)?"
    return re.fullmatch(rf"libns3{release}-{re.escape(name)}{profile}\.so", os.path.basename(path))


def dependencies(depends):
    """The files that the compiler read."""
    with open(depends, encoding="utf-8", errors="replace") as handle:
        _, _, names = handle.read().replace("\\\n", " ").partition(":")
    return shlex.split(names)


def up_to_date(target, depends):
    """Whether target is newer than all files that the compiler read for it."""
    if not os.path.exists(target) or not os.path.exists(depends):
        return False
    built = os.path.getmtime(target)
    return all(
        os.path.exists(name) and os.path.getmtime(name) <= built for name in dependencies(depends)
    )


def call(command, module):
    """Runs a compiler; its output goes to the user, unless a header of ns-3 is missing."""
    colours = ["-fdiagnostics-color=always"] if sys.stderr.isatty() else []
    done = subprocess.run(
        [*command, *colours], cwd=module.folder, env=environment(), check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
    )
    if done.returncode != 0:
        missing = NO_HEADER.search(re.sub(r"\x1b\[[\d;]*[mK]", "", done.stdout))
        if missing:
            modules = sorted(set(modules_of_headers(module).values()))
            raise MissingModule(
                f"{missing[1]}: ns-3 {module.ns3.version} as it is here has no ns3/{missing[2]}; its "
                f"modules: {' '.join(modules)}", missing[2]
            )
    sys.stderr.write(done.stdout)
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
    if up_to_date(program, depends) and all(
        os.path.getmtime(each) <= os.path.getmtime(program)
        for each in libraries(module, modules_read(depends, module))
    ):
        return program
    # -MD, and not -MMD: an installed ns-3 is among the headers of the system.
    call([compiler, *options, "-MD", "-MF", depends, "-o", program + ".o", "-c", path], module)
    found = libraries(module, modules_read(depends, module))
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
