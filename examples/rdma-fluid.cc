/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Comparison of a fluid model and a packet simulation with equal parameters: N hosts send to one
 * host through a switch. The program writes queue length and rates over time, and prints the means
 * over the second half of the run.
 */

#include "rdma-fluid-star.h"

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>

using namespace ns3;

namespace
{

/** \param setting parameters \param packetBytes packet size on the line \return model parameters */
RdmaFluidParameters
MakeFluid(const FluidSetting& setting, double packetBytes)
{
    RdmaFluidParameters p;
    p.algorithm = setting.model;
    p.flows = setting.flows;
    p.capacityBps = static_cast<double>(setting.rate);
    p.lineRateBps = static_cast<double>(setting.hostRate);
    p.packetBytes = packetBytes;
    // Feedback delay: the mark travels to the receiver, the CNP to the sender, and packets at the
    // new rate cross a link to the switch.
    p.delayS = 4e-12 * static_cast<double>(setting.delay) +
               8 * packetBytes * (1 / p.capacityBps + 1 / p.lineRateBps);
    p.markAtArrival = setting.markAt == "Arrival";
    const auto marker =
        CreateObjectWithAttributes<QbbEcnMarker>("Kmin",
                                                 UintegerValue(setting.ecn.kminBytes),
                                                 "Kmax",
                                                 UintegerValue(setting.ecn.kmaxBytes),
                                                 "Pmax",
                                                 DoubleValue(setting.ecn.pmax));
    p.ecn = marker->GetThresholds(FLUID_PRIORITY, setting.rate);
    p.cnpIntervalS = 1e-12 * static_cast<double>(setting.cnpInterval);
    p.dcqcn = CreateObject<RdmaDcqcn>()->GetParameters();
    if (setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY)
    {
        p.timely.beta = 0.008;
    }
    if (setting.model != RdmaFluidAlgorithm::DCQCN)
    {
        p.timely.baseRttS = p.delayS;
        for (const RdmaBitRate start : setting.startRates)
        {
            p.startBps.push_back(static_cast<double>(start));
        }
    }
    for (uint32_t i = 0; i < setting.flows; ++i)
    {
        p.startS.push_back(1e-12 * static_cast<double>(i * setting.stagger));
    }
    // The step divides a microsecond, so that output rows coincide with steps.
    p.stepS = 1e-6 / std::ceil(2e-6 / p.delayS);
    return p;
}

/** \param samples samples \param from index of the first sample to use \return their mean */
RdmaFluidSample
GetMean(const std::vector<RdmaFluidSample>& samples, std::size_t from)
{
    RdmaFluidSample mean;
    mean.rateBps.resize(samples.front().rateBps.size());
    const auto count = static_cast<double>(samples.size() - from);
    for (std::size_t i = from; i < samples.size(); ++i)
    {
        mean.queueBytes += samples[i].queueBytes / count;
        mean.marking += samples[i].marking / count;
        for (std::size_t flow = 0; flow < mean.rateBps.size(); ++flow)
        {
            mean.rateBps[flow] += samples[i].rateBps[flow] / count;
        }
    }
    return mean;
}

/** \param name name of the printed line \param mean values of the line */
void
PrintMean(const std::string& name, const RdmaFluidSample& mean)
{
    const auto& rates = mean.rateBps;
    const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
    const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
    std::cout << std::left << std::setw(18) << name << std::right << std::fixed
              << std::setprecision(1) << std::setw(10) << mean.queueBytes / 1000
              << std::setprecision(4) << std::setw(12) << 100 * mean.marking << std::setprecision(2)
              << std::setw(12) << sum / 1e9 << std::setprecision(4) << std::setw(10)
              << RdmaGoodputMeter::GetJainIndex(rates) << std::setprecision(3) << std::setw(10)
              << *low / sum << std::setw(9) << *high / sum << "\n";
}

/** Prints the mean of several runs and its 95% confidence interval. \param seeds means by run */
void
PrintSeeds(const std::vector<RdmaFluidSample>& seeds)
{
    const RdmaFluidSample mean = GetMean(seeds, 0);
    PrintMean("packets, mean", mean);
    double queue = 0;
    double marking = 0;
    for (const RdmaFluidSample& seed : seeds)
    {
        queue += std::pow(seed.queueBytes - mean.queueBytes, 2);
        marking += std::pow(seed.marking - mean.marking, 2);
    }
    const auto count = static_cast<double>(seeds.size());
    const double errors =
        RdmaStudentT95(static_cast<uint32_t>(seeds.size() - 1)) / std::sqrt(count * (count - 1));
    std::cout << "  95% confidence:   +-" << std::setprecision(1) << std::setw(7)
              << errors * std::sqrt(queue) / 1000 << "    +-" << std::setprecision(4)
              << 100 * errors * std::sqrt(marking) << "\n";
}

/** \param output the CSV file \param fluid samples \param packets samples */
void
WriteCsv(RdmaOutputFile& output,
         const std::vector<RdmaFluidSample>& fluid,
         const std::vector<RdmaFluidSample>& packets)
{
    std::ostream& os = output.GetStream();
    os << "time_us,fluid_queue_bytes,packet_queue_bytes";
    const std::size_t flows = fluid.front().rateBps.size();
    for (const char* kind : {"fluid", "packet"})
    {
        for (std::size_t flow = 1; flow <= flows; ++flow)
        {
            os << "," << kind << "_rate_" << flow << "_bps";
        }
    }
    os << "\n" << std::setprecision(9);
    for (std::size_t i = 0; i < std::min(fluid.size(), packets.size()); ++i)
    {
        os << 1e6 * fluid[i].timeS << "," << fluid[i].queueBytes << "," << packets[i].queueBytes;
        for (const auto& rates : {fluid[i].rateBps, packets[i].rateBps})
        {
            for (const double rate : rates)
            {
                os << "," << rate;
            }
        }
        os << "\n";
    }
    output.Close();
}

/** Rejects the options unless a condition holds. */
void
Require(bool isRight, const std::string& message)
{
    if (!isRight)
    {
        throw std::invalid_argument(message);
    }
}

/** \param text a text \param separator separator of its parts \return the parts */
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);)
    {
        parts.push_back(part);
    }
    return parts;
}

