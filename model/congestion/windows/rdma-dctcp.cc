/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dctcp.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/double.h>
#include <ns3/enum.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDctcp);

namespace
{

/// Names by which programs select this congestion control.
const RdmaPartName g_dctcpName("dctcp",
                               RdmaDctcp::GetTypeId(),
                               "",
                               "DCTCP as a rate, from the share of marked packets");
const RdmaPartName g_dctcpWindowName("dctcp-window",
                                     RdmaDctcp::GetTypeId(),
                                     "Form=Window",
                                     "DCTCP as a window");

} // namespace

/** DCTCP controller of one queue pair. */
class RdmaDctcp::Controller : public RdmaRateController
{
  public:
    /** \param parameters attributes of the algorithm \param profile the queue pair's path profile
     */
    Controller(Ptr<const RdmaDctcp> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineRate(profile.lineRate),
          m_packetBytes(profile.packetBytes),
          m_rtt(profile.baseRtt),
          m_alpha(parameters->m_initialAlpha)
    {
        Set(GetLinePackets() * (profile.spread ? parameters->m_spreadWindow : 1));
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        if (IsWindow())
        {
            return m_lineRate;
        }
        const double bps = m_packets * 8e12 * m_packetBytes / static_cast<double>(m_rtt);
        return std::min(RdmaBitRate(static_cast<uint64_t>(bps)), m_lineRate);
    }

    uint64_t GetWindowBytes() const override
    {
        return IsWindow() ? static_cast<uint64_t>(m_packets) * m_packetBytes : NO_WINDOW;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        Count(sample);
        if (sample.ecnEcho)
        {
            Cut(m_alpha / 2, sample);
        }
        EndWindow(sample);
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        Count(sample);
        Cut(0.5, sample);
        EndWindow(sample);
    }

    void OnTimeout(RdmaPs) override
    {
        m_congested = true;
        Set(m_packets / 2);
    }

    RdmaCongestionState GetState() const override
    {
        return {m_alpha, -1};
    }

  private:
    /** \return true if the algorithm sets a window, false if it sets a rate */
    bool IsWindow() const
    {
        return m_parameters->m_form == WINDOW;
    }

    /** Counts an acknowledgement in the current window. \param sample the acknowledgement */
    void Count(const RdmaAckSample& sample)
    {
        if (m_windowEnd == 0)
        {
            m_windowEnd = sample.sentTo;
        }
        m_rtt = sample.rtt > 0_ps ? sample.rtt : m_rtt;
        ++m_acks;
        m_marks += sample.ecnEcho ? 1 : 0;
        const uint64_t inFlight = sample.sentTo - sample.ackedTo + sample.ackedPackets;
        m_used = m_used || (IsWindow() ? inFlight >= static_cast<uint64_t>(m_packets)
                                       : m_packets < GetLinePackets());
    }

    /**
     * Decreases the window, unless a decrease was made in this round trip.
     *
     * \param part fraction of the window to remove
     * \param sample acknowledgement or NAK that caused the decrease
     */
    void Cut(double part, const RdmaAckSample& sample)
    {
        m_congested = true;
        if (sample.ackedTo >= m_cutEnd)
        {
            Set(m_packets * (1 - part));
            m_cutEnd = sample.sentTo;
        }
    }

    /**
     * Ends the current window if all its packets are acknowledged.
     *
     * \param sample an acknowledgement
     */
    void EndWindow(const RdmaAckSample& sample)
    {
        if (sample.ackedTo < m_windowEnd)
        {
            return;
        }
        m_alpha += m_parameters->m_gain * (static_cast<double>(m_marks) / m_acks - m_alpha);
        if (!m_congested && m_used)
        {
            Set(m_packets + m_parameters->m_increase);
        }
        m_windowEnd = sample.sentTo;
        m_acks = 0;
        m_marks = 0;
        m_congested = false;
        m_used = false;
    }

    /** \param packets per round trip, raised to at least 1 */
    void Set(double packets)
    {
        m_packets = std::max(packets, 1.0);
    }

    /** \return packets that the line carries in a round trip */
    double GetLinePackets() const
    {
        return static_cast<double>(m_lineRate) * static_cast<double>(m_rtt) / 8e12 / m_packetBytes;
    }

    Ptr<const RdmaDctcp> m_parameters; //!< attributes of the algorithm
    RdmaBitRate m_lineRate;            //!< rate of the port
    uint32_t m_packetBytes;            //!< bytes of a full packet on the line
    uint32_t m_acks{0};                //!< acknowledgements in the current window
    uint32_t m_marks{0};               //!< acknowledgements with an ECN echo in the current window
    bool m_congested{false};           //!< the current window has had a mark or a loss
    bool m_used{false};                //!< the current window has been filled at some time
    double m_packets{0};               //!< packets per round trip
    RdmaPs m_rtt;                      //!< last round-trip time; form Window: base round-trip time
    double m_alpha;                    //!< smoothed fraction of marked packets
    uint64_t m_windowEnd{0};           //!< packets below this number belong to the current window
    uint64_t m_cutEnd{0}; //!< no further decrease before packets below this number are acknowledged
};

TypeId
RdmaDctcp::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaDctcp")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaDctcp>()
            .AddAttribute("Form",
                          "Quantity that the algorithm sets: a rate or a window.",
                          EnumValue(RATE),
                          RdmaMakeEnumAccessor<Form>(&RdmaDctcp::m_form),
                          MakeEnumChecker(RATE, "Rate", WINDOW, "Window"))
            .AddAttribute("Gain",
                          "Weight g of a new window's fraction of marks in alpha.",
                          DoubleValue(0.0625),
                          MakeDoubleAccessor(&RdmaDctcp::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "Full packets added to the window for each round trip without marks.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_increase),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("InitialAlpha",
                          "Initial alpha of a queue pair.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("SpreadWindow",
                          "Where packets of a queue pair take several paths: initial window, in "
                          "bandwidth-delay products of the empty path.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&RdmaDctcp::m_spreadWindow),
                          MakeDoubleChecker<double>(0.001, 1000));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaDctcp::MakeController(const RdmaPathProfile& profile) const
{
    RefuseRdmaIf(profile.baseRtt <= 0_ps,
                 "RdmaDctcp: the path's round trip is not known; accepted: a NIC with a "
                 "path oracle, as RdmaFabricHelper makes them");
    return std::make_unique<Controller>(Ptr<const RdmaDctcp>(this), profile);
}

} // namespace ns3
