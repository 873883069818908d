/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-cost.h"

#include "qbb-frame.h"
#include "rdma-flow-report.h"
#include "rdma-incast-forecast.h"
#include "rdma-port-kinds.h"
#include "rdma-port-result.h"
#include "rdma-response.h"
#include "rdma-verbs.h"

#include <ns3/boolean.h>
#include <ns3/nstime.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <sys/resource.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Memory of a queue pair with a message, with the NIC's part (see the page on the engine).
constexpr uint64_t QUEUE_PAIR_BYTES = 1200;
/// Memory of a frame, with its place in a queue or on a line.
constexpr uint64_t WAITING_FRAME_BYTES = sizeof(QbbFrame) + 16;
/// Instants at which the memory is looked at, at most about this number.
constexpr uint64_t COST_LOOKS = 400;

/** \return a time in seconds */
double
ToCostSeconds(RdmaPs time)
{
    return static_cast<double>(time.Get()) * 1e-12;
}

/** \return most resident memory of the process until now, in bytes */
uint64_t
GetPeakRss()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

/**
 * Follows the flows of a run in the order of their starts. Times are in seconds, sizes in bytes,
 * rates in bytes a second.
 */
class RdmaRunCostFinder
{
  public:
    RdmaRunCostFinder(const RdmaFabric& fabric, const RdmaFlowRunner& runner)
        : m_fabric(fabric),
          m_runner(runner),
          m_senders(DescribeRdmaSenders(fabric)),
          m_order(runner.GetNFlows()),
          m_lives(runner.GetNFlows())
    {
        const Ptr<RdmaNic> nic = fabric.GetNic(fabric.GetTopology().GetHosts().front());
        m_ackInterval = nic->GetTransport()->GetAckInterval();
        const double rtt = ToCostSeconds(m_senders.rtt);
        if (m_senders.control)
        {
            m_cnpInterval =
                m_senders.control->NeedsCnp() ? ToCostSeconds(nic->GetCnpIntervalPs()) : 0;
            m_reaction = 2 * rtt + m_cnpInterval;
        }
        BooleanValue keeps;
        runner.GetAttribute("KeepQueuePairs", keeps);
        m_keepsQueuePairs = keeps.Get();
        std::iota(m_order.begin(), m_order.end(), uint32_t{0});
        std::stable_sort(m_order.begin(), m_order.end(), [&runner](uint32_t a, uint32_t b) {
            return runner.GetFlow(a).start < runner.GetFlow(b).start;
        });
    }

    RdmaRunCost Find()
    {
        m_cost.presentBytes = GetPeakRss();
        m_cost.flows = m_order.size();
        for (const uint32_t index : m_order)
        {
            Arrive(index);
        }
        for (auto index = m_order.rbegin(); index != m_order.rend(); ++index)
        {
            FindEnd(*index);
        }
        for (const uint32_t index : m_order)
        {
            Count(index);
        }
        FindMemory();
        const uint64_t rows = uint64_t{2} * 8 * m_fabric.GetTopology().GetNLinks();
        m_cost.resultBytes =
            rows * sizeof(RdmaPortResult) + m_order.size() * sizeof(RdmaFlowResult);
        return m_cost;
    }

  private:
    using LinkKey = std::pair<uint32_t, uint32_t>; //!< node id and port number of the sender

    /** A flow among those of a host: those that the host sends, or those that the host receives. */
    struct Share
    {
        double end{0};       //!< end of the flow, if the host took one flow after the other
        uint32_t sharers{1}; //!< flows of the host without a break in time
    };

    /** A flow. */
    struct Life
    {
        double alone{0};   //!< time that the flow takes alone
        Share sent;        //!< the flow among those of its sender
        Share received;    //!< the flow among those of its receiver
        double end{0};     //!< end of the flow
        bool waits{false}; //!< the receiver gets more than it can take
    };

    /** The flows that a host sends or receives. */
    struct Busy
    {
        double free{0};     //!< end of the flows until now
        uint32_t ahead{0};  //!< flows of the busy time until now
        double begin{0};    //!< backwards: start of the flow after
        double end{0};      //!< backwards: end of the busy time
        uint32_t behind{0}; //!< backwards: flows of the busy time after

        /** Lines a flow up behind the earlier ones. */
        void Add(double start, double alone, Share& share)
        {
            ahead = free > start ? ahead + 1 : 0;
            free = std::max(free, start) + alone;
            share.end = free;
            share.sharers += ahead;
        }

        /**
         * Sees a flow again, after all later flows. The flows share the host, so that a short flow
         * ends before the busy time does.
         *
         * \return the time that the flow takes
         */
        double Finish(double start, double alone, Share& share)
        {
            const bool isLast = end == 0 || begin >= share.end;
            behind = isLast ? 0 : behind + 1;
            end = isLast ? share.end : end;
            begin = start;
            share.sharers += behind;
            return std::min(end - start, alone * share.sharers);
        }
    };

    /** A link, in one direction. */
    struct Link
    {
        double rate{0};    //!< bytes a second
        double input{0};   //!< bytes a second that arrive
        double waiting{0}; //!< bytes that wait
        double last{0};    //!< time of waiting

