/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-swift.h"

#include "qbb-time.h"

#include <ns3/abort.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

/** A queue pair under Swift. */
class RdmaSwift::Controller : public RdmaRateController
{
  public:
    /** \param parameters the attributes \param profile the queue pair */
    Controller(Ptr<const RdmaSwift> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineRate(profile.lineRate),
          m_packetBytes(profile.packetBytes),
          m_rtt(profile.baseRtt)
    {
        const RdmaSwift& p = *parameters;
        m_targetPs = static_cast<double>(p.GetTarget(profile));
        m_rangePs = static_cast<double>(QbbToPs(p.m_scalingRange));
        const double packetsPerPs =
            static_cast<double>(m_lineRate) / 8e12 / static_cast<double>(m_packetBytes);
        m_most = p.m_maxWindow > 0 ? p.m_maxWindow : std::max(1.0, packetsPerPs * m_targetPs);
        const double scalingMax = p.m_scalingMax > 0 ? p.m_scalingMax : m_most;
        if (p.m_scalingMin < scalingMax)
        {
            m_a = m_rangePs / (1 / std::sqrt(p.m_scalingMin) - 1 / std::sqrt(scalingMax));
            m_b = -m_a / std::sqrt(scalingMax);
        }
        Set(packetsPerPs * static_cast<double>(profile.baseRtt));
    }

    QbbBitRate GetRate(QbbPs) override
    {
        if (m_window >= 1)
        {
            return m_lineRate;
        }
        const double bps = m_window * 8e12 * m_packetBytes / static_cast<double>(m_rtt);
        return std::min(QbbBitRate(static_cast<uint64_t>(bps)), m_lineRate);
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

    void OnTimeout(QbbPs now) override
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
    static constexpr QbbPs NEVER{std::numeric_limits<int64_t>::min() / 2}; //!< long ago

    /** \return the delay to aim at */
    double GetTargetPs() const
    {
        return m_targetPs + std::clamp(m_a / std::sqrt(m_window) + m_b, 0.0, m_rangePs);
    }

    /** \param factor shrinks the window, unless something did in this round trip \param now now
     */
    void Decrease(double factor, QbbPs now)
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

    /** \param window the new one, brought within limits */
    void Set(double window)
    {
        m_window = std::min(std::max(window, m_parameters->m_minWindow), m_most);
    }

    Ptr<const RdmaSwift> m_parameters; //!< the attributes
    QbbBitRate m_lineRate;             //!< no faster
    uint32_t m_packetBytes;            //!< a full packet on the line
    uint32_t m_timeouts{0};            //!< in a row
    double m_window{0};                //!< packets
    double m_most{0};                  //!< of these, at most
    double m_targetPs{0};              //!< delay to aim at, without flow scaling
    double m_rangePs{0};               //!< flow scaling, at most
    double m_a{0};                     //!< of flow scaling
    double m_b{0};                     //!< of flow scaling
    QbbPs m_rtt;                       //!< the last round trip
    QbbPs m_decrease{NEVER};           //!< the last time that the window shrank
};

TypeId
RdmaSwift::GetTypeId()
{
    constexpr double LEAST = std::numeric_limits<double>::min(); // above 0
    static TypeId tid =
        TypeId("ns3::RdmaSwift")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaSwift>()
            .AddAttribute("BaseTarget",
                          "Delay to aim at without a switch on the way and with a large window.",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddAttribute("HopDelay",
                          "What each switch on the way adds to that; 0: what a link of the path "
                          "takes of its round trip when it is empty, in the mean.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaSwift::m_hopDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingRange",
                          "What the smallest windows add to that; 0: no flow scaling.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSwift::m_scalingRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingMinWindow",
                          "Window, in packets, up to which FlowScalingRange is added in full.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaSwift::m_scalingMin),
                          MakeDoubleChecker<double>(LEAST))
            .AddAttribute("FlowScalingMaxWindow",
                          "Window, in packets, from which nothing is added; 0: MaxWindow.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_scalingMax),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("AdditiveIncrease",
                          "Packets that a round trip below the target adds to the window.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_increase),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("Beta",
                          "Factor of decreases.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "The largest part of the window that a decrease takes away.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinWindow",
                          "The smallest window, in packets.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSwift::m_minWindow),
                          MakeDoubleChecker<double>(LEAST, 1))
            .AddAttribute("MaxWindow",
                          "The largest window, in packets, 1 and above; 0: what the port sends in "
                          "the target delay without flow scaling.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_maxWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetxResetThreshold",
                          "So many timeouts in a row leave the smallest window.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_resetThreshold),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

QbbPs
RdmaSwift::GetTarget(const RdmaPathProfile& profile) const
{
    const QbbPs hop = m_hopDelay.IsZero() ? profile.baseRtt / profile.hops : QbbToPs(m_hopDelay);
    return QbbToPs(m_baseTarget) + (profile.hops - 1) * hop;
}

std::unique_ptr<RdmaRateController>
RdmaSwift::MakeController(const RdmaPathProfile& profile) const
{
    NS_ABORT_MSG_IF(profile.baseRtt <= 0_ps || profile.hops == 0,
                    "rdma: RdmaSwift: the path's round trip and length are not known; accepted: a "
                    "NIC with a path oracle, as RdmaFabricHelper makes them");
    NS_ABORT_MSG_IF(m_scalingMax > 0 && m_scalingMin >= m_scalingMax,
                    "rdma: RdmaSwift: FlowScalingMinWindow "
                        << m_scalingMin << ", FlowScalingMaxWindow " << m_scalingMax
                        << "; accepted: the former below the latter, or 0 for the latter");
    NS_ABORT_MSG_IF(m_maxWindow > 0 && m_maxWindow < 1,
                    "rdma: RdmaSwift: MaxWindow " << m_maxWindow
                                                  << "; accepted: 1 and above, or 0");
    const QbbPs target = GetTarget(profile);
    NS_ABORT_MSG_IF(target <= profile.baseRtt,
                    "rdma: RdmaSwift: BaseTarget and HopDelay make a target of "
                        << target << " ps for a path of " << profile.hops
                        << " links whose round trip is " << profile.baseRtt
                        << " ps when it is empty; accepted: a target above that");
    return std::make_unique<Controller>(Ptr<const RdmaSwift>(this), profile);
}

} // namespace ns3
