# SPDX-License-Identifier: GPL-2.0-only
"""Reads the results of a run of rdma-fabric: flows.csv, ports.csv and summary.json, and what
--timeseries and --monitor write.

    run = read_run("results/incast")
    slow = [flow for flow in run.flows if flow.completed and flow.slowdown > 10]

Times are in ns, as in the files. Nothing but Python's standard library is needed.

The columns of all files, with their types and meanings, stand in columns.json, which
doc/introspect.py writes from the module's C++ tables. Rows and summaries also have the columns that
a script has added to a run; the types of those are seen from their fields.
"""

import csv
import dataclasses
import hashlib
import io
import json
import keyword
import math
import os
import re
from typing import Optional


class ResultsError(Exception):
    """A file that cannot be read: "file:line: column: error; accepted: ..."."""


with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "columns.json"), encoding="utf-8"
) as _handle:
    # For each table its columns, as RdmaResultTables::Describe() explains them.
    COLUMNS = json.load(_handle)


def column_type(column):
    """The type of the values of a column that COLUMNS describes."""
    kind = {"integer": int, "number": float, "text": str}[column["type"]]
    return Optional[kind] if column["optional"] else kind


def _row_type(name, table, text, base=object):
    """A class for the rows of a table, with a field for each column."""
    fields = [(column["name"], column_type(column)) for column in COLUMNS[table]]
    return dataclasses.make_dataclass(
        name, fields, bases=(base,), frozen=True, namespace={"__doc__": text, "__module__": __name__}
    )


class _Flow:
    @property
    def completed(self):
        """Whether the receiver has all bytes and the sender has the acknowledgement."""
        return self.fct_ns is not None


Flow = _row_type(
    "Flow", "flows",
    "A row of flows.csv. A flow that did not finish has None for fct_ns, cqe_ns and slowdown.", _Flow,
)
Port = _row_type("Port", "ports", "A row of ports.csv: one priority of one port.")


Sample = _row_type(
    "Sample", "timeseries",
    "A row of rdma-fabric --timeseries: the state of a flow's queue pair. None: no such quantity.",
)
Reading = _row_type(
    "Reading", "monitor",
    "A row of rdma-fabric --monitor: one priority of one port at a poll. Hosts have no ingress_bytes.",
)


@dataclasses.dataclass(frozen=True)
class Run:
    """A folder of results."""

    directory: str
    flows: tuple
    ports: tuple
    summary: dict

    @property
    def active_us(self):
        """The active time: from the start of the first flow to the end of the run, in us.

        Loads and times paused are shares of the active time. None: summary.json has no sim_time_us
        after the first start.
        """
        simulated = self.summary.get("sim_time_us")
        if not isinstance(simulated, (int, float)):
            return None
        active = simulated - min((flow.start_ns for flow in self.flows), default=0) / 1e3
        return active if active > 0 else None


def _integer(text):
    if not text.isascii() or not text.isdigit():
        raise ValueError("a whole number, 0 or more")
    return int(text)


def _number(text):
    accepted = "a decimal number, 0 or more"
    try:
        value = float(text)
    except ValueError:
        raise ValueError(accepted) from None
    if not math.isfinite(value) or value < 0:
        raise ValueError(accepted)
    return value


def _optional(text):
    return _number(text) if text else None


def _text(text):
    if not text:
        raise ValueError("any text but an empty one")
    return text


_PARSERS = {
    int: _integer, float: _number, str: _text, Optional[int]: lambda text: _integer(text) if text else None,
    Optional[float]: _optional, Optional[str]: lambda text: text or None,
}


class Rows(tuple):
    """The rows of a file. kind is their class, also for a file without rows."""

    kind = None


def _own_values(texts):
    """Type and values of a column that a script has added, from the texts of its fields.

    Whole numbers if all fields are; else decimal numbers, None where a field is empty; else texts.
    """
    if texts and all(re.fullmatch("-?[0-9]+", text) for text in texts):
        values = [int(text) for text in texts]
        if all(-(2**63) <= value < 2**63 for value in values):
            return int, values
    if all(re.fullmatch(r"(-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)?", text) for text in texts):
        return Optional[float], [float(text) if text else None for text in texts]
    return str, list(texts)


def _own_columns(header, kind):
    """Indices of the columns that are not fields of kind and have names of attributes."""
    return {
        name: index for index, name in enumerate(header)
        if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
        and not hasattr(kind, name) and name not in kind.__dataclass_fields__
        and header.count(name) == 1
    }


def _with_own(kind, rows, own):
    """Rows of a class that has the fields of kind and those of a script: name to texts."""
    types, columns = [], []
    for name, texts in own.items():
        value_type, values = _own_values(texts)
        types.append((name, value_type))
        columns.append(values)
    extended = dataclasses.make_dataclass(
        kind.__name__, types, bases=(kind,), frozen=True,
        namespace={"__doc__": kind.__doc__, "__module__": __name__},
    )
    names = list(own)
    return extended, [
        extended(**row, **dict(zip(names, values))) for row, *values in zip(rows, *columns)
    ]


