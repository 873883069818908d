/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BORDER_H
#define QBB_BORDER_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Holds what one group of nodes sends to another while both run on separate threads
 * (QbbParallelRun).
 *
 * In each step of the run, the sending group fills the next compartment, in turn. The receiving
 * group empties a compartment PARTS steps later. A group is at most PARTS - 1 steps ahead of
 * another, so no compartment is used by two threads at once.
 */
class QbbBorder
{
  public:
    /// Steps in the shortest time that a frame needs from one group to another.
    static constexpr uint32_t PARTS = 4;
    /// Number of compartments: PARTS that are being filled, because groups may be PARTS - 1 steps
    /// apart, and PARTS that are being emptied.
    static constexpr uint32_t COMPARTMENTS = 2 * PARTS;

    virtual ~QbbBorder() = default;

    /** Begins a step of the sending group. \param compartment number of the compartment to fill */
    virtual void Open(uint32_t compartment) = 0;

    /**
     * \param compartment number of a compartment that has been filled
     * \return time of the earliest event that it will cause, in femtoseconds; the largest number if
     *         the compartment is empty
     */
    virtual uint64_t GetEarliest(uint32_t compartment) const = 0;

    /**
     * Hands the contents of a compartment over to the receiving group, whose engine is running.
     * \param compartment number of the compartment to empty
     */
    virtual void TakeOver(uint32_t compartment) = 0;
};

} // namespace ns3

#endif /* QBB_BORDER_H */
