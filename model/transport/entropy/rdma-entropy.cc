/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-entropy.h"

#include "rdma-fixed-type-id.h"

#include <ns3/abort.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaEntropy);

TypeId
RdmaEntropy::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaEntropy>("ns3::RdmaEntropy")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddAttribute("Entropies",
                          "Number of UDP source ports that a queue pair uses. With 1, all its "
                          "packets have one port. A number not far above that of the paths gives "
                          "some paths more ports than others.",
                          UintegerValue(MOST_ENTROPIES),
                          MakeUintegerAccessor(&RdmaEntropy::m_entropies),
                          MakeUintegerChecker<uint32_t>(1, MOST_ENTROPIES));
    return tid;
}

RdmaEntropy::RdmaEntropy()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

int64_t
RdmaEntropy::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
RdmaEntropy::Take(const RdmaNic* nic)
{
    NS_ABORT_MSG_IF(m_nic && m_nic != nic,
                    "rdma: two NICs get one "
                        << GetInstanceTypeId().GetName()
                        << ", whose random numbers belong to one NIC; accepted: an object for each "
                           "NIC, as RdmaFabricHelper makes by SetEntropy()");
    m_nic = nic;
}

} // namespace ns3
