/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_RECEIVER_H
#define RDMA_CONNECTION_RECEIVER_H

#include "rdma-connection-half.h"
#include "rdma-ps.h"
#include "rdma-queue-pair-stats.h"
#include "rdma-queue-pair.h"
#include "rdma-ring-buffer.h"
#include "rdma-timer.h"
#include "rdma-verbs.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The half of a connection between hosts that receives messages; see RdmaHostConnection for the
 * rules.
 */
class RdmaConnectionReceiver final : public RdmaConnectionHalf
{
  public:
    /** \param terms what the half is made of */
    explicit RdmaConnectionReceiver(RdmaConnectionTerms&& terms);
    ~RdmaConnectionReceiver() override;

    /**
     * Makes the queue pair of a lane, in an event of the node of the lane's NIC
     * (RdmaNic::LateHandler).
     *
     * \param lane number of a lane without a queue pair, from 0
     * \return the queue pair
     */
    Ptr<RdmaQueuePair> Open(uint32_t lane);

    /**
     * Destroys the queue pairs at an instant, or later if they then have an acknowledgement to
     * send. To be called in an event of GetNodeId().
     *
     * \param at the instant
     */
    void CloseAt(RdmaPs at);

    /** \return parts that arrived again after they had been counted */
    uint64_t GetNDuplicates() const
    {
        return m_duplicates;
    }

    /**
     * Reports what has happened on a lane, while all nodes rest.
     * \param lane number of a lane
     * \param [out] result the counters of the destination
     */
    void Report(uint32_t lane, RdmaLaneResult& result) const;

  private:
    /** Meaning of a note. */
    enum Kind : uint32_t
    {
        ARRIVED, //!< tells the home that a part has arrived
        OPENED,  //!< tells the home that a queue pair exists
        CLOSE,   //!< asks the NIC of a lane to destroy the queue pair
    };

    /** The queue pair of a lane. Only events of the NIC's node use it, except for isReceiving. */
    struct Receiver
    {
        Ptr<RdmaQueuePair> queuePair; //!< the queue pair, or null
        uint64_t packets{0};          //!< packets of complete parts
        uint64_t parts{0};            //!< complete parts
        uint32_t immediate{0};        //!< immediate data of the latest part
        bool isReceiving{false};      //!< the home's node knows of a queue pair; of that node
        RdmaQueuePairStats past;      //!< counters of destroyed queue pairs
    };

    /** A part that has arrived before an earlier one, or the gap for that one. */
    struct Early
    {
        uint64_t bytes{0};      //!< length
        uint64_t address{0};    //!< address of the first byte
        bool hasArrived{false}; //!< the part has arrived
        bool isLast{false};     //!< last part of its message
    };

    // RdmaNoteReceiver, RdmaQueuePairUser
    void NoteArrived(const RdmaNote& note) override;
    void MessageReceived(uint64_t id, const RdmaMessageArrival& arrival) override;
    void SendCompleted(uint64_t id, const RdmaWorkCompletion& completion) override;
    void ReceiveCompleted(uint64_t id, const RdmaWorkCompletion& completion) override;

    // Events of the nodes of the NICs
    void CloseReceiver(uint32_t lane, bool isEnd);

    // Events of the home's node
    void OnArrived(const RdmaNote& note);
    void OnOpened(uint32_t lane);
    void OnIdle();

    std::vector<Receiver> m_receivers; //!< queue pairs by lane: state of the nodes of NICs

    // State of the home's node
    RdmaRingBuffer<Early> m_early;     //!< parts from m_nextPart on
    uint64_t m_nextPart{0};            //!< first part that has not arrived
    uint64_t m_arrivedMessages{0};     //!< complete messages
    RdmaHostArrival m_arrival;         //!< the message that is not complete
    bool m_isInMessage{false};         //!< a part of that message has arrived
    uint64_t m_duplicates{0};          //!< parts that arrived again
    std::optional<RdmaPs> m_closeWait; //!< time of CloseAt() from its call on
    RdmaTimer<RdmaConnectionReceiver, &RdmaConnectionReceiver::OnIdle, RDMA_LANE_EVENT_ORDER>
        m_idle; //!< destroys queue pairs
};

} // namespace ns3

#endif /* RDMA_CONNECTION_RECEIVER_H */
