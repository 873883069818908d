/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_H
#define QBB_SHARED_BUFFER_H

#include "qbb-buffer-manager.h"
#include "qbb-buffer-plan.h"
#include "qbb-shared-memory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Memory shared by all ports, as in the merchant chips of datacentre switches.
 *
 * The memory is divided, once, in Configure():
 *
 *     BufferSize = reserves            ReserveBytes for each (port, priority) in use
 *                + headroom            for each (port, lossless priority), or one pool for all
 *                + shared              the rest
 *
 * Ingress. A frame fills the reserve of its (ingress port, priority) first, byte by byte. What is
 * left of it goes to the shared part, if the shared bytes of that (port, priority) stay at or below
 *
 *     threshold = alpha x (free bytes of the shared part)
 *
 * (dynamic threshold of Choudhury and Hahne, 1998; alpha is LosslessAlpha or LossyAlpha) or, for
 * lossless priorities, the static XoffBytes, and if the shared part has room. If not, a lossy frame
 * is dropped; a lossless one makes its (port, priority) XOFF, unless it is so already, and goes to
 * headroom. Headroom is taken by a (port, priority) that was told to pause and by no other. If the
 * headroom is full, the frame is dropped (HEADROOM_FULL), which a sender that obeys PFC and a
 * headroom of the computed size rule out. A drop means XOFF, too, also for a (port, priority) that
 * holds nothing, as it may where headroom is a pool; not if nobody holds memory of its pool, since
 * then there is none to wait for.
 *
 * Release gives a (port, priority)'s bytes back in the order headroom, shared, reserve. XON comes
 * as soon as the memory allows it, whoever made the room: the bytes in headroom fit into the shared
 * part, and with them there, its shared bytes are at or below threshold - XonOffsetBytes (the
 * hysteresis of SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH). They are moved there, which makes the
 * headroom whole for the next XOFF. XON also comes to one that holds nothing, however small the
 * threshold is, if all of its headroom can be had. Those that were paused first resume first.
 *
 * Egress. All frames are counted by (egress port, priority), but only those of a class that is
 * lossy at their ingress port are limited: the queue, the frame included, may hold
 * EgressLimitBytes, or where that is 0
 *
 *     EgressMinBytes + LossyEgressAlpha x (free bytes of the shared part)
 *
 * Pools. LossyPoolBytes sets memory apart that lossy classes share among themselves, as
 * ingress_lossy_pool does in SONiC; lossless ones share the rest. LossyEgressPoolBytes limits all
 * queues together: the sum, over the queues, of the bytes above EgressMinBytes that frames of lossy
 * groups have. LossyEgressAlpha then multiplies the free bytes of this limit.
 * ClassAlphas and ClassEgressAlphas give single classes an alpha of their own. SetPlan() replaces
 * all of this by pools and profiles for each port, with priority groups that several lossy classes
 * may share, XON at a number of bytes, and limits for lossless queues, too.
 *
 * Defaults are those of the example of a 40 Gb/s switch in SONiC's Configuration guide (reserve of
 * a lossless class 1248 B, its alpha 2^-3; lossy classes at ingress 2^3; an egress queue's minimum
 * 1518 B), for 12 MiB of memory (Guo 2016 names 9 and 12 MB; DCQCN's switches have 12 MB). The
 * lossy egress alpha is 1, as in SONiC's templates for chips where lossy and lossless egress queues
 * share one pool: a single lossy queue takes at most half of it.
 *
 * All sizes are bytes; the memory is at most 4 GiB - 1.
 */
class QbbSharedBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * \param ports the ports of a switch
     * \return the sum of reserves and headroom, with the attributes as they are now: BufferSize
     * must be larger. Ends the program with a message if a port's profile makes no sense.
     */
    uint64_t GetGuaranteedBytes(const std::vector<QbbPortProfile>& ports) const;

    /**
     * Divides the memory by pools and profiles, in place of the attributes ReserveBytes to
     * LossyEgressPoolBytes. Ends the program with a message if the plan makes no sense.
     *
     * \param plan the plan, for the next Configure()
     */
    void SetPlan(const QbbBufferPlan& plan);

    /** \return bytes that queue 0 of port 0 may hold at present if its class is lossy */
    uint64_t GetEgressLimit() const;

    /**
     * \param egressPort port number
     * \param priority class 0..7
     * \return bytes that its queue may hold at present if the class is lossy
     */
    uint64_t GetEgressLimit(uint16_t egressPort, uint8_t priority) const;

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override;
    QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) override;
    XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const override;

    template <typename Value, auto Member>
    static Ptr<const AttributeAccessor> MakeSetting();
    template <auto Member>
    void SetAlphas(std::string text);
    template <auto Member>
    std::string GetAlphas() const;

    QbbSharedBufferSettings m_settings;  //!< attributes
    std::optional<QbbBufferPlan> m_plan; //!< SetPlan()
};

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_H */
