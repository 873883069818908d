/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_BORDER_H
#define QBB_REMOTE_BORDER_H

#include "qbb-remote-batch.h"
#include "rdma-ps.h"
#include "rdma-rank-windows.h"
#include "rdma-ranks.h"

#include <ns3/net-device.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

class QbbRemoteChannel;

/**
 * \ingroup rdma
 * Carries the frames of all cables between this rank of MPI and the others (QbbRemoteChannel):
 * turns frames for another rank into bytes, and puts the frames of another rank on their lines.
 *
 * A message of MPI costs more than many frames. The frames for a rank are therefore collected for a
 * short time, and cross together (RdmaRankMail). A frame is added when its transmission begins, and
 * its last bit arrives more than a cable delay later. The simulator decides when the frames cross:
 *
 * - RdmaSimulatorImpl takes them at the end of each window (RdmaRankWindows).
 * - With another simulator, ns3::DistributedSimulatorImpl, the object sends them itself at
 *   multiples of an eighth of the shortest cable delay. A message of ns3::MpiInterface tells the
 *   other rank to receive them. The message is due seven eighths of the shortest cable delay after
 *   it is sent, before any of its frames arrives. This time is also the lookahead of the simulator
 *   (QbbChannel::GetLookAhead()).
 *
 * The object belongs to the simulator. All ranks make the same cables in the same order.
 */
class QbbRemoteBorder : public QbbRankBorder
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
     * Sends a frame to another rank.
     *
     * \param rank rank of the receiver
     * \param crossing where and when the frame crosses
     * \param frame the frame
     */
    void Send(uint32_t rank, const QbbRemoteCrossing& crossing, const QbbFrame& frame);

    /**
     * \return longest time for which the object collects frames, below the delay of every cable; 0
     *         on RdmaSimulatorImpl, which takes the frames
     */
    RdmaPs GetStep() const;

    // Inherited from QbbRankBorder
    RdmaPs GetLookahead() const override;
    RdmaPs Take(uint32_t rank, std::string& bytes) override;
    void Receive(std::string_view bytes) override;
    void HandOver() override;

  private:
    void AddReceiver(Ptr<NetDevice> device);
    void OnMessage(uint32_t sender);
    void ScheduleSending();
    void SendAll();

    std::vector<QbbRemoteChannel*> m_cables; //!< cables by number
    RdmaPs m_delay{RDMA_NEVER};              //!< shortest delay of a cable
    std::vector<QbbRemoteBatch> m_batches;   //!< frames by rank

    // With ns3::DistributedSimulatorImpl
    std::unique_ptr<RdmaRankMail> m_mail;         //!< carries the frames; null on RdmaSimulatorImpl
    std::map<uint32_t, Ptr<NetDevice>> m_devices; //!< device that ns-3's messages go to, by rank
    std::vector<uint32_t> m_early;                //!< mails taken before their messages, by rank
    bool m_isScheduled{false};                    //!< SendAll() is scheduled
    std::string m_bytes;                          //!< bytes for or from a rank
};

} // namespace ns3

#endif /* QBB_REMOTE_BORDER_H */
