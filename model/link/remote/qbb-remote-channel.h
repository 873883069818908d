/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_CHANNEL_H
#define QBB_REMOTE_CHANNEL_H

#include "qbb-channel.h"
#include "qbb-line-exit.h"
#include "qbb-remote-frame.h"

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <array>
#include <cstddef>

namespace ns3
{

/**
 * \ingroup rdma
 * A cable between nodes of two ranks of MPI (RdmaRanks). Every rank has the cable; a frame leaves
 * by the cable of its sender's rank and arrives by the cable of its receiver's rank.
 *
 * The frame is sent to the other rank when its transmission begins, as a message of
 * ns3::MpiInterface. The message is due one cable delay later, which is the lookahead of
 * ns3::DistributedSimulatorImpl, and before the last bit of the frame arrives. All results
 * therefore equal those of one rank to the bit.
 *
 * QbbHelper and RdmaFabricHelper make such a cable wherever the system ids of two nodes differ
 * (MakeQbbCable()). A frame that a node of another rank sends aborts the program with a message:
 * scripts post work to, and schedule events for, the nodes of their own rank.
 */
class QbbRemoteChannel : public QbbChannel
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    QbbRemoteChannel();
    ~QbbRemoteChannel() override;

    // Inherited from QbbChannel
    void Attach(QbbPort* port) override;

    bool IsRemote() const override
    {
        return true;
    }

  private:
    /** Exit of a line, for the ports of two ranks. */
    class Exit : public QbbLineExit
    {
      public:
        void Send(QbbLine& line, QbbFrame& frame, QbbPs arrival) override;

        QbbPort* sender{nullptr}; //!< port at the near end of the line
    };

    void Open(std::size_t end);
    void Receive(std::size_t end, Ptr<Packet> message);

    std::array<Exit, 2> m_exits;             //!< exits of the lines, by sending end
    std::array<QbbRemoteFrames, 2> m_frames; //!< frames on their way, by sending end
};

} // namespace ns3

#endif /* QBB_REMOTE_CHANNEL_H */
