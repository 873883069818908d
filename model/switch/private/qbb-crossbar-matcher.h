/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CROSSBAR_MATCHER_H
#define QBB_CROSSBAR_MATCHER_H

#include "qbb-egress-scheduler.h"
#include "qbb-virtual-output-queues.h"
#include "rdma-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Matches free inputs of a crossbar with free outputs, by round robin on both sides.
 *
 * A matching takes several iterations of three steps, as in iSLIP (N. McKeown, "The iSLIP
 * Scheduling Algorithm for Input-Queued Switches", IEEE/ACM Transactions on Networking 7(2), 1999):
 *
 * - Request: every free input sends a request to every output for which it has frames.
 * - Grant: every free output picks a requested class that it has room for. Its scheduler decides
 *   which (QbbEgressScheduler: strict classes first, weighted classes in turn). Within that class,
 *   the output grants the input whose turn it is (QbbVirtualOutputQueues). A weighted class keeps
 *   its turn if all its inputs are busy.
 * - Accept: an input with several grants accepts the highest strict class. Among grants of weighted
 *   classes, it accepts the first output after its last accepted output, cyclically by port number.
 *   Only accepted frames are charged to the weight of their class.
 *
 * The turns on both sides advance only on accepts of the first iteration. Iterations repeat until
 * there are no more grants. The matching is then maximal: no free input has a frame for a free
 * output with room. As frames differ in length, the crossbar is matched again whenever a frame has
 * crossed, and not in time slots as in the paper.
 *
 * An iteration visits every output with waiting frames. The matcher knows port numbers only.
 */
class QbbCrossbarMatcher
{
  public:
    /** A frame that crosses from an input to the output that the input is matched with. */
    struct Transfer
    {
        RdmaPs end{0};      //!< end of the transfer, which the caller of Match() sets
        uint16_t input{0};  //!< port number of the input
        uint16_t output{0}; //!< port number of the output
        QbbFramePtr frame;  //!< frame to transfer, already removed from its queue
    };

    /** \param nPorts number of ports; all ports start free, with room for every class */
    void Configure(uint32_t nPorts);

    /** \param output port number \param scheduler its scheduler among classes; strict by default */
    void SetScheduler(uint16_t output, const QbbEgressScheduler& scheduler)
    {
        m_outputs[output].scheduler = scheduler;
    }

    /** \param output port number of an output with a new waiting frame */
    void AddWaiting(uint16_t output);

    /**
     * \param output port number
     * \param priority class 0..7
     * \param room true if frames of the class may cross to the output
     */
    void SetRoom(uint16_t output, uint8_t priority, bool room);

    /**
     * \param output port number
     * \param priorities bit mask of classes
     * \return bit mask of the classes in \p priorities that have room at the output
     */
    uint8_t GetRoom(uint16_t output, uint8_t priorities) const
    {
        return m_outputs[output].room & priorities;
    }

    /** \param input port number \return true if no frame is crossing from the input */
    bool IsInputFree(uint16_t input) const
    {
        return !m_inputs[input].busy;
    }

    /** \param output port number \return true if no frame is crossing to the output */
    bool IsOutputFree(uint16_t output) const
    {
        return !m_outputs[output].busy;
    }

    /** Frees the ports of a finished transfer. \param input input port \param output output port */
    void Release(uint16_t input, uint16_t output);

    /**
     * Matches free inputs with free outputs. Both ports of each match stay busy until Release().
     *
     * \param queues the waiting frames
     * \return a transfer for each new match; valid until the next call
     */
    std::vector<Transfer>& Match(QbbVirtualOutputQueues& queues);

  private:
    static constexpr uint16_t NO_OUTPUT = UINT16_MAX;

    /** State of an input. */
    struct Input
    {
        bool busy{false};          //!< a frame is crossing from the input
        uint16_t accepted{0};      //!< output of the last accept in a first iteration
        uint16_t grant{NO_OUTPUT}; //!< best output that granted the input in the current iteration
        uint8_t rank{0};   //!< rank of the granted class: 1 + the class if it is strict, else 0
        uint32_t queue{0}; //!< granted virtual output queue
    };

    /** State of an output. */
    struct Output
    {
        bool busy{false};             //!< a frame is crossing to the output
        bool listed{false};           //!< the output is in m_waiting
        uint8_t room{0xff};           //!< bit mask of the classes that may cross
        QbbEgressScheduler scheduler; //!< chooses among the classes
    };

    void Grant(const QbbVirtualOutputQueues& queues, uint16_t output);
    uint32_t FindQueue(const QbbVirtualOutputQueues& queues,
                       uint16_t output,
                       uint8_t priority) const;
    void Accept(QbbVirtualOutputQueues& queues, uint16_t input, bool first);

    std::vector<Input> m_inputs;     //!< inputs, by port number
    std::vector<Output> m_outputs;   //!< outputs, by port number
    std::vector<uint16_t> m_waiting; //!< outputs that may have waiting frames
    std::vector<uint16_t> m_granted; //!< inputs with a grant in the current iteration
    std::vector<Transfer> m_matched; //!< result of Match()
};

} // namespace ns3

#endif /* QBB_CROSSBAR_MATCHER_H */
