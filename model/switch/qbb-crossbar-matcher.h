/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CROSSBAR_MATCHER_H
#define QBB_CROSSBAR_MATCHER_H

#include "qbb-egress-scheduler.h"
#include "qbb-virtual-output-queues.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Matches free inputs of a crossbar with free outputs, by round robin on both sides.
 *
 * One matching is made of iterations of three steps, as in iSLIP (N. McKeown, "The iSLIP Scheduling
 * Algorithm for Input-Queued Switches", IEEE/ACM Transactions on Networking 7(2), 1999):
 *
 * - Request: every free input asks every output for which it has frames.
 * - Grant: every free output takes a class for which it has room and was asked, as its scheduler
 *   says (QbbEgressScheduler: strict classes first, weighted ones in their turn), and in that class
 *   the input whose turn it is (QbbVirtualOutputQueues). A weighted class whose inputs are all
 *   busy keeps its turn.
 * - Accept: an input with several grants takes the highest strict class, and among grants of
 *   weighted classes the first output after the one that it accepted last, cyclically by port
 *   number. Only what is accepted is charged to the class's weight.
 *
 * The turns of both sides move only with what is accepted in the first iteration. Iterations go on
 * until nothing more is granted, so that the matching is maximal: no free input has a frame for a
 * free output with room. A crossbar of frames of different lengths is matched again whenever one
 * has crossed, and not in slots as in the paper.
 *
 * An iteration looks at every output that has frames waiting. Sees port numbers only.
 */
class QbbCrossbarMatcher
{
  public:
    /** An input and an output that go together. */
    struct Pair
    {
        uint16_t input{0};  //!< port number
        uint16_t output{0}; //!< port number
        QbbFramePtr frame;  //!< what crosses, taken out of its queue
    };

    /** \param nPorts ports of the switch; all are free, and have room for everything */
    void Configure(uint32_t nPorts);

    /** \param output port number \param scheduler how it chooses among classes; at first strict */
    void SetScheduler(uint16_t output, const QbbEgressScheduler& scheduler)
    {
        m_outputs[output].scheduler = scheduler;
    }

    /** \param output a port for which a frame has come */
    void AddWaiting(uint16_t output);

    /**
     * \param output port number
     * \param priority class 0..7
     * \param room true if frames of the class may cross to it
     */
    void SetRoom(uint16_t output, uint8_t priority, bool room);

    /**
     * \param output port number
     * \param priorities classes, one bit each
     * \return those of them that have room
     */
    uint8_t GetRoom(uint16_t output, uint8_t priorities) const
    {
        return m_outputs[output].room & priorities;
    }

    /** \param input port number \return true if nothing crosses from it */
    bool IsInputFree(uint16_t input) const
    {
        return !m_inputs[input].busy;
    }

    /** \param output port number \return true if nothing crosses to it */
    bool IsOutputFree(uint16_t output) const
    {
        return !m_outputs[output].busy;
    }

    /** \param input its frame has crossed \param output where it has */
    void Release(uint16_t input, uint16_t output);

    /**
     * Both ports of each pair are busy then, until Release().
     *
     * \param queues the frames that wait
     * \return the new pairs, until the next call
     */
    std::vector<Pair>& Match(QbbVirtualOutputQueues& queues);

  private:
    static constexpr uint16_t NO_OUTPUT = UINT16_MAX;

    /** An input. */
    struct Input
    {
        bool busy{false};          //!< a frame crosses from it
        uint16_t accepted{0};      //!< output that it accepted last
        uint16_t grant{NO_OUTPUT}; //!< best output that has granted in this iteration
        uint8_t rank{0};           //!< for this class: 1 + the class if it is strict, or 0
        uint32_t queue{0};         //!< and this queue
    };

    /** An output. */
    struct Output
    {
        bool busy{false};             //!< a frame crosses to it
        bool listed{false};           //!< in m_waiting
        uint8_t room{0xff};           //!< classes that may cross
        QbbEgressScheduler scheduler; //!< whose turn it is among the classes
    };

    void Grant(const QbbVirtualOutputQueues& queues, uint16_t output);
    uint32_t FindQueue(const QbbVirtualOutputQueues& queues,
                       uint16_t output,
                       uint8_t priority) const;
    void Accept(QbbVirtualOutputQueues& queues, uint16_t input, bool first);

    std::vector<Input> m_inputs;     //!< by port number
    std::vector<Output> m_outputs;   //!< by port number
    std::vector<uint16_t> m_waiting; //!< outputs that may have frames waiting
    std::vector<uint16_t> m_granted; //!< inputs with a grant in this iteration
    std::vector<Pair> m_pairs;       //!< the result
};

} // namespace ns3

#endif /* QBB_CROSSBAR_MATCHER_H */
