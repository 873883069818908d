/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_LIST_H
#define QBB_FRAME_LIST_H

#include "qbb-frame.h"
#include "rdma-prefetch.h"

#include <cstddef>

namespace ns3
{

/**
 * \ingroup rdma
 * A FIFO queue of frames that are linked to each other.
 *
 * The list needs no memory of its own: a frame has the address of the frame behind it in its first
 * cache line, which the owner of the list reads anyway. A frame is in one list at a time.
 */
class QbbFrameList
{
  public:
    QbbFrameList() = default;

    ~QbbFrameList()
    {
        Clear();
    }

    QbbFrameList(const QbbFrameList&) = delete;
    QbbFrameList& operator=(const QbbFrameList&) = delete;

    /** \return true if the list has no frame */
    bool IsEmpty() const
    {
        return !m_first;
    }

    /** \return the first frame; null: the list is empty */
    const QbbFrame* GetFirst() const
    {
        return m_first;
    }

    /** \param frame frame to append */
    void Push(QbbFramePtr&& frame)
    {
        QbbFrame* const last = frame.release();
        last->m_next = nullptr;
        (m_first ? m_last->m_next : m_first) = last;
        m_last = last;
    }

    /** Removes the first frame; the list must not be empty. \return the frame */
    QbbFramePtr Pop()
    {
        QbbFrame* const frame = m_first;
        m_first = frame->m_next;
        if (m_first && m_first->m_next)
        {
            // The second frame has left the CPU caches since it joined the list. The next call
            // reads it.
            m_first->m_next->Prefetch();
        }
        return QbbFramePtr(frame);
    }

    /** Destroys all frames. */
    void Clear()
    {
        while (!IsEmpty())
        {
            Pop();
        }
    }

    /** \return number of frames; takes time linear in this number */
    std::size_t GetSize() const
    {
        std::size_t size = 0;
        ForEach([&size](const QbbFrame&) { ++size; });
        return size;
    }

    /** Calls a function for each frame, in order. \param visit function of a const QbbFrame& */
    template <typename Visit>
    void ForEach(const Visit& visit) const
    {
        for (const QbbFrame* frame = m_first; frame; frame = frame->m_next)
        {
            visit(*frame);
        }
    }

  private:
    QbbFrame* m_first{nullptr}; //!< first frame; null: the list is empty
    QbbFrame* m_last{nullptr};  //!< last frame, if there is a first one
};

} // namespace ns3

#endif /* QBB_FRAME_LIST_H */
