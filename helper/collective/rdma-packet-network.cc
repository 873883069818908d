/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-network.h"

#include "rdma-connection-receiver.h"
#include "rdma-connection-sender.h"
#include "rdma-fabric.h"
#include "rdma-nic.h"
#include "rdma-part-name.h"
#include "rdma-queue-history.h"
#include "rdma-refuse.h"
#include "rdma-ring-buffer.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/pointer.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <map>
#include <sstream>
#include <tuple>
#include <unordered_map>

namespace ns3
{

namespace
{

constexpr uint32_t CLASSES = 8;          // number of traffic classes
constexpr uint32_t QPN_LIMIT = 1U << 24; // queue pair numbers have 24 bits

/**
 * What tells a message from others, in the 64 bits of the RETH's address: the kind of the message,
 * the number of a form, and the context, tag and sequence with the bits of the form. One form is
 * not enough, because each of the three may be large.
 */
namespace envelope
{

constexpr uint32_t KIND_BITS = 2;
constexpr uint32_t FORM_BITS = 2;

/** Bits of the members of a form: 60 in all. */
struct Form
{
    uint32_t context;
    uint32_t tag;
    uint32_t sequence;
};

constexpr std::array<Form, 1 << FORM_BITS> FORMS{{
    {20, 8, 32},
    {20, 20, 20},
    {14, 32, 14},
    {32, 14, 14},
}};

bool
Fits(uint32_t value, uint32_t bits)
{
    return uint64_t{value} >> bits == 0;
}

uint64_t
Pack(const RdmaScheduleMessage& message)
{
    for (uint32_t i = 0; i < FORMS.size(); ++i)
    {
        const Form& form = FORMS[i];
        if (Fits(message.context, form.context) && Fits(message.tag, form.tag) &&
            Fits(message.sequence, form.sequence))
        {
            uint64_t bits = message.context;
            bits = (bits << form.tag) | message.tag;
            bits = (bits << form.sequence) | message.sequence;
            bits = (bits << FORM_BITS) | i;
            return (bits << KIND_BITS) | static_cast<uint64_t>(message.kind);
        }
    }
    RefuseRdmaIf(true,
                 "message ",
                 message.sequence,
                 " of context ",
                 message.context,
                 " with tag ",
                 message.tag,
                 " from rank ",
                 message.from,
                 " to rank ",
                 message.to,
                 "; accepted: context below 2^20 and either tag below 2^8 or tag and number below "
                 "2^20, or number below 2^14 and either context or tag below 2^14");
    return 0;
}

/** \param [out] message takes the context, tag, sequence and kind */
void
Unpack(uint64_t bits, RdmaScheduleMessage& message)
{
    const auto take = [&bits](uint32_t count) {
        const uint64_t value = bits & ((uint64_t{1} << count) - 1);
        bits >>= count;
        return static_cast<uint32_t>(value);
    };
    message.kind = static_cast<RdmaScheduleMessage::Kind>(take(KIND_BITS));
    const Form& form = FORMS[take(FORM_BITS)];
    message.sequence = take(form.sequence);
    message.tag = take(form.tag);
    message.context = take(form.context);
}

} // namespace envelope

} // namespace

/** The sending half of a connection, with the numbers of its messages. */
class RdmaPacketNetwork::Outgoing : public RdmaHostConnectionUser
{
  public:
    /** \param network the network \param key the connection \param host host of the carrier */
    Outgoing(RdmaPacketNetwork& network, const Key& key, RdmaHost& host, uint32_t nic)
        : m_network(network),
          m_key(key),
          m_sender({host, nic, network.MakeLanes(key), *network.m_plan, key.priority, *this, 0})
    {
    }

    /** Posts a message. \param message the message \param id number for Sent() */
    void Post(const RdmaScheduleMessage& message, uint64_t id)
    {
        m_ids.Emplace(id);
        m_sender.Post(message.bytes, envelope::Pack(message));
    }

