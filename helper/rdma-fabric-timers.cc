/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-timers.h"

#include "qbb-path-selector.h"
#include "qbb-wire.h"
#include "rdma-bdp.h"
#include "rdma-fabric.h"
#include "rdma-refuse.h"
#include "rdma-time.h"
#include "rdma-warnings.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/** \return frame bytes of a full packet and of its acknowledgement */
std::pair<uint32_t, uint32_t>
GetFrameBytes(const RdmaFabric& fabric)
{
    const Ptr<RdmaNic> nic = fabric.GetNic(fabric.GetTopology().GetHosts().front());
    const auto prototype = nic->MakePrototype(RdmaNic::FIRST_QPN);
    const RdmaPacketFormat& format = prototype->GetTransport()->GetPacketFormat();
    const auto bytes = [](RdmaOpcode opcode, uint32_t payload) {
        return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), payload, false);
    };
    return {bytes(format.write, prototype->GetPathMtu()), bytes(format.acknowledge, 0)};
}

/** \return the time in us with up to two decimals */
std::string
FormatUs(RdmaPs time)
{
    std::ostringstream text;
    text << std::llround(static_cast<double>(time.Get()) / 1e4) / 100.0 << " us";
    return text.str();
}

} // namespace

RdmaFabricTimers::RdmaFabricTimers(const RdmaFabric& fabric,
                                   Ptr<RdmaTransport> transport,
                                   std::set<std::string> given)
    : m_fabric(fabric),
      m_transport(transport),
      m_given(std::move(given))
{
    const auto timeouts = m_transport->GetTimeouts({});
    for (const auto& [attribute, timeout] : timeouts)
    {
        m_known[attribute] = GetAttribute(attribute);
    }
    m_timer = timeouts.empty() ? "" : timeouts.front().first;
}

Time
RdmaFabricTimers::GetAttribute(const std::string& attribute) const
{
    TimeValue value;
    m_transport->GetAttribute(attribute, value);
    return value.Get();
}

void
RdmaFabricTimers::SetAttribute(const std::string& attribute, Time value)
{
    // SetLossy() passes the value on to queue pairs that are connected already.
    m_transport->ChangeForAll([&] { m_transport->SetAttribute(attribute, TimeValue(value)); });
    m_known[attribute] = value;
}

bool
RdmaFabricTimers::IsGiven(const std::string& attribute) const
{
    return m_given.count(attribute) > 0 || GetAttribute(attribute) != m_known.at(attribute);
}

bool
RdmaFabricTimers::NeedsTimer(uint8_t priority) const
{
    // A receiver that discards what comes early loses packets where paths reorder.
    return !m_network[priority].loss.empty() || m_wantsTimer ||
           (!m_reordering.empty() && m_transport->TakesReorderingForLoss());
}

void
RdmaFabricTimers::Examine()
{
    m_network = ExamineRdmaNetwork(m_fabric);
    ReadTimer();
    m_examined = true;
    m_set = false;
    m_isTimed = false;
    FindReordering();
    TurnOffUnlessNeeded();
}

void
RdmaFabricTimers::FindReordering()
{
    m_reordering.clear();
    const RdmaTopology& topology = m_fabric.GetTopology();
    // A tree has one path between two hosts, so that no packet overtakes another one.
    if (topology.GetNLinks() < topology.GetNNodes())
    {
        return;
    }
    for (const uint32_t nic : topology.GetNics())
    {
        m_reordering =
            m_reordering.empty() ? m_fabric.GetNic(nic)->GetReorderingEntropy() : m_reordering;
    }
    RdmaPs roundTrip{0};
    for (const uint32_t id : topology.GetSwitches())
    {
        const auto selector = m_fabric.GetSwitch(id)->GetPathSelector();
        if (selector && roundTrip == 0_ps)
        {
            const auto [packet, ack] = GetFrameBytes(m_fabric);
            roundTrip = GetRdmaLongestPath(topology, packet, ack).roundTrip;
        }
        if (selector && selector->MayReorder(roundTrip))
        {
            m_reordering = selector->GetInstanceTypeId().GetName();
            return;
        }
    }
}

void
RdmaFabricTimers::ComputeTimes()
{
    if (m_isTimed)
    {
        return;
    }
    m_isTimed = true;
    uint8_t classes = 0;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        classes |= static_cast<uint8_t>(NeedsTimer(priority) ? 1U << priority : 0);
    }
    const auto [packet, ack] = GetFrameBytes(m_fabric);
    m_times = GetRdmaNetworkTimes(m_fabric, m_network, classes, packet, ack);
    m_times.spread = m_reordering.empty() ? RdmaPs(0) : m_times.spread;
}

