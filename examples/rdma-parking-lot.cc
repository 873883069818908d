/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The parking lot of Liu et al., "Implementation of PFC and RCM for RoCEv2 Simulation in OMNeT++"
 * (2015, figure 3). Hosts A, B and C are on one switch, host D and the receiver R on another. All
 * hosts send to R as fast as PFC allows. Input-queued switches divide R's link among their inputs,
 * so D gets three times the rate of each other host unless congestion control intervenes.
 *
 *     rdma-parking-lot
 *     rdma-parking-lot --cc=rcm --marking=root
 *     rdma-parking-lot --switch=shared
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Four senders on two switches share one receiver's link.");
    cmd.Sets({
        {"ns3::RdmaNic::CnpInterval", "--cnpInterval"},
        {"ns3::RdmaRcm::RecoveryTime", "--recoveryTime"},
    });
    RdmaFabricOptions options;
    ApplyRdmaPreset("parking-lot", options);
    RdmaPs cnpInterval = 1_ps;     // the paper sends a CNP for each mark
    RdmaPs recoveryTime = 1300_ns; // transmission time of three packets
    RdmaPs warmUp = 5_ms;
    RdmaPs duration = 20_ms;
    std::string csv = "none";
    RdmaPs period = 100_us;
    cmd.Include(
        options,
        {"topology", "rate", "uplinkRate", "delay", "mtu", "switch", "buffer", "cc", "marking"});
    cmd.Add("cnpInterval",
            "shortest time between CNPs of a flow; 1ps: each mark",
            cnpInterval,
            {"1ps", "4s"});
    cmd.Add("recoveryTime",
            "rcm: from a CNP or recovery to the next recovery",
            recoveryTime,
            {"1ps", "4s"});
    cmd.Add("warmUp", "simulated time before the measurement", warmUp);
    cmd.Add("duration", "simulated time of the measurement", duration, {"1ns"});
    cmd.Add("csv", "file for the rates over time, or none", csv);
    cmd.Add("period", "csv: time between two rows", period, {"1ns"});
    return cmd.Run(argc, argv, [&] {
        if (csv == "none")
        {
            cmd.RefuseGivenOptions({"period"}, "without --csv");
        }
        const RdmaTopology topology = RdmaFabricRun::MakeTopology(options);
        const auto hosts = topology.GetHosts();
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i + 1 < hosts.size(); ++i)
        {
            RdmaFlow flow;
            flow.id = i;
            flow.srcHost = hosts[i];
            flow.dstHost = hosts.back();
            flow.bytes = RDMA_MAX_MESSAGE_BYTES * uint64_t{100};
            flow.priority = 3;
            flows.push_back(flow);
        }
        Config::SetDefault("ns3::RdmaNic::CnpInterval", TimeValue(RdmaToTime(cnpInterval)));
        Config::SetDefault("ns3::RdmaRcm::RecoveryTime", TimeValue(RdmaToTime(recoveryTime)));
        options.keepQueuePairs = true;
        RdmaFabricRun run(options, flows);
        const auto runner = DynamicCast<RdmaFlowRunner>(run.GetRunner());
        const auto receiver = run.GetFabric()->GetNic(hosts.back());
        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t i = 0; i < flows.size(); ++i)
        {
            receivers.push_back(receiver->GetQueuePair(runner->GetSender(i)->GetRemoteQpn()));
        }

        const RdmaPs begin = warmUp;
        const RdmaPs end = begin + duration;
        const RdmaPs step = period;
        RdmaGoodputMeter meter(receivers);
        RdmaGoodputMeter steps(receivers);
        const bool writesCsv = csv != "none";
        RdmaOutputFile file;
        if (writesCsv)
        {
            file.OpenForRun(csv);
            file.GetStream() << "time_us,flow,gbps\n";
        }
        RdmaPs next = writesCsv ? step : end;
        RdmaPs now = 0_ps;
        while (now < end)
        {
            const RdmaPs until = std::min(now < begin ? begin : end, next);
            Simulator::Stop(RdmaToTime(until - now));
            Simulator::Run();
            now = until;
            if (now == next && writesCsv)
            {
                const auto rates = steps.Take();
                for (std::size_t i = 0; i < rates.size(); ++i)
                {
                    file.GetStream() << FormatRdmaReal(static_cast<double>(now) / 1e6) << "," << i
                                     << "," << rates[i] << "\n";
                }
                next += step;
            }
            if (now == begin)
            {
                meter.Take();
            }
        }
        if (writesCsv)
        {
            file.Close();
        }
        const auto rates = meter.Take();
        double sum = 0;
        std::cout << std::fixed << std::setprecision(2);
        for (std::size_t i = 0; i < rates.size(); ++i)
        {
            std::cout << static_cast<char>('A' + i) << " " << rates[i] << " Gb/s\n";
            sum += rates[i];
        }
        const RdmaFabricTotals totals = run.GetFabric()->GetTotals();
        std::cout << "sum " << sum << " Gb/s, Jain's index " << std::setprecision(4)
                  << RdmaGoodputMeter::GetJainIndex(rates) << ", " << totals.drops << " drops, "
                  << totals.pauseFrames << " pause frames, " << totals.ecnMarks << " marks\n";
        Simulator::Destroy();
        return 0;
    });
}
