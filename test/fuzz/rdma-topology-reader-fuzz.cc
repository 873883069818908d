/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the reader of topology.txt.

#include "rdma-file-error.h"
#include "rdma-fuzz.h"
#include "rdma-topology-reader.h"

using namespace ns3;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const bool IS_QUIET = DiscardWarnings();
    const std::string text(reinterpret_cast<const char*>(data), size);
    RequireInFuzz(IS_QUIET, "warnings are discarded");
    AllowError<RdmaFileError>([&text] {
        const RdmaTopology topology = ParseRdmaTopology(text, "fuzz");
        topology.Validate();
        const std::string written = FormatRdmaTopology(topology);
        const RdmaTopology again = ParseRdmaTopology(written, "fuzz");
        RequireInFuzz(again == topology, "what was written reads as the same topology");
        RequireInFuzz(FormatRdmaTopology(again) == written, "and is written in the same way");
    });
    return 0;
}
