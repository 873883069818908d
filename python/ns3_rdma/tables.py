# SPDX-License-Identifier: GPL-2.0-only
"""Results as pandas tables: of the objects of a run, and of the files that a run leaves behind.

Both have the columns of the files, which README.md explains: flows.csv, ports.csv, summary.json.
The tables of objects are made of the text that the module would write into the files, so they are
equal to those of the files.

Times are float64 in ns. Numbers that may be missing are float64 with NaN, whole numbers are int64,
and texts have pandas' dtype "string".
"""

import dataclasses
import json
from typing import Any, NamedTuple, Optional

from . import results

# summary.json: the totals that a run can tell before it is over, and what the run cost.
_SUMMARY = {
    "flows_total": "int64",
    "flows_completed": "int64",
    "avg_slowdown": "float64",
    "p99_slowdown": "float64",
    "avg_fct_us": "float64",
    "p99_fct_us": "float64",
    "drops": "int64",
    "pause_frames": "int64",
    "ecn_marks": "int64",
    "peak_queue_bytes": "int64",
    "packet_hops": "int64",
    "digest": "string",
}
_COST = {
    "events": "int64",
    "sim_time_us": "float64",
    "cpu_s": "float64",
    "peak_rss_mb": "float64",
}
_DTYPES = {int: "int64", float: "float64", Optional[float]: "float64", str: "string"}


class RunTables(NamedTuple):
    """The tables of a folder of results."""

    flows: Any
    ports: Any
    summary: Any


def _pandas():
    """pandas, which those who only draw do not need."""
    try:
        import pandas
    except ImportError as error:
        raise results.ResultsError(
            "tables need pandas, which is not installed: python3 -m pip install pandas"
        ) from error
    return pandas


def _table(rows, kind):
    """A table of dataclasses."""
    pandas = _pandas()
    columns = {}
    for field in dataclasses.fields(kind):
        values = [getattr(row, field.name) for row in rows]
        columns[field.name] = pandas.Series(values, dtype=_DTYPES[field.type])
    return pandas.DataFrame(columns)


def _summary(values, dtypes):
    """A table of one row."""
    pandas = _pandas()
    return pandas.DataFrame(
        {name: pandas.Series([values[name]], dtype=dtype) for name, dtype in dtypes.items()}
    )


def flow_table(runner):
    """A row for each flow of an RdmaFlowRunner (or RdmaTcpFlowRunner), by id, as in flows.csv."""
    from ns import ns

    text = ns.FormatRdmaFlowsCsv(runner.GetResults())
    return _table(results.parse_flows(str(text)), results.Flow)


def port_table(fabric):
    """A row for each priority of each port of an RdmaFabric, as in ports.csv."""
    from ns import ns

    text = ns.FormatRdmaPortsCsv(fabric.GetPortResults())
    return _table(results.parse_ports(str(text)), results.Port)


def summary_table(fabric, runner):
    """The totals of a fabric and of the flows on it: one row, as in summary.json.

    Columns that say what the run cost (events, sim_time_us, cpu_s, peak_rss_mb) are only in tables
    of files.
    """
    from ns import ns

    summary = ns.MakeRdmaSummary(runner.GetResults())
    totals = fabric.GetTotals()
    for name in ("drops", "pauseFrames", "ecnMarks", "peakQueueBytes", "packetHops"):
        setattr(summary, name, getattr(totals, name))
    return _summary(json.loads(str(ns.FormatRdmaSummaryJson(summary))), _SUMMARY)


def read_flow_table(path):
    """The table of a flows.csv."""
    return _table(results.read_flows(path), results.Flow)


def read_port_table(path):
    """The table of a ports.csv."""
    return _table(results.read_ports(path), results.Port)


def read_time_series_table(path):
    """The table of a file of rdma-fabric --timeseries."""
    return _table(results.read_time_series(path), results.Sample)


def read_monitor_table(path):
    """The table of a file of rdma-fabric --monitor."""
    return _table(results.read_monitor(path), results.Reading)


def read_tables(directory):
    """The tables of a folder that rdma-fabric --out=DIR or WriteRdmaReport() wrote.

    Its three files must be of one run.
    """
    run = results.read_run(directory)
    dtypes = {**_SUMMARY, **_COST}
    for name in dtypes:
        if name not in run.summary:
            raise results.ResultsError(
                f'{directory}/summary.json: there is no "{name}"; accepted: a file with '
                f"{', '.join(dtypes)}"
            )
    return RunTables(
        _table(run.flows, results.Flow),
        _table(run.ports, results.Port),
        _summary(run.summary, dtypes),
    )
