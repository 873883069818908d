/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "An RDMA write from one host's memory into another's.");
    cmd.Parse(argc, argv); // before anything else, because it chooses the simulator

    RdmaFabricHelper helper;
    helper.SetDeviceAttribute("PauseReactionDelay", TimeValue(NanoSeconds(200)));
    auto fabric = helper.Install(MakeRdmaLeafSpine(2, 4, 2)); // 2 leaves of 4 hosts, 2 spines

    auto [sender, receiver] = fabric->Connect(0, 7); // queue pairs at host 0 and at host 7
    RdmaSendRequest request;                         // by default an RDMA WRITE
    request.length = 1'000'000;
    sender->PostSend(request);
    Simulator::Run();

    for (const auto& completion : sender->GetSendCompletionQueue()->Poll(10))
    {
        std::cout << completion.bytes << " bytes: " << completion.status << " after "
                  << completion.time / 1_ns << " ns\n";
    }
    std::cout << fabric->GetTotals().drops << " drops\n";
    Simulator::Destroy();
    return 0;
}
