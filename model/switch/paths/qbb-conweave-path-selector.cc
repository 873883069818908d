/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conweave-path-selector.h"

#include "qbb-conweave.h"
#include "qbb-frame-codec.h"
#include "qbb-switch.h"
#include "rdma-fixed-type-id.h"
#include "rdma-opcode.h"
#include "rdma-part-name.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/log.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbConWeavePathSelector");

NS_OBJECT_ENSURE_REGISTERED(QbbConWeavePathSelector);

namespace
{

constexpr uint8_t CONWEAVE_PROTOCOL = 2; //!< protocol of QbbFabricHeader

/// Longest waiting and idle times, which the times in a tag can tell.
constexpr int64_t LONGEST_CONWEAVE_MS = 8;

/// Name of the class in program options.
const RdmaPartName g_conweaveName("conweave",
                                  QbbConWeavePathSelector::GetTypeId(),
                                  "",
                                  "ConWeave: a flow leaves a slow path, and the last switch puts "
                                  "its frames in order");

/** \return checker of a time that a tag can tell */
Ptr<const AttributeChecker>
MakeConWeaveTimeChecker()
{
    return MakeTimeChecker(Time(0), MilliSeconds(LONGEST_CONWEAVE_MS));
}

/** \param frame a frame between switches \return its tag, or nothing */
std::optional<QbbConWeaveTag>
ReadConWeaveTag(const QbbFrame& frame)
{
    return frame.fabric.protocol == CONWEAVE_PROTOCOL && frame.fabric.count == QbbConWeaveTag::BYTES
               ? QbbConWeaveTag::Read(frame.fabric.bytes.data())
               : std::nullopt;
}

/** \param tag a tag \param [out] frame a frame with the header of ConWeave */
void
WriteConWeaveTag(const QbbConWeaveTag& tag, QbbFrame& frame)
{
    const auto bytes = tag.Write();
    std::copy(bytes.begin(), bytes.end(), frame.fabric.bytes.begin());
}

/**
 * Makes room in a table of connections before a new one: forgets idle connections once the table
 * has doubled since the last time.
 *
 * \param table the table
 * \param [in,out] size number of connections at which to act
 * \param isIdle tells whether a connection may be forgotten
 */
template <typename Table, typename IsIdle>
void
ForgetIdleConWeave(Table& table, std::size_t& size, IsIdle isIdle)
{
    constexpr std::size_t LEAST = 1024;
    if (table.size() < std::max(size, LEAST))
    {
        return;
    }
    for (auto at = table.begin(); at != table.end();)
    {
        at = isIdle(at->second) ? table.erase(at) : std::next(at);
    }
    size = 2 * table.size();
}

} // namespace

/**
 * What the selector of a running switch knows.
 */
class QbbConWeavePathSelector::Leaf
{
  public:
    explicit Leaf(QbbConWeavePathSelector& selector)
        : m_selector(selector),
          m_switch(selector.GetSwitch()),
          m_counters(selector.m_counters),
          m_times{RdmaToPs(selector.m_replyExtra),
                  RdmaToPs(selector.m_inactiveTime),
                  RdmaToPs(selector.m_resumeExtra),
                  RdmaToPs(selector.m_resumeDefault)},
          m_pathBusyTime(RdmaToPs(selector.m_pathBusyTime)),
          m_queuesOfPort(m_switch.GetNPorts())
    {
        for (uint16_t port = 0; port < m_switch.GetNPorts(); ++port)
        {
            m_isHostPort.push_back(!m_switch.LeadsToSwitch(port));
        }
    }

    void FrameArrives(QbbPort& ingress, QbbFramePtr& frame)
    {
        m_arrival = {};
        if (!frame->hasFabric)
        {
            if (frame->type == QbbFrameType::ROCE && m_isHostPort[ingress.GetPortNumber()])
            {
                SendOn(*frame);
            }
            return;
        }
        auto tag = ReadConWeaveTag(*frame);
        if (!tag)
        {
            ingress.CountDrop(*frame, QbbDropReason::MALFORMED);
            frame.reset();
            return;
        }
        const uint32_t leaf = GetTable().GetLeafOf(frame->dstIp);
        if (leaf == QbbHostPlace::NO_LEAF || leaf != GetTable().GetLeaf())
        {
            constexpr uint8_t LAST_HOP = 3;
            if (tag->hop < LAST_HOP && GetTable().Find(frame->dstIp).count > 1)
            {
                ++tag->hop;
                WriteConWeaveTag(*tag, *frame);
            }
            return;
        }
        QbbFrameCodec::RemoveFabric(*frame);
        if (tag->IsControl())
        {
            ReceiveControl(*frame, *tag);
            frame.reset();
            return;
        }
        ReceiveData(*frame, *tag);
    }

