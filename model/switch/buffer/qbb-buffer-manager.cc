/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"

#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/object-factory.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbBufferManager);

TypeId
QbbBufferManager::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbBufferManager").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

std::string
QbbBufferManager::GetName() const
{
    const std::string name = GetInstanceTypeId().GetName();
    return name.rfind("ns3::", 0) == 0 ? name.substr(5) : name;
}

void
QbbBufferManager::RefuseWhileRunning() const
{
    NS_ABORT_MSG_IF(m_running,
                    "rdma: an attribute of a " << GetInstanceTypeId().GetName()
                                               << " is set while its switch is running; accepted: "
                                                  "before the simulation starts");
}

QbbBufferManager::Layout
QbbBufferManager::MakeOnePool(const std::vector<QbbPortProfile>& ports, uint64_t bytes)
{
    Layout layout;
    layout.memoryBytes = bytes;
    layout.pools.push_back({bytes});
    layout.groups.resize(ports.size() * PRIORITIES);
    layout.queues.resize(ports.size() * PRIORITIES);
    for (uint32_t i = 0; i < layout.groups.size(); ++i)
    {
        const uint8_t mask = ports[i / PRIORITIES].losslessMask;
        layout.groups[i].lossless = (mask >> i % PRIORITIES & 1) != 0;
        layout.groups[i].limit.bytes = bytes;
        layout.queues[i].limit.bytes = bytes;
    }
    return layout;
}

void
QbbBufferManager::Configure(const std::vector<QbbPortProfile>& ports)
{
    NS_ABORT_MSG_IF(!IsEmpty(), "rdma: " << GetName() << ": configured while it holds frames");
    RefuseRdmaIf(ports.size() > std::numeric_limits<uint16_t>::max(),
                 "",
                 GetName(),
                 ": ",
                 ports.size(),
                 " ports; accepted: 0 to 65535");
    m_layout.groups = {}; // before the new ones are made, so that they take the same memory
    m_layout.queues = {};
    SetLayout(DoConfigure(ports));
    m_peakReaders.Clear();
    NS_ABORT_MSG_IF(GetNPorts() != ports.size(),
                    "rdma: " << GetName() << ": a layout for " << GetNPorts()
                             << " ports; the switch has " << ports.size());
}

std::vector<uint64_t>
QbbBufferManager::GetLongestQueues(uint8_t) const
{
    return std::vector<uint64_t>(GetNPorts(), m_layout.memoryBytes);
}

uint8_t
QbbBufferManager::GetClassesShortOfHeadroom(const std::vector<uint64_t>& needed) const
{
    const auto& groups = GetGroups();
    const auto& pools = m_layout.pools;
    std::vector<uint64_t> wanted(pools.size());
    std::vector<uint8_t> classes(pools.size());
    uint8_t lacking = 0;
    for (std::size_t port = 0; port < needed.size(); ++port)
    {
        bool isCounted = false;
        for (std::size_t i = port * PRIORITIES; i < (port + 1) * PRIORITIES; ++i)
        {
            const Group& group = groups[i];
            if (!group.lossless)
            {
                continue;
            }
            const auto bit = static_cast<uint8_t>(1U << group.priority);
            lacking |= group.headroomLimit < needed[port] ? bit : 0;
            classes[group.pool] |= bit;
            wanted[group.pool] += group.onePerPort && isCounted ? 0 : needed[port];
            isCounted = true;
        }
    }
    for (std::size_t pool = 0; pool < pools.size(); ++pool)
    {
        lacking |= pools[pool].headroomSize < wanted[pool] ? classes[pool] : 0;
    }
    return lacking;
}

void
QbbBufferManager::DoRelease(const Group&, const Queue&, uint32_t)
{
    m_callsDoRelease = false;
}

QbbBufferManager::XonNeed
QbbBufferManager::DoGetXonNeed(const Group&, const Pool&) const
{
    return {};
}

