/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-deadlock.h"

#include "rdma-flow-runner.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

std::string
FormatRdmaCycle(const RdmaFabric& fabric, const std::vector<QbbBufferPoint>& cycle)
{
    if (cycle.empty())
    {
        return "";
    }
    const uint32_t first = fabric.GetNode(0)->GetId();
    std::ostringstream text;
    const auto write = [&](const QbbBufferPoint& point) {
        text << fabric.GetTopology().GetNode(point.node - first).name << " port " << point.port
             << " class " << +point.priority;
    };
    for (const QbbBufferPoint& point : cycle)
    {
        write(point);
        text << " -> ";
    }
    write(cycle.front());
    return text.str();
}

void
PrintRdmaDeadlockCheck(std::ostream& os, const RdmaFabric& fabric, const QbbDeadlockCheck& check)
{
    os << "lossless buffers between switches: " << check.buffers << ", dependencies "
       << check.dependencies << ", in cycles " << check.cyclicBuffers << "\n";
    if (check.IsDeadlockFree())
    {
        os << "no cyclic buffer dependency: PFC cannot deadlock with these routes\n";
    }
    else
    {
        os << "cyclic buffer dependency, PFC can deadlock: " << FormatRdmaCycle(fabric, check.cycle)
           << "\n";
    }
}

void
ExplainRdmaDeadlock(std::vector<RdmaFlowResult>& results,
                    const RdmaFlowRunnerBase& runner,
                    const RdmaFabric& fabric,
                    const QbbDeadlock& deadlock)
{
    const std::string cycle = FormatRdmaCycle(fabric, deadlock.cycle);
    const auto* queuePairs = dynamic_cast<const RdmaFlowRunner*>(&runner);
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        RdmaFlowResult& result = results[i];
        if (result.IsCompleted())
        {
            continue;
        }
        std::vector<Ptr<QbbNetDevice>> path;
        if (const auto qp = queuePairs ? queuePairs->GetSender(i) : nullptr)
        {
            path = fabric.GetRouting()->GetPath(qp->GetPort(),
                                                qp->GetRemoteAddress(),
                                                qp->GetFlowHash());
        }
        else
        {
            path.push_back(
                DynamicCast<QbbNetDevice>(fabric.GetNode(result.flow.srcHost)->GetDevice(0)));
        }
        const auto isBlocked = [&](const Ptr<QbbNetDevice>& port) {
            return QbbDeadlockDetector::IsBlocked(deadlock,
                                                  *port,
                                                  static_cast<uint8_t>(result.flow.priority));
        };
        if (std::any_of(path.begin(), path.end(), isBlocked))
        {
            result.status += "; deadlock: " + cycle;
        }
    }
}

} // namespace ns3