    void MessageArrived(uint64_t, uint64_t, const RdmaHostArrival&) override
    {
    }

    void MessageSent(uint64_t, uint64_t, RdmaWcStatus status, RdmaPs) override
    {
        const uint64_t id = m_ids.Pop();
        if (status != RdmaWcStatus::SUCCESS)
        {
            ++m_failed; // Describe() says so, because the schedule cannot go on
            m_error = status;
        }
        else if (id != NOBODY_WAITS)
        {
            m_network.m_user->Sent(m_key.carrier, id);
        }
    }

    /** \return what the connection waits for; empty: nothing */
    std::string Describe() const
    {
        std::string text;
        if (m_failed > 0)
        {
            text = std::to_string(m_failed) + " messages to rank " + std::to_string(m_key.to) +
                   " have failed with " + GetRdmaWcStatusName(m_error);
        }
        if (!m_ids.IsEmpty())
        {
            text += (text.empty() ? "" : "; ") + std::to_string(m_ids.GetSize()) +
                    " messages to rank " + std::to_string(m_key.to) + ": " + m_sender.Describe();
        }
        return text;
    }

    /** \return the sending half */
    const RdmaConnectionSender& GetSender() const
    {
        return m_sender;
    }

  private:
    RdmaPacketNetwork& m_network;                //!< the network
    Key m_key;                                   //!< the connection
    RdmaRingBuffer<uint64_t> m_ids;              //!< numbers of messages on their way, in order
    uint64_t m_failed{0};                        //!< messages that have failed
    RdmaWcStatus m_error{RdmaWcStatus::SUCCESS}; //!< why the latest of them has failed
    RdmaConnectionSender m_sender;               //!< the sending half
};

/** The receiving half of a connection. */
class RdmaPacketNetwork::Incoming : public RdmaHostConnectionUser
{
  public:
    /** \param network the network \param key the connection \param host host of the receiver */
    Incoming(RdmaPacketNetwork& network, const Key& key, RdmaHost& host, uint32_t nic)
        : m_network(network),
          m_key(key),
          m_receiver({host, nic, network.MakeLanes(key), *network.m_plan, key.priority, *this, 0})
    {
    }

    void MessageArrived(uint64_t, uint64_t, const RdmaHostArrival& arrival) override
    {
        RdmaScheduleMessage message;
        message.from = m_key.from;
        message.to = m_key.to;
        envelope::Unpack(arrival.address, message);
        message.priority = m_key.priority;
        message.bytes = arrival.bytes;
        m_network.m_user->Arrived(message);
    }

    void MessageSent(uint64_t, uint64_t, RdmaWcStatus, RdmaPs) override
    {
    }

    /** \return the receiving half */
    RdmaConnectionReceiver& GetReceiver()
    {
        return m_receiver;
    }

  private:
    RdmaPacketNetwork& m_network;      //!< the network
    Key m_key;                         //!< the connection
    RdmaConnectionReceiver m_receiver; //!< the receiving half
};

/** A rank: its place, and its halves of connections. Only events of its node use the halves. */
class RdmaPacketNetwork::Rank
{
  public:
    RdmaHost* host{nullptr};          //!< host of the rank
    uint32_t nicInHost{0};            //!< number of the rank's NIC in the host
    Ptr<RdmaNic> nic;                 //!< the NIC
    bool isBonded{false};             //!< the ports of the NIC have one address
    bool isLocal{true};               //!< this process runs the rank
    uint32_t hostId{0};               //!< id of the host
    uint32_t indexInHost{0};          //!< number of the rank among those of its host
    uint32_t firstQpn{0};             //!< first queue pair number of the rank
    uint32_t initialPsn{0};           //!< PSN of the first packet of each queue pair
    RdmaBitRate rate;                 //!< rate of the ports
    std::vector<uint32_t> neighbours; //!< ranks of the host, by their number in the host

