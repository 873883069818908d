# SPDX-License-Identifier: GPL-2.0-only
"""What a worker of Dask does for a run."""

import os
import pickle
import socket
import sys

import distributed

# The kinds of answers: the result of perform(), a failed run, and a path that the worker lacks.
DONE, FAILED, BLIND = "done", "failed", "blind"


def worker_function():
    """The function that the scheduler and the workers get as text: they need not find this package.

    A function within a function travels as text, other ones as the names of their modules. It imports
    nothing of ours before it has looked, so that a worker can tell what it lacks.
    """

    def work(tools, program, directory, run):
        """Performs a run that is pickled; returns a kind of answer and its content.

        tools is the folder of this package, directory the one that the program runs in, or None.
        """
        for path in (tools, program, directory):
            if path and not os.path.exists(path):
                return BLIND, f"{path}: the worker on {socket.gethostname()} does not have it"
        if tools not in sys.path:
            sys.path.append(tools)
        from rdma_runs.perform import perform
        from rdma_runs.run import RunError

        worker = distributed.get_worker()
        task = worker.get_current_task()

        def wanted():
            # Another state says that the client is gone or has taken the run back.
            state = worker.state.tasks.get(task)
            working = worker.status in (distributed.Status.running, distributed.Status.paused)
            return working and state is not None and state.state == "executing"

        try:
            return DONE, perform(pickle.loads(run), program, wanted)
        except RunError as error:
            return FAILED, str(error)

    return work
