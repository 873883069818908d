/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fluid-parameters.h"

#include "rdma-refuse.h"

#include <map>
#include <sstream>

namespace ns3
{

RdmaFluidAlgorithm
ParseRdmaFluidAlgorithm(const std::string& name)
{
    static const std::map<std::string, RdmaFluidAlgorithm> algorithms{
        {"dcqcn", RdmaFluidAlgorithm::DCQCN},
        {"timely", RdmaFluidAlgorithm::TIMELY},
        {"patched-timely", RdmaFluidAlgorithm::PATCHED_TIMELY}};
    const auto found = algorithms.find(name);
    RefuseRdmaIf(found == algorithms.end(),
                 "fluid model: \"" + name + "\"; accepted: dcqcn, timely, patched-timely");
    return found->second;
}

const RdmaFluidParameters&
CheckRdmaFluidParameters(const RdmaFluidParameters& p)
{
    std::ostringstream wrong;
    auto positive = [&wrong](double value, const char* name) {
        if (!(value > 0))
        {
            wrong << name << " " << value << "; accepted: above 0";
        }
    };
    positive(p.flows, "flows");
    positive(p.capacityBps, "capacity in bit/s");
    positive(p.packetBytes, "packet bytes");
    positive(p.delayS, "delay in s");
    positive(p.cnpIntervalS, "CNP interval in s");
    positive(p.stepS, "step in s");
    if (p.lineRateBps < 0)
    {
        wrong << "line rate " << p.lineRateBps << " bit/s; accepted: above 0, or 0 for the port's";
    }
    positive(p.timely.minRttS, "TIMELY's minimum RTT in s");
    if (p.stepS > p.delayS)
    {
        wrong << "step " << p.stepS << " s; accepted: at most the delay, " << p.delayS << " s";
    }
    RefuseRdmaIf(!wrong.str().empty(), "fluid model: " + wrong.str());
    return p;
}

} // namespace ns3
