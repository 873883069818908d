/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INCAST_FORECAST_H
#define RDMA_INCAST_FORECAST_H

#include "qbb-ps.h"
#include "rdma-congestion-control.h"
#include "rdma-fabric.h"
#include "rdma-incast-trial.h"
#include "rdma-port-kinds.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * What the hosts of a fabric send, and what slows them down.
 */
struct RdmaSenderProfile
{
    uint32_t payloadBytes{0}; //!< payload of a full packet
    uint32_t frameBytes{0};   //!< frame size of a full packet
    uint32_t lineBytes{0};    //!< frame size plus preamble and gap
    QbbBitRate rate{0};       //!< line rate of a host
    QbbPs rtt{0};             //!< longest round trip of a full packet in the empty fabric
    uint32_t links{0};        //!< links of the longest path
    /// Packets that a sender may have in flight, by its transport.
    uint64_t maxInFlight{std::numeric_limits<uint64_t>::max()};
    uint64_t flowBytes{0};  //!< largest flow of the class; 0: not known
    uint64_t burstBytes{0}; //!< payload that a sender sends at line rate; 0: by GetFrames()
    Ptr<RdmaCongestionControl> control; //!< congestion control, or null

    /**
     * Computes how many packets a sender sends at line rate unless something slows the sender down:
     * the packets of burstBytes; if burstBytes is 0, of a flow; if \p bytes is also 0, of a
     * bandwidth-delay product. The transport limits the latter two numbers.
     *
     * \param bytes size of the flow; 0: not known
     * \return number of packets, 1 or more
     */
    uint64_t GetFrames(uint64_t bytes) const;

    /** \param portRate rate of a port \return number of senders that fill the port, 1 or more */
    uint64_t GetSendersBehind(QbbBitRate portRate) const;

    /** \param rate a line rate \return bandwidth-delay product in bytes on the line */
    uint64_t GetBdpBytes(QbbBitRate rate) const;

    /** \return true if congestion control reacts to marks, false if to delay or if there is none */
    bool ReactsToMarks() const;

    /** \return largest queueing delay that congestion control without marks accepts */
    QbbPs GetAcceptedDelay() const;
};

/**
 * \ingroup rdma-explain
 * \param fabric a fabric
 * \return its senders, without flowBytes and burstBytes
 */
RdmaSenderProfile DescribeRdmaSenders(const RdmaFabric& fabric);

/**
 * \ingroup rdma-explain
 * The smallest incast that causes an event.
 */
struct RdmaIncastDegree
{
    uint32_t senders{0};   //!< number of senders
    RdmaIncastEvent event; //!< event, with its time
};

/**
 * \ingroup rdma-explain
 * Effects of incasts of increasing degree from ports of one kind to a port of another kind.
 */
struct RdmaIncastForecast
{
    RdmaPortPair pair;                       //!< the ports
    uint64_t behind{0};                      //!< flows that send through each ingress port
    uint64_t frames{0};                      //!< frames that come through each ingress port
    std::optional<RdmaIncastDegree> mayMark; //!< smallest incast whose packets may be marked
    std::optional<RdmaIncastDegree> mark;    //!< smallest incast that causes 1 mark on average
    std::optional<RdmaIncastDegree> signal;  //!< smallest incast that exceeds the accepted delay
    std::optional<RdmaIncastDegree> pause;   //!< smallest incast that causes a pause
    std::optional<RdmaIncastDegree> drop;    //!< smallest incast that causes a drop
    /// Largest number of senders up to which congestion control slows a sender before a pause does
    uint32_t controlFirst{0};
    std::optional<uint32_t> pfcFirst; //!< smallest incast in which a pause slows a sender first
    QbbPs controlAt{0};               //!< when control slows a sender, in the incast of pause
    QbbPs pfcAt{0};                   //!< when a pause slows a sender, in the incast of pause
};

/**
 * \ingroup rdma-explain
 * Sets the members of an incast that follow from its senders, its rates and its ports: frame sizes,
 * rate of the egress port, marks, reactions, and frames after a pause.
 *
 * \param [in,out] incast the incast, with its inputRate
 * \param senders the senders
 * \param lossless true if the ingress ports pause the class
 * \param to settings of the egress port
 * \param profile profile of an ingress port
 */
void DescribeRdmaIncast(RdmaIncast& incast,
                        const RdmaSenderProfile& senders,
                        bool lossless,
                        const RdmaPortSettings& to,
                        const QbbPortProfile& profile);

/**
 * \ingroup rdma-explain
 * Tries incasts of 1, 2, 3 and more senders on copies of a switch's buffer manager.
 *
 * \param fabric the fabric
 * \param kinds its ports
 * \param pair kinds of ingress and egress ports
 * \param priority class, 0..7
 * \param senders the senders
 * \param behind number of flows that send through each ingress port
 * \return the smallest incasts that have an effect; nothing if the buffer manager cannot be copied
 */
std::optional<RdmaIncastForecast> ForecastRdmaIncast(const RdmaFabric& fabric,
                                                     const std::vector<RdmaPortKind>& kinds,
                                                     const RdmaPortPair& pair,
                                                     uint8_t priority,
                                                     const RdmaSenderProfile& senders,
                                                     uint64_t behind);

} // namespace ns3

#endif /* RDMA_INCAST_FORECAST_H */
