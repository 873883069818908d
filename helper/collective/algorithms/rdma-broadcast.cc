/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-compat.h"
#include "rdma-lane-program.h"
#include "rdma-part-name.h"

#include <ns3/uinteger.h>

namespace ns3
{

namespace
{

/**
 * Receives the vector from one rank, and sends it to others, one after the other. Without a sender,
 * the rank has the vector already.
 */
class RdmaForwardProgram final : public RdmaLaneProgram
{
  public:
    static constexpr uint32_t NOBODY = UINT32_MAX; //!< the rank has the vector

    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param bytes bytes of the vector
     * \param from number of the rank that sends the vector, or NOBODY
     * \param to numbers of the ranks that get the vector from this rank
     */
    RdmaForwardProgram(const RdmaCollectiveScope& scope,
                       const RdmaExchangeForm& form,
                       uint64_t bytes,
                       uint32_t from,
                       const std::vector<uint32_t>& to)
        : m_scope(scope),
          m_form(form),
          m_bytes(bytes),
          m_from(from),
          m_to(to)
    {
        m_receive = AddLane("receive", from == NOBODY ? 0 : form.chunks, form.depth);
        m_send = AddLane("send", to.size() * uint64_t{form.chunks}, form.depth);
    }

  private:
    Step Make(uint32_t lane, uint64_t index) const override
    {
        const uint64_t chunk = index % m_form.chunks;
        const uint64_t bytes = GetRdmaShare(m_bytes, m_form.chunks, chunk);
        Step step;
        if (lane == m_receive)
        {
            step.operation = RdmaOperation::Receive(bytes,
                                                    m_scope.GetRank(m_from),
                                                    m_scope.context,
                                                    m_scope.tag);
            return step;
        }
        step.operation =
            m_form.MakeSend(bytes, m_scope.GetRank(m_to[index / m_form.chunks]), m_scope);
        if (m_from != NOBODY)
        {
            step.waits[0] = {m_receive, m_form.isPipelined ? chunk + 1 : m_form.chunks};
        }
        return step;
    }

    RdmaCollectiveScope m_scope; //!< the ranks
    RdmaExchangeForm m_form;     //!< how messages are sent
    uint64_t m_bytes;            //!< bytes of the vector
    uint32_t m_from;             //!< number of the rank that sends the vector, or NOBODY
    std::vector<uint32_t> m_to;  //!< numbers of the ranks that get the vector from this rank
    uint32_t m_receive{0};       //!< lane of receives
    uint32_t m_send{0};          //!< lane of sends
};

} // namespace

/**
 * \ingroup rdma-collective
 * Broadcast from one rank. `broadcast-tree`: in a binomial tree, in ceil(log2 n) steps; each rank
 * sends the whole vector to its largest subtree first. `broadcast-ring`: in a chain, from each rank
 * to the next one; with Steps=Pipelined, n - 2 + Chunks steps of a chunk.
 */
class RdmaBroadcast : public RdmaCollective
{
  public:
    /** How the vector travels. */
    enum Way
    {
        TREE,
        RING,
    };

    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaBroadcast")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaBroadcast>()
                                .AddAttribute("Way",
                                              "How the vector travels: in a binomial Tree, or in a "
                                              "Ring.",
                                              EnumValue(TREE),
                                              RdmaMakeEnumAccessor<Way>(&RdmaBroadcast::m_way),
                                              MakeEnumChecker(TREE, "Tree", RING, "Ring"))
                                .AddAttribute("Root",
                                              "Number of the rank, in its communicator, that has "
                                              "the vector.",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&RdmaBroadcast::m_root),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::BROADCAST;
    }

    int64_t GetRoot() const override
    {
        return m_root;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check(m_root < ranks,
              "Root " + std::to_string(m_root),
              "0 to " + std::to_string(ranks - 1));
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        const uint32_t n = scope.count;
        const uint32_t distance = (scope.index + n - m_root) % n; // from the root on
        uint32_t from = RdmaForwardProgram::NOBODY;
        std::vector<uint32_t> to;
        if (m_way == RING)
        {
            if (distance > 0)
            {
                from = scope.GetNeighbour(-1);
            }
            if (distance + 1 < n)
            {
                to.push_back(scope.GetNeighbour(1));
            }
        }
        else
        {
            // The lowest bit of the distance tells when the rank gets the vector.
            uint32_t bit = 1;
            while (bit < n && !(distance & bit))
            {
                bit <<= 1;
            }
            if (distance > 0)
            {
                from = scope.GetNeighbour(-static_cast<int64_t>(bit));
            }
            for (bit >>= 1; bit > 0; bit >>= 1)
            {
                if (distance + bit < n)
                {
                    to.push_back(scope.GetNeighbour(bit));
                }
            }
        }
        return std::make_unique<RdmaForwardProgram>(scope, GetForm(), bytes, from, to);
    }

  private:
    Way m_way{TREE};    //!< value of the attribute Way
    uint32_t m_root{0}; //!< value of the attribute Root
};

NS_OBJECT_ENSURE_REGISTERED(RdmaBroadcast);

const RdmaPartName g_treeBroadcastName("broadcast-tree",
                                       RdmaBroadcast::GetTypeId(),
                                       "Way=Tree",
                                       "broadcast in a binomial tree");
const RdmaPartName g_ringBroadcastName("broadcast-ring",
                                       RdmaBroadcast::GetTypeId(),
                                       "Way=Ring",
                                       "broadcast from rank to rank");

} // namespace ns3
