/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_H
#define QBB_SHARED_BUFFER_H

#include "qbb-buffer-manager.h"
#include "qbb-buffer-plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Memory shared by all ports, as in merchant chips for datacentre switches.
 *
 * Configure() divides the memory:
 *
 *     BufferSize = reserves            ReserveBytes for each (port, priority) in use
 *                + headroom            for each (port, lossless priority), or one pool for all
 *                + shared              the rest
 *
 * Ingress: a frame first fills the reserve of its (ingress port, priority), byte by byte. The rest
 * of the frame goes to the shared part if the shared part has room, and if the shared bytes of the
 * (port, priority) stay at or below
 *
 *     threshold = alpha x (free bytes of the shared part)
 *
 * (dynamic threshold of Choudhury and Hahne, 1998; alpha is LosslessAlpha or LossyAlpha) or, for
 * lossless priorities, the static XoffBytes if set. Otherwise, a lossy frame is dropped. A lossless
 * frame triggers XOFF for its (port, priority), unless it is already paused, and goes to headroom.
 * Only a paused (port, priority) uses headroom. If the headroom is full, the frame is dropped
 * (HEADROOM_FULL), which never happens with a sender that obeys PFC and a headroom of the computed
 * size. A drop for lack of headroom also triggers XOFF, even for a (port, priority) that holds
 * nothing, which is possible with a headroom pool. XOFF is not sent if no (port, priority) holds
 * memory of the pool, because then no frame could leave and end the pause.
 *
 * Release() releases the bytes of a (port, priority) in the order headroom, shared, reserve. XON is
 * sent as soon as memory allows, no matter whose frame left. The condition is that the headroom
 * bytes fit into the shared part, and that with them the shared bytes are at or below threshold -
 * XonOffsetBytes (the hysteresis of SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH). The headroom bytes then
 * move to the shared part, which makes the entire headroom available for the next XOFF. A (port,
 * priority) that holds nothing also gets XON, however small the threshold is, if its entire
 * headroom is available. The order of resumption is the order of the pauses.
 *
 * Egress: all frames are counted by (egress port, priority), but only frames of a class that is
 * lossy at their ingress port are limited. The queue, including the new frame, may hold
 * EgressLimitBytes or, if EgressLimitBytes is 0,
 *
 *     EgressMinBytes + LossyEgressAlpha x (free bytes of the shared part)
 *
 * Pools: LossyPoolBytes sets aside memory that lossy classes share among themselves, as
 * ingress_lossy_pool does in SONiC; lossless classes share the rest. LossyEgressPoolBytes limits
 * all queues together, namely the sum, over all queues, of the bytes of lossy groups above
 * EgressMinBytes. LossyEgressAlpha then multiplies the free bytes of this limit. ClassAlphas and
 * ClassEgressAlphas set an individual alpha for single classes. SetPlan() replaces all of these by
 * pools and profiles per port. A plan allows priority groups shared by several lossy classes, XON
 * at a number of bytes, and limits for lossless queues.
 *
 * The defaults are those of a 40 Gb/s switch, an example in SONiC's Configuration guide (reserve of
 * a lossless class 1248 B, its alpha 2^-3; lossy classes at ingress 2^3; an egress queue's minimum
 * 1518 B), for 12 MiB of memory (Guo 2016 names 9 and 12 MB; DCQCN's switches have 12 MB). The
 * lossy egress alpha is 1, as in SONiC's templates for chips where lossy and lossless egress queues
 * share one pool: a single lossy queue takes at most half of it.
 *
 * All sizes are bytes; the memory is at most 1 TiB.
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
     * \return the sum of reserves, headroom and a plan's ingress pools for the current settings;
     *         BufferSize must be larger, or with a plan at least as large. Throws
     *         std::invalid_argument if a port's profile is invalid
     */
    uint64_t GetGuaranteedBytes(const std::vector<QbbPortProfile>& ports) const;

    /**
     * Divides the memory by pools and profiles, instead of all attributes except BufferSize. Throws
     * std::invalid_argument if the plan is invalid.
     *
     * \param plan the plan, for the next Configure()
     */
    void SetPlan(const QbbBufferPlan& plan);

    Ptr<QbbBufferManager> Copy() const override;

    /**
     * \param priority class 0..7
     * \return for each port the bytes that the thresholds admit if all ports send to this port and
     *         nothing else is in the memory; for a lossy class at most the limit of the queue.
     *         A queue can be one frame longer, because thresholds are compared before the frame is
     *         charged
     */
    std::vector<uint64_t> GetLongestQueues(uint8_t priority) const override;
    std::string GetXoffAttribute() const override;

    /** \return bytes that queue 0 of port 0 may currently hold if its class is lossy */
    uint64_t GetEgressLimit() const;

    /**
     * \param egressPort port number
     * \param priority class 0..7
     * \return bytes that the queue may currently hold if the class is lossy
     */
    uint64_t GetEgressLimit(uint16_t egressPort, uint8_t priority) const;

  private:
    Layout DoConfigure(const std::vector<QbbPortProfile>& ports) override;
    QbbBufferDecision DoAdmit(const Group& group, const Queue& queue, uint32_t bytes) override;
    QbbBufferDecision AdmitToGroup(const Group& group, uint32_t bytes) const;
    QbbBufferDecision AdmitLimited(const Group& group, const Queue& queue, uint32_t bytes) const;
    XonNeed DoGetXonNeed(const Group& group, const Pool& pool) const override;

    // Division of the memory, by the plan if there is one, and else by the attributes

    /** Sums of the guaranteed memory. */
    struct Guarantees
    {
        std::vector<uint64_t> headroomOfPool; //!< bytes of headroom, by pool
        uint64_t reserved{0};                 //!< bytes of all reserves
        uint64_t headroom{0};                 //!< bytes of all headrooms, or of the headroom pool
        uint64_t pools{0};                    //!< bytes of a plan's ingress pools
        uint32_t nReserves{0};                //!< number of reserves
        uint32_t nLossless{0};                //!< number of lossless groups
        uint32_t nHeadrooms{0};               //!< number of headrooms
    };

    std::vector<Group> MakeGroups(const std::vector<QbbPortProfile>& ports) const;
    Group MakeGroup(const QbbPortProfile& profile, uint8_t priority) const;
    Group MakePlannedGroup(std::size_t port,
                           const QbbPortProfile& description,
                           uint8_t number) const;

    /**
     * \param port port number
     * \param number number of a lossless group, 0..7
     * \return headroom that the attributes or the plan give the group; no value: computed
     */
    std::optional<uint64_t> GetGivenHeadroom(std::size_t port, uint8_t number) const;

    std::vector<Queue> MakeQueues(std::size_t nPorts, uint32_t pools) const;
    std::vector<Queue> MakePlannedQueues(std::size_t nPorts) const;
    void AddPools(Layout& layout, uint64_t shared, const Guarantees& needed) const;
    void AddPlannedPools(Layout& layout, uint64_t shared, const Guarantees& needed) const;
    Guarantees AddUp(const std::vector<Group>& groups) const;

    /** \return true if the plan limits queues */
    bool LimitsQueues() const;

    /** \param port port number \return the plan of the port */
    const QbbPortBufferPlan& GetPortPlan(std::size_t port) const
    {
        return m_plan->ports.size() == 1 ? m_plan->ports.front() : m_plan->ports[port];
    }

    template <auto Member>
    void SetAlphas(std::string text);
    template <auto Member>
    std::string GetAlphas() const;

    uint64_t m_bufferSize{12 * 1024 * 1024}; //!< attribute BufferSize
    uint64_t m_reserveBytes{1248};           //!< attribute ReserveBytes
    double m_losslessAlpha{0.125};           //!< attribute LosslessAlpha
    double m_lossyAlpha{8};                  //!< attribute LossyAlpha
    double m_lossyEgressAlpha{1};            //!< attribute LossyEgressAlpha
    uint64_t m_xoffBytes{0};                 //!< attribute XoffBytes
    uint64_t m_xonOffsetBytes{0};            //!< attribute XonOffsetBytes
    uint64_t m_headroomBytes{0};             //!< attribute HeadroomBytes
    bool m_headroomPool{false};              //!< attribute HeadroomPool
    uint64_t m_headroomPoolBytes{0};         //!< attribute HeadroomPoolBytes
    double m_headroomOversubscription{2};    //!< attribute HeadroomOversubscription
    uint64_t m_egressMinBytes{1518};         //!< attribute EgressMinBytes
    uint64_t m_egressLimitBytes{0};          //!< attribute EgressLimitBytes
    uint64_t m_lossyPoolBytes{0};            //!< attribute LossyPoolBytes
    uint64_t m_lossyEgressPoolBytes{0};      //!< attribute LossyEgressPoolBytes
    QbbClassAlphas m_classAlphas;            //!< attribute ClassAlphas
    QbbClassAlphas m_classEgressAlphas;      //!< attribute ClassEgressAlphas
    std::optional<QbbBufferPlan> m_plan;     //!< plan from SetPlan(); replaces attributes
};

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_H */
