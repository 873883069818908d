/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-incast-forecast.h"

#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"
#include "rdma-bdp.h"
#include "rdma-line-rate.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/** An incast in progress. */
class RdmaIncastInProgress
{
  public:
    RdmaIncastInProgress(QbbBufferManager& buffer, const RdmaIncast& incast)
        : m_buffer(buffer),
          m_incast(incast),
          m_inputRate(incast.inputRate),
          m_outputRate(incast.outputRate),
          m_held(incast.inputs.size()),
          m_left(incast.framesOf)
    {
        m_left.resize(incast.inputs.size(), incast.frames);
    }

    RdmaIncastOutcome Run()
    {
        for (uint64_t wave = 0; !IsDecided(); ++wave)
        {
            const RdmaPs now = m_inputRate.BytesToPs(wave * m_incast.lineBytes);
            Depart(now, false);
            if (m_outcome.slowedAt != RDMA_NEVER && now > m_outcome.slowedAt + m_incast.inputDelay)
            {
                return m_outcome;
            }
            bool any = false;
            for (std::size_t i = 0; i < m_incast.inputs.size(); ++i)
            {
                any = any || m_left[i] > 0;
                if (m_left[i] > 0 && TakesPart(i, wave))
                {
                    --m_left[i];
                    Arrive(i, now);
                    Depart(now, true);
                }
            }
            if (!any)
            {
                break;
            }
        }
        Depart(RDMA_NEVER, false);
        return m_outcome;
    }

  private:
    /** \return true if the rest of the incast can show nothing new */
    bool IsDecided() const
    {
        // The queue of a lossy class stops growing once frames are dropped.
        return m_outcome.drop && (!m_outcome.pause || (m_outcome.mark && m_outcome.signal));
    }

    /** \return true if a sender has a frame in a wave */
    bool TakesPart(std::size_t sender, uint64_t wave) const
    {
        const double share = m_incast.shares.empty() ? 1 : m_incast.shares[sender];
        const auto count = [share](uint64_t waves) {
            return static_cast<uint64_t>(share * static_cast<double>(waves));
        };
        return wave == 0 || count(wave) > count(wave - 1);
    }

    uint64_t GetQueueBytes() const
    {
        return uint64_t{m_incast.frameBytes} * m_queue.size();
    }

    /**
     * \return bytes that wait from the ingress port of a sender, without the frame of the sender
     *         that is just arriving or leaving
     */
    uint64_t GetInputBytes(std::size_t sender) const
    {
        uint64_t bytes = 0;
        for (std::size_t i = 0; i < m_held.size(); ++i)
        {
            bytes += m_incast.inputs[i] == m_incast.inputs[sender] ? m_held[i] : 0;
        }
        return bytes - m_incast.frameBytes;
    }

    /** Records an event unless it has occurred before. */
    void Note(std::optional<RdmaIncastEvent>& event, RdmaPs now, std::size_t sender) const
    {
        if (!event)
        {
            event = RdmaIncastEvent{now,
                                    GetQueueBytes(),
                                    m_held[sender],
                                    static_cast<uint32_t>(m_held.size())};
        }
    }

    /** Applies the marking curves to a queue length. */
    void Mark(bool atDeparture, uint64_t queueBytes, RdmaPs now, std::size_t sender)
    {
        for (const QbbMarkCurve& curve : m_incast.marks)
        {
            const uint64_t own = curve.countsPacket ? m_incast.frameBytes : 0;
            const uint64_t counted = curve.perInput ? GetInputBytes(sender) : queueBytes;
            const double chance = curve.thresholds.GetProbability(counted + own);
            if (curve.atDeparture != atDeparture || chance == 0)
            {
                continue;
            }
            Note(m_outcome.mayMark, now, sender);
            m_expectedMarks += chance;
            if (m_expectedMarks >= 1 - ROUNDING)
            {
                Note(m_outcome.mark, now, sender);
                Slow(m_incast.reactToMarks, now, atDeparture ? 0 : queueBytes);
            }
        }
    }

