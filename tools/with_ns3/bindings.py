# SPDX-License-Identifier: GPL-2.0-only
"""The verb python: a virtual environment with cppyy, and a build whose bindings load this module."""

import glob
import os
import re
import subprocess
import sys

from . import packages, venv
from .build import Build, library_target, library_targets
from .places import ROOT, WORK, lock
from .say import Phases, usage_error

# For ns-3 3.37 and 3.38, whose trees do not say which release of cppyy they go with.
CPPYY = "2.4.2"
# Releases before this one cannot be installed for Python 3.12 and newer. ns-3 3.37 works with it.
CPPYY_PYTHON_3_12 = "3.5.0"


def cppyy_release(tree):
    """The release of cppyy that the tree asks for in its packaging files, if Python allows."""
    if sys.version_info >= (3, 12):
        return CPPYY_PYTHON_3_12
    for name in ("setup.cfg", "pyproject.toml"):
        path = os.path.join(tree.path, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as handle:
                if match := re.search(r"cppyy==([\d.]+)", handle.read()):
                    return match[1]
    return CPPYY


def write_lock_file(build):
    """What the bindings read to find the build that they belong to.

    They look upwards from themselves for a folder with an entry "ns3", which would be the source
    tree; its file is of the build that was configured last. 3.37 loads only the modules of the
    first list.
    """
    os.makedirs(os.path.join(build.output, "ns3"), exist_ok=True)
    pattern = f"libns{build.tree.version}-*{build.suffix()}.so"
    names = [os.path.basename(path) for path in glob.glob(os.path.join(build.output, "lib", pattern))]
    start, end = len(f"libns{build.tree.version}-"), -len(f"{build.suffix()}.so")
    modules = sorted(f"ns3-{name[start:end]}" for name in names)
    text = (
        f"out_dir = {build.output!r}\nNS3_ENABLED_MODULES = {modules!r}\n"
        "NS3_ENABLED_CONTRIBUTED_MODULES = []\nBUILD_PROFILE = 'release'\n"
        f"VERSION = {build.tree.version!r}\n"
    )
    with open(
        os.path.join(build.output, f".lock-ns3_{sys.platform}_build"), "w", encoding="utf-8"
    ) as handle:
        handle.write(text)


def link_system_libraries(build):
    """A folder of links to the system's libraries that ns-3 is linked with, for the bindings.

    They look for each of them, but only beside the interpreter's own library and in the folders of
    LD_LIBRARY_PATH, and in those recursively.
    """
    folder = os.path.join(build.output, "system-libraries")
    os.makedirs(folder, exist_ok=True)
    libraries = glob.glob(os.path.join(build.output, "lib", "libns3*.so"))
    listing = subprocess.run(["ldd", *libraries], capture_output=True, text=True, check=False).stdout
    for name, path in set(re.findall(r"^\s*(lib\S+) => (/\S+)", listing, re.M)):
        link = os.path.join(folder, name)
        if not name.startswith("libns3") and not os.path.lexists(link):
            os.symlink(path, link)
    return folder


def main(arguments, prepare, execute):
    """python SCRIPT [ARGS]"""
    if not arguments:
        raise usage_error("python needs a script")
    if not os.path.exists(arguments[0]) and arguments[0] not in ("-c", "-m", "-"):
        found = glob.glob(os.path.join(ROOT, "examples", "*.py"))
        names = " ".join(sorted(os.path.relpath(path, ROOT) for path in found)) or "none yet"
        raise usage_error(f"there is no script '{arguments[0]}'; this module's: {names}")
    phases = Phases()
    with lock(WORK):
        tree = prepare({**packages.BUILD, **packages.PYTHON}, phases, 3)
        # The first import compiles cppyy's precompiled header.
        interpreter = venv.environment(
            "bindings", [f"cppyy=={cppyy_release(tree)}"],
            "import cppyy; cppyy.cppdef('int f() { return 0; }')", phases,
        )
        build = Build(tree, "python", {"Python3_EXECUTABLE": interpreter})
        build.configure(phases)
        build.make([*library_targets(tree), library_target(tree)], phases)
        write_lock_file(build)
        system = link_system_libraries(build)
    paths = [os.path.join(build.output, "bindings", "python"), os.path.join(ROOT, "python")]
    env = dict(os.environ)
    env["PYTHONPATH"] = os.pathsep.join([*paths, *filter(None, [env.get("PYTHONPATH")])])
    lib = os.path.join(build.output, "lib")
    env["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [lib, system, env.get("LD_LIBRARY_PATH")]))
    return execute([interpreter, *arguments], env)
