/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_BOOKS_H
#define QBB_BUFFER_BOOKS_H

#include "qbb-buffer-decision.h"
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
 * A number of bytes, plus a part of the free bytes of a pool: a static or a dynamic threshold.
 */
struct QbbBufferLimit
{
    static constexpr uint32_t ALPHA_BITS = 20; //!< binary places of alpha

    uint32_t bytes{0}; //!< constant part
    uint32_t alpha{0}; //!< part of the free bytes, in units of 2^-ALPHA_BITS

    /** \param alpha a factor \return in units of 2^-ALPHA_BITS, rounded to the nearest */
    static uint32_t ToFixed(double alpha);

    /** \param freeBytes free bytes of the pool \return the limit at present */
    uint64_t Get(uint32_t freeBytes) const
    {
        return bytes + ((uint64_t{alpha} * freeBytes) >> ALPHA_BITS);
    }
};

/**
 * \ingroup rdma
 * The accounts of a switch buffer: how many bytes every group, queue and pool holds.
 *
 * A group is an (ingress port, priority group), and has a part of the memory. Its bytes are in its
 * reserve, in the shared part of its pool, or in the headroom of its pool. A queue is an (egress
 * port, priority). Every frame is in the account of one group and of one queue.
 *
 * A policy makes the Layout, and then sees constant accounts only. QbbBufferManager changes them.
 */
class QbbBufferBooks
{
  public:
    static constexpr uint32_t PRIORITIES = 8; //!< priorities of a port
    /// More free bytes than there are.
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

    /** What groups, or queues, share. Aligned so that its place is found by a shift. */
    struct alignas(64) Pool
    {
        uint32_t size{0};         //!< bytes of the shared part
        uint32_t headroomSize{0}; //!< bytes of headroom, in addition
        bool egress{false};       //!< a limit for queues; false: memory for groups
        uint32_t used{0};         //!< bytes of the shared part in use
        uint32_t headroomUsed{0}; //!< bytes of headroom in use
        /// Paused groups are looked at again when there are as many free bytes.
        uint64_t lookFree{NEVER};
        std::vector<uint32_t> paused{}; //!< paused groups, in the order in which they resume

        /** \return bytes of the shared part that are not in use */
        uint32_t GetFree() const
        {
            // A policy that does not ask HasRoom() may charge an egress pool beyond its size.
            return size > used ? size - used : 0;
        }
    };

    /** An (ingress port, priority group). Aligned so that it is in one cache line. */
    struct alignas(64) Group
    {
        uint32_t pool{0};          //!< index of its pool
        uint32_t reserveLimit{0};  //!< size of its reserve
        uint32_t headroomLimit{0}; //!< most headroom that it may take
        QbbBufferLimit limit;      //!< most shared bytes
        uint32_t xon{0};           //!< XON at or below so many bytes in all
        uint32_t xonOffset{0};     //!< XON with so many bytes of room below the limit
        bool lossless{false};      //!< its frames may not be lost
        bool onePerPort{false};    //!< headroomLimit holds for all groups of the port together
        bool limited{true};        //!< the limits of queues hold for its frames
        bool paused{false};        //!< between XOFF and XON
        uint8_t priority{0};       //!< the class of a lossless group
        uint32_t reserved{0};      //!< bytes in the reserve
        uint32_t shared{0};        //!< bytes in the shared part of the pool
        uint32_t headroom{0};      //!< bytes in headroom
        uint32_t peak{0};          //!< highest sum of the three
        uint32_t peakHeadroom{0};  //!< highest headroom

        /** \return all its bytes */
        uint32_t GetBytes() const
        {
            return reserved + shared + headroom;
        }
    };

    /** An (egress port, priority). */
    struct Queue
    {
        uint32_t pool{0};     //!< index of the pool that the limit goes by
        uint32_t reserve{0};  //!< of `limited`, bytes that are not charged to the egress pool
        QbbBufferLimit limit; //!< most bytes
        uint32_t bytes{0};    //!< bytes in the buffer
        uint32_t limited{0};  //!< of these, of limited groups; counted if queues charge pools

        /** \return bytes that are charged to the egress pool */
        uint32_t GetShared() const
        {
            return limited > reserve ? limited - reserve : 0;
        }
    };

    /** What a policy makes of its attributes and of the ports. All accounts are zero. */
    struct Layout
    {
        uint64_t memoryBytes{0};    //!< all memory
        uint32_t cellBytes{1};      //!< a frame takes whole cells of this size
        std::vector<Pool> pools;    //!< by index
        std::vector<Group> groups;  //!< eight for each port
        std::vector<Queue> queues;  //!< eight for each port
        bool chargesQueues{false};  //!< queues charge their pools, which are egress pools
        bool resumesByClass{false}; //!< the lowest class resumes first; false: the one paused first
        /// The group of each class.
        std::array<uint8_t, PRIORITIES> groupOfClass{{0, 1, 2, 3, 4, 5, 6, 7}};
    };

    /** No ports. */
    QbbBufferBooks() = default;

