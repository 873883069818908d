/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MEMORY_H
#define RDMA_MEMORY_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a peer may do with a memory region (ibv_access_flags); what one has to be able to do.
 */
struct RdmaMemoryAccess
{
    bool remoteWrite{false};  //!< IBV_ACCESS_REMOTE_WRITE
    bool remoteRead{false};   //!< IBV_ACCESS_REMOTE_READ
    bool remoteAtomic{false}; //!< IBV_ACCESS_REMOTE_ATOMIC
};

/**
 * \ingroup rdma
 * The memory of a host as far as its NIC knows it: the regions that peers may use, by key, and the
 * words that atomics have changed.
 *
 * Payload is virtual in this module, so a region is a range of addresses and no bytes. Only the
 * 64-bit words that atomics operate on have values; they are 0 until set, and neither RDMA writes
 * nor reads touch them.
 */
class RdmaMemory
{
  public:
    /// The key that no region has; RdmaNic::GlobalKey says what it gives access to.
    static constexpr uint32_t NO_KEY = 0;

    /**
     * Registers a region (ibv_reg_mr). Regions may overlap.
     *
     * Aborts with a message if the region is empty or goes beyond the last address.
     *
     * \param address its first byte
     * \param length bytes, 1 and above
     * \param access what peers may do
     * \return its key (rkey), never NO_KEY
     */
    uint32_t Register(uint64_t address, uint64_t length, const RdmaMemoryAccess& access);

    /**
     * Takes a region back (ibv_dereg_mr). Its key is good for nothing from then on.
     *
     * Aborts with a message if there is no such region.
     *
     * \param key the region's key
     */
    void Deregister(uint32_t key);

    /**
     * \param key a key
     * \param address first byte
     * \param length bytes; 0 is allowed everywhere, with any key (IBA Vol. 1, 9.7.4.1.5)
     * \param access what is wanted, one of them or several
     * \return true if the key's region has these bytes and allows it
     */
    bool Allows(uint32_t key,
                uint64_t address,
                uint64_t length,
                const RdmaMemoryAccess& access) const;

    /** \param address a multiple of 8 \return the word there */
    uint64_t GetWord(uint64_t address) const;

    /** \param address a multiple of 8 \param value the word's new value */
    void SetWord(uint64_t address, uint64_t value);

    /** \return number of regions */
    uint32_t GetNRegions() const;

  private:
    /** A region, or the place of one that is gone. */
    struct Region
    {
        uint64_t address{0};     //!< first byte
        uint64_t length{0};      //!< bytes; 0: gone
        RdmaMemoryAccess access; //!< what peers may do
        uint8_t generation{0};   //!< lowest byte of the key, so that an old key is known as such
    };

    const Region* Find(uint32_t key) const;

    std::vector<Region> m_regions;                  //!< by key
    std::vector<uint32_t> m_free;                   //!< places of regions that are gone
    std::unordered_map<uint64_t, uint64_t> m_words; //!< words that are not 0, by address
};

} // namespace ns3

#endif /* RDMA_MEMORY_H */
