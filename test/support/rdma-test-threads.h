/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_THREADS_H
#define RDMA_TEST_THREADS_H

#include "rdma-flow-report.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"
#include "rdma-test-random.h"

#include <ns3/boolean.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <array>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Runs on one thread and on several, to be compared.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Results of a run.
 */
struct RdmaTestOutcome
{
    std::string digest;    //!< of flows.csv
    std::string ports;     //!< ports.csv
    std::string seen;      //!< what the script has seen
    std::string reason;    //!< why one thread ran all nodes
    uint64_t windows{0};   //!< windows in which groups have run apart
    uint64_t events{0};    //!< number of events
    int64_t end{0};        //!< end of the run, in femtoseconds
    uint64_t completed{0}; //!< flows that completed

    /** \param other another outcome \return the differences */
    std::string Compare(const RdmaTestOutcome& other) const
    {
        std::ostringstream text;
        text << (digest == other.digest ? "" : "flows differ; ")
             << (ports == other.ports ? "" : "ports differ; ")
             << (seen == other.seen ? "" : "the script sees other things; ")
             << (events == other.events ? "" : "numbers of events differ; ")
             << (end == other.end ? "" : "ends differ; ");
        return text.str();
    }
};

/**
 * \ingroup rdma-tests
 * Makes the module's simulator.
 *
 * \param threads number of threads
 * \param groups number of groups of nodes; 1: one list of events
 */
inline void
SelectTestThreads(uint32_t threads, uint32_t groups)
{
    RdmaSimulatorImpl::Select();
    Simulator::GetImplementation()->SetAttribute("Threads", UintegerValue(threads));
    Simulator::GetImplementation()->SetAttribute("Groups", UintegerValue(groups));
}

/**
 * \ingroup rdma-tests
 * \param test a fabric whose run has ended
 * \param seen observations of the script
 * \return the results of the run
 */
inline RdmaTestOutcome
GetTestOutcome(RdmaTestFabric& test, const std::string& seen = "")
{
    RdmaTestOutcome outcome;
    outcome.digest = test.GetDigest();
    outcome.ports = FormatRdmaPortsCsv(test.fabric->GetPortResults());
    outcome.seen = seen;
    outcome.reason = RdmaSimulatorImpl::GetReasonForOneThread();
    outcome.windows = RdmaSimulatorImpl::GetGroupCounters().windows;
    outcome.events = Simulator::GetEventCount();
    outcome.end = Simulator::Now().GetTimeStep();
    outcome.completed = test.runner->GetNCompleted();
    return outcome;
}

/**
 * \ingroup rdma-tests
 * Watches a fabric while it runs.
 */
class RdmaTestObserver
{
  public:
    virtual ~RdmaTestObserver() = default;

    /** \param helper makes the fabric */
    virtual void Configure(RdmaFabricHelper& helper)
    {
    }

    /** \param test before its run */
    virtual void Begin(RdmaTestFabric& test) = 0;

    /** \return the observations, after the run */
    virtual std::string Finish() = 0;
};

/**
 * \ingroup rdma-tests
 * A random fabric with random settings and flows.
 */
class RdmaTestRandomRun
{
  public:
    /** \param round number of the fabric */
    explicit RdmaTestRandomRun(uint32_t round)
        : m_round(round)
    {
        RdmaTestDice dice(round);
        m_threads = static_cast<uint32_t>(dice.Number(1, 4));
        m_groups = static_cast<uint32_t>(dice.Number(2, dice.OneIn(2) ? 8 : 64));
    }

    /** \return number of threads of the round */
    uint32_t GetThreads() const
    {
        return m_threads;
    }

    /** \return number of groups of the round */
    uint32_t GetGroups() const
    {
        return m_groups;
    }

