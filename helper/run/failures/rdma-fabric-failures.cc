/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-failures.h"

#include "qbb-storm-source.h"
#include "rdma-attribute-text.h"
#include "rdma-part.h"
#include "rdma-receive-buffer.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <limits>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Makes an object whose attributes are the fields of a text.
 *
 * \tparam T class of the object
 * \param parts the text: host and fields
 * \param attributes the attributes, of which the last ones may be missing
 * \return the object
 */
template <typename T>
Ptr<T>
MakeFromFields(const std::vector<std::string>& parts, const std::vector<std::string>& attributes)
{
    auto object = CreateObject<T>();
    for (std::size_t i = 1; i < parts.size(); ++i)
    {
        TypeId::AttributeInformation info;
        T::GetTypeId().LookupAttributeByName(attributes[i - 1], &info);
        object->SetAttribute(attributes[i - 1], *ReadRdmaAttribute(info, parts[i]));
    }
    return object;
}

/** \return the texts between commas; none for an empty text */
std::vector<std::string>
SplitFailures(const std::string& texts)
{
    return texts.empty() ? std::vector<std::string>() : SplitRdmaPart(texts, ',');
}

/** \return a time attribute of an object */
Time
GetFailureTime(const ObjectBase& object, const std::string& attribute)
{
    TimeValue value;
    object.GetAttribute(attribute, value);
    return value.Get();
}

/** \return ports of a NIC whose node id is given as text */
std::vector<Ptr<QbbNetDevice>>
GetNicPorts(const RdmaFabric& fabric, const std::string& host)
{
    const auto id =
        static_cast<uint32_t>(ParseRdmaInteger(host, 0, std::numeric_limits<uint32_t>::max()));
    const RdmaTopology& topology = fabric.GetTopology();
    RefuseRdmaIf(!topology.IsNic(id),
                 "node " + host + " is not a host; accepted: the id of one of the " +
                     std::to_string(topology.GetHosts().size()) +
                     " hosts, or of a further NIC of a host");
    std::vector<Ptr<QbbNetDevice>> ports;
    const Ptr<RdmaNic> nic = fabric.GetNic(id);
    for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
    {
        ports.push_back(nic->GetPort(port));
    }
    return ports;
}

/** \param device a port of the host \param text HOST[:START[:STOP]] */
void
AddStorm(const Ptr<QbbNetDevice>& device, const std::string& text)
{
    const std::vector<std::string> fields = {"Start", "Stop"};
    const auto parts = SplitRdmaPart(text, ':');
    RefuseRdmaIf(parts.size() > 1 + fields.size(),
                 "\"" + text + "\"; accepted: HOST[:START[:STOP]], several with commas");
    const auto storm = MakeFromFields<QbbStormSource>(parts, fields);
    const uint8_t classes = device->GetFlowControl().GetLosslessClasses();
    RefuseRdmaIf(!classes,
                 "\"" + text +
                     "\" in a run without flows, where no class is lossless; "
                     "accepted: with a workload that has flows");
    const bool hasStop = parts.size() == 1 + fields.size();
    RefuseRdmaIf((hasStop && GetFailureTime(*storm, "Stop") <= GetFailureTime(*storm, "Start")) ||
                     device->GetObject<QbbStormSource>(),
                 "\"" + text + "\"; accepted: one for a host, and a stop after the start");
    storm->SetAttribute("Classes", UintegerValue(classes));
    storm->Install(device);
}

/** \param device a port of the host \param text
 * HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]] */
void
AddReceiver(const Ptr<QbbNetDevice>& device, const std::string& text)
{
    const std::vector<std::string> fields = {"DrainRate",
                                             "Size",
                                             "StallStart",
                                             "StallDuration",
                                             "StallPeriod"};
    const auto parts = SplitRdmaPart(text, ':');
    RefuseRdmaIf(
        parts.size() < 2 || parts.size() == 4 || parts.size() > 1 + fields.size(),
        "\"" + text +
            "\"; accepted: HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], "
            "several with commas");
    RefuseRdmaIf(PeekPointer(device->GetObject<RdmaReceiveBuffer>()) != nullptr,
                 "host " + parts[0] + " twice");
    const auto buffer = MakeFromFields<RdmaReceiveBuffer>(parts, fields);
    UintegerValue size;
    buffer->GetAttribute("Size", size);
    const uint64_t needed = RdmaReceiveBuffer::GetHeadroom(*device);
    RefuseRdmaIf(size.Get() <= needed,
                 (parts.size() > 2 ? parts[2] : std::string("1MiB")) + "; accepted: more than " +
                     std::to_string(needed) + "B, which its headroom takes, up to 1 GiB");
    const Time duration = GetFailureTime(*buffer, "StallDuration");
    RefuseRdmaIf(parts.size() > 4 &&
                     (duration.IsZero() ||
                      (parts.size() == 6 && GetFailureTime(*buffer, "StallPeriod") <= duration)),
                 "\"" + text +
                     "\"; accepted: a STALL_DURATION above 0, and a STALL_PERIOD above that");
    buffer->Install(device);
}

} // namespace

void
InstallRdmaStorms(const RdmaFabric& fabric, const std::string& storms)
{
    for (const std::string& text : SplitFailures(storms))
    {
        for (const auto& port : GetNicPorts(fabric, SplitRdmaPart(text, ':')[0]))
        {
            AddStorm(port, text);
        }
    }
}

void
InstallRdmaSlowReceivers(const RdmaFabric& fabric, const std::string& receivers)
{
    for (const std::string& text : SplitFailures(receivers))
    {
        for (const auto& port : GetNicPorts(fabric, SplitRdmaPart(text, ':')[0]))
        {
            AddReceiver(port, text);
        }
    }
}

} // namespace ns3
