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
 * If one thread runs all groups, the frames themselves cross. If several threads run the groups, a
 * copy of the frame crosses: the sender's frame returns to the sender's pool, and the receiving
 * port allocates a frame from the receiver's pool. A packet of ns-3 goes with its frame: nothing
 * else refers to the packet object of a frame.
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
    static constexpr uint32_t NONE = UINT32_MAX; //!< index that stands for no Rest

    /** A frame that crosses itself. */
    struct Handover
    {
        QbbLine* line;     //!< line of the receiver
        RdmaPs arrival;    //!< instant at which the last bit arrives
        QbbFramePtr frame; //!< the frame
    };

    /** Fields of a crossing frame that few frames use. */
    struct Rest
    {
        QbbFrameRareFields fields;         //!< rare fields of the headers
        Ptr<Packet> packet;                //!< the frame's packet of ns-3, or null
        std::vector<RdmaIntHop> telemetry; //!< the frame's telemetry records
    };

    /** A frame that crosses by value. Each of its cache lines moves from one core to another. */
    struct alignas(64) Crossing
    {
        QbbLine* line{nullptr};        //!< line of the receiver
        RdmaPs arrival{0};             //!< instant at which the last bit arrives
        QbbFrameHeaders headers;       //!< the frame's headers
        QbbFrameExtensions extensions; //!< the frame's further headers
        uint32_t rest{NONE};           //!< index of the frame's rare fields; NONE: none in use
    };

    static_assert(sizeof(Crossing) == 128, "a crossing has two cache lines");

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
        std::vector<Handover> handovers; //!< frames that cross themselves
        std::vector<Crossing> crossings; //!< frames that cross by value
        std::size_t size{0};             //!< number of frames that cross by value
        std::vector<Rest> rests;         //!< rare fields of some of these frames
        std::size_t restSize{0};         //!< number of frames with rare fields
        std::vector<Letter> letters;     //!< notes
    };

    Lane& GetLane(RdmaPs arrival);

    static void SendCopy(Lane& lane, QbbLine& line, QbbFrame& frame, RdmaPs arrival);
    static bool TakeHandovers(Lane& lane);
    static bool TakeCopies(Lane& lane);
    static bool TakeLetters(Lane& lane);

    bool m_copies;             //!< frames cross by value
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
