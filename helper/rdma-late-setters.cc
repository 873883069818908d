/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-late-setters.h"

#include "rdma-warnings.h"

#include <utility>

namespace ns3
{

/** Warns when the object that it is aggregated to is initialised. */
class RdmaLateSetters::Watch : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaLateSettersWatch").SetParent<Object>().SetGroupName("Rdma");
        return tid;
    }

    /** \param state state of the helper */
    explicit Watch(std::shared_ptr<State> state)
        : m_state(std::move(state))
    {
    }

  protected:
    void DoInitialize() override
    {
        if (!m_state->late.empty())
        {
            GetRdmaWarnings()
                << "rdma: warning: " << m_state->helper << "::" << m_state->late
                << " was called after the last Install() and has no effect; accepted: before "
                   "Install()\n";
            m_state->late.clear();
        }
        Object::DoInitialize();
    }

  private:
    std::shared_ptr<State> m_state; //!< state of the helper
};

RdmaLateSetters::RdmaLateSetters(const std::string& helper)
    : m_state(std::make_shared<State>())
{
    m_state->helper = helper;
}

void
RdmaLateSetters::NoteSetterCall(const std::string& setter) const
{
    if (m_state->used && m_state->late.empty())
    {
        m_state->late = setter;
    }
}

void
RdmaLateSetters::NoteInstall(Object& made) const
{
    m_state->used = true;
    m_state->late.clear();
    made.AggregateObject(CreateObject<Watch>(m_state));
}

} // namespace ns3