    void FrameJoins(QbbPort& egress, QbbFramePtr& frame)
    {
        const Arrival arrival = std::exchange(m_arrival, {});
        if (arrival.fate.hold)
        {
            Hold(*arrival.receiver, egress, std::move(frame));
        }
        else if (arrival.fate.releaseAfter)
        {
            m_switch.ReleaseHeld(egress, std::move(frame));
            Release(*arrival.receiver, m_counters.tailResumes, true);
        }
    }

    void ForEachHeld(const std::function<void(const QbbFrame&, uint16_t)>& visit) const
    {
        for (const auto& [deadline, receiver] : m_deadlines)
        {
            for (const QbbFramePtr& frame : receiver->frames)
            {
                visit(*frame, receiver->egress->GetPortNumber());
            }
        }
    }

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) const
    {
        const auto tag = frame.hasFabric ? ReadConWeaveTag(frame) : std::nullopt;
        if (tag && !tag->IsControl() && tag->hop >= 1 && tag->hop <= tag->path.ports.size())
        {
            const uint16_t port = tag->path.ports[tag->hop - 1];
            // The routes may have changed since the sender's leaf chose the path.
            if (std::binary_search(ports.begin(), ports.end(), port))
            {
                return port;
            }
        }
        return m_switch.SelectPort(frame.flowHash, ports);
    }

    uint32_t GetNodeId() const
    {
        return m_selector.GetNodeId();
    }

    void OnDeadline()
    {
        const RdmaPs now = RdmaNow();
        while (!m_deadlines.empty() && m_deadlines.begin()->first.first <= now)
        {
            Receiver& receiver = *m_deadlines.begin()->second;
            if (receiver.rules.IsHolding())
            {
                receiver.rules.GiveUp();
            }
            Release(receiver, m_counters.timerResumes, false);
        }
        ArmTimer();
    }

  private:
    /** Frames that stay in order: those of a 5-tuple of RoCEv2 and a DSCP. */
    struct Connection
    {
        uint32_t source{0};      //!< address of the sender
        uint32_t destination{0}; //!< address of the receiver
        uint16_t port{0};        //!< UDP source port
        uint8_t dscp{0};         //!< DSCP

        bool operator==(const Connection& other) const
        {
            return source == other.source && destination == other.destination &&
                   port == other.port && dscp == other.dscp;
        }
    };

    /** Hash of a Connection. */
    struct ConnectionHash
    {
        std::size_t operator()(const Connection& of) const
        {
            return QbbFlowHash(of.source, of.destination, of.dscp, of.port, 0);
        }
    };

    /** A connection whose sender is a host of the switch. */
    struct Sender
    {
        QbbConWeaveSender rules; //!< state of the connection
        uint64_t version{0};     //!< version of the routes at the latest frame; 0: there was none
    };

    /** A connection whose receiver is a host of the switch. */
    struct Receiver
    {
        QbbConWeaveReceiver rules;       //!< state of the connection
        std::vector<QbbFramePtr> frames; //!< frames that wait
        uint64_t bytes{0};               //!< their bytes
        QbbPort* egress{nullptr};        //!< port towards the receiver
        RdmaPs since{0};                 //!< time of the first of them
        /// Deadline and a number of its own among all queues, if frames wait.
        std::pair<RdmaPs, uint64_t> deadline{RDMA_NEVER, 0};
    };

    using Paths = std::vector<QbbConWeavePath>; //!< paths, ascending

    /** Paths to a leaf. */
    struct Destination
    {
        const Paths* paths{nullptr}; //!< the paths; null: not explored yet
        RdmaPs roundTrip{0};         //!< propagation delay to the leaf and back
    };

    /** A frame between FrameArrives() and FrameJoins(). */
    struct Arrival
    {
        Receiver* receiver{nullptr};    //!< its connection
        QbbConWeaveReceiver::Fate fate; //!< what happens to it
    };

    const QbbForwardingTable& GetTable() const
    {
        return m_switch.GetForwardingTable();
    }

    // The leaf of the sender

    void SendOn(QbbFrame& frame)
    {
        const uint32_t leaf = GetTable().GetLeafOf(frame.dstIp);
        if (leaf == QbbHostPlace::NO_LEAF || leaf == GetTable().GetLeaf() ||
            frame.opcode == static_cast<uint8_t>(RdmaOpcode::CNP))
        {
            return;
        }
        const Destination& destination = GetDestination(leaf, frame.dstIp);
        if (destination.paths->size() < 2)
        {
            return;
        }
        const Connection key{frame.srcIp, frame.dstIp, frame.srcPort, frame.dscp};
        auto found = m_senders.find(key);
        const RdmaPs now = RdmaNow();
        if (found == m_senders.end())
        {
            const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(frame.opcode);
            if (!info.request && !info.payload)
            {
                return;
            }
            // The leaf of the receiver forgets a connection before the leaf of the sender does.
            const RdmaPs before = now - 2 * QbbConWeaveReceiver::FORGET;
            ForgetIdleConWeave(m_senders, m_sendersAtNextVisit, [before](const auto& sender) {
                return sender.rules.GetLastFrame() < before;
            });
            found = m_senders.emplace(key, Sender()).first;
        }
        Sender& sender = found->second;
        const bool isNew = sender.version == 0;
        if (sender.version != m_version)
        {
            if (!isNew && !std::binary_search(destination.paths->begin(),
                                              destination.paths->end(),
                                              sender.rules.GetPath()))
            {
                sender.rules.LosePath();
            }
            sender.version = m_version;
        }
        QbbConWeaveSender::Candidate candidate;
        if (sender.rules.NeedsPath(now, m_times))
        {
            candidate = DrawPath(leaf, *destination.paths, now);
        }
        const QbbConWeavePath before = sender.rules.GetPath();
        QbbConWeaveTag tag = sender.rules.Send(now, destination.roundTrip, m_times, candidate);
        const bool isTail = tag.kind == QbbConWeaveTag::Kind::TAIL;
        m_counters.requests += tag.kind == QbbConWeaveTag::Kind::RTT_REQUEST;
        m_counters.tails += isTail;
        if (const QbbConWeavePath& after = sender.rules.GetPath(); !isNew && after != before)
        {
            ++(isTail ? m_counters.reroutes : m_counters.idleReroutes);
            NS_LOG_LOGIC("flow " << frame.flowHash << " from port " << before.ports[0] << " to "
                                 << after.ports[0]);
            m_selector.m_reroute(frame.flowHash, before.ports[0], after.ports[0]);
        }
        tag.hop = GetTable().Find(frame.dstIp).count > 1 ? 1 : 0;
        QbbFrameCodec::AddFabric(frame, CONWEAVE_PROTOCOL, QbbConWeaveTag::BYTES);
        WriteConWeaveTag(tag, frame);
    }

    /**
     * \param leaf a leaf
     * \param paths the paths to it
     * \param now current time
     * \return the first free one of two random paths; the first path if neither is free
     */
    QbbConWeaveSender::Candidate DrawPath(uint32_t leaf, const Paths& paths, RdmaPs now)
    {
        const auto draw = [this, &paths]() {
            return paths[m_selector.m_random->GetInteger(0,
                                                         static_cast<uint32_t>(paths.size() - 1))];
        };
        const QbbConWeavePath first = draw();
        if (IsFree(leaf, first, now))
        {
            return {first, true};
        }
        const QbbConWeavePath second = draw();
        return IsFree(leaf, second, now) ? QbbConWeaveSender::Candidate{second, true}
                                         : QbbConWeaveSender::Candidate{first, false};
    }

    static uint64_t GetPathKey(uint32_t leaf, const QbbConWeavePath& path)
    {
        return uint64_t{leaf} << 32 | uint64_t{path.ports[0]} << 16 | path.ports[1];
    }

    bool IsFree(uint32_t leaf, const QbbConWeavePath& path, RdmaPs now) const
    {
        const auto found = m_busyUntil.find(GetPathKey(leaf, path));
        return found == m_busyUntil.end() || found->second <= now;
    }

    void ReceiveControl(const QbbFrame& frame, const QbbConWeaveTag& tag)
    {
        const RdmaPs now = RdmaNow();
        if (tag.kind == QbbConWeaveTag::Kind::NOTIFY)
        {
            ++m_counters.notifyReceived;
            m_busyUntil[GetPathKey(GetTable().GetLeafOf(frame.srcIp), tag.path)] =
                now + m_pathBusyTime;
            return;
        }
        const auto found = m_senders.find(
            {frame.dstIp, frame.srcIp, frame.srcPort, static_cast<uint8_t>(tag.sent)});
        if (found != m_senders.end() && found->second.rules.Answer(tag, now))
        {
            ++(tag.kind == QbbConWeaveTag::Kind::CLEAR ? m_counters.clears
                                                       : m_counters.repliesInTime);
        }
    }

    // Paths

    const Destination& GetDestination(uint32_t leaf, uint32_t address)
    {
        if (m_version != GetTable().GetVersion())
        {
            m_version = GetTable().GetVersion();
            m_destinations.assign(GetTable().GetNLeaves(), {});
            m_lists.clear();
        }
        Destination& destination = m_destinations[leaf];
        if (!destination.paths)
        {
            Paths paths;
            Explore(m_switch, leaf, address, {}, 0_ps, 0, paths, destination.roundTrip);
            std::sort(paths.begin(), paths.end());
            paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
            destination.paths = &*m_lists.insert(std::move(paths)).first;
        }
        return destination;
    }

    /**
     * Collects the paths from a switch to a leaf.
     *
     * \param sw the switch
     * \param leaf number of the leaf
     * \param address address of a host of the leaf
     * \param path the path so far
     * \param delay its propagation delay
     * \param hops number of its links
     * \param [in,out] paths complete paths
     * \param [in,out] roundTrip twice the longest propagation delay of a complete path
     */
    static void Explore(const QbbSwitch& sw,
                        uint32_t leaf,
                        uint32_t address,
                        QbbConWeavePath path,
                        RdmaPs delay,
                        uint32_t hops,
                        Paths& paths,
                        RdmaPs& roundTrip)
    {
        constexpr uint32_t MOST_HOPS = 64; // in case the routes have a loop
        const QbbForwardingTable& table = sw.GetForwardingTable();
        if (table.GetLeaf() == leaf)
        {
            paths.push_back(path);
            roundTrip = std::max(roundTrip, 2 * delay);
            return;
        }
        const QbbForwardingTable::Group* group = table.Lookup(address);
        if (!group || hops == MOST_HOPS)
        {
            return;
        }
        const auto place = std::find(path.ports.begin(), path.ports.end(), path.NO_PORT);
        const bool isChoice = group->size() > 1 && place != path.ports.end();
        for (std::size_t i = 0; i < (isChoice ? group->size() : 1); ++i)
        {
            const uint16_t port = (*group)[i];
            QbbPort* peer = sw.GetDevice(port).GetPeer();
            const auto next = peer ? dynamic_cast<const QbbSwitch*>(peer->GetSink()) : nullptr;
            if (next)
            {
                if (isChoice)
                {
                    *place = port;
                }
                const RdmaPs link = sw.GetDevice(port).GetQbbChannel()->GetDelayPs();
                Explore(*next, leaf, address, path, delay + link, hops + 1, paths, roundTrip);
            }
        }
    }

    // The leaf of the receiver

    void ReceiveData(const QbbFrame& frame, const QbbConWeaveTag& tag)
    {
        constexpr uint8_t CONGESTION_EXPERIENCED = 3;
        const Connection key{frame.srcIp, frame.dstIp, frame.srcPort, frame.dscp};
        const RdmaPs now = RdmaNow();
        auto found = m_receivers.find(key);
        if (found == m_receivers.end())
        {
            const RdmaPs before = now - QbbConWeaveReceiver::FORGET;
            ForgetIdleConWeave(m_receivers, m_receiversAtNextVisit, [before](const auto& receiver) {
                return receiver.rules.GetLastFrame() < before && receiver.frames.empty();
            });
            found = m_receivers.emplace(key, Receiver()).first;
        }
        Receiver& receiver = found->second;
        if (!receiver.frames.empty() && !receiver.rules.IsHolding())
        {
            // The buffer has refused the TAIL.
            Release(receiver, m_counters.tailResumes, true);
        }
        QbbConWeaveReceiver::Missed missed;
        QbbConWeaveReceiver::Fate fate = receiver.rules.Receive(tag, now, m_times, missed);
        m_counters.earlyResumes += missed.early;
        m_counters.lostTails += missed.lost;
        if (fate.releaseFirst && !receiver.frames.empty())
        {
            Release(receiver, m_counters.otherResumes, false);
        }
        if (fate.notify && frame.ecn == CONGESTION_EXPERIENCED)
        {
            ++m_counters.notifySent;
            SendControl(QbbConWeaveTag::Kind::NOTIFY, frame, tag);
        }
        if (fate.answer)
        {
            SendControl(tag.kind == QbbConWeaveTag::Kind::TAIL ? QbbConWeaveTag::Kind::CLEAR
                                                               : QbbConWeaveTag::Kind::RTT_REPLY,
                        frame,
                        tag);
        }
        if (fate.hold && receiver.frames.empty() && !HasQueue(frame))
        {
            ++m_counters.noQueue;
            receiver.rules.GiveUp();
            fate.hold = false;
        }
        if (!receiver.frames.empty() && receiver.rules.IsHolding())
        {
            SetDeadline(receiver);
        }
        m_arrival = {&receiver, fate};
    }

    bool HasQueue(const QbbFrame& frame) const
    {
        return m_selector.m_queues == ALL_QUEUES ||
               m_queuesOfPort[GetTable().Find(frame.dstIp).first] < m_selector.m_queues;
    }

    void Hold(Receiver& receiver, QbbPort& egress, QbbFramePtr&& frame)
    {
        if (receiver.frames.empty())
        {
            receiver.egress = &egress;
            receiver.since = RdmaNow();
            uint32_t& queues = m_queuesOfPort[egress.GetPortNumber()];
            ++queues;
            ++m_counters.queues;
            m_counters.peakPortQueues = std::max<uint64_t>(m_counters.peakPortQueues, queues);
            m_counters.peakQueues = std::max(m_counters.peakQueues, m_counters.queues);
            receiver.deadline = {RDMA_NEVER, ++m_queuesEver};
        }
        ++m_counters.heldFrames;
        m_counters.heldBytes += frame->size;
        m_counters.peakHeldBytes = std::max(m_counters.peakHeldBytes, m_counters.heldBytes);
        receiver.bytes += frame->size;
        receiver.frames.push_back(std::move(frame));
        SetDeadline(receiver);
    }

    /**
     * Lets the frames of a queue go on.
     *
     * \param receiver the connection of the queue
     * \param [in,out] counter counter of such events
     * \param byTail true: the TAIL is the cause
     */
    void Release(Receiver& receiver, uint64_t& counter, bool byTail)
    {
        if (receiver.frames.empty())
        {
            return; // the buffer has refused all frames that were to wait
        }
        ++counter;
        NS_LOG_LOGIC(receiver.frames.size() << " frames go on, TAIL: " << byTail);
        m_selector.m_resume(receiver.egress->GetPortNumber(),
                            static_cast<uint32_t>(receiver.frames.size()),
                            RdmaToTime(RdmaNow() - receiver.since),
                            byTail);
        m_deadlines.erase(receiver.deadline);
        --m_queuesOfPort[receiver.egress->GetPortNumber()];
        --m_counters.queues;
        m_counters.heldBytes -= std::exchange(receiver.bytes, 0);
        for (QbbFramePtr& frame : receiver.frames)
        {
            m_switch.ReleaseHeld(*receiver.egress, std::move(frame));
        }
        receiver.frames.clear();
    }

    void SetDeadline(Receiver& receiver)
    {
        if (receiver.deadline.first != receiver.rules.GetDeadline())
        {
            m_deadlines.erase(receiver.deadline);
            receiver.deadline.first = receiver.rules.GetDeadline();
            m_deadlines.emplace(receiver.deadline, &receiver);
            ArmTimer();
        }
    }

    void ArmTimer()
    {
        if (!m_deadlines.empty())
        {
            m_timer.Arm(m_deadlines.begin()->first.first);
        }
    }

    /**
     * Sends a frame to the leaf of a sender.
     *
     * \param kind kind of the frame
     * \param cause frame of the connection
     * \param of tag of that frame
     */
    void SendControl(QbbConWeaveTag::Kind kind, const QbbFrame& cause, const QbbConWeaveTag& of)
    {
        QbbFramePtr frame = m_selector.MakeFrame(cause, true);
        const QbbForwardingTable::Group* ports = GetTable().Lookup(frame->dstIp);
        if (!ports)
        {
            return;
        }
        QbbConWeaveTag tag;
        tag.kind = kind;
        tag.epoch = of.epoch;
        tag.path = of.path;
        tag.sent = cause.dscp;
        QbbFrameCodec::AddFabric(*frame, CONWEAVE_PROTOCOL, QbbConWeaveTag::BYTES);
        WriteConWeaveTag(tag, *frame);
        const uint16_t port = m_switch.SelectPort(frame->flowHash, *ports);
        frame->ecn = 0;
        frame->dscp = m_selector.m_controlDscp;
        frame->priority = m_switch.GetDevice(port).GetClassifier().Classify(*frame);
        ++m_counters.controlSent;
        m_counters.controlBytes += frame->size;
        m_switch.SendOwn(port, std::move(frame));
    }

    using Timer = RdmaTimer<Leaf, &Leaf::OnDeadline, EVENT_ORDER>; //!< timer of the deadlines

    QbbConWeavePathSelector& m_selector; //!< the selector
    QbbSwitch& m_switch;                 //!< its switch
    QbbConWeaveCounters& m_counters;     //!< its counters
    QbbConWeaveTimes m_times;            //!< its attributes
    RdmaPs m_pathBusyTime;               //!< attribute PathBusyTime
    std::vector<bool> m_isHostPort;      //!< by port number: the port leads to a host
    Arrival m_arrival;                   //!< latest frame in FrameArrives()

    /// Connections whose sender is a host of this switch.
    std::unordered_map<Connection, Sender, ConnectionHash> m_senders;
    std::size_t m_sendersAtNextVisit{0};              //!< see ForgetIdleConWeave()
    uint64_t m_version{0};                            //!< version of the routes in m_destinations
    std::vector<Destination> m_destinations;          //!< by leaf
    std::set<Paths> m_lists;                          //!< different lists of paths
    std::unordered_map<uint64_t, RdmaPs> m_busyUntil; //!< until when a path is busy

    /// Connections whose receiver is a host of this switch.
    std::unordered_map<Connection, Receiver, ConnectionHash> m_receivers;
    std::size_t m_receiversAtNextVisit{0}; //!< see ForgetIdleConWeave()
    std::vector<uint32_t> m_queuesOfPort;  //!< queues in use, by port number
    uint64_t m_queuesEver{0};              //!< number of queues so far
    /// Queues by deadline.
    std::map<std::pair<RdmaPs, uint64_t>, Receiver*> m_deadlines;
    Timer m_timer{this}; //!< fires at the first deadline
};

