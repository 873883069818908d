/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_PLAN_H
#define QBB_BUFFER_PLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

constexpr double QBB_MIN_ALPHA = 1.0 / 1024; //!< smallest dynamic threshold factor (alpha)
constexpr double QBB_MAX_ALPHA = 1024;       //!< largest dynamic threshold factor (alpha)
/// Largest memory of a switch, and largest size or threshold within that memory: 1 TiB.
constexpr uint64_t QBB_MAX_BUFFER_BYTES = uint64_t{1} << 40;

/**
 * \ingroup rdma
 * Memory that the priority groups of ingress ports, or the queues of egress ports, share
 * (SAI_OBJECT_TYPE_BUFFER_POOL).
 */
struct QbbBufferPool
{
    std::string name;   //!< for messages
    bool egress{false}; //!< true: pool of queues; false: pool of priority groups
    uint64_t bytes{0};  //!< shared bytes, without reserves and headroom
    /// Ingress pools: common headroom of all groups; 0: separate headroom per group.
    uint64_t headroomBytes{0};
};

/**
 * \ingroup rdma
 * Memory limits of a priority group or a queue (SAI_OBJECT_TYPE_BUFFER_PROFILE).
 */
struct QbbBufferProfile
{
    std::string name;         //!< for messages
    uint32_t pool{0};         //!< index of the pool
    uint64_t reserveBytes{0}; //!< bytes guaranteed to each user of the profile
    /// Limit of shared bytes over the free bytes of the pool; none: static limit.
    std::optional<double> alpha{};
    uint64_t limitBytes{0}; //!< static limit of shared bytes, if alpha is not set
    /// Lossless groups: maximum headroom; no value: computed for the port.
    std::optional<uint64_t> headroomBytes{};
    uint64_t xonBytes{0}; //!< lossless groups: also XON if the group's total is at or below this
    uint64_t xonOffsetBytes{0}; //!< lossless groups: distance of XON below the XOFF threshold
};

/**
 * \ingroup rdma
 * The profiles of a port, each an index into QbbBufferPlan::profiles or NONE.
 */
struct QbbPortBufferPlan
{
    static constexpr int16_t NONE = -1; //!< no memory: every frame is dropped

    /** Gives no memory to any group or queue. */
    QbbPortBufferPlan()
    {
        groups.fill(NONE);
        queues.fill(NONE);
    }

    std::array<int16_t, 8> groups; //!< profile of each priority group
    std::array<int16_t, 8> queues; //!< profile of the queue of each class
};

/**
 * \ingroup rdma
 * Division of a switch's memory, modelled on the tables BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and
 * BUFFER_QUEUE of SONiC; for QbbSharedBuffer::SetPlan().
 *
 * Every frame is accounted for twice: in its priority group at the ingress port, and in its queue
 * at the egress port. Only the ingress account stands for memory; egress pools are limits.
 */
struct QbbBufferPlan
{
    std::vector<QbbBufferPool> pools;       //!< ingress and egress pools
    std::vector<QbbBufferProfile> profiles; //!< profiles for groups and queues
    std::vector<QbbPortBufferPlan> ports;   //!< by port number; a single entry applies to all ports
    /// Priority group of each class. A lossless class needs a group to itself.
    std::array<uint8_t, 8> groupOfClass{{0, 1, 2, 3, 4, 5, 6, 7}};
};

/**
 * \ingroup rdma
 * Validates a plan. Throws std::invalid_argument that names the error: an index that does not
 * exist, a profile in a pool of the other direction, an alpha below 0 or above 1024, a pool of 0
 * bytes, an egress pool with headroom, a size above QBB_MAX_BUFFER_BYTES, a group above 7.
 *
 * \param plan plan to validate
 */
void CheckQbbBufferPlan(const QbbBufferPlan& plan);

/**
 * \ingroup rdma
 * Dynamic threshold factors (alphas) of individual classes.
 */
class QbbClassAlphas
{
  public:
    /** No class has an individual alpha. */
    QbbClassAlphas() = default;

    /**
     * Parses a list of alphas. Throws std::invalid_argument that names the invalid entry if there
     * is one.
     *
     * \param text entries CLASS:ALPHA separated by commas, as in "3:1/8,4:1/16"; ALPHA is a number
     *        or a fraction, 1/1024..1024; may be empty
     * \return the alphas
     */
    static QbbClassAlphas FromText(const std::string& text);

    /**
     * \param text as for FromText()
     * \return error message with the accepted values; empty if the text is valid
     */
    static std::string Check(const std::string& text);

    /** \return text from which FromText() makes an equal object */
    std::string ToText() const;

    /**
     * \param priority class 0..7
     * \param others alpha of classes without an individual alpha
     * \return alpha of the class
     */
    double Get(uint8_t priority, double others) const
    {
        return m_alphas.at(priority).value_or(others);
    }

  private:
    std::array<std::optional<double>, 8> m_alphas{}; //!< individual alphas, by class
};

} // namespace ns3

#endif /* QBB_BUFFER_PLAN_H */