    /**
     * Ends the program with a message if the layout contradicts itself: groups and queues that are
     * not eight for each port, a pool that does not exist, parts that are more than the memory.
     *
     * \param layout how the memory is divided
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

    /** \param group one of GetGroups() \return its index there: 8 * ingress port + number */
    uint32_t GetIndex(const Group& group) const
    {
        return static_cast<uint32_t>(&group - m_layout.groups.data());
    }

    /** \param queue one of GetQueues() \return its index there: 8 * egress port + priority */
    uint32_t GetIndex(const Queue& queue) const
    {
        return static_cast<uint32_t>(&queue - m_layout.queues.data());
    }

    /** \param index 8 * ingress port + class \return index of the group of that class */
    uint32_t GetGroupOfClass(uint32_t index) const
    {
        return index / PRIORITIES * PRIORITIES + m_layout.groupOfClass[index % PRIORITIES];
    }

    /** \param bytes size of a frame \return what it takes of the memory */
    uint32_t ToCells(uint32_t bytes) const
    {
        const uint32_t cell = m_layout.cellBytes;
        return cell == 1 ? bytes : (bytes + cell - 1) / cell * cell;
    }

    /** \param queue one of GetQueues() \return bytes that it may hold at present */
    uint64_t GetLimit(const Queue& queue) const
    {
        return queue.limit.Get(m_layout.pools[queue.pool].GetFree());
    }

    /**
     * \param queue one of GetQueues()
     * \param bytes of a frame
     * \return true if the queue's limit, and the egress pool, have room for the frame
     */
    bool HasRoom(const Queue& queue, uint32_t bytes) const;

    /**
     * What becomes of a frame of a lossless group that the shared part has no room for.
     *
     * \param group one of GetGroups()
     * \param bytes of the frame
     * \param reservedBytes of these, what goes to the group's reserve
     * \return the rest goes to headroom, or the frame is dropped; the sender is paused in any case
     */
    QbbBufferDecision TakeHeadroom(const Group& group,
                                   uint32_t bytes,
                                   uint32_t reservedBytes) const;

    /** \return how the whole buffer stands */
    QbbBufferUsage GetUsage() const;

    /** \param group one of GetGroups() \return how it stands */
    QbbIngressUsage GetUsage(const Group& group) const;

    /** \return true if every account is zero and nothing is paused */
    bool IsEmpty() const;

    // For QbbBufferManager

    /** \param ingressPort port number \param priority class \return the group of the class */
    Group& GetGroup(uint16_t ingressPort, uint8_t priority)
    {
        return m_layout.groups[ingressPort * PRIORITIES + m_layout.groupOfClass[priority]];
    }

    /** \param index place in GetGroups() \return the group */
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
     * Charges a frame. Ends the program with a message if that is more than there is.
     *
     * \param group its group
     * \param queue its queue
     * \param bytes what it takes
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
     * Gives back what a frame took, in the order headroom, shared part, reserve.
     *
     * \param group its group, which holds at least as much
     * \param pool the group's pool
     * \param queue its queue, which holds at least as much
     * \param bytes what it takes
     */
    void Credit(Group& group, Pool& pool, Queue& queue, uint32_t bytes)
    {
        const uint32_t headroom = std::min(bytes, group.headroom);
        const uint32_t shared = std::min(bytes - headroom, group.shared);
        if (headroom > 0)
        {
            group.headroom -= headroom;
            pool.headroomUsed -= headroom;
            m_headroomUsed -= headroom;
        }
        group.shared -= shared;
        pool.used -= shared;
        group.reserved -= bytes - headroom - shared;
        ChangeQueue(group, queue, 0 - bytes);
        m_used -= bytes;
    }

    /** \param group is paused from now on */
    void Pause(Group& group);

    /** \param group one between XOFF and XON; what it has in headroom moves to the shared part */
    void Resume(Group& group);

    /** Sets every peak to the present value. */
    void ResetPeaks();

  private:
    void ChargeHeadroom(Group& group, Pool& pool, uint32_t bytes);
    uint32_t GetHeadroomInUse(const Group& group) const;
    [[noreturn]] void RefuseOverdraft(const Group& group) const;

    /** \param group of a frame \param queue of the frame \param change bytes, modulo 2^32 */
    void ChangeQueue(const Group& group, Queue& queue, uint32_t change)
    {
        if (m_layout.chargesQueues && group.limited)
        {
            ChargeEgressPool(queue, change);
        }
        queue.bytes += change;
    }

    void ChargeEgressPool(Queue& queue, uint32_t change);

    Layout m_layout;                //!< limits and accounts
    uint64_t m_used{0};             //!< all bytes
    uint64_t m_peakUsed{0};         //!< highest m_used
    uint64_t m_headroomUsed{0};     //!< bytes in headroom
    uint64_t m_peakHeadroomUsed{0}; //!< highest m_headroomUsed
};

} // namespace ns3

#endif /* QBB_BUFFER_BOOKS_H */
