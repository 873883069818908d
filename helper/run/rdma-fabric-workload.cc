/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-workload.h"

#include "qbb-time.h"
#include "rdma-attribute-text.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-option.h"
#include "rdma-part.h"
#include "rdma-units.h"
#include "rdma-workload.h"

#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * Sets an attribute of a workload from an option, unless the workload's text sets it.
 *
 * \param workload the workload
 * \param option name of the option
 * \param attribute name of the attribute, which the workload may lack
 * \param value value of the option
 * \throws std::invalid_argument if the attribute rejects the value
 */
void
SetWorkloadOption(RdmaPart& workload,
                  const std::string& option,
                  const std::string& attribute,
                  const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (workload.Has(attribute) || !workload.GetType().LookupAttributeByName(attribute, &info))
    {
        return;
    }
    if (!info.checker->CreateValidValue(value))
    {
        throw std::invalid_argument("--" + option + ": " + FormatRdmaAttribute(info, value) +
                                    "; accepted: " + DescribeRdmaAttribute(info));
    }
    workload.Set(attribute, value);
}

/** \param options options of the run \return the workload with its attributes */
RdmaPart
ParseWorkload(const RdmaFabricOptions& options)
{
    RdmaPart part = ParseRdmaOption("workload", [&options] {
        return RdmaPart::Parse(options.workload, RdmaWorkload::GetTypeId());
    });
    if (options.duration != "auto")
    {
        const QbbPs duration =
            ParseRdmaOption("duration", [&] { return ParseRdmaTime(options.duration); });
        SetWorkloadOption(part, "duration", "Duration", TimeValue(QbbToTime(duration)));
    }
    if (options.bytes != "auto")
    {
        const uint64_t bytes =
            ParseRdmaOption("bytes", [&] { return ParseRdmaBytes(options.bytes); });
        SetWorkloadOption(part, "bytes", "Bytes", UintegerValue(bytes));
    }
    if (options.cdf != "auto")
    {
        ParseRdmaOption("cdf", [&] { RdmaFlowSizeCdf::Make(options.cdf); });
        SetWorkloadOption(part, "cdf", "Cdf", StringValue(options.cdf));
    }
    if (options.load != RdmaFabricOptions().load)
    {
        SetWorkloadOption(part, "load", "Load", DoubleValue(options.load));
    }
    return part;
}

} // namespace

std::vector<RdmaFlow>
MakeRdmaFabricFlows(const RdmaFabricOptions& options, const RdmaTopology& topology)
{
    QbbSetTimeResolution(); // must precede parsing of times
    const RdmaPart workload = ParseWorkload(options);
    return ParseRdmaOption("workload", [&] { return MakeRdmaFlows(workload, topology); });
}

} // namespace ns3
