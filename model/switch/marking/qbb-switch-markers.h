/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_MARKERS_H
#define QBB_SWITCH_MARKERS_H

#include "qbb-congestion-detector.h"
#include "qbb-ecn-marker.h"
#include "qbb-int-stamper.h"
#include "qbb-marker.h"
#include "qbb-pint-meter.h"
#include "qbb-prefetch.h"
#include "qbb-queue-length-marker.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

class QbbInputQueueing;

/**
 * \ingroup rdma
 * All markers of a switch: the queue-length marking of a QbbEcnMarker, a congestion detector,
 * HPCC's telemetry, the PINT byte, and a user-defined marker. Shows each packet to the markers that
 * see packets at the current moment (QbbMarker::GetMoments()).
 */
class QbbSwitchMarkers
{
  public:
    QbbSwitchMarkers();
    ~QbbSwitchMarkers();
    QbbSwitchMarkers(const QbbSwitchMarkers&) = delete;
    QbbSwitchMarkers& operator=(const QbbSwitchMarkers&) = delete;

    /**
     * \param curve settings of queue-length marking; null: none. May be called while the switch
     *        runs
     */
    void SetCurve(Ptr<QbbEcnMarker> curve);

    /** \return settings of queue-length marking, or null */
    Ptr<QbbEcnMarker> GetCurve() const
    {
        return m_curve;
    }

    /** \param detector marks packets that leave congested ports, or null */
    void SetDetector(Ptr<QbbCongestionDetector> detector)
    {
        m_detector = detector;
    }

    /** \return the congestion detector, or null */
    Ptr<QbbCongestionDetector> GetDetector() const
    {
        return m_detector;
    }

    /** \param marker a user-defined marker, or null */
    void SetOwn(Ptr<QbbMarker> marker)
    {
        m_own = marker;
    }

    /** \return the user-defined marker, or null */
    Ptr<QbbMarker> GetOwn() const
    {
        return m_own;
    }

    /** \param baseRtt base round-trip time for PINT; 0: the PINT byte is not written */
    void SetPintBaseRttPs(QbbPs baseRtt);

    /** \return base round-trip time for PINT, or 0 */
    QbbPs GetPintBaseRttPs() const
    {
        return m_pint ? m_pint->GetBaseRtt() : 0_ps;
    }

    /**
     * Configures all markers when the switch is set up.
     *
     * \param ports ports of the switch, by port number
     * \param queueing queues of an input-queued switch, which call QbbMarker::FrameChosen(), or
     *        null
     */
    void Configure(const std::vector<QbbPort*>& ports, QbbInputQueueing* queueing);

    /** \param stream first random stream to use \return number of random streams used */
    int64_t AssignStreams(int64_t stream);

    /**
     * \param egress an egress port of the switch
     * \param priority class 0..7
     * \return the curves of the markers that decide by the length of the queue
     */
    std::vector<QbbMarkCurve> DescribeMarks(const QbbPort& egress, uint8_t priority) const;

    /** Releases all markers. */
    void Clear();

    /** Prefetches the members that FrameJoins() and FrameDeparts() read. */
    void Prefetch() const
    {
        QbbPrefetch(&m_joinByLength);
    }

    /** \param egress egress port \param frame an ECN-capable packet that joins the port's queue */
    void FrameJoins(QbbPort& egress, QbbFrame& frame) const
    {
        // Queue-length marking, which most runs use, is called without a virtual call.
        if (m_joinByLength)
        {
            m_joinByLength->Mark(egress, frame);
        }
        if (m_hasOthers)
        {
            for (QbbMarker* marker : m_join)
            {
                marker->FrameJoins(egress, frame);
            }
        }
    }

    /**
     * \param frame a frame that finds its egress port idle
     * \return true if no marker except queue-length marking sees the frame; at an empty queue,
     *         queue-length marking marks no frame
     */
    bool LetsPass(const QbbFrame& frame) const
    {
        return !m_hasOthers && frame.intRoom == 0;
    }

    /** \param frame a departing frame \return true if FrameDeparts() has work with the frame */
    bool HasWorkAtDeparture(const QbbFrame& frame) const
    {
        return (m_hasOthers && !m_depart.empty()) || frame.intRoom > 0;
    }

    /**
     * \param egress egress port
     * \param frame a departing frame
     * \param start instant of its first bit
     */
    void FrameDeparts(QbbPort& egress, QbbFrame& frame, QbbPs start) const
    {
        for (QbbMarker* marker : m_depart)
        {
            marker->FrameDeparts(egress, frame, start);
        }
        if (frame.intRoom > 0)
        {
            m_stamper->FrameDeparts(egress, frame, start);
        }
    }

  private:
    std::vector<QbbMarker*> GetAll() const;
    std::vector<QbbMarker*> GetAll(QbbMarker::Moment moment) const;
    void Sort();

    // Members that every frame needs come first.

    /// m_lengthMarker if it sees packets at QbbMarker::JOINS, or null
    QbbQueueLengthMarker* m_joinByLength{nullptr};
    bool m_hasOthers{false};                  //!< m_join or m_depart has a marker
    std::vector<QbbMarker*> m_join;           //!< other markers that see packets at JOINS
    std::vector<QbbMarker*> m_depart;         //!< markers that see frames at QbbMarker::DEPARTS
    Ptr<QbbEcnMarker> m_curve;                //!< settings of m_lengthMarker, or null
    Ptr<QbbQueueLengthMarker> m_lengthMarker; //!< queue-length marking by m_curve
    Ptr<QbbCongestionDetector> m_detector;    //!< congestion detector, or null
    Ptr<QbbPintMeter> m_pint;                 //!< PINT meter; null: off
    Ptr<QbbMarker> m_own;                     //!< user-defined marker, or null
    Ptr<QbbIntStamper> m_stamper;             //!< writes telemetry
    QbbInputQueueing* m_queueing{nullptr};    //!< input queueing from Configure(), or null
    bool m_configured{false};                 //!< Configure() has run
};

} // namespace ns3

#endif /* QBB_SWITCH_MARKERS_H */
