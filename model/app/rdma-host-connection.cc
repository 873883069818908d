/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-host-connection.h"

#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-packet-engine.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

// Immediate data of a part: its number, modulo 2^31, and a mark of the last part of a message.
constexpr uint32_t LAST_PART = 1U << 31;
constexpr uint32_t PART_MASK = LAST_PART - 1;

constexpr uint32_t NO_LANE = UINT32_MAX; // no lane
constexpr uint32_t HOME = 0;             // number of the NIC on which the software of a host runs

/// \return number of packets of a part
uint64_t
CountPackets(uint64_t bytes, uint32_t mtu)
{
    return (bytes - 1) / mtu + 1;
}

} // namespace

RdmaHostConnection::RdmaHostConnection(RdmaHost& source,
                                       RdmaHost& destination,
                                       const std::vector<RdmaLanePorts>& pairs,
                                       uint32_t queuePairs,
                                       const RdmaConnectionPlan& plan,
                                       uint8_t priority,
                                       RdmaHostConnectionUser& user,
                                       uint64_t id)
    : m_self(std::make_shared<RdmaHostConnection*>(this)),
      m_source(source),
      m_destination(destination),
      m_lanes(pairs.size() * queuePairs),
      m_spread(plan.GetSpread()),
      m_partBytes(m_spread == RdmaConnectionPlan::CHUNKS ? plan.GetChunkBytes()
                                                         : RDMA_MAX_MESSAGE_BYTES),
      m_depth(plan.GetDepth()),
      m_idleTimeout(plan.GetIdleTimeout()),
      m_priority(priority),
      m_user(user),
      m_id(id),
      m_books(m_lanes.size()),
      m_latestLane(static_cast<uint32_t>(m_lanes.size()) - 1),
      m_sourceIdle(this),
      m_senders(m_lanes.size()),
      m_receivers(m_lanes.size()),
      m_isReceiving(m_lanes.size()),
      m_destinationIdle(this)
{
    NS_ABORT_MSG_IF(m_lanes.empty(),
                    "rdma: a connection from " << source.GetName() << " to "
                                               << destination.GetName()
                                               << " without a lane; accepted: 1 or more");
    m_source.UseBus();
    m_destination.UseBus();
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        const RdmaLanePorts& pair = pairs[lane % pairs.size()];
        RdmaNic& from = m_source.GetNic(pair.sourceNic);
        RdmaNic& to = m_destination.GetNic(pair.destinationNic);
        m_lanes[lane].source = {pair.sourceNic,
                                pair.sourcePort,
                                from.ReserveQueuePairNumbers(1),
                                from.GetInitialPsn(),
                                from.GetAddress(pair.sourcePort)};
        const auto late = [self = m_self, lane](uint32_t) -> Ptr<RdmaQueuePair> {
            return *self ? (*self)->MakeReceiver(lane) : nullptr;
        };
        m_lanes[lane].destination = {pair.destinationNic,
                                     pair.destinationPort,
                                     to.ReserveQueuePairNumbers(1, late),
                                     to.GetInitialPsn(),
                                     to.GetAddress(pair.destinationPort)};
    }
}

RdmaHostConnection::~RdmaHostConnection()
{
    *m_self = nullptr;
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        for (const Ptr<RdmaQueuePair>& qp :
             {m_senders[lane].queuePair, m_receivers[lane].queuePair})
        {
            if (qp)
            {
                qp->SetUser(nullptr, 0);
            }
        }
    }
}

uint32_t
RdmaHostConnection::GetSourceNode() const
{
    return m_source.GetNic(HOME).GetNodeId();
}

uint32_t
RdmaHostConnection::GetDestinationNode() const
{
    return m_destination.GetNic(HOME).GetNodeId();
}

RdmaNote
RdmaHostConnection::MakeNote(Kind kind, uint32_t lane)
{
    RdmaNote note;
    note.receiver = this;
    note.kind = kind;
    note.place = lane;
    return note;
}

/* Events of the source's node */

