/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef ROCE_REQUESTER_H
#define ROCE_REQUESTER_H

#include "rdma-requester.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The requester of RoCE. Responses to READs and atomics take packet numbers of the request stream
 * and arrive in order (IBA Vol. 1, 9.7.3.1). This object, on the node that reads, notices a lost
 * response: a later response or acknowledgement arrives, or the retransmission timer expires. It
 * repeats the request from the missing part on, and the peer sends all responses from there on.
 * Later packets do not count as acknowledged before the missing response has arrived.
 */
class RoceRequester : public RdmaRequester
{
  public:
    using RdmaRequester::RdmaRequester;

    void Reset() override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, RdmaPs now) override;
    void End() override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /// Value of Reads::next without an outstanding READ or atomic.
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    /** State of READs and atomics, allocated with the first READ or atomic. */
    struct Reads
    {
        uint64_t next{NONE};   //!< packet number of the next expected response
        uint64_t accepted{0};  //!< responses accepted
        std::size_t cursor{0}; //!< index in m_sends of the oldest outstanding READ or atomic
        bool requested{false}; //!< the missing response has been requested again
    };

    void AssignNumbers(RdmaSendEntry& entry, uint64_t packets) override;
    bool MayStartRead(const RdmaSendEntry& entry) const override;
    void StartRead(RdmaPs now) override;
    bool FindsLostResponses(int64_t end, RdmaPs now) override;
    bool AwaitsResponse() const override;
    void OldestRequestCompleted() override;
    void SendTimerExpired() override;
    void RecoverLostResponse(RdmaPs now);
    void ReceiveResponse(const QbbFrame& frame, RdmaPs now);

    std::unique_ptr<Reads> m_reads; //!< state of READs and atomics; null before the first one
};

} // namespace ns3

#endif /* ROCE_REQUESTER_H */
