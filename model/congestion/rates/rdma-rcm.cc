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

} // namespace

/** RCM controller of one queue pair. */
class RdmaRcm::Controller : public RdmaRateController
{
  public:
    /** \param parameters attributes of the algorithm \param lineRate rate of the port */
    Controller(Ptr<const RdmaRcm> parameters, RdmaBitRate lineRate)
        : m_parameters(parameters),
          m_recoveryTime(RdmaToPs(parameters->m_recoveryTime)),
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
        const auto rule = m_parameters->m_rule;
        const bool byTime = rule == TIME || rule == EITHER ||
                            (rule == BOTH && m_bytes >= m_parameters->m_recoveryBytes);
        return m_delay > 0 && byTime ? GetDue() : NEVER;
    }

    void OnSent(uint32_t bytes, RdmaPs now) override
    {
        RecoverByTime(now);
        m_bytes += bytes;
        const auto rule = m_parameters->m_rule;
        if (rule == TIME || (rule == BOTH && now < GetDue()))
        {
            return;
        }
        while (m_delay > 0 && m_bytes >= m_parameters->m_recoveryBytes)
        {
            --m_delay;
            m_bytes = rule == BOTH ? 0 : m_bytes - m_parameters->m_recoveryBytes;
            m_since = now;
        }
    }

    void OnCnp(RdmaPs now) override
    {
        RecoverByTime(now);
        m_delay = std::min(m_delay + 1, m_parameters->m_maxDelay);
        m_since = now;
        m_bytes = 0;
    }

  private:
    RdmaPs GetDue() const
    {
        return m_since + m_recoveryTime;
    }

    void RecoverByTime(RdmaPs now)
    {
        const auto rule = m_parameters->m_rule;
        while (m_delay > 0 && rule != BYTES && now >= GetDue() &&
               (rule != BOTH || m_bytes >= m_parameters->m_recoveryBytes))
        {
            --m_delay;
            m_since = GetDue();
            m_bytes = 0;
        }
    }

    Ptr<const RdmaRcm> m_parameters; //!< attributes of the algorithm
    RdmaPs m_recoveryTime;           //!< attribute RecoveryTime
    RdmaBitRate m_lineRate;          //!< rate of the port
    RdmaPs m_since{0};               //!< time of the last CNP or recovery
    uint64_t m_bytes{0};             //!< bytes sent since the last CNP or recovery
    uint32_t m_delay{0};             //!< number n of CNPs not yet recovered from
};

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
    RefuseRdmaIf(RdmaToPs(m_recoveryTime) <= 0_ps,
                 "RdmaRcm: RecoveryTime ",
                 m_recoveryTime.As(Time::NS),
                 "; accepted: 1 ps and above");
    return std::make_unique<Controller>(Ptr<const RdmaRcm>(this), profile.lineRate);
}

} // namespace ns3
