/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_MANAGER_H
#define QBB_BUFFER_MANAGER_H

#include "qbb-pfc-headroom.h"
#include "qbb-port-counters.h"
#include "qbb-sole-switch.h"
#include "rdma-int128.h"
#include "rdma-peak-readers.h"
#include "rdma-prefetch.h"
#include "rdma-ring-buffer.h"

#include <ns3/assert.h>
#include <ns3/attribute-accessor-helper.h>
#include <ns3/object.h>
#include <ns3/ptr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A threshold: a constant number of bytes (static threshold) plus a fraction of the free bytes of a
 * pool (dynamic threshold).
 */
struct QbbBufferLimit
{
    static constexpr uint32_t ALPHA_BITS = 20; //!< fractional bits of alpha

    uint64_t bytes{0}; //!< constant part of the threshold
    uint32_t alpha{0}; //!< factor of the free bytes, in units of 2^-ALPHA_BITS

    /** \param alpha a factor \return \p alpha in units of 2^-ALPHA_BITS, rounded to the nearest */
    static uint32_t ToFixed(double alpha)
    {
        return static_cast<uint32_t>(std::llround(alpha * double{1U << ALPHA_BITS}));
    }

    /** \param freeBytes free bytes of the pool \return the current threshold in bytes */
    uint64_t Get(uint64_t freeBytes) const
    {
        // A factor of 1024 times the free bytes of a large memory takes more than 64 bits.
        return bytes + static_cast<uint64_t>((RdmaUint128{alpha} * freeBytes) >> ALPHA_BITS);
    }
};

/**
 * \ingroup rdma
 * Decision of a buffer policy about a frame.
 */
struct QbbBufferDecision
{
    /** Destination of the frame. */
    enum Place : uint8_t
    {
        SHARED,   //!< reserve of the frame's group and shared part of the pool
        HEADROOM, //!< reserve of the frame's group and headroom
        DROP,     //!< the frame is dropped
        PUSH_OUT, //!< undecided: the last frame of another queue must be dropped first
    };

    Place place{DROP};                                //!< destination of the frame
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< reason of a drop
    bool pause{false}; //!< the sender must pause, unless it is already paused
    /// SHARED and HEADROOM: bytes of the frame in the reserve of its group. PUSH_OUT: index of the
    /// queue that loses a frame. One field holds both, so that a decision fits into a register.
    uint32_t value{0};

    /**
     * \param reservedBytes bytes in the reserve
     * \return SHARED, with the rest in the shared part
     */
    static QbbBufferDecision Share(uint32_t reservedBytes = 0)
    {
        return {SHARED, QbbDropReason::BUFFER_FULL, false, reservedBytes};
    }

    /** \param reason reason of the drop \return DROP */
    static QbbBufferDecision Drop(QbbDropReason reason)
    {
        return {DROP, reason};
    }

    /**
     * \param queue index of a queue in QbbBufferManager::GetQueues()
     * \return PUSH_OUT: the last frame of \p queue is dropped, and then DoAdmit() is called again
     */
    static QbbBufferDecision PushOut(uint32_t queue)
    {
        return {PUSH_OUT, QbbDropReason::BUFFER_FULL, false, queue};
    }
};

/**
 * \ingroup rdma
 * Usage of one (ingress port, priority), in bytes.
 *
 * bytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbIngressUsage
{
    uint64_t bytes{0};         //!< bytes in the buffer
    uint64_t reservedBytes{0}; //!< bytes in the reserve
    uint64_t sharedBytes{0};   //!< bytes in the shared part
    uint64_t headroomBytes{0}; //!< bytes in headroom
    uint64_t headroomLimit{0}; //!< maximum headroom; 0 for a lossy class
    uint64_t threshold{0};     //!< current limit of shared bytes, above which XOFF or drops occur
    uint64_t peakBytes{0};     //!< greatest value of bytes in the run
    uint64_t peakHeadroomBytes{0}; //!< greatest value of headroomBytes in the run
    bool paused{false};            //!< the class is between XOFF and XON
};

/**
 * \ingroup rdma
 * Usage of the whole buffer, in bytes.
 *
 * usedBytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbBufferUsage
{
    uint64_t sizeBytes{0};         //!< memory of the switch
    uint64_t usedBytes{0};         //!< bytes in use
    uint64_t peakUsedBytes{0};     //!< greatest value of usedBytes in the run
    uint64_t reservedSize{0};      //!< bytes set aside for reserves
    uint64_t reservedBytes{0};     //!< reserve bytes in use
    uint64_t sharedSize{0};        //!< size of the shared part
    uint64_t sharedBytes{0};       //!< shared bytes in use
    uint64_t headroomSize{0};      //!< bytes set aside for headroom
    uint64_t headroomBytes{0};     //!< headroom bytes in use
    uint64_t peakHeadroomBytes{0}; //!< greatest value of headroomBytes in the run
};

/**
 * \ingroup rdma
 * Result of QbbBufferManager::Admit().
 */