bool
RdmaFabricTimers::SetReordering()
{
    if (m_isTold)
    {
        return false;
    }
    m_isTold = true;
    if (m_reordering.empty())
    {
        if (m_isSpread)
        {
            m_isSpread = false;
            m_transport->SetReordering(RdmaNetworkTimes());
        }
        return false;
    }
    m_isSpread = true;
    ComputeTimes();
    RdmaNetworkTimes times = m_times;
    const bool loses = std::any_of(m_network.begin(), m_network.end(), [](const auto& network) {
        return !network.loss.empty();
    });
    times.spread = loses ? std::max(times.spread, times.roundTrip) : RDMA_NEVER;
    m_transport->SetReordering(times);
    return true;
}

void
RdmaFabricTimers::TurnOffUnlessNeeded()
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if (NeedsTimer(priority))
        {
            return;
        }
    }
    if (!m_timer.empty() && !m_isTimerGiven)
    {
        SetAttribute(m_timer, Time(0));
        ReadTimer();
    }
}

void
RdmaFabricTimers::ReadTimer()
{
    if (m_timer.empty())
    {
        return;
    }
    m_isTimerGiven = IsGiven(m_timer);
    m_isTimerOff = GetAttribute(m_timer).IsZero();
    // Who sets a shorter timeout than the first one wants the timer.
    m_wantsTimer = m_transport->WantsTimer() ||
                   std::any_of(m_known.begin(), m_known.end(), [this](const auto& known) {
                       return known.first != m_timer && IsGiven(known.first);
                   });
}

bool
RdmaFabricTimers::SetTimeouts()
{
    if (m_set)
    {
        return false;
    }
    m_set = true;
    ComputeTimes();
    const auto timeouts = m_transport->GetTimeouts(m_times);
    // The first timeout is the longest one. The user may have set it, or shorter ones.
    Time longest = RdmaToTime(timeouts.front().second);
    for (const auto& [attribute, timeout] : timeouts)
    {
        longest = IsGiven(attribute) ? std::max(longest, GetAttribute(attribute)) : longest;
    }
    longest = IsGiven(m_timer) ? GetAttribute(m_timer) : longest;
    for (const auto& [attribute, timeout] : timeouts)
    {
        if (!IsGiven(attribute))
        {
            const Time time =
                attribute == m_timer ? longest : std::min(RdmaToTime(timeout), longest);
            SetAttribute(attribute, time);
        }
    }
    ReadTimer();
    return true;
}

std::string
RdmaFabricTimers::GetRefusal(uint8_t priority)
{
    if (!m_begun)
    {
        if (!m_examined)
        {
            Examine();
        }
        ReadTimer();
    }
    if (m_network[priority].loss.empty() || !m_isTimerGiven || !m_isTimerOff)
    {
        return "";
    }
    return "frames of class " + std::to_string(priority) + " may get lost (" +
           m_network[priority].loss + "), and without a timer a flow may then never end";
}

void
RdmaFabricTimers::Connect(RdmaPacketEngine& qp)
{
    if (qp.connection.transport != PeekPointer(m_transport))
    {
        return;
    }
    const uint8_t priority = qp.GetPriority();
    const std::string refusal = GetRefusal(priority);
    if (!m_connected.exchange(true) && m_begun)
    {
        NoteReordering();
    }
    if (!refusal.empty())
    {
        throw std::invalid_argument(m_transport->GetInstanceTypeId().GetName() + "::" + m_timer +
                                    " is 0; " + refusal +
                                    "; accepted: the default, which the network then determines, "
                                    "or a time above 0, longer than the run for a run without "
                                    "timeouts");
    }
    const bool isReordering = SetReordering();
    if (m_timer.empty())
    {
        return;
    }
    if (!NeedsTimer(priority))
    {
        if (!m_isTimerGiven && !m_isTimerOff)
        {
            qp.SetLossy(false);
        }
        else if (isReordering || !m_begun)
        {
            qp.GetRequester().RenewSender();
        }
        return;
    }
    if (SetTimeouts() || isReordering || !m_begun)
    {
        qp.SetLossy(true); // the queue pair was created with the former timeouts
    }
}

