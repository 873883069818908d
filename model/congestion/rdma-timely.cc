/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-timely.h"

#include "qbb-time.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimely);

/** A queue pair under TIMELY. */
class RdmaTimely::Controller : public RdmaRateController
{
  public:
    /** \param parameters the attributes \param profile the queue pair */
    Controller(Ptr<const RdmaTimely> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineBps(static_cast<double>(profile.lineRate)),
          m_minRtt(parameters->m_minRtt.IsZero() ? profile.baseRtt : QbbToPs(parameters->m_minRtt)),
          m_payload(profile.payloadBytes)
    {
        const auto initial = static_cast<double>(parameters->m_initialRate.GetBitRate());
        SetRate(initial > 0 ? initial : m_lineBps);
    }

    QbbBitRate GetRate(QbbPs) override
    {
        return QbbBitRate(static_cast<uint64_t>(m_rateBps));
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        m_acked += sample.ackedPackets * m_payload;
        if (m_acked < m_parameters->m_segment || sample.rtt < 0_ps)
        {
            return;
        }
        m_acked %= m_parameters->m_segment;
        Complete(sample.rtt);
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

  private:
    /** \param rtt the round trip of a completion event */
    void Complete(QbbPs rtt)
    {
        const RdmaTimely& p = *m_parameters;
        if (m_previous < 0_ps)
        {
            m_previous = rtt;
        }
        m_diffPs += p.m_alpha * (static_cast<double>(rtt - m_previous) - m_diffPs);
        m_previous = rtt;
        const double gradient = m_diffPs / static_cast<double>(m_minRtt);
        m_falling = gradient < 0 ? std::min(m_falling + 1, p.m_hai) : 0;

        const auto delta = static_cast<double>(p.m_delta.GetBitRate());
        const double beta = p.m_patched ? p.m_patchedBeta : p.m_beta;
        const QbbPs high = QbbToPs(p.m_tHigh);
        if (rtt < QbbToPs(p.m_tLow))
        {
            SetRate(m_rateBps + delta);
        }
        else if (rtt > high)
        {
            SetRate(m_rateBps *
                    (1 - beta * (1 - static_cast<double>(high) / static_cast<double>(rtt))));
        }
        else if (p.m_patched)
        {
            const auto reference = static_cast<double>(QbbToPs(p.m_rttRef));
            const double weight = std::clamp(2 * gradient + 0.5, 0.0, 1.0);
            const double error = (static_cast<double>(rtt) - reference) / reference;
            SetRate(delta * (1 - weight) + m_rateBps * (1 - beta * weight * error));
        }
        else if (gradient <= 0)
        {
            SetRate(m_rateBps + (m_falling >= p.m_hai ? p.m_hai : 1) * delta);
        }
        else
        {
            SetRate(m_rateBps * (1 - beta * gradient));
        }
    }

    /** \param rateBps the new rate, brought within limits */
    void SetRate(double rateBps)
    {
        const auto least = static_cast<double>(m_parameters->m_minRate.GetBitRate());
        const double cut = m_rateBps * (1 - m_parameters->m_maxDecrease);
        m_rateBps = std::min(std::max({rateBps, cut, least}), m_lineBps);
    }

    Ptr<const RdmaTimely> m_parameters; //!< the attributes
    double m_lineBps;                   //!< no faster
    double m_rateBps{0};                //!< now
    double m_diffPs{0};                 //!< of round trips, smoothed
    QbbPs m_minRtt;                     //!< makes the gradient a number
    QbbPs m_previous{-1};               //!< the last completion event's round trip
    uint64_t m_acked{0};                //!< payload bytes since then
    uint32_t m_payload;                 //!< of a full packet
    uint32_t m_falling{0};              //!< events in a row with a negative gradient, up to m_hai
};

TypeId
RdmaTimely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTimely")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaTimely>()
            .AddAttribute("TLow",
                          "The rate grows as long as the round trip is shorter than this.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTimely::m_tLow),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("THigh",
                          "The rate falls when the round trip is longer than this.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaTimely::m_tHigh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "Round trip that gradients are relative to; 0: that of the path when "
                          "it is empty.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaTimely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Alpha",
                          "Weight of a new difference of round trips in their average.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&RdmaTimely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Factor of decreases.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaTimely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Largest part of the rate that one update takes; 1: no such limit, as in "
                          "the paper's algorithm.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaTimely::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Delta",
                          "Step of increases.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&RdmaTimely::m_delta),
                          MakeDataRateChecker())
            .AddAttribute("HaiThreshold",
                          "After so many completion events in a row with a negative gradient, "
                          "increases are as many times Delta.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaTimely::m_hai),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("SegmentSize",
                          "Acknowledged payload bytes from one update of the rate to the next; the "
                          "paper's NICs have 16 KB to 64 KB.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&RdmaTimely::m_segment),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("InitialRate",
                          "Rate of a new queue pair, at most that of its port; 0bps: that of its "
                          "port.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaTimely::m_initialRate),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "The slowest rate.",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&RdmaTimely::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("Patched",
                          "True: patched TIMELY, with PatchedBeta in place of Beta.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTimely::m_patched),
                          MakeBooleanChecker())
            .AddAttribute("PatchedBeta",
                          "Factor of decreases of patched TIMELY.",
                          DoubleValue(0.008),
                          MakeDoubleAccessor(&RdmaTimely::m_patchedBeta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("RttRef",
                          "Patched TIMELY: the round trip that errors are relative to.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTimely::m_rttRef),
                          MakeTimeChecker(PicoSeconds(1)));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaTimely::MakeController(const RdmaPathProfile& profile) const
{
    NS_ABORT_MSG_IF(m_tLow > m_tHigh,
                    "rdma: RdmaTimely: TLow " << m_tLow.As(Time::US) << ", THigh "
                                              << m_tHigh.As(Time::US)
                                              << "; accepted: TLow at most THigh");
    NS_ABORT_MSG_IF(m_minRtt.IsZero() && profile.baseRtt <= 0_ps,
                    "rdma: RdmaTimely: MinRtt is 0 and the path's round trip is not known; "
                    "accepted: a MinRtt above 0, or a NIC with a path oracle");
    NS_ABORT_MSG_IF(QbbBitRate(m_initialRate) > profile.lineRate,
                    "rdma: RdmaTimely: InitialRate "
                        << m_initialRate << "; accepted: up to the port's rate, "
                        << profile.lineRate.ToDataRate() << ", or 0bps for that");
    return std::make_unique<Controller>(Ptr<const RdmaTimely>(this), profile);
}

} // namespace ns3