    /// Sending halves by number of the first lane
    std::unordered_map<uint32_t, std::unique_ptr<Outgoing>> outgoing;
    /// Receiving halves by number of the first lane
    std::unordered_map<uint32_t, std::unique_ptr<Incoming>> incoming;
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPacketNetwork);

namespace
{

const RdmaPartName g_packetNetworkName("packets",
                                       RdmaPacketNetwork::GetTypeId(),
                                       "",
                                       "packets on the links and switches of a fabric");

} // namespace

TypeId
RdmaPacketNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPacketNetwork")
            .SetParent<RdmaScheduleNetwork>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaPacketNetwork>()
            .AddAttribute("Plan",
                          "How messages use the ports and queue pairs of their NICs; Nics is not "
                          "used, because a rank has one NIC. Null: the defaults of "
                          "RdmaConnectionPlan with Depth 16 and IdleTimeout 1 ms.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaPacketNetwork::m_plan),
                          MakePointerChecker<RdmaConnectionPlan>())
            .AddAttribute("Priority",
                          "Traffic class of messages whose communicator has none, 0 to 7.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaPacketNetwork::m_priority),
                          MakeUintegerChecker<uint8_t>(0, CLASSES - 1))
            .AddAttribute("QueuePeriod",
                          "Time between two polls of all queues, so that critical paths can say "
                          "where a message has waited. 0: queues are not polled.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaPacketNetwork::m_queuePeriod),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaPacketNetwork::RdmaPacketNetwork() = default;

RdmaPacketNetwork::~RdmaPacketNetwork() = default;

void
RdmaPacketNetwork::DoDispose()
{
    m_history.reset();
    m_ranks.clear();
    m_plan = nullptr;
    m_fabric = nullptr;
    RdmaScheduleNetwork::DoDispose();
}

void
RdmaPacketNetwork::SetFabric(Ptr<RdmaFabric> fabric)
{
    m_fabric = fabric;
}

void
RdmaPacketNetwork::Install(RdmaScheduleNetworkUser& user,
                           const std::vector<RdmaSchedulePlace>& places)
{
    RefuseRdmaIf(!m_fabric, "ns3::RdmaPacketNetwork without a fabric; accepted: SetFabric() first");
    RefuseRdmaIf(!m_ranks.empty(), "ns3::RdmaPacketNetwork is installed twice; accepted: once");
    m_user = &user;
    if (!m_plan)
    {
        m_plan = CreateObject<RdmaConnectionPlan>();
        m_plan->SetAttribute("Depth", UintegerValue(16));
        m_plan->SetAttribute("IdleTimeout", TimeValue(MilliSeconds(1)));
    }
    const RdmaTopology& topology = m_fabric->GetTopology();
    std::map<uint32_t, std::vector<uint32_t>> ranksOfHosts;
    uint32_t ports = 1;
    for (uint32_t number = 0; number < places.size(); ++number)
    {
        const RdmaSchedulePlace& place = places[number];
        const bool isHost = place.host < topology.GetNNodes() && topology.IsHost(place.host);
        RefuseRdmaIf(!isHost,
                     "rank ",
                     number,
                     " at node ",
                     place.host,
                     ", which is no host; accepted: ids of hosts");
        const std::vector<uint32_t> nics = topology.GetNics(place.host);
        RefuseRdmaIf(place.nic >= nics.size(),
                     "rank ",
                     number,
                     " at NIC ",
                     place.nic,
                     " of host ",
                     place.host,
                     "; accepted: 0 to ",
                     nics.size() - 1);
        auto rank = std::make_unique<Rank>();
        rank->host = PeekPointer(m_fabric->GetHost(place.host));
        rank->hostId = place.host;
        rank->nicInHost = place.nic;
        rank->nic = m_fabric->GetNic(place.host, place.nic);
        rank->isBonded = topology.GetNode(nics[place.nic]).bonded;
        rank->isLocal = IsRdmaNodeLocal(*m_fabric->GetNode(nics[place.nic]));
        std::vector<uint32_t>& ofHost = ranksOfHosts[place.host];
        rank->indexInHost = static_cast<uint32_t>(ofHost.size());
        ofHost.push_back(number);
        m_hostRanks = std::max(m_hostRanks, rank->indexInHost + 1);
        uint64_t rate = 0;
        uint32_t used = 0;
        for (uint32_t port = 0; port < rank->nic->GetNPorts(); ++port)
        {
            if (rank->isBonded || m_plan->UsesPort(port))
            {
                rate += rank->nic->GetPort(port)->GetDataRate().GetBitRate();
                ++used;
            }
        }
        RefuseRdmaIf(used == 0,
                     "rank ",
                     number,
                     " uses ports ",
                     m_plan->GetPorts(),
                     " of a NIC that has ",
                     rank->nic->GetNPorts(),
                     " ports");
        rank->rate = RdmaBitRate(rate);
        ports = std::max(ports, rank->isBonded ? 1 : used);
        m_ranks.push_back(std::move(rank));
    }
    m_lanes = ports * m_plan->GetQueuePairs();
    const uint64_t numbers = uint64_t{CLASSES} * m_hostRanks * 2 * m_ranks.size() * m_lanes;
    RefuseRdmaIf(
        numbers >= QPN_LIMIT / 2,
        places.size(),
        " ranks with up to ",
        m_hostRanks,
        " ranks of a host and up to ",
        m_lanes,
        " queue pairs of a connection; accepted: fewer, as queue pair numbers have 24 bits");
    for (uint32_t number = 0; number < m_ranks.size(); ++number)
    {
        Rank& rank = *m_ranks[number];
        rank.neighbours = ranksOfHosts[rank.hostId];
        rank.host->WatchPorts();
        rank.initialPsn = rank.nic->GetInitialPsn();
        rank.firstQpn = rank.nic->ReserveQueuePairNumbers(
            static_cast<uint32_t>(numbers),
            [this, number](uint32_t qpn) { return OpenLate(number, qpn); });
    }
    for (uint32_t number = 0; number < m_ranks.size(); ++number)
    {
        CheckPath(number);
    }
    if (m_queuePeriod.IsStrictlyPositive())
    {
        m_history = std::make_unique<RdmaQueueHistory>(*m_fabric, RdmaToPs(m_queuePeriod));
    }
}

/** \return an unregistered queue pair as the sender of a lane will make it, connected */
Ptr<RdmaQueuePair>
RdmaPacketNetwork::MakePrototype(const Key& key, const RdmaLane& lane) const
{
    const auto prototype =
        m_ranks[key.carrier]->nic->MakePrototype(lane.source.qpn, lane.source.port);
    prototype->SetPriority(key.priority);
    prototype->Connect(lane.destination.address, lane.destination.qpn, lane.destination.initialPsn);
    return prototype;
}

/**
 * Makes a queue pair as a rank will make them: what refuses queue pairs does so before the run, and
 * the network's timers are known then.
 */
void
RdmaPacketNetwork::CheckPath(uint32_t rank) const
{
    for (uint32_t step = 1; step < m_ranks.size(); ++step)
    {
        Key key;
        key.from = rank;
        key.carrier = rank;
        key.to = (rank + step) % static_cast<uint32_t>(m_ranks.size());
        key.priority = m_priority;
        if (m_ranks[key.to]->nic == m_ranks[rank]->nic)
        {
            continue;
        }
        const auto prototype = MakePrototype(key, MakeLanes(key).front());
        for (const QbbPort* hop : m_fabric->GetRouting()->FollowPath(prototype->GetDevice(),
                                                                     prototype->GetRemoteAddress(),
                                                                     prototype->GetFlowHash()))
        {
            prototype->CheckPathMtu(*hop);
        }
        return;
    }
}

uint32_t
RdmaPacketNetwork::GetNodeId(uint32_t rank) const
{
    return m_ranks[rank]->nic->GetNodeId();
}

bool
RdmaPacketNetwork::IsLocal(uint32_t rank) const
{
    return m_ranks[rank]->isLocal;
}

RdmaBitRate
RdmaPacketNetwork::GetRate(uint32_t rank) const
{
    return m_ranks[rank]->rate;
}

/**
 * Numbers of queue pairs at the NIC of the rank that sends or receives. The usual ones come first,
 * so that a NIC's table of queue pairs stays short: the class of the attribute Priority, and
 * messages that leave at their sender's NIC.
 */
uint32_t
RdmaPacketNetwork::GetNumber(const Key& key, bool isSender, uint32_t lane) const
{
    const auto ranks = static_cast<uint32_t>(m_ranks.size());
    const uint32_t number = (key.priority + CLASSES - m_priority) % CLASSES;
    const uint32_t shift =
        (m_ranks[key.carrier]->indexInHost + m_hostRanks - m_ranks[key.from]->indexInHost) %
        m_hostRanks;
    const uint32_t peer = isSender ? key.to : key.from;
    const uint32_t half = isSender ? 0 : 1;
    return m_ranks[isSender ? key.carrier : key.to]->firstQpn +
           (((number * m_hostRanks + shift) * 2 + half) * ranks + peer) * m_lanes + lane;
}

/** Makes the receiving half of a connection, or a queue pair of it, for the first packet. */
Ptr<RdmaQueuePair>
RdmaPacketNetwork::OpenLate(uint32_t to, uint32_t qpn)
{
    const auto ranks = static_cast<uint32_t>(m_ranks.size());
    Rank& rank = *m_ranks[to];
    uint32_t rest = qpn - rank.firstQpn;
    const uint32_t lane = rest % m_lanes;
    rest /= m_lanes;
    Key key;
    key.to = to;
    key.from = rest % ranks;
    rest /= ranks;
    if (rest % 2 == 0)
    {
        return nullptr; // a late packet to a sending queue pair
    }
    rest /= 2;
    const Rank& from = *m_ranks[key.from];
    const uint32_t carrier = (from.indexInHost + rest % m_hostRanks) % m_hostRanks;
    if (carrier >= from.neighbours.size())
    {
        return nullptr; // no number of a connection
    }
    key.carrier = from.neighbours[carrier];
    key.priority = static_cast<uint8_t>((m_priority + rest / m_hostRanks) % CLASSES);
    std::unique_ptr<Incoming>& incoming = rank.incoming[qpn - lane];
    if (!incoming)
    {
        incoming = std::make_unique<Incoming>(*this, key, *rank.host, rank.nicInHost);
    }
    return incoming->GetReceiver().Open(lane);
}

/** \return lanes of a connection, which both halves find alike */
std::vector<RdmaLane>
RdmaPacketNetwork::MakeLanes(const Key& key) const
{
    const Rank& source = *m_ranks[key.carrier];
    const Rank& destination = *m_ranks[key.to];
    RefuseRdmaIf(source.nic == destination.nic,
                 "a message from rank ",
                 key.from,
                 " to rank ",
                 key.to,
                 ", which use one NIC; accepted: ranks at different NICs, or a scale-up domain "
                 "between the ranks of a host");
    const uint32_t ports = source.isBonded || destination.isBonded
                               ? 1
                               : std::min(source.nic->GetNPorts(), destination.nic->GetNPorts());
    std::vector<RdmaLane> lanes;
    for (uint32_t queuePair = 0; queuePair < m_plan->GetQueuePairs(); ++queuePair)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            if (ports > 1 && !m_plan->UsesPort(port))
            {
                continue;
            }
            const auto lane = static_cast<uint32_t>(lanes.size());
            lanes.push_back({{source.nicInHost,
                              port,
                              GetNumber(key, true, lane),
                              source.initialPsn,
                              source.nic->GetAddress(port)},
                             {destination.nicInHost,
                              port,
                              GetNumber(key, false, lane),
                              destination.initialPsn,
                              destination.nic->GetAddress(port)}});
        }
    }
    return lanes;
}

