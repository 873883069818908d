/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_H
#define QBB_SHARED_BUFFER_H

#include "qbb-buffer-manager.h"

#include <cstdint>
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
 * headroom of the computed size rule out.
 *
 * Release gives a (port, priority)'s bytes back in the order headroom, shared, reserve. XON comes
 * when its headroom is empty and its shared bytes are at or below threshold - XonOffsetBytes (the
 * hysteresis of SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH), and in any case when it holds nothing. That
 * the headroom must be empty is what makes it whole again for the next XOFF. It is looked at when a
 * frame of its own leaves, not when others leave and the threshold rises.
 *
 * Egress. All frames are counted by (egress port, priority), but only those of a class that is
 * lossy at their ingress port are limited: the queue, the frame included, may hold
 * EgressLimitBytes, or where that is 0
 *
 *     EgressMinBytes + LossyEgressAlpha x (free bytes of the shared part)
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

    /** \return bytes that the queue of a lossy class may hold at present */
    uint64_t GetEgressLimit() const;

  private:
    /** An (ingress port, priority). */
    struct Group
    {
        uint32_t reserveLimit{0};  //!< its reserve
        uint32_t reserved{0};      //!< in use of that
        uint32_t shared{0};        //!< in use of the shared part
        uint32_t headroom{0};      //!< in use of headroom
        uint32_t headroomLimit{0}; //!< most headroom it may take
        uint32_t base{0};          //!< constant part of the threshold
        uint32_t alpha{0};         //!< part of the free bytes, in units of 2^-ALPHA_BITS
        uint32_t xonOffset{0};     //!< XON is this far below the threshold
        uint32_t peak{0};          //!< highest total
        uint32_t peakHeadroom{0};  //!< highest headroom
        bool lossless{false};      //!< never dropped
        bool paused{false};        //!< between XOFF and XON

        /** \return all its bytes */
        uint32_t GetBytes() const
        {
            return reserved + shared + headroom;
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
     * \return base + alpha x (free shared bytes)
     */
    uint64_t GetThreshold(uint32_t base, uint32_t alpha) const
    {
        return GetThreshold(base, alpha, m_sharedSize - m_sharedUsed);
    }

    /**
     * \param base constant part
     * \param alpha in units of 2^-ALPHA_BITS
     * \param free bytes of the shared part that are free
     * \return base + alpha x free
     */
    static uint64_t GetThreshold(uint32_t base, uint32_t alpha, uint64_t free)
    {
        return base + ((alpha * free) >> ALPHA_BITS);
    }

    /**
     * \param port port number
     * \param priority class 0..7
     * \return index of m_groups and m_queues; ends the program if there is none
     */
    uint32_t GetIndex(uint16_t port, uint8_t priority) const;

    /** What is set apart. */
    struct Guarantees
    {
        uint64_t reserved{0};  //!< bytes of all reserves
        uint64_t headroom{0};  //!< bytes of all headrooms, or of their pool
        uint32_t nReserves{0}; //!< how many reserves
        uint32_t nLossless{0}; //!< how many headrooms
    };

    /**
     * \param ports the ports
     * \return groups with limits and thresholds, by port and priority
     */
    std::vector<Group> MakeGroups(const std::vector<QbbPortProfile>& ports) const;

    /**
     * \param groups all groups
     * \return what they need
     */
    Guarantees AddUp(const std::vector<Group>& groups) const;

    /** Divides the memory among reserves, headroom and the shared part. */
    void DivideMemory();

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

    // What Configure() made of them

    uint32_t m_size{0};         //!< all memory
    uint32_t m_reservedSize{0}; //!< all reserves
    uint32_t m_sharedSize{0};   //!< the shared part
    uint32_t m_headroomSize{0}; //!< all headroom
    uint32_t m_egressBase{0};   //!< constant part of a lossy queue's limit
    uint32_t m_egressAlpha{0};  //!< part of the free bytes, in units of 2^-ALPHA_BITS

    // State

    std::vector<Group> m_groups;    //!< by ingress port and priority
    std::vector<uint32_t> m_queues; //!< bytes by egress port and priority
    uint32_t m_used{0};             //!< all bytes
    uint32_t m_sharedUsed{0};       //!< in the shared part
    uint32_t m_headroomUsed{0};     //!< in headroom
    uint32_t m_peakUsed{0};         //!< highest m_used
    uint32_t m_peakHeadroomUsed{0}; //!< highest m_headroomUsed
};

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_H */
