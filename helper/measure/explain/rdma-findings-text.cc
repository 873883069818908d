/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-findings-text.h"

#include "rdma-findings-table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

namespace
{

/** Prints the findings of a class as sentences. */
class RdmaFindingsPrinter
{
  public:
    RdmaFindingsPrinter(std::ostream& os,
                        const RdmaClassForecast& forecast,
                        const RdmaClassFindings& findings,
                        const RdmaFirstEventTable& first)
        : m_os(os),
          m_forecast(forecast),
          m_findings(findings),
          m_firstPause(first.pauses[forecast.priority]),
          m_firstMark(first.marks[forecast.priority]),
          m_first(first)
    {
    }

    void Print()
    {
        m_os << "\nAfter the run: class " << +m_forecast.priority << ", sizes in bytes\n\n";
        PrintRdmaFindingsTable(m_os, m_forecast, m_findings);
        m_os << "\n";
        PrintMarks();
        PrintPauses();
        PrintDrops();
    }

  private:
    uint64_t Sum(uint64_t RdmaKindFindings::*count) const
    {
        uint64_t sum = 0;
        for (const RdmaKindFindings& kind : m_findings.kinds)
        {
            sum += kind.*count;
        }
        return sum;
    }

    /** \return the largest of the peaks of all kinds, hosts included if \p hosts */
    RdmaPeak GetLargest(RdmaPeak RdmaKindFindings::*peak, bool hosts) const
    {
        RdmaPeak largest;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            if (hosts || !m_forecast.kinds[i].ofHost)
            {
                const RdmaPeak& other = m_findings.kinds[i].*peak;
                largest.Raise(other.bytes, other.port);
            }
        }
        return largest;
    }

    void PrintMarks()
    {
        const RdmaPeak queue = GetLargest(&RdmaKindFindings::queue, false);
        if (m_firstMark)
        {
            m_os << Sum(&RdmaKindFindings::marks) << " packets were marked, the first after "
                 << FormatRdmaMoment(m_firstMark->at) << " at " << m_firstMark->port << ".\n";
            return;
        }
        uint64_t kmin = UINT64_MAX;
        bool perInput = false;
        for (const RdmaPortKind& kind : m_forecast.kinds)
        {
            for (const QbbMarkCurve& curve : kind.settings.marks)
            {
                kmin = std::min(kmin, curve.thresholds.kminBytes);
                perInput = perInput || curve.perInput;
            }
        }
        m_os << "No packet was marked: ";
        if (kmin == UINT64_MAX)
        {
            m_os << "no switch marks by the length of its queues (option ecn, attribute EcnMarker "
                    "of ns3::QbbSwitch).\n";
        }
        else
        {
            m_os << "the longest queue of a switch had " << queue.bytes << " B" << At(queue)
                 << ", and Kmin is " << kmin << " B or more"
                 << (perInput ? " for the packets of one ingress port" : "") << ".\n";
        }
    }

    void PrintPauses()
    {
        if (m_firstPause)
        {
            PrintWhyPaused();
            return;
        }
        const bool lossless =
            std::any_of(m_forecast.kinds.begin(), m_forecast.kinds.end(), [](const auto& kind) {
                return !kind.ofHost && kind.settings.lossless;
            });
        if (!lossless)
        {
            m_os << "Nothing paused: the class is lossy at every port of a switch, so that a full "
                    "buffer drops frames. For pauses: option pfc=on, attributes FlowControl and "
                    "PfcClasses of ns3::QbbNetDevice.\n";
            return;
        }
        PrintWhyNotPaused();
    }

