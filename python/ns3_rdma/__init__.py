# SPDX-License-Identifier: GPL-2.0-only
"""Results of the rdma module of ns-3 as pandas tables.

The module itself is in "from ns import ns". This package turns the objects of a run, and the files
that a run writes, into pandas.DataFrame.

    from ns import ns
    import ns3_rdma

    runner = ns.RdmaFlowRunner.Make(fabric, flows)
    ns.Simulator.Run()
    flows = ns3_rdma.flow_table(runner)
    print(flows.groupby("bytes").slowdown.mean())
"""

from .results import ResultsError, read_record
from .tables import (
    RunTables, flow_table, port_table, read_flow_table, read_monitor_table, read_port_table,
    read_tables, read_time_series_table, summary_table,
)

__all__ = [
    "ResultsError", "RunTables", "flow_table", "port_table", "read_flow_table",
    "read_monitor_table", "read_port_table", "read_record", "read_tables",
    "read_time_series_table", "summary_table",
]
