# SPDX-License-Identifier: GPL-2.0-only
"""Configures and builds ns-3's libraries from a source tree, and this module against an ns-3."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

from .places import ROOT, WORK
from .say import Progress, Stop, duration, note

# ns-3's modules that this module links (modules that these link come with them),
# and modules that users' own programs need in addition.
MODULES = ("core", "network", "internet", "traffic-control", "internet-apps", "applications")
MORE_MODULES = ("bridge", "csma", "flow-monitor", "point-to-point", "stats")

NS3 = {
    "NS3_EXAMPLES": "OFF",
    "NS3_TESTS": "OFF",
    "NS3_WARNINGS_AS_ERRORS": "OFF",
    "NS3_GTK3": "OFF",
    "NS3_SQLITE": "OFF",
    "NS3_EMU": "OFF",
    "NS3_TAP": "OFF",
    "NS3_VISUALIZER": "OFF",
    # No instructions of this processor alone: valgrind, which counts instructions, knows no AVX-512.
    "NS3_NATIVE_OPTIMIZATIONS": "OFF",
}
RELEASE = {"CMAKE_BUILD_TYPE": "release", "NS3_ASSERT": "OFF", "NS3_LOG": "OFF"}
NS3_PROFILES = {
    # What people run and measure.
    "release": RELEASE,
    # With asserts and logs, and with settings for a short compilation.
    "asserts": {
        "CMAKE_BUILD_TYPE": "default",
        "NS3_ASSERT": "ON",
        "NS3_LOG": "ON",
        "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O1 -g1",
        "CMAKE_CXX_FLAGS_DEFAULT": "-O1 -g1",
    },
    # For races between threads: the thread sanitizer has to see what ns-3 itself does.
    "threads": {
        **RELEASE,
        "CMAKE_CXX_FLAGS": "-fsanitize=thread -g1",
        "CMAKE_SHARED_LINKER_FLAGS": "-fsanitize=thread",
        "CMAKE_EXE_LINKER_FLAGS": "-fsanitize=thread",
        "NS3_PRECOMPILE_HEADERS": "OFF",
    },
    # For several ranks of MPI.
    "mpi": {
        **RELEASE,
        "NS3_ENABLED_MODULES": ";".join(MODULES + MORE_MODULES + ("mpi",)),
        "NS3_MPI": "ON",
    },
    # This module and ns-3 as static programs with link-time optimization, for the benchmark.
    "static": {
        **RELEASE,
        "NS3_ENABLED_MODULES": ";".join(MODULES + ("rdma",)),
        "NS3_FILTER_MODULE_EXAMPLES_AND_TESTS": "rdma",
        "NS3_EXAMPLES": "ON",
        "RDMA_BENCH": "ON",
        "NS3_STATIC": "ON",
        "NS3_LINK_TIME_OPTIMIZATION": "ON",
        "NS3_PRECOMPILE_HEADERS": "OFF",
        # Link-time optimization of gcc needs gcc's own linker. The first setting has its name in
        # 3.37, the second one its name in later releases.
        "USING_FAST_LINKER": "BFD",
        "NS3_FAST_LINKERS": "OFF",
    },
}
# This module: the settings of programs and tests.
RELEASE_FLAGS = "-O2 -DNDEBUG"

# Megabytes that a build may need on the disk.
ROOM = {"module": 600, "ns-3": 2500}

STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")
# A file of this repository in a compiler's message; ccache shortens paths to relative ones.
OWN = re.compile(r"contrib/rdma/|(?:\.\./)+(?:model|helper|examples|test|bench)/")
# Output of CMake, and of ninja when it reruns CMake: shown to the user only after a failure.
CHATTER = re.compile(r"^(-- |ninja: no work|ninja: Entering|\[0/|Re-run|Re-check)")


def environment():
    """The environment of compilers, such that all clones of this repository share ccache's results."""
    env = dict(os.environ)
    env.setdefault("CCACHE_BASEDIR", WORK)
    env.setdefault("CCACHE_NOHASHDIR", "1")
    return env


