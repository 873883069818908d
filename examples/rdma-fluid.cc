/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Comparison of a fluid model and a packet simulation with equal parameters: N hosts send to one
 * host through a switch. The program writes queue and rates over time, and prints the means over
 * the second half of the run.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

/** Parameters shared by the fluid model and the packet simulation. */
struct Setting
{
    uint32_t flows{4};                  //!< number of senders
    QbbBitRate rate{0};                 //!< rate of the link to the receiver
    QbbBitRate hostRate{0};             //!< rate of the links of the senders
    QbbPs delay{0};                     //!< delay of every link
    QbbPs duration{0};                  //!< simulated time
    QbbPs sample{0};                    //!< time between two output rows
    QbbPs stagger{0};                   //!< time between the starts of two flows
    QbbPs cnpInterval{0};               //!< shortest time between two CNPs of a flow
    std::vector<QbbBitRate> startRates; //!< initial rates by flow; empty: default of the model
    std::string markAt;                 //!< value of the attribute MarkAt of QbbEcnMarker
    QbbEcnProfile ecn;                  //!< marking curve at 40 Gb/s
    RdmaFluidAlgorithm model{};         //!< congestion control algorithm
};

/** Results of the packet simulation. */
struct Packets
{
    std::vector<RdmaFluidSample> rows; //!< samples over time in the format of the fluid model
    double marking{0};                 //!< fraction of frames marked in the second half
    double packetBytes{0};             //!< size of a full packet on the line in bytes
    uint64_t pauses{0}; //!< number of pause frames, which the fluid model does not cover
};

constexpr uint8_t PRIORITY = 3; //!< traffic class of the data

/** Packet simulation of a star: senders, a switch, a receiver, and the sampling. */
class Star
{
  public:
    /** \param setting parameters \param seed seed of the random numbers */
    Star(const Setting& setting, uint32_t seed)
        : m_setting(setting)
    {
        RngSeedManager::SetSeed(seed);
        RdmaFabricHelper helper;
        // A buffer of this size avoids pauses, which the fluid model does not cover.
        helper.SetBufferAttribute("BufferSize", UintegerValue(512 << 20));
        helper.SetNicAttribute("CnpInterval", TimeValue(QbbToTime(setting.cnpInterval)));
        if (setting.model == RdmaFluidAlgorithm::DCQCN)
        {
            helper.SetCongestionControl("ns3::RdmaDcqcn");
            helper.SetEcnAttribute("Kmin", UintegerValue(setting.ecn.kminBytes));
            helper.SetEcnAttribute("Kmax", UintegerValue(setting.ecn.kmaxBytes));
            helper.SetEcnAttribute("Pmax", DoubleValue(setting.ecn.pmax));
            helper.SetEcnAttribute("MarkAt", StringValue(setting.markAt));
        }
        RdmaTopology topology;
        for (uint32_t host = 0; host <= setting.flows; ++host)
        {
            topology.AddHost();
        }
        const uint32_t sw = topology.AddSwitch();
        topology.AddLink(0, sw, setting.rate, setting.delay);
        for (uint32_t host = 1; host <= setting.flows; ++host)
        {
            topology.AddLink(host, sw, setting.hostRate, setting.delay);
        }
        m_fabric = helper.Install(topology);
        m_fabric->AssignStreams(1);
        m_port = m_fabric->GetDevice(0, sw);
        for (uint32_t i = 0; i < setting.flows && setting.model != RdmaFluidAlgorithm::DCQCN; ++i)
        {
            m_fabric->GetNic(i + 1)->SetCongestionControl(MakeTimely(setting.startRates[i]));
        }
    }

    /** \return results of the packet simulation */
    Packets Run()
    {
        for (uint32_t i = 0; i < m_setting.flows; ++i)
        {
            m_senders.push_back(m_fabric->Connect(i + 1, 0, PRIORITY).first);
            Simulator::Schedule(QbbToTime(i * m_setting.stagger), [sender = m_senders.back()] {
                RdmaSendRequest request;
                request.length = RDMA_MAX_MESSAGE_BYTES;
                sender->PostSend(request);
                sender->PostSend(request);
            });
        }
        Look(0_ps);
        Simulator::Schedule(QbbToTime(m_setting.duration / 2),
                            [this] { m_half = m_port->GetCounters().classes[PRIORITY]; });
        Simulator::Stop(QbbToTime(m_setting.duration));
        Simulator::Run();
        const auto& end = m_port->GetCounters().classes[PRIORITY];
        const auto frames = static_cast<double>(end.txFrames - m_half.txFrames);
        m_packets.marking = static_cast<double>(end.ecnMarks - m_half.ecnMarks) / frames;
        m_packets.packetBytes = static_cast<double>(end.txBytes - m_half.txBytes) / frames +
                                m_port->GetLineOverheadBytes();
        m_packets.pauses = m_fabric->GetTotals().pauseFrames;
        m_senders.clear();
        m_port = nullptr;
        m_fabric = nullptr;
        Simulator::Destroy();
        return m_packets;
    }

