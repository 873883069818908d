/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONGESTION_CONTROL_H
#define RDMA_CONGESTION_CONTROL_H

#include "rdma-bit-rate.h"
#include "rdma-fixed-type-id.h"
#include "rdma-int-format.h"
#include "rdma-ps.h"

#include <ns3/object.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * Input of a congestion controller from an acknowledgement or a NAK.
 *
 * Packet numbers count the queue pair's packet stream and never wrap.
 */
struct RdmaAckSample
{
    RdmaPs now{0};            //!< time of arrival
    uint64_t ackedPackets{0}; //!< packets that are newly acknowledged
    uint64_t ackedTo{0};      //!< all packets below this number are acknowledged
    uint64_t sentTo{0};       //!< highest packet number sent so far, plus one
    /// Round-trip time of the packet that caused the acknowledgement; negative: not known
    RdmaPs rtt{-1};
    bool ecnEcho{false}; //!< the packet that caused the acknowledgement arrived marked CE
    /// Telemetry of the acknowledged packet's path, first switch first; null: none
    const RdmaIntHop* hops{nullptr};
    uint32_t hopCount{0}; //!< number of telemetry records, up to 16
    /// U of the path's busiest link, in multiples of B x T; negative: not known
    double utilisation{-1};
};

/**
 * \ingroup rdma
 * Properties of a queue pair and its path, given to its congestion controller. Except payloadBytes,
 * bytes are counted on the line, including headers, preamble and inter-packet gap.
 */
struct RdmaPathProfile
{
    RdmaBitRate lineRate{0};  //!< rate of the port, the upper limit of all controllers
    uint32_t packetBytes{0};  //!< bytes of a full packet on the line
    uint32_t payloadBytes{0}; //!< payload bytes of a full packet
    /// Round-trip time of a full packet and its acknowledgement in an empty network; 0: not known
    RdmaPs baseRtt{0};
    uint32_t hops{0};     //!< links from sender to receiver; 0: not known
    uint64_t seed{0};     //!< seed of random decisions, different for each queue pair
    uint32_t ackBytes{0}; //!< bytes on the line of the acknowledgement of a full packet
    RdmaPs networkRtt{0}; //!< largest baseRtt in the network; 0: not known
    /// Format of the telemetry of the queue pair's packets. From a path oracle: PAPER if that
    /// format can describe all ports of the network, EXACT if it cannot, NONE if the oracle does
    /// not know
    RdmaIntFormat intFormat{RdmaIntFormat::NONE};
    /// Packets of the queue pair take several paths and may overtake each other
    bool spread{false};
};

/**
 * \ingroup rdma
 * Quantities of a controller for time series. A negative quantity does not exist in the algorithm.
 */
struct RdmaCongestionState
{
    double alpha{-1};         //!< congestion estimate, 0..1
    double targetRateBps{-1}; //!< rate that the controller recovers to, in bit/s
};

/**
 * \ingroup rdma
 * Congestion control of one queue pair: numbers and times in, a rate and a window out.
 *
 * A controller sees neither packets nor the simulator. A hook that an algorithm does not override
 * does nothing. Time never runs backwards between calls. A timer that only changes the rate needs
 * no event: GetRate() is called before each packet and can catch up with elapsed timers.
 */
class RdmaRateController
{
  public:
    /// Window without limit
    static constexpr uint64_t NO_WINDOW = std::numeric_limits<uint64_t>::max();
    static constexpr RdmaPs NEVER = RDMA_NEVER; //!< time that never comes

    virtual ~RdmaRateController() = default;

    /** \param now current time \return rate at which packets may be sent on the line, in bit/s */
    virtual RdmaBitRate GetRate(RdmaPs now) = 0;

    /**
     * Tells when the rate may rise next because time passes, so that a paced packet can leave
     * earlier. Called after GetRate(), at the same instant.
     *
     * \return the instant; NEVER, the default, if only other hooks make the rate rise
     */
    virtual RdmaPs GetNextRise() const
    {
        return NEVER;
    }

    /**
     * \return limit of bytes in flight, counted on the line, or NO_WINDOW; one packet is always
     *         allowed
     */
    virtual uint64_t GetWindowBytes() const
    {
        return NO_WINDOW;
    }

    /**
     * \return false if GetWindowBytes() always returns NO_WINDOW, so that it need not be called for
     *         each packet
     */
    virtual bool HasWindow() const
    {
        return true;
    }

    /**
     * A packet is sent.
     *
     * \param bytes of the packet on the line
     * \param now current time
     */
    virtual void OnSent(uint32_t bytes, RdmaPs now)
    {
    }

    /**
     * \return false if OnAck() and OnNak() do nothing, so that their samples need not be prepared
     */
    virtual bool UsesAcks() const
    {
        return true;
    }

    /** An acknowledgement arrives. \param sample contents of the acknowledgement */
    virtual void OnAck(const RdmaAckSample& sample)
    {
    }

    /** A NAK arrives: the receiver reports a loss. \param sample contents of the NAK */
    virtual void OnNak(const RdmaAckSample& sample)
    {
    }

    /** A congestion notification packet arrives. \param now current time */
    virtual void OnCnp(RdmaPs now)
    {
    }

