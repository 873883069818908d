/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-sender.h"

#include "rdma-nic.h"
#include "rdma-response.h"
#include "rdma-time.h"

#include <ns3/abort.h>

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t NO_LANE = UINT32_MAX; // no lane

// Entries of a lane that are atomics: this bit and the number, or GONE for one that has failed.
constexpr uint64_t ATOMIC = uint64_t{1} << 63;
constexpr uint64_t GONE = UINT64_MAX;

} // namespace

RdmaConnectionSender::RdmaConnectionSender(RdmaConnectionTerms&& terms)
    : RdmaConnectionHalf(std::move(terms)),
      m_spread(terms.plan.GetSpread()),
      m_partBytes(m_spread == RdmaConnectionPlan::CHUNKS ? terms.plan.GetChunkBytes()
                                                         : RDMA_MAX_MESSAGE_BYTES),
      m_books(m_lanes.size()),
      m_latestLane(GetNLanes() - 1),
      m_idle(this),
      m_senders(m_lanes.size())
{
}

RdmaConnectionSender::~RdmaConnectionSender()
{
    for (const Sender& sender : m_senders)
    {
        if (sender.queuePair)
        {
            sender.queuePair->SetUser(nullptr, 0);
        }
    }
}

/* Events of the home's node */

uint64_t
RdmaConnectionSender::Post(uint64_t bytes,
                           uint64_t remoteAddress,
                           uint32_t rKey,
                           std::optional<uint32_t> lane)
{
    const uint64_t number = m_firstMessage + m_messages.GetSize();
    Message message;
    message.bytes = bytes;
    message.partBytes = GetPartBytes(bytes);
    message.remoteAddress = remoteAddress;
    message.rKey = rKey;
    m_messages.Push(std::move(message));
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

uint64_t
RdmaConnectionSender::PostAtomic(RdmaWrOpcode opcode,
                                 uint64_t remoteAddress,
                                 uint64_t compareAdd,
                                 uint64_t swap,
                                 uint32_t rKey)
{
    const bool isSwap = opcode == RdmaWrOpcode::ATOMIC_CMP_AND_SWP;
    NS_ABORT_MSG_IF(!isSwap && opcode != RdmaWrOpcode::ATOMIC_FETCH_AND_ADD,
                    "rdma: PostAtomic() of another operation; accepted: ATOMIC_CMP_AND_SWP and "
                    "ATOMIC_FETCH_AND_ADD");
    const uint64_t number = m_nAtomics++;
    m_atomics.Emplace(number, remoteAddress, compareAdd, swap, rKey, isSwap);
    PostAtomics();
    return number;
}

/** Posts atomics as long as a lane to their NIC has room. */
void
RdmaConnectionSender::PostAtomics()
{
    const uint32_t nic = m_lanes.front().destination.nic;
    while (!m_atomics.IsEmpty())
    {
        uint32_t best = NO_LANE;
        bool isLost = true;
        RdmaWcStatus error = RdmaWcStatus::SUCCESS;
        for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
        {
            const Book& book = m_books[lane];
            if (m_lanes[lane].destination.nic != nic)
            {
                continue;
            }
            error = book.error.value_or(error);
            isLost = isLost && book.error;
            if (IsUsable(book) && book.posted.GetSize() < m_depth &&
                (best == NO_LANE || book.outstanding < m_books[best].outstanding))
            {
                best = lane;
            }
        }
        if (best == NO_LANE && !isLost)
        {
            return;
        }
        const Atomic atomic = m_atomics.Pop();
        if (best == NO_LANE)
        {
            m_user.AtomicCompleted(m_id, atomic.number, error, 0);
            continue;
        }
        m_books[best].posted.Emplace(ATOMIC | atomic.number);
        m_books[best].isOpen = true;
        m_books[best].hasAtomics = true;
        RdmaNote note = MakeNote(atomic.isSwap ? SWAP : ADD, best);
        note.numbers = {atomic.address, atomic.compareAdd, atomic.swap, atomic.rKey};
        m_host.Send(m_home, m_lanes[best].source.nic, note);
    }
}

/** The lane of posted atomics is lost: nobody knows whether they have been carried out. */
void
RdmaConnectionSender::FailAtomics(Book& book, RdmaWcStatus status)
{
    for (std::size_t i = 0; i < book.posted.GetSize(); ++i)
    {
        const uint64_t entry = book.posted[i];
        if ((entry & ATOMIC) != 0 && entry != GONE)
        {
            book.posted[i] = GONE;
            m_user.AtomicCompleted(m_id, entry & ~ATOMIC, status, 0);
        }
    }
}

/** \return true if a lane is left, possibly with a port that is down */
bool
RdmaConnectionSender::HasLane() const
{
    return std::any_of(m_books.begin(), m_books.end(), [](const Book& book) {
        return !book.error;
    });
}

bool
RdmaConnectionSender::IsUsable(const Book& book) const
{
    return !book.isDown && !book.error;
}

/**
 * \return the lane that gets the next part or message: with OUTSTANDING and CHUNKS the one with the
 *         fewest bytes outstanding, of equal ones the next in turn; NO_LANE: none
 */
uint32_t
RdmaConnectionSender::ChooseLane() const
{
    uint32_t best = NO_LANE;
    for (uint32_t i = 1; i <= GetNLanes(); ++i)
    {
        const uint32_t lane = (m_latestLane + i) % GetNLanes();
        const Book& book = m_books[lane];
        const bool hasRoom =
            m_spread != RdmaConnectionPlan::CHUNKS || book.posted.GetSize() < m_depth;
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
RdmaConnectionSender::Assign(uint64_t message, std::optional<uint32_t> wanted)
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
            down->messages.Emplace(message);
        }
        return;
    }
    m_latestLane = lane;
    const Message& entry = GetMessage(message);
    m_books[lane].messages.Emplace(message);
    m_books[lane].outstanding += entry.bytes - entry.cut;
}