    /** Records when a sender slows down, if \p reacts is true and no sender has slowed down yet. */
    void Slow(bool reacts, RdmaPs now, uint64_t queueBytes)
    {
        if (reacts && m_outcome.slowedAt == RDMA_NEVER && m_incast.feedback != RDMA_NEVER)
        {
            m_outcome.slowedAt = now + m_outputRate.BytesToPs(queueBytes) + m_incast.feedback;
        }
    }

    /** Passes a frame of a sender to the buffer manager. */
    void Arrive(std::size_t sender, RdmaPs now)
    {
        const uint16_t input = m_incast.inputs[sender];
        const auto admit = [&] {
            return m_buffer.Admit(input, m_incast.output, m_incast.priority, m_incast.frameBytes);
        };
        QbbAdmission admission = admit();
        while (admission.pushOut && !m_queue.empty())
        {
            Note(m_outcome.drop, now, m_queue.back());
            Release(m_queue.back());
            m_queue.pop_back();
            admission = admit();
        }
        if (!admission.admitted)
        {
            Note(m_outcome.drop, now, sender);
        }
        else
        {
            m_held[sender] += m_incast.frameBytes;
            Mark(false, GetQueueBytes(), now, sender);
            if (GetQueueBytes() > m_incast.signalBytes)
            {
                Note(m_outcome.signal, now, sender);
                Slow(!m_incast.reactToMarks, now, GetQueueBytes());
            }
            m_queue.push_back(sender);
        }
        if (admission.xoff)
        {
            Note(m_outcome.pause, now, sender);
            m_left[sender] = std::min(m_left[sender], m_incast.framesAfterPause);
        }
    }

    /** Sends the frames whose transmission begins before an instant, or at it if \p inclusive. */
    void Depart(RdmaPs now, bool inclusive)
    {
        while (!m_queue.empty() && (m_next < now || (inclusive && m_next == now)))
        {
            const std::size_t sender = m_queue.front();
            m_queue.pop_front();
            Mark(true, GetQueueBytes(), m_next, sender);
            Release(sender);
            m_sentBytes += m_incast.lineBytes;
            m_next = m_idleSince + m_outputRate.BytesToPs(m_sentBytes);
        }
        if (m_queue.empty() && m_next < now)
        {
            m_next = m_idleSince = now;
            m_sentBytes = 0;
        }
    }

    void Release(std::size_t sender)
    {
        m_held[sender] -= m_incast.frameBytes;
        if (m_buffer.Release(m_incast.inputs[sender],
                             m_incast.output,
                             m_incast.priority,
                             m_incast.frameBytes))
        {
            while (m_buffer.TakeResumed())
            {
            }
        }
    }

    static constexpr double ROUNDING = 1e-9; //!< rounding error of a sum of probabilities

    QbbBufferManager& m_buffer;      //!< the buffer manager on trial
    const RdmaIncast& m_incast;      //!< the incast
    const RdmaLineRate m_inputRate;  //!< rate of the ingress ports
    const RdmaLineRate m_outputRate; //!< rate of the egress port
    std::deque<std::size_t> m_queue; //!< senders of the frames in the egress queue
    std::vector<uint64_t> m_held;    //!< bytes that the buffer holds of each sender
    std::vector<uint64_t> m_left;    //!< frames that each sender has yet to send
    RdmaPs m_next{0};                //!< when the egress port may send its next frame
    RdmaPs m_idleSince{0};           //!< start of the egress port's current train of frames
    uint64_t m_sentBytes{0};         //!< line bytes of the current train
    double m_expectedMarks{0};       //!< expected number of marks
    RdmaIncastOutcome m_outcome;     //!< first events
};

/** \return bytes that a line carries in a time, rounded down */
uint64_t
GetBytesIn(RdmaBitRate rate, RdmaPs time)
{
    return static_cast<uint64_t>(static_cast<double>(rate) * static_cast<double>(time) / 8e12);
}

/** \return true if an ingress port, or all of them together, have too little headroom */
bool
LacksHeadroom(const QbbSwitch& sw, const RdmaPortPair& pair, uint8_t priority)
{
    const auto buffer = GetRdmaBuffer(sw);
    const auto profiles = sw.GetPortProfiles();
    uint64_t sum = 0;
    uint64_t pool = 0;
    for (const uint16_t input : pair.inputs)
    {
        const QbbIngressTerms terms =
            buffer ? buffer->GetTerms(input, priority) : QbbIngressTerms();
        const uint64_t needed = QbbPfcHeadroom::GetBytes(profiles[input]);
        if (terms.headroomBytes < needed)
        {
            return true;
        }
        sum += needed;
        pool = terms.headroomPoolBytes;
    }
    return pool < sum;
}

