/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_SEARCH_H
#define QBB_DEADLOCK_SEARCH_H

#include "qbb-deadlock.h"
#include "qbb-switch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * One look of QbbDeadlockDetector: the largest set of paused buffers of which none can be resumed
 * as long as the others are not.
 *
 * The search begins with all buffers that have paused a switch, and drops those that can be resumed
 * until no more can. The buffers that are left are alive: nothing is known that ends their pause.
 */
class QbbDeadlockSearch
{
  public:
    /** \param switches all switches, which outlive the search; AddLink() names them by index */
    explicit QbbDeadlockSearch(const std::vector<Ptr<QbbSwitch>>& switches);

    /**
     * Takes in the buffers that have paused a link. Before Run().
     *
     * \param port the port that sends on the link
     * \param from index of the port's switch
     * \param to index of the switch that receives
     */
    void AddLink(const QbbPort& port, uint32_t from, uint32_t to);

    /** \return the deadlock that there is at present, if any; to be called once */
    std::optional<QbbDeadlock> Run();

  private:
    /** A buffer that has paused the switch before it. */
    struct Buffer
    {
        uint32_t from;    //!< index of the switch that is paused
        uint32_t sw;      //!< index of its switch
        uint16_t port;    //!< its port
        uint8_t priority; //!< its class
        uint8_t blocks;   //!< classes that are paused by it, one bit each
        bool alive;       //!< nothing is known yet that ends the pause
    };

    /** A class of an egress port that is paused by buffers. */
    struct Egress
    {
        uint32_t sw;                    //!< index of its switch
        uint16_t port;                  //!< its port
        uint8_t priority;               //!< the class
        std::vector<uint32_t> blockers; //!< indices of the buffers; one, or up to 8 with PAUSE
        std::vector<std::pair<uint16_t, uint64_t>> waiting; //!< bytes by ingress port
    };

    /** \param sw index of a switch \return its node's id */
    uint32_t GetNode(uint32_t sw) const;

    /** \param b index of a buffer \return which buffer it is */
    QbbBufferPoint GetPoint(uint32_t b) const;

    /**
     * \param acrossClasses true: what is stuck at an ingress port holds all its classes
     * \return a cycle of buffers, each with frames that wait for the next
     */
    std::vector<QbbBufferPoint> FindCycle(bool acrossClasses) const;

    /**
     * Drops without a look at frames: a buffer whose switch has no blocked egress port can empty
     * itself. That settles every congestion that ends at a host.
     */
    void DropThoseWithAWayOut();

    /** \param buffer its pause can end */
    void Drop(Buffer& buffer);

    /** \param egress a class of a port \return true if a buffer that is alive pauses it */
    bool IsAlive(const Egress& egress) const;

    /** Finds out how many bytes wait at each paused egress port, and where they came in. */
    void ReadQueues();

    /** \return bytes that cannot leave, by switch, and there by ingress port and class */
    std::map<uint32_t, std::vector<uint64_t>> GetStuckBytes() const;

    /** \return true if it dropped a buffer, and some are left */
    bool DropThoseThatMayResume();

    /** \param [out] points all that keep a port paused for ever, a host's as well */
    void AddStuck(std::vector<QbbBufferPoint>& points) const;

    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< by index
    std::vector<Buffer> m_buffers;                 //!< that have paused a switch
    std::vector<Egress> m_egresses;                //!< that they block
    uint32_t m_alive{0};                           //!< buffers that are alive
};

} // namespace ns3

#endif /* QBB_DEADLOCK_SEARCH_H */
