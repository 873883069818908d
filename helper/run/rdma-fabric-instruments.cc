/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-instruments.h"

#include "qbb-time.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-part.h"
#include "rdma-time-series-instrument.h"
#include "rdma-units.h"

#include <ns3/nstime.h>
#include <ns3/string.h>

#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * Sets the period of an instrument as an option says.
 *
 * \param instrument the instrument
 * \param option name of the option
 * \param text its value
 */
void
SetInstrumentPeriod(RdmaPart& instrument, const std::string& option, const std::string& text)
{
    if (text == "auto")
    {
        return;
    }
    const QbbPs period = ParseRdmaOption(option, [&text] { return ParseRdmaTime(text); });
    if (period == 0_ps)
    {
        throw std::invalid_argument("--" + option + ": " + text +
                                    "; accepted: auto, or a time above 0");
    }
    instrument.Set("Period", TimeValue(QbbToTime(period)));
}

} // namespace

RdmaFabricInstruments::RdmaFabricInstruments(const RdmaFabricOptions& options,
                                             Ptr<RdmaFabric> fabric,
                                             Ptr<RdmaFlowRunnerBase> runner)
{
    if (!options.timeseries.empty() && options.timeseries == options.monitor)
    {
        throw std::invalid_argument("--monitor: " + options.monitor +
                                    ", which --timeseries writes; accepted: another file");
    }
    AddTimeSeries(options);
    AddMonitor(options);
    if (!options.instruments.empty())
    {
        ParseRdmaOption("instruments", [&] {
            for (const std::string& text : SplitRdmaPart(options.instruments, ','))
            {
                const RdmaPart part = RdmaPart::Parse(text, RdmaInstrument::GetTypeId());
                m_all.emplace_back("instruments", part.Create<RdmaInstrument>());
            }
        });
    }
    for (const auto& [option, instrument] : m_all)
    {
        ParseRdmaOption(option, [&, &watch = instrument] { watch->Begin(fabric, runner); });
    }
}

void
RdmaFabricInstruments::AddTimeSeries(const RdmaFabricOptions& options)
{
    if (options.timeseries.empty())
    {
        RefuseRdmaOptionAlone("timeseriesPeriod", options.timeseriesPeriod != "auto", "timeseries");
        RefuseRdmaOptionAlone("timeseriesFlows", options.timeseriesFlows != "auto", "timeseries");
        return;
    }
    RdmaPart part = RdmaPart::Parse("ns3::RdmaTimeSeriesInstrument", RdmaInstrument::GetTypeId());
    part.Set("File", StringValue(options.timeseries));
    SetInstrumentPeriod(part, "timeseriesPeriod", options.timeseriesPeriod);
    ParseRdmaOption("timeseriesFlows",
                    [&] { RdmaTimeSeriesInstrument::ParseFlows(options.timeseriesFlows); });
    part.Set("Flows", StringValue(options.timeseriesFlows));
    m_all.emplace_back("timeseries", part.Create<RdmaInstrument>());
}

void
RdmaFabricInstruments::AddMonitor(const RdmaFabricOptions& options)
{
    if (options.monitor.empty())
    {
        RefuseRdmaOptionAlone("monitorPeriod", options.monitorPeriod != "auto", "monitor");
        return;
    }
    RdmaPart part = RdmaPart::Parse("ns3::QbbPortMonitorInstrument", RdmaInstrument::GetTypeId());
    part.Set("File", StringValue(options.monitor));
    SetInstrumentPeriod(part, "monitorPeriod", options.monitorPeriod);
    m_all.emplace_back("monitor", part.Create<RdmaInstrument>());
}

bool
RdmaFabricInstruments::HasAny(const RdmaFabricOptions& options)
{
    return !options.timeseries.empty() || !options.instruments.empty();
}

void
RdmaFabricInstruments::Finish()
{
    for (const auto& [option, instrument] : m_all)
    {
        instrument->Finish();
    }
}

void
RdmaFabricInstruments::Print(std::ostream& os) const
{
    for (const auto& [option, instrument] : m_all)
    {
        instrument->Print(os);
    }
}

} // namespace ns3
