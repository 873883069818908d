/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"

#include "rdma-compat.h"
#include "rdma-int128.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbEcnMarker);

namespace
{

constexpr uint64_t MAX_THRESHOLD_BYTES = std::numeric_limits<uint32_t>::max();

void
CheckEcnProfile(uint8_t priority, const QbbEcnProfile& profile)
{
    RefuseRdmaIf(profile.kminBytes > profile.kmaxBytes || profile.kmaxBytes > MAX_THRESHOLD_BYTES,
                 "QbbEcnMarker: priority ",
                 +priority,
                 ": Kmin ",
                 profile.kminBytes,
                 " bytes, Kmax ",
                 profile.kmaxBytes,
                 " bytes; accepted: Kmin at most Kmax, Kmax below 4 GiB");
    RefuseRdmaIf(!(profile.pmax > 0 && profile.pmax <= 1),
                 "QbbEcnMarker: priority ",
                 +priority,
                 ": Pmax ",
                 profile.pmax,
                 "; accepted: above 0, at most 1");
}

void
CheckPriority(uint8_t priority)
{
    NS_ABORT_MSG_IF(priority >= 8,
                    "rdma: QbbEcnMarker: priority " << +priority << "; accepted: 0 to 7");
}

uint64_t
ScaleByRate(uint64_t bytes, RdmaBitRate rate, RdmaBitRate reference)
{
    const auto product = static_cast<RdmaUint128>(bytes) * rate.Get() + reference.Get() / 2;
    return static_cast<uint64_t>(product / reference.Get());
}

} // namespace

TypeId
QbbEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbEcnMarker")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbEcnMarker>()
            .AddAttribute(
                "Kmin",
                "Queue length up to which no packet is marked, in bytes at ReferenceRate.",
                UintegerValue(5000),
                MakeUintegerAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_kmin, uint32_t>,
                                     &QbbEcnMarker::Get<&QbbEcnMarker::m_kmin, uint32_t>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("Kmax",
                          "Queue length above which every ECN-capable packet is marked, in bytes "
                          "at ReferenceRate.",
                          UintegerValue(200000),
                          MakeUintegerAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_kmax, uint32_t>,
                                               &QbbEcnMarker::Get<&QbbEcnMarker::m_kmax, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Pmax",
                          "Marking probability at queue length Kmax; above 0, at most 1.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_pmax, double>,
                                             &QbbEcnMarker::Get<&QbbEcnMarker::m_pmax, double>),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute(
                "ReferenceRate",
                "Link rate to which Kmin and Kmax apply.",
                DataRateValue(DataRate(40'000'000'000ULL)),
                MakeDataRateAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_referenceRate, DataRate>,
                                     &QbbEcnMarker::Get<&QbbEcnMarker::m_referenceRate, DataRate>),
                MakeDataRateChecker())
            .AddAttribute("ScaleWithRate",
                          "True: Kmin and Kmax grow in proportion to the link rate. False: they "
                          "are the same on every link.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_scale, bool>,
                                              &QbbEcnMarker::Get<&QbbEcnMarker::m_scale, bool>),
                          MakeBooleanChecker())
            .AddAttribute(
                "PriorityMask",
                "Bit mask of the priorities whose packets are marked: bit p for priority p.",
                UintegerValue(0xff),
                MakeUintegerAccessor(&QbbEcnMarker::Set<&QbbEcnMarker::m_priorityMask, uint8_t>,
                                     &QbbEcnMarker::Get<&QbbEcnMarker::m_priorityMask, uint8_t>),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "MarkAt",
                "Arrival: a packet is marked according to the queue length that it finds. "
                "Departure: according to the queue length that it leaves behind when its "
                "transmission begins.",
                EnumValue(ARRIVAL),
                RdmaMakeEnumAccessor<Moment>(&QbbEcnMarker::Set<&QbbEcnMarker::m_moment, Moment>,
                                             &QbbEcnMarker::Get<&QbbEcnMarker::m_moment, Moment>),
                MakeEnumChecker(ARRIVAL, "Arrival", DEPARTURE, "Departure"))
            .AddAttribute(
                "MarkBy",
                "Packets whose bytes are the queue length. Port: all packets of the class that "
                "wait for the egress port. Queue: those in the queue of the packet. An "
                "input-queued switch has a virtual output queue for each ingress port, an "
                "output-queued switch one queue for each class.",
                EnumValue(PORT),
                RdmaMakeEnumAccessor<Scope>(&QbbEcnMarker::Set<&QbbEcnMarker::m_scope, Scope>,
                                            &QbbEcnMarker::Get<&QbbEcnMarker::m_scope, Scope>),
                MakeEnumChecker(PORT, "Port", QUEUE, "Queue"));
    return tid;
}