struct QbbAdmission
{
    bool admitted{false}; //!< the frame is in the buffer and charged
    bool passed{false};   //!< the frame leaves at once: Release() must not be called for it
    bool xoff{false};     //!< send XOFF for the (ingress port, priority) of the frame
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< drop reason if not admitted
    /// Not admitted yet: drop the last frame of the victim queue, and call Admit() again.
    bool pushOut{false};
    uint8_t victimPriority{0}; //!< priority of the victim queue
    uint16_t victimPort{0};    //!< egress port of the victim queue
};

/**
 * \ingroup rdma
 * An ingress port and a class of frames that arrive there.
 */
struct QbbIngressClass
{
    uint16_t port{0};    //!< ingress port number
    uint8_t priority{0}; //!< class 0..7
};

/**
 * \ingroup rdma
 * Settings that apply to an (ingress port, class), for reports.
 */
struct QbbIngressTerms
{
    bool lossless{false};          //!< frames of the class must not be lost
    uint64_t reserveBytes{0};      //!< reserve of the (port, class)
    uint64_t limitBytes{0};        //!< constant part of the threshold for shared bytes
    double alpha{0};               //!< factor of the pool's free bytes in the threshold
    uint64_t poolBytes{0};         //!< shared bytes of the pool
    uint64_t headroomBytes{0};     //!< maximum headroom of the (port, class)
    uint64_t headroomPoolBytes{0}; //!< headroom of all groups of the pool together

    /** \param other terms \return true if everything but the sizes of memory and headroom is equal
     */
    bool HasSameThreshold(const QbbIngressTerms& other) const
    {
        return lossless == other.lossless && reserveBytes == other.reserveBytes &&
               limitBytes == other.limitBytes && alpha == other.alpha;
    }
};

/**
 * \ingroup rdma
 * Peaks of one (ingress port, priority), in bytes, as a reader of peaks reads them.
 */
struct QbbIngressPeaks
{
    uint64_t bytes{0};         //!< greatest value of QbbIngressUsage::bytes
    uint64_t headroomBytes{0}; //!< greatest value of QbbIngressUsage::headroomBytes
};

