/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-note-box.h"

#include "rdma-time.h"

#include <utility>

namespace ns3
{

/** Arrival of notes. The event is in the event list once for each note. */
class RdmaNoteBox::Event final : public RdmaEvent
{
  public:
    /** \param box the box */
    explicit Event(RdmaNoteBox* box)
        : m_box(box)
    {
    }

    void Run() override
    {
        if (m_box)
        {
            m_box->Deliver();
        }
    }

    void Prefetch(uint32_t) const override
    {
    }

    RdmaNoteBox* m_box; //!< null once the box is destroyed
};

RdmaNoteBox::RdmaNoteBox(uint32_t node, uint32_t sources, uint32_t order)
    : m_node(node),
      m_order(order),
      m_sources(sources),
      m_event(new Event(this), false)
{
}

RdmaNoteBox::~RdmaNoteBox()
{
    m_event->m_box = nullptr;
}

void
RdmaNoteBox::Insert(uint32_t source, RdmaPs arrival, const RdmaNote& note)
{
    m_sources[source].Push({arrival, note});
    RdmaSchedule(m_node, RdmaEventTime(arrival, m_order), RdmaEventNow(), PeekPointer(m_event));
}

void
RdmaNoteBox::Deliver()
{
    const RdmaPs now = RdmaNow();
    for (RdmaRingBuffer<Pending>& pending : m_sources)
    {
        while (!pending.IsEmpty() && pending.Front().arrival <= now)
        {
            const Pending next = pending.Pop();
            next.note.receiver->NoteArrived(next.note);
        }
    }
}

} // namespace ns3
