/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_STORM_RUN_H
#define RDMA_PAUSE_STORM_RUN_H

/**
 * \file
 * \ingroup rdma
 * The scenario storm of rdma-pause-storm.cc.
 */

#include "rdma-pause-storm-request.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>

namespace ns3
{

/** Measures the goodput of all pairs of hosts that do not include host 0. */
class VictimMeter
{
  public:
    /** \param loop message traffic, which must outlive the meter */
    explicit VictimMeter(const RdmaMessageLoop& loop)
        : m_loop(loop)
    {
    }

    /**
     * \param delay time from now to the start of the interval
     * \param length length of the interval
     * \param [out] gbps goodput of all victims in the interval, set when the interval is over
     */
    void Measure(Time delay, Time length, double& gbps) const
    {
        // The events have no node, because a watchdog's event may call this function.
        constexpr uint32_t NONE = Simulator::NO_CONTEXT;
        Simulator::ScheduleWithContext(NONE, delay, [this, length, &gbps]() {
            const uint64_t begin = GetBits();
            Simulator::ScheduleWithContext(NONE, length, [this, length, begin, &gbps]() {
                gbps = static_cast<double>(GetBits() - begin) / length.GetSeconds() / 1e9;
            });
        });
    }

  private:
    /** \return payload bits received by all victims */
    uint64_t GetBits() const
    {
        uint64_t bits = 0;
        for (const auto& pair : m_loop.GetPairs())
        {
            bits += pair.from != 0 && pair.to != 0 ? pair.GetBytes() * 8 : 0;
        }
        return bits;
    }

    const RdmaMessageLoop& m_loop; //!< message traffic
};

/** A run of the scenario storm. */
struct PauseStormRun
{
    std::string name;        //!< name of the line in the table
    bool storm{true};        //!< host 0 causes a pause storm
    bool nicWatchdog{false}; //!< NICs have watchdogs
    /// Value of the attribute Action of the switch watchdogs; empty: no watchdogs
    std::string action{};
    bool serverPortsOnly{false}; //!< value of the attribute ServerPortsOnly
};

/**
 * \param request options of the command line
 * \return a fabric whose retransmission timeout is the detection plus the restoration time
 */
inline Ptr<RdmaFabric>
MakePauseStormFabric(const PauseStormRequest& request)
{
    RdmaFabricHelper helper;
    helper.SetBufferAttribute("BufferSize", UintegerValue(ParseRdmaBytes(request.options.buffer)));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(request.options.mtu));
    SetRdmaDefault("ns3::RoceTransport", "RetransmissionTimeout", TimeValue(request.detection * 2));
    SetRdmaDefault("ns3::RoceTransport", "RetryCount", UintegerValue(4294967295));
    const auto fabric = helper.Install(RdmaFabricRun::MakeTopology(request.options));
    fabric->AssignStreams(1);
    return fabric;
}

/**
 * Runs the scenario storm once and prints a line of the table.
 *
 * \param request options of the command line
 * \param kind parameters of the run
 * \param [in,out] fair goodput of the victims without a storm, set by the run without a storm
 */