/**
 * Adds the outcome of the next larger incast to a forecast.
 * \param forecast the forecast
 * \param outcome the outcome
 * \param terms times of a pause
 * \param senders number of senders
 */
void
AddOutcome(RdmaIncastForecast& forecast,
           const RdmaIncastOutcome& outcome,
           const QbbPfcHeadroom& terms,
           uint32_t senders)
{
    RdmaPs pfcAt = RDMA_NEVER;
    if (outcome.pause)
    {
        pfcAt = outcome.pause->at + terms.pause + terms.cable / 2 + terms.reaction;
    }
    if (outcome.pause && !forecast.smallest.pause)
    {
        forecast.controlAt = outcome.slowedAt;
        forecast.pfcAt = pfcAt;
    }
    for (const auto event : {&RdmaIncastOutcome::mayMark,
                             &RdmaIncastOutcome::mark,
                             &RdmaIncastOutcome::signal,
                             &RdmaIncastOutcome::pause,
                             &RdmaIncastOutcome::drop})
    {
        if (!(forecast.smallest.*event))
        {
            forecast.smallest.*event = outcome.*event;
        }
    }
    if (pfcAt < outcome.slowedAt && !forecast.pfcFirst)
    {
        forecast.pfcFirst = senders;
    }
    else if (outcome.slowedAt != RDMA_NEVER && !forecast.pfcFirst)
    {
        forecast.controlFirst = senders;
    }
}

/** Finds the largest incasts. */
class RdmaRunIncastFinder
{
  public:
    RdmaRunIncastFinder(const RdmaFabric& fabric,
                        const std::vector<RdmaPortKind>& kinds,
                        uint8_t priority,
                        const RdmaSenderProfile& senders)
        : m_fabric(fabric),
          m_kinds(kinds),
          m_priority(priority),
          m_senders(senders),
          m_lineRate(senders.rate)
    {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        {
            for (const auto& port : kinds[kind].members)
            {
                m_ports[{port->node, port->number}] = {kind, port->name};
            }
        }
    }

    std::vector<RdmaRunIncast> Find(const RdmaFlowRunner& runner)
    {
        for (uint64_t i = 0; i < runner.GetNFlows(); ++i)
        {
            // Nobody knows before the run when a flow starts that waits for others.
            if ((runner.GetFlow(i).priority & 7) == m_priority && !runner.GetDependency(i))
            {
                AddFlow(runner.GetFlow(i), runner.GetFlowPath(i));
            }
        }
        std::map<std::size_t, std::pair<double, RdmaRunIncast>> largest; // by kind
        for (auto& [key, uses] : m_uses)
        {
            RdmaRunIncast incast = MakeIncast(key, GetBusiest(uses));
            const double waiting = GetWaiting(incast);
            auto& best = largest[incast.to];
            if (waiting > best.first)
            {
                best = {waiting, std::move(incast)};
            }
        }
        std::vector<RdmaRunIncast> incasts;
        for (auto& [kind, best] : largest)
        {
            if (best.first > 0 && Try(best.second))
            {
                incasts.push_back(std::move(best.second));
            }
        }
        return incasts;
    }

  private:
    using Key = std::pair<uint32_t, uint32_t>; //!< node id and port number

    /** A flow through an egress port. */
    struct Use
    {
        RdmaPs start{0};    //!< first frame
        RdmaPs end{0};      //!< last frame at line rate
        uint16_t input{0};  //!< number of the ingress port
        uint64_t frames{0}; //!< frames of the flow
    };

