/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-lane-program.h"
#include "rdma-part-name.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

/** The neighbours of a rank in a tree; by their numbers. */
struct RdmaTreePlace
{
    static constexpr uint32_t NOBODY = UINT32_MAX; //!< no such neighbour

    uint32_t parent{NOBODY};            //!< the parent
    std::array<uint32_t, 2> children{}; //!< the children
    uint32_t nChildren{0};              //!< number of children
};

/**
 * \param n number of ranks
 * \param rank number of a rank
 * \return place of the rank in a tree whose leaves are the odd ranks: the lowest bit of a rank that
 *         is set is its height, and rank 0 is above all others
 */
RdmaTreePlace
GetRdmaTreePlace(uint32_t n, uint32_t rank)
{
    RdmaTreePlace place;
    uint32_t bit = 1;
    while (bit < n && !(rank & bit))
    {
        bit <<= 1;
    }
    if (rank > 0)
    {
        const uint32_t above = (rank ^ bit) | (bit << 1);
        place.parent = above < n ? above : rank ^ bit;
    }
    const uint32_t half = bit >> 1;
    if (half > 0 && rank > 0)
    {
        place.children[place.nChildren++] = rank - half;
    }
    // The subtree above the rank has the highest ranks; it may be cut off at n.
    uint32_t up = half;
    while (up > 0 && rank + up >= n)
    {
        up >>= 1;
    }
    if (up > 0)
    {
        place.children[place.nChildren++] = rank + up;
    }
    return place;
}

/**
 * Reduces chunks from the leaves to the root of a tree, and sends each sum back as soon as it is
 * there.
 */
class RdmaTreeProgram final : public RdmaLaneProgram
{
  public:
    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param bytes bytes of the tree
     * \param place place of the rank in the tree
     */
    RdmaTreeProgram(const RdmaCollectiveScope& scope,
                    const RdmaExchangeForm& form,
                    uint64_t bytes,
                    const RdmaTreePlace& place)
        : m_scope(scope),
          m_form(form),
          m_bytes(bytes),
          m_place(place)
    {
        const uint64_t chunks = form.chunks;
        const uint64_t up = place.parent == RdmaTreePlace::NOBODY ? 0 : chunks;
        for (uint32_t child = 0; child < 2; ++child)
        {
            const uint64_t count = child < place.nChildren ? chunks : 0;
            AddLane(child == 0 ? "receive from child 0," : "receive from child 1,",
                    count,
                    form.depth);
        }
        AddLane("reduction", chunks * place.nChildren, 1);
        AddLane("send to the parent,", up, form.depth);
        AddLane("receive from the parent,", up, form.depth);
        for (uint32_t child = 0; child < 2; ++child)
        {
            const uint64_t count = child < place.nChildren ? chunks : 0;
            AddLane(child == 0 ? "send to child 0," : "send to child 1,", count, form.depth);
        }
    }

  private:
    /** The lanes. */
    enum Lanes : uint32_t
    {
        FROM_CHILD = 0, //!< and 1
        REDUCE = 2,
        TO_PARENT = 3,
        FROM_PARENT = 4,
        TO_CHILD = 5, //!< and 6
    };

    Step Make(uint32_t lane, uint64_t index) const override
    {
        const uint64_t inner = m_place.nChildren;
        const uint64_t chunk = lane == REDUCE ? index / inner : index;
        const uint64_t bytes = GetRdmaShare(m_bytes, m_form.chunks, chunk);
        const uint64_t done = m_form.isPipelined ? chunk + 1 : m_form.chunks;
        Step step;
        switch (lane)
        {
        case FROM_CHILD:
        case FROM_CHILD + 1:
            step.operation = MakeReceive(bytes, m_place.children[lane]);
            break;
        case REDUCE:
            step.operation = RdmaOperation::Reduce(bytes);
            step.waits[0] = {FROM_CHILD + static_cast<uint32_t>(index % inner), chunk + 1};
            break;
        case TO_PARENT:
            step.operation = m_form.MakeSend(bytes, m_scope.GetRank(m_place.parent), m_scope);
            step.waits[0] = {REDUCE, inner * done};
            break;
        case FROM_PARENT:
            step.operation = MakeReceive(bytes, m_place.parent);
            break;
        default:
            step.operation =
                m_form.MakeSend(bytes, m_scope.GetRank(m_place.children[lane - TO_CHILD]), m_scope);
            if (m_place.parent == RdmaTreePlace::NOBODY)
            {
                step.waits[0] = {REDUCE, inner * done};
            }
            else
            {
                step.waits[0] = {FROM_PARENT, done};
            }
        }
        return step;
    }

    RdmaOperation MakeReceive(uint64_t bytes, uint32_t from) const
    {
        return RdmaOperation::Receive(bytes, m_scope.GetRank(from), m_scope.context, m_scope.tag);
    }

    RdmaCollectiveScope m_scope; //!< the ranks
    RdmaExchangeForm m_form;     //!< how messages are sent
    uint64_t m_bytes;            //!< bytes of the tree
    RdmaTreePlace m_place;       //!< neighbours of the rank
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-double-tree`: half of the vector in each of two binary trees, in which a
 * rank that has children in one is a leaf of the other, so that all ranks send about as much
 * (Sanders, Speck and Traff, "Two-tree algorithms for full bandwidth broadcast, reduction and
 * scan", 2009, with the trees of NCCL: an even number of ranks mirrors the second tree, an odd one
 * shifts it by one rank). Each channel has both trees. Chunks are best pipelined.
 */
class RdmaTreeAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaTreeAllReduce")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaTreeAllReduce>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

  protected:
    uint32_t GetPrograms() const override
    {
        return 2;
    }

    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        const uint32_t n = scope.count;
        const auto move = [n](uint32_t rank, bool back) {
            if (n % 2 == 0)
            {
                return n - 1 - rank;
            }
            return back ? (rank + 1) % n : (rank + n - 1) % n;
        };
        const bool isSecond = scope.tag % 2 == 1;
        RdmaTreePlace place =
            GetRdmaTreePlace(n, isSecond ? move(scope.index, false) : scope.index);
        if (isSecond)
        {
            for (uint32_t* rank : {&place.parent, &place.children[0], &place.children[1]})
            {
                *rank = *rank == RdmaTreePlace::NOBODY ? *rank : move(*rank, true);
            }
        }
        return std::make_unique<RdmaTreeProgram>(scope, GetForm(), bytes, place);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaTreeAllReduce);

const RdmaPartName g_treeAllReduceName("all-reduce-double-tree",
                                       RdmaTreeAllReduce::GetTypeId(),
                                       "",
                                       "all-reduce in two binary trees");

} // namespace ns3