void
RdmaPacketNetwork::Send(const RdmaScheduleMessage& message, uint64_t id)
{
    Forward(message.from, message, id);
}

void
RdmaPacketNetwork::Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id)
{
    Rank& rank = *m_ranks[carrier];
    Key key;
    key.from = message.from;
    key.to = message.to;
    key.carrier = carrier;
    key.priority =
        message.priority == RdmaScheduleMessage::NO_PRIORITY ? m_priority : message.priority;
    std::unique_ptr<Outgoing>& outgoing = rank.outgoing[GetNumber(key, true, 0)];
    if (!outgoing)
    {
        outgoing = std::make_unique<Outgoing>(*this, key, *rank.host, rank.nicInHost);
    }
    outgoing->Post(message, id);
}

std::string
RdmaPacketNetwork::DescribeWait(uint32_t rank) const
{
    constexpr std::size_t MOST = 4;
    std::map<uint32_t, std::string> texts; // by number, for a fixed order
    for (const auto& [number, outgoing] : m_ranks[rank]->outgoing)
    {
        if (std::string text = outgoing->Describe(); !text.empty())
        {
            texts[number] = std::move(text);
        }
    }
    std::string all;
    std::size_t count = 0;
    for (const auto& [number, text] : texts)
    {
        if (count++ == MOST)
        {
            return all + "; " + std::to_string(texts.size() - MOST) + " more connections wait";
        }
        all += (all.empty() ? "" : "; ") + text;
    }
    return all;
}

