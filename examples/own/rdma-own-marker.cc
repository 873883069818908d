/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined ECN marker, implemented entirely in this file. The queueing delay of packets
 * determines marks, as it determines drops in CoDel (RFC 8289). Hosts with DCTCP send to one
 * receiver. The table shows goodput and queue length without marks, with the curve of QbbEcnMarker,
 * and with the user-defined marker.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <array>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * Marks packets after the queueing delay has exceeded Target for Interval. While the delay stays
 * above Target, further marks follow after Interval, Interval / sqrt(2), Interval / sqrt(3), and so
 * on.
 */
class OwnMarker : public QbbMarker
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OwnMarker")
                                .SetParent<QbbMarker>()
                                .AddConstructor<OwnMarker>()
                                .AddAttribute("Target",
                                              "Queueing delay up to which packets are not marked.",
                                              TimeValue(MicroSeconds(2)),
                                              MakeTimeAccessor(&OwnMarker::m_target),
                                              MakeTimeChecker(PicoSeconds(1)))
                                .AddAttribute("Interval",
                                              "Time above Target before the first mark.",
                                              TimeValue(MicroSeconds(50)),
                                              MakeTimeAccessor(&OwnMarker::m_interval),
                                              MakeTimeChecker(PicoSeconds(1)));
        return tid;
    }

    void Configure(const std::vector<QbbPort*>& ports, bool) override
    {
        m_ports.assign(ports.size(), {});
    }

    uint8_t GetMoments() const override
    {
        return DEPARTS;
    }

    void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start) override
    {
        if (frame.ecn == 0)
        {
            return;
        }
        Queue& queue = m_ports[egress.GetPortNumber()][frame.priority];
        const RdmaPs waited = start - frame.arrival.GetInstant();
        if (waited < RdmaToPs(m_target))
        {
            queue = Queue();
        }
        else if (queue.next == 0_ps)
        {
            queue.next = start + RdmaToPs(m_interval);
        }
        else if (start >= queue.next)
        {
            MarkCe(egress, frame);
            ++queue.marks;
            queue.next =
                start + RdmaPs(static_cast<int64_t>(static_cast<double>(RdmaToPs(m_interval)) /
                                                    std::sqrt(queue.marks)));
        }
    }

  private:
    /** State of a class at a port. */
    struct Queue
    {
        /// Earliest departure of the next marked packet; 0: the delay is below Target
        RdmaPs next{0};
        uint32_t marks{0}; //!< number of marks since the delay was last below Target
    };

    Time m_target;                             //!< value of the attribute Target
    Time m_interval;                           //!< value of the attribute Interval
    std::vector<std::array<Queue, 8>> m_ports; //!< state by port number and class
};

NS_OBJECT_ENSURE_REGISTERED(OwnMarker);

/**
 * Runs an incast through one switch and prints a row of the table.
 *
 * \param name name of the row
 * \param helper builder of the fabric
 * \param senders number of sending hosts
 * \param duration duration of the simulation
 */
void
RunOne(const std::string& name, RdmaFabricHelper& helper, uint32_t senders, Time duration)
{
    helper.SetCongestionControl("ns3::RdmaDctcp");
    auto fabric = helper.Install(MakeRdmaStar(senders + 1));
    std::vector<Ptr<RdmaQueuePair>> receivers;
    for (uint32_t host = 0; host < senders; ++host)
    {
        auto [sender, receiver] = fabric->Connect(host, senders);
        RdmaSendRequest request;
        request.length = 1'000'000'000; // too long to complete within the run
        sender->PostSend(request);
        receivers.push_back(receiver);
    }
    const auto port = fabric->GetDevice(senders, senders + 1); // switch port towards the receiver
    double queued = 0;
    const int samples = 1000;
    for (int i = 1; i <= samples; ++i)
    {
        Simulator::Schedule(duration * i / samples, [&queued, port] {
            queued += static_cast<double>(port->GetQueues().GetBytes(3)) / 1000;
        });
    }
    Simulator::Stop(duration);
    Simulator::Run();

    uint64_t packets = 0;
    for (const auto& receiver : receivers)
    {
        packets += receiver->GetStats().packetsAccepted;
    }
    std::cout << std::setw(12) << std::left << name << std::right << std::setw(10)
              << static_cast<double>(packets) * 8 * 1024 / duration.GetSeconds() / 1e9
              << std::setw(14) << queued / samples << std::setw(9) << fabric->GetTotals().ecnMarks
              << "\n";
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Defines a marker of its own, by waiting time, and shows what it does to a queue.");
    uint32_t senders = 4;
    Time target = MicroSeconds(2);
    Time interval = MicroSeconds(50);
    Time duration = MilliSeconds(4);
    cmd.Add("senders", "hosts that send", senders, {"1", "1000"});
    cmd.Add("target", "attribute Target of ns3::OwnMarker", target);
    cmd.Add("interval", "attribute Interval of ns3::OwnMarker", interval);
    cmd.Add("duration", "simulated time", duration, {"1us"});

    return cmd.Run(argc, argv, [&] {
        std::cout << "marker            Gb/s  queue, kB    marks\n"
                  << std::fixed << std::setprecision(1);
        RdmaFabricHelper none;
        none.SetQueuePairAttribute("EcnCapable", BooleanValue(false));
        RunOne("none", none, senders, duration);
        RdmaFabricHelper curve;
        curve.SetEcnAttribute("Kmin", UintegerValue(5000)); // a curve in place of DCTCP's step
        RunOne("curve", curve, senders, duration);
        RdmaFabricHelper own;
        own.SetMarker("ns3::OwnMarker");
        own.SetMarkerAttribute("Target", TimeValue(target));
        own.SetMarkerAttribute("Interval", TimeValue(interval));
        RunOne("own", own, senders, duration);
        return 0;
    });
}
