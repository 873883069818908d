/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-aimd.h"

#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/double.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaAimd);

namespace
{

/// Name by which programs select this congestion control.
const RdmaPartName g_aimdName("aimd",
                              RdmaAimd::GetTypeId(),
                              "",
                              "window with additive increase, halved by losses");

} // namespace

/** AIMD controller of one queue pair. */
class RdmaAimd::Controller : public RdmaRateController
{
  public:
    /**
     * \param parameters attributes of the algorithm
     * \param profile the queue pair's path profile
     * \param window initial window in packets
     */
    Controller(Ptr<const RdmaAimd> parameters, const RdmaPathProfile& profile, double window)
        : m_parameters(parameters),
          m_lineRate(profile.lineRate),
          m_window(window),
          m_packetBytes(profile.packetBytes)
    {
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        return m_lineRate;
    }

    uint64_t GetWindowBytes() const override
    {
        return static_cast<uint64_t>(m_window) * m_packetBytes;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        Follow(sample);
        if (m_recovery == Recovery::NONE)
        {
            const double grown = m_window + m_parameters->m_increase *
                                                static_cast<double>(sample.ackedPackets) / m_window;
            m_window = std::min(grown, m_parameters->m_maxWindow);
        }
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        Follow(sample);
        if (m_recovery == Recovery::NONE)
        {
            Decrease();
            m_recovery = Recovery::KNOWN;
            m_recoverTo = sample.sentTo;
        }
    }

    void OnTimeout(RdmaPs) override
    {
        if (m_recovery == Recovery::NONE)
        {
            Decrease();
            m_recovery = Recovery::BEGUN;
        }
    }

  private:
    /** During recovery from a loss, the window neither grows nor shrinks again. */
    enum class Recovery : uint8_t
    {
        NONE,  //!< not in recovery
        BEGUN, //!< after a timeout, until the next acknowledgement sets m_recoverTo
        KNOWN, //!< in recovery until all packets below m_recoverTo are acknowledged
    };

    void Follow(const RdmaAckSample& sample)
    {
        if (m_recovery == Recovery::BEGUN)
        {
            m_recovery = Recovery::KNOWN;
            m_recoverTo = sample.sentTo;
        }
        if (m_recovery == Recovery::KNOWN && sample.ackedTo >= m_recoverTo)
        {
            m_recovery = Recovery::NONE;
        }
    }

    void Decrease()
    {
        m_window = std::max(m_window * m_parameters->m_decrease, m_parameters->m_minWindow);
    }

    Ptr<const RdmaAimd> m_parameters; //!< attributes of the algorithm
    RdmaBitRate m_lineRate;           //!< rate of the port
    double m_window;                  //!< window in packets
    uint64_t m_recoverTo{0}; //!< recovery ends when all packets below this number are acknowledged
    uint32_t m_packetBytes;  //!< bytes of a full packet on the line
    Recovery m_recovery{Recovery::NONE}; //!< state of loss recovery
};

TypeId
RdmaAimd::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaAimd")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaAimd>()
            .AddAttribute("InitialWindow",
                          "Initial window in packets, 1 and above; 0: line rate x base round-trip "
                          "time, rounded up.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaAimd::m_initialWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("MinWindow",
                          "Smallest window after a loss, in packets, 1 and above.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaAimd::m_minWindow),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MaxWindow",
                          "Largest window in packets, 1 and above.",
                          DoubleValue(65536),
                          MakeDoubleAccessor(&RdmaAimd::m_maxWindow),
                          MakeDoubleChecker<double>(1))
            .AddAttribute(
                "Increase",
                "Packets added to the window for each window of acknowledged packets, above 0.",
                DoubleValue(1),
                MakeDoubleAccessor(&RdmaAimd::m_increase),
                MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddAttribute("Decrease",
                          "Factor applied to the window after a loss, 0 to 1.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaAimd::m_decrease),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaAimd::MakeController(const RdmaPathProfile& profile) const
{
    double window = m_initialWindow;
    if (window == 0)
    {
        RefuseRdmaIf(profile.baseRtt <= 0_ps || profile.packetBytes == 0,
                     "RdmaAimd: InitialWindow 0 needs a path whose round trip is known; "
                     "accepted: 1 and above, or a fabric by RdmaFabricHelper");
        const double packetPs = 8e12 * profile.packetBytes / static_cast<double>(profile.lineRate);
        window = std::max(1.0, std::ceil(static_cast<double>(profile.baseRtt) / packetPs));
        window = std::min(std::max(window, m_minWindow), m_maxWindow);
    }
    RefuseRdmaIf(window < m_minWindow || window > m_maxWindow,
                 "RdmaAimd: InitialWindow ",
                 window,
                 ", MinWindow ",
                 m_minWindow,
                 ", MaxWindow ",
                 m_maxWindow,
                 "; accepted: in ascending order min, "
                 "initial, max");
    return std::make_unique<Controller>(Ptr<const RdmaAimd>(this), profile, window);
}

} // namespace ns3
