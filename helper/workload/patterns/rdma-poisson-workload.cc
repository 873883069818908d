/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-compat.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-generated-workload.h"
#include "rdma-load-of.h"
#include "rdma-part-name.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Workload `poisson`: every host starts flows to uniformly chosen other hosts at exponentially
 * distributed intervals. The offered payload of a host is Load times the sum of its link rates.
 *
 * With Measure, the flows that start in the window of length Measure after WarmUp are counted.
 * Until the end of the window, the flows are those of a workload with Duration WarmUp + Measure.
 * Arrivals then continue from random streams of each host, so the flows do not depend on the
 * intervals in which they are generated.
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
                    "Offered bytes of a host, as LoadOf counts them, as a fraction of the sum of "
                    "its link rates.",
                    DoubleValue(0.5),
                    MakeDoubleAccessor(&RdmaPoissonWorkload::m_load),
                    MakeDoubleChecker<double>(1e-12, 1e12))
                .AddAttribute(
                    "LoadOf",
                    "What Load counts: payload; packets on the wire with RoCEv2 headers, "
                    "preamble and gap, whatever the transport; or in addition an "
                    "acknowledgement for each packet.",
                    EnumValue(RdmaLoadOf::PAYLOAD),
                    RdmaMakeEnumAccessor<RdmaLoadOf::Kind>(&RdmaPoissonWorkload::m_loadOf),
                    MakeEnumChecker(RdmaLoadOf::PAYLOAD,
                                    "Payload",
                                    RdmaLoadOf::WIRE,
                                    "Wire",
                                    RdmaLoadOf::WIRE_ACKS,
                                    "WireAcks"))
                .AddAttribute("Mtu",
                              "Payload of a full packet, for a LoadOf other than Payload.",
                              UintegerValue(1024),
                              MakeUintegerAccessor(&RdmaPoissonWorkload::m_mtu),
                              MakeUintegerChecker<uint32_t>(256, 4096))
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
                              MakeTimeChecker(Seconds(0)))
                .AddAttribute("WarmUp",
                              "Length of the interval after Start whose flows are not counted, "
                              "with Measure.",
                              TimeValue(Seconds(0)),
                              MakeTimeAccessor(&RdmaPoissonWorkload::m_warmUp),
                              MakeTimeChecker(Seconds(0)))
                .AddAttribute("Measure",
                              "Length of the interval after WarmUp whose flows are counted, in "
                              "place of Duration; arrivals continue until the run ends. 0: all "
                              "flows are counted.",
                              TimeValue(Seconds(0)),
                              MakeTimeAccessor(&RdmaPoissonWorkload::m_measure),
                              MakeTimeChecker(Seconds(0)));
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_times->SetStream(stream + STREAM_TIME);
        m_peers->SetStream(stream + STREAM_HOST);
        m_sizes->SetStream(stream + STREAM_SIZE);
        m_laterStream = stream + N_STREAMS;
        return N_STREAMS + (m_measure.IsZero() ? 0 : MAX_LATER_STREAMS);
    }

    std::optional<RdmaFlowWindow> GetWindow() const override
    {
        if (m_measure.IsZero())
        {
            return std::nullopt;
        }
        const RdmaPs begin = GetStart() + RdmaToPs(m_warmUp);
        return RdmaFlowWindow{begin, begin + RdmaToPs(m_measure)};
    }

  protected:
    std::vector<RdmaFlow> Generate(const RdmaTopology& topology) override
    {
        const RdmaPs duration = CheckDuration();
        const auto cdf = RdmaFlowSizeCdf::Make(m_cdf);
        const auto gaps = GetGapsPs(topology, cdf, duration);
        m_later.clear();
        const auto hosts = topology.GetHosts();
        std::vector<RdmaFlow> flows;
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            RdmaPs at;
            for (;;)
            {
                const double gap = m_times->GetValue(gaps[hosts[i]], 0.0);
                if (!(gap < static_cast<double>(duration) - static_cast<double>(at)))
                {
                    break;
                }
                at += RdmaPs(std::llround(gap));
                if (at >= duration)
                {
                    break;
                }
                const uint32_t dst = DrawPeer(hosts, i, m_peers);
                const uint64_t bytes = cdf.Sample(m_sizes->GetValue(0.0, 1.0));
                flows.push_back(MakeFlow(hosts[i], dst, bytes, at));
            }
        }
        return flows;
    }

    std::vector<RdmaFlow> GenerateMore(const RdmaTopology& topology, RdmaPs until) override
    {
        if (m_measure.IsZero())
        {
            return {};
        }
        const auto hosts = topology.GetHosts();
        const auto cdf = RdmaFlowSizeCdf::Make(m_cdf);
        if (m_later.empty())
        {
            BeginLater(topology, cdf);
        }
        const RdmaPs end = until - GetStart();
        std::vector<RdmaFlow> flows;
        for (std::size_t i = 0; i < hosts.size(); ++i)
        {
            Arrivals& later = m_later[i];
            while (later.next < end)
            {
                const uint64_t bytes = cdf.Sample(later.sizes->GetValue(0.0, 1.0));
                const uint32_t dst = DrawPeer(hosts, i, later.peers);
                flows.push_back(MakeFlow(hosts[i], dst, bytes, later.next));
                later.Advance();
            }
        }
        return flows;
    }

  private:
    /// Streams for the arrivals after the window: three for each of at most 2^20 hosts.
    static constexpr int64_t MAX_LATER_STREAMS = int64_t{3} << 20;

    /** Arrivals of a host after the window. */
    struct Arrivals
    {
        double gap{0};                        //!< mean time between two flow starts in ps
        RdmaPs next{0};                       //!< next flow start, relative to Start
        Ptr<ExponentialRandomVariable> times; //!< intervals between flow starts
        Ptr<UniformRandomVariable> peers;     //!< choice of receivers
        Ptr<UniformRandomVariable> sizes;     //!< flow sizes

        /** Draws the next flow start, which may be never. */
        void Advance()
        {
            const double drawn = times->GetValue(gap, 0.0);
            const double left = static_cast<double>(RDMA_MAX_TIME) - static_cast<double>(next);
            next = drawn < left ? next + RdmaPs(std::llround(drawn)) : RDMA_NEVER;
        }
    };

    /** \return time after Start in which Generate() makes flows */
    RdmaPs CheckDuration() const
    {
        if (m_measure.IsZero())
        {
            if (!m_warmUp.IsZero())
            {
                Refuse("WarmUp", FormatRdmaTime(RdmaToPs(m_warmUp)) + " without Measure", "0s");
            }
            return CheckTime("Duration", m_duration, 1_ps);
        }
        const RdmaPs warmUp = CheckTime("WarmUp", m_warmUp, 0_ps);
        const RdmaPs measure = CheckTime("Measure", m_measure, 1_ps);
        const RdmaPs max = RDMA_MAX_TIME - GetStart() - warmUp;
        if (measure > max)
        {
            Refuse("Measure",
                   FormatRdmaTime(measure) + " with WarmUp " + FormatRdmaTime(warmUp),
                   "up to " + FormatRdmaTime(max));
        }
        return warmUp + measure;
    }

    /** Prepares the arrivals after the window. */
    void BeginLater(const RdmaTopology& topology, const RdmaFlowSizeCdf& cdf)
    {
        // Exponential intervals have no memory, so arrivals may begin afresh at any time.
        const RdmaPs from = CheckDuration();
        const auto gaps = GetGapsPs(topology, cdf, from);
        int64_t stream = m_laterStream;
        for (const uint32_t host : topology.GetHosts())
        {
            Arrivals later;
            later.gap = gaps[host];
            later.next = from;
            later.times = CreateObject<ExponentialRandomVariable>();
            later.peers = CreateObject<UniformRandomVariable>();
            later.sizes = CreateObject<UniformRandomVariable>();
            if (m_laterStream >= 0)
            {
                later.times->SetStream(stream++);
                later.peers->SetStream(stream++);
                later.sizes->SetStream(stream++);
            }
            later.Advance();
            m_later.push_back(later);
        }
    }

    /** \return a random host other than the sender, which is \p hosts[ \p sender ] */
    static uint32_t DrawPeer(const std::vector<uint32_t>& hosts,
                             std::size_t sender,
                             const Ptr<UniformRandomVariable>& variable)
    {
        // Choose among the other hosts by skipping the index of the sender.
        const uint32_t other = Draw(variable, hosts.size() - 1);
        return hosts[other < sender ? other : other + 1];
    }

    /**
     * \param topology topology with the hosts
     * \param cdf flow-size distribution
     * \param duration interval in which flows start
     * \return mean time between two flow starts in ps, by node
     * \throws std::invalid_argument if the number of flows would be too large
     */
    std::vector<double> GetGapsPs(const RdmaTopology& topology,
                                  const RdmaFlowSizeCdf& cdf,
                                  RdmaPs duration) const
    {
        constexpr double PS_PER_S = 1e12;
        constexpr double MAX_EXPECTED_FLOWS = 1e8;
        const double meanBytes = GetRdmaMeanLoadBytes(cdf, m_loadOf, m_mtu);
        const auto rates = topology.GetNodeRates();
        std::vector<double> gaps(rates.size());
        double expected = 0.0;
        for (const uint32_t host : topology.GetHosts())
        {
            RdmaBitRate rate{0};
            for (const uint32_t nic : topology.GetNics(host))
            {
                rate += rates[nic];
            }
            gaps[host] = meanBytes / (m_load * static_cast<double>(rate) / 8.0) * PS_PER_S;
            expected += static_cast<double>(duration) / gaps[host];
        }
        if (!(expected <= MAX_EXPECTED_FLOWS))
        {
            Refuse("Load",
                   FormatRdmaReal(m_load) + " in " +
                       (m_measure.IsZero() ? "Duration " : "WarmUp and Measure ") +
                       FormatRdmaTime(duration) + " makes " + FormatRdmaReal(expected) + " flows",
                   "at most " + FormatRdmaReal(MAX_EXPECTED_FLOWS));
        }
        return gaps;
    }

    double m_load{0.5};                             //!< value of the attribute Load
    std::string m_cdf{"websearch"};                 //!< value of the attribute Cdf
    RdmaLoadOf::Kind m_loadOf{RdmaLoadOf::PAYLOAD}; //!< value of the attribute LoadOf
    uint32_t m_mtu{1024};                           //!< value of the attribute Mtu
    Time m_duration{0};                             //!< value of the attribute Duration
    Time m_warmUp{0};                               //!< value of the attribute WarmUp
    Time m_measure{0};                              //!< value of the attribute Measure
    int64_t m_laterStream{-1};     //!< first stream of the arrivals after the window
    std::vector<Arrivals> m_later; //!< arrivals after the window by host; empty before them
    /// Intervals between flow starts
    Ptr<ExponentialRandomVariable> m_times{CreateObject<ExponentialRandomVariable>()};
    /// Choice of receivers
    Ptr<UniformRandomVariable> m_peers{CreateObject<UniformRandomVariable>()};
    Ptr<UniformRandomVariable> m_sizes{CreateObject<UniformRandomVariable>()}; //!< flow sizes
};

NS_OBJECT_ENSURE_REGISTERED(RdmaPoissonWorkload);

const RdmaPartName g_poissonName("poisson",
                                 RdmaPoissonWorkload::GetTypeId(),
                                 "",
                                 "Poisson arrivals of flows with random sizes");

} // namespace ns3
