/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-transport.h"

#include "rdma-attribute-text.h"
#include "rdma-fabric-failures.h"
#include "rdma-option.h"
#include "rdma-part.h"
#include "rdma-psn.h"
#include "rdma-transport.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Timeout in fabrics that may lose packets: the IRN paper's RTO_high (SIGCOMM 2018, section 4.1).
constexpr QbbPs LOSSY_TIMEOUT = 320_us;

/** Values of the option recovery, each with its value of the attribute LossRecovery. */
const std::pair<const char*, const char*> RECOVERIES[] = {{"sack", "Sack"},
                                                          {"selective", "SelectiveWithoutSack"},
                                                          {"go-back-n", "GoBackN"},
                                                          {"go-back-0", "GoBack0"}};

/** Transfers values of options to the attributes of a transport. */
class TransportSetter
{
  public:
    /** \param options options of the run */
    explicit TransportSetter(const RdmaFabricOptions& options)
        : m_options(options),
          m_with("--transport=" + options.transport),
          m_part(ParseRdmaTransport(options))
    {
    }

    /**
     * \param option name of an option
     * \param attribute attribute that corresponds to the option
     * \param given the user gave the option
     * \param makeValue function that returns the value of the attribute
     */
    template <typename F>
    void Set(const char* option, const char* attribute, bool given, F makeValue)
    {
        if (given)
        {
            RefuseRdmaOption(option, !m_part.HasAttribute(attribute), m_with);
            SetRdmaPartOption(m_part,
                              attribute,
                              ParseRdmaOption(option, makeValue),
                              option,
                              m_with);
        }
    }

    /**
     * Sets an attribute to the default of RdmaFabricOptions, unless the user has set the attribute.
     *
     * \param attribute an attribute, which the transport may lack
     * \param value default value of the attribute
     */
    void SetDefault(const char* attribute, const AttributeValue& value)
    {
        if (m_part.HasAttribute(attribute) && !m_part.Has(attribute) &&
            !IsRdmaDefaultGiven(m_part.GetType(), attribute))
        {
            m_part.Set(attribute, value);
        }
    }

    /** Sets the attribute LossRecovery from the option recovery. */
    void SetRecovery()
    {
        TypeId::AttributeInformation info;
        const bool has = m_part.GetType().LookupAttributeByName("LossRecovery", &info);
        const std::string names = has ? ", " + DescribeRdmaAttribute(info) + ", " : "";
        std::vector<std::string> accepted{"auto"};
        for (const auto& [value, name] : RECOVERIES)
        {
            if (names.find(std::string(", ") + name + ", ") != std::string::npos)
            {
                accepted.emplace_back(value);
            }
        }
        CheckRdmaChoice("recovery", m_options.recovery, accepted);
        for (const auto& [value, name] : RECOVERIES)
        {
            Set("recovery", "LossRecovery", m_options.recovery == value, [name = name] {
                return StringValue(name);
            });
        }
    }

    /** Sets timeouts from the options rto, rtoLow, rtoLowPackets and dynamicRto. */
    void SetTimeouts()
    {
        const char* const timeout =
            m_part.HasAttribute("RtoHigh") ? "RtoHigh" : "RetransmissionTimeout";
        const TimeValue time(QbbToTime(GetRdmaTimeout(m_options)));
        Set("rto", timeout, m_options.rto != "auto", [&] { return time; });
        SetDefault(timeout, time);
        Set("rtoLow", "RtoLow", m_options.rtoLow != "auto", [&] {
            return TimeValue(QbbToTime(ParseRdmaTime(m_options.rtoLow)));
        });
        Set("rtoLowPackets", "RtoLowPackets", m_options.rtoLowPackets != "auto", [&] {
            return UintegerValue(ParseRdmaInteger(m_options.rtoLowPackets, 0, RDMA_MAX_WINDOW));
        });
        Set("dynamicRto", "DynamicRto", m_options.dynamicRto, [] { return BooleanValue(true); });
        CheckTimeouts();
    }

