/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_COURIER_H
#define QBB_REMOTE_COURIER_H

#include "qbb-ps.h"
#include "qbb-remote-message.h"

#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

class QbbRankBorder;

/**
 * \ingroup rdma
 * Carries frames between the ranks of ns3::DistributedSimulatorImpl, as messages of
 * ns3::MpiInterface.
 *
 * The frames for a rank are collected for at most an eighth of the shortest cable delay. Their
 * message is due seven eighths of the shortest cable delay after it is sent, before any of its
 * frames arrives. This time is also the lookahead of the simulator (QbbChannel::GetLookAhead()).
 */
class QbbRemoteCourier
{
  public:
    /** \param border border with the frames for the other ranks; must outlive the object */
    explicit QbbRemoteCourier(QbbRankBorder& border);

    /**
     * \param device a device that receives frames from another rank; added before the simulation
     */
    void AddReceiver(Ptr<NetDevice> device);

    /** Sends the frames of the border, at the next multiple of GetStep(). */
    void Call();

    /** \return longest time for which frames are collected; below the delay of every cable */
    QbbPs GetStep() const;

  private:
    /** Frames are collected for the shortest cable delay divided by this number. */
    static constexpr int64_t PARTS = 8;

    void Send();

    QbbRankBorder& m_border;                      //!< holds the frames for other ranks
    std::map<uint32_t, Ptr<NetDevice>> m_devices; //!< device to which messages go, by rank
    std::string m_bytes;                          //!< bytes for a rank
    bool m_isCalled{false};                       //!< Send() is scheduled
    QbbRemoteMessages m_messages;                 //!< messages received in part
};

} // namespace ns3

#endif /* QBB_REMOTE_COURIER_H */
