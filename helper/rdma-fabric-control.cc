/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-control.h"

#include "qbb-wire.h"
#include "rdma-fabric-switch.h"
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
    bool ecn;              //!< it needs marks
    uint32_t trailer;      //!< bytes of its telemetry in a packet, at most
    bool acknowledged;     //!< it needs an acknowledgement of each packet
};

constexpr uint32_t INT_BYTES = QbbWire::IntTrailerBytes(RDMA_INT_MAX_HOPS); //!< for any path

constexpr Algorithm ALGORITHMS[] = {
    {"dcqcn", "ns3::RdmaDcqcn", "Preset", "Paper", true, 0, false},
    {"dcqcn-nic", "ns3::RdmaDcqcn", "Preset", "Nic", true, 0, false},
    {"rcm", "ns3::RdmaRcm", nullptr, nullptr, true, 0, false},
    {"dctcp", "ns3::RdmaDctcp", "Form", "Rate", true, 0, true},
    {"dctcp-window", "ns3::RdmaDctcp", "Form", "Window", true, 0, true},
    {"timely", "ns3::RdmaTimely", "Patched", "false", false, 0, true},
    {"timely-patched", "ns3::RdmaTimely", "Patched", "true", false, 0, true},
    {"swift", "ns3::RdmaSwift", nullptr, nullptr, false, 0, true},
    {"hpcc", "ns3::RdmaHpcc", nullptr, nullptr, false, INT_BYTES, true},
    {"hpcc-pint", "ns3::RdmaHpccPint", nullptr, nullptr, false, QbbWire::PINT_BYTES, true},
    {"powertcp", "ns3::RdmaPowerTcp", "Variant", "Int", false, INT_BYTES, true},
    {"powertcp-theta", "ns3::RdmaPowerTcp", "Variant", "Theta", false, 0, true},
    {"aimd", "ns3::RdmaAimd", nullptr, nullptr, false, 0, true},
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

void
ConfigureEcn(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    const std::string& text = options.ecn;
    if (text == "auto" || text == "on" || text == "off")
    {
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

void
ConfigureRdmaControl(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    ConfigureEcn(helper, options);
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
    if (options.cc == "dcqcn-nic")
    {
        // The receiving half of the same NICs: min_time_between_cnps.
        helper.SetNicAttribute("CnpInterval", StringValue("4us"));
    }
    if (algorithm->attribute)
    {
        helper.SetCongestionControlAttribute(algorithm->attribute, StringValue(algorithm->value));
    }
}

} // namespace ns3