TypeId
QbbConWeavePathSelector::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbConWeavePathSelector>("ns3::QbbConWeavePathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbConWeavePathSelector>()
            .AddAttribute("ReplyExtra",
                          "Time beyond the propagation delay to the receiver's leaf and back after "
                          "which an RTT_REPLY is late, so that the connection is rerouted.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&QbbConWeavePathSelector::m_replyExtra),
                          MakeConWeaveTimeChecker())
            .AddAttribute("PathBusyTime",
                          "Time after a NOTIFY for which no connection is moved to its path.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&QbbConWeavePathSelector::m_pathBusyTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InactiveTime",
                          "Idle time of a connection after which it may take any path at once; at "
                          "most 8 ms.",
                          TimeValue(MicroSeconds(300)),
                          MakeTimeAccessor(&QbbConWeavePathSelector::m_inactiveTime),
                          MakeConWeaveTimeChecker())
            .AddAttribute("ResumeExtra",
                          "Time beyond the estimated arrival of the TAIL after which frames that "
                          "wait for the TAIL go on without it; at most 8 ms.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&QbbConWeavePathSelector::m_resumeExtra),
                          MakeConWeaveTimeChecker())
            .AddAttribute("ResumeDefault",
                          "Waiting time, without ResumeExtra, if no frame of the old path tells "
                          "when the TAIL will come; at most 8 ms.",
                          TimeValue(MicroSeconds(200)),
                          MakeTimeAccessor(&QbbConWeavePathSelector::m_resumeDefault),
                          MakeConWeaveTimeChecker())
            .AddAttribute(
                "Queues",
                "Queues for frames that wait, at each port to a host; a connection takes one. "
                "65535, "
                "the default: as many as needed, as in the authors' simulator. A Tofino2 has 12 of "
                "16 or 24 of 32 at a port. 0: no frame waits, so that frames are out of order "
                "behind each change of path.",
                UintegerValue(ALL_QUEUES),
                MakeUintegerAccessor(&QbbConWeavePathSelector::m_queues),
                MakeUintegerChecker<uint16_t>())
            .AddAttribute("ControlDscp",
                          "DSCP of RTT_REPLY, CLEAR and NOTIFY.",
                          UintegerValue(48),
                          MakeUintegerAccessor(&QbbConWeavePathSelector::m_controlDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddTraceSource("Reroute",
                            "A connection of a host of this switch has taken another path; "
                            "arguments: hash of its 5-tuple, first port of the old path and of the "
                            "new path.",
                            MakeTraceSourceAccessor(&QbbConWeavePathSelector::m_reroute),
                            "ns3::QbbConWeavePathSelector::RerouteCallback")
            .AddTraceSource("Resume",
                            "Frames that have waited at this switch go on; arguments: port, number "
                            "of frames, waiting time of the first, true if the TAIL has come.",
                            MakeTraceSourceAccessor(&QbbConWeavePathSelector::m_resume),
                            "ns3::QbbConWeavePathSelector::ResumeCallback");
    return tid;
}

QbbConWeaveCounters&
QbbConWeaveCounters::operator+=(const QbbConWeaveCounters& other)
{
    requests += other.requests;
    repliesInTime += other.repliesInTime;
    tails += other.tails;
    reroutes += other.reroutes;
    idleReroutes += other.idleReroutes;
    clears += other.clears;
    notifyReceived += other.notifyReceived;
    controlSent += other.controlSent;
    controlBytes += other.controlBytes;
    notifySent += other.notifySent;
    heldFrames += other.heldFrames;
    heldBytes += other.heldBytes;
    peakHeldBytes = std::max(peakHeldBytes, other.peakHeldBytes);
    queues += other.queues;
    peakQueues = std::max(peakQueues, other.peakQueues);
    peakPortQueues = std::max(peakPortQueues, other.peakPortQueues);
    noQueue += other.noQueue;
    tailResumes += other.tailResumes;
    timerResumes += other.timerResumes;
    otherResumes += other.otherResumes;
    earlyResumes += other.earlyResumes;
    lostTails += other.lostTails;
    return *this;
}

QbbConWeavePathSelector::QbbConWeavePathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

QbbConWeavePathSelector::~QbbConWeavePathSelector() = default;

void
QbbConWeavePathSelector::DoDispose()
{
    m_leaf.reset();
    QbbPathSelector::DoDispose();
}

int64_t
QbbConWeavePathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

bool
QbbConWeavePathSelector::MayReorder(RdmaPs) const
{
    return m_queues != ALL_QUEUES;
}

void
QbbConWeavePathSelector::Configure()
{
    NS_LOG_FUNCTION(this);
    RefuseOtherNeighbours();
    RefuseSharedLeaves();
    m_leaf = std::make_unique<Leaf>(*this);
}

uint32_t
QbbConWeavePathSelector::GetHeaderBytes() const
{
    return QbbFabricHeader::FIXED_BYTES + QbbConWeaveTag::BYTES;
}

void
QbbConWeavePathSelector::FrameArrives(QbbPort& ingress, QbbFramePtr& frame)
{
    m_leaf->FrameArrives(ingress, frame);
}

void
QbbConWeavePathSelector::FrameJoins(QbbPort& egress, QbbFramePtr& frame)
{
    m_leaf->FrameJoins(egress, frame);
}

void
QbbConWeavePathSelector::ForEachHeld(
    const std::function<void(const QbbFrame&, uint16_t)>& visit) const
{
    if (m_leaf)
    {
        m_leaf->ForEachHeld(visit);
    }
}

uint16_t
QbbConWeavePathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    return m_leaf->Select(frame, ports);
}

} // namespace ns3