        /** \param now time to which the bytes that wait are brought */
        void Advance(double now)
        {
            waiting = std::max(0.0, waiting + (input - rate) * (now - last));
            last = now;
        }
    };

    /** What changes at an instant. */
    struct Change
    {
        double at{0};                //!< the instant
        double input{0};             //!< change of the input of a link
        std::optional<LinkKey> link; //!< the link; none: no input changes
        int queuePairs{0};           //!< change of the number of queue pairs
        double onLines{0};           //!< change of the number of frames on lines

        bool operator>(const Change& other) const
        {
            return at > other.at;
        }
    };

    double GetHostRate(uint32_t host) const
    {
        double rate = 0;
        for (const uint32_t id : m_fabric.GetTopology().GetNics(host))
        {
            const auto nic = m_fabric.GetNic(id);
            for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
            {
                rate += static_cast<double>(nic->GetDevice(port).GetLineRate().GetBitRate().Get());
            }
        }
        return rate / 8;
    }

    /** \return bytes of a flow on a line */
    double GetLineBytes(uint32_t index) const
    {
        return static_cast<double>(GetPackets(index) *
                                       (m_senders.lineBytes - m_senders.payloadBytes) +
                                   m_runner.GetFlow(index).bytes);
    }

    uint64_t GetPackets(uint32_t index) const
    {
        return GetRdmaPackets(m_runner.GetFlow(index).bytes, m_senders.payloadBytes);
    }

    /** Lines a flow up behind the earlier flows of its hosts. */
    void Arrive(uint32_t index)
    {
        const RdmaFlow& flow = m_runner.GetFlow(index);
        const double start = ToCostSeconds(flow.start);
        Life& life = m_lives[index];
        life.alone =
            GetLineBytes(index) / std::min(GetHostRate(flow.srcHost), GetHostRate(flow.dstHost));
        m_sending[flow.srcHost].Add(start, life.alone, life.sent);
        m_receiving[flow.dstHost].Add(start, life.alone, life.received);
    }

    /** Finds the end of a flow, once the ends of all later flows are known. */
    void FindEnd(uint32_t index)
    {
        const RdmaFlow& flow = m_runner.GetFlow(index);
        const double start = ToCostSeconds(flow.start);
        Life& life = m_lives[index];
        const double sent = m_sending[flow.srcHost].Finish(start, life.alone, life.sent);
        const double received = m_receiving[flow.dstHost].Finish(start, life.alone, life.received);
        life.waits = received > 2 * sent;
        life.end = start + ToCostSeconds(m_senders.rtt) + std::max(sent, received);
    }

    /** Counts the frames of a flow and their hops. */
    void Count(uint32_t index)
    {
        const uint64_t packets = GetPackets(index);
        // Each message but the last one has the most full packets (RdmaFlowRunner).
        const uint64_t most = RDMA_MAX_MESSAGE_BYTES / m_senders.payloadBytes;
        const uint64_t full = (packets - 1) / most;
        const auto getReplies = [this](uint64_t count) {
            return (count + m_ackInterval - 1) / m_ackInterval;
        };
        uint64_t replies = full * getReplies(most) + getReplies(packets - full * most);
        const Life& life = m_lives[index];
        if (m_cnpInterval > 0 && life.waits)
        {
            // The packets fall into intervals of time at random. Each interval with a packet has a
            // notification.
            const double time = life.end - ToCostSeconds(m_runner.GetFlow(index).start);
            const double intervals = 1 + time / m_cnpInterval;
            replies += static_cast<uint64_t>(
                intervals * (1 - std::exp(-static_cast<double>(packets) / intervals)));
        }
        m_cost.packets += packets;
        m_cost.replies += replies;
        m_cost.packetHops += (packets + replies) * m_runner.GetFlowPath(index).size();
    }

    /** Begins a flow: finds the link at which the flow waits, and how long the sender fills it. */
    void Begin(uint32_t index)
    {
        const RdmaFlow& flow = m_runner.GetFlow(index);
        const double start = ToCostSeconds(flow.start);
        const double rate = GetHostRate(flow.srcHost);
        const Life& life = m_lives[index];
        const double limit =
            std::min(static_cast<double>(m_senders.maxInFlight) * m_senders.lineBytes,
                     m_senders.control ? m_reaction * rate : INFINITY);
        double& free = m_sourceFree[flow.srcHost];
        const double begin = std::max(start, free);
        const double end = begin + std::min(GetLineBytes(index), limit) / rate;
        free = end;
        const auto path = m_runner.GetFlowPath(index);
        std::optional<LinkKey> narrowest;
        double most = 0;
        double delay = 0;
        for (std::size_t hop = 0; hop < path.size(); ++hop)
        {
            delay += ToCostSeconds(path[hop]->GetQbbChannel()->GetDelayPs());
            if (hop == 0)
            {
                continue; // A sender makes a frame when its port can send the frame.
            }
            const LinkKey key{path[hop]->GetNodeId(), path[hop]->GetPortNumber()};
            Link& link = m_links[key];
            link.rate = static_cast<double>(path[hop]->GetLineRate().GetBitRate().Get()) / 8;
            if (const double share = (link.input + rate) / link.rate; share > most)
            {
                most = share;
                narrowest = key;
            }
        }
        const double over = std::max(end - begin, life.end - start - ToCostSeconds(m_senders.rtt));
        const auto packets = static_cast<double>(GetPackets(index));
        const double onLines = std::min(packets, packets * delay / over) *
                               (1 + 1 / static_cast<double>(m_ackInterval));
        if (narrowest)
        {
            m_changes.push({begin, rate, narrowest});
            m_changes.push({end, -rate, narrowest});
        }
        const double last = std::max(life.end, end);
        m_changes.push({start, 0, std::nullopt, 2, onLines});
        // The receiver stays until the next flow of its host.
        m_changes.push({last, 0, std::nullopt, -2, -onLines});
    }

