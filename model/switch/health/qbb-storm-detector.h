/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_STORM_DETECTOR_H
#define QBB_STORM_DETECTOR_H

#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The PFC watchdog's decisions for one (port, priority). Input: one sample per poll interval;
 * output: "storm" and "restored". The class knows numbers and times only.
 *
 * The rules are those of SONiC's detector scripts (sonic-swss, orchagent/pfc_detect_*.lua and
 * pfc_restore.lua):
 *
 * - A poll interval is stormy if the queue was paused throughout, no frame left the queue, and
 *   frames wait in the queue at the end.
 * - A storm begins when consecutive stormy intervals add up to the detection time. An interval that
 *   is not stormy restarts the count.
 * - A storm ends (the queue is restored) when consecutive intervals without a pause frame add up to
 *   the restoration time. With the action Alert, which leaves the queue alone, a storm ends at the
 *   end of the first interval that is not stormy.
 *
 * An interval counts only if there is a sample at both of its ends. If a queue is not paused at a
 * sample, neither adjacent interval is stormy. Samples of a queue that is neither paused nor in
 * storm can therefore be omitted without a change of the result, and QbbPfcWatchdog omits them. The
 * restoration time counts from the sample that detected the storm, as in SONiC's script.
 */
class QbbStormDetector
{
  public:
    /** State of a queue at the end of a poll interval. */
    struct Sample
    {
        RdmaPs at{0};            //!< instant of the sample
        RdmaPs pausedTime{0};    //!< total time in pause since the start
        uint64_t txFrames{0};    //!< frames sent since the start
        uint64_t pauseFrames{0}; //!< pause frames for the class since the start, including XON
        bool paused{false};      //!< the queue is paused
        bool waiting{false};     //!< frames wait in the queue
    };

    /** Result of a sample. */
    enum class Verdict
    {
        NONE,    //!< no change
        STORM,   //!< a storm begins
        RESTORED //!< the storm ends
    };

    /** Settings of the detector; all times are above 0. */
    struct Settings
    {
        RdmaPs poll{0};        //!< time between two samples
        RdmaPs detection{0};   //!< stormy time that makes a storm
        RdmaPs restoration{0}; //!< quiet time that ends a storm
        bool alert{false};     //!< the watchdog's action is Alert
    };

    /**
     * Processes a sample.
     *
     * \param settings settings of the watchdog
     * \param sample sample of the queue
     * \return whether a storm begins or ends
     */
    Verdict Poll(const Settings& settings, const Sample& sample);

    /** \return true if the queue is in storm: between STORM and RESTORED */
    bool IsStormed() const
    {
        return m_stormed;
    }

  private:
    Sample m_last;         //!< latest sample
    bool m_known{false};   //!< m_last is valid
    bool m_stormed{false}; //!< the queue is in storm
    RdmaPs m_spent{0};     //!< total time of consecutive stormy or quiet intervals
};

} // namespace ns3

#endif /* QBB_STORM_DETECTOR_H */
