# SPDX-License-Identifier: GPL-2.0-only
"""Performs many runs side by side, the longest first, and keeps the row of each as it ends."""

import concurrent.futures
import os
import sys
import time

import tqdm
from with_ns3.say import duration

from .perform import Performer
from .run import RunError

BAR = "{desc} {percentage:3.0f}%|{bar:20}| {postfix}"


def cores():
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


class Progress:
    """How far the matrix is: expected CPU-seconds done, and the time left."""

    def __init__(self, total, count, jobs):
        self.total, self.count, self.jobs = total, count, jobs
        self.done = self.ended = 0
        self.begun = time.monotonic()
        self.running = {}
        self.bar = tqdm.tqdm(
            total=total, bar_format=BAR, desc=f"0 of {count} runs", disable=None, file=sys.stderr
        )

    def start(self, run, cost):
        """A run begins."""
        self.running[run] = (time.monotonic(), cost)

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
        pace = done / elapsed if elapsed > 5 and done > 0 else self.jobs
        return (self.total - done) / pace

    def show(self):
        """Brings the bar up to date."""
        self.bar.n = self.parts()
        self.bar.set_description_str(f"{self.ended} of {self.count} runs", refresh=False)
        self.bar.set_postfix_str(f"{duration(self.left())} left", refresh=False)
        self.bar.refresh()

    def end(self, run, text):
        """A run has ended."""
        _, cost = self.running.pop(run)
        self.done += cost
        self.ended += 1
        if self.bar.disable:
            print(
                f"[{self.ended}/{self.count}] {duration(self.left())} left; {text}", file=sys.stderr,
                flush=True,
            )
        else:
            self.show()


def perform(runs, paths, model, costs, store_of, jobs=None):
    """Performs runs; store_of(run) is the store of its rows. Returns the messages of failed runs.

    An interrupt ends the programs under way and is passed on; rows that are there stay.
    """
    expected = dict(zip(runs, costs.of_all(runs)))
    order = sorted(expected, key=lambda run: (-expected[run], run.command()))
    jobs = min(jobs or cores(), len(order)) or 1
    progress = Progress(sum(expected.values()), len(order), jobs)
    performer = Performer(paths)
    failures = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = iter(order)
        futures = {}

        def submit():
            run = next(waiting, None)
            if run is not None:
                progress.start(run, expected[run])
                futures[pool.submit(performer, run)] = run

        try:
            for _ in range(jobs):
                submit()
            while futures:
                ended, _ = concurrent.futures.wait(
                    futures, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in ended:
                    run = futures.pop(future)
                    try:
                        metrics, seconds = future.result()
                        store_of(run).add(run, model, metrics)
                        costs.note(run, seconds)
                        text = f"{seconds:.1f} s of CPU time: {run.command()}"
                    except RunError as error:
                        failures.append(str(error))
                        text = f"failed: {run.command()}"
                    progress.end(run, text)
                    submit()
                progress.show()
        except BaseException:
            performer.stop()
            raise
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
