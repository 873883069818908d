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

/// Smallest and largest dynamic threshold factor (alpha) of a shared buffer.
constexpr double QBB_MIN_ALPHA = 1.0 / 1024;
constexpr double QBB_MAX_ALPHA = 1024;

/**
 * \ingroup rdma
 * Memory that the priority groups of ingress ports, or the queues of egress ports, share
 * (SAI_OBJECT_TYPE_BUFFER_POOL).
 */
struct QbbBufferPool
{
    std::string name;          //!< for messages
    bool egress{false};        //!< of queues; false: of priority groups
    uint32_t bytes{0};         //!< what is shared; reserves and headroom come on top of it
    uint32_t headroomBytes{0}; //!< ingress: headroom for all its groups together; 0: each its own
};

/**
 * \ingroup rdma
 * What a priority group or a queue may take (SAI_OBJECT_TYPE_BUFFER_PROFILE).
 */
struct QbbBufferProfile
{
    std::string name;              //!< for messages
    uint32_t pool{0};              //!< index of its pool
    uint32_t reserveBytes{0};      //!< its own, whatever the others do
    std::optional<double> alpha{}; //!< shared bytes over the free bytes of its pool; none: static
    uint32_t limitBytes{0};        //!< without alpha: shared bytes
    uint32_t headroomBytes{0};     //!< lossless groups: most headroom; 0: computed for the port
    uint32_t xonBytes{0};          //!< lossless groups: XON at or below so many bytes in all, too
    uint32_t xonOffsetBytes{0};    //!< lossless groups: XON so far below the threshold
};

/**
 * \ingroup rdma
 * The profiles of a port; an index of QbbBufferPlan::profiles, or NONE.
 */
struct QbbPortBufferPlan
{
    static constexpr int16_t NONE = -1; //!< has no memory: every frame is dropped

    /** Nothing has memory. */
    QbbPortBufferPlan()
    {
        groups.fill(NONE);
        queues.fill(NONE);
    }

    std::array<int16_t, 8> groups; //!< by priority group
    std::array<int16_t, 8> queues; //!< by class
};

/**
 * \ingroup rdma
 * How the memory of a switch is divided, as the tables BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and
 * BUFFER_QUEUE of SONiC say it; for QbbSharedBuffer::SetPlan().
 *
 * Every frame is in the accounts twice: in those of its priority group at the port where it came
 * in, and in those of its queue at the port where it goes out. Only the first is memory; egress
 * pools are limits.
 */
struct QbbBufferPlan
{
    std::vector<QbbBufferPool> pools;       //!< ingress and egress
    std::vector<QbbBufferProfile> profiles; //!< for groups and queues
    std::vector<QbbPortBufferPlan> ports;   //!< by port; one alone: for all ports
    /// Priority group of a class. A lossless class needs one to itself.
    std::array<uint8_t, 8> groupOfClass{{0, 1, 2, 3, 4, 5, 6, 7}};
};

/**
 * \ingroup rdma
 * Ends the program with a message that names what is wrong, if the plan makes no sense: indices
 * that do not exist, a profile in a pool of the other direction, an alpha below 0 or above 1024,
 * an ingress pool of no bytes, a group above 7.
 *
 * \param plan a plan
 */
void CheckQbbBufferPlan(const QbbBufferPlan& plan);

/**
 * \ingroup rdma
 * Alphas of single classes.
 */
class QbbClassAlphas
{
  public:
    /** No class has one of its own. */
    QbbClassAlphas() = default;

    /**
     * Aborts with a message that names the entry if the text is not of that form.
     *
     * \param text entries CLASS:ALPHA separated by commas, as in "3:1/8,4:1/16"; ALPHA is a number
     *        or a fraction, 1/1024..1024; may be empty
     * \return the alphas
     */
    static QbbClassAlphas FromText(const std::string& text);

    /**
     * \param text as for FromText()
     * \return what is wrong with it, and what is accepted; empty if nothing is
     */
    static std::string Check(const std::string& text);

    /** \return the text that FromText() would turn into this */
    std::string ToText() const;

    /** \param priority class 0..7 \param others alpha of classes that have none of their own
     *  \return its alpha */
    double Get(uint8_t priority, double others) const
    {
        return m_alphas.at(priority).value_or(others);
    }

  private:
    std::array<std::optional<double>, 8> m_alphas{}; //!< by class
};

} // namespace ns3

#endif /* QBB_BUFFER_PLAN_H */
