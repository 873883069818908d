/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_CHANNEL_H
#define QBB_REMOTE_CHANNEL_H

#include "qbb-channel.h"
#include "qbb-line-exit.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

class QbbRemoteBorder;

/**
 * \ingroup rdma
 * A cable between nodes of two ranks of MPI (RdmaRanks). Every rank has the cable; a frame leaves
 * by the cable of its sender's rank and arrives by the cable of its receiver's rank.
 *
 * Frames cross together with the frames of other cables (QbbRemoteBorder), before the last bit of
 * any of them arrives. All results therefore equal those of one rank to the bit.
 * ns3::DistributedSimulatorImpl takes its lookahead from the attribute Delay, which reads as
 * the delay less the longest time for which frames are collected. GetDelay() returns the delay.
 *
 * QbbHelper and RdmaFabricHelper make such a cable wherever the system ids of two nodes differ
 * (QbbChannel::Make()). The program aborts with a message if a node of another rank sends a frame
 * on this rank. On each rank, a script must post work to, and schedule events for, only the nodes
 * of that rank.
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
    Time GetLookAhead() const override;

    bool IsRemote() const override
    {
        return true;
    }

  private:
    /** Exit of a line, for the ports of two ranks. */
    class Exit : public QbbLineExit
    {
      public:
        void Send(QbbFramePtr&& frame, RdmaPs arrival) override;

        QbbPort* sender{nullptr};         //!< port at the near end of the line
        bool isLocal{false};              //!< this rank runs the sender's node
        QbbRemoteBorder* border{nullptr}; //!< carries the frames; the simulator owns it
        uint32_t cable{0};                //!< number of the cable at the border
        uint32_t end{0};                  //!< number of the near end
        uint32_t receiver{0};             //!< rank of the far end
    };

    void Open(std::size_t end, QbbRemoteBorder& border, uint32_t cable);

    std::array<Exit, 2> m_exits; //!< exits of the lines, by sending end
};

} // namespace ns3

#endif /* QBB_REMOTE_CHANNEL_H */
