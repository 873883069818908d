/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INCAST_FORECAST_H
#define RDMA_INCAST_FORECAST_H

#include "qbb-buffer-manager.h"
#include "qbb-ecn-marker.h"
#include "rdma-bit-rate.h"
#include "rdma-congestion-control.h"
#include "rdma-fabric.h"
#include "rdma-flow-runner.h"
#include "rdma-port-kinds.h"
#include "rdma-ps.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-explain
 * Incasts on paper: what senders do (RdmaSenderProfile), one incast tried on a buffer manager
 * (TryRdmaIncast()), the smallest incasts with an effect (ForecastRdmaIncast()), and the largest
 * incasts of the flows of a run (FindRdmaRunIncasts()).
 */

namespace ns3
{

/**
 * \ingroup rdma-explain
 * A hypothetical incast: senders behind ports of a switch send to one other port of the switch, at
 * line rate, in step, from one instant on.
 */
struct RdmaIncast
{
    std::vector<uint16_t> inputs; //!< ingress ports, one for each sender
    uint16_t output{0};           //!< egress port
    uint8_t priority{3};          //!< class of the frames, 0..7
    RdmaBitRate inputRate{0};     //!< line rate of the ingress ports
    RdmaBitRate outputRate{0};    //!< line rate of the egress port
    uint32_t frameBytes{0};       //!< size of every frame, with FCS
    uint32_t lineBytes{0};        //!< size of every frame with preamble and gap
    uint64_t frames{0};           //!< frames that each sender sends
    /// Frames of each sender, in the order of inputs; empty: `frames` of each
    std::vector<uint64_t> framesOf{};
    /// Rate of each sender as a share of inputRate, above 0 to 1; empty: 1 for each
    std::vector<double> shares{};
    uint64_t framesAfterPause{UINT64_MAX}; //!< frames that still arrive after XOFF
    std::vector<QbbMarkCurve> marks;       //!< marking of the egress queue
    uint64_t signalBytes{UINT64_MAX};      //!< senders that measure delay react to a longer queue
    /// Senders react to marks; false: to a queue above signalBytes
    bool reactToMarks{false};
    /// Time from the departure of the packet with the signal until its sender slows down;
    /// RDMA_NEVER: senders do not slow down
    RdmaPs feedback{RDMA_NEVER};
    RdmaPs inputDelay{0}; //!< time from a sender to the switch
};

/**
 * \ingroup rdma-explain
 * First mark, congestion signal, pause or drop of an RdmaIncast.
 */
struct RdmaIncastEvent
{
    RdmaPs at{0};            //!< time since the first frames arrived
    uint64_t queueBytes{0};  //!< bytes in the egress queue
    uint64_t senderBytes{0}; //!< bytes of the sender's frames that the switch holds
    uint32_t senders{0};     //!< number of senders of the incast
};

/**
 * \ingroup rdma-explain
 * First events that an RdmaIncast causes.
 */
struct RdmaIncastOutcome
{
    std::optional<RdmaIncastEvent> mayMark; //!< the first packet with a chance of a mark
    std::optional<RdmaIncastEvent> mark;    //!< the expected number of marks reaches 1
    std::optional<RdmaIncastEvent> signal;  //!< the queue exceeds RdmaIncast::signalBytes
    std::optional<RdmaIncastEvent> pause;   //!< the first pause
    std::optional<RdmaIncastEvent> drop;    //!< the first drop
    RdmaPs slowedAt{RDMA_NEVER};            //!< congestion control slows the first sender
};

/**
 * \ingroup rdma-explain
 * Passes the frames of an incast to a buffer manager, in the order in which they would arrive and
 * leave, and records the manager's first decisions. The incast ends when its frames have been sent,
 * when the first frames of a slowed sender would arrive, or when nothing new can happen. Until
 * then, senders react to nothing but pauses, and the pauses do not end.
 *
 * A wave of frames, one from each sender, arrives every lineBytes x 8 / inputRate; a sender with a
 * smaller share takes part in that share of the waves. A frame leaves
 * every lineBytes x 8 / outputRate, from the first arrival on. Among simultaneous events, a frame
 * arrives before another one leaves, as in a QbbSwitch.
 *
 * \param buffer an empty and configured buffer manager; frames may remain in it
 * \param incast the incast
 * \return the first events
 */
RdmaIncastOutcome TryRdmaIncast(QbbBufferManager& buffer, const RdmaIncast& incast);

/**
 * \ingroup rdma-explain
 * Bytes that a switch holds for one sender while the egress port sends nothing.
 */
struct RdmaIngressRoom
{
    uint64_t holdsBytes{0}; //!< most bytes without a pause or drop
    bool pauses{false};     //!< the next frame causes a pause; false: a drop
    /// Bytes held when the pause ends; no value without a pause
    std::optional<uint64_t> xonBytes;
};

/**
 * \ingroup rdma-explain
 * Fills an ingress port with frames until a pause or a drop occurs, then lets the frames leave.
 *
 * \param buffer an empty and configured buffer manager; it may keep frames
 * \param input ingress port
 * \param output egress port
 * \param priority class of the frames, 0..7
 * \param frameBytes size of every frame
 * \return what the ingress port holds
 */
RdmaIngressRoom TryRdmaIngress(QbbBufferManager& buffer,
                               uint16_t input,
                               uint16_t output,
                               uint8_t priority,
                               uint32_t frameBytes);

/**
 * \ingroup rdma-explain
 * What the hosts of a fabric send, and what slows them down.
 */
struct RdmaSenderProfile
{
    uint32_t payloadBytes{0}; //!< payload of a full packet
    uint32_t frameBytes{0};   //!< frame size of a full packet
    uint32_t lineBytes{0};    //!< frame size plus preamble and gap
    RdmaBitRate rate{0};      //!< line rate of a host
    RdmaPs rtt{0};            //!< longest round trip of a full packet in the empty fabric
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
    uint64_t GetSendersBehind(RdmaBitRate portRate) const;

