/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LARGE_PAGES_H
#define RDMA_LARGE_PAGES_H

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

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
 *
 * A program waits for each page that it touches first, while Linux clears the page. On a virtual
 * machine whose host has lent the page to others, this takes 7 ms instead of 0.25 ms for a large
 * page. After PrepareInThread(), another thread lets Linux provide the pages that the heap needs
 * next: as many bytes as the heap has grown by, and at most MOST_AHEAD. Large pages then begin when
 * the heap has grown by SMALL_IN_THREAD bytes.
 */
class RdmaLargePages
{
  public:
    static constexpr uint64_t SMALL = uint64_t{8} << 20; //!< bytes of growth that change nothing
    /// Bytes of growth that change nothing after PrepareInThread().
    static constexpr uint64_t SMALL_IN_THREAD = uint64_t{1} << 20;
    /// Least number of bytes by which a larger heap grows.
    static constexpr uint64_t LEAST_STEP = uint64_t{32} << 20;
    /// Greatest number of bytes by which a larger heap grows.
    static constexpr uint64_t MOST_STEP = uint64_t{256} << 20;

    /// Most bytes at the end of the heap, not used yet, that PrepareInThread() lets Linux provide.
    static constexpr uint64_t MOST_AHEAD = uint64_t{16} << 20;

    RdmaLargePages();
    ~RdmaLargePages();

    RdmaLargePages(const RdmaLargePages&) = delete;
    RdmaLargePages& operator=(const RdmaLargePages&) = delete;

    /**
     * Asks for large pages for the memory that the heap has gained since the last request. Must be
     * called often while the heap grows.
     *
     * \param object an object that the program has just made, which shows the thread of
     *        PrepareInThread() up to where the heap is used; null: none
     */
    void CoverGrowth(const void* object = nullptr);

    /**
     * Lets another thread prepare pages from the next call of CoverGrowth() that requests large
     * pages, until StopPreparing(). Without effect where Linux cannot provide memory in advance
     * (before version 5.14, or with a C library before 2.35).
     */
    void PrepareInThread()
    {
        m_small = m_stops ? SMALL : SMALL_IN_THREAD;
    }

    /** Ends what PrepareInThread() has begun, for good; the thread ends soon. */
    void StopPreparing();

    /** \return bytes of the heap for which large pages have been requested */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    static constexpr uint64_t PAGE = uint64_t{2} << 20; //!< bytes of a large page

    void StartThread();
    void Prepare();

    const uintptr_t m_first;  //!< end of the heap when the object was made
    uint64_t m_small{SMALL};  //!< bytes of growth that change nothing
    uintptr_t m_nextPage;     //!< the thread is not told of objects at lower addresses
    uint64_t m_bytes{0};      //!< value of GetBytes()
    bool m_hasStarted{false}; //!< StartThread() has been called
    std::thread m_thread;     //!< thread that prepares pages

    std::mutex m_mutex;               //!< guards what the thread reads: the following members
    std::condition_variable m_change; //!< tells the thread of a change
    uintptr_t m_end;                  //!< end of the heap at the last request
    uintptr_t m_used;                 //!< an object near the end of the used heap
    bool m_stops{false};              //!< the thread is to end
};

} // namespace ns3

#endif /* RDMA_LARGE_PAGES_H */
