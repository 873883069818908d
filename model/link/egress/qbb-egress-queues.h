/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EGRESS_QUEUES_H
#define QBB_EGRESS_QUEUES_H

#include "qbb-frame.h"
#include "rdma-prefetch.h"
#include "rdma-ring-buffer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * Egress queues of a port: a FIFO queue of frames for each class 0..7.
 *
 * An input-queued switch keeps frames for this port in its input buffers. AddWaiting() counts these
 * frames, so that the queue length of a class has one meaning in every switch.
 *
 * An owner that aligns the object to 64 bytes has each queue in one cache line.
 *
 * The queues hold frames only. Admission, marking and drop decisions are made elsewhere.
 */
class QbbEgressQueues
{
  public:
    /** \param frame frame to append to the queue of its `priority` */
    [[gnu::always_inline]] void Push(QbbFramePtr&& frame)
    {
        const uint8_t priority = frame->priority;
        Queue& queue = m_queues[priority];
        queue.AddBytes(frame->size);
        m_classes |= static_cast<uint8_t>(1U << priority);
        queue.frames.Push(std::move(frame));
    }

    /**
     * Counts a frame that joins an empty queue and leaves the queue at once.
     *
     * \param priority class of the frame
     * \param bytes size of the frame
     */
    void CountUnqueued(uint8_t priority, uint32_t bytes)
    {
        Queue& queue = m_queues[priority];
        queue.peak = std::max(queue.peak, queue.bytes + bytes);
    }

    /** Removes the first frame. \param priority class in GetClasses() \return the frame */
    QbbFramePtr Pop(uint8_t priority)
    {
        Queue& queue = m_queues[priority];
        QbbFramePtr frame = queue.frames.Pop();
        queue.bytes -= frame->size;
        if (queue.frames.IsEmpty())
        {
            m_classes &= static_cast<uint8_t>(~(1U << priority));
        }
        else
        {
            // The next frame has left the CPU caches while queued; it is read a frame time later.
            RdmaPrefetch(queue.frames.Front().get());
        }
        return frame;
    }

    /** Fetches the queue of a class into the CPU caches. \param priority class */
    void Prefetch(uint8_t priority) const
    {
        RdmaPrefetch(&m_queues[priority]);
    }

    /** Removes the last frame of a class. \param priority class \return the frame, or null */
    QbbFramePtr PopLast(uint8_t priority);

    /** Discards all frames without counting drops, when the port is disposed. */
    void Clear();

    /**
     * Counts a frame that waits in a switch's input buffer for this port.
     *
     * \param priority class of the frame
     * \param bytes size of the frame
     */
    void AddWaiting(uint8_t priority, uint32_t bytes)
    {
        Queue& queue = m_queues[priority];
        queue.AddBytes(bytes);
        queue.waitingBytes += bytes;
        ++queue.waitingFrames;
    }

    /**
     * Removes a frame from the count of AddWaiting(), when it leaves the switch's input buffer.
     *
     * \param priority class of the frame
     * \param bytes size of the frame
     */
    void RemoveWaiting(uint8_t priority, uint32_t bytes)
    {
        Queue& queue = m_queues[priority];
        queue.bytes -= bytes;
        queue.waitingBytes -= bytes;
        --queue.waitingFrames;
    }

    /** \return classes with a frame in their queue here: bit p for class p */
    uint8_t GetClasses() const
    {
        return m_classes;
    }

    /** \param priority class \return bytes that wait for this port, here or in input buffers */
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_queues[priority].bytes;
    }

    /** \param priority class \return frames that wait for this port, here or in input buffers */
    std::size_t GetFrames(uint8_t priority) const
    {
        return GetFramesHere(priority) + m_queues[priority].waitingFrames;
    }

    /** \param priority class \return bytes in the egress queue, without input buffers */
    uint64_t GetBytesHere(uint8_t priority) const
    {
        return m_queues[priority].bytes - m_queues[priority].waitingBytes;
    }

    /** \param priority class \return frames in the egress queue, without input buffers */
    std::size_t GetFramesHere(uint8_t priority) const
    {
        return m_queues[priority].frames.GetSize();
    }

    /**
     * \param priority class
     * \param place index from the head of the queue, below GetFramesHere()
     * \return the frame at \p place in the egress queue
     */
    const QbbFrame& GetFrame(uint8_t priority, std::size_t place) const
    {
        return *m_queues[priority].frames[place];
    }

    /**
     * Takes time linear in the number of frames in the queue.
     *
     * \param priority class
     * \param ingressPort a port number of the switch
     * \return bytes in the egress queue that entered the switch through \p ingressPort
     */
    uint64_t GetBytesFrom(uint8_t priority, uint16_t ingressPort) const;

    /** \param priority class \return maximum of GetBytes() since the start */
    uint64_t GetPeakBytes(uint8_t priority) const
    {
        return std::max(m_queues[priority].peak, m_queues[priority].earlier);
    }

    /**
     * Takes the latest peaks, for the one owner that passes them to RdmaPeakReaders.
     *
     * \return by class, maximum of GetBytes() since the previous call
     */
    std::array<uint64_t, 8> TakePeaks();

  private:
    /** The queue of a class, in one cache line. */
    struct Queue
    {
        RdmaRingBuffer<QbbFramePtr> frames; //!< frames in the egress queue
        uint64_t bytes{0};                  //!< value of GetBytes()
        uint64_t peak{0};                   //!< maximum of bytes since TakePeaks()
        uint64_t earlier{0};                //!< maximum of bytes before
        uint64_t waitingBytes{0};           //!< bytes counted by AddWaiting()
        uint32_t waitingFrames{0};          //!< frames counted by AddWaiting()

        void AddBytes(uint32_t more)
        {
            bytes += more;
            peak = std::max(peak, bytes);
        }
    };

    static_assert(sizeof(Queue) <= 64, "the queue of a class is one cache line");

    std::array<Queue, 8> m_queues; //!< egress queues, by class
    uint8_t m_classes{0};          //!< classes with a frame in their queue, one bit each
};

} // namespace ns3

#endif /* QBB_EGRESS_QUEUES_H */
