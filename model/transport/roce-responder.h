/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_RESPONDER_H
#define ROCE_RESPONDER_H

#include "rdma-responder.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of RoCE: packets are executed in order. Answers to READs and atomics go out in the
 * order of the requests, acknowledgements among them, and are repeated when the request is.
 */
class RoceResponder : public RdmaResponder
{
  public:
    using RdmaResponder::RdmaResponder;

    void Reset() override;
    QbbFramePtr MakeFrame(QbbPs now) override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now) override;
    void End() override;

  private:
    /** Additional state, allocated with the peer's first READ or atomic. */
    struct Answers
    {
        QbbRing<RdmaResponse> queue; //!< to be sent, in order
        QbbRing<RdmaResponse> done;  //!< atomics that have been executed, for repetition
    };

    void SendAeth(uint8_t syndrome,
                  uint64_t packet,
                  int64_t selective,
                  const QbbFrame* cause) override;
    void Answer(RdmaResponse response) override;
    uint32_t CountUnanswered() const override;

    Fault Judge(const QbbFrame& frame, const RdmaOpcodeInfo& info);
    void Execute(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now);
    void Repeat(const QbbFrame& frame, uint64_t packet);
    void TakeBack(uint64_t packet);
    void Sync();

    bool m_inMessage{false};            //!< between FIRST and LAST
    bool m_inSend{false};               //!< the present message is a SEND
    uint32_t m_messageBytes{0};         //!< bytes of the present message
    uint32_t m_messageLength{0};        //!< what its RETH announced
    std::unique_ptr<Answers> m_answers; //!< made with the peer's first READ or atomic
};

} // namespace ns3

#endif /* ROCE_RESPONDER_H */