def jobs():
    """How many compilers to run: all cores, but 1.5 GB of memory for each."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(cores, memory // 1_500_000_000))


def check_room(kind):
    """Stops before a build for which the disk has no room."""
    free = shutil.disk_usage(WORK).free // 1_000_000
    if free < ROOM[kind]:
        raise Stop(f"{WORK}: {free} MB are free on this disk; building {kind} needs {ROOM[kind]} MB")


class Output:
    """Passes on compilers' messages on files of this repository, and all output after a failed step.

    Warnings in ns-3's own sources are not the user's.
    """

    def __init__(self):
        self.block = []
        self.failed = False

    def flush(self):
        """Ends the block of lines that belongs to one compiler run."""
        text = "".join(self.block)
        self.failed = self.failed or "FAILED:" in text or "ninja: error" in text
        if self.failed or OWN.search(text):
            sys.stderr.write(text)
        self.block = []

    def line(self, line):
        """Takes a line that is not ninja's status."""
        if line.strip() and not CHATTER.match(line):
            self.block.append(line)


def run_ninja(folder, targets, log, phases, what):
    """Builds targets; shows progress if there is anything to build."""
    command = ["ninja", "-C", folder, f"-j{jobs()}", *targets]
    env = environment()
    env["NINJA_STATUS"] = "[%f/%t] "
    begun = time.monotonic()
    progress = None
    output = Output()
    with open(log, "w", encoding="utf-8") as out, subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    ) as process:
        for line in process.stdout:
            out.write(line)
            match = STATUS.match(line)
            if not match:
                output.line(line)
                continue
            if progress:
                progress.clear()
            output.flush()
            done, total = int(match[1]), int(match[2])
            if done == 0:
                continue
            if progress is None:
                phases.begin(f"building {what} in {folder}")
                progress = Progress()
            name = os.path.basename(match[3].split()[-1]) if match[3].split() else ""
            progress.show(f"{100 * done // total:3d}% ({done} of {total}) {name}")
    if progress:
        progress.clear()
    output.failed = output.failed or process.returncode != 0
    output.flush()
    if process.returncode != 0:
        raise Stop(f"the build failed (above; all of it in {log})")
    if progress:
        note(f"      built in {duration(time.monotonic() - begun)}")
    else:
        phases.skip()


def run_cmake(source, folder, settings, log, phases, what, room="module"):
    """Configures folder, unless it already has this configuration."""
    stamp = os.path.join(folder, "with-ns3.json")
    wanted = json.dumps([source, settings, os.environ.get("CXX", "")], indent=0, sort_keys=True)
    if os.path.exists(stamp) and os.path.exists(os.path.join(folder, "build.ninja")):
        with open(stamp, encoding="utf-8") as handle:
            known = handle.read()
        if known == wanted:
            phases.skip()
            return
        if (old := json.loads(known)[0]) != source:
            note(f"{folder} was built from {old}, and CMake's builds cannot be moved: all of it is "
                 "built again")
    check_room(room)
    phases.begin(f"configuring {what}")
    os.makedirs(folder, exist_ok=True)
    for name in ("with-ns3.json", "CMakeCache.txt"):
        # Without CMake's cache, no setting of an earlier or interrupted run remains.
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    command = ["cmake", "-S", source, "-B", folder, "-G", "Ninja"]
    command += [f"-D{name}={value}" for name, value in settings.items()]
    result = subprocess.run(
        command, env=environment(), check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )
    with open(log, "w", encoding="utf-8") as handle:
        handle.write(" ".join(command) + "\n" + result.stdout)
    if result.returncode != 0:
        sys.stderr.write("\n".join(result.stdout.splitlines()[-40:]) + "\n")
        raise Stop(f"cmake failed (above; all of it in {log})")
    with open(stamp, "w", encoding="utf-8") as handle:
        handle.write(wanted)


