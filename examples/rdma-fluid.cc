/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Theory and packets: N hosts send to one through a switch, once as a fluid model, once as a packet
 * simulation with the same parameters. Writes queue, marking probability and rates over time, and
 * prints the means of the second half.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/** What both are about. */
struct Setting
{
    uint32_t flows;           //!< senders
    uint64_t rateBps;         //!< of every link
    int64_t delayPs;          //!< of every link
    int64_t durationPs;       //!< simulated time
    int64_t samplePs;         //!< time between rows
    RdmaFluidAlgorithm model; //!< what controls
};

/** What the packet simulation leaves. */
struct Packets
{
    std::vector<RdmaFluidSample> rows; //!< over time, as of the fluid model
    double marking{0};                 //!< part of frames that were marked in the second half
    double packetBytes{0};             //!< a full packet on the line
    QbbEcnThresholds curve;            //!< where the port marks
};

constexpr uint8_t PRIORITY = 3; //!< class of the data

/** The star, its senders, and who looks at them. */
class Star
{
  public:
    /** \param setting what to simulate */
    explicit Star(const Setting& setting)
        : m_setting(setting)
    {
        RdmaFabricHelper helper;
        helper.SetBufferAttribute("BufferSize", UintegerValue(64 << 20)); // no pauses
        if (setting.model == RdmaFluidAlgorithm::DCQCN)
        {
            helper.SetCongestionControl("ns3::RdmaDcqcn");
            helper.EnableEcn(true);
        }
        else
        {
            SetTimely(helper);
        }
        RdmaTopologyRates rates;
        rates.hostRateBps = setting.rateBps;
        rates.delayPs = setting.delayPs;
        m_fabric = helper.Install(MakeRdmaStar(setting.flows + 1, rates));
        m_fabric->AssignStreams(1);
        const RdmaTopology& topology = m_fabric->GetTopology();
        const uint32_t sw = topology.GetSwitches()[0];
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = topology.GetLink(link);
            if (ends.a == 0 || ends.b == 0)
            {
                m_port = m_fabric->GetDevice(link, sw);
            }
        }
        const Ptr<QbbEcnMarker> marker = CreateObject<QbbEcnMarker>();
        m_packets.curve = marker->GetThresholds(PRIORITY, setting.rateBps);
    }

    /** \return what came of it */
    Packets Run()
    {
        for (uint32_t i = 1; i <= m_setting.flows; ++i)
        {
            m_senders.push_back(m_fabric->Connect(i, 0, PRIORITY).first);
            RdmaSendRequest request;
            request.length = RDMA_MAX_MESSAGE_BYTES;
            m_senders.back()->PostSend(request);
            m_senders.back()->PostSend(request);
        }
        Look(0);
        Simulator::Schedule(QbbFromPs(m_setting.durationPs / 2),
                            [this] { m_half = m_port->GetCounters().classes[PRIORITY]; });
        Simulator::Stop(QbbFromPs(m_setting.durationPs));
        Simulator::Run();
        const auto& end = m_port->GetCounters().classes[PRIORITY];
        const auto frames = static_cast<double>(end.txFrames - m_half.txFrames);
        m_packets.marking = static_cast<double>(end.ecnMarks - m_half.ecnMarks) / frames;
        m_packets.packetBytes = static_cast<double>(end.txBytes - m_half.txBytes) / frames +
                                m_port->GetLineOverheadBytes();
        m_fabric = nullptr;
        Simulator::Destroy();
        return m_packets;
    }

  private:
    void SetTimely(RdmaFabricHelper& helper) const
    {
        const RdmaFluidTimely timely;
        helper.SetCongestionControl("ns3::RdmaTimely");
        auto set = [&helper](const char* name, const AttributeValue& value) {
            helper.SetCongestionControlAttribute(name, value);
        };
        set("MinRtt", TimeValue(Seconds(timely.minRttS)));
        set("SegmentSize", UintegerValue(static_cast<uint64_t>(timely.segmentBytes)));
        set("HaiThreshold", UintegerValue(1000)); // not in the fluid model
        set("InitialRate", DataRateValue(DataRate(m_setting.rateBps / m_setting.flows)));
        set("Patched", BooleanValue(m_setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY));
    }

    void Look(int64_t nowPs)
    {
        RdmaFluidSample row;
        row.timeS = 1e-12 * static_cast<double>(nowPs);
        row.queueBytes = static_cast<double>(m_port->GetQueueBytes(PRIORITY));
        for (const auto& sender : m_senders)
        {
            row.rateBps.push_back(
                static_cast<double>(sender->GetRateController()->GetRateBps(nowPs)));
        }
        m_packets.rows.push_back(row);
        const int64_t nextPs = nowPs + m_setting.samplePs;
        Simulator::Schedule(QbbFromPs(m_setting.samplePs), [this, nextPs] { Look(nextPs); });
    }

    Setting m_setting;                         //!< what to simulate
    Ptr<RdmaFabric> m_fabric;                  //!< the star
    Ptr<QbbNetDevice> m_port;                  //!< the switch's, to the receiver
    std::vector<Ptr<RdmaQueuePair>> m_senders; //!< by flow
    QbbPortCounters::Class m_half;             //!< the port's counters half way
    Packets m_packets;                         //!< what comes of it
};

