/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the reader of parts: a class and values of its attributes as text.

#include "rdma-congestion-control.h"
#include "rdma-fuzz.h"
#include "rdma-part.h"
#include "rdma-time.h"
#include "rdma-transport.h"
#include "rdma-workload.h"

#include <stdexcept>
#include <string>

using namespace ns3;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    RdmaSetTimeResolution();
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const TypeId& kind : {RdmaCongestionControl::GetTypeId(),
                               RdmaTransport::GetTypeId(),
                               RdmaWorkload::GetTypeId()})
    {
        AllowError<std::invalid_argument>([&text, &kind] {
            const RdmaPart part = RdmaPart::Parse(text, kind);
            const std::string canonical = part.ToText();
            RequireInFuzz(RdmaPart::Parse(canonical, kind).ToText() == canonical,
                          "parts read back");
            RequireInFuzz(part.CreateObject() != nullptr, "what is read can be made");
        });
    }
    return 0;
}
