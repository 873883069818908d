/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the reader of flow-size distributions.

#include "rdma-file-error.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-fuzz.h"

#include <algorithm>

using namespace ns3;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    constexpr int STEPS = 64;
    const std::string text(reinterpret_cast<const char*>(data), size);
    AllowError<RdmaFileError>([&text] {
        const RdmaFlowSizeCdf cdf = RdmaFlowSizeCdf::Parse(text, "fuzz");
        const auto points = cdf.GetPoints();
        const uint64_t least = std::max<uint64_t>(points.front().bytes, 1);
        uint64_t before = least;
        for (int i = 0; i <= STEPS; ++i)
        {
            const uint64_t sample = cdf.Sample(static_cast<double>(i) / STEPS);
            RequireInFuzz(sample >= before, "sizes ascend with the random number");
            before = sample;
        }
        RequireInFuzz(before <= points.back().bytes, "no size is above the last point");
        const double mean = cdf.GetMean();
        RequireInFuzz(mean >= static_cast<double>(least) * (1 - 1e-9) &&
                          mean <= static_cast<double>(points.back().bytes) * (1 + 1e-9),
                      "the mean is between the smallest and the largest size");
    });
    return 0;
}
