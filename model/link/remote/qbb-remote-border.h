/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_BORDER_H
#define QBB_REMOTE_BORDER_H

#include "qbb-ps.h"
#include "qbb-rank-border.h"
#include "qbb-remote-batch.h"
#include "qbb-remote-courier.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

class QbbRemoteChannel;

/**
 * \ingroup rdma
 * Carries the frames of all cables between this rank of MPI and the others (QbbRemoteChannel).
 *
 * A message of MPI costs more than many frames. The frames for a rank are therefore collected for a
 * short time, and cross together. A frame is added when its transmission begins, and its last bit
 * arrives more than a cable delay later. RdmaSimulatorImpl takes the frames at the end of each
 * window (QbbRankWindows). Another simulator has a QbbRemoteCourier.
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
     * Sends a frame to the receiver's rank.
     *
     * \param cable number of the cable
     * \param end end of the cable that sends, 0 or 1
     * \param frame the frame
     * \param arrival instant at which the last bit arrives at the receiver
     */
    void Send(uint32_t cable, std::size_t end, const QbbFrame& frame, QbbPs arrival);

    /** \return the courier of ns-3's simulator; null on RdmaSimulatorImpl, which needs none */
    QbbRemoteCourier* GetCourier() const
    {
        return m_courier.get();
    }

    // Inherited from QbbRankBorder
    QbbPs GetLookahead() const override;
    QbbPs Take(uint32_t rank, std::string& bytes) override;
    void Receive(std::string_view bytes) override;

  private:
    /** Frames for a rank. */
    struct Batch
    {
        QbbRemoteBatch frames;     //!< the frames
        QbbPs earliest{QBB_NEVER}; //!< earliest arrival
    };

    /** A cable between this rank and another, or between two others. */
    struct Cable
    {
        QbbRemoteChannel* channel{nullptr}; //!< the cable
        std::array<uint32_t, 2> ranks{};    //!< rank of the receiver, by sending end
    };

    std::vector<Cable> m_cables;                 //!< cables by number
    QbbPs m_delay{QBB_NEVER};                    //!< shortest delay of a cable
    std::vector<Batch> m_batches;                //!< frames by rank
    std::unique_ptr<QbbRemoteCourier> m_courier; //!< courier of ns-3's simulator, or null
};

} // namespace ns3

#endif /* QBB_REMOTE_BORDER_H */
