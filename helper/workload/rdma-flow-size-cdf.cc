/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-size-cdf.h"

#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{

namespace
{

/// Largest flow size; a double represents all sizes up to this limit exactly.
constexpr uint64_t MAX_FLOW_BYTES = uint64_t{1} << 53;

/// A published distribution in the format of RdmaFlowSizeCdf::Parse().
struct BuiltInCdf
{
    const char* name;
    const char* text;
};

constexpr BuiltInCdf BUILT_IN_CDFS[] = {
    {"irn-heavy-tail", "32 0\n1000 50\n200000 85\n3000000 100"},
    {"irn-uniform", "500000 0\n5000000 100"},
    {"websearch",
     "0 0\n10000 15\n20000 20\n30000 30\n50000 40\n80000 53\n200000 60\n1000000 70\n"
     "2000000 80\n5000000 90\n10000000 97\n30000000 100"},
    {"hadoop",
     "0 0\n100 1\n200 2\n300 5\n350 15\n400 20\n500 30\n600 40\n700 50\n1000 60\n2000 67\n"
     "7000 70\n30000 72\n50000 82\n80000 87\n120000 90\n300000 95\n1000000 97.5\n2000000 99\n"
     "10000000 100"},
    {"storage",
     "0 0\n4000 22.93\n8000 69.21\n16000 80.61\n32000 90.47\n64000 93.53\n128000 96.77\n"
     "256000 97.53\n2000000 100"},
};

/// Checks a point against its predecessor; returns an error text, or an empty text if valid.
std::string
FindFault(const RdmaCdfPoint& point, const RdmaCdfPoint* previous)
{
    if (point.bytes > MAX_FLOW_BYTES)
    {
        return std::to_string(point.bytes) + " bytes; accepted: at most 2^53";
    }
    if (!(point.fraction >= 0.0 && point.fraction <= 1.0))
    {
        return "a share of " + FormatRdmaReal(point.fraction) + "; accepted: 0 to 1";
    }
    if (point.bytes == 0 && point.fraction != 0.0)
    {
        return "a share of " + FormatRdmaReal(point.fraction) +
               " of the flows has 0 bytes; accepted: 0";
    }
    if (!previous)
    {
        return point.fraction == 0.0 ? "" : "the first share is not 0; accepted: 0";
    }
    if (point.bytes < previous->bytes || point.fraction < previous->fraction ||
        (point.bytes == previous->bytes && point.fraction == previous->fraction))
    {
        return "not above the point before it; accepted: ascending bytes and shares";
    }
    return "";
}

} // namespace

RdmaFlowSizeCdf::RdmaFlowSizeCdf(const std::vector<RdmaCdfPoint>& points)
    : m_points(points)
{
    if (points.size() < 2)
    {
        throw std::invalid_argument("flow-size CDF: " + std::to_string(points.size()) +
                                    " points; accepted: 2 or more");
    }
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const std::string fault = FindFault(points[i], i > 0 ? &points[i - 1] : nullptr);
        if (!fault.empty())
        {
            throw std::invalid_argument("flow-size CDF: point " + std::to_string(i + 1) + ": " +
                                        fault);
        }
    }
    if (points.back().fraction != 1.0)
    {
        throw std::invalid_argument("flow-size CDF: the last share is " +
                                    FormatRdmaReal(points.back().fraction) + "; accepted: 1");
    }
}

RdmaFlowSizeCdf
RdmaFlowSizeCdf::Make(const std::string& text)
{
    static const std::string FILE = "file:";
    if (text.size() > FILE.size() && text.compare(0, FILE.size(), FILE) == 0)
    {
        return Read(text.substr(FILE.size()));
    }
    std::string accepted;
    for (const auto& builtIn : BUILT_IN_CDFS)
    {
        if (text == builtIn.name)
        {
            return Parse(builtIn.text, builtIn.name);
        }
        accepted += std::string(builtIn.name) + ", ";
    }
    throw std::invalid_argument("flow-size CDF " + QuoteRdmaText(text) +
                                ": no such distribution; accepted: " + accepted + "file:PATH");
}

std::vector<std::string>
RdmaFlowSizeCdf::GetBuiltInNames()
{
    std::vector<std::string> names;
    for (const auto& builtIn : BUILT_IN_CDFS)
    {
        names.emplace_back(builtIn.name);
    }
    return names;
}

RdmaFlowSizeCdf
RdmaFlowSizeCdf::Read(const std::string& path)
{
    return Parse(ReadRdmaFile(path), path);
}

