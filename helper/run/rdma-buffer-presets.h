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
 * The packet memory of a switch chip and its division by a network operating system.
 *
 * | name      | memory | chip                                                 | sources |
 * |-----------|--------|------------------------------------------------------|---------|
 * | trident2  | 12 MiB | Broadcom Trident II (BCM56850), 32 ports of 40 Gb/s  | 1, 2    |
 * | trident3  | 32 MiB | Broadcom Trident 3 (BCM56870), 32 ports of 100 Gb/s  | 3       |
 * | tomahawk3 | 64 MiB | Broadcom Tomahawk 3 (BCM56980), 32 ports of 400 Gb/s | 4       |
 *
 * 1: C. Guo et al., SIGCOMM 2016, section 2 (9 or 12 MB), Y. Zhu et al., SIGCOMM 2015, section 6
 * (12 MB, 32 ports of 40 Gb/s); 2: the example of a 40 Gb/s switch in SONiC's Configuration guide
 * (reserve of a lossless group 1248 B, which is 6 cells of 208 B, alpha 2^-3; lossy queues 1518 B
 * and alpha 2^3 of a pool of 9243812 B); 3: SONiC's buffer template for Arista's 7050CX3-32S (lossy
 * queues 1792 B, which is 7 cells of 256 B, and alpha 2^3 of a pool of 24192256 B); 4: Arista's
 * data sheet of the 7060X4 series (64 MB). The sources give no lossless alpha for Trident 3 and
 * nothing but the memory size for Tomahawk 3; these presets use the values of the preceding chip
 * and scale pools with the memory.
 */
struct RdmaBufferPreset
{
    std::string name;                 //!< name of the preset, for instance "trident2"
    std::string chip;                 //!< name of the switch chip
    uint32_t bytes{0};                //!< value of the attribute BufferSize
    uint32_t reserveBytes{0};         //!< value of the attribute ReserveBytes
    double losslessAlpha{0};          //!< value of the attribute LosslessAlpha
    double lossyAlpha{0};             //!< value of the attribute LossyAlpha
    uint32_t egressMinBytes{0};       //!< value of the attribute EgressMinBytes
    double lossyEgressAlpha{0};       //!< value of the attribute LossyEgressAlpha
    uint32_t lossyEgressPoolBytes{0}; //!< value of the attribute LossyEgressPoolBytes
};

/**
 * \ingroup rdma
 * \return all buffer presets
 */
const std::vector<RdmaBufferPreset>& GetRdmaBufferPresets();

/**
 * \ingroup rdma
 * \param name name of a preset
 * \return the preset
 * \throws std::invalid_argument that lists the accepted names if the preset is unknown
 */
const RdmaBufferPreset& GetRdmaBufferPreset(const std::string& name);

/**
 * \ingroup rdma
 * Sets the attributes of all shared buffers to the values of a preset.
 *
 * \param helper builder of the fabric
 * \param preset a buffer preset
 */
void SetRdmaBufferPreset(RdmaFabricHelper& helper, const RdmaBufferPreset& preset);

} // namespace ns3

#endif /* RDMA_BUFFER_PRESETS_H */