uint64_t
RdmaHostConnection::Post(uint64_t bytes,
                         uint64_t remoteAddress,
                         uint32_t rKey,
                         std::optional<uint32_t> lane)
{
    NS_ABORT_MSG_IF(bytes == 0, "rdma: a message of 0 bytes over a connection; accepted: 1..");
    const uint64_t number = m_firstMessage + m_messages.size();
    Message message;
    message.bytes = bytes;
    message.partBytes = GetPartBytes(bytes);
    message.remoteAddress = remoteAddress;
    message.rKey = rKey;
    m_messages.push_back(message);
    if (!HasLane())
    {
        FailAll(*m_books.front().error);
        return number;
    }
    if (m_spread != RdmaConnectionPlan::CHUNKS)
    {
        Assign(number, lane);
    }
    Pump();
    return number;
}

/** \return true if a lane is left, possibly with a port that is down */
bool
RdmaHostConnection::HasLane() const
{
    return std::any_of(m_books.begin(), m_books.end(), [](const Book& book) {
        return !book.error;
    });
}

bool
RdmaHostConnection::IsUsable(const Book& book) const
{
    return !book.isDown && !book.error;
}

/**
 * \return the lane that gets the next part or message: with OUTSTANDING and CHUNKS the one with the
 *         fewest bytes outstanding, of equal ones the next in turn; NO_LANE: none
 */
uint32_t
RdmaHostConnection::ChooseLane() const
{
    uint32_t best = NO_LANE;
    for (uint32_t i = 1; i <= GetNLanes(); ++i)
    {
        const uint32_t lane = (m_latestLane + i) % GetNLanes();
        const Book& book = m_books[lane];
        const bool hasRoom = m_spread != RdmaConnectionPlan::CHUNKS || book.posted.size() < m_depth;
        if (!IsUsable(book) || !hasRoom)
        {
            continue;
        }
        if (m_spread == RdmaConnectionPlan::IN_TURN)
        {
            return lane;
        }
        if (best == NO_LANE || book.outstanding < m_books[best].outstanding)
        {
            best = lane;
        }
    }
    return best;
}

/** Assigns a message, or what is not cut of it, to a lane. */
void
RdmaHostConnection::Assign(uint64_t message, std::optional<uint32_t> wanted)
{
    const uint32_t lane = wanted && IsUsable(m_books[*wanted]) ? *wanted : ChooseLane();
    if (lane == NO_LANE)
    {
        // A lane that comes back takes the message.
        const auto down = std::find_if(m_books.begin(), m_books.end(), [](const Book& book) {
            return !book.error;
        });
        if (down != m_books.end())
        {
            down->messages.push_back(message);
        }
        return;
    }
    m_latestLane = lane;
    const Message& entry = m_messages[message - m_firstMessage];
    m_books[lane].messages.push_back(message);
    m_books[lane].outstanding += entry.bytes - entry.cut;
}

void
RdmaHostConnection::Pump()
{
    if (m_spread == RdmaConnectionPlan::CHUNKS)
    {
        for (uint32_t lane = ChooseLane(); lane != NO_LANE && PostNext(lane); lane = ChooseLane())
        {
        }
        return;
    }
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        while (IsUsable(m_books[lane]) && m_books[lane].posted.size() < m_depth && PostNext(lane))
        {
        }
    }
}

/** Posts the next part on a lane. \return false if there is none */
bool
RdmaHostConnection::PostNext(uint32_t lane)
{
    while (!m_again.empty())
    {
        const uint64_t number = m_again.front();
        m_again.pop_front();
        if (number >= m_firstPart && !GetPart(number).isDone)
        {
            ++m_repeated;
            m_books[lane].outstanding += GetPart(number).bytes;
            PostPart(lane, number);
            return true;
        }
    }
    if (m_spread != RdmaConnectionPlan::CHUNKS)
    {
        std::deque<uint64_t>& messages = m_books[lane].messages;
        if (messages.empty())
        {
            return false;
        }
        const uint64_t message = messages.front();
        PostPart(lane, Cut(message));
        const Message& entry = m_messages[message - m_firstMessage];
        if (entry.cut == entry.bytes)
        {
            messages.pop_front();
        }
        return true;
    }
    m_nextCut = std::max(m_nextCut, m_firstMessage);
    while (m_nextCut - m_firstMessage < m_messages.size())
    {
        const Message& entry = m_messages[m_nextCut - m_firstMessage];
        if (entry.cut < entry.bytes)
        {
            const uint64_t number = Cut(m_nextCut);
            m_books[lane].outstanding += GetPart(number).bytes;
            PostPart(lane, number);
            return true;
        }
        ++m_nextCut;
    }
    return false;
}

