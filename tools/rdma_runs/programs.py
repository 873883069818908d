# SPDX-License-Identifier: GPL-2.0-only
"""Finds the programs of the runs, builds those that are missing, and determines the commit of each."""

import os
import subprocess

import built_program
from with_ns3 import ns3, packages, userprogram
from with_ns3.build import MODULES, MORE_MODULES, Module, listed_programs
from with_ns3.places import ROOT, WORK, lock
from with_ns3.say import Phases, Stop

# Files on which the results of a program depend.
SOURCES = ("CMakeLists.txt", "cmake", "examples", "helper", "model")


def locate(names, folder=None):
    """The path of each program: from a folder, else from the PATH, else from a build made here.

    A name with a slash is a path of the user's own program; FILE.cc is a source to compile, unless
    the folder or the PATH has a program of that name.
    """
    paths = {}
    for name in sorted(set(names)):
        if os.sep in name and not name.endswith(".cc"):
            if not os.access(name, os.X_OK):
                raise Stop(f"{name}: there is no such program", 2)
            paths[name] = os.path.abspath(name)
            continue
        stem = os.path.splitext(os.path.basename(name))[0]
        path = built_program.find(stem, folder)
        if path:
            paths[name] = os.path.abspath(path)
        elif folder and not name.endswith(".cc"):
            raise Stop(f"--programs={folder}: there is no {stem}", 2)
    missing = [name for name in sorted(set(names)) if name not in paths]
    return {**paths, **build(missing)} if missing else paths


def build(names):
    """Builds programs of the module and the users' own sources; returns their paths."""
    known = listed_programs("examples")
    own = [name for name in names if name.endswith(".cc")]
    unknown = [name for name in names if name not in known and name not in own]
    if unknown:
        raise Stop(f"there is no program '{unknown[0]}'; programs: {' '.join(known)}", 2)
    phases = Phases()
    phases.expect(5)
    modules = (*MODULES, *MORE_MODULES) if own else MODULES
    with lock(WORK):
        module = Module(ns3.choose(None, packages.BUILD, phases, modules=modules))
        module.make([name for name in names if name not in own] or ["rdma"], phases)
        return {
            name: userprogram.make(os.path.join(ROOT, name), module) if name in own
            else module.program(name) for name in names
        }


def git(folder, *words):
    """The output of git in a folder, or None."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def revision(path):
    """The last commit of the sources that a program was built from, with "+" if they were changed.

    A build leaves the commit in the file COMMIT beside its examples (cmake/rdma-commit.cmake).
    Without such a file beside a program, its sources are those of the repository that contains
    the program, in their present state.
    """
    folder = os.path.dirname(os.path.realpath(path))
    try:
        with open(os.path.join(folder, "COMMIT"), encoding="ascii") as handle:
            return handle.read().strip()
    except FileNotFoundError:
        pass
    root = git(folder, "rev-parse", "--show-toplevel")
    commit = root and git(root, "log", "-1", "--abbrev=10", "--format=%h", "--", *SOURCES)
    if not commit:
        return "unknown"
    present = [name for name in SOURCES if os.path.exists(os.path.join(root, name))]
    return commit + ("+" if git(root, "status", "--porcelain", "--", *present) else "")
