/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EXPLAIN_REPORT_H
#define RDMA_EXPLAIN_REPORT_H

#include "qbb-conweave-path-selector.h"
#include "qbb-port-counters.h"
#include "rdma-fabric.h"
#include "rdma-incast-forecast.h"
#include "rdma-instrument.h"
#include "rdma-port-kinds.h"
#include "rdma-ps.h"
#include "rdma-run-cost.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-explain Explanation of pauses, marks and drops
 *
 * Why a run pauses, marks and drops, or why it does not.
 */

/**
 * \ingroup rdma-explain
 * What is known of a traffic class before a run.
 */
struct RdmaClassForecast
{
    uint8_t priority{0};             //!< the class, 0..7
    RdmaSenderProfile senders;       //!< the hosts
    std::vector<RdmaPortKind> kinds; //!< ports by kind
    /// Room of an ingress port while all other ports are idle, by kind, at the switch with the
    /// least memory; no value for hosts
    std::vector<std::optional<RdmaIngressRoom>> rooms;
    /// RdmaIngressRoom::holdsBytes of the ports, by kind
    std::vector<RdmaRange> holds;
    /// RdmaIngressRoom::xonBytes of the ports, by kind
    std::vector<RdmaRange> xons;
    std::vector<RdmaIncastForecast> incasts; //!< by kinds of egress and ingress ports
    std::vector<RdmaRunIncast> ofRun;        //!< largest incasts of the run; empty without flows
};

/**
 * \ingroup rdma-explain
 * Largest number of bytes among several ports, and the name of the port with that number.
 */
struct RdmaPeak
{
    uint64_t bytes{0}; //!< the largest number
    std::string port;  //!< name of the port; empty if all are 0
    uint64_t limit{0}; //!< most bytes that the port may have; 0: not known

    /**
     * Considers a port.
     *
     * \param other bytes of the port
     * \param name name of the port
     * \param most limit of the port; if it is above 0, ports are compared by their bytes as a share
     *        of their limits
     */
    void Consider(uint64_t other, const std::string& name, uint64_t most = 0);
};

/**
 * \ingroup rdma-explain
 * What happened at the ports of a kind.
 */
struct RdmaKindFindings
{
    RdmaPeak queue;    //!< longest egress queue
    RdmaPeak ingress;  //!< fullest ingress port; only for switches
    RdmaPeak headroom; //!< headroom of which most is in use; only for switches
    /// Room of the fullest ingress port while all other ports are idle
    std::optional<RdmaIngressRoom> room;
    uint64_t xoffSent{0};     //!< pauses and repeated pauses sent
    uint64_t xoffReceived{0}; //!< pauses and repeated pauses received
    uint32_t pausing{0};      //!< ports that sent pauses
    uint64_t marks{0};        //!< packets marked
    uint64_t drops{0};        //!< frames dropped
    /// Smallest lower bound of the dynamic XOFF threshold; 0: the threshold is not dynamic
    uint64_t lowestXoff{0};
};

/**
 * \ingroup rdma-explain
 * What happened to a traffic class during a run.
 */
struct RdmaClassFindings
{
    std::vector<RdmaKindFindings> kinds;           //!< by index of RdmaClassForecast::kinds
    std::string xoffAttribute;                     //!< attribute for XOFF; empty: none
    std::string sizeAttribute;                     //!< attribute for the memory; empty: none
    std::map<QbbDropReason, uint64_t> dropReasons; //!< drops of all classes by reason
};

/**
 * \ingroup rdma-explain
 * The instrument `explain`: explains marks, pauses and drops. Before the run, it prints what the
 * run will take (RdmaRunCost), the thresholds of the ports by kind, the smallest incasts that reach
 * the thresholds, and what the largest incasts of the run's flows will cause. After the run, it
 * prints what happened and why. Times count from the start of the first flow.
 *
 *     auto report = CreateObject<RdmaExplainReport>();
 *     report->Begin(fabric, nullptr);
 *     report->PrintForecast(std::cout);
 *     Simulator::Run();
 *     report->Finish();
 *     report->Print(std::cout);
 *
 * The numbers come from the fabric: the report shows the frames of incasts to copies of the
 * installed buffer managers (QbbBufferManager::Copy()), and markers and congestion control describe
 * themselves (QbbMarker::DescribeMarks(), RdmaCongestionControl::GetAcceptedDelay()).
 */
class RdmaExplainReport : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaExplainReport();
    ~RdmaExplainReport() override;

    /**
     * \param fabric the fabric
     * \param runner the flows, whose classes are explained; null: all lossless classes of the
     *        ports are explained, or class 3 if there is none
     */
    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    void PrintForecast(std::ostream& os) override;
    void Finish() override;

    /** \param os output stream for the findings, after the forecast unless PrintForecast() ran */
    void Print(std::ostream& os) const override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

    /** \return what the run will take, as was known when Begin() was called; no flows: all are 0 */
    const RdmaRunCost& GetCost() const
    {
        return m_cost;
    }

    /** \return what was known of each class when Begin() was called */
    const std::vector<RdmaClassForecast>& GetForecasts() const
    {
        return m_forecasts;
    }

    /** \return what happened to each class until Finish() was called */
    const std::vector<RdmaClassFindings>& GetFindings() const
    {
        return m_findings;
    }

  private:
    class FirstEvents;

    void WriteForecasts(std::ostream& os) const;
    void PrintConWeave(std::ostream& os) const;
    void PrintReordering(std::ostream& os) const;

    uint64_t m_burst{0};                 //!< attribute Burst
    bool m_forecastPrinted{false};       //!< PrintForecast() was called
    RdmaPs m_begin{0};                   //!< start of the first flow
    Ptr<RdmaFabric> m_fabric;            //!< fabric that the report explains
    Ptr<RdmaFlowRunnerBase> m_runner;    //!< the flows; may be null
    std::vector<RdmaFlowResult> m_flows; //!< the flows after a run whose paths reorder packets
    std::optional<QbbConWeaveCounters> m_conWeave; //!< of all switches after a run with ConWeave
    RdmaRunCost m_cost;                            //!< estimate before the run
    std::vector<RdmaClassForecast> m_forecasts;    //!< by class
    std::vector<RdmaClassFindings> m_findings;     //!< by class; empty before Finish()
    std::unique_ptr<FirstEvents> m_first;          //!< first events of the run
};

} // namespace ns3

#endif /* RDMA_EXPLAIN_REPORT_H */
