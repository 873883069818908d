# SPDX-License-Identifier: GPL-2.0-only
"""Configures and builds ns-3 with this module, in one build folder for each profile."""

import json
import os
import re
import subprocess
import sys
import time

from .places import ROOT, WORK
from .say import Progress, Stop, duration, note

# The modules that anything in this repository may link; what they depend on follows by itself.
MODULES = (
    "core", "network", "internet", "internet-apps", "applications", "point-to-point", "csma",
    "bridge", "traffic-control", "stats", "flow-monitor",
)

COMMON = {
    "NS3_ENABLED_MODULES": ";".join(MODULES + ("rdma",)),
    # Examples and tests of other modules would be compiled for nothing.
    "NS3_FILTER_MODULE_EXAMPLES_AND_TESTS": "rdma",
    "NS3_EXAMPLES": "ON",
    "NS3_TESTS": "OFF",
    "NS3_WARNINGS_AS_ERRORS": "OFF",
    # ccache does the same with less.
    "NS3_PRECOMPILE_HEADERS": "OFF",
    "NS3_GTK3": "OFF",
    "NS3_SQLITE": "OFF",
    "NS3_EMU": "OFF",
    "NS3_TAP": "OFF",
    "NS3_VISUALIZER": "OFF",
}
OPTIMIZED = {
    "CMAKE_BUILD_TYPE": "release",
    # Not for this very processor: valgrind, which counts instructions, knows no AVX-512.
    "NS3_NATIVE_OPTIMIZATIONS": "OFF",
    "NS3_ASSERT": "OFF",
    "NS3_LOG": "OFF",
    "RDMA_BENCH": "ON",
}
PROFILES = {
    # What people run and measure.
    "optimized": OPTIMIZED,
    # The same as one static program with link-time optimization, for the benchmark.
    "static": {
        **OPTIMIZED,
        "NS3_STATIC": "ON",
        "NS3_LINK_TIME_OPTIMIZATION": "ON",
        # Link-time optimization of gcc needs its own linker: 3.37's name of that setting, then
        # later ones'.
        "USING_FAST_LINKER": "BFD",
        "NS3_FAST_LINKERS": "OFF",
    },
    # What the tests run: asserts and logs, and compiled fast rather than to be fast.
    "assert": {
        "CMAKE_BUILD_TYPE": "default",
        "NS3_ASSERT": "ON",
        "NS3_LOG": "ON",
        "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O1 -g1",
        "CMAKE_CXX_FLAGS_DEFAULT": "-O1 -g1",
        "RDMA_UNIT_TESTS": "ON",
        "RDMA_TEST_RUNNER": "ON",
    },
}

STATUS = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")
# A file of this repository in a compiler's message; ccache shortens paths to relative ones.
OWN = re.compile(r"contrib/rdma/|(?:\.\./)+(?:model|helper|examples|test|bench)/")
# ninja's notes on re-running CMake, and CMake's own: not for the user unless it fails.
CHATTER = re.compile(r"^(-- |ninja: no work|ninja: Entering|\[0/|Re-run|Re-check)")


def environment():
    """The environment of compilers: ccache's results serve every clone of this repository."""
    env = dict(os.environ)
    env.setdefault("CCACHE_BASEDIR", WORK)
    env.setdefault("CCACHE_NOHASHDIR", "1")
    env["CCACHE_SLOPPINESS"] = "time_macros,include_file_ctime,include_file_mtime"
    return env


def jobs():
    """How many compilers to run: all cores, but 1.5 GB of memory for each."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(cores, memory // 1_500_000_000))


class Output:
    """Passes on what compilers say of this repository's files, and everything once a step failed.

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
    """Builds targets; says so, and how far it is, if there is anything to build."""
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


def run_cmake(source, folder, settings, log, phases, what):
    """Configures folder, unless it has been configured so already."""
    stamp = os.path.join(folder, "with-ns3.json")
    wanted = json.dumps([source, settings, os.environ.get("CXX", "")], indent=0, sort_keys=True)
    if os.path.exists(stamp) and os.path.exists(os.path.join(folder, "build.ninja")):
        with open(stamp, encoding="utf-8") as handle:
            if handle.read() == wanted:
                phases.skip()
                return False
    phases.begin(f"configuring {what}")
    os.makedirs(folder, exist_ok=True)
    for name in ("with-ns3.json", "CMakeCache.txt"):
        # Without the cache no setting of an earlier or interrupted run is left.
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
    return True


class Build:
    """One profile of one ns-3 tree."""

    def __init__(self, tree, profile, extra=None):
        self.tree = tree
        self.profile = profile
        # The same paths below each profile's folder, so that ccache sees the same compiler runs
        # where two profiles differ in nothing that matters to a file.
        self.folder = self.beside("cmake")
        self.output = self.beside("build")
        self.settings = {**COMMON, **PROFILES[profile], **(extra or {})}
        self.settings["NS3_OUTPUT_DIRECTORY"] = self.output

    def beside(self, name):
        """A folder of this profile."""
        return os.path.join(self.tree.path, ".build", self.profile, name)

    def log(self, name):
        """Where a tool's output is kept."""
        folder = self.beside("log")
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, f"{name}.log")

    def configure(self, phases):
        """Runs CMake where needed; returns whether it ran."""
        return run_cmake(
            self.tree.path, self.folder, self.settings, self.log("cmake"), phases,
            f"ns-3 {self.tree.version} ({self.profile}) from {self.tree.origin}",
        )

    def make(self, targets, phases):
        """Builds targets where needed."""
        run_ninja(
            self.folder, targets, self.log("ninja"), phases,
            f"{' '.join(targets) or 'everything'} ({self.profile})",
        )

    def program(self, folder, name):
        """The path of a program of this module that ns-3's build names its way."""
        return os.path.join(
            self.output, "contrib", "rdma", folder, f"ns{self.tree.version}-{name}{self.suffix()}"
        )

    def suffix(self):
        """What ns-3 adds to the names of libraries and programs."""
        return "-default" if self.settings["CMAKE_BUILD_TYPE"] == "default" else ""

    def own(self, kind, name):
        """The path of a program of this module's own CMake rules."""
        return os.path.join(self.output, "contrib", "rdma", kind, name)


def listed_programs(folder):
    """The names in build_lib_example(NAME ...) of a folder's CMakeLists.txt."""
    path = os.path.join(ROOT, folder, "CMakeLists.txt")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as handle:
        text = re.sub(r"#.*", "", handle.read())
    return re.findall(r"build_lib_example\s*\(\s*NAME\s+([\w.-]+)", text)


def library_targets(tree):
    """The targets of ns-3's own libraries."""
    prefix = "" if tree.numbers() >= (3, 43) else "lib"
    return [prefix + name for name in MODULES]


def library_target(tree):
    """The target of this module's library."""
    return "rdma" if tree.numbers() >= (3, 43) else "librdma"
