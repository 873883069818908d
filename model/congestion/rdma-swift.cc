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
          m_lineBps(profile.lineRateBps),
          m_packetBytes(profile.packetBytes),
          m_rttPs(profile.baseRttPs)
    {
        const RdmaSwift& p = *parameters;
        m_targetPs = static_cast<double>(p.GetTargetPs(profile));
        m_rangePs = static_cast<double>(QbbToPs(p.m_scalingRange));
        const double packetsPerPs =
            static_cast<double>(m_lineBps) / 8e12 / static_cast<double>(m_packetBytes);
        m_most = p.m_maxWindow > 0 ? p.m_maxWindow : std::max(1.0, packetsPerPs * m_targetPs);
        const double scalingMax = p.m_scalingMax > 0 ? p.m_scalingMax : m_most;
        if (p.m_scalingMin < scalingMax)
        {
            m_a = m_rangePs / (1 / std::sqrt(p.m_scalingMin) - 1 / std::sqrt(scalingMax));
            m_b = -m_a / std::sqrt(scalingMax);
        }
        Set(packetsPerPs * static_cast<double>(profile.baseRttPs));
    }

    uint64_t GetRateBps(int64_t) override
    {
        if (m_window >= 1)
        {
            return m_lineBps;
        }
        const double bps = m_window * 8e12 * m_packetBytes / static_cast<double>(m_rttPs);
        return std::min(static_cast<uint64_t>(bps), m_lineBps);
    }

    uint64_t GetWindowBytes() const override
    {
        return static_cast<uint64_t>(m_window) * m_packetBytes;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        m_timeouts = 0;
        if (sample.rttPs <= 0)
        {
            return;
        }
        m_rttPs = sample.rttPs;
        const auto delay = static_cast<double>(sample.rttPs);
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
                     sample.nowPs);
        }
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        m_timeouts = 0;
        m_rttPs = sample.rttPs > 0 ? sample.rttPs : m_rttPs;
        Decrease(1 - m_parameters->m_maxDecrease, sample.nowPs);
    }

    void OnTimeout(int64_t nowPs) override
    {
        if (++m_timeouts >= m_parameters->m_resetThreshold)
        {
            m_decreasePs = m_window > m_parameters->m_minWindow ? nowPs : m_decreasePs;
            Set(m_parameters->m_minWindow);
        }
        else
        {
            Decrease(1 - m_parameters->m_maxDecrease, nowPs);
        }
    }

  private:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::min() / 2; //!< long ago

    /** \return the delay to aim at */
    double GetTargetPs() const
    {
        return m_targetPs + std::clamp(m_a / std::sqrt(m_window) + m_b, 0.0, m_rangePs);
    }

    /** \param factor shrinks the window, unless something did in this round trip \param nowPs now
     */
    void Decrease(double factor, int64_t nowPs)
    {
        if (nowPs - m_decreasePs < m_rttPs)
        {
            return;
        }
        const double before = m_window;
        Set(m_window * factor);
        if (m_window < before)
        {
            m_decreasePs = nowPs;
        }
    }

    /** \param window the new one, brought within limits */
    void Set(double window)
    {
        m_window = std::min(std::max(window, m_parameters->m_minWindow), m_most);
    }

    Ptr<const RdmaSwift> m_parameters; //!< the attributes
    uint64_t m_lineBps;                //!< no faster
    uint32_t m_packetBytes;            //!< a full packet on the line
    uint32_t m_timeouts{0};            //!< in a row
    double m_window{0};                //!< packets
    double m_most{0};                  //!< of these, at most
    double m_targetPs{0};              //!< delay to aim at, without flow scaling
    double m_rangePs{0};               //!< flow scaling, at most
    double m_a{0};                     //!< of flow scaling
    double m_b{0};                     //!< of flow scaling
    int64_t m_rttPs;                   //!< the last round trip
    int64_t m_decreasePs{NEVER};       //!< the last time that the window shrank
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

int64_t
RdmaSwift::GetTargetPs(const RdmaPathProfile& profile) const
{
    const int64_t hopPs =
        m_hopDelay.IsZero() ? profile.baseRttPs / profile.hops : QbbToPs(m_hopDelay);
    return QbbToPs(m_baseTarget) + (profile.hops - 1) * hopPs;
}

std::unique_ptr<RdmaRateController>
RdmaSwift::MakeController(const RdmaPathProfile& profile) const
{
    NS_ABORT_MSG_IF(profile.baseRttPs <= 0 || profile.hops == 0,
                    "rdma: RdmaSwift: the path's round trip and length are not known; accepted: a "
                    "NIC with a path oracle, as RdmaFabricHelper makes them");
    NS_ABORT_MSG_IF(m_scalingMax > 0 && m_scalingMin >= m_scalingMax,
                    "rdma: RdmaSwift: FlowScalingMinWindow "
                        << m_scalingMin << ", FlowScalingMaxWindow " << m_scalingMax
                        << "; accepted: the former below the latter, or 0 for the latter");
    NS_ABORT_MSG_IF(m_maxWindow > 0 && m_maxWindow < 1,
                    "rdma: RdmaSwift: MaxWindow " << m_maxWindow
                                                  << "; accepted: 1 and above, or 0");
    const int64_t targetPs = GetTargetPs(profile);
    NS_ABORT_MSG_IF(targetPs <= profile.baseRttPs,
                    "rdma: RdmaSwift: BaseTarget and HopDelay make a target of "
                        << targetPs << " ps for a path of " << profile.hops
                        << " links whose round trip is " << profile.baseRttPs
                        << " ps when it is empty; accepted: a target above that");
    return std::make_unique<Controller>(Ptr<const RdmaSwift>(this), profile);
}

} // namespace ns3