/**
 * \return longest part of a message: a message that does not fit into one chunk has a multiple of
 *         as many chunks as there are lanes, so that equal lanes end together
 */
uint64_t
RdmaHostConnection::GetPartBytes(uint64_t bytes) const
{
    if (m_spread != RdmaConnectionPlan::CHUNKS || bytes <= m_partBytes)
    {
        return m_partBytes;
    }
    const uint64_t lanes = GetNLanes();
    const uint64_t rounds = ((bytes - 1) / m_partBytes) / lanes + 1;
    const uint64_t share = (bytes - 1) / (rounds * lanes) + 1;
    const uint64_t mtu = m_source.GetNic(HOME).GetPathMtu();
    return std::min(m_partBytes, ((share - 1) / mtu + 1) * mtu);
}

/** Cuts the next part of a message. \return number of the part */
uint64_t
RdmaHostConnection::Cut(uint64_t message)
{
    Message& entry = m_messages[message - m_firstMessage];
    Part part;
    part.message = message;
    part.bytes = std::min(entry.partBytes, entry.bytes - entry.cut);
    part.remoteAddress = entry.remoteAddress + entry.cut;
    part.rKey = entry.rKey;
    entry.cut += part.bytes;
    part.isLast = entry.cut == entry.bytes;
    ++entry.parts;
    m_parts.push_back(part);
    return m_firstPart + m_parts.size() - 1;
}

RdmaHostConnection::Part&
RdmaHostConnection::GetPart(uint64_t number)
{
    return m_parts[number - m_firstPart];
}

void
RdmaHostConnection::PostPart(uint32_t lane, uint64_t number)
{
    Part& part = GetPart(number);
    ++part.copies;
    Book& book = m_books[lane];
    book.posted.push_back(number);
    book.isOpen = true;
    m_latestLane = lane;
    const auto immediate =
        static_cast<uint32_t>(number & PART_MASK) | (part.isLast ? LAST_PART : 0);
    RdmaNote note = MakeNote(POST, lane);
    note.numbers = {immediate, part.bytes, part.remoteAddress, part.rKey};
    m_source.Send(HOME, m_lanes[lane].source.nic, note);
}

/** Frees the oldest parts that are acknowledged and not posted any more. */
void
RdmaHostConnection::FreeParts()
{
    while (!m_parts.empty() && m_parts.front().isDone && m_parts.front().copies == 0)
    {
        m_parts.pop_front();
        ++m_firstPart;
    }
}

void
RdmaHostConnection::OnDone(uint32_t lane)
{
    Book& book = m_books[lane];
    if (book.posted.empty())
    {
        return; // the lane has failed since
    }
    const uint64_t number = book.posted.front();
    book.posted.pop_front();
    Part& part = GetPart(number);
    --part.copies;
    ++book.chunks;
    book.bytes += part.bytes;
    // Reclaim() has taken the bytes of a lane that is down.
    book.outstanding -= std::min(book.outstanding, part.bytes);
    if (!part.isDone)
    {
        part.isDone = true;
        --m_messages[part.message - m_firstMessage].parts;
    }
    FreeParts();
    Pump();
    CompleteMessages();
}

void
RdmaHostConnection::CompleteMessages()
{
    while (!m_messages.empty() && m_messages.front().cut == m_messages.front().bytes &&
           m_messages.front().parts == 0)
    {
        const uint64_t number = m_firstMessage++;
        m_messages.pop_front();
        m_user.MessageSent(m_id, number, RdmaWcStatus::SUCCESS, RdmaNow());
    }
    if (m_messages.empty() && m_idleTimeout > 0_ps)
    {
        m_sourceIdle.Arm(RdmaNow() + m_idleTimeout);
    }
}

