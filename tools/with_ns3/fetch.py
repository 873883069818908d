# SPDX-License-Identifier: GPL-2.0-only
"""Downloads the source of an ns-3 release."""

import dataclasses
import glob
import hashlib
import http.client
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request

from .places import lock
from .say import Progress, Stop, note


@dataclasses.dataclass(frozen=True)
class Release:
    """A release, the file that holds its source, and that file's checksum."""

    version: str
    file: str
    sha256: str
    urls: tuple
    debian_suite: str
    debian_package: str


# The checksum is that of ns3_3.37-2.dsc, signed by Debian's maintainer of ns-3. Debian's file equals
# the file of nsnam.org (Debian's watch file does not repack), so one checksum serves all sources. A
# file with another checksum is refused, whatever its source.
RELEASE = Release(
    version="3.37",
    file="ns3_3.37.orig.tar.bz2",
    sha256="dfa5ca1994ff3dbe1d4b23cef54e05e6079f5707a2ed6055f717bdd5b458c38d",
    urls=(
        "https://deb.debian.org/debian/pool/main/n/ns3/ns3_3.37.orig.tar.bz2",
        "https://snapshot.debian.org/archive/debian/20230601T000000Z/pool/main/n/ns3/"
        "ns3_3.37.orig.tar.bz2",
        "https://www.nsnam.org/releases/ns-allinone-3.37.tar.bz2",
    ),
    debian_suite="bookworm",
    debian_package="ns3",
)
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
DEBIAN = "http://deb.debian.org/debian"


def sha256(path):
    """The checksum of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def debian_mirror():
    """The Debian mirror that this system's apt uses, else Debian's own."""
    deb822 = re.compile(r"^URIs:\s*(\S+)", re.M)
    one_line = re.compile(r"^deb(?:-src)?\s+(?:\[[^\]]*\]\s+)?(\S+)", re.M)
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*"))]:
        try:
            with open(path, encoding="utf-8") as handle:
                text = handle.read()
        except (OSError, UnicodeDecodeError):
            continue
        for uri in (deb822 if path.endswith(".sources") else one_line).findall(text):
            if uri.rstrip("/").endswith("/debian"):
                return uri
    return DEBIAN


def by_apt(release, folder):
    """Debian's source package, with a source list and package lists of its own.

    Returns the tarball's path, or None after a message with the reason.
    """
    if not shutil.which("apt-get"):
        return None
    if not os.path.exists(KEYRING):
        note(f"no Debian source package: {KEYRING} is not here")
        return None
    state = os.path.join(folder, "apt")
    for name in ("parts", "lists/partial", "cache/archives/partial", "download"):
        os.makedirs(os.path.join(state, name), exist_ok=True)
    with open(os.path.join(state, "parts", "debian.sources"), "w", encoding="ascii") as handle:
        handle.write(
            f"Types: deb-src\nURIs: {debian_mirror()}\nSuites: {release.debian_suite}\n"
            f"Components: main\nSigned-By: {KEYRING}\n"
        )
    options = [
        "-q",
        "-o", "Dir::Etc::sourcelist=/dev/null",
        "-o", f"Dir::Etc::sourceparts={state}/parts",
        "-o", f"Dir::State::lists={state}/lists",
        "-o", f"Dir::Cache={state}/cache",
        "-o", "Acquire::Languages=none",
        "-o", "Acquire::Retries=2",
        "-o", "Acquire::http::Timeout=30",
    ]
    if os.geteuid() == 0:
        # apt would switch to a user of its own, who cannot write to this folder.
        options += ["-o", "APT::Sandbox::User=root"]
    source = ["source", "--download-only", "--only-source", release.debian_package]
    for words in (["update"], source):
        result = subprocess.run(
            ["apt-get", *options, *words], cwd=os.path.join(state, "download"), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if result.returncode != 0:
            last = (result.stdout.strip().splitlines() or ["no output"])[-1]
            note(f"no Debian source package: apt-get {words[0]} failed: {last}")
            return None
    path = os.path.join(state, "download", release.file)
    if not os.path.exists(path):
        note(f"no Debian source package: {release.debian_suite} has another version by now")
        return None
    return path


def by_http(url, path):
    """Downloads url to path; continues an interrupted download."""
    partial = path + ".part"
    have = os.path.getsize(partial) if os.path.exists(partial) else 0
    request = urllib.request.Request(url, headers={"User-Agent": "rdma-with-ns3"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    progress = Progress(every=10.0)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            if have and reply.status != 206:
                have = 0
            total = have + int(reply.headers.get("Content-Length") or 0)
            with open(partial, "ab" if have else "wb") as out:
                while block := reply.read(1 << 16):
                    out.write(block)
                    have += len(block)
                    progress.show(f"{have / 1e6:.1f} of {total / 1e6:.1f} MB")
        if have < total:
            raise OSError(f"the connection broke after {have} of {total} bytes")
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        # The server has no further bytes: the file is complete, or a different one.
    progress.clear()
    os.replace(partial, path)


def tarball(release, cache, phases):
    """The release's tarball in the cache; downloaded if it is missing."""
    path = os.path.join(cache, release.file)
    with lock(cache):
        if os.path.exists(path) and sha256(path) == release.sha256:
            phases.skip()
            return path
        phases.begin(f"downloading ns-3 {release.version} (40 MB) into {cache}")
        found = by_apt(release, cache)
        if found:
            if sha256(found) == release.sha256:
                os.replace(found, path)
                return path
            note(f"refused: the checksum of Debian's {release.file} is not the expected one")
            os.unlink(found)
        for url in release.urls:
            note(f"trying {url}")
            try:
                by_http(url, path)
            except (OSError, ValueError, http.client.HTTPException) as error:
                note(f"no: {getattr(error, 'reason', None) or error}")
                continue
            if sha256(path) == release.sha256:
                return path
            note(f"refused: the checksum of {url} is not the expected one")
            os.unlink(path)
    raise Stop(
        f"ns-3 {release.version} could not be downloaded (reasons above). Give a source tree of "
        "ns-3 3.37 or newer in NS3_DIR, or put the file "
        f"{release.file} (sha256 {release.sha256}) into {cache}"
    )