QbbAdmission
QbbBufferManager::Refuse(Group& group, QbbBufferDecision decision)
{
    QbbAdmission answer;
    answer.reason = decision.reason;
    if (decision.place == QbbBufferDecision::PUSH_OUT)
    {
        // Admit() decides about a pause when it is called again after the push-out.
        NS_ABORT_MSG_IF(decision.value >= GetQueues().size(),
                        "rdma: " << GetName() << ": a frame of queue " << decision.value
                                 << " is to be pushed out; accepted: below " << GetQueues().size());
        answer.pushOut = true;
        answer.victimPort = static_cast<uint16_t>(decision.value / PRIORITIES);
        answer.victimPriority = static_cast<uint8_t>(decision.value % PRIORITIES);
        return answer;
    }
    answer.xoff = decision.pause && PauseOnce(group);
    return answer;
}

bool
QbbBufferManager::PauseOnce(Group& group)
{
    Pool& pool = PoolOf(group);
    // A pause would never end if no byte were left to release.
    if (group.paused || (group.GetBytes() == 0 && pool.used == 0 && pool.headroomUsed == 0))
    {
        return false;
    }
    Pause(group);
    RecordXonNeed(group, pool);
    return true;
}

QbbBufferManager::XonNeed
QbbBufferManager::GetXonNeed(const Group& group, const Pool& pool) const
{
    XonNeed need = DoGetXonNeed(group, pool);
    // On XON, the group's headroom bytes move to the shared part, which must have room for them.
    need.freeBytes = std::max(need.freeBytes, group.headroom);
    return need;
}

void
QbbBufferManager::RecordXonNeed(const Group& group, Pool& pool) const
{
    // A release of headroom does not change the free bytes of the shared part, so a group that
    // waits for headroom is checked at every release.
    const XonNeed need = GetXonNeed(group, pool);
    pool.freeForXon = std::min(pool.freeForXon, need.waitsForHeadroom ? 0 : need.freeBytes);
}

bool
QbbBufferManager::FinishRelease(const Group& group, const Queue& queue, Pool& pool, uint32_t bytes)
{
    if (m_callsDoRelease)
    {
        DoRelease(group, queue, bytes);
    }
    return !pool.paused.empty() && ResumeGroups(group, pool);
}

bool
QbbBufferManager::ResumeGroups(const Group& released, Pool& pool)
{
    if (released.paused)
    {
        RecordXonNeed(released, pool);
    }
    if (pool.GetFree() < pool.freeForXon)
    {
        return false;
    }
    std::size_t left = 0;
    for (const uint32_t index : pool.paused)
    {
        Group& group = m_layout.groups[index];
        if (GetXonNeed(group, pool).freeBytes > pool.GetFree())
        {
            pool.paused[left++] = index;
            continue;
        }
        Resume(group);
        m_resumed.Push({static_cast<uint16_t>(index / PRIORITIES), group.priority});
    }
    const bool any = left < pool.paused.size();
    pool.paused.resize(left);
    // Resumed groups have changed the free bytes.
    pool.freeForXon = NEVER;
    for (const uint32_t index : pool.paused)
    {
        RecordXonNeed(m_layout.groups[index], pool);
    }
    return any;
}

void
QbbBufferManager::RefuseRelease(const Group& group,
                                const Queue& queue,
                                uint8_t priority,
                                uint32_t bytes) const
{
    NS_ABORT_MSG("rdma: " << GetName() << ": " << bytes << " bytes of priority " << +priority
                          << " released from port " << GetIndex(group) / PRIORITIES << " to port "
                          << GetIndex(queue) / PRIORITIES << ", but the one holds "
                          << group.GetBytes() << " and the other " << queue.bytes);
}

uint32_t
QbbBufferManager::GetIndex(uint16_t port, uint8_t priority) const
{
    NS_ABORT_MSG_IF(port >= GetNPorts() || priority >= PRIORITIES,
                    "rdma: " << GetName() << ": port " << port << ", priority " << +priority
                             << "; accepted: ports below " << GetNPorts() << ", priorities 0 to 7");
    return port * PRIORITIES + priority;
}

bool
QbbBufferManager::IsPaused(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t index = GetGroupOfClass(GetIndex(ingressPort, priority));
    return GetGroups()[index].paused;
}

QbbIngressUsage
QbbBufferManager::GetIngress(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t index = GetIndex(ingressPort, priority);
    QbbIngressUsage usage = GetUsage(GetGroups()[index]);
    const auto raise = [this](uint64_t& peak, std::size_t counter) {
        peak = std::max(peak, m_peakReaders.GetPassed(counter));
    };
    raise(usage.peakBytes, 2 * std::size_t{index});
    raise(usage.peakHeadroomBytes, 2 * std::size_t{index} + 1);
    return usage;
}

