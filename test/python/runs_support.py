# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the tests of tools/sweep and tools/reproduce: a stand-in for a program."""

import importlib.util
import os
import sys
import textwrap
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

PACKAGES = ("distributed", "matplotlib", "pandas", "tqdm", "yaml")
HAS_PACKAGES = all(importlib.util.find_spec(name) for name in PACKAGES)
needs_packages = unittest.skipUnless(HAS_PACKAGES, f"needs {', '.join(PACKAGES)}")
# The program writes summary.json for its options and notes each start in the file log. If there is a
# file named stop, the program locks the file and waits until it is killed. --fail=SEED fails for that
# seed. A file record.json becomes the run.json of each run.
FAKE = """\
#!{python}
import fcntl, json, os, shutil, sys, time
options = dict(word[2:].partition("=")[::2] for word in sys.argv[1:])
with open("{folder}/log", "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
if os.path.exists("{folder}/stop") and options.get("seed") == "2":
    held = open("{folder}/held", "w")
    fcntl.flock(held, fcntl.LOCK_SH)
    open("{folder}/waiting", "w").close()
    time.sleep(60)
if options.get("fail") == options.get("seed", "-"):
    sys.exit("fake: --fail: cannot be done")
value = float(options.get("a", 1)) * 10 + float(options.get("seed", 0))
print("value", value)
if "out" in options:
    os.makedirs(options["out"], exist_ok=True)
    with open(os.path.join(options["out"], "summary.json"), "w") as out:
        json.dump({{"value": value, "cpu_s": time.time(), "half": value / 2}}, out)
    if os.path.exists("{folder}/record.json"):
        shutil.copy("{folder}/record.json", os.path.join(options["out"], "run.json"))
"""


def make_program(folder):
    """Writes the program into a folder; returns its path."""
    path = os.path.join(folder, "fake")
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(FAKE.format(python=sys.executable, folder=folder))
    os.chmod(path, 0o755)
    return path


def put(folder, name, text):
    """Writes a file; returns its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(textwrap.dedent(text))
    return path


def contents(*path):
    """The bytes of a file."""
    with open(os.path.join(*path), "rb") as handle:
        return handle.read()


def command(tool, *words):
    """The words that start a tool with this Python."""
    return [sys.executable, os.path.join(ROOT, "tools", tool), *words]
