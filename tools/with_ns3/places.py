# SPDX-License-Identifier: GPL-2.0-only
"""Where things are: this repository, its work folder, the cache of downloads, and the lock."""

import contextlib
import fcntl
import os

from .say import Stop, note

# Links are not resolved, so a repository that is linked into an ns-3 tree is found in the tree.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(os.path.realpath(ROOT), ".ns3")
CACHE = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "rdma-ns3"
)


@contextlib.contextmanager
def lock(folder):
    """Keeps two invocations from changing the same folder at once."""
    try:
        os.makedirs(folder, exist_ok=True)
        handle = open(os.path.join(folder, "lock"), "a", encoding="ascii")
    except OSError as error:
        raise Stop(f"cannot write to {folder}: {error.strerror}") from error
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            note(f"another with-ns3 is working in {folder}; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
