/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BORDER_H
#define QBB_BORDER_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What one group of nodes sends to another while both run on threads of their own (QbbParallelRun).
 *
 * The sending group fills one of two compartments during a window of simulated time, while the
 * receiving group empties the other compartment, which was filled during the window before. The
 * compartments change places between the windows. No compartment therefore needs a lock.
 */
class QbbBorder
{
  public:
    virtual ~QbbBorder() = default;

    /** Begins a window for the sending group. \param compartment compartment to fill, 0 or 1 */
    virtual void Open(uint32_t compartment) = 0;

    /**
     * \param compartment compartment that has been filled, 0 or 1
     * \return time of the earliest event that it will cause, in femtoseconds; the largest number if
     *         the compartment is empty
     */
    virtual uint64_t GetEarliest(uint32_t compartment) const = 0;

    /**
     * Hands the contents of a compartment over to the receiving group, whose engine is running.
     * \param compartment compartment to empty, 0 or 1
     */
    virtual void TakeOver(uint32_t compartment) = 0;
};

} // namespace ns3

#endif /* QBB_BORDER_H */