void
QbbEcnMarker::SetProfile(uint8_t priority, const QbbEcnProfile& profile)
{
    CheckPriority(priority);
    CheckEcnProfile(priority, profile);
    m_profiles[priority] = profile;
    m_ownMask |= 1U << priority;
    Changed();
}

void
QbbEcnMarker::SetPortProfile(uint16_t port,
                             uint8_t priority,
                             const std::optional<QbbEcnProfile>& profile)
{
    CheckPriority(priority);
    if (profile)
    {
        CheckEcnProfile(priority, *profile);
    }
    m_portProfiles[{port, priority}] = profile;
    Changed();
}

void
QbbEcnMarker::AddUser(const void* user, std::function<void()> changed)
{
    ForgetUser(user);
    m_users.emplace_back(user, std::move(changed));
}

void
QbbEcnMarker::ForgetUser(const void* user)
{
    m_users.erase(std::remove_if(m_users.begin(),
                                 m_users.end(),
                                 [user](const auto& entry) { return entry.first == user; }),
                  m_users.end());
}

void
QbbEcnMarker::Changed()
{
    for (const auto& [user, changed] : m_users)
    {
        changed();
    }
}

void
QbbEcnMarker::DoDispose()
{
    m_users.clear();
    Object::DoDispose();
}

QbbEcnProfile
QbbEcnMarker::GetProfile(uint8_t priority) const
{
    CheckPriority(priority);
    if (m_ownMask & (1U << priority))
    {
        return m_profiles[priority];
    }
    const QbbEcnProfile profile{m_kmin, m_kmax, m_pmax};
    CheckEcnProfile(priority, profile);
    return profile;
}

QbbEcnThresholds
QbbEcnMarker::GetThresholds(uint8_t priority, RdmaBitRate rate, std::optional<uint16_t> port) const
{
    const auto own = port ? m_portProfiles.find({*port, priority}) : m_portProfiles.end();
    const bool isOwn = own != m_portProfiles.end();
    const bool isOff = isOwn && !own->second;
    const QbbEcnProfile profile =
        isOwn ? own->second.value_or(QbbEcnProfile()) : GetProfile(priority);
    const RdmaBitRate reference(m_referenceRate);
    RefuseRdmaIf(m_scale && (rate == 0_bps || reference == 0_bps),
                 "QbbEcnMarker: link rate ",
                 rate,
                 " bit/s, ReferenceRate ",
                 reference,
                 " bit/s; accepted: both above 0");
    QbbEcnThresholds curve;
    if (isOff || !(m_priorityMask & (1U << priority)))
    {
        return curve;
    }
    curve.kminBytes = profile.kminBytes;
    curve.kmaxBytes = profile.kmaxBytes;
    if (m_scale)
    {
        curve.kminBytes = ScaleByRate(profile.kminBytes, rate, reference);
        curve.kmaxBytes = ScaleByRate(profile.kmaxBytes, rate, reference);
    }
    if (curve.kmaxBytes > curve.kminBytes)
    {
        curve.slope = profile.pmax / static_cast<double>(curve.kmaxBytes - curve.kminBytes);
    }
    return curve;
}

} // namespace ns3