    /** Follows the queue pairs and the frames that wait through the run. */
    void FindMemory()
    {
        const uint64_t every = std::max<uint64_t>(1, m_order.size() / COST_LOOKS);
        for (std::size_t i = 0; i < m_order.size(); ++i)
        {
            const double start = ToCostSeconds(m_runner.GetFlow(m_order[i]).start);
            Follow(start, every);
            Begin(m_order[i]);
        }
        Follow(INFINITY, every);
    }

    /** Applies the changes before an instant. \param every changes between two looks */
    void Follow(double until, uint64_t every)
    {
        while (!m_changes.empty() && m_changes.top().at < until)
        {
            const Change change = m_changes.top();
            if (++m_nChanges % every == 0)
            {
                Look(change.at);
            }
            m_changes.pop();
            m_queuePairs += change.queuePairs;
            m_onLines += change.onLines;
            if (change.link)
            {
                Link& link = m_links.at(*change.link);
                link.Advance(change.at);
                link.input += change.input;
            }
        }
    }

    /** Notes the memory at an instant, if it is the most until now. */
    void Look(double now)
    {
        double waiting = 0;
        for (auto& [key, link] : m_links)
        {
            link.Advance(now);
            waiting += link.waiting;
        }
        const uint64_t frames = static_cast<uint64_t>(
            std::min(waiting, GetBufferBytes()) / m_senders.lineBytes + std::max(0.0, m_onLines));
        const auto queuePairs = static_cast<uint64_t>(m_keepsQueuePairs ? 0 : m_queuePairs);
        if (queuePairs * QUEUE_PAIR_BYTES + frames * WAITING_FRAME_BYTES >
            m_cost.queuePairs * QUEUE_PAIR_BYTES + m_cost.waitingFrames * WAITING_FRAME_BYTES)
        {
            m_cost.queuePairs = queuePairs;
            m_cost.waitingFrames = frames;
        }
    }

    /** \return bytes that all switches can hold */
    double GetBufferBytes()
    {
        if (m_bufferBytes == 0)
        {
            for (const uint32_t sw : m_fabric.GetTopology().GetSwitches())
            {
                const auto buffer = GetRdmaBuffer(*m_fabric.GetSwitch(sw));
                m_bufferBytes +=
                    buffer ? static_cast<double>(buffer->GetTerms(0, 3).poolBytes) : INFINITY;
            }
        }
        return m_bufferBytes;
    }

    const RdmaFabric& m_fabric;                   //!< the fabric
    const RdmaFlowRunner& m_runner;               //!< the flows
    RdmaSenderProfile m_senders;                  //!< the hosts
    std::vector<uint32_t> m_order;                //!< flows by start
    std::vector<Life> m_lives;                    //!< by flow
    uint32_t m_ackInterval{1};                    //!< packets for an acknowledgement
    double m_cnpInterval{0};                      //!< time between notifications; 0: there are none
    double m_reaction{0};                         //!< time after which a sender slows down
    bool m_keepsQueuePairs{false};                //!< all queue pairs exist
    std::unordered_map<uint32_t, Busy> m_sending; //!< by host
    std::unordered_map<uint32_t, Busy> m_receiving;    //!< by host
    std::unordered_map<uint32_t, double> m_sourceFree; //!< end of what hosts send, by host
    std::map<LinkKey, Link> m_links;                   //!< by port that sends
    std::priority_queue<Change, std::vector<Change>, std::greater<>> m_changes; //!< by time
    uint64_t m_nChanges{0};  //!< changes until now
    int64_t m_queuePairs{0}; //!< queue pairs now
    double m_onLines{0};     //!< frames on lines now
    double m_bufferBytes{0}; //!< memory of all switches; 0: not yet known
    RdmaRunCost m_cost;      //!< the result
};

} // namespace

uint64_t
RdmaRunCost::GetPeakBytes() const
{
    return presentBytes + queuePairs * QUEUE_PAIR_BYTES + waitingFrames * WAITING_FRAME_BYTES +
           resultBytes;
}

RdmaRunCost
EstimateRdmaRunCost(const RdmaFabric& fabric, const RdmaFlowRunner& runner)
{
    return runner.GetNFlows() > 0 ? RdmaRunCostFinder(fabric, runner).Find() : RdmaRunCost();
}

} // namespace ns3
