# SPDX-License-Identifier: GPL-2.0-only
"""The verbs of tools/with-ns3."""

import errno
import os
import signal
import subprocess
import sys

from . import ns3, packages, source, userprogram
from .build import MODULES, MORE_MODULES, Module, listed_programs
from .places import ROOT, WORK, lock
from .say import Phases, Stop, note, usage_error

USAGE = """usage: tools/with-ns3 [--ns3=package|source] VERB ...

  run PROGRAM [ARGS]      build and run one of this module's programs
  run FILE.cc [ARGS]      the same with a source file of your own, which is linked with this module
                          and with the modules of ns-3 whose headers it includes
  test [NAME...]          build and run all tests, or those named; test --help lists its options
  build                   build everything for run and test, without running it
  exec CMD [ARGS]         run CMD with the programs and libraries of the build on its paths
  bench [ARGS]            run the benchmarks of bench/ on an ns-3 built from source; --static
                          first: with static libraries and link-time optimization
  mpirun -n N PROGRAM [ARGS]
                          run one of this module's programs on N ranks of OpenMPI, on an ns-3
                          built from source with MPI
  python SCRIPT [ARGS]    run a Python script in which "from ns import ns" has this module; its
                          ns-3 is that of PyPI
  --help                  this text

ns-3 comes from the environment variable NS3_DIR (a source tree, 3.37 or newer, which stays as it
is), else from the ns-3 tree whose contrib/ this repository lies in, else it is the installed one
or this system's package libns3-dev, where that is 3.37 or newer, else the source of 3.37 is
downloaded and built. --ns3=package and --ns3=source ask for one of the last two. Builds are kept in
.ns3/ in this repository, downloads in ~/.cache/rdma-ns3.
"""


def execute(command, env=None):
    """Runs a program for the caller; returns its exit status."""
    with subprocess.Popen(command, env=env) as process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:
                # The program received the signal, too, and decides when to end.
                continue
    if status < 0:
        note(f"{os.path.basename(command[0])} was ended by {signal.Signals(-status).name}")
        return 128 - status
    return status


def own_program(path, wish, phases):
    """Compiles and links a source file; builds the modules that the file needs in an ns-3 source tree."""
    modules = [*MODULES, *MORE_MODULES]
    while True:
        module = Module(ns3.choose(wish, packages.BUILD, phases, modules=modules))
        module.make(["rdma"], phases)
        try:
            return userprogram.make(path, module)
        except userprogram.MissingModule as missing:
            tree = module.ns3.tree
            further = source.module_of(missing.header, tree) if tree else None
            if further is None or further in modules:
                raise
            modules.append(further)


def run(arguments, wish):
    """run PROGRAM [ARGS]"""
    programs = listed_programs("examples")
    exist = "programs: " + (" ".join(programs) or "none yet")
    if not arguments:
        raise usage_error(f"run needs a program; {exist}")
    name, *rest = arguments
    own = name.endswith(".cc") and os.path.exists(name)
    if name not in programs and not own:
        raise usage_error(f"there is no program '{name}'; {exist}")
    phases = Phases()
    phases.expect(5)
    with lock(WORK):
        if own:
            program = own_program(name, wish, phases)
        else:
            module = Module(ns3.choose(wish, packages.BUILD, phases))
            module.make([name], phases)
            program = module.program(name)
    return execute([program, *rest])


def build_all(arguments, wish):
    """build"""
    if arguments:
        raise usage_error(f"build takes no arguments, not '{arguments[0]}'")
    from . import tests

    phases = Phases()
    phases.expect(5)
    with lock(WORK):
        found = ns3.choose(wish, {**packages.BUILD, **packages.TEST}, phases)
        targets = ["rdma-unit-tests", "rdma-test-runner", *listed_programs("examples")]
        Module(found).make(targets, phases, tests.TESTS)
    return 0