void
RdmaConnectionSender::Pump()
{
    PostAtomics();
    if (m_spread == RdmaConnectionPlan::CHUNKS)
    {
        for (uint32_t lane = ChooseLane(); lane != NO_LANE && PostNext(lane); lane = ChooseLane())
        {
        }
        return;
    }
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        while (IsUsable(m_books[lane]) && m_books[lane].posted.GetSize() < m_depth &&
               PostNext(lane))
        {
        }
    }
}

/** Posts the next part on a lane. \return false if there is none */
bool
RdmaConnectionSender::PostNext(uint32_t lane)
{
    while (!m_again.empty())
    {
        const uint64_t number = m_again.back();
        m_again.pop_back();
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
        RdmaRingBuffer<uint64_t>& messages = m_books[lane].messages;
        if (messages.IsEmpty())
        {
            return false;
        }
        const uint64_t message = messages.Front();
        const uint64_t number = Cut(message);
        if (GetMessage(message).isCut)
        {
            messages.DropFront();
        }
        PostPart(lane, number);
        return true;
    }
    m_nextCut = std::max(m_nextCut, m_firstMessage);
    while (m_nextCut - m_firstMessage < m_messages.GetSize())
    {
        if (!GetMessage(m_nextCut).isCut)
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
RdmaConnectionSender::GetPartBytes(uint64_t bytes) const
{
    if (m_spread != RdmaConnectionPlan::CHUNKS || bytes <= m_partBytes)
    {
        return m_partBytes;
    }
    const uint64_t lanes = GetNLanes();
    const uint64_t rounds = ((bytes - 1) / m_partBytes) / lanes + 1;
    const uint64_t share = (bytes - 1) / (rounds * lanes) + 1;
    const uint64_t mtu = m_host.GetNic(m_home).GetPathMtu();
    return std::min(m_partBytes, ((share - 1) / mtu + 1) * mtu);
}

/** Cuts the next part of a message. \return number of the part */
uint64_t
RdmaConnectionSender::Cut(uint64_t message)
{
    Message& entry = GetMessage(message);
    Part part;
    part.message = message;
    part.bytes = std::min(entry.partBytes, entry.bytes - entry.cut);
    part.remoteAddress = entry.remoteAddress + entry.cut;
    part.rKey = entry.rKey;
    entry.cut += part.bytes;
    entry.isCut = entry.cut == entry.bytes;
    part.isLast = entry.isCut;
    ++entry.parts;
    m_parts.Push(std::move(part));
    return m_firstPart + m_parts.GetSize() - 1;
}

RdmaConnectionSender::Message&
RdmaConnectionSender::GetMessage(uint64_t number)
{
    return m_messages[number - m_firstMessage];
}

RdmaConnectionSender::Part&
RdmaConnectionSender::GetPart(uint64_t number)
{
    return m_parts[number - m_firstPart];
}

void
RdmaConnectionSender::PostPart(uint32_t lane, uint64_t number)
{
    Part& part = GetPart(number);
    ++part.copies;
    Book& book = m_books[lane];
    book.posted.Emplace(number);
    book.isOpen = true;
    m_latestLane = lane;
    const auto immediate =
        static_cast<uint32_t>(number & RDMA_PART_MASK) | (part.isLast ? RDMA_LAST_PART : 0);
    RdmaNote note = MakeNote(POST, lane);
    note.numbers = {immediate, part.bytes, part.remoteAddress, part.rKey};
    m_host.Send(m_home, m_lanes[lane].source.nic, note);
}

/** Frees the oldest parts that are acknowledged and not posted any more. */
void
RdmaConnectionSender::FreeParts()
{
    while (!m_parts.IsEmpty() && m_parts.Front().isDone && m_parts.Front().copies == 0)
    {
        m_parts.DropFront();
        ++m_firstPart;
    }
}

void
RdmaConnectionSender::OnDone(uint32_t lane, uint64_t original)
{
    Book& book = m_books[lane];
    if (book.posted.IsEmpty())
    {
        return; // the lane has failed since
    }
    const uint64_t number = book.posted.Pop();
    if ((number & ATOMIC) != 0)
    {
        Pump();
        ArmIdle();
        if (number != GONE)
        {
            m_user.AtomicCompleted(m_id, number & ~ATOMIC, RdmaWcStatus::SUCCESS, original);
        }
        return;
    }
    Part& part = GetPart(number);
    --part.copies;
    ++book.chunks;
    book.bytes += part.bytes;
    // Reclaim() has taken the bytes of a lane that is down.
    book.outstanding -= std::min(book.outstanding, part.bytes);
    if (!part.isDone)
    {
        part.isDone = true;
        --GetMessage(part.message).parts;
    }
    FreeParts();
    Pump();
    CompleteMessages();
}

void
RdmaConnectionSender::CompleteMessages()
{
    while (!m_messages.IsEmpty() && m_messages.Front().isCut && m_messages.Front().parts == 0)
    {
        const uint64_t number = m_firstMessage++;
        m_messages.DropFront();
        m_user.MessageSent(m_id, number, RdmaWcStatus::SUCCESS, RdmaNow());
    }
    ArmIdle();
}

/** Queue pairs without anything to do are destroyed after a while. */
void
RdmaConnectionSender::ArmIdle()
{
    if (m_messages.IsEmpty() && m_idleTimeout > 0_ps)
    {
        m_idle.Arm(RdmaNow() + m_idleTimeout);
    }
}

/** Gives the parts and messages of a lane to other lanes. */
void
RdmaConnectionSender::Reclaim(uint32_t lane)
{
    Book& book = m_books[lane];
    for (std::size_t i = book.posted.GetSize(); i-- > 0;)
    {
        if ((book.posted[i] & ATOMIC) == 0 && !GetPart(book.posted[i]).isDone)
        {
            m_again.push_back(book.posted[i]);
        }
    }
    book.outstanding = 0;
    GiveMessages(lane);
}

/** The queue pair of a lane will not acknowledge its parts any more. */
void
RdmaConnectionSender::DropPosted(Book& book)
{
    while (!book.posted.IsEmpty())
    {
        const uint64_t number = book.posted.Pop();
        if ((number & ATOMIC) == 0)
        {
            --GetPart(number).copies;
        }
    }
    FreeParts();
}

/** Assigns the messages of a lane that is not usable any more. */
void
RdmaConnectionSender::GiveMessages(uint32_t lane)
{
    RdmaRingBuffer<uint64_t> messages = std::move(m_books[lane].messages);
    while (!messages.IsEmpty())
    {
        Assign(messages.Pop());
    }
}

void
RdmaConnectionSender::OnPort(uint32_t lane, bool up)
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
        FailAtomics(book, RdmaWcStatus::WR_FLUSH_ERR);
        Pump();
        return;
    }
    // The queue pair still has the parts that no other lane has taken yet.
    for (std::size_t i = 0; i < book.posted.GetSize(); ++i)
    {
        const uint64_t number = book.posted[i];
        if ((number & ATOMIC) != 0)
        {
            continue;
        }
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
RdmaConnectionSender::OnFailed(uint32_t lane, RdmaWcStatus status)
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
    FailAtomics(book, status);
    DropPosted(book);
    if (!HasLane())
    {
        FailAll(status);
        return;
    }
    Pump();
}

void
RdmaConnectionSender::FailAll(RdmaWcStatus status)
{
    PostAtomics();
    m_again.clear();
    m_parts.Clear();
    while (!m_messages.IsEmpty())
    {
        const uint64_t number = m_firstMessage++;
        m_messages.DropFront();
        m_user.MessageSent(m_id, number, status, RdmaNow());
    }
}

void
RdmaConnectionSender::Close()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        Book& book = m_books[lane];
        if (!book.posted.IsEmpty())
        {
            // The peer may lack packets of a part that another lane has carried.
            book.error = RdmaWcStatus::WR_FLUSH_ERR;
            FailAtomics(book, *book.error);
            DropPosted(book);
        }
        CloseLane(lane);
    }
}

