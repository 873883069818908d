/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_BORDER_H
#define QBB_REMOTE_BORDER_H

#include "qbb-ps.h"
#include "qbb-remote-batch.h"
#include "qbb-remote-message.h"

#include <ns3/net-device.h>
#include <ns3/object.h>
#include <ns3/packet.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class QbbLine;
class QbbRemoteChannel;

/**
 * \ingroup rdma
 * Carries the frames of all cables between this rank of MPI and the others (QbbRemoteChannel).
 *
 * A message of ns3::MpiInterface costs more than many frames. The frames for a rank are therefore
 * collected for a while, at most an eighth of the shortest cable delay, and cross together. A frame
 * is added when its transmission begins, and its last bit arrives more than a cable delay later. A
 * message is due seven eighths of the shortest cable delay after it is sent, before any of its
 * frames arrives. This time is also the lookahead of ns3::DistributedSimulatorImpl
 * (QbbChannel::GetLookAhead()).
 *
 * The object belongs to the simulator. All ranks make the same cables in the same order.
 */
class QbbRemoteBorder : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** \return the object of the process's simulator */
    static QbbRemoteBorder& Get();

    /**
     * Adds a cable, before the simulation.
     *
     * \param cable cable with both ends, which lives as long as the simulation runs
     * \return number of the cable, equal on all ranks
     */
    uint32_t AddCable(QbbRemoteChannel* cable);

    /**
     * Sends a frame to the receiver's rank.
     *
     * \param cable number of the cable
     * \param end end of the cable that sends, 0 or 1
     * \param frame the frame
     * \param arrival instant at which the last bit arrives at the receiver
     */
    void Send(uint32_t cable, std::size_t end, const QbbFrame& frame, QbbPs arrival);

    /** \return longest time for which frames are collected; below the delay of every cable */
    QbbPs GetStep() const
    {
        return m_step;
    }

    /** Takes a message of another rank. \param message the message */
    void Receive(Ptr<Packet> message);

  private:
    /** Parts of the shortest delay for which frames are collected. */
    static constexpr int64_t PARTS = 8;

    /** Frames for a rank. */
    struct Batch
    {
        QbbRemoteBatch frames;   //!< the frames
        Ptr<NetDevice> receiver; //!< a device of the rank, to which the messages are addressed
    };

    /** A cable between this rank and another, or between two others. */
    struct Cable
    {
        QbbRemoteChannel* channel{nullptr}; //!< the cable
        std::array<Batch*, 2> batches{};    //!< frames for the receiver's rank, by sending end
    };

    void Flush();

    std::vector<Cable> m_cables;         //!< cables by number
    QbbPs m_delay{0};                    //!< shortest delay of a cable
    QbbPs m_step{0};                     //!< longest time for which frames are collected
    std::map<uint32_t, Batch> m_batches; //!< by rank; references stay valid
    bool m_isDue{false};                 //!< Flush() is scheduled
    QbbRemoteMessages m_messages;        //!< messages that have come
};

} // namespace ns3

#endif /* QBB_REMOTE_BORDER_H */
