/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-incast-forecast.h"

#include "qbb-line-rate.h"
#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"
#include "rdma-bdp.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** \return bytes that a line carries in a time, rounded down */
uint64_t
GetBytesIn(QbbBitRate rate, QbbPs time)
{
    return static_cast<uint64_t>(static_cast<double>(rate) * static_cast<double>(time) / 8e12);
}

/** Keeps the incast if it is the first one with an effect. */
void
KeepSmallest(std::optional<RdmaIncastDegree>& smallest,
             const std::optional<RdmaIncastEvent>& event,
             uint32_t senders)
{
    if (!smallest && event)
    {
        smallest = RdmaIncastDegree{senders, *event};
    }
}

/** Tries incasts of increasing degree. */
class RdmaIncastForecaster
{
  public:
    RdmaIncastForecaster(const QbbSwitch& sw,
                         const RdmaPortKind& from,
                         const RdmaPortKind& to,
                         const RdmaPortPair& pair,
                         uint8_t priority,
                         const RdmaSenderProfile& senders,
                         uint64_t behind)
        : m_switch(sw),
          m_senders(senders)
    {
        const QbbPortProfile profile = sw.GetPortProfiles()[pair.inputs.front()];
        m_incast.output = pair.output;
        m_incast.priority = priority;
        m_incast.inputRate = from.settings.rate;
        m_incast.frames = senders.GetFrames(senders.flowBytes) * behind;
        DescribeRdmaIncast(m_incast, senders, from.settings.lossless, to.settings, profile);
        if (from.settings.lossless)
        {
            m_terms = QbbPfcHeadroom::GetTerms(profile);
        }
        m_lossless = from.settings.lossless;
        m_mayDrop = !m_lossless || LacksHeadroom(pair, priority);
        m_forecast.pair = pair;
        m_forecast.behind = behind;
        m_forecast.frames = m_incast.frames;
    }

    std::optional<RdmaIncastForecast> Run()
    {
        const auto& inputs = m_forecast.pair.inputs;
        for (uint32_t n = 1; n <= inputs.size() && !IsComplete(); ++n)
        {
            // Senders whose total rate does not exceed the rate of the egress port build no lasting
            // queue.
            const auto arriving = static_cast<double>(m_incast.inputRate) * n;
            if (arriving <= static_cast<double>(m_incast.outputRate))
            {
                continue;
            }
            const auto buffer = CopyRdmaBuffer(m_switch);
            if (!buffer)
            {
                return std::nullopt;
            }
            m_incast.inputs.assign(inputs.begin(), inputs.begin() + n);
            Add(TryRdmaIncast(*buffer, m_incast), n);
        }
        return m_forecast;
    }

  private:
    /** \return true if an ingress port, or all of them together, have too little headroom */
    bool LacksHeadroom(const RdmaPortPair& pair, uint8_t priority) const
    {
        const auto buffer = CopyRdmaBuffer(m_switch);
        const auto profiles = m_switch.GetPortProfiles();
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

    /** \return true if larger incasts can have no further effect */
    bool IsComplete() const
    {
        return (m_forecast.mark || m_incast.marks.empty()) && (m_forecast.pause || !m_lossless) &&
               (m_forecast.drop || !m_mayDrop) &&
               (m_forecast.pfcFirst || !m_senders.control || !m_lossless);
    }

    /** Adds the outcome of an incast of n senders. */
    void Add(const RdmaIncastOutcome& outcome, uint32_t n)
    {
        KeepSmallest(m_forecast.mayMark, outcome.mayMark, n);
        KeepSmallest(m_forecast.mark, outcome.mark, n);
        KeepSmallest(m_forecast.signal, outcome.signal, n);
        KeepSmallest(m_forecast.drop, outcome.drop, n);
        const QbbPs controlAt = outcome.slowedAt;
        QbbPs pfcAt = QBB_NEVER;
        if (outcome.pause)
        {
            pfcAt = outcome.pause->at + m_terms.pause + m_terms.cable / 2 + m_terms.reaction;
        }
        if (outcome.pause && !m_forecast.pause)
        {
            m_forecast.controlAt = controlAt;
            m_forecast.pfcAt = pfcAt;
        }
        KeepSmallest(m_forecast.pause, outcome.pause, n);
        if (pfcAt < controlAt && !m_forecast.pfcFirst)
        {
            m_forecast.pfcFirst = n;
        }
        else if (controlAt != QBB_NEVER && !m_forecast.pfcFirst)
        {
            m_forecast.controlFirst = n;
        }
    }

    const QbbSwitch& m_switch;          //!< the switch
    const RdmaSenderProfile& m_senders; //!< the senders
    QbbPfcHeadroom m_terms;             //!< times of a pause; zeros for a lossy class
    RdmaIncast m_incast;                //!< the current incast
    bool m_lossless{false};             //!< the ingress ports pause the class
    bool m_mayDrop{false};              //!< frames may be dropped
    RdmaIncastForecast m_forecast;      //!< result
};

} // namespace

uint64_t
RdmaSenderProfile::GetBdpBytes(QbbBitRate rate) const
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
RdmaSenderProfile::GetSendersBehind(QbbBitRate portRate) const
{
    return std::max<uint64_t>(1, portRate / rate);
}

bool
RdmaSenderProfile::ReactsToMarks() const
{
    return control && control->GetMarking() != RdmaMarking::NONE;
}

QbbPs
RdmaSenderProfile::GetAcceptedDelay() const
{
    RdmaPathProfile path;
    path.baseRtt = path.networkRtt = rtt;
    path.hops = links;
    return control ? control->GetAcceptedDelay(path) : QbbPs(0);
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
    senders.links = GetRdmaLongestLinks(topology);
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
        GetRdmaLongestRtt(topology, senders.lineBytes, bytes(format.acknowledge, 0) + overhead);
    return senders;
}

void
DescribeRdmaIncast(RdmaIncast& incast,
                   const RdmaSenderProfile& senders,
                   bool lossless,
                   const RdmaPortSettings& to,
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
    incast.inputDelay = profile.delay + QbbLineRate(incast.inputRate).BytesToPs(senders.lineBytes);
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
    return RdmaIncastForecaster(*fabric.GetSwitch(pair.node),
                                kinds[pair.from],
                                kinds[pair.to],
                                pair,
                                priority,
                                senders,
                                behind)
        .Run();
}

} // namespace ns3
