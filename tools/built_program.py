# SPDX-License-Identifier: GPL-2.0-only
"""Finds the programs of a build, for the scripts that run them."""

import os
import shutil


def find(program, folder=None):
    """The path of a program, under its plain name or the one that ns-3's build gives it, or None.

    Without a folder: on the PATH.
    """
    for name in (os.environ.get("RDMA_PROGRAM_PATTERN", "%s") % program, program):
        path = shutil.which(name, path=folder)
        if path:
            return path
    return None