void
RdmaConnectionSender::CloseLane(uint32_t lane)
{
    Book& book = m_books[lane];
    if (std::exchange(book.isOpen, false))
    {
        book.isDown = false; // PostAtNic() looks at the port again
        m_host.Send(m_home, m_lanes[lane].source.nic, MakeNote(CLOSE, lane));
    }
}

void
RdmaConnectionSender::OnIdle()
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        const Book& book = m_books[lane];
        if (m_messages.IsEmpty() && book.posted.IsEmpty() && !book.hasAtomics)
        {
            CloseLane(lane);
        }
    }
}

/* Events of the nodes of the NICs */

void
RdmaConnectionSender::Tell(uint32_t lane, const RdmaNote& note)
{
    m_host.Send(m_lanes[lane].source.nic, m_home, note);
}

void
RdmaConnectionSender::OpenSender(uint32_t lane)
{
    const RdmaLane& ends = m_lanes[lane];
    Sender& sender = m_senders[lane];
    sender.queuePair = OpenRdmaLane(m_host.GetNic(ends.source.nic),
                                    ends.source,
                                    ends.destination,
                                    m_priority,
                                    sender.packets,
                                    false);
    sender.queuePair->ResumeRequester(sender.parts);
    sender.queuePair->SetUser(this, lane);
    m_host.AddPortListener(ends.source.nic, this);
}