    /** Notes a flow at the egress ports of switches on its path. */
    void AddFlow(const RdmaFlow& flow, const std::vector<Ptr<QbbNetDevice>>& path)
    {
        const uint32_t first = m_fabric.GetNode(0)->GetId();
        Use use;
        use.frames = m_senders.GetFrames(flow.bytes);
        use.start = flow.start;
        use.end = flow.start + m_lineRate.BytesToPs(use.frames * m_senders.lineBytes);
        for (std::size_t hop = 1; hop < path.size(); ++hop)
        {
            use.input = path[hop - 1]->GetPeer()->GetPortNumber();
            m_uses[{path[hop]->GetNodeId() - first, path[hop]->GetPortNumber()}].push_back(use);
        }
    }

    /** \return the flows through a port at the moment with most flows */
    static std::vector<Use> GetBusiest(std::vector<Use>& uses)
    {
        std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
            return a.start < b.start;
        });
        std::multimap<RdmaPs, std::size_t> active; // by end
        std::vector<std::size_t> most;
        for (std::size_t i = 0; i < uses.size(); ++i)
        {
            active.erase(active.begin(), active.upper_bound(uses[i].start));
            active.emplace(uses[i].end, i);
            const bool isLast = i + 1 == uses.size() || uses[i + 1].start > uses[i].start;
            if (isLast && active.size() > most.size())
            {
                most.clear();
                for (const auto& [end, use] : active)
                {
                    most.push_back(use);
                }
            }
        }
        std::vector<Use> busiest;
        for (const std::size_t i : most)
        {
            busiest.push_back(uses[i]);
        }
        return busiest;
    }

    RdmaRunIncast MakeIncast(const Key& key, const std::vector<Use>& uses) const
    {
        RdmaRunIncast incast;
        incast.node = key.first;
        incast.output = static_cast<uint16_t>(key.second);
        std::tie(incast.to, incast.port) = m_ports.at(key);
        std::map<uint16_t, RdmaRunIncast::Input> inputs;
        for (const Use& use : uses)
        {
            RdmaRunIncast::Input& input = inputs[use.input];
            input.port = use.input;
            input.kind = m_ports.at({key.first, use.input}).first;
            ++input.flows;
            input.frames += use.frames;
        }
        for (const auto& [number, input] : inputs)
        {
            incast.inputs.push_back(input);
        }
        return incast;
    }

    /** \return rate at which frames come through an ingress port */
    double GetRate(const RdmaRunIncast::Input& input) const
    {
        return std::min(static_cast<double>(m_kinds[input.kind].rate),
                        static_cast<double>(input.flows) * static_cast<double>(m_senders.rate));
    }

    /** \return frames that wait in the end if none of them is held back; 0: the port keeps up */
    double GetWaiting(const RdmaRunIncast& incast) const
    {
        double rate = 0;
        double frames = 0;
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            rate += GetRate(input);
            frames += static_cast<double>(input.frames);
        }
        const auto out = static_cast<double>(m_kinds[incast.to].rate);
        return rate > out ? frames * (1 - out / rate) : 0;
    }

    /** Tries an incast. \return false if the buffer manager cannot be copied */
    bool Try(RdmaRunIncast& incast) const
    {
        const QbbSwitch& sw = *m_fabric.GetSwitch(incast.node);
        const auto buffer = CopyRdmaBuffer(sw);
        if (!buffer)
        {
            return false;
        }
        RdmaIncast trial;
        RdmaBitRate fastest{0};
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            fastest = std::max(fastest, m_kinds[input.kind].rate);
        }
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            trial.inputs.push_back(input.port);
            trial.framesOf.push_back(input.frames);
            trial.shares.push_back(GetRate(input) / static_cast<double>(fastest));
        }
        trial.output = incast.output;
        trial.priority = m_priority;
        trial.inputRate = fastest;
        const RdmaRunIncast::Input& first = incast.inputs.front();
        DescribeRdmaIncast(trial,
                           m_senders,
                           m_kinds[first.kind].lossless,
                           m_kinds[incast.to],
                           sw.GetPortProfiles()[first.port]);
        incast.outcome = TryRdmaIncast(*buffer, trial);
        return true;
    }

    const RdmaFabric& m_fabric;               //!< the fabric
    const std::vector<RdmaPortKind>& m_kinds; //!< its ports
    uint8_t m_priority;                       //!< class of the flows
    const RdmaSenderProfile& m_senders;       //!< the senders
    const RdmaLineRate m_lineRate;            //!< line rate of a host
    /// Index of the kind, and name, of each port
    std::map<Key, std::pair<std::size_t, std::string>> m_ports;
    std::map<Key, std::vector<Use>> m_uses; //!< flows by egress port
};

} // namespace

