/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RECEIVE_BUFFER_H
#define RDMA_RECEIVE_BUFFER_H

#include "qbb-line-rate.h"
#include "qbb-net-device.h"
#include "qbb-ring.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>
#include <ns3/traced-value.h>

namespace ns3
{

/**
 * \ingroup rdma
 * The receive buffer of a slow host: frames that come in at a port wait here until the host takes
 * them, at a rate of its own (PCIe, cache misses), and with stalls. It stands between a
 * QbbNetDevice and the RdmaNic; a port without one hands frames on at once.
 *
 * - One first-in first-out pipeline for all classes. A frame is handed on when DrainRate has taken
 *   all its bytes; its bytes are in the buffer until then.
 * - When a frame brings the buffer above XoffBytes, the port pauses all its lossless classes; when
 *   one leaves with at most XonBytes behind it, it resumes them. Frames of other classes are
 *   dropped above XoffBytes.
 * - A frame that does not fit in Size is dropped, with the reason RECEIVER_FULL. What Size has
 *   above XoffBytes is the headroom: with that of QbbPfcHeadroom, which XoffBytes = 0 chooses, no
 *   lossless frame is ever dropped.
 * - A stall (attributes StallStart, StallDuration, StallPeriod) stops the pipeline, also in the
 *   middle of a frame.
 *
 * Source: the slow-receiver symptom of C. Guo et al., "RDMA over Commodity Ethernet at Scale",
 * SIGCOMM 2016, section 4.4.
 */
class RdmaReceiveBuffer : public Object, public QbbFrameSink
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaReceiveBuffer();
    ~RdmaReceiveBuffer() override;

    /**
     * Goes between a port and the NIC that stands behind it, with the attributes as they are now.
     * Once, when the port has its NIC and its cable; the port keeps the object alive.
     *
     * \param device the port
     */
    void Install(Ptr<QbbNetDevice> device);

    /**
     * \param device a host's port with a cable
     * \return QbbPfcHeadroom of the port, 0 if no class is lossless
     */
    static uint64_t GetHeadroom(const QbbPort& device);

    /** \param rate frames that begin to drain from now on do so at this rate */
    void SetDrainRate(DataRate rate);
    /** \return the rate at which the host takes bytes */
    DataRate GetDrainRate() const;

    /** \return bytes in the buffer */
    uint32_t GetBytes() const
    {
        return m_bytes;
    }

    /** \return most bytes that ever were in the buffer */
    uint32_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /** \return above so many bytes the port pauses its peer */
    uint32_t GetXoffBytes() const
    {
        return m_xoffBytes;
    }

    /** \return down to so many bytes it resumes it */
    uint32_t GetXonBytes() const
    {
        return m_xonBytes;
    }

    /** \return frames handed on to the host */
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /** \return frames dropped for want of room */
    uint64_t GetDrops() const
    {
        return m_drops;
    }

    // QbbFrameSink
    void ReceiveFrame(QbbPort& port, QbbFramePtr frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

  protected:
    void DoDispose() override;

  private:
    void CheckSettings() const;
    void SetThresholds();
    void StartFrame(QbbPs now);
    QbbPs GetEnd(QbbPs from, QbbPs work) const;
    void OnDrained();

    QbbPort* m_device{nullptr};       //!< the port
    QbbFrameSink* m_next{nullptr};    //!< the NIC
    QbbRing<QbbFramePtr> m_queue;     //!< frames, the draining one first
    QbbLineRate m_rate;               //!< of draining
    uint64_t m_fraction{0};           //!< below a picosecond, in 1/rate ps
    QbbPs m_drained{0};               //!< when the latest frame was handed on
    uint8_t m_lossless{0};            //!< classes that are paused
    bool m_paused{false};             //!< they are
    TracedValue<uint32_t> m_bytes{0}; //!< bytes in the buffer
    uint32_t m_peakBytes{0};          //!< most of them
    uint64_t m_frames{0};             //!< frames handed on
    uint64_t m_drops{0};              //!< frames dropped
    uint32_t m_size{0};               //!< attribute Size
    uint32_t m_xoffAttribute{0};      //!< attribute XoffBytes
    uint32_t m_xonAttribute{0};       //!< attribute XonBytes
    uint32_t m_xoffBytes{0};          //!< the threshold in use
    uint32_t m_xonBytes{0};           //!< the threshold in use
    Time m_stallStart;                //!< attribute StallStart
    Time m_stallDuration;             //!< attribute StallDuration
    Time m_stallPeriod;               //!< attribute StallPeriod
    QbbTimer<RdmaReceiveBuffer, &RdmaReceiveBuffer::OnDrained> m_timer; //!< the frame is through
};

} // namespace ns3

#endif /* RDMA_RECEIVE_BUFFER_H */
