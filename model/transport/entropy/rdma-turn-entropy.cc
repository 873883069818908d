/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-entropy.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Entropies in turn: the packets of a queue pair have its entropies one after the other. The first
 * one is random.
 */
class RdmaTurnEntropy : public RdmaEntropy
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<RdmaEntropyChooser> MakeChooser() override;
};

NS_OBJECT_ENSURE_REGISTERED(RdmaTurnEntropy);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_turnEntropyName("turn",
                                     RdmaTurnEntropy::GetTypeId(),
                                     "",
                                     "packets have all ports in turn",
                                     {"Entropies?"});

/** Entropies of one queue pair in turn. */
class TurnChooser final : public RdmaEntropyChooser
{
  public:
    /** \param entropy number of entropies, and source of the first one */
    explicit TurnChooser(Ptr<RdmaEntropy> entropy)
        : m_entropy(entropy)
    {
    }

    uint16_t Choose(RdmaPs) override
    {
        // The first entropy is drawn here, because many queue pairs send nothing.
        m_latest = m_begun ? (m_latest + 1) % m_entropy->GetEntropies() : m_entropy->Draw();
        m_begun = true;
        return static_cast<uint16_t>(m_latest);
    }

  private:
    Ptr<RdmaEntropy> m_entropy; //!< number of entropies, and source of the first one
    uint32_t m_latest{0};       //!< entropy of the latest packet
    bool m_begun{false};        //!< a packet has been sent
};

} // namespace

TypeId
RdmaTurnEntropy::GetTypeId()
{
    static TypeId tid = RdmaFixedTypeId<RdmaEntropy>("ns3::RdmaTurnEntropy")
                            .SetParent<RdmaEntropy>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaTurnEntropy>();
    return tid;
}

std::unique_ptr<RdmaEntropyChooser>
RdmaTurnEntropy::MakeChooser()
{
    return std::make_unique<TurnChooser>(this);
}

} // namespace ns3
