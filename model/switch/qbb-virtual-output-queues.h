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
 * Virtual output queues: one queue for each (input, output, priority) in use, and for each (output,
 * priority) a round robin over the inputs that have frames for it.
 *
 * The round robin goes by input number: the next turn is the first input with a frame, counted
 * upwards, cyclically, from the one that was served last.
 *
 * Memory follows use: a queue exists once a frame has been in it, found by hash; the inputs that
 * wait for an output are a ring through their queues, in order of their numbers. Frames stand in
 * places that all queues share. Nothing is allocated once all places and queues that a run needs
 * have been in use. A frame costs constant time; the first one of an empty queue looks for its
 * place in the ring, among the inputs that wait for the same output at that moment.
 *
 * Sees frames and port numbers, no devices.
 */
class QbbVirtualOutputQueues
{
  public:
    static constexpr uint32_t PRIORITIES = 8;    //!< priorities of a port
    static constexpr uint32_t NONE = UINT32_MAX; //!< no queue

    /** \param nPorts ports of the switch, 1..65535; all queues are empty then */
    void Configure(uint32_t nPorts);

    /**
     * \param output where it is to go
     * \param frame goes to the end of the queue of its `ingressPort` and `priority`
     */
    void Push(uint16_t output, QbbFramePtr&& frame);

    /**
     * \param output port number
     * \return the priorities that have frames for it, one bit each
     */
    uint8_t GetWaiting(uint16_t output) const
    {
        return m_outputs[output].waiting;
    }

    /**
     * \param output port number
     * \param priority class 0..7
     * \return the queue whose turn it is; NONE if all are empty
     */
    uint32_t GetTurn(uint16_t output, uint8_t priority) const
    {
        return m_outputs[output].turns[priority].queue;
    }

    /**
     * Looks through the queues that wait for an output, in the order of their turns.
     *
     * \param output port number
     * \param priority class 0..7
     * \param isFree told an input's number, says whether it may be served
     * \return the first queue whose input may be; NONE if there is none
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

    /** \param queue one that is not empty \return the input that it belongs to */
    uint16_t GetInput(uint32_t queue) const
    {
        return m_queues[queue].input;
    }

    /**
     * \param queue one that is not empty
     * \param served true: the turn goes on to the input after this one; false: the frame leaves
     *        out of turn, and the round robin stays where it is
     * \return the first frame of that queue
     */
    QbbFramePtr Pop(uint32_t queue, bool served = true);

    /**
     * Looks at every frame of the queue.
     *
     * \param input where they came in
     * \param output where they are to go
     * \param priority class 0..7
     * \return bytes in the queue
     */
    uint64_t GetBytes(uint16_t input, uint16_t output, uint8_t priority) const;

    /** \return frames in all queues */
    uint32_t GetNFrames() const
    {
        return m_nFrames;
    }

    /** \return queues that have ever had a frame */
    uint32_t GetNQueues() const
    {
        return static_cast<uint32_t>(m_queues.size());
    }

    /** \return places for frames, in use or not: the most frames that were here at once */
    uint32_t GetNPlaces() const
    {
        return static_cast<uint32_t>(m_places.size());
    }

    /** Gives all frames back. */
    void Clear();

  private:
    /** A frame in a queue. */
    struct Place
    {
        QbbFramePtr frame;   //!< the frame
        uint32_t next{NONE}; //!< the place behind it, or the next free one
    };

    /** The queue of an (input, output, priority). */
    struct Queue
    {
        uint32_t first{NONE};  //!< place of the first frame; NONE: empty, and in no ring
        uint32_t last{NONE};   //!< place of the last
        uint32_t next{NONE};   //!< the queue of the next input in the ring
        uint32_t before{NONE}; //!< the queue of the input before
        uint16_t input{0};     //!< port number
        uint16_t output{0};    //!< port number
        uint8_t priority{0};   //!< class
    };

    /** Round robin of an (output, priority). */
    struct Turns
    {
        uint32_t queue{NONE}; //!< whose turn it is
        uint16_t served{0};   //!< input that was served last
    };

    /** An output. */
    struct Output
    {
        std::array<Turns, PRIORITIES> turns; //!< by priority
        uint8_t waiting{0};                  //!< priorities with frames
    };

    static uint64_t MakeKey(uint16_t input, uint16_t output, uint8_t priority)
    {
        return (uint64_t{input} << 19) | (uint64_t{output} << 3) | priority;
    }

    /** \return where the search for a key begins in a table of a power of two of slots */
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

    /** \return how many turns after the last one served an input comes, from 0 */
    uint32_t GetDistance(uint16_t input, const Turns& turns) const
    {
        const auto n = static_cast<uint32_t>(m_outputs.size());
        return (input + n - 1 - turns.served) % n;
    }

    std::vector<Output> m_outputs;   //!< by port number
    std::vector<Queue> m_queues;     //!< all that were ever in use
    std::vector<uint32_t> m_slots;   //!< hash table: index of a queue, or NONE
    std::vector<Place> m_places;     //!< of frames
    uint32_t m_firstFreePlace{NONE}; //!< list of free places
    uint32_t m_nFrames{0};           //!< in all queues
};

} // namespace ns3

#endif /* QBB_VIRTUAL_OUTPUT_QUEUES_H */
