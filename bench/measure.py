# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cases of the benchmark in turns, on one core or on two, and describes the machine."""

import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import built_program

from workloads import FILES

# What keeps a core busy.
STRANGER = [sys.executable, "-c", "while True: pass"]


class Build:
    """A build of the module: its programs and the environment that they need."""

    def __init__(self, program, libraries=None):
        self.program = program
        self.env = {**os.environ, **({"LD_LIBRARY_PATH": str(libraries)} if libraries else {})}

    @staticmethod
    def here():
        """The build whose programs are on the PATH."""
        path = built_program.find("rdma-fabric")
        if not path:
            sys.exit("bench: rdma-fabric is not on the PATH; run it through tools/with-ns3 bench")
        return Build(path)

    @staticmethod
    def exists(path):
        """True for a program and for the folder of a build."""
        return bool(Build.find(path))

    @staticmethod
    def find(path):
        """The program of a path, which is a program or the folder of a build; none: empty."""
        if not os.path.isdir(path):
            return path if os.access(path, os.X_OK) else ""
        places = (os.path.join(path, *folders) for folders in ((), ("bin",), ("bin", "examples")))
        return next((found for found in (built_program.find("rdma-fabric", p) for p in places) if found), "")

    @staticmethod
    def of(path):
        """The build of a path (see find())."""
        libraries = os.path.join(path, "lib") if os.path.isdir(path) else ""
        return Build(Build.find(path), libraries if os.path.isdir(libraries) else None)


def read(path):
    """The text of a file of the system; empty if there is none."""
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return ""


def cpu_model():
    """The name of the processor."""
    match = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.M)
    return match[1] if match else os.uname().machine


def caches(core):
    """The caches of a core, as in "48K L1d, 2048K L2, 307200K L3 of cores 0-1"."""
    found = []
    for index in sorted(pathlib.Path(f"/sys/devices/system/cpu/cpu{core}/cache").glob("index*")):
        kind = {"Data": "d", "Instruction": "i"}.get(read(index / "type"), "")
        shared = read(index / "shared_cpu_list")
        with_others = f" of cores {shared}" if shared != str(core) else ""
        found.append(f"{read(index / 'size')} L{read(index / 'level')}{kind}{with_others}")
    return ", ".join(found)


def pipeline(folder):
    """CPU time of an event of a bare pipeline of events, a number that compares machines; none without the program."""
    program = built_program.find("rdma-bench-fabric")
    if not program:
        return None
    numbers = []
    for _ in range(3):
        out = os.path.join(folder, "pipeline")
        command = [program, "--topology=star:2", "--workload=incast:1", f"--out={out}"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        numbers.append(json.loads(pathlib.Path(out, "summary.json").read_text())["pipeline_event_ns"])
    return round(statistics.median(numbers), 1)


class Workplace:
    """The builds that are compared, the core, and the folder of the cases' files."""

    def __init__(self, core, other=None):
        self.core = core
        self.this = Build.here()
        self.builds = {"this": self.this, **({"other": Build.of(other)} if other else {})}
        self.folder = ""
        self._holder = None
        self._loads = []

    def __enter__(self):
        self._holder = tempfile.TemporaryDirectory()
        self.folder = self._holder.name
        for name, make in FILES.items():
            pathlib.Path(self.folder, name).write_text(make())
        return self

    def __exit__(self, *error):
        self._holder.cleanup()

    def describe(self, repeat):
        """What the results depend on besides the module."""
        version = subprocess.run([self.this.program, "--version"], capture_output=True, text=True, check=False)
        return {
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
            "caches": caches(self.core),
            "large pages": read("/sys/kernel/mm/transparent_hugepage/enabled"),
            "load": [round(value, 2) for value in (min(self._loads), max(self._loads))] if self._loads else [],
            "core": self.core,
            "rounds": repeat,
            "version": version.stdout.strip(),
            "pipeline_event_ns": pipeline(self.folder),
            "date": time.strftime("%Y-%m-%d"),
        }

    def words(self, case):
        """The arguments of a case."""
        return [word.replace("{folder}", self.folder) for word in case.arguments]

    def start(self, command, cores, env=None, output=subprocess.DEVNULL):
        """Starts a program on some cores."""
        return subprocess.Popen(
            command, stdout=output, stderr=subprocess.PIPE, text=True, cwd=self.folder, env=env,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )

    def finish(self, command, cores, env=None, output=subprocess.DEVNULL):
        """Runs a program to its end: seconds on the clock and of the CPU, and its standard error."""
        self._loads.append(os.getloadavg()[0])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        process = self.start(command, cores, env, output)
        errors = process.communicate()[1]
        wall = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"wall_s": wall, "process_s": cpu, "status": process.returncode, "errors": errors}

    def run(self, case, build):
        """Runs a case on the core; returns its summary with the times of the process."""
        out = os.path.join(self.folder, "out")
        command = [build.program, *self.words(case), "--progress=off"]
        if case.kind == "setup":
            return self.run_setup(case, command, build)
        done = self.finish([*command, f"--out={out}"], {self.core}, build.env)
        path = pathlib.Path(out, "summary.json")
        # A run that ends at --stop has status 1.
        if done["status"] not in (0, 1) or not path.exists():
            sys.exit(f"bench: {' '.join(command)} failed:\n{done['errors']}")
        summary = json.loads(path.read_text())
        path.unlink()
        cut = any(word.startswith("--stop=") for word in case.arguments)
        if not cut and summary["flows_completed"] != summary["flows_total"]:
            sys.exit(f"bench: {case.name}: not all flows are completed")
        return {**summary, "wall_s": done["wall_s"], "process_s": done["process_s"]}

    def run_setup(self, case, command, build):
        """Runs a process that ends before the first packet."""
        self._loads.append(os.getloadavg()[0])
        begin = time.monotonic()
        process = self.start(command, {self.core}, build.env)
        process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"bench: {case.name} failed: {' '.join(command)}")
        return {
            "wall_s": time.monotonic() - begin,
            "process_s": usage.ru_utime + usage.ru_stime,
            "peak_rss_mb": usage.ru_maxrss * 1024 / 1e6,
        }


