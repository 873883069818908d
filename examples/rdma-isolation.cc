/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Traffic classes as deployed by Guo et al. (SIGCOMM 2016, section 2): a lossless class for
 * real-time traffic, a lossless class for bulk transfers, and a lossy class with reserved bandwidth
 * for TCP.
 *
 * The bottleneck is the link between two switches. Hosts on the left send to hosts on the right:
 * hosts 0 and 1 send bulk writes (class 3), host 2 sends a real-time write of 4 KB every 20 us
 * (class 4), and host 3 sends TCP (class 0). The bottleneck schedules TCP, bulk and real-time
 * traffic by DWRR with weights 3:4:3. The program runs every combination of the three kinds of
 * traffic:
 *
 *     ns3 run rdma-isolation
 *     ns3 run "rdma-isolation --weights=1:1:2 --rate=100Gbps"
 */

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint8_t TCP = 0;
constexpr uint8_t BULK = 3;
constexpr uint8_t REAL_TIME = 4;
constexpr uint32_t HOSTS = 4;

/** Posts RDMA writes, four outstanding or one per period, and measures their completion times. */
class Writer
{
  public:
    /**
     * \param qp a connected queue pair
     * \param bytes size of each write
     * \param period time between two writes; 0: a completion starts the next write
     */
    Writer(Ptr<RdmaQueuePair> qp, uint64_t bytes, Time period)
        : m_qp(qp),
          m_bytes(bytes),
          m_period(period)
    {
        qp->GetSendCompletionQueue()->SetCallback(MakeCallback(&Writer::OnCompletion, this));
        for (int i = 0; i < (period.IsZero() ? 4 : 1); ++i)
        {
            Post();
        }
    }

    std::vector<double> m_us; //!< times from post to completion in microseconds

  private:
    void Post()
    {
        RdmaSendRequest request;
        request.id = static_cast<uint64_t>(RdmaNow().Get());
        request.length = m_bytes;
        m_qp->PostSend(request);
        if (!m_period.IsZero())
        {
            Simulator::Schedule(m_period, &Writer::Post, this);
        }
    }

    void OnCompletion(const RdmaWorkCompletion& completion)
    {
        NS_ABORT_MSG_IF(completion.status != RdmaWcStatus::SUCCESS,
                        "rdma-isolation: a flow ended with " << completion.status);
        m_us.push_back(static_cast<double>(completion.time - RdmaPs(completion.id)) / 1e6);
        if (m_period.IsZero())
        {
            Post();
        }
    }

    Ptr<RdmaQueuePair> m_qp; //!< sending queue pair
    uint64_t m_bytes;        //!< size of each write
    Time m_period;           //!< time between two writes, or 0
};

/** Parameters of a run. */
struct Setting
{
    RdmaBitRate rate;              //!< rate of all links
    std::vector<uint32_t> weights; //!< DWRR weights of TCP, bulk and real-time traffic
    Time duration;                 //!< simulated time; measurements exclude the first quarter
};

