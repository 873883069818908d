/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_REQUESTER_H
#define IRN_REQUESTER_H

#include "rdma-requester.h"

namespace ns3
{

class IrnTransport;

/**
 * \ingroup rdma
 * The requester of IRN. By default every packet carries the address of its payload. Responses to
 * READs and atomics form a separate packet stream, which the requester acknowledges and accepts out
 * of order. The requester, on the node that reads, notices a gap and sends a NAK; the IrnResponder
 * of the peer sends the missing responses again, also when its own timer expires.
 *
 * Source: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 5.
 */
class IrnRequester : public RdmaRequester
{
  public:
    /**
     * \param endpoint endpoint of a queue pair that uses IrnTransport; outlives the requester
     * \param roceWrites true if the packets of WRITEs without immediate data have RoCE's headers
     */
    IrnRequester(RdmaEndpoint& endpoint, bool roceWrites);

    void Reset() override;
    void Resume(uint64_t receives) override;
    QbbFramePtr MakeProbe() override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void SetDraining(bool drains) override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /** State of READs and atomics, allocated with the first READ or atomic. */
    struct Reads
    {
        std::size_t cursor{0};    //!< index in m_sends of the oldest outstanding READ or atomic
        uint32_t retries{0};      //!< consecutive probes for a missing response without an answer
        uint64_t accepted{0};     //!< responses accepted
        uint64_t timeouts{0};     //!< response timeouts
        uint64_t refused{NO_END}; //!< request packet refused by the peer, or NO_END
        /// status of the refused request, reported after all earlier requests
        RdmaWcStatus refusal{};
        std::unique_ptr<RdmaReceiver> receiver; //!< receiver of the response stream
    };

    void AssignNumbers(RdmaSendEntry& entry, uint64_t packets) override;
    bool MayStartRead(const RdmaSendEntry& entry) const override;
    void StartRead(RdmaPs now) override;
    void FinishPacket(QbbFrame& frame, const RdmaSendEntry& entry, uint64_t index) const override;
    int64_t GetSelective(const QbbFrame& frame) const override;
    int64_t GetCause(const QbbFrame& frame, int64_t packet, uint64_t acked) const override;
    bool IsAnswered(const RdmaSendEntry& entry) const override;
    void OldestRequestCompleted() override;
    bool DeferFailure(uint64_t refused, RdmaWcStatus status) override;
    void OnReadTimer(RdmaPs now) override;

    void RestartReadTimer(RdmaPs now);
    const IrnTransport& GetIrnTransport() const;
    void ReceiveResponse(const QbbFrame& frame, RdmaPs now);

    uint64_t m_responsesPosted{0};    //!< response numbers assigned to posted READs and atomics
    uint32_t m_sendSn{0};             //!< number of SENDs and WRITEs with immediate data posted
    uint32_t m_readSn{0};             //!< number of READs and atomics posted
    bool m_roceWrites;                //!< WRITEs without immediate data have RoCE's headers
    std::unique_ptr<Reads> m_reads{}; //!< state of READs and atomics; null before the first one
};

} // namespace ns3

#endif /* IRN_REQUESTER_H */
