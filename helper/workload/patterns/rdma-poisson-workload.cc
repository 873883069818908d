/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-size-cdf.h"
#include "rdma-generated-workload.h"
#include "rdma-part-name.h"
#include "rdma-units.h"

#include <ns3/double.h>
#include <ns3/string.h>

#include <cmath>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Workload `poisson`: every host starts flows to uniformly chosen other hosts at exponentially
 * distributed intervals. The offered payload of a host is Load times the sum of its link rates.
 */
class RdmaPoissonWorkload : public RdmaGeneratedWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaPoissonWorkload")
                .SetParent<RdmaGeneratedWorkload>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaPoissonWorkload>()
                .AddAttribute(
                    "Load",
                    "Offered payload of a host as a fraction of the sum of its link rates.",
                    DoubleValue(0.5),
                    MakeDoubleAccessor(&RdmaPoissonWorkload::m_load),
                    MakeDoubleChecker<double>(1e-12, 1e12))
                .AddAttribute("Cdf",
                              "Flow-size distribution: irn-heavy-tail, irn-uniform, websearch, "
                              "hadoop, storage or file:PATH.",
                              StringValue("websearch"),
                              MakeStringAccessor(&RdmaPoissonWorkload::m_cdf),
                              MakeStringChecker())
                .AddAttribute("Duration",
                              "Length of the interval after Start in which flows start, above 0.",
                              TimeValue(MilliSeconds(1)),
                              MakeTimeAccessor(&RdmaPoissonWorkload::m_duration),
                              MakeTimeChecker(Seconds(0)));
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_times->SetStream(stream + STREAM_TIME);
        m_peers->SetStream(stream + STREAM_HOST);
        m_sizes->SetStream(stream + STREAM_SIZE);
        return N_STREAMS;
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        const QbbPs duration = CheckTime("Duration", m_duration, 1_ps);
        const auto cdf = RdmaFlowSizeCdf::Make(m_cdf);
        const auto gaps = GetGapsPs(topology, cdf.GetMean(), duration);
        const auto hosts = topology.GetHosts();
        std::vector<RdmaFlow> flows;
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            QbbPs at;
            for (;;)
            {
                const double gap = m_times->GetValue(gaps[hosts[i]], 0.0);
                if (!(gap < static_cast<double>(duration) - static_cast<double>(at)))
                {
                    break;
                }
                at += QbbPs(std::llround(gap));
                if (at >= duration)
                {
                    break;
                }
                // Choose among the other hosts by skipping the index of the sender.
                const uint32_t other = Draw(m_peers, hosts.size() - 1);
                const uint32_t dst = hosts[other < i ? other : other + 1];
                const uint64_t bytes = cdf.Sample(m_sizes->GetValue(0.0, 1.0));
                flows.push_back(MakeFlow(hosts[i], dst, bytes, at));
            }
        }
        return flows;
    }

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
                                  QbbPs duration) const
    {
        constexpr double PS_PER_S = 1e12;
        constexpr double MAX_EXPECTED_FLOWS = 1e8;
        const auto rates = topology.GetNodeRates();
        std::vector<double> gaps(rates.size());
        double expected = 0.0;
        for (const uint32_t host : topology.GetHosts())
        {
            gaps[host] = meanBytes / (m_load * static_cast<double>(rates[host]) / 8.0) * PS_PER_S;
            expected += static_cast<double>(duration) / gaps[host];
        }
        if (!(expected <= MAX_EXPECTED_FLOWS))
        {
            Refuse("Load",
                   FormatRdmaReal(m_load) + " in Duration " + FormatRdmaTime(duration) + " makes " +
                       FormatRdmaReal(expected) + " flows",
                   "at most " + FormatRdmaReal(MAX_EXPECTED_FLOWS));
        }
        return gaps;
    }

    double m_load{0.5};             //!< value of the attribute Load
    std::string m_cdf{"websearch"}; //!< value of the attribute Cdf
    Time m_duration{0};             //!< value of the attribute Duration
    /// Intervals between flow starts
    Ptr<ExponentialRandomVariable> m_times{CreateObject<ExponentialRandomVariable>()};
    /// Choice of receivers
    Ptr<UniformRandomVariable> m_peers{CreateObject<UniformRandomVariable>()};
    Ptr<UniformRandomVariable> m_sizes{CreateObject<UniformRandomVariable>()}; //!< flow sizes
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPoissonWorkload);

namespace
{

const RdmaPartName g_poissonName("poisson",
                                 RdmaPoissonWorkload::GetTypeId(),
                                 "",
                                 "Poisson arrivals of flows with random sizes");

} // namespace

} // namespace ns3