RdmaIncastOutcome
TryRdmaIncast(QbbBufferManager& buffer, const RdmaIncast& incast)
{
    return RdmaIncastInProgress(buffer, incast).Run();
}

RdmaIngressRoom
TryRdmaIngress(QbbBufferManager& buffer,
               uint16_t input,
               uint16_t output,
               uint8_t priority,
               uint32_t frameBytes)
{
    RdmaIngressRoom room;
    QbbAdmission admission;
    uint64_t held = 0;
    do
    {
        room.holdsBytes = held;
        admission = buffer.Admit(input, output, priority, frameBytes);
        held += admission.admitted ? frameBytes : 0;
    } while (admission.admitted && !admission.xoff);
    room.pauses = admission.xoff;
    while (room.pauses && !room.xonBytes && held > 0)
    {
        held -= frameBytes;
        if (buffer.Release(input, output, priority, frameBytes))
        {
            room.xonBytes = held;
        }
    }
    return room;
}

uint64_t
RdmaSenderProfile::GetBdpBytes(RdmaBitRate rate) const
{
    return GetBytesIn(rate, rtt);
}

uint64_t
RdmaSenderProfile::GetFrames(uint64_t bytes) const
{
    if (burstBytes > 0)
    {
        return (burstBytes + payloadBytes - 1) / payloadBytes;
    }
    const uint64_t frames =
        bytes > 0 ? (bytes + payloadBytes - 1) / payloadBytes : GetBdpBytes(rate) / lineBytes;
    return std::max<uint64_t>(1, std::min(frames, maxInFlight));
}

uint64_t
RdmaSenderProfile::GetSendersBehind(RdmaBitRate portRate) const
{
    return std::max<uint64_t>(1, portRate / rate);
}

bool
RdmaSenderProfile::ReactsToMarks() const
{
    return control && control->GetMarking() != RdmaMarking::NONE;
}

RdmaPs
RdmaSenderProfile::GetAcceptedDelay() const
{
    RdmaPathProfile path;
    path.baseRtt = path.networkRtt = rtt;
    path.hops = links;
    return control ? control->GetAcceptedDelay(path) : RdmaPs(0);
}

RdmaSenderProfile
DescribeRdmaSenders(const RdmaFabric& fabric)
{
    const RdmaTopology& topology = fabric.GetTopology();
    const auto hosts = topology.GetHosts();
    const Ptr<RdmaNic> nic = fabric.GetNic(hosts.front());
    const RdmaPacketFormat& format = nic->GetTransport()->GetPacketFormat();
    RdmaSenderProfile senders;
    senders.control = nic->GetCongestionControl();
    senders.payloadBytes = nic->MakePrototype(RdmaNic::FIRST_QPN)->GetPathMtu();
    senders.rate = nic->GetPort(0)->GetLineRate().GetBitRate();
    senders.links = GetRdmaLongestPath(topology, 0, 0).links;
    senders.maxInFlight = nic->GetTransport()->GetMaxInFlight();
    uint32_t trailer = 0;
    if (senders.control)
    {
        const RdmaIntFormat telemetry = fabric.GetIntFormat(*senders.control);
        trailer = telemetry != RdmaIntFormat::NONE
                      ? QbbWire::IntTrailerBytes(telemetry, std::max(senders.links, 1U) - 1)
                  : senders.control->GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES
                                                                : 0;
    }
    const uint32_t overhead = nic->GetPort(0)->GetLineOverheadBytes();
    const auto bytes = [trailer](RdmaOpcode opcode, uint32_t payload) {
        return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), payload, false, trailer);
    };
    senders.frameBytes = bytes(format.write, senders.payloadBytes);
    senders.lineBytes = senders.frameBytes + overhead;
    senders.rtt =
        GetRdmaLongestPath(topology, senders.lineBytes, bytes(format.acknowledge, 0) + overhead)
            .roundTrip;
    return senders;
}