QbbIngressUsage
QbbBufferManager::GetIngressOfClass(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t index = GetGroupOfClass(GetIndex(ingressPort, priority));
    return GetIngress(ingressPort, index % PRIORITIES);
}

RdmaPeakReaders::Reader
QbbBufferManager::AddPeakReader()
{
    const auto peaks = TakePeaks();
    return m_peakReaders.Add(peaks, GetBytesByGroup());
}

std::vector<QbbIngressPeaks>
QbbBufferManager::ReadPeaks(const RdmaPeakReaders::Reader& reader)
{
    const auto taken = TakePeaks();
    const auto values = m_peakReaders.Read(reader, taken, GetBytesByGroup());
    std::vector<QbbIngressPeaks> peaks(values.size() / 2);
    for (std::size_t i = 0; i < peaks.size(); ++i)
    {
        peaks[i] = {values[2 * i], values[2 * i + 1]};
    }
    return peaks;
}

QbbIngressTerms
QbbBufferManager::GetTerms(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t index = GetGroupOfClass(GetIndex(ingressPort, priority));
    const Group& group = GetGroups()[index];
    const Pool& pool = GetPool(group);
    return {group.lossless,
            group.reserveLimit,
            group.limit.bytes,
            static_cast<double>(group.limit.alpha) / (1U << QbbBufferLimit::ALPHA_BITS),
            pool.size,
            group.headroomLimit,
            pool.headroomSize};
}

Ptr<QbbBufferManager>
QbbBufferManager::Copy() const
{
    const TypeId type = GetInstanceTypeId();
    if (!type.HasConstructor())
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(type);
    const auto copy = factory.Create<QbbBufferManager>();
    for (TypeId owner = type; owner != Object::GetTypeId(); owner = owner.GetParent())
    {
        for (std::size_t i = 0; i < owner.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation info = owner.GetAttribute(i);
            const Ptr<AttributeValue> value = info.checker->Create();
            if (info.accessor->HasGetter() && info.accessor->HasSetter() &&
                info.accessor->Get(this, *value))
            {
                info.accessor->Set(PeekPointer(copy), *value);
            }
        }
    }
    return copy;
}

uint64_t
QbbBufferManager::GetEgressBytes(uint16_t egressPort, uint8_t priority) const
{
    return GetQueues()[GetIndex(egressPort, priority)].bytes;
}

bool
QbbBufferManager::MayResume(uint16_t ingressPort,
                            uint8_t priority,
                            const std::vector<uint64_t>& stuckBytes) const
{
    const auto& groups = GetGroups();
    std::vector<uint64_t> stuck(groups.size());
    for (uint32_t i = 0; i < stuckBytes.size(); ++i)
    {
        stuck[GetGroupOfClass(i)] += stuckBytes[i];
    }
    const uint32_t index = GetGroupOfClass(GetIndex(ingressPort, priority));
    // Stuck bytes count as reserve first, then as shared, then as headroom, because Release() works
    // in the opposite order. Rounded up to cells, they may take more memory. Bytes of other groups
    // stay where they are, which leaves the most memory free.
    Group group = groups[index];
    Pool pool = GetPool(group);
    pool.used = 0;
    pool.headroomUsed = 0;
    bool leaves = false;
    for (uint32_t i = 0; i < groups.size(); ++i)
    {
        Group other = groups[i];
        if (other.pool != group.pool)
        {
            continue;
        }
        leaves = leaves || stuck[i] < other.GetBytes();
        const uint64_t bytes = std::min(stuck[i], other.GetBytes());
        other.reserved = std::min(bytes, other.reserved);
        other.shared = std::min(bytes - other.reserved, other.shared);
        other.headroom = bytes - other.reserved - other.shared;
        pool.used += other.shared;
        pool.headroomUsed += other.headroom;
        if (i == index)
        {
            group = other;
        }
    }
    return leaves && GetXonNeed(group, pool).freeBytes <= pool.GetFree();
}

// The accounts

