/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NOTE_BOX_H
#define RDMA_NOTE_BOX_H

#include "rdma-engine.h"
#include "rdma-event-order.h"
#include "rdma-ps.h"
#include "rdma-ring-buffer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

struct RdmaNote;

/**
 * \ingroup rdma
 * Somebody to whom notes are addressed.
 */
class RdmaNoteReceiver
{
  public:
    virtual ~RdmaNoteReceiver() = default;

    /**
     * A note arrives. The call comes from an event of the node at which the note arrives, on the
     * thread that runs the node.
     *
     * \param note the note
     */
    virtual void NoteArrived(const RdmaNote& note) = 0;
};

/**
 * \ingroup rdma
 * A few numbers that one node of a host tells another, such as "post this chunk" or "this chunk is
 * complete". A note is no packet: it passes inside the host.
 */
struct RdmaNote
{
    RdmaNoteReceiver* receiver{nullptr}; //!< reads the note; outlives it
    uint32_t kind{0};                    //!< meaning of the note, as the receiver defines it
    uint32_t place{0};                   //!< a small number, as the receiver defines it
    std::array<uint64_t, 4> numbers{};   //!< numbers, as the receiver defines them
};

/**
 * \ingroup rdma
 * Holds the notes that are on their way to a node.
 *
 * Notes of one source arrive in the order in which they were sent. Notes of several sources that
 * arrive at one instant are read in the order of the sources' numbers, whatever thread or group of
 * nodes each source belongs to.
 */
class RdmaNoteBox
{
  public:
    /** Usual order of the arrival of notes among the events of one instant. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<7>();

    /**
     * \param node id of the node at which the notes arrive
     * \param sources number of sources
     * \param order place of the arrivals among the events of one instant, 0..999
     */
    RdmaNoteBox(uint32_t node, uint32_t sources, uint32_t order = EVENT_ORDER);
    ~RdmaNoteBox();

    RdmaNoteBox(const RdmaNoteBox&) = delete;
    RdmaNoteBox& operator=(const RdmaNoteBox&) = delete;

    /** \return id of the node at which the notes arrive */
    uint32_t GetNodeId() const
    {
        return m_node;
    }

    /**
     * Adds a note. The engine of the receiving node is running.
     *
     * \param source number of the source
     * \param arrival instant of the arrival, not before that of the source's earlier notes
     * \param note the note
     */
    void Insert(uint32_t source, RdmaPs arrival, const RdmaNote& note);

  private:
    class Event;

    /** A note on its way. */
    struct Pending
    {
        RdmaPs arrival{0}; //!< instant of the arrival
        RdmaNote note;     //!< the note
    };

    void Deliver();

    uint32_t m_node;                                //!< id of the receiving node
    uint32_t m_order;                               //!< place among the events of one instant
    std::vector<RdmaRingBuffer<Pending>> m_sources; //!< notes by source, earliest first
    Ptr<Event> m_event;                             //!< event of all arrivals
};

} // namespace ns3

#endif /* RDMA_NOTE_BOX_H */
