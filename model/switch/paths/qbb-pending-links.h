/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PENDING_LINKS_H
#define QBB_PENDING_LINKS_H

#include <cstdint>
#include <unordered_map>

namespace ns3
{

class QbbChannel;
class QbbPort;

/**
 * \ingroup rdma
 * Link changes that are not in the switches' routes yet. QbbRouting applies a link change to the
 * routes after ConvergenceDelay.
 */
class QbbPendingLinks
{
  public:
    /** \param channel a link whose state is about to change */
    void Add(const QbbChannel& channel);

    /**
     * Ends the oldest pending change of a link: the switches learn of the change.
     *
     * \param channel the link
     * \param up state of the link after the change
     * \return false if no change of the link is pending, because of Clear()
     */
    bool Learn(const QbbChannel& channel, bool up);

    /** \param port a port \return true if the switches take the port's link to be up */
    bool IsKnownUp(const QbbPort& port) const;

    /** Forgets all changes. */
    void Clear()
    {
        m_links.clear();
    }

  private:
    /** A link with changes that the switches have not learned of yet. */
    struct Link
    {
        bool known{true};   //!< true if the switches take the link to be up
        uint32_t changes{}; //!< number of changes that the switches have not learned of yet
    };

    std::unordered_map<const QbbChannel*, Link> m_links; //!< links with pending changes
};

} // namespace ns3

#endif /* QBB_PENDING_LINKS_H */