void
QbbBufferManager::SetLayout(Layout layout)
{
    m_layout = std::move(layout);
    m_used = 0;
    m_peakUsed = 0;
    m_headroomUsed = 0;
    m_peakHeadroomUsed = 0;
    auto& groups = m_layout.groups;
    NS_ABORT_MSG_IF(groups.size() % PRIORITIES != 0 || groups.size() != m_layout.queues.size(),
                    "rdma: buffer layout: " << groups.size() << " groups and "
                                            << m_layout.queues.size()
                                            << " queues; accepted: eight of both for each port");
    uint64_t sum = 0;
    for (const Group& group : groups)
    {
        NS_ABORT_MSG_IF(group.pool >= m_layout.pools.size(),
                        "rdma: buffer layout: a group of pool " << group.pool
                                                                << ", which does not exist");
        sum += group.reserveLimit;
    }
    for (const Queue& queue : m_layout.queues)
    {
        NS_ABORT_MSG_IF(queue.pool >= m_layout.pools.size(),
                        "rdma: buffer layout: a queue of pool " << queue.pool
                                                                << ", which does not exist");
    }
    for (Pool& pool : m_layout.pools)
    {
        sum += pool.egress ? 0 : pool.size + pool.headroomSize;
    }
    NS_ABORT_MSG_IF(sum > m_layout.memoryBytes,
                    "rdma: buffer layout: pools, reserves and headroom of "
                        << sum << " bytes in a memory of " << m_layout.memoryBytes);
    std::vector<std::size_t> lossless(m_layout.pools.size());
    for (uint32_t i = 0; i < groups.size(); ++i)
    {
        lossless[groups[i].pool] += groups[i].lossless ? 1 : 0;
        groups[GetGroupOfClass(i)].priority = i % PRIORITIES;
    }
    for (std::size_t i = 0; i < lossless.size(); ++i)
    {
        m_layout.pools[i].paused.reserve(lossless[i]);
    }
}

bool
QbbBufferManager::HasRoom(const Queue& queue, uint32_t bytes) const
{
    if (queue.bytes + bytes > GetLimit(queue))
    {
        return false;
    }
    // The queue limits may add up to more than their pool.
    Queue grown = queue;
    grown.limited += bytes;
    return !m_layout.chargesQueues ||
           grown.GetShared() - queue.GetShared() <= m_layout.pools[queue.pool].GetFree();
}

uint64_t
QbbBufferManager::GetHeadroomInUse(const Group& group) const
{
    if (!group.onePerPort)
    {
        return group.headroom;
    }
    uint64_t sum = 0;
    const uint32_t first = GetIndex(group) / PRIORITIES * PRIORITIES;
    for (uint32_t i = first; i < first + PRIORITIES; ++i)
    {
        sum += m_layout.groups[i].headroom;
    }
    return sum;
}

QbbBufferDecision
QbbBufferManager::TakeHeadroom(const Group& group, uint32_t bytes, uint32_t reservedBytes) const
{
    const Pool& pool = GetPool(group);
    const uint32_t rest = bytes - reservedBytes;
    QbbBufferDecision decision = QbbBufferDecision::Drop(QbbDropReason::HEADROOM_FULL);
    decision.pause = true;
    if (rest <= group.headroomLimit - GetHeadroomInUse(group) &&
        rest <= pool.headroomSize - pool.headroomUsed)
    {
        decision.place = QbbBufferDecision::HEADROOM;
        decision.value = reservedBytes;
    }
    return decision;
}

void
QbbBufferManager::ChargeHeadroom(Group& group, Pool& pool, uint32_t bytes)
{
    group.headroom += bytes;
    pool.headroomUsed += bytes;
    m_headroomUsed += bytes;
    if (GetHeadroomInUse(group) > group.headroomLimit || pool.headroomUsed > pool.headroomSize)
    {
        RefuseOverdraft(group);
    }
    group.peakHeadroom = std::max(group.peakHeadroom, group.headroom);
    m_peakHeadroomUsed = std::max(m_peakHeadroomUsed, m_headroomUsed);
}

void
QbbBufferManager::RefuseOverdraft(const Group& group) const
{
    const Pool& pool = GetPool(group);
    NS_ABORT_MSG("rdma: the buffer policy admits more than there is: port "
                 << GetIndex(group) / PRIORITIES << ", group " << GetIndex(group) % PRIORITIES
                 << ": reserve " << group.reserved << " of " << group.reserveLimit << ", headroom "
                 << GetHeadroomInUse(group) << " of " << group.headroomLimit
                 << "; its pool: shared " << pool.used << " of " << pool.size << ", headroom "
                 << pool.headroomUsed << " of " << pool.headroomSize);
}

