/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_SENDER_H
#define RDMA_CONNECTION_SENDER_H

#include "rdma-connection-half.h"
#include "rdma-ps.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-queue-pair.h"
#include "rdma-ring-buffer.h"
#include "rdma-timer.h"
#include "rdma-verbs.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The half of a connection between hosts that sends messages; see RdmaHostConnection for the rules.
 */
class RdmaConnectionSender final : public RdmaConnectionHalf, private RdmaPortListener
{
  public:
    /** \param terms what the half is made of */
    explicit RdmaConnectionSender(RdmaConnectionTerms&& terms);
    ~RdmaConnectionSender() override;

    /**
     * Posts a message, in an event of GetNodeId().
     *
     * \param bytes length of the message, 0 or more
     * \param remoteAddress address in the destination's memory
     * \param rKey key of the destination's memory
     * \param lane lane that carries the message with InTurn and Outstanding, if the lane is
     *        usable; no value: the plan decides
     * \return number of the message, from 0
     */
    uint64_t Post(uint64_t bytes,
                  uint64_t remoteAddress = 0,
                  uint32_t rKey = 0,
                  std::optional<uint32_t> lane = {});

    /**
     * Posts an atomic, in an event of GetNodeId(). An atomic uses one lane that leads to the NIC of
     * the destination that lane 0 leads to, because each NIC has words of its own. An atomic is
     * never posted again: if its lane goes down or fails first, nobody knows whether the peer has
     * carried the atomic out, and the atomic fails. Atomics are not ordered with messages.
     * IdleTimeout does not destroy a queue pair that has carried atomics, because their peer counts
     * on.
     *
     * \param opcode ATOMIC_CMP_AND_SWP or ATOMIC_FETCH_AND_ADD
     * \param remoteAddress address of the word in the destination's memory, a multiple of 8
     * \param compareAdd value to compare with, or to add
     * \param swap compare-and-swap: new value of the word
     * \param rKey key of the destination's memory
     * \return number of the atomic, from 0, for RdmaHostConnectionUser::AtomicCompleted()
     */
    uint64_t PostAtomic(RdmaWrOpcode opcode,
                        uint64_t remoteAddress,
                        uint64_t compareAdd,
                        uint64_t swap = 0,
                        uint32_t rKey = 0);

    /** Destroys the queue pairs, in an event of GetNodeId(). */
    void Close();

    /** \return parts that were posted again on another lane */
    uint64_t GetNRepeated() const
    {
        return m_repeated;
    }

    /**
     * Reports what has happened on a lane, while all nodes rest.
     * \param lane number of a lane
     * \param [out] result all members but the counters of the destination
     */
    void Report(uint32_t lane, RdmaLaneResult& result) const;

    /** \return what the sender is waiting for, for reports, while all nodes rest */
    std::string Describe() const;

  private:
    /** Meaning of a note. */
    enum Kind : uint32_t
    {
        POST,   //!< asks the NIC of a lane to post a part
        ADD,    //!< asks the NIC of a lane to post a fetch-and-add
        SWAP,   //!< asks the NIC of a lane to post a compare-and-swap
        DONE,   //!< tells the home that the oldest part or atomic of a lane is acknowledged
        FAILED, //!< tells the home that the queue pair of a lane has failed
        PORT,   //!< tells the home that the port of a lane is down or up
        CLOSE,  //!< asks the NIC of a lane to destroy the queue pair
    };

    /** A message that is not complete. */
    struct Message
    {
        uint64_t bytes{0};         //!< length
        uint64_t partBytes{0};     //!< longest part
        uint64_t cut{0};           //!< bytes in parts so far
        uint64_t parts{0};         //!< parts that are not acknowledged
        uint64_t remoteAddress{0}; //!< address in the destination's memory
        uint32_t rKey{0};          //!< key of the destination's memory
        bool isCut{false};         //!< all bytes are in parts
    };

    /** A part of a message that is not acknowledged, or is still posted on a lane. */
    struct Part
    {
        uint64_t message{0};       //!< number of the message
        uint64_t bytes{0};         //!< length
        uint64_t remoteAddress{0}; //!< address in the destination's memory
        uint32_t rKey{0};          //!< key of the destination's memory
        uint32_t copies{0};        //!< lanes on which the part is posted
        bool isLast{false};        //!< last part of the message
        bool isDone{false};        //!< acknowledged
    };

    /** An atomic that is not posted yet. */
    struct Atomic
    {
        uint64_t number{0};     //!< number of the atomic
        uint64_t address{0};    //!< address in the destination's memory
        uint64_t compareAdd{0}; //!< value to compare with, or to add
        uint64_t swap{0};       //!< new value of the word
        uint32_t rKey{0};       //!< key of the destination's memory
        bool isSwap{false};     //!< compare-and-swap
    };

