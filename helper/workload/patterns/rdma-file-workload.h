/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FILE_WORKLOAD_H
#define RDMA_FILE_WORKLOAD_H

#include "rdma-workload.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * \brief Workload `file:PATH`: reads the flows from a file in a format of ReadRdmaFlows().
 */
class RdmaFileWorkload : public RdmaWorkload
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology) override;

  private:
    std::string m_path; //!< value of the attribute Path
};

} // namespace ns3

#endif /* RDMA_FILE_WORKLOAD_H */
