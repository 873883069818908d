/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_TRACES_H
#define QBB_PORT_TRACES_H

#include "qbb-flow-control.h"
#include "qbb-frame.h"
#include "qbb-port-counters.h"

#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/traced-callback.h>
#include <ns3/type-id.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Trace sources of a port. A frame is converted to a packet only if a trace sink is connected.
 *
 * A device with these trace sources derives from this class and calls AddSources() for its TypeId.
 */
class QbbPortTraces
{
  public:
    /**
     * Adds the trace sources to a TypeId.
     *
     * \param tid TypeId of a device
     * \return the TypeId with the trace sources
     */
    static TypeId AddSources(TypeId tid);

    /**
     * TracedCallback signature of Drop.
     *
     * \param packet the dropped frame from its Ethernet header on, without FCS
     * \param reason reason of the drop
     */
    typedef void (*DropCallback)(Ptr<const Packet> packet, QbbDropReason reason);

    /**
     * TracedCallback signature of PfcSent and PfcReceived.
     *
     * \param priority paused or resumed class
     * \param quanta pause time in quanta; 0 resumes
     */
    typedef void (*PfcCallback)(uint8_t priority, uint16_t quanta);

  protected:
    using PacketTrace = TracedCallback<Ptr<const Packet>>;
    using PfcTrace = TracedCallback<uint8_t, uint16_t>;

    ~QbbPortTraces() = default;

    /** Fires a trace source for a frame. \param trace trace source \param frame frame to report */
    static void FireTrace(PacketTrace& trace, const QbbFrame& frame)
    {
        if (!trace.IsEmpty())
        {
            EmitTrace(trace, frame);
        }
    }

    /** Fires for each class of a pause frame. \param trace trace source \param pauses contents */
    static void FireTrace(PfcTrace& trace, const QbbFlowControl::Pauses& pauses);

    /**
     * Schedules the trace source PhyTxEnd for a frame.
     *
     * \param frame transmitted frame
     * \param at instant at which the last bit leaves
     * \param device device with the trace source; kept alive until \p at
     */
    void FirePhyTxEnd(const QbbFrame& frame, QbbPs at, Ptr<NetDevice> device);

    PacketTrace m_macTx;                                     //!< trace source MacTx
    PacketTrace m_macTxDrop;                                 //!< trace source MacTxDrop
    PacketTrace m_macRx;                                     //!< trace source MacRx
    PacketTrace m_macPromiscRx;                              //!< trace source MacPromiscRx
    PacketTrace m_macRxDrop;                                 //!< trace source MacRxDrop
    PacketTrace m_phyTxBegin;                                //!< trace source PhyTxBegin
    PacketTrace m_phyTxEnd;                                  //!< trace source PhyTxEnd
    PacketTrace m_phyRxEnd;                                  //!< trace source PhyRxEnd
    PacketTrace m_phyRxDrop;                                 //!< trace source PhyRxDrop
    PacketTrace m_sniffer;                                   //!< trace source Sniffer
    PacketTrace m_promiscSniffer;                            //!< trace source PromiscSniffer
    TracedCallback<Ptr<const Packet>, QbbDropReason> m_drop; //!< trace source Drop
    PfcTrace m_pfcSent;                                      //!< trace source PfcSent
    PfcTrace m_pfcReceived;                                  //!< trace source PfcReceived

  private:
    static void EmitTrace(PacketTrace& trace, const QbbFrame& frame);
};

} // namespace ns3

#endif /* QBB_PORT_TRACES_H */
