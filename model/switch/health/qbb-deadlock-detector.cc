/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-detector.h"

#include "qbb-time.h"
#include "rdma-rank-text.h"
#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbDeadlockDetector");

NS_OBJECT_ENSURE_REGISTERED(QbbDeadlockDetector);

TypeId
QbbDeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbDeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbDeadlockDetector>()
            .AddAttribute(
                "Period",
                "Time between two searches for a deadlock while switches pause each other.",
                TimeValue(MicroSeconds(100)),
                MakeTimeAccessor(&QbbDeadlockDetector::m_period),
                QbbMakePositiveTimeChecker())
            .AddTraceSource("Deadlock",
                            "A deadlock was found: buffers wait for each other forever. Fires once "
                            "per deadlock.",
                            MakeTraceSourceAccessor(&QbbDeadlockDetector::m_found),
                            "ns3::QbbDeadlockDetector::DeadlockCallback")
            .AddTraceSource("DeadlockEnded",
                            "A deadlock has ended, because a watchdog acted or a link failed.",
                            MakeTraceSourceAccessor(&QbbDeadlockDetector::m_ended),
                            "ns3::QbbDeadlockDetector::DeadlockCallback");
    return tid;
}

QbbDeadlockDetector::QbbDeadlockDetector()
    : m_self(std::make_shared<QbbDeadlockDetector*>(this)),
      m_timer(this)
{
    NS_LOG_FUNCTION(this);
}

QbbDeadlockDetector::~QbbDeadlockDetector()
{
    NS_LOG_FUNCTION(this);
}

void
QbbDeadlockDetector::DoDispose()
{
    m_timer.Disarm();
    m_self.reset();
    m_active.clear();
    m_links.clear();
    m_switches.clear();
    Object::DoDispose();
}

void
QbbDeadlockDetector::Watch(const std::vector<Ptr<QbbSwitch>>& switches)
{
    NS_LOG_FUNCTION(this << switches.size());
    NS_ABORT_MSG_IF(!m_switches.empty(), "rdma: a QbbDeadlockDetector watches already");
    m_alarms = RdmaRankAlarms::Get();
    NS_ABORT_MSG_IF(RdmaRanks::AreSeveral() && !m_alarms,
                    "rdma: a search for deadlocks on ranks of another simulator; accepted: with "
                    "ns3::RdmaSimulatorImpl");
    if (m_alarms)
    {
        m_alarm = m_alarms->Add([self = std::weak_ptr(m_self)](QbbPs at) {
            if (const auto detector = self.lock())
            {
                (*detector)->m_timer.ArmNoLater(at);
            }
        });
    }
    m_switches = switches;
    std::unordered_map<const Node*, uint32_t> index;
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        index[PeekPointer(switches[s]->GetObject<Node>())] = s;
    }
    for (uint32_t s = 0; s < switches.size(); ++s)
    {
        for (uint32_t p = 0; p < switches[s]->GetNPorts(); ++p)
        {
            const Ptr<QbbNetDevice> port = switches[s]->GetPort(p);
            QbbPort* peer = port->GetPeer();
            const auto to =
                peer ? index.find(PeekPointer(peer->GetDevice()->GetNode())) : index.end();
            if (to == index.end())
            {
                continue;
            }
            const auto link = static_cast<uint32_t>(m_links.size());
            m_links.push_back({PeekPointer(port),
                               s,
                               to->second,
                               RdmaRanks::IsLocal(*port->GetNode()),
                               RdmaRanks::IsLocal(*peer->GetDevice()->GetNode()),
                               false});
            port->AddPauseWatcher(false,
                                  [self = std::weak_ptr(m_self), link](uint8_t, uint16_t quanta) {
                                      const auto detector = self.lock();
                                      if (quanta && detector)
                                      {
                                          (*detector)->OnPause(link);
                                      }
                                  });
        }
    }
}

void
QbbDeadlockDetector::OnPause(uint32_t link)
{
    if (m_links[link].active)
    {
        return;
    }
    m_links[link].active = true;
    QbbDefer([this, link] {
        m_active.push_back(link);
        SearchAt(QbbNow() + QbbToPs(m_period));
    });
}

