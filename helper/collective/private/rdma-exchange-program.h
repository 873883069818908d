/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EXCHANGE_PROGRAM_H
#define RDMA_EXCHANGE_PROGRAM_H

#include "rdma-collective.h"
#include "rdma-lane-program.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A program of steps, in each of which a rank sends to one rank and receives from one rank. In the
 * first steps it reduces what it receives. Chunks of a step are messages of equal size, but for one
 * byte.
 *
 * A derived class is a few formulas: who, how much, and what a send waits for.
 */
class RdmaExchangeProgram : public RdmaLaneProgram
{
  protected:
    /** One direction of a step. */
    struct Transfer
    {
        uint32_t rank{0};  //!< number of the other rank, see RdmaCollectiveScope::GetRank()
        uint64_t bytes{0}; //!< bytes of the step
    };

    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param steps number of steps
     * \param reducing number of steps, the first ones, in which the rank reduces
     */
    RdmaExchangeProgram(const RdmaCollectiveScope& scope,
                        const RdmaExchangeForm& form,
                        uint64_t steps,
                        uint64_t reducing)
        : m_scope(scope),
          m_form(form),
          m_reducing(reducing * form.chunks)
    {
        m_send = AddLane("send", steps * form.chunks, form.depth);
        m_receive = AddLane("receive", steps * form.chunks, form.depth);
        m_reduce = AddLane("reduction", m_reducing, 1);
    }

    /** \return the ranks */
    const RdmaCollectiveScope& GetScope() const
    {
        return m_scope;
    }

    /** \return number of messages of a step */
    uint64_t GetChunks() const
    {
        return m_form.chunks;
    }

  private:
    /** \param step number of a step \return what the rank sends */
    virtual Transfer GetSend(uint64_t step) const = 0;

    /** \param step number of a step \return what the rank receives */
    virtual Transfer GetReceive(uint64_t step) const = 0;

    /**
     * \param step number of a step after the first one
     * \param chunk number of a chunk of the step
     * \return number of chunks of the previous step that must arrive before the rank sends this
     *         chunk, with Steps=Pipelined. All chunks of earlier steps must arrive as well.
     */
    virtual uint64_t GetNeed(uint64_t /*step*/, uint64_t chunk) const
    {
        return chunk + 1;
    }

    /** \return true if no send waits for a receive */
    virtual bool IsIndependent() const
    {
        return false;
    }

    Step Make(uint32_t lane, uint64_t index) const override
    {
        const uint64_t chunks = m_form.chunks;
        const uint64_t step = index / chunks;
        const uint64_t chunk = index % chunks;
        Step made;
        if (lane == m_send)
        {
            const Transfer send = GetSend(step);
            made.operation = m_form.MakeSend(GetRdmaShare(send.bytes, chunks, chunk),
                                             m_scope.GetRank(send.rank),
                                             m_scope);
            uint64_t need = step * chunks;
            if (step > 0 && m_form.isPipelined)
            {
                need = (step - 1) * chunks + std::min(chunks, GetNeed(step, chunk));
            }
            if (step > 0 && !(m_form.isPipelined && IsIndependent()))
            {
                made.waits = {{{m_receive, need}, {m_reduce, std::min(need, m_reducing)}}};
            }
            return made;
        }
        const Transfer receive = GetReceive(step);
        const uint64_t bytes = GetRdmaShare(receive.bytes, chunks, chunk);
        if (lane == m_receive)
        {
            made.operation = RdmaOperation::Receive(bytes,
                                                    m_scope.GetRank(receive.rank),
                                                    m_scope.context,
                                                    m_scope.tag);
            return made;
        }
        made.operation = RdmaOperation::Reduce(bytes);
        made.waits[0] = {m_receive, index + 1};
        return made;
    }

    RdmaCollectiveScope m_scope; //!< the ranks
    RdmaExchangeForm m_form;     //!< how messages are sent
    uint64_t m_reducing;         //!< the rank adds the data of so many first receives
    uint32_t m_send{0};          //!< lane of sends
    uint32_t m_receive{0};       //!< lane of receives
    uint32_t m_reduce{0};        //!< lane of reductions
};

} // namespace ns3

#endif /* RDMA_EXCHANGE_PROGRAM_H */
