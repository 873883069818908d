/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-scale-up-network.h"

#include "rdma-event-order.h"
#include "rdma-fair-servers.h"
#include "rdma-note-bus.h"
#include "rdma-part-name.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/pointer.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t LEAST_RATE = 1'000'000; //!< least value of the attribute Rate, in bit/s

} // namespace

/**
 * The GPUs of one host.
 *
 * The servers, and what they serve, are touched by events of the domain's own node only. The other
 * members are fixed, but for the numbers of a rank's messages, which events of the rank's node
 * touch.
 */
class RdmaScaleUpNetwork::Domain final : private RdmaNoteReceiver
{
  public:
    /// Order of the arrival of notes among the events of one instant.
    static constexpr uint32_t NOTE_ORDER = RdmaEventOrder::Programs::At<9>();
    /// Most ranks of a domain: two places share a number of a note.
    static constexpr uint32_t PLACE_BITS = 16;
    static constexpr uint32_t MOST_RANKS = (1U << PLACE_BITS) - 2;
    /// Order of the division of the servers, after all messages of the instant are known.
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Settling::At<3>();

    /**
     * \param network the network
     * \param ranks ranks of the domain, ascending
     */
    Domain(RdmaScaleUpNetwork& network, const std::vector<uint32_t>& ranks);

    /** \return id of the node of the domain's servers */
    uint32_t GetNodeId() const
    {
        return m_nodes.front();
    }

    /** \return ranks of the domain, ascending */
    const std::vector<uint32_t>& GetRanks() const
    {
        return m_ranks;
    }

    /**
     * Sends a message to a rank of the domain, in an event of the sender's node.
     *
     * \param place place of the sender
     * \param to place of the receiver, or of the rank that forwards the message
     * \param message the message
     * \param id its number for the user
     */
    void Send(uint32_t place, uint32_t to, const RdmaScheduleMessage& message, uint64_t id)
    {
        Ask(MESSAGE, place, to, message, id);
    }

    /** Gives a vector to an all-reduce. For the parameters, see Send(). */
    void Reduce(uint32_t place, uint32_t to, const RdmaScheduleMessage& message, uint64_t id)
    {
        Ask(VECTOR, place, to, message, id);
    }

    /**
     * \param place place of a rank
     * \param nic number of a NIC
     * \return place of the rank that sends through the NIC for this rank: the rank itself if the
     *         NIC is its own, or if no rank uses the NIC
     */
    uint32_t FindCarrier(uint32_t place, uint32_t nic) const
    {
        if (m_network.m_places[m_ranks[place]].nic == nic)
        {
            return place;
        }
        const auto found = m_carriers.find(nic);
        return found == m_carriers.end() ? place : found->second;
    }

    /** \return what an all-reduce of a rank waits for; empty: there is none \param place the rank
     */
    std::string DescribeWait(uint32_t place) const;

  private:
    /** What a note says. */
    enum Kind : uint8_t
    {
        MESSAGE, //!< to the servers: a message begins
        VECTOR,  //!< to the servers: a vector for an all-reduce
        SENT,    //!< to the sender: the buffer of a message is free
        ARRIVED, //!< to the receiver: the message is in memory
        CARRY,   //!< to the carrier: the message is to be forwarded
    };

    /** A message or a vector, and what is to be done. */
    struct Work
    {
        Kind kind{MESSAGE};          //!< what a note of it says
        uint32_t place{0};           //!< place of the sender
        uint32_t to{0};              //!< place of the receiver or of the carrier
        uint32_t number{0};          //!< number of the message among those of the sender
        RdmaScheduleMessage message; //!< the message
    };

    /// Number of a message whose end the sender need not know.
    static constexpr uint32_t NO_NUMBER = UINT32_MAX;

    /** Messages in progress that have been sent by one rank. */
    struct Sender
    {
        std::vector<uint64_t> ids;  //!< the user's number of each message
        std::vector<uint32_t> free; //!< places of ids that are free
    };

    /// What vectors of one all-reduce have in common: context, tag, sequence.
    using ReductionKey = std::tuple<uint32_t, uint32_t, uint32_t>;

