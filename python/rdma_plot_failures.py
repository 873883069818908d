# SPDX-License-Identifier: GPL-2.0-only
"""The failures of a run (--failures): which nodes and links were down in the run, and when."""

import collections
import csv
import os
import re

from ns3_rdma.results import ResultsError


class Failures:
    """What was down at a moment of a run: nodes by id, links by the ports at their ends, and texts of
    the failures in their order."""

    def __init__(self):
        self.nodes = set()
        self.links = set()
        self.texts = []


def _rows_of(text):
    """The failures of the option: where, event, start and stop of each; stop may be empty."""
    path = text[len("file:"):] if text.startswith("file:") else text
    if path == text and not text.endswith(".csv"):
        return [(item.split(":") + [""])[:4] for item in text.split(",")]
    try:
        with open(path, newline="", encoding="utf-8-sig") as handle:
            return [
                [(row.get(name) or "").strip() for name in ("where", "event", "start", "stop")]
                for row in csv.DictReader(handle, skipinitialspace=True)
            ]
    except OSError as error:
        raise ResultsError(
            f"{path}: {error.strerror}; accepted: the file of --failures, named as seen from here"
        ) from None


def _find_links(ports, a, b, number):
    """The links between two nodes, or one of them by its number from 0."""
    links = [
        frozenset(((row.node, row.port), (row.peer, row.peer_port)))
        for (node, _), (row, *_) in sorted(ports.items()) if node == a and row.peer == b
    ]
    return links if number is None else links[number:number + 1]


def find_failures(run, ports):
    """What --failures of a run took down, also if it came up again later.

    Slow and lossy links are not down. ports has the rows of each port: (node, port) to rows.
    """
    found = Failures()
    option = (run.record.get("options") or {}).get("failures", "")
    if not option:
        return found
    ids = {row.node_name: row.node for (row, *_) in ports.values()}
    ids.update({str(row.node): row.node for (row, *_) in ports.values() if str(row.node) not in ids})
    rows = _rows_of(option)
    # A failure without a stop ends with the next "up" of its place.
    ups = collections.defaultdict(list)
    for where, event, start, _ in rows:
        if event == "up":
            ups[where].append(start)
    for where, event, start, stop in rows:
        if event != "down":
            continue
        end = stop or (ups[where].pop(0) if ups[where] else "")
        link = re.fullmatch(r"(.+)/(.+?)(?:#([0-9]+))?", where)
        if where in ids:
            found.nodes.add(ids[where])
        elif link and link[1] in ids and link[2] in ids:
            number = int(link[3]) - 1 if link[3] else None
            found.links.update(_find_links(ports, ids[link[1]], ids[link[2]], number))
        else:
            raise ResultsError(f"{os.path.join(run.directory, 'run.json')}: options: failures: ports.csv has no {where}")
        found.texts.append(f"{where} down from {start}" + (f" to {end}" if end else ""))
    return found