    /** Sets the window from the options bdpCap and backOff. */
    void SetWindow()
    {
        Set("bdpCap", "BdpFc", m_options.bdpCap == "off", [] { return BooleanValue(false); });
        Set("bdpCap", "BdpCap", m_options.bdpCap != "auto" && m_options.bdpCap != "off", [&] {
            return UintegerValue(ParseRdmaInteger(m_options.bdpCap, 1, RDMA_MAX_WINDOW - 1));
        });
        Set("backOff", "BackOffOnLoss", m_options.backOff, [] { return BooleanValue(true); });
        if (m_options.backOff && m_options.recovery != "go-back-n")
        {
            throw std::invalid_argument("--backOff with --recovery=" + m_options.recovery +
                                        "; accepted: with --recovery=go-back-n");
        }
    }

    /** Sets the acknowledgement interval from the option ackInterval. */
    void SetAckInterval()
    {
        if (m_options.ackInterval != 1 && !m_part.HasAttribute("AckInterval"))
        {
            throw std::invalid_argument("--ackInterval: " + std::to_string(m_options.ackInterval) +
                                        " with " + m_with +
                                        "; accepted: 1, for it acknowledges each packet");
        }
        Set("ackInterval", "AckInterval", m_options.ackInterval != 1, [&] {
            return UintegerValue(m_options.ackInterval);
        });
    }

    /** \return the transport */
    RdmaPart GetPart() const
    {
        return m_part;
    }

  private:
    /** \throws std::invalid_argument unless RtoLow is above 0 and at most RtoHigh */
    void CheckTimeouts() const
    {
        if (!m_part.HasAttribute("RtoHigh") || !m_part.HasAttribute("RtoLow"))
        {
            return;
        }
        const auto transport = m_part.CreateObject();
        TimeValue low;
        TimeValue high;
        transport->GetAttribute("RtoLow", low);
        transport->GetAttribute("RtoHigh", high);
        if (m_options.dynamicRto && high.Get().IsZero())
        {
            throw std::invalid_argument("--dynamicRto with --rto=" + m_options.rto +
                                        "; accepted: with a time above 0, the first timeout");
        }
        const bool isOff = high.Get().IsZero() && m_options.rtoLow == "auto";
        if (!isOff && (low.Get().IsZero() || low.Get() > high.Get()))
        {
            throw std::invalid_argument(
                "--rtoLow: " +
                (m_options.rtoLow == "auto" ? FormatRdmaTime(QbbToPs(low.Get()))
                                            : m_options.rtoLow) +
                " with --rto=" + m_options.rto + "; accepted: a time above 0, up to that of --rto");
        }
    }

    const RdmaFabricOptions& m_options; //!< options of the run
    std::string m_with;                 //!< option that names the transport, for messages
    RdmaPart m_part;                    //!< the transport and its attributes
};

} // namespace

RdmaPart
ParseRdmaTransport(const RdmaFabricOptions& options)
{
    return ParseRdmaOption("transport", [&options] {
        return RdmaPart::ParseOptional(options.transport, RdmaTransport::GetTypeId(), "iwarp");
    });
}

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
    TransportSetter setter(options);
    if (setter.GetPart().IsNone())
    {
        const std::string with = "--transport=" + options.transport;
        RefuseRdmaOption("bdpCap", options.bdpCap != "auto", with);
        RefuseRdmaOption("rtoLow", options.rtoLow != "auto", with);
        RefuseRdmaOption("rtoLowPackets", options.rtoLowPackets != "auto", with);
        RefuseRdmaOption("dynamicRto", options.dynamicRto, with);
        RefuseRdmaOption("backOff", options.backOff, with);
        RefuseRdmaOption("recovery", options.recovery != "auto", with);
        helper.SetInternetStack(true);
        return;
    }
    setter.SetRecovery();
    setter.SetTimeouts();
    setter.SetWindow();
    setter.SetAckInterval();
    const UintegerValue retries(GetRdmaRetries(options));
    setter.Set("retries", "RetryCount", options.retries != "unlimited", [&] { return retries; });
    setter.SetDefault("RetryCount", retries);
    helper.SetTransport(setter.GetPart().ToText());
}

} // namespace ns3
