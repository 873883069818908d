/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_TRACES_H
#define QBB_PORT_TRACES_H

#include "qbb-flow-control.h"
#include "qbb-frame.h"
#include "qbb-port-counters.h"
#include "qbb-trace.h"

#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Trace sources of a port. Sources exist once one of them gets a sink or a watcher, and a frame is
 * converted to a packet only for a source with a sink.
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

    /**
     * TracedCallback signature of Marked.
     *
     * \param priority class of the packet
     */
    typedef void (*MarkCallback)(uint8_t priority);

    /** \return true if a trace source of the port has a sink */
    bool HasSinks() const;

    /** \return true if the trace source PhyTxEnd has a sink */
    bool HasPhyTxEndSinks() const
    {
        return m_sources && !m_sources->phyTxEnd.IsEmpty();
    }

    // Watchers: functions of the module that a port calls in its events, on the thread of its node.
    // A watcher may act on that node only; QbbDefer() is for other work.

    /** Called for a class of a pause frame. \param priority the class \param quanta pause time in
     * quanta; 0 resumes */
    using PauseWatcher = std::function<void(uint8_t priority, uint16_t quanta)>;

    /** Called for a mark. \param priority class of the marked packet */
    using MarkWatcher = std::function<void(uint8_t priority)>;

    /** Called for a drop. \param reason reason of the drop */
    using DropWatcher = std::function<void(QbbDropReason reason)>;

    /** Called for a frame. \param frame the frame */
    using FrameWatcher = std::function<void(const QbbFrame& frame)>;

    /**
     * Calls a function for each class of each pause frame.
     *
     * \param isSent true: pause frames that the port sends; false: those that it receives
     * \param watcher the function
     */
    void AddPauseWatcher(bool isSent, PauseWatcher watcher);

    /** \param watcher function to call where the trace source Marked fires */
    void AddMarkWatcher(MarkWatcher watcher);

    /** \param watcher function to call where the trace source Drop fires */
    void AddDropWatcher(DropWatcher watcher);

    /**
     * Calls a function where the trace source PromiscSniffer or Sniffer fires.
     *
     * \param isPromiscuous true: PromiscSniffer; false: Sniffer
     * \param watcher the function
     */
    void AddFrameWatcher(bool isPromiscuous, FrameWatcher watcher);

  protected:
    /** A trace source that fires with the class and the quanta of a pause frame. */
    using PfcTrace = QbbWatchedTrace<uint8_t, uint16_t>;

    /** A trace source that fires for a frame. */
    class PacketTrace : public QbbTrace<Ptr<const Packet>>
    {
      public:
        /** \param watcher function of the module to call before the sinks */
        void AddWatcher(FrameWatcher watcher)
        {
            m_watchers.push_back(std::move(watcher));
        }

        /** Calls the watchers, and converts the frame for the sinks, if any.
         * \param frame the frame */
        void Fire(const QbbFrame& frame) const;

      private:
        std::vector<FrameWatcher> m_watchers; //!< functions of the module
    };

    ~QbbPortTraces() = default;

    /** Trace sources that fire for each frame. */
    struct Sources
    {
        PacketTrace macTx;          //!< trace source MacTx
        PacketTrace macRx;          //!< trace source MacRx
        PacketTrace macPromiscRx;   //!< trace source MacPromiscRx
        PacketTrace phyTxBegin;     //!< trace source PhyTxBegin
        PacketTrace phyTxEnd;       //!< trace source PhyTxEnd
        PacketTrace phyRxEnd;       //!< trace source PhyRxEnd
        PacketTrace sniffer;        //!< trace source Sniffer
        PacketTrace promiscSniffer; //!< trace source PromiscSniffer

        /** \return true if a trace source has a sink */
        bool HasSinks() const;
    };

    /** Trace sources that fire for drops, marks and pause frames. */
    struct RareSources
    {
        PacketTrace macTxDrop;                           //!< trace source MacTxDrop
        PacketTrace macRxDrop;                           //!< trace source MacRxDrop
        PacketTrace phyRxDrop;                           //!< trace source PhyRxDrop
        QbbTrace<Ptr<const Packet>, QbbDropReason> drop; //!< trace source Drop
        QbbWatchedTrace<uint8_t> marked;                 //!< trace source Marked
        PfcTrace pfcSent;                                //!< trace source PfcSent
        PfcTrace pfcReceived;                            //!< trace source PfcReceived
        std::vector<DropWatcher> dropWatchers;           //!< watchers of drops

        /** \return true if a trace source has a sink */
        bool HasSinks() const;
    };

    /** \return true if one of Sources has or had a sink or a watcher */
    bool IsTraced() const
    {
        return m_sources != nullptr;
    }

    /** \return true if one of RareSources has or had a sink or a watcher */
    bool HasRareSinks() const
    {
        return m_rareSources != nullptr;
    }

    /**
     * Fires a trace source for a frame.
     *
     * \param source the trace source
     * \param frame frame to report
     */
    void FireTrace(PacketTrace Sources::*source, const QbbFrame& frame)
    {
        if (IsTraced())
        {
            ((*m_sources).*source).Fire(frame);
        }
    }

    /** \copydoc FireTrace() */
    void FireTrace(PacketTrace RareSources::*source, const QbbFrame& frame)
    {
        if (m_rareSources)
        {
            ((*m_rareSources).*source).Fire(frame);
        }
    }

    /**
     * Fires the trace sources of a received frame that is not a pause frame.
     *
     * \param frame received frame
     * \param address MAC address of the port
     */
    void FireReception(const QbbFrame& frame, const Mac48Address& address);

    /**
     * Fires PfcSent or PfcReceived for each class of a pause frame.
     *
     * \param isSent true if the port sends the frame
     * \param pauses contents of the pause frame
     */
    void FirePauses(bool isSent, const QbbFlowControl::Pauses& pauses);

    /** Fires the trace source Marked. \param priority class of the marked packet */
    void FireMark(uint8_t priority)
    {
        if (m_rareSources)
        {
            m_rareSources->marked(priority);
        }
    }

    /** Fires the trace source Drop. \param frame dropped frame \param reason drop reason */
    void FireDrop(const QbbFrame& frame, QbbDropReason reason);

    /**
     * Fires the trace sources MacTxDrop and Drop for a packet that is not a valid frame.
     *
     * \param packet the packet from its Ethernet header on
     */
    void FireMalformed(Ptr<const Packet> packet);

    /**
     * Schedules the trace source PhyTxEnd for a frame, if a sink is connected.
     *
     * \param frame transmitted frame
     * \param at instant at which the last bit leaves
     * \param device device with the trace source; kept alive until \p at
     */
    void FirePhyTxEnd(const QbbFrame& frame, QbbPs at, Ptr<NetDevice> device);

  private:
    template <auto source>
    class Accessor;
    template <auto source>
    static Ptr<const TraceSourceAccessor> MakeAccessor();

    /** \return the sources, made at the first call */
    template <typename S>
    static S& Make(std::unique_ptr<S>& sources)
    {
        if (!sources)
        {
            sources = std::make_unique<S>();
        }
        return *sources;
    }

    std::unique_ptr<Sources> m_sources;         //!< null until one has a sink or a watcher
    std::unique_ptr<RareSources> m_rareSources; //!< null until one has a sink or a watcher
};

} // namespace ns3

#endif /* QBB_PORT_TRACES_H */
