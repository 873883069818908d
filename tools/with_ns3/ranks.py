# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program of this module on several ranks of OpenMPI."""

import os

from . import ns3, packages
from .build import MODULES, Module, listed_programs
from .places import WORK, lock
from .say import Phases, usage_error

MOST = 4096


def environment(env, ranks):
    """The environment env with the variables that mpirun and its ranks need."""
    env = dict(env)
    values = [value for value in env.get("NS_GLOBAL_VALUE", "").split(";") if value]
    env["NS_GLOBAL_VALUE"] = ";".join([*values, "simulator=mpi"])
    # In a container, root is the only user.
    env["OMPI_ALLOW_RUN_AS_ROOT"] = env["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    # Containers often forbid one process to read the memory of another.
    env.setdefault("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
    if ranks > len(os.sched_getaffinity(0)):
        # Waiting ranks give their core to working ranks.
        env.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    return env


def command(ranks, *words):
    """The command that runs a program, the first of words, on several ranks."""
    # The program itself prints why it fails.
    return ["mpirun", "--quiet", "--oversubscribe", "-n", str(ranks), *words]


def main(arguments, wish, execute):
    """mpirun -n N PROGRAM [ARGS]; execute(command, environment) runs a command."""
    if wish == "package":
        raise usage_error("mpirun needs an ns-3 built from source with MPI, not a package")
    programs = listed_programs("examples")
    if len(arguments) < 3 or arguments[0] not in ("-n", "-np"):
        raise usage_error("mpirun is followed by -n N PROGRAM [ARGS]")
    if not arguments[1].isdecimal() or not 1 <= int(arguments[1]) <= MOST:
        raise usage_error(f"mpirun -n {arguments[1]}; accepted: 1 to {MOST} ranks")
    ranks, name = int(arguments[1]), arguments[2]
    if name not in programs:
        raise usage_error(f"there is no program '{name}'; programs: {' '.join(programs)}")
    phases = Phases()
    phases.expect(5)
    with lock(WORK):
        wanted = {**packages.BUILD, **packages.MPI}
        found = ns3.choose("source", wanted, phases, "mpi", (*MODULES, "mpi"))
        module = Module(found)
        module.make([name], phases)
    words = command(ranks, module.program(name), *arguments[3:])
    return execute(words, environment(module.environment(), ranks))