def enabled_modules(modules, folder):
    """NS3_ENABLED_MODULES: the usual modules, those wanted, and those of the last configuration.

    A program that needs a further module thereby changes the configuration once, and not again when
    the next program does not need the module.
    """
    further = set(modules)
    stamp = os.path.join(folder, "with-ns3.json")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as handle:
            known = json.load(handle)[1].get("NS3_ENABLED_MODULES", "")
        further.update(filter(None, known.split(";")))
    return ";".join([*MODULES, *MORE_MODULES, *sorted(further.difference(MODULES, MORE_MODULES))])


def build_ns3(tree, profile, modules, phases):
    """Builds libraries of a source tree; returns the folder that holds them and the headers."""
    folder = os.path.join(tree.path, ".build", profile)
    output = os.path.join(folder, "build")
    os.makedirs(folder, exist_ok=True)
    settings = {**NS3, **NS3_PROFILES[profile], "NS3_OUTPUT_DIRECTORY": output}
    cmake = os.path.join(folder, "cmake")
    if "NS3_ENABLED_MODULES" not in NS3_PROFILES[profile]:
        settings["NS3_ENABLED_MODULES"] = enabled_modules(modules or (), cmake)
    what = f"ns-3 {tree.version} ({profile})"
    run_cmake(tree.path, cmake, settings, f"{folder}/cmake.log", phases, what, "ns-3")
    # Targets are called libcore up to 3.42 and core from 3.43.
    prefix = "" if tree.numbers() >= (3, 43) else "lib"
    targets = [name if profile == "static" else prefix + name for name in modules or MODULES]
    run_ninja(cmake, targets, f"{folder}/ninja.log", phases, what)
    return output


class Module:
    """A build of this module against an ns-3."""

    def __init__(self, ns3, kind="build", settings=None):
        self.ns3 = ns3
        self.kind = kind
        self.folder = os.path.join(WORK, ns3.key, kind)
        self.settings = {**ns3.settings, "CMAKE_CXX_FLAGS_RELEASE": RELEASE_FLAGS, **(settings or {})}

    def log(self, name):
        """The folder of a tool's output."""
        folder = os.path.join(WORK, self.ns3.key, "log")
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, f"{self.kind}-{name}.log")

    def what(self):
        """The name of this build in messages."""
        return f"this module against ns-3 {self.ns3.version}"

    def configure(self, phases, settings=None):
        """Configures with further settings, which stay for later calls."""
        known = os.path.join(self.folder, "with-ns3.json")
        if os.path.exists(known):
            with open(known, encoding="utf-8") as handle:
                kept = json.load(handle)[1]
            self.settings = {**kept, **self.settings}
        self.settings.update(settings or {})
        run_cmake(
            os.path.realpath(ROOT), self.folder, self.settings, self.log("cmake"), phases, self.what()
        )

    def build(self, targets, phases):
        """Builds targets where needed."""
        what = f"{self.what()} ({' '.join(targets)})"
        run_ninja(self.folder, targets, self.log("ninja"), phases, what)

    def make(self, targets, phases, settings=None):
        """Configures and builds."""
        self.configure(phases, settings)
        self.build(targets, phases)

    def program(self, name):
        """The path of an example or a benchmark program."""
        return os.path.join(self.folder, "bin", "examples", name)

    def environment(self):
        """The environment of scripts that look for programs, libraries and headers."""
        env = dict(os.environ)
        env["PATH"] = os.pathsep.join([os.path.dirname(self.program("x")), env.get("PATH", "")])
        env["NS3_BUILD"] = f"{self.folder}:{self.folder}/ns-3"
        env["NS3_VERSION"] = self.ns3.version
        env["RDMA_ROOT"] = os.path.realpath(ROOT)
        return env


def listed_programs(folder):
    """The names in build_lib_example(NAME ...) of a folder's CMakeLists.txt."""
    path = os.path.join(ROOT, folder, "CMakeLists.txt")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as handle:
        text = re.sub(r"#.*", "", handle.read())
    return re.findall(r"build_lib_example\s*\(\s*NAME\s+([\w.-]+)", text)
