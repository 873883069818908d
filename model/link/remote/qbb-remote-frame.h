/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_FRAME_H
#define QBB_REMOTE_FRAME_H

#include "qbb-frame.h"
#include "qbb-ps.h"

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Makes the messages of MPI by which a frame crosses to another rank. The fields of the frame are
 * in the messages as they are in memory, because all ranks run one program. RDMA payload, which is
 * virtual, takes no bytes. A packet of ns-3 crosses with its tags.
 *
 * \param frame the frame
 * \param arrival instant at which the last bit arrives at the receiver
 * \return messages that together hold the frame; more than one if the frame exceeds FRAGMENT_BYTES
 */
std::vector<Ptr<Packet>> MakeQbbRemoteMessages(const QbbFrame& frame, QbbPs arrival);

/**
 * \ingroup rdma
 * Frames of one line that arrive in messages of MakeQbbRemoteMessages().
 */
class QbbRemoteFrames
{
  public:
    /** Bytes of a fragment. ns-3's messages have at most 2000 bytes, with its own headers. */
    static constexpr uint32_t FRAGMENT_BYTES = 1600;

    /**
     * Takes the next message. Fragments of one frame may come in any order; those of two frames may
     * not mix.
     *
     * \param message message of MakeQbbRemoteMessages()
     * \param pool pool of the receiver
     * \return the frame and the arrival of its last bit, with the frame's last message
     */
    std::optional<std::pair<QbbFramePtr, QbbPs>> Take(const Packet& message, QbbFramePool& pool);

  private:
    std::vector<uint8_t> m_bytes; //!< bytes of the present frame
    uint32_t m_received{0};       //!< number of the present frame's fragments that have come
};

} // namespace ns3

#endif /* QBB_REMOTE_FRAME_H */