    /** \param rate a line rate \return bandwidth-delay product in bytes on the line */
    uint64_t GetBdpBytes(RdmaBitRate rate) const;

    /** \return true if congestion control reacts to marks, false if to delay or if there is none */
    bool ReactsToMarks() const;

    /** \return largest queueing delay that congestion control without marks accepts */
    RdmaPs GetAcceptedDelay() const;
};

/**
 * \ingroup rdma-explain
 * \param fabric a fabric
 * \return its senders, without flowBytes and burstBytes
 */
RdmaSenderProfile DescribeRdmaSenders(const RdmaFabric& fabric);

/**
 * \ingroup rdma-explain
 * Effects of incasts of increasing degree from ports of one kind to a port of another kind.
 */
struct RdmaIncastForecast
{
    RdmaPortPair pair;  //!< the ports
    uint64_t behind{0}; //!< flows that send through each ingress port
    uint64_t frames{0}; //!< frames that come through each ingress port
    /// First events of the smallest incast that causes them; slowedAt has no meaning here
    RdmaIncastOutcome smallest;
    /// Largest number of senders up to which congestion control slows a sender before a pause does
    uint32_t controlFirst{0};
    std::optional<uint32_t> pfcFirst; //!< smallest incast in which a pause slows a sender first
    RdmaPs controlAt{0};              //!< when control slows a sender, in the incast of pause
    RdmaPs pfcAt{0};                  //!< when a pause slows a sender, in the incast of pause
};

/**
 * \ingroup rdma-explain
 * Sets the members of an incast that follow from its senders, its rates and its ports: frame sizes,
 * rate of the egress port, marks, reactions, and frames after a pause.
 *
 * \param [in,out] incast the incast, with its inputRate
 * \param senders the senders
 * \param lossless true if the ingress ports pause the class
 * \param to kind of the egress port
 * \param profile profile of an ingress port
 */
void DescribeRdmaIncast(RdmaIncast& incast,
                        const RdmaSenderProfile& senders,
                        bool lossless,
                        const RdmaPortKind& to,
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

/**
 * \ingroup rdma-explain
 * A moment of a run at which several flows share an egress port of a switch, and what happens if
 * all these flows begin together.
 */
struct RdmaRunIncast
{
    /** An ingress port of the switch. */
    struct Input
    {
        uint16_t port{0};    //!< number of the port
        std::size_t kind{0}; //!< index of the kind of the port
        uint64_t flows{0};   //!< flows that come through the port
        uint64_t frames{0};  //!< frames of these flows
    };

    std::size_t to{0};         //!< index of the kind of the egress port
    uint32_t node{0};          //!< node id of the switch
    uint16_t output{0};        //!< number of the egress port
    std::string port;          //!< name of the egress port
    std::vector<Input> inputs; //!< ingress ports, by number
    RdmaIncastOutcome outcome; //!< first events

    /** \return flows through all ingress ports */
    uint64_t GetNFlows() const;
};

/**
 * \ingroup rdma-explain
 * Finds the largest incasts of the flows of a run. A flow counts at the egress ports of its path,
 * from its start on, for as long as its bytes take at the line rate of its host. Of the ports of a
 * kind, the port has the largest incast at which most frames would wait if they came at the rates
 * of the hosts and of the ingress ports.
 *
 * \param fabric the fabric
 * \param runner the flows
 * \param kinds ports of the fabric
 * \param priority class of the flows, 0..7
 * \param senders the senders
 * \return the largest incast into a port of each kind, by kind, without kinds of which no port gets
 *         more than it can send
 */
std::vector<RdmaRunIncast> FindRdmaRunIncasts(const RdmaFabric& fabric,
                                              const RdmaFlowRunner& runner,
                                              const std::vector<RdmaPortKind>& kinds,
                                              uint8_t priority,
                                              const RdmaSenderProfile& senders);

/**
 * \ingroup rdma-explain
 * \param incasts result of FindRdmaRunIncasts()
 * \param pair kinds of ingress and egress ports
 * \return most flows that come through one ingress port of the pair's kind in the largest incast
 *         into a port of the pair's other kind; 0: none do
 */
uint64_t CountRdmaRunFlows(const std::vector<RdmaRunIncast>& incasts, const RdmaPortPair& pair);

} // namespace ns3

#endif /* RDMA_INCAST_FORECAST_H */
