# SPDX-License-Identifier: GPL-2.0-only
"""Commands in a fresh root folder of Debian, with the time of their downloads (tools/check-all)."""

import datetime
import os
import re
import shlex
import shutil

# Settings of the network that are passed on.
NETWORK = re.compile(r"(?:https?|ftp|no|all)_proxy|PIP_(?:INDEX_URL|DEFAULT_TIMEOUT)", re.I)
# Lines that pip logs before it waits for the network.
WAITS = re.compile(r"Getting page|Found index|Obtaining dependency|Downloading|WARNING: Retrying")
APT_SECONDS = "root/apt.seconds"
PIP_LOG = "root/pip.log"
PIP_CERT = "root/pip-cert.pem"
# Stands in for apt-get: downloads first, and notes how long that takes.
APT_GET = f"""\
#!/bin/sh
begun=$(date +%s.%N)
update=
case " $* " in
*" update "*)
    /usr/bin/apt-get "$@"
    update=$?
    ;;
*) /usr/bin/apt-get --download-only "$@" >/dev/null 2>&1 ;;
esac
date +%s.%N | awk -v begun="$begun" '{{ print $1 - begun }}' >>/{APT_SECONDS}
[ -n "$update" ] && exit "$update"
exec /usr/bin/apt-get "$@"
"""


def prepare(root):
    """Gives a root the network of this machine, and the apt-get that measures."""
    certificates = os.environ.get("PIP_CERT", "")
    for path, copy in (("/etc/resolv.conf", "etc/resolv.conf"), (certificates, PIP_CERT)):
        if os.path.exists(path):
            shutil.copy(path, os.path.join(root, copy))
    wrapper = os.path.join(root, "usr/local/bin/apt-get")
    with open(wrapper, "w", encoding="utf-8") as handle:
        handle.write(APT_GET)
    os.chmod(wrapper, 0o755)


def command(root, folder, script):
    """The command that runs a shell script in a folder of a root, without a compiler cache."""
    for name in (APT_SECONDS, PIP_LOG):
        with open(os.path.join(root, name), "w", encoding="utf-8"):
            pass
    keep = [f"{name}={value}" for name, value in os.environ.items() if NETWORK.fullmatch(name)]
    if os.path.exists(os.path.join(root, PIP_CERT)):
        keep.append(f"PIP_CERT=/{PIP_CERT}")
    inner = [
        "chroot", root, "env", "-i", *keep, "HOME=/root", "LANG=C.UTF-8", "CCACHE_DISABLE=1",
        f"PIP_LOG=/{PIP_LOG}", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "sh", "-c", f"cd {folder} && {script}",
    ]
    mount = f"mount -t proc proc {shlex.quote(root)}/proc && exec {shlex.join(inner)}"
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mount]


def downloads(root):
    """The seconds that the last command spent on downloads by apt and pip."""
    with open(os.path.join(root, APT_SECONDS), encoding="utf-8") as handle:
        apt = sum(map(float, handle.read().split()))
    with open(os.path.join(root, PIP_LOG), encoding="utf-8", errors="replace") as handle:
        return apt + pip_downloads(handle.read())


def pip_downloads(log):
    """The seconds that pip has waited for the network, by the times in its log."""
    lines = re.findall(r"^(\S+T\d+:\d+:\d+),(\d+) +(.*)", log, re.M)
    when = [
        datetime.datetime.fromisoformat(second).timestamp() + int(millisecond) / 1000
        for second, millisecond, _ in lines
    ]
    return sum(
        after - before for before, after, line in zip(when, when[1:], lines) if WAITS.match(line[2])
    )
