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
 * The requester of RoCE. Responses to READs and atomics have numbers of the request stream and come
 * in order (IBA Vol. 1, 9.7.3.1). A response that is missing is asked for by repeating the request
 * from there on, and keeps what follows from counting as acknowledged.
 */
class RoceRequester : public RdmaRequester
{
  public:
    using RdmaRequester::RdmaRequester;

    void Reset() override;
    void Receive(const QbbFrame& frame, const RdmaOpcodeInfo& info, QbbPs now) override;
    void End() override;
    void AddTo(RdmaQueuePairStats& stats) const override;

  private:
    /// No READ or atomic is outstanding.
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    /** Additional state, allocated with the first READ or atomic. */
    struct Reads
    {
        uint64_t next{NONE};   //!< number of the response that comes next
        uint64_t accepted{0};  //!< responses that came in and counted
        std::size_t cursor{0}; //!< place in m_sends of the oldest outstanding READ or atomic
        bool told{false};      //!< the missing response was asked for
    };

    void Number(RdmaSendEntry& entry, uint64_t packets) override;
    bool MayBeginRead(const RdmaSendEntry& entry) const override;
    void ReadBegins(QbbPs now) override;
    bool OverlooksResponses(int64_t end, QbbPs now) override;
    bool AwaitsResponse() const override;
    void EntryLeaves() override;
    void GoesBack() override;
    void MissResponse(QbbPs now);
    void ReceiveResponse(const QbbFrame& frame, QbbPs now);

    std::unique_ptr<Reads> m_reads; //!< made with the first READ or atomic
};

} // namespace ns3

#endif /* ROCE_REQUESTER_H */
