/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-headroom-probe.h"

#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"
#include "rdma-fabric-helper.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-topology.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/nstime.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint8_t LOSSLESS = 3;
/// Number of full packets below the XOFF threshold; XON must be two frames below XOFF.
constexpr uint32_t BELOW = 6;
/// RDMA WRITE with immediate data has the longest headers: RETH 16 B, immediate data 4 B.
constexpr uint32_t FRAME_OVERHEAD_BYTES = QbbWire::ROCE_BASE_BYTES + 20 + QbbWire::VLAN_TAG_BYTES;
constexpr uint32_t PACKET_OVERHEAD_BYTES =
    FRAME_OVERHEAD_BYTES - QbbWire::MAC_HEADER_BYTES - QbbWire::FCS_BYTES - QbbWire::VLAN_TAG_BYTES;
constexpr double PS_PER_METRE = 5000;
/// Start of the first packet; by then, the pause of host B has reached the switch.
constexpr RdmaPs LEAD = 20_us;
constexpr double MAX_AMPLE = 512e6;

/** Result of one simulation. */
struct RunResult
{
    QbbPortProfile profile; //!< profile of the port towards host A
    uint64_t drops{0};      //!< number of dropped frames of the lossless class
    uint32_t peakBytes{0};  //!< peak use of headroom in bytes
    RdmaPs crossed{0};      //!< arrival of the frame that crosses the threshold
};

/**
 * Runs one simulation.
 *
 * \param link the link
 * \param headroom headroom of the switch port in bytes
 * \param ample bytes that host A posts after the crossing packet
 * \param shorter payload of the packet after the crossing packet; 0: no shorter packet
 * \param block time at which the port towards A begins a frame of the largest size; 0: never
 */
RunResult
RunProbe(const RdmaHeadroomCase& link,
         uint32_t headroom,
         uint32_t ample,
         uint32_t shorter,
         RdmaPs block)
{
    RdmaFabricHelper helper;
    RdmaSimulatorImpl::RequireOneThread("the headroom probe sends packets of ns-3");
    // With this MTU, the largest frame of a port equals a full packet of host A.
    const uint32_t packet = link.mtu + PACKET_OVERHEAD_BYTES;
    const uint32_t frame = link.mtu + FRAME_OVERHEAD_BYTES;
    helper.SetDeviceAttribute("Mtu", UintegerValue(packet));
    helper.SetDeviceAttribute("TagFrames", BooleanValue(true));
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(1U << LOSSLESS));
    helper.SetDeviceAttribute("PauseReactionDelay", TimeValue(PicoSeconds(link.reaction.Get())));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(link.mtu));
    helper.SetBufferAttribute("ReserveBytes", UintegerValue(0));
    helper.SetBufferAttribute("HeadroomBytes", UintegerValue(headroom));
    helper.SetBufferAttribute("XoffBytes", UintegerValue(BELOW * frame));
    helper.SetBufferAttribute("BufferSize", UintegerValue(UINT32_MAX));

    RdmaTopology topology;
    const uint32_t a = topology.AddHost();
    const uint32_t b = topology.AddHost();
    const uint32_t sw = topology.AddSwitch();
    topology.AddLink(a, sw, link.rate, link.delay);
    topology.AddLink(sw, b, link.rate, GetRdmaCableDelay(1));
    const Ptr<RdmaFabric> fabric = helper.Install(topology);

    RunResult result;
    const Ptr<QbbNetDevice> port = fabric->GetDevice(0, sw);
    const auto senders = fabric->Connect(a, b, LOSSLESS);
    const auto post = [qp = senders.first](uint32_t count, uint32_t bytes) {
        RdmaSendRequest request;
        request.opcode = RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
        request.length = bytes;
        for (uint32_t i = 0; i < count; ++i)
        {
            qp->PostSend(request);
        }
    };
    const Ptr<QbbSwitch> chip = fabric->GetSwitch(sw);
    port->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
            // This event precedes the admission of the frame. The frame that finds BELOW full
            // frames in the buffer crosses the threshold.
            const uint32_t held =
                chip->GetBufferManager()->GetIngress(port->GetPortNumber(), LOSSLESS).bytes;
            if (result.crossed == 0_ps && held == BELOW * frame)
            {
                result.crossed = RdmaNow();
            }
        }));
    Simulator::Schedule(PicoSeconds(1), [&]() {
        fabric->GetDevice(1, b)->GetFlowControl().RequestPause(LOSSLESS, true);
    });
    Simulator::Schedule(PicoSeconds(LEAD.Get()), [&]() {
        post(BELOW + 1, link.mtu);
        post(shorter > 0 ? 1 : 0, shorter);
        post(ample / link.mtu + 1, link.mtu);
    });
    if (block > 0_ps)
    {
        Simulator::Schedule(PicoSeconds(block.Get()), [&]() {
            constexpr uint16_t LOCAL_EXPERIMENT = 0x88b6;
            port->Send(Create<Packet>(packet), port->GetPeer()->GetMac(), LOCAL_EXPERIMENT);
        });
    }
    // Long enough for the first packets of host A and for several round trips of a pause frame.
    const RdmaLineRate rate(link.rate);
    Simulator::Stop(
        RdmaToTime(LEAD + rate.BytesToPs(64 * frame) + 8 * link.delay + 4 * link.reaction));
    Simulator::Run();

    result.profile = chip->GetPortProfiles().at(port->GetPortNumber());
    result.drops =
        port->GetCounters().dropsByReason[static_cast<std::size_t>(QbbDropReason::HEADROOM_FULL)];
    result.peakBytes =
        chip->GetBufferManager()->GetIngress(port->GetPortNumber(), LOSSLESS).peakHeadroomBytes;
    Simulator::Destroy();
    return result;
}

