# SPDX-License-Identifier: GPL-2.0-only
"""Virtual environments in .ns3/, so that neither the system's Python nor the user's is changed."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

from .places import WORK
from .say import Stop

# Messages of pip on a network that does not work.
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|name resolution|Network is unreachable|"
    r"ConnectTimeoutError|ConnectionResetError|ProxyError|ReadTimeoutError|SSLError"
)
# Message of python/backend/rdma_backend.py on a machine where it cannot build.
OWN = re.compile(r"^(?:\d\S*)?\s*ns3-rdma: (.*)$", re.M)


def holds(path, text):
    """Whether a file exists and holds a text."""
    if not os.path.exists(path):
        return False
    with open(path, encoding="ascii") as handle:
        return handle.read() == text


def pip_log_size():
    """The size of the log that the environment requests from pip; 0 without one."""
    path = os.environ.get("PIP_LOG", "")
    return os.path.getsize(path) if os.path.exists(path) else 0


def pip_log_lines(begin):
    """The lines of pip's own log from a position on.

    With PIP_LOG set, pip writes the output of a build to its log, and prints only "See above for
    output".
    """
    path = os.environ.get("PIP_LOG", "")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as handle:
        handle.seek(begin)
        return handle.readlines()


def run(command, log, env=None, line_done=None):
    """Runs a command and appends its output to a log; stops with one message if it fails."""
    lines = []
    begin = pip_log_size()
    with open(log, "a", encoding="utf-8") as out, subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    ) as process:
        for line in process.stdout:
            out.write(line)
            lines.append(line)
            if line_done:
                line_done(line)
    if process.returncode == 0:
        return
    logged = pip_log_lines(begin)
    own = OWN.search("".join(lines + logged))
    if own:
        raise Stop(own[1])
    if NO_NETWORK.search("".join(lines[-40:])):
        raise Stop(f"PyPI cannot be reached; with a network, try again (all of it in {log})")
    sys.stderr.writelines(logged[-40:] or lines[-20:])
    raise Stop(f"failed (above; all of it in {log}): {' '.join(command)}")


def environment(name, requirements, first_use, phases):
    """A virtual environment called name with the packages that pip's arguments name.

    first_use is a statement to run once in it. Returns the path of its interpreter.
    """
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = os.path.join(WORK, f"venv-{name}-py{python}")
    interpreter = os.path.join(folder, "bin", "python")
    complete = os.path.join(folder, "with-ns3-complete")
    wanted = hashlib.sha256(repr([requirements, _texts(requirements)]).encode()).hexdigest()
    if holds(complete, wanted):
        phases.skip()
        return interpreter
    what = " ".join(os.path.relpath(word) if os.path.isabs(word) else word for word in requirements)
    phases.begin(f"creating {folder} with {what} from PyPI")
    shutil.rmtree(folder, ignore_errors=True)
    log = os.path.join(WORK, f"venv-{name}.log")
    if os.path.exists(log):
        os.unlink(log)
    # The package that pip compiles (CPyCppyy) needs no debug information; without it g++ is faster.
    env = dict(os.environ, CFLAGS="-g0", CXXFLAGS="-g0")
    for step in (
        [sys.executable, "-m", "venv", folder],
        [interpreter, "-m", "pip", "install", "--disable-pip-version-check", *requirements],
        [interpreter, "-c", first_use],
    ):
        run(step, log, env)
    with open(complete, "w", encoding="ascii") as handle:
        handle.write(wanted)
    return interpreter


def _texts(requirements):
    """The contents of the requirement files among pip's arguments, and of files that these name."""
    texts = []
    for word in requirements:
        if os.path.isfile(word):
            with open(word, encoding="utf-8") as handle:
                text = handle.read()
            texts.append(text)
            named = [line[3:].strip() for line in text.splitlines() if line.startswith("-r ")]
            texts += _texts([os.path.join(os.path.dirname(word), name) for name in named])
    return texts
