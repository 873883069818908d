/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_FEED_H
#define RDMA_INT_FEED_H

#include "rdma-congestion-control.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A path over one switch for tests of congestion control with telemetry.
 */
namespace RdmaTestPath
{

constexpr RdmaBitRate LINE = 100_gbps; //!< rate of all links
constexpr RdmaPs RTT = 10_us;          //!< base round-trip time
constexpr uint64_t BT = 125'000;       //!< LINE x RTT, in bytes

/** \param lineRate rate of the host's link \return the path, for packets of 1000 bytes */
inline RdmaPathProfile
MakeProfile(RdmaBitRate lineRate = LINE)
{
    RdmaPathProfile profile;
    profile.lineRate = lineRate;
    profile.packetBytes = 1000;
    profile.payloadBytes = 900;
    profile.baseRtt = RTT;
    profile.hops = 2;
    return profile;
}

} // namespace RdmaTestPath

/**
 * \ingroup rdma-tests
 * Makes acknowledgements with telemetry for a controller: each one reports the ports' activity
 * since the previous one.
 */
class RdmaIntFeed
{
  public:
    static constexpr uint64_t TX_WRAP = uint64_t{1} << 40;        //!< wrap of RdmaIntHop::txBytes
    static constexpr RdmaPs TIME_WRAP = RdmaPs(int64_t{1} << 48); //!< wrap of RdmaIntHop::time

    /** Activity of a port since the previous acknowledgement. */
    struct Port
    {
        uint64_t txBytes{0};    //!< bytes sent since the previous acknowledgement
        uint64_t queueBytes{0}; //!< bytes in the queue
    };

    /** \param rates rates of the ports \param hop initial counters of every port */
    explicit RdmaIntFeed(const std::vector<RdmaBitRate>& rates, const RdmaIntHop& hop = {})
        : hops(rates.size(), hop)
    {
        for (size_t i = 0; i < rates.size(); ++i)
        {
            hops[i].rate = rates[i];
        }
    }

    /**
     * \param c the controller that gets the acknowledgement
     * \param time time since the previous acknowledgement, at all ports
     * \param ports activity of the ports in that time; a missing port was idle
     */
    void Ack(RdmaRateController& c, RdmaPs time, const std::vector<Port>& ports)
    {
        now += time;
        for (size_t i = 0; i < hops.size(); ++i)
        {
            const Port port = i < ports.size() ? ports[i] : Port();
            hops[i].time = (hops[i].time + time) % TIME_WRAP;
            hops[i].txBytes = (hops[i].txBytes + port.txBytes) % TX_WRAP;
            hops[i].queueBytes = port.queueBytes;
        }
        Send(c, hops);
    }

    /** \param c the controller \param telemetry of the acknowledgement that it gets */
    void Send(RdmaRateController& c, const std::vector<RdmaIntHop>& telemetry)
    {
        RdmaAckSample sample;
        sample.now = now;
        sample.ackedPackets = 1;
        sample.ackedTo = ackedTo;
        sample.sentTo = sentTo;
        sample.hops = telemetry.data();
        sample.hopCount = static_cast<uint32_t>(telemetry.size());
        c.OnAck(sample);
    }

    /** A round trip passes: all packets are acknowledged, and as many are sent. */
    void NextRound()
    {
        ackedTo = sentTo + 1;
        sentTo += 100;
    }

    /** A hop sends bytes for some time, until the next acknowledgement's packet passes it. */
    void Move(std::size_t hop, RdmaPs time, uint64_t bytes)
    {
        hops[hop].time += time;
        hops[hop].txBytes += bytes;
    }

    std::vector<RdmaIntHop> hops; //!< telemetry of the last acknowledgement
    RdmaPs now{0};                //!< time of the last acknowledgement
    uint64_t ackedTo{1};          //!< packets acknowledged
    uint64_t sentTo{100};         //!< packets sent
};

} // namespace ns3

#endif /* RDMA_INT_FEED_H */
