/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-entropy.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Entropies at random: each packet has one of the queue pair's entropies, all with the same
 * probability.
 */
class RdmaRandomEntropy : public RdmaEntropy
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyChooser> MakeChooser() override;
};

NS_OBJECT_ENSURE_REGISTERED(RdmaRandomEntropy);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_randomEntropyName("random",
                                       RdmaRandomEntropy::GetTypeId(),
                                       "",
                                       "each packet has a random port",
                                       {"Entropies?"});

/** Random entropies of one queue pair. */
class RandomChooser final : public RdmaEntropyChooser
{
  public:
    /** \param entropy source of the random numbers */
    explicit RandomChooser(Ptr<RdmaEntropy> entropy)
        : m_entropy(entropy)
    {
    }

    uint16_t Choose(RdmaPs) override
    {
        return m_entropy->Draw();
    }

  private:
    Ptr<RdmaEntropy> m_entropy; //!< source of the random numbers
};

} // namespace

TypeId
RdmaRandomEntropy::GetTypeId()
{
    static TypeId tid = RdmaFixedTypeId<RdmaEntropy>("ns3::RdmaRandomEntropy")
                            .SetParent<RdmaEntropy>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaRandomEntropy>();
    return tid;
}

std::unique_ptr<RdmaEntropyChooser>
RdmaRandomEntropy::MakeChooser()
{
    return std::make_unique<RandomChooser>(this);
}

} // namespace ns3
