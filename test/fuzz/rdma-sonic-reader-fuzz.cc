/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the readers of SONiC's buffers.json, qos.json and pg_profile_lookup.ini, and of JSON, and
// the plan that they make for a switch. A NUL separates the tables from the lookup file.

#include "qbb-shared-buffer.h"
#include "rdma-file-error.h"
#include "rdma-fuzz.h"
#include "rdma-sonic-plan.h"
#include "rdma-sonic-reader.h"

#include <ns3/uinteger.h>

#include <algorithm>
#include <stdexcept>

using namespace ns3;

namespace
{

void
CheckPlan(const RdmaSonicConfig& config)
{
    QbbPortProfile port;
    port.rate = 100_gbps;
    port.delay = 50_ns;
    std::vector<uint32_t> which;
    std::vector<QbbPortProfile> ports;
    for (uint32_t i = 0; i < std::min<std::size_t>(config.ports.size(), 4); ++i)
    {
        port.losslessMask = config.hasQos ? config.ports[i].losslessMask : 1 << 3;
        which.push_back(i);
        ports.push_back(port);
    }
    const RdmaSonicPlan plan = MakeRdmaSonicPlan(config, which, ports, 0);
    CheckQbbBufferPlan(plan.plan);
    RequireInFuzz(plan.added.size() == ports.size(), "a mask for each port");
    if (plan.memoryBytes <= QBB_MAX_BUFFER_BYTES)
    {
        // The buffer accepts every plan; otherwise the program ends here.
        const auto buffer = CreateObject<QbbSharedBuffer>();
        buffer->SetAttribute("BufferSize", UintegerValue(plan.memoryBytes));
        buffer->SetPlan(plan.plan);
        buffer->Configure(ports);
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto end = std::min(text.find('\0'), text.size());
    const RdmaSonicFile lookup{end == text.size() ? "" : "lookup", text.substr(end)};
    AllowError<RdmaFileError>([&] {
        const RdmaSonicConfig config =
            ParseRdmaSonicConfig({"fuzz", text.substr(0, end)},
                                 {},
                                 {lookup.name, lookup.text.substr(lookup.name.empty() ? 0 : 1)});
        RequireInFuzz(config.ports.size() == config.plan.ports.size(), "as many ports as plans");
        for (const std::string& note : config.notes)
        {
            RequireInFuzz(
                std::all_of(note.begin(), note.end(), [](char c) { return c >= 0x20 && c < 0x7f; }),
                "a note is one line of printable ASCII");
        }
        for (const auto& port : config.ports)
        {
            QbbEgressScheduler::FromText(port.scheduler);
        }
        if (config.hasBuffers)
        {
            AllowError<std::invalid_argument>([&] { CheckPlan(config); });
        }
    });
    return 0;
}
