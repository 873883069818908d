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
 * scheduler. With the attribute SerializeFrames every frame crosses as bytes: it is serialised,
 * parsed again at the other end, and every result stays the same to the bit.
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
     * Connects a port; the first two calls make the cable's ends.
     *
     * \param port the port
     */
    void Attach(QbbPort* port);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * \param port one end
     * \return the other end, or null while there is none
     */
    QbbPort* GetPeer(const QbbPort* port) const;

    /**
     * Puts a frame on the line. Called by the sending port.
     *
     * \param sender the sending port
     * \param frame the frame
     * \param sent the instant at which the last bit has left the sender
     * \param eventTime the present time in femtoseconds
     */
    void Transmit(const QbbPort* sender, QbbFramePtr&& frame, QbbPs sent, QbbEventTime eventTime);

    /**
     * Takes the link down or up. Down: the frames in flight are lost, and both ports are told.
     *
     * \param up true for up
     */
    void SetUp(bool up);

    /** \return true if the link is up */
    bool IsUp() const
    {
        return m_up;
    }

    /** \return the one-way delay */
    QbbPs GetDelayPs() const
    {
        return m_delay;
    }

    /** \param delay the one-way delay: a whole number of picoseconds, at least 1 ps */
    void SetDelay(Time delay);

    /** \return the one-way delay */
    Time GetDelay() const;

    /** \return frames that were lost in flight because the link went down */
    uint64_t GetLostInFlight() const
    {
        return m_lostInFlight;
    }

    /** \return frames that reached the other end as bytes that do not parse (SerializeFrames) */
    uint64_t GetMalformed() const
    {
        return m_malformed;
    }

    /** \return frames on the line at present, both directions */
    uint64_t GetInFlight() const;

  protected:
    void DoDispose() override;

  private:
    /** A frame on the line. */
    struct InFlight
    {
        QbbPs arrival{0};  //!< when its last bit is at the other end
        QbbFramePtr frame; //!< the frame
    };

    /** One direction. */
    struct Line
    {
        QbbRing<InFlight> inFlight;    //!< frames on the line, first to arrive first
        Ptr<EventImpl> event;          //!< the arrival event, used again and again
        QbbPs eventInstant{QBB_NEVER}; //!< arrival for which the event is in the scheduler
        QbbEventTime eventTime;        //!< when that event runs
    };

    class ArrivalEvent;

    void Arrive(std::size_t direction);
    void ArriveInTurn(std::size_t direction);
    void TakeArrival(std::size_t direction);
    void ScheduleArrival(std::size_t direction, QbbEventTime eventTime);
    QbbFramePtr CrossAsBytes(QbbFrame& frame, QbbPort& receiver);

    std::array<QbbPort*, 2> m_ports{}; //!< the ends; nodes own them
    std::array<Line, 2> m_lines;       //!< direction i is from device i to the other
    std::vector<uint8_t> m_bytes;      //!< scratch space of CrossAsBytes()
    QbbPs m_delay{0};                  //!< one-way delay
    bool m_serialize{false};           //!< attribute SerializeFrames
    bool m_up{true};                   //!< link state
    uint64_t m_lostInFlight{0};        //!< lost because the link went down
    uint64_t m_malformed{0};           //!< lost because bytes did not parse
};

} // namespace ns3

#endif /* QBB_CHANNEL_H */