    /**
     * \param threads number of threads
     * \param groups number of groups
     * \param observer watches the run; null: no observer
     * \return the results of the run
     */
    RdmaTestOutcome Run(uint32_t threads,
                        uint32_t groups,
                        RdmaTestObserver* observer = nullptr) const
    {
        RdmaTestDice dice(m_round + 1000);
        SelectTestThreads(threads, groups);
        RngSeedManager::SetSeed(1);
        const RdmaTopology topology = RdmaTestRandomTopology(dice).Make();
        RdmaTestFabric test;
        Configure(test.helper, dice);
        if (observer)
        {
            observer->Configure(test.helper);
        }
        test.keepQueuePairs = dice.OneIn(2);
        test.Install(topology, MakeFlows(topology, dice));
        test.runner->SetStopWhenDone(dice.OneIn(2));
        if (dice.OneIn(2))
        {
            // A link fails and comes back, both in events without a node.
            const auto link = static_cast<uint32_t>(dice.Number(0, topology.GetNLinks() - 1));
            for (const bool up : {false, true})
            {
                Simulator::Schedule(MicroSeconds(up ? 60 : 25),
                                    [&test, link, up] { test.fabric->SetLinkUp(link, up); });
            }
        }
        std::ostringstream seen;
        std::function<void()> look = [&] {
            seen << RdmaNow() << " " << test.fabric->GetTotals().packetHops << "; ";
            if (RdmaNow() < 200_us)
            {
                Simulator::Schedule(MicroSeconds(7), look);
            }
        };
        Simulator::Schedule(MicroSeconds(7), look);
        if (observer)
        {
            observer->Begin(test);
        }
        test.Run(2_ms);
        return GetTestOutcome(test, seen.str() + (observer ? observer->Finish() : ""));
    }

  private:
    static void Configure(RdmaFabricHelper& helper, RdmaTestDice& dice)
    {
        using Names = std::array<const char*, 4>;
        const bool isIrn = dice.OneIn(3);
        helper.SetTransport(isIrn ? "ns3::IrnTransport" : "ns3::RoceTransport");
        if (isIrn)
        {
            helper.SetTransportAttribute("WriteHeaders",
                                         StringValue(dice.OneIn(2) ? "Roce" : "Irn"));
        }
        else
        {
            helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(80)));
            helper.SetTransportAttribute("RetryCount", UintegerValue(1000));
        }
        const std::string entropy = dice.OneOf(Names{"none", "turn:7", "random", "reps:32"});
        helper.SetEntropy(entropy);
        const std::string control = dice.OneOf(
            Names{"", "ns3::RdmaDcqcn", "ns3::RdmaHpcc[IntFormat=Exact]", "ns3::RdmaTimely"});
        if (!control.empty())
        {
            helper.SetCongestionControl(control);
            helper.EnableEcn(control == "ns3::RdmaDcqcn" || entropy == "reps:32");
        }
        helper.SetPathSelector(
            dice.OneOf(std::array<const char*, 6>{"ecmp",
                                                  "spray",
                                                  "drill",
                                                  "wcmp",
                                                  "adaptive",
                                                  "adaptive[Ties=Random|LoadWeight=50|Gap=2us]"}));
        helper.SetDeviceAttribute("FlowControl", StringValue(dice.OneIn(4) ? "None" : "Pfc"));
        helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        helper.SetChannelAttribute("SerializeFrames", BooleanValue(dice.OneIn(4)));
        helper.SetSwitchAttribute("CutThrough", BooleanValue(dice.OneIn(4)));
    }

    static std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology, RdmaTestDice& dice)
    {
        const auto hosts = topology.GetHosts();
        const uint32_t victim = hosts[dice.Number(0, hosts.size() - 1)];
        std::vector<RdmaFlow> flows;
        for (uint64_t i = dice.Number(5, 60); i > 0; --i)
        {
            const uint32_t source = hosts[dice.Number(0, hosts.size() - 1)];
            const uint32_t other = hosts[dice.Number(0, hosts.size() - 1)];
            const uint32_t destination = dice.OneIn(3) ? victim : other;
            if (source != destination)
            {
                flows.push_back(MakeTestFlow(i,
                                             source,
                                             destination,
                                             dice.Number(1, 200'000),
                                             RdmaPs(dice.Number(0, 60) * 1'000'000)));
            }
        }
        return flows;
    }

    uint32_t m_round;      //!< number of the fabric
    uint32_t m_threads{1}; //!< number of threads
    uint32_t m_groups{2};  //!< number of groups of nodes
};

} // namespace ns3

#endif /* RDMA_TEST_THREADS_H */
