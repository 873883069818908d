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
 * The trace sources of a port. A packet is made of a frame only if somebody listens.
 *
 * A device that has them derives from this class and gives them to its type with AddSources().
 */
class QbbPortTraces
{
  public:
    /**
     * \param tid the type of a device
     * \return the type with the trace sources
     */
    static TypeId AddSources(TypeId tid);

    /**
     * TracedCallback signature of Drop.
     *
     * \param packet the frame from its Ethernet header on, without FCS
     * \param reason why it was thrown away
     */
    typedef void (*DropCallback)(Ptr<const Packet> packet, QbbDropReason reason);

    /**
     * TracedCallback signature of PfcSent and PfcReceived.
     *
     * \param priority the class
     * \param quanta the pause time; 0 resumes
     */
    typedef void (*PfcCallback)(uint8_t priority, uint16_t quanta);

  protected:
    using PacketTrace = TracedCallback<Ptr<const Packet>>;
    using PfcTrace = TracedCallback<uint8_t, uint16_t>;

    ~QbbPortTraces() = default;

    /** \param trace fires for the frame \param frame the frame */
    static void FireTrace(PacketTrace& trace, const QbbFrame& frame)
    {
        if (!trace.IsEmpty())
        {
            EmitTrace(trace, frame);
        }
    }

    /** \param trace fires for each class \param pauses what a pause frame says */
    static void FireTrace(PfcTrace& trace, const QbbFlowControl::Pauses& pauses);

    /**
     * PhyTxEnd is going to fire.
     *
     * \param frame the frame
     * \param at when its last bit leaves
     * \param device whose trace source it is; lives on until then
     */
    void FirePhyTxEnd(const QbbFrame& frame, QbbPs at, Ptr<NetDevice> device);

    PacketTrace m_macTx;                                     //!< trace MacTx
    PacketTrace m_macTxDrop;                                 //!< trace MacTxDrop
    PacketTrace m_macRx;                                     //!< trace MacRx
    PacketTrace m_macPromiscRx;                              //!< trace MacPromiscRx
    PacketTrace m_macRxDrop;                                 //!< trace MacRxDrop
    PacketTrace m_phyTxBegin;                                //!< trace PhyTxBegin
    PacketTrace m_phyTxEnd;                                  //!< trace PhyTxEnd
    PacketTrace m_phyRxEnd;                                  //!< trace PhyRxEnd
    PacketTrace m_phyRxDrop;                                 //!< trace PhyRxDrop
    PacketTrace m_sniffer;                                   //!< trace Sniffer
    PacketTrace m_promiscSniffer;                            //!< trace PromiscSniffer
    TracedCallback<Ptr<const Packet>, QbbDropReason> m_drop; //!< trace Drop
    PfcTrace m_pfcSent;                                      //!< trace PfcSent
    PfcTrace m_pfcReceived;                                  //!< trace PfcReceived

  private:
    static void EmitTrace(PacketTrace& trace, const QbbFrame& frame);
};

} // namespace ns3

#endif /* QBB_PORT_TRACES_H */
