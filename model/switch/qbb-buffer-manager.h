/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_MANAGER_H
#define QBB_BUFFER_MANAGER_H

#include "qbb-port-counters.h"
#include "qbb-ring.h"

#include <ns3/object.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a buffer manager has to know of a switch port and of the link at it.
 *
 * All of it is worked with once, in QbbBufferManager::Configure().
 */
struct QbbPortProfile
{
    uint64_t rateBps{0};     //!< what this port sends at, in bit/s
    uint64_t peerRateBps{0}; //!< what its peer sends at, in bit/s; 0: the same
    int64_t delayPs{0};      //!< cable, one way, in ps
    /// From the last bit of a pause frame at the peer until the peer begins no new frame, in ps.
    int64_t reactionPs{0};
    uint32_t maxFrameBytes{1522}; //!< largest frame of any class that this port sends, with FCS
    /// Largest frame of a lossless class that the peer sends, with FCS; 0: as maxFrameBytes.
    uint32_t peerMaxFrameBytes{0};
    uint32_t lineOverheadBytes{20}; //!< preamble and gap of a frame on the line: 20, or 0
    uint8_t losslessMask{0};        //!< bit p set: what comes in with priority p may not be lost
    /// The pause of one lossless priority stops all of them (802.3x), so that one headroom serves
    /// all.
    bool oneHeadroom{false};
    uint8_t usedMask{0xff}; //!< bit p set: priority p is in use and gets a reserve
};

/**
 * \ingroup rdma
 * The answer to QbbBufferManager::Admit().
 */
struct QbbAdmission
{
    bool admitted{false};                             //!< the frame is in the buffer, and charged
    bool xoff{false};                                 //!< pause (ingress port, priority) now
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< why not, if it was not admitted
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
 * How one (ingress port, priority) stands. Bytes.
 *
 * bytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbIngressUsage
{
    uint32_t bytes{0};             //!< in the buffer
    uint32_t reservedBytes{0};     //!< of these, in its own reserve
    uint32_t sharedBytes{0};       //!< of these, in memory that everybody shares
    uint32_t headroomBytes{0};     //!< of these, in headroom
    uint32_t headroomLimit{0};     //!< most headroom that it may take; 0 for a lossy one
    uint64_t threshold{0};         //!< shared bytes at which it is paused, or drops, at present
    uint32_t peakBytes{0};         //!< highest bytes since ResetPeaks()
    uint32_t peakHeadroomBytes{0}; //!< highest headroomBytes since ResetPeaks()
    bool paused{false};            //!< XOFF was asked for, and XON not yet
};

/**
 * \ingroup rdma
 * How the whole buffer stands. Bytes.
 *
 * usedBytes = reservedBytes + sharedBytes + headroomBytes at every instant.
 */
struct QbbBufferUsage
{
    uint64_t sizeBytes{0};         //!< the chip's memory
    uint64_t usedBytes{0};         //!< frames in it
    uint64_t peakUsedBytes{0};     //!< highest usedBytes since ResetPeaks()
    uint64_t reservedSize{0};      //!< set apart for reserves
    uint64_t reservedBytes{0};     //!< in use of these
    uint64_t sharedSize{0};        //!< left to be shared
    uint64_t sharedBytes{0};       //!< in use of these
    uint64_t headroomSize{0};      //!< set apart for headroom
    uint64_t headroomBytes{0};     //!< in use of these
    uint64_t peakHeadroomBytes{0}; //!< highest headroomBytes since ResetPeaks()
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
 */
class QbbBufferManager : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t PRIORITIES = 8; //!< priorities of a port

    /**
     * Sets up the buffer for these ports, with the attributes as they are now. Ends the program
     * with a message if the buffer is not empty, if a port's profile makes no sense, or if the
     * memory is too small for what it has to guarantee.
     *
     * \param ports one profile for each port, by port number; at most 65535
     */
    virtual void Configure(const std::vector<QbbPortProfile>& ports) = 0;

    /**
     * \param ingressPort where the frame came in
     * \param egressPort where it is to go out
     * \param priority its class, 0..7
     * \param bytes its size with FCS, at least 1
     * \return whether it may stay, and whether its sender is to be paused
     */
    virtual QbbAdmission Admit(uint16_t ingressPort,
                               uint16_t egressPort,
                               uint8_t priority,
                               uint32_t bytes) = 0;

    /**
     * An admitted frame leaves. Ends the program if more is released than was admitted.
     *
     * \param ingressPort where the frame came in
     * \param egressPort where it goes out
     * \param priority its class, 0..7
     * \param bytes its size with FCS
     * \return true if somebody is to be resumed now: see TakeResumed()
     */
    virtual bool Release(uint16_t ingressPort,
                         uint16_t egressPort,
                         uint8_t priority,
                         uint32_t bytes) = 0;

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
    virtual bool IsPaused(uint16_t ingressPort, uint8_t priority) const = 0;

    /**
     * Whether a pause can end although some frames never leave. Asked by QbbDeadlockDetector, not
     * for every frame. Where it says no the pause does not end. This one here says yes as long as
     * anything of (ingressPort, priority) can leave, which suits managers in which a pause depends
     * on that alone.
     *
     * \param ingressPort port number
     * \param priority class 0..7, paused
     * \param stuckBytes for 8 * ingress port + priority, the bytes of it that stay for ever; of
     *        all the others it is to be assumed that they leave, and that nothing comes in
     * \return true if (ingressPort, priority) would be resumed
     */
    virtual bool MayResume(uint16_t ingressPort,
                           uint8_t priority,
                           const std::vector<uint64_t>& stuckBytes) const;

    /**
     * \param ingressPort port number
     * \param priority class 0..7; a priority group where classes are mapped to groups
     * \return what is charged to it
     */
    virtual QbbIngressUsage GetIngress(uint16_t ingressPort, uint8_t priority) const = 0;

    /**
     * \param egressPort port number
     * \param priority class 0..7
     * \return bytes in the buffer that are to leave there
     */
    virtual uint32_t GetEgressBytes(uint16_t egressPort, uint8_t priority) const = 0;

    /** \return how the whole buffer stands */
    virtual QbbBufferUsage GetUsage() const = 0;

    /** \return true if every counter is zero and nothing is paused */
    virtual bool IsEmpty() const = 0;

    /** Sets every peak to the present value. */
    virtual void ResetPeaks() = 0;

    /** \return how many ports were configured */
    virtual uint32_t GetNPorts() const = 0;

    /** From now on the attributes must stay as they are, because nothing is divided again. */
    void SetRunning()
    {
        m_running = true;
    }

  protected:
    /** Ends the program with a message after SetRunning(). */
    void RefuseWhileRunning() const;

    /**
     * For Release(), before it answers true: this is to be resumed.
     *
     * \param ingressPort port number
     * \param priority class 0..7
     */
    void Resume(uint16_t ingressPort, uint8_t priority)
    {
        m_resumed.Push({ingressPort, priority});
    }

  private:
    QbbRing<QbbIngressClass> m_resumed; //!< what TakeResumed() has not named yet
    bool m_running{false};              //!< SetRunning()
};

} // namespace ns3

#endif /* QBB_BUFFER_MANAGER_H */
