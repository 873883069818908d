/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-detector.h"

#include "qbb-dependency-graph.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <map>
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
            .AddAttribute("Period",
                          "Time from one look to the next while switches pause each other.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&QbbDeadlockDetector::m_period),
                          MakeTimeChecker(PicoSeconds(1)))
            .AddTraceSource("Deadlock",
                            "Buffers wait for each other for ever. Once for each deadlock.",
                            MakeTraceSourceAccessor(&QbbDeadlockDetector::m_found),
                            "ns3::QbbDeadlockDetector::DeadlockCallback")
            .AddTraceSource("DeadlockEnded",
                            "A deadlock is over, by force of a watchdog or a link that failed.",
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
            port->TraceConnectWithoutContext(
                "PfcReceived",
                Callback<void, uint8_t, uint16_t>(
                    [self = std::weak_ptr(m_self), link](uint8_t, uint16_t quanta) {
                        const auto detector = self.lock();
                        if (quanta && detector)
                        {
                            (*detector)->OnPause(link);
                        }
                    }));
        }
    }
}

void
QbbDeadlockDetector::OnPause(uint32_t link)
{
    if (!m_links[link].active)
    {
        m_links[link].active = true;
        m_active.push_back(link);
        m_timer.ArmNoLater(QbbNowPs() + QbbToPs(m_period));
    }
}

