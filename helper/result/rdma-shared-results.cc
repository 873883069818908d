/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-shared-results.h"

#include "rdma-ranks.h"
#include "rdma-shared-run.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/** Calls a function for each counter of a port. */
template <typename Row, typename Function>
void
ForEachCounter(Row& row, Function function)
{
    for (const RdmaPortCounter& counter : GetRdmaPortCounters())
    {
        function(row.*counter.value);
    }
    function(row.pausedTime);
    function(row.peakQueueBytes);
}

void
PutFlow(RdmaRecordWriter& writer, const RdmaFlowResult& result)
{
    writer.Put(result.flow);
    writer.Put(result.fct);
    writer.Put(result.cqe);
    writer.Put(result.ideal);
    writer.Put(result.retransmittedPackets);
    writer.Put(result.timeouts);
    writer.Put(result.reordering);
    writer.Put(result.isCounted);
    writer.PutText(result.status);
}

RdmaFlowResult
TakeFlow(RdmaRecordReader& reader)
{
    RdmaFlowResult result;
    result.flow = reader.Take<RdmaFlow>();
    result.fct = reader.Take<std::optional<RdmaPs>>();
    result.cqe = reader.Take<std::optional<RdmaPs>>();
    result.ideal = reader.Take<RdmaPs>();
    result.retransmittedPackets = reader.Take<uint64_t>();
    result.timeouts = reader.Take<uint64_t>();
    result.reordering = reader.Take<RdmaFlowReordering>();
    result.isCounted = reader.Take<bool>();
    result.status = reader.TakeText();
    return result;
}

} // namespace

void
GatherRdmaFlows(std::vector<RdmaFlowResult>& flows, const RdmaFabric& fabric)
{
    if (!IsRdmaRunShared())
    {
        return;
    }
    RdmaRecordWriter writer;
    for (const RdmaFlowResult& result : flows)
    {
        if (IsRdmaNodeLocal(*fabric.GetNode(result.flow.srcHost)))
        {
            PutFlow(writer, result);
        }
    }
    // All ranks have read the same workload.
    std::map<uint64_t, RdmaFlowResult> waiting;
    for (const RdmaFlowResult& result : flows)
    {
        if (result.dependency)
        {
            waiting.emplace(result.flow.id, result);
        }
    }
    flows.clear();
    ForEachRdmaRecord(writer, [&flows, &waiting](RdmaRecordReader& reader) {
        flows.push_back(TakeFlow(reader));
        if (const auto found = waiting.find(flows.back().flow.id); found != waiting.end())
        {
            flows.back().dependency = found->second.dependency;
            flows.back().earliest = found->second.earliest;
        }
    });
    std::sort(flows.begin(), flows.end(), [](const RdmaFlowResult& a, const RdmaFlowResult& b) {
        return a.flow.id < b.flow.id;
    });
}

void
GatherRdmaPorts(std::vector<RdmaPortResult>& ports, const RdmaFabric& fabric)
{
    if (!IsRdmaRunShared())
    {
        return;
    }
    RdmaRecordWriter writer;
    for (const RdmaPortResult& row : ports)
    {
        if (IsRdmaNodeLocal(*fabric.GetNode(row.port->node)))
        {
            ForEachCounter(row, [&writer](const auto& counter) { writer.Put(counter); });
        }
    }
    const std::vector<std::string> texts = RdmaRanks::Exchange(writer.Get());
    std::vector<RdmaRecordReader> readers(texts.begin(), texts.end());
    for (RdmaPortResult& row : ports)
    {
        RdmaRecordReader& reader = readers.at(fabric.GetNode(row.port->node)->GetSystemId());
        ForEachCounter(row, [&reader](auto& counter) {
            counter = reader.Take<std::decay_t<decltype(counter)>>();
        });
    }
}

RdmaFabricTotals
GatherRdmaTotals(const RdmaFabricTotals& totals)
{
    RdmaFabricTotals sum;
    for (const RdmaFabricTotals& of : ShareRdmaValues(std::vector<RdmaFabricTotals>{totals}))
    {
        sum.packetHops += of.packetHops;
        sum.drops += of.drops;
        sum.pauseFrames += of.pauseFrames;
        sum.ecnMarks += of.ecnMarks;
        sum.peakQueueBytes = std::max(sum.peakQueueBytes, of.peakQueueBytes);
    }
    return sum;
}

std::string
JoinRdmaTexts(const std::map<std::pair<uint32_t, uint32_t>, std::string>& texts)
{
    RdmaRecordWriter writer;
    for (const auto& [place, text] : texts)
    {
        writer.Put(place.first);
        writer.Put(place.second);
        writer.PutText(text);
    }
    std::map<std::pair<uint32_t, uint32_t>, std::string> all;
    ForEachRdmaRecord(writer, [&all](RdmaRecordReader& reader) {
        const auto first = reader.Take<uint32_t>();
        const auto second = reader.Take<uint32_t>();
        all[{first, second}] = reader.TakeText();
    });
    std::string joined;
    for (const auto& [place, text] : all)
    {
        joined += text;
    }
    return joined;
}

} // namespace ns3
