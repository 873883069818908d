/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_MANAGER_H
#define QBB_BUFFER_MANAGER_H

#include "qbb-admission.h"
#include "qbb-buffer-books.h"
#include "qbb-buffer-settings.h"
#include "qbb-ingress-class.h"
#include "qbb-ingress-terms.h"
#include "qbb-peak-readers.h"
#include "qbb-port-profile.h"
#include "qbb-prefetch.h"
#include "qbb-ring.h"
#include "qbb-sole-switch.h"

#include <ns3/assert.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

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
 *    its (egress port, priority).
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
 * (QbbBufferBooks): bytes, peaks and pauses of groups, and bytes of queues and pools. A policy is a
 * class with attributes and four private functions:
 *
 * - DoConfigure() divides the memory among pools, groups and queues (QbbBufferBooks::Layout).
 *   MakeOnePool() gives a starting point: one pool for all.
 * - DoAdmit() decides about a frame: share, take headroom, drop or push out; pause or not. It reads
 *   the accounts (GetBooks()) and does not change them.
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
class alignas(QBB_CACHE_LINE) QbbBufferManager : public QbbBufferSettings
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t PRIORITIES = QbbBufferBooks::PRIORITIES; //!< priorities of a port

    /**
     * Sets up the buffer for the given ports, with the current attributes. Aborts with a message if
     * the buffer is not empty, if a port's profile is invalid, or if the memory is too small for
     * its guarantees.
     *
     * \param ports one profile per port, by port number; at most 65535
     */
    void Configure(const std::vector<QbbPortProfile>& ports);

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
    void PrefetchBooks() const
    {
        QbbPrefetchLines(this, 2);
    }

    /** Prefetches the pool of an ingress group for Admit(). To be called some time after
     * PrefetchGroup(). \param ingressPort port number \param priority class 0..7 */
    void PrefetchPool(uint16_t ingressPort, uint8_t priority) const
    {
        QbbPrefetch(&m_books.GetPool(m_books.GetGroup(ingressPort, priority)));
    }

    /** Prefetches an ingress group for Admit().
     * \param ingressPort port number \param priority class 0..7 */
    void PrefetchGroup(uint16_t ingressPort, uint8_t priority) const
    {
        QbbPrefetch(&m_books.GetGroup(ingressPort, priority));
    }

    /** Prefetches an egress queue for Admit().
     * \param egressPort port number \param priority class 0..7 */
    void PrefetchQueue(uint16_t egressPort, uint8_t priority) const
    {
        QbbPrefetch(&m_books.GetQueue(egressPort, priority));
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
    QbbBufferUsage GetUsage() const
    {
        return m_books.GetUsage();
    }

    /** \return true if every account is zero and nothing is paused */
    bool IsEmpty() const
    {
        return m_books.IsEmpty();
    }

    /** \return the switch that uses the buffer manager */
    QbbSoleSwitch& GetSoleSwitch()
    {
        return m_soleSwitch;
    }

    /** \return a new reader of the peaks of the groups, for ReadPeaks() */
    QbbPeakReaders::Reader AddPeakReader();

    /**
     * Reads the peaks of all groups since the reader's latest reading, or since AddPeakReader().
     *
     * \param reader a reader of this buffer
     * \return peaks by 8 * ingress port + priority, with the numbers of GetIngress(); empty before
     *         Configure()
     */
    std::vector<QbbIngressPeaks> ReadPeaks(const QbbPeakReaders::Reader& reader);

    /** \return number of configured ports */
    uint32_t GetNPorts() const
    {
        return m_books.GetNPorts();
    }

  protected:
    using Group = QbbBufferBooks::Group;   //!< an (ingress port, priority group)
    using Pool = QbbBufferBooks::Pool;     //!< memory shared by groups, or a limit shared by queues
    using Queue = QbbBufferBooks::Queue;   //!< an (egress port, priority)
    using Layout = QbbBufferBooks::Layout; //!< division of the memory

    /** Condition for a paused group to resume. */
    struct XonNeed
    {
        /// Free bytes of the group's pool; QbbBufferBooks::NEVER: wait until the group's own bytes
        /// leave.
        uint64_t freeBytes{0};
        bool waitsForHeadroom{false}; //!< freeBytes shrinks when other groups release headroom
    };

    /** \return the accounts */
    const QbbBufferBooks& GetBooks() const
    {
        return m_books;
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

    QbbAdmission Refuse(Group& group, QbbBufferDecision decision);
    bool PauseOnce(Group& group);
    XonNeed GetXonNeed(const Group& group, const Pool& pool) const;
    void NoteNeed(const Group& group, Pool& pool) const;
    bool HearRelease(const Group& group, const Queue& queue, Pool& pool, uint32_t bytes);
    bool ResumeThoseThatMay(const Group& released, Pool& pool);
    [[noreturn]] void RefuseRelease(const Group& group,
                                    const Queue& queue,
                                    uint8_t priority,
                                    uint32_t bytes) const;

    bool m_hearsReleases{true};         //!< false once DoRelease() is known not to be overridden
    QbbBufferBooks m_books;             //!< accounts of groups, queues and pools
    QbbRing<QbbIngressClass> m_resumed; //!< resumed classes that TakeResumed() has not returned yet
    QbbSoleSwitch m_soleSwitch;         //!< the switch that uses the buffer manager
    QbbPeakReaders m_peakReaders;       //!< readers of the peaks of groups
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
    Group& group = m_books.GetGroup(ingressPort, priority);
    Queue& queue = m_books.GetQueue(egressPort, priority);
    const uint32_t taken = m_books.ToCells(bytes);
    const QbbBufferDecision decision = DoAdmit(group, queue, taken);
    if (decision.place > QbbBufferDecision::HEADROOM)
    {
        return Refuse(group, decision);
    }
    QbbAdmission answer;
    answer.admitted = true;
    if (passes && !decision.pause && !m_hearsReleases &&
        m_books.NotePassing(group, taken, decision))
    {
        answer.passed = true;
        return answer;
    }
    m_books.Charge(group, queue, taken, decision);
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
    Group& group = m_books.GetGroup(ingressPort, priority);
    Queue& queue = m_books.GetQueue(egressPort, priority);
    Pool& pool = m_books.GetPool(group);
    const uint32_t taken = m_books.ToCells(bytes);
    if (taken > group.GetBytes() || taken > queue.bytes)
    {
        RefuseRelease(group, queue, priority, taken);
    }
    m_books.Credit(group, pool, queue, taken);
    return (m_hearsReleases || !pool.paused.empty()) && HearRelease(group, queue, pool, taken);
}

} // namespace ns3

#endif /* QBB_BUFFER_MANAGER_H */
