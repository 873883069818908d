/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A user-defined congestion control, implemented entirely in this file. The rate increases by a
 * step after each round trip without a mark and is halved after a mark. Four hosts send to a fifth
 * host; one more sender starts every millisecond. The table shows each sender's share of the
 * receiver's port.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace ns3;

namespace
{

/** The algorithm: its parameters and the factory of controllers for queue pairs. */
class OwnControl : public RdmaCongestionControl
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OwnControl")
                                .SetParent<RdmaCongestionControl>()
                                .AddConstructor<OwnControl>()
                                .AddAttribute("Step",
                                              "Added to the rate in each round trip.",
                                              DataRateValue(DataRate("200Mbps")),
                                              MakeDataRateAccessor(&OwnControl::m_step),
                                              MakeDataRateChecker());
        return tid;
    }

    std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const override;

  private:
    DataRate m_step; //!< value of the attribute Step
};

NS_OBJECT_ENSURE_REGISTERED(OwnControl);

/** Rate controller of one queue pair. */
class OwnController : public RdmaRateController
{
  public:
    /** \param step value of the attribute Step \param line line rate of the port */
    OwnController(RdmaBitRate step, RdmaBitRate line)
        : m_step(step),
          m_line(line),
          m_rate(line)
    {
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        return m_rate;
    }

    void OnAck(const RdmaAckSample& sample) override
    {
        m_marked = m_marked || sample.ecnEcho;
        if (sample.ackedTo < m_roundEnd)
        {
            return;
        }
        // All packets sent before the round began are acknowledged, so a round trip has passed.
        m_rate = m_marked ? std::max(m_rate / 2, m_step) : std::min(m_rate + m_step, m_line);
        m_roundEnd = sample.sentTo;
        m_marked = false;
    }

  private:
    RdmaBitRate m_step;     //!< value of the attribute Step
    RdmaBitRate m_line;     //!< line rate of the port, the upper limit of the rate
    RdmaBitRate m_rate;     //!< current sending rate
    uint64_t m_roundEnd{0}; //!< packet whose acknowledgement ends the round
    bool m_marked{false};   //!< a mark has arrived in the current round
};

std::unique_ptr<RdmaRateController>
OwnControl::MakeController(const RdmaPathProfile& profile) const
{
    return std::make_unique<OwnController>(RdmaBitRate(m_step), profile.lineRate);
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "Defines a congestion control of its own and shows how it shares a port.");
    std::string control = "ns3::OwnControl";
    RdmaBitRate step = 200_mbps;
    cmd.Add("control", "congestion control, as in rdma-fabric", control);
    cmd.Add("step", "attribute Step of ns3::OwnControl", step);

    return cmd.Run(argc, argv, [&] {
        RdmaFabricHelper helper;
        ParseRdmaOption("control", [&] { helper.SetCongestionControl(control); });
        if (control == "ns3::OwnControl")
        {
            helper.SetCongestionControlAttribute("Step", DataRateValue(step.ToDataRate()));
        }
        else
        {
            cmd.RefuseGivenOptions({"step"}, "with --control=" + control);
        }
        helper.EnableEcn(true);
        const uint32_t senders = 4;
        auto fabric = helper.Install(MakeRdmaStar(senders + 1));

        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t host = 0; host < senders; ++host)
        {
            auto [sender, receiver] = fabric->Connect(host, senders);
            receivers.push_back(receiver);
            Simulator::Schedule(MilliSeconds(host), [qp = sender] {
                RdmaSendRequest request;
                request.length = 1'000'000'000; // too long to complete within the run
                qp->PostSend(request);
            });
        }
        std::cout << "ms   share of the port of host 0..3, in percent\n"
                  << std::fixed << std::setprecision(1);
        const double linePackets = 1e-3 * 100e9 / 8 / 1106; // packets per millisecond at 100 Gb/s
        std::vector<uint64_t> before(senders);
        for (int ms = 1; ms <= 12; ++ms)
        {
            Simulator::Stop(MilliSeconds(1));
            Simulator::Run();
            std::cout << std::setw(2) << ms;
            for (uint32_t host = 0; host < senders; ++host)
            {
                const uint64_t packets = receivers[host]->GetStats().packetsAccepted;
                std::cout << std::setw(8) << 100 * (packets - before[host]) / linePackets;
                before[host] = packets;
            }
            std::cout << "\n";
        }
        Simulator::Destroy();
        return 0;
    });
}
