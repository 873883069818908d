/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_BOOKS_H
#define QBB_BUFFER_BOOKS_H

#include "qbb-buffer-decision.h"
#include "qbb-buffer-limit.h"
#include "qbb-buffer-usage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The accounts of a switch buffer: the bytes held by each group, queue and pool.
 *
 * A group is an (ingress port, priority group). Its bytes are in its reserve, in the shared part of
 * its pool, or in the headroom of its pool. A queue is an (egress port, priority). Every frame is
 * charged to one group and to one queue.
 *
 * A policy makes the Layout and then has read-only access to the accounts. QbbBufferManager changes
 * the accounts.
 */
class QbbBufferBooks
{
  public:
    static constexpr uint32_t PRIORITIES = 8; //!< priorities of a port
    /// More bytes than any pool can have free: a condition that is never met.
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

    /**
     * Memory shared by groups, or a limit shared by queues. The alignment turns indexing into a
     * shift.
     */
    struct alignas(64) Pool
    {
        uint64_t size{0};               //!< bytes of the shared part
        uint64_t headroomSize{0};       //!< bytes of headroom, in addition to the shared part
        bool egress{false};             //!< true: a limit for queues; false: memory for groups
        uint64_t used{0};               //!< bytes of the shared part in use
        uint64_t headroomUsed{0};       //!< bytes of headroom in use
        std::vector<uint32_t> paused{}; //!< paused groups, in the order in which they resume
        /// Paused groups are checked for XON when this many shared bytes are free.
        uint64_t lookFree{NEVER};

        /** \return bytes of the shared part that are not in use */
        uint64_t GetFree() const
        {
            // A policy that does not call HasRoom() may charge an egress pool beyond its size.
            return size > used ? size - used : 0;
        }
    };

    /**
     * An (ingress port, priority group). The alignment and the order of the members put those that
     * every frame needs into one cache line, and those of headroom and XON into the next one.
     */
    struct alignas(64) Group
    {
        uint32_t pool{0};         //!< index of the group's pool
        bool lossless{false};     //!< frames of the group must not be lost
        bool onePerPort{false};   //!< headroomLimit applies to the sum of all groups of the port
        bool limited{true};       //!< queue limits apply to frames of the group
        bool paused{false};       //!< the group is between XOFF and XON
        uint64_t reserveLimit{0}; //!< size of the group's reserve in bytes
        QbbBufferLimit limit;     //!< maximum of shared
        uint64_t reserved{0};     //!< bytes in the reserve
        uint64_t shared{0};       //!< bytes in the shared part of the pool
        uint64_t headroom{0};     //!< bytes in headroom
        uint64_t peak{0};         //!< peak of reserved + shared + headroom since TakePeaks()

        uint64_t headroomLimit{0}; //!< maximum of headroom
        uint64_t peakHeadroom{0};  //!< peak of headroom since TakePeaks()
        uint64_t xon{0};           //!< XON if the group's total is at or below this, in bytes
        uint64_t xonOffset{0};     //!< XON if shared bytes are this far below the limit
        uint8_t priority{0};       //!< class of a lossless group

        /** \return all bytes of the group */
        uint64_t GetBytes() const
        {
            return reserved + shared + headroom;
        }
    };

    /** An (egress port, priority). */
    struct Queue
    {
        uint32_t pool{0};     //!< index of the pool whose free bytes set the limit
        uint64_t reserve{0};  //!< part of `limited` that is not charged to the egress pool
        QbbBufferLimit limit; //!< maximum of bytes
        uint64_t bytes{0};    //!< bytes of the queue in the buffer
        /// Part of bytes from limited groups; counted only if Layout::chargesQueues.
        uint64_t limited{0};

        /** \return bytes of the queue that are charged to the egress pool */
        uint64_t GetShared() const
        {
            return limited > reserve ? limited - reserve : 0;
        }
    };

    /**
     * Division of the memory, made by a policy from its attributes and the ports. All accounts are
     * zero.
     */
    struct Layout
    {
        uint32_t cellBytes{1};     //!< cell size: a frame takes whole cells
        bool chargesQueues{false}; //!< queues are charged to their pools, which are egress pools
        /// Order of XON. True: lowest class first; false: first paused, first resumed.
        bool resumesByClass{false};
        /// Priority group of each class.
        std::array<uint8_t, PRIORITIES> groupOfClass{{0, 1, 2, 3, 4, 5, 6, 7}};
        std::vector<Pool> pools;   //!< pools, by index
        std::vector<Group> groups; //!< eight groups per port
        std::vector<Queue> queues; //!< eight queues per port
        uint64_t memoryBytes{0};   //!< total memory
    };

    /** Makes accounts without ports. */
    QbbBufferBooks() = default;

