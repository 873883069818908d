/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_MANAGER_H
#define QBB_BUFFER_MANAGER_H

#include "qbb-buffer-books.h"
#include "qbb-port-profile.h"
#include "qbb-ring.h"

#include <ns3/assert.h>
#include <ns3/attribute-accessor-helper.h>
#include <ns3/object.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The answer to QbbBufferManager::Admit().
 */
struct QbbAdmission
{
    bool admitted{false};                             //!< the frame is in the buffer, and charged
    bool xoff{false};                                 //!< pause (ingress port, priority) now
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< why not, if it was not admitted
    /// Not admitted yet: drop the last frame of the victim queue, and call Admit() again.
    bool pushOut{false};
    uint8_t victimPriority{0}; //!< priority of the victim queue
    uint16_t victimPort{0};    //!< egress port of the victim queue
};

/**
 * \ingroup rdma
 * A class of frames that come in by one port.
 */
struct QbbIngressClass
{
    uint16_t port{0};    //!< where they come in
    uint8_t priority{0}; //!< 0..7
};

/**
 * \ingroup rdma
 * Decides which frames a switch has room for, and when a sender is to be paused.
 *
 * It sees port numbers, priorities and sizes, neither frames nor devices. Life of one:
 *
 * 1. The switch describes its ports with Configure(), before the first frame, and again whenever a
 *    port is added or changed while the buffer is empty.
 * 2. A frame has come in whole and its way out is known: Admit(). If the answer says xoff, the
 *    switch has its ingress port ask the peer to pause that priority, whether or not the frame was
 *    admitted. An admitted frame is charged to its ingress (port, priority) and to its egress
 *    (port, priority).
 * 3. The frame leaves the buffer, sent or flushed because a link went down: Release(), with the
 *    arguments that Admit() had. If it answers true, peers may go on sending: TakeResumed() names
 *    them. They need not be those whose frame has left, since it makes room for others, too.
 *
 * XOFF and XON alternate for each (ingress port, priority). One that is paused holds a byte, or
 * waits for memory of which others hold a byte, so that some later Release() resumes it. A peer
 * whose link went down and came up has forgotten the pause: then the switch asks IsPaused() and
 * tells it again.
 *
 * Admit() allocates nothing and takes constant time, and so does Release() unless it resumes.
 *
 * **A policy of one's own.** The public functions are the same for all policies. They keep the
 * accounts (QbbBufferBooks): the bytes, peaks and pauses of groups, the bytes of queues and pools.
 * A policy is a class with attributes and four private functions:
 *
 * - DoConfigure() divides the memory among pools, groups and queues (QbbBufferBooks::Layout).
 *   MakeOnePool() is a start: one pool for all.
 * - DoAdmit() decides about a frame: share, take headroom, drop, push out; pause or not. It sees
 *   the accounts (GetBooks()) and changes none of them.
 * - DoGetXonNeed() says how many free bytes a paused group waits for. By default a paused group
 *   resumes with the next frame that leaves.
 * - DoRelease() hears of every frame that leaves. The default does nothing. It is for policies that
 *   remember more than the accounts.
 *
 * The base charges an admitted frame, and gives its bytes back in the order headroom, shared part,
 * reserve. It pauses a group at most once, and not at all if neither the group nor its pool holds
 * anything, since then no frame that leaves could resume it. It asks again who may resume when
 * enough bytes are free, and moves the headroom of those to the shared part. It ends the program
 * with a message if a policy admits more than a pool, a reserve or a headroom holds. See
 * examples/own/rdma-own-buffer.cc.
 */