void
RdmaFabricTimers::Begin()
{
    const auto hosts = m_fabric.GetTopology().GetHosts();
    if (hosts.empty())
    {
        return;
    }
    const auto before = m_network;
    const bool wasExamined = m_examined;
    m_isTold = false;
    Examine();
    bool isDifferent = false;
    bool needsTimer = false;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        isDifferent = isDifferent || m_isSpread != !m_reordering.empty() ||
                      before[priority].loss.empty() != m_network[priority].loss.empty() ||
                      before[priority].queueTime != m_network[priority].queueTime;
        needsTimer = needsTimer || NeedsTimer(priority);
    }
    bool hasApplications = false;
    for (const uint32_t host : hosts)
    {
        hasApplications = hasApplications || m_fabric.GetNode(host)->GetNApplications() > 0;
        if (wasExamined && isDifferent)
        {
            m_fabric.GetNic(host)->ForEachQueuePair([this](RdmaQueuePair& qp) {
                if (qp.GetState() == RdmaQpState::RTR || qp.GetState() == RdmaQpState::RTS)
                {
                    Connect(RdmaPacketEngine::Of(qp));
                }
            });
        }
    }
    // Events of hosts, perhaps on several threads, may connect queue pairs later.
    if (needsTimer && !m_timer.empty() && (hasApplications || m_connected))
    {
        SetTimeouts();
    }
    SetReordering();
    ReadTimer();
    for (const uint32_t host : hosts)
    {
        m_fabric.GetNic(host)->ForEachQueuePair([this](RdmaQueuePair& qp) {
            // An event may connect the queue pair, and the times of its sender are those of before.
            if (qp.GetState() == RdmaQpState::INIT && qp.GetTransport() == m_transport)
            {
                RdmaPacketEngine::Of(qp).GetRequester().RenewSender();
            }
        });
    }
    m_begun = true;
    if (m_connected)
    {
        NoteReordering();
    }
}

std::string
RdmaFabricTimers::DescribeReordering() const
{
    if (m_reordering.empty())
    {
        return "";
    }
    const std::string text = "with " + m_reordering +
                             " packets of a queue pair overtake each other, and " +
                             m_transport->GetInstanceTypeId().GetName();
    return m_transport->TakesReorderingForLoss()
               ? text + " takes the packets that come late for lost: it sends packets again "
                        "although nothing is lost"
               : text + " stands this: " + m_transport->DescribeReordering();
}

void
RdmaFabricTimers::NoteReordering()
{
    if (m_reordering.empty())
    {
        return;
    }
    RdmaWarnOnce(GetRdmaWarnings(), "rdma: note: " + DescribeReordering() + "\n");
    const Ptr<RdmaNic> nic = m_fabric.GetNic(m_fabric.GetTopology().GetHosts().front());
    if (const auto control = nic->GetCongestionControl(); control && control->NeedsOnePath())
    {
        RdmaWarnOnce(GetRdmaWarnings(),
                     "rdma: note: with " + m_reordering +
                         " packets of a queue pair take several paths, and " +
                         control->GetInstanceTypeId().GetName() +
                         " compares the telemetry of successive packets as if they had taken one: "
                         "rates are too low\n");
    }
}

std::string
RdmaFabricTimers::Describe(uint8_t priority)
{
    if (!m_examined)
    {
        Examine();
    }
    if (m_timer.empty())
    {
        return "Retransmission timer: that of " + m_transport->GetInstanceTypeId().GetName() + ".";
    }
    const RdmaClassNetwork& network = m_network[priority];
    const std::string why = network.loss.empty() ? "No frame of the class can get lost."
                                                 : "Frames may get lost: " + network.loss + ".";
    if (!NeedsTimer(priority) && !IsGiven(m_timer))
    {
        return "Retransmission timer: off. " + why;
    }
    SetTimeouts();
    std::string text = "Retransmission timer:";
    for (const auto& [attribute, timeout] : m_transport->GetTimeouts(m_times))
    {
        text += (attribute == m_timer ? " " : ", ") + attribute + " " +
                FormatUs(RdmaToPs(GetAttribute(attribute))) +
                (IsGiven(attribute) ? " (given)" : "");
    }
    return text + ". " + why + " Longest round trip " + FormatUs(m_times.roundTrip) +
           ", longest queue " + FormatUs(m_times.queue) + ".";
}

} // namespace ns3