def _parse_rows(handle, path, kind):
    """The rows of CSV text that has the fields of kind as columns, in any order, among others."""
    parsers = {field.name: _PARSERS[field.type] for field in dataclasses.fields(kind)}
    rows = []
    try:
        reader = csv.reader(handle, strict=True)
        header = next(reader, None)
        if header is None:
            raise ResultsError(f"{path}: the file is empty; accepted: a line of column names")
        for name in parsers:
            if header.count(name) != 1:
                raise ResultsError(
                    f"{path}:1: {name}: there are {header.count(name)} columns of that name; "
                    "accepted: 1"
                )
        columns = [(name, header.index(name), parse) for name, parse in parsers.items()]
        own = _own_columns(header, kind)
        texts = {name: [] for name in own}
        for row in reader:
            if len(row) != len(header):
                raise ResultsError(
                    f"{path}:{reader.line_num}: {len(row)} fields; accepted: {len(header)}, as "
                    "in the first line"
                )
            values = {}
            for name, index, parse in columns:
                try:
                    values[name] = parse(row[index])
                except ValueError as error:
                    raise ResultsError(
                        f'{path}:{reader.line_num}: {name}: "{row[index]}"; accepted: {error}'
                    ) from None
            for name, index in own.items():
                texts[name].append(row[index])
            rows.append(values if own else kind(**values))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: not a CSV file: {error}") from None
    if own:
        kind, rows = _with_own(kind, rows, texts)
    result = Rows(rows)
    result.kind = kind
    return result


def _read_rows(path, kind):
    """The rows of a file."""
    try:
        with open(path, newline="", encoding="utf-8") as handle:
            return _parse_rows(handle, path, kind)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None


def parse_flows(text):
    """The rows of the text of a flows.csv."""
    return _parse_rows(io.StringIO(text, newline=""), "flows.csv", Flow)


def parse_ports(text):
    """The rows of the text of a ports.csv."""
    return _parse_rows(io.StringIO(text, newline=""), "ports.csv", Port)


def read_flows(path):
    """The rows of a flows.csv."""
    flows = _read_rows(path, Flow)
    for flow in flows:
        if flow.ideal_fct_ns <= 0:
            raise ResultsError(f"{path}: flow {flow.id}: ideal_fct_ns is 0; accepted: above 0")
        if (flow.slowdown is None) != (flow.fct_ns is None):
            raise ResultsError(
                f"{path}: flow {flow.id}: only one of fct_ns and slowdown is there; accepted: "
                "both, or neither"
            )
    return flows


def read_ports(path):
    """The rows of a ports.csv."""
    return _read_rows(path, Port)


def read_time_series(path):
    """The rows of a file of rdma-fabric --timeseries."""
    return _read_rows(path, Sample)


def read_monitor(path):
    """The rows of a file of rdma-fabric --monitor."""
    return _read_rows(path, Reading)


def read_summary(path):
    """The object in a summary.json."""
    try:
        with open(path, encoding="utf-8") as handle:
            summary = json.load(handle)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ResultsError(f"{path}: not a JSON file: {error}") from None
    if not isinstance(summary, dict):
        raise ResultsError(f"{path}: not a JSON object")
    return summary


def read_run(directory):
    """All three files of a folder, which must belong to one run, as the digest shows."""
    if not os.path.isdir(directory):
        raise ResultsError(
            f"{directory}: there is no such folder; accepted: one that rdma-fabric --out=DIR wrote"
        )
    names = ("flows.csv", "ports.csv", "summary.json")
    flows_path, ports_path, summary_path = (os.path.join(directory, name) for name in names)
    run = Run(directory, read_flows(flows_path), read_ports(ports_path), read_summary(summary_path))
    with open(flows_path, "rb") as handle:
        digest = hashlib.sha256(handle.read()).hexdigest()
    if run.summary.get("digest") != digest:
        raise ResultsError(
            f"{directory}: flows.csv and summary.json are not of the same run: the digest of the "
            f"first is {digest}, the second has {run.summary.get('digest')}"
        )
    return run


def quantile(values, fraction):
    """The quantile as the module's own reports compute it: linear between the two nearest."""
    if not values or not 0 <= fraction <= 1:
        raise ValueError("a quantile needs one value or more, and a fraction from 0 to 1")
    ordered = sorted(values)
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def size_groups(flows, count):
    """Completed flows in up to count groups of about equal number, by size.

    Flows of one size stay together. Each group is a non-empty list, ascending by size.
    """
    if count < 1:
        raise ValueError("groups: 1 or more")
    ordered = sorted((flow for flow in flows if flow.completed), key=lambda flow: flow.bytes)
    groups = []
    begin = 0
    for index in range(1, count + 1):
        end = max(begin, len(ordered) * index // count)
        while begin < end < len(ordered) and ordered[end].bytes == ordered[end - 1].bytes:
            end += 1
        if end > begin:
            groups.append(ordered[begin:end])
        begin = end
    return groups
