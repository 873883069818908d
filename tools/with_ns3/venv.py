# SPDX-License-Identifier: GPL-2.0-only
"""Virtual environments in .ns3/, so that neither the system's Python nor the user's is changed."""

import hashlib
import os
import shutil
import subprocess
import sys

from .places import WORK
from .say import Stop


def environment(name, requirements, first_use, phases):
    """A virtual environment called name that has what pip's arguments ask for.

    first_use is a statement to run once in it. Returns the path of its interpreter.
    """
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = os.path.join(WORK, f"venv-{name}-py{python}")
    interpreter = os.path.join(folder, "bin", "python")
    complete = os.path.join(folder, "with-ns3-complete")
    wanted = hashlib.sha256(repr([requirements, _texts(requirements)]).encode()).hexdigest()
    if os.path.exists(complete):
        with open(complete, encoding="ascii") as handle:
            if handle.read() == wanted:
                phases.skip()
                return interpreter
    what = " ".join(os.path.relpath(word) if os.path.isabs(word) else word for word in requirements)
    phases.begin(f"creating {folder} with {what} from PyPI")
    shutil.rmtree(folder, ignore_errors=True)
    log = os.path.join(WORK, f"venv-{name}.log")
    steps = (
        [sys.executable, "-m", "venv", folder],
        [interpreter, "-m", "pip", "install", "--disable-pip-version-check", *requirements],
        [interpreter, "-c", first_use],
    )
    with open(log, "w", encoding="utf-8") as out:
        for step in steps:
            result = subprocess.run(step, stdout=out, stderr=subprocess.STDOUT, check=False)
            if result.returncode != 0:
                with open(log, encoding="utf-8", errors="replace") as handle:
                    sys.stderr.write("".join(handle.readlines()[-20:]))
                raise Stop(f"failed (above; all of it in {log}): {' '.join(step)}")
    with open(complete, "w", encoding="ascii") as handle:
        handle.write(wanted)
    return interpreter


def _texts(requirements):
    """The contents of the requirement files among pip's arguments, and of those that they name."""
    texts = []
    for word in requirements:
        if os.path.isfile(word):
            with open(word, encoding="utf-8") as handle:
                text = handle.read()
            texts.append(text)
            named = [line[3:].strip() for line in text.splitlines() if line.startswith("-r ")]
            texts += _texts([os.path.join(os.path.dirname(word), name) for name in named])
    return texts