void
DescribeRdmaIncast(RdmaIncast& incast,
                   const RdmaSenderProfile& senders,
                   bool lossless,
                   const RdmaPortKind& to,
                   const QbbPortProfile& profile)
{
    incast.outputRate = to.rate;
    incast.frameBytes = senders.frameBytes;
    incast.lineBytes = senders.lineBytes;
    incast.marks = to.marks;
    if (lossless)
    {
        incast.framesAfterPause =
            QbbPfcHeadroom::GetTerms(profile).lineBytes / senders.lineBytes + 1;
    }
    if (!senders.control)
    {
        return;
    }
    incast.inputDelay = profile.delay + RdmaLineRate(incast.inputRate).BytesToPs(senders.lineBytes);
    incast.feedback = senders.rtt - incast.inputDelay;
    incast.reactToMarks = senders.ReactsToMarks();
    if (!incast.reactToMarks)
    {
        incast.signalBytes = GetBytesIn(to.rate, senders.GetAcceptedDelay());
    }
}

std::optional<RdmaIncastForecast>
ForecastRdmaIncast(const RdmaFabric& fabric,
                   const std::vector<RdmaPortKind>& kinds,
                   const RdmaPortPair& pair,
                   uint8_t priority,
                   const RdmaSenderProfile& senders,
                   uint64_t behind)
{
    const QbbSwitch& sw = *fabric.GetSwitch(pair.node);
    const RdmaPortKind& from = kinds[pair.from];
    const QbbPortProfile profile = sw.GetPortProfiles()[pair.inputs.front()];
    const bool mayDrop = !from.lossless || LacksHeadroom(sw, pair, priority);
    const auto terms = from.lossless ? QbbPfcHeadroom::GetTerms(profile) : QbbPfcHeadroom();
    RdmaIncast incast;
    incast.output = pair.output;
    incast.priority = priority;
    incast.inputRate = from.rate;
    incast.frames = senders.GetFrames(senders.flowBytes) * behind;
    DescribeRdmaIncast(incast, senders, from.lossless, kinds[pair.to], profile);
    RdmaIncastForecast forecast;
    forecast.pair = pair;
    forecast.behind = behind;
    forecast.frames = incast.frames;
    const RdmaIncastOutcome& smallest = forecast.smallest;
    for (uint32_t n = 1; n <= pair.inputs.size(); ++n)
    {
        if ((smallest.mark || incast.marks.empty()) && (smallest.pause || !from.lossless) &&
            (smallest.drop || !mayDrop) &&
            (forecast.pfcFirst || !senders.control || !from.lossless))
        {
            break; // Larger incasts can have no further effect.
        }
        // Senders whose total rate does not exceed the rate of the egress port build no lasting
        // queue.
        if (static_cast<double>(incast.inputRate) * n <= static_cast<double>(incast.outputRate))
        {
            continue;
        }
        const auto buffer = CopyRdmaBuffer(sw);
        if (!buffer)
        {
            return std::nullopt;
        }
        incast.inputs.assign(pair.inputs.begin(), pair.inputs.begin() + n);
        AddOutcome(forecast, TryRdmaIncast(*buffer, incast), terms, n);
    }
    return forecast;
}

uint64_t
RdmaRunIncast::GetNFlows() const
{
    return std::accumulate(inputs.begin(),
                           inputs.end(),
                           uint64_t{0},
                           [](uint64_t sum, const Input& i) { return sum + i.flows; });
}

std::vector<RdmaRunIncast>
FindRdmaRunIncasts(const RdmaFabric& fabric,
                   const RdmaFlowRunner& runner,
                   const std::vector<RdmaPortKind>& kinds,
                   uint8_t priority,
                   const RdmaSenderProfile& senders)
{
    return RdmaRunIncastFinder(fabric, kinds, priority, senders).Find(runner);
}

uint64_t
CountRdmaRunFlows(const std::vector<RdmaRunIncast>& incasts, const RdmaPortPair& pair)
{
    uint64_t flows = 0;
    for (const RdmaRunIncast& incast : incasts)
    {
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            if (incast.to == pair.to && input.kind == pair.from)
            {
                flows = std::max(flows, input.flows);
            }
        }
    }
    return flows;
}

} // namespace ns3
