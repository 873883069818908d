/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rcm.h"

#include "rdma-compat.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaRcm);

namespace
{

/// Name by which programs select this congestion control.
const RdmaPartName g_rcmName("rcm",
                             RdmaRcm::GetTypeId(),
                             "",
                             "rate control of an OMNeT++ model, a CNP for each mark");

/** Parameters of RdmaRcm that a controller uses. */
struct RcmParameters
{
    RdmaRcm::RecoveryRule rule; //!< condition of a recovery
    uint32_t maxDelay;          //!< largest number n of CNPs that delay packets
    RdmaPs time;                //!< attribute RecoveryTime
    uint64_t bytes;             //!< attribute RecoveryBytes
};

class RcmController : public RdmaRateController
{
  public:
    RcmController(const RcmParameters& parameters, RdmaBitRate lineRate)
        : m_parameters(parameters),
          m_lineRate(lineRate)
    {
    }

    RdmaBitRate GetRate(RdmaPs now) override
    {
        RecoverByTime(now);
        return m_lineRate / (m_delay + 1);
    }

    bool HasWindow() const override
    {
        return false;
    }

    RdmaPs GetNextRise() const override
    {
        const auto rule = m_parameters.rule;
        const bool byTime = rule == RdmaRcm::TIME || rule == RdmaRcm::EITHER ||
                            (rule == RdmaRcm::BOTH && m_bytes >= m_parameters.bytes);
        return m_delay > 0 && byTime ? GetDue() : NEVER;
    }

    void OnSent(uint32_t bytes, RdmaPs now) override
    {
        RecoverByTime(now);
        m_bytes += bytes;
        const auto rule = m_parameters.rule;
        if (rule == RdmaRcm::TIME || (rule == RdmaRcm::BOTH && now < GetDue()))
        {
            return;
        }
        while (m_delay > 0 && m_bytes >= m_parameters.bytes)
        {
            --m_delay;
            m_bytes = rule == RdmaRcm::BOTH ? 0 : m_bytes - m_parameters.bytes;
            m_since = now;
        }
    }

    void OnCnp(RdmaPs now) override
    {
        RecoverByTime(now);
        m_delay = std::min(m_delay + 1, m_parameters.maxDelay);
        m_since = now;
        m_bytes = 0;
    }

  private:
    RdmaPs GetDue() const
    {
        return m_since + m_parameters.time;
    }

    void RecoverByTime(RdmaPs now)
    {
        const auto rule = m_parameters.rule;
        while (m_delay > 0 && rule != RdmaRcm::BYTES && now >= GetDue() &&
               (rule != RdmaRcm::BOTH || m_bytes >= m_parameters.bytes))
        {
            --m_delay;
            m_since = GetDue();
            m_bytes = 0;
        }
    }

    RcmParameters m_parameters; //!< parameters of the algorithm
    RdmaBitRate m_lineRate;     //!< rate of the port
    RdmaPs m_since{0};          //!< time of the last CNP or recovery
    uint64_t m_bytes{0};        //!< bytes sent since the last CNP or recovery
    uint32_t m_delay{0};        //!< number n of CNPs not yet recovered from
};

} // namespace

TypeId
RdmaRcm::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaRcm")
            .SetParent<RdmaCongestionControl>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaRcm>()
            .AddAttribute(
                "RecoveryRule",
                "Condition of a recovery: RecoveryTime has passed, RecoveryBytes are sent, either "
                "or both.",
                EnumValue(TIME),
                RdmaMakeEnumAccessor<RecoveryRule>(&RdmaRcm::m_rule),
                MakeEnumChecker(TIME, "Time", BYTES, "Bytes", EITHER, "Either", BOTH, "Both"))
            .AddAttribute("RecoveryTime",
                          "Time from a CNP or a recovery to the next recovery, above 0.",
                          TimeValue(MicroSeconds(150)),
                          MakeTimeAccessor(&RdmaRcm::m_recoveryTime),
                          MakeTimeChecker())
            .AddAttribute(
                "RecoveryBytes",
                "Bytes sent on the line from a CNP or a recovery to the next recovery, above 0.",
                UintegerValue(300000),
                MakeUintegerAccessor(&RdmaRcm::m_recoveryBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("MaxDelay",
                          "Largest number n of CNPs that delay packets, 1 and above; further CNPs "
                          "are ignored.",
                          UintegerValue(127),
                          MakeUintegerAccessor(&RdmaRcm::m_maxDelay),
                          MakeUintegerChecker<uint32_t>(1, 1'000'000));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaRcm::MakeController(const RdmaPathProfile& profile) const
{
    const RdmaPs time = RdmaToPs(m_recoveryTime);
    RefuseRdmaIf(time <= 0_ps,
                 "RdmaRcm: RecoveryTime ",
                 m_recoveryTime.As(Time::NS),
                 "; accepted: 1 ps and above");
    return std::make_unique<RcmController>(RcmParameters{m_rule, m_maxDelay, time, m_recoveryBytes},
                                           profile.lineRate);
}

} // namespace ns3
