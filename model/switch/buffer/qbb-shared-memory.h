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
 * Values of the attributes of a QbbSharedBuffer.
 */
struct QbbSharedBufferSettings
{
    uint64_t bufferSize{12 * 1024 * 1024}; //!< attribute BufferSize
    uint64_t reserveBytes{1248};           //!< attribute ReserveBytes
    double losslessAlpha{0.125};           //!< attribute LosslessAlpha
    double lossyAlpha{8};                  //!< attribute LossyAlpha
    double lossyEgressAlpha{1};            //!< attribute LossyEgressAlpha
    uint64_t xoffBytes{0};                 //!< attribute XoffBytes
    uint64_t xonOffsetBytes{0};            //!< attribute XonOffsetBytes
    uint64_t headroomBytes{0};             //!< attribute HeadroomBytes
    bool headroomPool{false};              //!< attribute HeadroomPool
    uint64_t headroomPoolBytes{0};         //!< attribute HeadroomPoolBytes
    double headroomOversubscription{2};    //!< attribute HeadroomOversubscription
    uint64_t egressMinBytes{1518};         //!< attribute EgressMinBytes
    uint64_t egressLimitBytes{0};          //!< attribute EgressLimitBytes
    uint64_t lossyPoolBytes{0};            //!< attribute LossyPoolBytes
    uint64_t lossyEgressPoolBytes{0};      //!< attribute LossyEgressPoolBytes
    QbbClassAlphas classAlphas;            //!< attribute ClassAlphas
    QbbClassAlphas classEgressAlphas;      //!< attribute ClassEgressAlphas
};

/**
 * \ingroup rdma
 * Divides the memory of a QbbSharedBuffer among reserves, headroom and pools, according to the
 * attributes or a plan. Each object serves for one division.
 *
 * Invalid settings, plans or profiles abort the program with a message.
 */
class QbbSharedMemory
{
  public:
    /**
     * \param settings the attributes; they must outlive this object
     * \param plan if set, replaces the attributes that divide the memory; must
     *        outlive this object
     * \param ports the ports of the switch; they must outlive this object
     */
    QbbSharedMemory(const QbbSharedBufferSettings& settings,
                    const std::optional<QbbBufferPlan>& plan,
                    const std::vector<QbbPortProfile>& ports);

    /** \return the sum of reserves, headroom and the plan's ingress pools */
    uint64_t GetGuaranteedBytes() const;

    /** \return accounts with their limits and thresholds */
    QbbBufferBooks::Layout MakeLayout() const;

  private:
    using Layout = QbbBufferBooks::Layout;
    using Group = QbbBufferBooks::Group;
    using Queue = QbbBufferBooks::Queue;

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

    /** \return groups with limits and thresholds, by port and priority */
    std::vector<Group> MakeGroups() const;

    /**
     * \param port port number
     * \param priority class 0..7
     * \return group of the (port, class) according to the attributes
     */
    Group MakeGroup(std::size_t port, uint8_t priority) const;

    /**
     * \param port port number
     * \param number group number, 0..7
     * \return the group according to the plan
     */
    Group MakePlannedGroup(std::size_t port, uint8_t number) const;

    /**
     * \param port port number
     * \param number number of a lossless group, 0..7
     * \return headroom that the attributes or the plan give the group; no value: computed
     */
    std::optional<uint64_t> GetGivenHeadroom(std::size_t port, uint8_t number) const;

    /** \param pools number of pools \return queues according to the attributes */
    std::vector<Queue> MakeQueues(uint32_t pools) const;

    /** \return queues according to the plan */
    std::vector<Queue> MakePlannedQueues() const;

    /**
     * Adds the pools that the attributes define.
     *
     * \param [in,out] layout gets the pools
     * \param shared bytes of the shared part
     */
    void AddPools(Layout& layout, uint64_t shared) const;

    /**
     * Adds the pools that the plan defines.
     *
     * \param [in,out] layout gets the pools
     * \param shared bytes of the shared part
     */
    void AddPlannedPools(Layout& layout, uint64_t shared) const;

    /** \return sums of the memory that the groups need */
    Guarantees AddUp() const;

    /** \return true if the plan limits queues */
    bool LimitsQueues() const;

    /** \param port port number \return the plan of the port */
    const QbbPortBufferPlan& GetPortPlan(std::size_t port) const
    {
        return m_plan->ports.size() == 1 ? m_plan->ports.front() : m_plan->ports[port];
    }

    const QbbSharedBufferSettings& m_settings;  //!< the attributes
    const std::optional<QbbBufferPlan>& m_plan; //!< if set, replaces attributes
    const std::vector<QbbPortProfile>& m_ports; //!< ports of the switch
    std::vector<Group> m_groups;                //!< groups, by port and priority
    Guarantees m_needed;                        //!< sums of the memory that the groups need
};

} // namespace ns3

#endif /* QBB_SHARED_MEMORY_H */
