/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_H
#define QBB_SHARED_BUFFER_H

#include "qbb-buffer-manager.h"
#include "qbb-buffer-plan.h"

#include <array>
#include <cstdint>
#include <limits>
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
 * ingress_lossy_pool does in SONiC; lossless ones share the rest. LossyEgressPoolBytes is a limit
 * of all queues together, for the same frames that a queue's limit holds for: what each queue has
 * of them above EgressMinBytes. Its free bytes are then what LossyEgressAlpha multiplies.
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

    void Configure(const std::vector<QbbPortProfile>& ports) override;
    QbbAdmission Admit(uint16_t ingressPort,
                       uint16_t egressPort,
                       uint8_t priority,
                       uint32_t bytes) override;
    bool Release(uint16_t ingressPort,
                 uint16_t egressPort,
                 uint8_t priority,
                 uint32_t bytes) override;
    bool IsPaused(uint16_t ingressPort, uint8_t priority) const override;
    bool MayResume(uint16_t ingressPort,
                   uint8_t priority,
                   const std::vector<uint64_t>& stuckBytes) const override;
    QbbIngressUsage GetIngress(uint16_t ingressPort, uint8_t priority) const override;
    uint32_t GetEgressBytes(uint16_t egressPort, uint8_t priority) const override;
    QbbBufferUsage GetUsage() const override;
    bool IsEmpty() const override;
    void ResetPeaks() override;
    uint32_t GetNPorts() const override;

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
    template <auto Member, typename T>
    void Set(T value)
    {
        RefuseWhileRunning();
        this->*Member = value;
    }

    template <auto Member, typename T>
    T Get() const
    {
        return this->*Member;
    }

    /// More free bytes than there are.
    static constexpr uint64_t NEVER = std::numeric_limits<uint64_t>::max();

    /** What groups, or queues, share. */
    struct Pool
    {
        uint32_t size{0};         //!< bytes
        uint32_t used{0};         //!< of these
        uint32_t headroomSize{0}; //!< headroom, beside them
        uint32_t headroomUsed{0}; //!< of that
        bool egress{false};       //!< of queues: a limit, no memory
        /// With fewer free bytes nobody in `paused` may resume.
        uint64_t resumeFree{NEVER};
        std::vector<uint32_t> paused; //!< groups between XOFF and XON, by the time of XOFF

        /** \return bytes that are not in use */
        uint32_t GetFree() const
        {
            return size - used;
        }
    };

    /** An (ingress port, priority group). */
    struct Group
    {
        uint32_t pool{0};          //!< index of its pool
        uint32_t reserveLimit{0};  //!< its reserve
        uint32_t reserved{0};      //!< in use of that
        uint32_t shared{0};        //!< in use of the shared part
        uint32_t headroom{0};      //!< in use of headroom
        uint32_t headroomLimit{0}; //!< most headroom it may take
        bool onePerPort{false};    //!< all groups of the port together may take that much
        uint32_t base{0};          //!< constant part of the threshold
        uint32_t alpha{0};         //!< part of the free bytes, in units of 2^-ALPHA_BITS
        uint32_t xonOffset{0};     //!< XON is this far below the threshold
        uint32_t xon{0};           //!< and in any case at so many bytes
        uint32_t peak{0};          //!< highest total
        uint32_t peakHeadroom{0};  //!< highest headroom
        bool lossless{false};      //!< never dropped
        bool paused{false};        //!< between XOFF and XON
        uint8_t priority{0};       //!< the class of a lossless group

        /** \return all its bytes */
        uint32_t GetBytes() const
        {
            return reserved + shared + headroom;
        }
    };

    /** An (egress port, priority). */
    struct Queue
    {
        uint32_t bytes{0};   //!< in the buffer
        uint32_t limited{0}; //!< of these, of frames that egress limits hold for
        uint32_t reserve{0}; //!< of the latter, not charged to the egress pool
        uint32_t base{0};    //!< constant part of the limit
        uint32_t alpha{0};   //!< part of the pool's free bytes, in units of 2^-ALPHA_BITS
        uint32_t pool{0};    //!< index of that pool

        /** \return bytes that are charged to its egress pool */
        uint32_t GetShared() const
        {
            return limited > reserve ? limited - reserve : 0;
        }
    };

    static constexpr uint32_t ALPHA_BITS = 20; //!< binary places of alpha

    /**
     * \param alpha an attribute's value
     * \return in units of 2^-ALPHA_BITS, rounded to the nearest
     */
    static uint32_t ToFixed(double alpha);

    /**
     * \param base constant part
     * \param alpha in units of 2^-ALPHA_BITS
     * \param free free bytes of the pool
     * \return base + alpha x free
     */
    static uint64_t GetThreshold(uint32_t base, uint32_t alpha, uint32_t free)
    {
        return base + ((static_cast<uint64_t>(alpha) * free) >> ALPHA_BITS);
    }

    /**
     * \param group a lossless group
     * \param pool its pool
     * \return free bytes of the pool with which the group may resume, by its threshold or because
     *         it holds no more than XON allows
     */
    static uint64_t GetFreeToResume(const Group& group, const Pool& pool);

    /**
     * \param group a lossless group
     * \param pool its pool
     * \return free bytes of the pool from which on it is worthwhile to look at the group again
     */
    static uint64_t GetFreeToLook(const Group& group, const Pool& pool);

    /**
     * \param group a group \param pool its pool
     * \return true if the group could have as much headroom as it may take, or nobody else has any
     */
    static bool HasItsHeadroom(const Group& group, const Pool& pool);

    /**
     * \param group becomes XOFF
     * \param pool its pool
     */
    void Pause(Group& group, Pool& pool);

    /**
     * \param pool resumes those in it that may
     * \return true if there are any
     */
    bool ResumeThoseThatMay(Pool& pool);

    /** \param group a group \return true if egress limits hold for its frames */
    bool IsLimited(const Group& group) const
    {
        return !group.lossless || m_limitsAll;
    }

    /**
     * \param queue a queue
     * \return bytes that it may hold at present
     */
    uint64_t GetLimit(const Queue& queue) const
    {
        return GetThreshold(queue.base, queue.alpha, m_pools[queue.pool].GetFree());
    }

    /**
     * \param queue a queue that is limited
     * \param bytes of a frame
     * \return true if the queue may take the frame
     */
    bool EgressFits(const Queue& queue, uint32_t bytes) const;

    /**
     * Charges the pool of a queue that has grown or shrunk.
     *
     * \param queue the queue
     * \param before its GetShared() before
     */
    void ChargeEgressPool(const Queue& queue, uint32_t before)
    {
        // modulo 2^32, so that it may shrink
        m_pools[queue.pool].used += queue.GetShared() - before;
    }

    /**
     * \param port port number
     * \param priority class 0..7
     * \return index of m_queues, and of m_groups if it is a group's; ends the program if there is
     *         none
     */
    uint32_t GetIndex(uint16_t port, uint8_t priority) const;

    /** What is set apart. */
    struct Guarantees
    {
        std::vector<uint64_t> headroomOfPool; //!< bytes, by pool
        uint64_t reserved{0};                 //!< bytes of all reserves
        uint64_t headroom{0};                 //!< bytes of all headrooms, or of their pool
        uint64_t pools{0};                    //!< bytes of a plan's ingress pools
        uint32_t nReserves{0};                //!< how many reserves
        uint32_t nLossless{0};                //!< how many groups are lossless
        uint32_t nHeadrooms{0};               //!< how many headrooms
    };

    /**
     * \param ports the ports
     * \return groups with limits and thresholds, by port and priority
     */
    std::vector<Group> MakeGroups(const std::vector<QbbPortProfile>& ports) const;

    /**
     * \param group gets what the attributes say
     * \param port its port
     * \param priority class 0..7
     */
    void SetUpGroup(Group& group, const QbbPortProfile& port, uint8_t priority) const;

    /**
     * \param group gets what the plan says
     * \param port its port
     * \param index port number
     * \param number of the group, 0..7
     */
    void SetUpPlannedGroup(Group& group,
                           const QbbPortProfile& port,
                           std::size_t index,
                           uint8_t number) const;

    /** \param ports the ports \return queues with limits, by port and priority */
    std::vector<Queue> MakeQueues(const std::vector<QbbPortProfile>& ports) const;

    /** \param index port number \return its part of the plan */
    const QbbPortBufferPlan& GetPortPlan(std::size_t index) const
    {
        return m_plan->ports.size() == 1 ? m_plan->ports.front() : m_plan->ports[index];
    }

    /** \param text attribute ClassAlphas */
    void SetClassAlphas(std::string text);
    /** \return attribute ClassAlphas */
    std::string GetClassAlphas() const;
    /** \param text attribute ClassEgressAlphas */
    void SetClassEgressAlphas(std::string text);
    /** \return attribute ClassEgressAlphas */
    std::string GetClassEgressAlphas() const;

    /**
     * \param groups all groups
     * \return what they need
     */
    Guarantees AddUp(const std::vector<Group>& groups) const;

    /** Divides the memory among reserves, headroom and pools. \return what is set apart */
    Guarantees DivideMemory();

    // Attributes

    uint32_t m_bufferSize{12 * 1024 * 1024}; //!< BufferSize
    uint32_t m_reserveBytes{1248};           //!< ReserveBytes
    double m_losslessAlpha{0.125};           //!< LosslessAlpha
    double m_lossyAlpha{8};                  //!< LossyAlpha
    double m_lossyEgressAlpha{1};            //!< LossyEgressAlpha
    uint32_t m_xoffBytes{0};                 //!< XoffBytes
    uint32_t m_xonOffsetBytes{0};            //!< XonOffsetBytes
    uint32_t m_headroomBytes{0};             //!< HeadroomBytes
    bool m_headroomPool{false};              //!< HeadroomPool
    uint32_t m_headroomPoolBytes{0};         //!< HeadroomPoolBytes
    double m_headroomOversubscription{2};    //!< HeadroomOversubscription
    uint32_t m_egressMinBytes{1518};         //!< EgressMinBytes
    uint32_t m_egressLimitBytes{0};          //!< EgressLimitBytes
    uint32_t m_lossyPoolBytes{0};            //!< LossyPoolBytes
    uint32_t m_lossyEgressPoolBytes{0};      //!< LossyEgressPoolBytes
    QbbClassAlphas m_classAlphas;            //!< ClassAlphas
    QbbClassAlphas m_classEgressAlphas;      //!< ClassEgressAlphas
    std::optional<QbbBufferPlan> m_plan;     //!< SetPlan()

    // What Configure() made of them

    uint32_t m_size{0};         //!< all memory
    uint32_t m_reservedSize{0}; //!< all reserves
    bool m_egressPools{false};  //!< queues charge pools of their own
    bool m_limitsAll{false};    //!< queues of lossless classes are limited, too
    std::array<uint8_t, PRIORITIES> m_groupOf{{0, 1, 2, 3, 4, 5, 6, 7}}; //!< group of a class

    // State

    std::vector<Pool> m_pools;            //!< shared memory, and egress pools
    std::vector<Group> m_groups;          //!< by ingress port and priority group
    std::vector<uint32_t> m_portHeadroom; //!< headroom in use, by port
    std::vector<Queue> m_queues;          //!< by egress port and priority
    uint32_t m_used{0};                   //!< all bytes
    uint32_t m_headroomUsed{0};           //!< in headroom
    uint32_t m_peakUsed{0};               //!< highest m_used
    uint32_t m_peakHeadroomUsed{0};       //!< highest m_headroomUsed
};

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_H */
