/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_REQUESTER_H
#define IRN_REQUESTER_H

#include "rdma-requester.h"

namespace ns3
{

/**
 * \ingroup rdma
 * The requester of IRN. Every packet says where its payload goes. Responses to READs and atomics
 * are a packet stream of their own, which the requester acknowledges, and may come out of order.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 5.
 */
class IrnRequester : public RdmaRequester
{
  public:
    /** \param endpoint a queue pair of an IrnTransport; outlives its requester */
    explicit IrnRequester(RdmaEndpoint& endpoint);

    void Reset() override;
    QbbFramePtr MakeProbe() override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now) override;
    void SetDraining(bool drains) override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /** Additional state, allocated with the first READ or atomic. */
    struct Reads
    {
        std::size_t cursor{0};    //!< place in m_sends of the oldest outstanding one
        uint32_t retries{0};      //!< times asked for responses in a row
        uint64_t accepted{0};     //!< responses that came in and counted
        uint64_t timeouts{0};     //!< times that a response was asked for
        uint64_t refused{NO_END}; //!< this request packet was refused
        RdmaWcStatus refusal{};   //!< its request fails so when all before is complete
        std::unique_ptr<RdmaReceiver> receiver; //!< of the responses
    };

    void Number(RdmaSendEntry& entry, uint64_t packets) override;
    bool MayBeginRead(const RdmaSendEntry& entry) const override;
    void ReadBegins(QbbPs now) override;
    void FinishPacket(QbbFrame& frame, const RdmaSendEntry& entry, uint64_t index) const override;
    int64_t GetSelective(const QbbFrame& frame) const override;
    int64_t GetCause(const QbbFrame& frame, int64_t packet, uint64_t acked) const override;
    bool IsAnswered(const RdmaSendEntry& entry) const override;
    void EntryLeaves() override;
    bool Postpones(uint64_t refused, RdmaWcStatus status) override;
    void OnReadTimer(QbbPs now) override;

    void WatchReads(QbbPs now);
    RdmaSendEntry* FindRead(uint64_t response);
    void ReceiveResponse(const QbbFrame& frame, QbbPs now);
    void AcknowledgeResponse(uint8_t syndrome,
                             uint64_t packet,
                             int64_t selective,
                             const QbbFrame& cause);

    uint64_t m_responsesPosted{0};    //!< response numbers posted
    uint32_t m_sendSn{0};             //!< SENDs and WRITEs with immediate posted
    uint32_t m_readSn{0};             //!< READs and atomics posted
    std::unique_ptr<Reads> m_reads{}; //!< made with the first READ or atomic
};

} // namespace ns3

#endif /* IRN_REQUESTER_H */
