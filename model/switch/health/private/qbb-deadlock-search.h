/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_SEARCH_H
#define QBB_DEADLOCK_SEARCH_H

#include "qbb-deadlock-detector.h"
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
 * A link between two switches, in one direction, on which a pause is in effect or on its way.
 */
struct QbbPausedLink
{
    uint32_t link{0};     //!< number of the link
    uint8_t paused{0};    //!< bit p set if class p of the sending port is paused
    uint8_t wanted{0};    //!< bit p set if the receiving port asks for a pause of class p
    uint8_t buffers{0};   //!< bit p set if the buffer of class p asks for a pause
    bool isActive{false}; //!< the detector watches the link
};

/**
 * \ingroup rdma
 * A single search of QbbDeadlockDetector for the largest set of paused buffers of which none can
 * resume unless another one of the set does.
 *
 * The search begins with all buffers that pause a switch, and removes buffers that can resume until
 * no more can. Nothing is known that ends the pause of the remaining buffers.
 *
 * If several processes share the simulation, all search at one instant. Each looks at the queues
 * and the buffers of its own switches, and they tell each other what they see. All have one result.
 */
class QbbDeadlockSearch
{
  public:
    using OtherFrames = QbbDeadlockDetector::OtherFrames; //!< assumption about other frames

    /**
     * \param switches all switches, which must outlive the search; AddLink() refers to them by
     *        index
     * \param others what is assumed of other frames
     */
    QbbDeadlockSearch(const std::vector<Ptr<QbbSwitch>>& switches, OtherFrames others);

    /**
     * Adds the buffers that pause a link. Call it before Run().
     *
     * \param port the port that sends on the link
     * \param from index of the port's switch
     * \param to index of the switch that receives
     * \param pauses paused classes of the link
     */
    void AddLink(const QbbPort& port, uint32_t from, uint32_t to, const QbbPausedLink& pauses);

    /** \return the current deadlock, if any, by the assumption; call it only once */
    std::optional<QbbDeadlock> Run();

  private:
    /** A buffer that pauses its upstream switch. */
    struct Buffer
    {
        uint32_t from;    //!< index of the paused upstream switch
        uint32_t sw;      //!< index of the buffer's switch
        uint16_t port;    //!< ingress port of the buffer
        uint8_t priority; //!< class of the buffer
        uint8_t blocks;   //!< bit mask of the classes that the buffer pauses
        bool remains;     //!< the search has not yet found a way to end the pause
    };

    /** A class of an egress port that is paused by buffers. */
    struct Egress
    {
        uint32_t sw;      //!< index of the port's switch
        uint16_t port;    //!< egress port number
        uint8_t priority; //!< paused class
        /// Indices of the pausing buffers: one, or up to 8 with PAUSE.
        std::vector<uint32_t> blockers;
        std::vector<std::pair<uint16_t, uint64_t>> waiting; //!< waiting bytes, by ingress port
    };

    /** \param sw index of a switch \return its node's id */
    uint32_t GetNode(uint32_t sw) const;

    /** \param b index of a buffer \return the switch, port and class of the buffer */
    QbbBufferPoint GetPoint(uint32_t b) const;

    /**
     * \param acrossClasses true: stuck frames of one class block all classes of their ingress port
     * \return a cycle of buffers, each with frames that wait for the next buffer
     */
    std::vector<QbbBufferPoint> FindCycle(bool acrossClasses) const;

    /**
     * Removes each buffer whose switch has no blocked egress port and can therefore drain, without
     * a look at frames. This resolves all congestion that ends at a host.
     */
    void RemoveBuffersThatDrain();

    /** \param buffer buffer to remove, because its pause can end */
    void Remove(Buffer& buffer);

    /**
     * \param egress a class of an egress port
     * \return true if a remaining buffer pauses the class
     */
    bool IsBlocked(const Egress& egress) const;

    /** \param sw index of a switch \return true if this process runs the events of the switch */
    bool IsLocal(uint32_t sw) const;

    /** Counts the bytes that wait at each paused egress port, by ingress port. */
    void ReadQueues();

    /** Tells all processes the bytes that wait at the ports of local switches. */
    void ShareQueues();

    /** \return bytes that cannot leave, by switch, and by 8 * ingress port + class */
    std::map<uint32_t, std::vector<uint64_t>> GetStuckBytes() const;

    /**
     * Removes buffers whose pause can end.
     *
     * \return true if a buffer was removed and others remain
     */
    bool RemoveBuffersThatMayResume();

    /**
     * \param sw index of a switch
     * \param port ingress port
     * \param priority paused class
     * \param stuck bytes that cannot leave, by 8 * ingress port + class
     * \return true if the pause can end
     */
    bool MayResume(uint32_t sw,
                   uint16_t port,
                   uint8_t priority,
                   const std::vector<uint64_t>& stuck) const;

    /** \param [out] deadlock gets all buffers that pause a port forever, and the paused classes */
    void AddStuck(QbbDeadlock& deadlock) const;

    /** \param port a sending port \return bit p set if class p is paused */
    uint8_t GetPaused(const QbbPort& port) const;

    const std::vector<Ptr<QbbSwitch>>& m_switches; //!< switches, by index
    OtherFrames m_others;                          //!< what is assumed of other frames
    std::vector<Buffer> m_buffers;                 //!< buffers that pause a switch
    std::vector<Egress> m_egresses;                //!< classes of egress ports that m_buffers pause
    uint32_t m_remaining{0};                       //!< number of remaining buffers
    /// Paused classes of sending ports of switches
    std::map<const QbbPort*, uint8_t> m_paused;
};

} // namespace ns3

#endif /* QBB_DEADLOCK_SEARCH_H */
