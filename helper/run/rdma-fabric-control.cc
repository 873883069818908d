/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ecn-marker.h"
#include "qbb-wire.h"
#include "rdma-attribute-text.h"
#include "rdma-congestion-control.h"
#include "rdma-fabric-setup.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <ns3/double.h>
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

void
ConfigureEcn(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    const std::string& text = options.ecn;
    if (text == "auto")
    {
        // The helper asks the congestion control. The option marker adds to the curve.
        if (options.marker != "none" && options.marking == "curve")
        {
            helper.EnableEcn(IsRdmaEcnOn(options));
        }
        return;
    }
    if (text == "on" || text == "off")
    {
        // With a detector in place of the curve, "on" means that packets are ECN-capable.
        helper.EnableEcn(text == "on" && options.marking == "curve");
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
        for (const std::string name : {"Kmin", "Kmax", "Pmax"})
        {
            RefuseRdmaIf(IsRdmaDefaultGiven(QbbEcnMarker::GetTypeId(), name),
                         text + " with --ns3::QbbEcnMarker::" + name +
                             "; accepted: one of the two");
        }
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

void
ConfigureRdmaControl(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    const RdmaPart part = ParseControl(options);
    const auto control = part.Create<RdmaCongestionControl>();
    const RdmaMarking marking = control ? control->GetMarking() : RdmaMarking::NONE;
    ConfigureEcn(helper, options);
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
}

} // namespace ns3
