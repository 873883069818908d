/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-detector.h"

#include "qbb-deadlock-search.h"
#include "qbb-time.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
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
            m_links.push_back({PeekPointer(port), s, to->second, false});
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
        m_timer.ArmNoLater(QbbNow() + QbbToPs(m_period));
    });
}

void
QbbDeadlockDetector::OnTimer()
{
    // A requested pause may not have taken effect yet.
    const auto isOver = [this](uint32_t link) {
        const QbbPort& port = *m_links[link].port;
        m_links[link].active = port.GetFlowControl().GetPauseReceiver().GetPaused() ||
                               port.GetPeer()->GetFlowControl().GetPauseSender().GetWanted();
        return !m_links[link].active;
    };
    m_active.erase(std::remove_if(m_active.begin(), m_active.end(), isOver), m_active.end());
    const std::optional<QbbDeadlock> found = Find();
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
    QbbPort* peer = port.GetPeer();
    if (!peer || !(port.GetFlowControl().GetPauseReceiver().GetPaused() & (1U << priority)))
    {
        return false;
    }
    const bool all = port.GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
    for (uint8_t p = all ? 0 : priority; p <= (all ? 7 : priority); ++p)
    {
        const QbbBufferPoint point{peer->GetNodeId(), peer->GetPortNumber(), p};
        if (std::binary_search(deadlock.stuck.begin(), deadlock.stuck.end(), point))
        {
            return true;
        }
    }
    return false;
}

std::optional<QbbDeadlock>
QbbDeadlockDetector::Find() const
{
    if (m_active.empty())
    {
        return std::nullopt;
    }
    QbbDeadlockSearch search(m_switches);
    for (const uint32_t link : m_active)
    {
        search.AddLink(*m_links[link].port, m_links[link].from, m_links[link].to);
    }
    return search.Run();
}

} // namespace ns3
