/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

#include "qbb-frame.h"
#include "qbb-ring.h"
#include "qbb-time.h"

#include <ns3/channel.h>
#include <ns3/traced-callback.h>

#include <array>
#include <memory>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * A full-duplex cable between two ports.
 *
 * Each direction keeps the frames in flight in a ring and has at most one arrival event in the
 * scheduler. With the attribute SerializeFrames every frame is serialised to bytes and parsed at
 * the other end; all results stay identical to the bit.
 */
class QbbChannel : public Channel
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbChannel();
    ~QbbChannel() override;

    /**
     * Connects a port to the cable. The first two ports become the ends; a third aborts.
     *
     * \param port port to connect
     */
    void Attach(QbbPort* port);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * \param port port at one end
     * \return port at the other end, or null if none is connected
     */
    QbbPort* GetPeer(const QbbPort* port) const;

    /**
     * Puts a frame on the line. Called by the sending port.
     *
     * \param sender the sending port
     * \param frame frame to transmit
     * \param sent instant at which the last bit leaves the sender
     * \param eventTime time of the running event
     */
    void Transmit(const QbbPort* sender, QbbFramePtr&& frame, QbbPs sent, QbbEventTime eventTime);

    /**
     * Takes the link down or up, and notifies both ports. Taking the link down loses the frames in
     * flight.
     *
     * \param up true to take the link up
     */
    void SetUp(bool up);

    /** \return true if the link is up */
    bool IsUp() const
    {
        return m_up;
    }

    /** \return the one-way propagation delay */
    QbbPs GetDelayPs() const
    {
        return m_delay;
    }

    /** \param delay one-way propagation delay: a whole number of picoseconds, at least 1 ps */
    void SetDelay(Time delay);

    /** \return the one-way propagation delay */
    Time GetDelay() const;

    /** \return number of frames lost in flight because the link went down */
    uint64_t GetLostInFlight() const
    {
        return m_lostInFlight;
    }

    /** \return number of frames whose bytes did not parse at the other end (SerializeFrames) */
    uint64_t GetMalformed() const
    {
        return m_malformed;
    }

    /** \return number of frames in flight, in both directions */
    uint64_t GetInFlight() const;

  protected:
    void DoDispose() override;

  private:
    /** A frame in flight. */
    struct InFlight
    {
        QbbPs arrival{0};  //!< arrival of the last bit at the other end
        QbbFramePtr frame; //!< frame in flight
    };

    /** One direction of the cable. */
    struct Line
    {
        QbbRing<InFlight> inFlight;    //!< frames in flight, in order of arrival
        Ptr<EventImpl> event;          //!< reusable arrival event
        QbbPs eventInstant{QBB_NEVER}; //!< arrival that is scheduled; QBB_NEVER: none
        QbbEventTime eventTime;        //!< time of the scheduled event
    };

    class ArrivalEvent;

    void Arrive(std::size_t direction);
    void ArriveInTurn(std::size_t direction);
    void TakeArrival(std::size_t direction);
    void ScheduleArrival(std::size_t direction, QbbEventTime eventTime);
    QbbFramePtr CrossAsBytes(QbbFrame& frame, QbbPort& receiver);

    std::array<QbbPort*, 2> m_ports{}; //!< ports at the two ends; owned by nodes
    std::array<Line, 2> m_lines;       //!< directions; i is from port i to the other port
    std::vector<uint8_t> m_bytes;      //!< scratch buffer of CrossAsBytes()
    QbbPs m_delay{0};                  //!< one-way propagation delay
    bool m_serialize{false};           //!< attribute SerializeFrames
    bool m_up{true};                   //!< true if the link is up
    uint64_t m_lostInFlight{0};        //!< frames lost because the link went down
    uint64_t m_malformed{0};           //!< frames lost because their bytes did not parse
};

} // namespace ns3

#endif /* QBB_CHANNEL_H */
