/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CHANNEL_H
#define QBB_CHANNEL_H

#include "qbb-line-exit.h"
#include "qbb-line.h"
#include "rdma-line-rate.h"
#include "rdma-time.h"

#include <ns3/channel.h>
#include <ns3/node.h>
#include <ns3/object-factory.h>
#include <ns3/ptr.h>

#include <array>
#include <cstdint>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * A full-duplex cable between two ports: "cable" in all texts, and Channel in the name, as in ns-3.
 *
 * Each direction is a QbbLine, which keeps the frames in flight. With the attribute SerializeFrames
 * every frame is serialised to bytes (QbbFrameCodec) and parsed at the other end; all results stay
 * identical to the bit.
 *
 * **When the link goes down** (SetUp(false)), first the frames in flight are lost, in both
 * directions. Each of them counts in GetLostInFlight(), and as a drop with the reason LINK_DOWN at
 * the port that would have received the frame. Then both ports drop their queues and end their
 * pauses; see QbbPort. The cable changes no routes: QbbRouting::SetLinkUp() calls SetUp() and then
 * tells the switches.
 *
 * Frames on their way to another thread or rank are lost as well, so results do not depend on the
 * number of threads or ranks. Threads: call SetUp() before the run, or in an event without a node.
 * Such an event runs while all threads rest, when every frame that a QbbLineExit has taken is on
 * its line. Ranks: call SetUp() on each rank at one instant, because each rank has the cable. A
 * frame that was sent earlier but reaches the receiver's rank later is lost on that rank, which
 * knows the instant of the failure (GetLastDown()).
 */
class QbbChannel : public Channel
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Makes the cable between two nodes: a QbbRemoteChannel if several ranks of MPI share the
     * simulation and the nodes belong to two of them (RdmaRanks), and otherwise what the factory
     * makes.
     *
     * \param factory factory of a QbbChannel, with the attributes of the cable
     * \param a a node
     * \param b another node
     * \return the cable, to which no port is attached
     */
    static Ptr<QbbChannel> Make(const ObjectFactory& factory, const Node& a, const Node& b);

    QbbChannel();
    ~QbbChannel() override;

    /**
     * Connects a port to the cable. The first two ports become the ends; a third port aborts the
     * program.
     *
     * \param port port to connect
     */
    virtual void Attach(QbbPort* port);

    /** \return true if the ends belong to two ranks of MPI (QbbRemoteChannel) */
    virtual bool IsRemote() const
    {
        return false;
    }

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /**
     * \param port port at one end
     * \return port at the other end, or null if none is connected
     */
    QbbPort* GetPeer(const QbbPort* port) const;

    /** \param end number of a port, 0 or 1 \return the direction on which the port sends */
    QbbLine& GetLine(std::size_t end) const
    {
        return *m_lines.at(end);
    }

    /** \param port port at one end \return number of the port, 0 or 1 */
    std::size_t GetEnd(const QbbPort* port) const
    {
        return port == m_ports[0] ? 0 : 1;
    }

    /** \param port port at one end \return the direction on which the port sends */
    QbbLine& GetLineFrom(const QbbPort* port) const
    {
        return *m_lines[GetEnd(port)];
    }

    /** \param port port at one end \return the direction that ends at the port */
    QbbLine& GetLineTo(const QbbPort* port) const
    {
        return *m_lines[port == m_ports[0] ? 1 : 0];
    }

    /**
     * Gives the frames of a port to an exit, instead of the line.
     *
     * \param end number of the port, 0 or 1
     * \param exit exit, which must outlive its use; null: the port puts its frames on the line
     */
    void SetExit(std::size_t end, QbbLineExit* exit);

    /**
     * Takes the link down or up, and tells both ports; the routes stay as they are. Does nothing if
     * the link has that state already.
     *
     * \param up true to take the link up
     */
    void SetUp(bool up);

    /** \return true if the link is up */
    bool IsUp() const
    {
        return m_up;
    }

    /**
     * Changes the rate at which a port sends over the cable, for instance after lanes have failed.
     * Frames that begin from now on take the new rate; frames on the line and in transmission keep
     * theirs. A pause quantum has the bit times of the slower direction from now on. Threads and
     * ranks: as for SetUp().
     *
     * \param port port at one end
     * \param rate rate of the port, above 0 and at most its attribute DataRate
     * \throws std::invalid_argument for another rate
     */
    void SetRateFrom(QbbPort& port, RdmaBitRate rate);

    /** \return rate of the slower direction, which gives a pause quantum its length */
    const RdmaLineRate& GetQuantumRate() const;

    /** \return time at which the link went down most recently; before time 0 if it has not */
    RdmaEventTime GetLastDown() const
    {
        return m_lastDown;
    }

    /** \return the one-way propagation delay */
    RdmaPs GetDelayPs() const
    {
        return m_lines[0]->GetDelay();
    }

    /** \param delay one-way propagation delay: a whole number of picoseconds, at least 1 ps */
    void SetDelay(Time delay);

    /** \return the one-way propagation delay */
    Time GetDelay() const;

    /**
     * \return value of the attribute Delay: the one-way propagation delay.
     *         ns3::DistributedSimulatorImpl takes its lookahead from the attribute of a cable
     *         between two ranks of MPI, which is then shorter than the delay (QbbRemoteChannel).
     */
    virtual Time GetLookAhead() const
    {
        return GetDelay();
    }

    /** \return number of frames lost in flight because the link went down */
    uint64_t GetLostInFlight() const
    {
        return m_lines[0]->GetLostInFlight() + m_lines[1]->GetLostInFlight();
    }

    /** \return number of frames whose bytes did not parse at the other end (SerializeFrames) */
    uint64_t GetMalformed() const
    {
        return m_lines[0]->GetMalformed() + m_lines[1]->GetMalformed();
    }

    /** \return number of frames in flight, in both directions */
    uint64_t GetInFlight() const
    {
        return m_lines[0]->GetInFlight() + m_lines[1]->GetInFlight();
    }

  protected:
    void DoDispose() override;

  private:
    void SetSerialized(bool serialized);

    bool IsSerialized() const
    {
        return m_lines[0]->IsSerialized();
    }

    std::array<QbbPort*, 2> m_ports{};      //!< ports at the two ends; owned by nodes
    std::array<Ptr<QbbLine>, 2> m_lines;    //!< directions; i is from port i to the other port
    std::array<QbbLineExit*, 2> m_exitOf{}; //!< exits of the ports; null: the port has none
    bool m_up{true};                        //!< true if the link is up
    /// Time at which the link went down most recently
    RdmaEventTime m_lastDown{RdmaEventTime::FromFs(-1)};
};

} // namespace ns3

#endif /* QBB_CHANNEL_H */
