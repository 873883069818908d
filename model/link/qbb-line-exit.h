/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_LINE_EXIT_H
#define QBB_LINE_EXIT_H

#include "qbb-frame.h"
#include "rdma-ps.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Takes the frames of a port whose peer belongs to another thread (QbbFrameExit) or to another
 * process (QbbRemoteChannel). The thread or process of the peer puts each frame on its own line by
 * QbbLine::TakeOver().
 *
 * A port with an exit does not touch the line, whose memory is in the caches of the peer's thread.
 */
class QbbLineExit
{
  public:
    virtual ~QbbLineExit() = default;

    /**
     * Takes a frame whose transmission begins.
     *
     * \param frame the frame
     * \param arrival instant at which the last bit arrives at the receiver
     */
    virtual void Send(QbbFramePtr&& frame, RdmaPs arrival) = 0;

    /** \param delay propagation delay of the cable */
    void SetDelay(RdmaPs delay)
    {
        m_delay = delay;
    }

    /** \return the propagation delay of the cable */
    RdmaPs GetDelay() const
    {
        return m_delay;
    }

  private:
    RdmaPs m_delay{0}; //!< propagation delay of the cable
};

} // namespace ns3

#endif /* QBB_LINE_EXIT_H */
