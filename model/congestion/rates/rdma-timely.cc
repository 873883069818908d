/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-timely.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimely);

namespace
{

/// Names by which programs select this congestion control.
const RdmaPartName g_timelyName("timely",
                                RdmaTimely::GetTypeId(),
                                "",
                                "TIMELY: rate from the gradient of round-trip times");
const RdmaPartName g_timelyAcksName("timely-acks",
                                    RdmaTimely::GetTypeId(),
                                    "Events=Acks|Alpha=0.02|TLow=0us|THigh=1ms|LineDelta=0.001",
                                    "TIMELY with an update for each ACK, as its author's code");
const RdmaPartName g_timelyPatchedName("timely-patched",
                                       RdmaTimely::GetTypeId(),
                                       "Patched=true",
                                       "TIMELY with the correction by Zhu et al.");

} // namespace

/** TIMELY controller of one queue pair. */
class RdmaTimely::Controller : public RdmaRateController
{
  public:
    /** \param parameters attributes of the algorithm \param profile the queue pair's path profile
     */
    Controller(Ptr<const RdmaTimely> parameters, const RdmaPathProfile& profile)
        : m_parameters(parameters),
          m_lineBps(static_cast<double>(profile.lineRate)),
          m_minRtt(parameters->m_minRtt.IsZero() ? profile.baseRtt
                                                 : RdmaToPs(parameters->m_minRtt)),
          m_payload(profile.payloadBytes)
    {
        const auto initial = static_cast<double>(parameters->m_initialRate.GetBitRate());
        SetRate(initial > 0 ? initial : m_lineBps);
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        return RdmaBitRate(static_cast<uint64_t>(m_rateBps));
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        const bool perAck = m_parameters->m_events == ACKS;
        m_acked += sample.ackedPackets * m_payload;
        if (sample.rtt < 0_ps || (!perAck && m_acked < m_parameters->m_segment))
        {
            return;
        }
        m_acked %= m_parameters->m_segment;
        Complete(sample.rtt, perAck ? GetShare(sample.now) : 1);
    }

    void OnNak(const RdmaAckSample& sample) override
    {
        OnAck(sample);
    }

  private:
    /**
     * \param now time of an event
     * \return time since the last event as a part of MinRtt; 1 at most
     */
    double GetShare(RdmaPs now)
    {
        const RdmaPs elapsed = m_updated < 0_ps ? m_minRtt : std::min(now - m_updated, m_minRtt);
        m_updated = now;
        return static_cast<double>(elapsed) / static_cast<double>(m_minRtt);
    }

