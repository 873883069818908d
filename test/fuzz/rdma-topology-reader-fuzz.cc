/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the readers of topology.txt and of SimAI's topologies.

#include "rdma-file-error.h"
#include "rdma-fuzz.h"
#include "rdma-simai-topology.h"
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
    AllowError<RdmaFileError>([&text] {
        const RdmaSimaiTopology simai = ParseRdmaSimaiTopology(text, "fuzz");
        simai.topology.Validate();
        RequireInFuzz(simai.topology.GetNics().size() ==
                          simai.topology.GetHosts().size() * simai.gpusPerServer,
                      "each GPU of each server is a NIC");
    });
    return 0;
}
