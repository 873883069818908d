/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-time.h"
#include "rdma-attribute-text.h"
#include "rdma-fabric-setup.h"
#include "rdma-flow-runner-base.h"
#include "rdma-option.h"
#include "rdma-refuse.h"
#include "rdma-transport.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <initializer_list>

namespace ns3
{

namespace
{

/**
 * Sets an attribute unless an option, the text of the part or a default of the user sets it.
 *
 * \param part the part
 * \param candidates names of attributes, of which the first that the part has is set
 * \param value value of the attribute
 */
void
SetTransportDefault(RdmaPart& part,
                    std::initializer_list<const char*> candidates,
                    const AttributeValue& value)
{
    const auto* const found =
        std::find_if(candidates.begin(), candidates.end(), [&part](const char* attribute) {
            return part.HasAttribute(attribute);
        });
    if (found != candidates.end() && !part.Has(*found) &&
        !IsRdmaDefaultGiven(part.GetType(), *found))
    {
        part.Set(*found, value);
    }
}

/** \throws std::invalid_argument unless RtoLow is above 0 and at most RtoHigh */
void
CheckIrnTimeouts(const RdmaPart& part, const RdmaFabricOptions& options)
{
    if (!part.HasAttribute("RtoHigh") || !part.HasAttribute("RtoLow"))
    {
        return;
    }
    const auto transport = part.CreateObject();
    TimeValue low;
    TimeValue high;
    transport->GetAttribute("RtoLow", low);
    transport->GetAttribute("RtoHigh", high);
    RefuseRdmaIf(options.dynamicRto && high.Get().IsZero(),
                 "--dynamicRto with --rto=" + options.rto +
                     "; accepted: with a time above 0, the first timeout");
    const bool isOff = high.Get().IsZero() && options.rtoLow == "auto";
    RefuseRdmaIf(
        !isOff && (low.Get().IsZero() || low.Get() > high.Get()),
        "--rtoLow: " +
            (options.rtoLow == "auto" ? FormatRdmaTime(QbbToPs(low.Get())) : options.rtoLow) +
            " with --rto=" + options.rto + "; accepted: a time above 0, up to that of --rto");
}

} // namespace

RdmaPart
MakeRdmaTransportPart(const RdmaFabricOptions& options)
{
    const bool isTcp = options.transport == "iwarp";
    RdmaPart part = ParseRdmaOption("transport", [&] {
        return isTcp ? RdmaPart::Parse("ns3::RdmaTcpFlowRunner", RdmaFlowRunnerBase::GetTypeId())
                     : RdmaPart::ParseOptional(options.transport,
                                               RdmaTransport::GetTypeId(),
                                               "iwarp");
    });
    options.SetAttributes(part, "transport", "transport");
    SetTransportDefault(part, {"RetryCount", "DataRetries"}, UintegerValue(UINT32_MAX));
    for (const char* option : {"rtoLow", "rtoLowPackets"})
    {
        RefuseRdmaOption(option,
                         options.dynamicRto && options.IsGivenWith(option, "dynamicRto"),
                         "--dynamicRto, whose timeouts follow from round-trip times");
    }
    for (const char* option : {"retries", "rtoLowPackets"})
    {
        RefuseRdmaOption(option,
                         options.rto != "auto" && ParseRdmaTime(options.rto) == 0_ps &&
                             options.IsGivenWith(option, "rto"),
                         "--rto=" + options.rto);
    }
    RefuseRdmaIf(options.backOff && options.recovery != "go-back-n",
                 "--backOff with --recovery=" + options.recovery +
                     "; accepted: with --recovery=go-back-n");
    CheckIrnTimeouts(part, options);
    if (isTcp)
    {
        RefuseRdmaIf(options.rto != "auto" && ParseRdmaTime(options.rto) == 0_ps,
                     "--rto: " + options.rto +
                         " with --transport=iwarp; accepted: auto, or a time above 0");
        part.Set("SegmentSize", UintegerValue(options.mtu));
        part.Set("UseEcn", BooleanValue(IsRdmaEcnOn(options)));
    }
    return part;
}

void
ConfigureRdmaTransport(RdmaFabricHelper& helper,
                       const RdmaFabricOptions& options,
                       const RdmaTopology& topology)
{
    RdmaPart part = MakeRdmaTransportPart(options);
    if (options.transport == "iwarp")
    {
        helper.SetInternetStack(true);
        return;
    }
    const auto& links = topology.GetLinks();
    const bool isClean = std::all_of(links.begin(), links.end(), [](const auto& link) {
        return link.errorRate == 0;
    });
    if (const QbbPs storm = GetRdmaStormTimeout(options); storm > 0_ps && isClean)
    {
        SetTransportDefault(part,
                            {"RtoHigh", "RetransmissionTimeout"},
                            TimeValue(QbbToTime(storm)));
    }
    helper.SetTransport(part.ToText());
}

void
CheckRdmaTimers(const RdmaFabric& fabric, const RdmaFabricOptions& options, uint8_t classes)
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        const bool isUsed = options.transport != "iwarp" && (classes >> priority & 1);
        const std::string refusal = isUsed ? fabric.GetTimers().GetRefusal(priority) : "";
        RefuseRdmaIf(
            !refusal.empty(),
            "--rto: " + options.rto + "; " + refusal +
                "; accepted: auto, or a time above 0, longer than --stop for a run without "
                "timeouts");
    }
}

} // namespace ns3
