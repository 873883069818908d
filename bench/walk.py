#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Shows through which classes and files the module's code goes.

    tools/with-ns3 exec bench/walk.py              a WRITE from PostSend() to its first bit
    tools/with-ns3 exec bench/walk.py --results    a counter: from the end of the run to ports.csv
    tools/with-ns3 exec bench/walk.py --control    --cc=NAME: from main() to the run

The script compiles the module once more, without optimization and with a call at the beginning and
the end of each function, and runs rdma-fabric with two flows between two hosts, one after the
other. --folder says where the objects lie; they are compiled again after a change of a source.

A WRITE's walk counts the classes of model/ without model/core, which has tools such as clocks and
rings. The other walks count the files of helper/.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import built_program  # noqa: E402
from with_ns3.arguments import Arguments  # noqa: E402

UNIT = 8  # sources compiled together
FLAGS = ["-std=c++17", "-O0", "-g1", "-D__LINUX__", "-DNS3_LOG_ENABLE", '-DRDMA_VERSION="0"',
         '-DRDMA_NS3_VERSION="0"']
INSTRUMENT = ["-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/"]
# Two WRITEs, one after the other. The memory that the first one needs exists at the second one.
FLOWS = "id,src,dst,bytes,start_ns\n0,0,1,1000,0\n1,0,1,1000,100000\n"
# The class or namespace of a demangled function, and the function's name in it.
MEMBER = re.compile(r"ns3::(?:\(anonymous namespace\)::)?(\w+)(?:<.*>)?::([~\w]+|operator\W+)")


def sources():
    """The sources of the module that need no optional library."""
    found = [p for top in ("model", "helper") for p in sorted((ROOT / top).rglob("*.cc"))]
    return [p for p in found if not p.name.endswith(("-mpi.cc", "-gsl.cc"))]


def header_flags(program):
    """The folders of the module's headers, and of ns-3's where ns-3 lies in a build folder."""
    headers = [p for top in ("model", "helper") for p in (ROOT / top).rglob("*.h")]
    flags = [f"-I{folder}" for folder in sorted({p.parent for p in headers})]
    for folder in pathlib.Path(program).parents:
        if (folder / "include" / "ns3").is_dir():
            return flags + [f"-I{folder / 'include'}"]
    return flags


def ns3_libraries(program):
    """The paths of the libraries of ns-3 that a program is linked with, without the module's own."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(libns3\S*) => (\S+)", text)
    return [path for name, path in found if "rdma" not in name]


def compile_source(source, output, flags):
    """Compiles one file, unless its object exists and is newer than all sources."""
    newest = max(p.stat().st_mtime for top in ("model", "helper", "bench", "examples")
                 for p in (ROOT / top).rglob("*.[ch]*"))
    if not output.exists() or output.stat().st_mtime < newest:
        subprocess.run(["c++", *FLAGS, *flags, "-c", str(source), "-o", str(output)], check=True)


def build(folder):
    """The instrumented program, compiled into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    found = built_program.find("rdma-fabric")
    if not found:
        sys.exit("walk.py: no rdma-fabric on the PATH; run tools/with-ns3 exec bench/walk.py")
    flags = header_flags(found)
    jobs = [(ROOT / "bench" / "rdma-bench-walk.cc", [])]
    jobs.append((ROOT / "examples" / "rdma-fabric.cc", flags + INSTRUMENT))
    every = sources()
    for start in range(0, len(every), UNIT):
        unit = folder / f"unit-{start // UNIT}.cc"
        text = "".join(f"#define g_log g_log_{i}\n#include \"{path}\"\n#undef g_log\n"
                       for i, path in enumerate(every[start : start + UNIT]))
        if not unit.exists() or unit.read_text() != text:
            unit.write_text(text)
        jobs.append((unit, flags + INSTRUMENT))
    objects = [folder / (source.stem + ".o") for source, _ in jobs]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda job: compile_source(job[0][0], job[1], job[0][1]), zip(jobs, objects)))
    program = folder / "rdma-fabric"
    libraries = ns3_libraries(found)
    places = {f"-Wl,-rpath,{os.path.dirname(path)}" for path in libraries}
    subprocess.run(["c++", "-no-pie", *map(str, objects), *libraries, *sorted(places), "-ldl",
                    "-pthread", "-o", str(program)], check=True)
    return program


