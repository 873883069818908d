/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SPRAY_PATH_SELECTOR_H
#define QBB_SPRAY_PATH_SELECTOR_H

#include "qbb-path-selector.h"

#include <ns3/random-variable-stream.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Packet spraying: the frames of a flow use all equal-cost ports, at random or in turn, and may
 * overtake each other.
 */
class QbbSprayPathSelector : public QbbPathSelector
{
  public:
    /**
     * Order in which frames use the ports.
     */
    enum Order : uint8_t
    {
        RANDOM,      //!< a random port for each frame, uniform over the ports
        ROUND_ROBIN, //!< one port after the other, with a common turn for all frames of the switch
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbSprayPathSelector();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    Order m_order{RANDOM};               //!< attribute Order
    uint32_t m_turn{0};                  //!< ROUND_ROBIN: number of frames so far
    Ptr<UniformRandomVariable> m_random; //!< random ports for RANDOM
};

} // namespace ns3

#endif /* QBB_SPRAY_PATH_SELECTOR_H */