    void Ask(Kind kind,
             uint32_t place,
             uint32_t to,
             const RdmaScheduleMessage& message,
             uint64_t id);
    void Tell(uint32_t source, uint32_t from, uint32_t node, const Work& work, RdmaPs delay);
    void NoteArrived(const RdmaNote& note) override;
    void Settle();
    static std::vector<const Work*> FollowRing(const std::vector<Work>& vectors, const Work& first);
    void Gather(const Work& work);
    void Start(std::vector<Work> works, std::vector<uint32_t> servers, RdmaUint128 amount);
    void End(const std::vector<Work>& works);

    uint32_t GetEgress(uint32_t place) const
    {
        return 2 * m_gpus[place];
    }

    uint32_t GetIngress(uint32_t place) const
    {
        return 2 * m_gpus[place] + 1;
    }

    RdmaScaleUpNetwork& m_network;           //!< the network
    std::vector<uint32_t> m_ranks;           //!< the ranks, ascending
    std::vector<uint32_t> m_gpus;            //!< by place: number of the GPU, from 0
    std::vector<uint32_t> m_nodes;           //!< ids of the nodes of all ranks, ascending
    std::vector<uint32_t> m_nodeOf;          //!< by place: place of the node in m_nodes
    std::map<uint32_t, uint32_t> m_carriers; //!< by NIC: place of the rank that forwards
    RdmaPs m_up{0};                          //!< time of a note to the servers
    RdmaPs m_down{0};                        //!< time of a note from the servers
    RdmaPs m_copies{0};                      //!< further time of the results of an all-reduce
    std::unique_ptr<RdmaNoteBus> m_bus;      //!< carries notes to the servers and from them

    std::vector<Sender> m_senders; //!< by place; each of them belongs to the rank's node

    // State of the node of the servers
    RdmaFairServers m_servers;                               //!< two for each GPU
    std::vector<std::vector<Work>> m_works;                  //!< by number of the transfer
    std::vector<uint64_t> m_freeWorks;                       //!< numbers that are free
    std::vector<Work> m_gathered;                            //!< has come at this instant
    std::map<ReductionKey, std::vector<Work>> m_reductions;  //!< all-reduces that wait
    RdmaTimer<Domain, &Domain::Settle, EVENT_ORDER> m_timer; //!< next end of a transfer
};

RdmaScaleUpNetwork::Domain::Domain(RdmaScaleUpNetwork& network, const std::vector<uint32_t>& ranks)
    : m_network(network),
      m_ranks(ranks),
      m_senders(ranks.size()),
      m_servers({}),
      m_timer(this)
{
    std::set<uint32_t> nodes;
    std::map<uint32_t, uint32_t> gpus;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> carriers; // by NIC: GPU and place
    for (uint32_t place = 0; place < ranks.size(); ++place)
    {
        const RdmaSchedulePlace& where = network.m_places[ranks[place]];
        nodes.insert(network.GetNodeId(ranks[place]));
        const auto number = static_cast<uint32_t>(gpus.size());
        m_gpus.push_back(gpus.emplace(where.gpu, number).first->second);
        const std::pair<uint32_t, uint32_t> carrier(where.gpu, place);
        const auto [entry, isNew] = carriers.emplace(where.nic, carrier);
        entry->second = std::min(entry->second, carrier);
    }
    for (const auto& [nic, carrier] : carriers)
    {
        m_carriers[nic] = carrier.second;
    }
    m_nodes.assign(nodes.begin(), nodes.end());
    for (const uint32_t rank : ranks)
    {
        const auto node = std::lower_bound(m_nodes.begin(), m_nodes.end(), network.GetNodeId(rank));
        m_nodeOf.push_back(static_cast<uint32_t>(node - m_nodes.begin()));
    }
    const RdmaPs latency = RdmaToPs(network.m_latency);
    m_up = RdmaPs(latency.Get() / 2);
    m_down = latency - m_up;
    m_copies = latency;
    m_servers =
        RdmaFairServers(std::vector<uint64_t>(2 * gpus.size(), network.GetPayloadRate().Get()));
    // Each rank is a source of notes. The servers are two sources, because the results of an
    // all-reduce take longer than messages.
    m_bus = std::make_unique<RdmaNoteBus>(m_nodes,
                                          static_cast<uint32_t>(ranks.size() + 2),
                                          m_up,
                                          NOTE_ORDER);
}

