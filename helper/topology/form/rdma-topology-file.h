/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TOPOLOGY_FILE_H
#define RDMA_TOPOLOGY_FILE_H

#include "rdma-topology-builder.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief A topology from a file, `file:PATH` (ReadRdmaTopology()), with the file's own rates.
 */
class RdmaTopologyFile : public RdmaTopologyBuilder
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaTopology Build(const RdmaTopologyRates& rates) const override;

    bool HasOwnRates() const override
    {
        return true;
    }

  private:
    std::string m_path; //!< attribute Path
};

} // namespace ns3

#endif /* RDMA_TOPOLOGY_FILE_H */