/** Gives the parts and messages of a lane to other lanes. */
void
RdmaHostConnection::Reclaim(uint32_t lane)
{
    Book& book = m_books[lane];
    for (auto number = book.posted.rbegin(); number != book.posted.rend(); ++number)
    {
        if (!GetPart(*number).isDone)
        {
            m_again.push_front(*number);
        }
    }
    book.outstanding = 0;
    GiveMessages(lane);
}

/** Assigns the messages of a lane that is not usable any more. */
void
RdmaHostConnection::GiveMessages(uint32_t lane)
{
    for (const uint64_t message : std::exchange(m_books[lane].messages, {}))
    {
        Assign(message);
    }
}

void
RdmaHostConnection::OnPort(uint32_t lane, bool up)
{
    Book& book = m_books[lane];
    if (book.isDown == !up || book.error)
    {
        return;
    }
    book.isDown = !up;
    if (!up)
    {
        Reclaim(lane);
        Pump();
        return;
    }
    // The queue pair still has the parts that no other lane has taken yet.
    for (const uint64_t number : book.posted)
    {
        const auto again = std::find(m_again.begin(), m_again.end(), number);
        if (again != m_again.end())
        {
            m_again.erase(again);
        }
        book.outstanding += GetPart(number).isDone ? 0 : GetPart(number).bytes;
    }
    Pump();
}

void
RdmaHostConnection::OnFailed(uint32_t lane, RdmaWcStatus status)
{
    Book& book = m_books[lane];
    if (book.error)
    {
        return;
    }
    const bool wasDown = book.isDown;
    book.error = status;
    // The parts of a lane that was down have been given to others; messages may have come since.
    wasDown ? GiveMessages(lane) : Reclaim(lane);
    for (const uint64_t number : std::exchange(book.posted, {}))
    {
        --GetPart(number).copies;
    }
    FreeParts();
    if (!HasLane())
    {
        FailAll(status);
        return;
    }
    Pump();
}

void
RdmaHostConnection::FailAll(RdmaWcStatus status)
{
    m_again.clear();
    m_parts.clear();
    while (!m_messages.empty())
    {
        const uint64_t number = m_firstMessage++;
        m_messages.pop_front();
        m_user.MessageSent(m_id, number, status, RdmaNow());
    }
}

void
RdmaHostConnection::Close()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        Book& book = m_books[lane];
        if (!book.posted.empty())
        {
            // The peer may lack packets of a part that another lane has carried.
            book.error = RdmaWcStatus::WR_FLUSH_ERR;
            for (const uint64_t number : std::exchange(book.posted, {}))
            {
                --GetPart(number).copies;
            }
        }
        CloseLane(lane);
    }
    FreeParts();
}

void
RdmaHostConnection::CloseLane(uint32_t lane)
{
    Book& book = m_books[lane];
    if (std::exchange(book.isOpen, false))
    {
        book.isDown = false; // PostAtNic() looks at the port again
        m_source.Send(HOME, m_lanes[lane].source.nic, MakeNote(CLOSE_SOURCE, lane));
    }
}

void
RdmaHostConnection::OnSourceIdle()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        if (m_messages.empty() && m_books[lane].posted.empty())
        {
            CloseLane(lane);
        }
    }
}

/* Events of the nodes of the source's NICs */

void
RdmaHostConnection::TellSource(uint32_t lane, const RdmaNote& note)
{
    m_source.Send(m_lanes[lane].source.nic, HOME, note);
}

Ptr<RdmaQueuePair>
RdmaHostConnection::MakeQueuePair(RdmaHost& host,
                                  const RdmaLaneEnd& local,
                                  const RdmaLaneEnd& remote,
                                  uint64_t packets)
{
    auto qp = host.GetNic(local.nic).CreateQueuePairAs(local.qpn, local.port);
    qp->SetPriority(m_priority);
    if (packets > 0)
    {
        qp->SetAttribute("InitialPsn",
                         UintegerValue((local.initialPsn + packets) & QbbWire::MASK24));
    }
    qp->Connect(remote.address, remote.qpn, remote.initialPsn);
    return qp;
}

