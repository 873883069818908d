/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the readers of flow.txt and of CSV flows, for hosts 0 to 7 of a star.

#include "rdma-file-error.h"
#include "rdma-flow-reader.h"
#include "rdma-fuzz.h"
#include "rdma-topology-builders.h"
#include "rdma-units.h"

#include <set>

using namespace ns3;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const RdmaTopology TOPOLOGY = MakeRdmaStar(8);
    static const bool IS_QUIET = DiscardWarnings();
    const std::string text(reinterpret_cast<const char*>(data), size);
    RequireInFuzz(IS_QUIET, "warnings are discarded");
    AllowError<RdmaFileError>([&text] {
        std::set<uint64_t> ids;
        for (const RdmaFlow& flow : ParseRdmaFlows(text, "fuzz", TOPOLOGY).flows)
        {
            RequireInFuzz(ids.insert(flow.id).second, "ids are unique");
            RequireInFuzz(TOPOLOGY.IsHost(flow.srcHost) && TOPOLOGY.IsHost(flow.dstHost),
                          "a flow runs between hosts");
            RequireInFuzz(flow.srcHost != flow.dstHost, "between two of them");
            RequireInFuzz(flow.bytes >= 1 && flow.bytes <= RDMA_MAX_FLOW_BYTES, "bytes");
            RequireInFuzz(flow.start >= 0_ps && flow.start <= RDMA_MAX_TIME, "start");
            RequireInFuzz(flow.priority <= 7 && flow.dstPort <= 65535, "priority and port");
        }
    });
    return 0;
}
