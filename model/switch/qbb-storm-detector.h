/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_STORM_DETECTOR_H
#define QBB_STORM_DETECTOR_H

#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The PFC watchdog's decisions for one (port, priority): from samples, taken once in a poll
 * interval, to "storm" and "restored". Sees numbers and times only.
 *
 * As in SONiC's detector scripts (sonic-swss, orchagent/pfc_detect_*.lua and pfc_restore.lua):
 *
 * - A poll interval is stormy if, all through it and at both of its ends, the queue was paused, no
 *   frame left the queue, and frames wait in it at the end.
 * - The queue is in storm when the stormy intervals in a row add up to the detection time. An
 *   interval that is not stormy starts the count again.
 * - It is restored when the intervals in a row without a pause frame add up to the restoration
 *   time; with the action alert, which leaves the queue alone, at the end of the first interval
 *   that is not stormy.
 *
 * An interval counts only if there is a sample at both of its ends. As a queue that is not paused
 * at a sample makes neither the interval before it nor the one after it stormy, nothing is lost by
 * leaving out the samples of a queue that is neither paused nor in storm: that is what
 * QbbPfcWatchdog does. The restoration time counts from the sample that found the storm, as in that
 * script.
 */
class QbbStormDetector
{
  public:
    /** What is asked of a queue at the end of a poll interval. */
    struct Sample
    {
        QbbPs at{0};             //!< when
        QbbPs pausedTime{0};     //!< how long it has been paused since the start
        uint64_t txFrames{0};    //!< frames sent since the start
        uint64_t pauseFrames{0}; //!< pause frames for it since the start, resumptions included
        bool paused{false};      //!< it is paused
        bool waiting{false};     //!< frames wait in it
    };

    /** What a sample changes. */
    enum class Verdict
    {
        NONE,    //!< nothing
        STORM,   //!< the queue is in storm from now on
        RESTORED //!< it is not any more
    };

    /** Settings, all above 0. */
    struct Settings
    {
        QbbPs poll{0};        //!< between two samples
        QbbPs detection{0};   //!< stormy time until it is a storm
        QbbPs restoration{0}; //!< quiet time until it is over
        bool alert{false};    //!< the action is alert
    };

    /**
     * \param settings the watchdog's
     * \param sample the queue's
     * \return what changes
     */
    Verdict Poll(const Settings& settings, const Sample& sample);

    /** \return true between STORM and RESTORED */
    bool IsStormed() const
    {
        return m_stormed;
    }

  private:
    Sample m_last;         //!< the latest sample
    bool m_known{false};   //!< there is one
    bool m_stormed{false}; //!< in storm
    QbbPs m_spent{0};      //!< stormy or quiet intervals in a row
};

} // namespace ns3

#endif /* QBB_STORM_DETECTOR_H */
