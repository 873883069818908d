/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_MARKERS_H
#define QBB_SWITCH_MARKERS_H

#include "qbb-congestion-detector.h"
#include "qbb-ecn-marker.h"
#include "qbb-int-stamper.h"
#include "qbb-marker.h"
#include "qbb-pint-meter.h"
#include "qbb-queue-length-marker.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

class QbbInputQueueing;

/**
 * \ingroup rdma
 * All that marks a switch's packets, or writes into them: the curve of a QbbEcnMarker, a congestion
 * detector, HPCC's telemetry, PINT's byte, and a marker of the user's own. Shows each packet to
 * those that want to see it at that moment (QbbMarker::GetMoments()).
 */
class QbbSwitchMarkers
{
  public:
    QbbSwitchMarkers();
    ~QbbSwitchMarkers();
    QbbSwitchMarkers(const QbbSwitchMarkers&) = delete;
    QbbSwitchMarkers& operator=(const QbbSwitchMarkers&) = delete;

    /** \param curve marks by queue length; null: none does. May be changed while the switch runs */
    void SetCurve(Ptr<QbbEcnMarker> curve);

    /** \return what marks by queue length, or null */
    Ptr<QbbEcnMarker> GetCurve() const
    {
        return m_curve;
    }

    /** \param detector marks what leaves congested ports, or null */
    void SetDetector(Ptr<QbbCongestionDetector> detector)
    {
        m_detector = detector;
    }

    /** \return what marks what leaves congested ports, or null */
    Ptr<QbbCongestionDetector> GetDetector() const
    {
        return m_detector;
    }

    /** \param marker one of the user's own, or null */
    void SetOwn(Ptr<QbbMarker> marker)
    {
        m_own = marker;
    }

    /** \return the marker of the user's own, or null */
    Ptr<QbbMarker> GetOwn() const
    {
        return m_own;
    }

    /** \param baseRtt base round-trip time for PINT; 0: nothing writes its byte */
    void SetPintBaseRttPs(QbbPs baseRtt);

    /** \return base round-trip time for PINT, or 0 */
    QbbPs GetPintBaseRttPs() const
    {
        return m_pint ? m_pint->GetBaseRtt() : 0_ps;
    }

    /**
     * The switch is set up.
     *
     * \param ports its ports, by port number
     * \param queueing queues of an input-queued switch, which show packets that are chosen; or null
     */
    void Configure(const std::vector<QbbPort*>& ports, QbbInputQueueing* queueing);

    /** \param stream first random stream to use \return streams used */
    int64_t AssignStreams(int64_t stream);

    /** Lets go of all markers. */
    void Clear();

    /** \param egress where it will leave \param frame an ECN-capable packet that joins the queue */
    void FrameJoins(QbbPort& egress, QbbFrame& frame) const
    {
        for (QbbMarker* marker : m_join)
        {
            marker->FrameJoins(egress, frame);
        }
    }

    /** \param egress where \param frame begins to leave \param start when */
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

    Ptr<QbbEcnMarker> m_curve;                //!< SetCurve()
    Ptr<QbbQueueLengthMarker> m_lengthMarker; //!< marks as m_curve says
    Ptr<QbbCongestionDetector> m_detector;    //!< SetDetector()
    Ptr<QbbPintMeter> m_pint;                 //!< null: off
    Ptr<QbbMarker> m_own;                     //!< SetOwn()
    Ptr<QbbIntStamper> m_stamper;             //!< writes telemetry
    std::vector<QbbMarker*> m_join;           //!< see packets at QbbMarker::JOINS
    std::vector<QbbMarker*> m_depart;         //!< see frames at QbbMarker::DEPARTS
    QbbInputQueueing* m_queueing{nullptr};    //!< of Configure()
    bool m_configured{false};                 //!< since Configure()
};

} // namespace ns3

#endif /* QBB_SWITCH_MARKERS_H */
