/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LARGE_PAGES_H
#define RDMA_LARGE_PAGES_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Asks the operating system for large pages (2 MB) for the memory that the heap of the process
 * gains after the construction of the object. Nothing happens until the heap has grown by SMALL
 * bytes.
 *
 * A large fabric has more memory than the address caches (TLB) of a CPU reach with pages of 4 KB. A
 * large page is used where Linux offers them on request ("madvise" or "always" in
 * /sys/kernel/mm/transparent_hugepage/enabled). The heap is that of the GNU C library. The class
 * does nothing on other systems, with other allocators, and for a process whose heap grows little.
 * Memory that has not been touched stays unused: the process becomes larger by a few large pages at
 * most.
 *
 * The C library asks Linux for memory in small steps, which large pages do not fit into. The class
 * therefore sets M_TOP_PAD of mallopt() once the heap has grown by SMALL bytes. The heap then
 * doubles whenever it grows, by LEAST_STEP to MOST_STEP bytes. The class does nothing for a process
 * whose address space or data segment is limited (RLIMIT_AS, RLIMIT_DATA).
 */
class RdmaLargePages
{
  public:
    static constexpr uint64_t SMALL = uint64_t{8} << 20; //!< bytes of growth that change nothing
    /// Least number of bytes by which a larger heap grows.
    static constexpr uint64_t LEAST_STEP = uint64_t{32} << 20;
    /// Greatest number of bytes by which a larger heap grows.
    static constexpr uint64_t MOST_STEP = uint64_t{256} << 20;

    RdmaLargePages();

    /**
     * Asks for large pages for the memory that the heap has gained since the last request. Must be
     * called often while the heap grows.
     */
    void CoverGrowth();

    /** \return bytes of the heap for which large pages have been requested */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    uintptr_t m_first;   //!< end of the heap when the object was made
    uintptr_t m_end;     //!< end of the heap at the last request
    uint64_t m_bytes{0}; //!< value of GetBytes()
};

} // namespace ns3

#endif /* RDMA_LARGE_PAGES_H */
