/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the reader of SONiC's buffers.json and qos.json, and of JSON.

#include "rdma-file-error.h"
#include "rdma-fuzz.h"
#include "rdma-sonic-reader.h"

using namespace ns3;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    AllowError<RdmaFileError>([&text] {
        const RdmaSonicConfig config = ParseRdmaSonicConfig(text, "fuzz", text, "fuzz");
        RequireInFuzz(config.ports.size() == config.plan.ports.size(), "as many ports as plans");
        // A configuration that was read is a plan that the buffer accepts; otherwise the program
        // ends here.
        CheckQbbBufferPlan(config.plan);
        for (const auto& port : config.ports)
        {
            QbbEgressScheduler::FromText(port.scheduler);
        }
    });
    return 0;
}