class QbbBufferManager : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t PRIORITIES = QbbBufferBooks::PRIORITIES; //!< priorities of a port

    /**
     * Sets up the buffer for these ports, with the attributes as they are now. Ends the program
     * with a message if the buffer is not empty, if a port's profile makes no sense, or if the
     * memory is too small for what it has to guarantee.
     *
     * \param ports one profile for each port, by port number; at most 65535
     */
    void Configure(const std::vector<QbbPortProfile>& ports);

    /**
     * \param ingressPort where the frame came in
     * \param egressPort where it is to go out
     * \param priority its class, 0..7
     * \param bytes its size with FCS, at least 1
     * \return whether it may stay, and whether its sender is to be paused
     */
    QbbAdmission Admit(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes);

    /**
     * An admitted frame leaves. Ends the program if more is released than was admitted.
     *
     * \param ingressPort where the frame came in
     * \param egressPort where it goes out
     * \param priority its class, 0..7
     * \param bytes its size with FCS
     * \return true if somebody is to be resumed now: see TakeResumed()
     */
    bool Release(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes);

    /**
     * Names those that are to be resumed, each once.
     *
     * \return the next (ingress port, priority), or nothing when all have been named
     */
    std::optional<QbbIngressClass> TakeResumed()
    {
        return m_resumed.IsEmpty() ? std::nullopt : std::optional(m_resumed.Pop());
    }

    /**
     * \param ingressPort port number
     * \param priority class 0..7
     * \return true between XOFF and XON
     */
    bool IsPaused(uint16_t ingressPort, uint8_t priority) const;

    /**
     * Whether a pause can end although some frames never leave. Asked by QbbDeadlockDetector, not
     * for every frame. Where it says no the pause does not end.
     *
     * \param ingressPort port number
     * \param priority class 0..7, paused
     * \param stuckBytes for 8 * ingress port + priority, the bytes of it that stay for ever; of
     *        all the others it is to be assumed that they leave, and that nothing comes in
     * \return true if (ingressPort, priority) would be resumed
     */
    bool MayResume(uint16_t ingressPort,
                   uint8_t priority,
                   const std::vector<uint64_t>& stuckBytes) const;

    /**
     * \param ingressPort port number
     * \param priority class 0..7; a priority group where classes are mapped to groups
     * \return what is charged to it
     */
    QbbIngressUsage GetIngress(uint16_t ingressPort, uint8_t priority) const;

    /**
     * \param egressPort port number
     * \param priority class 0..7
     * \return bytes in the buffer that are to leave there
     */
    uint32_t GetEgressBytes(uint16_t egressPort, uint8_t priority) const;

    /** \return how the whole buffer stands */
    QbbBufferUsage GetUsage() const
    {
        return m_books.GetUsage();
    }

    /** \return true if every counter is zero and nothing is paused */
    bool IsEmpty() const
    {
        return m_books.IsEmpty();
    }

    /** Sets every peak to the present value. */
    void ResetPeaks()
    {
        m_books.ResetPeaks();
    }

    /** \return how many ports were configured */
    uint32_t GetNPorts() const
    {
        return m_books.GetNPorts();
    }

    /** From now on the attributes must stay as they are, because nothing is divided again. */
    void SetRunning()
    {
        m_running = true;
    }

  protected:
    using Group = QbbBufferBooks::Group;   //!< an (ingress port, priority group)
    using Pool = QbbBufferBooks::Pool;     //!< what groups, or queues, share
    using Queue = QbbBufferBooks::Queue;   //!< an (egress port, priority)
    using Layout = QbbBufferBooks::Layout; //!< how the memory is divided

    /** What a paused group waits for. */
    struct XonNeed
    {
        uint64_t freeBytes{0};        //!< of its pool; QbbBufferBooks::NEVER: its own have to go
        bool waitsForHeadroom{false}; //!< freeBytes falls when others give headroom back
    };

    /** \return the accounts */
    const QbbBufferBooks& GetBooks() const
    {
        return m_books;
    }

    /**
     * \param ports the ports
     * \param bytes all memory
     * \return one pool of all the memory, without reserves, headroom and limits; groups are
     *         lossless as the ports say
     */
    static Layout MakeOnePool(const std::vector<QbbPortProfile>& ports, uint32_t bytes);

    /**
     * \param port port number
     * \param priority class 0..7
     * \return 8 * port + priority; ends the program with a message if there is none
     */
    uint32_t GetIndex(uint16_t port, uint8_t priority) const;

    /** \return the name of the class, for messages */
    std::string GetName() const;

    /** Ends the program with a message after SetRunning(). */
    void RefuseWhileRunning() const;

    /**
     * \tparam Value the attribute's value class
     * \tparam First a data member of the policy
     * \tparam Others if that is a struct, a member of it
     * \return the accessor of an attribute that is refused while the switch runs
     */
    template <typename Value, auto First, auto... Others>
    static Ptr<const AttributeAccessor> MakeAttribute()
    {
        return MakeAccessorHelper<Value>(&QbbBufferManager::Set<First, Others...>,
                                         &QbbBufferManager::Get<First, Others...>);
    }

  private:
    /**
     * \param ports the ports
     * \return how the memory is divided among them, by the attributes
     */
    virtual Layout DoConfigure(const std::vector<QbbPortProfile>& ports) = 0;

    /**
     * \param group what the frame would be charged to where it came in
     * \param queue where it is to go
     * \param bytes what it takes, in whole cells
     * \return what becomes of it
     */
    virtual QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) = 0;

    /**
     * A frame has left, and is no longer in the accounts.
     *
     * \param group what it was charged to where it came in
     * \param queue where it was
     * \param bytes what it took, in whole cells
     */
    virtual void DoRelease(const Group& group, const Queue& queue, uint32_t bytes);

    /**
     * The answer may depend on the group, and on the headroom of its pool.
     *
     * \param group a paused group, as it is or as it may become
     * \param pool its pool, likewise
     * \return what it takes for the group to resume
     */
    virtual XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const;

    template <typename Class, typename Member>
    static Class* GetClass(Member Class::*member);

    /// The class that has the member.
    template <auto First>
    using ClassOf = std::remove_pointer_t<decltype(GetClass(First))>;

    /// The type of a member, or of a member of it.
    template <auto First, auto... Others>
    using TypeOf = std::decay_t<decltype(((std::declval<ClassOf<First>&>().*First).*....*Others))>;

    template <auto First, auto... Others>
    void Set(TypeOf<First, Others...> value)
    {
        RefuseWhileRunning();
        ((static_cast<ClassOf<First>&>(*this).*First).*....*Others) = value;
    }

    template <auto First, auto... Others>
    TypeOf<First, Others...> Get() const
    {
        return ((static_cast<const ClassOf<First>&>(*this).*First).*....*Others);
    }

    QbbAdmission Refuse(Group& group, QbbBufferDecision decision);
    bool PauseOnce(Group& group);
    XonNeed GetXonNeed(const Group& group, const Pool& pool) const;
    void NoteNeed(const Group& group, Pool& pool) const;
    bool ResumeThoseThatMay(const Group& released, Pool& pool);
    [[noreturn]] void RefuseRelease(const Group& group,
                                    const Queue& queue,
                                    uint8_t priority,
                                    uint32_t bytes) const;

    QbbBufferBooks m_books;             //!< accounts of groups, queues and pools
    QbbRing<QbbIngressClass> m_resumed; //!< what TakeResumed() has not named yet
    bool m_running{false};              //!< SetRunning()
};

// Admit() and Release() are inlined into the switch, since each frame passes both at each switch.

[[gnu::always_inline]] inline QbbAdmission
QbbBufferManager::Admit(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes)
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
    m_books.Charge(group, queue, taken, decision);
    QbbAdmission answer;
    answer.admitted = true;
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
    DoRelease(group, queue, taken);
    return !pool.paused.empty() && ResumeThoseThatMay(group, pool);
}

} // namespace ns3

#endif /* QBB_BUFFER_MANAGER_H */
