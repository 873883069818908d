/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-measured-columns.h"

#include "rdma-file-table.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Key of summary.json that says how a run ended.
const RdmaResultColumn<RdmaFabricSummary>&
GetEndedColumn()
{
    static const RdmaResultColumn<RdmaFabricSummary> column(
        "ended",
        "",
        "how the run ended: when all counted flows had ended, or cut by a signal, a deadlock or "
        "--stop",
        &RdmaFabricSummary::GetEnding);
    return column;
}

/// Columns of flows.csv with counted flows.
const RdmaFileTable<RdmaFlowResult> g_measuredFlowTable(
    "measured-flows",
    {{"counted",
      "",
      "1: averages and percentiles cover the flow; 0: the flow starts outside the window",
      [](const RdmaFlowResult& f) { return uint64_t{f.isCounted}; }}});

/// \return the keys of summary.json with counted flows
std::vector<RdmaResultColumn<RdmaFabricSummary>>
MakeMeasuredSummaryColumns()
{
    using Summary = RdmaFabricSummary;
    using Column = RdmaResultColumn<Summary>;
    std::vector<Column> columns{
        Column("window_begin_us",
               "us",
               "begin of the window in which counted flows start",
               [](const Summary& s) { return static_cast<double>(s.measured->begin) / 1e6; }),
        Column("window_end_us",
               "us",
               "end of that window",
               [](const Summary& s) { return static_cast<double>(s.measured->end) / 1e6; }),
        {"counted_flows",
         "flows",
         "number of counted flows; avg_slowdown, p99_slowdown, avg_fct_us and p99_fct_us cover "
         "them alone",
         [](const Summary& s) { return s.measured->flows; }},
        {"counted_completed",
         "flows",
         "number of counted flows that finished",
         [](const Summary& s) { return s.measured->completed; }},
        GetEndedColumn()};
    for (std::size_t i = 0; i < RdmaMeasuredSummary::SLICES; ++i)
    {
        const std::string name = "slice" + std::to_string(i + 1);
        const std::string of = "quarter " + std::to_string(i + 1) + " of the window, by start time";
        columns.insert(columns.end(),
                       {Column(name + "_flows",
                               "flows",
                               "number of counted flows in " + of,
                               [i](const Summary& s) { return s.measured->slices[i].flows; }),
                        Column(name + "_completed",
                               "flows",
                               "number of flows that finished in " + of,
                               [i](const Summary& s) { return s.measured->slices[i].completed; }),
                        {name + "_avg_fct_us",
                         "us",
                         "mean FCT in " + of + "; null if no flow finished",
                         [i](const Summary& s) { return s.measured->slices[i].avgFctUs; }},
                        {name + "_avg_slowdown",
                         "",
                         "mean slowdown in " + of + "; null if no flow finished",
                         [i](const Summary& s) { return s.measured->slices[i].avgSlowdown; }}});
    }
    columns.insert(columns.end(),
                   {{"fct_trend",
                     "",
                     "change of the mean FCT over the window, by a straight line through the four "
                     "quarters, over the mean of the quarters; null with too few flows",
                     [](const Summary& s) { return s.measured->fctTrend; }},
                    Column("fct_trend_error",
                           "",
                           "half of the 95% interval of fct_trend (Student's t)",
                           [](const Summary& s) { return s.measured->fctTrendError; }),
                    {"fct_trend_verdict",
                     "",
                     "rising, falling, none (0 is in the interval, and fct_trend_error is at most "
                     "0.25), undecided (0 is in a wider interval) or too few flows",
                     [](const Summary& s) { return s.measured->verdict; }}});
    return columns;
}

/// Keys of summary.json with counted flows.
const RdmaFileTable<RdmaFabricSummary> g_measuredSummaryTable("measured-summary",
                                                              MakeMeasuredSummaryColumns());

/// Key of summary.json that only runs without a window have, if they were cut.
const RdmaFileTable<RdmaFabricSummary> g_cutSummaryTable("cut-summary", {GetEndedColumn()});

} // namespace

void
AddRdmaMeasuredColumns(RdmaResultTables& tables)
{
    tables.flows.Extend(g_measuredFlowTable.GetColumns());
    tables.summary.Extend(g_measuredSummaryTable.GetColumns());
}

void
AddRdmaCutColumns(RdmaResultTables& tables)
{
    tables.summary.Extend(g_cutSummaryTable.GetColumns());
}

} // namespace ns3
