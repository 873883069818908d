# SPDX-License-Identifier: GPL-2.0-only
"""Runs a script again in a virtual environment that has the packages of requirements.txt.

Nothing but Python's standard library is needed here.
"""

import importlib.util
import os
import sys

from with_ns3 import venv
from with_ns3.places import WORK, lock
from with_ns3.say import Phases, Stop

PACKAGES = ("distributed", "matplotlib", "pandas", "tqdm", "yaml")
REQUIREMENTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "requirements.txt")
# Set in the environment of the second start, so that there is no third.
MARK = "RDMA_RUNS_VENV"


def missing():
    """The packages that this Python lacks."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def ensure():
    """Returns if this Python has the packages; otherwise restarts the script in one that has them.

    A Python outside of a virtual environment does not count: its packages may have any release.
    """
    if os.environ.get(MARK) or sys.prefix != sys.base_prefix:
        lacking = missing()
        if not lacking:
            return
        if os.environ.get(MARK):
            raise Stop(f"{sys.executable} lacks {', '.join(lacking)}")
    phases = Phases()
    phases.expect(1)
    with lock(WORK):
        python = venv.environment(
            "runs", ["-r", REQUIREMENTS], f"import {', '.join(PACKAGES)}", phases
        )
    os.execve(python, [python, *sys.argv], {**os.environ, MARK: "1"})