/** \param text KMIN:KMAX:PMAX \return the marking curve */
QbbEcnProfile
ReadCurve(const std::string& text)
{
    const auto parts = Split(text, ':');
    Require(parts.size() == 3, "\"" + text + "\"; accepted: KMIN:KMAX:PMAX at 40 Gb/s");
    const QbbEcnProfile curve{ParseRdmaBytes(parts[0]),
                              ParseRdmaBytes(parts[1]),
                              ParseRdmaReal(parts[2])};
    Require(curve.kminBytes < curve.kmaxBytes && curve.pmax > 0 && curve.pmax <= 1,
            "\"" + text + "\"; accepted: KMIN below KMAX, PMAX above 0 and at most 1");
    return curve;
}

/** \param setting parameters of both simulations */
void
Compare(const FluidSetting& setting)
{
    RdmaOutputFile output; // opened before the runs: refuses a file that cannot be written
    if (setting.output != "none")
    {
        output.Open(setting.output);
    }
    std::vector<RdmaFluidSample> means;
    FluidPackets first;
    uint64_t pauses = 0;
    for (uint32_t seed = 1; seed <= setting.seeds; ++seed)
    {
        FluidPackets packets = FluidStar(setting, seed).Run();
        means.push_back(GetMean(packets.rows, packets.rows.size() / 2));
        means.back().marking = packets.marking;
        pauses += packets.pauses;
        if (seed == 1)
        {
            first = std::move(packets);
        }
    }
    const RdmaFluidParameters parameters = MakeFluid(setting, first.packetBytes);
    RdmaFluidModel fluid(parameters);
    const auto samples = fluid.Run(1e-12 * static_cast<double>(setting.duration),
                                   1e-12 * static_cast<double>(setting.sample));
    std::cout
        << "                  mean queue  marked (%)   sum rates      Jain  smallest  largest\n"
           "                        (kB)                  (Gb/s)     index     share    share\n";
    PrintMean("fluid model", GetMean(samples, samples.size() / 2));
    for (uint32_t seed = 1; seed <= setting.seeds; ++seed)
    {
        PrintMean("packets, seed " + std::to_string(seed), means[seed - 1]);
    }
    if (setting.seeds > 1)
    {
        PrintSeeds(means);
    }
    if (setting.model == RdmaFluidAlgorithm::DCQCN)
    {
        const auto point = RdmaFluidModel::GetDcqcnFixedPoint(parameters);
        std::cout << "fixed point: " << std::setprecision(4) << 100 * point.marking << "% marked"
                  << (point.reached ? "" : ", which is beyond Pmax: the queue swings about Kmax")
                  << ", queue " << std::setprecision(1) << point.queueBytes / 1000 << " kB\n";
    }
    else if (setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY)
    {
        std::cout << "fixed point: queue " << std::setprecision(1)
                  << RdmaFluidModel::GetPatchedTimelyQueue(parameters) / 1000 << " kB\n";
    }
    if (pauses > 0)
    {
        std::cout << pauses << " pause frames, which the fluid model does not know\n";
    }
    if (setting.output != "none")
    {
        WriteCsv(output, samples, first.rows);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "Congestion control as a fluid model and packet by packet: hosts that send "
                        "to one through a switch. Writes queue and rates over time, prints means "
                        "of the second half.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate and --hostRate"},
        {"ns3::QbbChannel::Delay", "--delay"},
        {"ns3::RdmaNic::CnpInterval", "--cnpInterval"},
        {"ns3::QbbEcnMarker::Kmin", "--ecn"},
        {"ns3::QbbEcnMarker::Kmax", "--ecn"},
        {"ns3::QbbEcnMarker::Pmax", "--ecn"},
        {"ns3::QbbEcnMarker::MarkAt", "--markAt"},
    });
    FluidSetting setting;
    std::string hostRate;
    std::string model = "dcqcn";
    std::string markAt = "arrival";
    std::string ecn = "5KB:200KB:0.01";
    std::string startRates;
    cmd.Add("flows", "how many send, 1 to 400", setting.flows, {"1", "400"});
    cmd.Add("seeds", "packet simulations, with the seeds 1, 2, ...", setting.seeds, {"1", "10000"});
    cmd.Add("rate", "rate of the receiver's link", setting.rate);
    cmd.Add("hostRate", "rate of the senders' links; empty: the same", hostRate);
    cmd.Add("delay", "delay of each link", setting.delay, {"1ps", "1s"});
    cmd.Add("duration", "simulated time", setting.duration, {"2us"});
    cmd.Add("sample", "time between rows, whole microseconds", setting.sample, {"1us"});
    cmd.Add("stagger", "from a flow's start to that of the next one", setting.stagger);
    cmd.Add("model",
            "dcqcn, timely or patched-timely",
            model,
            {"dcqcn", "timely", "patched-timely"});
    cmd.Add("cnpInterval",
            "dcqcn: time between CNPs of a flow",
            setting.cnpInterval,
            {"1ps", "4s"});
    cmd.Add("ecn", "dcqcn: marking curve KMIN:KMAX:PMAX at 40 Gb/s", ecn);
    cmd.Add("markAt",
            "dcqcn: packets are marked on arrival or on departure, by the queue then",
            markAt,
            {"arrival", "departure"});
    cmd.Add("startRates",
            "timely: a rate for each flow, as in 7Gbps,3Gbps; empty: equal parts",
            startRates);
    cmd.Add("output", "CSV file to write, of seed 1, or none", setting.output);
    return cmd.Run(argc, argv, [&] {
        setting.model = ParseRdmaFluidAlgorithm(model);
        const bool dcqcn = setting.model == RdmaFluidAlgorithm::DCQCN;
        cmd.RefuseGivenOptions(dcqcn ? std::vector<std::string>{"startRates"}
                                     : std::vector<std::string>{"cnpInterval", "ecn", "markAt"},
                               "with --model=" + model);
        setting.hostRate =
            hostRate.empty() ? setting.rate
                             : ParseRdmaOption("hostRate", [&] { return ParseRdmaRate(hostRate); });
        setting.markAt = markAt == "arrival" ? "Arrival" : "Departure";
        setting.ecn = ParseRdmaOption("ecn", [&] { return ReadCurve(ecn); });
        for (const std::string& text : Split(startRates, ','))
        {
            setting.startRates.push_back(
                ParseRdmaOption("startRates", [&] { return ParseRdmaRate(text); }));
        }
        Require(setting.sample % 1_us == 0_ps,
                "--sample: " + FormatRdmaTime(setting.sample) + "; accepted: whole microseconds");
        Require(setting.duration >= 2 * setting.sample,
                "--duration: " + FormatRdmaTime(setting.duration) +
                    "; accepted: twice the time of --sample and more");
        Require(setting.startRates.empty() || setting.startRates.size() == setting.flows,
                "--startRates: " + startRates + "; accepted: a rate for each of the " +
                    std::to_string(setting.flows) + " flows");
        if (setting.startRates.empty() && !dcqcn)
        {
            setting.startRates.assign(setting.flows, setting.rate / setting.flows);
        }
        Compare(setting);
        return 0;
    });
}
