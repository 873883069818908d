# SPDX-License-Identifier: GPL-2.0-only
"""Performs many runs side by side, the longest first, and keeps the row of each as it ends."""

import itertools
import os
import queue
import sys
import time
import uuid

import tqdm
from with_ns3.say import Stop, duration

from . import cluster

TOOLS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BAR = "{desc} {percentage:3.0f}%|{bar:20}| {postfix}"


def cores():
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


class Progress:
    """How far the matrix is: expected CPU-seconds done, and the time left.

    Which runs are under way is the scheduler's matter. It begins with the first ones, so that those
    count as under way that come first among the runs that have not ended.
    """

    def __init__(self, expected, client):
        self.expected, self.client = expected, client
        self.total, self.count = sum(expected.values()), len(expected)
        self.done = self.ended = 0
        self.begun = time.monotonic()
        self.waiting = dict(expected)
        self.running = {}
        self.bar = tqdm.tqdm(
            total=self.total, bar_format=BAR, desc=f"0 of {self.count} runs", disable=None,
            file=sys.stderr,
        )

    def jobs(self):
        """How many runs there can be side by side."""
        return sum(self.client.nthreads().values()) if self.waiting else len(self.running)

    def start(self):
        """Takes the next runs as begun, as many as there is room for."""
        room = self.jobs() - len(self.running)
        for run in list(itertools.islice(self.waiting, max(room, 0))):
            self.running[run] = (time.monotonic(), self.waiting.pop(run))

    def parts(self):
        """Expected CPU-seconds done, with those of the runs under way."""
        now = time.monotonic()
        # A run that takes longer than expected counts as 95% done.
        under_way = sum(min(now - begun, 0.95 * cost) for begun, cost in self.running.values())
        return min(self.done + under_way, self.total)

    def left(self):
        """The time left, from the pace so far."""
        done = self.parts()
        elapsed = time.monotonic() - self.begun
        pace = done / elapsed if elapsed > 5 and done > 0 else len(self.running)
        return (self.total - done) / (pace or 1)

    def show(self):
        """Brings the bar up to date."""
        self.start()
        self.bar.n = self.parts()
        self.bar.set_description_str(f"{self.ended} of {self.count} runs", refresh=False)
        self.bar.set_postfix_str(f"{duration(self.left())} left", refresh=False)
        self.bar.refresh()

    def end(self, run, text):
        """A run has ended."""
        self.running.pop(run, None)
        self.waiting.pop(run, None)
        self.done += self.expected[run]
        self.ended += 1
        if self.bar.disable:
            self.start()
            print(
                f"[{self.ended}/{self.count}] {duration(self.left())} left; {text}", file=sys.stderr,
                flush=True,
            )
        else:
            self.show()


def perform(runs, paths, model, costs, store_of, jobs=None, scheduler=None):
    """Performs runs; store_of(run) is the store of its rows. Returns the messages of failed runs.

    The runs go to the workers of the Dask scheduler at an address; without one, jobs of them run
    side by side here. An interrupt ends the programs under way and is passed on; rows that are there
    stay.
    """
    expected = dict(zip(runs, costs.of_all(runs)))
    order = sorted(expected, key=lambda run: (-expected[run], run.command()))
    with cluster.connected(scheduler, min(jobs or cores(), len(order)) or 1) as client:
        return _perform({run: expected[run] for run in order}, paths, model, costs, store_of, client)


def _perform(expected, paths, model, costs, store_of, client):
    """Performs runs, which are in the order in which they begin, by a client."""
    # Imported late, because they load slowly.
    import cloudpickle

    from . import remote

    work = remote.worker_function()
    ended = queue.SimpleQueue()
    futures = {}
    # Two tools at one scheduler have tasks of different names.
    batch = uuid.uuid4().hex
    for number, run in enumerate(expected):
        future = client.submit(
            work, TOOLS, paths[run.program], run.directory, cloudpickle.dumps(run),
            key=f"run-{batch}-{number}", priority=-number, pure=False,
        )
        futures[future] = run
        future.add_done_callback(ended.put)
    progress = Progress(expected, client)
    failures = []
    try:
        while futures:
            progress.show()
            try:
                future = ended.get(timeout=1)
            except queue.Empty:
                continue
            run = futures.pop(future)
            if future.status not in ("finished", "error"):
                raise Stop("the scheduler is gone; the same command goes on from here")
            try:
                kind, content = future.result()
            except Exception as error:  # whatever Dask reports of a task: a lost worker, for example
                first = str(error).partition("\n")[0]
                kind, content = remote.FAILED, f"{run.command()}\n    {type(error).__name__}: {first}"
            if kind == remote.BLIND:
                raise Stop(f"{content}; accepted: workers with the files of this machine", 2)
            if kind == remote.DONE:
                metrics, seconds = content
                store_of(run).add(run, model, metrics)
                costs.note(run, seconds)
                text = f"{seconds:.1f} s of CPU time: {run.command()}"
            else:
                failures.append(content)
                text = f"failed: {run.command()}"
            progress.end(run, text)
    finally:
        progress.bar.close()
    return failures


def report(failures):
    """Prints the failures; returns the exit status."""
    for text in failures:
        print(f"failed: {text}", file=sys.stderr)
    if failures:
        print(f"{len(failures)} runs failed; the same command tries them again", file=sys.stderr)
    return 1 if failures else 0
