# SPDX-License-Identifier: GPL-2.0-only
"""The programs and libraries of the system that a build needs, and how they get there."""

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


# Debian package -> whether what it brings is here.
BUILD = {
    "g++": program("c++", "g++"),
    "cmake": program("cmake"),
    "ninja-build": program("ninja"),
    "ccache": program("ccache"),
    "libgsl-dev": file("/usr/include/gsl/gsl_version.h", "/usr/local/include/gsl/gsl_version.h"),
}
TEST = {
    "libgtest-dev": file("/usr/include/gtest/gtest.h", "/usr/local/include/gtest/gtest.h"),
    # Judges captures, together with scapy, which comes from PyPI.
    "tshark": program("tshark"),
    "python3-venv": lambda: _importable("ensurepip") and _importable("venv"),
}
FUZZ = {
    "clang": program("clang++"),
    "libclang-rt-dev": fuzzer_runtime,
}
PYTHON = {
    "python3-venv": TEST["python3-venv"],
    "python3-dev": _has_python_header,
}


def missing(wanted):
    """The packages of wanted whose content is not here."""
    return [name for name, present in wanted.items() if not present()]


def install(names, phases):
    """Installs packages with apt; stops with the command to type where that cannot be done."""
    command = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    if not shutil.which("apt-get"):
        raise Stop(
            "needed and not here: " + ", ".join(names) + " (names of Debian packages; "
            "this system has no apt-get, please install their equivalents)"
        )
    if os.geteuid() != 0:
        can_ask = sys.stdin.isatty()
        sudo = shutil.which("sudo")
        if sudo and not can_ask:
            quiet = subprocess.run([sudo, "-n", "true"], capture_output=True, check=False)
            sudo = sudo if quiet.returncode == 0 else None
        if not sudo:
            raise Stop(
                "these packages are needed, and neither root nor sudo is at hand. Please run:\n"
                "    sudo " + " ".join(command)
            )
        command.insert(0, sudo)
    phases.begin("installing " + " ".join(names) + ": " + " ".join(command))
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    options = ["-q", "-o", "DPkg::Lock::Timeout=300"]
    at = command.index("install")
    command[at:at] = options

    def run(words):
        return subprocess.run(
            words, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )

    result = run(command)
    if result.returncode != 0:
        # The usual reason on a fresh machine: apt has no package lists yet, or old ones.
        note("apt-get could not; updating its package lists")
        run([*command[:at], *options, "update"])
        # Releases differ in how they cut up clang; ensure() looks at what is there afterwards.
        unknown = [name for name in names if run(["apt-cache", "show", name]).returncode != 0]
        result = run([word for word in command if word not in unknown])
    if result.returncode != 0:
        sys.stderr.write(result.stdout)
        raise Stop("apt-get failed (above): " + " ".join(command))


def ensure(wanted, phases):
    """Makes everything in wanted present."""
    names = missing(wanted)
    if not names:
        phases.skip()
        return
    install(names, phases)
    names = missing(wanted)
    if names:
        raise Stop("still not here after apt-get installed them: " + ", ".join(names))