void
QbbDeadlockDetector::SearchAt(QbbPs at)
{
    // Any armed timer expires within a period.
    if (m_alarms && !m_timer.IsArmed())
    {
        m_alarms->Request(m_alarm, at);
    }
    m_timer.ArmNoLater(at);
}

std::vector<QbbPausedLink>
QbbDeadlockDetector::GetPausedLinks() const
{
    // A rank does not know which links of other ranks are active.
    std::vector<uint32_t> candidates = m_active;
    if (m_alarms)
    {
        candidates.resize(m_links.size());
        std::iota(candidates.begin(), candidates.end(), 0);
    }
    std::vector<QbbPausedLink> own;
    for (const uint32_t l : candidates)
    {
        const Link& link = m_links[l];
        QbbPausedLink paused;
        paused.link = l;
        if (link.active && link.isSenderLocal)
        {
            paused.isActive = true;
            paused.paused = link.port->GetFlowControl().GetPauseReceiver().GetPaused();
        }
        if (link.isReceiverLocal)
        {
            const QbbPort& receiver = *link.port->GetPeer();
            paused.wanted = receiver.GetFlowControl().GetPauseSender().GetWanted();
            const auto& manager = *m_switches[link.to]->GetBufferManager();
            for (uint8_t p = 0; p < 8; ++p)
            {
                paused.buffers |= manager.IsPaused(receiver.GetPortNumber(), p) << p;
            }
        }
        if (paused.isActive || paused.wanted || paused.buffers)
        {
            own.push_back(paused);
        }
    }
    std::map<uint32_t, QbbPausedLink> links;
    for (const QbbPausedLink& part : ShareRdmaValues(own))
    {
        QbbPausedLink& link = links[part.link];
        link.link = part.link;
        link.paused |= part.paused;
        link.wanted |= part.wanted;
        link.buffers |= part.buffers;
        link.isActive |= part.isActive;
    }
    std::vector<QbbPausedLink> active;
    for (const auto& [number, link] : links)
    {
        if (link.isActive)
        {
            active.push_back(link);
        }
    }
    return active;
}

void
QbbDeadlockDetector::OnTimer()
{
    std::vector<QbbPausedLink> links = GetPausedLinks();
    m_active.clear();
    for (const QbbPausedLink& link : links)
    {
        // The pause frame of a requested pause may still be on the cable.
        m_links[link.link].active = link.paused || link.wanted;
        if (m_links[link.link].active)
        {
            m_active.push_back(link.link);
        }
    }
    const std::optional<QbbDeadlock> found = Search(links);
    if (found && !m_deadlock)
    {
        ++m_count;
        m_deadlock = found;
        m_found(*m_deadlock);
    }
    else if (!found && m_deadlock)
    {
        const QbbDeadlock ended = *m_deadlock;
        m_deadlock.reset();
        m_ended(ended);
    }
    if (!m_active.empty())
    {
        m_timer.ArmNoLater(QbbNow() + QbbToPs(m_period));
    }
}

bool
QbbDeadlockDetector::IsBlocked(const QbbDeadlock& deadlock, const QbbPort& port, uint8_t priority)
{
    return std::binary_search(deadlock.blocked.begin(),
                              deadlock.blocked.end(),
                              QbbBufferPoint{port.GetNodeId(), port.GetPortNumber(), priority});
}

std::optional<QbbDeadlock>
QbbDeadlockDetector::Find() const
{
    return Search(GetPausedLinks());
}

std::optional<QbbDeadlock>
QbbDeadlockDetector::Search(const std::vector<QbbPausedLink>& paused) const
{
    if (paused.empty())
    {
        return std::nullopt;
    }
    QbbDeadlockSearch search(m_switches);
    for (const QbbPausedLink& pauses : paused)
    {
        const Link& link = m_links[pauses.link];
        search.AddLink(*link.port, link.from, link.to, pauses);
    }
    return search.Run();
}

} // namespace ns3
