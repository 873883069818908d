/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_MEMORY_H
#define QBB_SHARED_MEMORY_H

#include "qbb-buffer-books.h"
#include "qbb-buffer-plan.h"
#include "qbb-port-profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The attributes of a QbbSharedBuffer, by name.
 */
struct QbbSharedBufferSettings
{
    uint32_t bufferSize{12 * 1024 * 1024}; //!< BufferSize
    uint32_t reserveBytes{1248};           //!< ReserveBytes
    double losslessAlpha{0.125};           //!< LosslessAlpha
    double lossyAlpha{8};                  //!< LossyAlpha
    double lossyEgressAlpha{1};            //!< LossyEgressAlpha
    uint32_t xoffBytes{0};                 //!< XoffBytes
    uint32_t xonOffsetBytes{0};            //!< XonOffsetBytes
    uint32_t headroomBytes{0};             //!< HeadroomBytes
    bool headroomPool{false};              //!< HeadroomPool
    uint32_t headroomPoolBytes{0};         //!< HeadroomPoolBytes
    double headroomOversubscription{2};    //!< HeadroomOversubscription
    uint32_t egressMinBytes{1518};         //!< EgressMinBytes
    uint32_t egressLimitBytes{0};          //!< EgressLimitBytes
    uint32_t lossyPoolBytes{0};            //!< LossyPoolBytes
    uint32_t lossyEgressPoolBytes{0};      //!< LossyEgressPoolBytes
    QbbClassAlphas classAlphas;            //!< ClassAlphas
    QbbClassAlphas classEgressAlphas;      //!< ClassEgressAlphas
};

/**
 * \ingroup rdma
 * Divides the memory of a QbbSharedBuffer among reserves, headroom and pools, by its attributes or
 * by a plan. It is made for one division, and then thrown away.
 *
 * Whatever makes no sense ends the program with a message.
 */
class QbbSharedMemory
{
  public:
    /**
     * \param settings the attributes; they must outlive this object
     * \param plan in place of most of them, if there is one; it must outlive this object
     * \param ports the ports of the switch; they must outlive this object
     */
    QbbSharedMemory(const QbbSharedBufferSettings& settings,
                    const std::optional<QbbBufferPlan>& plan,
                    const std::vector<QbbPortProfile>& ports);

    /** \return the sum of reserves, headroom and the plan's pools */
    uint64_t GetGuaranteedBytes() const;

    /** \return all accounts, with their limits and thresholds */
    QbbBufferBooks::Layout MakeLayout() const;

  private:
    using Layout = QbbBufferBooks::Layout;
    using Group = QbbBufferBooks::Group;
    using Queue = QbbBufferBooks::Queue;

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

    /** \return groups with limits and thresholds, by port and priority */
    std::vector<Group> MakeGroups() const;

    /** \param port port number \param priority class 0..7 \return what the attributes say of it */
    Group MakeGroup(std::size_t port, uint8_t priority) const;

    /** \param port port number \param number of the group, 0..7 \return what the plan says of it */
    Group MakePlannedGroup(std::size_t port, uint8_t number) const;

    /** \param pools how many pools there are \return queues by the attributes */
    std::vector<Queue> MakeQueues(uint32_t pools) const;

    /** \return queues by the plan */
    std::vector<Queue> MakePlannedQueues() const;

    /** \param [in,out] layout gets its pools, by the attributes \param shared what is shared */
    void AddPools(Layout& layout, uint32_t shared) const;

    /** \param [in,out] layout gets its pools, by the plan \param shared what is shared */
    void AddPlannedPools(Layout& layout, uint32_t shared) const;

    /** \return what the groups need */
    Guarantees AddUp() const;

    /** \return true if the plan limits queues */
    bool LimitsQueues() const;

    /** \param port port number \return its part of the plan */
    const QbbPortBufferPlan& GetPortPlan(std::size_t port) const
    {
        return m_plan->ports.size() == 1 ? m_plan->ports.front() : m_plan->ports[port];
    }

    const QbbSharedBufferSettings& m_settings;  //!< the attributes
    const std::optional<QbbBufferPlan>& m_plan; //!< in place of most of them
    const std::vector<QbbPortProfile>& m_ports; //!< the ports
    std::vector<Group> m_groups;                //!< by port and priority
    Guarantees m_needed;                        //!< what the groups need
};

} // namespace ns3

#endif /* QBB_SHARED_MEMORY_H */
