/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_SIZE_CDF_H
#define RDMA_FLOW_SIZE_CDF_H

#include "rdma-int128.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A point of a flow-size distribution: a size and the fraction of flows up to that size.
 */
struct RdmaCdfPoint
{
    uint64_t bytes{0};    //!< flow size in bytes, at most 2^53
    double fraction{0.0}; //!< fraction of the flows with at most that size, 0 to 1
};

/**
 * \ingroup rdma
 * A distribution of flow sizes, given by a piecewise linear cumulative distribution function.
 *
 * A sample is the inverse of the function at a uniform random number, rounded half up to whole
 * bytes; a result of 0 bytes becomes 1 byte. The mean accounts for the rounding.
 */
class RdmaFlowSizeCdf
{
  public:
    /**
     * \param points at least two points; neither bytes nor fractions may descend and no point may
     * repeat. The first fraction must be 0, the last 1; the last size must be at least 1 byte. A
     * size of 0 bytes requires the fraction 0.
     * \throws std::invalid_argument if the points violate these conditions
     */
    explicit RdmaFlowSizeCdf(const std::vector<RdmaCdfPoint>& points);

    /**
     * Creates a distribution by name: one of GetBuiltInNames(), or "file:PATH".
     *
     * Built-in distributions:
     * - irn-heavy-tail: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018: 50% of
     *   the flows from 32 B to 1 KB, 15% from 200 KB to 3 MB, the rest between; the paper
     *   gives no shape within these ranges, and this module assumes uniform sizes;
     * - irn-uniform: Mittal et al., SIGCOMM 2018, uniform from 500 KB to 5 MB;
     * - websearch: Alizadeh et al., DCTCP, SIGCOMM 2010, with the points published with HPCC;
     * - hadoop: Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, with
     *   the points published with HPCC;
     * - storage: a distributed storage system at Alibaba, 2019, with the points published with
     *   HPCC.
     * \param text name of a built-in distribution, or "file:PATH"
     * \return the distribution
     * \throws std::invalid_argument for any other text
     * \throws RdmaFileError for a file that cannot be read
     */
    static RdmaFlowSizeCdf Make(const std::string& text);

    /// \return the names of the built-in distributions
    static std::vector<std::string> GetBuiltInNames();

    /**
     * Reads a file of two columns: flow size in bytes and cumulative share of the flows, either in
     * percent (last line 100) or as a fraction (last line 1). Blanks separate the columns. Empty
     * lines are skipped.
     * \param path path of the file
     * \return the distribution
     * \throws RdmaFileError for a file in another format, and for points that the constructor
     *         rejects
     */
    static RdmaFlowSizeCdf Read(const std::string& path);

    /**
     * Parses the content of a file as Read() does.
     * \param text the content of a file
     * \param fileName file name for error messages
     * \return the distribution
     */
    static RdmaFlowSizeCdf Parse(const std::string& text, const std::string& fileName);

    /**
     * \param u a uniform random number, 0 to 1
     * \return the flow size at the fraction \p u, in bytes, 1 or more
     * \throws std::invalid_argument for any other number
     */
    uint64_t Sample(double u) const;

    /// \return the expected value of Sample() for a uniform random number, in bytes
    double GetMean() const;

    /**
     * Computes the expected value of a whole-numbered function f of the flow size.
     *
     * \param sum returns f(1) + ... + f(n) for n from 0 to the largest size, below 2^126
     * \return the expected value of f(Sample()) for a uniform random number
     */
    double GetMeanOf(const std::function<RdmaUint128(uint64_t n)>& sum) const;

    /// \return the points of the distribution function
    const std::vector<RdmaCdfPoint>& GetPoints() const
    {
        return m_points;
    }

  private:
    std::vector<RdmaCdfPoint> m_points;
};

} // namespace ns3

#endif /* RDMA_FLOW_SIZE_CDF_H */
