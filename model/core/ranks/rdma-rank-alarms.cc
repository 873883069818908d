/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-alarms.h"

#include "rdma-ranks.h"
#include "rdma-shared-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRankAlarms);

TypeId
RdmaRankAlarms::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaRankAlarms")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaRankAlarms>();
    return tid;
}

Ptr<RdmaRankAlarms>
RdmaRankAlarms::Get()
{
    if (!RdmaRanks::AreSeveral())
    {
        return nullptr;
    }
    const auto simulator = DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation());
    if (!simulator)
    {
        return nullptr;
    }
    auto alarms = simulator->GetObject<RdmaRankAlarms>();
    if (!alarms)
    {
        alarms = CreateObject<RdmaRankAlarms>();
        simulator->AggregateObject(alarms);
    }
    return alarms;
}

uint32_t
RdmaRankAlarms::Add(Listener listener)
{
    m_listeners.push_back(std::move(listener));
    return static_cast<uint32_t>(m_listeners.size() - 1);
}

void
RdmaRankAlarms::Request(uint32_t number, RdmaPs at)
{
    NS_ABORT_MSG_IF(at <= RdmaNow() + 2 * m_lookahead,
                    "rdma: something is to happen on all ranks at "
                        << at << " ps, and it is " << RdmaNow() << " ps; accepted: more than "
                        << 2 * m_lookahead
                        << " ps later, twice the shortest delay of a cable between ranks");
    m_requests.push_back({number, at});
    Note(at);
}

void
RdmaRankAlarms::Note(RdmaPs at)
{
    m_instants.erase(m_instants.begin(), m_instants.lower_bound(RdmaNow()));
    m_instants.insert(at);
}

RdmaPs
RdmaRankAlarms::GetNext(RdmaPs from) const
{
    const auto next = m_instants.lower_bound(from);
    return next == m_instants.end() ? RDMA_NEVER : *next;
}

std::string
RdmaRankAlarms::Take()
{
    RdmaRecordWriter writer;
    for (const Alarm& alarm : std::exchange(m_requests, {}))
    {
        writer.Put(alarm);
    }
    return writer.Get();
}

void
RdmaRankAlarms::Tell(std::string_view requests)
{
    for (RdmaRecordReader reader(requests); !reader.IsAtEnd();)
    {
        const auto alarm = reader.Take<Alarm>();
        Note(alarm.at);
        m_listeners.at(alarm.number)(alarm.at);
    }
}

} // namespace ns3
