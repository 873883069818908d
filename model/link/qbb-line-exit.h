/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_LINE_EXIT_H
#define QBB_LINE_EXIT_H

#include "qbb-frame.h"
#include "qbb-ps.h"

namespace ns3
{

class QbbLine;

/**
 * \ingroup rdma
 * Takes the frames of a line whose receiver belongs to another thread (QbbFrameBorder) or to
 * another rank of MPI (QbbRemoteChannel). The thread or rank of the receiver puts each frame on its
 * own line by QbbLine::TakeOver().
 */
class QbbLineExit
{
  public:
    virtual ~QbbLineExit() = default;

    /**
     * Takes a frame of which the transmission begins.
     *
     * \param line line of the receiver
     * \param frame the frame, which the caller destroys
     * \param arrival instant at which the last bit arrives at the receiver
     */
    virtual void Send(QbbLine& line, QbbFrame& frame, QbbPs arrival) = 0;
};

} // namespace ns3

#endif /* QBB_LINE_EXIT_H */
