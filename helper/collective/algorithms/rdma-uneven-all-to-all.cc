/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-pairwise-program.h"
#include "rdma-part-name.h"
#include "rdma-text-file.h"

#include <ns3/double.h>
#include <ns3/string.h>

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * All-to-all with sizes of its own for each pair, `all-to-all-v`: what tokens do that go to
 * experts. Messages are sent as in `all-to-all`. The sizes come from a file, or from a skew:
 *
 * - File=PATH: a file with n lines of n numbers of bytes, separated by commas. Line i has what rank
 *   i sends. The size of a call means nothing.
 * - Skew=s: each rank sends shares of the call's size in the ratio of 1, 1/2^s, 1/3^s and so on to
 *   the n ranks. The order of the ranks, which experts are in demand, is random: one order for each
 *   number of ranks. Skew=0 means equal sizes.
 */
class RdmaUnevenAllToAll : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaUnevenAllToAll")
                .SetParent<RdmaCollective>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaUnevenAllToAll>()
                .AddAttribute("File",
                              "File with the bytes of each pair of ranks; empty: Skew says them.",
                              StringValue(""),
                              MakeStringAccessor(&RdmaUnevenAllToAll::m_file),
                              MakeStringChecker())
                .AddAttribute("Skew",
                              "Exponent of Zipf's law for the bytes that ranks receive.",
                              DoubleValue(0),
                              MakeDoubleAccessor(&RdmaUnevenAllToAll::m_skew),
                              MakeDoubleChecker<double>(0, 10));
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_TO_ALL;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check(m_file.empty() || m_skew == 0, "a File and a Skew", "one of them");
        if (!m_file.empty())
        {
            ReadFile();
            Check(m_matrix.size() == ranks,
                  "a communicator of " + std::to_string(ranks) + " ranks with " + m_file,
                  "one of " + std::to_string(m_matrix.size()) + " ranks");
            return;
        }
        Weights& weights = m_weights[ranks];
        if (weights.empty())
        {
            std::vector<uint32_t> order(ranks);
            std::iota(order.begin(), order.end(), 0);
            for (uint32_t i = ranks - 1; i > 0; --i)
            {
                std::swap(order[i], order[m_order->GetInteger(0, i)]);
            }
            weights.resize(ranks);
            double sum = 0;
            for (uint32_t i = 0; i < ranks; ++i)
            {
                weights[order[i]] = std::pow(i + 1.0, -m_skew);
                sum += weights[order[i]];
            }
            for (double& weight : weights)
            {
                weight /= sum;
            }
        }
    }

    int64_t AssignStreams(int64_t stream) override
    {
        const int64_t used = RdmaCollective::AssignStreams(stream);
        m_order->SetStream(stream + used);
        return used + 1;
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        if (!m_file.empty())
        {
            const uint32_t channels = GetChannels();
            const uint32_t channel = scope.tag;
            return std::make_unique<RdmaPairwiseProgram>(
                scope,
                GetForm(),
                [this, channels, channel](uint32_t from, uint32_t to) {
                    return GetRdmaShare(m_matrix[from][to], channels, channel);
                });
        }
        const Weights& weights = m_weights.at(scope.count);
        return std::make_unique<RdmaPairwiseProgram>(
            scope,
            GetForm(),
            [&weights, bytes](uint32_t /*from*/, uint32_t to) {
                return static_cast<uint64_t>(
                    std::llround(static_cast<double>(bytes) * weights[to]));
            });
    }

  private:
    using Weights = std::vector<double>; //!< share of each rank

    void ReadFile()
    {
        if (!m_matrix.empty())
        {
            return;
        }
        constexpr uint64_t MOST_BYTES = uint64_t{1} << 40;
        const std::string text = ReadRdmaFile(m_file);
        RdmaLineReader reader(text, m_file, RdmaLineReader::Separator::COMMA);
        while (reader.Next())
        {
            const std::size_t columns =
                m_matrix.empty() ? reader.GetFields().size() : m_matrix[0].size();
            reader.RequireFields(columns, "bytes for each rank");
            std::vector<uint64_t> row;
            for (std::size_t i = 0; i < columns; ++i)
            {
                row.push_back(reader.GetInteger(i, "rank " + std::to_string(i), 0, MOST_BYTES));
            }
            m_matrix.push_back(row);
        }
        if (m_matrix.empty() || m_matrix.size() != m_matrix[0].size())
        {
            reader.FailFile("",
                            std::to_string(m_matrix.size()) + " lines of " +
                                std::to_string(m_matrix.empty() ? 0 : m_matrix[0].size()) +
                                " numbers; accepted: as many lines as numbers in a line");
        }
    }

    std::string m_file;                          //!< value of the attribute File
    double m_skew{0};                            //!< value of the attribute Skew
    std::vector<std::vector<uint64_t>> m_matrix; //!< bytes by sender and receiver, of the file
    std::map<uint32_t, Weights> m_weights;       //!< shares by number of ranks
    /// Order of the ranks by demand
    Ptr<UniformRandomVariable> m_order{CreateObject<UniformRandomVariable>()};
};

NS_OBJECT_ENSURE_REGISTERED(RdmaUnevenAllToAll);

const RdmaPartName g_unevenAllToAllName("all-to-all-v",
                                        RdmaUnevenAllToAll::GetTypeId(),
                                        "",
                                        "all-to-all with sizes of a file, or with a skew");

} // namespace ns3
