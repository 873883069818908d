# SPDX-License-Identifier: GPL-2.0-only
"""The record of a sweep: rows.run.json beside rows.csv, as run.json beside the results of a run."""

import contextlib
import datetime
import hashlib
import json
import os
import sys

from .files import replace


def now():
    """The present time, UTC, as in 2026-11-26T10:17:06Z."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextlib.contextmanager
def kept(sweep, model, store, runs):
    """Keeps the record of a sweep while its runs are performed. store has the rows of runs.

    A sweep without a file, which tools/sweep --seeds makes of its arguments, has an empty path.
    """
    path = os.path.splitext(sweep.out)[0] + ".run.json"
    file = None
    if sweep.path:
        with open(sweep.path, "rb") as handle:
            digest = hashlib.sha256(handle.read()).hexdigest()
        file = {"file": os.path.basename(sweep.path), "sha256": digest}
    record = {
        "state": "running", "cut_by": None,
        "command": [os.path.basename(sys.argv[0]), *sys.argv[1:]],
        "sweep": file,
        "program": os.path.basename(sweep.program), "options": sweep.options, "grid": sweep.grid,
        "seeds": list(sweep.seeds), "versions": {"commit": model}, "process": os.getpid(),
        "begun": now(), "ended": None, "counts": {},
    }

    def write(**changes):
        counts = {"rows": len(runs) - len(store.pending(runs)), "rows_total": len(runs)}
        record.update(changes, counts=counts)
        with store.locked():
            replace(path, json.dumps(record, indent=2) + "\n")

    write()
    try:
        yield
    except KeyboardInterrupt:
        write(state="cut", cut_by="interrupt", ended=now())
        raise
    whole = not store.pending(runs)
    write(state="complete" if whole else "cut", cut_by=None if whole else "failed runs", ended=now())
