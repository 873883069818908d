# SPDX-License-Identifier: GPL-2.0-only
"""Messages: the current step, its progress, and the reason for an early end.

Everything here goes to standard error, so that standard output belongs to the program that is run.
"""

import sys
import time

START = time.monotonic()
TTY = sys.stderr.isatty()


class Stop(Exception):
    """Ends the run with one message and an exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def usage_error(message):
    """Ends the program with the message on a wrong command line."""
    return Stop(message, 2)


def duration(seconds):
    """7 -> 7s, 95 -> 1m35s."""
    seconds = int(round(seconds))
    return f"{seconds}s" if seconds < 60 else f"{seconds // 60}m{seconds % 60:02d}s"


def note(message):
    """One line."""
    print(f"with-ns3: {message}", file=sys.stderr, flush=True)


class Phases:
    """Numbers the steps of a run. A step with nothing to do prints nothing."""

    def __init__(self):
        self.total = 0
        self.current = 0

    def expect(self, count):
        """Announces that count more steps may follow."""
        self.total += count

    def skip(self):
        """A step that had nothing to do."""
        self.current += 1

    def begin(self, message):
        """A step that does something."""
        self.current += 1
        self.total = max(self.total, self.current)
        elapsed = duration(time.monotonic() - START)
        note(f"[{self.current}/{self.total}] {message} (at {elapsed})")


class Progress:
    """Progress of a step: a line that is rewritten on a terminal, or an occasional line elsewhere."""

    def __init__(self, every=15.0):
        self.every = every
        self.begun = self.last = time.monotonic()
        self.shown = False

    def show(self, text):
        """Shows a text on the state of the step, unless the last one was shown a moment ago."""
        now = time.monotonic()
        if now - self.last < (0.1 if TTY else self.every):
            return
        self.last = now
        line = f"with-ns3:       {text} {duration(now - self.begun)}"
        if TTY:
            sys.stderr.write("\r\033[K" + line[:110])
            sys.stderr.flush()
            self.shown = True
        else:
            print(line, file=sys.stderr, flush=True)

    def clear(self):
        """Removes the line, so that other output can follow."""
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self.shown = False
