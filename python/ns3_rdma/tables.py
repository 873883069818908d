# SPDX-License-Identifier: GPL-2.0-only
"""Results as pandas tables: of the objects of a run, and of the files that a run writes.

Both have the columns of the files, which doc/columns.rst explains: flows.csv, ports.csv,
summary.json; those that a script has added to a run come last.
Tables of flows have the flows that the run counts, so that their means are the run's own: with
--measure, the flows that start in the window. With all_flows=True they have all flows that started,
with the column counted.
The tables of objects are made of the text that the module would write into the files, so they are
equal to those of the files.

Times are float64 in ns. Numbers that may be missing are float64 with NaN, whole numbers are int64,
and texts have pandas' dtype "string".
"""

import dataclasses
import json
from typing import Any, NamedTuple, Optional

from . import results

_DTYPES = {
    bool: "bool", int: "int64", float: "float64", str: "string", Optional[int]: "float64",
    Optional[float]: "float64", Optional[str]: "string",
}


class RunTables(NamedTuple):
    """The tables of a folder of results."""

    flows: Any
    ports: Any
    summary: Any


def _pandas():
    """The package pandas, which programs that only draw do not need."""
    try:
        import pandas
    except ImportError as error:
        raise results.ResultsError(
            "tables need pandas, which is not installed: python3 -m pip install pandas"
        ) from error
    return pandas


def _table(rows):
    """A table of results.Rows."""
    pandas = _pandas()
    columns = {}
    for field in dataclasses.fields(rows.kind):
        values = [getattr(row, field.name) for row in rows]
        columns[field.name] = pandas.Series(values, dtype=_DTYPES[field.type])
    return pandas.DataFrame(columns)


def _flow_table(flows, all_flows):
    """The table of the flows that count, or of all with the column counted."""
    if all_flows:
        return _table(flows)
    return _table(results.counted_flows(flows)).drop(columns="counted")


def _summary_dtypes(subjects):
    """The keys of a summary that tell of the given subjects, with the types of their values."""
    return {
        column["name"]: _DTYPES[results.column_type(column)]
        for column in results.COLUMNS["summary"] if column["subject"] in subjects
    }


def _own_dtypes(values):
    """The keys that a script has added to a summary, with the types of their values."""
    known = {column["name"] for column in results.COLUMNS["summary"]}
    return {
        name: {int: "int64", str: "string"}.get(type(value), "float64")
        for name, value in values.items()
        if name not in known and (value is None or type(value) in (int, float, str))
    }


def _summary(values, dtypes):
    """A table of one row."""
    pandas = _pandas()
    return pandas.DataFrame(
        {name: pandas.Series([values[name]], dtype=dtype) for name, dtype in dtypes.items()}
    )


def _columns(runner, measured=False):
    """The columns of the files of a run (RdmaResultTables); measured: with those of a window."""
    from ns import ns

    tables = ns.RdmaResultTables()
    if measured:
        ns.AddRdmaMeasuredColumns(tables)
    if runner.GetFabric().GetTimers().IsReordering():
        ns.AddRdmaReorderingColumns(tables)
    ns.AddRdmaStatedColumns(tables, runner.GetResults())
    return tables


def flow_table(runner, all_flows=False):
    """A row for each flow of an RdmaFlowRunner (or RdmaTcpFlowRunner), by id, as in flows.csv.

    The flows that the runner counts (SetWindow()), or all flows with the column counted. Where the
    paths of the fabric reorder packets, the table has the columns for that as well.
    """
    from ns import ns

    text = ns.FormatRdmaFlowsCsv(runner.GetResults(), _columns(runner, measured=True))
    return _flow_table(results.parse_flows(str(text)), all_flows)


def port_table(fabric):
    """A row for each priority of each port of an RdmaFabric, as in ports.csv."""
    from ns import ns

    text = ns.FormatRdmaPortsCsv(fabric.GetPortResults())
    return _table(results.parse_ports(str(text)))


def summary_table(fabric, runner):
    """The totals of a fabric and of the flows on it: one row, as in summary.json.

    Columns that tell of the run itself and what it cost (events, sim_time_us, cpu_s, peak_rss_mb)
    are only in tables of files. If the runner counts the flows of a window, averages and percentiles
    cover these, and counted_flows and counted_completed say how many there are.
    """
    from ns import ns

    flows = runner.GetResults()
    summary = ns.MakeRdmaSummary(flows, fabric.GetTotals(), _columns(runner))
    values = json.loads(str(ns.FormatRdmaSummaryJson(summary)))
    dtypes = _summary_dtypes(("network",))
    counted = [flow for flow in flows if flow.isCounted]
    if len(counted) < len(flows):
        values["counted_flows"] = len(counted)
        values["counted_completed"] = sum(flow.IsCompleted() for flow in counted)
        dtypes.update(counted_flows="int64", counted_completed="int64")
    return _summary(values, dtypes)


def read_flow_table(path, all_flows=False):
    """The table of a flows.csv: the flows that count, or all with the column counted."""
    return _flow_table(results.read_flows(path), all_flows)


def read_port_table(path):
    """The table of a ports.csv."""
    return _table(results.read_ports(path))


def read_time_series_table(path):
    """The table of a file of the instrument timeseries."""
    return _table(results.read_time_series(path))


def read_monitor_table(path):
    """The table of a file of the instrument monitor."""
    return _table(results.read_monitor(path))


def read_tables(directory, all_flows=False):
    """The tables of a folder that rdma-fabric --out=DIR or WriteRdmaReport() wrote.

    The files must belong to one run, which has ended. read_record() says whether it was cut.
    """
    run = results.read_run(directory)
    dtypes = _summary_dtypes(("network", "run"))
    for name in dtypes:
        if name not in run.summary:
            raise results.ResultsError(
                f'{directory}/summary.json: there is no "{name}"; accepted: a file with '
                f"{', '.join(dtypes)}"
            )
    return RunTables(
        _flow_table(run.all_flows, all_flows),
        _table(run.ports),
        _summary(run.summary, {**dtypes, **_own_dtypes(run.summary)}),
    )