/** \param setting what to model \param packets the packet simulation of it \return parameters */
RdmaFluidParameters
MakeFluid(const Setting& setting, const Packets& packets)
{
    RdmaFluidParameters p;
    p.algorithm = setting.model;
    p.flows = setting.flows;
    p.capacityBps = static_cast<double>(setting.rateBps);
    p.packetBytes = packets.packetBytes;
    // The switch marks what arrives; the mark goes on to the receiver, the CNP back to the sender,
    // and packets at the new rate take a link to get to the switch.
    const double packetS = 8 * packets.packetBytes / p.capacityBps;
    p.delayS = 4e-12 * static_cast<double>(setting.delayPs) + 2 * packetS;
    p.markAtArrival = true;
    p.ecn = packets.curve;
    p.dcqcn = CreateObject<RdmaDcqcn>()->GetParameters();
    if (setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY)
    {
        p.timely.beta = 0.008;
    }
    if (setting.model != RdmaFluidAlgorithm::DCQCN)
    {
        p.timely.baseRttS = p.delayS;
        p.startBps.assign(setting.flows, p.capacityBps / setting.flows);
    }
    p.stepS = 1e-6 / std::ceil(2e-6 / p.delayS); // a part of a microsecond, for the rows
    return p;
}

/** \param name of the rows \param rows \param marking mean probability of a mark */
void
PrintMeans(const std::string& name, const std::vector<RdmaFluidSample>& rows, double marking)
{
    double queue = 0;
    std::vector<double> rates(rows.front().rateBps.size());
    const std::size_t half = rows.size() / 2;
    for (std::size_t i = half; i < rows.size(); ++i)
    {
        queue += rows[i].queueBytes;
        for (std::size_t flow = 0; flow < rates.size(); ++flow)
        {
            rates[flow] += rows[i].rateBps[flow];
        }
    }
    const auto count = static_cast<double>(rows.size() - half);
    double sum = 0;
    double squares = 0;
    for (const double rate : rates)
    {
        sum += rate / count;
        squares += rate / count * rate / count;
    }
    const double jain = sum * sum / (static_cast<double>(rates.size()) * squares);
    std::cout << std::left << std::setw(14) << name << std::right << std::fixed
              << std::setprecision(1) << std::setw(12) << queue / count / 1000
              << std::setprecision(3) << std::setw(12) << 100 * marking << std::setprecision(2)
              << std::setw(16) << sum / 1e9 << std::setprecision(4) << std::setw(12) << jain
              << "\n";
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

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t flows = 4;
    std::string rate = "40Gbps";
    std::string delay = "1us";
    std::string duration = "50ms";
    std::string sample = "10us";
    std::string model = "dcqcn";
    std::string output = "rdma-fluid.csv";
    CommandLine cmd(__FILE__);
    cmd.Usage("Congestion control as a fluid model and packet by packet: hosts that send to one "
              "through a switch. Writes queue and rates over time, prints means of the second "
              "half.");
    cmd.AddValue("flows", "how many send, 1 to 400", flows);
    cmd.AddValue("rate", "rate of the links", rate);
    cmd.AddValue("delay", "delay of each link", delay);
    cmd.AddValue("duration", "simulated time", duration);
    cmd.AddValue("sample", "time between rows, whole microseconds", sample);
    cmd.AddValue("model", "dcqcn, timely or patched-timely", model);
    cmd.AddValue("output", "CSV file to write, or none", output);
    cmd.Parse(argc, argv);

    try
    {
        QbbSetTimeResolution();
        const Setting setting{flows,
                              ParseRdmaRate(rate),
                              ParseRdmaTime(delay),
                              ParseRdmaTime(duration),
                              ParseRdmaTime(sample),
                              ParseRdmaFluidAlgorithm(model)};
        if (flows < 1 || flows > 400 || setting.delayPs <= 0 || setting.samplePs <= 0 ||
            setting.samplePs % 1'000'000 != 0 || setting.durationPs < 2 * setting.samplePs)
        {
            throw std::invalid_argument(
                "--flows, --delay, --sample or --duration; accepted: 1 to 400 flows, a delay "
                "above 0, samples whole microseconds apart, two of them at least");
        }
        const Packets packets = Star(setting).Run();
        const RdmaFluidParameters parameters = MakeFluid(setting, packets);
        RdmaFluidModel fluid(parameters);
        const auto samples = fluid.Run(1e-12 * static_cast<double>(setting.durationPs),
                                       1e-12 * static_cast<double>(setting.samplePs));
        std::cout << "              mean queue  marked (%)  sum of rates    Jain index\n"
                  << "                    (kB)                  (Gb/s)\n";
        PrintMeans("fluid model", samples, GetMarking(samples));
        PrintMeans("packets", packets.rows, packets.marking);
        if (setting.model == RdmaFluidAlgorithm::DCQCN)
        {
            const auto point = RdmaFluidModel::GetDcqcnFixedPoint(parameters);
            std::cout << "fixed point: " << std::setprecision(3) << 100 * point.marking
                      << "% marked"
                      << (point.reached ? ""
                                        : ", which is beyond Pmax: the queue swings about Kmax")
                      << ", queue " << std::setprecision(1) << point.queueBytes / 1000 << " kB\n";
        }
        else if (setting.model == RdmaFluidAlgorithm::PATCHED_TIMELY)
        {
            std::cout << "fixed point: queue " << std::setprecision(1)
                      << RdmaFluidModel::GetPatchedTimelyQueue(parameters) / 1000 << " kB\n";
        }
        if (output != "none")
        {
            WriteCsv(output, samples, packets.rows);
        }
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-fluid: " << error.what() << "\n";
        return 2;
    }
}