/**
 * \ingroup rdma
 * Decides which frames a switch admits to its buffer, and when a sender must pause.
 *
 * A buffer manager knows port numbers, priorities and sizes, but no frames or devices. Its life
 * cycle:
 *
 * 1. The switch calls Configure() with its ports before the first frame, and again whenever a port
 *    is added or changed while the buffer is empty.
 * 2. The switch calls Admit() when a frame has arrived completely and its egress port is known. If
 *    the result has xoff set, the ingress port asks its peer to pause the priority, whether or not
 *    the frame was admitted. An admitted frame is charged to its (ingress port, priority) and to
 *    its (egress port, priority). The switch counts the drop of a refused frame at the ingress
 *    port, or for EGRESS_LIMIT at the egress port.
 * 3. The switch calls Release() with the arguments of Admit() when the frame leaves the buffer,
 *    whether it is sent or dropped because a link went down. If Release() returns true,
 *    TakeResumed() names the peers that may resume. They may include peers other than the sender of
 *    the frame.
 *
 * XOFF and XON alternate for each (ingress port, priority). A paused (ingress port, priority)
 * either holds bytes or waits for memory that others hold, so that a later Release() resumes it. A
 * peer forgets the pause when its link goes down; the port's QbbPauseSender repeats the pause when
 * the link comes up.
 *
 * Admit() takes constant time without allocation. So does Release(), unless it resumes a peer.
 *
 * **Writing a policy.** The public functions are the same for all policies. They keep the accounts
 * (Group, Queue, Pool): bytes, peaks and pauses of groups, and bytes of queues and pools. A policy
 * is a class with attributes and four private functions:
 *
 * - DoConfigure() divides the memory among pools, groups and queues (Layout). MakeOnePool() gives a
 *   starting point: one pool for all.
 * - DoAdmit() decides about a frame: share, take headroom, drop or push out; pause or not. It reads
 *   the accounts and does not change them.
 * - DoGetXonNeed() returns the number of free bytes that a paused group waits for. By default, a
 *   paused group resumes with the next frame that leaves.
 * - DoRelease() is called for every frame that leaves. It does nothing by default and is meant for
 *   policies that keep more state than the accounts.
 *
 * Reports try out a policy on an object made by Copy(). They name the attributes that
 * GetXoffAttribute() and GetSizeAttribute() return.
 *
 * The base class charges an admitted frame, and releases its bytes in the order headroom, shared
 * part, reserve. It pauses a group at most once. It does not pause a group if neither the group nor
 * its pool holds anything, because no departing frame could resume the group. It checks paused
 * groups again when enough bytes are free, and moves the headroom bytes of a resumed group to the
 * shared part. It aborts with a message if a policy admits more than a pool, a reserve or a
 * headroom holds. Example: examples/own/rdma-own-buffer.cc.
 */