  private:
    Ptr<RdmaCongestionControl> MakeTimely(QbbBitRate start) const
    {
        const RdmaFluidTimely timely;
        return CreateObjectWithAttributes<RdmaTimely>(
            "MinRtt",
            TimeValue(Seconds(timely.minRttS)),
            "SegmentSize",
            UintegerValue(static_cast<uint64_t>(timely.segmentBytes)),
            "HaiThreshold", // the fluid model has no hyper-active increase
            UintegerValue(1000),
            "InitialRate",
            DataRateValue(start.ToDataRate()),
            "Patched",
            BooleanValue(m_setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY));
    }

    void Look(QbbPs now)
    {
        RdmaFluidSample row;
        row.timeS = 1e-12 * static_cast<double>(now);
        row.queueBytes = static_cast<double>(m_port->GetQueues().GetBytes(PRIORITY));
        for (const auto& sender : m_senders)
        {
            row.rateBps.push_back(static_cast<double>(sender->GetRateController()->GetRate(now)));
        }
        m_packets.rows.push_back(row);
        const QbbPs next = now + m_setting.sample;
        Simulator::Schedule(QbbToTime(m_setting.sample), [this, next] { Look(next); });
    }

    Setting m_setting;                         //!< parameters of the simulation
    Ptr<RdmaFabric> m_fabric;                  //!< fabric of the star
    Ptr<QbbNetDevice> m_port;                  //!< port of the switch towards the receiver
    std::vector<Ptr<RdmaQueuePair>> m_senders; //!< sending queue pairs by flow
    QbbPortCounters::Class m_half;             //!< counters of the port at half of the duration
    Packets m_packets;                         //!< results of the simulation
};

