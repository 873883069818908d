/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TRACE_H
#define RDMA_TRACE_H

#include "rdma-engine.h"

#include <ns3/traced-callback.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Aborts with a message if the running event's node runs on a thread of its own
 * (RdmaSimulatorImpl), where no code from outside of the module may be called: a sink may look at
 * anything, and ns-3's packets are not thread-safe. Nodes whose trace sources have sinks when the
 * simulation starts run on the thread of Simulator::Run().
 *
 * \param what the code that is about to be called, such as "a sink of a trace source"
 */
inline void
CheckQbbSink(const char* what = "a sink of a trace source")
{
    if (const RdmaEngine* engine = RdmaEngine::GetRunning(); engine && engine->GetGroup() > 0)
    {
        engine->RefuseSink(what);
    }
}

/**
 * \ingroup rdma
 * Aborts with a message if the running event's node runs on a thread of its own
 * (RdmaSimulatorImpl), where no packet of ns-3 may be made, copied or freed. A frame with a packet
 * may pass through, because nothing else refers to the packet of a frame.
 */
inline void
CheckQbbPacket()
{
    if (const RdmaEngine* engine = RdmaEngine::GetRunning(); engine && engine->GetGroup() > 0)
    {
        engine->RefusePacket();
    }
}

/**
 * \ingroup rdma
 * \return the engine of the running event if sinks are to be called between two windows of
 *         simulated time (attribute DeferSinks of ns3::RdmaSimulatorImpl); null if they are to be
 *         called in the event itself
 */
inline RdmaEngine*
GetQbbSinkDeferrer()
{
    RdmaEngine* engine = RdmaEngine::GetRunning();
    return engine && engine->DefersSinks() ? engine : nullptr;
}

/**
 * \ingroup rdma
 * A trace source whose sinks are called only where a call is safe: in the event (CheckQbbSink()),
 * or between two windows of simulated time (GetQbbSinkDeferrer()).
 *
 * \tparam Ts types of the arguments
 */
template <typename... Ts>
class RdmaTrace
{
  public:
    using Sinks = TracedCallback<Ts...>; //!< list of sinks

    /** \param sink function to call */
    void ConnectWithoutContext(const CallbackBase& sink)
    {
        Make().ConnectWithoutContext(sink);
    }

    /** \param sink function to call \param context first argument of the function */
    void Connect(const CallbackBase& sink, const std::string& context)
    {
        Make().Connect(sink, context);
    }

    /** \param sink function that is no longer to be called */
    void DisconnectWithoutContext(const CallbackBase& sink)
    {
        Make().DisconnectWithoutContext(sink);
    }

    /** \param sink function that is no longer to be called \param context its first argument */
    void Disconnect(const CallbackBase& sink, const std::string& context)
    {
        Make().Disconnect(sink, context);
    }

    /** \return true if there is no sink */
    bool IsEmpty() const
    {
        return !m_sinks || m_sinks->IsEmpty();
    }

    /** \return the sinks, which may outlive the trace source; null if there never was one */
    std::shared_ptr<const Sinks> GetSinks() const
    {
        return m_sinks;
    }

    /** Calls all sinks. \param args arguments of the sinks */
    void operator()(Ts... args) const
    {
        if (IsEmpty())
        {
            return;
        }
        if (RdmaEngine* engine = GetQbbSinkDeferrer())
        {
            engine->AddNote([sinks = m_sinks, values = std::tuple<std::decay_t<Ts>...>(args...)] {
                std::apply(*sinks, values);
            });
            return;
        }
        CheckQbbSink();
        (*m_sinks)(args...);
    }

  private:
    Sinks& Make()
    {
        if (!m_sinks)
        {
            m_sinks = std::make_shared<Sinks>();
        }
        return *m_sinks;
    }

    std::shared_ptr<Sinks> m_sinks; //!< made for the first sink
};

/**
 * \ingroup rdma
 * A trace source that also calls functions of the module, on the thread of the event's node.
 *
 * \tparam Ts types of the arguments
 */
template <typename... Ts>
class RdmaWatchedTrace : public RdmaTrace<Ts...>
{
  public:
    /**
     * Function of the module. It may act on the event's node only; RdmaDefer() is for other work.
     */
    using Watcher = std::function<void(Ts...)>;

    /** \param watcher function to call before the sinks */
    void AddWatcher(Watcher watcher)
    {
        m_watchers.push_back(std::move(watcher));
    }

    /** Calls all watchers and sinks. \param args arguments of both */
    void operator()(Ts... args) const
    {
        for (const Watcher& watcher : m_watchers)
        {
            watcher(args...);
        }
        RdmaTrace<Ts...>::operator()(args...);
    }

  private:
    std::vector<Watcher> m_watchers; //!< functions of the module
};

} // namespace ns3

#endif /* RDMA_TRACE_H */
