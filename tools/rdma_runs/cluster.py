# SPDX-License-Identifier: GPL-2.0-only
"""The workers that perform runs: those of a Dask scheduler, or threads of this process."""

import argparse
import contextlib
import os
import re
import sys

from with_ns3.places import WORK
from with_ns3.say import Stop

# Seconds in which a scheduler has to answer.
PATIENCE_S = 10
# Packages whose releases have to be equal at both ends, because functions travel between them.
EQUAL = ("python", "dask", "distributed", "cloudpickle")


def address(text):
    """The address of a scheduler, from the command line."""
    found = re.fullmatch(r"(?:tcp|tls)://(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})", text)
    if not found or not 0 < int(found[1]) < 65536:
        raise argparse.ArgumentTypeError(f'"{text}"; accepted: tcp://HOST:PORT')
    return text


@contextlib.contextmanager
def connected(scheduler, jobs):
    """A client of the scheduler at an address; without one, of a cluster with jobs threads."""
    import dask

    dask.config.set({
        # On a busy machine, Dask's end exceeds Dask's own time limits, and asyncio reports that.
        "logging": {"distributed": "critical", "distributed.client": "critical", "asyncio": "critical"},
        "distributed.worker.http.routes": [],
        "distributed.scheduler.http.routes": [], "distributed.admin.system-monitor.gil.enabled": False,
    })
    import distributed

    if scheduler:
        with _client(distributed, scheduler) as client:
            yield client
        return
    # The threads wait for programs. Their parent is this process, so that they end with it.
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=jobs, processes=False, memory_limit=0,
        local_directory=os.path.join(WORK, "runs"), dashboard_address=None,
        # Dask serves these even without a dashboard: to this machine alone, at any free port.
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"}, worker_dashboard_address="127.0.0.1:0",
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def _client(distributed, scheduler):
    """A client of the scheduler at an address."""
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise Stop(f"--scheduler={scheduler}: no Dask scheduler answers there", 2) from error
    found = client.get_versions()
    own = found["client"]["packages"]
    for node in (found["scheduler"], *found["workers"].values()):
        for name in EQUAL:
            other = node["packages"].get(name)
            if other != own[name]:
                client.close()
                raise Stop(
                    f"--scheduler={scheduler}: {name} is {other} there and {own[name]} here; accepted: a "
                    f"scheduler and workers of the environment {sys.prefix}", 2
                )
    return client
