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
 * What a buffer manager has to know of a switch port and of the link at it.
 *
 * All of it is worked with once, in QbbBufferManager::Configure().
 */
struct QbbPortProfile
{
    QbbBitRate rate{0};     //!< what this port sends at
    QbbBitRate peerRate{0}; //!< what its peer sends at; 0: the same
    QbbPs delay{0};         //!< cable, one way
    /// From the last bit of a pause frame at the peer until the peer begins no new frame.
    QbbPs reaction{0};
    uint32_t maxFrameBytes{1522}; //!< largest frame of any class that this port sends, with FCS
    /// Largest frame of a lossless class that the peer sends, with FCS; 0: as maxFrameBytes.
    uint32_t peerMaxFrameBytes{0};
    uint32_t lineOverheadBytes{20}; //!< preamble and gap of a frame on the line: 20, or 0
    uint8_t losslessMask{0};        //!< bit p set: what comes in with priority p may not be lost
    /// The pause of one lossless priority stops all of them (802.3x), so that one headroom serves
    /// all.
    bool oneHeadroom{false};
    uint8_t usedMask{0xff}; //!< bit p set: priority p is in use and gets a reserve
};

} // namespace ns3

#endif /* QBB_PORT_PROFILE_H */