std::string
RdmaScaleUpNetwork::Domain::DescribeWait(uint32_t place) const
{
    for (const auto& [key, vectors] : m_reductions)
    {
        for (const Work& member : vectors)
        {
            if (member.place != place)
            {
                continue;
            }
            return "the switch has the rank's vector, and waits for that of rank " +
                   std::to_string(m_ranks[FollowRing(vectors, member).back()->to]);
        }
    }
    return "";
}

// Notes

/** Sends a note. \param source number of the source \param node place of the receiving node */
void
RdmaScaleUpNetwork::Domain::Tell(uint32_t source,
                                 uint32_t from,
                                 uint32_t node,
                                 const Work& work,
                                 RdmaPs delay)
{
    const auto join = [](uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; };
    const RdmaScheduleMessage& message = work.message;
    RdmaNote note;
    note.receiver = this;
    note.kind = uint32_t{work.kind} << 16 | uint32_t{message.priority} << 8 |
                static_cast<uint32_t>(message.kind);
    note.place = work.place << PLACE_BITS | work.to;
    note.numbers = {join(message.from, message.to),
                    join(message.context, message.tag),
                    join(message.sequence, work.number),
                    message.bytes};
    m_bus->Send(source, from, node, delay, note);
}

void
RdmaScaleUpNetwork::Domain::NoteArrived(const RdmaNote& note)
{
    const auto high = [&note](uint32_t i) { return static_cast<uint32_t>(note.numbers[i] >> 32); };
    const auto low = [&note](uint32_t i) { return static_cast<uint32_t>(note.numbers[i]); };
    Work work;
    work.kind = static_cast<Kind>(note.kind >> 16);
    work.place = note.place >> PLACE_BITS;
    work.to = note.place & ((1U << PLACE_BITS) - 1);
    work.number = low(2);
    work.message.from = high(0);
    work.message.to = low(0);
    work.message.context = high(1);
    work.message.tag = low(1);
    work.message.sequence = high(2);
    work.message.kind = static_cast<RdmaScheduleMessage::Kind>(note.kind & 0xff);
    work.message.priority = static_cast<uint8_t>(note.kind >> 8);
    work.message.bytes = note.numbers[3];
    switch (work.kind)
    {
    case MESSAGE:
    case VECTOR:
        m_gathered.push_back(work);
        m_timer.ArmNoLater(RdmaNow());
        break;
    case SENT: {
        Sender& sender = m_senders[work.place];
        const uint64_t id = sender.ids[work.number];
        sender.free.push_back(work.number);
        m_network.m_user->Sent(m_ranks[work.place], id);
        break;
    }
    case ARRIVED:
        m_network.m_user->Arrived(work.message);
        break;
    case CARRY:
        m_network.m_outer->Forward(m_ranks[work.to], work.message, NOBODY_WAITS);
        break;
    }
}

// Events of the sender's node

void
RdmaScaleUpNetwork::Domain::Ask(Kind kind,
                                uint32_t place,
                                uint32_t to,
                                const RdmaScheduleMessage& message,
                                uint64_t id)
{
    Work work{kind, place, to, NO_NUMBER, message};
    if (id != NOBODY_WAITS)
    {
        Sender& sender = m_senders[place];
        if (sender.free.empty())
        {
            sender.free.push_back(static_cast<uint32_t>(sender.ids.size()));
            sender.ids.emplace_back();
        }
        work.number = sender.free.back();
        sender.free.pop_back();
        sender.ids[work.number] = id;
    }
    Tell(place, m_nodeOf[place], 0, work, m_up);
}

// Events of the node of the servers

/** All that comes at this instant has come: ends transfers, begins others, divides the servers. */
void
RdmaScaleUpNetwork::Domain::Settle()
{
    for (const uint64_t number : m_servers.AdvanceTo(RdmaNow()))
    {
        End(m_works[number]);
        m_works[number].clear();
        m_freeWorks.push_back(number);
    }
    for (const Work& work : m_gathered)
    {
        if (work.kind == VECTOR)
        {
            Gather(work);
            continue;
        }
        const RdmaUint128 amount = RdmaUint128{work.message.bytes} * RdmaFairServers::WORK_OF_BYTE;
        const bool isInside = m_gpus[work.place] == m_gpus[work.to];
        Start({work}, {GetEgress(work.place), GetIngress(work.to)}, isInside ? 0 : amount);
    }
    m_gathered.clear();
    const RdmaPs next = m_servers.Divide();
    if (next == RDMA_NEVER)
    {
        NS_ABORT_MSG_IF(!m_servers.GetTransfers().empty(),
                        "rdma: a message of "
                            << m_works[m_servers.GetTransfers().front().id].front().message.bytes
                            << " B takes longer than a simulation can last");
        m_timer.Disarm();
        return;
    }
    m_timer.Arm(next);
}