void
RdmaPacketNetwork::Share()
{
    if (m_history)
    {
        m_history->Share();
    }
}

std::string
RdmaPacketNetwork::DescribeDelay(const RdmaScheduleMessage& message,
                                 RdmaPs from,
                                 RdmaPs until) const
{
    if (!m_history || m_ranks[message.from]->nic == m_ranks[message.to]->nic)
    {
        return "";
    }
    Key key;
    key.from = message.from;
    key.to = message.to;
    key.carrier = message.from;
    key.priority =
        message.priority == RdmaScheduleMessage::NO_PRIORITY ? m_priority : message.priority;
    std::optional<RdmaQueueHistory::Wait> longest;
    for (const RdmaLane& lane : MakeLanes(key))
    {
        const auto prototype = MakePrototype(key, lane);
        std::vector<const QbbPort*> path =
            m_fabric->GetRouting()->FollowPath(prototype->GetDevice(),
                                               prototype->GetRemoteAddress(),
                                               prototype->GetFlowHash());
        if (m_fabric->GetTimers().IsReordering() && path.size() > 2)
        {
            path = {path.front(), path.back()}; // the ports between are those of many packets
        }
        const auto wait = m_history->FindLongest(path, key.priority, from, until);
        if (wait && (!longest || wait->time > longest->time))
        {
            longest = wait;
        }
    }
    if (!longest)
    {
        return "";
    }
    std::ostringstream text;
    text << "met a queue of " << std::fixed << std::setprecision(3)
         << static_cast<double>(longest->time.Get()) / 1e6 << " us at " << longest->port;
    return text.str();
}

RdmaLaneResult
RdmaPacketNetwork::GetTotals() const
{
    RdmaLaneResult totals;
    for (const auto& rank : m_ranks)
    {
        for (const auto& [number, outgoing] : rank->outgoing)
        {
            for (uint32_t lane = 0; lane < outgoing->GetSender().GetNLanes(); ++lane)
            {
                RdmaLaneResult result;
                outgoing->GetSender().Report(lane, result);
                totals.source += result.source;
                totals.chunks += result.chunks;
                totals.bytes += result.bytes;
            }
        }
        for (const auto& [number, incoming] : rank->incoming)
        {
            for (uint32_t lane = 0; lane < incoming->GetReceiver().GetNLanes(); ++lane)
            {
                RdmaLaneResult result;
                incoming->GetReceiver().Report(lane, result);
                totals.destination += result.destination;
            }
        }
    }
    return totals;
}

} // namespace ns3