class alignas(RDMA_CACHE_LINE) QbbBufferManager : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t PRIORITIES = 8; //!< priorities of a port
    /// More bytes than any pool can have free: a condition that is never met.
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

    /**
     * Sets up the buffer for the given ports, with the current attributes. Aborts with a message if
     * the buffer is not empty.
     *
     * \param ports one profile per port, by port number; at most 65535
     * \throws std::invalid_argument if a port's profile is invalid, or if the memory is too small
     *         for its guarantees. The buffer then has no ports
     */
    void Configure(const std::vector<QbbPortProfile>& ports);

    /** Locks the attributes, because the memory is not divided again during the simulation. */
    void SetRunning()
    {
        m_running = true;
    }

    /**
     * Decides about a received frame and charges it if admitted.
     *
     * \param ingressPort ingress port of the frame
     * \param egressPort egress port of the frame
     * \param priority class of the frame, 0..7
     * \param bytes size of the frame with FCS, at least 1
     * \param passes true: an admitted frame leaves at once. Release() follows unless the answer is
     *        that the frame has passed
     * \return whether the frame is admitted, and whether its sender must pause
     */
    QbbAdmission Admit(uint16_t ingressPort,
                       uint16_t egressPort,
                       uint8_t priority,
                       uint32_t bytes,
                       bool passes = false);

    /**
     * Releases the memory of a departing frame. Aborts if more is released than was admitted.
     *
     * \param ingressPort ingress port of the frame
     * \param egressPort egress port of the frame
     * \param priority class of the frame, 0..7
     * \param bytes size of the frame with FCS
     * \return true if peers must be resumed now; see TakeResumed()
     */
    bool Release(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes);

    /** Prefetches the members that PrefetchGroup(), PrefetchQueue() and Admit() read. */
    void PrefetchAccounts() const
    {
        RdmaPrefetchLines(this, 2);
    }

    /** Prefetches the pool of an ingress group for Admit(). To be called some time after
     * PrefetchGroup(). \param ingressPort port number \param priority class 0..7 */
    void PrefetchPool(uint16_t ingressPort, uint8_t priority) const
    {
        RdmaPrefetch(&GetPool(GetGroup(ingressPort, priority)));
    }

    /** Prefetches an ingress group for Admit().
     * \param ingressPort port number \param priority class 0..7 */
    void PrefetchGroup(uint16_t ingressPort, uint8_t priority) const
    {
        RdmaPrefetch(&GetGroup(ingressPort, priority));
    }

    /** Prefetches an egress queue for Admit().
     * \param egressPort port number \param priority class 0..7 */
    void PrefetchQueue(uint16_t egressPort, uint8_t priority) const
    {
        RdmaPrefetch(&GetQueue(egressPort, priority));
    }

    /** Names each (ingress port, priority) that must be resumed, once.
     * \return the next one, or nothing when all have been named */
    std::optional<QbbIngressClass> TakeResumed()
    {
        return m_resumed.IsEmpty() ? std::nullopt : std::optional(m_resumed.Pop());
    }

    /**
     * \param ingressPort port number
     * \param priority class 0..7
     * \return true if the class is between XOFF and XON
     */
    bool IsPaused(uint16_t ingressPort, uint8_t priority) const;

    /**
     * Predicts whether a pause can end although some frames never leave. If the result is false,
     * the pause does not end. Meant for QbbDeadlockDetector; too slow for each frame.
     *
     * \param ingressPort port number
     * \param priority paused class, 0..7
     * \param stuckBytes bytes that never leave, by 8 * ingress port + priority; all other bytes are
     *        assumed to leave, and no frame to arrive
     * \return true if the (ingress port, priority) would be resumed
     */
    bool MayResume(uint16_t ingressPort,
                   uint8_t priority,
                   const std::vector<uint64_t>& stuckBytes) const;

    /**
     * \param ingressPort port number
     * \param priority class 0..7; the number of a priority group if classes are mapped to groups
     * \return bytes charged to the group
     */
    QbbIngressUsage GetIngress(uint16_t ingressPort, uint8_t priority) const;

    /**
     * \param egressPort port number
     * \param priority class 0..7
     * \return bytes in the buffer that wait for the (egress port, priority)
     */
    uint64_t GetEgressBytes(uint16_t egressPort, uint8_t priority) const;

    /**
     * \param ingressPort port number
     * \param priority class 0..7
     * \return bytes charged to the group of the class
     */
    QbbIngressUsage GetIngressOfClass(uint16_t ingressPort, uint8_t priority) const;

    /**
     * \param ingressPort port number
     * \param priority class 0..7
     * \return settings that apply to the class, after Configure()
     */
    QbbIngressTerms GetTerms(uint16_t ingressPort, uint8_t priority) const;

    /**
     * Makes a buffer manager with the same settings and empty accounts, to try out decisions of the
     * policy without a change of this object. A policy with settings beyond its attributes
     * overrides the function and copies these settings too.
     *
     * \return an object of the same class with the same values of all attributes; null if the class
     *         has no constructor for ns-3's object factory
     */
    virtual Ptr<QbbBufferManager> Copy() const;

    /**
     * \return name of the attribute that sets the threshold of a pause in bytes; empty, the
     *         default: there is none
     */
    virtual std::string GetXoffAttribute() const
    {
        return "";
    }

    /** \return name of the attribute that sets the size of the memory; empty: there is none */
    virtual std::string GetSizeAttribute() const
    {
        return "BufferSize";
    }

    /**
     * Bounds the bytes that can wait for an egress port, after Configure(). Retransmission timeouts
     * follow from it.
     *
     * \param priority class 0..7
     * \return largest queue of the class at each egress port, in bytes, by port number; the
     *         default: all the memory at each port
     */
    virtual std::vector<uint64_t> GetLongestQueues(uint8_t priority) const;

    /**
     * \param needed headroom that a lossless class of each port needs (QbbPfcHeadroom), by port
     * \return bit p set: frames of lossless class p may get lost, because a port has less headroom,
     *         or a pool has less than all its ports need at once
     */
    uint8_t GetClassesShortOfHeadroom(const std::vector<uint64_t>& needed) const;

    /** \return usage of the whole buffer */
    QbbBufferUsage GetUsage() const;

    /** \return true if every account is zero and nothing is paused */
    bool IsEmpty() const;

    /** \return the switch that uses the buffer manager */
    QbbSoleSwitch& GetSoleSwitch()
    {
        return m_soleSwitch;
    }

    /** \return a new reader of the peaks of the groups, for ReadPeaks() */
    RdmaPeakReaders::Reader AddPeakReader();

    /**
     * Reads the peaks of all groups since the reader's latest reading, or since AddPeakReader().
     *
     * \param reader a reader of this buffer
     * \return peaks by 8 * ingress port + priority, with the numbers of GetIngress(); empty before
     *         Configure()
     */
    std::vector<QbbIngressPeaks> ReadPeaks(const RdmaPeakReaders::Reader& reader);

    /** \return number of configured ports */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_layout.groups.size()) / PRIORITIES;
    }

  protected:
    // The accounts: the bytes held by each group, queue and pool. A group is an (ingress port,
    // priority group). Its bytes are in its reserve, in the shared part of its pool, or in the
    // headroom of its pool. A queue is an (egress port, priority). Every frame is charged to one
    // group and to one queue.

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
        uint64_t freeForXon{NEVER};

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

    /** Condition for a paused group to resume. */
    struct XonNeed
    {
        /// Free bytes of the group's pool; NEVER: wait until the group's own bytes leave.
        uint64_t freeBytes{0};
        bool waitsForHeadroom{false}; //!< freeBytes shrinks when other groups release headroom
    };

    /** Aborts with a message after SetRunning(). */
    void RefuseWhileRunning() const;

    /**
     * \tparam Value the attribute's value class
     * \tparam Member a data member of the policy
     * \return accessor of an attribute that must not be set while the switch runs
     */
    template <typename Value, auto Member>
    static Ptr<const AttributeAccessor> MakeAttribute()
    {
        return MakeAccessorHelper<Value>(&QbbBufferManager::Set<Member>,
                                         &QbbBufferManager::Get<Member>);
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

    /**
     * \param ports the ports
     * \param bytes total memory
     * \return a layout with one pool of all the memory, without reserves, headroom and limits;
     *         groups are lossless according to the port profiles
     */
    static Layout MakeOnePool(const std::vector<QbbPortProfile>& ports, uint64_t bytes);

    /**
     * \param port port number
     * \param priority class 0..7
     * \return 8 * port + priority; aborts with a message if the port or the class does not exist
     */
    uint32_t GetIndex(uint16_t port, uint8_t priority) const;

    /** \return name of the C++ class, for messages */
    std::string GetName() const;

  private:
    /**
     * \param ports the ports
     * \return division of the memory among the ports, according to the attributes
     */
    virtual Layout DoConfigure(const std::vector<QbbPortProfile>& ports) = 0;

    /**
     * Decides about a frame.
     *
     * \param group ingress group that the frame would be charged to
     * \param queue egress queue of the frame
     * \param bytes memory that the frame takes, in whole cells
     * \return the decision
     */
    virtual QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) = 0;

    /**
     * Called when a frame has left and its bytes have been released.
     *
     * \param group ingress group that the frame was charged to
     * \param queue egress queue of the frame
     * \param bytes memory that the frame took, in whole cells
     */
    virtual void DoRelease(const Group& group, const Queue& queue, uint32_t bytes);

    /**
     * States when a paused group may resume. The result may depend on the group and on the headroom
     * of its pool.
     *
     * \param group a paused group, in its current or a hypothetical state
     * \param pool pool of the group, in its current or a hypothetical state
     * \return the condition for the group to resume
     */
    virtual XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const;

    template <typename Class, typename T>
    static Class* GetClass(T Class::*member);
    template <typename Class, typename T>
    static T GetType(T Class::*member);

    /// Class of a pointer to member.
    template <auto Member>
    using ClassOf = std::remove_pointer_t<decltype(GetClass(Member))>;

    template <auto Member>
    void Set(decltype(GetType(Member)) value)
    {
        RefuseWhileRunning();
        static_cast<ClassOf<Member>&>(*this).*Member = value;
    }

    template <auto Member>
    decltype(GetType(Member)) Get() const
    {
        return static_cast<const ClassOf<Member>&>(*this).*Member;
    }

    /** \param group one of GetGroups() \return usage of the group, with peaks since TakePeaks() */
    QbbIngressUsage GetUsage(const Group& group) const;

    /** \param ingressPort port number \param priority class \return the group, to be changed */
    Group& GroupOf(uint16_t ingressPort, uint8_t priority)
    {
        return m_layout.groups[ingressPort * PRIORITIES + m_layout.groupOfClass[priority]];
    }

    /** \param egressPort port number \param priority class \return the queue, to be changed */
    Queue& QueueOf(uint16_t egressPort, uint8_t priority)
    {
        return m_layout.queues[egressPort * PRIORITIES + priority];
    }

    /** \param group a group \return its pool, to be changed */
    Pool& PoolOf(const Group& group)
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
    bool TryPassUncharged(Group& group, uint32_t bytes, const QbbBufferDecision& decision)
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
     * Takes the latest peaks of the groups, for the one owner that passes them to RdmaPeakReaders.
     *
     * \return by group, the peak since the previous call, and then the peak of headroom
     */
    std::vector<uint64_t> TakePeaks();

    /** \return the current values of the counters of TakePeaks() */
    std::vector<uint64_t> GetBytesByGroup() const;

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

    void SetLayout(Layout layout);
    QbbAdmission Refuse(Group& group, QbbBufferDecision decision);
    bool PauseOnce(Group& group);
    XonNeed GetXonNeed(const Group& group, const Pool& pool) const;
    void RecordXonNeed(const Group& group, Pool& pool) const;
    bool FinishRelease(const Group& group, const Queue& queue, Pool& pool, uint32_t bytes);
    bool ResumeGroups(const Group& released, Pool& pool);
    [[noreturn]] void RefuseRelease(const Group& group,
                                    const Queue& queue,
                                    uint8_t priority,
                                    uint32_t bytes) const;

    // Members that every frame needs share cache lines. A large fabric has more switches than the
    // CPU caches hold, so each of these lines is a cache miss.

    bool m_running{false};          //!< SetRunning() was called
    bool m_callsDoRelease{true};    //!< false once DoRelease() is known not to be overridden
    uint64_t m_used{0};             //!< bytes in use
    uint64_t m_peakUsed{0};         //!< peak of m_used
    Layout m_layout;                //!< limits and accounts
    uint64_t m_headroomUsed{0};     //!< bytes of headroom in use
    uint64_t m_peakHeadroomUsed{0}; //!< peak of m_headroomUsed
    RdmaRingBuffer<QbbIngressClass>
        m_resumed;                 //!< resumed classes that TakeResumed() has not returned yet
    QbbSoleSwitch m_soleSwitch;    //!< the switch that uses the buffer manager
    RdmaPeakReaders m_peakReaders; //!< readers of the peaks of groups
};

