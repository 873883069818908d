/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-control.h"

#include "qbb-ecn-marker.h"
#include "qbb-wire.h"
#include "rdma-bdp.h"
#include "rdma-fabric-switch.h"
#include "rdma-nic.h"
#include "rdma-option.h"
#include "rdma-units.h"

#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/** An algorithm as the option cc names it. */
struct Algorithm
{
    const char* name;      //!< value of the option
    const char* type;      //!< TypeId name
    const char* attribute; //!< an attribute that is set, if any
    const char* value;     //!< its value
    const char* cnps;      //!< time between CNPs, if not RdmaNic's
    bool ecn;              //!< it needs marks
    uint32_t trailer;      //!< bytes of its telemetry in a packet, at most
    bool acknowledged;     //!< it needs an acknowledgement of each packet
};

constexpr const char EACH_MARK[] = "1ps"; //!< time between CNPs: one for each mark
constexpr const char NIC_CNPS[] = "4us";  //!< min_time_between_cnps of the NICs of dcqcn-nic

/// Room for telemetry in any format, of any path.
constexpr uint32_t INT_BYTES = QbbWire::IntTrailerBytes(RdmaIntFormat::EXACT, RDMA_INT_MAX_HOPS);

constexpr Algorithm ALGORITHMS[] = {
    {"dcqcn", "ns3::RdmaDcqcn", "Preset", "Paper", nullptr, true, 0, false},
    {"dcqcn-nic", "ns3::RdmaDcqcn", "Preset", "Nic", NIC_CNPS, true, 0, false},
    {"rcm", "ns3::RdmaRcm", nullptr, nullptr, EACH_MARK, true, 0, false},
    {"dctcp", "ns3::RdmaDctcp", "Form", "Rate", nullptr, true, 0, true},
    {"dctcp-window", "ns3::RdmaDctcp", "Form", "Window", nullptr, true, 0, true},
    {"timely", "ns3::RdmaTimely", "Patched", "false", nullptr, false, 0, true},
    {"timely-patched", "ns3::RdmaTimely", "Patched", "true", nullptr, false, 0, true},
    {"swift", "ns3::RdmaSwift", nullptr, nullptr, nullptr, false, 0, true},
    {"hpcc", "ns3::RdmaHpcc", nullptr, nullptr, nullptr, false, INT_BYTES, true},
    {"hpcc-pint", "ns3::RdmaHpccPint", nullptr, nullptr, nullptr, false, QbbWire::PINT_BYTES, true},
    {"powertcp", "ns3::RdmaPowerTcp", "Variant", "Int", nullptr, false, INT_BYTES, true},
    {"powertcp-theta", "ns3::RdmaPowerTcp", "Variant", "Theta", nullptr, false, 0, true},
    {"aimd", "ns3::RdmaAimd", nullptr, nullptr, nullptr, false, 0, true},
};

/** \param options a run \return its algorithm, or null for none */
const Algorithm*
FindAlgorithm(const RdmaFabricOptions& options)
{
    std::vector<std::string> names{"none"};
    for (const Algorithm& algorithm : ALGORITHMS)
    {
        if (options.cc == algorithm.name)
        {
            return &algorithm;
        }
        names.emplace_back(algorithm.name);
    }
    CheckRdmaChoice("cc", options.cc, names);
    return nullptr;
}

/** \param type a TypeId \param name an attribute \return true if Config::SetDefault() was given one
 */
bool
IsDefaultGiven(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation info;
    return type.LookupAttributeByName(name, &info) &&
           info.initialValue != info.originalInitialValue;
}

/** DCTCP's step, unless the user gave a curve. */
void
ConfigureStep(RdmaFabricHelper& helper,
              const RdmaFabricOptions& options,
              const RdmaTopology& topology)
{
    const TypeId marker = QbbEcnMarker::GetTypeId();
    if (IsDefaultGiven(marker, "Kmin") || IsDefaultGiven(marker, "Kmax") ||
        IsDefaultGiven(marker, "Pmax") || IsDefaultGiven(marker, "ReferenceRate"))
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
             const RdmaTopology& topology)
{
    const std::string& text = options.ecn;
    if (text == "auto" || text == "on" || text == "off")
    {
        if (options.cc.rfind("dctcp", 0) == 0)
        {
            ConfigureStep(helper, options, topology);
        }
        helper.EnableEcn(IsRdmaEcnOn(options) && IsRdmaMarkingCurve(options));
        return;
    }
    const auto first = text.find(':');
    const auto second = text.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
    {
        throw std::invalid_argument(
            "--ecn: \"" + text +
            "\"; accepted: auto, on, off, or KMIN:KMAX:PMAX at 40 Gb/s, as in "
            "5KB:200KB:0.01");
    }
    ParseRdmaOption("ecn", [&] {
        const uint64_t kmin = ParseRdmaBytes(text.substr(0, first));
        const uint64_t kmax = ParseRdmaBytes(text.substr(first + 1, second - first - 1));
        const double pmax = ParseRdmaReal(text.substr(second + 1));
        if (kmin > kmax || !(pmax > 0 && pmax <= 1))
        {
            throw std::invalid_argument("\"" + text +
                                        "\"; accepted: KMIN at most KMAX, PMAX above 0 and at "
                                        "most 1");
        }
        helper.SetEcnAttribute("Kmin", UintegerValue(kmin));
        helper.SetEcnAttribute("Kmax", UintegerValue(kmax));
        helper.SetEcnAttribute("Pmax", DoubleValue(pmax));
    });
}

} // namespace

bool
IsRdmaEcnOn(const RdmaFabricOptions& options)
{
    const Algorithm* algorithm = FindAlgorithm(options);
    return options.ecn == "auto" ? algorithm && algorithm->ecn : options.ecn != "off";
}

uint32_t
GetRdmaControlBytes(const RdmaFabricOptions& options)
{
    const Algorithm* algorithm = FindAlgorithm(options);
    return algorithm ? algorithm->trailer : 0;
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
    ConfigureEcn(helper, options, topology);
    const Algorithm* algorithm = FindAlgorithm(options);
    if (!algorithm)
    {
        return;
    }
    if (options.transport == "iwarp")
    {
        throw std::invalid_argument("--cc: " + options.cc +
                                    " with --transport=iwarp; accepted: none, for TCP has its own");
    }
    if (algorithm->ecn && !IsRdmaEcnOn(options))
    {
        throw std::invalid_argument("--ecn: " + options.ecn + " with --cc=" + options.cc +
                                    "; accepted: auto, on, or KMIN:KMAX:PMAX");
    }
    if (algorithm->acknowledged && options.ackInterval != 1)
    {
        throw std::invalid_argument("--ackInterval: " + std::to_string(options.ackInterval) +
                                    " with --cc=" + options.cc +
                                    "; accepted: 1, for it looks at each acknowledgement");
    }
    helper.SetCongestionControl(algorithm->type);
    if (algorithm->cnps && !IsDefaultGiven(RdmaNic::GetTypeId(), "CnpInterval"))
    {
        helper.SetNicAttribute("CnpInterval", StringValue(algorithm->cnps));
    }
    if (algorithm->attribute)
    {
        helper.SetCongestionControlAttribute(algorithm->attribute, StringValue(algorithm->value));
    }
}

} // namespace ns3