void
CheckProbe(bool right, const std::string& what, const std::string& accepted)
{
    RefuseRdmaIf(!right, "headroom probe: " + what + "; accepted: " + accepted);
}

/**
 * \param terms terms of the headroom formula
 * \param link the link
 * \param overhead bytes of preamble and inter-packet gap
 * \return payload of the shorter packet that lets a full packet begin immediately before the pause
 *         takes effect; 0: no shorter packet is needed
 */
uint32_t
GetShorter(const QbbPfcHeadroom& terms, const RdmaHeadroomCase& link, uint32_t overhead)
{
    const uint32_t line = link.mtu + FRAME_OVERHEAD_BYTES + overhead;
    const uint64_t rest = terms.lineBytes % line;
    // Largest payload, in words of 4 bytes, whose packet is shorter than the rest; at least 1 word.
    const uint64_t headers = FRAME_OVERHEAD_BYTES + overhead + 1;
    return rest > headers + 4 ? static_cast<uint32_t>((rest - headers) / 4 * 4) : 0;
}

} // namespace

RdmaPs
GetRdmaCableDelay(double length)
{
    std::ostringstream text;
    text << length << " m of cable";
    CheckProbe(length >= 0 && length <= 2e8, text.str(), "0 to 200000000 m");
    return std::max(1_ps, RdmaPs(std::llround(length * PS_PER_METRE)));
}

RdmaHeadroomFinding
FindRdmaHeadroom(const RdmaHeadroomCase& link)
{
    const bool power = link.mtu == 256 || link.mtu == 512 || link.mtu == 1024 || link.mtu == 2048 ||
                       link.mtu == 4096;
    CheckProbe(power, "an MTU of " + std::to_string(link.mtu), "256, 512, 1024, 2048, 4096");
    CheckProbe(link.rate > 0_bps && link.rate <= RDMA_MAX_RATE,
               std::to_string(link.rate.Get()) + " bit/s",
               "1 bit/s to 8 Tb/s");
    CheckProbe(link.delay > 0_ps && link.delay <= RDMA_MAX_DELAY,
               "a cable of " + std::to_string(link.delay.Get()) + " ps",
               "1 ps to 1 s");
    CheckProbe(link.reaction >= 0_ps && link.reaction <= RDMA_MAX_DELAY,
               "a reaction time of " + std::to_string(link.reaction.Get()) + " ps",
               "0 to 1 s");

    RdmaHeadroomFinding finding;
    const uint32_t frame = link.mtu + FRAME_OVERHEAD_BYTES;
    const double twice = 16.0 * frame + 2 * static_cast<double>(2 * link.delay + link.reaction) /
                                            8e12 * static_cast<double>(link.rate);
    CheckProbe(twice < MAX_AMPLE, "a link that needs that much headroom", "at most 256 MB of it");
    const auto ample = static_cast<uint32_t>(twice);
    const RunResult first = RunProbe(link, ample, ample, 0, 0_ps);
    finding.runs = 1;
    const QbbPfcHeadroom terms = QbbPfcHeadroom::GetTerms(first.profile);
    finding.formulaBytes = terms.totalBytes;
    finding.inFlightBytes = terms.inFlightBytes;
    finding.frameBytes = static_cast<uint32_t>(terms.crossingBytes);

    const uint32_t full = link.mtu;
    const uint32_t best = GetShorter(terms, link, first.profile.lineOverheadBytes);
    uint32_t shorter = 0;
    for (const uint32_t candidate : {0U, best, full / 2, full - 4})
    {
        const RunResult run = RunProbe(link, ample, ample, candidate, first.crossed - 1_ps);
        ++finding.runs;
        if (run.peakBytes > finding.peakBytes)
        {
            finding.peakBytes = run.peakBytes;
            shorter = candidate;
        }
    }

    // Invariant: frames are lost with headroom `loses` (or none), and no frame with `enough`.
    uint32_t loses = 0;
    uint32_t enough = ample;
    while (enough - loses > 1)
    {
        const uint32_t middle = loses + (enough - loses) / 2;
        const RunResult run = RunProbe(link, middle, ample, shorter, first.crossed - 1_ps);
        ++finding.runs;
        (run.drops > 0 ? loses : enough) = middle;
    }
    finding.smallestBytes = enough;
    return finding;
}

} // namespace ns3
