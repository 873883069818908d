/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_RESPONDER_H
#define ROCE_RESPONDER_H

#include "rdma-gap-rule.h"
#include "rdma-message-assembly.h"
#include "rdma-responder.h"

namespace ns3
{

class RoceSpreadReceiver;

/**
 * \ingroup rdma
 * The responder of RoCE: executes packets in order. Responses to READs and atomics and
 * acknowledgements are sent in the order of the requests. A repeated request repeats its response.
 *
 * With RoceTransport::OutOfOrder, packets within a window may arrive in any order. The responder
 * acknowledges each of them that asks for an acknowledgement, with the packets that have arrived in
 * order, and executes a packet once all earlier ones have been executed. A gap that
 * RdmaTransport::GetGapLimits() takes for a loss causes a NAK.
 */
class RoceResponder : public RdmaResponder
{
  public:
    /**
     * \param endpoint endpoint of the queue pair; outlives the responder
     * \param outOfOrder true: packets may arrive in any order; the receiver of the transport is a
     *        RoceSpreadReceiver
     */
    explicit RoceResponder(RdmaEndpoint& endpoint, bool outOfOrder = false);

    ~RoceResponder() override;

    void Reset() override;
    QbbFramePtr MakeFrame(RdmaPs now) override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void OnTimer(RdmaPs now) override;
    void End() override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /** Queued responses, allocated with the peer's first READ or atomic. */
    struct Answers
    {
        RdmaRingBuffer<RdmaResponse> queue; //!< responses to be sent, in order
        RdmaRingBuffer<RdmaResponse> done;  //!< results of executed atomics, for repeated requests
        RdmaPs passed{0};     //!< latest known time: responses due by then may be sent
        uint64_t answered{0}; //!< one more than the highest response number ever sent
        uint64_t sent{0};     //!< response packets sent, repeated ones included
    };

    struct Order;

    void SendAeth(uint8_t syndrome,
                  uint64_t packet,
                  int64_t selective,
                  const QbbFrame* cause) override;
    void Answer(RdmaResponse response) override;
    uint32_t CountUnanswered() const override;

    void SendAeth(const RdmaResponse& response, const QbbFrame* cause);
    void Measure(uint64_t packet, RdmaPs now);
    void Ask(uint64_t from, uint64_t end, RdmaPs now);
    void AskAgain(RdmaPs now);
    void SendGap(uint64_t first, uint64_t end);
    QbbFramePtr MakeAeth(const RdmaResponse& response);
    bool Take(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet, RdmaPs now);
    void Keep(const QbbFrame& frame, uint64_t packet, RdmaPs now);
    bool TakeKept(RdmaPs now);
    void Judge(RdmaPs now);
    RdmaGapLimits GetLimits() const;
    const RoceSpreadReceiver& GetSpreadReceiver() const;
    uint64_t CountPackets(const QbbFrame& frame) const;
    Fault Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info);
    void Execute(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now);
    void Repeat(const QbbFrame& frame, uint64_t packet);
    bool IsQueued(uint64_t packet) const;
    void TakeBack(uint64_t packet);
    void Sync();

    RdmaMessageAssembly m_message;  //!< the peer's current message
    std::unique_ptr<Order> m_order; //!< state of OutOfOrder; null: packets arrive in order
    /// queued responses; null before the peer's first READ or atomic
    std::unique_ptr<Answers> m_answers;
};

} // namespace ns3

#endif /* ROCE_RESPONDER_H */
