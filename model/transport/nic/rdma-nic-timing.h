/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_TIMING_H
#define RDMA_NIC_TIMING_H

#include "rdma-reply-delays.h"
#include "rdma-send-pipeline.h"

#include <ns3/nstime.h>
#include <ns3/type-id.h>

#include <memory>

namespace ns3
{

class RdmaPacketEngine;

/**
 * \ingroup rdma
 * The part of an RdmaNic that takes time like hardware: doorbells, fetches of work requests, gaps
 * between messages, turnaround of acknowledgements, generation of CNPs.
 *
 * All times are 0 by default: the NIC then acts at the instant of its input, without further
 * events. The times are latencies of pipelines; see RdmaSendPipeline and RdmaReplyDelays. A queue
 * pair keeps the times of requests that the NIC had when the queue pair was created. The times of
 * replies may change at any instant.
 */
class RdmaNicTiming
{
  public:
    virtual ~RdmaNicTiming() = default;

    RdmaNicTiming(const RdmaNicTiming&) = delete;
    RdmaNicTiming& operator=(const RdmaNicTiming&) = delete;

    /**
     * \param engine packet engine of a new queue pair
     * \return the queue pair's pipeline of send requests; null if requests start at once
     */
    std::unique_ptr<RdmaSendPipeline> MakeSendPipeline(RdmaPacketEngine& engine) const;

    /** \return the delays of acknowledgements and CNPs */
    RdmaReplyDelays& GetReplies()
    {
        return m_replies;
    }

  protected:
    RdmaNicTiming() = default;

    /** \param tid the TypeId of the NIC, which gets the attributes \return the TypeId */
    static TypeId AddAttributes(TypeId tid);

  private:
    /** \tparam field a time of RdmaSendTiming \param time the time */
    template <QbbPs RdmaSendTiming::*field>
    void Set(Time time);

    /** \tparam field a time of RdmaSendTiming \return the time */
    template <QbbPs RdmaSendTiming::*field>
    Time Get() const;

    void SetPrefetch(uint32_t requests);
    uint32_t GetPrefetch() const;

    /** \tparam kind kind of replies \param time delay of the replies */
    template <RdmaReplyDelays::Kind kind>
    void SetReply(Time time);

    /** \tparam kind kind of replies \return delay of the replies */
    template <RdmaReplyDelays::Kind kind>
    Time GetReply() const;

    RdmaSendTiming m_sends;    //!< attributes DoorbellDelay, WqeFetchDelay, WqePrefetch, MessageGap
    RdmaReplyDelays m_replies; //!< attributes AckTurnaround, CnpDelay
};

} // namespace ns3

#endif /* RDMA_NIC_TIMING_H */
