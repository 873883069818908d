/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-swift.h"

#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

namespace
{

/// Name by which programs select this congestion control.
const RdmaPartName g_swiftName("swift",
                               RdmaSwift::GetTypeId(),
                               "",
                               "Swift: window from round-trip time and target delay");

} // namespace

/** Swift controller of one queue pair. */
class RdmaSwift::Controller : public RdmaRateController
{
  public:
    /** \param parameters attributes of the algorithm \param profile the queue pair's path profile
     */
    Controller(Ptr<const RdmaSwift> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineRate(profile.lineRate),
          m_packetBytes(profile.packetBytes),
          m_rtt(profile.baseRtt)
    {
        const RdmaSwift& p = *parameters;
        m_targetPs = static_cast<double>(p.GetTarget(profile));
        m_rangePs = static_cast<double>(RdmaToPs(p.m_scalingRange));
        const double packetsPerPs =
            static_cast<double>(m_lineRate) / 8e12 / static_cast<double>(m_packetBytes);
        m_most = p.m_maxWindow > 0 ? p.m_maxWindow : std::max(1.0, packetsPerPs * m_targetPs);
        const double scalingMax = p.m_scalingMax > 0 ? p.m_scalingMax : m_most;
        if (p.m_scalingMin < scalingMax)
        {
            m_a = m_rangePs / (1 / std::sqrt(p.m_scalingMin) - 1 / std::sqrt(scalingMax));
            m_b = -m_a / std::sqrt(scalingMax);
        }
        Set(packetsPerPs * static_cast<double>(profile.baseRtt) *
            (profile.spread ? p.m_spreadWindow : 1));
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        if (m_window >= 1)
        {
            return m_lineRate;
        }
        const double bps = m_window * 8e12 * m_packetBytes / static_cast<double>(m_rtt);
        return std::min(RdmaBitRate(static_cast<uint64_t>(bps)), m_lineRate);
    }

    uint64_t GetWindowBytes() const override
    {
        return static_cast<uint64_t>(m_window) * m_packetBytes;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        m_timeouts = 0;
        if (sample.rtt <= 0_ps)
        {
            return;
        }
        m_rtt = sample.rtt;
        const auto delay = static_cast<double>(sample.rtt);
        const double target = GetTargetPs();
        const RdmaSwift& p = *m_parameters;
        if (delay < target)
        {
            const double step = p.m_increase * static_cast<double>(sample.ackedPackets);
            Set(m_window + (m_window >= 1 ? step / m_window : step));
        }
        else
        {
            Decrease(std::max(1 - p.m_beta * (delay - target) / delay, 1 - p.m_maxDecrease),
                     sample.now);
        }
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        m_timeouts = 0;
        m_rtt = sample.rtt > 0_ps ? sample.rtt : m_rtt;
        Decrease(1 - m_parameters->m_maxDecrease, sample.now);
    }

    void OnTimeout(RdmaPs now) override
    {
        if (++m_timeouts >= m_parameters->m_resetThreshold)
        {
            m_decrease = m_window > m_parameters->m_minWindow ? now : m_decrease;
            Set(m_parameters->m_minWindow);
        }
        else
        {
            Decrease(1 - m_parameters->m_maxDecrease, now);
        }
    }

  private:
    static constexpr RdmaPs NEVER{std::numeric_limits<int64_t>::min() /
                                  2}; //!< time before all others

    /** \return target delay in picoseconds, including flow scaling */
    double GetTargetPs() const
    {
        return m_targetPs + std::clamp(m_a / std::sqrt(m_window) + m_b, 0.0, m_rangePs);
    }

    /**
     * Shrinks the window, unless it has shrunk in this round trip.
     *
     * \param factor applied to the window
     * \param now current time
     */
    void Decrease(double factor, RdmaPs now)
    {
        if (now - m_decrease < m_rtt)
        {
            return;
        }
        const double before = m_window;
        Set(m_window * factor);
        if (m_window < before)
        {
            m_decrease = now;
        }
    }

    /** Sets the window within its limits. \param window the new window in packets */
    void Set(double window)
    {
        m_window = std::min(std::max(window, m_parameters->m_minWindow), m_most);
    }

    Ptr<const RdmaSwift> m_parameters; //!< attributes of the algorithm
    RdmaBitRate m_lineRate;            //!< rate of the port
    uint32_t m_packetBytes;            //!< bytes of a full packet on the line
    uint32_t m_timeouts{0};            //!< consecutive timeouts
    double m_window{0};                //!< window in packets
    double m_most{0};                  //!< largest window in packets
    double m_targetPs{0};              //!< target delay without flow scaling, in picoseconds
    double m_rangePs{0};               //!< largest contribution of flow scaling, in picoseconds
    double m_a{0};                     //!< coefficient a of flow scaling
    double m_b{0};                     //!< constant b of flow scaling
    RdmaPs m_rtt;                      //!< last round-trip time
    RdmaPs m_decrease{NEVER};          //!< time of the last decrease of the window
};

TypeId
RdmaSwift::GetTypeId()
{
    constexpr double LEAST = std::numeric_limits<double>::min(); // smallest value above 0
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaSwift")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSwift>()
            .AddAttribute("BaseTarget",
                          "Target delay of a path without switches, before flow scaling; 0: 25 us "
                          "or, if that is more, twice the path's base round-trip time divided by "
                          "its number of links.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HopDelay",
                          "Addition to the target delay for each switch on the path; 0: the path's "
                          "base round-trip time divided by its number of links.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_hopDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingRange",
                          "Largest addition to the target delay by flow scaling, for the smallest "
                          "windows; 0: no flow scaling.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSwift::m_scalingRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "FlowScalingMinWindow",
                "Window, in packets, up to which flow scaling adds FlowScalingRange in full.",
                DoubleValue(0.1),
                MakeDoubleAccessor(&RdmaSwift::m_scalingMin),
                MakeDoubleChecker<double>(LEAST))
            .AddAttribute("FlowScalingMaxWindow",
                          "Window, in packets, from which flow scaling adds nothing; 0: MaxWindow.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_scalingMax),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("AdditiveIncrease",
                          "Packets added to the window for each round trip below the target delay.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_increase),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("Beta",
                          "Multiplicative decrease factor: the window shrinks by the fraction Beta "
                          "x (delay - target) / delay.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Largest fraction of the window that a decrease removes.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinWindow",
                          "Smallest window, in packets.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSwift::m_minWindow),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("MaxWindow",
                          "Largest window, in packets, 1 and above; 0: the packets that the port "
                          "sends within the target delay without flow scaling.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_maxWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetxResetThreshold",
                          "Number of consecutive timeouts that set the window to MinWindow.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_resetThreshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SpreadWindow",
                          "Where packets of a queue pair take several paths: initial window, in "
                          "bandwidth-delay products of the empty path.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RdmaSwift::m_spreadWindow),
                          MakeDoubleChecker<double>(LEAST, 1000));
    return tid;
}

RdmaPs
RdmaSwift::GetTarget(const RdmaPathProfile& profile) const
{
    constexpr RdmaPs DEFAULT_TARGET = 25_us;
    const RdmaPs link = profile.baseRtt / profile.hops;
    const RdmaPs base =
        m_baseTarget.IsZero() ? std::max(DEFAULT_TARGET, 2 * link) : RdmaToPs(m_baseTarget);
    const RdmaPs hop = m_hopDelay.IsZero() ? link : RdmaToPs(m_hopDelay);
    return base + (profile.hops - 1) * hop;
}

RdmaPs
RdmaSwift::GetAcceptedDelay(const RdmaPathProfile& profile) const
{
    return std::max(RdmaPs(0), GetTarget(profile) - profile.baseRtt);
}

std::unique_ptr<RdmaRateController>
RdmaSwift::MakeController(const RdmaPathProfile& profile) const
{
    RefuseRdmaIf(profile.baseRtt <= 0_ps || profile.hops == 0,
                 "RdmaSwift: the path's round trip and length are not known; accepted: a "
                 "NIC with a path oracle, as RdmaFabricHelper makes them");
    RefuseRdmaIf(m_scalingMax > 0 && m_scalingMin >= m_scalingMax,
                 "RdmaSwift: FlowScalingMinWindow ",
                 m_scalingMin,
                 ", FlowScalingMaxWindow ",
                 m_scalingMax,
                 "; accepted: the former below the latter, or 0 for the latter");
    RefuseRdmaIf(m_maxWindow > 0 && m_maxWindow < 1,
                 "RdmaSwift: MaxWindow ",
                 m_maxWindow,
                 "; accepted: 1 and above, or 0");
    const RdmaPs target = GetTarget(profile);
    RefuseRdmaIf(target <= profile.baseRtt,
                 "RdmaSwift: BaseTarget and HopDelay make a target of ",
                 target,
                 " ps for a path of ",
                 profile.hops,
                 " links whose round trip is ",
                 profile.baseRtt,
                 " ps when it is empty; accepted: a target above that");
    return std::make_unique<Controller>(Ptr<const RdmaSwift>(this), profile);
}

} // namespace ns3
