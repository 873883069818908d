# SPDX-License-Identifier: GPL-2.0-only
"""The verb python: a virtual environment in which this repository is installed by pip."""

import ast
import glob
import hashlib
import os
import re
import sys

from . import packages, venv
from .build import environment, jobs
from .places import ROOT, WORK, lock
from .say import Phases, Progress, Stop, usage_error

# Files and folders of the repository that pip install . compiles, installs or reads.
SOURCES = (
    "CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake/*", "helper/**/*.*",
    "model/**/*.*", "python/backend/*.py", "python/ns3_rdma/*.json", "python/ns3_rdma/*.py",
)
STATUS = re.compile(r"^\s*\[(\d+)/(\d+)\] ")


def project(name):
    """The value of a line of pyproject.toml; Python has no reader for the file before 3.11."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as handle:
        found = re.search(rf"^{name} = (.*)$", handle.read(), re.M)
    return ast.literal_eval(found[1])


def check_python():
    """Stops where PyPI has no ns-3 for the Python that runs this."""
    first, end = re.match(r">=3\.(\d+),<3\.(\d+)$", project("requires-python")).groups()
    if not int(first) <= sys.version_info.minor < int(end):
        raise Stop(
            f"python needs a Python from 3.{first} to 3.{int(end) - 1}, for which PyPI has ns-3; "
            f"{sys.executable} is {sys.version.split()[0]}. With another one: "
            f"python3.{int(end) - 1} tools/with_ns3 python SCRIPT"
        )


def fingerprint():
    """A checksum over the files that are installed."""
    lines = [os.path.realpath(ROOT)]
    for pattern in SOURCES:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True)):
            if os.path.isfile(path):
                status = os.stat(path)
                lines.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def install(interpreter, phases):
    """Installs this repository, unless it is installed with its present sources."""
    folder = os.path.dirname(os.path.dirname(interpreter))
    stamp = os.path.join(folder, "with-ns3-installed")
    wanted = fingerprint()
    if venv.holds(stamp, wanted):
        phases.skip()
        return
    if os.path.exists(stamp):
        os.unlink(stamp)
    phases.begin(f"compiling this module for Python and installing it in {folder}")
    progress = Progress()

    def show(line):
        if match := STATUS.match(line):
            done, total = int(match[1]), int(match[2])
            progress.show(f"{100 * done // total:3d}% ({done} of {total})")

    # The build folder is kept, so that a change compiles only what has changed.
    build = os.path.join(WORK, os.path.basename(folder).replace("venv-", "build-", 1))
    command = [
        interpreter, "-m", "pip", "install", "-v", "--disable-pip-version-check", "--no-deps",
        "--no-build-isolation", "--config-settings", f"build-dir={build}", os.path.realpath(ROOT),
    ]
    env = {**environment(), "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs())}
    venv.run(command, os.path.join(WORK, f"{os.path.basename(folder)}-install.log"), env, show)
    progress.clear()
    with open(stamp, "w", encoding="ascii") as handle:
        handle.write(wanted)


def interpreter_with_module(phases):
    """The interpreter of an environment in which "from ns import ns" has this module.

    Takes up to three steps. The caller holds the lock of WORK.
    """
    check_python()
    wanted = ("g++", "cmake", "ninja-build")
    packages.ensure(
        {**{name: packages.BUILD[name] for name in wanted}, **packages.PYTHON}, phases
    )
    requirements = [*project("dependencies"), *project("requires")]
    interpreter = venv.environment("python", requirements, "import cppyy, pandas", phases)
    install(interpreter, phases)
    return interpreter


def main(arguments, execute):
    """python SCRIPT [ARGS]"""
    if not arguments:
        raise usage_error("python needs a script")
    if not os.path.exists(arguments[0]) and arguments[0] not in ("-c", "-m", "-"):
        found = glob.glob(os.path.join(ROOT, "examples", "*.py"))
        names = " ".join(sorted(os.path.relpath(path, ROOT) for path in found)) or "none yet"
        raise usage_error(f"there is no script '{arguments[0]}'; this module's: {names}")
    phases = Phases()
    phases.expect(3)
    with lock(WORK):
        interpreter = interpreter_with_module(phases)
    return execute([interpreter, *arguments])
