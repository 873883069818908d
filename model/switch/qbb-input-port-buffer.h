/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INPUT_PORT_BUFFER_H
#define QBB_INPUT_PORT_BUFFER_H

#include "qbb-buffer-manager.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A static buffer for each input port, as input-queued switches have it, and those of the IRN paper
 * (SIGCOMM 2018: 240 KB a port, PFC threshold 220 KB) and of Liu et al.'s OMNeT++ model (credits of
 * 64 bytes, high and low watermarks).
 *
 * What has come in through a port is in that port's PortBufferBytes and nowhere else, wherever it
 * is to leave. A port with n lossless classes has
 *
 *     PortBufferBytes = n x XOFF + LossyReserveBytes   S, the part that all classes fill
 *                     + n x headroom                   for each lossless class
 *
 * where XOFF, the high watermark, is XoffBytes, and headroom what that leaves; or, with XoffBytes
 * 0, headroom is what QbbPfcHeadroom says, and XOFF what that leaves. A port without lossless
 * classes has S = PortBufferBytes.
 *
 * Lossless. A frame goes to S if its class stays at or below XOFF in it, and S has room. If not,
 * its class is paused and the frame goes to the class's headroom; only a class that was told to
 * pause gets there. If the headroom is full, the frame is dropped (HEADROOM_FULL). Headroom of the
 * computed size rules that out for a sender that obeys PFC; an XoffBytes that leaves less is the
 * user's decision. XON comes when the class holds at most the low watermark XonBytes, headroom
 * included, and S has room for what is in headroom, which is moved there, and XOFF - XonBytes more;
 * and in any case when it holds nothing. Whatever leaves the port's buffer can bring it.
 *
 * Lossy. The lossy classes of a port fill S first come, first served. Beside lossless classes they
 * have LossyReserveBytes, which these do not fill, so that congestion notifications and the like
 * get through a port that is full; and they may hold LossyBytes of S together, half of it by
 * default, so that they can pause a lossless class no sooner than at half of what it would have
 * alone. What does not fit is dropped (BUFFER_FULL).
 *
 * With n lossless classes that all have much to send each gets its XOFF, an equal part of S; one
 * alone may not hold more than that either, so that it never takes what another is promised.
 *
 * A frame takes whole cells of CellBytes. All sizes here, also those of GetUsage() and
 * GetEgressBytes(), are cells times their size. The computed headroom is then what the line bytes
 * of QbbPfcHeadroom can fill at worst, which for cells of 64 bytes is 1.5 times as much: frames of
 * 65 bytes take two cells each. Egress queues are counted and not limited.
 */
class QbbInputPortBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param port port number \return bytes in its buffer */
    uint32_t GetPortBytes(uint16_t port) const;

    /**
     * \param profile one of a switch's ports
     * \return the smallest PortBufferBytes that it can be configured with, the other attributes
     *         being as they are now. Ends the program with a message if the profile makes no sense
     */
    uint64_t GetLeastBytes(const QbbPortProfile& profile) const;

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override;
    QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) override;
    XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const override;

    /**
     * \param [in,out] layout gets a pool and eight groups
     * \param profile the port that they are for
     */
    void AddPort(Layout& layout, const QbbPortProfile& profile) const;

    /** \param group a lossy group \return bytes of S that the lossy groups of its port hold */
    uint32_t GetLossyBytes(const Group& group) const;

    uint64_t GetHeadroom(const QbbPortProfile& profile) const;

    uint32_t m_portBufferBytes{240'000}; //!< attribute PortBufferBytes
    uint32_t m_xoffBytes{0};             //!< attribute XoffBytes
    uint32_t m_xonBytes{0};              //!< attribute XonBytes
    uint32_t m_lossyBytes{0};            //!< attribute LossyBytes
    uint32_t m_lossyReserve{4096};       //!< attribute LossyReserveBytes
    uint32_t m_cellBytes{1};             //!< attribute CellBytes
};

} // namespace ns3

#endif /* QBB_INPUT_PORT_BUFFER_H */
