/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"

#include "rdma-compat.h"
#include "rdma-refuse.h"

#include <ns3/pointer.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCollective);

TypeId
RdmaCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaCollective")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("Channels",
                          "Number of channels, among which the data are divided. Messages of "
                          "different channels do not wait for each other.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaCollective::m_channels),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("Chunks",
                          "Number of messages in which each step of a channel is sent.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaCollective::m_chunks),
                          MakeUintegerChecker<uint32_t>(1, 1'000'000'000))
            .AddAttribute("Steps",
                          "When the chunks of a step are sent: Blocking, when all chunks of the "
                          "previous step have arrived; Pipelined, each when its data are there.",
                          EnumValue(BLOCKING),
                          RdmaMakeEnumAccessor<Steps>(&RdmaCollective::m_steps),
                          MakeEnumChecker(BLOCKING, "Blocking", PIPELINED, "Pipelined"))
            .AddAttribute(
                "Depth",
                "Most messages that a channel of a rank sends at a time, and most that it "
                "is ready to receive at a time; 0: any number.",
                UintegerValue(8),
                MakeUintegerAccessor(&RdmaCollective::m_depth),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("EagerBytes",
                          "Messages above this size are sent when the receiver is ready "
                          "(rendezvous); all others at once (eager).",
                          UintegerValue(std::numeric_limits<uint64_t>::max()),
                          MakeUintegerAccessor(&RdmaCollective::m_eagerBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("StartDelay",
                          "Time in nanoseconds by which a rank enters a call late, drawn for each "
                          "rank and call: stragglers. Null: no rank is late.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaCollective::m_delay),
                          MakePointerChecker<RandomVariableStream>());
    return tid;
}

std::string
RdmaCollective::GetOperationName() const
{
    switch (GetOperation())
    {
    case Operation::ALL_REDUCE:
        return "all_reduce";
    case Operation::REDUCE_SCATTER:
        return "reduce_scatter";
    case Operation::ALL_GATHER:
        return "all_gather";
    case Operation::BROADCAST:
        return "broadcast";
    case Operation::ALL_TO_ALL:
        return "alltoall";
    case Operation::BARRIER:
        return "barrier";
    }
    return "";
}

double
RdmaCollective::GetBusFactor(uint32_t ranks) const
{
    const double others = ranks == 0 ? 0 : (ranks - 1.0) / ranks;
    switch (GetOperation())
    {
    case Operation::ALL_REDUCE:
        return 2 * others;
    case Operation::REDUCE_SCATTER:
    case Operation::ALL_GATHER:
    case Operation::ALL_TO_ALL:
        return others;
    case Operation::BROADCAST:
    case Operation::BARRIER:
        break;
    }
    return 1;
}

bool
RdmaCollective::Reduces() const
{
    return GetOperation() == Operation::ALL_REDUCE || GetOperation() == Operation::REDUCE_SCATTER;
}

int64_t
RdmaCollective::GetRoot() const
{
    return -1;
}

bool
RdmaCollective::HasParts() const
{
    return GetOperation() == Operation::ALL_GATHER || GetOperation() == Operation::REDUCE_SCATTER ||
           GetOperation() == Operation::ALL_TO_ALL;
}

bool
RdmaCollective::NeedsSwitch() const
{
    return false;
}

void
RdmaCollective::Prepare(uint32_t ranks, uint64_t /*bytes*/)
{
    Check(ranks > 0, "0 ranks", "1 or more");
}

void
RdmaCollective::Check(bool accepted, const std::string& problem, const std::string& instead) const
{
    RefuseRdmaIf(!accepted, GetInstanceTypeId().GetName(), ": ", problem, "; accepted: ", instead);
}

std::vector<std::unique_ptr<RdmaRankProgram>>
RdmaCollective::MakePrograms(const RdmaCollectiveScope& scope, uint64_t bytes) const
{
    std::vector<std::unique_ptr<RdmaRankProgram>> programs;
    if (scope.count < 2)
    {
        return programs;
    }
    const uint32_t each = GetPrograms();
    for (uint32_t i = 0; i < m_channels * each; ++i)
    {
        RdmaCollectiveScope part = scope;
        part.tag = i;
        const uint64_t share = GetRdmaShare(bytes, m_channels, i / each);
        programs.push_back(MakeProgram(part, GetRdmaShare(share, each, i % each)));
    }
    return programs;
}

uint32_t
RdmaCollective::GetPrograms() const
{
    return 1;
}

RdmaPs
RdmaCollective::DrawStartDelay()
{
    if (!m_delay)
    {
        return RdmaPs(0);
    }
    const double ns = m_delay->GetValue();
    Check(ns >= 0 && ns < 1e12, "a StartDelay of " + std::to_string(ns) + " ns", "0 to 1e12 ns");
    return RdmaPs(static_cast<int64_t>(std::llround(ns * 1e3)));
}

int64_t
RdmaCollective::AssignStreams(int64_t stream)
{
    if (m_delay)
    {
        m_delay->SetStream(stream);
    }
    return 1;
}

} // namespace ns3
