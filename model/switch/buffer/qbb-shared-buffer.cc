/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer.h"

#include "rdma-part-name.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbSharedBuffer);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_sharedName("shared",
                                QbbSharedBuffer::GetTypeId(),
                                "",
                                "one memory for all ports, with dynamic thresholds");

/*
 * Packet memory of a switch chip and its division by a network operating system.
 *
 * Sources: trident2: C. Guo et al., SIGCOMM 2016, section 2 (9 or 12 MB), Y. Zhu et al., SIGCOMM
 * 2015, section 6 (12 MB, 32 ports of 40 Gb/s), and the example of a 40 Gb/s switch in SONiC's
 * Configuration guide (reserve of a lossless group 1248 B, which is 6 cells of 208 B, alpha 2^-3;
 * lossy queues 1518 B and alpha 2^3 of a pool of 9243812 B). trident3: SONiC's buffer template for
 * Arista's 7050CX3-32S (lossy queues 1792 B, which is 7 cells of 256 B, and alpha 2^3 of a pool of
 * 24192256 B). tomahawk3: Arista's data sheet of the 7060X4 series (64 MB). The sources give no
 * lossless alpha for Trident 3 and nothing but the memory size for Tomahawk 3; these presets use
 * the values of the preceding chip and scale pools with the memory.
 */
const RdmaPartName g_trident2Name(
    "trident2",
    QbbSharedBuffer::GetTypeId(),
    "BufferSize=12582912|ReserveBytes=1248|LosslessAlpha=0.125|LossyAlpha=8"
    "|EgressMinBytes=1518|LossyEgressAlpha=8|LossyEgressPoolBytes=9243812",
    "Broadcom Trident II (BCM56850), 32 ports of 40 Gb/s");

const RdmaPartName g_trident3Name(
    "trident3",
    QbbSharedBuffer::GetTypeId(),
    "BufferSize=33554432|ReserveBytes=1792|LosslessAlpha=0.125|LossyAlpha=8"
    "|EgressMinBytes=1792|LossyEgressAlpha=8|LossyEgressPoolBytes=24192256",
    "Broadcom Trident 3 (BCM56870), 32 ports of 100 Gb/s");

const RdmaPartName g_tomahawk3Name(
    "tomahawk3",
    QbbSharedBuffer::GetTypeId(),
    "BufferSize=67108864|ReserveBytes=1792|LosslessAlpha=0.125|LossyAlpha=8"
    "|EgressMinBytes=1792|LossyEgressAlpha=8|LossyEgressPoolBytes=48384512",
    "Broadcom Tomahawk 3 (BCM56980), 32 ports of 400 Gb/s");

} // namespace

template <typename Value, auto Member>
Ptr<const AttributeAccessor>
QbbSharedBuffer::MakeSetting()
{
    return MakeAttribute<Value, &QbbSharedBuffer::m_settings, Member>();
}

template <auto Member>
void
QbbSharedBuffer::SetAlphas(std::string text)
{
    RefuseWhileRunning();
    m_settings.*Member = QbbClassAlphas::FromText(text);
}

template <auto Member>
std::string
QbbSharedBuffer::GetAlphas() const
{
    return (m_settings.*Member).ToText();
}