void
QbbBufferManager::ChargeEgressPool(Queue& queue, uint64_t change)
{
    const uint64_t before = queue.GetShared();
    queue.limited += change;
    // The difference is modulo 2^64, so that the pool may shrink.
    m_layout.pools[queue.pool].used += queue.GetShared() - before;
}

void
QbbBufferManager::Pause(Group& group)
{
    group.paused = true;
    const uint32_t index = GetIndex(group);
    auto& paused = PoolOf(group).paused;
    const auto place = m_layout.resumesByClass
                           ? std::upper_bound(paused.begin(), paused.end(), index)
                           : paused.end();
    paused.insert(place, index);
}

void
QbbBufferManager::Resume(Group& group)
{
    Pool& pool = PoolOf(group);
    pool.used += group.headroom;
    pool.headroomUsed -= group.headroom;
    m_headroomUsed -= group.headroom;
    group.shared += group.headroom;
    group.headroom = 0;
    group.paused = false;
    if (pool.used > pool.size)
    {
        RefuseOverdraft(group);
    }
}

QbbBufferUsage
QbbBufferManager::GetUsage() const
{
    QbbBufferUsage usage;
    usage.sizeBytes = m_layout.memoryBytes;
    usage.usedBytes = m_used;
    usage.peakUsedBytes = m_peakUsed;
    usage.headroomBytes = m_headroomUsed;
    usage.peakHeadroomBytes = m_peakHeadroomUsed;
    for (const Pool& pool : m_layout.pools)
    {
        if (!pool.egress)
        {
            usage.sharedSize += pool.size;
            usage.sharedBytes += pool.used;
            usage.headroomSize += pool.headroomSize;
        }
    }
    for (const Group& group : m_layout.groups)
    {
        usage.reservedSize += group.reserveLimit;
        usage.reservedBytes += group.reserved;
    }
    return usage;
}

QbbIngressUsage
QbbBufferManager::GetUsage(const Group& group) const
{
    QbbIngressUsage usage;
    usage.bytes = group.GetBytes();
    usage.reservedBytes = group.reserved;
    usage.sharedBytes = group.shared;
    usage.headroomBytes = group.headroom;
    usage.headroomLimit = group.headroomLimit;
    usage.threshold = group.limit.Get(GetPool(group).GetFree());
    usage.peakBytes = group.peak;
    usage.peakHeadroomBytes = group.peakHeadroom;
    usage.paused = group.paused;
    return usage;
}

bool
QbbBufferManager::IsEmpty() const
{
    const bool noGroup =
        std::all_of(m_layout.groups.begin(), m_layout.groups.end(), [](const Group& group) {
            return group.GetBytes() == 0 && !group.paused;
        });
    const bool noQueue = std::all_of(m_layout.queues.begin(),
                                     m_layout.queues.end(),
                                     [](const Queue& queue) { return queue.bytes == 0; });
    const bool noPool =
        std::all_of(m_layout.pools.begin(), m_layout.pools.end(), [](const Pool& pool) {
            return pool.used == 0 && pool.headroomUsed == 0;
        });
    return noGroup && noQueue && noPool && m_used == 0 && m_headroomUsed == 0;
}

std::vector<uint64_t>
QbbBufferManager::TakePeaks()
{
    std::vector<uint64_t> peaks;
    peaks.reserve(2 * m_layout.groups.size());
    for (Group& group : m_layout.groups)
    {
        peaks.push_back(std::exchange(group.peak, group.GetBytes()));
        peaks.push_back(std::exchange(group.peakHeadroom, group.headroom));
    }
    return peaks;
}

std::vector<uint64_t>
QbbBufferManager::GetBytesByGroup() const
{
    std::vector<uint64_t> bytes;
    bytes.reserve(2 * m_layout.groups.size());
    for (const Group& group : m_layout.groups)
    {
        bytes.push_back(group.GetBytes());
        bytes.push_back(group.headroom);
    }
    return bytes;
}

} // namespace ns3
