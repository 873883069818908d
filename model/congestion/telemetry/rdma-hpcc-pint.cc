/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-hpcc-pint.h"

#include "rdma-part-name.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccPint);

namespace
{

/// Name by which programs select this congestion control.
const RdmaPartName g_hpccPintName("hpcc-pint",
                                  RdmaHpccPint::GetTypeId(),
                                  "",
                                  "HPCC with one byte of telemetry (PINT)");

} // namespace

TypeId
RdmaHpccPint::GetTypeId()
{
    static TypeId tid = RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaHpccPint")
                            .SetParent<RdmaHpcc>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaHpccPint>()
                            .AddAttribute("SamplePeriod",
                                          "Period N: one of N packets asks for the utilisation of "
                                          "its path (1/p in PINT: 1, 16 or 256 in the paper).",
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
