# SPDX-License-Identifier: GPL-2.0-only
"""The programs and libraries of the system that a build needs, and their installation."""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig

from .say import Stop, note


def program(*names):
    """A check for a program under any of these names."""
    return lambda: any(shutil.which(name) for name in names)


def file(*patterns):
    """A check for a file that matches any of these patterns."""
    return lambda: any(glob.glob(pattern) for pattern in patterns)


def fuzzer_runtime():
    """Whether clang can link a libFuzzer program."""
    if not shutil.which("clang++"):
        return False
    found = subprocess.run(
        ["clang++", "-print-resource-dir"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(glob.glob(f"{found}/lib/*/libclang_rt.fuzzer*.a"))


def _importable(module):
    return importlib.util.find_spec(module) is not None


def _has_python_header():
    return os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))


# Debian package -> check whether its files are installed.
BUILD = {
    "g++": program("c++", "g++"),
    "cmake": program("cmake"),
    "ninja-build": program("ninja"),
    "libgsl-dev": file("/usr/include/gsl/gsl_version.h", "/usr/local/include/gsl/gsl_version.h"),
}
# For building ns-3 itself: with ccache, a second build takes half of the time.
NS3 = {
    "ccache": program("ccache"),
}
TEST = {
    "libgtest-dev": file("/usr/include/gtest/gtest.h", "/usr/local/include/gtest/gtest.h"),
}
# What some tests use, which are skipped without it.
TEST_TOOLS = {
    # tshark checks captures, together with scapy, which comes from PyPI.
    "tshark": program("tshark"),
    "doxygen": program("doxygen"),
    "git": program("git"),
    "python3-venv": lambda: _importable("ensurepip") and _importable("venv"),
}
FUZZ = {
    "clang": program("clang++"),
    "libclang-rt-dev": fuzzer_runtime,
}
MPI = {
    "libopenmpi-dev": program("mpicxx"),
    "openmpi-bin": program("mpirun"),
}
PYTHON = {
    "python3-venv": TEST_TOOLS["python3-venv"],
    "python3-dev": _has_python_header,
}


def missing(wanted):
    """The packages of wanted whose files are missing."""
    return [name for name, present in wanted.items() if not present()]


def sudo_prefix():
    """The prefix of a command of apt: empty for root, sudo where it works, None elsewhere."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and not sys.stdin.isatty():
        quiet = subprocess.run([sudo, "-n", "true"], capture_output=True, check=False)
        sudo = sudo if quiet.returncode == 0 else None
    return [sudo] if sudo else None


def apt_get(prefix, *words):
    """Runs apt-get; returns its exit status and output."""
    done = subprocess.run(
        [*prefix, "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=2", *words],
        env=dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C"), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    return done.returncode, done.stdout


def update():
    """Has apt fetch its package lists, where that is possible."""
    prefix = sudo_prefix()
    if shutil.which("apt-get") and prefix is not None:
        note("updating apt's package lists")
        apt_get(prefix, "update")


def install(names, phases):
    """Installs packages with apt; if that is impossible, stops with the command to type."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    if not shutil.which("apt-get"):
        raise Stop(
            "needed and not here: " + ", ".join(names) + " (names of Debian packages; "
            "this system has no apt-get, please install their equivalents)"
        )
    prefix = sudo_prefix()
    if prefix is None:
        raise Stop(
            "these packages are needed, and neither root nor sudo is at hand. Please run:\n"
            "    sudo " + " ".join(command)
        )
    phases.begin("installing " + " ".join(names) + ": " + " ".join([*prefix, *command]))
    status, text = apt_get(prefix, *command[1:])
    if status != 0:
        # The usual reason on a fresh machine: apt has no package lists yet, or old ones.
        update()
        # Releases divide clang into packages differently; ensure() checks the result afterwards.
        known = [name for name in names if _known(name)]
        status, text = apt_get(prefix, *command[1:-len(names)], *(known or names))
    if status != 0:
        lines = [line for line in text.splitlines() if line.startswith(("E:", "W:", "Err:"))]
        sys.stderr.write("\n".join(lines[-5:] or text.splitlines()[-5:]) + "\n")
        raise Stop(
            "apt-get failed (above). Where there is no network or no room on the disk, mend that and "
            "start again; or install by hand: sudo " + " ".join(command)
        )


def _known(name):
    """Whether apt knows a package of this name."""
    return subprocess.run(["apt-cache", "show", name], capture_output=True, check=False).returncode == 0


def ensure(wanted, phases):
    """Installs the missing packages of wanted."""
    names = missing(wanted)
    if not names:
        phases.skip()
        return
    install(names, phases)
    names = missing(wanted)
    if names:
        raise Stop(
            "still not here after apt-get installed them: " + ", ".join(names) + ". Please run:\n"
            "    sudo apt-get install --reinstall " + " ".join(names)
        )
