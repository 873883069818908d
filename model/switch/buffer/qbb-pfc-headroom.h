/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PFC_HEADROOM_H
#define QBB_PFC_HEADROOM_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>
#include <tuple>

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
    RdmaBitRate rate{0};     //!< rate at which this port sends
    RdmaBitRate peerRate{0}; //!< rate at which the peer sends; 0: same as rate
    RdmaPs delay{0};         //!< cable delay, one way
    /// Time from the last bit of a pause frame at the peer until the peer begins no new frame.
    RdmaPs reaction{0};
    uint32_t maxFrameBytes{1522}; //!< largest frame that this port sends in any class, with FCS
    /// Largest lossless frame that the peer sends, with FCS; 0: same as maxFrameBytes.
    uint32_t peerMaxFrameBytes{0};
    uint32_t lineOverheadBytes{20}; //!< preamble and gap of a frame on the line: 20, or 0
    uint8_t losslessMask{0};        //!< bit p set: received frames of priority p must not be lost
    /// True: a pause stops all lossless priorities at once (802.3x), so that they share one
    /// headroom.
    bool oneHeadroom{false};
    uint8_t usedMask{0xff}; //!< bit p set: priority p is in use and gets a reserve

    /** \param other another profile \return true if both are equal */
    bool operator==(const QbbPortProfile& other) const
    {
        const auto tie = [](const QbbPortProfile& p) {
            return std::tie(p.rate,
                            p.peerRate,
                            p.delay,
                            p.reaction,
                            p.maxFrameBytes,
                            p.peerMaxFrameBytes,
                            p.lineOverheadBytes,
                            p.losslessMask,
                            p.oneHeadroom,
                            p.usedMask);
        };
        return tie(*this) == tie(other);
    }
};

/**
 * \ingroup rdma
 * Headroom in frame bytes that one lossless (port, priority) needs so that PFC loses no frame.
 *
 * A frame crosses the threshold with its last bit (store and forward), at time 0. In the worst
 * case, the entire frame lies above the threshold. The first term is therefore this frame, at most
 * F = peerMaxFrameBytes. The peer continues to send back to back until the pause takes effect at
 * the peer, which takes at most
 *
 *     T = (M + o) / r     a largest frame M of this port, of any class, had just begun
 *       + (p + 64) / r    the pause frame, 64 B behind a preamble of p = 8 B
 *       + d               the cable
 *       + reaction        of the peer
 *
 * where r is this port's rate in bytes/s, and o = 20 B is the preamble and gap of a frame on the
 * line. All frames that the peer begins before T arrive, including those on the cable at time 0. At
 * the peer's rate r', the line time of these frames, except the last one, fits in
 *
 *     W = (T + d) r' - g  line bytes, rounded up, g = 12 B the gap behind the crossing frame
 *
 * Line bytes are not buffer bytes: a frame of f bytes takes f + o bytes of the line. W fills the
 * most buffer with frames that are as large as possible: q = floor(W / (F + o)) frames of size F,
 * and one frame for the rest (or all of them a little smaller): I = q F + max(0, W mod (F + o) -
 * o). A frame that the peer has begun is sent to its end, which adds at most F bytes. Hence
 *
 *     headroom = F + I + F
 *
 * A peer that mixes frame sizes can reach the bound within a few bytes. For frames of a single
 * size, the bound is at most F above the worst case.
 *
 * Sources: C. Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 2 (MTU,
 * reaction time and propagation delay make the headroom); the SONiC project, "Dynamically Headroom
 * Calculation", which adds the terms port MTU, twice the cable, peer response and lossless MTU, for
 * a chip that counts in cells and admits the crossing frame to shared memory; IEEE 802.3 31B.3.7
 * for the response times of real ports in pause quanta (118 at 40 Gb/s, 394 at 100 Gb/s, 905 at 400
 * Gb/s).
 */
struct QbbPfcHeadroom
{
    RdmaPs wait{0};     //!< wait of the pause frame for a largest frame of its port
    RdmaPs pause{0};    //!< transmission of the pause frame, preamble to FCS
    RdmaPs cable{0};    //!< cable delay, both ways
    RdmaPs reaction{0}; //!< reaction time of the peer
    /// W: line bytes, including preambles and gaps, that the peer can send during the sum of wait,
    /// pause, cable and reaction.
    uint64_t lineBytes{0};
    uint64_t crossingBytes{0}; //!< the frame that crosses the threshold
    uint64_t inFlightBytes{0}; //!< frame bytes in lineBytes
    uint64_t lastBytes{0};  //!< the frame that the peer has just begun when the pause takes effect
    uint64_t totalBytes{0}; //!< crossingBytes + inFlightBytes + lastBytes

    /**
     * \param port the port and its link; the priority masks are ignored
     * \return the headroom of each lossless class of the port and its terms. Throws
     * std::invalid_argument if a rate is not in 1 bit/s .. 8 Tb/s, a time is not in 0 .. 1 s, a
     * largest frame is not in 64 .. 65535 B, or the line overhead is above 64 B
     */
    static QbbPfcHeadroom GetTerms(const QbbPortProfile& port);

    /**
     * \param port the port and its link
     * \return GetTerms(port).totalBytes
     */
    static uint64_t GetBytes(const QbbPortProfile& port)
    {
        return GetTerms(port).totalBytes;
    }
};

} // namespace ns3

#endif /* QBB_PFC_HEADROOM_H */