/** \param setting parameters \param packetBytes packet size on the line \return model parameters */
RdmaFluidParameters
MakeFluid(const Setting& setting, double packetBytes)
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
    p.ecn = marker->GetThresholds(PRIORITY, setting.rate);
    p.cnpIntervalS = 1e-12 * static_cast<double>(setting.cnpInterval);
    p.dcqcn = CreateObject<RdmaDcqcn>()->GetParameters();
    if (setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY)
    {
        p.timely.beta = 0.008;
    }
    if (setting.model != RdmaFluidAlgorithm::DCQCN)
    {
        p.timely.baseRttS = p.delayS;
        for (const QbbBitRate start : setting.startRates)
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

/** Mean values over the second half of a run. */
struct Means
{
    double queueBytes{0};        //!< queue length of the port in bytes
    double marking{0};           //!< fraction of packets that are marked
    std::vector<double> rateBps; //!< rate by flow in bit/s
};

/** \param rows samples \param marking mean marking probability \return means of the second half */
Means
GetMeans(const std::vector<RdmaFluidSample>& rows, double marking)
{
    Means means;
    means.marking = marking;
    means.rateBps.resize(rows.front().rateBps.size());
    const std::size_t half = rows.size() / 2;
    const auto count = static_cast<double>(rows.size() - half);
    for (std::size_t i = half; i < rows.size(); ++i)
    {
        means.queueBytes += rows[i].queueBytes / count;
        for (std::size_t flow = 0; flow < means.rateBps.size(); ++flow)
        {
            means.rateBps[flow] += rows[i].rateBps[flow] / count;
        }
    }
    return means;
}

/** \param name name of the printed line \param means values of the line */
void
PrintMeans(const std::string& name, const Means& means)
{
    double sum = 0;
    double squares = 0;
    for (const double rate : means.rateBps)
    {
        sum += rate;
        squares += rate * rate;
    }
    const double jain = sum * sum / (static_cast<double>(means.rateBps.size()) * squares);
    const double low = *std::min_element(means.rateBps.begin(), means.rateBps.end());
    const double high = *std::max_element(means.rateBps.begin(), means.rateBps.end());
    std::cout << std::left << std::setw(18) << name << std::right << std::fixed
              << std::setprecision(1) << std::setw(10) << means.queueBytes / 1000
              << std::setprecision(4) << std::setw(12) << 100 * means.marking
              << std::setprecision(2) << std::setw(12) << sum / 1e9 << std::setprecision(4)
              << std::setw(10) << jain << std::setprecision(3) << std::setw(10) << low / sum
              << std::setw(9) << high / sum << "\n";
}

/** Prints the mean of several runs and its 95% confidence interval. \param seeds means by run */
void
PrintSeeds(const std::vector<Means>& seeds)
{
    Means mean;
    mean.rateBps.resize(seeds.front().rateBps.size());
    const auto count = static_cast<double>(seeds.size());
    for (const Means& seed : seeds)
    {
        mean.queueBytes += seed.queueBytes / count;
        mean.marking += seed.marking / count;
        for (std::size_t flow = 0; flow < mean.rateBps.size(); ++flow)
        {
            mean.rateBps[flow] += seed.rateBps[flow] / count;
        }
    }
    PrintMeans("packets, mean", mean);
    if (seeds.size() < 2)
    {
        return;
    }
    double queue = 0;
    double marking = 0;
    for (const Means& seed : seeds)
    {
        queue += std::pow(seed.queueBytes - mean.queueBytes, 2);
        marking += std::pow(seed.marking - mean.marking, 2);
    }
    const double errors =
        RdmaStudentT95(static_cast<uint32_t>(seeds.size() - 1)) / std::sqrt(count * (count - 1));
    std::cout << "  95% confidence:   +-" << std::setprecision(1) << std::setw(7)
              << errors * std::sqrt(queue) / 1000 << "    +-" << std::setprecision(4)
              << 100 * errors * std::sqrt(marking) << "\n";
}

/** \param file path of the CSV file \param fluid samples \param packets samples */
void
WriteCsv(const std::string& file,
         const std::vector<RdmaFluidSample>& fluid,
         const std::vector<RdmaFluidSample>& packets)
{
    std::ofstream os(file);
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
    if (!os.flush())
    {
        throw std::invalid_argument("--output=" + file + " cannot be written");
    }
}

/** \param samples samples of the model \return mean marking probability of the second half */
double
GetMarking(const std::vector<RdmaFluidSample>& samples)
{
    double sum = 0;
    const std::size_t half = samples.size() / 2;
    for (std::size_t i = half; i < samples.size(); ++i)
    {
        sum += samples[i].marking;
    }
    return sum / static_cast<double>(samples.size() - half);
}

/** Options of the command line. */
struct Options
{
    uint32_t flows{4};                    //!< value of the option flows
    uint32_t seeds{1};                    //!< value of the option seeds
    std::string rate{"40Gbps"};           //!< value of the option rate
    std::string hostRate;                 //!< value of the option hostRate
    std::string delay{"1us"};             //!< value of the option delay
    std::string duration{"50ms"};         //!< value of the option duration
    std::string sample{"10us"};           //!< value of the option sample
    std::string stagger{"0us"};           //!< value of the option stagger
    std::string cnpInterval{"50us"};      //!< value of the option cnpInterval
    std::string model{"dcqcn"};           //!< value of the option model
    std::string markAt{"arrival"};        //!< value of the option markAt
    std::string ecn{"5KB:200KB:0.01"};    //!< value of the option ecn
    std::string startRates;               //!< value of the option startRates
    std::string output{"rdma-fluid.csv"}; //!< value of the option output
};

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

/** \param options options of the command line \return parameters of the comparison */
Setting
MakeSetting(const Options& options)
{
    Setting setting;
    setting.flows = options.flows;
    setting.rate = ParseRdmaRate(options.rate);
    setting.hostRate = options.hostRate.empty() ? setting.rate : ParseRdmaRate(options.hostRate);
    setting.delay = ParseRdmaTime(options.delay);
    setting.duration = ParseRdmaTime(options.duration);
    setting.sample = ParseRdmaTime(options.sample);
    setting.stagger = ParseRdmaTime(options.stagger);
    setting.cnpInterval = ParseRdmaTime(options.cnpInterval);
    setting.model = ParseRdmaFluidAlgorithm(options.model);
    if (options.markAt != "arrival" && options.markAt != "departure")
    {
        throw std::invalid_argument("--markAt: \"" + options.markAt +
                                    "\"; accepted: arrival, departure");
    }
    setting.markAt = options.markAt == "arrival" ? "Arrival" : "Departure";
    const auto ecn = Split(options.ecn, ':');
    if (ecn.size() != 3)
    {
        throw std::invalid_argument("--ecn: \"" + options.ecn +
                                    "\"; accepted: KMIN:KMAX:PMAX at 40 Gb/s");
    }
    setting.ecn = {ParseRdmaBytes(ecn[0]), ParseRdmaBytes(ecn[1]), ParseRdmaReal(ecn[2])};
    for (const std::string& rate : Split(options.startRates, ','))
    {
        setting.startRates.push_back(ParseRdmaRate(rate));
    }
    const bool dcqcn = setting.model == RdmaFluidAlgorithm::DCQCN;
    if (setting.flows < 1 || setting.flows > 400 || options.seeds < 1 || setting.delay <= 0_ps ||
        setting.sample <= 0_ps || setting.sample % 1_us != 0_ps ||
        setting.duration < 2 * setting.sample || setting.cnpInterval <= 0_ps ||
        setting.ecn.kminBytes >= setting.ecn.kmaxBytes ||
        !(setting.ecn.pmax > 0 && setting.ecn.pmax <= 1))
    {
        throw std::invalid_argument(
            "--flows, --seeds, --delay, --sample, --duration, --cnpInterval or --ecn; accepted: 1 "
            "to 400 flows, 1 seed and more, a delay and an interval above 0, samples whole "
            "microseconds apart, two of them at least, KMIN below KMAX, PMAX above 0 and at most "
            "1");
    }
    if (!setting.startRates.empty() && (dcqcn || setting.startRates.size() != setting.flows))
    {
        throw std::invalid_argument("--startRates: " + options.startRates +
                                    "; accepted: a rate for each flow of TIMELY; DCQCN begins at "
                                    "line rate");
    }
    if (setting.startRates.empty() && !dcqcn)
    {
        setting.startRates.assign(setting.flows, setting.rate / setting.flows);
    }
    return setting;
}

/** \param setting parameters \param seeds number of packet simulations \param output CSV file */
void
Compare(const Setting& setting, uint32_t seeds, const std::string& output)
{
    std::vector<Means> means;
    Packets first;
    uint64_t pauses = 0;
    for (uint32_t seed = 1; seed <= seeds; ++seed)
    {
        Packets packets = Star(setting, seed).Run();
        means.push_back(GetMeans(packets.rows, packets.marking));
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
    PrintMeans("fluid model", GetMeans(samples, GetMarking(samples)));
    for (uint32_t seed = 1; seed <= seeds; ++seed)
    {
        PrintMeans("packets, seed " + std::to_string(seed), means[seed - 1]);
    }
    if (seeds > 1)
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
    if (output != "none")
    {
        WriteCsv(output, samples, first.rows);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    BeginRdmaProgram(argc, argv);
    Options options;
    CommandLine cmd(__FILE__);
    cmd.Usage("Congestion control as a fluid model and packet by packet: hosts that send to one "
              "through a switch. Writes queue and rates over time, prints means of the second "
              "half.");
    cmd.AddValue("flows", "how many send, 1 to 400", options.flows);
    cmd.AddValue("seeds", "packet simulations, with the seeds 1, 2, ...", options.seeds);
    cmd.AddValue("rate", "rate of the receiver's link", options.rate);
    cmd.AddValue("hostRate", "rate of the senders' links; empty: the same", options.hostRate);
    cmd.AddValue("delay", "delay of each link", options.delay);
    cmd.AddValue("duration", "simulated time", options.duration);
    cmd.AddValue("sample", "time between rows, whole microseconds", options.sample);
    cmd.AddValue("stagger", "from a flow's start to that of the next one", options.stagger);
    cmd.AddValue("model", "dcqcn, timely or patched-timely", options.model);
    cmd.AddValue("cnpInterval", "dcqcn: time between CNPs of a flow", options.cnpInterval);
    cmd.AddValue("ecn", "dcqcn: marking curve KMIN:KMAX:PMAX at 40 Gb/s", options.ecn);
    cmd.AddValue("markAt",
                 "dcqcn: packets are marked on arrival or on departure, by the queue then",
                 options.markAt);
    cmd.AddValue("startRates",
                 "timely: a rate for each flow, as in 7Gbps,3Gbps; empty: equal parts",
                 options.startRates);
    cmd.AddValue("output", "CSV file to write, of seed 1, or none", options.output);
    cmd.Parse(argc, argv);

    try
    {
        Compare(MakeSetting(options), options.seeds, options.output);
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-fluid: " << error.what() << "\n";
        return 2;
    }
}
