/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_PIPELINE_H
#define RDMA_SEND_PIPELINE_H

#include "rdma-event-order.h"
#include "rdma-ps.h"
#include "rdma-ring-buffer.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Times that a NIC takes for the send requests of a queue pair, and the depth of its prefetch.
 */
struct RdmaSendTiming
{
    RdmaPs doorbell{0};   //!< from the post of a request until the NIC notices it
    RdmaPs fetch{0};      //!< from the start of a WQE's fetch until the WQE is in the NIC
    RdmaPs gap{0};        //!< shortest time from the end of a message to the start of the next
    uint32_t prefetch{1}; //!< WQEs fetched or held ahead of the message that is being sent

    /** \return true if a request waits for any of the times */
    bool IsSet() const
    {
        return doorbell > RdmaPs(0) || fetch > RdmaPs(0) || gap > RdmaPs(0);
    }
};

/**
 * \ingroup rdma
 * The path of send requests into a NIC: decides when each posted request of a queue pair may start.
 *
 * Requests are numbered from 0 in the order of their posts. With the times and the prefetch depth P
 * of RdmaSendTiming:
 *
 * - The NIC notices request n at post(n) + doorbell. Doorbells of several requests overlap.
 * - The fetch of WQE n starts when the NIC has noticed the request and message n - P - 1 has left
 *   the NIC, which frees a place for the WQE. Up to P + 1 fetches overlap.
 * - Message n may start at the end of its fetch, and at least the gap after message n - 1 has left.
 *
 * A message leaves the NIC at the end of its last packet on the line, preamble and inter-packet gap
 * included. Retransmissions take none of these times: the NIC still holds their WQEs.
 *
 * The class computes times only. A derived class provides the timer and the line rate.
 */
class RdmaSendPipeline
{
  public:
    /**
     * Order of the derived class's timer among the events of one instant. A request that the NIC
     * gets at an instant starts with the requests that are posted at this instant.
     */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<1>();

    /** \param timing times and prefetch depth of the queue pair */
    explicit RdmaSendPipeline(const RdmaSendTiming& timing);

    virtual ~RdmaSendPipeline() = default;

    RdmaSendPipeline(const RdmaSendPipeline&) = delete;
    RdmaSendPipeline& operator=(const RdmaSendPipeline&) = delete;

    /** A request is posted. \param now current time */
    void Post(RdmaPs now);

    /**
     * Decides whether the first request that has not started may start. If not, WakeAt() gets the
     * time at which to ask again, unless an earlier message has to leave first.
     *
     * \param now current time
     * \return true if the request may start; to be called only while a request waits
     */
    bool MayStart(RdmaPs now);

    /** The first request that has not started starts. */
    void Start();

    /**
     * The last packet of a message is sent for the first time.
     *
     * \param bytes bytes of the packet, without preamble and inter-packet gap
     * \param now start of the transmission
     */
    void Leave(uint32_t bytes, RdmaPs now);

    /** Forgets all requests: the queue pair goes to state RESET. */
    virtual void Reset();

  protected:
    /** \param bytes bytes of a packet \return time that the packet occupies the line */
    virtual RdmaPs GetLineTime(uint32_t bytes) const = 0;

    /** \param at time at which the queue pair shall try to start requests */
    virtual void WakeAt(RdmaPs at) = 0;

  private:
    RdmaPs GetReady() const;
    void Wait(RdmaPs now);

    RdmaSendTiming m_timing; //!< times and prefetch depth
    /// An instant for each request that has not started: the end of its fetch, or, before the fetch
    /// begins, the instant at which the NIC noticed the request.
    RdmaRingBuffer<RdmaPs> m_waiting;
    uint64_t m_posted{0};  //!< number of requests posted
    uint64_t m_fetched{0}; //!< number of requests whose fetch has a start time
    uint64_t m_left{0};    //!< number of messages whose last packet has been sent
    RdmaPs m_lastLeft{0};  //!< end of the last packet of the message that left most recently
};

} // namespace ns3

#endif /* RDMA_SEND_PIPELINE_H */
