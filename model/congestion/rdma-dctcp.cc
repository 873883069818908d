/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dctcp.h"

#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/double.h>
#include <ns3/enum.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDctcp);

/** A queue pair under DCTCP. */
class RdmaDctcp::Controller : public RdmaRateController
{
  public:
    /** \param parameters the attributes \param profile the queue pair */
    Controller(Ptr<const RdmaDctcp> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineRate(profile.lineRate),
          m_packetBytes(profile.packetBytes),
          m_rtt(profile.baseRtt),
          m_alpha(parameters->m_initialAlpha)
    {
        Set(GetLinePackets());
    }

    QbbBitRate GetRate(QbbPs) override
    {
        if (IsWindow())
        {
            return m_lineRate;
        }
        const double bps = m_packets * 8e12 * m_packetBytes / static_cast<double>(m_rtt);
        return std::min(QbbBitRate(static_cast<uint64_t>(bps)), m_lineRate);
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

    void OnTimeout(QbbPs) override
    {
        m_congested = true;
        Set(m_packets / 2);
    }

    RdmaCongestionState GetState() const override
    {
        return {m_alpha, -1};
    }

  private:
    /** \return true if the window is what changes */
    bool IsWindow() const
    {
        return m_parameters->m_form == WINDOW;
    }

    /** \param sample an acknowledgement, which belongs to the present window */
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

    /** \param part to be taken away, unless something was in this round trip \param sample why */
    void Cut(double part, const RdmaAckSample& sample)
    {
        m_congested = true;
        if (sample.ackedTo >= m_cutEnd)
        {
            Set(m_packets * (1 - part));
            m_cutEnd = sample.sentTo;
        }
    }

    /** \param sample may be the last of the present window */
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

    /** \param packets for a round trip; one is the least */
    void Set(double packets)
    {
        m_packets = std::max(packets, 1.0);
    }

    /** \return packets of a round trip at the line rate */
    double GetLinePackets() const
    {
        return static_cast<double>(m_lineRate) * static_cast<double>(m_rtt) / 8e12 / m_packetBytes;
    }

    Ptr<const RdmaDctcp> m_parameters; //!< the attributes
    QbbBitRate m_lineRate;             //!< no faster
    uint32_t m_packetBytes;            //!< a full packet on the line
    uint32_t m_acks{0};                //!< acknowledgements in this window
    uint32_t m_marks{0};               //!< of these, with an echo
    bool m_congested{false};           //!< this window has had a mark or a loss
    bool m_used{false};                //!< the window was full at some time
    double m_packets{0};               //!< for a round trip
    QbbPs m_rtt;                       //!< the last round trip; Window: of the empty path
    double m_alpha;                    //!< marked part, smoothed
    uint64_t m_windowEnd{0};           //!< packets below this are of the present window
    uint64_t m_cutEnd{0};              //!< no other cut before these are acknowledged
};

TypeId
RdmaDctcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaDctcp")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaDctcp>()
            .AddAttribute("Form",
                          "What the algorithm sets: a rate or a window.",
                          EnumValue(RATE),
                          RdmaMakeEnumAccessor<Form>(&RdmaDctcp::m_form),
                          MakeEnumChecker(RATE, "Rate", WINDOW, "Window"))
            .AddAttribute("Gain",
                          "Weight g of a new window's marked part in alpha.",
                          DoubleValue(0.0625),
                          MakeDoubleAccessor(&RdmaDctcp::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "Full packets that a round trip without marks adds to the window.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_increase),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("InitialAlpha",
                          "Alpha of a new queue pair.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaDctcp::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaDctcp::MakeController(const RdmaPathProfile& profile) const
{
    NS_ABORT_MSG_IF(profile.baseRtt <= 0_ps,
                    "rdma: RdmaDctcp: the path's round trip is not known; accepted: a NIC with a "
                    "path oracle, as RdmaFabricHelper makes them");
    return std::make_unique<Controller>(Ptr<const RdmaDctcp>(this), profile);
}

} // namespace ns3
