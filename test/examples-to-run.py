#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# Read by ns-3's test.py and by tools/with-ns3: the examples that the test run executes.

# (program and arguments, do run, do run under valgrind)
cpp_examples = [
    ("rdma-coexistence --duration=10ms", "True", "False"),
    ("rdma-collective --ranks=8 --maxBytes=1MiB", "True", "False"),
    ("rdma-deadlock --routes=up-down --bytes=1MB", "True", "False"),
    ("rdma-fabric --topology=leaf-spine:2x4x2 --duration=200us --progress=off", "True", "False"),
    ("rdma-first", "True", "True"),
    ("rdma-fluid --flows=2 --duration=2ms --output=none", "True", "False"),
    ("rdma-headroom --rates=100Gbps --lengths=2", "True", "False"),
    ("rdma-isolation --duration=4ms", "True", "False"),
    ("rdma-livelock --duration=5ms", "True", "False"),
    ("rdma-own-buffer --duration=200us", "True", "False"),
    ("rdma-own-column --bytes=50KB", "True", "False"),
    ("rdma-own-instrument --bytes=50KB", "True", "False"),
    ("rdma-own-marker --duration=200us", "True", "False"),
    ("rdma-own-entropy --bytes=50KB", "True", "False"),
    ("rdma-own-path-selector --bytes=50KB", "True", "False"),
    ("rdma-own-placement --bytes=50KB", "True", "False"),
    ("rdma-own-topology --bytes=100KB", "True", "False"),
    ("rdma-own-transport --bytes=50000", "True", "False"),
    ("rdma-own-workload --bytes=200000", "True", "False"),
    ("rdma-own-control", "True", "False"),
    ("rdma-parking-lot --warmUp=1ms --duration=1ms", "True", "False"),
    ("rdma-pause-storm --buffer=2MiB --detection=1ms --start=1ms", "True", "False"),
    ("rdma-perftest --size=all --iters=10", "True", "False"),
    ("rdma-victim --runs=1 --duration=2ms", "True", "False"),
]

# (script and arguments, do run)
python_examples = []