def record(program, folder, control):
    """The functions that a run enters and leaves: (enters, name, file) each."""
    log = folder / "walk.log"
    flows = folder / "flows.csv"
    flows.write_text(FLOWS)
    arguments = ["--topology=star:2", f"--workload=file:{flows}", f"--cc={control}"]
    subprocess.run([str(program), *arguments, f"--out={folder / 'out'}"], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "RDMA_BENCH_WALK": str(log)})
    lines = log.read_text().split()
    addresses = sorted({line.lstrip("-") for line in lines})
    text = subprocess.run(["addr2line", "-Cfe", str(program)], input="\n".join(addresses),
                          capture_output=True, text=True, check=True).stdout.split("\n")
    names = {}
    for i, address in enumerate(addresses):
        path = os.path.normpath(text[2 * i + 1].rsplit(":", 1)[0])
        inside = path.startswith(str(ROOT))
        names[address] = (text[2 * i], os.path.relpath(path, ROOT) if inside else "")
    return [(not line.startswith("-"), *names[line.lstrip("-")]) for line in lines]


def places(walk, name, enters=True):
    """The places in a walk where functions begin, or end, whose names contain a text."""
    found = [i for i, step in enumerate(walk) if step[0] == enters and name in step[1]]
    return found or sys.exit(f"walk.py: the run has no function {name}")


def namespaces():
    """The names of the namespaces in model/, which are no classes."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "model").rglob("*.h"))
    return {name for text in texts for name in re.findall(r"^namespace (\w+)", text, re.M)}


def classes_of(walk):
    """The classes of the last WRITE of a walk and their functions, both in the order of entry."""
    spaces = namespaces()
    walk = walk[places(walk, "ns3::RdmaQueuePair::PostSend(")[-1] :]
    walk = walk[: places(walk, "ns3::QbbLine::")[0]]
    classes = {}
    for enters, name, path in walk:
        member = MEMBER.search(name)
        counts = path.startswith("model/") and not path.startswith("model/core/")
        if enters and counts and member and member[1] not in spaces:
            classes.setdefault(member[1], {})[member[2]] = None
    return {name: list(functions) for name, functions in classes.items()}


def write_walk(walk):
    """Prints the classes of a WRITE."""
    classes = classes_of(walk)
    for name, functions in classes.items():
        print(f"{name:28} {' '.join(functions)}")
    print(f"{len(classes)} classes from PostSend() to the line")


def file_walk(walk, what):
    """Prints the files of helper/ in a walk."""
    files = dict.fromkeys(path for enters, _, path in walk if enters and path.startswith("helper/"))
    for path in files:
        print(path)
    print(f"{len(files)} files of helper/ {what}")


def main():
    parser = Arguments(
        prog="walk.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", action="store_true", help="the walk of a counter")
    parser.add_argument("--control", action="store_true", help="the walk of --cc=NAME")
    parser.add_argument("--cc", default="none", help="congestion control of the run")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / ".ns3" / "walk")
    arguments = parser.parse_args()
    program = build(arguments.folder.resolve())
    walk = record(program, arguments.folder.resolve(), arguments.cc)
    run = "ns3::RdmaSimulatorImpl::Run()"
    if arguments.results:
        file_walk(walk[places(walk, run, enters=False)[-1] :], "from the end of the run to ports.csv")
    if arguments.control:
        begin = next(i for i, (_, name, _) in enumerate(walk) if name == "main")
        file_walk(walk[begin : places(walk, run)[0]], "from main() to the run")
    if not arguments.results and not arguments.control:
        write_walk(walk)


if __name__ == "__main__":
    main()
