# SPDX-License-Identifier: GPL-2.0-only
"""Copies of ns-3 source trees, for tools/check-all."""

import hashlib
import os
import re
import shutil

# Outputs of builds in an ns-3 tree, and other people's modules.
NOT_COPIED = re.compile(r"contrib|build(?!-support$).*|cmake-cache.*|\.git|\.lock.*|testpy.*")


def is_tree(folder):
    """Whether a folder is an ns-3 source tree that is built with ./ns3."""
    return all(os.path.exists(os.path.join(folder, name)) for name in ("ns3", "test.py"))


def copy(source, target, module):
    """Copies a tree, unless that is done and no file has changed, and links the module into it."""
    state = hashlib.sha256(source.encode())
    for folder, folders, names in os.walk(source):
        if folder == source:
            folders[:] = [name for name in folders if not NOT_COPIED.fullmatch(name)]
            names = [name for name in names if not NOT_COPIED.fullmatch(name)]
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(names):
            found = os.lstat(os.path.join(folder, name))
            state.update(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}\n".encode())
    stamp = target + ".copied"
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as handle:
            if handle.read() == state.hexdigest():
                return
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True, ignore=lambda folder, names: [
        name for name in names if folder == source and NOT_COPIED.fullmatch(name)])
    os.makedirs(os.path.join(target, "contrib"))
    os.symlink(module, os.path.join(target, "contrib", "rdma"))
    with open(stamp, "w", encoding="utf-8") as handle:
        handle.write(state.hexdigest())
