/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes the parsers of rates, times, sizes and numbers, and of the texts that name topologies and
// distributions on the command line.

#include "rdma-flow-size-cdf.h"
#include "rdma-fuzz.h"
#include "rdma-topology-builders.h"
#include "rdma-units.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

using namespace ns3;

namespace
{

/// Whether the text names a file or a class, or holds numbers that could make a topology of more
/// than some 10^4 nodes.
bool
IsExpensive(const std::string& text)
{
    int digits = 0;
    for (const char c : text)
    {
        digits = std::isdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
        if (digits > 2)
        {
            return true;
        }
    }
    return text.compare(0, 5, "file:") == 0 || text.compare(0, 4, "clos") == 0 ||
           text.find("Rdma") != std::string::npos;
}

template <typename Call>
void
Try(Call call)
{
    AllowError<std::invalid_argument>(call);
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    Try([&text] {
        const RdmaBitRate rate = ParseRdmaRate(text);
        RequireInFuzz(rate >= 1_bps && rate <= RDMA_MAX_RATE, "rates are in their range");
        RequireInFuzz(ParseRdmaRate(FormatRdmaRate(rate)) == rate, "rates read back");
    });
    Try([&text] {
        const RdmaPs time = ParseRdmaTime(text);
        RequireInFuzz(time >= 0_ps && time <= RDMA_MAX_TIME, "times are in their range");
        RequireInFuzz(ParseRdmaTime(FormatRdmaTime(time)) == time, "times read back");
        const RdmaRoundedTime inNs = RoundRdmaTimeIn(FormatRdmaNs(time), 1_ns);
        RequireInFuzz(inNs.time == time && inNs.isExact, "in ns too");
        const RdmaRoundedTime rounded = RoundRdmaTime(text);
        RequireInFuzz(rounded.time == time && rounded.isExact, "nothing is rounded");
    });
    Try([&text] {
        const RdmaRoundedTime read = RoundRdmaTimeIn(text, 1_ns);
        const double real = ParseRdmaReal(text) * 1000;
        const double error = real - static_cast<double>(read.time.Get());
        RequireInFuzz(std::abs(error) <= 0.5 + 1e-12 * real, "rounded to the nearest picosecond");
    });
    Try([&text] {
        const RdmaBitRate rate = ParseRdmaPlainRate(text);
        RequireInFuzz(rate >= 1_bps && rate <= RDMA_MAX_RATE, "plain rates are in their range");
        RequireInFuzz(ParseRdmaPlainRate(FormatRdmaRate(rate)) == rate, "plain rates read back");
    });
    Try([&text] {
        const uint64_t bytes = ParseRdmaBytes(text);
        RequireInFuzz(bytes <= RDMA_MAX_FLOW_BYTES, "sizes are in their range");
    });
    Try([&text] {
        const uint64_t max = std::numeric_limits<uint64_t>::max();
        const uint64_t number = ParseRdmaInteger(text, 0, max);
        RequireInFuzz(ParseRdmaInteger(std::to_string(number), number, number) == number,
                      "integers read back");
        const double real = ParseRdmaReal(text);
        RequireInFuzz(std::abs(real - static_cast<double>(number)) <= 1e-12 * real,
                      "integers and reals agree");
    });
    Try([&text] {
        const double real = ParseRdmaReal(text);
        RequireInFuzz(real >= 0 && real <= std::numeric_limits<double>::max(), "reals are finite");
        RequireInFuzz(ParseRdmaReal(FormatRdmaReal(real)) == real, "reals read back");
    });
    if (!IsExpensive(text))
    {
        Try([&text] { MakeRdmaTopology(text).Validate(); });
        Try([&text] { RdmaFlowSizeCdf::Make(text).GetMean(); });
    }
    return 0;
}
