# SPDX-License-Identifier: GPL-2.0-only
"""The verbs of tools/with-ns3."""

import os
import signal
import subprocess
import sys

from . import packages, source, userprogram
from .build import Build, library_target, library_targets, listed_programs
from .places import ROOT, WORK, lock
from .say import Phases, Stop, note, usage_error

USAGE = """usage: tools/with-ns3 VERB ...

  run PROGRAM [ARGS]      build and run one of this module's programs (optimized build)
  run FILE.cc [ARGS]      the same with a source file of your own that uses this module
  test [SUITE...]         build and run all tests, or those named (build with asserts);
                          test --help lists its options
  build                   build everything for run and test, without running it
  exec CMD [ARGS]         run CMD with the optimized build's programs and libraries on its paths
  bench [ARGS]            run the benchmarks of bench/ (optimized build); --static first: with
                          static libraries and link-time optimization
  python SCRIPT [ARGS]    run a Python script in which "from ns import ns" has this module; its
                          ns-3 is that of PyPI
  --help                  this text

ns-3 comes from the environment variable NS3_DIR (a source tree, 3.37 or newer, which stays as it
is), else from the ns-3 tree whose contrib/ this repository lies in, else it is downloaded (3.37).
Builds are kept in .ns3/ in this repository, downloads in ~/.cache/rdma-ns3.
"""


def prepare(wanted, phases, steps):
    """Packages and the tree; steps is the number of steps that the caller adds."""
    phases.expect(3 + steps)
    packages.ensure(wanted, phases)
    return source.get(phases)


def execute(command, env=None):
    """Runs a program in the caller's place; returns its exit status."""
    with subprocess.Popen(command, env=env) as process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:
                # The program got the signal too, and ends when it likes.
                continue
    if status < 0:
        note(f"{os.path.basename(command[0])} was ended by {signal.Signals(-status).name}")
        return 128 - status
    return status


def run(arguments):
    """run PROGRAM [ARGS]"""
    programs = listed_programs("examples")
    exist = "programs: " + (" ".join(programs) or "none yet")
    if not arguments:
        raise usage_error(f"run needs a program; {exist}")
    name, *rest = arguments
    if name.endswith(".cc") and os.path.exists(name):
        return run_file(name, rest)
    if name not in programs:
        raise usage_error(f"there is no program '{name}'; {exist}")
    phases = Phases()
    with lock(WORK):
        build = Build(prepare(packages.BUILD, phases, 2), "optimized")
        build.configure(phases)
        build.make([name], phases)
    return execute([build.program("examples", name), *rest])


def run_file(path, arguments):
    """run FILE.cc [ARGS]"""
    phases = Phases()
    with lock(WORK):
        build = Build(prepare(packages.BUILD, phases, 2), "optimized")
        build.configure(phases)
        build.make([*library_targets(build.tree), library_target(build.tree)], phases)
        program = userprogram.make(path, build)
    return execute([program, *arguments])


def everything(build):
    """The targets of a profile that are this module's."""
    targets = listed_programs("examples")
    if build.settings.get("RDMA_BENCH") == "ON":
        targets += listed_programs("bench")
    return targets


def build_all(arguments):
    """build"""
    if arguments:
        raise usage_error(f"build takes no arguments, not '{arguments[0]}'")
    from . import tests

    phases = Phases()
    with lock(WORK):
        tree = prepare({**packages.BUILD, **packages.TEST}, phases, 4)
        build = Build(tree, "optimized")
        build.configure(phases)
        build.make(everything(build) or [library_target(tree)], phases)
        build = Build(tree, "assert")
        build.configure(phases)
        build.make(tests.targets(build), phases)
    return 0


def program_environment(build):
    """The environment of exec and bench: where the build's parts are."""
    env = dict(os.environ)
    folders = [os.path.join(build.output, "contrib", "rdma", name) for name in ("examples", "bench")]
    env["PATH"] = os.pathsep.join([*folders, env.get("PATH", "")])
    lib = os.path.join(build.output, "lib")
    env["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [lib, env.get("LD_LIBRARY_PATH")]))
    env["NS3_SOURCE"] = build.tree.path
    env["NS3_BUILD"] = build.output
    env["NS3_VERSION"] = build.tree.version
    env["RDMA_ROOT"] = os.path.realpath(ROOT)
    # Plain names for ns-3's decorated ones (ns3.37-rdma-fabric, ns3.37-rdma-fabric-default).
    env["RDMA_PROGRAM_PATTERN"] = f"ns{build.tree.version}-%s{build.suffix()}"
    return env


def exec_command(arguments):
    """exec CMD [ARGS]"""
    if not arguments:
        raise usage_error("exec needs a command")
    phases = Phases()
    with lock(WORK):
        build = Build(prepare(packages.BUILD, phases, 2), "optimized")
        build.configure(phases)
        build.make(everything(build) or [library_target(build.tree)], phases)
    try:
        return execute(arguments, program_environment(build))
    except OSError as error:
        raise usage_error(f"cannot run '{arguments[0]}': {error.strerror}") from error


def bench(arguments):
    """bench [--static] [ARGS]"""
    script = os.path.join(ROOT, "bench", "run.py")
    if not os.path.exists(script):
        raise usage_error("there are no benchmarks: bench/run.py does not exist")
    profile = "optimized"
    if arguments[:1] == ["--static"]:
        profile = "static"
        arguments = arguments[1:]
    phases = Phases()
    with lock(WORK):
        build = Build(prepare(packages.BUILD, phases, 2), profile)
        build.configure(phases)
        build.make(everything(build), phases)
    return execute([sys.executable, script, *arguments], program_environment(build))


def test(arguments):
    """test [SUITE...]"""
    from . import tests

    return tests.main(arguments, prepare)


def python(arguments):
    """python SCRIPT [ARGS]"""
    from . import bindings

    return bindings.main(arguments, execute)


VERBS = {
    "run": run,
    "test": test,
    "build": build_all,
    "exec": exec_command,
    "bench": bench,
    "python": python,
}


def main(arguments):
    """The whole program; returns its exit status."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        (sys.stdout if arguments else sys.stderr).write(USAGE)
        return 0 if arguments else 2
    verb, *rest = arguments
    try:
        if verb not in VERBS:
            raise usage_error(f"there is no verb '{verb}'; verbs: {' '.join(VERBS)} (see --help)")
        return VERBS[verb](rest)
    except Stop as stop:
        note(str(stop))
        return stop.status
    except KeyboardInterrupt:
        note("interrupted; the next run goes on from here")
        return 130
