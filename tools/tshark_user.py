# SPDX-License-Identifier: GPL-2.0-only
"""Runs tshark such that it loads a Lua script, also for root."""

import contextlib
import os
import shutil
import tempfile

NOBODY = 65534


@contextlib.contextmanager
def readable(*paths):
    """The paths to pass to tshark, and the keyword arguments of subprocess.

    From release 4.4 on tshark loads no scripts for root. There another user runs tshark, on copies
    of the files, because folders on the way to the files may be root's alone.
    """
    if os.geteuid() != 0 or not all(map(os.path.isfile, paths)):
        yield list(paths), {}
        return
    with tempfile.TemporaryDirectory(prefix="rdma-tshark-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        copies = []
        for number, path in enumerate(paths):
            copies.append(os.path.join(folder, f"{number}-{os.path.basename(path)}"))
            shutil.copyfile(path, copies[-1])
            os.chmod(copies[-1], 0o644)
        yield copies, {
            "user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": folder,
            "env": {**os.environ, "HOME": folder, "TMPDIR": "/tmp"},
        }