// Admit() and Release() are inlined because each frame passes through both at each switch.

[[gnu::always_inline]] inline QbbAdmission
QbbBufferManager::Admit(uint16_t ingressPort,
                        uint16_t egressPort,
                        uint8_t priority,
                        uint32_t bytes,
                        bool passes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    NS_ASSERT_MSG(bytes > 0, "a frame of no bytes");
    Group& group = GroupOf(ingressPort, priority);
    Queue& queue = QueueOf(egressPort, priority);
    const uint32_t taken = ToCells(bytes);
    const QbbBufferDecision decision = DoAdmit(group, queue, taken);
    if (decision.place > QbbBufferDecision::HEADROOM)
    {
        return Refuse(group, decision);
    }
    QbbAdmission answer;
    answer.admitted = true;
    if (passes && !decision.pause && !m_callsDoRelease && TryPassUncharged(group, taken, decision))
    {
        answer.passed = true;
        return answer;
    }
    Charge(group, queue, taken, decision);
    answer.xoff = decision.pause && PauseOnce(group);
    return answer;
}

[[gnu::always_inline]] inline bool
QbbBufferManager::Release(uint16_t ingressPort,
                          uint16_t egressPort,
                          uint8_t priority,
                          uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    Group& group = GroupOf(ingressPort, priority);
    Queue& queue = QueueOf(egressPort, priority);
    Pool& pool = PoolOf(group);
    const uint32_t taken = ToCells(bytes);
    if (taken > group.GetBytes() || taken > queue.bytes)
    {
        RefuseRelease(group, queue, priority, taken);
    }
    Credit(group, pool, queue, taken);
    return (m_callsDoRelease || !pool.paused.empty()) && FinishRelease(group, queue, pool, taken);
}

} // namespace ns3

#endif /* QBB_BUFFER_MANAGER_H */