def exec_command(arguments, wish):
    """exec CMD [ARGS]"""
    if not arguments:
        raise usage_error("exec needs a command")
    phases = Phases()
    phases.expect(5)
    with lock(WORK):
        module = Module(ns3.choose(wish, packages.BUILD, phases))
        targets = listed_programs("examples") + listed_programs("bench")
        module.make(targets, phases, {"RDMA_BENCH": "ON"})
    try:
        return execute(arguments, module.environment())
    except OSError as error:
        raise usage_error(f"cannot run '{arguments[0]}': {error.strerror}") from error


def bench(arguments, wish):
    """bench [--static] [ARGS]"""
    if wish == "package":
        raise usage_error("benchmarks are of an ns-3 built from source, not of a package")
    script = os.path.join(ROOT, "bench", "run.py")
    for option in ("--help", "-h", "--list"):
        if option in arguments:
            return execute([sys.executable, script, option], dict(os.environ))
    # A wrong argument is told before anything is fetched or built.
    checked = [sys.executable, script, *(word for word in arguments if word != "--static"), "--list"]
    if status := subprocess.run(checked, stdout=subprocess.DEVNULL, check=False).returncode:
        return status
    # Build only the measured programs: with link-time optimization, each takes minutes to link.
    programs = ["rdma-fabric", *listed_programs("bench")]
    phases = Phases()
    phases.expect(6)
    with lock(WORK):
        if arguments[:1] == ["--static"]:
            arguments = arguments[1:]
            found = ns3.choose("source", packages.BUILD, phases, "static", programs)
            env = userprogram.in_tree_environment(found)
        else:
            module = Module(ns3.choose("source", packages.BUILD, phases))
            module.make(programs, phases, {"RDMA_BENCH": "ON"})
            env = module.environment()
    return execute([sys.executable, script, *arguments], env)


def mpirun(arguments, wish):
    """mpirun -n N PROGRAM [ARGS]"""
    from . import ranks

    return ranks.main(arguments, wish, execute)


def test(arguments, wish):
    """test [NAME...]"""
    from . import tests

    return tests.main(arguments, wish)


def python(arguments, wish):
    """python SCRIPT [ARGS]"""
    if wish:
        raise usage_error("python uses the ns-3 of PyPI's package ns3; --ns3 does not apply")
    from . import bindings

    return bindings.main(arguments, execute)


VERBS = {
    "run": run,
    "test": test,
    "build": build_all,
    "exec": exec_command,
    "bench": bench,
    "mpirun": mpirun,
    "python": python,
}


def take_wish(arguments):
    """Takes --ns3=CHOICE from the words before the verb, or right after it."""
    wish = None
    for place in (0, 1):
        if len(arguments) > place and arguments[place].startswith("--ns3"):
            name, _, wish = arguments.pop(place).partition("=")
            if name != "--ns3" or wish not in ns3.CHOICES:
                raise usage_error(
                    f"{name}={wish}; accepted: " + ", ".join(f"--ns3={each}" for each in ns3.CHOICES)
                )
    return wish


def main(arguments):
    """The whole program; returns its exit status."""
    try:
        status = obey(list(arguments))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has closed the pipe, as head does. Python would report an error when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


def obey(arguments):
    """Executes the arguments; returns the program's exit status."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        (sys.stdout if arguments else sys.stderr).write(USAGE)
        return 0 if arguments else 2
    try:
        wish = take_wish(arguments)
        if not arguments:
            raise usage_error(f"--ns3 stands before a verb; verbs: {' '.join(VERBS)} (see --help)")
        verb, *rest = arguments
        if verb not in VERBS:
            raise usage_error(f"there is no verb '{verb}'; verbs: {' '.join(VERBS)} (see --help)")
        return VERBS[verb](rest, wish)
    except Stop as stop:
        note(str(stop))
        return stop.status
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise
        note(f"{error.filename or WORK}: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        note("interrupted; the next run goes on from here")
        return 130
