/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_SIZE_CDF_H
#define RDMA_FLOW_SIZE_CDF_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief A point of a flow-size distribution: the fraction of the flows with at most that many
 * bytes.
 */
struct RdmaCdfPoint
{
    uint64_t bytes{0};    //!< flow size in bytes, at most 2^53
    double fraction{0.0}; //!< fraction of the flows, 0 to 1
};

/**
 * \ingroup rdma
 * \brief A distribution of flow sizes: a cumulative distribution function that is linear between
 * points.
 *
 * A sample is the inverse of the function at a uniform random number, rounded to whole bytes (half
 * up), and 1 byte where that gives 0. The mean takes the rounding into account.
 */
class RdmaFlowSizeCdf
{
  public:
    /**
     * \param points at least two, neither bytes nor fractions descending, no point twice; the first
     * with fraction 0, the last with fraction 1 and at least 1 byte, 0 bytes at no fraction but 0
     * \throws std::invalid_argument if they are not
     */
    explicit RdmaFlowSizeCdf(const std::vector<RdmaCdfPoint>& points);

    /**
     * Make the distribution that a text names: one of GetBuiltInNames(), or "file:PATH".
     *
     * Built in:
     * - irn-heavy-tail: Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018: 50% of
     *   the flows from 32 B to 1 KB, 15% from 200 KB to 3 MB, the rest between; the paper gives no
     *   shape within these ranges, here it is uniform;
     * - irn-uniform: the same paper, uniform from 500 KB to 5 MB;
     * - websearch: Alizadeh et al., DCTCP, SIGCOMM 2010, with the points published with HPCC;
     * - hadoop: Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, with
     *   the points published with HPCC;
     * - storage: a distributed storage system at Alibaba, 2019, with the points published with
     *   HPCC.
     * \param text the text
     * \return the distribution
     * \throws std::invalid_argument for any other text
     * \throws RdmaFileError for a file that cannot be read
     */
    static RdmaFlowSizeCdf Make(const std::string& text);

    /// \return the names of the built-in distributions
    static std::vector<std::string> GetBuiltInNames();

    /**
     * Read a file of two columns, bytes and the cumulative share of the flows, in per cent (last
     * line 100) or as a fraction (last line 1). Columns are separated by blanks, empty lines are
     * skipped.
     * \param path the file
     * \return the distribution
     * \throws RdmaFileError for anything else, and for points that the constructor refuses
     */
    static RdmaFlowSizeCdf Read(const std::string& path);

    /**
     * Read a text as Read() reads a file.
     * \param text the content of a file
     * \param fileName the name for error messages
     * \return the distribution
     * \throws RdmaFileError as Read() does
     */
    static RdmaFlowSizeCdf Parse(const std::string& text, const std::string& fileName);

    /**
     * \param u a uniform random number, 0 to 1
     * \return the flow size at that fraction, in bytes, 1 or more
     * \throws std::invalid_argument for any other number
     */
    uint64_t Sample(double u) const;

    /// \return the expected value of Sample() of a uniform random number, in bytes
    double GetMean() const;

    /// \return the points
    std::vector<RdmaCdfPoint> GetPoints() const;

  private:
    std::vector<RdmaCdfPoint> m_points;
};

} // namespace ns3

#endif /* RDMA_FLOW_SIZE_CDF_H */
