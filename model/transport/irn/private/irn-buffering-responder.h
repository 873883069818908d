/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_BUFFERING_RESPONDER_H
#define IRN_BUFFERING_RESPONDER_H

#include "irn-responder.h"
#include "rdma-message-assembly.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The responder of IRN for WRITEs whose packets have RoCE's headers. Only the first packet of such
 * a WRITE names a memory address. The NIC therefore keeps an early packet until all packets with
 * lower numbers have arrived, and takes the packets in order.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 5.3, which
 * has this buffer as the alternative to headers in each packet.
 */
class IrnBufferingResponder : public IrnResponder
{
  public:
    using IrnResponder::IrnResponder;

    void Reset() override;
    void End() override;

  private:
    /** A packet of a WRITE that arrived before packets with lower numbers. */
    struct EarlyPacket
    {
        uint64_t packet;            //!< packet number
        QbbFrameExtensions headers; //!< RETH and payload bytes
        uint8_t opcode;             //!< BTH opcode
    };

    bool Understands(const QbbFrame& frame, const RdmaOpcodeInfo& info) const override;
    void Restart() override;
    Fault Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info) override;
    Fault ValidateEarly(const QbbFrame& frame, const RdmaOpcodeInfo& info) override;
    void Take(const QbbFrame& frame,
              const RdmaOpcodeInfo& info,
              uint64_t packet,
              RdmaPs now) override;
    void Keep(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet) override;
    bool PerformStored(uint64_t end, RdmaPs now) override;

    Fault ValidateWrite(const QbbFrameExtensions& packet, const RdmaOpcodeInfo& info) const;
    void TakeWrite(const QbbFrameExtensions& headers,
                   uint8_t opcode,
                   const RdmaOpcodeInfo& info,
                   uint64_t packet,
                   RdmaPs now);

    RdmaMessageAssembly m_message; //!< the peer's current WRITE
    /// packets of WRITEs that arrived before packets with lower numbers; null before the first one
    std::unique_ptr<RdmaPacketHeap<EarlyPacket>> m_early;
};

} // namespace ns3

#endif /* IRN_BUFFERING_RESPONDER_H */
