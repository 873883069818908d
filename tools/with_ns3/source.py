# SPDX-License-Identifier: GPL-2.0-only
"""Finds the ns-3 source tree to use, or fetches one, and puts this module into it.

The tree that is configured is always a folder of our own under .ns3/: unpacked from a tarball, or
made of links to an ns-3 tree of the user's, which thereby stays as it is. In both,
contrib/rdma links to this repository.
"""

import glob
import hashlib
import os
import re
import shutil
import tarfile

from . import fetch
from .places import CACHE, ROOT, WORK
from .say import Progress, Stop

# Entries of a user's tree that the linked copy leaves out: outputs of builds, and contrib,
# which is made anew.
NOT_LINKED = re.compile(r"contrib|build(?!-support$).*|cmake-cache.*|\.git|\.lock.*|testpy.*|.*\.pcap")
OLDEST = (3, 37)


class Tree:
    """An ns-3 tree that can be configured."""

    def __init__(self, path, origin):
        self.path = path
        self.origin = origin
        with open(os.path.join(path, "VERSION"), encoding="ascii") as handle:
            self.version = handle.read().strip()

    def numbers(self):
        """3.37 as (3, 37); a development tree is newer than all releases."""
        match = re.match(r"(\d+)\.(\d+)", self.version)
        return (int(match[1]), int(match[2])) if match else (3, 999)


def is_ns3(path):
    """Whether path holds an ns-3 source tree that is built with CMake."""
    wanted = ("VERSION", "CMakeLists.txt", "src/core/CMakeLists.txt")
    return all(os.path.exists(os.path.join(path, name)) for name in wanted)


def users_tree():
    """The user's own ns-3 tree and the reason for it, or (None, None)."""
    given = os.environ.get("NS3_DIR")
    if given:
        path = os.path.abspath(os.path.expanduser(given))
        if not is_ns3(path):
            raise Stop(
                f"NS3_DIR={given} is not an ns-3 source tree of version 3.37 or newer "
                "(it has no VERSION, CMakeLists.txt and src/core/CMakeLists.txt)", 2
            )
        return path, "NS3_DIR"
    contrib = os.path.dirname(ROOT)
    if os.path.basename(contrib) == "contrib" and is_ns3(os.path.dirname(contrib)):
        return os.path.dirname(contrib), "the tree around this repository"
    return None, None


def _link(target, path):
    """Makes path a link to target, unless it is one."""
    if os.path.islink(path):
        if os.readlink(path) == target:
            return
        os.unlink(path)
    elif os.path.exists(path):
        raise Stop(f"{path} is in the way of a link to {target}")
    os.symlink(target, path)


def _link_all(source, folder, leave_out):
    """Mirrors the entries of source in folder by links, and removes links without a target."""
    os.makedirs(folder, exist_ok=True)
    names = {name for name in os.listdir(source) if not leave_out(name)}
    for name in names:
        _link(os.path.join(source, name), os.path.join(folder, name))
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.islink(path) and not os.path.exists(path):
            os.unlink(path)


def linked_tree(source, origin):
    """A folder of links to the user's tree."""
    key = hashlib.sha256(os.path.realpath(source).encode()).hexdigest()[:8]
    path = os.path.join(WORK, f"tree-{key}")
    _link_all(source, path, NOT_LINKED.fullmatch)
    contrib = os.path.join(source, "contrib")
    if os.path.isdir(contrib):
        _link_all(contrib, os.path.join(path, "contrib"), lambda name: name == "rdma")
    return Tree(path, f"{source} ({origin})")


def _unpack(tarball, inner, path):
    """Unpacks the folder inner of tarball to path, completely or not at all."""
    partial = path + ".part"
    shutil.rmtree(partial, ignore_errors=True)
    progress = Progress(every=5.0)
    with tarfile.open(tarball, "r|*") as archive:
        for count, member in enumerate(archive):
            top, _, name = member.name.partition(f"{inner}/")
            if top.count("/") > 1 or not name or ".." in name.split("/"):
                continue
            if not (member.isfile() or member.isdir() or member.issym()):
                continue
            member.name = name
            member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
            archive.extract(member, partial, set_attrs=not member.isdir())
            progress.show(f"{count} files")
    progress.clear()
    if not is_ns3(partial):
        raise Stop(f"{tarball} does not hold an ns-3 source tree in {inner}/")
    os.rename(partial, path)


def fetched_tree(phases):
    """The tree that is downloaded if the user has none."""
    release = fetch.RELEASE
    path = os.path.join(WORK, f"ns-{release.version}")
    if os.path.isdir(path):
        phases.skip()
    else:
        tarball = fetch.tarball(release, CACHE, phases)
        phases.begin(f"unpacking ns-3 {release.version} into {path}")
        _unpack(tarball, f"ns-{release.version}", path)
    return Tree(path, path)


def module_of(header, tree):
    """The module whose header this is in a source tree, or None."""
    if header.endswith("-module.h"):
        name = header[:-len("-module.h")]
        found = [os.path.join(tree, room, name) for room in ("src", "contrib")]
        return name if any(map(os.path.isdir, found)) else None
    for room in ("src", "contrib"):
        for path in glob.glob(os.path.join(tree, room, "*", "**", glob.escape(header)), recursive=True):
            return os.path.relpath(path, os.path.join(tree, room)).split(os.sep)[0]
    return None


def get(phases):
    """The tree to configure, with this repository as contrib/rdma."""
    source, origin = users_tree()
    if source:
        phases.skip()
        tree = linked_tree(source, origin)
    else:
        tree = fetched_tree(phases)
    if tree.numbers() < OLDEST:
        raise Stop(f"{tree.origin} is ns-3 {tree.version}; this module needs 3.37 or newer", 2)
    os.makedirs(os.path.join(tree.path, "contrib"), exist_ok=True)
    _link(os.path.realpath(ROOT), os.path.join(tree.path, "contrib", "rdma"))
    return tree
