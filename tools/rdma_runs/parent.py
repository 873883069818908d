# SPDX-License-Identifier: GPL-2.0-only
"""Lets Linux end a program when the tool that started it is gone, even if the tool was killed."""

import ctypes
import functools
import os
import signal
import sys

# The option of prctl(2) for the signal that a process gets when its parent ends.
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """A function for Popen's preexec_fn, or None where the system has no such signal.

    Linux counts the thread that starts the program as the parent: this thread has to wait for the
    program.
    """
    if not sys.platform.startswith("linux"):
        return None
    # Load the library here: between fork and exec, another thread's lock may never be released.
    return functools.partial(_ask, ctypes.CDLL(None).prctl, os.getpid())


def _ask(prctl, parent):
    """Asks for the signal, in the child."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # A parent that ended before the call sends no signal.
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
