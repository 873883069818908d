/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-deadlock-report.h"

#include "rdma-fabric-deadlock.h"
#include "rdma-part-name.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDeadlockReport);

/// Names under which programs take the class.
const RdmaPartName g_deadlockReportName("deadlocks",
                                        RdmaDeadlockReport::GetTypeId(),
                                        "",
                                        "report of deadlocks during the run");

TypeId
RdmaDeadlockReport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaDeadlockReport")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaDeadlockReport>();
    return tid;
}

void
RdmaDeadlockReport::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_detector = CreateObject<QbbDeadlockDetector>();
    m_detector->Watch(fabric->GetRouting()->GetSwitches());
    m_detector->TraceConnectWithoutContext(
        "Deadlock",
        Callback<void, const QbbDeadlock&>([fabric](const QbbDeadlock& deadlock) {
            GetRdmaWarnings() << "rdma: deadlock at "
                              << FormatRdmaReal(static_cast<double>(deadlock.at) / 1e6)
                              << " us: " << FormatRdmaCycle(*fabric, deadlock.cycle)
                              << (deadlock.whileHostsRepeat ? ", while hosts only repeat" : "")
                              << "\n";
        }));
}

} // namespace ns3
