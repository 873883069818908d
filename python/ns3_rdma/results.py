# SPDX-License-Identifier: GPL-2.0-only
"""Reads the results of a run of rdma-fabric: flows.csv, ports.csv, summary.json and run.json, and
what the instruments timeseries and monitor write.

    run = read_run("results/incast")
    slow = [flow for flow in run.flows if flow.completed and flow.slowdown > 10]

run.flows are the flows that the run counts: with --measure, those that start in the window. Results
of a run that has not ended, and files of two runs, are errors. run.cut says whether the run was cut.

Times are in ns, as in the files. Nothing but Python's standard library is needed.

The columns of all files, with their types and meanings, stand in columns.json, which
doc/introspect.py writes from the module's C++ tables. Rows and summaries also have the columns that
a script has added to a run; the types of those are seen from their fields.
"""

import codecs
import csv
import dataclasses
import fractions
import hashlib
import io
import json
import keyword
import math
import os
import re
from typing import Optional

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None


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


def _row_type(name, table, text, base=object, more=()):
    """A class for the rows of a table, with a field for each column, and fields with defaults."""
    fields = [*((column["name"], column_type(column)) for column in COLUMNS[table]), *more]
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
    "A row of flows.csv. A flow that did not finish has None for fct_ns, cqe_ns and slowdown. A flow "
    "with counted=False starts outside of the window of the run (--measure).", _Flow,
    # Files of runs without a window lack the column.
    (("counted", bool, dataclasses.field(default=True)),),
)
Port = _row_type("Port", "ports", "A row of ports.csv: one priority of one port.")


Sample = _row_type(
    "Sample", "timeseries",
    "A row of the instrument timeseries: the state of a flow's queue pair. None: no such quantity.",
)
Reading = _row_type(
    "Reading", "monitor",
    "A row of the instrument monitor: one priority of one port at a poll. Hosts have no ingress_bytes.",
)


class Rows(tuple):
    """The rows of a file. kind is their class, also for a file without rows."""

    kind = None


def rows_of(kind, rows):
    """Rows of a class."""
    result = Rows(rows)
    result.kind = kind
    return result


def counted_flows(flows):
    """The flows that a run counts."""
    return rows_of(getattr(flows, "kind", Flow), (flow for flow in flows if flow.counted))


@dataclasses.dataclass(frozen=True)
class Run:
    """A folder of results."""

    directory: str
    # All flows that started, also those outside of the window of the run.
    all_flows: tuple
    ports: tuple
    summary: dict
    # The content of run.json; empty if there is no such file.
    record: dict = dataclasses.field(default_factory=dict)

    @property
    def flows(self):
        """The flows that the run counts. Averages and percentiles of the run cover these alone."""
        return counted_flows(self.all_flows)

    @property
    def cut(self):
        """How the run was cut, as in "cut by SIGINT at 2360 us"; empty: it was not cut."""
        if self.record.get("state") != "cut":
            return ""
        by = self.record.get("cut_by")
        at = self.summary.get("sim_time_us")
        text = f"cut by {by}" if by in ("SIGINT", "SIGTERM") else "cut"
        text += f" at {at:.10g} us" if isinstance(at, (int, float)) else ""
        return f"{text} in a deadlock" if by == "deadlock" else text

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
    """A whole number, also as pandas and spreadsheets write it: 1000.0, 1e3."""
    if text.isascii() and text.isdigit():
        return int(text)
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?", text, re.ASCII):
        value = fractions.Fraction(text)
        if value.denominator == 1 and value < 2**64:
            return int(value)
    raise ValueError("a whole number, 0 or more")


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


def _boolean(text):
    if text not in ("0", "1"):
        raise ValueError("0 or 1")
    return text == "1"


def _text(text):
    if not text:
        raise ValueError("any text but an empty one")
    return text


_PARSERS = {
    bool: _boolean, int: _integer, float: _number, str: _text, Optional[int]: lambda text: _integer(text) if text else None,
    Optional[float]: _optional, Optional[str]: lambda text: text or None,
}


# Columns that only runs with several NICs have: whole numbers, or empty.
_NIC_COLUMNS = {column["name"] for key in ("nic-ports", "stated-flows") for column in COLUMNS[key]}


def _own_values(name, texts):
    """Type and values of a column that only some runs have, from its name and the texts of its fields.

    A column of a script has whole numbers if all fields are; else decimal numbers, None where a field is
    empty; else texts.
    """
    if name == "after":
        return str, list(texts)
    if name in _NIC_COLUMNS and all(re.fullmatch("[0-9]{,10}", text) for text in texts):
        return Optional[int], [int(text) if text else None for text in texts]
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
        value_type, values = _own_values(name, texts)
        # A field with a default may stand before these.
        types.append((name, value_type, dataclasses.field(default=None)))
        columns.append(values)
    extended = dataclasses.make_dataclass(
        kind.__name__, types, bases=(kind,), frozen=True,
        namespace={"__doc__": kind.__doc__, "__module__": __name__},
    )
    names = list(own)
    return extended, [
        extended(**row, **dict(zip(names, values))) for row, *values in zip(rows, *columns)
    ]


