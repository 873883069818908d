/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * PFC headroom (Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 2): for
 * combinations of rate and cable, the headroom that QbbPfcHeadroom computes, and the smallest
 * headroom that avoids loss in the worst case, found by bisection over simulations.
 *
 *     ns3 run rdma-headroom
 *     ns3 run "rdma-headroom --rates=800Gbps --lengths=2,2000 --mtu=4096 --reaction=500ns"
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iomanip>
#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

/** \param text entries separated by commas \return the entries */
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> entries;
    std::istringstream stream(text);
    for (std::string entry; std::getline(stream, entry, ',');)
    {
        entries.push_back(entry);
    }
    return entries;
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "PFC headroom: computed, and the smallest without loss in the worst case.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rates"},
        {"ns3::QbbChannel::Delay", "--lengths"},
        {"ns3::QbbNetDevice::Mtu", "--mtu"},
        {"ns3::RdmaQueuePair::PathMtu", "--mtu"},
        {"ns3::QbbNetDevice::PauseReactionDelay", "--reaction"},
        {"ns3::QbbNetDevice::PfcClasses", "rdma-fabric, for other classes"},
        {"ns3::QbbSharedBuffer::HeadroomBytes", "rdma-fabric"},
        {"ns3::QbbSharedBuffer::XoffBytes", "rdma-fabric"},
        {"ns3::QbbSharedBuffer::BufferSize", "rdma-fabric"},
        {"ns3::QbbSharedBuffer::ReserveBytes", "rdma-fabric"},
    });
    std::string rates = "10Gbps,40Gbps,100Gbps,400Gbps";
    std::string lengths = "2,20,300";
    uint32_t mtu = 1024;
    RdmaPs reaction = 100_ns;
    cmd.Add("rates", "link rates, separated by commas", rates);
    cmd.Add("lengths", "cable lengths in metres, separated by commas", lengths);
    cmd.Add("mtu", "payload of a full packet: 256, 512, 1024, 2048 or 4096", mtu, {"256", "4096"});
    cmd.Add("reaction", "reaction time of the sender to a pause", reaction);

    return cmd.Run(argc, argv, [&] {
        std::vector<std::pair<std::string, RdmaBitRate>> bitRates;
        std::vector<std::pair<std::string, RdmaPs>> delays;
        for (const std::string& rate : Split(rates))
        {
            bitRates.emplace_back(rate,
                                  ParseRdmaOption("rates", [&] { return ParseRdmaRate(rate); }));
        }
        for (const std::string& length : Split(lengths))
        {
            delays.emplace_back(length, ParseRdmaOption("lengths", [&] {
                                    return GetRdmaCableDelay(ParseRdmaReal(length));
                                }));
        }
        std::cout << "rate      cable      formula  smallest   ratio  frame  in flight  runs\n";
        for (const auto& [rate, bitRate] : bitRates)
        {
            for (const auto& [length, delay] : delays)
            {
                RdmaHeadroomCase link;
                link.rate = bitRate;
                link.delay = delay;
                link.mtu = mtu;
                link.reaction = reaction;
                const RdmaHeadroomFinding found = FindRdmaHeadroom(link);
                std::cout << std::left << std::setw(9) << rate << std::right << std::setw(4)
                          << length << " m" << std::setw(11) << found.formulaBytes << " B"
                          << std::setw(8) << found.smallestBytes << " B" << std::fixed
                          << std::setprecision(4) << std::setw(8) << found.GetRatio()
                          << std::setw(5) << found.frameBytes << " B" << std::setw(9)
                          << found.inFlightBytes << " B" << std::setw(6) << found.runs << "\n";
            }
        }
        return 0;
    });
}