RdmaFlowSizeCdf
RdmaFlowSizeCdf::Parse(const std::string& text, const std::string& fileName)
{
    // The last line determines the unit of the second column, so values are checked after it is
    // read.
    RdmaLineReader lines(text, fileName, RdmaLineReader::Separator::BLANKS);
    std::vector<RdmaCdfPoint> points;
    while (lines.Next())
    {
        lines.RequireFields(2, "bytes share");
        points.push_back({lines.GetInteger(0, "bytes", 0, MAX_FLOW_BYTES),
                          lines.Get(1, "share", ParseRdmaReal)});
    }
    if (points.size() < 2)
    {
        lines.FailFile("", std::to_string(points.size()) + " points; accepted: 2 or more");
    }
    const double full = points.back().fraction;
    if (full != 1.0 && full != 100.0)
    {
        lines.FailFile("share",
                       "the last one is " + FormatRdmaReal(full) +
                           "; accepted: 100, or 1 for shares written as fractions");
    }
    std::vector<RdmaCdfPoint> fractions;
    RdmaLineReader again(text, fileName, RdmaLineReader::Separator::BLANKS);
    for (const auto& point : points)
    {
        again.Next();
        const RdmaCdfPoint fraction{point.bytes, point.fraction / full};
        const std::string fault =
            FindFault(fraction, fractions.empty() ? nullptr : &fractions.back());
        if (!fault.empty())
        {
            again.Fail("share", fault);
        }
        fractions.push_back(fraction);
    }
    return RdmaFlowSizeCdf(fractions);
}

uint64_t
RdmaFlowSizeCdf::Sample(double u) const
{
    if (!(u >= 0.0 && u <= 1.0))
    {
        throw std::invalid_argument("flow-size CDF: a random number of " + FormatRdmaReal(u) +
                                    "; accepted: 0 to 1");
    }
    const auto above =
        std::lower_bound(m_points.begin(),
                         m_points.end(),
                         u,
                         [](const RdmaCdfPoint& p, double value) { return p.fraction < value; });
    if (above == m_points.begin())
    {
        return std::max<uint64_t>(above->bytes, 1);
    }
    const auto below = above - 1;
    const double part = (u - below->fraction) / (above->fraction - below->fraction);
    // Explicit fma(), because compilers may or may not contract a product and a sum, and workloads
    // must not depend on the compiler.
    const double exact = std::fma(part,
                                  static_cast<double>(above->bytes - below->bytes),
                                  static_cast<double>(below->bytes));
    // Above 2^52 a double has no fractions, so adding 0.5 to round could exceed the last point.
    const auto rounded = static_cast<uint64_t>(std::llround(exact));
    return std::max<uint64_t>(std::min(rounded, above->bytes), 1);
}

double
RdmaFlowSizeCdf::GetMean() const
{
    double mean = 0.0;
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const auto& below = m_points[i - 1];
        const auto& above = m_points[i];
        const double share = above.fraction - below.fraction;
        // Rounding to the nearest integer does not change the mean of a segment with integer ends.
        mean = std::fma(share * 0.5,
                        static_cast<double>(below.bytes) + static_cast<double>(above.bytes),
                        mean);
        if (below.bytes == 0 && above.bytes > 0)
        {
            // Values below 0.5 bytes, the first half byte of the segment, become 1 byte instead of
            // 0.
            mean += share * 0.5 / static_cast<double>(above.bytes);
        }
    }
    return mean;
}

double
RdmaFlowSizeCdf::GetMeanOf(const std::function<RdmaUint128(uint64_t n)>& sum) const
{
    // A result of 0 bytes becomes 1 byte.
    const auto valueAt = [&sum](uint64_t bytes) {
        return bytes > 1 ? sum(bytes) - sum(bytes - 1) : sum(1);
    };
    double mean = 0.0;
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const uint64_t low = m_points[i - 1].bytes;
        const uint64_t high = m_points[i].bytes;
        const double share = m_points[i].fraction - m_points[i - 1].fraction;
        if (low == high)
        {
            mean = std::fma(share, static_cast<double>(valueAt(low)), mean);
            continue;
        }
        // Each size within the segment takes one byte of its width, and the ends half a byte.
        const RdmaUint128 twice = 2 * (sum(high - 1) - sum(low)) + valueAt(low) + valueAt(high);
        mean = std::fma(share / static_cast<double>(high - low),
                        static_cast<double>(twice) * 0.5,
                        mean);
    }
    return mean;
}

} // namespace ns3