/**
 * \param vectors vectors that wait
 * \param first one of them
 * \return the vectors from the first one on, each with that of the next member behind it, until the
 *         next one is missing or has been listed
 */
std::vector<const RdmaScaleUpNetwork::Domain::Work*>
RdmaScaleUpNetwork::Domain::FollowRing(const std::vector<Work>& vectors, const Work& first)
{
    std::vector<const Work*> ring{&first};
    while (ring.size() < vectors.size())
    {
        const auto next = std::find_if(vectors.begin(), vectors.end(), [&](const Work& other) {
            return other.place == ring.back()->to;
        });
        if (next == vectors.end() || &*next == &first)
        {
            break;
        }
        ring.push_back(&*next);
    }
    return ring;
}

/** Keeps a vector until those of all members are there, which then begin the all-reduce. */
void
RdmaScaleUpNetwork::Domain::Gather(const Work& work)
{
    const ReductionKey key(work.message.context, work.message.tag, work.message.sequence);
    std::vector<Work>& vectors =
        m_reductions[key]; // of several all-reduces with other members, too
    for (const Work& other : vectors)
    {
        NS_ABORT_MSG_IF(other.place == work.place,
                        "rdma: rank " << work.message.from
                                      << " gives two vectors to one all-reduce; accepted: one");
    }
    vectors.push_back(work);
    const std::vector<const Work*> ring = FollowRing(vectors, vectors.back());
    if (ring.back()->to != work.place)
    {
        return; // a member is missing
    }
    const uint64_t bytes = work.message.bytes;
    const uint64_t n = ring.size();
    std::vector<Work> works;
    std::set<uint32_t> servers;
    for (const Work* member : ring)
    {
        NS_ABORT_MSG_IF(member->message.bytes != bytes,
                        "rdma: rank " << work.message.from << " gives a vector of " << bytes
                                      << " B to an all-reduce, and rank " << member->message.from
                                      << " one of " << member->message.bytes
                                      << " B; accepted: equal sizes");
        works.push_back(*member);
        servers.insert({GetEgress(member->place), GetIngress(member->place)});
    }
    const auto byPlace = [](const Work& a, const Work& b) { return a.place < b.place; };
    std::sort(works.begin(), works.end(), byPlace);
    vectors.erase(
        std::remove_if(vectors.begin(),
                       vectors.end(),
                       [&](const Work& other) {
                           return std::binary_search(works.begin(), works.end(), other, byPlace);
                       }),
        vectors.end());
    if (vectors.empty())
    {
        m_reductions.erase(key);
    }
    // A GPU sends the vector for the sums, and its part of the sums once more.
    const RdmaUint128 sent = RdmaUint128{bytes} * (n + 1) * RdmaFairServers::WORK_OF_BYTE / n;
    Start(std::move(works), {servers.begin(), servers.end()}, sent);
}

/**
 * \param works the message, or the vectors of all members
 * \param servers servers to be occupied
 * \param amount what the servers have to do; 0: nothing
 */
void
RdmaScaleUpNetwork::Domain::Start(std::vector<Work> works,
                                  std::vector<uint32_t> servers,
                                  RdmaUint128 amount)
{
    if (amount == 0)
    {
        End(works);
        return;
    }
    if (m_freeWorks.empty())
    {
        m_freeWorks.push_back(m_works.size());
        m_works.emplace_back();
    }
    const uint64_t number = m_freeWorks.back();
    m_freeWorks.pop_back();
    m_works[number] = std::move(works);
    m_servers.Begin(number, std::move(servers), amount);
}