/** Runs the selected kinds of traffic and prints a line of the table. */
void
Measure(const Setting& setting, bool tcp, bool bulk, bool realTime)
{
    RdmaFabricHelper helper;
    helper.SetInternetStack(true);
    const auto weight = [&setting](std::size_t i) { return std::to_string(setting.weights[i]); };
    helper.SetDeviceAttribute("Scheduler",
                              StringValue(weight(0) + ",strict,strict," + weight(1) + "," +
                                          weight(2) + ",strict,strict,strict"));
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(1U << BULK | 1U << REAL_TIME));
    SetRdmaDefault("ns3::QbbSharedBuffer", "BufferSize", UintegerValue(4 << 20));
    RdmaTopologyRates rates;
    rates.hostRate = setting.rate;
    rates.uplinkRate = setting.rate;
    const RdmaTopology topology = MakeRdmaDumbbell(HOSTS, rates);
    auto fabric = helper.Install(topology);

    std::vector<std::unique_ptr<Writer>> writers;
    for (uint32_t host = 0; host < 2 && bulk; ++host)
    {
        writers.push_back(std::make_unique<Writer>(fabric->Connect(host, HOSTS + host, BULK).first,
                                                   1'000'000,
                                                   Time(0)));
    }
    std::unique_ptr<Writer> timed;
    if (realTime)
    {
        timed = std::make_unique<Writer>(fabric->Connect(2, HOSTS + 2, REAL_TIME).first,
                                         4096,
                                         MicroSeconds(20));
    }
    if (tcp)
    {
        const uint16_t port = 50000;
        PacketSinkHelper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port))
            .Install(fabric->GetNode(HOSTS + 3));
        for (uint32_t i = 0; i < 8; ++i)
        {
            BulkSendHelper sender("ns3::TcpSocketFactory",
                                  InetSocketAddress(fabric->GetAddress(HOSTS + 3), port));
            sender.SetAttribute("SendSize", UintegerValue(64 * 1024));
            sender.Install(fabric->GetNode(3)).Start(MicroSeconds(20 * i));
        }
    }

    const uint32_t link = topology.GetNLinks() - 1;
    const auto bottleneck = fabric->GetDevice(link, topology.GetLink(link).a);
    std::array<uint64_t, 8> before{};
    Simulator::Schedule(setting.duration / 4, [&]() {
        for (uint8_t i = 0; i < 8; ++i)
        {
            before[i] = bottleneck->GetCounters().classes[i].txBytes;
        }
    });
    Simulator::Stop(setting.duration);
    Simulator::Run();

    const double seconds = (setting.duration * 3 / 4).GetSeconds();
    std::array<uint64_t, 8> drops{};
    std::array<uint64_t, 8> pauses{};
    for (const auto& row : fabric->GetPortResults())
    {
        drops[row.priority] += row.drops;
        pauses[row.priority] += row.xoffSent + row.xonSent;
    }
    std::cout << std::left << std::setw(4) << (tcp ? "yes" : "-") << std::setw(6)
              << (bulk ? "yes" : "-") << std::setw(10) << (realTime ? "yes" : "-") << std::right
              << std::fixed << std::setprecision(2);
    for (const uint8_t i : {TCP, BULK, REAL_TIME})
    {
        const auto bytes =
            static_cast<double>(bottleneck->GetCounters().classes[i].txBytes - before[i]);
        std::cout << std::setw(8) << bytes * 8 / seconds / 1e9;
    }
    std::cout << std::setw(10) << drops[TCP] << std::setw(8) << drops[BULK] + drops[REAL_TIME]
              << std::setw(8) << pauses[BULK] << std::setw(8) << pauses[REAL_TIME];
    if (timed)
    {
        std::cout << std::setw(10) << RdmaQuantile(timed->m_us, 0.5) << std::setw(8)
                  << RdmaQuantile(timed->m_us, 0.99);
    }
    std::cout << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Two lossless classes and TCP with reserved bandwidth.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate"},
        {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
        {"ns3::QbbNetDevice::Scheduler", "--weights"},
        {"ns3::QbbNetDevice::PfcClasses", "rdma-fabric, for other classes"},
    });
    Setting setting{40_gbps, {3, 4, 3}, MilliSeconds(40)};
    cmd.Add("rate", "rate of every link", setting.rate);
    cmd.Add("weights", "DWRR weights of TCP, bulk and real time", setting.weights, {"1", "1000"});
    cmd.Add("duration", "simulated time of each run", setting.duration, {"1us"});
    return cmd.Run(argc, argv, [&] {
        RdmaFabricHelper::SetTcpDefaults();
        std::cout << "                    Gb/s at the bottleneck   frames lost   pause frames    "
                     "real-time us\n"
                     "TCP bulk  real time     TCP    bulk      rt       TCP    RDMA    bulk      rt"
                     "    median     p99\n";
        for (uint32_t mask = 1; mask < 8; ++mask)
        {
            Measure(setting, mask & 1, mask & 2, mask & 4);
        }
        return 0;
    });
}
