/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RECEIVE_BUFFER_H
#define RDMA_RECEIVE_BUFFER_H

#include "qbb-net-device.h"
#include "rdma-line-rate.h"
#include "rdma-ring-buffer.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>
#include <ns3/traced-value.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Receive buffer of a slow host: received frames wait in the buffer until the host drains them, at
 * a limited rate (PCIe, cache misses) and with stalls. The buffer sits between a QbbNetDevice and
 * the RdmaNic; a port without a receive buffer delivers frames at once.
 *
 * - All classes share one first-in first-out pipeline. A frame is delivered when all its bytes have
 *   drained at DrainRate; until then, all its bytes count as buffered.
 * - When a lossless frame brings the buffer above XoffBytes, the port pauses all its lossless
 *   classes. When a frame leaves at most XonBytes in the buffer, the port resumes them. Frames of
 *   lossy classes are dropped above XoffBytes.
 * - A frame that does not fit in Size is dropped with the reason RECEIVER_FULL. Size minus
 *   XoffBytes is the headroom. With the headroom of QbbPfcHeadroom, selected by XoffBytes = 0, no
 *   lossless frame is ever dropped.
 * - A stall (attributes StallStart, StallDuration, StallPeriod) stops the pipeline, even in the
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

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_device ? "before Install()" : nullptr;
    }

    RdmaReceiveBuffer();
    ~RdmaReceiveBuffer() override;

    /**
     * Inserts the buffer between a port and its NIC, with the current attribute values. To be
     * called once, after the port has been connected to its NIC and its cable. The port keeps the
     * buffer alive.
     *
     * \param device the port
     */
    void Install(Ptr<QbbNetDevice> device);

    /**
     * \param device a host's port with a cable
     * \return headroom of the port in bytes by QbbPfcHeadroom; 0 if no class is lossless
     */
    static uint64_t GetHeadroom(const QbbPort& device);

    /** \param rate drain rate of frames that start to drain afterwards */
    void SetDrainRate(DataRate rate);
    /** \return rate at which the host drains the buffer */
    DataRate GetDrainRate() const;

    /** \return bytes in the buffer */
    uint32_t GetBytes() const
    {
        return m_bytes;
    }

    /** \return largest number of bytes ever in the buffer */
    uint32_t GetPeakBytes() const
    {
        return m_peakBytes;
    }

    /** Calls a function for each frame in the buffer. \param visit function of a const QbbFrame& */
    template <typename Visit>
    void ForEachFrame(const Visit& visit) const
    {
        for (std::size_t i = 0; i < m_queue.GetSize(); ++i)
        {
            visit(*m_queue[i]);
        }
    }

    /** \return high watermark in bytes, above which the port pauses its peer */
    uint32_t GetXoffBytes() const
    {
        return m_xoffBytes;
    }

    /** \return number of frames delivered to the host */
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /** \return number of frames dropped for lack of space */
    uint64_t GetDrops() const
    {
        return m_drops;
    }

    // QbbFrameSink
    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  protected:
    void DoDispose() override;

  private:
    void CheckSettings() const;
    void SetThresholds();
    void StartFrame(RdmaPs now);
    RdmaPs GetEnd(RdmaPs from, RdmaPs work) const;
    void OnDrained();

    QbbPort* m_device{nullptr};          //!< port whose frames are buffered
    QbbFrameSink* m_next{nullptr};       //!< NIC to which frames are delivered
    RdmaRingBuffer<QbbFramePtr> m_queue; //!< buffered frames, the draining one first
    RdmaLineRate m_rate;                 //!< drain rate
    uint64_t m_fraction{0};              //!< remainder below one picosecond, in units of 1/rate ps
    RdmaPs m_drained{0};                 //!< time at which the latest frame was delivered
    uint8_t m_lossless{0};               //!< mask of the lossless classes, which XOFF pauses
    bool m_paused{false};                //!< the lossless classes are paused
    TracedValue<uint32_t> m_bytes{0};    //!< bytes in the receive buffer
    uint32_t m_peakBytes{0};             //!< largest number of bytes ever in the buffer
    uint64_t m_frames{0};                //!< frames delivered to the host
    uint64_t m_drops{0};                 //!< frames dropped for lack of space
    uint32_t m_size{0};                  //!< attribute Size
    uint32_t m_xoffAttribute{0};         //!< attribute XoffBytes
    uint32_t m_xonAttribute{0};          //!< attribute XonBytes
    uint32_t m_xoffBytes{0};             //!< high watermark in use, in bytes
    uint32_t m_xonBytes{0};              //!< low watermark in use, in bytes
    Time m_stallStart;                   //!< attribute StallStart
    Time m_stallDuration;                //!< attribute StallDuration
    Time m_stallPeriod;                  //!< attribute StallPeriod
    /// end of draining of the first frame
    RdmaTimer<RdmaReceiveBuffer, &RdmaReceiveBuffer::OnDrained> m_timer;
};

} // namespace ns3

#endif /* RDMA_RECEIVE_BUFFER_H */
