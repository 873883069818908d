# SPDX-License-Identifier: GPL-2.0-only
"""The build backend of "pip install .": scikit-build-core, after a check of the machine.

pip would begin with the packages that the build needs, one of which is itself compiled and fails
with many lines where there is no compiler. So the machine is looked at first, and what is missing
is named in one message.

pip compiles one package after the other. The package ns3 asks for cppyy, of which PyPI has two
parts as sources only: each of them keeps one core busy for a minute. The build of this module does
not need cppyy, so ns3 is fetched without it (rdma_ns3.py), and cppyy is compiled while this module
is, into pip's cache of wheels, where pip finds cppyy when it installs what this module depends on.
That is why there is no hook prepare_metadata_for_build_wheel: without that hook pip builds the
wheel before it looks for the dependencies.
"""

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys

import rdma_ns3

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = ("c++", "g++", "clang++")
PACKAGES = "on Debian and Ubuntu: apt install g++ python3-dev"


def _stop(message):
    """Ends the build with one message."""
    sys.stdout.flush()
    sys.stderr.write(f"\nns3-rdma: {message}\n")
    raise SystemExit(1)


def _not_there(name):
    """Ends a build by pip --no-build-isolation in an environment that is not prepared for it."""
    _stop(
        f"the build needs {name} in its environment; without --no-build-isolation pip puts it "
        "there."
    )


def _ns3():
    """The ns-3 that pyproject.toml names, as "ns3==VERSION"."""
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as handle:
        return re.search(r'"(ns3==[^"]+)"', handle.read())[1]


def check_platform():
    """Stops where PyPI has no wheel of ns-3."""
    machine, (libc, version) = platform.machine(), platform.libc_ver()
    found = f"{sys.platform} on {machine}"
    if libc:
        found += f" with {libc} {version}"
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if (sys.platform, machine, libc) != ("linux", "x86_64", "glibc") or numbers < (2, 28):
        _stop(
            f"PyPI has {_ns3()} for Linux on x86_64 with glibc 2.28 or newer; this is {found}. "
            "tools/with-ns3 run builds the module for C++ programs here."
        )


def _compiles(compiler, include, text):
    """Whether a compiler takes a text, as C++20."""
    command = [compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", "-xc++", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True).returncode == 0


def check_compiler():
    """Stops where there is no C++ compiler, or one that cannot compile the module."""
    import sysconfig

    own = os.environ.get("CXX")
    names = [own.split()[0]] if own else COMPILERS
    compiler = next(filter(None, map(shutil.which, names)), None)
    if not compiler:
        _stop(
            f"no C++ compiler was found; looked for {', '.join(names)} in PATH. Please install one "
            f"({PACKAGES}) and try again."
        )
    include = sysconfig.get_paths()["include"]
    if not _compiles(compiler, include, "#include <concepts>\n#include <string>\n"):
        _stop(
            f"{compiler} does not compile C++20, which the headers of {_ns3()} need: g++ 10 or "
            f"newer does ({PACKAGES})."
        )
    if not _compiles(compiler, include, "#include <Python.h>\n"):
        _stop(
            f"there is no Python.h in {include}, which cppyy is compiled with. Please install the "
            f"headers of Python {platform.python_version()} ({PACKAGES}) and try again."
        )


def _scikit_build():
    """The build backend that does the work, after the check of the machine."""
    check_platform()
    check_compiler()
    try:
        from scikit_build_core import build
    except ImportError:
        _not_there("scikit-build-core")
    return build


def _settings(config_settings):
    """pip's settings, and where ns-3 is in the environment of the build."""
    try:
        found = importlib.metadata.distribution("ns3")
    except importlib.metadata.PackageNotFoundError:
        _not_there(_ns3())
    if f"ns3=={found.version}" != _ns3():
        _stop(f"the build needs {_ns3()}; its environment has ns3=={found.version}")
    prefix = str(found.locate_file("ns3"))
    # No file in the wheel names a folder of this machine.
    maps = f"-ffile-prefix-map={prefix}/= -ffile-prefix-map={ROOT}/="
    if maps not in os.environ.get("CXXFLAGS", ""):
        os.environ["CXXFLAGS"] = f"{os.environ.get('CXXFLAGS', '')} {maps}".strip()
    given = dict(config_settings or {})
    given.setdefault("cmake.define.ns3_DIR", os.path.join(prefix, "lib64", "cmake", "ns3"))
    return given


def get_requires_for_build_wheel(config_settings=None):
    """Further packages that the build needs; pip asks when only those of pyproject.toml are there."""
    needs = _scikit_build().get_requires_for_build_wheel(config_settings)
    return needs if rdma_ns3.fetch(_ns3()) else [*needs, _ns3()]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel."""
    build = _scikit_build()
    settings = _settings(config_settings)
    with rdma_ns3.dependencies_compiled():
        return build.build_wheel(wheel_directory, settings, metadata_directory)


def get_requires_for_build_sdist(config_settings=None):
    """Packages that making an archive of the sources needs."""
    from scikit_build_core import build

    return build.get_requires_for_build_sdist(config_settings)


def build_sdist(sdist_directory, config_settings=None):
    """An archive of the sources."""
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)