void
RdmaHostConnection::OpenSender(uint32_t lane)
{
    const RdmaLane& ends = m_lanes[lane];
    Sender& sender = m_senders[lane];
    sender.queuePair = MakeQueuePair(m_source, ends.source, ends.destination, sender.packets);
    sender.queuePair->SetUser(this, 2 * uint64_t{lane});
    m_source.AddPortListener(ends.source.nic, this);
}

void
RdmaHostConnection::CloseSender(uint32_t lane)
{
    Sender& sender = m_senders[lane];
    if (sender.queuePair)
    {
        sender.past += sender.queuePair->GetStats();
        m_source.GetNic(m_lanes[lane].source.nic).DestroyQueuePair(sender.queuePair);
        sender.queuePair = nullptr;
        m_source.RemovePortListener(m_lanes[lane].source.nic, this);
    }
}

/** \return true if the port of a lane, or a port of its bond, is up */
bool
RdmaHostConnection::HasPort(uint32_t lane) const
{
    const RdmaLaneEnd& end = m_lanes[lane].source;
    const RdmaNic& nic = m_source.GetNic(end.nic);
    const std::vector<uint32_t> bond = nic.GetBond(end.port);
    return std::any_of(bond.begin(), bond.end(), [&nic](uint32_t port) {
        return nic.IsPortUp(port);
    });
}

void
RdmaHostConnection::PostAtNic(uint32_t lane, const RdmaNote& note)
{
    Sender& sender = m_senders[lane];
    if (sender.hasFailed)
    {
        return; // the source learns of the failure by a note on its way
    }
    if (!sender.queuePair)
    {
        OpenSender(lane);
        if (!HasPort(lane))
        {
            TellSource(lane, MakeNote(PORT, lane));
        }
    }
    // Hold a reference: the request may fail at once, which destroys the queue pair.
    const Ptr<RdmaQueuePair> queuePair = sender.queuePair;
    RdmaSendRequest request;
    request.opcode = RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
    request.immediate = static_cast<uint32_t>(note.numbers[0]);
    request.length = note.numbers[1];
    request.remoteAddress = note.numbers[2];
    request.rKey = static_cast<uint32_t>(note.numbers[3]);
    sender.packets += CountPackets(request.length, queuePair->GetPathMtu());
    queuePair->PostSend(request);
}

void
RdmaHostConnection::SendCompleted(uint64_t id, const RdmaWorkCompletion& completion)
{
    const auto lane = static_cast<uint32_t>(id / 2);
    Sender& sender = m_senders[lane];
    if (sender.hasFailed)
    {
        return; // after a failed request, the others are flushed
    }
    if (completion.status == RdmaWcStatus::SUCCESS)
    {
        TellSource(lane, MakeNote(DONE, lane));
        return;
    }
    sender.hasFailed = true;
    CloseSender(lane);
    RdmaNote note = MakeNote(FAILED, lane);
    note.numbers[0] = static_cast<uint64_t>(completion.status);
    TellSource(lane, note);
}

void
RdmaHostConnection::PortChanged(uint32_t nic, uint32_t port, bool)
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        const RdmaLaneEnd& end = m_lanes[lane].source;
        const std::vector<uint32_t> bond = m_source.GetNic(end.nic).GetBond(end.port);
        const bool isOfLane =
            end.nic == nic && std::find(bond.begin(), bond.end(), port) != bond.end();
        if (isOfLane && m_senders[lane].queuePair)
        {
            RdmaNote note = MakeNote(PORT, lane);
            note.numbers[0] = HasPort(lane) ? 1 : 0;
            TellSource(lane, note);
        }
    }
}

/* Events of the nodes of the destination's NICs */

