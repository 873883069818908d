/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Heap bytes for each host, flow and queue pair: idle, with a WRITE on its way in
 * both directions, and with a READ in addition, printed as JSON.
 *
 * Each number is a difference between fabrics of two sizes, which leaves out the program itself.
 */

#include "rdma-bench-heap.h"

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;

namespace
{

/**
 * \param measure function that builds objects and returns their owner
 * \return heap bytes of the objects
 */
template <typename F>
double
BytesOf(F measure)
{
    const double before = GetRdmaBenchHeapBytes();
    const auto held = measure();
    const double bytes = GetRdmaBenchHeapBytes() - before;
    Simulator::Destroy();
    return bytes;
}

/** \param hosts hosts at one switch \return bytes of the fabric */
double
FabricBytes(uint32_t hosts)
{
    return BytesOf([&] { return RdmaFabricHelper().Install(MakeRdmaStar(hosts)); });
}

/** Activity of the queue pairs. */
enum class Use
{
    IDLE,  //!< nothing
    WRITE, //!< both sides have sent a part of a message
    READ,  //!< as WRITE, and each side has posted a READ
};

/**
 * \param transport TypeId name of an RdmaTransport
 * \param count connected pairs of queue pairs
 * \param use activity of the queue pairs
 * \return bytes of a fabric with the queue pairs
 */
double
QueuePairBytes(const std::string& transport, uint32_t count, Use use)
{
    return BytesOf([&] {
        RdmaFabricHelper helper;
        helper.SetTransport(transport);
        helper.SetTransportAttribute("RetryCount", UintegerValue(UINT32_MAX));
        auto fabric = helper.Install(MakeRdmaStar(2));
        for (uint32_t i = 0; i < count; ++i)
        {
            const auto [a, b] = fabric->Connect(0, 1);
            if (use != Use::IDLE)
            {
                for (const auto& qp : {a, b})
                {
                    RdmaSendRequest request;
                    request.length = 10'000;
                    request.signaled = false;
                    qp->PostSend(request);
                    if (use == Use::READ)
                    {
                        request.opcode = RdmaWrOpcode::RDMA_READ;
                        qp->PostSend(request);
                    }
                }
            }
        }
        if (use != Use::IDLE)
        {
            // At 100 Gb/s, time for about 5 of 10 packets of each WRITE, or of each READ after it.
            Simulator::Stop(NanoSeconds(uint64_t{count} * (use == Use::READ ? 15 : 5) * 90));
            Simulator::Run();
        }
        return fabric;
    });
}

/** \param count number of installed flows \return bytes of a fabric with the flows */
double
FlowBytes(uint32_t count)
{
    return BytesOf([&] {
        auto fabric = RdmaFabricHelper().Install(MakeRdmaStar(2));
        std::vector<RdmaFlow> flows(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            flows[i].id = i;
            flows[i].srcHost = i % 2;
            flows[i].dstHost = 1 - i % 2;
            flows[i].bytes = 1000;
        }
        auto runner = CreateObject<RdmaFlowRunner>();
        runner->Install(fabric, flows);
        return std::make_pair(fabric, runner);
    });
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Heap bytes for each host, queue pair and flow.");
    uint32_t queuePairs = 100'000;
    cmd.Add("queuePairs",
            "queue pairs that are made, 1000 and above",
            queuePairs,
            {"1000", "100000000"});

    return cmd.Run(argc, argv, [&] {
        FabricBytes(2); // registers types and fills ns-3's own caches
        const double host = (FabricBytes(400) - FabricBytes(200)) / 200;
        const double flow = (FlowBytes(20000) - FlowBytes(10000)) / 10000;
        std::cout << "{\"bytes_per_host\": " << host << ", \"bytes_per_flow\": " << flow;
        for (const std::string transport : {"Roce", "Irn"})
        {
            for (const Use use : {Use::IDLE, Use::WRITE, Use::READ})
            {
                const std::string type = "ns3::" + transport + "Transport";
                const uint32_t pairs = queuePairs / 2;
                const double bytes =
                    QueuePairBytes(type, pairs, use) - QueuePairBytes(type, pairs / 2, use);
                std::cout << ", \"bytes_per_"
                          << (use == Use::IDLE    ? "idle"
                              : use == Use::WRITE ? "active"
                                                  : "reading")
                          << "_queue_pair_" << (transport == "Irn" ? "irn" : "roce")
                          << "\": " << bytes / (2 * (pairs - pairs / 2));
            }
        }
        std::cout << "}" << std::endl;
        return 0;
    });
}