    /** \return index of the lossless kind whose fullest port came closest to XOFF */
    std::optional<std::size_t> FindClosest() const
    {
        std::optional<std::size_t> closest;
        double most = -1;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            const auto& room = m_findings.kinds[i].room;
            if (room && room->pauses && room->holdsBytes > 0)
            {
                const double share = static_cast<double>(m_findings.kinds[i].ingress.bytes) /
                                     static_cast<double>(room->holdsBytes);
                if (share > most)
                {
                    most = share;
                    closest = i;
                }
            }
        }
        return closest;
    }

    void PrintWhyNotPaused()
    {
        m_os << "Nothing paused: ";
        const auto closest = FindClosest();
        if (!closest)
        {
            m_os << "no switch port pauses the class when one sender alone fills it.\n";
            return;
        }
        const RdmaKindFindings& found = m_findings.kinds[*closest];
        const uint64_t xoff = found.room->holdsBytes;
        m_os << "the fullest ingress port held " << found.ingress.bytes << " B" << At(found.ingress)
             << ", " << found.ingress.bytes * 100 / xoff << "% of the XOFF of "
             << m_forecast.kinds[*closest].name << ", which is " << xoff << " B"
             << GetBusyAlone(found) << ".\n";
        PrintLowest(*closest);
        const RdmaPeak queue = GetLargest(&RdmaKindFindings::queue, false);
        if (queue.bytes <= 2 * m_forecast.senders.frameBytes)
        {
            m_os << "No queue of a switch grew beyond two packets: no port had to send more than "
                    "its rate.\n";
        }
        else if (m_forecast.senders.control && (m_firstMark || !m_forecast.senders.ReactsToMarks()))
        {
            m_os << m_forecast.senders.control->GetInstanceTypeId().GetName()
                 << " acted first and kept the longest queue at " << queue.bytes << " B"
                 << At(queue) << ".\n";
        }
        else
        {
            m_os << "The memory took all of what the flows sent beyond the rates of the ports: at "
                    "most "
                 << queue.bytes << " B waited" << At(queue) << ".\n";
        }
        m_os << "For pauses: ";
        if (!m_findings.xoffAttribute.empty())
        {
            m_os << "--" << m_findings.xoffAttribute << " below " << found.ingress.bytes << ", ";
        }
        m_os << GetMemory("less memory") << "larger flows, or more senders to a port.\n";
    }

    void PrintWhyPaused()
    {
        m_os << "The first pause came after " << FormatRdmaMoment(m_firstPause->at) << " from "
             << m_firstPause->port << "; " << Sum(&RdmaKindFindings::xoffSent)
             << " pauses in all, repetitions included.\n";
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            const RdmaKindFindings& found = m_findings.kinds[i];
            const RdmaPortKind& kind = m_forecast.kinds[i];
            if (found.xoffSent > 0 && kind.ofHost)
            {
                m_os << found.pausing << " ports " << kind.name
                     << " sent pauses: a slow receiver or a storm.\n";
            }
            else if (found.xoffSent > 0)
            {
                m_os << found.pausing << " of " << kind.members.size() << " ports " << kind.name
                     << " sent pauses: the fullest held " << found.ingress.bytes << " B"
                     << At(found.ingress);
                if (found.room && found.room->pauses)
                {
                    m_os << ", XOFF is " << found.room->holdsBytes << " B" << GetBusyAlone(found);
                }
                m_os << "; headroom " << found.headroom.bytes << " of "
                     << (found.headroom.bytes > 0 ? std::to_string(found.headroom.limit)
                                                  : kind.headroom.Format())
                     << " B";
                if (kind.headroom.least < kind.headroom.most && found.headroom.bytes > 0)
                {
                    m_os << At(found.headroom);
                }
                m_os << ".\n";
                if (found.room)
                {
                    PrintLowest(i);
                }
            }
        }
        uint64_t received = 0;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            received += m_forecast.kinds[i].ofHost ? 0 : m_findings.kinds[i].xoffReceived;
        }
        if (received > 0)
        {
            m_os << "Pauses spread: ports of switches received " << received
                 << " of them, and a switch that may not send fills up and pauses in turn.\n";
        }
        PrintObservedOrder();
        m_os << "For fewer pauses: ";
        if (!m_findings.xoffAttribute.empty())
        {
            m_os << "a larger --" << m_findings.xoffAttribute << ", ";
        }
        m_os << GetMemory("more memory") << GetEarlierControl() << "or fewer senders to a port.\n";
    }

    /** Prints whether congestion control or PFC acted first. */
    void PrintObservedOrder()
    {
        const auto& control = m_forecast.senders.control;
        if (!control)
        {
            m_os << "There is no congestion control, so that only pauses slow senders down.\n";
            return;
        }
        const std::string name = control->GetInstanceTypeId().GetName();
        if (!m_forecast.senders.ReactsToMarks())
        {
            m_os << name << " does not use marks; an acknowledgement takes up to "
                 << FormatRdmaMoment(m_forecast.senders.rtt)
                 << " and the queueing delay to slow a sender.\n";
            return;
        }
        if (!m_firstMark)
        {
            m_os << "PFC acted, and " << name << " never did: no packet was marked.\n";
            return;
        }
        const QbbPs pause = m_firstPause->at;
        const QbbPs mark = m_firstMark->at;
        const bool tooLate = mark + m_forecast.senders.rtt > pause;
        m_os << "The first mark came "
             << FormatRdmaMoment(mark < pause ? pause - mark : mark - pause)
             << (mark < pause ? " before" : " after") << " the first pause, and a mark takes up to "
             << FormatRdmaMoment(m_forecast.senders.rtt)
             << " and the queueing delay to slow a sender: "
             << (tooLate ? "PFC acted before " + name
                         : name + " had time to act first, and the queue grew all the same")
             << ".\n";
    }

    void PrintDrops()
    {
        const uint64_t drops = Sum(&RdmaKindFindings::drops);
        if (drops == 0)
        {
            m_os << "Nothing was dropped.\n";
            return;
        }
        m_os << drops << " frames were dropped";
        if (m_first.drop)
        {
            m_os << "; the first drop of the run came after " << FormatRdmaMoment(m_first.drop->at)
                 << " at " << m_first.drop->port << ": " << m_first.dropReason;
        }
        m_os << ".\n";
        for (const auto& [reason, count] : m_findings.dropReasons)
        {
            PrintReason(reason, count);
        }
    }

    void PrintReason(QbbDropReason reason, uint64_t count)
    {
        m_os << "Reason " << reason << ": " << count << " frames of all classes.";
        if (reason == QbbDropReason::HEADROOM_FULL)
        {
            for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
            {
                const RdmaPortKind& kind = m_forecast.kinds[i];
                if (m_findings.kinds[i].drops > 0)
                {
                    m_os << " Ports " << kind.name << " have " << kind.headroom.Format()
                         << " B of headroom and need " << kind.neededHeadroom.Format()
                         << " B; those of the pool have " << kind.headroomPool.Format() << " B.";
                }
            }
        }
        else if (reason == QbbDropReason::BUFFER_FULL || reason == QbbDropReason::EGRESS_LIMIT)
        {
            m_os << " For fewer: " << GetMemory("more memory") << GetEarlierControl()
                 << "or pauses (PFC).";
        }
        m_os << "\n";
    }

    void PrintLowest(std::size_t kind)
    {
        const RdmaKindFindings& found = m_findings.kinds[kind];
        if (found.lowestXoff > 0 && found.lowestXoff < found.room->holdsBytes)
        {
            m_os << "The threshold falls as the memory fills; in this run it never was below "
                 << found.lowestXoff << " B.\n";
        }
    }

    /** \return advice that makes congestion control act earlier */
    std::string GetEarlierControl() const
    {
        return !m_forecast.senders.control          ? "congestion control, "
               : m_forecast.senders.ReactsToMarks() ? "lower Kmin and Kmax, "
                                                    : "";
    }

    /** \return where a peak occurred */
    static std::string At(const RdmaPeak& peak)
    {
        return peak.port.empty() ? "" : " at " + peak.port;
    }

    /** \return condition under which the XOFF threshold of a kind holds; may be empty */
    static std::string GetBusyAlone(const RdmaKindFindings& found)
    {
        return found.lowestXoff > 0 ? " while no other port holds memory" : "";
    }

    /** \return "WHAT (--ATTRIBUTE), ", or "WHAT, " without an attribute */
    std::string GetMemory(const std::string& what) const
    {
        return m_findings.sizeAttribute.empty() ? what + ", "
                                                : what + " (--" + m_findings.sizeAttribute + "), ";
    }

    std::ostream& m_os;                                //!< output stream
    const RdmaClassForecast& m_forecast;               //!< what was known before the run
    const RdmaClassFindings& m_findings;               //!< what happened
    const std::optional<RdmaFirstEvent>& m_firstPause; //!< first pause of the class
    const std::optional<RdmaFirstEvent>& m_firstMark;  //!< first mark of the class
    const RdmaFirstEventTable& m_first;                //!< first events
};

} // namespace

void
PrintRdmaClassFindings(std::ostream& os,
                       const RdmaClassForecast& forecast,
                       const RdmaClassFindings& findings,
                       const RdmaFirstEventTable& first)
{
    RdmaFindingsPrinter(os, forecast, findings, first).Print();
}

} // namespace ns3