/** The servers have done their work: tells both ends. */
void
RdmaScaleUpNetwork::Domain::End(const std::vector<Work>& works)
{
    for (const Work& done : works)
    {
        const bool isMessage = done.kind == MESSAGE;
        const auto source = static_cast<uint32_t>(m_ranks.size() + (isMessage ? 0 : 1));
        const RdmaPs delay = isMessage ? m_down : m_down + m_copies;
        Work told = done;
        if (done.number != NO_NUMBER)
        {
            told.kind = SENT;
            Tell(source, 0, m_nodeOf[done.place], told, delay);
        }
        told.kind = m_ranks[done.to] == done.message.to ? ARRIVED : CARRY;
        Tell(source, 0, m_nodeOf[done.to], told, delay);
    }
}

// The network

NS_OBJECT_ENSURE_REGISTERED(RdmaScaleUpNetwork);

TypeId
RdmaScaleUpNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaScaleUpNetwork")
            .SetParent<RdmaScheduleNetwork>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaScaleUpNetwork>()
            .AddAttribute("Rate",
                          "Rate at which a GPU sends, and at which it receives, 1 Mb/s or more. "
                          "The default is that of NVLink 4: 450 GB/s each way.",
                          DataRateValue(DataRate("3600Gbps")),
                          MakeDataRateAccessor(&RdmaScaleUpNetwork::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Efficiency",
                          "Part of Rate that payload gets.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaScaleUpNetwork::m_efficiency),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("Latency",
                          "Time of a message of no bytes from GPU to GPU, 2 ps or more.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&RdmaScaleUpNetwork::m_latency),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("Pxn",
                          "A message to another host leaves through the NIC of this host that has "
                          "the number of the receiver's NIC, by way of that NIC's GPU.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaScaleUpNetwork::m_usesPxn),
                          MakeBooleanChecker())
            .AddAttribute("Outer",
                          "Network between hosts. Null: `ideal`.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaScaleUpNetwork::m_outer),
                          MakePointerChecker<RdmaScheduleNetwork>());
    return tid;
}

RdmaScaleUpNetwork::RdmaScaleUpNetwork()
{
    RdmaSetTimeResolution();
}

RdmaScaleUpNetwork::~RdmaScaleUpNetwork() = default;

void
RdmaScaleUpNetwork::DoDispose()
{
    m_domains.clear();
    m_outer = nullptr;
    RdmaScheduleNetwork::DoDispose();
}

void
RdmaScaleUpNetwork::SetOuter(Ptr<RdmaScheduleNetwork> outer)
{
    m_outer = std::move(outer);
}

Ptr<RdmaScheduleNetwork>
RdmaScaleUpNetwork::GetOuter()
{
    if (!m_outer)
    {
        m_outer = RdmaPartOf<RdmaScheduleNetwork>("ideal").Create<RdmaScheduleNetwork>();
    }
    return m_outer;
}

RdmaBitRate
RdmaScaleUpNetwork::GetPayloadRate() const
{
    const auto rate = static_cast<double>(m_rate.GetBitRate()) * m_efficiency;
    return RdmaBitRate(static_cast<uint64_t>(rate));
}

void
RdmaScaleUpNetwork::Install(RdmaScheduleNetworkUser& user,
                            const std::vector<RdmaSchedulePlace>& places)
{
    RefuseRdmaIf(m_rate.GetBitRate() < LEAST_RATE,
                 "ns3::RdmaScaleUpNetwork::Rate is ",
                 m_rate.GetBitRate(),
                 " bit/s; accepted: ",
                 LEAST_RATE,
                 " bit/s or more");
    RefuseRdmaIf(RdmaToPs(m_latency) < RdmaPs(2),
                 "ns3::RdmaScaleUpNetwork::Latency is ",
                 RdmaToPs(m_latency),
                 " ps; accepted: 2 ps or more");
    m_user = &user;
    m_places = places;
    GetOuter()->Install(*this, places);
    std::map<uint32_t, std::vector<uint32_t>> hosts;
    for (uint32_t rank = 0; rank < places.size(); ++rank)
    {
        hosts[places[rank].host].push_back(rank);
    }
    m_seats.resize(places.size());
    for (const auto& [host, ranks] : hosts)
    {
        RefuseRdmaIf(ranks.size() > Domain::MOST_RANKS,
                     "host ",
                     host,
                     " has ",
                     ranks.size(),
                     " ranks; accepted: up to ",
                     Domain::MOST_RANKS,
                     " with ns3::RdmaScaleUpNetwork");
        for (const uint32_t rank : ranks)
        {
            RefuseRdmaIf(IsLocal(rank) != IsLocal(ranks.front()),
                         "ranks ",
                         ranks.front(),
                         " and ",
                         rank,
                         " of host ",
                         host,
                         " run in several processes; accepted: one process for a scale-up domain");
        }
        m_domains.push_back(std::make_unique<Domain>(*this, ranks));
        for (uint32_t place = 0; place < ranks.size(); ++place)
        {
            m_seats[ranks[place]] = {m_domains.back().get(), place};
        }
    }
}

