/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BUFFER_PRESETS_H
#define RDMA_BUFFER_PRESETS_H

#include "rdma-fabric-helper.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The packet memory of a switch chip, and how a network operating system divides it.
 *
 * | name      | memory | chip                                                | sources |
 * |-----------|--------|-----------------------------------------------------|---------------------|
 * | trident2  | 12 MiB | Broadcom Trident II (BCM56850), 32 ports of 40 Gb/s | 1, 2 | | trident3  |
 * 32 MiB | Broadcom Trident 3 (BCM56870), 32 ports of 100 Gb/s | 3                   | | tomahawk3
 * | 64 MiB | Broadcom Tomahawk 3 (BCM56980), 32 ports of 400 Gb/s | 4                  |
 *
 * 1: C. Guo et al., SIGCOMM 2016, section 2 (9 or 12 MB), Y. Zhu et al., SIGCOMM 2015, section 6
 * (12 MB, 32 ports of 40 Gb/s); 2: the example of a 40 Gb/s switch in SONiC's Configuration guide
 * (reserve of a lossless group 1248 B, which is 6 cells of 208 B, alpha 2^-3; lossy queues 1518 B
 * and alpha 2^3 of a pool of 9243812 B); 3: SONiC's buffer template for Arista's 7050CX3-32S (lossy
 * queues 1792 B, which is 7 cells of 256 B, and alpha 2^3 of a pool of 24192256 B); 4: Arista's
 * data sheet of the 7060X4 series (64 MB). Where the templates say nothing, for the lossless alpha
 * of Trident 3 and for all of Tomahawk 3 but its size, the values of the chip before it stand,
 * pools in proportion to the memory.
 */
struct RdmaBufferPreset
{
    std::string name;                 //!< as above
    std::string chip;                 //!< what it stands for
    uint32_t bytes{0};                //!< attribute BufferSize
    uint32_t reserveBytes{0};         //!< attribute ReserveBytes
    double losslessAlpha{0};          //!< attribute LosslessAlpha
    double lossyAlpha{0};             //!< attribute LossyAlpha
    uint32_t egressMinBytes{0};       //!< attribute EgressMinBytes
    double lossyEgressAlpha{0};       //!< attribute LossyEgressAlpha
    uint32_t lossyEgressPoolBytes{0}; //!< attribute LossyEgressPoolBytes
};

/**
 * \ingroup rdma
 * \return all presets
 */
const std::vector<RdmaBufferPreset>& GetRdmaBufferPresets();

/**
 * \ingroup rdma
 * \param name name of a preset
 * \return the preset
 * \throws std::invalid_argument that lists the names, if there is none of that name
 */
const RdmaBufferPreset& GetRdmaBufferPreset(const std::string& name);

/**
 * \ingroup rdma
 * Gives the shared buffers of all switches the attributes of a preset.
 *
 * \param helper makes the fabric
 * \param preset a preset
 */
void SetRdmaBufferPreset(RdmaFabricHelper& helper, const RdmaBufferPreset& preset);

} // namespace ns3

#endif /* RDMA_BUFFER_PRESETS_H */
