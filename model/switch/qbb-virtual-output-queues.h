/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_VIRTUAL_OUTPUT_QUEUES_H
#define QBB_VIRTUAL_OUTPUT_QUEUES_H

#include "qbb-frame.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Virtual output queues: one queue per (input, output, priority) in use, and one round robin per
 * (output, priority) over the inputs that have frames for that output.
 *
 * The round robin goes by input number: the next turn belongs to the first input with a frame after
 * the last served input, cyclically.
 *
 * A queue is created for its first frame and is then found by a hash table. The queues of the
 * inputs that wait for an output form a ring, in order of input number. All queues share one
 * array of frame slots. Nothing is allocated once all slots and queues that a run needs have been
 * in use. A frame costs constant time, except that the first frame of an empty queue searches the
 * ring for its position among the waiting inputs.
 *
 * The class knows frames and port numbers, but no devices.
 */
class QbbVirtualOutputQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;    //!< priorities of a port
    static constexpr uint32_t NONE = UINT32_MAX; //!< null index of a queue or slot

    /** Empties all queues. \param nPorts number of ports of the switch, 1..65535 */
    void Configure(uint32_t nPorts);

    /**
     * \param output egress port of the frame
     * \param frame appended to the queue of its `ingressPort`, its `priority` and \p output
     */
    void Push(uint16_t output, QbbFramePtr&& frame);

    /**
     * \param output port number
     * \return bit mask of the priorities that have frames for the output
     */
    uint8_t GetWaiting(uint16_t output) const
    {
        return m_outputs[output].waiting;
    }

    /**
     * \param output port number
     * \param priority class 0..7
     * \return the queue whose turn it is; NONE if all queues of the (output, priority) are empty
     */
    uint32_t GetTurn(uint16_t output, uint8_t priority) const
    {
        return m_outputs[output].turns[priority].queue;
    }

    /**
     * Searches the queues that wait for an output, in the order of their turns.
     *
     * \param output port number
     * \param priority class 0..7
     * \param isFree predicate on an input number: true if that input may be served
     * \return the first queue whose input may be served; NONE if there is none
     */
    template <typename IsFree>
    uint32_t FindTurn(uint16_t output, uint8_t priority, const IsFree& isFree) const
    {
        const uint32_t first = GetTurn(output, priority);
        uint32_t queue = first;
        while (queue != NONE)
        {
            if (isFree(m_queues[queue].input))
            {
                return queue;
            }
            queue = m_queues[queue].next;
            if (queue == first)
            {
                break;
            }
        }
        return NONE;
    }

    /** \param queue index of a non-empty queue \return its input */
    uint16_t GetInput(uint32_t queue) const
    {
        return m_queues[queue].input;
    }

    /**
     * \param queue index of a non-empty queue
     * \param served true: the turn passes to the next input; false: the frame leaves out of turn,
     *        and the round robin does not advance
     * \return the first frame of the queue
     */
    QbbFramePtr Pop(uint32_t queue, bool served = true);

    /**
     * \param input ingress port
     * \param output egress port
     * \param priority class 0..7
     * \return bytes in the queue
     */
    uint64_t GetBytes(uint16_t input, uint16_t output, uint8_t priority) const;

    /** Calls a function for each waiting frame. \param visit function of a const QbbFrame& and the
     * number of the frame's egress port */
    template <typename Visit>
    void ForEachFrame(const Visit& visit) const
    {
        for (const Queue& queue : m_queues)
        {
            for (uint32_t place = queue.first; place != NONE; place = m_places[place].next)
            {
                visit(*m_places[place].frame, queue.output);
            }
        }
    }

    /** \return number of frames in all queues */
    uint32_t GetNFrames() const
    {
        return m_nFrames;
    }

    /** \return number of queues that have ever held a frame */
    uint32_t GetNQueues() const
    {
        return static_cast<uint32_t>(m_queues.size());
    }

    /** \return number of frame slots, in use or free: the peak number of waiting frames */
    uint32_t GetNPlaces() const
    {
        return static_cast<uint32_t>(m_places.size());
    }

    /** Removes all frames. */
    void Clear();

  private:
    /** A slot for a frame in a queue. */
    struct Place
    {
        QbbFramePtr frame;   //!< frame in the slot
        uint32_t next{NONE}; //!< slot of the next frame in the queue, or the next free slot
    };

    /** The queue of an (input, output, priority). */
    struct Queue
    {
        uint32_t first{NONE};  //!< slot of the first frame; NONE: the queue is empty and in no ring
        uint32_t last{NONE};   //!< slot of the last frame
        uint32_t next{NONE};   //!< queue of the next input in the ring
        uint32_t before{NONE}; //!< queue of the previous input in the ring
        uint64_t bytes{0};     //!< bytes in the queue
        uint16_t input{0};     //!< port number of the input
        uint16_t output{0};    //!< port number of the output
        uint8_t priority{0};   //!< class 0..7
    };

    /** Round robin of an (output, priority). */
    struct Turns
    {
        uint32_t queue{NONE}; //!< queue whose turn it is
        uint16_t served{0};   //!< last served input
    };

    /** State of an output. */
    struct Output
    {
        std::array<Turns, PRIORITIES> turns; //!< round robins, by priority
        uint8_t waiting{0};                  //!< bit mask of the priorities with frames
    };

    static uint64_t MakeKey(uint16_t input, uint16_t output, uint8_t priority)
    {
        return (uint64_t{input} << 19) | (uint64_t{output} << 3) | priority;
    }

    /**
     * \return the hash slot at which the search for a key starts; the table size is a power of two
     */
    std::size_t GetSlot(uint64_t key) const
    {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & (m_slots.size() - 1);
    }

    uint32_t FindQueue(uint16_t input, uint16_t output, uint8_t priority) const;
    uint32_t MakeQueue(uint16_t input, uint16_t output, uint8_t priority);
    void Rehash(std::size_t slots);
    void Insert(uint32_t index);
    uint32_t TakePlace();
    void Join(uint32_t index);
    void Leave(uint32_t index);

    /** \return number of turns between the last served input and \p input, from 0 */
    uint32_t GetDistance(uint16_t input, const Turns& turns) const
    {
        const auto n = static_cast<uint32_t>(m_outputs.size());
        return (input + n - 1 - turns.served) % n;
    }

    std::vector<Output> m_outputs;   //!< outputs, by port number
    std::vector<Queue> m_queues;     //!< all queues that were ever in use
    std::vector<uint32_t> m_slots;   //!< hash table of queue indices; NONE: free
    std::vector<Place> m_places;     //!< slots for frames
    uint32_t m_firstFreePlace{NONE}; //!< head of the list of free slots
    uint32_t m_nFrames{0};           //!< frames in all queues
};

} // namespace ns3

#endif /* QBB_VIRTUAL_OUTPUT_QUEUES_H */
