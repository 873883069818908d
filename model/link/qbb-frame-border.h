/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_BORDER_H
#define QBB_FRAME_BORDER_H

#include "qbb-frame.h"
#include "qbb-line-exit.h"
#include "qbb-node-groups.h"
#include "rdma-note-box.h"
#include "rdma-ps.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class QbbLine;

/**
 * \ingroup rdma
 * Holds the frames that nodes of other groups send to the nodes of one group.
 *
 * A frame goes with all that it has: its packet of ns-3, which nothing else refers to, and its
 * memory (QbbFramePool::SetThreads()).
 */
class QbbFrameBorder final : public RdmaBorder
{
  public:
    /** \param threads number of threads that run the groups */
    explicit QbbFrameBorder(uint32_t threads);

    // Inherited from RdmaBorder
    bool TakeOver(uint32_t turn) override;

    /**
     * Takes a frame whose transmission begins.
     *
     * \param line line of the receiver
     * \param frame the frame
     * \param arrival instant at which the last bit arrives at the receiver
     */
    void Send(QbbLine& line, QbbFramePtr&& frame, RdmaPs arrival);

    /**
     * Takes a note from another node of a host (RdmaHost).
     *
     * \param box box of the receiving node
     * \param source number of the source at the box
     * \param note the note
     * \param arrival instant of the arrival
     */
    void Send(RdmaNoteBox& box, uint32_t source, const RdmaNote& note, RdmaPs arrival);

  private:
    /** A frame that crosses. */
    struct Crossing
    {
        QbbLine* line;     //!< line of the receiver
        RdmaPs arrival;    //!< instant at which the last bit arrives
        QbbFramePtr frame; //!< the frame
    };

    /** A note that crosses. */
    struct Letter
    {
        RdmaNoteBox* box; //!< box of the receiving node
        uint32_t source;  //!< number of the source at the box
        RdmaPs arrival;   //!< instant of the arrival
        RdmaNote note;    //!< the note
    };

    /** Frames that a thread sends in a window. Used entries keep their memory for a later window.
     */
    struct alignas(64) Lane
    {
        std::vector<Crossing> crossings; //!< frames
        std::vector<Letter> letters;     //!< notes
    };

    Lane& GetLane(RdmaPs arrival);

    static bool TakeFrames(Lane& lane);
    static bool TakeLetters(Lane& lane);

    std::vector<Lane> m_lanes; //!< two lanes for each thread, and one for all groups at rest
};

/**
 * \ingroup rdma
 * Exit of a port whose peer's node is in another group.
 *
 * Only the thread that runs the sender's group uses the object. That thread therefore never waits
 * for memory that the thread of the peer's group has written.
 */
class QbbFrameExit final : public QbbLineExit
{
  public:
    /**
     * \param border carries the frames to the peer's group
     * \param line the peer's line
     */
    QbbFrameExit(QbbFrameBorder& border, QbbLine& line)
        : m_border(border),
          m_line(line)
    {
    }

    void Send(QbbFramePtr&& frame, RdmaPs arrival) override
    {
        m_border.Send(m_line, std::move(frame), arrival);
    }

  private:
    QbbFrameBorder& m_border; //!< takes the frames to the peer's group
    QbbLine& m_line;          //!< the peer's line
};

} // namespace ns3

#endif /* QBB_FRAME_BORDER_H */
