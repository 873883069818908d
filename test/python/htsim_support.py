# SPDX-License-Identifier: GPL-2.0-only
"""Input of csg-htsim and uet-htsim for rdma-fabric: connection matrices (.cm) as flow lists, and the links that the option
-failed of uet-htsim slows.

    python3 htsim_support.py MATRIX.cm > flows.csv
"""

import sys

HEADER = ("nodes", "connections", "triggers", "failures")


def flows(text):
    """The rows (source, destination, bytes, start in us) of a matrix whose connections all start by themselves."""
    counts = {}
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if "->" not in words[0]:
            if words[0].lower() not in HEADER or len(words) != 2 or rows:
                raise ValueError(f"line {number}: {words[0]}; accepted: {', '.join(HEADER)} and a number, or SOURCE->DESTINATION")
            counts[words[0].lower()] = int(words[1])
            continue
        source, destination = (int(end) for end in words[0].split("->"))
        values = dict(zip(words[1::2], words[2::2]))
        unknown = set(values) - {"id", "start", "size", "prio"}
        if unknown or len(words) % 2 == 0 or not {"start", "size"} <= set(values):
            raise ValueError(f"line {number}: {line}; accepted: SOURCE->DESTINATION [id N] start US size BYTES [prio N]")
        rows.append((source, destination, int(values["size"]), float(values["start"])))
    if counts.get("connections") != len(rows):
        raise ValueError(f"{len(rows)} connections; accepted: {counts.get('connections')}, as the header says")
    if any(max(row[:2]) >= counts.get("nodes", 0) for row in rows):
        raise ValueError(f"a node above {counts.get('nodes', 0) - 1}; accepted: the nodes of the header")
    return rows


def flow_list(text):
    """The text of flows.csv for a matrix."""
    lines = ["id,src,dst,bytes,start_ns"]
    lines += [f"{i},{a},{b},{size},{start * 1000:.3f}" for i, (a, b, size, start) in enumerate(flows(text))]
    return "\n".join(lines) + "\n"


def failed(count, tiers, aggs_of_pod):
    """Value of --failures for -failed COUNT: with two tiers all links of the first switches of the upper tier, in both
    directions; with three tiers the first links of the first agg switches, from the core switch down."""
    if tiers == 2:
        return ",".join(f"agg-{agg}:rate=25%:0us" for agg in range(count))
    places = [(number // aggs_of_pod, number % aggs_of_pod) for number in range(count)]
    return ",".join(f"core-{agg % aggs_of_pod + aggs_of_pod * up}->agg-{agg}:rate=25%:0us" for agg, up in places)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as matrix:
        sys.stdout.write(flow_list(matrix.read()))
