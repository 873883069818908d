/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-hpcc-pint.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccPint);

TypeId
RdmaHpccPint::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaHpccPint")
                            .SetParent<RdmaHpcc>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaHpccPint>()
                            .AddAttribute("SamplePeriod",
                                          "One of so many packets asks for the utilisation of its "
                                          "path (PINT's 1/p: 1, 16 or 256 in the paper).",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&RdmaHpccPint::m_period),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

std::unique_ptr<RdmaRateController>
RdmaHpccPint::MakeController(const RdmaPathProfile& profile) const
{
    return std::make_unique<RdmaHpccPintController>(GetParameters(profile), profile);
}

} // namespace ns3
