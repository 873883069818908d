/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_EXIT_H
#define QBB_FRAME_EXIT_H

#include "qbb-frame-border.h"
#include "qbb-line-exit.h"

namespace ns3
{

class QbbLine;

/**
 * \ingroup rdma
 * Exit of a port whose peer's node runs on another thread.
 *
 * Only the sender's thread uses the object. The sender's thread therefore never waits for memory
 * that the peer's thread has written.
 */
class QbbFrameExit final : public QbbLineExit
{
  public:
    /**
     * \param border carries the frames from the sender's thread to the peer's thread
     * \param line the peer's line
     */
    QbbFrameExit(QbbFrameBorder& border, QbbLine& line)
        : m_border(border),
          m_line(line)
    {
    }

    void Send(QbbFrame& frame, QbbPs arrival) override
    {
        m_border.Send(m_line, frame, arrival);
    }

  private:
    QbbFrameBorder& m_border; //!< takes the frames to the peer's thread
    QbbLine& m_line;          //!< the peer's line
};

} // namespace ns3

#endif /* QBB_FRAME_EXIT_H */
