/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-switch.h"

#include "qbb-congestion-detector.h"
#include "qbb-input-port-buffer.h"
#include "rdma-fabric-buffers.h"
#include "rdma-fabric-control.h"
#include "rdma-option.h"
#include "rdma-part.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/// Largest buffer of an input port, in bytes.
constexpr uint64_t MAX_PORT_BUFFER_BYTES = 1U << 30;

/** \param option name of an option \param text its value \return number of bytes, at least 1 */
uint64_t
ParsePortBytes(const std::string& option, const std::string& text)
{
    const uint64_t bytes = ParseRdmaOption(option, [&] { return ParseRdmaBytes(text); });
    if (bytes == 0 || bytes > MAX_PORT_BUFFER_BYTES)
    {
        throw std::invalid_argument("--" + option + ": " + text +
                                    "; accepted: auto, or 1 byte to 1 GiB");
    }
    return bytes;
}

void
ConfigurePortBuffers(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    helper.SetBufferManager("ns3::QbbInputPortBuffer");
    const auto set = [&](const char* option, const std::string& text, const char* attribute) {
        if (text != "auto")
        {
            helper.SetBufferAttribute(attribute, UintegerValue(ParsePortBytes(option, text)));
        }
    };
    set("portBuffer", options.portBuffer, "PortBufferBytes");
    if (options.pfc == "on")
    {
        set("xoff", options.xoff, "XoffBytes");
        set("xon", options.xon, "XonBytes");
    }
    if (options.cells == 0 || options.cells > 65536)
    {
        throw std::invalid_argument("--cells: " + std::to_string(options.cells) +
                                    "; accepted: 1 to 65536 bytes");
    }
    if (options.cells != 1)
    {
        helper.SetBufferAttribute("CellBytes", UintegerValue(options.cells));
    }
}

void
ConfigureQueueing(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
    if (options.crossbar == "off")
    {
        return;
    }
    const double speedup =
        ParseRdmaOption("crossbar", [&] { return ParseRdmaReal(options.crossbar); });
    if (!(speedup >= 1 && speedup <= 1000))
    {
        throw std::invalid_argument("--crossbar: " + options.crossbar +
                                    "; accepted: off, or a speed-up from 1 to 1000");
    }
    helper.SetSwitchAttribute("Crossbar", BooleanValue(true));
    helper.SetSwitchAttribute("CrossbarSpeedup", DoubleValue(speedup));
}

void
ConfigureMarking(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    ParseRdmaOption("marker", [&] { helper.SetMarker(options.marker); });
    RdmaPart detector = ParseRdmaOption("marking", [&] {
        return RdmaPart::ParseOptional(options.marking,
                                       QbbCongestionDetector::GetTypeId(),
                                       "curve");
    });
    if (detector.IsNone())
    {
        RefuseRdmaOption("markThreshold", options.markThreshold != "auto", "--marking=curve");
        return;
    }
    if (options.ecn != "auto" && options.ecn != "on")
    {
        throw std::invalid_argument("--ecn: " + options.ecn + " with --marking=" + options.marking +
                                    "; accepted: auto or on");
    }
    if (!IsRdmaEcnOn(options))
    {
        throw std::invalid_argument("--marking: " + options.marking +
                                    " with --ecn=auto and --cc=" + options.cc +
                                    "; accepted: curve, or with --ecn=on, or a --cc that needs "
                                    "marks");
    }
    if (options.markThreshold != "auto")
    {
        SetRdmaPartOption(detector,
                          "Threshold",
                          UintegerValue(ParsePortBytes("markThreshold", options.markThreshold)),
                          "markThreshold",
                          "--marking=" + options.marking);
    }
    helper.SetCongestionDetector(detector.ToText());
}

} // namespace

bool
IsRdmaMarkingCurve(const RdmaFabricOptions& options)
{
    return options.marking == "curve";
}

void
ConfigureRdmaSwitch(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    CheckRdmaChoice("switch", options.switchType, {"shared", "input-queued"});
    if (options.switchType == "shared")
    {
        const std::string with = "--switch=shared";
        RefuseRdmaOption("portBuffer", options.portBuffer != "auto", with);
        RefuseRdmaOption("xoff", options.xoff != "auto", with);
        RefuseRdmaOption("xon", options.xon != "auto", with);
        RefuseRdmaOption("cells", options.cells != 1, with);
        RefuseRdmaOption("crossbar", options.crossbar != "off", with);
        ConfigureRdmaBuffers(helper, options);
    }
    else
    {
        const std::string with = "--switch=" + options.switchType;
        RefuseRdmaOption("buffer", options.buffer != "auto", with + "; see --portBuffer");
        RefuseRdmaOption("bufferPreset", options.bufferPreset != "none", with);
        RefuseRdmaOption("classAlphas", !options.classAlphas.empty(), with);
        RefuseRdmaOption("sonicBuffers",
                         !options.sonicBuffers.empty() || !options.sonicQos.empty(),
                         with);
        ConfigureRdmaTrust(helper, options);
        ConfigurePortBuffers(helper, options);
        ConfigureQueueing(helper, options);
    }
    ConfigureMarking(helper, options);
}

void
FinishRdmaSwitch(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    if (options.switchType == "shared")
    {
        FinishRdmaBuffers(fabric, options);
        return;
    }
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
        const auto buffer = DynamicCast<QbbInputPortBuffer>(sw->GetBufferManager());
        UintegerValue size;
        buffer->GetAttribute("PortBufferBytes", size);
        for (const QbbPortProfile& profile : sw->GetPortProfiles())
        {
            const uint64_t needed = buffer->GetLeastBytes(profile) + options.cells - 1;
            if (size.Get() < needed)
            {
                throw std::invalid_argument("--portBuffer: " + options.portBuffer +
                                            "; accepted: at least " + std::to_string(needed) +
                                            "B, for a port of switch " +
                                            fabric.GetTopology().GetNode(id).name +
                                            (profile.losslessMask ? " with its headroom" : ""));
            }
        }
    }
}

} // namespace ns3
