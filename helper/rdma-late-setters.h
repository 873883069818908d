/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LATE_SETTERS_H
#define RDMA_LATE_SETTERS_H

#include <ns3/object.h>

#include <memory>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Warns of setters of a helper that were called after the helper's last Install(), and so have no
 * effect. The warning appears when the simulation starts. A helper calls NoteSetterCall() in each
 * setter and NoteInstall() in Install(). Copies of a helper share the object.
 */
class RdmaLateSetters
{
  public:
    /** \param helper class name of the helper */
    explicit RdmaLateSetters(const std::string& helper);

    /** \param setter name of the helper's setter that is called */
    void NoteSetterCall(const std::string& setter) const;

    /**
     * Notes that Install() has used all values set so far.
     *
     * \param made an object that Install() made, whose initialisation is the start of the
     * simulation
     */
    void NoteInstall(Object& made) const;

  private:
    class Watch;

    /** What the copies of a helper and the objects that it made share. */
    struct State
    {
        std::string helper; //!< class name of the helper
        bool used{false};   //!< NoteInstall() has been called
        std::string late;   //!< first setter called since the last NoteInstall(); empty: none
    };

    std::shared_ptr<State> m_state; //!< shared state
};

} // namespace ns3

#endif /* RDMA_LATE_SETTERS_H */
