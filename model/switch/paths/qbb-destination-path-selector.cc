/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-path-selector.h"
#include "rdma-part-name.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Chooses the path by the destination alone: its address modulo the number of equal-cost ports
 * ("D-mod-k"). Fabrics whose hosts have consecutive addresses, as RdmaFabricHelper gives them, then
 * carry every shift permutation without a collision, if each leaf has as many uplinks as hosts: the
 * destinations of a leaf are divided among all spines.
 *
 * Source: Zahavi, Johnson, Kerbyson, Lang, "Optimized InfiniBand fat-tree routing for shift
 * all-to-all communication patterns", Concurrency and Computation 22(2), 2010; fat-tree routing of
 * InfiniBand subnet managers assigns paths to destinations in this way.
 */
class QbbDestinationPathSelector : public QbbPathSelector
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    uint16_t Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports) override
    {
        return ports[frame.dstIp % ports.size()];
    }

    bool MayReorder(RdmaPs) const override
    {
        return false;
    }

    int64_t AssignStreams(int64_t) override
    {
        return 0;
    }
};

NS_OBJECT_ENSURE_REGISTERED(QbbDestinationPathSelector);

/// Name under which programs take the class.
const RdmaPartName g_destinationName("d-mod-k",
                                     QbbDestinationPathSelector::GetTypeId(),
                                     "",
                                     "the destination's address chooses the path");

TypeId
QbbDestinationPathSelector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbDestinationPathSelector")
                            .SetParent<QbbPathSelector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbDestinationPathSelector>();
    return tid;
}

} // namespace ns3