Ptr<RdmaQueuePair>
RdmaHostConnection::MakeReceiver(uint32_t lane)
{
    const RdmaLane& ends = m_lanes[lane];
    Receiver& receiver = m_receivers[lane];
    receiver.queuePair = MakeQueuePair(m_destination, ends.destination, ends.source, 0);
    receiver.queuePair->SetUser(this, 2 * uint64_t{lane} + 1);
    receiver.packetsBefore = receiver.packets;
    if (receiver.packets > 0)
    {
        receiver.queuePair->ResumeResponder(receiver.packets, receiver.parts);
    }
    // A part that has arrived has given its request back before the source knows, so that the peer
    // never finds none.
    for (uint32_t i = 0; i < m_depth; ++i)
    {
        receiver.queuePair->PostReceive({0, RDMA_MAX_MESSAGE_BYTES});
    }
    m_destination.Send(ends.destination.nic, HOME, MakeNote(OPENED, lane));
    return receiver.queuePair;
}

void
RdmaHostConnection::MessageReceived(uint64_t id, const RdmaMessageArrival& arrival)
{
    const auto lane = static_cast<uint32_t>(id / 2);
    RdmaNote note = MakeNote(ARRIVED, lane);
    note.numbers[0] = m_receivers[lane].immediate;
    note.numbers[1] = arrival.bytes;
    note.numbers[2] = arrival.address;
    m_destination.Send(m_lanes[lane].destination.nic, HOME, note);
}

void
RdmaHostConnection::ReceiveCompleted(uint64_t id, const RdmaWorkCompletion& completion)
{
    const auto lane = static_cast<uint32_t>(id / 2);
    Receiver& receiver = m_receivers[lane];
    if (id % 2 == 0 || completion.status != RdmaWcStatus::SUCCESS)
    {
        return;
    }
    receiver.queuePair->PostReceive({0, RDMA_MAX_MESSAGE_BYTES});
    receiver.packets += CountPackets(completion.bytes, receiver.queuePair->GetPathMtu());
    ++receiver.parts;
    receiver.immediate = completion.immediate; // MessageReceived() comes next
}

/**
 * Destroys a receiving queue pair unless it still has something to do.
 *
 * \param isEnd all messages have arrived
 */
void
RdmaHostConnection::CloseReceiver(uint32_t lane, bool isEnd)
{
    Receiver& receiver = m_receivers[lane];
    if (!receiver.queuePair)
    {
        return;
    }
    const RdmaQueuePairStats stats = receiver.queuePair->GetStats();
    // A queue pair that is made again knows neither packets of an incomplete part nor packets
    // behind a gap.
    const bool mayForget =
        stats.packetsAccepted == receiver.packets - receiver.packetsBefore && stats.outOfOrder == 0;
    if (RdmaPacketEngine::Of(*receiver.queuePair).IsQueued() || (!isEnd && !mayForget))
    {
        m_destination.Send(m_lanes[lane].destination.nic, HOME, MakeNote(OPENED, lane));
        return;
    }
    receiver.past += stats;
    m_destination.GetNic(m_lanes[lane].destination.nic).DestroyQueuePair(receiver.queuePair);
    receiver.queuePair = nullptr;
}

/* Events of the destination's node */

void
RdmaHostConnection::OnArrived(uint32_t immediate, uint64_t bytes, uint64_t address)
{
    const uint64_t ahead =
        ((immediate & PART_MASK) - static_cast<uint32_t>(m_nextPart & PART_MASK)) & PART_MASK;
    const bool isOld = ahead > PART_MASK / 2;
    if (!isOld && ahead >= m_early.size())
    {
        m_early.resize(ahead + 1);
    }
    if (isOld || m_early[ahead].hasArrived)
    {
        ++m_duplicates;
        return;
    }
    m_early[ahead] = {bytes, address, true, (immediate & LAST_PART) != 0};
    if (!m_closeWait && m_idleTimeout > 0_ps)
    {
        m_destinationIdle.Arm(RdmaNow() + m_idleTimeout);
    }
    while (!m_early.empty() && m_early.front().hasArrived)
    {
        const Early part = m_early.front();
        m_early.pop_front();
        ++m_nextPart;
        m_arrivedAddress = m_arrivedBytes > 0 ? m_arrivedAddress : part.address;
        m_arrivedBytes += part.bytes;
        if (part.isLast)
        {
            const RdmaHostArrival arrival{std::exchange(m_arrivedBytes, 0),
                                          m_arrivedAddress,
                                          RdmaNow()};
            m_user.MessageArrived(m_id, m_arrivedMessages++, arrival);
        }
    }
}

