/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Heap bytes for each host, switch port, queue pair and flow, printed as JSON.
 *
 * Each number is a difference between two sizes of the same thing, so what the program itself takes
 * does not count.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>
#include <malloc.h>

using namespace ns3;

namespace
{

/** \return heap bytes in use */
double
HeapBytes()
{
    return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
}

/**
 * \param measure what to build
 * \return heap bytes that it holds
 */
template <typename F>
double
BytesOf(F measure)
{
    const double before = HeapBytes();
    const auto held = measure();
    const double bytes = HeapBytes() - before;
    Simulator::Destroy();
    return bytes;
}

/** \param hosts hosts at one switch \return bytes of the fabric */
double
FabricBytes(uint32_t hosts)
{
    return BytesOf([&] { return RdmaFabricHelper().Install(MakeRdmaStar(hosts)); });
}

/** \param count connected pairs of queue pairs \return bytes of a fabric with them */
double
QueuePairBytes(uint32_t count)
{
    return BytesOf([&] {
        auto fabric = RdmaFabricHelper().Install(MakeRdmaStar(2));
        for (uint32_t i = 0; i < count; ++i)
        {
            fabric->Connect(0, 1);
        }
        return fabric;
    });
}

/** \param count flows that are installed \return bytes of a fabric with them */
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
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);
    FabricBytes(2); // registers types and fills ns-3's own caches
    const double host = (FabricBytes(400) - FabricBytes(200)) / 200;
    const double queuePair = (QueuePairBytes(20000) - QueuePairBytes(10000)) / 20000;
    const double flow = (FlowBytes(20000) - FlowBytes(10000)) / 10000;
    std::cout << "{\"bytes_per_host\": " << host << ", \"bytes_per_queue_pair\": " << queuePair
              << ", \"bytes_per_flow\": " << flow << "}" << std::endl;
    return 0;
}
