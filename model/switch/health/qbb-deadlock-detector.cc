/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-detector.h"

#include "qbb-deadlock-search.h"
#include "rdma-ranks.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
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
                RdmaMakePositiveTimeChecker())
            .AddAttribute("StandstillTime",
                          "Buffers in a cycle are a deadlock if nothing has moved between them for "
                          "this time, "
                          "and other frames that keep their memory in use are repeats alone. Some "
                          "retransmission timeouts.",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&QbbDeadlockDetector::m_standstillTime),
                          RdmaMakePositiveTimeChecker())
            .AddTraceSource("Deadlock",
                            "A deadlock was found: buffers wait for each other forever, or as long "
                            "as hosts only repeat. Fires once per deadlock.",
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
        m_alarm = m_alarms->Add([self = std::weak_ptr(m_self)](RdmaPs at) {
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
                               IsRdmaNodeLocal(*port->GetNode()),
                               IsRdmaNodeLocal(*peer->GetDevice()->GetNode()),
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
    RdmaDefer([this, link] {
        m_active.push_back(link);
        SearchAt(RdmaNow() + RdmaToPs(m_period));
    });
}

void
QbbDeadlockDetector::SearchAt(RdmaPs at)
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
    std::optional<QbbDeadlock> found = Search(links, OtherFrames::LEAVE);
    if (!found)
    {
        found = FindStandstill(links);
    }
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
        m_timer.ArmNoLater(RdmaNow() + RdmaToPs(m_period));
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
    const std::vector<QbbPausedLink> links = GetPausedLinks();
    const auto found = Search(links, OtherFrames::LEAVE);
    return found || !m_deadlock || !m_deadlock->whileHostsRepeat ? found : m_deadlock;
}

Ptr<QbbSwitch>
QbbDeadlockDetector::GetSwitchOf(uint32_t node) const
{
    const auto found = std::find_if(m_switches.begin(), m_switches.end(), [node](const auto& sw) {
        return sw->GetPort(0)->GetNodeId() == node;
    });
    return *found;
}

/** \return frames that have been sent into the buffers of a cycle, on all ranks */
std::vector<uint64_t>
QbbDeadlockDetector::CountSent(const std::vector<QbbBufferPoint>& cycle) const
{
    /** Frames sent into a buffer. */
    struct Sent
    {
        uint32_t index{0};  //!< index in the cycle
        uint64_t frames{0}; //!< number of frames
    };

    std::vector<Sent> own;
    for (uint32_t i = 0; i < cycle.size(); ++i)
    {
        QbbPort& port = *GetSwitchOf(cycle[i].node)->GetPort(cycle[i].port)->GetPeer();
        if (IsRdmaNodeLocal(*port.GetDevice()->GetNode()))
        {
            own.push_back({i, port.GetCounters().classes[cycle[i].priority].txFrames});
        }
    }
    std::vector<uint64_t> sent(cycle.size());
    for (const Sent& of : ShareRdmaValues(own))
    {
        sent[of.index] = of.frames;
    }
    return sent;
}

/** Judges a frame that waits at an egress port, and notes it. */
QbbDeadlockDetector::Verdict
QbbDeadlockDetector::JudgeFrame(const QbbDeadlock& deadlock,
                                const QbbFrame& frame,
                                const QbbPort& port)
{
    if (IsBlocked(deadlock, port, frame.priority))
    {
        return Verdict::REPEATS; // The frame is stuck.
    }
    const bool isPaused =
        (port.GetFlowControl().GetPauseReceiver().GetPaused() >> frame.priority & 1) != 0;
    const auto isSwitch = [&port](const Ptr<QbbSwitch>& sw) {
        return sw->GetPort(0)->GetNodeId() == port.GetPeer()->GetNodeId();
    };
    if (frame.type != QbbFrameType::ROCE ||
        (isPaused && std::none_of(m_switches.begin(), m_switches.end(), isSwitch)))
    {
        return Verdict::NEW;
    }
    m_standstill->sentBefore.emplace(
        QbbBufferPoint{port.GetNodeId(), port.GetPortNumber(), frame.priority},
        port.GetCounters().classes[frame.priority].txFrames);
    constexpr uint32_t PSNS = 1 << 24;
    const auto [seen, isFirst] =
        m_standstill->psns.emplace(std::make_pair(frame.dstIp, frame.destQp), frame.psn);
    const uint32_t distance = (frame.psn - seen->second) % PSNS;
    if (isFirst || (distance > 0 && distance < PSNS / 2))
    {
        seen->second = frame.psn;
        return Verdict::NEW;
    }
    return Verdict::REPEATS;
}

/** Judges the frames in the switches of a cycle, on all ranks, and notes them. */
QbbDeadlockDetector::Verdict
QbbDeadlockDetector::JudgeFrames(const QbbDeadlock& deadlock)
{
    Verdict verdict = Verdict::REPEATS;
    std::set<uint32_t> nodes;
    for (const QbbBufferPoint& point : deadlock.cycle)
    {
        nodes.insert(point.node);
    }
    for (const uint32_t node : nodes)
    {
        const Ptr<QbbSwitch> sw = GetSwitchOf(node);
        if (!IsRdmaNodeLocal(*sw->GetPort(0)->GetNode()))
        {
            continue;
        }
        const auto judge = [&](const QbbFrame& frame, uint16_t output) {
            verdict = std::max(verdict, JudgeFrame(deadlock, frame, *sw->GetPort(output)));
        };
        for (uint16_t output = 0; output < sw->GetNPorts(); ++output)
        {
            const QbbEgressQueues& queues = sw->GetPort(output)->GetQueues();
            for (uint8_t priority = 0; priority < 8; ++priority)
            {
                for (std::size_t i = 0; i < queues.GetFramesHere(priority); ++i)
                {
                    judge(queues.GetFrame(priority, i), output);
                }
            }
        }
        if (const auto* inputs = sw->GetInputQueueing())
        {
            inputs->GetQueues().ForEachFrame(judge);
        }
        if (const auto selector = sw->GetPathSelector())
        {
            selector->ForEachHeld(judge);
        }
    }
    for (const Verdict other : ShareRdmaValues(std::vector<Verdict>{verdict}))
    {
        verdict = std::max(verdict, other);
    }
    return verdict;
}

/** \return true if the ports at which other frames waited have sent frames since, on all ranks */
bool
QbbDeadlockDetector::HaveOtherPortsSent() const
{
    const bool own =
        std::all_of(m_standstill->sentBefore.begin(),
                    m_standstill->sentBefore.end(),
                    [this](const auto& at) {
                        const auto port = GetSwitchOf(at.first.node)->GetPort(at.first.port);
                        return port->GetCounters().classes[at.first.priority].txFrames > at.second;
                    });
    const std::vector<uint8_t> all = ShareRdmaValues(std::vector<uint8_t>{own});
    return std::all_of(all.begin(), all.end(), [](uint8_t passed) { return passed != 0; });
}

std::optional<QbbDeadlock>
QbbDeadlockDetector::FindStandstill(const std::vector<QbbPausedLink>& paused)
{
    std::optional<QbbDeadlock> deadlock = Search(paused, OtherFrames::STAY);
    if (!deadlock)
    {
        m_standstill.reset();
        return std::nullopt;
    }
    const std::vector<uint64_t> sent = CountSent(deadlock->cycle);
    if (!m_standstill || m_standstill->cycle != deadlock->cycle)
    {
        m_standstill = Standstill{RdmaNow(), deadlock->cycle, sent, {}, {}};
    }
    const bool isNew = JudgeFrames(*deadlock) == Verdict::NEW;
    if (isNew || m_standstill->sent != sent)
    {
        m_standstill->since = RdmaNow();
        m_standstill->sent = sent;
        m_standstill->sentBefore.clear();
    }
    const bool isLong = RdmaNow() - m_standstill->since >= RdmaToPs(m_standstillTime);
    if (!isLong || !HaveOtherPortsSent())
    {
        return std::nullopt;
    }
    deadlock->whileHostsRepeat = true;
    return deadlock;
}

std::optional<QbbDeadlock>
QbbDeadlockDetector::Search(const std::vector<QbbPausedLink>& paused, OtherFrames others) const
{
    if (paused.empty())
    {
        return std::nullopt;
    }
    QbbDeadlockSearch search(m_switches, others);
    for (const QbbPausedLink& pauses : paused)
    {
        const Link& link = m_links[pauses.link];
        search.AddLink(*link.port, link.from, link.to, pauses);
    }
    return search.Run();
}

} // namespace ns3