void
RdmaHostConnection::CloseDestinationAt(RdmaPs at)
{
    m_closeWait = at - RdmaNow();
    m_destinationIdle.Arm(at);
}

void
RdmaHostConnection::OnOpened(uint32_t lane)
{
    m_isReceiving[lane] = true;
    if (m_closeWait)
    {
        // A late packet, or an acknowledgement that is still queued.
        constexpr RdmaPs LEAST = 1_us;
        m_destinationIdle.ArmNoLater(RdmaNow() + std::max(*m_closeWait, LEAST));
    }
    else if (m_idleTimeout > 0_ps)
    {
        m_destinationIdle.Arm(RdmaNow() + m_idleTimeout);
    }
}

void
RdmaHostConnection::OnDestinationIdle()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        if (m_isReceiving[lane])
        {
            m_isReceiving[lane] = false;
            RdmaNote note = MakeNote(CLOSE_DESTINATION, lane);
            note.numbers[0] = m_closeWait ? 1 : 0;
            m_destination.Send(HOME, m_lanes[lane].destination.nic, note);
        }
    }
}

void
RdmaHostConnection::NoteArrived(const RdmaNote& note)
{
    const uint32_t lane = note.place;
    switch (note.kind)
    {
    case POST:
        PostAtNic(lane, note);
        break;
    case DONE:
        OnDone(lane);
        break;
    case FAILED:
        OnFailed(lane, static_cast<RdmaWcStatus>(note.numbers[0]));
        break;
    case PORT:
        OnPort(lane, note.numbers[0] != 0);
        break;
    case CLOSE_SOURCE:
        CloseSender(lane);
        break;
    case ARRIVED:
        OnArrived(static_cast<uint32_t>(note.numbers[0]), note.numbers[1], note.numbers[2]);
        break;
    case OPENED:
        OnOpened(lane);
        break;
    case CLOSE_DESTINATION:
        CloseReceiver(lane, note.numbers[0] != 0);
        break;
    default:
        NS_ABORT_MSG("rdma: a note of kind " << note.kind << " for a connection");
    }
}

/* While all nodes rest */

RdmaLaneResult
RdmaHostConnection::GetResult(uint32_t lane) const
{
    RdmaLaneResult result;
    result.source = m_senders[lane].past;
    result.destination = m_receivers[lane].past;
    if (m_senders[lane].queuePair)
    {
        result.source += m_senders[lane].queuePair->GetStats();
    }
    if (m_receivers[lane].queuePair)
    {
        result.destination += m_receivers[lane].queuePair->GetStats();
    }
    result.chunks = m_books[lane].chunks;
    result.bytes = m_books[lane].bytes;
    result.isDown = m_books[lane].isDown;
    result.error = m_books[lane].error;
    return result;
}

std::string
RdmaHostConnection::Describe() const
{
    uint64_t bytes = 0;
    uint64_t cut = 0;
    uint64_t posted = 0;
    for (const Message& message : m_messages)
    {
        bytes += message.bytes;
        cut += message.cut;
        posted += message.parts;
    }
    std::string text = std::to_string(posted) + " chunks posted, " + std::to_string(bytes - cut) +
                       " bytes to be posted";
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        const Book& book = m_books[lane];
        if (book.error)
        {
            text += "; queue pair " + std::to_string(lane) + " failed with " +
                    GetRdmaWcStatusName(*book.error);
        }
        else if (book.isDown)
        {
            text += "; the port of queue pair " + std::to_string(lane) + " is down";
        }
    }
    return text;
}

} // namespace ns3