void
RdmaConnectionSender::CloseSender(uint32_t lane)
{
    Sender& sender = m_senders[lane];
    if (sender.queuePair)
    {
        sender.past += sender.queuePair->GetStats();
        m_host.GetNic(m_lanes[lane].source.nic).DestroyQueuePair(sender.queuePair);
        sender.queuePair = nullptr;
        m_host.RemovePortListener(m_lanes[lane].source.nic, this);
    }
}

/** \return true if the port of a lane, or a port of its bond, is up */
bool
RdmaConnectionSender::HasPort(uint32_t lane) const
{
    const RdmaLaneEnd& end = m_lanes[lane].source;
    const RdmaNic& nic = m_host.GetNic(end.nic);
    const std::vector<uint32_t> bond = nic.GetBond(end.port);
    return std::any_of(bond.begin(), bond.end(), [&nic](uint32_t port) {
        return nic.IsPortUp(port);
    });
}

void
RdmaConnectionSender::PostAtNic(uint32_t lane, const RdmaNote& note)
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
            Tell(lane, MakeNote(PORT, lane));
        }
    }
    // Hold a reference: the request may fail at once, which destroys the queue pair.
    const Ptr<RdmaQueuePair> queuePair = sender.queuePair;
    RdmaSendRequest request;
    request.rKey = static_cast<uint32_t>(note.numbers[3]);
    if (note.kind == POST)
    {
        request.opcode = RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
        request.immediate = static_cast<uint32_t>(note.numbers[0]);
        request.length = note.numbers[1];
        request.remoteAddress = note.numbers[2];
        sender.packets += GetRdmaPackets(request.length, queuePair->GetPathMtu());
        ++sender.parts;
    }
    else
    {
        request.opcode = note.kind == SWAP ? RdmaWrOpcode::ATOMIC_CMP_AND_SWP
                                           : RdmaWrOpcode::ATOMIC_FETCH_AND_ADD;
        request.remoteAddress = note.numbers[0];
        request.compareAdd = note.numbers[1];
        request.swap = note.numbers[2];
        ++sender.packets;
    }
    queuePair->PostSend(request);
}

