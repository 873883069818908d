/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Theory and packets: N hosts send to one through a switch, once as a fluid model, once as a packet
 * simulation with the same parameters. Writes queue and rates over time, and prints the means of
 * the second half.
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

/** What both are about. */
struct Setting
{
    uint32_t flows{4};                  //!< senders
    QbbBitRate rate{0};                 //!< of the link to the receiver
    QbbBitRate hostRate{0};             //!< of the senders' links
    QbbPs delay{0};                     //!< of every link
    QbbPs duration{0};                  //!< simulated time
    QbbPs sample{0};                    //!< time between rows
    QbbPs stagger{0};                   //!< from a flow's start to the next one's
    QbbPs cnpInterval{0};               //!< between two CNPs of a flow
    std::vector<QbbBitRate> startRates; //!< rates at the start, by flow; empty: as the model has it
    std::string markAt;                 //!< QbbEcnMarker::MarkAt
    QbbEcnProfile ecn;                  //!< marking curve at 40 Gb/s
    RdmaFluidAlgorithm model{};         //!< what controls
};

/** What the packet simulation leaves. */
struct Packets
{
    std::vector<RdmaFluidSample> rows; //!< over time, as of the fluid model
    double marking{0};                 //!< part of frames that were marked in the second half
    double packetBytes{0};             //!< a full packet on the line
    uint64_t pauses{0};                //!< pause frames, which the fluid model knows nothing of
};

constexpr uint8_t PRIORITY = 3; //!< class of the data

/** The star, its senders, and who looks at them. */
class Star
{
  public:
    /** \param setting what to simulate \param seed of its random numbers */
    Star(const Setting& setting, uint32_t seed)
        : m_setting(setting)
    {
        RngSeedManager::SetSeed(seed);
        RdmaFabricHelper helper;
        helper.SetBufferAttribute("BufferSize", UintegerValue(512 << 20)); // no pauses
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

    /** \return what came of it */
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
            "HaiThreshold", // not in the fluid model
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

    Setting m_setting;                         //!< what to simulate
    Ptr<RdmaFabric> m_fabric;                  //!< the star
    Ptr<QbbNetDevice> m_port;                  //!< the switch's, to the receiver
    std::vector<Ptr<RdmaQueuePair>> m_senders; //!< by flow
    QbbPortCounters::Class m_half;             //!< the port's counters half way
    Packets m_packets;                         //!< what comes of it
};

/** \param setting what to model \param packetBytes a full packet on the line \return parameters */
RdmaFluidParameters
MakeFluid(const Setting& setting, double packetBytes)
{
    RdmaFluidParameters p;
    p.algorithm = setting.model;
    p.flows = setting.flows;
    p.capacityBps = static_cast<double>(setting.rate);
    p.lineRateBps = static_cast<double>(setting.hostRate);
    p.packetBytes = packetBytes;
    // The mark goes on to the receiver, the CNP back to the sender, and packets at the new rate
    // take a link to get to the switch.
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
    p.stepS = 1e-6 / std::ceil(2e-6 / p.delayS); // a part of a microsecond, for the rows
    return p;
}

/** Means of the second half. */
struct Means
{
    double queueBytes{0};        //!< of the port
    double marking{0};           //!< part of packets that are marked
    std::vector<double> rateBps; //!< by flow
};

/** \param rows \param marking mean probability of a mark \return means of the second half */
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

/** \param name of the line \param means what it says */
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

/** \param seeds means of several runs; prints their mean, and its 95% confidence interval */
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

/** \param file name \param fluid rows \param packets rows */
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

/** \param samples of the fluid model \return mean marking probability of the second half */
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

/** What the command line says. */
struct Options
{
    uint32_t flows{4};                    //!< option flows
    uint32_t seeds{1};                    //!< option seeds
    std::string rate{"40Gbps"};           //!< option rate
    std::string hostRate;                 //!< option hostRate
    std::string delay{"1us"};             //!< option delay
    std::string duration{"50ms"};         //!< option duration
    std::string sample{"10us"};           //!< option sample
    std::string stagger{"0us"};           //!< option stagger
    std::string cnpInterval{"50us"};      //!< option cnpInterval
    std::string model{"dcqcn"};           //!< option model
    std::string markAt{"arrival"};        //!< option markAt
    std::string ecn{"5KB:200KB:0.01"};    //!< option ecn
    std::string startRates;               //!< option startRates
    std::string output{"rdma-fluid.csv"}; //!< option output
};

/** \param text parts \param separator between them \return them */
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

/** \param options the command line \return what it means */
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

/** \param setting what to look at \param seeds packet simulations \param output CSV file */
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
    QbbSetTimeResolution(); // before times of the command line are read
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