inline void
RunPauseStorm(const PauseStormRequest& request, const PauseStormRun& kind, double& fair)
{
    const Time ms = MilliSeconds(1);
    const auto fabric = MakePauseStormFabric(request);
    RdmaMessageLoop loop(fabric, request.messageBytes);
    const VictimMeter meter(loop);
    double before = 0;
    double during = 0;
    double after = 0;
    uint64_t storms = 0;
    Time found;
    const auto onFound = [&]() {
        if (found.IsZero())
        {
            found = Simulator::Now();
            meter.Measure(ms, ms, after);
            StopRdmaRunAt(RdmaNow() + RdmaToPs(2 * ms + MicroSeconds(1)));
        }
    };
    const auto port = fabric->GetNic(0)->GetPort(0);
    if (kind.storm)
    {
        auto storm = CreateObject<QbbStormSource>();
        storm->SetAttribute("Start", TimeValue(request.start));
        storm->Install(port);
    }
    if (kind.nicWatchdog)
    {
        auto watchdog = CreateObject<RdmaNicWatchdog>();
        watchdog->SetAttribute("Timeout", TimeValue(request.detection));
        watchdog->SetAttribute("PollInterval", TimeValue(request.poll));
        watchdog->TraceConnectWithoutContext(
            "PauseDisabled",
            Callback<void, uint32_t>([&](uint32_t) { onFound(); }));
        watchdog->Install(port);
    }
    for (const uint32_t id : fabric->GetTopology().GetSwitches())
    {
        if (kind.action.empty())
        {
            continue;
        }
        auto watchdog = CreateObject<QbbPfcWatchdog>();
        watchdog->SetAttribute("Action", StringValue(kind.action));
        watchdog->SetAttribute("ServerPortsOnly", BooleanValue(kind.serverPortsOnly));
        watchdog->SetAttribute("DetectionTime", TimeValue(request.detection));
        watchdog->SetAttribute("RestorationTime", TimeValue(request.detection));
        watchdog->SetAttribute("PollInterval", TimeValue(request.poll));
        watchdog->TraceConnectWithoutContext(
            "StormDetected",
            Callback<void, uint32_t, uint8_t>([&](uint32_t, uint8_t) {
                ++storms;
                onFound();
            }));
        watchdog->Watch(fabric->GetSwitch(id));
    }
    const Time notice = kind.storm ? request.detection : ms;
    const Time calm = std::min(request.start, ms);
    meter.Measure(request.start - calm, calm, before);
    meter.Measure(request.start + notice - MicroSeconds(100), MicroSeconds(100), during);
    if (kind.action.empty() && !kind.nicWatchdog)
    {
        meter.Measure(request.start + notice + ms, ms, after);
    }
    loop.AddAllToAll();
    // Detection by a watchdog may take up to two additional polling intervals.
    Simulator::Stop(request.start + notice + 2 * request.poll + 3 * ms);
    Simulator::Run();
    fair = kind.storm ? fair : after;
    std::cout << std::left << std::setw(26) << kind.name << std::right << std::fixed
              << std::setprecision(1) << std::setw(9) << before << std::setw(9) << during
              << std::setw(9) << after << std::setw(8) << 100 * after / fair << "%"
              << std::setw(12);
    if (found.IsZero())
    {
        std::cout << "-";
    }
    else
    {
        std::cout << (found - request.start).ToDouble(Time::MS);
    }
    std::cout << std::setw(8) << storms << std::setw(9) << fabric->GetTotals().drops << "\n";
    Simulator::Destroy();
}

/** Runs all variants of the scenario storm. \param request options of the command line */
inline void
RunPauseStorms(const PauseStormRequest& request)
{
    std::cout << "goodput of the victims in Gb/s: in the last millisecond before the storm, in the "
                 "last 0.1 ms of\nthe detection time ("
              << FormatRdmaReal(request.detection.ToDouble(Time::MS))
              << " ms), and in the millisecond that begins 1 ms after the detection\n\n"
              << std::left << std::setw(26) << "run" << std::right << std::setw(9) << "before"
              << std::setw(9) << "storm" << std::setw(9) << "after" << std::setw(9) << "of fair"
              << std::setw(12) << "found ms" << std::setw(8) << "storms" << std::setw(9) << "drops"
              << "\n";
    double fair = 0;
    RunPauseStorm(request, {"no storm", false, false}, fair);
    RunPauseStorm(request, {"storm", true, false}, fair);
    RunPauseStorm(request, {"NIC watchdog", true, true}, fair);
    RunPauseStorm(request, {"watchdog: drop", true, false, "Drop"}, fair);
    RunPauseStorm(request, {"watchdog: drop at servers", true, false, "Drop", true}, fair);
    RunPauseStorm(request, {"watchdog: forward", true, false, "Forward"}, fair);
}

} // namespace ns3

#endif /* RDMA_PAUSE_STORM_RUN_H */