void
RdmaConnectionSender::SendCompleted(uint64_t id, const RdmaWorkCompletion& completion)
{
    const auto lane = static_cast<uint32_t>(id);
    Sender& sender = m_senders[lane];
    if (sender.hasFailed)
    {
        return; // after a failed request, the others are flushed
    }
    if (completion.status == RdmaWcStatus::SUCCESS)
    {
        RdmaNote note = MakeNote(DONE, lane);
        note.numbers[0] = completion.original;
        Tell(lane, note);
        return;
    }
    sender.hasFailed = true;
    CloseSender(lane);
    RdmaNote note = MakeNote(FAILED, lane);
    note.numbers[0] = static_cast<uint64_t>(completion.status);
    Tell(lane, note);
}

void
RdmaConnectionSender::PortChanged(uint32_t nic, uint32_t port, bool)
{
    for (uint32_t lane = 0; lane < GetNLanes(); ++lane)
    {
        const RdmaLaneEnd& end = m_lanes[lane].source;
        const std::vector<uint32_t> bond = m_host.GetNic(end.nic).GetBond(end.port);
        const bool isOfLane =
            end.nic == nic && std::find(bond.begin(), bond.end(), port) != bond.end();
        if (isOfLane && m_senders[lane].queuePair)
        {
            RdmaNote note = MakeNote(PORT, lane);
            note.numbers[0] = HasPort(lane) ? 1 : 0;
            Tell(lane, note);
        }
    }
}

void
RdmaConnectionSender::MessageReceived(uint64_t, const RdmaMessageArrival&)
{
    // The peer sends nothing.
}

void
RdmaConnectionSender::NoteArrived(const RdmaNote& note)
{
    const uint32_t lane = note.place;
    switch (note.kind)
    {
    case POST:
    case ADD:
    case SWAP:
        PostAtNic(lane, note);
        break;
    case DONE:
        OnDone(lane, note.numbers[0]);
        break;
    case FAILED:
        OnFailed(lane, static_cast<RdmaWcStatus>(note.numbers[0]));
        break;
    case PORT:
        OnPort(lane, note.numbers[0] != 0);
        break;
    case CLOSE:
        CloseSender(lane);
        break;
    default:
        NS_ABORT_MSG("rdma: a note of kind " << note.kind << " for a sending connection");
    }
}

/* While all nodes rest */

void
RdmaConnectionSender::Report(uint32_t lane, RdmaLaneResult& result) const
{
    const Sender& sender = m_senders[lane];
    const Book& book = m_books[lane];
    result.source = sender.past;
    if (sender.queuePair)
    {
        result.source += sender.queuePair->GetStats();
    }
    result.chunks = book.chunks;
    result.bytes = book.bytes;
    result.isDown = book.isDown;
    result.error = book.error;
}

std::string
RdmaConnectionSender::Describe() const
{
    uint64_t bytes = 0;
    uint64_t cut = 0;
    uint64_t posted = 0;
    for (std::size_t i = 0; i < m_messages.GetSize(); ++i)
    {
        const Message& message = m_messages[i];
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
