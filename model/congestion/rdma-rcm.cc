/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rcm.h"

#include "qbb-time.h"
#include "rdma-compat.h"

#include <ns3/abort.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRcm);

namespace
{

/** What a controller needs of RdmaRcm. */
struct RcmParameters
{
    RdmaRcm::RecoveryRule rule; //!< what a recovery waits for
    uint32_t maxDelay;          //!< largest n
    int64_t timePs;             //!< RecoveryTime
    uint64_t bytes;             //!< RecoveryBytes
};

class RcmController : public RdmaRateController
{
  public:
    RcmController(const RcmParameters& parameters, uint64_t lineRateBps)
        : m_parameters(parameters),
          m_lineRateBps(lineRateBps)
    {
    }

    uint64_t GetRateBps(int64_t nowPs) override
    {
        RecoverByTime(nowPs);
        return m_lineRateBps / (m_delay + 1);
    }

    int64_t GetNextRisePs() const override
    {
        const auto rule = m_parameters.rule;
        const bool byTime = rule == RdmaRcm::TIME || rule == RdmaRcm::EITHER ||
                            (rule == RdmaRcm::BOTH && m_bytes >= m_parameters.bytes);
        return m_delay > 0 && byTime ? GetDuePs() : NEVER;
    }

    void OnSent(uint32_t bytes, int64_t nowPs) override
    {
        RecoverByTime(nowPs);
        m_bytes += bytes;
        const auto rule = m_parameters.rule;
        if (rule == RdmaRcm::TIME || (rule == RdmaRcm::BOTH && nowPs < GetDuePs()))
        {
            return;
        }
        while (m_delay > 0 && m_bytes >= m_parameters.bytes)
        {
            --m_delay;
            m_bytes = rule == RdmaRcm::BOTH ? 0 : m_bytes - m_parameters.bytes;
            m_sincePs = nowPs;
        }
    }

    void OnCnp(int64_t nowPs) override
    {
        RecoverByTime(nowPs);
        m_delay = std::min(m_delay + 1, m_parameters.maxDelay);
        m_sincePs = nowPs;
        m_bytes = 0;
    }

  private:
    int64_t GetDuePs() const
    {
        return m_sincePs + m_parameters.timePs;
    }

    void RecoverByTime(int64_t nowPs)
    {
        const auto rule = m_parameters.rule;
        while (m_delay > 0 && rule != RdmaRcm::BYTES && nowPs >= GetDuePs() &&
               (rule != RdmaRcm::BOTH || m_bytes >= m_parameters.bytes))
        {
            --m_delay;
            m_sincePs = GetDuePs();
            m_bytes = 0;
        }
    }

    RcmParameters m_parameters; //!< of the algorithm
    uint64_t m_lineRateBps;     //!< of the port
    int64_t m_sincePs{0};       //!< last CNP or recovery
    uint64_t m_bytes{0};        //!< sent since then
    uint32_t m_delay{0};        //!< n
};

} // namespace

TypeId
RdmaRcm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaRcm")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaRcm>()
            .AddAttribute(
                "RecoveryRule",
                "What a recovery waits for: RecoveryTime, RecoveryBytes, either or both.",
                EnumValue(TIME),
                RdmaMakeEnumAccessor<RecoveryRule>(&RdmaRcm::m_rule),
                MakeEnumChecker(TIME, "Time", BYTES, "Bytes", EITHER, "Either", BOTH, "Both"))
            .AddAttribute("RecoveryTime",
                          "Time from a CNP or a recovery to the next recovery, above 0.",
                          TimeValue(MicroSeconds(150)),
                          MakeTimeAccessor(&RdmaRcm::m_recoveryTime),
                          MakeTimeChecker())
            .AddAttribute("RecoveryBytes",
                          "Bytes on the line from a CNP or a recovery to the next recovery, above "
                          "0.",
                          UintegerValue(300000),
                          MakeUintegerAccessor(&RdmaRcm::m_recoveryBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("MaxDelay",
                          "Largest n: no more CNPs than that count, 1 and above.",
                          UintegerValue(127),
                          MakeUintegerAccessor(&RdmaRcm::m_maxDelay),
                          MakeUintegerChecker<uint32_t>(1, 1'000'000));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaRcm::MakeController(const RdmaPathProfile& profile) const
{
    const int64_t timePs = QbbToPs(m_recoveryTime);
    NS_ABORT_MSG_IF(timePs <= 0,
                    "rdma: RdmaRcm: RecoveryTime " << m_recoveryTime.As(Time::NS)
                                                   << "; accepted: 1 ps and above");
    return std::make_unique<RcmController>(
        RcmParameters{m_rule, m_maxDelay, timePs, m_recoveryBytes},
        profile.lineRateBps);
}

} // namespace ns3
