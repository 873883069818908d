/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-transport.h"

#include "rdma-fabric-failures.h"
#include "rdma-option.h"
#include "rdma-psn.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <map>

namespace ns3
{

namespace
{

/// Timeout where packets may be lost: the IRN paper's RTO_high (SIGCOMM 2018, section 4.1).
constexpr QbbPs LOSSY_TIMEOUT = 320_us;

/// The IRN paper's RTO_low.
constexpr QbbPs LOW_TIMEOUT = 100_us;

/** \param options a run \return its loss recovery, as the attribute LossRecovery names it */
std::string
GetLossRecovery(const RdmaFabricOptions& options)
{
    static const std::map<std::string, std::string> names{{"sack", "Sack"},
                                                          {"selective", "SelectiveWithoutSack"},
                                                          {"go-back-n", "GoBackN"},
                                                          {"go-back-0", "GoBack0"}};
    if (options.transport == "irn")
    {
        CheckRdmaChoice("recovery",
                        options.recovery,
                        {"auto", "sack", "selective", "go-back-n", "go-back-0"});
    }
    else
    {
        CheckRdmaChoice("recovery", options.recovery, {"auto", "go-back-n", "go-back-0"});
    }
    if (options.recovery == "auto")
    {
        return options.transport == "irn" ? "Sack" : "GoBackN";
    }
    return names.at(options.recovery);
}

void
ConfigureIrn(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    if (options.ackInterval != 1)
    {
        throw std::invalid_argument("--ackInterval: " + std::to_string(options.ackInterval) +
                                    " with --transport=irn; accepted: 1, for IRN acknowledges "
                                    "each packet");
    }
    const QbbPs high = GetRdmaTimeout(options);
    const QbbPs low = options.rtoLow == "auto" ? LOW_TIMEOUT : ParseRdmaOption("rtoLow", [&] {
        return ParseRdmaTime(options.rtoLow);
    });
    const bool isOff = high == 0_ps && options.rtoLow == "auto";
    if (options.dynamicRto && high == 0_ps)
    {
        throw std::invalid_argument("--dynamicRto with --rto=" + options.rto +
                                    "; accepted: with a time above 0, the first timeout");
    }
    if (!isOff && (low == 0_ps || low > high))
    {
        throw std::invalid_argument(
            "--rtoLow: " + (options.rtoLow == "auto" ? "100us" : options.rtoLow) +
            " with --rto=" + options.rto + "; accepted: a time above 0, up to that of --rto");
    }
    helper.SetTransport("ns3::IrnTransport");
    helper.SetTransportAttribute("RtoHigh", TimeValue(QbbToTime(high)));
    helper.SetTransportAttribute("RtoLow", TimeValue(QbbToTime(low)));
    if (options.rtoLowPackets != "auto")
    {
        helper.SetTransportAttribute(
            "RtoLowPackets",
            UintegerValue(ParseRdmaOption("rtoLowPackets", [&] {
                return ParseRdmaInteger(options.rtoLowPackets, 0, RDMA_MAX_WINDOW);
            })));
    }
    helper.SetTransportAttribute("BdpFc", BooleanValue(options.bdpCap != "off"));
    if (options.bdpCap != "auto" && options.bdpCap != "off")
    {
        helper.SetTransportAttribute("BdpCap", UintegerValue(ParseRdmaOption("bdpCap", [&] {
                                         return ParseRdmaInteger(options.bdpCap,
                                                                 1,
                                                                 RDMA_MAX_WINDOW - 1);
                                     })));
    }
    helper.SetTransportAttribute("DynamicRto", BooleanValue(options.dynamicRto));
    if (options.backOff && options.recovery != "go-back-n")
    {
        throw std::invalid_argument("--backOff with --recovery=" + options.recovery +
                                    "; accepted: with --recovery=go-back-n");
    }
    helper.SetTransportAttribute("BackOffOnLoss", BooleanValue(options.backOff));
}

} // namespace

QbbPs
GetRdmaTimeout(const RdmaFabricOptions& options)
{
    const bool isTcp = options.transport == "iwarp";
    if (options.rto == "auto")
    {
        const bool lossless = options.pfc == "on" && options.loss == 0;
        return lossless && !isTcp && !options.dynamicRto ? GetRdmaStormTimeout(options)
                                                         : LOSSY_TIMEOUT;
    }
    const QbbPs timeout = ParseRdmaOption("rto", [&] { return ParseRdmaTime(options.rto); });
    if (isTcp && timeout == 0_ps)
    {
        throw std::invalid_argument("--rto: " + options.rto +
                                    " with --transport=" + options.transport +
                                    "; accepted: auto, or a time above 0, "
                                    "because it always has a timeout");
    }
    return timeout;
}

uint32_t
GetRdmaRetries(const RdmaFabricOptions& options)
{
    return options.retries == "unlimited" ? UINT32_MAX
                                          : static_cast<uint32_t>(ParseRdmaOption("retries", [&] {
                                                return ParseRdmaInteger(options.retries, 0, 255);
                                            }));
}

void
ConfigureRdmaTransport(RdmaFabricHelper& helper, const RdmaFabricOptions& options)
{
    if (options.ackInterval == 0 || options.ackInterval > (1U << 20))
    {
        throw std::invalid_argument("--ackInterval: " + std::to_string(options.ackInterval) +
                                    "; accepted: 1 to 1048576 packets");
    }
    if (options.transport == "irn")
    {
        ConfigureIrn(helper, options);
    }
    else
    {
        RefuseRdmaOption("bdpCap", options.bdpCap != "auto", "--transport=" + options.transport);
        RefuseRdmaOption("rtoLow", options.rtoLow != "auto", "--transport=" + options.transport);
        RefuseRdmaOption("rtoLowPackets",
                         options.rtoLowPackets != "auto",
                         "--transport=" + options.transport);
        RefuseRdmaOption("dynamicRto", options.dynamicRto, "--transport=" + options.transport);
        RefuseRdmaOption("backOff", options.backOff, "--transport=" + options.transport);
    }
    if (options.transport == "iwarp")
    {
        RefuseRdmaOption("recovery",
                         options.recovery != "auto",
                         "--transport=" + options.transport);
        helper.SetInternetStack(true);
        return;
    }
    helper.SetTransportAttribute("LossRecovery", StringValue(GetLossRecovery(options)));
    helper.SetTransportAttribute("RetryCount", UintegerValue(GetRdmaRetries(options)));
    if (options.transport == "roce")
    {
        helper.SetTransportAttribute("RetransmissionTimeout",
                                     TimeValue(QbbToTime(GetRdmaTimeout(options))));
        helper.SetTransportAttribute("AckInterval", UintegerValue(options.ackInterval));
    }
}

} // namespace ns3
