/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer.h"

#include "qbb-pfc-headroom.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

/**
 * \param wanted attribute or profile's distance of XON below the threshold, or 0
 * \param port a port
 * \return the distance in effect
 */
uint64_t
GetXonOffset(uint64_t wanted, const QbbPortProfile& port)
{
    return wanted ? wanted : 2 * std::max(port.maxFrameBytes, port.peerMaxFrameBytes);
}

} // namespace

template <auto Member>
void
QbbSharedBuffer::SetAlphas(std::string text)
{
    RefuseWhileRunning();
    this->*Member = QbbClassAlphas::FromText(text);
}

template <auto Member>
std::string
QbbSharedBuffer::GetAlphas() const
{
    return (this->*Member).ToText();
}

TypeId
QbbSharedBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSharedBuffer")
            .SetParent<QbbBufferManager>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSharedBuffer>()
            .AddAttribute("BufferSize",
                          "Memory of the switch, in bytes.",
                          UintegerValue(12 * 1024 * 1024),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_bufferSize>(),
                          MakeUintegerChecker<uint64_t>(1, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("ReserveBytes",
                          "Memory reserved for each (ingress port, priority) in use, in bytes.",
                          UintegerValue(1248),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_reserveBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "LosslessAlpha",
                "A lossless (ingress port, priority) is paused when its shared bytes exceed this "
                "factor times the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(0.125),
                MakeAttribute<DoubleValue, &QbbSharedBuffer::m_losslessAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute(
                "LossyAlpha",
                "A lossy (ingress port, priority) drops frames when its shared bytes would exceed "
                "this factor times the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(8),
                MakeAttribute<DoubleValue, &QbbSharedBuffer::m_lossyAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute(
                "LossyEgressAlpha",
                "The egress queue of a lossy class may hold EgressMinBytes plus this factor times "
                "the free shared bytes; 1/1024..1024, stored in steps of 2^-20.",
                DoubleValue(1),
                MakeAttribute<DoubleValue, &QbbSharedBuffer::m_lossyEgressAlpha>(),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute("XoffBytes",
                          "Static XOFF threshold of every lossless (ingress port, priority), in "
                          "shared bytes; 0: dynamic, by LosslessAlpha.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_xoffBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("XonOffsetBytes",
                          "XON is sent when the shared bytes are this many bytes below the XOFF "
                          "threshold; 0: two of the largest frames of the port and its peer.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_xonOffsetBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless (port, priority), in bytes; 0: computed by "
                          "QbbPfcHeadroom from the port's rate, cable, frames and reaction time.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_headroomBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "HeadroomPool",
                "False: each lossless (port, priority) has its own headroom. True: all of them "
                "take headroom from one pool, each at most its HeadroomBytes; the pool saves "
                "memory, but frames are lost if too many need headroom at once.",
                BooleanValue(false),
                MakeAttribute<BooleanValue, &QbbSharedBuffer::m_headroomPool>(),
                MakeBooleanChecker())
            .AddAttribute("HeadroomPoolBytes",
                          "Size of the headroom pool, in bytes; 0: the sum of all headrooms "
                          "divided by HeadroomOversubscription.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_headroomPoolBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "HeadroomOversubscription",
                "Sum of all headrooms over the size of the pool, at least 1; 2 is the "
                "over_subscribe_ratio in common SONiC configurations.",
                DoubleValue(2),
                MakeAttribute<DoubleValue, &QbbSharedBuffer::m_headroomOversubscription>(),
                MakeDoubleChecker<double>(1))
            .AddAttribute("EgressMinBytes",
                          "Bytes that the egress queue of a lossy class may hold however full the "
                          "shared memory is. This is a limit; no memory is reserved for it.",
                          UintegerValue(1518),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_egressMinBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("EgressLimitBytes",
                          "Static limit of the egress queue of a lossy class, in bytes; 0: "
                          "dynamic, by EgressMinBytes and LossyEgressAlpha.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_egressLimitBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "LossyPoolBytes",
                "Part of the shared memory that lossy classes share among themselves, in bytes; "
                "lossless classes share the rest. 0: all classes share all of the memory.",
                UintegerValue(0),
                MakeAttribute<UintegerValue, &QbbSharedBuffer::m_lossyPoolBytes>(),
                MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("LossyEgressPoolBytes",
                          "Maximum bytes of all egress queues together; counts frames that are "
                          "lossy at ingress, beyond EgressMinBytes of each queue. If set, "
                          "LossyEgressAlpha multiplies the free part of this limit. 0: no limit.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbSharedBuffer::m_lossyEgressPoolBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "ClassAlphas",
                "Individual values of LosslessAlpha or LossyAlpha for single classes: "
                "CLASS:ALPHA separated by commas, as in 3:1/8,4:1/16.",
                StringValue(""),
                MakeStringAccessor(&QbbSharedBuffer::SetAlphas<&QbbSharedBuffer::m_classAlphas>,
                                   &QbbSharedBuffer::GetAlphas<&QbbSharedBuffer::m_classAlphas>),
                MakeStringChecker())
            .AddAttribute(
                "ClassEgressAlphas",
                "Individual values of LossyEgressAlpha for single classes: CLASS:ALPHA separated "
                "by commas, as in 3:1/8,4:1/16.",
                StringValue(""),
                MakeStringAccessor(
                    &QbbSharedBuffer::SetAlphas<&QbbSharedBuffer::m_classEgressAlphas>,
                    &QbbSharedBuffer::GetAlphas<&QbbSharedBuffer::m_classEgressAlphas>),
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
    const Guarantees needed = AddUp(MakeGroups(ports));
    return needed.reserved + needed.headroom + needed.pools;
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
    const auto& layout = GetLayout();
    const uint32_t ports = GetNPorts();
    // With thresholds b + alpha x free, n groups hold at most the bytes s that solve s = B + A
    // (size
    // - s), where B and A are the sums of b and alpha.
    const auto settle = [](double b, double alpha, double size) {
        return std::min(size, (b + alpha * size) / (1 + alpha));
    };
    const auto toFactor = [](uint32_t alpha) {
        return alpha / double{1U << QbbBufferLimit::ALPHA_BITS};
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
        const Group& group = GetGroup(static_cast<uint16_t>(port), priority);
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
    longest.reserve(ports);
    for (uint32_t port = 0; port < ports; ++port)
    {
        double bytes = most;
        if (limited)
        {
            const Queue& queue = GetQueue(static_cast<uint16_t>(port), priority);
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

// Division of the memory

std::vector<QbbBufferManager::Group>
QbbSharedBuffer::MakeGroups(const std::vector<QbbPortProfile>& ports) const
{
    const std::size_t planned =
        m_plan && m_plan->ports.size() != 1 ? m_plan->ports.size() : ports.size();
    RefuseRdmaIf(planned != ports.size(),
                 "QbbSharedBuffer: a buffer plan for ",
                 planned,
                 " ports; the switch has ",
                 ports.size());
    std::vector<Group> groups;
    groups.reserve(ports.size() * PRIORITIES);
    for (std::size_t port = 0; port < ports.size(); ++port)
    {
        if (!m_plan && port > 0 && ports[port] == ports[port - 1])
        {
            for (uint8_t i = 0; i < PRIORITIES; ++i)
            {
                groups.push_back(groups[groups.size() - PRIORITIES]);
            }
            continue;
        }
        // GetBytes() is called even if its result is not used, because it validates the profile.
        const uint64_t computed =
            ports[port].losslessMask ? QbbPfcHeadroom::GetBytes(ports[port]) : 0;
        for (uint8_t i = 0; i < PRIORITIES; ++i)
        {
            Group& group = groups.emplace_back(m_plan ? MakePlannedGroup(port, ports[port], i)
                                                      : MakeGroup(ports[port], i));
            if (!group.lossless)
            {
                continue;
            }
            const uint64_t headroom = GetGivenHeadroom(port, i).value_or(computed);
            RefuseRdmaIf(headroom > QBB_MAX_BUFFER_BYTES,
                         "QbbSharedBuffer: port ",
                         port,
                         " needs ",
                         headroom,
                         " bytes of headroom for each lossless priority; more than any "
                         "BufferSize. Check its rate, delay and reaction time");
            group.headroomLimit = headroom;
            group.onePerPort = ports[port].oneHeadroom && !m_plan;
        }
    }
    return groups;
}

std::optional<uint64_t>
QbbSharedBuffer::GetGivenHeadroom(std::size_t port, uint8_t number) const
{
    if (m_plan)
    {
        return m_plan->profiles[GetPortPlan(port).groups[number]].headroomBytes;
    }
    return m_headroomBytes ? std::optional<uint64_t>(m_headroomBytes) : std::nullopt;
}

QbbBufferManager::Group
QbbSharedBuffer::MakeGroup(const QbbPortProfile& profile, uint8_t priority) const
{
    const uint32_t bit = 1U << priority;
    Group group;
    group.lossless = (profile.losslessMask & bit) != 0;
    const bool used = group.lossless || (profile.usedMask & bit) != 0;
    group.reserveLimit = used ? m_reserveBytes : 0;
    const double alpha = group.lossless ? m_losslessAlpha : m_lossyAlpha;
    const uint32_t fixed = QbbBufferLimit::ToFixed(m_classAlphas.Get(priority, alpha));
    if (!group.lossless)
    {
        group.pool = m_lossyPoolBytes ? 1 : 0;
        group.limit.alpha = fixed;
        return group;
    }
    const uint64_t xoff = m_xoffBytes;
    group.limit = {xoff, xoff ? 0 : fixed};
    group.xonOffset = GetXonOffset(m_xonOffsetBytes, profile);
    RefuseRdmaIf(xoff && group.xonOffset >= xoff,
                 "QbbSharedBuffer: XON would be ",
                 group.xonOffset,
                 " bytes below an XoffBytes of ",
                 xoff,
                 "; accepted: XoffBytes above XonOffsetBytes (by default two of the "
                 "largest frames)");
    return group;
}

QbbBufferManager::Group
QbbSharedBuffer::MakePlannedGroup(std::size_t port,
                                  const QbbPortProfile& description,
                                  uint8_t number) const
{
    uint32_t classes = 0;
    uint32_t lossless = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const bool member = m_plan->groupOfClass[priority] == number;
        classes += member ? 1 : 0;
        lossless += member && (description.losslessMask >> priority & 1) ? 1 : 0;
    }
    RefuseRdmaIf(lossless > 0 && classes > 1,
                 "buffer plan: priority group ",
                 +number,
                 " has ",
                 classes,
                 " classes, and one is lossless at ",
                 "port ",
                 port,
                 "; accepted: a group for each lossless class");
    Group group;
    group.lossless = lossless > 0;
    const int16_t which = GetPortPlan(port).groups[number];
    RefuseRdmaIf(group.lossless && which == QbbPortBufferPlan::NONE,
                 "buffer plan: priority group ",
                 +number,
                 " of port ",
                 port,
                 " is lossless and has no profile");
    if (which == QbbPortBufferPlan::NONE)
    {
        return group;
    }
    const QbbBufferProfile& profile = m_plan->profiles[which];
    group.pool = profile.pool;
    group.reserveLimit = profile.reserveBytes;
    group.limit.bytes = profile.alpha ? 0 : profile.limitBytes;
    group.limit.alpha = QbbBufferLimit::ToFixed(profile.alpha.value_or(0));
    if (group.lossless)
    {
        group.xon = profile.xonBytes;
        group.xonOffset = GetXonOffset(profile.xonOffsetBytes, description);
    }
    return group;
}

QbbSharedBuffer::Guarantees
QbbSharedBuffer::AddUp(const std::vector<Group>& groups) const
{
    Guarantees sum;
    sum.headroomOfPool.resize(m_plan ? m_plan->pools.size() : 2);
    uint64_t largest = 0;
    bool portHasHeadroom = false;
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const Group& group = groups[i];
        portHasHeadroom = portHasHeadroom && i % PRIORITIES > 0;
        sum.reserved += group.reserveLimit;
        if (group.lossless && !(group.onePerPort && portHasHeadroom))
        {
            sum.headroomOfPool[group.pool] += group.headroomLimit;
            ++sum.nHeadrooms;
            portHasHeadroom = true;
        }
        largest = std::max(largest, group.headroomLimit);
        sum.nReserves += group.reserveLimit ? 1 : 0;
        sum.nLossless += group.lossless ? 1 : 0;
    }
    for (std::size_t pool = 0; m_plan && pool < m_plan->pools.size(); ++pool)
    {
        const QbbBufferPool& described = m_plan->pools[pool];
        sum.pools += described.egress ? 0 : described.bytes;
        if (described.headroomBytes > 0)
        {
            sum.headroomOfPool[pool] = described.headroomBytes;
        }
    }
    for (const uint64_t headroom : sum.headroomOfPool)
    {
        sum.headroom += headroom;
    }
    if (m_headroomPool && !m_plan)
    {
        sum.headroom = m_headroomPoolBytes
                           ? m_headroomPoolBytes
                           : static_cast<uint64_t>(std::ceil(static_cast<double>(sum.headroom) /
                                                             m_headroomOversubscription));
        sum.headroomOfPool[0] = sum.headroom;
        RefuseRdmaIf(sum.headroom < largest,
                     "QbbSharedBuffer: a headroom pool of ",
                     sum.headroom,
                     " bytes; accepted: at least ",
                     largest,
                     ", which one lossless (port, priority) alone can need");
    }
    return sum;
}

QbbBufferManager::Layout
QbbSharedBuffer::DoConfigure(const std::vector<QbbPortProfile>& ports)
{
    std::vector<Group> groups = MakeGroups(ports);
    const Guarantees needed = AddUp(groups);
    const uint64_t fixed = needed.reserved + needed.headroom;
    RefuseRdmaIf(fixed >= m_bufferSize,
                 "QbbSharedBuffer: a BufferSize of ",
                 m_bufferSize,
                 " bytes is too small for ",
                 ports.size(),
                 " ports: ",
                 needed.nReserves,
                 " reserves take ",
                 needed.reserved,
                 " bytes, headroom for ",
                 needed.nHeadrooms,
                 " lossless (port, priority) takes ",
                 needed.headroom,
                 ", together ",
                 fixed,
                 ", and something must be left to share");
    Layout layout;
    layout.memoryBytes = m_bufferSize;
    layout.groups = std::move(groups);
    const uint64_t shared = m_bufferSize - fixed;
    if (m_plan)
    {
        AddPlannedPools(layout, shared, needed);
        layout.queues = MakePlannedQueues(ports.size());
        layout.chargesQueues = LimitsQueues();
        layout.groupOfClass = m_plan->groupOfClass;
    }
    else
    {
        AddPools(layout, shared, needed);
        layout.queues = MakeQueues(ports.size(), static_cast<uint32_t>(layout.pools.size()));
        layout.chargesQueues = m_lossyEgressPoolBytes > 0;
    }
    for (auto& group : layout.groups)
    {
        // A plan that limits queues also limits the queues of lossless classes.
        group.limited = !group.lossless || (m_plan && layout.chargesQueues);
    }
    return layout;
}

void
QbbSharedBuffer::AddPools(Layout& layout, uint64_t shared, const Guarantees& needed) const
{
    const uint64_t lossy = m_lossyPoolBytes;
    RefuseRdmaIf(lossy >= shared,
                 "QbbSharedBuffer: LossyPoolBytes is ",
                 lossy,
                 ", but only ",
                 shared,
                 " bytes are shared");
    layout.pools.push_back({shared - lossy, needed.headroom, false});
    if (lossy)
    {
        layout.pools.push_back({lossy, 0, false});
    }
    if (m_lossyEgressPoolBytes)
    {
        layout.pools.push_back({m_lossyEgressPoolBytes, 0, true});
    }
    RefuseRdmaIf(needed.nLossless && m_xoffBytes > layout.pools[0].size,
                 "QbbSharedBuffer: XoffBytes is ",
                 m_xoffBytes,
                 ", but only ",
                 layout.pools[0].size,
                 " bytes are shared");
}

void
QbbSharedBuffer::AddPlannedPools(Layout& layout, uint64_t shared, const Guarantees& needed) const
{
    const uint64_t fixed = needed.reserved + needed.headroom;
    RefuseRdmaIf(needed.pools > shared,
                 "QbbSharedBuffer: the plan's ingress pools have ",
                 needed.pools,
                 " bytes, and reserves and headroom take ",
                 fixed,
                 "; accepted: a BufferSize of at least ",
                 needed.pools + fixed,
                 " (it is ",
                 m_bufferSize,
                 ")");
    for (std::size_t i = 0; i < m_plan->pools.size(); ++i)
    {
        const QbbBufferPool& pool = m_plan->pools[i];
        const uint64_t headroom = needed.headroomOfPool[i];
        layout.pools.push_back({pool.bytes, pool.egress ? 0 : headroom, pool.egress});
    }
}

bool
QbbSharedBuffer::LimitsQueues() const
{
    return std::any_of(m_plan->ports.begin(), m_plan->ports.end(), [](const auto& port) {
        return std::any_of(port.queues.begin(), port.queues.end(), [](int16_t which) {
            return which != QbbPortBufferPlan::NONE;
        });
    });
}

std::vector<QbbBufferManager::Queue>
QbbSharedBuffer::MakeQueues(std::size_t nPorts, uint32_t pools) const
{
    std::vector<Queue> queues(nPorts * PRIORITIES);
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        Queue& queue = queues[i];
        const uint8_t priority = i % PRIORITIES;
        const uint64_t limit = m_egressLimitBytes;
        const double alpha = m_classEgressAlphas.Get(priority, m_lossyEgressAlpha);
        queue.pool = pools - 1;
        queue.limit.bytes = limit ? limit : m_egressMinBytes;
        queue.limit.alpha = limit ? 0 : QbbBufferLimit::ToFixed(alpha);
        queue.reserve = m_egressMinBytes;
    }
    return queues;
}

std::vector<QbbBufferManager::Queue>
QbbSharedBuffer::MakePlannedQueues(std::size_t nPorts) const
{
    std::vector<Queue> queues(nPorts * PRIORITIES);
    const bool limited = LimitsQueues();
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        Queue& queue = queues[i];
        if (!limited)
        {
            queue.limit.bytes = QBB_MAX_BUFFER_BYTES;
            continue;
        }
        const int16_t which = GetPortPlan(i / PRIORITIES).queues[i % PRIORITIES];
        if (which != QbbPortBufferPlan::NONE)
        {
            const QbbBufferProfile& profile = m_plan->profiles[which];
            const uint64_t limit = profile.alpha ? 0 : profile.limitBytes;
            queue.pool = profile.pool;
            queue.reserve = profile.reserveBytes;
            queue.limit.bytes = std::min(limit + profile.reserveBytes, QBB_MAX_BUFFER_BYTES);
            queue.limit.alpha = QbbBufferLimit::ToFixed(profile.alpha.value_or(0));
        }
    }
    return queues;
}

// Decisions

// AdmitToGroup() and AdmitLimited() are not inlined, so that DoAdmit() saves no registers for
// frames of lossless groups.

[[gnu::noinline]] QbbBufferDecision
QbbSharedBuffer::AdmitToGroup(const Group& group, uint32_t bytes) const
{
    const auto reserved =
        static_cast<uint32_t>(std::min<uint64_t>(bytes, group.reserveLimit - group.reserved));
    const uint32_t rest = bytes - reserved;
    const uint64_t free = GetPool(group).GetFree();
    // rest <= free keeps the pool from overflowing even if alpha > 1.
    if (rest == 0 || (rest <= free && group.shared + rest <= group.limit.Get(free)))
    {
        return QbbBufferDecision::Share(reserved);
    }
    return group.lossless ? TakeHeadroom(group, bytes, reserved)
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
    return HasRoom(queue, bytes) ? AdmitToGroup(group, bytes)
                                 : QbbBufferDecision::Drop(QbbDropReason::EGRESS_LIMIT);
}

QbbBufferManager::XonNeed
QbbSharedBuffer::DoGetXonNeed(const Group& group, const Pool& pool) const
{
    // Headroom bytes move to the shared part before the threshold is checked.
    const uint64_t wanted = group.shared + group.headroom + group.xonOffset;
    const QbbBufferLimit& limit = group.limit;
    XonNeed need{NEVER};
    if (wanted <= limit.bytes)
    {
        need.freeBytes = group.headroom;
    }
    else if (limit.alpha > 0)
    {
        // The memory is small enough for these 20 bits more.
        static_assert(QBB_MAX_BUFFER_BYTES << QbbBufferLimit::ALPHA_BITS < NEVER / 8);
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
    return GetLimit(GetQueues()[GetIndex(egressPort, priority)]);
}

uint64_t
QbbSharedBuffer::GetEgressLimit() const
{
    return GetEgressLimit(0, 0);
}

} // namespace ns3