    /**
     * Updates the rate at a completion event.
     *
     * \param rtt round-trip time of the event
     * \param share part of a full increase that the event may add, 0 to 1
     */
    void Complete(RdmaPs rtt, double share)
    {
        const RdmaTimely& p = *m_parameters;
        if (m_previous < 0_ps)
        {
            m_previous = rtt;
        }
        const auto diffPs = static_cast<double>(rtt - m_previous);
        m_diffPs += p.m_alpha * (diffPs - m_diffPs);
        m_previous = rtt;
        const double gradient = m_diffPs / static_cast<double>(m_minRtt);
        const bool falls = (p.m_events == SEGMENTS ? gradient : diffPs) < 0;
        m_falling = falls ? std::min(m_falling + 1, p.m_hai) : 0;

        const double step = p.m_lineDelta > 0 ? m_lineBps * p.m_lineDelta
                                              : static_cast<double>(p.m_delta.GetBitRate());
        const double delta = share * step;
        const double beta = p.m_patched ? p.m_patchedBeta : p.m_beta;
        const RdmaPs high = RdmaToPs(p.m_tHigh);
        if (rtt < RdmaToPs(p.m_tLow))
        {
            SetRate(m_rateBps + delta);
        }
        else if (rtt > high)
        {
            const double excess = 1 - static_cast<double>(high) / static_cast<double>(rtt);
            SetRate(m_rateBps * (1 - share * beta * excess));
        }
        else if (p.m_patched)
        {
            const auto reference = static_cast<double>(RdmaToPs(p.m_rttRef));
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

    /** Sets the rate within its limits. \param rateBps the new rate in bit/s */
    void SetRate(double rateBps)
    {
        const auto least = static_cast<double>(m_parameters->m_minRate.GetBitRate());
        const double cut = m_rateBps * (1 - m_parameters->m_maxDecrease);
        m_rateBps = std::min(std::max({rateBps, cut, least}), m_lineBps);
    }

    Ptr<const RdmaTimely> m_parameters; //!< attributes of the algorithm
    double m_lineBps;                   //!< rate of the port in bit/s
    double m_rateBps{0};                //!< current rate in bit/s
    double m_diffPs{0};    //!< smoothed difference of successive round-trip times, in picoseconds
    RdmaPs m_minRtt;       //!< round-trip time that gradients are relative to
    RdmaPs m_previous{-1}; //!< round-trip time of the last completion event; negative: none
    RdmaPs m_updated{-1};  //!< time of the last event, if Events is Acks; negative: none
    uint64_t m_acked{0};   //!< payload bytes acknowledged since the last completion event
    uint32_t m_payload;    //!< payload bytes of a full packet
    /// Consecutive events with a negative gradient (Acks: a negative difference), up to
    /// HaiThreshold
    uint32_t m_falling{0};
};

TypeId
RdmaTimely::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaTimely")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaTimely>()
            .AddAttribute("Events",
                          "Completion events. Segments: one for each SegmentSize bytes that are "
                          "acknowledged cumulatively, as in the paper. Acks: one for each ACK and "
                          "NAK, as in the code that the paper's first author published; increases "
                          "and decreases above THigh are in proportion to the time since the last "
                          "event, up to MinRtt, and a falling round-trip time is counted without "
                          "smoothing.",
                          EnumValue(SEGMENTS),
                          RdmaMakeEnumAccessor<Events>(&RdmaTimely::m_events),
                          MakeEnumChecker(SEGMENTS, "Segments", ACKS, "Acks"))
            .AddAttribute("TLow",
                          "Round-trip time below which the rate always increases.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTimely::m_tLow),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("THigh",
                          "Round-trip time above which the rate always decreases.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RdmaTimely::m_tHigh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "Round-trip time that gradients are relative to; 0: base round-trip time "
                          "of the path.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaTimely::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Alpha",
                          "Weight of a new difference of round-trip times in their moving average.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&RdmaTimely::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Multiplicative decrease factor of the rate.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaTimely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "Largest fraction of the rate that one update removes; 1: no limit, as "
                          "in the paper's algorithm.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaTimely::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LineDelta",
                          "Step of rate increases as a part of the port's rate, in place of Delta; "
                          "0: Delta.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaTimely::m_lineDelta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Delta",
                          "Step of rate increases.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&RdmaTimely::m_delta),
                          MakeDataRateChecker())
            .AddAttribute("HaiThreshold",
                          "Number N of consecutive completion events with a negative gradient "
                          "after which rate increases are N x Delta (hyperactive increase).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaTimely::m_hai),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("SegmentSize",
                          "Acknowledged payload bytes per update of the rate; 16 KB to 64 KB in "
                          "the paper's NICs.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&RdmaTimely::m_segment),
                          MakeUintegerChecker<uint32_t>(1, 1U << 30))
            .AddAttribute("InitialRate",
                          "Initial rate of a queue pair, at most the rate of its port; 0bps: the "
                          "rate of its port.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RdmaTimely::m_initialRate),
                          MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Lower limit of the rate.",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&RdmaTimely::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("Patched",
                          "True: patched TIMELY, with PatchedBeta in place of Beta. False: TIMELY.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaTimely::m_patched),
                          MakeBooleanChecker())
            .AddAttribute("PatchedBeta",
                          "Patched TIMELY: multiplicative decrease factor of the rate.",
                          DoubleValue(0.008),
                          MakeDoubleAccessor(&RdmaTimely::m_patchedBeta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("RttRef",
                          "Patched TIMELY: round-trip time at which the decrease of the rate is 0.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaTimely::m_rttRef),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("SpreadRttGain",
                          "Where packets of a queue pair take several paths: weight of a new round "
                          "trip in the mean that rates are computed from; 1: the latest one.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&RdmaTimely::m_spreadRttGain),
                          MakeDoubleChecker<double>(0.001, 1));
    return tid;
}

RdmaPs
RdmaTimely::GetAcceptedDelay(const RdmaPathProfile& profile) const
{
    return std::max(RdmaPs(0), RdmaToPs(m_tLow) - profile.baseRtt);
}

std::unique_ptr<RdmaRateController>
RdmaTimely::MakeController(const RdmaPathProfile& profile) const
{
    RefuseRdmaIf(m_tLow > m_tHigh,
                 "RdmaTimely: TLow ",
                 m_tLow.As(Time::US),
                 ", THigh ",
                 m_tHigh.As(Time::US),
                 "; accepted: TLow at most THigh");
    RefuseRdmaIf(m_minRtt.IsZero() && profile.baseRtt <= 0_ps,
                 "RdmaTimely: MinRtt is 0 and the path's round trip is not known; "
                 "accepted: a MinRtt above 0, or a NIC with a path oracle");
    RefuseRdmaIf(RdmaBitRate(m_initialRate) > profile.lineRate,
                 "RdmaTimely: InitialRate ",
                 m_initialRate,
                 "; accepted: up to the port's rate, ",
                 profile.lineRate.ToDataRate(),
                 ", or 0bps for that");
    return std::make_unique<Controller>(Ptr<const RdmaTimely>(this), profile);
}

} // namespace ns3
