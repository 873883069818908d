/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-manager.h"

#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/object-factory.h>

#include <algorithm>
#include <limits>

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
    m_books = QbbBufferBooks(DoConfigure(ports));
    m_peakReaders.Clear();
    NS_ABORT_MSG_IF(GetNPorts() != ports.size(),
                    "rdma: " << GetName() << ": a layout for " << GetNPorts()
                             << " ports; the switch has " << ports.size());
}

std::vector<uint64_t>
QbbBufferManager::GetLongestQueues(uint8_t) const
{
    return std::vector<uint64_t>(GetNPorts(), m_books.GetLayout().memoryBytes);
}

uint8_t
QbbBufferManager::GetClassesShortOfHeadroom(const std::vector<uint64_t>& needed) const
{
    const auto& groups = m_books.GetGroups();
    const auto& pools = m_books.GetLayout().pools;
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
    m_hearsReleases = false;
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
        NS_ABORT_MSG_IF(decision.value >= m_books.GetQueues().size(),
                        "rdma: " << GetName() << ": a frame of queue " << decision.value
                                 << " is to be pushed out; accepted: below "
                                 << m_books.GetQueues().size());
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
    Pool& pool = m_books.GetPool(group);
    // A pause would never end if no byte were left to release.
    if (group.paused || (group.GetBytes() == 0 && pool.used == 0 && pool.headroomUsed == 0))
    {
        return false;
    }
    m_books.Pause(group);
    NoteNeed(group, pool);
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
QbbBufferManager::NoteNeed(const Group& group, Pool& pool) const
{
    // A release of headroom does not change the free bytes of the shared part, so a group that
    // waits for headroom is checked at every release.
    const XonNeed need = GetXonNeed(group, pool);
    pool.lookFree = std::min(pool.lookFree, need.waitsForHeadroom ? 0 : need.freeBytes);
}

bool
QbbBufferManager::HearRelease(const Group& group, const Queue& queue, Pool& pool, uint32_t bytes)
{
    if (m_hearsReleases)
    {
        DoRelease(group, queue, bytes);
    }
    return !pool.paused.empty() && ResumeThoseThatMay(group, pool);
}

bool
QbbBufferManager::ResumeThoseThatMay(const Group& released, Pool& pool)
{
    if (released.paused)
    {
        NoteNeed(released, pool);
    }
    if (pool.GetFree() < pool.lookFree)
    {
        return false;
    }
    std::size_t left = 0;
    for (const uint32_t index : pool.paused)
    {
        Group& group = m_books.GetGroup(index);
        if (GetXonNeed(group, pool).freeBytes > pool.GetFree())
        {
            pool.paused[left++] = index;
            continue;
        }
        m_books.Resume(group);
        m_resumed.Push({static_cast<uint16_t>(index / PRIORITIES), group.priority});
    }
    const bool any = left < pool.paused.size();
    pool.paused.resize(left);
    // Resumed groups have changed the free bytes.
    pool.lookFree = QbbBufferBooks::NEVER;
    for (const uint32_t index : pool.paused)
    {
        NoteNeed(m_books.GetGroup(index), pool);
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
                          << " released from port " << m_books.GetIndex(group) / PRIORITIES
                          << " to port " << m_books.GetIndex(queue) / PRIORITIES
                          << ", but the one holds " << group.GetBytes() << " and the other "
                          << queue.bytes);
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
    const uint32_t index = m_books.GetGroupOfClass(GetIndex(ingressPort, priority));
    return m_books.GetGroups()[index].paused;
}

QbbIngressUsage
QbbBufferManager::GetIngress(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t index = GetIndex(ingressPort, priority);
    QbbIngressUsage usage = m_books.GetUsage(m_books.GetGroups()[index]);
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
    const uint32_t index = m_books.GetGroupOfClass(GetIndex(ingressPort, priority));
    return GetIngress(ingressPort, index % PRIORITIES);
}

QbbPeakReaders::Reader
QbbBufferManager::AddPeakReader()
{
    const auto peaks = m_books.TakePeaks();
    return m_peakReaders.Add(peaks, m_books.GetBytesByGroup());
}

std::vector<QbbIngressPeaks>
QbbBufferManager::ReadPeaks(const QbbPeakReaders::Reader& reader)
{
    const auto taken = m_books.TakePeaks();
    const auto values = m_peakReaders.Read(reader, taken, m_books.GetBytesByGroup());
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
    const uint32_t index = m_books.GetGroupOfClass(GetIndex(ingressPort, priority));
    const Group& group = m_books.GetGroups()[index];
    const Pool& pool = m_books.GetPool(group);
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
    return m_books.GetQueues()[GetIndex(egressPort, priority)].bytes;
}

bool
QbbBufferManager::MayResume(uint16_t ingressPort,
                            uint8_t priority,
                            const std::vector<uint64_t>& stuckBytes) const
{
    const auto& groups = m_books.GetGroups();
    std::vector<uint64_t> stuck(groups.size());
    for (uint32_t i = 0; i < stuckBytes.size(); ++i)
    {
        stuck[m_books.GetGroupOfClass(i)] += stuckBytes[i];
    }
    const uint32_t index = m_books.GetGroupOfClass(GetIndex(ingressPort, priority));
    // Stuck bytes count as reserve first, then as shared, then as headroom, because Release() works
    // in the opposite order. Rounded up to cells, they may take more memory. Bytes of other groups
    // stay where they are, which leaves the most memory free.
    Group group = groups[index];
    Pool pool = m_books.GetPool(group);
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

} // namespace ns3
