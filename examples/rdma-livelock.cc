/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Transport livelock (Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section
 * 4.1): two hosts transfer messages of 4 MB, and the receiving host's port drops one packet in 256.
 * Go-back-0 restarts each message after every loss; go-back-N resumes at the missing packet.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/** Drops every n-th frame received at a port, like the switch in the paper. */
class LoseEvery : public ErrorModel
{
  public:
    /** \param every drops one in \p every frames; 0: drops no frame */
    explicit LoseEvery(uint64_t every)
        : m_every(every)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet>) override
    {
        return m_every > 0 && ++m_count % m_every == 0;
    }

    void DoReset() override
    {
        m_count = 0;
    }

    uint64_t m_every;    //!< one in m_every frames is dropped
    uint64_t m_count{0}; //!< number of received frames
};

/** Parameters of one run. */
struct Run
{
    RdmaWrOpcode opcode; //!< operation of the messages
    DataRate rate;       //!< rate of both links
    uint64_t bytes;      //!< size of each message
    uint64_t every;      //!< one in this many frames is dropped
    Time duration;       //!< simulated time
};

/** Results of one run. */
struct Outcome
{
    double goodput; //!< payload of complete messages as a fraction of the line rate
    double busy; //!< bytes on the line from the sender of the data as a fraction of the line rate
};

/**
 * \param run parameters of the run
 * \param recovery value of the attribute LossRecovery of RoceTransport
 * \return results of the run
 */
Outcome
Measure(const Run& run, const std::string& recovery)
{
    RdmaFabricHelper helper;
    helper.SetTransportAttribute("LossRecovery", StringValue(recovery));
    SetRdmaDefault("ns3::RoceTransport", "RetransmissionTimeout", TimeValue(MicroSeconds(320)));
    SetRdmaDefault("ns3::RoceTransport", "RetryCount", UintegerValue(4294967295));
    RdmaTopologyRates rates;
    rates.hostRate = RdmaBitRate(run.rate);
    auto fabric = helper.Install(MakeRdmaStar(2, rates));
    auto [requester, responder] = fabric->Connect(0, 1);
    const bool isRead = run.opcode == RdmaWrOpcode::RDMA_READ;
    const auto taker = (isRead ? requester : responder)->GetPort();
    const auto giver = (isRead ? responder : requester)->GetPort();
    taker->SetAttribute("ReceiveErrorModel", PointerValue(CreateObject<LoseEvery>(run.every)));

    uint64_t bytes = 0;
    RdmaSendRequest request;
    request.opcode = run.opcode;
    request.length = run.bytes;
    auto post = [&, &qp = requester, &peer = responder] {
        peer->PostReceive({0, run.bytes});
        qp->PostSend(request);
    };
    requester->GetSendCompletionQueue()->SetCallback(
        Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion& completion) {
            bytes += completion.bytes;
            post();
        }));
    post();
    post();
    Simulator::Stop(run.duration);
    Simulator::Run();
    const double lineBytes = run.duration.GetSeconds() * run.rate.GetBitRate() / 8;
    double usedBytes = 0;
    for (const auto& of : giver->GetCounters().classes)
    {
        usedBytes += of.txBytes + of.txFrames * giver->GetLineOverheadBytes();
    }
    const Outcome outcome{bytes / lineBytes, usedBytes / lineBytes};
    Simulator::Destroy();
    return outcome;
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Transport livelock: goodput of RoCE with go-back-0 and go-back-N when packets are lost.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate"},
        {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
        {"ns3::RoceTransport::LossRecovery", "rdma-fabric --transport='roce[LossRecovery=...]'"},
    });
    RdmaBitRate rate = 40_gbps;
    uint64_t bytes = 4'000'000;
    uint64_t every = 256;
    Time duration = MilliSeconds(50);
    cmd.Add("rate", "rate of the links", rate);
    cmd.AddBytes("bytes", "message size, 1 to 2147483648", bytes, {"1", "2147483648"});
    cmd.Add("every", "one of this many packets is lost; 0: none", every);
    cmd.Add("duration", "simulated time of each run", duration, {"1us"});

    return cmd.Run(argc, argv, [&] {
        Run run{RdmaWrOpcode::SEND, rate.ToDataRate(), bytes, every, duration};
        std::cout << "operation  loss recovery  goodput  line in use\n";
        for (const auto& [name, opcode] : {std::pair("SEND", RdmaWrOpcode::SEND),
                                           std::pair("WRITE", RdmaWrOpcode::RDMA_WRITE),
                                           std::pair("READ", RdmaWrOpcode::RDMA_READ)})
        {
            run.opcode = opcode;
            for (const std::string recovery : {"GoBack0", "GoBackN"})
            {
                const Outcome outcome = Measure(run, recovery);
                std::cout << std::left << std::setw(11) << name << std::setw(13) << recovery
                          << std::right << std::fixed << std::setprecision(1) << std::setw(8)
                          << 100 * outcome.goodput << "%" << std::setw(12) << 100 * outcome.busy
                          << "%\n";
            }
        }
        return 0;
    });
}
