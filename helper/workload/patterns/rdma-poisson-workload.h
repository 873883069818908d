/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_POISSON_WORKLOAD_H
#define RDMA_POISSON_WORKLOAD_H

#include "rdma-generated-workload.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * \brief Workload `poisson`: every host starts flows to uniformly chosen other hosts at
 * exponentially distributed intervals. The offered payload of a host is Load times the sum of its
 * link rates.
 */
class RdmaPoissonWorkload : public RdmaGeneratedWorkload
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
    /**
     * \param topology topology with the hosts
     * \param meanBytes mean flow size in bytes
     * \param duration interval in which flows start
     * \return mean time between two flow starts in ps, by node
     * \throws std::invalid_argument if the number of flows would be too large
     */
    std::vector<double> GetGapsPs(const RdmaTopology& topology,
                                  double meanBytes,
                                  QbbPs duration) const;

    double m_load{0.5};             //!< value of the attribute Load
    std::string m_cdf{"websearch"}; //!< value of the attribute Cdf
    Time m_duration{0};             //!< value of the attribute Duration
    /// Intervals between flow starts
    Ptr<ExponentialRandomVariable> m_times{CreateObject<ExponentialRandomVariable>()};
    /// Choice of receivers
    Ptr<UniformRandomVariable> m_peers{CreateObject<UniformRandomVariable>()};
    Ptr<UniformRandomVariable> m_sizes{CreateObject<UniformRandomVariable>()}; //!< flow sizes
};

} // namespace ns3

#endif /* RDMA_POISSON_WORKLOAD_H */
