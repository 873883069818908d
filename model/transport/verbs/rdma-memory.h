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
 * Access rights to a memory region (ibv_access_flags): the rights that a peer has, or the rights
 * that a request needs.
 */
struct RdmaMemoryAccess
{
    bool remoteWrite{false};  //!< IBV_ACCESS_REMOTE_WRITE
    bool remoteRead{false};   //!< IBV_ACCESS_REMOTE_READ
    bool remoteAtomic{false}; //!< IBV_ACCESS_REMOTE_ATOMIC
};

/**
 * \ingroup rdma
 * Memory of a host as its NIC sees it: the regions that peers may access, by key, and the values of
 * the words that atomics operate on.
 *
 * Payload is virtual in this module: a region is a range of addresses without contents. Only the
 * 64-bit words that atomics operate on have values. A word is 0 until it is set, and RDMA WRITEs
 * and READs do not touch it.
 */
class RdmaMemory
{
  public:
    /// Key that no region has. After SetGlobalKey() it gives access to all addresses.
    static constexpr uint32_t NO_KEY = 0;

    /** \param global true: NO_KEY gives access to all addresses; default: to none */
    void SetGlobalKey(bool global)
    {
        m_globalKey = global;
    }

    /** \return true if NO_KEY gives access to all addresses */
    bool HasGlobalKey() const
    {
        return m_globalKey;
    }

    /**
     * Registers a memory region (ibv_reg_mr). Regions may overlap.
     *
     * Aborts with a message if the region is empty or goes beyond the last address.
     *
     * \param address first byte of the region
     * \param length bytes in the region, 1 and above
     * \param access rights of peers
     * \return key of the region (rkey), never NO_KEY
     */
    uint32_t Register(uint64_t address, uint64_t length, const RdmaMemoryAccess& access);

    /**
     * Deregisters a memory region (ibv_dereg_mr) and invalidates its key.
     *
     * Aborts with a message if no region has the key.
     *
     * \param key the region's key
     */
    void Deregister(uint32_t key);

    /**
     * Validates an access of a peer.
     *
     * \param key the key that the peer presents
     * \param address first byte accessed
     * \param length bytes accessed; 0 is allowed everywhere, with any key (IBA Vol. 1, 9.7.4.1.5)
     * \param access the rights that the access needs, one or several
     * \return true if the key's region contains the bytes and grants the rights, or if the
     *         key is NO_KEY and gives access to all addresses
     */
    bool Allows(uint32_t key,
                uint64_t address,
                uint64_t length,
                const RdmaMemoryAccess& access) const
    {
        return (key == NO_KEY && m_globalKey) || RegionAllows(key, address, length, access);
    }

    /** \param address of the word, a multiple of 8 \return value of the word */
    uint64_t GetWord(uint64_t address) const;

    /** \param address of the word, a multiple of 8 \param value the word's new value */
    void SetWord(uint64_t address, uint64_t value);

    /** \return number of registered regions */
    uint32_t GetNRegions() const;

  private:
    /** A memory region, or the free slot of a deregistered one. */
    struct Region
    {
        uint64_t address{0};     //!< first byte of the region
        uint64_t length{0};      //!< bytes in the region; 0: deregistered
        RdmaMemoryAccess access; //!< access rights of peers
        uint8_t generation{0};   //!< lowest byte of the key; differs in a stale key
    };

    const Region* Find(uint32_t key) const;
    bool RegionAllows(uint32_t key,
                      uint64_t address,
                      uint64_t length,
                      const RdmaMemoryAccess& access) const;

    std::vector<Region> m_regions;                  //!< regions, indexed by key
    std::vector<uint32_t> m_free;                   //!< indices of deregistered regions
    std::unordered_map<uint64_t, uint64_t> m_words; //!< words that are not 0, by address
    bool m_globalKey{false};                        //!< NO_KEY gives access to all addresses
};

} // namespace ns3

#endif /* RDMA_MEMORY_H */
