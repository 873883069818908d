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
 * A static buffer for each input port, as in input-queued switches. Examples are the IRN paper
 * (SIGCOMM 2018: 240 KB a port, PFC threshold 220 KB) and Liu et al.'s OMNeT++ model (credits of 64
 * bytes, high and low watermarks).
 *
 * A frame is charged to the PortBufferBytes of its ingress port only, whatever its egress port. The
 * buffer of a port with n lossless classes is divided into
 *
 *     PortBufferBytes = n x XOFF + LossyReserveBytes   S, the part that all classes fill
 *                     + n x headroom                   for each lossless class
 *
 * If XoffBytes is set, XOFF (the high watermark) is XoffBytes, and headroom is the remainder. If
 * XoffBytes is 0, headroom is the result of QbbPfcHeadroom, and XOFF is the remainder. A port
 * without lossless classes has S = PortBufferBytes.
 *
 * Lossless classes: a frame goes to S if its class stays at or below XOFF in S, and S has room. If
 * not, the class is paused and the frame goes to the headroom of the class; only a paused class
 * uses headroom. If the headroom is full, the frame is dropped (HEADROOM_FULL). With the computed
 * headroom, a sender that obeys PFC never loses a frame; an XoffBytes that leaves less headroom is
 * the user's decision. XON is sent when the class holds at most the low watermark XonBytes,
 * headroom included, and S has room for the headroom bytes, which move there, plus XOFF - XonBytes.
 * XON is also sent when the class holds nothing. Any frame that leaves the port's buffer can
 * trigger XON.
 *
 * Lossy classes: the lossy classes of a port share S, first come, first served. If the port also
 * has lossless classes, LossyReserveBytes are kept free of lossless frames, so that congestion
 * notifications and similar packets pass a full port. The lossy classes together may hold
 * LossyBytes of S, by default half of S, so that they cannot pause a lossless class before it holds
 * half of its maximum. A lossy frame that does not fit is dropped (BUFFER_FULL).
 *
 * If all n lossless classes are backlogged, each gets its XOFF, an equal part of S. A single class
 * may not hold more than its XOFF either, so that it never takes memory promised to another class.
 *
 * A frame takes whole cells of CellBytes. All sizes here, including those of GetUsage() and
 * GetEgressBytes(), are multiples of the cell size. The computed headroom is then the maximum that
 * the line bytes of QbbPfcHeadroom can fill. For cells of 64 bytes, it is 1.5 times as much as
 * without cells, because a frame of 65 bytes takes two cells. Egress queues are counted but not
 * limited.
 */
class QbbInputPortBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param port port number \return bytes in the port's buffer */
    uint64_t GetPortBytes(uint16_t port) const;

    /**
     * \param profile a port of the switch
     * \return the smallest PortBufferBytes accepted for the port, with the current values of the
     *         other attributes. Throws std::invalid_argument if the profile is invalid
     */
    uint64_t GetLeastBytes(const QbbPortProfile& profile) const;

    std::string GetXoffAttribute() const override
    {
        return "XoffBytes";
    }

    std::string GetSizeAttribute() const override
    {
        return "PortBufferBytes";
    }

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override;
    QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) override;
    XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const override;

    /**
     * \param [in,out] layout gets a pool and eight groups
     * \param profile the port of these groups
     */
    void AddPort(Layout& layout, const QbbPortProfile& profile) const;

    /** \param group a lossy group \return bytes of S that the lossy groups of its port hold */
    uint64_t GetLossyBytes(const Group& group) const;

    uint64_t GetHeadroom(const QbbPortProfile& profile) const;

    uint64_t m_portBufferBytes{240'000}; //!< attribute PortBufferBytes
    uint64_t m_xoffBytes{0};             //!< attribute XoffBytes
    uint64_t m_xonBytes{0};              //!< attribute XonBytes
    uint64_t m_lossyBytes{0};            //!< attribute LossyBytes
    uint64_t m_lossyReserve{4096};       //!< attribute LossyReserveBytes
    uint32_t m_cellBytes{1};             //!< attribute CellBytes
};

} // namespace ns3

#endif /* QBB_INPUT_PORT_BUFFER_H */
