# SPDX-License-Identifier: GPL-2.0-only
"""Chooses the ns-3 that this module is built against: an installed one, or a source tree's build."""

import dataclasses
import glob
import os
import re
import shutil
import subprocess

from . import packages, source
from .build import MODULES, build_ns3
from .say import Stop, note

OLDEST = (3, 37)
PACKAGE = "libns3-dev"
CHOICES = ("package", "source")
PREFIXES = ("/usr/local", "/usr")


@dataclasses.dataclass(frozen=True)
class Ns3:
    """An ns-3 to build against."""

    version: str
    # Name of the folder for this module's builds against this ns-3.
    key: str
    # CMake's settings with which this module finds this ns-3.
    settings: dict
    # Where this ns-3 is, and why it was chosen.
    origin: str
    # The source tree, or empty for an installed ns-3.
    tree: str = ""


def numbers(version):
    """3.37-2 as (3, 37); a development tree is newer than all releases."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (3, 999)


def installed():
    """The prefix and release of an ns-3 that is installed here, or (None, None)."""
    for prefix in PREFIXES:
        if not os.path.exists(os.path.join(prefix, "include", "ns3", "core-module.h")):
            continue
        for path in glob.glob(f"{prefix}/lib*/libns3*-core*.so") + glob.glob(
            f"{prefix}/lib/*/libns3*-core*.so"
        ):
            name = os.path.realpath(path)
            match = re.search(r"libns3\.(\d+)[^/]*-core", name) or re.search(r"\.so\.(\d+)$", name)
            folder, base = os.path.split(path)
            needed = [os.path.join(folder, base.replace("-core", f"-{each}")) for each in MODULES]
            if match and all(os.path.exists(each) for each in needed):
                return prefix, f"3.{match[1]}"
    return None, None


def _output(*command):
    if not shutil.which(command[0]):
        return ""
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    ).stdout


def offered():
    """The release of ns-3 that this system's package has, or None."""
    match = re.search(r"Candidate: (\d\S*)", _output("apt-cache", "policy", PACKAGE))
    return match[1] if match else None


def half_installed():
    """Whether dpkg lists the package as installed although some of its files are missing."""
    return _output("dpkg-query", "-W", "-f=${Status}", PACKAGE) == "install ok installed"


def from_package(wanted, phases, required):
    """An installed ns-3, or the distribution's, after its installation; None if there is none."""
    prefix, version = installed()
    if not prefix and half_installed():
        raise Stop(
            f"the package {PACKAGE} is installed, but files of it are gone. Please run:\n"
            f"    sudo apt-get install --reinstall {PACKAGE} "
            "$(dpkg-query -W -f='${Depends}' " + PACKAGE + " | grep -o 'libns3[^ ,]*')\n"
            "or use tools/with-ns3 --ns3=source"
        )
    if not prefix:
        if not offered():
            packages.update()
        version = offered()
        if version and numbers(version) >= OLDEST:
            packages.ensure({**wanted, PACKAGE: lambda: installed()[0] is not None}, phases)
            prefix, version = installed()
    if prefix and numbers(version) >= OLDEST:
        packages.ensure(wanted, phases)
        return Ns3(version, f"package-{version}", {}, f"installed in {prefix}")
    if required:
        what = f"has ns-3 {version}" if version else f"has no package {PACKAGE}"
        raise Stop(f"--ns3=package: this system {what}; this module needs 3.37 or newer", 2)
    return None


def from_source(wanted, phases, profile, modules):
    """The build of a source tree; missing libraries of modules are built."""
    packages.ensure({**wanted, **packages.NS3}, phases)
    tree = source.get(phases)
    output = build_ns3(tree, profile, modules, phases)
    key = f"{os.path.basename(tree.path)}-{profile}"
    return Ns3(tree.version, key, {"RDMA_NS3_BUILD": output}, tree.origin, tree.path)


def choose(wish, wanted, phases, profile="release", modules=None):
    """The ns-3 to use; prints the choice and its reason.

    wish is "package", "source" or None; wanted are the packages that the build needs beside ns-3.
    """
    tree, reason = source.users_tree()
    if wish is None and not tree and profile == "release":
        found = from_package(wanted, phases, False)
        if found:
            why = "--ns3=source or NS3_DIR=TREE: another one"
        else:
            found = from_source(wanted, phases, profile, modules)
            why = f"this system has no package {PACKAGE} of 3.37 or newer"
    elif wish == "package":
        found, why = from_package(wanted, phases, True), "--ns3=package"
    else:
        found = from_source(wanted, phases, profile, modules)
        why = reason or ("--ns3=source" if wish else "built for it: benchmarks, or asserts")
    note(f"ns-3 {found.version}: {found.origin} ({why})")
    return found
