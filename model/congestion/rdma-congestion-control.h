/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONGESTION_CONTROL_H
#define RDMA_CONGESTION_CONTROL_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"
#include "rdma-int-format.h"

#include <ns3/object.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * What a congestion controller learns from an acknowledgement.
 *
 * Packet numbers are those of the queue pair's packet stream; they grow without end.
 */
struct RdmaAckSample
{
    QbbPs now{0};             //!< the instant
    uint64_t ackedPackets{0}; //!< packets that this one acknowledges for the first time
    uint64_t ackedTo{0};      //!< all packets below this number are acknowledged
    uint64_t sentTo{0};       //!< one more than the highest packet sent
    QbbPs rtt{-1};            //!< round trip of the packet that caused it; negative: not known
    bool ecnEcho{false};      //!< that packet came in marked CE
    const RdmaIntHop* hops{nullptr}; //!< telemetry of its way, first switch first; null: none
    uint32_t hopCount{0};            //!< how many there are, up to 16
    double utilisation{-1}; //!< of its busiest link, in parts of B x T; negative: not known
};

/**
 * \ingroup rdma
 * What a congestion controller is told of the queue pair that it is for. Bytes are those on the
 * line: headers, preamble and gap included.
 */
struct RdmaPathProfile
{
    QbbBitRate lineRate{0};   //!< rate of the port: no controller sends faster
    uint32_t packetBytes{0};  //!< a full packet on the line
    uint32_t payloadBytes{0}; //!< its payload
    QbbPs baseRtt{0};         //!< round trip of a full packet and its acknowledgement in an
                              //!< empty network; 0: not known
    uint32_t hops{0};         //!< links on the way there; 0: not known
    uint64_t seed{0};         //!< of random decisions, different for each queue pair
    uint32_t ackBytes{0};     //!< acknowledgement of a full packet on the line
    QbbPs networkRtt{0};      //!< the longest baseRtt of the network; 0: not known
};

/**
 * \ingroup rdma
 * Quantities of a controller for time series; a negative one means nothing for its algorithm.
 */
struct RdmaCongestionState
{
    double alpha{-1};         //!< estimate of congestion, 0..1
    double targetRateBps{-1}; //!< rate that it is returning to
};

/**
 * \ingroup rdma
 * Congestion control of one queue pair: numbers and times in, a rate and a window out.
 *
 * Sees no packets and no simulator. Hooks that an algorithm has no use for do nothing. Time never
 * runs backwards between calls. Timers that only change the rate need no event: GetRate() is
 * asked before each packet and has the time to catch up.
 */
class RdmaRateController
{
  public:
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max(); //!< no limit
    static constexpr QbbPs NEVER = QBB_NEVER;                                   //!< no instant

    virtual ~RdmaRateController() = default;

    /** \param now the instant \return the rate at which packets may go out on the line
     */
    virtual QbbBitRate GetRate(QbbPs now) = 0;

    /**
     * Asked after GetRate(), at the same instant.
     *
     * \return the next instant at which the rate may rise because time passes; NEVER, the default,
     *         if only what the other hooks tell makes it rise. A packet that waits for its pace
     *         then goes out sooner.
     */
    virtual QbbPs GetNextRise() const
    {
        return NEVER;
    }

    /** \return bytes on the line that may be in flight, or NO_WINDOW; one packet always may */
    virtual uint64_t GetWindowBytes() const
    {
        return NO_WINDOW;
    }

    /** \param bytes a packet of so many bytes on the line goes out \param now the instant */
    virtual void OnSent(uint32_t bytes, QbbPs now)
    {
    }

    /** \param sample an acknowledgement */
    virtual void OnAck(const RdmaAckSample& sample)
    {
    }

    /** The receiver reports a loss (NAK). \param sample what it says beside */
    virtual void OnNak(const RdmaAckSample& sample)
    {
    }

    /** A congestion notification packet came. \param now the instant */
    virtual void OnCnp(QbbPs now)
    {
    }

    /** The retransmission timer ran out. \param now the instant */
    virtual void OnTimeout(QbbPs now)
    {
    }

    /** \return quantities for time series */
    virtual RdmaCongestionState GetState() const
    {
        return {};
    }
};

/**
 * \ingroup rdma
 * A congestion control algorithm with its parameters: makes a controller for each queue pair.
 *
 * A new one is a subclass in a file of its own, with attributes for its parameters; nothing else
 * changes. RdmaNic::CongestionControl takes it.
 */
class RdmaCongestionControl : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Aborts with a message if the attributes contradict each other, or need something of the
     * profile that is not known.
     *
     * \param profile the queue pair
     * \return its controller, at the rate at which a new queue pair begins
     */
    virtual std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const = 0;

    /** \return true if controllers want RdmaAckSample::rtt */
    virtual bool NeedsRtt() const
    {
        return false;
    }

    /** \return the telemetry that packets carry for RdmaAckSample::hops */
    virtual RdmaIntFormat GetIntFormat() const
    {
        return RdmaIntFormat::NONE;
    }

    /** \return true if controllers want OnCnp(), which needs CNPs from the receivers' NICs */
    virtual bool NeedsCnp() const
    {
        return false;
    }

    /** \return true the first time: what a user is warned of once for each algorithm */
    bool IsFirstWarning()
    {
        return !std::exchange(m_warned, true);
    }

    /**
     * \return one of so many packets carries a byte of telemetry for RdmaAckSample::utilisation; 0:
     * none
     */
    virtual uint32_t GetUtilisationPeriod() const
    {
        return 0;
    }

  private:
    bool m_warned{false}; //!< IsFirstWarning() was asked
};

} // namespace ns3

#endif /* RDMA_CONGESTION_CONTROL_H */