uint32_t
RdmaScaleUpNetwork::GetNodeId(uint32_t rank) const
{
    return m_outer->GetNodeId(rank);
}

bool
RdmaScaleUpNetwork::IsLocal(uint32_t rank) const
{
    return m_outer->IsLocal(rank);
}

RdmaBitRate
RdmaScaleUpNetwork::GetRate(uint32_t rank) const
{
    return m_domains.size() == 1 ? GetPayloadRate() : m_outer->GetRate(rank);
}

void
RdmaScaleUpNetwork::Send(const RdmaScheduleMessage& message, uint64_t id)
{
    const Seat& from = m_seats[message.from];
    if (m_usesPxn && from.domain != m_seats[message.to].domain)
    {
        const uint32_t carrier = from.domain->FindCarrier(from.place, m_places[message.to].nic);
        if (carrier != from.place)
        {
            from.domain->Send(from.place, carrier, message, id);
            return;
        }
    }
    Forward(message.from, message, id);
}

void
RdmaScaleUpNetwork::Forward(uint32_t carrier, const RdmaScheduleMessage& message, uint64_t id)
{
    const Seat& from = m_seats[carrier];
    const Seat& to = m_seats[message.to];
    if (from.domain == to.domain)
    {
        from.domain->Send(from.place, to.place, message, id);
    }
    else if (carrier == message.from)
    {
        m_outer->Send(message, id);
    }
    else
    {
        m_outer->Forward(carrier, message, id);
    }
}

void
RdmaScaleUpNetwork::ReduceInSwitch(const RdmaScheduleMessage& message, uint64_t id)
{
    const Seat& from = m_seats[message.from];
    const Seat& to = m_seats[message.to];
    NS_ABORT_MSG_IF(from.domain != to.domain,
                    "rdma: an all-reduce in a switch has rank "
                        << message.from << " of host " << m_places[message.from].host
                        << " and rank " << message.to << " of host " << m_places[message.to].host
                        << "; accepted: ranks of one host");
    from.domain->Reduce(from.place, to.place, message, id);
}

std::string
RdmaScaleUpNetwork::DescribeWait(uint32_t rank) const
{
    const std::string own = m_seats[rank].domain->DescribeWait(m_seats[rank].place);
    return own.empty() ? m_outer->DescribeWait(rank) : own;
}

void
RdmaScaleUpNetwork::Share()
{
    m_outer->Share();
}

std::string
RdmaScaleUpNetwork::DescribeDelay(const RdmaScheduleMessage& message,
                                  RdmaPs from,
                                  RdmaPs until) const
{
    return m_seats[message.from].domain == m_seats[message.to].domain
               ? ""
               : m_outer->DescribeDelay(message, from, until);
}

void
RdmaScaleUpNetwork::CheckReduction(const std::vector<uint32_t>& ranks) const
{
    for (const uint32_t rank : ranks)
    {
        const RdmaSchedulePlace& first = m_places[ranks.front()];
        RefuseRdmaIf(m_places[rank].host != first.host,
                     "an all-reduce in a switch with rank ",
                     ranks.front(),
                     " of host ",
                     first.host,
                     " and rank ",
                     rank,
                     " of host ",
                     m_places[rank].host,
                     "; accepted: ranks of one host");
    }
}

void
RdmaScaleUpNetwork::Sent(uint32_t rank, uint64_t id)
{
    m_user->Sent(rank, id);
}

void
RdmaScaleUpNetwork::Arrived(const RdmaScheduleMessage& message)
{
    m_user->Arrived(message);
}

const RdmaPartName g_scaleUpNetworkName("scale-up",
                                        RdmaScaleUpNetwork::GetTypeId(),
                                        "",
                                        "a switch joins the GPUs of a host; Outer joins hosts");

} // namespace ns3
