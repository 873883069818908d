/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_BORDER_H
#define QBB_FRAME_BORDER_H

#include "qbb-frame.h"
#include "qbb-line-exit.h"
#include "qbb-node-groups.h"
#include "rdma-ps.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class QbbLine;

/**
 * \ingroup rdma
 * Holds the frames that nodes of one thread send to nodes of another. A frame crosses by value: the
 * sender's frame returns to its pool, and the receiving port allocates a frame from its own pool. A
 * packet of ns-3 goes with its frame: nothing else refers to the packet object of a frame.
 */
class QbbFrameBorder final : public RdmaBorder
{
  public:
    // Inherited from RdmaBorder
    void Open(uint32_t compartment) override;
    uint64_t GetEarliest(uint32_t compartment) const override;
    void TakeOver(uint32_t compartment) override;

    /**
     * Takes a frame whose transmission begins.
     *
     * \param line line of the receiver
     * \param frame the frame, which the caller destroys
     * \param arrival instant at which the last bit arrives at the receiver
     */
    void Send(QbbLine& line, QbbFrame& frame, RdmaPs arrival);

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< index that stands for no Rest

    /** Fields of a crossing frame that few frames use. */
    struct Rest
    {
        QbbFrameRareFields fields;         //!< rare fields of the headers
        Ptr<Packet> packet;                //!< the frame's packet of ns-3, or null
        std::vector<RdmaIntHop> telemetry; //!< the frame's telemetry records
    };

    /** A crossing frame. Each of its cache lines moves from one core to another. */
    struct alignas(64) Crossing
    {
        QbbLine* line{nullptr};        //!< line of the receiver
        RdmaPs arrival{0};             //!< instant at which the last bit arrives
        QbbFrameHeaders headers;       //!< the frame's headers
        QbbFrameExtensions extensions; //!< the frame's further headers
        uint32_t rest{NONE};           //!< index of the frame's rare fields; NONE: none in use
    };

    static_assert(sizeof(Crossing) == 128, "a crossing has two cache lines");

    /** Frames of a step. Used entries keep their memory for a later step. */
    struct alignas(64) Compartment
    {
        std::vector<Crossing> crossings; //!< frames in order of their transmission
        std::size_t size{0};             //!< number of frames
        std::vector<Rest> rests;         //!< rare fields of some of the frames
        std::size_t restSize{0};         //!< number of frames with rare fields
        RdmaPs earliest{RDMA_NEVER};     //!< earliest arrival
    };

    std::array<Compartment, COMPARTMENTS> m_compartments; //!< filled and emptied in turn
    alignas(64) uint32_t m_open{0}; //!< number of the compartment that is filled
};

/**
 * \ingroup rdma
 * Exit of a port whose peer's node runs on another thread.
 *
 * Only the sender's thread uses the object. The sender's thread therefore never waits for memory
 * that the peer's thread has written.
 */
class QbbFrameExit final : public QbbLineExit
{
  public:
    /**
     * \param border carries the frames from the sender's thread to the peer's thread
     * \param line the peer's line
     */
    QbbFrameExit(QbbFrameBorder& border, QbbLine& line)
        : m_border(border),
          m_line(line)
    {
    }

    void Send(QbbFrame& frame, RdmaPs arrival) override
    {
        m_border.Send(m_line, frame, arrival);
    }

  private:
    QbbFrameBorder& m_border; //!< takes the frames to the peer's thread
    QbbLine& m_line;          //!< the peer's line
};

} // namespace ns3

#endif /* QBB_FRAME_BORDER_H */