def _open_text(path):
    """A text file, opened to read; a byte order mark of UTF-8 is skipped."""
    with open(path, "rb") as handle:
        mark = handle.read(2)
    if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise ResultsError(f"{path}: UTF-16 text; accepted: UTF-8")
    return open(path, newline="", encoding="utf-8-sig")


def _parse_rows(handle, path, kind):
    """The rows of CSV text that has the fields of kind as columns, in any order, among others."""
    fields = dataclasses.fields(kind)
    rows = []
    try:
        reader = csv.reader(handle, strict=True)
        header = next(reader, None)
        if header is None:
            raise ResultsError(f"{path}: the file is empty; accepted: a line of column names")
        columns = []
        for field in fields:
            number = header.count(field.name)
            if number == 0 and field.default is not dataclasses.MISSING:
                continue
            if number != 1:
                raise ResultsError(
                    f"{path}:1: {field.name}: there are {number} columns of that name; accepted: 1"
                )
            columns.append((field.name, header.index(field.name), _PARSERS[field.type]))
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
    return rows_of(kind, rows)


def _read_rows(path, kind):
    """The rows of a file."""
    try:
        with _open_text(path) as handle:
            return _parse_rows(handle, path, kind)
    except FileNotFoundError as error:
        cut = cut_path(path)
        other = f"; the run was cut and wrote {cut}" if os.path.exists(cut) else ""
        raise ResultsError(f"{path}: {error.strerror}{other}") from None
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None


def cut_path(path):
    """The name that a file of rdma-fabric gets if a signal cuts the run: "a.cut.csv" for "a.csv"."""
    stem, extension = os.path.splitext(path)
    return f"{stem}.cut{extension}"


def is_cut(path):
    """Whether the name of a file says that a signal has cut the run."""
    return os.path.splitext(os.path.splitext(path)[0])[1] == ".cut"


def parse_flows(text):
    """The rows of the text of a flows.csv."""
    return _parse_rows(io.StringIO(text.removeprefix("\ufeff"), newline=""), "flows.csv", Flow)


def parse_ports(text):
    """The rows of the text of a ports.csv."""
    return _parse_rows(io.StringIO(text.removeprefix("\ufeff"), newline=""), "ports.csv", Port)


def read_flows(path):
    """The rows of a flows.csv: all flows that started. counted_flows() returns those that count."""
    check_file(path)
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
    check_file(path)
    return _read_rows(path, Port)


def read_time_series(path):
    """The rows of a file of the instrument timeseries."""
    return _read_rows(path, Sample)


def read_monitor(path):
    """The rows of a file of the instrument monitor."""
    return _read_rows(path, Reading)


def _read_object(path):
    """The object in a JSON file."""
    try:
        with _open_text(path) as handle:
            summary = json.load(handle)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ResultsError(f"{path}: not a JSON file: {error}") from None
    if not isinstance(summary, dict):
        raise ResultsError(f"{path}: not a JSON object")
    return summary


def read_summary(path):
    """The object in a summary.json."""
    check_file(path)
    return _read_object(path)


def _is_locked(path):
    """Whether a run still writes to the folder of this run.json."""
    if fcntl is None:
        return False
    try:
        with open(path, encoding="utf-8") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # the file system has no locks
    return False


def read_record(directory):
    """The content of run.json in a folder of results: what the run was, and how it ended.

    Empty if there is no such file. A run that has not ended is an error.
    """
    path = os.path.join(directory, "run.json")
    if not os.path.exists(path):
        return {}
    record = _read_object(path)
    if record.get("state") == "running":
        raise ResultsError(
            f"{directory}: the run is still going on (process {record.get('process')})"
            if _is_locked(path) else
            f"{directory}: the run did not end, because it was killed or failed, and has no results; "
            "run.json has its command"
        )
    return record


def _sha256(path):
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as handle:
            while block := handle.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    return digest.hexdigest()


def _check_record(record, directory, names):
    """Checks that files are those that a run.json names."""
    files = record.get("files")
    if not isinstance(files, dict):
        return
    for name in names:
        path = os.path.join(directory, name)
        if name not in files:
            raise ResultsError(f"{path}: not a file of the run of run.json")
        if _sha256(path) != files[name]:
            raise ResultsError(
                f"{path}: not of the same run as run.json, or changed since: its SHA-256 differs"
            )


def check_file(path):
    """Checks that a file of results belongs to the run.json beside it, if there is one."""
    directory, name = os.path.split(path)
    if name in RESULTS and os.path.exists(path):
        _check_record(read_record(directory), directory, (name,))


# The files of a folder of results.
RESULTS = ("flows.csv", "ports.csv", "summary.json")


def read_run(directory):
    """All files of a folder, which must belong to one run that has ended, as digests show."""
    if not os.path.isdir(directory):
        raise ResultsError(
            f"{directory}: there is no such folder; accepted: one that rdma-fabric --out=DIR wrote"
        )
    record = read_record(directory)
    flows_path, ports_path, summary_path = (os.path.join(directory, name) for name in RESULTS)
    run = Run(
        directory, read_flows(flows_path), read_ports(ports_path), read_summary(summary_path), record
    )
    digest = _sha256(flows_path)
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
