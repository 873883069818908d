# SPDX-License-Identifier: GPL-2.0-only
"""Puts the package ns3 into the environment of a build, and wheels that ns3 needs into pip's cache.

Both are done by the pip that runs the build, in a process of its own. That process knows pip's
configuration files and environment variables, and no option of the command line. Where a step here
does not work, nothing is lost but time: pip then takes the same step by itself.
"""

import contextlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile


def _pip(*arguments):
    """A command of the pip that runs this build: -I hides the environment of the build."""
    return [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", *arguments]


def _environment():
    """The environment of a command of pip: without the variables that pip sets for the backend."""
    hidden = ("PIP_BUILD_TRACKER", "PYTHONPATH", "PEP517_", "_PYPROJECT_HOOKS_")
    return {name: value for name, value in os.environ.items() if not name.startswith(hidden)}


def _is_run_by_pip():
    """Whether pip runs this build, and not another program that builds packages."""
    return "PIP_BUILD_TRACKER" in os.environ


def fetch(requirement):
    """Puts a package into the environment of the build, without the packages that it needs.

    Returns whether it is there. The environment is the folder in which pip has put
    scikit-build-core, and goes with that folder when the build has ended.
    """
    if not _is_run_by_pip():
        return False
    folder = importlib.metadata.distribution("scikit-build-core").locate_file("")
    command = _pip("install", "--quiet", "--no-deps", "--only-binary=:all:", "--target",
                   str(folder), requirement)
    result = subprocess.run(command, env=_environment(), capture_output=True, check=False)
    return result.returncode == 0


def _has_cache():
    """Whether pip keeps wheels that it has built; --no-cache-dir is not seen here."""
    command = _pip("cache", "dir")
    result = subprocess.run(command, env=_environment(), capture_output=True, check=False)
    return result.returncode == 0


def _to_compile():
    """The packages that ns3 requires; empty if the environment of the build has them already."""
    needs = importlib.metadata.distribution("ns3").requires or []
    try:
        importlib.metadata.distribution("cppyy")
    except importlib.metadata.PackageNotFoundError:
        return [need for need in needs if ";" not in need]
    return []


@contextlib.contextmanager
def dependencies_compiled():
    """Builds wheels of the packages that ns3 requires while the block runs; puts them into pip's cache."""
    needs = _to_compile() if _is_run_by_pip() and _has_cache() else []
    if not needs:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="ns3-rdma-") as folder:
        command = _pip("wheel", "--quiet", "--wheel-dir", folder, *needs)
        with subprocess.Popen(
            command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as compiling:
            try:
                yield
            except BaseException:
                compiling.terminate()
                raise
            if compiling.wait() != 0:
                print(f"could not compile {', '.join(needs)} beside this module; pip does it next")
