/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-exchange-program.h"
#include "rdma-part-name.h"

#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/** In step k, rank i sends to rank i + 2^k and receives from rank i - 2^k. */
class RdmaDisseminationProgram final : public RdmaExchangeProgram
{
  public:
    RdmaDisseminationProgram(const RdmaCollectiveScope& scope,
                             const RdmaExchangeForm& form,
                             uint64_t bytes,
                             uint32_t steps)
        : RdmaExchangeProgram(scope, form, steps, 0),
          m_bytes(bytes)
    {
    }

  private:
    Transfer GetSend(uint64_t step) const override
    {
        return {GetScope().GetNeighbour(int64_t{1} << step), m_bytes};
    }

    Transfer GetReceive(uint64_t step) const override
    {
        return {GetScope().GetNeighbour(-(int64_t{1} << step)), m_bytes};
    }

    uint64_t m_bytes; //!< bytes of a message
};

} // namespace

/**
 * \ingroup rdma-collective
 * Barrier `barrier`: dissemination in ceil(log2 n) steps (Hensgen, Finkel and Manber, "Two
 * algorithms for barrier synchronization", 1988). The size of a call means nothing.
 */
class RdmaBarrier : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaBarrier")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaBarrier>()
                                .AddAttribute("MessageBytes",
                                              "Bytes of a message.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&RdmaBarrier::m_messageBytes),
                                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::BARRIER;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check(GetChannels() == 1 && GetForm().chunks == 1 && !GetForm().isPipelined,
              "several channels or chunks, or Steps=Pipelined",
              "Channels=1, Chunks=1, Steps=Blocking");
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t /*bytes*/) const override
    {
        return std::make_unique<RdmaDisseminationProgram>(scope,
                                                          GetForm(),
                                                          m_messageBytes,
                                                          GetRdmaLog2(scope.count));
    }

  private:
    uint64_t m_messageBytes{1}; //!< value of the attribute MessageBytes
};

NS_OBJECT_ENSURE_REGISTERED(RdmaBarrier);

const RdmaPartName g_barrierName("barrier",
                                 RdmaBarrier::GetTypeId(),
                                 "",
                                 "barrier by dissemination");

} // namespace ns3
