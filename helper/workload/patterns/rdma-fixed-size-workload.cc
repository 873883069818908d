/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-fixed-size-workload.h"

#include "rdma-units.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFixedSizeWorkload);

TypeId
RdmaFixedSizeWorkload::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFixedSizeWorkload")
                            .SetParent<RdmaGeneratedWorkload>()
                            .SetGroupName("Rdma")
                            .AddAttribute("Bytes",
                                          "Size of each flow in bytes.",
                                          UintegerValue(1'000'000),
                                          MakeUintegerAccessor(&RdmaFixedSizeWorkload::m_bytes),
                                          MakeUintegerChecker<uint64_t>(1, RDMA_MAX_FLOW_BYTES))
                            .AddAttribute("Jitter",
                                          "Start times are uniform from Start to Start + Jitter.",
                                          TimeValue(Seconds(0)),
                                          MakeTimeAccessor(&RdmaFixedSizeWorkload::m_jitter),
                                          MakeTimeChecker(Seconds(0)));
    return tid;
}

int64_t
RdmaFixedSizeWorkload::AssignStreams(int64_t stream)
{
    m_times->SetStream(stream + STREAM_TIME);
    return N_STREAMS;
}

RdmaFlow
RdmaFixedSizeWorkload::DrawFlow(uint32_t src, uint32_t dst)
{
    const RdmaPs jitter = CheckTime("Jitter", m_jitter, 0_ps);
    RdmaPs after{0};
    if (jitter > 0_ps) // without jitter, no random number is drawn
    {
        const double drawn = m_times->GetValue(0.0, static_cast<double>(jitter));
        after = std::min(RdmaPs(static_cast<int64_t>(drawn)), jitter);
    }
    return MakeFlow(src, dst, m_bytes, after);
}

} // namespace ns3
