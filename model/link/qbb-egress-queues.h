/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_EGRESS_QUEUES_H
#define QBB_EGRESS_QUEUES_H

#include "qbb-frame.h"
#include "qbb-ring.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * The frames that wait to leave a port: a queue for each class, first in, first out.
 *
 * Frames for this port that wait in the input buffers of an input-queued switch are elsewhere, and
 * are counted here (AddWaiting()), so that a class's length means the same in every switch.
 *
 * Sees frames only; what is full, marked or dropped is for others to say. Classes are 0..7.
 */
class QbbEgressQueues
{
  public:
    /** \param frame goes to the end of the queue of its `priority` */
    void Push(QbbFramePtr&& frame)
    {
        const uint8_t priority = frame->priority;
        AddBytes(priority, frame->size);
        m_classes |= static_cast<uint8_t>(1U << priority);
        m_queues[priority].Push(std::move(frame));
    }

    /** \param priority a class of GetClasses() \return its first frame, taken out */
    QbbFramePtr Pop(uint8_t priority)
    {
        auto& queue = m_queues[priority];
        QbbFramePtr frame = queue.Pop();
        m_bytes[priority] -= frame->size;
        if (queue.IsEmpty())
        {
            m_classes &= static_cast<uint8_t>(~(1U << priority));
        }
        else
        {
            // It has waited long enough to leave the caches, and is wanted a frame time on.
            __builtin_prefetch(queue.Front().get());
        }
        return frame;
    }

    /** \param priority class \return its last frame, taken out; null if there is none */
    QbbFramePtr PopLast(uint8_t priority);

    /** Throws all frames away, uncounted: the port ends. */
    void Clear();

    /**
     * Counts a frame that waits in a switch's input buffer to leave here.
     *
     * \param priority class
     * \param bytes its size
     */
    void AddWaiting(uint8_t priority, uint32_t bytes)
    {
        AddBytes(priority, bytes);
        m_waiting[priority].bytes += bytes;
        ++m_waiting[priority].frames;
    }

    /**
     * A frame of AddWaiting() is taken out of the switch's queue.
     *
     * \param priority class
     * \param bytes its size
     */
    void RemoveWaiting(uint8_t priority, uint32_t bytes)
    {
        m_bytes[priority] -= bytes;
        m_waiting[priority].bytes -= bytes;
        --m_waiting[priority].frames;
    }

    /** \return classes with a frame in their queue, one bit each */
    uint8_t GetClasses() const
    {
        return m_classes;
    }

    /** \param priority class \return bytes that wait to leave, here or in a switch's input buffers
     */
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_bytes[priority];
    }

    /** \param priority class \return frames that wait to leave, here or in input buffers */
    std::size_t GetFrames(uint8_t priority) const
    {
        return GetFramesHere(priority) + m_waiting[priority].frames;
    }

    /** \param priority class \return bytes of GetBytes() that are here */
    uint64_t GetBytesHere(uint8_t priority) const
    {
        return m_bytes[priority] - m_waiting[priority].bytes;
    }

    /** \param priority class \return frames of GetFrames() that are here */
    std::size_t GetFramesHere(uint8_t priority) const
    {
        return m_queues[priority].GetSize();
    }

    /**
     * \param priority class
     * \param place counted from the first that is to leave, below GetFramesHere()
     * \return a frame that waits here
     */
    const QbbFrame& GetFrame(uint8_t priority, std::size_t place) const
    {
        return *m_queues[priority][place];
    }

    /**
     * \param priority class
     * \param ingressPort a port number of the switch
     * \return bytes that came in there and wait here; looks at every frame
     */
    uint64_t GetBytesFrom(uint8_t priority, uint16_t ingressPort) const;

    /** \param priority class \return most of GetBytes() since the last ClearWatermarks() */
    uint64_t GetWatermark(uint8_t priority) const
    {
        return m_watermarks[priority];
    }

    /** \param priority class \return most of GetBytes() ever */
    uint64_t GetPeakBytes(uint8_t priority) const
    {
        return std::max(m_watermarks[priority], m_cleared[priority]);
    }

    /** Sets the watermarks to the present lengths. */
    void ClearWatermarks();

  private:
    /** What waits in a switch's input buffers. */
    struct Waiting
    {
        uint64_t bytes{0};  //!< bytes
        uint32_t frames{0}; //!< frames
    };

    void AddBytes(uint8_t priority, uint32_t bytes)
    {
        m_bytes[priority] += bytes;
        m_watermarks[priority] = std::max(m_watermarks[priority], m_bytes[priority]);
    }

    uint8_t m_classes{0};                         //!< GetClasses()
    std::array<uint64_t, 8> m_bytes{};            //!< GetBytes()
    std::array<QbbRing<QbbFramePtr>, 8> m_queues; //!< a queue for each class
    std::array<uint64_t, 8> m_watermarks{};       //!< GetWatermark()
    std::array<uint64_t, 8> m_cleared{};          //!< the highest watermark that was cleared
    std::array<Waiting, 8> m_waiting{};           //!< frames of AddWaiting()
};

} // namespace ns3

#endif /* QBB_EGRESS_QUEUES_H */
