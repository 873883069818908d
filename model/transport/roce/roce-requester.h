/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_REQUESTER_H
#define ROCE_REQUESTER_H

#include "rdma-gap-rule.h"
#include "rdma-packet-bitmap.h"
#include "rdma-requester.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

class RoceSpreadSender;

/**
 * \ingroup rdma
 * The requester of RoCE. Responses to READs and atomics take packet numbers of the request stream
 * and arrive in order (IBA Vol. 1, 9.7.3.1). This object, on the node that reads, notices a lost
 * response: a later response or acknowledgement arrives, or the retransmission timer expires. It
 * repeats the request from the missing part on, and the peer sends all responses from there on.
 * Later packets do not count as acknowledged before the missing response has arrived.
 *
 * With RoceTransport::OutOfOrder, responses may arrive in any order, and the requester repeats a
 * request for the missing responses alone, once RdmaTransport::GetGapLimits() takes them for lost.
 */
class RoceRequester : public RdmaRequester
{
  public:
    /**
     * \param endpoint endpoint of the queue pair; outlives the requester
     * \param outOfOrder true: responses may arrive in any order; the sender of the transport is a
     *        RoceSpreadSender
     */
    explicit RoceRequester(RdmaEndpoint& endpoint, bool outOfOrder = false);

    ~RoceRequester() override;

    void Reset() override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void End() override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /// Value of Reads::next without an outstanding READ or atomic.
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    /** State of OutOfOrder for READs and atomics. */
    struct Order
    {
        RdmaPacketBitmap received; //!< responses received beyond the first missing one
        RdmaGapRule gaps;          //!< tells losses from overtakings
        uint64_t askedEnd{0};      //!< missing responses below this number have been asked for
        uint64_t refused{NONE};    //!< packet whose refusal has overtaken responses; NONE: none
        RdmaWcStatus refusal{RdmaWcStatus::SUCCESS}; //!< status of the refused request
        RdmaReordering reordering;                   //!< what the responses have shown
    };

    /** State of READs and atomics, allocated with the first READ or atomic. */
    struct Reads
    {
        uint64_t next{NONE};          //!< packet number of the next expected response
        uint64_t accepted{0};         //!< responses accepted
        std::size_t cursor{0};        //!< index in m_sends of the oldest outstanding READ or atomic
        bool requested{false};        //!< the missing response has been requested again
        std::unique_ptr<Order> order; //!< state of OutOfOrder; null: responses arrive in order
    };

    void AssignNumbers(RdmaSendEntry& entry, uint64_t packets) override;
    bool MayStartRead(const RdmaSendEntry& entry) const override;
    void StartRead(RdmaPs now) override;
    bool FindsLostResponses(int64_t end, RdmaPs now) override;
    bool AwaitsResponse() const override;
    void OldestRequestCompleted() override;
    void SendTimerExpired() override;
    bool DeferFailure(uint64_t refused, RdmaWcStatus status) override;
    int64_t GetSelective(const QbbFrame& frame) const override;
    int64_t GetCause(const QbbFrame& frame, int64_t packet, uint64_t acked) const override;
    void OnReadTimer(RdmaPs now) override;
    RoceSpreadSender& GetSpreadSender();
    RdmaGapLimits GetLimits() const;
    void TakeResponse(const QbbFrame& frame, uint64_t response, RdmaPs now);
    void AdvanceReads();
    void AskForResponses(uint64_t first);
    void Judge(RdmaPs now);
    void RecoverLostResponse(RdmaPs now);
    void ReceiveGap(const QbbFrame& frame, RdmaPs now);
    void ReceiveResponse(const QbbFrame& frame, RdmaPs now);

    std::unique_ptr<Reads> m_reads; //!< state of READs and atomics; null before the first one
    bool m_outOfOrder;              //!< responses may arrive in any order
};

} // namespace ns3

#endif /* ROCE_REQUESTER_H */
