/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_PROFILE_H
#define QBB_PORT_PROFILE_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Description of a switch port and its link for a buffer manager.
 *
 * The profile is used only once, in QbbBufferManager::Configure().
 */
struct QbbPortProfile
{
    QbbBitRate rate{0};     //!< rate at which this port sends
    QbbBitRate peerRate{0}; //!< rate at which the peer sends; 0: same as rate
    QbbPs delay{0};         //!< cable delay, one way
    /// Time from the last bit of a pause frame at the peer until the peer begins no new frame.
    QbbPs reaction{0};
    uint32_t maxFrameBytes{1522}; //!< largest frame that this port sends in any class, with FCS
    /// Largest lossless frame that the peer sends, with FCS; 0: same as maxFrameBytes.
    uint32_t peerMaxFrameBytes{0};
    uint32_t lineOverheadBytes{20}; //!< preamble and gap of a frame on the line: 20, or 0
    uint8_t losslessMask{0};        //!< bit p set: received frames of priority p must not be lost
    /// True: a pause stops all lossless priorities at once (802.3x), so that they share one
    /// headroom.
    bool oneHeadroom{false};
    uint8_t usedMask{0xff}; //!< bit p set: priority p is in use and gets a reserve
};

} // namespace ns3

#endif /* QBB_PORT_PROFILE_H */