TypeId
QbbSharedBuffer::GetTypeId()
{
    using Settings = QbbSharedBufferSettings;
    static TypeId tid =
        TypeId("ns3::QbbSharedBuffer")
            .SetParent<QbbBufferManager>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSharedBuffer>()
            .AddAttribute("BufferSize",
                          "Memory of the switch, in bytes.",
                          UintegerValue(12 * 1024 * 1024),
                          MakeSetting<UintegerValue, &Settings::bufferSize>(),
                          MakeUintegerChecker<uint64_t>(1, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("ReserveBytes",
                          "Memory reserved for each (ingress port, priority) in use, in bytes.",
                          UintegerValue(1248),
                          MakeSetting<UintegerValue, &Settings::reserveBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "LosslessAlpha",
                "A lossless (ingress port, priority) is paused when its shared bytes exceed this "
                "factor times the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(0.125),
                MakeSetting<DoubleValue, &Settings::losslessAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute(
                "LossyAlpha",
                "A lossy (ingress port, priority) drops frames when its shared bytes would exceed "
                "this factor times the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(8),
                MakeSetting<DoubleValue, &Settings::lossyAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute(
                "LossyEgressAlpha",
                "The egress queue of a lossy class may hold EgressMinBytes plus this factor times "
                "the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(1),
                MakeSetting<DoubleValue, &Settings::lossyEgressAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute("XoffBytes",
                          "Static XOFF threshold of every lossless (ingress port, priority), in "
                          "shared bytes; 0: dynamic, by LosslessAlpha.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::xoffBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("XonOffsetBytes",
                          "XON is sent when the shared bytes are this many bytes below the XOFF "
                          "threshold; 0: two of the largest frames of the port and its peer.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::xonOffsetBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless (port, priority), in bytes; 0: computed by "
                          "QbbPfcHeadroom from the port's rate, cable, frames and reaction time.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::headroomBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "HeadroomPool",
                "False: each lossless (port, priority) has its own headroom. True: all of them "
                "take headroom from one pool, each at most its HeadroomBytes; the pool saves "
                "memory, but frames are lost if too many need headroom at once.",
                BooleanValue(false),
                MakeSetting<BooleanValue, &Settings::headroomPool>(),
                MakeBooleanChecker())
            .AddAttribute("HeadroomPoolBytes",
                          "Size of the headroom pool, in bytes; 0: the sum of all headrooms "
                          "divided by HeadroomOversubscription.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::headroomPoolBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("HeadroomOversubscription",
                          "Sum of all headrooms over the size of the pool, at least 1; 2 is the "
                          "over_subscribe_ratio in common SONiC configurations.",
                          DoubleValue(2),
                          MakeSetting<DoubleValue, &Settings::headroomOversubscription>(),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("EgressMinBytes",
                          "Bytes that the egress queue of a lossy class may hold however full the "
                          "shared memory is. This is a limit; no memory is reserved for it.",
                          UintegerValue(1518),
                          MakeSetting<UintegerValue, &Settings::egressMinBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("EgressLimitBytes",
                          "Static limit of the egress queue of a lossy class, in bytes; 0: "
                          "dynamic, by EgressMinBytes and LossyEgressAlpha.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::egressLimitBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "LossyPoolBytes",
                "Part of the shared memory that lossy classes share among themselves, in bytes; "
                "lossless classes share the rest. 0: all classes share all of the memory.",
                UintegerValue(0),
                MakeSetting<UintegerValue, &Settings::lossyPoolBytes>(),
                MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("LossyEgressPoolBytes",
                          "Maximum bytes of all egress queues together; counts frames that are "
                          "lossy at ingress, beyond EgressMinBytes of each queue. If set, "
                          "LossyEgressAlpha multiplies the free part of this limit. 0: no limit.",
                          UintegerValue(0),
                          MakeSetting<UintegerValue, &Settings::lossyEgressPoolBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("ClassAlphas",
                          "Individual values of LosslessAlpha or LossyAlpha for single classes: "
                          "CLASS:ALPHA separated by commas, as in 3:1/8,4:1/16.",
                          StringValue(""),
                          MakeStringAccessor(&QbbSharedBuffer::SetAlphas<&Settings::classAlphas>,
                                             &QbbSharedBuffer::GetAlphas<&Settings::classAlphas>),
                          MakeStringChecker())
            .AddAttribute(
                "ClassEgressAlphas",
                "Individual values of LossyEgressAlpha for single classes: CLASS:ALPHA separated "
                "by commas, as in 3:1/8,4:1/16.",
                StringValue(""),
                MakeStringAccessor(&QbbSharedBuffer::SetAlphas<&Settings::classEgressAlphas>,
                                   &QbbSharedBuffer::GetAlphas<&Settings::classEgressAlphas>),
                MakeStringChecker());
    return tid;
}

void
QbbSharedBuffer::SetPlan(const QbbBufferPlan& plan)
{
    CheckQbbBufferPlan(plan);
    m_plan = plan;
}

uint64_t
QbbSharedBuffer::GetGuaranteedBytes(const std::vector<QbbPortProfile>& ports) const
{
    return QbbSharedMemory(m_settings, m_plan, ports).GetGuaranteedBytes();
}

Ptr<QbbBufferManager>
QbbSharedBuffer::Copy() const
{
    const auto copy = DynamicCast<QbbSharedBuffer>(QbbBufferManager::Copy());
    if (copy)
    {
        copy->m_plan = m_plan;
    }
    return copy;
}

std::string
QbbSharedBuffer::GetXoffAttribute() const
{
    return m_plan ? "" : "XoffBytes"; // A plan replaces the attribute.
}

std::vector<uint64_t>
QbbSharedBuffer::GetLongestQueues(uint8_t priority) const
{
    const auto& layout = GetBooks().GetLayout();
    const uint32_t ports = GetNPorts();
    // With thresholds b + alpha x free, n groups hold at most the bytes s that solve s = B + A
    // (size
    // - s), where B and A are the sums of b and alpha.
    const auto settle = [](double b, double alpha, double size) {
        return std::min(size, (b + alpha * size) / (1 + alpha));
    };
    const auto toFactor = [](uint32_t alpha) {
        return std::ldexp(static_cast<double>(alpha),
                          -static_cast<int>(QbbBufferLimit::ALPHA_BITS));
    };

    /** Sums over the groups of one pool. */
    struct Sums
    {
        double bytes{0};
        double alpha{0};
        bool used{false};
    };

    std::vector<Sums> sums(layout.pools.size());
    uint64_t reserves = 0;
    uint64_t headroom = 0;
    bool limited = true;
    for (uint32_t port = 0; port < ports; ++port)
    {
        const Group& group = GetBooks().GetGroup(static_cast<uint16_t>(port), priority);
        Sums& sum = sums[group.pool];
        sum.bytes += static_cast<double>(group.limit.bytes);
        sum.alpha += toFactor(group.limit.alpha);
        sum.used = true;
        reserves += group.reserveLimit;
        headroom += group.headroomLimit;
        limited = limited && group.limited;
    }
    double most = static_cast<double>(reserves);
    uint64_t pools = 0;
    for (std::size_t pool = 0; pool < sums.size(); ++pool)
    {
        if (sums[pool].used)
        {
            most += settle(sums[pool].bytes,
                           sums[pool].alpha,
                           static_cast<double>(layout.pools[pool].size));
            pools += layout.pools[pool].headroomSize;
        }
    }
    most += static_cast<double>(std::min(headroom, pools));
    std::vector<uint64_t> longest;
    for (uint32_t port = 0; port < ports; ++port)
    {
        double bytes = most;
        if (limited)
        {
            const Queue& queue = GetBooks().GetQueue(static_cast<uint16_t>(port), priority);
            // Bytes in reserves do not take free bytes of the pool.
            const double free =
                static_cast<double>(layout.pools[queue.pool].size) +
                static_cast<double>(layout.pools[queue.pool].egress ? queue.reserve : reserves);
            const double alpha = toFactor(queue.limit.alpha);
            bytes = std::min(bytes,
                             (static_cast<double>(queue.limit.bytes) + alpha * free) / (1 + alpha));
        }
        longest.push_back(static_cast<uint64_t>(bytes));
    }
    return longest;
}

QbbBufferManager::Layout
QbbSharedBuffer::DoConfigure(const std::vector<QbbPortProfile>& ports)
{
    return QbbSharedMemory(m_settings, m_plan, ports).MakeLayout();
}

// AdmitToGroup() and AdmitLimited() are not inlined, so that DoAdmit() saves no registers for
// frames of lossless groups.

[[gnu::noinline]] QbbBufferDecision
QbbSharedBuffer::AdmitToGroup(const Group& group, uint32_t bytes) const
{
    const auto reserved =
        static_cast<uint32_t>(std::min<uint64_t>(bytes, group.reserveLimit - group.reserved));
    const uint32_t rest = bytes - reserved;
    const uint64_t free = GetBooks().GetPool(group).GetFree();
    // rest <= free keeps the pool from overflowing even if alpha > 1.
    if (rest == 0 || (rest <= free && group.shared + rest <= group.limit.Get(free)))
    {
        return QbbBufferDecision::Share(reserved);
    }
    return group.lossless ? GetBooks().TakeHeadroom(group, bytes, reserved)
                          : QbbBufferDecision::Drop(QbbDropReason::BUFFER_FULL);
}

QbbBufferDecision
QbbSharedBuffer::DoAdmit(const Group& group, const Queue& queue, uint32_t bytes)
{
    return group.limited ? AdmitLimited(group, queue, bytes) : AdmitToGroup(group, bytes);
}

[[gnu::noinline]] QbbBufferDecision
QbbSharedBuffer::AdmitLimited(const Group& group, const Queue& queue, uint32_t bytes) const
{
    return GetBooks().HasRoom(queue, bytes) ? AdmitToGroup(group, bytes)
                                            : QbbBufferDecision::Drop(QbbDropReason::EGRESS_LIMIT);
}

QbbBufferManager::XonNeed
QbbSharedBuffer::DoGetXonNeed(const Group& group, const Pool& pool) const
{
    // Headroom bytes move to the shared part before the threshold is checked.
    const uint64_t wanted = group.shared + group.headroom + group.xonOffset;
    const QbbBufferLimit& limit = group.limit;
    XonNeed need{QbbBufferBooks::NEVER};
    if (wanted <= limit.bytes)
    {
        need.freeBytes = group.headroom;
    }
    else if (limit.alpha > 0)
    {
        // The memory is small enough for these 20 bits more.
        static_assert(QBB_MAX_BUFFER_BYTES << QbbBufferLimit::ALPHA_BITS <
                      QbbBufferBooks::NEVER / 8);
        const uint64_t product = (wanted - limit.bytes) << QbbBufferLimit::ALPHA_BITS;
        need.freeBytes = group.headroom + (product + limit.alpha - 1) / limit.alpha;
    }
    if (group.GetBytes() <= group.xon)
    {
        // XON needs the group's entire headroom to be available, unless no other group uses
        // headroom.
        const uint64_t others = pool.headroomUsed - group.headroom;
        need.waitsForHeadroom = others > 0 && group.headroomLimit > pool.headroomSize - others;
        if (!need.waitsForHeadroom)
        {
            need.freeBytes = std::min(need.freeBytes, group.headroom);
        }
    }
    return need;
}

uint64_t
QbbSharedBuffer::GetEgressLimit(uint16_t egressPort, uint8_t priority) const
{
    return GetBooks().GetLimit(GetBooks().GetQueues()[GetIndex(egressPort, priority)]);
}

uint64_t
QbbSharedBuffer::GetEgressLimit() const
{
    return GetEgressLimit(0, 0);
}

} // namespace ns3