    /**
     * Aborts with a message if the layout is inconsistent: not eight groups and queues per port, a
     * pool that does not exist, or parts that exceed the memory.
     *
     * \param layout division of the memory
     */
    explicit QbbBufferBooks(Layout layout);

    /** \return number of ports */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_layout.groups.size()) / PRIORITIES;
    }

    /** \return all groups, by port and number */
    const std::vector<Group>& GetGroups() const
    {
        return m_layout.groups;
    }

    /** \return all queues, by port and priority */
    const std::vector<Queue>& GetQueues() const
    {
        return m_layout.queues;
    }

    /** \param group one of GetGroups() \return its pool */
    const Pool& GetPool(const Group& group) const
    {
        return m_layout.pools[group.pool];
    }

    /**
     * \param group one of GetGroups()
     * \return its index in GetGroups(): 8 * ingress port + group number
     */
    uint32_t GetIndex(const Group& group) const
    {
        return static_cast<uint32_t>(&group - m_layout.groups.data());
    }

    /**
     * \param queue one of GetQueues()
     * \return its index in GetQueues(): 8 * egress port + priority
     */
    uint32_t GetIndex(const Queue& queue) const
    {
        return static_cast<uint32_t>(&queue - m_layout.queues.data());
    }

    /** \param index 8 * ingress port + class \return index of the group of the class */
    uint32_t GetGroupOfClass(uint32_t index) const
    {
        return index / PRIORITIES * PRIORITIES + m_layout.groupOfClass[index % PRIORITIES];
    }

    /** \param bytes size of a frame \return bytes of memory that the frame takes, in whole cells */
    uint32_t ToCells(uint32_t bytes) const
    {
        const uint32_t cell = m_layout.cellBytes;
        return cell == 1 ? bytes : (bytes + cell - 1) / cell * cell;
    }

    /** \param queue one of GetQueues() \return bytes that the queue may currently hold */
    uint64_t GetLimit(const Queue& queue) const
    {
        return queue.limit.Get(m_layout.pools[queue.pool].GetFree());
    }

    /**
     * \param queue one of GetQueues()
     * \param bytes size of a frame
     * \return true if the queue's limit and the egress pool have room for the frame
     */
    bool HasRoom(const Queue& queue, uint32_t bytes) const;

    /**
     * Decides about a frame of a lossless group that does not fit into the shared part.
     *
     * \param group one of GetGroups()
     * \param bytes size of the frame
     * \param reservedBytes part of \p bytes that goes to the group's reserve
     * \return the decision: HEADROOM if the rest fits into the headroom, else DROP; both pause the
     *         sender
     */
    QbbBufferDecision TakeHeadroom(const Group& group,
                                   uint32_t bytes,
                                   uint32_t reservedBytes) const;

    /** \return the division of the memory, with the accounts */
    const Layout& GetLayout() const
    {
        return m_layout;
    }

    /** \return usage of the whole buffer */
    QbbBufferUsage GetUsage() const;

    /** \param group one of GetGroups() \return usage of the group, with peaks since TakePeaks() */
    QbbIngressUsage GetUsage(const Group& group) const;

    /** \return true if every account is zero and nothing is paused */
    bool IsEmpty() const;

    /** \param ingressPort port number \param priority class \return the group of the class */
    const Group& GetGroup(uint16_t ingressPort, uint8_t priority) const
    {
        return m_layout.groups[ingressPort * PRIORITIES + m_layout.groupOfClass[priority]];
    }

    /** \param egressPort port number \param priority class \return the queue */
    const Queue& GetQueue(uint16_t egressPort, uint8_t priority) const
    {
        return m_layout.queues[egressPort * PRIORITIES + priority];
    }

    // Mutable access, for QbbBufferManager only

    /** \param ingressPort port number \param priority class \return the group of the class */
    Group& GetGroup(uint16_t ingressPort, uint8_t priority)
    {
        return m_layout.groups[ingressPort * PRIORITIES + m_layout.groupOfClass[priority]];
    }

    /** \param index index in GetGroups() \return the group */
    Group& GetGroup(uint32_t index)
    {
        return m_layout.groups[index];
    }

    /** \param egressPort port number \param priority class \return the queue */
    Queue& GetQueue(uint16_t egressPort, uint8_t priority)
    {
        return m_layout.queues[egressPort * PRIORITIES + priority];
    }

    /** \param group one of GetGroups() \return its pool */
    Pool& GetPool(const Group& group)
    {
        return m_layout.pools[group.pool];
    }

    /**
     * Charges a frame. Aborts with a message if a reserve, the shared part or headroom would
     * overflow.
     *
     * \param group group of the frame
     * \param queue queue of the frame
     * \param bytes memory that the frame takes
     * \param decision SHARED or HEADROOM
     */
    void Charge(Group& group, Queue& queue, uint32_t bytes, const QbbBufferDecision& decision)
    {
        Pool& pool = m_layout.pools[group.pool];
        const uint32_t rest = bytes - decision.value;
        group.reserved += decision.value;
        if (decision.place == QbbBufferDecision::SHARED)
        {
            group.shared += rest;
            pool.used += rest;
        }
        else
        {
            ChargeHeadroom(group, pool, rest);
        }
        if (pool.used > pool.size || group.reserved > group.reserveLimit)
        {
            RefuseOverdraft(group);
        }
        ChangeQueue(group, queue, bytes);
        m_used += bytes;
        group.peak = std::max(group.peak, group.GetBytes());
        m_peakUsed = std::max(m_peakUsed, m_used);
    }

    /**
     * Notes a frame that comes and leaves at once, if Charge() and then Credit() would change only
     * the peaks.
     *
     * \param group group of the frame
     * \param bytes memory that the frame takes
     * \param decision SHARED or HEADROOM
     * \return true if the frame is noted; false if it must be charged, and nothing has changed
     */
    bool NotePassing(Group& group, uint32_t bytes, const QbbBufferDecision& decision)
    {
        const Pool& pool = m_layout.pools[group.pool];
        if (decision.place != QbbBufferDecision::SHARED || group.headroom > 0 ||
            m_layout.chargesQueues || !pool.paused.empty())
        {
            return false;
        }
        // Charge() fills the reserve first, and Credit() empties it last.
        if (decision.value > 0 &&
            (group.shared > 0 || group.reserved + decision.value > group.reserveLimit))
        {
            return false;
        }
        if (pool.used + bytes - decision.value > pool.size)
        {
            return false;
        }
        group.peak = std::max(group.peak, group.reserved + group.shared + bytes);
        m_peakUsed = std::max(m_peakUsed, m_used + bytes);
        return true;
    }

    /**
     * Releases the memory of a frame, in the order headroom, shared part, reserve.
     *
     * \param group group of the frame, which holds at least \p bytes
     * \param pool the group's pool
     * \param queue queue of the frame, which holds at least \p bytes
     * \param bytes memory that the frame takes
     */
    void Credit(Group& group, Pool& pool, Queue& queue, uint32_t bytes)
    {
        const uint64_t headroom = std::min<uint64_t>(bytes, group.headroom);
        const uint64_t shared = std::min(bytes - headroom, group.shared);
        if (headroom > 0)
        {
            group.headroom -= headroom;
            pool.headroomUsed -= headroom;
            m_headroomUsed -= headroom;
        }
        group.shared -= shared;
        pool.used -= shared;
        group.reserved -= bytes - headroom - shared;
        ChangeQueue(group, queue, 0 - uint64_t{bytes});
        m_used -= bytes;
    }

    /** \param group group to mark as paused */
    void Pause(Group& group);

    /**
     * Ends a group's pause and moves its headroom bytes to the shared part.
     *
     * \param group a paused group
     */
    void Resume(Group& group);

    /**
     * Takes the latest peaks of the groups, for the one owner that passes them to QbbPeakReaders.
     *
     * \return by group, the peak since the previous call, and then the peak of headroom
     */
    std::vector<uint64_t> TakePeaks();

    /** \return the current values of the counters of TakePeaks() */
    std::vector<uint64_t> GetBytesByGroup() const;

  private:
    void ChargeHeadroom(Group& group, Pool& pool, uint32_t bytes);
    uint64_t GetHeadroomInUse(const Group& group) const;
    [[noreturn]] void RefuseOverdraft(const Group& group) const;

    /**
     * Adds bytes to a queue.
     *
     * \param group group of the frame
     * \param queue queue of the frame
     * \param change bytes to add, modulo 2^64
     */
    void ChangeQueue(const Group& group, Queue& queue, uint64_t change)
    {
        if (m_layout.chargesQueues && group.limited)
        {
            ChargeEgressPool(queue, change);
        }
        queue.bytes += change;
    }

    void ChargeEgressPool(Queue& queue, uint64_t change);

    // Members that every frame needs share cache lines. A large fabric has more switches than the
    // CPU caches hold, so each of these lines is a cache miss.

    uint64_t m_used{0};             //!< bytes in use
    uint64_t m_peakUsed{0};         //!< peak of m_used
    Layout m_layout;                //!< limits and accounts
    uint64_t m_headroomUsed{0};     //!< bytes of headroom in use
    uint64_t m_peakHeadroomUsed{0}; //!< peak of m_headroomUsed
};

} // namespace ns3

#endif /* QBB_BUFFER_BOOKS_H */
