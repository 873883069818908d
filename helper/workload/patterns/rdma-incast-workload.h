/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_INCAST_WORKLOAD_H
#define RDMA_INCAST_WORKLOAD_H

#include "rdma-fixed-size-workload.h"

namespace ns3
{

/**
 * \ingroup rdma-workload
 * \brief Workload `incast:SENDERS`: randomly chosen hosts send one flow each to one receiver.
 */
class RdmaIncastWorkload : public RdmaFixedSizeWorkload
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override;

  private:
    /** \param hosts node ids of the hosts \return index of the receiver in \p hosts */
    std::size_t ChooseReceiver(const std::vector<uint32_t>& hosts) const;

    uint32_t m_senders{1};  //!< value of the attribute Senders
    int64_t m_receiver{-1}; //!< value of the attribute Receiver
    /// Random choice of hosts
    Ptr<UniformRandomVariable> m_choice{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3

#endif /* RDMA_INCAST_WORKLOAD_H */
