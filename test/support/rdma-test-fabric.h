/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_FABRIC_H
#define RDMA_TEST_FABRIC_H

#include "rdma-event-order.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-flow-runner.h"
#include "rdma-test-books.h"
#include "rdma-time.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A fabric with flows to test with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \param rates host links and uplinks in Gb/s, and the delay of every link in ns
 * \return the links of a regular topology
 */
inline RdmaTopologyRates
MakeTestRates(uint64_t hostGbps, uint64_t uplinkGbps, int64_t delayNs)
{
    RdmaTopologyRates rates;
    rates.hostRate = hostGbps * 1_gbps;
    rates.uplinkRate = uplinkGbps * 1_gbps;
    rates.delay = delayNs * 1_ns;
    return rates;
}

/**
 * \ingroup rdma-tests
 * \param rounds rounds of a random test in a usual run
 * \return number of rounds, or the value of the environment variable RDMA_TEST_ROUNDS for a long
 * run
 */
inline uint32_t
GetTestRounds(uint32_t rounds)
{
    const char* text = std::getenv("RDMA_TEST_ROUNDS");
    return text ? static_cast<uint32_t>(std::stoul(text)) : rounds;
}

/**
 * \ingroup rdma-tests
 * \param id flow id
 * \param source node id of the sender
 * \param destination node id of the receiver
 * \param bytes size
 * \param start start
 * \param priority class
 * \return the flow
 */
inline RdmaFlow
MakeTestFlow(uint64_t id,
             uint32_t source,
             uint32_t destination,
             uint64_t bytes,
             RdmaPs start = 0_ps,
             uint32_t priority = 3)
{
    RdmaFlow flow;
    flow.id = id;
    flow.srcHost = source;
    flow.dstHost = destination;
    flow.bytes = bytes;
    flow.start = start;
    flow.priority = priority;
    return flow;
}

/**
 * \ingroup rdma-tests
 * \param senders number of senders, which are the first nodes
 * \param receiver node id of the receiver
 * \param bytes size of each flow
 * \return flows that begin at once, with the node ids of the senders as ids
 */
inline std::vector<RdmaFlow>
MakeTestIncast(uint32_t senders, uint32_t receiver, uint64_t bytes)
{
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < senders; ++i)
    {
        flows.push_back(MakeTestFlow(i, i, receiver, bytes));
    }
    return flows;
}

/**
 * \ingroup rdma-tests
 * A fabric, flows over it, and their results. One at a time: it ends with Simulator::Destroy().
 *
 *     RdmaTestFabric test;
 *     test.helper.SetBufferAttribute(...);
 *     test.Install(topology, flows);
 *     test.Run();
 */
struct RdmaTestFabric
{
    RdmaTestFabric()
    {
        SetMtu(1024);
    }

    ~RdmaTestFabric()
    {
        Simulator::Destroy();
    }

    RdmaTestFabric(const RdmaTestFabric&) = delete;
    RdmaTestFabric& operator=(const RdmaTestFabric&) = delete;

    /**
     * \param mtu payload of a full packet; the ports' MTU is sufficient for it, and 1500 at least
     */
    void SetMtu(uint32_t mtu)
    {
        // IPv4 20, UDP 8, BTH 12, RETH and immediate 20, ICRC 4
        helper.SetQueuePairAttribute("PathMtu", UintegerValue(mtu));
        helper.SetDeviceAttribute("Mtu", UintegerValue(std::max(1500U, mtu + 64)));
    }

    /**
     * \param timeout retransmission timeout of RoCE
     * \param retries timeouts in a row before an error
     */
    void SetRetries(RdmaPs timeout, uint32_t retries)
    {
        helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(RdmaToTime(timeout)));
        helper.SetTransportAttribute("RetryCount", UintegerValue(retries));
    }

    /**
     * \param topology the fabric's
     * \param flows what to run
     */
    void Install(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
    {
        fabric = helper.Install(topology);
        fabric->AssignStreams(1);
        runner = CreateObject<RdmaFlowRunner>();
        // Tests look at queue pairs before and after their flows.
        runner->SetAttribute("KeepQueuePairs", BooleanValue(keepQueuePairs));
        // The run goes on until nothing is left to happen.
        runner->SetStopWhenDone(false);
        if (!flows.empty())
        {
            runner->Install(fabric, flows);
        }
    }

    /**
     * Hosts 0 to 3 on leaves 4 and 5 with spines 6 and 7, 100 Gb/s and 1 us each, and ns-3's
     * Internet stack.
     *
     * \param flows what to run
     */
    void InstallStack(const std::vector<RdmaFlow>& flows = {})
    {
        helper.SetInternetStack(true);
        Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 1000)), flows);
    }

    /** \param qp a connected queue pair \return the ports that send its packets, its own first */
    std::vector<Ptr<QbbNetDevice>> GetPath(const RdmaQueuePair& qp) const
    {
        return fabric->GetRouting()->GetPath(qp.GetPort(), qp.GetRemoteAddress(), qp.GetFlowHash());
    }

    /**
     * Checks the books at every multiple of a period, until all flows have ended.
     *
     * \param period how often
     */
    void CheckBooksEvery(RdmaPs period)
    {
        const RdmaEventTime at((RdmaNow() / period + 1) * period,
                               RdmaEventOrder::Observers::At<0>());
        Simulator::Schedule(RdmaGetDelay(at, RdmaEventNow()), [this, period]() {
            ++checks;
            if (wrong.empty())
            {
                wrong = RdmaTestBooks::CheckLinks(*fabric) + RdmaTestBooks::CheckSwitches(*fabric);
            }
            if (runner->GetNEnded() < runner->GetNFlows())
            {
                CheckBooksEvery(period);
            }
        });
    }

    /** \param stop simulated time after which the run is given up */
    void Run(RdmaPs stop = 10_s)
    {
        Simulator::Stop(RdmaToTime(stop));
        Simulator::Run();
        results = runner->GetResults();
    }

    /** \return flows that did not complete, with their statuses; empty if all did */
    std::string GetUnfinished() const
    {
        std::ostringstream text;
        for (const auto& result : results)
        {
            if (!result.IsCompleted())
            {
                text << "flow " << result.flow.id << ": " << result.status << "; ";
            }
        }
        return text.str();
    }

    /** \return hash over all that is known of the flows */
    std::string GetDigest() const
    {
        return GetRdmaDigest(results);
    }

    RdmaFabricHelper helper;             //!< makes the fabric
    Ptr<RdmaFabric> fabric;              //!< the fabric
    Ptr<RdmaFlowRunner> runner;          //!< runs the flows
    bool keepQueuePairs{true};           //!< RdmaFlowRunner::KeepQueuePairs
    std::vector<RdmaFlowResult> results; //!< results of the flows, after Run()
    std::string wrong;                   //!< errors that CheckBooksEvery() found
    uint64_t checks{0};                  //!< how often it looked
};

} // namespace ns3

#endif /* RDMA_TEST_FABRIC_H */