    /** What the home knows of a lane. */
    struct Book
    {
        /// Parts that are posted, in order; ATOMIC and its number for an atomic
        RdmaRingBuffer<uint64_t> posted;
        RdmaRingBuffer<uint64_t> messages; //!< messages to be cut for this lane
        uint64_t outstanding{0};           //!< bytes assigned and not acknowledged
        uint64_t chunks{0};                //!< parts acknowledged
        uint64_t bytes{0};                 //!< bytes of these parts
        bool isOpen{false};                //!< a queue pair exists
        bool hasAtomics{false};            //!< the queue pair has carried atomics
        bool isDown{false};                //!< the port is down
        std::optional<RdmaWcStatus> error; //!< why the lane is not used any more
    };

    /** The queue pair of a lane. Only events of the NIC's node use it. */
    struct Sender
    {
        Ptr<RdmaQueuePair> queuePair; //!< the queue pair, or null
        uint64_t packets{0};          //!< packets posted by all queue pairs of the lane
        uint64_t parts{0};            //!< parts posted by all queue pairs of the lane
        RdmaQueuePairStats past;      //!< counters of destroyed queue pairs
        bool hasFailed{false};        //!< the queue pair has failed
    };

    // RdmaNoteReceiver, RdmaQueuePairUser, RdmaPortListener
    void NoteArrived(const RdmaNote& note) override;
    void MessageReceived(uint64_t id, const RdmaMessageArrival& arrival) override;
    void SendCompleted(uint64_t id, const RdmaWorkCompletion& completion) override;
    void PortChanged(uint32_t nic, uint32_t port, bool up) override;

    // Events of the home's node
    bool HasLane() const;
    uint32_t ChooseLane() const;
    bool IsUsable(const Book& book) const;
    void Assign(uint64_t message, std::optional<uint32_t> wanted = {});
    void Pump();
    bool PostNext(uint32_t lane);
    void PostPart(uint32_t lane, uint64_t number);
    void PostAtomics();
    void FailAtomics(Book& book, RdmaWcStatus status);
    uint64_t GetPartBytes(uint64_t bytes) const;
    uint64_t Cut(uint64_t message);
    Message& GetMessage(uint64_t number);
    Part& GetPart(uint64_t number);
    void FreeParts();
    void OnDone(uint32_t lane, uint64_t original);
    void Reclaim(uint32_t lane);
    void DropPosted(Book& book);
    void GiveMessages(uint32_t lane);
    void OnFailed(uint32_t lane, RdmaWcStatus status);
    void OnPort(uint32_t lane, bool up);
    void FailAll(RdmaWcStatus status);
    void CompleteMessages();
    void ArmIdle();
    void CloseLane(uint32_t lane);
    void OnIdle();

    // Events of the nodes of the NICs
    void Tell(uint32_t lane, const RdmaNote& note);
    bool HasPort(uint32_t lane) const;
    void PostAtNic(uint32_t lane, const RdmaNote& note);
    void OpenSender(uint32_t lane);
    void CloseSender(uint32_t lane);

    RdmaConnectionPlan::Spread m_spread; //!< how messages spread over the lanes
    uint64_t m_partBytes;                //!< longest part

    // State of the home's node
    std::vector<Book> m_books;          //!< lanes as the home knows them
    RdmaRingBuffer<Message> m_messages; //!< messages that are not complete, in order
    uint64_t m_firstMessage{0};         //!< number of the first of them
    uint64_t m_nextCut{0};              //!< CHUNKS: first message that may have bytes to be cut
    RdmaRingBuffer<Part> m_parts;       //!< parts, in order
    uint64_t m_firstPart{0};            //!< number of the first of them
    std::vector<uint64_t> m_again;      //!< parts to be posted again, the first one last
    uint64_t m_repeated{0};             //!< parts that were posted again
    RdmaRingBuffer<Atomic> m_atomics;   //!< atomics that are not posted yet, in order
    uint64_t m_nAtomics{0};             //!< number of atomics so far
    uint32_t m_latestLane{0};           //!< lane that got the latest part or message
    RdmaTimer<RdmaConnectionSender, &RdmaConnectionSender::OnIdle, RDMA_LANE_EVENT_ORDER>
        m_idle; //!< destroys queue pairs

    std::vector<Sender> m_senders; //!< queue pairs by lane: state of the nodes of NICs
};

} // namespace ns3

#endif /* RDMA_CONNECTION_SENDER_H */