def ratio(numbers, others):
    """The median of the ratios of what ran in one turn."""
    return round(statistics.median(a / b for a, b in zip(numbers, others)), 3)


def spread(numbers, digits=1):
    """The median, the least and the most."""
    return [round(value, digits) for value in (statistics.median(numbers), min(numbers), max(numbers))]


def cost(case, summary):
    """What the table of a case shows: ns of a hop, us of a flow, or s of the set-up."""
    if case.kind == "setup":
        return summary["wall_s"]
    if case.kind == "flow":
        return 1e6 * summary["process_s"] / summary["flows_total"]
    return 1e9 * summary["cpu_s"] / summary["packet_hops"]


def row(case, these, others):
    """The row of a case, from the summaries of this build and of the other one, in the order of the turns."""
    last = these[-1]
    result = {
        "about": case.about,
        "kind": case.kind,
        "cost": spread([cost(case, each) for each in these], 2),
        "process_s": round(statistics.median(each["process_s"] for each in these), 3),
        "wall_s": round(statistics.median(each["wall_s"] for each in these), 3),
        "peak_rss_mb": round(max(each["peak_rss_mb"] for each in these), 1),
    }
    if case.kind != "setup":
        result["packet_hops"] = last["packet_hops"]
        result["flows"] = last["flows_total"]
        result["events_per_hop"] = round(last["events"] / last["packet_hops"], 3)
        result["digest"] = last["digest"]
    if others:
        result["other"] = spread([cost(case, each) for each in others], 2)
        result["to_other"] = ratio([cost(case, each) for each in these], [cost(case, each) for each in others])
        result["other_rss_mb"] = round(max(each["peak_rss_mb"] for each in others), 1)
        result["same_digest"] = last.get("digest") == others[-1].get("digest")
    return result


def times(place, cases, repeat):
    """The rows of the cases that measure time, and the bytes of the case that counts bytes."""
    timed = [case for case in cases if case.kind != "memory"]
    found = {case.name: {build: [] for build in place.builds} for case in timed}
    for turn in range(repeat):
        for case in timed:
            print(f"bench: {case.name}, run {turn + 1} of {repeat}", file=sys.stderr)
            # The second build profits from a warm machine, so the order changes.
            for name, build in list(place.builds.items())[:: -1 if turn % 2 else 1]:
                found[case.name][name].append(place.run(case, build))
    rows = {case.name: row(case, found[case.name]["this"], found[case.name].get("other")) for case in timed}
    for case in cases:
        if case.kind == "memory":
            rows[case.name] = {"about": case.about, "kind": "memory", "bytes": heap(case)}
    return rows


def heap(case):
    """The bytes that rdma-bench-memory prints."""
    print(f"bench: {case.name}", file=sys.stderr)
    program = built_program.find("rdma-bench-memory")
    if not program:
        sys.exit("bench: rdma-bench-memory is not on the PATH; run it through tools/with-ns3 bench")
    done = subprocess.run([program, *case.arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def threads_row(case, rounds):
    """The row of a case from the seconds of its runs, by kind of run and turn."""
    result = {
        "about": case.about,
        "one_s": spread([each["one"] for each in rounds], 2),
        "two_s": spread([each["two"] for each in rounds], 2),
        "speed_up": spread([each["one"] / each["two"] for each in rounds], 2),
    }
    if case.kind != "setup":
        result["to_processes"] = spread([each["processes"] / (2 * each["two"]) for each in rounds], 2)
        result["busy"] = spread([each["busy_two"] / each["busy_one"] for each in rounds], 2)
    return result


def threads(place, cases, repeat):
    """Two threads on two cores, beside one thread, two processes, and with a stranger on one of the cores."""
    free = sorted(os.sched_getaffinity(0) - {place.core})[-1]
    cores = {place.core, free}
    rows = {}
    for case in (case for case in cases if case.threads):
        rounds = []
        for turn in range(repeat):
            print(f"bench: {case.name}, threads, run {turn + 1} of {repeat}", file=sys.stderr)
            rounds.append(threads_turn(place, case, cores, free))
        rows[case.name] = threads_row(case, rounds)
    return rows


def threads_turn(place, case, cores, free):
    """The seconds of one run of each kind."""
    def command(name, *more):
        end = [] if case.kind == "setup" else [f"--out={os.path.join(place.folder, name)}"]
        return [place.this.program, *place.words(case), "--progress=off", *end, *more]

    def wall(*more):
        done = place.finish(command("one", *more), cores, place.this.env)
        if done["status"] not in (0, 1):
            sys.exit(f"bench: {case.name} failed:\n{done['errors']}")
        return done["wall_s"]

    seconds = {"one": wall(), "two": wall("--threads=2")}
    if case.kind == "setup":
        return seconds
    begin = time.monotonic()
    pair = [place.start(command(name), {core}, place.this.env) for name, core in zip(("one", "two"), sorted(cores))]
    for process in pair:
        process.communicate()
    seconds["processes"] = time.monotonic() - begin
    stranger = place.start(STRANGER, {free})
    try:
        seconds["busy_one"] = wall()
        seconds["busy_two"] = wall("--threads=2")
    finally:
        stranger.kill()
        stranger.communicate()
    return seconds
