/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_RESPONDER_H
#define IRN_RESPONDER_H

#include "rdma-packet-bitmap.h"
#include "rdma-packet-heap.h"
#include "rdma-responder.h"

#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of IRN: places packets in memory as they arrive and completes messages in order.
 * Responses to READs and atomics form a packet stream that the peer acknowledges and that the
 * responder retransmits on its own.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 5.3.
 */
class IrnResponder : public RdmaResponder
{
  public:
    /** \param endpoint endpoint of the queue pair; outlives the responder */
    explicit IrnResponder(RdmaEndpoint& endpoint);
    ~IrnResponder() override;

    void Reset() override;
    QbbFramePtr MakeFrame(RdmaPs now) override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void OnTimer(RdmaPs now) override;
    void End() override;
    RdmaStreamState GetStream() const override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  protected:
    /**
     * \param frame frame from the peer
     * \param info properties of the frame's opcode
     * \return true if the frame has the packet format of this responder
     */
    virtual bool Understands([[maybe_unused]] const QbbFrame& frame,
                             const RdmaOpcodeInfo& info) const
    {
        return info.irn;
    }

    /** The peer repeats the current message from its first packet on. */
    virtual void Restart()
    {
    }

    /**
     * \param frame the next packet in order
     * \param info properties of the packet's opcode
     * \return the packet's fault
     */
    virtual Fault Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info);

    /**
     * \param frame packet that arrived before a packet with a lower number
     * \param info properties of the packet's opcode
     * \return a fault that can be found before the missing packets arrive
     */
    virtual Fault ValidateEarly(const QbbFrame& frame, const RdmaOpcodeInfo& info)
    {
        return Validate(frame, info);
    }

    /**
     * Takes the next packet in order, and performs the request that ends with the packet.
     *
     * \param frame the packet, without a fault
     * \param info properties of the packet's opcode
     * \param packet the packet's number
     * \param now current time
     */
    virtual void Take(const QbbFrame& frame,
                      const RdmaOpcodeInfo& info,
                      uint64_t packet,
                      RdmaPs now);

    /**
     * Stores an early packet until PerformStored() performs the packet's request. An early packet
     * is one that arrived before a packet with a lower number.
     *
     * \param frame the packet, without a fault
     * \param info properties of the packet's opcode
     * \param packet the packet's number
     */
    virtual void Keep(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet);

    /**
     * Performs the kept requests that end before a packet.
     *
     * \param end number of that packet; all earlier packets have arrived
     * \param now current time
     * \return false if a kept packet had a fault and was refused
     */
    virtual bool PerformStored(uint64_t end, RdmaPs now);

  private:
    class Answers;

    void SendAeth(uint8_t syndrome,
                  uint64_t packet,
                  int64_t selective,
                  const QbbFrame* cause) override;
    void Answer(RdmaResponse response) override;
    uint32_t CountUnanswered() const override;
    void Refused(Fault fault, uint64_t packet, RdmaPs now) override;

    void ReceiveRequest(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now);
    void ReceiveAcknowledgement(const QbbFrame& frame, RdmaPs now);
    void Sync();
    bool TellsArrivals() const;
    void AskForDropped();

    std::unique_ptr<Answers> m_answers; //!< responses; null before the peer's first READ or atomic
    /// Reorder buffer of requests whose last packet came out of order; null before the first one
    std::unique_ptr<RdmaPacketHeap<RdmaArrivedRequest>> m_kept;
    /// With loss rule Gap, early packets dropped for a fault; null before the first one
    std::unique_ptr<RdmaPacketBitmap> m_dropped;
};

} // namespace ns3

#endif /* IRN_RESPONDER_H */
