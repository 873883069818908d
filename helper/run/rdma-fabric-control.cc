/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"
#include "qbb-time.h"
#include "qbb-wire.h"
#include "rdma-attribute-text.h"
#include "rdma-bdp.h"
#include "rdma-congestion-control.h"
#include "rdma-fabric-setup.h"
#include "rdma-nic.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/** \param options options of the run \return the congestion control named by the option cc */
RdmaPart
ParseControl(const RdmaFabricOptions& options)
{
    return ParseRdmaOption("cc", [&options] {
        return RdmaPart::ParseOptional(options.cc, RdmaCongestionControl::GetTypeId());
    });
}

/** \param options options of the run \return the congestion control of the run, or null */
Ptr<RdmaCongestionControl>
MakeControl(const RdmaFabricOptions& options)
{
    return ParseControl(options).Create<RdmaCongestionControl>();
}

/** Sets the marking step of DCTCP unless the user has configured a marking curve. */
void
ConfigureStep(RdmaFabricHelper& helper,
              const RdmaFabricOptions& options,
              const RdmaTopology& topology)
{
    const TypeId marker = QbbEcnMarker::GetTypeId();
    if (IsRdmaDefaultGiven(marker, "Kmin") || IsRdmaDefaultGiven(marker, "Kmax") ||
        IsRdmaDefaultGiven(marker, "Pmax") || IsRdmaDefaultGiven(marker, "ReferenceRate"))
    {
        return;
    }
    constexpr QbbBitRate REFERENCE = 100_gbps;
    const uint64_t step = GetRdmaDctcpStep(topology, options.mtu, REFERENCE);
    helper.SetEcnAttribute("Kmin", UintegerValue(step));
    helper.SetEcnAttribute("Kmax", UintegerValue(step));
    helper.SetEcnAttribute("ReferenceRate", DataRateValue(REFERENCE.ToDataRate()));
}

void
ConfigureEcn(RdmaFabricHelper& helper,
             const RdmaFabricOptions& options,
             RdmaMarking marking,
             const RdmaTopology& topology)
{
    const std::string& text = options.ecn;
    if (text == "auto" || text == "on" || text == "off")
    {
        if (marking == RdmaMarking::STEP)
        {
            ConfigureStep(helper, options, topology);
        }
        helper.EnableEcn(IsRdmaEcnOn(options) && options.marking == "curve");
        return;
    }
    ParseRdmaOption("ecn", [&] {
        const auto parts = SplitRdmaPart(text, ':');
        RefuseRdmaIf(parts.size() != 3,
                     "\"" + text +
                         "\"; accepted: auto, on, off, or KMIN:KMAX:PMAX at "
                         "40 Gb/s, as in 5KB:200KB:0.01");
        const uint64_t kmin = ParseRdmaBytes(parts[0]);
        const uint64_t kmax = ParseRdmaBytes(parts[1]);
        const double pmax = ParseRdmaReal(parts[2]);
        RefuseRdmaIf(kmin > kmax || !(pmax > 0 && pmax <= 1),
                     "\"" + text + "\"; accepted: KMIN at most KMAX, PMAX above 0 and at most 1");
        helper.SetEcnAttribute("Kmin", UintegerValue(kmin));
        helper.SetEcnAttribute("Kmax", UintegerValue(kmax));
        helper.SetEcnAttribute("Pmax", DoubleValue(pmax));
    });
}

} // namespace

bool
IsRdmaEcnOn(const RdmaFabricOptions& options)
{
    if (options.ecn != "auto")
    {
        return options.ecn != "off";
    }
    const auto control = MakeControl(options);
    return control && control->GetMarking() != RdmaMarking::NONE;
}

uint32_t
GetRdmaControlBytes(const RdmaFabricOptions& options)
{
    const auto control = MakeControl(options);
    if (!control)
    {
        return 0;
    }
    if (control->GetIntFormat() != RdmaIntFormat::NONE)
    {
        // Upper bound for telemetry of any format over any path.
        return QbbWire::IntTrailerBytes(RdmaIntFormat::EXACT, RDMA_INT_MAX_HOPS);
    }
    return control->GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES : 0;
}

uint64_t
GetRdmaDctcpStep(const RdmaTopology& topology, uint32_t payloadBytes, QbbBitRate rate)
{
    constexpr uint32_t OVERHEAD = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
    const auto bytes = [](RdmaOpcode opcode, uint32_t payload) {
        return QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), payload, false) + OVERHEAD;
    };
    const uint32_t packet = bytes(RdmaOpcode::RDMA_WRITE_MIDDLE, payloadBytes);
    const QbbPs rtt = GetRdmaLongestRtt(topology, packet, bytes(RdmaOpcode::ACKNOWLEDGE, 0));
    const double product = 1.0 / 8e12 * static_cast<double>(rate) * static_cast<double>(rtt);
    return static_cast<uint64_t>(product);
}

void
ConfigureRdmaControl(RdmaFabricHelper& helper,
                     const RdmaFabricOptions& options,
                     const RdmaTopology& topology)
{
    const RdmaPart part = ParseControl(options);
    const auto control = part.Create<RdmaCongestionControl>();
    const RdmaMarking marking = control ? control->GetMarking() : RdmaMarking::NONE;
    ConfigureEcn(helper, options, marking, topology);
    if (!control)
    {
        return;
    }
    RefuseRdmaIf(options.transport == "iwarp",
                 "--cc: " + options.cc +
                     " with --transport=iwarp; accepted: none, for TCP has its own");
    RefuseRdmaIf(marking != RdmaMarking::NONE && !IsRdmaEcnOn(options),
                 "--ecn: " + options.ecn + " with --cc=" + options.cc +
                     "; accepted: auto, on, or KMIN:KMAX:PMAX");
    RefuseRdmaIf(control->NeedsEachAck() && options.ackInterval != 1,
                 "--ackInterval: " + std::to_string(options.ackInterval) + " with --cc=" +
                     options.cc + "; accepted: 1, for it looks at each acknowledgement");
    helper.SetCongestionControl(part.ToText());
    const auto interval = control->GetCnpInterval();
    if (interval && !IsRdmaDefaultGiven(RdmaNic::GetTypeId(), "CnpInterval"))
    {
        helper.SetNicAttribute("CnpInterval", TimeValue(QbbToTime(*interval)));
    }
}

} // namespace ns3