void
QbbDeadlockDetector::OnTimer()
{
    // A pause that was asked for may not have taken effect yet.
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
        m_timer.ArmNoLater(QbbNowPs() + QbbToPs(m_period));
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

/** One look. */
class QbbDeadlockDetector::Search
{
  public:
    /** \param detector whose switches to look at */
    explicit Search(const QbbDeadlockDetector& detector)
        : m_detector(detector)
    {
        for (const uint32_t link : detector.m_active)
        {
            AddBuffers(link);
        }
        DropThoseWithAWayOut();
        if (m_alive > 0)
        {
            ReadQueues();
            while (DropThoseThatMayResume())
            {
            }
        }
    }

    /** \return the deadlock, if there is one */
    std::optional<QbbDeadlock> GetResult() const
    {
        if (m_alive == 0)
        {
            return std::nullopt;
        }
        QbbDeadlock deadlock;
        deadlock.atPs = QbbNowPs();
        deadlock.cycle = FindCycle(false);
        if (deadlock.cycle.empty())
        {
            // Classes that share a priority group wait for each other's frames.
            deadlock.cycle = FindCycle(true);
        }
        AddStuck(deadlock.stuck);
        return deadlock;
    }

  private:
    /** A buffer that has paused the switch before it. */
    struct Buffer
    {
        uint32_t from;    //!< index of the switch that is paused
        uint32_t sw;      //!< index of its switch
        uint16_t port;    //!< its port
        uint8_t priority; //!< its class
        uint8_t blocks;   //!< classes that are paused by it, one bit each
        bool alive;       //!< nothing is known yet that ends the pause
    };

    /** A class of an egress port that is paused by buffers. */
    struct Egress
    {
        uint32_t sw;                    //!< index of its switch
        uint16_t port;                  //!< its port
        uint8_t priority;               //!< the class
        std::vector<uint32_t> blockers; //!< indices of the buffers; one, or up to 8 with PAUSE
        std::vector<std::pair<uint16_t, uint64_t>> waiting; //!< bytes by ingress port
    };

    /** \param sw index of a switch \return its node's id */
    uint32_t GetNode(uint32_t sw) const
    {
        return m_detector.m_switches[sw]->GetPort(0)->GetNodeId();
    }

    QbbBufferPoint GetPoint(uint32_t b) const
    {
        return {GetNode(m_buffers[b].sw), m_buffers[b].port, m_buffers[b].priority};
    }

    /**
     * \param acrossClasses true: what is stuck at an ingress port holds all its classes
     * \return a cycle of buffers, each with frames that wait for the next
     */
    std::vector<QbbBufferPoint> FindCycle(bool acrossClasses) const
    {
        std::map<QbbBufferPoint, std::vector<uint32_t>> waits; // by node, ingress port and class
        const auto getKey = [acrossClasses](uint32_t node, uint16_t port, uint8_t priority) {
            return QbbBufferPoint{node, port, acrossClasses ? uint8_t{0} : priority};
        };
        for (uint32_t b = 0; b < m_buffers.size(); ++b)
        {
            if (m_buffers[b].alive)
            {
                const QbbBufferPoint point = GetPoint(b);
                waits[getKey(point.node, point.port, point.priority)].push_back(b);
            }
        }
        QbbDependencyGraph graph(static_cast<uint32_t>(m_buffers.size()));
        for (const Egress& egress : m_egresses)
        {
            for (const auto& [ingress, bytes] : egress.waiting)
            {
                const auto found = waits.find(getKey(GetNode(egress.sw), ingress, egress.priority));
                for (const uint32_t from :
                     found == waits.end() ? std::vector<uint32_t>() : found->second)
                {
                    for (const uint32_t to : egress.blockers)
                    {
                        if (m_buffers[to].alive)
                        {
                            graph.AddEdge(from, to);
                        }
                    }
                }
            }
        }
        std::vector<QbbBufferPoint> cycle;
        for (const uint32_t b : graph.FindCycle())
        {
            cycle.push_back(GetPoint(b));
        }
        return cycle;
    }

    void AddBuffers(uint32_t link)
    {
        const Link& at = m_detector.m_links[link];
        const uint8_t paused = at.port->GetFlowControl().GetPauseReceiver().GetPaused();
        const uint16_t port = at.port->GetPeer()->GetPortNumber();
        const bool all = at.port->GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
        const auto first = static_cast<uint32_t>(m_buffers.size());
        for (uint8_t p = 0; p < 8; ++p)
        {
            const uint8_t blocks = (all ? 0xff : 1U << p) & paused;
            if (blocks && m_detector.m_switches[at.to]->GetBufferManager()->IsPaused(port, p))
            {
                m_buffers.push_back({at.from, at.to, port, p, blocks, true});
                ++m_alive;
            }
        }
        if (m_buffers.size() == first)
        {
            return;
        }
        for (uint8_t p = 0; p < 8; ++p)
        {
            Egress egress{at.from, at.port->GetPortNumber(), p, {}, {}};
            for (uint32_t b = first; b < m_buffers.size(); ++b)
            {
                if (m_buffers[b].blocks & (1U << p))
                {
                    egress.blockers.push_back(b);
                }
            }
            if (!egress.blockers.empty())
            {
                m_egresses.push_back(egress);
            }
        }
    }

    /**
     * Without a look at frames: a buffer whose switch has no blocked egress port can empty itself.
     * That settles every congestion that ends at a host.
     */
    void DropThoseWithAWayOut()
    {
        std::unordered_map<uint32_t, uint32_t> blocking; // buffers that block a switch
        for (const Buffer& buffer : m_buffers)
        {
            ++blocking[buffer.from];
        }
        for (bool changed = true; changed;)
        {
            changed = false;
            for (Buffer& buffer : m_buffers)
            {
                const auto found = blocking.find(buffer.sw);
                if (buffer.alive && (found == blocking.end() || found->second == 0))
                {
                    --blocking[buffer.from];
                    Drop(buffer);
                    changed = true;
                }
            }
        }
    }

    void Drop(Buffer& buffer)
    {
        buffer.alive = false;
        --m_alive;
    }

    bool IsAlive(const Egress& egress) const
    {
        return std::any_of(egress.blockers.begin(), egress.blockers.end(), [this](uint32_t b) {
            return m_buffers[b].alive;
        });
    }

    void ReadQueues()
    {
        for (Egress& egress : m_egresses)
        {
            // Behind a crossbar, frames cross to a paused port until its own queue is full.
            const QbbSwitch& sw = *m_detector.m_switches[egress.sw];
            const auto* inputs = sw.GetInputQueueing();
            if (IsAlive(egress) && !(inputs && inputs->CanLeave(egress.port, egress.priority)))
            {
                egress.waiting = sw.GetWaitingBytes(egress.port, egress.priority);
            }
        }
    }

    /** \return bytes that cannot leave, by switch, and there by ingress port and class */
    std::map<uint32_t, std::vector<uint64_t>> GetStuckBytes() const
    {
        std::map<uint32_t, std::vector<uint64_t>> stuck;
        for (const Egress& egress : m_egresses)
        {
            auto& bytes = stuck[egress.sw];
            bytes.resize(8 * m_detector.m_switches[egress.sw]->GetNPorts());
            if (IsAlive(egress))
            {
                for (const auto& [ingress, waiting] : egress.waiting)
                {
                    bytes[8 * ingress + egress.priority] += waiting;
                }
            }
        }
        return stuck;
    }

    bool DropThoseThatMayResume()
    {
        const auto stuck = GetStuckBytes();
        const uint32_t before = m_alive;
        for (Buffer& buffer : m_buffers)
        {
            if (!buffer.alive)
            {
                continue;
            }
            const auto& manager = *m_detector.m_switches[buffer.sw]->GetBufferManager();
            const auto found = stuck.find(buffer.sw);
            if (found == stuck.end() ||
                manager.MayResume(buffer.port, buffer.priority, found->second))
            {
                Drop(buffer);
            }
        }
        return m_alive > 0 && m_alive < before;
    }

    /** \param [out] points all that keep a port paused for ever, a host's as well */
    void AddStuck(std::vector<QbbBufferPoint>& points) const
    {
        for (const auto& [sw, bytes] : GetStuckBytes())
        {
            const auto& manager = *m_detector.m_switches[sw]->GetBufferManager();
            for (uint32_t i = 0; i < bytes.size(); ++i)
            {
                const auto port = static_cast<uint16_t>(i / 8);
                const auto priority = static_cast<uint8_t>(i % 8);
                QbbPort* peer = m_detector.m_switches[sw]->GetPort(port)->GetPeer();
                if ((peer->GetFlowControl().GetPauseReceiver().GetPaused() & (1U << priority)) &&
                    manager.IsPaused(port, priority) && !manager.MayResume(port, priority, bytes))
                {
                    points.push_back({GetNode(sw), port, priority});
                }
            }
        }
        std::sort(points.begin(), points.end());
    }

    const QbbDeadlockDetector& m_detector; //!< whose switches
    std::vector<Buffer> m_buffers;         //!< that have paused a switch
    std::vector<Egress> m_egresses;        //!< that they block
    uint32_t m_alive{0};                   //!< buffers that are alive
};

std::optional<QbbDeadlock>
QbbDeadlockDetector::Find() const
{
    return m_active.empty() ? std::nullopt : Search(*this).GetResult();
}

} // namespace ns3