    /** The retransmission timer expires. \param now current time */
    virtual void OnTimeout(RdmaPs now)
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
 * ECN marking that a congestion control, or an entropy of NICs, is designed for.
 */
enum class RdmaMarking : uint8_t
{
    NONE,  //!< marks are not used
    CURVE, //!< marking probability grows with the queue, as in RED
    STEP,  //!< a packet is marked if more bytes are queued than a round trip carries
    /// By the queue that a packet leaves behind: no packet is marked below a fifth of the bytes
    /// that the longest round trip carries, all are above four fifths, and the probability grows
    /// linearly between
    RAMP
};

/**
 * \ingroup rdma
 * A congestion control algorithm with its parameters. It creates a controller for each queue pair.
 *
 * A new algorithm is a header and a source file in a folder below model/congestion, or a source
 * file alone if no other file names its classes. No existing source changes: CMake finds new files
 * when it next runs, which the next build starts by itself. RdmaNic::CongestionControl accepts the
 * type, and --cc=NAME knows the algorithm by its TypeId or by the short name that the source
 * registers (RdmaPartName). The files have
 *
 * 1. a subclass of RdmaRateController with GetRate() and those hooks that the algorithm needs, such
 *    as OnAck() or OnCnp();
 * 2. a subclass of this class with GetTypeId(), whose attributes are the parameters, and
 *    MakeController();
 * 3. overrides of those functions here that state what the algorithm requires of NICs and switches,
 *    such as NeedsCnp(), NeedsRtt(), GetMarking() or GetIntFormat(). All have defaults.
 *
 * windows/rdma-dctcp.h and windows/rdma-dctcp.cc are such a pair; examples/own/rdma-own-control.cc
 * is a source file alone, in a program outside the module.
 *
 * A queue pair keeps the parameters that it was connected with. If the TypeId of an algorithm is
 * made by RdmaFixedTypeId, the first queue pair fixes the attributes; a later change ends the
 * program with a message. Other parameters for later queue pairs come from another object.
 */
class RdmaCongestionControl : public Object, public RdmaFixedByUse
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Creates a controller. Throws std::invalid_argument if the attributes contradict each other,
     * or need a value that the profile does not have.
     *
     * \param profile the queue pair's path profile
     * \return its controller, in the state of a new queue pair
     */
    virtual std::unique_ptr<RdmaRateController> MakeController(
        const RdmaPathProfile& profile) const = 0;

    /** \return true if controllers use RdmaAckSample::rtt */
    virtual bool NeedsRtt() const
    {
        return false;
    }

    /**
     * \return false if MakeController() needs nothing that depends on the path of the queue pair:
     *         no round-trip time, number of links, telemetry format or RdmaPathProfile::spread. The
     *         profile then need not have these. The default is true
     */
    virtual bool NeedsPath() const
    {
        return true;
    }

    /**
     * Where packets of a queue pair take several paths (RdmaPathProfile::spread), round trips
     * differ by the queues of the paths. RdmaAckSample::rtt is then the mean of round trips so far,
     * in which a new one has this weight.
     *
     * \return the weight, above 0 to 1; 1, the default: each round trip as it is
     */
    virtual double GetSpreadRttGain() const
    {
        return 1;
    }

    /**
     * \return true if controllers compare the telemetry of successive packets, which says nothing
     *         where packets of a queue pair take several paths. A run with such paths begins with a
     *         note. The default is false
     */
    virtual bool NeedsOnePath() const
    {
        return false;
    }

    /**
     * \return format of the telemetry in RdmaAckSample::hops; NONE: packets carry no telemetry;
     *         AUTO: RdmaPathProfile::intFormat tells the format
     */
    virtual RdmaIntFormat GetIntFormat() const
    {
        return RdmaIntFormat::NONE;
    }

    /** \return true if controllers use OnCnp(), which requires CNPs from the receivers' NICs */
    virtual bool NeedsCnp() const
    {
        return false;
    }

    /** \return the ECN marking that controllers expect of switches */
    virtual RdmaMarking GetMarking() const
    {
        return RdmaMarking::NONE;
    }

    /**
     * States how much queueing delay controllers without marks accept, for reports.
     *
     * \param profile a queue pair's path profile, with base round trip and number of links
     * \return largest queueing delay at which controllers do not slow down; 0, the default: they
     *         react to any queue
     */
    virtual RdmaPs GetAcceptedDelay(const RdmaPathProfile& profile) const
    {
        return RdmaPs(0);
    }

    /** \return true if controllers need an acknowledgement of each packet */
    virtual bool NeedsEachAck() const
    {
        return false;
    }

    /**
     * \return the time between CNPs that the algorithm is designed for: the default of
     *         RdmaNic::CnpInterval with this algorithm. No value: RdmaNic's own default applies
     */
    virtual std::optional<RdmaPs> GetCnpInterval() const
    {
        return std::nullopt;
    }

    /** \return true on the first call only, for a warning that need not be considered again */
    bool IsFirstWarning() const
    {
        return !m_warned.exchange(true);
    }

    /**
     * \return period N: one of N packets carries a byte of telemetry for
     *         RdmaAckSample::utilisation; 0: no packet does
     */
    virtual uint32_t GetUtilisationPeriod() const
    {
        return 0;
    }

  private:
    mutable std::atomic<bool> m_warned{false}; //!< IsFirstWarning() has been called
};

} // namespace ns3

#endif /* RDMA_CONGESTION_CONTROL_H */
