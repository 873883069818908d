/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_RESPONDER_H
#define ROCE_RESPONDER_H

#include "rdma-message-assembly.h"
#include "rdma-responder.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of RoCE: executes packets in order. Responses to READs and atomics and
 * acknowledgements are sent in the order of the requests. A repeated request repeats its response.
 */
class RoceResponder : public RdmaResponder
{
  public:
    using RdmaResponder::RdmaResponder;

    void Reset() override;
    QbbFramePtr MakeFrame(RdmaPs now) override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void OnTimer(RdmaPs now) override;
    void End() override;

  private:
    /** Queued responses, allocated with the peer's first READ or atomic. */
    struct Answers
    {
        RdmaRingBuffer<RdmaResponse> queue; //!< responses to be sent, in order
        RdmaRingBuffer<RdmaResponse> done;  //!< results of executed atomics, for repeated requests
        RdmaPs passed{0};     //!< latest known time: responses due by then may be sent
        uint64_t answered{0}; //!< one more than the highest response number ever sent
    };

    void SendAeth(uint8_t syndrome,
                  uint64_t packet,
                  int64_t selective,
                  const QbbFrame* cause) override;
    void Answer(RdmaResponse response) override;
    uint32_t CountUnanswered() const override;

    Fault Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info);
    void Execute(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now);
    void Repeat(const QbbFrame& frame, uint64_t packet);
    void TakeBack(uint64_t packet);
    void Sync();

    RdmaMessageAssembly m_message; //!< the peer's current message
    /// queued responses; null before the peer's first READ or atomic
    std::unique_ptr<Answers> m_answers;
};

} // namespace ns3

#endif /* ROCE_RESPONDER_H */
